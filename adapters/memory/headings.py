"""The mutations of the contract where they concern headings: edits of one text or two."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from types import MappingProxyType

from adapters.contract import MutationFailure
from adapters.markdown import edits
from adapters.markdown.edits import Ambiguous, Edit, Edited, Misread
from adapters.markdown.outline import Section, TooDeep, outline, shift
from adapters.memory.draft import Draft, Refusal
from adapters.memory.place import Place, headings_in
from adapters.memory.tree import Node


@contextmanager
def refusing() -> Iterator[None]:
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


def add(draft: Draft, parent: Place, name: str, content: str) -> str:
    """Create a heading as the last child of a document or a heading."""
    _need_name(draft, parent, name)
    newline = edits.newline_of(parent.node.text)
    with refusing(), _naming(name):
        level = edits.new_level(parent.section)
        line = edits.heading_line(name, level, newline)
        body = shift(edits.with_newlines(content, newline), level)
        block = line + newline + body if body.strip() else line
        edited = edits.apply(parent.node.text, [_insert(parent.section, block)])
    draft.need_payload(edited.text, previous=parent.node.text)
    _retext(draft, (parent.node, edited))
    return list(headings_in(draft.tree, draft.place(parent.area)))[-1].area


def rename(draft: Draft, place: Place, name: str) -> str:
    """Change the name of a heading and nothing else of it."""
    _need_name(draft, replace(place, trail=place.trail[:-1]), name)
    with _naming(name):
        edited = edits.renamed(place.node.text, place.section, name)
    return _retext(draft, (place.node, edited))[(place.node.handle, place.section.start)]


def move(draft: Draft, place: Place, parent: Place, name: str) -> str:
    """Make a heading the last child of another place in a document."""
    _need_name(draft, parent, name)
    with refusing():
        put = _subtree(place, parent, name)
        cut = Edit(start=place.section.start, end=place.section.end)
        if place.node == parent.node:
            edited = edits.apply(place.node.text, [cut, put])
            texts = [(place.node, edited)]
        else:
            edited = edits.apply(parent.node.text, [put])
            texts = [(place.node, edits.apply(place.node.text, [cut])), (parent.node, edited)]
    arrived = {
        (place.node.handle, old): (parent.node.handle, new) for old, new in edited.arrived.items()
    }
    areas = _retext(draft, *texts, arrived=arrived)
    return areas[(parent.node.handle, edited.arrived[place.section.start])]


def delete(draft: Draft, place: Place) -> None:
    """Remove a heading and all below it."""
    with refusing():
        cut = Edit(start=place.section.start, end=place.section.end)
        edited = edits.apply(place.node.text, [cut])
    _retext(draft, (place.node, edited))


def exchange(draft: Draft, place: Place, content: str) -> None:
    """Exchange everything below a heading."""
    payload = edits.with_newlines(content, edits.newline_of(place.node.text))
    with refusing():
        payload = shift(payload, place.section.level)
        edited = edits.exchanged(place.node.text, place.section, payload)
    draft.need_payload(edited.text, previous=place.node.text)
    _retext(draft, (place.node, edited))


def append(draft: Draft, place: Place, content: str) -> None:
    """Add a sparse tree of text below a document or a heading."""
    with refusing():
        wanted = edits.appended(place.node.text, place.section, content)
        edited = edits.apply(place.node.text, wanted)
    draft.need_payload(edited.text, previous=place.node.text)
    _retext(draft, (place.node, edited))


def _subtree(place: Place, parent: Place, name: str) -> Edit:
    """Return the edit that puts the heading `place` below `parent`, under `name`."""
    section = place.section
    newline = edits.newline_of(parent.node.text)
    block = edits.with_newlines(place.node.text[section.start : section.end], newline)
    block = shift(block, edits.new_level(parent.section) - section.level)
    if name != section.name:
        top = outline(block, is_whole=False).children[0]
        with _naming(name):
            block = edits.renamed(block, top, name, is_whole=False).text
    new = [s.start for s in outline(block, is_whole=False).walk() if s.level]
    moved = tuple(zip((s.start for s in section.walk()), new, strict=True))
    return replace(_insert(parent.section, block), moved=moved)


def _insert(target: Section, block: str) -> Edit:
    return Edit(start=target.end, end=target.end, block=block)


def _need_name(draft: Draft, parent: Place, name: str) -> None:
    if name in (child.name for child in headings_in(draft.tree, parent)):
        raise Refusal(MutationFailure.COLLISION, f"{name!r} is there already")


@contextmanager
def _naming(name: str) -> Iterator[None]:
    try:
        yield
    except ValueError:
        raise Refusal(MutationFailure.INVALID_NAME, f"not a heading: {name!r}") from None


def _retext(
    draft: Draft,
    *texts: tuple[Node, Edited],
    arrived: Mapping[tuple[str, int], tuple[str, int]] = MappingProxyType({}),
) -> Mapping[tuple[str, int], str]:
    """Exchange texts and return the areas of the headings in them by where they begin."""
    kept = dict(arrived)
    for node, edited in texts:
        kept |= {(node.handle, old): (node.handle, new) for old, new in edited.offsets.items()}
    return draft.retext({node.handle: edited.text for node, edited in texts}, kept)
