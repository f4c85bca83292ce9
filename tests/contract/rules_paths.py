"""Section 2: areas and paths; and R-C-93, names and paths from who knows where."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.contract import (
    AreaNotFound,
    InvalidArea,
    KnowledgeAreaKind,
    MutationFailure,
    ResourceNotFound,
    is_area,
    parent_area,
)
from tests.contract import tools
from tests.contract.provider import Provider

READS = (
    "get_areas",
    "get_area_name",
    "get_area_capabilities",
    "has_direct_content",
    "get_direct_content",
    "get_aggregated_content",
    "get_resources",
)
MALFORMED = ("", "a", "//", "//a", "/a/", "/a//b", "/a\\b", "/a b", "/a\n", "/a#b", "/a?b", "/<a>")
UNKNOWN = ("/nowhere", "/nowhere/at/all", "/..", "/../x", "/%2E%2E/x", "/.", "/%00")
HOSTILE_NAMES = (
    "..",
    ".",
    "../escape",
    "../../etc/passwd",
    "/etc/passwd",
    "..\\escape",
    "C:\\escape",
    "C:escape",
    "\\\\host\\share",
    "%2e%2e%2fescape",
    "a\0b",
    "CON",
    "name:stream",
    ".git",
    "~",
    "-rf",
)
SPECIAL = "<>()[]{}\"'`\\^|#?&/%~ \t\u00a0\u2003."


def read(provider: Provider, method: str, area: str) -> object:
    """Call one of `READS`."""
    repository = provider.repository
    return (
        repository.get_areas(False, area)
        if method == "get_areas"
        else getattr(repository, method)(area)
    )


class PathRules:
    """Section 2."""

    def test_every_path_is_well_formed(self, provider: Provider) -> None:
        """R-C-01: every path a repository returns is absolute and of its alphabet."""
        tools.sample(provider.repository)
        assert [] == [a for a in provider.repository.get_areas(True) if not is_area(a)]

    def test_slashes_are_the_structure(self, provider: Provider) -> None:
        """R-C-03: the parent by slash of a child is the area that lists it."""
        tools.sample(provider.repository)
        for area in ("/", *provider.repository.get_areas(True)):
            for child in provider.repository.get_areas(False, area):
                assert area == parent_area(child)

    @pytest.mark.parametrize(
        "name", ["a b", "a/b", "[x](y)", "50%2F50", "what?", "a~2", "Ünïcödé 📝"]
    )
    def test_names_are_for_people(self, provider: Provider, name: str) -> None:
        """R-C-04: a name is given back as it was, whatever its path looks like."""
        area = tools.document(provider.repository, "/", name)
        assert name == provider.repository.get_area_name(area)
        assert [area] == list(provider.repository.get_areas(False))

    def test_root_has_a_name(self, provider: Provider) -> None:
        """R-C-04: the root has a name too."""
        assert provider.repository.get_area_name("/")

    def test_paths_are_accepted_back(self, provider: Provider) -> None:
        """R-C-05: every path that is returned is accepted by every read."""
        tools.sample(provider.repository)
        for area in ("/", *provider.repository.get_areas(True)):
            for method in READS:
                read(provider, method, area)

    def test_any_name_round_trips(self, provider: Provider) -> None:
        """R-C-06: a name that is accepted leads to a well-formed path and comes back verbatim."""
        repository = provider.repository

        @settings(max_examples=60, deadline=None, derandomize=True, database=None)
        @given(st.one_of(st.text(max_size=12), st.text(alphabet=SPECIAL, max_size=8)))
        def check(name: str) -> None:
            result = repository.try_add_sub_area("/", name, KnowledgeAreaKind.CONTENT)
            if result.ok:
                assert result.area is not None
                assert is_area(result.area)
                assert name == repository.get_area_name(result.area)
                assert result.area in repository.get_areas(False)
            else:
                tools.refused(result, MutationFailure.INVALID_NAME, MutationFailure.COLLISION)

        check()

    @pytest.mark.parametrize("char", "<>()[]{}\"'`\\^|#?&/%~ ")
    def test_special_characters_are_names(self, provider: Provider, char: str) -> None:
        """R-C-06: a name made of what a path cannot hold is a name nevertheless."""
        area = tools.document(provider.repository, "/", f"a{char}b{char}c")
        assert is_area(area)
        assert f"a{char}b{char}c" == provider.repository.get_area_name(area)

    def test_paths_are_unique(self, provider: Provider) -> None:
        """R-C-07: equal names of different kinds and equal sibling headings differ in path."""
        tools.folder(provider.repository, "/", "Same")
        tools.document(provider.repository, "/", "Same", "# X\n\n# X\n\n## X\n\n# X\n")
        areas = provider.repository.get_areas(True)
        assert 6 == len(areas)
        assert len(set(areas)) == len(areas)

    def test_similar_names_have_their_own_paths(self, provider: Provider) -> None:
        """R-C-07: names that look like codes, or like the numbers of doubles, are no such thing."""
        repository = provider.repository
        names = ["a b", "a%20b", "a%2520b", "a~2", "a~", "a"]
        for name in names:
            tools.document(repository, "/", name)
        tools.folder(repository, "/", "a")
        tools.document(repository, "/", "Doc", "# A\n\n# A\n\n# A~2\n\n# A%20\n\n# A \n")
        areas = repository.get_areas(True)
        assert 13 == len(areas) == len(set(areas))
        assert sorted([*names, "a", "Doc"]) == sorted(tools.names(repository, "/"))

    @pytest.mark.parametrize("area", MALFORMED)
    def test_malformed_paths_raise(self, provider: Provider, area: str) -> None:
        """R-C-08: a malformed path raises `InvalidArea`; nothing is cleaned up silently."""
        for method in READS:
            with pytest.raises(InvalidArea):
                read(provider, method, area)

    @pytest.mark.parametrize("area", UNKNOWN)
    def test_unknown_paths_raise(self, provider: Provider, area: str) -> None:
        """R-C-08: a well-formed path that names nothing raises `AreaNotFound`."""
        for method in READS:
            with pytest.raises(AreaNotFound):
                read(provider, method, area)

    @pytest.mark.parametrize("area", [*MALFORMED, *UNKNOWN])
    def test_mutations_refuse_strange_paths(self, provider: Provider, area: str) -> None:
        """MODEL 1: a mutation answers a malformed or unknown area with NOT_FOUND."""
        tools.sample(provider.repository)
        with tools.nothing_changes(provider):
            for mutation in tools.mutations(provider.repository, area, "/").values():
                tools.refused(mutation(), MutationFailure.NOT_FOUND)

    def test_path_of_what_is_gone_raises(self, provider: Provider) -> None:
        """R-C-05: a path is good until its area is removed, and then names nothing."""
        area = tools.document(provider.repository, "/", "Gone", "# H\n")
        heading = provider.repository.get_areas(False, area)[0]
        assert provider.repository.try_delete(area)
        for path in (area, heading):
            with pytest.raises(AreaNotFound):
                provider.repository.get_area_name(path)

    @pytest.mark.parametrize("name", HOSTILE_NAMES)
    @pytest.mark.parametrize("kind", list(KnowledgeAreaKind))
    def test_hostile_names_stay_inside(
        self, provider: Provider, name: str, kind: KnowledgeAreaKind
    ) -> None:
        """R-C-93: no name leads out of the storage; it is taken literally or refused."""
        before = provider.surroundings()
        area = tools.document(provider.repository, "/", "Doc", "text\n")
        result = provider.repository.try_add_sub_area("/", name, kind)
        renamed = provider.repository.try_rename(area, name)
        assert before == provider.surroundings()
        for outcome in (result, renamed):
            if outcome.ok:
                assert outcome.area is not None
                assert name == provider.repository.get_area_name(outcome.area)
            else:
                tools.refused(outcome, MutationFailure.INVALID_NAME, MutationFailure.COLLISION)

    @pytest.mark.parametrize("name", ["", *HOSTILE_NAMES, "a/b/c.png", ".hidden.png", "x" * 400])
    def test_hostile_file_names_stay_inside(self, provider: Provider, name: str) -> None:
        """R-C-82, R-C-93: a file name is a hint; wherever it points, the bytes are readable."""
        area = tools.document(provider.repository, "/", "Doc")
        before = provider.surroundings()
        resource_id = tools.resource(provider.repository, area, name=name)
        assert before == provider.surroundings()
        assert tools.PNG == provider.repository.get_resource_content(resource_id)
        assert (area,) == provider.repository.get_areas(True)

    @pytest.mark.parametrize(
        "resource_id", ["", "..", "../x", "/etc/passwd", "%2e%2e", "a b", "x" * 5000, "1.Li4", "\0"]
    )
    def test_hostile_ids_name_nothing(self, provider: Provider, resource_id: str) -> None:
        """R-C-93: an id from elsewhere names no resource, whatever is encoded in it."""
        repository = provider.repository
        with pytest.raises(ResourceNotFound):
            repository.get_resource(resource_id)
        with pytest.raises(ResourceNotFound):
            repository.get_resource_content(resource_id)
        with tools.nothing_changes(provider):
            tools.refused(
                repository.try_replace_resource(resource_id, "image/png", b""),
                MutationFailure.NOT_FOUND,
            )
            tools.refused(repository.try_delete_resource(resource_id), MutationFailure.NOT_FOUND)
