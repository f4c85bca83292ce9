"""What each method answers, whatever the share."""

from __future__ import annotations

import pytest

from tests.unit.shell.conftest import Site
from tests.unit.shell.test_addresses import PROPFIND, hrefs

IGNORED = "JoplinIgnore-4711"

ENTITIES = b"""<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>
<d:propfind xmlns:d="DAV:"><d:prop><d:x>&b;</d:x></d:prop></d:propfind>"""


def test_ignored_condition(site: Site) -> None:
    """C005: the unquoted If-None-Match of Joplin is ignored by every method."""
    for method, path, body, expected in (
        ("MKCOL", "/joplin/f/", None, 201),
        ("PUT", "/joplin/f/a", b"x", 201),
        ("PUT", "/joplin/f/a", b"y", 204),
        ("GET", "/joplin/f/a", None, 200),
        ("PROPFIND", "/joplin/f/a", PROPFIND, 207),
        ("DELETE", "/joplin/f/a", None, 204),
    ):
        answer = site.ask(method, path, body, If_None_Match=IGNORED, Depth="0")
        assert expected == answer.status


def test_no_content(site: Site) -> None:
    """A change without an answer to show has no body, and no page of anybody's."""
    for method, path, body in (
        ("MKCOL", "/joplin/f", None),
        ("PUT", "/joplin/a", b"x"),
        ("DELETE", "/joplin/a", None),
    ):
        assert b"" == site.ask(method, path, body).body


def test_mkcol(site: Site) -> None:
    """C004: a folder that exists is 405, one without a folder above is 409, a body is 415."""
    assert 201 == site.ask("MKCOL", "/joplin/f/").status
    for path in ("/joplin/f/", "/joplin/f", "/joplin/", "/joplin"):
        assert 405 == site.ask("MKCOL", path).status
    assert 409 == site.ask("MKCOL", "/joplin/none/g/").status
    assert 415 == site.ask("MKCOL", "/joplin/g/", b"x").status


def test_depth(site: Site) -> None:
    """R-J-10: depth 0 and 1 are answered, none means 1, an infinite one is refused."""
    site.share.files["/a"] = b"x"
    assert ["/joplin/"] == hrefs(site.ask("PROPFIND", "/joplin/", PROPFIND, Depth="0").text)
    assert 2 == len(hrefs(site.ask("PROPFIND", "/joplin/", PROPFIND).text))
    answer = site.ask("PROPFIND", "/joplin/", PROPFIND, Depth="Infinity")
    assert 403 == answer.status
    assert "propfind-finite-depth" in answer.text
    assert 400 == site.ask("PROPFIND", "/joplin/", PROPFIND, Depth="2").status


def test_ready_listing(site: Site) -> None:
    """A ready listing is sent as it is, for depth 1 only."""
    site.share.listing = [b"<ready>", b"x" * 100_000, b"</ready>"]
    answer = site.ask("PROPFIND", "/joplin/", PROPFIND, Depth="1")
    assert (207, b"".join(site.share.listing)) == (answer.status, answer.body)
    assert "multistatus" in site.ask("PROPFIND", "/joplin/", PROPFIND, Depth="0").text


@pytest.mark.parametrize("kind", ["", "<d:allprop/>", "<d:propname/>"])
def test_all_properties(site: Site, kind: str) -> None:
    """A PROPFIND without a list of names means all properties, or all names."""
    site.share.files["/a"] = b"hello"
    body = f'<d:propfind xmlns:d="DAV:">{kind}</d:propfind>'.encode() if kind else b""
    answer = site.ask("PROPFIND", "/joplin/a", body, Depth="0")
    assert 207 == answer.status
    assert "getlastmodified" in answer.text
    assert ("name" not in kind) == (">5<" in answer.text)


def test_unknown_property(site: Site) -> None:
    """A property that a file does not have is answered as 404 beside those it has."""
    body = (
        b'<d:propfind xmlns:d="DAV:"><d:prop><d:getetag/><x xmlns="urn:x"/></d:prop></d:propfind>'
    )
    site.share.files["/a"] = b"hello"
    answer = site.ask("PROPFIND", "/joplin/a", body, Depth="0")
    assert (207, 1, 1) == (
        answer.status,
        answer.text.count("200 OK"),
        answer.text.count("404 Not Found"),
    )


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"<oops", 400),
        (ENTITIES, 400),
        (b"<other/>", 400),
        (b"<!--" + b"x" * 2_000_000 + b"-->", 413),
    ],
    ids=["malformed", "entities", "other", "large"],
)
def test_bad_xml(site: Site, body: bytes, status: int) -> None:
    """T-44: malformed XML, a DTD with entities and too much XML are refused."""
    for method in ("PROPFIND", "PROPPATCH", "LOCK"):
        answer = site.ask(method, "/joplin/", body, Depth="0")
        assert status == answer.status
        assert answer.text.count("\n") == 1


def test_chunked_xml(site: Site) -> None:
    """A PROPFIND in chunks is read like any other."""
    answer = site.ask(
        "PROPFIND", "/joplin/", chunks=[PROPFIND[:50], PROPFIND[50:]], Transfer_Encoding="chunked"
    )
    assert (207, ["/joplin/"]) == (answer.status, hrefs(answer.text))
    assert "getcontenttype" not in answer.text


def test_unknown_method(site: Site) -> None:
    """A method nobody knows is 405 and says which ones there are."""
    answer = site.ask("REPORT", "/joplin/")
    assert 405 == answer.status
    assert "PROPFIND" in answer.headers["Allow"]


def test_ranges(site: Site) -> None:
    """C063: a part of a file is served; a part past its end is 416."""
    site.share.files["/a"] = b"hello"
    answer = site.ask("GET", "/joplin/a", Range="bytes=1-3")
    assert (206, b"ell") == (answer.status, answer.body)
    assert 416 == site.ask("GET", "/joplin/a", Range="bytes=9-").status
    validated = site.ask("HEAD", "/joplin/a")
    assert ("5", b"") == (validated.headers["Content-Length"], validated.body)
    assert 304 == site.ask("GET", "/joplin/a", If_None_Match=validated.headers["ETag"]).status


def test_folder_in_a_browser(site: Site) -> None:
    """GET on a folder is refused with one sentence."""
    answer = site.ask("GET", "/joplin/")
    assert (403, "This is a folder; a WebDAV client can list it.\n") == (answer.status, answer.text)


def test_lock(site: Site) -> None:
    """C058: a locked file is written by the holder of the lock only."""
    site.share.files["/a"] = b"x"
    body = (
        b'<d:lockinfo xmlns:d="DAV:"><d:lockscope><d:exclusive/></d:lockscope>'
        b"<d:locktype><d:write/></d:locktype></d:lockinfo>"
    )
    answer = site.ask("LOCK", "/joplin/a", body, Depth="0", Timeout="Second-60")
    token = answer.headers["Lock-Token"]
    assert 200 == answer.status
    assert 423 == site.ask("PUT", "/joplin/a", b"y").status
    assert 204 == site.ask("PUT", "/joplin/a", b"y", If=f"({token})").status
    assert 204 == site.ask("UNLOCK", "/joplin/a", Lock_Token=token).status
    assert 204 == site.ask("PUT", "/joplin/a", b"z").status
