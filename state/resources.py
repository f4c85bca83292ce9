"""The table `resource`: which resource of the repository is behind an attachment."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from state.session import Row, Session
from state.values import ResourceRow

_SELECT: Final = "SELECT id, resource_id, revision, size FROM resource WHERE target = ?"
_PUT: Final = (
    "INSERT INTO resource (target, id, resource_id, revision, size) VALUES (?, ?, ?, ?, ?)"
    " ON CONFLICT (target, id) DO UPDATE SET resource_id = excluded.resource_id,"
    " revision = excluded.revision, size = excluded.size"
)
_MOVE: Final = "UPDATE resource SET resource_id = ? WHERE target = ? AND id = ?"


class ResourceStore:
    """The attachments of one target. Two attachments may stand for one resource."""

    def __init__(self, session: Session, target_id: int) -> None:
        self._session = session
        self._target = target_id

    def get(self, item_id: str) -> ResourceRow | None:
        """Return what is behind the attachment `item_id`."""
        row = self._session.one(f"{_SELECT} AND id = ?", (self._target, item_id))
        return None if row is None else _resource(row)

    def by_resource(self, resource_id: str) -> ResourceRow | None:
        """Return the attachment that stands for a resource, the lowest id if there are several."""
        row = self._session.one(
            f"{_SELECT} AND resource_id = ? ORDER BY id LIMIT 1", (self._target, resource_id)
        )
        return None if row is None else _resource(row)

    def all(self) -> list[ResourceRow]:
        """Return all attachments, by id."""
        rows = self._session.all(f"{_SELECT} ORDER BY id", (self._target,))
        return [_resource(row) for row in rows]

    def put(self, row: ResourceRow) -> None:
        """Insert an attachment, or replace what is known of it."""
        values = (self._target, row.id, row.resource_id, row.revision, row.size)
        self._session.run(_PUT, values)

    def remove(self, item_id: str) -> bool:
        """Forget an attachment; tell whether it was there."""
        sql = "DELETE FROM resource WHERE target = ? AND id = ?"
        return self._session.run(sql, (self._target, item_id)) > 0

    def rekey(self, old_id: str, new_id: str) -> bool:
        """Give an attachment another id; tell whether it was there. `Conflict` if it is in use."""
        sql = "UPDATE resource SET id = ? WHERE target = ? AND id = ?"
        return self._session.run(sql, (new_id, self._target, old_id)) > 0

    def rebase(self, changes: Sequence[tuple[str, str]]) -> None:
        """Re-point attachments after (previous, current) resource ids changed, all at once.

        Swaps and chains are legal (R-C-44): every attachment moves by at most one change.
        """
        with self._session.transaction():
            # Read everything before the first write: nothing is moved twice.
            moves = [
                (current, self._target, row[0])
                for previous, current in changes
                for row in self._session.all(_SELECT_IDS, (self._target, previous))
            ]
            self._session.run_many(_MOVE, moves)


_SELECT_IDS: Final = "SELECT id FROM resource WHERE target = ? AND resource_id = ?"


def _resource(row: Row) -> ResourceRow:
    return ResourceRow(id=row[0], resource_id=row[1], revision=row[2], size=row[3])
