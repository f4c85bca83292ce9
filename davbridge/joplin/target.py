"""A sync target: what every name a Joplin client knows means, whatever carries the requests.

`<id>.md` is an item, `.resource/<id>` a blob, `info.json` the sync information; what lies in
the other collections (`COLLECTIONS`) is kept as it came and never touches the repository.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Final

from adapters.contract import KnowledgeRepository, RepositoryUnavailable
from davbridge.joplin.attachments import Attachments, blob_path
from davbridge.joplin.items import ItemType
from davbridge.joplin.ledger import Ledger
from davbridge.joplin.library import Library
from davbridge.joplin.listing import Listing, Snapshot
from davbridge.joplin.opening import find_target
from davbridge.joplin.places import Places
from davbridge.joplin.projection import Progress, Projection
from davbridge.joplin.records import Records
from davbridge.joplin.settings import JoplinSettings
from davbridge.joplin.sync_info import initial_sync_info
from davbridge.joplin.uploads import Uploads
from state import OpaqueRow, Place, StateStore

log = logging.getLogger(__name__)

SYNC_INFO: Final = "info.json"
_REFRESH_SECONDS: Final = 1.0
_CLEANING_SECONDS: Final = 3600.0
_DAY: Final = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much a target holds."""

    notebooks: int
    notes: int
    attachments: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedItem:
    """An item as a client gets it; `listed_s` is its time in the listing."""

    content: bytes
    listed_s: int


