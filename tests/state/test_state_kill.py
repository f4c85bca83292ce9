"""A killed process: what it reported as committed is there, whole."""

from __future__ import annotations

import hashlib
import signal
import subprocess
import sys
from pathlib import Path

from state import StateStore

ROUNDS = 40
LARGE = 70_000

WORKER = """
import sys
from pathlib import Path
from state import ItemRow, Place, StateStore

store = StateStore.open(Path(sys.argv[1]))
target = store.targets.find("k", "/joplin") or store.targets.add("k", "/joplin")
items, versions = store.items(target.id), store.versions(target.id)
opaque = store.opaque(target.id)
number = 0
while True:
    raw = b"%d " % number * (number % 7 + 1)
    with store.transaction():
        items.put(ItemRow(id=f"n{number}", type=1, place=Place.BOUND, area=f"/n{number}", raw=raw))
        versions.add(f"n{number}", raw, "test", float(number))
        store.targets.update(target.id, clock_s=number + 1)
    opaque.put(f"large{number}", (b"%06d " % number) * 10_000, float(number))
    sys.stdout.write(f"{number}\\n")
    sys.stdout.flush()
    number += 1
"""


def _run_until_killed(directory: Path) -> int:
    """Let a process write and kill it in the middle; return the last number it reported."""
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", WORKER, str(directory)]
    with subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(ROUNDS):
            process.stdout.readline()
        process.send_signal(signal.SIGKILL)
        reported = [ROUNDS - 1, *map(int, process.stdout.read().split())]
    return reported[-1]


def test_what_was_committed_survives_a_kill(directory: Path) -> None:
    """MODEL 2.1: committed means kept, and a transaction is there whole or not at all."""
    last = _run_until_killed(directory)
    with StateStore.open(directory) as store:
        target = store.targets.find("k", "/joplin")
        assert target is not None
        items, versions = store.items(target.id), store.versions(target.id)
        there = {item_id for item_id, _ in items.listed()}
        assert {f"n{number}" for number in range(last + 1)} <= there
        assert target.clock_s == len(there)
        for item_id in there:
            found, (version,) = items.raw(item_id), versions.list(item_id)
            assert found is not None
            assert found[0] == store.blobs.get(version.sha256)


def test_no_blob_is_named_before_it_is_whole(directory: Path) -> None:
    """After a kill every row names bytes that are there, with the hash it says."""
    last = _run_until_killed(directory)
    with StateStore.open(directory) as store:
        opaque = store.opaque(1)
        rows = opaque.list("large")
        assert {f"large{number}" for number in range(last + 1)} <= {row.path for row in rows}
        for row in rows:
            content = store.blobs.get(row.sha256)
            assert (LARGE, row.sha256) == (len(content), hashlib.sha256(content).hexdigest())
        store.blobs.collect(before=float("inf"))
        # The file of the last moment has no name yet; it is too young to be taken away.
        assert {row.sha256 for row in rows} == {
            file.name for file in (directory / "blobs").glob("[0-9a-f][0-9a-f]/*")
        }
