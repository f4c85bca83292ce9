"""Link targets between the repository's form and Joplin's, as pure text."""

from __future__ import annotations

import pytest

from davbridge.joplin.links import from_joplin, linked_items, to_joplin

ID = "0123456789abcdef0123456789abcdef"


class Directory:
    """One note and one attachment."""

    def item_for_area(self, area: str, fragment: str) -> str | None:
        """Know the area /Note."""
        return f":/{ID}" + (f"#{fragment}" if fragment else "") if area == "/Note" else None

    def item_for_resource(self, resource_id: str) -> str | None:
        """Know the resource pic."""
        return f":/{ID}" if resource_id == "pic" else None

    def target_for_item(self, item_id: str, fragment: str) -> str | None:
        """Know the note by its id."""
        return (
            "knowledge-area:/Note" + (f"#{fragment}" if fragment else "") if item_id == ID else None
        )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[a](knowledge-area:/Note)", f"[a](:/{ID})"),
        ("[a](knowledge-area:/Note#part)", f"[a](:/{ID}#part)"),
        ('![a](<knowledge-resource:pic> "t")', f'![a](:/{ID} "t")'),
        ("[a][r]\n\n[r]: knowledge-area:/Note", f"[a][r]\n\n[r]: :/{ID}"),
        ('<img src="knowledge-resource:pic" width="5">', f'<img src=":/{ID}" width="5">'),
        ("[a](knowledge-area:/Unknown)", "[a](knowledge-area:/Unknown)"),
        ("`[a](knowledge-area:/Note)`", "`[a](knowledge-area:/Note)`"),
    ],
)
def test_repository_links_become_joplin_links(text: str, wanted: str) -> None:
    """R-J-56: every form of link is exchanged, its surroundings stay, unknown targets stay."""
    assert to_joplin(text, Directory()) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (f"[a](:/{ID})", "[a](knowledge-area:/Note)"),
        (f"[a](:/{ID.upper()}#part)", "[a](knowledge-area:/Note#part)"),
        (f"[a](:/{'f' * 32})", f"[a](:/{'f' * 32})"),
        (f"    [a](:/{ID})", f"    [a](:/{ID})"),
        (f"[a](joplin://{ID})", f"[a](joplin://{ID})"),
    ],
)
def test_joplin_links_become_repository_links(body: str, wanted: str) -> None:
    """R-J-55: an id is looked up, whatever its case; what is unknown or code stays."""
    assert from_joplin(body, Directory()) == wanted


def test_html_notes_have_links_in_attributes() -> None:
    """MODEL 2.14: in an HTML note links are found in attributes, wherever they stand."""
    body = f'<div>\n    <a class="x" href=":/{ID}">x</a> [no](:/{ID})</div>'
    wanted = body.replace(f'href=":/{ID}"', 'href="knowledge-area:/Note"')
    assert from_joplin(body, Directory(), html=True) == wanted
    assert to_joplin(wanted, Directory(), html=True) == body


def test_linked_items_are_named_once_in_order() -> None:
    """R-J-61: the items a text needs, each once."""
    other = "f" * 32
    text = f"[a](:/{other}) ![b](:/{ID}) [c](:/{other}#x) `:/{'a' * 32}`"
    assert linked_items(text) == (other, ID)
