"""Section 9: errors and trust."""

from __future__ import annotations

import logging

import pytest

from adapters.contract import (
    Changes,
    KnowledgeError,
    MutationFailure,
    RepositoryUnavailable,
    ResourceNotFound,
)
from tests.contract import tools
from tests.contract.provider import Provider
from tests.contract.rules_paths import READS, read


class ErrorRules:
    """Section 9."""

    def test_unknown_resource_raises(self, provider: Provider) -> None:
        """R-C-90: an unknown id raises `ResourceNotFound`, a `KnowledgeError`."""
        assert issubclass(ResourceNotFound, KnowledgeError)
        with pytest.raises(ResourceNotFound) as caught:
            provider.repository.get_resource("no-such-id")
        assert "no-such-id" == caught.value.resource_id

    @pytest.mark.parametrize("method", READS)
    def test_unavailable_is_never_empty(self, provider: Provider, method: str) -> None:
        """R-C-91: while the source is away every read raises; back again, all is there."""
        areas = tools.sample(provider.repository)
        before = tools.picture_of(provider.repository)
        provider.make_unavailable()
        for area in ("/", areas["A"], areas["A/Doc"]):
            with pytest.raises(RepositoryUnavailable):
                read(provider, method, area)
        provider.make_available()
        assert before == tools.picture_of(provider.repository)

    def test_bulk_reads_are_never_empty(self, provider: Provider) -> None:
        """R-C-91: neither a listing, a search, a resource nor the feed is empty meanwhile."""
        repository = provider.repository
        areas = tools.sample(repository)
        resource_id = repository.get_resources(areas["A/Sub/Leaf"])[0].resource_id
        changes = tools.need(repository, Changes)
        cursor = changes.since(None).cursor
        provider.make_unavailable()
        for call in (
            lambda: repository.get_areas(True),
            lambda: repository.get_areas_by_keyword("e"),
            lambda: repository.get_resource(resource_id),
            lambda: repository.get_resource_content(resource_id),
            lambda: changes.since(None),
            lambda: changes.since(cursor),
        ):
            with pytest.raises(RepositoryUnavailable):
                call()
        provider.make_available()
        assert not changes.since(cursor).touched

    def test_mutations_are_unavailable(self, provider: Provider) -> None:
        """R-C-42: while the source is away every mutation is UNAVAILABLE, and works later."""
        repository = provider.repository
        areas = tools.sample(repository)
        calls = tools.mutations(repository, areas["A/Doc"], areas["B"])
        before = tools.picture_of(repository)
        provider.make_unavailable()
        for call in calls.values():
            tools.refused(call(), MutationFailure.UNAVAILABLE)
        provider.make_available()
        assert before == tools.picture_of(repository)
        assert calls["try_replace"]()

    def test_messages_name_no_places_on_disk(
        self, provider: Provider, caplog: pytest.LogCaptureFixture
    ) -> None:
        """R-C-96: messages and logs name areas and ids, never files of the machine."""
        caplog.set_level(logging.DEBUG)
        repository = provider.repository
        areas = tools.sample(repository)
        messages: list[str] = []
        for area in ("/nowhere", "//", areas["A"]):
            calls = tools.mutations(repository, area, "/nowhere")
            messages += [call().detail for call in calls.values()]
            try:
                repository.get_area_name(area + "/x")
            except KnowledgeError as error:
                messages.append(str(error))
        provider.make_unavailable()
        messages.append(repository.try_replace(areas["Top"], "x").detail)
        with pytest.raises(RepositoryUnavailable) as caught:
            repository.get_areas(False)
        provider.make_available()
        messages += [str(caught.value), *(record.getMessage() for record in caplog.records)]
        for secret in provider.secrets():
            assert [] == [message for message in messages if secret in message]
