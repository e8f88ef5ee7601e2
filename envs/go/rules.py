"""The rules of go on chains of stones, as kernel functions.

The board lies in a row of points with walls around it, one column of them between one row and the
next. On 3 x 3 lines the points are

     0   1   2   3           0 to 4 are walls above
     4 [ 5   6   7]  8       row 0, the top: point 5 is action 0
     8 [ 9  10  11] 12       walls 4, 8, 12 and 16 stand at the ends of rows
    12 [13  14  15] 16
    16  17  18  19  20       16 to 20 are walls below

so that the neighbours of a point are 1 and ``size + 1`` away, whatever stands there. Bit
``point - size - 2`` of a board of bits, 64 a word, is the point.

Chains are circular lists of stones. Their liberties are not listed: a chain has the number, the sum
and the sum of the squares of its stones' empty neighbours, which count as often as they are met.
All of these are one and the same point exactly if number times squares is the square of the sum:
then the chain is in atari. (Pseudo-liberties, as in J. Tromp's and others' programs.)

Positions are known by the exclusive or of a random number a stone (Zobrist 1970), and those of a
game kept in an open-addressing table. A move can only bring a position back if its player has lost
a stone on that very point before, so that the table is hardly ever asked.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, holds_bytes, lowest
from stratagym.envs.core import TERMINAL, mix64, seed_rng, sizes, winner_takes
from stratagym.envs.go.planes import HISTORY as HISTORY
from stratagym.envs.go.planes import write_planes, write_rows

GOING, PASSES, MOVE_LIMIT = 0, 1, 2
"""How a game ended, in the field ``over``."""
FREE, WALL = 2, 3
"""What is on a point, beside 0 and 1 for the seats' stones; a field ``colour``."""
POSITIONAL, SITUATIONAL, SIMPLE = 0, 1, 2
"""Which repetitions are illegal."""
USUAL_SIZES = (9, 13, 19)
"""Boards with handicap stones; kernels are compiled once for each."""

_POINTS = 20 * 21 + 1  # of the largest board, walls included
KEYS = mix64.py_func(np.arange(1, 2 * _POINTS + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))
KEYS = KEYS.reshape(2, _POINTS)
"""A random number for a stone of each seat on each point."""
TURN = np.uint64(0xD1B54A32D192ED03)
"""The part of a key that says that White is to move, where that counts."""
_1, _64 = np.uint64(1), np.uint64(64)


