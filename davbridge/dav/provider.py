"""What a share is to davbridge: a WsgiDAV provider that takes an upload whole, or not at all."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from wsgidav.dav_provider import DAVProvider

from davbridge.dav.spool import SpooledBody

MAX_BODY: Final = 200 * 1024 * 1024
"""Bytes of the largest upload, unless a share says otherwise (R-J-15)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredUpload:
    """What became of an upload. `etag` is without quotes."""

    created: bool
    etag: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadyListing:
    """A whole multistatus document, ready to be sent: `length` bytes in `blocks`.

    Blocks of about 64 KiB are best; `blocks` is closed after use if it can be.
    """

    length: int
    blocks: Iterable[bytes]


class PropertyRequest(NamedTuple):
    """What a PROPFIND asks for: `names` in Clark notation, `None` for all properties."""

    names: tuple[str, ...] | None
    names_only: bool = False


class ShareProvider(DAVProvider):  # type: ignore[misc]  # WsgiDAV is untyped
    """The base of both shares.

    A subclass implements `get_resource_inst` (WsgiDAV) and `store_upload`. Paths are decoded,
    start with `/`, hold no `//`, `.` or `..`, and are relative to the share; the share itself is
    `/`. `get_resource_inst` answers a path with and without a final slash alike.

    A removal is `handle_delete()` of the resource, which returns `True` when it is done: WsgiDAV
    then asks no further. Errors are raised as `Refusal` or `KnowledgeError`; what is raised
    inside a property ends the whole request, never just that property.
    """

    def __init__(self, *, max_body: int = MAX_BODY) -> None:
        super().__init__()
        self.max_body = max_body
        self.verbose = 0  # WsgiDAV prints tracebacks to standard output otherwise

    def check_upload(self, path: str, length: int | None) -> None:
        """Refuse an upload before its body is read; `length` is `None` for a chunked one.

        `max_body` bounds every upload anyway. Raises as `store_upload` does.
        """

    def store_upload(self, path: str, body: SpooledBody, environ: dict[str, Any]) -> StoredUpload:
        """Store a complete upload in one step; return only when it is durable.

        The body is gone when this returns. The collection above `path` exists, `path` is no
        collection, and `If-Match`, `If-None-Match` and locks were checked just before.
        Raises `Refusal`, `DAVError` or `KnowledgeError`; then nothing is stored.
        """
        raise NotImplementedError

    def ready_listing(
        self,
        path: str,  # noqa: ARG002 - for subclasses, as is `environ`
        environ: dict[str, Any],  # noqa: ARG002
    ) -> ReadyListing | None:
        """Return the ready answer to a depth-1 PROPFIND of `path`, or `None` for WsgiDAV's way.

        `environ["davbridge.propfind"]` is the `PropertyRequest`. hrefs start with
        `self.share_path`. Raises as `store_upload` does; nothing was sent by then.
        """
        return None
