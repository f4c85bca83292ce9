"""What always holds, whatever is done in whatever order by whomever."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from adapters.contract import (
    Batch,
    KnowledgeAreaKind,
    KnowledgeRepository,
    Revisions,
    companion,
    is_same_or_descendant,
    rebase_area,
)
from adapters.filebased import FileBasedRepository
from adapters.filebased.snapshot import walk_files
from tests.unit.filebased.tools import harvest

NAMES = st.sampled_from(["x", "y", "Ü z", "n 2", "x.Res7"])
FOLDERS = st.sampled_from(["", "A", "B", "A/S", "A/S/T"])
FILES = st.sampled_from(["x.md", "y.md", "Ü z.md", "n 2.md", "p.png", "x.Res7.png", ".hidden.md"])
HEADINGS = st.sampled_from(["", "# One\n", "# One\n\n# One\n\n## Two\n", "# Two\n"])
TARGETS = st.sampled_from(
    (
        *("x.md", "../x.md", "A/x.md", "/A/S/x.md", "S/", "../B", "p.png", "../p.png"),
        *("x.Res7.png", "y.md#one", "A/y.md#one-1", "n%202.md#two", "%C3%9C%20z.md"),
    )
)
TEXTS = st.builds(
    lambda targets, headings: "".join(f"[t]({target})\n" for target in targets) + "\n" + headings,
    st.lists(TARGETS, max_size=3),
    HEADINGS,
)


class OneTruth(RuleBasedStateMachine):
    """What is known step by step is what a fresh look at the disk finds."""

    def __init__(self) -> None:
        super().__init__()
        self.place = Path(tempfile.mkdtemp())
        self.root = self.place / "notes"
        self.root.mkdir()
        self.repository = FileBasedRepository(self.root)
        self.known = self._revisions(self.repository)
        self.cursor = self.repository.since(None).cursor

    def teardown(self) -> None:
        self.repository.close()
        shutil.rmtree(self.place)

    @initialize(folders=st.sets(FOLDERS), texts=st.lists(TEXTS, min_size=2, max_size=2))
    def plant(self, folders: set[str], texts: list[str]) -> None:
        """Begin with a few folders and notes."""
        for folder in folders:
            (self.root / folder).mkdir(parents=True, exist_ok=True)
            (self.root / folder / "x.md").write_text(texts[0])
            (self.root / folder / "p.png").write_bytes(b"p")
        (self.root / "y.md").write_text(texts[1])

    # Other programs

    @rule(folder=FOLDERS, file=FILES, text=TEXTS)
    def write_outside(self, folder: str, file: str, text: str) -> None:
        """Write a file."""
        if (self.root / folder).is_dir():
            (self.root / folder / file).write_text(text)

    @rule(folder=FOLDERS, file=FILES)
    def remove_outside(self, folder: str, file: str) -> None:
        """Remove a file."""
        (self.root / folder / file).unlink(missing_ok=True)

    @rule(folder=FOLDERS, other=FOLDERS, name=st.sampled_from(["A", "B", "S", "N"]))
    def rename_outside(self, folder: str, other: str, name: str) -> None:
        """Rename a directory."""
        source, target = self.root / folder, self.root / other / name
        is_free = target.parent.is_dir() and not target.exists()
        if folder and source.is_dir() and is_free and not target.is_relative_to(source):
            source.rename(target)

    # This process

    @rule(data=st.data(), name=NAMES, text=TEXTS, kind=st.sampled_from(KnowledgeAreaKind))
    def add(self, data: st.DataObject, name: str, text: str, kind: KnowledgeAreaKind) -> None:
        """Add a document or a folder."""
        content = text if kind is KnowledgeAreaKind.CONTENT else ""
        self.repository.try_add_sub_area(self._area(data), name, kind, content=content)

    @rule(data=st.data(), text=TEXTS)
    def replace(self, data: st.DataObject, text: str) -> None:
        """Replace a text."""
        self.repository.try_replace(self._area(data), text)

    @rule(data=st.data(), name=NAMES)
    def rename(self, data: st.DataObject, name: str) -> None:
        """Rename, and see that no link got lost."""
        before = self._links()
        result = self.repository.try_rename(self._area(data), name)
        assert not result.ok or before <= self._links()

    @rule(data=st.data(), name=st.none() | NAMES)
    def move(self, data: st.DataObject, name: str | None) -> None:
        """Move, and see that no link got lost."""
        before = self._links()
        area, parent = self._area(data), self._area(data)
        result = self.repository.try_move_content(area, parent, new_name=name)
        assert not result.ok or before <= self._links()

    @rule(data=st.data())
    def trash_and_restore(self, data: st.DataObject) -> None:
        """Remove and have it back, byte for byte."""
        before = harvest(self.root)
        token = self.repository.try_trash(self._area(data)).trash_token
        if token is not None:
            assert self.repository.try_restore(token).ok
        assert before == harvest(self.root)

    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        """Delete."""
        self.repository.try_delete(self._area(data))

    # What holds

    @invariant()
    def equals_a_fresh_look(self) -> None:
        """Tree, texts and revisions are those of a repository that was just opened."""
        batch = self.repository.since(self.cursor)
        with FileBasedRepository(self.root, read_only=True) as fresh:
            assert self._picture(fresh) == self._picture(self.repository)
            ours, theirs = self.repository._core.links, fresh._core.links
            assert theirs._targets == ours._targets
            assert theirs._referrers == ours._referrers
        now = self._revisions(self.repository)
        if batch.complete:
            assert now == self._expected(batch, now)
        self.known, self.cursor = now, batch.cursor

    def _expected(self, batch: Batch, now: dict[str, str]) -> dict[str, str]:
        """Return what who follows the feed believes, looking only where it points."""
        believed: dict[str, str] = {}
        for area, revision in self.known.items():
            holders = [m for m in batch.moved if is_same_or_descendant(area, m.previous_area)]
            nearest = max(holders, key=lambda move: len(move.previous_area), default=None)
            if nearest is not None:
                area = rebase_area(area, nearest.previous_area, nearest.current_area)
            believed[area] = revision
        tops = batch.touched
        untouched = {
            area: revision
            for area, revision in believed.items()
            if not any(is_same_or_descendant(area, top) for top in tops)
        }
        looked = {
            area: revision
            for area, revision in now.items()
            if any(is_same_or_descendant(area, top) for top in tops)
        }
        return {**untouched, **looked}

    def _area(self, data: st.DataObject) -> str:
        self.repository.since(None)
        areas = ("/", *self.repository.get_areas(True))
        return data.draw(st.sampled_from(areas))

    def _links(self) -> int:
        """Count the links that lead somewhere."""
        self.repository.since(None)
        tree = self.repository._core.tree()
        return sum(
            len([line for line in file.resolved.split("\n") if line])
            for _, file in walk_files(tree, "")
        )

    @staticmethod
    def _revisions(repository: KnowledgeRepository) -> dict[str, str]:
        revisions = companion(repository, Revisions)
        assert revisions is not None
        return {area: revisions.get_area_revision(area) for area in repository.get_areas(True)}

    @staticmethod
    def _picture(repository: FileBasedRepository) -> list[tuple[str, ...]]:
        return [
            (
                area,
                repository.get_area_name(area),
                repository.get_aggregated_content(area),
                repository.get_area_revision(area, subtree=True),
            )
            for area in ("/", *repository.get_areas(True))
        ]


OneTruth.TestCase.settings = settings(
    max_examples=20, stateful_step_count=12, deadline=None, derandomize=True, database=None
)
TestOneTruth = OneTruth.TestCase
