"""Links between notes and attachments, in whatever order things arrive."""

from __future__ import annotations

import pytest

from adapters.contract import RepositoryUnavailable
from davbridge.joplin.items import ItemType
from tests.joplin.world import World, item_id

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@pytest.fixture
def book(world: World) -> World:
    """A notebook with the id 1."""
    world.put(world.folder(1, "Book"))
    return world


def test_a_link_to_a_note_becomes_an_area_link(book: World) -> None:
    """Scenario 6, R-C-88: the repository holds the exact area, never Joplin's own form."""
    book.put(book.note(2, "Target", "t", parent=item_id(1)))
    book.put(book.note(3, "Source", f"[x](:/{item_id(2)})", parent=item_id(1)))
    assert book.texts()["Book/Source"] == f"[x](knowledge-area:{book.area('Book/Target')})"
    assert book.get(3).body == f"[x](:/{item_id(2)})"


def test_a_link_before_its_target(book: World) -> None:
    """MODEL 2.4, C041: an unknown id stays as it is and becomes a link when its note arrives."""
    source = book.note(3, "Source", f"[x](:/{item_id(2)})", parent=item_id(1))
    book.put(source)
    assert book.texts()["Book/Source"] == f"[x](:/{item_id(2)})"
    listed = book.listing()[source.id]
    book.put(book.note(2, "Target", "t", parent=item_id(1)))
    assert book.texts()["Book/Source"] == f"[x](knowledge-area:{book.area('Book/Target')})"
    assert book.listing()[source.id] == listed
    book.put(book.note(4, "Dangling", f"[x](:/{item_id(77)})", parent=item_id(1)))
    assert book.texts()["Book/Dangling"] == f"[x](:/{item_id(77)})"


def test_two_new_notes_link_to_each_other(book: World) -> None:
    """MODEL 2.4: two notes that link to each other need no special care."""
    book.put(book.note(2, "Ying", f"[x](:/{item_id(3)})", parent=item_id(1)))
    book.put(book.note(3, "Yang", f"[x](:/{item_id(2)})", parent=item_id(1)))
    assert book.texts()["Book/Ying"] == f"[x](knowledge-area:{book.area('Book/Yang')})"
    assert book.texts()["Book/Yang"] == f"[x](knowledge-area:{book.area('Book/Ying')})"


def test_a_rename_of_the_target_leaves_the_source_alone(book: World) -> None:
    """R-J-43: when a link's target moves, the linking item keeps its bytes and its time."""
    book.put(book.note(2, "Target", "t", parent=item_id(1)))
    book.put(book.note(3, "Source", f"[x](:/{item_id(2)})", parent=item_id(1)))
    before, listed = book.target.item(item_id(3)), book.listing()
    book.wait(1)
    book.put(book.note(2, "Renamed", "t", parent=item_id(1)))
    assert book.texts()["Book/Source"] == f"[x](knowledge-area:{book.area('Book/Renamed')})"
    assert book.target.item(item_id(3)) == before
    assert book.listing()[item_id(3)] == listed[item_id(3)]
    book.restart()
    assert book.target.item(item_id(3)) == before


def test_an_anchor_reaches_the_heading(book: World) -> None:
    """R-J-56: an anchor that is a heading's is stored as that heading's area."""
    book.put(book.note(2, "Target", "# Part one\n\na\n\n# Part two\n", parent=item_id(1)))
    body = f"[x](:/{item_id(2)}#part-two) [y](:/{item_id(2)}#nowhere)"
    book.put(book.note(3, "Source", body, parent=item_id(1)))
    heading = book.area("Book/Target/Part two")
    target = book.area("Book/Target")
    wanted = f"[x](knowledge-area:{heading}) [y](knowledge-area:{target}#nowhere)"
    assert book.texts()["Book/Source"] == wanted
    book.restart()
    assert book.get(3).body == body


def test_ids_in_code_are_text(book: World) -> None:
    """R-J-55: an id inside code is no link."""
    book.put(book.note(2, "Target", "t", parent=item_id(1)))
    body = f"`[x](:/{item_id(2)})`\n\n```\n[x](:/{item_id(2)})\n```\n"
    book.put(book.note(3, "Source", body, parent=item_id(1)))
    assert book.texts()["Book/Source"] == body


