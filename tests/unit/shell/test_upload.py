"""An upload is stored whole or not at all."""

from __future__ import annotations

import hashlib
import socket
import time
from pathlib import Path

import pytest

from tests.unit.shell.conftest import Site, head, make_site, read_all
from tests.unit.shell.memory_share import MemoryShare, etag

EVERY_BYTE = b"\xef\xbb\xbf" + bytes(range(256)) * 48 * 1024 + b"\r\n"


@pytest.mark.parametrize("content", [b"", b"x", EVERY_BYTE], ids=["empty", "small", "12 MB"])
def test_round_trip(site: Site, content: bytes) -> None:
    """C007: an upload of any size comes back byte for byte; 201 when new, 204 when known."""
    assert 201 == site.ask("PUT", "/joplin/a", content, Content_Type="text/plain").status
    answer = site.ask("GET", "/joplin/a")
    assert hashlib.sha256(content).digest() == hashlib.sha256(answer.body).digest()
    again = site.ask("PUT", "/joplin/a", content)
    assert (204, f'"{etag(content)}"') == (again.status, again.headers["ETag"])
    assert [] == list(site.spool.iterdir())


@pytest.mark.parametrize("size", [0, 2_000_000, 5_000_000])
def test_chunked(site: Site, size: int) -> None:
    """C056: a chunked upload is stored exactly, also onto an empty file."""
    content = EVERY_BYTE[:size]
    site.ask("PUT", "/joplin/a", b"")
    pieces = [content[at : at + 700_001] for at in range(0, size, 700_001)]
    answer = site.ask("PUT", "/joplin/a", chunks=pieces or [b""], Transfer_Encoding="chunked")
    assert (204, content) == (answer.status, site.share.files["/a"])


def test_chunked_keeps_the_connection(site: Site) -> None:
    """C056: after a chunked upload with trailers the connection is used again."""
    body = b"5;note=1\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n"
    with site.connect() as connection:
        connection.sendall(head("PUT /joplin/a", Transfer_Encoding="chunked") + body)
        assert connection.recv(65536).startswith(b"HTTP/1.1 201")
        connection.sendall(head("GET /joplin/a", Connection="close"))
        assert read_all(connection).endswith(b"hello")


@pytest.mark.parametrize(
    "body", [b"zz\r\nhello\r\n0\r\n\r\n", b"3\r\nhello\r\n0\r\n\r\n", b"\r\n", b"5" * 5000]
)
def test_malformed_chunks(site: Site, body: bytes) -> None:
    """A chunked body that is none stores nothing and is answered 400."""
    with site.connect() as connection:
        connection.sendall(head("PUT /joplin/a", Transfer_Encoding="chunked") + body)
        assert read_all(connection).startswith(b"HTTP/1.1 400")
    assert {} == site.share.files


@pytest.mark.parametrize("cut", [{"Content_Length": "1000000"}, {"Transfer_Encoding": "chunked"}])
def test_broken_off(site: Site, cut: dict[str, str]) -> None:
    """C009: half a body changes nothing, and nobody is told it was stored."""
    site.share.files["/a"] = b"old"
    half = b"f4240\r\n" * ("Transfer_Encoding" in cut) + b"x" * 500_000
    with site.connect() as connection:
        connection.sendall(head("PUT /joplin/a", **cut) + half)
        connection.shutdown(socket.SHUT_WR)
        assert read_all(connection)[9:12] in (b"408", b"400")
    assert {"/a": b"old"} == site.share.files
    assert [] == list(site.spool.iterdir())


def test_stalled(tmp_path: Path) -> None:
    """C009: a body that stalls is dropped; others read the old content meanwhile."""
    with make_site(tmp_path, idle_timeout=1.0) as site:
        site.share.files["/a"] = b"old"
        with site.connect() as connection:
            connection.sendall(head("PUT /joplin/a", Content_Length="3000000"))
            connection.sendall(b"x" * 1_500_000)
            assert b"old" == site.ask("GET", "/joplin/a").body
            answer = read_all(connection)
        assert answer.startswith(b"HTTP/1.1 408")
        assert answer.endswith(b"nothing was stored.\n")
        assert {"/a": b"old"} == site.share.files
        assert [] == list(tmp_path.iterdir())


