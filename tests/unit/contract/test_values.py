"""The values that cross the contract."""

from __future__ import annotations

import dataclasses
import inspect

import pytest

from adapters import contract
from adapters.contract import (
    AreaCapabilities,
    ContentLevel,
    KnowledgeAreaKind,
    MutationFailure,
    MutationResult,
)

VALUES = [
    value
    for value in vars(contract).values()
    if inspect.isclass(value) and dataclasses.is_dataclass(value)
]


@pytest.mark.parametrize("value", VALUES, ids=lambda value: value.__name__)
def test_values_are_frozen(value: type) -> None:
    """STYLE 6: every value is frozen and has slots."""
    assert value.__dataclass_params__.frozen  # type: ignore[attr-defined]
    assert "__slots__" in vars(value)


def test_result_is_truthy_exactly_on_success() -> None:
    """Section 1: a result reads like the boolean contract."""
    assert MutationResult(ok=True)
    assert not MutationResult(ok=False)


@pytest.mark.parametrize("failure", list(MutationFailure))
def test_refusal_carries_its_reason(failure: MutationFailure) -> None:
    """R-C-41: a refusal is a value with a reason and nothing changed."""
    result = MutationResult.refused(failure, "because")
    assert MutationResult(ok=False, failure=failure, detail="because") == result


def test_what_may_succeed_later() -> None:
    """R-C-42: only UNAVAILABLE and STALE are retryable."""
    retryable = {failure for failure in MutationFailure if failure.is_retryable}
    assert {MutationFailure.UNAVAILABLE, MutationFailure.STALE} == retryable


@pytest.mark.parametrize(
    ("append", "truncate", "expected"),
    [(True, True, True), (True, False, False), (False, True, False), (False, False, False)],
)
def test_replacing_is_appending_and_truncating(
    append: bool, truncate: bool, expected: bool
) -> None:
    """R-C-32: `can_replace` follows from the two flags and from nothing else."""
    flags = AreaCapabilities(
        content_level=ContentLevel.CONTENT_CONTAINER,
        can_append_content=append,
        can_truncate=truncate,
    )
    assert expected == flags.can_replace


def test_capabilities_deny_by_default() -> None:
    """R-C-30: what is not said is not allowed."""
    flags = AreaCapabilities(content_level=ContentLevel.BEYOND_CONTENT)
    given = {field.name for field in dataclasses.fields(flags)} - {"content_level"}
    assert not any(getattr(flags, name) for name in given)


def test_spellings_are_fixed() -> None:
    """Section 1: what is stored or shown of these is never renamed."""
    assert [0, 1, 2] == [level.value for level in ContentLevel]
    assert [0, 1] == [kind.value for kind in KnowledgeAreaKind]
    expected = "not-found not-supported read-only collision invalid-name invalid-content"
    expected += " ambiguous referenced level-overflow stale unavailable"
    assert expected == " ".join(MutationFailure)
