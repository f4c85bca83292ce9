"""How a destination is spelled in its place (R-F-52, R-F-53)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.markdown import (
    Link,
    LinkForm,
    Verbatim,
    find_links,
    rewrite_links,
    spell_destination,
    spelling_of,
)

PLACES = [
    "[x](y)",
    "[x](<y>)",
    "![x](y 't')",
    "[r]: y",
    "[r]: <y> 't'",
    "t <a href='y'>",
    "|[x](y)|\n|-|",
]


def _link(text: str) -> Link:
    (link,) = find_links(text)
    return link


@pytest.mark.parametrize(
    ("destination", "bare", "angle", "html"),
    [
        ("it's (1).md", "it's&#32;\\(1\\).md", "it's \\(1\\).md", "it&#39;s &#40;1&#41;.md"),
        ("a\\b", "a\\\\b", "a\\\\b", "a\\b"),
        ("a?b=1&c=2", "a?b=1&c=2", "a?b=1&c=2", "a?b=1&amp;c=2"),
        ("a&lt;", "a&amp;lt;", "a&amp;lt;", "a&amp;lt;"),
        ("a|b<c>", "a&#124;b&lt;c&gt;", "a&#124;b&lt;c&gt;", "a&#124;b&lt;c&gt;"),
        ("", "<>", "", ""),
        ("Ä 語", "Ä&#32;語", "Ä 語", "Ä 語"),
        ("a\x01", "<a\x01>", "a\x01", "a\x01"),
        ("===", "&#61;==", "===", "==="),
        ("!x", "!x", "&#33;x", "!x"),
        ("table", "table", "&#116;able", "table"),
        ("--", "&#45;-", "-&#45;", "--"),
    ],
)  # fmt: skip
def test_a_spelling_is_readable_and_safe(
    destination: str, bare: str, angle: str, html: str
) -> None:
    """R-F-53: escaped only as far as the place needs it; brackets stay as they are."""
    assert bare == spell_destination(destination, _link("[x](y)"))
    assert angle == spell_destination(destination, _link("[x](<y>)"))
    assert html == spell_destination(destination, _link("t <a href='y'>"))


@pytest.mark.parametrize("place", PLACES)
@settings(deadline=None)
@given(destination=st.text(st.characters(exclude_characters="\0")))
def test_a_spelling_reads_back_as_the_destination(place: str, destination: str) -> None:
    """R-F-52: any destination but one with a NUL can be spelled in any place."""
    link = _link(place)
    text = place[: link.start] + spell_destination(destination, link) + place[link.end :]
    assert (link.form, destination) == (_link(text).form, _link(text).destination)


def test_a_nul_cannot_be_spelled() -> None:
    """CommonMark 2.3: a NUL reads as U+FFFD, so such a link is left alone."""
    for place in PLACES:
        with pytest.raises(ValueError, match="NUL"):
            spell_destination("a\0", _link(place))
        assert place == rewrite_links(place, lambda link: "a\0")


def test_an_autolink_keeps_its_form_where_it_can() -> None:
    """R-F-52: a destination with a scheme stays between the brackets."""
    assert "a <https://b/c?d=(e)>" == rewrite_links("a <http:x>", lambda link: "https://b/c?d=(e)")
    with pytest.raises(ValueError, match="autolink"):
        spell_destination("../b.md", _link("<http:x>"))


@pytest.mark.parametrize(
    ("text", "destination", "expected"),
    [
        ("<ab:x>", "../B_c.md", "[../B\\_c.md](../B_c.md)"),
        ("a <ab:x>b", "my [file].md", "a [my \\[file\\].md](my&#32;[file].md)b"),
        ("|<ab:x>|\n|-|\n", "a|b", "|[a&#124;b](a&#124;b)|\n|-|\n"),
        ("<ab:x>", ":/0123", "[:/0123](:/0123)"),
        ("a <!-- <ab:x>", "cd:--", "a <!-- [cd:--](cd:--)"),
    ],
)
def test_an_autolink_becomes_inline_for_a_relative_destination(
    text: str, destination: str, expected: str
) -> None:
    """R-F-53: a relative path has no scheme, so no autolink can hold it."""
    assert expected == rewrite_links(text, lambda link: destination)


@pytest.mark.parametrize("text", ["!<ab:x>", "[y]<ab:x>", "[y <ab:x>](z)"])
def test_an_autolink_is_left_alone_where_a_bracket_would_mean_more(text: str) -> None:
    """MODEL 6: what cannot be said in its place stays as it is."""
    rewritten = rewrite_links(text, lambda link: "b.md" if link.form is LinkForm.AUTOLINK else None)
    assert text == rewritten


def test_one_link_that_cannot_be_said_does_not_hold_up_the_others() -> None:
    """MODEL 6: the failing link is left alone, and only that one."""
    text = "![a](<b c>) [y <ab:x>](z) ![d](<e f>) <ab:g>"
    rewritten = rewrite_links(text, lambda link: None if link.destination == "z" else "n")
    assert "![a](<n>) [y <ab:x>](z) ![d](<n>) [n](n)" == rewritten


def test_what_an_old_spelling_kept_shut_stays_shut() -> None:
    """R-F-52: with the quote gone, all of this would be a title; so the link is left alone."""
    text = '[a](b "t [x](y"z) ")'
    assert ['y"z'] == [link.destination for link in find_links(text)]
    assert text == rewrite_links(text, lambda link: "w")


def test_a_verbatim_spelling_is_put_in_place_with_its_brackets() -> None:
    """R-F-54: a link gets back the spelling it had in an older text."""
    old, new = "[x](<../Docs/my pic.png>)", "a ![y](knowledge-resource:1.eA 't')"
    spelling = spelling_of(old, _link(old))
    assert "<../Docs/my pic.png>" == spelling
    assert "a ![y](<../Docs/my pic.png> 't')" == rewrite_links(new, lambda link: spelling)


def test_a_verbatim_spelling_takes_brackets_away() -> None:
    """FORMAT 4.1: Joplin finds only `](:/id)`."""
    assert "![y](:/0123)" == rewrite_links("![y](<my pic.png>)", lambda link: Verbatim(":/0123"))
    assert "[:/01](:/01)" == rewrite_links("<ab:x>", lambda link: Verbatim(":/01"))
    assert "<cd:x>" == rewrite_links("<ab:x>", lambda link: Verbatim("<cd:x>"))


@pytest.mark.parametrize("spelling", ["a b", "a)", "<a", "a> ", "(", "", "\n\n", "a\n"])
def test_a_verbatim_spelling_that_breaks_the_link_is_not_taken(spelling: str) -> None:
    """MODEL 6: what does not read back is left alone."""
    assert "[x](y) z" == rewrite_links("[x](y) z", lambda link: Verbatim(spelling))
