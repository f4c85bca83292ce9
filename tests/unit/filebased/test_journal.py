"""A process that dies in the middle of a change (R-F-72..75)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.contract import MutationResult
from adapters.filebased import FileBasedRepository
from adapters.filebased.disk import Disk
from tests.unit.filebased.tools import harvest, plant

WRITES = ("temporary", "replace", "rename", "make_directory", "make_private")

FILES = {
    "A/n.md": "![](n.Res1.png) [b](../B/b.md)\n",
    "A/n.Res1.png": "one",
    "A/free.png": "![](../B/b.md)",
    "B/b.md": "[n](../A/n.md) ![](../A/n.Res1.png) ![](../A/free.png)\n",
    "c.md": "[n](A/n.md)\n",
}
CHANGES: dict[str, Callable[[FileBasedRepository], MutationResult]] = {
    "move": lambda r: r.try_move_content("/A~/n", "/B~", new_name="m"),
    "rename a directory": lambda r: r.try_rename("/A~", "New"),
    "delete": lambda r: r.try_delete("/B~/b"),
    "delete a directory": lambda r: r.try_delete("/A~"),
    "replace": lambda r: r.try_replace("/c", "other\n"),
}
DIED = 9
MANY = 60


def _run_until(root: Path, change: str, step: int) -> int:
    """Run a change in another process that dies before its `step`-th write; return its code."""
    child = os.fork()
    if child == 0:
        left = step

        def dying(name: str) -> object:
            inner = getattr(Disk, name)

            def write(self: Disk, *arguments: object, **options: object) -> object:
                nonlocal left
                left -= 1
                if left == -1:
                    os._exit(DIED)
                return inner(self, *arguments, **options)

            return write

        repository = FileBasedRepository(root)
        for name in (*WRITES, "discard_tree", "remove_empty"):
            setattr(Disk, name, dying(name))
        os._exit(0 if CHANGES[change](repository) else 1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("change", CHANGES)
def test_killed_at_every_step(notes: Path, change: str) -> None:
    """R-F-72, R-F-73: after a restart everything is as before or as after, with no stray file."""
    plant(notes, FILES)
    before = harvest(notes)
    seen: list[dict[str, bytes]] = []
    for step in range(MANY):
        code = _run_until(notes, change, step)
        assert code in (0, DIED)
        FileBasedRepository(notes).close()
        found = harvest(notes)
        assert not any(path.startswith(".davbridge") for path in found)
        assert {path.name for path in notes.iterdir() if path.name.startswith(".")} == set()
        seen.append(found)
        if code == 0:
            break
        if found != before:
            # The change was complete when the process died: nothing else may differ.
            break
    else:
        raise AssertionError("never came to an end")
    assert before == seen[0]
    assert seen[-1] != before
    assert all(found == before for found in seen[:-1])
    with FileBasedRepository(notes) as repository:
        for area in repository.get_areas(True):
            repository.get_aggregated_content(area)


def test_foreign_edit_is_never_overwritten(notes: Path) -> None:
    """R-F-73, R-F-74: undoing leaves what somebody edited meanwhile, and keeps the old aside."""
    plant(notes, FILES)
    assert DIED == _run_until(notes, "move", 11)
    journal = notes / ".davbridge" / "journal"
    assert list(journal.iterdir())
    plant(notes, {"B/b.md": "edited by somebody", "A/n.md": "a new one by somebody"})
    FileBasedRepository(notes).close()
    found = harvest(notes)
    assert b"edited by somebody" == found["B/b.md"]
    assert b"a new one by somebody" == found["A/n.md"]
    assert not journal.exists()
    assert any(FILES["A/n.md"].encode() == text for path, text in found.items() if "m.md" in path)


def test_any_exception_takes_everything_back(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """R-F-75: not only errors of the disk undo a change."""
    plant(notes, FILES)
    before = harvest(notes)
    with FileBasedRepository(notes) as repository:
        with monkeypatch.context() as patch:
            patch.setattr(Disk, "replace", _interrupt_writes(Disk.replace))
            with pytest.raises(KeyboardInterrupt):
                repository.try_rename("/A~", "New")
        assert before == harvest(notes)
        assert "/A~/n" in repository.get_areas(True)
        assert repository.try_rename("/A~", "New").ok


def test_entry_that_makes_no_sense(notes: Path) -> None:
    """R-F-73: an entry whose file was never completed had not begun."""
    plant(
        notes, {"n.md": "x", ".davbridge/journal/1/entry.json": "[{", ".davbridge/journal/2/0": ""}
    )
    FileBasedRepository(notes).close()
    assert {"n.md"} == set(harvest(notes))


def _interrupt_writes(replace: Callable[[Disk, str, str], None]) -> object:
    left = 2

    def interrupted(self: Disk, temporary: str, path: str) -> None:
        nonlocal left
        if not path.startswith(".davbridge"):
            left -= 1
            if left == 0:
                raise KeyboardInterrupt
        replace(self, temporary, path)

    return interrupted
