"""How a hand of mahjong begins: the table is cleared, walls are shuffled, tiles dealt."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.core import derive_seed, random_below, seed_rng
from stratagym.envs.mcr_mahjong.table import (
    ALL,
    COPIES,
    DEALT,
    DRAWING,
    FLOWER,
    FLOWERS,
    MOST_DISCARDS,
    NONE,
    PASS,
    SEATS,
    WALL,
    put,
)
from stratagym.envs.mcr_mahjong.tiles import KINDS


@njit(cache=True)
def clear_table(s):
    """Take everything from the table."""
    for seat in range(SEATS):
        s.held[seat] = 0
        s.twos[seat] = 0
        s.drawn[seat] = 0
        s.num_melds[seat] = 0
        s.discarded[seat] = 0
        s.flowers[seat] = 0
        s.claims[seat] = PASS
        for k in range(4):
            s.melded_at[seat, k] = 0
            s.added_at[seat, k] = NONE
            for column in range(3):
                s.melds[seat, k, column] = 0
        for tile in range(KINDS):
            s.counts[seat, tile] = 0
        for k in range(MOST_DISCARDS):
            s.discards[seat, k] = NONE
            s.claimed[seat, k] = 0
    for tile in range(KINDS):
        s.shown[tile] = 0
    s.tile = NONE
    s.drawn_tile = NONE
    s.discarder = NONE
    s.about_kong = 0


@njit(cache=True)
def shuffle_walls(rules, s):
    """Walls of hand ``s.hand``: of the game's seed and the hand's number alone."""
    for k in range(ALL):
        s.wall[k] = k // COPIES
    n = ALL
    for k in range(FLOWERS):
        s.wall[ALL + k] = FLOWER if rules.flowers else NONE
        n += rules.flowers
    seed_rng(s, derive_seed(s.seed, np.uint64(s.hand)))
    for k in range(n - 1, 0, -1):
        j = random_below(s, k + 1)
        s.wall[k], s.wall[j] = s.wall[j], s.wall[k]


@njit(cache=True)
def take_front(s, place):
    """The tile at a place of the walls, which is then empty."""
    tile = np.int64(s.wall[place])
    s.wall[place] = NONE
    return tile


@njit(cache=True)
def take_back(rules, s):
    """The last tile of the one wall."""
    s.drawn[1] += 1
    return take_front(s, ALL + FLOWERS * rules.flowers - np.int64(s.drawn[1]))


@njit(cache=True)
def deal_hands(rules, s):
    """Begin the hand whose walls lie ready: deal and expose flowers; east is to draw."""
    for k in range(SEATS * DEALT):  # two loops would be unrolled, to a third of all rules' code
        seat = k // DEALT
        tile = take_front(s, k + (WALL - DEALT) * seat if rules.duplicate else k)
        if tile == FLOWER:
            s.flowers[seat] += 1
        else:
            put(s, seat, tile)
    if rules.duplicate:
        for seat in range(SEATS):
            s.drawn[seat] = DEALT
    else:
        s.drawn[0] = SEATS * DEALT
        for k in range(SEATS):
            seat = (s.hand + k) & 3
            owed = s.flowers[seat]
            while owed > 0:
                tile = take_back(rules, s)
                if tile == FLOWER:
                    s.flowers[seat] += 1
                else:
                    put(s, seat, tile)
                    owed -= 1
    s.player = s.hand & 3
    s.phase = DRAWING
