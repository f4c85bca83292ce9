"""Laws of the repository in memory, tried with random work."""

from __future__ import annotations

import random

import pytest

from adapters.contract import (
    Batch,
    KnowledgeAreaKind,
    is_same_or_descendant,
    rebase_area,
)
from adapters.memory import MemoryRepository

NAMES = ("a", "b", "c")
TEXTS = ("", "text\n", "# H\n\nx\n\n# H\n\ny\n\n## K\n", "# K\n\n## H\n\n# H\n")


def state(repository: MemoryRepository) -> dict[str, tuple[str, str, str]]:
    """Return area -> (handle, name, text) of every folder and document."""
    seen = {}
    for area in repository.get_areas(True):
        mark = repository.get_native_identity(area)
        if mark is not None:
            text = repository.get_aggregated_content(area) if mark.text_hash else ""
            seen[area] = (mark.handle, repository.get_area_name(area), text)
    return seen


def work(repository: MemoryRepository, chance: random.Random) -> None:
    """Do one random thing, as a caller or as another program."""
    areas = ("/", *repository.get_areas(True))
    area, other, name = chance.choice(areas), chance.choice(areas), chance.choice(NAMES)
    mark = repository.get_native_identity(area)
    if area != "/" and mark is not None and chance.random() < 0.3:
        if chance.random() < 0.3:
            repository.delete_outside(area)
        elif mark.text_hash:
            repository.edit_outside(area, chance.choice(TEXTS))
        return
    kind = chance.choice(list(KnowledgeAreaKind))
    content = chance.choice(TEXTS) if kind is KnowledgeAreaKind.CONTENT else ""
    chance.choice(
        [
            lambda: repository.try_add_sub_area(area, name, kind, content=content),
            lambda: repository.try_rename(area, name),
            lambda: repository.try_move_content(area, other),
            lambda: repository.try_move_content(area, other, new_name=name),
            lambda: repository.try_replace(area, chance.choice(TEXTS)),
            lambda: repository.try_append_content(area, chance.choice(TEXTS)),
            lambda: repository.try_delete(area),
            lambda: repository.try_trash(area),
            lambda: [repository.try_restore(e.token) for e in repository.list_trash()[:1]],
        ]
    )()


def follow(area: str, batch: Batch) -> str:
    """Return where `area` is after the moves of a batch, the deepest one deciding."""
    moves = [m for m in batch.moved if is_same_or_descendant(area, m.previous_area)]
    if not moves:
        return area
    move = max(moves, key=lambda m: len(m.previous_area))
    return rebase_area(area, move.previous_area, move.current_area)


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.parametrize("opaque", [False, True])
def test_feed_explains_every_difference(seed: int, opaque: bool) -> None:
    """MODEL 1: moves first, then what is touched; nothing else differs, nothing is missed."""
    chance = random.Random(seed)
    repository = MemoryRepository(opaque=opaque)
    for _ in range(10):
        before, cursor = state(repository), repository.since(None).cursor
        for _ in range(chance.randrange(12)):
            work(repository, chance)
        after, batch = state(repository), repository.since(cursor)
        expected = {follow(area, batch): seen for area, seen in before.items()}
        for area in expected.keys() | after.keys():
            if expected.get(area) != after.get(area):
                assert any(is_same_or_descendant(area, top) for top in batch.touched), area


@pytest.mark.parametrize("seed", range(40))
def test_links_hold_through_own_work(seed: int) -> None:
    """R-C-73: references lead to the same thing through every rename and move of a caller."""
    chance = random.Random(seed)
    repository = MemoryRepository()
    for _ in range(15):
        work(repository, chance)
    marks = [area for area in repository.get_areas(True) if repository.get_native_identity(area)]
    repository.try_add_sub_area("/", "Links", KnowledgeAreaKind.CONTENT)
    handles = [repository.get_native_identity(area) for area in marks]
    for _ in range(20):
        lines = "".join(f"<knowledge-area:{area}>\n" for area in marks)
        assert repository.try_replace("/Links", lines)
        areas = [area for area in repository.get_areas(True) if area != "/Links"]
        if areas:
            area, other = chance.choice(areas), chance.choice(areas)
            chance.choice(
                [
                    lambda area=area: repository.try_rename(area, chance.choice(NAMES)),
                    lambda area=area, other=other: repository.try_move_content(area, other),
                ]
            )()
        text = repository.get_aggregated_content("/Links")
        marks = [line[len("<knowledge-area:") : -1] for line in text.splitlines()]
        found = [repository.get_native_identity(area) for area in marks]
        assert [m and m.handle for m in handles] == [m and m.handle for m in found]


@pytest.mark.parametrize("seed", range(40))
def test_refused_work_changes_nothing(seed: int) -> None:
    """R-C-40: whatever is refused leaves everything as it was; whatever is done can be read."""
    chance = random.Random(seed)
    repository = MemoryRepository()
    for _ in range(60):
        before = repository.dump()
        areas = ("/", *repository.get_areas(True))
        area, other = chance.choice(areas), chance.choice(areas)
        result = chance.choice(
            [
                lambda a=area: repository.try_rename(a, chance.choice(NAMES)),
                lambda a=area, o=other: repository.try_move_content(a, o),
                lambda a=area: repository.try_append_content(a, chance.choice(TEXTS)),
                lambda a=area: repository.try_delete(a),
                lambda a=area: repository.try_add_sub_area(
                    a, chance.choice(NAMES), KnowledgeAreaKind.CONTENT, content="# H\n\n## a\n"
                ),
            ]
        )()
        if not result:
            assert before == repository.dump()
        elif result.area is not None and result.area not in (area,):
            assert repository.get_area_name(result.area)
        every = repository.get_areas(True)
        assert len(set(every)) == len(every)
