"""A real server on a free port, with a share in memory behind it."""

from __future__ import annotations

import base64
import contextlib
import http.client
import socket
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from davbridge.server import DavServer, ServerSettings
from davbridge.signin import Gatekeeper, hash_password
from davbridge.webapp import build_application
from tests.unit.shell.memory_share import MemoryShare

USER, PASSWORD = "anna", "pä:ss#%€"
HASH = hash_password(PASSWORD)


def basic(user: str = USER, password: str = PASSWORD, encoding: str = "utf-8") -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode(encoding)).decode()


@dataclass
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


@dataclass
class Site:
    """A running davbridge without repositories."""

    share: MemoryShare
    spool: Path
    users: dict[str, str]
    gatekeeper: Gatekeeper
    server: DavServer
    slept: list[float] = field(default_factory=list)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        authorization: str | None = basic(),
        chunks: list[bytes] | None = None,
        **headers: str,
    ) -> Answer:
        """Send one request and return the answer."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if authorization is not None:
            sent["Authorization"] = authorization
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        with contextlib.closing(connection):
            connection.request(
                method, path, chunks or body, sent, encode_chunked=chunks is not None
            )
            answer = connection.getresponse()
            return Answer(answer.status, answer.headers, answer.read())

    @contextlib.contextmanager
    def connect(self) -> Iterator[socket.socket]:
        """Open a connection for bytes as they are."""
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=20) as connection:
            yield connection


def head(line: str, **headers: str) -> bytes:
    """Return the head of a signed-in request."""
    fields = {"Host": "localhost", "Authorization": basic()}
    fields |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = [f"{line} HTTP/1.1", *(f"{name}: {value}" for name, value in fields.items())]
    return "\r\n".join([*lines, "", ""]).encode()


def read_all(connection: socket.socket) -> bytes:
    """Return everything until the server closes."""
    parts = []
    while part := connection.recv(65536):
        parts.append(part)
    return b"".join(parts)


@contextlib.contextmanager
def make_site(
    spool: Path,
    *,
    share: MemoryShare | None = None,
    settings: ServerSettings | None = None,
    idle_timeout: float = 10.0,
    path: str = "/joplin",
) -> Iterator[Site]:
    share = share or MemoryShare()
    users = {USER: HASH}
    slept: list[float] = []
    gatekeeper = Gatekeeper(users, sleep=slept.append)
    settings = settings or ServerSettings(port=0)
    application = build_application({path: share}, gatekeeper, spool=spool)
    server = DavServer(application, settings, idle_timeout=idle_timeout, stop_timeout=5)
    with server.running():
        yield Site(share, spool, users, gatekeeper, server, slept)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    with make_site(tmp_path) as running:
        yield running
