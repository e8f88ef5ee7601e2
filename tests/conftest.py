"""What all tests share: the run's random seed, screens that are not there, outside data."""

from __future__ import annotations

import os
import secrets
import zlib
from pathlib import Path

import numpy as np
import pytest

# Before any test imports pygame or matplotlib; worker processes inherit all three.
os.environ.setdefault("SDL_VIDEODRIVER", "dummy")
os.environ.setdefault("MPLBACKEND", "Agg")
pytest_plugins = ["budget"]
pytest.register_assert_rewrite("stratagym.testing")
SEED = int(os.environ.setdefault("STRATAGYM_TEST_SEED", str(secrets.randbits(32))))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Two workers a processor: many tests wait for scripts, servers, and each other's kernels."""
    return 2 * (len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 2)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The long ones first: at the end workers would wait for them."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def pytest_report_header() -> str:
    return f"stratagym: random games from STRATAGYM_TEST_SEED={SEED} (set it to repeat a run)"


@pytest.fixture(autouse=True, scope="session")
def no_pictures() -> None:
    """Replays beside reports tell boards in text: drawing them is what takes a small run's time.

    Tests of those pages ask for pictures themselves.
    """
    from stratagym.benchmarks.replaying import album

    album.DRAWING_S = 0


@pytest.fixture
def seed(request: pytest.FixtureRequest) -> int:
    """A seed of this run and this test, below 2**63."""
    return int(
        np.random.default_rng([SEED, zlib.crc32(request.node.nodeid.encode())]).integers(2**63)
    )


@pytest.fixture
def rng(seed: int) -> np.random.Generator:
    """For a test's own random choices."""
    return np.random.default_rng(seed)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The data folder that a working copy may have beside it; a clone alone does not."""
    path = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not path.is_dir():
        pytest.skip(f"{path} is not there")
    return path
