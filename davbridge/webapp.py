"""The WSGI application: addresses, sign-in, the shares, and a page that says what to type."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from davbridge.dav import ErrorSentences, Refusal, ShareProvider
from davbridge.dav.errors import Application, Environ, StartResponse
from davbridge.dav.methods import DavApplication
from davbridge.dav.paths import decode_path
from davbridge.signin import Gatekeeper, SignIn

_PAGE: Final = """davbridge is running.

In Joplin, open Options > Synchronisation and choose:

  Synchronisation target:  WebDAV
  WebDAV URL:              {url}
  WebDAV user name:        {user}
  WebDAV password:         the one davbridge was started with
"""

_logger = logging.getLogger(__name__)


def build_application(
    shares: Mapping[str, ShareProvider],
    gatekeeper: Gatekeeper,
    *,
    spool: Path | None = None,
) -> Application:
    """Return the application that serves each share at its path.

    Paths begin with a slash and do not end in one. Long uploads are spooled to `spool`.
    """
    return ErrorSentences(_Addresses(SignIn(_Router(shares, spool=spool), gatekeeper)))


class _Addresses:
    """WSGI middleware: a path that was decoded and checked, and a line in the log."""

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterator[bytes]:
        path = environ["PATH_INFO"] = decode_path(environ)

        def start(status: str, headers: list[tuple[str, str]], *rest: object) -> object:
            method, user = environ["REQUEST_METHOD"], environ.get("wsgidav.auth.user_name", "-")
            _logger.debug("%s %r by %s: %s", method, path, user, status)
            return start_response(status, headers, *rest)

        yield from self._application(environ, start)


class _Router:
    """The shares, and the page at `/`."""

    def __init__(self, shares: Mapping[str, ShareProvider], *, spool: Path | None) -> None:
        self._shares = DavApplication(shares, spool=spool)
        self._first = next(iter(shares), "")

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        path = environ["PATH_INFO"]
        if self._shares.resolve_provider(path)[1] is not None:
            yield from self._shares(environ, start_response)
        elif path == "/" and environ["REQUEST_METHOD"] in ("GET", "HEAD"):
            yield from self._page(environ, start_response)
        else:
            raise Refusal(
                404, f"There is nothing here; Joplin's address ends in {self._first}/ instead."
            )

    def _page(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        host = environ.get("HTTP_HOST") or environ.get("SERVER_NAME", "")
        scheme = environ.get("HTTP_X_FORWARDED_PROTO", environ["wsgi.url_scheme"])
        url = f"{scheme}://{host}{self._first}/"
        user = environ["wsgidav.auth.user_name"]
        body = _PAGE.format(url=url, user=user).encode()
        headers = [
            ("Content-Type", "text/plain; charset=utf-8"),
            ("X-Content-Type-Options", "nosniff"),
            ("Content-Length", str(len(body))),
        ]
        start_response("200 OK", headers)
        yield b"" if environ["REQUEST_METHOD"] == "HEAD" else body
