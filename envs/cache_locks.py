"""Of processes that want the same kernel, one compiles it and the others wait for its code.

The operating system holds the locks, which are bytes of one file, and lets go of them when a
process ends, however it ends.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path

from stratagym.envs.cache_directory import open_own

LOCKS = "locks"
"""The file in the kernels' directory whose bytes are locked; nothing is written in it."""
LONGEST_S = 120.0
"""Nobody waits longer: whoever holds the lock may have been stopped."""
_POLL_S = 0.02


def hold(directory: Path, number: int, waiting: Callable[[], None] = lambda: None) -> bool:
    """Take a lock, of other processes only, and return whether that took waiting.

    Where the file system has no locks, all is as if nobody else were there.

    Args:
        number: of the lock, below 2**62. waiting: called once, before there is any waiting.
    """
    end = time.monotonic() + LONGEST_S
    waited = False
    with contextlib.suppress(OSError):
        file = _file(directory)
        while not _lock(file, number) and time.monotonic() < end:
            if not waited:
                waiting()
            waited = True
            time.sleep(_POLL_S)
    return waited


def release(directory: Path, number: int) -> None:
    """Let go of a lock; nothing where it is not held."""
    with contextlib.suppress(OSError):
        _unlock(_file(directory), number)


@cache
def _file(directory: Path) -> int:
    return open_own(directory / LOCKS, os.O_RDWR | os.O_CREAT)


if sys.platform == "win32":
    import msvcrt

    def _lock(file: int, number: int) -> bool:
        os.lseek(file, number, os.SEEK_SET)
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

    def _unlock(file: int, number: int) -> None:
        os.lseek(file, number, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: int, number: int) -> bool:
        """Whether the byte could be locked. Raises ``OSError`` where there are no locks."""
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, number)
        except (BlockingIOError, PermissionError):
            return False
        return True

    def _unlock(file: int, number: int) -> None:
        fcntl.lockf(file, fcntl.LOCK_UN, 1, number)
