"""The table `waits`: which item waits for which other one to arrive."""

from __future__ import annotations

from collections.abc import Iterable

from state.session import Session


class WaitStore:
    """What the items of one target wait for; what is waited for need not be known yet."""

    def __init__(self, session: Session, target_id: int) -> None:
        self._session = session
        self._target = target_id

    def set(self, item_id: str, needs: Iterable[str]) -> None:
        """Let an item wait for exactly `needs`, whatever it waited for before."""
        rows = [(self._target, item_id, needs_id) for needs_id in dict.fromkeys(needs)]
        with self._session.transaction():
            self.clear(item_id)
            self._session.run_many("INSERT INTO waits VALUES (?, ?, ?)", rows)

    def clear(self, item_id: str) -> bool:
        """Let an item wait for nothing; tell whether it waited."""
        sql = "DELETE FROM waits WHERE target = ? AND item_id = ?"
        return self._session.run(sql, (self._target, item_id)) > 0

    def needs(self, item_id: str) -> list[str]:
        """Return what an item waits for, by id."""
        sql = "SELECT needs_id FROM waits WHERE target = ? AND item_id = ? ORDER BY needs_id"
        return [row[0] for row in self._session.all(sql, (self._target, item_id))]

    def waiting_for(self, needs_id: str) -> list[str]:
        """Return the items that wait for `needs_id`, by id."""
        sql = "SELECT item_id FROM waits WHERE target = ? AND needs_id = ? ORDER BY item_id"
        return [row[0] for row in self._session.all(sql, (self._target, needs_id))]
