"""Relative paths as destinations (R-F-53)."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.markdown import encode_path


@pytest.mark.parametrize(
    ("path", "encoded"),
    [
        ("a.md", "a.md"),
        ("../Docs/x.png", "../Docs/x.png"),
        ("my file (1).md", "my%20file%20%281%29.md"),
        ("50% <a>#b?.md", "50%25%20%3Ca%3E%23b%3F.md"),
        ("Ä/日本 語.md", "Ä/日本%20語.md"),
        ("it's & co.md", "it's%20&%20co.md"),
        ("a\tb\x7f", "a%09b%7F"),
        ("a:b/c:d.md", "a%3Ab/c:d.md"),
        ("./a:b.md", "./a:b.md"),
        ("a\u00a0b\u2028", "a%C2%A0b%E2%80%A8"),
        ("[a]_*~.md", "[a]_*~.md"),
    ],
)
def test_only_what_must_be_is_encoded(path: str, encoded: str) -> None:
    """R-F-53: Unicode stays readable."""
    assert encoded == encode_path(path)


@settings(deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_one_decoding_gives_the_path_back(path: str) -> None:
    """R-F-51 with R-F-53: percent-decoding once is the inverse."""
    assert path == unquote(encode_path(path))
