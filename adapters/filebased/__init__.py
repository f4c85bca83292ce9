"""A folder of ordinary Markdown files as a knowledge repository."""

from adapters.filebased.repository import FileBasedRepository, open_repository
from adapters.filebased.watchfiles_watcher import WatchfilesWatcher
from adapters.filebased.watching import ScanAlways, Watcher

__all__ = ["FileBasedRepository", "ScanAlways", "Watcher", "WatchfilesWatcher", "open_repository"]
