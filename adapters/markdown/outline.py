"""The headings of a text as a tree of sections, and the text of one with its levels shifted."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from adapters.markdown import Heading, parse

DEEPEST: Final = 6


class TooDeep(Exception):
    """A heading would be below level 6."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with everything below it, or (level 0) a whole text. All numbers are offsets.

    [start, body) is the heading line, [body, own_end) the section's own text, [own_end, end)
    its children. `number` counts equally named siblings from 1.
    """

    name: str
    level: int
    number: int
    start: int
    body: int
    own_end: int
    end: int
    name_start: int
    name_end: int
    children: tuple[Section, ...]

    def walk(self) -> Iterator[Section]:
        """Yield this section and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


@functools.lru_cache(maxsize=1024)
def outline(text: str, *, is_whole: bool = True) -> Section:
    """Return the section that stands for all of `text`.

    Of a part of a document (not `is_whole`) the beginning is no front matter.
    """
    headings = parse(text).headings if is_whole else _headings_of_part(text)
    children, _ = _build(text, headings, 0, 0)
    own_end = headings[0].start if headings else len(text)
    return _section("", 0, 1, (0, 0, 0, 0), (own_end, len(text)), children)


def shift(text: str, delta: int, *, is_whole: bool = False, flatten: bool = False) -> str:
    """Return `text` with the level of every heading changed by `delta`.

    Raises `TooDeep`, or with `flatten` leaves at level 6 what would be deeper.
    """
    pieces, position = [], 0
    for section in list(outline(text, is_whole=is_whole).walk())[1:] if delta else ():
        level = section.level + delta
        if level > DEEPEST and not flatten:
            raise TooDeep
        line = _line_at(text, section, min(level, DEEPEST))
        pieces += [text[position : section.start], line]
        position = section.body
    return "".join(pieces) + text[position:]


def _line_at(text: str, section: Section, level: int) -> str:
    """Return the heading line of `section` at another level; underlined only while it can be."""
    line = text[section.start : section.body]
    before = text[section.start : section.name_start]
    name, after = text[section.name_start : section.name_end], text[section.name_end : section.body]
    if "#" in before:
        return before.replace("#" * section.level, "#" * level, 1) + name + after
    if level <= 2:
        underline = after.replace("-", "=") if level == 1 else after.replace("=", "-")
        return before + name + underline
    ending = line[len(line.rstrip("\r\n")) :]
    return "#" * level + " " + " ".join(part.strip() for part in name.splitlines()) + ending


def _headings_of_part(text: str) -> tuple[Heading, ...]:
    """Parse with an empty line in front, so that a rule at the beginning stays a rule."""
    return tuple(
        Heading(
            level=h.level,
            name=h.name,
            start=h.start - 1,
            end=h.end - 1,
            name_start=h.name_start - 1,
            name_end=h.name_end - 1,
        )
        for h in parse("\n" + text).headings
    )


def _build(
    text: str, headings: tuple[Heading, ...], first: int, level: int
) -> tuple[tuple[Section, ...], int]:
    """Return the sections deeper than `level` from heading `first` on, and who comes after."""
    sections: list[Section] = []
    seen: dict[str, int] = {}
    while first < len(headings) and headings[first].level > level:
        heading = headings[first]
        children, following = _build(text, headings, first + 1, heading.level)
        seen[heading.name] = seen.get(heading.name, 0) + 1
        own_end = headings[first + 1].start if first + 1 < len(headings) else len(text)
        end = headings[following].start if following < len(headings) else len(text)
        line = (heading.start, heading.end, heading.name_start, heading.name_end)
        sections.append(
            _section(
                heading.name, heading.level, seen[heading.name], line, (own_end, end), children
            )
        )
        first = following
    return tuple(sections), first


def _section(
    name: str,
    level: int,
    number: int,
    line: tuple[int, int, int, int],
    ends: tuple[int, int],
    children: Iterable[Section],
) -> Section:
    return Section(
        name=name,
        level=level,
        number=number,
        start=line[0],
        body=line[1],
        own_end=ends[0],
        end=ends[1],
        name_start=line[2],
        name_end=line[3],
        children=tuple(children),
    )
