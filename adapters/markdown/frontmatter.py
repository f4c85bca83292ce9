"""The YAML block at the top of a text (R-F-24)."""

from __future__ import annotations

import re
from typing import Final

_OPENING: Final = re.compile(r"---[ \t]*(?:\r\n?|\n)")
_CLOSING: Final = re.compile(r"(?:(?<=\n)|(?<=\r))(?:---|\.\.\.)[ \t]*(?:\r\n?|\n|\Z)")
# A block that is not a YAML mapping is text (ARCHITECTURE, decision 2): a document may well
# begin with a thematic break. The first line that says something decides.
_MAPPING: Final = re.compile(
    r"(?:[ \t]*(?:#[^\r\n]*)?[\r\n])*[ \t]*(?:\{|[^\s:-][^\r\n]*?:(?:\s|$)|\Z)"
)


def front_matter_span(text: str) -> tuple[int, int] | None:
    """Return the range of the front matter, both marker lines included, or None.

    It starts with a `---` on the first line and must be closed by `---` or `...`.
    """
    opening = _OPENING.match(text)
    if opening is None:
        return None
    closing = _CLOSING.search(text, opening.end())
    if closing is None:
        return None
    if _MAPPING.match(text[opening.end() : closing.start()]) is None:
        return None
    return 0, closing.end()
