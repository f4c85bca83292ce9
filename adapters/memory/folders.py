"""The text of a folder: the documents directly in it as sections of one text (R-C-68)."""

from __future__ import annotations

from adapters.contract import MutationFailure
from adapters.markdown.outline import outline, shift
from adapters.memory import headings
from adapters.memory.draft import Draft, Refusal
from adapters.memory.place import Place
from adapters.memory.reads import documents_of
from adapters.memory.tree import Node


def append(draft: Draft, place: Place, content: str) -> None:
    """Add every top-level section to the document of that name, a new one if there is none."""
    for name, text in _documents(content):
        found = _find(draft, place.node, name)
        if found is None:
            _add(draft, place.node, name, text)
        elif text.strip():
            draft.need_writable(found)
            headings.append(draft, Place(area=draft.tree.area_of(found), node=found), text)


def exchange(draft: Draft, place: Place, content: str) -> None:
    """Let the folder hold exactly the documents of `content`; folders in it stay."""
    wanted = _documents(content)
    names = [name for name, _ in wanted]
    if len(set(names)) < len(names):
        raise Refusal(MutationFailure.COLLISION, "two documents of one name")
    for document in documents_of(draft.tree, place.node):
        if document.name not in names:
            draft.need_writable(document)
            draft.remove(document)
    for name, text in wanted:
        found = _find(draft, place.node, name)
        if found is None:
            _add(draft, place.node, name, text)
        else:
            draft.need_writable(found)
            draft.need_payload(text, previous=found.text)
            draft.write(found, text)
    draft.sort_documents(place.node, names)


def _documents(content: str) -> list[tuple[str, str]]:
    """Return the names and texts of the top-level sections of `content`."""
    whole = outline(content, is_whole=False)
    if content[: whole.own_end].strip():
        raise Refusal(MutationFailure.INVALID_CONTENT, "text before the first heading")
    documents = []
    for section in whole.children:
        with headings.refusing():
            body = shift(content[section.body : section.end], -section.level)
        documents.append((section.name, body.lstrip("\r\n")))
    return documents


def _find(draft: Draft, folder: Node, name: str) -> Node | None:
    documents = documents_of(draft.tree, draft.tree.nodes[folder.handle])
    return next((document for document in documents if document.name == name), None)


def _add(draft: Draft, folder: Node, name: str, text: str) -> None:
    draft.need_name(draft.tree.nodes[folder.handle], name, is_folder=False)
    draft.need_payload(text)
    draft.add(folder, name, is_folder=False, text=text)
