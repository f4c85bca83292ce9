"""Taking areas and resources away: for good, or to the trash and back (R-F-63, 64, 66)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from adapters.contract import MutationFailure
from adapters.filebased import names
from adapters.filebased.desk import Desk, Planned
from adapters.filebased.links import resource_id_of, resource_path
from adapters.filebased.moving import need_all_exposed, owned_files
from adapters.filebased.plan import MakeDirectory, Plan, Remove, Rename, Step
from adapters.filebased.reading import Spot
from adapters.filebased.refusal import Refusal
from adapters.filebased.snapshot import Folder, find_folder, walk_files
from adapters.filebased.trash import TrashCan


def delete(desk: Desk, area: str, expected: str | None) -> Planned:
    """Plan to remove an area and all below it for good."""
    spot = _removable(desk, area)
    desk.need_revision(spot, expected)
    steps = tuple(Remove(path=path) for path in going(desk, spot))
    return Planned(plan=Plan(steps=steps), area=area)


def trash(desk: Desk, can: TrashCan, area: str) -> Planned:
    """Plan to move an area and all below it to the trash."""
    spot = _removable(desk, area)
    return discard(desk, can, spot.node.title, tuple(going(desk, spot)), area=area)


def delete_resource(desk: Desk, resource_id: str) -> Planned:
    """Plan to remove a resource for good. Refused: REFERENCED."""
    path = unreferenced(desk, resource_id)
    return Planned(plan=Plan(steps=(Remove(path=path),)), resource=resource_id)


def trash_resource(desk: Desk, can: TrashCan, resource_id: str) -> Planned:
    """Plan to move a resource to the trash. Refused: REFERENCED."""
    path = unreferenced(desk, resource_id)
    return discard(desk, can, names.name_of(path), (path,))


def restore(desk: Desk, can: TrashCan, token: str) -> Planned:
    """Plan to put back what a removal took away, under free names."""
    desk.need_writable()
    paths = can.paths(token)
    if not paths:
        raise Refusal(MutationFailure.NOT_FOUND, f"not in the trash: {token!r}")
    steps: list[Step] = []
    made: set[str] = set()
    first = ""
    for path in paths:
        directory = names.parent_of(path)
        steps += _missing_directories(desk, directory, made)
        target = names.join(directory, _free_name(desk, directory, names.name_of(path)))
        steps.append(Rename(source=can.place(token, path), target=target))
        first = first or target
    is_area = names.is_document_name(names.name_of(first)) or can.is_directory(token, paths[0])
    if is_area:
        return Planned(plan=Plan(steps=tuple(steps)), path=first)
    return Planned(plan=Plan(steps=tuple(steps)), resource=resource_id_of(first))


def unreferenced(desk: Desk, resource_id: str) -> str:
    """Return the path of a resource that no text refers to. Refused: NOT_FOUND, REFERENCED."""
    path = existing_resource(desk, resource_id)
    if desk.core.links.referring((names.normal(path),)):
        raise Refusal(MutationFailure.REFERENCED, f"{resource_id} is still referred to")
    return path


def existing_resource(desk: Desk, resource_id: str) -> str:
    """Return the path of a resource that may be changed. Refused: NOT_FOUND, READ_ONLY."""
    path = resource_path(desk.tree, resource_id)
    if path is None:
        raise Refusal(MutationFailure.NOT_FOUND, f"no such resource: {resource_id!r}")
    desk.need_writable()
    file = desk.file_at(path)
    if file is not None and file.is_link:
        raise Refusal(MutationFailure.READ_ONLY, f"{resource_id} is a link to another file")
    return path


def _removable(desk: Desk, area: str) -> Spot:
    spot = desk.whole(area)
    if not spot.path:
        raise Refusal(MutationFailure.NOT_SUPPORTED, "the root stays")
    return spot


def discard(
    desk: Desk, can: TrashCan, name: str, paths: Sequence[str], *, area: str | None = None
) -> Planned:
    """Plan to move entries to the trash together."""
    if not paths:
        raise Refusal(MutationFailure.REFERENCED, f"all of {name!r} is still referred to")
    token = can.new(name, paths, desk.clock(), desk.token())
    steps = tuple(Rename(source=path, target=can.place(token, path)) for path in paths)
    return Planned(plan=Plan(steps=steps), area=area, trash_token=token)


def going(desk: Desk, spot: Spot) -> Iterator[str]:
    """Yield what goes with an area: files others refer to stay (R-F-63, R-F-64)."""
    if isinstance(spot.node, Folder):
        need_all_exposed(desk, spot.path)
        yield from _going_below(desk, desk.spot(spot.area))
        return
    yield spot.path
    for path, _, _ in owned_files(desk, spot.path):
        if not _is_needed(desk, path, spot.path):
            yield path


def _going_below(desk: Desk, spot: Spot) -> Iterator[str]:
    files = dict(walk_files(spot.node, spot.path))
    staying = {
        path
        for path, file in files.items()
        if file.facts is None and _is_needed(desk, path, spot.path)
    }
    if not staying:
        yield spot.path
        return
    yield from (path for path in files if path not in staying)


def _is_needed(desk: Desk, path: str, top: str) -> bool:
    """Tell whether a document that is not at or below `top` refers to a file."""
    documents = desk.core.links.referring((names.normal(path),))
    return any(not names.is_below(document, top) for document in documents)


def _missing_directories(desk: Desk, directory: str, made: set[str]) -> list[Step]:
    missing: list[Step] = []
    while directory and directory not in made and find_folder(desk.tree, directory) is None:
        made.add(directory)
        missing.append(MakeDirectory(path=directory))
        directory = names.parent_of(directory)
    return missing[::-1]


def _free_name(desk: Desk, directory: str, name: str) -> str:
    stem, suffix = names.split_suffix(name)
    if not suffix and desk.file_at(names.join(directory, name)) is not None:
        stem, dot, rest = name.rpartition(".")
        stem, suffix = (stem, dot + rest) if stem else (name, "")
    free, number = name, 1
    while not desk.is_free(directory, free):
        number += 1
        free = f"{stem} ({number}){suffix}"
    return free
