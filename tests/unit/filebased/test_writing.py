"""What a change does to the bytes on disk (R-F-30..33, R-F-71, R-F-76, R-F-79)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from adapters.contract import KnowledgeAreaKind, MutationFailure
from adapters.filebased import FileBasedRepository
from adapters.filebased.desk import Desk, Planned
from adapters.filebased.documents import replace_content
from tests.unit.filebased.tools import harvest, plant


@pytest.mark.parametrize(
    ("stored", "payload", "expected"),
    [
        (b"a\r\nb\r\n", "a\nc\n", b"a\r\nc\r\n"),
        (b"a\r\nb\n", "a\nc\n", b"a\nc\n"),
        (b"a\nb\n", "a\r\nc", b"a\r\nc"),
        (b"a\r\nb\r\n", "a\r\nc\n", b"a\r\nc\n"),
        (b"\xef\xbb\xbfa\n", "b\n", b"\xef\xbb\xbfb\n"),
        (b"a\n", "a", b"a"),
        (b"a", "b\n\n\n", b"b\n\n\n"),
        (b"---\nk: v # c\n---\none\n", "---\nk: v # c\n---\ntwo\n", b"---\nk: v # c\n---\ntwo\n"),
    ],
)
def test_replacing(
    repository: FileBasedRepository, notes: Path, stored: bytes, payload: str, expected: bytes
) -> None:
    """R-F-27, R-F-31, R-F-32, C045, C046: line ends, mark, ending and front matter."""
    plant(notes, {"n.md": stored})
    assert repository.try_replace("/n", payload)
    assert expected == (notes / "n.md").read_bytes()


@pytest.mark.parametrize(
    ("stored", "payload", "expected"),
    [
        (b"abc", "# H\n", b"abc\n\n# H\n"),
        (b"abc\r\n", "# H\n\nx\n", b"abc\r\n\r\n# H\r\n\r\nx\r\n"),
        (b"a\n\n# One\n\n1\n", "text\n", b"a\n\ntext\n\n# One\n\n1\n"),
        (b"# One\n\n1\n\n# Two\n", "# One\n\nmore\n", b"# One\n\n1\n\nmore\n\n# Two\n"),
    ],
)
def test_appending(
    repository: FileBasedRepository, notes: Path, stored: bytes, payload: str, expected: bytes
) -> None:
    """R-F-31, R-F-33, R-C-61..64: nothing is glued, nothing else is touched."""
    plant(notes, {"n.md": stored})
    result = repository.try_append_content("/n", payload)
    assert result.ok, result
    assert expected == (notes / "n.md").read_bytes()


def test_appending_to_an_open_fence(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-33: a heading that would be swallowed is refused."""
    plant(notes, {"n.md": "```\ncode\n"})
    result = repository.try_append_content("/n", "# H\n")
    assert MutationFailure.INVALID_CONTENT == result.failure
    assert {"n.md": b"```\ncode\n"} == harvest(notes)


def test_new_document_has_its_text(repository: FileBasedRepository, notes: Path) -> None:
    """MODEL 1: a new document appears with its text, byte for byte."""
    kind = KnowledgeAreaKind.CONTENT
    assert repository.try_add_sub_area("/", "n", kind, content="a\r\nb  \n\n")
    assert {"n.md": b"a\r\nb  \n\n"} == harvest(notes)


