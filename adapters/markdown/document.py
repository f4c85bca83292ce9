"""Headings, links and front matter of a text, with their places."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from markdown_it.common.utils import mdTrim
from markdown_it.token import Token

from adapters.markdown.frontmatter import front_matter_span
from adapters.markdown.html_tags import scan_tags
from adapters.markdown.model import Document, Heading, Link, LinkForm
from adapters.markdown.parser import PositionParser
from adapters.markdown.positions import Newlines, Segments
from adapters.markdown.spelled import DEFINITIONS, RANGE, SEGMENTS, START, Spelled
from adapters.markdown.spelling import read_spelling

# The cheap tests: no link stands in a text without one of these, no heading without those.
_LINK_SIGN: Final = re.compile(
    r"\]\(|\]:|<(?:[A-Za-z][A-Za-z0-9+.-]{1,31}:|(?i:a|img|source|video|audio)[\s/])"
)
_HEADING_SIGN: Final = re.compile(r"^ {0,3}(?:#{1,6}(?:[ \t]|$)|(?:=+|-+)[ \t]*$)", re.MULTILINE)
_ATTRIBUTE_LIST: Final = re.compile(r"[ \t]+\{#[^\s{}]+\}$")

_PARSER: Final = PositionParser()


class _Found(NamedTuple):
    """A destination, its range still counted in the content it was read from."""

    form: LinkForm
    start: int
    end: int
    destination: str
    angle: bool


def parse(text: str) -> Document:
    """Find the front matter, the top-level headings and the links of `text`."""
    span = front_matter_span(text)
    base = span[1] if span else 0
    newlines = Newlines(text[base:])
    source = newlines.source
    if _LINK_SIGN.search(source) is None and _HEADING_SIGN.search(source) is None:
        return Document(front_matter=span, headings=(), links=())
    environment: dict[str, Any] = {}
    tokens = _PARSER.parse(source, environment)

    def place(offset: int) -> int:
        return base + newlines.locate(offset)

    links = [
        Link(form=each.form, start=place(each.start), end=place(each.end),
             destination=each.destination, angle=each.angle)
        for each in _links(source, tokens, environment)
    ]  # fmt: skip
    links.sort(key=lambda link: link.start)
    headings = tuple(
        Heading(level=level, name=name, start=place(start), end=place(end),
                name_start=place(name_start), name_end=place(name_end))
        for level, name, (start, end, name_start, name_end) in _headings(source, tokens)
    )  # fmt: skip
    return Document(front_matter=span, headings=headings, links=tuple(links))


def find_links(text: str) -> tuple[Link, ...]:
    """Find the links of `text`; a text that shows no sign of one is not parsed."""
    return parse(text).links if _LINK_SIGN.search(text) else ()


def find_html_links(text: str) -> tuple[Link, ...]:
    """Find the links of a `text` that is HTML as a whole, such as an HTML note's body."""
    return tuple(
        Link(
            form=LinkForm.HTML,
            start=found.start,
            end=found.end,
            destination=found.destination,
            angle=False,
        )
        for found in scan_tags(text)
    )


def _links(source: str, tokens: Sequence[Token], environment: dict[str, Any]) -> Iterator[_Found]:
    for start, href in environment.get(DEFINITIONS, ()):
        end = start + href.end - href.start
        raw = source[start:end]
        if "\n" not in raw and read_spelling(raw, LinkForm.DEFINITION) == href:
            yield _Found(LinkForm.DEFINITION, start, end, str(href), href.angle)
    for token in tokens:
        segments: Segments | None = token.meta.get(SEGMENTS)
        if segments is None:
            continue
        if token.type == "html_block":
            content = _html_links(token.content, 0)
        else:
            content = _inline_links(token.children or (), 0)
        for found in content:
            placed = _place(source, segments, found)
            if placed is not None:
                yield placed


def _inline_links(tokens: Sequence[Token], base: int) -> Iterator[_Found]:
    for token in tokens:
        if token.type == "link_open":
            form = LinkForm.AUTOLINK if token.markup == "autolink" else LinkForm.INLINE
            yield from _spelled(form, token.attrs["href"], base)
        elif token.type == "image":
            yield from _spelled(LinkForm.IMAGE, token.attrs["src"], base)
            # The alternative text is parsed on its own, from after `![`.
            yield from _inline_links(token.children or (), base + token.meta[START] + 2)
        elif token.type == "html_inline":
            yield from _html_links(token.content, base + token.meta[START])


def _spelled(form: LinkForm, destination: object, base: int) -> Iterator[_Found]:
    if isinstance(destination, Spelled):
        start, end = base + destination.start, base + destination.end
        yield _Found(form, start, end, str(destination), destination.angle)


def _html_links(content: str, base: int) -> Iterator[_Found]:
    for start, end, destination, one_line in scan_tags(content):
        # A value over two lines has a line of its own, where a new one could open a block.
        if one_line:
            yield _Found(LinkForm.HTML, base + start, base + end, destination, False)


def _place(source: str, segments: Segments, found: _Found) -> _Found | None:
    """Move `found` from the content to the source; None where the source spells it otherwise."""
    start, end = segments.locate(found.start), segments.locate(found.end)
    raw = source[start:end]
    if read_spelling(raw, found.form) != found.destination:
        raw = raw.replace("\\|", "|")  # a cell of a table
        if read_spelling(raw, found.form) != found.destination:
            return None
    return found._replace(start=start, end=end)


def _headings(
    source: str, tokens: Sequence[Token]
) -> Iterator[tuple[int, str, tuple[int, int, int, int]]]:
    for index, token in enumerate(tokens):
        if token.type != "heading_open" or token.level > 0:
            continue
        start, end, name_start, name_end = token.meta[RANGE]
        name = _plain_text(tokens[index + 1].children or ())
        attributes = _ATTRIBUTE_LIST.search(source, name_start, name_end)
        if attributes is not None and name.endswith(attributes.group()):
            name = name.removesuffix(attributes.group())
            name_end = attributes.start()
        name = mdTrim(name)
        if name:
            yield int(token.tag[1:]), name, (start, end, name_start, name_end)


def _plain_text(tokens: Sequence[Token]) -> str:
    parts = []
    for token in tokens:
        if token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif token.type == "image":
            parts.append(_plain_text(token.children or ()))
        elif token.type in ("text", "text_special", "code_inline"):
            parts.append(token.content)
    return "".join(parts)
