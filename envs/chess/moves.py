"""Legal moves, and playing them.

Functions take any record ``s`` with the fields of ``BOARD``. Moves are found from the side of the
player who moves, whose pawns go up the board; for Black the board is flipped first. Sliding
attacks are obstruction differences: the blocker below a square, subtracted from those above it,
flips all bits from one to the other.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.chess.bits import EMPTY, FULL, ONE, bit, flip, leading_zeros, lowest, popcount
from stratagym.envs.chess.tables import (
    BISHOP,
    BLACK_KEY,
    CASTLING_KEPT,
    CASTLING_KEYS,
    DESTINATION,
    KING,
    KING_ATTACKS,
    KNIGHT,
    KNIGHT_ATTACKS,
    LOWER,
    NUM_PLANES,
    PAWN,
    PIECE_KEYS,
    PLANE,
    QUEEN,
    RANK_3,
    RANK_7,
    RANK_8,
    ROOK,
    UNDERPROMOTION,
    UPPER,
    WHITE,
)

BOARD_FIELDS = [
    ("white", "u8"),  # squares of each colour, then of each kind of piece
    ("black", "u8"),
    ("pawns", "u8"),
    ("knights", "u8"),
    ("bishops", "u8"),
    ("rooks", "u8"),
    ("queens", "u8"),
    ("kings", "u8"),
    ("hash", "u8"),  # Zobrist, all but en passant
    ("fullmove_number", "i4"),
    ("halfmove_clock", "i2"),
    ("castling", "i1"),
    ("ep_square", "i1"),  # the square passed over by the last move, or -1
    ("turn", "i1"),
]
BOARD = np.dtype(BOARD_FIELDS, align=True)

MAX_MOVES = 256
"""No position has more legal moves (218 is the most known)."""

_U1, _U7, _U9, _U63 = np.uint64(1), np.uint64(7), np.uint64(9), np.uint64(63)
_E1, _G1, _C1 = np.int64(32), np.int64(48), np.int64(16)  # not literals: fewer overloads
_F1_SET, _G1_SET = np.uint64(1 << 40), np.uint64(1 << 48)
_D1_SET, _BCD1_SET = np.uint64(1 << 24), np.uint64(1 << 24 | 1 << 16 | 1 << 8)
_KING_SIDE, _QUEEN_SIDE = PLANE[_E1, _G1], PLANE[_E1, _C1]


# --- attacks -------------------------------------------------------------------------------------


@njit(cache=True)
def line_attacks(line, square, occupied):
    """Where a slider on ``square`` attacks along one of the four lines through it."""
    lower, upper = LOWER[line, square], UPPER[line, square]
    above = occupied & upper
    below = (ONE << _U63) >> np.uint64(leading_zeros((occupied & lower) | ONE))
    return (above ^ (above - below)) & (lower | upper)


@njit(cache=True)
def rook_attacks(square, occupied):
    return line_attacks(0, square, occupied) | line_attacks(1, square, occupied)


@njit(cache=True)
def bishop_attacks(square, occupied):
    return line_attacks(2, square, occupied) | line_attacks(3, square, occupied)


@njit(cache=True)
def forward_attacks(pawns):
    """What pawns that go up the board attack; they never stand on the first or last rank."""
    return (pawns << _U9) | (pawns >> _U7)


@njit(cache=True)
def backward_attacks(pawns):
    """What pawns that go down the board attack."""
    return (pawns >> _U9) | (pawns << _U7)


@njit(cache=True)
def attackers(s, square, occupied):
    """The pieces of both colours that attack a square, as White sees the board."""
    target = bit(square)
    return (
        (KNIGHT_ATTACKS[square] & s.knights)
        | (KING_ATTACKS[square] & s.kings)
        | (rook_attacks(square, occupied) & (s.rooks | s.queens))
        | (bishop_attacks(square, occupied) & (s.bishops | s.queens))
        | (backward_attacks(target) & s.pawns & s.white)
        | (forward_attacks(target) & s.pawns & s.black)
    )


@njit(cache=True)
def is_check(s):
    """Whether the king of the side to move is attacked."""
    own, their = (s.white, s.black) if s.turn == WHITE else (s.black, s.white)
    king = lowest(s.kings & own)
    return attackers(s, king, own | their) & their != EMPTY


@njit(cache=True)
def _slider_hits(square, occupied, straight, diagonal):
    """Whether a square is attacked by one of the sliders given."""
    return (rook_attacks(square, occupied) & straight) | (
        bishop_attacks(square, occupied) & diagonal
    ) != EMPTY


# --- the position from the mover's side, and what binds its moves --------------------------------


@njit(cache=True)
def _sides(s):
    """(own, their, pawns, knights, bishops, rooks, queens, kings, castling, ep square)."""
    if s.turn == WHITE:
        return (
            s.white, s.black, s.pawns, s.knights, s.bishops, s.rooks, s.queens, s.kings,
            np.int64(s.castling & 3), np.int64(s.ep_square),
        )  # fmt: skip
    return (
        flip(s.black), flip(s.white), flip(s.pawns), flip(s.knights), flip(s.bishops),
        flip(s.rooks), flip(s.queens), flip(s.kings),
        np.int64(s.castling >> 2 & 3),
        np.int64(s.ep_square if s.ep_square < 0 else s.ep_square ^ 7),
    )  # fmt: skip


@njit(cache=True)
def _king_line(line, king, own, occupied, sliders):
    """Along one line through the king: (squares that answer a check, checks, own pinned pieces).

    A pinned piece may still move along its line; its own attacks end at king and pinner.
    """
    lower, upper = LOWER[line, king], UPPER[line, king]
    if sliders & (lower | upper) == EMPTY:
        return EMPTY, 0, EMPTY
    seen = line_attacks(line, king, occupied)
    answers, checks, pinned = EMPTY, 0, EMPTY
    if seen & sliders & lower != EMPTY:
        answers, checks = answers | (seen & lower), checks + 1
    if seen & sliders & upper != EMPTY:
        answers, checks = answers | (seen & upper), checks + 1
    shields = seen & own
    behind = line_attacks(line, king, occupied ^ shields) & ~seen & sliders
    if behind & lower != EMPTY:
        pinned |= shields & lower
    if behind & upper != EMPTY:
        pinned |= shields & upper
    return answers, checks, pinned


@njit(cache=True)
def _bounds(own, their, pawns, knights, bishops, rooks, queens, kings):
    """What binds the mover.

    Returns (king, checks, answers, pinned along each of the four lines): pieces other than the
    king may go only to ``answers``, which is everything without a check and nothing in a double
    check.
    """
    king = lowest(kings & own)
    occupied = own | their
    straight, diagonal = (rooks | queens) & their, (bishops | queens) & their
    a0, c0, p0 = _king_line(0, king, own, occupied, straight)
    a1, c1, p1 = _king_line(1, king, own, occupied, straight)
    a2, c2, p2 = _king_line(2, king, own, occupied, diagonal)
    a3, c3, p3 = _king_line(3, king, own, occupied, diagonal)
    leapers = (KNIGHT_ATTACKS[king] & knights & their) | (
        forward_attacks(bit(king)) & pawns & their
    )
    checks = c0 + c1 + c2 + c3 + popcount(leapers)
    answers = a0 | a1 | a2 | a3 | leapers
    if checks == 0:
        answers = FULL
    elif checks > 1:
        answers = EMPTY
    return king, checks, answers, p0, p1, p2, p3


@njit(cache=True)
def _pin_line(king, here, p0, p1, p2, p3):
    """The squares left to a pinned piece."""
    line = 0 if here & p0 else 1 if here & p1 else 2 if here & p2 else 3
    return LOWER[line, king] | UPPER[line, king]


@njit(cache=True)
def _king_targets(king, own, their, pawns, knights, bishops, rooks, queens, kings):
    """Where the king may go without castling."""
    targets = KING_ATTACKS[king] & ~own & ~KING_ATTACKS[lowest(kings & their)]
    targets &= ~backward_attacks(pawns & their)
    occupied = (own | their) ^ bit(king)  # a king does not hide behind itself
    straight, diagonal = (rooks | queens) & their, (bishops | queens) & their
    safe, left = EMPTY, targets
    while left:
        square = lowest(left)
        left &= left - _U1
        if KNIGHT_ATTACKS[square] & knights & their == EMPTY and not _slider_hits(
            square, occupied, straight, diagonal
        ):
            safe |= bit(square)
    return safe


@njit(cache=True)
def _castling_targets(safe, own, their, pawns, knights, bishops, rooks, queens, kings, castling):
    """Castling of a king on e1 that is not in check; ``safe``: where it may go otherwise."""
    targets = EMPTY
    occupied = own | their
    straight, diagonal = (rooks | queens) & their, (bishops | queens) & their
    guarded = backward_attacks(pawns & their) | KING_ATTACKS[lowest(kings & their)]
    if (
        castling & 1
        and safe & _F1_SET
        and occupied & (_F1_SET | _G1_SET) == EMPTY
        and guarded & _G1_SET == EMPTY
        and KNIGHT_ATTACKS[_G1] & knights & their == EMPTY
        and not _slider_hits(_G1, occupied, straight, diagonal)
    ):
        targets |= _G1_SET
    if (
        castling & 2
        and safe & _D1_SET
        and occupied & _BCD1_SET == EMPTY
        and guarded & bit(_C1) == EMPTY
        and KNIGHT_ATTACKS[_C1] & knights & their == EMPTY
        and not _slider_hits(_C1, occupied, straight, diagonal)
    ):
        targets |= bit(_C1)
    return targets


@njit(cache=True)
def _en_passant_from(ep, king, own, their, pawns, knights, bishops, rooks, queens):
    """The own pawns that may legally capture en passant on square ``ep``.

    The capture is tried out: two pawns leave one rank, so pins do not tell.
    """
    legal = EMPTY
    left = backward_attacks(bit(ep)) & pawns & own
    taken = bit(ep - 1)
    if left == EMPTY or taken & pawns & their == EMPTY:
        return legal
    straight, diagonal = (rooks | queens) & their, (bishops | queens) & their
    if (KNIGHT_ATTACKS[king] & knights & their) != EMPTY:
        return legal
    if forward_attacks(bit(king)) & pawns & their & ~taken != EMPTY:
        return legal
    while left:
        here = left & -left
        left ^= here
        occupied = ((own | their) ^ here ^ taken) | bit(ep)
        if not _slider_hits(king, occupied, straight, diagonal):
            legal |= here
    return legal


@njit(cache=True)
def has_legal_en_passant(s):
    """Whether some capture en passant is legal now."""
    if s.ep_square < 0:
        return False
    own, their, pawns, knights, bishops, rooks, queens, kings, _, ep = _sides(s)
    if backward_attacks(bit(ep)) & pawns & own == EMPTY:
        return False
    king = lowest(kings & own)
    legal = _en_passant_from(ep, king, own, their, pawns, knights, bishops, rooks, queens)
    return legal != EMPTY


# --- legal moves ---------------------------------------------------------------------------------


@njit(cache=True)
def legal_moves(s, out):
    """Write the legal actions, ascending; returns how many.

    Own pieces are visited by square and each one's moves by plane, which is ascending order.
    """
    own, their, pawns, knights, bishops, rooks, queens, kings, castling, ep = _sides(s)
    king, checks, answers, p0, p1, p2, p3 = _bounds(
        own, their, pawns, knights, bishops, rooks, queens, kings
    )
    occupied = own | their
    pinned = p0 | p1 | p2 | p3
    by_ep = EMPTY
    if ep >= 0:
        by_ep = _en_passant_from(ep, king, own, their, pawns, knights, bishops, rooks, queens)
    n = 0
    left = own if checks < 2 else kings & own
    while left:
        square = lowest(left)
        here = left & -left
        left ^= here
        action = NUM_PLANES * square
        allowed = answers & ~own
        if here & pinned:
            allowed &= _pin_line(king, here, p0, p1, p2, p3)
        if here & pawns:
            one = (here << _U1) & ~occupied
            two = ((one & RANK_3) << _U1) & ~occupied
            allowed &= one | two | (forward_attacks(here) & their)
            if here & by_ep:
                allowed |= bit(ep)
            west, east = here >> _U7, here << _U9
            if allowed & west:
                out[n] = action + 2
                n += 1
            if allowed & one:
                out[n] = action + 4
                n += 1
            if allowed & east:
                out[n] = action + 7
                n += 1
            if allowed & two:
                out[n] = action + 12
                n += 1
            if here & RANK_7:
                plane = action + UNDERPROMOTION
                for side in (west, one, east):
                    if allowed & side:
                        for k in range(3):
                            out[n + k] = plane + k
                        n += 3
                    plane += 3
        elif here & knights:
            targets = EMPTY if here & pinned else KNIGHT_ATTACKS[square] & allowed
            while targets:
                out[n] = action + PLANE[square, lowest(targets)]
                n += 1
                targets &= targets - _U1
        elif here & kings:
            safe = _king_targets(king, own, their, pawns, knights, bishops, rooks, queens, kings)
            targets = safe
            while targets:
                out[n] = action + PLANE[square, lowest(targets)]
                n += 1
                targets &= targets - _U1
            if castling and checks == 0:
                targets = _castling_targets(
                    safe, own, their, pawns, knights, bishops, rooks, queens, kings, castling
                )
                if targets & bit(_C1):
                    out[n] = action + _QUEEN_SIDE
                    n += 1
                if targets & _G1_SET:
                    out[n] = action + _KING_SIDE
                    n += 1
        else:
            targets = EMPTY
            if here & ~bishops:
                targets |= rook_attacks(square, occupied)
            if here & ~rooks:
                targets |= bishop_attacks(square, occupied)
            targets &= allowed
            planes = EMPTY
            while targets:
                planes |= bit(PLANE[square, lowest(targets)])
                targets &= targets - _U1
            while planes:
                out[n] = action + lowest(planes)
                n += 1
                planes &= planes - _U1
    return n


@njit(cache=True)
def count_legal_moves(s):
    """How many legal moves there are, without listing them."""
    own, their, pawns, knights, bishops, rooks, queens, kings, castling, ep = _sides(s)
    king, checks, answers, p0, p1, p2, p3 = _bounds(
        own, their, pawns, knights, bishops, rooks, queens, kings
    )
    safe = _king_targets(king, own, their, pawns, knights, bishops, rooks, queens, kings)
    n = popcount(safe)
    if checks > 1:
        return n
    occupied = own | their
    pinned = p0 | p1 | p2 | p3
    if castling and checks == 0:
        n += popcount(
            _castling_targets(
                safe, own, their, pawns, knights, bishops, rooks, queens, kings, castling
            )
        )
    if ep >= 0:
        n += popcount(
            _en_passant_from(ep, king, own, their, pawns, knights, bishops, rooks, queens)
        )
    allowed = answers & ~own
    # Pawns all at once; a pinned one moves along its line only, and so stays on it.
    movers = pawns & own & ~(p1 | p2 | p3)
    one = (movers << _U1) & ~occupied
    two = ((one & RANK_3) << _U1) & allowed & ~occupied
    one &= allowed
    west = ((pawns & own & ~(p0 | p1 | p2)) >> _U7) & their & allowed
    east = ((pawns & own & ~(p0 | p1 | p3)) << _U9) & their & allowed
    n += popcount(two)
    n += popcount(one) + 3 * popcount(one & RANK_8)
    n += popcount(west) + 3 * popcount(west & RANK_8)
    n += popcount(east) + 3 * popcount(east & RANK_8)
    left = knights & own & ~pinned
    while left:
        n += popcount(KNIGHT_ATTACKS[lowest(left)] & allowed)
        left &= left - _U1
    left = (rooks | queens) & own & ~pinned
    while left:
        n += popcount(rook_attacks(lowest(left), occupied) & allowed)
        left &= left - _U1
    left = (bishops | queens) & own & ~pinned
    while left:
        n += popcount(bishop_attacks(lowest(left), occupied) & allowed)
        left &= left - _U1
    left = pinned & (bishops | rooks | queens)
    while left:
        square = lowest(left)
        here = left & -left
        left ^= here
        targets = EMPTY
        if here & ~bishops:
            targets |= rook_attacks(square, occupied)
        if here & ~rooks:
            targets |= bishop_attacks(square, occupied)
        n += popcount(targets & allowed & _pin_line(king, here, p0, p1, p2, p3))
    return n


@njit(cache=True)
def find_end(s):
    """(whether the mover is in check, whether it has a legal move)."""
    own, their, pawns, knights, bishops, rooks, queens, kings, _, _ = _sides(s)
    _, checks, answers, p0, p1, p2, p3 = _bounds(
        own, their, pawns, knights, bishops, rooks, queens, kings
    )
    free = own & ~(p0 | p1 | p2 | p3)
    if ((pawns & free) << _U1) & ~(own | their) & answers:
        return checks > 0, True
    left = knights & free
    while left:
        if KNIGHT_ATTACKS[lowest(left)] & ~own & answers:
            return checks > 0, True
        left &= left - _U1
    return checks > 0, count_legal_moves(s) > 0


# --- playing a move ------------------------------------------------------------------------------


@njit(cache=True)
def kind_at(s, square):
    """The kind of piece on a square (``PAWN`` .. ``KING``); -1 on an empty one."""
    here = bit(square)
    if (s.white | s.black) & here == EMPTY:
        return -1
    kind = 0
    kind += 1 if s.knights & here else 0
    kind += 2 if s.bishops & here else 0
    kind += 3 if s.rooks & here else 0
    kind += 4 if s.queens & here else 0
    kind += 5 if s.kings & here else 0
    return kind


@njit(cache=True)
def toggle(s, colour, kind, square):
    """Put a piece on an empty square, or take it away again."""
    here = bit(square)
    if colour == WHITE:
        s.white ^= here
    else:
        s.black ^= here
    if kind == PAWN:
        s.pawns ^= here
    elif kind == KNIGHT:
        s.knights ^= here
    elif kind == BISHOP:
        s.bishops ^= here
    elif kind == ROOK:
        s.rooks ^= here
    elif kind == QUEEN:
        s.queens ^= here
    else:
        s.kings ^= here
    s.hash ^= PIECE_KEYS[colour, kind, square]


@njit(cache=True)
def push(s, action):
    """Play a legal action on the board; returns (from square, to square, kind captured or -1)."""
    side = 7 if s.turn else 0
    turn = np.int64(s.turn)
    here = np.int64(action) // NUM_PLANES
    plane = np.int64(action) - NUM_PLANES * here
    there = np.int64(DESTINATION[action]) ^ side
    here ^= side
    kind, captured, ep = kind_at(s, here), kind_at(s, there), -1
    s.halfmove_clock = 0 if kind == PAWN or captured >= 0 else s.halfmove_clock + 1
    if captured >= 0:
        toggle(s, 1 - turn, captured, there)
    toggle(s, turn, kind, here)
    if kind == PAWN:
        if there == s.ep_square:
            captured = PAWN
            toggle(s, 1 - turn, PAWN, there ^ 1)
        elif abs(there - here) == 2:
            ep = (here + there) >> 1
        if plane >= UNDERPROMOTION:
            kind = KNIGHT + (plane - UNDERPROMOTION) % 3
        elif there & 7 == 7 - side:
            kind = QUEEN
    elif kind == KING and abs(there - here) == 16:
        rook, target = (there + 8, there - 8) if there > here else (there - 16, there + 8)
        toggle(s, turn, ROOK, rook)
        toggle(s, turn, ROOK, target)
    toggle(s, turn, kind, there)
    if s.castling:
        kept = s.castling & CASTLING_KEPT[here] & CASTLING_KEPT[there]
        s.hash ^= CASTLING_KEYS[s.castling] ^ CASTLING_KEYS[kept]
        s.castling = kept
    s.ep_square = ep
    s.turn = 1 - turn
    s.hash ^= BLACK_KEY
    s.fullmove_number += turn
    return here, there, captured
