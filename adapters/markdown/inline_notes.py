"""What inline rules note on their tokens: where they matched."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from markdown_it.ruler import Ruler
from markdown_it.rules_inline import StateInline

from adapters.markdown.spelled import START, spelled

InlineRule = Callable[[StateInline, bool], bool]
Note = Callable[[StateInline, int], None]


def watch_inlines(ruler: Ruler[InlineRule]) -> None:
    """Let the rules of `ruler` note where they match."""
    for name, note in _NOTES.items():
        rule = next(each for each in ruler.__rules__ if each.name == name)
        ruler.at(name, _watched(rule.fn, note))


def _watched(inner: InlineRule, note: Note) -> InlineRule:
    def watched(state: StateInline, silent: bool) -> bool:
        start = state.pos
        matched = inner(state, silent)
        if matched and not silent:
            note(state, start)
        return matched

    return watched


def _note_start(state: StateInline, start: int) -> None:
    state.tokens[-1].meta[START] = start


def _note_autolink(state: StateInline, start: int) -> None:
    opening = state.tokens[-3]
    url = state.src[start + 1 : state.pos - 1]
    # A mail address is no scheme: its destination is not what is spelled.
    if opening.attrs["href"] == url:
        opening.attrs["href"] = spelled(url, start + 1, state.pos - 1, angle=True)


_NOTES: Final = {"image": _note_start, "html_inline": _note_start, "autolink": _note_autolink}
