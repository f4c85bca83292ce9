"""Request paths: decoded once, checked once, before anything looks at them (C001, C064)."""

from __future__ import annotations

import re

from davbridge.dav.errors import Refusal

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


def decode_path(raw: str) -> str:
    """Return the path of a WSGI request as text, with single slashes.

    `raw` is WSGI's: bytes as Latin-1. A final slash stays. Refused: 400 for what is no UTF-8,
    and for control characters, `.` and `..`, which no client needs in a path.
    """
    try:
        path = raw.encode("latin-1").decode("utf-8")
    except UnicodeError:
        raise Refusal(400, "The address is not encoded as UTF-8.") from None
    if _CONTROL.search(path):
        raise Refusal(400, "The address holds a control character.")
    if any(segment in (".", "..") for segment in path.split("/")):
        raise Refusal(400, 'The address holds "." or "..".')
    return re.sub("/{2,}", "/", path if path.startswith("/") else f"/{path}")
