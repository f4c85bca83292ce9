"""Every failure is one plain sentence, and the table of statuses has no hole."""

from __future__ import annotations

import logging
from typing import Any

import pytest

from adapters.contract import (
    AreaNotFound,
    InvalidArea,
    KnowledgeError,
    MutationFailure,
    MutationResult,
    RepositoryUnavailable,
    ResourceNotFound,
)
from davbridge.dav import STATUS, Refusal, refuse, translate
from davbridge.dav.errors import ERRORS, REASONS, SENTENCES
from tests.unit.shell.conftest import Site, head, read_all
from tests.unit.shell.test_addresses import PROPFIND

SECRET = "/srv/secret/notes"
DOWN = RepositoryUnavailable("the folder is gone")


def subclasses(kind: type[Any]) -> set[type[Any]]:
    return {kind, *(deeper for child in kind.__subclasses__() for deeper in subclasses(child))}


def test_table_is_complete() -> None:
    """STYLE 4: every reason of a refusal and every error of a read has a status."""
    assert all(sentence[-1] == "." for sentence in (*SENTENCES.values(), *REASONS.values()))
    assert set(MutationFailure) == set(STATUS) == set(REASONS)
    own = {
        kind for kind in subclasses(KnowledgeError) if kind.__module__ == "adapters.contract.errors"
    }
    assert own - {KnowledgeError} == set(ERRORS)
    assert {*STATUS.values(), *ERRORS.values()} <= set(SENTENCES)


@pytest.mark.parametrize("failure", MutationFailure)
def test_only_passing_failures_are_5xx(failure: MutationFailure) -> None:
    """What cannot succeed when repeated is never answered 5xx; what can says when."""
    error = refuse(MutationResult.refused(failure, SECRET))
    assert (failure is MutationFailure.UNAVAILABLE) == (error.value >= 500)
    assert SECRET not in error.sentence
    assert (error.value == 503) == ("Retry-After" in dict(error.add_headers))


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (DOWN, 503),
        (AreaNotFound(area="/x"), 404),
        (ResourceNotFound(resource_id="x"), 404),
        (InvalidArea(area="x"), 404),
        (OSError(28, "No space left on device", SECRET), 507),
        (OSError(5, "Input/output error", SECRET), 500),
        (ValueError(SECRET), 500),
    ],
)
def test_translation(error: Exception, status: int) -> None:
    """An exception becomes a status and a sentence without a local path."""
    answer = translate(error)
    assert status == answer.value
    assert SECRET not in answer.sentence


@pytest.mark.parametrize("method", ["GET", "PROPFIND", "PUT", "DELETE", "MKCOL", "HEAD"])
def test_unavailable(site: Site, method: str) -> None:
    """C049: while the notes cannot be reached, everything is 503 with a Retry-After."""
    site.share.failure = DOWN
    answer = site.ask(method, "/joplin/a", b"x" if method == "PUT" else None, Depth="0")
    assert (503, "10") == (answer.status, answer.headers["Retry-After"])


@pytest.mark.parametrize("method", ["GET", "PROPFIND", "PUT", "DELETE"])
def test_bug(site: Site, method: str, caplog: pytest.LogCaptureFixture) -> None:
    """A bug is 500 with one sentence; the log has the traceback, the client nothing of it."""
    site.share.failure = ValueError(SECRET)
    with caplog.at_level(logging.ERROR):
        answer = site.ask(method, "/joplin/a", b"x" if method == "PUT" else None, Depth="0")
    assert (500, "The server failed on this request; its log says why.\n") == (
        answer.status,
        answer.text,
    )
    assert "text/plain; charset=utf-8" == answer.headers["Content-Type"]
    assert SECRET in caplog.text


def test_refused_removal(site: Site) -> None:
    """What a share refuses with is what the client hears, also from a removal."""
    site.share.folders.add("/f")
    answer = site.ask("DELETE", "/joplin/f/")
    assert (403, "A folder stays.\n") == (answer.status, answer.text)


def test_unreadable_property(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """PROTOCOL 1, rule 3: a listing that cannot be complete is an error, never a part of it."""
    site.share.files |= {"/a.md": b"x", "/unreadable.md": b"y"}
    answer = site.ask("PROPFIND", "/joplin/", PROPFIND, Depth="1")
    assert (500, 1) == (answer.status, answer.text.count("\n"))
    assert "unreadable.md" in caplog.text


def test_broken_listing(site: Site, caplog: pytest.LogCaptureFixture) -> None:
    """An answer that breaks off is cut, never completed."""

    site.share.listing, site.share.breaks_off = [b"<ready>", b"</ready>"], True
    with site.connect() as connection:
        connection.sendall(head("PROPFIND /joplin/", Depth="1"))
        answer = read_all(connection)
    assert answer.endswith(b"<ready>")
    assert "broke off" in caplog.text


def test_refusal_says_it_all() -> None:
    """A refusal of one's own words is sent with these and its headers."""
    error = Refusal(503, "Wait.", retry_after=0.2, close=True)
    assert ("Wait.", {"Retry-After": "1", "Connection": "close"}) == (
        str(error),
        dict(error.add_headers),
    )
