"""What is below the root at one moment: an immutable tree of directories and files.

Nothing here is ever changed: a change makes new nodes along its path and shares the rest, so
readers need no lock and comparing two moments costs what differs. Paths are relative to the
root, with `/`; the root is `""`.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from adapters.filebased import names
from adapters.filebased.segments import directory_segment, document_segment


class Stamp(NamedTuple):
    """What shows cheaply that a file is still the one that was read."""

    size: int
    mtime_ns: int
    ctime_ns: int
    ino: int

    @classmethod
    def of(cls, stat: os.stat_result) -> Stamp:
        """Take the stamp from what the operating system says."""
        return cls(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino)


class Reference(NamedTuple):
    """Where a link points, decoded: relative to its document or, with `/` first, to the root."""

    path: str
    fragment: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What was learned from a document's bytes. `anchors`: slug, path of the heading below."""

    digest: str
    references: tuple[Reference, ...] = ()
    anchors: tuple[tuple[str, str], ...] = ()
    is_editable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """A regular file, or a link to one inside the root. Documents have `facts`.

    `is_young`: it was read so soon after its time stamp that another change may have the same
    one (R-F-29). `resolved` stands for what the links of a document lead to.
    """

    name: str
    stamp: Stamp
    is_link: bool = False
    is_young: bool = False
    facts: Facts | None = None
    resolved: str = ""

    @property
    def title(self) -> str:
        """What people call the document."""
        return names.display_name(self.name, is_document=True)

    @property
    def resource_revision(self) -> str:
        """A token that changes when the bytes do."""
        return f"{self.stamp.size}-{self.stamp.mtime_ns}-{self.stamp.ino}"

    @property
    def entry_revision(self) -> str:
        """A token of the bytes, the digest where it is known."""
        return self.facts.digest if self.facts else self.resource_revision

    def revision(self) -> str:
        """A token of name, text and what the links lead to (the contract's `Revisions`)."""
        digest = self.facts.digest if self.facts else ""
        return _digest(self.title, digest, self.resolved)


class Folder:
    """A directory. What follows from its entries is worked out when first asked for."""

    __slots__ = ("_areas", "_by_normal", "_by_segment", "_revision", "entries", "name", "stamp")

    def __init__(self, name: str, stamp: Stamp, entries: Mapping[str, Node]) -> None:
        self.name = name
        self.stamp = stamp
        self.entries = entries
        self._areas: tuple[tuple[str, Node], ...] | None = None
        self._by_segment: dict[str, Node] | None = None
        self._by_normal: dict[str, Node] | None = None
        self._revision = ""

    @property
    def title(self) -> str:
        """What people call the directory."""
        return names.display_name(self.name, is_document=False)

    def areas(self) -> tuple[tuple[str, Node], ...]:
        """Return the directories and documents with their segments, in natural order."""
        if self._areas is None:
            nodes = [node for node in self.entries.values() if is_area_node(node)]
            nodes.sort(key=lambda node: (names.natural_key(node.title), node.name.encode()))
            seen: dict[tuple[bool, str], int] = {}
            areas = []
            for node in nodes:
                is_folder = isinstance(node, Folder)
                key = is_folder, node.title
                seen[key] = seen.get(key, 0) + 1
                spell = directory_segment if is_folder else document_segment
                areas.append((spell(node.title, seen[key]), node))
            self._areas = tuple(areas)
        return self._areas

    def by_segment(self, segment: str) -> Node | None:
        """Return the directory or document of that segment."""
        if self._by_segment is None:
            self._by_segment = dict(self.areas())
        return self._by_segment.get(segment)

    def segment_of(self, node: Node) -> str | None:
        """Return the segment of one of the entries; `None` for what is no area."""
        if not is_area_node(node):
            return None
        spell = directory_segment if isinstance(node, Folder) else document_segment
        segment = spell(node.title, 1)
        if self.by_segment(segment) is node:
            return segment
        return next((segment for segment, other in self.areas() if other is node), None)

    def find(self, name: str) -> Node | None:
        """Return the entry called `name` on disk, or by another Unicode form of it (R-F-14)."""
        found = self.entries.get(name)
        if found is not None or name.isascii():
            return found
        if self._by_normal is None:
            self._by_normal = {names.normal(n): e for n, e in self.entries.items()}
        return self._by_normal.get(names.normal(name))

    @property
    def has_documents(self) -> bool:
        """Tell whether a document is directly inside."""
        return any(isinstance(n, File) and n.facts for n in self.entries.values())

    @property
    def has_doubles(self) -> bool:
        """Tell whether two areas inside have one name, so that one has a numbered segment."""
        return len({(isinstance(n, Folder), n.title) for _, n in self.areas()}) < len(self.areas())

    def revision(self, *, subtree: bool) -> str:
        """Return a token of the name, or of everything below as well."""
        if not subtree:
            return _digest(self.title)
        if not self._revision:
            below = [
                f"{segment}:{n.revision(subtree=True) if isinstance(n, Folder) else n.revision()}"
                for segment, n in self.areas()
            ]
            self._revision = _digest(self.title, *below)
        return self._revision


