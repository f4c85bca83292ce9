"""`davbridge serve` as a person sees it; what it serves is shown by the system tests."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from davbridge.signin import is_password
from state import StateStore
from tests.unit.shell.test_cli import HOUSE

LAST_LINE = "Press Ctrl-C to stop."


@contextlib.contextmanager
def serving(
    *arguments: str | Path, folder: Path, output: int = subprocess.PIPE, **environment: str
) -> Iterator[subprocess.Popen[str]]:
    inherited = {name: value for name, value in os.environ.items() if "DAVBRIDGE" not in name}
    with subprocess.Popen(
        [sys.executable, "-m", "davbridge", "serve", *map(str, arguments)],
        cwd=folder,
        env=inherited | {"PYTHONPATH": str(HOUSE)} | environment,
        stdout=output,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def printed(process: subprocess.Popen[str]) -> list[str]:
    """Return what is printed until the server is up, or ends."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line.rstrip("\n"))
        if lines[-1] == LAST_LINE:
            break
    return lines


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_example(tmp_path: Path, number: signal.Signals) -> None:
    """Issue 2, point 6: one command serves the example notes; a signal ends it with 0."""
    arguments = ("--example", "--port", "0", "--state", tmp_path / "state")
    with serving(*arguments, folder=tmp_path) as process:
        lines = printed(process)
        assert f"The example notes are in {tmp_path}/davbridge-notes" in lines[0]
        assert f"12 notes and 1 attachment in {tmp_path}/davbridge-notes" in lines[1]
        process.send_signal(number)
        assert 0 == process.wait(30)
    assert (tmp_path / "davbridge-notes/Welcome.md").is_file()
    with serving(*arguments, folder=tmp_path) as process:
        again = printed(process)
        assert again[0].startswith("Found ")
    password = next(line.split()[-1] for line in lines if "WebDAV password" in line)
    assert password not in "\n".join(again)
    with StateStore.open(tmp_path / "state") as store:
        assert is_password(password, store.users.get("davbridge") or "")


def test_user_from_the_environment(tmp_path: Path) -> None:
    """Issue 2, point 5: user and password may come from the environment, unseen."""
    (tmp_path / "notes").mkdir()
    arguments = ("notes", "--port", "0", "--state", "state")
    chosen = {"DAVBRIDGE_USER": "anna", "DAVBRIDGE_PASSWORD": "one"}
    with serving(*arguments, folder=tmp_path, **chosen) as process:
        text = "\n".join(printed(process))
    assert re.search(r"user name: +anna\n", text)
    assert "one" not in re.findall(r"\w+", text)
    with StateStore.open(tmp_path / "state") as store:
        assert ["anna"] == store.users.list()


def test_warning_without_tls(tmp_path: Path) -> None:
    """Issue 2, point 5: a host that others can reach, without TLS, is warned about."""
    (tmp_path / "notes").mkdir()
    for host, warned in (("127.0.0.1", False), ("0.0.0.0", True)):
        arguments = ("notes", "--host", host, "--port", "0", "--state", "state")
        with serving(*arguments, folder=tmp_path) as process:
            assert LAST_LINE == printed(process)[-1]
            process.terminate()
            assert process.stderr is not None
            assert warned == ("without TLS" in process.stderr.read())


def test_port_in_use(tmp_path: Path) -> None:
    """A port that is taken is one sentence and exit code 1."""
    (tmp_path / "notes").mkdir()
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with serving("notes", "--port", str(port), "--state", "s", folder=tmp_path) as process:
            assert [] == printed(process)
            assert process.stderr is not None
            assert f"davbridge: 127.0.0.1:{port} is in use" in process.stderr.read()
            assert 1 == process.wait(30)


def test_two_for_one_folder(tmp_path: Path) -> None:
    """MODEL 5: a second davbridge for the same folder is one sentence and exit code 1."""
    (tmp_path / "notes").mkdir()
    with serving("notes", "--port", "0", "--state", "a", folder=tmp_path) as first:
        printed(first)
        with serving("notes", "--port", "0", "--state", "b", folder=tmp_path) as second:
            assert [] == printed(second)
            assert second.stderr is not None
            assert "another davbridge" in second.stderr.read()
            assert 1 == second.wait(30)


def test_progress_bar(tmp_path: Path) -> None:
    """Issue 2, point 5: on a terminal, a bar shows how far the first indexing is."""
    (tmp_path / "notes").mkdir()
    for number in range(50):
        (tmp_path / f"notes/{number}.md").write_text("text\n")
    ours, theirs = pty.openpty()
    with serving(
        "notes", "--port", "0", "--state", "state", folder=tmp_path, output=theirs, TERM="xterm"
    ) as process:
        os.close(theirs)
        shown = b""
        while LAST_LINE.encode() not in shown:
            shown += os.read(ours, 65536)
        process.terminate()
        assert 0 == process.wait(30)
    os.close(ours)
    assert b"Reading the notes" in shown
    assert b"50 notes" in shown
