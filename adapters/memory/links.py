"""References in the text of a memory repository, which holds them in their contract form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from adapters.markdown import find_links, rewrite_links
from adapters.memory.moves import follow

AREA: Final = "knowledge-area:"
RESOURCE: Final = "knowledge-resource:"


def resource_ids(text: str) -> tuple[str, ...]:
    """Return the ids `text` refers to, each once, in order of first reference."""
    if RESOURCE not in text:
        return ()
    targets = (link.destination for link in find_links(text))
    return tuple(dict.fromkeys(t.removeprefix(RESOURCE) for t in targets if t.startswith(RESOURCE)))


def follow_areas(text: str, moves: Mapping[str, str], exists: Callable[[str], bool]) -> str:
    """Return `text` with every reference into a moved area led to where that is now.

    What does not exist there did not before: such a reference is text, and stays (R-C-89).
    """

    def lead(target: str) -> str:
        area, mark, fragment = target.partition("#")
        current = follow(area, moves)
        return current + mark + fragment if exists(current) else target

    return _exchange(text, AREA, lead)


def follow_resources(text: str, changes: Mapping[str, str]) -> str:
    """Return `text` with every changed resource id exchanged, all at once."""
    return _exchange(text, RESOURCE, lambda target: changes.get(target, target))


def _exchange(text: str, scheme: str, change: Callable[[str], str]) -> str:
    if scheme not in text:
        return text

    def exchange(destination: str) -> str | None:
        if not destination.startswith(scheme):
            return None
        changed = scheme + change(destination.removeprefix(scheme))
        return None if changed == destination else changed

    return rewrite_links(text, lambda link: exchange(link.destination))
