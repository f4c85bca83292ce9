"""Files and whole folders that go away, for good or for a moment."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.system.bridge import VANISH_GRACE, Bridge, eventually
from tests.system.client.joplin_client import JoplinClient
from tests.system.client.sync_report import SyncResult
from tests.system.profiles import Joplin
from tests.system.world import by_place, write

pytestmark = pytest.mark.joplin


class Outage(NamedTuple):
    """A client that synced before, during and after its folder could not be read."""

    before: dict
    during: SyncResult
    after_failure: dict
    listing_status: int
    back: SyncResult
    after: dict


def make_notes(folder: Path, count: int = 6) -> Path:
    for number in range(count):
        write(folder / "Book" / f"note {number}.md", f"Text {number}.\n")
    return write(folder / "Book" / "Inner" / "deep.md", "Deep.\n").parents[2]


def rename_away(folder: Path) -> Callable[[], object]:
    """The whole folder is elsewhere for a while."""
    elsewhere = folder.with_name("Elsewhere")
    folder.rename(elsewhere)
    return lambda: elsewhere.rename(folder)


def empty(folder: Path) -> Callable[[], object]:
    """The folder is there but holds nothing, like a mount point without its disk."""
    elsewhere = folder.with_name("Elsewhere")
    elsewhere.mkdir()
    names = [child.name for child in folder.iterdir()]
    for name in names:
        (folder / name).rename(elsewhere / name)
    return lambda: [(elsewhere / name).rename(folder / name) for name in names]


KINDS = {"renamed away": rename_away, "emptied": empty}


@pytest.fixture(scope="module")
def outages(
    joplin: Joplin, bridges: Callable[..., Bridge], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Outage]:
    """Both kinds at the same time: a client tries for 21 seconds before it gives up."""

    def prepare(name: str) -> tuple[Bridge, JoplinClient]:
        folder = make_notes(tmp_path_factory.mktemp("outage") / "Notes")
        bridge = bridges(folder)
        return bridge, joplin.client(bridge.remote_url if name == "emptied" else bridge.local_url)

    def suffer(name: str, bridge: Bridge, client: JoplinClient) -> Outage:
        first = client.sync()
        assert first.ok, first.errors
        before = client.snapshot()
        undo = KINDS[name](bridge.folder)
        during = client.sync()
        after_failure = client.snapshot()
        status = bridge.dav().propfind(depth=1).status
        undo()
        eventually(
            lambda: bridge.dav().propfind(depth=1).status,
            within=10,
            accept=lambda status: status == 207,
        )
        return Outage(before, during, after_failure, status, client.sync(), client.snapshot())

    prepared = {name: prepare(name) for name in KINDS}
    with ThreadPoolExecutor() as pool:
        running = {name: pool.submit(suffer, name, *pair) for name, pair in prepared.items()}
        return {name: future.result() for name, future in running.items()}


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_that_is_gone_is_an_error_and_not_an_empty_listing(
    outages: dict[str, Outage], kind: str
) -> None:
    """While the folder cannot be read, the listing is 503 and the client keeps everything; C049."""
    outage = outages[kind]
    assert outage.listing_status == 503
    assert not outage.during.ok
    assert outage.before == outage.after_failure


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_that_is_back_is_the_same(outages: dict[str, Outage], kind: str) -> None:
    """Once the folder is back the client has the same notes, the same ids, and nothing to do."""
    outage = outages[kind]
    assert outage.back.ok, outage.back.errors
    assert outage.before == outage.after
    assert outage.back.operations == []


def test_a_file_deleted_on_disk_leaves_joplin_after_the_grace(
    joplin: Joplin, bridges: Callable[..., Bridge], tmp_path: Path
) -> None:
    """A deleted file stays a note for the grace, in case it comes back, and then goes; MODEL 11."""
    folder = make_notes(tmp_path / "Notes")
    bridge = bridges(folder)
    client = joplin.client(bridge.remote_url)
    assert client.sync().ok
    before = by_place(client)
    gone = before["Book/note 3"]["id"]
    (folder / "Book" / "note 3.md").unlink()
    assert gone in bridge.dav().listing()
    listing = eventually(
        bridge.dav().listing, within=VANISH_GRACE + 8, accept=lambda names: gone not in names
    )
    assert gone not in listing
    result = client.sync()
    assert result.ok, result.errors
    expected = {place: note["id"] for place, note in before.items() if note["id"] != gone}
    assert expected == {place: note["id"] for place, note in by_place(client).items()}


def test_a_deleted_folder_leaves_joplin_with_its_notes(
    joplin: Joplin, bridges: Callable[..., Bridge], tmp_path: Path
) -> None:
    """A folder deleted on disk takes its notes along, and none becomes a conflict."""
    folder = make_notes(tmp_path / "Notes", count=20)
    bridge = bridges(folder)
    client = joplin.client(bridge.remote_url)
    assert client.sync().ok
    [book] = [row["id"] for row in client.folders() if row["title"] == "Inner"]
    shutil.rmtree(folder / "Book" / "Inner")
    eventually(
        bridge.dav().listing, within=VANISH_GRACE + 8, accept=lambda names: book not in names
    )
    result = client.sync()
    assert result.ok, result.errors
    assert {f"Book/note {n}" for n in range(20)} == by_place(client).keys()
    assert client.conflicts() == []
    assert [row["title"] for row in client.folders()] == ["Book"]


def test_a_folder_served_from_its_new_place_is_the_same(
    joplin: Joplin, bridges: Callable[..., Bridge], tmp_path: Path
) -> None:
    """A folder moved elsewhere and served with the same state keeps every id; MODEL 4."""
    folder = make_notes(tmp_path / "Notes")
    bridge = bridges(folder)
    client = joplin.client(bridge.remote_url)
    assert client.sync().ok
    before = client.snapshot()
    bridge.stop()
    bridge.folder = folder.rename(tmp_path / "Moved")
    bridge.start()
    result = client.sync()
    assert result.ok, result.errors
    assert before == client.snapshot()
    assert result.operations == []


def test_a_folder_changed_while_nobody_served_it_keeps_its_ids(
    joplin: Joplin, bridges: Callable[..., Bridge], tmp_path: Path
) -> None:
    """Moves and renames made while the server was down are found at its start; C023."""
    folder = make_notes(tmp_path / "Notes")
    bridge = bridges(folder)
    client = joplin.client(bridge.remote_url)
    assert client.sync().ok
    ids = {place: note["id"] for place, note in by_place(client).items()}
    bridge.stop()
    (folder / "Book" / "note 1.md").rename(folder / "Book" / "Inner" / "other name.md")
    (folder / "Book" / "note 2.md").write_text("Rewritten.\n")
    (folder / "Book").rename(folder / "Library")
    bridge.start()
    result = client.sync()
    assert result.ok, result.errors
    expected = {place.replace("Book/", "Library/"): item_id for place, item_id in ids.items()}
    expected["Library/Inner/other name"] = expected.pop("Library/note 1")
    notes = by_place(client)
    assert expected == {place: note["id"] for place, note in notes.items()}
    assert notes["Library/note 2"]["body"] == "Rewritten.\n"
    assert client.conflicts() == []
