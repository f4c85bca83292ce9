#!/usr/bin/env python3
"""Two real Joplin clients through one WebDAV target: do they converge?

    python3 tests/system/client/smoke.py URL USER PASS [--joplin PATH] [--keep DIR]
                     [--verbose] [--settle SECONDS] [--cycle N]

The target may be empty or already hold items.  All notes and notebooks made
here live in one notebook with a unique name, which is deleted at the end.  As
with any Joplin client, tags and attachments no note uses any more stay behind,
so prefer a target made for the test.  PATH is the client's command, by default
$JOPLIN_BIN, else "joplin" on the PATH.  Prints one line per check, then
"N passed, M failed", and exits 1 if anything failed.  Takes about 75 seconds.

Use a host name other than localhost to exercise the change detection that
phones and remote desktops use (http://127.1:PORT/ is enough); run it a second
time with http://127.0.0.1:PORT/ for the one that local desktops use.

--settle is how long to wait between one client's upload and the other's
download.  An ordinary file server needs 1.1 (times are whole seconds); a
server that keeps its own clock must pass with 0.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
import traceback
import uuid
from pathlib import Path
from typing import Any

if not __package__:
    sys.path.insert(0, str(Path(__file__).resolve().parents[3]))

from tests.system.client.joplin_client import JoplinClient, uses_enhanced_delta
from tests.system.client.smoke_data import BODIES, TITLES, png_bytes
from tests.system.client.sync_report import SyncResult


class Checks:
    """Counts what held and what did not, one printed line each."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def check(self, name: str, condition: object, detail: object = "") -> bool:
        if condition:
            self.passed += 1
            print(f"ok    {name}")
        else:
            self.failed += 1
            print(f"FAIL  {name}" + (f": {detail}" if detail != "" else ""))
        sys.stdout.flush()
        return bool(condition)

    def equal(self, name: str, got: object, wanted: object) -> bool:
        return self.check(name, got == wanted, f"got {got!r}, wanted {wanted!r}")


