"""What a player of Stratego can work out: values, who may be what, and worlds that agree with it.

Everything here goes by what the seat may know; the record's hidden kinds are counted, which is
public, and never looked at one by one. Chances are whole numbers out of ``ONE``, kept in an int64
array (``memory``) that the caller gives.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.core import mix64, random_unit
from stratagym.envs.stratego.boards import (
    BOMB,
    FLAG,
    KINDS,
    MOST_PIECES,
)
from stratagym.envs.stratego.dealing import BACK_ROWS, HUMAN_ORDER, count_of, total_of
from stratagym.envs.stratego.moves import cell_of, flip_piece
from stratagym.envs.stratego.setups import HUMAN_COUNTS

VALUES = np.array([0, 100, 30, 60, 30, 50, 80, 140, 200, 350, 500, 3000, 90], np.float64)
"""What each kind is worth; 0 is none."""
ONE = 1 << 30
ROUNDS = 20
"""Of scaling rows and columns of beliefs."""
WIDTH = KINDS + 1
_GAMMA = np.uint64(0x9E3779B97F4A7C15)
PLACES = MOST_PIECES
"""At the head of ``memory`` stands each enemy piece's row of chances, -1 for what is known."""


@njit(cache=True)
def known_at(rules):
    """Where in ``memory`` the list of known enemy pieces begins: how many, then each of them."""
    return PLACES + total_of(rules.pieces) * WIDTH


@njit(cache=True)
def size(rules):
    """How many numbers of ``memory`` a player takes."""
    return known_at(rules) + 1 + total_of(rules.pieces)


@njit(cache=True)
def list_known(rules, s, seat, memory):
    """Write which pieces of a seat are known: row, column and kind, eight bits each."""
    at, n = known_at(rules) + 1, 0
    for k in range(MOST_PIECES):
        piece = MOST_PIECES * seat + k
        if s.pos[piece] >= 0 and s.shown[piece]:
            row, column = s.pos[piece] // rules.columns, s.pos[piece] % rules.columns
            memory[at + n] = row << 16 | column << 8 | s.kind[piece]
            n += 1
    memory[at - 1] = n


@njit(cache=True)
def key_of(s):
    """What a player's ties are broken by in a position."""
    return mix64(s.rng + np.uint64(101 * s.ply + s.cell) * _GAMMA)


@njit(cache=True)
def hidden_kinds(s, seat):
    """(a seat's hidden kinds, packed; how many of these pieces have moved; how many have not)."""
    kinds, moved, still = 0, 0, 0
    for k in range(MOST_PIECES):
        piece = MOST_PIECES * seat + k
        if s.pos[piece] >= 0 and not s.shown[piece]:
            kinds += 1 << 4 * s.kind[piece]
            moved += s.moved[piece]
            still += 1 - s.moved[piece]
    return kinds, moved, still


# --- chances -------------------------------------------------------------------------------------


@njit(cache=True)
def by_numbers(s, seat, memory):
    """Write the chances of a seat's hidden pieces by how many there are of each kind.

    Two rows are made: of pieces that have moved and of those that never have.
    """
    kinds, moved, still = hidden_kinds(s, seat)
    fixed = count_of(kinds, FLAG) + count_of(kinds, BOMB)
    mobile = moved + still - fixed
    for kind in range(WIDTH):
        count = count_of(kinds, kind) if kind else 0
        share = ONE * count // mobile if mobile and kind < FLAG else 0
        memory[PLACES + kind] = share
        if kind < FLAG:
            share = share * (still - fixed) // still if still else 0
        else:
            share = ONE * count // still if still else 0
        memory[PLACES + WIDTH + kind] = share
    for k in range(MOST_PIECES):
        piece = MOST_PIECES * seat + k
        is_hidden = s.pos[piece] >= 0 and not s.shown[piece]
        memory[k] = 1 - s.moved[piece] if is_hidden else -1


