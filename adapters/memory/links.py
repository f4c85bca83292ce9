"""References in the text of a memory repository, which holds them in their contract form."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from adapters.contract import is_same_or_descendant, rebase_area

AREA: Final = "knowledge-area:"
RESOURCE: Final = "knowledge-resource:"
_TARGET: Final = re.compile(r"knowledge-(?:area|resource):[^\s<>()\"'`]+")


def resource_ids(text: str) -> tuple[str, ...]:
    """Return the ids `text` refers to, each once, in order of first reference."""
    found = (match[0] for match in _TARGET.finditer(text))
    return tuple(dict.fromkeys(t.removeprefix(RESOURCE) for t in found if t.startswith(RESOURCE)))


def follow_areas(text: str, changes: Mapping[str, str]) -> str:
    """Return `text` with every reference into a changed area led to where that is now."""

    def exchange(target: str) -> str | None:
        if not target.startswith(AREA):
            return None
        area, mark, fragment = target.removeprefix(AREA).partition("#")
        holders = [old for old in changes if is_same_or_descendant(area, old)]
        if not holders:
            return None
        nearest = max(holders, key=len)
        return AREA + rebase_area(area, nearest, changes[nearest]) + mark + fragment

    return _exchange_targets(text, exchange) if AREA in text else text


def follow_resources(text: str, changes: Mapping[str, str]) -> str:
    """Return `text` with every changed resource id exchanged, all at once."""

    def exchange(target: str) -> str | None:
        if not target.startswith(RESOURCE):
            return None
        current = changes.get(target.removeprefix(RESOURCE))
        return None if current is None else RESOURCE + current

    return _exchange_targets(text, exchange) if RESOURCE in text else text


def _exchange_targets(text: str, exchange: Callable[[str], str | None]) -> str:
    return _TARGET.sub(lambda match: exchange(match[0]) or match[0], text)
