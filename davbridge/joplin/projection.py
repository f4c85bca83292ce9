"""Repository -> items: what changed outside since last time, and what that means for each item.

Runs before a listing and before an upload, under the target's lock, and costs what changed: the
repository's change feed names the areas to look at. After a gap everything is compared once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Final

from adapters.contract import (
    ROOT,
    Batch,
    ResourceNotFound,
    parent_area,
)
from davbridge.joplin.attachments import Attachments
from davbridge.joplin.clock import written_here
from davbridge.joplin.codec import decode_served, encode_served
from davbridge.joplin.identity import Trace, pair, pair_folders
from davbridge.joplin.items import ItemType, format_time, new_folder, new_note
from davbridge.joplin.ledger import Ledger
from davbridge.joplin.library import Library, hash_text
from davbridge.joplin.links import to_joplin
from davbridge.joplin.places import Places
from davbridge.joplin.records import DELETED, SUPPRESSED, VANISHED, Records
from davbridge.joplin.settings import JoplinSettings
from davbridge.joplin.texts import HTML
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
        self._places = places
        self._attachments = attachments
        self._ledger = ledger
        self._vanishing = Vanishing(records, settings)
        self._settings = settings
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
            self._records.save_cursor(batch.cursor)

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
                if self._records.items.by_area(touched) is None:
                    areas |= dict.fromkeys(area for area, _ in self._walk_below(touched))
                continue
            rows = [self._records.items.by_area(touched), *self._records.items.below(touched)]
            went |= {row.id: row for row in rows if row}
        went |= {r.id: r for r in self._records.items.vanishing() if r.area}
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
        new = {area for area in new if not self._resume(area)}
        self._adopt_new([area for area in came if area in new])
        for start in range(0, len(areas), _BATCH):
            with self._records.transaction():
                for area in areas[start : start + _BATCH]:
                    self._check(area)
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
        here = [self._trace(area) for area in came]
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

    def _trace(self, area: str) -> Trace:
        kind = self._library.item_type(area) or ItemType.FOLDER
        text_hash = ""
        if kind is ItemType.NOTE:
            text = self._library.read(area).content
            text_hash = hash_text(to_joplin(text, self._places)) if text.strip() else ""
        return Trace(
            key=area,
            type=int(kind),
            name=self._library.name(area),
            mark=self._library.mark(area),
            text_hash=text_hash,
        )

    def _resume(self, area: str) -> bool:
        """Give an area back to the row it belongs to: one that left, or a half-done upload."""
        kind = self._library.item_type(area)
        for row in self._records.items.gone_by_area(area):
            if row.type != kind:
                continue
            if row.reason == SUPPRESSED:
                return not self._has_news(area)
            if row.reason == VANISHED or (row.reason == DELETED and self._same(row, area)):
                self._bring_back(row, area)
                return True
        for item_id in self._records.items.dirty_ids():
            row_or_none = self._records.items.get(item_id)
            if row_or_none and row_or_none.area is None and self._is_unfinished(row_or_none, area):
                self._records.items.update(
                    item_id, place=Place.BOUND, area=area, name_used=self._library.name(area)
                )
                return True
        return False

    def _has_news(self, area: str) -> bool:
        """Tell whether a folder a client deleted holds a note again."""
        return any(kind is ItemType.NOTE for _, kind in self._library.walk(area))

    def _same(self, row: ItemRow, area: str) -> bool:
        return row.type == ItemType.NOTE and row.text_hash == self._trace(area).text_hash

    def _is_unfinished(self, row: ItemRow, area: str) -> bool:
        """Tell whether `area` is what an upload made before the process died (MODEL 2.2)."""
        item = decode_served(row.raw)
        if item.type != self._library.item_type(area) or item.type != ItemType.NOTE:
            return False
        if not item.body or self._ledger.placing.parent_of(item) != (parent_area(area) or ROOT):
            return False
        return hash_text(item.body) == self._trace(area).text_hash

    def _bring_back(self, row: ItemRow, area: str) -> None:
        updated_ms = written_here(self._records.now(), row.updated_ms)
        item = decode_served(row.raw).with_changes(updated_time=format_time(updated_ms))
        row = replace(
            row,
            place=Place.BOUND,
            reason="",
            area=area,
            raw=encode_served(item),
            updated_ms=updated_ms,
            trash_token=None,
        )
        self._records.save(row, announce=True)

    def _adopt_new(self, areas: Sequence[str]) -> None:
        """Make an item for each new area: ids first, since texts link to each other."""
        notes = [a for a in areas if self._library.item_type(a) is ItemType.NOTE]
        with self._records.transaction():
            for area in areas:
                if self._library.item_type(area) is ItemType.FOLDER and self._is_notebook(area):
                    self._folder(area)
            for area in notes:
                parent_id = self._folder(parent_area(area) or ROOT)
                self._make(area, ItemType.NOTE, parent_id)

    def _is_notebook(self, area: str) -> bool:
        """Tell whether people would call a folder one: it holds notes or nothing (MODEL 2.15)."""
        return self._has_news(area) or not self._library.holds_files(area)

    def _folder(self, area: str) -> str:
        """Return the id of the notebook `area` is, made with its ancestors if need be."""
        if area == ROOT:
            return self._ledger.placing.root_notebook()
        row = self._records.items.by_area(area)
        if row is not None:
            return row.id
        parent = parent_area(area) or ROOT
        parent_id = "" if parent == ROOT else self._folder(parent)
        for gone in self._records.items.gone_by_area(area):
            if gone.type == ItemType.FOLDER:
                self._bring_back(gone, area)
                return gone.id
        return self._make(area, ItemType.FOLDER, parent_id)

    def _make(self, area: str, kind: ItemType, parent_id: str) -> str:
        now_ms = int(self._records.now() * 1000)
        times = self._library.times(area)
        created_ms, updated_ms = (
            (min(int(t.timestamp() * 1000), now_ms) for t in times) if times else (now_ms, now_ms)
        )
        name = self._library.name(area)
        make = new_note if kind is ItemType.NOTE else new_folder
        item = make(
            self._records.new_id(),
            title=name,
            parent_id=parent_id,
            created_ms=min(created_ms, updated_ms),
            updated_ms=updated_ms,
        )
        row = ItemRow(
            id=item.id,
            type=int(kind),
            place=Place.BOUND,
            area=area,
            name_used=name,
            parent_id=parent_id,
            raw=encode_served(item),
            handle=self._library.mark(area),
            updated_ms=updated_ms,
        )
        return self._records.save(row, announce=True).id

    # One item

    def _check(self, area: str) -> None:
        """Compare one item with its area and take over what another program changed."""
        row = self._records.items.by_area(area)
        if row is None or row.place is not Place.BOUND or row.dirty:
            return
        if area == ROOT:
            return
        row = self._recognised(row, area)
        item = decode_served(row.raw)
        updated_ms = written_here(self._records.now(), row.updated_ms)
        parent = parent_area(area) or ROOT
        changes: dict[str, str] = {}
        name = self._library.name(area)
        title = item.title if row.name_used == name else name
        body, edited = item.body, title != item.title
        if self._ledger.placing.parent_of(item) != parent:
            is_top = parent == ROOT and row.type == ItemType.FOLDER
            changes["parent_id"] = "" if is_top else self._folder(parent)
        was_new = row.type == ItemType.NOTE and not row.text_hash
        if row.type == ItemType.NOTE:
            row, body = self._text(row, area, item.body or "", html=item.markup_language == HTML)
        if body != (item.body or "") and row.type == ItemType.NOTE:
            edited = True
            if not was_new:
                self._records.versions.add(row.id, row.raw, "outside", self._records.now())
                self._records.note_unoffered(row.id, row.updated_ms)
        if was_new and not changes and title == item.title:
            self._save_if_changed(replace(row, raw=encode_served(item.with_changes(body=body))))
            return
        if edited:
            changes["user_updated_time"] = format_time(updated_ms)
        if not edited and not changes:
            self._save_if_changed(replace(row, name_used=name))
            return
        changes["updated_time"] = format_time(updated_ms)
        item = item.with_changes(title=title, body=body, **changes)
        row = replace(
            row,
            raw=encode_served(item),
            name_used=name,
            parent_id=item.parent_id,
            updated_ms=updated_ms,
        )
        self._records.save(row, announce=True)
        log.info("item %s: changed outside", row.id)

    def _recognised(self, row: ItemRow, area: str) -> ItemRow:
        return replace(row, vanish_at=None, handle=self._library.mark(area))

    def _text(self, row: ItemRow, area: str, body: str, *, html: bool) -> tuple[ItemRow, str]:
        """Return the row with revision and hash of the note's text, and the body to serve."""
        if row.revision and row.revision == self._library.revision(area):
            return row, body
        text = self._library.read(area)
        present = to_joplin(text.content, self._places, html=html)
        if hash_text(present) == row.text_hash:
            present = body
        else:
            row = replace(row, text_hash=hash_text(present))
        return replace(row, revision=text.revision), present

    def _save_if_changed(self, row: ItemRow) -> None:
        if row != self._records.items.get(row.id):
            self._records.save(row, announce=False)

    # Orphans

    def _adopt_orphans(self) -> None:
        """Give a note whose notebook never came one that shows it (MODEL 2.5)."""
        now = self._records.now()
        for row in self._records.items.vanishing():
            if row.place is Place.KEPT and row.vanish_at is not None and row.vanish_at <= now:
                self._ledger.leave_missing_parent(row)
