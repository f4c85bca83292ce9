"""A real folder of some hundred notes: it appears completely, and one word stays one word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.system.bridge import Bridge
from tests.system.client.joplin_client import JoplinClient
from tests.system.library import WORD, Document, Library, make_library
from tests.system.profiles import Joplin
from tests.system.world import by_place, difference, on_disk, write

pytestmark = pytest.mark.joplin

ROOT = "Bibliothek"
OTHER_FORMS = """\
![in a link][pic]
[![badge](../Rezepte/Bilder/my%20picture%201.png)](../Rezepte/Plain%20note.md)
<img src="../Rezepte/Bilder/my%20picture%201.png" width="20"/>
[a definition][note] and [a folder](../Rezepte/)

[pic]: ../Rezepte/Bilder/my%20picture%201.png
[note]: ../Rezepte/Plain%20note.md "title"
"""


class Shelf(NamedTuple):
    """The library, the server over it, and a client on each address that has synced once."""

    library: Library
    bridge: Bridge
    local: JoplinClient
    remote: JoplinClient

    def document(self, place: str) -> Document:
        return next(d for d in self.library.documents.values() if d.place == place)

    def edit(self, client: JoplinClient, documents: list[Document], exchange: Exchange) -> set[str]:
        """Exchange the body of notes in a client, sync, and return the paths that changed."""
        before, notes = on_disk(self.bridge.folder), by_place(client, root=ROOT)
        client.edit_notes(
            {
                notes[document.place]["id"]: {"body": exchange(notes[document.place]["body"])}
                for document in documents
            }
        )
        result = client.sync()
        assert result.ok, result.errors
        return difference(before, on_disk(self.bridge.folder))


Exchange = Callable[[str], str]


@pytest.fixture(scope="module")
def shelf(
    joplin: Joplin,
    bridges: Callable[..., Bridge],
    tmp_path_factory: pytest.TempPathFactory,
) -> Shelf:
    folder = tmp_path_factory.mktemp("library") / ROOT
    library = make_library()
    library.write(folder)
    write(folder / "Other forms" / "forms.md", OTHER_FORMS)
    bridge = bridges(folder, {})
    shelf = Shelf(
        library, bridge, joplin.client(bridge.local_url), joplin.client(bridge.remote_url)
    )
    for client in (shelf.local, shelf.remote):
        result = client.sync()
        assert result.ok, result.errors
    return shelf


def test_every_note_is_at_its_place(shelf: Shelf) -> None:
    """Each Markdown file is one note in the notebook of its folder; hidden files are nobody's."""
    places = {document.place for document in shelf.library.documents.values()}
    assert places | {"Other forms/forms"} == by_place(shelf.local, root=ROOT).keys()


def test_every_text_is_exact(shelf: Shelf) -> None:
    """A body is the text of its file, byte for byte, but for the targets of its links."""
    notes = by_place(shelf.local, root=ROOT)
    different = [
        document.place
        for document in shelf.library.documents.values()
        if document.linked_ids(notes[document.place]["body"]) is None
    ]
    assert [] == different


def test_every_link_between_notes_works(shelf: Shelf) -> None:
    """A link to a file is a link to the note that the file became."""
    notes = by_place(shelf.local, root=ROOT)
    wrong = [
        (document.place, link.on_disk)
        for document in shelf.library.documents.values()
        for link, found in _resolved(document, notes[document.place]["body"])
        if link.target.suffix == ".md"
        and found != notes[shelf.library.documents[str(link.target)].place]["id"]
    ]
    assert [] == wrong


def test_every_picture_is_an_attachment_with_equal_bytes(shelf: Shelf) -> None:
    """An image is one attachment, however many notes show it, with the bytes of its file."""
    notes, shown = by_place(shelf.local, root=ROOT), {}
    for document in shelf.library.documents.values():
        for link, found in _resolved(document, notes[document.place]["body"]):
            if link.target.suffix == ".png":
                shown.setdefault(str(link.target), set()).add(found)
    assert [] == [path for path, ids in shown.items() if len(ids) != 1]
    attachments = {path: shelf.local.resource_bytes(next(iter(ids))) for path, ids in shown.items()}
    assert {path: shelf.library.images[path] for path in shown} == attachments
    assert len(shown) == len(shelf.local.resources())


