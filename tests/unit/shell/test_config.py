"""Settings: every mistake at once, each with its place."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from davbridge.config import (
    ConfigError,
    RepositorySettings,
    Settings,
    ShareSettings,
    check_roots,
    load_settings,
    settings_for_folder,
)
from davbridge.joplin.settings import ClientTrash, Encryption, JoplinSettings
from davbridge.server import ServerSettings

ROOT = Path(__file__).resolve().parents[3]
EXAMPLE = ROOT / "config.example.yaml"


def load(tmp_path: Path, text: str) -> Settings:
    file = tmp_path / "config.yaml"
    file.write_text(text, encoding="utf-8")
    return load_settings(file, repository_kinds={"filebased"}, share_kinds={"joplin"})


def problems(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load(tmp_path, text)
    return [line.strip() for line in str(caught.value).splitlines()[1:]]


def test_example_is_the_default() -> None:
    """STYLE 13: the example file shows each option at its default, and loads."""
    settings = load_settings(EXAMPLE, repository_kinds={"filebased"}, share_kinds={"joplin"})
    expected = Settings(
        repositories={"notes": RepositorySettings(root=ROOT / "davbridge/example")},
        shares=(ShareSettings(repository="notes"),),
    )
    assert expected == settings


def test_example_shows_everything() -> None:
    """STYLE 13: no option is missing from the example file."""
    content = YAML(typ="safe", pure=True).load(EXAMPLE.read_text("utf-8"))
    for kind, shown in (
        (Settings, content),
        (ServerSettings, content["server"]),
        (RepositorySettings, content["repositories"]["notes"]),
        (ShareSettings, content["shares"][0]),
    ):
        assert {option.name for option in fields(kind)} == set(shown)


def test_every_mistake_at_once(tmp_path: Path) -> None:
    """STYLE 13: all mistakes are reported together, with places and near names."""
    text = """
server: {port: 80a, thread: 3}
repositories:
  notes: {root: 7, read_only: perhaps}
shares:
  - {repositry: notes, encryption: refused, vanish_grace: soon, max_upload: 3 miles}
  - 5
colour: red
"""
    assert [
        "colour: unknown option",
        'server.thread: unknown option; did you mean "threads"?',
        'server.port: "80a" is not a whole number',
        "repositories.notes.root: 7 is not a path",
        'repositories.notes.read_only: "perhaps" is not true or false',
        'shares[0].repositry: unknown option; did you mean "repository"?',
        'shares[0].vanish_grace: "soon" is not an amount like "2 min"',
        'shares[0].max_upload: "3 miles" is not an amount like "200 MiB"',
        'shares[0].encryption: "refused" is not one of "refuse", "store"; did you mean "refuse"?',
        "shares[0].repository: is missing",
        "shares[1]: must be a mapping of options",
    ] == problems(tmp_path, text)


def test_every_contradiction_at_once(tmp_path: Path) -> None:
    """Values that are well formed but cannot be are reported together as well."""
    text = """
server: {port: 70000, threads: 1, tls_key: key.pem}
repositories:
  notes: {root: /nowhere/at/all, kind: git}
  file: {root: config.yaml}
shares:
  - {repository: note, path: joplin}
  - {repository: notes, path: /a/, kind: files, guard_share: 2}
  - {repository: notes, path: /a}
"""
    assert [
        "server: tls_certificate and tls_key are needed together",
        "server.port: 70000 is not between 0 and 65535",
        "server.threads: 1 is not between 2 and 256",
        'repositories.notes.kind: "git" is not known',
        'shares[0].repository: there is no "note"; did you mean "notes"?',
        'shares[0].path: "joplin" is not like "/joplin"',
        'shares[1].kind: "files" is not known',
        "shares[1].guard_share: 2.0 is not above 0 and at most 1",
        'shares[2].path: "/a" belongs to shares[1] already',
        'repositories.notes.root: "/nowhere/at/all" does not exist',
        f'repositories.file.root: "{tmp_path}/config.yaml" is not a directory',
    ] == problems(tmp_path, text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- a\n- b\n", "must be a mapping of options"),
        ("", "repositories: is missing"),
        ("a: [\n", "line 2: expected the node content, but found '<stream end>'"),
        ("state: x\nstate: y\n", 'line 2: found duplicate key "state" with value "y"'),
    ],
)
def test_no_configuration(tmp_path: Path, text: str, expected: str) -> None:
    """What is no configuration at all is said in a line."""
    assert expected in problems(tmp_path, text)[0]


def test_no_file(tmp_path: Path) -> None:
    """A file that is not there is a sentence, not a traceback."""
    with pytest.raises(ConfigError, match="cannot be read: No such file or directory"):
        load_settings(tmp_path / "none", repository_kinds=(), share_kinds=())


def test_amounts_and_paths(tmp_path: Path) -> None:
    """Sizes and times take units, paths start at the file, a final slash is tolerated (C053)."""
    (tmp_path / "n").mkdir()
    text = """
state: state
repositories: {notes: {root: n, name: Notizen, read_only: true}}
shares:
  - {repository: notes, path: /notes/joplin/, vanish_grace: 1.5 min, orphan_grace: 7,
     max_upload: 2 MB, max_attachment: 1 KiB, encryption: store, client_trash: keep}
"""
    settings = load(tmp_path, text)
    share = settings.shares[0]
    assert tmp_path / "state" == settings.state
    assert (
        RepositorySettings(root=tmp_path / "n", name="Notizen", read_only=True)
        == (settings.repositories["notes"])
    )
    assert ("/notes/joplin", 90.0, 7.0) == (share.path, share.vanish_grace, share.orphan_grace)
    assert (2_000_000, 1024) == (share.max_upload, share.max_attachment)
    assert (Encryption.STORE, ClientTrash.KEEP) == (share.encryption, share.client_trash)


def test_folder(tmp_path: Path) -> None:
    """A folder alone is served with every default; one that is not there is a sentence."""
    settings = settings_for_folder(tmp_path, name="Mine")
    assert RepositorySettings(root=tmp_path, name="Mine") == settings.repositories["notes"]
    assert isinstance(settings.shares[0], JoplinSettings)
    check_roots(settings, "davbridge", served_before=())


def test_roots(tmp_path: Path) -> None:
    """C049: a root that is not there is a mistake, unless it was served before."""
    missing = tmp_path / "none"
    for root in (missing, EXAMPLE):
        with pytest.raises(ConfigError, match=r"repositories\.notes\.root"):
            check_roots(settings_for_folder(root), "davbridge", served_before=())
    check_roots(settings_for_folder(missing), "davbridge", served_before={str(missing)})
