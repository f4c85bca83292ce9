"""Heading fragments as GitHub makes them (R-F-51)."""

from __future__ import annotations

import pytest

from adapters.markdown import github_slugs


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Part two", "part-two"),
        ("It's a test!", "its-a-test"),
        ("C++ & C#", "c--c"),
        ("snake_case-name", "snake_case-name"),
        ("1.2.3 Version", "123-version"),
        ("ÄÖ Straße", "äö-straße"),
        ("日本語 タイトル", "日本語-タイトル"),
        ("\U0001f600 smile", "-smile"),
        ("a  b", "a--b"),
        ("!!!", ""),
    ],
)
def test_letters_digits_and_marks_stay(name: str, slug: str) -> None:
    """R-F-51: lower case, punctuation gone, blanks to hyphens."""
    assert (slug,) == github_slugs([name])


def test_repeated_headings_are_counted() -> None:
    """R-F-51: the counter skips slugs that another heading has taken."""
    expected = ("dup", "dup-1", "dup-1-1", "dup-2", "other")
    assert expected == github_slugs(["Dup", "dup", "Dup-1", "DUP", "Other"])
