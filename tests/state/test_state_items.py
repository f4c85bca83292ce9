"""Items: what is put is what is got; single columns, places, ids."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from state import UNREAD, AreaTaken, Conflict, ItemRow, Place, StateStore, TargetRow
from state.items import ItemStore, _item, _values
from tests.state.conftest import note

FULL = ItemRow(
    id="a",
    type=1,
    place=Place.GONE,
    reason="because",
    area="/x/y",
    name_used="y.md",
    parent_id="p",
    raw=b"\x00raw\xff",
    text_hash="hash",
    handle="dev:ino",
    revision="r1",
    updated_ms=1_700_000_000_123,
    client_ms=1_700_000_000_456,
    listed_s=1_700_000_001,
    trash_token="token",
    vanish_at=1.25,
    dirty=True,
    fetched=True,
)


def test_a_row_comes_back_as_it_was(items: ItemStore) -> None:
    """Every column is kept, and an unknown id is None."""
    items.put(FULL)
    assert items.get("a") == FULL
    assert items.get("b") is None


@given(
    st.builds(
        ItemRow,
        id=st.text(),
        type=st.integers(1, 13),
        place=st.sampled_from(Place),
        raw=st.binary(),
        area=st.none() | st.text(),
        vanish_at=st.none() | st.floats(allow_nan=False),
        dirty=st.booleans(),
        fetched=st.booleans(),
        updated_ms=st.integers(-(2**63), 2**63 - 1),
    )
)
def test_columns_and_fields_agree(row: ItemRow) -> None:
    """The columns of a row are those of the value, in one order."""
    values = _values(row)
    assert row == _item(values[:-1], row.raw)


def test_every_field_can_be_updated_alone(items: ItemStore) -> None:
    """`update` exchanges the named columns and no other."""
    for field in dataclasses.fields(ItemRow):
        if field.name == "id":
            continue
        items.put(note("a", "/a", raw=b"old"))
        before = items.get("a")
        change = {field.name: getattr(FULL, field.name)}
        assert items.update("a", **change)
        assert before is not None
        assert items.get("a") == dataclasses.replace(before, **change)


def test_an_update_names_real_columns_only(items: ItemStore) -> None:
    """A misspelled column is the caller's mistake; an unknown id is answered."""
    with pytest.raises(TypeError, match="colour"):
        items.update("a", colour="red")  # type: ignore[call-arg]  # what is tested
    assert not items.update("a", dirty=True)
    assert not items.update("a")


def test_a_bound_item_has_an_area(items: ItemStore) -> None:
    """MODEL 2.3: bound is bound to something."""
    with pytest.raises(Conflict):
        items.put(note("a", None, place=Place.BOUND))


def test_an_area_is_bound_once_for_each_type(items: ItemStore) -> None:
    """MODEL 4: (target, area, type) is unique where bound, and only there."""
    items.put(note("a", "/x"))
    with pytest.raises(AreaTaken, match="/x") as refusal:
        items.put(note("b", "/x"))
    assert refusal.value.area == "/x"
    items.put(note("folder", "/x", type=2))
    items.put(note("kept", "/x", place=Place.KEPT))
    items.put(note("gone", "/x", place=Place.GONE))
    with pytest.raises(AreaTaken, match="/x"):
        items.update("gone", place=Place.BOUND)
    items.put(note("c", "/y"))
    with pytest.raises(AreaTaken, match="/x"):
        items.update("c", area="/x")


def test_raw_is_served_until_gone(items: ItemStore) -> None:
    """MODEL 2.3: bound and kept items are served from `raw`, gone ones are not."""
    items.put(note("a", "/a", raw=b"text", listed_s=7))
    items.put(note("k", raw=b"kept", listed_s=8))
    assert items.raw("a") == (b"text", 7)
    assert items.raw("k") == (b"kept", 8)
    items.update("a", place=Place.GONE)
    assert items.raw("a") is None
    assert items.raw("unknown") is None


def test_the_listing_has_all_but_the_gone(items: ItemStore) -> None:
    """MODEL 2.3: bound and kept items are listed, with their listing time."""
    items.put(note("a", "/a", listed_s=1))
    items.put(note("k", listed_s=2))
    items.put(note("g", "/g", place=Place.GONE, listed_s=3))
    assert sorted(items.listed()) == [("a", 1), ("k", 2)]


def test_a_listing_outlives_changes(items: ItemStore) -> None:
    """A listing is a snapshot; who walks it may change what it lists."""
    for name in "abc":
        items.put(note(name, f"/{name}"))
    for item_id, _ in items.listed():
        items.remove(item_id)
    assert list(items.listed()) == []


def test_light_rows_leave_the_text_alone(items: ItemStore) -> None:
    """A row listed without its text can be stored again without losing it."""
    items.put(note("a", "/a", parent_id="p", raw=b"text"))
    for light in (*items.bound(), *items.children("p")):
        assert light.raw is UNREAD
        assert light.raw == b""
        items.put(dataclasses.replace(light, listed_s=9))
        items.update("a", raw=light.raw)
        assert items.raw("a") == (b"text", 9)
    items.put(dataclasses.replace(items.bound()[0], raw=b""))
    assert items.raw("a") == (b"", 9)


