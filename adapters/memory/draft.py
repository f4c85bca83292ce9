"""One mutation in the making: a private tree, what may be done to it, and what was done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from adapters.contract import (
    KnowledgeAreaChange,
    KnowledgeResourceIdChange,
    MutationFailure,
    is_area,
)
from adapters.memory.journal import Change
from adapters.memory.links import follow_areas, follow_resources, resource_ids
from adapters.memory.moves import follow
from adapters.memory.place import Place, find_place, walk
from adapters.memory.tree import Node, Resource, Tree


class Refusal(Exception):
    """Ends a mutation that must not happen; nothing of its draft is published."""

    def __init__(self, failure: MutationFailure, detail: str = "") -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The options of a repository, as its mutations need them."""

    clock: Callable[[], datetime]
    token: Callable[[], str]
    allows_name: Callable[[str], bool]
    name_key: Callable[[str], str]
    document_limit: int
    owned_resources: bool
    read_only: bool


@dataclass(slots=True)
class Draft:
    """A tree that nobody else sees yet. `follows` is off for what other programs do: they
    do not repair links, and no rule of the contract binds them."""

    tree: Tree
    rules: Rules
    follows: bool = True
    touched: list[str] = field(default_factory=list)
    moved: list[KnowledgeAreaChange] = field(default_factory=list)
    resource_ids: list[str] = field(default_factory=list)
    id_changes: list[KnowledgeResourceIdChange] = field(default_factory=list)
    changed: bool = False

    def change(self) -> Change:
        """Return what has been done so far."""
        return Change(
            touched=tuple(dict.fromkeys(self.touched)),
            moved=tuple(self.moved),
            resource_ids=tuple(dict.fromkeys(self.resource_ids)),
            resource_id_changes=tuple(self.id_changes),
        )

    # What is there

    def place(self, area: str) -> Place:
        """Return what is at `area`. Refused: NOT_FOUND."""
        place = find_place(self.tree, area) if is_area(area) else None
        if place is None:
            raise Refusal(MutationFailure.NOT_FOUND, f"no such area: {area!r}")
        return place

    def node(self, area: str) -> Node:
        """Return the folder or document at `area`. Refused: NOT_FOUND, NOT_SUPPORTED."""
        place = self.place(area)
        if place.is_heading:
            raise Refusal(MutationFailure.NOT_SUPPORTED, f"{area} is a heading")
        return place.node

    def is_read_only(self, node: Node) -> bool:
        """Tell whether `node` or anything above it may not be changed."""
        return self.rules.read_only or any(n.read_only for n in self.tree.ancestors(node))

    def need_writable(self, *nodes: Node) -> None:
        """Refuse READ_ONLY unless all of `nodes` may be changed."""
        for node in nodes:
            if self.is_read_only(node):
                raise Refusal(MutationFailure.READ_ONLY, f"{self.tree.area_of(node)} is read-only")

    def need_writable_below(self, node: Node) -> None:
        """Refuse READ_ONLY unless `node` and all below it may be changed."""
        self.need_writable(node, *(n for n in self.tree.walk(node) if n.read_only))

    def need_name(self, parent: Node, name: str, *, is_folder: bool, but: str = "") -> None:
        """Refuse INVALID_NAME, or COLLISION with a child of `parent` other than `but`."""
        if not name or not _is_text(name) or not self.rules.allows_name(name):
            raise Refusal(MutationFailure.INVALID_NAME, f"not a possible name: {name!r}")
        key = self.rules.name_key(name)
        for child in self.tree.children(parent):
            if (
                child.handle != but
                and child.is_folder == is_folder
                and self.rules.name_key(child.name) == key
            ):
                raise Refusal(MutationFailure.COLLISION, f"{name!r} is there already")

    def need_payload(self, text: str, *, previous: str = "") -> None:
        """Refuse INVALID_CONTENT for what is no text, is too long, or names unknown resources.

        A reference that was unresolvable before may stay (R-C-57).
        """
        if not _is_text(text):
            raise Refusal(MutationFailure.INVALID_CONTENT, "not encodable as UTF-8")
        if len(text.encode()) > self.rules.document_limit:
            raise Refusal(MutationFailure.INVALID_CONTENT, "longer than a document may be")
        for resource_id in set(resource_ids(text)) - set(resource_ids(previous)):
            if resource_id not in self.tree.resources:
                raise Refusal(MutationFailure.INVALID_CONTENT, f"no such resource: {resource_id}")

    def is_referenced(self, resource_id: str) -> bool:
        """Tell whether any document refers to a resource."""
        return any(resource_id in resource_ids(n.text) for n in self.tree.documents())

    # What can be done

    def add(self, parent: Node, name: str, *, is_folder: bool, text: str = "") -> Node:
        """Create a folder or a document as the last child of `parent`."""
        now = self.rules.clock()
        node = Node(
            handle=self.rules.token(),
            parent=parent.handle,
            is_folder=is_folder,
            name=name,
            segment=self.segment(parent, name, is_folder=is_folder),
            created=now,
            modified=now,
            text=text,
        )
        self.tree.attach(node)
        return self.touch(node)

    def relocate(self, node: Node, parent: Node, name: str, *, tell_move: bool = True) -> Node:
        """Give `node` another parent or name, and lead everything that refers to it along."""
        before = self.tree.area_of(node)
        position = self.tree.detach(node)
        place = position if parent.handle == node.parent else None
        renamed = name != node.name
        node = replace(
            node,
            parent=parent.handle,
            name=name,
            segment=self.segment(parent, name, is_folder=node.is_folder),
        )
        self.tree.attach(node, place)
        after = self.tree.area_of(node)
        self.changed = True
        if not tell_move:
            self.touched += [before, after]
            return node
        if renamed:
            self.touched.append(after)
        self._tell_moves({before: after} if before != after else {})
        self._renew_owned(node)
        return self.tree.nodes[node.handle]

    def remove(self, node: Node) -> tuple[tuple[Node, ...], tuple[Resource, ...]]:
        """Take out `node`, all below it, and the resources only it owned and referred to."""
        self.touched.append(self.tree.area_of(node))
        self.changed = True
        nodes = self.tree.drop(node)
        handles = {n.handle for n in nodes}
        owned = [r for r in self.tree.resources.values() if r.owner in handles]
        resources = tuple(r for r in owned if not self.is_referenced(r.resource_id))
        for resource in resources:
            self.drop_resource(resource)
        return nodes, resources

    def write(self, node: Node, text: str) -> Node:
        """Exchange a document's text."""
        if text == node.text:
            return node
        return self.touch(replace(node, text=text, modified=self.rules.clock()))

    def sort_documents(self, folder: Node, names: Sequence[str]) -> None:
        """Bring the documents of a folder into the order of `names`; folders keep their places."""
        folder = self.tree.nodes[folder.handle]
        children = self.tree.children(folder)
        documents = sorted(
            (c for c in children if not c.is_folder), key=lambda child: names.index(child.name)
        )
        following = iter(documents)
        order = tuple((c if c.is_folder else next(following)).handle for c in children)
        if order != folder.children:
            self.touch(replace(folder, children=order))

    def retext(
        self, texts: Mapping[str, str], kept: Mapping[tuple[str, int], tuple[str, int]]
    ) -> Mapping[tuple[str, int], str]:
        """Exchange the texts of documents, by handle; return the areas of all headings in them.

        `kept` tells where headings that stay who they are begin, before and after; what refers
        to them is led along. A place in it is a document's handle and an offset in its text.
        """
        before = self._headings(texts)
        for handle, text in texts.items():
            self.write(self.tree.nodes[handle], text)
        after = self._headings(texts)
        moves: dict[str, str] = {}
        for old, new in sorted(kept.items()):
            if follow(before[old], moves) != after[new]:
                moves[before[old]] = after[new]
        self._tell_moves(moves)
        return after

    def put_resource(self, resource: Resource) -> None:
        """Add a resource or exchange its bytes."""
        self.tree.resources[resource.resource_id] = resource
        self.resource_ids.append(resource.resource_id)
        self.changed = True

    def drop_resource(self, resource: Resource) -> None:
        """Remove a resource."""
        del self.tree.resources[resource.resource_id]
        self.resource_ids.append(resource.resource_id)
        self.changed = True

    def segment(self, parent: Node, name: str, *, is_folder: bool) -> str:
        marker = "~" if is_folder else ""
        return self.tree.naming.segment(name, parent.handle, marker=marker)

    def touch(self, node: Node) -> Node:
        self.tree.put(node)
        self.touched.append(self.tree.area_of(node))
        self.changed = True
        return node

    def _headings(self, handles: Iterable[str]) -> dict[tuple[str, int], str]:
        """Return the areas of all headings in documents, by handle and beginning."""
        nodes = (self.tree.nodes[handle] for handle in handles)
        tops = (Place(area=self.tree.area_of(node), node=node) for node in nodes)
        return {
            (p.node.handle, p.section.start): p.area for top in tops for p in walk(self.tree, top)
        }

    def _tell_moves(self, moves: Mapping[str, str]) -> None:
        self.moved += [KnowledgeAreaChange(old, new) for old, new in moves.items()]
        if moves and self.follows:
            self._rewrite(lambda text: follow_areas(text, moves, self._exists))

    def _exists(self, area: str) -> bool:
        return is_area(area) and find_place(self.tree, area) is not None

    def _renew_owned(self, node: Node) -> None:
        """Give the resources owned by moved documents new ids, as if their files had moved."""
        if not self.rules.owned_resources or not self.follows:
            return
        handles = {n.handle for n in self.tree.walk(node)}
        changes: dict[str, str] = {}
        for resource in list(self.tree.resources.values()):
            if resource.owner in handles:
                current = replace(resource, resource_id=self.rules.token())
                changes[resource.resource_id] = current.resource_id
                del self.tree.resources[resource.resource_id]
                self.tree.resources[current.resource_id] = current
        self.id_changes += [KnowledgeResourceIdChange(old, new) for old, new in changes.items()]
        if changes:
            self._rewrite(lambda text: follow_resources(text, changes))

    def _rewrite(self, change: Callable[[str], str]) -> None:
        for node in tuple(self.tree.documents()):
            text = change(node.text)
            if text != node.text:
                self.need_writable(node)
                self.write(node, text)


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
