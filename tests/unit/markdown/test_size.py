"""Large and hostile texts cost time in proportion to their length."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from adapters.markdown import find_html_links, find_links, parse, rewrite_links
from tests.unit.markdown.corpus import TEXTS

SHAPES: dict[str, Callable[[int], str]] = {
    "one paragraph": lambda n: "[x](<y z>) " * n,
    "many lines": lambda n: "![x](y)\r\n" * n,
    "definitions": lambda n: "".join(f"[r{i}]: x\n" for i in range(n)),
    "autolinks": lambda n: "<ab:c> " * n,
    "tags": lambda n: "<a href='b'> " * n,
    "html block": lambda n: "<div>\n" + "<a href='b'>\n" * n,
    "table": lambda n: "|a|\n|-|\n" + "|[x](y\\|z)|\n" * n,
    "wide row": lambda n: "|a" * n + "\n" + "|-" * n + "\n" + "|[x](y)" * n,
    "quotes": lambda n: f"{'>' * 12} [x](y)\n" * n,
    "headings": lambda n: "# [x](y)\n" * n,
}


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


@pytest.mark.parametrize("shape", SHAPES)
def test_ten_thousand_links_take_linear_time(shape: str) -> None:
    """MODEL 6: four times the links take about four times the time, never sixteen times."""

    def work(count: int) -> None:
        text = SHAPES[shape](count)
        assert count == len(find_links(text))
        assert len(rewrite_links(text, lambda link: "my new (path).md")) > len(text)

    small = _seconds(lambda: work(2_500))
    assert _seconds(lambda: work(10_000)) < 10 * max(small, 0.05)


@pytest.mark.parametrize(
    "text",
    [
        ">" * 20_000 + "[x](y)",
        "[" * 10_000 + "x](y)",
        "![" * 2_000 + "x" + "](y)" * 2_000,
        "<a href='" * 10_000,
        "<div><!--" * 10_000,
        "<div><a" + " " * 50_000,
        "[x](" * 10_000,
        "[x](y '" * 10_000,
        "[r]: y '\n" * 5_000,
        "|[x](y)" + "\\|" * 20_000 + "|\n|-|\n",
        "---\n" + "a: b\n" * 20_000,
        "# " * 20_000,
        "".join(f"{'  ' * depth}- [x](y)\n" for depth in range(200)),
    ],
    ids=range(13),
)
def test_hostile_texts_are_read_in_time(text: str) -> None:
    """No nesting is too deep and nothing left open is scanned again and again."""
    assert _seconds(lambda: (parse(text), find_html_links(text))) < 10
    assert text == rewrite_links(text, lambda link: link.destination)


def test_five_megabytes_without_links_are_not_parsed() -> None:
    """MODEL 6: the cheap test comes first."""
    text = "Some words of a long text, a < b, no links.\n\n" * 110_000
    assert _seconds(lambda: find_links(text)) < 1


def test_threads_share_the_parser() -> None:
    """MODEL 5: readers take no lock; a parse keeps nothing that another could see."""
    texts = list(TEXTS) * 5
    with ThreadPoolExecutor(8) as pool:
        assert [parse(text) for text in texts] == list(pool.map(parse, texts))
