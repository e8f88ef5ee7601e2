"""One process at a time writes into a run's folder.

The operating system holds the lock and releases it when the process ends, however it ends: a lock
file that a killed process left behind blocks nobody. The text in the file is for people.
"""

from __future__ import annotations

import json
import os
import socket
import stat
import sys
import threading
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from stratagym.benchmarks.harness.errors import InputError
from stratagym.benchmarks.reporting.terminal import say

LOCK = "run.lock"
"""The lock file in a run's folder; it exists while a process writes there."""
_NOT_FOLLOWED = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Links are not followed, and opening a pipe does not block; Windows has neither flag."""


@dataclass
class _Held:
    number: int
    pid: int
    count: int = 0


_held: dict[Path, _Held] = {}
_guard = threading.Lock()


def hold(folder: Path) -> None:
    """Keep other processes from writing into an existing folder until ``release``.

    A process may hold a folder several times; the last ``release`` frees it.

    Raises:
        InputError: another process holds it, or there can be no file in it.
    """
    key = folder.resolve()
    with _guard:
        found = _held.get(key)
        if found is None or found.pid != os.getpid():  # a forked process has nothing of its parent
            found = _held[key] = _Held(_taken(key, folder), os.getpid())
        found.count += 1


def release(folder: Path) -> None:
    """Undo one ``hold``; does nothing if there was none."""
    key = folder.resolve()
    with _guard:
        found = _held.get(key)
        if found is None or found.pid != os.getpid():
            return
        found.count -= 1
        if not found.count:
            _let_go(_held.pop(key), key)


def release_all() -> None:
    """Release all folders."""
    with _guard:
        while _held:
            key, found = _held.popitem()
            if found.pid == os.getpid():
                _let_go(found, key)


def _taken(folder: Path, named: Path) -> int:
    """The open lock file, locked."""
    path = folder / LOCK
    while True:
        try:
            number = os.open(path, os.O_RDWR | os.O_CREAT | _NOT_FOLLOWED, 0o666)
        except OSError as error:
            if path.is_symlink():
                raise _a_link(named) from None
            raise InputError(f"{named / LOCK}: cannot be written ({error.strerror})") from None
        found = os.fstat(number)
        if path.is_symlink() or not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            os.close(number)
            raise _a_link(named)
        try:
            locked = _lock(number)
        except OSError as error:
            say(
                f"{named}: this file system has no locks ({error.strerror}); see to it that no "
                "other process writes there"
            )
            locked = True
        if not locked:
            who = _holder(number)
            os.close(number)
            raise InputError(
                f"{named} is in use by {who}; wait until it ends, end it, or name another folder"
            )
        # The previous holder may have removed the file after it was opened here.
        with suppress(FileNotFoundError):
            if os.path.samestat(found, path.lstat()):
                break
        os.close(number)
    started = datetime.now().isoformat(" ", "seconds")
    note = {"pid": os.getpid(), "host": socket.gethostname(), "started": started}
    with suppress(OSError):  # a full disk: the lock holds without the note
        os.ftruncate(number, 0)
        os.write(number, json.dumps(note).encode() + b"\n")
    return number


def _a_link(named: Path) -> InputError:
    return InputError(
        f"{named / LOCK} is a link or no plain file, and what it stands for would be overwritten; "
        "remove it"
    )


def _holder(number: int) -> str:
    """The process that the note in a lock file names."""
    try:
        os.lseek(number, 0, os.SEEK_SET)
        note = json.loads(os.read(number, 1000))
        return f"process {int(note['pid'])} on {note['host']} since {note['started']}"
    except (OSError, ValueError, TypeError, KeyError):
        return "another process"


def _let_go(found: _Held, folder: Path) -> None:
    # Removed while it is locked, so that no other process's file is removed; Windows does not
    # remove open files.
    with suppress(OSError):
        (folder / LOCK).unlink()
    os.close(found.number)


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30
    """Position of the lock, behind the note: others read the note, nobody reads locked bytes."""

    def _lock(number: int) -> bool:
        os.lseek(number, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(number, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _lock(number: int) -> bool:
        """Whether the file could be locked. Raises ``OSError`` where there are no locks."""
        try:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
