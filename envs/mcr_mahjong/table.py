"""What lies on the table: the record, the numbers of tiles, melds and actions, tiles that move.

Kinds of tiles and melds are numbered as in ``tiles``. Action ids (``Discrete(235)``), t a tile:

    0, 1       pass, Hu                99 + t, 133 + t    Peng, Gang on the tile on offer
    2 + t      play t                  167 + t, 201 + t   AnGang (concealed), BuGang (added)
    36 + 21 suit + 3 (mid - 2) + (claimed - mid + 1)      Chi: middle rank 2-8, rank claimed
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.bits import ONE
from stratagym.envs.mcr_mahjong.fans import NUM_FANS
from stratagym.envs.mcr_mahjong.tiles import KINDS

COPIES, RANKS = 4, 9
FLOWER, FLOWERS = 34, 8
"""What stands for any of the eight flowers in a wall."""
NONE = -1
SEATS, DEALT = 4, 13
WALL = 34
"""Tiles of a seat's own wall, those dealt from it included."""
ALL = KINDS * COPIES
MOST = ALL + FLOWERS

OWN, CLAIM, ROB, DISCARD, OVER, DRAWING = range(6)
"""Phases: a seat's own turn, with a tile drawn; seats are asked about a discard, or about a tile
added to a kong; a seat that has claimed chow or pung discards; the game is over. And, for a moment,
a seat is about to draw."""
KIND, TILE, OFFER = range(3)
"""Columns of a meld. The offer of a pung or kong is the seat it came from (1 previous, 2 opposite,
3 next), or 0 for a concealed kong."""

PASS, HU, PLAY, CHI, PENG, GANG, AN_GANG, BU_GANG = 0, 1, 2, 36, 99, 133, 167, 201
ACTIONS = BU_GANG + KINDS
MOST_DISCARDS = 40

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("seed", "u8"),  # of all walls
        ("held", "u8", SEATS),  # the kinds in hand, by bit
        ("twos", "u8", SEATS),  # those of which there are two or more
        ("scores", "i4", SEATS),
        ("claims", "i2", SEATS),  # answers to the question that is on, ``PASS`` without
        ("fan", "i2"),  # of the win open to the seat to move, 0 without one
        ("won_fan", "i2"),  # of the hand that ended last, flowers included
        ("wall", "i1", MOST),  # not drawn yet, else ``NONE``; a seat's own begins at 34 x seat
        ("drawn", "u1", SEATS),  # from each seat's wall; of one wall, its front and its back
        ("counts", "i1", (SEATS, KINDS)),  # in hand
        ("melds", "i1", (SEATS, 4, 3)),  # oldest first: kind, tile, offer
        ("num_melds", "i1", SEATS),
        ("melded_at", "i1", (SEATS, 4)),  # how many discards its seat had made before a meld
        ("added_at", "i1", (SEATS, 4)),  # the same of the tile added to a pung, or ``NONE``
        ("discards", "i1", (SEATS, MOST_DISCARDS)),  # oldest first
        ("claimed", "i1", (SEATS, MOST_DISCARDS)),  # whether a discard was
        ("discarded", "i1", SEATS),
        ("shown", "i1", KINDS),  # in discards and exposed melds
        ("flowers", "i1", SEATS),
        ("phase", "i1"),
        ("player", "i1"),
        ("discarder", "i1"),  # or who adds to a kong; ``NONE`` in a seat's own turn
        ("tile", "i1"),  # on offer, or ``NONE``
        ("drawn_tile", "i1"),  # in a seat's own turn, or ``NONE``
        ("about_kong", "i1"),  # the tile drawn replaces that of a kong
        ("hand", "i1"),
        ("prevailing", "i1"),
        # The hand that ended last: who won, from whom (``NONE``: self-drawn), with what.
        ("winner", "i1"),  # ``NONE``: nobody, -2: no hand has ended
        ("loser", "i1"),
        ("won_tile", "i1"),
        ("fans", "i1", NUM_FANS),  # the winner's, how many of each
        ("counter", "i1", NUM_FANS),  # those of the win open to the seat to move, 0 without one
    ],
    align=True,
)

NOT_YET = -2
"""``winner`` before a hand has ended."""


@njit(cache=True)
def put(s, seat, tile):
    """Put a tile into a hand."""
    bit = ONE << np.uint64(tile)
    s.counts[seat, tile] += 1
    s.twos[seat] |= s.held[seat] & bit
    s.held[seat] |= bit


@njit(cache=True)
def take(s, seat, tile):
    """Take a tile out of a hand that holds it."""
    bit = ONE << np.uint64(tile)
    left = s.counts[seat, tile] - 1
    s.counts[seat, tile] = left
    if left == 0:
        s.held[seat] &= ~bit
    elif left == 1:
        s.twos[seat] &= ~bit


@njit(cache=True)
def hand_size(s, seat):
    """How many tiles a seat has in hand."""
    acting = seat == s.player and (s.phase == OWN or s.phase == DISCARD)
    return DEALT - 3 * s.num_melds[seat] + acting


@njit(cache=True)
def seat_wind(s, seat):
    """0-3: east, south, west, north; the first is east's in hand 0."""
    return (seat - s.hand) & 3


@njit(cache=True)
def tiles_left(rules, s, seat):
    """Tiles that a seat may still draw: of its own wall, or of the one wall."""
    if rules.duplicate:
        return WALL - np.int64(s.drawn[seat])
    return ALL + FLOWERS * rules.flowers - np.int64(s.drawn[0]) - np.int64(s.drawn[1])


@njit(cache=True)
def is_last(rules, s, seat):
    """Whether nobody can draw after this seat: no more claims then, but to win."""
    return tiles_left(rules, s, (seat + 1) & 3) == 0


@njit(cache=True)
def chow_action(tile, middle):
    """The id of claiming a tile for the chow around ``middle``, both tiles of a suit."""
    return CHI + 21 * (middle // RANKS) + 3 * (middle % RANKS - 1) + tile - middle + 1


@njit(cache=True)
def chow_of(action):
    """(middle tile, tile claimed) of an action from ``CHI`` up to below ``PENG``."""
    k = action - CHI
    middle = RANKS * (k // 21) + k % 21 // 3 + 1
    return middle, middle + k % 3 - 1
