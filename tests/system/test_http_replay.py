"""The requests of real clients, recorded against an ordinary server, replayed against this one."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.system.bridge import Bridge
from tests.system.webdav import Answer, Dav, basic, read_multistatus

FIXTURES: Final = Path(__file__).parents[1] / "joplin" / "fixtures"
RECORDINGS: Final = sorted((FIXTURES / "requests").glob("*.jsonl"))
NOT_SENT: Final = {"authorization", "content-length", "connection", "if-none-match"}
# Where this server differs on purpose: (method, recorded status) -> what it may answer instead.
ALLOWED: Final = {
    ("GET", "/info.json", 404): {200},  # served from the start, MODEL 15
    ("MKCOL", "*", 201): {405},  # the fixed collections are always there, R-J-10
    ("DELETE", "*", 204): {404},  # gone is gone, PROTOCOL 7
}
REFUSED_ON_PURPOSE: Final = ("o-e2ee-enable", "PUT", "/info.json")  # decision 5

Record = dict[str, Any]


@pytest.fixture(scope="module")
def replayed(
    bridges: Callable[..., Bridge], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, list[tuple[Record, Answer]]]:
    """Every recording, one after the other, against one server that starts empty."""
    folder = tmp_path_factory.mktemp("replay") / "Notes"
    folder.mkdir()
    dav = bridges(folder, {}).dav()
    answers = {}
    for file in RECORDINGS:
        records = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
        records.sort(key=lambda record: record["seq"])
        if file.stem[0] != "a":
            prepare(dav, records)
        answers[file.stem] = [(record, send(dav, record)) for record in records]
    return answers


def test_the_recordings_are_here() -> None:
    """The recordings are part of the tests."""
    assert len(RECORDINGS) == 17


@pytest.mark.parametrize("name", [file.stem for file in RECORDINGS])
def test_the_answers_are_of_the_same_kind(
    replayed: dict[str, list[tuple[Record, Answer]]], name: str
) -> None:
    """A client that was content with an ordinary server is content with this one."""
    wrong = [
        f"{record['method']} {record['path']}: recorded {record['status']}, got {answer}"
        for record, answer in replayed[name]
        if not same_kind(name, record, answer)
    ]
    assert wrong == []


def test_a_first_sync_leaves_the_same_items(
    replayed: dict[str, list[tuple[Record, Answer]]],
) -> None:
    """After the first sync the listing holds exactly what was uploaded, with readable dates."""
    [(record, answer)] = [
        pair
        for pair in replayed["a-first-sync-empty-target"]
        if pair[0]["method"] == "PROPFIND" and pair[0]["path"] == "/"
    ]
    recorded = Answer(status=207, body=record["response_body"]["text"].encode())
    expected = {e.href for e in read_multistatus(recorded) if e.href.endswith(".md")}
    listed = {e.href.removeprefix("/joplin") for e in read_multistatus(answer)}
    assert expected == {href for href in listed if href.endswith(".md")}


def test_what_was_uploaded_is_read_back(
    replayed: dict[str, list[tuple[Record, Answer]]],
) -> None:
    """The items a client reads right after its uploads are the bytes it sent; PROTOCOL rule 7."""
    sent: dict[str, bytes] = {}
    different = []
    for record, answer in replayed["a-first-sync-empty-target"]:
        if record["method"] == "PUT":
            sent[record["path"]] = body_of(record["request_body"])
        elif record["path"] in sent and record["method"] == "GET" and answer.status == 200:
            expected, actual = sent[record["path"]], answer.body
            if record["path"].endswith(".md") and title_is_coded(expected):
                continue
            if expected != actual:
                different.append((record["path"], expected[:200], actual[:200]))
    assert different == []


def same_kind(name: str, record: Record, answer: Answer) -> bool:
    method, path, status = record["method"], record["path"], record["status"]
    if (name, method, path) == REFUSED_ON_PURPOSE:
        return answer.status == 403
    if answer.status // 100 == status // 100 and (status < 400 or answer.status == status):
        return True
    return any(answer.status in ALLOWED.get((method, place, status), ()) for place in (path, "*"))


def title_is_coded(item: bytes) -> bool:
    """A title with a literal backslash-n is served with the backslash doubled (FORMAT 1.4)."""
    title = item.split(b"\n", 1)[0]
    return b"\\n" in title or b"\\r" in title


def send(dav: Dav, record: Record) -> Answer:
    """Send a recorded request below this server's prefix."""
    headers = {k: v for k, v in record["request_headers"].items() if k.lower() not in NOT_SENT}
    if record["status"] == 401:
        headers["Authorization"] = basic(dav.user, "wrong")
    body = body_of(record["request_body"]) if "request_body" in record else None
    if body is None and record["method"] == "PUT":
        body = b""
    raw = dav.prefix + record["path"]
    return dav.request(record["method"], body=body, raw=raw, headers=headers)


def body_of(recorded: Record) -> bytes:
    """The recorded body; of a binary one only the start was kept, the rest is filled up."""
    if "text" in recorded:
        return recorded["text"].encode()
    return base64.b64decode(recorded["base64"]).ljust(recorded["size"], b"\0")


def prepare(dav: Dav, records: list[Record]) -> None:
    """Upload what the recorded client finds on its target and this one does not hold."""
    for path, content in found_there(records):
        if dav.get(path).status == 404:
            answer = dav.put(path, content)
            assert answer.ok, f"{path}: {answer}"


def found_there(records: list[Record]) -> Iterator[tuple[str, bytes]]:
    """Items the recording reads before it writes them, and items it deletes unread."""
    written: set[str] = set()
    for record in records:
        path = record["path"].removeprefix("/")
        if record["method"] == "PUT":
            written.add(path)
        if path in written or record["status"] == 404 or not path.endswith(".md"):
            continue
        if record["method"] == "GET":
            written.add(path)
            yield path, body_of(record["response_body"])
        elif record["method"] == "DELETE" and (FIXTURES / "target-plain" / path).exists():
            written.add(path)
            yield path, (FIXTURES / "target-plain" / path).read_bytes()
