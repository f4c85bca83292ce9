"""Renaming that never overwrites, which Python itself does not offer (R-F-74)."""

from __future__ import annotations

import ctypes
import errno
import os
from pathlib import Path
from typing import Final

_AT_FDCWD: Final = -100
_RENAME_NOREPLACE: Final = 1  # Linux, renameat2(2)
_UNSUPPORTED: Final = frozenset({errno.ENOSYS, errno.EINVAL, errno.ENOTSUP})

_renameat2 = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)


def rename_exclusive(source: Path, target: Path) -> None:
    """Rename `source` to `target`. Raises `FileExistsError` if anything is there.

    Where the system cannot do both at once, it is looked first.
    """
    if _renameat2 is not None:
        failed = _renameat2(
            _AT_FDCWD, os.fsencode(source), _AT_FDCWD, os.fsencode(target), _RENAME_NOREPLACE
        )
        if not failed:
            return
        code = ctypes.get_errno()
        if code not in _UNSUPPORTED:
            raise OSError(code, os.strerror(code))
    if os.path.lexists(target):
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    source.rename(target)
