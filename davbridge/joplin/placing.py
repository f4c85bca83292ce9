"""Where a note or a notebook belongs: adding, moving and renaming its area."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from itertools import chain

from adapters.contract import ROOT, KnowledgeAreaKind, MutationResult, parent_area
from davbridge.joplin.adoption import Adoption
from davbridge.joplin.clock import written_here
from davbridge.joplin.codec import decode_served, encode_served
from davbridge.joplin.items import Item, ItemType, format_time, new_folder
from davbridge.joplin.library import Library
from davbridge.joplin.places import Places
from davbridge.joplin.records import ORPHANED, Records
from davbridge.joplin.refusal import NEXT_NAME, Refusal, names_for
from davbridge.joplin.settings import JoplinSettings
from davbridge.joplin.texts import Texts
from state import ItemRow, Place

log = logging.getLogger(__name__)


class Placing:
    """Brings an item's area to where the item says. Called under the target's lock."""

    def __init__(
        self,
        records: Records,
        library: Library,
        places: Places,
        texts: Texts,
        settings: JoplinSettings,
        wake: Callable[[str], None],
    ) -> None:
        """`wake` lets those that wait for an item be reconciled."""
        self._records = records
        self._library = library
        self._texts = texts
        self._settings = settings
        self._adoption = Adoption(records, library, places)
        self._wake = wake

    def place(self, row: ItemRow, item: Item) -> None:
        """Do at most one add or one move with rename, then bring the text (MODEL 2.2)."""
        parent = self.parent_of(item)
        if row.area is not None and self._library.item_type(row.area) is None:
            row = replace(row, place=Place.KEPT, area=None, name_used=None)
        was_bound = row.place is Place.BOUND
        if row.area is None:
            if parent is None:
                self._keep_orphan(row, item)
                return
            row = (
                self._restored(row, item)
                or self._adoption.adopt(row, item, parent)
                or self._add(row, item, parent)
            )
            item = decode_served(row.raw)
        if parent is not None:
            row = self._move(row, item, parent)
        if item.type == ItemType.NOTE:
            row = self._texts.write(row, item, parent)
        with self._records.transaction():
            self._bind(row, item)
            if not was_bound:
                self._wake(row.id)

    def _keep_orphan(self, row: ItemRow, item: Item) -> None:
        """Serve an item whose notebook is not here; it gets another after a while (MODEL 2.5)."""
        self._records.waits.set(row.id, {item.parent_id})
        deadline = row.vanish_at or self._records.now() + self._settings.orphan_grace
        self._records.keep(row, ORPHANED, deadline=deadline)

    def parent_of(self, item: Item) -> str | None:
        """Return the area of the item's notebook; `None` while that is not here."""
        if not item.parent_id:
            return ROOT
        parent = self._records.items.get(item.parent_id)
        if parent is None or parent.type != ItemType.FOLDER or parent.id == item.id:
            return None
        if parent.vanish_at is not None and self._library.item_type(parent.area or ROOT) is None:
            self.place(parent, decode_served(parent.raw))
            parent = self._records.items.get(item.parent_id)
        if parent is None or parent.place is not Place.BOUND:
            return None
        return parent.area

    def _restored(self, row: ItemRow, item: Item) -> ItemRow | None:
        """Take the item's area back from the trash, if it went there."""
        if row.trash_token is None:
            return None
        result = self._library.try_restore(row.trash_token)
        row = replace(row, trash_token=None)
        if not result or result.area is None:
            log.info("item %s: not restored from the trash: %s", row.id, result.failure)
            return None
        self._records.follow(result)
        row = self._remember(row, result.area)
        fits = any(row.name_used == name for name in names_for(item))
        return row if fits else replace(row, name_used=None)

    def _add(self, row: ItemRow, item: Item, parent: str) -> ItemRow:
        kind = (
            KnowledgeAreaKind.CONTENT
            if item.type == ItemType.NOTE
            else KnowledgeAreaKind.STRUCTURAL
        )
        content = self._texts.wanted(item) if item.type == ItemType.NOTE else ""
        result = MutationResult(ok=False)
        for name in names_for(item):
            result = self._library.repository.try_add_sub_area(parent, name, kind, content=content)
            if result.failure not in NEXT_NAME:
                break
        if not result or result.area is None:
            raise Refusal(result)
        log.info("item %s: added", row.id)
        return self._remember(row, result.area)

    def _move(self, row: ItemRow, item: Item, parent: str) -> ItemRow:
        """Move and rename the area in one step where the item says so."""
        assert row.area is not None
        if row.area == ROOT:
            return row
        moves = parent_area(row.area) != parent
        if not moves and row.name_used is not None:
            return row
        result = MutationResult(ok=False)
        for name in chain([row.name_used] if row.name_used else [], names_for(item)):
            result = (
                self._library.repository.try_move_content(row.area, parent, new_name=name)
                if moves
                else self._library.repository.try_rename(row.area, name)
            )
            if result.failure not in NEXT_NAME:
                break
        if not result or result.area is None:
            raise Refusal(result)
        self._records.follow(result)
        log.info("item %s: moved", row.id)
        return self._remember(replace(row, area=result.area), result.area)

    def _remember(self, row: ItemRow, area: str) -> ItemRow:
        """Note at once where the item is, so that a crash after this step finds it."""
        row = replace(
            row,
            place=Place.BOUND,
            reason="",
            area=area,
            name_used=self._library.name(area),
            handle=self._library.mark(area),
            trash_token=None,
            vanish_at=None,
            dirty=True,
        )
        return self._records.save(row, announce=False)

    def _bind(self, row: ItemRow, item: Item) -> None:
        """Record that repository and item agree."""
        assert row.area is not None
        row = replace(
            row,
            place=Place.BOUND,
            reason="",
            name_used=self._library.name(row.area),
            handle=self._library.mark(row.area),
            parent_id=item.parent_id,
            vanish_at=None,
            dirty=False,
        )
        if item.type == ItemType.NOTE and not item.parent_id:
            self.into_notebook(row, item, self.root_notebook())
            return
        self._records.save(row, announce=False)

    def into_notebook(self, row: ItemRow, item: Item, notebook: str) -> None:
        """Give a note without a notebook the one that shows it; clients would hide it."""
        updated_ms = written_here(self._records.now(), row.updated_ms)
        item = item.with_changes(parent_id=notebook, updated_time=format_time(updated_ms))
        self._records.save(
            replace(row, raw=encode_served(item), parent_id=notebook, updated_ms=updated_ms),
            announce=True,
        )

    def root_notebook(self) -> str:
        """Return the id of the notebook that shows the root's documents, made if need be."""
        row = self._records.items.by_area(ROOT)
        if row is not None:
            return row.id
        now_ms = int(self._records.now() * 1000)
        gone = [r for r in self._records.items.gone_by_area(ROOT) if r.type == ItemType.FOLDER]
        name = self._library.name(ROOT)
        if gone:
            updated_ms = written_here(self._records.now(), gone[0].updated_ms)
            item = decode_served(gone[0].raw).with_changes(updated_time=format_time(updated_ms))
            row = replace(gone[0], raw=encode_served(item), updated_ms=updated_ms)
        else:
            item = new_folder(
                self._records.new_id(), title=name, created_ms=now_ms, updated_ms=now_ms
            )
            row = ItemRow(
                id=item.id,
                type=ItemType.FOLDER,
                place=Place.BOUND,
                raw=encode_served(item),
                updated_ms=now_ms,
            )
        row = replace(row, place=Place.BOUND, reason="", area=ROOT, name_used=name)
        return self._records.save(row, announce=True).id
