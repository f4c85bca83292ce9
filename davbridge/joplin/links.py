"""Link targets between the repository's form and Joplin's: `knowledge-*:` <-> `:/id`.

Only destinations change; what an id stands for is asked, never guessed from its form (R-J-55).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from adapters.markdown import Link, Verbatim, find_html_links, find_links, rewrite_links

AREA_SCHEME: Final = "knowledge-area:"
RESOURCE_SCHEME: Final = "knowledge-resource:"

_ITEM: Final = re.compile(r":/([0-9a-fA-F]{32})(?:#(.*))?", re.DOTALL)


class Directory(Protocol):
    """Knows which item stands for what."""

    def item_for_area(self, area: str, fragment: str) -> str | None:
        """Return the `:/id[#anchor]` that reaches `area`, if an item does."""

    def item_for_resource(self, resource_id: str) -> str | None:
        """Return the `:/id` of a resource, if it can be an item."""

    def target_for_item(self, item_id: str, fragment: str) -> str | None:
        """Return the `knowledge-*:` destination an item stands for, if it has one by now."""


def _links(text: str, html: bool) -> Sequence[Link]:
    return find_html_links(text) if html else find_links(text)


def to_joplin(text: str, directory: Directory, *, html: bool = False) -> str:
    """Return `text` with every repository link that an item stands for as a Joplin link."""
    if "knowledge-" not in text:
        return text

    def exchange(link: Link) -> str | None:
        destination = _item_destination(link.destination, directory)
        # Clients recognise ":/id" only without angle brackets (FORMAT 4.1).
        return None if destination is None else Verbatim(destination)

    return rewrite_links(text, exchange, links=_links(text, html))


def _item_destination(destination: str, directory: Directory) -> str | None:
    if destination.startswith(RESOURCE_SCHEME):
        return directory.item_for_resource(destination.removeprefix(RESOURCE_SCHEME))
    if destination.startswith(AREA_SCHEME):
        area, _, fragment = destination.removeprefix(AREA_SCHEME).partition("#")
        return directory.item_for_area(area, fragment)
    return None


def from_joplin(text: str, directory: Directory, *, html: bool = False) -> str:
    """Return `text` with every Joplin link whose item has a place as a repository link."""
    if ":/" not in text:
        return text

    def exchange(link: Link) -> str | None:
        match = _ITEM.fullmatch(link.destination)
        return directory.target_for_item(match[1].lower(), match[2] or "") if match else None

    return rewrite_links(text, exchange, links=_links(text, html))


def linked_items(text: str, *, html: bool = False) -> tuple[str, ...]:
    """Return the ids of all items `text` links to, each once, in order."""
    if ":/" not in text:
        return ()
    matches = (_ITEM.fullmatch(link.destination) for link in _links(text, html))
    return tuple(dict.fromkeys(match[1].lower() for match in matches if match))


def without_targets(text: str) -> str:
    """Return `text` with every link destination blanked, to compare texts apart from links."""
    pieces, end = [], 0
    for link in find_links(text):
        start, stop = (link.start - 1, link.end + 1) if link.angle else (link.start, link.end)
        pieces.append(text[end:start])
        end = stop
    return "".join([*pieces, text[end:]])


def destinations(text: str) -> Iterable[str]:
    """Return the destinations of all links of `text` in order."""
    return (link.destination for link in find_links(text))
