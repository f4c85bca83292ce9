"""The feed of changes: what happened, in order, and what that comes to for who asks later."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass

from adapters.contract import (
    Batch,
    KnowledgeAreaChange,
    KnowledgeResourceIdChange,
)
from adapters.memory.moves import compose_ids, compose_moves, follow


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one mutation, or one act of another program, did; `moved` comes before `touched`."""

    touched: tuple[str, ...] = ()
    moved: tuple[KnowledgeAreaChange, ...] = ()
    resource_ids: tuple[str, ...] = ()
    resource_id_changes: tuple[KnowledgeResourceIdChange, ...] = ()


class Journal:
    """Remembers every change since it began or last forgot."""

    def __init__(self, epoch: str) -> None:
        self._epoch = epoch
        self._first = 0
        self._changes: list[Change] = []
        self._condition = threading.Condition()

    def record(self, change: Change) -> None:
        """Add a change and wake who waits."""
        with self._condition:
            self._changes.append(change)
            self._condition.notify_all()

    def forget(self) -> None:
        """Lose the past: every cursor handed out before gives an incomplete batch."""
        with self._condition:
            self._first += len(self._changes) + 1
            self._changes = []
            self._condition.notify_all()

    def since(self, cursor: str | None) -> Batch:
        """Return what all changes after `cursor` come to."""
        with self._condition:
            current = f"{self._epoch}-{self._first + len(self._changes)}"
            known = self._position(cursor)
            later = () if known is None else tuple(self._changes[known:])
        if known is None:
            return Batch(cursor=current, complete=False)
        return combine(current, later)

    def wait(self, cursor: str, timeout: float) -> bool:
        """Block until something happened after `cursor`, at most `timeout` seconds."""
        with self._condition:
            return self._condition.wait_for(lambda: self._is_behind(cursor), timeout)

    def _is_behind(self, cursor: str) -> bool:
        return self._position(cursor) != len(self._changes)

    def _position(self, cursor: str | None) -> int | None:
        epoch, _, number = (cursor or "").rpartition("-")
        if epoch != self._epoch or not number.isdecimal():
            return None
        position = int(number) - self._first
        return position if 0 <= position <= len(self._changes) else None


def combine(cursor: str, changes: Sequence[Change]) -> Batch:
    """Return the one batch that stands for `changes`, with every path as it is at the end."""
    touched: dict[str, None] = {}
    moved: dict[str, str] = {}
    resource_ids: dict[str, None] = {}
    id_changes: dict[str, str] = {}
    for change in changes:
        steps = {move.previous_area: move.current_area for move in change.moved}
        touched = dict.fromkeys(follow(area, steps) for area in touched)
        compose_moves(moved, steps)
        touched.update(dict.fromkeys(change.touched))
        renamed = {
            c.previous_resource_id: c.current_resource_id for c in change.resource_id_changes
        }
        resource_ids = dict.fromkeys(renamed.get(known, known) for known in resource_ids)
        resource_ids.update(dict.fromkeys(change.resource_ids))
        compose_ids(id_changes, renamed)
    return Batch(
        cursor=cursor,
        complete=True,
        touched=tuple(touched),
        moved=tuple(KnowledgeAreaChange(old, new) for old, new in moved.items() if old != new),
        resource_ids=tuple(resource_ids),
        resource_id_changes=tuple(
            KnowledgeResourceIdChange(old, new) for old, new in id_changes.items() if old != new
        ),
    )
