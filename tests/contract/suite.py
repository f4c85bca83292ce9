"""The contract suite: every rule of the contract as a test, for any provider.

A provider is accepted when `RepositoryContract` passes with its `Provider`; shares may then
rely on nothing else.

    class TestMyRepository(RepositoryContract):
        @pytest.fixture
        def provider(self, tmp_path: Path) -> Iterator[Provider]:
            yield MyProvider(tmp_path)
"""

from __future__ import annotations

from tests.contract.rules_appending import AppendingRules
from tests.contract.rules_changes import ChangeRules
from tests.contract.rules_companions import (
    DiscoveryRules,
    IdentityRules,
    RevisionRules,
    TrashRules,
)
from tests.contract.rules_content import CapabilityRules, ContentRules
from tests.contract.rules_each_mutation import (
    AddingRules,
    RemovingRules,
    RenamingRules,
    ReplacingRules,
)
from tests.contract.rules_enumeration import EnumerationRules
from tests.contract.rules_errors import ErrorRules
from tests.contract.rules_moving import MovingRules
from tests.contract.rules_mutations import MutationRules
from tests.contract.rules_paths import PathRules
from tests.contract.rules_resources import LinkRules, ResourceRules
from tests.contract.rules_threads import ThreadRules


class RepositoryContract(
    PathRules,
    EnumerationRules,
    ContentRules,
    CapabilityRules,
    MutationRules,
    AddingRules,
    RenamingRules,
    RemovingRules,
    ReplacingRules,
    MovingRules,
    AppendingRules,
    ResourceRules,
    LinkRules,
    ErrorRules,
    ThreadRules,
    DiscoveryRules,
    RevisionRules,
    ChangeRules,
    IdentityRules,
    TrashRules,
):
    """Every rule; a subclass supplies the fixture `provider`."""
