"""Fragments that GitHub gives to headings (R-F-51)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

_KEPT: Final = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "Pc"})


def github_slugs(names: Sequence[str]) -> tuple[str, ...]:
    """Return the slug of each heading, in document order.

    Letters, marks, digits, `_`, `-` and blanks are kept; a slug already taken gets `-1`, `-2`.
    """
    taken: dict[str, int] = {}
    slugs = []
    for name in names:
        base = slug = _slug(name)
        while slug in taken:
            taken[base] += 1
            slug = f"{base}-{taken[base]}"
        taken[slug] = 0
        slugs.append(slug)
    return tuple(slugs)


def _slug(name: str) -> str:
    kept = (c for c in name.lower() if c in " -" or unicodedata.category(c) in _KEPT)
    return "".join(kept).replace(" ", "-")
