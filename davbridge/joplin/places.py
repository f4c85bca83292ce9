"""Which item stands for which area or resource, asked while links are translated."""

from __future__ import annotations

from collections.abc import Callable

from adapters.contract import ROOT, parent_area
from davbridge.joplin.anchors import joplin_slugs
from davbridge.joplin.items import ItemType
from davbridge.joplin.library import Library
from davbridge.joplin.links import AREA_SCHEME, RESOURCE_SCHEME
from davbridge.joplin.records import Records
from state import Place


class Places:
    """Fulfils `links.Directory` from a target's rows (R-J-55, R-J-56)."""

    def __init__(
        self, records: Records, library: Library, attach: Callable[[str], str | None]
    ) -> None:
        """`attach` returns the item id of a resource, making the item if there is none yet."""
        self._records = records
        self._library = library
        self._attach = attach

    def item_for_area(self, area: str, fragment: str) -> str | None:
        """Return the `:/id[#anchor]` that reaches `area`, if an item does."""
        row = self._records.items.by_area(area)
        if row is not None:
            return f":/{row.id}#{fragment}" if fragment else f":/{row.id}"
        note = parent_area(area)
        while note not in (None, ROOT):
            row = self._records.items.by_area(str(note))
            if row is not None:
                anchor = self._anchors(str(note)).get(area) if row.type == ItemType.NOTE else None
                return f":/{row.id}#{anchor}" if anchor else None
            note = parent_area(str(note))
        return None

    def item_for_resource(self, resource_id: str) -> str | None:
        """Return the `:/id` of a resource, if it can be an item."""
        item_id = self._attach(resource_id)
        return f":/{item_id}" if item_id else None

    def target_for_item(self, item_id: str, fragment: str) -> str | None:
        """Return the `knowledge-*:` destination an item stands for, if it has one by now."""
        resource = self._records.resources.get(item_id)
        if resource is not None:
            return None if fragment else RESOURCE_SCHEME + resource.resource_id
        row = self._records.items.get(item_id)
        if row is None or row.place is not Place.BOUND or row.area is None:
            return None
        if fragment and row.type == ItemType.NOTE:
            for heading, anchor in self._anchors(row.area).items():
                if anchor == fragment:
                    return AREA_SCHEME + heading
        return AREA_SCHEME + row.area + (f"#{fragment}" if fragment else "")

    def _anchors(self, note: str) -> dict[str, str]:
        """Return the anchor Joplin gives each heading of a note, in document order."""
        headings = self._library.repository.get_areas(True, note)
        names = [self._library.repository.get_area_name(heading) for heading in headings]
        return dict(zip(headings, joplin_slugs(names), strict=True))
