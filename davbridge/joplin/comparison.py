"""One item against its area: what another program changed becomes a change of the item."""

from __future__ import annotations

import logging
from dataclasses import replace

from adapters.contract import ROOT, parent_area
from davbridge.joplin.clock import written_here
from davbridge.joplin.codec import decode_served, encode_served
from davbridge.joplin.discovery import Discovery
from davbridge.joplin.items import Item, ItemType, format_time
from davbridge.joplin.library import Library
from davbridge.joplin.placing import Placing
from davbridge.joplin.records import Records
from davbridge.joplin.texts import Texts
from state import ItemRow, Place

log = logging.getLogger(__name__)


class Comparison:
    """Takes outside changes of known areas over. Called under the target's lock."""

    def __init__(
        self, records: Records, library: Library, texts: Texts, placing: Placing,
        discovery: Discovery,
    ) -> None:  # fmt: skip
        self._records = records
        self._library = library
        self._texts = texts
        self._placing = placing
        self._discovery = discovery

    def check(self, area: str) -> None:
        """Compare the item of `area`, if it has one, and restamp it if it shows a change."""
        row = self._records.items.by_area(area)
        if row is None or row.place is not Place.BOUND or row.dirty or area == ROOT:
            return
        known = row
        row = replace(row, vanish_at=None, handle=self._library.mark(area))
        item = decode_served(row.raw)
        row, item, is_new = self._with_text(row, item)
        title, changes = self._renamed(row, item, area)
        edited = title != item.title or item.body != decode_served(known.raw).body
        if is_new or not (edited or changes):
            row = replace(row, name_used=self._library.name(area), raw=encode_served(item))
            if row != known:
                self._records.save(row, announce=is_new)
            return
        updated_ms = written_here(self._records.now(), row.updated_ms)
        changes["updated_time"] = format_time(updated_ms)
        if edited:
            changes["user_updated_time"] = format_time(updated_ms)
        item = item.with_changes(title=title, **changes)
        with self._records.transaction():
            if item.body != decode_served(known.raw).body:
                self._records.versions.add(row.id, known.raw, "outside", self._records.now())
                self._records.note_unoffered(row.id, known.updated_ms)
            self._records.save(
                replace(
                    row,
                    raw=encode_served(item),
                    name_used=self._library.name(area),
                    parent_id=item.parent_id,
                    updated_ms=updated_ms,
                ),
                announce=True,
            )
        log.info("item %s: changed outside", row.id)

    def _with_text(self, row: ItemRow, item: Item) -> tuple[ItemRow, Item, bool]:
        """Return row and item with the area's text; whether this is the first time it is read.

        What the repository made of an upload is no change (R-J-67): then the body stays.
        """
        if row.type != ItemType.NOTE or row.area is None:
            return row, item, False
        if row.revision and row.revision == self._library.revision(row.area):
            return row, item, False
        is_new, known_hash = not row.text_hash, row.text_hash
        row, body = self._texts.body_of(row, item)
        return row, item if row.text_hash == known_hash else item.with_changes(body=body), is_new

    def _renamed(self, row: ItemRow, item: Item, area: str) -> tuple[str | None, dict[str, str]]:
        """Return the title to show, and the new notebook if the area is in another one."""
        name, parent = self._library.name(area), parent_area(area) or ROOT
        title = item.title if row.name_used == name else name
        if self._placing.parent_of(item) == parent:
            return title, {}
        is_top = parent == ROOT and row.type == ItemType.FOLDER
        return title, {"parent_id": "" if is_top else self._discovery.folder(parent)}
