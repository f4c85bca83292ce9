"""Requests that cannot be right: one clear sentence, nothing stored, and the next sync works."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.system.bridge import PASSWORD, Bridge
from tests.system.items import folder as folder_item
from tests.system.items import new_id, note
from tests.system.webdav import Answer, Dav, basic, receive
from tests.system.world import on_disk, write

MALFORMED = {
    "plain Markdown": "# Just a heading\n\nand text.\n",
    "a line feed at the end": note("{id}", "T", "b\n") + "\n",
    "no type": note("{id}", "T", "b\n").removesuffix("\ntype_: 1"),
    "a line without a colon": note("{id}", "T", "b\n") + "\nnonsense",
    "an unknown type": note("{id}", "T", "b\n", type_="99"),
    "no time of change": re.sub(r"\nupdated_time: .*", "", note("{id}", "T", "b\n"), count=1),
    "a time of change that is none": note("{id}", "T", "b\n", updated_time="yesterday"),
    "nothing at all": "",
}
WRONG_PATHS = (
    "/joplin/nope/",
    "/joplin/00000000000000000000000000000000.md/inside.md",
    "/jopln/",
    "/",
    "/joplin/.resource/sub/dir/x",
)
BAD_CREDENTIALS = {
    "none": None,
    "wrong password": basic("davbridge", "wrong"),
    "wrong user": basic("somebody", PASSWORD),
    "empty": basic("", ""),
    "not base64": "Basic !!!!",
    "not UTF-8": "Basic //79/Q==",
    "no colon": "Basic ZGF2YnJpZGdl",
    "another scheme": "Bearer abcdef",
    "no value": "Basic",
    "a very long one": "Basic " + "A" * 20000,
}


@pytest.fixture(scope="module")
def served(
    bridges: Callable[..., Bridge], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Bridge, Dav]:
    folder = tmp_path_factory.mktemp("errors") / "Private Notes"
    write(folder / "Book" / "kept.md", "Kept as it is.\n")
    bridge = bridges(folder, {})
    return bridge, bridge.dav()


@pytest.fixture(autouse=True)
def _nothing_happened(served: tuple[Bridge, Dav]) -> Iterator[None]:
    """Whatever a test sends here, afterwards the files and the listing are as they were."""
    bridge, dav = served
    files, listing = on_disk(bridge.folder), dav.listing()
    yield
    assert files == on_disk(bridge.folder)
    assert listing == dav.listing()


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_item_is_refused(served: tuple[Bridge, Dav], kind: str) -> None:
    """What no client could read is 400 and not stored; MODEL 9, FORMAT 1.7."""
    bridge, dav = served
    item_id = new_id()
    answer = dav.put(f"{item_id}.md", MALFORMED[kind].replace("{id}", item_id))
    assert answer.status == 400
    assert_sentence(answer, bridge)
    assert dav.get(f"{item_id}.md").status == 404


def test_an_item_under_another_name_is_refused(served: tuple[Bridge, Dav]) -> None:
    """An inner id that is not the name's would make an item that clients delete; MODEL 9."""
    bridge, dav = served
    inner, name = new_id(), new_id()
    answer = dav.put(f"{name}.md", note(inner, "T", "b\n"))
    assert answer.status == 400
    assert_sentence(answer, bridge)
    assert [dav.get(f"{item_id}.md").status for item_id in (inner, name)] == [404, 404]


@pytest.mark.parametrize("kind", MALFORMED)
def test_a_malformed_edit_leaves_the_note(served: tuple[Bridge, Dav], kind: str) -> None:
    """A bad upload over an existing note changes neither the note nor its file."""
    _, dav = served
    item_id, text = existing_note(dav)
    assert dav.put(f"{item_id}.md", MALFORMED[kind].replace("{id}", item_id)).status == 400
    assert dav.get(f"{item_id}.md").text == text


@pytest.mark.parametrize("path", WRONG_PATHS)
@pytest.mark.parametrize("method", ["PROPFIND", "GET", "PUT"])
def test_a_wrong_address_says_so(served: tuple[Bridge, Dav], method: str, path: str) -> None:
    """An address that is not there is 404, or 409 or 405 for an upload, with a sentence."""
    bridge, dav = served
    body = "x" if method == "PUT" else None
    answer = dav.request(method, body=body, raw=path)
    if (method, path) == ("GET", "/"):
        assert answer.status in (200, 404)
        return
    allowed = (403, 404, 405, 409) if method == "PUT" else (404,)
    assert answer.status in allowed, str(answer)
    assert_sentence(answer, bridge)


