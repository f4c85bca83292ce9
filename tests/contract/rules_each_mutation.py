"""Section 7: adding, renaming, replacing, truncating, deleting."""

from __future__ import annotations

import pytest

from adapters.contract import (
    AreaNotFound,
    ContentLevel,
    KnowledgeAreaKind,
    MutationFailure,
)
from tests.contract import tools
from tests.contract.provider import Provider

LITERAL_NAMES = (
    "[x]",
    "a/b",
    "100%",
    "50%2F50",
    "v1.2.3",
    "# no heading",
    "*star*",
    "a & b",
    "C++",
)


class AddingRules:
    """R-C-50, R-C-51."""

    @pytest.mark.parametrize("kind", list(KnowledgeAreaKind))
    @pytest.mark.parametrize("name", LITERAL_NAMES)
    def test_names_are_literal(
        self, provider: Provider, name: str, kind: KnowledgeAreaKind
    ) -> None:
        """R-C-50: one empty direct child appears, and its name is no syntax."""
        repository = provider.repository
        shelf = tools.folder(repository, "/", "Shelf")
        result = repository.try_add_sub_area(shelf, name, kind)
        assert result.ok, result
        assert result.area is not None
        assert (result.area,) == repository.get_areas(True, shelf)
        assert name == repository.get_area_name(result.area)
        assert "" == repository.get_aggregated_content(result.area)
        level = repository.get_area_capabilities(result.area).content_level
        is_document = kind is KnowledgeAreaKind.CONTENT
        assert is_document == (level is ContentLevel.CONTENT_CONTAINER)

    def test_document_appears_with_its_text(self, provider: Provider) -> None:
        """MODEL 1: a document is created together with its text."""
        text = "own\r\n\r\n# Part\r\n"
        area = tools.document(provider.repository, "/", "Doc", text)
        assert text == provider.repository.get_aggregated_content(area)

    def test_heading_is_added_after_its_siblings(self, provider: Provider) -> None:
        """R-C-50: below a document a content area is a heading, the last of its siblings."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "own\n\n# b\n\n## deep\n\ntext")
        capabilities = repository.get_area_capabilities(area)
        result = tools.attempt(
            provider,
            capabilities.can_add_sub_areas,
            lambda: repository.try_add_sub_area(
                area, "a [x] *y*", KnowledgeAreaKind.CONTENT, content="new\n\n# below\n"
            ),
        )
        if result is not None:
            assert result.area is not None
            assert ["b", "a [x] *y*"] == tools.names(repository, area)
            assert ["below"] == tools.names(repository, result.area)
            assert "new" == repository.get_direct_content(result.area).strip()
            with tools.nothing_changes(provider):
                tools.refused(
                    repository.try_add_sub_area(area, "b", KnowledgeAreaKind.CONTENT),
                    MutationFailure.COLLISION,
                )

    @pytest.mark.parametrize("kind", list(KnowledgeAreaKind))
    def test_taken_name_collides(self, provider: Provider, kind: KnowledgeAreaKind) -> None:
        """R-C-51: a name that would make siblings ambiguous is a COLLISION."""
        repository = provider.repository
        assert repository.try_add_sub_area("/", "Same", kind)
        with tools.nothing_changes(provider):
            tools.refused(repository.try_add_sub_area("/", "Same", kind), MutationFailure.COLLISION)

    @pytest.mark.parametrize("kind", list(KnowledgeAreaKind))
    def test_empty_name_is_none(self, provider: Provider, kind: KnowledgeAreaKind) -> None:
        """R-C-51: what cannot be a name at all is an INVALID_NAME."""
        with tools.nothing_changes(provider):
            for name in ("", "\ud800"):
                tools.refused(
                    provider.repository.try_add_sub_area("/", name, kind),
                    MutationFailure.INVALID_NAME,
                )

    def test_folder_takes_no_text(self, provider: Provider) -> None:
        """R-C-50: a structural area owns no text, so it cannot be created with one."""
        kind = KnowledgeAreaKind.STRUCTURAL
        with tools.nothing_changes(provider):
            tools.refused(provider.repository.try_add_sub_area("/", "F", kind, content="text\n"))


class RenamingRules:
    """R-C-52."""

    @pytest.mark.parametrize("name", LITERAL_NAMES)
    def test_rename_changes_the_name_only(self, provider: Provider, name: str) -> None:
        """R-C-52: text, descendants and position stay, for documents and folders."""
        repository = provider.repository
        areas = tools.sample(repository)
        text = repository.get_aggregated_content(areas["A/Doc"])
        document = repository.try_rename(areas["A/Doc"], name)
        assert document.ok, document
        assert document.area is not None
        assert name == repository.get_area_name(document.area)
        assert text == repository.get_aggregated_content(document.area)
        assert ["One", "Two"] == tools.names(repository, document.area)
        shelf = repository.try_rename(areas["A"], name)
        assert shelf.ok, shelf
        assert shelf.area is not None
        assert {"Sub", name} == set(tools.names(repository, shelf.area))
        with pytest.raises(AreaNotFound):
            repository.get_area_name(areas["A/Doc"])

    def test_rename_keeps_the_place(self, provider: Provider) -> None:
        """R-C-52: among its siblings a renamed area stays where its name allows it."""
        repository = provider.repository
        middle = [tools.document(repository, "/", name) for name in ("a", "b", "c")][1]
        assert repository.try_rename(middle, "b2")
        assert ["a", "b2", "c"] == tools.names(repository, "/")

    def test_rename_of_a_heading(self, provider: Provider) -> None:
        """R-C-52: a heading in the middle gets a name and keeps style, text and place."""
        repository = provider.repository
        text = "# a\n\n1\n\n## b ##\n\n2\n\n# c\n"
        area = tools.document(repository, "/", "Doc", text)
        heading = repository.get_areas(True, area)[1]
        flags = repository.get_area_capabilities(heading)
        result = tools.attempt(
            provider, flags.can_be_renamed, lambda: repository.try_rename(heading, "*new*")
        )
        if result is not None:
            assert result.area is not None
            assert "*new*" == repository.get_area_name(result.area)
            expected = "# a\n\n1\n\n## \\*new\\* ##\n\n2\n\n# c\n"
            assert expected == repository.get_aggregated_content(area)
            rename = repository.try_rename
            first = repository.get_areas(False, area)[0]
            tools.refused(rename(result.area, "a\nb"), MutationFailure.INVALID_NAME)
            tools.refused(rename(first, "c"), MutationFailure.COLLISION)

    def test_rename_to_a_taken_name_collides(self, provider: Provider) -> None:
        """R-C-51, R-C-52: renaming to a sibling's name is a COLLISION."""
        repository = provider.repository
        tools.document(repository, "/", "One")
        two = tools.document(repository, "/", "Two")
        tools.folder(repository, "/", "F")
        shelf = tools.folder(repository, "/", "G")
        with tools.nothing_changes(provider):
            tools.refused(repository.try_rename(two, "One"), MutationFailure.COLLISION)
            tools.refused(repository.try_rename(shelf, "F"), MutationFailure.COLLISION)
            tools.refused(repository.try_rename(two, ""), MutationFailure.INVALID_NAME)

    def test_case_of_a_name_can_change(self, provider: Provider) -> None:
        """R-C-52: a name may change in letter case only."""
        repository = provider.repository
        for area in (tools.document(repository, "/", "doc"), tools.folder(repository, "/", "dir")):
            name = repository.get_area_name(area).upper()
            result = repository.try_rename(area, name)
            assert result.ok, result
            assert result.area is not None
            assert name == repository.get_area_name(result.area)


