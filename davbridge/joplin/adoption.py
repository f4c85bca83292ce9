"""Taking over what is here already: a device that holds the same notes syncs for the first time.

An upload whose place, title and text equal an area that no client has fetched yet is that area;
it keeps the uploaded id, and nothing is there twice (MODEL 2.13). The file's text stays: front
matter and link targets, which an import drops or rewrites, do not count.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from adapters.contract import ROOT
from adapters.markdown import parse
from davbridge.joplin.clock import written_here
from davbridge.joplin.codec import decode_served, encode_served
from davbridge.joplin.filenames import friendly_file_name, note_name_candidates
from davbridge.joplin.items import Item, ItemType, format_time
from davbridge.joplin.library import Library, hash_text
from davbridge.joplin.links import (
    RESOURCE_SCHEME,
    destinations,
    linked_items,
    to_joplin,
    without_targets,
)
from davbridge.joplin.places import Places
from davbridge.joplin.records import Records
from state import ItemRow, Place

log = logging.getLogger(__name__)

_NAMES: Final = 4


class Adoption:
    """Finds the area an upload already has. Called under the target's lock."""

    def __init__(self, records: Records, library: Library, places: Places) -> None:
        self._records = records
        self._library = library
        self._places = places

    def adopt(self, row: ItemRow, item: Item, parent: str) -> ItemRow | None:
        """Return `row` bound to an area that is the upload already, or `None`."""
        for twin in self._twins(item, parent):
            if self._records.is_fetched(twin) or twin.area is None:
                continue
            if item.type == ItemType.FOLDER:
                return self._take_over(row, twin)
            text = self._library.read(twin.area)
            if same_text(text.content, item.body or ""):
                self._adopt_attachments(item.body or "", text.content)
                return self._merge(self._take_over(row, twin), item)
        return None

    def _twins(self, item: Item, parent: str) -> Iterator[ItemRow]:
        """Yield generated rows that stand where the upload belongs, under its name."""
        title = item.title or ""
        names = {friendly_file_name(title), *islice(note_name_candidates(title), _NAMES)}
        holder = self._records.items.by_area(parent)
        parents = {holder.id} if holder else set()
        if parent == ROOT:
            parents.add("")
        if item.type == ItemType.FOLDER and parent == ROOT and self._library.name(ROOT) in names:
            root = self._records.items.by_area(ROOT)
            if root is not None and root.client_ms == 0:
                yield root
        yield from self._records.items.adoptable(parents, int(item.type), names)

    def _take_over(self, row: ItemRow, twin: ItemRow) -> ItemRow:
        assert twin.area is not None
        with self._records.transaction():
            for child in self._records.items.children(twin.id):
                self._give_parent(child.id, row.id)
            self._records.forget(twin.id)
            row = replace(
                row,
                place=Place.BOUND,
                area=twin.area,
                name_used=twin.name_used,
                handle=twin.handle,
                text_hash=twin.text_hash,
                revision=twin.revision,
            )
            row = self._records.save(row, announce=False)
        log.info("item %s: is the area that was %s", row.id, twin.id)
        return row

    def _give_parent(self, child_id: str, parent_id: str) -> None:
        child = self._records.items.get(child_id)
        assert child is not None
        updated_ms = written_here(self._records.now(), child.updated_ms)
        item = decode_served(child.raw).with_changes(
            parent_id=parent_id, updated_time=format_time(updated_ms)
        )
        self._records.save(
            replace(child, raw=encode_served(item), parent_id=parent_id, updated_ms=updated_ms),
            announce=True,
        )

    def _merge(self, row: ItemRow, item: Item) -> ItemRow:
        """Give the item the file's text, which is the truth, if that says more."""
        assert row.area is not None
        text = self._library.read(row.area)
        body = to_joplin(text.content, self._places)
        row = replace(row, text_hash=hash_text(body), revision=text.revision)
        if body == (item.body or ""):
            return self._records.save(row, announce=False)
        updated_ms = written_here(self._records.now(), row.updated_ms)
        item = item.with_changes(body=body, updated_time=format_time(updated_ms))
        row = replace(row, raw=encode_served(item), updated_ms=updated_ms)
        return self._records.save(row, announce=True)

    def _adopt_attachments(self, body: str, text: str) -> None:
        """Let attachments the upload names take over those the file shows in the same places."""
        theirs = [d for d in destinations(body) if d.startswith(":/")]
        ours = [d for d in destinations(text) if d.startswith("knowledge-")]
        if len(theirs) != len(ours):
            return
        for link, target in zip(theirs, ours, strict=True):
            ids = linked_items(f"[]({link})")
            if target.startswith(RESOURCE_SCHEME) and ids:
                self._take_attachment(ids[0], target.removeprefix(RESOURCE_SCHEME))

    def _take_attachment(self, item_id: str, resource_id: str) -> None:
        known = self._records.resources.by_resource(resource_id)
        twin = self._records.items.get(known.id) if known else None
        if known is None or twin is None or known.id == item_id or self._records.is_fetched(twin):
            return
        if self._records.resources.get(item_id) is not None:
            return
        with self._records.transaction():
            uploaded = self._records.items.get(item_id)
            if uploaded is None:
                renamed = decode_served(twin.raw).with_changes(id=item_id)
                uploaded = replace(twin, id=item_id, raw=encode_served(renamed))
            self._records.forget(twin.id)
            self._records.resources.rekey(twin.id, item_id)
            self._records.save(replace(uploaded, place=Place.BOUND, reason=""), announce=True)
            for note_id in self._records.items.mentioning(f":/{twin.id}"):
                self._exchange(note_id, twin.id, item_id)

    def _exchange(self, note_id: str, previous: str, current: str) -> None:
        note = self._records.items.get(note_id)
        assert note is not None
        item = decode_served(note.raw)
        body = (item.body or "").replace(f":/{previous}", f":/{current}")
        updated_ms = written_here(self._records.now(), note.updated_ms)
        item = item.with_changes(body=body, updated_time=format_time(updated_ms))
        self._records.save(
            replace(
                note, raw=encode_served(item), text_hash=hash_text(body), updated_ms=updated_ms
            ),
            announce=True,
        )


def same_text(text: str, body: str) -> bool:
    """Tell whether two texts are equal apart from front matter, link targets and outer blanks."""
    return _essence(text) == _essence(body)


def _essence(text: str) -> str:
    front = parse(text).front_matter
    rest = text[front[1] :] if front else text
    return without_targets(rest.replace("\r\n", "\n")).strip()
