"""How a mutation that must not happen ends, and what errors of the operating system mean."""

from __future__ import annotations

import errno
from typing import Final

from adapters.contract import MutationFailure

_READ_ONLY: Final = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
_REASONS: Final = {
    errno.EEXIST: (MutationFailure.COLLISION, "the name is taken on disk"),
    errno.ENOTEMPTY: (MutationFailure.COLLISION, "the name is taken on disk"),
    errno.ENAMETOOLONG: (MutationFailure.INVALID_NAME, "too long for the file system"),
    errno.EILSEQ: (MutationFailure.INVALID_NAME, "not a name for the file system"),
    errno.EINVAL: (MutationFailure.INVALID_NAME, "not a name for the file system"),
    errno.ENOENT: (MutationFailure.STALE, "it went while it was being changed"),
    errno.ENOTDIR: (MutationFailure.STALE, "it changed its kind while it was being changed"),
    errno.EISDIR: (MutationFailure.STALE, "it changed its kind while it was being changed"),
    errno.EXDEV: (MutationFailure.NOT_SUPPORTED, "the other place is on another device"),
}


class Refusal(Exception):
    """Ends a mutation; nothing of it is left behind."""

    def __init__(self, failure: MutationFailure, detail: str = "") -> None:
        super().__init__(detail)
        self.failure = failure
        self.detail = detail


def refusal_of(error: OSError) -> Refusal:
    """Return what an error of the operating system means; it names no place (R-F-77)."""
    if error.errno in _READ_ONLY:
        return Refusal(MutationFailure.READ_ONLY, "the file system does not let it be changed")
    if error.errno in _REASONS:
        return Refusal(*_REASONS[error.errno])
    return Refusal(MutationFailure.UNAVAILABLE, reason_of(error))


def reason_of(error: OSError) -> str:
    """Return the error in words, without the file names it carries (R-C-96)."""
    return (error.strerror or type(error).__name__).lower()
