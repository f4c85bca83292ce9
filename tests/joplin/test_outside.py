"""Changes made by other programs: the same ids, new times, nothing twice and nothing lost."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.contract import RepositoryUnavailable
from davbridge.joplin.items import ItemType
from tests.joplin.world import World, item_id


@pytest.fixture
def filled(world: World) -> World:
    """Two folders with notes, known to a client."""
    world.add_outside("A")
    world.add_outside("A/one", "text one\n")
    world.add_outside("A/two", "text two\n")
    world.add_outside("B")
    world.add_outside("B/three", "text three\n")
    world.wait(1)
    for key in world.listing():
        world.get(key)
    world.wait(10)
    return world


def test_new_files_are_listed(filled: World) -> None:
    """R-J-30: folders become notebooks, documents notes, with title, text and parent."""
    titles = filled.titles()
    assert sorted(titles) == ["A", "B", "one", "three", "two"]
    one = filled.get(titles["one"])
    assert (one.title, one.body, one.parent_id) == ("one", "text one\n", titles["A"])


def test_an_edit_outside_reaches_clients(filled: World) -> None:
    """C012: an edit gets a later listing time and a later `updated_time`; the id stays."""
    one = filled.titles()["one"]
    before, item = filled.listing(), filled.get(one)
    filled.repository.edit_outside(filled.area("A/one"), "edited\n")
    after = filled.listing()
    assert after[one] > before[one]
    assert {k: v for k, v in after.items() if k != one} == {
        k: v for k, v in before.items() if k != one
    }
    assert filled.get(one).body == "edited\n"
    assert item.updated_ms < filled.get(one).updated_ms <= filled.now_ms


def test_two_edits_within_one_second(filled: World) -> None:
    """R-J-51: a second edit within the same second is listed with a later time again."""
    one = filled.titles()["one"]
    filled.repository.edit_outside(filled.area("A/one"), "first\n")
    first = filled.listing()[one]
    filled.repository.edit_outside(filled.area("A/one"), "second\n")
    assert filled.listing()[one] > first
    assert filled.get(one).body == "second\n"


def test_a_rename_outside_keeps_the_id(filled: World) -> None:
    """R-J-44: a renamed file is the same note with another title."""
    before = filled.titles()
    filled.repository.rename_outside(filled.area("A/one"), "uno")
    after = filled.titles()
    assert after["uno"] == before["one"]
    assert len(after) == len(before)


def test_a_move_outside_keeps_the_id(filled: World) -> None:
    """R-J-44: a moved file is the same note in another notebook."""
    before = filled.titles()
    filled.repository.move_outside(filled.area("A/one"), filled.area("B"))
    assert filled.titles() == before
    assert filled.get(before["one"]).parent_id == before["B"]


def test_a_renamed_folder_changes_one_item(filled: World) -> None:
    """R-J-42, scenario 18: renaming a folder changes the folder's item and no other."""
    before, titles = filled.listing(), filled.titles()
    filled.repository.rename_outside(filled.area("A"), "Alpha")
    after = filled.listing()
    assert {k for k in after if after[k] != before[k]} == {titles["A"]}
    assert filled.get(titles["A"]).title == "Alpha"


def test_a_rename_with_an_edit_keeps_the_id(filled: World) -> None:
    """R-J-44: the storage's own identity recognises a file that was renamed and edited by name."""
    before = filled.titles()
    moved = filled.repository.move_outside(filled.area("A/one"), filled.area("B"))
    filled.repository.edit_outside(moved, "other words\n")
    assert filled.titles() == before


def test_changes_while_the_server_was_down(filled: World) -> None:
    """C023: renames and edits made while nothing ran are found at start; ids stay."""
    before = filled.titles()
    filled.close()
    filled.repository.move_outside(filled.area("A/one"), filled.area("B"))
    filled.repository.rename_outside(filled.area("B/three"), "drei")
    filled.repository.edit_outside(filled.area("A/two"), "second edition\n")
    filled.repository.forget_changes()
    filled.store = type(filled.store).open(filled.state)
    filled.target = filled._open()
    filled.target.index()
    after = filled.titles()
    assert after["one"] == before["one"]
    assert after["drei"] == before["three"]
    assert filled.get(after["two"]).body == "second edition\n"
    assert len(after) == len(before)


def test_a_quiet_restart_changes_no_time(filled: World) -> None:
    """R-J-90: a restart without changes leaves every listing time and every byte."""
    before = filled.listing()
    bodies = {key: filled.target.item(key) for key in before}
    filled.wait(100)
    filled.restart()
    assert filled.listing() == before
    assert {key: filled.target.item(key) for key in before} == bodies


