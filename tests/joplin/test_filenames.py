"""Names for files, made from titles."""

from __future__ import annotations

from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from davbridge.joplin.filenames import (
    friendly_file_name,
    note_name_candidates,
    resource_file_name,
)

ID = "c0ffee00000000000000000000000001"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("a/b: c?", "a_b_ c_"),
        ("tab\tand\nline\x7f", "tab_and_line\x7f"),
        ("CON", "___"),
        ("com4", "___"),
        ("..", "___"),
        ("CONSOLE", "CONSOLE"),
        (" .hidden. . ", ".hidden"),
        ("...", "Untitled"),
        ("", "Untitled"),
        ("x" * 49 + " tail", "x" * 49 + " "),
        ("x" * 49 + "😀", "x" * 49 + "\ufffd"),
        ("漢字 & größe", "漢字 & größe"),
    ],
)
def test_an_exported_note_is_recognised_by_its_name(title: str, name: str) -> None:
    """Each value was made by client 3.5.1 (FORMAT 6.3)."""
    assert name == friendly_file_name(title)


def names(title: str, body: str = "", count: int = 4) -> list[str]:
    return list(islice(note_name_candidates(title, body), count))


def test_the_title_itself_comes_first_then_numbers_that_gallop() -> None:
    """A taken title gets ` (2)`, ` (3)`, ` (5)`, ` (9)` (R-J-57)."""
    assert ["Plan", "Plan (2)", "Plan (3)", "Plan (5)", "Plan (9)"] == names("Plan", count=5)
    assert "a/b: c?" == names("a/b: c?")[0]


def test_a_title_is_cleaned_only_after_it_was_tried() -> None:
    """Outer blanks and controls stay in the first name; a line feed is a blank (MODEL 2.6)."""
    assert [" a  b\x07", "a  b", "a  b (2)"] == names(" a \nb\x07", count=3)
    assert ["two lines", "two lines (2)"] == names("two\nlines", count=2)


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("", "Untitled"),
        ("\n\n---\n***\n", "Untitled"),
        ("\n# A *bold* `heading` #\ntext", "A bold heading"),
        ("> 1. [x] **done** with snake_case\n", "done with snake_case"),
        ("- [ ] [link](http://x/y) <b>bold</b>", "link bold"),
        ("![](:/c0ffee)\n\nafter", "after"),
        ("```python\ncode = 1\n```", "code = 1"),
        ("---\ntitle: no\n---\nyes", "yes"),
        ("#hashtag", "#hashtag"),
        ("w" * 300, "w" * 80),
    ],
)
def test_an_empty_title_takes_the_first_text_line(body: str, name: str) -> None:
    """The first line that says something, without Markdown marks, else `Untitled` (R-J-57)."""
    assert name == names("", body)[0]
    assert name == names(" \n ", body)[0]


def test_a_long_title_is_cut_between_what_a_reader_sees_as_characters() -> None:
    """200 bytes at most, and no combining mark, joined emoji or flag is halved."""
    family = "👨\u200d👩\u200d👧\u200d👦"
    assert "x" * 190 == names("x" * 190 + family)[0]
    assert "x" * 198 == names("x" * 198 + "e\u0301" + "y")[0]
    assert "x" * 188 + "🇩🇪" == names("x" * 188 + "🇩🇪🇫🇷")[0]
    assert "x" * 194 == names("x" * 194 + "👍🏽")[0]
    assert "x" * 196 + " (2)" == names("x" * 300)[1]


@given(st.text(max_size=300), st.text(max_size=80))
def test_candidates_are_few_different_and_short(title: str, body: str) -> None:
    """64 tries at most, each another name of 1 to 200 bytes on one line, the same every time."""
    tried = list(note_name_candidates(title, body))
    assert 64 == len(tried) == len(set(tried))
    assert tried == list(note_name_candidates(title, body))
    for name in tried:
        assert 0 < len(name.encode("utf-8", "replace")) <= 200
        assert "\n" not in name


def test_a_thousand_notes_of_one_title_stay_cheap() -> None:
    """Notes of different texts soon reach numbers of their own."""
    taken: set[str] = set()
    tries = 0
    for number in range(1000):
        for name in note_name_candidates("Meeting", f"Minutes {number}"):
            tries += 1
            if name not in taken:
                taken.add(name)
                break
    assert 1000 == len(taken)
    assert tries < 20_000


@pytest.mark.parametrize(
    ("title", "filename", "extension", "mime", "name"),
    [
        ("photo.jpg", "", "jpg", "image/jpeg", "photo.jpg"),
        ("a/b/c.jpg", "", "jpg", "image/jpeg", "c.jpg"),
        ("C:\\temp\\c.jpeg", "", "jpg", "image/jpeg", "c.jpeg"),
        ("README", "", "", "application/octet-stream", ""),
        ("x.", "", "", "application/octet-stream", ""),
        ("song.mscz", "", "mscz", "application/octet-stream", "song.mscz"),
        ("Report v1.2", "", "pdf", "application/pdf", ""),
        ("Pasted image", "", "png", "image/png", ""),
        (f"{ID}.png", "", "png", "image/png", ""),
        ("0123456789abcdef0123456789ABCDEF.png", "", "png", "image/png", ""),
        (".png", "", "png", "image/png", ""),
        ("..", "", "png", "image/png", ""),
        ("title.png", "scan.pdf", "pdf", "application/pdf", "scan.pdf"),
        ("title.png", "../scan", "pdf", "application/pdf", "scan.pdf"),
        ("title.png", f"{ID}.png", "png", "image/png", "title.png"),
        ("title.png", ".png", "png", "image/png", "title.png"),
        ("title.png", "png", "png", "image/png", "title.png"),
        ("a\nb.png", "", "png", "image/png", "a b.png"),
        ("x" * 300 + ".png", "", "png", "image/png", "x" * 196 + ".png"),
    ],
)
def test_an_attachment_is_named_by_what_says_something(
    title: str, filename: str, extension: str, mime: str, name: str
) -> None:
    """`filename` if meaningful, else a title that is a file's name, else none (R-J-71, C032)."""
    assert name == resource_file_name(title, filename, extension, mime, ID)
