"""What tests do to a memory repository that no caller of the contract can."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

from adapters.contract import (
    ROOT,
    KnowledgeAreaKind,
    MutationFailure,
    MutationResult,
    RepositoryUnavailable,
    is_same_or_descendant,
)
from adapters.memory.draft import Draft, Rules
from adapters.memory.journal import Journal
from adapters.memory.tree import Node, Resource, Tree


@dataclass(frozen=True, slots=True, kw_only=True)
class _Script:
    failure: MutationFailure | Exception
    method: str | None
    after: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outage:
    reason: str
    areas: tuple[str, ...]
    retry_after: float | None


class Scripting:
    """Failures on demand, and the doings of other programs. A base of `MemoryRepository`."""

    _lock: threading.RLock
    _tree: Tree
    _rules: Rules
    _journal: Journal
    _scripts: list[_Script]
    _outage: _Outage | None

    # Failures

    def fail_next(
        self,
        failure: MutationFailure | Exception = MutationFailure.UNAVAILABLE,
        *,
        method: str | None = None,
        times: int = 1,
        after: bool = False,
    ) -> None:
        """Let the next `times` mutations, or calls of `method`, fail.

        An exception is raised, a `MutationFailure` is returned by mutations (for reads give
        an exception). With `after`, the mutation happens first: a crash behind the commit.
        """
        with self._lock:
            self._scripts += [_Script(failure=failure, method=method, after=after)] * times

    def make_unavailable(
        self,
        reason: str = "the source is away",
        *,
        areas: tuple[str, ...] = (ROOT,),
        retry_after: float | None = None,
    ) -> None:
        """Take `areas` and all below them away, until `make_available`."""
        self._outage = _Outage(reason=reason, areas=areas, retry_after=retry_after)

    def make_available(self) -> None:
        """End what `make_unavailable` began."""
        self._outage = None

    def set_read_only(self, area: str, read_only: bool = True) -> None:
        """Let callers change nothing at `area` and below, or let them again."""
        with self._lock:
            tree = self._tree.draft()
            tree.put(replace(self._outside(tree).node(area), read_only=read_only))
            self._tree = tree

    def dump(self) -> object:
        """Return all that is stored, to be compared with a later dump."""
        tree = self._tree
        return (
            dict(tree.nodes),
            dict(tree.resources),
            dict(tree.trash),
        )

    def forget_changes(self) -> None:
        """Lose the history of changes: the next batch is incomplete for every cursor."""
        self._journal.forget()

    # Other programs. They repair no links and need no permission; handles survive. Their
    # areas must exist (`Refusal` otherwise).

    def edit_outside(self, area: str, text: str) -> None:
        """Exchange a document's text behind the repository's back."""
        with self._lock:
            draft = self._outside()
            draft.write(draft.node(area), text)
            self._publish(draft)

    def add_outside(
        self,
        area: str,
        name: str,
        text: str = "",
        *,
        kind: KnowledgeAreaKind = KnowledgeAreaKind.CONTENT,
    ) -> str:
        """Create a document or a folder and return its area."""
        with self._lock:
            draft = self._outside()
            parent, is_folder = draft.node(area), kind is KnowledgeAreaKind.STRUCTURAL
            draft.need_name(parent, name, is_folder=is_folder)
            node = draft.add(parent, name, is_folder=is_folder, text=text)
            self._publish(draft)
            return draft.tree.area_of(node)

    def rename_outside(self, area: str, new_name: str, *, recognised: bool = False) -> str:
        """Rename an area and return where it is now.

        The feed tells of one area that went and one that came; if `recognised`, of a move.
        """
        with self._lock:
            draft = self._outside()
            node = draft.node(area)
            return self._relocate(draft, node, draft.tree.nodes[node.parent], new_name, recognised)

    def move_outside(self, area: str, parent: str, *, recognised: bool = False) -> str:
        """Move an area and return where it is now; see `rename_outside`."""
        with self._lock:
            draft = self._outside()
            node = draft.node(area)
            return self._relocate(draft, node, draft.node(parent), node.name, recognised)

    def delete_outside(self, area: str) -> None:
        """Remove an area and all below it."""
        with self._lock:
            draft = self._outside()
            draft.remove(draft.node(area))
            self._publish(draft)

    def put_resource_outside(
        self,
        resource_id: str,
        content: bytes | None,
        *,
        file_name: str = "file.bin",
        content_type: str = "application/octet-stream",
    ) -> None:
        """Write the bytes of a resource, new or old; `None` removes it."""
        with self._lock:
            draft = self._outside()
            found = draft.tree.resources.get(resource_id) or Resource(
                resource_id=resource_id, file_name=file_name, content_type=content_type, content=b""
            )
            if content is None:
                draft.drop_resource(found)
            else:
                draft.put_resource(replace(found, content=content))
            self._publish(draft)

    # For the repository

    def _outside(self, tree: Tree | None = None) -> Draft:
        rules = replace(self._rules, read_only=False)
        return Draft(tree if tree is not None else self._tree.draft(), rules, follows=False)

    def _relocate(self, draft: Draft, node: Node, parent: Node, name: str, recognised: bool) -> str:
        draft.need_name(parent, name, is_folder=node.is_folder, but=node.handle)
        node = draft.relocate(node, parent, name, tell_move=recognised)
        self._publish(draft)
        return draft.tree.area_of(node)

    def _publish(self, draft: Draft) -> None:
        """Let everyone see a draft. The tree comes first: a feed may lag, never run ahead."""
        self._tree = draft.tree
        if draft.changed:
            self._journal.record(draft.change())

    def _take_script(self, method: str, *, is_mutation: bool) -> _Script | None:
        for script in self._scripts:
            if script.method == method or (script.method is None and is_mutation):
                self._scripts.remove(script)
                return script
        return None

    def _check_available(self, area: str | None, *, below: bool = False) -> None:
        """Raise `RepositoryUnavailable` when `area` (`None`: any part), or with `below`
        something below it, is away."""
        outage = self._outage
        if outage is None:
            return
        down = tuple(
            top
            for top in outage.areas
            if area is None
            or is_same_or_descendant(area, top)
            or (below and is_same_or_descendant(top, area))
        )
        if down:
            raise RepositoryUnavailable(outage.reason, areas=down, retry_after=outage.retry_after)


def answer(script: _Script) -> MutationResult:
    """Return the scripted refusal, or raise the scripted exception."""
    if isinstance(script.failure, Exception):
        raise script.failure
    return MutationResult.refused(script.failure, "scripted")
