"""A folder of Markdown files fulfils the contract."""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import adapters.filebased.disk
from adapters.contract import Changes, KnowledgeRepository, NativeTree
from adapters.filebased import FileBasedRepository
from tests.contract import tools
from tests.contract.provider import Fault, Provider
from tests.contract.suite import RepositoryContract

WRITES = (
    *((os, name) for name in ("replace", "rename", "mkdir", "unlink", "rmdir", "link", "fsync")),
    (adapters.filebased.disk, "rename_exclusive"),
)


class FileBasedProvider(Provider):
    """A root with neighbours; another program is this test, writing files."""

    repository: FileBasedRepository

    def __init__(self, place: Path) -> None:
        self._place = place
        self._root = place / "root"
        self._root.mkdir()
        (place / "escape.md").write_text("not in the root\n", encoding="utf-8")
        (place / "secret").mkdir()
        (place / "secret" / "pic.png").write_bytes(tools.PNG)
        self.repository = FileBasedRepository(self._root)

    def fingerprint(self) -> object:
        return _look(self._root)

    def surroundings(self) -> object:
        return {path: seen for path, seen in _look(self._place).items() if "/root" not in path}

    def secrets(self) -> tuple[str, ...]:
        return (str(self._place),)

    def reopen(self) -> KnowledgeRepository:
        self.repository.close()
        self.repository = FileBasedRepository(self._root)
        return self.repository

    def read_only(self) -> KnowledgeRepository:
        self.repository.close()
        self.repository = FileBasedRepository(self._root, read_only=True)
        return self.repository

    @contextmanager
    def fault(self, step: int) -> Iterator[Fault]:
        """Let one call of the operating system that writes fail as on a full disk."""
        fault, left = Fault(), step

        def failing(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*arguments: Any, **options: Any) -> Any:
                nonlocal left
                left -= 1
                if left == -1:
                    fault.hit = True
                    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
                return real(*arguments, **options)

            return call

        with pytest.MonkeyPatch.context() as patch:
            for module, name in WRITES:
                patch.setattr(module, name, failing(getattr(module, name)))
            yield fault

    def make_unavailable(self) -> None:
        self._root.rename(self._place / "away")

    def make_available(self) -> None:
        (self._place / "away").rename(self._root)

    def add_outside(self, parent: str, name: str, text: str) -> None:
        self._write(self._file(parent) / f"{name}.md", text)

    def edit_outside(self, area: str, text: str) -> None:
        self._write(self._file(area), text)

    def rename_outside(self, area: str, new_name: str) -> None:
        file = self._file(area)
        file.rename(file.with_name(new_name + file.suffix))
        self._notice()

    def delete_outside(self, area: str) -> None:
        file = self._file(area)
        if file.is_dir():
            shutil.rmtree(file)
        else:
            file.unlink()
        self._notice()

    def _write(self, file: Path, text: str) -> None:
        file.write_bytes(text.encode())
        self._notice()

    def _notice(self) -> None:
        tools.need(self.repository, Changes).since(None)

    def _file(self, area: str) -> Path:
        path = tools.need(self.repository, NativeTree).locate(area)
        assert path is not None
        return self._root / path


def _look(top: Path) -> dict[str, object]:
    """Return every file below `top` with bytes and time, and every directory by its name."""
    seen: dict[str, object] = {}
    for path in sorted(top.rglob("*")):
        name = "/" + path.relative_to(top).as_posix()
        is_file = path.is_file() and not path.is_symlink()
        seen[name] = (path.read_bytes(), path.stat().st_mtime_ns) if is_file else None
    return seen


class TestFileBased(RepositoryContract):
    """Plain files below one directory."""

    @pytest.fixture
    def provider(self, tmp_path: Path) -> Iterator[Provider]:
        provider = FileBasedProvider(tmp_path)
        yield provider
        provider.repository.close()
