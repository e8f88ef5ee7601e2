"""The observation: PettingZoo's 111 planes of 8 x 8, from the last eight positions."""

from __future__ import annotations

from numba import njit

from stratagym.envs.chess.bits import bit, lowest

HISTORY = 8
WORDS = 8
AUXILIARY, BOARD_PLANES = 7, 13
PLANES = AUXILIARY + HISTORY * BOARD_PLANES

# Words of a remembered position: White's pieces, then sets of both colours, pawns apart. A pawn
# that just made two steps is remembered on its own first rank, where another piece may stand.
_WHITE, _WHITE_PAWNS, _BLACK_PAWNS, _KNIGHTS = range(4)


@njit(cache=True)
def remember(s):
    """Put the position into the ring of the last ones."""
    k = s.num_boards & 7
    white_pawns, black_pawns = s.pawns & s.white, s.pawns & s.black
    if s.ep_square >= 0:
        file = s.ep_square & 56
        if s.ep_square & 4:
            black_pawns ^= bit(file + 4) | bit(file + 7)
        else:
            white_pawns ^= bit(file + 3) | bit(file)
    s.boards[k, 0] = s.white
    s.boards[k, 1] = white_pawns
    s.boards[k, 2] = black_pawns
    s.boards[k, 3] = s.knights
    s.boards[k, 4] = s.bishops
    s.boards[k, 5] = s.rooks
    s.boards[k, 6] = s.queens
    s.boards[k, 7] = s.kings
    s.repeats[k] = s.repeated > 0
    s.num_boards += 1


@njit(cache=True)
def _scatter(out, board, turned, plane):
    """Set one plane's squares; row 0 is the far rank of the observer."""
    while board:
        square = lowest(board)
        board ^= bit(square)
        out[(7 - square & 7) ^ turned, square >> 3, plane] = True


@njit(cache=True)
def _fill(out, plane):
    for row in range(8):
        for column in range(8):
            out[row, column, plane] = True


@njit(cache=True)
def planes(s, colour, out):
    """Fill ``out``, (8, 8, 111) bool, as ``colour`` (0 White, 1 Black) sees the game."""
    for row in range(8):
        for column in range(8):
            for plane in range(PLANES):
                out[row, column, plane] = False
    turned = 7 * colour
    rights = s.castling if colour == 0 else (s.castling >> 2) | (s.castling & 3) << 2
    for k in range(4):
        if rights >> k & 1:
            _fill(out, k)
    if colour:
        _fill(out, 4)
    clock = min(s.halfmove_clock >> 1, 63)
    out[(7 - (clock >> 3)) ^ turned, clock & 7, 5] = True
    _fill(out, 6)
    for age in range(min(s.num_boards, HISTORY)):
        k = (s.num_boards - 1 - age) & 7
        first = AUXILIARY + age * BOARD_PLANES
        own = first + 6 * colour  # White's planes stand first for White, second for Black
        their = first + 6 - 6 * colour
        white = s.boards[k, _WHITE]
        _scatter(out, s.boards[k, _WHITE_PAWNS], turned, own)
        _scatter(out, s.boards[k, _BLACK_PAWNS], turned, their)
        for kind in range(1, 6):
            board = s.boards[k, _KNIGHTS - 1 + kind]
            _scatter(out, board & white, turned, own + kind)
            _scatter(out, board & ~white, turned, their + kind)
        if s.repeats[k]:
            _fill(out, first + 12)
