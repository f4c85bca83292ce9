"""What every mutation needs while it is planned: the tree, the rules, the text of documents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from adapters.contract import MutationFailure, is_area
from adapters.filebased import names
from adapters.filebased.core import Core
from adapters.filebased.facts import LARGEST, Decoded, encode, look_into
from adapters.filebased.links import Site
from adapters.filebased.plan import Plan
from adapters.filebased.reading import Spot, find_spot
from adapters.filebased.refusal import Refusal
from adapters.filebased.sections import Text
from adapters.filebased.snapshot import File, Folder, find_folder, find_node


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A plan, and where what the mutation was about is afterwards."""

    plan: Plan = field(default_factory=Plan)
    path: str | None = None
    area: str | None = None
    resource: str | None = None
    trash_token: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A document's bytes and what they say."""

    path: str
    content: bytes
    decoded: Decoded
    text: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """One mutation at work. Raises `Refusal` for what must not happen."""

    core: Core
    clock: Callable[[], datetime]
    token: Callable[[], str]

    # What is there

    @property
    def tree(self) -> Folder:
        """The present snapshot; it changes only when this mutation looks again at a file."""
        return self.core.tree()

    def spot(self, area: str) -> Spot:
        """Return what is at `area`, after a look at the file of a document. Refused: NOT_FOUND."""
        spot = find_spot(self.tree, area) if is_area(area) else None
        if spot is not None and spot.file is not None:
            # An edit that nobody told us of yet must not be overwritten (C018).
            self.core.look_at(spot.path)
            spot = find_spot(self.tree, area)
        if spot is None:
            raise Refusal(MutationFailure.NOT_FOUND, f"no such area: {area!r}")
        return spot

    def whole(self, area: str) -> Spot:
        """Return the directory or document at `area`. Refused: NOT_FOUND, NOT_SUPPORTED."""
        spot = self.spot(area)
        self.need_writable()
        if spot.heading:
            raise Refusal(MutationFailure.NOT_SUPPORTED, f"{area} is a heading")
        return spot

    def document(self, area: str, expected: str | None = None) -> Spot:
        """Return the document at `area`, if it may be edited. Refused: STALE, READ_ONLY."""
        spot = self.whole(area)
        if spot.file is None:
            raise Refusal(MutationFailure.NOT_SUPPORTED, f"{area} owns no text")
        self.need_revision(spot, expected)
        if spot.file.facts is None or not spot.file.facts.is_editable:
            raise Refusal(MutationFailure.READ_ONLY, f"{area} is not UTF-8, or too large")
        return spot

    def folder(self, area: str) -> Spot:
        """Return the directory at `area`. Refused: NOT_SUPPORTED."""
        spot = self.whole(area)
        if not isinstance(spot.node, Folder):
            raise Refusal(MutationFailure.NOT_SUPPORTED, f"{area} holds no documents")
        return spot

    def open(self, path: str) -> Opened:
        """Read the document at `path`."""
        content, _ = self.core.disk.read(path)
        decoded, text = look_into(content)
        return Opened(path=path, content=content, decoded=decoded, text=text)

    def site(self, path: str) -> Site:
        """Return where the links of the document at `path` start from."""
        return self.core.site(path)

    # What is allowed

    def need_writable(self) -> None:
        """Refuse READ_ONLY in a repository that may not be changed."""
        if self.core.read_only:
            raise Refusal(MutationFailure.READ_ONLY, "the repository is read-only")

    def need_revision(self, spot: Spot, expected: str | None) -> None:
        """Refuse STALE unless `expected` is a present revision of the area."""
        if expected is None:
            return
        if isinstance(spot.node, Folder):
            present = {spot.node.revision(subtree=subtree) for subtree in (False, True)}
        else:
            present = {spot.node.revision()}
        if expected not in present:
            raise Refusal(MutationFailure.STALE, "changed in the meantime")

    def need_name(self, directory: str, name: str, *, suffix: str, but: str = "") -> str:
        """Return the file name of a new document or, without `suffix`, directory.

        Refused: INVALID_NAME, NOT_SUPPORTED, and COLLISION with anything but `but`.
        """
        if not names.is_name(name):
            raise Refusal(MutationFailure.INVALID_NAME, f"not a possible name: {name!r}")
        file_name = names.normal(names.encode_name(name, end=not suffix)) + suffix
        if len(file_name.encode()) > names.LONGEST:
            raise Refusal(MutationFailure.INVALID_NAME, "longer than a file name may be")
        if names.display_name(file_name, is_document=bool(suffix)) != names.normal(name):
            raise Refusal(MutationFailure.INVALID_NAME, f"not a possible name: {name!r}")
        if suffix and not names.is_document_name(file_name):
            detail = f"{name!r} reads as the name of a document's resource"
            raise Refusal(MutationFailure.NOT_SUPPORTED, detail)
        self.need_free(directory, file_name, but=but)
        return file_name

    def need_free(self, directory: str, file_name: str, *, but: str = "") -> None:
        """Refuse COLLISION if a name is taken, or a document or directory shows the same one."""
        if not self.is_free(directory, file_name, but=but):
            shown = names.decode_name(file_name, end=True)
            raise Refusal(MutationFailure.COLLISION, f"{shown!r} is there already")

    def is_free(self, directory: str, file_name: str, *, but: str = "") -> bool:
        """Tell whether nothing but `but` has that name, or one too much like it."""
        folder = find_folder(self.tree, directory)
        keys = _keys(file_name)
        for name in folder.entries if folder else ():
            if name != but and keys & _keys(name):
                return False
        path = names.join(directory, file_name)
        return file_name == but or not self.core.disk.exists(path) or self._is_same(path, but)

    def _is_same(self, path: str, but: str) -> bool:
        if not but or names.name_key(names.name_of(path)) != names.name_key(but):
            return False
        other = names.join(names.parent_of(path), but)
        return self.core.disk.stat(path).st_ino == self.core.disk.stat(other).st_ino

    def encoded(self, text: str, *, has_mark: bool = False) -> bytes:
        """Return the bytes of a document. Refused: INVALID_CONTENT."""
        try:
            content = encode(text, has_mark=has_mark)
        except UnicodeEncodeError:
            raise Refusal(MutationFailure.INVALID_CONTENT, "not encodable as UTF-8") from None
        if len(content) > LARGEST:
            raise Refusal(MutationFailure.INVALID_CONTENT, "longer than a document may be")
        return content

    def file_at(self, path: str) -> File | None:
        """Return the file at `path`."""
        node = find_node(self.tree, path)
        return node if isinstance(node, File) else None


def _keys(file_name: str) -> set[str]:
    """Return what two entries that must not stand side by side have in common."""
    keys = {names.name_key(file_name)}
    if names.is_document_name(file_name):
        keys.add(".md/" + names.name_key(names.display_name(file_name, is_document=True)))
    else:
        keys.add("/" + names.name_key(names.display_name(file_name, is_document=False)))
    return keys
