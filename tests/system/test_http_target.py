"""The address as a WebDAV collection: names, statuses, hrefs, dates (C001 to C016, C064)."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import pytest

from tests.system.bridge import Bridge
from tests.system.items import folder as folder_item
from tests.system.items import iso, new_id, note, now_ms, read_item
from tests.system.webdav import Dav, read_multistatus
from tests.system.world import contents, on_disk, write

HTTP_DATE = re.compile(
    r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d "
    r"(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT"
)
ITEM_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
IN_INDIA = {"TZ": "Asia/Kolkata", "LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8"}


@pytest.fixture(scope="module")
def far(bridges: Callable[..., Bridge], tmp_path_factory: pytest.TempPathFactory) -> Bridge:
    """A server in another time zone and language, over a folder with one note."""
    folder = tmp_path_factory.mktemp("target") / "Notes"
    write(folder / "Book" / "kept.md", "Kept.\n")
    return bridges(folder, environment=IN_INDIA)


@pytest.fixture(scope="module")
def dav(far: Bridge) -> Dav:
    return far.dav()


def test_hrefs_are_exactly_the_address(dav: Dav) -> None:
    """With and without a last slash: absolute paths, single slashes, the root among them; C001."""
    for raw in ("/joplin", "/joplin/"):
        answer = dav.propfind(depth=1, raw=raw)
        assert answer.status == 207
        entries = read_multistatus(answer)
        hrefs = [entry.href for entry in entries]
        assert "/joplin/" in hrefs
        assert len(set(hrefs)) == len(hrefs)
        assert [href for href in hrefs if not href.startswith("/joplin/") or "//" in href] == []
        assert [e.href for e in entries if e.collection != e.href.endswith("/")] == []
    assert {"/joplin/info.json", "/joplin/.resource/", "/joplin/locks/", "/joplin/temp/"} <= set(
        hrefs
    )


def test_doubled_slashes_and_other_case(dav: Dav) -> None:
    """A doubled slash is no redirect, another letter case is another address; C001."""
    assert dav.request("GET", raw="/joplin//info.json").status == 200
    assert dav.propfind(depth=1, raw="/joplin//").status == 207
    assert dav.propfind(depth=1, raw="/Joplin/").status == 404
    assert dav.propfind(depth=1, raw="/JOPLIN").status == 404


@pytest.mark.parametrize("path", ["{id}.md", ".resource/{id}", "locks/none.json", ".sync/none.txt"])
def test_what_is_not_there_is_404(dav: Dav, path: str) -> None:
    """Absent items, blobs and protocol files are 404 for every method; C003."""
    name = path.replace("{id}", new_id())
    assert dav.propfind(name).status == 404
    assert dav.get(name).status == 404
    assert dav.delete(name).status in (204, 404)


def test_the_version_file_is_absent_until_it_is_written(dav: Dav) -> None:
    """`.sync/version.txt` is for very old clients, who write it themselves; C003."""
    assert dav.get(".sync/version.txt").status == 404


def test_first_contact_of_an_old_client_works(bridge: Bridge) -> None:
    """Set-up, time check and lock of any client generation succeed, and are no content; C004."""
    dav = bridge.dav()
    steps = [
        (dav.get("info.json"), (200,)),
        (dav.mkcol("locks/"), (201, 405)),
        (dav.mkcol("temp/"), (201, 405)),
        (dav.put("temp/timeCheck1.txt", "timeCheck"), (201,)),
        (dav.propfind("temp/timeCheck1.txt"), (207,)),
        (dav.delete("temp/timeCheck1.txt"), (204,)),
        (dav.put(f"locks/2_1_{new_id()}.json", "{}"), (201,)),
        (dav.put("info.json", '{"version": 3}'), (201, 204)),
        (dav.mkcol(".resource/"), (201, 405)),
        (dav.mkcol(".sync/"), (201, 405)),
        (dav.mkcol(".lock/"), (201, 405)),
        (dav.mkcol("locks/"), (405,)),
        (
            dav.put("info.json", '{"version": 3, "e2ee": {"value": false, "updatedTime": 0}}'),
            (204,),
        ),
    ]
    assert [str(answer) for answer, allowed in steps if answer.status not in allowed] == []
    assert '"updatedTime": 0' in dav.get("info.json").text
    assert contents(bridge.folder) == {}
    assert dav.listing() == {}


def test_the_time_check_has_the_true_time(dav: Dav) -> None:
    """A file in temp/ or locks/ has the wall-clock time of its PUT, at once; PROTOCOL 3."""
    for name in ("temp/timeCheck7.txt", f"locks/1_2_{new_id()}.json"):
        dav.put(name, "timeCheck")
        [entry] = read_multistatus(dav.propfind(name))
        written = parsedate_to_datetime(entry.modified)
        assert abs((written - datetime.now(UTC)).total_seconds()) < 3
        assert dav.delete(name).status == 204


def test_dummy_conditions_are_ignored_and_true_ones_are_not(bridge: Bridge) -> None:
    """The unquoted If-None-Match of every request is nothing, `*` is a condition; C005, R-J-13."""
    dav, item_id, blob = bridge.dav(), new_id(), new_id()
    item = note(item_id, "T", "one\n")
    assert dav.put(f"{item_id}.md", item).status == 201
    assert dav.put(f"{item_id}.md", note(item_id, "T", "two\n")).status == 204
    assert dav.put(f".resource/{blob}", b"\0\1").status == 201
    assert dav.propfind(f"{item_id}.md").status == 207
    refused = dav.request("PUT", f"{item_id}.md", item, headers={"If-None-Match": "*"})
    assert refused.status == 412
    assert read_item(dav.get(f"{item_id}.md").text).body == "two\n"
    assert dav.delete(f"{item_id}.md").status == 204


def test_dates_are_english_and_in_greenwich_time(far: Bridge, dav: Dav) -> None:
    """Whatever the server's zone and language: RFC 1123 in the listing, UTC in items; C016."""
    entries = dav.entries()
    assert [e.modified for e in entries if not HTTP_DATE.fullmatch(e.modified)] == []
    for item_id, seconds in dav.listed_seconds().items():
        assert abs(seconds - now_ms() / 1000) < 300
        item = read_item(dav.get(f"{item_id}.md").text)
        for name in ("created_time", "updated_time", "user_created_time", "user_updated_time"):
            assert ITEM_TIME.fullmatch(item[name]), item[name]
        moment = datetime.fromisoformat(item["updated_time"])
        assert abs((moment - datetime.now(UTC)).total_seconds()) < 300


