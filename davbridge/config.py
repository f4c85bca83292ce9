"""YAML or flags -> frozen settings; every mistake is reported at once, with its place."""

from __future__ import annotations

import difflib
import enum
import re
import types
import typing
from collections.abc import Collection, Container, Iterator, Mapping
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from davbridge.joplin.settings import JoplinSettings
from davbridge.server import ServerSettings

SIZE_FIELDS: Final = frozenset({"max_upload", "max_attachment"})
DURATION_FIELDS: Final = frozenset({"vanish_grace", "orphan_grace"})

_SIZES: Final = {"": 1, "b": 1, "kib": 1024, "mib": 1024**2, "gib": 1024**3}
_SIZES_10: Final = {"kb": 1000, "mb": 1000**2, "gb": 1000**3}
_DURATIONS: Final = {"": 1, "s": 1, "min": 60, "h": 3600, "d": 86400}
_AMOUNT: Final = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)")
_SHARE_PATH: Final = re.compile(r"(?:/[A-Za-z0-9._~-]+)+")


class ConfigError(Exception):
    """Everything that is wrong with a configuration, one problem a line, each with its place."""

    def __init__(self, source: str, problems: list[str]) -> None:
        count = f"{len(problems)} problem{'s' if len(problems) != 1 else ''}"
        super().__init__("\n".join([f"{source}: {count}", *(f"  {line}" for line in problems)]))
        self.problems = tuple(problems)


@dataclass(frozen=True, slots=True, kw_only=True)
class RepositorySettings:
    """A repository of notes. `name` is what the root is called; by default the folder's name."""

    root: Path
    kind: str = "filebased"
    name: str | None = None
    read_only: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShareSettings(JoplinSettings):
    """A share: which repository it serves, and how."""

    repository: str
    kind: str = "joplin"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything davbridge can be told. `state` is `None` for the user's state directory."""

    server: ServerSettings = field(default_factory=ServerSettings)
    state: Path | None = None
    repositories: Mapping[str, RepositorySettings]
    shares: tuple[ShareSettings, ...]


def settings_for_folder(folder: Path, *, name: str | None = None) -> Settings:
    """Return the settings that serve one folder to Joplin, all else at its default."""
    return Settings(
        repositories={"notes": RepositorySettings(root=folder.resolve(), name=name)},
        shares=(ShareSettings(repository="notes"),),
    )


def load_settings(
    file: Path, *, repository_kinds: Container[str], share_kinds: Container[str]
) -> Settings:
    """Return the settings in a YAML file; relative paths start at the file's folder.

    Raises `ConfigError` with every mistake there is; that a root is not there is one only in
    the company of others, see `check_roots`.
    """
    try:
        content = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ConfigError(str(file), [f"cannot be read: {reason}"]) from error
    except MarkedYAMLError as error:
        place = f"line {error.problem_mark.line + 1}: " if error.problem_mark else ""
        raise ConfigError(str(file), [f"{place}{error.problem or 'is not YAML'}"]) from error
    except YAMLError as error:
        raise ConfigError(str(file), ["is not YAML"]) from error
    reader = _Reader(folder=file.resolve().parent)
    settings: Settings | None = reader.record(Settings, {} if content is None else content, "")
    if settings is not None:
        reader.problems += _check(settings, repository_kinds, share_kinds)
    if reader.problems or settings is None:
        roots = [] if settings is None else _root_problems(settings, served_before=())
        raise ConfigError(str(file), [*reader.problems, *roots])
    return settings


def check_roots(settings: Settings, source: str, *, served_before: Collection[str]) -> None:
    """Refuse roots that are no directories with a `ConfigError`.

    One that is not there but was served before, by its resolved path, is let pass: its disk
    may not be mounted yet, and clients are asked to come again until it is (C049).
    """
    problems = list(_root_problems(settings, served_before=served_before))
    if problems:
        raise ConfigError(source, problems)


def _root_problems(settings: Settings, *, served_before: Collection[str]) -> Iterator[str]:
    for name, repository in settings.repositories.items():
        root = repository.root
        if root.is_dir():
            continue
        if root.exists():
            yield f'repositories.{name}.root: "{root}" is not a directory'
        elif str(root.resolve()) not in served_before:
            yield f'repositories.{name}.root: "{root}" does not exist'


def _check(
    settings: Settings, repository_kinds: Container[str], share_kinds: Container[str]
) -> Iterator[str]:
    server = settings.server
    if (server.tls_certificate is None) != (server.tls_key is None):
        yield "server: tls_certificate and tls_key are needed together"
    if not 0 <= server.port <= 65535:
        yield f"server.port: {server.port} is not between 0 and 65535"
    if not 2 <= server.threads <= 256:
        yield f"server.threads: {server.threads} is not between 2 and 256"
    for name, repository in settings.repositories.items():
        place = f"repositories.{name}"
        if repository.kind not in repository_kinds:
            yield f'{place}.kind: "{repository.kind}" is not known'
    if not settings.shares:
        yield "shares: there is none, so there is nothing to serve"
    taken: dict[str, int] = {}
    for number, share in enumerate(settings.shares):
        place = f"shares[{number}]"
        if share.kind not in share_kinds:
            yield f'{place}.kind: "{share.kind}" is not known'
        yield from _check_share(share, settings.repositories, place)
        if share.path in taken:
            yield f'{place}.path: "{share.path}" belongs to shares[{taken[share.path]}] already'
        taken.setdefault(share.path, number)


