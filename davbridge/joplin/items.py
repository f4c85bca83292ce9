"""What a Joplin item is: a type, a title, a body and named values, kept as a client spelled them.

Pure values; the bytes of an item file are `codec`'s business. An item changed here keeps every
value it was not told to change, known or not, in its place (R-J-20, R-J-21).
"""

from __future__ import annotations

import enum
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Final


class ItemError(Exception):
    """An upload no client could read; the message is one sentence for the user."""


class ItemType(enum.IntEnum):
    """The types that clients sync (FORMAT 1.6)."""

    NOTE = 1
    FOLDER = 2
    RESOURCE = 4
    TAG = 5
    NOTE_TAG = 6
    MASTER_KEY = 9
    REVISION = 13


TITLED: Final = frozenset({ItemType.NOTE, ItemType.FOLDER, ItemType.RESOURCE, ItemType.TAG})
"""The types whose title stands above the properties."""

BLANKS: Final = (
    "\t\n\v\f\r \xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + ("\u2028\u2029\u202f\u205f\u3000\ufeff")
)
"""What JavaScript trims; Python trims a few others (FORMAT 1.3)."""


class _Kept(enum.Enum):
    """Stands for an argument that was not given, where None means something."""

    KEPT = enum.auto()


_KEPT: Final = _Kept.KEPT


@dataclass(frozen=True, slots=True)
class Item:
    """One item. `properties` holds each name once, in file order, with its value as spelled.

    `id` and `type_` are among the properties. `title` is None where the file has no title
    block; `body` is None for all types but notes.
    """

    type: int
    title: str | None
    body: str | None
    properties: tuple[tuple[str, str], ...]

    def get(self, name: str, default: str = "") -> str:
        """Return the value of a property with its escapes resolved (FORMAT 1.4)."""
        for known, value in self.properties:
            if known == name:
                return unescape(value)
        return default

    def has(self, name: str) -> bool:
        """Tell whether the property is there: an absent one is not an empty one (FORMAT 1.6)."""
        return any(known == name for known, _ in self.properties)

    @property
    def id(self) -> str:
        """The external id, in lower case."""
        return self.get("id").lower()

    @property
    def parent_id(self) -> str:
        """The id of the notebook, empty at the top."""
        return self.get("parent_id")

    @property
    def updated_ms(self) -> int:
        """When the item was last written, in milliseconds since 1970; 0 if unset."""
        return _lenient_time(self.get("updated_time"))

    @property
    def created_ms(self) -> int:
        """When the item was made, in milliseconds since 1970; 0 if unset or garbage."""
        return _lenient_time(self.get("created_time"))

    @property
    def deleted_ms(self) -> int:
        """When the item was put in the client's trash, in milliseconds since 1970; else 0."""
        return self._integer("deleted_time", 0)

    @property
    def markup_language(self) -> int:
        """1 for Markdown, 2 for HTML."""
        return self._integer("markup_language", 1) or 1

    @property
    def is_encrypted(self) -> bool:
        """Whether the item is cipher text, to be served as it came (R-J-23)."""
        return self._integer("encryption_applied", 0) != 0 or bool(
            self.get("encryption_cipher_text")
        )

    def _integer(self, name: str, default: int) -> int:
        number = parse_number(self.get(name, str(default)))
        return int(number) if math.isfinite(number) else default

    def with_changes(
        self,
        *,
        title: str | _Kept | None = _KEPT,
        body: str | _Kept | None = _KEPT,
        **properties: str,
    ) -> Item:
        """Return the item with these plain values exchanged and everything else as it was.

        A property that was not there comes last, before `type_`. Values are escaped as clients
        do. The type cannot be changed.
        """
        if "type_" in properties:
            raise ValueError("the type of an item cannot be changed")
        return replace(
            self,
            title=self.title if isinstance(title, _Kept) else title,
            body=self.body if isinstance(body, _Kept) else body,
            properties=_exchanged(
                self.properties, {name: escape(value) for name, value in properties.items()}
            ),
        )

    def completed_from(self, earlier: Item) -> Item:
        """Return the item with the properties only `earlier` has.

        An older client drops what it does not know when it writes an item again (FORMAT 1.6).
        """
        missing = {name: value for name, value in earlier.properties if not self.has(name)}
        return replace(self, properties=_exchanged(self.properties, missing))


