"""A server that is killed while a real client uploads."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.system.bridge import Bridge, eventually
from tests.system.profiles import Joplin
from tests.system.world import by_place, contents

pytestmark = pytest.mark.joplin

COUNT = 60


def test_a_kill_during_a_sync_loses_and_doubles_nothing(
    joplin: Joplin, bridges: Callable[..., Bridge], tmp_path: Path
) -> None:
    """Killed among a client's uploads and started again, the server ends with every note once."""
    folder = tmp_path / "Notes"
    folder.mkdir()
    bridge = bridges(folder)
    a = joplin.client(bridge.remote_url)
    book = a.create_notebook("Book")
    texts = {f"note {n}": f"text of {n}\n" * 500 for n in range(COUNT)}
    a.create_notes([{"title": t, "body": b, "folder_id": book} for t, b in texts.items()])
    dav = bridge.dav()
    with ThreadPoolExecutor() as pool:
        syncing = pool.submit(a.sync)
        eventually(
            dav.listing, within=30, accept=lambda names: len(names) > COUNT // 3, every=0.005
        )
        bridge.kill()
        bridge.start()
        result = syncing.result()
    if not result.ok:
        result = a.sync()
    assert result.ok, result.errors
    expected = {f"Book/{title}.md": text.encode() for title, text in texts.items()}
    assert expected == contents(folder)
    b = joplin.client(bridge.local_url)
    assert b.sync().ok
    assert a.snapshot() == b.snapshot()
    assert {f"Book/{title}" for title in texts} == by_place(b).keys()
    assert a.conflicts() + b.conflicts() == []
    assert a.sync().is_noop
