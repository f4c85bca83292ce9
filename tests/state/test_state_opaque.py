"""Opaque files: kept as they came, by path."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from state import NotStored, OpaqueRow, StateStore, TargetRow
from state.opaque import OpaqueStore


@pytest.fixture
def opaque(store: StateStore, target: TargetRow) -> OpaqueStore:
    return store.opaque(target.id)


def _paths(opaque: OpaqueStore, prefix: str = "") -> list[str]:
    return [row.path for row in opaque.list(prefix)]


def test_a_file_comes_back(opaque: OpaqueStore) -> None:
    """R-J-23: bytes and time are kept as given; an unknown path is None."""
    opaque.put("info.json", b"{}", 12.5)
    digest = hashlib.sha256(b"{}").hexdigest()
    assert opaque.get("info.json") == OpaqueRow(path="info.json", sha256=digest, size=2, mtime=12.5)
    with opaque.open("info.json") as stream:
        assert stream.read() == b"{}"
    assert opaque.get("other") is None
    with pytest.raises(NotStored, match="other"):
        opaque.open("other")


def test_a_spooled_file_is_taken_over(opaque: OpaqueStore, tmp_path: Path) -> None:
    """A large upload is stored from the file it was spooled to, which stays the caller's."""
    spooled = tmp_path / "spooled"
    spooled.write_bytes(b"x" * 200_000)
    opaque.put(".resource/a", spooled, 1.0)
    spooled.write_bytes(b"other")
    row = opaque.get(".resource/a")
    assert row is not None
    assert row.size == 200_000
    with opaque.open(".resource/a") as stream:
        assert stream.read() == b"x" * 200_000


def test_putting_again_replaces(opaque: OpaqueStore) -> None:
    """One path holds one file."""
    opaque.put("a", b"old", 1.0)
    opaque.put("a", b"newer", 2.0)
    (row,) = opaque.list()
    assert (row.size, row.mtime) == (5, 2.0)


def test_removing_tells_what_was_there(opaque: OpaqueStore) -> None:
    """A file is removed once."""
    opaque.put("a", b"", 1.0)
    assert opaque.remove("a")
    assert not opaque.remove("a")
    assert opaque.get("a") is None


def test_moving_replaces_what_is_there(opaque: OpaqueStore) -> None:
    """A moved file keeps bytes and time, and takes the place of another."""
    opaque.put("a", b"moved", 1.0)
    opaque.put("b", b"replaced", 2.0)
    assert opaque.move("a", "b")
    (row,) = opaque.list()
    assert (row.path, row.size, row.mtime) == ("b", 5, 1.0)
    assert not opaque.move("a", "b")
    assert opaque.move("b", "b")
    assert _paths(opaque) == ["b"]


def test_a_list_is_by_prefix(opaque: OpaqueStore) -> None:
    """A prefix is compared character for character and means nothing else."""
    for path in (
        "locks/b",
        "locks/a",
        "locks",
        "locks.json",
        "temp/a",
        "100%_",
        "locks/\U0010fffd",
    ):
        opaque.put(path, b"", 1.0)
    assert _paths(opaque, "locks/") == ["locks/a", "locks/b", "locks/\U0010fffd"]
    assert _paths(opaque, "locks") == [
        *("locks", "locks.json", "locks/a", "locks/b", "locks/\U0010fffd")
    ]
    assert _paths(opaque, "1%") == []
    assert len(_paths(opaque)) == 7
