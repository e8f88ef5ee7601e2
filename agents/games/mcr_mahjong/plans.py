"""What a hand of mahjong is good for: plans that reach 8 fans, and how far it is from each.

A plan is three chows that make a fan of 6 to 16 together (100 of them, knitted straights among
them), a flush, pungs, or one of the special hands. Its distance is how many tiles are missing,
with a set and a pair from what the plan leaves over. Its value falls with the distance as
``FADING`` says, and is nothing where a tile that it needs can no longer come.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import popcount
from stratagym.envs.mcr_mahjong import shanten
from stratagym.envs.mcr_mahjong.divisions import CHOW_TILES, KNITTED, ONES, present, words_of
from stratagym.envs.mcr_mahjong.shanten import missing, missing_of_two, row_of, row_of_honors
from stratagym.envs.mcr_mahjong.tiles import CHOW

TILE = 8
"""Units of distance that a missing tile is."""
SCARCE = 3
"""Units more if only one is left that may come."""
_FAR = 160
FADING = np.exp(np.outer([-1.5, -8.0], np.arange(_FAR) / TILE))
"""(2, 160) float64: the value of a plan by its distance in units; in row 1 nothing but the nearest
plan counts."""

# Points a win by a plan brings, about 24 and its fans, times how likely it is to reach 8 at all.
STRAIGHT, TRIPLE, SHIFTED, SHIFTED_HIDDEN = 34.0, 33.0, 20.0, 30.0
PURE, KNITTED_VALUE = 42.0, 38.0
HALF_FLUSH, HALF_FLUSH_HIDDEN, FULL_FLUSH = 22.0, 30.0, 50.0
PUNGS, SEVEN_PAIRS, ORPHANS, HONORS_KNITTED = 24.0, 50.0, 112.0, 38.0

_DEAD = -1
_MATCHED = 1 << 40

# Three chows of one suit: how many tiles of each rank they need, and the chows, by bit.
_PURE = [(0, 3, 6)]
_PURE += [(start, start + 1, start + 2) for start in range(5)]
_PURE += [(start, start + 2, start + 4) for start in range(3)]
PURE_NEEDS = np.array([sum(CHOW_TILES << 3 * s for s in starts) for starts in _PURE], np.int64)
PURE_STARTS = np.array([sum(1 << s for s in starts) for starts in _PURE], np.int64)


@njit(cache=True)
def _lacking(word, need, dead, scarce):
    """(the tiles of a need that a suit has, the distance to the others); -1 if one is dead."""
    held, units = 0, 0
    for rank in range(9):
        wanted = need >> 3 * rank & 7
        if wanted:
            has = min(wanted, word >> 3 * rank & 7)
            held |= has << 3 * rank
            if has < wanted:
                if dead >> 3 * rank & 1:
                    return 0, _DEAD
                units += TILE * (wanted - has) + SCARCE * (scarce >> 3 * rank & 1)
    return held, units


@njit(cache=True)
def _packed(units, row):
    """A distance, and what is missing besides for a set, for a pair, for both; five bits each."""
    return units | missing(row, 1, 0) << 8 | missing(row, 0, 1) << 13 | missing(row, 1, 1) << 18


@njit(cache=True)
def _part(word, need, dead, scarce, melded):
    """What a suit is away from its part of a plan, packed; ``_DEAD`` if it cannot come.

    Args:
        need: a one in the digit of each tile. melded: whether the part lies there as a meld.
    """
    if melded:
        return _packed(0, row_of(word)) | _MATCHED
    held = present(word) & need
    lacking = need & ~held
    if lacking & dead:
        return _DEAD
    units = TILE * popcount(np.uint64(lacking)) + SCARCE * popcount(np.uint64(lacking & scarce))
    return _packed(units, row_of(word - held))


@njit(cache=True)
def _chow(word, start, dead, scarce, melded):
    return _part(word, CHOW_TILES << 3 * start, dead, scarce, melded >> start & 1)


@njit(cache=True)
def _chows(word, dead, scarce, melded):
    """The parts of all seven chows of a suit."""
    return (
        _chow(word, 0, dead, scarce, melded),
        _chow(word, 1, dead, scarce, melded),
        _chow(word, 2, dead, scarce, melded),
        _chow(word, 3, dead, scarce, melded),
        _chow(word, 4, dead, scarce, melded),
        _chow(word, 5, dead, scarce, melded),
        _chow(word, 6, dead, scarce, melded),
    )


@njit(cache=True)
def _thirds(word, dead, scarce):
    """The parts of 147, 258 and 369 of a suit."""
    return (
        _part(word, KNITTED, dead, scarce, 0),
        _part(word, KNITTED << 3, dead, scarce, 0),
        _part(word, KNITTED << 6, dead, scarce, 0),
    )


@njit(cache=True)
def _rest(a, b, c, d, with_set):
    """The fewest tiles missing for a pair, or a set and a pair, in four packed groups."""
    pa, pb, pc, pd = a >> 13 & 31, b >> 13 & 31, c >> 13 & 31, d >> 13 & 31
    if not with_set:
        return min(pa, pb, pc, pd)
    sa, sb, sc, sd = a >> 8 & 31, b >> 8 & 31, c >> 8 & 31, d >> 8 & 31
    best = min(a >> 18 & 31, b >> 18 & 31, c >> 18 & 31, d >> 18 & 31)
    best = min(best, sa + min(pb, pc, pd), sb + min(pa, pc, pd))
    return min(best, sc + min(pa, pb, pd), sd + min(pa, pb, pc))


@njit(cache=True)
def _of_three(a, b, c, d, num_melds, steep):
    """The value of a plan by its three parts and the honours, before its points."""
    if a < 0 or b < 0 or c < 0:
        return 0.0
    others = num_melds
    others -= (a >= _MATCHED) + (b >= _MATCHED) + (c >= _MATCHED)
    if others > 1:
        return 0.0
    units = (a & 255) + (b & 255) + (c & 255) + TILE * _rest(a, b, c, d, others == 0)
    return FADING[steep, min(units, _FAR - 1)]


@njit(cache=True)
def mixed_value(words, dead, scarce, melded, honors, num_melds, hidden, steep):
    """The value of three chows in three suits.

    Args:
        words, dead, scarce, melded: three each, by suit: the standing tiles; ones in the digits of
            ranks of which none, or one, may come; the chows that lie open, by bit. honors: packed.
    """
    a = _chows(words[0], dead[0], scarce[0], melded[0])
    b = _chows(words[1], dead[1], scarce[1], melded[1])
    c = _chows(words[2], dead[2], scarce[2], melded[2])
    value = 0.0
    for k in range(7):
        value += TRIPLE * _of_three(a[k], b[k], c[k], honors, num_melds, steep)
    for i in range(3):
        for j in range(3):
            if j != i:
                k = 3 - i - j
                value += STRAIGHT * _of_three(
                    a[3 * i], b[3 * j], c[3 * k], honors, num_melds, steep
                )
                for start in range(5):
                    value += (SHIFTED_HIDDEN if hidden else SHIFTED) * _of_three(
                        a[start + i], b[start + j], c[start + k], honors, num_melds, steep
                    )
    return value


@njit(cache=True)
def pure_value(words, dead, scarce, melded, honors, num_melds, steep):
    """The value of three chows of one suit."""
    value = 0.0
    for suit in range(3):
        word = words[suit]
        b, c = _packed(0, row_of(words[(suit + 1) % 3])), _packed(0, row_of(words[(suit + 2) % 3]))
        for k in range(len(PURE_NEEDS)):
            matched = popcount(np.uint64(melded[suit] & PURE_STARTS[k]))
            others = num_melds - matched
            if others > 1:
                continue
            need = PURE_NEEDS[k]
            for start in range(7):
                if melded[suit] & PURE_STARTS[k] & 1 << start:
                    need -= CHOW_TILES << 3 * start
            held, units = _lacking(word, need, dead[suit], scarce[suit])
            if units < 0:
                continue
            a = _packed(0, row_of(word - held))
            units += TILE * _rest(a, b, c, honors, others == 0)
            value += PURE * FADING[steep, min(units, _FAR - 1)]
    return value


@njit(cache=True)
def knitted_value(words, dead, scarce, honors, num_melds, steep):
    """The value of knitted straights."""
    if num_melds > 1:
        return 0.0
    a = _thirds(words[0], dead[0], scarce[0])
    b = _thirds(words[1], dead[1], scarce[1])
    c = _thirds(words[2], dead[2], scarce[2])
    value = 0.0
    for i in range(3):
        for j in range(3):
            if j != i:
                value += _of_three(a[i], b[j], c[3 - i - j], honors, num_melds, steep)
    return KNITTED_VALUE * value


@njit(cache=True)
def flush_value(words, w3, num_melds, suits_of_melds, hidden, steep):
    """The value of half and full flushes. ``suits_of_melds``: bit 3 for honours."""
    value = 0.0
    honors = row_of_honors(w3)
    for suit in range(3):
        if suits_of_melds & ~(1 << suit | 8):
            continue
        row = row_of(words[suit])
        half = missing_of_two(row, honors, 4 - num_melds)
        value += (HALF_FLUSH_HIDDEN if hidden else HALF_FLUSH) * FADING[steep, TILE * half]
        if not suits_of_melds & 8:
            value += FULL_FLUSH * FADING[steep, TILE * missing(row, 4 - num_melds, 1)]
    return value


@njit(cache=True)
def pungs_value(words, w3, dead, dead_honors, num_melds, steep):
    """The value of All Pungs. Kinds that nobody can draw any more stay what they are."""
    pairs, singles, pungs = 0, 0, 0
    for group in range(4):
        word = w3 if group == 3 else words[group]
        gone = dead_honors if group == 3 else dead[group]
        one = present(word)
        two = (word >> 1 | word >> 2) & ONES
        three = (word & word >> 1 | word >> 2) & ONES
        pungs += popcount(np.uint64(three))
        pairs += popcount(np.uint64(two & ~three & ~gone))
        singles += popcount(np.uint64(one & ~two & ~gone))
    needed = 4 - num_melds
    made = min(needed, pungs)
    from_pairs = min(needed - made, pairs)
    tiles = from_pairs + 2 * (needed - made - from_pairs)
    tiles += 0 if pungs - made + pairs - from_pairs > 0 else 1
    if needed - made - from_pairs > singles:
        tiles += 2
    return PUNGS * FADING[steep, min(TILE * tiles, _FAR - 1)]


@njit(cache=True)
def special_value(counts, steep):
    """The value of seven pairs, thirteen orphans, honours and knitted tiles; with no meld."""
    pairs = shanten.shanten_of(counts, 0, shanten.SEVEN_PAIRS) + 1
    orphans = shanten.shanten_of(counts, 0, shanten.ORPHANS_FORM) + 1
    knitted = shanten.shanten_of(counts, 0, shanten.HONORS_KNITTED) + 1
    return (
        SEVEN_PAIRS * FADING[steep, TILE * pairs]
        + ORPHANS * FADING[steep, TILE * orphans]
        + HONORS_KNITTED * FADING[steep, TILE * knitted]
    )


@njit(cache=True)
def value(counts, melds, num_melds, left, steep):
    """The value of a hand that is to draw: the sum of its plans'.

    Args:
        counts: (34,) integers, 13 - 3 * num_melds tiles. melds: (4 or more, 3), as in ``tiles``.
        left: how many of each kind may still come, in three bits a kind: four words as in
            ``divisions``. steep: 1 for the nearest plan alone.
    """
    w0, w1, w2, w3 = words_of(counts)
    words = w0, w1, w2
    dead = (
        ONES & ~present(left[0]),
        ONES & ~present(left[1]),
        ONES & ~present(left[2]),
    )
    scarce = _single(left[0]), _single(left[1]), _single(left[2])
    m0, m1, m2, chows, suits, exposed = 0, 0, 0, 0, 0, 0
    for k in range(num_melds):
        kind, tile = melds[k, 0], np.int64(melds[k, 1])
        group = tile // 9
        suits |= 1 << group
        if kind == CHOW:
            chows += 1
            bit = 1 << tile - 9 * group - 1
            m0 |= bit if group == 0 else 0
            m1 |= bit if group == 1 else 0
            m2 |= bit if group == 2 else 0
        exposed += 1 if melds[k, 2] != 0 or kind != 3 else 0
    melded = m0, m1, m2
    hidden = exposed == 0
    honors = _packed(0, row_of_honors(w3))
    total = mixed_value(words, dead, scarce, melded, honors, num_melds, hidden, steep)
    if not steep:
        total += pure_value(words, dead, scarce, melded, honors, num_melds, steep)
    total += knitted_value(words, dead, scarce, honors, num_melds, steep)
    total += flush_value(words, w3, num_melds, suits, hidden, steep)
    if chows == 0:
        total += pungs_value(words, w3, dead, ONES & ~present(left[3]), num_melds, steep)
    if num_melds == 0:
        total += special_value(counts, steep)
    return total


@njit(cache=True)
def _single(word):
    """A one in each digit that is 1."""
    return word & ~(word >> 1) & ~(word >> 2) & ONES
