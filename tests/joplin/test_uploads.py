"""Uploads: what a client puts, everybody gets back, and the repository follows."""

from __future__ import annotations

import pytest

from adapters.contract import MutationFailure
from davbridge.joplin.codec import encode_upload
from davbridge.joplin.items import ItemError
from tests.joplin.world import World, item_id


def test_a_note_before_its_notebook(world: World) -> None:
    """Scenario 1: a note that comes first waits, is served, and is placed with its notebook."""
    note = world.note(1, "Bread", "Flour\n", parent=item_id(2))
    world.put(note)
    assert world.texts() == {}
    assert world.target.item(note.id).content == encode_upload(note)  # type: ignore[union-attr]
    world.put(world.folder(2, "Recipes"))
    assert world.texts() == {"Recipes/": "", "Recipes/Bread": "Flour\n"}


def test_a_note_changes_its_notebook(world: World) -> None:
    """Scenario 2: another parent moves the area, and nothing stays behind."""
    world.put(world.folder(1, "A"))
    world.put(world.folder(2, "B"))
    world.put(world.note(3, "N", "x", parent=item_id(1)))
    world.wait(1)
    world.put(world.note(3, "N", "x", parent=item_id(2)))
    assert world.texts() == {"A/": "", "B/": "", "B/N": "x"}


def test_get_gives_what_was_put(world: World) -> None:
    """R-J-91, scenario 4: the bytes of an upload come back, twice and after a restart."""
    world.put(world.folder(1, "A"))
    note = world.note(2, "a/b\\c: d? *e* <f> |g|", "\n\n x \r\n\n", parent=item_id(1))
    world.put(note)
    listed = world.listing()
    world.restart()
    assert world.target.item(note.id).content == encode_upload(note)  # type: ignore[union-attr]
    assert world.listing() == listed


def test_the_same_upload_twice(world: World) -> None:
    """Scenario 12: an upload that is repeated after a lost answer changes nothing."""
    world.put(world.folder(1, "A"))
    note = world.note(2, "N", "x", parent=item_id(1))
    assert world.put(note) is True
    listed = world.listing()
    assert world.put(note) is False
    assert world.listing() == listed
    assert world.texts() == {"A/": "", "A/N": "x"}


def test_equal_titles_get_different_names(world: World) -> None:
    """R-J-57, C027: equal titles are kept exactly, their areas have different names."""
    world.put(world.folder(1, "A"))
    for number in (2, 3, 4):
        world.put(world.note(number, "Same", f"{number}", parent=item_id(1)))
    assert world.texts() == {"A/": "", "A/Same": "2", "A/Same (2)": "3", "A/Same (3)": "4"}
    assert [world.get(n).title for n in (2, 3, 4)] == ["Same", "Same", "Same"]
    assert world.target.delete_item(item_id(2))
    assert sorted(world.texts()) == ["A/", "A/Same (2)", "A/Same (3)"]


def test_a_rename_takes_the_title_when_it_is_free(world: World) -> None:
    """MODEL 2.6: a title that changes chooses a name anew; one that stays keeps its name."""
    world.put(world.folder(1, "A"))
    world.put(world.note(2, "Same", "2", parent=item_id(1)))
    world.put(world.note(3, "Same", "3", parent=item_id(1)))
    world.target.delete_item(item_id(2))
    world.wait(1)
    world.put(world.note(3, "Same", "edited", parent=item_id(1)))
    assert world.texts() == {"A/": "", "A/Same (2)": "edited"}
    world.wait(1)
    world.put(world.note(3, "Other", "edited", parent=item_id(1)))
    assert world.texts() == {"A/": "", "A/Other": "edited"}


