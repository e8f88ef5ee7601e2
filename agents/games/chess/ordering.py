"""What alpha-beta asks of chess besides its evaluation: exchanges, order, quiescence, null moves.

An exchange is played out on one square, each side capturing with its cheapest piece and stopping
when it pays (static exchange evaluation), without regard to pins.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.games.chess.evaluation import ORDER_VALUES
from stratagym.envs.chess import rules as chess_rules
from stratagym.envs.chess.bits import EMPTY, bit
from stratagym.envs.chess.moves import attackers, bishop_attacks, kind_at, legal_moves, rook_attacks
from stratagym.envs.chess.moves import is_check as board_is_check
from stratagym.envs.chess.tables import (
    BLACK_KEY,
    DESTINATION,
    KING,
    KNIGHT,
    NUM_PLANES,
    PAWN,
    QUEEN,
    UNDERPROMOTION,
    WHITE,
)

EXCHANGE = np.array([100, 320, 330, 500, 950, 10_000], np.int64)
"""Centipawns of the pieces in exchanges."""
_SLACK = 180
"""What a capture may gain beyond the piece, by where the pieces then stand."""
_MARGIN, _MARGIN_PLIES = 90, 6


@njit(cache=True)
def squares_of(s, action):
    """(from, to, plane) of an action, squares as White sees the board."""
    side = 7 if s.turn else 0
    here = np.int64(action) // NUM_PLANES
    plane = np.int64(action) - NUM_PLANES * here
    return here ^ side, np.int64(DESTINATION[action]) ^ side, plane


@njit(cache=True)
def captured_kind(s, kind, there):
    """The kind that a piece captures on a square, -1 for none; en passant included."""
    captured = kind_at(s, there)
    if captured < 0 and kind == PAWN and there == s.ep_square:
        return PAWN
    return captured


@njit(cache=True)
def _cheapest(s, among):
    """The cheapest kind of the pieces in a set that is not empty."""
    if among & s.pawns:
        return PAWN
    if among & s.knights:
        return KNIGHT
    if among & s.bishops:
        return KNIGHT + 1
    if among & s.rooks:
        return KNIGHT + 2
    return QUEEN if among & s.queens else KING


@njit(cache=True)
def _of_kind(s, kind):
    if kind == PAWN:
        return s.pawns
    if kind == KNIGHT:
        return s.knights
    if kind == KNIGHT + 1:
        return s.bishops
    if kind == KNIGHT + 2:
        return s.rooks
    return s.queens if kind == QUEEN else s.kings


@njit(cache=True)
def exchange_gains(s, here, there, gain, kind, threshold):
    """Whether a move gains ``threshold`` centipawns or more after all exchanges on its square.

    Args:
        here, there: squares as White sees them. gain: what the move itself wins.
        kind: what stands on ``there`` after it.
    """
    owed = gain - threshold
    if owed < 0:
        return False
    owed = EXCHANGE[kind] - owed
    if owed <= 0:
        return True
    occupied = ((s.white | s.black) & ~bit(here)) | bit(there)
    straight, diagonal = s.rooks | s.queens, s.bishops | s.queens
    found = attackers(s, there, occupied)
    colour, stands = np.int64(s.turn), np.int64(1)
    while True:
        colour = 1 - colour
        own = s.white if colour == WHITE else s.black
        found &= occupied
        mine = found & own
        if mine == EMPTY:
            break
        stands ^= 1
        cheapest = _cheapest(s, mine)
        if cheapest == KING:
            if found & ~own != EMPTY:  # a king may not capture what is guarded
                stands ^= 1
            break
        owed = EXCHANGE[cheapest] - owed
        if owed < stands:
            break
        first = mine & _of_kind(s, cheapest)
        occupied ^= first & -first
        if cheapest != KNIGHT:
            found |= bishop_attacks(there, occupied) & diagonal
            found |= rook_attacks(there, occupied) & straight
    return stands == 1


@njit(cache=True)
def is_quiet(rules, s, action):
    """Whether a legal action neither captures nor promotes."""
    here, there, plane = squares_of(s, action)
    target = bit(there)
    if (s.white | s.black) & target:
        return False
    if bit(here) & s.pawns == EMPTY:
        return True
    return plane < UNDERPROMOTION and there & 7 != 7 - 7 * s.turn and there != s.ep_square


@njit(cache=True)
def gain_of(s, action, here, there, plane):
    """(what moves, what stands there afterwards, centipawns won by the move itself)."""
    kind = kind_at(s, here)
    captured = captured_kind(s, kind, there)
    gain = np.int64(0)
    if captured >= 0:
        gain = EXCHANGE[captured]
    becomes = kind
    if kind == PAWN:
        if plane >= UNDERPROMOTION:
            becomes = KNIGHT + (plane - UNDERPROMOTION) % 3
        elif there & 7 == 7 - 7 * s.turn:
            becomes = np.int64(QUEEN)
        gain += EXCHANGE[becomes] - EXCHANGE[PAWN]
    return kind, becomes, gain


@njit(cache=True)
def priority(rules, s, action):
    """What wins in the exchange by its gain in pawns and the cheapest capturer, then quiet moves to
    better squares, then what loses."""
    here, there, plane = squares_of(s, action)
    kind, becomes, gain = gain_of(s, action, here, there, plane)
    if gain > 0:
        if becomes != kind and becomes != QUEEN:
            return -3.0
        if gain >= EXCHANGE[becomes] or exchange_gains(s, here, there, gain, becomes, 0):
            return 1.0 + gain / 100.0 - EXCHANGE[kind] / 5000.0
        return -2.0 + (gain - EXCHANGE[kind]) / 1000.0
    side = 7 * np.int64(s.turn)
    return (ORDER_VALUES[kind, there ^ side] - ORDER_VALUES[kind, here ^ side]) / 200.0


@njit(cache=True)
def forcing_actions(rules, s, wanted, out):
    """Captures and promotions to a queen that lose nothing in the exchange and may gain enough."""
    n = legal_moves(s, out)
    kept = 0
    for k in range(n):
        action = out[k]
        if is_quiet(rules, s, action):
            continue
        here, there, plane = squares_of(s, action)
        if plane >= UNDERPROMOTION:
            continue
        _, becomes, gain = gain_of(s, action, here, there, plane)
        if gain + _SLACK < wanted:
            continue
        if gain >= EXCHANGE[becomes] or exchange_gains(s, here, there, gain, becomes, 0):
            out[kept] = action
            kept += 1
    return kept


@njit(cache=True)
def is_check(rules, s):
    """Whether the king of the side to move is attacked."""
    return board_is_check(s)


@njit(cache=True)
def is_repeated(rules, s):
    """Whether the position stood before since the last capture or pawn move."""
    return s.repeated > 0


@njit(cache=True)
def may_pass(rules, s):
    """Whether the side to move has a piece besides king and pawns: without, it may be zugzwang."""
    own = s.white if s.turn == WHITE else s.black
    return own & ~(s.pawns | s.kings) != EMPTY


@njit(cache=True)
def pass_turn(rules, s):
    """The other side is to move in the same position."""
    s.turn = 1 - s.turn
    s.ep_square = -1
    s.hash ^= BLACK_KEY
    s.halfmove_clock += 1
    chess_rules.enter(rules, s)


@njit(cache=True)
def margin(rules, depth):
    """Centipawns, for some plies; -1 beyond."""
    if depth > _MARGIN_PLIES:
        return np.int64(-1)
    return np.int64(_MARGIN * depth)
