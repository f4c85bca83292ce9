"""Real servers and real clients for the system tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.system.bridge import VANISH_GRACE, Bridge
from tests.system.profiles import Joplin, find_joplin

Bridges = Callable[..., Bridge]


@pytest.fixture(scope="session")
def joplin(tmp_path_factory: pytest.TempPathFactory) -> Joplin:
    """The real terminal client; skips with a sentence where it is not installed."""
    return Joplin(binary=find_joplin(), directory=tmp_path_factory.mktemp("joplin"))


@pytest.fixture(scope="module")
def bridges(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bridges]:
    """Starts servers for a module; each must end cleanly when the module is done."""
    with ExitStack() as stack:

        def start(
            folder: Path,
            share: Mapping[str, object] | None = None,
            environment: Mapping[str, str] | None = None,
        ) -> Bridge:
            bridge = Bridge(
                folder=folder,
                scratch=tmp_path_factory.mktemp("bridge"),
                share={"vanish_grace": VANISH_GRACE} if share is None else share,
                environment=environment or {},
            )
            stack.callback(bridge.close)
            return bridge.start()

        yield start


@pytest.fixture
def bridge(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bridge]:
    """One server over an empty folder of its own."""
    folder = tmp_path / "Notes"
    folder.mkdir()
    bridge = Bridge(
        folder=folder,
        scratch=tmp_path_factory.mktemp("bridge"),
        share={"vanish_grace": VANISH_GRACE},
    )
    bridge.start()
    try:
        yield bridge
    finally:
        bridge.close()
