"""What links in files mean to people who ask (R-F-50, R-F-51)."""

from __future__ import annotations

from pathlib import Path

import pytest

from adapters.filebased import FileBasedRepository
from adapters.filebased.links import resource_id_of
from tests.unit.filebased.tools import harvest, plant

FILES = {
    "A/Doc.md": "# Part One\n\n# Part two\n\n# Part two\n",
    "A/my pic.png": "png",
    "A/sub/deep.md": "",
    "B/x (1).pdf": "pdf",
    "Ünï.md": "",
}
PICTURE = f"knowledge-resource:{resource_id_of('A/my pic.png')}"
PDF = f"knowledge-resource:{resource_id_of('B/x (1).pdf')}"
READ = {
    "![x](my%20pic.png)": f"![x]({PICTURE})",
    "![x](<my pic.png>)": f"![x](<{PICTURE}>)",
    "![x](../A/./my%20pic.png 'title')": f"![x]({PICTURE} 'title')",
    "[x](/A/my%20pic.png)": f"[x]({PICTURE})",
    "[x](../B/x%20%281%29.pdf)": f"[x]({PDF})",
    "[x](../B/x\\ (1).pdf)": "[x](../B/x\\ (1).pdf)",
    "[x](<../B/x (1).pdf>)": f"[x](<{PDF}>)",
    "[x]\n\n[x]: my%20pic.png 'title'": f"[x]\n\n[x]: {PICTURE} 'title'",
    '<img src="my%20pic.png" width="200"/>': f'<img src="{PICTURE}" width="200"/>',
    "<IMG SRC='my pic.png'>": f"<IMG SRC='{PICTURE}'>",
    '<a href="Doc.md">x</a>': '<a href="knowledge-area:/A~/Doc">x</a>',
    "[x](Doc.md)": "[x](knowledge-area:/A~/Doc)",
    "[x](Doc.md#part-one)": "[x](knowledge-area:/A~/Doc/Part%20One)",
    "[x](Doc.md#part-two-1)": "[x](knowledge-area:/A~/Doc/Part%20two~2)",
    "[x](Doc.md#nowhere)": "[x](knowledge-area:/A~/Doc#nowhere)",
    "[x](sub)": "[x](knowledge-area:/A~/sub~)",
    "[x](sub/)": "[x](knowledge-area:/A~/sub~)",
    "[x](..)": "[x](knowledge-area:/)",
    "[x](../Ünï.md)": "[x](knowledge-area:/Ünï)",
    "[x](../%C3%9Cn%C3%AF.md)": "[x](knowledge-area:/Ünï)",
    "[x](../U\u0308ni\u0308.md)": "[x](knowledge-area:/Ünï)",
}
UNTOUCHED = (
    "![x](my pic.png)",
    "[x](#part-one)",
    "[x](my%20pic.png?raw=1)",
    "[x](Doc.md/)",
    "[x](doc.md)",
    "[x](missing.png)",
    "[x](../../outside.png)",
    "[x](file:///etc/passwd)",
    "[x](//host/Doc.md)",
    "[x](https://example.org/Doc.md)",
    f"[x](https://example.org/{'x' * 3000})",
    '<img src="data:image/png;base64,AA">',
    "[x](%ff.png)",
    "[x](a%00b)",
    "[x]()",
    "[[Doc]] ![[my pic.png]]",
    "`[x](Doc.md)`",
    "<!-- [x](Doc.md) -->",
)


@pytest.mark.parametrize(("stored", "read"), READ.items())
def test_native_links_are_translated(
    repository: FileBasedRepository, notes: Path, stored: str, read: str
) -> None:
    """R-F-51, R-F-52, C035, C038: only the destination is exchanged; reading changes nothing."""
    plant(notes, {**FILES, "A/n.md": f"end {stored}\n"})
    before = harvest(notes)
    repository.since(None)
    assert f"end {read}\n" == repository.get_aggregated_content("/A~/n")
    assert before == harvest(notes)


@pytest.mark.parametrize("text", UNTOUCHED)
def test_all_else_is_untouched(repository: FileBasedRepository, notes: Path, text: str) -> None:
    """R-F-50, R-F-51, C043: what leads nowhere or elsewhere is text, and the note is served."""
    plant(notes, {**FILES, "A/n.md": text})
    repository.since(None)
    assert text == repository.get_aggregated_content("/A~/n")
    assert () == repository.get_resources("/A~/n")


