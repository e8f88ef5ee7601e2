"""Fans that do not depend on how a hand is divided: of its tiles, its kongs, and how it was won.

Words of tiles are those of all 14 or more, melds included; fans are two words, as in
``fan_tables``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import popcount
from stratagym.envs.mcr_mahjong.divisions import ONES, TERMINALS
from stratagym.envs.mcr_mahjong.set_fans import once, times

SELF_DRAWN, LAST_OF_KIND, ABOUT_KONG, WALL_LAST, WMO = 1, 2, 4, 8, 16
"""Bits of ``flags``: won by the own draw (else on a discard or a robbed kong); the winning tile is
the fourth of its kind and the others lie open; the draw replaced a kong, or (with a discard) the
tile was robbed from one; nobody draws after this tile; the convention on mixed kongs."""

_GREEN, _GREEN_DRAGON = 0o070707770, 0o0700000
_REVERSIBLE_BAMBOO, _REVERSIBLE_DOTS, _WHITE_DRAGON = 0o770777070, 0o770077777, 0o7000000
_LOWER_THREE, _LOWER_FOUR = 0o777, 0o7777
_MIDDLE_THREE = 0o777000
_UPPER_THREE, _UPPER_FOUR = 0o777000000, 0o777700000
_WIND_DIGITS = 0o7777


@njit(cache=True)
def trait_fans(t0, t1, t2, t3):
    """All Simples, Reversible Tiles, All Green, and the fans of terminals and honours."""
    early, late = 0, 0
    suited = t0 | t1 | t2
    if t3 == 0 and suited & TERMINALS == 0:
        late = times(68, 1)
    elif suited & ~TERMINALS == 0:
        early = once(8) if t3 == 0 else once(11) if suited == 0 else once(18)
    if t0 == 0:
        if not (t1 & ~_REVERSIBLE_BAMBOO or t2 & ~_REVERSIBLE_DOTS or t3 & ~_WHITE_DRAGON):
            early |= once(40)
        if not (t2 or t1 & ~_GREEN or t3 & ~_GREEN_DRAGON):
            early |= once(3)
    return early, late


@njit(cache=True)
def suit_fans(t0, t1, t2, t3):
    early, late = 0, 0
    suits = (t0 != 0) + (t1 != 0) + (t2 != 0)
    if t3 == 0:
        late = times(76, 1)
        if suits == 1:
            early = once(22)
    elif suits == 1:
        early = once(49)
    elif suits == 3 and t3 & _WIND_DIGITS and t3 & ~_WIND_DIGITS:
        early = once(51)
    if suits == 2:
        late += times(75, 1)
    return early, late


@njit(cache=True)
def rank_fans(t0, t1, t2, t3):
    suited = t0 | t1 | t2
    if t3:
        return 0
    if suited & ~_LOWER_FOUR == 0:
        return once(27) if suited & ~_LOWER_THREE == 0 else once(37)
    if suited & ~_UPPER_FOUR == 0:
        return once(25) if suited & ~_UPPER_THREE == 0 else once(36)
    return once(26) if suited & ~_MIDDLE_THREE == 0 else 0


@njit(cache=True)
def tile_hogs(t0, t1, t2, t3, kongs):
    """Tile Hogs, as a word."""
    number = popcount(np.uint64(t0 >> 2 & ONES)) + popcount(np.uint64(t1 >> 2 & ONES))
    number += popcount(np.uint64(t2 >> 2 & ONES)) + popcount(np.uint64(t3 >> 2 & ONES))
    return times(64, number - kongs)


# --- how it was won ------------------------------------------------------------------------------


@njit(cache=True)
def winning_fans(flags, standing, melded, kongs):
    """The fans of the flags, those that cannot be put right: two words.

    Args:
        standing, melded: how many of the winning kind stand in the hand (it included), lie in
            melds.
    """
    early, late = 0, 0
    last_of_kind = (flags & LAST_OF_KIND and standing == 1) or melded == 3
    if flags & SELF_DRAWN:
        late = times(80, 1)
        if flags & WALL_LAST:
            early |= once(44)
        if flags & ABOUT_KONG and kongs > 0:
            early |= once(46)
    else:
        if flags & WALL_LAST:
            early |= once(45)
        if flags & ABOUT_KONG and standing == 1 and melded == 0:
            early |= once(47)
    if last_of_kind:
        early |= once(58)
    return early, late


@njit(cache=True)
def kong_fans(concealed, melded):
    number = concealed + melded
    if number == 0:
        return 0, 0
    if number == 1:
        return 0, times(67, 1) if concealed else times(74, 1)
    if number > 2:
        return once(17) if number == 3 else once(5), 0
    if concealed == 1:
        return 0, times(82, 1)
    return once(53) if concealed else once(57), 0
