"""Two clients and an editor on the same notes: they converge, and no text is lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.system.bridge import Bridge
from tests.system.profiles import Joplin
from tests.system.world import by_place, contents, replace_file, write

pytestmark = pytest.mark.joplin


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for number in range(6):
        write(tmp_path / "Notes" / "Book" / f"note {number}.md", f"Text {number}.\n")
    return tmp_path / "Notes"


def test_two_clients_and_an_editor_converge(
    joplin: Joplin, bridges: Callable[..., Bridge], folder: Path
) -> None:
    """Edits on the disk and on two devices at the same time end in one state everywhere."""
    bridge = bridges(folder)
    a, b = joplin.client(bridge.local_url), joplin.client(bridge.remote_url)
    for client in (a, b):
        assert client.sync().ok
    ids = {place: note["id"] for place, note in by_place(a).items()}
    book = (a.note(ids["Book/note 0"]) or {})["parent_id"]
    a.edit_notes(
        {
            ids["Book/note 0"]: {"body": "From A.\n"},
            ids["Book/note 1"]: {"title": "renamed by A"},
        }
    )
    b.edit_note(ids["Book/note 2"], body="From B.\n")
    b.create_note("new on B", f"See [it](:/{ids['Book/note 1']}).\n", folder_id=book)
    replace_file(folder / "Book" / "note 3.md", "From the disk.\n")
    (folder / "Book" / "note 4.md").rename(folder / "note 4.md")
    write(folder / "Other" / "new on disk.md", "New [link](../Book/note%205.md).\n")
    for client in (a, b, a):
        result = client.sync()
        assert result.ok, result.errors
    assert a.snapshot() == b.snapshot()
    notes = by_place(a, root="Notes")
    assert ids["Book/note 4"] == notes["note 4"]["id"]
    assert {
        "Book/note 0.md": b"From A.\n",
        "Book/renamed by A.md": b"Text 1.\n",
        "Book/note 2.md": b"From B.\n",
        "Book/note 3.md": b"From the disk.\n",
        "Book/note 5.md": b"Text 5.\n",
        "Book/new on B.md": b"See [it](renamed%20by%20A.md).\n",
        "note 4.md": b"Text 4.\n",
        "Other/new on disk.md": b"New [link](../Book/note%205.md).\n",
    } == contents(folder)
    assert f"New [link](:/{ids['Book/note 5']}).\n" == notes["Other/new on disk"]["body"]
    for client in (a, b):
        assert client.conflicts() == []
        assert client.sync().is_noop


def test_a_conflict_keeps_both_texts(
    joplin: Joplin, bridges: Callable[..., Bridge], folder: Path
) -> None:
    """A note changed on disk and on a device: the disk's text stays, the device keeps its own."""
    bridge = bridges(folder)
    client = joplin.client(bridge.remote_url)
    assert client.sync().ok
    note = by_place(client)["Book/note 0"]["id"]
    replace_file(folder / "Book" / "note 0.md", "From the disk.\n")
    client.edit_note(note, body="From the device.\n")
    result = client.sync()
    assert result.ok, result.errors
    assert result.count("noteConflict") == 1
    assert [row["body"] for row in client.conflicts()] == ["From the device.\n"]
    assert (client.note(note) or {})["body"] == "From the disk.\n"
    assert contents(folder)["Book/note 0.md"] == b"From the disk.\n"
    assert client.sync().is_noop


def test_a_note_deleted_on_disk_and_edited_on_a_device_is_not_lost(
    joplin: Joplin, bridges: Callable[..., Bridge], folder: Path
) -> None:
    """The device's text survives, as a note again or as the device's conflict copy."""
    bridge = bridges(folder)
    client = joplin.client(bridge.remote_url)
    assert client.sync().ok
    note = by_place(client)["Book/note 0"]["id"]
    client.edit_note(note, body="Still wanted.\n")
    (folder / "Book" / "note 0.md").unlink()
    result = client.sync()
    assert result.ok, result.errors
    kept = [row["body"] for row in client.conflicts()] + [
        row["body"] for row in client.notes() if row["body"] == "Still wanted.\n"
    ]
    assert kept == ["Still wanted.\n"]
