"""Runs the WSGI application under cheroot: TLS, threads, time limits, a graceful stop.

A new connection waits in the selector, not on a thread, until its first byte is there: cheroot
11.1 would let a handful of silent connections stop everything.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import ssl
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from cheroot import wsgi

from davbridge.dav.connections import DavConnection, DavGateway, LazyTls
from davbridge.dav.errors import Application

IDLE_TIMEOUT: Final = 30
"""Seconds without a byte in either direction after which a connection ends (MODEL 3.8)."""

_MAX_HEAD: Final = 64 * 1024
_MAX_CONNECTIONS: Final = 512

_logger = logging.getLogger(__name__)


class ServerError(Exception):
    """The server cannot start; the message is one sentence for a person."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerSettings:
    """Where and how to listen."""

    host: str = "127.0.0.1"
    port: int = 8080
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    threads: int = 12


class DavServer:
    """A listening server. The port is taken when this is made, requests are answered once started.

    `idle_timeout` and `stop_timeout` are in seconds. Raises `ServerError`.
    """

    def __init__(
        self,
        application: Application,
        settings: ServerSettings,
        *,
        idle_timeout: float = IDLE_TIMEOUT,
        stop_timeout: float = 30.0,
    ) -> None:
        self._server = _Server(
            (settings.host, settings.port),
            application,
            numthreads=settings.threads,
            max=settings.threads,
            server_name="davbridge",
            request_queue_size=128,
            timeout=idle_timeout,
            shutdown_timeout=stop_timeout,
        )
        self._server.ssl_adapter = _tls(settings)
        self._thread: threading.Thread | None = None
        try:
            self._server.prepare()
        except OSError as error:
            self._server.requests.stop(0)
            raise ServerError(_why_not(error, settings)) from error

    @property
    def port(self) -> int:
        """Return the real port, also when port 0 was asked for."""
        return cast(int, self._server.bind_addr[1])

    def start(self) -> None:
        """Answer requests from now on, in threads of its own."""
        self._thread = threading.Thread(target=self._server.serve, name="davbridge-accept")
        self._thread.start()

    def stop(self) -> None:
        """Take no new requests, let running ones finish, and return when all have."""
        self._server.stop()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    @contextlib.contextmanager
    def running(self) -> Iterator[DavServer]:
        """Serve within the scope."""
        self.start()
        try:
            yield self
        finally:
            self.stop()


def _why_not(error: OSError, settings: ServerSettings) -> str:
    place = f"{settings.host}:{settings.port}"
    with socket.socket() as probe:
        probe.settimeout(1)
        with contextlib.suppress(OSError):
            probe.connect((settings.host, settings.port))
            return f"{place} is in use by another program; choose another port with --port."
    text = str(error.__cause__ or error)
    if "in use" in text.lower():
        return f"{place} is in use by another program; choose another port with --port."
    if isinstance(error.__cause__, PermissionError):
        return f"this user may not listen on {place}; choose a port above 1023 with --port."
    return f"it is not possible to listen on {place}: {text}."


def _tls(settings: ServerSettings) -> LazyTls | None:
    if settings.tls_certificate is None or settings.tls_key is None:
        return None
    try:
        return LazyTls(str(settings.tls_certificate), str(settings.tls_key))
    except (OSError, ssl.SSLError) as error:
        raise ServerError(f"the TLS certificate and key cannot be used: {error}.") from error


class _Server(wsgi.Server):  # type: ignore[misc]  # cheroot is untyped
    ConnectionClass = DavConnection
    max_request_header_size = _MAX_HEAD
    max_request_body_size = 0  # each share has its own limit
    keep_alive_conn_limit = 128

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.gateway = DavGateway

    @staticmethod
    def bind_socket(socket_: socket.socket, bind_addr: tuple[str, int]) -> socket.socket:
        """Take the address, or leave no socket behind."""
        try:
            socket_.bind(bind_addr)
        except OSError:
            socket_.close()
            raise
        return socket_

    def process_conn(self, conn: Any) -> None:
        """Give a connection with something to read to a worker; a new one waits for that."""
        if conn.last_used is not None:
            super().process_conn(conn)
        elif self._connections._num_connections >= _MAX_CONNECTIONS:
            conn.close()
        else:
            self._connections.put(conn)

    def error_log(self, msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
        """Log what went wrong below the application."""
        _logger.log(level, "%s", msg, exc_info=traceback)
