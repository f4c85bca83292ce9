"""The interface everything in davbridge is written against."""

from __future__ import annotations

from typing import Protocol, TypeVar

from adapters.contract.values import (
    AreaCapabilities,
    KnowledgeAreaKind,
    KnowledgeResourceInfo,
    MutationResult,
)

Companion = TypeVar("Companion")


class KnowledgeRepository(Protocol):
    """A tree of areas with text and resources, however it is stored.

    *Area*: a node of the tree, named by an opaque path (`/`, `/seg/seg`); consumers never
    decode or build one. *Name*: what people call an area. *Direct content*: an area's own
    Markdown, without its heading line and its descendants. *Aggregated content*: the same with
    all descendants, as one text. *Resource*: bytes that text refers to, named by an opaque id;
    never an area. *Revision*: an opaque token, compared for equality only.

    In text, `knowledge-area:<area>[#fragment]` and `knowledge-resource:<id>` are the only link
    targets with a meaning inside the repository (R-C-85).

    Reads raise `KnowledgeError`s; mutations return why they changed nothing, and are atomic to
    every observer. All methods may be called from any thread.
    """

    def companion(self, kind: type[Companion]) -> Companion | None:
        """Return what fulfils the optional protocol `kind` for this repository, if anything does.

        Consumers call `companion(repository, kind)`.
        """

    # Reads

    def get_areas(self, recurse: bool, start_area: str = "/") -> tuple[str, ...]:
        """Return the children of `start_area`, or all descendants, parents first.

        Sibling order is the repository's natural order and stable while nothing changes.
        """

    def get_areas_by_keyword(self, keyword: str, start_area: str = "/") -> tuple[str, ...]:
        """Return the areas within `start_area` whose name, path or text holds `keyword`.

        Case does not matter; a blank keyword finds nothing.
        """

    def get_area_name(self, area: str) -> str:
        """Return what people call `area`; the root has a name too."""

    def get_area_capabilities(self, area: str) -> AreaCapabilities:
        """Return what may be asked of `area`."""

    def has_direct_content(self, area: str) -> bool:
        """Tell whether the direct content holds a character that is not white space."""

    def get_direct_content(self, area: str) -> str:
        """Return the text `area` owns itself, with line ends as stored."""

    def get_aggregated_content(self, area: str) -> str:
        """Return the text of `area` and all below it as valid Markdown."""

    def get_resources(self, area: str) -> tuple[KnowledgeResourceInfo, ...]:
        """Return the resources the document around `area` refers to, each once, in order."""

    def get_resource(self, resource_id: str) -> KnowledgeResourceInfo:
        """Return the facts of a resource, referenced or not. Raises `ResourceNotFound`."""

    def get_resource_content(self, resource_id: str) -> bytes:
        """Return the bytes of a resource. Raises `ResourceNotFound`."""

    # Mutations. Each may be refused with NOT_FOUND (also for a malformed area), NOT_SUPPORTED,
    # READ_ONLY or UNAVAILABLE; the other reasons are named where they arise. A mutation that
    # would change nothing succeeds and writes nothing (R-C-45). With `expected_revision`, an
    # area that has another revision by now is STALE.

    def try_add_sub_area(
        self, area: str, name: str, kind: KnowledgeAreaKind, *, content: str = ""
    ) -> MutationResult:
        """Create a child of `area` that appears together with its text, never empty first.

        `name` is taken literally. Refused: COLLISION, INVALID_NAME, INVALID_CONTENT.
        """

    def try_rename(self, area: str, new_name: str) -> MutationResult:
        """Change the area's own name and nothing else. Refused: COLLISION, INVALID_NAME."""

    def try_move_content(
        self, area: str, parent: str, *, new_name: str | None = None
    ) -> MutationResult:
        """Make `area` a child of `parent`, under `new_name` if given, in one step.

        Its subtree moves along and links into and out of it stay valid.
        Refused: COLLISION, INVALID_NAME, NOT_SUPPORTED (the root, below itself, a parent that
        cannot hold it), LEVEL_OVERFLOW.
        """

    def try_append_content(
        self, area: str, content: str, *, expected_revision: str | None = None
    ) -> MutationResult:
        """Add a sparse tree of text below `area`; existing bytes stay (R-C-60..68).

        Refused: AMBIGUOUS, INVALID_CONTENT, LEVEL_OVERFLOW, STALE.
        """

    def try_truncate(self, area: str, *, expected_revision: str | None = None) -> MutationResult:
        """Empty the area's content scope and keep the area. Refused: STALE."""

    def try_replace(
        self, area: str, content: str, *, expected_revision: str | None = None
    ) -> MutationResult:
        """Exchange the whole text of `area` for `content` in one step.

        The payload is kept verbatim: equal headings, level gaps and line ends stay as given
        (R-C-55). Refused: INVALID_CONTENT (an unknown resource id, too large), STALE.
        """

    def try_delete(self, area: str, *, expected_revision: str | None = None) -> MutationResult:
        """Remove `area` and all below it for good. Refused: STALE."""

    def try_add_resource(
        self, area: str, preferred_file_name: str, content_type: str, content: bytes
    ) -> MutationResult:
        """Store bytes for the document around `area`; `result.resource_id` names them.

        The file name is a hint.
        """

    def try_replace_resource(
        self, resource_id: str, content_type: str, content: bytes
    ) -> MutationResult:
        """Exchange the bytes of a resource; its id stays."""

    def try_delete_resource(self, resource_id: str) -> MutationResult:
        """Remove a resource. Refused: REFERENCED while any exposed text refers to it."""
