"""Exchanging destinations in a text, and nothing else (R-F-52)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adapters.markdown.document import find_links
from adapters.markdown.model import Link
from adapters.markdown.spelling import spell_destination


def rewrite_links(
    text: str,
    exchange: Callable[[Link], str | None],
    *,
    links: Sequence[Link] | None = None,
) -> str:
    """Return `text` with the destinations that `exchange` gives; every other byte stays.

    `exchange` is asked once for each link, in order of place, and returns the new destination
    (unescaped) or None. None, and the destination the link has, leave its spelling alone.
    `links` are those found in this very `text`, where the caller has them already.
    """
    pieces = []
    done = 0
    for link in sorted(find_links(text) if links is None else links, key=lambda each: each.start):
        destination = exchange(link)
        if destination is None or destination == link.destination:
            continue
        try:
            spelling = spell_destination(destination, link)
        except ValueError:
            continue
        pieces += [text[done : link.start], spelling]
        done = link.end
    pieces.append(text[done:])
    return "".join(pieces)
