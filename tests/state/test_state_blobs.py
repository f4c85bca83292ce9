"""Blobs: stored once, whole before they are named, freed when no row names them."""

from __future__ import annotations

import hashlib
import os
import stat
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from state import NotStored, StateError, StateStore, TargetRow
from state.blobs import INLINE_LIMIT
from tests.state.conftest import fail_after

EVER = float("inf")  # nothing is too young to be collected
SMALL = b"s" * INLINE_LIMIT
LARGE = b"l" * (INLINE_LIMIT + 1)


def _files(directory: Path) -> list[str]:
    return sorted(file.name for file in (directory / "blobs").rglob("*") if file.is_file())


@pytest.mark.parametrize("content", [b"", b"x", SMALL, LARGE, b"ab" * 3_000_000])
@pytest.mark.parametrize("spooled", [False, True])
def test_bytes_come_back(store: StateStore, tmp_path: Path, content: bytes, spooled: bool) -> None:
    """Bytes, or those of a spooled file, come back under their SHA-256."""
    source: bytes | Path = content
    if spooled:
        source = tmp_path / "spooled"
        source.write_bytes(content)
    name = store.blobs.put(source)
    assert name == hashlib.sha256(content).hexdigest()
    assert store.blobs.get(name) == content
    with store.blobs.open(name) as stream:
        assert (content[:3], content[3:]) == (stream.read(3), stream.read())
    if spooled:
        assert (tmp_path / "spooled").read_bytes() == content


def test_only_large_bytes_are_files(store: StateStore, directory: Path) -> None:
    """MODEL 4: up to 64 KiB in the database, more in a private file named by its hash."""
    store.blobs.put(SMALL)
    assert not (directory / "blobs").exists()
    name = store.blobs.put(LARGE)
    file = directory / "blobs" / name[:2] / name
    assert file.read_bytes() == LARGE
    modes = [stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent, directory / "blobs")]
    assert modes == [0o600, 0o700, 0o700]


def test_equal_bytes_are_stored_once(store: StateStore, directory: Path) -> None:
    """The same bytes have one name and one place."""
    assert store.blobs.put(LARGE) == store.blobs.put(LARGE)
    assert len(_files(directory)) == 1


def test_an_unknown_name_is_not_stored(store: StateStore, directory: Path) -> None:
    """A name without bytes is `NotStored`, whether the row or the file is missing."""
    with pytest.raises(NotStored, match="ff"):
        store.blobs.get("ff" * 32)
    name = store.blobs.put(LARGE)
    (directory / "blobs" / name[:2] / name).unlink()
    with pytest.raises(NotStored, match=name):
        store.blobs.open(name)


def test_a_file_is_durable_before_it_is_named(
    store: StateStore, target: TargetRow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bytes, their name and its directory are synced before the transaction begins."""
    events: list[str] = []
    sync, replace = os.fsync, Path.replace

    def fsync(handle: int) -> None:
        kind = "directory" if stat.S_ISDIR(os.fstat(handle).st_mode) else "file"
        events.append(f"sync {kind}")
        sync(handle)

    def rename(source: Path, final: Path) -> Path:
        events.append("rename")
        return replace(source, final)

    monkeypatch.setattr(os, "fsync", fsync)
    monkeypatch.setattr(Path, "replace", rename)
    store._session.db.conn.set_trace_callback(lambda sql: events.append(sql.split()[0]))
    store.opaque(target.id).put("large", LARGE, 1.0)
    store._session.db.conn.set_trace_callback(None)
    assert events == [
        *("sync file", "sync directory", "rename", "sync directory"),
        *("BEGIN", "INSERT", "INSERT", "COMMIT"),
    ]


def test_bytes_that_cannot_be_written_are_not_named(
    store: StateStore, target: TargetRow, directory: Path
) -> None:
    """A disk that refuses the bytes is one sentence, and no row is written."""
    (directory / "blobs").write_bytes(b"in the way")
    with pytest.raises(StateError, match="could not be stored"):
        store.opaque(target.id).put("large", LARGE, 1.0)
    assert store.opaque(target.id).get("large") is None


def test_what_no_row_names_is_collected(
    store: StateStore, target: TargetRow, directory: Path
) -> None:
    """`collect` frees the bytes no version and no opaque file names, and only those."""
    opaque, versions = store.opaque(target.id), store.versions(target.id)
    for number, content in enumerate((b"a", LARGE + b"a")):
        opaque.put(f"kept{number}", content, 1.0)
        opaque.put(f"gone{number}", content + b"!", 1.0)
        versions.add("n", content + b"?", "test", 1.0)
        assert opaque.remove(f"gone{number}")
    assert store.blobs.collect(before=EVER) == 2
    assert store.blobs.collect(before=EVER) == 0
    names = [row.sha256 for row in opaque.list()] + [row.sha256 for row in versions.list("n")]
    contents = [store.blobs.get(name) for name in names]
    assert contents == [b"a", LARGE + b"a", LARGE + b"a?", b"a?"]
    assert len(_files(directory)) == 2


def test_what_a_crash_left_is_collected(store: StateStore, directory: Path) -> None:
    """A file without a row, and a temporary one, are what a crash can leave; both are freed."""
    name = store.blobs.put(LARGE)
    orphan = directory / "blobs" / name[:2] / ("0" * 64)
    for file in (orphan, directory / "blobs" / "new-left"):
        file.write_bytes(b"left")
        os.utime(file, (1.0, 1.0))
    with store.blobs.prepared(LARGE):
        assert store.blobs.collect(before=EVER) == 1
        assert _files(directory) == [name]


def test_young_files_are_left_alone(store: StateStore, directory: Path) -> None:
    """A file that another process may be about to name is not taken."""
    name = store.blobs.put(LARGE)
    assert store.blobs.collect() == 0
    assert _files(directory) == [name]
    assert store.blobs.get(name) == LARGE


@pytest.mark.parametrize("content", [b"small", LARGE])
def test_bytes_are_held_until_they_are_named(
    store: StateStore, target: TargetRow, content: bytes
) -> None:
    """A `collect` between the bytes and their row takes nothing away."""
    with store.blobs.prepared(content) as blob:
        store.blobs.record(blob)
        store.blobs.collect(before=EVER)
        with store.transaction():
            store.opaque(target.id).put("path", content, 1.0)
    store.blobs.collect(before=EVER)
    assert store.blobs.get(blob.sha256) == content


def test_bytes_put_in_a_transaction_are_safe(store: StateStore, target: TargetRow) -> None:
    """A `collect` of another thread waits for the transaction that names the bytes."""
    started = threading.Event()

    def collect() -> int:
        started.set()
        return store.blobs.collect(before=EVER)

    with ThreadPoolExecutor(1) as other:
        with store.transaction():
            name = store.blobs.put(LARGE)
            result = other.submit(collect)
            assert started.wait(20)
            store.versions(target.id).add("n", LARGE, "test", 1.0)
        assert result.result(20) == 0
    assert store.blobs.get(name) == LARGE


def test_an_undone_transaction_leaves_no_bytes(
    store: StateStore, target: TargetRow, directory: Path
) -> None:
    """Bytes whose transaction was undone are free."""
    versions = store.versions(target.id)
    with pytest.raises(ZeroDivisionError):
        fail_after(store, lambda: versions.add("n", LARGE, "test", 1.0))
    assert store.blobs.collect(before=EVER) == 1
    assert _files(directory) == []
