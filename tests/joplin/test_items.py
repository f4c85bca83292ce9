"""Item values: changes, times, numbers, and items made here."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from davbridge.joplin.codec import decode_upload, encode_upload
from davbridge.joplin.items import (
    Item,
    ItemError,
    ItemType,
    escape,
    format_time,
    is_item_name,
    new_folder,
    new_note,
    new_resource,
    parse_number,
    parse_time,
    unescape,
)

PLAIN_TARGET = Path(__file__).parent / "fixtures" / "target-plain"
RECORDED = {file.stem: decode_upload(file.read_bytes()) for file in PLAIN_TARGET.glob("*.md")}
ID = "c0ffee00000000000000000000000001"
CREATED, UPDATED = 1_710_074_096_789, 1_710_074_100_001

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def first(kind: ItemType) -> Item:
    return next(item for _, item in sorted(RECORDED.items()) if item.type == kind)


@pytest.mark.parametrize("item_id", sorted(RECORDED))
def test_a_change_touches_only_what_it_names(item_id: str) -> None:
    """Order, unknown properties and untouched values stay byte for byte (R-J-21)."""
    item = RECORDED[item_id].with_changes(future="1")
    before = encode_upload(item).split(b"\n")
    after = encode_upload(item.with_changes(updated_time=format_time(UPDATED))).split(b"\n")
    changed = [line for line, old in zip(after, before, strict=True) if line != old]
    assert [b"updated_time: 2024-03-10T12:35:00.001Z"] == changed


@given(st.sampled_from(sorted(RECORDED)), TEXT, TEXT, st.sampled_from(["author", "new_one"]))
def test_a_change_is_what_it_says(item_id: str, title: str, value: str, name: str) -> None:
    """The named values are the given ones, all others the earlier ones."""
    item = RECORDED[item_id]
    changed = item.with_changes(title=title, **{name: value})
    assert (title, item.body, item.type) == (changed.title, changed.body, changed.type)
    if "\\\n" not in value and "\\\r" not in value:
        assert value == changed.get(name)
    rest = [pair for pair in changed.properties if pair[0] != name]
    assert [pair for pair in item.properties if pair[0] != name] == rest
    assert "type_" == changed.properties[-1][0]


def test_no_change_is_the_same_item() -> None:
    """Without arguments nothing changes; None takes a title away."""
    item = first(ItemType.NOTE)
    assert item == item.with_changes()
    assert item.with_changes(title=None).title is None


def test_the_type_cannot_be_changed() -> None:
    """An item keeps its type for life."""
    with pytest.raises(ValueError, match="type"):
        first(ItemType.NOTE).with_changes(type_="2")


def test_what_an_older_client_dropped_is_completed() -> None:
    """Absent properties come from the item known before, present ones stay (FORMAT 1.6)."""
    full = first(ItemType.NOTE).with_changes(user_data="{}", author="A")
    absent = tuple(pair for pair in full.properties if pair[0] not in ("user_data", "deleted_time"))
    older = Item(full.type, "New", "text", absent).with_changes(author="B")
    completed = older.completed_from(full)
    assert ("{}", "0", "B") == tuple(
        completed.get(name) for name in ("user_data", "deleted_time", "author")
    )
    assert ("New", "text") == (completed.title, completed.body)
    assert completed == completed.completed_from(full)


@pytest.mark.parametrize(
    ("made", "kind"),
    [
        (new_note(ID, title="T", created_ms=CREATED, updated_ms=UPDATED), ItemType.NOTE),
        (new_folder(ID, title="T", created_ms=CREATED, updated_ms=UPDATED), ItemType.FOLDER),
        (
            new_resource(ID, title="T", mime="a/b", size=3, created_ms=CREATED, updated_ms=UPDATED),
            ItemType.RESOURCE,
        ),
    ],
)
def test_items_made_here_are_complete(made: Item, kind: ItemType) -> None:
    """They hold every property the client writes, in its order, and say who made them (R-J-22)."""
    recorded = first(kind)
    assert [name for name, _ in recorded.properties] == [name for name, _ in made.properties]
    assert made == decode_upload(encode_upload(made))
    assert (kind, ID, CREATED, UPDATED, 0) == (
        made.type,
        made.id,
        made.created_ms,
        made.updated_ms,
        made.deleted_ms,
    )
    if kind is ItemType.NOTE:
        assert ("davbridge", "davbridge") == (made.get("source"), made.get("source_application"))
    if kind is ItemType.RESOURCE:
        assert str(UPDATED) == made.get("blob_updated_time")
    defaults = {"is_shared", "encryption_applied", "markup_language", "ocr_driver_id", "latitude"}
    assert [recorded.get(name) for name in defaults] == [made.get(name) for name in defaults]


def test_an_item_tells_its_facts() -> None:
    """Times are milliseconds, markup and trash are numbers, ids lower case."""
    note = new_note(ID, title="T", parent_id="p", created_ms=CREATED, updated_ms=UPDATED)
    assert (1, 0, False, "p") == (
        note.markup_language,
        note.deleted_ms,
        note.is_encrypted,
        note.parent_id,
    )
    changed = note.with_changes(markup_language="2", deleted_time="1.7e12", id=ID.upper())
    assert (2, 1_700_000_000_000, ID) == (changed.markup_language, changed.deleted_ms, changed.id)
    assert note.with_changes(encryption_applied="1").is_encrypted
    assert note.with_changes(encryption_cipher_text="JED01").is_encrypted
    assert 0 == note.with_changes(deleted_time="Infinity", created_time="soon").deleted_ms


@pytest.mark.parametrize(
    ("text", "ms"),
    [
        ("", 0),
        ("2024-03-10T12:34:56.789Z", CREATED),
        ("2024-03-10T12:34:56Z", CREATED - 789),
        ("2024-03-10T12:34:56.7Z", CREATED - 89),
        ("2024-03-10 12:34:56.789123Z", CREATED),
        ("2024-03-10T13:34:56.789+01:00", CREATED),
        ("2024-03-10T07:04:56.789-0530", CREATED),
        ("2024-03-10T12:34:56.789", CREATED),
        ("2024-03-10", 1_710_028_800_000),
        ("1969-12-31T23:59:59.999Z", -1),
    ],
)
def test_times_are_read_leniently(text: str, ms: int) -> None:
    """Decimals, offsets, a blank for T and a date alone are understood (FORMAT 1.5)."""
    assert ms == parse_time(text)


@pytest.mark.parametrize("text", ["now", "2024-13-01", "2024-02-30T00:00:00Z", "1710074096789"])
def test_garbage_is_no_time(text: str) -> None:
    """What a client would turn into NaN raises."""
    with pytest.raises(ItemError, match="is not a date"):
        parse_time(text)


@given(st.integers(-62_135_596_800_000, 253_402_300_799_999))
def test_times_survive_writing(ms: int) -> None:
    """Every time of the years 1 to 9999 is written and read exactly, always in 24 characters."""
    text = format_time(ms)
    assert ms == parse_time(text)
    assert len(text) == (24 if ms else 0)


def test_a_time_out_of_range_is_no_time() -> None:
    """A time no date can express raises `ItemError`, nothing else."""
    with pytest.raises(ItemError):
        format_time(10**18)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 0),
        (" 1.0 ", 1),
        ("1.7e12", 1.7e12),
        ("-.5", -0.5),
        ("0x1F", 31),
        ("-Infinity", -math.inf),
    ],
)
def test_numbers_are_read_as_javascript_does(text: str, number: float) -> None:
    """Empty is 0; exponents and radix prefixes count (FORMAT 1.5)."""
    assert number == parse_number(text)


@pytest.mark.parametrize("text", ["yes", "1,5", "1_000", "0x", "-0x1", "NaN", "inf", "٣", "1 2"])
def test_words_are_not_numbers(text: str) -> None:
    """What JavaScript does not read is NaN, though Python may read it."""
    assert math.isnan(parse_number(text))


@given(st.text("\\nr\n\r", max_size=6))
def test_escaping_loses_only_a_backslash_before_a_line_end(text: str) -> None:
    """Exact for every string but those; the bytes are the same again in any case (FORMAT 1.4)."""
    again = unescape(escape(text))
    assert escape(text) == escape(again)
    assert (text == again) == ("\\\n" not in text and "\\\r" not in text)


@pytest.mark.parametrize(
    ("name", "item_id"),
    [
        (f"{ID}.md", ID),
        (f"{ID.upper()}.md", ID),
        (f"{ID}.MD", None),
        (f"{ID}.md.tmp", None),
        (f"{ID}.md\n", None),
        (f"x{ID}.md", None),
        ("readme.md", None),
        ("g" * 32 + ".md", None),
    ],
)
def test_item_names_are_32_hex_digits(name: str, item_id: str | None) -> None:
    """Only `<32 hex>.md` names an item (section 3)."""
    assert item_id == is_item_name(name)
