"""What differs between two snapshots, in the words of the feed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from adapters.contract import KnowledgeAreaChange, KnowledgeResourceIdChange
from adapters.filebased import names
from adapters.filebased.changes import Change
from adapters.filebased.links import resource_id_of
from adapters.filebased.snapshot import (
    File,
    Folder,
    Node,
    area_of,
    find_folder,
    find_node,
    is_area_node,
    renamed,
    walk_files,
    with_nodes,
)


class Move(NamedTuple):
    """A path that is now reached by another one, with everything below."""

    previous: str
    current: str


class Difference(NamedTuple):
    """A path at which two trees differ: appeared, went, or a file that changed."""

    path: str
    before: Node | None
    after: Node | None


def differences(before: Folder, after: Folder, path: str = "") -> Iterator[Difference]:
    """Yield where two trees differ; a directory in only one of them stands for all in it."""
    for name in before.entries.keys() | after.entries.keys():
        old, new = before.entries.get(name), after.entries.get(name)
        here = names.join(path, name)
        if old is new:
            continue
        if isinstance(old, Folder) and isinstance(new, Folder):
            yield from differences(old, new, here)
        elif type(old) is type(new) or old is None or new is None:
            yield Difference(here, old, new)
        else:
            yield Difference(here, old, None)
            yield Difference(here, None, new)


def with_moves(root: Folder, moves: Sequence[Move]) -> Folder:
    """Return the tree as if entries had been given other paths, all at once."""
    taken = [(move.current, find_node(root, move.previous)) for move in moves]
    for move in sorted(moves, key=lambda move: -len(move.previous)):
        root = with_nodes(root, {move.previous: None})
    for path, node in taken:
        if node is not None and find_folder(root, names.parent_of(path)) is not None:
            root = with_nodes(root, {path: renamed(node, names.name_of(path))})
    return root


def all_paths(node: Node | None, path: str) -> Iterator[str]:
    """Yield `path` and every path below it, in normal form."""
    if node is None:
        return
    yield names.normal(path)
    if isinstance(node, Folder):
        for name, entry in node.entries.items():
            yield from all_paths(entry, names.join(path, name))


def describe(
    old: Folder, base: Folder, new: Folder, moves: Sequence[Move], found: Sequence[Difference]
) -> Change:
    """Say what happened: `base` is `old` after `moves`, `found` is what sets `new` apart."""
    touched: dict[str, None] = {}
    resources: dict[str, None] = {}
    moved, ids = _describe_moves(old, new, moves, touched)
    for path, before, after in found:
        if _is_same_text(before, after):
            continue
        for root, node in ((base, before), (new, after)):
            if node is None:
                continue
            area = area_of(root, path)
            if area is not None:
                touched[area] = None
            files = walk_files(node, path)
            resources |= {resource_id_of(p): None for p, file in files if file.facts is None}
    return Change(
        touched=tuple(touched),
        moved=moved,
        resource_ids=tuple(resources),
        resource_id_changes=ids,
    )


def _describe_moves(
    old: Folder, new: Folder, moves: Sequence[Move], touched: dict[str, None]
) -> tuple[tuple[KnowledgeAreaChange, ...], tuple[KnowledgeResourceIdChange, ...]]:
    moved: list[KnowledgeAreaChange] = []
    ids: list[KnowledgeResourceIdChange] = []
    for previous, current in moves:
        node = find_node(old, previous)
        if node is None:
            continue
        for path, file in walk_files(node, previous):
            now = names.rebase(path, previous, current)
            there = find_node(new, now)
            if file.facts is None and isinstance(there, File) and there.facts is None:
                change = KnowledgeResourceIdChange(resource_id_of(path), resource_id_of(now))
                ids.append(change)
        before, after = area_of(old, previous), area_of(new, current)
        if before is None or after is None:
            # A file became a document, or stopped being one, by its name.
            touched |= {area: None for area in (before, after) if area is not None}
            continue
        if before != after:
            moved.append(KnowledgeAreaChange(before, after))
        if _title(node) != _title(find_node(new, current)):
            touched[after] = None
    return tuple(moved), tuple(ids)


def _title(node: Node | None) -> str | None:
    return node.title if node is not None and is_area_node(node) else None


def _is_same_text(before: Node | None, after: Node | None) -> bool:
    """Tell whether a document has the same text and links as before, whatever its time stamp."""
    if not isinstance(before, File) or not isinstance(after, File):
        return False
    if before.facts is None or after.facts is None:
        return before.facts is after.facts and before.stamp == after.stamp
    return before.revision() == after.revision()
