"""Attachments: a resource of the repository is one item and one blob of the target.

A client sends the blob first, then the metadata, and the note that shows it may have come
before both. The bytes wait in the state store until a note needs them; from then on the
repository holds them, and the blob is read from there (R-J-70..75).
"""

from __future__ import annotations

import io
import logging
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from adapters.contract import (
    KnowledgeResourceInfo,
    MutationResult,
    RepositoryUnavailable,
    ResourceNotFound,
)
from davbridge.joplin.clock import written_here
from davbridge.joplin.codec import decode_served, encode_served
from davbridge.joplin.filenames import resource_file_name
from davbridge.joplin.items import Item, ItemType, format_time, new_resource
from davbridge.joplin.library import Library
from davbridge.joplin.records import DELETED, UPLOADED, Records
from state import ItemRow, Place, ResourceRow

log = logging.getLogger(__name__)


def blob_path(item_id: str) -> str:
    """Return where a blob waits among the opaque files."""
    return f".resource/{item_id}"


class Attachments:
    """The resources of one target. Changes happen under the target's lock."""

    def __init__(self, records: Records, library: Library) -> None:
        self._records = records
        self._library = library

    # From the repository

    def item_for(self, resource_id: str) -> str | None:
        """Return the item of a resource; the first note that shows it makes the item (R-J-70)."""
        known = self._records.resources.by_resource(resource_id)
        if known is not None:
            return known.id
        try:
            info = self._library.repository.get_resource(resource_id)
        except ResourceNotFound:
            return None
        return self._project(info)

    def _project(self, info: KnowledgeResourceInfo) -> str:
        records, now_ms = self._records, int(self._records.now() * 1000)
        item = new_resource(
            records.new_id(),
            title=info.file_name,
            mime=info.content_type,
            file_extension=PurePosixPath(info.file_name).suffix.removeprefix("."),
            size=info.length,
            created_ms=now_ms,
            updated_ms=now_ms,
        )
        row = ItemRow(
            id=item.id,
            type=ItemType.RESOURCE,
            place=Place.BOUND,
            raw=encode_served(item),
            updated_ms=now_ms,
        )
        with records.transaction():
            records.save(row, announce=True)
            records.resources.put(_resource_row(item.id, info))
        return item.id

    def check(self, resource_id: str, *, vanish_grace: float) -> None:
        """Compare one mapped resource with the repository (R-J-73, R-J-75)."""
        known = self._records.resources.by_resource(resource_id)
        row = self._records.items.get(known.id) if known else None
        if known is None or row is None:
            return
        try:
            info = self._library.repository.get_resource(resource_id)
        except ResourceNotFound:
            if row.place is Place.BOUND and row.vanish_at is None:
                vanish_at = self._records.now() + vanish_grace
                self._records.save(replace(row, vanish_at=vanish_at), announce=False)
            return
        changed = _resource_row(known.id, info) != known
        if row.place is Place.GONE and (row.reason == DELETED and not changed):
            return
        came_back = row.place is Place.GONE
        if changed or came_back or row.vanish_at is not None:
            self._refresh(row, info, restamp=changed or came_back)

    def _refresh(self, row: ItemRow, info: KnowledgeResourceInfo, *, restamp: bool) -> None:
        row = replace(row, place=Place.BOUND, vanish_at=None)
        with self._records.transaction():
            if restamp:
                updated_ms = written_here(self._records.now(), row.updated_ms)
                item = decode_served(row.raw).with_changes(
                    size=str(info.length),
                    updated_time=format_time(updated_ms),
                    user_updated_time=format_time(updated_ms),
                    blob_updated_time=str(updated_ms),
                )
                row = replace(row, raw=encode_served(item), updated_ms=updated_ms)
                self._records.resources.put(_resource_row(row.id, info))
            self._records.save(row, announce=restamp)

    # From clients

    def available(self, item_id: str) -> bool:
        """Tell whether an uploaded attachment is complete and waits for a note."""
        row = self._records.items.get(item_id)
        return (
            row is not None
            and row.type == ItemType.RESOURCE
            and row.place is Place.KEPT
            and self._records.opaque.get(blob_path(item_id)) is not None
        )

    def place(self, area: str, item_id: str) -> MutationResult:
        """Give the bytes of an uploaded attachment to the repository, for the note `area`."""
        row = self._records.items.get(item_id)
        assert row is not None
        item = decode_served(row.raw)
        name = resource_file_name(
            title=item.title or "",
            filename=item.get("filename"),
            file_extension=item.get("file_extension"),
            mime=item.get("mime"),
            item_id=item_id,
        )
        with self._records.opaque.open(blob_path(item_id)) as stream:
            result = self._add(area, name or f".{item.get('file_extension')}", item, stream)
        if result and result.resource_id is not None:
            info = self._library.repository.get_resource(result.resource_id)
            with self._records.transaction():
                self._records.resources.put(_resource_row(item_id, info))
                bound = replace(row, place=Place.BOUND, reason=UPLOADED, dirty=False)
                self._records.save(bound, announce=False)
                self._records.opaque.remove(blob_path(item_id))
            log.info("attachment %s: stored as %s", item_id, result.resource_id)
        return result

    def _add(self, area: str, name: str, item: Item, stream: BinaryIO) -> MutationResult:
        if self._library.streams is not None:
            return self._library.streams.try_add_resource_stream(
                area, name, item.get("mime"), stream
            )
        return self._library.repository.try_add_resource(
            area, name, item.get("mime"), stream.read()
        )

    def receive_blob(self, item_id: str, content: BinaryIO, file: Path | None) -> None:
        """Take uploaded bytes: for the repository if it has the attachment, else to wait.

        Equal bytes change nothing (R-J-72). When the repository cannot take them for good, they
        are kept as a finding's evidence and the repository's bytes stay.
        """
        known = self._records.resources.get(item_id)
        if known is None:
            waiting = file if file is not None else content.read()
            self._records.opaque.put(blob_path(item_id), waiting, self._records.now())
            return
        if self._same_bytes(known.resource_id, content):
            return
        content.seek(0)
        result = self._exchange(known.resource_id, self._mime(item_id), content)
        if result:
            info = self._library.repository.get_resource(known.resource_id)
            self._records.resources.put(_resource_row(item_id, info))
            log.info("attachment %s: replaced", item_id)
        elif result.failure is not None and result.failure.is_retryable:
            raise RepositoryUnavailable(result.detail or "the attachment's file is in use")
        else:
            detail = result.detail or str(result.failure)
            self._records.findings.add(item_id, "attachment", detail, self._records.now())

    def _exchange(self, resource_id: str, mime: str, content: BinaryIO) -> MutationResult:
        if self._library.streams is not None:
            return self._library.streams.try_replace_resource_stream(resource_id, mime, content)
        return self._library.repository.try_replace_resource(resource_id, mime, content.read())

    def _mime(self, item_id: str) -> str:
        row = self._records.items.get(item_id)
        return decode_served(row.raw).get("mime") if row and row.raw else ""

    def _same_bytes(self, resource_id: str, content: BinaryIO) -> bool:
        try:
            with self._open(resource_id) as present:
                while True:
                    left, right = content.read(1 << 20), present.read(1 << 20)
                    if left != right:
                        return False
                    if not left:
                        return True
        except ResourceNotFound:
            return False

    # Blobs for clients

    def blob_length(self, item_id: str) -> int | None:
        """Return a blob's length in bytes; `None` when there is no such attachment.

        Raises `RepositoryUnavailable` while a listed attachment cannot be read: a client would
        store the page of a 404 as the attachment (PROTOCOL 7, FORMAT 3).
        """
        row = self._records.items.get(item_id)
        if row is not None and row.place is Place.GONE:
            return None
        known = self._records.resources.get(item_id)
        if known is not None:
            try:
                return self._library.repository.get_resource(known.resource_id).length
            except ResourceNotFound as error:
                raise RepositoryUnavailable("the attachment's file is not there") from error
        waiting = self._records.opaque.get(blob_path(item_id))
        if waiting is not None:
            return waiting.size
        if row is not None:
            raise RepositoryUnavailable("the attachment has not arrived yet")
        return None

    def open_blob(self, item_id: str) -> BinaryIO | None:
        """Open a blob; `None` when there is no such attachment. Raises as `blob_length` does."""
        if self.blob_length(item_id) is None:
            return None
        known = self._records.resources.get(item_id)
        if known is None:
            return self._records.opaque.open(blob_path(item_id))
        try:
            return self._open(known.resource_id)
        except ResourceNotFound as error:
            raise RepositoryUnavailable("the attachment's file is not there") from error

    def _open(self, resource_id: str) -> BinaryIO:
        if self._library.streams is not None:
            return self._library.streams.open_resource(resource_id)
        return io.BytesIO(self._library.repository.get_resource_content(resource_id))

    def delete(self, row: ItemRow) -> None:
        """Let an attachment go; bytes a client brought go to the trash unless still shown.

        A file that was there before any client stays: only its item goes (R-J-84).
        """
        known = self._records.resources.get(row.id)
        token = None
        if known is not None and row.reason == UPLOADED:
            token = self._library.try_trash_resource(known.resource_id).trash_token
        with self._records.transaction():
            self._records.let_go(row, DELETED, trash_token=token)
            self._records.opaque.remove(blob_path(row.id))


def _resource_row(item_id: str, info: KnowledgeResourceInfo) -> ResourceRow:
    return ResourceRow(
        id=item_id,
        resource_id=info.resource_id,
        revision=info.revision or str(info.length),
        size=info.length,
    )
