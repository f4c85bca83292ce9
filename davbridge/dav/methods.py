"""WsgiDAV's application and request server, subclassed once for both shares.

What differs from WsgiDAV 4.4: share names are case-sensitive (C001), an upload is received whole
before it is stored (C009), a listing may be sent ready-made, an error inside a property ends the
request instead of giving a listing with holes, and no answer is HTML.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from wsgidav import util, xml_tools
from wsgidav.dav_error import DAVError, PRECONDITION_CODE_PropfindFiniteDepth
from wsgidav.mw.base_mw import BaseMiddleware
from wsgidav.request_server import RequestServer
from wsgidav.wsgidav_app import WsgiDAVApp

from davbridge.dav.errors import Environ, Headers, Refusal, StartResponse, translate
from davbridge.dav.provider import PropertyRequest, ShareProvider, StoredUpload
from davbridge.dav.spool import BLOCK, declared_length, receive

MAX_XML: Final = 64 * 1024
"""Bytes of the largest XML request body."""

METHODS: Final = (
    *("OPTIONS", "HEAD", "GET", "PROPFIND", "PUT", "DELETE"),
    *("MKCOL", "COPY", "MOVE", "PROPPATCH", "LOCK", "UNLOCK"),
)

_WITH_XML: Final = frozenset({"PROPFIND", "PROPPATCH", "LOCK"})

_ALL_PROPERTIES: Final = PropertyRequest(None)


class DavApplication(WsgiDAVApp):  # type: ignore[misc]  # WsgiDAV is untyped
    """WsgiDAV with as little of it switched on as possible; shares are found by exact name."""

    def __init__(self, shares: Mapping[str, ShareProvider], *, spool: Path | None) -> None:
        self.spool = spool
        super().__init__(
            {
                "provider_mapping": dict(shares),
                "middleware_stack": [_Resolver],
                "http_authenticator": {"accept_basic": False, "accept_digest": False},
                "hotfixes": {"re_encode_path_info": False},  # webapp.py has decoded it
                "lock_storage": True,  # in memory
                "property_manager": None,
                "logging": {"enable": False},
                "block_size": BLOCK,
                "verbose": 1,
            }
        )

    def resolve_provider(self, path: str) -> tuple[str | None, ShareProvider | None]:
        """Return the share `path` is in, by whole segments and exact letters."""
        for share in sorted(self.provider_map, key=len, reverse=True):
            if share == "/" or path == share or path.startswith(f"{share}/"):
                return share, self.provider_map[share]
        return None, None


class _Resolver(BaseMiddleware):  # type: ignore[misc]  # WsgiDAV is untyped
    """Hands a request to the request server of its share."""

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterable[bytes]:
        provider = environ["wsgidav.provider"]
        if provider is None:
            raise Refusal(404)
        yield from DavRequestServer(provider)(environ, start_response)


class DavRequestServer(RequestServer):  # type: ignore[misc]  # WsgiDAV is untyped
    """One request to one share."""

    def __init__(self, provider: ShareProvider) -> None:
        super().__init__(provider)
        self._provider = provider
        self._possible_methods = list(METHODS)

    def __call__(self, environ: Environ, start_response: StartResponse) -> Iterator[bytes]:
        method = environ["REQUEST_METHOD"]
        if method not in METHODS:
            raise Refusal(405, headers=[("Allow", ", ".join(METHODS))])
        environ["PATH_INFO"] = environ["PATH_INFO"] or "/"
        environ.setdefault("HTTP_HOST", environ.get("SERVER_NAME", ""))
        # Joplin sends "JoplinIgnore-<random>", unquoted, on everything but GET (PROTOCOL.md 2);
        # what is neither "*" nor a quoted tag can match nothing.
        condition = environ.get("HTTP_IF_NONE_MATCH", "")
        if '"' not in condition and condition.strip() != "*":
            environ.pop("HTTP_IF_NONE_MATCH", None)
        _check_destination(environ)
        if method in _WITH_XML:
            _receive_xml(environ)
        yield from super().__call__(environ, start_response)

    def _evaluate_if_headers(self, res: Any, environ: Environ) -> None:
        super()._evaluate_if_headers(res, environ)
        if res is None and "HTTP_IF_MATCH" in environ:
            raise Refusal(412, "There is nothing at this address that could match.")

    def _send_response(
        self,
        environ: Environ,
        start_response: StartResponse,
        root_res: Any,
        success_code: int,
        error_list: list[tuple[str, DAVError]] | None,
    ) -> Iterable[bytes]:
        if not error_list:
            return _send_empty(start_response, success_code)
        errors = [(href, translate(error)) for href, error in error_list]
        if len(errors) == 1 and errors[0][0] == root_res.get_href():
            raise errors[0][1]
        return super()._send_response(  # type: ignore[no-any-return]
            environ, start_response, root_res, success_code, errors
        )

    def do_PROPFIND(  # noqa: N802 - WsgiDAV finds methods by this name
        self, environ: Environ, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Answer depth 0 and 1; an infinite depth is refused (R-J-10), an absent one means 1."""
        path = environ["PATH_INFO"]
        depth = environ.setdefault("HTTP_DEPTH", "1")
        if depth == "infinity":
            raise DAVError(403, err_condition=PRECONDITION_CODE_PropfindFiniteDepth)
        if depth not in ("0", "1"):
            raise Refusal(400, 'The Depth of a PROPFIND must be "0" or "1".')
        wanted = environ["davbridge.propfind"] = _parse_propfind(environ)
        if depth == "1":
            ready = self._provider.ready_listing(path, environ)
            if ready is not None:
                headers = _xml_headers(ready.length)
                start_response("207 Multi-Status", headers)
                return ready.blocks
        resource = self._provider.get_resource_inst(path, environ)
        if resource is None:
            raise Refusal(404)
        self._evaluate_if_headers(resource, environ)
        document = xml_tools.make_multistatus_el()
        for member in resource.get_descendants(depth=depth, add_self=True):
            properties = _read_properties(member, wanted)
            util.add_property_response(document, member.get_href(), properties)
        body = xml_tools.xml_to_bytes(document, pretty=False)
        start_response("207 Multi-Status", _xml_headers(len(body)))
        return [body]

    def do_PUT(  # noqa: N802 - WsgiDAV finds methods by this name
        self, environ: Environ, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Receive the whole body, then store it in one call; half a body stores nothing."""
        path, provider = environ["PATH_INFO"], self._provider
        _check_upload_headers(environ)
        existing = provider.get_resource_inst(path, environ)
        if path.endswith("/") or (existing is not None and existing.is_collection):
            raise Refusal(405, "A folder cannot be replaced by a file.")
        holder = existing
        if existing is None:
            holder = provider.get_resource_inst(util.get_uri_parent(path), environ)
            if holder is None or not holder.is_collection:
                raise Refusal(409)
        self._evaluate_if_headers(existing, environ)
        self._check_write_permission(holder, "0", environ)
        provider.check_upload(path, declared_length(environ))
        spool = environ["wsgidav.app"].spool
        with receive(environ, limit=provider.max_body, directory=spool) as body:
            if provider.lock_manager is None:
                stored = provider.store_upload(path, body, environ)
            else:
                # A lock taken while the body arrived counts; none can be taken from here on.
                with self._write_transaction(holder, environ):
                    stored = provider.store_upload(path, body, environ)
        return _send_stored(start_response, stored)

    def do_MKCOL(  # noqa: N802 - WsgiDAV finds methods by this name
        self, environ: Environ, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Create one collection: 405 if it exists, 409 without the one above."""
        path, provider = environ["PATH_INFO"], self._provider
        if declared_length(environ) != 0:
            raise Refusal(415, close=True)
        if provider.get_resource_inst(path, environ) is not None:
            raise Refusal(405, "This folder exists already.")
        parent = provider.get_resource_inst(util.get_uri_parent(path), environ)
        if parent is None or not parent.is_collection:
            raise Refusal(409)
        self._evaluate_if_headers(None, environ)
        self._check_write_permission(parent, "0", environ)
        parent.create_collection(util.get_uri_name(path))
        return _send_empty(start_response, 201)


def _check_destination(environ: Environ) -> None:
    try:
        urlsplit(environ.get("HTTP_DESTINATION", ""))
    except ValueError:
        raise Refusal(400, "The Destination of the request is malformed.") from None


def _check_upload_headers(environ: Environ) -> None:
    if environ.get("HTTP_CONTENT_ENCODING", "identity") != "identity":
        raise Refusal(415, "A compressed upload is not understood here.", close=True)
    if "HTTP_CONTENT_RANGE" in environ:
        raise Refusal(400, "A part of a file cannot be uploaded, only a whole one.", close=True)
    if declared_length(environ) == 0 and not environ.get("CONTENT_LENGTH"):
        raise Refusal(411, close=True)


def _receive_xml(environ: Environ) -> None:
    """Read a small XML body, chunked or not, and put it where WsgiDAV looks for it."""
    try:
        with receive(environ, limit=MAX_XML, directory=None) as body:
            content = body.read()
    except Refusal as error:
        if error.value != 413:
            raise
        raise Refusal(413, "The request body is too large.", close=True) from None
    environ["wsgi.input"] = io.BytesIO(content)
    environ["CONTENT_LENGTH"] = str(len(content))


def _parse_propfind(environ: Environ) -> PropertyRequest:
    root = util.parse_xml_body(environ, allow_empty=True)
    if root is None:
        return _ALL_PROPERTIES
    if root.tag != "{DAV:}propfind":
        raise Refusal(400, "The body of a PROPFIND must be a propfind element.")
    for element in root:
        if element.tag == "{DAV:}prop":
            return PropertyRequest(tuple(dict.fromkeys(child.tag for child in element)))
        if element.tag == "{DAV:}propname":
            return PropertyRequest(None, names_only=True)
    return _ALL_PROPERTIES


def _read_properties(resource: Any, wanted: PropertyRequest) -> list[tuple[str, Any]]:
    """Return names with values; only what a resource does not have is answered as 404.

    WsgiDAV would answer any exception as a property with status 500, and a client would take
    an item without a date for a fact.
    """
    names = wanted.names
    if names is None:
        names = resource.get_property_names(is_allprop=not wanted.names_only)
    if wanted.names_only:
        return [(name, None) for name in names]
    properties: list[tuple[str, Any]] = []
    for name in names:
        try:
            properties.append((name, resource.get_property_value(name)))
        except DAVError as error:
            if error.value != 404:
                raise
            properties.append((name, error))
    return properties


def _send_stored(start_response: StartResponse, stored: StoredUpload) -> Iterable[bytes]:
    headers = [] if stored.etag is None else [("ETag", f'"{stored.etag}"')]
    return _send_empty(start_response, 201 if stored.created else 204, headers)


def _send_empty(
    start_response: StartResponse, status: int, headers: Iterable[tuple[str, str]] = ()
) -> Iterable[bytes]:
    text = util.get_http_status_string(status)
    start_response(text, [("Content-Length", "0"), *headers])
    return [b""]


def _xml_headers(length: int) -> Headers:
    return [("Content-Type", "application/xml; charset=utf-8"), ("Content-Length", str(length))]


__all__ = ["MAX_XML", "METHODS", "DavApplication", "DavRequestServer"]
