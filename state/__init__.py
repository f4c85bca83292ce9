"""What davbridge remembers: SQLite through sqlite-utils, one store class per table."""

from state.database import StateStore
from state.errors import AreaTaken, Conflict, NotStored, StateError
from state.values import (
    UNREAD,
    FindingRow,
    IndexRow,
    ItemRow,
    OpaqueRow,
    Place,
    ResourceRow,
    TargetRow,
    VersionRow,
)

__all__ = [
    "UNREAD",
    "AreaTaken",
    "Conflict",
    "FindingRow",
    "IndexRow",
    "ItemRow",
    "NotStored",
    "OpaqueRow",
    "Place",
    "ResourceRow",
    "StateError",
    "StateStore",
    "TargetRow",
    "VersionRow",
]
