"""`info.json` as it is offered and judged."""

from __future__ import annotations

from pathlib import Path

import pytest

from davbridge.joplin.items import ItemError
from davbridge.joplin.sync_info import initial_sync_info, refuses_encryption

FIXTURES = Path(__file__).parent / "fixtures"


@pytest.mark.parametrize("target", ["target-plain", "target-revision"])
def test_a_new_target_offers_what_the_client_would_write(target: str) -> None:
    """Byte for byte, so that no client changes it (PROTOCOL 3, case c)."""
    assert (FIXTURES / target / "info.json").read_bytes() == initial_sync_info()


def test_encryption_switched_on_is_recognised() -> None:
    """The recorded file of an encrypted target says so, others do not."""
    assert refuses_encryption((FIXTURES / "target-e2ee" / "info.json").read_bytes())
    assert not refuses_encryption(initial_sync_info())
    assert not refuses_encryption(b'{"version": 1}')
    assert not refuses_encryption(b'{"version": 3, "e2ee": null}')


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"\xff", b"\xef\xbb\xbf{}", b"[" * 100_000, b'{"version": 3']
)
def test_what_is_not_json_is_a_bad_upload(body: bytes) -> None:
    """It would stop the sync of every client."""
    with pytest.raises(ItemError, match="is not JSON"):
        refuses_encryption(body)


@pytest.mark.parametrize("body", [b"3", b"[]", b"{}", b'{"version": 0}', b'{"version": true}'])
def test_an_info_without_a_version_is_a_bad_upload(body: bytes) -> None:
    """Clients stop on a target of version 0 or none (FORMAT 2.1)."""
    with pytest.raises(ItemError, match="names no version"):
        refuses_encryption(body)
