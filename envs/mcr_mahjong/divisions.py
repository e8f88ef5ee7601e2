"""Whether tiles make sets and a pair, by arithmetic on words.

A word holds one suit, or the seven honours: three bits a rank, 1 first. Of tiles that are nothing but
sets, the lowest rank says how many chows begin there: its count less 3 if it has a pung. (Three equal
chows are three pungs: the other division of the same tiles.) So no table is needed, which a GPU has
no room for and every kernel would hold a copy of.
"""

from __future__ import annotations

from numba import njit


@njit(cache=True)
def is_win(counts, num_melds):
    """Whether standing tiles, the winning one among them, are a winning shape.

    Four sets and a pair, and with no or one meld the special hands: seven pairs, thirteen orphans,
    honours and knitted tiles, knitted straight. How many fans it has is ``fans.count_points``.

    Args:
        counts: (34,) integers; 14 - 3 * num_melds tiles. num_melds: 0-4, kongs included.
    """
    return False
