"""The target over a real folder: bytes that nobody changed stay, folders come and go."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.contract import RepositoryUnavailable
from adapters.filebased import FileBasedRepository
from tests.joplin.world import World

NOTE = (
    "word [a](<my two.md> 'T') ![x](my%20pic.png) ![y](<my pic.png>) [h](my%20two.md#part-two)"
    " [abs](/A/one.md) [up](../A/my%20two.md) [miss](nope.md)\n\n"
    '[ref]: ../pic.png "x"\n\n[ref]\n\n<img src="my pic.png" width=3>\n'
)
FILES = {
    "A/one.md": NOTE.encode(),
    "A/my two.md": b"# Part one\n\n# Part two\n",
    "A/my pic.png": b"\x89PNG one",
    "pic.png": b"\x89PNG two",
    "crlf.md": b"word one\r\n\r\nline [a](A/one.md)\r\nx",
    "bom.md": b"\xef\xbb\xbfword bom\n",
    "front.md": b"---\ntitle: x\n---\n\n---\n\nword [l](crlf.md)",
    "B/three.md": b"3\n",
    "B/C/four.md": b"4\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A folder of notes."""
    for name, content in FILES.items():
        (tmp_path / "Notes" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "Notes" / name).write_bytes(content)
    return tmp_path / "Notes"


@pytest.fixture
def folder(root: Path, tmp_path: Path) -> Iterator[World]:
    """The folder, served."""
    with FileBasedRepository(root=root) as repository:
        world = World(tmp_path / "state", repository)  # type: ignore[arg-type]
        world.time = time.time()
        world.start()
        yield world
        world.close()


def test_one_word_edited_changes_one_word(folder: World, root: Path) -> None:
    """R-F-54, C035, C045, C046: every other byte of the file stays, links' spelling included."""
    for title in ("one", "crlf", "bom", "front"):
        item = folder.get(folder.titles()[title])
        folder.wait(2)
        stamp = folder.note(1, "").get("updated_time")
        body = (item.body or "").replace("word", "WORDS")
        folder.put(item.with_changes(body=body, updated_time=stamp))
    for name, content in FILES.items():
        changed = content.replace(b"word", b"WORDS")
        assert changed == (root / name).read_bytes(), name


@pytest.mark.parametrize("name", ["B", "A"])
def test_a_folder_that_is_back_stays_back(
    folder: World, root: Path, tmp_path: Path, name: str
) -> None:
    """MODEL 2.11: a folder that was away for a moment keeps all its notes."""
    before = folder.listing()
    (root / name).rename(tmp_path / "away")
    folder.listing()
    folder.wait(10)
    (tmp_path / "away").rename(root / name)
    assert set(folder.listing()) == set(before)
    folder.wait(500)
    assert set(folder.listing()) == set(before)


def test_an_emptied_folder_is_an_error_until_it_is_back(
    folder: World, root: Path, tmp_path: Path
) -> None:
    """MODEL 2.11: an emptied folder is never an empty listing; back again, nothing has changed."""
    before = folder.listing()
    (tmp_path / "away").mkdir()
    for entry in list(root.iterdir()):
        entry.rename(tmp_path / "away" / entry.name)
    with pytest.raises(RepositoryUnavailable):
        folder.listing()
    folder.wait(500)
    with pytest.raises(RepositoryUnavailable):
        folder.listing()
    for entry in list((tmp_path / "away").iterdir()):
        entry.rename(root / entry.name)
    assert folder.listing() == before
    folder.wait(500)
    assert folder.listing() == before


def test_reading_and_listing_touch_no_file(folder: World, root: Path) -> None:
    """R-C-15: indexing, listing and downloading change no byte and no time on disk."""
    times = {path: path.stat().st_mtime_ns for path in sorted(root.rglob("*"))}
    for key in folder.listing():
        folder.get(key)
    folder.restart()
    assert times == {path: path.stat().st_mtime_ns for path in sorted(root.rglob("*"))}


def test_a_text_its_file_cannot_take_is_kept_beside_it(folder: World, root: Path) -> None:
    """R-J-88: an edit of a file that is not UTF-8 becomes a note of its own; the file stays."""
    (root / "latin.md").write_bytes(b"caf\xe9\n")
    item = folder.get(folder.titles()["latin"])
    folder.wait(2)
    stamp = folder.note(1, "").get("updated_time")
    folder.put(item.with_changes(body="edited\n", updated_time=stamp))
    assert (root / "latin.md").read_bytes() == b"caf\xe9\n"
    kept = [file.read_text() for file in root.glob("latin (conflict *).md")]
    assert kept == ["edited\n"]
