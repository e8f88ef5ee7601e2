"""The division of a winning hand that gives most, and what it gives.

Everything is words (``divisions``, ``set_fans``, ``fan_tables``): no array is written.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import lowest, popcount
from stratagym.envs.mcr_mahjong import fan_bits as bits
from stratagym.envs.mcr_mahjong.divisions import (
    CHOW_TILES,
    KNITTED,
    ONES,
    are_honors_and_knitted,
    are_orphans,
    are_regular,
    are_seven_pairs,
    knitted_straight,
    pick,
    residue,
    split,
    three_or_more,
)
from stratagym.envs.mcr_mahjong.fan_tables import EXCLUDING, KEPT_EARLY, KEPT_LATE, VALUES
from stratagym.envs.mcr_mahjong.set_fans import (
    CHOWS,
    chow_fans,
    pung_fans,
    whole_fans,
)
from stratagym.envs.mcr_mahjong.tile_fans import (
    SELF_DRAWN,
    WMO,
    kong_fans,
    rank_fans,
    suit_fans,
    tile_hogs,
    trait_fans,
    winning_fans,
)
from stratagym.envs.mcr_mahjong.tiles import CHOW, HONORS, PUNG
from stratagym.envs.mcr_mahjong.waits import is_only_wait, wait_fan

_GATES = 0o311111113
_PAIRS_IN_A_ROW = 0o2222222
_SIX_BITS = 0o7070707070707070707


# --- from fans to points -------------------------------------------------------------------------


@njit(cache=True)
def _digit_sum(word):
    """The sum of the octal digits of a word, at most 62."""
    return ((word & _SIX_BITS) + (word >> 3 & _SIX_BITS)) % 63


@njit(cache=True)
def _points(early, late, mixed):
    total = 2 * _digit_sum(late & 0o77777) + _digit_sum(late >> 15 & 0o7777777777777)
    total += mixed * (late >> 54)
    while early:
        total += VALUES[lowest(np.uint64(early)) + 1]
        early &= early - 1
    return total


@njit(cache=True)
def _finish(early, late, pungs, seat_wind, prevailing_wind, mixed):
    """(points, early, late) when each fan has taken away what it contains.

    Args:
        mixed: the value of one concealed and one melded kong.
    """
    todo = early & EXCLUDING
    while todo:
        fan = lowest(np.uint64(todo)) + 1
        todo &= todo - 1
        early &= KEPT_EARLY[fan]
        late &= KEPT_LATE[fan]
        if (fan == 4 or fan == 12) and early & bits.FULLY_CONCEALED_HAND:
            early &= ~bits.FULLY_CONCEALED_HAND
            late = late & ~(7 * bits.SELF_DRAWN) | bits.SELF_DRAWN
        if fan == 4 or fan == 38:
            late -= (min(late >> 27 & 7, 1 if fan == 4 else 3)) * bits.PUNG_OF_TERMINALS_OR_HONORS
        todo &= early
    if late & 7 * bits.ALL_SIMPLES:
        late &= ~(7 * bits.NO_HONORS)
    if pungs >> HONORS and not early & bits.BIG_FOUR_WINDS:
        found = 0
        if pungs >> HONORS + prevailing_wind & 1:
            early |= bits.PREVALENT_WIND
            found = 1
        if pungs >> HONORS + seat_wind & 1:
            early |= bits.SEAT_WIND
            found += 0 if seat_wind == prevailing_wind else 1
        if not early & (
            bits.BIG_THREE_WINDS
            | bits.ALL_TERMINALS_AND_HONORS
            | bits.ALL_HONORS
            | bits.LITTLE_FOUR_WINDS
        ):
            late -= (min(late >> 27 & 7, found)) * bits.PUNG_OF_TERMINALS_OR_HONORS
    if early == 0 and late == 0:
        early = bits.CHICKEN_HAND
    return _points(early, late, mixed), early, late


# --- divisions -----------------------------------------------------------------------------------


@njit(cache=True)
def _triples(word):
    """At which ranks three equal chows may begin: seven bits."""
    runs = three_or_more(word)
    runs &= runs >> 3 & runs >> 6
    found = 0
    while runs:
        found |= 1 << lowest(np.uint64(runs)) // 3
        runs &= runs - 1
    return found


@njit(cache=True)
def _honor_pungs(w3):
    """The pungs among standing honours, as a word of kinds."""
    threes = w3 & w3 >> 1 & ONES
    found = 0
    while threes:
        found |= 1 << HONORS + lowest(np.uint64(threes)) // 3
        threes &= threes - 1
    return found


@njit(cache=True)
def _honor_pair(w3):
    """The pair among standing honours, which are pungs and pairs, or -1."""
    twos = w3 >> 1 & ~w3 & ONES
    return HONORS + lowest(np.uint64(twos)) // 3 if twos else -1


@njit(cache=True)
def _without_triple(word, start):
    """A suit's sets with three equal chows that begin there, or -1; any sets if no chow can."""
    if not 0 <= start < 7:
        return split(word)
    sets = split(word - (0o333 << 3 * start))
    return sets if sets < 0 else sets + (3 << 3 * start)


