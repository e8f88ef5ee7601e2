"""What the agents know of gomoku: an evaluator, rule-based players, which cells to search."""

from __future__ import annotations

from math import log10
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.boards import board_symmetries
from stratagym.agents.games.gomoku.scores import (
    cell_score,
    legal_win,
    position_value,
    write_scores,
)
from stratagym.agents.games.gomoku.threes import win_by_threats
from stratagym.agents.ladders import Ladder
from stratagym.envs.core import (
    legal_actions_at,
    mix64,
    new_scratch,
    new_states,
    play_at,
    start_at,
)
from stratagym.envs.gomoku.fours import win_by_fours
from stratagym.envs.gomoku.lines import BLACK, WHITE
from stratagym.envs.gomoku.rules import IN_TURN, current_player, returns
from stratagym.envs.gomoku.windows import gain_cells, gain_cells_through, makes_two_gains

THREAT, ONE_LOOK = 0, 1
RULES = {"threat": THREAT, "one_look": ONE_LOOK}
"""Rule-based players; the first is ``heuristic`` too, the other sees wins and blocks only."""
WIDTH = 20
"""Cells that alpha-beta looks at below the root."""
_DEFENCES = 60
"""Stones tried against the opponent's victory by continuous fours."""
_MIDDLE = 9
"""Rows and columns in the middle of the board that openings are drawn from."""
_SMALL = 30
"""Boards of so many cells are searched to their full width."""
_GAMMA = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True)
def evaluate(rules, s, out):
    """By windows that can still be filled; exact at the end, 0 while swap2 sets the board up."""
    if current_player(rules, s) < 0:
        returns(rules, s, out)
        return
    value = position_value(rules, s, s.stones & 1) if s.phase == IN_TURN else 0.0
    out[s.player] = value
    out[1 - s.player] = -value


@njit(cache=True)
def position_hash(rules, s):
    """Of the stones, the seat to move and its phase."""
    # Mixed before the stones come in: as bits beside theirs a seat could stand for a stone.
    key = mix64((np.uint64(s.phase) << np.uint64(1) | np.uint64(s.player)) + _GAMMA)
    for row in range(rules.rows):
        stones = np.uint64(s.lines[BLACK, 0, row]) | np.uint64(s.lines[WHITE, 0, row]) << np.uint64(
            32
        )
        key = mix64((key ^ stones) + _GAMMA)
    return key | np.uint64(1)


@njit(cache=True)
def priority(rules, s, action):
    """The logarithm of what a stone builds and hinders."""
    if action >= rules.rows * rules.columns:
        return 0.0
    return log10(1.0 + cell_score(rules, s, s.stones & 1, action))


@njit(cache=True)
def is_check(rules, s):
    """Whether the last stone threatens to complete a line."""
    if s.phase != IN_TURN or s.last < 0 or s.last >= rules.rows * rules.columns:
        return False
    return gain_cells_through(rules, s, 1 - (s.stones & 1), s.last)[0] >= 0


@njit(cache=True)
def may_win(rules, s):
    """By a cell that completes a line; while swap2 sets the board up, by any."""
    return s.phase != IN_TURN or gain_cells(rules, s, s.stones & 1)[0] >= 0


@njit(cache=True)
def _near_in_row(rules, s, row):
    """Bits of a row's cells within two of a stone, in any direction."""
    found = 0
    for other in range(max(0, row - 2), min(rules.rows, row + 3)):
        stones = np.int64(s.lines[BLACK, 0, other] | s.lines[WHITE, 0, other])
        found |= stones | stones << 1 | stones << 2 | stones >> 1 | stones >> 2
    return found