def main() -> int:
    ap = argparse.ArgumentParser(description=str(__doc__).split("\n", maxsplit=1)[0])
    ap.add_argument("url")
    ap.add_argument("user")
    ap.add_argument("password")
    ap.add_argument("--joplin", default=os.environ.get("JOPLIN_BIN", "joplin"))
    ap.add_argument("--keep", help="keep the profiles in this folder")
    ap.add_argument("--settle", type=float, default=1.1)
    ap.add_argument(
        "--cycle",
        type=int,
        default=4,
        help="how many quick edit-and-sync rounds to make (default 4)",
    )
    ap.add_argument("--verbose", action="store_true")
    args = ap.parse_args()
    base = Path(args.keep or tempfile.mkdtemp(prefix="joplin-smoke-"))
    checks = Checks()
    began = time.time()
    try:
        Smoke(checks, args, base).run()
    except Exception:  # noqa: BLE001  whatever stops the run is one failed check
        checks.failed += 1
        traceback.print_exc(file=sys.stdout)
        print("FAIL  the run stopped early")
    finally:
        if not args.keep:
            shutil.rmtree(base, ignore_errors=True)
    delta = "enhanced" if uses_enhanced_delta(args.url) else "classic"
    print(f"{time.time() - began:.0f} s, {delta} delta")
    print(f"{checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


class Smoke:
    """One run: what A and B do, step by step."""

    def __init__(self, checks: Checks, args: argparse.Namespace, base: Path) -> None:
        self.t = checks
        self.args = args
        self.base = base
        self.top = "Smoke " + uuid.uuid4().hex[:8]
        self.a, self.b, self.c = (JoplinClient(base / name, args.joplin) for name in "abc")
        self.named: dict[str, str] = {}
        self.root = self.sub = self.other = ""

    def run(self) -> None:
        for client in (self.a, self.b):
            client.configure(self.args.url, self.args.user, self.args.password)
        self.sync(self.a, "first sync of A")
        self.sync(self.b, "first sync of B")
        self.create()
        self.quiet()
        self.quick_edits()
        self.change()
        self.conflict()
        self.trash()
        self.delete()
        self.newcomer()
        self.clean_up()

    # -- parts --------------------------------------------------------------

    def sync(self, client: JoplinClient, name: str) -> SyncResult:
        result = client.sync()
        self.t.check(f"{name}: sync has no errors", result.ok, "; ".join(result.errors))
        if self.args.verbose:
            print(f"      {name}: {result.summary()} ({result.seconds} s)")
        return result

    def settle(self) -> None:
        if self.args.settle:
            time.sleep(self.args.settle)

    def ours(self, client: JoplinClient, *, trash: bool = False) -> dict[str, Any]:
        """The part of a client's data that this run made."""
        snap = client.snapshot(trash=trash)
        folders = {i for i, f in snap["folders"].items() if f["title"] == self.top}
        while (
            more := {i for i, f in snap["folders"].items() if f["parent_id"] in folders} - folders
        ):
            folders |= more
        notes = {i: n for i, n in snap["notes"].items() if n["parent_id"] in folders}
        text = "\n".join(n["body"] for n in notes.values())
        return {
            "folders": {i: snap["folders"][i] for i in folders},
            "notes": notes,
            "resources": {i: r for i, r in snap["resources"].items() if i in text},
            "note_tags": [p for p in snap["note_tags"] if p[0] in notes],
        }

    def converged(self, name: str) -> None:
        left, right = self.ours(self.a), self.ours(self.b)
        for kind in left:
            if left[kind] == right[kind]:
                self.t.check(f"{name}: same {kind} ({len(left[kind])})", True)
            else:
                diff = difference(left[kind], right[kind])
                self.t.check(f"{name}: same {kind}", False, str(diff)[:1500])

    # -- steps --------------------------------------------------------------

    def create(self) -> None:
        """A makes notes, notebooks, tags and attachments; B receives them exactly."""
        a, b, t = self.a, self.b, self.t
        png, pdf = self.base / "swatch.png", self.base / "a page.pdf"
        png.write_bytes(png_bytes())
        pdf.write_bytes(b"%PDF-1.4\n" + bytes(range(256)) * 8 + b"\n%%EOF\n")
        self.root = a.create_notebook(self.top)
        self.sub = a.create_notebook("Sub: α/β?", self.root)
        self.other = a.create_notebook("Other", self.root)
        specs = self.specs(png, pdf)
        ids = a.create_notes(specs)
        t.equal("A made all its notes", len(ids), len(specs))
        self.named = {spec["title"]: i for spec, i in zip(specs, ids, strict=True)}
        plain, fences = self.named["plain"], self.named["fences"]
        a.edit_note(plain, body=f"See [x](:/{fences}) and [h](:/{plain}#top).\n")
        before = a.snapshot()
        self.sync(a, "A uploads")
        self.settle()
        self.sync(b, "B downloads")
        t.equal("uploading changed nothing on A", a.snapshot()["notes"], before["notes"])
        self.converged("create")
        for i in ids:
            note, wanted = b.note(i), before["notes"][i]
            if not note or (note["title"], note["body"]) != (wanted["title"], wanted["body"]):
                got = note and (note["title"], note["body"])
                t.check(f"note {wanted['title'][:30]!r} arrived exactly", False, f"{got!r}")
        t.check(
            "every note arrived exactly",
            all((b.note(i) or {}).get("body") == before["notes"][i]["body"] for i in ids),
        )
        attached = (a.note(self.named["attached"]) or {})["body"]
        for res in a.resources():
            if res["id"] in attached:
                mine, theirs = a.resource_bytes(res["id"]), b.resource_bytes(res["id"])
                t.check(
                    f"attachment {res['title']!r} arrived exactly",
                    mine is not None and mine == theirs,
                )

    def specs(self, png: Path, pdf: Path) -> list[dict[str, Any]]:
        due = int(time.time() * 1000) + 86_400_000
        sub = self.sub
        return [
            *({"title": t, "body": b, "folder_id": self.root} for t, b in BODIES.items()),
            *(
                {"title": title, "body": f"body {k}\n", "folder_id": sub}
                for k, title in enumerate(TITLES)
            ),
            {"title": "todo", "body": "", "folder_id": sub, "todo": True, "todo_due": due},
            {
                "title": "tagged",
                "body": "x\n",
                "folder_id": sub,
                "tags": ["blue sky", "été"],
                "source_url": "https://example.org/?a=1&b=2",
            },
            {"title": "attached", "body": "\n\nafter\n", "folder_id": sub, "attach": [png, pdf]},
        ]

    def quiet(self) -> None:
        """A sync without changes does nothing."""
        for name, client in (("A", self.a), ("B", self.b)):
            result = self.sync(client, f"{name} again")
            self.t.check(f"{name}: nothing to do", not result.operations, result.summary())

    def quick_edits(self) -> None:
        """Quick edits one after the other: no change may be lost."""
        note = self.named["no final newline"]
        for k in range(self.args.cycle):
            writer, reader = (self.a, self.b) if k % 2 == 0 else (self.b, self.a)
            text = f"quick edit {k}\n"
            writer.edit_note(note, body=text)
            self.sync(writer, f"quick edit {k} up")
            self.settle()
            self.sync(reader, f"quick edit {k} down")
            self.t.equal(f"quick edit {k} arrived", (reader.note(note) or {}).get("body"), text)

    def change(self) -> None:
        """Edit, rename, move, tag, complete, attach: some on A, some on B."""
        a, b, t, named = self.a, self.b, self.t, self.named
        b.edit_notes(
            {
                named["plain"]: {"body": "Edited on B.\r\n\n- [x] ok\n"},
                named["CON"]: {"title": "Renamed / on B?"},
            }
        )
        b.move(named["crlf"], self.other)
        b.move(self.sub, self.other)
        b.rename_notebook(self.sub, "Sub renamed")
        b.untag(named["tagged"], "été")
        b.complete_todo(named["todo"])
        self.sync(b, "B uploads its changes")
        self.settle()
        png = self.base / "swatch.png"
        png.write_bytes(png_bytes(20, 30))
        extra = a.attach(named["fences"], png)
        self.sync(a, "A merges")
        self.settle()
        self.sync(b, "B merges")
        self.converged("change")
        row = {name: a.note(named[name]) or {} for name in ("plain", "crlf", "todo")}
        t.equal("edited body", row["plain"].get("body"), "Edited on B.\r\n\n- [x] ok\n")
        t.equal("moved note", row["crlf"].get("parent_id"), self.other)
        t.equal(
            "moved and renamed notebook", a.notebook_path(self.sub), f"{self.top}/Other/Sub renamed"
        )
        t.check("todo is complete", row["todo"].get("todo_completed", 0) > 0)
        mine, theirs = a.resource_bytes(extra), b.resource_bytes(extra)
        t.check("new attachment arrived exactly", mine is not None and mine == theirs)

    def conflict(self) -> None:
        """Both change one note, and B also another one."""
        a, b, t, named = self.a, self.b, self.t, self.named
        disputed = named["table and boxes"]
        a.edit_note(disputed, body="A's words\n")
        b.edit_note(disputed, body="B's words\n")
        b.edit_note(named["quotes"], body="only B\n")
        self.sync(a, "A uploads its side")
        self.settle()
        result = self.sync(b, "B meets the conflict")
        t.equal("one conflict is reported", result.count("noteConflict"), 1)
        t.equal("the first upload wins", (b.note(disputed) or {}).get("body"), "A's words\n")
        kept = [n["body"] for n in b.conflicts()]
        t.equal("the other text is kept as a conflict", kept, ["B's words\n"])
        self.settle()
        self.sync(a, "A after the conflict")
        self.converged("conflict")

    def trash(self) -> None:
        """A note is put in the trash, another deleted, the first restored."""
        a, b, t = self.a, self.b, self.t
        trashed, deleted = self.named["empty"], self.named["unicode"]
        a.delete_note(trashed)
        a.delete_note(deleted, permanent=True)
        self.sync(a, "A trashes and deletes")
        self.settle()
        self.sync(b, "B follows")
        t.check("trashed note is in B's trash", (b.note(trashed) or {}).get("deleted_time", 0) > 0)
        t.check("deleted note is gone from B", b.note(deleted) is None)
        b.restore(trashed)
        self.sync(b, "B restores")
        self.settle()
        self.sync(a, "A follows")
        t.check("restored note is back on A", (a.note(trashed) or {}).get("deleted_time") == 0)
        self.converged("trash")

    def delete(self) -> None:
        """A whole notebook goes, with what is in it."""
        a, b, t = self.a, self.b, self.t
        gone = [n["id"] for n in a.notes() if n["parent_id"] in (self.sub, self.other)]
        a.delete_notebook(self.other, permanent=True)
        self.sync(a, "A deletes a notebook")
        self.settle()
        self.sync(b, "B loses it too")
        left = [i for i in (self.other, self.sub) if b.folder(i)]
        t.check("the notebooks are gone from B", not left)
        t.check("their notes are gone from B", gone and not [i for i in gone if b.note(i)])
        self.converged("delete")

    def newcomer(self) -> None:
        """A third client sees the same."""
        self.c.configure(self.args.url, self.args.user, self.args.password)
        self.sync(self.c, "a new client")
        left, right = self.ours(self.a), self.ours(self.c)
        for kind in left:
            self.t.check(
                f"new client: same {kind}",
                left[kind] == right[kind],
                f"{len(left[kind])} against {len(right[kind])}",
            )

    def clean_up(self) -> None:
        """The target is left as it was."""
        self.a.delete_notebook(self.root, permanent=True)
        self.sync(self.a, "A cleans up")
        for name, client in (("B", self.b), ("A", self.a)):
            self.settle()
            self.sync(client, f"{name} at the end")
        left = self.ours(self.b, trash=True)["folders"]
        self.t.check("nothing of this run is left on B", not left)


def difference(left: Any, right: Any) -> Any:
    """What two parts of a snapshot disagree about, short enough to print."""
    if not isinstance(left, dict):
        return set(left) ^ set(right)
    diff: dict[str, object] = {}
    for i in sorted(set(left) | set(right)):
        x, y = left.get(i), right.get(i)
        if x and y and x != y:
            diff[i[:8]] = {k: (x[k], y[k]) for k in x if x[k] != y[k]}
        elif x != y:
            diff[i[:8]] = f"only on {'A' if x else 'B'}: {(x or y).get('title')!r}"
    return diff


if __name__ == "__main__":
    sys.exit(main())
