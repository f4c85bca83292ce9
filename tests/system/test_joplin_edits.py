"""What a person does in Joplin happens to the files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.system.bridge import Bridge
from tests.system.client.joplin_client import JoplinClient
from tests.system.client.smoke_data import png_bytes
from tests.system.profiles import Joplin
from tests.system.world import by_place, contents, write

pytestmark = pytest.mark.joplin


class Desk(NamedTuple):
    """A folder, and a client that has all of it."""

    folder: Path
    client: JoplinClient
    bridge: Bridge

    def sync(self) -> dict[str, bytes]:
        """Sync, and return what is on disk then."""
        result = self.client.sync()
        assert result.ok, result.errors
        return contents(self.folder)

    def id(self, place: str) -> str:
        return by_place(self.client)[place]["id"]

    def book(self, title: str) -> str:
        [found] = [row["id"] for row in self.client.folders() if row["title"] == title]
        return found


@pytest.fixture(scope="module")
def desk(
    joplin: Joplin, bridges: Callable[..., Bridge], tmp_path_factory: pytest.TempPathFactory
) -> Desk:
    folder = tmp_path_factory.mktemp("inside") / "Desk"
    for name in ("edit", "rename", "move", "trash", "delete", "attach"):
        write(folder / "A" / f"{name}.md", f"The text of {name}.\n")
    write(folder / "B" / "pointer.md", "To [one](../A/rename.md) and [two](../A/move.md).\n")
    write(folder / "C" / "Inner" / "kept.md", "Kept.\n")
    bridge = bridges(folder)
    client = joplin.client(bridge.remote_url)
    desk = Desk(folder, client, bridge)
    desk.sync()
    return desk


def test_a_created_note_becomes_a_file(desk: Desk) -> None:
    """A new note in a new notebook is a new file in a new folder, with exactly its text."""
    book = desk.client.create_notebook("Näw", desk.book("A"))
    before = contents(desk.folder)
    desk.client.create_note("Fresh: note", "Some *text*\n\nno last newline", folder_id=book)
    after = desk.sync()
    [path] = after.keys() - before.keys()
    assert Path("A/Näw") == Path(path).parent
    assert path.endswith(".md")
    assert b"Some *text*\n\nno last newline" == after[path]
    assert before == {name: after[name] for name in before}


def test_an_edited_note_changes_its_file(desk: Desk) -> None:
    """The file has the note's new text; no other file changes."""
    before = contents(desk.folder)
    desk.client.edit_note(desk.id("A/edit"), body="Edited.\n")
    assert before | {"A/edit.md": b"Edited.\n"} == desk.sync()


def test_a_renamed_note_renames_its_file(desk: Desk) -> None:
    """The file takes the new title, keeps its text, and links to it follow; R-F-55."""
    before = contents(desk.folder)
    desk.client.rename_note(desk.id("A/rename"), "A better name")
    expected = dict(before)
    expected["A/A better name.md"] = expected.pop("A/rename.md")
    expected["B/pointer.md"] = before["B/pointer.md"].replace(
        b"../A/rename.md", b"../A/A%20better%20name.md"
    )
    assert expected == desk.sync()


def test_a_moved_note_moves_its_file(desk: Desk) -> None:
    """The file goes to the folder of the new notebook, and links to it follow; R-F-55."""
    before = contents(desk.folder)
    desk.client.move(desk.id("A/move"), desk.book("B"))
    expected = dict(before)
    expected["B/move.md"] = expected.pop("A/move.md")
    expected["B/pointer.md"] = before["B/pointer.md"].replace(b"(../A/move.md)", b"(move.md)")
    assert expected == desk.sync()


def test_a_renamed_and_moved_notebook_moves_its_folder(desk: Desk) -> None:
    """A notebook is a folder: renamed and moved it takes its notes along; R-J-42."""
    before = contents(desk.folder)
    inner = desk.book("Inner")
    desk.client.run([["ren", "--", inner, "Outer"], ["mv", "--", inner, desk.book("B")]])
    expected = dict(before)
    expected["B/Outer/kept.md"] = expected.pop("C/Inner/kept.md")
    assert expected == desk.sync()


def test_a_trashed_note_leaves_and_a_restored_one_returns(desk: Desk) -> None:
    """Joplin's trash takes the file away at once, restoring brings it back as it was."""
    before = contents(desk.folder)
    note = desk.id("A/trash")
    desk.client.delete_note(note)
    expected = {path: content for path, content in before.items() if path != "A/trash.md"}
    assert expected == desk.sync()
    assert note in desk.bridge.dav().listing()
    desk.client.restore(note)
    assert before == desk.sync()
    assert note == desk.id("A/trash")


def test_a_deleted_note_is_gone_but_recoverable(desk: Desk) -> None:
    """A note deleted for good takes its file along, into the folder's own trash; C051."""
    before = contents(desk.folder)
    note = desk.id("A/delete")
    desk.client.delete_note(note, permanent=True)
    expected = {path: content for path, content in before.items() if path != "A/delete.md"}
    assert expected == desk.sync()
    assert note not in desk.bridge.dav().listing()
    trash = desk.folder / ".davbridge" / "trash"
    assert b"The text of delete.\n" in [f.read_bytes() for f in trash.rglob("*") if f.is_file()]
    assert desk.client.sync().is_noop


def test_an_attachment_becomes_a_file_beside_and_a_plain_link(desk: Desk, tmp_path: Path) -> None:
    """An attached picture lies beside the note with equal bytes, and the note links to it."""
    picture = tmp_path / "swatch.png"
    picture.write_bytes(png_bytes(9, 77))
    before = contents(desk.folder)
    note = desk.id("A/attach")
    desk.client.attach(note, picture)
    after = desk.sync()
    [path] = after.keys() - before.keys()
    assert ("A", ".png") == (str(Path(path).parent), Path(path).suffix)
    assert picture.read_bytes() == after[path]
    text = after["A/attach.md"].decode()
    assert f"]({Path(path).name})" in text.replace("%20", " ")
    assert text.endswith("The text of attach.\n")
    assert ":/" not in text
    assert desk.client.sync().is_noop


def test_a_deleted_notebook_takes_its_notes_along(desk: Desk) -> None:
    """A notebook deleted for good is a folder less, and the rest stays as it is; R-J-82."""
    book = desk.client.create_notebook("Doomed")
    desk.client.create_notes(
        [{"title": f"doomed {n}", "body": "x\n", "folder_id": book} for n in range(3)]
    )
    full = desk.sync()
    assert {f"Doomed/doomed {n}.md" for n in range(3)} <= full.keys()
    desk.client.delete_notebook(book, permanent=True)
    after = desk.sync()
    assert {p: c for p, c in full.items() if not p.startswith("Doomed/")} == after
    assert desk.client.sync().is_noop
    assert book not in desk.bridge.dav().listing()