@njit(cache=True)
def candidates(rules, s, legal, n, ply):
    """A winning cell; or the one that must be taken; or cells near stones, the best below the root.

    On small boards all cells, if no line can be completed.
    """
    if s.phase != IN_TURN:
        return n
    colour = s.stones & 1
    for side in (colour, 1 - colour):
        cell = legal_win(rules, s, side, legal, n)
        if cell >= 0:
            legal[0] = cell
            return 1
    if rules.rows * rules.columns <= _SMALL:
        return n
    if s.stones == 0:
        legal[0] = (rules.rows // 2) * rules.columns + rules.columns // 2
        return 1
    kept, row, near = 0, -1, 0
    for k in range(n):
        cell = legal[k]
        if cell // rules.columns != row:
            row = cell // rules.columns
            near = _near_in_row(rules, s, row)
        if near >> cell % rules.columns & 1:
            legal[kept] = cell
            kept += 1
    if kept == 0:
        return n
    if ply == 0 or kept <= WIDTH:
        return kept
    for k in range(kept):  # the score above, the cell below, so that one number orders them
        legal[k] |= np.int64(8.0 * cell_score(rules, s, colour, legal[k])) << 12
    for k in range(WIDTH):
        best = k
        for j in range(k + 1, kept):
            if legal[j] > legal[best]:
                best = j
        found = legal[best]
        legal[best] = legal[k]
        legal[k] = found & 4095
    return WIDTH


@njit(cache=True)
def _best_scored(rules, s, legal, n):
    """The legal cell of the highest score, the nearer to the centre among equals, then by seed."""
    best, best_score, best_tie = legal[0], -1.0, np.uint64(0)
    for k in range(n):
        cell = legal[k]
        down = abs(2 * (cell // rules.columns) - rules.rows + 1)
        right = abs(2 * (cell % rules.columns) - rules.columns + 1)
        score = cell_score(rules, s, s.stones & 1, cell) - 1e-4 * (down + right)
        tie = mix64(s.rng + np.uint64(cell) * _GAMMA)
        if score > best_score or (score == best_score and tie > best_tie):
            best, best_score, best_tie = cell, score, tie
    return best


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """Win; block; make two winning cells at once; stop that; else the cell of the highest score.

    Under swap2 it takes Black where it may.
    """
    if s.phase != IN_TURN:
        return (
            legal[0] if legal[0] >= rules.rows * rules.columns else _best_scored(rules, s, legal, n)
        )
    colour = s.stones & 1
    for side in (colour, 1 - colour):
        cell = legal_win(rules, s, side, legal, n)
        if cell >= 0:
            return cell
    for side in (colour, 1 - colour):
        best, best_score = -1, -1.0
        for k in range(n):
            if makes_two_gains(rules, s, side, legal[k]):
                score = cell_score(rules, s, colour, legal[k])
                if score > best_score:
                    best, best_score = legal[k], score
        if best >= 0:
            return best
    return _best_scored(rules, s, legal, n)


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The players of ``RULES``."""
    if which == THREAT:
        return heuristic(rules, s, legal, n)
    if s.phase == IN_TURN:
        colour = s.stones & 1
        for side in (colour, 1 - colour):
            cell = legal_win(rules, s, side, legal, n)
            if cell >= 0:
                return cell
    tie = mix64(s.rng + np.uint64(s.stones) * _GAMMA + position_hash(rules, s))
    return legal[np.int64(tie >> np.uint64(33)) % n]


def tactic(rules: Any, states: np.ndarray, legal: np.ndarray, level: int) -> int:
    """The first stone of a victory by continuous fours, at level 2 also threes, or -1.

    Raises:
        ValueError: ``level`` is neither.
    """
    if level > 2:
        raise ValueError(f"gomoku: tactic={level}: 1 is continuous fours, 2 also threes")
    won = win_by_fours(rules, states)
    if won:
        return won[0]
    return win_by_threats(rules, states) if level == 2 else -1


def guard(rules: Any, states: np.ndarray, legal: np.ndarray, level: int, action: int) -> int:
    """A stone after which the opponent has no victory by continuous fours, if there is one.

    The chosen action where it is one or none is found; else the one of the highest score.
    """
    scores = np.zeros(len(legal))
    write_scores(rules, states, 0, legal, scores)
    after, scratch = states[:1].copy(), new_scratch(rules)
    for other in [action, *legal[np.argsort(-scores, kind="stable")[:_DEFENCES]].tolist()]:
        after[0] = states[0]
        play_at(rules, after, 0, other, *scratch)
        if after["ended"][0] or not win_by_fours(rules, after):
            return int(other)
    return action


def opening(rules: Any, plies: int, rng: np.random.Generator) -> list[int]:
    """Random stones in the middle of the board after which neither side has continuous fours.

    From the empty board the first player wins at high skill, so that strong players are measured
    from these.
    """
    rows, columns = (
        np.arange(max(0, (n - _MIDDLE) // 2), min(n, (n + _MIDDLE) // 2))
        for n in (rules.rows, rules.columns)
    )
    middle = (rows[:, None] * rules.columns + columns).ravel()
    states, (legal, probs) = new_states(rules), new_scratch(rules)
    while True:
        moves: list[int] = []
        start_at(rules, states, 0, np.uint64(0), probs)
        while len(moves) < plies and not states["ended"][0]:
            n = legal_actions_at(rules, states, 0, legal)
            open_cells = np.intersect1d(legal[:n], middle)
            moves.append(int(rng.choice(open_cells if len(open_cells) else legal[:n])))
            play_at(rules, states, 0, moves[-1], legal, probs)
        if states["ended"][0]:
            continue
        if not any(win_by_fours(rules, states, opponent=other) for other in (False, True)):
            return moves


def action_cells(rules: Any) -> np.ndarray:
    """Actions are cells: (A,) int64; only without swap2's choices."""
    return np.arange(rules.num_actions)


def symmetries(rules: Any) -> np.ndarray:
    """Where each action goes, (8 or 4, A) int64; swap2's choices stay."""
    return board_symmetries(rules.rows, rules.columns, rules.num_actions)


_LEVELS = (
    ("random",),
    ("heuristic?random=0.93",),
    ("heuristic?random=0.82",),
    ("heuristic?random=0.64",),
    ("heuristic?random=0.45",),
    ("heuristic?random=0.27",),
    ("heuristic?random=0.13",),
    ("alphabeta:2?random=0.05",),
)
EARLIER_LADDERS = (Ladder("gomoku/ladder-v1", _LEVELS),)
# Three stones a side, so that the first player has not won from the start.
LADDER = Ladder("gomoku/ladder-v2", (*_LEVELS, ("alphabeta:4?tactic=1",)), opening=6)
