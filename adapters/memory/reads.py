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
from adapters.markdown import parse
from adapters.markdown.edits import title_line
from adapters.markdown.outline import DEEPEST, shift
from adapters.memory.links import resource_ids
from adapters.memory.place import Place, children_of, find_place, walk
from adapters.memory.tree import ROOT_HANDLE, Node, Resource, Tree


def locate(tree: Tree, area: str) -> Place:
    """Return what is at `area`. Raises `InvalidArea`, `AreaNotFound`."""
    place = find_place(tree, check_area(area))
    if place is None:
        raise AreaNotFound(area=area)
    return place


def areas_below(tree: Tree, place: Place, *, recurse: bool) -> tuple[str, ...]:
    """Return the paths of the children of `place`, or of all below it, parents first."""
    return tuple(p.area for p in (walk if recurse else children_of)(tree, place))


def areas_by_keyword(tree: Tree, place: Place, keyword: str) -> tuple[str, ...]:
    """Return the areas below `place` whose name, path or own text holds `keyword`, in order."""
    wanted = keyword.strip().casefold()
    if not wanted:
        return ()
    return tuple(
        p.area
        for p in walk(tree, place)
        if any(wanted in part.casefold() for part in (p.name, p.area, direct_content(p)))
    )


def level_of(tree: Tree, place: Place) -> ContentLevel:
    """Return how `place` takes part in text: a folder does through the documents in it."""
    if not place.node.is_folder:
        return ContentLevel.CONTENT_CONTAINER
    if documents_of(tree, place.node):
        return ContentLevel.CONTENT_AGGREGATION
    return ContentLevel.BEYOND_CONTENT


def documents_of(tree: Tree, folder: Node) -> tuple[Node, ...]:
    """Return the documents directly in a folder, in order."""
    return tuple(child for child in tree.children(folder) if not child.is_folder)


def capabilities(tree: Tree, place: Place, *, read_only: bool) -> AreaCapabilities:
    """Return what may be asked of `place`."""
    level = level_of(tree, place)
    holds_areas = place.node.is_folder or place.section.level < DEEPEST
    holds_text = level is not ContentLevel.BEYOND_CONTENT
    is_root = place.node.handle == ROOT_HANDLE
    return AreaCapabilities(
        content_level=level,
        supports_sub_areas=holds_areas,
        can_be_renamed=not read_only and not is_root,
        can_be_deleted=not read_only and not is_root,
        can_add_sub_areas=not read_only and holds_areas,
        can_append_content=not read_only and holds_text,
        can_truncate=not read_only and holds_text,
        supports_resources=not place.node.is_folder,
    )


def direct_content(place: Place) -> str:
    """Return the text between the heading, or the beginning, and the first heading below."""
    if place.node.is_folder:
        return ""
    return place.node.text[place.section.body : place.section.own_end]


def aggregated_content(tree: Tree, place: Place) -> str:
    """Return the text of a document or below a heading; of a folder, one text of its documents."""
    if place.node.is_folder:
        return "\n".join(_as_section(document) for document in documents_of(tree, place.node))
    section = place.section
    return shift(place.node.text[section.body : section.end], -section.level)


def revision(tree: Tree, place: Place, *, subtree: bool) -> str:
    """Return a token of the name and text of `place`, or of everything below it as well."""
    if place.is_heading:
        state = repr((place.name, place.node.text[place.section.start : place.section.end]))
    elif subtree:
        state = repr([(n.is_folder, n.name, n.text, n.children) for n in tree.walk(place.node)])
    else:
        state = repr((place.node.is_folder, place.node.name, place.node.text))
    return _digest(state.encode("utf-8", "surrogatepass"))


def resources_of(tree: Tree, place: Place) -> tuple[KnowledgeResourceInfo, ...]:
    """Return the facts of every resource the document around `place` refers to."""
    known = (tree.resources.get(resource_id) for resource_id in resource_ids(place.node.text))
    return tuple(resource_info(found) for found in known if found is not None)


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
        revision=_digest(found.content),
    )


def _as_section(document: Node) -> str:
    front_matter = parse(document.text).front_matter
    text = document.text[front_matter[1] :] if front_matter else document.text
    body = shift(text, 1, flatten=True).strip("\r\n")
    return f"{title_line(document.name)}\n{body}\n" if body else title_line(document.name)


def _digest(state: bytes) -> str:
    return blake2b(state, digest_size=12).hexdigest()
