"""Bodies in memory, on disk and in chunks, without a server around them."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from davbridge.dav import Refusal, SpooledBody, clear_spool, receive
from davbridge.dav.chunked import ChunkedBody
from davbridge.dav.spool import IN_MEMORY

LARGE = os.urandom(IN_MEMORY + 1)


def environ(content: bytes, length: object = None) -> dict[str, object]:
    declared = len(content) if length is None else length
    return {"wsgi.input": io.BytesIO(content), "CONTENT_LENGTH": str(declared)}


@pytest.mark.parametrize("content", [b"", b"x", LARGE[:-1], LARGE], ids=["0", "1", "limit", "more"])
def test_received(tmp_path: Path, content: bytes) -> None:
    """R-J-15: a body is in memory up to 1 MiB, in a file above, and gone at the end."""
    with receive(environ(content), limit=len(LARGE), directory=tmp_path) as body:
        assert (len(content) > IN_MEMORY) == (body.path is not None)
        assert len(content) == body.length
        assert content == body.read() == body.file.read()
        if body.path is not None:
            assert content == body.path.read_bytes()
            assert 0o600 == body.path.stat().st_mode & 0o777
    assert [] == list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("content", "length", "status"),
    [
        (LARGE, len(LARGE) + 1, 408),
        (LARGE, len(LARGE) + 2, 413),
        (b"", 1, 408),
        (b"x", "-1", 400),
        (b"x", "+1", 400),
        (b"x", "1_0", 400),
        (b"x", "\u0661", 400),
    ],
)
def test_refused(tmp_path: Path, content: bytes, length: object, status: int) -> None:
    """A body that is not as it was said leaves nothing behind and closes the connection."""
    with pytest.raises(Refusal) as refused:
        receive(environ(content, length), limit=len(LARGE) + 1, directory=tmp_path)
    assert status == refused.value.value
    assert ("Connection", "close") in refused.value.add_headers
    assert [] == list(tmp_path.iterdir())


def test_moved_away(tmp_path: Path) -> None:
    """Whoever takes the file of a body away may keep it."""
    with receive(environ(LARGE), limit=len(LARGE), directory=tmp_path) as body:
        assert body.path is not None
        body.path.rename(tmp_path / "kept")
    assert LARGE == (tmp_path / "kept").read_bytes()
    SpooledBody.of(b"x").close()


def test_left_behind(tmp_path: Path) -> None:
    """What a killed process left is removed an hour later, what another one writes is not."""
    spool = tmp_path / "spool"
    assert 0 == clear_spool(spool, now=0.0)
    for name, mtime in (("upload-old", 1000), ("upload-new", 4000), ("other", 0)):
        (spool / name).touch()
        os.utime(spool / name, (mtime, mtime))
    assert 1 == clear_spool(spool, now=4700.0)
    assert {"upload-new", "other"} == {file.name for file in spool.iterdir()}


@given(st.lists(st.binary(min_size=1, max_size=400)), st.lists(st.integers(1, 500)))
def test_chunked_round_trip(chunks: list[bytes], sizes: list[int]) -> None:
    """C056: however a body is cut and read, the same bytes come out, and nothing after them."""
    coded = b"".join(b"%X;x=y\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks)
    stream = io.BufferedReader(io.BytesIO(coded + b"0\r\nA: b\r\n\r\nnext"))  # type: ignore[arg-type]
    body = ChunkedBody(stream)
    parts = [body.read(size) for size in sizes]
    parts.append(body.read())
    assert b"".join(chunks) == b"".join(parts)
    assert body.complete
    assert b"" == body.read(1)
    assert b"next" == stream.read()


@given(st.binary(max_size=40))
def test_chunked_junk(junk: bytes) -> None:
    """Junk ends in a ValueError or as a whole body, never in anything else."""
    body = ChunkedBody(io.BufferedReader(io.BytesIO(junk)))  # type: ignore[arg-type]
    try:
        body.read()
    except ValueError:
        assert not body.complete
    else:
        assert body.complete