Node = File | Folder


def is_area_node(node: Node) -> bool:
    """Tell whether `node` is a directory or a document."""
    return isinstance(node, Folder) or node.facts is not None


def find_node(root: Folder, path: str) -> Node | None:
    """Return what is at `path`, spelled as on disk or in another Unicode form."""
    node: Node | None = root
    for name in path.split("/") if path else ():
        node = node.find(name) if isinstance(node, Folder) else None
    return node


def find_file(root: Folder, path: str) -> File | None:
    """Return the file at `path`."""
    node = find_node(root, path)
    return node if isinstance(node, File) else None


def find_folder(root: Folder, path: str) -> Folder | None:
    """Return the directory at `path`."""
    node = find_node(root, path)
    return node if isinstance(node, Folder) else None


def area_of(root: Folder, path: str) -> str | None:
    """Return the area of the directory or document at `path`."""
    segments = []
    node: Node | None = root
    for name in path.split("/") if path else ():
        folder = node
        node = folder.find(name) if isinstance(folder, Folder) else None
        segment = folder.segment_of(node) if isinstance(folder, Folder) and node else None
        if segment is None:
            return None
        segments.append(segment)
    return "/" + "/".join(segments)


def real_path(root: Folder, path: str) -> str | None:
    """Return `path` as it is spelled on disk."""
    parts = []
    node: Node | None = root
    for name in path.split("/") if path else ():
        node = node.find(name) if isinstance(node, Folder) else None
        if node is None:
            return None
        parts.append(node.name)
    return "/".join(parts)


def walk_files(node: Node, path: str) -> Iterator[tuple[str, File]]:
    """Yield every file at or below `path`, which is where `node` is."""
    if isinstance(node, File):
        yield path, node
        return
    for name, entry in node.entries.items():
        yield from walk_files(entry, names.join(path, name))


def with_nodes(root: Folder, changes: Mapping[str, Node | None]) -> Folder:
    """Return the tree with other nodes at the given paths; `None` takes one out.

    Changes of directories that are not there are dropped.
    """
    below: dict[str, dict[str, Node | None]] = {}
    here: dict[str, Node | None] = {}
    for path, node in changes.items():
        first, slash, rest = path.partition("/")
        if slash:
            below.setdefault(first, {})[rest] = node
        else:
            here[first] = node
    entries = dict(root.entries)
    for name, node in here.items():
        if node is None:
            entries.pop(name, None)
        else:
            entries[name] = node
    for name, nested in below.items():
        folder = entries.get(name)
        if isinstance(folder, Folder):
            entries[name] = with_nodes(folder, nested)
    return Folder(root.name, root.stamp, entries)


def renamed(node: Node, name: str) -> Node:
    """Return the same under another name."""
    if isinstance(node, Folder):
        return Folder(name, node.stamp, node.entries)
    facts = node.facts if names.is_document_name(name) else None
    return File(
        name=name,
        stamp=node.stamp,
        is_link=node.is_link,
        is_young=node.is_young,
        facts=facts,
        resolved=node.resolved,
    )


def _digest(*parts: str) -> str:
    state = "\0".join(parts).encode("utf-8", "surrogatepass")
    return hashlib.blake2b(state, digest_size=12).hexdigest()
