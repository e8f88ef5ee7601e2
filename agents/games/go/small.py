"""Exact scores of all moves on boards of go of 3 x 3 lines and less, by exhaustive search.

Such a board has 19,683 positions at most, which are numbered: point ``k`` adds ``3 ** k`` for a
stone of Black's and twice that for one of White's. A table has where every move leads, so that the
search only walks it, and marks the positions that must not come back. These are part of what a
position is worth, so nothing is kept of one line of play for another.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.agents.perfect import ILLEGAL
from stratagym.envs.go.rules import GOING, KEYS, POSITIONAL, grid_of

LARGEST = 3
"""Lines of the largest board that is solved."""
_ILLEGAL = -1
_LEVEL = np.dtype(
    [
        ("position", "i4"),
        ("passes", "i4"),  # in a row, before the position
        ("tried", "i4"),  # moves
        ("alpha", "i4"),
        ("beta", "i4"),
        ("best", "i4"),
        ("marked", "i4"),  # 1 where the position came up here, and may again when it is left
    ],
    align=True,
)


class Tables(NamedTuple):
    """A board.

    Attributes:
        moves: (2, positions, points) int16: the position after a stone of a seat's, or -1.
        areas: (positions,) int8: Black's area less White's.
        order: (points,) int64: points by how many others are next to them, the most first.
        hashes: (positions,) uint64: what the rules' table of positions has for each, sorted.
        numbers: (positions,) int64: their positions.
    """

    moves: np.ndarray
    areas: np.ndarray
    order: np.ndarray
    hashes: np.ndarray
    numbers: np.ndarray


@njit(cache=True)
def _spread(size, bits):
    """These points of a board of bits and all next to them."""
    row = (1 << size) - 1
    left = right = 0
    for k in range(size):
        left |= (row >> 1) << k * size
        right |= (row & ~1) << k * size
    board = (1 << size * size) - 1
    return (bits | (bits & left) << 1 | (bits & right) >> 1 | bits << size | bits >> size) & board


@njit(cache=True)
def _connected(size, bits, among):
    """The points of ``among`` that are connected to ``bits`` within it."""
    while True:
        more = _spread(size, bits) & among
        if more == bits:
            return bits
        bits = more


@njit(cache=True)
def _after(size, own, other, stone):
    """(own, other) after a stone on a free point; (0, 0) where that is suicide."""
    own |= stone
    around = _spread(size, stone) & other
    board = (1 << size * size) - 1
    while around:
        chain = _connected(size, around & -around, other)
        around &= ~chain
        if _spread(size, chain) & board & ~(own | other) == 0:
            other &= ~chain
    if _spread(size, _connected(size, stone, own)) & ~(own | other) == 0:
        return 0, 0
    return own, other


@njit(cache=True)
def _area(size, own, other):
    """Stones and the free regions that touch these alone."""
    area, left = own, ((1 << size * size) - 1) & ~(own | other)
    empty = left
    while left:
        region = _connected(size, left & -left, empty)
        left &= ~region
        around = _spread(size, region)
        if around & own and not around & other:
            area |= region
    count = 0
    while area:
        area &= area - 1
        count += 1
    return count


@njit(cache=True)
def _fill(size, sides, moves, areas):
    """Fill the tables; ``sides`` is (positions, 2), the stones of each as bits."""
    points = size * size
    for position in range(len(areas)):
        rest = position
        for k in range(points):
            if rest % 3:
                sides[position, rest % 3 - 1] |= 1 << k
            rest //= 3
    for position in range(len(areas)):
        black, white = sides[position]
        areas[position] = _area(size, black, white) - _area(size, white, black)
        for seat in range(2):
            own, other = sides[position, seat], sides[position, 1 - seat]
            for k in range(points):
                moves[seat, position, k] = _ILLEGAL
                if (own | other) >> k & 1:
                    continue
                mine, theirs = _after(size, own, other, 1 << k)
                if mine == 0:
                    continue
                number, worth = 0, 1
                for j in range(points):
                    digit = (1 + seat) * (mine >> j & 1) + (2 - seat) * (theirs >> j & 1)
                    number += worth * digit
                    worth *= 3
                moves[seat, position, k] = number


@lru_cache(maxsize=2)
def tables_of(size: int) -> Tables:
    """A board's tables."""
    points, count = size * size, 3 ** (size * size)
    moves = np.zeros((2, count, points), np.int16)
    areas, sides = np.zeros(count, np.int8), np.zeros((count, 2), np.int64)
    _fill(size, sides, moves, areas)
    edges = [
        (row in (0, size - 1)) + (column in (0, size - 1))
        for row in range(size)
        for column in range(size)
    ]
    hashes = np.zeros(count, np.uint64)
    for k in range(points):
        point = k + k // size + size + 2
        for seat in range(2):
            hashes ^= np.where(sides[:, seat] >> k & 1, KEYS[seat, point], np.uint64(0))
    hashes |= np.uint64(1)
    numbers = np.argsort(hashes)
    return Tables(moves, areas, np.argsort(edges, kind="stable"), hashes[numbers], numbers)


