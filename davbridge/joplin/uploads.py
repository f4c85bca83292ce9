"""What an upload or a removal by a client does, from the request's bytes to a durable row.

A 2xx is promised only after the row is committed; the repository follows at once (ledger).
"""

from __future__ import annotations

import logging
from dataclasses import replace

from davbridge.joplin.attachments import Attachments
from davbridge.joplin.clock import written_by_client, written_here
from davbridge.joplin.codec import check_readable, decode_served, decode_upload, encode_served
from davbridge.joplin.items import Item, ItemType, format_time
from davbridge.joplin.ledger import Ledger
from davbridge.joplin.library import Library
from davbridge.joplin.records import DELETED, Records
from davbridge.joplin.refusal import Refusal
from state import ItemRow, Place

log = logging.getLogger(__name__)

FUTURE_WARNING_MS = 10_000
"""A client whose clock is further ahead is worth a line in the log (PROTOCOL 5.4)."""


class Uploads:
    """Takes items from clients. All methods are called under the target's lock."""

    def __init__(
        self, records: Records, library: Library, attachments: Attachments, ledger: Ledger
    ) -> None:
        self._records = records
        self._library = library
        self._attachments = attachments
        self._ledger = ledger

    def accept(self, item_id: str, content: bytes) -> bool:
        """Store an uploaded item and bring the repository to it; return whether it is new.

        Raises `ItemError` for what no client could read; nothing is stored then. Every readable
        upload is accepted (PROTOCOL 1, rule 6).
        """
        item = decode_upload(content)
        check_readable(item, item_id)
        row = self._records.items.get(item_id)
        if row is not None and row.place is not Place.GONE:
            self._replace(row, item.completed_from(decode_served(row.raw)), content)
            return False
        self._create(row, item, content)
        return True

    def _create(self, gone: ItemRow | None, item: Item, content: bytes) -> None:
        row = gone or ItemRow(id=item.id, type=item.type, place=Place.KEPT)
        row = replace(row, place=Place.KEPT, reason="", area=None, name_used=None, text_hash="")
        self._store(row, item, content)

    def _replace(self, row: ItemRow, item: Item, content: bytes) -> None:
        current = decode_served(row.raw)
        if row.client_ms == item.updated_ms and _equal(current, item):
            return  # the same upload again, after a lost answer
        unseen = self._records.unoffered_since(row.id)
        known_ms = row.updated_ms if unseen is None else unseen
        is_plain = not (item.is_encrypted or current.is_encrypted)  # switching keeps the time
        if item.updated_ms < known_ms or (
            item.updated_ms == known_ms and is_plain and _differs(current, item)
        ):
            self._keep_newer(row, current, content)
            return
        if unseen is not None:
            self._save_unseen_text(row, current, item)
        replaced = row.raw if _differs(current, item) else None
        if current.title != item.title:
            row = replace(row, name_used=None)
        self._store(row, item, content, replaced=replaced)

    def _keep_newer(self, row: ItemRow, current: Item, content: bytes) -> None:
        """Answer an old upload with what is newer here ("re-upload local data", MODEL 2.7)."""
        updated_ms = written_here(self._records.now(), row.updated_ms)
        item = current.with_changes(updated_time=format_time(updated_ms))
        with self._records.transaction():
            self._records.versions.add(row.id, content, "older", self._records.now())
            self._records.save(
                replace(row, raw=encode_served(item), updated_ms=updated_ms), announce=True
            )
        log.info("item %s: an upload that is not newer was kept as a version", row.id)

    def _save_unseen_text(self, row: ItemRow, current: Item, item: Item) -> None:
        """Keep an outside edit that no client could have seen beside the upload (R-J-87)."""
        if row.place is not Place.BOUND or row.area is None or row.type != ItemType.NOTE:
            return
        if current.body == item.body:
            return
        self._ledger.texts.save_conflict(row, self._library.read(row.area).content)

    def _store(
        self, row: ItemRow, item: Item, content: bytes, *, replaced: bytes | None = None
    ) -> None:
        """Make upload and replaced text durable in one transaction, then reconcile."""
        now = self._records.now()
        updated_ms = written_by_client(now, item.updated_ms)
        if not item.has("created_time") and not item.is_encrypted:
            # An update without it ends the sync of every client that has the item (PROTOCOL 8).
            item = item.with_changes(created_time=format_time(updated_ms))
        if item.updated_ms - updated_ms > FUTURE_WARNING_MS:
            log.warning("item %s: the clock of the device that sent it is ahead", item.id)
        row = replace(
            row,
            type=item.type,
            raw=content if item.is_encrypted else encode_served(_at(item, updated_ms)),
            parent_id=item.parent_id,
            updated_ms=updated_ms,
            client_ms=item.updated_ms,
            dirty=True,
            fetched=True,
        )
        with self._records.transaction():
            if replaced is not None:
                self._records.versions.add(row.id, replaced, "replaced", now)
            self._records.save(row, announce=True)
        self._ledger.reconcile(item.id)

    def delete(self, item_id: str) -> bool:
        """Remove an item on a client's word; return whether there was one.

        Raises `Refusal` when the file cannot be moved to the trash now.
        """
        row = self._records.items.get(item_id)
        if row is None or row.place is Place.GONE:
            return False
        if row.type == ItemType.RESOURCE:
            self._attachments.delete(row)
        elif row.type == ItemType.FOLDER:
            self._delete_folder(row)
        else:
            self._delete_note(row)
        return True

    def _delete_folder(self, row: ItemRow) -> None:
        """Let a notebook go when it is empty; until then it stays listed (MODEL 2.11)."""
        if row.place is Place.KEPT or self._ledger.leaving.is_empty_notebook(row):
            self._ledger.leaving.finish_folder(row)
        else:
            self._ledger.leaving.mark_leaving(row)

    def _delete_note(self, row: ItemRow) -> None:
        token = row.trash_token
        if row.place is Place.BOUND and row.area is not None:
            try:
                token, _ = self._ledger.leaving.remove_area(row)
            except Refusal as refusal:
                if refusal.retryable:
                    raise
                self._refuse_removal(row, refusal)
                return
        self._records.let_go(row, DELETED, trash_token=token)
        self._ledger.leaving.after_leaving(row.parent_id)

    def _refuse_removal(self, row: ItemRow, refusal: Refusal) -> None:
        """Keep what must not be removed and list it anew, so that the client takes it back."""
        self._records.findings.add(row.id, "removal", str(refusal), self._records.now())
        self._records.save(self._ledger.as_repository_has_it(row), announce=True)


def _at(item: Item, updated_ms: int) -> Item:
    if item.updated_ms == updated_ms:
        return item
    return item.with_changes(updated_time=format_time(updated_ms))


def _differs(left: Item, right: Item) -> bool:
    """Tell whether two items differ in what a person wrote or arranged (R-J-90)."""
    return (left.title, left.body, left.parent_id) != (right.title, right.body, right.parent_id)


def _equal(served: Item, upload: Item) -> bool:
    """Tell whether an upload is what is served already, apart from the corrected time."""
    same_time = upload.with_changes(updated_time=served.get("updated_time"))
    return encode_served(same_time) == encode_served(served)
