"""What the agents know of connect four: an evaluator, a rule-based player and exact scores."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.games.connect_four.book import Book, load
from stratagym.agents.games.connect_four.solver import (
    ODD_ROWS,
    Memory,
    count_bits,
    new_memory,
    score_moves,
    winning_squares,
)
from stratagym.agents.games.connect_four.solver import best_moves as write_best_moves
from stratagym.agents.ladders import Ladder, players_at
from stratagym.agents.perfect import ILLEGAL
from stratagym.envs.connect_four.rules import (
    COLUMNS,
    HEIGHT,
    NO_WINNER,
    current_player,
    has_four,
    landing,
    returns,
)

CENTRE = 127 << 3 * HEIGHT
CENTRAL = 127 << 2 * HEIGHT | CENTRE | 127 << 4 * HEIGHT


def symmetries(rules: Any) -> np.ndarray:
    """Each column itself, and under left for right: (2, 7) int64."""
    columns = np.arange(COLUMNS)
    return np.stack([columns, columns[::-1]])


@njit(cache=True)
def evaluate(rules, s, out):
    """Threats and stones near the centre, the difference of both players; exact at the end.

    A threat is an empty square that would complete four; it counts double in a row that its
    player will get if both fill the columns from below.
    """
    if current_player(rules, s) < 0:
        returns(rules, s, out)
        return
    taken = s.mover | s.other
    first, second = s.mover, s.other
    if s.plies & 1:
        first, second = second, first
    value = 0.01 * (_weight(first) - _weight(second))
    threats = winning_squares(first, taken)
    value += 0.06 * (count_bits(threats) + count_bits(threats & ODD_ROWS))
    threats = winning_squares(second, taken)
    value -= 0.06 * (count_bits(threats) + count_bits(threats & ~ODD_ROWS))
    out[0] = min(max(value, -0.99), 0.99)
    out[1] = -out[0]


@njit(cache=True)
def _weight(stones):
    return count_bits(stones & CENTRE) + count_bits(stones & CENTRAL)


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """Win; block; else the most threats made, near the centre, and no win given away if possible.

    Ties go to the column nearer the centre, then to the left.
    """
    taken = s.mover | s.other
    best, best_score = legal[0], -1_000_000
    for k in range(n):
        column = legal[k]
        move = landing(taken, column)
        score = -abs(column - 3)
        if has_four(s.mover | move):
            score += 100_000
        if has_four(s.other | move):
            score += 10_000
        above = landing(taken | move, column)
        if above and has_four(s.other | above):
            score -= 1_000
        score += 10 * count_bits(winning_squares(s.mover | move, taken | move))
        if score > best_score:
            best, best_score = column, score
    return best


class Solver:
    """Exact scores of moves, from the opening book and by search.

    What one search found in its transposition table serves the next ones, in all threads.
    """

    def __init__(self, table_bits: int = 23, book: Book | None = None):
        """The table has ``2**table_bits`` entries of 8 bytes; default book: the shipped one."""
        self.book = load() if book is None else book
        self._local = threading.local()
        self._local.memory = first = new_memory(table_bits)
        self._far = first.far

    @property
    def memory(self) -> Memory:
        """What searches of this thread work with; the large table is that of all."""
        if not hasattr(self._local, "memory"):
            self._local.memory = new_memory(far=self._far)
        memory: Memory = self._local.memory
        return memory

    def scores(self, mover: int, taken: int, plies: int) -> np.ndarray:
        """(7,) int8: the score of every column, ``ILLEGAL`` where it is full."""
        out = np.empty(COLUMNS, np.int8)
        score_moves(
            mover, taken, plies, self.book.keys, self.book.values,
            self.memory, out,
        )  # fmt: skip
        return out

    def best_moves(self, mover: int, taken: int, plies: int) -> np.ndarray:
        """(7,) bool: columns of the best score."""
        out = np.empty(COLUMNS, np.bool_)
        write_best_moves(
            mover, taken, plies, self.book.keys, self.book.values,
            self.memory, out,
        )  # fmt: skip
        return out


_solver: Solver | None = None


def _shared_solver() -> Solver:
    global _solver
    if _solver is None:
        _solver = Solver()
    return _solver


def solve(rules: Any, states: np.ndarray) -> np.ndarray:
    """The score of every move, (N, 7) int8, ``ILLEGAL`` where there is none.

    As in Pascal Pons's test sets: 22 minus the stones that the winner will have on the board when
    it wins, negative if the opponent wins, 0 for a draw. States whose game is over have no moves.
    """
    solver = _shared_solver()
    scores = np.full((len(states), COLUMNS), ILLEGAL, np.int8)
    for i, s in enumerate(states):
        if s["winner"] == NO_WINNER:
            mover, other = int(s["mover"]), int(s["other"])
            scores[i] = solver.scores(mover, mover | other, int(s["plies"]))
    return scores


def best_moves(rules: Any, states: np.ndarray) -> np.ndarray:
    """(N, 7) bool: moves of the best score in every state, none where the game is over."""
    solver = _shared_solver()
    best = np.zeros((len(states), COLUMNS), np.bool_)
    for i, s in enumerate(states):
        if s["winner"] == NO_WINNER:
            mover, other = int(s["mover"]), int(s["other"])
            best[i] = solver.best_moves(mover, mover | other, int(s["plies"]))
    return best


_LEVELS = (
    ("random",),
    ("mcts:5", "heuristic?random=0.75"),
    ("mcts:20", "heuristic?random=0.45"),
    ("mcts:50",),
    ("mcts:200", "alphabeta:4?random=0.1"),
    ("mcts:1200",),
    ("mcts:8000",),
)
_LATER_LEVELS = (*_LEVELS[:4], ("mcts:200", "alphabeta:4?random=0.08"), *_LEVELS[5:])
EARLIER_LADDERS = (
    Ladder(
        "connect_four/ladder-v1",
        _LEVELS,
        players=players_at(_LEVELS, mcts=1, alphabeta=1),
    ),
    Ladder("connect_four/ladder-v2", _LATER_LEVELS, players=players_at(_LATER_LEVELS, mcts=1)),
)
LADDER = Ladder(
    "connect_four/ladder-v3",
    (
        _LEVELS[0],
        ("mcts:5?random=0.55", "heuristic?random=0.75"),
        ("mcts:20?random=0.2", "heuristic?random=0.45"),
        *_LATER_LEVELS[3:],
    ),
)