@njit(cache=True)
def _all_chows(s0, s1, s2):
    """The word of the chows of three suits that were split."""
    return s0 & CHOWS | (s1 & CHOWS) << 21 | (s2 & CHOWS) << 42


@njit(cache=True)
def _all_pungs(s0, s1, s2):
    return s0 >> 21 | s1 >> 21 << 9 | s2 >> 21 << 18


@njit(cache=True)
def _holds(chows, tile):
    """Whether one of the chows holds a tile."""
    suit = tile // 9
    starts = (chows >> 21 * suit & CHOWS) << 6
    return tile < HONORS and starts >> 3 * (tile - 9 * suit) & 0o777 != 0


@njit(cache=True)
def best_fans(words, melds, num_melds, tile, flags, seat_wind, prevailing_wind):
    """(points, early, late) of a hand in the division that gives most; (0, 0, 0) if it has none.

    Args:
        words: of the standing tiles, the winning one among them (``words_of``). The others as in
            ``fans.count_fans``.
    """
    w0, w1, w2, w3 = words

    # Melds.
    t0, t1, t2, t3 = w0, w1, w2, w3
    meld_chows, meld_pungs, concealed_kongs, melded_kongs, exposed = 0, 0, 0, 0, 0
    for i in range(num_melds):
        kind, at = np.int64(melds[i, 0]), np.int64(melds[i, 1])
        group = at // 9
        rank = at - 9 * group
        exposed += 1
        if kind == CHOW:
            added = CHOW_TILES << 3 * (rank - 1)
            meld_chows += 1 << 3 * (7 * group + rank - 1)
        else:
            added = (3 if kind == PUNG else 4) << 3 * rank
            meld_pungs |= 1 << at
            if kind != PUNG:
                if melds[i, 2] == 0:
                    concealed_kongs += 1
                    exposed -= 1
                else:
                    melded_kongs += 1
        if group == 0:
            t0 += added
        elif group == 1:
            t1 += added
        elif group == 2:
            t2 += added
        else:
            t3 += added
    kongs = concealed_kongs + melded_kongs
    mixed = 6 if flags & WMO else 5

    # What does not depend on the division.
    group = tile // 9
    rank = tile - 9 * group
    own_draw = flags & SELF_DRAWN != 0
    standing = pick(group, w0, w1, w2, w3) >> 3 * rank & 7
    melded = (pick(group, t0, t1, t2, t3) >> 3 * rank & 7) - standing
    won_early, won_late = winning_fans(flags, standing, melded, kongs)
    concealed = 0
    if exposed == 0:
        concealed = bits.FULLY_CONCEALED_HAND if own_draw else bits.CONCEALED_HAND
    suits_early, suits_late = suit_fans(t0, t1, t2, t3)
    hogs = tile_hogs(t0, t1, t2, t3, kongs)

    # The hand without the winning tile.
    one = 1 << 3 * rank
    v0, v1 = w0 - (one if group == 0 else 0), w1 - (one if group == 1 else 0)
    v2, v3 = w2 - (one if group == 2 else 0), w3 - (one if group == 3 else 0)

    total, early, late = 0, 0, 0
    ways = -1
    if num_melds == 0:
        if are_seven_pairs(w0, w1, w2, w3):
            early, late = trait_fans(t0, t1, t2, t3)
            early, late = early | won_early, late + won_late
            suit = w0 | w1 | w2
            first = lowest(np.uint64(suit | 1 << 40)) // 3
            if suits_early & bits.FULL_FLUSH and suit == _PAIRS_IN_A_ROW << 3 * first:
                early |= bits.SEVEN_SHIFTED_PAIRS
            else:
                early |= bits.SEVEN_PAIRS | suits_early | rank_fans(t0, t1, t2, t3)
                late += suits_late + hogs
            total, early, late = _finish(early, late, 0, seat_wind, prevailing_wind, mixed)
        elif are_orphans(w0, w1, w2, w3):
            early = won_early | bits.THIRTEEN_ORPHANS
            return _finish(early, won_late, 0, seat_wind, prevailing_wind, mixed)
        elif are_honors_and_knitted(w0, w1, w2, w3):
            honors = popcount(np.uint64(w3))
            fan = (
                bits.GREATER_HONORS_AND_KNITTED_TILES
                if honors == 7
                else bits.LESSER_HONORS_AND_KNITTED_TILES
            )
            if honors == 5:
                fan |= bits.KNITTED_STRAIGHT
            early = won_early | fan
            return _finish(early, won_late, 0, seat_wind, prevailing_wind, mixed)
    if num_melds <= 1:
        ways = knitted_straight(w0, w1, w2)
        if ways >= 0:
            w0 -= KNITTED << 3 * (ways >> 4)
            w1 -= KNITTED << 3 * (ways >> 2 & 3)
            w2 -= KNITTED << 3 * (ways & 3)

    if not are_regular(w0, w1, w2, w3):
        return total, early, late
    r0, r1, r2 = residue(w0), residue(w1), residue(w2)
    honor_pungs, pair = _honor_pungs(w3), _honor_pair(w3)
    pair_group, pair_rank = 3, 0
    if r0 >= 0:
        pair_group, pair_rank = 0, r0
    elif r1 >= 0:
        pair_group, pair_rank = 1, r1
    elif r2 >= 0:
        pair_group, pair_rank = 2, r2
    kong_early, kong_late = kong_fans(concealed_kongs, melded_kongs)
    same_early = won_early | concealed | suits_early | kong_early
    same_late = won_late + suits_late + kong_late + hogs
    if ways < 0:
        trait_early, trait_late = trait_fans(t0, t1, t2, t3)
        same_early |= trait_early | rank_fans(t0, t1, t2, t3)
        same_late += trait_late
        if exposed == 4 and not own_draw:
            same_early |= bits.MELDED_HAND
        if num_melds == 0 and pick(group, v0, v1, v2, v3) == _GATES:
            same_early |= bits.NINE_GATES
    elif pick(group, w0, w1, w2, w3) >> 3 * rank & 7:
        v0, v1 = w0 - (one if group == 0 else 0), w1 - (one if group == 1 else 0)
        v2, v3 = w2 - (one if group == 2 else 0), w3 - (one if group == 3 else 0)
    only_wait = -1
    while pair_rank < 9:
        p0, p1, p2 = w0, w1, w2
        two = 2 << 3 * pair_rank
        if pair_group < 3:
            pair = 9 * pair_group + pair_rank
            fits = pick(pair_group, w0, w1, w2, w3) >> 3 * pair_rank & 7 >= 2
            if pair_group == 0:
                p0 -= two
            elif pair_group == 1:
                p1 -= two
            else:
                p2 -= two
            pair_rank += 3
        else:
            fits = True
            pair_rank = 9
        if not fits:
            continue
        s0, s1, s2 = split(p0), split(p1), split(p2)
        if s0 < 0 or s1 < 0 or s2 < 0:
            continue
        triples = _triples(p0) | _triples(p1) << 7 | _triples(p2) << 14
        while True:
            if s0 >= 0 and s1 >= 0 and s2 >= 0:
                own_chows = _all_chows(s0, s1, s2)
                own_pungs = _all_pungs(s0, s1, s2) | honor_pungs
                chows, pungs = own_chows + meld_chows, own_pungs | meld_pungs
                one_early, one_late = pung_fans(pungs, pair)
                one_early |= same_early
                one_late += same_late
                if ways < 0:
                    hidden = popcount(np.uint64(own_pungs)) + concealed_kongs
                    if not own_draw and own_pungs >> tile & 1 and not _holds(own_chows, tile):
                        hidden -= 1
                    if hidden == 2:
                        one_late += bits.TWO_CONCEALED_PUNGS
                    elif hidden > 2:
                        one_early |= (
                            bits.THREE_CONCEALED_PUNGS if hidden == 3 else bits.FOUR_CONCEALED_PUNGS
                        )
                    chow_early, chow_late = chow_fans(chows, pair)
                    one_early |= chow_early | whole_fans(chows, pungs, pair)
                    one_late += chow_late
                else:
                    one_early |= bits.KNITTED_STRAIGHT
                    if pungs == 0 and pair < HONORS:
                        one_early |= bits.ALL_CHOWS
                if not one_early & (bits.MELDED_HAND | bits.FOUR_KONGS):
                    waited = wait_fan(own_chows, pair, tile)
                    if waited:
                        if only_wait < 0:
                            only_wait = int(
                                is_only_wait(
                                    v0, v1, v2, v3, tile, pair_group, num_melds == 0 and ways < 0
                                )
                            )
                        if only_wait:
                            one_late += waited
                one_total, one_early, one_late = _finish(
                    one_early, one_late, pungs, seat_wind, prevailing_wind, mixed
                )
                if one_total >= total:
                    total, early, late = one_total, one_early, one_late
            if triples == 0:
                break
            place = lowest(np.uint64(triples))
            triples &= triples - 1
            s0 = _without_triple(p0, place)
            s1 = _without_triple(p1, place - 7)
            s2 = _without_triple(p2, place - 14)
    return total, early, late
