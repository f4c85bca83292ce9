"""What is on disk and what a client shows, in forms that can be compared."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import NamedTuple

from tests.system.client.joplin_client import JoplinClient
from tests.system.client.profile import Row


class FileState(NamedTuple):
    """A file, down to its time of change."""

    content: bytes
    mtime_ns: int


def on_disk(folder: Path) -> dict[str, FileState]:
    """Every file below `folder`, hidden ones too, but not Git's own."""
    found = {}
    for file in sorted(folder.rglob("*")):
        relative = file.relative_to(folder)
        if relative.parts[0] != ".git" and file.is_file():
            found[relative.as_posix()] = FileState(file.read_bytes(), file.stat().st_mtime_ns)
    return found


def contents(folder: Path) -> dict[str, bytes]:
    """Path -> bytes of every file below `folder`, without hidden folders such as the trash."""
    return {
        path: state.content
        for path, state in on_disk(folder).items()
        if not any(part.startswith(".") for part in path.split("/"))
    }


def difference(before: dict[str, FileState], after: dict[str, FileState]) -> set[str]:
    """Paths of files that came, went or changed in any way."""
    return {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}


def by_place(client: JoplinClient, *, root: str = "") -> dict[str, Row]:
    """Notebooks and title -> note. Two notes at one place are an error here.

    `root` is the name of the root's notebook, which is left out of the places.
    """
    rows = client.folders()
    folders = {row["id"]: row for row in rows}
    found: dict[str, Row] = {}
    for note in client.notes():
        parts, parent = [note["title"]], note["parent_id"]
        while parent:
            folder = folders.get(parent, {"title": "?", "parent_id": ""})
            parts.insert(0, folder["title"])
            parent = folder["parent_id"]
        if root and parts[0] == root and len(parts) == 2:
            parts.pop(0)
        place = "/".join(parts)
        assert place not in found, f"two notes at {place!r}"
        found[place] = note
    return found


def write(file: Path, text: str) -> Path:
    """Write `text` as it is, with the folders it needs."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())
    return file


def replace_file(file: Path, text: str) -> None:
    """Save as editors do: a temporary file beside it, then rename."""
    temporary = file.with_name(f".{file.name}.tmp")
    temporary.write_bytes(text.encode())
    temporary.replace(file)


def git(folder: Path, *arguments: str) -> None:
    """Run Git in `folder`, independent of the user's own settings."""
    identity = {
        "GIT_AUTHOR_NAME": "Test",
        "GIT_AUTHOR_EMAIL": "test@example.org",
        "GIT_COMMITTER_NAME": "Test",
        "GIT_COMMITTER_EMAIL": "test@example.org",
        "GIT_CONFIG_GLOBAL": os.devnull,
    }
    subprocess.run(
        ["git", "-c", "core.quotePath=false", *arguments],
        cwd=folder,
        env=os.environ | identity,
        check=True,
        capture_output=True,
    )
