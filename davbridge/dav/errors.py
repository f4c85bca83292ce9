"""Refusals as HTTP: one table of statuses, one plain sentence each, never a local path.

A client shows the body of an answer to a person (the Joplin client up to 1,024 characters of
it, PROTOCOL.md 7), so it is text, one sentence, and says what to do where something can be done.
"""

from __future__ import annotations

import errno
import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from wsgidav.dav_error import DAVError, get_http_status_string

from adapters.contract import (
    AreaNotFound,
    InvalidArea,
    KnowledgeError,
    MutationFailure,
    MutationResult,
    RepositoryUnavailable,
    ResourceNotFound,
)

Environ = dict[str, Any]
StartResponse = Callable[..., Any]
Headers = list[tuple[str, str]]
Application = Callable[[Environ, StartResponse], Iterable[bytes]]

RETRY_AFTER: Final = 10
"""Seconds a client is asked to wait when the repository knows nothing better."""

STATUS: Final = {
    MutationFailure.NOT_FOUND: 404,
    MutationFailure.NOT_SUPPORTED: 403,
    MutationFailure.READ_ONLY: 403,
    MutationFailure.COLLISION: 403,
    MutationFailure.INVALID_NAME: 403,
    MutationFailure.INVALID_CONTENT: 403,
    MutationFailure.AMBIGUOUS: 403,
    MutationFailure.REFERENCED: 403,
    MutationFailure.LEVEL_OVERFLOW: 403,
    MutationFailure.STALE: 412,
    MutationFailure.UNAVAILABLE: 503,
}
"""Every reason of a refusal. 409 is left to "the parent is missing" and 5xx to what may pass by
itself: file managers drop a name they are answered 409 or 500 for (file-managers.md, 1.3)."""

ERRORS: Final[dict[type[KnowledgeError], int]] = {
    InvalidArea: 404,
    AreaNotFound: 404,
    ResourceNotFound: 404,
    RepositoryUnavailable: 503,
}
"""Every error a repository may raise."""

REASONS: Final = {
    MutationFailure.NOT_FOUND: "This is not there any more.",
    MutationFailure.NOT_SUPPORTED: "This place cannot do that.",
    MutationFailure.READ_ONLY: "This is read-only.",
    MutationFailure.COLLISION: "Something with this name is already there.",
    MutationFailure.INVALID_NAME: "This name cannot be used here.",
    MutationFailure.INVALID_CONTENT: "This content cannot be stored here.",
    MutationFailure.AMBIGUOUS: "This fits in more than one place.",
    MutationFailure.REFERENCED: "This is still in use by a note.",
    MutationFailure.LEVEL_OVERFLOW: "This would nest headings deeper than six levels.",
    MutationFailure.STALE: "This was changed by someone else in the meantime.",
    MutationFailure.UNAVAILABLE: "This cannot be reached at the moment.",
}

SENTENCES: Final = {
    400: "The request is malformed.",
    401: "Sign in with the user name and password of davbridge.",
    403: "This is not allowed.",
    404: "There is nothing at this address.",
    405: "This cannot be done at this address.",
    408: "The upload stopped before it was complete; nothing was stored.",
    409: "The folder above this address does not exist.",
    411: "The upload does not say how long it is.",
    412: "This was changed in the meantime, or is already there.",
    413: "The upload is larger than this server accepts.",
    415: "This kind of request body is not understood here.",
    416: "The requested part is outside of the file.",
    417: "This expectation cannot be met.",
    423: "This is locked by someone else.",
    500: "The server failed on this request; its log says why.",
    501: "This is not supported here.",
    502: "A copy or move to another server or share is not possible.",
    503: "The notes cannot be reached at the moment; please try again.",
    507: "There is no space left to store this.",
}

# Statuses of WsgiDAV whose own words are addresses, Python values or advice to a programmer.
_OWN_WORDS: Final = frozenset({404, 405, 500, 501, 502})

_logger = logging.getLogger(__name__)


