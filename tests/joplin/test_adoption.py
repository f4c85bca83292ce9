"""A device that holds the same notes already syncs for the first time: nothing is there twice."""

from __future__ import annotations

import pytest

from tests.joplin.world import World, item_id

PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))


@pytest.fixture
def library(world: World) -> World:
    """A folder on disk that no client has fetched."""
    world.repository.put_resource_outside("pic", PNG, file_name="p.png", content_type="image/png")
    world.add_outside("Recipes")
    world.add_outside(
        "Recipes/Bread", "---\ntags: [a]\n---\n\nFlour ![p](knowledge-resource:pic)\n"
    )
    world.add_outside("Recipes/a_b", "slash\n")
    world.add_outside("Loose", "on top\n")
    world.wait(100)
    assert len(world.listing()) == 6
    return world


def import_everything(world: World) -> None:
    """Upload what a client has after importing the folder: notes first, then notebooks."""
    bread = f"Flour ![p](:/{item_id(7)})\n"
    world.put(world.note(1, "Bread", bread, parent=item_id(5)))
    world.put(world.note(2, "a/b", "slash\n", parent=item_id(5)))
    world.put(world.note(3, "Loose", "on top\n", parent=item_id(6)))
    world.put(world.folder(5, "Recipes", parent=item_id(6)))
    world.put(world.folder(6, "Library"))
    world.attachment(7, "p.png", PNG)


def test_nothing_is_there_twice(library: World) -> None:
    """MODEL 2.13: places, titles and texts that are here already keep the device's ids."""
    before = library.texts()
    import_everything(library)
    assert library.texts() == before
    assert set(library.listing()) == {item_id(n) for n in (1, 2, 3, 5, 6, 7)}
    library.restart()
    assert set(library.listing()) == {item_id(n) for n in (1, 2, 3, 5, 6, 7)}


def test_the_file_is_the_truth(library: World) -> None:
    """MODEL 2.13: the adopted note shows the file's text, front matter and all."""
    import_everything(library)
    body = library.get(1).body
    assert body == f"---\ntags: [a]\n---\n\nFlour ![p](:/{item_id(7)})\n"
    assert library.blob(7) == PNG


def test_another_text_is_another_note(library: World) -> None:
    """MODEL 2.13: equal titles with different texts are two notes."""
    library.put(library.folder(5, "Recipes"))
    library.put(library.note(1, "Bread", "something else", parent=item_id(5)))
    assert library.texts()["Recipes/Bread (2)"] == "something else"


def test_what_a_client_fetched_is_not_taken_over(library: World) -> None:
    """MODEL 2.13: an item a client has keeps its id; the second device's copy is its own."""
    titles = library.titles()
    for key in titles.values():
        library.get(key)
    library.put(library.folder(5, "Recipes"))
    library.put(library.note(1, "Bread", "Flour", parent=item_id(5)))
    assert set(titles.values()) < set(library.listing())
