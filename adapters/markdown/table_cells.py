"""Where the cells of a table row stand (GFM, tables extension)."""

from __future__ import annotations

from markdown_it.common.utils import MD_TRIM_CHARS, mdTrim

from adapters.markdown.positions import Segments


def split_row(source: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the range of each cell of the row `source[start:end]`, blanks included.

    A pipe right after a backslash is text, whatever stands before the backslash.
    """
    line = source[start:end]
    trimmed = mdTrim(line)
    position = start + len(line) - len(line.lstrip(MD_TRIM_CHARS))
    end = position + len(trimmed)
    cells = []
    first = position
    while (pipe := source.find("|", position, end)) >= 0:
        if pipe == first or source[pipe - 1] != "\\":
            cells.append((first, pipe))
            first = pipe + 1
        position = pipe + 1
    cells.append((first, end))
    if cells[0][0] == cells[0][1]:
        del cells[0]
    if cells and cells[-1][0] == cells[-1][1]:
        del cells[-1]
    return cells


def place_cell(source: str, start: int, end: int, *, content: str) -> Segments | None:
    """Return where `content` comes from in the cell `source[start:end]`; None if it does not."""
    raw = source[start:end]
    if mdTrim(raw.replace("\\|", "|")) != content:
        return None
    first = start + len(raw) - len(raw.lstrip(MD_TRIM_CHARS))
    segments = Segments()
    segments.add(0, first)
    offset = position = 0
    raw = source[first:end]
    while (position := raw.find("\\|", position)) >= 0:
        at = position - offset
        segments.add(at, first + position)
        segments.add(at + 1, first + position + 2)
        offset += 1
        position += 2
    return segments