def test_permissions_stay(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-71: a changed file keeps its mode bits, a new one has the usual ones."""
    plant(notes, {"n.md": "a"})
    (notes / "n.md").chmod(0o604)
    assert repository.try_replace("/n", "b")
    assert 0o604 == (notes / "n.md").stat().st_mode & 0o777
    assert repository.try_add_sub_area("/", "m", KnowledgeAreaKind.CONTENT)
    mask = os.umask(0)
    os.umask(mask)
    assert 0o666 & ~mask == (notes / "m.md").stat().st_mode & 0o777


def test_no_trace_is_left(repository: FileBasedRepository, notes: Path) -> None:
    """ARCHITECTURE 8: after changes of every kind there is no file of ours in the folder."""
    plant(notes, {"A/n.md": "![](p.png)", "A/p.png": "p", "m.md": "[x](A/n.md)"})
    assert repository.try_rename("/A~", "B")
    assert repository.try_replace("/m", "[x](knowledge-area:/B~/n) more")
    assert repository.try_delete("/B~/n")
    assert {"B", "m.md"} == {path.name for path in notes.iterdir()}
    assert {"B/p.png", "m.md"} == set(harvest(notes))


def test_leftovers_are_removed_at_start(notes: Path) -> None:
    """R-F-71: temporary files of a process that died go when the next one starts."""
    plant(notes, {"n.md": "x", "A/.davbridge-0123.tmp": "half", ".other.tmp": "not ours"})
    with FileBasedRepository(notes):
        assert {"n.md", ".other.tmp"} == set(harvest(notes))


def test_file_that_changes_between_plan_and_deed(
    repository: FileBasedRepository, notes: Path
) -> None:
    """R-F-76: what another program wrote meanwhile is planned for anew, then refused as STALE."""
    plant(notes, {"n.md": "first"})
    edits = iter(["second", "third"])

    def plan(desk: Desk) -> Planned:
        planned = replace_content(desk, "/n", "ours", None)
        text = next(edits, None)
        if text is not None:
            (notes / "n.md").write_text(text)
        return planned

    assert MutationFailure.STALE == repository._mutate(plan).failure
    assert "third" == (notes / "n.md").read_text()
    assert repository._mutate(plan).ok
    assert "ours" == (notes / "n.md").read_text()


def test_revision_sees_an_edit_at_once(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-29: two edits of one length in one tick of the clock are two edits."""
    plant(notes, {"n.md": "one"})
    repository.since(None)
    stat = (notes / "n.md").stat()
    revisions = set()
    for text in ("one", "two", "six"):
        (notes / "n.md").write_text(text)
        os.utime(notes / "n.md", ns=(stat.st_atime_ns, stat.st_mtime_ns))
        revisions.add(repository.get_area_revision("/n"))
        assert text == repository.get_aggregated_content("/n")
    assert 3 == len(revisions)


def test_touch_changes_nothing(repository: FileBasedRepository, notes: Path) -> None:
    """MODEL 1: a token is over name and text, so a new time stamp is no news."""
    plant(notes, {"n.md": "x"})
    cursor = repository.since(None).cursor
    revision = repository.get_area_revision("/n")
    os.utime(notes / "n.md", (1_546_300_800, 1_546_300_800))
    batch = repository.since(cursor)
    assert ((), ()) == (batch.touched, batch.resource_ids)
    assert revision == repository.get_area_revision("/n")


def test_old_time_stamp_is_no_hiding_place(repository: FileBasedRepository, notes: Path) -> None:
    """C012: a change that comes with an old time is a change."""
    plant(notes, {"n.md": "old"})
    cursor = repository.since(None).cursor
    plant(notes, {"n.md": "new"})
    os.utime(notes / "n.md", (1_546_300_800, 1_546_300_800))
    assert ("/n",) == repository.since(cursor).touched
    assert "new" == repository.get_aggregated_content("/n")


class Deaf:
    """A watcher that is told of nothing in time."""

    def pending(self) -> frozenset[str]:
        return frozenset()

    def wait(self, timeout: float) -> bool:
        return False

    def close(self) -> None:
        """Do nothing."""


def test_edit_that_nobody_told_of(notes: Path) -> None:
    """C018, R-F-76: a revision is compared with the file, not with what was last heard of it."""
    plant(notes, {"n.md": "first"})
    with FileBasedRepository(notes, watcher=Deaf()) as repository:
        revision = repository.get_area_revision("/n")
        plant(notes, {"n.md": "edited outside"})
        result = repository.try_replace("/n", "ours", expected_revision=revision)
        assert MutationFailure.STALE == result.failure
        assert (
            MutationFailure.STALE == repository.try_delete("/n", expected_revision=revision).failure
        )
        assert "edited outside" == (notes / "n.md").read_text()
        assert "edited outside" == repository.get_aggregated_content("/n")


def test_files_that_nobody_told_of(notes: Path) -> None:
    """R-F-74: what appeared a moment ago is seen where it matters, and never overwritten."""
    plant(notes, {"A/n.md": "", "m.md": "m"})
    with FileBasedRepository(notes, watcher=Deaf()) as repository:
        plant(notes, {"A/late.png": "x", "A/deep/late.md": "y", "o.md": "theirs"})
        assert MutationFailure.COLLISION == repository.try_rename("/m", "o").failure
        assert repository.try_rename("/A~", "B").ok
        assert {"/B~/n", "/B~/deep~", "/B~/deep~/late"} < set(repository.get_areas(True))
        assert "theirs" == repository.get_aggregated_content("/o")
        assert repository.get_areas(False, "/B~/deep~")
