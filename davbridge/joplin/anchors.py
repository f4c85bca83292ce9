"""The anchors Joplin gives to headings, and their spelling in a link (FORMAT 4.2)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final
from urllib.parse import quote

_KEPT: Final = frozenset("-_~")
_COMMA_AND_STOP: Final = frozenset("\u3001\u3002")
_VARIATION: Final = re.compile(r"[\u20e3\ufe0f]")
_RUN: Final = re.compile(r"[ -]+")


def joplin_slugs(names: Iterable[str]) -> tuple[str, ...]:
    """Return the anchor of each heading of one note, by their plain names in document order.

    A slug already taken gets `-2`, `-3` and so on, skipping those taken. Exact but for emoji:
    clients put a short name in their place ("rocket"), here they vanish.
    """
    taken: dict[str, int] = {}
    slugs = []
    for name in names:
        slug = base = _slug(name)
        while slug in taken:
            taken[base] += 1
            slug = f"{base}-{taken[base]}"
        taken[slug] = 1
        slugs.append(slug)
    return tuple(slugs)


def _slug(name: str) -> str:
    # What makes an emoji of a sign or a digit vanishes with the emoji.
    text = unicodedata.normalize("NFKC", _VARIATION.sub("", name))
    return _RUN.sub("-", "".join(map(_kept, text)).strip(" ")).lower()


def _kept(char: str) -> str:
    """Return what stays of one character of a heading."""
    if char > "\uffff":
        return ""  # Clients look at halves of surrogate pairs, which are no letters.
    category = unicodedata.category(char)[0]
    if category in "LNM" or char in _KEPT:
        return char
    return " " if category == "Z" or char in _COMMA_AND_STOP else ""


_READABLE: Final = frozenset("-_~.!$&*,;=:@/?")
_UNSAFE: Final = frozenset("CZ")


def encode_anchor(anchor: str) -> str:
    """Return a plain anchor as it stands after `#` in a `:/id` link.

    Clients break on a bare `%`, read `+` as a blank and end a link at a blank or parenthesis
    (FORMAT 4.1); letters of all scripts stay readable.
    """
    return "".join(map(_encoded, anchor))


def _encoded(char: str) -> str:
    if char.isascii():
        return char if char.isalnum() or char in _READABLE else quote(char, safe="")
    return quote(char, errors="replace") if unicodedata.category(char)[0] in _UNSAFE else char
