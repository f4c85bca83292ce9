"""A process that dies at any step: what was answered 2xx is there, nothing is there twice."""

from __future__ import annotations

import pytest

from tests.joplin.world import World, item_id


class Killed(Exception):
    """Stands for the end of the process."""


def killed_in(world: World, method: str, *, after: bool) -> None:
    """Let the process die in the next call of a mutation, before or after it happened."""
    world.repository.fail_next(Killed(), method=method, after=after)


@pytest.mark.parametrize("after", [False, True])
def test_killed_while_a_note_is_added(world: World, after: bool) -> None:
    """MODEL 2.2: a new note is on disk once, under its id, whenever the process died."""
    world.put(world.folder(1, "Book"))
    killed_in(world, "try_add_sub_area", after=after)
    with pytest.raises(Killed):
        world.put(world.note(2, "N", "text", parent=item_id(1)))
    world.restart()
    assert world.texts() == {"Book/": "", "Book/N": "text"}
    assert set(world.listing()) == {item_id(1), item_id(2)}


@pytest.mark.parametrize("after", [False, True])
def test_killed_while_a_notebook_is_added(world: World, after: bool) -> None:
    """MODEL 2.2: a new notebook is there once, whenever the process died."""
    killed_in(world, "try_add_sub_area", after=after)
    with pytest.raises(Killed):
        world.put(world.folder(1, "Book"))
    world.restart()
    assert world.texts() == {"Book/": ""}
    assert set(world.listing()) == {item_id(1)}


@pytest.mark.parametrize("after", [False, True])
def test_killed_while_a_text_is_replaced(world: World, after: bool) -> None:
    """MODEL 2.2: the accepted text is on disk after the restart."""
    world.put(world.folder(1, "Book"))
    world.put(world.note(2, "N", "old", parent=item_id(1)))
    world.wait(1)
    killed_in(world, "try_replace", after=after)
    with pytest.raises(Killed):
        world.put(world.note(2, "N", "new", parent=item_id(1)))
    world.restart()
    assert world.texts() == {"Book/": "", "Book/N": "new"}
    assert world.get(2).body == "new"


@pytest.mark.parametrize("after", [False, True])
def test_killed_while_a_note_moves(world: World, after: bool) -> None:
    """Scenario 22: move, rename and text of one upload are complete after the restart."""
    world.put(world.folder(1, "A"))
    world.put(world.folder(2, "B"))
    world.put(world.note(3, "N", "old", parent=item_id(1)))
    world.wait(1)
    killed_in(world, "try_move_content", after=after)
    with pytest.raises(Killed):
        world.put(world.note(3, "M", "new", parent=item_id(2)))
    world.restart()
    assert world.texts() == {"A/": "", "B/": "", "B/M": "new"}
    assert set(world.listing()) == {item_id(1), item_id(2), item_id(3)}


@pytest.mark.parametrize("after", [False, True])
def test_killed_while_a_note_is_trashed(world: World, after: bool) -> None:
    """Decision 4: a note in the client's trash is in the provider's after the restart."""
    world.put(world.folder(1, "A"))
    world.put(world.note(3, "N", "text", parent=item_id(1)))
    world.wait(1)
    stamp = world.note(9, "").get("updated_time")
    killed_in(world, "try_trash", after=after)
    with pytest.raises(Killed):
        world.put(world.get(3).with_changes(deleted_time=str(world.now_ms), updated_time=stamp))
    world.restart()
    assert world.texts() == {"A/": ""}
    assert set(world.listing()) == {item_id(1), item_id(3)}


@pytest.mark.parametrize("after", [False, True])
def test_killed_while_an_attachment_is_stored(world: World, after: bool) -> None:
    """R-J-71: the attachment's bytes reach clients whenever the process died."""
    png = b"\x89PNG" * 10
    world.put(world.folder(1, "A"))
    world.put(world.note(3, "N", f"![p](:/{item_id(7)})", parent=item_id(1)))
    killed_in(world, "try_add_resource", after=after)
    with pytest.raises(Killed):
        world.attachment(7, "p.png", png)
    world.restart()
    assert world.blob(7) == png
    assert world.get(3).body == f"![p](:/{item_id(7)})"
    assert len(world.repository.get_resources(world.area("A/N"))) == 1
