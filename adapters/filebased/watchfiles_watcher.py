"""News of outside changes from the operating system, through watchfiles."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from watchfiles import Change, watch

from adapters.filebased import names
from adapters.filebased.refusal import reason_of

log = logging.getLogger(__name__)
# It tells every change, which says nothing to people and much about what they write.
logging.getLogger("watchfiles.main").setLevel(logging.WARNING)

RECONCILE_AFTER: Final = 300.0
"""Seconds after which everything is looked at once more, whatever was told (a choice)."""

_STEP_MS: Final = 50
_DEBOUNCE_MS: Final = 400
_TURN_MS: Final = 500
_MOST_PATHS: Final = 5_000
_FIRST_PAUSE: Final = 0.5
_LONGEST_PAUSE: Final = 30.0


class WatchfilesWatcher:
    """Collects the paths that changed, in a thread of its own.

    Until it certainly sees everything, and whenever it may have missed something, it says that
    anything may have changed.
    """

    def __init__(self, root: Path, *, reconcile_after: float = RECONCILE_AFTER) -> None:
        self._root = root
        self._reconcile_after = reconcile_after
        self._reconciled = time.monotonic()
        self._news = threading.Condition()
        self._paths: set[str] = set()
        self._is_unsure = True
        self._is_watching = False
        self._is_lost = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="davbridge-watch", daemon=True)
        self._thread.start()

    def pending(self) -> frozenset[str] | None:
        with self._news:
            now = time.monotonic()
            is_due = now - self._reconciled > self._reconcile_after
            if self._is_unsure or is_due or not self._is_watching:
                self._is_unsure = False
                self._paths.clear()
                self._reconciled = now
                return None
            paths = frozenset(self._paths)
            self._paths.clear()
            return paths

    def wait(self, timeout: float) -> bool:
        with self._news:
            return self._news.wait_for(lambda: bool(self._paths) or self._is_unsure, timeout)

    def close(self) -> None:
        self._stop.set()
        self._thread.join(5)

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        while not self._stop.is_set():
            try:
                self._watch()
                pause = _FIRST_PAUSE
            except OSError as error:
                self._lose_sight(reason_of(error))
            except RuntimeError:  # watchfiles' own; its text names files
                self._lose_sight("the system's watcher failed")
            else:
                continue
            self._stop.wait(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    def _watch(self) -> None:
        """Collect changes until the root is another directory."""
        root = os.path.realpath(self._root)
        identity = _identity(root)
        turns = watch(
            root,
            watch_filter=None,
            debounce=_DEBOUNCE_MS,
            step=_STEP_MS,
            stop_event=self._stop,
            rust_timeout=_TURN_MS,
            yield_on_timeout=True,
            raise_interrupt=False,
            ignore_permission_denied=True,
        )
        for changes in turns:
            if _identity(root) != identity:
                raise FileNotFoundError(0, "the folder was replaced")
            if not self._is_watching:
                self._see_all()
            self._note(root, changes)

    def _see_all(self) -> None:
        with self._news:
            # What happened before the watch stood was told by nobody.
            self._is_watching = self._is_unsure = True
            self._is_lost = False
            self._news.notify_all()

    def _lose_sight(self, reason: str) -> None:
        with self._news:
            if self._is_watching or not self._is_lost:
                log.info("changes are looked for by scanning: %s", reason)
            self._is_lost = True
            self._is_watching = False
            self._is_unsure = True
            self._news.notify_all()

    def _note(self, root: str, changes: Iterable[tuple[Change, str]]) -> None:
        paths = {os.path.relpath(path, root) for _, path in changes}
        shown = {path for path in paths if all(map(names.is_exposed_name, Path(path).parts))}
        with self._news:
            self._paths |= shown
            if "." in paths:
                self._paths.add("")
            if len(self._paths) > _MOST_PATHS:
                self._is_unsure = True
            if self._paths or self._is_unsure:
                self._news.notify_all()


def _identity(root: str) -> tuple[int, int]:
    stat = Path(root).stat()
    return stat.st_dev, stat.st_ino
