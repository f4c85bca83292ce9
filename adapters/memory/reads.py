"""What can be read from a tree: plain functions of it, all of them free of side effects."""

from __future__ import annotations

from hashlib import blake2b

from adapters.contract import (
    AreaCapabilities,
    AreaNotFound,
    ContentLevel,
    KnowledgeResourceInfo,
    ResourceNotFound,
    check_area,
)
from adapters.memory.tree import ROOT_HANDLE, Node, Resource, Tree


def locate(tree: Tree, area: str) -> Node:
    """Return what is at `area`. Raises `InvalidArea`, `AreaNotFound`."""
    node, rest = tree.find(check_area(area))
    if rest:
        raise AreaNotFound(area=area)
    return node


def areas_below(tree: Tree, node: Node, *, recurse: bool) -> tuple[str, ...]:
    """Return the paths of the children of `node`, or of all below it, parents first."""
    found = list(tree.walk(node))[1:] if recurse else tree.children(node)
    return tuple(tree.area_of(n) for n in found)


def level_of(tree: Tree, node: Node) -> ContentLevel:
    """Return how `node` takes part in text: a folder does through the documents in it."""
    if not node.is_folder:
        return ContentLevel.CONTENT_CONTAINER
    if any(not child.is_folder for child in tree.children(node)):
        return ContentLevel.CONTENT_AGGREGATION
    return ContentLevel.BEYOND_CONTENT


def capabilities(tree: Tree, node: Node, *, read_only: bool) -> AreaCapabilities:
    """Return what may be asked of `node`."""
    level = level_of(tree, node)
    writable = not read_only
    movable = writable and node.handle != ROOT_HANDLE
    return AreaCapabilities(
        content_level=level,
        supports_sub_areas=node.is_folder,
        can_be_renamed=movable,
        can_be_deleted=movable,
        can_add_sub_areas=writable and node.is_folder,
        can_append_content=writable and not node.is_folder,
        can_truncate=writable and not node.is_folder,
        supports_resources=not node.is_folder,
    )


def aggregated_content(tree: Tree, node: Node) -> str:
    """Return the text of a document; of a folder, its documents as sections of one text."""
    if not node.is_folder:
        return node.text
    documents = (child for child in tree.children(node) if not child.is_folder)
    return "\n".join(f"# {document.name}\n\n{document.text}\n" for document in documents)


def revision(tree: Tree, node: Node, *, subtree: bool) -> str:
    """Return a token of the name and text of `node`, or of everything below it as well."""
    nodes = tree.walk(node) if subtree else (node,)
    state = repr(
        [(n.is_folder, n.name, n.text, n.children) for n in nodes]
        if subtree
        else [(n.is_folder, n.name, n.text) for n in nodes]
    )
    return blake2b(state.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def resource(tree: Tree, resource_id: str) -> Resource:
    """Return a resource. Raises `ResourceNotFound`."""
    found = tree.resources.get(resource_id)
    if found is None:
        raise ResourceNotFound(resource_id=resource_id)
    return found


def resource_info(found: Resource) -> KnowledgeResourceInfo:
    """Return the facts of a resource."""
    return KnowledgeResourceInfo(
        resource_id=found.resource_id,
        file_name=found.file_name,
        content_type=found.content_type,
        length=len(found.content),
        revision=blake2b(found.content, digest_size=12).hexdigest(),
    )


def areas_by_keyword(tree: Tree, node: Node, keyword: str) -> tuple[str, ...]:
    """Return the areas below `node` whose name, path or text holds `keyword`, in tree order."""
    wanted = keyword.strip().casefold()
    if not wanted:
        return ()
    found = list(tree.walk(node))[1:]
    return tuple(
        area
        for area, n in ((tree.area_of(n), n) for n in found)
        if any(wanted in part.casefold() for part in (n.name, area, n.text))
    )
