"""Repository -> items: what changed outside since last time, and what that means for each item.

Runs before a listing and before an upload, under the target's lock, and costs what changed: the
repository's change feed names the areas to look at. After a gap everything is compared once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from adapters.contract import (
    ROOT,
    Batch,
    ResourceNotFound,
    parent_area,
)
from davbridge.joplin.attachments import Attachments
from davbridge.joplin.comparison import Comparison
from davbridge.joplin.discovery import Discovery
from davbridge.joplin.identity import Trace, pair, pair_folders
from davbridge.joplin.items import ItemType
from davbridge.joplin.ledger import Ledger
from davbridge.joplin.library import Library
from davbridge.joplin.places import Places
from davbridge.joplin.records import Records
from davbridge.joplin.settings import JoplinSettings
from davbridge.joplin.vanishing import Vanishing
from state import ItemRow, Place

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""Told (areas done, areas known so far) while a whole repository is compared."""

_BATCH: Final = 200
"""Items a transaction while many are made at once."""


class Projection:
    """Keeps the items of one target in step with changes it did not make itself."""

    def __init__(
        self,
        records: Records,
        library: Library,
        places: Places,
        attachments: Attachments,
        ledger: Ledger,
        settings: JoplinSettings,
    ) -> None:
        self._records = records
        self._library = library
        self._attachments = attachments
        self._ledger = ledger
        self._vanishing = Vanishing(records, settings)
        self._settings = settings
        self._discovery = Discovery(records, library, places, ledger.placing)
        self._comparison = Comparison(
            records, library, ledger.texts, ledger.placing, self._discovery
        )
        self._compared = False

    def refresh(self, progress: Progress | None = None) -> None:
        """Take in every outside change. Raises `RepositoryUnavailable`, also for the guard."""
        with self._records.lock:
            batch = self._changes()
            if self._compared and batch.complete:
                self._follow(batch)
            else:
                self._compare_everything(progress)
                self._compared = True
            self._vanishing.expire()
            self._adopt_orphans()
            self._ledger.leaving.keep_unemptied()
            self._records.advance(batch.cursor)

    def _changes(self) -> Batch:
        if self._library.changes is None:
            return Batch(cursor="", complete=False)
        return self._library.changes.since(self._records.cursor if self._compared else None)

    # What to look at

    def _compare_everything(self, progress: Progress | None) -> None:
        first = self._records.cursor is None
        areas = [ROOT, *(area for area, _ in self._library.walk())]
        known = set(areas)
        went = [r for r in self._records.items.bound() if r.area and r.area not in known]
        self._settle(areas, went, progress)
        for resource in self._records.resources.all():
            self._check_resource(resource.resource_id)
        if first:
            self._records.spread_first_listing()

    def _follow(self, batch: Batch) -> None:
        for move in batch.moved:
            self._follow_move(move.previous_area, move.current_area)
        self._follow_ids(batch)
        for resource_id in batch.resource_ids:
            self._check_resource(resource_id)
        areas: dict[str, None] = {}
        went: dict[str, ItemRow] = {}
        moved = [area for move in batch.moved for area in (move.previous_area, move.current_area)]
        for touched in map(self._library.item_area, dict.fromkeys([*moved, *batch.touched])):
            if self._library.item_type(touched) is not None:
                areas[touched] = None
                row = self._records.items.by_area(touched)
                if row is None or row.vanish_at is not None:
                    areas |= dict.fromkeys(area for area, _ in self._walk_below(touched))
                continue
            rows = [self._records.items.by_area(touched), *self._records.items.below(touched)]
            went |= {row.id: row for row in rows if row}
        for missing in self._records.items.vanishing():
            if missing.area and self._library.item_type(missing.area) is not None:
                areas[missing.area] = None
                went.pop(missing.id, None)
            elif missing.area:
                went[missing.id] = missing
        if areas or went:
            self._settle(list(areas), list(went.values()))

    def _walk_below(self, area: str) -> Iterable[tuple[str, ItemType]]:
        return () if self._library.item_type(area) is ItemType.NOTE else self._library.walk(area)

    def _follow_move(self, previous: str, current: str) -> None:
        """Re-point rows after a move that another share made; our own are recorded already."""
        items = self._records.items
        is_news = items.by_area(previous) is not None and items.by_area(current) is None
        if is_news and self._library.item_type(previous) is None:
            items.rebase([(previous, current)])

    def _follow_ids(self, batch: Batch) -> None:
        resources = self._records.resources
        changes = [
            (change.previous_resource_id, change.current_resource_id)
            for change in batch.resource_id_changes
            if resources.by_resource(change.previous_resource_id)
            and not self._resource_exists(change.previous_resource_id)
        ]
        sources = {previous for previous, _ in changes}
        changes = [c for c in changes if c[1] in sources or not resources.by_resource(c[1])]
        if changes:
            resources.rebase(changes)

    def _resource_exists(self, resource_id: str) -> bool:
        try:
            self._library.repository.get_resource(resource_id)
        except ResourceNotFound:
            return False
        return True

    def _check_resource(self, resource_id: str) -> None:
        self._attachments.check(resource_id, vanish_grace=self._settings.vanish_grace)

    # What it means

    def _settle(
        self, areas: Sequence[str], went: Sequence[ItemRow], progress: Progress | None = None
    ) -> None:
        """Explain areas and rows that do not match: renamed, back, half done, new or gone."""
        came = [area for area in areas if self._records.items.by_area(area) is None]
        came = [area for area in came if area != ROOT]
        went = [row for row in went if row.place is Place.BOUND and row.area]
        explained = self._pair(went, came) if went and came else {}
        for row in went:
            if row.id in explained:
                self._records.items.update(row.id, area=explained[row.id], vanish_at=None)
            elif row.vanish_at is None:
                self._records.items.update(
                    row.id, vanish_at=self._records.now() + self._settings.vanish_grace
                )
        new = set(came) - set(explained.values())
        new = {area for area in new if not self._discovery.resume(area)}
        self._discovery.make_items([area for area in came if area in new])
        for start in range(0, len(areas), _BATCH):
            with self._records.transaction():
                for area in areas[start : start + _BATCH]:
                    self._comparison.check(area)
            if progress:
                progress(min(start + _BATCH, len(areas)), len(areas))

    def _pair(self, went: Sequence[ItemRow], came: Sequence[str]) -> dict[str, str]:
        """Return row id -> the area it is now, for areas renamed by another program (R-J-44)."""
        gone = [
            Trace(
                key=row.id,
                type=row.type,
                name=row.name_used or "",
                mark=row.handle,
                text_hash=row.text_hash,
            )
            for row in went
        ]
        here = [self._discovery.trace(area) for area in came]
        pairs = pair(gone, here)
        parents = {i: parent_area(a) or ROOT for i, a in pairs.items()}
        free = set(came) - set(pairs.values())
        folders = [
            (row.id, [child.id for child in self._records.items.children(row.id)])
            for row in went
            if row.type == ItemType.FOLDER and row.id not in pairs
        ]
        pairs |= {i: area for i, area in pair_folders(folders, parents) if area in free}
        return pairs

    # Orphans

    def _adopt_orphans(self) -> None:
        """Give a note whose notebook never came one that shows it (MODEL 2.5)."""
        now = self._records.now()
        for row in self._records.items.vanishing():
            if row.place is Place.KEPT and row.vanish_at is not None and row.vanish_at <= now:
                self._ledger.leave_missing_parent(row)
