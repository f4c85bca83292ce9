"""A folder of ordinary Markdown files as a knowledge repository."""

from adapters.filebased.repository import FileBasedRepository, open_repository
from adapters.filebased.watching import ScanAlways, Watcher

__all__ = ["FileBasedRepository", "ScanAlways", "Watcher", "open_repository"]
