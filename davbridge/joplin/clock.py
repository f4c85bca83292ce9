"""The two clocks of a target: when a change became visible, and when it was written.

`listed_s` orders changes for clients that remember one newest second (PROTOCOL 4): whole
seconds, never back, and later than before for an item that changes again. `updated_ms` tells
authorship: never later than now, and later than before when this side makes the change.
"""

from __future__ import annotations

import math
from typing import Final

ITEMS_A_SECOND: Final = 50
"""More items with one listing time cost the client quadratic work (PROTOCOL 4.1)."""


class ListingClock:
    """Hands out listing times. Not thread-safe: used under the target's lock."""

    def __init__(self, last_s: int) -> None:
        self.last_s = last_s
        self._stamped = 0

    def stamp(self, now: float, previous_s: int = 0) -> int:
        """Return a listing time for an item that was listed with `previous_s` before (R-J-51)."""
        moment = max(int(now), self.last_s)
        if moment == self.last_s and self._stamped >= ITEMS_A_SECOND:
            moment += 1
        moment = max(moment, previous_s + 1)
        if moment > self.last_s:
            self.last_s, self._stamped = moment, 0
        self._stamped += 1
        return moment


def spread_before(now: float, count: int) -> list[int]:
    """Return `count` rising times that end now: for a target no client has ever listed."""
    last = int(now)
    seconds = math.ceil(count / ITEMS_A_SECOND)
    return [last - seconds + 1 + index // ITEMS_A_SECOND for index in range(count)]


def written_here(now: float, previous_ms: int) -> int:
    """Return the `updated_time` of a change made on this side (R-J-53)."""
    return max(int(now * 1000), previous_ms + 1)


def written_by_client(now: float, client_ms: int) -> int:
    """Return the `updated_time` to serve for an upload: never later than now (PROTOCOL 5.2)."""
    return min(int(now * 1000), client_ms)
