"""When an area that went leaves the listing, and when that must not happen by itself.

What is gone for a moment (an editor's save, a rename still being recognised) stays listed from
its row. What would take much of a library off every device waits for a person (MODEL 2.11).
"""

from __future__ import annotations

import logging
from typing import Final

from adapters.contract import ROOT, RepositoryUnavailable
from davbridge.joplin.items import ItemType
from davbridge.joplin.records import VANISHED, Records
from davbridge.joplin.settings import JoplinSettings
from state import ItemRow, Place

log = logging.getLogger(__name__)

GUARD: Final = "guard"


class Vanishing:
    """Decides what happens to rows whose area is gone. Called under the target's lock."""

    def __init__(self, records: Records, settings: JoplinSettings) -> None:
        self._records = records
        self._settings = settings
        self._held = ""
        self._may_be_held = True  # by an earlier run

    def expire(self) -> None:
        """Let rows go whose grace is over, unless that is suspiciously many.

        Raises `RepositoryUnavailable` while the guard holds.
        """
        vanishing = [row for row in self._records.items.vanishing() if row.place is Place.BOUND]
        due = self._due(vanishing)
        if due:
            with self._records.transaction():
                for row in self._leaving(due):
                    self._records.let_go(row, VANISHED)
        if self._may_be_held:
            self._held, self._may_be_held = "", False
            if self._records.findings.remove(None, GUARD):
                log.info("the missing notes are back, or their removal was confirmed")

    def _due(self, vanishing: list[ItemRow]) -> list[ItemRow]:
        """Return the rows whose grace is over, or all of them once a person confirmed that."""
        now = self._records.now()
        due = [row for row in vanishing if row.vanish_at is not None and row.vanish_at <= now]
        missing = [row for row in vanishing if row.type != ItemType.RESOURCE]
        if len(missing) <= self._settings.guard_items:
            return due
        if self._records.findings.confirmed(GUARD):
            return vanishing
        bound = sum(1 for row in self._records.items.bound() if row.area not in (None, ROOT))
        leaving = [row for row in due if row.type != ItemType.RESOURCE]
        share = self._settings.guard_share * bound
        if len(missing) < bound and not len(leaving) > max(self._settings.guard_items, share):
            return due
        detail = f"{len(missing)} of {bound} notes and notebooks are missing from the folder"
        if self._held != detail:
            self._held, self._may_be_held = detail, True
            self._records.findings.add(None, GUARD, detail, now)
            log.warning("%s: nothing is deleted until you run: davbridge state confirm", detail)
        raise RepositoryUnavailable(
            f"{detail}; if that is meant, run: davbridge state confirm", retry_after=60
        )

    def _leaving(self, due: list[ItemRow]) -> list[ItemRow]:
        """Return the rows to let go now: a notebook never leaves before its notes."""
        ids = {row.id for row in due}
        while True:
            stay = {
                row.id
                for row in due
                if row.id in ids
                and row.type == ItemType.FOLDER
                and any(c.id not in ids for c in self._records.items.children(row.id))
            }
            if not stay:
                return [row for row in due if row.id in ids]
            ids -= stay
