"""Whether the root is there, is the one that was opened, and is ours alone (R-F-05, MODEL 5)."""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from adapters.contract import RepositoryUnavailable
from adapters.filebased.refusal import reason_of

_RETRY_AFTER = 10.0


class RootGuard:
    """Holds the root directory open and locked, and notices when the path leads elsewhere.

    A directory that takes the root's place is accepted if it is not empty and on the same
    device; anything else makes the repository unavailable, never empty.
    """

    def __init__(self, path: Path, *, locked: bool) -> None:
        self.path = path
        self.real_path = path
        self._locked = locked
        self._descriptor: int | None = None
        self.identity: tuple[int, int] | None = None
        self._is_closed = False
        self.is_taken = False
        """Another process holds the lock."""

    def is_current(self) -> bool:
        """Tell whether the path still leads to the directory that was opened.

        Costs one call of the operating system. Raises `RepositoryUnavailable`.
        """
        return self._look() == self.identity

    def check(self) -> bool:
        """Tell whether another directory was taken for the root. Raises `RepositoryUnavailable`."""
        identity = self._look()
        if identity == self.identity:
            return False
        self._adopt(identity)
        return True

    def _look(self) -> tuple[int, int]:
        if self._is_closed:
            raise RepositoryUnavailable("closed")
        try:
            stat = self.path.stat()
        except OSError as error:
            raise self._unavailable(reason_of(error)) from None
        return stat.st_dev, stat.st_ino

    def close(self) -> None:
        """Give up the lock."""
        self._is_closed = True
        self._release()

    def _adopt(self, identity: tuple[int, int]) -> None:
        known = self.identity
        if known is not None and known[0] != identity[0]:
            raise self._unavailable("another device is in its place")
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._unavailable(reason_of(error)) from None
        try:
            if known is not None and not any(self.path.iterdir()):
                raise self._unavailable("an empty directory is in its place")
            if self._locked:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            self.is_taken = True
            raise RepositoryUnavailable(
                "another davbridge has this folder open", retry_after=_RETRY_AFTER
            ) from None
        except OSError as error:
            os.close(descriptor)
            raise self._unavailable(reason_of(error)) from None
        except BaseException:
            os.close(descriptor)
            raise
        self._release()
        self.is_taken = False
        self._descriptor = descriptor
        self.identity = identity
        self.real_path = Path(os.path.realpath(self.path))

    def _release(self) -> None:
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
            self._descriptor = None

    def _unavailable(self, reason: str) -> RepositoryUnavailable:
        return RepositoryUnavailable(f"the folder: {reason}", retry_after=_RETRY_AFTER)
