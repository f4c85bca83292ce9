"""The files as they are on disk, read side (the contract's `NativeTree`)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import BinaryIO

from adapters.contract import AreaNotFound, Entry, EntryKind, RepositoryUnavailable
from adapters.filebased import names
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


class FileTree:
    """Every ordinary file below the root, Markdown or not, byte for byte."""

    def __init__(self, core: Core) -> None:
        self._core = core

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
    return node.facts.digest if node.facts else node.resource_revision


def _spell(stamp: Stamp) -> str:
    return f"{stamp.mtime_ns}-{stamp.ino}"


def time_of(nanoseconds: int) -> datetime:
    """Return a moment of the file system."""
    return datetime.fromtimestamp(nanoseconds / 1_000_000_000, UTC)
