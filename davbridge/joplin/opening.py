"""Finding the rows of a repository that may have moved since last time (MODEL, section 4)."""

from __future__ import annotations

import logging
from itertools import islice
from typing import Final

from davbridge.joplin.library import Library
from state import StateStore, TargetRow

log = logging.getLogger(__name__)

_SAMPLE: Final = 40


def find_target(
    store: StateStore,
    library: Library,
    *,
    base_path: str,
    repository_key: str,
    root: tuple[int, int] | None,
) -> TargetRow:
    """Return the row of this target: by its root's device and inode, else by its key, else new.

    A folder that was moved keeps its ids. File systems reuse inodes, so an inode counts only
    when the folder still holds what the rows say.
    """
    found = store.targets.find(repository_key, base_path)
    for moved in store.targets.find_by_root(*root) if root else ():
        if moved.base_path != base_path or (found is not None and moved.id == found.id):
            continue
        if _resembles(store, library, moved) and not _resembles(store, library, found):
            if found is not None:
                store.targets.update(found.id, repository_key=f"{repository_key}#{found.id}")
            store.targets.update(moved.id, repository_key=repository_key)
            log.info("the folder was moved; its notes keep their ids")
            found = moved
    dev, ino = root or (None, None)
    if found is None:
        return store.targets.add(
            base_path=base_path, repository_key=repository_key, root_dev=dev, root_ino=ino
        )
    if root is not None:
        store.targets.update(found.id, root_dev=dev, root_ino=ino)
    row = store.targets.get(found.id)
    assert row is not None
    return row


def _resembles(store: StateStore, library: Library, target: TargetRow | None) -> bool:
    """Tell whether most areas the target's rows name are in the repository."""
    if target is None:
        return False
    rows = (row for row in store.items(target.id).bound() if row.area)
    known = [library.item_type(row.area or "/") == row.type for row in islice(rows, _SAMPLE)]
    return sum(known) * 2 > len(known)
