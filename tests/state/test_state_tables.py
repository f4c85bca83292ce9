"""The small stores: targets, resources, waits, versions, findings, users, provider index."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from adapters.contract import IndexRow as ContractRow
from state import Conflict, FindingRow, IndexRow, ResourceRow, StateStore, TargetRow
from state.findings import FindingStore

if TYPE_CHECKING:
    from adapters.contract import IndexStore


def test_a_target_is_found_by_what_it_shows(store: StateStore) -> None:
    """MODEL 4: by repository and path, or by the root's device and inode, however large."""
    first = store.targets.add("k1", "/joplin", root_dev=5, root_ino=2**64 - 1, cursor="c")
    second = store.targets.add("k2", "/joplin", root_dev=5, root_ino=7)
    third = store.targets.add("k2", "/other", root_dev=5, root_ino=7)
    assert store.targets.find("k1", "/joplin") == first
    assert store.targets.find("k1", "/other") is None
    assert store.targets.find_by_root(5, 2**64 - 1) == [first]
    assert store.targets.find_by_root(5, 7) == [second, third]
    assert store.targets.find_by_root(7, 5) == []
    assert store.targets.all() == [first, second, third]
    assert store.targets.get(second.id) == second


def test_a_target_is_added_once(store: StateStore) -> None:
    """One repository has one target at a path."""
    store.targets.add("k", "/joplin")
    with pytest.raises(Conflict, match="already"):
        store.targets.add("k", "/joplin")


def test_a_moved_folder_keeps_its_target(store: StateStore) -> None:
    """MODEL 4: a target found by its root takes the new path and keeps everything else."""
    row = store.targets.add("k", "/joplin", root_dev=1, root_ino=2)
    assert store.targets.update(
        row.id, repository_key="moved", clock_s=9, cursor="c", root_dev=None, root_ino=2**63
    )
    assert store.targets.find("moved", "/joplin") == TargetRow(
        id=row.id,
        base_path="/joplin",
        repository_key="moved",
        root_dev=None,
        root_ino=2**63,
        clock_s=9,
        cursor="c",
    )
    assert not store.targets.update(99, clock_s=1)
    with pytest.raises(TypeError, match="colour"):
        store.targets.update(row.id, colour=1)  # type: ignore[call-arg]  # what is tested


def test_resources_come_back(store: StateStore, target: TargetRow) -> None:
    """An attachment is found by its id and by the resource it stands for."""
    resources = store.resources(target.id)
    row = ResourceRow(id="a", resource_id="img.png", revision="r", size=3)
    resources.put(row)
    resources.put(ResourceRow(id="b", resource_id="img.png"))
    assert resources.get("a") == row
    assert resources.by_resource("img.png") == row
    assert resources.by_resource("other") is None
    resources.put(ResourceRow(id="a", resource_id="other.png"))
    assert [found.resource_id for found in resources.all()] == ["other.png", "img.png"]
    assert resources.rekey("a", "c")
    assert resources.get("a") is None
    with pytest.raises(Conflict):
        resources.rekey("b", "c")
    assert resources.remove("c")
    assert not resources.remove("c")


def test_resource_ids_move_at_once(store: StateStore, target: TargetRow) -> None:
    """R-J-43: swaps and chains move every attachment by at most one change."""
    resources = store.resources(target.id)
    for name in "ABXY":
        resources.put(ResourceRow(id=name.lower(), resource_id=name, revision="r", size=1))
    resources.rebase([("A", "B"), ("B", "A"), ("X", "Y"), ("Y", "Z")])
    moved = {row.id: row.resource_id for row in resources.all()}
    assert moved == {"a": "B", "b": "A", "x": "Y", "y": "Z"}
    assert {("r", 1)} == {(row.revision, row.size) for row in resources.all()}


def test_waits_are_replaced(store: StateStore, target: TargetRow) -> None:
    """An item waits for exactly what was last set."""
    waits = store.waits(target.id)
    waits.set("n", ["x", "y", "x"])
    waits.set("m", ["x"])
    assert (waits.needs("n"), waits.waiting_for("x")) == (["x", "y"], ["m", "n"])
    waits.set("n", ["z"])
    assert (waits.needs("n"), waits.waiting_for("x")) == (["z"], ["m"])
    assert waits.clear("n")
    assert not waits.clear("n")
    assert waits.needs("n") == []


