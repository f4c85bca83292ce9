"""Removal of notes and notebooks: the client's trash, and notebooks that outlive their notes."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from adapters.contract import ROOT, MutationFailure
from davbridge.joplin.clock import written_here
from davbridge.joplin.codec import decode_served, encode_served
from davbridge.joplin.items import Item, ItemType, format_time
from davbridge.joplin.library import Library
from davbridge.joplin.records import DELETED, LEAVING, SUPPRESSED, TRASHED, Records
from davbridge.joplin.refusal import Refusal
from state import ItemRow, Place

log = logging.getLogger(__name__)

LEAVING_SECONDS: Final = 60.0
"""How long a removed notebook waits for the removal of its notes before it is listed anew."""


class Leaving:
    """Takes areas out of the repository. Called under the target's lock."""

    def __init__(
        self, records: Records, library: Library, reconcile: Callable[[str], None]
    ) -> None:
        self._records = records
        self._library = library
        self._reconcile = reconcile
        self._since: dict[str, float] = {}

    def to_trash(self, row: ItemRow, item: Item) -> None:
        """Move what the client put in its trash to the provider's trash; keep the item."""
        if row.area is None or row.place is not Place.BOUND:
            self._records.keep(row, TRASHED)
            return
        if item.type == ItemType.FOLDER and not self.is_empty_notebook(row):
            self.mark_leaving(row)
            return
        token, area = self.remove_area(row)
        self._records.save(
            replace(
                row,
                place=Place.KEPT,
                reason=TRASHED,
                area=area,
                trash_token=token,
                vanish_at=None,
                dirty=False,
            ),
            announce=False,
        )
        log.info("item %s: in the trash", row.id)
        self.after_leaving(row.parent_id)

    def mark_leaving(self, row: ItemRow) -> None:
        """Keep a notebook listed that a client removed, until its notes are gone (MODEL 2.11)."""
        self._since[row.id] = self._records.now()
        self._records.save(replace(row, reason=LEAVING, dirty=False), announce=False)

    def keep_unemptied(self) -> None:
        """List a removed notebook anew when notes are left in it for a while (R-J-82)."""
        now = self._records.now()
        for item_id in [i for i, since in self._since.items() if now - since > LEAVING_SECONDS]:
            del self._since[item_id]
            row = self._records.items.get(item_id)
            if row is None or row.place is Place.GONE or row.reason != LEAVING:
                continue
            updated_ms = written_here(now, row.updated_ms)
            item = decode_served(row.raw).with_changes(
                deleted_time="0", updated_time=format_time(updated_ms)
            )
            row = replace(row, raw=encode_served(item), updated_ms=updated_ms, reason="")
            self._records.save(row, announce=True)

    def is_empty_notebook(self, row: ItemRow) -> bool:
        """Tell whether no item that is not in the trash is listed in a notebook."""
        children = self._records.items.children(row.id)
        return all(child.place is Place.KEPT and child.reason == TRASHED for child in children)

    def remove_area(self, row: ItemRow) -> tuple[str | None, str | None]:
        """Trash the item's area; return (trash token, area that stays on disk).

        A notebook's folder stays when something unprojected is left in it (R-J-82).
        """
        assert row.area is not None
        if row.area == ROOT or self._library.item_type(row.area) is None:
            return None, None
        if row.type == ItemType.FOLDER and self._library.holds_files(row.area):
            return None, row.area
        result = self._library.try_trash(row.area)
        if result:
            return result.trash_token, None
        if result.failure is MutationFailure.NOT_FOUND:
            return None, None
        raise Refusal(result)

    def after_leaving(self, parent_id: str) -> None:
        """Finish the removal of a notebook once nothing is left in it."""
        parent = self._records.items.get(parent_id) if parent_id else None
        if parent is None or parent.reason != LEAVING or not self.is_empty_notebook(parent):
            return
        if decode_served(parent.raw).deleted_ms:
            self._reconcile(parent.id)
        else:
            self.finish_folder(parent)

    def finish_folder(self, row: ItemRow) -> None:
        """Let a deleted, empty notebook go."""
        token, area = self.remove_area(row) if row.area else (None, None)
        reason = SUPPRESSED if area else DELETED
        self._records.let_go(replace(row, area=area or row.area), reason, trash_token=token)
        self.after_leaving(row.parent_id)
