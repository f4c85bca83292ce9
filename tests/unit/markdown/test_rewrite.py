"""Rewriting exchanges destinations and no other byte (R-F-52)."""

from __future__ import annotations

from adapters.markdown import rewrite_links

TEXT = '# A\n\n[a](b.md "t") ![i](<c d.png>)\r\n\n> - [r]: x\n\n| a |\n|---|\n| [x](a\\|b) |\n'


def test_no_answer_changes_no_byte() -> None:
    """R-F-30: links without a new destination keep their spelling."""
    assert rewrite_links(TEXT, lambda link: None) == TEXT


def test_the_same_destination_keeps_its_spelling() -> None:
    """R-F-54: a destination that stays is not respelled."""
    assert rewrite_links(TEXT, lambda link: link.destination) == TEXT


def test_only_the_destination_is_exchanged() -> None:
    """R-F-52: text, title, brackets and surrounding bytes stay."""
    expected = '# A\n\n[a](z "t") ![i](<z>)\r\n\n> - [r]: z\n\n| a |\n|---|\n| [x](z) |\n'
    assert expected == rewrite_links(TEXT, lambda link: "z")
