"""Drive the real Joplin terminal client from Python.

    a = JoplinClient("profile-a", binary="DIR/node_modules/.bin/joplin")
    a.configure("http://127.1:8080/joplin/", "user", "secret")
    book = a.create_notebook("Recipes")
    note = a.create_note("Bread", "Flour, water, salt.\\n", folder_id=book)
    result = a.sync()
    assert result.ok, result.errors

Only the standard library is used.  Every write goes through the client's own
command line (one process per call, about 0.8 s; the *_many* variants and
`run()` put any number of commands in one process).  Reading is in profile.py.

Things worth knowing about the client that this module takes care of:

* The terminal client exits with status 0 even when a sync fails.  `sync()`
  reads the outcome from the printed summary and from the profile's log.txt,
  and reports every error, not only the last one.
* Values that start with "-" are taken for options unless "--" comes first,
  and the batch file splitter and the argument splitter disagree about
  backslashes inside quotes.  `quote()` produces text both read the same way.
* A title cannot be empty on creation, only by a later `set`.
* The client guards each profile with a lock file in the temp folder which a
  killed process leaves behind for 5 minutes.  We always pass --use-lock 0 and
  never start two processes on one profile at a time.
* `set` stamps updated_time itself but leaves user_updated_time alone unless
  told otherwise; the desktop application changes both.  `edit_note()` sets both.
* The URL decides the change-detection algorithm: localhost, 127.x.y.z and
  [::1] use the "enhanced" one (client 3.5 and later), every other host name
  the "classic" one.  Test both: http://127.1:PORT/ reaches the same server but
  counts as remote.  `uses_enhanced_delta(url)` tells which one a URL gets.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from tests.system.client.profile import JoplinProfile
from tests.system.client.sync_report import SyncResult, read_sync

_LOCAL_URL: Final = re.compile(
    r"^(https?://)?(localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?(/.*)?$", re.I
)


def uses_enhanced_delta(url: str) -> bool:
    """True if client 3.5+ compares every item's time instead of one watermark."""
    return bool(_LOCAL_URL.match(url))


def quote(text: object) -> str:
    """One argument, readable by the client's batch file parser."""
    text = str(text)
    if "\\" not in text and '"' not in text:
        return '"' + text + '"'
    if "\\" not in text and "'" not in text:
        return "'" + text + "'"
    out = []
    for char in text:
        if char in "\\\"' \t\n":
            out.append("\\")
        out.append(char)
    # A closing quote ends the argument, which keeps escaped blanks at its end.
    return "".join(out) + '""'


class JoplinError(Exception):
    """The client refused a command; the message is what it printed."""


