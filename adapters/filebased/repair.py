"""Links that would lead elsewhere after a move, written anew; all others stay (R-F-55, 58)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from adapters.filebased import names
from adapters.filebased.desk import Desk
from adapters.filebased.difference import Move, all_paths, with_moves
from adapters.filebased.links import Site, find_target, read_destination, relative_destination
from adapters.filebased.plan import Write
from adapters.filebased.sections import Text
from adapters.filebased.snapshot import Folder, Reference, find_node, walk_files
from adapters.markdown import Link, encode_path, rewrite_links


def follow(path: str, moves: Sequence[Move]) -> str:
    """Return where `path` is after `moves`, all at once; the deepest one decides."""
    holders = [move for move in moves if names.is_below(path, move.previous)]
    if not holders:
        return path
    nearest = max(holders, key=lambda move: len(move.previous))
    return names.rebase(path, nearest.previous, nearest.current)


def repairs(desk: Desk, moves: Sequence[Move]) -> Iterator[Write]:
    """Yield what must be written after `moves` so that every link leads where it did."""
    after = with_moves(desk.tree, moves)
    moved: set[str] = set()
    documents: set[str] = set()
    for move in moves:
        node = find_node(desk.tree, move.previous)
        moved.update(all_paths(node, move.previous))
        for path, found in walk_files(node, move.previous) if node else ():
            if found.facts is not None and found.facts.references:
                documents.add(path)
    documents |= desk.core.links.referring(moved)
    for path in sorted(documents):
        file = desk.file_at(path)
        if file is None or file.facts is None or not file.facts.is_editable:
            continue
        now = follow(path, moves)
        repair = _Repair(desk.tree, after, desk.site(path), desk.site(now), moves)
        if repair.is_needed(file.facts.references):
            yield from _rewrite(desk, path, now, repair)


def _rewrite(desk: Desk, path: str, now: str, repair: _Repair) -> Iterator[Write]:
    opened = desk.open(path)
    text = repair.apply(opened.text)
    if text != opened.text.text:
        content = desk.encoded(text, has_mark=opened.decoded.has_mark)
        yield Write(path=now, content=content, before=opened.content)


@dataclass(frozen=True, slots=True)
class _Repair:
    """One document's links, before and after."""

    tree: Folder
    after: Folder
    site: Site
    site_after: Site
    moves: Sequence[Move]

    def is_needed(self, references: Sequence[Reference]) -> bool:
        """Tell whether any link has to be written anew."""
        return any(self.destination(reference) is not None for reference in references)

    def apply(self, text: Text) -> str:
        """Return the text with those links written anew."""

        def exchange(link: Link) -> str | None:
            reference = read_destination(link.destination)
            destination = self.destination(reference) if reference else None
            if destination is None:
                return None
            # The fragment goes over as it is spelled.
            _, mark, fragment = link.destination.partition("#")
            return destination + mark + fragment

        return rewrite_links(text.text, exchange, links=text.document.links)

    def destination(self, reference: Reference) -> str | None:
        """Return the path a link must have now; `None` if the one it has will do."""
        found = find_target(self.tree, reference, self.site)
        if found is None:
            return None
        target = follow(found[0], self.moves)
        present = find_target(self.after, reference, self.site_after)
        if present is not None and present[0] == target:
            return None
        if reference.path.startswith("/") and target:
            path = "/" + encode_path(target)
        else:
            path = relative_destination(target, self.site_after.directory)
        return path + "/" if reference.path.endswith("/") and not path.endswith("/") else path
