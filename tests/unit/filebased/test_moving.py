"""Links and resources after renames and moves (R-F-55, R-F-58, R-F-60..62)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from adapters.contract import KnowledgeResourceIdChange, MutationFailure
from adapters.filebased import FileBasedRepository
from adapters.filebased.links import resource_id_of
from tests.unit.filebased.tools import harvest, plant

FORMS = {
    "inline": "[x]({})",
    "titled": '[x]({} "title")',
    "image": "![x]({})",
    "angle": "[x](<{}>)",
    "definition": "[x]\n\n[x]: {} 'title'",
    "html": '<a href="{}">x</a>',
    "html image": "<img width=1 src='{}'>",
}
MOVES = {
    "document": ("/A~/sub~/n", "/B~", "A/sub/n.md", "B/n.md"),
    "document, renamed": ("/A~/sub~/n", None, "A/sub/n.md", "A/sub/new name.md"),
    "directory": ("/A~/sub~", "/B~", "A/sub/n.md", "B/sub/n.md"),
    "directory, renamed": ("/A~", None, "A/sub/n.md", "new name/sub/n.md"),
}
# Seen from the moved note: what it points to, before and after.
OUT = {
    "document": ("../../B/out.md", "out.md"),
    "document, renamed": ("../../B/out.md", None),
    "directory": ("../../B/out.md", None),  # still right, seen from there
    "directory, renamed": ("../../B/out.md", None),
}
# Seen from `B/in.md`: where the moved note is, before and after.
IN = {
    "document": ("../A/sub/n.md", "n.md"),
    "document, renamed": ("../A/sub/n.md", "../A/sub/new%20name.md"),
    "directory": ("../A/sub/n.md", "sub/n.md"),
    "directory, renamed": ("../A/sub/n.md", "../new%20name/sub/n.md"),
}


def _move(repository: FileBasedRepository, kind: str) -> None:
    area, parent, _, _ = MOVES[kind]
    result = (
        repository.try_move_content(area, parent)
        if parent
        else repository.try_rename(area, "new name")
    )
    assert result.ok, result


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("kind", MOVES)
def test_links_lead_where_they_did(
    repository: FileBasedRepository, notes: Path, kind: str, form: str
) -> None:
    """R-F-55: links in and out, in every form; what need not change keeps its bytes."""
    spell = FORMS[form].format
    plant(
        notes,
        {
            "A/sub/n.md": f"same {spell(OUT[kind][0])}\n\n[self](n.md) [there](friend.md)\n",
            "A/sub/friend.md": f"{spell('n.md')}\n",
            "B/out.md": "",
            "B/in.md": f"see {spell(IN[kind][0])}\n",
        },
    )
    repository.since(None)
    before = repository.get_aggregated_content("/B~/out")
    _move(repository, kind)
    out = OUT[kind][1] or OUT[kind][0]
    moved = (notes / MOVES[kind][3]).read_text()
    assert f"same {spell(out)}\n" in moved
    assert f"see {spell(IN[kind][1])}\n" == (notes / "B/in.md").read_text()
    for area in repository.get_areas(True):
        text = repository.get_aggregated_content(area)
        assert ".md" not in text, f"{area} has a link that leads nowhere: {text}"
    assert before == repository.get_aggregated_content("/B~/out")


def test_only_broken_links_are_written_anew(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-54, R-F-58: a missing target stays one; other files keep bytes and time."""
    text = "[a](missing.md) [b](../missing.png) ![c](p.png)\n"
    plant(notes, {"A/n.md": text, "A/p.png": "p", "B/x.md": "[y](../A/p.png)\n", "p.png": "other"})
    times = {path: path.stat().st_mtime_ns for path in notes.rglob("*.*")}
    repository.since(None)
    assert repository.try_move_content("/A~/n", "/B~").ok
    expected = text.replace("p.png)\n", "../A/p.png)\n")
    assert expected == (notes / "B/n.md").read_text()
    for path in (notes / "A/p.png", notes / "B/x.md", notes / "p.png"):
        assert times[path] == path.stat().st_mtime_ns


