"""Which address means what, and what is never answered."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.shell.conftest import Site, basic, head, make_site, read_all

PROPFIND = b"""<?xml version="1.0" encoding="UTF-8"?>
<d:propfind xmlns:d="DAV:"><d:prop><d:getlastmodified/><d:resourcetype/></d:prop></d:propfind>"""


def hrefs(text: str) -> list[str]:
    return [part.partition("<")[0] for part in text.split("href>")[1::2]]


def test_listing_hrefs(site: Site) -> None:
    """C001: hrefs are absolute paths with single slashes; with or without the final slash."""
    site.share.files |= {"/a b.md": b"x", "/ä.md": b"y"}
    site.share.folders.add("/f")
    expected = ["/joplin/", "/joplin/a%20b.md", "/joplin/f/", "/joplin/%C3%A4.md"]
    for path in ("/joplin", "/joplin/", "//joplin//", "/joplin//"):
        answer = site.ask("PROPFIND", path, PROPFIND, Depth="1")
        assert (207, expected) == (answer.status, hrefs(answer.text))


def test_doubled_slash(site: Site) -> None:
    """C001: a doubled slash changes nothing and is not redirected."""
    site.share.files["/info.json"] = b"{}"
    for path in ("/joplin/info.json", "/joplin//info.json", "//joplin/info.json"):
        assert (200, b"{}") == (site.ask("GET", path).status, site.ask("GET", path).body)


def test_letter_case(site: Site) -> None:
    """C001: the name of a share in other letters is another address."""
    for path in ("/JOPLIN/", "/Joplin", "/joplinx", "/other", "/JOPLIN/info.json"):
        answer = site.ask("PROPFIND", path, PROPFIND, Depth="0")
        assert (404, "text/plain; charset=utf-8") == (
            answer.status,
            answer.headers["Content-Type"],
        )
        assert 1 == answer.text.count("\n")


@pytest.mark.parametrize(
    "path", ["/joplin/none.md", "/joplin/.resource/0", "/joplin/locks/none.json", "/joplin/n/"]
)
def test_absent(site: Site, path: str) -> None:
    """C003: what is not there is 404, whatever is asked of it."""
    for method in ("GET", "HEAD", "PROPFIND", "DELETE"):
        assert 404 == site.ask(method, path, Depth="0").status


@pytest.mark.parametrize(
    "path",
    [
        "/joplin/..%2f..%2fetc",
        "/joplin/%2e%2e/x",
        "/joplin/a%00b",
        "/joplin/\\..\\x",
        "/joplin/%FF",
    ],
)
def test_strange_paths(site: Site, path: str) -> None:
    """C064: a path that tries to leave the share, or is no text, is 4xx for every method."""
    for method in ("GET", "PUT", "DELETE", "MKCOL", "PROPFIND"):
        assert site.ask(method, path, b"x" if method == "PUT" else None).status in range(400, 410)
    assert set() == {name for name in site.share.files if name.count("/") > 1}


def test_status_page(site: Site) -> None:
    """The page at / says what to type into Joplin, after sign-in only."""
    answer = site.ask("GET", "/", Host="notes.example:8080")
    assert "http://notes.example:8080/joplin/" in answer.text
    assert "anna" in answer.text
    assert 401 == site.ask("GET", "/", authorization=None).status
    for method in ("PUT", "PROPFIND", "DELETE"):
        assert 404 == site.ask(method, "/").status


def test_prefix_of_a_proxy(tmp_path: Path) -> None:
    """C053: behind a proxy with a path prefix, hrefs stay below the prefix."""
    with make_site(tmp_path, path="/notes/Joplin") as site:
        for path in ("/notes/Joplin", "/notes/Joplin/"):
            answer = site.ask("PROPFIND", path, PROPFIND, Depth="1")
            assert (207, ["/notes/Joplin/"]) == (answer.status, hrefs(answer.text))
        assert 404 == site.ask("PROPFIND", "/notes/joplin/").status
        assert 404 == site.ask("PROPFIND", "/notes/").status


def test_destination_elsewhere(site: Site) -> None:
    """C053: a move to another host, or out of the share, is refused."""
    site.share.files["/a"] = b"x"
    for target in (
        "http://other.example/joplin/b",
        "http://[::1",
        "/elsewhere/b",
        "/joplin/../b",
        "",
    ):
        answer = site.ask("MOVE", "/joplin/a", Destination=target)
        assert answer.status in (400, 403, 502)
    assert {"/a": b"x"} == site.share.files


def test_absolute_form(site: Site) -> None:
    """A request line with a whole URL, as a proxy sends it, is the path in it (RFC 9112, 3.2.2)."""
    site.share.files["/a"] = b"hello"
    with site.connect() as connection:
        connection.sendall(head("GET http://localhost/joplin/a", Connection="close"))
        assert read_all(connection).endswith(b"hello")


def test_old_protocol(site: Site) -> None:
    """An HTTP/1.0 request without a Host is answered."""
    with site.connect() as connection:
        connection.sendall(f"GET / HTTP/1.0\r\nAuthorization: {basic()}\r\n\r\n".encode())
        assert read_all(connection).startswith(b"HTTP/1.1 200")
