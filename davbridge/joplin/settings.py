"""What an operator may set about a Joplin target; each default is what most people want."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Final

MIB: Final = 1024 * 1024


class Encryption(enum.StrEnum):
    """What happens when a client switches on end-to-end encryption."""

    REFUSE = "refuse"
    """Refused with a sentence: plain files and encryption exclude each other."""
    STORE = "store"
    """Encrypted items are kept and served as they came; no file is touched."""


class ClientTrash(enum.StrEnum):
    """What happens to the file of a note that is put in Joplin's trash."""

    MOVE = "move"
    """It goes to the repository's trash, and comes back when the note is restored."""
    KEEP = "keep"
    """It stays where it is until the note is deleted for good."""


class DeletePolicy(enum.StrEnum):
    """What happens to the file of a note that a client deletes for good."""

    TRASH = "trash"
    """It goes to the repository's trash."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JoplinSettings:
    """The settings of one Joplin target. Times are in seconds, sizes in bytes."""

    path: str = "/joplin"
    """The base path of the target: starts with a slash, does not end in one."""
    vanish_grace: float = 120.0
    """How long a file may be gone before its note leaves the listing."""
    orphan_grace: float = 600.0
    """How long a note waits for its notebook before it goes to the root's notebook."""
    max_upload: int = 200 * MIB
    """The largest request body."""
    max_attachment: int = 200 * MIB
    """The largest attachment; a client skips a larger one and goes on."""
    encryption: Encryption = Encryption.REFUSE
    client_trash: ClientTrash = ClientTrash.MOVE
    delete_policy: DeletePolicy = DeletePolicy.TRASH
    versions_days: float = 90.0
    """How long a text that was replaced or deleted is kept."""
    guard_items: int = 3
    """The guard: when more than this many items ..."""
    guard_share: float = 0.3
    """... and more than this share of all would leave the listing at once, nothing does (503)."""
