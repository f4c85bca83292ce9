"""The one place where what is known of the disk changes: the current snapshot and the feed.

Readers take the snapshot and no lock. Who changes the disk holds `lock`, then publishes.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from adapters.filebased import names
from adapters.filebased.changes import Change, Feed
from adapters.filebased.difference import (
    Difference,
    Move,
    all_paths,
    describe,
    differences,
    with_moves,
)
from adapters.filebased.disk import Disk
from adapters.filebased.facts import digest_of
from adapters.filebased.journal import Journal
from adapters.filebased.knowledge import LearnedFacts
from adapters.filebased.linkindex import LinkIndex
from adapters.filebased.links import Site, reference_paths, resolved_token, site_of
from adapters.filebased.refusal import reason_of
from adapters.filebased.root import RootGuard
from adapters.filebased.scan import Scanner
from adapters.filebased.snapshot import (
    File,
    Folder,
    Node,
    Stamp,
    find_file,
    find_folder,
    find_node,
    walk_files,
    with_nodes,
)
from adapters.filebased.trash import TrashCan

log = logging.getLogger(__name__)

_NOTHING = Folder("", Stamp(0, 0, 0, 0), {})


class Core:
    """What is known of one root, kept in step with it."""

    def __init__(
        self,
        guard: RootGuard,
        disk: Disk,
        journal: Journal,
        facts: LearnedFacts,
        feed: Feed,
        *,
        read_only: bool,
    ) -> None:
        self.guard = guard
        self.disk = disk
        self.feed = feed
        self.read_only = read_only
        self.links = LinkIndex()
        self.lock: AbstractContextManager[bool] = threading.RLock()
        self._journal = journal
        self._facts = facts
        self._scanner = Scanner(disk, facts.find)
        self._root: Folder | None = None
        self._opened: tuple[int, int] | None = None

    def tree(self) -> Folder:
        """Return the current snapshot. Raises `RepositoryUnavailable` while the root is away."""
        if not self.guard.is_current() or self._opened != self.guard.identity:
            with self.lock:
                self.guard.check()
                if self._opened != self.guard.identity:
                    self._open()
                    self._opened = self.guard.identity
        assert self._root is not None
        return self._root

    def look_again(self, paths: Iterable[str] | None) -> None:
        """Take in what happened to `paths`, or anywhere. Raises `RepositoryUnavailable`."""
        with self.lock:
            root = self.tree()
            if paths is None:
                self._publish(root, self._scanner.scan_all(root), ())
                return
            self._publish(root, self._scanner.refresh(root, paths), ())

    def look_at(self, path: str) -> File | None:
        """Return the document or other file at `path` as it is on disk this moment."""
        known = find_file(self.tree(), path)
        if known is not None and self._is_same(path, known):
            return known
        with self.lock:
            root = self.tree()
            known = find_file(root, path)
            if known is None or known.is_link:
                self.look_again((path,))
            else:
                now = self._scanner.look_at(path, known)
                if now is not known:
                    self._publish(root, with_nodes(root, {path: now}), ())
            return find_file(self.tree(), path)

    def _is_same(self, path: str, known: File) -> bool:
        """Tell, without the lock, whether a file is still what is known of it."""
        try:
            if known.is_link or Stamp.of(self.disk.stat(path)) != known.stamp:
                return False
            if not known.is_young or known.facts is None:
                return True
            content, stat = self.disk.read(path)
        except OSError:
            return False
        return Stamp.of(stat) == known.stamp and digest_of(content) == known.facts.digest

    def look_into(self, directory: str) -> Folder | None:
        """Return a directory with the entries it has this moment."""
        folder = find_folder(self.tree(), directory)
        if folder is not None:
            try:
                if Stamp.of((self.disk.root / directory).stat())[1:] == folder.stamp[1:]:
                    return folder
            except OSError:
                pass
        with self.lock:
            root = self.tree()
            self._publish(root, self._scanner.rescan(root, directory), ())
        return find_folder(self.tree(), directory)

    def look_below(self, directory: str) -> None:
        """Take in whatever happened in a directory, at any depth."""
        with self.lock:
            root = self.tree()
            self._publish(root, self._scanner.rescan(root, directory, whole=True), ())

    def publish(self, paths: Iterable[str], moves: Sequence[Move] = ()) -> Change:
        """Take in a change made by this process, and say what it came to."""
        with self.lock:
            root = self.tree()
            base = with_moves(root, moves)
            return self._publish(root, self._scanner.refresh(base, paths), moves, base)

    def save(self) -> None:
        """Hand what was learned to the index store."""
        self._facts.save()

    def _open(self) -> None:
        self.disk.root = self.guard.real_path
        self._facts.open(self.guard.identity)
        before = self._root
        if not self.read_only:
            self._recover()
        after = self._scanner.scan_all(before)
        if not self.read_only:
            for leftover in self._scanner.leftovers:
                self.disk.discard(leftover)
        if before is None:
            self._root = _NOTHING
        self._publish(self._root or _NOTHING, after, ())
        if before is None:
            self.feed.forget()

    def _recover(self) -> None:
        try:
            self._journal.recover()
            TrashCan(self.disk).tidy_all()
        except OSError as error:
            log.error("a change that was not finished cannot be undone: %s", reason_of(error))

    def _publish(
        self,
        old: Folder,
        new: Folder,
        moves: Sequence[Move],
        base: Folder | None = None,
    ) -> Change:
        base = old if base is None else base
        found = list(differences(base, new))
        if not found and not moves:
            self._root = new
            return Change()
        affected = self._relink(old, new, moves, found)
        new, resolved = self._resolve(new, affected)
        known = {difference.path for difference in found}
        found = [d._replace(after=resolved.get(d.path, d.after)) for d in found]
        found += [
            Difference(path, find_node(base, path), node)
            for path, node in resolved.items()
            if path not in known
        ]
        self._facts.note(found)
        change = describe(old, base, new, moves, found)
        self._root = new
        if _renumbers(base, new, found):
            self.feed.forget()
        elif change:
            self.feed.record(change)
        return change

    def _relink(
        self, old: Folder, new: Folder, moves: Sequence[Move], found: Sequence[Difference]
    ) -> set[str]:
        """Bring the link index up to date; return the documents whose links may lead elsewhere."""
        gone = [(move.previous, find_node(old, move.previous)) for move in moves]
        came = [(move.current, find_node(new, move.current)) for move in moves]
        changed: set[str] = set()
        for path, node in (*gone, *came):
            changed.update(all_paths(node, path))
        for path, before, after in found:
            if before is None or after is None or _has_other_anchors(before, after):
                changed.update(all_paths(before or after, path))
            gone.append((path, before))
            came.append((path, after))
        for path, node in gone:
            for document, _ in walk_files(node, path) if node else ():
                self.links.remove(document)
        affected: set[str] = set()
        for path, node in came:
            for document, file in walk_files(node, path) if node else ():
                if file.facts is not None:
                    affected.add(document)
                    targets = reference_paths(file.facts, self.site(document))
                    self.links.put(document, targets)
        return affected | self.links.referring(changed)

    def _resolve(self, root: Folder, documents: Iterable[str]) -> tuple[Folder, dict[str, File]]:
        """Return the tree with what links lead to worked out anew for some documents."""
        resolved: dict[str, File] = {}
        for path in documents:
            file = find_file(root, path)
            if file is None or file.facts is None:
                continue
            token = resolved_token(root, file.facts, self.site(path))
            if token != file.resolved:
                resolved[path] = replace(file, resolved=token)
        return (with_nodes(root, resolved) if resolved else root), resolved

    def site(self, document: str) -> Site:
        """Return where a document's links start from."""
        return site_of(document, str(self.disk.root))


def _has_other_anchors(before: Node, after: Node) -> bool:
    if not isinstance(before, File) or not isinstance(after, File):
        return True
    known, now = before.facts, after.facts
    return known is None or now is None or known.anchors != now.anchors


def _renumbers(before: Folder, after: Folder, found: Sequence[Difference]) -> bool:
    """Tell whether an area may have got another segment because an equal name came or went."""
    for directory in {
        names.parent_of(d.path) for d in found if d.before is None or d.after is None
    }:
        for root in (before, after):
            folder = find_folder(root, directory)
            if folder is not None and folder.has_doubles:
                return True
    return False
