"""Names for files, made from what clients call notes, notebooks and attachments."""

from __future__ import annotations

import hashlib
import mimetypes
import re
import unicodedata
from collections.abc import Iterator
from itertools import islice
from typing import Final

UNTITLED: Final = "Untitled"

_MAX_BYTES: Final = 200
"""Leaves room below the 240 bytes of R-F-12 for an extension and a few coded characters."""
_MAX_LINE_BYTES: Final = 80
"""A first line stands for a title; a whole paragraph would be no name."""
_TRIES: Final = 64

_UNFRIENDLY: Final = re.compile(r"[/<>:'\"\\|?*#\x00-\x1f]")
_RESERVED: Final = frozenset({".", "..", "CON", "PRN", "AUX", "NUL"}) | {
    f"{port}{number}" for port in ("COM", "LPT") for number in range(1, 10)
}


def friendly_file_name(title: str) -> str:
    """Return the name, without extension, under which Joplin's export files a title.

    As client 3.5.1 makes it, to recognise its exports (FORMAT 6.3): 50 UTF-16 units at most,
    so a blank may end it, and a halved character is what stands on disk for one.
    """
    name = _UNFRIENDLY.sub("_", title)
    if name.upper() in _RESERVED:
        name = "___"
    name = name.rstrip(" .").lstrip(" ")
    units = name.encode("utf-16-le", "surrogatepass")[:100]
    return units.decode("utf-16-le", "replace") or UNTITLED


def note_name_candidates(title: str, body: str = "") -> Iterator[str]:
    """Yield up to 64 different names to try for a new note or notebook, the nearest first.

    The title as it is (a line feed as a blank, cut to 200 bytes), then without outer blanks and
    controls; of an empty one, the first text line of `body`, else "Untitled". Then with ` (2)`,
    ` (3)`, ` (5)`, ` (9)` and so on; then with long numbers that depend on title and body, so
    that a thousand notes of one title stay cheap. The same arguments give the same names.
    """
    return islice(_names(title, body), _TRIES)


def _names(title: str, body: str) -> Iterator[str]:
    clean = _clean(title) or _clean(_first_line(body)) or UNTITLED
    exact = _cut(title.replace("\r\n", " ").replace("\n", " "), _MAX_BYTES)
    name = _cut(clean, _MAX_BYTES).rstrip() or UNTITLED
    if exact != name and _clean(title):
        yield exact
    yield name
    for number in _numbers(f"{title}\n{body}"):
        suffix = f" ({number})"
        yield _cut(clean, _MAX_BYTES - len(suffix)).rstrip() + suffix


def _numbers(seed: str) -> Iterator[int]:
    last = 2
    while last < 5_000:
        yield last
        last = 2 * last - 1 if last > 2 else 3
    digest = hashlib.sha256(seed.encode("utf-8", "replace"))
    while True:
        digest.update(b"+")
        yield 10_000_000 + int.from_bytes(digest.digest()[:4], "big") % 90_000_000


def _clean(text: str) -> str:
    """Return the text on one line, without controls and outer white space."""
    kept = (_as_blank(char) for char in text)
    return "".join(kept).strip()


def _as_blank(char: str) -> str:
    category = unicodedata.category(char)
    if category in ("Cc", "Zl", "Zp"):
        return " " if char.isspace() else ""
    return "" if category == "Cs" else char


_FENCE: Final = re.compile(r"\s*(?:```|~~~)")
_FRONT_MATTER: Final = re.compile(r"---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|$)", re.DOTALL)
_BLOCK_MARK: Final = re.compile(
    r"\s*(?:#{1,6}(?=\s|$)|>|[-+*](?=\s)|\d{1,9}[.)](?=\s)|\[[ xX]\](?=\s))"
)
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_INLINE_MARK: Final = re.compile(r"<[^<>]*>|[*`]+|~~|(?<!\w)_+|_+(?!\w)|\\(?=[^\w\s])|\s#+\s*$")


