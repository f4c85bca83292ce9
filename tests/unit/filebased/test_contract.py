"""A folder of Markdown files fulfils the contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.provider import Provider
from tests.contract.suite import RepositoryContract
from tests.unit.filebased.provider import FolderProvider


class TestFileBased(RepositoryContract):
    """Every rule of the contract."""

    @pytest.fixture
    def provider(self, tmp_path: Path) -> Iterator[Provider]:
        provider = FolderProvider(tmp_path)
        yield provider
        provider.close()
