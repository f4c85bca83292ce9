"""Doing a plan as a whole or not at all, also across a crash (R-F-72..75).

Before the first step of a plan with several, an entry in `.davbridge/journal` says how to undo
each, with the bytes that will be replaced. The plan is done when the entry's file is gone.
What is removed for good waits in the entry until then.
"""

from __future__ import annotations

import io
import json
import logging
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Final

from adapters.contract import MutationFailure
from adapters.filebased import names
from adapters.filebased.disk import Disk
from adapters.filebased.facts import digest_of
from adapters.filebased.plan import Create, MakeDirectory, Plan, Remove, Rename, Step, Write
from adapters.filebased.refusal import Refusal, reason_of

log = logging.getLogger(__name__)

JOURNAL: Final = f"{names.PRIVATE_DIRECTORY}/journal"
RESCUED: Final = f"{names.PRIVATE_DIRECTORY}/rescued"
_ENTRY: Final = "entry.json"

Undo = dict[str, str]


class Journal:
    """Carries out plans on one root. Belongs to whoever holds the write lock."""

    def __init__(self, disk: Disk, token: Callable[[], str]) -> None:
        self._disk = disk
        self._token = token
        self._is_unfinished = False

    def carry_out(self, plan: Plan) -> None:
        """Do every step, or none. Raises `OSError`, `Refusal`."""
        if self._is_unfinished:
            self.recover()
        entry = _Entry(self._disk, f"{JOURNAL}/{self._token()}")
        try:
            entry.begin(plan.steps)
            for number, step in enumerate(plan.steps):
                entry.perform(number, step)
            entry.finish()
        except BaseException:
            self._undo(entry)
            raise

    def _undo(self, entry: _Entry) -> None:
        try:
            entry.undo()
        except OSError as error:
            self._is_unfinished = True
            log.error("a change is not undone yet: %s", reason_of(error))

    def recover(self) -> None:
        """Undo what was begun and not finished. Raises `OSError`."""
        try:
            waiting = sorted(os.listdir(self._disk.root / JOURNAL))  # noqa: PTH208
        except (FileNotFoundError, NotADirectoryError):
            waiting = []
        for name in waiting:
            entry = _Entry(self._disk, f"{JOURNAL}/{name}")
            entry.load()
            if entry.undos:
                log.warning("undid a change that was not finished: %d steps", len(entry.undos))
            entry.undo()
        self._is_unfinished = False


