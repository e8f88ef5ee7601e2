"""What the agents know of breakthrough: an evaluator, a rule-based player and small boards' values.

``solver`` finds who wins on small boards; 8 x 8 is far beyond it, so there is no perfect player.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.breakthrough.earlier import rules as earlier
from stratagym.agents.games.breakthrough.search import candidates as candidates
from stratagym.agents.games.breakthrough.search import estimate as estimate
from stratagym.agents.games.breakthrough.search import forcing_actions as forcing_actions
from stratagym.agents.games.breakthrough.search import is_check as is_check
from stratagym.agents.games.breakthrough.search import margin as margin
from stratagym.agents.games.breakthrough.search import may_pass as may_pass
from stratagym.agents.games.breakthrough.search import pass_turn as pass_turn
from stratagym.agents.games.breakthrough.search import priority as priority
from stratagym.agents.ladders import Ladder, players_at
from stratagym.envs.bits import EMPTY, bit, popcount
from stratagym.envs.breakthrough.rules import (
    NO_WINNER,
    after,
    current_player,
    goal,
    race_winner,
    returns,
    row_set,
    squares_of,
    targets,
)
from stratagym.envs.core import mix64

ADVANCE = (0.0, 0.8, 0.4, 0.2, 0.1, 0.05, 0.02, 0.0)
"""What a pawn is worth besides 1 by the steps to its goal."""
GUARDED, HANGING = 0.1, -0.3
SCALE = 0.055
"""Of a pawn, in returns: sixteen pawns stay below a race that is won."""
RACE = 0.95
STEPS_FEARED = 2
"""Enemy pawns so near to their goal the rule-based player captures first."""


@njit(cache=True)
def _side(rules, seat, own, other):
    """A side's pawns by the evaluator, in pawns."""
    value = 0.0
    for steps in range(1, rules.rows):
        row = row_set(rules, steps if seat else rules.rows - 1 - steps)
        value += (1.0 + ADVANCE[steps]) * popcount(own & row)
    left, right = targets_of(rules, seat, own)
    guarded = own & (left | right)
    left, right = targets_of(rules, 1 - seat, other)
    return value + GUARDED * popcount(guarded) + HANGING * popcount(own & (left | right) & ~guarded)


@njit(cache=True)
def targets_of(rules, seat, pawns):
    """The cells that a seat's pawns look at to the left, and those to the right."""
    left, _, right = targets(rules, seat, pawns, EMPTY, pawns)
    return left, right


@njit(cache=True)
def value_of(rules, black, white, mover):
    """The value of a position that is not over, for seat 0."""
    winner = race_winner(rules, black, white, mover)
    if winner != NO_WINNER:
        return RACE * (1 - 2 * winner)
    value = SCALE * (_side(rules, 0, black, white) - _side(rules, 1, white, black))
    return min(max(value, -0.94), 0.94)


@njit(cache=True)
def evaluate(rules, s, out):
    """Pawns, how far they are, guarded or hanging, and races that are won; exact at the end."""
    if current_player(rules, s) < 0:
        returns(rules, s, out)
        return
    out[0] = value_of(rules, s.black, s.white, s.player)
    out[1] = -out[0]


@njit(cache=True)
def position_hash(rules, s):
    # The seat is mixed first: added as it is, it could stand for a pawn.
    return mix64(mix64(s.black ^ mix64(np.uint64(s.player))) ^ s.white)


@njit(cache=True)
def _steps(rules, seat, square):
    """Steps from a square to the seat's goal."""
    return square >> 3 if seat else rules.rows - 1 - (square >> 3)


@njit(cache=True)
def by_advance(rules, s, action):
    """Wins, then captures, of far pawns first, then steps of far pawns."""
    end = squares_of(rules, action)[1]
    steps = _steps(rules, s.player, end)
    if steps == 0:
        return 10.0
    value = ADVANCE[steps] - ADVANCE[min(steps + 1, 7)]
    if action & 1:
        theirs = _steps(rules, 1 - s.player, end)
        value += 1.0 + ADVANCE[theirs] if theirs > 1 else 5.0
    return value


@njit(cache=True)
def is_quiet(rules, s, action):
    return action & 1 == 0


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """Win; capture a pawn two steps from winning or nearer, an unguarded one; else the evaluator.

    Among equals the position after the move decides by the evaluator, then the lowest action.
    """
    seat = s.player
    other = s.black if seat else s.white
    left, right = targets_of(rules, 1 - seat, other)
    best, best_score = legal[0], -1000.0
    for k in range(n):
        action = legal[k]
        end = squares_of(rules, action)[1]
        to = bit(end)
        black, white = after(rules, s, action)
        if to & goal(rules, seat) or (black if seat else white) == EMPTY:
            return action
        score = value_of(rules, black, white, 1 - seat) * (1 - 2 * seat)
        if action & 1:
            steps = _steps(rules, 1 - seat, end)
            if steps <= STEPS_FEARED:
                score += 100 - 10 * steps
            elif to & (left | right) == EMPTY:
                score += 10
        if score > best_score:
            best, best_score = action, score
    return best


EARLIER_SEARCHES = {2: earlier.Rules}
"""By the last version of alpha-beta that went by it, the rules that find what it knew."""
RULES = {"race": 0}
"""Policies ``rule:NAME``; the first is also ``heuristic``."""


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The action of a player of ``RULES``."""
    return heuristic(rules, s, legal, n)


def action_cells(rules):
    """The cell a move starts from, on the plane of its direction and whether it captures."""
    cell, way = np.divmod(np.arange(rules.num_actions), 12)
    return way * rules.rows * rules.columns + cell


def symmetries(rules):
    """(2, num_actions) int64: every action under each symmetry, nothing and left for right.

    A position and its mirror image are worth the same.
    """
    cell, rest = np.divmod(np.arange(rules.num_actions), 12)
    row, column = np.divmod(cell, rules.columns)
    way, capture = np.divmod(rest, 2)
    way = way // 3 * 3 + 2 - way % 3
    flipped = ((row * rules.columns + rules.columns - 1 - column) * 6 + way) * 2 + capture
    return np.stack([np.arange(rules.num_actions), flipped])


_LEVELS = (
    ("random",),
    ("heuristic?random=0.85",),
    ("heuristic?random=0.65",),
    ("heuristic?random=0.45",),
    ("heuristic?random=0.25",),
    ("alphabeta:2?random=0.03",),
    ("alphabeta:4?random=0.06",),
    ("alphabeta:5?random=0.04",),
)
LADDER = Ladder("breakthrough/ladder-v1", _LEVELS, players=players_at(_LEVELS, alphabeta=2))
