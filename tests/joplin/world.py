"""A target over a repository in memory, with a clock that stands until it is told to go on."""

from __future__ import annotations

import io
import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

from adapters.contract import KnowledgeAreaKind
from adapters.memory import MemoryRepository
from davbridge.joplin.codec import decode_served, encode_upload
from davbridge.joplin.items import Item, new_folder, new_note, new_resource
from davbridge.joplin.settings import JoplinSettings
from davbridge.joplin.target import Target, open_target
from state import StateStore

START = 1_790_000_000.0
_ENTRY = re.compile(r"/([0-9a-f]{32})\.md</D:href>.*?<D:getlastmodified>([^<]*)<", re.DOTALL)


def item_id(number: int) -> str:
    """Return an id a client could have made."""
    return f"{number:032x}"


class World:
    """One repository, one state, one target; `restart` opens the target anew."""

    def __init__(
        self,
        state: Path,
        repository: MemoryRepository | None = None,
        *,
        opaque: bool = False,
        **settings: object,
    ) -> None:
        self.time = START
        self.state = state
        self.repository = repository or MemoryRepository(
            "Library", clock=lambda: datetime.fromtimestamp(self.time, UTC), opaque=opaque
        )
        self.settings = JoplinSettings(**settings)  # type: ignore[arg-type]
        self.store = StateStore.open(state)
        self.target = self._open()

    def _open(self) -> Target:
        return open_target(
            self.repository,
            self.store,
            settings=self.settings,
            repository_key="memory",
            root=None,
            now=lambda: self.time,
        )

    def start(self) -> World:
        """Index the repository, as `serve` does before it listens."""
        self.target.index()
        return self

    def restart(self) -> None:
        """Forget everything that is not in the state store."""
        self.close()
        self.store = StateStore.open(self.state)
        self.target = self._open()
        self.target.index()

    def close(self) -> None:
        """Close target and state."""
        self.target.close()
        self.store.close()

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        self.time += seconds

    @property
    def now_ms(self) -> int:
        """The present time in milliseconds."""
        return int(self.time * 1000)

    # What clients do

    def put(self, item: Item) -> bool:
        """Upload an item as a client writes it."""
        return self.target.store_item(item.id, encode_upload(item))

    def note(
        self, number: int, title: str, body: str = "", parent: str = "", ms: int | None = None
    ) -> Item:
        """Return a note written now (or at `ms`), not yet uploaded."""
        when = self.now_ms if ms is None else ms
        return new_note(
            item_id(number), title=title, body=body, parent_id=parent,
            created_ms=when, updated_ms=when,
        )  # fmt: skip

    def folder(self, number: int, title: str, parent: str = "") -> Item:
        """Return a notebook made now, not yet uploaded."""
        return new_folder(
            item_id(number), title=title, parent_id=parent,
            created_ms=self.now_ms, updated_ms=self.now_ms,
        )  # fmt: skip

    def attachment(self, number: int, title: str, content: bytes, mime: str = "image/png") -> None:
        """Upload an attachment: its bytes, then its description."""
        self.target.store_blob(item_id(number), io.BytesIO(content), None)
        self.put(
            new_resource(
                item_id(number), title=title, mime=mime, size=len(content),
                file_extension=title.rpartition(".")[2] if "." in title else "",
                created_ms=self.now_ms, updated_ms=self.now_ms,
            )
        )  # fmt: skip

    def get(self, id_or_number: int | str) -> Item:
        """Download an item; it must be there."""
        key = item_id(id_or_number) if isinstance(id_or_number, int) else id_or_number
        served = self.target.item(key)
        assert served is not None, f"no item {key}"
        self.target.note_fetched(key)
        return decode_served(served.content)

    def blob(self, id_or_number: int | str) -> bytes:
        """Download the bytes of an attachment; they must be there."""
        key = item_id(id_or_number) if isinstance(id_or_number, int) else id_or_number
        opened = self.target.open_blob(key)
        assert opened is not None
        with opened as stream:
            return stream.read()

    def listing(self) -> dict[str, int]:
        """Return what the target lists: id -> listing time."""
        body = self.target.listing().body.decode()
        return {
            name: int(parsedate_to_datetime(date).timestamp())
            for name, date in _ENTRY.findall(body)
        }

    def titles(self) -> dict[str, str]:
        """Return title -> id of everything that is listed and has a title."""
        found = {}
        for key in self.listing():
            served = self.target.item(key)
            assert served is not None
            found[decode_served(served.content).title or ""] = key
        return found

    # What the repository holds

    def texts(self) -> dict[str, str]:
        """Return path of names -> text of every document, `a/b` for one in a folder."""
        found: dict[str, str] = {}
        self._collect("/", "", found)
        return found

    def _collect(self, area: str, prefix: str, found: dict[str, str]) -> None:
        for child in self.repository.get_areas(False, area):
            name = prefix + self.repository.get_area_name(child)
            level = self.repository.get_area_capabilities(child).content_level
            if level == 2:
                found[name] = self.repository.get_aggregated_content(child)
            else:
                found.setdefault(f"{name}/", "")
                self._collect(child, f"{name}/", found)

    def area(self, path: str) -> str:
        """Return the area reached by names: `a/b`; the root is an empty text."""
        area = "/"
        for name in filter(None, path.split("/")):
            children = self.repository.get_areas(False, area)
            area = next(c for c in children if self.repository.get_area_name(c) == name)
        return area

    def add_outside(self, path: str, text: str | None = None) -> str:
        """Create a document (a folder without `text`) as another program would."""
        parent, _, name = path.rpartition("/")
        kind = KnowledgeAreaKind.STRUCTURAL if text is None else KnowledgeAreaKind.CONTENT
        return self.repository.add_outside(self.area(parent), name, text or "", kind=kind)
