"""What was removed and can be had back: `.davbridge/trash/<UTC stamp>-<token>/` (R-F-66).

An entry holds a note of what it was and, under `files`, everything at its former path.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from adapters.contract import TrashEntry
from adapters.filebased import names
from adapters.filebased.disk import Disk

TRASH: Final = f"{names.PRIVATE_DIRECTORY}/trash"

_NOTE: Final = "note.json"
_FILES: Final = "files"
_TOKEN: Final = re.compile(r"[0-9]{8}T[0-9]{6}Z-[A-Za-z0-9_-]+")


class TrashCan:
    """The trash of one root."""

    def __init__(self, disk: Disk) -> None:
        self._disk = disk

    def new(self, name: str, paths: Sequence[str], time: datetime, token: str) -> str:
        """Make an entry that is ready to take `paths`, and return its token."""
        token = f"{time.astimezone(UTC):%Y%m%dT%H%M%SZ}-{token}"
        note = {"name": name, "paths": list(paths), "time": time.isoformat()}
        for path in paths:
            self._disk.make_private(names.parent_of(self.place(token, path)))
        content = io.BytesIO(json.dumps(note, ensure_ascii=False).encode())
        temporary = self._disk.temporary(f"{TRASH}/{token}", content)
        self._disk.replace(temporary, f"{TRASH}/{token}/{_NOTE}")
        return token

    def place(self, token: str, path: str) -> str:
        """Return where an entry keeps `path`."""
        return f"{TRASH}/{token}/{_FILES}/{path}"

    def paths(self, token: str) -> tuple[str, ...]:
        """Return what an entry holds, by former path; nothing if there is no such entry."""
        note = self._note(token)
        paths = [str(path) for path in note.get("paths", ())] if note else []
        return tuple(
            p for p in paths if self._is_path(p) and self._disk.exists(self.place(token, p))
        )

    def is_directory(self, token: str, path: str) -> bool:
        """Tell whether what an entry keeps at `path` is a directory."""
        return (self._disk.root / self.place(token, path)).is_dir()

    def entries(self) -> Iterator[TrashEntry]:
        """Yield what can be restored, oldest first."""
        for token in self._tokens():
            note = self._note(token)
            if note is not None and self.paths(token):
                yield TrashEntry(
                    token=token,
                    name=str(note["name"]),
                    time=datetime.fromisoformat(str(note["time"])),
                )

    def tidy_all(self) -> None:
        """Remove every entry that holds nothing, such as one whose removal never came to be."""
        for token in self._tokens():
            self.tidy(token)

    def _tokens(self) -> list[str]:
        try:
            return sorted(os.listdir(self._disk.root / TRASH))  # noqa: PTH208
        except OSError:
            return []

    def tidy(self, token: str) -> None:
        """Remove an entry that holds nothing any more, and the trash when that is empty."""
        if self.paths(token) or _TOKEN.fullmatch(token) is None:
            return
        if any(files for _, _, files in os.walk(self._disk.root / TRASH / token / _FILES)):
            return
        self._disk.discard_tree(f"{TRASH}/{token}")
        self._disk.remove_empty(TRASH, up_to="")

    def _note(self, token: str) -> dict[str, Any] | None:
        if _TOKEN.fullmatch(token) is None:
            return None
        try:
            note = json.loads((self._disk.root / TRASH / token / _NOTE).read_bytes())
        except (OSError, ValueError):
            return None
        return note if isinstance(note, dict) and {"name", "paths", "time"} <= set(note) else None

    @staticmethod
    def _is_path(path: str) -> bool:
        return bool(path) and all(map(names.is_exposed_name, path.split("/")))
