"""A mutation thought through to the end before the disk is touched (R-F-70)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import BinaryIO

from adapters.filebased.difference import Move


@dataclass(frozen=True, slots=True, kw_only=True)
class Write:
    """Exchange the bytes of a file, which must still be `before`, if given (R-F-76).

    Only a plan of one step may leave that out.
    """

    path: str
    content: bytes | BinaryIO
    before: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Create:
    """Make a file that is not there yet."""

    path: str
    content: bytes | BinaryIO


@dataclass(frozen=True, slots=True, kw_only=True)
class MakeDirectory:
    """Make a directory that is not there yet."""

    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rename:
    """Give a file or directory a path that is free."""

    source: str
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Remove:
    """Take away a file, or a directory with all in it, for good."""

    path: str


Step = Write | Create | MakeDirectory | Rename | Remove


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Steps in order, and which paths stand for the same thing before and after."""

    steps: tuple[Step, ...] = ()
    moves: tuple[Move, ...] = ()
    fresh: frozenset[str] = frozenset()
    """Directories to look at again beside those of the steps."""
