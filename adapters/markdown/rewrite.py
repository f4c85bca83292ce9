"""Exchanging destinations in a text, and nothing else (R-F-52)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from adapters.markdown.document import find_html_links, find_links
from adapters.markdown.model import Link, LinkForm
from adapters.markdown.spelling import (
    Verbatim,
    autolink_as_inline,
    read_spelling,
    spell_destination,
    spelling_of,
)

_QUOTES_AND_BLANKS: Final = re.compile(r"[\"' \t]")
_TAG_PARTS: Final = re.compile(r"[<>=]")
# What reads the same in every place, wherever it was spelled.
_PLAIN: Final = re.compile(r"(?=[\w.:])[\w./:%#?+@,!$=*-]*[\w/]")

# A text full of odd places must not cost a parse for each of them.
_MOST_PARSES: Final = 32


class _Edit(NamedTuple):
    link: Link
    start: int
    end: int
    spelling: str
    form: LinkForm
    destination: str
    doubtful: bool
    """Whether it reads as meant is seen only by parsing again."""


def rewrite_links(
    text: str,
    exchange: Callable[[Link], str | None],
    *,
    links: Sequence[Link] | None = None,
) -> str:
    """Return `text` with the destinations that `exchange` gives; every other byte stays.

    `exchange` is asked once for each link, in order of place, and returns the new destination
    (unescaped) or None. None, and the destination the link has, leave its spelling alone.
    A `Verbatim` is no destination but a spelling. An autolink whose new destination has no
    scheme becomes an inline link; a link that cannot say its new destination where it stands
    is left alone.
    `links` are those found in this very `text`, where the caller has them already.
    """
    if links is None:
        links = find_links(text)
    tags = "<" in text
    edits = []
    for link in sorted(links, key=lambda each: each.start):
        destination = exchange(link)
        if destination is None:
            continue
        if isinstance(destination, Verbatim):
            edit = _verbatim_edit(text, link, destination, tags=tags)
        else:
            edit = _edit(text, link, destination, tags=tags)
        if edit is not None:
            edits.append(edit)
    doubtful = [edit for edit in edits if edit.doubtful]
    if doubtful:
        certain = [edit for edit in edits if not edit.doubtful]
        edits = _Proof(text, links).keep(certain, doubtful)
    return _apply(text, edits)


def _edit(text: str, link: Link, destination: str, *, tags: bool) -> _Edit | None:
    if destination == link.destination:
        return None
    try:
        spelling = spell_destination(destination, link)
    except ValueError:
        return _autolink_edit(text, link, destination)
    doubtful = _is_load_bearing(text, link, tags=tags) or (tags and spelling.startswith("<"))
    return _Edit(link, link.start, link.end, spelling, link.form, destination, doubtful)


def _verbatim_edit(text: str, link: Link, spelling: Verbatim, *, tags: bool) -> _Edit | None:
    old = spelling_of(text, link)
    if spelling == old:
        return None
    if link.form is LinkForm.AUTOLINK and not spelling.startswith("<"):
        return _edit(text, link, read_spelling(spelling, LinkForm.INLINE), tags=tags)
    doubtful = (
        _PLAIN.fullmatch(spelling) is None
        or (tags and link.angle)
        or _is_load_bearing(text, link, tags=tags)
    )
    start = link.start - 1 if link.angle else link.start
    destination = read_spelling(spelling, link.form)
    return _Edit(link, start, start + len(old), spelling, link.form, destination, doubtful)


def _is_load_bearing(text: str, link: Link, *, tags: bool) -> bool:
    """Tell whether the old spelling may keep something before it from being more than text.

    A quote, a blank or `=` in it can be why an earlier title, destination or tag has no end.
    """
    old = text[link.start : link.end]
    if _QUOTES_AND_BLANKS.search(old) is not None:
        return True
    return tags and _TAG_PARTS.search(old) is not None


def _autolink_edit(text: str, link: Link, destination: str) -> _Edit | None:
    start, end = link.start - 1, link.end + 1
    if link.form is not LinkForm.AUTOLINK or "\0" in destination:
        return None
    # Behind these a bracket would mean something else.
    if start > 0 and text[start - 1] in "!]^":
        return None
    spelling = autolink_as_inline(destination)
    return _Edit(link, start, end, spelling, LinkForm.INLINE, destination, doubtful=True)


def _apply(text: str, edits: Iterable[_Edit]) -> str:
    pieces = []
    done = 0
    for edit in edits:
        pieces += [text[done : edit.start], edit.spelling]
        done = edit.end
    pieces.append(text[done:])
    return "".join(pieces)


class _Proof:
    """Parses rewritten texts to see whether they read as meant."""

    def __init__(self, text: str, links: Sequence[Link]) -> None:
        self._text = text
        self._find = find_links
        self._before = find_links(text)
        if not set(links) <= set(self._before):
            self._find = find_html_links
            self._before = find_html_links(text)
        self._parses_left = _MOST_PARSES

    def keep(self, certain: list[_Edit], doubtful: list[_Edit]) -> list[_Edit]:
        """Return `certain` and those of `doubtful` that go with it, in order of place."""
        together = sorted([*certain, *doubtful], key=lambda edit: edit.start)
        if self._reads_as_meant(together):
            return together
        if len(doubtful) > 1:
            half = len(doubtful) // 2
            certain = self.keep(certain, doubtful[:half])
            certain = self.keep(certain, doubtful[half:])
        return certain

    def _reads_as_meant(self, edits: Sequence[_Edit]) -> bool:
        """Tell whether the links of the text stay, with the new destinations of `edits`."""
        if self._parses_left == 0:
            return False
        self._parses_left -= 1
        changed = {edit.link.start: (edit.form, edit.destination) for edit in edits}
        expected = [changed.get(link.start, (link.form, link.destination)) for link in self._before]
        found = self._find(_apply(self._text, edits))
        return expected == [(link.form, link.destination) for link in found]
