"""Bytes that must not be lost: blobs, torn uploads, encryption, outages, deletions, conflicts."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from tests.system.bridge import VANISH_GRACE, Bridge, eventually
from tests.system.items import folder as folder_item
from tests.system.items import iso, new_id, note, now_ms, read_item, resource
from tests.system.test_http_errors import assert_sentence
from tests.system.webdav import Dav
from tests.system.world import contents, on_disk, replace_file


@pytest.fixture
def dav(bridge: Bridge) -> Dav:
    return bridge.dav()


@pytest.fixture
def book(dav: Dav) -> str:
    book = new_id()
    assert dav.put(f"{book}.md", folder_item(book, "Book")).status == 201
    return book


def put_note(dav: Dav, book: str, title: str, body: str, **changes: str) -> str:
    item_id = new_id()
    answer = dav.put(f"{item_id}.md", note(item_id, title, body, book, **changes))
    assert answer.ok, str(answer)
    return item_id


@pytest.mark.parametrize("size", [0, 12 * 1024 * 1024])
def test_a_blob_before_its_metadata_and_note(
    bridge: Bridge, dav: Dav, book: str, size: int
) -> None:
    """A blob that comes first arrives whole, binary and under its name beside the note; C007."""
    block = b"\xef\xbb\xbf" + bytes(range(256)) + b"\r\n\r\n\n\r"
    blob, wanted = new_id(), (block * (size // len(block) + 1))[:size]
    assert dav.put(f".resource/{blob}", wanted).status == 201
    changes = {"filename": "sound.bin", "file_extension": "bin"}
    assert dav.put(f"{blob}.md", resource(blob, "sound.bin", size, **changes)).status == 201
    put_note(dav, book, "Linked", f"[sound](:/{blob})\n")
    on_server = dav.get(f".resource/{blob}")
    assert on_server.status == 200
    assert hashlib.sha256(wanted).digest() == hashlib.sha256(on_server.body).digest()
    files = contents(bridge.folder)
    assert {"Book/Linked.md", "Book/sound.bin"} == files.keys()
    assert hashlib.sha256(wanted).digest() == hashlib.sha256(files["Book/sound.bin"]).digest()
    assert files["Book/Linked.md"] == b"[sound](sound.bin)\n"


def test_a_torn_upload_is_never_seen(bridge: Bridge, dav: Dav, book: str) -> None:
    """While half of an upload is on its way, and after it broke, the old text is served; C009."""
    known = put_note(dav, book, "Known", "old content\n")
    fresh = new_id()
    item, files = dav.get(f"{known}.md").text, on_disk(bridge.folder)
    for item_id in (known, fresh):
        body = note(item_id, "Known", "x" * 1_000_000, book).encode()
        with dav.half_sent(f"{item_id}.md", body, sent=500_000):
            assert item == dav.get(f"{known}.md").text
            assert dav.get(f"{fresh}.md").status == 404
            assert files == on_disk(bridge.folder)
    assert item == dav.get(f"{known}.md").text
    assert dav.get(f"{fresh}.md").status == 404
    assert files == on_disk(bridge.folder)
    assert {known, book} == dav.listing().keys()
    spooled = [file for file in (bridge.state / "spool").rglob("*") if file.is_file()]
    left = eventually(
        lambda: [file for file in spooled if file.exists()], within=10, accept=lambda left: not left
    )
    assert left == []


def test_cipher_text_never_replaces_a_file(bridge: Bridge, dav: Dav, book: str) -> None:
    """An encrypted upload of a plain note leaves the file as it is, and the log says why; C011."""
    item_id = put_note(dav, book, "Plain", "readable\n")
    lines = note(item_id, "", "", book).strip("\n").split("\n")
    kept = ("id", "parent_id", "share_id", "updated_time", "deleted_time", "type_")
    encrypted = "\n".join(
        {"encryption_applied": "encryption_applied: 1"}.get(name)
        or (f"{name}: JED010000220a" if name == "encryption_cipher_text" else None)
        or (line if name in kept else f"{name}: ")
        for line in lines
        for name in [line.split(":")[0]]
    )
    answer = dav.put(f"{item_id}.md", encrypted)
    assert contents(bridge.folder) == {"Book/Plain.md": b"readable\n"}
    served = dav.get(f"{item_id}.md").text
    if answer.ok:
        assert encrypted == served
    else:
        assert 400 <= answer.status < 500
        assert read_item(served).body == "readable\n"
    assert item_id in dav.listing()
    assert "encrypt" in bridge.log().lower()


def test_switching_on_encryption_is_refused_with_a_reason(bridge: Bridge, dav: Dav) -> None:
    """The one moment to decline encryption is the client's info.json; decision 5, PROTOCOL 9."""
    before = dav.get("info.json").text
    answer = dav.put("info.json", '{"version": 3, "e2ee": {"value": true, "updatedTime": 1}}')
    assert answer.status == 403
    assert_sentence(answer, bridge)
    assert "encrypt" in answer.text.lower()
    assert before == dav.get("info.json").text


def test_a_folder_that_is_gone_is_503(bridge: Bridge, dav: Dav, book: str) -> None:
    """Renamed away the folder makes everything but info.json 503, and back it is the same; C049."""
    item_id = put_note(dav, book, "Kept", "kept\n")
    item, listing = dav.get(f"{item_id}.md").text, dav.listing()
    elsewhere = bridge.folder.rename(bridge.folder.with_name("Elsewhere"))
    answer = dav.propfind(depth=1)
    assert answer.status == 503
    assert "retry-after" in answer.headers
    assert_sentence(answer, bridge)
    assert dav.get(f"{item_id}.md").status in (200, 503)
    assert dav.put(f"{item_id}.md", note(item_id, "Kept", "lost?\n", book)).status == 503
    fresh = new_id()
    assert dav.put(f"{fresh}.md", note(fresh, "x", "x\n", book)).status == 503
    assert dav.get("info.json").status in (200, 503)
    assert not bridge.folder.exists()
    elsewhere.rename(bridge.folder)
    eventually(lambda: dav.propfind(depth=1).status == 207, within=10)
    assert listing == dav.listing()
    assert item == dav.get(f"{item_id}.md").text


