"""What link destinations mean: native ones in files, `knowledge-*:` ones in the contract.

Only meaning here; finding and spelling destinations is `adapters.markdown`'s.
"""

from __future__ import annotations

import base64
import binascii
import posixpath
import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from adapters.contract import ROOT, is_area
from adapters.filebased.names import normal, parent_of
from adapters.filebased.snapshot import (
    Facts,
    File,
    Folder,
    Node,
    Reference,
    area_of,
    find_node,
    real_path,
)
from adapters.markdown import encode_path

AREA: Final = "knowledge-area:"
RESOURCE: Final = "knowledge-resource:"

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_FILE_URL: Final = re.compile(r"file:(?://(?:localhost)?)?(?=/)", re.IGNORECASE)
_ID_PREFIX: Final = "1."


@dataclass(frozen=True, slots=True)
class Site:
    """Where the document that holds a link stands, and where the whole root does."""

    directory: str
    root: str


def read_destination(destination: str) -> Reference | None:
    """Return where a native destination points; `None` for one with no meaning here (R-F-51)."""
    file_url = _FILE_URL.match(destination)
    if file_url is not None:
        destination = destination[file_url.end() :]
    elif destination.startswith("//") or _SCHEME.match(destination):
        return None
    path, mark, fragment = destination.partition("#")
    if not path or "?" in path:
        return None
    try:
        path = unquote(path, errors="strict")
    except UnicodeDecodeError:
        return None
    return None if "\0" in path else Reference(path, fragment if mark else None)


def resolve(reference: Reference, site: Site) -> str | None:
    """Return the path a reference leads to, whether it exists or not; `None` outside the root."""
    path = reference.path
    if path.startswith("/"):
        inside = path == site.root or path.startswith(site.root.rstrip("/") + "/")
        path = path[len(site.root) :] if inside else path
        path = path.lstrip("/")
    else:
        path = f"{site.directory}/{path}" if site.directory else path
    path = posixpath.normpath(path)
    if path == ".." or path.startswith("../"):
        return None
    return "" if path == "." else path


def find_target(root: Folder, reference: Reference, site: Site) -> tuple[str, Node] | None:
    """Return the existing node a reference leads to, with its path as spelled on disk."""
    path = resolve(reference, site)
    node = None if path is None else find_node(root, path)
    if path is None or node is None:
        return None
    if isinstance(node, File) and reference.path.endswith("/"):
        return None
    return real_path(root, path) or "", node


def contract_destination(root: Folder, reference: Reference, site: Site) -> str | None:
    """Return the `knowledge-*:` destination of a reference, if there is one."""
    found = find_target(root, reference, site)
    if found is None:
        return None
    path, node = found
    area = area_of(root, path)
    if area is None:
        return None if reference.fragment is not None else RESOURCE + resource_id_of(path)
    if reference.fragment is None:
        return AREA + area
    if isinstance(node, File) and node.facts is not None:
        heading = dict(node.facts.anchors).get(unquote(reference.fragment))
        if heading is not None:
            return AREA + area + heading
    return f"{AREA}{area}#{reference.fragment}"


def native_destination(root: Folder, destination: str, directory: str) -> str | None:
    """Return the relative destination of a `knowledge-*:` one; `None` if it leads nowhere."""
    if destination.startswith(RESOURCE):
        path = resource_path(root, destination.removeprefix(RESOURCE))
        return None if path is None else relative_destination(path, directory)
    area, mark, fragment = destination.removeprefix(AREA).partition("#")
    found = find_area(root, area)
    if found is None:
        return None
    path, node, heading = found
    if heading:
        slugs = {path: slug for slug, path in _facts(node).anchors}
        if heading not in slugs:
            return None
        mark, fragment = "#", encode_path(slugs[heading])
    return relative_destination(path, directory) + mark + fragment


def relative_destination(path: str, directory: str) -> str:
    """Return the shortest relative destination of `path` (R-F-53)."""
    relative = posixpath.relpath("/" + path, "/" + directory)
    return "./" if relative == "." else encode_path(relative)


def resolved_token(root: Folder, facts: Facts, site: Site) -> str:
    """Return what stands for all that a document's links lead to."""
    return "\n".join(contract_destination(root, ref, site) or "" for ref in facts.references)


def reference_paths(facts: Facts, site: Site) -> frozenset[str]:
    """Return the paths a document's links lead to, existing or not, in normal form."""
    paths = (resolve(reference, site) for reference in facts.references)
    return frozenset(normal(path) for path in paths if path is not None)


def find_area(root: Folder, area: str) -> tuple[str, Node, str] | None:
    """Return path and node of an area, and the rest of the area that names a heading in it."""
    if not is_area(area):
        return None
    node: Node = root
    path = ""
    segments = area.split("/")[1:] if area != ROOT else []
    for depth, segment in enumerate(segments):
        if isinstance(node, File):
            return path, node, "/" + "/".join(segments[depth:])
        child = node.by_segment(segment)
        if child is None:
            return None
        path = f"{path}/{child.name}" if path else child.name
        node = child
    return path, node, ""


def resource_id_of(path: str) -> str:
    """Return the id of the file at `path` (R-F-40)."""
    coded = base64.urlsafe_b64encode(path.encode("utf-8", "surrogatepass")).decode()
    return _ID_PREFIX + coded.rstrip("=")


def path_of_resource(resource_id: str) -> str | None:
    """Return the path an id stands for, whether there is such a file or not."""
    coded = resource_id.removeprefix(_ID_PREFIX)
    if coded == resource_id:
        return None
    try:
        path = base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode()
    except (binascii.Error, ValueError):
        return None
    return path if resource_id_of(path) == resource_id else None


def resource_path(root: Folder, resource_id: str) -> str | None:
    """Return the path of an existing resource."""
    path = path_of_resource(resource_id)
    node = find_node(root, path) if path else None
    if path is None or not isinstance(node, File) or node.facts is not None:
        return None
    return path if real_path(root, path) == path else None


def is_repository_link(destination: str) -> bool:
    """Tell whether a destination is one of the contract's."""
    return destination.startswith((AREA, RESOURCE))


def site_of(path: str, root: str) -> Site:
    """Return the site of the document at `path`."""
    return Site(parent_of(path), root)


def _facts(node: Node) -> Facts:
    facts = node.facts if isinstance(node, File) else None
    assert facts is not None
    return facts
