"""Every form of link is found at its place, and nothing else is (R-F-50, R-C-85)."""

from __future__ import annotations

import pytest

from adapters.markdown import Link, LinkForm, find_links, parse

INLINE, IMAGE, DEFINITION = LinkForm.INLINE, LinkForm.IMAGE, LinkForm.DEFINITION
AUTOLINK, HTML = LinkForm.AUTOLINK, LinkForm.HTML
AREA = "knowledge-area:/A~/B%20c"
ID = "0123456789abcdef0123456789abcdef"

FORMS = [
    ("[x](y.md)", INLINE, "y.md", "y.md"),
    ('[x](y.md "title")', INLINE, "y.md", "y.md"),
    ("[x](y.md 'it')", INLINE, "y.md", "y.md"),
    ("[x](  y.md  (title) )", INLINE, "y.md", "y.md"),
    ("[x](\ny.md\n'over\ntwo lines')", INLINE, "y.md", "y.md"),
    ("[x](<my file.md>)", INLINE, "my file.md", "my file.md"),
    ("[x](<>)", INLINE, "", ""),
    ("[x](a(b(c)).md)", INLINE, "a(b(c)).md", "a(b(c)).md"),
    (r"[x](a\(b\).md)", INLINE, r"a\(b\).md", "a(b).md"),
    (r"[x](<a\>b>)", INLINE, r"a\>b", "a>b"),
    (r"[x](C:\dir\file)", INLINE, r"C:\dir\file", r"C:\dir\file"),
    ("[x](a&amp;b&#32;c&auml;)", INLINE, "a&amp;b&#32;c&auml;", "a&b cä"),
    ("[x](my%20file.md#a%2Fb)", INLINE, "my%20file.md#a%2Fb", "my%20file.md#a%2Fb"),
    ("[x](ÄÖ/日本.md)", INLINE, "ÄÖ/日本.md", "ÄÖ/日本.md"),
    ("[x](HTTP://EXAMPLE.org/ä)", INLINE, "HTTP://EXAMPLE.org/ä", "HTTP://EXAMPLE.org/ä"),
    (f"[x](:/{ID})", INLINE, f":/{ID}", f":/{ID}"),
    (f"[x](:/{ID}#an-anchor)", INLINE, f":/{ID}#an-anchor", f":/{ID}#an-anchor"),
    (f"[x]({AREA})", INLINE, AREA, AREA),
    ("[x](knowledge-resource:1.eA)", INLINE, "knowledge-resource:1.eA", "knowledge-resource:1.eA"),
    ("[x](javascript:alert)", INLINE, "javascript:alert", "javascript:alert"),
    ("[x](file:///etc/passwd)", INLINE, "file:///etc/passwd", "file:///etc/passwd"),
    ("[x](data:text/html,y)", INLINE, "data:text/html,y", "data:text/html,y"),
    ("![alt *text*](i.png)", IMAGE, "i.png", "i.png"),
    ('![](<i j.png> "t")', IMAGE, "i j.png", "i j.png"),
    ("*[x](y)*", INLINE, "y", "y"),
    ("~~[x](y)~~", INLINE, "y", "y"),
    ("[a [b] `c](d` e](y)", INLINE, "y", "y"),
    ("[r]: y.md", DEFINITION, "y.md", "y.md"),
    ('[r]: <y z.md> "title"', DEFINITION, "y z.md", "y z.md"),
    ("[r]:\n   y.md\n   'title'", DEFINITION, "y.md", "y.md"),
    ("[a\nb]:\ny.md", DEFINITION, "y.md", "y.md"),
    ("<https://a.b/c?d=e&amp;f>", AUTOLINK, "https://a.b/c?d=e&amp;f", "https://a.b/c?d=e&amp;f"),
    ("<knowledge-area:/A/B>", AUTOLINK, "knowledge-area:/A/B", "knowledge-area:/A/B"),
    ('t <a href="y.md">z</a>', HTML, "y.md", "y.md"),
    ("t <IMG alt=x SRC='y.png' />", HTML, "y.png", "y.png"),
    ('t <a\n  class="c"\n  href = "y.md">', HTML, "y.md", "y.md"),
    ('<div>\n<img src="a&amp;b.png">\n</div>', HTML, "a&amp;b.png", "a&b.png"),
    ('<video src="v.mp4"></video>', HTML, "v.mp4", "v.mp4"),
    ('<audio>\n<source src="s.ogg">\n</audio>', HTML, "s.ogg", "s.ogg"),
]  # fmt: skip


def _spelled(text: str) -> list[tuple[LinkForm, str, str]]:
    return [(link.form, text[link.start : link.end], link.destination) for link in find_links(text)]


