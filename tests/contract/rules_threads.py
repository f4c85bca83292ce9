"""R-C-47 and R-C-95: many threads."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from adapters.contract import (
    KnowledgeAreaKind,
    MutationFailure,
    MutationResult,
)
from tests.contract import tools
from tests.contract.provider import Provider


class ThreadRules:
    """R-C-47, R-C-95."""

    def test_reads_never_see_half_a_move(self, provider: Provider) -> None:
        """R-C-47: while a folder moves to and fro, every reader sees all of it, in one place."""
        repository = provider.repository
        areas = tools.sample(repository)
        seen: list[tuple[str, ...]] = []
        done = threading.Event()

        def look() -> None:
            while not done.is_set():
                seen.append(repository.get_areas(True))

        readers = [threading.Thread(target=look) for _ in range(4)]
        for thread in readers:
            thread.start()
        area, allowed, turn = areas["A/Sub"], {repository.get_areas(True)}, 0
        until = time.monotonic() + 5
        while turn < 6 or (len(seen) < 400 and time.monotonic() < until):
            result = repository.try_move_content(area, areas["AB"[turn % 2 - 1]])
            area, turn = self._done(result), turn + 1
            allowed.add(repository.get_areas(True))
        done.set()
        for thread in readers:
            thread.join(30)
        assert set(seen) <= allowed

    def test_reads_never_see_half_a_text(self, provider: Provider) -> None:
        """R-C-47: a reader sees the old text or the new one, never a part of either."""
        repository = provider.repository
        texts = [letter * 50_000 + f"\n\n# {letter}\n" for letter in "ab"]
        area = tools.document(repository, "/", "Doc", texts[0])
        torn: list[str] = []
        looks = 0
        done = threading.Event()

        def look() -> None:
            nonlocal looks
            while not done.is_set():
                looks += 1
                text = repository.get_aggregated_content(area)
                if text not in texts:
                    torn.append(text[:20])

        readers = [threading.Thread(target=look) for _ in range(3)]
        for thread in readers:
            thread.start()
        turn, until = 0, time.monotonic() + 5
        while turn < 6 or (looks < 400 and time.monotonic() < until):
            turn += 1
            assert repository.try_replace(area, texts[turn % 2])
        done.set()
        for thread in readers:
            thread.join(30)
        assert [] == torn

    def test_eight_threads(self, provider: Provider) -> None:
        """R-C-95: eight threads work at once; every success is there, nothing else, no error."""
        repository = provider.repository
        shelves = [tools.folder(repository, "/", f"Shelf {n}") for n in range(2)]
        failures: list[BaseException] = []
        lengths: dict[int, int] = {}

        def work(number: int) -> None:
            mine = shelves[number % 2]
            area = self._done(
                repository.try_add_sub_area(
                    mine, f"doc {number}", KnowledgeAreaKind.CONTENT, content="0\n"
                )
            )
            for turn in range(6):
                self._done(repository.try_replace(area, f"{'x' * turn}\n"))
                assert f"{'x' * turn}\n" == repository.get_aggregated_content(area)
                area = self._done(repository.try_rename(area, f"doc {number}.{turn}"))
                area = self._done(repository.try_move_content(area, shelves[(number + turn) % 2]))
                repository.get_areas(True)
                repository.get_areas_by_keyword("x")
            lengths[number] = len(repository.get_aggregated_content(area))

        self._run([lambda n=n: work(n) for n in range(8)], failures)
        assert [] == failures
        assert dict.fromkeys(range(8), 6) == lengths
        documents = [a for shelf in shelves for a in repository.get_areas(True, shelf)]
        assert {f"doc {n}.5" for n in range(8)} == {repository.get_area_name(a) for a in documents}

    def test_one_of_many_wins(self, provider: Provider) -> None:
        """R-C-51, R-C-95: when many create one name at once, one succeeds, the others collide."""
        repository = provider.repository
        results: list[MutationResult] = []
        failures: list[BaseException] = []
        kind = KnowledgeAreaKind.CONTENT

        def create(number: int) -> None:
            results.append(repository.try_add_sub_area("/", "One", kind, content=f"{number}\n"))

        self._run([lambda n=n: create(n) for n in range(8)], failures)
        assert [] == failures
        assert [True] + [False] * 7 == sorted((result.ok for result in results), reverse=True)
        assert {MutationFailure.COLLISION} == {r.failure for r in results if not r.ok}

    @staticmethod
    def _done(result: MutationResult) -> str:
        assert result.ok, result
        assert result.area is not None
        return result.area

    @staticmethod
    def _run(works: list[Callable[[], None]], failures: list[BaseException]) -> None:
        def guarded(work: Callable[[], None]) -> None:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - whatever a thread dies of
                failures.append(error)

        threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert not any(thread.is_alive() for thread in threads)
