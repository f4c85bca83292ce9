"""The table `provider_index`: what providers learned of files, kept between runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, Generic, Protocol, TypeVar

from state.session import Session

RowT = TypeVar("RowT")
RowFactory = Callable[[str, str, bytes], RowT]  # key, revision, value

_SAVE: Final = (
    "INSERT INTO provider_index (namespace, key, revision, value) VALUES (?, ?, ?, ?)"
    " ON CONFLICT (namespace, key) DO UPDATE"
    " SET revision = excluded.revision, value = excluded.value"
)
_FORGET: Final = "DELETE FROM provider_index WHERE namespace = ? AND key = ?"


class KeyedValue(Protocol):
    """A row of the index, whoever defines it."""

    @property
    def key(self) -> str: ...
    @property
    def revision(self) -> str: ...
    @property
    def value(self) -> bytes: ...


class ProviderIndex(Generic[RowT]):
    """Fulfils the contract's `IndexStore` for the row class it was made for."""

    def __init__(self, session: Session, row: RowFactory[RowT]) -> None:
        self._session = session
        self._row = row

    def load(self, namespace: str) -> Iterable[RowT]:
        """Return everything saved under `namespace`."""
        sql = "SELECT key, revision, value FROM provider_index WHERE namespace = ?"
        row = self._row
        return [row(*found) for found in self._session.all(sql, (namespace,))]

    def save(self, namespace: str, rows: Iterable[KeyedValue], removed: Iterable[str] = ()) -> None:
        """Insert or replace rows by key and forget the keys of `removed`, all or nothing."""
        # Whoever makes the rows may be slow: not under the write lock.
        saved = [(namespace, row.key, row.revision, row.value) for row in rows]
        forgotten = [(namespace, key) for key in removed]
        if not saved and not forgotten:
            return
        with self._session.transaction():
            self._session.run_many(_FORGET, forgotten)
            self._session.run_many(_SAVE, saved)
