"""Section 8: resources and links."""

from __future__ import annotations

import io
import re

import pytest

from adapters.contract import (
    MutationFailure,
    NativeTree,
    ResourceNotFound,
    ResourceStreams,
    companion,
)
from adapters.markdown import find_links
from tests.contract import tools
from tests.contract.provider import Provider

FORMS = {
    "inline": "[x]({})",
    "titled": '[x]({} "title")',
    "image": "![x]({})",
    "angle": "[x](<{}>)",
    "definition": "[x]\n\n[x]: {}",
    "autolink": "<{}>",
    "html": '<a href="{}">x</a>',
    "html image": "<img src='{}' width=\"3\">",
    "in a table": "| a |\n| - |\n| [x]({}) |",
    "in a list": "- a\n  - > [x]({})",
    "in a heading": "# H [x]({})",
}
NOT_LINKS = {
    "code span": "`[x]({})`",
    "fence": "```\n[x]({})\n```",
    "indented": "    [x]({})",
    "prose": "see {} there",
    "escaped": "\\[x\\]\\({}\\)",
    "comment": "<!-- [x]({}) -->",
}


class ResourceRules:
    """R-C-80 to R-C-84."""

    def test_ids_are_opaque_and_unique(self, provider: Provider) -> None:
        """R-C-80: an id is a string of safe characters, one a resource."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc")
        ids = [tools.resource(repository, area, content=bytes([i])) for i in range(5)]
        assert 5 == len(set(ids))
        assert all(re.fullmatch(r"[A-Za-z0-9._~-]+", resource_id) for resource_id in ids)
        for number, resource_id in enumerate(ids):
            assert bytes([number]) == repository.get_resource_content(resource_id)

    def test_resources_are_those_referred_to(self, provider: Provider) -> None:
        """R-C-81: each once, in order of first reference, for every area of the document."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc")
        one = tools.resource(repository, area, name="one.png", content=b"1")
        two = tools.resource(repository, area, name="two.png", content=b"22")
        text = (
            f"![](knowledge-resource:{two})\n\n# H\n\n[a](knowledge-resource:{one}) "
            f"![b](knowledge-resource:{two})\n"
        )
        assert repository.try_replace(area, text)
        heading = repository.get_areas(False, area)[0]
        for scope in (area, heading):
            infos = repository.get_resources(scope)
            assert [(two, 2), (one, 1)] == [(i.resource_id, i.length) for i in infos]

    def test_facts_of_a_resource(self, provider: Provider) -> None:
        """R-C-82, MODEL 1: the facts are the same whoever asks; a good file name is kept."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc")
        resource_id = tools.resource(repository, area, name="My picture.png")
        info = repository.get_resource(resource_id)
        assert (info,) == repository.get_resources(area)
        assert ("My picture.png", "image/png", len(tools.PNG)) == (
            info.file_name,
            info.content_type,
            info.length,
        )

    def test_taken_file_name_gets_its_own_id(self, provider: Provider) -> None:
        """R-C-82: two resources of one name are two resources."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc")
        one = tools.resource(repository, area, name="same.png", content=b"1")
        two = tools.resource(repository, area, name="same.png", content=b"2")
        assert b"1" == repository.get_resource_content(one)
        assert b"2" == repository.get_resource_content(two)

    def test_unreferenced_resource_is_readable(self, provider: Provider) -> None:
        """MODEL 1: a resource exists from its creation, referred to or not."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "text\n")
        result = repository.try_add_resource(area, "new.png", "image/png", tools.PNG)
        assert result.ok, result
        assert result.resource_id
        assert len(tools.PNG) == repository.get_resource(result.resource_id).length
        assert () == repository.get_resources(area)
        assert "text\n" == repository.get_aggregated_content(area)

    def test_empty_resource(self, provider: Provider) -> None:
        """R-C-80: a resource may be empty."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc")
        assert b"" == repository.get_resource_content(tools.resource(repository, area, content=b""))

    def test_replacing_keeps_the_id(self, provider: Provider) -> None:
        """R-C-83: the bytes and the revision are new, the id is not."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc")
        resource_id = tools.resource(repository, area)
        revision = repository.get_resource(resource_id).revision
        text = repository.get_aggregated_content(area)
        result = repository.try_replace_resource(resource_id, "image/png", b"new")
        assert result.ok, result
        assert resource_id == result.resource_id
        assert b"new" == repository.get_resource_content(resource_id)
        assert revision != repository.get_resource(resource_id).revision
        assert text == repository.get_aggregated_content(area)

    def test_referenced_resource_is_not_deleted(self, provider: Provider) -> None:
        """R-C-84: while any text refers to a resource, deleting it is REFERENCED."""
        repository = provider.repository
        areas = tools.sample(repository)
        resource_id = tools.resource(repository, areas["A/Doc"])
        link = f"![](knowledge-resource:{resource_id})\n"
        assert repository.try_replace(areas["Top"], link)
        assert repository.try_truncate(areas["A/Doc"])
        with tools.nothing_changes(provider):
            tools.refused(repository.try_delete_resource(resource_id), MutationFailure.REFERENCED)
        assert repository.try_replace(areas["Top"], f"`{link.strip()}`\n")
        result = repository.try_delete_resource(resource_id)
        assert result.ok, result
        with pytest.raises(ResourceNotFound):
            repository.get_resource(resource_id)

    def test_streams(self, provider: Provider) -> None:
        """MODEL 1: a resource can be written and read as a stream."""
        repository = provider.repository
        streams = tools.need(repository, ResourceStreams)
        area = tools.document(repository, "/", "Doc")
        content = bytes(range(256)) * 8192
        added = streams.try_add_resource_stream(
            area, "big.bin", "application/octet-stream", io.BytesIO(content)
        )
        assert added.ok, added
        assert added.resource_id
        with streams.open_resource(added.resource_id) as stream:
            stream.seek(1000)
            assert content[1000:2000] == stream.read(1000)
        replaced = streams.try_replace_resource_stream(
            added.resource_id, "application/octet-stream", io.BytesIO(b"small")
        )
        assert replaced.ok, replaced
        assert b"small" == repository.get_resource_content(added.resource_id)
        with pytest.raises(ResourceNotFound):
            streams.open_resource("no-such-id")


class LinkRules:
    """R-C-85 to R-C-89."""

    @pytest.mark.parametrize("form", FORMS)
    def test_area_references_round_trip(self, provider: Provider, form: str) -> None:
        """R-C-85, R-C-86: an area reference in any form is stored and read back the same."""
        repository = provider.repository
        target = tools.document(repository, tools.folder(repository, "/", "a b"), "50% [x] & y")
        text = FORMS[form].format(f"knowledge-area:{target}") + "\n"
        area = tools.document(repository, "/", "Doc", text)
        self._reads_as(provider, area, text)
        self._is_native(provider, area)
        moved = repository.try_rename(target, "(moved) #1")
        assert moved.ok, moved
        assert moved.area is not None
        self._reads_as(provider, area, FORMS[form].format(f"knowledge-area:{moved.area}") + "\n")

    @pytest.mark.parametrize("form", FORMS)
    def test_resource_references_round_trip(self, provider: Provider, form: str) -> None:
        """R-C-85, R-C-87: a resource reference in any form is stored, read back and counted."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc")
        resource_id = tools.resource(repository, area, name="my (1) pic.png")
        text = FORMS[form].format(f"knowledge-resource:{resource_id}") + "\n"
        result = repository.try_replace(area, text)
        assert result.ok, result
        self._reads_as(provider, area, text)
        assert [resource_id] == [i.resource_id for i in repository.get_resources(area)]
        self._is_native(provider, area)

    @pytest.mark.parametrize("form", NOT_LINKS)
    def test_what_is_no_link_stays(self, provider: Provider, form: str) -> None:
        """R-C-85: in code and prose nothing is a reference, and nothing is touched."""
        repository = provider.repository
        areas = tools.sample(repository)
        resource_id = tools.resource(repository, areas["A/Doc"])
        text = "".join(
            NOT_LINKS[form].format(target) + "\n\n"
            for target in (f"knowledge-area:{areas['A']}", f"knowledge-resource:{resource_id}")
        )
        assert repository.try_replace(areas["Top"], text)
        assert text == repository.get_aggregated_content(areas["Top"])
        assert () == repository.get_resources(areas["Top"])
        assert repository.try_rename(areas["A"], "Renamed")
        assert text == repository.get_aggregated_content(areas["Top"])

    def test_fragment_is_carried_through(self, provider: Provider) -> None:
        """R-C-86: a fragment stays as it is, also when its area moves."""
        repository = provider.repository
        areas = tools.sample(repository)
        text = "[x](knowledge-area:{}#No-Such%20Part)\n"
        assert repository.try_replace(areas["Top"], text.format(areas["A/Doc"]))
        assert text.format(areas["A/Doc"]) == repository.get_aggregated_content(areas["Top"])
        result = repository.try_move_content(areas["A/Doc"], areas["B"])
        assert result.ok, result
        assert text.format(result.area) == repository.get_aggregated_content(areas["Top"])

    def test_heading_is_a_target(self, provider: Provider) -> None:
        """R-C-85: a heading area can be referred to, also the second of two equal ones."""
        repository = provider.repository
        target = tools.document(
            repository, "/", "Target", "# A *b*\n\n# Same\n\n# Same\n\n## A b\n"
        )
        headings = repository.get_areas(True, target)
        text = "".join(f"[x](knowledge-area:{heading})\n" for heading in headings)
        area = tools.document(repository, "/", "Doc", text)
        assert text == repository.get_aggregated_content(area)
        self._is_native(provider, area)

    def test_folder_is_a_target(self, provider: Provider) -> None:
        """R-C-85: a folder can be referred to."""
        repository = provider.repository
        shelf = tools.folder(repository, "/", "The shelf")
        text = f"[x](knowledge-area:{shelf}) [y](knowledge-area:/)\n"
        area = tools.document(repository, shelf, "Doc", text)
        assert text == repository.get_aggregated_content(area)

    @pytest.mark.parametrize("area", ["/nowhere", "/No%20where/at~2", "/Doc/no-heading"])
    def test_dangling_area_reference_is_text(self, provider: Provider, area: str) -> None:
        """R-C-89: a reference to an area that is not there is kept verbatim, moves included."""
        repository = provider.repository
        text = f"[x](knowledge-area:{area}) <knowledge-area:{area}#y>\n"
        document = tools.document(repository, "/", "Doc", text)
        assert text == repository.get_aggregated_content(document)
        result = repository.try_move_content(document, tools.folder(repository, "/", "F"))
        assert result.ok, result
        assert result.area is not None
        assert text == repository.get_aggregated_content(result.area)

    @pytest.mark.parametrize(
        "target",
        [
            "https://example.org/a%20b?c=d#e",
            "mailto:a@example.org",
            "#local",
            ":/0123456789abcdef0123456789abcdef",
            "../../outside.md",
            "missing.png",
            "/etc/passwd",
            "file:///etc/passwd",
            "data:image/png;base64,AAAA",
            "KNOWLEDGE-AREA:/A",
        ],
    )
    def test_other_targets_are_untouched(self, provider: Provider, target: str) -> None:
        """R-C-87, R-C-88: targets without a meaning here, unknown `:/id` included, stay as text."""
        repository = provider.repository
        text = f"[x]({target}) ![y](<{target}>)\n"
        area = tools.document(repository, "/", "Doc", text)
        assert text == repository.get_aggregated_content(area)
        assert () == repository.get_resources(area)

    @staticmethod
    def _reads_as(provider: Provider, area: str, expected: str) -> None:
        """Assert that a document reads as it was written.

        An autolink needs a scheme, which a relative path has not; where links are stored as
        such, it may come back as an inline link, still to the same place.
        """
        text = provider.repository.get_aggregated_content(area)
        if expected.startswith("<knowledge-") and text != expected:
            assert [expected.strip()[1:-1]] == [link.destination for link in find_links(text)]
        else:
            assert expected == text

    @staticmethod
    def _is_native(provider: Provider, area: str) -> None:
        """Assert that what is stored holds no contract link, where there is a native form."""
        tree = companion(provider.repository, NativeTree)
        path = tree.locate(area) if tree is not None else None
        if tree is not None and path is not None:
            with tree.open(path) as stream:
                assert b"knowledge-" not in stream.read()
