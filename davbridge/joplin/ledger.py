"""What an item wants against what the repository holds: one idempotent `reconcile`.

An upload is stored first (`raw`, `dirty`) and reconciled then; the stored row is the redo log.
A crash anywhere is healed by reconciling again (MODEL, section 2). An item is *bound* to an area,
*kept* (served from `raw` while the repository does not hold it), or *gone*.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Final

from adapters.contract import (
    ROOT,
    KnowledgeAreaKind,
    MutationFailure,
    MutationResult,
    parent_area,
)
from davbridge.joplin.adoption import Adoption
from davbridge.joplin.attachments import UNREFERENCED, Attachments
from davbridge.joplin.clock import written_here
from davbridge.joplin.codec import decode_served, encode_served
from davbridge.joplin.filenames import friendly_file_name, note_name_candidates
from davbridge.joplin.items import Item, ItemType, format_time, new_folder
from davbridge.joplin.library import Library, hash_text
from davbridge.joplin.links import from_joplin, linked_items, to_joplin
from davbridge.joplin.places import Places
from davbridge.joplin.records import SUPPRESSED, Records
from davbridge.joplin.settings import JoplinSettings
from state import ItemRow, Place

log = logging.getLogger(__name__)

ORPHANED: Final = "parent"
"""Reason of a kept row whose notebook is not here."""
TRASHED: Final = "trashed"
"""Reason of a kept row that lies in the client's trash."""
REFUSED: Final = "refused"
"""Reason of a kept row that the repository will never hold as it is."""
ENCRYPTED: Final = "encrypted"
"""Reason of a kept row whose text is cipher text; an area it had stays as it is."""
OTHER_TYPE: Final = "type"
"""Reason of a kept row that is neither note, notebook nor attachment."""
LEAVING: Final = "leaving"
"""Reason of a bound notebook a client removed while notes are still listed in it."""

LEAVING_SECONDS: Final = 60.0

HTML: Final = 2
_STALE_ATTEMPTS: Final = 3


