"""How many tiles a hand of Chinese Standard Mahjong is away from being ready to win.

-1 is a winning hand, 0 waits for one tile. By five forms: four sets and a pair, seven pairs (four
alike are two pairs), thirteen orphans, honours and knitted tiles, knitted straight.
"""

from __future__ import annotations

from numba import njit

REGULAR, SEVEN_PAIRS, ORPHANS, HONORS_KNITTED, KNITTED_STRAIGHT = range(5)
FORMS = 5
IMPOSSIBLE = 99
"""Shanten of a form that melds rule out."""


@njit(cache=True)
def shanten(counts, num_melds):
    """The smallest shanten of the five forms.

    Args:
        counts: (34,) integers, the standing tiles: 13 - 3 * num_melds, or one more.
    """
    return 0


@njit(cache=True)
def useful_tiles(counts, num_melds, useful):
    """``shanten``, and which tiles would lower it.

    Args:
        counts: as there, 13 - 3 * num_melds tiles. useful: (34,) integers, written: 1 or 0.
    """
    return 0
