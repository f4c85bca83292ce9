"""How optional companions are asked for."""

from __future__ import annotations

from adapters.contract import Changes, Revisions, Trash, companion
from adapters.memory import MemoryRepository


class Pretender(MemoryRepository):
    """Has every method of *Trash* and serves none of them."""

    def companion(self, kind):  # type: ignore[no-untyped-def]
        return None if kind is Trash else super().companion(kind)


def test_the_repository_decides() -> None:
    """MODEL 1: having the methods is not having the companion."""
    repository = Pretender()
    assert hasattr(repository, "try_trash")
    assert companion(repository, Trash) is None
    assert companion(repository, Revisions) is repository


def test_companions_can_be_hidden() -> None:
    """MODEL 1: a consumer can be tried against a repository without a companion."""
    repository = MemoryRepository(without=(Changes, Trash))
    assert companion(repository, Changes) is None
    assert companion(repository, Trash) is None
    assert companion(repository, Revisions) is repository
