"""What is true of the whole house: its style, its types, its versions, its commands."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[2]
README = (HOUSE / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    "command",
    [
        ["ruff", "check", "--quiet"],
        ["ruff", "format", "--check", "--quiet"],
        ["mypy", "--strict", "--no-error-summary"],
    ],
    ids=["ruff check", "ruff format", "mypy"],
)
def test_tools_are_content(command: list[str]) -> None:
    """STYLE, habits: ruff, its formatter and mypy --strict find nothing."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=HOUSE, capture_output=True, text=True, check=False
    )
    assert (0, "") == (done.returncode, done.stdout + done.stderr)


def spell(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_versions_are_locked() -> None:
    """Every dependency has one locked version, no older than the one asked for."""
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))["project"]
    lines = (HOUSE / "requirements.lock").read_text("utf-8").splitlines()
    locked = dict(line.split("==") for line in lines if not line.startswith("#"))
    asked = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    for name, oldest in (line.split(">=") for line in asked):
        version = [int(part) for part in locked[spell(name)].split(".")]
        assert [int(part) for part in oldest.split(".")] <= version


def test_every_dependency_has_its_reason() -> None:
    """The README says of every dependency why it is there, and names no other."""
    project = tomllib.loads((HOUSE / "pyproject.toml").read_text("utf-8"))["project"]
    asked = [*project["dependencies"], *project["optional-dependencies"]["test"]]
    section = README.partition("## Dependencies")[2].partition("\n## ")[0]
    assert {line.split(">=")[0] for line in asked} == set(
        re.findall(r"^\| ([\w.-]+) \|", section, re.M)
    )


def test_ci_runs_the_command_of_the_readme() -> None:
    """The test command of the README is what `.ci/run` runs, letter by letter."""
    last = (HOUSE / ".ci/run").read_text("utf-8").rstrip().splitlines()[-1]
    assert last.endswith(".venv/bin/pytest")
    assert f"\n{last}\n" in README


def test_only_the_command_line_prints() -> None:
    """STYLE 14: only cli.py prints, exits or reads the environment."""
    spoken = re.compile(r"\bprint\(|sys\.exit|os\.environ|os\.getenv|typer\.echo")
    wrong = [
        file.relative_to(HOUSE).as_posix()
        for package in ("adapters", "davbridge", "state")
        for file in (HOUSE / package).rglob("*.py")
        if spoken.search(file.read_text("utf-8")) and file.name != "cli.py"
    ]
    assert [] == wrong