def test_versions_are_kept_until_purged(store: StateStore, target: TargetRow) -> None:
    """MODEL 2.7: every replaced text is kept, the newest first, until it is too old."""
    versions = store.versions(target.id)
    for time, text in ((1.0, b"one"), (3.0, b"three"), (2.0, b"two")):
        versions.add("n", text, f"at {time}", time, area="/n")
    versions.add("m", b"one", "other", 1.0)
    rows = versions.list("n")
    texts = [store.blobs.get(row.sha256) for row in rows]
    assert texts == [b"three", b"two", b"one"]
    assert (rows[0].item_id, rows[0].why, rows[0].area) == ("n", "at 3.0", "/n")
    assert versions.purge(2.0) == 2
    assert [row.time for row in versions.list("n")] == [3.0, 2.0]
    assert versions.list("m") == []
    assert store.blobs.collect() == 1


@pytest.fixture
def findings(store: StateStore, target: TargetRow) -> FindingStore:
    return store.findings(target.id)


def test_an_open_finding_is_not_repeated(findings: FindingStore) -> None:
    """The same item and code is one finding, with the latest detail."""
    findings.add("n", "refused", "first", 1.0)
    findings.add(None, "refused", "target", 2.0)
    findings.add(None, "refused", "target again", 3.0)
    findings.add("n", "refused", "again", 4.0)
    found = [(row.item_id, row.detail, row.time) for row in findings.list()]
    assert found == [(None, "target again", 3.0), ("n", "again", 4.0)]


def test_a_finding_is_confirmed_until_removed(findings: FindingStore) -> None:
    """MODEL 2.11: a confirmation holds, also if the finding is reported again meanwhile."""
    findings.add(None, "vanished", "40 of 50", 1.0)
    assert not findings.confirmed("vanished")
    assert findings.confirm("vanished") == 1
    assert findings.confirm("vanished") == 0
    findings.add(None, "vanished", "41 of 50", 2.0)
    assert findings.confirmed("vanished")
    assert findings.confirm("vanished") == 1
    (row,) = findings.list()
    assert row == FindingRow(
        id=row.id, item_id=None, code="vanished", detail="41 of 50", time=2.0, confirmed=True
    )
    assert findings.remove(None, "vanished")
    assert not findings.remove(None, "vanished")
    assert not findings.confirmed("vanished")


def test_users_are_known_by_a_hash(store: StateStore) -> None:
    """A user's hash is exchanged by `put`; nobody else's changes."""
    store.users.put("bob", "h1")
    store.users.put("ann", "h2")
    store.users.put("bob", "h3")
    assert (store.users.get("bob"), store.users.get("ann")) == ("h3", "h2")
    assert store.users.get("eve") is None
    assert store.users.list() == ["ann", "bob"]


def test_the_index_is_kept_by_key(store: StateStore) -> None:
    """MODEL 1: rows are replaced by key, forgotten by name, and apart by namespace."""
    store.index.save("one", [IndexRow("a", "1", b"x"), IndexRow("b", "1", b"\x00")])
    store.index.save("two", [IndexRow("a", "9", b"")])
    store.index.save("one", [IndexRow("a", "2", b"y"), IndexRow("c", "1", b"")], removed=["b", "z"])
    assert sorted(store.index.load("one"), key=lambda row: row.key) == [
        *(IndexRow("a", "2", b"y"), IndexRow("c", "1", b""))
    ]
    assert list(store.index.load("two")) == [IndexRow("a", "9", b"")]
    assert list(store.index.load("three")) == []


def test_a_key_both_removed_and_saved_is_saved(store: StateStore) -> None:
    """What a provider saves is there, whatever it forgets in the same call."""
    store.index.save("one", [IndexRow("a", "1", b"")], removed=["a"])
    assert list(store.index.load("one")) == [IndexRow("a", "1", b"")]


def test_the_index_is_saved_whole_or_not(store: StateStore) -> None:
    """Rows that cannot all be made are not saved at all."""

    def rows() -> Iterator[IndexRow]:
        yield IndexRow("a", "1", b"")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.index.save("one", rows(), removed=["b"])
    assert list(store.index.load("one")) == []


def test_the_index_fulfils_the_contract(store: StateStore) -> None:
    """MODEL 1: for the contract's own rows it is the contract's `IndexStore`."""
    index: IndexStore = store.index_of(ContractRow)
    index.save("one", [ContractRow("a", "1", b"x")])
    assert list(index.load("one")) == [ContractRow("a", "1", b"x")]
