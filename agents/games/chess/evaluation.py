"""The evaluation that chess searches use: a sum of weights, tapered from middle game to ending.

Weights are looked up by what is seen on the board: every piece on its square, its mobility, pawns
that are passed, isolated, doubled, backward or connected, pieces that pawns attack or that hang,
rooks on open files, the pair of bishops, and what aims at the squares around a king.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.chess.bits import EMPTY, bit, lowest, popcount
from stratagym.envs.chess.moves import (
    backward_attacks,
    bishop_attacks,
    forward_attacks,
    rook_attacks,
)
from stratagym.envs.chess.tables import BISHOP, KING_ATTACKS, KNIGHT, KNIGHT_ATTACKS, QUEEN, WHITE

# Where the weights of each term begin.
_offset = 0


def _take(count: int) -> int:
    global _offset
    _offset += count
    return _offset - count


SQUARES = _take(6 * 64)
"""By kind and square as its owner sees it."""
MOBILITY = _take(4 * 28)
"""By kind from the knight on, and squares it may go to that no pawn guards."""
PASSED, PASSED_BLOCKED, PASSED_GUARDED = _take(8), _take(8), _take(8)
"""By rank."""
CONNECTED, DOUBLED, ISOLATED, BACKWARD = _take(8), _take(1), _take(2), _take(2)
"""Connected by rank; isolated and backward on closed and on half-open files."""
PAIR, ROOK_OPEN, ROOK_HALF_OPEN = _take(1), _take(1), _take(1)
PAWN_THREAT, HANGING = _take(6), _take(6)
"""By the kind of the opponent's piece."""
MOST_DANGER = 39
DANGER = _take(MOST_DANGER + 1)
"""By the weight of the attack on the opponent's king."""
SHELTER, OPEN_KING_FILE = _take(4), _take(4)
"""By pawns in front of the own king; by files around it without own pawns."""
KING_TO_PASSED, KING_FROM_PASSED = _take(8), _take(8)
"""By distance of the own and of the other king from the square in front of a passed pawn."""
OUTPOST = _take(2)
"""Knight, bishop."""
TEMPO = _take(1)
NUM_WEIGHTS = _offset

PHASES = np.array([0, 1, 1, 2, 4, 0], np.int64)
FULL_PHASE = 24
_ATTACK = np.array([0, 2, 2, 3, 5, 0], np.int64)

