"""A real folder of notes, always the same: nested, linked, illustrated, in many scripts.

Each document knows both of its forms: the bytes on disk and what a client must see, where every
destination is the id of an existing item.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import quote

from tests.system.client.smoke_data import png_bytes

WORD: Final = "Wandervogel"
"""Stands once in every document, so that a test can exchange one word."""

FOLDERS: Final = (
    "",
    "Rezepte",
    "Rezepte/Süßes & Saures",
    "Rezepte/Süßes & Saures/Mehlspeisen",
    "旅行",
    "旅行/日本 2024",
    "Работа/Проекты/Архив",
    "Projects",
    "Projects/2024 (old)",
    "Projects/2024 (old)/C# and F#",
    "a.b c/d's stuff",
    "100% sure",
    "مشاريع",
    "Emoji 🎉",
)
_NAMES: Final = (
    "Plain note",
    "Ääkköset ja öylätti",
    "買い物 リスト",
    "Что нового",
    "10. ten",
    "2. two",
    "note (draft)",
    "It's quoted",
    "C# notes",
    "50% done",
    "dotted.name.v2",
    "🎉 party",
    "what%3F",
    "Projects",
    "x" * 120,
    "under_score-dash ~ tilde",
    "שלום",
    "Ünïcödé",
)
_PARAGRAPHS: Final = (
    "Some words, *emphasis* and `code [not](a-link.md)` in a line.  \nA hard break before.",
    "- one\n- two\n  - deeper\n\n1. first\n2. second",
    "```markdown\n[in a fence](Plain%20note.md)\n![also](Bilder/0.png)\n```",
    "| a | b |\n|---|---|\n| 1 | x\\|y |",
    "> a quotation\n> of two lines",
    "See <https://example.org/?a=1&b=2> and [the web](https://example.org/a%20b.md).",
    "[A broken link](no%20such%20file.md) and ![no picture](missing.png).",
    "漢字 かな 한국어 e\u0301 \u00e9 \u202bעברית\u202c 👩‍👩‍👧",
    "Trailing blanks   \n\n\nand empty lines.",
    "$x^2$ and a backslash \\ and a \\[bracket\\].",
    "Indented code:\n\n    with [a link](Plain%20note.md)",
    "## Part two\n\nText under a heading.",
)
_FRONT_MATTER: Final = (
    "---\ntitle: 'not: the title'\ntags: [a, b]  # kept\nlink: '[x](y.md)'\n---\n\n"
)


@dataclass(frozen=True, kw_only=True)
class Link:
    """A destination in a document: `before`, the target, `after`."""

    before: str
    after: str
    target: PurePosixPath
    spelled: str
    fragment: str = ""

    @property
    def on_disk(self) -> str:
        return self.before + self.spelled + self.fragment + self.after

    @property
    def served(self) -> str:
        """A pattern. Angle brackets may stay or go, both forms are links to a client."""
        before = re.escape(self.before).replace("<", "<?") if self.angle else re.escape(self.before)
        after = re.escape(self.after).replace(">", ">?") if self.angle else re.escape(self.after)
        return f"{before}:/(?P<id>[0-9a-f]{{32}}){re.escape(self.fragment)}{after}"

    @property
    def angle(self) -> bool:
        return self.before.endswith("(<")


@dataclass(frozen=True, kw_only=True)
class Document:
    """One Markdown file."""

    path: PurePosixPath
    parts: tuple[str | Link, ...]
    newline: str = "\n"
    bom: bool = False

    @property
    def place(self) -> str:
        """Notebooks and title as a client shows them, below the root's notebook."""
        return str(self.path.with_suffix("")).replace("%3F", "?")

    @property
    def links(self) -> list[Link]:
        return [part for part in self.parts if isinstance(part, Link)]

    @property
    def bytes(self) -> bytes:
        text = "".join(part if isinstance(part, str) else part.on_disk for part in self.parts)
        return (b"\xef\xbb\xbf" if self.bom else b"") + self._lines(text).encode()

    def linked_ids(self, body: str) -> list[str] | None:
        """The id of every link in order, or `None` if `body` is not this document as served."""
        ids: list[str] = []
        position = 0
        for part in self.parts:
            text = self._lines(part) if isinstance(part, str) else part.served
            pattern = re.escape(text) if isinstance(part, str) else text
            match = re.compile(pattern).match(body, position)
            if match is None:
                return None
            position = match.end()
            if isinstance(part, Link):
                ids.append(match["id"])
        return ids if position == len(body) else None

    def _lines(self, text: str) -> str:
        return text.replace("\n", self.newline)


