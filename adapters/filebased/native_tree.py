"""The files as they are on disk (the contract's `NativeTree`)."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from typing import BinaryIO

from adapters.contract import AreaNotFound, Entry, EntryKind, MutationResult, RepositoryUnavailable
from adapters.filebased import names
from adapters.filebased import native_changes as changes
from adapters.filebased.core import Core
from adapters.filebased.links import find_area, resource_id_of
from adapters.filebased.refusal import reason_of
from adapters.filebased.snapshot import (
    File,
    Folder,
    Node,
    Stamp,
    area_of,
    find_folder,
    real_path,
)
from adapters.filebased.trash import TrashCan
from adapters.filebased.writing import Planner


class FileTree:
    """Every ordinary file below the root, Markdown or not, byte for byte."""

    def __init__(
        self, core: Core, can: TrashCan, mutate: Callable[[Planner], MutationResult]
    ) -> None:
        self._core = core
        self._can = can
        self._mutate = mutate

    def list(self, directory: str) -> tuple[Entry, ...]:
        """Return the entries of a directory in name order. Raises `AreaNotFound`."""
        self._core.look_into(directory)
        tree = self._core.tree()
        folder = find_folder(tree, directory)
        if folder is None or real_path(tree, directory) != directory:
            raise AreaNotFound(area=f"/{directory}")
        return tuple(
            _entry(tree, names.join(directory, name), node)
            for name, node in sorted(folder.entries.items())
        )

    def stat(self, path: str) -> Entry:
        """Return one entry. Raises `AreaNotFound`."""
        tree, node = self._find(path)
        return _entry(tree, path, node)

    def locate(self, area: str) -> str | None:
        """Return the path of the directory or document `area` stands for."""
        found = find_area(self._core.tree(), area)
        return None if found is None or found[2] else found[0]

    def open(self, path: str) -> BinaryIO:
        """Open a file for reading. Raises `AreaNotFound`."""
        _, node = self._find(path)
        if isinstance(node, Folder):
            raise AreaNotFound(area=f"/{path}")
        try:
            return self._core.disk.open(path, follow=node.is_link)
        except FileNotFoundError:
            raise AreaNotFound(area=f"/{path}") from None
        except OSError as error:
            raise RepositoryUnavailable(f"a file: {reason_of(error)}") from None

    def try_put(
        self, path: str, stream: BinaryIO, *, expected_revision: str | None = None
    ) -> MutationResult:
        """Create or replace a file with the bytes of `stream`. Refused: STALE."""
        return self._mutate(lambda desk: changes.put(desk, path, stream, expected_revision))

    def try_move(self, source: str, target: str, *, replace: bool = False) -> MutationResult:
        """Move or rename an entry; with `replace` an existing file's content is exchanged."""
        return self._mutate(lambda desk: changes.move(desk, source, target, replace=replace))

    def try_make_dir(self, path: str) -> MutationResult:
        """Create one directory. Refused: COLLISION."""
        return self._mutate(lambda desk: changes.make_directory(desk, path))

    def try_trash(self, path: str) -> MutationResult:
        """Move an entry to the trash; see `trash_token`."""
        return self._mutate(lambda desk: changes.trash(desk, self._can, path))

    def _find(self, path: str) -> tuple[Folder, Node]:
        tree = self._core.tree()
        node: Node | None = tree
        if path:
            node = self._core.look_at(path) or find_folder(self._core.tree(), path)
            tree = self._core.tree()
        if node is None or real_path(tree, path) != path:
            raise AreaNotFound(area=f"/{path}")
        return tree, node


def _entry(tree: Folder, path: str, node: Node) -> Entry:
    kind, resource_id = EntryKind.DIRECTORY, None
    if isinstance(node, File):
        kind = EntryKind.DOCUMENT if node.facts else EntryKind.FILE
        resource_id = None if node.facts else resource_id_of(path)
    return Entry(
        path=path,
        kind=kind,
        area=area_of(tree, path),
        resource_id=resource_id,
        size=node.stamp.size if isinstance(node, File) else 0,
        revision=_revision(node),
        modified=time_of(node.stamp.mtime_ns),
    )


def _revision(node: Node) -> str:
    if isinstance(node, Folder):
        return _spell(node.stamp)
    return node.entry_revision


def _spell(stamp: Stamp) -> str:
    return f"{stamp.mtime_ns}-{stamp.ino}"


def time_of(nanoseconds: int) -> datetime:
    """Return a moment of the file system."""
    return datetime.fromtimestamp(nanoseconds / 1_000_000_000, UTC)
