"""The companion *Changes*: who asks learns of every change, whoever made it (MODEL, section 1)."""

from __future__ import annotations

import threading

import pytest

from adapters.contract import Batch, Changes, NativeIdentity
from tests.contract import tools
from tests.contract.provider import Provider


class ChangeRules:
    """*Changes*."""

    def _since(self, provider: Provider, cursor: str) -> Batch:
        batch = tools.need(provider.repository, Changes).since(cursor)
        assert batch.complete
        return batch

    def _cursor(self, provider: Provider) -> str:
        return tools.need(provider.repository, Changes).since(None).cursor

    @pytest.mark.parametrize("cursor", [None, "", "nonsense", "1", "x-1", "0-999999"])
    def test_unknown_cursor_is_incomplete(self, provider: Provider, cursor: str | None) -> None:
        """MODEL 1: without a cursor that is known, everything must be compared once."""
        tools.sample(provider.repository)
        batch = tools.need(provider.repository, Changes).since(cursor)
        assert not batch.complete
        assert batch.cursor

    def test_nothing_happened(self, provider: Provider) -> None:
        """MODEL 1, R-C-45: without a change, or after a no-op, a batch is empty."""
        areas = tools.sample(provider.repository)
        cursor = self._cursor(provider)
        tools.picture_of(provider.repository)
        assert provider.repository.try_rename(areas["A"], "A")
        assert not provider.repository.try_delete("/")
        batch = self._since(provider, cursor)
        assert ((), (), (), ()) == (
            batch.touched,
            batch.moved,
            batch.resource_ids,
            batch.resource_id_changes,
        )
        assert not tools.need(provider.repository, Changes).wait(cursor, 0.0)

    def test_own_changes_are_told(self, provider: Provider) -> None:
        """MODEL 1: what this process does is in the feed as well."""
        repository = provider.repository
        areas = tools.sample(repository)
        cursor = self._cursor(provider)
        added = tools.document(repository, areas["B"], "New", "text\n")
        batch = self._since(provider, cursor)
        assert tools.covers(batch, added)
        assert not tools.covers(batch, areas["A/Doc"])
        assert repository.try_replace(areas["A/Doc"], "changed\n")
        batch = self._since(provider, batch.cursor)
        assert tools.covers(batch, areas["A/Doc"])
        assert not tools.covers(batch, added)
        assert repository.try_delete(added)
        assert tools.covers(self._since(provider, batch.cursor), added)

    def test_own_moves_are_told(self, provider: Provider) -> None:
        """MODEL 1: a rename and a move say where the area is now."""
        repository = provider.repository
        areas = tools.sample(repository)
        cursor = self._cursor(provider)
        result = repository.try_move_content(areas["A/Doc"], areas["B"], new_name="New")
        assert result.area is not None
        batch = self._since(provider, cursor)
        for area in (areas["A/Doc"], result.area, areas["Top"]):
            assert tools.covers(batch, area)
        assert not tools.covers(batch, areas["A/Sub/Leaf"])

    def test_moves_add_up(self, provider: Provider) -> None:
        """MODEL 1: paths of a batch are those of its end, however many moves led there."""
        repository = provider.repository
        areas = tools.sample(repository)
        cursor = self._cursor(provider)
        assert repository.try_replace(areas["A/Sub/Leaf"], "changed\n")
        first = repository.try_rename(areas["A"], "First")
        assert first.area is not None
        second = repository.try_move_content(first.area, areas["B"], new_name="Second")
        assert second.area is not None
        batch = self._since(provider, cursor)
        leaf = second.area + areas["A/Sub/Leaf"].removeprefix(areas["A"])
        assert tools.covers(batch, leaf)
        known = set(repository.get_areas(True))
        assert all(move.current_area in known for move in batch.moved)

    def test_resource_changes_are_told(self, provider: Provider) -> None:
        """MODEL 1: new, changed and removed resources are named."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "text\n")
        cursor = self._cursor(provider)
        resource_id = tools.resource(repository, area)
        batch = self._since(provider, cursor)
        assert resource_id in batch.resource_ids
        assert repository.try_replace_resource(resource_id, "image/png", b"new")
        batch = self._since(provider, batch.cursor)
        assert resource_id in batch.resource_ids
        assert repository.try_replace(area, "text\n")
        assert repository.try_delete_resource(resource_id)
        assert resource_id in self._since(provider, batch.cursor).resource_ids

    def test_outside_edit_is_told(self, provider: Provider) -> None:
        """MODEL 1: an edit by another program is told, and read."""
        areas = tools.sample(provider.repository)
        cursor = self._cursor(provider)
        provider.edit_outside(areas["A/Doc"], "from outside\n\n# New\n")
        batch = self._since(provider, cursor)
        assert tools.covers(batch, areas["A/Doc"])
        assert not tools.covers(batch, areas["Top"])
        text = provider.repository.get_aggregated_content(areas["A/Doc"])
        assert "from outside\n\n# New\n" == text
        assert ["New"] == tools.names(provider.repository, areas["A/Doc"])

    def test_outside_files_are_told(self, provider: Provider) -> None:
        """MODEL 1: documents that another program makes or removes are told."""
        repository = provider.repository
        areas = tools.sample(repository)
        cursor = self._cursor(provider)
        provider.add_outside(areas["B"], "Fresh", "text\n")
        fresh = tools.child_named(repository, areas["B"], "Fresh")
        batch = self._since(provider, cursor)
        assert tools.covers(batch, fresh)
        provider.delete_outside(areas["A/Doc"])
        batch = self._since(provider, batch.cursor)
        assert tools.covers(batch, areas["A/Doc"])
        assert not tools.covers(batch, fresh)
        provider.delete_outside(areas["A"])
        assert tools.covers(self._since(provider, batch.cursor), areas["A/Sub/Leaf"])
        assert {areas["B"], areas["Top"]} == set(repository.get_areas(False))

    @pytest.mark.parametrize("key", ["A/Doc", "A"])
    def test_outside_rename_is_told(self, provider: Provider, key: str) -> None:
        """MODEL 1: a rename by another program tells both paths, and the mark recognises it."""
        repository = provider.repository
        areas = tools.sample(repository)
        identity = tools.need(repository, NativeIdentity)
        before = identity.get_native_identity(areas[key])
        cursor = self._cursor(provider)
        provider.rename_outside(areas[key], "Elsewhere")
        parent = areas["A"] if key == "A/Doc" else "/"
        area = tools.child_named(repository, parent, "Elsewhere")
        batch = self._since(provider, cursor)
        assert tools.covers(batch, areas[key])
        assert tools.covers(batch, area)
        after = identity.get_native_identity(area)
        assert before is not None
        assert after is not None
        assert (before.handle, before.size, before.text_hash) == (
            after.handle,
            after.size,
            after.text_hash,
        )

    def test_waiting(self, provider: Provider) -> None:
        """MODEL 1: who waits is told at once of what happened, or woken when it does."""
        repository = provider.repository
        changes = tools.need(repository, Changes)
        cursor = changes.since(None).cursor
        assert not changes.wait(cursor, 0.0)
        woken: list[bool] = []
        thread = threading.Thread(target=lambda: woken.append(changes.wait(cursor, 30.0)))
        thread.start()
        tools.document(repository, "/", "Doc")
        thread.join(30)
        assert [True] == woken
        assert changes.wait(cursor, 0.0)
        assert not changes.wait(changes.since(cursor).cursor, 0.0)
