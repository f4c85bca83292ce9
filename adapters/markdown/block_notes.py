"""What block rules note on their tokens: how the content lies in the source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from markdown_it.common.utils import MD_TRIM_CHARS
from markdown_it.ruler import Ruler
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from adapters.markdown.positions import Segments
from adapters.markdown.spelled import DEFINITIONS, RANGE, SEGMENTS, Spelled, may_hold_links
from adapters.markdown.table_cells import place_cell, split_row

BlockRule = Callable[[StateBlock, int, int, bool], bool]
Note = Callable[[StateBlock, int, list[Token]], None]


def watch_blocks(ruler: Ruler[BlockRule]) -> None:
    """Let the rules of `ruler` note where the contents of their tokens come from."""
    for name, note in _NOTES.items():
        rule = next(each for each in ruler.__rules__ if each.name == name)
        ruler.at(name, _watched(rule.fn, note), {"alt": rule.alt})


def _watched(inner: BlockRule, note: Note) -> BlockRule:
    def watched(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        if silent:
            return inner(state, start, end, True)
        before = len(state.tokens)
        if not inner(state, start, end, False):
            return False
        note(state, start, state.tokens[before:])
        return True

    return watched


def _note_paragraph(state: StateBlock, start: int, tokens: list[Token]) -> None:
    inline = tokens[1]
    if may_hold_links(inline.content):
        inline.meta[SEGMENTS] = _trimmed_lines(state, start, state.line)


def _note_underlined(state: StateBlock, start: int, tokens: list[Token]) -> None:
    heading, inline, _ = tokens
    segments = _trimmed_lines(state, start, state.line - 1)
    inline.meta[SEGMENTS] = segments
    name = segments.locate(0), segments.locate(len(inline.content))
    heading.meta[RANGE] = (*_line_range(state, start), *name)


def _note_heading(state: StateBlock, start: int, tokens: list[Token]) -> None:
    heading, inline, _ = tokens
    after_marker = state.bMarks[start] + state.tShift[start] + len(heading.markup)
    rest = state.src[after_marker : state.eMarks[start]]
    name_start = after_marker + len(rest) - len(rest.lstrip(MD_TRIM_CHARS))
    segments = Segments()
    segments.add(0, name_start)
    inline.meta[SEGMENTS] = segments
    name = name_start, name_start + len(inline.content)
    heading.meta[RANGE] = (*_line_range(state, start), *name)


def _note_html(state: StateBlock, start: int, tokens: list[Token]) -> None:
    tokens[0].meta[SEGMENTS] = _lines(state, start, state.line)[0]


def _note_table(state: StateBlock, start: int, tokens: list[Token]) -> None:
    del start
    row: list[tuple[int, int]] = []
    column = 0
    for token in tokens:
        if token.type == "tr_open" and token.map is not None:
            line = token.map[0]
            row = split_row(state.src, state.bMarks[line] + state.tShift[line], state.eMarks[line])
            column = 0
        elif token.type == "inline":
            if column < len(row) and may_hold_links(token.content):
                segments = place_cell(state.src, *row[column], content=token.content)
                if segments is not None:
                    token.meta[SEGMENTS] = segments
            column += 1


def _note_definition(state: StateBlock, start: int, tokens: list[Token]) -> None:
    del tokens
    references = state.env["references"]
    entry = references[next(reversed(references))]
    if not isinstance(entry["href"], Spelled):  # the label was taken: this one is a duplicate
        entry = state.env["duplicate_refs"][-1]
    href: Spelled = entry["href"]
    # A link by reference gets a plain string: its destination is spelled here, not there.
    entry["href"] = str(href)
    offset = href.start
    for line in range(start, state.line):
        first = state.bMarks[line] + state.tShift[line]
        length = state.eMarks[line] + 1 - first
        if offset < length:
            state.env.setdefault(DEFINITIONS, []).append((first + offset, href))
            return
        offset -= length


def _line_range(state: StateBlock, start: int) -> tuple[int, int]:
    return state.bMarks[start], min(state.eMarks[state.line - 1] + 1, len(state.src))


def _trimmed_lines(state: StateBlock, start: int, end: int) -> Segments:
    segments, lines = _lines(state, start, end)
    return segments.after(len(lines) - len(lines.lstrip(MD_TRIM_CHARS)))


def _lines(state: StateBlock, start: int, end: int) -> tuple[Segments, str]:
    """Return where the stripped lines come from, and the lines themselves."""
    segments = Segments()
    pieces = []
    offset = 0
    for line in range(start, end):
        piece = state.getLines(line, line + 1, state.blkIndent, False)
        # The piece ends with its line; a tab cut in half gives it blanks of its own in front.
        segments.add(offset, state.eMarks[line] - len(piece))
        pieces.append(piece)
        offset += len(piece) + 1
    return segments, "\n".join(pieces)


_NOTES: Final = {
    "paragraph": _note_paragraph,
    "heading": _note_heading,
    "lheading": _note_underlined,
    "table": _note_table,
    "html_block": _note_html,
    "reference": _note_definition,
}
