"""Which documents point to which paths: a cache that answers without reading a file (R-F-57)."""

from __future__ import annotations

from collections.abc import Iterable


class LinkIndex:
    """Paths are root-relative and in normal form; a target need not exist.

    Belongs to whoever holds the write lock.
    """

    def __init__(self) -> None:
        self._targets: dict[str, frozenset[str]] = {}
        self._referrers: dict[str, set[str]] = {}

    def put(self, document: str, targets: frozenset[str]) -> None:
        """Note where the links of a document point now."""
        before = self._targets.get(document, frozenset())
        if targets == before:
            return
        self._drop(document, before - targets)
        for target in targets - before:
            self._referrers.setdefault(target, set()).add(document)
        if targets:
            self._targets[document] = targets
        else:
            del self._targets[document]

    def remove(self, document: str) -> None:
        """Forget a document."""
        self._drop(document, self._targets.pop(document, frozenset()))

    def referring(self, targets: Iterable[str]) -> set[str]:
        """Return the documents that point to any of `targets`."""
        found: set[str] = set()
        for target in targets:
            found |= self._referrers.get(target, set())
        return found

    def _drop(self, document: str, targets: frozenset[str]) -> None:
        for target in targets:
            documents = self._referrers[target]
            documents.discard(document)
            if not documents:
                del self._referrers[target]
