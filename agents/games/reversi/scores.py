"""Exact scores of all moves of a position of reversi, with the memory that searches share."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from stratagym.agents.games.reversi.endgame import (
    Board,
    Memory,
    board_of_size,
    new_memory,
    score_moves,
)
from stratagym.agents.perfect import ILLEGAL
from stratagym.envs.reversi.rules import GOING, square_of

_LOCAL = threading.local()


def solver(size: int) -> tuple[Board, Memory]:
    """A board's geometry and the memory that its searches share in this thread."""
    found: dict[Any, Any] = vars(_LOCAL)
    if size not in found:
        found[size] = board_of_size(size), new_memory(18)
    kept: tuple[Board, Memory] = found[size]
    return kept


def endgame_scores(rules: Any, states: np.ndarray) -> np.ndarray:
    """The exact score of every move, (N, A) int8, ``ILLEGAL`` where there is none.

    A score is the difference of discs at the end for the seat to move, empty squares counted for
    the winner. It takes a second or so with 20 empty squares, several times as long for every two
    more. Under voluntary passes it is the score without them.
    """
    geometry, memory = solver(rules.size)
    scores = np.full((len(states), rules.num_actions), ILLEGAL, np.int8)
    squares = [int(square_of(rules, action)) for action in range(rules.size**2)]
    out = np.empty(64, np.int8)
    for i, s in enumerate(states):
        if s["over"] != GOING:
            continue
        out[:] = ILLEGAL
        if s["legal"]:
            score_moves(s["own"], s["opp"], geometry, memory, out)
            scores[i, :-1] = out[squares]
        else:
            score_moves(s["opp"], s["own"], geometry, memory, out)
            scores[i, -1] = -out.max()
    return scores
