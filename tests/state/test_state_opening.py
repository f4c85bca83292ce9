"""Opening: private, whole, ours and not newer, or refused with nothing changed."""

from __future__ import annotations

import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from state import StateError, StateStore
from tests.state.conftest import note


def _mode(path: Path) -> str:
    return oct(stat.S_IMODE(path.stat().st_mode))


def _filled(directory: Path) -> Path:
    with StateStore.open(directory) as store:
        items = store.items(store.targets.add("k", "/joplin").id)
        with store.transaction():
            for number in range(200):
                items.put(note(f"n{number}", f"/n{number}", raw=b"text " * 200))
    return directory / "state.sqlite"


def _assert_refused(directory: Path, words: str) -> None:
    file = directory / "state.sqlite"
    before = file.read_bytes()
    with pytest.raises(StateError, match=words):
        StateStore.open(directory)
    assert before == file.read_bytes()


def test_everything_is_private(store: StateStore, directory: Path) -> None:
    """MODEL 4: the directory is its owner's alone, and so is every file in it."""
    store.users.put("ann", "hash")
    assert {"state.sqlite", "state.sqlite-wal", "state.sqlite-shm"} == {
        file.name for file in directory.iterdir()
    }
    assert _mode(directory) == "0o700"
    assert {"0o600"} == {_mode(file) for file in directory.iterdir()}


def test_an_open_file_is_closed_to_others(directory: Path) -> None:
    """A state file that others could read is made private when it is opened."""
    file = _filled(directory)
    file.chmod(0o644)
    StateStore.open(directory).close()
    assert _mode(file) == "0o600"


def test_a_shared_directory_keeps_its_mode(tmp_path: Path) -> None:
    """A directory that holds other things is not closed to those who use it."""
    tmp_path.chmod(0o755)
    (tmp_path / "other").touch()
    StateStore.open(tmp_path).close()
    assert _mode(tmp_path) == "0o755"


def test_an_empty_directory_is_made_private(tmp_path: Path) -> None:
    """An empty directory becomes the state's own."""
    tmp_path.chmod(0o755)
    StateStore.open(tmp_path).close()
    assert _mode(tmp_path) == "0o700"


def test_what_was_written_is_there_again(directory: Path) -> None:
    """A state that is closed and opened again is the same."""
    _filled(directory)
    with StateStore.open(directory) as store:
        assert store.items(1).counts() == {1: 200}


@pytest.mark.parametrize("name", ["a b", "50%", "what?", "a#b", "Ü ñ"])
def test_any_directory_name_works(tmp_path: Path, name: str) -> None:
    """A name that means something in an address is only a name."""
    with StateStore.open(tmp_path / name) as store:
        store.users.put("ann", "hash")
        assert store.users.get("ann") == "hash"
    assert (tmp_path / name / "state.sqlite").is_file()


def test_writes_are_durable(store: StateStore) -> None:
    """MODEL 4: WAL, and a commit is on the disk when it returns."""
    connection = store._session.db.conn
    assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
    assert connection.execute("PRAGMA foreign_keys").fetchone() == (1,)


def test_garbage_is_refused(directory: Path) -> None:
    """A file that is no database is refused and left as it is."""
    directory.mkdir()
    (directory / "state.sqlite").write_bytes(b"garbage " * 1000)
    _assert_refused(directory, "damaged")


def test_an_empty_file_is_refused(directory: Path) -> None:
    """A truncated state never counts as a new one: all ids would be given out again."""
    _filled(directory).write_bytes(b"")
    _assert_refused(directory, "damaged")


def test_a_damaged_page_is_refused(directory: Path) -> None:
    """A database whose pages contradict each other is refused."""
    file = _filled(directory)
    content = bytearray(file.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle : middle + 3 * 4096] = b"\xff" * (3 * 4096)
    file.write_bytes(content)
    _assert_refused(directory, "damaged")


def test_a_short_file_is_refused(directory: Path) -> None:
    """A database that lost its end is refused."""
    file = _filled(directory)
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    _assert_refused(directory, "damaged")


def test_another_programs_database_is_refused(directory: Path) -> None:
    """A database of another program is not written to."""
    directory.mkdir()
    with closing(sqlite3.connect(directory / "state.sqlite")) as connection:
        connection.execute("CREATE TABLE item (id)")
    _assert_refused(directory, "not a state of davbridge")


def test_a_newer_schema_is_refused(directory: Path) -> None:
    """A state with a migration this version does not know is left to the newer one."""
    file = _filled(directory)
    with closing(sqlite3.connect(file)) as connection:
        connection.execute(
            "INSERT INTO _sqlite_migrations (migration_set, name, applied_at)"
            " VALUES ('davbridge', '9999_future', '')"
        )
        connection.commit()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    _assert_refused(directory, "newer davbridge")


def test_a_log_without_its_database_is_refused(directory: Path) -> None:
    """A lone write-ahead log may be all that is left of a state; it is not thrown away."""
    directory.mkdir()
    log = directory / "state.sqlite-wal"
    log.write_bytes(b"frames")
    with pytest.raises(StateError, match="without its database"):
        StateStore.open(directory)
    assert [log] == list(directory.iterdir())


def test_a_file_in_the_way_is_one_sentence(tmp_path: Path) -> None:
    """A directory that cannot be one is refused as a `StateError`."""
    (tmp_path / "state").touch()
    with pytest.raises(StateError, match="cannot be used"):
        StateStore.open(tmp_path / "state")


def test_two_processes_may_open_one_state(store: StateStore, directory: Path) -> None:
    """A command beside the server sees its state, and is seen."""
    with StateStore.open(directory) as other:
        other.users.put("ann", "new")
    assert store.users.get("ann") == "new"
