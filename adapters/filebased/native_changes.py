"""Changes of the files as they are on disk: names and bytes are taken as given."""

from __future__ import annotations

from typing import BinaryIO

from adapters.contract import MutationFailure
from adapters.filebased import names
from adapters.filebased.desk import Desk, Planned
from adapters.filebased.difference import Move
from adapters.filebased.links import resource_id_of
from adapters.filebased.moving import need_all_exposed, owned_moves, planned_move
from adapters.filebased.plan import Create, MakeDirectory, Plan, Remove, Write
from adapters.filebased.reading import Spot
from adapters.filebased.refusal import Refusal
from adapters.filebased.removal import discard, going
from adapters.filebased.snapshot import File, Folder, Node, area_of, find_folder, real_path
from adapters.filebased.trash import TrashCan


def put(desk: Desk, path: str, stream: BinaryIO, expected: str | None) -> Planned:
    """Plan a file with the bytes of `stream`, byte for byte (R-F-95)."""
    desk.need_writable()
    _need_place(desk, path)
    desk.core.look_at(path)
    node = _find(desk, path)
    if isinstance(node, Folder):
        raise Refusal(MutationFailure.COLLISION, f"{path!r} is a directory")
    if node is not None and node.is_link:
        raise Refusal(MutationFailure.READ_ONLY, f"{path!r} is a link")
    if expected is not None and (node is None or expected != node.entry_revision):
        raise Refusal(MutationFailure.STALE, "changed in the meantime")
    if node is None:
        desk.need_free(names.parent_of(path), names.name_of(path))
        return _done(desk, path, Plan(steps=(Create(path=path, content=stream),)))
    if node.facts is None:
        return _done(desk, path, Plan(steps=(Write(path=path, content=stream),)))
    before, content = desk.core.disk.read(path)[0], stream.read()
    steps = () if before == content else (Write(path=path, content=content, before=before),)
    return _done(desk, path, Plan(steps=steps))


def move(desk: Desk, source: str, target: str, *, replace: bool) -> Planned:
    """Plan another path for an entry, with all that follows from it as in `moving`.

    With `replace`, an existing file keeps its place and gets the bytes of the other one.
    """
    desk.need_writable()
    node = _need(desk, source)
    _need_place(desk, target)
    if source == target:
        return _done(desk, target, Plan())
    if names.is_below(target, source):
        raise Refusal(MutationFailure.NOT_SUPPORTED, "an entry cannot be moved into itself")
    there = _find(desk, target)
    if replace and isinstance(there, File) and isinstance(node, File):
        before, content = (desk.core.disk.read(path)[0] for path in (target, source))
        write = Write(path=target, content=content, before=before)
        return _done(desk, target, Plan(steps=(write, Remove(path=source))))
    is_same_place = names.parent_of(source) == names.parent_of(target)
    but = names.name_of(source) if is_same_place else ""
    desk.need_free(names.parent_of(target), names.name_of(target), but=but)
    moves: tuple[Move, ...] = (Move(source, target),)
    if isinstance(node, Folder):
        need_all_exposed(desk, source)
    elif node.facts is not None and names.is_document_name(names.name_of(target)):
        moves = (*moves, *owned_moves(desk, source, target))
    planned = planned_move(desk, moves, target)
    return _done(desk, target, planned.plan)


def make_directory(desk: Desk, path: str) -> Planned:
    """Plan one directory."""
    desk.need_writable()
    _need_place(desk, path)
    desk.need_free(names.parent_of(path), names.name_of(path))
    return _done(desk, path, Plan(steps=(MakeDirectory(path=path),)))


def trash(desk: Desk, can: TrashCan, path: str) -> Planned:
    """Plan to move an entry to the trash, whether anything refers to it or not."""
    desk.need_writable()
    node = _need(desk, path)
    area = area_of(desk.tree, path)
    if area is None:
        return discard(desk, can, names.name_of(path), (path,))
    spot = Spot(area=area, path=path, node=node)
    return discard(desk, can, names.name_of(path), tuple(going(desk, spot)), area=area)


def _find(desk: Desk, path: str) -> Node | None:
    folder = find_folder(desk.tree, names.parent_of(path))
    return folder.entries.get(names.name_of(path)) if folder else None


def _need(desk: Desk, path: str) -> Node:
    node = _find(desk, path) if path and real_path(desk.tree, path) == path else None
    if node is None:
        raise Refusal(MutationFailure.NOT_FOUND, f"no such file: {path!r}")
    return node


def _need_place(desk: Desk, path: str) -> None:
    """Refuse what no entry can be called, or where no directory is."""
    parts = path.split("/")
    if not all(names.is_name(part) for part in parts):
        raise Refusal(MutationFailure.INVALID_NAME, f"not a possible path: {path!r}")
    if not all(names.is_exposed_name(part) for part in parts):
        raise Refusal(MutationFailure.NOT_SUPPORTED, f"{path!r} would not be shown")
    if len(parts[-1].encode()) > names.LONGEST:
        raise Refusal(MutationFailure.INVALID_NAME, "longer than a file name may be")
    if find_folder(desk.tree, names.parent_of(path)) is None:
        raise Refusal(MutationFailure.NOT_FOUND, f"no directory for {path!r}")


def _done(desk: Desk, path: str, plan: Plan) -> Planned:
    node = _find(desk, path)
    is_directory = isinstance(node, Folder) or any(
        isinstance(step, MakeDirectory) for step in plan.steps
    )
    is_area = is_directory or names.is_document_name(names.name_of(path))
    return Planned(plan=plan, path=path, resource=None if is_area else resource_id_of(path))
