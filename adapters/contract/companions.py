"""What a repository may offer beyond the contract, and the one way to ask for it.

Never use `isinstance`: every object with a method of that name would count, and a wrapper over
several repositories answers per area. A companion that does not serve an area returns `None`
or fails with `NOT_SUPPORTED`.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol

from adapters.contract.repository import Companion, KnowledgeRepository
from adapters.contract.values import (
    AreaTimes,
    Batch,
    Entry,
    IndexRow,
    MutationResult,
    NativeMark,
    Properties,
    TrashEntry,
)


def companion(repository: KnowledgeRepository, kind: type[Companion]) -> Companion | None:
    """Return what fulfils `kind` for `repository`, or `None`."""
    return repository.companion(kind)


class Revisions(Protocol):
    """Tokens that are far cheaper than reading."""

    def get_area_revision(self, area: str, *, subtree: bool = False) -> str:
        """Return a token that changes when name or text of `area` do, never otherwise.

        With `subtree` it stands for everything below as well. Resource bytes do not count.
        Tokens of an unchanged area are equal across restarts.
        """


class Changes(Protocol):
    """Every change, whoever made it: this process, another program on disk, a pull."""

    def since(self, cursor: str | None) -> Batch:
        """Return what changed after `cursor`; `None` or an unknown one gives an incomplete batch.

        Raises `RepositoryUnavailable`.
        """

    def wait(self, cursor: str, timeout: float) -> bool:
        """Block up to `timeout` seconds; tell whether something changed after `cursor`."""


class NativeIdentity(Protocol):
    """A hint that recognises an area after an outside rename; never an address."""

    def get_native_identity(self, area: str) -> NativeMark | None:
        """Return the mark of a document or a directory (size and hash are then 0 and empty)."""


class Timestamps(Protocol):
    """Times for people."""

    def get_area_times(self, area: str) -> AreaTimes | None:
        """Return when the area's storage was created and last modified."""


class Trash(Protocol):
    """Removal that can be taken back; what is in the trash is no area and no resource."""

    def try_trash(self, area: str) -> MutationResult:
        """Move a document, or a folder with all in it, to the trash; see `trash_token`."""

    def try_trash_resource(self, resource_id: str) -> MutationResult:
        """Move a resource to the trash. Refused: REFERENCED."""

    def try_restore(self, token: str) -> MutationResult:
        """Put something back where it was, under a free variant of its name if that is taken.

        `result.area` or `result.resource_id` tells where. Refused: NOT_FOUND.
        """

    def list_trash(self) -> tuple[TrashEntry, ...]:
        """Return what can be restored, oldest first."""


class NativeTree(Protocol):
    """The storage's own file form: every ordinary file, Markdown or not, byte for byte.

    Paths are relative to the root, with `/`; the root is `""`.
    """

    def list(self, directory: str) -> tuple[Entry, ...]:
        """Return the entries of a directory in name order. Raises `AreaNotFound`."""

    def stat(self, path: str) -> Entry:
        """Return one entry. Raises `AreaNotFound`."""

    def locate(self, area: str) -> str | None:
        """Return the path of the directory or document `area` stands for."""

    def open(self, path: str) -> BinaryIO:
        """Open a file for reading. Raises `AreaNotFound`."""

    def try_put(
        self, path: str, stream: BinaryIO, *, expected_revision: str | None = None
    ) -> MutationResult:
        """Create or replace a file with the bytes of `stream`, atomically. Refused: STALE."""

    def try_move(self, source: str, target: str, *, replace: bool = False) -> MutationResult:
        """Move or rename an entry; with `replace` an existing target's content is exchanged."""

    def try_make_dir(self, path: str) -> MutationResult:
        """Create one directory. Refused: COLLISION."""

    def try_trash(self, path: str) -> MutationResult:
        """Move an entry to the trash; see `trash_token`."""


class ResourceStreams(Protocol):
    """Resources too large to hold in memory."""

    def open_resource(self, resource_id: str) -> BinaryIO:
        """Open the bytes for reading, seekable. Raises `ResourceNotFound`."""

    def try_add_resource_stream(
        self, area: str, preferred_file_name: str, content_type: str, stream: BinaryIO
    ) -> MutationResult:
        """As `try_add_resource`, from a stream."""

    def try_replace_resource_stream(
        self, resource_id: str, content_type: str, stream: BinaryIO
    ) -> MutationResult:
        """As `try_replace_resource`, from a stream."""


class AreaProperties(Protocol):
    """Tags, to-do state and the like, where the storage keeps them beside the text."""

    def get_area_properties(self, area: str) -> Properties | None:
        """Return the properties of a document."""

    def try_set_area_properties(
        self, area: str, properties: Properties, *, expected_revision: str | None = None
    ) -> MutationResult:
        """Exchange the properties of a document. Refused: STALE."""


class StrictReads(Protocol):
    """For consumers to whom a shrunken tree is worse than an error."""

    def strict_reads(self) -> AbstractContextManager[None]:
        """Within the scope, a part that would be skipped raises `RepositoryUnavailable`."""


class FreshReads(Protocol):
    """For consumers to whom an old answer is worse than an error."""

    def fresh_reads(self, max_age: float = 0.0) -> AbstractContextManager[None]:
        """Within the scope, nothing older than `max_age` seconds is returned; implies strict."""


class CacheControl(Protocol):
    """For consumers to whom an old answer is good enough."""

    def is_area_cached(self, area: str) -> bool | None:
        """Tell whether the area's structure is at hand; `None` when that cannot be told."""

    def prefer_existing(self) -> AbstractContextManager[None]:
        """Within the scope, what is at hand is returned whatever its age."""


class IndexStore(Protocol):
    """Where providers keep what they learned of files between runs; handed in, never assumed."""

    def load(self, namespace: str) -> Iterable[IndexRow]:
        """Return everything saved under `namespace`."""

    def save(self, namespace: str, rows: Iterable[IndexRow], removed: Iterable[str] = ()) -> None:
        """Insert or replace rows by key and forget the keys of `removed`."""
