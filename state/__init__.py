"""What davbridge remembers: SQLite through sqlite-utils, one store class per table."""

from state.blobs import BlobStore
from state.database import StateStore
from state.errors import AreaTaken, Conflict, NotStored, StateError
from state.findings import FindingStore
from state.index import ProviderIndex
from state.items import ItemStore
from state.opaque import OpaqueStore
from state.resources import ResourceStore
from state.targets import TargetStore
from state.users import UserStore
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
from state.versions import VersionStore
from state.waits import WaitStore

__all__ = [
    "UNREAD",
    "AreaTaken",
    "BlobStore",
    "Conflict",
    "FindingRow",
    "FindingStore",
    "IndexRow",
    "ItemRow",
    "ItemStore",
    "NotStored",
    "OpaqueRow",
    "OpaqueStore",
    "Place",
    "ProviderIndex",
    "ResourceRow",
    "ResourceStore",
    "StateError",
    "StateStore",
    "TargetRow",
    "TargetStore",
    "UserStore",
    "VersionRow",
    "VersionStore",
    "WaitStore",
]
