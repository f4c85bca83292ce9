"""Section 7.1: sparse append."""

from __future__ import annotations

import pytest

from adapters.contract import KnowledgeAreaKind, MutationFailure, MutationResult
from adapters.markdown import parse
from tests.contract import tools
from tests.contract.provider import Provider

TEXT = "own\n\n# One\n\nfirst\n\n## Deep\n\ndeep\n\n# Two\n\nsecond"


def append(provider: Provider, area: str, payload: str) -> MutationResult | None:
    """Append where a flag allows it; assert the refusal where not."""
    flags = provider.repository.get_area_capabilities(area)
    return tools.attempt(
        provider,
        flags.can_append_content,
        lambda: provider.repository.try_append_content(area, payload),
    )


def outline(provider: Provider, area: str) -> list[tuple[int, str]]:
    """Return levels and names of the headings of a document."""
    text = provider.repository.get_aggregated_content(area)
    return [(heading.level, heading.name) for heading in parse(text).headings]


class AppendingRules:
    """R-C-60 to R-C-68."""

    def test_payload_is_a_tree(self, provider: Provider) -> None:
        """R-C-60: leading text belongs to the target, headings are wanted children, by level."""
        area = tools.document(provider.repository, "/", "Doc", TEXT)
        if append(provider, area, "lead\n\n# New\n\nn\n\n## Below\n\n# One\n\n## Also\n"):
            expected = [(1, "One"), (2, "Deep"), (2, "Also"), (1, "Two"), (1, "New"), (2, "Below")]
            assert expected == outline(provider, area)

    def test_leading_text_comes_before_children(self, provider: Provider) -> None:
        """R-C-61: leading text lands after the own text, above the first child, set apart."""
        area = tools.document(provider.repository, "/", "Doc", TEXT)
        if append(provider, area, "lead\n"):
            expected = TEXT.replace("own\n\n", "own\n\nlead\n\n")
            assert expected == provider.repository.get_aggregated_content(area)

    def test_newlines_are_the_documents(self, provider: Provider) -> None:
        """R-C-61: what is added has the document's line ends."""
        area = tools.document(provider.repository, "/", "Doc", "own\r\n\r\n# One\r\n")
        if append(provider, area, "lead\n\n# New\n\ntext\n"):
            text = provider.repository.get_aggregated_content(area)
            assert "\n" not in text.replace("\r\n", "")
            assert text.startswith("own\r\n\r\nlead\r\n\r\n# One\r\n")

    def test_text_without_line_end(self, provider: Provider) -> None:
        """R-C-61, R-F-33: text without a final line end is not glued to what is added."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "abc")
        if append(provider, area, "lead\n\n# New\n"):
            assert repository.get_aggregated_content(area).startswith("abc\n\nlead\n\n# New")

    def test_only_direct_children_match(self, provider: Provider) -> None:
        """R-C-62: a name two levels down is not looked for; a new child is made."""
        area = tools.document(provider.repository, "/", "Doc", TEXT)
        if append(provider, area, "# Deep\n\nx\n"):
            expected = [(1, "One"), (2, "Deep"), (1, "Two"), (1, "Deep")]
            assert expected == outline(provider, area)

    def test_names_match_after_nfc(self, provider: Provider) -> None:
        """R-C-62: names are compared after Unicode NFC, and otherwise exactly."""
        area = tools.document(provider.repository, "/", "Doc", "# Caf\u00e9\n\n# one\n")
        if append(provider, area, "# Cafe\u0301\n\nmore\n\n# One\n"):
            expected = [(1, "Caf\u00e9"), (1, "one"), (1, "One")]
            assert expected == outline(provider, area)

    def test_several_matches_are_ambiguous(self, provider: Provider) -> None:
        """R-C-62, R-C-65: where several children match, the whole call is AMBIGUOUS."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "# A\n\n# A\n\n# B\n")
        flags = repository.get_area_capabilities(area)
        failure = (
            MutationFailure.AMBIGUOUS if flags.can_append_content else MutationFailure.NOT_SUPPORTED
        )
        with tools.nothing_changes(provider):
            tools.refused(repository.try_append_content(area, "# B\n\nx\n\n# A\n\ny\n"), failure)

    def test_new_siblings_keep_their_order(self, provider: Provider) -> None:
        """R-C-63: new siblings come in payload order; two equal ones stay two."""
        area = tools.document(provider.repository, "/", "Doc", TEXT)
        if append(provider, area, "# z\n\n# same\n\n1\n\n# a\n\n# same\n\n2\n"):
            names = [name for _, name in outline(provider, area)]
            assert ["One", "Deep", "Two", "z", "same", "a", "same"] == names

    def test_append_only_inserts(self, provider: Provider) -> None:
        """R-C-64: nothing that exists is removed, reordered or reformatted."""
        repository = provider.repository
        text = "own  \n* a\n+ b\n\nOne\n===\n\n\n\nfirst\n## Deep ##\n# Two\n\n\n"
        area = tools.document(repository, "/", "Doc", text)
        if append(provider, area, "lead\n\n# One\n\nx\n\n## Deep\n\ny\n\n# New\n"):
            rest = iter(repository.get_aggregated_content(area))
            assert all(char in rest for char in text)

    def test_many_branches_or_none(self, provider: Provider) -> None:
        """R-C-65: a payload whose second branch is impossible changes nothing in the first."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", TEXT)
        payload = "# One\n\nfine\n\n# Two\n\n![](knowledge-resource:no-such-id)\n"
        with tools.nothing_changes(provider):
            tools.refused(
                repository.try_append_content(area, payload),
                MutationFailure.INVALID_CONTENT,
                MutationFailure.NOT_SUPPORTED,
            )

    def test_levels_come_from_siblings(self, provider: Provider) -> None:
        """R-C-66: a new heading has the level of its siblings, or one more than its parent."""
        area = tools.document(provider.repository, "/", "Doc", "## A\n\n#### Deep\n\n## B\n")
        if append(provider, area, "# A\n\n# New\n\n## Below\n") is None:
            return
        expected = [(2, "A"), (4, "Deep"), (2, "B"), (2, "New"), (3, "Below")]
        assert expected == outline(provider, area)
        if append(provider, area, "# A\n\n## Side\n\n# B\n\n### First\n"):
            expected[2:3] = [(4, "Side"), (2, "B"), (3, "First")]
            assert expected == outline(provider, area)

    def test_no_seventh_level(self, provider: Provider) -> None:
        """R-C-66: below level 6 there is no level: LEVEL_OVERFLOW."""
        repository = provider.repository
        text = "".join(f"{'#' * level} {level}\n\n" for level in range(1, 7))
        area = tools.document(repository, "/", "Doc", text)
        deepest = repository.get_areas(True, area)[-1]
        flags = repository.get_area_capabilities(deepest)
        assert not flags.can_add_sub_areas
        failure = (
            MutationFailure.LEVEL_OVERFLOW
            if flags.can_append_content
            else MutationFailure.NOT_SUPPORTED
        )
        with tools.nothing_changes(provider):
            tools.refused(repository.try_append_content(deepest, "# Seven\n"), failure)
            tools.refused(
                repository.try_add_sub_area(deepest, "Seven", KnowledgeAreaKind.CONTENT),
                MutationFailure.NOT_SUPPORTED,
            )

    @pytest.mark.parametrize("payload", ["", " ", "\n\n", "\t\r\n"])
    def test_blank_payload_changes_nothing(self, provider: Provider, payload: str) -> None:
        """R-C-67: an empty or blank payload succeeds and changes nothing."""
        area = tools.document(provider.repository, "/", "Doc", TEXT)
        before = provider.fingerprint()
        append(provider, area, payload)
        assert before == provider.fingerprint()

    def test_headings_become_documents_in_a_folder(self, provider: Provider) -> None:
        """R-C-68: on an aggregation, top-level headings are documents, never folders."""
        repository = provider.repository
        areas = tools.sample(repository)
        payload = "# [x]\n\nnew\n\n## sub\n\n# Sub\n\n# Doc\n\n## Two\n\nmore\n"
        if append(provider, areas["A"], payload) is None:
            return
        assert ["Doc", "Sub", "Sub", "[x]"] == sorted(tools.names(repository, areas["A"]))
        made = tools.child_named(repository, areas["A"], "[x]")
        assert ["sub"] == tools.names(repository, made)
        assert [(1, "One"), (2, "Deep"), (1, "Two")] == outline(provider, areas["A/Doc"])
        two = tools.child_named(repository, areas["A/Doc"], "Two")
        assert "more" == repository.get_direct_content(two).strip()

    @pytest.mark.parametrize(
        ("text", "payload"),
        [
            ("text\n\n```\ncode\n", "# New\n"),
            ("text\n\n```\ncode\n", "lead\n"),
            ("text\n\n<!-- open\n", "lead\n"),
            ("text\n\n# Head\n", "lead\n\n```\nopen\n"),
        ],
    )
    def test_nothing_is_swallowed(self, provider: Provider, text: str, payload: str) -> None:
        """R-F-33, R-C-64: what an open fence or comment would swallow is INVALID_CONTENT."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", text)
        with tools.nothing_changes(provider):
            tools.refused(
                repository.try_append_content(area, payload),
                MutationFailure.INVALID_CONTENT,
                MutationFailure.NOT_SUPPORTED,
            )
