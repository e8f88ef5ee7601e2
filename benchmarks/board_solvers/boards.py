"""The boards that policies meet solvers on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Board:
    """How a game is played here.

    Attributes:
        game: its name. title: what the report calls it.
        games: of a policy against the solver; as in SPIN-Bench where it has the game.
        solver: the opponent and judge. opening: random moves before the first of a policy.
        options: of the game, where they are not the defaults.
        loss: what a move's loss is counted in.
    """

    game: str
    title: str
    games: int
    solver: str = "perfect"
    opening: int = 0
    options: Mapping[str, Any] = field(default_factory=dict)
    loss: str = "score loss"


_EXACT = "random?tactic=20"
"""Solves 20 empty squares of reversi exactly, and boards of go of 20 points or fewer."""

BOARDS = {
    "tictactoe": Board("tictactoe", "Tic-Tac-Toe", 10),
    "connect_four": Board("connect_four", "Connect Four", 10),
    "chess": Board("chess", "Chess", 4, "uci:stockfish?nodes=2000", loss="cp loss"),
    # 12 empty squares, and now and then a few more where sides passed.
    "reversi": Board("reversi", "Reversi", 20, _EXACT, 48, loss="discs lost"),
    "reversi_6x6": Board(
        "reversi", "Reversi on 6 x 6", 20, _EXACT, 20, {"size": 6}, loss="discs lost"
    ),
    "reversi_4x4": Board(
        "reversi", "Reversi on 4 x 4", 10, _EXACT, 0, {"size": 4}, loss="discs lost"
    ),
    "go_3x3": Board("go", "Go on 3 x 3", 10, _EXACT, 0, {"size": 3}, loss="points lost"),
}
"""By what ``--game`` calls them."""


def board_of(match: str) -> str:
    """The board of a match, by its name in the records: ``BOARD/ONE/OTHER/GAME``."""
    return match.partition("/")[0]
