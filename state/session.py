"""One writer and a reader for each thread: how the stores reach the database."""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from sqlite_utils import Database

from state.errors import Conflict, StateError

Parameters = Sequence[object] | Mapping[str, object]
Row = tuple[Any, ...]

BUSY_TIMEOUT_S: Final = 30.0  # for another process, such as `davbridge user passwd`


def connect(file: Path, *, mode: str = "rw") -> sqlite3.Connection:
    """Open an existing database file; its transactions begin and end only where we say so."""
    return sqlite3.connect(
        f"{file.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )


class _Reader:
    """A connection that reads; closed when its thread ends or the session does."""

    def __init__(self, file: Path) -> None:
        self.connection = connect(file)
        self.connection.execute("PRAGMA query_only = ON")

    def close(self) -> None:
        self.connection.close()

    def __del__(self) -> None:
        if hasattr(self, "connection"):
            self.connection.close()


class Session:
    """Runs the stores' SQL: reads never wait, writes hold the one write lock.

    Outside a transaction a read sees the last commit, through a connection of its own thread.
    Inside, it sees what this transaction wrote. Errors of SQLite leave as `StateError`.
    """

    def __init__(self, file: Path, writer: Database) -> None:
        self.db = writer
        self._file = file
        self._lock = threading.RLock()
        self._owner: int | None = None
        self._depth = 0
        self._closed = False
        self._local = threading.local()
        self._readers: weakref.WeakSet[_Reader] = weakref.WeakSet()
        self._readers_lock = threading.Lock()

    @property
    def writing(self) -> bool:
        """Tell whether the calling thread is inside a transaction."""
        return self._owner == threading.get_ident()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Hold the write lock; what the block writes is durable when the outermost block ends.

        An exception undoes everything its block wrote, inner blocks included, and goes on.
        """
        with self._lock:
            begin, commit, rollback = _OUTER if self._depth == 0 else _inner(self._depth)
            self._control(begin)
            self._depth += 1
            self._owner = threading.get_ident()
            try:
                yield
                self._control(commit)
            except BaseException:
                # An error such as a full disk may have ended the transaction already.
                if self.db.conn.in_transaction:
                    for statement in rollback:
                        self.db.conn.execute(statement)
                raise
            finally:
                self._depth -= 1
                if self._depth == 0:
                    self._owner = None

    def one(self, sql: str, parameters: Parameters = ()) -> Row | None:
        """Return the first row of a query, if there is one."""
        try:
            row: Row | None = self._reading().execute(sql, parameters).fetchone()
        except sqlite3.Error as error:
            raise StateError(f"The state could not be read: {error}.") from error
        return row

    def all(self, sql: str, parameters: Parameters = ()) -> list[Row]:
        """Return all rows of a query."""
        try:
            return self._reading().execute(sql, parameters).fetchall()
        except sqlite3.Error as error:
            raise StateError(f"The state could not be read: {error}.") from error

    def run(self, sql: str, parameters: Parameters = ()) -> int:
        """Write with one statement and return how many rows it touched."""
        if not self.writing:
            with self.transaction():
                return self.run(sql, parameters)
        if not self.db.conn.in_transaction:  # SQLite ends it by itself when a disk is full
            raise StateError("The state was not written: its transaction has failed before.")
        try:
            return self.db.conn.execute(sql, parameters).rowcount
        except sqlite3.Error as error:
            raise _refused(error) from error

    def run_many(self, sql: str, rows: Iterable[Parameters]) -> int:
        """Write with one statement for each row of `rows`, all or none."""
        rows = list(rows)  # whoever makes them may be slow: not under the lock
        if not rows:
            return 0
        with self.transaction():
            try:
                return self.db.conn.executemany(sql, rows).rowcount
            except sqlite3.Error as error:
                raise _refused(error) from error

    def close(self) -> None:
        """Wait for the running transaction, then close every connection; idempotent."""
        if self.writing:
            raise StateError("The state cannot be closed inside a transaction.")
        with self._lock:
            with self._readers_lock:
                self._closed = True
                readers = list(self._readers)
            for reader in readers:
                reader.close()
            self.db.conn.close()

    def _control(self, statement: str) -> None:
        if self._closed:
            raise StateError("The state is closed.")
        try:
            self.db.conn.execute(statement)
        except sqlite3.Error as error:
            raise _refused(error) from error

    def _reading(self) -> sqlite3.Connection:
        if self.writing:
            return self.db.conn
        reader: _Reader | None = getattr(self._local, "reader", None)
        if reader is None:
            with self._readers_lock:
                if self._closed:
                    raise StateError("The state is closed.")
                reader = _Reader(self._file)
                self._readers.add(reader)
            self._local.reader = reader
        return reader.connection


_OUTER: Final = ("BEGIN IMMEDIATE", "COMMIT", ("ROLLBACK",))


def _inner(depth: int) -> tuple[str, str, tuple[str, ...]]:
    name = f"block_{depth}"
    return f"SAVEPOINT {name}", f"RELEASE {name}", (f"ROLLBACK TO {name}", f"RELEASE {name}")


def _refused(error: sqlite3.Error) -> StateError:
    kind = Conflict if isinstance(error, sqlite3.IntegrityError) else StateError
    return kind(f"The state could not be written: {error}.")
