"""What the agents know of ataxx: an evaluator, a rule-based player, the order of moves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.ladders import Ladder
from stratagym.envs.ataxx.rules import (
    BOTZONE_LONGEST,
    CELLS,
    GOING,
    LONGEST,
    OFFSETS,
    PASS,
    SIDE,
    around,
    empty_of,
    gain_of,
    reach,
    returns,
    square_of,
)
from stratagym.envs.bits import bit, popcount
from stratagym.envs.core import mix64

STONE, TO_MOVE, TERRITORY = 1 / CELLS, 0.02, 0.1
"""Worth of a stone, of being to move, and of all empty cells if only one side can come to them."""
MOST = 0.99
HORIZON = 64
"""Plies that a search may look ahead: from there on, counters that end games are part of a hash."""


# --- the evaluator -------------------------------------------------------------------------------


@njit(cache=True)
def evaluate(rules, s, out):
    """Stones, the right to move, and empty cells that one side alone can come to next.

    Exact where the game is over.
    """
    if s.over != GOING:
        returns(rules, s, out)
        return
    empty = empty_of(rules, s)
    mine, theirs = reach(s.own) & empty, reach(s.opp) & empty
    value = STONE * (popcount(s.own) - popcount(s.opp)) + TO_MOVE
    alone = popcount(mine & ~theirs) - popcount(theirs & ~mine)
    value = min(max(value + TERRITORY * alone / popcount(empty), -MOST), MOST)
    out[0] = -value if s.player else value
    out[1] = -out[0]


@njit(cache=True)
def position_hash(rules, s):
    """By stones and the seat to move, and by the counters once they may end the game."""
    past = 0
    if rules.botzone or rules.max_quiet == 0:
        limit = BOTZONE_LONGEST if rules.botzone else LONGEST
        if s.plies + HORIZON >= limit:
            past = 1 + s.plies
    elif s.quiet + HORIZON >= rules.max_quiet:
        past = 1 + s.quiet
    return mix64(s.own ^ mix64(s.opp ^ mix64(np.uint64(2 * past + s.player))))


@njit(cache=True)
def priority(rules, s, action):
    """What a move gains."""
    return 1.0 * gain_of(s.own, s.opp, action)


@njit(cache=True)
def is_quiet(rules, s, action):
    """Whether a move turns no stone."""
    return gain_of(s.own, s.opp, action) <= (1 if action < CELLS else 0)


# --- the rule-based player -----------------------------------------------------------------------

RULES = {"greedy": 0}
"""Policies ``rule:NAME``; the first is also ``heuristic``."""


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """The largest gain; then clones, then cells with more own stones around, then low actions."""
    best, best_score = legal[0], -1
    for k in range(n):
        action = legal[k]
        if action == PASS:
            break
        beside = popcount(around(bit(square_of(action % CELLS))) & s.own)
        clone = 1 if action < CELLS else 0
        score = 32 * gain_of(s.own, s.opp, action) + 16 * clone + beside
        if score > best_score:
            best, best_score = action, score
    return best


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The action of a player of ``RULES``."""
    return heuristic(rules, s, legal, n)


# --- the board as networks see it ----------------------------------------------------------------


def symmetries(rules: Any) -> np.ndarray:
    """Where each action goes under the 8 turns and mirrorings of the board: (8, A) int64.

    The pass stays the pass. The start is its own image, colours kept, under four of them: none, the
    half turn and both diagonals.
    """
    cells = np.array(np.divmod(np.arange(CELLS), SIDE)[::-1]) - SIDE // 2  # from the middle
    flips = [np.diag([x, y]) for x in (1, -1) for y in (1, -1)]
    table = np.full((8, PASS + 1), PASS)
    for to, image in zip(table, [*flips, *(flip[::-1] for flip in flips)], strict=True):
        column, row = image @ cells + SIDE // 2
        offsets = (image @ np.array(OFFSETS).T).T.tolist()
        ways = np.array([0, *(1 + OFFSETS.index(tuple(offset)) for offset in offsets)])
        to[:PASS] = (CELLS * ways[:, None] + SIDE * row + column).ravel()
    return table


def action_cells(rules: Any) -> np.ndarray:
    """The cell moved to, on a plane for clones and one for each offset; the pass is on a last."""
    return np.arange(PASS + 1)


LADDER = Ladder(
    "ataxx/ladder-v1",
    (
        ("random",),
        ("heuristic?random=0.72",),
        ("heuristic?random=0.48",),
        ("heuristic?random=0.28",),
        ("alphabeta:2?random=0.18",),
        ("alphabeta:3?random=0.18",),
        ("alphabeta:4?random=0.13",),
        ("alphabeta:5?random=0.09",),
    ),
)
