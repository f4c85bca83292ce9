"""The optional companions but *Changes*: revisions, identity, times, trash (MODEL, section 1)."""

from __future__ import annotations

from datetime import UTC

import pytest

from adapters.contract import (
    AreaNotFound,
    Changes,
    KnowledgeRepository,
    MutationFailure,
    NativeIdentity,
    ResourceNotFound,
    Revisions,
    Timestamps,
    Trash,
    companion,
)
from tests.contract import tools
from tests.contract.provider import Provider


class DiscoveryRules:
    """How companions are found."""

    def test_unknown_kind_is_none(self, provider: Provider) -> None:
        """MODEL 1: what is no companion is not found, however it looks."""
        assert companion(provider.repository, dict) is None
        assert companion(provider.repository, KnowledgeRepository) is None

    def test_companions_are_found(self, provider: Provider) -> None:
        """MODEL 1: storages of their own have what the shares are built on."""
        for kind in (Revisions, Changes, NativeIdentity, Timestamps, Trash):
            assert companion(provider.repository, kind) is not None


class RevisionRules:
    """*Revisions*."""

    def test_revision_changes_with_text_and_name(self, provider: Provider) -> None:
        """MODEL 1: the token changes when text or name do, and is the old one when they are."""
        repository = provider.repository
        revisions = tools.need(repository, Revisions)
        area = tools.document(repository, "/", "Doc", "one\n")
        first = revisions.get_area_revision(area)
        assert repository.try_replace(area, "two\n")
        second = revisions.get_area_revision(area)
        assert first != second
        assert repository.try_replace(area, "six\n")
        assert revisions.get_area_revision(area) not in (first, second)
        third = revisions.get_area_revision(area)
        renamed = repository.try_rename(area, "Other")
        assert renamed.area is not None
        assert third != revisions.get_area_revision(renamed.area)

    def test_revision_stays_otherwise(self, provider: Provider) -> None:
        """MODEL 1: neither reads, siblings nor resource bytes change a token."""
        repository = provider.repository
        revisions = tools.need(repository, Revisions)
        areas = tools.sample(repository)
        leaf = areas["A/Sub/Leaf"]
        resource_id = repository.get_resources(leaf)[0].resource_id
        before = revisions.get_area_revision(leaf)
        tools.picture_of(repository)
        assert repository.try_replace(areas["Top"], "changed\n")
        tools.document(repository, areas["A/Sub"], "Sibling", "new\n")
        assert repository.try_replace_resource(resource_id, "image/png", b"new")
        assert before == revisions.get_area_revision(leaf)

    def test_subtree_revision_covers_all_below(self, provider: Provider) -> None:
        """MODEL 1: with `subtree` the token stands for everything below as well."""
        repository = provider.repository
        revisions = tools.need(repository, Revisions)
        areas = tools.sample(repository)

        def tokens() -> list[str]:
            return [
                revisions.get_area_revision(areas[key], subtree=True) for key in ("root", "A", "B")
            ]

        before = tokens()
        assert before == tokens()
        calls = (
            lambda: repository.try_replace(areas["A/Sub/Leaf"], "changed\n"),
            lambda: repository.try_delete(areas["A/Doc"]),
            lambda: repository.try_rename(areas["A/Sub"], "Renamed"),
        )
        for call in calls:
            result = call()
            assert result.ok, result
            after = tokens()
            assert [True, True, False] == [a != b for a, b in zip(before, after, strict=True)]
            before = after

    def test_revision_survives_a_restart(self, provider: Provider) -> None:
        """MODEL 1: tokens of an unchanged area are equal across restarts."""
        areas = tools.sample(provider.repository)
        revisions = tools.need(provider.repository, Revisions)
        before = [
            revisions.get_area_revision(area, subtree=subtree)
            for area in areas.values()
            for subtree in (False, True)
        ]
        provider.repository = provider.reopen()
        revisions = tools.need(provider.repository, Revisions)
        after = [
            revisions.get_area_revision(area, subtree=subtree)
            for area in areas.values()
            for subtree in (False, True)
        ]
        assert before == after

    def test_revision_of_nothing_raises(self, provider: Provider) -> None:
        """R-C-90: a companion raises as a read does."""
        with pytest.raises(AreaNotFound):
            tools.need(provider.repository, Revisions).get_area_revision("/nowhere")


