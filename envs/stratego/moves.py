"""Where pieces can go, as kernel functions on sets of cells.

A set of cells is two words, cells 0 to 63 and 64 on. ``s.own[seat, eye]`` are the cells of a seat's
pieces as seat ``eye`` counts cells, its own back row first; ``s.movers[seat]`` and
``s.scouts[seat]`` those of pieces that can move and of scouts, as the seat itself does. So moves
are made alike for both seats.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, FULL, ONE, lowest
from stratagym.envs.stratego.boards import FIRST_COLUMN, FLAG, SCOUT
from stratagym.envs.stratego.repetition import FREE, NO_CHASE, barred, watched

_64 = 64


@njit(cache=True)
def up(low, high, by):
    """A set moved to higher cells, by 1 to 63."""
    k = np.uint64(by)
    return low << k, (high << k) | (low >> np.uint64(_64 - by))


@njit(cache=True)
def down(low, high, by):
    """A set moved to lower cells, by 1 to 63."""
    k = np.uint64(by)
    return (low >> k) | (high << np.uint64(_64 - by)), high >> k


@njit(cache=True)
def column_set(rules, column):
    """The cells of a column, and some beyond the last row of small boards."""
    low, high = FIRST_COLUMN[rules.columns, 0], FIRST_COLUMN[rules.columns, 1]
    if column == 0:
        return low, high
    return up(low, high, column)


@njit(cache=True)
def board_set(rules):
    """All cells of the board."""
    cells = rules.rows * rules.columns
    if cells <= _64:
        return FULL >> np.uint64(_64 - cells), EMPTY
    return FULL, FULL >> np.uint64(2 * _64 - cells)


@njit(cache=True)
def is_in(words, cell):
    """Whether a cell is in a set of the record."""
    return (words[cell >> 6] >> np.uint64(cell & 63)) & ONE != EMPTY


@njit(cache=True)
def flip(words, cell):
    """Put a cell into a set of the record, or take it out."""
    words[cell >> 6] ^= ONE << np.uint64(cell & 63)


@njit(cache=True)
def flip_piece(rules, s, seat, cell, kind):
    """Put a piece on an absolute cell into the sets, or take it out."""
    other = rules.rows * rules.columns - 1 - cell
    own = other if seat else cell
    flip(s.own[seat, 0], cell)
    flip(s.own[seat, 1], other)
    if kind < FLAG:
        flip(s.movers[seat], own)
        if kind == SCOUT:
            flip(s.scouts[seat], own)


@njit(cache=True)
def cell_of(rules, seat, cell):
    """An absolute cell as a seat counts it, and the other way round."""
    return rules.rows * rules.columns - 1 - cell if seat else cell


@njit(cache=True)
def moves_from(rules, action):
    """(source, target) of a move's action, as its seat counts cells."""
    cells = rules.rows * rules.columns
    q, source = action // cells, action % cells
    row, column = source // rules.columns, source % rules.columns
    if q < rules.rows - 1:
        return source, (q + (q >= row)) * rules.columns + column
    q -= rules.rows - 1
    return source, row * rules.columns + q + (q >= column)


@njit(cache=True)
def move_id(rules, source, target):
    """The action of a move along a row or column, as its seat counts cells."""
    cells, columns = rules.rows * rules.columns, rules.columns
    if source % columns == target % columns:
        row, to = source // columns, target // columns
        return cells * (to - (to > row)) + source
    column, to = source % columns, target % columns
    return cells * (rules.rows - 1 + to - (to > column)) + source


@njit(cache=True)
def _free(rules, s, seat):
    """The cells that a seat's pieces may enter: empty or the enemy's."""
    low, high = board_set(rules)
    return (
        low & ~s.own[seat, seat, 0] & ~np.uint64(rules.lakes),
        high & ~s.own[seat, seat, 1],
    )


