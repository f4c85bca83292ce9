"""One suite for every provider and wrapper; `RepositoryContract` is all of it."""

import pkgutil

import pytest

# Only test modules get pytest's explained assertions by themselves; the rules need them too.
pytest.register_assert_rewrite(
    *(
        f"{__name__}.{module.name}"
        for module in pkgutil.iter_modules(__path__)
        if module.name.startswith(("rules_", "tools"))
    )
)
