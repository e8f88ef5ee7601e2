"""Fans that do not depend on how a hand is divided: of its tiles, its kongs, and how it was won.

Words of tiles are those of all 14 or more, melds included; fans are two words, as in
``fan_tables``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import popcount
from stratagym.envs.mcr_mahjong import fan_bits as bits
from stratagym.envs.mcr_mahjong.divisions import ONES, TERMINALS

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
        late = bits.ALL_SIMPLES
    elif suited & ~TERMINALS == 0:
        early = (
            bits.ALL_TERMINALS
            if t3 == 0
            else bits.ALL_HONORS
            if suited == 0
            else bits.ALL_TERMINALS_AND_HONORS
        )
    if t0 == 0:
        if not (t1 & ~_REVERSIBLE_BAMBOO or t2 & ~_REVERSIBLE_DOTS or t3 & ~_WHITE_DRAGON):
            early |= bits.REVERSIBLE_TILES
        if not (t2 or t1 & ~_GREEN or t3 & ~_GREEN_DRAGON):
            early |= bits.ALL_GREEN
    return early, late


@njit(cache=True)
def suit_fans(t0, t1, t2, t3):
    """Flushes, All Types, No Honors and One Voided Suit: two words."""
    early, late = 0, 0
    suits = (t0 != 0) + (t1 != 0) + (t2 != 0)
    if t3 == 0:
        late = bits.NO_HONORS
        if suits == 1:
            early = bits.FULL_FLUSH
    elif suits == 1:
        early = bits.HALF_FLUSH
    elif suits == 3 and t3 & _WIND_DIGITS and t3 & ~_WIND_DIGITS:
        early = bits.ALL_TYPES
    if suits == 2:
        late += bits.ONE_VOIDED_SUIT
    return early, late


@njit(cache=True)
def rank_fans(t0, t1, t2, t3):
    """Upper, middle and lower tiles, as an early word."""
    suited = t0 | t1 | t2
    if t3:
        return 0
    if suited & ~_LOWER_FOUR == 0:
        return bits.LOWER_TILES if suited & ~_LOWER_THREE == 0 else bits.LOWER_FOUR
    if suited & ~_UPPER_FOUR == 0:
        return bits.UPPER_TILES if suited & ~_UPPER_THREE == 0 else bits.UPPER_FOUR
    return bits.MIDDLE_TILES if suited & ~_MIDDLE_THREE == 0 else 0


@njit(cache=True)
def tile_hogs(t0, t1, t2, t3, kongs):
    """Tile Hogs, as a word."""
    number = popcount(np.uint64(t0 >> 2 & ONES)) + popcount(np.uint64(t1 >> 2 & ONES))
    number += popcount(np.uint64(t2 >> 2 & ONES)) + popcount(np.uint64(t3 >> 2 & ONES))
    return (number - kongs) * bits.TILE_HOG


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
        late = bits.SELF_DRAWN
        if flags & WALL_LAST:
            early |= bits.LAST_TILE_DRAW
        if flags & ABOUT_KONG and kongs > 0:
            early |= bits.OUT_WITH_REPLACEMENT_TILE
    else:
        if flags & WALL_LAST:
            early |= bits.LAST_TILE_CLAIM
        if flags & ABOUT_KONG and standing == 1 and melded == 0:
            early |= bits.ROBBING_THE_KONG
    if last_of_kind:
        early |= bits.LAST_TILE
    return early, late


@njit(cache=True)
def kong_fans(concealed, melded):
    """The fans of so many kongs: two words."""
    number = concealed + melded
    if number == 0:
        return 0, 0
    if number == 1:
        return 0, bits.CONCEALED_KONG if concealed else bits.MELDED_KONG
    if number > 2:
        return bits.THREE_KONGS if number == 3 else bits.FOUR_KONGS, 0
    if concealed == 1:
        return 0, bits.MIXED_KONG
    return bits.TWO_CONCEALED_KONGS if concealed else bits.TWO_MELDED_KONGS, 0
