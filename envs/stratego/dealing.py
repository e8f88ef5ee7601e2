"""Setups that are drawn, and what a seat cannot know, drawn anew; kernel functions.

Home cells are counted as the seat sees them: its back row first, from the left.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, ONE
from stratagym.envs.core import random_below, random_unit
from stratagym.envs.stratego.boards import BOMB, FLAG, KINDS, MOST_HOME, MOST_PIECES
from stratagym.envs.stratego.moves import cell_of, flip_piece, has_move
from stratagym.envs.stratego.repetition import HISTORY, KIND_CHASE, piece_key
from stratagym.envs.stratego.setups import HUMAN_COUNTS, SCENE

PLACE, HUMAN, RANDOM, FIXED, SCENES = 0, 1, 2, 3, 4
HUMAN_ORDER = np.array([FLAG, BOMB, 10, 9, 8, 1, 7, 6, 5, 3, 4, 2])
"""The kinds in the order in which a human setup is drawn."""
_BESIDE_FLAG = 4.0
"""How much likelier a bomb is drawn onto a neighbour of the flag."""
_LEAST = 1e-9
_MOST_DRAWS = 1000
BACK_ROWS = 2
"""Rows that the flag is set up on under ``flag_rows="back_two"``."""


@njit(cache=True)
def count_of(pieces, kind):
    """How many of a kind there are in numbers that are packed as ``boards.packed`` has them."""
    return pieces >> 4 * kind & 15


@njit(cache=True)
def total_of(pieces):
    """How many pieces there are in packed numbers."""
    total = 0
    for kind in range(1, KINDS + 1):
        total += count_of(pieces, kind)
    return total


@njit(cache=True)
def kind_at(pieces, place):
    """The kind of piece number ``place`` (0 ..) of packed numbers, in the order of kinds."""
    kind = 1
    while place >= count_of(pieces, kind):
        place -= count_of(pieces, kind)
        kind += 1
    return kind


@njit(cache=True)
def put_piece(rules, s, seat, cell, kind):
    """Put a seat's next piece on an absolute cell."""
    piece = MOST_PIECES * seat + s.placed[seat]
    s.placed[seat] += 1
    s.board[cell] = piece + 1
    s.kind[piece] = kind
    s.pos[piece] = cell
    s.home[piece] = cell
    flip_piece(rules, s, seat, cell, kind)


@njit(cache=True)
def clear_seat(rules, s, seat):
    """Take all of a seat's pieces off the board."""
    for k in range(MOST_PIECES):
        piece = MOST_PIECES * seat + k
        if s.pos[piece] >= 0:
            s.board[s.pos[piece]] = 0
        s.kind[piece] = 0
        s.pos[piece] = -1
        s.home[piece] = -1
        s.shown[piece] = 0
        s.moved[piece] = 0
    for word in range(2):
        s.own[seat, 0, word] = 0
        s.own[seat, 1, word] = 0
        s.movers[seat, word] = 0
        s.scouts[seat, word] = 0
    s.placed[seat] = 0


@njit(cache=True)
def draw_random(rules, s, seat, cells):
    """Set up the first ``cells`` home cells of a uniform setup; returns the pieces that are left.

    Each cell gets a kind, or nothing, in proportion to what is still to be placed. Under
    ``flag_rows="back_two"`` the flag's cell is drawn before.
    """
    home = rules.home_rows * rules.columns
    left, pieces, flag = rules.pieces, total_of(rules.pieces), -1
    if rules.back_two and count_of(left, FLAG):
        flag = random_below(s, min(home, BACK_ROWS * rules.columns))
        left -= 1 << 4 * FLAG
        pieces -= 1
    rest = home - (flag >= 0)
    for cell in range(home):
        if cell == cells:
            break
        kind = 0
        if cell == flag:
            kind = FLAG
        else:
            place = random_below(s, rest)
            rest -= 1
            if place < pieces:
                kind = kind_at(left, place)
                left -= 1 << 4 * kind
                pieces -= 1
        if kind:
            put_piece(rules, s, seat, cell_of(rules, seat, cell), kind)
    return left + (1 << 4 * FLAG) if flag >= cells else left


@njit(cache=True)
def draw_human(rules, s, seat):
    """Set up a seat as people do: kind by kind, by how often each stood on each cell."""
    home = rules.home_rows * rules.columns
    free, flag = (ONE << np.uint64(home)) - ONE, -1
    for k in range(KINDS):
        kind = HUMAN_ORDER[k]
        for _ in range(count_of(rules.pieces, kind)):
            total = 0.0
            for cell in range(home):
                total += _weight(rules, free, flag, kind, cell)
            drawn, chosen = random_unit(s) * total, -1
            for cell in range(home):
                weight = _weight(rules, free, flag, kind, cell)
                if weight > 0.0:
                    chosen = cell
                    drawn -= weight
                    if drawn < 0.0:
                        break
            free ^= ONE << np.uint64(chosen)
            if kind == FLAG:
                flag = chosen
            s.board[cell_of(rules, seat, chosen)] = kind
    _number(rules, s, seat, home)


