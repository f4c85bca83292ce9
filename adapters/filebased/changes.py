"""The feed of changes: what happened, in order, and what that comes to for who asks later."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from adapters.contract import (
    Batch,
    KnowledgeAreaChange,
    KnowledgeResourceIdChange,
    is_same_or_descendant,
    rebase_area,
)

_LONGEST: Final = 10_000
"""Changes remembered; who asks for older ones compares everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What one mutation, or one look at the disk, found; `moved` comes before the rest."""

    touched: tuple[str, ...] = ()
    moved: tuple[KnowledgeAreaChange, ...] = ()
    resource_ids: tuple[str, ...] = ()
    resource_id_changes: tuple[KnowledgeResourceIdChange, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.touched or self.moved or self.resource_ids or self.resource_id_changes)


class Feed:
    """Remembers changes since it began or last forgot; a cursor is `<epoch>:<number>`."""

    def __init__(self, epoch: str) -> None:
        self._epoch = epoch
        self._first = 0
        self._changes: deque[Change] = deque()
        self._lock = threading.Lock()

    def record(self, change: Change) -> None:
        """Add a change."""
        with self._lock:
            self._changes.append(change)
            if len(self._changes) > _LONGEST:
                self._changes.popleft()
                self._first += 1

    def forget(self) -> None:
        """Lose the past: every cursor handed out before gives an incomplete batch."""
        with self._lock:
            self._first += len(self._changes) + 1
            self._changes.clear()

    def since(self, cursor: str | None) -> Batch:
        """Return what all changes after `cursor` come to."""
        with self._lock:
            current = f"{self._epoch}:{self._first + len(self._changes)}"
            known = self._position(cursor)
            later = [] if known is None else list(self._changes)[known:]
        if known is None:
            return Batch(cursor=current, complete=False)
        return combine(current, later)

    def is_behind(self, cursor: str) -> bool:
        """Tell whether something happened after `cursor`."""
        with self._lock:
            return self._position(cursor) != len(self._changes)

    def _position(self, cursor: str | None) -> int | None:
        epoch, _, number = (cursor or "").rpartition(":")
        if epoch != self._epoch or not (number.isascii() and number.isdecimal()):
            return None
        position = int(number) - self._first
        return position if 0 <= position <= len(self._changes) else None


def combine(cursor: str, changes: Iterable[Change]) -> Batch:
    """Return the one batch that stands for `changes`, with every path as it is at the end."""
    touched: dict[str, None] = {}
    moved: dict[str, str] = {}
    resources: dict[str, None] = {}
    id_changes: dict[str, str] = {}
    for change in changes:
        steps = {move.previous_area: move.current_area for move in change.moved}
        touched = dict.fromkeys(_follow(area, steps) for area in touched)
        touched.update(dict.fromkeys(_add_moves(moved, steps)))
        touched.update(dict.fromkeys(change.touched))
        ids = {c.previous_resource_id: c.current_resource_id for c in change.resource_id_changes}
        resources = dict.fromkeys(ids.get(known, known) for known in resources)
        resources.update(dict.fromkeys(change.resource_ids))
        origins = {current: previous for previous, current in id_changes.items()}
        id_changes = {old: ids.get(new, new) for old, new in id_changes.items()}
        for previous, current in ids.items():
            id_changes.setdefault(origins.get(previous, previous), current)
    return Batch(
        cursor=cursor,
        complete=True,
        touched=tuple(touched),
        moved=tuple(KnowledgeAreaChange(old, new) for old, new in moved.items() if old != new),
        resource_ids=tuple(resources),
        resource_id_changes=tuple(
            KnowledgeResourceIdChange(old, new) for old, new in id_changes.items() if old != new
        ),
    )


def _add_moves(moved: dict[str, str], steps: Mapping[str, str]) -> list[str]:
    """Add moves to those before them; return the areas whose former path is ambiguous."""
    origins = {new: old for old, new in moved.items()}
    for old, new in moved.items():
        moved[old] = _follow(new, steps)
    unclear = []
    for previous, current in steps.items():
        origin = _follow(previous, origins)
        if moved.setdefault(origin, current) != current:
            unclear.append(current)
    return unclear


def _follow(area: str, moves: Mapping[str, str]) -> str:
    """Return where `area` is after `moves`, all at once; the deepest one decides."""
    holders = [old for old in moves if is_same_or_descendant(area, old)]
    if not holders:
        return area
    nearest = max(holders, key=len)
    return rebase_area(area, nearest, moves[nearest])
