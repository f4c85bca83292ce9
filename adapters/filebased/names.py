"""From names people use to file names every file system accepts, and back (R-F-10..16)."""

from __future__ import annotations

import functools
import re
import unicodedata
from typing import Final

DOCUMENT_SUFFIX: Final = ".md"
"""What new documents get."""
DOCUMENT_SUFFIXES: Final = (".md", ".markdown")
LONGEST: Final = 240
"""Bytes of a file name, so that a temporary name beside it still fits (R-F-12)."""
TEMPORARY_PREFIX: Final = ".davbridge-"
PRIVATE_DIRECTORY: Final = ".davbridge"
JUNK: Final = frozenset({".ds_store", "thumbs.db", "desktop.ini"})

_OWNED: Final = re.compile(r"(?P<stem>.+)\.Res(?P<token>[0-9]+)(?P<suffix>\.[^.]+(?:\.bin)?)")

# R-F-11. Codes are read where they would have been written and nowhere else, so a file that
# is really called `a%20b.md` shows as `a%20b`.
_UNSAFE: Final = re.compile(r"[\x01-\x1f\x7f/\\:*?\"<>|]")
_UNSAFE_CODE: Final = r"(?:[01][0-9A-F]|7F|2F|5C|3A|2A|3F|22|3C|3E|7C)(?<!00)"
_DEVICES: Final = ("CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "COM[0-9]", "LPT[0-9]")
_DEVICE: Final = re.compile(rf"(?i:{'|'.join(_DEVICES).replace('$', '[$]')})(?= *(?:\.|\Z))")
_DEVICE_CODE: Final = "|".join(
    rf"(?:{ord(d[0]):02X}|{ord(d[0].lower()):02X})(?i:{d[1:].replace('$', '[$]')})"
    for d in _DEVICES
)
_START_CODE: Final = rf"(?:2E|(?:{_DEVICE_CODE})(?= *(?:\.|%2E\Z|%20\Z|\Z)))"
_END_CODE: Final = r"(?:2E|20)\Z"


def _percents(end: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what finds a `%` that reads as a code, and what finds a code."""
    anywhere = rf"{_UNSAFE_CODE}|{_END_CODE}" if end else _UNSAFE_CODE
    percent = rf"%(?=(?:25)*(?:{anywhere}))|\A%(?=(?:25)*{_START_CODE})"
    code = (
        rf"%(?P<char>{anywhere})|\A(?=%{_START_CODE})%(?P<first>..)"
        rf"|%25(?=(?:25)*(?:{anywhere}))|\A%25(?=(?:25)*{_START_CODE})"
    )
    return re.compile(percent), re.compile(code)


_PERCENTS: Final = {end: _percents(end) for end in (False, True)}


def _code(text: str) -> str:
    return f"%{ord(text):02X}"


def encode_name(name: str, *, end: bool) -> str:
    """Return the file name, or with `end` off its stem, that stands for `name`."""
    coded = _PERCENTS[end][0].sub("%25", name)
    if coded[:1] == ".":
        coded = _code(".") + coded[1:]
    elif _DEVICE.match(coded):
        coded = _code(coded[0]) + coded[1:]
    if end and len(coded) > 1 and coded[-1] in ". ":
        coded = coded[:-1] + _code(coded[-1])
    elif end and coded == " ":
        coded = _code(" ")
    return _UNSAFE.sub(lambda match: _code(match[0]), coded)


def decode_name(coded: str, *, end: bool) -> str:
    """Return the name a file name or stem stands for; one that is no code stands for itself."""
    if "%" not in coded:
        return coded

    def decode(match: re.Match[str]) -> str:
        digits = match["char"] or match["first"]
        return chr(int(digits, 16)) if digits else "%"

    name = _PERCENTS[end][1].sub(decode, coded)
    return name if name not in ("", ".", "..") and encode_name(name, end=end) == coded else coded


def normal(text: str) -> str:
    """Return `text` in the form names are created in and compared by (R-F-14)."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def name_key(name: str) -> str:
    """Return what two names that must not stand side by side have in common (R-F-15)."""
    return normal(normal(name).casefold())


@functools.lru_cache(maxsize=65536)
def display_name(file_name: str, *, is_document: bool) -> str:
    """Return what people call the document or directory `file_name`."""
    if is_document:
        return normal(decode_name(split_suffix(file_name)[0], end=False))
    return normal(decode_name(file_name, end=True))


@functools.lru_cache(maxsize=65536)
def natural_key(name: str) -> tuple[tuple[str | int, ...], str]:
    """Return what sorts names without case and with numbers as numbers (R-F-03)."""
    parts = re.split(r"([0-9]+)", name.casefold())
    return tuple(int(p) if i % 2 else p for i, p in enumerate(parts)), name


def split_suffix(file_name: str) -> tuple[str, str]:
    """Return the stem of a document's file name and its suffix as spelled."""
    for suffix in DOCUMENT_SUFFIXES:
        if file_name.lower().endswith(suffix) and len(file_name) > len(suffix):
            return file_name[: -len(suffix)], file_name[-len(suffix) :]
    return file_name, ""


def is_document_name(file_name: str) -> bool:
    """Tell whether a regular file of that name is a document."""
    return bool(split_suffix(file_name)[1]) and _OWNED.fullmatch(file_name) is None


def is_exposed_name(file_name: str) -> bool:
    """Tell whether anything of that name is shown at all (R-F-80)."""
    if not file_name or file_name.startswith(".") or "\0" in file_name:
        return False
    try:
        file_name.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_name(name: str) -> bool:
    """Tell whether an area can be called `name` at all."""
    if not name or name in (".", "..") or "\0" in name:
        return False
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def owned_token(file_name: str, stem: str) -> tuple[str, str] | None:
    """Return token and suffix of a file that belongs to the document `stem` (R-F-42)."""
    match = _OWNED.fullmatch(file_name)
    if match is None or match["stem"] != stem:
        return None
    return match["token"], match["suffix"]


def owned_name(stem: str, token: str, suffix: str) -> str:
    """Return the name of a file that belongs to the document `stem`."""
    return f"{stem}.Res{token}{suffix}"


def is_owned_name(file_name: str) -> bool:
    """Tell whether a file of that name belongs to some document."""
    return _OWNED.fullmatch(file_name) is not None


def join(directory: str, name: str) -> str:
    """Return the path of `name` in a directory; both are relative to the root, which is `""`."""
    return f"{directory}/{name}" if directory else name


def parent_of(path: str) -> str:
    """Return the directory that holds `path`."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """Return the last part of `path`."""
    return path.rpartition("/")[2]


def is_below(path: str, top: str) -> bool:
    """Tell whether `path` is `top` or lies below it."""
    return not top or path == top or path.startswith(top + "/")


def rebase(path: str, previous: str, current: str) -> str:
    """Return where `path` is after `previous` became `current`."""
    return current + path[len(previous) :] if is_below(path, previous) else path
