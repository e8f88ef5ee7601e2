"""How many tiles a hand of Chinese Standard Mahjong is away from being ready to win.

-1 is a winning hand, 0 waits for one tile. By five forms: four sets and a pair, seven pairs (four
alike are two pairs), thirteen orphans, honours and knitted tiles, knitted straight. As PyMahjongGB
counts, there is no end of tiles of a kind: one that nobody can draw any more may be waited for.

From Python: ``hand_shanten``. Kernels call ``shanten`` and ``useful_tiles``. Tiles are numbered as
in ``tiles``.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.bits import popcount
from stratagym.envs.mcr_mahjong import tables
from stratagym.envs.mcr_mahjong.divisions import (
    ALL_HONORS,
    KNITTED,
    ONES,
    ORPHANS,
    pick,
    present,
    words_of,
)
from stratagym.envs.mcr_mahjong.fans import tile_counts
from stratagym.envs.mcr_mahjong.tiles import KINDS, TILES

REGULAR, SEVEN_PAIRS, ORPHANS_FORM, HONORS_KNITTED, KNITTED_STRAIGHT = range(5)
FORMS = ("regular", "seven_pairs", "thirteen_orphans", "honors_and_knitted", "knitted_straight")
"""The names of the five forms, by number."""
IMPOSSIBLE = 99
"""The shanten of a form that melds rule out."""

_AUTOMATON = tables.load()
FOLLOWING, ROWS = _AUTOMATON.following, _AUTOMATON.rows
SUIT_START, HONOR_START = _AUTOMATON.suit, _AUTOMATON.honors

# --- rows: what a suit lacks ---------------------------------------------------------------------
#
# A row is one word: the missing tiles for m sets and p pairs in field 5 p + m of six bits. The
# highest bit of a field is free, so that all fields are compared by one subtraction.

_FIELD = tables.FIELD
_HALF = 5 * _FIELD
_GUARD = sum(32 << _FIELD * k for k in range(10))


def _fields(first: int, last: int) -> int:
    """A one in each of the fields first .. last - 1."""
    return sum(1 << _FIELD * k for k in range(first, last))


# By how many sets one side gives, m = 0-4 (alone, and with the pair): the fields of the other side
# that go with it, as masks; where they come to lie, a one each; 31 everywhere else.
_TAKEN = np.array(
    [31 * (_fields(0, 5 - m) | _fields(5, 10 - m)) for m in range(5)]
    + [31 * _fields(0, 5 - m) for m in range(5)],
    np.int64,
)
_PLACED = np.array(
    [_fields(m, 5) | _fields(5 + m, 10) for m in range(5)] + [_fields(5 + m, 10) for m in range(5)],
    np.int64,
)
_FILLED = 31 * _fields(0, 10) - 31 * _PLACED


@njit(cache=True)
def row_of(word):
    """The row of a suit's word."""
    state = SUIT_START
    for rank in range(9):
        state = np.int64(FOLLOWING[state + (word >> 3 * rank & 7)])
    return ROWS[state]


@njit(cache=True)
def row_of_honors(word):
    """The row of the word of the honours."""
    state = HONOR_START
    for rank in range(7):
        state = np.int64(FOLLOWING[state + (word >> 3 * rank & 7)])
    return ROWS[state]


@njit(cache=True)
def missing(row, sets, pairs):
    """How many tiles a row lacks for so many sets (0-4) and pairs (0, 1)."""
    return row >> _FIELD * (5 * pairs + sets) & 31


@njit(cache=True)
def _least(a, b):
    """The smaller number in each field."""
    greater = (a | _GUARD) - b & _GUARD
    mask = greater - (greater >> 5)
    return b & mask | a & ~mask


@njit(cache=True)
def joined(a, b):
    """The row of two groups of tiles together."""
    best = _FILLED[0]
    for m in range(5):
        number = a >> _FIELD * m & 31
        moved = ((b & _TAKEN[m]) << _FIELD * m) + number * _PLACED[m]
        best = moved if m == 0 else _least(best, moved | _FILLED[m])
        number = a >> _FIELD * (5 + m) & 31
        moved = ((b & _TAKEN[5 + m]) << _FIELD * (5 + m)) + number * _PLACED[5 + m]
        best = _least(best, moved | _FILLED[5 + m])
    return best


@njit(cache=True)
def missing_of_two(a, b, sets):
    """``missing`` of two groups together, with a pair."""
    best = 31
    for m in range(sets + 1):
        best = min(
            best,
            missing(a, m, 0) + missing(b, sets - m, 1),
            missing(a, m, 1) + missing(b, sets - m, 0),
        )
    return best


# --- forms ---------------------------------------------------------------------------------------


@njit(cache=True)
def _regular(w0, w1, w2, w3, num_melds):
    suits = joined(row_of(w0), row_of(w1))
    rest = joined(row_of(w2), row_of_honors(w3))
    return missing_of_two(suits, rest, 4 - num_melds) - 1


@njit(cache=True)
def _two_or_more(word):
    return (word >> 1 | word >> 2) & ONES


