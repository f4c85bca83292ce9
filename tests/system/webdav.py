"""A plain WebDAV client that sends what Joplin sends, one connection a request."""

from __future__ import annotations

import base64
import contextlib
import gzip
import http.client
import socket
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from typing import Final
from urllib.parse import quote, unquote

LISTING_BODY: Final = (
    '<?xml version="1.0" encoding="UTF-8"?>\n\t\t\t<d:propfind xmlns:d="DAV:">\n\t\t\t\t'
    '<d:prop xmlns:oc="http://owncloud.org/ns">\n\t\t\t\t\t<d:getlastmodified/><d:resourcetype/>'
    "\n\t\t\t\t</d:prop>\n\t\t\t</d:propfind>"
)
_DAV: Final = "{DAV:}"
_JOPLIN_HEADERS: Final = {
    "Accept": "*/*",
    "Accept-Encoding": "gzip,deflate",
    "Cache-Control": "no-store",
    "Connection": "close",
    "User-Agent": "Joplin/1.0",
}


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What came back. Header names are lower-cased."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def text(self) -> str:
        return self.body.decode("utf-8")

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300

    def __str__(self) -> str:
        return f"{self.status} {self.body[:300]!r}"


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One response of a multistatus."""

    href: str
    modified: str
    collection: bool


@dataclass(frozen=True, kw_only=True)
class Dav:
    """Names are relative to `prefix` and are sent percent-encoded once; `raw` paths as they are."""

    port: int
    prefix: str
    user: str
    password: str
    host: str = "127.0.0.1"

    def request(
        self,
        method: str,
        name: str = "",
        body: bytes | str | None = None,
        *,
        raw: str | None = None,
        headers: Mapping[str, str] | None = None,
        auth: bool = True,
    ) -> Answer:
        """Send one request; `raw` is the whole path, put on the line as it is."""
        path = raw if raw is not None else f"{self.prefix}/{quote(name)}"
        sent = dict(_JOPLIN_HEADERS)
        if method != "GET":
            sent["If-None-Match"] = "JoplinIgnore-4711"
        if auth:
            sent["Authorization"] = self.authorization
        sent |= headers or {}
        if isinstance(body, str):
            body = body.encode()
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60)
        with contextlib.closing(connection):
            connection.putrequest(method, path, skip_accept_encoding=True)
            for key, value in sent.items():
                connection.putheader(key, value)
            if body is not None or method in ("PUT", "MKCOL", "DELETE"):
                connection.putheader("Content-Length", str(len(body or b"")))
            connection.endheaders(body)
            return read_answer(connection.getresponse())

    @property
    def authorization(self) -> str:
        return basic(self.user, self.password)

    def get(self, name: str) -> Answer:
        return self.request("GET", name)

    def try_get(self, name: str) -> Answer | None:
        """The answer, or `None` while nobody listens."""
        try:
            return self.get(name)
        except OSError:
            return None

    def put(self, name: str, body: bytes | str) -> Answer:
        return self.request("PUT", name, body, headers={"Content-Type": "text/plain"})

    def delete(self, name: str) -> Answer:
        return self.request("DELETE", name)

    def mkcol(self, name: str) -> Answer:
        return self.request("MKCOL", name)

    def propfind(self, name: str = "", *, depth: int = 0, raw: str | None = None) -> Answer:
        headers = {"Depth": str(depth), "Content-Type": "text/xml"}
        return self.request("PROPFIND", name, LISTING_BODY, raw=raw, headers=headers)

    def entries(self) -> list[Entry]:
        """The depth-1 listing of the target, as a client asks for it."""
        answer = self.propfind(depth=1)
        assert answer.status == 207, str(answer)
        return read_multistatus(answer)

    def listing(self) -> dict[str, str]:
        """Name -> listed time of every item."""
        found = {}
        for entry in self.entries():
            name = unquote(entry.href.removeprefix(self.prefix + "/"))
            if name.endswith(".md") and not entry.collection:
                found[name.removesuffix(".md")] = entry.modified
        return found

    def listed_seconds(self) -> dict[str, int]:
        """Id -> listed time in seconds since 1970."""
        return {
            name: int(parsedate_to_datetime(text).timestamp())
            for name, text in self.listing().items()
        }

    @contextlib.contextmanager
    def half_sent(self, name: str, body: bytes, *, sent: int) -> Iterator[socket.socket]:
        """A PUT of which `sent` bytes are on the wire; the rest is up to the caller."""
        head = (
            f"PUT {self.prefix}/{quote(name)} HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n"
            f"Authorization: {self.authorization}\r\nContent-Type: text/plain\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        with socket.create_connection((self.host, self.port), timeout=60) as connection:
            connection.sendall(head.encode() + body[:sent])
            yield connection

    def exchange(self, request: bytes, *, end: bool = False) -> Answer | None:
        """Send raw bytes; return the answer, or `None` if the server just hangs up."""
        with socket.create_connection((self.host, self.port), timeout=60) as connection:
            connection.sendall(request)
            if end:
                connection.shutdown(socket.SHUT_WR)
            return receive(connection)


def receive(connection: socket.socket, method: str = "PUT") -> Answer | None:
    """Read one answer from a socket; `None` if the server hangs up without one."""
    response = http.client.HTTPResponse(connection, method=method)
    try:
        response.begin()
        return read_answer(response)
    except (http.client.HTTPException, ConnectionError):
        return None
    finally:
        response.close()


def read_answer(response: http.client.HTTPResponse) -> Answer:
    headers = {name.lower(): value for name, value in response.getheaders()}
    body = response.read()
    if headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    return Answer(status=response.status, headers=headers, body=body)


def read_multistatus(answer: Answer) -> list[Entry]:
    """The responses of a multistatus, in their order."""
    entries = []
    for response in ET.fromstring(answer.body).iter(_DAV + "response"):
        href = response.findtext(_DAV + "href", "")
        modified = response.findtext(f".//{_DAV}getlastmodified", "")
        collection = response.find(f".//{_DAV}collection") is not None
        entries.append(Entry(href=href, modified=modified, collection=collection))
    return entries


def basic(user: str, password: str, encoding: str = "utf-8") -> str:
    """The value of an Authorization header."""
    return "Basic " + base64.b64encode(f"{user}:{password}".encode(encoding)).decode()
