"""What all tests share: the order, screens that are not there, outside data."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from pathlib import Path
from zlib import crc32

import pytest

# Before any test imports pygame or matplotlib; worker processes inherit all three.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("MPLBACKEND", "Agg")
pytest_plugins = ["budget", "fresh_seeds", "passed"]
gc.disable()  # until all tests are collected, which leaves no garbage and took a third longer


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Three workers for two processors: many tests wait for servers and each other's kernels.

    With four the same tests took 7% longer from an empty cache and 9% from a full one.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2
    return (3 * cores + 1) // 2


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Each worker's share holds whole games, so that few load a game's kernels; long tests first.

    xdist deals tests out in equal runs of neighbours before workers steal from each other. At the
    end they would wait for a long test.
    """
    game_of = config.pluginmanager.get_plugin("budget").game_of
    parts: dict[tuple[bool, bool], list[tuple[str, pytest.Item]]] = {}
    for item in items:
        game = "-" if shares_with_its_module(item) else game_of(item.nodeid)
        is_short = item.get_closest_marker("slow") is None
        parts.setdefault((is_short, game == "-"), []).append((game, item))
    for part in parts.values():
        part.sort(key=lambda pair: pair[0])
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    items[:] = [
        item
        for k in range(workers)
        for _, part in sorted(parts.items())
        for _, item in part[len(part) * k // workers : len(part) * (k + 1) // workers]
    ]


def shares_with_its_module(item: pytest.Item) -> bool:
    """Whether a test of many games has a fixture of its module, which must not be made anew."""
    folders = item.nodeid.split("/")[:2]
    found = getattr(item, "_fixtureinfo", None)
    made = found.name2fixturedefs.values() if found else ()
    return folders != ["tests", "games"] and any(one[-1].scope == "module" for one in made)


def pytest_collection_finish() -> None:
    """What is there now stays to the end, and garbage is looked for seldom: it took much time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)
    gc.enable()


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
def once(tmp_path_factory) -> Callable[[str, Callable[[Path], object]], Path]:
    """``once(name, make)``: a folder that ``make(folder)`` filled, in one of the run's processes.

    A module's fixture is made by every worker that gets one of its tests; with this, the others
    wait and find the same folder, into which nobody may write then.
    """
    from stratagym.envs import cache_locks

    base = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent

    def made(name: str, make: Callable[[Path], object]) -> Path:
        told, number = base / f"{name}.made", crc32(name.encode())
        cache_locks.hold(base, number)
        try:
            if not told.exists():
                own = tmp_path_factory.mktemp(name)
                make(own)
                own.with_suffix(".name").write_text(str(own), encoding="utf-8")
                own.with_suffix(".name").replace(told)  # whole: the lock is waited for 120 s only
        finally:
            cache_locks.release(base, number)
        return Path(told.read_text(encoding="utf-8"))

    return made
