"""Fresh profiles of the real client, copied from one that was set up once."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import uuid
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from tests.system.bridge import PASSWORD, USER
from tests.system.client.joplin_client import JoplinClient

INSTALL: Final = "sh tests/system/client/install.sh DIR"
_ADDRESS: Final = "sync.6.path"


def find_joplin() -> str:
    """Return the client's command; without one the test is skipped, or fails if it must not be."""
    named = os.environ.get("JOPLIN_BIN")
    found = shutil.which(named or "joplin")
    if found:
        return found
    sentence = (
        f"the Joplin terminal client is not here; install it with `{INSTALL}` and set "
        "JOPLIN_BIN=DIR/node_modules/.bin/joplin"
    )
    if os.environ.get("DAVBRIDGE_REQUIRE_JOPLIN") == "1":
        pytest.fail(sentence)
    pytest.skip(sentence)


@dataclass(kw_only=True)
class Joplin:
    """Makes clients. A profile costs one process to set up, so it is set up once and copied."""

    binary: str
    directory: Path
    _made: int = field(default=0)

    def client(self, url: str) -> JoplinClient:
        """Return a client with an empty profile that syncs with `url`."""
        self._made += 1
        target = self.directory / f"profile-{self._made}"
        shutil.copytree(self._template(), target)
        settings = target / "settings.json"
        values = json.loads(settings.read_text("utf-8")) | {_ADDRESS: url}
        settings.write_text(json.dumps(values), "utf-8")
        with closing(sqlite3.connect(target / "database.sqlite")) as db, db:
            db.execute("UPDATE settings SET value = ? WHERE key = 'clientId'", (uuid.uuid4().hex,))
        return JoplinClient(target, self.binary)

    def _template(self) -> Path:
        template = self.directory / "template"
        if not template.exists():
            client = JoplinClient(template, self.binary)
            client.configure("http://127.0.0.1:1/joplin/", USER, PASSWORD)
        return template
