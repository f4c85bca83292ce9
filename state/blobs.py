"""The table `blob` and the directory `blobs/`: bytes, named by their SHA-256.

Up to 64 KiB they are a row; longer ones are a file, whole and on the disk before the row that
names it is committed. So a crash can leave a file without a row, which `collect` removes, and
never a row without its file.
"""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from state.durable import sync_directory
from state.errors import NotStored, StateError
from state.session import Session

INLINE_LIMIT: Final = 64 * 1024
GRACE_S: Final = 3600.0
_CHUNK: Final = 1024 * 1024
_TEMPORARY: Final = "new-"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedBlob:
    """Bytes that can be named in a transaction; `content` is None if they are a file already."""

    sha256: str
    size: int
    content: bytes | None


class BlobStore:
    """Bytes that rows of other tables name; equal bytes are stored once."""

    def __init__(self, session: Session, directory: Path) -> None:
        self._session = session
        self._directory = directory
        self._held: Counter[str] = Counter()
        self._held_lock = threading.Lock()
        self._opened = time.time() - 1  # the clock of a file system may lag a little

    def put(self, content: bytes | Path) -> str:
        """Store bytes, or the bytes of a spooled file, and return their SHA-256 in hex.

        Inside a transaction they are safe once it commits. Outside, `collect` may take them
        until a row names them: `prepared` holds them that long.
        """
        with self.prepared(content) as blob:
            self.record(blob)
        return blob.sha256

    @contextmanager
    def prepared(self, content: bytes | Path) -> Iterator[PreparedBlob]:
        """Make bytes durable outside of any lock; no `collect` takes their file in the block."""
        blob, file = self._measure(content)
        with self._holding(blob.sha256):
            if file is not None:
                self._settle(file, blob.sha256)
            yield blob

    def record(self, blob: PreparedBlob) -> None:
        """Write the row of a prepared blob; needed before another row can name it."""
        sql = "INSERT INTO blob (sha256, size, bytes) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"
        self._session.run(sql, (blob.sha256, blob.size, blob.content))

    def get(self, sha256: str) -> bytes:
        """Return the bytes; `NotStored` if there are none of that name."""
        with self.open(sha256) as stream:
            return stream.read()

    def open(self, sha256: str) -> BinaryIO:
        """Open the bytes for reading from their start; `NotStored` if there are none."""
        row = self._session.one("SELECT bytes FROM blob WHERE sha256 = ?", (sha256,))
        if row is None:
            raise NotStored(name=sha256)
        if row[0] is not None:
            return io.BytesIO(row[0])
        try:
            return self._file(sha256).open("rb")
        except FileNotFoundError as error:
            raise NotStored(name=sha256) from error
        except OSError as error:
            raise StateError(f"A stored file could not be read: {error.strerror}.") from error

    def collect(self, *, before: float | None = None) -> int:
        """Remove the bytes that no row names, and return how many.

        Files younger than `before` (an hour ago, unless given) stay: another process may be
        about to name them.
        """
        limit = time.time() - GRACE_S if before is None else before
        removed = self._collect_rows(limit)
        # A second transaction, after the rows are durably gone: while it is open no row can
        # come to name a file, so what has neither row nor holder is free.
        with self._session.transaction():
            for file in list(self._files()):
                removed += self._collect_file(file, limit)
        return removed

    def _collect_rows(self, limit: float) -> int:
        with self._session.transaction():
            unnamed = self._session.all(_UNNAMED)
            inline = [(name,) for name, is_row in unnamed if is_row]
            files = [
                (name,)
                for name, is_row in unnamed
                if not is_row and _older(self._file(name), limit)
            ]
            self._session.run_many("DELETE FROM blob WHERE sha256 = ?", inline + files)
        return len(inline)

    def _collect_file(self, file: Path, limit: float) -> int:
        if file.name.startswith(_TEMPORARY):
            if _older(file, min(limit, self._opened)):  # left over from a process that died
                file.unlink(missing_ok=True)
            return 0
        with self._held_lock:
            if file.name in self._held or not _older(file, limit) or self._has_row(file.name):
                return 0
            file.unlink(missing_ok=True)
        return 1

    def _has_row(self, sha256: str) -> bool:
        row = self._session.one("SELECT 1 FROM blob WHERE sha256 = ?", (sha256,))
        return row is not None

    def _measure(self, content: bytes | Path) -> tuple[PreparedBlob, Path | None]:
        """Return the blob and, if it is a large one, its bytes in a temporary file."""
        if isinstance(content, bytes) and len(content) <= INLINE_LIMIT:
            return _inline(content), None
        try:
            if isinstance(content, bytes):
                return self._spool([content])
            with content.open("rb") as stream:
                head = stream.read(INLINE_LIMIT + 1)
                if len(head) <= INLINE_LIMIT:
                    return _inline(head), None
                return self._spool(_blocks(head, stream))
        except OSError as error:
            raise _unwritable(error) from error

    def _spool(self, blocks: Iterable[bytes]) -> tuple[PreparedBlob, Path]:
        self._directory.mkdir(mode=0o700, exist_ok=True)
        digest, size = hashlib.sha256(), 0
        with tempfile.NamedTemporaryFile(
            prefix=_TEMPORARY, dir=self._directory, delete=False
        ) as stream:
            file = Path(stream.name)
            try:
                for block in blocks:
                    digest.update(block)
                    size += len(block)
                    stream.write(block)
                stream.flush()
                os.fsync(stream.fileno())
            except BaseException:
                file.unlink(missing_ok=True)
                raise
        return PreparedBlob(sha256=digest.hexdigest(), size=size, content=None), file

    def _settle(self, file: Path, sha256: str) -> None:
        """Give a finished temporary file its name, and make the name durable."""
        final = self._file(sha256)
        try:
            if not final.parent.is_dir():
                final.parent.mkdir(mode=0o700, exist_ok=True)
                sync_directory(self._directory)
            file.replace(final)
            sync_directory(final.parent)
        except OSError as error:
            file.unlink(missing_ok=True)
            raise _unwritable(error) from error

    @contextmanager
    def _holding(self, name: str) -> Iterator[None]:
        with self._held_lock:
            self._held[name] += 1
        try:
            yield
        finally:
            with self._held_lock:
                self._held[name] -= 1
                if not self._held[name]:
                    del self._held[name]

    def _file(self, sha256: str) -> Path:
        return self._directory / sha256[:2] / sha256

    def _files(self) -> Iterator[Path]:
        yield from self._directory.glob(f"{_TEMPORARY}*")
        yield from self._directory.glob("[0-9a-f][0-9a-f]/*")


_UNNAMED: Final = """
    SELECT sha256, bytes IS NOT NULL FROM blob
    WHERE NOT EXISTS (SELECT 1 FROM version WHERE version.sha256 = blob.sha256)
    AND NOT EXISTS (SELECT 1 FROM opaque WHERE opaque.sha256 = blob.sha256)
"""


def _inline(content: bytes) -> PreparedBlob:
    digest = hashlib.sha256(content).hexdigest()
    return PreparedBlob(sha256=digest, size=len(content), content=content)


def _blocks(head: bytes, stream: BinaryIO) -> Iterator[bytes]:
    yield head
    while block := stream.read(_CHUNK):
        yield block


def _older(file: Path, limit: float) -> bool:
    """Tell whether a file was last touched before `limit`; one that is not there is."""
    try:
        return file.stat().st_mtime < limit
    except FileNotFoundError:
        return True


def _unwritable(error: OSError) -> StateError:
    return StateError(f"The bytes could not be stored: {error.strerror}.")
