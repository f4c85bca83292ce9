"""The tables, as an append-only list of migrations: a released one is never edited.

Every table is keyed by its target where it belongs to one. `item.raw` is the last column, so that
reading the others never touches the pages a long text spills into.
"""

from __future__ import annotations

from typing import Final

from sqlite_utils import Database
from sqlite_utils.migrations import Migrations

# Written into the header of the file, so that no other program's database is taken for ours.
APPLICATION_ID: Final = 0x64617662  # "davb"

migrations: Final = Migrations("davbridge")


def migration_names() -> tuple[str, ...]:
    """Return the names of all known migrations, oldest first."""
    return tuple(migration.name for migration in migrations._migrations)


@migrations(name="0001_initial")
def _initial(db: Database) -> None:
    db.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for statement in _INITIAL:
        db.execute(statement)


_INITIAL: Final = (
    """
    CREATE TABLE target (
        id INTEGER PRIMARY KEY,
        base_path TEXT NOT NULL,
        repository_key TEXT NOT NULL,
        root_dev TEXT,  -- decimal: both may need 64 bits without a sign
        root_ino TEXT,
        clock_s INTEGER NOT NULL DEFAULT 0,
        cursor TEXT,
        UNIQUE (repository_key, base_path)
    )
    """,
    "CREATE INDEX target_root ON target (root_dev, root_ino)",
    """
    CREATE TABLE item (
        target INTEGER NOT NULL REFERENCES target (id) ON DELETE CASCADE,
        id TEXT NOT NULL,
        type INTEGER NOT NULL,
        place TEXT NOT NULL CHECK (place IN ('bound', 'kept', 'gone')),
        reason TEXT NOT NULL,
        area TEXT,
        name_used TEXT,
        parent_id TEXT NOT NULL,
        text_hash TEXT NOT NULL,
        handle TEXT NOT NULL,
        revision TEXT NOT NULL,
        updated_ms INTEGER NOT NULL,
        client_ms INTEGER NOT NULL,
        listed_s INTEGER NOT NULL,
        trash_token TEXT,
        vanish_at REAL,
        dirty INTEGER NOT NULL,
        fetched INTEGER NOT NULL,
        raw BLOB NOT NULL,
        PRIMARY KEY (target, id),
        CHECK (place <> 'bound' OR area IS NOT NULL OR type = 4)  -- 4: an attachment
    )
    """,
    "CREATE UNIQUE INDEX item_bound ON item (target, area, type) WHERE place = 'bound'",
    "CREATE INDEX item_area ON item (target, area) WHERE area IS NOT NULL",
    "CREATE INDEX item_parent ON item (target, parent_id)",
    "CREATE INDEX item_place ON item (target, place, type, id, listed_s)",  # covers the listing
    "CREATE INDEX item_dirty ON item (target, id) WHERE dirty = 1",
    "CREATE INDEX item_vanish ON item (target, vanish_at) WHERE vanish_at IS NOT NULL",
    """
    CREATE TABLE resource (
        target INTEGER NOT NULL REFERENCES target (id) ON DELETE CASCADE,
        id TEXT NOT NULL,
        resource_id TEXT NOT NULL,
        revision TEXT NOT NULL,
        size INTEGER NOT NULL,
        PRIMARY KEY (target, id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX resource_id ON resource (target, resource_id)",
    """
    CREATE TABLE waits (
        target INTEGER NOT NULL REFERENCES target (id) ON DELETE CASCADE,
        item_id TEXT NOT NULL,
        needs_id TEXT NOT NULL,
        PRIMARY KEY (target, item_id, needs_id)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX waits_needs ON waits (target, needs_id)",
    # A row without bytes is a file below blobs/.
    "CREATE TABLE blob (sha256 TEXT PRIMARY KEY, size INTEGER NOT NULL, bytes BLOB)",
    """
    CREATE TABLE opaque (
        target INTEGER NOT NULL REFERENCES target (id) ON DELETE CASCADE,
        path TEXT NOT NULL,
        sha256 TEXT NOT NULL REFERENCES blob (sha256),
        mtime REAL NOT NULL,
        PRIMARY KEY (target, path)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX opaque_blob ON opaque (sha256)",
    """
    CREATE TABLE version (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        target INTEGER NOT NULL REFERENCES target (id) ON DELETE CASCADE,
        item_id TEXT NOT NULL,
        area TEXT,
        sha256 TEXT NOT NULL REFERENCES blob (sha256),
        time REAL NOT NULL,
        why TEXT NOT NULL
    )
    """,
    "CREATE INDEX version_item ON version (target, item_id)",
    "CREATE INDEX version_time ON version (target, time)",
    "CREATE INDEX version_blob ON version (sha256)",
    """
    CREATE TABLE finding (
        id INTEGER PRIMARY KEY AUTOINCREMENT,
        target INTEGER NOT NULL REFERENCES target (id) ON DELETE CASCADE,
        item_id TEXT NOT NULL,  -- '' for the target as a whole
        code TEXT NOT NULL,
        detail TEXT NOT NULL,
        time REAL NOT NULL,
        confirmed INTEGER NOT NULL DEFAULT 0,
        UNIQUE (target, item_id, code, confirmed)
    )
    """,
    """
    CREATE TABLE provider_index (
        namespace TEXT NOT NULL,
        key TEXT NOT NULL,
        revision TEXT NOT NULL,
        value BLOB NOT NULL,
        PRIMARY KEY (namespace, key)
    )
    """,
    "CREATE TABLE user (name TEXT PRIMARY KEY, hash TEXT NOT NULL)",
)
