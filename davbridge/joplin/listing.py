"""The flat listing of a target, kept ready: one fragment of XML an item.

A request costs a look at a flag and one body; a change costs one fragment. The fragments are
what a depth-1 `PROPFIND` of the root needs: `href`, `getlastmodified`, `resourcetype`.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from email.utils import formatdate
from functools import lru_cache
from typing import Final
from urllib.parse import quote

COLLECTIONS: Final = (".lock", ".resource", ".sync", "locks", "temp")

_HEAD: Final = b'<?xml version="1.0" encoding="utf-8"?>\n<D:multistatus xmlns:D="DAV:">'
_TAIL: Final = b"</D:multistatus>"
_OK: Final = "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"


@lru_cache(maxsize=64)
def _http_date(seconds: int) -> str:
    return formatdate(seconds, usegmt=True)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A whole listing as it stood at `generation`."""

    body: bytes
    generation: int


class Listing:
    """All items with their listing times. May be used from any thread."""

    def __init__(self, base_path: str) -> None:
        self._base = quote(base_path.rstrip("/") + "/")
        self._fragments: dict[str, bytes] = {}
        self._files: dict[str, bytes] = {}
        self._snapshot: Snapshot | None = None
        self.latest_s = 0
        self._guard = threading.Lock()
        self.generation = 0

    def show(self, item_id: str, listed_s: int) -> None:
        """List an item with a time; one that was listed moves to the end."""
        fragment = self._file(f"{item_id}.md", listed_s)
        with self._guard:
            self._fragments.pop(item_id, None)
            self._fragments[item_id] = fragment
            self.latest_s = max(self.latest_s, listed_s)
            self._changed()

    def show_file(self, name: str, modified_s: int) -> None:
        """List a file that is no item."""
        with self._guard:
            self._files[name] = self._file(name, modified_s)
            self._changed()

    def hide(self, item_id: str) -> None:
        """Take an item out."""
        with self._guard:
            if self._fragments.pop(item_id, None) is not None:
                self._changed()

    def snapshot(self) -> Snapshot:
        """Return the listing as it stands; callers share one body."""
        with self._guard:
            if self._snapshot is None:
                head = [self._collection(""), *map(self._collection, COLLECTIONS)]
                files = [*self._files.values(), *self._fragments.values()]
                body = b"".join([_HEAD, *head, *files, _TAIL])
                self._snapshot = Snapshot(body, self.generation)
            return self._snapshot

    def __len__(self) -> int:
        return len(self._fragments)

    def _changed(self) -> None:
        self.generation += 1
        self._snapshot = None

    def _file(self, name: str, modified_s: int) -> bytes:
        date = _http_date(modified_s)
        return (
            f"<D:response><D:href>{self._base}{name}</D:href><D:propstat><D:prop>"
            f"<D:getlastmodified>{date}</D:getlastmodified><D:resourcetype/></D:prop>{_OK}"
        ).encode()

    def _collection(self, name: str) -> bytes:
        href = f"{self._base}{name}/" if name else self._base
        return (
            f"<D:response><D:href>{href}</D:href><D:propstat><D:prop>"
            f"<D:getlastmodified>{_http_date(self.latest_s)}</D:getlastmodified>"
            f"<D:resourcetype><D:collection/></D:resourcetype></D:prop>{_OK}"
        ).encode()
