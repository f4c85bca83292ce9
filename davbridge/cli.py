"""The commands. This file alone prints, exits, reads the environment and takes signals."""

from __future__ import annotations

import contextlib
import ipaddress
import logging
import os
import shutil
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import FrameType
from typing import Annotated, Any, Final, NoReturn

import platformdirs
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from adapters.contract import RepositoryUnavailable
from davbridge import __version__
from davbridge.config import (
    ConfigError,
    Settings,
    check_roots,
    load_settings,
    settings_for_folder,
)
from davbridge.joplin.target import Counts
from davbridge.joplin.vanishing import GUARD
from davbridge.server import DavServer, ServerError, ServerSettings
from davbridge.signin import hash_password, is_password, new_password
from davbridge.wiring import REPOSITORIES, SHARES, Bridge, open_bridge
from state import StateError, StateStore

DEFAULT_USER: Final = "davbridge"
EXAMPLE: Final = Path(__file__).parent / "example"
EXAMPLE_COPY: Final = "davbridge-notes"

app = typer.Typer(
    help="Plain Markdown files, read and edited in Joplin and any editor at the same time.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)
user_app = typer.Typer(help="Who may sign in.", no_args_is_help=True)
state_app = typer.Typer(help="What davbridge remembers.", no_args_is_help=True)
app.add_typer(user_app, name="user")
app.add_typer(state_app, name="state")

StateOption = Annotated[
    Path | None, typer.Option("--state", help="Where davbridge keeps its own database.")
]


def main() -> None:
    """Run the command line."""
    app()


@app.command()
def serve(
    folder: Annotated[Path | None, typer.Argument(help="The folder of notes.")] = None,
    *,
    host: Annotated[str | None, typer.Option(help="Address to listen on [127.0.0.1].")] = None,
    port: Annotated[
        int | None, typer.Option(min=0, max=65535, help="Port to listen on [8080]; 0: any.")
    ] = None,
    state: StateOption = None,
    config: Annotated[
        Path | None, typer.Option(help="A YAML file instead of FOLDER; see config.example.yaml.")
    ] = None,
    name: Annotated[str | None, typer.Option(help="What the folder is called in Joplin.")] = None,
    example: Annotated[
        bool, typer.Option("--example", help=f"Copy some notes to ./{EXAMPLE_COPY}, serve these.")
    ] = False,
    verbose: Annotated[bool, typer.Option(help="Log every request.")] = False,
) -> None:
    """Serve a folder of Markdown files to Joplin until Ctrl-C."""
    if sum((folder is not None, config is not None, example)) != 1:
        raise typer.BadParameter("name a FOLDER, or use --config or --example.")
    if name is not None and config is not None:
        raise typer.BadParameter("with --config, the name belongs into the file.")
    _start_log(verbose=verbose)
    stop = _stop_on_signals()
    with _one_sentence():
        settings = _settings(folder if not example else _copy_example(), config, name)
        server = settings.server
        server = replace(server, host=host or server.host)
        server = replace(server, port=server.port if port is None else port)
        directory = _state_directory(state or settings.state)
        with StateStore.open(directory) as store:
            _check_roots(settings, config, store)
            _serve(replace(settings, server=server), store, directory, stop)


@user_app.command("passwd")
def user_passwd(
    name: Annotated[str | None, typer.Argument(help=f"The user [{DEFAULT_USER}].")] = None,
    *,
    state: StateOption = None,
) -> None:
    """Set a new password; a running server takes it at once.

    It is taken from DAVBRIDGE_PASSWORD, else asked for, else read from standard input.
    """
    with _one_sentence():
        user = _checked_user(name or os.environ.get("DAVBRIDGE_USER") or DEFAULT_USER)
        with StateStore.open(_state_directory(state)) as store:
            password = os.environ.get("DAVBRIDGE_PASSWORD") or _ask_password(user)
            if not password:
                password = new_password()
                _say(f"The new password of {user} is: {password}")
            store.users.put(user, hash_password(password))
            _warn_of_letters(password)
            _say(f"{user} signs in with the new password from now on.")


@state_app.command("confirm")
def state_confirm(*, state: StateOption = None) -> None:
    """Confirm that the notes that disappeared from the folder were meant to."""
    with _one_sentence(), StateStore.open(_state_directory(state)) as store:
        confirmed = sum(store.findings(row.id).confirm(GUARD) for row in store.targets.all())
        _say("Confirmed; the server goes on." if confirmed else "There is nothing to confirm.")


@app.command()
def version() -> None:
    """Print the version."""
    _say(f"davbridge {__version__}")


def _serve(settings: Settings, store: StateStore, directory: Path, stop: _Stop) -> None:
    shown, password = _account(store)
    with open_bridge(settings, store, state=directory) as bridge:
        server = DavServer(bridge.application, settings.server)
        try:
            if _is_open(settings.server):
                _warn(
                    f"{settings.server.host} can be reached by other computers, and without TLS"
                    " they can read the password on the way."
                )
            try:
                counts = _index(bridge, stop)
            except RepositoryUnavailable as error:  # clients are answered 503 until it is back
                _warn(f"the notes cannot be read at the moment: {error.reason}.")
                counts = {path: target.counts() for path, target in bridge.targets.items()}
            with server.running():
                bridge.start()
                _welcome(settings, server.port, counts, user=shown, password=password)
                stop.wait()
                _say("Stopping ...")
        finally:
            server.stop()


def _index(bridge: Bridge, stop: _Stop) -> dict[str, Counts]:
    def check(*_: int) -> None:
        if stop.is_set():
            raise _Stopped

    if not sys.stdout.isatty():
        return bridge.index(check)
    columns = (TextColumn("Reading the notes"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(), transient=True) as bar:
        task = bar.add_task("", total=None)

        def advance(done: int, total: int) -> None:
            check()
            bar.update(task, completed=done, total=total)

        return bridge.index(advance)


def _welcome(
    settings: Settings, port: int, counts: dict[str, Counts], *, user: str, password: str | None
) -> None:
    for share in settings.shares:
        found = counts[share.path]
        root = settings.repositories[share.repository].root
        _say(
            f"Found {_amount(found.notebooks, 'notebook')}, {_amount(found.notes, 'note')} and"
            f" {_amount(found.attachments, 'attachment')} in {root}"
        )
        _say("")
        _say("In Joplin, open Options > Synchronisation and choose:")
        _say("  Synchronisation target:  WebDAV")
        _say(f"  WebDAV URL:              {_url(settings.server, port)}{share.path}/")
        _say(f"  WebDAV user name:        {user}")
        if password is not None:
            _say(f"  WebDAV password:         {password}")
            _say("Write the password down; it is not shown again.")
        elif os.environ.get("DAVBRIDGE_PASSWORD"):
            _say("  WebDAV password:         as set in DAVBRIDGE_PASSWORD")
        else:
            _say("  WebDAV password:         as before (lost? run: davbridge user passwd)")
        _say("")
    _say("Press Ctrl-C to stop.")


def _amount(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def _url(server: ServerSettings, port: int) -> str:
    scheme = "http" if server.tls_certificate is None else "https"
    host = socket.gethostname() if server.host in ("0.0.0.0", "::") else server.host  # noqa: S104
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"


def _is_open(server: ServerSettings) -> bool:
    if server.tls_certificate is not None or server.host == "localhost":
        return False
    try:
        return not ipaddress.ip_address(server.host).is_loopback
    except ValueError:
        return True


def _settings(folder: Path | None, config: Path | None, name: str | None) -> Settings:
    if config is not None:
        return load_settings(config, repository_kinds=REPOSITORIES, share_kinds=SHARES)
    assert folder is not None
    return settings_for_folder(folder, name=name)


def _check_roots(settings: Settings, config: Path | None, store: StateStore) -> None:
    served = {target.repository_key for target in store.targets.all()}
    try:
        check_roots(settings, str(config), served_before=served)
    except ConfigError as error:
        if config is not None:
            raise
        raise _Problem(f"the folder {error.problems[0].partition(': ')[2]}.") from error


def _copy_example() -> Path:
    copy = Path(EXAMPLE_COPY)
    if not copy.exists():
        shutil.copytree(EXAMPLE, copy)
        _say(f"The example notes are in {copy.resolve()}; they are yours to change.")
    return copy


def _state_directory(chosen: Path | None) -> Path:
    return (chosen or platformdirs.user_state_path("davbridge")).expanduser().resolve()


def _account(store: StateStore) -> tuple[str, str | None]:
    """Return who signs in, and the password if it was only just made up."""
    user = _checked_user(os.environ.get("DAVBRIDGE_USER") or DEFAULT_USER)
    given = os.environ.get("DAVBRIDGE_PASSWORD")
    stored = store.users.get(user)
    if given:
        _warn_of_letters(given)
        if stored is None or not is_password(given, stored):
            store.users.put(user, hash_password(given))
        return user, None
    if stored is not None:
        return user, None
    password = new_password()
    store.users.put(user, hash_password(password))
    return user, password


def _checked_user(user: str) -> str:
    if ":" in user or not user.isprintable():
        raise _Problem("a user name cannot hold a colon or a control character.")
    return user


def _ask_password(user: str) -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline().rstrip("\r\n")
    text = f"New password of {user} (nothing: make one up)"
    return str(typer.prompt(text, hide_input=True, default="", show_default=False))


def _warn_of_letters(password: str) -> None:
    try:
        password.encode("latin-1")
    except UnicodeEncodeError:
        _warn("Joplin can send Latin letters only (ISO 8859-1), so this password will fail there.")


class _Problem(Exception):
    """One sentence for a person."""


class _Stopped(Exception):
    """Ctrl-C or SIGTERM before the server was up."""


class _Stop(threading.Event):
    """Set when the process was asked to end."""


def _stop_on_signals() -> _Stop:
    stop = _Stop()

    def ask(number: int, _frame: FrameType | None) -> None:
        stop.set()
        signal.signal(number, signal.SIG_DFL)  # whoever asks twice means it

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, ask)
    return stop


@contextlib.contextmanager
def _one_sentence() -> Iterator[None]:
    """Turn what a person can do something about into one sentence and exit code 1."""
    try:
        yield
    except _Stopped:
        return
    except RepositoryUnavailable as error:
        _fail(f"the notes cannot be served: {error.reason}.")
    except (ConfigError, ServerError, StateError, _Problem) as error:
        _fail(str(error))


def _fail(sentence: str) -> NoReturn:
    _warn(sentence)
    raise typer.Exit(1)


def _say(text: str) -> None:
    print(text, flush=True)  # noqa: T201 - the command line is where davbridge prints


def _warn(text: str) -> None:
    print(f"davbridge: {text}", file=sys.stderr, flush=True)  # noqa: T201


def _start_log(*, verbose: bool) -> None:
    handler: logging.Handler = logging.StreamHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    level: Any = logging.DEBUG if verbose else logging.INFO
    for package in ("davbridge", "adapters", "state"):
        logging.getLogger(package).setLevel(level)
    logging.getLogger("wsgidav").setLevel(logging.CRITICAL)  # davbridge logs these itself
