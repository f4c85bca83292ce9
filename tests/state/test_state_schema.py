"""Migrations: append-only, applied once, all or none."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sqlite_utils import Database

from state import StateStore
from state.schema import migration_names, migrations

# What each released migration left behind: the hash of all names so far and of the schema they
# make. A line is added with a migration and never edited; a mismatch means released history was.
RELEASED: tuple[tuple[str, str, str], ...] = (
    ("0001_initial", "3ef54af11f5dd6ae", "63c3a0217c72631b"),
)

_OURS = """
    SELECT sql FROM sqlite_master
    WHERE tbl_name NOT LIKE 'sqlite_%' AND tbl_name <> '_sqlite_migrations' ORDER BY type, name
"""


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _schema_after(name: str) -> str:
    names = migration_names()
    following = names[names.index(name) + 1 :]
    database = Database(memory=True, execute_plugins=False)
    try:
        migrations.apply(database, stop_before=following[:1])
        statements = database.execute(_OURS)
        return "\n".join(" ".join(sql.split()) for (sql,) in statements if sql)
    finally:
        database.conn.close()


def test_released_migrations_are_never_edited() -> None:
    """STYLE 10: the names, their order and what each migration makes stay as released."""
    names = migration_names()
    actual = tuple(
        (name, _hash("\n".join(names[: number + 1])), _hash(_schema_after(name)))
        for number, name in enumerate(names)
    )
    assert actual == RELEASED


def test_migrations_are_applied_once(directory: Path) -> None:
    """Opening a state again changes nothing about its schema."""
    applied = []
    for _ in range(2):
        with StateStore.open(directory) as store:
            applied.append(
                [(row.name, row.applied_at) for row in migrations.applied(store._session.db)]
            )
            assert migrations.pending(store._session.db) == []
    assert applied[0] == applied[1]
    assert list(migration_names()) == [name for name, _ in applied[0]]


def test_hot_queries_use_their_index(store: StateStore) -> None:
    """No query of a request walks all items of a target."""
    plans = {
        "SELECT id, listed_s FROM item WHERE target = 1 AND place IN ('bound', 'kept')":
            "COVERING INDEX item_place",
        "SELECT raw FROM item WHERE target = 1 AND area > 'x' AND area < 'y'"
        " AND place IN ('bound', 'kept') ORDER BY area, place":
            "INDEX item_area (target=? AND area>? AND area<?)",
        "UPDATE item SET area = 'z' WHERE target = 1 AND area > 'x' AND area < 'y'":
            "INDEX item_area (target=? AND area>? AND area<?)",
        "SELECT id FROM item WHERE target = 1 AND parent_id = 'x' AND place IN ('bound', 'kept')":
            "INDEX item_parent (target=? AND parent_id=?)",
        "SELECT id FROM item WHERE target = 1 AND vanish_at IS NOT NULL ORDER BY vanish_at, id":
            "INDEX item_vanish",
    }  # fmt: skip
    for sql, expected in plans.items():
        plan = store._session.all(f"EXPLAIN QUERY PLAN {sql}")
        assert expected in plan[0][-1]
