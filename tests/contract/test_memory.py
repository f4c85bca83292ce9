"""The repository in memory fulfils the contract, in each of its forms."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from adapters.contract import KnowledgeRepository
from adapters.memory import MemoryRepository
from tests.contract.provider import Fault, InjectedFault, Provider
from tests.contract.suite import RepositoryContract

FORMS: dict[str, dict[str, bool]] = {
    "literal": {},
    "opaque": {"opaque": True},
    "owned": {"owned_resources": True},
}


class MemoryProvider(Provider):
    """Faults come from the clock and the tokens, which mutations ask in their middle."""

    repository: MemoryRepository

    def __init__(self, **options: bool) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._steps: int | None = None
        self._fault = Fault()
        self.repository = MemoryRepository(clock=self._clock, token=self._token, **options)

    def fingerprint(self) -> object:
        return self.repository.dump()

    def reopen(self) -> KnowledgeRepository:
        return self.repository

    def read_only(self) -> KnowledgeRepository:
        self.repository.set_read_only("/")
        return self.repository

    @contextmanager
    def fault(self, step: int) -> Iterator[Fault]:
        self._steps, self._fault = step, Fault()
        yield self._fault
        self._steps = None

    def make_unavailable(self) -> None:
        self.repository.make_unavailable()

    def make_available(self) -> None:
        self.repository.make_available()

    def add_outside(self, parent: str, name: str, text: str) -> None:
        self.repository.add_outside(parent, name, text)

    def edit_outside(self, area: str, text: str) -> None:
        self.repository.edit_outside(area, text)

    def rename_outside(self, area: str, new_name: str) -> None:
        self.repository.rename_outside(area, new_name)

    def delete_outside(self, area: str) -> None:
        self.repository.delete_outside(area)

    def _tick(self) -> int:
        with self._lock:
            if self._steps is not None:
                if self._steps == 0:
                    self._steps, self._fault.hit = None, True
                    raise InjectedFault
                self._steps -= 1
            self._count += 1
            return self._count

    def _clock(self) -> datetime:
        return datetime.fromtimestamp(1_700_000_000 + self._tick(), UTC)

    def _token(self) -> str:
        return f"t{self._tick()}"


class TestMemory(RepositoryContract):
    """Literal names, opaque tokens, resources that move along."""

    @pytest.fixture(params=FORMS)
    def provider(self, request: pytest.FixtureRequest) -> Provider:
        return MemoryProvider(**FORMS[request.param])
