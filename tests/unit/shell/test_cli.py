"""What is said on the command line, and with which exit code."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from davbridge import __version__
from davbridge.signin import hash_password, is_password
from state import StateStore

HOUSE = Path(__file__).resolve().parents[3]


def run(
    *arguments: str | Path, typed: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    inherited = {name: value for name, value in os.environ.items() if "DAVBRIDGE" not in name}
    return subprocess.run(
        [sys.executable, "-m", "davbridge", *map(str, arguments)],
        cwd=HOUSE,
        env=inherited | environment,
        input=typed,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def stored(state: Path, user: str) -> str:
    with StateStore.open(state) as store:
        return store.users.get(user) or ""


def test_version() -> None:
    """`davbridge version` prints the version."""
    assert f"davbridge {__version__}\n" == run("version").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ("serve",),
        ("serve", ".", "--example"),
        ("serve", ".", "--config", "x"),
        ("serve", "--config", "x", "--name", "n"),
        ("serve", ".", "--port", "x"),
        ("serve", ".", "--port", "70000"),
        ("serve", ".", "--colour"),
        ("sing",),
    ],
)
def test_usage(arguments: tuple[str, ...]) -> None:
    """A command that makes no sense ends with exit code 2 and without a traceback."""
    done = run(*arguments)
    assert (2, "") == (done.returncode, done.stdout)
    assert "Traceback" not in done.stderr


def test_problems(tmp_path: Path) -> None:
    """What a person can mend is one sentence and exit code 1."""
    state = tmp_path / "state"
    config = tmp_path / "config.yaml"
    config.write_text("colour: red\n")
    broken = tmp_path / "broken"
    broken.mkdir()
    (broken / "state.sqlite").write_bytes(b"no database" * 1000)
    for arguments, sentence in (
        (("serve", tmp_path / "none", "--state", state), "does not exist"),
        (("serve", config, "--state", state), "is not a directory"),
        (("serve", "--config", config, "--state", state), "colour: unknown option"),
        (("serve", tmp_path, "--state", broken), "state.sqlite"),
        (("user", "passwd", "--state", broken), "state.sqlite"),
        (("user", "passwd", "a:b", "--state", state), "colon"),
    ):
        done = run(*arguments)
        assert 1 == done.returncode
        assert sentence in done.stderr
        assert "Traceback" not in done.stderr


def test_new_password(tmp_path: Path) -> None:
    """A lost password is replaced by one from the environment, from a pipe, or made up."""
    with StateStore.open(tmp_path) as store:
        store.users.put("davbridge", hash_password("lost"))
    run("user", "passwd", "--state", tmp_path, DAVBRIDGE_PASSWORD="one")
    assert is_password("one", stored(tmp_path, "davbridge"))
    assert 0 == run("user", "passwd", "--state", tmp_path, typed="twö\n").returncode
    assert is_password("twö", stored(tmp_path, "davbridge"))
    made_up = run("user", "passwd", "anna", "--state", tmp_path).stdout.splitlines()[0].split()[-1]
    assert is_password(made_up, stored(tmp_path, "anna"))
    assert is_password("twö", stored(tmp_path, "davbridge"))


def test_password_joplin_cannot_send(tmp_path: Path) -> None:
    """FORMAT 7: a password beyond Latin-1 is taken, with a warning."""
    done = run("user", "passwd", "--state", tmp_path, DAVBRIDGE_PASSWORD="pä€")
    assert (0, True) == (done.returncode, "ISO 8859-1" in done.stderr)


def test_confirm(tmp_path: Path) -> None:
    """R-J-85: `state confirm` confirms what the guard holds back, on every target."""
    assert "nothing to confirm" in run("state", "confirm", "--state", tmp_path).stdout
    with StateStore.open(tmp_path) as store:
        target = store.targets.add("key", "/joplin").id
        store.findings(target).add(None, "guard", "all gone", 0.0)
    assert "Confirmed" in run("state", "confirm", "--state", tmp_path).stdout
    with StateStore.open(tmp_path) as store:
        assert store.findings(target).confirmed("guard")
