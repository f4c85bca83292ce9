"""Text from the contract -> text for the file: links become relative, known ones keep their
spelling (R-F-53, 54)."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from typing import Final

from adapters.contract import MutationFailure
from adapters.filebased.links import (
    RESOURCE,
    Site,
    contract_destination,
    is_repository_link,
    native_destination,
    read_destination,
)
from adapters.filebased.refusal import Refusal
from adapters.filebased.sections import Text
from adapters.filebased.snapshot import Folder
from adapters.markdown import Link, LinkForm, Verbatim, rewrite_links, spelling_of

_LINE_END: Final = re.compile(r"\r\n|\n|\r")


class Spellings:
    """How the links of a replaced text were spelled, by what they mean in the contract."""

    def __init__(self, old: Text | None, tree: Folder, site: Site) -> None:
        self._known: defaultdict[str, deque[tuple[Link, Verbatim]]] = defaultdict(deque)
        for link in old.document.links if old else ():
            meaning = self._meaning(link, tree, site)
            if meaning is not None and old is not None:
                self._known[meaning].append((link, spelling_of(old.text, link)))

    @staticmethod
    def _meaning(link: Link, tree: Folder, site: Site) -> str | None:
        if is_repository_link(link.destination):
            return link.destination
        reference = read_destination(link.destination)
        return contract_destination(tree, reference, site) if reference else None

    def take(self, link: Link) -> str | Verbatim | None:
        """Return what the next link with that meaning was spelled like."""
        known = self._known.get(link.destination)
        if not known:
            return None
        old, spelling = known.popleft()
        if is_repository_link(old.destination):
            return None
        # Clients may drop `<>` (FORMAT 4.1); where they add it, somebody wanted it.
        is_same = _grammar(old) == _grammar(link) and (old.angle or not link.angle)
        return spelling if is_same else old.destination

    def __contains__(self, destination: object) -> bool:
        return destination in self._known


def to_native(text: str, tree: Folder, site: Site, *, old: Text | None = None) -> str:
    """Return a text from the contract as it is to be stored in place of `old`.

    Refused: INVALID_CONTENT for a resource that is not there and was not referred to before.
    """
    if "knowledge-" not in text:
        return text
    spellings = Spellings(old, tree, site)

    def exchange(link: Link) -> str | None:
        if not is_repository_link(link.destination):
            return None
        known = link.destination in spellings
        native = spellings.take(link)
        if native is None:
            native = native_destination(tree, link.destination, site.directory)
        if native is None and link.destination.startswith(RESOURCE) and not known:
            resource_id = link.destination.removeprefix(RESOURCE)
            raise Refusal(MutationFailure.INVALID_CONTENT, f"no such resource: {resource_id}")
        return native

    return rewrite_links(text, exchange)


def with_newlines_of(old: str, text: str) -> str:
    """Return a text that replaces `old`, with its line ends if they were all CRLF (R-F-31)."""
    if "\r" in text or "\n" not in text:
        return text
    return text.replace("\n", "\r\n") if _are_all_crlf(_LINE_END.findall(old)) else text


def _are_all_crlf(ends: Iterable[str]) -> bool:
    found = set(ends)
    return found == {"\r\n"}


def _grammar(link: Link) -> str:
    if link.form in (LinkForm.HTML, LinkForm.AUTOLINK):
        return link.form
    return "markdown"
