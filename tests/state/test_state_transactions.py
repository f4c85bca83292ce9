"""Transactions: one writer, all or nothing; readers wait for nobody."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from state import StateError, StateStore
from state.items import ItemStore
from tests.state.conftest import fail_after, note

WAIT_S = 20


def test_a_transaction_is_all_or_nothing(store: StateStore, items: ItemStore) -> None:
    """STYLE 10: an exception undoes everything its transaction wrote, and goes on."""
    with pytest.raises(ZeroDivisionError):
        fail_after(
            store,
            lambda: items.put(note("a", "/a")),
            lambda: store.users.put("ann", "hash"),
        )
    assert items.get("a") is None
    assert store.users.get("ann") is None


def test_a_nested_transaction_commits_with_the_outermost(
    store: StateStore, items: ItemStore
) -> None:
    """An inner block's work is undone with the outer one."""

    def nested() -> None:
        with store.transaction():
            items.put(note("a", "/a"))

    with pytest.raises(ZeroDivisionError):
        fail_after(store, nested)
    assert items.get("a") is None


def test_a_failed_inner_block_is_undone_alone(store: StateStore, items: ItemStore) -> None:
    """What an inner block wrote is undone by its exception; the outer one may go on."""
    with store.transaction():
        items.put(note("a", "/a"))
        with pytest.raises(ZeroDivisionError):
            fail_after(store, lambda: items.put(note("b", "/b")))
        items.put(note("c", "/c"))
    assert sorted(items.listed()) == [("a", 0), ("c", 0)]


def test_a_transaction_reads_its_own_writes(store: StateStore, items: ItemStore) -> None:
    """Inside a transaction reads see what it wrote so far."""
    with store.transaction():
        items.put(note("a", "/a", raw=b"text"))
        assert items.raw("a") == (b"text", 0)


def test_a_reader_does_not_wait_for_a_writer(store: StateStore, items: ItemStore) -> None:
    """MODEL 5: beside an open transaction another thread reads the last commit, at once."""
    items.put(note("a", "/a", raw=b"old"))
    with ThreadPoolExecutor(1) as other:
        with store.transaction():
            items.put(note("a", "/a", raw=b"new"))
            assert other.submit(items.raw, "a").result(WAIT_S) == (b"old", 0)
        assert other.submit(items.raw, "a").result(WAIT_S) == (b"new", 0)


def test_a_second_writer_waits(store: StateStore, items: ItemStore) -> None:
    """MODEL 5: one state write at a time; the second begins where the first ended."""
    started = threading.Event()

    def append() -> None:
        started.set()
        with store.transaction():
            found = items.raw("a")
            items.update("a", raw=(found[0] if found else b"") + b" second")

    with ThreadPoolExecutor(1) as other:
        with store.transaction():
            result = other.submit(append)
            assert started.wait(WAIT_S)
            items.put(note("a", "/a", raw=b"first"))
        result.result(WAIT_S)
    assert items.raw("a") == (b"first second", 0)


def test_many_writers_lose_nothing(store: StateStore, items: ItemStore) -> None:
    """Every read and write inside one transaction counts, whoever else writes."""
    items.put(note("a", "/a"))

    def count(_: int) -> None:
        with store.transaction():
            row = items.get("a")
            assert row is not None
            items.update("a", listed_s=row.listed_s + 1)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(count, range(40)))
    assert items.raw("a") == (b"", 40)


def test_a_single_write_is_a_transaction(store: StateStore, items: ItemStore) -> None:
    """A writing method called alone is committed when it returns."""
    items.put(note("a", "/a"))
    with ThreadPoolExecutor(1) as other:
        assert list(other.submit(items.listed).result(WAIT_S)) == [("a", 0)]


def test_a_closed_state_says_so(directory: Path) -> None:
    """After `close` every call is refused with one sentence; closing twice is no error."""
    store = StateStore.open(directory)
    store.users.put("ann", "hash")
    store.users.get("ann")
    store.close()
    store.close()
    with pytest.raises(StateError):
        store.users.get("ann")
    with pytest.raises(StateError, match="closed"):
        store.users.put("ann", "other")


def test_a_state_is_not_closed_inside_a_transaction(store: StateStore) -> None:
    """Closing inside a transaction would lose it, and is refused."""
    with store.transaction(), pytest.raises(StateError, match="inside a transaction"):
        store.close()
    store.users.put("ann", "hash")


def test_a_finished_thread_leaves_no_connection(store: StateStore) -> None:
    """The connection of a thread ends with it: threads may come and go."""
    before = len(store._session._readers)
    for _ in range(5):
        thread = threading.Thread(target=store.users.list)
        thread.start()
        thread.join()
    assert before == len(store._session._readers)


def test_readers_cannot_write(store: StateStore) -> None:
    """STYLE 10: only a transaction writes."""
    with pytest.raises(StateError, match="readonly"):
        store._session.one("DELETE FROM user RETURNING name")