def _exchanged(
    properties: tuple[tuple[str, str], ...], changes: Mapping[str, str]
) -> tuple[tuple[str, str], ...]:
    """Return the escaped properties with escaped changes in place, new ones before `type_`."""
    if not changes:
        return properties
    known = {name for name, _ in properties}
    kept = [(name, changes.get(name, value)) for name, value in properties]
    added = [(name, value) for name, value in changes.items() if name not in known]
    last = next((i for i, (name, _) in enumerate(kept) if name == "type_"), len(kept))
    return (*kept[:last], *added, *kept[last:])


def escape(text: str) -> str:
    """Return a value on one line, as clients write it (FORMAT 1.4)."""
    text = text.replace("\\n", "\\\\n").replace("\\r", "\\\\r")
    return text.replace("\n", "\\n").replace("\r", "\\r")


def unescape(text: str) -> str:
    r"""Return what clients read from a value: exact but for a `\` before a real line end."""
    if "\\" not in text:
        return text
    text = text.replace("\\n", "\n").replace("\\r", "\r")
    return text.replace("\\\n", "\\n").replace("\\\r", "\\r")


_ITEM_NAME: Final = re.compile(r"([0-9a-fA-F]{32})\.md")


def is_item_name(name: str) -> str | None:
    """Return the id of an item's file name, in lower case, or None for any other name."""
    match = _ITEM_NAME.fullmatch(name)
    return match[1].lower() if match else None


