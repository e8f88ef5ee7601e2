"""What the agents know of go: playouts that keep eyes, rule-based players, an evaluator."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.boards import action_cells as action_cells
from stratagym.agents.boards import symmetries as symmetries
from stratagym.agents.games.go.shapes import is_shape, liberties_after
from stratagym.agents.games.go.small import best_action, is_solved
from stratagym.agents.games.go.small import endgame_scores as endgame_scores
from stratagym.agents.ladders import Ladder, players_at
from stratagym.envs.core import random_below
from stratagym.envs.go.rules import (
    FREE,
    GOING,
    action_of,
    area_of,
    in_atari,
    is_eye,
    may_put,
    point_of,
    returns,
)

RULES = {"local": 0, "eyes": 1}
"""Rule-based players: captures, escapes and known shapes near the last move (the heuristic); any
move that does not fill an eye of one's own."""
MCTS_DEFAULTS = {"rave": "500", "fpu": "1.1", "c": "0.1"}


@njit(cache=True)
def evaluate(rules, s, out):
    """The lead in area as the board stands, squashed; exact where the game is over."""
    if s.over != GOING:
        returns(rules, s, out)
        return
    lead = area_of(rules, s) - 0.25 * rules.komi4
    out[0] = 0.99 * lead / (2.0 * rules.size + abs(lead))
    out[1] = -out[0]


# --- rule-based players --------------------------------------------------------------------------


@njit(cache=True)
def playout(rules, s, legal, n):
    """Any move but one into an eye of one's own; a pass where there is none.

    ``legal`` is left in another order.
    """
    left = n - 1
    while left > 0:
        k = random_below(s, left)
        action = legal[k]
        if not is_eye(rules, s, s.player, point_of(rules, action)):
            return action
        left -= 1
        legal[k] = legal[left]
    return rules.size * rules.size


@njit(cache=True)
def _most_urgent(rules, s):
    """A point that takes the largest chain in atari or else saves an own one; 0 for none."""
    seat = s.player
    best, most = 0, 0
    for p in range(rules.size + 2, (rules.size + 1) ** 2):
        if s.colour[p] == 1 - seat and s.head[p] == p and s.stones[p] > most and in_atari(s, p):
            liberty = np.int64(s.sums[p] // s.count[p])
            if may_put(rules, s, liberty):
                best, most = liberty, s.stones[p]
    if best:
        return best
    for p in range(rules.size + 2, (rules.size + 1) ** 2):
        if s.colour[p] == seat and s.head[p] == p and s.stones[p] > most and in_atari(s, p):
            liberty = np.int64(s.sums[p] // s.count[p])
            if may_put(rules, s, liberty) and liberties_after(rules, s, seat, liberty) >= 3:
                best, most = liberty, s.stones[p]
    return best


@njit(cache=True)
def _near(rules, s, shapes):
    """Any sensible point around the last move, of known shape if ``shapes``; 0 for none."""
    wide, seat = rules.size + 1, s.player
    middle = point_of(rules, np.int64(s.last))
    best, ties = 0, 0
    for p in (
        middle - wide - 1, middle - wide, middle - wide + 1, middle - 1,
        middle + 1, middle + wide - 1, middle + wide, middle + wide + 1,
    ):  # fmt: skip
        if s.colour[p] != FREE or (shapes and not is_shape(rules, s, p)):
            continue
        if is_eye(rules, s, seat, p) or not may_put(rules, s, p):
            continue
        if liberties_after(rules, s, seat, p) < 2:
            continue
        ties += 1
        if random_below(s, ties) == 0:
            best = p
    return best


@njit(cache=True)
def urgent(rules, s):
    """Take the last move's chain, save what it has put in atari, make a shape next to it; or -1.

    As in MoGo's playouts (Gelly and others 2006).
    """
    if s.last < 0 or s.last == rules.size * rules.size:
        return -1
    wide, seat = rules.size + 1, s.player
    p = point_of(rules, np.int64(s.last))
    head = np.int64(s.head[p])
    if in_atari(s, head):
        liberty = np.int64(s.sums[head] // s.count[head])
        if may_put(rules, s, liberty):
            return action_of(rules, liberty)
    for q in (p - wide, p - 1, p + 1, p + wide):
        if s.colour[q] == seat and in_atari(s, np.int64(s.head[q])):
            liberty = np.int64(s.sums[s.head[q]] // s.count[s.head[q]])
            if may_put(rules, s, liberty) and liberties_after(rules, s, seat, liberty) >= 2:
                return action_of(rules, liberty)
    p = _near(rules, s, True)
    return action_of(rules, p) if p else -1


@njit(cache=True)
def is_shunned(rules, s, action):
    """An eye of one's own, and the pass but where it ends the game: playouts make neither."""
    if action == rules.size * rules.size:
        return s.passes == 0
    return is_eye(rules, s, s.player, point_of(rules, action))


@njit(cache=True)
def _leads(rules, s):
    """Whether the seat to move would win by area as the board stands."""
    lead = 4 * area_of(rules, s) - rules.komi4
    return lead > 0 if s.player == 0 else lead < 0


@njit(cache=True)
def may_win(rules, s):
    """By a pass that ends the game, or by the last move of the longest."""
    return (s.passes == 1 and _leads(rules, s)) or s.plies + 1 == rules.max_length


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The rule-based player number ``which`` of ``RULES``; among equals it draws lots."""
    nowhere = rules.size * rules.size
    if which == 0:
        if s.last == nowhere and _leads(rules, s):
            return nowhere
        p = _most_urgent(rules, s)
        if p == 0 and 0 <= s.last < nowhere:
            p = _near(rules, s, True)
            if p == 0:
                p = _near(rules, s, False)
        if p:
            return action_of(rules, p)
    return playout(rules, s, legal, n)


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """``rule:local``: captures, escapes, shapes, else a move near the last one."""
    return rule(rules, s, legal, n, 0)


# --- exact play on tiny boards -------------------------------------------------------------------


def tactic(rules: Any, states: np.ndarray, legal: np.ndarray, level: int) -> int:
    """A move of the best exact score on boards of ``level`` points or fewer, else -1.

    -1 too where a board is larger than can be solved.
    """
    if rules.size**2 > level or not is_solved(rules):
        return -1
    return best_action(rules, states)


_LEVELS = (
    ("random",),
    ("rule:eyes?random=0.1",),
    ("heuristic?random=0.4",),
    ("heuristic?random=0.2",),
    ("heuristic",),
)
_SEARCHES = (("mcts:75",), ("mcts:135",))
EARLIER_LADDERS = (
    Ladder("go/ladder-v1", _LEVELS),
    Ladder("go/ladder-v2", (*_LEVELS, *_SEARCHES), players=players_at(_SEARCHES, mcts=1)),
)
LADDER = Ladder("go/ladder-v3", (*_LEVELS, *_SEARCHES))
