"""The values that stores take and give: plain, frozen, without SQL.

Times called `*_ms` are integers of milliseconds, `*_s` of seconds; `time`, `mtime` and
`vanish_at` are seconds with a fraction. All count from 1970-01-01 UTC.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final, TypedDict


class Place(enum.StrEnum):
    """Where an item is (MODEL 2.3)."""

    BOUND = "bound"
    KEPT = "kept"
    GONE = "gone"


class _Unread(bytes):
    """Empty bytes that stand for a text which was left in the database."""

    __slots__ = ()


UNREAD: Final[bytes] = _Unread()
"""The `raw` of rows that were listed without it. Storing such a row leaves the text alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRow:
    """A sync target: a repository served below a path."""

    id: int
    base_path: str
    repository_key: str
    root_dev: int | None
    root_ino: int | None
    clock_s: int
    cursor: str | None


class TargetChanges(TypedDict, total=False):
    """What `TargetStore.update` can exchange."""

    base_path: str
    repository_key: str
    root_dev: int | None
    root_ino: int | None
    clock_s: int
    cursor: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemRow:
    """What is known of one item of a sync target (MODEL 4)."""

    id: str
    type: int
    place: Place
    reason: str = ""
    area: str | None = None
    name_used: str | None = None
    parent_id: str = ""
    raw: bytes = b""
    text_hash: str = ""
    handle: str = ""
    revision: str = ""
    updated_ms: int = 0
    client_ms: int = 0
    listed_s: int = 0
    trash_token: str | None = None
    vanish_at: float | None = None
    dirty: bool = False
    fetched: bool = False


class ItemChanges(TypedDict, total=False):
    """What `ItemStore.update` can exchange; the id is changed by `rekey` alone."""

    type: int
    place: Place
    reason: str
    area: str | None
    name_used: str | None
    parent_id: str
    raw: bytes
    text_hash: str
    handle: str
    revision: str
    updated_ms: int
    client_ms: int
    listed_s: int
    trash_token: str | None
    vanish_at: float | None
    dirty: bool
    fetched: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceRow:
    """The repository's resource behind an attachment; `revision` and `size` as last served."""

    id: str
    resource_id: str
    revision: str = ""
    size: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueRow:
    """A file of the sync target that davbridge keeps without reading it."""

    path: str
    sha256: str
    size: int
    mtime: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionRow:
    """A text that was replaced; its bytes are the blob `sha256`."""

    id: int
    item_id: str
    sha256: str
    time: float
    why: str
    area: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """Something a person should know, or has to confirm, about one item or the whole target."""

    id: int
    item_id: str | None
    code: str
    detail: str
    time: float
    confirmed: bool


@dataclass(frozen=True, slots=True)
class IndexRow:
    """Something a provider learned about `key`, true while `key` has `revision`."""

    key: str
    revision: str
    value: bytes
