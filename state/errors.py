"""What the state refuses.

StateError              one clear sentence
├── Conflict            two rows claim what only one may have, or a row names one that is not there
├── AreaTaken           another item is already bound to the area     .area
└── NotStored           nothing is kept under the name                .name
"""

from __future__ import annotations


class StateError(Exception):
    """The state cannot do what was asked; the message is one sentence for a person."""


class Conflict(StateError):
    """A row was refused because it contradicts another one; nothing was written."""


class AreaTaken(StateError):
    """Two items of one type would be bound to `area`; nothing was written."""

    def __init__(self, *, area: str) -> None:
        super().__init__(f"Another item is already bound to {area}.")
        self.area = area


class NotStored(StateError):
    """Nothing is kept under `name`."""

    def __init__(self, *, name: str) -> None:
        super().__init__(f"Nothing is stored under {name}.")
        self.name = name
