"""Who wins a position of breakthrough on a small board, by exhaustive search.

Depth first with a table of positions, moves that answer threats only where there are any, and
races that are won decided at once.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.agents.games.breakthrough import position_hash, priority
from stratagym.envs.bits import EMPTY, ONE, bit, popcount
from stratagym.envs.breakthrough.rules import (
    NO_WINNER,
    STATE,
    captures,
    legal_actions,
    race_winner,
    row_set,
    squares_of,
    step,
)

UNKNOWN, LOST, WON = -1, 0, 1
_ENTRY = np.dtype([("black", "u8"), ("white", "u8"), ("value", "i8")])


class Memory(NamedTuple):
    """What a search works with.

    Attributes:
        table: (2**bits,) records: pawns, and ``4 * seat + 2 + value`` or 0.
        states: (levels,) records of ``STATE``, the positions from the root on.
        moves: (levels, actions) int64, the moves of each, the best last.
        counts: (levels,) int64, how many of them are left.
        nodes: (1,) int64, positions looked at.
    """

    table: np.ndarray
    states: np.ndarray
    moves: np.ndarray
    counts: np.ndarray
    nodes: np.ndarray


@njit(cache=True)
def _at_once(rules, s, races):
    """The value for the seat to move if it can be told without a search, and the cells to capture.

    A pawn one step from its goal gets there: of the two or three cells before it none can be its
    own, and a diagonal one takes it whatever stands there.
    """
    seat = s.player
    own, other = (s.white, s.black) if seat else (s.black, s.white)
    if own & row_set(rules, 1 if seat else rules.rows - 2):
        return WON, EMPTY
    left, right = captures(rules, seat, own, other)
    if popcount(other) == 1 and left | right:
        return WON, EMPTY
    threats = other & row_set(rules, rules.rows - 2 if seat else 1)
    if threats:
        left, right = captures(rules, seat, own, threats)
        if threats & (threats - ONE) or left | right == EMPTY:
            return LOST, EMPTY
    elif races:
        winner = race_winner(rules, s.black, s.white, seat)
        if winner != NO_WINNER:
            return (WON if winner == seat else LOST), EMPTY
    return UNKNOWN, threats


@njit(cache=True)
def _open(rules, s, threats, moves):
    """Write the moves worth trying, the best last; returns how many."""
    n = legal_actions(rules, s, moves)
    kept = 0
    for k in range(n):
        move = moves[k]
        if threats and bit(squares_of(rules, move)[1]) & threats == EMPTY:
            continue
        score, at = priority(rules, s, move), kept
        while at > 0 and priority(rules, s, moves[at - 1]) > score:
            moves[at] = moves[at - 1]
            at -= 1
        moves[at] = move
        kept += 1
    return kept


@njit(cache=True, nogil=True)
def wins(rules, memory, races):
    """Whether the seat to move in ``memory.states[0]``, whose game is not over, can win."""
    table, states, moves, counts, nodes = memory
    mask = np.uint64(table.shape[0] - 1)
    level, opening = 0, True
    while True:
        s = states[level]
        value = UNKNOWN
        if opening:
            nodes[0] += 1
            value, threats = _at_once(rules, s, races)
            if value == UNKNOWN:
                entry = table[position_hash(rules, s) & mask]
                known = entry.value
                if known >> 2 == s.player and entry.black == s.black and entry.white == s.white:
                    value = (known & 3) - 2 if known else UNKNOWN
            if value == UNKNOWN:
                counts[level] = _open(rules, s, threats, moves[level])
        if value == UNKNOWN and counts[level] > 0:
            counts[level] -= 1
            states[level + 1] = s
            step(rules, states[level + 1], moves[level, counts[level]])
            level += 1
            opening = True
            continue
        if value == UNKNOWN:  # every move was tried in vain
            value = LOST
        while True:
            done = states[level]
            entry = table[position_hash(rules, done) & mask]
            entry.black, entry.white = done.black, done.white
            entry.value = 4 * done.player + 2 + value
            if level == 0:
                return value == WON
            level -= 1
            opening = False
            if value == WON:
                break  # the move to it was no good; the next one
            value = WON


class Solver:
    """Values of positions on one board.

    Args:
        rules: the game's ``Rules``. table_bits: the table has ``2**table_bits`` entries of 24
            bytes; what one search found serves the next ones.
        races: use ``race_winner``.
    """

    def __init__(self, rules: Any, table_bits: int = 20, races: bool = True):
        levels = rules.max_game_length + 2
        self.rules, self.races = rules, races
        self.memory = Memory(
            np.zeros(1 << table_bits, _ENTRY),
            np.zeros(levels, STATE),
            np.zeros((levels, rules.num_actions), np.int64),
            np.zeros(levels, np.int64),
            np.zeros(1, np.int64),
        )

    def wins(self, states: np.ndarray) -> np.ndarray:
        """(N,) bool: whether the seat to move wins, of states (N,) whose games are not over."""
        found = np.zeros(len(states), np.bool_)
        for i, s in enumerate(states):
            self.memory.states[0] = s
            found[i] = wins(self.rules, self.memory, self.races)
        return found
