"""Moves that repetition forbids: the two-square rules and the chasing rule, as kernel functions.

Cells are the seat's own (``home cells`` count from its back row) unless they are called absolute.

**Two squares.** ``s.ts[seat]`` remembers the seat's last moved piece, -1 where there is nothing:

- three: its cells A (now), B, C, D (three moves ago), as long as it moves on one line. The next
  move from A is forbidden if the last three and it all cross one border between two cells.
- five: A, B and how many moves running were between these two cells. At five the next is forbidden.
- stratego_env: A, B and a mark as that program has it, quirks included: attacks are always allowed
  and clear the memory, of a scout's move the ends alone count, a piece that steps into the cell
  that another of its side has just left begins with mark 2, and the memory outlives a captured
  piece.

**Chasing.** ``s.hist[ply % 256]`` is a hash of who stands where. ``s.chase[seat]`` counts the plies
for which a seat has threatened to attack and the other has moved away. A quiet move to a cell next
to an enemy is forbidden if the chase has gone on for two plies or more and the move makes a
position that there was during it, unless it takes the seat's last move back.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.core import mix64

NO_TWO_SQUARE, THREE, FIVE, AS_STRATEGO_ENV = 0, 1, 2, 3
NO_CHASE, PIECES, KIND_CHASE = 0, 1, 2
HISTORY = 256
FREE, TWO_SQUARE, CHASE = 0, 1, 2
"""What ``barred`` answers."""
_LIMIT_FIVE, _FULL_MARK = 5, 3


@njit(cache=True)
def beside(rules, cell, other):
    """Whether two cells are orthogonal neighbours; ``other`` may be -1, which has none."""
    if other < 0:
        return False
    apart = abs(cell - other)
    if apart == 1:
        return cell // rules.columns == other // rules.columns
    return apart == rules.columns


@njit(cache=True)
def same_line(rules, a, b, c, d):
    """Whether the moves a - b and c - d go along one axis, of cells that differ."""
    return (a % rules.columns == b % rules.columns) == (c % rules.columns == d % rules.columns)


@njit(cache=True)
def watched(rules, s, seat):
    """The cell whose piece the two-square rule may hold back now; -1 for none."""
    ts = s.ts[seat]
    if rules.two_square == THREE:
        return np.int64(ts[0]) if ts[3] >= 0 else -1
    if rules.two_square == FIVE:
        return np.int64(ts[0]) if ts[2] >= _LIMIT_FIVE else -1
    if rules.two_square == AS_STRATEGO_ENV:
        return np.int64(ts[0]) if ts[2] == _FULL_MARK else -1
    return -1


@njit(cache=True)
def repeats(rules, s, seat, end, attacks):
    """Whether the two-square rule forbids the piece on the ``watched`` cell to move to ``end``."""
    ts = s.ts[seat]
    a, b, c, d = np.int64(ts[0]), np.int64(ts[1]), np.int64(ts[2]), np.int64(ts[3])
    if rules.two_square == THREE:
        if not same_line(rules, b, a, a, end):
            return False
        low = max(max(min(d, c), min(c, b)), max(min(b, a), min(a, end)))
        high = min(min(max(d, c), max(c, b)), min(max(b, a), max(a, end)))
        return low < high
    if rules.two_square == AS_STRATEGO_ENV and attacks:
        return False
    return end == b


@njit(cache=True)
def remember(rules, s, seat, start, end, attacks):
    """Note a seat's move; ``forget`` follows if the piece is lost."""
    ts = s.ts[seat]
    a, b = np.int64(ts[0]), np.int64(ts[1])
    if rules.two_square == THREE:
        if a == start and same_line(rules, b, a, start, end):
            ts[3] = ts[2]
            ts[2] = b
        else:
            ts[3] = -1
            ts[2] = -1
    elif rules.two_square == FIVE:
        back = a == start and b == end
        ts[2] = min(ts[2] + 1, _LIMIT_FIVE) if back else 1
    else:
        if attacks:
            forget(s, seat)
            return
        if b == end and b >= 0:
            ts[2] = _FULL_MARK if a == start and ts[2] == 2 else 2
        else:
            ts[2] = 1
    ts[0] = end
    ts[1] = start


@njit(cache=True)
def forget(s, seat):
    """The seat's last moved piece is gone."""
    for k in range(4):
        s.ts[seat, k] = -1


@njit(cache=True)
def piece_key(rules, s, piece, cell):
    """What a piece on an absolute cell adds to the hash of a position."""
    who = piece
    if rules.chase == KIND_CHASE:
        who = 100 + 16 * (piece >= 40) + s.kind[piece]
    return mix64(np.uint64(who * 128 + cell + 1))


@njit(cache=True)
def enemy_beside(rules, s, seat, cell):
    """Whether an enemy of ``seat`` stands next to an absolute cell."""
    row, column = cell // rules.columns, cell % rules.columns
    if row > 0 and _is_enemy(s, seat, cell - rules.columns):
        return True
    if row < rules.rows - 1 and _is_enemy(s, seat, cell + rules.columns):
        return True
    if column > 0 and _is_enemy(s, seat, cell - 1):
        return True
    return column < rules.columns - 1 and _is_enemy(s, seat, cell + 1)


@njit(cache=True)
def _is_enemy(s, seat, cell):
    piece = s.board[cell] - 1
    return piece >= 0 and (piece >= 40) != (seat == 1)


@njit(cache=True)
def chases(rules, s, seat, start, end):
    """Whether the chasing rule forbids a quiet move between absolute cells."""
    length = np.int64(s.chase[seat])
    if length < 2 or not enemy_beside(rules, s, seat, end):
        return False
    if start == s.last[seat, 1] and end == s.last[seat, 0]:
        return False
    piece = s.board[start] - 1
    after = s.hash ^ piece_key(rules, s, piece, start) ^ piece_key(rules, s, piece, end)
    ply = np.int64(s.ply)
    for back in range(1, min(length - 1, HISTORY - 2) + 1):
        if ply - back < 0:
            break
        if s.hist[(ply - back) % HISTORY] == after:
            return True
    return False


@njit(cache=True)
def note_chase(rules, s, seat, start, end, attacks):
    """Count the chases on after a move between absolute cells; the board is that after it."""
    other = 1 - seat
    if attacks:
        s.chase[0] = 0
        s.chase[1] = 0
    elif beside(rules, start, s.last[other, 1]):
        s.chase[other] += 1
    else:
        s.chase[other] = 0
    s.chase[seat] = s.chase[seat] + 1 if enemy_beside(rules, s, seat, end) else 0
    s.last[seat, 0] = start
    s.last[seat, 1] = end


@njit(cache=True)
def barred(rules, s, seat, start, end):
    """Whether repetition forbids a move: ``FREE``, ``TWO_SQUARE`` or ``CHASE``."""
    last = rules.rows * rules.columns - 1
    first, then = (last - start, last - end) if seat else (start, end)
    attacks = s.board[then] > 0
    if start == watched(rules, s, seat) and repeats(rules, s, seat, end, attacks):
        return TWO_SQUARE
    if rules.chase != NO_CHASE and not attacks and chases(rules, s, seat, first, then):
        return CHASE
    return FREE
