"""The values that cross the contract. All are frozen; times are aware UTC `datetime`s."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from datetime import datetime


class ContentLevel(enum.IntEnum):
    """How an area takes part in text."""

    BEYOND_CONTENT = 0
    """Navigation only: text reads give nothing, text mutations are `NOT_SUPPORTED`."""
    CONTENT_AGGREGATION = 1
    """Readable as a whole, owns no text itself."""
    CONTENT_CONTAINER = 2
    """May own text and children."""


class KnowledgeAreaKind(enum.IntEnum):
    """What the creator of an area means it to be; never a hint about storage."""

    STRUCTURAL = 0
    CONTENT = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaCapabilities:
    """What may be asked of one area. A true flag is no guarantee, a false one is binding."""

    content_level: ContentLevel
    supports_sub_areas: bool = False
    can_be_renamed: bool = False
    can_be_deleted: bool = False
    can_add_sub_areas: bool = False
    can_append_content: bool = False
    can_truncate: bool = False
    supports_resources: bool = False

    @property
    def can_replace(self) -> bool:
        """Replacing is what appending and truncating allow together (R-C-32)."""
        return self.can_append_content and self.can_truncate


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeResourceInfo:
    """A resource without its bytes. `length` is in bytes; `revision` changes when they do."""

    resource_id: str
    file_name: str
    content_type: str
    length: int
    revision: str | None = None


@dataclass(frozen=True, slots=True)
class KnowledgeResourceIdChange:
    """A resource id that stopped being valid, and its successor."""

    previous_resource_id: str
    current_resource_id: str


@dataclass(frozen=True, slots=True)
class KnowledgeAreaChange:
    """An area that is now reached by another path; what lies below follows by prefix."""

    previous_area: str
    current_area: str


class MutationFailure(enum.StrEnum):
    """Why a mutation was refused. Only `UNAVAILABLE` and `STALE` may succeed when repeated."""

    NOT_FOUND = "not-found"
    NOT_SUPPORTED = "not-supported"
    READ_ONLY = "read-only"
    COLLISION = "collision"
    INVALID_NAME = "invalid-name"
    INVALID_CONTENT = "invalid-content"
    AMBIGUOUS = "ambiguous"
    REFERENCED = "referenced"
    LEVEL_OVERFLOW = "level-overflow"
    STALE = "stale"
    UNAVAILABLE = "unavailable"

    @property
    def is_retryable(self) -> bool:
        """Tell whether the same call may succeed later without anything being corrected."""
        return self in (MutationFailure.STALE, MutationFailure.UNAVAILABLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class MutationResult:
    """What a mutation did, or why it did nothing; truthy exactly on success.

    `area` is where the addressed, created or moved area lives now; `area_changes` and
    `resource_id_changes` are each applied simultaneously, so swaps are legal (R-C-44).
    `trash_token` restores a removal through the `Trash` companion.
    """

    ok: bool
    area: str | None = None
    area_changes: tuple[KnowledgeAreaChange, ...] = ()
    resource_id_changes: tuple[KnowledgeResourceIdChange, ...] = ()
    resource_id: str | None = None
    trash_token: str | None = None
    failure: MutationFailure | None = None
    detail: str = ""

    def __bool__(self) -> bool:
        return self.ok

    @classmethod
    def refused(cls, failure: MutationFailure, detail: str = "") -> MutationResult:
        """Make the answer of a mutation that changed nothing."""
        return cls(ok=False, failure=failure, detail=detail)


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Changes since a cursor, whoever made them, and the cursor to ask with next.

    `touched`: areas that appeared, went, or whose name or text changed; the top of a subtree
    that appeared or went stands for all of it. `moved`: areas known to be the same under
    another path; apply these first. `resource_ids`: resources whose bytes changed, appeared
    or went. Without `complete` something was missed: compare everything once.
    """

    cursor: str
    complete: bool
    touched: tuple[str, ...] = ()
    moved: tuple[KnowledgeAreaChange, ...] = ()
    resource_ids: tuple[str, ...] = ()
    resource_id_changes: tuple[KnowledgeResourceIdChange, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeMark:
    """What recognises an area's storage behind a change of name.

    File systems reuse `handle`s at once, so equal handles count only together with an equal
    size and time, an equal text or an equal name.
    """

    handle: str
    size: int
    mtime_ns: int
    text_hash: str


class EntryKind(enum.StrEnum):
    """What a name in a native tree is."""

    DIRECTORY = "directory"
    DOCUMENT = "document"
    FILE = "file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One name of a native tree; `path` is relative to its root with `/`, the root is `""`."""

    path: str
    kind: EntryKind
    area: str | None
    resource_id: str | None
    size: int
    revision: str
    modified: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TrashEntry:
    """Something that was removed and can be had back."""

    token: str
    name: str
    time: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AreaTimes:
    """Display times of an area; never used to detect change."""

    created: datetime
    modified: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Properties:
    """What a person would miss about a document beside its title and text."""

    title: str | None = None
    tags: tuple[str, ...] = ()
    created: datetime | None = None
    updated: datetime | None = None
    is_todo: bool = False
    completed: bool = False
    due: datetime | None = None
    source: str = ""
    author: str = ""
    latitude: float = 0.0
    longitude: float = 0.0
    altitude: float = 0.0


@dataclass(frozen=True, slots=True)
class IndexRow:
    """Something a provider learned about `key`, true while `key` has `revision`."""

    key: str
    revision: str
    value: bytes
