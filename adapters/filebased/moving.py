"""Renaming and moving documents and directories, with what belongs to them (R-F-60..62)."""

from __future__ import annotations

import os
from collections.abc import Iterator

from adapters.contract import MutationFailure
from adapters.filebased import names
from adapters.filebased.desk import Desk, Planned
from adapters.filebased.difference import Move
from adapters.filebased.plan import Plan, Rename
from adapters.filebased.reading import Spot
from adapters.filebased.refusal import Refusal
from adapters.filebased.repair import repairs
from adapters.filebased.snapshot import Folder, find_folder, walk_files


def move(desk: Desk, area: str, parent: str | None, new_name: str | None) -> Planned:
    """Plan another parent, another name, or both; links in and out stay valid."""
    spot = desk.whole(area)
    holder = desk.whole(parent) if parent is not None else None
    if not spot.path:
        raise Refusal(MutationFailure.NOT_SUPPORTED, "the root stays where and what it is")
    directory = holder.path if holder is not None else names.parent_of(spot.path)
    if holder is not None and not _can_hold(holder, spot):
        raise Refusal(MutationFailure.NOT_SUPPORTED, f"{parent} cannot hold {area}")
    name = spot.node.title if new_name is None else new_name
    is_same_place = directory == names.parent_of(spot.path)
    if is_same_place and names.normal(name) == spot.node.title and names.is_name(name):
        return Planned(path=spot.path)
    file_name = _file_name(desk, spot, directory, name, keep=new_name is None)
    target = names.join(directory, file_name)
    if isinstance(spot.node, Folder):
        need_all_exposed(desk, spot.path)
        return planned_move(desk, (Move(spot.path, target),), target)
    moves = (Move(spot.path, target), *owned_moves(desk, spot.path, target))
    return planned_move(desk, moves, target)


def planned_move(desk: Desk, moves: tuple[Move, ...], target: str) -> Planned:
    """Plan that entries get other paths, and whatever must be written for it."""
    renames = [Rename(source=previous, target=current) for previous, current in moves]
    return Planned(plan=Plan(steps=(*renames, *repairs(desk, moves)), moves=moves), path=target)


def _can_hold(holder: Spot, spot: Spot) -> bool:
    if not isinstance(holder.node, Folder):
        return False
    return not (isinstance(spot.node, Folder) and names.is_below(holder.path, spot.path))


def _file_name(desk: Desk, spot: Spot, directory: str, name: str, *, keep: bool) -> str:
    but = spot.node.name if directory == names.parent_of(spot.path) else ""
    if keep:
        desk.need_free(directory, spot.node.name, but=but)
        return spot.node.name
    is_folder = isinstance(spot.node, Folder)
    suffix = "" if is_folder else names.split_suffix(spot.node.name)[1]
    return desk.need_name(directory, name, suffix=suffix, but=but)


def owned_files(desk: Desk, document: str) -> Iterator[tuple[str, str, str]]:
    """Yield path, token and suffix of the files that belong to a document (R-F-42)."""
    directory = names.parent_of(document)
    stem = names.split_suffix(names.name_of(document))[0]
    folder = find_folder(desk.tree, directory)
    for name in sorted(folder.entries) if folder else ():
        owned = names.owned_token(name, stem)
        if owned is not None and desk.file_at(names.join(directory, name)) is not None:
            yield names.join(directory, name), *owned


def owned_moves(desk: Desk, document: str, target: str) -> Iterator[Move]:
    """Yield where the files that belong to a document go; taken names get another token."""
    directory = names.parent_of(target)
    stem = names.split_suffix(names.name_of(target))[0]
    for path, token, suffix in owned_files(desk, document):
        name = names.owned_name(stem, token, suffix)
        but = names.name_of(path) if directory == names.parent_of(path) else ""
        if not desk.is_free(directory, name, but=but):
            name = fresh_owned_name(desk, directory, stem, suffix)
        if len(name.encode()) > names.LONGEST:
            raise Refusal(MutationFailure.INVALID_NAME, "too long for the resources' file names")
        yield Move(path, names.join(directory, name))


def fresh_owned_name(desk: Desk, directory: str, stem: str, suffix: str) -> str:
    """Return a free name for a file that is to belong to a document (R-F-43)."""
    token = int(desk.clock().timestamp() * 1000)
    while not desk.is_free(directory, names.owned_name(stem, str(token), suffix)):
        token += 1
    return names.owned_name(stem, str(token), suffix)


def need_all_exposed(desk: Desk, directory: str) -> None:
    """Refuse NOT_SUPPORTED for a directory with anything in it that is not shown (R-F-62).

    What file managers leave behind travels along.
    """
    desk.core.look_below(directory)
    node = find_folder(desk.tree, directory)
    shown = {path for path, _ in walk_files(node, directory)} if node else set()
    top = desk.core.disk.root / directory
    for place, directories, files in os.walk(top):
        here = os.path.relpath(place, desk.core.disk.root)
        for name in (*directories, *files):
            path = names.join(here, name)
            is_directory = name in directories and find_folder(desk.tree, path) is not None
            if path not in shown and not is_directory and name.lower() not in names.JUNK:
                detail = f"{directory!r} holds something that is not shown"
                raise Refusal(MutationFailure.NOT_SUPPORTED, detail)