def _first_line(body: str) -> str:
    """Return the first line of a Markdown text that says something, without Markdown marks."""
    # A name needs few lines; a large body without text is not worth a search.
    for line in _FRONT_MATTER.sub("", body[:20_000], count=1).split("\n"):
        if _FENCE.match(line):
            continue
        while mark := _BLOCK_MARK.match(line):
            line = line[mark.end() :]
        text = _clean(_INLINE_MARK.sub("", _LINK.sub(r"\1", line)))
        if any(char.isalnum() for char in text):
            return _cut(text, _MAX_LINE_BYTES)
    return ""


def _cut(text: str, limit: int) -> str:
    """Return the longest start of `text` within `limit` UTF-8 bytes that halves no character."""
    if len(text.encode("utf-8", "replace")) <= limit:
        return text
    end = len(text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore"))
    whole = end
    while whole > 0 and not _is_boundary(text, whole):
        whole -= 1
    return text[: whole or end]


_JOINER: Final = "\u200d"


def _is_boundary(text: str, at: int) -> bool:
    """Tell whether what a reader sees as one character ends before `at`."""
    before, after = text[at - 1], text[at]
    if after == _JOINER or before == _JOINER or unicodedata.category(after)[0] == "M":
        return False
    if "\U0001f3fb" <= after <= "\U0001f3ff" or "\U000e0020" <= after <= "\U000e007f":
        return False  # skin tones, and the tags that make flags of regions
    if "\u1160" <= after <= "\u11ff" and "\u1100" <= before <= "\ud7a3":
        return False  # vowels and finals of a Hangul syllable
    if not (_is_regional(before) and _is_regional(after)):
        return True
    flags = at
    while flags > 0 and _is_regional(text[flags - 1]):
        flags -= 1
    return (at - flags) % 2 == 0


def _is_regional(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


_GENERATED: Final = re.compile(r"[0-9a-fA-F]{32}")
_EXTENSION: Final = re.compile(r"[0-9A-Za-z]{1,20}")
_TYPES: Final = mimetypes.MimeTypes(filenames=())


def resource_file_name(
    title: str, filename: str, file_extension: str, mime: str, item_id: str
) -> str:
    """Return a file name to suggest for an attachment, or "" if the client says none.

    Its `filename` if that means something, else its title if that is a file's name, as for
    every attached file; directory parts dropped. An id, an extension alone, or the 32 digits of
    a pasted picture mean nothing (R-J-71).
    """
    stem, extension = _parts(filename)
    if _means_something(stem, item_id) and stem.lower() != file_extension.lower():
        suffix = extension or _valid_extension(file_extension)
        return _joined(stem, suffix)
    stem, extension = _parts(title)
    if _means_something(stem, item_id) and _fits(extension, file_extension, mime):
        return _joined(stem, extension)
    return ""


def _parts(name: str) -> tuple[str, str]:
    """Return stem and extension of the last part of a path of any system."""
    plain = _clean(re.split(r"[/\\]", name)[-1])
    stem, dot, extension = plain.rpartition(".")
    if dot and not extension:
        return stem.rstrip(". "), ""
    if not dot or not _valid_extension(extension):
        return plain, ""
    return stem, extension


def _valid_extension(extension: str) -> str:
    return extension if _EXTENSION.fullmatch(extension) else ""


def _means_something(stem: str, item_id: str) -> bool:
    if not any(char.isalnum() for char in stem):
        return False
    return stem.lower() != item_id.lower() and not _GENERATED.fullmatch(stem)


def _fits(extension: str, file_extension: str, mime: str) -> bool:
    """Tell whether a title ends in an extension, and not in a full stop of its text."""
    if not extension:
        return False
    known = file_extension.lower().removeprefix(".")
    guessed = _TYPES.guess_type(f"x.{extension}")[0]
    return not known or extension.lower() == known or (guessed is not None and guessed == mime)


def _joined(stem: str, extension: str) -> str:
    suffix = f".{extension}" if extension else ""
    return _cut(stem, _MAX_BYTES - len(suffix)).rstrip() + suffix
