"""What a name on the disk needs beside its bytes."""

from __future__ import annotations

import os
from pathlib import Path


def sync_directory(directory: Path) -> None:
    """Make new and exchanged names in `directory` durable; nothing to do where names need none."""
    if os.name == "nt":  # directories cannot be opened there
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
