"""The directory of compiled kernels: the user's own, of bounded size."""

from __future__ import annotations

import atexit
import contextlib
import errno
import functools
import hashlib
import os
import shutil
import stat
import sys
import tempfile
from pathlib import Path

import platformdirs

_MOST_BYTES = 2 << 30
"""Almost four times what the kernels of 25 games and of their tests take together."""
_DIGEST = 32
_OTHERS = stat.S_IWGRP | stat.S_IWOTH
_HAS_OWNERS = hasattr(os, "getuid")
"""Not on Windows: the user's profile, its temporary directory included, is closed to others."""


@functools.cache
def directory() -> Path:
    """The directory of all kernels: ours alone, or it is not used.

    In ``NUMBA_CACHE_DIR`` if that is set, else in the user's cache directory; where neither can be
    had, which is said, in the temporary directory, under the user's number, or fresh and for this
    process only.
    """
    wanted = os.environ.get("NUMBA_CACHE_DIR")
    parent = (
        Path(wanted) / "stratagym" if wanted else Path(platformdirs.user_cache_dir("stratagym"))
    )
    user = os.getuid() if _HAS_OWNERS else "user"
    refused = how_long = ""
    for path in (parent / "kernels", Path(tempfile.gettempdir()) / f"stratagym-kernels-{user}"):
        try:
            make(path.parent)
            path = path.parent.resolve() / path.name  # links on the way there may change
            make(path)
            reason = why_not_private(path)
        except OSError as error:
            reason = f"{path}: {error.strerror}"
        if not reason:
            break
        refused = refused or reason
    else:
        path, how_long = _fresh(), ", for this process only"
    if refused:
        said = f"stratagym: {refused}; compiled kernels are kept in {path}{how_long}"
        print(said, file=sys.stderr, flush=True)
    return path


def _fresh() -> Path:
    """A new directory that goes when this process ends."""
    fresh = Path(tempfile.mkdtemp(prefix="stratagym-kernels-"))
    maker = os.getpid()

    def remove() -> None:
        if os.getpid() == maker:  # not a process forked from it
            shutil.rmtree(fresh, ignore_errors=True)

    atexit.register(remove)
    return fresh


def make(folder: Path) -> None:
    """Make a folder and those above it, as far as they are missing, for this user only."""
    if folder.is_dir():
        return
    if folder.parent != folder:
        make(folder.parent)
    with contextlib.suppress(FileExistsError):
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)  # the umask may have taken the user's own rights


def why_not_private(folder: Path) -> str:
    """Who else may put a file into a folder, or another folder into its place; "" if nobody.

    The folder has to be this user's own. So has each above it, or root's, up to the first in which
    only they may write; what lies between has to be sticky, so that nobody can rename what belongs
    to another.
    """
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode):
        return f"{folder} is no folder"
    if not _HAS_OWNERS:
        return ""
    if found.st_uid != os.getuid():
        return f"{folder} belongs to somebody else"
    if _others_write(folder, found):
        return f"{folder} can be written by others"
    if not os.access(folder, os.W_OK):
        return f"{folder} cannot be written"
    for above in folder.parents:
        found = above.lstat()
        if found.st_uid not in (os.getuid(), 0):
            return f"{above}, above {folder}, belongs to somebody else"
        if not _others_write(above, found):
            return ""
        if not found.st_mode & stat.S_ISVTX:
            return f"{above}, above {folder}, can be written by others"
    return ""


def _others_write(path: Path | int, found: os.stat_result) -> bool:
    """Whether others than the owner may write; a user's private group is that user alone."""
    mode = found.st_mode & _OTHERS
    if mode == stat.S_IWGRP and _is_private_group(found.st_gid):
        # With an access control list the group's bits say what anybody in the list may do.
        with contextlib.suppress(AttributeError, OSError):  # a system or file system without any
            return "system.posix_acl_access" in os.listxattr(path)
        return False
    return bool(mode)


def _is_private_group(number: int) -> bool:
    """Whether a group is this user's own: by its name, and nobody else in it."""
    import grp
    import pwd

    try:
        user, group = pwd.getpwuid(os.getuid()), grp.getgrgid(number)
    except KeyError:
        return False
    return (
        user.pw_gid == number
        and user.pw_name == group.gr_name
        and set(group.gr_mem) <= {user.pw_name}
    )


def open_own(path: Path, flags: int) -> int:
    """Open a regular file of this user's own that only this user can write.

    Raises:
        OSError: there is none, or it is a link, somebody else's or open to others' writing.
    """
    for name in ("O_NOFOLLOW", "O_NONBLOCK", "O_BINARY"):  # each where the system has it
        flags |= getattr(os, name, 0)
    number = os.open(path, flags, 0o600)
    try:
        found = os.fstat(number)
        own = not _HAS_OWNERS or (found.st_uid == os.getuid() and not _others_write(number, found))
        if not stat.S_ISREG(found.st_mode) or not own:
            raise OSError(errno.EPERM, "not a file of this user alone", str(path))
    except BaseException:
        os.close(number)
        raise
    return number


def read_own(path: Path) -> bytes:
    """What ``write_own`` wrote into a file of this name.

    Raises:
        OSError: there is no such file, or it is torn, another's copy or not this user's alone.
    """
    with open(open_own(path, os.O_RDONLY), "rb") as file:
        content = file.read()
    data = content[_DIGEST:]
    if _identity(path, data) != content[:_DIGEST]:
        raise OSError(errno.EINVAL, "not what was written under this name", str(path))
    return data


def write_own(path: Path, data: bytes) -> None:
    """Write a file of this user's own, whole or not at all, with its name and content as a digest.

    Raises:
        OSError: it cannot be written.
    """
    make(path.parent)
    handle, temporary = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)
    try:
        with open(handle, "wb") as file:
            file.write(_identity(path, data) + data)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise


def _identity(path: Path, data: bytes) -> bytes:
    return hashlib.sha256(path.name.encode() + b"\0" + data).digest()


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
