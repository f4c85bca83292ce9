"""A request body in chunks (RFC 9112, section 7.1), read as a stream.

cheroot's own reader takes a whole chunk into memory, whatever its size, and copies the rest of
it at every read (cheroot 11.1, `ChunkedRFile`).
"""

from __future__ import annotations

from typing import Final, Protocol

_MAX_LINE: Final = 4096
_MAX_TRAILERS: Final = 32


class Stream(Protocol):
    """What a chunked body is read from."""

    def read(self, size: int, /) -> bytes:
        """Return `size` bytes, fewer only at the end of the stream."""

    def readline(self, size: int, /) -> bytes:
        """Return one line with its end, or its first `size` bytes."""


class ChunkedBody:
    """The bytes of a chunked body, as `wsgi.input`."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._left = 0
        self.complete = False

    def read(self, size: int | None = None) -> bytes:
        """Return `size` bytes, fewer only at the end; everything for `None`.

        Raises `ValueError` for what is no chunked body, also for one that breaks off.
        """
        parts: list[bytes] = []
        while not self.complete and (size is None or size > 0):
            if self._left == 0 and not self._next_chunk():
                break
            want = self._left if size is None else min(self._left, size)
            part = self._stream.read(want)
            if len(part) < want:
                raise ValueError("the body breaks off inside a chunk")
            parts.append(part)
            self._left -= want
            size = None if size is None else size - want
            if self._left == 0 and self._line() != b"":
                raise ValueError("a chunk is longer than it says")
        return b"".join(parts)

    def _next_chunk(self) -> bool:
        digits = self._line().partition(b";")[0].strip()
        if not digits or len(digits) > 16 or digits.strip(b"0123456789abcdefABCDEF"):
            raise ValueError("a chunk does not begin with its size")
        self._left = int(digits, 16)
        if self._left:
            return True
        for _ in range(_MAX_TRAILERS):
            if not self._line():
                self.complete = True
                return False
        raise ValueError("too many trailers")

    def _line(self) -> bytes:
        line = self._stream.readline(_MAX_LINE)
        if not line.endswith(b"\r\n"):
            raise ValueError("a line of the chunked body has no end")
        return line[:-2]
