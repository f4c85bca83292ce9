"""The few things done to the disk, each whole or not at all. Paths are relative to the root.

Every function raises `OSError`; callers translate. Whatever passes through a link that was put
where a directory used to be is refused, so nothing outside the root is reached (R-F-81, 84).
"""

from __future__ import annotations

import contextlib
import errno
import logging
import os
import shutil
import stat as modes
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, TypeVar

from adapters.filebased import names
from adapters.filebased.exclusive import rename_exclusive
from adapters.filebased.refusal import reason_of
from adapters.filebased.snapshot import Stamp

log = logging.getLogger(__name__)

ResultT = TypeVar("ResultT")

_BUSY: Final = frozenset({errno.EBUSY, errno.EAGAIN, errno.ETXTBSY, errno.EINTR})
_PAUSES: Final = (0.05, 0.1, 0.2, 0.3, 0.35)
_CHUNK: Final = 1024 * 1024
_NEW_FILE: Final = 0o666
_READ: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class Disk:
    """One root directory, given by its real path."""

    def __init__(self, root: Path, token: Callable[[], str]) -> None:
        self.root = root
        self._token = token

    def file(self, path: str) -> Path:
        """Return where `path` is, after making sure that only directories lead there."""
        place = self.root / path if path else self.root
        parent = place.parent if path else place
        if os.path.realpath(parent) != str(parent):
            raise OSError(errno.ENOENT, "no longer reached through directories alone")
        return place

    # Reading

    def stat(self, path: str) -> os.stat_result:
        """Return the facts of an entry; a link is not followed."""
        return os.lstat(self.root / path)

    def exists(self, path: str) -> bool:
        """Tell whether anything has that name."""
        return os.path.lexists(self.root / path)

    def open(self, path: str, *, follow: bool = False) -> BinaryIO:
        """Open a regular file; with `follow`, what a link inside the root leads to."""
        place = self.file(path)
        if follow:
            place = Path(os.path.realpath(place))
            if not place.is_relative_to(self.root):
                raise OSError(errno.ENOENT, "leads out of the root")
        descriptor = os.open(place, _READ)
        try:
            if not modes.S_ISREG(os.fstat(descriptor).st_mode):
                raise OSError(errno.ENOENT, "not a regular file")
            return os.fdopen(descriptor, "rb")
        except BaseException:
            os.close(descriptor)
            raise

    def read(self, path: str) -> tuple[bytes, os.stat_result]:
        """Return the bytes of a file with the facts they were read under."""

        def attempt() -> tuple[bytes, os.stat_result]:
            with self.open(path) as stream:
                for _ in _PAUSES:
                    before = os.fstat(stream.fileno())
                    stream.seek(0)
                    content = stream.read()
                    after = os.fstat(stream.fileno())
                    if Stamp.of(before) == Stamp.of(after) and len(content) == after.st_size:
                        return content, after
            raise OSError(errno.EBUSY, "changes while it is read")

        return patiently(attempt)

    # Changing

    def temporary(self, directory: str, source: BinaryIO, *, like: str | None = None) -> str:
        """Write everything `source` gives to a hidden file in a directory, down to the disk.

        It gets the permissions and owner of the file `like`.
        """
        path = names.join(directory, f"{names.TEMPORARY_PREFIX}{self._token()}.tmp")
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC
        descriptor = os.open(self.file(path), flags, _NEW_FILE)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                if like is not None:
                    _take_after(descriptor, self.stat(like))
                shutil.copyfileobj(source, stream, _CHUNK)
                stream.flush()
                os.fsync(descriptor)
        except BaseException:
            self.discard(path)
            raise
        return path

    def replace(self, temporary: str, path: str) -> None:
        """Let a temporary file take the place of `path`."""
        patiently(lambda: self.file(temporary).replace(self.file(path)))
        self.sync(names.parent_of(path))

    def rename(self, source: str, target: str) -> None:
        """Give an entry another place. Raises `FileExistsError` if that is taken."""
        patiently(lambda: self._rename(self.file(source), self.file(target)))
        self.sync(names.parent_of(target))
        if names.parent_of(source) != names.parent_of(target):
            self.sync(names.parent_of(source))

    def _rename(self, source: Path, target: Path) -> None:
        try:
            rename_exclusive(source, target)
        except FileExistsError:
            # R-F-15: on a file system without case, the "other" file is this very one.
            is_case_only = names.name_key(source.name) == names.name_key(target.name)
            if source.parent != target.parent or not is_case_only:
                raise
            if source.name == target.name or not source.samefile(target):
                raise
            source.rename(target)

    def make_directory(self, path: str) -> None:
        """Create one directory. Raises `FileExistsError`."""
        self.file(path).mkdir()
        self.sync(names.parent_of(path))

    def make_private(self, path: str) -> None:
        """Create a directory of our own and those above it, where they are missing."""
        place = self.root
        for name in path.split("/"):
            if place.is_symlink():
                raise OSError(errno.ENOENT, "not a directory of our own")
            place = place / name
            with contextlib.suppress(FileExistsError):
                place.mkdir(mode=0o700)
                _sync(place.parent)

    def remove_file(self, path: str) -> None:
        """Remove a file for good."""
        self.file(path).unlink()
        self.sync(names.parent_of(path))

    def discard(self, path: str) -> None:
        """Remove a file of our own, if it is there."""
        with contextlib.suppress(OSError):
            (self.root / path).unlink()

    def discard_tree(self, path: str) -> None:
        """Remove a directory of our own with all in it."""
        shutil.rmtree(self.root / path, ignore_errors=True)

    def remove_empty(self, path: str, *, up_to: str) -> None:
        """Remove an empty directory, and those above it that are empty then, below `up_to`."""
        while path != up_to and names.is_below(path, up_to):
            try:
                (self.root / path).rmdir()
            except OSError:
                return
            path = names.parent_of(path)

    def sync(self, directory: str) -> None:
        """Make what was done in a directory durable; it is done whether that works or not."""
        try:
            _sync(self.root / directory)
        except OSError as error:
            log.warning("a directory could not be synced: %s", reason_of(error))

    def entries(self, directory: str) -> Iterator[os.DirEntry[str]]:
        """Yield everything in a directory."""
        with os.scandir(self.file(names.join(directory, "x")).parent) as found:
            yield from found


def patiently(action: Callable[[], ResultT]) -> ResultT:
    """Do `action`; try again for a second while something else is in the way (R-F-77)."""
    for pause in _PAUSES:
        try:
            return action()
        except OSError as error:
            if error.errno not in _BUSY:
                raise
            time.sleep(pause)
    return action()


def _take_after(descriptor: int, stat: os.stat_result) -> None:
    created = os.fstat(descriptor)
    if (created.st_uid, created.st_gid) != (stat.st_uid, stat.st_gid):
        with contextlib.suppress(OSError):
            os.fchown(descriptor, stat.st_uid, stat.st_gid)
    os.fchmod(descriptor, modes.S_IMODE(stat.st_mode))


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):  # some network file systems
            raise
    finally:
        os.close(descriptor)
