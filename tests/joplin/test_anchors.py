"""Anchors of headings, compared with what the client's own code makes of them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from davbridge.joplin.anchors import encode_anchor, joplin_slugs


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("C++ & C#", "c-c"),
        ("It's a test", "its-a-test"),
        ("1.2.3 Version", "123-version"),
        ("snake_case ~x", "snake_case-~x"),
        ("!!!", ""),
        ("---", "-"),
        ("x² ½ ﬁn Ⅳ", "x2-12-fin-iv"),
        ("Ｆｕｌｌ　ｗｉｄｔｈ！", "full-width"),
        ("一、二。三", "一-二-三"),
        ("漢字 かな 한글", "漢字-かな-한글"),
        ("Größe  -  Élan", "größe-élan"),
        ("ΟΔΟΣ İ", "οδος-i̇"),
        ("tab\there", "tabhere"),
        ("non\u00a0breaking\u2003space", "non-breaking-space"),
        ("𐐀 beyond 𠀀", "beyond"),
        ("𝒜 folds", "a-folds"),
        ("ends -", "ends-"),
    ],
)
def test_a_heading_gets_the_anchor_joplin_gives(name: str, slug: str) -> None:
    """Each value was made by client 3.5.1 (FORMAT 4.2)."""
    assert (slug,) == joplin_slugs([name])


def test_emoji_vanish() -> None:
    """Clients put a name for an emoji, which needs a table of theirs; here it leaves nothing."""
    assert ("go", "ready", "-now", "1-first") == joplin_slugs(
        ["🚀 Go", "Ready ❤️", "✅-now", "1️⃣ First"]
    )


def test_equal_anchors_are_counted_past_those_taken() -> None:
    """The second of a kind gets -2, skipping what another heading has; empty ones too."""
    assert ("dup", "dup-2", "dup-1", "dup-1-2") == joplin_slugs(["Dup", "Dup", "Dup-1", "dup 1"])
    assert ("a-2", "a", "a-3") == joplin_slugs(["a 2", "a", "a"])
    assert ("", "-2", "-3") == joplin_slugs(["!", "?", "."])


@given(st.lists(st.text(max_size=6), max_size=20))
def test_anchors_of_a_note_differ(names: list[str]) -> None:
    """No two headings of a note share an anchor."""
    slugs = joplin_slugs(names)
    assert len(names) == len(set(slugs))


def test_many_equal_headings_cost_little() -> None:
    """Ten thousand headings of one name are counted, not searched."""
    assert "log-10000" == joplin_slugs(["Log"] * 10_000)[-1]


@pytest.mark.parametrize(
    ("anchor", "spelled"),
    [
        ("größe-漢字", "größe-漢字"),
        ("snake_case-~x", "snake_case-~x"),
        ("100%", "100%25"),
        ("a+b c", "a%2Bb%20c"),
        ("f(x)<y>\"'", "f%28x%29%3Cy%3E%22%27"),
        ("a\u00a0b\u200b", "a%C2%A0b%E2%80%8B"),
    ],
)
def test_an_anchor_is_spelled_so_that_no_client_breaks(anchor: str, spelled: str) -> None:
    """Percent signs, plus signs, blanks and brackets are coded, letters stay (FORMAT 4.1)."""
    assert spelled == encode_anchor(anchor)
