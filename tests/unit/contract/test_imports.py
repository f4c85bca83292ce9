"""The folders say who knows whom; these tests hold them to it (R-C-94, ARCHITECTURE)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).resolve().parents[3]
OURS = ("adapters", "state", "davbridge")
FILEBASED = ("adapters.contract", "adapters.markdown", "adapters.filebased")
SERVER_EDGE = ("davbridge/dav/", "davbridge/webapp.py", "davbridge/server.py")


def modules(*folders: str) -> Iterator[tuple[str, str]]:
    """Yield (file, module it imports) for every import below `folders`."""
    for folder in folders:
        for file in sorted((HOUSE / folder).rglob("*.py")):
            name = file.relative_to(HOUSE).as_posix()
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Import):
                    yield from ((name, alias.name) for alias in node.names)
                elif isinstance(node, ast.ImportFrom):
                    assert not node.level, f"{name} imports relatively"
                    yield from ((name, f"{node.module}.{alias.name}") for alias in node.names)


def is_within(module: str, package: str) -> bool:
    """Tell whether `module` is `package` or in it."""
    return module == package or module.startswith(package + ".")


@pytest.mark.parametrize(
    ("folder", "allowed"),
    [
        ("adapters", ("adapters",)),
        ("state", ("state",)),
        ("adapters/contract", ("adapters.contract",)),
        ("adapters/markdown", ("adapters.markdown",)),
        ("adapters/memory", ("adapters.contract", "adapters.markdown", "adapters.memory")),
        ("adapters/filebased", FILEBASED),
        ("davbridge/dav", ("adapters.contract", "state", "davbridge")),
        ("davbridge/joplin", ("adapters.contract", "adapters.markdown", "state", "davbridge")),
        ("davbridge/files", ("adapters.contract", "state", "davbridge")),
    ],
)
def test_direction(folder: str, allowed: tuple[str, ...]) -> None:
    """R-C-94: providers know no shares, shares no providers, state knows nobody."""
    wrong = [
        (file, module)
        for file, module in modules(folder)
        if any(is_within(module, package) for package in OURS)
        and not any(is_within(module, package) for package in allowed)
    ]
    assert [] == wrong


def test_server_libraries_stay_at_the_edge() -> None:
    """STYLE 16: only the edge of the house imports WsgiDAV and cheroot."""
    wrong = [
        (file, module)
        for file, module in modules(*OURS)
        if (is_within(module, "wsgidav") or is_within(module, "cheroot"))
        and not file.startswith(SERVER_EDGE)
        and not (file.startswith("davbridge/") and file.endswith("/share.py"))
    ]
    assert [] == wrong


def test_sql_stays_in_state() -> None:
    """STYLE 10: only `state` imports a database."""
    wrong = [
        (file, module)
        for file, module in modules("adapters", "davbridge")
        if is_within(module, "sqlite3") or is_within(module, "sqlite_utils")
    ]
    assert [] == wrong


def test_nothing_of_ours_is_imported_from_tests() -> None:
    """ARCHITECTURE: the three packages do not need the tests."""
    assert [] == [found for found in modules(*OURS) if is_within(found[1], "tests")]
