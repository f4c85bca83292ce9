"""Fixtures for the Joplin target."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.joplin.world import World


@pytest.fixture(params=[False, True], ids=["named areas", "opaque areas"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[World]:
    """An empty library, indexed and ready; once with areas that say nothing (R-C-02, R-J-01)."""
    made = World(tmp_path / "state", opaque=request.param).start()
    yield made
    made.close()
