"""What the suite's tests share: planting a tree, looking at all of it, trying a mutation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from adapters.contract import (
    Batch,
    KnowledgeAreaKind,
    KnowledgeRepository,
    MutationFailure,
    MutationResult,
    companion,
    is_same_or_descendant,
)
from tests.contract.provider import Provider

Kind = TypeVar("Kind")
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


def folder(repository: KnowledgeRepository, parent: str, name: str) -> str:
    """Create a folder and return its area."""
    return _area(repository.try_add_sub_area(parent, name, KnowledgeAreaKind.STRUCTURAL))


def document(repository: KnowledgeRepository, parent: str, name: str, text: str = "") -> str:
    """Create a document and return its area."""
    kind = KnowledgeAreaKind.CONTENT
    return _area(repository.try_add_sub_area(parent, name, kind, content=text))


def resource(
    repository: KnowledgeRepository, area: str, *, name: str = "pic.png", content: bytes = PNG
) -> str:
    """Add a resource to a document, refer to it at the end of the text, return its id."""
    result = repository.try_add_resource(area, name, "image/png", content)
    assert result.ok, result
    assert result.resource_id
    text = repository.get_aggregated_content(area)
    written = repository.try_replace(area, f"{text}\n![]({_target(result.resource_id)})\n")
    assert written.ok, written
    return result.resource_id


def sample(repository: KnowledgeRepository, top: str = "/") -> dict[str, str]:
    """Plant a small tree with everything in it; return areas by short names."""
    areas = {"root": top, "A": folder(repository, top, "A"), "B": folder(repository, top, "B")}
    areas["A/Sub"] = folder(repository, areas["A"], "Sub")
    areas["A/Doc"] = document(
        repository, areas["A"], "Doc", "intro\n\n# One\n\nfirst\n\n## Deep\n\ndeep\n\n# Two\n"
    )
    areas["A/Sub/Leaf"] = document(repository, areas["A/Sub"], "Leaf", "leaf text\n")
    areas["Top"] = document(repository, top, "Top", f"see [doc](knowledge-area:{areas['A/Doc']})\n")
    resource(repository, areas["A/Sub/Leaf"])
    return areas


def need(repository: KnowledgeRepository, kind: type[Kind]) -> Kind:
    """Return a companion that the providers of this suite must have."""
    found = companion(repository, kind)
    assert found is not None
    return found


def child_named(repository: KnowledgeRepository, area: str, name: str) -> str:
    """Return the first child of `area` with a name."""
    for child in repository.get_areas(False, area):
        if repository.get_area_name(child) == name:
            return child
    raise AssertionError(f"{area} has no child {name!r}")


def names(repository: KnowledgeRepository, area: str) -> list[str]:
    """Return the names of the children of `area`, in order."""
    return [repository.get_area_name(child) for child in repository.get_areas(False, area)]


def picture_of(repository: KnowledgeRepository, top: str = "/") -> dict[str, object]:
    """Return everything a caller can see at `top` and below, by area."""
    return {area: _look(repository, area) for area in (top, *repository.get_areas(True, top))}


def mutations(
    repository: KnowledgeRepository, area: str, other: str
) -> dict[str, Callable[[], MutationResult]]:
    """Return one call of every mutation that addresses an area, by method."""
    return {
        "try_add_sub_area": lambda: repository.try_add_sub_area(
            area, "Fresh", KnowledgeAreaKind.CONTENT
        ),
        "try_rename": lambda: repository.try_rename(area, "Renamed"),
        "try_move_content": lambda: repository.try_move_content(area, other),
        "try_append_content": lambda: repository.try_append_content(area, "# Fresh\n\nmore\n"),
        "try_truncate": lambda: repository.try_truncate(area),
        "try_replace": lambda: repository.try_replace(area, "# Fresh\n\nother\n"),
        "try_delete": lambda: repository.try_delete(area),
        "try_add_resource": lambda: repository.try_add_resource(area, "x.png", "image/png", PNG),
    }


@contextmanager
def nothing_changes(provider: Provider) -> Iterator[None]:
    """Assert that the scope leaves storage and tree as they were."""
    stored, seen = provider.fingerprint(), picture_of(provider.repository)
    yield
    assert seen == picture_of(provider.repository)
    assert stored == provider.fingerprint()


def attempt(
    provider: Provider, allowed: bool, mutation: Callable[[], MutationResult]
) -> MutationResult | None:
    """Run a mutation that a flag allows and return its success.

    Where the flag is false, assert the refusal instead and return `None` (R-C-33).
    """
    if allowed:
        result = mutation()
        assert result.ok, result
        return result
    with nothing_changes(provider):
        refused(mutation(), MutationFailure.NOT_SUPPORTED, MutationFailure.READ_ONLY)
    return None


def refused(result: MutationResult, *failures: MutationFailure) -> None:
    """Assert that a mutation was refused, for one of `failures` if any are given."""
    assert not result
    assert not result.ok
    assert isinstance(result.failure, MutationFailure)
    assert not failures or result.failure in failures, result


def covers(batch: Batch, area: str) -> bool:
    """Tell whether a batch says that something happened to `area`, or to all above it."""
    tops = [*batch.touched, *(move.current_area for move in batch.moved)]
    tops += [move.previous_area for move in batch.moved]
    return not batch.complete or any(is_same_or_descendant(area, top) for top in tops)


def _look(repository: KnowledgeRepository, area: str) -> object:
    return (
        repository.get_area_name(area),
        repository.get_area_capabilities(area),
        repository.get_direct_content(area),
        repository.get_aggregated_content(area),
        [
            (info, repository.get_resource_content(info.resource_id))
            for info in repository.get_resources(area)
        ],
    )


def _area(result: MutationResult) -> str:
    assert result.ok, result
    assert result.area is not None
    return result.area


def _target(resource_id: str) -> str:
    return f"knowledge-resource:{resource_id}"
