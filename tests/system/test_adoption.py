"""A Joplin that already holds the notes of the folder meets the server for the first time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.system.bridge import Bridge
from tests.system.client.joplin_client import JoplinClient
from tests.system.client.smoke_data import png_bytes
from tests.system.profiles import Joplin
from tests.system.world import by_place, contents, write

pytestmark = pytest.mark.joplin


def make_folder(folder: Path) -> Path:
    """Nested notebooks, links in both directions, pictures, equal titles in different notebooks.

    No picture is shared: the client's own import would make it two attachments.
    """
    for book in ("Recipes", "Recipes/Cakes", "Travel"):
        for number in range(4):
            write(folder / book / f"note {number}.md", f"# Note {number}\n\nIn {book}.\n")
    write(folder / "Recipes" / "index.md", "See [one](note%201.md), [cake](Cakes/note%202.md).\n")
    write(folder / "Recipes" / "Cakes" / "up.md", "[Up](../index.md) ![cake](cake.png)\n")
    write(folder / "Travel" / "trip.md", "![map](map.png)\n")
    (folder / "Recipes" / "Cakes" / "cake.png").write_bytes(png_bytes(11))
    (folder / "Travel" / "map.png").write_bytes(png_bytes(12))
    return folder


def nothing_twice(client: JoplinClient, folder: Path, before: dict[str, bytes]) -> None:
    """The folder is as it was, and the client has one note a file, one picture a picture."""
    assert before == contents(folder)
    places = by_place(client)
    files = {str(Path(path).with_suffix("")) for path in before if path.endswith(".md")}
    assert files == places.keys()
    titles = Counter((row["parent_id"], row["title"]) for row in client.folders())
    assert [title for title, count in titles.items() if count > 1] == []
    pictures = sorted(content for path, content in before.items() if path.endswith(".png"))
    held = sorted(client.resource_bytes(row["id"]) or b"" for row in client.resources())
    assert pictures == held
    assert client.conflicts() == []


def test_an_imported_folder_is_not_there_twice(
    joplin: Joplin, bridges: Callable[..., Bridge], tmp_path: Path
) -> None:
    """A client that imported the folder's Markdown files takes them for the same notes."""
    folder = make_folder(tmp_path / "Notes")
    before = contents(folder)
    bridge = bridges(folder)
    client = joplin.client(bridge.remote_url)
    client.import_markdown([folder / "Recipes", folder / "Travel"])
    ids = {note["id"] for note in client.notes()}
    first = client.sync()
    assert first.ok, first.errors
    nothing_twice(client, folder, before)
    assert ids == {note["id"] for note in client.notes()}
    again = client.sync()
    assert again.is_noop, again.summary()
    newcomer = joplin.client(bridge.local_url)
    result = newcomer.sync()
    assert result.ok, result.errors
    nothing_twice(newcomer, folder, before)


def test_an_own_export_is_not_there_twice(
    joplin: Joplin, bridges: Callable[..., Bridge], tmp_path: Path
) -> None:
    """A client whose export became the served folder finds its own notes there."""
    author = joplin.client("http://127.0.0.1:1/joplin/")
    author.import_markdown(
        [make_folder(tmp_path / "First") / name for name in ("Recipes", "Travel")]
    )
    ids = {note["id"] for note in author.notes()}
    folder = tmp_path / "Export"
    author.export_markdown(folder)
    before = contents(folder)
    assert len([path for path in before if path.endswith(".md")]) == len(ids)
    bridge = bridges(folder)
    author.configure(bridge.local_url, "davbridge", "a password for tests")
    first = author.sync()
    assert first.ok, first.errors
    nothing_twice(author, folder, before)
    assert ids == {note["id"] for note in author.notes()}


def test_an_export_imported_elsewhere_is_not_there_twice(
    joplin: Joplin, bridges: Callable[..., Bridge], tmp_path: Path
) -> None:
    """A second device that imported what the first exported syncs without doubles."""
    folder = make_folder(tmp_path / "Notes")
    bridge = bridges(folder)
    first = joplin.client(bridge.local_url)
    assert first.sync().ok
    first.export_markdown(tmp_path / "Export")
    served = make_folder(tmp_path / "Again")
    before = contents(served)
    other = bridges(served)
    second = joplin.client(other.remote_url)
    second.import_markdown([tmp_path / "Export" / name for name in ("Recipes", "Travel")])
    result = second.sync()
    assert result.ok, result.errors
    nothing_twice(second, served, before)
