"""The feed of changes: what happened, in order, and what that comes to for who asks later."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from adapters.contract import (
    Batch,
    KnowledgeAreaChange,
    KnowledgeResourceIdChange,
    is_same_or_descendant,
    rebase_area,
)


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
        for move in change.moved:
            touched = dict.fromkeys(
                rebase_area(area, move.previous_area, move.current_area) for area in touched
            )
            if not _compose_move(moved, move.previous_area, move.current_area):
                touched[move.current_area] = None
        for id_change in change.resource_id_changes:
            _compose_id(id_changes, id_change)
        touched.update(dict.fromkeys(change.touched))
        resource_ids.update(dict.fromkeys(change.resource_ids))
    return Batch(
        cursor=cursor,
        complete=True,
        touched=tuple(touched),
        moved=tuple(_moves(moved.items())),
        resource_ids=tuple(resource_ids),
        resource_id_changes=tuple(
            KnowledgeResourceIdChange(old, new) for old, new in id_changes.items() if old != new
        ),
    )


def _compose_move(moved: dict[str, str], previous: str, current: str) -> bool:
    """Add a move to those before it; tell whether it could be traced to where it began."""
    origin = _origin(moved, previous)
    for start, end in moved.items():
        moved[start] = rebase_area(end, previous, current)
    if origin in moved:
        return moved[origin] == current
    moved[origin] = current
    return True


def _origin(moved: dict[str, str], area: str) -> str:
    """Return where `area` was before `moved`, the deepest move deciding."""
    holders = [(end, start) for start, end in moved.items() if is_same_or_descendant(area, end)]
    if not holders:
        return area
    end, start = max(holders, key=lambda holder: len(holder[0]))
    return rebase_area(area, end, start)


def _compose_id(id_changes: dict[str, str], change: KnowledgeResourceIdChange) -> None:
    for start, end in id_changes.items():
        if end == change.previous_resource_id:
            id_changes[start] = change.current_resource_id
            return
    id_changes[change.previous_resource_id] = change.current_resource_id


def _moves(pairs: Iterable[tuple[str, str]]) -> Iterable[KnowledgeAreaChange]:
    return (KnowledgeAreaChange(start, end) for start, end in pairs if start != end)
