"""What all tests share: the order, screens that are not there, outside data."""

from __future__ import annotations

import os
from pathlib import Path

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