_FILES = np.array([0xFF << 8 * file for file in range(8)], np.uint64)
_BESIDE = np.array(
    [
        sum(0xFF << 8 * other for other in (file - 1, file + 1) if 0 <= other < 8)
        for file in range(8)
    ],
    np.uint64,
)
_AHEAD = np.array(
    [
        [
            sum(
                1 << 8 * file + rank
                for file in range(8)
                for rank in range(8)
                if (rank > square % 8 if colour == 0 else rank < square % 8)
            )
            for square in range(64)
        ]
        for colour in range(2)
    ],
    np.uint64,
)
"""(colour, square): the ranks ahead of a square."""
_DISTANCE = np.array(
    [[max(abs(a // 8 - b // 8), abs(a % 8 - b % 8)) for b in range(64)] for a in range(64)],
    np.int64,
)
_TO_CENTRE = np.array(
    [max(abs(2 * (k // 8) - 7), abs(2 * (k % 8) - 7)) for k in range(64)], np.int64
)
"""Twice a square's distance from the centre, 1 to 7."""
_U1, _U8 = np.uint64(1), np.uint64(8)


def _weights() -> np.ndarray:
    """(2, NUM_WEIGHTS) int64 centipawns of middle game and ending, set by hand."""
    weights = np.zeros((2, NUM_WEIGHTS))
    middle, ending = weights
    material = ((82, 95), (325, 290), (340, 305), (460, 520), (960, 950), (0, 0))
    for square in range(64):
        file, rank = square >> 3, square & 7
        centre = 3.5 - max(abs(file - 3.5), abs(rank - 3.5))  # 0 at the edge, 3 in the middle
        inner = 3.5 - abs(file - 3.5)
        seventh = rank == 6
        by_kind = (
            (4 * (rank - 1) + 4 * inner, 2 * (rank - 1)),
            (12 * centre - 20 + 3 * rank, 8 * centre - 12),
            (5 * centre - 6, 4 * centre - 5),
            (3 * inner + 12 * seventh, 6 * seventh),
            (2 * centre, 7 * centre - 8),
            (20 * (inner < 1.6) - 14 * rank - 6 * inner, 12 * centre - 18),
        )
        for kind, (mid, end) in enumerate(by_kind):
            at = SQUARES + 64 * kind + square
            middle[at], ending[at] = material[kind][0] + mid, material[kind][1] + end
    for kind, (mid, end, usual) in enumerate(((4, 4, 4), (4, 4, 6), (2, 4, 7), (1, 3, 13))):
        at = MOBILITY + 28 * kind
        for moves in range(28):
            middle[at + moves], ending[at + moves] = mid * (moves - usual), end * (moves - usual)
    for rank in range(8):
        weights[:, PASSED + rank] = 2 * rank**2, 4 * rank**2
        weights[:, PASSED_BLOCKED + rank] = -4 * rank
        weights[:, PASSED_GUARDED + rank] = 3 * rank
        weights[:, CONNECTED + rank] = 4 + 2 * rank
        ending[KING_TO_PASSED + rank] = -4 * rank
        ending[KING_FROM_PASSED + rank] = 6 * rank
    weights[:, DOUBLED] = -12
    weights[:, ISOLATED : ISOLATED + 2] = -12
    weights[:, BACKWARD : BACKWARD + 2] = -8
    weights[:, PAIR] = 30, 50
    weights[:, ROOK_OPEN], weights[:, ROOK_HALF_OPEN] = (28, 8), (12, 8)
    weights[:, PAWN_THREAT + 1 : PAWN_THREAT + 5] = 45
    weights[:, HANGING + 1 : HANGING + 5] = 25
    for weight in range(MOST_DANGER + 1):
        middle[DANGER + weight] = min(0.45 * weight**2, 14 * weight)
    middle[SHELTER : SHELTER + 4] = -25, -10, 5, 12
    middle[OPEN_KING_FILE : OPEN_KING_FILE + 4] = 8, -6, -20, -30
    weights[:, OUTPOST], weights[:, OUTPOST + 1] = (20, 12), (12, 6)
    weights[:, TEMPO] = 14, 10
    return np.round(weights).astype(np.int64)


WEIGHTS = _weights()
PACKED = WEIGHTS[0] + (WEIGHTS[1] << 32)
"""Both as one int64 each, so that one addition does."""
ORDER_VALUES = WEIGHTS[0, :384].reshape(6, 64).copy()
"""(6, 64) centipawns in the middle game, by kind and square as the mover sees it."""


@njit(cache=True)
def _king_zone(square):
    return KING_ATTACKS[square] | bit(square)


@njit(cache=True)
def weigh(s):
    """The weights, White's less Black's: (middle game, ending, phase 0 to ``FULL_PHASE``)."""
    occupied = s.white | s.black
    total, phase = np.int64(0), np.int64(0)
    white_guard = forward_attacks(s.pawns & s.white)
    black_guard = backward_attacks(s.pawns & s.black)
    for colour in range(2):
        if colour == WHITE:
            own, their, sign, turn = s.white, s.black, np.int64(1), 0
            guard, their_guard = white_guard, black_guard
        else:
            own, their, sign, turn = s.black, s.white, np.int64(-1), 7
            guard, their_guard = black_guard, white_guard
        pawns, their_pawns = s.pawns & own, s.pawns & their
        king, their_king = lowest(s.kings & own), lowest(s.kings & their)
        zone = _king_zone(their_king)
        attacked, danger = guard, np.int64(0)
        subtotal = np.int64(0)
        # Pawns.
        left = pawns
        while left:
            square = lowest(left)
            left &= left - _U1
            seen = square ^ turn
            rank, file = seen & 7, square >> 3
            subtotal += PACKED[SQUARES + seen]
            ahead = _AHEAD[colour, square]
            beside = _BESIDE[file]
            half_open = 1 if _FILES[file] & ahead & s.pawns == EMPTY else 0
            here = bit(square)
            if _FILES[file] & ahead & pawns:
                subtotal += PACKED[DOUBLED]
            elif ahead & (beside | _FILES[file]) & their_pawns == EMPTY:
                subtotal += PACKED[PASSED + rank]
                front = square + (1 if colour == WHITE else -1)
                if bit(front) & occupied:
                    subtotal += PACKED[PASSED_BLOCKED + rank]
                if here & guard:
                    subtotal += PACKED[PASSED_GUARDED + rank]
                if rank > 2:
                    near = KING_TO_PASSED + _DISTANCE[king, front]
                    far = KING_FROM_PASSED + _DISTANCE[their_king, front]
                    subtotal += PACKED[near] + PACKED[far]
            if here & guard or ((here << _U8) | (here >> _U8)) & pawns:
                subtotal += PACKED[CONNECTED + rank]
            elif beside & pawns == EMPTY:
                subtotal += PACKED[ISOLATED + half_open]
            elif beside & ~ahead & pawns == EMPTY:
                subtotal += PACKED[BACKWARD + half_open]
        # Pieces.
        free = ~(pawns | s.kings & own) & ~their_guard
        for kind in range(KNIGHT, QUEEN + 1):
            if kind == KNIGHT:
                left = s.knights & own
            elif kind == BISHOP:
                left = s.bishops & own
            elif kind == QUEEN:
                left = s.queens & own
            else:
                left = s.rooks & own
            while left:
                square = lowest(left)
                left &= left - _U1
                seen = square ^ turn
                phase += PHASES[kind]
                if kind == KNIGHT:
                    targets = KNIGHT_ATTACKS[square]
                elif kind == BISHOP:
                    targets = bishop_attacks(square, occupied ^ (s.queens & own))
                elif kind == QUEEN:
                    targets = bishop_attacks(square, occupied) | rook_attacks(square, occupied)
                else:
                    targets = rook_attacks(square, occupied ^ ((s.queens | s.rooks) & own))
                attacked |= targets
                aimed = targets & zone
                if aimed:
                    danger += _ATTACK[kind] + popcount(aimed)
                where = SQUARES + 64 * kind + seen
                moves = MOBILITY + 28 * (kind - KNIGHT) + popcount(targets & free)
                subtotal += PACKED[where] + PACKED[moves]
                if kind == QUEEN:
                    continue
                if kind <= BISHOP:
                    if bit(square) & guard and (
                        _BESIDE[square >> 3] & _AHEAD[colour, square] & their_pawns == EMPTY
                    ):
                        subtotal += PACKED[OUTPOST + kind - KNIGHT]
                elif _FILES[square >> 3] & pawns == EMPTY:
                    which = ROOK_HALF_OPEN if _FILES[square >> 3] & s.pawns else ROOK_OPEN
                    subtotal += PACKED[which]
        if popcount(s.bishops & own) > 1:
            subtotal += PACKED[PAIR]
        # The king.
        seen = king ^ turn
        attacked |= KING_ATTACKS[king]
        subtotal += PACKED[SQUARES + 64 * 5 + seen]
        around = _BESIDE[king >> 3] | _FILES[king >> 3]
        shelter = SHELTER + min(3, popcount(around & _AHEAD[colour, king] & pawns & _near(king)))
        bare = OPEN_KING_FILE + _bare_files(king >> 3, pawns)
        weight = DANGER + min(danger, MOST_DANGER)
        subtotal += PACKED[shelter] + PACKED[bare] + PACKED[weight]
        # What it threatens.
        for kind in range(1, 5):
            if kind == 1:
                among = s.knights
            elif kind == 2:
                among = s.bishops
            elif kind == 3:
                among = s.rooks
            else:
                among = s.queens
            count = popcount(among & their & guard)
            subtotal += count * PACKED[PAWN_THREAT + kind]
            count = popcount(among & their & attacked & ~guard & ~their_guard)
            subtotal += count * PACKED[HANGING + kind]
        total += sign * subtotal
    sign = np.int64(1) if s.turn == WHITE else np.int64(-1)
    total += sign * PACKED[TEMPO]
    middle = np.int64(np.int32(total & 0xFFFFFFFF))
    return middle, (total - middle) >> 32, min(phase, np.int64(FULL_PHASE))


@njit(cache=True)
def _near(square):
    """The ranks beside a square's own: pawns further off shelter nothing."""
    rank = square & 7
    ranks = np.uint64(0x0101010101010101) << np.uint64(rank)
    near = ranks
    if rank < 7:
        near |= ranks << _U1
    if rank < 6:
        near |= ranks << np.uint64(2)
    if rank > 0:
        near |= ranks >> _U1
    if rank > 1:
        near |= ranks >> np.uint64(2)
    return near


@njit(cache=True)
def _bare_files(file, pawns):
    """How many of the files around a king have no own pawn, 0 to 3."""
    count = 0
    for other in range(max(file - 1, 0), min(file + 1, 7) + 1):
        count += _FILES[other] & pawns == EMPTY
    return count


@njit(cache=True)
def centipawns(s):
    """The evaluation for White, int64 centipawns."""
    middle, ending, phase = weigh(s)
    value = middle * phase + ending * (FULL_PHASE - phase)
    # The same for both colours, so no rounding down.
    value = value // FULL_PHASE if value > 0 else -(-value // FULL_PHASE)
    return _scaled(s, value)


@njit(cache=True)
def _scaled(s, value):
    """Less where the better side lacks the material to win; a bare king is driven to the edge."""
    sign = 1 if value > 0 else -1
    better, worse = (s.white, s.black) if value > 0 else (s.black, s.white)
    if better & (s.pawns | s.rooks | s.queens) == EMPTY and popcount(better & ~s.kings) < 2:
        return sign * (sign * value // 8)
    if worse & ~s.kings == EMPTY:
        king, other = lowest(s.kings & worse), lowest(s.kings & better)
        value += sign * (15 * _TO_CENTRE[king] + 8 * (7 - _DISTANCE[king, other]))
    return value


@njit(cache=True)
def estimate(rules, s, scratch):
    """Centipawns for the side to move; less near the draw by moves without progress."""
    value = centipawns(s) if s.turn == WHITE else -centipawns(s)
    if s.halfmove_clock > 40:
        share = 140 - min(np.int64(s.halfmove_clock), np.int64(120))
        value = value * share // 100 if value > 0 else -(-value * share // 100)
    return value
