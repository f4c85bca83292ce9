"""Item files to items and back, against what the real client wrote and read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from davbridge.joplin.codec import (
    check_readable,
    decode_served,
    decode_upload,
    encode_served,
    encode_upload,
)
from davbridge.joplin.items import (
    Item,
    ItemError,
    ItemType,
    parse_number,
    parse_time,
    unescape,
)

FIXTURES = Path(__file__).parent / "fixtures"
VECTORS: list[dict[str, Any]] = json.loads((FIXTURES / "items.json").read_text("utf-8"))
READABLE = [v for v in VECTORS if v["kind"] not in ("poison", "throws")]
FATAL = [v for v in VECTORS if v["kind"] in ("poison", "throws")]
RECORDED = sorted(FIXTURES.glob("target-*/*.md"))

TIMES = {"created_time", "updated_time", "user_created_time", "user_updated_time"}
PLACES = {"latitude": 8, "longitude": 8, "altitude": 4}
NOT_EVEN_CLIENTS = ("note_title_with_newline", "note_property_outer_whitespace")
"""Texts that are lost in the writing itself: no reader can give them back."""

ID = "c0ffee00000000000000000000000001"


def named(vectors: list[dict[str, Any]]) -> list[Any]:
    return [pytest.param(vector, id=vector["name"]) for vector in vectors]


def as_client_reads(item: Item, name: str, sample: object) -> object:
    """Return a value of the item in the shape the client's reader gives to its column."""
    value = item.get(name)
    if name in TIMES:
        return parse_time(value)
    if name in PLACES:
        return f"{parse_number(value):.{PLACES[name]}f}"
    if name in ("title_diff", "body_diff") and value:
        return unescape(json.loads(dict(item.properties)[name]))
    return value if isinstance(sample, str) else parse_number(value)


def note(properties: str, above: str = "Title\n\nBody\n\n") -> bytes:
    return f"{above}{properties}".encode()


PLAIN = f"id: {ID}\nupdated_time: 2024-03-10T12:34:56.789Z\ntype_: 1"


def test_the_vectors_are_complete() -> None:
    """All 58 vectors, and all three recorded targets, are here."""
    assert 58 == len(VECTORS)
    assert 41 == len(RECORDED)


@pytest.mark.parametrize("vector", named(READABLE))
def test_an_item_reads_as_the_client_reads_it(vector: dict[str, Any]) -> None:
    """Every value of `parsed` is found in the decoded item (FORMAT 1.3 to 1.5)."""
    item = decode_served(vector["serialized"].encode())
    parsed = dict(vector["parsed"])
    kind = parsed.pop("type_")
    texts = parsed.pop("title", None), parsed.pop("body", None)
    assert (kind, *texts) == (item.type, item.title, item.body)
    assert parsed == {name: as_client_reads(item, name, parsed[name]) for name in parsed}


@pytest.mark.parametrize("vector", named(READABLE))
def test_what_a_client_writes_comes_back_byte_for_byte(vector: dict[str, Any]) -> None:
    """Wherever client and server agree on the bytes, decode and encode keep them (R-J-20)."""
    raw = vector["serialized"].encode()
    is_plain = vector["kind"] in ("client", "server") and vector["name"] not in NOT_EVEN_CLIENTS
    if vector["roundtrip_identical"] or is_plain:
        assert raw == encode_upload(decode_upload(raw))


@pytest.mark.parametrize(
    "vector", named([v for v in READABLE if v["name"] != "note_title_backslash_n_raw"])
)
def test_what_the_client_writes_again_has_every_value_kept_here(vector: dict[str, Any]) -> None:
    """The client's rewriting says the same of each property; its title defect aside (1.4)."""
    item = decode_served(vector["serialized"].encode())
    again = decode_upload(vector["reserialized"].encode())
    assert (item.type, item.title, item.body) == (again.type, again.title, again.body)
    for name, sample in vector["parsed"].items():
        if item.has(name) and not item.is_encrypted:
            assert as_client_reads(item, name, sample) == as_client_reads(again, name, sample), name


