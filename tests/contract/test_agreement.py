"""Random work on a folder of files and on the repository in memory: they agree (STYLE 9)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from adapters.contract import (
    AreaNotFound,
    ContentLevel,
    KnowledgeAreaKind,
    KnowledgeRepository,
    MutationResult,
    NativeIdentity,
    ResourceNotFound,
    Trash,
)
from adapters.filebased import FileBasedRepository
from adapters.markdown import rewrite_links
from adapters.memory import MemoryRepository
from tests.contract import tools

NAMES = ("a", "b c", "d/e", "[x] (y)", "50%", "ünï")
TEXTS = (
    "",
    "plain\n",
    "own\n\n# One\n\nx\n",
    "# One\n\nfirst\n\n## Deep\n\n# One\n\nsecond\n",
    "![pic]({resource}) and [area]({area})\n\n# Two\n\n<img src='{resource}'>\n",
    "[a]({area} 'title') `[b]({area})`\n\n[c]: <{area}>\n\n# One\n\n[d]({other}#part)\n",
    "no end",
)
TURNS = 40
DANGLING = "dangling"


class Side:
    """One of the two, with its own ids for the resources and removals they share."""

    def __init__(self, repository: KnowledgeRepository) -> None:
        self.repository = repository
        self.resources: dict[int, str] = {}
        self.removals: dict[int, str] = {}

    def text(self, template: str, targets: list[str]) -> str:
        """Return a text whose references are spelled as this side knows them."""
        ids = list(self.resources.values())
        resource = f"knowledge-resource:{ids[0]}" if ids else "https://missing.example/"
        area, other = (f"knowledge-area:{target}" for target in targets)
        return template.format(resource=resource, area=area, other=other)

    def note(self, number: int, result: MutationResult) -> None:
        """Take in what a mutation says of ids and tokens."""
        changes = {
            c.previous_resource_id: c.current_resource_id for c in result.resource_id_changes
        }
        self.resources = {n: changes.get(old, old) for n, old in self.resources.items()}
        if result.resource_id is not None and result.resource_id not in self.resources.values():
            self.resources[number] = result.resource_id
        if result.trash_token is not None:
            self.removals[number] = result.trash_token

    def has(self, number: int) -> bool:
        """Tell whether a resource is still there."""
        try:
            self.repository.get_resource(self.resources[number])
        except ResourceNotFound:
            return False
        return True

    def state(self) -> dict[str, tuple[str, ContentLevel, str]]:
        """Return names, levels and texts by area, the same for both sides if they agree."""
        repository, seen = self.repository, dict[str, tuple[str, ContentLevel, str]]()
        for area in repository.get_areas(True):
            level = repository.get_area_capabilities(area).content_level
            text = ""
            if level is ContentLevel.CONTENT_CONTAINER:
                text = repository.get_aggregated_content(area)
            seen[area] = (repository.get_area_name(area), level, self._neutral(text))
        return seen

    def dangling(self) -> set[str]:
        """Return the documents with a link to something that is gone."""
        texts = {area: text for area, (_, _, text) in self.state().items()}
        return {area for area, text in texts.items() if DANGLING in text and self._is_whole(area)}

    def _neutral(self, text: str) -> str:
        """Return a text whose links say what they lead to, not how that is spelled."""
        return rewrite_links(text, lambda link: self._meaning(link.destination))

    def _meaning(self, destination: str) -> str | None:
        scheme, _, rest = destination.partition(":")
        if scheme == "https":
            return None
        if scheme == "knowledge-resource":
            numbers = [n for n, resource_id in self.resources.items() if resource_id == rest]
            return f"resource-{numbers[0]}" if numbers else DANGLING
        area = rest.partition("#")[0]
        is_there = scheme == "knowledge-area" and self._is_whole(area)
        return f"area:{area}" if is_there else DANGLING

    def _is_whole(self, area: str) -> bool:
        """Tell whether an area is there and is a folder or a document."""
        try:
            identity = tools.need(self.repository, NativeIdentity)
            return identity.get_native_identity(area) is not None
        except AreaNotFound:
            return False


Work = Callable[[Side], MutationResult]


class Pair:
    """An empty folder, and an empty memory in which names collide as they do there."""

    def __init__(self, files: FileBasedRepository, seed: int) -> None:
        self.chance = random.Random(seed)
        memory = MemoryRepository(name_key=lambda name: name.casefold())
        self.sides = (Side(memory), Side(files))
        self.number = 0

    def do(self, work: Work) -> None:
        """Do the same on both sides and assert that the same came of it."""
        results = [work(side) for side in self.sides]
        memory, files = results
        assert (memory.ok, memory.failure, memory.area) == (
            files.ok,
            files.failure,
            files.area,
        ), results
        assert memory.area_changes == files.area_changes
        self.number += 1
        for side, result in zip(self.sides, results, strict=True):
            side.note(self.number, result)
        # A removed folder takes the files in it along; in memory, resources are nowhere.
        for number in tuple(self.sides[0].resources):
            if not all(side.has(number) for side in self.sides):
                for side in self.sides:
                    del side.resources[number]
        assert self.sides[0].state() == self.sides[1].state()
        self._heal()

    def _heal(self) -> None:
        """Empty documents with dangling links: what those may lead to later is no promise."""
        documents = self.sides[0].dangling()
        assert documents == self.sides[1].dangling()
        for side in self.sides:
            for area in documents:
                side.repository.try_truncate(area)

    def next_work(self) -> Work:
        """Return a random thing to do."""
        memory = self.sides[0].repository
        identity = tools.need(memory, NativeIdentity)
        every = ("/", *memory.get_areas(True))
        areas = [area for area in every if identity.get_native_identity(area) is not None]
        documents = [
            area
            for area in areas
            if memory.get_area_capabilities(area).content_level is ContentLevel.CONTENT_CONTAINER
        ]
        choose = self.chance.choice
        if documents and self.chance.random() < 0.4:
            return self._on_a_document(choose(documents), [choose(areas), choose(areas)])
        return self._on_an_area(choose(areas), choose(areas), [choose(areas), choose(areas)])

    def _is_folder(self, area: str) -> bool:
        flags = self.sides[0].repository.get_area_capabilities(area)
        return flags.content_level is not ContentLevel.CONTENT_CONTAINER

    def _on_an_area(self, area: str, parent: str, targets: list[str]) -> Work:
        name, template = self.chance.choice(NAMES), self.chance.choice(TEXTS)
        structural, content = KnowledgeAreaKind
        works: list[Work] = [
            lambda s: s.repository.try_add_sub_area(parent, name, structural),
            lambda s: s.repository.try_rename(area, name),
            lambda s: s.repository.try_move_content(area, parent),
            lambda s: s.repository.try_move_content(area, parent, new_name=name),
        ]
        # R-F-64: a folder of files stays where a file in it is still referred to from elsewhere.
        is_removable = not (self._is_folder(area) and self.sides[0].resources)
        if is_removable and self.chance.random() < 0.3:
            works = [
                lambda s: s.repository.try_delete(area),
                lambda s: tools.need(s.repository, Trash).try_trash(area),
            ]
        elif self._is_folder(parent):  # headings in files are not added one by one yet
            works += [
                lambda s: s.repository.try_add_sub_area(
                    parent, name, content, content=s.text(template, targets)
                )
            ] * 3
        return self.chance.choice(works)

    def _on_a_document(self, area: str, targets: list[str]) -> Work:
        template, content = self.chance.choice(TEXTS), bytes([self.chance.randrange(3)])
        picture = f"r{self.number}.png"
        works: list[Work] = [
            lambda s: s.repository.try_replace(area, s.text(template, targets)),
            lambda s: s.repository.try_append_content(area, s.text(template, targets)),
            lambda s: s.repository.try_truncate(area),
            lambda s: s.repository.try_add_resource(area, picture, "image/png", content),
        ]
        for number in self.sides[0].resources:
            works += [
                lambda s, n=number: s.repository.try_replace_resource(
                    s.resources[n], "image/png", content
                ),
                lambda s, n=number: s.repository.try_delete_resource(s.resources[n]),
            ]
        for number in self.sides[0].removals:
            works.append(
                lambda s, n=number: tools.need(s.repository, Trash).try_restore(s.removals[n])
            )
        return self.chance.choice(works)


@pytest.fixture
def files(tmp_path: Path) -> Iterator[FileBasedRepository]:
    """A folder of files."""
    with FileBasedRepository(tmp_path) as repository:
        yield repository


@pytest.mark.parametrize("seed", range(12))
def test_files_agree_with_memory(files: FileBasedRepository, seed: int) -> None:
    """R-C-40 to R-C-89: after every step, both gave the same answer and hold the same."""
    pair = Pair(files, seed)
    for _ in range(TURNS):
        pair.do(pair.next_work())
