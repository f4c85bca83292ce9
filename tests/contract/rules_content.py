"""Section 4: content levels and text; section 5: capabilities."""

from __future__ import annotations

import pytest

from adapters.contract import ContentLevel, MutationFailure
from adapters.markdown import parse
from tests.contract import tools
from tests.contract.provider import Provider

TEXTS = (
    "",
    "\n",
    "plain",
    "plain\n",
    "two\n\n",
    "  indented\n\ttab\n",
    "a\r\nb\r\n",
    "a\rb\r",
    "a\r\nb\nc\rd",
    "trailing  \nspaces \n",
    "\n\n# Late\n\n",
    "# A\n# A\n## A\n# B\n#### gap\n## C ##\n",
    "Under\n=====\n\ntext\n\nLine\n----\n\n### ATX\n",
    "# A\r\n\r\nx\r\n\r\n# A\r\n\r\n### B\r\nno end",
    "# Mixed\r\nx\ny\r\n\r\n## line\nends\n",
    "---\ntitle: x\ntags: [a, b]\n---\n\n# Body\n\ntext\n",
    "---\nnot: [yaml\n---\n",
    "# Head\n---\nfront: no\n---\n",
    "text\n\n```\n# code\nunclosed\n",
    "- item\n  # no heading\n\n> # no\n\n# yes\n",
    "a [b](c) ![d](<e f> 'g') <https://h.example/> [i]\n\n[i]: j\n",
    "\u00e4 a\u0308 \U0001f4dd \u2028 \ufeff \x0b \x0c end",
    "| a | b |\n| - | - |\n| `x\\|y` | # z |\n",
    "<!-- # comment\n\n-->\n\n# after <b>html</b> &amp; *more*\n",
)
TEXT_CALLS = ("try_append_content", "try_truncate", "try_replace")