@pytest.mark.parametrize("vector", named(READABLE))
def test_reading_again_what_was_written_changes_nothing(vector: dict[str, Any]) -> None:
    """One writing makes an odd item canonical; a second changes no byte."""
    item = decode_upload(vector["serialized"].encode())
    written = encode_upload(item)
    assert written == encode_upload(decode_upload(written))
    served = encode_served(item)
    assert served == encode_served(decode_served(served))


@pytest.mark.parametrize("vector", named(FATAL))
def test_what_stops_a_client_is_refused_with_one_sentence(vector: dict[str, Any]) -> None:
    """Everything FORMAT 1.7 calls fatal raises `ItemError` (MODEL 2.9)."""
    with pytest.raises(ItemError, match=r"^The [^\n]+\.$"):
        decode_upload(vector["serialized"].encode())


@pytest.mark.parametrize("file", RECORDED, ids=lambda f: f"{f.parent.name}-{f.stem[:8]}")
def test_a_recorded_item_decodes_and_encodes_byte_for_byte(file: Path) -> None:
    """Both recorded targets and the one with note history, as the real client wrote them."""
    raw = file.read_bytes()
    item = decode_upload(raw)
    check_readable(item, file.stem)
    assert raw == encode_upload(item)
    assert item == decode_served(encode_served(item))
    assert (file.parent.name == "target-e2ee") == item.is_encrypted


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"\xff" + note(PLAIN), "The item is not UTF-8 text."),
        (note("updated_time: \ntype_: 1"), "The item without a name has no id."),
        (note(f"id: \n{PLAIN}"), "The item without a name has no id."),
        (note(f"id: {ID}\ntype_: 1"), f"The item {ID} has no updated_time."),
        (note(f"updated_time: yesterday\n{PLAIN}"), 'The time "yesterday" is not a date.'),
        (note(f"updated_time: 1710074096789\n{PLAIN}"), 'The time "1710074096789" is not a date.'),
        (
            note(f"order: first\n{PLAIN}"),
            f'The item {ID} has "first" for order, which is not a number.',
        ),
        (note(PLAIN.replace(": 1", ": 4")), f"The item {ID} has no mime."),
        (note(PLAIN.replace(": 1", ": 6")), f"The item {ID} has no note_id."),
        (note("tag_id: \n" + PLAIN.replace(": 1", ": 6")), f"The item {ID} has no note_id."),
        (note(PLAIN.replace(": 1", ": 13")), f"The item {ID} has no item_type."),
        (note(PLAIN.replace(": 1", ": one")), 'The item is of an unknown type, "one".'),
        (note(PLAIN.replace(": 1", ":")), "The item has no type: its last lines name no type_."),
        (
            note(f"{PLAIN}\n\x85"),
            'The property line "\x85" of the item has no colon.',
        ),
    ],
)
def test_each_refusal_says_what_is_wrong(raw: bytes, sentence: str) -> None:
    """A refusal names the item and the fault (FORMAT 1.7)."""
    with pytest.raises(ItemError) as caught:
        decode_upload(raw)
    assert sentence == str(caught.value)


@pytest.mark.parametrize(
    "line",
    [
        "created_time: long ago",
        "latitude: north",
        "user_updated_time: ",
        "updated_time: ",
        "is_todo: 1.0",
        "todo_due: 0x10",
        "type_: 01.0",
        "future: words",
        ": nameless",
    ],
)
def test_odd_values_clients_tolerate_are_taken(line: str) -> None:
    """Nothing is refused that a client could read (MODEL 2.9)."""
    assert ID == decode_upload(note(f"{line}\n{PLAIN}")).id


