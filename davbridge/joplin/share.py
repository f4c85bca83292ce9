"""The Joplin target as WsgiDAV sees it: paths to what `Target` keeps, and back."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, Final

from wsgidav.dav_provider import DAVCollection, DAVNonCollection

from adapters.contract import RepositoryUnavailable
from davbridge.dav import ReadyListing, Refusal, ShareProvider, SpooledBody, StoredUpload
from davbridge.joplin import refusal
from davbridge.joplin.identity import is_id
from davbridge.joplin.items import ItemError, is_item_name
from davbridge.joplin.listing import COLLECTIONS
from davbridge.joplin.settings import Encryption
from davbridge.joplin.sync_info import refuses_encryption
from davbridge.joplin.target import SYNC_INFO, ServedItem, Target
from state import OpaqueRow

_BLOCK: Final = 64 * 1024
_BLOBS: Final = ".resource"
_MEMORY_FILE: Final = 1024 * 1024
"""Bytes of the largest file that is neither item nor attachment: locks, time checks, info.json."""

TOO_LARGE: Final = (
    "The attachment is larger than this server accepts, so it stays on this device"
    " (reported as a network timeout)."
)
"""The words "network timeout" make the client skip this attachment and go on (FORMAT 3)."""

NO_ENCRYPTION: Final = (
    "End-to-end encryption is not supported here, because the notes are kept as plain files."
    " Please switch it off in Joplin's encryption settings and synchronise again."
)

Environ = dict[str, Any]


class JoplinShare(ShareProvider):
    """One Joplin sync target over WebDAV."""

    def __init__(self, target: Target) -> None:
        super().__init__(max_body=max(target.settings.max_upload, target.settings.max_attachment))
        self.target = target

    def get_resource_inst(self, path: str | None, environ: Environ) -> Any:
        """Return what lies at `path`, or `None`; WsgiDAV calls what is above the root `None`."""
        path = path or "/"
        name = path.strip("/")
        if not name or name in COLLECTIONS:
            return _Collection(f"/{name}", environ, self.target)
        item_id = is_item_name(name)
        if item_id is not None:
            is_probe = environ["REQUEST_METHOD"] == "PROPFIND"
            with _sentences():
                item = self.target.probe(item_id) if is_probe else self.target.item(item_id)
            return _Item(path, environ, self.target, item_id, item) if item else None
        blob_id = _blob_id(name)
        if blob_id is not None:
            known = self.target.has_blob(blob_id)
            return _Blob(path, environ, self.target, blob_id) if known else None
        row = self.target.opaque(name)
        return _Opaque(path, environ, self.target, row) if row else None

    def ready_listing(
        self,
        path: str,
        environ: Environ,  # noqa: ARG002 - for shares with more than one listing
    ) -> ReadyListing | None:
        """Return the flat listing for the root; the other collections go WsgiDAV's way."""
        if path.strip("/"):
            return None
        with _sentences():
            body = self.target.listing().body
        return ReadyListing(length=len(body), blocks=_blocks(body))

    def check_upload(self, path: str, length: int | None) -> None:
        """Refuse what is too large before it is read."""
        settings, name = self.target.settings, path.strip("/")
        if _blob_id(name) is not None:
            if length is not None and length > settings.max_attachment:
                raise Refusal(403, TOO_LARGE, close=True)
        elif length is not None:
            limit = settings.max_upload if is_item_name(name) else _MEMORY_FILE
            if length > limit:
                raise Refusal(413, f"The upload is larger than {limit} bytes.", close=True)

    def store_upload(
        self,
        path: str,
        body: SpooledBody,
        environ: Environ,  # noqa: ARG002 - Joplin says nothing in headers
    ) -> StoredUpload:
        """Store an item, a blob or any other file a client keeps in the target."""
        name = path.strip("/")
        self.check_upload(path, body.length)
        item_id, blob_id = is_item_name(name), _blob_id(name)
        with _sentences():
            if item_id is not None:
                return StoredUpload(created=self.target.store_item(item_id, body.read()))
            if blob_id is not None:
                is_new = self.target.store_blob(blob_id, body.file, body.path)
                return StoredUpload(created=is_new)
            return StoredUpload(created=self._store_opaque(name, body.read()))

    def _store_opaque(self, name: str, content: bytes) -> bool:
        stem, dot, ending = name.partition(".")
        if "/" not in name and len(stem) == 32 and dot and ending == "md":
            raise Refusal(400, f"{name} is not the name of an item: 32 hexadecimal digits and .md.")
        if name.startswith(f"{_BLOBS}/"):
            raise Refusal(400, "The name of an attachment is its id: 32 hexadecimal digits.")
        refuses = self.target.settings.encryption is Encryption.REFUSE
        if name == SYNC_INFO and refuses_encryption(content) and refuses:
            raise Refusal(403, NO_ENCRYPTION)
        return self.target.store_opaque(name, content)


def _blob_id(name: str) -> str | None:
    folder, _, blob_id = name.partition("/")
    return blob_id.lower() if folder == _BLOBS and is_id(blob_id.lower()) else None


