"""Areas: found by path and prefix, moved together."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from state import AreaTaken, Place, StateStore
from state.items import ItemStore
from tests.state.conftest import fail_after, note


def _areas(items: ItemStore) -> dict[str, str | None]:
    return {row.id: row.area for row in items.bound()}


def _bind(items: ItemStore, **areas: str) -> None:
    for item_id, area in areas.items():
        items.put(note(item_id, area))


def test_an_area_is_found_bound_before_kept(items: ItemStore) -> None:
    """`by_area` prefers what is bound, then the lower type; what is gone has a list of its own."""
    assert items.by_area("/x") is None
    items.put(note("gone", "/x", place=Place.GONE, listed_s=1))
    items.put(note("later", "/x", place=Place.GONE, listed_s=2))
    assert items.by_area("/x") is None
    items.put(note("kept", "/x", place=Place.KEPT, raw=b"text"))
    assert items.by_area("/x") == note("kept", "/x", place=Place.KEPT, raw=b"text")
    items.put(note("folder", "/x", type=2))
    items.put(note("note", "/x"))
    found = [items.by_area("/x"), items.by_area("/x", item_type=2)]
    assert [row and row.id for row in found] == ["note", "folder"]
    assert [row.id for row in items.gone_by_area("/x")] == ["later", "gone"]


def test_below_is_by_whole_segments(items: ItemStore) -> None:
    """R-C-01: `/A` holds `/A/x` and not `/AB`, `/A-`, `/A0` or itself."""
    _bind(items, a="/A", b="/A/x", c="/A/x/y", d="/AB", e="/A-", f="/A0", g="/A.md", h="/a/x")
    items.put(note("k", "/A/k", place=Place.KEPT))
    items.put(note("g1", "/A/g", place=Place.GONE))
    assert [row.id for row in items.below("/A")] == ["k", "b", "c"]
    assert [row.id for row in items.below("/nowhere")] == []


def test_everything_is_below_the_root(items: ItemStore) -> None:
    """The root holds every area but itself."""
    _bind(items, root="/", a="/A", b="/A/x", u="/Ünï", z="/\U0001f600")
    assert [row.id for row in items.below("/")] == ["a", "b", "u", "z"]


def test_a_move_takes_everything_below(items: ItemStore) -> None:
    """R-J-42: a moved notebook takes all rows below it, gone and kept ones too."""
    _bind(items, a="/A", b="/A/x", c="/AB", d="/A/x/A/y")
    items.put(note("g", "/A/g", place=Place.GONE))
    items.put(note("k", "/A/k", place=Place.KEPT))
    items.rebase([("/A", "/Z/Ä")])
    assert _areas(items) == {"a": "/Z/Ä", "b": "/Z/Ä/x", "c": "/AB", "d": "/Z/Ä/x/A/y"}
    assert [row.id for row in items.gone_by_area("/Z/Ä/g")] == ["g"]
    kept = items.by_area("/Z/Ä/k")
    assert kept is not None
    assert kept.id == "k"


def test_two_areas_swap(items: ItemStore) -> None:
    """Changes apply at once: A<->B exchanges both, with what is below."""
    _bind(items, a="/A", b="/B", ax="/A/x", bx="/B/x")
    items.rebase([("/A", "/B"), ("/B", "/A")])
    assert _areas(items) == {"a": "/B", "b": "/A", "ax": "/B/x", "bx": "/A/x"}


@pytest.mark.parametrize("turn", [1, -1])
def test_a_chain_moves_each_once(items: ItemStore, turn: int) -> None:
    """A->B, B->C: in either order, nothing is moved twice."""
    _bind(items, a="/A", b="/B", ax="/A/x")
    items.rebase([("/A", "/B"), ("/B", "/C")][::turn])
    assert _areas(items) == {"a": "/B", "b": "/C", "ax": "/B/x"}


@pytest.mark.parametrize("turn", [1, -1])
def test_the_deepest_change_counts(items: ItemStore, turn: int) -> None:
    """A change of something below another change goes its own way."""
    _bind(items, a="/A", b="/A/x", c="/A/x/y", d="/A/z")
    items.rebase([("/A", "/B"), ("/A/x", "/C")][::turn])
    assert _areas(items) == {"a": "/B", "b": "/C", "c": "/C/y", "d": "/B/z"}


def test_a_move_into_itself_and_out_again(items: ItemStore) -> None:
    """A path may become longer or shorter by its own prefix."""
    _bind(items, a="/A", b="/A/x")
    items.rebase([("/A", "/A/A")])
    assert _areas(items) == {"a": "/A/A", "b": "/A/A/x"}
    items.rebase([("/A/A", "/A")])
    assert _areas(items) == {"a": "/A", "b": "/A/x"}


def test_renumbered_headings_move_together(items: ItemStore) -> None:
    """R-C-43: siblings that take each other's number move in one step."""
    _bind(items, a="/d/h", b="/d/h~2", c="/d/h~3")
    items.remove("a")
    items.rebase([("/d/h~2", "/d/h"), ("/d/h~3", "/d/h~2")])
    assert _areas(items) == {"b": "/d/h", "c": "/d/h~2"}