class IdentityRules:
    """*NativeIdentity* and *Timestamps*."""

    def test_marks_tell_areas_apart(self, provider: Provider) -> None:
        """MODEL 1: live areas have different handles; size and hash are those of the text."""
        repository = provider.repository
        identity = tools.need(repository, NativeIdentity)
        areas = tools.sample(repository)
        twin = tools.document(repository, areas["B"], "Doc", "twin\n")
        other = tools.document(repository, areas["B"], "Other", "twin\n")
        marks = [identity.get_native_identity(a) for a in (*areas.values(), twin, other)]
        known = [mark for mark in marks if mark is not None]
        assert len(marks) == len(known)
        assert len(known) == len({mark.handle for mark in known})
        assert known[-1].text_hash == known[-2].text_hash != ""
        assert 5 == known[-1].size

    def test_folder_has_a_mark(self, provider: Provider) -> None:
        """MODEL 1: of a directory the handle counts, size and hash are nothing."""
        repository = provider.repository
        mark = tools.need(repository, NativeIdentity).get_native_identity(
            tools.folder(repository, "/", "F")
        )
        assert mark is not None
        assert mark.handle
        assert (0, "") == (mark.size, mark.text_hash)

    @pytest.mark.parametrize("key", ["A/Doc", "A"])
    def test_handle_survives_a_rename(self, provider: Provider, key: str) -> None:
        """MODEL 1: the handle stays through rename, move and edit."""
        repository = provider.repository
        identity = tools.need(repository, NativeIdentity)
        areas = tools.sample(repository)
        before = identity.get_native_identity(areas[key])
        renamed = repository.try_rename(areas[key], "Renamed")
        assert renamed.area is not None
        moved = repository.try_move_content(renamed.area, areas["B"])
        assert moved.area is not None
        after = identity.get_native_identity(moved.area)
        assert before is not None
        assert after is not None
        assert before.handle == after.handle

    def test_times_are_moments(self, provider: Provider) -> None:
        """MODEL 1: times of areas are aware, in UTC, in order."""
        repository = provider.repository
        times = tools.need(repository, Timestamps)
        areas = tools.sample(repository)
        for area in (areas["A"], areas["A/Doc"]):
            found = times.get_area_times(area)
            assert found is not None
            assert found.created.tzinfo is UTC
            assert found.modified.tzinfo is UTC


