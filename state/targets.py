"""The table `target`: which sync targets there are and which repository each one shows."""

from __future__ import annotations

from typing import Final, Unpack

from state.errors import Conflict
from state.session import Row, Session
from state.values import TargetChanges, TargetRow

_SELECT: Final = (
    "SELECT id, base_path, repository_key, root_dev, root_ino, clock_s, cursor FROM target"
)
_NAMES: Final = TargetChanges.__optional_keys__
_NUMBERS: Final = frozenset({"root_dev", "root_ino"})


class TargetStore:
    """All sync targets of this state."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def get(self, target_id: int) -> TargetRow | None:
        """Return the target with this id."""
        return self._first(f"{_SELECT} WHERE id = ?", target_id)

    def find(self, repository_key: str, base_path: str) -> TargetRow | None:
        """Return the target that shows this repository below this path."""
        condition = "WHERE repository_key = ? AND base_path = ?"
        return self._first(f"{_SELECT} {condition}", repository_key, base_path)

    def find_by_root(self, dev: int, ino: int) -> list[TargetRow]:
        """Return the targets whose root directory was this one when last seen (MODEL 4)."""
        return self._rows(
            f"{_SELECT} WHERE root_dev = ? AND root_ino = ? ORDER BY id", str(dev), str(ino)
        )

    def all(self) -> list[TargetRow]:
        """Return all targets, the oldest first."""
        return self._rows(f"{_SELECT} ORDER BY id")

    def add(
        self,
        repository_key: str,
        base_path: str,
        *,
        root_dev: int | None = None,
        root_ino: int | None = None,
        clock_s: int = 0,
        cursor: str | None = None,
    ) -> TargetRow:
        """Begin a target; `Conflict` if this repository is already shown below this path."""
        values = {
            "repository_key": repository_key,
            "base_path": base_path,
            "root_dev": None if root_dev is None else str(root_dev),
            "root_ino": None if root_ino is None else str(root_ino),
            "clock_s": clock_s,
            "cursor": cursor,
        }
        with self._session.transaction():
            if self.find(repository_key, base_path) is not None:
                raise Conflict("This repository already has a target at this path.")
            self._session.run(_INSERT, values)
            row = self.find(repository_key, base_path)
        if row is None:  # pragma: no cover (it was inserted a line ago)
            raise Conflict("The new target is not there.")
        return row

    def update(self, target_id: int, **changes: Unpack[TargetChanges]) -> bool:
        """Exchange single columns of a target; tell whether there is such a target."""
        if unknown := set(changes) - _NAMES:
            raise TypeError(f"a target has no {', '.join(sorted(unknown))} to change")
        if not changes:
            return self.get(target_id) is not None
        assignments = ", ".join(f"{name} = ?" for name in changes)
        values = [_stored(name, value) for name, value in changes.items()]
        statement = f"UPDATE target SET {assignments} WHERE id = ?"  # noqa: S608 (checked names)
        return self._session.run(statement, (*values, target_id)) > 0

    def _first(self, sql: str, *parameters: object) -> TargetRow | None:
        row = self._session.one(sql, parameters)
        return None if row is None else _target(row)

    def _rows(self, sql: str, *parameters: object) -> list[TargetRow]:
        return [_target(row) for row in self._session.all(sql, parameters)]


_INSERT: Final = (
    "INSERT INTO target (repository_key, base_path, root_dev, root_ino, clock_s, cursor)"
    " VALUES (:repository_key, :base_path, :root_dev, :root_ino, :clock_s, :cursor)"
)


def _stored(name: str, value: object) -> object:
    return str(value) if name in _NUMBERS and value is not None else value


def _target(row: Row) -> TargetRow:
    return TargetRow(
        id=row[0],
        base_path=row[1],
        repository_key=row[2],
        root_dev=None if row[3] is None else int(row[3]),
        root_ino=None if row[4] is None else int(row[4]),
        clock_s=row[5],
        cursor=row[6],
    )
