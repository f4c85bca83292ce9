"""Starting, signing in, stopping and being killed."""

from __future__ import annotations

import http.client
import re
import socket
import threading
from pathlib import Path

import pytest

from tests.system.bridge import PASSWORD, USER, Bridge, eventually
from tests.system.items import folder as folder_item
from tests.system.items import iso, new_id, note, now_ms, read_item
from tests.system.webdav import Dav, receive
from tests.system.world import contents, write


@pytest.fixture
def plain(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory) -> Bridge:
    """A server as a person starts it, not running yet."""
    folder = tmp_path / "Notes"
    write(folder / "Book" / "one.md", "One ![p](p.png)\n")
    write(folder / "two.md", "Two\n")
    (folder / "Book" / "p.png").write_bytes(b"picture")
    return Bridge(folder=folder, scratch=tmp_path_factory.mktemp("bridge"))


def test_port_0_is_any_free_port(plain: Bridge) -> None:
    """Asked for port 0, the server takes one that is free and prints it."""
    plain.port = 0
    plain.start()
    try:
        assert plain.port > 0
        assert signs_in(plain, PASSWORD)
    finally:
        plain.close()


def test_the_start_says_what_to_type_into_joplin(plain: Bridge) -> None:
    """It prints target type, address and user, and how much it found; issue 2, point 5."""
    plain.start()
    try:
        printed = eventually(plain.printed, within=10, accept=lambda text: "attachment" in text)
        assert "WebDAV" in printed
        assert plain.local_url.rstrip("/") in printed
        assert USER in printed
        assert PASSWORD not in printed
        for count, word in ((2, "notebook"), (2, "note"), (1, "attachment")):
            assert f"{count} {word}" in printed
    finally:
        plain.close()


def test_a_generated_password_is_shown_once_and_never_kept(plain: Bridge) -> None:
    """Without a given password one is made, shown at the first start only, and kept as a hash."""
    plain.environment = {"DAVBRIDGE_PASSWORD": ""}
    plain.start()
    printed = eventually(plain.printed, within=10, accept=lambda text: "assword" in text)
    try:
        working = re.findall(r"password:\s+(\S+)$", printed, re.M)
        assert len(working) == 1, printed
        assert signs_in(plain, working[0])
        stored = b"".join(file.read_bytes() for file in plain.state.rglob("*") if file.is_file())
        assert working[0].encode() not in stored
        plain.restart()
        assert working[0] not in plain.printed() + plain.log()
        assert signs_in(plain, working[0])
    finally:
        plain.close()


def test_a_lost_password_is_reset_by_one_command(bridge: Bridge) -> None:
    """`davbridge user passwd` sets a new password while the server runs; MODEL 4."""
    assert signs_in(bridge, PASSWORD)
    done = bridge.run("user", "passwd", USER, DAVBRIDGE_PASSWORD="a new one")
    assert done.returncode == 0, done.stderr
    assert eventually(lambda: signs_in(bridge, "a new one"), within=10)
    assert eventually(lambda: not signs_in(bridge, PASSWORD), within=10)


def test_sigterm_finishes_a_running_request(bridge: Bridge) -> None:
    """A request that runs when the server is told to stop is answered and stored; exit code 0."""
    dav, item_id, book = bridge.dav(), new_id(), new_id()
    assert dav.put(f"{book}.md", folder_item(book, "Book")).status == 201
    body = note(item_id, "Last words", "x" * 200_000, book).encode()
    with dav.half_sent(f"{item_id}.md", body, sent=100_000) as connection:
        assert dav.get("info.json").status == 200
        bridge.process.terminate()
        eventually(lambda: not listens(bridge), within=5)
        connection.sendall(body[100_000:])
        answer = receive(connection)
    assert answer is not None
    assert answer.status == 201
    assert bridge.wait() == 0
    assert contents(bridge.folder)["Book/Last words.md"] == b"x" * 200_000


def test_an_idle_connection_does_not_hold_up_the_stop(bridge: Bridge) -> None:
    """Somebody who connected and says nothing does not keep the server from ending."""
    with socket.create_connection(("127.0.0.1", bridge.port)):
        bridge.stop()


def test_killed_in_the_middle_of_uploads_every_file_is_whole(bridge: Bridge) -> None:
    """After `kill -9` and a restart each file is whole, and nothing accepted is lost."""
    dav, book = bridge.dav(), new_id()
    assert dav.put(f"{book}.md", folder_item(book, "Book")).status == 201
    writers = [Writer(dav, book, f"note {number}") for number in range(4)]
    for pause in (15, 40, 70):
        threads = [threading.Thread(target=writer.write_until_gone) for writer in writers]
        for thread in threads:
            thread.start()
        goal = sum(writer.accepted for writer in writers) + pause
        eventually(
            lambda goal=goal: sum(w.accepted for w in writers) >= goal, within=20, every=0.001
        )
        bridge.kill()
        for thread in threads:
            thread.join()
        bridge.start()
        dav.listing()
        files = contents(bridge.folder)
        assert {f"Book/{writer.title}.md" for writer in writers} == files.keys()
        for writer in writers:
            version = writer.version_of(files[f"Book/{writer.title}.md"])
            assert version in (writer.accepted, writer.accepted + 1)
            served = read_item(dav.get(f"{writer.item_id}.md").text).body
            assert version == writer.version_of(served.encode())
            writer.accepted = version
    assert {book} | {writer.item_id for writer in writers} == dav.listing().keys()


class Writer:
    """Uploads one version of a note after the other until nobody answers."""

    def __init__(self, dav: Dav, book: str, title: str) -> None:
        self.dav, self.book, self.title = dav, book, title
        self.item_id = new_id()
        self.accepted = 0

    def text(self, version: int) -> str:
        return f"{self.title} version {version}\n" * 2000

    def version_of(self, content: bytes) -> int:
        """The version `content` is, which must be all of it."""
        first = content.decode().split("\n", 1)[0]
        version = int(first.rsplit(" ", 1)[1])
        assert self.text(version).encode() == content, f"{self.title}: {len(content)} bytes"
        return version

    def write_until_gone(self) -> None:
        try:
            while True:
                version = self.accepted + 1
                stamp = iso(now_ms())
                text = note(
                    self.item_id, self.title, self.text(version), self.book, updated_time=stamp
                )
                answer = self.dav.put(f"{self.item_id}.md", text)
                assert answer.ok, str(answer)
                self.accepted = version
        except (OSError, http.client.HTTPException):
            return


def signs_in(bridge: Bridge, password: str) -> bool:
    return bridge.dav(password=password).get("info.json").status == 200


def listens(bridge: Bridge) -> bool:
    try:
        socket.create_connection(("127.0.0.1", bridge.port), timeout=1).close()
    except OSError:
        return False
    return True
