"""`info.json`: what a target says of itself, and what a client says of encryption (FORMAT 2.1)."""

from __future__ import annotations

import json
from typing import Any, Final

from davbridge.joplin.items import ItemError

_INITIAL: Final[dict[str, Any]] = {
    "version": 3,
    "e2ee": {"value": False, "updatedTime": 0},
    "activeMasterKeyId": {"value": "", "updatedTime": 0},
    "masterKeys": [],
    "ppk": {"value": None, "updatedTime": 0},
    "appMinVersion": "3.0.0",
}


def initial_sync_info() -> bytes:
    """Return what client 3.5.1 writes to a new target, byte for byte.

    A target that offers it from the start needs no set-up by clients (PROTOCOL 3, case c).
    """
    return json.dumps(_INITIAL, indent="\t").encode()


def refuses_encryption(body: bytes) -> bool:
    """Tell whether an uploaded `info.json` switches end-to-end encryption on.

    Raises `ItemError` for what would stop the sync of every client: no JSON, or no version.
    """
    try:
        info = json.loads(body.decode())
    except (ValueError, RecursionError):
        raise ItemError("The uploaded info.json is not JSON.") from None
    if not isinstance(info, dict) or not _is_version(info.get("version")):
        raise ItemError("The uploaded info.json names no version.")
    encryption = info.get("e2ee")
    return isinstance(encryption, dict) and bool(encryption.get("value"))


def _is_version(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
