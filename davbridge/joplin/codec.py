"""Items to the bytes of an item file and back, exactly as Joplin clients do (FORMAT 1.2 to 1.7).

Two forms differ in the title only. A client writes it raw but reads it with escapes resolved,
so what is served has the backslash doubled before `n` and `r` (FORMAT 1.4).
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import Final, NoReturn

from davbridge.joplin.items import (
    BLANKS,
    TITLED,
    Item,
    ItemError,
    ItemType,
    parse_number,
    parse_time,
    unescape,
)


def decode_upload(raw: bytes) -> Item:
    """Return the item a client wrote. Raises `ItemError` for what no client could read."""
    item = _read(raw)
    _check(item)
    return item


def decode_served(raw: bytes) -> Item:
    """Return the item of bytes that were served or accepted before.

    Raises `ItemError` only where the bytes are no item at all.
    """
    item = _read(raw)
    if item.title is None or "\\" not in item.title:
        return item
    return replace(item, title=unescape(item.title))


def encode_upload(item: Item) -> bytes:
    """Return the item as a client writes it."""
    # The second line of a title would be lost on every reader.
    title = None if item.title is None else item.title.replace("\n", " ")
    return _write(item, title)


def encode_served(item: Item) -> bytes:
    """Return the item as it is served: every client reads the title its author typed."""
    title = item.title
    if title is not None:
        title = title.rstrip("\r\n").replace("\r\n", " ").replace("\n", " ").replace("\r", " ")
        title = title.replace("\\n", "\\\\n").replace("\\r", "\\\\r")
    return _write(item, title)


def check_readable(item: Item, name_id: str) -> None:
    """Raise `ItemError` if the item's own id is not the one its file is named by.

    A client would keep it under the inner id and miss it in the next listing (FORMAT 1.1).
    """
    if item.id != name_id.lower():
        raise ItemError(f"The item {name_id} says inside that its id is {item.id[:40]}.")


def _write(item: Item, title: str | None) -> bytes:
    blocks = []
    if title is not None or item.body:
        blocks.append(title or "")
    if item.body:
        blocks.append(item.body)
    blocks.append("\n".join(f"{name}: {value}" for name, value in item.properties))
    # A lone surrogate cannot be written; clients put a replacement character too.
    return "\n\n".join(blocks).encode("utf-8", "replace")


def _read(raw: bytes) -> Item:
    """Read the three blocks (FORMAT 1.3); titles stay raw."""
    try:
        lines = raw.decode().split("\n")
    except UnicodeDecodeError:
        raise ItemError("The item is not UTF-8 text.") from None
    values: dict[str, str] = {}  # from the last line up: a name met again is further up and wins
    end = len(lines)
    while end > 0:
        end -= 1
        line = lines[end].strip(BLANKS)
        if not line:
            break
        name, colon, value = line.partition(":")
        if not colon:
            raise ItemError(f'The property line "{line[:40]}" of the item has no colon.')
        name = name.strip(BLANKS)
        values.pop(name, None)
        values[name] = value.strip(BLANKS)
    else:
        end = 0
    kind = _type(values.get("type_", ""))
    title, body = _texts(kind, lines[:end], values)
    if "id" in values:
        values["id"] = values["id"].lower()
    return Item(int(kind), title, body, tuple(reversed(values.items())))


def _type(text: str) -> ItemType:
    if not text:
        raise ItemError("The item has no type: its last lines name no type_.")
    number = parse_number(text)
    if number not in ItemType.__members__.values():
        raise ItemError(f'The item is of an unknown type, "{text[:40]}".')
    return ItemType(int(number))


def _texts(
    kind: ItemType, above: list[str], values: dict[str, str]
) -> tuple[str | None, str | None]:
    """Return title and body; whatever the line below the title holds is discarded."""
    body = "\n".join(above[2:]) if kind is ItemType.NOTE else None
    if kind is ItemType.NOTE:
        values.pop("body", None)
    if kind not in TITLED:
        return None, body
    spelled = values.pop("title", None)
    if above:
        return above[0], body
    return None if spelled is None else unescape(spelled), body


_INTEGERS: Final = {
    ItemType.NOTE: (
        "is_conflict",
        "is_todo",
        "todo_due",
        "todo_completed",
        "order",
        "encryption_applied",
        "markup_language",
        "is_shared",
        "deleted_time",
    ),
    ItemType.FOLDER: ("encryption_applied", "is_shared", "deleted_time"),
    ItemType.RESOURCE: (
        "encryption_applied",
        "encryption_blob_encrypted",
        "size",
        "is_shared",
        "blob_updated_time",
        "ocr_status",
        "ocr_driver_id",
    ),
    ItemType.TAG: ("encryption_applied", "is_shared"),
    ItemType.NOTE_TAG: ("encryption_applied", "is_shared"),
    ItemType.MASTER_KEY: ("encryption_method",),
    ItemType.REVISION: ("item_type", "item_updated_time", "encryption_applied"),
}
"""Numbers whose column is NOT NULL in the clients, which a NaN breaks (FORMAT 1.5)."""

_REQUIRED: Final = {
    ItemType.RESOURCE: ("mime",),
    ItemType.NOTE_TAG: ("note_id", "tag_id"),
    ItemType.REVISION: ("item_type", "item_id", "item_updated_time"),
}
"""Properties without a default: the line must be there, if only empty."""


def _check(item: Item) -> None:
    """Raise `ItemError` for what would stop the sync of every client (FORMAT 1.7)."""
    kind = ItemType(item.type)
    if not item.get("id"):
        _fail(item, "has no id")
    for name in ("updated_time", *_REQUIRED.get(kind, ())):
        if not item.has(name):
            _fail(item, f"has no {name}")
    parse_time(item.get("updated_time"))
    for name in _INTEGERS[kind]:
        value = item.get(name)
        if math.isnan(parse_number(value)):
            _fail(item, f'has "{value[:40]}" for {name}, which is not a number')
    if kind is ItemType.REVISION:
        _check_differences(item)


def _check_differences(item: Item) -> None:
    for name, spelled in item.properties:
        if name not in ("title_diff", "body_diff") or not spelled:
            continue
        try:
            json.loads(spelled, parse_constant=_no_constant)
        except (ValueError, RecursionError):
            _fail(item, f"has a {name} that is not JSON")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _fail(item: Item, what: str) -> NoReturn:
    raise ItemError(f"The item {item.id or 'without a name'} {what}.")