@dataclass(frozen=True, kw_only=True)
class Library:
    """Everything that was written."""

    documents: dict[str, Document] = field(default_factory=dict)
    images: dict[str, bytes] = field(default_factory=dict)

    def write(self, root: Path) -> None:
        """Write every file below `root`, and some that nobody should see."""
        hidden = {".hidden.md": b"hidden\n", ".obsidian/plugin.md": b"hidden\n"}
        unlinked = {"Rezepte/unlinked.bin": b"\0\1\2"}
        files = {path: document.bytes for path, document in self.documents.items()}
        for path, content in (files | self.images | hidden | unlinked).items():
            file = root / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


def make_library(*, documents: int = 250, images: int = 40) -> Library:
    """Return the same library for the same numbers."""
    chance = random.Random(20261201)
    library = Library()
    for number in range(images):
        home = PurePosixPath(FOLDERS[number % len(FOLDERS)])
        path = home / ("Bilder" if number % 2 else "") / _image_name(number)
        library.images[str(path)] = png_bytes(2 + number % 20, 5 * number)
    paths = list(_document_paths(documents))
    pictures = [PurePosixPath(path) for path in library.images]
    for number, path in enumerate(paths):
        targets = chance.sample(paths, 3), chance.sample(pictures, 2)
        parts = _parts(number, path, targets, chance)
        crlf, bom = number % 9 == 4, number % 11 == 5
        newline = "\r\n" if crlf else "\n"
        document = Document(path=path, parts=tuple(parts), newline=newline, bom=bom)
        library.documents[str(path)] = document
    return library


def _document_paths(count: int) -> Iterator[PurePosixPath]:
    for number in range(count):
        home = FOLDERS[number % len(FOLDERS)]
        turn = number // len(FOLDERS)
        name = _NAMES[turn] if turn < len(_NAMES) else f"Note {number:03}"
        yield PurePosixPath(home) / f"{name}.md"


def _image_name(number: int) -> str:
    return f"{('bild', 'my picture', '写真', 'fig (a)')[number % 4]} {number}.png"


def _parts(
    number: int,
    path: PurePosixPath,
    targets: tuple[list[PurePosixPath], list[PurePosixPath]],
    chance: random.Random,
) -> Iterator[str | Link]:
    notes, pictures = targets
    if number % 7 == 3:
        yield _FRONT_MATTER
    yield f"# {path.stem.replace('%3F', '?')}\n\nThe {WORD} stands here.\n\n"
    yield _link(path, notes[0], before="Read ", text="this note")
    yield ", "
    yield _link(path, notes[1], text="that (one)", style=("angle", "encoded")[number % 2])
    yield ".\n\n"
    for paragraph in chance.sample(_PARAGRAPHS, 3):
        yield paragraph + "\n\n"
    yield _link(path, pictures[0], text="a picture", image=True)
    yield "\n\n"
    yield _link(path, pictures[1], text="again", image=True, title=number % 3 == 0)
    if number % 5 == 0:
        yield "\n\n"
        yield _link(path, notes[2], text="a heading", fragment="#part-two")
    yield "\n" if number % 4 else ""


def _link(
    source: PurePosixPath,
    target: PurePosixPath,
    *,
    text: str,
    before: str = "",
    style: str = "inline",
    image: bool = False,
    title: bool = False,
    fragment: str = "",
) -> Link:
    relative = _relative(source, target)
    if style == "angle" and not re.search(r"[<>#?%]", relative):
        return Link(before=f"{before}[{text}](<", after=">)", target=target, spelled=relative)
    if style == "encoded":
        spelled = quote(relative)
    else:
        spelled = re.sub(r"[ ()<>%#?&]", lambda found: quote(found[0], safe=""), relative)
    return Link(
        before=f"{before}{'!' if image else ''}[{text}](",
        after=' "A title")' if title else ")",
        target=target,
        spelled=spelled,
        fragment=fragment,
    )


def _relative(source: PurePosixPath, target: PurePosixPath) -> str:
    here, there = source.parent.parts, target.parts
    common = 0
    while common < min(len(here), len(there) - 1) and here[common] == there[common]:
        common += 1
    return "/".join([".."] * (len(here) - common) + list(there[common:]))
