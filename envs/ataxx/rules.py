"""The rules of ataxx on bitboards, as kernel functions.

Bit ``8 * row + column`` of a bitboard is a cell:

        a  b  c  d  e  f  g
    7   0  1  2  3  4  5  6      row 0, the top
    6   8  9 10 11 12 13 14
    5  16 17 18 19 20 21 22      right      + 1
    4  24 25 26 27 28 29 30      down       + 8
    3  32 33 34 35 36 37 38
    2  40 41 42 43 44 45 46
    1  48 49 50 51 52 53 54

The bits between the rows and below the last are never set. A step over an edge ends on one of them
and is taken out; only steps of two sideways have to be kept from the next row besides.

Actions count cells without gaps, ``7 * row + column``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, ONE, bit, lowest, popcount
from stratagym.envs.core import TERMINAL, seed_rng, sizes, winner_takes

SIDE = 7
CELLS = SIDE * SIDE
OFFSETS = tuple(
    (right, down)
    for down in range(-2, 3)
    for right in range(-2, 3)
    if max(abs(right), abs(down)) == 2
)
"""Where jumps come from: columns to the right and rows down of where they go."""
PASS = CELLS * (1 + len(OFFSETS))
MOST_QUIET = 100
"""The most that an observation says of quiet moves in a row."""
LONGEST, BOTZONE_LONGEST = 4500, 401
"""Moves after which a game is stopped: 45 empty cells, filled after 99 quiet moves each."""

GOING, FULL, WIPED_OUT, STUCK, QUIET, MOVE_LIMIT = range(6)
"""How a game ended, in the field ``over``; ``STUCK``: who is to move cannot, by Botzone's judge."""


def _set(*cells: tuple[int, int]) -> np.uint64:
    """Bitboard of cells (row, column)."""
    return np.uint64(sum(1 << 8 * row + column for row, column in cells))


BOARD = _set(*((row, column) for row in range(SIDE) for column in range(SIDE)))
BLOCKS = {
    "none": _set(),
    "corners": _set((2, 2), (2, 4), (4, 2), (4, 4)),
    "sides": _set((2, 3), (3, 2), (3, 4), (4, 3)),
}
"""Bitboard of the blocked cells by their option's name; ``Rules.blocks`` counts these."""
NO_BLOCKS, CORNERS, SIDES = BLOCKS.values()

GAPS = np.array([8 * down + right for right, down in OFFSETS])
"""From where a jump goes to where it comes from, in bits."""
JUMPERS = np.array(
    [
        _set(
            *(
                (row, column)
                for row in range(SIDE)
                for column in range(SIDE)
                if 0 <= row - down < SIDE and 0 <= column - right < SIDE
            )
        )
        for right, down in OFFSETS
    ]
)
"""The cells from which a jump by each offset stays on the board."""
_1, _8 = np.uint64(1), np.uint64(8)

STATE = np.dtype(
    [
        ("rng", "u8"),  # nothing is drawn; every record has one
        ("own", "u8"),  # stones of the seat to move
        ("opp", "u8"),  # those of the other seat
        ("quiet", "i2"),  # moves since the last clone, passes included
        ("plies", "i2"),  # decisions so far, passes included
        ("last", "i2"),  # the last action; -1 at the start
        ("player", "i1"),  # seat to move
        ("over", "i1"),
    ],
    align=True,
)


def _longest(rules):
    if rules.botzone:
        return BOTZONE_LONGEST
    free = CELLS - 4 - (4 if rules.blocks else 0)
    return free * rules.max_quiet or LONGEST


