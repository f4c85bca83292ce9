"""The mutations of the contract, each a function of a draft; `Refusal` ends one."""

from __future__ import annotations

from dataclasses import replace

from adapters.contract import (
    ROOT,
    ContentLevel,
    KnowledgeAreaKind,
    MutationFailure,
    MutationResult,
    is_same_or_descendant,
    parent_area,
)
from adapters.markdown.outline import DEEPEST
from adapters.memory import folders, headings, reads
from adapters.memory.draft import Draft, Refusal
from adapters.memory.place import Place
from adapters.memory.tree import ROOT_HANDLE, Node, Removed, Resource


def add_sub_area(
    draft: Draft, area: str, name: str, kind: KnowledgeAreaKind, content: str
) -> MutationResult:
    """Create a folder or a document below a folder, a heading below anything else."""
    parent = draft.place(area)
    is_folder = kind is KnowledgeAreaKind.STRUCTURAL
    if is_folder and not parent.node.is_folder:
        raise Refusal(MutationFailure.NOT_SUPPORTED, f"{area} holds no folders")
    draft.need_writable(parent.node)
    if not parent.node.is_folder:
        if parent.section.level == DEEPEST:
            raise Refusal(MutationFailure.NOT_SUPPORTED, "no heading is below level 6")
        return _done(draft, headings.add(draft, parent, name, content))
    draft.need_name(parent.node, name, is_folder=is_folder)
    if is_folder and content:
        raise Refusal(MutationFailure.INVALID_CONTENT, "a folder has no text")
    draft.need_payload(content)
    node = draft.add(parent.node, name, is_folder=is_folder, text=content)
    return _done(draft, draft.tree.area_of(node))


def move(draft: Draft, area: str, target: str | None, new_name: str | None) -> MutationResult:
    """Give an area another parent, another name, or both."""
    place = draft.place(area)
    present = draft.place(parent_area(area) or ROOT)
    parent = present if target is None else draft.place(target)
    name = place.name if new_name is None else new_name
    if area == ROOT or is_same_or_descendant(parent.area, area):
        raise Refusal(MutationFailure.NOT_SUPPORTED, f"{parent.area} cannot hold {area}")
    if place.is_heading == parent.node.is_folder:
        raise Refusal(MutationFailure.NOT_SUPPORTED, f"{parent.area} cannot hold {area}")
    draft.need_writable(present.node, parent.node)
    if (parent.area, name) == (present.area, place.name):
        return _done(draft, area)
    if place.is_heading:
        if parent.area == present.area:
            return _done(draft, headings.rename(draft, place, name))
        return _done(draft, headings.move(draft, place, parent, name))
    draft.need_writable_below(place.node)
    draft.need_name(parent.node, name, is_folder=place.node.is_folder, but=place.node.handle)
    return _done(draft, draft.tree.area_of(draft.relocate(place.node, parent.node, name)))


def delete(draft: Draft, area: str, expected: str | None) -> MutationResult:
    """Remove an area and all below it for good."""
    place = draft.place(area)
    if place.is_heading:
        draft.need_writable(place.node)
        _need_revision(draft, place, expected)
        headings.delete(draft, place)
    else:
        node = _need_removable(draft, area)
        _need_revision(draft, place, expected)
        draft.remove(node)
    return _done(draft, area)


def append_content(draft: Draft, area: str, content: str, expected: str | None) -> MutationResult:
    """Add a sparse tree of text to an area."""
    place = _need_text(draft, area, expected)
    if content.strip():
        if place.node.is_folder:
            folders.append(draft, place, content)
        else:
            headings.append(draft, place, content)
    return _done(draft, area)


def truncate(draft: Draft, area: str, expected: str | None) -> MutationResult:
    """Empty an area's content scope: its text, or the documents directly in it."""
    return _exchange(draft, _need_text(draft, area, expected), "")


def replace_content(draft: Draft, area: str, content: str, expected: str | None) -> MutationResult:
    """Exchange an area's content scope."""
    place = _need_text(draft, area, expected)
    if content == reads.aggregated_content(draft.tree, place):
        return _done(draft, area)
    return _exchange(draft, place, content)


def _exchange(draft: Draft, place: Place, content: str) -> MutationResult:
    if place.node.is_folder:
        folders.exchange(draft, place, content)
    elif place.is_heading:
        headings.exchange(draft, place, content)
    else:
        draft.need_payload(content, previous=place.node.text)
        draft.write(place.node, content)
    return _done(draft, place.area)


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
    return _done(draft, draft.tree.area_of(draft.touch(top)))


def add_resource(
    draft: Draft, area: str, file_name: str, content_type: str, content: bytes
) -> MutationResult:
    """Store bytes for the document at `area`."""
    node = draft.place(area).node
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


def _done(draft: Draft, area: str) -> MutationResult:
    return MutationResult(
        ok=True,
        area=area,
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


def _need_text(draft: Draft, area: str, expected: str | None) -> Place:
    place = draft.place(area)
    if reads.level_of(draft.tree, place) is ContentLevel.BEYOND_CONTENT:
        raise Refusal(MutationFailure.NOT_SUPPORTED, f"{area} has no text")
    draft.need_writable(place.node)
    _need_revision(draft, place, expected)
    return place


def _need_removable(draft: Draft, area: str) -> Node:
    node = draft.node(area)
    if node.handle == ROOT_HANDLE:
        raise Refusal(MutationFailure.NOT_SUPPORTED, "the root stays")
    draft.need_writable_below(node)
    return node


def _need_revision(draft: Draft, place: Place, expected: str | None) -> None:
    current = (reads.revision(draft.tree, place, subtree=subtree) for subtree in (False, True))
    if expected is not None and expected not in current:
        raise Refusal(MutationFailure.STALE, "changed in the meantime")


def _need_resource(draft: Draft, resource_id: str) -> Resource:
    found = draft.tree.resources.get(resource_id)
    if found is None:
        raise Refusal(MutationFailure.NOT_FOUND, f"no such resource: {resource_id!r}")
    draft.need_writable(draft.tree.nodes.get(found.owner, draft.tree.root))
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
