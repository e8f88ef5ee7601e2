"""The moves since the last capture or pawn move, found again from the positions' hashes.

A record keeps a hash of every position that may still be repeated, not the moves between them. Two
hashes that follow each other differ by the keys of the piece that moved on its two squares, by the
side to move and, where castling rights were lost, by their keys; so from the board the moves can be
taken back one by one.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from stratagym.envs.chess import notation
from stratagym.envs.chess.tables import (
    BLACK,
    BLACK_KEY,
    CASTLING_KEYS,
    EN_PASSANT_KEYS,
    KING,
    PAWN,
    PIECE_KEYS,
    ROOK,
    WHITE,
)

_CASTLINGS = {48: (56, 40), 16: (0, 24)}
"""By the square of the castled white king: where the rook came from and where it is."""


@cache
def _keys() -> list[list[list[int]]]:
    return PIECE_KEYS.tolist()


@cache
def _where() -> dict[int, tuple[int, int, int]]:
    """(colour, kind, square) by its key."""
    return {
        key: (colour, kind, square)
        for colour, kinds in enumerate(_keys())
        for kind, squares in enumerate(kinds)
        for square, key in enumerate(squares)
    }


@cache
def _rights() -> tuple[int, ...]:
    """What lost castling rights make of a hash; 0, for none, first."""
    keys = CASTLING_KEYS.tolist()
    return tuple(dict.fromkeys(one ^ other for one in keys for other in keys))


def moves_since(s: Any) -> list[str]:
    """The moves since the last capture or pawn move in UCI, the oldest first.

    Of a game that began from a FEN, those since then.
    """
    hashes = s["hashes"][: int(s["num_hashes"])].tolist()
    pieces = notation.piece_map(s)
    mover, told = WHITE if s["turn"] == BLACK else BLACK, []
    for k in range(len(hashes) - 1, 0, -1):
        change = hashes[k] ^ hashes[k - 1] ^ int(BLACK_KEY)
        # Only the first of these positions comes behind a pawn's move of two squares.
        passed = (0, *EN_PASSANT_KEYS.tolist()) if k == 1 else (0,)
        here, there = next(
            move
            for key in passed
            for right in _rights()
            if (move := _move_of(change ^ key ^ right, pieces, mover)) is not None
        )
        pieces[here] = pieces.pop(there)
        if pieces[here][1] == KING and abs(here - there) == 16:
            side = there & 7
            corner, beside = _CASTLINGS[there - side]
            pieces[corner + side] = pieces.pop(beside + side)
        told.append(notation.square_name(here) + notation.square_name(there))
        mover = WHITE if mover == BLACK else BLACK
    return told[::-1]


def _move_of(change: int, pieces: dict[int, tuple[int, int]], mover: int) -> tuple[int, int] | None:
    """(from, to) of the move of a piece, now on the board, by what it made of the hash."""
    seat = 0 if mover == WHITE else 1
    keys = _keys()[seat]
    for there, (colour, kind) in pieces.items():
        if colour != mover or kind == PAWN:
            continue
        found = _where().get(change ^ keys[kind][there])
        if found is not None and found[:2] == (seat, kind) and found[2] not in pieces:
            return found[2], there
        if kind == KING and there & 7 in (0, 7) and there - (there & 7) in _CASTLINGS:
            side = there & 7
            corner, beside = _CASTLINGS[there - side]
            rook = keys[ROOK][corner + side] ^ keys[ROOK][beside + side]
            if change == keys[KING][32 + side] ^ keys[KING][there] ^ rook:
                return 32 + side, there
    return None