@sizes(
    actions=PASS + 1,
    observation=(SIDE, SIDE, 4),
    decisions=_longest,
    high=MOST_QUIET,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        blocks: which cells are blocked, by the order in ``BLOCKS``.
        max_quiet: moves in a row without a clone that are a draw; 0 for none.
        botzone: 1 for the rules of Botzone's judge. top: 1 if words count rows from the top.
        num_players: 2.
    """

    blocks: int
    max_quiet: int
    botzone: int
    top: int
    num_players: int = 2


def make_rules(blocks: str, max_quiet: int, judge: str, numbering: str) -> Rules:
    """Rules from the options as people write them; see the package's docstring."""
    botzone, top = int(judge == "botzone"), int(numbering == "top")
    return Rules(list(BLOCKS).index(blocks), max_quiet, botzone, top)


# --- bitboards -----------------------------------------------------------------------------------


@njit(cache=True)
def blocks_of(rules):
    """Bitboard of the blocked cells."""
    if rules.blocks == 0:
        return NO_BLOCKS
    return CORNERS if rules.blocks == 1 else SIDES


@njit(cache=True)
def empty_of(rules, s):
    """Bitboard of the cells that a stone may come to."""
    return BOARD & ~(s.own | s.opp | blocks_of(rules))


@njit(cache=True)
def around(cells):
    """These cells and all next to them, blocked ones too."""
    wide = cells | cells << _1 | cells >> _1
    return (wide | wide << _8 | wide >> _8) & BOARD


@njit(cache=True)
def reach(cells):
    """The cells that stones on these can come to by a clone or a jump, if they are empty."""
    return around(around(cells))


@njit(cache=True)
def jumps_higher(own, k):
    """The cells to which the stones of ``own`` jump that stand by the ``k``-th offset from them.

    Offsets below 8 jump to higher bits, the others to lower ones.
    """
    return (own & JUMPERS[k]) << np.uint64(-GAPS[k])


@njit(cache=True)
def jumps_lower(own, k):
    """The same for the offsets from 8 on."""
    return (own & JUMPERS[k]) >> np.uint64(GAPS[k])


@njit(cache=True)
def square_of(cell):
    """The bit of a cell, ``7 * row + column``."""
    return cell + cell // SIDE


@njit(cache=True)
def source_of(action):
    """The bit of the cell that a jump comes from; below 0 or no cell if it is off the board."""
    return square_of(action % CELLS) + GAPS[action // CELLS - 1]


@njit(cache=True)
def gain_of(own, opp, action):
    """Stones that a move turns, and 1 for a clone's new one."""
    if action == PASS:
        return 0
    turned = around(bit(square_of(action % CELLS))) & opp
    return popcount(turned) + (1 if action < CELLS else 0)


@njit(cache=True)
def after(own, opp, action):
    """(own, opp): the stones after a legal action of the side with ``own``."""
    if action == PASS:
        return own, opp
    to = bit(square_of(action % CELLS))
    if action >= CELLS:
        own ^= bit(source_of(action))
    turned = around(to) & opp
    return own | to | turned, opp ^ turned


# --- the kernel ----------------------------------------------------------------------------------


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    last = SIDE - 1
    s.own = bit(0) | bit(9 * last)
    s.opp = bit(last) | bit(8 * last)
    s.quiet = 0
    s.plies = 0
    s.last = -1
    s.player = 0
    s.over = GOING


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.over else s.player


@njit(cache=True)
def _write(cells, first, out, n):
    """Write ``first`` plus the cell's number for each of these cells from ``out[n]`` on.

    Returns where the next one belongs. Four are written at a time, the last of them perhaps for
    nothing: that is quicker than a branch for each. No side has so many moves that ``out`` ends.
    """
    at, n = n, n + popcount(cells)
    while cells:
        for k in range(4):
            square = lowest(cells)
            out[at + k] = first + square - (square >> 3)
            cells &= cells - ONE
        at += 4
    return n


@njit(cache=True)
def legal_actions(rules, s, out):
    """Clones by cell, then jumps by offset and cell; the pass where there is neither."""
    empty = empty_of(rules, s)
    n = _write(around(s.own) & empty, 0, out, 0)
    for k in range(8):  # two loops: the shift's direction is known in each
        n = _write(jumps_higher(s.own, k) & empty, CELLS * (1 + k), out, n)
    for k in range(8, 16):
        n = _write(jumps_lower(s.own, k) & empty, CELLS * (1 + k), out, n)
    if n == 0:
        out[0] = PASS
        n = 1
    return n


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    """Whether the seat to move may play ``action``, any integer."""
    if not 0 <= action <= PASS or s.over:
        return False
    empty = empty_of(rules, s)
    if action == PASS:
        return reach(s.own) & empty == EMPTY
    to = bit(square_of(action % CELLS)) & empty
    if action < CELLS:
        return around(s.own) & to != EMPTY
    k = action // CELLS - 1
    found = jumps_higher(s.own, k) if k < 8 else jumps_lower(s.own, k)
    return found & to != EMPTY


@njit(cache=True)
def _ending(rules, s):
    """How the game has ended in the position just reached, or ``GOING``."""
    empty = empty_of(rules, s)
    if s.own == EMPTY:
        return WIPED_OUT
    if empty == EMPTY:
        return FULL
    if rules.botzone:
        if reach(s.own) & empty == EMPTY:
            return STUCK
        return MOVE_LIMIT if s.plies == BOTZONE_LONGEST else GOING
    # While a cell is empty one side can move: a king gets from every free cell to every other.
    if rules.max_quiet:
        return QUIET if s.quiet >= rules.max_quiet else GOING
    return MOVE_LIMIT if s.plies == LONGEST else GOING


@njit(cache=True)
def step(rules, s, action):
    own, opp = after(s.own, s.opp, action)
    s.own, s.opp = opp, own
    s.quiet = 0 if action < CELLS else s.quiet + 1
    s.plies += 1
    s.last = action
    s.player = 1 - s.player
    s.over = _ending(rules, s)


@njit(cache=True)
def stones(rules, s):
    """(seat 0's, seat 1's) stones; in a game that Botzone's judge ended, with the empty cells."""
    own, opp = popcount(s.own), popcount(s.opp)
    if rules.botzone and s.over and s.over != MOVE_LIMIT:
        opp += popcount(empty_of(rules, s))
    if s.player:
        return opp, own
    return own, opp


@njit(cache=True)
def winner_of(rules, s):
    """The winner's seat; -1 for a draw or a game that goes on."""
    if s.over == GOING or (not rules.botzone and s.over >= QUIET):
        return -1
    first, second = stones(rules, s)
    if first == second:
        return 1 - s.player if rules.botzone else -1
    return 0 if first > second else 1


@njit(cache=True)
def returns(rules, s, out):
    winner_takes(winner_of(rules, s), out)


@njit(cache=True)
def observe(rules, s, player, out):
    """Plane 0: the observer's stones, 1: the opponent's, 2: blocks, 3: quiet moves so far."""
    own, opp = s.own, s.opp
    if s.player != player:
        own, opp = opp, own
    blocks, quiet = blocks_of(rules), min(s.quiet, MOST_QUIET)
    for row in range(SIDE):
        for column in range(SIDE):
            at = np.uint64(8 * row + column)
            out[row, column, 0] = own >> at & ONE
            out[row, column, 1] = opp >> at & ONE
            out[row, column, 2] = blocks >> at & ONE
            out[row, column, 3] = quiet
