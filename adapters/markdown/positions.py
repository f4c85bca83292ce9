"""From an offset in what the parser saw back to the offset in the text it came from."""

from __future__ import annotations

from bisect import bisect_left, bisect_right


class Segments:
    """Places a stripped content in its source, run by run.

    Block quotes, list indents and the escapes of table cells take characters out between the
    runs; within a run content and source are equal.
    """

    __slots__ = ("_content", "_source")

    def __init__(self) -> None:
        self._content: list[int] = []
        self._source: list[int] = []

    def add(self, content: int, source: int) -> None:
        """Let a run start at `content`, which is `source` in the source; in rising order."""
        self._content.append(content)
        self._source.append(source)

    def after(self, lead: int) -> Segments:
        """Return the same for the content without its first `lead` characters."""
        shifted = Segments()
        shifted._content = [start - lead for start in self._content]
        shifted._source = self._source
        return shifted

    def locate(self, offset: int) -> int:
        """Return where the content's `offset` stands in the source."""
        run = max(bisect_right(self._content, offset) - 1, 0)
        return self._source[run] + offset - self._content[run]


class Newlines:
    """Maps offsets in a text whose line ends were made `\\n` to offsets in the text as given."""

    __slots__ = ("_pairs", "source")

    def __init__(self, text: str) -> None:
        self._pairs: list[int] = []
        position = text.find("\r\n")
        while position >= 0:
            self._pairs.append(position - len(self._pairs))
            position = text.find("\r\n", position + 2)
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        # CommonMark 2.3: a NUL reads as U+FFFD, which is as long.
        self.source: str = text.replace("\0", "\ufffd")

    def locate(self, offset: int) -> int:
        """Return where `offset` of `source` stands in the text as given."""
        return offset + bisect_left(self._pairs, offset) if self._pairs else offset
