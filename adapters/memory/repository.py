"""A knowledge repository that lives in memory."""

from __future__ import annotations

import io
import secrets
import threading
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import BinaryIO, Final, cast

from adapters.contract import (
    ROOT,
    AreaCapabilities,
    AreaTimes,
    Batch,
    Changes,
    Companion,
    KnowledgeAreaKind,
    KnowledgeRepository,
    KnowledgeResourceInfo,
    MutationFailure,
    MutationResult,
    NativeIdentity,
    NativeMark,
    RepositoryUnavailable,
    ResourceStreams,
    Revisions,
    Timestamps,
    Trash,
    TrashEntry,
)
from adapters.memory import mutations, reads
from adapters.memory.draft import Draft, Refusal, Rules
from adapters.memory.journal import Journal
from adapters.memory.naming import Naming
from adapters.memory.place import Place
from adapters.memory.scripting import Scripting, answer
from adapters.memory.tree import ROOT_HANDLE, Node, Tree

_COMPANIONS: Final = (Changes, NativeIdentity, ResourceStreams, Revisions, Timestamps, Trash)
_WHOLE: Final = frozenset({"try_rename", "try_move_content", "try_delete", "try_trash"})
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


class MemoryRepository(
    Scripting,
    KnowledgeRepository,
    Changes,
    NativeIdentity,
    ResourceStreams,
    Revisions,
    Timestamps,
    Trash,
):
    """Folders and documents in insertion order; every text keeps its contract form.

    `opaque`: segments of areas are tokens that say nothing, otherwise they follow the names.
    `allows_name` and `name_key` (equal keys collide) can make it as strict about names as a
    file system. `owned_resources`: resources get new ids when the document they were added
    for moves, as files beside it would. `without` hides companions. `clock` and `token` are
    where time and randomness come from. For failures and other programs see `Scripting`.
    """

    def __init__(
        self,
        name: str = "Memory",
        *,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        token: Callable[[], str] = lambda: secrets.token_hex(8),
        opaque: bool = False,
        read_only: bool = False,
        allows_name: Callable[[str], bool] = lambda _name: True,
        name_key: Callable[[str], str] = lambda name: name,
        owned_resources: bool = False,
        document_limit: int = 16 * 1024 * 1024,
        without: Collection[type] = (),
    ) -> None:
        self._rules = Rules(
            clock=clock,
            token=token,
            allows_name=allows_name,
            name_key=name_key,
            document_limit=document_limit,
            owned_resources=owned_resources,
            read_only=read_only,
        )
        self._companions = tuple(kind for kind in _COMPANIONS if kind not in without)
        self._lock = threading.RLock()
        now = clock()
        root = Node(
            handle=ROOT_HANDLE,
            parent="",
            is_folder=True,
            name=name,
            segment="",
            created=now,
            modified=now,
        )
        self._tree = Tree(Naming(token() if opaque else None), nodes={ROOT_HANDLE: root})
        self._journal = Journal(token())
        self._scripts = []
        self._outage = None

    def companion(self, kind: type[Companion]) -> Companion | None:
        return cast(Companion, self) if kind in self._companions else None

    # Reads

    def get_areas(self, recurse: bool, start_area: str = ROOT) -> tuple[str, ...]:
        tree, place = self._at("get_areas", start_area, below=recurse)
        return reads.areas_below(tree, place, recurse=recurse)

    def get_areas_by_keyword(self, keyword: str, start_area: str = ROOT) -> tuple[str, ...]:
        tree, place = self._at("get_areas_by_keyword", start_area, below=True)
        return reads.areas_by_keyword(tree, place, keyword)

    def get_area_name(self, area: str) -> str:
        return self._at("get_area_name", area)[1].name

    def get_area_capabilities(self, area: str) -> AreaCapabilities:
        tree, place = self._at("get_area_capabilities", area)
        read_only = Draft(tree, self._rules).is_read_only(place.node)
        return reads.capabilities(tree, place, read_only=read_only)

    def has_direct_content(self, area: str) -> bool:
        return bool(self.get_direct_content(area).strip())

    def get_direct_content(self, area: str) -> str:
        return reads.direct_content(self._at("get_direct_content", area)[1])

    def get_aggregated_content(self, area: str) -> str:
        return reads.aggregated_content(*self._at("get_aggregated_content", area))

    def get_resources(self, area: str) -> tuple[KnowledgeResourceInfo, ...]:
        return reads.resources_of(*self._at("get_resources", area))

    def get_resource(self, resource_id: str) -> KnowledgeResourceInfo:
        return reads.resource_info(reads.resource(self._read("get_resource"), resource_id))

    def get_resource_content(self, resource_id: str) -> bytes:
        return reads.resource(self._read("get_resource_content"), resource_id).content

    # Mutations

    def try_add_sub_area(
        self, area: str, name: str, kind: KnowledgeAreaKind, *, content: str = ""
    ) -> MutationResult:
        return self._mutate(
            "try_add_sub_area",
            (area,),
            lambda draft: mutations.add_sub_area(draft, area, name, kind, content),
        )

    def try_rename(self, area: str, new_name: str) -> MutationResult:
        return self._mutate(
            "try_rename", (area,), lambda draft: mutations.move(draft, area, None, new_name)
        )

    def try_move_content(
        self, area: str, parent: str, *, new_name: str | None = None
    ) -> MutationResult:
        return self._mutate(
            "try_move_content",
            (area, parent),
            lambda draft: mutations.move(draft, area, parent, new_name),
        )

    def try_append_content(
        self, area: str, content: str, *, expected_revision: str | None = None
    ) -> MutationResult:
        return self._mutate(
            "try_append_content",
            (area,),
            lambda draft: mutations.append_content(draft, area, content, expected_revision),
        )

    def try_truncate(self, area: str, *, expected_revision: str | None = None) -> MutationResult:
        return self._mutate(
            "try_truncate",
            (area,),
            lambda draft: mutations.truncate(draft, area, expected_revision),
        )

    def try_replace(
        self, area: str, content: str, *, expected_revision: str | None = None
    ) -> MutationResult:
        return self._mutate(
            "try_replace",
            (area,),
            lambda draft: mutations.replace_content(draft, area, content, expected_revision),
        )

    def try_delete(self, area: str, *, expected_revision: str | None = None) -> MutationResult:
        return self._mutate(
            "try_delete", (area,), lambda draft: mutations.delete(draft, area, expected_revision)
        )

    def try_add_resource(
        self, area: str, preferred_file_name: str, content_type: str, content: bytes
    ) -> MutationResult:
        return self._mutate(
            "try_add_resource",
            (area,),
            lambda draft: mutations.add_resource(
                draft, area, preferred_file_name, content_type, content
            ),
        )

    def try_replace_resource(
        self, resource_id: str, content_type: str, content: bytes
    ) -> MutationResult:
        return self._mutate(
            "try_replace_resource",
            (),
            lambda draft: mutations.replace_resource(draft, resource_id, content_type, content),
        )

    def try_delete_resource(self, resource_id: str) -> MutationResult:
        return self._mutate(
            "try_delete_resource", (), lambda draft: mutations.delete_resource(draft, resource_id)
        )

    # Companions

    def since(self, cursor: str | None) -> Batch:
        self._read("since")
        return self._journal.since(cursor)

    def wait(self, cursor: str, timeout: float) -> bool:
        return self._journal.wait(cursor, timeout)

    def get_area_revision(self, area: str, *, subtree: bool = False) -> str:
        tree, place = self._at("get_area_revision", area, below=subtree)
        return reads.revision(tree, place, subtree=subtree)

    def get_native_identity(self, area: str) -> NativeMark | None:
        _, place = self._at("get_native_identity", area)
        if place.is_heading:
            return None
        node = place.node
        content = node.text.encode()
        return NativeMark(
            handle=node.handle,
            size=len(content),
            mtime_ns=(node.modified - _EPOCH) // timedelta(microseconds=1) * 1000,
            text_hash="" if node.is_folder else sha256(content).hexdigest(),
        )

    def get_area_times(self, area: str) -> AreaTimes | None:
        node = self._at("get_area_times", area)[1].node
        return AreaTimes(created=node.created, modified=node.modified)

    def try_trash(self, area: str) -> MutationResult:
        return self._mutate("try_trash", (area,), lambda draft: mutations.trash(draft, area))

    def try_trash_resource(self, resource_id: str) -> MutationResult:
        return self._mutate(
            "try_trash_resource", (), lambda draft: mutations.trash_resource(draft, resource_id)
        )

    def try_restore(self, token: str) -> MutationResult:
        return self._mutate("try_restore", (), lambda draft: mutations.restore(draft, token))

    def list_trash(self) -> tuple[TrashEntry, ...]:
        removed = self._read("list_trash").trash.values()
        return tuple(TrashEntry(token=r.token, name=r.name, time=r.time) for r in removed)

    def open_resource(self, resource_id: str) -> BinaryIO:
        return io.BytesIO(reads.resource(self._read("open_resource"), resource_id).content)

    def try_add_resource_stream(
        self, area: str, preferred_file_name: str, content_type: str, stream: BinaryIO
    ) -> MutationResult:
        return self.try_add_resource(area, preferred_file_name, content_type, stream.read())

    def try_replace_resource_stream(
        self, resource_id: str, content_type: str, stream: BinaryIO
    ) -> MutationResult:
        return self.try_replace_resource(resource_id, content_type, stream.read())

    # How every call runs

    def _at(self, method: str, area: str, *, below: bool = False) -> tuple[Tree, Place]:
        tree = self._read(method, area, below=below)
        return tree, reads.locate(tree, area)

    def _read(self, method: str, area: str = ROOT, *, below: bool = False) -> Tree:
        """Return the tree of this moment, unless a script or an outage says otherwise."""
        with self._lock:
            script = self._take_script(method, is_mutation=False)
        if script is not None:
            answer(script)
        self._check_available(area, below=below)
        return self._tree

    def _mutate(
        self,
        method: str,
        areas: tuple[str, ...],
        plan: Callable[[Draft], MutationResult],
    ) -> MutationResult:
        """Run one mutation on a draft and publish that, or nothing."""
        with self._lock:
            script = self._take_script(method, is_mutation=True)
            if script is not None and not script.after:
                return answer(script)
            draft = Draft(self._tree.draft(), self._rules)
            try:
                for area in areas or (ROOT,):
                    self._check_available(area, below=method in _WHOLE)
                result = plan(draft)
            except RepositoryUnavailable as error:
                return MutationResult.refused(MutationFailure.UNAVAILABLE, error.reason)
            except Refusal as refusal:
                return MutationResult.refused(refusal.failure, refusal.detail)
            self._publish(draft)
            return result if script is None else answer(script)
