"""A share of files in a dict, to show what the shell around every share does."""

from __future__ import annotations

import hashlib
import io
import threading
import time
from collections.abc import Iterator
from typing import Any, BinaryIO

from wsgidav.dav_provider import DAVCollection, DAVNonCollection

from davbridge.dav import ReadyListing, Refusal, ShareProvider, SpooledBody, StoredUpload


class MemoryShare(ShareProvider):
    """Files by path; `failure` is raised by whatever is asked next of the share."""

    def __init__(self, *, max_body: int = 32 * 1024 * 1024) -> None:
        super().__init__(max_body=max_body)
        self.files: dict[str, bytes] = {}
        self.folders = {"/"}
        self.failure: Exception | None = None
        self.listing: list[bytes] | None = None
        self.breaks_off = False
        self.entered = threading.Event()
        self.gate = threading.Event()
        self.gate.set()

    def get_resource_inst(self, path: str, environ: dict[str, Any]) -> Any:
        self.fail()
        path = path.rstrip("/") or "/"
        if path in self.folders:
            return MemoryFolder(path, environ, self)
        return MemoryFile(path, environ, self) if path in self.files else None

    def store_upload(self, path: str, body: SpooledBody, environ: dict[str, Any]) -> StoredUpload:
        self.entered.set()
        self.gate.wait()
        created = path not in self.files
        self.files[path] = body.read()
        return StoredUpload(created=created, etag=etag(self.files[path]))

    def ready_listing(self, path: str, environ: dict[str, Any]) -> ReadyListing | None:
        if self.listing is None or path != "/":
            return None
        return ReadyListing(length=sum(map(len, self.listing)), blocks=self.blocks())

    def blocks(self) -> Iterator[bytes]:
        assert self.listing is not None
        for block in self.listing:
            yield block
            if self.breaks_off:
                raise ValueError("the source is gone")

    def fail(self) -> None:
        if self.failure is not None:
            raise self.failure


def etag(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


class MemoryFolder(DAVCollection):
    def __init__(self, path: str, environ: dict[str, Any], share: MemoryShare) -> None:
        super().__init__(path, environ)
        self.share = share

    def get_member_names(self) -> list[str]:
        prefix = "/" if self.path == "/" else f"{self.path}/"
        below = [path for path in [*self.folders_and_files()] if path.startswith(prefix)]
        return sorted(path[len(prefix) :] for path in below if "/" not in path[len(prefix) :])

    def folders_and_files(self) -> list[str]:
        return [path for path in (*self.share.folders, *self.share.files) if path != "/"]

    def get_member(self, name: str) -> Any:
        return self.share.get_resource_inst(f"{self.path.rstrip('/')}/{name}", self.environ)

    def create_collection(self, name: str) -> None:
        self.share.folders.add(f"{self.path.rstrip('/')}/{name}")

    def handle_delete(self) -> bool:
        raise Refusal(403, "A folder stays.")


class MemoryFile(DAVNonCollection):
    def __init__(self, path: str, environ: dict[str, Any], share: MemoryShare) -> None:
        super().__init__(path, environ)
        self.share = share

    @property
    def content(self) -> bytes:
        return self.share.files[self.path]

    def get_content_length(self) -> int:
        return len(self.content)

    def get_content_type(self) -> str:
        return "text/markdown"

    def get_last_modified(self) -> float:
        if self.path.endswith("/unreadable.md"):
            raise OSError(5, "input/output error", "/srv/secret/unreadable.md")
        return time.time()

    def support_modified(self) -> bool:
        return True

    def get_etag(self) -> str:
        return etag(self.content)

    def support_etag(self) -> bool:
        return True

    def support_ranges(self) -> bool:
        return True

    def get_content(self) -> BinaryIO:
        return io.BytesIO(self.content)

    def handle_delete(self) -> bool:
        del self.share.files[self.path]
        return True