def test_an_older_upload_does_not_replace_newer_text(world: World) -> None:
    """MODEL 2.7: "re-upload local data" gets the newer text back and is kept as a version."""
    world.put(world.folder(1, "A"))
    old = world.note(2, "N", "old", parent=item_id(1))
    world.put(old)
    world.wait(10)
    world.put(world.note(2, "N", "new", parent=item_id(1)))
    before = world.listing()[item_id(2)]
    world.put(old)
    assert world.texts()["A/N"] == "new"
    assert world.get(2).body == "new"
    assert world.listing()[item_id(2)] > before
    target_id = world.store.targets.all()[0].id
    whys = [version.why for version in world.store.versions(target_id).list(item_id(2))]
    assert "older" in whys


def test_a_time_in_the_future_is_served_as_now(world: World) -> None:
    """PROTOCOL 5.2: no item is served with an `updated_time` later than now."""
    world.put(world.folder(1, "A"))
    world.put(world.note(2, "N", "x", parent=item_id(1), ms=world.now_ms + 3_600_000))
    assert world.get(2).updated_ms == world.now_ms


def test_an_unreadable_item_is_refused(world: World) -> None:
    """MODEL 2.9: what no client could read is refused with one sentence; nothing is stored."""
    with pytest.raises(ItemError):
        world.target.store_item(item_id(1), b"no properties at all")
    with pytest.raises(ItemError):
        world.target.store_item(item_id(1), encode_upload(world.note(2, "N")))
    assert world.listing() == {}


def test_a_note_without_a_notebook_gets_one(world: World) -> None:
    """R-J-32: a note without a parent goes to the root's notebook, where people see it."""
    world.put(world.note(1, "Loose", "x"))
    assert world.texts() == {"Loose": "x"}
    parent = world.get(world.get(1).parent_id)
    assert parent.title == "Library"


def test_an_orphan_gets_a_notebook_after_a_while(world: World) -> None:
    """MODEL 2.5: after ten minutes a note without its notebook goes to the root's notebook."""
    world.put(world.note(1, "Lost", "x", parent=item_id(9)))
    before = world.listing()[item_id(1)]
    world.wait(601)
    assert world.listing()[item_id(1)] > before
    assert world.texts() == {"Lost": "x"}
    assert world.get(world.get(1).parent_id).title == "Library"


def test_other_types_are_kept_as_they_came(world: World) -> None:
    """R-J-23: tags, note-tags and revisions are served byte for byte and touch no file."""
    raw = (
        f"blue\n\nid: {item_id(5)}\ncreated_time: 2026-01-01T00:00:00.000Z\n"
        "updated_time: 2026-01-01T00:00:00.000Z\nuser_created_time: \nuser_updated_time: \n"
        "encryption_cipher_text: \nencryption_applied: 0\nis_shared: 0\nparent_id: \n"
        "user_data: \ntype_: 5"
    ).encode()
    world.target.store_item(item_id(5), raw)
    assert world.target.item(item_id(5)).content == raw  # type: ignore[union-attr]
    assert world.texts() == {}
    assert item_id(5) in world.listing()


def test_a_locked_file_waits(world: World) -> None:
    """MODEL 2.8: while one file is locked its upload is kept and served; it is written later."""
    world.put(world.folder(1, "A"))
    world.put(world.note(2, "N", "old", parent=item_id(1)))
    world.wait(1)
    world.repository.fail_next(MutationFailure.UNAVAILABLE, method="try_replace")
    world.put(world.note(2, "N", "new", parent=item_id(1)))
    assert world.texts()["A/N"] == "old"
    assert world.get(2).body == "new"
    world.target.tend()
    assert world.texts()["A/N"] == "new"


def test_a_read_only_place_keeps_its_text(world: World) -> None:
    """MODEL 2.8: what is refused for good is restamped with the repository's text, kept, found."""
    world.put(world.folder(1, "A"))
    world.put(world.note(2, "N", "old", parent=item_id(1)))
    world.repository.set_read_only(world.repository.get_areas(False, "/")[0])
    world.wait(1)
    world.put(world.note(2, "N", "new", parent=item_id(1)))
    assert world.get(2).body == "old"
    assert world.get(2).updated_ms > world.now_ms - 1000
    target_id = world.store.targets.all()[0].id
    assert [f.item_id for f in world.store.findings(target_id).list()] == [item_id(2)]
