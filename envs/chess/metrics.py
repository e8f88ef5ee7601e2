"""How a game of chess went: what the moves did, and the balance of material."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.chess.bits import popcount
from stratagym.envs.chess.moves import bit, is_check, kind_at
from stratagym.envs.chess.tables import DESTINATION, NUM_PLANES

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


@njit(cache=True, nogil=True)
def _count(rules, states, seeds, actions, plies, legal, probs, counts, balance):
    s = states[0]
    for g in range(seeds.shape[0]):
        seat = core.start(rules, s, seeds[g], probs)
        for ply in range(plies[g]):
            action = actions[g, ply]
            counts[g, seat, 0] += 1
            counts[g, seat, 1] += core.legal_actions(rules, s, legal) > 1
            bits, kind, captured = _tags_before(s, action)
            if captured >= 0 and ply > 0:
                counts[g, 1 - seat, 9] += PIECE_VALUES[captured] > PIECE_VALUES[kind]
            seat_now, seat = seat, core.play(rules, s, action, probs)
            if is_check(s):
                bits |= 2
            if s.repeated:
                bits |= 64
            for k in range(7):
                counts[g, seat_now, 2 + k] += bits >> k & 1
            if g < balance.shape[0]:
                white, black = material(s)
                balance[g, ply] = white - black


def game_counts(
    rules: Any, seeds: np.ndarray, actions: np.ndarray, plies: np.ndarray
) -> np.ndarray:
    """``COUNTS`` of every game and seat, (G, 2, 10) int64, by playing the games again.

    Args:
        seeds: (G,) uint64. actions: (G, longest) integers. plies: (G,) decisions in each game.
    """
    counts, _ = _replay(rules, seeds, actions, plies, 0)
    return counts


def material_balance(rules: Any, actions: np.ndarray) -> np.ndarray:
    """White's material less Black's, in pawns, after each action of a game; (plies,) int64."""
    game = np.asarray(actions, np.int64)[np.newaxis]
    _, balance = _replay(rules, np.zeros(1, np.uint64), game, np.array([game.shape[1]]), 1)
    return balance[0]


def _replay(rules, seeds, actions, plies, balanced):
    counts = np.zeros((len(seeds), 2, len(COUNTS)), np.int64)
    balance = np.zeros((balanced, actions.shape[1]), np.int64)
    legal, probs = core.new_scratch(rules)
    states = core.new_states(rules)
    _count(rules, states, seeds, actions, plies, legal, probs, counts, balance)
    return counts, balance
