"""The table `opaque`: files of the sync target kept as they came."""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO, Final

from state.blobs import BlobStore
from state.errors import NotStored
from state.session import Row, Session
from state.values import OpaqueRow

OpaqueRows = list[OpaqueRow]

_SELECT: Final = (
    "SELECT path, opaque.sha256, size, mtime FROM opaque JOIN blob USING (sha256) WHERE target = ?"
)
_PUT: Final = (
    "INSERT INTO opaque (target, path, sha256, mtime) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (target, path) DO UPDATE SET sha256 = excluded.sha256, mtime = excluded.mtime"
)


class OpaqueStore:
    """The opaque files of one target, by path; a path is a plain string without meaning here."""

    def __init__(self, session: Session, blobs: BlobStore, target_id: int) -> None:
        self._session = session
        self._blobs = blobs
        self._target = target_id

    def get(self, path: str) -> OpaqueRow | None:
        """Return what is known of a file."""
        row = self._session.one(f"{_SELECT} AND path = ?", (self._target, path))
        return None if row is None else _opaque(row)

    def open(self, path: str) -> BinaryIO:
        """Open a file for reading; `NotStored` if there is none."""
        row = self.get(path)
        if row is None:
            raise NotStored(name=path)
        return self._blobs.open(row.sha256)

    def put(self, path: str, content: bytes | Path, mtime: float) -> None:
        """Store a file, or replace it. Large bytes are written before the lock is taken."""
        with self._blobs.prepared(content) as blob, self._session.transaction():
            self._blobs.record(blob)
            self._session.run(_PUT, (self._target, path, blob.sha256, mtime))

    def remove(self, path: str) -> bool:
        """Forget a file; tell whether it was there. `BlobStore.collect` frees its bytes."""
        sql = "DELETE FROM opaque WHERE target = ? AND path = ?"
        return self._session.run(sql, (self._target, path)) > 0

    def move(self, src: str, dst: str) -> bool:
        """Give a file another path, replacing what is there; tell whether `src` was there."""
        sql = "UPDATE OR REPLACE opaque SET path = ? WHERE target = ? AND path = ?"
        return self._session.run(sql, (dst, self._target, src)) > 0

    def list(self, prefix: str = "") -> OpaqueRows:
        """Return all files whose path begins with `prefix`, by path.

        Character for character: end the prefix with a slash to name a collection.
        """
        # U+10FFFF is the last code point there is, so this bound holds for every path.
        rows = self._session.all(
            f"{_SELECT} AND path >= ? AND path < ? ORDER BY path",
            (self._target, prefix, prefix + "\U0010ffff"),
        )
        return [_opaque(row) for row in rows]


def _opaque(row: Row) -> OpaqueRow:
    return OpaqueRow(path=row[0], sha256=row[1], size=row[2], mtime=row[3])
