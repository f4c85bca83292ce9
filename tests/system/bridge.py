"""A real `davbridge serve` process over a folder: started, stopped, killed, started again."""

from __future__ import annotations

import contextlib
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from tests.system.webdav import Dav

REPOSITORY: Final = Path(__file__).resolve().parents[2]
USER: Final = "davbridge"
PASSWORD: Final = "a password for tests"
VANISH_GRACE: Final = 2
"""Seconds; so short that a test can wait for it."""

_ADDRESS: Final = re.compile(r"http://[^\s/]*?:(\d+)/joplin/")
_START_TIMEOUT: Final = 60.0
_STOP_TIMEOUT: Final = 45.0

T = TypeVar("T")


def command() -> list[str]:
    """Return the command under test: this source tree, or what $DAVBRIDGE_COMMAND names."""
    named = os.environ.get("DAVBRIDGE_COMMAND")
    return shlex.split(named) if named else [sys.executable, "-m", "davbridge"]


def eventually(
    ask: Callable[[], T],
    *,
    within: float,
    accept: Callable[[T], object] = bool,
    every: float = 0.05,
) -> T:
    """Return the first answer of `ask` that is accepted; the last one when the time is over."""
    end = time.monotonic() + within
    while True:
        answer = ask()
        if accept(answer) or time.monotonic() > end:
            return answer
        time.sleep(every)


def free_port() -> int:
    """A port nobody listens on, below those the system gives to outgoing connections."""
    while True:
        port = random.randrange(20000, 32000)
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind(("127.0.0.1", port))
            return port


@dataclass(kw_only=True)
class Bridge:
    """One server over one folder, at the same address at each start.

    Without `share` options it is started as `davbridge serve FOLDER`, else with a configuration.
    The port is chosen here: a server that asked for port 0 cannot have the same port again at
    once, because cheroot then leaves out SO_REUSEADDR.
    """

    folder: Path
    scratch: Path
    share: Mapping[str, object] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    port: int = field(default_factory=free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def state(self) -> Path:
        return self.scratch / "state"

    @property
    def local_url(self) -> str:
        """The address of a client on the same machine: the "enhanced" change detection."""
        return f"http://127.0.0.1:{self.port}/joplin/"

    @property
    def remote_url(self) -> str:
        """The same server by a name the client does not take for loopback: "classic"."""
        return f"http://127.1:{self.port}/joplin/"

    def dav(self, *, password: str = PASSWORD) -> Dav:
        """Return a plain WebDAV client for the target."""
        return Dav(port=self.port, prefix="/joplin", user=USER, password=password)

    # -- life ---------------------------------------------------------------

    def start(self) -> Bridge:
        """Start the server and return once it answers, whatever it answers."""
        self.launch()
        found = eventually(
            lambda: _ADDRESS.search(self.printed()) or self.exit_code() is not None,
            within=_START_TIMEOUT,
        )
        if not isinstance(found, re.Match):
            raise AssertionError(f"davbridge did not print its address\n{self.report()}")
        self.port = int(found[1])
        answer = eventually(
            lambda: self.dav().try_get("info.json") or self.exit_code() is not None,
            within=_START_TIMEOUT,
        )
        if not answer or self.exit_code() is not None:
            raise AssertionError(f"davbridge does not answer\n{self.report()}")
        return self

    def launch(self) -> None:
        """Start the process without waiting for anything."""
        self.scratch.mkdir(parents=True, exist_ok=True)
        with self._output.open("wb") as output, self._log.open("ab") as log:
            self.process = subprocess.Popen(
                [*command(), *self._arguments()],
                cwd=REPOSITORY,
                env=self._environment(),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=log,
            )

    def stop(self) -> None:
        """Ask the server to end; it must do so with exit code 0."""
        self.signal(signal.SIGTERM)
        assert self.wait() == 0, self.report()

    def kill(self) -> None:
        """End the server as a power cut would."""
        self.signal(signal.SIGKILL)
        self.wait()

    def restart(self) -> None:
        """Stop the server and start it again at the same address."""
        self.stop()
        self.start()

    def close(self) -> None:
        """End whatever still runs; a server that ran must stop cleanly and have logged no crash."""
        if self.process is not None and self.exit_code() is None:
            self.stop()
        assert "Traceback" not in self.log(), self.report()

    def signal(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def wait(self) -> int:
        assert self.process is not None
        try:
            return self.process.wait(_STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"davbridge did not end\n{self.report()}") from None

    def exit_code(self) -> int | None:
        return None if self.process is None else self.process.poll()

    # -- what it says -------------------------------------------------------

    def printed(self) -> str:
        """What this start of the server printed."""
        return self._output.read_text("utf-8", "replace")

    def log(self) -> str:
        """What every start of the server logged."""
        return self._log.read_text("utf-8", "replace") if self._log.exists() else ""

    def report(self) -> str:
        return f"exit code {self.exit_code()}\n{self.printed()[-1500:]}\n{self.log()[-4000:]}"

    def run(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run another command of davbridge against the same state."""
        return subprocess.run(
            [*command(), *arguments, "--state", str(self.state)],
            cwd=REPOSITORY,
            env=self._environment() | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    # -- parts --------------------------------------------------------------

    @property
    def _output(self) -> Path:
        return self.scratch / "stdout.txt"

    @property
    def _log(self) -> Path:
        return self.scratch / "stderr.txt"

    def _arguments(self) -> list[str]:
        options = ["--host", "127.0.0.1", "--port", str(self.port), "--state", str(self.state)]
        if not self.share:
            return ["serve", str(self.folder), *options]
        lines = [
            "repositories:",
            f'  notes: {{root: "{self.folder}"}}',
            "shares:",
            "  - repository: notes",
            *(f"    {name}: {value}" for name, value in self.share.items()),
        ]
        config = self.scratch / "config.yaml"
        config.write_text("\n".join(lines) + "\n", "utf-8")
        return ["serve", "--config", str(config), *options]

    def _environment(self) -> dict[str, str]:
        own = {
            "DAVBRIDGE_USER": USER,
            "DAVBRIDGE_PASSWORD": PASSWORD,
            "XDG_STATE_HOME": str(self.scratch / "xdg"),
        }
        return os.environ | own | self.environment