def _check_share(share: ShareSettings, repositories: Collection[str], place: str) -> Iterator[str]:
    if share.repository not in repositories:
        hint = _hint(share.repository, repositories)
        yield f'{place}.repository: there is no "{share.repository}"{hint}'
    if not _SHARE_PATH.fullmatch(share.path):
        yield f'{place}.path: "{share.path}" is not like "/joplin"'
    if not 0 < share.guard_share <= 1:
        yield f"{place}.guard_share: {share.guard_share} is not above 0 and at most 1"


def _hint(word: str, known: typing.Iterable[str]) -> str:
    close = difflib.get_close_matches(word, list(known), n=1)
    return f'; did you mean "{close[0]}"?' if close else ""


class _Reader:
    """Turns what YAML gave into records, and collects what is wrong on the way."""

    def __init__(self, *, folder: Path) -> None:
        self._folder = folder
        self.problems: list[str] = []

    def record(self, kind: type[Any], content: Any, place: str) -> Any:
        """Return `content` as an instance of the dataclass `kind`; `None` if that fails."""
        if not isinstance(content, dict):
            self._problem(place, "must be a mapping of options")
            return None
        hints = typing.get_type_hints(kind)
        before = len(self.problems)
        for key in content:
            if key not in hints:
                self._problem(_join(place, str(key)), f"unknown option{_hint(str(key), hints)}")
        values = {}
        for option in fields(kind):
            where = _join(place, option.name)
            if option.name in content:
                values[option.name] = self._value(hints[option.name], content[option.name], where)
            elif option.default is MISSING and option.default_factory is MISSING:
                self._problem(where, "is missing")
        return kind(**values) if len(self.problems) == before else None

    def _value(self, kind: Any, content: Any, place: str) -> Any:
        origin, arguments = typing.get_origin(kind), typing.get_args(kind)
        if origin is types.UnionType:
            if content is None:
                return None
            return self._value(arguments[0], content, place)
        if origin is tuple:
            return self._list(arguments[0], content, place)
        if isinstance(origin, type) and issubclass(origin, Mapping):
            return self._mapping(arguments[1], content, place)
        if hasattr(kind, "__dataclass_fields__"):
            return self.record(kind, content, place)
        return self._scalar(kind, content, place)

    def _list(self, kind: Any, content: Any, place: str) -> Any:
        if not isinstance(content, list):
            return self._problem(place, "must be a list")
        return tuple(self._value(kind, entry, f"{place}[{i}]") for i, entry in enumerate(content))

    def _mapping(self, kind: Any, content: Any, place: str) -> Any:
        if not isinstance(content, dict):
            return self._problem(place, "must be a mapping of names")
        return {
            str(key): self._value(kind, entry, _join(place, str(key)))
            for key, entry in content.items()
        }

    def _scalar(self, kind: Any, content: Any, place: str) -> Any:
        name = place.rpartition(".")[2]
        if name in SIZE_FIELDS or name in DURATION_FIELDS:
            return self._amount(kind, content, place, size=name in SIZE_FIELDS)
        if isinstance(kind, type) and issubclass(kind, enum.Enum):
            allowed = [str(member.value) for member in kind]
            if content not in allowed:
                hint = _hint(str(content), allowed)
                choice = ", ".join(f'"{value}"' for value in allowed)
                return self._problem(place, f"{_show(content)} is not one of {choice}{hint}")
            return kind(content)
        if kind is Path and isinstance(content, str):
            path = Path(content).expanduser()
            return path if path.is_absolute() else self._folder / path
        if name == "path" and isinstance(content, str):
            return content.rstrip("/")  # how people write it; one spelling inside
        if kind is float and isinstance(content, int | float) and not isinstance(content, bool):
            if content < 0:
                return self._problem(place, f"{content} is negative")
            return float(content)
        if isinstance(content, kind) and not (kind is int and isinstance(content, bool)):
            return content
        return self._problem(place, f"{_show(content)} is not {_KINDS.get(kind, 'valid')}")

    def _amount(self, kind: Any, content: Any, place: str, *, size: bool) -> Any:
        units: Mapping[str, int] = {**_SIZES, **_SIZES_10} if size else _DURATIONS
        match = _AMOUNT.fullmatch(str(content).strip())
        factor = units.get(match[2].lower()) if match else None
        if match is None or factor is None or isinstance(content, bool):
            example = '"200 MiB"' if size else '"2 min"'
            return self._problem(place, f"{_show(content)} is not an amount like {example}")
        return kind(float(match[1]) * factor)

    def _problem(self, place: str, text: str) -> None:
        self.problems.append(f"{place}: {text}" if place else text)


_KINDS: Final[Mapping[Any, str]] = {
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    str: "text",
    Path: "a path",
}


def _show(content: Any) -> str:
    return f'"{content}"' if isinstance(content, str) else str(content)


def _join(place: str, name: str) -> str:
    return f"{place}.{name}" if place else name
