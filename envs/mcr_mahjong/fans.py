"""The fans of a winning hand of Chinese Standard Mahjong (MCR): all 81, in compiled code.

From Python: ``fan_count("W1 W2 W3 ...", ...)``, and ``count_each`` for arrays of hands. Kernels
call ``is_win`` (``divisions``) and ``count_fans``, which allocate nothing and know no environment.
Tiles and melds are numbered as in ``tiles``.

The rules of counting are those of PyMahjongGB, the judge of Botzone's games; ``WMO`` counts one
concealed and one melded kong as 6, as the Green Book of the World Mahjong Organization does, not 5.
"""

from __future__ import annotations

from numba import njit

SELF_DRAWN, LAST_OF_KIND, ABOUT_KONG, WALL_LAST, WMO = 1, 2, 4, 8, 16
"""Bits of ``flags``: won by the own draw (else on a discard or a robbed kong); the winning tile is the
fourth of its kind and the others lie open; the draw replaced a kong, or (with a discard) the tile
was robbed from one; nobody draws after this tile; the convention on mixed kongs."""
NUM_FANS = 83
"""Length of arrays by fan: 1 to 81, and 82 for one concealed and one melded kong; 0 is not used."""


@njit(cache=True)
def count_fans(counts, melds, num_melds, tile, flags, seat_wind, prevailing_wind, fans):
    """The fans of a hand in its best division; the points, 0 if it is no winning shape.

    Flower Tiles are left to the caller: they do not count toward the 8.

    Args:
        counts: (34,) integers, the standing tiles with the winning one: 14 - 3 * num_melds tiles.
        melds: (4 or more, 3) integers, rows (kind, tile, offer); the first ``num_melds`` count.
        tile: the winning one. flags: bits as above. seat_wind, prevailing_wind: 0-3, East first.
        fans: (83,) integers, written whole: how often each fan counts.
    """
    return 0


@njit(cache=True)
def count_points(counts, melds, num_melds, tile, flags, seat_wind, prevailing_wind):
    """The points alone, as ``count_fans`` returns them."""
    return 0
