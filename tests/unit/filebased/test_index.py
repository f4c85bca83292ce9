"""What was learned of files survives a restart (MODEL, section 1: IndexStore)."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pytest

from adapters.contract import IndexRow
from adapters.filebased import FileBasedRepository
from adapters.filebased.disk import Disk
from tests.unit.filebased.tools import plant

LONG_AGO = 1_700_000_000


class MemoryIndex:
    """An index store without a database."""

    def __init__(self) -> None:
        self.rows: dict[tuple[str, str], IndexRow] = {}

    def load(self, namespace: str) -> Iterable[IndexRow]:
        return [row for (space, _), row in self.rows.items() if space == namespace]

    def save(self, namespace: str, rows: Iterable[IndexRow], removed: Iterable[str] = ()) -> None:
        for key in removed:
            self.rows.pop((namespace, key), None)
        self.rows.update({(namespace, row.key): row for row in rows})


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths of the files that were read, as they are."""
    paths: list[str] = []
    inner = Disk.read

    def read(self: Disk, path: str) -> tuple[bytes, os.stat_result]:
        paths.append(path)
        return inner(self, path)

    monkeypatch.setattr(Disk, "read", read)
    monkeypatch.setattr("adapters.filebased.scan._YOUNG_NS", 0)
    return paths


def test_restart_reads_what_changed(notes: Path, reads: list[str]) -> None:
    """ARCHITECTURE 11: a restart costs what changed; links, headings, revisions are known."""
    plant(notes, {"a.md": "[b](D/b.md#one)", "D/b.md": "# One\n", "c.md": "c"})
    index = MemoryIndex()
    with FileBasedRepository(notes, index=index) as repository:
        revisions = [repository.get_area_revision(area) for area in ("/a", "/D~/b")]
    reads.clear()
    plant(notes, {"c.md": "changed"})
    with FileBasedRepository(notes, index=index) as repository:
        assert ["c.md"] == reads
        assert revisions == [repository.get_area_revision(area) for area in ("/a", "/D~/b")]
        assert repository.try_rename("/D~/b", "x").ok
        assert "[b](D/x.md#one)" == (notes / "a.md").read_text()
    reads.clear()
    with FileBasedRepository(notes, index=index) as repository:
        assert ("/D~/x/One",) == repository.get_areas(True, "/D~/x")
    assert [] == reads


def test_finding_referrers_reads_nothing(notes: Path, reads: list[str]) -> None:
    """R-F-57: only the documents that must change are read."""
    plant(notes, {f"{number}.md": "[x](other.md)" for number in range(5)})
    plant(notes, {"n.md": "", "in.md": "[n](n.md)", "other.md": ""})
    with FileBasedRepository(notes) as repository:
        reads.clear()
        assert repository.try_rename("/n", "m").ok
        assert {"in.md", "m.md"} >= set(reads)


def test_damaged_row_is_read_again(notes: Path) -> None:
    """R-F-57: the index is a cache and may be anything."""
    plant(notes, {"a.md": "# One\n"})
    os.utime(notes / "a.md", (LONG_AGO, LONG_AGO))
    index = MemoryIndex()
    FileBasedRepository(notes, index=index).close()
    damaged = {key: IndexRow(row.key, row.revision, b"[1, 2]") for key, row in index.rows.items()}
    index.rows = damaged
    with FileBasedRepository(notes, index=index) as repository:
        assert ("/a", "/a/One") == repository.get_areas(True)
