"""The table of contents: every kind of repository and share is named here, once, and built."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from adapters import filebased
from adapters.contract import IndexRow, KnowledgeRepository
from davbridge.config import RepositorySettings, Settings, ShareSettings
from davbridge.dav import ShareProvider, clear_spool
from davbridge.dav.errors import Application
from davbridge.joplin.share import JoplinShare
from davbridge.joplin.target import Counts, Target, open_target
from davbridge.signin import Gatekeeper
from davbridge.webapp import build_application
from state import StateStore

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class OpenRepository:
    """A repository, and what its target is found by: a key, and the root's device and inode."""

    repository: KnowledgeRepository
    key: str
    root: tuple[int, int] | None


def _open_filebased(
    settings: RepositorySettings, store: StateStore, stack: ExitStack
) -> OpenRepository:
    root = settings.root.resolve()
    repository = filebased.open_repository(
        root=root,
        name=settings.name,
        read_only=settings.read_only,
        index=store.index_of(IndexRow),
    )
    stack.callback(repository.close)
    identity = None
    with suppress(OSError):  # not there yet, see `check_roots`
        found = root.stat()
        identity = found.st_dev, found.st_ino
    return OpenRepository(repository, key=str(root), root=identity)


def _open_joplin(
    settings: ShareSettings, opened: OpenRepository, store: StateStore, stack: ExitStack
) -> tuple[ShareProvider, Target]:
    target = open_target(
        opened.repository,
        store,
        settings=settings,
        repository_key=opened.key,
        root=opened.root,
        now=time.time,
    )
    stack.callback(target.close)
    return JoplinShare(target), target


REPOSITORIES: Final = {"filebased": _open_filebased}
SHARES: Final = {"joplin": _open_joplin}


@dataclass(frozen=True, slots=True)
class Bridge:
    """A house that is built: what it serves, at which path, and to whom."""

    application: Application
    targets: Mapping[str, Target]

    def index(self, progress: Progress | None = None) -> dict[str, Counts]:
        """Take in every repository and return what each share then holds, by path."""
        return {path: target.index(progress) for path, target in self.targets.items()}

    def start(self) -> None:
        """Begin to follow changes that other programs make."""
        for target in self.targets.values():
            target.start()


@contextmanager
def open_bridge(settings: Settings, store: StateStore, *, state: Path) -> Iterator[Bridge]:
    """Build everything `settings` names; at the end, close it in the opposite order.

    `state` is the directory of `store`. Requests must have ended before the end.
    """
    with ExitStack() as stack:
        spool = state / "spool"
        clear_spool(spool, now=time.time())
        repositories = {
            name: REPOSITORIES[repository.kind](repository, store, stack)
            for name, repository in settings.repositories.items()
        }
        shares: dict[str, ShareProvider] = {}
        targets: dict[str, Target] = {}
        for share in settings.shares:
            opened = repositories[share.repository]
            shares[share.path], targets[share.path] = SHARES[share.kind](
                share, opened, store, stack
            )
        application = build_application(shares, Gatekeeper(store.users), spool=spool)
        yield Bridge(application, targets)
