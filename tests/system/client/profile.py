"""What a Joplin profile holds, read from the client's own database.

The database is opened read-only, so a read is exact: what you read is what the
client will upload.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

NOTE, FOLDER, RESOURCE, TAG, NOTE_TAG, MASTER_KEY, REVISION = 1, 2, 4, 5, 6, 9, 13
FETCH_IDLE, FETCH_STARTED, FETCH_DONE, FETCH_ERROR = 0, 1, 2, 3

_NOTE_FIELDS: Final = (
    "id",
    "parent_id",
    "title",
    "body",
    "is_todo",
    "todo_due",
    "todo_completed",
    "source_url",
    "user_created_time",
    "user_updated_time",
    "updated_time",
    "deleted_time",
    "markup_language",
    "encryption_applied",
)

Row = dict[str, Any]


class JoplinProfile:
    """The contents of one profile folder."""

    def __init__(self, profile_dir: str | Path) -> None:
        self.profile_dir = Path(profile_dir).resolve()

    def query(self, sql: str, args: Sequence[object] = ()) -> list[Row]:
        path = self.profile_dir / "database.sqlite"
        if not path.exists():
            return []
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as db:
            db.row_factory = sqlite3.Row
            return [dict(row) for row in db.execute(sql, args)]

    def notes(self, *, trash: bool = False, conflicts: bool = False) -> list[Row]:
        sql = "SELECT * FROM notes WHERE 1"
        if not trash:
            sql += " AND deleted_time = 0"
        sql += f" AND is_conflict = {1 if conflicts else 0}"
        return self.query(sql + " ORDER BY title, id")

    def conflicts(self) -> list[Row]:
        return self.notes(conflicts=True)

    def folders(self, *, trash: bool = False) -> list[Row]:
        sql = "SELECT * FROM folders" + ("" if trash else " WHERE deleted_time = 0")
        return self.query(sql + " ORDER BY title, id")

    def resources(self) -> list[Row]:
        return self.query(
            "SELECT r.*, coalesce(s.fetch_status, 2) AS fetch_status, "
            "coalesce(s.fetch_error, '') AS fetch_error FROM resources r "
            "LEFT JOIN resource_local_states s ON s.resource_id = r.id ORDER BY r.title, r.id"
        )

    def tags(self) -> list[Row]:
        return self.query("SELECT * FROM tags ORDER BY title")

    def note_tags(self) -> list[tuple[str, str]]:
        """Sorted (note id, tag title) pairs."""
        rows = self.query(
            "SELECT nt.note_id, t.title FROM note_tags nt "
            "JOIN tags t ON t.id = nt.tag_id ORDER BY nt.note_id, t.title"
        )
        return [(row["note_id"], row["title"]) for row in rows]

    def revisions(self) -> list[Row]:
        return self.query("SELECT * FROM revisions ORDER BY id")

    def note(self, note_id: str) -> Row | None:
        rows = self.query("SELECT * FROM notes WHERE id = ?", (note_id,))
        return rows[0] if rows else None

    def folder(self, folder_id: str) -> Row | None:
        rows = self.query("SELECT * FROM folders WHERE id = ?", (folder_id,))
        return rows[0] if rows else None

    def find_notes(self, title: str) -> list[Row]:
        return [n for n in self.notes() if n["title"] == title]

    def notebook_path(self, folder_id: str) -> str:
        """Titles from the top notebook down, joined with "/"."""
        parts: list[str] = []
        while folder_id:
            row = self.folder(folder_id)
            if not row:
                parts.append("?")
                break
            parts.append(row["title"])
            folder_id = row["parent_id"]
        return "/".join(reversed(parts))

    def resource_bytes(self, resource_id: str) -> bytes | None:
        """The attachment's content as this client holds it, or None."""
        folder = self.profile_dir / "resources"
        for file in sorted(folder.iterdir()) if folder.is_dir() else []:
            if file.name.split(".")[0] == resource_id and file.suffix != ".crypted":
                return file.read_bytes()
        return None

    def sync_items(self) -> list[Row]:
        """The client's bookkeeping per item: sync_time, remote_item_updated_time,
        sync_disabled and sync_disabled_reason."""
        return self.query("SELECT * FROM sync_items ORDER BY item_id")

    def disabled_items(self) -> list[Row]:
        return [row for row in self.sync_items() if row["sync_disabled"]]

    def setting(self, key: str) -> Any:
        rows = self.query("SELECT value FROM settings WHERE key = ?", (key,))
        return rows[0]["value"] if rows else None

    def sync_context(self) -> Any:
        """The classic delta's memory: timestamp and filesAtTimestamp."""
        value = self.setting("sync.6.context")
        return json.loads(value).get("delta") if value else None

    def sync_info(self) -> Any:
        value = self.setting("syncInfoCache")
        return json.loads(value) if value else None

    def snapshot(self, *, trash: bool = False) -> dict[str, Any]:
        """Everything two converged clients must agree on, in comparable form."""
        return {
            "notes": {n["id"]: {k: n[k] for k in _NOTE_FIELDS} for n in self.notes(trash=trash)},
            "folders": {
                f["id"]: {k: f[k] for k in ("title", "parent_id", "deleted_time", "icon")}
                for f in self.folders(trash=trash)
            },
            "resources": {
                r["id"]: {k: r[k] for k in ("title", "mime", "size", "file_extension")}
                for r in self.resources()
            },
            "tags": {t["id"]: t["title"] for t in self.tags()},
            "note_tags": self.note_tags(),
        }
