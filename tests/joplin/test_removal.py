"""Removal by clients: the trash of the client, deletion for good, notebooks and their notes."""

from __future__ import annotations

import pytest

from tests.joplin.world import World, item_id


@pytest.fixture
def book(world: World) -> World:
    """A notebook (1) with two notes (2, 3)."""
    world.put(world.folder(1, "Book"))
    world.put(world.note(2, "One", "1", parent=item_id(1)))
    world.put(world.note(3, "Two", "2", parent=item_id(1)))
    world.wait(1)
    return world


def trashed(world: World, number: int, *, restored: bool = False) -> None:
    """Upload an item as a client that puts it in its trash, or takes it out again."""
    world.wait(1)
    item = world.get(number)
    stamp = world.note(9, "").get("updated_time")
    deleted = "0" if restored else str(world.now_ms)
    world.put(item.with_changes(deleted_time=deleted, updated_time=stamp))


def test_a_deleted_note_goes_to_the_trash(book: World) -> None:
    """Scenario 3, C051: a deletion leaves listing and folder at once and can be had back."""
    assert book.target.delete_item(item_id(2)) is True
    assert item_id(2) not in book.listing()
    assert sorted(book.texts()) == ["Book/", "Book/Two"]
    assert book.target.item(item_id(2)) is None
    assert [entry.name for entry in book.repository.list_trash()] == ["One"]
    assert book.target.delete_item(item_id(2)) is False
    book.restart()
    assert item_id(2) not in book.listing()


def test_a_note_in_the_clients_trash_leaves_the_folder(book: World) -> None:
    """Decision 4, C051: trashed notes leave the folder, stay listed, and come back in place."""
    trashed(book, 2)
    assert sorted(book.texts()) == ["Book/", "Book/Two"]
    assert item_id(2) in book.listing()
    assert book.get(2).body == "1"
    trashed(book, 2, restored=True)
    assert book.texts() == {"Book/": "", "Book/One": "1", "Book/Two": "2"}
    assert book.repository.list_trash() == ()


def test_a_notebook_stays_until_its_notes_are_gone(book: World) -> None:
    """MODEL 2.11: a deleted notebook is listed as long as a note in it is."""
    assert book.target.delete_item(item_id(1)) is True
    assert item_id(1) in book.listing()
    book.target.delete_item(item_id(2))
    assert item_id(1) in book.listing()
    book.target.delete_item(item_id(3))
    assert book.listing() == {}
    assert book.texts() == {}


def test_a_notebook_deleted_after_its_notes(book: World) -> None:
    """R-J-82: notes first, then the notebook: everything is gone, and all is in the trash."""
    for number in (2, 3, 1):
        book.target.delete_item(item_id(number))
    assert book.listing() == {}
    assert book.texts() == {}
    assert len(book.repository.list_trash()) == 3


def test_a_notebook_whose_notes_stay_is_listed_anew(book: World) -> None:
    """R-J-82: when the notes are not deleted, the notebook comes back to the client."""
    before = book.listing()[item_id(1)]
    book.target.delete_item(item_id(1))
    book.wait(61)
    assert book.listing()[item_id(1)] > before
    assert book.texts() == {"Book/": "", "Book/One": "1", "Book/Two": "2"}


def test_a_notebook_in_the_clients_trash(book: World) -> None:
    """PROTOCOL (l): a notebook and its notes are trashed one by one, in any order."""
    trashed(book, 1)
    trashed(book, 2)
    trashed(book, 3)
    assert book.texts() == {}
    assert set(book.listing()) == {item_id(1), item_id(2), item_id(3)}
    trashed(book, 1, restored=True)
    trashed(book, 2, restored=True)
    trashed(book, 3, restored=True)
    assert book.texts() == {"Book/": "", "Book/One": "1", "Book/Two": "2"}


def test_a_restored_note_before_its_notebook(book: World) -> None:
    """Notes are uploaded before notebooks: a restored note waits for its restored notebook."""
    for number in (2, 3, 1):
        trashed(book, number)
    trashed(book, 2, restored=True)
    trashed(book, 1, restored=True)
    assert book.texts() == {"Book/": "", "Book/One": "1"}


def test_a_trashed_notebook_deleted_for_good(book: World) -> None:
    """PROTOCOL (m): only the notebook is deleted; its notes stay in the client's trash."""
    for number in (2, 3, 1):
        trashed(book, number)
    book.target.delete_item(item_id(1))
    assert set(book.listing()) == {item_id(2), item_id(3)}
    assert book.texts() == {}


def test_an_upload_of_a_deleted_note_brings_it_back(book: World) -> None:
    """A device that edited what another deleted uploads it: the note is there again, once."""
    book.target.delete_item(item_id(2))
    book.wait(1)
    book.put(book.note(2, "One", "edited", parent=item_id(1)))
    assert book.texts() == {"Book/": "", "Book/One": "edited", "Book/Two": "2"}
    assert item_id(2) in book.listing()


def test_an_edit_of_a_file_that_is_gone_is_not_lost(book: World) -> None:
    """R-J-88: a client edits a note whose file somebody removed: the text is on disk again."""
    book.listing()
    book.repository.delete_outside(book.area("Book/One"))
    book.listing()
    book.wait(1)
    book.put(book.note(2, "One", "edited", parent=item_id(1)))
    assert book.texts() == {"Book/": "", "Book/One": "edited", "Book/Two": "2"}


def test_an_edit_in_a_folder_that_is_gone_is_not_lost(book: World) -> None:
    """R-J-88: even when the whole folder was removed, the edited note is on disk again."""
    for name in "abc":
        book.add_outside(f"Other{name}")
        book.add_outside(f"Other{name}/x", name)
    book.listing()
    book.repository.delete_outside(book.area("Book"))
    book.listing()
    book.wait(1)
    book.put(book.note(2, "One", "edited", parent=item_id(1)))
    assert book.texts()["Book/One"] == "edited"


def test_a_note_that_cannot_be_removed_comes_back(book: World) -> None:
    """FORMAT 5.5: a refused deletion is answered, and the note is listed anew."""
    book.repository.set_read_only(book.area("Book"))
    before = book.listing()[item_id(2)]
    assert book.target.delete_item(item_id(2)) is True
    assert book.listing()[item_id(2)] > before
    assert book.texts()["Book/One"] == "1"


def test_notebooks_in_a_circle_can_be_deleted(book: World) -> None:
    """A notebook that is its own parent, or in a circle, is nowhere on disk, and can be deleted."""
    book.put(book.folder(20, "Self", parent=item_id(20)))
    book.put(book.folder(21, "Left", parent=item_id(22)))
    book.put(book.folder(22, "Right", parent=item_id(21)))
    for number in (20, 21, 22):
        assert book.target.delete_item(item_id(number)) is True
    assert set(book.listing()) == {item_id(1), item_id(2), item_id(3)}
