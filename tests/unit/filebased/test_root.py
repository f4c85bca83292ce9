"""The root itself: missing, replaced, emptied, taken (R-F-05, R-F-78, C049)."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.contract import KnowledgeAreaKind, MutationFailure, RepositoryUnavailable
from adapters.filebased import FileBasedRepository
from tests.unit.filebased.tools import plant


def _is_away(repository: FileBasedRepository) -> None:
    with pytest.raises(RepositoryUnavailable):
        repository.get_areas(False)
    with pytest.raises(RepositoryUnavailable):
        repository.since(None)
    result = repository.try_add_sub_area("/", "new", KnowledgeAreaKind.CONTENT)
    assert MutationFailure.UNAVAILABLE == result.failure


def test_root_that_comes_later(tmp_path: Path) -> None:
    """C049: a root that is missing at start is unavailable until it is there."""
    root = tmp_path / "notes"
    with FileBasedRepository(root) as repository:
        _is_away(repository)
        plant(root, {"n.md": "x"})
        assert ("/n",) == repository.get_areas(False)


def test_root_renamed_away(repository: FileBasedRepository, notes: Path, tmp_path: Path) -> None:
    """R-F-05, C049: never an empty tree; back again, nothing has changed."""
    plant(notes, {"n.md": "x"})
    cursor = repository.since(None).cursor
    notes.rename(tmp_path / "away")
    _is_away(repository)
    (tmp_path / "away").rename(notes)
    batch = repository.since(cursor)
    assert (True, ()) == (batch.complete, batch.touched)


def test_empty_directory_in_its_place(
    repository: FileBasedRepository, notes: Path, tmp_path: Path
) -> None:
    """C049: a mount point without its disk is not the root."""
    plant(notes, {"n.md": "x"})
    repository.since(None)
    notes.rename(tmp_path / "away")
    notes.mkdir()
    _is_away(repository)
    assert [] == list(notes.iterdir())


def test_full_directory_in_its_place(
    repository: FileBasedRepository, notes: Path, tmp_path: Path
) -> None:
    """C049: a restored copy is the root, and what differs is told."""
    plant(notes, {"n.md": "x", "same.md": "same"})
    cursor = repository.since(None).cursor
    notes.rename(tmp_path / "away")
    plant(notes, {"m.md": "y", "same.md": "same"})
    assert {"/m", "/n"} == set(repository.since(cursor).touched)
    assert {"/m", "/same"} == set(repository.get_areas(True))


def test_file_in_its_place(repository: FileBasedRepository, notes: Path, tmp_path: Path) -> None:
    """C049: a root that is no directory is none."""
    notes.rename(tmp_path / "away")
    notes.write_text("x")
    _is_away(repository)


def test_emptied_root_stays_readable(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-05: a root emptied in place is empty; to doubt that is for those who ask."""
    plant(notes, {"n.md": "x"})
    repository.since(None)
    (notes / "n.md").unlink()
    assert () == repository.get_areas(False)


def test_one_process_a_root(notes: Path) -> None:
    """R-F-78, MODEL 5: a second one is refused, until the first is done; no file is made."""
    with FileBasedRepository(notes):
        with pytest.raises(RepositoryUnavailable, match="another davbridge"):
            FileBasedRepository(notes)
        with FileBasedRepository(notes, read_only=True) as reader:
            assert () == reader.get_areas(True)
        assert [] == list(notes.iterdir())
    FileBasedRepository(notes).close()


def test_closed_repository(notes: Path) -> None:
    """A repository that was closed answers nothing any more."""
    repository = FileBasedRepository(notes)
    repository.close()
    _is_away(repository)


def test_name_of_the_root(notes: Path) -> None:
    """R-F-04: the configured name, else the directory's."""
    with FileBasedRepository(notes) as repository:
        assert "notes" == repository.get_area_name("/")
    with FileBasedRepository(notes, "My library") as repository:
        assert "My library" == repository.get_area_name("/")
