"""What one synchronisation did, read from the client's printed summary and its log."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

_ENTRY: Final = re.compile(r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d: (?:\[\w+\] )?", re.M)
_ITEM_TYPE: Final = r"Note|Folder|Resource|Tag|NoteTag|MasterKey|Revision"
_NOT_OPERATIONS: Final = (
    "starting",
    "finished",
    "fetchingTotal",
    "fetchingProcessed",
    "cancelling",
)


@dataclass
class Operation:
    """One item handled by a sync: createRemote, updateLocal, noteConflict ..."""

    action: str
    item_type: str
    item_id: str
    reason: str = ""


@dataclass
class SyncResult:
    """The outcome of one sync, with every error and not only the last one."""

    ok: bool
    errors: list[str]
    operations: list[Operation]
    seconds: float
    delta: dict[str, Any]
    output: str
    log: str = field(repr=False, default="")

    def count(self, action: str) -> int:
        return sum(1 for op in self.operations if op.action == action)

    def ids(self, action: str) -> list[str]:
        return [op.item_id for op in self.operations if op.action == action]

    @property
    def is_noop(self) -> bool:
        return self.ok and not self.operations

    def summary(self) -> str:
        counts: dict[str, int] = {}
        for op in self.operations:
            counts[op.action] = counts.get(op.action, 0) + 1
        text = " ".join(f"{k}={v}" for k, v in sorted(counts.items())) or "no changes"
        if self.errors:
            text += " | " + " | ".join(e[:200] for e in self.errors)
        return text


def read_sync(output: str, log: str, seconds: float) -> SyncResult:
    """Read the result of a sync from what it printed and what it added to log.txt."""
    operations: list[Operation] = []
    errors: list[str] = []
    delta: dict[str, Any] = {}
    in_error_list = False
    for text in _entries(log):
        operation = _operation(text)
        if operation:
            operations.append(operation)
            continue
        m = re.match(r"Synchronizer: BasicDelta( \(enhanced\))?: Report: (\{.*\})", text)
        if m:
            delta = json.loads(m[2]) | {"enhanced": bool(m[1])}
            continue
        if text.startswith("Synchronizer: There was some errors:"):
            in_error_list = True
            continue
        if in_error_list and text.startswith("Synchronizer: "):
            errors.append(_first_lines(text))
            continue
        in_error_list = False
        errors += _error(text)
    finished = "Sync: finished:" in log
    m = re.search(r"Last error: (.*)", output, re.S)
    if m and not errors:
        errors.append(m[1].strip().split("\n")[0])
    if not finished and not errors:
        errors.append("sync did not finish: " + output.strip()[-500:])
    unique = list(dict.fromkeys(errors))
    return SyncResult(finished and not unique, unique, operations, seconds, delta, output, log)


def _entries(log: str) -> list[str]:
    starts = [m.start() for m in _ENTRY.finditer(log)] + [len(log)]
    return [
        _ENTRY.sub("", log[start:end].rstrip("\n"), count=1)
        for start, end in itertools.pairwise(starts)
    ]


def _operation(text: str) -> Operation | None:
    m = re.match(r"Synchronizer: Sync: (\w+): (.*)", text, re.S)
    if not m or m[1] in _NOT_OPERATIONS:
        return None
    body = m[2]
    ids = re.findall(r"\((?:Local|Remote) ([^)]*)\)", body)
    kind = re.search(rf": ({_ITEM_TYPE}): \(", body)
    reason = re.split(rf": (?:{_ITEM_TYPE})?:? ?\(", body)[0]
    item_id = re.sub(r"\.md$", "", ids[0] if ids else "")
    return Operation(m[1], kind[1].lower() if kind else "", item_id, reason)


def _error(text: str) -> list[str]:
    if text.startswith("ResourceFetcher: Could not download resource"):
        return [text.split("\n    at ")[0].strip()]
    if re.match(r"Synchronizer: (Error|JoplinError|FetchError)\b", text):
        return [_first_lines(text)]
    if re.match(
        r"Synchronizer: (Processing a path that has already been done|"
        r"Sync version of the target|Fail-safe)",
        text,
    ):
        return [text.removeprefix("Synchronizer: ").strip()]
    return []


def _first_lines(text: str) -> str:
    return text.removeprefix("Synchronizer: ").split("\n    at ")[0].strip()
