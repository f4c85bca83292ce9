"""Writing destinations so that they are read back as exactly what was meant."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from adapters.markdown.model import Link, LinkForm

AUTOLINK: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,31}:[^\x00-\x20\x7f<>\"'`|\\\[\]]*")
"""Destinations that `<...>` can hold wherever it stands, a cell of a table included."""

# A quote before a letter (`it's.md`) can close nothing that began earlier in the paragraph;
# any other could end the title of a link or the attribute of a tag that was left open.
_REFERENCE: Final = re.compile(r"&(?=#?[A-Za-z0-9]+;)|[<>\"`\n\r]|'(?!\w)")
_BARE_REFERENCE: Final = re.compile(_REFERENCE.pattern + r"|[ \t]")
_BACKSLASH: Final = re.compile(r"[\\()|]")
# No reference stands for a control character (CommonMark 6.2), only `<...>` can hold it.
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
# Alone on its line such a destination would open a block of its own.
_BLOCK_START: Final = re.compile(r"=+|-+|\*+|_+|\++|#{1,6}|~~~.*|[0-9]{1,9}[.)]|[:|-]+")
_ATTRIBUTE: Final = re.compile(r"[&<>\"'`|\[\]()\n\r\t]|^ | $")
_PERCENT: Final = frozenset(' ()<>%#?\\`"|')


def spell_destination(destination: str, link: Link) -> str:
    """Return the spelling that reads as `destination` in the place of `link`.

    It takes the place of `text[link.start:link.end]`. Raises `ValueError` for what cannot be
    written there: a NUL anywhere, and in an autolink all that is not a scheme and a plain text.
    """
    if "\0" in destination:
        raise ValueError("a destination cannot hold a NUL")
    if link.form is LinkForm.HTML:
        return _ATTRIBUTE.sub(_numeric, destination)
    if link.form is LinkForm.AUTOLINK:
        if AUTOLINK.fullmatch(destination) is None:
            raise ValueError("not a destination that an autolink can hold")
        return destination
    return spell_angle(destination) if link.angle else spell_bare(destination)


def spell_angle(destination: str) -> str:
    """Return the spelling of `destination` between `<` and `>`."""
    return _BACKSLASH.sub(r"\\\g<0>", _REFERENCE.sub(_numeric, destination))


def spell_bare(destination: str) -> str:
    """Return the spelling of `destination` without brackets, or with them where it must be."""
    if not destination or _CONTROL.search(destination):
        return f"<{spell_angle(destination)}>"
    text = _BACKSLASH.sub(r"\\\g<0>", _BARE_REFERENCE.sub(_numeric, destination))
    if _BLOCK_START.fullmatch(destination) and text == destination:
        return f"&#{ord(text[0])};{text[1:]}"
    return text


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


def _numeric(match: re.Match[str]) -> str:
    return _NAMED.get(match.group(), f"&#{ord(match.group())};")


_NAMED: Final = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
