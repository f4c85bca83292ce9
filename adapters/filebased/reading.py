"""What can be read of the areas, from a snapshot and the files as they are this moment."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from adapters.contract import (
    AreaCapabilities,
    AreaNotFound,
    ContentLevel,
    RepositoryUnavailable,
    check_area,
    parent_area,
)
from adapters.filebased import names
from adapters.filebased.core import Core
from adapters.filebased.facts import LARGEST, decode, digest_of
from adapters.filebased.links import Site, contract_destination, find_area, read_destination
from adapters.filebased.refusal import reason_of
from adapters.filebased.sections import Section, Text, find_section, plain_text, read_text
from adapters.filebased.snapshot import File, Folder, Node, area_of
from adapters.markdown import Link, parse, rewrite_links
from adapters.markdown.edits import title_line
from adapters.markdown.outline import shift

_ATTEMPTS: Final = 5
_CACHED: Final = 64
_DEEPEST: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """What an area path leads to; `heading` is the path of a heading below its document."""

    area: str
    path: str
    node: Node
    heading: str = ""

    @property
    def file(self) -> File | None:
        """The document, if the area is one or a heading in one."""
        return self.node if isinstance(self.node, File) else None


class Reader:
    """Answers the reads of the contract."""

    def __init__(self, core: Core, name: str) -> None:
        self._core = core
        self._name = name
        self._texts: OrderedDict[tuple[str, str], str] = OrderedDict()
        self._lock = threading.Lock()

    # Where things are

    def locate(self, area: str) -> Spot:
        """Return what is at `area` this moment. Raises `InvalidArea`, `AreaNotFound`."""
        check_area(area)
        spot = find_spot(self._core.tree(), area)
        if spot is None:
            self._look_for(area)
            spot = find_spot(self._core.tree(), area)
        if spot is None:
            raise AreaNotFound(area=area)
        return spot

    def locate_fresh(self, area: str) -> Spot:
        """Return what is at `area`, after a look at the file of a document."""
        spot = self.locate(area)
        for _ in range(_ATTEMPTS):
            if isinstance(spot.node, Folder):
                return spot
            if self._core.look_at(spot.path) is spot.node:
                return spot
            spot = self.locate(area)
        return spot

    def _look_for(self, area: str) -> None:
        """Look again at the deepest directory on the way to an area that is not there."""
        known: str | None = area
        while known is not None:
            found = find_spot(self._core.tree(), known)
            if found is not None:
                is_folder = isinstance(found.node, Folder)
                self._core.look_into(found.path if is_folder else names.parent_of(found.path))
                return
            known = parent_area(known)

    # Structure

    def areas(self, start: str, *, recurse: bool) -> tuple[str, ...]:
        """Return the children of an area, or all below it, parents first."""
        spot = self.locate_fresh(start)
        if isinstance(spot.node, Folder) and not recurse:
            self._core.look_into(spot.path)
            spot = self.locate(start)
        return tuple(s.area for s in spots_below(spot, recurse=recurse))

    def areas_by_keyword(self, keyword: str, start: str) -> tuple[str, ...]:
        """Return the areas below `start` whose name, path or own text holds `keyword`."""
        wanted = keyword.strip().casefold()
        if not wanted:
            return ()
        return tuple(
            spot.area
            for spot in spots_below(self.locate(start), recurse=True)
            if any(wanted in part.casefold() for part in self._searched(spot))
        )

    def _searched(self, spot: Spot) -> Iterator[str]:
        yield spot.area
        if isinstance(spot.node, Folder):
            yield self.name(spot.area)
            return
        try:
            text, section = self._section(spot)
        except AreaNotFound:
            return
        yield section.name or spot.node.title
        yield text.text[section.body : section.own_end]

    def name(self, area: str) -> str:
        """Return what people call an area."""
        spot = self.locate(area)
        if spot.heading:
            return self._section(spot)[1].name
        return spot.node.title if spot.path else self._name

    def capabilities(self, area: str) -> AreaCapabilities:
        """Return what may be asked of an area (R-F-02)."""
        spot = self.locate(area)
        can_change = not self._core.read_only
        if isinstance(spot.node, Folder):
            level = ContentLevel.BEYOND_CONTENT
            if spot.node.has_documents:
                level = ContentLevel.CONTENT_AGGREGATION
            return AreaCapabilities(
                content_level=level,
                supports_sub_areas=True,
                can_be_renamed=can_change and spot.path != "",
                can_be_deleted=can_change and spot.path != "",
                can_add_sub_areas=can_change,
            )
        facts = spot.node.facts
        is_document = not spot.heading and can_change
        is_editable = is_document and facts is not None and facts.is_editable
        return AreaCapabilities(
            content_level=ContentLevel.CONTENT_CONTAINER,
            supports_sub_areas=not spot.heading or self._section(spot)[1].level < _DEEPEST,
            can_be_renamed=is_document,
            can_be_deleted=is_document,
            can_append_content=is_editable,
            can_truncate=is_editable,
            supports_resources=True,
        )

    # Text

    def direct_content(self, area: str) -> str:
        """Return the text a document or heading owns itself."""
        spot = self.locate_fresh(area)
        if isinstance(spot.node, Folder):
            return ""
        text, section = self._section(spot)
        return text.text[section.body : section.own_end]

    def aggregated_content(self, area: str) -> str:
        """Return the text of an area with all below it."""
        spot = self.locate_fresh(area)
        if isinstance(spot.node, Folder):
            self._core.look_into(spot.path)
            documents = [s for s in spots_below(self.locate(area), recurse=False) if s.file]
            return "\n".join(self._as_section(document) for document in documents)
        if not spot.heading:
            return self._text(spot)
        text, section = self._section(spot)
        return shift(text.text[section.body : section.end], -section.level)

    def heading_revision(self, spot: Spot) -> str:
        """Return a token of the name and text of a heading with all below it."""
        text, section = self._section(spot)
        return digest_of(text.text[section.start : section.end].encode("utf-8", "surrogatepass"))

    def _as_section(self, document: Spot) -> str:
        text = self._text(document)
        front_matter = parse(text).front_matter
        body = shift(text[front_matter[1] :] if front_matter else text, 1, flatten=True).strip(
            "\r\n"
        )
        title = title_line(document.node.title)
        return f"{title}\n{body}\n" if body else title

    def _section(self, spot: Spot) -> tuple[Text, Section]:
        is_large = spot.node.stamp.size > LARGEST
        text = (plain_text if is_large else _parsed)(self._text(spot))
        segments = tuple(spot.heading.split("/")[1:])
        section = find_section(text.top, segments)
        if section is None:
            raise AreaNotFound(area=spot.area)
        return text, section

    def _text(self, spot: Spot) -> str:
        """Return the text of a document with links in the contract's form.

        The snapshot the links are read with is the one the bytes belong to (R-C-47).
        """
        top = spot.area.removesuffix(spot.heading)
        for _ in range(_ATTEMPTS):
            tree = self._core.tree()
            now = find_spot(tree, top)
            if now is None or now.file is None:
                raise AreaNotFound(area=spot.area)
            key = now.path, now.file.revision()
            known = self._cached(key)
            if known is None:
                known = self._read(tree, now)
            if known is not None:
                return self._cache(key, known)
            self._core.look_again((now.path,))
        raise RepositoryUnavailable("the text changes faster than it can be read", areas=(top,))

    def _read(self, tree: Folder, spot: Spot) -> str | None:
        """Return a document's text, or `None` if the file is not what the snapshot says."""
        assert spot.file is not None
        try:
            content, _ = self._core.disk.read(spot.path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            reason = f"cannot be read: {reason_of(error)}"
            raise RepositoryUnavailable(reason, areas=(spot.area,)) from None
        facts = spot.file.facts
        if facts is None or digest_of(content) != facts.digest:
            return None
        text = decode(content).text
        return translated(text, tree, self._core.site(spot.path)) if facts.references else text

    def _cached(self, key: tuple[str, str]) -> str | None:
        with self._lock:
            known = self._texts.get(key)
            if known is not None:
                self._texts.move_to_end(key)
            return known

    def _cache(self, key: tuple[str, str], text: str) -> str:
        with self._lock:
            self._texts[key] = text
            while len(self._texts) > _CACHED:
                self._texts.popitem(last=False)
        return text


@functools.lru_cache(maxsize=_CACHED)
def _parsed(text: str) -> Text:
    return read_text(text)


def translated(text: str, tree: Folder, site: Site) -> str:
    """Return a text with every native link that has a meaning in the contract's form (R-F-51)."""

    def exchange(link: Link) -> str | None:
        reference = read_destination(link.destination)
        return contract_destination(tree, reference, site) if reference else None

    return rewrite_links(text, exchange)


def find_spot(tree: Folder, area: str) -> Spot | None:
    """Return what is at a well-formed area."""
    found = find_area(tree, area)
    if found is None:
        return None
    path, node, heading = found
    if heading:
        facts = node.facts if isinstance(node, File) else None
        if facts is None or heading not in (path for _, path in facts.anchors):
            return None
    return Spot(area=area, path=path, node=node, heading=heading)


def spots_below(spot: Spot, *, recurse: bool) -> Iterator[Spot]:
    """Yield what is directly below a spot, or all below it, parents first."""
    if isinstance(spot.node, File):
        yield from _headings_below(spot, recurse=recurse)
        return
    prefix = spot.area.rstrip("/")
    for segment, node in spot.node.areas():
        path = names.join(spot.path, node.name)
        child = Spot(area=f"{prefix}/{segment}", path=path, node=node)
        yield child
        if recurse:
            yield from spots_below(child, recurse=True)


def _headings_below(spot: Spot, *, recurse: bool) -> Iterator[Spot]:
    assert spot.file is not None
    top = spot.area.removesuffix(spot.heading)
    for _, heading in spot.file.facts.anchors if spot.file.facts else ():
        below = heading.removeprefix(spot.heading + "/")
        if below != heading and (recurse or "/" not in below):
            yield Spot(area=top + heading, path=spot.path, node=spot.node, heading=heading)


def area_at(tree: Folder, path: str) -> str:
    """Return the area of a directory or document that is there."""
    area = area_of(tree, path)
    assert area is not None
    return area
