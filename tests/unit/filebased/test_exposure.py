"""What is shown, and what no file can do to the rest (R-F-27, R-F-80, R-F-81, C048)."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from adapters.contract import (
    AreaNotFound,
    EntryKind,
    MutationFailure,
    NativeTree,
    ResourceNotFound,
    companion,
)
from adapters.filebased import FileBasedRepository
from adapters.filebased.facts import LARGEST
from adapters.filebased.links import resource_id_of
from tests.unit.filebased.tools import harvest, plant

HIDDEN = (".git/config.md", ".obsidian/x.md", ".n.tmp", ".syncthing.m.md.tmp", ".davbridge/a.md")


def test_hidden_names_are_not_shown(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-80, C025: dot names and what is below them do not exist for anyone."""
    plant(notes, {"n.md": "x", **dict.fromkeys(HIDDEN, "hidden")})
    repository.since(None)
    assert ("/n",) == repository.get_areas(True)
    for path in HIDDEN:
        with pytest.raises(ResourceNotFound):
            repository.get_resource(resource_id_of(path))


def test_what_editors_leave_is_no_document(repository: FileBasedRepository, notes: Path) -> None:
    """C021, C025: backups are files, conflict copies of sync tools are documents."""
    plant(notes, {"n.md": "", "n.md~": "", "#n.md#": "", "n.sync-conflict-20240101.md": ""})
    repository.since(None)
    assert {"/n", "/n.sync-conflict-20240101"} == set(repository.get_areas(True))


