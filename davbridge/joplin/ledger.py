"""What an item wants against what the repository holds: one idempotent `reconcile`.

An upload is stored first (`raw`, `dirty`) and reconciled then; the stored row is the redo log.
A crash anywhere is healed by reconciling again (MODEL, section 2). An item is *bound* to an area,
*kept* (served from `raw` while the repository does not hold it), or *gone*.
"""

from __future__ import annotations

import logging
from collections import deque
from dataclasses import replace

from adapters.contract import ROOT, parent_area
from davbridge.joplin.attachments import Attachments
from davbridge.joplin.clock import written_here
from davbridge.joplin.codec import decode_served, encode_served
from davbridge.joplin.items import ItemType, format_time
from davbridge.joplin.leaving import Leaving
from davbridge.joplin.library import Library
from davbridge.joplin.places import Places
from davbridge.joplin.placing import Placing
from davbridge.joplin.records import ENCRYPTED, OTHER_TYPE, REFUSED, UNREFERENCED, Records
from davbridge.joplin.refusal import Refusal
from davbridge.joplin.settings import ClientTrash, JoplinSettings
from davbridge.joplin.texts import Texts
from state import ItemRow, Place

log = logging.getLogger(__name__)


class Ledger:
    """Reconciles the items of one target. All methods are called under the target's lock."""

    def __init__(
        self,
        records: Records,
        library: Library,
        places: Places,
        attachments: Attachments,
        settings: JoplinSettings,
    ) -> None:
        self._records = records
        self._library = library
        self._attachments = attachments
        self._settings = settings
        self.texts = Texts(records, library, places, attachments)
        self.placing = Placing(records, library, places, self.texts, settings, self._wake)
        self.leaving = Leaving(records, library, self.reconcile)
        self._queue: deque[str] = deque()
        self._running = False

    def reconcile(self, item_id: str) -> None:
        """Bring the repository to what the item wants, then whatever waited for that.

        Does at most one move with rename, one replace or one add. Leaves `dirty` set when only
        time can help; raises `RepositoryUnavailable` when the repository as a whole is away.
        """
        self._queue.append(item_id)
        if self._running:
            return
        self._running = True
        try:
            while self._queue:
                self._reconcile_one(self._queue.popleft())
        finally:
            self._queue.clear()
            self._running = False

    def _reconcile_one(self, item_id: str) -> None:
        row = self._records.items.get(item_id)
        if row is None or row.place is Place.GONE:
            return
        item = decode_served(row.raw)
        try:
            if item.is_encrypted:
                self._keep_encrypted(row)
            elif item.type == ItemType.RESOURCE:
                self._settle_resource(row)
            elif item.type not in (ItemType.NOTE, ItemType.FOLDER):
                self._records.keep(row, OTHER_TYPE)
            elif item.deleted_ms and self._settings.client_trash is ClientTrash.MOVE:
                self.leaving.to_trash(row, item)
            else:
                self.placing.place(row, item)
        except Refusal as refusal:
            self._refused(item_id, refusal)

    def _keep_encrypted(self, row: ItemRow) -> None:
        """Serve cipher text as it came; a file the item has stays as it is (R-J-23)."""
        if row.reason != ENCRYPTED:
            log.warning("item %s: arrived encrypted; its file, if any, stays as it is", row.id)
            detail = "arrived encrypted: switch encryption off in Joplin"
            self._records.findings.add(row.id, ENCRYPTED, detail, self._records.now())
        self._records.keep(row, ENCRYPTED, area=row.area)

    def _settle_resource(self, row: ItemRow) -> None:
        if self._records.resources.get(row.id) is not None:
            self._records.save(replace(row, place=Place.BOUND, dirty=False), announce=False)
            return
        with self._records.transaction():
            self._records.keep(row, UNREFERENCED)
            if self._attachments.available(row.id):
                self._wake(row.id)

    def _wake(self, item_id: str) -> None:
        """Let those that wait for an item be reconciled, now or after a crash."""
        for waiting in self._records.waits.waiting_for(item_id):
            self._records.items.update(waiting, dirty=True)
            self._queue.append(waiting)

    def leave_missing_parent(self, row: ItemRow) -> None:
        """Give an item whose notebook never came a place where people see it (MODEL 2.5)."""
        item = decode_served(row.raw)
        notebook = self.placing.root_notebook() if item.type == ItemType.NOTE else ""
        self.placing.into_notebook(replace(row, vanish_at=None, dirty=True), item, notebook)
        self.reconcile(row.id)

    def _refused(self, item_id: str, refusal: Refusal) -> None:
        row = self._records.items.get(item_id)
        assert row is not None
        if refusal.retryable:
            log.warning("item %s: waits: %s", item_id, refusal)
            self._records.save(replace(row, dirty=True), announce=False)
            return
        log.warning("item %s: refused: %s", item_id, refusal)
        self._save_refused_text(row)
        now = self._records.now()
        with self._records.transaction():
            self._records.findings.add(item_id, REFUSED, str(refusal), now)
            if row.place is not Place.BOUND or row.area is None:
                self._records.keep(row, REFUSED)
                return
            self._records.versions.add(item_id, row.raw, REFUSED, now)
            self._records.save(self.as_repository_has_it(row), announce=True)

    def _save_refused_text(self, row: ItemRow) -> None:
        """Keep a text its file cannot take as a note beside it, else as a version (R-J-88)."""
        if row.place is not Place.BOUND or row.type != ItemType.NOTE:
            return
        item = decode_served(row.raw)
        if self.texts.body_of(row, item)[1] != item.body:
            self.texts.save_conflict(row, self.texts.wanted(item))

    def as_repository_has_it(self, row: ItemRow) -> ItemRow:
        """Return the row with the repository's title, place and text, as a change made here."""
        assert row.area is not None
        item = decode_served(row.raw)
        name = self._library.name(row.area)
        updated_ms = written_here(self._records.now(), row.updated_ms)
        changes: dict[str, str] = {"updated_time": format_time(updated_ms)}
        parent = self._records.items.by_area(parent_area(row.area) or ROOT)
        if self.placing.parent_of(item) != (parent_area(row.area) or ROOT):
            changes["parent_id"] = parent.id if parent else ""
        title = item.title if row.name_used == name else name
        body = item.body
        if item.type == ItemType.NOTE:
            row, body = self.texts.body_of(row, item)
        item = item.with_changes(title=title, body=body, **changes)
        return replace(
            row,
            raw=encode_served(item),
            name_used=name,
            parent_id=item.parent_id,
            updated_ms=updated_ms,
            dirty=False,
        )
