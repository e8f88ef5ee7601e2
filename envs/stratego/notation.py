"""Positions from lists of pieces, and the action numbers of other programs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numba import njit

from stratagym.envs import core
from stratagym.envs.stratego.boards import KINDS, MOST_CELLS
from stratagym.envs.stratego.dealing import count_of, put_piece
from stratagym.envs.stratego.moves import cell_of, is_lake, move_id, moves_from
from stratagym.envs.stratego.rules import begin, clear


@njit(cache=True)
def _set_at(rules, states, pieces, player):
    s = states[0]
    core.seed_rng(s, 0)
    clear(rules, s)
    for k in range(pieces.shape[0]):
        put_piece(rules, s, pieces[k, 0], pieces[k, 2], pieces[k, 1])
    s.player = player
    begin(rules, s)


def position(rules: Any, pieces: Iterable[tuple[int, int, int]], player: int = 0) -> np.ndarray:
    """The state (1,) in which pieces that nobody has seen or moved yet are about to play.

    They may stand anywhere on the board, and be fewer than the board's.

    Args:
        pieces: (seat, kind, absolute cell) each, on different cells. player: who moves first.

    Raises:
        ValueError: a kind, a cell or a number of pieces that the board does not have, in one line.
    """
    placed = np.array([tuple(one) for one in pieces], np.int64).reshape(-1, 3)
    cells = rules.rows * rules.columns
    for seat, kind, cell in placed.tolist():
        if seat not in (0, 1) or not 1 <= kind <= KINDS or not 0 <= cell < cells:
            raise ValueError(f"stratego: no piece (seat, kind, cell) is {(seat, kind, cell)}")
        if is_lake.py_func(rules, cell) or (placed[:, 2] == cell).sum() > 1:
            raise ValueError(f"stratego: cell {cell} is a lake or has two pieces")
        most = int(count_of.py_func(rules.pieces, kind))
        if ((placed[:, 0] == seat) & (placed[:, 1] == kind)).sum() > most:
            raise ValueError(f"stratego: seat {seat} has more than {most} pieces of kind {kind}")
    order = np.lexsort([np.where(placed[:, 0], cells - placed[:, 2], placed[:, 2]), placed[:, 0]])
    states = core.new_states(rules)
    _set_at(rules, states, placed[order], player)
    return states


def absolute_move(rules: Any, seat: int, action: int) -> tuple[int, int]:
    """(from, to) of a move's action, as absolute cells."""
    source, target = moves_from.py_func(rules, action)
    return int(cell_of.py_func(rules, seat, source)), int(cell_of.py_func(rules, seat, target))


def action_of(rules: Any, seat: int, start: int, end: int) -> int:
    """The action of a move between two absolute cells of one row or column."""
    source, target = cell_of.py_func(rules, seat, start), cell_of.py_func(rules, seat, end)
    return int(move_id.py_func(rules, source, target))


def to_stratego_env(rules: Any, seat: int, action: int) -> int:
    """A move's number in stratego_env's one-dimensional action space, as seat 0 sees the board.

    That is ``cell * (rows + columns)`` and the target's row or, in the same row, ``rows`` and the
    target's column.
    """
    start, end = absolute_move(rules, seat, action)
    (row, _), (to, column) = divmod(start, rules.columns), divmod(end, rules.columns)
    return start * (rules.rows + rules.columns) + (rules.rows + column if to == row else to)


def from_stratego_env(rules: Any, seat: int, number: int) -> int:
    """The action of a move's number in stratego_env. Raises ``ValueError`` for what is no move."""
    start, way = divmod(number, rules.rows + rules.columns)
    row, column = divmod(start, rules.columns)
    end = (
        rules.columns * row + way - rules.rows
        if way >= rules.rows
        else rules.columns * way + column
    )
    if not 0 <= start < min(rules.rows * rules.columns, MOST_CELLS) or start == end:
        raise ValueError(f"stratego: {number} is no move of stratego_env")
    return action_of(rules, seat, start, end)


_YORKTOWN = 36, 18, 10
"""Numbers a cell and a direction, and cells a column, in yorktown."""


def to_yorktown(seat: int, action: int, rules: Any) -> int:
    """A move's number in OpenSpiel's unreleased ``yorktown``, of 3,600, on boards of 10 x 10.

    Cells are counted column by column; Blue's rows are mirrored, its columns are not.
    """
    start, end = absolute_move(rules, seat, action)
    (row, column), (to_row, to_column) = divmod(start, 10), divmod(end, 10)
    if seat:
        row, to_row = 9 - row, 9 - to_row
    horizontal = int(to_row == row)
    apart = to_column - column if horizontal else to_row - row
    each, ways, tall = _YORKTOWN
    return each * (column * tall + row) + ways * horizontal + apart + (9 if apart < 0 else 8)


def from_yorktown(seat: int, number: int, rules: Any) -> int:
    """The action of a move's number in ``yorktown``. Raises ``ValueError`` for what is no move."""
    each, ways, tall = _YORKTOWN
    cell, way = divmod(number, each)
    column, row = divmod(cell, tall)
    horizontal, apart = divmod(way, ways)
    apart -= 9 if apart < 9 else 8
    to_row, to_column = (row, column + apart) if horizontal else (row + apart, column)
    if not (0 <= number < 3600 and 0 <= to_row < 10 and 0 <= to_column < 10):
        raise ValueError(f"stratego: {number} is no move of yorktown")
    if seat:
        row, to_row = 9 - row, 9 - to_row
    return action_of(rules, seat, 10 * row + column, 10 * to_row + to_column)