def test_too_large(tmp_path: Path) -> None:
    """A body above the limit is refused with 413 before it is read, and the client hears it."""
    with make_site(tmp_path, share=MemoryShare(max_body=1024)) as site:
        answer = site.ask("PUT", "/joplin/a", b"x" * 3_000_000)
        assert (413, "close") == (answer.status, answer.headers["Connection"])
        assert "larger" in answer.text
        assert {} == site.share.files


def test_too_large_in_chunks(tmp_path: Path) -> None:
    """A chunked body is refused as soon as the limit is passed, or announced to be."""
    with make_site(tmp_path, share=MemoryShare(max_body=1024)) as site:
        assert 413 == site.ask("PUT", "/joplin/a", chunks=[b"x" * 600, b"x" * 600]).status
        with site.connect() as connection:  # Finder announces the size; nothing is read
            line = head(
                "PUT /joplin/a", Transfer_Encoding="chunked", X_Expected_Entity_Length="2000"
            )
            connection.sendall(line)
            assert connection.recv(65536).startswith(b"HTTP/1.1 413")


def test_expect_continue(site: Site) -> None:
    """A client that asks first is told to go on when its body is wanted."""
    with site.connect() as connection:
        connection.sendall(
            head("PUT /joplin/a", Content_Length="5", Expect="100-continue", Connection="close")
        )
        assert b"HTTP/1.1 100 Continue\r\n\r\n" == connection.recv(65536)
        connection.sendall(b"hello")
        assert read_all(connection).startswith(b"HTTP/1.1 201")
    assert b"hello" == site.share.files["/a"]


def test_expect_refused(tmp_path: Path) -> None:
    """A client that asks first is refused at once when the body is not wanted."""
    with make_site(tmp_path, share=MemoryShare(max_body=4)) as site, site.connect() as connection:
        started = time.monotonic()
        connection.sendall(head("PUT /joplin/a", Content_Length="5", Expect="100-continue"))
        assert read_all(connection).startswith(b"HTTP/1.1 413")
        assert time.monotonic() - started < 1


def test_headers_of_an_upload(site: Site) -> None:
    """What cannot be stored as it came is refused: no length, a part, a compressed body."""
    for line in (
        head("PUT /joplin/a", Connection="close"),
        head("PUT /joplin/a", Content_Length="1", Content_Range="bytes 0-0/5") + b"x",
        head("PUT /joplin/a", Content_Length="1", Content_Encoding="gzip") + b"x",
        head("PUT /joplin/a", Content_Length="-1"),
        head("PUT /joplin/a", Content_Length="1", Transfer_Encoding="chunked"),
    ):
        with site.connect() as connection:
            connection.sendall(line)
            assert read_all(connection)[9:12] in (b"411", b"400", b"415")
    assert {} == site.share.files


def test_place_of_an_upload(site: Site) -> None:
    """An upload needs a folder above it and does not replace one."""
    site.share.folders.add("/f")
    assert 409 == site.ask("PUT", "/joplin/none/a", b"x").status
    assert 405 == site.ask("PUT", "/joplin/f", b"x").status
    assert 405 == site.ask("PUT", "/joplin/f/", b"x").status
    assert 201 == site.ask("PUT", "/joplin/f/a", b"x").status


def test_conditions_of_an_upload(site: Site) -> None:
    """If-Match and If-None-Match are kept: no match, no change."""
    assert 412 == site.ask("PUT", "/joplin/a", b"x", If_Match='"1"').status
    assert 201 == site.ask("PUT", "/joplin/a", b"x", If_None_Match="*").status
    assert 412 == site.ask("PUT", "/joplin/a", b"y", If_None_Match="*").status
    assert 412 == site.ask("PUT", "/joplin/a", b"y", If_Match='"1"').status
    assert 204 == site.ask("PUT", "/joplin/a", b"y", If_Match=f'"{etag(b"x")}"').status
