"""A repository as notebooks and notes: what the projection asks of the contract, in its words.

Structural and aggregating areas are notebooks; the first container below one is a note, and the
containers in it are headings of its body (R-J-30). Only the contract is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from adapters.contract import (
    ROOT,
    AreaNotFound,
    Changes,
    ContentLevel,
    EntryKind,
    KnowledgeRepository,
    MutationFailure,
    MutationResult,
    NativeIdentity,
    NativeTree,
    RepositoryUnavailable,
    ResourceStreams,
    Revisions,
    Timestamps,
    Trash,
    companion,
    parent_area,
)
from davbridge.joplin.identity import spell_mark
from davbridge.joplin.items import ItemType

_READ_ATTEMPTS: Final = 5


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a note with the revision it had when it was read."""

    content: str
    revision: str


class Library:
    """Reads one repository for one target. Holds no state of its own."""

    def __init__(self, repository: KnowledgeRepository) -> None:
        self.repository = repository
        self._revisions = companion(repository, Revisions)
        self._marks = companion(repository, NativeIdentity)
        self._times = companion(repository, Timestamps)
        self._tree = companion(repository, NativeTree)
        self._trash = companion(repository, Trash)
        self.streams = companion(repository, ResourceStreams)
        self.changes = companion(repository, Changes)

    def check_reachable(self) -> None:
        """Raise `RepositoryUnavailable` when the repository cannot answer now; cheap."""
        self.repository.get_area_name(ROOT)

    def item_type(self, area: str) -> ItemType | None:
        """Return what `area` is as an item; `None` when it is not there."""
        try:
            level = self.repository.get_area_capabilities(area).content_level
        except AreaNotFound:
            return None
        return ItemType.NOTE if level is ContentLevel.CONTENT_CONTAINER else ItemType.FOLDER

    def item_area(self, area: str) -> str:
        """Return the note that holds `area` when that is a heading, else `area` itself."""
        parent = parent_area(area)
        while parent not in (None, ROOT) and self.item_type(str(parent)) is ItemType.NOTE:
            area = str(parent)
            parent = parent_area(area)
        return area

    def walk(self, start: str = ROOT) -> Iterator[tuple[str, ItemType]]:
        """Yield the areas below `start` that are items, parents first (R-J-31)."""
        stack = list(reversed(self.repository.get_areas(False, start)))
        while stack:
            area = stack.pop()
            kind = self.item_type(area)
            if kind is None:
                continue
            yield area, kind
            if kind is ItemType.FOLDER:
                stack += reversed(self.repository.get_areas(False, area))

    def name(self, area: str) -> str:
        """Return the area's name as a title: one line."""
        return " ".join(self.repository.get_area_name(area).splitlines()) or ""

    def read(self, area: str) -> Text:
        """Return a note's text together with the revision that is certainly the text's."""
        for _ in range(_READ_ATTEMPTS):
            revision = self.revision(area)
            content = self.repository.get_aggregated_content(area)
            if self._revisions is None or revision == self.revision(area):
                return Text(content, revision)
        raise RepositoryUnavailable("the text changes faster than it can be read", areas=(area,))

    def revision(self, area: str) -> str:
        """Return a note's revision, or an empty text where the repository has none."""
        return self._revisions.get_area_revision(area) if self._revisions else ""

    def mark(self, area: str) -> str:
        """Return what recognises the area's storage after an outside rename; may be empty."""
        return spell_mark(self._marks.get_native_identity(area)) if self._marks else ""

    def times(self, area: str) -> tuple[datetime, datetime] | None:
        """Return when the area was created and modified, as far as the storage knows."""
        times = self._times.get_area_times(area) if self._times else None
        return (times.created, times.modified) if times else None

    def holds_files(self, area: str) -> bool:
        """Tell whether a folder's storage holds any file, at any depth."""
        path = self._tree.locate(area) if self._tree else None
        if self._tree is None or path is None:
            return False
        stack = [path]
        while stack:
            for entry in self._tree.list(stack.pop()):
                if entry.kind is not EntryKind.DIRECTORY:
                    return True
                stack.append(entry.path)
        return False

    def try_trash(self, area: str) -> MutationResult:
        """Move an area to the repository's trash; `NOT_SUPPORTED` where there is none."""
        if self._trash is None:
            return MutationResult.refused(MutationFailure.NOT_SUPPORTED, "there is no trash")
        return self._trash.try_trash(area)

    def try_trash_resource(self, resource_id: str) -> MutationResult:
        """Move a resource to the repository's trash; `NOT_SUPPORTED` where there is none."""
        if self._trash is None:
            return MutationResult.refused(MutationFailure.NOT_SUPPORTED, "there is no trash")
        return self._trash.try_trash_resource(resource_id)

    def try_restore(self, token: str) -> MutationResult:
        """Take an area out of the repository's trash."""
        if self._trash is None:
            return MutationResult.refused(MutationFailure.NOT_SUPPORTED, "there is no trash")
        return self._trash.try_restore(token)


def hash_text(text: str) -> str:
    """Return a short hash of a text, equal across restarts."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
