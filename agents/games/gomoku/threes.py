"""Victory by continuous threats: fours and open threes, each of which has to be answered.

A three, as the word is used here, is a stone after which the next one could give two cells that
complete a line. Against it several replies may do: all that leave no such stone, and the
defender's own fours. The search tries each of them, and looks for a victory by continuous fours
after every one. It works on a stack of its own.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.envs.gomoku import fours
from stratagym.envs.gomoku.fours import four_cells, may_place, position_key, put
from stratagym.envs.gomoku.lines import BLACK, DIRECTIONS, WHITE, bit_of, cell_at, extent, word_of
from stratagym.envs.gomoku.rules import IN_TURN, RUNNING
from stratagym.envs.gomoku.windows import (
    gain_cells,
    gain_cells_through,
    makes_two_gains,
    most_stones_through,
)

DEPTH = 6
"""Stones of the attacker before a victory by fours has to be there."""
POSITIONS = 1500
"""Positions with the attacker to move that are looked at before a search gives up."""
_FOURS_POSITIONS = 300
_TABLE, _FOURS_TABLE = 1 << 13, 1 << 10
_UNKNOWN, _WON, _LOST = range(3)
_NO_THREAT = -1


@njit(cache=True)
def _is_empty(s, columns, cell):
    row, column = cell // columns, cell % columns
    return not (s.lines[BLACK, 0, row] | s.lines[WHITE, 0, row]) >> column & 1


@njit(cache=True)
def _breakers(rules, s, colour, cell, out):
    """Write the empty cells that could hinder what a stone of ``colour`` on ``cell`` threatens.

    Those on its lines as far as windows reach, and the cell itself.
    """
    row, column = cell // rules.columns, cell % rules.columns
    out[0] = cell
    n = 1
    for direction in range(DIRECTIONS):
        word = word_of(rules, direction, row, column)
        bit = bit_of(direction, row, column)
        first, end = extent(rules, direction, word)
        for k in range(max(first, bit - rules.connect + 1), min(end, bit + rules.connect)):
            other = cell_at(rules, direction, word, k)
            if k != bit and _is_empty(s, rules.columns, other):
                out[n] = other
                n += 1
    return n


@njit(cache=True)
def _write_replies(rules, s, colour, cell, out, wins, more):
    """Write the replies to the attacker's stone on ``cell`` that do not lose at once.

    Returns how many: 0 where all do, ``_NO_THREAT`` where the stone threatens nothing.
    ``wins`` and ``more`` are scratch of as many cells as the board has.
    """
    other = 1 - colour
    reply, second = gain_cells_through(rules, s, colour, cell)
    if second >= 0:
        return 0
    if reply >= 0:
        out[0] = reply
        return 1 if may_place(rules, s, other, reply) else 0
    # Two cells that complete a line come of a four: only such stones are looked at.
    n_wins = 0
    for k in range(four_cells(rules, s, colour, more)):
        if makes_two_gains(rules, s, colour, more[k]) and may_place(rules, s, colour, more[k]):
            wins[n_wins] = more[k]
            n_wins += 1
    if n_wins == 0:
        return _NO_THREAT
    n = 0
    for k in range(_breakers(rules, s, colour, wins[0], more)):
        reply = more[k]
        if not may_place(rules, s, other, reply):
            continue
        put(rules, s, other, reply)
        stands = False
        for j in range(n_wins):
            if (
                wins[j] != reply
                and makes_two_gains(rules, s, colour, wins[j])
                and may_place(rules, s, colour, wins[j])
            ):
                stands = True
                break
        put(rules, s, other, reply)
        if not stands:
            out[n] = reply
            n += 1
    for k in range(four_cells(rules, s, other, more)):
        known = not may_place(rules, s, other, more[k])
        for j in range(n):
            known |= out[j] == more[k]
        if not known:
            out[n] = more[k]
            n += 1
    return n


@njit(cache=True)
def _write_attacks(rules, s, colour, out):
    """Write the cells on which a stone may threaten something: fours first, then threes."""
    n = four_cells(rules, s, colour, out)
    for cell in range(rules.rows * rules.columns):
        if not _is_empty(s, rules.columns, cell):
            continue
        most = most_stones_through(rules, s, colour, cell)
        if rules.connect - 3 <= most < rules.connect - 2:
            out[n] = cell
            n += 1
    return n


@njit(cache=True, nogil=True)
def search(
    rules, s, colour, depth, positions, attacks, replies, numbers, wins, more, seen,
    cells, counts, places, blocks, seen_fours, line,
):  # fmt: skip
    """Look for a victory by continuous threats of ``colour``, whose turn it is.

    Args:
        s: a record; its lines are changed and put back.
        attacks, replies: (``depth`` + 1, actions) scratch. numbers: (``depth`` + 1, 4) scratch.
        wins, more: (actions,) scratch. seen: (any,) uint64, zeros.
        cells, counts, places, blocks, seen_fours, line: scratch of ``fours.search``.

    Returns:
        (its first stone or -1, positions looked at).
    """
    level, visited = 0, 0
    opening = True
    while True:
        value = _UNKNOWN
        if opening:
            opening = False
            visited += 1
            numbers[level, 0] = numbers[level, 1] = 0
            key = position_key(rules, s) ^ np.uint64(level)
            if seen[np.int64(key >> np.uint64(32)) % len(seen)] == key:
                value = _LOST
            else:
                seen_fours[:] = 0
                length = fours.search(
                    rules, s, colour, fours.DEPTH, _FOURS_POSITIONS, cells, counts, places, blocks,
                    seen_fours, line,
                )  # fmt: skip
                if length:
                    if level == 0:
                        return line[0], visited
                    value = _WON
                elif level == depth or visited >= positions:
                    value = _LOST
                else:
                    forced, second = gain_cells(rules, s, 1 - colour)
                    if second >= 0:
                        value = _LOST
                    elif forced >= 0:
                        attacks[level, 0] = forced
                        numbers[level, 1] = 1
                    else:
                        numbers[level, 1] = _write_attacks(rules, s, colour, attacks[level])
        if value == _UNKNOWN:
            k = numbers[level, 0]
            if k == numbers[level, 1] or visited >= positions:
                value = _LOST
                key = position_key(rules, s) ^ np.uint64(level)
                seen[np.int64(key >> np.uint64(32)) % len(seen)] = key
            else:
                numbers[level, 0] = k + 1
                cell = attacks[level, k]
                if not may_place(rules, s, colour, cell):
                    continue
                put(rules, s, colour, cell)
                n = _write_replies(rules, s, colour, cell, replies[level], wins, more)
                if n <= 0:
                    put(rules, s, colour, cell)
                    if n == _NO_THREAT:
                        continue
                    value = _WON
                else:
                    numbers[level, 2], numbers[level, 3] = 0, n
                    put(rules, s, 1 - colour, replies[level, 0])
                    level += 1
                    opening = True
                    continue
        while value != _UNKNOWN:
            if level == 0:
                return attacks[0, numbers[0, 0] - 1] if value == _WON else -1, visited
            level -= 1
            cell, k = attacks[level, numbers[level, 0] - 1], numbers[level, 2]
            put(rules, s, 1 - colour, replies[level, k])
            if value == _LOST:
                put(rules, s, colour, cell)
                value = _UNKNOWN
            elif k + 1 < numbers[level, 3]:
                numbers[level, 2] = k + 1
                put(rules, s, 1 - colour, replies[level, k + 1])
                level += 1
                opening = True
                value = _UNKNOWN
            else:
                put(rules, s, colour, cell)


@njit(cache=True)
def search_at(
    rules, states, i, colour, depth, positions, attacks, replies, numbers, wins, more, seen,
    cells, counts, places, blocks, seen_fours, line,
):  # fmt: skip
    """The same for element ``i`` of an array of states."""
    return search(
        rules, states[i], colour, depth, positions, attacks, replies, numbers, wins, more, seen,
        cells, counts, places, blocks, seen_fours, line,
    )  # fmt: skip


def win_by_threats(rules: Any, states: np.ndarray, depth: int = DEPTH) -> int:
    """The first stone of a victory by continuous threats of the seat to move, or -1.

    The search deepens, so that after a stone of a win and the reply to it less is to be searched.
    """
    s = states[0]
    if s["ended"] != RUNNING or s["phase"] != IN_TURN:
        return -1
    actions, deep = rules.num_actions, fours.DEPTH
    attacks, replies = (np.zeros((depth + 1, 2 * actions), np.int64) for _ in range(2))
    numbers, seen = np.zeros((depth + 1, 4), np.int64), np.zeros(_TABLE, np.uint64)
    wins, more = (np.zeros(actions, np.int64) for _ in range(2))
    scratch = (
        np.zeros((deep + 1, actions), np.int64),
        *(np.zeros(deep + 1, np.int64) for _ in range(3)),
        np.zeros(_FOURS_TABLE, np.uint64),
        np.zeros(2 * deep + 3, np.int64),
    )
    own = states[:1].copy()
    for stones in range(depth + 1):
        seen[:] = 0
        found, visited = search_at(
            rules, own, 0, int(s["stones"]) % 2, stones, POSITIONS, attacks, replies, numbers,
            wins, more, seen, *scratch,
        )  # fmt: skip
        if found >= 0:
            return int(found)
        if visited >= POSITIONS:
            break
    return -1
