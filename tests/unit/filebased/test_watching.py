"""News from the operating system itself: nothing here is injected."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.contract import Batch
from adapters.filebased import FileBasedRepository, WatchfilesWatcher
from tests.unit.filebased.tools import plant

PATIENCE = 20.0


@pytest.fixture
def watcher(notes: Path) -> Iterator[WatchfilesWatcher]:
    """A watcher that has seen everything and scans no more."""
    plant(notes, {"n.md": "x", "D/m.md": "y"})
    watcher = WatchfilesWatcher(notes)
    while watcher.pending() is None:
        watcher.wait(0.1)
    yield watcher
    watcher.close()


def _after(
    notes: Path, watcher: WatchfilesWatcher, change: Callable[[], object]
) -> tuple[Batch, tuple[str, ...]]:
    with FileBasedRepository(notes, watcher=watcher) as repository:
        cursor = repository.since(None).cursor
        change()
        assert repository.wait(cursor, PATIENCE)
        return repository.since(cursor), repository.get_areas(True)


def test_edit(notes: Path, watcher: WatchfilesWatcher) -> None:
    """C012: an edit of another program is told without a scan."""
    batch, _ = _after(notes, watcher, lambda: plant(notes, {"D/m.md": "edited"}))
    assert ("/D~/m",) == batch.touched


def test_new_directory(notes: Path, watcher: WatchfilesWatcher) -> None:
    """MODEL 1: a directory with all in it, however quickly it came."""
    _, areas = _after(notes, watcher, lambda: plant(notes, {"new/deep/x.md": "x"}))
    assert "/new~" in areas


def test_rename_of_a_directory(notes: Path, watcher: WatchfilesWatcher) -> None:
    """C026: a directory that got another name is told under both."""
    batch, areas = _after(notes, watcher, lambda: (notes / "D").rename(notes / "E"))
    assert {"/D~", "/E~"} == set(batch.touched)
    assert "/E~/m" in areas


def test_hidden_files_are_no_news(notes: Path, watcher: WatchfilesWatcher) -> None:
    """C021: what an editor writes beside a document is not told, the document is."""

    def save() -> None:
        plant(notes, {".n.tmp": "saved", ".git/x": "y"})
        (notes / ".n.tmp").replace(notes / "n.md")

    batch, _ = _after(notes, watcher, save)
    assert ("/n",) == batch.touched


def test_root_that_goes(notes: Path, watcher: WatchfilesWatcher, tmp_path: Path) -> None:
    """C049: a root that goes makes everything doubtful, until it is watched again."""
    notes.rename(tmp_path / "away")
    while watcher.pending() is not None:
        watcher.wait(0.1)
    (tmp_path / "away").rename(notes)
    while watcher.pending() is None:
        watcher.wait(0.1)


def test_everything_is_looked_at_now_and_then(notes: Path) -> None:
    """Whatever the system tells, after an interval it is not trusted alone."""
    watcher = WatchfilesWatcher(notes, reconcile_after=0.0)
    assert watcher.pending() is None
    assert watcher.pending() is None
    watcher.close()
