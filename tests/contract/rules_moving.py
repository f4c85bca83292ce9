"""Section 7.2: moving."""

from __future__ import annotations

import pytest

from adapters.contract import MutationFailure, NativeIdentity, Trash
from tests.contract import tools
from tests.contract.provider import Provider


class MovingRules:
    """R-C-70 to R-C-75."""

    def test_place_is_not_touched(self, provider: Provider) -> None:
        """R-C-70: the receiving place keeps what it has and gains one child."""
        repository = provider.repository
        areas = tools.sample(repository)
        before = repository.get_areas(True, areas["A/Sub"])
        text = repository.get_aggregated_content(areas["A/Sub/Leaf"])
        result = repository.try_move_content(areas["Top"], areas["A/Sub"])
        assert result.ok, result
        assert set(before) < set(repository.get_areas(True, areas["A/Sub"]))
        assert text == repository.get_aggregated_content(areas["A/Sub/Leaf"])

    def test_everything_moves_along(self, provider: Provider) -> None:
        """R-C-71: name, text and descendants move; the old parent stays, even when empty."""
        repository = provider.repository
        areas = tools.sample(repository)
        text = repository.get_aggregated_content(areas["A/Sub/Leaf"]).partition("![")[0]
        result = repository.try_move_content(areas["A/Sub/Leaf"], areas["B"])
        assert result.ok, result
        assert result.area is not None
        assert "Leaf" == repository.get_area_name(result.area)
        assert text == repository.get_aggregated_content(result.area).partition("![")[0]
        assert () == repository.get_areas(False, areas["A/Sub"])
        assert "Sub" == repository.get_area_name(areas["A/Sub"])
        resources = repository.get_resources(result.area)
        assert [tools.PNG] == [repository.get_resource_content(i.resource_id) for i in resources]

    def test_folder_moves_with_all_below(self, provider: Provider) -> None:
        """R-C-71, R-C-43: a folder moves in one step and one change."""
        repository = provider.repository
        areas = tools.sample(repository)
        names = [repository.get_area_name(a) for a in repository.get_areas(True, areas["A"])]
        result = repository.try_move_content(areas["A"], areas["B"])
        assert result.ok, result
        assert result.area is not None
        assert (result.area,) == repository.get_areas(False, areas["B"])
        moved = repository.get_areas(True, result.area)
        assert names == [repository.get_area_name(a) for a in moved]
        assert [(areas["A"], result.area)] == [
            (c.previous_area, c.current_area) for c in result.area_changes
        ]

    def test_move_and_rename_in_one_step(self, provider: Provider) -> None:
        """MODEL 1: a new name can come with a new parent, also where the old name is taken."""
        repository = provider.repository
        areas = tools.sample(repository)
        tools.document(repository, areas["B"], "Doc", "in the way\n")
        result = repository.try_move_content(areas["A/Doc"], areas["B"], new_name="Other [1]")
        assert result.ok, result
        assert result.area is not None
        assert "Other [1]" == repository.get_area_name(result.area)
        assert result.area in repository.get_areas(False, areas["B"])
        renamed = repository.try_move_content(result.area, areas["B"], new_name="Third")
        assert renamed.ok, renamed
        assert {"Doc", "Third"} == set(tools.names(repository, areas["B"]))

    def test_what_cannot_move(self, provider: Provider) -> None:
        """R-C-72: onto itself, below itself, into a document: NOT_SUPPORTED, nothing changes."""
        repository = provider.repository
        areas = tools.sample(repository)
        pairs = (
            (areas["A"], areas["A"]),
            (areas["A"], areas["A/Sub"]),
            (areas["A/Doc"], areas["A/Doc"]),
            (areas["B"], areas["A/Doc"]),
            (areas["Top"], areas["A/Doc"]),
        )
        with tools.nothing_changes(provider):
            for area, parent in pairs:
                tools.refused(
                    repository.try_move_content(area, parent), MutationFailure.NOT_SUPPORTED
                )
            tools.refused(
                repository.try_move_content(areas["A"], "/nowhere"), MutationFailure.NOT_FOUND
            )

    def test_taken_name_stops_a_move(self, provider: Provider) -> None:
        """R-C-72: a name that is taken at the target is a COLLISION, a bad one INVALID_NAME."""
        repository = provider.repository
        areas = tools.sample(repository)
        tools.document(repository, areas["B"], "Doc", "other\n")
        tools.folder(repository, areas["B"], "Sub")
        move = repository.try_move_content
        with tools.nothing_changes(provider):
            tools.refused(move(areas["A/Doc"], areas["B"]), MutationFailure.COLLISION)
            tools.refused(move(areas["A/Sub"], areas["B"]), MutationFailure.COLLISION)
            tools.refused(move(areas["Top"], areas["B"], new_name="Doc"), MutationFailure.COLLISION)
            tools.refused(move(areas["Top"], areas["B"], new_name=""), MutationFailure.INVALID_NAME)

    def test_links_into_what_moves_follow(self, provider: Provider) -> None:
        """R-C-73: references from three other documents into a moved folder stay valid."""
        repository = provider.repository
        areas = tools.sample(repository)
        targets = ("A/Doc", "A/Sub/Leaf", "A")
        others = [
            tools.document(repository, "/", f"Other{i}", f"[x](knowledge-area:{areas[key]})\n")
            for i, key in enumerate(targets)
        ]
        result = repository.try_move_content(areas["A"], areas["B"], new_name="New")
        assert result.ok, result
        assert result.area is not None
        for other, key in zip(others, targets, strict=True):
            text = repository.get_aggregated_content(other)
            current = result.area + areas[key].removeprefix(areas["A"])
            assert f"[x](knowledge-area:{current})\n" == text
            repository.get_area_name(current)

    def test_links_out_of_what_moves_stay(self, provider: Provider) -> None:
        """R-C-73: references out of a moved document, and between moved ones, stay valid."""
        repository = provider.repository
        areas = tools.sample(repository)
        text = f"[out](knowledge-area:{areas['Top']}) [in](knowledge-area:{areas['A/Doc']})\n"
        assert repository.try_replace(areas["A/Sub/Leaf"], text)
        result = repository.try_move_content(areas["A"], areas["B"])
        assert result.ok, result
        assert result.area is not None
        leaf = result.area + areas["A/Sub/Leaf"].removeprefix(areas["A"])
        doc = result.area + areas["A/Doc"].removeprefix(areas["A"])
        expected = f"[out](knowledge-area:{areas['Top']}) [in](knowledge-area:{doc})\n"
        assert expected == repository.get_aggregated_content(leaf)
        alone = repository.try_move_content(leaf, "/")
        assert alone.ok, alone
        assert alone.area is not None
        assert expected == repository.get_aggregated_content(alone.area)

    def test_rename_leads_links_along(self, provider: Provider) -> None:
        """R-C-73: references follow a renamed document, those to its headings too."""
        repository = provider.repository
        areas = tools.sample(repository)
        heading = tools.child_named(repository, areas["A/Doc"], "Two")
        text = f"[d](knowledge-area:{areas['A/Doc']}) [h](knowledge-area:{heading})\n"
        assert repository.try_replace(areas["Top"], text)
        result = repository.try_rename(areas["A/Doc"], "Renamed doc")
        assert result.ok, result
        assert result.area is not None
        current = tools.child_named(repository, result.area, "Two")
        expected = f"[d](knowledge-area:{result.area}) [h](knowledge-area:{current})\n"
        assert expected == repository.get_aggregated_content(areas["Top"])

    def test_shared_resource_keeps_its_id(self, provider: Provider) -> None:
        """R-C-74: a resource that another document uses stays where it is, with its id."""
        repository = provider.repository
        areas = tools.sample(repository)
        resource_id = tools.resource(repository, areas["Top"], name="logo.png")
        text = f"![](knowledge-resource:{resource_id})\n"
        assert repository.try_replace(areas["A/Doc"], text)
        result = repository.try_move_content(areas["A/Doc"], areas["B"])
        assert result.ok, result
        assert result.area is not None
        assert () == result.resource_id_changes
        assert text == repository.get_aggregated_content(result.area)

    def test_move_is_no_copy(self, provider: Provider) -> None:
        """R-C-75: what moves stays the same thing, and nothing goes through the trash."""
        repository = provider.repository
        areas = tools.sample(repository)
        identity = tools.need(repository, NativeIdentity)
        trash = tools.need(repository, Trash)
        before = identity.get_native_identity(areas["A/Doc"])
        result = repository.try_move_content(areas["A/Doc"], areas["B"])
        assert result.ok, result
        assert result.area is not None
        after = identity.get_native_identity(result.area)
        assert before is not None
        assert after is not None
        assert before.handle == after.handle
        assert () == trash.list_trash()

    @pytest.mark.parametrize("target", ["sibling", "document"])
    def test_heading_moves(self, provider: Provider, target: str) -> None:
        """R-C-70 to R-C-73: a heading moves with all below it, within a text or to another."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "0\n\n# a\n\n1\n\n## b\n\n2\n\n# c\n\n3\n")
        other = tools.document(repository, "/", "Other", "other\n")
        first, last = repository.get_areas(False, area)
        link = tools.document(repository, "/", "Link", f"[x](knowledge-area:{first})\n")
        place = last if target == "sibling" else other
        flags = repository.get_area_capabilities(first)
        result = tools.attempt(
            provider, flags.can_be_deleted, lambda: repository.try_move_content(first, place)
        )
        if result is None:
            return
        assert result.area is not None
        assert (result.area,) == repository.get_areas(False, place)
        assert ["b"] == tools.names(repository, result.area)
        assert "\n1\n\n" == repository.get_direct_content(result.area)
        assert ["c"] == tools.names(repository, area)
        expected = f"[x](knowledge-area:{result.area})\n"
        assert expected == repository.get_aggregated_content(link)

    def test_taken_heading_stops_a_move(self, provider: Provider) -> None:
        """R-C-72: a heading does not move to where its name is taken."""
        repository = provider.repository
        area = tools.document(repository, "/", "Doc", "# a\n\n1\n\n# c\n\n## a\n\n2\n")
        first, last = repository.get_areas(False, area)
        with tools.nothing_changes(provider):
            tools.refused(
                repository.try_move_content(first, last),
                MutationFailure.COLLISION,
                MutationFailure.NOT_SUPPORTED,
            )

    def test_heading_does_not_go_to_a_folder(self, provider: Provider) -> None:
        """R-C-72: a folder cannot hold a heading, and no heading a folder."""
        repository = provider.repository
        areas = tools.sample(repository)
        heading = repository.get_areas(False, areas["A/Doc"])[0]
        with tools.nothing_changes(provider):
            for area, parent in ((heading, areas["B"]), (areas["B"], heading)):
                tools.refused(
                    repository.try_move_content(area, parent),
                    MutationFailure.NOT_SUPPORTED,
                )

    def test_heading_cannot_move_below_level_six(self, provider: Provider) -> None:
        """R-C-66, R-C-32: a move that would need a seventh level is a LEVEL_OVERFLOW."""
        repository = provider.repository
        text = "# a\n\n## b\n\n# 1\n\n## 2\n\n### 3\n\n#### 4\n\n##### 5\n"
        area = tools.document(repository, "/", "Doc", text)
        first = repository.get_areas(False, area)[0]
        deepest = repository.get_areas(True, area)[-1]
        with tools.nothing_changes(provider):
            tools.refused(
                repository.try_move_content(first, deepest),
                MutationFailure.LEVEL_OVERFLOW,
                MutationFailure.NOT_SUPPORTED,
            )