@njit(cache=True, nogil=True)
def value_of(tables, seen, levels, position, seat, passes, left, alpha, beta):
    """What a position is worth to the seat to move: its area less the other's at the end.

    Values outside ``alpha`` to ``beta`` are bounds.

    Args:
        seen: (positions,) bool: those that must not come back, this one among them; the same
            again in the end. levels: (decisions + 1,) of ``_LEVEL``, scratch.
        passes: in a row, up to now. left: decisions until the game is stopped.
    """
    points = len(tables.order)
    top = levels[0]
    top.position, top.passes, top.alpha, top.beta, top.marked = position, passes, alpha, beta, 0
    level, down = 0, True
    while True:
        s = levels[level]
        mover = seat ^ (level & 1)
        if down:
            down = False
            s.tried, s.best = 0, -points - 1
            if s.passes == 2 or level == left:
                s.best = tables.areas[s.position] * (1 - 2 * mover)
                s.tried = points + 1
        while s.tried <= points and s.best < s.beta:
            k = s.tried - (1 if s.passes else 0)  # the pass comes first where it ends the game
            s.tried += 1
            if k < 0 or k == points:
                child, after = s.position, s.passes + 1
            else:
                child, after = np.int32(tables.moves[mover, s.position, tables.order[k]]), 0
                if child == _ILLEGAL or seen[child]:
                    continue
                seen[child] = True
            level += 1
            down = True
            next_one = levels[level]
            next_one.position, next_one.passes = child, after
            next_one.marked = 1 if after == 0 else 0
            next_one.alpha, next_one.beta = -s.beta, -max(s.alpha, s.best)
            break
        if down:
            continue
        value = -s.best
        if level == 0:
            return s.best
        if s.marked:
            seen[s.position] = False
        level -= 1
        levels[level].best = max(levels[level].best, value)


def is_solved(rules: Any) -> bool:
    """Whether the board is small enough, and repetition is by positions."""
    return rules.size <= LARGEST and rules.ko == POSITIONAL


@lru_cache(maxsize=1 << 12)
def scores_of(
    size: int, position: int, seat: int, passes: int, left: int, past: bytes
) -> tuple[int, ...]:
    """The score of every action in a position, which is told by its number.

    Args:
        passes: in a row, up to now. left: decisions until the game is stopped.
        past: the numbers of all positions so far, this one among them, sorted (int64).
    """
    tables = tables_of(size)
    points = size * size
    seen = np.zeros(len(tables.areas), np.bool_)
    seen[np.frombuffer(past, np.int64)] = True
    levels = np.zeros(left + 2, _LEVEL)
    found = []
    for action in range(points + 1):
        child, after = position, passes + 1
        if action < points:
            child, after = int(tables.moves[seat, position, action]), 0
            if child == _ILLEGAL or seen[child]:
                found.append(ILLEGAL)
                continue
            seen[child] = True
        found.append(
            -value_of(tables, seen, levels, child, 1 - seat, after, left - 1, -points, points)
        )
        if action < points:
            seen[child] = False
    return tuple(found)


def endgame_scores(rules: Any, states: np.ndarray) -> np.ndarray:
    """The exact score of every move, (N, A) int8, ``ILLEGAL`` where there is none.

    A score is the mover's area less the other's at the end, without the compensation. What may not
    come back and when the game is stopped is taken as it is.

    Raises:
        ValueError: the board is larger than 3 x 3, or repetition goes by other rules.
    """
    if not is_solved(rules):
        raise ValueError(
            f"go: only boards of {LARGEST} x {LARGEST} and less with ko=positional are solved"
        )
    tables = tables_of(rules.size)
    scores = np.full((len(states), rules.num_actions), ILLEGAL, np.int8)
    for i, s in enumerate(states):
        if s["over"] != GOING:
            continue
        past = s["seen"][s["seen"] != 0]
        past = np.sort(tables.numbers[np.searchsorted(tables.hashes, past)])
        worth = 3 ** np.arange(rules.size**2)
        position = int((worth * np.array([1, 2, 0])[grid_of(rules, s).ravel()]).sum())
        left = rules.max_length - int(s["plies"])
        scores[i] = scores_of(
            rules.size, position, int(s["player"]), int(s["passes"]), left, past.tobytes()
        )
    return scores


def best_action(rules: Any, states: np.ndarray) -> int:
    """A move of the best score in ``states[0]``: where it can end the game it passes."""
    scores = endgame_scores(rules, states)[0]
    best = scores.max()
    if states["passes"][0] == 1 and scores[-1] == best:
        return len(scores) - 1
    return int(scores.argmax())
