"""The text of a note: what the item says, brought to the repository, and back from it."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from adapters.contract import KnowledgeAreaKind, MutationFailure, MutationResult, parent_area
from davbridge.joplin.attachments import Attachments
from davbridge.joplin.filenames import note_name_candidates
from davbridge.joplin.items import Item, format_time
from davbridge.joplin.library import Library, hash_text
from davbridge.joplin.links import from_joplin, linked_items, to_joplin
from davbridge.joplin.places import Places
from davbridge.joplin.records import Records
from davbridge.joplin.refusal import NEXT_NAME, Refusal
from state import ItemRow

log = logging.getLogger(__name__)

HTML: Final = 2
"""The `markup_language` of a note whose body is HTML (MODEL 2.14)."""
_STALE_ATTEMPTS: Final = 3


class Texts:
    """Reads and writes the texts of bound notes. Called under the target's lock."""

    def __init__(
        self, records: Records, library: Library, places: Places, attachments: Attachments
    ) -> None:
        self._records = records
        self._library = library
        self._places = places
        self._attachments = attachments

    def body_of(self, row: ItemRow, item: Item) -> tuple[ItemRow, str]:
        """Return the row with revision and hash of its area's text, and that text as a body."""
        assert row.area is not None
        text = self._library.read(row.area)
        body = to_joplin(text.content, self._places, html=item.markup_language == HTML)
        return replace(row, text_hash=hash_text(body), revision=text.revision), body

    def wanted(self, item: Item) -> str:
        """Return the item's body as the repository is to hold it."""
        return from_joplin(item.body or "", self._places, html=item.markup_language == HTML)

    def write(self, row: ItemRow, item: Item, parent: str | None) -> ItemRow:
        """Bring the note's text and attachments to what the item says; return the row."""
        area, html = row.area, item.markup_language == HTML
        assert area is not None
        needs = set(self._attach(area, item))
        if parent is None:
            needs.add(item.parent_id)
        self._records.waits.set(row.id, needs)
        for _ in range(_STALE_ATTEMPTS):
            present = self._library.read(area)
            body = to_joplin(present.content, self._places, html=html)
            settled = from_joplin(present.content, self._places, html=html) == present.content
            if body == (item.body or "") and settled:
                return replace(row, text_hash=hash_text(body), revision=present.revision)
            if row.text_hash and row.text_hash != hash_text(body):
                self.save_conflict(row, present.content)
                row = replace(row, text_hash=hash_text(body))
            result = self._library.repository.try_replace(
                area, self.wanted(item), expected_revision=present.revision or None
            )
            if result:
                self._records.follow(result)
                log.info("item %s: text replaced", row.id)
                return self.body_of(row, item)[0]  # lest it pass for an outside edit (R-J-67)
            if result.failure is not MutationFailure.STALE:
                raise Refusal(result)
        raise Refusal(MutationResult.refused(MutationFailure.STALE, "the text keeps changing"))

    def _attach(self, area: str, item: Item) -> Iterator[str]:
        """Place the attachments the note shows; yield the ids that are not here yet."""
        for linked in linked_items(item.body or "", html=item.markup_language == HTML):
            if self._places.target_for_item(linked, "") is not None:
                continue
            if self._attachments.available(linked):
                result = self._attachments.place(area, linked)
                if result:
                    continue
                self._records.findings.add(
                    linked, "attachment", result.detail or str(result.failure), self._records.now()
                )
            yield linked

    def save_conflict(self, row: ItemRow, text: str) -> None:
        """Save a text no client has seen as a note of its own beside the item (R-J-87)."""
        assert row.area is not None
        parent = parent_area(row.area)
        if parent is None:
            return
        stamp = format_time(int(self._records.now() * 1000))[:19].replace("T", " ")
        title = f"{self._library.name(row.area)} (conflict {stamp.replace(':', '.')})"
        for name in note_name_candidates(title):
            result = self._library.repository.try_add_sub_area(
                parent, name, KnowledgeAreaKind.CONTENT, content=text
            )
            if result.failure not in NEXT_NAME:
                break
        if not result:
            self._records.versions.add(row.id, text.encode(), "conflict", self._records.now())
        log.info("item %s: conflict kept beside it", row.id)
