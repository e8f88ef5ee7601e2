"""Where compiled kernels are kept between processes.

numba's on-disk cache looks only at the file a function stands in: when another file that was
compiled into it changes, it answers with the old code (numba issue 1833). So the cache directory
is named by a hash of every source that may be compiled; an edit gives a new, empty directory.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import event

_SOURCES = ("envs", "agents")
_KEPT = 4


def source_hash() -> str:
    """Hash of every Python source of the environments and agents, as 16 hex digits."""
    root = Path(__file__).resolve().parent.parent
    digest = hashlib.sha256()
    for folder in _SOURCES:
        for path in sorted((root / folder).rglob("*.py")):
            digest.update(path.relative_to(root).as_posix().encode() + b"\0")
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def configure() -> Path:
    """Point numba's cache at this version's directory; returns it.

    The directory is made in ``NUMBA_CACHE_DIR`` if that is set, else in the user's cache
    directory, else (neither can be written) in the system's temporary directory.
    """
    name = f"stratagym-{source_hash()}"
    wanted = os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("stratagym")
    for parent in (Path(wanted), Path(tempfile.gettempdir()) / "stratagym-cache"):
        directory = parent / name
        try:
            if not directory.is_dir():
                directory.mkdir(parents=True)
                _prune(parent)
            if os.access(directory, os.W_OK):
                break
        except OSError:
            continue
    setattr(numba.config, "CACHE_DIR", str(directory))  # noqa: B010 - unknown to type checkers
    event.register("numba:compile", _Announce())
    return directory


def _prune(parent: Path) -> None:
    """Remove all but the newest few directories of other versions."""
    versions = sorted(parent.glob("stratagym-*"), key=lambda p: p.stat().st_mtime, reverse=True)
    for old in versions[_KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


class _Announce(event.Listener):
    """Says once on standard error that rules are being compiled, when something really is."""

    said = False

    def on_start(self, event: Any) -> None:
        function = event.data["dispatcher"].py_func
        if not self.said and function.__module__.startswith("stratagym."):
            self.said = True
            print(
                "stratagym: compiling game rules for this machine "
                "(first use only, a few seconds a game) ...",
                file=sys.stderr,
                flush=True,
            )

    def on_end(self, event: Any) -> None:
        pass
