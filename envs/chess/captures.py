"""Legal captures alone, for searches that look at nothing else."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.chess.bits import EMPTY, bit, flip, lowest
from stratagym.envs.chess.moves import (
    _bounds,
    _en_passant_from,
    _king_targets,
    _pin_line,
    _sides,
    bishop_attacks,
    forward_attacks,
    rook_attacks,
)
from stratagym.envs.chess.tables import (
    KING_ATTACKS,
    KNIGHT_ATTACKS,
    NUM_PLANES,
    PLANE,
    RANK_7,
    WHITE,
)

_U1 = np.uint64(1)


@njit(cache=True)
def legal_captures(s, victims, out):
    """Write the legal captures of pieces on ``victims``, and all promotions to a queen.

    ``victims`` is a set of squares as White sees them. A capture en passant is among them if any
    pawn of the other side is. Returns how many; pieces are visited by square.
    """
    own, their, pawns, knights, bishops, rooks, queens, kings, _, ep = _sides(s)
    king, checks, answers, p0, p1, p2, p3 = _bounds(
        own, their, pawns, knights, bishops, rooks, queens, kings
    )
    if s.turn != WHITE:
        victims = flip(victims)
    victims &= their
    occupied = own | their
    pinned = p0 | p1 | p2 | p3
    by_ep = EMPTY
    if ep >= 0 and victims & pawns:
        by_ep = _en_passant_from(ep, king, own, their, pawns, knights, bishops, rooks, queens)
    n = 0
    left = own if checks < 2 else kings & own
    while left:
        square = lowest(left)
        here = left & -left
        left ^= here
        if here & pawns:
            targets = forward_attacks(here) & victims
            if here & RANK_7:
                targets = (forward_attacks(here) & their) | ((here << _U1) & ~occupied)
        elif here & knights:
            targets = KNIGHT_ATTACKS[square] & victims
        elif here & kings:
            targets = KING_ATTACKS[square] & victims
        else:
            targets = EMPTY
            if here & ~bishops:
                targets |= rook_attacks(square, occupied)
            if here & ~rooks:
                targets |= bishop_attacks(square, occupied)
            targets &= victims
        if targets:
            if here & kings:
                targets &= _king_targets(
                    king, own, their, pawns, knights, bishops, rooks, queens, kings
                )
            else:
                targets &= answers
                if here & pinned:
                    targets &= _pin_line(king, here, p0, p1, p2, p3)
        if here & by_ep:
            targets |= bit(ep)
        while targets:
            out[n] = NUM_PLANES * square + PLANE[square, lowest(targets)]
            n += 1
            targets &= targets - _U1
    return n