@njit(cache=True)
def _steps(rules, s, seat):
    """The movers that can step forward, back, right and left: four sets of two words."""
    free = _free(rules, s, seat)
    movers = s.movers[seat, 0], s.movers[seat, 1]
    first = column_set(rules, 0)
    last = column_set(rules, rules.columns - 1)
    ahead = down(free[0], free[1], rules.columns)
    back = up(free[0], free[1], rules.columns)
    right = down(free[0], free[1], 1)
    left = up(free[0], free[1], 1)
    return (
        movers[0] & ahead[0], movers[1] & ahead[1],
        movers[0] & back[0], movers[1] & back[1],
        movers[0] & right[0] & ~last[0], movers[1] & right[1] & ~last[1],
        movers[0] & left[0] & ~first[0], movers[1] & left[1] & ~first[1],
    )  # fmt: skip


@njit(cache=True)
def is_lake(rules, cell):
    """Whether a cell is a lake; a board turned round has its lakes in the same places."""
    return cell < _64 and np.uint64(rules.lakes) >> np.uint64(cell) & ONE != EMPTY


@njit(cache=True)
def _blocked(rules, s, seat, cell):
    """Whether a piece or a lake is on a cell that a seat counts so."""
    if is_lake(rules, cell):
        return True
    return is_in(s.own[seat, seat], cell) or is_in(s.own[1 - seat, seat], cell)


@njit(cache=True)
def _cells_ahead(rules, cell, way):
    """How many cells there are before the edge: forward, back, right, left."""
    if way == 0:
        return rules.rows - 1 - cell // rules.columns
    if way == 1:
        return cell // rules.columns
    if way == 2:
        return rules.columns - 1 - cell % rules.columns
    return cell % rules.columns


@njit(cache=True)
def _stride(rules, way):
    if way == 0:
        return rules.columns
    if way == 1:
        return -rules.columns
    return 1 if way == 2 else -1


@njit(cache=True)
def _window(low, high, at, bits):
    """Some cells of a set, from cell ``at`` on."""
    found = low >> np.uint64(at) if at < _64 else high >> np.uint64(at - _64)
    if 0 < at < _64:
        found |= high << np.uint64(_64 - at)
    return found & bits


@njit(cache=True)
def _add(rules, s, seat, cells, base, start, watch, chasing, out, n):
    """Add the moves of one target row or column: sources in ``cells`` from cell ``start`` on."""
    while cells:
        source = start + lowest(cells)
        cells &= cells - ONE
        out[n] = base + source
        n += 1
        if (chasing or source == watch) and (
            barred(rules, s, seat, source, moves_from(rules, base + source)[1]) != FREE
        ):
            n -= 1
    return n


@njit(cache=True)
def _holds(low, high, cell):
    """Whether a cell is in a set."""
    word = low if cell < _64 else high
    return word >> np.uint64(cell & 63) & ONE != EMPTY


@njit(cache=True)
def _add_long(rules, s, seat, watch, chasing, out, n):
    """Put the scouts' moves of two cells and more in their places among ``out[:n]``."""
    cells = rules.rows * rules.columns
    theirs = s.own[1 - seat, seat, 0], s.own[1 - seat, seat, 1]
    mine = s.own[seat, seat, 0] | np.uint64(rules.lakes), s.own[seat, seat, 1]
    for word in range(2):
        scouts = s.scouts[seat, word]
        while scouts:
            source = _64 * word + lowest(scouts)
            scouts &= scouts - ONE
            for way in range(4):
                far = _cells_ahead(rules, source, way)
                stride = _stride(rules, way)
                target = source + stride
                if far < 2 or _holds(mine[0] | theirs[0], mine[1] | theirs[1], target):
                    continue
                # Each cell farther is the next target row or column.
                action, further = move_id(rules, source, target), cells if stride > 0 else -cells
                for _ in range(far - 1):
                    target += stride
                    action += further
                    if _holds(mine[0], mine[1], target):
                        break
                    if not (chasing or source == watch) or (
                        barred(rules, s, seat, source, target) == FREE
                    ):
                        k = n
                        while k > 0 and out[k - 1] > action:
                            out[k] = out[k - 1]
                            k -= 1
                        out[k] = action
                        n += 1
                    if _holds(theirs[0], theirs[1], target):
                        break
    return n


