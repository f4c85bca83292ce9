"""What a memory repository holds: folders and documents, resources, and the trash.

A tree is never changed once it is published; a mutation works on a draft of it. So readers need
no lock, and whatever goes wrong on the way leaves nothing behind (R-C-40, R-C-47).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from adapters.contract import ROOT
from adapters.memory.naming import Naming

ROOT_HANDLE = "root"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A folder or a document. `handle` stays for life, whatever the node is called."""

    handle: str
    parent: str
    is_folder: bool
    name: str
    segment: str
    created: datetime
    modified: datetime
    text: str = ""
    children: tuple[str, ...] = ()
    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Resource:
    """Bytes that text refers to; `owner` is the document they were added for, if that counts."""

    resource_id: str
    file_name: str
    content_type: str
    content: bytes
    owner: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """What one removal took away; the first node is the top, `trail` names the folders above."""

    token: str
    name: str
    time: datetime
    trail: tuple[str, ...] = ()
    nodes: tuple[Node, ...] = ()
    resources: tuple[Resource, ...] = ()


@dataclass(slots=True)
class Tree:
    """Nodes by handle, handles by place, resources by id, removals by token."""

    naming: Naming
    nodes: dict[str, Node] = field(default_factory=dict)
    places: dict[tuple[str, str], str] = field(default_factory=dict)
    resources: dict[str, Resource] = field(default_factory=dict)
    trash: dict[str, Removed] = field(default_factory=dict)

    @property
    def root(self) -> Node:
        """The node all others are below."""
        return self.nodes[ROOT_HANDLE]

    def draft(self) -> Tree:
        """Return a copy that may be changed."""
        return replace(
            self,
            nodes=dict(self.nodes),
            places=dict(self.places),
            resources=dict(self.resources),
            trash=dict(self.trash),
        )

    def area_of(self, node: Node) -> str:
        """Return the path that leads to `node` now."""
        segments: list[str] = []
        while node.handle != ROOT_HANDLE:
            segments.append(node.segment)
            node = self.nodes[node.parent]
        return ROOT + "/".join(reversed(segments))

    def find(self, area: str) -> tuple[Node, tuple[str, ...]]:
        """Return the deepest node on the way to `area`, and the segments that are left over."""
        node = self.root
        segments = tuple(area.split("/")[1:]) if area != ROOT else ()
        for depth, segment in enumerate(segments):
            handle = self.places.get((node.handle, segment))
            if handle is None:
                return node, segments[depth:]
            node = self.nodes[handle]
        return node, ()

    def children(self, node: Node) -> tuple[Node, ...]:
        """Return the nodes directly below `node`, in order."""
        return tuple(self.nodes[handle] for handle in node.children)

    def walk(self, node: Node) -> Iterator[Node]:
        """Yield `node` and all below it, parents first."""
        yield node
        for child in self.children(node):
            yield from self.walk(child)

    def ancestors(self, node: Node) -> Iterator[Node]:
        """Yield `node` and everything above it, the root last."""
        while True:
            yield node
            if node.handle == ROOT_HANDLE:
                return
            node = self.nodes[node.parent]

    def put(self, node: Node) -> None:
        """Exchange a node for another version of itself, at the same place."""
        self.nodes[node.handle] = node

    def attach(self, node: Node, position: int | None = None) -> None:
        """Let `node` appear below its parent, as the last child unless told otherwise."""
        parent = self.nodes[node.parent]
        siblings = list(parent.children)
        siblings.insert(len(siblings) if position is None else position, node.handle)
        self.put(replace(parent, children=tuple(siblings)))
        self.put(node)
        self.places[(node.parent, node.segment)] = node.handle

    def detach(self, node: Node) -> int:
        """Take `node` from its parent and return which child it was; it stays in `nodes`."""
        parent = self.nodes[node.parent]
        position = parent.children.index(node.handle)
        siblings = parent.children[:position] + parent.children[position + 1 :]
        self.put(replace(parent, children=siblings))
        del self.places[(node.parent, node.segment)]
        return position

    def drop(self, node: Node) -> tuple[Node, ...]:
        """Take `node` and all below it out of the tree and return them, the top first."""
        dropped = tuple(self.walk(node))
        self.detach(node)
        for gone in dropped:
            del self.nodes[gone.handle]
            self.places.pop((gone.parent, gone.segment), None)
        return dropped

    def documents(self) -> Iterator[Node]:
        """Yield every document of the tree."""
        return (node for node in self.nodes.values() if not node.is_folder)
