"""Files that text refers to: their facts, adding and replacing them (R-F-40..47)."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator
from typing import BinaryIO, Final

from adapters.contract import KnowledgeResourceInfo, MutationFailure
from adapters.filebased import names
from adapters.filebased.desk import Desk, Planned
from adapters.filebased.links import Site, find_target, resource_id_of
from adapters.filebased.moving import fresh_owned_name
from adapters.filebased.plan import Create, Plan, Write
from adapters.filebased.refusal import Refusal
from adapters.filebased.removal import existing_resource
from adapters.filebased.snapshot import File, Folder

UNKNOWN_TYPE: Final = "application/octet-stream"

# What the standard library's table lacks in some of its versions.
_MORE_TYPES: Final = {
    ".md": "text/markdown",
    ".yaml": "application/yaml",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".heic": "image/heic",
    ".flac": "audio/flac",
    ".opus": "audio/opus",
    ".m4a": "audio/mp4",
    ".mkv": "video/matroska",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".odt": "application/vnd.oasis.opendocument.text",
}


def _fixed_table() -> mimetypes.MimeTypes:
    """Return the standard library's table without what the machine adds to it."""
    table = mimetypes.MimeTypes()
    for suffix, content_type in _MORE_TYPES.items():
        table.add_type(content_type, suffix)
    return table


_TYPES: Final = _fixed_table()
_SUFFIX: Final = re.compile(r"\.[A-Za-z0-9]{1,16}")
_CHUNK: Final = 1024 * 1024


def content_type_of(file_name: str) -> str:
    """Return the content type that goes with a file name."""
    return _TYPES.guess_type(file_name.replace("?", "").replace("#", ""))[0] or UNKNOWN_TYPE


def describe(path: str, file: File) -> KnowledgeResourceInfo:
    """Return the facts of a resource."""
    name = names.name_of(path)
    return KnowledgeResourceInfo(
        resource_id=resource_id_of(path),
        file_name=names.normal(names.decode_name(name, end=True)),
        content_type=content_type_of(name),
        length=file.stamp.size,
        revision=file.resource_revision,
    )


def referenced(tree: Folder, document: File, site: Site) -> Iterator[str]:
    """Yield the paths of the resources a document refers to, each once, in order."""
    seen: set[str] = set()
    for reference in document.facts.references if document.facts else ():
        found = find_target(tree, reference, site) if reference.fragment is None else None
        if found is None:
            continue
        path, node = found
        if isinstance(node, File) and node.facts is None and path not in seen:
            seen.add(path)
            yield path


def add(
    desk: Desk, area: str, preferred: str, content_type: str, content: bytes | BinaryIO
) -> Planned:
    """Plan a new file beside the document around `area`."""
    spot = desk.spot(area)
    if spot.file is None:
        raise Refusal(MutationFailure.NOT_SUPPORTED, f"{area} has no resources")
    desk.need_writable()
    directory = names.parent_of(spot.path)
    name = _safe_name(preferred)
    if name is None or not desk.is_free(directory, name):
        suffix = _suffix(preferred, content_type)
        stem = names.split_suffix(names.name_of(spot.path))[0]
        name = fresh_owned_name(desk, directory, stem, suffix)
    if len(name.encode()) > names.LONGEST:
        raise Refusal(MutationFailure.INVALID_NAME, "longer than a file name may be")
    path = names.join(directory, name)
    return Planned(
        plan=Plan(steps=(Create(path=path, content=content),)),
        area=area,
        resource=resource_id_of(path),
    )


def replace(desk: Desk, resource_id: str, content: bytes | BinaryIO) -> Planned:
    """Plan other bytes for a resource; equal ones change nothing."""
    path = existing_resource(desk, resource_id)
    if _has_bytes(desk, path, content):
        return Planned(resource=resource_id)
    return Planned(plan=Plan(steps=(Write(path=path, content=content),)), resource=resource_id)


def _has_bytes(desk: Desk, path: str, content: bytes | BinaryIO) -> bool:
    with desk.core.disk.open(path) as stream:
        if isinstance(content, bytes):
            return stream.read(len(content) + 1) == content
        if not content.seekable():
            return False
        start = content.tell()
        is_same = True
        while is_same:
            ours, theirs = stream.read(_CHUNK), content.read(_CHUNK)
            is_same = ours == theirs
            if not ours:
                break
        content.seek(start)
        return is_same


def _safe_name(preferred: str) -> str | None:
    """Return the file name a hint asks for; `None` if it is no good one (R-F-43)."""
    name = preferred.replace("\\", "/").rpartition("/")[2]
    if not names.is_name(name) or not name.strip(". ") or name.startswith("."):
        return None
    name = names.normal(names.encode_name(name, end=True))
    if name.lower().endswith(names.DOCUMENT_SUFFIXES):
        name += ".bin"
    if names.is_owned_name(name) or name.lower() in names.JUNK:
        return None
    return name if len(name.encode()) <= names.LONGEST else None


def _suffix(preferred: str, content_type: str) -> str:
    """Return the extension for a name of our own: from the hint, else from the type."""
    dot = preferred.rfind(".")
    suffix = preferred[dot:] if dot >= 0 else ""
    if _SUFFIX.fullmatch(suffix) is None:
        plain_type = content_type.partition(";")[0].strip().lower()
        suffix = _TYPES.guess_extension(plain_type) or ".bin"
    return f"{suffix}.bin" if suffix.lower() in names.DOCUMENT_SUFFIXES else suffix
