"""The smoke test of two converging clients, through both addresses."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.system.bridge import PASSWORD, REPOSITORY, USER, Bridge
from tests.system.client.joplin_client import JoplinClient
from tests.system.profiles import Joplin
from tests.system.world import on_disk

pytestmark = pytest.mark.joplin

EXAMPLE = REPOSITORY / "davbridge" / "example"
SMOKE = Path(__file__).parent / "client" / "smoke.py"


@pytest.fixture(scope="module", params=["empty folder", "example folder"])
def runs(
    request: pytest.FixtureRequest,
    joplin: Joplin,
    bridges: Callable[..., Bridge],
    tmp_path_factory: pytest.TempPathFactory,
) -> dict[str, tuple[Bridge, str, str]]:
    """Delta name -> server, address and output of a run; both addresses run at the same time."""
    running = {}
    for delta in ("enhanced", "classic"):
        folder = tmp_path_factory.mktemp(delta) / "Notes"
        if request.param == "example folder":
            shutil.copytree(EXAMPLE, folder)
        else:
            folder.mkdir()
        bridge = bridges(folder, {})
        url = bridge.local_url if delta == "enhanced" else bridge.remote_url
        process = subprocess.Popen(
            [sys.executable, str(SMOKE), url, USER, PASSWORD, "--settle", "0", "--cycle", "3"],
            env=os.environ | {"JOPLIN_BIN": joplin.binary},
            stdout=subprocess.PIPE,
            text=True,
        )
        running[delta] = bridge, url, process
    return {
        delta: (bridge, url, process.communicate(timeout=300)[0])
        for delta, (bridge, url, process) in running.items()
    }


@pytest.mark.parametrize("delta", ["enhanced", "classic"])
def test_two_clients_converge(runs: dict[str, tuple[Bridge, str, str]], delta: str) -> None:
    """Everything two clients do to notes reaches the other one, at once and exactly."""
    _, _, output = runs[delta]
    failed = [line for line in output.splitlines() if not line.startswith("ok ")]
    assert f"{delta} delta" in output
    assert output.rstrip().endswith(" 0 failed"), "\n".join(failed)


@pytest.mark.parametrize("delta", ["enhanced", "classic"])
def test_a_second_sync_changes_nothing(
    runs: dict[str, tuple[Bridge, str, str]], joplin: Joplin, delta: str
) -> None:
    """A sync right after a sync does nothing, to the client, the files or the listing."""
    bridge, url, _ = runs[delta]
    client: JoplinClient = joplin.client(url)
    first = client.sync()
    assert first.ok, first.errors
    files, listing = on_disk(bridge.folder), bridge.dav().listing()
    second = client.sync()
    assert second.is_noop, second.summary()
    assert files == on_disk(bridge.folder)
    assert listing == bridge.dav().listing()