def test_spelling_details_stay(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-55: fragment, title, root-relative form and the slash of a directory stay."""
    plant(notes, {"A/n.md": "# One\n", "in.md": "[a](/A/n.md#one) [b](A/n.md#x%20y) [c](A/)\n"})
    repository.since(None)
    assert repository.try_rename("/A~", "Ä")
    expected = "[a](/Ä/n.md#one) [b](Ä/n.md#x%20y) [c](Ä/)\n"
    assert expected == (notes / "in.md").read_text()


def test_owned_resources_go_along(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-60, R-F-63: they take the new stem and keep their token; each change of id is told."""
    plant(
        notes,
        {
            "A/n.md": "![](n.Res1.png) ![](logo.png)\n",
            "A/n.Res1.png": "one",
            "A/n.Res2.pdf": "not referred to",
            "A/nn.Res3.png": "of another",
            "A/logo.png": "shared",
            "B/x.md": "![](../A/n.Res1.png)\n",
        },
    )
    repository.since(None)
    result = repository.try_move_content("/A~/n", "/B~", new_name="m")
    assert result.ok, result
    expected = {
        "A/logo.png": b"shared",
        "A/nn.Res3.png": b"of another",
        "B/m.Res1.png": b"one",
        "B/m.Res2.pdf": b"not referred to",
        "B/m.md": b"![](m.Res1.png) ![](../A/logo.png)\n",
        "B/x.md": b"![](m.Res1.png)\n",
    }
    assert expected == harvest(notes)
    changes = {
        KnowledgeResourceIdChange(resource_id_of(old), resource_id_of(new))
        for old, new in (("A/n.Res1.png", "B/m.Res1.png"), ("A/n.Res2.pdf", "B/m.Res2.pdf"))
    }
    assert changes == set(result.resource_id_changes)


def test_taken_owned_name_gets_another_token(notes: Path) -> None:
    """R-F-60: a file that has the name already is not overwritten."""
    plant(notes, {"A/n.md": "![](n.Res1.png)", "A/n.Res1.png": "ours", "B/n.Res1.png": "theirs"})
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    with FileBasedRepository(notes, clock=lambda: moment) as repository:
        assert repository.try_move_content("/A~/n", "/B~").ok
    token = int(moment.timestamp() * 1000)
    expected = {
        "B/n.md": f"![](n.Res{token}.png)".encode(),
        f"B/n.Res{token}.png": b"ours",
        "B/n.Res1.png": b"theirs",
    }
    assert expected == harvest(notes)


def test_ids_in_a_moved_directory_change(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-61: every file's id changes with its directory, and each change is told."""
    plant(notes, {"A/n.md": "![](p.png)", "A/p.png": "p", "A/s/q.png": "q"})
    repository.since(None)
    result = repository.try_rename("/A~", "B")
    changes = {
        KnowledgeResourceIdChange(resource_id_of(f"A/{name}"), resource_id_of(f"B/{name}"))
        for name in ("p.png", "s/q.png")
    }
    assert changes == set(result.resource_id_changes)


@pytest.mark.parametrize("hidden", [".git/HEAD", ".secret", "s/.x"])
def test_directory_with_hidden_files_stays(
    repository: FileBasedRepository, notes: Path, hidden: str
) -> None:
    """R-F-62: what is not shown cannot be moved or removed by accident."""
    plant(notes, {"A/n.md": "", f"A/{hidden}": "x", "B/m.md": ""})
    before = harvest(notes)
    for result in (
        repository.try_rename("/A~", "C"),
        repository.try_move_content("/A~", "/B~"),
        repository.try_delete("/A~"),
        repository.try_trash("/A~"),
    ):
        assert MutationFailure.NOT_SUPPORTED == result.failure
    assert before == harvest(notes)


def test_litter_goes_along(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-62: what file managers leave behind does not hold a directory."""
    plant(notes, {"A/n.md": "", "A/.DS_Store": "x", "A/Thumbs.db": "y"})
    assert repository.try_rename("/A~", "B").ok
    assert {"B/.DS_Store", "B/Thumbs.db", "B/n.md"} == set(harvest(notes))


def test_read_only_document_is_not_repaired(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-27: a file that is not UTF-8 keeps its bytes, also when a link in it breaks."""
    plant(notes, {"n.md": "", "latin.md": b"caf\xe9 [x](n.md)"})
    assert repository.try_rename("/n", "m").ok
    assert b"caf\xe9 [x](n.md)" == (notes / "latin.md").read_bytes()
