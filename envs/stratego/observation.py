"""What a seat sees, as planes of small numbers, which the package's page lists."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.stratego.boards import KINDS, MOST_PIECES
from stratagym.envs.stratego.moves import cell_of, is_lake

RECENT = 16
"""Moves of both seats that a record keeps and planes show."""
OWN, PUBLIC, HIDDEN_MOVED, HIDDEN_STILL, KNOWN, MOVED, LAKES = 0, 12, 24, 25, 26, 27, 28
THEIRS_UNKNOWN, MINE_UNKNOWN, MOVES, NEXT_CELL, PLY, SINCE, SEAT = 29, 41, 53, 69, 70, 71, 72
PLANES = 73


@njit(cache=True)
def fill(rules, out, plane, value):
    """Write one number all over a plane."""
    if value:
        for row in range(rules.rows):
            for column in range(rules.columns):
                out[plane, row, column] = value


@njit(cache=True)
def write_planes(rules, s, player, out):
    """Fill ``out`` (PLANES, rows, columns), as the package's page says."""
    columns = rules.columns
    out[:] = 0
    for cell in range(rules.rows * columns):
        row, column = cell // columns, cell % columns
        if is_lake(rules, cell):
            out[LAKES, row, column] = 1
            continue
        piece = s.board[cell_of(rules, player, cell)] - 1
        if piece < 0:
            continue
        if (piece >= MOST_PIECES) == (player == 1):
            out[OWN - 1 + s.kind[piece], row, column] = 1
            out[KNOWN, row, column] = s.shown[piece]
            out[MOVED, row, column] = s.moved[piece]
        elif s.phase:
            if s.shown[piece]:
                out[PUBLIC - 1 + s.kind[piece], row, column] = 1
            else:
                out[HIDDEN_MOVED if s.moved[piece] else HIDDEN_STILL, row, column] = 1
    if s.phase:
        _unknown(rules, s, 1 - player, THEIRS_UNKNOWN, out)
        _unknown(rules, s, player, MINE_UNKNOWN, out)
        _moves(rules, s, player, out)
        fill(rules, out, PLY, 100 * s.ply // rules.max_moves)
        if rules.no_attack:
            fill(rules, out, SINCE, 100 * s.since // rules.no_attack)
    elif s.player == player:
        out[NEXT_CELL, s.cell // columns, s.cell % columns] = 1
    fill(rules, out, SEAT, player)


@njit(cache=True)
def _unknown(rules, s, seat, plane, out):
    """How many of each kind of a seat are on the board and not known to the other seat."""
    counts = np.uint64(0)
    for k in range(MOST_PIECES):
        piece = MOST_PIECES * seat + k
        if s.pos[piece] >= 0 and not s.shown[piece]:
            counts += np.uint64(1) << np.uint64(4 * s.kind[piece])
    for kind in range(1, KINDS + 1):
        fill(rules, out, plane - 1 + kind, np.int64(counts >> np.uint64(4 * kind)) & 15)


@njit(cache=True)
def _moves(rules, s, player, out):
    """The last moves, newest first: 1 where to, from -1 or -(2 + the attacker's kind)."""
    columns = rules.columns
    for k in range(min(RECENT, s.ply)):
        start, end, attacker, _ = s.recent[(s.ply - 1 - k) % RECENT]
        start, end = cell_of(rules, player, start), cell_of(rules, player, end)
        out[MOVES + k, end // columns, end % columns] = 1
        gone = -(2 + attacker) if attacker else -1
        out[MOVES + k, start // columns, start % columns] = gone
