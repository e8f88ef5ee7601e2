"""What the win open to a seat is worth, by the fan counter of ``fans``."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY, ONE, popcount
from stratagym.envs.mcr_mahjong.divisions import is_win
from stratagym.envs.mcr_mahjong.fans import (
    ABOUT_KONG,
    LAST_OF_KIND,
    NUM_FANS,
    SELF_DRAWN,
    WALL_LAST,
    WMO,
    count_fans,
)
from stratagym.envs.mcr_mahjong.table import COPIES, OWN, RANKS, ROB, is_last, seat_wind
from stratagym.envs.mcr_mahjong.tiles import HONORS, KINDS


def _kinds(*tiles: int) -> np.uint64:
    return np.uint64(sum(1 << tile for tile in tiles))


_CHOW_STARTS = _kinds(*(tile for tile in range(HONORS) if tile % RANKS < RANKS - 2))
_ORPHANS = _kinds(0, 8, 9, 17, 18, 26, *range(HONORS, KINDS))
_TWO = np.uint64(2)
_KNITTED = np.array(
    [
        _kinds(*(9 * suit + rank for suit in range(3) for rank in range(order[suit], 9, 3)))
        for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0))
    ],
    np.uint64,
)
"""The nine tiles of each Knitted Straight: 147, 258 and 369, one in each suit."""


@njit(cache=True)
def may_be_win(held, twos, num_melds):
    """Whether a hand could be a win, at a glance; almost all that could not are told so.

    A tile that stands alone must be in a chow, unless the hand is one of the special ones.

    Args:
        held, twos: the kinds of which there are one or two and more, by bit, the tile won on
            among them.
    """
    first = held & held >> ONE & held >> _TWO & _CHOW_STARTS
    in_chows = first | first << ONE | first << _TWO
    if held & ~(in_chows | twos) == EMPTY:
        return True
    if num_melds > 1:
        return False
    if num_melds == 0 and (held == _ORPHANS or popcount(held) == 14):
        return True
    for k in range(6):
        if _KNITTED[k] & ~held == EMPTY:
            return True
    return False


@njit(cache=True)
def _winning_tile(s):
    return np.int64(s.drawn_tile) if s.phase == OWN else np.int64(s.tile)


@njit(cache=True)
def win_flags(rules, s, seat):
    """The flags for the fan counter of a win by a seat with the tile drawn or on offer."""
    own = s.phase == OWN
    tile = _winning_tile(s)
    flags = WMO if rules.wmo else 0
    if own:
        flags |= SELF_DRAWN
    if s.shown[tile] + own == COPIES:
        flags |= LAST_OF_KIND
    if (own and s.about_kong) or s.phase == ROB:
        flags |= ABOUT_KONG
    if is_last(rules, s, seat if own else np.int64(s.discarder)):
        flags |= WALL_LAST
    return flags


@njit(cache=True)
def forget_win(s):
    """No win is open to anybody."""
    if s.fan != 0:
        s.fan = 0
        for k in range(NUM_FANS):
            s.counter[k] = 0


@njit(cache=True)
def evaluate_win(rules, s, seat):
    """Write the fans of a win by a seat with the tile drawn or on offer: ``fan`` and ``counter``.

    Flowers are not among them: they do not count toward the minimum.
    """
    forget_win(s)
    tile, own = _winning_tile(s), s.phase == OWN
    held, twos = s.held[seat], s.twos[seat]
    if not own:
        bit = ONE << np.uint64(tile)
        twos |= held & bit
        held |= bit
    if not may_be_win(held, twos, s.num_melds[seat]):
        return
    counts, melds = s.counts[seat], np.int64(s.num_melds[seat])
    counts[tile] += not own
    if is_win(counts, melds):
        s.fan = count_fans(
            counts,
            s.melds[seat],
            melds,
            tile,
            win_flags(rules, s, seat),
            seat_wind(s, seat),
            np.int64(s.prevailing),
            s.counter,
        )
    counts[tile] -= not own