class Refusal(DAVError):  # type: ignore[misc]  # WsgiDAV is untyped
    """A refusal whose sentence is written for a person and is sent as it stands.

    `retry_after` is in whole seconds. With `close`, the connection ends after the answer,
    because what follows on it is the rest of a body nobody reads.
    """

    def __init__(
        self,
        status: int,
        sentence: str = "",
        *,
        retry_after: float | None = None,
        close: bool = False,
        headers: Iterable[tuple[str, str]] = (),
    ) -> None:
        extra = list(headers)
        if retry_after is not None:
            extra.append(("Retry-After", str(max(1, round(retry_after)))))
        if close:
            extra.append(("Connection", "close"))
        self.sentence = sentence or SENTENCES.get(status, SENTENCES[500])
        super().__init__(status, self.sentence, add_headers=extra)

    def __str__(self) -> str:
        return self.sentence


def refuse(result: MutationResult, sentence: str = "") -> Refusal:
    """Return the error that tells a client why `result` changed nothing.

    `result.detail` is not shown: it is written for a log.
    """
    failure = result.failure or MutationFailure.NOT_SUPPORTED
    retry = RETRY_AFTER if failure is MutationFailure.UNAVAILABLE else None
    return Refusal(STATUS[failure], sentence or REASONS[failure], retry_after=retry)


def translate(error: BaseException) -> Refusal | DAVError:
    """Return what a client is answered for any exception; anything unexpected is a plain 500."""
    if isinstance(error, Refusal):
        return error
    if isinstance(error, DAVError):
        return _translate_dav_error(error)
    if isinstance(error, RepositoryUnavailable):
        return Refusal(503, retry_after=error.retry_after or RETRY_AFTER)
    if isinstance(error, KnowledgeError):
        return Refusal(next((ERRORS[kind] for kind in ERRORS if isinstance(error, kind)), 500))
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT):
        return Refusal(507)
    return Refusal(500)


def _translate_dav_error(error: DAVError) -> Refusal | DAVError:
    """Keep what RFC 4918 wants as XML (`err_condition`); reword everything else."""
    if error.src_exception is not None and error.value == 500:
        return translate(error.src_exception)
    if error.err_condition is not None or error.value == 304:
        return error
    return Refusal(error.value, _sentence(error), headers=error.add_headers or ())


def _sentence(error: DAVError) -> str:
    words = error.context_info
    if not isinstance(words, str) or error.value in _OWN_WORDS or words.startswith("/"):
        return ""
    if words.startswith("Directory browsing"):
        return "This is a folder; a WebDAV client can list it."
    if "\n" in words:
        return ""
    return words


class ErrorSentences:
    """WSGI middleware: turns every exception of the application into its one sentence.

    Nothing is sent before the first block of the answer is there, so that an error until then
    still gets its own status. A later one ends the connection: the client sees a short answer,
    never a complete one that is wrong.
    """

    def __init__(self, application: Application) -> None:
        self._application = application

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterator[bytes]:
        pending: list[tuple[Any, ...]] = []

        def remember(*args: Any) -> None:
            pending[:] = [args]

        started = False
        try:
            blocks = self._application(environ, remember)
            try:
                for block in blocks:
                    if not started:
                        start_response(*pending[0])
                        started = True
                    yield block
            finally:
                close = getattr(blocks, "close", None)
                if close is not None:
                    close()
            if not started:
                start_response(*pending[0])
        except Exception as error:
            answer = translate(error)
            if started:
                _logger.exception("%s broke off", _request_line(environ))
                raise
            if answer.value == 500:
                _logger.exception("%s failed", _request_line(environ))
            yield from respond(environ, start_response, answer)


def respond(
    environ: Environ, start_response: StartResponse, error: Refusal | DAVError
) -> Iterator[bytes]:
    """Send `error` as its status and one sentence, or as the XML that RFC 4918 asks for."""
    kind, body = "text/plain; charset=utf-8", b""
    if error.err_condition is not None:
        kind, body = error.get_response_page()
    elif isinstance(error, Refusal):
        body = (error.sentence + "\n").encode()
    headers: Headers = list(error.add_headers or ())
    if error.value == 304:
        kind, body = "", b""
    if kind:
        headers.append(("Content-Type", kind))
        headers.append(("X-Content-Type-Options", "nosniff"))
    headers.append(("Content-Length", str(len(body))))
    start_response(get_http_status_string(error), headers)
    yield b"" if environ.get("REQUEST_METHOD") == "HEAD" else body


def _request_line(environ: Environ) -> str:
    place = environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", "")
    return f"{environ.get('REQUEST_METHOD', '?')} {place!r}"