def test_an_item_under_a_wrong_name_is_refused() -> None:
    """The id inside must be the one of the file name, whatever its case (FORMAT 1.1)."""
    item = decode_upload(note(PLAIN))
    check_readable(item, ID.upper())
    with pytest.raises(ItemError, match="says inside that its id is"):
        check_readable(item, "0" * 32)


def test_only_line_feeds_part_lines() -> None:
    """Characters that other programs take for line ends stay in the text (FORMAT 1.3)."""
    odd = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"
    item = decode_upload(note(f"author: {odd}\n{PLAIN}", f"{odd}\n\n{odd}\n\n"))
    assert (odd, odd, odd) == (item.title, item.body, item.get("author"))


def test_only_what_javascript_trims_is_trimmed() -> None:
    """U+0085 and U+001C stay at the ends of a value, U+FEFF and U+3000 go (FORMAT 1.3)."""
    item = decode_upload(note(f"\ufeffauthor\u3000:\u3000\x85x\x1c\ufeff\n{PLAIN}"))
    assert "\x85x\x1c" == item.get("author")


def test_a_title_with_backslash_n_is_served_so_that_clients_read_it() -> None:
    """The backslash is doubled before n and r, in the title only (FORMAT 1.4)."""
    raw = note(PLAIN, "C:\\new\\road\\x\n\nC:\\new\n\n")
    item = decode_upload(raw)
    served = encode_served(item)
    assert note(PLAIN, "C:\\\\new\\\\road\\x\n\nC:\\new\n\n") == served
    assert item == decode_served(served)
    assert raw == encode_upload(decode_served(served))


def test_no_title_is_served_with_a_line_end() -> None:
    """A line feed or carriage return in a title is served as a blank, none at its end."""
    item = decode_upload(note(PLAIN)).with_changes(title="a\r\nb\nc\rd\r\n")
    assert "a b c d" == decode_served(encode_served(item)).title


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
ONE_LINE = TEXT.map(lambda text: text.replace("\n", " ").replace("\r", " "))
# A backslash before a real line end comes back as text, in the clients too (FORMAT 1.4).
VALUES = TEXT.filter(lambda text: "\\\n" not in text and "\\\r" not in text)


@st.composite
def items(draw: st.DrawFn) -> Item:
    """Any item a client could hold."""
    kind = draw(st.sampled_from([ItemType.NOTE, ItemType.FOLDER, ItemType.TAG]))
    names = draw(st.lists(st.from_regex(r"[a-z_]{1,12}", fullmatch=True), unique=True, max_size=5))
    reserved = {"id", "type_", "title", "body", "updated_time"}
    bare = Item(
        int(kind),
        draw(ONE_LINE),
        draw(TEXT) if kind is ItemType.NOTE else None,
        (("id", ID), ("updated_time", ""), ("type_", str(int(kind)))),
    )
    values = {f"x{name}": draw(VALUES).strip() for name in names if name not in reserved}
    return bare.with_changes(**values)


def read_as_spelled(item: Item) -> Item:
    """Return the item with blanks around its values gone, as every reader does."""
    return decode_upload(encode_upload(item))


@given(items())
def test_decode_after_encode_changes_nothing(item: Item) -> None:
    """For any item, in both forms; apart from blanks around values, which no reader keeps."""
    item = read_as_spelled(item)
    assert item == decode_upload(encode_upload(item))
    assert item == decode_served(encode_served(item))


@given(items())
def test_titles_and_bodies_are_exact(item: Item) -> None:
    """Titles and bodies are never trimmed or changed (R-J-20)."""
    read = decode_served(encode_served(item))
    assert (item.title, item.body) == (read.title, read.body)


@given(TEXT)
def test_any_text_decodes_or_is_refused(text: str) -> None:
    """No upload raises anything but `ItemError`."""
    for raw in (text.encode(), note(f"{text}\n{PLAIN}"), note(PLAIN, text)):
        try:
            written = encode_upload(decode_upload(raw))
        except ItemError:
            continue
        assert written == encode_upload(decode_upload(written))
