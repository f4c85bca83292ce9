"""Segments of area paths (R-F-13): `Docs` a document, `Docs~` a directory, `Docs~2` a double."""

from __future__ import annotations

import functools
import re
from typing import Final

# What R-C-06 (without "&", MODEL section 1) keeps out of a segment, and our two signs.
_CODED: Final = re.compile(r"[\s\x00-\x1f\x7f-\x9f<>()\[\]{}\"'`\\^|#?&/%~]")


@functools.lru_cache(maxsize=65536)
def encode_segment(name: str) -> str:
    """Return `name` with everything percent-encoded that a segment or our signs need."""
    if not name.strip("."):
        return name.replace(".", "%2E")
    return _CODED.sub(_percent, name)


def document_segment(name: str, number: int) -> str:
    """Return the segment of the `number`-th document, or heading, of that name."""
    return encode_segment(name) + (f"~{number}" if number > 1 else "")


def directory_segment(name: str, number: int) -> str:
    """Return the segment of the `number`-th directory of that name."""
    return document_segment(name, number) + "~"


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode())
