"""The awkward notes, titles and attachments that the smoke test sends around."""

from __future__ import annotations

import struct
import zlib
from typing import Final

BODIES: Final = {
    "plain": "A plain note.\n",
    "front matter lookalike": "---\ntitle: other\ntags: [a]\n---\n\nid: 0123\ntype_: 1\n\nBody.\n",
    "fences": '```python\nprint("a\\nb")\n```\n\n~~~\nraw ```\n~~~\n',
    "table and boxes": "| a | b |\n|---|:-:|\n| 1 | `x\\|y` |\n\n- [ ] open\n- [x] done\n",
    "unicode": "漢字 かな 한국어 🎉 👩‍👩‍👧 e\u0301 \u00e9 \u202bעברית\u202c\n",
    "crlf": "one\r\ntwo\r\n",
    "trailing blanks": "hard break  \nend   \n\n\n",
    "leading blanks": "\n\n    indented\n",
    "empty": "",
    "no final newline": "no newline at end",
    "quotes": 'it\'s "quoted" \\ back\\slash\n',
}
TITLES: Final = (
    "",
    "a/b\\c: d? *e* <f> |g|",
    ".dots..",
    "CON",
    "日本語 🎉 é",
    "trailing dot.",
    "x" * 300,
    "Same title",
    "Same title",
)


def png_bytes(size: int = 16, blue: int = 128) -> bytes:
    """A small picture; another size or shade gives other bytes."""
    rows = b"".join(
        b"\0" + b"".join(bytes((x * 255 // size, y * 255 // size, blue)) for x in range(size))
        for y in range(size)
    )
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0))
        + _chunk(b"IDAT", zlib.compress(rows))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    body = kind + data
    return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))
