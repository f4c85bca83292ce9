"""Simultaneous changes of areas, in two phases inside one transaction.

First every moved row is set aside under a mark that no area begins with; so no row is moved twice,
swaps and chains need no order, and nothing collides on the way. Then the mark is taken off.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from state.errors import AreaTaken, Conflict
from state.session import Session

_ROOT: Final = "/"
_MARK: Final = ":"
_AFTER_MARK: Final = ";"

_EXACT: Final = "UPDATE item SET area = :aside WHERE target = :target AND area = :previous"
_BELOW: Final = (
    "UPDATE item SET area = :base || substr(area, :length)"
    " WHERE target = :target AND area > :low AND area < :high"
)
_UNMARK: Final = (
    "UPDATE item SET area = substr(area, 2)"
    " WHERE target = :target AND area >= :low AND area < :high"
)
_CLASH: Final = """
    SELECT substr(moved.area, 2) FROM item AS moved JOIN item AS other
        ON other.target = moved.target AND other.type = moved.type
        AND other.area = substr(moved.area, 2)
    WHERE moved.target = :target AND moved.area >= :low AND moved.area < :high
        AND moved.place = 'bound' AND other.place = 'bound' LIMIT 1
"""


def area_range(area: str) -> tuple[str, str]:
    """Return the open interval that holds exactly what is strictly below `area`.

    By segments: `0` is the character after `/`, so `/A` holds `/A/x` and not `/AB` (R-C-01..03).
    """
    base = _base(area)
    return f"{base}/", f"{base}0"


def rebase_items(session: Session, target_id: int, changes: Iterable[tuple[str, str]]) -> None:
    """Move the areas of all rows by `changes` (previous, current), all at once, or none."""
    real = [change for change in changes if change[0] != change[1]]
    # The deepest first: what it has set aside is out of reach of its ancestors' changes.
    real.sort(key=lambda change: len(change[0]), reverse=True)
    if not real:
        return
    marked = {"target": target_id, "low": _MARK, "high": _AFTER_MARK}
    with session.transaction():
        try:
            _set_aside(session, target_id, real)
        except Conflict as error:
            raise AreaTaken(area=_doubled(real)) from error
        try:
            session.run(_UNMARK, marked)
        except Conflict as error:
            clash = session.one(_CLASH, marked)
            raise AreaTaken(area=real[0][1] if clash is None else clash[0]) from error


def _set_aside(session: Session, target_id: int, changes: Sequence[tuple[str, str]]) -> None:
    for previous, current in changes:
        exact = {"target": target_id, "previous": previous, "aside": _MARK + current}
        session.run(_EXACT, exact)
        if previous == _ROOT:  # names the root alone: everything is below it
            continue
        low, high = area_range(previous)
        base = _MARK + _base(current)
        below = {"low": low, "high": high, "base": base, "length": len(previous) + 1}
        session.run(_BELOW, {"target": target_id} | below)


def _base(area: str) -> str:
    return "" if area == _ROOT else area


def _doubled(changes: Sequence[tuple[str, str]]) -> str:
    """Return an area that two changes lead to."""
    seen: set[str] = set()
    for _, current in changes:
        if current in seen:
            return current
        seen.add(current)
    return changes[0][1]
