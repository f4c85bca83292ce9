"""`StateStore`: all that davbridge remembers, in one SQLite file and the blobs beside it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from state.blobs import BlobStore
from state.findings import FindingStore
from state.index import ProviderIndex, RowFactory, RowT
from state.items import ItemStore
from state.opaque import OpaqueStore
from state.opening import open_database
from state.resources import ResourceStore
from state.session import Session
from state.targets import TargetStore
from state.users import UserStore
from state.values import IndexRow
from state.versions import VersionStore
from state.waits import WaitStore

_BLOBS: Final = "blobs"


class StateStore:
    """The stores over one state directory; usable from any thread.

    Each writing method is a transaction of its own unless it is called inside `transaction()`.
    What a method or a transaction wrote is on the disk when it returns. Errors are `StateError`s.
    """

    def __init__(self, session: Session, directory: Path) -> None:
        self._session = session
        self.targets: Final = TargetStore(session)
        self.users: Final = UserStore(session)
        self.blobs: Final = BlobStore(session, directory / _BLOBS)
        self.index: Final = ProviderIndex(session, IndexRow)

    @classmethod
    def open(cls, directory: Path) -> Self:
        """Open the state in `directory`, made for its owner alone if it is not there.

        `StateError`, and nothing changed, if the file is damaged, not ours or too new.
        """
        file, writer = open_database(directory)
        return cls(Session(file, writer), directory)

    def transaction(self) -> AbstractContextManager[None]:
        """Return a block that holds the one write lock; the outermost one commits at its end.

        For SQL only: nothing that waits or calls a repository belongs inside (MODEL 5). An
        exception undoes what its block wrote, inner blocks included, and goes on.
        """
        return self._session.transaction()

    def items(self, target_id: int) -> ItemStore:
        """Return the items of a target."""
        return ItemStore(self._session, target_id)

    def resources(self, target_id: int) -> ResourceStore:
        """Return the attachments of a target."""
        return ResourceStore(self._session, target_id)

    def waits(self, target_id: int) -> WaitStore:
        """Return what the items of a target wait for."""
        return WaitStore(self._session, target_id)

    def opaque(self, target_id: int) -> OpaqueStore:
        """Return the opaque files of a target."""
        return OpaqueStore(self._session, self.blobs, target_id)

    def versions(self, target_id: int) -> VersionStore:
        """Return the earlier texts of a target's items."""
        return VersionStore(self._session, self.blobs, target_id)

    def findings(self, target_id: int) -> FindingStore:
        """Return the findings of a target."""
        return FindingStore(self._session, target_id)

    def index_of(self, row: RowFactory[RowT]) -> ProviderIndex[RowT]:
        """Return the provider index as a store of rows of the caller's class.

        `index_of(contract.IndexRow)` is exactly the contract's `IndexStore`.
        """
        return ProviderIndex(self._session, row)

    def close(self) -> None:
        """Wait for a running transaction and close all connections; idempotent."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
