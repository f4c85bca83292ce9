"""A folder of Markdown files fulfils the contract."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.provider import Provider
from tests.contract.rules_resources import FORMS
from tests.contract.suite import RepositoryContract
from tests.unit.filebased.provider import FolderProvider

# An autolink has no relative form: stored, it is an inline link (see test_links).
FORMS_OF_FILES = [form for form in FORMS if form != "autolink"]


class TestFileBased(RepositoryContract):
    """Every rule of the contract."""

    @pytest.fixture
    def provider(self, tmp_path: Path) -> Iterator[Provider]:
        provider = FolderProvider(tmp_path)
        yield provider
        provider.close()

    @pytest.mark.parametrize("form", FORMS_OF_FILES)
    def test_area_references_round_trip(self, provider: Provider, form: str) -> None:
        """R-C-85, R-C-86: an area reference is stored natively and read back the same."""
        super().test_area_references_round_trip(provider, form)

    @pytest.mark.parametrize("form", FORMS_OF_FILES)
    def test_resource_references_round_trip(self, provider: Provider, form: str) -> None:
        """R-C-85, R-C-87: a resource reference is stored natively, read back and counted."""
        super().test_resource_references_round_trip(provider, form)
