"""Request bodies, received whole before anything is done with them."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Final, Self

from davbridge.dav.errors import Refusal

IN_MEMORY: Final = 1024 * 1024
"""Bytes of a body that are kept in memory; a longer one becomes a file (R-J-15)."""

BLOCK: Final = 64 * 1024

_PREFIX: Final = "upload-"
_ABANDONED: Final = 3600.0

_logger = logging.getLogger(__name__)


class SpooledBody:
    """A complete request body: in memory (`path` is `None`) or in the file `path`.

    A context manager; the file is removed at its end, so whoever keeps the bytes copies or
    links them before. `file` stands at the first byte.
    """

    def __init__(self, file: BinaryIO, *, length: int, path: Path | None = None) -> None:
        self.file = file
        self.length = length
        self.path = path

    @classmethod
    def of(cls, content: bytes) -> SpooledBody:
        """Return a body that holds `content`."""
        return cls(io.BytesIO(content), length=len(content))

    def read(self) -> bytes:
        """Return all bytes and stand at the first one again."""
        self.file.seek(0)
        content = self.file.read()
        self.file.seek(0)
        return content

    def close(self) -> None:
        """Release the memory or remove the file; harmless when repeated."""
        self.file.close()
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


def declared_length(environ: dict[str, Any]) -> int | None:
    """Return how long the body is said to be; `None` for a chunked one, 0 when there is none.

    Refused: 400 for a length that is no plain number.
    """
    if environ.get("wsgi.input_terminated"):
        return None
    text = environ.get("CONTENT_LENGTH") or "0"
    if not (text.isascii() and text.isdigit()):
        raise Refusal(400, "The Content-Length of the request is malformed.", close=True)
    return int(text)


def receive(environ: dict[str, Any], *, limit: int, directory: Path | None) -> SpooledBody:
    """Read the whole request body, of at most `limit` bytes, and return it.

    Files go to `directory` (the system's temporary one if `None`). Refused, with nothing left
    behind: 413 (before a byte is read, if the length is declared), 408 or 400 for a body that
    ends early, stalls or is malformed, 507 for a full disk.
    """
    length = declared_length(environ)
    expected = environ.get("HTTP_X_EXPECTED_ENTITY_LENGTH", "")  # macOS Finder, chunked
    announced = int(expected) if length is None and expected.isdecimal() else length
    if announced is not None and announced > limit:
        raise _too_large(limit)
    body = _Receiver(directory)
    try:
        for block in _blocks(environ, length):
            if body.length + len(block) > limit:
                raise _too_large(limit)
            body.write(block)
        environ["wsgidav.all_input_read"] = 1
        if length is not None and body.length != length:
            raise Refusal(408, close=True)
        return body.finish()
    except BaseException:
        body.discard()
        raise


def _blocks(environ: dict[str, Any], length: int | None) -> Iterator[bytes]:
    stream = environ["wsgi.input"]
    received = 0
    while length is None or received < length:
        want = BLOCK if length is None else min(BLOCK, length - received)
        try:
            block = stream.read(want)
        except ValueError as error:
            raise Refusal(400, "The upload is not encoded as it says.", close=True) from error
        except OSError as error:  # reset by the client, or no byte within the server's timeout
            raise Refusal(408, close=True) from error
        if not block:
            return
        received += len(block)
        yield block


def _too_large(limit: int) -> Refusal:
    size = f"{limit / 1024 / 1024:.0f} MiB" if limit >= IN_MEMORY else f"{limit} bytes"
    return Refusal(413, f"The upload is larger than the {size} this server accepts.", close=True)


class _Receiver:
    """Bytes that arrive: first in memory, then in a file."""

    def __init__(self, directory: Path | None) -> None:
        self._directory = directory
        self._file: BinaryIO = io.BytesIO()
        self._path: Path | None = None
        self.length = 0

    def write(self, block: bytes) -> None:
        if self._path is None and self.length + len(block) > IN_MEMORY:
            self._move_to_file()
        self._file.write(block)
        self.length += len(block)

    def _move_to_file(self) -> None:
        descriptor, name = tempfile.mkstemp(prefix=_PREFIX, dir=self._directory)
        memory, self._file = self._file, os.fdopen(descriptor, "w+b")
        self._path = Path(name)
        memory.seek(0)
        self._file.write(memory.read())

    def finish(self) -> SpooledBody:
        self._file.flush()
        self._file.seek(0)
        return SpooledBody(self._file, length=self.length, path=self._path)

    def discard(self) -> None:
        SpooledBody(self._file, length=self.length, path=self._path).close()


def clear_spool(directory: Path, *, now: float) -> int:
    """Make `directory` and remove what killed processes left in it; return how many files.

    Several processes may share it: a file that grew within the last hour belongs to a live one.
    """
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    removed = 0
    for file in directory.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            if now - file.stat().st_mtime > _ABANDONED:
                file.unlink()
                removed += 1
    if removed:
        _logger.info("removed %d unfinished uploads of an earlier run", removed)
    return removed