@lru_cache(maxsize=3)
def state_of(size: int) -> np.dtype:
    """The dtype of a state on a board of 9, 13 or 19 lines; smaller ones lie in these too."""
    points = (size + 1) * (size + 2) + 1
    words = (size * (size + 1) - 2) // 64 + 1
    slots = 1 << (8 * size * size // 3).bit_length()  # a game fills three quarters at most
    return np.dtype(
        [
            ("rng", "u8"),  # nothing is drawn; every record has one
            ("hash", "u8"),  # of the stones on the board
            ("seen", "u8", (slots,)),  # positions so far, their lowest bit set; 0 is free
            ("boards", "u8", (HISTORY, 2, words)),  # the last ones, at the ply modulo 8, by seat
            ("lost", "u8", (2, words)),  # points where a seat ever lost a stone
            ("free", "u8", (words,)),
            # of chains, at their head:
            ("key", "u8", (points,)),  # part of the hash
            ("squares", "i4", (points,)),  # liberties: sum of squares, sum and number
            ("sums", "i4", (points,)),
            ("count", "i2", (points,)),
            ("stones", "i2", (points,)),
            # of stones; on free points scratch for counting the area:
            ("head", "i2", (points,)),  # the chain
            ("next", "i2", (points,)),  # the next stone of the chain, round and round
            ("colour", "i1", (points,)),  # a seat's stone, FREE or WALL
            ("player", "i1"),  # seat to move
            ("over", "i1"),
            ("passes", "i1"),  # in a row
            ("last", "i2"),  # the last action; -1 at the start
            ("plies", "i2"),  # decisions so far, passes included
            ("ko", "i2"),  # point where one stone must not be taken back at once, or 0
            ("prisoners", "i2", (2,)),  # stones that each seat has taken
            ("area", "i2"),  # seat 0's less seat 1's, where the game is over
        ],
        align=True,
    )


@sizes(
    actions=lambda rules: rules.size**2 + 1,
    observation=lambda rules: (rules.size, rules.size, 2 * HISTORY + 1),
    decisions=lambda rules: rules.max_length,
    dtype=lambda rules: np.bool_ if rules.skewed else np.int8,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        size: lines of the board. komi4: four times White's compensation.
        ko: ``POSITIONAL``, ``SITUATIONAL`` or ``SIMPLE``.
        handicap: stones of Black at the start. max_length: decisions of the longest game.
        skewed: 1 for PettingZoo's observation.
        num_players: 2.
    """

    size: int
    komi4: int
    ko: int
    handicap: int
    max_length: int
    skewed: int
    num_players: int = 2

    @property
    def state_dtype(self) -> np.dtype:
        """The dtype of a state, which depends on the board's size."""
        return state_of(next(size for size in USUAL_SIZES if size >= self.size))

    @property
    def komi(self) -> float:
        """White's compensation in points."""
        return self.komi4 / 4


def make_rules(
    size: int, komi: float, ko: str, handicap: int, max_length: int, observation: str
) -> Rules:
    """Rules from the options as people write them; see the package's docstring."""
    most = 2 * size * size
    if max_length > most:
        raise ValueError(
            f"go: option max_length={max_length}: with size={size} at most {most} is possible"
        )
    if handicap and size not in USUAL_SIZES:
        raise ValueError(f"go: option handicap={handicap}: only with size 9, 13 or 19, not {size}")
    repetition = ("positional", "situational", "simple").index(ko)
    skewed = int(observation == "pettingzoo")
    return Rules(size, round(4 * komi), repetition, handicap, max_length or most, skewed)


def grid_of(rules: Rules, s: np.void) -> np.ndarray:
    """What is on the points, (size, size) int8, row 0 the top: 0, 1 or ``FREE``. From Python."""
    wide = rules.size + 1
    return s["colour"][1 : wide * (wide + 1) + 1].reshape(wide + 1, wide)[1:-1, :-1]


# --- points and chains ---------------------------------------------------------------------------


@njit(cache=True)
def point_of(rules, action):
    """The point where an action that is no pass puts a stone."""
    return action + action // rules.size + rules.size + 2


@njit(cache=True)
def action_of(rules, point):
    """The action that puts a stone on a point."""
    bit = point - rules.size - 2
    return bit - bit // (rules.size + 1)


@njit(cache=True)
def in_atari(s, head):
    """Whether a chain has one liberty only, by its head."""
    total = np.int64(s.sums[head])
    return np.int64(s.count[head]) * s.squares[head] == total * total


@njit(cache=True)
def _merge(s, a, b):
    """Make one chain of two, by their heads; returns its head."""
    if s.stones[a] < s.stones[b]:
        a, b = b, a
    stone = b
    while True:
        s.head[stone] = a
        stone = s.next[stone]
        if stone == b:
            break
    s.next[a], s.next[b] = s.next[b], s.next[a]
    s.stones[a] += s.stones[b]
    s.count[a] += s.count[b]
    s.sums[a] += s.sums[b]
    s.squares[a] += s.squares[b]
    s.key[a] ^= s.key[b]
    return a


@njit(cache=True)
def _take(rules, s, head):
    """Take a chain off the board; returns how many stones."""
    wide = rules.size + 1
    loser = s.colour[head]
    slot = s.plies & (HISTORY - 1)
    s.hash ^= s.key[head]
    taken, stone = 0, np.int64(head)
    while True:
        s.colour[stone] = FREE
        bit = stone - wide - 1
        one = _1 << np.uint64(bit & 63)
        s.boards[slot, loser, bit >> 6] ^= one
        s.free[bit >> 6] |= one
        s.lost[loser, bit >> 6] |= one
        for q in (stone - wide, stone - 1, stone + 1, stone + wide):
            if s.colour[q] == 1 - loser:
                owner = s.head[q]
                s.count[owner] += 1
                s.sums[owner] += stone
                s.squares[owner] += stone * stone
        taken += 1
        stone = np.int64(s.next[stone])
        if stone == head:
            return taken


@njit(cache=True)
def _put(rules, s, seat, p):
    """Put a stone on a free point and take off what that captures."""
    wide = rules.size + 1
    bit = p - wide - 1
    one = _1 << np.uint64(bit & 63)
    s.boards[s.plies & (HISTORY - 1), seat, bit >> 6] |= one
    s.free[bit >> 6] ^= one
    s.colour[p] = seat
    s.hash ^= KEYS[seat, p]
    count = total = squares = 0
    for q in (p - wide, p - 1, p + 1, p + wide):
        there = s.colour[q]
        if there == FREE:
            count += 1
            total += q
            squares += q * q
        elif there != WALL:
            owner = s.head[q]
            s.count[owner] -= 1
            s.sums[owner] -= p
            s.squares[owner] -= p * p
    s.head[p] = s.next[p] = p
    s.stones[p] = 1
    s.key[p] = KEYS[seat, p]
    s.count[p], s.sums[p], s.squares[p] = count, total, squares
    head, taken = p, 0
    for q in (p - wide, p - 1, p + 1, p + wide):
        there = s.colour[q]
        if there == seat:
            if s.head[q] != head:
                head = np.int64(_merge(s, head, np.int64(s.head[q])))
        elif there == 1 - seat and s.count[s.head[q]] == 0:
            taken += _take(rules, s, np.int64(s.head[q]))
    s.prisoners[seat] += taken
    if taken == 1 and s.stones[head] == 1 and s.count[head] == 1:
        s.ko = s.sums[head]


@njit(cache=True)
def _is_suicide(rules, s, seat, p):
    """Whether a stone on a free point would leave its own chain without liberties."""
    wide = rules.size + 1
    for q in (p - wide, p - 1, p + 1, p + wide):
        there = s.colour[q]
        if there == FREE:
            return False
        if there != WALL and in_atari(s, s.head[q]) == (there != seat):
            return False  # an own chain that has another liberty, or one that is captured
    return True


@njit(cache=True)
def _slot(s, key):
    """Where a position stands in the table of those seen, or would."""
    last = s.seen.shape[0] - 1
    k = np.int64(key >> np.uint64(32)) & last
    while s.seen[k] != 0 and s.seen[k] != key:
        k = (k + 1) & last
    return k


@njit(cache=True)
def _known_as(rules, stones, to_move):
    """The key of a position in the table, by the hash of its stones and who is to move."""
    if rules.ko == SITUATIONAL and to_move == 1:
        stones ^= TURN
    return stones | _1


@njit(cache=True)
def _repeats(rules, s, seat, p):
    """Whether a stone on a free point would bring back a position that must not come back."""
    if rules.ko == SIMPLE:
        return s.ko == p
    wide = rules.size + 1
    bit = p - wide - 1
    if not s.lost[seat, bit >> 6] >> np.uint64(bit & 63) & _1:
        return False
    stones = s.hash ^ KEYS[seat, p]
    first = second = third = np.int64(0)
    for q in (p - wide, p - 1, p + 1, p + wide):
        if s.colour[q] == 1 - seat:
            head = np.int64(s.head[q])
            if head != first and head != second and head != third and in_atari(s, head):
                stones ^= s.key[head]
                first, second, third = head, first, second
    key = _known_as(rules, stones, 1 - seat)
    return s.seen[_slot(s, key)] == key


@njit(cache=True)
def may_put(rules, s, p):
    """Whether the seat to move may put a stone on a point, be it free or not."""
    return (
        s.colour[p] == FREE
        and not _is_suicide(rules, s, s.player, p)
        and not _repeats(rules, s, s.player, p)
    )


@njit(cache=True)
def is_eye(rules, s, seat, p):
    """Whether a free point is an eye of a seat's, by its looks.

    All points next to it are the seat's, and of those diagonally next to it the opponent has one
    at most, at the edge of the board none.
    """
    wide = rules.size + 1
    for q in (p - wide, p - 1, p + 1, p + wide):
        if s.colour[q] != seat and s.colour[q] != WALL:
            return False
    enemies = edge = 0
    for q in (p - wide - 1, p - wide + 1, p + wide - 1, p + wide + 1):
        if s.colour[q] == WALL:
            edge = 1
        elif s.colour[q] == 1 - seat:
            enemies += 1
    return enemies == 0 if edge else enemies < 2


@njit(cache=True)
def area_of(rules, s):
    """Seat 0's stones and surrounded points less seat 1's, as the board stands (int64).

    A free region belongs to a seat if it touches stones of that seat alone. Scratch is what
    ``head`` and ``next`` hold of free points: nothing else of the record is changed.
    """
    wide = rules.size + 1
    end = wide * wide
    for p in range(wide + 1, end):
        if s.colour[p] == FREE:
            s.head[p] = 0  # not yet seen
    area = 0
    for p in range(wide + 1, end):
        there = s.colour[p]
        if there == 0:
            area += 1
        elif there == 1:
            area -= 1
        elif there == FREE and s.head[p] == 0:
            s.head[p], s.next[p] = 1, 0
            top, region, touched = np.int64(p), 0, 0
            while top != 0:
                r = top
                top = np.int64(s.next[r])
                region += 1
                for q in (r - wide, r - 1, r + 1, r + wide):
                    there = s.colour[q]
                    if there == FREE:
                        if s.head[q] == 0:
                            s.head[q], s.next[q] = 1, top
                            top = q
                    elif there != WALL:
                        touched |= 1 + there
            if touched == 1:
                area += region
            elif touched == 2:
                area -= region
    return area


# --- the kernel ----------------------------------------------------------------------------------


@njit(cache=True)
def _put_at(rules, s, row, column):
    _put(rules, s, 0, point_of(rules, row * rules.size + column))


@njit(cache=True)
def _put_handicap(rules, s):
    """Black's stones on the points of GTP's fixed handicap."""
    near = 2 if rules.size == 9 else 3
    far, middle, stones = rules.size - 1 - near, rules.size // 2, rules.handicap
    _put_at(rules, s, far, near)
    _put_at(rules, s, near, far)
    if stones >= 3:
        _put_at(rules, s, near, near)
    if stones >= 4:
        _put_at(rules, s, far, far)
    if stones >= 6:
        _put_at(rules, s, middle, near)
        _put_at(rules, s, middle, far)
    if stones >= 8:
        _put_at(rules, s, near, middle)
        _put_at(rules, s, far, middle)
    if stones >= 5 and stones % 2 == 1:
        _put_at(rules, s, middle, middle)


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.hash = 0
    for k in range(s.seen.shape[0]):
        s.seen[k] = 0
    for word in range(s.free.shape[0]):
        s.free[word] = 0
    for seat in range(2):
        for word in range(s.lost.shape[1]):
            s.lost[seat, word] = 0
            for slot in range(HISTORY):
                s.boards[slot, seat, word] = 0
        s.prisoners[seat] = 0
    for p in range(s.colour.shape[0]):
        s.colour[p] = WALL
        s.key[p] = 0
        s.squares[p] = s.sums[p] = s.count[p] = s.stones[p] = s.head[p] = s.next[p] = 0
    for action in range(rules.size * rules.size):
        p = point_of(rules, action)
        s.colour[p] = FREE
        bit = p - rules.size - 2
        s.free[bit >> 6] |= _1 << np.uint64(bit & 63)
    s.over = GOING
    s.passes = s.plies = s.ko = s.area = 0
    s.last = -1
    s.player = 0
    if rules.handicap:
        _put_handicap(rules, s)
        s.player = 1
    key = _known_as(rules, s.hash, s.player)
    s.seen[_slot(s, key)] = key


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.over else s.player


@njit(cache=True)
def _next_to_free(rules, s, word):
    """Bits of one word of the points that have a free point next to them, and of some walls."""
    wide = np.uint64(rules.size + 1)
    here = s.free[word]
    below = s.free[word - 1] if word > 0 else EMPTY
    above = s.free[word + 1] if word + 1 < s.free.shape[0] else EMPTY
    return (
        (here << _1 | below >> np.uint64(63))
        | (here >> _1 | above << np.uint64(63))
        | (here << wide | below >> (_64 - wide))
        | (here >> wide | above << (_64 - wide))
    )


@njit(cache=True)
def legal_actions(rules, s, out):
    """Points by number, then the pass, which is always legal.

    Most free points have another next to them and saw no stone of the seat's taken: these are
    legal without a look at chains and positions.
    """
    wide, seat = rules.size + 1, s.player
    n, row, end = 0, 0, wide  # the bit behind the row
    for word in range(s.free.shape[0]):
        bits = s.free[word]
        plain = _next_to_free(rules, s, word) & ~s.lost[seat, word]
        while bits:
            lowest_bit = lowest(bits)
            bit = 64 * word + lowest_bit
            while bit >= end:
                row += 1
                end += wide
            if plain >> np.uint64(lowest_bit) & _1 or may_put(rules, s, bit + wide + 1):
                out[n] = bit - row
                n += 1
            bits &= bits - _1
    out[n] = rules.size * rules.size
    return n + 1


@njit(cache=True)
def write_mask(rules, s, legal, masks, i):
    """Row ``i`` of a batch's masks."""
    if not holds_bytes(masks):
        for action in range(masks.shape[1]):
            masks[i, action] = 0
        for k in range(legal_actions(rules, s, legal)):
            masks[i, legal[k]] = 1
        return
    row, before = 0, EMPTY
    for word in range(s.free.shape[0]):
        found = s.free[word] & _next_to_free(rules, s, word) & ~s.lost[s.player, word]
        rest = s.free[word] & ~found
        while rest:
            if may_put(rules, s, 64 * word + lowest(rest) + rules.size + 2):
                found |= _1 << np.uint64(lowest(rest))
            rest &= rest - _1
        row = write_rows(masks, i, rules.size, row, word, before, found)
        before = found
    masks[i, rules.size * rules.size] = 1


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    points = rules.size * rules.size
    if action < 0 or action >= points:
        return action == points
    return may_put(rules, s, point_of(rules, action))


@njit(cache=True)
def step(rules, s, action):
    seat = s.player
    old = s.plies & (HISTORY - 1)
    s.plies += 1
    new = s.plies & (HISTORY - 1)
    for word in range(s.lost.shape[1]):
        s.boards[new, 0, word] = s.boards[old, 0, word]
        s.boards[new, 1, word] = s.boards[old, 1, word]
    s.last = action
    s.ko = 0
    s.player = 1 - seat
    if action == rules.size * rules.size:
        s.passes += 1
    else:
        s.passes = 0
        _put(rules, s, seat, point_of(rules, action))
    if rules.ko == SITUATIONAL or (rules.ko == POSITIONAL and s.passes == 0):
        key = _known_as(rules, s.hash, s.player)
        s.seen[_slot(s, key)] = key
    if s.passes == 2:
        s.over = PASSES
    elif s.plies == rules.max_length:
        s.over = MOVE_LIMIT
    if s.over:
        s.area = area_of(rules, s)


@njit(cache=True)
def returns(rules, s, out):
    lead = 4 * np.int64(s.area) - rules.komi4
    if s.over == GOING or lead == 0:
        winner_takes(-1, out)
    else:
        winner_takes(0 if lead > 0 else 1, out)


@njit(cache=True)
def observe(rules, s, player, out):
    """Pairs of planes, own stones and the opponent's, of the last 8 boards; then the colour.

    The start counts as a board. Where the observation is PettingZoo's it does not, and the first
    of a pair are the stones of whoever made the move that led to the board.
    """
    if not rules.skewed and holds_bytes(out):
        write_planes(rules, s, player, out)
        return
    boards = s.plies + 1 - rules.skewed
    for back in range(HISTORY):
        slot = (s.plies - back) & (HISTORY - 1)
        first = player
        if rules.skewed:
            first = (1 - s.player) ^ (back & 1)
        bit = 0
        for row in range(rules.size):
            for column in range(rules.size):
                if back < boards:
                    word, at = bit >> 6, np.uint64(bit & 63)
                    out[row, column, 2 * back] = s.boards[slot, first, word] >> at & _1
                    out[row, column, 2 * back + 1] = s.boards[slot, 1 - first, word] >> at & _1
                else:
                    out[row, column, 2 * back] = out[row, column, 2 * back + 1] = 0
                bit += 1
            bit += 1
    for row in range(rules.size):
        for column in range(rules.size):
            out[row, column, 2 * HISTORY] = player
