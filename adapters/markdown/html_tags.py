"""Destinations in the attributes of HTML tags."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from html.entities import html5
from typing import Final, NamedTuple

# R-F-50 names the tags; each has one attribute whose value is a destination.
_ATTRIBUTE_OF: Final = {"a": "href", "img": "src", "source": "src", "video": "src", "audio": "src"}
_RAW_TEXT: Final = frozenset({"script", "style", "textarea", "title"})

_NAME: Final = re.compile(r"[A-Za-z][^\s\"'<>/=]*(?=[\s/>])")
# `<` never stands in an attribute's name: an unfinished tag must not swallow the next one.
_ATTRIBUTE: Final = re.compile(
    r"""[\s/]*(?P<name>[^\s"'<>/=]+)(?:\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|[^\s"'<>=`]+))?"""
)
_TAG_END: Final = re.compile(r"[\s/]*>")
_REFERENCE: Final = re.compile(r"&(?:#[0-9]+;?|#[xX][0-9A-Fa-f]+;?|[A-Za-z][A-Za-z0-9]*;?)")
_BLANK: Final = " \t\n\f\r"


class Attribute(NamedTuple):
    """A destination between quotes; `start` and `end` leave out blanks around it."""

    start: int
    end: int
    destination: str
    one_line: bool
    """The whole value, the blanks included, stands on one line."""


def scan_tags(text: str) -> Iterator[Attribute]:
    """Yield the destinations in HTML `text`, in order; comments and scripts hold none."""
    position = text.find("<")
    while position >= 0:
        following = text[position + 1 : position + 2]
        if following in ("!", "?"):
            end = _skip_declaration(text, position)
        elif (name := _NAME.match(text, position + 1)) is not None:
            found, end = _scan_tag(text, name)
            if found is not None:
                yield found
        else:
            end = position + 1
        position = text.find("<", end)


def decode_attribute(value: str) -> str:
    """Resolve character references as HTML does inside an attribute."""
    return _REFERENCE.sub(lambda match: _resolve(value, match), value) if "&" in value else value


def _resolve(value: str, match: re.Match[str]) -> str:
    reference = match.group()
    if reference[1] == "#" or reference[1:] not in html5:
        return html.unescape(reference) if reference[1] == "#" else reference
    # HTML 13.2.5.73: `&copy=1` in a query is no reference.
    if not reference.endswith(";") and value[match.end() : match.end() + 1] == "=":
        return reference
    return html5[reference[1:]]


def _skip_declaration(text: str, start: int) -> int:
    """Return the end of a comment, CDATA section, instruction or doctype; unclosed: of all."""
    if text.startswith(("<!-->", "<!--->"), start):
        return start + 5
    for opening, closing in (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")):
        if text.startswith(opening, start):
            end = text.find(closing, start + len(opening))
            return len(text) if end < 0 else end + len(closing)
    return start + 1


def _scan_tag(text: str, name: re.Match[str]) -> tuple[Attribute | None, int]:
    """Return the destination in the opening tag with this `name`, and where to look on."""
    tag = name.group().lower()
    wanted = _ATTRIBUTE_OF.get(tag)
    seen = False
    found: Attribute | None = None
    position = name.end()
    while (attribute := _ATTRIBUTE.match(text, position)) is not None:
        position = attribute.end()
        if attribute["name"].lower() == wanted and not seen:
            seen = True  # HTML: of two equal attributes the first counts
            found = _quoted(attribute)
    closing = _TAG_END.match(text, position)
    if closing is None:
        return None, position
    if tag in _RAW_TEXT:
        return None, _skip_raw_text(text, tag, closing.end())
    return found, closing.end()


def _quoted(attribute: re.Match[str]) -> Attribute | None:
    group = "double" if attribute["double"] is not None else "single"
    value = attribute[group]
    if value is None:
        return None
    one_line = "\n" not in value
    start = attribute.start(group) + len(value) - len(value.lstrip(_BLANK))
    value = value.strip(_BLANK)
    return Attribute(start, start + len(value), decode_attribute(value), one_line)


def _skip_raw_text(text: str, tag: str, start: int) -> int:
    closing = re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE).search(text, start)
    return len(text) if closing is None else closing.end()
