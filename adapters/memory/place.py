"""From an area path to what is there: a folder, a document, or a heading in one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from adapters.contract import is_same_or_descendant
from adapters.markdown.outline import Section, outline
from adapters.memory.tree import Node, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """What an area path leads to; `trail` are the headings from the document down to it."""

    area: str
    node: Node
    trail: tuple[Section, ...] = ()

    @property
    def is_heading(self) -> bool:
        """Tell whether the area is a heading in the document `node`."""
        return bool(self.trail)

    @property
    def section(self) -> Section:
        """The heading, or all of a document."""
        return self.trail[-1] if self.trail else outline(self.node.text)

    @property
    def name(self) -> str:
        """What people call it."""
        return self.trail[-1].name if self.trail else self.node.name


def find_place(tree: Tree, area: str) -> Place | None:
    """Return what is at the well-formed path `area`."""
    node, rest = tree.find(area)
    place = Place(area=tree.area_of(node), node=node)
    for _ in rest:
        found = next(
            (p for p in headings_in(tree, place) if is_same_or_descendant(area, p.area)), None
        )
        if found is None:
            return None
        place = found
    return place


def headings_in(tree: Tree, place: Place) -> Iterator[Place]:
    """Yield the headings directly below a document or a heading, in document order."""
    if place.node.is_folder:
        return
    # The address of a heading hangs on its document's handle, not on where the document is:
    # so everything below a moved document keeps its segments (R-C-43).
    within = place.node.handle + "/".join(f"{s.name}\0{s.number}" for s in place.trail)
    for section in place.section.children:
        marker = "" if section.number == 1 else f"~{section.number}"
        segment = tree.naming.segment(section.name, within, marker=marker)
        yield Place(area=f"{place.area}/{segment}", node=place.node, trail=(*place.trail, section))


def children_of(tree: Tree, place: Place) -> Iterator[Place]:
    """Yield what is directly below `place`, in order."""
    prefix = place.area.rstrip("/")
    for child in tree.children(place.node) if not place.is_heading else ():
        yield Place(area=f"{prefix}/{child.segment}", node=child)
    yield from headings_in(tree, place)


def walk(tree: Tree, place: Place) -> Iterator[Place]:
    """Yield everything below `place`, parents first, without itself."""
    for child in children_of(tree, place):
        yield child
        yield from walk(tree, child)
