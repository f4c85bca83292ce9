"""Section 3: enumeration and search."""

from __future__ import annotations

import pytest

from adapters.contract import AreaNotFound, KnowledgeRepository, is_same_or_descendant
from tests.contract import tools
from tests.contract.provider import Provider


def expansion(repository: KnowledgeRepository, area: str) -> list[str]:
    """Return what calls for direct children alone come to."""
    found: list[str] = []
    for child in repository.get_areas(False, area):
        found += [child, *expansion(repository, child)]
    return found


class EnumerationRules:
    """Section 3."""

    def test_children_and_descendants(self, provider: Provider) -> None:
        """R-C-10: direct children only, or all descendants; never the area itself."""
        repository = provider.repository
        areas = tools.sample(repository)
        assert {areas["A"], areas["B"], areas["Top"]} == set(repository.get_areas(False))
        assert {areas["A/Sub"], areas["A/Doc"]} == set(repository.get_areas(False, areas["A"]))
        below = repository.get_areas(True, areas["A/Doc"])
        assert ["One", "Deep", "Two"] == [repository.get_area_name(a) for a in below]
        assert () == repository.get_areas(True, areas["B"])
        for area in ("/", *areas.values()):
            assert area not in repository.get_areas(True, area)

    def test_parents_come_first(self, provider: Provider) -> None:
        """R-C-10: descendants come depth-first, a parent right before what is below it."""
        repository = provider.repository
        tools.sample(repository)
        areas = repository.get_areas(True)
        for position, area in enumerate(areas):
            below = repository.get_areas(True, area)
            assert below == areas[position + 1 : position + 1 + len(below)]

    def test_recursion_is_expansion(self, provider: Provider) -> None:
        """R-C-12: the recursive answer is what the direct-child answers come to."""
        repository = provider.repository
        tools.sample(repository)
        for area in ("/", *repository.get_areas(True)):
            assert expansion(repository, area) == list(repository.get_areas(True, area))

    def test_order_is_stable(self, provider: Provider) -> None:
        """R-C-11: the order of siblings stays while nothing changes."""
        repository = provider.repository
        for name in ("b", "10", "2", "A", "ä", "a2"):
            tools.document(repository, "/", name)
        first = repository.get_areas(True)
        assert all(first == repository.get_areas(True) for _ in range(50))

    def test_headings_follow_the_text(self, provider: Provider) -> None:
        """R-C-11: headings come in document order, also after the text is reordered."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "# b\n\n# a\n\n# c\n")
        assert ["b", "a", "c"] == tools.names(repository, area)
        assert repository.try_replace(area, "# c\n\n# b\n\n# a\n")
        assert ["c", "b", "a"] == tools.names(repository, area)

    def test_levels_make_the_tree(self, provider: Provider) -> None:
        """R-C-22: a heading is below the nearest one before it with a smaller level."""
        repository = provider.repository
        text = "## early\n\n# top\n\n### gap\n\n## next\n\n# last\n"
        area = tools.document(repository, "/", "Doc", text)
        assert ["early", "top", "last"] == tools.names(repository, area)
        top = tools.child_named(repository, area, "top")
        assert ["gap", "next"] == tools.names(repository, top)

    def test_only_headings_are_headings(self, provider: Provider) -> None:
        """R-C-85, R-F-21: code, quotes, lists and HTML hold no headings."""
        repository = provider.repository
        text = "```\n# code\n```\n\n    # code\n\n> # quote\n\n- # item\n"
        text += "\n<div>\n# html\n</div>\n\n#\n\nReal\n====\n"
        area = tools.document(repository, "/", "Doc", text)
        assert ["Real"] == tools.names(repository, area)

    @pytest.mark.parametrize("keyword", ["needle", "NEEDLE", "eedl"])
    def test_keyword_finds_names_and_texts(self, provider: Provider, keyword: str) -> None:
        """R-C-14: a keyword is found in names and texts, whatever its case, in tree order."""
        repository = provider.repository
        shelf = tools.folder(repository, "/", "Needles")
        named = tools.document(repository, shelf, "the needle", "hay\n")
        held = tools.document(repository, "/", "Stack", "hay\n\n# Part\n\na Needle here\n")
        tools.document(repository, "/", "Other", "hay\n")
        part = repository.get_areas(False, held)[0]
        found = repository.get_areas_by_keyword(keyword)
        assert {shelf, named, part} <= set(found)
        assert tools.child_named(repository, "/", "Other") not in found
        assert list(found) == [a for a in repository.get_areas(True) if a in found]

    def test_keyword_stays_within(self, provider: Provider) -> None:
        """R-C-14: only areas within the start area are found."""
        repository = provider.repository
        areas = tools.sample(repository)
        found = repository.get_areas_by_keyword("e", areas["A"])
        assert areas["A/Sub/Leaf"] in found
        assert all(is_same_or_descendant(area, areas["A"]) for area in found)
        with pytest.raises(AreaNotFound):
            repository.get_areas_by_keyword("e", "/nowhere")

    @pytest.mark.parametrize("keyword", ["", "  ", "\t\n", "no such word"])
    def test_blank_keyword_finds_nothing(self, provider: Provider, keyword: str) -> None:
        """R-C-14: an empty, blank or absent keyword gives nothing."""
        tools.sample(provider.repository)
        assert () == provider.repository.get_areas_by_keyword(keyword)

    def test_reads_have_no_side_effects(self, provider: Provider) -> None:
        """R-C-15: no read writes, normalises or touches anything."""
        repository = provider.repository
        tools.sample(repository)
        tools.document(repository, "/", "Odd", "x\r\n# a\r\r\n\n\n<b>![]( y )\n\n")
        before = provider.fingerprint()
        tools.picture_of(repository)
        repository.get_areas_by_keyword("e")
        assert before == provider.fingerprint()

    def test_resources_are_no_areas(self, provider: Provider) -> None:
        """R-C-16: resources never appear among the areas."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "text\n")
        tools.resource(repository, area, name="pic.png")
        tools.resource(repository, area, name="notes.md", content=b"# no area\n")
        assert (area,) == repository.get_areas(True)
