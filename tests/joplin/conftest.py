"""Fixtures for the Joplin target."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.joplin.world import World


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """An empty library, indexed and ready."""
    made = World(tmp_path / "state").start()
    yield made
    made.close()