def test_a_light_row_of_a_forgotten_item_has_no_text(items: ItemStore) -> None:
    """Storing a light row of an item that was removed makes it again, empty."""
    items.put(note("a", "/a", raw=b"text"))
    (light,) = items.bound()
    items.remove("a")
    items.put(light)
    assert items.raw("a") == (b"", 0)


def test_children_are_not_gone(items: ItemStore) -> None:
    """A notebook's children are those that are listed."""
    items.put(note("a", "/a", parent_id="p"))
    items.put(note("k", parent_id="p"))
    items.put(note("g", place=Place.GONE, parent_id="p"))
    items.put(note("o", "/o", parent_id="other"))
    assert sorted(row.id for row in items.children("p")) == ["a", "k"]


def test_items_to_look_at_are_found(items: ItemStore) -> None:
    """Dirty, vanishing and kept items are found by what they are."""
    items.put(note("a", "/a", dirty=True, listed_s=2))
    items.put(note("b", "/b", dirty=True, listed_s=1))
    items.put(note("c", "/c", vanish_at=5.5))
    items.put(note("d", "/d", vanish_at=4.5))
    items.put(note("k", reason="parent", raw=b"text"))
    items.put(note("l", reason="encrypted"))
    assert items.dirty_ids() == ["b", "a"]
    assert [row.id for row in items.vanishing()] == ["d", "c"]
    assert items.kept("parent") == [note("k", reason="parent", raw=b"text")]


def test_counts_are_by_type(items: ItemStore) -> None:
    """What is counted is what is listed."""
    assert items.counts() == {}
    assert not items.any_bound()
    items.put(note("a", "/a"))
    items.put(note("f", "/f", type=2))
    items.put(note("k"))
    items.put(note("g", place=Place.GONE))
    assert items.counts() == {1: 2, 2: 1}
    assert items.any_bound()


def test_fetched_is_remembered(items: ItemStore) -> None:
    """MODEL 2.13: what a client has read is marked, and marking it again writes nothing."""
    for name in "abc":
        items.put(note(name, f"/{name}"))
    items.mark_fetched(["a", "b", "unknown"])
    written = items._session.db.conn.total_changes
    items.mark_fetched(["b", "a"])
    assert written == items._session.db.conn.total_changes
    assert sorted(row.id for row in items.bound() if row.fetched) == ["a", "b"]


def test_an_id_is_used_for_ever(store: StateStore, target: TargetRow, items: ItemStore) -> None:
    """R-J-41: an id counts as used while any row or version has it."""
    items.put(note("a", place=Place.GONE))
    items.put(note("b", "/b"))
    store.versions(target.id).add("b", b"text", "test", 1.0)
    items.remove("b")
    assert items.ever_used("a")
    assert items.ever_used("b")
    assert not items.ever_used("c")


def test_removing_forgets_what_was_waited_for(
    store: StateStore, target: TargetRow, items: ItemStore
) -> None:
    """A removed item waits for nothing; others may still wait for it."""
    waits = store.waits(target.id)
    items.put(note("a", "/a"))
    waits.set("a", ["x"])
    waits.set("b", ["a"])
    assert items.remove("a")
    assert not items.remove("a")
    assert waits.needs("a") == []
    assert waits.waiting_for("a") == ["b"]


def test_a_new_id_is_new_everywhere(store: StateStore, target: TargetRow, items: ItemStore) -> None:
    """A rekeyed item takes children, waits, versions and findings with it."""
    waits, versions = store.waits(target.id), store.versions(target.id)
    items.put(note("old", "/f", type=2, raw=b"text"))
    items.put(note("child", "/f/c", parent_id="old"))
    waits.set("old", ["x"])
    waits.set("child", ["old"])
    versions.add("old", b"before", "test", 1.0)
    store.findings(target.id).add("old", "code", "detail", 1.0)
    assert items.rekey("old", "new")
    assert items.get("old") is None
    assert items.get("new") == note("new", "/f", type=2, raw=b"text")
    assert [row.id for row in items.children("new")] == ["child"]
    assert (waits.needs("new"), waits.waiting_for("new")) == (["x"], ["child"])
    assert [row.why for row in versions.list("new")] == ["test"]
    assert [row.item_id for row in store.findings(target.id).list()] == ["new"]


def test_an_id_in_use_is_not_given_out(items: ItemStore) -> None:
    """Rekeying onto a row that exists is refused as a whole; an unknown id is answered."""
    items.put(note("a", "/a"))
    items.put(note("b", place=Place.GONE))
    items.put(note("c", "/c", parent_id="a"))
    with pytest.raises(Conflict):
        items.rekey("a", "b")
    assert [row.id for row in items.children("a")] == ["c"]
    assert not items.rekey("unknown", "d")


def test_targets_do_not_see_each_other(store: StateStore, items: ItemStore) -> None:
    """Every row belongs to one target."""
    other = store.items(store.targets.add("filebased:/srv/other", "/joplin").id)
    items.put(note("a", "/a", raw=b"mine"))
    other.put(note("a", "/a", raw=b"other"))
    other.rebase([("/a", "/b")])
    other.update("a", raw=b"changed")
    assert items.get("a") == note("a", "/a", raw=b"mine")
    assert other.get("a") == note("a", "/b", raw=b"changed")


def test_a_target_that_is_not_there_holds_nothing(store: StateStore) -> None:
    """A row of an unknown target is refused."""
    with pytest.raises(Conflict):
        store.items(99).put(note("a", "/a"))
