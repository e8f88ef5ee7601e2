"""What every registered game promises, tested alike for all of them (``stratagym.testing``)."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import games as tiny
import pytest
from conftest import SEED

from stratagym.envs import games, spec
from stratagym.testing import contract_checks

GOLDEN = Path(__file__).parent / "golden"

tiny.register()


@pytest.mark.parametrize(
    "check",
    [
        pytest.param(check, id=f"{name}-{game}")
        for game in games()
        for name, check in contract_checks(
            game,
            seed=SEED << 31 | zlib.crc32(game.encode()) >> 1,
            golden=GOLDEN if spec(game).package.startswith("stratagym.") else None,
        )
    ],
)
def test_contract(check: Callable[[], None]) -> None:
    check()