def test_an_uploaded_time_comes_back_to_the_millisecond(dav: Dav) -> None:
    """What a client says about times is returned as it was said; C016."""
    book, item_id = new_id(), new_id()
    dav.put(f"{book}.md", folder_item(book, "Times"))
    text = note(
        item_id,
        "Old",
        "x\n",
        book,
        created_time="2019-03-31T01:30:00.123Z",
        user_created_time="1999-12-31T23:59:59.999Z",
        updated_time=iso(now_ms() - 86_400_000),
    )
    assert dav.put(f"{item_id}.md", text).status == 201
    assert dav.get(f"{item_id}.md").text == text


@pytest.mark.parametrize("method", ["GET", "PUT", "PROPFIND", "DELETE", "MKCOL"])
@pytest.mark.parametrize(
    "path",
    [
        "/joplin/..%2f..%2f..%2fetc%2fpasswd",
        "/joplin/%2e%2e/%2e%2e/etc/passwd",
        "/joplin/../../../etc/passwd",
        "/joplin/.resource/..%2f..%2fstate.sqlite",
        "/joplin/..%5c..%5cwindows%5cwin.ini",
        "/joplin/temp/%00x",
        "/joplin/temp/%2e%2e%2f%2e%2e%2fx",
        "/joplin/.davbridge/trash",
        "/joplin/.git/config",
    ],
)
def test_nothing_outside_is_reached(far: Bridge, dav: Dav, method: str, path: str) -> None:
    """Dots, encoded slashes, backslashes and NUL lead nowhere, for reading or writing; C064."""
    files = on_disk(far.folder)
    body = "x" if method == "PUT" else None
    answer = dav.request(method, body=body, raw=path, headers={"Depth": "0"})
    assert 400 <= answer.status < 500 or (method, answer.status) == ("DELETE", 204), str(answer)
    assert b"root:" not in answer.body
    assert files == on_disk(far.folder)


@pytest.mark.parametrize("method", ["COPY", "MOVE"])
def test_nothing_is_copied_outside(dav: Dav, method: str) -> None:
    """A destination outside the address is refused, and the source stays; C064."""
    for destination in ("/joplin/..%2f..%2fx", "/joplin/../x", "/etc/x", "http://other/joplin/x"):
        answer = dav.request(method, "info.json", headers={"Destination": destination})
        assert 400 <= answer.status < 600, str(answer)
        assert answer.status != 500
        assert dav.get("info.json").status == 200


@pytest.mark.parametrize("method", ["COPY", "MOVE", "DELETE"])
@pytest.mark.parametrize("raw", ["/joplin/", "/joplin", "joplin", "/joplin/?a=b"])
def test_the_target_itself_cannot_be_moved_or_removed(dav: Dav, method: str, raw: str) -> None:
    """R-J-14: the root of the target answers every such request with a refusal, never a 500."""
    answer = dav.request(method, raw=raw, headers={"Destination": "/joplin/x"})
    assert 400 <= answer.status < 500, str(answer)
    assert dav.get("info.json").status == 200


def test_links_out_of_the_folder_are_not_followed(
    bridges: Callable[..., Bridge], tmp_path: Path
) -> None:
    """Symbolic links to elsewhere, .git and hidden files are neither listed nor readable; C064."""
    secret = write(tmp_path / "outside" / "secret.md", "secret words\n").parent
    (secret / "secret.png").write_bytes(b"secret picture")
    folder = tmp_path / "Notes"
    text = "![a](out/secret.png) ![b](link.png) [c](out/secret.md) ![d](../outside/secret.png)\n"
    write(folder / "Book" / "note.md", text)
    write(folder / ".git" / "note.md", "secret words\n")
    (folder / "Book" / "out").symlink_to(secret)
    (folder / "Book" / "link.png").symlink_to(secret / "secret.png")
    (folder / "linked.md").symlink_to(secret / "secret.md")
    dav = bridges(folder).dav()
    items = [read_item(dav.get(f"{item_id}.md").text) for item_id in dav.listing()]
    assert sorted(item.title for item in items) == ["Book", "note"]
    assert text in [item.body for item in items]