@pytest.mark.parametrize("changes", [[("/A", "/B")], [("/A", "/C"), ("/B", "/C")]])
def test_a_move_onto_a_bound_area_is_refused(
    items: ItemStore, changes: list[tuple[str, str]]
) -> None:
    """No area is bound twice at the end: the whole change is refused and nothing moves."""
    _bind(items, a="/A", ax="/A/x", b="/B")
    with pytest.raises(AreaTaken) as refusal:
        items.rebase([*changes, ("/A/x", "/x")])
    assert refusal.value.area == changes[0][1]
    assert _areas(items) == {"a": "/A", "ax": "/A/x", "b": "/B"}


def test_no_change_is_no_change(items: ItemStore) -> None:
    """An empty list, an unknown area and a change to itself are fine."""
    _bind(items, a="/A")
    items.rebase([])
    items.rebase([("/A", "/A"), ("/nowhere", "/A/x")])
    assert _areas(items) == {"a": "/A"}


def test_a_move_is_undone_with_its_transaction(store: StateStore, items: ItemStore) -> None:
    """R-J-42: the rows move in the transaction of the change, or not at all."""
    _bind(items, a="/A")
    with pytest.raises(ZeroDivisionError):
        fail_after(store, lambda: items.rebase([("/A", "/B")]))
    assert _areas(items) == {"a": "/A"}


_AREA = st.lists(st.sampled_from(["A", "AB", "A-", "Ä"]), min_size=1, max_size=3).map(
    lambda names: "/" + "/".join(names)
)


def _moved(area: str, changes: dict[str, str]) -> str:
    """What `rebase` promises, said once more in plain words: the longest prefix is exchanged."""
    names = area.split("/")
    for length in range(len(names), 1, -1):
        previous = "/".join(names[:length])
        if previous in changes:
            return "/".join([changes[previous], *names[length:]])
    return area


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(areas=st.sets(_AREA, max_size=8), changes=st.dictionaries(_AREA, _AREA, max_size=4))
def test_rebase_is_one_simultaneous_mapping(
    items: ItemStore, areas: set[str], changes: dict[str, str]
) -> None:
    """R-J-42, R-C-44: any set of changes maps every area once, or is refused as a whole."""
    for row in items.bound():
        items.remove(row.id)
    _bind(items, **{area: area for area in areas})
    expected = {area: _moved(area, changes) for area in areas}
    if len(set(expected.values())) < len(areas):
        with pytest.raises(AreaTaken):
            items.rebase(list(changes.items()))
        expected = {area: area for area in areas}
    else:
        items.rebase(list(changes.items()))
    assert _areas(items) == expected
