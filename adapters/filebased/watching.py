"""Where news of outside changes comes from."""

from __future__ import annotations

import threading
from typing import Protocol


class Watcher(Protocol):
    """Tells which paths something happened to since it was last asked."""

    def pending(self) -> frozenset[str] | None:
        """Return root-relative paths to look at again, and forget them.

        `None`: anything may have changed.
        """

    def wait(self, timeout: float) -> bool:
        """Block up to `timeout` seconds; tell whether something is pending."""

    def close(self) -> None:
        """Stop watching."""


class ScanAlways:
    """Watches nothing, so that everything is looked at each time: exact, and slow when large."""

    def __init__(self) -> None:
        self._closed = threading.Event()

    def pending(self) -> frozenset[str] | None:
        return None

    def wait(self, timeout: float) -> bool:
        return self._closed.wait(timeout)

    def close(self) -> None:
        self._closed.set()