@pytest.mark.parametrize(("text", "form", "spelling", "destination"), FORMS)
def test_each_form_is_found(text: str, form: LinkForm, spelling: str, destination: str) -> None:
    """R-F-50: form, range and unescaped destination of every kind of link."""
    assert [(form, spelling, destination)] == _spelled(text)


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("before", "each_line"),
    [
        ("", ""),
        ("", "> "),
        ("", ">"),
        ("", "  >\t> "),
        ("- ", "  "),
        ("10. - ", "      "),
        ("- > ", "  > "),
        ("> 1.  ", ">     "),
        ("[^n]: ", "    "),
        ("-\t", "\t"),
        ("* a\n\n    > ", "    > "),
        ("> a\n", ""),
        ("---\nlink: '[no](no)'\n---\n", ""),
        ("\0\t\ufeff \U0001f600\n\n", ""),
    ],
)
def test_prefixes_and_line_ends_do_not_move_a_link(
    before: str, each_line: str, newline: str
) -> None:
    """MODEL 6: quotes, lists, footnotes, tabs, NUL and any line end are mapped back."""
    first = before or each_line
    text = first + f"\n{each_line}".join(
        ["a [x](one.md)", "![i](<two two.png>", "'t')", 'b <https://three> <a href="four">']
    )
    text = text.replace("\n", newline)
    expected = ["one.md", "two two.png", "https://three", "four"]
    assert expected == [text[link.start : link.end] for link in find_links(text)]
    assert expected == [link.destination for link in find_links(text)]


def test_cells_of_a_table_are_mapped_back_over_their_escapes() -> None:
    r"""MODEL 6: `\|` in a cell is a pipe, in the text before a link and in its destination."""
    text = (
        "> | a | [h](h) |\n> |---|:-:|\n"
        "> |\\| [x](a\\|b.md) | \\|\\|![i](<c\\|d>) `\\|`|\n> [l](l)|\n"
    )
    expected = [("h", "h"), ("a\\|b.md", "a|b.md"), ("c\\|d", "c|d"), ("l", "l")]
    assert expected == [
        (text[each.start : each.end], each.destination) for each in find_links(text)
    ]


def test_links_in_links_come_in_order_of_place() -> None:
    """R-F-50: the picture in a link's text stands before the link's own destination."""
    text = "[![a ![b](1) <http:c>](2) <img src='3'>](4) ![![x](5)](6)"
    assert ["1", "http:c", "2", "3", "4", "5", "6"] == [
        each.destination for each in find_links(text)
    ]


def test_repeated_definitions_are_all_found() -> None:
    """R-F-50: a definition that CommonMark ignores is still spelled, and must follow a move."""
    text = "[r]: one\n[r]: two\n\n[R]: three\n\n[x][r] [r][] [r] ![r]\n"
    assert ["one", "two", "three"] == [link.destination for link in find_links(text)]


def test_headings_hold_links() -> None:
    """R-F-50: links in ATX and setext headings, also in quotes, are found."""
    text = "# a [x](1) #\n\nb [y](2)\nc [z](3)\n===\n\n> ## [q](4)\n"
    assert ["1", "2", "3", "4"] == [link.destination for link in find_links(text)]


@pytest.mark.parametrize(
    "text",
    [
        "`[x](y)`",
        "a ``b ` [x](y)`` c",
        "    [x](y)\n",
        "```\n[x](y)\n[r]: z\n```\n",
        "~~~ md\n<a href='y'>\n",
        "> ```\n> [x](y)\n",
        "---\na: '[x](y)'\nb: <https://c>\n---\n",
        "---\na: '[x](y)'\n...\n",
        "a <!-- [x](y) <a href='z'> --> b",
        "<!--\n[x](y)\n\n<a href='z'>\n-->\n",
        "<div><!-- <img src='z'> --></div>\n",
        "<script>\nx = '<a href=\"y\">'\n</script>\n",
        "<div>[x](y)</div>\n",
        "a <a href=y> <img src=y>",
        "a <b href='y'> <link href='y'> <a src='y'> <img href='y'>",
        "![x](:/0123456789abcdef0123456789abcdef =100x200)",
        "[x](my file.md)",
        "[x] (y) [x]",
        r"\[x](y) and \<https://y>",
        r"[x\](y)",
        "[x](y",
        "[x](<y)",
        "[x]()",
        "<y@example.org>",
        "<y.md> <:/0123456789abcdef0123456789abcdef>",
        "https://bare.example",
        "[[Wiki]] ![[pic.png]]",
        "a\n[r]: not-after-text",
        "[^1]: https://a.footnote.is/no-definition",
        "a <a href='over\ntwo lines'>",
        "a <a href='\ny'>",
        "a <a href='y'b>",
        "",
        "\0",
    ],
)
def test_text_that_only_looks_like_a_link_is_none(text: str) -> None:
    """R-F-50: code, comments, front matter and what CommonMark reads as text hold no links."""
    assert () == find_links(text)
    assert () == parse(text).links


def test_the_cheap_test_and_the_parse_agree() -> None:
    """MODEL 6: a text without signs of links is not parsed, and has none."""
    assert () == find_links("- [ ] todo\n- [x] done: a < b, a <b, 5 <3\n\n[see above]\n")


def test_angle_tells_whether_brackets_surround_the_spelling() -> None:
    """The plan's API: `text[start-1:end+1]` are the brackets where `angle` is set."""
    text = "[a](b) [a](<b>) <ab:b> <a href='b'>\n\n[r]: <b>\n"
    found: tuple[Link, ...] = find_links(text)
    assert [False, True, True, False, True] == [link.angle for link in found]
    assert {"<>"} == {text[each.start - 1] + text[each.end] for each in found if each.angle}


def test_lists_nested_twenty_deep_hold_links() -> None:
    """MODEL 6: an outline's deepest lines are still read."""
    text = "".join(f"{'  ' * depth}- [x]({depth})\n" for depth in range(20))
    assert [str(depth) for depth in range(20)] == [link.destination for link in find_links(text)]
