"""The directory of compiled kernels: the user's own, of bounded size."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import shutil
import stat
import tempfile
from pathlib import Path

import platformdirs

_MOST_BYTES = 512 << 20


@functools.cache
def directory() -> Path:
    """The directory of all kernels: ours alone, or it is not used.

    In ``NUMBA_CACHE_DIR`` if that is set, else in the user's cache directory; where neither can be
    had, in the temporary directory, under the user's number, or fresh and for this process only.
    """
    wanted = os.environ.get("NUMBA_CACHE_DIR")
    parent = (
        Path(wanted) / "stratagym" if wanted else Path(platformdirs.user_cache_dir("stratagym"))
    )
    user = os.getuid() if hasattr(os, "getuid") else "user"
    for path in (parent / "kernels", Path(tempfile.gettempdir()) / f"stratagym-kernels-{user}"):
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(FileExistsError):
                path.mkdir(mode=0o700)
            if is_private(path) and os.access(path, os.W_OK):
                return path
    fresh = Path(tempfile.mkdtemp(prefix="stratagym-kernels-"))
    maker = os.getpid()

    def remove() -> None:
        if os.getpid() == maker:  # not a process forked from it
            shutil.rmtree(fresh, ignore_errors=True)

    atexit.register(remove)
    return fresh


def is_private(path: Path) -> bool:
    """Whether a directory is this user's own and nobody else may write in it."""
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return False
    if not hasattr(os, "getuid"):  # Windows: the user's profile, temporary directory included
        return True
    return found.st_uid == os.getuid() and not found.st_mode & 0o022


def prune(root: Path, most: int = _MOST_BYTES) -> None:
    """Remove the files that were not used for longest until ``most`` bytes are left."""
    files = []
    for path in root.rglob("*"):
        with contextlib.suppress(OSError):  # another process may prune too
            found = path.stat()
            if stat.S_ISREG(found.st_mode) and found.st_size:  # the file of locks is empty
                files.append((found.st_mtime, found.st_size, path))
    total = sum(size for _, size, _ in files)
    for _, size, path in sorted(files):
        if total <= most:
            break
        with contextlib.suppress(OSError):
            path.unlink()
        total -= size
