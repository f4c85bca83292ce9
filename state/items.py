"""The table `item`: the one ledger of a sync target."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, Unpack

from state.errors import AreaTaken, Conflict, StateError
from state.rebase import area_range, rebase_items
from state.session import Row, Session
from state.values import UNREAD, ItemChanges, ItemRow, Place

_COLUMNS: Final = (
    "id", "type", "place", "reason", "area", "name_used", "parent_id", "text_hash", "handle",
    "revision", "updated_ms", "client_ms", "listed_s", "trash_token", "vanish_at", "dirty",
    "fetched",
)  # fmt: skip
_CHANGEABLE: Final = frozenset(_COLUMNS[1:]) | {"raw"}


def _put_statement(*, with_raw: bool) -> str:
    columns = (*_COLUMNS, "raw")
    kept = columns if with_raw else _COLUMNS
    changes = ", ".join(f"{name} = excluded.{name}" for name in kept if name != "id")
    return (
        f"INSERT INTO item (target, {', '.join(columns)})"  # noqa: S608 (names are ours)
        f" VALUES (?{', ?' * len(columns)}) ON CONFLICT (target, id) DO UPDATE SET {changes}"
    )


_PUT: Final = _put_statement(with_raw=True)
_PUT_UNREAD: Final = _put_statement(with_raw=False)
_LIGHT: Final = f"SELECT {', '.join(_COLUMNS)} FROM item WHERE target = ?"  # noqa: S608
_FULL: Final = f"SELECT {', '.join(_COLUMNS)}, raw FROM item WHERE target = ?"  # noqa: S608
_LISTED: Final = "place IN ('bound', 'kept')"
# Left alone, SQLite would rather walk all items of a place than those of an area.
_BY_AREA: Final = (
    f"SELECT {', '.join(_COLUMNS)}, raw FROM item INDEXED BY item_area"  # noqa: S608
    f" WHERE target = ? AND {_LISTED} AND area = ? AND (? IS NULL OR type = ?)"
    " ORDER BY place, type, id LIMIT 1"
)
_DIRTY: Final = (
    "SELECT id FROM item INDEXED BY item_dirty WHERE target = ? AND dirty = 1 ORDER BY listed_s, id"
)


class ItemStore:
    """The items of one target.

    Lists come in no promised order unless one is named. A row listed without its text has
    `UNREAD` for `raw`: empty bytes that `put` knows to leave the stored text alone.
    """

    def __init__(self, session: Session, target_id: int) -> None:
        self._session = session
        self._target = target_id

    def get(self, item_id: str) -> ItemRow | None:
        """Return everything known of an item, wherever it is."""
        return _first(self._session.one(f"{_FULL} AND id = ?", (self._target, item_id)))

    def raw(self, item_id: str) -> tuple[bytes, int] | None:
        """Return the text and the listing time of an item that is not gone."""
        row = self._session.one(
            "SELECT raw, listed_s FROM item WHERE target = ? AND id = ? AND place <> 'gone'",
            (self._target, item_id),
        )
        return None if row is None else (row[0], row[1])

    def put(self, row: ItemRow) -> None:
        """Insert an item, or replace all that is known of it; `AreaTaken` if it cannot be bound.

        A `raw` that is `UNREAD` leaves the stored text as it is.
        """
        statement = _PUT_UNREAD if row.raw is UNREAD else _PUT
        try:
            self._session.run(statement, (self._target, *_values(row)))
        except Conflict as error:
            raise _taken(error, row.area) from error

    def update(self, item_id: str, **changes: Unpack[ItemChanges]) -> bool:
        """Exchange single columns of an item; tell whether there is such an item.

        Refused with `AreaTaken` if it cannot be bound where the changes say.
        """
        if changes.get("raw") is UNREAD:
            del changes["raw"]
        if not changes:
            return self.get(item_id) is not None
        values = [str(value) if isinstance(value, Place) else value for value in changes.values()]
        try:
            statement = _update_statement(tuple(changes))
            return self._session.run(statement, (*values, self._target, item_id)) > 0
        except Conflict as error:
            area = changes.get("area")
            if area is None and (row := self.get(item_id)) is not None:
                area = row.area
            raise _taken(error, area) from error

    def remove(self, item_id: str) -> bool:
        """Forget an item and what it waited for; tell whether it was there. Versions stay."""
        with self._session.transaction():
            key = (self._target, item_id)
            self._session.run("DELETE FROM waits WHERE target = ? AND item_id = ?", key)
            return self._session.run("DELETE FROM item WHERE target = ? AND id = ?", key) > 0

    def rekey(self, old_id: str, new_id: str) -> bool:
        """Give an item another id, everywhere but in `resource`; tell whether it was there.

        Its children, waits, versions and findings follow. `Conflict` if `new_id` has a row.
        """
        key = {"target": self._target, "old": old_id, "new": new_id}
        with self._session.transaction():
            found = self._session.run(
                "UPDATE item SET id = :new WHERE target = :target AND id = :old", key
            )
            for statement in _REKEY:
                self._session.run(statement, key)
        return found > 0

    def by_area(self, area: str, *, item_type: int | None = None) -> ItemRow | None:
        """Return what is bound to `area`, else what is kept for it; of any type unless named.

        Where several types share an area, the lowest type comes first.
        """
        parameters = (self._target, area, item_type, item_type)
        return _first(self._session.one(_BY_AREA, parameters))

    def gone_by_area(self, area: str) -> list[ItemRow]:
        """Return the gone items whose last place was `area`, the last listed first."""
        return self._rows("area = ? AND place = 'gone' ORDER BY listed_s DESC, id", area)

    def below(self, area: str) -> list[ItemRow]:
        """Return all bound and kept items strictly below `area`, parents first."""
        low, high = area_range(area)
        return self._rows(f"area > ? AND area < ? AND {_LISTED} ORDER BY area, place", low, high)

    def listed(self) -> Iterator[tuple[str, int]]:
        """Return id and listing time of every item that is not gone."""
        sql = f"SELECT id, listed_s FROM item WHERE target = ? AND {_LISTED}"  # noqa: S608
        rows: list[tuple[str, int]] = self._session.all(sql, (self._target,))
        return iter(rows)

    def bound(self) -> list[ItemRow]:
        """Return all bound items, without their texts."""
        return self._light("place = 'bound'")

    def children(self, parent_id: str) -> list[ItemRow]:
        """Return all items of a notebook that are not gone, without their texts."""
        return self._light(f"parent_id = ? AND {_LISTED}", parent_id)

    def adoptable(
        self, parent_ids: Iterable[str], item_type: int, names: Iterable[str]
    ) -> list[ItemRow]:
        """Return bound items that no client wrote or fetched, by notebook, type and area name."""
        parents, wanted = list(parent_ids), list(names)
        marks = ", ".join("?" * len(parents)), ", ".join("?" * len(wanted))
        return self._rows(
            "place = 'bound' AND client_ms = 0 AND fetched = 0 AND type = ?"
            f" AND parent_id IN ({marks[0]}) AND name_used IN ({marks[1]}) ORDER BY area",
            item_type,
            *parents,
            *wanted,
        )

    def mentioning(self, text: str) -> list[str]:
        """Return the ids of all items that are not gone whose text holds `text`; reads them all."""
        sql = f"SELECT id FROM item WHERE target = ? AND {_LISTED} AND instr(raw, ?) > 0"  # noqa: S608
        return [row[0] for row in self._session.all(sql, (self._target, text.encode()))]

    def kept(self, reason: str) -> list[ItemRow]:
        """Return all items kept for `reason`."""
        return self._rows("place = 'kept' AND reason = ?", reason)

    def vanishing(self) -> list[ItemRow]:
        """Return all items that are to leave the listing, the first to go first."""
        return self._rows("vanish_at IS NOT NULL ORDER BY vanish_at, id")

    def dirty_ids(self) -> list[str]:
        """Return the ids of all items that `reconcile` has to look at, in order of listing."""
        return [row[0] for row in self._session.all(_DIRTY, (self._target,))]

    def rebase(self, changes: Sequence[tuple[str, str]]) -> None:
        """Re-point every item, gone ones too, after (previous, current) areas changed.

        All changes apply at once, by whole segments; the deepest previous area counts. Refused
        as a whole with `AreaTaken` if two items of one type would then be bound to one area.
        """
        rebase_items(self._session, self._target, changes)

    def mark_fetched(self, ids: Iterable[str]) -> None:
        """Remember that a client has read these items; free of cost if that is known."""
        query = "SELECT 1 FROM item WHERE target = ? AND id = ? AND fetched = 0"
        keys = [(self._target, item_id) for item_id in ids]
        unknown = [key for key in keys if self._session.one(query, key) is not None]
        self._session.run_many("UPDATE item SET fetched = 1 WHERE target = ? AND id = ?", unknown)

    def ever_used(self, item_id: str) -> bool:
        """Tell whether the id has a row, wherever it is, or a version of one (R-J-41)."""
        sql = (
            "SELECT 1 FROM item WHERE target = :target AND id = :id"
            " UNION ALL SELECT 1 FROM version WHERE target = :target AND item_id = :id LIMIT 1"
        )
        return self._session.one(sql, {"target": self._target, "id": item_id}) is not None

    def counts(self) -> dict[int, int]:
        """Return how many items of each type are not gone."""
        sql = f"SELECT type, count(*) FROM item WHERE target = ? AND {_LISTED} GROUP BY type"  # noqa: S608
        return dict(self._session.all(sql, (self._target,)))

    def any_bound(self) -> bool:
        """Tell whether any item is bound."""
        sql = "SELECT 1 FROM item WHERE target = ? AND place = 'bound' LIMIT 1"
        return self._session.one(sql, (self._target,)) is not None

    def _rows(self, condition: str, *parameters: object) -> list[ItemRow]:
        rows = self._session.all(f"{_FULL} AND {condition}", (self._target, *parameters))
        return [_item(row, row[-1]) for row in rows]

    def _light(self, condition: str, *parameters: object) -> list[ItemRow]:
        rows = self._session.all(f"{_LIGHT} AND {condition}", (self._target, *parameters))
        return [_item(row, UNREAD) for row in rows]


_REKEY: Final = (
    "UPDATE item SET parent_id = :new WHERE target = :target AND parent_id = :old",
    "UPDATE OR REPLACE waits SET item_id = :new WHERE target = :target AND item_id = :old",
    "UPDATE OR REPLACE waits SET needs_id = :new WHERE target = :target AND needs_id = :old",
    "UPDATE version SET item_id = :new WHERE target = :target AND item_id = :old",
    "UPDATE OR REPLACE finding SET item_id = :new WHERE target = :target AND item_id = :old",
)


@functools.cache
def _update_statement(names: tuple[str, ...]) -> str:
    if unknown := set(names) - _CHANGEABLE:
        raise TypeError(f"an item has no {', '.join(sorted(unknown))} to change")
    changes = ", ".join(f"{name} = ?" for name in names)
    return f"UPDATE item SET {changes} WHERE target = ? AND id = ?"  # noqa: S608 (checked names)


def _values(row: ItemRow) -> tuple[object, ...]:
    return (
        row.id, row.type, row.place.value, row.reason, row.area, row.name_used, row.parent_id,
        row.text_hash, row.handle, row.revision, row.updated_ms, row.client_ms, row.listed_s,
        row.trash_token, row.vanish_at, int(row.dirty), int(row.fetched), bytes(row.raw),
    )  # fmt: skip


def _item(row: Row, raw: bytes) -> ItemRow:
    return ItemRow(
        id=row[0],
        type=row[1],
        place=Place(row[2]),
        reason=row[3],
        area=row[4],
        name_used=row[5],
        parent_id=row[6],
        text_hash=row[7],
        handle=row[8],
        revision=row[9],
        updated_ms=row[10],
        client_ms=row[11],
        listed_s=row[12],
        trash_token=row[13],
        vanish_at=row[14],
        dirty=bool(row[15]),
        fetched=bool(row[16]),
        raw=raw,
    )


def _first(row: Row | None) -> ItemRow | None:
    return None if row is None else _item(row, row[-1])


def _taken(error: Conflict, area: str | None) -> StateError:
    """Name the area if it was the unique index of bound areas that refused."""
    return AreaTaken(area=area) if area is not None and "item.area" in str(error) else error
