"""What the agents know of chess: evaluations, and a player that looks one move ahead.

``evaluate`` is a plain one, which networks were trained and ladders measured with; searches use
``estimate`` (``evaluation.py``) and what stands in ``ordering.py``.

Here piece values are those of Tomasz Michniewski's "Simplified Evaluation Function" (pawn 100,
knight 320, bishop 330, rook 500, queen 900); the values of squares are this project's, from a few
formulas below.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit

from stratagym.agents.games.chess import quiescence
from stratagym.agents.games.chess.evaluation import estimate as estimate
from stratagym.agents.games.chess.ordering import forcing_actions as forcing_actions
from stratagym.agents.games.chess.ordering import is_check as is_check
from stratagym.agents.games.chess.ordering import is_quiet as is_quiet
from stratagym.agents.games.chess.ordering import is_repeated as is_repeated
from stratagym.agents.games.chess.ordering import margin as margin
from stratagym.agents.games.chess.ordering import may_pass as may_pass
from stratagym.agents.games.chess.ordering import pass_turn as pass_turn
from stratagym.agents.games.chess.ordering import priority as priority
from stratagym.agents.ladders import Ladder, players_at
from stratagym.envs.chess.bits import EMPTY, bit, lowest, popcount
from stratagym.envs.chess.moves import (
    attackers,
    bishop_attacks,
    find_end,
    kind_at,
    push,
    rook_attacks,
)
from stratagym.envs.chess.rules import CHECKMATE, ONGOING
from stratagym.envs.chess.rules import position_hash as position_hash
from stratagym.envs.chess.tables import (
    BISHOP,
    DESTINATION,
    KING,
    KNIGHT,
    NUM_PLANES,
    PAWN,
    QUEEN,
    ROOK,
    UNDERPROMOTION,
    WHITE,
)

VALUES = np.array([100, 320, 330, 500, 900, 20_000], np.int64)
SCALE = 600.0
"""Centipawns at which ``evaluate`` is tanh(1)."""
_PHASES = np.array([0, 1, 1, 2, 4, 0], np.int64)
_FULL_PHASE = 24


def _square_values() -> np.ndarray:
    """(middle game 0 or ending 1, kind, square as White sees it) int64, in centipawns."""
    table = np.zeros((2, 6, 64), np.int64)
    for square in range(64):
        file, rank = square >> 3, square & 7
        centre = 3.5 - max(abs(file - 3.5), abs(rank - 3.5))  # 0 at the edge, 3 in the middle
        inner = 3.5 - abs(file - 3.5)
        central_pawn = 12 if file in (3, 4) and rank in (3, 4) else 0
        shield = 10 if rank == 1 and file not in (3, 4) else 0
        home = 12 if rank == 0 and file in (2, 6) else 0
        for kind, middle, ending in (
            (PAWN, 4 * (rank - 1) + central_pawn + shield, 3 * (rank - 1) ** 2),
            (KNIGHT, 14 * centre - 28 - (8 if rank == 0 else 0), 10 * centre - 18),
            (BISHOP, 7 * centre - 8 - (8 if rank == 0 else 0), 5 * centre - 6),
            (ROOK, 3 * inner + (18 if rank == 6 else 0), 8 if rank == 6 else 0),
            (QUEEN, 2 * centre - (4 if rank == 0 else 0), 8 * centre - 10),
            (KING, 2 * home - 14 * rank - 8 * inner * (rank < 2), 14 * centre - 20),
        ):
            table[0, kind, square] = round(middle)
            table[1, kind, square] = round(ending)
    return table


SQUARE_VALUES = _square_values()
_FILE, _EVERY_FILE = np.uint64(0xFF), np.uint64(0x0101010101010101)
_PASSED = np.array([0, 5, 10, 18, 32, 55, 90, 0], np.int64)


@njit(cache=True)
def _front(square, colour):
    """Squares on the same and the neighbouring files ahead of a pawn."""
    rank = square & 7
    files = _FILE << np.uint64(square & 56)
    files |= (files << np.uint64(8)) | (files >> np.uint64(8))
    ahead = _FILE << np.uint64(rank + 1) & _FILE if colour == WHITE else bit(rank) - bit(0)
    return files & ahead * _EVERY_FILE


@njit(cache=True)
def score(s):
    """Centipawns for White: material, squares, pairs of bishops, passed pawns, free lines."""
    occupied = s.white | s.black
    middle = ending = phase = 0
    for colour in range(2):
        own, their = (s.white, s.black) if colour == WHITE else (s.black, s.white)
        mid = end = 0
        turn = 0 if colour == WHITE else 7
        left = own
        while left:
            square = lowest(left)
            left &= left - bit(0)
            kind = kind_at(s, square)
            phase += _PHASES[kind]
            both = VALUES[kind]
            if kind == PAWN:
                if _front(square, colour) & s.pawns & their == EMPTY:
                    both += _PASSED[(square & 7) ^ turn]
            elif kind == BISHOP:
                both += 4 * popcount(bishop_attacks(square, occupied) & ~own)
            elif kind == ROOK:
                both += 3 * popcount(rook_attacks(square, occupied) & ~own)
            mid += both + SQUARE_VALUES[0, kind, square ^ turn]
            end += both + SQUARE_VALUES[1, kind, square ^ turn]
        if popcount(s.bishops & own) > 1:
            mid, end = mid + 30, end + 45
        sign = 1 if colour == WHITE else -1
        middle += sign * mid
        ending += sign * end
    phase = min(phase, _FULL_PHASE)
    total = (middle * phase + ending * (_FULL_PHASE - phase)) / _FULL_PHASE
    return total + (10.0 if s.turn == WHITE else -10.0)


@njit(cache=True)
def evaluate(rules, s, out):
    """tanh of ``score`` / 600, below 1 in size; exact where the game is over."""
    value = 0.0
    if s.termination == ONGOING:
        value = 0.999 * math.tanh(score(s) / SCALE)
    elif s.termination == CHECKMATE:
        value = -1.0 if s.turn == WHITE else 1.0
    out[rules.white] = value
    out[1 - rules.white] = -value


MCTS_DEFAULTS = {"priors": "yes"}
"""Random games say little of a position, and cost hundreds of moves."""


def judge_memory(rules):
    """Scratch for ``judge``."""
    return quiescence.memory()


@njit(cache=True)
def _centipawns(value):
    """What ``judge`` says ``value`` of."""
    if value >= 0.999:
        return quiescence.MATE
    if value <= -0.999:
        return -quiescence.MATE
    return np.int64(SCALE * math.atanh(value / 0.999))


@njit(cache=True)
def judge(rules, s, low, high, memory, out):
    """``tanh`` of the value after quiescence: captures are played out, and nothing else."""
    seat = np.int64(s.turn ^ rules.white)
    if seat:
        low, high = -high, -low
    value = quiescence.settle(rules, s, _centipawns(low), _centipawns(high), memory, out)
    out[seat] = 0.999 * math.tanh(value / SCALE)
    out[1 - seat] = -out[seat]


@njit(cache=True)
def _lowest_attacker(s, colour, square, occupied):
    """Value of the cheapest piece of a colour that attacks a square; 0 for none."""
    own = s.white if colour == WHITE else s.black
    found = attackers(s, square, occupied) & own & occupied
    if found == EMPTY:
        return 0
    if found & s.pawns:
        return VALUES[PAWN]
    if found & s.knights:
        return VALUES[KNIGHT]
    if found & s.bishops:
        return VALUES[BISHOP]
    if found & s.rooks:
        return VALUES[ROOK]
    return VALUES[QUEEN] if found & s.queens else VALUES[KING]


@njit(cache=True)
def _at_risk(s, colour, square, value, occupied):
    """What the piece of ``colour`` and ``value`` on a square stands to lose to one exchange."""
    attacker = _lowest_attacker(s, 1 - colour, square, occupied)
    if attacker == 0:
        return 0
    if _lowest_attacker(s, colour, square, occupied & ~bit(square)) == 0:
        return value
    return max(0, value - attacker)


@njit(cache=True)
def _mates(s, action):
    """Whether a legal action mates; the board is as before afterwards."""
    white, black, pawns, knights = s.white, s.black, s.pawns, s.knights
    bishops, rooks, queens, kings = s.bishops, s.rooks, s.queens, s.kings
    key, number, clock = s.hash, s.fullmove_number, s.halfmove_clock
    castling, ep, turn = s.castling, s.ep_square, s.turn
    push(s, action)
    in_check, has_moves = find_end(s)
    s.white, s.black, s.pawns, s.knights = white, black, pawns, knights
    s.bishops, s.rooks, s.queens, s.kings = bishops, rooks, queens, kings
    s.hash, s.fullmove_number, s.halfmove_clock = key, number, clock
    s.castling, s.ep_square, s.turn = castling, ep, turn
    return in_check and not has_moves


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """Mate if there is one, else the best one-move balance; ties to the lowest action.

    The balance: what is captured and promoted to, plus what the piece was at risk of where it
    stood, less what it is at risk of where it goes, plus the better square.
    """
    colour = np.int64(s.turn)
    side = 7 if colour else 0
    occupied = s.white | s.black
    best, best_value = legal[0], -(1 << 40)
    for k in range(n):
        action = legal[k]
        if _mates(s, action):
            return action
        here = np.int64(action) // NUM_PLANES
        plane = np.int64(action) - NUM_PLANES * here
        there = np.int64(DESTINATION[action])
        kind = kind_at(s, here ^ side)
        becomes = kind
        if kind == PAWN and plane >= UNDERPROMOTION:
            becomes = KNIGHT + (plane - UNDERPROMOTION) % 3
        elif kind == PAWN and there & 7 == 7:
            becomes = QUEEN
        value = SQUARE_VALUES[0, becomes, there] - SQUARE_VALUES[0, kind, here]
        value += VALUES[becomes] - VALUES[kind]
        captured = kind_at(s, there ^ side)
        if captured >= 0:
            value += VALUES[captured]
        elif kind == PAWN and (there ^ side) == s.ep_square:
            value += VALUES[PAWN]
        after = (occupied & ~bit(here ^ side)) | bit(there ^ side)
        if kind != KING:
            value += _at_risk(s, colour, here ^ side, VALUES[kind], occupied)
            value -= _at_risk(s, colour, there ^ side, VALUES[becomes], after)
        elif abs(there - here) == 16:
            value += 40
        if value > best_value:
            best, best_value = action, value
    return best


def action_cells(rules):
    """The square a move starts from, as the observation shows it, on the plane of the move."""
    square, plane = np.divmod(np.arange(rules.num_actions), NUM_PLANES)
    file, rank = square >> 3, square & 7
    return (plane * 8 + 7 - rank) * 8 + file


EARLIER_SEARCHES = {2: None}
"""Version 2 of alpha-beta knew the same of chess, and trusted repetition."""
_LOWER_LEVELS = (
    ("random",),
    ("heuristic?random=0.96",),
    ("heuristic?random=0.91",),
    ("heuristic?random=0.83",),
    ("heuristic?random=0.73",),
    ("heuristic?random=0.62",),
    ("heuristic?random=0.48",),
    ("heuristic?random=0.3",),
    ("heuristic?random=0.12",),
)
EARLIER_LADDERS = (
    Ladder(
        "chess/ladder-v1",
        (
            *_LOWER_LEVELS,
            ("alphabeta:2?random=0.12",),
            ("alphabeta:3?random=0.13",),
            # From here on the engine is needed.
            ("uci:stockfish?nodes=1&random=0.08",),
            ("uci:stockfish?nodes=400&random=0.04",),
        ),
        players={
            f"alphabeta:{words}": f"alphabeta:{words.replace('?', '?version=1&')}"
            for words in ("2?random=0.12", "3?random=0.13")
        },
    ),
)
_LEVELS = (
    *_LOWER_LEVELS,
    ("alphabeta:1?random=0.2",),
    ("alphabeta:2?random=0.15",),
    ("alphabeta:2?random=0.07",),
    ("alphabeta:3?random=0.06",),
    ("alphabeta:4?random=0.03",),
    # For the last level the engine is needed.
    ("uci:stockfish?nodes=3000&random=0.02",),
)
LADDER = Ladder("chess/ladder-v2", _LEVELS, players=players_at(_LEVELS, alphabeta=2))
