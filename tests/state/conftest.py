"""A state of its own for each test, with one target in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from state import ItemRow, Place, StateStore, TargetRow
from state.items import ItemStore


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "state"


@pytest.fixture
def store(directory: Path) -> Iterator[StateStore]:
    with StateStore.open(directory) as opened:
        yield opened


@pytest.fixture
def target(store: StateStore) -> TargetRow:
    return store.targets.add("filebased:/srv/notes", "/joplin")


@pytest.fixture
def items(store: StateStore, target: TargetRow) -> ItemStore:
    return store.items(target.id)


def note(item_id: str, area: str | None = None, **changes: object) -> ItemRow:
    """Return a note bound to `area`, or kept if there is none."""
    place = Place.KEPT if area is None else Place.BOUND
    values: dict[str, object] = {"id": item_id, "type": 1, "place": place, "area": area}
    return ItemRow(**(values | changes))  # type: ignore[arg-type]  # a test names real fields


def fail_after(store: StateStore, *writes: Callable[[], object]) -> None:
    """Write in one transaction that then fails with `ZeroDivisionError`."""
    with store.transaction():
        for write in writes:
            write()
        raise ZeroDivisionError