class _Entry:
    """One plan on its way; `undos` are what would take its steps back, in their order.

    A single step that removes nothing needs none: it is done or it is not.
    """

    def __init__(self, disk: Disk, path: str) -> None:
        self._disk = disk
        self._path = path
        self._has_place = False
        self.undos: list[Undo] = []

    def begin(self, steps: tuple[Step, ...]) -> None:
        """Write down how to undo `steps`, with the bytes that will be replaced."""
        if len(steps) > 1 or any(isinstance(step, Remove) for step in steps):
            self._has_place = True
            self._disk.make_private(self._path)
            undos = [self._undo_of(number, step, steps) for number, step in enumerate(steps)]
            for number, step in enumerate(steps):
                if isinstance(step, Write) and step.before is not None:
                    self._keep(f"{number}", step.before)
            self._keep(_ENTRY, json.dumps(undos).encode())
            self.undos = undos

    def load(self) -> None:
        """Read what a process that died has left; an entry without its file was finished."""
        self._has_place = True
        with suppress(FileNotFoundError, ValueError):
            self.undos = json.loads((self._disk.root / self._path / _ENTRY).read_bytes())

    def perform(self, number: int, step: Step) -> None:
        """Do one step. Raises `OSError`, `Refusal`."""
        disk = self._disk
        match step:
            case Write():
                directory = names.parent_of(step.path)
                temporary = disk.temporary(directory, _stream(step.content), like=step.path)
                try:
                    self._check(step)
                    disk.replace(temporary, step.path)
                except BaseException:
                    disk.discard(temporary)
                    raise
            case Create():
                temporary = disk.temporary(names.parent_of(step.path), _stream(step.content))
                try:
                    disk.rename(temporary, step.path)
                except BaseException:
                    disk.discard(temporary)
                    raise
            case MakeDirectory():
                disk.make_directory(step.path)
            case Rename():
                disk.rename(step.source, step.target)
            case Remove():
                disk.rename(step.path, f"{self._path}/removed-{number}")

    def finish(self) -> None:
        """Make the change final; what it removed goes."""
        if not self._has_place:
            return
        (self._disk.root / self._path / _ENTRY).unlink(missing_ok=True)
        self.undos = []
        self._clear()

    def undo(self) -> None:
        """Take back the steps that were done, last first, touching nobody else's work."""
        for number in range(len(self.undos) - 1, -1, -1):
            self._undo(number, self.undos[number])
        if self._has_place:
            self._clear()

    def _clear(self) -> None:
        """Remove the entry. Nothing in it is needed: what is not taken back is rescued first."""
        self._disk.discard_tree(self._path)
        self._disk.remove_empty(JOURNAL, up_to="")

    def _check(self, step: Write) -> None:
        if step.before is not None and self._disk.read(step.path)[0] != step.before:
            raise Refusal(MutationFailure.STALE, "changed in the meantime")

    # How steps are taken back

    def _undo_of(self, number: int, step: Step, steps: tuple[Step, ...]) -> Undo:
        match step:
            case Write():
                before, after = digest_of(step.before or b""), _digest(step.content)
                origin = _origin(step.path, steps)
                return {"write": step.path, "from": origin, "before": before, "after": after}
            case Create():
                return {"create": step.path, "after": _digest(step.content)}
            case MakeDirectory():
                return {"mkdir": step.path}
            case Rename():
                return {"rename": step.source, "target": step.target}
            case Remove():
                return {"rename": step.path, "target": f"{self._path}/removed-{number}"}

    def _undo(self, number: int, undo: Undo) -> None:
        if "write" in undo:
            self._restore(number, undo)
        elif "create" in undo:
            self._uncreate(undo)
        elif "mkdir" in undo:
            with suppress(OSError):
                (self._disk.root / undo["mkdir"]).rmdir()
        else:
            self._rename_back(undo["rename"], undo["target"])

    def _rename_back(self, source: str, target: str) -> None:
        if not self._disk.exists(target):
            return
        try:
            self._disk.rename(target, source)
        except FileExistsError:
            # Somebody else made a new one meanwhile; theirs stays, ours is kept beside.
            if target.startswith(self._path):
                self._rescue(source, None, target)

    def _uncreate(self, undo: Undo) -> None:
        with suppress(FileNotFoundError, NotADirectoryError):
            content, _ = self._disk.read(undo["create"])
            if digest_of(content) == undo["after"]:
                self._disk.remove_file(undo["create"])

    def _restore(self, number: int, undo: Undo) -> None:
        path = undo["write"]
        try:
            digest = digest_of(self._disk.read(path)[0])
        except (FileNotFoundError, NotADirectoryError):
            if self._disk.exists(undo["from"]):
                return  # it had not been moved there yet
            digest = ""
        if digest == undo["before"]:
            return
        backup = (self._disk.root / self._path / f"{number}").read_bytes()
        if digest != undo["after"]:
            self._rescue(path, backup, None)
            return
        temporary = self._disk.temporary(names.parent_of(path), io.BytesIO(backup), like=path)
        self._disk.replace(temporary, path)

    def _rescue(self, path: str, content: bytes | None, kept: str | None) -> None:
        """Put what cannot go back where people find it, and say so."""
        self._disk.make_private(RESCUED)
        name = f"{Path(self._path).name}-{names.name_of(path)}"
        if kept is not None:
            self._disk.rename(kept, f"{RESCUED}/{name}")
        elif content is not None:
            temporary = self._disk.temporary(RESCUED, io.BytesIO(content))
            self._disk.replace(temporary, f"{RESCUED}/{name}")
        log.warning("%s changed meanwhile; its former content is kept in %s", path, RESCUED)

    def _keep(self, name: str, content: bytes) -> None:
        """Write a file of the entry, down to the disk."""
        temporary = self._disk.temporary(self._path, io.BytesIO(content))
        self._disk.replace(temporary, f"{self._path}/{name}")


def _stream(content: bytes | BinaryIO) -> BinaryIO:
    return io.BytesIO(content) if isinstance(content, bytes) else content


def _origin(path: str, steps: tuple[Step, ...]) -> str:
    """Return where the file that `steps` bring to `path` was before."""
    for step in steps:
        if isinstance(step, Rename) and names.is_below(path, step.target):
            return names.rebase(path, step.target, step.source)
    return path


def _digest(content: bytes | BinaryIO) -> str:
    return digest_of(content) if isinstance(content, bytes) else ""
