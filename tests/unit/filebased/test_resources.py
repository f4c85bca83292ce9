"""Files that text refers to (R-F-40..47)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.contract import MutationFailure, ResourceNotFound
from adapters.filebased import FileBasedRepository
from adapters.filebased.links import resource_id_of
from tests.unit.filebased.tools import harvest, plant

MOMENT = datetime(2026, 1, 2, tzinfo=UTC)
TOKEN = int(MOMENT.timestamp() * 1000)
OWN = f"n.Res{TOKEN}"
HINTS = {
    ("diagram.png", "image/png"): "diagram.png",
    ("a/b/c.jpg", ""): "c.jpg",
    ("..\\up.gif", ""): "up.gif",
    ("README", "text/plain"): "README",
    ("x.", ""): "x%2E",
    ("song.mscz", ""): "song.mscz",
    ("what?.png", ""): "what%3F.png",
    ("", "image/png"): f"{OWN}.png",
    (".png", ""): f"{OWN}.png",
    ("..", "application/pdf"): f"{OWN}.pdf",
    ("", "x-unknown/y"): f"{OWN}.bin",
    ("taken.png", ""): f"{OWN}.png",
    ("TAKEN.PNG", ""): f"{OWN}.PNG",
    ("n.Res5.gif", ""): f"{OWN}.gif",
    ("notes.md", "text/markdown"): "notes.md.bin",
    ("", "text/markdown"): f"{OWN}.md.bin",
    ("é" * 200 + ".png", ""): f"{OWN}.png",
    (".htaccess", ""): f"{OWN}.htaccess",
}


@pytest.mark.parametrize(("hint", "file_name"), HINTS.items())
def test_file_names(notes: Path, hint: tuple[str, str], file_name: str) -> None:
    """R-F-43, C032: a good, free name is kept; else the file is named after its document."""
    plant(notes, {"A/n.md": "", "A/taken.png": "theirs"})
    with FileBasedRepository(notes, clock=lambda: MOMENT) as repository:
        result = repository.try_add_resource("/A~/n", *hint, b"ours")
        assert result.ok, result
        expected = {"A/n.md": b"", "A/taken.png": b"theirs", f"A/{file_name}": b"ours"}
        assert expected == harvest(notes)
        assert resource_id_of(f"A/{file_name}") == result.resource_id
        assert ("/A~", "/A~/n") == repository.get_areas(True)


def test_own_tokens_rise(notes: Path) -> None:
    """R-F-43: of many at one moment each has a token of its own."""
    plant(notes, {"n.md": ""})
    with FileBasedRepository(notes, clock=lambda: MOMENT) as repository:
        for number in range(3):
            assert repository.try_add_resource("/n", "", "image/png", bytes([number]))
    expected = {f"n.Res{TOKEN + number}.png": bytes([number]) for number in range(3)}
    assert {"n.md": b"", **expected} == harvest(notes)


def test_facts(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-41, R-F-43: a file is a resource by being there; its type follows from its name."""
    plant(
        notes, {"n.md": "![x](d%3F.png) [y](x.mscz)", "d%3F.png": "", "d?.png": "p", "x.mscz": ""}
    )
    repository.since(None)
    infos = repository.get_resources("/n")
    assert [("application/octet-stream", "x.mscz")] == [
        (info.content_type, info.file_name) for info in infos if info.file_name == "x.mscz"
    ]
    assert "image/png" == repository.get_resource(resource_id_of("d%3F.png")).content_type
    assert "d?.png" == repository.get_resource(resource_id_of("d%3F.png")).file_name


@pytest.mark.parametrize(
    "path",
    [
        "n.md",
        "A",
        "../outside.png",
        "/etc/passwd",
        "A/../p.png",
        "./p.png",
        "missing",
        "",
        "a\0b",
        "x" * 300,
    ],
)
def test_ids_of_no_resource(repository: FileBasedRepository, notes: Path, path: str) -> None:
    """R-F-44, R-C-93: an id leads to an exposed file that is no document, or nowhere."""
    plant(notes, {"n.md": "x", "A/m.md": "", "p.png": "p", "../outside.png": "secret"})
    with pytest.raises(ResourceNotFound):
        repository.get_resource_content(resource_id_of(path))
    result = repository.try_delete_resource(resource_id_of(path))
    assert MutationFailure.NOT_FOUND == result.failure


def test_ids_are_compared_exactly(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-47: an id that begins another one is no reference to that."""
    plant(notes, {"n.md": "![](p.png)", "p.png": "", "p.pn": ""})
    assert repository.try_delete_resource(resource_id_of("p.pn")).ok
    result = repository.try_delete_resource(resource_id_of("p.png"))
    assert MutationFailure.REFERENCED == result.failure


def test_equal_bytes_are_not_written(repository: FileBasedRepository, notes: Path) -> None:
    """R-C-45: replacing a resource by itself keeps its time."""
    plant(notes, {"n.md": "![](p.png)", "p.png": "same"})
    time = (notes / "p.png").stat().st_mtime_ns
    assert repository.try_replace_resource(resource_id_of("p.png"), "image/png", b"same")
    assert time == (notes / "p.png").stat().st_mtime_ns
    for content in (b"sam", b"same!", b""):
        assert repository.try_replace_resource(resource_id_of("p.png"), "image/png", content)
        assert content == (notes / "p.png").read_bytes()


def test_outside_changes_of_resources(repository: FileBasedRepository, notes: Path) -> None:
    """MODEL 1: bytes that change, appear or go are told, in directories that come or go too."""
    plant(notes, {"n.md": "![](p.png)", "p.png": "1"})
    cursor = repository.since(None).cursor
    plant(notes, {"p.png": "22", "D/q.png": "q"})
    batch = repository.since(cursor)
    assert {resource_id_of("p.png"), resource_id_of("D/q.png")} == set(batch.resource_ids)
    assert ("/D~",) == batch.touched
    (notes / "p.png").unlink()
    batch = repository.since(batch.cursor)
    assert (resource_id_of("p.png"),) == batch.resource_ids
    assert ("/n",) == batch.touched