@njit(cache=True)
def list_moves(rules, s, seat, out):
    """Write the moves that a seat may make, ascending; returns how many."""
    rows, columns = rules.rows, rules.columns
    cells = rows * columns
    watch = watched(rules, s, seat)
    chasing = rules.chase != NO_CHASE and s.chase[seat] >= 2
    a0, a1, b0, b1, r0, r1, l0, l1 = _steps(rules, s, seat)
    row = FULL >> np.uint64(_64 - columns)
    next_row = row << np.uint64(columns)
    n = 0
    for q in range(rows - 1):
        start = q * columns
        found = _window(a0, a1, start, row) | _window(b0, b1, start, next_row)
        if found:
            n = _add(rules, s, seat, found, cells * q, start, watch, chasing, out, n)
    here = column_set(rules, 0)
    for q in range(columns - 1):
        there = up(here[0], here[1], 1)
        base = cells * (rows - 1 + q)
        low, high = (r0 & here[0]) | (l0 & there[0]), (r1 & here[1]) | (l1 & there[1])
        if low:
            n = _add(rules, s, seat, low, base, 0, watch, chasing, out, n)
        if high:
            n = _add(rules, s, seat, high, base, _64, watch, chasing, out, n)
        here = there
    if s.scouts[seat, 0] | s.scouts[seat, 1]:
        n = _add_long(rules, s, seat, watch, chasing, out, n)
    return n


@njit(cache=True)
def has_move(rules, s, seat):
    """Whether a seat may make any move."""
    a0, a1, b0, b1, r0, r1, l0, l1 = _steps(rules, s, seat)
    low, high = a0 | b0 | r0 | l0, a1 | b1 | r1 | l1
    watch = watched(rules, s, seat)
    if rules.chase == NO_CHASE or s.chase[seat] < 2:
        if watch >= _64:
            high &= ~(ONE << np.uint64(watch - _64))
        elif watch >= 0:
            low &= ~(ONE << np.uint64(watch))
        if low | high:
            return True
        if watch < 0:
            return False
    return count_barred(rules, s, seat, FREE, 1) > 0


@njit(cache=True)
def count_barred(rules, s, seat, why, most):
    """How many moves repetition forbids for a reason, or with ``FREE`` allows, up to ``most``."""
    found = 0
    for word in range(2):
        movers = s.movers[seat, word]
        while movers:
            source = _64 * word + lowest(movers)
            movers &= movers - ONE
            reach = rules.rows + rules.columns if is_in(s.scouts[seat], source) else 1
            for way in range(4):
                stride, target = _stride(rules, way), source
                for _ in range(min(reach, _cells_ahead(rules, source, way))):
                    target += stride
                    stops = _blocked(rules, s, seat, target)
                    if stops and not is_in(s.own[1 - seat, seat], target):
                        break
                    found += barred(rules, s, seat, source, target) == why
                    if found >= most:
                        return found
                    if stops:
                        break
    return found


@njit(cache=True)
def is_move(rules, s, seat, action):
    """Whether a seat may make a move, told by any action id of a move."""
    source, target = moves_from(rules, action)
    if not is_in(s.movers[seat], source) or is_in(s.own[seat, seat], target):
        return False
    if is_lake(rules, target):
        return False
    vertical = source % rules.columns == target % rules.columns
    stride = rules.columns if vertical else 1
    far = abs(target - source) // stride
    if far > 1:
        if not is_in(s.scouts[seat], source):
            return False
        if target < source:
            stride = -stride
        for k in range(1, far):
            if _blocked(rules, s, seat, source + k * stride):
                return False
    return barred(rules, s, seat, source, target) == FREE