class RemovingRules:
    """R-C-53, R-C-54."""

    def test_delete_takes_the_subtree(self, provider: Provider) -> None:
        """R-C-53: deleting removes an area and everything below it."""
        repository = provider.repository
        areas = tools.sample(repository)
        result = repository.try_delete(areas["A"])
        assert result.ok, result
        assert {areas["B"], areas["Top"]} == set(repository.get_areas(True))
        for area in (areas["A"], areas["A/Doc"], areas["A/Sub/Leaf"]):
            tools.refused(repository.try_delete(area), MutationFailure.NOT_FOUND)

    def test_truncate_keeps_the_document(self, provider: Provider) -> None:
        """R-C-53, R-C-54: truncating empties text and child areas and keeps name and place."""
        repository = provider.repository
        areas = tools.sample(repository)
        order = repository.get_areas(False, areas["A"])
        result = repository.try_truncate(areas["A/Doc"])
        assert result.ok, result
        assert areas["A/Doc"] == result.area
        assert order == repository.get_areas(False, areas["A"])
        assert "" == repository.get_aggregated_content(areas["A/Doc"])
        assert () == repository.get_areas(True, areas["A/Doc"])

    def test_truncate_keeps_the_heading(self, provider: Provider) -> None:
        """R-C-53: truncating a heading keeps its line and its siblings."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "0\n\n# a\n\n1\n\n## b\n\n# c\n\n3\n")
        heading = repository.get_areas(False, area)[0]
        flags = repository.get_area_capabilities(heading)
        if tools.attempt(provider, flags.can_truncate, lambda: repository.try_truncate(heading)):
            assert ["a", "c"] == [
                repository.get_area_name(a) for a in repository.get_areas(True, area)
            ]
            assert "" == repository.get_aggregated_content(heading)
            assert repository.get_aggregated_content(area).endswith("# c\n\n3\n")

    def test_truncate_of_a_folder_keeps_structure(self, provider: Provider) -> None:
        """R-C-54: truncating an aggregation drops its documents, not the folders below."""
        repository = provider.repository
        areas = tools.sample(repository)
        flags = repository.get_area_capabilities(areas["A"])
        if tools.attempt(provider, flags.can_truncate, lambda: repository.try_truncate(areas["A"])):
            assert (areas["A/Sub"],) == repository.get_areas(False, areas["A"])
            assert (areas["A/Sub/Leaf"],) == repository.get_areas(False, areas["A/Sub"])

    def test_root_stays(self, provider: Provider) -> None:
        """R-C-53, R-C-72: the root can be neither deleted, renamed nor moved."""
        repository = provider.repository
        areas = tools.sample(repository)
        with tools.nothing_changes(provider):
            for result in (
                repository.try_delete("/"),
                repository.try_rename("/", "Other"),
                repository.try_move_content("/", areas["A"]),
                repository.try_move_content("/", "/"),
            ):
                tools.refused(result, MutationFailure.NOT_SUPPORTED, MutationFailure.READ_ONLY)


class ReplacingRules:
    """R-C-55 to R-C-58."""

    def test_replace_is_verbatim(self, provider: Provider) -> None:
        """R-C-55: repeated headings, level gaps and order are kept as given, nothing is merged."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "# Same\n\nold\n\n# Kept\n")
        text = "#### Gap\n# Same\n1\n# Same\n2\n# Other #\nlast"
        assert repository.try_replace(area, text)
        assert text == repository.get_aggregated_content(area)
        assert ["Gap", "Same", "Same", "Other"] == tools.names(repository, area)

    def test_aggregation_takes_no_loose_text(self, provider: Provider) -> None:
        """R-C-56: for an aggregation, text before the first heading is INVALID_CONTENT."""
        repository = provider.repository
        areas = tools.sample(repository)
        flags = repository.get_area_capabilities(areas["A"])
        for allowed, call in (
            (flags.can_append_content, repository.try_append_content),
            (flags.can_replace, repository.try_replace),
        ):
            with tools.nothing_changes(provider):
                failure = (
                    MutationFailure.INVALID_CONTENT if allowed else MutationFailure.NOT_SUPPORTED
                )
                tools.refused(call(areas["A"], "loose\n\n# Doc\n"), failure)
            result = tools.attempt(
                provider, allowed, lambda call=call: call(areas["A"], "\n\n# New\n\nx\n")
            )
            if result is not None:
                area = tools.child_named(repository, areas["A"], "New")
                assert "x" == repository.get_aggregated_content(area).strip()

    def test_replacing_an_aggregation(self, provider: Provider) -> None:
        """R-C-55, R-C-68: a folder holds the documents of the payload; folders in it stay."""
        repository = provider.repository
        areas = tools.sample(repository)
        flags = repository.get_area_capabilities(areas["A"])
        payload = "# New\n\nn\n\n## Sub\n\n# Doc\n\nother\n"
        result = tools.attempt(
            provider, flags.can_replace, lambda: repository.try_replace(areas["A"], payload)
        )
        if result is not None:
            assert ["Doc", "New", "Sub"] == sorted(tools.names(repository, areas["A"]))
            assert "other" == repository.get_aggregated_content(areas["A/Doc"]).strip()
            new = tools.child_named(repository, areas["A"], "New")
            assert ["Sub"] == tools.names(repository, new)
            assert (areas["A/Sub/Leaf"],) == repository.get_areas(False, areas["A/Sub"])

    @pytest.mark.parametrize("call", ["replace", "append", "add"])
    def test_unknown_resource_is_refused(self, provider: Provider, call: str) -> None:
        """R-C-57: a payload that names an unknown resource is INVALID_CONTENT."""
        repository = provider.repository
        areas = tools.sample(repository)
        text = "fine\n\n![](knowledge-resource:no-such-id)\n"
        calls = {
            "replace": lambda: repository.try_replace(areas["A/Doc"], text),
            "append": lambda: repository.try_append_content(areas["A/Doc"], text),
            "add": lambda: repository.try_add_sub_area(
                areas["A"], "New", KnowledgeAreaKind.CONTENT, content=text
            ),
        }
        with tools.nothing_changes(provider):
            tools.refused(calls[call](), MutationFailure.INVALID_CONTENT)

    def test_unknown_resource_in_code_is_text(self, provider: Provider) -> None:
        """R-C-57, R-C-85: what only looks like a reference is no reason to refuse."""
        text = "`![](knowledge-resource:no-such-id)` knowledge-resource:neither\n"
        area = tools.document(provider.repository, "/", "Doc", text)
        assert text == provider.repository.get_aggregated_content(area)

    def test_broken_reference_may_stay(self, provider: Provider) -> None:
        """R-C-57: a reference that was unresolvable in the replaced text may stay in it."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "old\n")
        provider.edit_outside(area, "old ![](knowledge-resource:no-such-id)\n")
        text = repository.get_aggregated_content(area)
        result = repository.try_replace(area, text.replace("old", "new"))
        assert result.ok, result
        assert text.replace("old", "new") == repository.get_aggregated_content(area)

    def test_resource_can_be_shared(self, provider: Provider) -> None:
        """R-C-58: after a write every accepted reference resolves, also from another document."""
        repository = provider.repository
        areas = tools.sample(repository)
        resource_id = tools.resource(repository, areas["A/Doc"])
        result = repository.try_replace(areas["Top"], f"![](knowledge-resource:{resource_id})\n")
        assert result.ok, result
        changes = {c.previous_resource_id for c in result.resource_id_changes}
        assert resource_id not in changes
        infos = repository.get_resources(areas["Top"])
        assert [tools.PNG] == [repository.get_resource_content(i.resource_id) for i in infos]
