"""Disk -> snapshot: looks at what may have changed and keeps the rest as it was known."""

from __future__ import annotations

import errno
import logging
import os
import stat as modes
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, TypeVar

from adapters.contract import RepositoryUnavailable
from adapters.filebased import names
from adapters.filebased.disk import Disk
from adapters.filebased.facts import learn_again
from adapters.filebased.refusal import reason_of
from adapters.filebased.snapshot import (
    Facts,
    File,
    Folder,
    Node,
    Stamp,
    find_folder,
    with_nodes,
)

log = logging.getLogger(__name__)

NodeT = TypeVar("NodeT", bound=Node)
KnownFacts = Callable[[str, Stamp], Facts | None]

_YOUNG_NS: Final = 2_000_000_000
# These pass; what was known before is kept and looked at again next time.
_PASSING: Final = frozenset({errno.EBUSY, errno.EAGAIN, errno.EINTR, errno.EIO, errno.ETXTBSY})


class Scanner:
    """Reads one root. `known` returns facts learned in an earlier run, if they still hold."""

    def __init__(self, disk: Disk, known: KnownFacts) -> None:
        self._disk = disk
        self._known = known
        self._skipped: set[str] = set()
        self.leftovers: list[str] = []
        """Temporary files of ours that were met."""

    def scan_all(self, old: Folder | None) -> Folder:
        """Return the whole tree as it is now. Raises `RepositoryUnavailable`."""
        self.leftovers.clear()
        return self._root(old, whole=True)

    def rescan(self, root: Folder, directory: str, *, whole: bool = False) -> Folder:
        """Return the tree after looking again at the direct entries of a directory.

        Directories in it that are new, or with `whole` all, are read with all below them.
        Raises `RepositoryUnavailable`.
        """
        folder = find_folder(root, directory)
        if not directory:
            return self._root(root, whole=whole)
        if folder is None:
            return self.refresh(root, (directory,))
        return with_nodes(root, {directory: self._at(directory, folder, whole=whole)})

    def refresh(self, root: Folder, paths: Iterable[str]) -> Folder:
        """Return the tree after looking again at some paths, and at nothing else.

        A directory that is new is read with all below it; of a known one, the direct entries.
        """
        found: dict[str, Node | None] = {}
        for path in sorted(set(paths), key=lambda path: path.count("/")):
            parts = path.split("/") if path else []
            if not all(names.is_exposed_name(part) for part in parts):
                continue
            depth = 0
            folder: Node | None = root
            while depth < len(parts) - 1 and isinstance(folder, Folder):
                below = folder.entries.get(parts[depth])
                if not isinstance(below, Folder):
                    break
                folder, depth = below, depth + 1
            here = "/".join(parts[: depth + 1])
            if here in found or not isinstance(folder, Folder):
                continue
            if not here:
                root = self._root(root, whole=False)
                continue
            known = folder.entries.get(parts[depth])
            node = self._at(here, known, whole=False)
            if node is not known:
                found[here] = node
        return with_nodes(root, found) if found else root

    def look_at(self, path: str, old: File) -> Node | None:
        """Return what is at `path` now, the same object if nothing changed."""
        return self._at(path, old, whole=False)

    def _at(self, path: str, old: Node | None, *, whole: bool) -> Node | None:
        try:
            stat = self._disk.stat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return self._skip(path, error, old)
        return self._node(path, stat, old, whole=whole)

    def _root(self, old: Folder | None, *, whole: bool) -> Folder:
        try:
            stat = self._disk.root.stat()
            entries = self._entries("", old, whole=whole)
        except OSError as error:
            raise RepositoryUnavailable(f"the folder: {reason_of(error)}") from None
        return _shared(old, Folder("", Stamp.of(stat), entries))

    def _folder(
        self, path: str, stat: os.stat_result, old: Folder | None, *, whole: bool
    ) -> Folder | None:
        try:
            entries = self._entries(path, old, whole=whole)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            return self._skip(path, error, old)
        return _shared(old, Folder(names.name_of(path), Stamp.of(stat), entries))

    def _entries(self, directory: str, old: Folder | None, *, whole: bool) -> dict[str, Node]:
        nodes: dict[str, Node] = {}
        for entry in self._disk.entries(directory):
            path = names.join(directory, entry.name)
            if names.is_exposed_name(entry.name):
                known = old.entries.get(entry.name) if old else None
                node = self._entry(path, entry, known, whole=whole)
                if node is not None:
                    nodes[entry.name] = node
            elif entry.name.startswith(names.TEMPORARY_PREFIX) and entry.name.endswith(".tmp"):
                self.leftovers.append(path)
            elif not entry.name.startswith("."):
                self._skip_once(path, "the name is not valid UTF-8")
        return nodes

    def _entry(
        self, path: str, entry: os.DirEntry[str], old: Node | None, *, whole: bool
    ) -> Node | None:
        try:
            stat = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return None
        except OSError as error:
            return self._skip(path, error, old)
        is_known = isinstance(old, Folder) and modes.S_ISDIR(stat.st_mode)
        if is_known and not whole and old is not None and old.stamp.ino == stat.st_ino:
            return old
        return self._node(path, stat, old, whole=True)

    def _node(
        self, path: str, stat: os.stat_result, old: Node | None, *, whole: bool
    ) -> Node | None:
        file = old if isinstance(old, File) else None
        if modes.S_ISLNK(stat.st_mode):
            return self._link(path, file)
        if modes.S_ISREG(stat.st_mode):
            return self._file(path, stat, file)
        if not modes.S_ISDIR(stat.st_mode):
            return None
        folder = old if isinstance(old, Folder) else None
        return self._folder(path, stat, folder, whole=whole)

    def _file(self, path: str, stat: os.stat_result, old: File | None) -> File | None:
        name = names.name_of(path)
        stamp = Stamp.of(stat)
        if old is not None and old.stamp == stamp and not old.is_young and not old.is_link:
            return old
        if not names.is_document_name(name):
            return _unless_same(old, File(name=name, stamp=stamp))
        facts = self._known(path, stamp) if old is None else None
        is_young = False
        if facts is None:
            try:
                content, stat = self._disk.read(path)
            except (FileNotFoundError, NotADirectoryError):
                return None
            except OSError as error:
                return self._skip(path, error, old)
            stamp = Stamp.of(stat)
            is_young = is_young_at(stamp, time.time_ns())
            facts = learn_again(content, old.facts if old else None)
        resolved = old.resolved if old else ""
        return _unless_same(
            old, File(name=name, stamp=stamp, is_young=is_young, facts=facts, resolved=resolved)
        )

    def _link(self, path: str, old: File | None) -> File | None:
        """Return a link to a file inside the root; any other does not exist for us (R-F-81)."""
        real = Path(os.path.realpath(self._disk.root / path))
        if not real.is_relative_to(self._disk.root):
            return None
        parts = real.relative_to(self._disk.root).parts
        if not all(names.is_exposed_name(part) for part in parts):
            return None
        try:
            stat = real.stat()
        except OSError:
            return None
        if not modes.S_ISREG(stat.st_mode):
            return None
        link = File(name=names.name_of(path), stamp=Stamp.of(stat), is_link=True)
        return _unless_same(old, link)

    def _skip(self, path: str, error: OSError, old: NodeT | None) -> NodeT | None:
        if error.errno in _PASSING and old is not None:
            return old
        self._skip_once(path, reason_of(error))
        return None

    def _skip_once(self, path: str, reason: str) -> None:
        if path not in self._skipped:
            self._skipped.add(path)
            shown = path.encode("utf-8", "backslashreplace").decode()
            log.warning("left out %s: %s", shown, reason)


def is_young_at(stamp: Stamp, now_ns: int) -> bool:
    """Tell whether a change at `now_ns` could leave the same time stamp (R-F-29)."""
    return max(stamp.mtime_ns, stamp.ctime_ns) > now_ns - _YOUNG_NS


def _unless_same(old: File | None, new: File) -> File:
    return old if old == new and old is not None else new


def _shared(old: Folder | None, new: Folder) -> Folder:
    """Return `old` if nothing in it differs, so that comparing trees stays cheap."""
    if old is None or old.stamp != new.stamp or len(old.entries) != len(new.entries):
        return new
    if any(old.entries.get(name) is not node for name, node in new.entries.items()):
        return new
    return old
