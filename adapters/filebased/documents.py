"""Mutations of one document's text, and new documents and directories."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from adapters.contract import KnowledgeAreaKind, MutationFailure
from adapters.filebased import names
from adapters.filebased.desk import Desk, Opened, Planned
from adapters.filebased.native import to_native, with_newlines_of
from adapters.filebased.plan import Create, MakeDirectory, Plan, Write
from adapters.filebased.refusal import Refusal
from adapters.markdown.edits import Ambiguous, Misread, appended, apply
from adapters.markdown.outline import TooDeep, outline


def add(desk: Desk, area: str, name: str, kind: KnowledgeAreaKind, content: str) -> Planned:
    """Plan a new directory, or a document that appears with its text."""
    parent = desk.folder(area)
    is_folder = kind is KnowledgeAreaKind.STRUCTURAL
    if is_folder and content:
        raise Refusal(MutationFailure.INVALID_CONTENT, "a folder has no text")
    suffix = "" if is_folder else names.DOCUMENT_SUFFIX
    path = names.join(parent.path, desk.need_name(parent.path, name, suffix=suffix))
    if is_folder:
        return Planned(plan=Plan(steps=(MakeDirectory(path=path),)), path=path)
    text = to_native(content, desk.tree, desk.site(path))
    step = Create(path=path, content=desk.encoded(text))
    return Planned(plan=Plan(steps=(step,)), path=path)


def replace_content(desk: Desk, area: str, content: str, expected: str | None) -> Planned:
    """Plan another text for a document, kept verbatim but for links (R-F-37)."""
    opened = desk.open(desk.document(area, expected).path)
    text = to_native(content, desk.tree, desk.site(opened.path), old=opened.text)
    return _write(desk, opened, with_newlines_of(opened.decoded.text, text))


def append_content(desk: Desk, area: str, content: str, expected: str | None) -> Planned:
    """Plan a sparse tree of text below a document (R-C-60..67)."""
    opened = desk.open(desk.document(area, expected).path)
    if not content.strip():
        return Planned(path=opened.path)
    with reading_edits():
        text = opened.decoded.text
        payload = to_native(content, desk.tree, desk.site(opened.path))
        edited = apply(text, appended(text, outline(text), payload))
    return _write(desk, opened, edited.text)


def truncate(desk: Desk, area: str, expected: str | None) -> Planned:
    """Plan an empty text for a document."""
    return _write(desk, desk.open(desk.document(area, expected).path), "")


def _write(desk: Desk, opened: Opened, text: str) -> Planned:
    content = desk.encoded(text, has_mark=opened.decoded.has_mark)
    if content == opened.content:
        return Planned(path=opened.path)
    step = Write(path=opened.path, content=content, before=opened.content)
    return Planned(plan=Plan(steps=(step,)), path=opened.path)


@contextmanager
def reading_edits() -> Iterator[None]:
    """Turn what an edit can run into, into a reason to refuse the mutation."""
    try:
        yield
    except TooDeep:
        raise Refusal(MutationFailure.LEVEL_OVERFLOW, "a heading below level 6") from None
    except Ambiguous as error:
        raise Refusal(MutationFailure.AMBIGUOUS, f"several children are named {error}") from None
    except Misread:
        detail = "the text before it, or it itself, swallows what follows"
        raise Refusal(MutationFailure.INVALID_CONTENT, detail) from None
