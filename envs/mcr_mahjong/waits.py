"""What a hand waited for: edge, closed and single waits."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import popcount
from stratagym.envs.mcr_mahjong import fan_bits as bits
from stratagym.envs.mcr_mahjong.divisions import (
    ONES,
    are_sets,
    are_sets_and_pair,
    honor_pairs,
    pick,
)
from stratagym.envs.mcr_mahjong.set_fans import CHOWS
from stratagym.envs.mcr_mahjong.tiles import HONORS


@njit(cache=True)
def is_only_wait(w0, w1, w2, w3, tile, pair_group, seven_pairs):
    """Whether no other tile wins in place of ``tile``; a kind of which four are held may.

    Args:
        w0 .. w3: words of what stands, the winning tile not among it. pair_group: where the pair
            lies with it. seven_pairs: whether those win too.
    """
    group = tile // 9
    rank = tile - 9 * group
    if seven_pairs:
        number = popcount(np.uint64(w0 & ONES)) + popcount(np.uint64(w1 & ONES))
        number += popcount(np.uint64(w2 & ONES)) + popcount(np.uint64(w3 & ONES))
        if number == 1 and not pick(group, w0, w1, w2, w3) >> 3 * rank & 1:
            return False
    word = pick(group, w0, w1, w2, w3)
    ranks = 9 if group < 3 else 7
    for other in range(ranks):
        if other != rank:
            with_it = word + (1 << 3 * other)
            if group == 3:
                if honor_pairs(with_it) == (1 if pair_group == 3 else 0):
                    return False
            elif are_sets_and_pair(with_it) if pair_group == group else are_sets(with_it):
                return False
    if pair_group == group:
        return True
    if not (honor_pairs(word) == 1 if group == 3 else are_sets_and_pair(word)):
        return True
    word = pick(pair_group, w0, w1, w2, w3)
    ranks = 9 if pair_group < 3 else 7
    for other in range(ranks):
        with_it = word + (1 << 3 * other)
        if honor_pairs(with_it) == 0 if pair_group == 3 else are_sets(with_it):
            return False
    return True


@njit(cache=True)
def wait_fan(chows, pair, tile):
    """The fan of a wait that the winning tile's place may have been, as a word, or 0.

    Args:
        chows: those that stand in the hand.
    """
    if tile < HONORS:
        suit = tile // 9
        rank = tile - 9 * suit
        own = chows >> 21 * suit & CHOWS
        if (rank == 2 and own & 7) or (rank == 6 and own >> 18 & 7):
            return bits.EDGE_WAIT
        if 1 <= rank <= 7 and own >> 3 * (rank - 1) & 7:
            return bits.CLOSED_WAIT
    return bits.SINGLE_WAIT if pair == tile else 0
