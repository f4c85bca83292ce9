"""What tests of others rely on in the repository in memory: failures and outside doings."""

from __future__ import annotations

import pytest

from adapters.contract import (
    AreaNotFound,
    KnowledgeAreaChange,
    KnowledgeAreaKind,
    MutationFailure,
    RepositoryUnavailable,
    is_area,
)
from adapters.memory import MemoryRepository

CONTENT, STRUCTURAL = KnowledgeAreaKind.CONTENT, KnowledgeAreaKind.STRUCTURAL


class Crash(Exception):
    """The process dies here."""


@pytest.fixture
def repository() -> MemoryRepository:
    """A repository with /F~/Doc and /Top."""
    repository = MemoryRepository()
    repository.try_add_sub_area("/", "F", STRUCTURAL)
    repository.try_add_sub_area("/F~", "Doc", CONTENT, content="text\n")
    repository.try_add_sub_area("/", "Top", CONTENT, content="[x](knowledge-area:/F~/Doc)\n")
    return repository


def test_next_mutations_fail(repository: MemoryRepository) -> None:
    """The next mutation fails as told, as often as told, and changes nothing."""
    repository.fail_next(MutationFailure.STALE, times=2)
    before = repository.dump()
    for _ in range(2):
        assert MutationFailure.STALE == repository.try_replace("/Top", "new\n").failure
    assert before == repository.dump()
    assert repository.try_replace("/Top", "new\n")


def test_only_the_named_method_fails(repository: MemoryRepository) -> None:
    """A script for one method leaves the others alone, and reads can fail too."""
    repository.fail_next(method="try_rename")
    repository.fail_next(RepositoryUnavailable("busy"), method="get_areas")
    assert repository.try_replace("/Top", "new\n")
    assert MutationFailure.UNAVAILABLE == repository.try_rename("/Top", "T").failure
    assert "new\n" == repository.get_direct_content("/Top")
    with pytest.raises(RepositoryUnavailable):
        repository.get_areas(False)
    assert ("/F~", "/Top") == repository.get_areas(False)


def test_crash_behind_the_commit(repository: MemoryRepository) -> None:
    """With `after`, the change is made and its caller never learns of it."""
    repository.fail_next(Crash(), after=True)
    cursor = repository.since(None).cursor
    with pytest.raises(Crash):
        repository.try_replace("/Top", "new\n")
    assert "new\n" == repository.get_direct_content("/Top")
    assert ("/Top",) == repository.since(cursor).touched


def test_part_can_be_away(repository: MemoryRepository) -> None:
    """An outage of one folder is told with its area; the rest works."""
    repository.make_unavailable("no mount", areas=("/F~",), retry_after=5.0)
    with pytest.raises(RepositoryUnavailable) as caught:
        repository.get_areas(True)
    assert (("/F~",), 5.0) == (caught.value.areas, caught.value.retry_after)
    assert ("/F~", "/Top") == repository.get_areas(False)
    assert repository.try_replace("/Top", "new\n")
    refused = repository.try_move_content("/Top", "/F~")
    assert MutationFailure.UNAVAILABLE == refused.failure
    repository.make_available()
    assert repository.try_move_content("/Top", "/F~")


def test_area_can_be_read_only(repository: MemoryRepository) -> None:
    """A read-only folder refuses changes in it and moves out of it; its siblings do not."""
    repository.set_read_only("/F~")
    assert not repository.get_area_capabilities("/F~/Doc").can_append_content
    for result in (
        repository.try_replace("/F~/Doc", "new\n"),
        repository.try_move_content("/F~/Doc", "/"),
        repository.try_move_content("/Top", "/F~"),
        repository.try_delete("/F~"),
    ):
        assert MutationFailure.READ_ONLY == result.failure
    assert repository.try_replace("/Top", "new\n")
    repository.set_read_only("/F~", False)
    assert repository.try_replace("/F~/Doc", "new\n")


def test_link_in_a_read_only_document_stops_a_move(repository: MemoryRepository) -> None:
    """R-C-40, R-C-73: where a reference could not follow, nothing moves."""
    repository.set_read_only("/Top")
    assert MutationFailure.READ_ONLY == repository.try_rename("/F~/Doc", "New").failure
    assert "Doc" == repository.get_area_name("/F~/Doc")


def test_read_only_part_holds_the_whole(repository: MemoryRepository) -> None:
    """R-C-40: a folder does not move or go while something below it may not."""
    repository.set_read_only("/F~/Doc")
    for result in (repository.try_rename("/F~", "G"), repository.try_delete("/F~")):
        assert MutationFailure.READ_ONLY == result.failure
    assert repository.try_add_sub_area("/F~", "New", CONTENT)


def test_replacing_a_folder_sorts_it() -> None:
    """R-C-55: documents come in payload order, folders keep their places."""
    repository = MemoryRepository()
    for name, kind in (("a", CONTENT), ("F", STRUCTURAL), ("b", CONTENT)):
        repository.try_add_sub_area("/", name, kind)
    assert repository.try_replace("/", "# b\n\n# c\n\n# a\n")
    assert ["b", "F", "c", "a"] == [
        repository.get_area_name(a) for a in repository.get_areas(False)
    ]


