"""What a text says apart from its destinations, read by an unmodified markdown-it.

The module under test wraps the parser's rules; this reading does not, so it shows when a
rewrite changed anything but destinations.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

_ATTRIBUTE = re.compile(r"""(?:src|href)\s*=\s*(?:"[^"]*"|'[^']*')""", re.IGNORECASE)


class _Lenient(MarkdownIt):
    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True


_PLAIN = (
    _Lenient("commonmark", {"maxNesting": 50})
    .enable(["table", "strikethrough"])
    .use(footnote_plugin, inline=False, move_to_end=False)
)


def structure(text: str) -> list[tuple[Any, ...]]:
    """Return the tokens of `text` without destinations and without what autolinks show."""
    return _read(_PLAIN.parse(text))


def _read(tokens: Sequence[Token]) -> list[tuple[Any, ...]]:
    read: list[tuple[Any, ...]] = []
    in_autolink = False
    for token in tokens:
        if token.type == "inline":
            read.append(("inline", *_read(token.children or ())))
            continue
        attributes = {k: v for k, v in token.attrs.items() if k not in ("href", "src")}
        content = token.content
        children = _read(token.children or ())
        if token.type in ("html_inline", "html_block"):
            content = _ATTRIBUTE.sub("", content)
        elif token.type == "image" or in_autolink:
            content = ""
        in_autolink = token.type == "link_open" and token.markup == "autolink"
        read.append(
            (token.type, token.tag, content, token.markup, token.info, attributes, children)
        )
    return read
