"""Area paths: what is one, and what may be done with the slashes in it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.contract import (
    ROOT,
    InvalidArea,
    check_area,
    is_area,
    is_same_or_descendant,
    parent_area,
    rebase_area,
)

segments = st.text(
    st.characters(exclude_categories=["Cc", "Cs", "Z"], exclude_characters="<>()[]{}\"'`\\^|#?&/"),
    min_size=1,
    max_size=5,
)
areas = st.lists(segments, max_size=4).map(lambda parts: ROOT + "/".join(parts))


@given(areas)
def test_paths_of_the_alphabet_are_areas(area: str) -> None:
    """R-C-01, R-C-06: the root, or segments of the alphabet, each after one slash."""
    assert area == check_area(area)


@pytest.mark.parametrize("char", "<>()[]{}\"'`\\^|#?& \t\n\r\x00\x1f\x7f\x85\xa0\u2028\u2003")
def test_other_characters_are_refused(char: str) -> None:
    """R-C-06, MODEL 1: white space, controls and what Markdown or URLs give a meaning."""
    assert not is_area(f"/a{char}b")
    assert not is_area(f"/a{char}")


@pytest.mark.parametrize("area", ["", "a", "//", "//a", "/a/", "/a//b", "a/b", "/a\n", " /a"])
def test_other_shapes_are_refused(area: str) -> None:
    """R-C-08: no missing, doubled or trailing slash is cleaned up."""
    with pytest.raises(InvalidArea) as caught:
        check_area(area)
    assert area == caught.value.area


@pytest.mark.parametrize(
    ("area", "expected"), [("/", None), ("/A", "/"), ("/A/B", "/A"), ("/A%2F/B~2", "/A%2F")]
)
def test_parent(area: str, expected: str | None) -> None:
    """R-C-03: the parent is what is before the last slash; the root has none."""
    assert expected == parent_area(area)


@pytest.mark.parametrize(
    ("area", "ancestor", "expected"),
    [
        ("/A", "/A", True),
        ("/A/B", "/A", True),
        ("/AB", "/A", False),
        ("/A", "/AB", False),
        ("/A", "/A/B", False),
        ("/A/B/C", "/A", True),
        ("/a", "/A", False),
        ("/A", "/", True),
        ("/", "/", True),
        ("/", "/A", False),
    ],
)
def test_descendants(area: str, ancestor: str, expected: bool) -> None:
    """R-C-03: `/A` holds `/A/B` and no `/AB`."""
    assert expected == is_same_or_descendant(area, ancestor)


@pytest.mark.parametrize(
    ("area", "previous", "current", "expected"),
    [
        ("/A", "/A", "/B", "/B"),
        ("/A/x", "/A", "/B/C", "/B/C/x"),
        ("/AB", "/A", "/B", "/AB"),
        ("/A/A/x", "/A/A", "/A", "/A/x"),
        ("/x", "/A", "/B", "/x"),
        ("/", "/A", "/B", "/"),
    ],
)
def test_rebase(area: str, previous: str, current: str, expected: str) -> None:
    """R-C-43: descendants follow by their prefix, whole segments only."""
    assert expected == rebase_area(area, previous, current)


@given(areas, areas, areas)
def test_rebase_goes_back(area: str, previous: str, current: str) -> None:
    """R-C-43: what followed a move follows it back."""
    if ROOT in (previous, current) or not is_same_or_descendant(area, previous):
        return
    there = rebase_area(area, previous, current)
    assert is_same_or_descendant(there, current)
    assert area == rebase_area(there, current, previous)
