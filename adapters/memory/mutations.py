"""The mutations of the contract, each a function of a draft; `Refusal` ends one."""

from __future__ import annotations

from dataclasses import replace

from adapters.contract import (
    KnowledgeAreaKind,
    MutationFailure,
    MutationResult,
)
from adapters.memory import reads
from adapters.memory.draft import Draft, Refusal
from adapters.memory.tree import ROOT_HANDLE, Node, Removed, Resource


def add_sub_area(
    draft: Draft, area: str, name: str, kind: KnowledgeAreaKind, content: str
) -> MutationResult:
    """Create a folder or a document with its text."""
    parent = draft.node(area)
    is_folder = kind is KnowledgeAreaKind.STRUCTURAL
    if not parent.is_folder:
        raise Refusal(MutationFailure.NOT_SUPPORTED, f"{area} holds no documents")
    draft.need_writable(parent)
    draft.need_name(parent, name, is_folder=is_folder)
    if is_folder and content:
        raise Refusal(MutationFailure.INVALID_CONTENT, "a folder has no text")
    draft.need_payload(content)
    return _done(draft, draft.add(parent, name, is_folder=is_folder, text=content))


def move(draft: Draft, area: str, parent_area: str | None, new_name: str | None) -> MutationResult:
    """Give an area another parent, another name, or both."""
    node = draft.node(area)
    parent = draft.tree.nodes.get(node.parent) if parent_area is None else draft.node(parent_area)
    name = node.name if new_name is None else new_name
    if parent is None or node.handle == ROOT_HANDLE:
        raise Refusal(MutationFailure.NOT_SUPPORTED, "the root stays where and what it is")
    if not parent.is_folder or node in draft.tree.ancestors(parent):
        raise Refusal(MutationFailure.NOT_SUPPORTED, f"{parent_area} cannot hold {area}")
    draft.need_writable(draft.tree.nodes[node.parent], parent)
    draft.need_writable_below(node)
    if (parent.handle, name) == (node.parent, node.name):
        return _done(draft, node)
    draft.need_name(parent, name, is_folder=node.is_folder, but=node.handle)
    return _done(draft, draft.relocate(node, parent, name))


def replace_content(draft: Draft, area: str, content: str, expected: str | None) -> MutationResult:
    """Exchange the text of a document."""
    node = _need_text(draft, area, expected)
    draft.need_payload(content, previous=node.text)
    return _done(draft, draft.write(node, content))


def append_content(draft: Draft, area: str, content: str, expected: str | None) -> MutationResult:
    """Add text to a document."""
    node = _need_text(draft, area, expected)
    if not content.strip():
        return _done(draft, node)
    before = node.text if not node.text or node.text.endswith("\n") else node.text + "\n"
    text = f"{before}\n{content}" if before else content
    draft.need_payload(text, previous=node.text)
    return _done(draft, draft.write(node, text))


def truncate(draft: Draft, area: str, expected: str | None) -> MutationResult:
    """Empty a document."""
    return _done(draft, draft.write(_need_text(draft, area, expected), ""))


def delete(draft: Draft, area: str, expected: str | None) -> MutationResult:
    """Remove an area and all below it for good."""
    node = _need_removable(draft, area)
    _need_revision(draft, node, expected)
    draft.remove(node)
    return MutationResult(ok=True, area=area)


def trash(draft: Draft, area: str) -> MutationResult:
    """Move an area and all below it to the trash."""
    node = _need_removable(draft, area)
    trail = tuple(n.name for n in draft.tree.ancestors(node))[-2:0:-1]
    nodes, resources = draft.remove(node)
    return _discard(draft, node.name, area=area, trail=trail, nodes=nodes, resources=resources)


def trash_resource(draft: Draft, resource_id: str) -> MutationResult:
    """Move a resource to the trash."""
    found = _need_unreferenced(draft, resource_id)
    draft.drop_resource(found)
    return _discard(draft, found.file_name, resources=(found,))


def restore(draft: Draft, token: str) -> MutationResult:
    """Put back what a removal took away."""
    removed = draft.tree.trash.get(token)
    if removed is None:
        raise Refusal(MutationFailure.NOT_FOUND, f"not in the trash: {token!r}")
    del draft.tree.trash[token]
    for resource in removed.resources:
        draft.put_resource(resource)
    if not removed.nodes:
        return MutationResult(ok=True, resource_id=removed.resources[0].resource_id)
    parent = _find_or_make_trail(draft, removed.trail)
    draft.need_writable(parent)
    top, *below = removed.nodes
    name = _free_name(draft, parent, top)
    segment = draft.segment(parent, name, is_folder=top.is_folder)
    top = replace(top, parent=parent.handle, name=name, segment=segment)
    for node in below:
        draft.tree.put(node)
        draft.tree.places[(node.parent, node.segment)] = node.handle
    draft.tree.attach(top)
    return _done(draft, draft.touch(top))


