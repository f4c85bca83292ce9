"""A destination that knows where the parser read it, and the marks left on tokens."""

from __future__ import annotations

from typing import Any, Final

from markdown_it import helpers

DEFINITIONS: Final = "davbridge_definitions"
"""Key of the environment: a list of (start, end, destination), one a reference definition."""
SEGMENTS: Final = "davbridge_segments"
"""Key of a block token's meta: the `Segments` of its content in the source."""
RANGE: Final = "davbridge_range"
"""Key of a heading token's meta: (start, end, name_start, name_end) in the source."""
START: Final = "davbridge_start"
"""Key of an inline token's meta: where its rule matched in the content."""


class Spelled(str):
    """A destination with its range in the string handed to an inline rule.

    markdown-it passes destinations on as they are, so the range arrives in the token.
    """

    __slots__ = ("angle", "end", "start")

    start: int
    end: int
    angle: bool


def spelled(destination: str, start: int, end: int, *, angle: bool) -> Spelled:
    """Return `destination` with its range attached."""
    value = Spelled(destination)
    value.start, value.end, value.angle = start, end, angle
    return value


def parse_destination(string: str, pos: int, maximum: int) -> Any:
    """Do what markdown-it's function of that name does, and attach the range."""
    result = helpers.parseLinkDestination(string, pos, maximum)
    if result.ok:
        inside = 1 if string[pos] == "<" else 0
        result.str = spelled(result.str, pos + inside, result.pos - inside, angle=inside == 1)
    return result


def may_hold_links(content: str) -> bool:
    """Tell whether inline or HTML `content` could hold a destination."""
    return "](" in content or "<" in content