class ContentRules:
    """Section 4."""

    def test_bare_folder_has_no_text(self, provider: Provider) -> None:
        """R-C-20: an area beyond content reads as nothing and refuses every text."""
        repository = provider.repository
        area = tools.folder(repository, "/", "Bare")
        level = repository.get_area_capabilities(area).content_level
        assert ContentLevel.BEYOND_CONTENT == level
        assert not repository.has_direct_content(area)
        assert "" == repository.get_direct_content(area)
        assert "" == repository.get_aggregated_content(area)
        calls = tools.mutations(repository, area, "/")
        with tools.nothing_changes(provider):
            for call in TEXT_CALLS:
                tools.refused(calls[call](), MutationFailure.NOT_SUPPORTED)

    def test_folder_owns_no_text(self, provider: Provider) -> None:
        """R-C-21: an aggregation has no direct content; what it reads comes from below."""
        repository = provider.repository
        shelf = tools.folder(repository, "/", "Shelf")
        tools.document(repository, shelf, "Doc", "found below\n")
        for area in ("/", shelf):
            assert not repository.has_direct_content(area)
            assert "" == repository.get_direct_content(area)
        level = repository.get_area_capabilities(shelf).content_level
        is_aggregation = level is ContentLevel.CONTENT_AGGREGATION
        assert is_aggregation == ("found below" in repository.get_aggregated_content(shelf))

    def test_container_reads_own_text_then_children(self, provider: Provider) -> None:
        """R-C-22: aggregated content is the own text followed by the descendants in order."""
        repository = provider.repository
        text = "own\n\n# One\n\nfirst\n\n# Two\n\nsecond\n"
        area = tools.document(repository, "/", "Doc", text)
        level = repository.get_area_capabilities(area).content_level
        assert ContentLevel.CONTENT_CONTAINER == level
        assert text == repository.get_aggregated_content(area)
        assert "own\n\n" == repository.get_direct_content(area)

    def test_direct_content_leaves_out_headings(self, provider: Provider) -> None:
        """R-C-23: direct content holds neither the line that names the area nor what is below."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "# One\n\nmine\n\n## Deep\n\ndeep\n")
        one = repository.get_areas(False, area)[0]
        assert "" == repository.get_direct_content(area)
        assert "\nmine\n\n" == repository.get_direct_content(one)
        assert "\ndeep\n" == repository.get_direct_content(repository.get_areas(False, one)[0])

    def test_aggregation_keeps_hierarchy(self, provider: Provider) -> None:
        """R-C-24: a folder reads as valid Markdown with the outline of its documents."""
        repository = provider.repository
        shelf = tools.folder(repository, "/", "Shelf")
        tools.document(repository, shelf, "First *doc*", "a\n\n# One\n\n## Deep\n")
        tools.document(repository, shelf, "Second", "###### Six\n\nb")
        text = repository.get_aggregated_content(shelf)
        assert text == repository.get_aggregated_content(shelf)
        level = repository.get_area_capabilities(shelf).content_level
        if level is not ContentLevel.CONTENT_AGGREGATION:
            assert "" == text
            return
        outline = [(heading.level, heading.name) for heading in parse(text).headings]
        expected = [(1, "First *doc*"), (2, "One"), (3, "Deep"), (1, "Second"), (6, "Six")]
        assert expected == outline

    @pytest.mark.parametrize("text", TEXTS)
    def test_replacing_by_itself_changes_nothing(self, provider: Provider, text: str) -> None:
        """R-C-25: a container replaced by its own aggregated content keeps every byte and time."""
        repository = provider.repository
        document = tools.document(repository, "/", "Doc", text)
        for area in (document, *repository.get_areas(True, document)):
            capabilities = repository.get_area_capabilities(area)
            content = repository.get_aggregated_content(area)
            before = provider.fingerprint()
            result = tools.attempt(
                provider,
                capabilities.can_replace,
                lambda area=area, content=content: repository.try_replace(area, content),
            )
            if result is not None:
                assert area == result.area
            assert before == provider.fingerprint()

    def test_levels_are_relative(self, provider: Provider) -> None:
        """R-C-26: levels in a text are relative to its area; gaps survive."""
        repository = provider.repository
        text = "# One\n\n## Two\n\na\n\n#### Gap\n\n### Three\n"
        area = tools.document(repository, "/", "Doc", text)
        one = repository.get_areas(False, area)[0]
        two = repository.get_areas(False, one)[0]
        assert "\na\n\n## Gap\n\n# Three\n" == repository.get_aggregated_content(two)
        wanted = "\nb\n\n### Wider\n\n# Three\n"
        capabilities = repository.get_area_capabilities(two)
        result = tools.attempt(
            provider, capabilities.can_replace, lambda: repository.try_replace(two, wanted)
        )
        if result is not None:
            assert wanted == repository.get_aggregated_content(two)
            expected = "# One\n\n## Two\n\nb\n\n##### Wider\n\n### Three\n"
            assert expected == repository.get_aggregated_content(area)

    @pytest.mark.parametrize(
        ("text", "expected"), [("", False), (" \n\t\n", False), ("\n# H\n", False), ("x", True)]
    )
    def test_white_space_is_no_content(self, provider: Provider, text: str, expected: bool) -> None:
        """R-C-27: an area has direct content when that holds more than white space."""
        area = tools.document(provider.repository, "/", "Doc", text)
        assert expected == provider.repository.has_direct_content(area)

    @pytest.mark.parametrize("text", TEXTS)
    def test_text_is_kept_as_given(self, provider: Provider, text: str) -> None:
        """R-C-28, R-C-55: text comes back with every line end and blank, created or replaced."""
        repository = provider.repository
        created = tools.document(repository, "/", "Created", text)
        assert text == repository.get_aggregated_content(created)
        replaced = tools.document(repository, "/", "Replaced", "old\n")
        assert repository.try_replace(replaced, text)
        assert text == repository.get_aggregated_content(replaced)


class CapabilityRules:
    """Section 5."""

    def test_every_area_answers(self, provider: Provider) -> None:
        """R-C-30, R-C-32: capabilities are asked per area; replacing is append and truncate."""
        repository = provider.repository
        tools.sample(repository)
        for area in ("/", *repository.get_areas(True)):
            flags = repository.get_area_capabilities(area)
            assert flags.can_replace == (flags.can_append_content and flags.can_truncate)
            if repository.get_areas(False, area):
                assert flags.supports_sub_areas

    def test_documents_and_folders_can_be_worked_with(self, provider: Provider) -> None:
        """R-C-31: what is writable says so: folders take areas, documents take text."""
        repository = provider.repository
        areas = tools.sample(repository)
        shelf = repository.get_area_capabilities(areas["A"])
        assert (True, True, True, True) == (
            shelf.supports_sub_areas,
            shelf.can_add_sub_areas,
            shelf.can_be_renamed,
            shelf.can_be_deleted,
        )
        document = repository.get_area_capabilities(areas["A/Doc"])
        assert (True, True, True, True) == (
            document.can_be_renamed,
            document.can_be_deleted,
            document.can_replace,
            document.supports_resources,
        )
        root = repository.get_area_capabilities("/")
        assert (True, False, False) == (
            root.can_add_sub_areas,
            root.can_be_renamed,
            root.can_be_deleted,
        )

    def test_false_flags_are_binding(self, provider: Provider) -> None:
        """R-C-33: what a flag denies is refused and changes nothing."""
        repository = provider.repository
        areas = tools.sample(repository)
        for area in ("/", *repository.get_areas(True)):
            flags = repository.get_area_capabilities(area)
            denied = {
                "try_add_sub_area": not flags.can_add_sub_areas,
                "try_rename": not flags.can_be_renamed,
                "try_append_content": not flags.can_append_content,
                "try_truncate": not flags.can_truncate,
                "try_replace": not flags.can_replace,
                "try_delete": not flags.can_be_deleted,
                "try_add_resource": not flags.supports_resources,
            }
            calls = tools.mutations(repository, area, areas["B"])
            for call in (call for call, is_denied in denied.items() if is_denied):
                tools.attempt(provider, False, calls[call])

    def test_read_only_refuses_everything(self, provider: Provider) -> None:
        """R-C-31, R-C-33: a read-only repository shows all of it, with every flag false."""
        areas = tools.sample(provider.repository)
        resource_id = provider.repository.get_resources(areas["A/Sub/Leaf"])[0].resource_id
        seen = tools.picture_of(provider.repository)
        provider.repository = repository = provider.read_only()
        assert list(seen) == ["/", *repository.get_areas(True)]
        with tools.nothing_changes(provider):
            for area in seen:
                flags = repository.get_area_capabilities(area)
                assert flags.supports_sub_areas or not repository.get_areas(False, area)
                assert not any(
                    (
                        flags.can_be_renamed,
                        flags.can_be_deleted,
                        flags.can_add_sub_areas,
                        flags.can_append_content,
                        flags.can_truncate,
                    )
                )
                for mutation in tools.mutations(repository, area, areas["B"]).values():
                    tools.refused(
                        mutation(), MutationFailure.READ_ONLY, MutationFailure.NOT_SUPPORTED
                    )
            for result in (
                repository.try_replace_resource(resource_id, "image/png", b""),
                repository.try_delete_resource(resource_id),
            ):
                tools.refused(result, MutationFailure.READ_ONLY, MutationFailure.NOT_SUPPORTED)

    def test_no_resources_without_the_flag(self, provider: Provider) -> None:
        """R-C-34, R-C-81: an area without the flag has no resources, and that is no error."""
        repository = provider.repository
        tools.sample(repository)
        for area in ("/", *repository.get_areas(True)):
            if not repository.get_area_capabilities(area).supports_resources:
                assert () == repository.get_resources(area)
