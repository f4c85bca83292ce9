"""Names people use, file names and segments (R-F-10..16)."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from adapters.contract import KnowledgeAreaKind, MutationFailure, is_area
from adapters.filebased import FileBasedRepository
from adapters.filebased.names import decode_name, encode_name
from adapters.filebased.segments import directory_segment, document_segment
from tests.unit.filebased.tools import harvest, plant

ODD = st.text(st.sampled_from(list("%25Ee3F20.CONcon /?:ax1\x01$LPT7")), min_size=1, max_size=9)
FILE_NAMES = {
    "a/b": "a%2Fb",
    "CON": "%43ON",
    "com1.txt": "%63om1.txt",
    ".hidden": "%2Ehidden",
    "50%2F50": "50%252F50",
    "what?": "what%3F",
    "a%20b": "a%20b",
    "100% sure": "100% sure",
    "Ünïcödé 📝": "Ünïcödé 📝",
    "T>1": "T%3E1",
    "line\nbreak": "line%0Abreak",
}


@given(ODD, st.booleans())
@example("%2E%20", True)
def test_coding_is_reversible(name: str, end: bool) -> None:
    """R-F-11: what is coded is decoded to what it was, and holds nothing unsafe."""
    coded = encode_name(name, end=end)
    assert coded not in (".", "..")
    assert not set(coded) & set('/\\:*?"<>|\x01')
    assert not coded.startswith(".")
    assert not end or coded[-1] not in ". "
    if name not in (".", ".."):
        assert name == decode_name(coded, end=end)


@given(ODD, st.booleans())
def test_foreign_codes_are_text(name: str, end: bool) -> None:
    """R-F-11: a file name shows as what codes to it, or else as it is."""
    shown = decode_name(name, end=end)
    assert shown == name or encode_name(shown, end=end) == name


@given(st.text(min_size=1, max_size=12).filter(lambda name: name.isprintable()))
def test_segments_are_well_formed(name: str) -> None:
    """R-F-13: every name gives a segment, and another one for a directory or a double."""
    segments = {
        document_segment(name, 1),
        document_segment(name, 2),
        directory_segment(name, 1),
        directory_segment(name, 2),
    }
    assert 4 == len(segments)
    assert all(is_area(f"/{segment}") for segment in segments)


@pytest.mark.parametrize(("name", "file_name"), FILE_NAMES.items())
def test_file_names(
    repository: FileBasedRepository, notes: Path, name: str, file_name: str
) -> None:
    """R-F-11: characters no portable file system accepts are coded, all others stay."""
    for kind in KnowledgeAreaKind:
        result = repository.try_add_sub_area("/", name, kind)
        assert result.area is not None
        assert name == repository.get_area_name(result.area)
    assert {file_name, f"{file_name}.md"} == {path.name for path in notes.iterdir()}


def test_foreign_names_are_shown_as_they_are(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-11, C062: `a b.md` and a literal `a%20b.md` are two documents with their own names."""
    plant(notes, {"a b.md": "1", "a%20b.md": "2", "who?.md": "3", "x%3Fy.md": "4"})
    repository.since(None)
    names = [repository.get_area_name(area) for area in repository.get_areas(False)]
    assert ["a b", "a%20b", "who?", "x?y"] == names


def test_too_long_names_are_invalid(repository: FileBasedRepository) -> None:
    """R-F-12: a file name has at most 240 bytes, all of it counted."""
    kind = KnowledgeAreaKind.CONTENT
    assert repository.try_add_sub_area("/", "é" * 118, kind)
    result = repository.try_add_sub_area("/", "é" * 119, kind)
    assert MutationFailure.INVALID_NAME == result.failure


@pytest.mark.parametrize("name", ["", ".", "..", "a\0b", "\ud800"])
def test_impossible_names(repository: FileBasedRepository, notes: Path, name: str) -> None:
    """R-F-84: what cannot be a name is refused before the disk is asked."""
    for kind in KnowledgeAreaKind:
        result = repository.try_add_sub_area("/", name, kind)
        assert MutationFailure.INVALID_NAME == result.failure
    assert {} == harvest(notes)


@pytest.mark.parametrize("taken", ["note.md", "NOTE.md", "note.markdown"])
def test_case_is_no_difference(repository: FileBasedRepository, notes: Path, taken: str) -> None:
    """R-F-15, C027: a name that differs in case only is taken."""
    plant(notes, {taken: "x", "other.md": "y"})
    result = repository.try_add_sub_area("/", "Note", KnowledgeAreaKind.CONTENT)
    assert MutationFailure.COLLISION == result.failure
    assert MutationFailure.COLLISION == repository.try_rename("/other", "Note").failure


def test_case_of_the_same_item_may_change(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-15, C055: an item itself may get another case."""
    plant(notes, {"note.md": "x", "docs/a.md": "y"})
    assert "/Note" == repository.try_rename("/note", "Note").area
    assert "/Docs~" == repository.try_rename("/docs~", "Docs").area
    assert {"Note.md": b"x", "Docs/a.md": b"y"} == harvest(notes)


def test_equal_names_of_two_unicode_forms(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-14: two files whose names are equal after NFC are two documents."""
    plant(notes, {"e\u0301.md": "decomposed", "\xe9.md": "composed"})
    repository.since(None)
    areas = repository.get_areas(False)
    assert ("/é", "/é~2") == areas
    texts = [repository.get_aggregated_content(area) for area in areas]
    assert ["decomposed", "composed"] == texts


def test_natural_order(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-03: directories and documents are mixed, numbers are compared as numbers."""
    plant(notes, {"10. a.md": "", "2. b/x.md": "", "1. z.md": "", "B.md": "", "a.md": ""})
    repository.since(None)
    names = [repository.get_area_name(area) for area in repository.get_areas(False)]
    assert ["1. z", "2. b", "10. a", "a", "B"] == names


def test_document_and_directory_share_a_name(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-13, R-F-16: `Docs.md`, `Docs/` and `Docs` without extension stand side by side."""
    plant(notes, {"Docs.md": "x", "Docs/a.md": "y"})
    repository.since(None)
    assert {"/Docs", "/Docs~"} == set(repository.get_areas(False))
