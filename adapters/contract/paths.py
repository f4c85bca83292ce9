"""Area paths: the only structure a consumer may see in one is the slash (R-C-01..03)."""

from __future__ import annotations

import re
from typing import Final

from adapters.contract.errors import InvalidArea

ROOT: Final = "/"

# R-C-06, without "&" (MODEL, section 1): what may stand in a segment as it is, so that an
# area can be a Markdown link destination with no further encoding.
_SEGMENT: Final = r"[^\s\x00-\x1f\x7f-\x9f<>()\[\]{}\"'`\\^|#?&/]+"
_AREA: Final = re.compile(rf"/|(?:/{_SEGMENT})+")


def is_area(path: str) -> bool:
    """Tell whether `path` is well formed; says nothing about its existence."""
    return _AREA.fullmatch(path) is not None


def check_area(path: str) -> str:
    """Return `path` unchanged, or raise `InvalidArea` (R-C-08: no silent clean-up)."""
    if not is_area(path):
        raise InvalidArea(area=path)
    return path


def parent_area(area: str) -> str | None:
    """Return the area that holds `area`; `None` for the root."""
    if area == ROOT:
        return None
    return area.rpartition("/")[0] or ROOT


def is_same_or_descendant(area: str, ancestor: str) -> bool:
    """Tell whether `area` is `ancestor` or below it, by whole segments: `/A` holds no `/AB`."""
    return ancestor == ROOT or area == ancestor or area.startswith(ancestor + "/")


def rebase_area(area: str, previous: str, current: str) -> str:
    """Return where `area` is after `previous` became `current`; unrelated areas stay."""
    if area == previous:
        return current
    if previous != ROOT and area.startswith(previous + "/"):
        return current + area[len(previous) :]
    return area
