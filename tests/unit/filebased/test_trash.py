"""Removal, and what comes back (R-F-63, R-F-64, R-F-66)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.contract import MutationFailure, ResourceNotFound
from adapters.filebased import FileBasedRepository
from adapters.filebased.links import resource_id_of
from tests.unit.filebased.tools import harvest, plant

FILES = {
    "A/n.md": "![](n.Res1.png) ![](n.Res2.png) ![](free.png)\n",
    "A/n.Res1.png": "one",
    "A/n.Res2.png": "two, also shown elsewhere",
    "A/free.png": "free",
    "B/b.md": "![](../A/n.Res2.png)\n",
}


@pytest.mark.parametrize("method", ["try_delete", "try_trash"])
def test_owned_files_go_with_their_document(
    repository: FileBasedRepository, notes: Path, method: str
) -> None:
    """R-F-63: owned files go unless another document shows them; free ones stay."""
    plant(notes, FILES)
    result = getattr(repository, method)("/A~/n")
    assert result.ok, result
    shown = {path for path in harvest(notes) if not path.startswith(".")}
    assert {"A/free.png", "A/n.Res2.png", "B/b.md"} == shown
    assert bool(result.trash_token) == (method == "try_trash")
    with pytest.raises(ResourceNotFound):
        repository.get_resource(resource_id_of("A/n.Res1.png"))


def test_document_comes_back_as_it_was(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-66, C051: name, bytes, time and owned files; the private directory is gone again."""
    plant(notes, FILES)
    time = (notes / "A/n.md").stat().st_mtime_ns
    before = harvest(notes)
    token = repository.try_trash("/A~/n").trash_token
    assert token is not None
    assert "/A~/n" not in repository.get_areas(True)
    result = repository.try_restore(token)
    assert "/A~/n" == result.area
    assert before == harvest(notes)
    assert time == (notes / "A/n.md").stat().st_mtime_ns
    assert not (notes / ".davbridge").exists()
    assert MutationFailure.NOT_FOUND == repository.try_restore(token).failure


def test_directory_comes_back(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-66: a directory goes and comes as a whole, missing ones above it are made."""
    plant(notes, {"X/A/n.md": "n", "X/A/s/p.png": "p"})
    before = harvest(notes)
    token = repository.try_trash("/X~/A~").trash_token
    assert token is not None
    assert repository.try_delete("/X~").ok
    assert "/X~/A~" == repository.try_restore(token).area
    assert before == harvest(notes)


def test_taken_name_gets_a_variant(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-66: what stands there now stays; what comes back stands beside it."""
    plant(notes, {"n.md": "old", "A/x.md": "x"})
    document, directory = (repository.try_trash(area).trash_token for area in ("/n", "/A~"))
    assert document is not None
    assert directory is not None
    plant(notes, {"n.md": "new", "A/y.md": "y"})
    assert (
        "/n%20(2)".replace("(", "%28").replace(")", "%29") == repository.try_restore(document).area
    )
    assert repository.try_restore(directory).area is not None
    expected = {"n.md": b"new", "n (2).md": b"old", "A/y.md": b"y", "A (2)/x.md": b"x"}
    assert expected == harvest(notes)


def test_directory_whose_files_are_needed(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-64: files that others show stay, with the directories they need."""
    plant(notes, {**FILES, "A/s/m.md": "m"})
    before = harvest(notes)
    token = repository.try_trash("/A~").trash_token
    assert token is not None
    assert {"A/n.Res2.png", "B/b.md"} == {p for p in harvest(notes) if not p.startswith(".")}
    assert repository.try_restore(token).ok
    assert before == harvest(notes)


def test_resource_comes_back(repository: FileBasedRepository, notes: Path) -> None:
    """MODEL 1: a resource goes to the trash when nothing shows it, and comes back by its token."""
    plant(notes, {"n.md": "![](p.png)", "p.png": "p"})
    resource_id = resource_id_of("p.png")
    assert MutationFailure.REFERENCED == repository.try_trash_resource(resource_id).failure
    assert repository.try_truncate("/n")
    token = repository.try_trash_resource(resource_id).trash_token
    assert token is not None
    assert resource_id == repository.try_restore(token).resource_id
    assert b"p" == repository.get_resource_content(resource_id)


def test_list_of_the_trash(notes: Path) -> None:
    """MODEL 1: what can be restored, oldest first, across restarts."""
    plant(notes, {"one.md": "1", "two.md": "2", "p.png": "p"})
    moments = iter(datetime(2026, 1, 1, 0, 0, second, tzinfo=UTC) for second in range(9))
    with FileBasedRepository(notes, clock=lambda: next(moments)) as repository:
        repository.try_trash("/two")
        repository.try_trash("/one")
        repository.try_trash_resource(resource_id_of("p.png"))
    with FileBasedRepository(notes) as repository:
        entries = repository.list_trash()
        assert ["two", "one", "p.png"] == [entry.name for entry in entries]
        assert [0, 1, 2] == [entry.time.second for entry in entries]
        assert "/two" == repository.try_restore(entries[0].token).area


@pytest.mark.parametrize("token", ["", "..", "../..", "20260101T000000Z-x/..", "nothing"])
def test_strange_tokens(repository: FileBasedRepository, notes: Path, token: str) -> None:
    """R-C-93: a token is no path."""
    plant(notes, {"n.md": "x"})
    assert MutationFailure.NOT_FOUND == repository.try_restore(token).failure
    assert {"n.md": b"x"} == harvest(notes)
