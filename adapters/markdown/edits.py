"""Edits of a text at headings: what goes in or out, and where the rest of it ends up.

Nothing outside the edited ranges changes; what goes in is set apart by blank lines (R-C-64).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from adapters.markdown.outline import DEEPEST, Section, TooDeep, outline, shift

_PUNCTUATION: Final = re.compile(r"([!-/:-@\[-`{-~])")
_ESCAPED: Final = r"\\\1"


class Ambiguous(Exception):
    """Several children have the name that one of them is looked for by."""


class Misread(Exception):
    """The text around it would swallow what goes in, or what goes in would swallow that."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """Exchange [start, end) for `block`.

    `moved` are headings in the block that stay who they are: where they began in the text they
    come from, and where they begin in the block.
    """

    start: int
    end: int
    block: str = ""
    moved: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Edited:
    """A text after edits, and where headings begin now that are still or newly there."""

    text: str
    offsets: dict[int, int]
    arrived: dict[int, int] = field(default_factory=dict)


def apply(text: str, edits: Iterable[Edit]) -> Edited:
    """Return `text` after `edits`, which must not overlap. Raises `Misread`."""
    newline = newline_of(text)
    result, position = "", 0
    offsets: dict[int, int] = {}
    arrived: dict[int, int] = {}
    fresh: set[int] = set()
    old = [section.start for section in outline(text).walk() if section.level]
    for edit in sorted(edits, key=lambda e: (e.start, e.end)):
        kept = (o for o in old if position <= o < edit.start)
        offsets.update((o, len(result) + o - position) for o in kept)
        result += text[position : edit.start]
        position = edit.end
        if edit.block:
            result += _gap(result, newline)
            _check_open(result)
            arrived.update((before, len(result) + at) for before, at in edit.moved)
            fresh |= {len(result) + start for start in _starts(edit.block, is_whole=False)}
            result += edit.block
            result += _gap(result, newline) if text[position:] else ""
    offsets.update((o, len(result) + o - position) for o in old if position <= o)
    result += text[position:]
    if fresh.union(offsets.values()) != set(_starts(result)):
        raise Misread
    return Edited(text=result, offsets=offsets, arrived=arrived)


def exchanged(text: str, section: Section, payload: str) -> Edited:
    """Return `text` with everything below the heading of `section` exchanged for `payload`.

    A line end or a blank line is added only where the text could not be read without it.
    Raises `Misread`.
    """
    newline = newline_of(text)
    head, tail = text[: section.body], text[section.end :]
    if payload and not head.endswith(("\n", "\r")):
        head += newline
    fresh = {len(head) + start for start in _starts(payload, is_whole=False)}
    old = [s.start for s in outline(text).walk() if s.level]
    gap = "" if not tail or (head + payload).endswith(("\n", "\r")) else newline
    for ending in (gap, _gap(head + payload, newline)):
        result = head + payload + ending + tail
        moved = len(result) - len(text)
        offsets = {o: o for o in old if o <= section.start}
        offsets.update((o, o + moved) for o in old if o >= section.end)
        if fresh.union(offsets.values()) == set(_starts(result)):
            return Edited(text=result, offsets=offsets)
    raise Misread


def newline_of(text: str) -> str:
    """Return the first line end of `text`, a line feed if it has none."""
    match = re.search(r"\r\n|\n|\r", text)
    return match[0] if match else "\n"


def with_newlines(payload: str, newline: str) -> str:
    """Return `payload` with all its line ends spelled `newline`."""
    return re.sub(r"\r\n|\n|\r", newline, payload)


def new_level(target: Section) -> int:
    """Return the level of a new last child of `target`. Raises `TooDeep`."""
    level = target.children[-1].level if target.children else target.level + 1
    if level > DEEPEST:
        raise TooDeep
    return level


def heading_line(name: str, level: int, newline: str) -> str:
    """Return a heading line that reads as `name`. Raises `ValueError` if none does."""
    for spelling in (name, _PUNCTUATION.sub(_ESCAPED, name)):
        line = f"{'#' * level} {spelling}{newline}"
        sections = outline(line, is_whole=False).children
        if len(sections) == 1 and sections[0].name == name and sections[0].body == len(line):
            return line
    raise ValueError(f"not a possible heading: {name!r}")


def title_line(name: str) -> str:
    """Return a level-1 heading line that reads as `name`, or as nearly as a line can."""
    try:
        return heading_line(name, 1, "\n")
    except ValueError:
        return f"# {_PUNCTUATION.sub(_ESCAPED, ' '.join(name.split()))}\n"


def renamed(text: str, section: Section, name: str, *, is_whole: bool = True) -> Edited:
    """Return `text` with the heading of `section` called `name`, its style kept.

    Raises `ValueError` if no heading can be called that.
    """
    for spelling in (name, _PUNCTUATION.sub(_ESCAPED, name)):
        changed = text[: section.name_start] + spelling + text[section.name_end :]
        added = len(changed) - len(text)
        walked = outline(changed, is_whole=is_whole).walk()
        now = [s for s in walked if s.level and s.start == section.start]
        if now and now[0].name == name and now[0].body == section.body + added:
            old = _starts(text, is_whole=is_whole)
            offsets = {o: o if o <= section.start else o + added for o in old}
            return Edited(text=changed, offsets=offsets)
    raise ValueError(f"not a possible heading: {name!r}")


def appended(text: str, target: Section, payload: str) -> list[Edit]:
    """Return the edits that add the sparse tree `payload` below `target` (R-C-60..66).

    Raises `Ambiguous`, `TooDeep`.
    """
    payload = with_newlines(payload, newline_of(text))
    return _appended(target, payload, outline(payload, is_whole=False))


def _appended(target: Section, payload: str, incoming: Section) -> list[Edit]:
    edits: list[Edit] = []
    new: list[str] = []
    own = payload[incoming.body : incoming.own_end]
    if own.strip():
        edits.append(Edit(start=target.own_end, end=target.own_end, block=_trimmed(own)))
    for child in incoming.children:
        matches = [c for c in target.children if _same_name(c.name, child.name)]
        if len(matches) > 1:
            raise Ambiguous(child.name)
        if matches:
            edits += _appended(matches[0], payload, child)
        else:
            delta = new_level(target) - child.level
            new.append(shift(payload[child.start : child.end], delta))
    return edits + [Edit(start=target.end, end=target.end, block=_trimmed(block)) for block in new]


def _trimmed(block: str) -> str:
    """Return `block` without blank lines around it, with its last line ended."""
    lines = block.splitlines(keepends=True)
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    text = "".join(lines)
    return text if text.endswith(("\n", "\r")) else text + newline_of(block)


def _same_name(one: str, other: str) -> bool:
    return unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other)


def _gap(before: str, newline: str) -> str:
    """Return what has to follow `before` so that a blank line does."""
    lines = before.splitlines(keepends=True)
    if not lines or not lines[-1].strip():
        return ""
    return newline if lines[-1].endswith(("\n", "\r")) else newline * 2


def _starts(text: str, *, is_whole: bool = True) -> tuple[int, ...]:
    return tuple(s.start for s in outline(text, is_whole=is_whole).walk() if s.level)


def _check_open(before: str) -> None:
    """Raise `Misread` when `before` ends within something that swallows what follows."""
    if len(before) not in _starts(before + "# x\n"):
        raise Misread