@njit(cache=True)
def _weight(rules, free, flag, kind, cell):
    """How likely a piece of a kind is drawn onto a home cell, of which ``free`` are empty."""
    if free >> np.uint64(cell) & ONE == EMPTY:
        return 0.0
    columns = rules.columns
    if kind == FLAG and rules.back_two and cell >= BACK_ROWS * columns:
        return 0.0
    weight = HUMAN_COUNTS[rules.humans, kind, cell] + _LEAST
    if kind == BOMB and flag >= 0:
        apart = abs(cell - flag)
        if apart == columns or (apart == 1 and cell // columns == flag // columns):
            weight *= _BESIDE_FLAG
    return weight


@njit(cache=True)
def _number(rules, s, seat, home):
    """Make pieces of the kinds that stand on the board's home cells, in the cells' order."""
    for k in range(home):
        cell = cell_of(rules, seat, k)
        kind = np.int64(s.board[cell])
        s.board[cell] = 0
        if kind:
            put_piece(rules, s, seat, cell, kind)


@njit(cache=True)
def set_up(rules, s, seat):
    """Set up a seat as the options say, other than by placing."""
    if rules.setup == RANDOM:
        draw_random(rules, s, seat, MOST_HOME)
    elif rules.setup == HUMAN or (rules.setup == SCENES and seat == 1):
        draw_human(rules, s, seat)
    else:
        for cell in range(MOST_HOME):
            put_piece(rules, s, seat, cell_of(rules, seat, cell), SCENE[seat, cell])


@njit(cache=True)
def redraw(rules, s, player):
    """Draw anew all that ``player`` cannot know; see ``determinize`` of the rules."""
    other = 1 - player
    if s.phase == 0:
        home = rules.home_rows * rules.columns
        cells = s.cell if s.player == other else home if s.player > other else 0
        clear_seat(rules, s, other)
        left = draw_random(rules, s, other, cells)
        if s.player == other:
            s.left = left
    else:
        for _ in range(_MOST_DRAWS):
            _redraw_kinds(rules, s, other)
            if s.player == player or s.over or has_move(rules, s, other):
                break


@njit(cache=True)
def _redraw_kinds(rules, s, seat):
    """Draw the kinds of a seat's hidden pieces, uniformly over what the other seat may think.

    In the order of the board's cells, each in proportion to what is still to be placed: first the
    flag and the bombs over the pieces that never moved, then the others.
    """
    pieces, still, eligible = 0, 0, 0
    for cell in range(rules.rows * rules.columns):
        piece = s.board[cell] - 1
        if piece >= 0 and (piece >= MOST_PIECES) == (seat == 1) and not s.shown[piece]:
            pieces += 1 << 4 * s.kind[piece]
            if not s.moved[piece]:
                still += 1
                eligible += _may_be_flag(rules, seat, cell)
    bombs, flags = count_of(pieces, BOMB), count_of(pieces, FLAG)
    flag = random_below(s, eligible) if flags else -1
    pieces -= (bombs << 4 * BOMB) + (flags << 4 * FLAG)
    others, still = total_of(pieces), still - flags
    moved = np.uint64(0)
    for cell in range(rules.rows * rules.columns):
        piece = s.board[cell] - 1
        if piece < 0 or (piece >= MOST_PIECES) != (seat == 1) or s.shown[piece]:
            continue
        kind = 0
        if not s.moved[piece]:
            if flags and _may_be_flag(rules, seat, cell):
                if flag == 0:
                    kind = FLAG
                flag -= 1
            if kind == 0:
                if random_below(s, still) < bombs:
                    kind = BOMB
                    bombs -= 1
                still -= 1
        if kind == 0:
            kind = kind_at(pieces, random_below(s, others))
            pieces -= 1 << 4 * kind
            others -= 1
        if kind != s.kind[piece]:
            moved ^= piece_key(rules, s, piece, cell)
            flip_piece(rules, s, seat, cell, s.kind[piece])
            flip_piece(rules, s, seat, cell, kind)
            s.kind[piece] = kind
            moved ^= piece_key(rules, s, piece, cell)
    if rules.chase == KIND_CHASE:
        s.hash ^= moved
        for k in range(HISTORY):
            s.hist[k] ^= moved


@njit(cache=True)
def _may_be_flag(rules, seat, cell):
    """Whether a piece that never moved may be the flag on an absolute cell, by the options."""
    return not rules.back_two or cell_of(rules, seat, cell) < BACK_ROWS * rules.columns
