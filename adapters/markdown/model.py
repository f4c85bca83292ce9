"""What a text is found to hold; every offset counts characters of the very string parsed."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class LinkForm(enum.StrEnum):
    """How a link is written (R-F-50)."""

    INLINE = "inline"
    """`[text](destination "title")`"""
    IMAGE = "image"
    """`![text](destination "title")`"""
    DEFINITION = "definition"
    """`[label]: destination "title"`; the links that use it carry no destination."""
    AUTOLINK = "autolink"
    """`<scheme:destination>`"""
    HTML = "html"
    """`href="destination"` or `src='destination'` of a tag that links."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """One destination and its place; `text[start:end]` is its spelling without `<>` or quotes."""

    form: LinkForm
    start: int
    end: int
    destination: str
    """Escapes and entities resolved, percent-codes as they stand."""
    angle: bool
    """The spelling stands between `<` and `>`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading at the top level of the document, so never in a quote or a list (R-F-21)."""

    level: int
    name: str
    """Rendered plain text on one line (R-F-10); never empty."""
    start: int
    """Where its first line starts."""
    end: int
    """Where the line after it starts; a setext heading's underline is inside."""
    name_start: int
    name_end: int
    """`text[name_start:name_end]` is the inline Markdown of the name; markers are outside."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """Everything found in one text, each part in order of its place."""

    front_matter: tuple[int, int] | None
    headings: tuple[Heading, ...]
    links: tuple[Link, ...]
