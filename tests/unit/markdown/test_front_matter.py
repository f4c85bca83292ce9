"""The YAML block at the top is a span of its own (R-F-24; ARCHITECTURE, decision 2)."""

from __future__ import annotations

import pytest

from adapters.markdown import parse


@pytest.mark.parametrize(
    "block",
    [
        "---\ntitle: a\n---\n",
        "---\ntitle: a\n...\n",
        "---  \ntitle: a\n---\t\n",
        "---\r\ntitle: a\r\n---\r\n",
        "---\rtitle: a\r---\r",
        "---\n---\n",
        "---\n\n# only a comment\n---\n",
        "---\n# comment\n\ntags: [a, b]\nlist:\n  - '[x](y)'\n---\n",
        '---\n"quoted key": a\n---\n',
        "---\n{a: b}\n---\n",
        "---\ntext: |\n  --- not the end\n  # no heading\n---\n",
    ],
)
def test_a_closed_mapping_is_front_matter(block: str) -> None:
    """R-F-24: both marker lines and the last line end belong to it; what follows does not."""
    text = block + "# A [x](y)\n"
    document = parse(text)
    assert (0, len(block)) == document.front_matter
    assert ["A x"] == [heading.name for heading in document.headings]
    assert ["y"] == [text[link.start : link.end] for link in document.links]


def test_front_matter_may_be_the_whole_text() -> None:
    """R-F-24: no line end is needed after the closing marker."""
    assert (0, 12) == parse("---\na: b\n---").front_matter


@pytest.mark.parametrize(
    "text",
    [
        "---\na: b\n",
        "---\na: b\n ---\n",
        "---\na: b\n----\n",
        "\n---\na: b\n---\n",
        " ---\na: b\n---\n",
        "--- a\na: b\n---\n",
        "----\na: b\n----\n",
        "---\n\nA text between two rules.\n\n---\n",
        "---\n- a list\n---\n",
        "***\na: b\n***\n",
        "",
    ],
)
def test_anything_else_is_text(text: str) -> None:
    """Decision 2: a block that is not closed, not on line 1 or no mapping is text."""
    assert parse(text).front_matter is None


def test_links_between_two_rules_are_seen() -> None:
    """Decision 2: a document may begin with a thematic break."""
    assert ["y"] == [link.destination for link in parse("---\n\n[x](y)\n\n---\n").links]
