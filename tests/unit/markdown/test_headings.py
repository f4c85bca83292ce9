"""Top-level headings with their names and lines (R-F-20..23, R-F-34)."""

from __future__ import annotations

import pytest

from adapters.markdown import parse


def _outline(text: str) -> list[tuple[int, str]]:
    return [(heading.level, heading.name) for heading in parse(text).headings]


@pytest.mark.parametrize(
    ("text", "level", "name", "raw"),
    [
        ("# A", 1, "A", "A"),
        ("###### A b", 6, "A b", "A b"),
        ("   ##   A   ", 2, "A", "A"),
        ("## A ##", 2, "A", "A"),
        ("## A ##  \t", 2, "A", "A"),
        ("# A#", 1, "A#", "A#"),
        (r"# A \#", 1, "A #", r"A \#"),
        ("#\tA", 1, "A", "A"),
        ("# *A* **b** `c*` ~~d~~", 1, "A b c* d", "*A* **b** `c*` ~~d~~"),
        ("# [A](b.md) ![c](d.png)", 1, "A c", "[A](b.md) ![c](d.png)"),
        ("# A &amp; B&auml; &lt;", 1, "A & Bä <", "A &amp; B&auml; &lt;"),
        ("# A <b>c</b> <!-- d -->", 1, "A c", "A <b>c</b> <!-- d -->"),
        ("# <https://a.b>", 1, "https://a.b", "<https://a.b>"),
        ("# A {#id}", 1, "A", "A"),
        ("# A {#id} ##", 1, "A", "A"),
        ("# {#id}", 1, "{#id}", "{#id}"),
        ("# A {b}", 1, "A {b}", "A {b}"),
        ("A\n=", 1, "A", "A"),
        ("  A b  \n----   ", 2, "A b", "A b"),
        ("A\nb *c\nd*\n===", 1, "A b c d", "A\nb *c\nd*"),
        ("A\\\nb\n---", 2, "A b", "A\\\nb"),
        ("# 日本 \U0001f600", 1, "日本 \U0001f600", "日本 \U0001f600"),
        ("# a\0b", 1, "a\ufffdb", "a\0b"),
        ("# \u00a0A\u00a0", 1, "A", "A"),
    ],
)
def test_a_heading_has_a_plain_name_and_a_raw_one(
    text: str, level: int, name: str, raw: str
) -> None:
    """R-F-10, R-F-21, R-F-34: markup is left out of the name, markers out of its range."""
    (heading,) = parse(text).headings
    assert (level, name) == (heading.level, heading.name)
    assert raw == text[heading.name_start : heading.name_end]
    assert (0, len(text)) == (heading.start, heading.end)


@pytest.mark.parametrize(
    "text",
    [
        "#",
        "##  ##",
        "#A",
        "####### A",
        r"\# A",
        "    # A",
        "\t# A",
        "```\n# A\n```",
        "~~~\nA\n===\n",
        "```\n# never closed",
        "<div>\n# A\n</div>",
        "<!--\n# A\n\n# B\n-->",
        "> # A",
        "> A\n> ===",
        "- # A",
        "- A\n  ---",
        "1. # A",
        "[^1]: # A",
        "---\n# A: b\n---",
        "---\na: b\n---",
        "a\n\n---\n",
        "- - -",
        "| a |\n|---|\n",
        "# <br>",
        "# ![](x.png)",
        "> A\n===",
        "=",
        "[r]: x\n===",
    ],
)
def test_what_is_no_heading_is_no_area(text: str) -> None:
    """R-F-21: code, HTML, quotes, lists, footnotes, front matter and empty headings are text."""
    assert [] == _outline(text)


def test_level_gaps_and_equal_names_are_kept_as_they_stand() -> None:
    """R-F-22, R-F-25: the outline is what the text says, in its order."""
    text = "## b\n# a\n### a\n# a\n"
    assert [(2, "b"), (1, "a"), (3, "a"), (1, "a")] == _outline(text)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_lines_of_headings_cut_the_text_without_a_gap(newline: str) -> None:
    """R-F-23: start and end are whole lines, whatever ends a line."""
    parts = ["---\na: b\n---\n", "x\n\n", "# A\n", "y\n\n", "B\nc\n---\n", "\nz\n", "## D ##"]
    parts = [part.replace("\n", newline) for part in parts]
    text = "".join(parts)
    document = parse(text)
    assert parts[0] == text[slice(*document.front_matter or ())]
    assert [parts[2], parts[4], parts[6]] == [text[h.start : h.end] for h in document.headings]


def test_a_heading_interrupts_a_paragraph_and_a_list() -> None:
    """R-F-20: the block structure decides."""
    assert [(1, "A"), (2, "B")] == _outline("text\n# A\n- item\n## B\n")


def test_a_heading_after_a_quote_is_at_the_top_level() -> None:
    """R-F-21: an ATX heading is no lazy continuation."""
    assert [(1, "A")] == _outline("> quote\n# A\n")