def test_a_deleted_file_leaves_after_the_grace(filled: World) -> None:
    """MODEL 2.11: a file that is gone stays listed for a while, then leaves."""
    one = filled.titles()["one"]
    filled.repository.delete_outside(filled.area("A/one"))
    assert one in filled.listing()
    assert filled.get(one).body == "text one\n"
    filled.wait(121)
    assert one not in filled.listing()
    assert filled.target.item(one) is None


def test_a_file_that_comes_back_is_the_same_note(filled: World) -> None:
    """R-J-45, C021: a file that is away for a moment, or for long, has its id again."""
    one = filled.titles()["one"]
    filled.repository.delete_outside(filled.area("A/one"))
    filled.listing()
    filled.add_outside("A/one", "saved anew\n")
    assert filled.titles()["one"] == one
    assert filled.get(one).body == "saved anew\n"
    filled.repository.delete_outside(filled.area("A/one"))
    filled.listing()
    filled.wait(121)
    assert one not in filled.listing()
    filled.add_outside("A/one", "later\n")
    assert filled.titles()["one"] == one


def test_a_notebook_leaves_together_with_its_notes(filled: World) -> None:
    """PROTOCOL rule 8: a folder that is gone never leaves the listing before its notes."""
    titles = filled.titles()
    filled.repository.delete_outside(filled.area("B"))
    filled.listing()
    filled.wait(121)
    assert set(filled.listing()) == {titles[t] for t in ("A", "one", "two")}


def test_everything_gone_is_an_error_not_an_empty_listing(filled: World) -> None:
    """MODEL 2.11: when everything is missing nothing is listed as gone; back again, all is."""
    before = filled.listing()
    moved = [(name, filled.texts()[name]) for name in filled.texts() if not name.endswith("/")]
    for folder in ("A", "B"):
        filled.repository.delete_outside(filled.area(folder))
    for _ in range(2):
        with pytest.raises(RepositoryUnavailable):
            filled.listing()
        with pytest.raises(RepositoryUnavailable):
            filled.put(filled.note(99, "x", parent=item_id(98)))
        filled.wait(1000)
    filled.add_outside("A")
    filled.add_outside("B")
    for name, text in moved:
        filled.add_outside(name, text)
    assert set(filled.listing()) == set(before)


def test_a_confirmed_disappearance_goes_through(filled: World) -> None:
    """MODEL 2.11: once a person confirms it, what is missing leaves the listing."""
    for folder in ("A", "B"):
        filled.repository.delete_outside(filled.area(folder))
    with pytest.raises(RepositoryUnavailable):
        filled.listing()
    target_id = filled.store.targets.all()[0].id
    assert filled.store.findings(target_id).confirm("guard") == 1
    assert filled.listing() == {}


def test_a_source_that_is_away_serves_nothing_wrong(filled: World) -> None:
    """PROTOCOL rule 9: while the repository cannot be read, everything is an error."""
    before = filled.listing()
    one = filled.titles()["one"]
    filled.repository.make_unavailable()
    with pytest.raises(RepositoryUnavailable):
        filled.listing()
    with pytest.raises(RepositoryUnavailable):
        filled.target.item(one)
    filled.repository.make_available()
    assert filled.listing() == before


def test_an_edit_nobody_saw_survives_an_upload(filled: World) -> None:
    """C018: an outside edit that no listing offered yet is kept as a note of its own."""
    one = filled.titles()["one"]
    item = filled.get(one)
    filled.repository.edit_outside(filled.area("A/one"), "outside words\n")
    filled.wait(1)
    filled.put(
        item.with_changes(
            body="client words\n", updated_time=filled.note(1, "x").get("updated_time")
        )
    )
    texts = filled.texts()
    assert texts["A/one"] == "client words\n"
    siblings = [name for name in texts if name.startswith("A/one (conflict")]
    assert [texts[name] for name in siblings] == ["outside words\n"]
    assert sorted(filled.titles())[:4] == ["A", "B", "one", siblings[0].removeprefix("A/")]


def test_many_new_files_are_spread_over_seconds(tmp_path: Path) -> None:
    """PROTOCOL 4.1: no more than fifty items share a listing second; the first lie in the past."""
    world = World(tmp_path / "state")
    world.add_outside("A")
    for number in range(180):
        world.add_outside(f"A/n{number}", f"text {number}")
    world.start()
    times = list(world.listing().values())
    assert max(times) <= world.time
    assert max(times.count(second) for second in set(times)) <= 50
    world.close()


def test_first_index_takes_times_from_the_storage(filled: World) -> None:
    """R-J-54: a note seen for the first time carries the time its storage knows."""
    times = [filled.get(key).updated_ms for key in filled.listing()]
    assert all(0 < ms <= filled.now_ms for ms in times)
    assert {filled.get(k).type for k in filled.listing()} == {ItemType.NOTE, ItemType.FOLDER}