class JoplinClient(JoplinProfile):
    """One profile and the commands that change it."""

    def __init__(
        self, profile_dir: str | Path, binary: str = "joplin", timeout: float = 180
    ) -> None:
        super().__init__(profile_dir)
        self.binary = binary
        self.timeout = timeout
        self.profile_dir.mkdir(parents=True, exist_ok=True)

    # -- running commands ---------------------------------------------------

    def run(self, commands: Iterable[Sequence[object]], *, keep_going: bool = False) -> str:
        """Run commands (lists of arguments) in one process; return its output."""
        # The last command is a witness: a client that dies half way, or stops
        # with work still pending, exits with status 0 all the same.
        lines = [" ".join(quote(arg) for arg in command) for command in [*commands, ["version"]]]
        with _temporary("\n".join(lines) + "\n", ".joplin-batch") as path:
            argv = [self.binary, "--profile", str(self.profile_dir), "batch", path]
            if keep_going:
                argv.append("--continue-on-failure")
            done = subprocess.run(
                argv,
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env=dict(os.environ, LC_ALL="C.UTF-8", LANG="C.UTF-8"),
                timeout=self.timeout,
            )
        output = done.stdout.decode("utf-8", "replace")
        if done.returncode and not keep_going:
            raise JoplinError(output.strip() or f"exit status {done.returncode}")
        witness = re.search(r"Joplin CLI Client\s.*\Z", output, re.S)
        if not witness:
            raise JoplinError("the client stopped before the end of the batch: " + output.strip())
        return output[: witness.start()]

    def configure(self, url: str, user: str, password: str, **settings: object) -> None:
        """Point the profile at a WebDAV target.  Extra settings by keyword,
        with "__" for "." (sync__wipeOutFailSafe=False)."""
        self.set_config(
            **{
                "locale": "en_GB",
                "sync.target": 6,
                "sync.6.path": url,
                "sync.6.username": user,
                "sync.6.password": password,
                "sync.interval": 0,
                "trackLocation": False,
            }
            | settings
        )

    def set_config(self, **values: object) -> None:
        text = json.dumps({k.replace("__", "."): v for k, v in values.items()})
        with _temporary(text, ".json") as path:
            self.run([["config", "--import-file", path]])

    # -- sync ---------------------------------------------------------------

    def sync(self) -> SyncResult:
        """Synchronise, fetch attachments, and report what happened."""
        log_path = self.profile_dir / "log.txt"
        before = log_path.stat().st_size if log_path.exists() else 0
        began = time.time()
        output = self.run([["sync", "--use-lock", "0"]], keep_going=True)
        seconds = round(time.time() - began, 2)
        with log_path.open("rb") as fh:
            if log_path.stat().st_size >= before:
                fh.seek(before)
            log = fh.read().decode("utf-8", "replace")
        return read_sync(output, log, seconds)

    # -- creating and changing ----------------------------------------------

    def create_notebook(self, title: str, parent_id: str | None = None) -> str:
        before = self._ids("folders")
        self.run([["mkbook", *(["-p", parent_id] if parent_id else []), "--", title]])
        return self._new_ids("folders", before)[0]

    def create_note(
        self,
        title: str,
        body: str = "",
        folder_id: str | None = None,
        todo: bool = False,
        **fields: object,
    ) -> str:
        spec = {"title": title, "body": body, "folder_id": folder_id, "todo": todo} | fields
        return self.create_notes([spec])[0]

    def create_notes(self, specs: Iterable[Mapping[str, Any]]) -> list[str]:
        """Create many notes in one process.

        A spec has title, body, folder_id and optionally todo=True, tags=[...],
        attach=[paths] and any note field (todo_due, source_url, ...)."""
        before = self._ids("notes")
        commands: list[list[object]] = []
        for given in specs:
            spec = dict(given)
            handle = "new-" + uuid.uuid4().hex[:24]
            commands.append(["use", spec.pop("folder_id")])
            commands.append(["mktodo" if spec.pop("todo", False) else "mknote", handle])
            title = spec.pop("title", "")
            tags, files = spec.pop("tags", []), spec.pop("attach", [])
            commands += [
                ["set", "--", handle, name, value]
                for name, value in spec.items()
                if not (name == "body" and value == "")
            ]
            commands += [["tag", "add", "--", tag, handle] for tag in tags]
            commands += [["attach", "--", handle, Path(f).resolve()] for f in files]
            commands.append(["set", "--", handle, "title", title])
        self.run(commands)
        return self._new_ids("notes", before)

    def edit_note(self, note_id: str, **fields: object) -> None:
        self.edit_notes({note_id: fields})

    def edit_notes(self, changes: Mapping[str, Mapping[str, object]]) -> None:
        now = int(time.time() * 1000)
        self.run(
            [
                ["set", "--", note_id, name, value]
                for note_id, fields in changes.items()
                for name, value in ({"user_updated_time": now} | dict(fields)).items()
            ]
        )

    def rename_notebook(self, folder_id: str, title: str) -> None:
        self.run([["ren", "--", folder_id, title]])

    def rename_note(self, note_id: str, title: str) -> None:
        self.edit_note(note_id, title=title)

    def move(self, item_id: str, folder_id: str | None) -> None:
        """Move a note or a notebook; folder_id None moves a notebook to the top."""
        self.run([["mv", "--", item_id, folder_id or "root"]])

    def delete_note(self, note_id: str, *, permanent: bool = False) -> None:
        self.run([["rmnote", "-f", *(["-p"] if permanent else []), "--", note_id]])

    def delete_notebook(self, folder_id: str, *, permanent: bool = False) -> None:
        self.run([["rmbook", "-f", *(["-p"] if permanent else []), "--", folder_id]])

    def restore(self, item_id: str) -> None:
        self.run([["restore", "--", item_id]])

    def attach(self, note_id: str, path: str | Path) -> str:
        """Attach a file; return the new resource's id.  The link goes to the
        start of the note's body."""
        before = self._ids("resources")
        self.run([["attach", "--", note_id, Path(path).resolve()]])
        return self._new_ids("resources", before)[0]

    def tag(self, note_id: str, tag: str) -> None:
        self.run([["tag", "add", "--", tag, note_id]])

    def untag(self, note_id: str, tag: str) -> None:
        self.run([["tag", "remove", "--", tag, note_id]])

    def complete_todo(self, note_id: str, *, done: bool = True) -> None:
        self.run([["done" if done else "undone", "--", note_id]])

    def export_markdown(self, folder: str | Path) -> None:
        """Write every notebook as Markdown files below `folder`."""
        self.run([["export", Path(folder).resolve(), "--format", "md"]])

    def import_markdown(self, folders: Iterable[str | Path]) -> None:
        """Take each folder of Markdown files in as one new notebook of its name.

        Without a notebook the command would import into whichever was made last."""
        commands: list[list[object]] = []
        for folder in folders:
            path = Path(folder).resolve()
            commands.append(["mkbook", "--", path.name])
            commands.append(["import", path, path.name, "--format", "md", "-f"])
        self.run(commands)

    def e2ee_enable(self, password: str, tries: int = 5) -> None:
        """Switch encryption on.  The client loads its keys twice at the same
        time here and sometimes stops in between, having saved nothing, so this
        checks and tries again."""
        for _ in range(tries):
            try:
                self.run([["e2ee", "enable", "-p", password]])
            except JoplinError as error:
                if "stopped before the end" not in str(error):
                    raise
            if self.sync_info()["e2ee"]["value"]:
                return
        raise JoplinError("encryption could not be switched on")

    def e2ee_decrypt(self, password: str) -> str:
        """Give this profile the master password and decrypt what it has."""
        key = (self.sync_info() or {}).get("activeMasterKeyId", {}).get("value", "")
        self.set_config(
            **{
                "encryption.passwordCache": {key: password},
                "encryption.masterPassword": password,
            }
        )
        return self.run([["e2ee", "decrypt", "-f"]], keep_going=True)

    def _ids(self, table: str) -> set[str]:
        return {row["id"] for row in self.query(f"SELECT id FROM {table}")}

    def _new_ids(self, table: str, before: set[str]) -> list[str]:
        rows = self.query(f"SELECT id FROM {table} ORDER BY rowid")
        return [row["id"] for row in rows if row["id"] not in before]


@contextmanager
def _temporary(text: str, suffix: str) -> Iterator[str]:
    """A file that holds `text` exactly, for as long as the block runs."""
    handle, name = tempfile.mkstemp(suffix=suffix)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as fh:
            fh.write(text)
        yield name
    finally:
        Path(name).unlink()
