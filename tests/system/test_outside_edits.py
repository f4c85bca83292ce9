"""What happens to files on disk reaches every client at its next sync, with the same id."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.system.bridge import Bridge, eventually
from tests.system.client.joplin_client import JoplinClient
from tests.system.items import read_item
from tests.system.profiles import Joplin
from tests.system.world import by_place, git, replace_file, write

pytestmark = pytest.mark.joplin

STORIES = (
    "mv",
    "git mv",
    "temporary file",
    "moved aside",
    "written anew",
    "old time",
    "two edits",
    "appended",
    "moved and edited",
)
IN_FOLDERS = {"Old name": ("one", "two", "three"), "Old name/Deep": ("four",), "Up": ("five",)}


class Desk(NamedTuple):
    """A folder under Git, its server, and one client on each address that has all of it."""

    folder: Path
    bridge: Bridge
    clients: tuple[JoplinClient, JoplinClient]
    ids: dict[str, str]

    def reach(self, changes: dict[str, str], places: dict[str, str] | None = None) -> None:
        """Sync both clients once: ids in `changes` have their text, every id is in its place.

        `places` exchanges old places for new ones; nothing else may have moved, come or gone.
        """
        moved = {(places or {}).get(place, place): i for place, i in self.ids.items()}
        for client in self.clients:
            result = client.sync()
            assert result.ok, result.errors
            notes = by_place(client)
            assert moved == {place: note["id"] for place, note in notes.items()}
            bodies = {note["id"]: note["body"] for note in notes.values()}
            assert changes == {item_id: bodies[item_id] for item_id in changes}
            assert 0 == result.count("deleteLocal") + result.count("createLocal")
            assert [] == client.conflicts()
        self.ids.clear()
        self.ids.update(moved)

    def stays_listed(self, *item_ids: str) -> None:
        """For 0.3 s, in which the server learns of a change, no listing lacks any of the ids."""
        dav, wanted = self.bridge.dav(), set(item_ids)
        lacking = eventually(lambda: wanted - dav.listing().keys(), within=0.3)
        assert lacking == set()


@pytest.fixture(scope="module")
def desk(
    joplin: Joplin,
    bridges: Callable[..., Bridge],
    tmp_path_factory: pytest.TempPathFactory,
) -> Desk:
    folder = tmp_path_factory.mktemp("outside") / "Desk"
    for name in STORIES:
        write(folder / "A" / f"{name}.md", f"The text of {name}.\n")
    write(folder / "B" / "resident.md", "To [one](../A/mv.md) and [two](../A/git%20mv.md).\n")
    for parent, names in IN_FOLDERS.items():
        for name in names:
            write(folder / parent / f"{name}.md", f"Text {name}.\n")
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "Begin")
    bridge = bridges(folder)
    clients = joplin.client(bridge.local_url), joplin.client(bridge.remote_url)
    for client in clients:
        result = client.sync()
        assert result.ok, result.errors
    ids = {place: note["id"] for place, note in by_place(clients[0]).items()}
    return Desk(folder, bridge, clients, ids)


def test_mv_keeps_the_note(desk: Desk) -> None:
    """A file moved with `mv` is the same note at another place; R-J-44."""
    shutil.move(desk.folder / "A" / "mv.md", desk.folder / "B" / "moved.md")
    desk.reach({}, {"A/mv": "B/moved"})


def test_git_mv_keeps_the_note(desk: Desk) -> None:
    """A file moved with `git mv` is the same note, and so it is after the commit; C023."""
    git(desk.folder, "mv", "A/git mv.md", "B/git moved.md")
    git(desk.folder, "commit", "-q", "-m", "Move")
    desk.reach({}, {"A/git mv": "B/git moved"})


def test_a_save_through_a_temporary_file_is_an_edit(desk: Desk) -> None:
    """An editor that writes a new file and renames it over the old one edits the note; C021 a."""
    replace_file(desk.folder / "A" / "temporary file.md", "Saved by rename.\n")
    desk.reach({desk.ids["A/temporary file"]: "Saved by rename.\n"})


def test_moving_the_original_aside_is_an_edit(desk: Desk) -> None:
    """An editor that keeps a backup while it writes edits the note; C021 b."""
    file = desk.folder / "A" / "moved aside.md"
    backup = file.with_name(file.name + "~")
    file.rename(backup)
    file.write_text("Written beside the backup.\n")
    backup.unlink()
    desk.reach({desk.ids["A/moved aside"]: "Written beside the backup.\n"})


def test_a_removed_and_rewritten_file_is_an_edit(desk: Desk) -> None:
    """A file that is gone in one listing and back in the next keeps its note; C021 c."""
    file = desk.folder / "A" / "written anew.md"
    file.unlink()
    desk.stays_listed(desk.ids["A/written anew"])
    file.write_text("Written anew.\n")
    desk.reach({desk.ids["A/written anew"]: "Written anew.\n"})


def test_an_old_time_hides_nothing(desk: Desk) -> None:
    """A change whose file carries an old time arrives like any other."""
    file = desk.folder / "A" / "old time.md"
    replace_file(file, "New text, old time.\n")
    os.utime(file, (1546300800, 1546300800))  # touch -d 2019-01-01
    desk.reach({desk.ids["A/old time"]: "New text, old time.\n"})


def test_a_new_file_with_an_old_time_arrives(desk: Desk) -> None:
    """A file copied with its times kept is a new note for every client."""
    file = write(desk.folder / "A" / "copied.md", "From the archive.\n")
    os.utime(file, (1546300800, 1546300800))
    for client in desk.clients:
        result = client.sync()
        assert result.ok, result.errors
        assert "From the archive.\n" == by_place(client)["A/copied"]["body"]
    desk.ids["A/copied"] = by_place(desk.clients[0])["A/copied"]["id"]


def test_two_edits_within_one_second_both_arrive(desk: Desk) -> None:
    """A second edit in the same second gets a later listed time and a later stamp; R-J-51."""
    dav, item_id = desk.bridge.dav(), desk.ids["A/two edits"]
    file = desk.folder / "A" / "two edits.md"
    seen = [(dav.listed_seconds()[item_id], read_item(dav.get(f"{item_id}.md").text))]
    for text in ("First.\n", "Second.\n"):
        replace_file(file, text)
        item = eventually(
            lambda: read_item(dav.get(f"{item_id}.md").text),
            within=2,
            accept=lambda item, text=text: item.body == text,
            every=0.01,
        )
        assert text == item.body
        seen.append((dav.listed_seconds()[item_id], item))
    assert seen[0][0] < seen[1][0] < seen[2][0]
    stamps = [item["updated_time"] for _, item in seen]
    assert sorted(set(stamps)) == stamps
    desk.reach({item_id: "Second.\n"})


def test_edits_between_syncs_at_once_all_arrive(desk: Desk) -> None:
    """Edits in place, one right after each sync, are never taken for the one before."""
    item_id = desk.ids["A/appended"]
    file = desk.folder / "A" / "appended.md"
    for turn in range(2):
        with file.open("a") as stream:
            stream.write(f"Line {turn}.\n")
        desk.reach({item_id: file.read_text()})


def test_a_move_with_an_edit_keeps_the_note(desk: Desk) -> None:
    """A file that moves and changes between two syncs is still the same note."""
    target = desk.folder / "B" / "moved and edited.md"
    shutil.move(desk.folder / "A" / "moved and edited.md", target)
    with target.open("a") as stream:
        stream.write("One more line.\n")
    item_id = desk.ids["A/moved and edited"]
    desk.stays_listed(item_id)
    desk.reach({}, {"A/moved and edited": "B/moved and edited"})
    for client in desk.clients:
        assert (client.note(item_id) or {})["body"].endswith("\nOne more line.\n")


def test_a_renamed_folder_is_the_same_notebook(desk: Desk) -> None:
    """A folder renamed and moved with its notes keeps all ids, its own too; C026."""
    books = {row["title"]: row["id"] for row in desk.clients[0].folders()}
    (desk.folder / "Old name").rename(desk.folder / "Up" / "New name")
    desk.stays_listed(*books.values(), *desk.ids.values())
    desk.reach(
        {},
        {
            "Old name/one": "Up/New name/one",
            "Old name/two": "Up/New name/two",
            "Old name/three": "Up/New name/three",
            "Old name/Deep/four": "Up/New name/Deep/four",
        },
    )
    for client in desk.clients:
        row = client.folder(books["Old name"]) or {}
        assert ("New name", books["Up"]) == (row["title"], row["parent_id"])
        assert books["Old name"] == (client.folder(books["Deep"]) or {})["parent_id"]
