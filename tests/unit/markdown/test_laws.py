"""Laws of rewriting, for any text and any destination (R-F-30, R-F-52)."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adapters.markdown import Link, LinkForm, find_links, parse, rewrite_links
from tests.unit.markdown.corpus import TEXTS
from tests.unit.markdown.structure import structure

# Pieces that open, close or cut what a link needs.
PIECES = st.sampled_from(
    (
        *("[", "](", ")", "![", "<", ">", "\n", "\n\n", "> ", "- ", "  ", "\t", "|", "\\", "`"),
        *("'", '"', "[x](y)", "![i](z 't')", "[x](<y z>)", "[r]: s\n", "<ab:c>", "<a href='b'>"),
        *("<div>\n", "<!--", "-->", "```\n", "# ", "===\n", "|---|\n", "&amp;", "\r\n", "\0"),
        *("é", "a", "b c", "\n[x](\n", "[a|b](c\\|d)", "[^f]: ", "<b c='", '<img src="d">'),
        *("---\n", "\u00a0"),
    )
)
MARKDOWN = st.lists(PIECES, max_size=25).map("".join) | st.sampled_from(TEXTS)
DESTINATION_PIECES = st.sampled_from(
    (
        *("a", "b.md", "/", " ", "(", ")", "<", ">", "'", '"', "`", "\\", "|", "&", "&amp;", "#"),
        *("\n", "\r", "\t", "[", "]", "-", "=", "*", "~~~", "1.", ":", "!", "?", "\x01", "div"),
        *("[^f]:", "-->", "é", "http:", "%20"),
    )
)
DESTINATIONS = st.text(st.characters(exclude_characters="\0"), max_size=8) | st.lists(
    DESTINATION_PIECES, max_size=5
).map("".join)


def _outside(text: str, links: tuple[Link, ...]) -> list[str]:
    """Return what stands between the destinations, without the `<>` that may come with them."""
    edges = [0, *(edge for link in links for edge in (link.start, link.end)), len(text)]
    between = [text[edges[i] : edges[i + 1]] for i in range(0, len(edges), 2)]
    for index, link in enumerate(links):
        if link.angle and link.form is not LinkForm.AUTOLINK:
            between[index] = between[index].removesuffix("<")
            between[index + 1] = between[index + 1].removeprefix(">")
    return between


@settings(deadline=None)
@given(MARKDOWN)
def test_a_rewrite_without_news_changes_nothing(text: str) -> None:
    """R-F-30: no answer and the same answer leave every byte."""
    assert text == rewrite_links(text, lambda link: None)
    assert text == rewrite_links(text, lambda link: link.destination)


@settings(deadline=None)
@given(MARKDOWN, st.data())
@example(TEXTS[1], None)
def test_a_new_destination_reads_back_and_nothing_else_changes(
    text: str, data: st.DataObject | None
) -> None:
    """R-F-52: each link says its new destination or is left alone; all other bytes stay."""
    links = [link for link in find_links(text) if link.form is not LinkForm.AUTOLINK]
    new = {link: data.draw(DESTINATIONS) if data else "a b'\n" for link in links}
    rewritten = rewrite_links(text, new.get)
    before, after = find_links(text), find_links(rewritten)
    assert [link.form for link in before] == [link.form for link in after]
    assert _outside(text, before) == _outside(rewritten, after)
    for old, now in zip(before, after, strict=True):
        # Left alone only where the old spelling held up what stands before it.
        allowed = {new.get(old, old.destination)}
        if set(text[old.start : old.end]) & set("\"' \t<>=") or "\x01" in new.get(old, ""):
            allowed.add(old.destination)
        assert now.destination in allowed


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("each_line", ["", "> ", "   "])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_destination_can_be_exchanged_alone(text: str, each_line: str, newline: str) -> None:
    """R-F-50, R-F-52: another parser sees the same text with other destinations."""
    text = each_line + text.replace("\n", f"\n{each_line}").replace("\n", newline)
    links = find_links(text)
    numbers = iter(range(len(links)))
    rewritten = rewrite_links(text, lambda link: f"new:{next(numbers)}")
    expected = [(link.form, f"new:{number}") for number, link in enumerate(links)]
    assert expected == [(link.form, link.destination) for link in find_links(rewritten)]
    start = (parse(text).front_matter or (0, 0))[1]
    assert structure(text[start:]) == structure(rewritten[start:])


@settings(deadline=None)
@given(MARKDOWN)
def test_offsets_are_in_order_and_inside_the_text(text: str) -> None:
    """The model: ranges are disjoint, rising, and whole lines for headings."""
    document = parse(text)
    edges = [edge for link in document.links for edge in (link.start, link.end)]
    assert sorted(edges) == edges
    assert find_links(text) == document.links
    for heading in document.headings:
        assert heading.name
        assert heading.start <= heading.name_start <= heading.name_end <= heading.end
        assert heading.end == len(text) or text[heading.end - 1] in "\r\n"
        assert heading.start == 0 or text[heading.start - 1] in "\r\n"
    lines = [edge for heading in document.headings for edge in (heading.start, heading.end)]
    assert sorted(lines) == lines
