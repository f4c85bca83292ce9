"""What was learned of documents in earlier runs, kept in an index store (MODEL 1)."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Final

from adapters.contract import IndexRow, IndexStore
from adapters.filebased.difference import Difference
from adapters.filebased.facts import dump, load
from adapters.filebased.snapshot import Facts, File, Stamp, walk_files

log = logging.getLogger(__name__)

_FORMAT: Final = 1


class LearnedFacts:
    """Facts of documents by path, valid while a file has the stamp it was read under."""

    def __init__(self, store: IndexStore | None) -> None:
        self._store = store
        self._namespace = ""
        self._rows: dict[str, IndexRow] = {}
        self._changed: dict[str, IndexRow | None] = {}

    def open(self, identity: tuple[int, int] | None) -> None:
        """Load what is known of the root with that device and inode."""
        if self._store is None or identity is None:
            return
        self._namespace = f"filebased/{_FORMAT}/{identity[0]}/{identity[1]}"
        self._rows = {row.key: row for row in self._store.load(self._namespace)}
        self._changed = {}

    def find(self, path: str, stamp: Stamp) -> Facts | None:
        """Return the facts of the file at `path` if they were read under this stamp."""
        row = self._rows.get(path)
        if row is None or row.revision != _spell(stamp):
            return None
        try:
            return load(row.value)
        except ValueError:
            return None

    def note(self, found: Sequence[Difference]) -> None:
        """Remember what changed, for the next `save`."""
        if self._store is None:
            return
        for path, before, after in found:
            if before is not None:
                self._changed |= {p: None for p, f in walk_files(before, path) if f.facts}
            if after is not None:
                for file_path, file in walk_files(after, path):
                    self._note_file(file_path, file)

    def _note_file(self, path: str, file: File) -> None:
        if file.facts is None or file.is_young:
            return
        known = self._rows.get(path)
        revision = _spell(file.stamp)
        if known is not None and known.revision == revision:
            self._changed.pop(path, None)
            return
        self._changed[path] = IndexRow(path, revision, dump(file.facts))

    def save(self) -> None:
        """Hand everything noted to the store."""
        if self._store is None or not self._changed:
            return
        changed, self._changed = self._changed, {}
        rows = [row for row in changed.values() if row is not None]
        self._store.save(
            self._namespace, rows, [path for path, row in changed.items() if row is None]
        )
        self._rows |= {row.key: row for row in rows}
        for path, row in changed.items():
            if row is None:
                self._rows.pop(path, None)


def _spell(stamp: Stamp) -> str:
    return "-".join(map(str, stamp))
