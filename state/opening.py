"""Opening the database file: private, whole, and of a schema this version knows."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

from sqlite_utils import Database

from state.durable import sync_directory
from state.errors import StateError
from state.schema import APPLICATION_ID, migration_names, migrations
from state.session import connect

FILE_NAME: Final = "state.sqlite"
_SIDE_FILES: Final = ("-wal", "-shm")


def open_database(directory: Path) -> tuple[Path, Database]:
    """Open the state in `directory` for writing, creating and migrating it as needed.

    `StateError` if the file is damaged, of another program or of a newer davbridge, or if the
    directory cannot hold it; then nothing was changed.
    """
    try:
        _own_directory(directory)
        file = directory / FILE_NAME
        if not file.exists():
            _create(file)
        _check(file)
        _make_private(file)
        return file, _writer(file)
    except OSError as error:
        raise StateError(f"The state in {directory} cannot be used: {error.strerror}.") from error


def _own_directory(directory: Path) -> None:
    if not directory.exists():
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    elif not any(directory.iterdir()):  # a shared one is somebody else's to close
        with suppress(PermissionError):
            directory.chmod(0o700)


def _make_private(file: Path) -> None:
    for suffix in ("", *_SIDE_FILES):  # SQLite gives new side files the mode of the database
        side = file.with_name(file.name + suffix)
        with suppress(FileNotFoundError, PermissionError):
            side.chmod(0o600)


def _create(file: Path) -> None:
    """Make the database under another name first: an empty state file is then always a damage."""
    log = file.with_name(f"{file.name}-wal")
    if log.exists() and log.stat().st_size:
        raise StateError(
            f"{log} is there without its database; put {file.name} back or move the log away."
        )
    with tempfile.TemporaryDirectory(prefix="new-", dir=file.parent) as temporary:
        new = Path(temporary) / file.name
        new.touch(mode=0o600)
        with closing(connect(new)) as connection:
            database = Database(connection, execute_plugins=False)
            with _exclusively(database):
                migrations.apply(database)
        with new.open("rb") as stream:
            os.fsync(stream.fileno())
        try:
            file.hardlink_to(new)  # unlike a rename, never replaces what another process made
        except FileExistsError:
            return
        except OSError:
            new.replace(file)
    sync_directory(file.parent)


def _check(file: Path) -> None:
    """Refuse what is not a whole state of a known schema, without writing a byte of it."""
    if file.stat().st_size == 0:
        raise StateError(f"{file} is damaged (it is empty); put a copy of it back.")
    try:
        # Read-only: closing a writer would bring the log into a file that is not sound.
        with closing(connect(file, mode="ro")) as connection:
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                raise StateError(f"{file} is not a state of davbridge.")
            verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
            applied = {
                name
                for (name,) in connection.execute(
                    "SELECT name FROM _sqlite_migrations WHERE migration_set = ?",
                    (migrations.name,),
                )
            }
    except sqlite3.OperationalError as error:
        raise StateError(f"{file} cannot be read: {error}.") from error
    except sqlite3.DatabaseError as error:
        raise StateError(f"{file} is damaged ({error}); put a copy of it back.") from error
    if verdict != "ok":
        raise StateError(f"{file} is damaged ({verdict}); put a copy of it back.")
    if applied - set(migration_names()):
        raise StateError(f"{file} was written by a newer davbridge; start that one instead.")


def _writer(file: Path) -> Database:
    connection = connect(file)
    try:
        mode = connection.execute("PRAGMA journal_mode = WAL").fetchone()[0]
        if mode != "wal":
            raise StateError(f"{file} is on a file system that SQLite cannot share safely.")
        for setting in (
            "synchronous = FULL",
            "foreign_keys = ON",
            "temp_store = MEMORY",
            "journal_size_limit = 67108864",
        ):
            connection.execute(f"PRAGMA {setting}")
        database = Database(connection, execute_plugins=False)
        if migrations.pending(database):
            with _exclusively(database):
                migrations.apply(database)
    except sqlite3.Error as error:
        connection.close()
        raise StateError(f"{file} cannot be used: {error}.") from error
    except BaseException:
        connection.close()
        raise
    return database


@contextmanager
def _exclusively(database: Database) -> Iterator[None]:
    """Apply all migrations or none, while no other process does."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        if database.conn.in_transaction:
            database.execute("ROLLBACK")
        raise