@njit(cache=True)
def by_homes(rules, s, seat, memory):
    """Write the chances of a seat's hidden pieces, a row each, by where they were set up.

    How often people put a kind onto a home cell, times what the piece has done since, scaled in
    turn to one piece a row and to the numbers of kinds that are left.
    """
    kinds, rows = hidden_kinds(s, seat)[0], 0
    late = min(1.0, s.ply / 400.0)
    for k in range(MOST_PIECES):
        piece = MOST_PIECES * seat + k
        memory[k] = -1
        if s.pos[piece] < 0 or s.shown[piece]:
            continue
        memory[k] = rows
        at, home = PLACES + rows * WIDTH, cell_of(rules, seat, np.int64(s.home[piece]))
        front = home // rules.columns == rules.home_rows - 1
        for kind in range(1, WIDTH):
            weight = 0.0
            if count_of(kinds, kind):
                weight = 1.0
                if rules.humans >= 0:
                    weight = 0.02 + HUMAN_COUNTS[rules.humans, kind, home] / 1000.0
                if kind >= FLAG:
                    if s.moved[piece] or (
                        kind == FLAG and rules.back_two and home >= BACK_ROWS * rules.columns
                    ):
                        weight = 0.0
                elif not s.moved[piece]:
                    weight *= 1.0 - (0.75 if front else 0.5) * late
            memory[at + kind] = np.int64(weight * 65536.0)
        memory[at] = 0
        rows += 1
    _scale(kinds, rows, memory)


@njit(cache=True)
def _scale(kinds, rows, memory):
    """Scale rows to ``ONE`` and columns to the numbers of kinds, in turn."""
    for _ in range(ROUNDS):
        for kind in range(1, WIDTH):
            total = 0
            for row in range(rows):
                total += memory[PLACES + row * WIDTH + kind]
            if total:
                wanted = float(ONE) * count_of(kinds, kind) / total
                for row in range(rows):
                    at = PLACES + row * WIDTH + kind
                    memory[at] = np.int64(memory[at] * wanted)
        for row in range(rows):
            at, total = PLACES + row * WIDTH, 0
            for kind in range(1, WIDTH):
                total += memory[at + kind]
            if total:
                wanted = float(ONE) / total
                for kind in range(1, WIDTH):
                    memory[at + kind] = np.int64(memory[at + kind] * wanted)


@njit(cache=True)
def chance(memory, piece, kind):
    """How likely a hidden piece is of a kind, 0 to 1."""
    row = memory[piece % MOST_PIECES]
    return memory[PLACES + row * WIDTH + kind] / float(ONE)


@njit(cache=True)
def imagine(rules, s, seat, memory):
    """Draw a seat's hidden kinds by the chances in ``memory``, which ``by_homes`` wrote.

    Flag and bombs first, then the others from the highest on, each onto one of the pieces that are
    left; so there is always one.
    """
    kinds = hidden_kinds(s, seat)[0]
    taken = np.uint64(0)
    one = np.uint64(1)
    for place in range(KINDS):
        kind = HUMAN_ORDER[place]
        for _ in range(count_of(kinds, kind)):
            total, chosen, count = 0.0, -1, 0
            for k in range(MOST_PIECES):
                if memory[k] >= 0 and not taken >> np.uint64(k) & one:
                    total += chance(memory, k, kind)
            drawn = random_unit(s) * total
            for k in range(MOST_PIECES):
                if memory[k] < 0 or taken >> np.uint64(k) & one:
                    continue
                piece = MOST_PIECES * seat + k
                if kind >= FLAG and s.moved[piece]:
                    continue
                weight = chance(memory, k, kind)
                if chosen < 0 or weight > 0.0:
                    chosen = k
                    drawn -= weight
                    count += 1
                    if drawn < 0.0:
                        break
            taken |= one << np.uint64(chosen)
            _become(rules, s, seat, MOST_PIECES * seat + chosen, kind)


@njit(cache=True)
def _become(rules, s, seat, piece, kind):
    """Make a hidden piece one of another kind."""
    cell = np.int64(s.pos[piece])
    flip_piece(rules, s, seat, cell, s.kind[piece])
    flip_piece(rules, s, seat, cell, kind)
    s.kind[piece] = kind
