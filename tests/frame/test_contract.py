"""What every registered game promises, tested alike for all of them (``stratagym.testing``)."""

from __future__ import annotations

import pytest
from ours import all_games
from scripts import TESTS

from stratagym.envs import spec
from stratagym.testing import contract_checks

GOLDEN = TESTS / "golden"


@pytest.mark.parametrize(
    ("game", "check"),
    [
        pytest.param(game, name, id=f"{name}-{game}")
        for game in all_games()
        for name, _ in contract_checks(game)
    ],
)
def test_contract(game: str, check: str, seed: int) -> None:
    golden = GOLDEN if spec(game).package.startswith("stratagym.") else None
    dict(contract_checks(game, seed=seed, golden=golden))[check]()
