"""Section 6: mutations in general."""

from __future__ import annotations

import pytest

from adapters.contract import (
    KnowledgeAreaChange,
    KnowledgeAreaKind,
    MutationFailure,
    MutationResult,
    Revisions,
    rebase_area,
)
from tests.contract import tools
from tests.contract.provider import InjectedFault, Provider

FUZZ_AREAS = (
    "/",
    "",
    "//",
    "/..",
    "/\0",
    "/\ud800",
    "a" * 5000,
    "/" + "x/" * 500 + "x",
    "/%",
    "/~",
)
FUZZ_NAMES = ("", "\0", "\ud800", "\n", " ", ".", "..", "x" * 5000, "a\u0308", "\u202e", "~", "%")
FUZZ_TEXTS = ("\0", "\ud800", "# \n## \n", "#" * 5000, "[" * 500, "> " * 300, "```\n", "\x1b\x85")
ATOMIC = {
    "rename": lambda r, a: r.try_rename(a["A"], "Renamed"),
    "move": lambda r, a: r.try_move_content(a["A/Doc"], a["B"]),
    "move a folder": lambda r, a: r.try_move_content(a["A"], a["B"]),
    "replace": lambda r, a: r.try_replace(a["A/Doc"], "other\n"),
    "append": lambda r, a: r.try_append_content(a["A/Doc"], "# Two\n\nmore\n\n# Three\n"),
    "truncate": lambda r, a: r.try_truncate(a["A/Doc"]),
    "add": lambda r, a: r.try_add_sub_area(a["B"], "N", KnowledgeAreaKind.CONTENT, content="x"),
    "add a folder": lambda r, a: r.try_add_sub_area(a["B"], "N", KnowledgeAreaKind.STRUCTURAL),
    "delete": lambda r, a: r.try_delete(a["A/Doc"]),
    "add a resource": lambda r, a: r.try_add_resource(a["A/Doc"], "n.png", "image/png", b"1"),
    "replace a resource": lambda r, a: r.try_replace_resource(
        r.get_resources(a["A/Sub/Leaf"])[0].resource_id, "image/png", b"2"
    ),
}


