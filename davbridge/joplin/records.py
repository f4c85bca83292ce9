"""One target's rows, with the clock that stamps them and the listing that shows them.

Whoever changes an item does it here, so that row, listing time and listing agree: all changes
of a transaction become visible together, after it is durable.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Final

from adapters.contract import MutationResult
from davbridge.joplin.clock import ListingClock, spread_before
from davbridge.joplin.identity import new_id
from davbridge.joplin.listing import Listing
from state import ItemRow, Place, StateStore, TargetRow

log = logging.getLogger(__name__)

VANISHED: Final = "vanished"
"""Why a row is gone: its area went and did not come back."""
DELETED: Final = "deleted"
"""Why a row is gone: a client deleted it."""
SUPPRESSED: Final = "suppressed"
"""Why a folder's row is gone though its area stays: a client deleted it, something remains."""
ORPHANED: Final = "parent"
"""Why a row is kept: its notebook is not here."""
TRASHED: Final = "trashed"
"""Why a row is kept: it lies in the client's trash."""
REFUSED: Final = "refused"
"""Why a row is kept: the repository will never hold it as it is."""
ENCRYPTED: Final = "encrypted"
"""Why a row is kept: its text is cipher text; an area it had stays as it is."""
OTHER_TYPE: Final = "type"
"""Why a row is kept: it is neither note, notebook nor attachment."""
UNREFERENCED: Final = "unreferenced"
"""Why an attachment's row is kept: no note has needed its bytes yet."""
UPLOADED: Final = "uploaded"
"""Of a bound attachment: a client brought the bytes, so they may go when a client says so."""
LEAVING: Final = "leaving"
"""Of a bound notebook: a client removed it while notes are still listed in it."""


