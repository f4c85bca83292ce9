"""Connections and requests of cheroot, changed where a WebDAV server needs it.

What differs from cheroot 11.1, and why:
- a TLS handshake happens on a worker, so that one slow client does not stop all others;
- "100 Continue" is sent when the application reads the body, hence after sign-in and limits;
- an answer sent before the body was read ends the connection (cheroot would read all of the
  body into memory first), and what still arrives is discarded for a moment, because closing
  at once would reset the connection and take the answer away from the client;
- chunked bodies are streamed.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
import time
from typing import Any, Final, cast
from urllib.parse import unquote_to_bytes

from cheroot import wsgi
from cheroot.server import HeaderReader, HTTPConnection, HTTPRequest, KnownLengthRFile
from cheroot.ssl.builtin import BuiltinSSLAdapter

from davbridge.dav.chunked import ChunkedBody
from davbridge.dav.errors import Environ, Headers

_DISCARD_SECONDS: Final = 2.0
_DISCARD_BYTES: Final = 256 * 1024 * 1024
_CONTINUE: Final = b"HTTP/1.1 100 Continue\r\n\r\n"

_logger = logging.getLogger(__name__)


class LazyTls(BuiltinSSLAdapter):  # type: ignore[misc]  # cheroot is untyped
    """TLS whose handshake is left to the worker that gets the connection."""

    def wrap(self, sock: socket.socket) -> tuple[ssl.SSLSocket, dict[str, str]]:
        """Return the socket, not yet shaken hands with, and what the environ says of it."""
        wrapped = self.context.wrap_socket(sock, do_handshake_on_connect=False, server_side=True)
        return wrapped, {"wsgi.url_scheme": "https", "HTTPS": "on"}


class _Headers(dict[bytes, bytes]):
    """Request headers. What two programs in a row could read as two lengths is refused."""

    def __setitem__(self, name: bytes, value: bytes) -> None:
        if name == b"Content-Length" and (not value.isdigit() or self.get(name, value) != value):
            raise ValueError("The Content-Length is malformed.")
        super().__setitem__(name, value)


class _HeaderReader(HeaderReader):  # type: ignore[misc]  # cheroot is untyped
    """Reads headers and keeps `Expect` from cheroot, which would answer it too early."""

    def __call__(self, rfile: Any, hdict: dict[bytes, bytes] | None = None) -> dict[bytes, bytes]:
        headers = _Headers()
        super().__call__(rfile, headers)
        if b"Transfer-Encoding" in headers and b"Content-Length" in headers:
            raise ValueError("A chunked request has no Content-Length.")
        expected = headers.pop(b"Expect", b"").lower()
        if expected:
            headers[b"X-Davbridge-Expect"] = expected
        if hdict is None:
            return headers
        hdict.update(headers)
        return hdict

    def _allow_header(self, key_name: bytes) -> bool:
        # "Content_Length" would become CONTENT_LENGTH in the environ.
        return b"_" not in key_name and not key_name.startswith(b"X-Davbridge-")


class _Body:
    """The request body; says "100 Continue" when it is first wanted."""

    def __init__(self, stream: Any, connection: Any, *, expects: bool) -> None:
        self._stream = stream
        self._connection = connection
        self.expects = expects

    def read(self, size: int | None = None) -> bytes:
        if self.expects:
            self.expects = False
            self._connection.wfile.write(_CONTINUE)
        return cast(bytes, self._stream.read(size))

    @property
    def unread(self) -> int | None:
        """Return how many bytes were not read; `None` if that cannot be known."""
        if isinstance(self._stream, ChunkedBody):
            return 0 if self._stream.complete else None
        return cast(int, self._stream.remaining)


class _Request(HTTPRequest):  # type: ignore[misc]  # cheroot is untyped
    header_reader = _HeaderReader()

    def __init__(self, server: Any, conn: Any) -> None:
        # strict_mode refuses the absolute form of an address, which RFC 9112 demands (3.2.2),
        # and takes `//info.json` for one.
        super().__init__(server, conn, strict_mode=False)

    def read_request_line(self) -> bool:
        """Read the first line; an address that begins with two slashes is a path."""
        if not super().read_request_line():
            return False
        if self.uri.startswith(b"//"):
            self.path = unquote_to_bytes(self.uri.partition(b"?")[0])
        return True

    def respond(self) -> None:
        """Let the application answer."""
        if self.chunked_read:
            stream: Any = ChunkedBody(self.conn.rfile)
        else:
            stream = KnownLengthRFile(
                self.conn.rfile, int(self.inheaders.get(b"Content-Length", 0))
            )
        expected = self.inheaders.get(b"X-Davbridge-Expect", b"")
        if expected not in (b"", b"100-continue"):
            self.close_connection = True
            self.simple_response("417 Expectation Failed", "This expectation cannot be met.\n")
            return
        self.rfile = _Body(stream, self.conn, expects=expected != b"")
        self.server.gateway(self).respond()
        if self.ready:
            self.ensure_headers_sent()
        if self.chunked_write:
            self.conn.wfile.write(b"0\r\n\r\n")

    def send_headers(self) -> None:
        """Send the head of the answer; with a body unread, it is the last one."""
        unread = self.rfile.unread
        if unread != 0:
            self.close_connection = True
            # With Expect, the client sends nothing before it is asked to, or gives up waiting.
            self.conn.unread = 0 if self.rfile.expects else (unread or _DISCARD_BYTES)
        super().send_headers()


class DavConnection(HTTPConnection):  # type: ignore[misc]  # cheroot is untyped
    RequestHandlerClass = _Request
    unread = 0
    shaken = False

    def communicate(self) -> bool:
        """Answer one request; tell whether the connection stays."""
        if isinstance(self.socket, ssl.SSLSocket) and not self.shaken:
            try:
                self.socket.do_handshake()
            except OSError as error:
                _logger.debug("no TLS handshake with %s: %s", self.remote_addr, error)
                return False
            self.shaken = True
        return cast(bool, super().communicate())

    def close(self) -> None:
        """Close the connection, after a moment for a client that is still sending."""
        if self.unread:
            with contextlib.suppress(OSError, ValueError):
                self._discard()
        super().close()

    def _discard(self) -> None:
        deadline = time.monotonic() + _DISCARD_SECONDS
        left = min(self.unread, _DISCARD_BYTES)
        left -= len(self.rfile.peek()) if self.rfile.has_data() else 0
        if not isinstance(self.socket, ssl.SSLSocket):
            self.socket.shutdown(socket.SHUT_WR)
        while left > 0 and (wait := deadline - time.monotonic()) > 0:
            self.socket.settimeout(wait)
            block = self.socket.recv(64 * 1024)
            if not block:
                return
            left -= len(block)


class DavGateway(wsgi.Gateway_10):  # type: ignore[misc]  # cheroot is untyped
    def get_environ(self) -> Environ:
        """Return the environ, without what only this module knows of."""
        environ = cast(Environ, super().get_environ())
        environ.pop("HTTP_X_DAVBRIDGE_EXPECT", None)
        environ.pop("HTTP_PROXY", None)
        return environ

    def start_response(self, status: str, headers: Headers, exc_info: Any = None) -> Any:
        """Take over status and headers; `Connection: close` is kept, not only sent."""
        if any(name.lower() == "connection" and value == "close" for name, value in headers):
            self.req.close_connection = True
        if status.startswith(("204", "304")):  # RFC 9110, 8.6: no Content-Length with 204
            headers = [header for header in headers if header[0].lower() != "content-length"]
        return super().start_response(status, headers, exc_info)