def add_resource(
    draft: Draft, area: str, file_name: str, content_type: str, content: bytes
) -> MutationResult:
    """Store bytes for the document at `area`."""
    node = draft.node(area)
    if node.is_folder:
        raise Refusal(MutationFailure.NOT_SUPPORTED, f"{area} has no resources")
    draft.need_writable(node)
    resource = Resource(
        resource_id=draft.rules.token(),
        file_name=_safe_file_name(file_name),
        content_type=content_type or "application/octet-stream",
        content=bytes(content),
        owner=node.handle,
    )
    draft.put_resource(resource)
    return MutationResult(ok=True, area=area, resource_id=resource.resource_id)


def replace_resource(
    draft: Draft, resource_id: str, content_type: str, content: bytes
) -> MutationResult:
    """Exchange the bytes of a resource."""
    found = _need_resource(draft, resource_id)
    current = replace(
        found, content_type=content_type or found.content_type, content=bytes(content)
    )
    if current != found:
        draft.put_resource(current)
    return MutationResult(ok=True, resource_id=resource_id)


def delete_resource(draft: Draft, resource_id: str) -> MutationResult:
    """Remove a resource for good."""
    draft.drop_resource(_need_unreferenced(draft, resource_id))
    return MutationResult(ok=True, resource_id=resource_id)


def _done(draft: Draft, node: Node) -> MutationResult:
    return MutationResult(
        ok=True,
        area=draft.tree.area_of(node),
        area_changes=tuple(draft.moved),
        resource_id_changes=tuple(draft.id_changes),
    )


def _discard(
    draft: Draft,
    name: str,
    *,
    area: str | None = None,
    trail: tuple[str, ...] = (),
    nodes: tuple[Node, ...] = (),
    resources: tuple[Resource, ...] = (),
) -> MutationResult:
    token = draft.rules.token()
    draft.tree.trash[token] = Removed(
        token=token,
        name=name,
        time=draft.rules.clock(),
        trail=trail,
        nodes=nodes,
        resources=resources,
    )
    return MutationResult(ok=True, area=area, trash_token=token)


def _need_text(draft: Draft, area: str, expected: str | None) -> Node:
    node = draft.node(area)
    if node.is_folder:
        raise Refusal(MutationFailure.NOT_SUPPORTED, f"{area} owns no text")
    draft.need_writable(node)
    _need_revision(draft, node, expected)
    return node


def _need_removable(draft: Draft, area: str) -> Node:
    node = draft.node(area)
    if node.handle == ROOT_HANDLE:
        raise Refusal(MutationFailure.NOT_SUPPORTED, "the root stays")
    draft.need_writable_below(node)
    return node


def _need_revision(draft: Draft, node: Node, expected: str | None) -> None:
    current = (reads.revision(draft.tree, node, subtree=subtree) for subtree in (False, True))
    if expected is not None and expected not in current:
        raise Refusal(MutationFailure.STALE, "changed in the meantime")


def _need_resource(draft: Draft, resource_id: str) -> Resource:
    found = draft.tree.resources.get(resource_id)
    if found is None:
        raise Refusal(MutationFailure.NOT_FOUND, f"no such resource: {resource_id!r}")
    if draft.rules.read_only:
        raise Refusal(MutationFailure.READ_ONLY, "the repository is read-only")
    return found


def _need_unreferenced(draft: Draft, resource_id: str) -> Resource:
    found = _need_resource(draft, resource_id)
    if draft.is_referenced(resource_id):
        raise Refusal(MutationFailure.REFERENCED, f"{resource_id} is still referred to")
    return found


def _find_or_make_trail(draft: Draft, trail: tuple[str, ...]) -> Node:
    parent = draft.tree.root
    for name in trail:
        children = draft.tree.children(parent)
        found = next((c for c in children if c.is_folder and c.name == name), None)
        if found is None:
            draft.need_writable(parent)
            found = draft.add(parent, name, is_folder=True)
        parent = found
    return parent


def _free_name(draft: Draft, parent: Node, top: Node) -> str:
    taken = {
        draft.rules.name_key(child.name)
        for child in draft.tree.children(draft.tree.nodes[parent.handle])
        if child.is_folder == top.is_folder
    }
    name, number = top.name, 1
    while draft.rules.name_key(name) in taken:
        number += 1
        name = f"{top.name} ({number})"
    return name


def _safe_file_name(file_name: str) -> str:
    name = file_name.replace("\\", "/").rpartition("/")[2].strip(". \0")
    return name or "resource"