class MutationRules:
    """Section 6."""

    @pytest.mark.parametrize("mutation", ATOMIC)
    def test_all_or_nothing(self, provider: Provider, mutation: str) -> None:
        """R-C-40: whichever write fails, everyone sees the change as a whole or not at all."""
        repository = provider.repository
        for step in range(100):
            top = tools.folder(repository, "/", f"Try {step}")
            areas = tools.sample(repository, top)
            before = tools.picture_of(repository, top)
            result = None
            with provider.fault(step) as fault:
                try:
                    result = ATOMIC[mutation](repository, areas)
                except InjectedFault:
                    assert fault.hit
            if result is not None and result.ok:
                assert before != tools.picture_of(repository, top) or mutation == "add a resource"
                if not fault.hit:
                    return
            else:
                assert fault.hit, result
                assert before == tools.picture_of(repository, top), f"half done at step {step}"
            assert repository.try_delete(top)
        raise AssertionError("a mutation of more than 100 writes")

    def test_refusals_are_values(self, provider: Provider) -> None:
        """R-C-41: no argument of the right type makes a mutation raise."""
        repository = provider.repository
        areas = tools.sample(repository)
        results: list[MutationResult] = []
        for area in FUZZ_AREAS:
            results += [call() for call in tools.mutations(repository, area, "/").values()]
            results.append(repository.try_move_content(areas["Top"], area))
        for name in FUZZ_NAMES:
            for kind in KnowledgeAreaKind:
                results.append(repository.try_add_sub_area(areas["B"], name, kind))
            results.append(repository.try_rename(areas["Top"], name))
            results.append(repository.try_move_content(areas["Top"], areas["B"], new_name=name))
            results.append(repository.try_add_resource(areas["A/Doc"], name, name, b""))
        for text in FUZZ_TEXTS:
            results.append(repository.try_replace(areas["A/Doc"], text))
            results.append(repository.try_append_content(areas["A/Doc"], text))
            results.append(repository.try_replace(areas["A/Doc"], "x", expected_revision=text))
        for result in results:
            assert isinstance(result, MutationResult)
            assert bool(result) == result.ok == (result.failure is None)
        tools.picture_of(repository)

    def test_collision_is_permanent(self, provider: Provider) -> None:
        """R-C-42: a taken name or an impossible one is no temporary failure."""
        repository = provider.repository
        tools.document(repository, "/", "Doc")
        kind = KnowledgeAreaKind.CONTENT
        taken = repository.try_add_sub_area("/", "Doc", kind)
        tools.refused(taken, MutationFailure.COLLISION)
        tools.refused(repository.try_add_sub_area("/", "", kind), MutationFailure.INVALID_NAME)
        assert taken.failure is not None
        assert not taken.failure.is_retryable

    def test_rename_reports_one_change(self, provider: Provider) -> None:
        """R-C-43: a changed path is one entry; descendants follow by their prefix."""
        repository = provider.repository
        areas = tools.sample(repository)
        below = repository.get_areas(True, areas["A"])
        result = repository.try_rename(areas["A"], "Renamed")
        assert result.ok, result
        assert result.area is not None
        assert result.area in repository.get_areas(False)
        change = (KnowledgeAreaChange(areas["A"], result.area),) * (result.area != areas["A"])
        assert change == result.area_changes
        expected = {rebase_area(area, areas["A"], result.area) for area in below}
        assert expected == set(repository.get_areas(True, result.area))

    def test_renumbered_headings_are_reported(self, provider: Provider) -> None:
        """R-C-43: removing the first of equal headings tells where the others are now."""
        repository = provider.repository
        text = "# A\n\n1\n\n# A\n\n2\n\n# A\n\n3\n"
        area = tools.document(repository, "/", "Doc", text)
        first, second, third = repository.get_areas(False, area)
        capabilities = repository.get_area_capabilities(first)
        result = tools.attempt(
            provider, capabilities.can_be_deleted, lambda: repository.try_delete(first)
        )
        if result is not None:
            moved = {c.previous_area: c.current_area for c in result.area_changes}
            for old, text in ((second, "\n2\n\n"), (third, "\n3\n")):
                assert text == repository.get_direct_content(moved.get(old, old))

    def test_changed_resource_ids_are_reported(self, provider: Provider) -> None:
        """R-C-44, R-C-74: after a move every id is good, or its successor was reported."""
        repository = provider.repository
        areas = tools.sample(repository)
        free = tools.resource(repository, areas["A/Doc"], name="free.png", content=b"free")
        owned = tools.resource(repository, areas["A/Doc"], name="", content=b"owned")
        for call in (
            lambda area: repository.try_rename(area, "Renamed"),
            lambda area: repository.try_move_content(area, areas["B"]),
            lambda area: repository.try_rename(areas["B"], "Else"),
        ):
            area = next(a for a in repository.get_areas(True) if self._is_doc(provider, a))
            result = call(area)
            assert result.ok, result
            changes = {
                c.previous_resource_id: c.current_resource_id for c in result.resource_id_changes
            }
            assert all(old != new for old, new in changes.items())
            free, owned = changes.get(free, free), changes.get(owned, owned)
            assert b"free" == repository.get_resource_content(free)
            assert b"owned" == repository.get_resource_content(owned)
            area = next(a for a in repository.get_areas(True) if self._is_doc(provider, a))
            assert [free, owned] == [i.resource_id for i in repository.get_resources(area)]

    @staticmethod
    def _is_doc(provider: Provider, area: str) -> bool:
        return provider.repository.get_direct_content(area).startswith("intro")

    def test_no_op_writes_nothing(self, provider: Provider) -> None:
        """R-C-45: what would change nothing succeeds, writes nothing and reports nothing."""
        repository = provider.repository
        areas = tools.sample(repository)
        empty = tools.document(repository, areas["B"], "Empty")
        resource_id = repository.get_resources(areas["A/Sub/Leaf"])[0].resource_id
        calls = [
            lambda: repository.try_truncate(empty),
            lambda: repository.try_replace(empty, ""),
            lambda: repository.try_rename(areas["A/Doc"], "Doc"),
            lambda: repository.try_rename(areas["A"], "A"),
            lambda: repository.try_move_content(areas["A/Doc"], areas["A"]),
            lambda: repository.try_move_content(areas["A"], "/"),
            lambda: repository.try_move_content(areas["A/Doc"], areas["A"], new_name="Doc"),
            lambda: repository.try_replace(
                areas["A/Doc"], repository.get_aggregated_content(areas["A/Doc"])
            ),
            lambda: repository.try_append_content(areas["A/Doc"], ""),
            lambda: repository.try_append_content(areas["A/Doc"], " \n\t\n"),
            lambda: repository.try_replace_resource(resource_id, "image/png", tools.PNG),
        ]
        with tools.nothing_changes(provider):
            for call in calls:
                result = call()
                assert result.ok, result
                assert () == result.area_changes
                assert () == result.resource_id_changes

    def test_siblings_stay(self, provider: Provider) -> None:
        """R-C-46: siblings that are not concerned keep content and order."""
        repository = provider.repository
        shelf = tools.folder(repository, "/", "Shelf")
        others = [tools.document(repository, shelf, n, f"text {n}\n") for n in ("a", "b", "c", "e")]
        area = tools.document(repository, shelf, "d", "text\n")
        order = [a for a in repository.get_areas(False, shelf) if a in others]
        seen = [repository.get_aggregated_content(other) for other in order]
        for call in (
            lambda: repository.try_replace(area, "other\n"),
            lambda: repository.try_append_content(area, "# more\n"),
            lambda: repository.try_truncate(area),
            lambda: repository.try_rename(area, "zz"),
            lambda: repository.try_delete(tools.child_named(repository, shelf, "zz")),
        ):
            result = call()
            assert result.ok, result
            assert order == [a for a in repository.get_areas(False, shelf) if a in others]
            assert seen == [repository.get_aggregated_content(other) for other in order]

    @pytest.mark.parametrize("call", ["append", "truncate", "replace", "delete"])
    def test_stale_revision_is_refused(self, provider: Provider, call: str) -> None:
        """MODEL 1: with an outdated revision nothing happens; with the present one it does."""
        repository = provider.repository
        revisions = tools.need(repository, Revisions)
        area = tools.document(repository, "/", "Doc", "first\n")
        old = revisions.get_area_revision(area)
        assert repository.try_replace(area, "second\n")
        calls = {
            "append": lambda r: repository.try_append_content(area, "x", expected_revision=r),
            "truncate": lambda r: repository.try_truncate(area, expected_revision=r),
            "replace": lambda r: repository.try_replace(area, "third\n", expected_revision=r),
            "delete": lambda r: repository.try_delete(area, expected_revision=r),
        }
        with tools.nothing_changes(provider):
            tools.refused(calls[call](old), MutationFailure.STALE)
            tools.refused(calls[call]("no revision"), MutationFailure.STALE)
        result = calls[call](revisions.get_area_revision(area))
        assert result.ok, result
