"""Whether tiles make sets and a pair, by arithmetic on words.

A word holds one suit, or the seven honours, as an octal number: one digit a rank, rank 1 lowest. Of
tiles that are nothing but sets, the lowest rank says how many chows begin there: its number less 3
if it has a pung. (Three equal chows are three pungs: the other division of the same tiles.) So no
table is needed, which a GPU has no room for and of which every kernel would hold a copy.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import lowest, popcount
from stratagym.envs.mcr_mahjong.tiles import HONORS

ONES = 0o111111111
"""A one in each digit."""
TERMINALS = 0o700000007
"""The digits of the ranks 1 and 9."""
ORPHANS = 0o100000001
ALL_HONORS = 0o1111111
KNITTED = 0o001001001
"""The ranks 1, 4 and 7; a digit higher 2, 5, 8, two higher 3, 6, 9."""
CHOW_TILES = 0o111


@njit(cache=True)
def words_of(counts):
    """The words of the three suits and of the honours, of (34,) counts of tiles."""
    w0, w1, w2, w3 = 0, 0, 0, 0
    for rank in range(9):
        w0 |= np.int64(counts[rank]) << 3 * rank
        w1 |= np.int64(counts[9 + rank]) << 3 * rank
        w2 |= np.int64(counts[18 + rank]) << 3 * rank
    for rank in range(7):
        w3 |= np.int64(counts[HONORS + rank]) << 3 * rank
    return w0, w1, w2, w3


@njit(cache=True)
def pick(group, w0, w1, w2, w3):
    """The word of a group: a suit 0-2, or the honours 3."""
    if group == 0:
        return w0
    if group == 1:
        return w1
    return w2 if group == 2 else w3


@njit(cache=True)
def present(word):
    """A one in each digit that is not 0."""
    return (word | word >> 1 | word >> 2) & ONES


@njit(cache=True)
def three_or_more(word):
    """A one in each digit of at least 3."""
    return (word & word >> 1 | word >> 2) & ONES


@njit(cache=True)
def _every_third(word):
    """The sum of the digits 0, 3 and 6."""
    low = word & 0o007007007
    return (low + (low >> 9) + (low >> 18)) & 0o77


@njit(cache=True)
def residue(word):
    """What of a suit the sums over every third rank leave.

    -1: sets alone are possible; 0, 1, 2: sets and a pair, whose rank is so modulo 3; -2: neither.
    """
    a = _every_third(word) % 3
    b = _every_third(word >> 3) % 3
    c = _every_third(word >> 6) % 3
    if a == b:
        if c == a:
            return -1
        return 2 if (c - a) % 3 == 2 else -2
    if b == c:
        return 0 if (a - b) % 3 == 2 else -2
    if a == c:
        return 1 if (b - a) % 3 == 2 else -2
    return -2


@njit(cache=True)
def split(word):
    """A suit's sets, pungs before chows, or -1 if it is not made of sets alone.

    Bits 0-20: how many chows begin at each of the ranks 1-7, three bits each; 21-29: pungs by rank.
    Four of a rank and one more are fine, as in a hand that waits for a fifth tile.
    """
    sets = 0
    for start in range(7):
        number = word & 7
        if number >= 3:
            number -= 3
            sets |= 1 << 21 + start
        if number > 0:
            if (word >> 3 & 7) < number or (word >> 6 & 7) < number:
                return -1
            sets |= number << 3 * start
            word -= number * 0o110
        word >>= 3
    for rank in range(7, 9):
        number = word & 7
        if number == 3:
            sets |= 1 << 21 + rank
        elif number > 0:
            return -1
        word >>= 3
    return sets


@njit(cache=True)
def are_sets(word):
    """Whether a suit is made of sets alone; no tile is."""
    return word == 0 or (residue(word) == -1 and split(word) >= 0)


@njit(cache=True)
def are_sets_and_pair(word):
    """Whether a suit is made of sets and one pair."""
    rank = residue(word)
    while 0 <= rank < 9:
        if (word >> 3 * rank & 7) >= 2 and split(word - (2 << 3 * rank)) >= 0:
            return True
        rank += 3
    return False


@njit(cache=True)
def honor_pairs(word):
    """How many pairs stand beside pungs in the word of the honours; -1 if other tiles do."""
    odd, twos = word & ONES, word >> 1 & ONES
    if word >> 2 & ONES or odd & ~twos:
        return -1
    return popcount(np.uint64(twos & ~odd))


@njit(cache=True)
def are_regular(w0, w1, w2, w3):
    """Whether the words of three suits and the honours are sets and one pair."""
    pairs = honor_pairs(w3)
    if pairs < 0 or pairs > 1:
        return False
    r0, r1, r2 = residue(w0), residue(w1), residue(w2)
    if r0 == -2 or r1 == -2 or r2 == -2:
        return False
    if pairs + (r0 >= 0) + (r1 >= 0) + (r2 >= 0) != 1:
        return False
    return (
        (are_sets_and_pair(w0) if r0 >= 0 else split(w0) >= 0)
        and (are_sets_and_pair(w1) if r1 >= 0 else split(w1) >= 0)
        and (are_sets_and_pair(w2) if r2 >= 0 else split(w2) >= 0)
    )


# --- special hands, of 14 standing tiles or, knitted straights, 11 ------------------------------


@njit(cache=True)
def are_seven_pairs(w0, w1, w2, w3):
    return (w0 | w1 | w2 | w3) & ONES == 0


@njit(cache=True)
def are_orphans(w0, w1, w2, w3):
    """Thirteen orphans, of 14 tiles."""
    return (
        (w0 | w1 | w2) & ~TERMINALS == 0
        and present(w0) & present(w1) & present(w2) == ORPHANS
        and present(w3) == ALL_HONORS
    )


@njit(cache=True)
def are_honors_and_knitted(w0, w1, w2, w3):
    """14 different tiles of the honours and one knitted pattern."""
    if (w0 | w1 | w2 | w3) & ~ONES or w0 == 0 or w1 == 0 or w2 == 0:
        return False
    a = lowest(np.uint64(w0)) // 3 % 3
    b = lowest(np.uint64(w1)) // 3 % 3
    c = lowest(np.uint64(w2)) // 3 % 3
    if a == b or b == c or a == c:
        return False
    return not (w0 & ~(KNITTED << 3 * a) or w1 & ~(KNITTED << 3 * b) or w2 & ~(KNITTED << 3 * c))


@njit(cache=True)
def _thirds(word):
    """Bits 0-2: whether a suit holds 147, 258, 369."""
    held = present(word)
    held &= held >> 9
    held &= held >> 9
    return (held & 1) | (held >> 2 & 2) | (held >> 4 & 4)


@njit(cache=True)
def knitted_straight(w0, w1, w2):
    """Where three suits hold 147, 258, 369, one of them each; -1 if they do not.

    16 a + 4 b + c: the suits hold the ranks that are a, b, c (0-2) more than 1, 4, 7. Of 14 tiles
    at most one such way is possible.
    """
    a, b, c = _thirds(w0), _thirds(w1), _thirds(w2)
    if a == 0 or b == 0 or c == 0:
        return -1
    for i in range(3):
        if a >> i & 1:
            for j in range(3):
                k = 3 - i - j
                if j != i and b >> j & 1 and c >> k & 1:
                    return 16 * i + 4 * j + k
    return -1


@njit(cache=True)
def are_special(w0, w1, w2, w3, num_melds):
    """Whether standing tiles are one of the special hands."""
    if num_melds > 1:
        return False
    if num_melds == 0 and (
        are_seven_pairs(w0, w1, w2, w3)
        or are_orphans(w0, w1, w2, w3)
        or are_honors_and_knitted(w0, w1, w2, w3)
    ):
        return True
    ways = knitted_straight(w0, w1, w2)
    if ways < 0:
        return False
    w0 -= KNITTED << 3 * (ways >> 4)
    w1 -= KNITTED << 3 * (ways >> 2 & 3)
    w2 -= KNITTED << 3 * (ways & 3)
    return are_regular(w0, w1, w2, w3)


@njit(cache=True)
def is_win(counts, num_melds):
    """Whether standing tiles, the winning one among them, are a winning shape.

    Four sets and a pair, and with no or one meld the special hands: seven pairs, thirteen orphans,
    honours and knitted tiles, knitted straight. How many fans it has is ``fans.count_points``.

    Args:
        counts: (34,) integers, at most 4 each; 14 - 3 * num_melds tiles.
        num_melds: 0-4, kongs included.
    """
    w0, w1, w2, w3 = words_of(counts)
    return are_regular(w0, w1, w2, w3) or are_special(w0, w1, w2, w3, num_melds)