def test_other_forms_of_links_work(shelf: Shelf) -> None:
    """Reference definitions, HTML images, pictures in links and links to folders lead to items."""
    notes = by_place(shelf.local, root=ROOT)
    note = notes["Rezepte/Plain note"]["id"]
    folder = notes["Rezepte/Plain note"]["parent_id"]
    picture = shelf.library.images["Rezepte/Bilder/my picture 1.png"]
    [image] = [
        row["id"]
        for row in shelf.local.resources()
        if shelf.local.resource_bytes(row["id"]) == picture
    ]
    expected = (
        OTHER_FORMS.replace("../Rezepte/Bilder/my%20picture%201.png", f":/{image}")
        .replace("../Rezepte/Plain%20note.md", f":/{note}")
        .replace("../Rezepte/)", f":/{folder})")
    )
    assert expected == notes["Other forms/forms"]["body"]


def test_both_kinds_of_client_see_the_same(shelf: Shelf) -> None:
    """The change detection a client uses makes no difference to what it gets."""
    local, remote = shelf.local.snapshot(), shelf.remote.snapshot()
    assert local == remote


def test_syncing_again_touches_nothing(shelf: Shelf) -> None:
    """Without an edit no byte and no time changes, neither on disk nor in the listing."""
    files, listing = on_disk(shelf.bridge.folder), shelf.bridge.dav().listing()
    results = [client.sync() for client in (shelf.local, shelf.remote)]
    assert ["no changes", "no changes"] == [result.summary() for result in results]
    assert files == on_disk(shelf.bridge.folder)
    assert listing == shelf.bridge.dav().listing()


def test_one_word_is_one_word(shelf: Shelf) -> None:
    """One word edited in Joplin changes one word in one file; R-F-30."""
    document = next(d for d in shelf.library.documents.values() if len(d.links) == 5)
    changed = shelf.edit(shelf.local, [document], lambda body: body.replace(WORD, "Zugvogel"))
    assert {str(document.path)} == changed
    assert document.bytes.replace(WORD.encode(), b"Zugvogel") == _file(shelf, document)


def test_line_ends_marks_and_blocks_stay(shelf: Shelf) -> None:
    """CRLF, byte order marks, front matter and a missing last newline survive an edit (C046)."""
    documents = [
        next(d for d in shelf.library.documents.values() if condition(d))
        for condition in (
            lambda d: d.newline == "\r\n" and not d.bom,
            lambda d: d.bom and d.newline == "\n",
            lambda d: d.bytes.startswith(b"---"),
            lambda d: not d.bytes.endswith(b"\n") and d.newline == "\n" and len(d.links) == 4,
        )
    ]
    changed = shelf.edit(shelf.remote, documents, lambda body: body.replace(WORD, "Strichvogel"))
    assert {str(document.path) for document in documents} == changed
    for document in documents:
        assert document.bytes.replace(WORD.encode(), b"Strichvogel") == _file(shelf, document)


def test_an_editor_that_drops_carriage_returns_does_not_rewrite_the_file(shelf: Shelf) -> None:
    """A CRLF file stays CRLF when the client gives the text back with LF; R-F-31."""
    document = [d for d in shelf.library.documents.values() if d.newline == "\r\n"][-1]
    changed = shelf.edit(
        shelf.local,
        [document],
        lambda body: body.replace("\r\n", "\n").replace(WORD, "Wasservogel"),
    )
    assert {str(document.path)} == changed
    assert document.bytes.replace(WORD.encode(), b"Wasservogel") == _file(shelf, document)


def _resolved(document: Document, body: str) -> list[tuple]:
    ids = document.linked_ids(body) or []
    return list(zip(document.links, ids, strict=False))


def _file(shelf: Shelf, document: Document) -> bytes:
    return Path(shelf.bridge.folder / document.path).read_bytes()
