"""How a game of chess went: what the moves did, and the balance of material."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.chess.bits import popcount
from stratagym.envs.chess.moves import bit, is_check, kind_at
from stratagym.envs.chess.rules import legal_actions
from stratagym.envs.chess.tables import DESTINATION, NUM_PLANES
from stratagym.envs.counting import game_counts as game_counts

TAGS = ("capture", "check", "castling", "promotion", "pawn_move", "en_passant", "repetition")
"""What a move can be; it may be several at once. repetition: the position stood before."""

COUNTS = ("decisions", "choices", *TAGS, "hung")
"""What ``game_counts`` counts: decisions, those with two or more legal moves, tags, and moves
after which the opponent at once captured a piece worth more than the one that took it."""

PIECE_VALUES = np.array([1, 3, 3, 5, 9, 0], np.int64)
"""Pawn, knight, bishop, rook, queen, king."""


@njit(cache=True)
def material(s):
    """(White's, Black's) material in pawns."""
    white, black = s.white, s.black
    return (
        popcount(s.pawns & white)
        + 3 * popcount((s.knights | s.bishops) & white)
        + 5 * popcount(s.rooks & white)
        + 9 * popcount(s.queens & white)
    ), (
        popcount(s.pawns & black)
        + 3 * popcount((s.knights | s.bishops) & black)
        + 5 * popcount(s.rooks & black)
        + 9 * popcount(s.queens & black)
    )


@njit(cache=True)
def _tags_before(s, action):
    """(tag bits but check and repetition, kind moved, kind captured or -1)."""
    side = 7 if s.turn else 0
    here = (action // NUM_PLANES) ^ side
    there = np.int64(DESTINATION[action]) ^ side
    kind, captured = kind_at(s, here), kind_at(s, there)
    bits = 0
    if kind == 0:
        bits |= 16
        if there == s.ep_square:
            captured = 0
            bits |= 32
        if bit(there) & np.uint64(0x8181818181818181):
            bits |= 8
    elif kind == 5 and abs(there - here) == 16:
        bits |= 4
    if captured >= 0:
        bits |= 1
    return bits, kind, captured


@njit(cache=True)
def count_move(rules, s, seat, action, legal, counts):
    counts[seat, 0] += 1
    counts[seat, 1] += legal_actions(rules, s, legal) > 1
    bits, kind, captured = _tags_before(s, action)
    for k in range(7):
        counts[seat, 2 + k] += bits >> k & 1
    if captured >= 0:
        counts[1 - seat, 9] += PIECE_VALUES[captured] > PIECE_VALUES[kind]


@njit(cache=True)
def count_after(rules, s, seat, action, counts):
    counts[seat, 3] += is_check(s)
    counts[seat, 8] += s.repeated != 0


@njit(cache=True, nogil=True)
def _balance(rules, states, actions, probs, balance):
    s = states[0]
    core.start(rules, s, 0, probs)
    for ply in range(actions.shape[0]):
        core.play(rules, s, actions[ply], probs)
        white, black = material(s)
        balance[ply] = white - black


def material_balance(rules: Any, actions: np.ndarray) -> np.ndarray:
    """White's material less Black's, in pawns, after each action of a game; (plies,) int64."""
    actions = np.asarray(actions, np.int64)
    balance = np.zeros(len(actions), np.int64)
    _balance(rules, core.new_states(rules), actions, core.new_scratch(rules)[1], balance)
    return balance
