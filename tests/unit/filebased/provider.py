"""A folder of Markdown files under test, and the other programs that work in it."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from adapters.contract import ROOT, KnowledgeRepository, NativeTree, companion
from adapters.filebased import FileBasedRepository
from adapters.filebased.disk import Disk
from tests.contract.provider import Fault, Provider

WRITES = (
    "temporary",
    "replace",
    "rename",
    "make_directory",
    "make_private",
)


class FolderProvider(Provider):
    """Faults are full disks: the `step`-th call that would write raises ENOSPC."""

    repository: FileBasedRepository

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.root = directory / "notes"
        self.root.mkdir()
        self.repository = FileBasedRepository(self.root)

    def close(self) -> None:
        self.repository.close()

    def fingerprint(self) -> object:
        return {
            path.relative_to(self.root).as_posix(): (
                (path.read_bytes(), path.stat().st_mtime_ns) if path.is_file() else None
            )
            for path in self.root.rglob("*")
        }

    def surroundings(self) -> object:
        return sorted(path.name for path in self._directory.iterdir())

    def secrets(self) -> tuple[str, ...]:
        return (str(self._directory), str(self._directory.resolve()))

    def reopen(self) -> KnowledgeRepository:
        self.repository.close()
        self.repository = FileBasedRepository(self.root)
        return self.repository

    def read_only(self) -> KnowledgeRepository:
        self.repository.close()
        self.repository = FileBasedRepository(self.root, read_only=True)
        return self.repository

    @contextmanager
    def fault(self, step: int) -> Iterator[Fault]:
        fault = Fault()
        disk = self.repository._disk
        before = disk.__class__
        disk.__class__ = _full_after(step, fault)
        yield fault
        disk.__class__ = before

    def make_unavailable(self) -> None:
        self.root.rename(self._directory / "away")

    def make_available(self) -> None:
        (self._directory / "away").rename(self.root)

    def add_outside(self, parent: str, name: str, text: str) -> None:
        (self.file(parent) / f"{name}.md").write_bytes(text.encode())
        self._notice()

    def edit_outside(self, area: str, text: str) -> None:
        self.file(area).write_bytes(text.encode())
        self._notice()

    def rename_outside(self, area: str, new_name: str) -> None:
        file = self.file(area)
        file.rename(file.with_name(new_name + file.suffix))
        self._notice()

    def delete_outside(self, area: str) -> None:
        file = self.file(area)
        if file.is_dir():
            shutil.rmtree(file)
        else:
            file.unlink()
        self._notice()

    def file(self, area: str = ROOT) -> Path:
        """Return where an area is on disk."""
        tree = companion(self.repository, NativeTree)
        assert tree is not None
        path = tree.locate(area)
        assert path is not None
        return self.root / path

    def _notice(self) -> None:
        self.repository.since(None)


def _full_after(step: int, fault: Fault) -> type[Disk]:
    left = step

    def failing(name: str) -> object:
        inner = getattr(Disk, name)

        def write(self: Disk, *arguments: object, **options: object) -> object:
            nonlocal left
            left -= 1
            if left == -1:
                fault.hit = True
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            return inner(self, *arguments, **options)

        return write

    return type("FullDisk", (Disk,), {name: failing(name) for name in WRITES})
