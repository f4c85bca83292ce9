"""Destinations in a text that is HTML as a whole (MODEL, section 2.14)."""

from __future__ import annotations

import pytest

from adapters.markdown import find_html_links, rewrite_links

QUERY = "?a=1&copy=2&copyx&amp=3&copy"


def _spelled(text: str) -> list[tuple[str, str]]:
    return [(text[link.start : link.end], link.destination) for link in find_html_links(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('    <img src=":/a">\n\n  <a href=\':/b\'>', [(":/a", ":/a"), (":/b", ":/b")]),
        ('<p>[x](y) `<img src="a">`', [("a", "a")]),
        ('<a href="  a b\n">', [("a b", "a b")]),
        ('<a href="a\nb">', [("a\nb", "a\nb")]),
        ('<a href="a&amp;b&lt;&#x41;">', [("a&amp;b&lt;&#x41;", "a&b<A")]),
        ('<a href="' + QUERY + '">', [(QUERY, QUERY[:-5] + "©")]),
        ('<a href="a" href="b">', [("a", "a")]),
        ('<a href=a><img src=b/><a href>', []),
        ('<a/href="a"/>', [("a", "a")]),
        ('<img alt="<a href=\'no\'>" src="a">', [("a", "a")]),
        ('<a <img src="a">', [("a", "a")]),
        ('<abbr href="no"><a.b href="no"><a:b src="no">', []),
        ('</a href="no">', []),
        ('<!-- <a href="no"> --><a href="a">', [("a", "a")]),
        ('<!--><a href="a">', [("a", "a")]),
        ('<!-- <a href="no">', []),
        ('<![CDATA[<a href="no">]]><?x <a href="no">?><!DOCTYPE a><a href="a">', [("a", "a")]),
        ('<script>"<a href=\'no\'>"</script><a href="a">', [("a", "a")]),
        ('<STYLE><a href="no"></Style ><a href="a">', [("a", "a")]),
        ('<script><a href="no">', []),
        ('<a href="never closed', []),
        ("<", []),
        ("", []),
    ],
)  # fmt: skip
def test_quoted_attributes_of_linking_tags_are_found(
    text: str, expected: list[tuple[str, str]]
) -> None:
    """R-F-50: `href` of a, `src` of img, source, video, audio; never comments or scripts."""
    assert expected == _spelled(text)


def test_a_rewrite_keeps_every_other_byte() -> None:
    """R-F-52, R-F-53: the new value is entity-escaped, whichever quotes stand around it."""
    text = '<p\r\n>\0<IMG src=\':/a\' alt="b"> <a href = " c ">\n\n    <b>'
    expected = (
        "<p\r\n>\0<IMG src='&quot;x&#39; &amp;.png' alt=\"b\">"
        ' <a href = " &quot;x&#39; &amp;.png ">\n\n    <b>'
    )
    assert expected == rewrite_links(text, lambda link: "\"x' &.png", links=find_html_links(text))
