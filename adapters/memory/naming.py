"""From names to segments of area paths: literal, or tokens nobody can read anything from."""

from __future__ import annotations

from hashlib import blake2b

from adapters.contract import is_area


def encode_name(name: str) -> str:
    """Return `name` with everything percent-encoded that a segment cannot hold, `%` and `~` too."""
    if not name.strip("."):
        return name.replace(".", "%2E")
    return "".join(
        char if char not in "%~" and is_area("/" + char) else _percent(char) for char in name
    )


def _percent(char: str) -> str:
    return "".join(f"%{byte:02X}" for byte in char.encode())


class Naming:
    """Makes segments; the same name at the same place always gives the same one."""

    def __init__(self, salt: str | None) -> None:
        self._salt = salt

    def segment(self, name: str, within: str, *, marker: str = "") -> str:
        """Return the segment of `name` below `within`; `marker` keeps kinds and doubles apart."""
        plain = encode_name(name) + marker
        if self._salt is None:
            return plain
        seed = "\0".join((self._salt, within, plain))
        return blake2b(seed.encode(), digest_size=8).hexdigest()