def test_front_matter_holds_no_links(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-24, C045: a YAML block is text that nothing is looked for in."""
    text = "---\ntitle: [x](Doc.md)\n# no heading\n---\n# One\n"
    plant(notes, {**FILES, "A/n.md": text})
    repository.since(None)
    assert text == repository.get_aggregated_content("/A~/n")
    assert ("/A~/n/One",) == repository.get_areas(True, "/A~/n")


def test_absolute_path_inside_the_root(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-46: an absolute path or `file:` URL that ends inside the root is understood."""
    plant(notes, {**FILES, "n.md": f"[x]({notes}/A/Doc.md) [y](file://{notes}/A/Doc.md)"})
    repository.since(None)
    expected = "[x](knowledge-area:/A~/Doc) [y](knowledge-area:/A~/Doc)"
    assert expected == repository.get_aggregated_content("/n")


@pytest.mark.parametrize(
    "text",
    [
        "# Same\r\n\r\n#### Gap\r\n\r\n# Same\r\ntext without an end",
        "\ufeff# A\n\ntrailing  \n\n\n",
        "![a](<my pic.png>) [b](../A/Doc.md) [c](./Doc.md) <img src='my pic.png'>\n\n[d]: Doc.md\n",
        "[x](sub/) [y](sub) [z](/A/sub)\n",
        "[x](Doc.md#part-two-1 'title') [y](Doc.md#nowhere)\n",
        "---\nkey: value\n---\n\nbody\n\n---\n",
    ],
)
def test_replacing_by_what_was_read_changes_nothing(
    repository: FileBasedRepository, notes: Path, text: str
) -> None:
    """R-C-25, R-F-54, C046: bytes and time stay, whatever spelling the author chose."""
    plant(notes, {**FILES, "A/n.md": text})
    before, time = harvest(notes), (notes / "A/n.md").stat().st_mtime_ns
    repository.since(None)
    assert repository.try_replace("/A~/n", repository.get_aggregated_content("/A~/n"))
    assert before == harvest(notes)
    assert time == (notes / "A/n.md").stat().st_mtime_ns


def test_untouched_links_keep_their_spelling(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-54, C035: an edit beside a link leaves its bytes, also when a client drops the `<>`."""
    stored = "word ![a](<my pic.png>) [b](../A/./Doc.md) [c](Doc.md)\n"
    plant(notes, {**FILES, "A/n.md": stored})
    repository.since(None)
    text = repository.get_aggregated_content("/A~/n").replace("word", "words")
    text = text.replace("<", "").replace(">", "")
    assert repository.try_replace("/A~/n", text)
    assert stored.replace("word", "words") == (notes / "A/n.md").read_text()


def test_new_links_are_short_relative_paths(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-53: only what a bare destination cannot hold is encoded; letters stay readable."""
    plant(notes, FILES)
    repository.since(None)
    text = (
        f"![a]({PICTURE}) [b]({PDF}) [c](knowledge-area:/Ünï) [d](knowledge-area:/A~/sub~)\n"
        "[e](knowledge-area:/A~/Doc/Part%20two~2) [f](knowledge-area:/A~/Doc#x) "
        f"<img src='{PICTURE}'> [g](knowledge-area:/A~)\n"
    )
    result = repository.try_replace("/A~/sub~/deep", text)
    assert result.ok, result
    expected = (
        "![a](../my%20pic.png) [b](../../B/x%20%281%29.pdf) [c](../../Ünï.md) [d](./)\n"
        "[e](../Doc.md#part-two-1) [f](../Doc.md#x) "
        "<img src='../my%20pic.png'> [g](..)\n"
    )
    assert expected == (notes / "A/sub/deep.md").read_text()
    assert text == repository.get_aggregated_content("/A~/sub~/deep")


def test_autolink_becomes_an_inline_link(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-53: an autolink needs a scheme, so a relative path is stored as an inline link."""
    plant(notes, FILES)
    repository.since(None)
    assert repository.try_replace("/Ünï", "<knowledge-area:/A~/Doc>\n")
    assert "[A/Doc.md](A/Doc.md)\n" == (notes / "Ünï.md").read_text()
    assert "[A/Doc.md](knowledge-area:/A~/Doc)\n" == repository.get_aggregated_content("/Ünï")


def test_text_follows_its_targets(repository: FileBasedRepository, notes: Path) -> None:
    """R-F-51: a target that appears, goes or gets other headings changes what the text says."""
    plant(notes, {"n.md": "[x](late.md#one)\n"})
    cursor = repository.since(None).cursor
    revisions = [repository.get_area_revision("/n")]
    texts = []
    for change in ({"late.md": "text"}, {"late.md": "# One\n"}, None):
        if change is None:
            (notes / "late.md").unlink()
        else:
            plant(notes, change)
        batch = repository.since(cursor)
        cursor = batch.cursor
        assert "/n" in batch.touched
        revisions.append(repository.get_area_revision("/n"))
        texts.append(repository.get_aggregated_content("/n"))
    areas = ["[x](knowledge-area:/late#one)\n", "[x](knowledge-area:/late/One)\n"]
    assert [*areas, "[x](late.md#one)\n"] == texts
    assert 3 == len(set(revisions))
    assert revisions[0] == revisions[-1]