class TrashRules:
    """*Trash*."""

    def test_document_comes_back(self, provider: Provider) -> None:
        """MODEL 1: what is in the trash is no area; restored, it is where and what it was."""
        repository = provider.repository
        trash = tools.need(repository, Trash)
        areas = tools.sample(repository)
        before = tools.picture_of(repository)
        result = trash.try_trash(areas["A/Sub/Leaf"])
        assert result.ok, result
        assert result.trash_token
        with pytest.raises(AreaNotFound):
            repository.get_area_name(areas["A/Sub/Leaf"])
        assert [(result.trash_token, "Leaf")] == [(e.token, e.name) for e in trash.list_trash()]
        assert trash.list_trash()[0].time.tzinfo is not None
        restored = trash.try_restore(result.trash_token)
        assert restored.ok, restored
        assert areas["A/Sub/Leaf"] == restored.area
        assert before == tools.picture_of(repository)
        assert () == trash.list_trash()

    def test_folder_comes_back(self, provider: Provider) -> None:
        """MODEL 1: a folder goes and comes back with everything in it."""
        repository = provider.repository
        trash = tools.need(repository, Trash)
        areas = tools.sample(repository)
        before = tools.picture_of(repository)
        result = trash.try_trash(areas["A"])
        assert result.ok, result
        assert result.trash_token
        assert {areas["B"], areas["Top"]} == set(repository.get_areas(True))
        restored = trash.try_restore(result.trash_token)
        assert restored.ok, restored
        assert before == tools.picture_of(repository)

    def test_restore_makes_room(self, provider: Provider) -> None:
        """MODEL 1: where name or folder are gone or taken, a free name and a new folder serve."""
        repository = provider.repository
        trash = tools.need(repository, Trash)
        areas = tools.sample(repository)
        text = repository.get_aggregated_content(areas["A/Doc"])
        first = trash.try_trash(areas["A/Doc"])
        taker = tools.document(repository, areas["A"], "Doc", "taker\n")
        restored = trash.try_restore(first.trash_token or "")
        assert restored.ok, restored
        assert restored.area is not None
        assert restored.area != taker
        assert text == repository.get_aggregated_content(restored.area)
        assert "taker\n" == repository.get_aggregated_content(taker)
        second = trash.try_trash(restored.area)
        assert repository.try_delete(areas["A"])
        again = trash.try_restore(second.trash_token or "")
        assert again.ok, again
        assert again.area is not None
        assert text == repository.get_aggregated_content(again.area)
        assert "A" in tools.names(repository, "/")

    def test_resource_comes_back(self, provider: Provider) -> None:
        """MODEL 1: a resource can be trashed when nothing refers to it, and be had back."""
        repository = provider.repository
        trash = tools.need(repository, Trash)
        area = tools.document(repository, "/", "Doc", "text\n")
        resource_id = tools.resource(repository, area)
        with tools.nothing_changes(provider):
            tools.refused(trash.try_trash_resource(resource_id), MutationFailure.REFERENCED)
        assert repository.try_replace(area, "text\n")
        result = trash.try_trash_resource(resource_id)
        assert result.ok, result
        with pytest.raises(ResourceNotFound):
            repository.get_resource(resource_id)
        restored = trash.try_restore(result.trash_token or "")
        assert restored.ok, restored
        assert restored.resource_id
        assert tools.PNG == repository.get_resource_content(restored.resource_id)

    def test_what_cannot_be_trashed(self, provider: Provider) -> None:
        """MODEL 1: neither the root, a heading nor nothing can go to the trash or come from it."""
        repository = provider.repository
        trash = tools.need(repository, Trash)
        areas = tools.sample(repository)
        heading = repository.get_areas(False, areas["A/Doc"])[0]
        with tools.nothing_changes(provider):
            tools.refused(trash.try_trash("/"), MutationFailure.NOT_SUPPORTED)
            tools.refused(trash.try_trash(heading), MutationFailure.NOT_SUPPORTED)
            tools.refused(trash.try_trash("/nowhere"), MutationFailure.NOT_FOUND)
            tools.refused(trash.try_trash("//"), MutationFailure.NOT_FOUND)
            tools.refused(trash.try_trash_resource("no-such-id"), MutationFailure.NOT_FOUND)
            for token in ("", "no-such-token", "../x", "/etc", "\0"):
                tools.refused(trash.try_restore(token), MutationFailure.NOT_FOUND)

    def test_trash_survives_a_restart(self, provider: Provider) -> None:
        """MODEL 1: what was trashed can be restored after a restart."""
        areas = tools.sample(provider.repository)
        before = tools.picture_of(provider.repository)
        result = tools.need(provider.repository, Trash).try_trash(areas["A"])
        assert result.ok, result
        provider.repository = provider.reopen()
        restored = tools.need(provider.repository, Trash).try_restore(result.trash_token or "")
        assert restored.ok, restored
        assert before == tools.picture_of(provider.repository)

    def test_removal_is_told(self, provider: Provider) -> None:
        """MODEL 1: going to the trash and coming back are changes like any other."""
        repository = provider.repository
        trash, changes = tools.need(repository, Trash), tools.need(repository, Changes)
        areas = tools.sample(repository)
        cursor = changes.since(None).cursor
        result = trash.try_trash(areas["A"])
        batch = changes.since(cursor)
        assert tools.covers(batch, areas["A/Sub/Leaf"])
        assert trash.try_restore(result.trash_token or "")
        assert tools.covers(changes.since(batch.cursor), areas["A/Sub/Leaf"])
