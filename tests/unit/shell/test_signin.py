"""Who may in, and what it costs those who may not."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from davbridge.dav import Refusal
from davbridge.signin import CHALLENGE, Gatekeeper, hash_password, new_password
from tests.unit.shell.conftest import HASH, PASSWORD, USER, Site, basic, head, make_site, read_all
from tests.unit.shell.memory_share import MemoryShare

GOOD = f"{USER}:{PASSWORD}".encode()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def make_gatekeeper(users: dict[str, str], slept: list[float] | None = None) -> Gatekeeper:
    return Gatekeeper(users, clock=Clock(), sleep=(slept if slept is not None else []).append)


@pytest.mark.parametrize(
    "authorization",
    [
        None,
        "",
        "Basic",
        "Basic ",
        "Basic %%%",
        "Basic YQ",
        "Basic " + "YTpi" * 1000,
        "Basic YW5uYQ==",
        "Bearer abc",
        "Digest username=anna",
        "Negotiate\x01",
        basic("nobody"),
        basic(password="wrong"),
        basic(user=""),
    ],
)
def test_refused(site: Site, authorization: str | None) -> None:
    """C061: none, wrong and junk credentials are 401 with a challenge and one sentence."""
    site.share.files["/a"] = b"secret"
    answer = site.ask("GET", "/joplin/a", authorization=authorization)
    assert (401, CHALLENGE) == (answer.status, answer.headers["WWW-Authenticate"])
    assert 1 == answer.text.count("\n")
    assert b"secret" not in answer.body


def test_encodings(site: Site) -> None:
    """C061, FORMAT 7: a password is read as UTF-8, and as Latin-1 as Joplin sends it."""
    site.users["jörg"] = hash_password("pä:ß")
    site.users["old"] = hash_password("Ã¤")
    assert 200 == site.ask("GET", "/", authorization=basic()).status
    assert 200 == site.ask("GET", "/", authorization=basic("jörg", "pä:ß", "utf-8")).status
    assert 200 == site.ask("GET", "/", authorization=basic("jörg", "pä:ß", "latin-1")).status
    assert 200 == site.ask("GET", "/", authorization=basic("jörg", "pa\u0308:ß")).status
    assert 200 == site.ask("GET", "/", authorization=basic("old", "Ã¤", "latin-1")).status
    assert 401 == site.ask("GET", "/", authorization=basic("jörg", "pä:", "latin-1")).status


def test_body_is_not_read_before(site: Site) -> None:
    """A stranger's upload is refused before it is sent."""
    with site.connect() as connection:
        line = head("PUT /joplin/a", Content_Length="9000000", Expect="100-continue")
        connection.sendall(line.replace(basic().encode(), b"Basic eDp5"))
        assert read_all(connection).startswith(b"HTTP/1.1 401")
    answer = site.ask("PUT", "/joplin/a", b"x" * 3_000_000, authorization=None)
    assert 401 == answer.status
    assert {} == site.share.files


def test_options(site: Site) -> None:
    """C061: OPTIONS without credentials says the same everywhere; with wrong ones it is 401."""
    answers = [site.ask("OPTIONS", p, authorization=None) for p in ("/", "/joplin/", "/none")]
    for answer in answers:
        assert (200, "1, 2", b"") == (answer.status, answer.headers["DAV"], answer.body)
        assert {"PROPFIND", "MOVE", "COPY", "LOCK"} <= set(answer.headers["Allow"].split(", "))
    assert 401 == site.ask("OPTIONS", "/", authorization="Bearer x").status
    assert 200 == site.ask("OPTIONS", "/joplin/").status


def test_known_credentials_are_cheap() -> None:
    """Credentials that were accepted are not hashed again while the hash stays."""
    users = {USER: HASH}
    gatekeeper = make_gatekeeper(users)
    assert USER == gatekeeper.admit(GOOD, "x")
    users[USER] = "damaged"  # would fail, were it verified
    assert USER == gatekeeper.admit(GOOD, "x")


def test_new_password_counts_at_once() -> None:
    """A password that was reset while the server runs counts within a second."""
    users = {USER: HASH}
    clock = Clock()
    gatekeeper = Gatekeeper(users, clock=clock, sleep=lambda _: None)
    assert USER == gatekeeper.admit(GOOD, "x")
    users[USER] = hash_password("new")
    clock.now += 1.0
    assert None is gatekeeper.admit(GOOD, "x")
    assert USER == gatekeeper.admit(f"{USER}:new".encode(), "x")
    del users[USER]
    clock.now += 1.0
    assert None is gatekeeper.admit(f"{USER}:new".encode(), "x")


def test_delays_grow_and_end() -> None:
    """Failed attempts of an address are delayed, longer each time, never above 1.5 seconds."""
    slept: list[float] = []
    gatekeeper = make_gatekeeper({USER: HASH}, slept)
    for _ in range(7):
        assert None is gatekeeper.admit(b"anna:wrong", "one")
    assert [0.1, 0.2, 0.4, 0.8, 1.5, 1.5, 1.5] == slept
    gatekeeper.admit(b"anna:wrong", "two")
    assert 0.1 == slept[-1]
    gatekeeper.admit(GOOD, "one")
    gatekeeper.admit(b"anna:wrong", "one")
    assert [0.1, 0.1] == slept[-2:]


def test_strangers_do_not_hold_up_the_known() -> None:
    """While strangers wait, known users pass; one stranger too many is asked to come again."""
    waiting, release = threading.Semaphore(0), threading.Event()

    def sleep(_: float) -> None:
        waiting.release()
        assert release.wait(20)

    gatekeeper = Gatekeeper({USER: HASH}, sleep=sleep)
    gatekeeper.admit(GOOD, "x")
    threads = [
        threading.Thread(target=gatekeeper.admit, args=(b"anna:%d" % number, "y"))
        for number in range(4)
    ]
    for thread in threads:
        thread.start()
        assert waiting.acquire(timeout=20)
    assert USER == gatekeeper.admit(GOOD, "x")
    with pytest.raises(Refusal) as refused:
        gatekeeper.admit(b"anna:more", "y")
    assert 503 == refused.value.value
    release.set()
    for thread in threads:
        thread.join()


def test_user_reaches_the_share(tmp_path: Path) -> None:
    """The share learns who asks, and nobody behind the sign-in sees the password."""
    seen: list[dict[str, str]] = []

    class Share(MemoryShare):
        def get_resource_inst(self, path: str, environ: dict[str, str]) -> object:
            seen.append(environ)
            return super().get_resource_inst(path, environ)

    with make_site(tmp_path, share=Share()) as site:
        site.ask("PROPFIND", "/joplin/")
    assert USER == seen[0]["wsgidav.auth.user_name"]
    assert "HTTP_AUTHORIZATION" not in seen[0]


def test_generated_passwords() -> None:
    """A generated password can be typed and is never the same twice; hashes are salted."""
    assert {23} == {len(new_password()) for _ in range(20)}
    assert 20 == len({new_password() for _ in range(20)})
    assert hash_password("x") != hash_password("x")
    assert hash_password("x").startswith("$argon2id$")