@njit(cache=True)
def _seven_pairs(w0, w1, w2, w3):
    pairs = popcount(np.uint64(_two_or_more(w0))) + popcount(np.uint64(_two_or_more(w1)))
    pairs += popcount(np.uint64(_two_or_more(w2))) + popcount(np.uint64(_two_or_more(w3)))
    pairs += popcount(np.uint64(w0 >> 2 & ONES)) + popcount(np.uint64(w1 >> 2 & ONES))
    pairs += popcount(np.uint64(w2 >> 2 & ONES)) + popcount(np.uint64(w3 >> 2 & ONES))
    return 6 - pairs


@njit(cache=True)
def _orphans(w0, w1, w2, w3):
    kinds = popcount(np.uint64(present(w3) & ALL_HONORS))
    pairs = _two_or_more(w3)
    for group in range(3):
        word = pick(group, w0, w1, w2, w3)
        kinds += popcount(np.uint64(present(word) & ORPHANS))
        pairs |= _two_or_more(word) & ORPHANS
    return 13 - kinds - (1 if pairs else 0)


@njit(cache=True)
def _kinds_in_thirds(word):
    """How many ranks of 147, 258 and 369 a suit has, in four bits each."""
    ones = present(word)
    ones = ones + (ones >> 9) + (ones >> 18)
    return (ones & 7) | (ones >> 3 & 7) << 4 | (ones >> 6 & 7) << 8


@njit(cache=True)
def _honors_knitted(w0, w1, w2, w3):
    a, b, c = _kinds_in_thirds(w0), _kinds_in_thirds(w1), _kinds_in_thirds(w2)
    best = 0
    for i in range(3):
        for j in range(3):
            if j != i:
                kinds = (a >> 4 * i & 7) + (b >> 4 * j & 7) + (c >> 4 * (3 - i - j) & 7)
                best = max(best, kinds)
    return 13 - best - popcount(np.uint64(present(w3)))


@njit(cache=True)
def _beside_knitted(word, third):
    """What a suit lacks beside one third of a knitted straight.

    Six bits each: the tiles of the third that are missing; of the others, for a set, a pair, both.
    """
    wanted = KNITTED << 3 * third
    held = present(word) & wanted
    row = row_of(word - held)
    lacking = 3 - popcount(np.uint64(held))
    return lacking | missing(row, 1, 0) << 6 | missing(row, 0, 1) << 12 | missing(row, 1, 1) << 18


@njit(cache=True)
def _set_and_pair(a, b, c, d):
    """The fewest tiles missing for a set and a pair in four groups, given as above."""
    best = 31
    for i in range(4):
        one = pick(i, a, b, c, d)
        best = min(best, one >> 18 & 31)
        for j in range(4):
            if j != i:
                best = min(best, (one >> 6 & 31) + (pick(j, a, b, c, d) >> 12 & 31))
    return best


@njit(cache=True)
def _knitted_straight(w0, w1, w2, w3, num_melds):
    row = row_of_honors(w3)
    d = missing(row, 1, 0) << 6 | missing(row, 0, 1) << 12 | missing(row, 1, 1) << 18
    best = IMPOSSIBLE
    for i in range(3):
        a = _beside_knitted(w0, i)
        for j in range(3):
            if j != i:
                b, c = _beside_knitted(w1, j), _beside_knitted(w2, 3 - i - j)
                lacking = (a & 7) + (b & 7) + (c & 7)
                if lacking < best:
                    if num_melds == 0:
                        rest = _set_and_pair(a, b, c, d)
                    else:
                        rest = min(a >> 12 & 31, b >> 12 & 31, c >> 12 & 31, d >> 12 & 31)
                    best = min(best, lacking + rest)
    return best - 1


@njit(cache=True)
def _of_form(w0, w1, w2, w3, num_melds, form):
    if form == REGULAR:
        return _regular(w0, w1, w2, w3, num_melds)
    if num_melds == 0:
        if form == SEVEN_PAIRS:
            return _seven_pairs(w0, w1, w2, w3)
        if form == ORPHANS_FORM:
            return _orphans(w0, w1, w2, w3)
        if form == HONORS_KNITTED:
            return _honors_knitted(w0, w1, w2, w3)
    if form == KNITTED_STRAIGHT and num_melds <= 1:
        return _knitted_straight(w0, w1, w2, w3, num_melds)
    return IMPOSSIBLE


@njit(cache=True)
def _of_words(w0, w1, w2, w3, num_melds):
    """The smallest shanten of all forms."""
    best = _regular(w0, w1, w2, w3, num_melds)
    if num_melds == 0:
        best = min(best, _seven_pairs(w0, w1, w2, w3), _orphans(w0, w1, w2, w3))
        best = min(best, _honors_knitted(w0, w1, w2, w3))
    if num_melds <= 1:
        best = min(best, _knitted_straight(w0, w1, w2, w3, num_melds))
    return best


# --- hands ---------------------------------------------------------------------------------------