_RADIX: Final = re.compile(r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+")
_DECIMAL: Final = re.compile(r"[+-]?(?:Infinity|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)


def parse_number(text: str) -> float:
    """Return the number JavaScript reads from `text`: 0 if empty, NaN if it is none."""
    text = text.strip(BLANKS)
    if not text:
        return 0.0
    if _RADIX.fullmatch(text):
        return float(int(text, 0))
    return float(text) if _DECIMAL.fullmatch(text) else math.nan


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MILLISECOND: Final = timedelta(milliseconds=1)
_TIME: Final = re.compile(
    r"(\d{4})-(\d\d?)-(\d\d?)"
    r"(?:[T ](\d\d?):(\d\d)(?::(\d\d)(?:\.(\d+))?)?\s*(?:(Z)|([+-])(\d\d):?(\d\d))?)?",
    re.ASCII,
)


def format_time(ms: int) -> str:
    """Return a time in milliseconds since 1970 as the four named times are written; 0 is empty.

    Raises `ItemError` beyond the years 1 to 9999.
    """
    if ms == 0:
        return ""
    try:
        moment = _EPOCH + ms * _MILLISECOND
    except OverflowError:
        raise ItemError(f"The time {ms} is out of range.") from None
    return f"{moment:%Y-%m-%dT%H:%M:%S}".zfill(19) + f".{moment.microsecond // 1000:03d}Z"


def parse_time(text: str) -> int:
    """Return one of the four named times in milliseconds since 1970; 0 if empty.

    Read leniently (FORMAT 1.5): decimals beyond three are cut, an offset may stand instead of
    Z; without either it is taken as UTC. Raises `ItemError` for anything else.
    """
    text = text.strip(BLANKS)
    if not text:
        return 0
    match = _TIME.fullmatch(text)
    if match is None:
        raise ItemError(f'The time "{text[:40]}" is not a date.')
    year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
    fraction, _, sign, hours, minutes = match.groups()[6:]
    offset = timedelta(hours=int(hours or 0), minutes=int(minutes or 0))
    try:
        zone = timezone(-offset if sign == "-" else offset)
        moment = datetime(year, month, day, hour, minute, second, tzinfo=zone)
    except ValueError:
        raise ItemError(f'The time "{text[:40]}" is not a date.') from None
    return (moment - _EPOCH) // _MILLISECOND + int((fraction or "0").ljust(3, "0")[:3])


def _lenient_time(text: str) -> int:
    try:
        return parse_time(text)
    except ItemError:
        return 0


APPLICATION: Final = "davbridge"
"""What generated items name as their source (R-J-22)."""


def new_note(
    item_id: str,
    *,
    title: str,
    body: str = "",
    parent_id: str = "",
    created_ms: int,
    updated_ms: int,
) -> Item:
    """Return a note with every property client 3.5.1 writes, in its order (R-J-22)."""
    values = {
        "id": item_id,
        "parent_id": parent_id,
        **_times(created_ms, updated_ms),
        "is_conflict": "0",
        "latitude": "0.00000000",
        "longitude": "0.00000000",
        "altitude": "0.0000",
        "author": "",
        "source_url": "",
        "is_todo": "0",
        "todo_due": "0",
        "todo_completed": "0",
        "source": APPLICATION,
        "source_application": APPLICATION,
        "application_data": "",
        # Clients sort by this, newest first, and put in the time of creation (FORMAT 1.8).
        "order": str(created_ms),
        **_user_times(created_ms, updated_ms),
        **_PLAIN,
        "markup_language": "1",
        "is_shared": "0",
        "share_id": "",
        "conflict_original_id": "",
        "master_key_id": "",
        "user_data": "",
        "deleted_time": "0",
    }
    return _made(ItemType.NOTE, title, values, body=body)


def new_folder(
    item_id: str, *, title: str, parent_id: str = "", created_ms: int, updated_ms: int
) -> Item:
    """Return a notebook with every property client 3.5.1 writes, in its order (R-J-22)."""
    values = {
        "id": item_id,
        **_times(created_ms, updated_ms),
        **_user_times(created_ms, updated_ms),
        **_PLAIN,
        "parent_id": parent_id,
        "is_shared": "0",
        "share_id": "",
        "master_key_id": "",
        "icon": "",
        "user_data": "",
        "deleted_time": "0",
    }
    return _made(ItemType.FOLDER, title, values)


def new_resource(
    item_id: str,
    *,
    title: str,
    mime: str,
    size: int,
    created_ms: int,
    updated_ms: int,
    filename: str = "",
    file_extension: str = "",
) -> Item:
    """Return an attachment's metadata with every property client 3.5.1 writes (R-J-22)."""
    values = {
        "id": item_id,
        "mime": mime,
        "filename": filename,
        **_times(created_ms, updated_ms),
        **_user_times(created_ms, updated_ms),
        "file_extension": file_extension,
        **_PLAIN,
        "encryption_blob_encrypted": "0",
        "size": str(size),
        "is_shared": "0",
        "share_id": "",
        "master_key_id": "",
        "user_data": "",
        "blob_updated_time": str(updated_ms),
        "ocr_text": "",
        "ocr_details": "",
        "ocr_status": "0",
        "ocr_error": "",
        "ocr_driver_id": "1",
    }
    return _made(ItemType.RESOURCE, title, values)


_PLAIN: Final = {"encryption_cipher_text": "", "encryption_applied": "0"}


def _times(created_ms: int, updated_ms: int) -> dict[str, str]:
    return {"created_time": format_time(created_ms), "updated_time": format_time(updated_ms)}


def _user_times(created_ms: int, updated_ms: int) -> dict[str, str]:
    return {f"user_{name}": value for name, value in _times(created_ms, updated_ms).items()}


def _made(kind: ItemType, title: str, values: Mapping[str, str], body: str | None = None) -> Item:
    properties = [(name, escape(value)) for name, value in values.items()]
    return Item(int(kind), title, body, (*properties, ("type_", str(int(kind)))))
