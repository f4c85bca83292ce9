"""What reading a repository can raise. Mutations never raise these; they return a reason.

    KnowledgeError
    ├── InvalidArea             the path is malformed
    ├── AreaNotFound            the path is well formed and names nothing
    ├── ResourceNotFound        the id names nothing
    └── RepositoryUnavailable   the source cannot answer now; never shown as "empty"

Messages name areas and ids only, never a place on the operating system's disk (R-C-96).
"""

from __future__ import annotations


class KnowledgeError(Exception):
    """Everything a repository may raise across the contract."""


class InvalidArea(KnowledgeError):
    """An area path that no repository could have returned."""

    def __init__(self, *, area: str) -> None:
        super().__init__(f"not an area path: {area!r}")
        self.area = area


class AreaNotFound(KnowledgeError):
    """A well-formed area path that names nothing at this moment."""

    def __init__(self, *, area: str) -> None:
        super().__init__(f"no such area: {area}")
        self.area = area


class ResourceNotFound(KnowledgeError):
    """A resource id that names nothing at this moment."""

    def __init__(self, *, resource_id: str) -> None:
        super().__init__(f"no such resource: {resource_id}")
        self.resource_id = resource_id


class RepositoryUnavailable(KnowledgeError):
    """The source cannot answer now; the same call may succeed later.

    `areas` are the tops of the parts that are down; the root alone means all of it.
    `retry_after` is in seconds, `None` when nothing is known.
    """

    def __init__(
        self, reason: str, *, areas: tuple[str, ...] = ("/",), retry_after: float | None = None
    ) -> None:
        super().__init__(f"{', '.join(areas)}: {reason}")
        self.reason = reason
        self.areas = areas
        self.retry_after = retry_after
