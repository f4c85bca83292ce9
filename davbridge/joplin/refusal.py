"""What stands in the way of an item, and what is tried before that is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from adapters.contract import MutationFailure, MutationResult
from davbridge.joplin.filenames import friendly_file_name, note_name_candidates
from davbridge.joplin.items import Item

NEXT_NAME: Final = (MutationFailure.COLLISION, MutationFailure.INVALID_NAME)
"""Refusals that another name may get round."""


class Refusal(Exception):
    """The repository refused a step; `retryable` says whether repeating it may help."""

    def __init__(self, result: MutationResult) -> None:
        super().__init__(f"{result.failure}: {result.detail}")
        self.failure = result.failure or MutationFailure.UNAVAILABLE

    @property
    def retryable(self) -> bool:
        """Tell whether the same step may succeed later; an area that just went is looked for."""
        return self.failure.is_retryable or self.failure is MutationFailure.NOT_FOUND


def names_for(item: Item) -> Iterator[str]:
    """Yield names to try for an item's area, the title first (MODEL 2.6)."""
    yield from note_name_candidates(item.title or "", item.body or "")
    yield from note_name_candidates(friendly_file_name(item.title or ""))
    yield from note_name_candidates(item.id)