class Records:
    """The rows of one target.

    `lock` is the target's one write lock (MODEL, section 5, with item stripes and refresh folded
    into it: SQLite and the provider serialise writers anyway). Readers take no lock.
    """

    def __init__(
        self, store: StateStore, target: TargetRow, listing: Listing, now: Callable[[], float]
    ) -> None:
        self.lock = threading.RLock()
        self.now = now
        self.listing = listing
        self.target_id = target.id
        self.items = store.items(target.id)
        self.resources = store.resources(target.id)
        self.waits = store.waits(target.id)
        self.opaque = store.opaque(target.id)
        self.versions = store.versions(target.id)
        self.findings = store.findings(target.id)
        self.cursor = target.cursor
        self._store = store
        self._clock = ListingClock(target.clock_s)
        self._pending: list[tuple[str, int | None]] | None = None
        self._fetched: set[str] = set()
        self._unoffered: dict[str, tuple[int, int]] = {}

    # Writing

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Make all changes within durable and then visible, or none; may be nested."""
        with self.lock:
            if self._pending is not None:
                yield
                return
            before = self._clock.last_s
            self._pending = []
            try:
                with self._store.transaction():
                    yield
                    if self._clock.last_s != before:
                        self._store.targets.update(self.target_id, clock_s=self._clock.last_s)
                for item_id, listed_s in self._pending:
                    if listed_s is None:
                        self.listing.hide(item_id)
                    else:
                        self.listing.show(item_id, listed_s)
            finally:
                self._pending = None

    def save(self, row: ItemRow, *, announce: bool) -> ItemRow:
        """Store a row; `announce` gives it a new listing time, since what GET returns changed."""
        with self.transaction():
            if announce:
                row = replace(row, listed_s=self._clock.stamp(self.now(), row.listed_s))
                self._show(row.id, row.listed_s)
            self.items.put(row)
        return row

    def keep(
        self, row: ItemRow, reason: str, *, area: str | None = None, deadline: float | None = None
    ) -> None:
        """Serve an item from its row while the repository does not hold it."""
        kept = replace(
            row, place=Place.KEPT, reason=reason, area=area, vanish_at=deadline, dirty=False
        )
        self.save(kept, announce=False)

    def follow(self, result: MutationResult) -> None:
        """Follow areas and resource ids that a mutation changed (R-J-42, R-J-43)."""
        areas = [(c.previous_area, c.current_area) for c in result.area_changes]
        ids = [(c.previous_resource_id, c.current_resource_id) for c in result.resource_id_changes]
        with self.transaction():
            if areas:
                self.items.rebase(areas)
            if ids:
                self.resources.rebase(ids)

    def let_go(self, row: ItemRow, reason: str, *, trash_token: str | None = None) -> None:
        """Take an item out of the listing and keep its row, so that its id can come back."""
        with self.transaction():
            self.versions.add(row.id, row.raw, reason, self.now())
            self.items.put(
                replace(
                    row,
                    place=Place.GONE,
                    reason=reason,
                    trash_token=trash_token or row.trash_token,
                    vanish_at=None,
                    dirty=False,
                )
            )
            self.waits.clear(row.id)
            self._show(row.id, None)
        log.info("item %s: %s", row.id, reason)

    def forget(self, item_id: str) -> None:
        """Remove the row of an item that no client has ever seen."""
        with self.transaction():
            self.items.remove(item_id)
            self._show(item_id, None)

    def advance(self, cursor: str) -> None:
        """Note up to where outside changes are known; written down once, then by `close`.

        An older cursor than the true one is harmless: changes are taken in twice, to no effect.
        """
        is_first, self.cursor = self.cursor is None, cursor
        if is_first:
            self._store.targets.update(self.target_id, cursor=cursor)

    def spread_first_listing(self) -> None:
        """Give every item a listing time in the past, few to a second (PROTOCOL 4.1)."""
        with self.transaction():
            ids = [item_id for item_id, _ in self.items.listed()]
            for item_id, listed_s in zip(ids, spread_before(self.now(), len(ids)), strict=True):
                self.items.update(item_id, listed_s=listed_s)
                self._show(item_id, listed_s)
            self._clock = ListingClock(int(self.now()))

    def new_id(self) -> str:
        """Return an id that no row of this target ever had (R-J-41)."""
        while self.items.ever_used(item_id := new_id()):
            continue
        return item_id

    def _show(self, item_id: str, listed_s: int | None) -> None:
        assert self._pending is not None
        self._pending.append((item_id, listed_s))

    # What clients have seen

    def note_fetched(self, item_id: str) -> None:
        """Remember that a client has an item; written down by `flush_fetched`."""
        self._fetched.add(item_id)

    def flush_fetched(self) -> None:
        """Write down what clients fetched; losing this costs a duplicate at worst, never text."""
        fetched, self._fetched = self._fetched, set()
        if fetched:
            with self.transaction():
                self.items.mark_fetched(fetched)

    def close(self) -> None:
        """Write down what need not be written at once."""
        self.flush_fetched()
        self._store.targets.update(self.target_id, cursor=self.cursor)

    def is_fetched(self, row: ItemRow) -> bool:
        """Tell whether a client may have the item."""
        return row.fetched or row.id in self._fetched

    def note_unoffered(self, item_id: str, previous_ms: int) -> None:
        """Remember that an outside edit is in the listing that no client has asked for yet.

        `previous_ms` is the `updated_time` of what clients can have.
        """
        known = self._unoffered.get(item_id)
        self._unoffered[item_id] = (
            self.listing.generation + 1,
            known[1] if known else previous_ms,
        )

    def unoffered_since(self, item_id: str) -> int | None:
        """Return the `updated_time` clients know, if the present text was in no listing yet."""
        known = self._unoffered.get(item_id)
        return known[1] if known else None

    def note_offered(self, generation: int) -> None:
        """Remember that a client received the listing of `generation`."""
        with self.lock:
            for item_id in [i for i, (at, _) in self._unoffered.items() if at <= generation]:
                del self._unoffered[item_id]
