"""The rules of chess, as kernel functions.

Moves are in ``moves``, observations in ``encoding``, the start from a FEN in ``notation``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.chess import encoding, moves
from stratagym.envs.chess.bits import EMPTY, popcount
from stratagym.envs.chess.tables import (
    BLACK_KEY,
    CASTLING_KEYS,
    EN_PASSANT_KEYS,
    LIGHT_SQUARES,
    NUM_ACTIONS,
    PIECE_KEYS,
    START,
    WHITE,
)
from stratagym.envs.core import TERMINAL, seed_rng, sizes

ONGOING = 0
CHECKMATE, STALEMATE, INSUFFICIENT_MATERIAL = 1, 2, 3
MOVE_LIMIT, REPETITION = 4, 5
"""How a game ended, in the field ``termination``."""

MAX_HASHES = 152

STATE = np.dtype(
    [
        ("rng", "u8"),  # nothing is drawn; every record has one
        *moves.BOARD_FIELDS,
        ("from_square", "i1"),  # the last move; -1 at the start
        ("to_square", "i1"),
        ("termination", "i1"),
        ("repeated", "i1"),  # how often this position stood before
        ("num_hashes", "i2"),  # positions since the last capture or pawn move, this one included
        ("num_boards", "i4"),  # positions in ``boards`` so far
        ("hashes", "u8", (MAX_HASHES,)),
        ("boards", "u8", (encoding.HISTORY, encoding.WORDS)),  # a ring of the last positions
        ("repeats", "u1", (encoding.HISTORY,)),  # whether each of them had stood before
    ],
    align=True,
)


def _most_plies(rules: Rules) -> int:
    """A bound; see the package's docstring."""
    return 118 * rules.max_halfmoves + (0 if rules.dead_positions else rules.max_halfmoves)


@sizes(
    actions=NUM_ACTIONS,
    observation=(8, 8, encoding.PLANES),
    dtype=np.bool_,
    decisions=_most_plies,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        num_players: 2.
        white: the seat that plays White.
        max_halfmoves: plies without capture or pawn move that draw.
        max_repetitions: how often a position must stand to draw; 0 for no such rule.
        dead_positions: 1 draws when neither side has mating material.
    """

    num_players: int
    white: int
    max_halfmoves: int
    max_repetitions: int
    dead_positions: int


def make_rules(draws: str, judge: str) -> Rules:
    """Rules from the options as people write them; see the package's docstring."""
    if judge == "botzone":
        return Rules(2, 1, 51, 0, 0)  # recorded games end on the 51st such ply, not the 50th
    return Rules(2, 0, 150, 5, 1) if draws == "fide" else Rules(2, 0, 100, 3, 1)


@njit(cache=True)
def position_hash(rules, s):
    """Zobrist hash (uint64): equal for positions that count as repetitions of each other."""
    return s.hashes[s.num_hashes - 1]


@njit(cache=True)
def board_hash(s):
    """What ``s.hash`` has to be, from the board alone."""
    total = CASTLING_KEYS[s.castling]
    if s.turn != WHITE:
        total ^= BLACK_KEY
    for square in range(64):
        kind = moves.kind_at(s, square)
        if kind >= 0:
            total ^= PIECE_KEYS[0 if s.white & moves.bit(square) else 1, kind, square]
    return total


@njit(cache=True)
def has_mating_material(own, their, s):
    """Whether a side could mate by some series of legal moves, judged by material alone."""
    if own & (s.pawns | s.rooks | s.queens):
        return True
    if own & s.knights:
        return popcount(own) > 2 or their & ~(s.kings | s.queens) != EMPTY
    if own & s.bishops:
        mixed = s.bishops & LIGHT_SQUARES != EMPTY and s.bishops & ~LIGHT_SQUARES != EMPTY
        return mixed or s.pawns | s.knights != EMPTY
    return False


@njit(cache=True)
def is_insufficient_material(s):
    """Whether neither side could mate: a dead position by its material."""
    return not (
        has_mating_material(s.white, s.black, s) or has_mating_material(s.black, s.white, s)
    )


@njit(cache=True)
def enter(rules, s):
    """Note the position just reached, and whether it ends the game."""
    key = s.hash
    if moves.has_legal_en_passant(s):
        key ^= EN_PASSANT_KEYS[s.ep_square >> 3]
    if s.halfmove_clock == 0:
        s.num_hashes = 0
    repeated = 0
    for k in range(s.num_hashes - 4, -1, -2):
        repeated += s.hashes[k] == key
    s.hashes[s.num_hashes] = key
    s.num_hashes += 1
    s.repeated = repeated
    in_check, has_moves = moves.find_end(s)
    if not has_moves:
        s.termination = CHECKMATE if in_check else STALEMATE
    elif rules.dead_positions and is_insufficient_material(s):
        s.termination = INSUFFICIENT_MATERIAL
    elif s.halfmove_clock >= rules.max_halfmoves:
        s.termination = MOVE_LIMIT
    elif rules.max_repetitions and repeated + 1 >= rules.max_repetitions:
        s.termination = REPETITION
    else:
        s.termination = ONGOING


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.white, s.black = START[0], START[1]
    s.pawns, s.knights, s.bishops = START[2], START[3], START[4]
    s.rooks, s.queens, s.kings = START[5], START[6], START[7]
    s.castling, s.ep_square, s.turn = 15, -1, WHITE
    s.halfmove_clock, s.fullmove_number = 0, 1
    s.hash = board_hash(s)
    begin(rules, s)


@njit(cache=True)
def begin(rules, s):
    """Start the game from the board in ``s``, without a past."""
    s.from_square = s.to_square = -1
    s.num_hashes = s.num_boards = 0
    s.hashes[:] = 0
    s.boards[:, :] = 0
    s.repeats[:] = 0
    enter(rules, s)


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.termination else s.turn ^ rules.white


@njit(cache=True)
def legal_actions(rules, s, out):
    """Actions in PettingZoo's numbers; see the package's docstring."""
    return moves.legal_moves(s, out)


@njit(cache=True)
def step(rules, s, action):
    here, there, _ = moves.push(s, action)
    s.from_square, s.to_square = here, there
    enter(rules, s)
    encoding.remember(s)


@njit(cache=True)
def returns(rules, s, out):
    """+1 and -1 after checkmate, else 0."""
    won = 1.0 if s.termination == CHECKMATE else 0.0
    out[s.turn ^ rules.white] = 0.0 - won
    out[s.turn ^ rules.white ^ 1] = won


@njit(cache=True)
def observe(rules, s, player, out):
    """PettingZoo's planes; see the package's docstring."""
    encoding.planes(s, player ^ rules.white, out)