def _blocks(body: bytes) -> Iterator[bytes]:
    view = memoryview(body)
    for start in range(0, len(body), _BLOCK):
        yield bytes(view[start : start + _BLOCK])


@contextmanager
def _sentences() -> Iterator[None]:
    """Turn what a target refuses into an answer that a person can act on."""
    try:
        yield
    except ItemError as error:
        raise Refusal(400, str(error)) from error
    except refusal.Refusal as error:
        sentence = "The note's file is in use at the moment; please try again."
        raise Refusal(503, sentence, retry_after=10) from error
    except RepositoryUnavailable as error:
        sentence = f"The notes cannot be reached at the moment: {error.reason}."
        raise Refusal(503, sentence, retry_after=error.retry_after or 10) from error


class _Collection(DAVCollection):  # type: ignore[misc]  # WsgiDAV is untyped
    """The root, or one of the fixed collections below it; they always exist."""

    def __init__(self, path: str, environ: Environ, target: Target) -> None:
        super().__init__(path, environ)
        self._target = target

    def get_member_names(self) -> list[str]:
        name = self.path.strip("/")
        return self._target.opaque_names(name) if name else list(COLLECTIONS)

    def get_last_modified(self) -> int:
        return self._target.latest_s

    def create_collection(self, name: str) -> None:  # noqa: ARG002 - WsgiDAV's signature
        raise Refusal(403, "A sync target holds no folders but its own.")

    def handle_delete(self) -> bool:
        raise Refusal(403, "The folders of a sync target cannot be removed.")

    def handle_copy(self, dest_path: str, *, depth_infinity: bool) -> bool:  # noqa: ARG002
        raise Refusal(403, "The folders of a sync target cannot be copied.")

    def handle_move(self, dest_path: str) -> bool:  # noqa: ARG002
        raise Refusal(403, "The folders of a sync target cannot be moved.")


class _File(DAVNonCollection):  # type: ignore[misc]  # WsgiDAV is untyped
    """What all files of a target have in common."""

    def __init__(self, path: str, environ: Environ, target: Target) -> None:
        super().__init__(path, environ)
        self._target = target

    def get_content_type(self) -> str:
        return "application/octet-stream"

    def support_etag(self) -> bool:
        return True

    def support_ranges(self) -> bool:
        return True

    def handle_copy(self, dest_path: str, *, depth_infinity: bool) -> bool:  # noqa: ARG002
        raise Refusal(403, "Files of a sync target cannot be copied.")

    def handle_move(self, dest_path: str) -> bool:  # noqa: ARG002
        raise Refusal(403, "Files of a sync target cannot be moved.")


class _Item(_File):
    """A note, a notebook, an attachment's description, or any other item."""

    def __init__(
        self, path: str, environ: Environ, target: Target, item_id: str, item: ServedItem
    ) -> None:
        super().__init__(path, environ, target)
        self._id = item_id
        self._item = item

    def get_content_type(self) -> str:
        return "text/markdown; charset=utf-8"

    def get_content_length(self) -> int:
        return len(self._item.content)

    def get_last_modified(self) -> int:
        return self._item.listed_s

    def get_etag(self) -> str:
        return hashlib.blake2b(self._item.content, digest_size=16).hexdigest()

    def get_content(self) -> BinaryIO:
        self._target.note_fetched(self._id)
        return io.BytesIO(self._item.content)

    def handle_delete(self) -> bool:
        with _sentences():
            self._target.delete_item(self._id)
        return True


class _Blob(_File):
    """The bytes of an attachment."""

    def __init__(self, path: str, environ: Environ, target: Target, item_id: str) -> None:
        super().__init__(path, environ, target)
        self._id = item_id

    def get_content_length(self) -> int:
        with _sentences():
            length = self._target.blob_length(self._id)
        if length is None:
            raise Refusal(404)
        return length

    def get_last_modified(self) -> None:
        return None

    def get_etag(self) -> None:
        return None

    def support_etag(self) -> bool:
        return False

    def get_content(self) -> BinaryIO:
        with _sentences():
            stream = self._target.open_blob(self._id)
        if stream is None:
            raise Refusal(404)
        return stream

    def handle_delete(self) -> bool:
        with _sentences():
            self._target.delete_blob(self._id)
        return True


class _Opaque(_File):
    """A file that is kept as it came."""

    def __init__(self, path: str, environ: Environ, target: Target, row: OpaqueRow) -> None:
        super().__init__(path, environ, target)
        self._row = row

    def get_content_length(self) -> int:
        return self._row.size

    def get_last_modified(self) -> int:
        return int(self._row.mtime)

    def get_etag(self) -> str:
        return f"{self._row.sha256[:32]}-{int(self._row.mtime)}"

    def get_content(self) -> BinaryIO:
        return self._target.open_opaque(self._row.path)

    def handle_delete(self) -> bool:
        if self._row.path == SYNC_INFO:
            raise Refusal(
                403, "info.json cannot be removed; clients would take the target as lost."
            )
        self._target.delete_opaque(self._row.path)
        return True
