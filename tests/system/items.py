"""Item files as a client writes them, built and read without any of davbridge's own code."""

from __future__ import annotations

import time
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

_TIMES: Final = ("created_time", "updated_time", "user_created_time", "user_updated_time")
_NOTE: Final = {
    "is_conflict": "0",
    "latitude": "0.00000000",
    "longitude": "0.00000000",
    "altitude": "0.0000",
    "author": "",
    "source_url": "",
    "is_todo": "0",
    "todo_due": "0",
    "todo_completed": "0",
    "source": "joplin",
    "source_application": "net.cozic.joplin-cli",
    "application_data": "",
    "order": "0",
    "user_created_time": "",
    "user_updated_time": "",
    "encryption_cipher_text": "",
    "encryption_applied": "0",
    "markup_language": "1",
    "is_shared": "0",
    "share_id": "",
    "conflict_original_id": "",
    "master_key_id": "",
    "user_data": "",
    "deleted_time": "0",
    "type_": "1",
}
_FOLDER: Final = {
    "encryption_cipher_text": "",
    "encryption_applied": "0",
    "parent_id": "",
    "is_shared": "0",
    "share_id": "",
    "master_key_id": "",
    "icon": "",
    "user_data": "",
    "deleted_time": "0",
    "type_": "2",
}
_RESOURCE: Final = {
    "file_extension": "",
    "encryption_cipher_text": "",
    "encryption_applied": "0",
    "encryption_blob_encrypted": "0",
    "size": "0",
    "is_shared": "0",
    "share_id": "",
    "master_key_id": "",
    "user_data": "",
    "blob_updated_time": "0",
    "ocr_text": "",
    "ocr_details": "",
    "ocr_status": "0",
    "ocr_error": "",
    "ocr_driver_id": "1",
    "type_": "4",
}


def new_id() -> str:
    return uuid.uuid4().hex


def iso(milliseconds: int) -> str:
    moment = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{milliseconds % 1000:03d}Z"


def now_ms() -> int:
    return int(time.time() * 1000)


def note(item_id: str, title: str, body: str, parent_id: str = "", **changes: str) -> str:
    """A note as a client uploads it; `changes` exchange single properties."""
    properties = {"id": item_id, "parent_id": parent_id} | _stamps(2) | _NOTE | _stamps(4)
    blocks = [title, body] if body else [title]
    return "\n\n".join([*blocks, _lines(properties | changes)])


def folder(item_id: str, title: str, parent_id: str = "", **changes: str) -> str:
    """A notebook as a client uploads it."""
    properties = {"id": item_id} | _stamps(4) | _FOLDER | {"parent_id": parent_id} | changes
    return f"{title}\n\n{_lines(properties)}"


def resource(item_id: str, title: str, size: int, **changes: str) -> str:
    """The metadata of an attachment as a client uploads it."""
    head = {"id": item_id, "mime": "application/octet-stream", "filename": ""}
    properties = head | _stamps(4) | _RESOURCE | {"size": str(size)} | changes
    return f"{title}\n\n{_lines(properties)}"


@dataclass(frozen=True, kw_only=True)
class ItemText:
    """An item file taken apart as the client does it (F7)."""

    title: str
    body: str
    properties: dict[str, str]

    def __getitem__(self, name: str) -> str:
        return self.properties[name]


def read_item(text: str) -> ItemText:
    lines = text.split("\n")
    properties: dict[str, str] = {}
    while lines and lines[-1]:
        name, _, value = lines.pop().partition(": ")
        properties[name.removesuffix(":")] = value
    title = lines[0] if lines else ""
    return ItemText(title=title, body="\n".join(lines[2:-1]), properties=properties)


def _stamps(count: int) -> dict[str, str]:
    return dict.fromkeys(_TIMES[:count], iso(now_ms()))


def _lines(properties: dict[str, str]) -> str:
    return "\n".join(f"{name}: {value}" for name, value in properties.items())