@pytest.mark.parametrize("name", [".", "..", "..."])
def test_names_of_dots_are_coded(name: str) -> None:
    """R-C-06: no segment means "here" or "above" to who puts a path into a URL."""
    area = MemoryRepository().try_add_sub_area("/", name, CONTENT).area
    assert "/" + name.replace(".", "%2E") == area


def test_outside_rename_keeps_the_handle(repository: MemoryRepository) -> None:
    """Another program's rename is one area gone and one come, of the same handle."""
    mark = repository.get_native_identity("/F~/Doc")
    cursor = repository.since(None).cursor
    assert "/F~/New" == repository.rename_outside("/F~/Doc", "New")
    batch = repository.since(cursor)
    assert (("/F~/Doc", "/F~/New"), ()) == (batch.touched, batch.moved)
    assert mark == repository.get_native_identity("/F~/New")
    assert "[x](knowledge-area:/F~/Doc)\n" == repository.get_direct_content("/Top")


def test_outside_move_can_be_recognised(repository: MemoryRepository) -> None:
    """A provider may know that it was a move; then the feed says so."""
    cursor = repository.since(None).cursor
    assert "/Doc" == repository.move_outside("/F~/Doc", "/", recognised=True)
    assert (KnowledgeAreaChange("/F~/Doc", "/Doc"),) == repository.since(cursor).moved


def test_outside_resource(repository: MemoryRepository) -> None:
    """A resource can appear, change and go without the repository doing it."""
    cursor = repository.since(None).cursor
    repository.put_resource_outside("pic", b"1", file_name="pic.png")
    repository.put_resource_outside("pic", b"2")
    assert b"2" == repository.get_resource_content("pic")
    assert "pic.png" == repository.get_resource("pic").file_name
    repository.put_resource_outside("pic", None)
    assert ("pic",) == repository.since(cursor).resource_ids


def test_forgotten_changes(repository: MemoryRepository) -> None:
    """After the feed forgot, every old cursor gives an incomplete batch, the new one works."""
    cursor = repository.since(None).cursor
    repository.forget_changes()
    batch = repository.since(cursor)
    assert not batch.complete
    assert repository.since(batch.cursor).complete


def test_opaque_paths_say_nothing() -> None:
    """R-C-02: opaque segments hold neither names nor kinds, and change with the name."""
    repository = MemoryRepository(opaque=True)
    area = repository.try_add_sub_area("/", "Secret name", CONTENT, content="# Heading\n").area
    assert area is not None
    (heading,) = repository.get_areas(False, area)
    assert is_area(heading)
    assert "secret" not in heading.lower()
    assert "heading" not in heading.lower()
    moved = repository.try_rename(area, "Other")
    assert moved.area not in (None, area)
    with pytest.raises(AreaNotFound):
        repository.get_area_name(area)


def test_names_can_be_as_strict_as_a_file_system() -> None:
    """R-C-51: options refuse names, and let names collide that differ in case only."""
    repository = MemoryRepository(
        allows_name=lambda name: "/" not in name, name_key=lambda name: name.casefold()
    )
    assert repository.try_add_sub_area("/", "Doc", CONTENT)
    taken = repository.try_add_sub_area("/", "dOC", CONTENT)
    assert MutationFailure.COLLISION == taken.failure
    assert repository.try_rename("/Doc", "DOC")
    strange = repository.try_add_sub_area("/", "a/b", CONTENT)
    assert MutationFailure.INVALID_NAME == strange.failure


def test_owned_resources_move_along() -> None:
    """R-C-44: with owned resources a rename reports new ids, and the text follows."""
    repository = MemoryRepository(owned_resources=True)
    repository.try_add_sub_area("/", "Doc", CONTENT)
    old = repository.try_add_resource("/Doc", "a.png", "image/png", b"1").resource_id
    repository.try_replace("/Doc", f"![](knowledge-resource:{old})\n")
    result = repository.try_rename("/Doc", "New")
    (change,) = result.resource_id_changes
    assert old == change.previous_resource_id
    expected = f"![](knowledge-resource:{change.current_resource_id})\n"
    assert expected == repository.get_direct_content("/New")


def test_document_limit() -> None:
    """MODEL 2.12: a text above the limit is INVALID_CONTENT; an outside one stays readable."""
    repository = MemoryRepository(document_limit=10)
    repository.try_add_sub_area("/", "Doc", CONTENT)
    assert repository.try_replace("/Doc", "0123456789")
    refused = repository.try_replace("/Doc", "0123456789x")
    assert MutationFailure.INVALID_CONTENT == refused.failure
    repository.edit_outside("/Doc", "x" * 100)
    assert 100 == len(repository.get_direct_content("/Doc"))