@pytest.mark.parametrize("order", ["note first", "note last"])
def test_a_picture_comes_in(book: World, order: str) -> None:
    """Scenario 5, F5: blob, description and note in any order give one resource and its bytes."""
    note = book.note(3, "Note", f"![p](:/{item_id(2)})", parent=item_id(1))
    if order == "note first":
        book.put(note)
        book.attachment(2, "photo.png", PNG)
    else:
        book.attachment(2, "photo.png", PNG)
        book.put(note)
    (resource,) = book.repository.get_resources(book.area("Book/Note"))
    assert book.texts()["Book/Note"] == f"![p](knowledge-resource:{resource.resource_id})"
    assert book.repository.get_resource_content(resource.resource_id) == PNG
    assert book.blob(2) == PNG
    assert book.get(3).body == note.body
    assert resource.file_name == "photo.png"


def test_a_picture_is_replaced(book: World) -> None:
    """Scenario 7, R-J-72: other bytes replace those of the same resource."""
    book.attachment(2, "photo.png", PNG)
    book.put(book.note(3, "Note", f"![p](:/{item_id(2)})", parent=item_id(1)))
    (before,) = book.repository.get_resources(book.area("Book/Note"))
    book.wait(1)
    book.attachment(2, "photo.png", PNG * 2)
    (after,) = book.repository.get_resources(book.area("Book/Note"))
    assert after.resource_id == before.resource_id
    assert book.blob(2) == PNG * 2


def test_a_picture_that_is_shown_survives_its_removal(book: World) -> None:
    """Scenario 8: removing the item leaves bytes that a note still shows."""
    book.attachment(2, "photo.png", PNG)
    book.put(book.note(3, "Note", f"![p](:/{item_id(2)})", parent=item_id(1)))
    (resource,) = book.repository.get_resources(book.area("Book/Note"))
    assert book.target.delete_blob(item_id(2))
    assert item_id(2) not in book.listing()
    assert book.repository.get_resource_content(resource.resource_id) == PNG


def test_a_resource_of_two_notes_is_one_item(book: World) -> None:
    """R-J-70: one file shown by two notes is one attachment; its numbers are right."""
    book.repository.put_resource_outside("pic", PNG, file_name="pic.png", content_type="image/png")
    book.add_outside("Book/one", "![a](knowledge-resource:pic)")
    book.add_outside("Book/two", "![b](knowledge-resource:pic)")
    titles = book.titles()
    picture = titles["pic.png"]
    assert book.get(titles["one"]).body == f"![a](:/{picture})"
    assert book.get(titles["two"]).body == f"![b](:/{picture})"
    item = book.get(picture)
    assert (item.type, item.get("mime"), item.get("size")) == (
        ItemType.RESOURCE,
        "image/png",
        str(len(PNG)),
    )
    assert book.blob(picture) == PNG


def test_other_bytes_on_disk_reach_clients(book: World) -> None:
    """R-J-73, scenario 14: changed bytes give new times, in digits, and the new size."""
    book.repository.put_resource_outside("pic", PNG, file_name="pic.png", content_type="image/png")
    book.add_outside("Book/one", "![a](knowledge-resource:pic)")
    picture = book.titles()["pic.png"]
    before = book.listing()[picture]
    book.repository.put_resource_outside("pic", PNG * 3)
    assert book.listing()[picture] > before
    item = book.get(picture)
    assert item.get("size") == str(len(PNG) * 3)
    assert item.get("blob_updated_time").isdigit()
    assert len(item.get("blob_updated_time")) >= 13


def test_a_lost_file_is_never_a_missing_page(book: World) -> None:
    """PROTOCOL rule 4: a listed attachment whose bytes are away is an error, never "not found"."""
    book.repository.put_resource_outside("pic", PNG, file_name="pic.png", content_type="image/png")
    book.add_outside("Book/one", "![a](knowledge-resource:pic)")
    picture = book.titles()["pic.png"]
    book.repository.put_resource_outside("pic", None)
    with pytest.raises(RepositoryUnavailable):
        book.blob(picture)
    book.listing()
    book.wait(121)
    assert picture not in book.listing()
    assert book.target.open_blob(picture) is None


def test_an_id_that_changes_with_a_move_stays_for_clients(book: World) -> None:
    """R-J-43, scenario 13: a resource that gets another id in the repository is the same item."""
    world = book
    world.put(world.folder(5, "Other"))
    world.attachment(2, "", PNG)
    world.put(world.note(3, "Note", f"![p](:/{item_id(2)})", parent=item_id(1)))
    world.wait(1)
    before = world.target.item(item_id(2))
    world.put(world.note(3, "Note", f"![p](:/{item_id(2)})", parent=item_id(5)))
    assert world.blob(2) == PNG
    assert world.target.item(item_id(2)) == before
    assert world.get(3).body == f"![p](:/{item_id(2)})"
