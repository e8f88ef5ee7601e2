"""What all tests share: the order, screens that are not there, outside data."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from zlib import crc32

import pytest

# Before any test imports pygame or matplotlib; worker processes inherit all three.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("MPLBACKEND", "Agg")
pytest_plugins = ["budget", "fresh_seeds"]
pytest.register_assert_rewrite("stratagym.testing")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two workers a processor: many tests wait for scripts, servers, and each other's kernels."""
    return 2 * (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long ones first: at the end workers would wait for them."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(autouse=True, scope="session")
def no_pictures() -> None:
    """Replays beside reports tell boards in text: drawing them is what takes a small run's time.

    Tests of those pages ask for pictures themselves.
    """
    from stratagym.benchmarks.replaying import album

    album.DRAWING_S = 0


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The data folder that a working copy may have beside it; a clone alone does not."""
    path = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not path.is_dir():
        pytest.skip(f"{path} is not there")
    return path


@pytest.fixture(scope="session")
def once(tmp_path_factory) -> Callable[[str, Callable[[Path], None]], Path]:
    """``once(name, make)``: a folder that ``make`` filled, in one of the run's processes alone.

    A fixture of a module is made by every worker that gets one of its tests; here the others wait
    and find the same folder. It is renamed when it is made, and nobody may write into it then.
    """
    from stratagym.envs import cache_locks

    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent

    def made(name: str, make: Callable[[Path], None]) -> Path:
        folder = base / f"once-{name}"
        cache_locks.hold(base, crc32(name.encode()))
        try:
            if not folder.exists():
                own = tmp_path_factory.mktemp(name)
                make(own)
                with suppress(OSError):  # somebody else has made it: the lock is waited for 120 s
                    own.rename(folder)
        finally:
            cache_locks.release(base, crc32(name.encode()))
        return folder

    return made
