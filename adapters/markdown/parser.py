"""A CommonMark parser (tables, strikethrough, footnotes) that remembers where things stood.

markdown-it's inline tokens carry no offsets. Three additions supply them (MODEL, section 6):
a destination goes through the parser as a `str` that knows its range; inline rules note where
they matched; block rules note how the content of their tokens lies in the source.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

from markdown_it import MarkdownIt, helpers
from markdown_it.rules_core import StateCore
from mdit_py_plugins.footnote import footnote_plugin

from adapters.markdown.block_notes import watch_blocks
from adapters.markdown.inline_notes import watch_inlines
from adapters.markdown.spelled import may_hold_links, parse_destination

# Two levels a nested list: 25 lists deep, and far from Python's recursion limit.
_MAX_NESTING: Final = 50


class PositionParser(MarkdownIt):
    """markdown-it with positions; every destination is kept as it is spelled, none is refused.

    It keeps no state between two parses: threads share one.
    """

    helpers: Any

    def __init__(self) -> None:
        super().__init__("commonmark", {"maxNesting": _MAX_NESTING})
        self.enable(["table", "strikethrough"])
        self.use(footnote_plugin, inline=False, move_to_end=False)
        self.helpers = SimpleNamespace(
            parseLinkDestination=parse_destination,
            parseLinkLabel=helpers.parseLinkLabel,
            parseLinkTitle=helpers.parseLinkTitle,
        )
        watch_blocks(self.block.ruler)
        watch_inlines(self.inline.ruler)
        self.core.ruler.at("inline", _parse_needed)
        self.core.ruler.enableOnly(["block", "inline"])

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - markdown-it's signature
        """Accept every destination: `file:` and `javascript:` must survive a rewrite too."""
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - markdown-it's name
        """Keep the destination as it is, with its range."""
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - markdown-it's name
        """Keep the text of an autolink as it is."""
        return link


def _parse_needed(state: StateCore) -> None:
    """Parse the inline contents that can hold a link, and the names of top-level headings."""
    in_heading = False
    for token in state.tokens:
        if token.type == "inline" and (in_heading or may_hold_links(token.content)):
            token.children = []
            state.md.inline.parse(token.content, state.md, state.env, token.children)
        in_heading = token.type == "heading_open" and token.level == 0
