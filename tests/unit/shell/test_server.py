"""Starting, stopping, and bad company on the line."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import subprocess
import threading
import time
from pathlib import Path

import pytest

from davbridge.server import DavServer, ServerError, ServerSettings
from tests.unit.shell.conftest import Answer, Site, basic, head, make_site, read_all


def test_running_requests_finish(tmp_path: Path) -> None:
    """A stop lets running requests finish and takes no new ones."""
    answers: list[Answer] = []
    with make_site(tmp_path) as site:
        site.share.gate.clear()
        upload = threading.Thread(
            target=lambda: answers.append(site.ask("PUT", "/joplin/a", b"hello"))
        )
        upload.start()
        assert site.share.entered.wait(20)
        stopper = threading.Thread(target=site.server.stop)
        stopper.start()
        stopper.join(0.3)
        assert stopper.is_alive()
        site.share.gate.set()
        upload.join()
        stopper.join()
        with pytest.raises(OSError, match="refused"):
            site.ask("GET", "/")
    assert [201] == [answer.status for answer in answers]
    assert {"/a": b"hello"} == site.share.files


def test_stop_is_quick_when_idle(tmp_path: Path) -> None:
    """Open connections that ask nothing do not hold up a stop."""
    with make_site(tmp_path) as site, site.connect(), site.connect() as used:
        used.sendall(head("GET /"))
        assert used.recv(65536).startswith(b"HTTP/1.1 200")
        started = time.monotonic()
        site.server.stop()
        assert time.monotonic() - started < 2


def test_silent_connections(site: Site) -> None:
    """More silent connections than threads keep nobody from being answered."""
    silent = [socket.create_connection(("127.0.0.1", site.server.port)) for _ in range(40)]
    try:
        assert 200 == site.ask("GET", "/").status
    finally:
        for connection in silent:
            connection.close()


def test_kept_connection(site: Site) -> None:
    """A connection is used for many requests, also after an error."""
    connection = http.client.HTTPConnection("127.0.0.1", site.server.port, timeout=20)
    with contextlib.closing(connection):
        connection.connect()
        first = connection.sock
        for path, status in (("/", 200), ("/joplin/none", 404), ("/JOPLIN", 404), ("/", 200)):
            connection.request("GET", path, headers={"Authorization": basic()})
            answer = connection.getresponse()
            answer.read()
            assert status == answer.status
            assert first is connection.sock


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"\x16\x03\x01\x02\x00\x01\x00",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET /" + b"x" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000 + b"\r\n\r\n",
        b"PUT /joplin/a HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"PUT /joplin/a HTTP/1.1\r\nContent-Length: -1\r\n\r\nx",
        b"PUT /joplin/a HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
        b"PUT /joplin/a HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nx",
        b"PUT /joplin/a HTTP/1.1\r\nExpect: a-miracle\r\nContent-Length: 1\r\n\r\nx",
    ],
)
def test_no_http(site: Site, request_bytes: bytes) -> None:
    """What is no request is refused, and the server goes on."""
    with site.connect() as connection:
        connection.sendall(request_bytes)
        connection.shutdown(socket.SHUT_WR)
        assert read_all(connection)[:12] in (
            *(f"HTTP/1.1 {status}".encode() for status in (400, 413, 414, 417, 501, 505)),
        )
    assert 200 == site.ask("GET", "/").status


def test_underscores(site: Site) -> None:
    """A header with an underscore cannot pass for another one."""
    with site.connect() as connection:
        line = (
            f"GET / HTTP/1.1\r\nConnection: close\r\nAuthorization_: x\r\nAUTHORIZATION: {basic()}"
        )
        connection.sendall(f"{line}\r\nContent_Length: 5\r\n\r\n".encode())
        assert read_all(connection).startswith(b"HTTP/1.1 200")


def test_port_in_use(site: Site) -> None:
    """A port that is taken is said in one sentence."""
    with pytest.raises(ServerError, match=r"in use by another program; .*--port"):
        DavServer(lambda _environ, _start: [], ServerSettings(port=site.server.port))


def test_no_such_address() -> None:
    """An address of another machine is said in one sentence."""
    with pytest.raises(ServerError, match=r"not possible to listen on 192\.0\.2\.1"):
        DavServer(lambda _environ, _start: [], ServerSettings(host="192.0.2.1", port=0))


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A certificate for localhost, signed by itself."""
    folder = tmp_path_factory.mktemp("tls")
    pair = folder / "cert.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    try:
        subprocess.run(
            [*command, *subject, "-out", str(pair[0]), "-keyout", str(pair[1])],
            check=True,
            capture_output=True,
        )
    except FileNotFoundError:
        pytest.skip("openssl makes the certificate for this test; install it")
    return pair


def test_tls(tmp_path: Path, certificate: tuple[Path, Path]) -> None:
    """With a certificate everything is encrypted; a client that never greets stops nobody."""
    settings = ServerSettings(port=0, tls_certificate=certificate[0], tls_key=certificate[1])
    context = ssl.create_default_context(cafile=str(certificate[0]))
    with make_site(tmp_path, settings=settings) as site, site.connect() as silent:
        with site.connect() as plain:
            plain.sendall(head("GET /"))
            assert b"davbridge is running" not in read_all(plain)
        with (
            site.connect() as raw,
            context.wrap_socket(raw, server_hostname="localhost") as connection,
        ):
            body = b"x" * 3_000_000
            line = head("PUT /joplin/a", Content_Length=str(len(body)), Connection="close")
            connection.sendall(line + body)
            assert connection.recv(65536).startswith(b"HTTP/1.1 201")
        assert {"/a": body} == site.share.files
        silent.close()


def test_bad_certificate(tmp_path: Path) -> None:
    """A certificate that is none is said in one sentence."""
    file = tmp_path / "cert.pem"
    file.write_text("nothing")
    with pytest.raises(ServerError, match="certificate and key cannot be used"):
        DavServer(
            lambda _environ, _start: [],
            ServerSettings(port=0, tls_certificate=file, tls_key=file),
        )
