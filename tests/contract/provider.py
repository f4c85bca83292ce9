"""What a provider's test file tells the suite beside the repository itself."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from adapters.contract import KnowledgeRepository


@dataclass(slots=True)
class Fault:
    """A write step that fails; `hit` tells whether it was ever reached."""

    hit: bool = False


class InjectedFault(Exception):
    """What a fault may raise where the provider has no failure of its own."""


class Provider(abc.ABC):
    """One repository under test, its storage, and the world around it."""

    repository: KnowledgeRepository

    @abc.abstractmethod
    def fingerprint(self) -> object:
        """Return all that is stored for people, byte for byte, with modification times."""

    def surroundings(self) -> object:
        """Return all that lies near the storage and is none of the provider's business."""
        return None

    def secrets(self) -> tuple[str, ...]:
        """Return what no message may show: absolute places on disk."""
        return ()

    @abc.abstractmethod
    def reopen(self) -> KnowledgeRepository:
        """Return the repository as it is after a restart; the old object is done for."""

    @abc.abstractmethod
    def read_only(self) -> KnowledgeRepository:
        """Return the same storage as a repository that may not be changed."""

    @abc.abstractmethod
    def fault(self, step: int) -> contextmanager[Iterator[Fault]]:
        """Within the scope, the `step`-th write to the storage (from 0) fails, once."""

    @abc.abstractmethod
    def make_unavailable(self) -> None:
        """Take the storage away."""

    @abc.abstractmethod
    def make_available(self) -> None:
        """Bring the storage back."""

    # Another program; the repository has noticed when these return.

    @abc.abstractmethod
    def add_outside(self, parent: str, name: str, text: str) -> None:
        """Create a document."""

    @abc.abstractmethod
    def edit_outside(self, area: str, text: str) -> None:
        """Exchange the text of a document, in the storage's own link form."""

    @abc.abstractmethod
    def rename_outside(self, area: str, new_name: str) -> None:
        """Rename a document or a folder."""

    @abc.abstractmethod
    def delete_outside(self, area: str) -> None:
        """Remove a document or a folder with all in it."""
