"""What a seat of mahjong sees, and how the rest is redrawn."""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import EMPTY
from stratagym.envs.core import random_below, random_uint64
from stratagym.envs.mcr_mahjong.table import (
    ALL,
    CLAIM,
    COPIES,
    DISCARD,
    FLOWER,
    FLOWERS,
    KIND,
    MOST,
    NONE,
    OFFER,
    OWN,
    PASS,
    RANKS,
    ROB,
    SEATS,
    TILE,
    WALL,
    hand_size,
    is_last,
    put,
    seat_wind,
    tiles_left,
)
from stratagym.envs.mcr_mahjong.tiles import CHOW, KINDS, KONG
from stratagym.envs.mcr_mahjong.winning import evaluate_win

PLANES = 150
HELD, UNSEEN, DRAWN, OFFERED, LEFT, NOW, SEAT = 2, 6, 10, 11, 12, 13, 14
"""First planes of: own tiles, unseen tiles, the tile drawn, the tile offered, the walls, the
question, the seats."""
SEAT_PLANES, KONGS, THROWN, LAST_DISCARDS = 34, 4, 5, 29
"""Planes of a seat, and where in them its kongs and discards begin."""
WALL_STEPS = (0, 1, 2, 3, 5, 8, 12, 16, 20)


@njit(cache=True)
def _mark(out, plane, tile):
    out[plane, tile // RANKS, tile % RANKS] = 1


@njit(cache=True)
def unseen(s, player, tile):
    """How many of a kind a seat does not see: in other hands, their concealed kongs and walls."""
    left = COPIES - s.counts[player, tile] - s.shown[tile]
    for k in range(s.num_melds[player]):
        if s.melds[player, k, KIND] == KONG and s.melds[player, k, OFFER] == 0:
            left -= COPIES * (s.melds[player, k, TILE] == tile)
    return left


@njit(cache=True)
def count_unseen(s, player, out):
    """Write how many of each kind a seat does not see, shape ``(34,)``."""
    for tile in range(KINDS):
        out[tile] = unseen(s, player, tile)


@njit(cache=True)
def concealed_kongs(s, seat):
    """How many melds of a seat lie face down."""
    found = 0
    for k in range(s.num_melds[seat]):
        found += s.melds[seat, k, KIND] == KONG and s.melds[seat, k, OFFER] == 0
    return found


@njit(cache=True)
def observe(rules, s, player, out):
    """The planes of the package's docstring."""
    out[:] = 0
    out[0, 3, s.prevailing] = 1
    out[1, 3, seat_wind(s, player)] = 1
    for tile in range(KINDS):
        row, column = tile // RANKS, tile % RANKS
        for k in range(s.counts[player, tile]):
            out[HELD + k, row, column] = 1
        for k in range(unseen(s, player, tile)):
            out[UNSEEN + k, row, column] = 1
    if player == s.player:
        _observe_question(rules, s, player, out)
    for r in range(SEATS):
        seat = (player + r) & 3
        left = tiles_left(rules, s, seat)
        if not rules.duplicate:
            left = (left + 3) // 4
        for column in range(RANKS):
            out[LEFT, r, column] = left > WALL_STEPS[column]
        _observe_seat(s, seat, SEAT + SEAT_PLANES * r, r == 0, out)
        if r > 0:
            for j in range(min(2, concealed_kongs(s, seat))):
                out[NOW, 3, 2 * (r - 1) + j] = 1


@njit(cache=True)
def _observe_question(rules, s, player, out):
    """What the seat to move is asked, and about which tile."""
    if s.phase > DISCARD:
        return
    out[NOW, 0, s.phase] = 1
    if s.phase == OWN:
        _mark(out, DRAWN, np.int64(s.drawn_tile))
    asked = s.phase == CLAIM or s.phase == ROB
    if asked:
        _mark(out, OFFERED, np.int64(s.tile))
        out[NOW, 2, ((s.discarder - player) & 3) - 1] = 1
    out[NOW, 1, 0] = is_last(rules, s, np.int64(s.discarder) if asked else np.int64(player))
    out[NOW, 1, 1] = s.about_kong


@njit(cache=True)
def _observe_seat(s, seat, first, own, out):
    """Melds and discards of a seat, from plane ``first`` on."""
    for k in range(s.num_melds[seat]):
        tile, kind = np.int64(s.melds[seat, k, TILE]), s.melds[seat, k, KIND]
        if kind == KONG:
            if own or s.melds[seat, k, OFFER]:
                _mark(out, first + k, tile)
                _mark(out, first + KONGS, tile)
        else:
            _mark(out, first + k, tile)
            if kind == CHOW:
                _mark(out, first + k, tile - 1)
                _mark(out, first + k, tile + 1)
    n = np.int64(s.discarded[seat])
    begin = max(0, n - LAST_DISCARDS)
    for k in range(begin, n):
        _mark(out, first + THROWN + k - begin, np.int64(s.discards[seat, k]))


@njit(cache=True)
def _shuffle(s, n):
    """Put what lies in the walls' first ``n`` places in random order."""
    for k in range(n - 1, 0, -1):
        j = random_below(s, k + 1)
        s.wall[k], s.wall[j] = s.wall[j], s.wall[k]


@njit(cache=True)
def _is_undrawn(rules, s, place):
    """Whether a place of the walls holds a tile that is still to be drawn."""
    if rules.duplicate:
        return place < ALL and place % WALL >= s.drawn[place // WALL]
    end = ALL + FLOWERS * rules.flowers - np.int64(s.drawn[1])
    return s.drawn[0] <= place < end


@njit(cache=True)
def determinize(rules, s, player):
    """Redraw the others' hands and concealed kongs, all walls, and those of the hands to come.

    Each concealed kong of another is of any kind, alike likely, of which the player sees none; the
    other tiles it does not see are shuffled. Of answers that others have given to the question
    that is on, nothing is known: they are taken back.
    """
    n = 0
    left = s.counts[(player + 1) & 3]  # to be written anew: until then what is still to be placed
    count_unseen(s, player, left)
    for r in range(1, SEATS):
        seat = (player + r) & 3
        s.claims[seat] = PASS
        for k in range(s.num_melds[seat]):
            if s.melds[seat, k, KIND] == KONG and s.melds[seat, k, OFFER] == 0:
                kind = _whole_kind(s, left)
                left[kind] = 0
                s.melds[seat, k, TILE] = kind
    for tile in range(KINDS):
        for _ in range(left[tile]):
            s.wall[n] = tile
            n += 1
    _shuffle(s, n)
    for r in range(1, SEATS):
        seat = (player + r) & 3
        s.held[seat] = EMPTY
        s.twos[seat] = EMPTY
        for tile in range(KINDS):
            s.counts[seat, tile] = 0
        for _ in range(hand_size(s, seat)):
            n -= 1
            put(s, seat, np.int64(s.wall[n]))
        if seat == s.player and s.phase == OWN:
            s.drawn_tile = s.wall[n]
    if rules.flowers:
        hidden = FLOWERS
        for seat in range(SEATS):
            hidden -= s.flowers[seat]
        for _ in range(hidden):
            s.wall[n] = FLOWER
            n += 1
        _shuffle(s, n)
    for place in range(MOST - 1, -1, -1):
        if _is_undrawn(rules, s, place):
            n -= 1
            s.wall[place] = s.wall[n]
    for place in range(MOST):
        if not _is_undrawn(rules, s, place):
            s.wall[place] = NONE
    s.seed = random_uint64(s)
    asked = s.phase == OWN or s.phase == CLAIM or s.phase == ROB
    if asked and s.player != player:
        evaluate_win(rules, s, np.int64(s.player))


@njit(cache=True)
def _whole_kind(s, left):
    """A kind of which all four are left, each alike likely."""
    found = 0
    for tile in range(KINDS):
        found += left[tile] == COPIES
    skipped, chosen = random_below(s, found), 0
    for tile in range(KINDS):
        if left[tile] == COPIES:
            if skipped == 0:
                chosen = tile
            skipped -= 1
    return chosen
