"""A folder of Markdown files as a knowledge repository."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final, Self, cast

from adapters.contract import (
    ROOT,
    AreaCapabilities,
    AreaTimes,
    Batch,
    Changes,
    Companion,
    IndexStore,
    KnowledgeAreaKind,
    KnowledgeRepository,
    KnowledgeResourceInfo,
    MutationResult,
    NativeIdentity,
    NativeMark,
    NativeTree,
    RepositoryUnavailable,
    ResourceNotFound,
    ResourceStreams,
    Revisions,
    Timestamps,
    Trash,
    TrashEntry,
)
from adapters.filebased import documents, moving, removal, resources
from adapters.filebased.changes import Feed
from adapters.filebased.core import Core
from adapters.filebased.disk import Disk
from adapters.filebased.journal import Journal
from adapters.filebased.knowledge import LearnedFacts
from adapters.filebased.links import path_of_resource, resource_path
from adapters.filebased.native_tree import FileTree, time_of
from adapters.filebased.reading import Reader
from adapters.filebased.refusal import reason_of
from adapters.filebased.root import RootGuard
from adapters.filebased.snapshot import File, Folder, find_file
from adapters.filebased.trash import TrashCan
from adapters.filebased.watchfiles_watcher import WatchfilesWatcher
from adapters.filebased.watching import ScanAlways, Watcher
from adapters.filebased.writing import Planner, Writer

_OWN_COMPANIONS: Final = (Changes, NativeIdentity, ResourceStreams, Revisions, Timestamps, Trash)
_LONGEST_WAIT: Final = 0.25
"""Seconds until a change by this process itself wakes who waits."""


class FileBasedRepository(
    KnowledgeRepository,
    Changes,
    NativeIdentity,
    ResourceStreams,
    Revisions,
    Timestamps,
    Trash,
):
    """The directories and Markdown files below `root`; the files stay the only truth.

    A root that is not there makes every call `RepositoryUnavailable` until it is.
    `index` keeps what was learned of files between runs; `watcher` tells of outside changes;
    `clock` and `token` are where time and randomness come from.
    Raises `RepositoryUnavailable` when another process has the same root open.
    """

    def __init__(
        self,
        root: Path,
        name: str | None = None,
        read_only: bool = False,
        index: IndexStore | None = None,
        watcher: Watcher | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        token: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self._guard = RootGuard(root.absolute(), locked=not read_only)
        self._watcher = watcher if watcher is not None else ScanAlways()
        self._disk = Disk(root, token)
        journal = Journal(self._disk, token)
        self._core = Core(
            self._guard,
            self._disk,
            journal,
            LearnedFacts(index),
            Feed(token()),
            read_only=read_only,
        )
        self._can = TrashCan(self._disk)
        self._reader = Reader(self._core, name or root.absolute().name or "/")
        self._writer = Writer(self._core, journal, clock, token)
        self._tree = FileTree(self._core, self._can, self._mutate_trash)
        try:
            self._core.tree()
        except RepositoryUnavailable:
            if self._guard.is_taken:
                self.close()
                raise

    def close(self) -> None:
        """Stop watching, keep what was learned, and let others open the root."""
        self._watcher.close()
        self._core.save()
        self._guard.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def companion(self, kind: type[Companion]) -> Companion | None:
        if kind is NativeTree:
            return cast(Companion, self._tree)
        return cast(Companion, self) if kind in _OWN_COMPANIONS else None

    # Reads

    def get_areas(self, recurse: bool, start_area: str = ROOT) -> tuple[str, ...]:
        return self._reader.areas(start_area, recurse=recurse)

    def get_areas_by_keyword(self, keyword: str, start_area: str = ROOT) -> tuple[str, ...]:
        return self._reader.areas_by_keyword(keyword, start_area)

    def get_area_name(self, area: str) -> str:
        return self._reader.name(area)

    def get_area_capabilities(self, area: str) -> AreaCapabilities:
        return self._reader.capabilities(area)

    def has_direct_content(self, area: str) -> bool:
        return bool(self._reader.direct_content(area).strip())

    def get_direct_content(self, area: str) -> str:
        return self._reader.direct_content(area)

    def get_aggregated_content(self, area: str) -> str:
        return self._reader.aggregated_content(area)

    def get_resources(self, area: str) -> tuple[KnowledgeResourceInfo, ...]:
        spot = self._reader.locate_fresh(area)
        tree = self._core.tree()
        if spot.file is None:
            return ()
        paths = resources.referenced(tree, spot.file, self._core.site(spot.path))
        files = ((path, self._core.look_at(path)) for path in paths)
        return tuple(resources.describe(path, file) for path, file in files if file is not None)

    def get_resource(self, resource_id: str) -> KnowledgeResourceInfo:
        return resources.describe(*self._resource(resource_id))

    def get_resource_content(self, resource_id: str) -> bytes:
        with self.open_resource(resource_id) as stream:
            return stream.read()

    # Mutations

    def try_add_sub_area(
        self, area: str, name: str, kind: KnowledgeAreaKind, *, content: str = ""
    ) -> MutationResult:
        return self._mutate(lambda desk: documents.add(desk, area, name, kind, content))

    def try_rename(self, area: str, new_name: str) -> MutationResult:
        return self._mutate(lambda desk: moving.move(desk, area, None, new_name))

    def try_move_content(
        self, area: str, parent: str, *, new_name: str | None = None
    ) -> MutationResult:
        return self._mutate(lambda desk: moving.move(desk, area, parent, new_name))

    def try_append_content(
        self, area: str, content: str, *, expected_revision: str | None = None
    ) -> MutationResult:
        expected = expected_revision
        return self._mutate(lambda desk: documents.append_content(desk, area, content, expected))

    def try_truncate(self, area: str, *, expected_revision: str | None = None) -> MutationResult:
        return self._mutate(lambda desk: documents.truncate(desk, area, expected_revision))

    def try_replace(
        self, area: str, content: str, *, expected_revision: str | None = None
    ) -> MutationResult:
        expected = expected_revision
        return self._mutate(lambda desk: documents.replace_content(desk, area, content, expected))

    def try_delete(self, area: str, *, expected_revision: str | None = None) -> MutationResult:
        return self._mutate(lambda desk: removal.delete(desk, area, expected_revision))

    def try_add_resource(
        self, area: str, preferred_file_name: str, content_type: str, content: bytes
    ) -> MutationResult:
        return self._mutate(
            lambda desk: resources.add(desk, area, preferred_file_name, content_type, content)
        )

    def try_replace_resource(
        self, resource_id: str, content_type: str, content: bytes
    ) -> MutationResult:
        del content_type  # the file's name, which stays, says what it is
        return self._mutate(lambda desk: resources.replace(desk, resource_id, content))

    def try_delete_resource(self, resource_id: str) -> MutationResult:
        return self._mutate(lambda desk: removal.delete_resource(desk, resource_id))

    # ResourceStreams

    def open_resource(self, resource_id: str) -> BinaryIO:
        path, file = self._resource(resource_id)
        try:
            return self._disk.open(path, follow=file.is_link)
        except FileNotFoundError:
            raise ResourceNotFound(resource_id=resource_id) from None
        except OSError as error:
            raise RepositoryUnavailable(f"a resource: {reason_of(error)}") from None

    def try_add_resource_stream(
        self, area: str, preferred_file_name: str, content_type: str, stream: BinaryIO
    ) -> MutationResult:
        return self._mutate(
            lambda desk: resources.add(desk, area, preferred_file_name, content_type, stream)
        )

    def try_replace_resource_stream(
        self, resource_id: str, content_type: str, stream: BinaryIO
    ) -> MutationResult:
        del content_type
        return self._mutate(lambda desk: resources.replace(desk, resource_id, stream))

    # Revisions, NativeIdentity, Timestamps

    def get_area_revision(self, area: str, *, subtree: bool = False) -> str:
        spot = self._reader.locate_fresh(area)
        if isinstance(spot.node, Folder):
            return spot.node.revision(subtree=subtree)
        return self._reader.heading_revision(spot) if spot.heading else spot.node.revision()

    def get_native_identity(self, area: str) -> NativeMark | None:
        spot = self._reader.locate(area)
        stamp = spot.node.stamp
        if spot.heading:
            return None
        if isinstance(spot.node, Folder):
            # A directory's own time changes with every entry, so it would tell nothing.
            return NativeMark(handle=str(stamp.ino), size=0, mtime_ns=0, text_hash="")
        digest = spot.node.facts.digest if spot.node.facts else ""
        return NativeMark(
            handle=str(stamp.ino), size=stamp.size, mtime_ns=stamp.mtime_ns, text_hash=digest
        )

    def get_area_times(self, area: str) -> AreaTimes | None:
        stamp = self._reader.locate(area).node.stamp
        created = min(stamp.mtime_ns, stamp.ctime_ns)
        return AreaTimes(created=time_of(created), modified=time_of(stamp.mtime_ns))

    # Changes

    def since(self, cursor: str | None) -> Batch:
        self._catch_up()
        self._core.save()
        return self._core.feed.since(cursor)

    def wait(self, cursor: str, timeout: float) -> bool:
        until = time.monotonic() + timeout
        while True:
            self._catch_up()
            if self._core.feed.is_behind(cursor):
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            self._watcher.wait(min(left, _LONGEST_WAIT))

    # Trash

    def try_trash(self, area: str) -> MutationResult:
        return self._mutate_trash(lambda desk: removal.trash(desk, self._can, area))

    def try_trash_resource(self, resource_id: str) -> MutationResult:
        return self._mutate_trash(lambda desk: removal.trash_resource(desk, self._can, resource_id))

    def try_restore(self, token: str) -> MutationResult:
        with self._core.lock:
            result = self._mutate(lambda desk: removal.restore(desk, self._can, token))
            if result:
                self._can.tidy(token)
            return result

    def list_trash(self) -> tuple[TrashEntry, ...]:
        self._core.tree()
        return tuple(self._can.entries())

    # How it works

    def _mutate(self, plan: Planner) -> MutationResult:
        return self._writer.run(self._catch_up, plan)

    def _mutate_trash(self, plan: Planner) -> MutationResult:
        """Run a mutation that may make an entry of the trash; one that fails leaves none."""
        with self._core.lock:
            result = self._mutate(plan)
            if not result and not self._core.read_only:
                self._can.tidy_all()
            return result

    def _catch_up(self) -> None:
        """Take in what other programs did. Raises `RepositoryUnavailable`."""
        self._core.tree()
        self._core.look_again(self._watcher.pending())

    def _resource(self, resource_id: str) -> tuple[str, File]:
        path = path_of_resource(resource_id)
        self._core.tree()
        if path:
            self._core.look_at(path)
        tree = self._core.tree()
        known = resource_path(tree, resource_id)
        file = find_file(tree, known) if known is not None else None
        if known is None or file is None:
            raise ResourceNotFound(resource_id=resource_id)
        return known, file


def open_repository(
    *,
    root: Path,
    name: str | None = None,
    read_only: bool = False,
    index: IndexStore | None = None,
    watcher: Watcher | None = None,
) -> FileBasedRepository:
    """Open a folder as it is served: watched, so that an outside change costs what changed."""
    watcher = watcher if watcher is not None else WatchfilesWatcher(root)
    try:
        return FileBasedRepository(root, name, read_only, index, watcher)
    except BaseException:
        watcher.close()
        raise