@njit(cache=True)
def shanten(counts, num_melds):
    """The smallest shanten of the five forms.

    Args:
        counts: (34,) integers, the standing tiles: 13 - 3 * num_melds, or one more.
        num_melds: 0-4, kongs included.
    """
    w0, w1, w2, w3 = words_of(counts)
    return _of_words(w0, w1, w2, w3, num_melds)


@njit(cache=True)
def shanten_of(counts, num_melds, form):
    """The shanten of one form, ``REGULAR`` ..; ``IMPOSSIBLE`` if it cannot be with those melds."""
    w0, w1, w2, w3 = words_of(counts)
    return _of_form(w0, w1, w2, w3, num_melds, form)


@njit(cache=True)
def useful_tiles(counts, num_melds, useful):
    """``shanten``, and which tiles would lower it; a fifth of a kind if it would win.

    Args:
        counts: as there, 13 - 3 * num_melds tiles. useful: (34,) integers, written: 1 or 0.
    """
    return _useful(counts, num_melds, 0b11111, useful)


@njit(cache=True)
def useful_tiles_of(counts, num_melds, form, useful):
    """``useful_tiles`` for one form."""
    return _useful(counts, num_melds, 1 << form, useful)


@njit(cache=True)
def _useful(counts, num_melds, forms, useful):
    """``useful_tiles`` for the forms of a set, as bits."""
    w0, w1, w2, w3 = words_of(counts)
    best, nearest = IMPOSSIBLE + 1, 0
    for form in range(5):
        if forms >> form & 1:
            found = _of_form(w0, w1, w2, w3, num_melds, form)
            if found < best:
                best, nearest = found, 0
            if found == best:
                nearest |= 1 << form
    r0, r1, r2, r3 = row_of(w0), row_of(w1), row_of(w2), row_of_honors(w3)
    first, second = joined(r0, r1), joined(r2, r3)
    for tile in range(KINDS):
        useful[tile] = 0
    for group in range(4):
        if group < 2:
            others = joined(r1 if group == 0 else r0, second)
        else:
            others = joined(first, r3 if group == 2 else r2)
        word = pick(group, w0, w1, w2, w3)
        for rank in range(9 if group < 3 else 7):
            one = 1 << 3 * rank
            lowers = False
            if nearest & 1 << REGULAR and (best == 0 or word >> 3 * rank & 7 < 4):
                row = row_of(word + one) if group < 3 else row_of_honors(word + one)
                lowers = missing_of_two(row, others, 4 - num_melds) - 1 < best
            for form in range(1, 5):
                if nearest >> form & 1 and not lowers:
                    after = _of_form(
                        w0 + (one if group == 0 else 0),
                        w1 + (one if group == 1 else 0),
                        w2 + (one if group == 2 else 0),
                        w3 + (one if group == 3 else 0),
                        num_melds,
                        form,
                    )
                    lowers = after < best
            useful[9 * group + rank] = 1 if lowers else 0
    return best


@njit(cache=True, nogil=True)
def shanten_each(counts, num_melds, shantens):
    """``shanten`` of N hands; releases the GIL.

    Args:
        counts: (N, 34) int8. num_melds: (N,) int64. shantens: (N,) int64, written.
    """
    for i in range(counts.shape[0]):
        shantens[i] = shanten(counts[i], num_melds[i])


@njit(cache=True, nogil=True)
def useful_each(counts, num_melds, useful, shantens):
    """``useful_tiles`` of N hands; releases the GIL. ``useful``: (N, 34) integers, written."""
    for i in range(counts.shape[0]):
        shantens[i] = useful_tiles(counts[i], num_melds[i], useful[i])


class Shanten(NamedTuple):
    """How far a hand is from being ready.

    Attributes:
        shanten: -1 a win, 0 ready. useful: the tiles that would lower it. forms: the shanten of
            each form that is possible.
    """

    shanten: int
    useful: tuple[str, ...]
    forms: dict[str, int]


def hand_shanten(hand: str | Iterable[str | int], melds: int = 0) -> Shanten:
    """The shanten of standing tiles, and what would lower it.

    Args:
        hand: 13 - 3 * melds tiles, as in ``fans.fan_count``; or one more. melds: how many lie open
            or are kongs.

    Raises:
        ValueError: tiles that are none, too many or too few, five of a kind.
    """
    if melds not in range(5):
        raise ValueError(f"melds {melds!r}: 0 to 4 is needed")
    counts = tile_counts(hand)
    if counts.max() > 4:
        raise ValueError(f"{counts.max()} tiles {TILES[int(counts.argmax())]}: there are 4")
    most = 14 - 3 * melds
    if counts.sum() not in (most - 1, most):
        raise ValueError(f"{counts.sum()} standing tiles: {most - 1} or {most} are needed")
    forms = {name: int(shanten_of(counts, melds, form)) for form, name in enumerate(FORMS)}
    useful = np.zeros(KINDS, np.int8)
    if counts.sum() == most - 1:
        useful_tiles(counts, melds, useful)
    return Shanten(
        min(forms.values()),
        tuple(tile for tile, is_useful in zip(TILES, useful, strict=True) if is_useful),
        {name: number for name, number in forms.items() if number != IMPOSSIBLE},
    )
