"""Request paths: decoded once, checked once, before anything looks at them (C001, C064)."""

from __future__ import annotations

import re

from davbridge.dav.errors import Environ, Refusal

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_CODED_SLASH = re.compile("%2f", re.IGNORECASE)


def decode_path(environ: Environ) -> str:
    """Return the path of a WSGI request as text, with single slashes.

    A final slash stays. Refused: 400 for what is no UTF-8, and for control characters,
    backslashes, coded slashes, `.` and `..`, which no client needs in a path.
    """
    try:
        path: str = environ.get("PATH_INFO", "").encode("latin-1").decode("utf-8")
    except UnicodeError:
        raise Refusal(400, "The address is not encoded as UTF-8.") from None
    if _CONTROL.search(path):
        raise Refusal(400, "The address holds a control character.")
    if "\\" in path or _CODED_SLASH.search(environ.get("REQUEST_URI", "").partition("?")[0]):
        raise Refusal(400, "The address holds a backslash or a slash inside a name.")
    if any(segment in (".", "..") for segment in path.split("/")):
        raise Refusal(400, 'The address holds "." or "..".')
    return re.sub("/{2,}", "/", path if path.startswith("/") else f"/{path}")
