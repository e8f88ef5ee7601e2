"""Tables of the board: lines, leaps, actions, hash keys. Squares as in ``bits``."""

from __future__ import annotations

import numpy as np

PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
WHITE, BLACK = 0, 1
NUM_PLANES = 73
NUM_ACTIONS = 64 * NUM_PLANES

# Lines through a square: along the file, along the rank, and the two diagonals.
_STEPS = ((0, 1), (1, 0), (1, 1), (1, -1))


def _inside(file: int, rank: int) -> bool:
    return 0 <= file < 8 and 0 <= rank < 8


def _lines() -> tuple[np.ndarray, np.ndarray]:
    lower, upper = np.zeros((4, 64), np.uint64), np.zeros((4, 64), np.uint64)
    for line, (dx, dy) in enumerate(_STEPS):
        for square in range(64):
            for sign, table in ((-1, lower), (1, upper)):
                board = 0
                for k in range(1, 8):
                    file, rank = square // 8 + sign * k * dx, square % 8 + sign * k * dy
                    if _inside(file, rank):
                        board |= 1 << 8 * file + rank
                table[line, square] = board
    return lower, upper


def _leaps(lengths: set[tuple[int, int]]) -> np.ndarray:
    table = np.zeros(64, np.uint64)
    for square in range(64):
        board = 0
        for target in range(64):
            dx, dy = abs(target // 8 - square // 8), abs(target % 8 - square % 8)
            if (dx, dy) in lengths:
                board |= 1 << target
        table[square] = board
    return table


LOWER, UPPER = _lines()
"""(4, 64) uint64: the squares of each line through a square, below and above it in number."""
KNIGHT_ATTACKS = _leaps({(1, 2), (2, 1)})
KING_ATTACKS = _leaps({(0, 1), (1, 0), (1, 1)})
LIGHT_SQUARES = np.uint64(sum(1 << k for k in range(64) if (k // 8 + k % 8) % 2))
RANK_3 = np.uint64(0x0404040404040404)
RANK_7 = np.uint64(0x4040404040404040)
RANK_8 = np.uint64(0x8080808080808080)

# Castling rights, four bits: White's king side and queen side, then Black's.
CASTLING_KEPT = np.full(64, 15, np.int64)
"""(64,) the rights that are left when a piece leaves a square or is captured on it."""
for _square, _lost in ((32, 3), (56, 1), (0, 2), (39, 12), (63, 4), (7, 8)):
    CASTLING_KEPT[_square] = 15 - _lost


# --- actions: AlphaZero's 8 x 8 x 73, as PettingZoo numbers them ---------------------------------

_QUEEN = [(x, y) for x in (-1, 0, 1) for y in (-1, 0, 1) if (x, y) != (0, 0)]
_KNIGHT = [(x, y) for x in range(-2, 3) for y in range(-2, 3) if abs(x) + abs(y) == 3]
UNDERPROMOTION = 64
"""First plane of the promotions to knight, bishop, rook: to the left, straight on, to the right."""


def _plane_steps() -> list[tuple[int, int]]:
    """What each plane adds to file and rank."""
    steps = [(k * x, k * y) for k in range(1, 8) for x, y in _QUEEN]
    return steps + _KNIGHT + [(dx, 1) for dx in (-1, 0, 1) for _ in range(3)]


def _actions() -> tuple[np.ndarray, np.ndarray]:
    plane, destination = np.full((64, 64), -1, np.int8), np.full(NUM_ACTIONS, -1, np.int8)
    for square in range(64):
        for number, (dx, dy) in enumerate(_plane_steps()):
            file, rank = square // 8 + dx, square % 8 + dy
            if _inside(file, rank) and (number < UNDERPROMOTION or rank == 7):
                target = 8 * file + rank
                destination[NUM_PLANES * square + number] = target
                if number < UNDERPROMOTION:
                    plane[square, target] = number
    return plane, destination


PLANE, DESTINATION = _actions()
"""(64, 64) and (4672,) int8: the plane from square to square, promotions to queen included, and the
square an action leads to, both from the side of the player who moves; -1 where there is none."""


# --- Zobrist keys --------------------------------------------------------------------------------


def _keys(count: int) -> np.ndarray:
    """splitmix64's first numbers."""
    x = np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


_ALL_KEYS = _keys(768 + 16 + 8 + 1)
PIECE_KEYS = _ALL_KEYS[:768].reshape(2, 6, 64).copy()
"""(colour, piece, square)."""
CASTLING_KEYS = _ALL_KEYS[768:784].copy()
EN_PASSANT_KEYS = _ALL_KEYS[784:792].copy()
"""By file; used only where the capture is legal."""
BLACK_KEY = _ALL_KEYS[792]

_BACK = (ROOK, KNIGHT, BISHOP, QUEEN, KING, BISHOP, KNIGHT, ROOK)
START = np.zeros(8, np.uint64)
"""The starting position: white, black, then the six kinds of piece."""
for _file, _piece in enumerate(_BACK):
    for _rank, _colour, _kind in ((0, 0, _piece), (1, 0, PAWN), (6, 1, PAWN), (7, 1, _piece)):
        START[_colour] |= np.uint64(1 << 8 * _file + _rank)
        START[2 + _kind] |= np.uint64(1 << 8 * _file + _rank)