class Target:
    """One Joplin sync target over one repository. May be used from any thread."""

    def __init__(
        self, records: Records, library: Library, projection: Projection, ledger: Ledger,
        attachments: Attachments, *, settings: JoplinSettings,
    ) -> None:  # fmt: skip
        self.settings = settings
        self._records = records
        self._library = library
        self._projection = projection
        self._ledger = ledger
        self._attachments = attachments
        self._uploads = Uploads(records, library, attachments, ledger)
        self._down: RepositoryUnavailable | None = None
        self._stop = threading.Event()
        self._refresher = threading.Thread(target=self._keep_fresh, name="refresh", daemon=True)
        self._next_cleaning = 0.0
        for item_id, listed_s in records.items.listed():
            records.listing.show(item_id, listed_s)
        if records.opaque.get(SYNC_INFO) is None:
            records.opaque.put(SYNC_INFO, initial_sync_info(), records.now())
        self._show_sync_info()

    # Life

    def index(self, progress: Progress | None = None) -> Counts:
        """Take in the whole repository, then finish what an earlier run left half done."""
        with self._records.lock:
            self._refresh(progress)
            for item_id in self._records.items.dirty_ids():
                self._ledger.reconcile(item_id)
        return self.counts()

    def counts(self) -> Counts:
        """Return how much the target holds now."""
        found = self._records.items.counts()
        return Counts(
            notebooks=found.get(ItemType.FOLDER, 0),
            notes=found.get(ItemType.NOTE, 0),
            attachments=found.get(ItemType.RESOURCE, 0),
        )

    def start(self) -> None:
        """Begin to take in outside changes as they happen."""
        self._refresher.start()

    def close(self) -> None:
        """Stop in the background; requests must have ended."""
        self._stop.set()
        if self._refresher.is_alive():
            self._refresher.join()
        self._records.close()

    def _keep_fresh(self) -> None:
        while not self._stop.is_set():
            try:
                changes = self._library.changes
                if changes is None or self._records.cursor is None or self._down is not None:
                    self._stop.wait(_REFRESH_SECONDS)
                else:
                    changes.wait(self._records.cursor, _REFRESH_SECONDS)
                self.tend()
            except RepositoryUnavailable:
                continue
            except Exception:
                log.exception("taking in outside changes failed")
                self._stop.wait(_REFRESH_SECONDS)

    def tend(self) -> None:
        """Do what is due without a request: outside changes, waiting uploads, old versions."""
        self._records.flush_fetched()
        with self._records.lock:
            self._refresh()
            for item_id in self._records.items.dirty_ids():
                self._ledger.reconcile(item_id)
            now = self._records.now()
            if now >= self._next_cleaning:
                self._next_cleaning = now + _CLEANING_SECONDS
                self._records.versions.purge(now - self.settings.versions_days * _DAY)

    def _refresh(self, progress: Progress | None = None) -> None:
        try:
            self._projection.refresh(progress)
        except RepositoryUnavailable as error:
            if self._down is None:
                log.warning("the notes cannot be reached: %s", error.reason)
            self._down = error
            raise
        if self._down is not None:
            log.info("the notes can be reached again")
        self._down = None

    def _refresh_if_free(self) -> None:
        """Take in outside changes unless somebody is at it; then the last state is served."""
        if self._records.lock.acquire(blocking=False):
            try:
                self._refresh()
            finally:
                self._records.lock.release()
        elif self._down is not None:
            raise self._down

    def _check_reachable(self) -> None:
        """Raise `RepositoryUnavailable` rather than serve what may be wrong by now."""
        if self._down is not None:
            self._refresh_if_free()
        self._library.check_reachable()

    # Items

    def listing(self) -> Snapshot:
        """Return the flat listing. Raises `RepositoryUnavailable`; never a partial listing."""
        self._refresh_if_free()
        snapshot = self._records.listing.snapshot()
        self._records.note_offered(snapshot.generation)
        return snapshot

    def probe(self, item_id: str) -> ServedItem | None:
        """Return an item for a client that is about to upload its own version of it.

        Outside edits are taken in first, so that the client notices a conflict itself.
        """
        self._refresh_if_free()
        return self.item(item_id)

    def item(self, item_id: str) -> ServedItem | None:
        """Return an item as clients see it, or `None`."""
        self._check_reachable()
        found = self._records.items.raw(item_id)
        return ServedItem(content=found[0], listed_s=found[1]) if found else None

    def note_fetched(self, item_id: str) -> None:
        """Remember that a client got the item."""
        self._records.note_fetched(item_id)

    def store_item(self, item_id: str, content: bytes) -> bool:
        """Store an upload durably; return whether the item is new. Raises `ItemError`."""
        with self._records.lock:
            self._refresh()
            return self._uploads.accept(item_id, content)

    def delete_item(self, item_id: str) -> bool:
        """Remove an item on a client's word; return whether there was one."""
        with self._records.lock:
            self._refresh()
            return self._uploads.delete(item_id)

    # Blobs

    def has_blob(self, item_id: str) -> bool:
        """Tell whether a client may ask for this blob; costs no reading."""
        row = self._records.items.get(item_id)
        known = row is not None and row.type == ItemType.RESOURCE and row.place is not Place.GONE
        return known or self._records.opaque.get(blob_path(item_id)) is not None

    def blob_length(self, item_id: str) -> int | None:
        """Return a blob's length in bytes, or `None` for an unknown one."""
        self._check_reachable()
        return self._attachments.blob_length(item_id)

    def open_blob(self, item_id: str) -> BinaryIO | None:
        """Open a blob, or return `None` for an unknown one."""
        self._check_reachable()
        return self._attachments.open_blob(item_id)

    def store_blob(self, item_id: str, content: BinaryIO, file: Path | None) -> bool:
        """Store a blob durably; return whether it is new. `file` holds the content if on disk."""
        with self._records.lock:
            self._refresh()
            is_new = not self.has_blob(item_id)
            self._attachments.receive_blob(item_id, content, file)
            self._ledger.reconcile(item_id)
            return is_new

    def delete_blob(self, item_id: str) -> bool:
        """Forget a blob that waits for a note; one a note shows goes with its item."""
        with self._records.lock:
            row = self._records.items.get(item_id)
            if row is not None and row.place is not Place.GONE:
                return self._uploads.delete(item_id)
            return self._records.opaque.remove(blob_path(item_id))

    # Everything else

    def opaque(self, path: str) -> OpaqueRow | None:
        """Return the facts of a file that is kept as it came."""
        return self._records.opaque.get(path)

    def opaque_names(self, collection: str) -> list[str]:
        """Return the names of the files in one of the collections."""
        prefix = f"{collection}/"
        return [row.path.removeprefix(prefix) for row in self._records.opaque.list(prefix)]

    def open_opaque(self, path: str) -> BinaryIO:
        """Open a file that is kept as it came."""
        return self._records.opaque.open(path)

    def store_opaque(self, path: str, content: bytes) -> bool:
        """Store a file as it comes; return whether it is new."""
        is_new = self._records.opaque.get(path) is None
        self._records.opaque.put(path, content, self._records.now())
        if path == SYNC_INFO:
            self._show_sync_info()
        return is_new

    def _show_sync_info(self) -> None:
        row = self._records.opaque.get(SYNC_INFO)
        if row is not None:
            self._records.listing.show_file(SYNC_INFO, int(row.mtime))

    @property
    def latest_s(self) -> int:
        """The latest time in the listing, in seconds since 1970."""
        return self._records.listing.latest_s

    def delete_opaque(self, path: str) -> bool:
        """Forget a file; return whether there was one."""
        return self._records.opaque.remove(path)


def open_target(
    repository: KnowledgeRepository,
    store: StateStore,
    *,
    settings: JoplinSettings,
    repository_key: str,
    root: tuple[int, int] | None,
    now: Callable[[], float],
) -> Target:
    """Open the target of `repository` at `settings.path`; `root` is its (device, inode)."""
    library = Library(repository)
    row = find_target(
        store, library, base_path=settings.path, repository_key=repository_key, root=root
    )
    records = Records(store, row, Listing(settings.path), now)
    attachments = Attachments(records, library)
    places = Places(records, library, attachments.item_for)
    ledger = Ledger(records, library, places, attachments, settings)
    projection = Projection(records, library, places, attachments, ledger, settings)
    return Target(records, library, projection, ledger, attachments, settings=settings)
