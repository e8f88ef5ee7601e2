"""The table of what each game costs the suite: which tests count to which game."""

from __future__ import annotations

import pytest
from budget import game_of


@pytest.mark.parametrize(
    ("test", "game"),
    [
        ("tests/games/chess/test_quiescence.py::test_trades[go]", "chess"),
        ("tests/games/mcr_mahjong/test_fans.py::test_all", "mcr_mahjong"),
        ("tests/frame/test_contract.py::test_contract[ptx-go]", "go"),
        ("tests/benchmarks/ludo_arena/test_ludo_arena.py::test_all", "ludo"),
        ("tests/frame/test_docs.py::test_page[docs/games/chess.md]", "chess"),
        ("tests/frame/test_core.py::test_gomokus[mcts]", "-"),
        ("tests/benchmarks/table/test_table.py::test_all", "-"),
    ],
)
def test_a_test_counts_to_its_game(test, game):
    assert game_of(test) == game