class Refusal(Exception):
    """The repository refused a step; `retryable` says whether repeating it may help."""

    def __init__(self, result: MutationResult) -> None:
        super().__init__(f"{result.failure}: {result.detail}")
        self.failure = result.failure or MutationFailure.UNAVAILABLE

    @property
    def retryable(self) -> bool:
        """Tell whether the same step may succeed later."""
        return self.failure.is_retryable


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
        self._places = places
        self._attachments = attachments
        self._settings = settings
        self._adoption = Adoption(records, library, places)
        self._leaving: dict[str, float] = {}
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
                self._keep(row, ENCRYPTED, area=row.area)
            elif item.type == ItemType.RESOURCE:
                self._settle_resource(row)
            elif item.type not in (ItemType.NOTE, ItemType.FOLDER):
                self._keep(row, OTHER_TYPE)
            elif item.deleted_ms and self._settings.client_trash == "move":
                self._to_trash(row, item)
            else:
                self._place(row, item)
        except Refusal as refusal:
            self._refused(item_id, refusal)

    def _settle_resource(self, row: ItemRow) -> None:
        if self._records.resources.get(row.id) is not None:
            self._records.save(replace(row, place=Place.BOUND, dirty=False), announce=False)
            return
        with self._records.transaction():
            self._keep(row, UNREFERENCED)
            if self._attachments.available(row.id):
                self._wake(row.id)

    def _keep(
        self, row: ItemRow, reason: str, *, area: str | None = None, deadline: float | None = None
    ) -> None:
        kept = replace(
            row, place=Place.KEPT, reason=reason, area=area, vanish_at=deadline, dirty=False
        )
        self._records.save(kept, announce=False)

    def _wake(self, item_id: str) -> None:
        """Let those that wait for an item be reconciled, now or after a crash."""
        for waiting in self._records.waits.waiting_for(item_id):
            self._records.items.update(waiting, dirty=True)
            self._queue.append(waiting)

    # Placing a note or a notebook

    def _place(self, row: ItemRow, item: Item) -> None:
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
            row = self._write(row, item, parent)
        with self._records.transaction():
            self._bind(row, item)
            if not was_bound:
                self._wake(row.id)

    def _keep_orphan(self, row: ItemRow, item: Item) -> None:
        """Serve an item whose notebook is not here; it gets another after a while (MODEL 2.5)."""
        self._records.waits.set(row.id, {item.parent_id})
        deadline = row.vanish_at or self._records.now() + self._settings.orphan_grace
        self._keep(row, ORPHANED, deadline=deadline)

    def parent_of(self, item: Item) -> str | None:
        """Return the area of the item's notebook; `None` while that is not here."""
        if not item.parent_id:
            return ROOT
        parent = self._records.items.get(item.parent_id)
        if parent is None or parent.type != ItemType.FOLDER or parent.id == item.id:
            return None
        if parent.vanish_at is not None and self._library.item_type(parent.area or ROOT) is None:
            self._place(parent, decode_served(parent.raw))
            parent = self._records.items.get(item.parent_id)
        if parent is None or parent.place is not Place.BOUND:
            return None
        return parent.area

    def leave_missing_parent(self, row: ItemRow) -> None:
        """Give an item whose notebook never came a place where people see it (MODEL 2.5)."""
        item = decode_served(row.raw)
        notebook = self.root_notebook() if item.type == ItemType.NOTE else ""
        self._into_notebook(replace(row, vanish_at=None, dirty=True), item, notebook)
        self.reconcile(row.id)

    def _restored(self, row: ItemRow, item: Item) -> ItemRow | None:
        """Take the item's area back from the trash, if it went there."""
        if row.trash_token is None:
            return None
        result = self._library.try_restore(row.trash_token)
        row = replace(row, trash_token=None)
        if not result or result.area is None:
            log.info("item %s: not restored from the trash: %s", row.id, result.failure)
            return None
        self._apply(result)
        row = self._remember(row, result.area)
        fits = any(row.name_used == name for name in names_for(item))
        return row if fits else replace(row, name_used=None)

    def _add(self, row: ItemRow, item: Item, parent: str) -> ItemRow:
        kind = (
            KnowledgeAreaKind.CONTENT
            if item.type == ItemType.NOTE
            else KnowledgeAreaKind.STRUCTURAL
        )
        content = self._wanted_text(item) if item.type == ItemType.NOTE else ""
        result = MutationResult(ok=False)
        for name in names_for(item):
            result = self._library.repository.try_add_sub_area(parent, name, kind, content=content)
            if result.failure not in _NEXT_NAME:
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
            if result.failure not in _NEXT_NAME:
                break
        if not result or result.area is None:
            raise Refusal(result)
        self._apply(result)
        log.info("item %s: moved", row.id)
        return self._remember(replace(row, area=result.area), result.area)

    def _apply(self, result: MutationResult) -> None:
        """Follow areas and resource ids that a mutation changed (R-J-42, R-J-43)."""
        with self._records.transaction():
            if result.area_changes:
                self._records.items.rebase(
                    [(c.previous_area, c.current_area) for c in result.area_changes]
                )
            if result.resource_id_changes:
                self._records.resources.rebase(
                    [
                        (c.previous_resource_id, c.current_resource_id)
                        for c in result.resource_id_changes
                    ]
                )

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

    # The text of a note

    def _write(self, row: ItemRow, item: Item, parent: str | None) -> ItemRow:
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
                area, self._wanted_text(item), expected_revision=present.revision or None
            )
            if result:
                self._apply(result)
                log.info("item %s: text replaced", row.id)
                return self._read_back(row, html=html)
            if result.failure is not MutationFailure.STALE:
                raise Refusal(result)
        raise Refusal(MutationResult.refused(MutationFailure.STALE, "the text keeps changing"))

    def _read_back(self, row: ItemRow, *, html: bool) -> ItemRow:
        """Note what the repository made of a text, lest it pass for an outside edit (R-J-67)."""
        assert row.area is not None
        text = self._library.read(row.area)
        body = to_joplin(text.content, self._places, html=html)
        return replace(row, text_hash=hash_text(body), revision=text.revision)

    def _wanted_text(self, item: Item) -> str:
        return from_joplin(item.body or "", self._places, html=item.markup_language == HTML)

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
            if result.failure not in _NEXT_NAME:
                break
        if not result:
            self._records.versions.add(row.id, text.encode(), "conflict", self._records.now())
        log.info("item %s: conflict kept beside it", row.id)

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
            self._into_notebook(row, item, self.root_notebook())
            return
        self._records.save(row, announce=False)

    def _into_notebook(self, row: ItemRow, item: Item, notebook: str) -> None:
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

    # The client's trash

    def _to_trash(self, row: ItemRow, item: Item) -> None:
        """Move what the client put in its trash to the provider's trash; keep the item."""
        if row.area is None or row.place is not Place.BOUND:
            self._keep(row, TRASHED)
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
        self._leaving[row.id] = self._records.now()
        self._records.save(replace(row, reason=LEAVING, dirty=False), announce=False)

    def keep_unemptied(self) -> None:
        """List a removed notebook anew when notes are left in it for a while (R-J-82)."""
        now = self._records.now()
        for item_id in [i for i, since in self._leaving.items() if now - since > LEAVING_SECONDS]:
            del self._leaving[item_id]
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
            self.reconcile(parent.id)
        else:
            self.finish_folder(parent)

    def finish_folder(self, row: ItemRow) -> None:
        """Let a deleted, empty notebook go."""
        token, area = self.remove_area(row) if row.area else (None, None)
        reason = SUPPRESSED if area else "deleted"
        self._records.let_go(replace(row, area=area or row.area), reason, trash_token=token)
        self.after_leaving(row.parent_id)

    # Refusals

    def _refused(self, item_id: str, refusal: Refusal) -> None:
        row = self._records.items.get(item_id)
        assert row is not None
        if refusal.retryable:
            log.warning("item %s: waits: %s", item_id, refusal)
            self._records.save(replace(row, dirty=True), announce=False)
            return
        log.warning("item %s: refused: %s", item_id, refusal)
        now = self._records.now()
        with self._records.transaction():
            self._records.findings.add(item_id, REFUSED, str(refusal), now)
            if row.place is not Place.BOUND or row.area is None:
                self._keep(row, REFUSED)
                return
            self._records.versions.add(item_id, row.raw, REFUSED, now)
            self._records.save(self.as_repository_has_it(row), announce=True)

    def as_repository_has_it(self, row: ItemRow) -> ItemRow:
        """Return the row with the repository's title, place and text, as a change made here."""
        assert row.area is not None
        item = decode_served(row.raw)
        name = self._library.name(row.area)
        updated_ms = written_here(self._records.now(), row.updated_ms)
        changes: dict[str, str] = {"updated_time": format_time(updated_ms)}
        parent = self._records.items.by_area(parent_area(row.area) or ROOT)
        if self.parent_of(item) != (parent_area(row.area) or ROOT):
            changes["parent_id"] = parent.id if parent else ""
        title = item.title if row.name_used == name else name
        body, text_hash, revision = item.body, row.text_hash, row.revision
        if item.type == ItemType.NOTE:
            text = self._library.read(row.area)
            body = to_joplin(text.content, self._places, html=item.markup_language == HTML)
            text_hash, revision = hash_text(body), text.revision
        item = item.with_changes(title=title, body=body, **changes)
        return replace(
            row,
            raw=encode_served(item),
            name_used=name,
            parent_id=item.parent_id,
            text_hash=text_hash,
            revision=revision,
            updated_ms=updated_ms,
            dirty=False,
        )


_NEXT_NAME: Final = (MutationFailure.COLLISION, MutationFailure.INVALID_NAME)


def names_for(item: Item) -> Iterator[str]:
    """Yield names to try for an item's area, the title first (MODEL 2.6)."""
    yield from note_name_candidates(item.title or "", item.body or "")
    yield from note_name_candidates(friendly_file_name(item.title or ""))
    yield from note_name_candidates(item.id)
