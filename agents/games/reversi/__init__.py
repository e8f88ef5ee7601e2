"""What the agents know of reversi: an evaluator, rule-based players and exact endgames."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.boards import action_cells as action_cells
from stratagym.agents.boards import symmetries as symmetries
from stratagym.agents.games.reversi import judging as judging
from stratagym.agents.games.reversi.endgame import best_square
from stratagym.agents.games.reversi.scores import endgame_scores as endgame_scores
from stratagym.agents.games.reversi.scores import solver
from stratagym.agents.ladders import Ladder
from stratagym.envs.bits import bit, popcount
from stratagym.envs.core import mix64
from stratagym.envs.reversi.metrics import corners_of, x_squares_of
from stratagym.envs.reversi.rules import (
    GOING,
    board_of,
    moves_of,
    returns,
    square_of,
    turned_by,
)

RULES = {"table": 0, "greedy": 1, "corners": 2}
"""Rule-based players: a table of squares and the moves left to the opponent (the heuristic); most
discs turned; the table of squares alone."""
ENDING = 10
"""With this many empty squares or fewer, the evaluator goes over to counting discs."""
_1, _8 = np.uint64(1), np.uint64(8)
_WEST, _EAST = np.uint64(0xFEFEFEFEFEFEFEFE), np.uint64(0x7F7F7F7F7F7F7F7F)


# --- the evaluator -------------------------------------------------------------------------------


@njit(cache=True)
def _around(discs):
    """The squares of discs and all next to them."""
    wide = discs | (discs & _EAST) << _1 | (discs & _WEST) >> _1
    return wide | wide << _8 | wide >> _8


@njit(cache=True)
def _edge_rows(rules):
    """(top and bottom row, left and right column) as bitboards."""
    corners, side = corners_of(rules), rules.size - 1
    rows = columns = corners
    for _ in range(side - 1):
        rows |= (rows & _EAST) << _1 & board_of(rules)
        columns |= columns << _8 & board_of(rules)
    return rows, columns


@njit(cache=True)
def _stable_edges(rules, discs, corners):
    """Discs of one side that reach from a corner along an edge without a gap."""
    rows, columns = _edge_rows(rules)
    rows &= discs
    columns &= discs
    found = discs & corners
    for _ in range(rules.size - 2):
        found |= rows & (found << _1 | found >> _1)
        found |= columns & (found << _8 | found >> _8)
    return found


@njit(cache=True)
def _c_squares_of(rules, corners, board):
    """The squares of the edge next to these corners."""
    across = (corners & _EAST) << _1 | (corners & _WEST) >> _1
    return (across | corners << _8 | corners >> _8) & board


@njit(cache=True)
def points(rules, own, opp):
    """How the side with ``own`` discs stands, in hundredths of a corner, before the ending."""
    board, corners = board_of(rules), corners_of(rules)
    empty = board & ~(own | opp)
    value = 12 * (popcount(moves_of(own, opp, board)) - popcount(moves_of(opp, own, board)))
    value += 6 * (popcount(_around(opp) & empty) - popcount(_around(own) & empty))
    value += 100 * (popcount(own & corners) - popcount(opp & corners))
    open_corners = corners & empty
    risky = x_squares_of(rules, open_corners)
    value -= 40 * (popcount(own & risky) - popcount(opp & risky))
    risky = _c_squares_of(rules, open_corners, board)
    value -= 15 * (popcount(own & risky) - popcount(opp & risky))
    mine, theirs = _stable_edges(rules, own, corners), _stable_edges(rules, opp, corners)
    return value + 20 * (popcount(mine) - popcount(theirs))


@njit(cache=True)
def evaluate(rules, s, out):
    """Mobility, corners and what is next to them, stable edges; towards the end, discs.

    Exact where the game is over.
    """
    if s.over != GOING:
        returns(rules, s, out)
        return
    value = 1.0 * points(rules, s.own, s.opp)
    empties = rules.size * rules.size - popcount(s.own | s.opp)
    if empties < ENDING:
        discs = 20.0 * (popcount(s.own) - popcount(s.opp))
        value = discs + (value - discs) * empties / ENDING
    value = 0.99 * value / (200.0 + abs(value))
    out[0] = -value if s.player else value
    out[1] = -out[0]


@njit(cache=True)
def position_hash(rules, s):
    """By discs and the seat to move; where a limit of moves counts, by their number too."""
    past = np.uint64(s.plies if rules.voluntary else 0)
    return mix64(s.own ^ mix64(s.opp ^ mix64(past << _1 | np.uint64(s.player))))


@njit(cache=True)
def priority(rules, s, action):
    """Corners first, squares that may give one away last, else what leaves few replies."""
    if action == rules.size * rules.size:
        return 0.0
    move = bit(square_of(rules, action))
    turned = turned_by(move, s.own, s.opp)
    replies = moves_of(s.opp ^ turned, s.own | turned | move, board_of(rules))
    corners = corners_of(rules)
    value = -1.0 * popcount(replies) - 3.0 * popcount(replies & corners)
    if move & corners:
        return value + 30.0
    if move & x_squares_of(rules, corners & ~(s.own | s.opp)):
        return value - 10.0
    return value


# --- rule-based players --------------------------------------------------------------------------


@njit(cache=True)
def _square_value(rules, move, corners):
    """A square's worth: of a corner 100, next to one of ``corners`` below 0, of an edge 10."""
    if move & corners_of(rules):
        return 100
    if move & x_squares_of(rules, corners):
        return -50
    if move & _c_squares_of(rules, corners, board_of(rules)):
        return -20
    rows, columns = _edge_rows(rules)
    return 10 if move & (rows | columns) else 0


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The rule-based player number ``which`` of ``RULES``; ties go to the lowest action."""
    best, best_value = legal[0], -1_000_000
    for k in range(n):
        if legal[k] == rules.size * rules.size:
            continue  # passes only where there is nothing else
        move = bit(square_of(rules, legal[k]))
        turned = turned_by(move, s.own, s.opp)
        if which == 1:
            value = popcount(turned)
        elif which == 2:
            value = _square_value(rules, move, corners_of(rules))
        else:
            # A square next to a corner of one's own gives nothing away.
            value = _square_value(rules, move, corners_of(rules) & ~s.own)
            replies = moves_of(s.opp ^ turned, s.own | turned | move, board_of(rules))
            value -= 5 * popcount(replies) + 50 * popcount(replies & corners_of(rules))
        if value > best_value:
            best, best_value = legal[k], value
    return best


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """``rule:table``: the best square by a table, less the replies it leaves."""
    return rule(rules, s, legal, n, 0)


# --- exact endgames ------------------------------------------------------------------------------


def tactic(rules: Any, states: np.ndarray, legal: np.ndarray, level: int) -> int:
    """A move of the best exact score with ``level`` empty squares or fewer, else -1.

    -1 too where passes are voluntary, which the solver knows nothing of.
    """
    s = states[0]
    empties = rules.size**2 - (int(s["own"]) | int(s["opp"])).bit_count()
    if rules.voluntary or empties > level:
        return -1
    if len(legal) == 1:
        return int(legal[0])
    geometry, memory = solver(rules.size)
    square, _ = best_square(s["own"], s["opp"], geometry, memory)
    row, column = divmod(int(square), 8)
    return row * rules.size + column


# --- the board as networks see it ----------------------------------------------------------------


LADDER = Ladder(
    "reversi/ladder-v1",
    (
        ("random",),
        ("rule:corners?random=0.4",),
        ("rule:table?random=0.3",),
        ("rule:table?random=0.05",),
        ("alphabeta:3?random=0.1",),
        ("alphabeta:5?tactic=10&random=0.1",),
        ("alphabeta:6?tactic=12&random=0.07",),
        ("alphabeta:8?tactic=14&random=0.06",),
    ),
)