def test_a_folder_that_is_missing_at_the_start_is_503(bridge: Bridge, dav: Dav, book: str) -> None:
    """A server started before its disk is mounted answers 503 and forgets nothing; C049."""
    item_id = put_note(dav, book, "Kept", "kept\n")
    listing, item = dav.listing(), dav.get(f"{item_id}.md").text
    bridge.stop()
    elsewhere = bridge.folder.rename(bridge.folder.with_name("Elsewhere"))
    try:
        bridge.start()
        assert dav.propfind(depth=1).status == 503
        assert dav.get("info.json").status in (200, 503)
    finally:
        elsewhere.rename(bridge.folder)
    eventually(lambda: dav.propfind(depth=1).status == 207, within=10)
    assert listing == dav.listing()
    assert item == dav.get(f"{item_id}.md").text


def test_an_emptied_folder_is_503(bridge: Bridge, dav: Dav, book: str) -> None:
    """A folder that suddenly holds nothing is a mount point without its disk; MODEL 11."""
    for number in range(5):
        put_note(dav, book, f"note {number}", "kept\n")
    listing = dav.listing()
    shutil.move(bridge.folder / "Book", bridge.folder.with_name("Away"))
    grace = [dav.propfind(depth=1).status for _ in range(3)]
    assert set(grace) <= {207, 503}
    status = eventually(
        lambda: dav.propfind(depth=1).status, within=6, accept=lambda status: status == 503
    )
    assert status == 503
    shutil.move(bridge.folder.with_name("Away"), bridge.folder / "Book")
    eventually(lambda: dav.propfind(depth=1).status == 207, within=10)
    lacking = eventually(lambda: listing.keys() ^ dav.listing().keys(), within=VANISH_GRACE + 1)
    assert lacking == set()


def test_a_deletion_is_recoverable_and_final(bridge: Bridge, dav: Dav, book: str) -> None:
    """A deleted note is gone at once and for good, but its text is in the trash; C051."""
    item_id = put_note(dav, book, "Gone", "recover me\n")
    assert dav.delete(f"{item_id}.md").status == 204
    assert dav.get(f"{item_id}.md").status == 404
    assert contents(bridge.folder) == {}
    trash = [file.read_bytes() for file in (bridge.folder / ".davbridge").rglob("*.md")]
    assert trash == [b"recover me\n"]
    assert dav.delete(f"{item_id}.md").status in (204, 404)
    bridge.restart()
    assert {book} == dav.listing().keys()
    assert contents(bridge.folder) == {}


def test_a_note_in_the_trash_comes_back(bridge: Bridge, dav: Dav, book: str) -> None:
    """A date of deletion takes the file away, taking it back returns id and place; C051."""
    item_id = put_note(dav, book, "Trashed", "back soon\n")
    for deleted, files in ((now_ms(), {}), (0, {"Book/Trashed.md": b"back soon\n"})):
        changes = {"deleted_time": str(deleted), "updated_time": iso(now_ms())}
        text = note(item_id, "Trashed", "back soon\n", book, **changes)
        assert dav.put(f"{item_id}.md", text).status == 204
        assert files == contents(bridge.folder)
        assert text == dav.get(f"{item_id}.md").text
        assert item_id in dav.listing()


def test_an_outside_edit_that_nobody_saw_is_not_overwritten(
    bridge: Bridge, dav: Dav, book: str
) -> None:
    """An upload built on an older text replaces it, and the newer text gets a copy; C018."""
    item_id = put_note(dav, book, "Disputed", "v1\n")
    assert dav.get(f"{item_id}.md").ok
    replace_file(bridge.folder / "Book" / "Disputed.md", "v2 from the disk\n")
    later = note(item_id, "Disputed", "v3\n", book, updated_time=iso(now_ms()))
    assert dav.put(f"{item_id}.md", later).ok
    files = contents(bridge.folder)
    assert files["Book/Disputed.md"] == b"v3\n"
    assert sorted(files.values()) == [b"v2 from the disk\n", b"v3\n"]
    bodies = [read_item(dav.get(f"{name}.md").text).body for name in dav.listing()]
    assert sorted(bodies) == ["", "v2 from the disk\n", "v3\n"]


def test_a_stale_upload_does_not_replace_newer_text(bridge: Bridge, dav: Dav, book: str) -> None:
    """A blind upload of an older text, as after a reset, is kept aside; MODEL 7, FORMAT trap 11."""
    old = iso(now_ms() - 3_600_000)
    item_id = put_note(dav, book, "Reset", "newer\n")
    stale = note(item_id, "Reset", "older\n", book, updated_time=old)
    assert dav.put(f"{item_id}.md", stale).ok
    assert contents(bridge.folder) == {"Book/Reset.md": b"newer\n"}
    served = read_item(dav.get(f"{item_id}.md").text)
    assert served.body == "newer\n"
    assert served["updated_time"] > old


def test_files_that_were_there_are_never_touched_by_starting(
    bridge: Bridge, tmp_path: Path
) -> None:
    """Indexing, restarting and listing change no file and leave no file behind."""
    bridge.stop()
    replace_file(bridge.folder / "kept.md", "Kept\r\nas it is.")
    before = on_disk(bridge.folder)
    bridge.start()
    bridge.dav().listing()
    bridge.restart()
    bridge.dav().listing()
    assert before == on_disk(bridge.folder)
