"""A folder and the repository over it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.filebased import FileBasedRepository


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """An empty folder."""
    root = tmp_path / "notes"
    root.mkdir()
    return root


@pytest.fixture
def repository(notes: Path) -> Iterator[FileBasedRepository]:
    """The repository over `notes`, which looks at everything each time it is asked for news."""
    with FileBasedRepository(notes) as opened:
        yield opened
