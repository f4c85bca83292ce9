"""The headings of a text as a tree, with their segments (R-F-20..25)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adapters.filebased.segments import document_segment
from adapters.markdown import Document, Heading, github_slugs, parse


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with everything below it, or (level 0) a whole text. All numbers are offsets.

    [start, body) is the heading line, [body, own_end) the section's own text, [own_end, end)
    its children.
    """

    name: str
    segment: str
    level: int
    start: int
    body: int
    own_end: int
    end: int
    children: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A document's text with what was found in it."""

    text: str
    document: Document
    top: Section

    def anchors(self) -> tuple[tuple[str, str], ...]:
        """Return the slug of each heading and the path of its area below the document's."""
        slugs = github_slugs([heading.name for heading in self.document.headings])
        return tuple(zip(slugs, (path for path, _ in walk(self.top)), strict=True))


def read_text(text: str) -> Text:
    """Find everything in a document's text."""
    document = parse(text)
    return Text(text=text, document=document, top=_top(text, document.headings))


def plain_text(text: str) -> Text:
    """Take a text as it is, for one too large to look into."""
    document = Document(front_matter=None, headings=(), links=())
    return Text(text=text, document=document, top=_top(text, ()))


def walk(section: Section, prefix: str = "") -> Iterator[tuple[str, Section]]:
    """Yield everything below `section` in document order, with paths below its own."""
    for child in section.children:
        path = f"{prefix}/{child.segment}"
        yield path, child
        yield from walk(child, path)


def find_section(top: Section, segments: tuple[str, ...]) -> Section | None:
    """Return the heading that `segments` lead to."""
    section: Section | None = top
    for segment in segments:
        children = section.children if section else ()
        section = next((child for child in children if child.segment == segment), None)
    return section


def _top(text: str, headings: tuple[Heading, ...]) -> Section:
    children, _ = _build(headings, 0, 0, len(text))
    own_end = headings[0].start if headings else len(text)
    return Section(
        name="",
        segment="",
        level=0,
        start=0,
        body=0,
        own_end=own_end,
        end=len(text),
        children=children,
    )


def _build(
    headings: tuple[Heading, ...], first: int, level: int, length: int
) -> tuple[tuple[Section, ...], int]:
    """Return the sections deeper than `level` from heading `first` on, and who comes after."""
    sections: list[Section] = []
    seen: dict[str, int] = {}
    while first < len(headings) and headings[first].level > level:
        heading = headings[first]
        children, following = _build(headings, first + 1, heading.level, length)
        seen[heading.name] = seen.get(heading.name, 0) + 1
        section = Section(
            name=heading.name,
            segment=document_segment(heading.name, seen[heading.name]),
            level=heading.level,
            start=heading.start,
            body=heading.end,
            own_end=headings[first + 1].start if first + 1 < len(headings) else length,
            end=headings[following].start if following < len(headings) else length,
            children=children,
        )
        sections.append(section)
        first = following
    return tuple(sections), first
