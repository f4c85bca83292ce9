"""Areas that no item stands for: items that left and are back, half-done uploads, new notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from adapters.contract import ROOT, parent_area
from davbridge.joplin.clock import written_here
from davbridge.joplin.codec import decode_served, encode_served
from davbridge.joplin.identity import Trace
from davbridge.joplin.items import ItemType, format_time, new_folder, new_note
from davbridge.joplin.library import Library, hash_text
from davbridge.joplin.links import to_joplin
from davbridge.joplin.places import Places
from davbridge.joplin.placing import Placing
from davbridge.joplin.records import DELETED, SUPPRESSED, VANISHED, Records
from state import ItemRow, Place


class Discovery:
    """Explains areas without an item. Called under the target's lock."""

    def __init__(
        self, records: Records, library: Library, places: Places, placing: Placing
    ) -> None:
        self._records = records
        self._library = library
        self._places = places
        self._placing = placing

    def trace(self, area: str) -> Trace:
        """Return what an area is recognised by after a rename."""
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

    def resume(self, area: str) -> bool:
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
        return row.type == ItemType.NOTE and row.text_hash == self.trace(area).text_hash

    def _is_unfinished(self, row: ItemRow, area: str) -> bool:
        """Tell whether `area` is what an upload made before the process died (MODEL 2.2)."""
        item = decode_served(row.raw)
        if item.type != self._library.item_type(area) or item.type != ItemType.NOTE:
            return False
        if not item.body or self._placing.parent_of(item) != (parent_area(area) or ROOT):
            return False
        return hash_text(item.body) == self.trace(area).text_hash

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

    def make_items(self, areas: Sequence[str]) -> None:
        """Make an item for each new area: ids first, since texts link to each other."""
        notes = [a for a in areas if self._library.item_type(a) is ItemType.NOTE]
        with self._records.transaction():
            for area in areas:
                if self._library.item_type(area) is ItemType.FOLDER and self._is_notebook(area):
                    self.folder(area)
            for area in notes:
                parent_id = self.folder(parent_area(area) or ROOT)
                self._make(area, ItemType.NOTE, parent_id)

    def _is_notebook(self, area: str) -> bool:
        """Tell whether people would call a folder one: it holds notes or nothing (MODEL 2.15)."""
        return self._has_news(area) or not self._library.holds_files(area)

    def folder(self, area: str) -> str:
        """Return the id of the notebook `area` is, made with its ancestors if need be."""
        if area == ROOT:
            return self._placing.root_notebook()
        row = self._records.items.by_area(area)
        if row is not None:
            return row.id
        parent = parent_area(area) or ROOT
        parent_id = "" if parent == ROOT else self.folder(parent)
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
        # A note is announced with its text (`Comparison`): never empty first.
        return self._records.save(row, announce=kind is ItemType.FOLDER).id
