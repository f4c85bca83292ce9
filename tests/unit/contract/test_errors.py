"""What reads raise: one small tree of errors with the facts as attributes."""

from __future__ import annotations

import pytest

from adapters.contract import (
    AreaNotFound,
    InvalidArea,
    KnowledgeError,
    RepositoryUnavailable,
    ResourceNotFound,
)


@pytest.mark.parametrize(
    "error", [InvalidArea, AreaNotFound, ResourceNotFound, RepositoryUnavailable]
)
def test_all_are_knowledge_errors(error: type[Exception]) -> None:
    """R-C-90: who catches `KnowledgeError` catches everything a repository raises."""
    assert issubclass(error, KnowledgeError)


def test_facts_are_attributes() -> None:
    """STYLE 3: messages are built from facts, and the facts stay at hand."""
    assert ("/A", "no such area: /A") == (
        AreaNotFound(area="/A").area,
        str(AreaNotFound(area="/A")),
    )
    assert "//" == InvalidArea(area="//").area
    assert "x" == ResourceNotFound(resource_id="x").resource_id


def test_unavailable_names_its_parts() -> None:
    """MODEL 1: which part is down, why, and when to ask again; unless told, all of it."""
    whole = RepositoryUnavailable("away")
    assert (("/",), "away", None) == (whole.areas, whole.reason, whole.retry_after)
    part = RepositoryUnavailable("away", areas=("/A", "/B"), retry_after=2.5)
    assert (("/A", "/B"), 2.5, "/A, /B: away") == (part.areas, part.retry_after, str(part))
