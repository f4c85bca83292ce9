"""Areas and ids that change their spelling: several at once, and one time after another."""

from __future__ import annotations

from collections.abc import Mapping

from adapters.contract import is_same_or_descendant, rebase_area


def follow(area: str, moves: Mapping[str, str]) -> str:
    """Return where `area` is after `moves`, all at once; the deepest move decides."""
    holders = [old for old in moves if is_same_or_descendant(area, old)]
    if not holders:
        return area
    nearest = max(holders, key=len)
    return rebase_area(area, nearest, moves[nearest])


def compose_moves(moved: dict[str, str], steps: Mapping[str, str]) -> None:
    """Add moves to those before them.

    What moves away from a path that something else had left before is new there; that it
    appeared has been told, so its move need not be.
    """
    back = {new: old for old, new in moved.items()}
    origins = {follow(old, back): new for old, new in steps.items()}
    moved.update({old: follow(new, steps) for old, new in moved.items()})
    for old, new in origins.items():
        moved.setdefault(old, new)


def compose_ids(id_changes: dict[str, str], steps: Mapping[str, str]) -> None:
    """Add id changes to those before them."""
    back = {new: old for old, new in id_changes.items()}
    origins = {back.get(old, old): new for old, new in steps.items()}
    id_changes.update({old: steps.get(new, new) for old, new in id_changes.items()})
    for old, new in origins.items():
        id_changes.setdefault(old, new)