def test_owned_names_are_no_documents(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-42, R-F-80: what is named like a document's resource is one, whatever its ending."""
    plant(notes, {"A.md": "", "A.Res12.md": "x", "A.Res13.png": "y"})
    repository.since(None)
    assert ("/A",) == repository.get_areas(True)


def test_links_that_lead_out_do_not_exist(
    repository: FileBasedRepository, notes: Path, tmp_path: Path
) -> None:
    """R-F-81, C064: directories behind links are not entered, nothing outside is read."""
    plant(tmp_path, {"outside/secret.md": "secret", "outside/p.png": "secret"})
    plant(notes, {"in/p.png": "inside", "n.md": "![](to-file) ![](to-dir/p.png) ![](dir2/p.png)"})
    (notes / "to-dir").symlink_to(tmp_path / "outside")
    (notes / "dir2").symlink_to(notes / "in")
    (notes / "to-file").symlink_to(tmp_path / "outside" / "p.png")
    (notes / "dangling.md").symlink_to("nowhere.md")
    repository.since(None)
    assert ("/in~", "/n") == repository.get_areas(True)
    assert () == repository.get_resources("/n")
    for path in ("to-file", "to-dir/p.png", "dir2/p.png", "../outside/p.png"):
        with pytest.raises(ResourceNotFound):
            repository.get_resource_content(resource_id_of(path))


def test_links_inside_are_read_only_resources(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-81: a link to a file inside the root is that file, to read."""
    plant(notes, {"in/p.png": "inside", "n.md": "![](p.png)"})
    (notes / "p.png").symlink_to("in/p.png")
    repository.since(None)
    (info,) = repository.get_resources("/n")
    assert b"inside" == repository.get_resource_content(info.resource_id)
    result = repository.try_replace_resource(info.resource_id, "", b"x")
    assert MutationFailure.READ_ONLY == result.failure


def test_directory_swapped_for_a_link(
    repository: FileBasedRepository, notes: Path, tmp_path: Path
) -> None:
    """R-F-81: a directory that becomes a link between look and use does not lead outside."""
    plant(notes, {"d/n.md": "inside"})
    plant(tmp_path, {"outside/n.md": "secret"})
    repository.since(None)
    (notes / "d" / "n.md").unlink()
    (notes / "d").rmdir()
    (notes / "d").symlink_to(tmp_path / "outside")
    with pytest.raises(AreaNotFound):
        repository.get_aggregated_content("/d~/n")
    assert not repository.try_replace("/d~/n", "overwritten")
    assert "secret" == (tmp_path / "outside" / "n.md").read_text()


def test_poison_files(
    repository: FileBasedRepository, notes: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """C048: odd files are left out or shown as they are; the others are not harmed."""
    plant(notes, {"good.md": "good", "latin.md": b"caf\xe9", "nul.md": "a\0b"})
    plant(notes, {"wide.md": "wide".encode("utf-16")})
    os.mkfifo(notes / "pipe.md")
    (Path(os.fsdecode(os.fsencode(notes) + b"/bad\xff.md"))).write_bytes(b"x")
    with caplog.at_level(logging.WARNING):
        repository.since(None)
    assert {"/good", "/latin", "/nul", "/wide"} == set(repository.get_areas(True))
    assert "left out bad" in caplog.text
    assert str(notes) not in caplog.text
    texts = [repository.get_aggregated_content(f"/{name}") for name in ("latin", "nul", "wide")]
    assert ["caf\ufffd", "a\0b", "wide"] == texts


@pytest.mark.parametrize("content", [b"caf\xe9\n", "wide".encode("utf-16")])
def test_what_is_not_utf8_is_never_rewritten(
    repository: FileBasedRepository, notes: Path, content: bytes
) -> None:
    """R-F-27, C048: its flags are false, every change of its text is refused, its bytes stay."""
    plant(notes, {"n.md": content, "p.png": "x"})
    flags = repository.get_area_capabilities("/n")
    assert not flags.can_append_content
    assert not flags.can_truncate
    for result in (
        repository.try_replace("/n", "x"),
        repository.try_append_content("/n", "x"),
        repository.try_truncate("/n"),
    ):
        assert MutationFailure.READ_ONLY == result.failure
    assert "/m" == repository.try_rename("/n", "m").area
    assert {"m.md": content, "p.png": b"x"} == harvest(notes)


def test_large_document_is_read_only(repository: FileBasedRepository, notes: Path) -> None:
    """MODEL 2.12: growing does not change the kind of a file, only what may be done to it."""
    with (notes / "n.md").open("wb") as file:
        file.truncate(LARGEST + 1)
    repository.since(None)
    assert ("/n",) == repository.get_areas(True)
    assert not repository.get_area_capabilities("/n").can_replace
    assert MutationFailure.READ_ONLY == repository.try_replace("/n", "x").failure
    result = repository.try_truncate("/n")
    assert MutationFailure.READ_ONLY == result.failure


def test_text_that_would_be_too_large(repository: FileBasedRepository, notes: Path) -> None:
    """MODEL 2.12: a mutation beyond the limit is INVALID_CONTENT."""
    plant(notes, {"n.md": "x"})
    result = repository.try_replace("/n", "x" * (LARGEST + 1))
    assert MutationFailure.INVALID_CONTENT == result.failure


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_unreadable_file_is_left_out(repository: FileBasedRepository, notes: Path) -> None:
    """C048: a file of mode 000 is left out and takes nothing else along."""
    plant(notes, {"good.md": "good", "locked.md": "x", "dir/n.md": "x"})
    (notes / "locked.md").chmod(0)
    (notes / "dir").chmod(0)
    repository.since(None)
    assert ("/good",) == repository.get_areas(True)
    (notes / "dir").chmod(0o755)


def test_native_tree_shows_every_ordinary_file(
    repository: FileBasedRepository, notes: Path
) -> None:
    """ARCHITECTURE 10: every file at its own place, byte for byte, referred to or not."""
    plant(notes, {"n.md": "x", "d/p.png": "png", "loose.txt": "t", ".git/x": "y"})
    repository.since(None)
    tree = companion(repository, NativeTree)
    assert tree is not None
    kinds = [(entry.path, entry.kind) for entry in tree.list("")]
    directory, document, file = EntryKind.DIRECTORY, EntryKind.DOCUMENT, EntryKind.FILE
    assert [("d", directory), ("loose.txt", file), ("n.md", document)] == kinds
    entry = tree.stat("d/p.png")
    assert ("d/p.png", None, 3) == (entry.path, entry.area, entry.size)
    assert entry.resource_id is not None
    assert b"png" == repository.get_resource_content(entry.resource_id)
    with tree.open("n.md") as stream:
        assert b"x" == stream.read()
    for path in (".git/x", ".git", "nowhere", "../x", "d/../n.md", "d", "/n.md", "n.md/"):
        with pytest.raises(AreaNotFound):
            tree.open(path)
