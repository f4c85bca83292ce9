"""Files changed as files (R-F-95, MODEL 3)."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from adapters.contract import MutationFailure, NativeTree, companion
from adapters.filebased import FileBasedRepository
from adapters.filebased.links import resource_id_of
from tests.unit.filebased.tools import harvest, plant

ODD = b"\xef\xbb\xbf# A\r\n\r\n[x](./../notes.md)\r\n"


@pytest.fixture
def tree(repository: FileBasedRepository, notes: Path) -> NativeTree:
    """The files of a small folder."""
    plant(notes, {"A/n.md": "[m](../m.md)", "m.md": "m", "A/p.png": "p"})
    found = companion(repository, NativeTree)
    assert found is not None
    return found


def test_bytes_are_stored_as_they_are(
    tree: NativeTree, repository: FileBasedRepository, notes: Path
) -> None:
    """R-F-95: CRLF, mark and odd spelling survive; new and old, document and other file."""
    for path in ("new.md", "m.md", "A/p.png", "A/new.bin"):
        result = tree.try_put(path, io.BytesIO(ODD))
        assert result.ok, result
        assert ODD == (notes / path).read_bytes()
    assert "/m" == tree.try_put("m.md", io.BytesIO(b"x")).area
    assert resource_id_of("A/p.png") == tree.try_put("A/p.png", io.BytesIO(b"x")).resource_id
    assert "x" == repository.get_aggregated_content("/m")


def test_outdated_revision(tree: NativeTree, notes: Path) -> None:
    """MODEL 1: what changed meanwhile is STALE, documents and other files alike."""
    for path in ("m.md", "A/p.png"):
        revision = tree.stat(path).revision
        plant(notes, {path: "edited outside"})
        result = tree.try_put(path, io.BytesIO(b"x"), expected_revision=revision)
        assert MutationFailure.STALE == result.failure
        revision = tree.stat(path).revision
        assert tree.try_put(path, io.BytesIO(b"x"), expected_revision=revision).ok
    result = tree.try_put("new.md", io.BytesIO(b"x"), expected_revision="any")
    assert MutationFailure.STALE == result.failure


@pytest.mark.parametrize(
    ("path", "failure"),
    [
        ("", MutationFailure.INVALID_NAME),
        ("../x.md", MutationFailure.INVALID_NAME),
        ("/x.md", MutationFailure.INVALID_NAME),
        ("A//x.md", MutationFailure.INVALID_NAME),
        ("a\0.md", MutationFailure.INVALID_NAME),
        (".git/x", MutationFailure.NOT_SUPPORTED),
        (".davbridge/x", MutationFailure.NOT_SUPPORTED),
        ("nowhere/x.md", MutationFailure.NOT_FOUND),
        ("m.md/x", MutationFailure.NOT_FOUND),
        ("A", MutationFailure.COLLISION),
        ("M.md", MutationFailure.COLLISION),
    ],
)
def test_impossible_paths(
    tree: NativeTree, notes: Path, path: str, failure: MutationFailure
) -> None:
    """R-F-83, R-F-84, C064: what is not shown cannot be made, what leads out is no path."""
    before = harvest(notes)
    assert failure == tree.try_put(path, io.BytesIO(b"x")).failure
    assert not tree.try_move("A/p.png", path)
    assert not tree.try_make_dir(path)
    assert before == harvest(notes)


def test_moving(tree: NativeTree, repository: FileBasedRepository, notes: Path) -> None:
    """R-F-55: links follow a move of a file as they follow a move of its area."""
    result = tree.try_move("m.md", "A/k.md")
    assert "/A~/k" == result.area
    assert b"[m](k.md)" == harvest(notes)["A/n.md"]
    assert tree.try_move("A", "B").ok
    assert {"B/k.md", "B/n.md", "B/p.png"} == set(harvest(notes))
    assert MutationFailure.NOT_SUPPORTED == tree.try_move("B", "B/C").failure
    assert MutationFailure.NOT_FOUND == tree.try_move("m.md", "x.md").failure


def test_moving_onto_an_existing_name(tree: NativeTree, notes: Path) -> None:
    """MODEL 3.2: only with `replace`, and then the one that stands there gets the bytes."""
    plant(notes, {"save.tmp": "saved"})
    handle = (notes / "m.md").stat().st_mode
    assert MutationFailure.COLLISION == tree.try_move("save.tmp", "m.md").failure
    assert "/m" == tree.try_move("save.tmp", "m.md", replace=True).area
    assert {"A/n.md", "A/p.png", "m.md"} == set(harvest(notes))
    assert b"saved" == harvest(notes)["m.md"]
    assert handle == (notes / "m.md").stat().st_mode


def test_trash_and_directories(
    tree: NativeTree, repository: FileBasedRepository, notes: Path
) -> None:
    """MODEL 3.3: removal is trash, linked or not; a directory is made once."""
    plant(notes, {"A/n.md": "![](p.png)"})
    before = harvest(notes)
    for path in ("A/p.png", "m.md", "A"):
        token = tree.try_trash(path).trash_token
        assert token is not None
        assert not (notes / path).exists()
        assert repository.try_restore(token).ok
        assert before == harvest(notes)
    assert "/C~" == tree.try_make_dir("C").area
    assert MutationFailure.COLLISION == tree.try_make_dir("C").failure


def test_document_that_stops_being_one(
    tree: NativeTree, repository: FileBasedRepository, notes: Path
) -> None:
    """MODEL 1: a name decides what a file is, and the feed tells of both sides."""
    cursor = repository.since(None).cursor
    assert resource_id_of("m.txt") == tree.try_move("m.md", "m.txt").resource_id
    batch = repository.since(cursor)
    assert {"/m", "/A~/n"} <= set(batch.touched)
    assert ("/A~", "/A~/n") == repository.get_areas(True)
    result = tree.try_move("m.txt", "k.md")
    assert "/k" == result.area
    assert () == result.resource_id_changes
    assert "/k" in repository.since(batch.cursor).touched
    assert b"[m](../k.md)" == harvest(notes)["A/n.md"]