@pytest.mark.parametrize("kind", BAD_CREDENTIALS)
@pytest.mark.parametrize("method", ["PROPFIND", "GET", "PUT", "DELETE"])
def test_bad_credentials_are_refused(served: tuple[Bridge, Dav], kind: str, method: str) -> None:
    """Without the right name and password nothing is read or written: 401, never 500; C061."""
    bridge, dav = served
    value = BAD_CREDENTIALS[kind]
    headers = {} if value is None else {"Authorization": value}
    item_id, _ = existing_note(dav)
    body = note(item_id, "Taken over", "x\n") if method == "PUT" else None
    answer = dav.request(method, f"{item_id}.md", body, headers=headers, auth=False)
    if kind == "a very long one" and answer.status in (400, 413, 431):
        return
    assert answer.status in ((400, 401) if kind in ("not base64", "no value") else (401,))
    if answer.status == 401:
        assert answer.headers["www-authenticate"].startswith("Basic ")
        assert_sentence(answer, bridge)


def test_a_half_sent_body_stores_nothing(served: tuple[Bridge, Dav]) -> None:
    """A client that hangs up in the middle of an upload has uploaded nothing; C009."""
    _, dav = served
    known, text = existing_note(dav)
    fresh = new_id()
    for item_id in (known, fresh):
        body = note(item_id, "T", "half " * 20000).encode()
        with dav.half_sent(f"{item_id}.md", body, sent=len(body) // 2) as connection:
            assert dav.get(f"{known}.md").text == text
            connection.shutdown(socket.SHUT_WR)
            answer = receive(connection)
        assert answer is None or not answer.ok
    assert dav.get(f"{known}.md").text == text
    assert dav.get(f"{fresh}.md").status == 404


def test_a_body_too_large_is_refused_before_it_is_sent(served: tuple[Bridge, Dav]) -> None:
    """An upload above the limit is answered from its length alone; the client need not send it."""
    bridge, dav = served
    for name in (f"{new_id()}.md", f".resource/{new_id()}"):
        head = (
            f"PUT /joplin/{name} HTTP/1.1\r\nHost: x\r\nAuthorization: {dav.authorization}\r\n"
            f"Content-Length: {50 * 1024**3}\r\n\r\n"
        )
        answer = dav.exchange(head.encode())
        assert answer is not None
        assert answer.status in ((413,) if name.endswith(".md") else (403, 413))
        assert_sentence(answer, bridge)


@pytest.mark.parametrize(
    "head",
    [
        "PUT /joplin/{name} HTTP/1.1\r\nContent-Length: -1\r\n",
        "PUT /joplin/{name} HTTP/1.1\r\nContent-Length: many\r\n",
        "PUT /joplin/{name} HTTP/1.1\r\nTransfer-Encoding: chunked\r\n",
        "PUT /joplin/{name} HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 5\r\n",
    ],
    ids=["negative", "no number", "broken chunks", "two lengths"],
)
def test_a_senseless_length_stores_nothing(served: tuple[Bridge, Dav], head: str) -> None:
    """A length that makes no sense ends in an error of the request, never of the server."""
    _, dav = served
    name = f"{new_id()}.md"
    lines = f"{head.format(name=name)}Host: x\r\nAuthorization: {dav.authorization}\r\n\r\n"
    answer = dav.exchange(lines.encode() + b"zz\r\nabc", end=True)
    assert answer is None or 400 <= answer.status < 500
    assert dav.get(name).status == 404


def test_an_upload_in_chunks_is_one_upload(bridge: Bridge) -> None:
    """A body without a length, sent in chunks, is stored like any other (FORMAT 7)."""
    dav, item_id = bridge.dav(), new_id()
    book = new_id()
    assert dav.put(f"{book}.md", folder_item(book, "Book")).status == 201
    text = note(item_id, "Chunked", "in chunks\n", book)
    data = text.encode()
    chunks = b"".join(
        f"{len(part):x}\r\n".encode() + part + b"\r\n" for part in (data[:100], data[100:])
    )
    head = (
        f"PUT /joplin/{item_id}.md HTTP/1.1\r\nHost: x\r\nAuthorization: {dav.authorization}\r\n"
        "Transfer-Encoding: chunked\r\n\r\n"
    )
    answer = dav.exchange(head.encode() + chunks + b"0\r\n\r\n")
    assert answer is not None
    assert answer.status == 201
    assert dav.get(f"{item_id}.md").text == text
    assert (bridge.folder / "Book" / "Chunked.md").read_text() == "in chunks\n"


def existing_note(dav: Dav) -> tuple[str, str]:
    """The one note of the folder: its id and its item."""
    for item_id in dav.listing():
        text = dav.get(f"{item_id}.md").text
        if text.endswith("type_: 1"):
            return item_id, text
    raise AssertionError("there is no note")


def assert_sentence(answer: Answer, bridge: Bridge) -> None:
    """The body is one plain sentence for a person and names no place on the server's disk."""
    assert answer.headers["content-type"].startswith("text/plain"), answer.headers
    text = answer.text.strip()
    assert re.fullmatch(r"[^\n<>]{10,400}[.!?)]", text), text
    assert str(Path(bridge.folder)) not in text
    assert "Traceback" not in text
