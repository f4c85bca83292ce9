"""The table `finding`: what a person should know of, or has to confirm."""

from __future__ import annotations

from state.session import Row, Session
from state.values import FindingRow

Findings = list[FindingRow]


class FindingStore:
    """The findings of one target.

    A finding is open until it is confirmed or removed. A confirmation holds until the finding is
    removed, also when the same finding is added again.
    """

    def __init__(self, session: Session, target_id: int) -> None:
        self._session = session
        self._target = target_id

    def add(self, item_id: str | None, code: str, detail: str, time: float) -> None:
        """Report something about an item, or the target as a whole.

        The same open finding, by item and code, is replaced and not repeated.
        """
        sql = (
            "INSERT INTO finding (target, item_id, code, detail, time) VALUES (?, ?, ?, ?, ?)"
            " ON CONFLICT (target, item_id, code, confirmed)"
            " DO UPDATE SET detail = excluded.detail, time = excluded.time"
        )
        self._session.run(sql, (self._target, item_id or "", code, detail, time))

    def remove(self, item_id: str | None, code: str) -> bool:
        """Forget a finding, confirmed or not; tell whether there was one."""
        sql = "DELETE FROM finding WHERE target = ? AND item_id = ? AND code = ?"
        return self._session.run(sql, (self._target, item_id or "", code)) > 0

    def confirm(self, code: str) -> int:
        """Confirm all open findings with this code and return how many there were."""
        sql = (
            "UPDATE OR REPLACE finding SET confirmed = 1"
            " WHERE target = ? AND code = ? AND confirmed = 0"
        )
        return self._session.run(sql, (self._target, code))

    def confirmed(self, code: str) -> bool:
        """Tell whether a person confirmed a finding with this code."""
        sql = "SELECT 1 FROM finding WHERE target = ? AND code = ? AND confirmed = 1 LIMIT 1"
        return self._session.one(sql, (self._target, code)) is not None

    def list(self) -> Findings:
        """Return all findings, the oldest first."""
        sql = (
            "SELECT id, item_id, code, detail, time, confirmed FROM finding"
            " WHERE target = ? ORDER BY time, id"
        )
        return [_finding(row) for row in self._session.all(sql, (self._target,))]


def _finding(row: Row) -> FindingRow:
    return FindingRow(
        id=row[0],
        item_id=row[1] or None,
        code=row[2],
        detail=row[3],
        time=row[4],
        confirmed=bool(row[5]),
    )
