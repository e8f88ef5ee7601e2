"""Victory by continuous fours: every stone of it but the last threatens to complete a line.

The opponent has one reply each time, so that such a win is found many plies deep. The search goes
down first, on a stack of its own, and never looks twice at a position in vain.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs.bits import lowest, popcount
from stratagym.envs.core import mix64
from stratagym.envs.gomoku.lines import (
    BLACK,
    DIRECTIONS,
    WHITE,
    cell_at,
    stones_in,
    turn_stone,
    words_in,
)
from stratagym.envs.gomoku.renju import is_forbidden
from stratagym.envs.gomoku.rules import IN_TURN, RENJU, RUNNING
from stratagym.envs.gomoku.windows import (
    count_stones,
    gain_cells,
    gain_cells_through,
    open_windows,
    with_count,
)

DEPTH = 15
"""Stones of the attacker in a line that is looked for, the winning one not counted."""
POSITIONS = 20_000
"""Positions looked at before a search gives up."""
_TABLE = 1 << 14
_GAMMA = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True)
def position_key(rules, s):
    """64 bits that tell the stones on the board."""
    key = np.uint64(1)
    for row in range(rules.rows):
        black, white = np.uint64(s.lines[BLACK, 0, row]), np.uint64(s.lines[WHITE, 0, row])
        key = mix64((key ^ black ^ white << np.uint64(32)) + _GAMMA)
    return key | np.uint64(1)


@njit(cache=True)
def put(rules, s, colour, cell):
    """Put a stone into the lines, or take it back."""
    turn_stone(rules, s, colour, cell // rules.columns, cell % rules.columns)


@njit(cache=True)
def may_place(rules, s, colour, cell):
    """Whether renju lets a colour place a stone on an empty cell."""
    return not (rules.line == RENJU and colour == BLACK and is_forbidden(rules, s, cell))


@njit(cache=True)
def four_cells(rules, s, colour, out):
    """Write the cells that make a four of a three; returns how many."""
    n = 0
    for direction in range(DIRECTIONS):
        for word in range(words_in(rules, direction)):
            own = stones_in(s, colour, direction, word)
            if popcount(own) < rules.connect - 2:
                continue
            windows = with_count(count_stones(rules, own), rules.connect - 2)
            windows &= open_windows(rules, s, colour, direction, word)
            bits = 0
            while windows:
                bits |= ((1 << rules.connect) - 1) << lowest(windows)
                windows &= windows - 1
            bits &= ~own
            while bits:
                cell = cell_at(rules, direction, word, lowest(bits))
                bits &= bits - 1
                known = False
                for k in range(n):
                    known |= out[k] == cell
                if not known:
                    out[n] = cell
                    n += 1
    return n


@njit(cache=True)
def _open(rules, s, colour, reply, cells, counts, level, seen):
    """Write what the attacker may try; returns the cell that wins at once, or -1.

    Nothing where the position was looked at before, or where the defender can win. ``reply`` is the
    defender's last stone, -1 at the root: below it nobody but it can have made a new four.
    """
    counts[level] = 0
    key = position_key(rules, s)
    place = np.int64(key >> np.uint64(32)) % len(seen)
    if seen[place] == key:
        return -1
    seen[place] = key
    if reply < 0:
        win, _ = gain_cells(rules, s, colour)
        if win >= 0:
            return win
        forced, second = gain_cells(rules, s, 1 - colour)
    else:
        forced, second = gain_cells_through(rules, s, 1 - colour, reply)
    if second >= 0:
        return -1
    if forced >= 0:
        cells[level, 0] = forced
        counts[level] = 1
    else:
        counts[level] = four_cells(rules, s, colour, cells[level])
    return -1


@njit(cache=True, nogil=True)
def search(rules, s, colour, depth, positions, cells, counts, places, replies, seen, line):
    """Look for a victory by continuous fours of ``colour``, whose turn it is.

    Args:
        s: a record; its lines are changed and put back.
        cells, counts, places, replies: scratch, ``depth`` + 1 levels; of ``cells`` one action each.
        seen: (any,) uint64, zeros: positions looked at in vain.
        line: (2 * depth + 3,) int64: the stones of the win, both sides', the last completing it.

    Returns:
        The length of the line, 0 where none was found.
    """
    level = visited = 0
    win = _open(rules, s, colour, -1, cells, counts, 0, seen)
    places[0] = 0
    while True:
        length = 0
        if win >= 0:
            line[2 * level] = win
            length = 2 * level + 1
        elif places[level] < counts[level] and visited < positions:
            cell = cells[level, places[level]]
            places[level] += 1
            visited += 1
            if not may_place(rules, s, colour, cell):
                continue
            put(rules, s, colour, cell)
            reply, second = gain_cells_through(rules, s, colour, cell)
            line[2 * level] = cell
            if reply >= 0 and (second >= 0 or not may_place(rules, s, 1 - colour, reply)):
                if not may_place(rules, s, 1 - colour, reply):
                    second = reply  # the cell that cannot be taken
                line[2 * level + 1] = reply if second != reply else -1
                line[2 * level + 2] = second
                length = 2 * level + 3
                put(rules, s, colour, cell)
            elif reply < 0 or level == depth:
                put(rules, s, colour, cell)
                continue
            else:
                line[2 * level + 1] = replies[level] = reply
                put(rules, s, 1 - colour, reply)
                level += 1
                places[level] = 0
                win = _open(rules, s, colour, reply, cells, counts, level, seen)
                continue
        if length == 0 and level == 0:
            return 0
        if length:  # put everything back
            while level > 0:
                level -= 1
                put(rules, s, colour, cells[level, places[level] - 1])
                put(rules, s, 1 - colour, replies[level])
            return length
        level -= 1
        put(rules, s, colour, cells[level, places[level] - 1])
        put(rules, s, 1 - colour, replies[level])


@njit(cache=True)
def search_at(
    rules, states, i, colour, depth, positions, cells, counts, places, replies, seen, line
):
    """The same for element ``i`` of an array of states."""
    return search(
        rules, states[i], colour, depth, positions, cells, counts, places, replies, seen, line
    )


def win_by_fours(
    rules: Any, states: np.ndarray, *, opponent: bool = False, depth: int = DEPTH
) -> list[int]:
    """A victory by continuous fours of the seat to move in ``states[0]``.

    Args:
        opponent: look for one of the other seat instead, as if it were its turn.
        depth: the attacker's stones, but the last.

    Returns:
        The cells of both sides in turn, the last of which completes a line. -1 stands for any reply
        where renju forbids the only one. Empty if none was found.
    """
    s = states[0]
    if s["ended"] != RUNNING or s["phase"] != IN_TURN:
        return []
    colour = int(s["stones"]) % 2
    line = np.zeros(2 * depth + 3, np.int64)
    counts, places, replies = (np.zeros(depth + 1, np.int64) for _ in range(3))
    found = search_at(
        rules, states[:1].copy(), 0, 1 - colour if opponent else colour, depth, POSITIONS,
        np.zeros((depth + 1, rules.num_actions), np.int64), counts, places, replies,
        np.zeros(_TABLE, np.uint64), line,
    )  # fmt: skip
    return line[:found].tolist()
