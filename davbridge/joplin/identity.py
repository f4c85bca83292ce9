"""External ids, and recognising an area that another program renamed (R-J-44).

An area that went and an area that came are the same when their storage says so, or when their
text is equal and unique on both sides. Names alone never pair: a new file under an old name is
found by its path already.
"""

from __future__ import annotations

import re
import secrets
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from adapters.contract import NativeMark

_ID: Final = re.compile(r"[0-9a-f]{32}")


def new_id() -> str:
    """Return a random external id: 32 lower-case hex digits."""
    return secrets.token_hex(16)


def is_id(text: str) -> bool:
    """Tell whether `text` has the form of an external id."""
    return _ID.fullmatch(text) is not None


def spell_mark(mark: NativeMark | None) -> str:
    """Return a mark as text for the state store; empty for none."""
    return f"{mark.handle} {mark.size} {mark.mtime_ns} {mark.text_hash}" if mark else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """What is known of an area on either side of a rename. `key` is the row id or the area."""

    key: str
    type: int
    name: str
    mark: str
    text_hash: str


def pair(went: Sequence[Trace], came: Sequence[Trace]) -> dict[str, str]:
    """Return which key that went is which key that came; each is used once.

    A handle counts only together with an equal size and time, an equal text or an equal name,
    since file systems reuse handles at once.
    """
    pairs: dict[str, str] = {}
    rules = (
        lambda t: t.mark and (t.type, t.mark),
        lambda t: t.mark and t.text_hash and (t.type, _handle(t), t.text_hash),
        lambda t: t.mark and (t.type, _handle(t), t.name),
        lambda t: t.text_hash and (t.type, t.text_hash, t.name),
        lambda t: t.text_hash and (t.type, t.text_hash),
    )
    for rule in rules:
        left = _unique((rule(t), t.key) for t in went if t.key not in pairs)
        taken = set(pairs.values())
        right = _unique((rule(t), t.key) for t in came if t.key not in taken)
        pairs |= {key: right[sign] for sign, key in left.items() if sign in right}
    return pairs


def _handle(trace: Trace) -> str:
    return trace.mark.partition(" ")[0]


def _unique(signs: Iterable[tuple[Hashable, str]]) -> dict[Hashable, str]:
    found: defaultdict[Hashable, list[str]] = defaultdict(list)
    for sign, key in signs:
        if sign:
            found[sign].append(key)
    return {sign: keys[0] for sign, keys in found.items() if len(keys) == 1}


def pair_folders(
    went: Iterable[tuple[str, Sequence[str]]], came_parent_of: dict[str, str]
) -> Iterator[tuple[str, str]]:
    """Pair folders by their children: (row id, ids of its children) with the area most now are in.

    `came_parent_of` maps ids of children that were paired to the area that holds them now.
    """
    taken: set[str] = set()
    for key, children in went:
        votes: defaultdict[str, int] = defaultdict(int)
        for child in children:
            if child in came_parent_of:
                votes[came_parent_of[child]] += 1
        best = max(votes, key=lambda area: votes[area], default=None)
        if best is not None and votes[best] * 2 > len(children) and best not in taken:
            taken.add(best)
            yield key, best
