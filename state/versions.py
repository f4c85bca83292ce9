"""The table `version`: every text that was replaced, for as long as it is kept."""

from __future__ import annotations

from state.blobs import BlobStore
from state.session import Row, Session
from state.values import VersionRow

VersionRows = list[VersionRow]


class VersionStore:
    """The earlier texts of one target's items; the bytes are read from `StateStore.blobs`."""

    def __init__(self, session: Session, blobs: BlobStore, target_id: int) -> None:
        self._session = session
        self._blobs = blobs
        self._target = target_id

    def add(
        self, item_id: str, raw: bytes, why: str, time: float, *, area: str | None = None
    ) -> None:
        """Keep a text that is being replaced."""
        sql = (
            "INSERT INTO version (target, item_id, area, sha256, time, why)"
            " VALUES (?, ?, ?, ?, ?, ?)"
        )
        with self._blobs.prepared(raw) as blob, self._session.transaction():
            self._blobs.record(blob)
            self._session.run(sql, (self._target, item_id, area, blob.sha256, time, why))

    def purge(self, before: float) -> int:
        """Forget all versions older than `before`, and return how many.

        `BlobStore.collect` frees their bytes.
        """
        sql = "DELETE FROM version WHERE target = ? AND time < ?"
        return self._session.run(sql, (self._target, before))

    def list(self, item_id: str) -> VersionRows:
        """Return the versions of an item, the newest first."""
        sql = (
            "SELECT id, item_id, sha256, time, why, area FROM version"
            " WHERE target = ? AND item_id = ? ORDER BY time DESC, id DESC"
        )
        return [_version(row) for row in self._session.all(sql, (self._target, item_id))]


def _version(row: Row) -> VersionRow:
    return VersionRow(
        id=row[0], item_id=row[1], sha256=row[2], time=row[3], why=row[4], area=row[5]
    )
