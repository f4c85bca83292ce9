"""Writing destinations so that they are read back as exactly what was meant.

A spelling must not only read right by itself. The text before it may hold something left open
(the quote of a tag or of a link's title, a comment), so no character that could close it is
written as it is; and a destination alone on its line must not open a block.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from markdown_it.common.html_blocks import block_names
from markdown_it.common.utils import unescapeAll

from adapters.markdown.html_tags import decode_attribute
from adapters.markdown.model import Link, LinkForm

_AUTOLINK: Final = re.compile(
    r"[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20\x7f<>\"'`|\\\[\]]*(?<![-?])"
)

# A quote before a letter (`it's.md`) closes nothing: after a title or an attribute a blank, a
# bracket or a slash would have to follow.
_REFERENCE: Final = re.compile(r"&(?=#?[A-Za-z0-9]+;)|[<>\"`|\n\r]|'(?!\w)")
_BARE_REFERENCE: Final = re.compile(_REFERENCE.pattern + r"|[ \t]")
_BACKSLASH: Final = re.compile(r"[\\()]")
# No reference stands for a control character (CommonMark 6.2): only `<...>` can hold it.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_BARE_BLOCK: Final = re.compile(
    r"(?:=+|-+|\*+|_+|\++|#{1,6}|[0-9]{1,9}[.)]|[:-]+)\Z|~~~|\[\^", re.DOTALL
)
_ANGLE_BLOCK: Final = re.compile(
    rf"[!?]|/?(?:{'|'.join(block_names)}|script|pre|style|textarea)(?=\s|/?\Z)", re.IGNORECASE
)
# What would end a comment, an instruction or a CDATA section together with the `>` behind it.
_ANGLE_END: Final = re.compile(r"[-?\]]\Z")
_ATTRIBUTE: Final = re.compile(r"[&<>\"'`|\[\]()\n\r\t\f]|\A | \Z")
_LABEL_REFERENCE: Final = re.compile(r"[&<>\"'`|]")
_LABEL_BACKSLASH: Final = re.compile(r"[\\\[\]*_~!^$]")

_NAMED: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
_PERCENT: Final = frozenset(' ()<>%#?\\`"|')


class Verbatim(str):
    """A spelling to be put in place as it is, its `<>` included, and those of the old one gone.

    With it a link gets back the spelling it once had (R-F-54), or loses brackets that some
    readers of Markdown do not understand: they find `](x)`, never `](<x>)`.
    """

    __slots__ = ()


def spelling_of(text: str, link: Link) -> Verbatim:
    """Return how `text` spells the destination of `link`, for use in another place."""
    around = 1 if link.angle else 0
    return Verbatim(text[link.start - around : link.end + around])


def read_spelling(spelling: str, form: LinkForm) -> str:
    """Return the destination that `spelling` stands for in a link of this `form`."""
    if form is LinkForm.HTML:
        return decode_attribute(spelling)
    inner = spelling[1:-1] if spelling.startswith("<") else spelling
    return inner if form is LinkForm.AUTOLINK else unescapeAll(inner)


def spell_destination(destination: str, link: Link) -> str:
    """Return the spelling that reads as `destination` in the place of `link`.

    It takes the place of `text[link.start:link.end]`; a bare one may bring its own `<>`.
    Raises `ValueError` for what cannot be written there: a NUL anywhere, and in an autolink
    everything without a scheme or with more than plain characters (`autolink_as_inline`).
    """
    if "\0" in destination:
        raise ValueError("a destination cannot hold a NUL")
    if link.form is LinkForm.HTML:
        return _ATTRIBUTE.sub(_reference, destination)
    if link.form is LinkForm.AUTOLINK:
        if _AUTOLINK.fullmatch(destination) is None:
            raise ValueError("an autolink cannot hold this destination")
        return destination
    return _spell_angle(destination) if link.angle else _spell_bare(destination)


def autolink_as_inline(destination: str) -> str:
    """Return the inline link that says what `<destination>` cannot, brackets included.

    A relative path has no scheme, so no autolink can point to it.
    """
    label = _LABEL_REFERENCE.sub(_reference, " ".join(destination.split()))
    label = _LABEL_BACKSLASH.sub(r"\\\g<0>", label)
    return f"[{label}]({_spell_bare(destination)})"


def _spell_angle(destination: str) -> str:
    text = _BACKSLASH.sub(r"\\\g<0>", _REFERENCE.sub(_reference, destination))
    if _ANGLE_BLOCK.match(destination):
        text = _refer(text[0]) + text[1:]
    return _ANGLE_END.sub(_reference, text)


def _spell_bare(destination: str) -> str:
    if not destination or _CONTROL.search(destination):
        return f"<{_spell_angle(destination)}>"
    text = _BACKSLASH.sub(r"\\\g<0>", _BARE_REFERENCE.sub(_reference, destination))
    if _BARE_BLOCK.match(destination):
        text = _refer(text[0]) + text[1:]
    return text


def _reference(match: re.Match[str]) -> str:
    return _refer(match.group())


def _refer(character: str) -> str:
    return _NAMED.get(character, f"&#{ord(character)};")


def encode_path(path: str) -> str:
    """Return a relative `path` percent-encoded for a destination (R-F-53).

    Only what a bare destination cannot hold or what means something in a URL is encoded;
    letters of all scripts stay readable.
    """
    first, slash, rest = path.partition("/")
    # RFC 3986, 4.2: a colon in the first segment would make the text before it a scheme.
    return _encode(first).replace(":", "%3A") + slash + _encode(rest)


def _encode(path: str) -> str:
    return "".join(_percent(c) if _needs_percent(c) else c for c in path)


def _needs_percent(character: str) -> bool:
    if character in _PERCENT:
        return True
    return unicodedata.category(character) in ("Cc", "Zs", "Zl", "Zp")


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())
