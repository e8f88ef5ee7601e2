"""The fans of a winning hand of Chinese Standard Mahjong (MCR): all 81, in compiled code.

From Python: ``fan_count`` for one hand, ``points_each`` and ``count_each`` for arrays of hands.
Kernels call ``is_win`` (``divisions``), ``count_points`` and ``count_fans``, which allocate
nothing and know no environment. Tiles and melds are numbered as in ``tiles``.

The rules of counting are those of PyMahjongGB, the judge of Botzone's games; ``WMO`` counts one
concealed and one melded kong as 6, as the Green Book of the World Mahjong Organization does, not 5.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.mcr_mahjong.counting import best_fans
from stratagym.envs.mcr_mahjong.divisions import is_win, words_of
from stratagym.envs.mcr_mahjong.fan_tables import (
    FLOWERS,
    LATE,
    MIXED_KONGS,
    NAMES,
    NUM_FANS,
    VALUES,
)
from stratagym.envs.mcr_mahjong.tile_fans import (
    ABOUT_KONG,
    LAST_OF_KIND,
    SELF_DRAWN,
    WALL_LAST,
    WMO,
)
from stratagym.envs.mcr_mahjong.tiles import CHOW, HONORS, KINDS, KONG, NUMBERS, PUNG, TILES

__all__ = [
    "ABOUT_KONG",
    "FLOWERS",
    "LAST_OF_KIND",
    "MIXED_KONGS",
    "NAMES",
    "NUM_FANS",
    "SELF_DRAWN",
    "VALUES",
    "WALL_LAST",
    "WMO",
    "FanCount",
    "count_each",
    "count_fans",
    "count_points",
    "fan_count",
    "is_win",
    "points_each",
]


# --- kernels -------------------------------------------------------------------------------------


@njit(cache=True)
def count_points(counts, melds, num_melds, tile, flags, seat_wind, prevailing_wind):
    """The points of a hand in its best division, 0 if it is no winning shape.

    Flower Tiles are left to the caller: they do not count toward the 8.

    Args:
        counts: (34,) integers, the standing tiles with the winning one: 14 - 3 * num_melds tiles.
        melds: (4 or more, 3) integers, rows (kind, tile, offer); the first ``num_melds`` count.
        tile: the winning one. flags: bits ``SELF_DRAWN``, ``LAST_OF_KIND``, ``ABOUT_KONG``,
            ``WALL_LAST``, ``WMO``. seat_wind, prevailing_wind: 0-3, East first.
    """
    words = words_of(counts)
    total, _, _ = best_fans(
        words, melds, num_melds, np.int64(tile), flags, seat_wind, prevailing_wind
    )
    return total


@njit(cache=True)
def count_fans(counts, melds, num_melds, tile, flags, seat_wind, prevailing_wind, fans):
    """``count_points``, and how often each fan counts.

    Args:
        fans: (83,) integers, written whole: by number, 1 to 81, and 82 for one concealed and one
            melded kong. Of divisions with equal points one is chosen.
    """
    words = words_of(counts)
    total, early, late = best_fans(
        words, melds, num_melds, np.int64(tile), flags, seat_wind, prevailing_wind
    )
    fans[0] = 0
    for fan in range(1, LATE):
        fans[fan] = early >> fan - 1 & 1
    for fan in range(LATE, NUM_FANS):
        fans[fan] = late >> 3 * (fan - LATE) & 7
    return total


@njit(cache=True, nogil=True)
def points_each(counts, melds, num_melds, tiles, flags, seat_winds, prevailing_winds, totals):
    """``count_points`` of N hands; releases the GIL.

    Args:
        counts: (N, 34) int8. melds: (N, 4, 3) int8. num_melds, tiles, flags, seat_winds,
            prevailing_winds: (N,) int64. totals: (N,) int64, written.
    """
    for i in range(counts.shape[0]):
        totals[i] = count_points(
            counts[i],
            melds[i],
            num_melds[i],
            tiles[i],
            flags[i],
            seat_winds[i],
            prevailing_winds[i],
        )


@njit(cache=True, nogil=True)
def count_each(counts, melds, num_melds, tiles, flags, seat_winds, prevailing_winds, fans, totals):
    """``points_each``, and how often each fan counts. ``fans``: (N, 83) int64, written."""
    for i in range(counts.shape[0]):
        totals[i] = count_fans(
            counts[i],
            melds[i],
            num_melds[i],
            tiles[i],
            flags[i],
            seat_winds[i],
            prevailing_winds[i],
            fans[i],
        )


# --- one hand, from Python -----------------------------------------------------------------------


class FanCount(NamedTuple):
    """What a winning hand counts.

    Attributes:
        points: all of them, flowers included. fans: by name, how often each counts, in the order of
            their numbers. values: by name, the points of one.
    """

    points: int
    fans: dict[str, int]
    values: dict[str, int]


Meld = tuple[str, str | int, int]
"""("CHI", middle tile, offer), ("PENG", tile, offer) or ("GANG", tile, offer; 0 if concealed)."""
_WORDS = {"CHI": CHOW, "PENG": PUNG, "GANG": KONG}


def fan_count(
    hand: str | Iterable[str | int],
    tile: str | int,
    melds: Sequence[Meld] = (),
    *,
    self_drawn: bool = False,
    last_of_kind: bool = False,
    about_kong: bool = False,
    wall_last: bool = False,
    seat_wind: int = 0,
    prevailing_wind: int = 0,
    flowers: int = 0,
    convention: str = "botzone",
) -> FanCount | None:
    """The fans of a hand, or None if it is no winning shape; 8 points besides flowers win.

    Args:
        hand: the standing tiles without the winning one: numbers, or words (``"W1"`` .. ``"J3"``),
            in one string or several. tile: the winning one. melds: as ``Meld``.
        self_drawn: else won on a discard. last_of_kind: the other three of the tile lie open.
        about_kong: on a kong's replacement tile or, not self-drawn, by robbing a kong.
        wall_last: nobody draws after the winning tile. seat_wind, prevailing_wind: 0-3, East first.
        flowers: flower tiles, a point each. convention: ``"botzone"`` or ``"wmo"``.

    Raises:
        ValueError: tiles that are none, too many or too few, five of a kind, or another option.
    """
    if convention not in ("botzone", "wmo"):
        raise ValueError(f"convention {convention!r}; choose botzone or wmo")
    for name, wind in (("seat_wind", seat_wind), ("prevailing_wind", prevailing_wind)):
        if wind not in range(4):
            raise ValueError(f"{name} {wind!r}: 0 to 3 is needed, East first")
    if not 0 <= flowers <= 8:
        raise ValueError(f"{flowers} flowers: there are 8")
    won = tile_number(tile)
    counts = tile_counts(hand)
    counts[won] += 1
    rows = _meld_rows(melds)
    needed = 14 - 3 * len(rows)
    if counts.sum() != needed:
        raise ValueError(f"{counts.sum() - 1} standing tiles: {needed - 1} are needed")
    shown = counts.copy()
    for kind, at, _ in rows:
        if kind == CHOW:
            shown[at - 1 : at + 2] += 1
        else:
            shown[at] += 3 if kind == PUNG else 4
    if shown.max() > 4:
        raise ValueError(f"{shown.max()} tiles {TILES[int(shown.argmax())]}: there are 4")
    flags = (
        SELF_DRAWN * bool(self_drawn)
        | LAST_OF_KIND * bool(last_of_kind)
        | ABOUT_KONG * bool(about_kong)
        | WALL_LAST * bool(wall_last)
        | WMO * (convention == "wmo")
    )
    table = np.zeros((4, 3), np.int8)
    table[: len(rows)] = rows
    times = np.zeros(NUM_FANS, np.int64)
    total = count_fans(counts, table, len(rows), won, flags, seat_wind, prevailing_wind, times)
    if total == 0:
        return None
    times[FLOWERS] = flowers
    found = {NAMES[fan]: int(times[fan]) for fan in range(1, NUM_FANS) if times[fan]}
    values = {name: int(VALUES[NAMES.index(name)]) for name in found}
    if convention == "wmo" and times[MIXED_KONGS]:
        values[NAMES[MIXED_KONGS]] = 6
    return FanCount(int(total) + flowers, found, values)


def tile_number(tile: str | int) -> int:
    """The number of a kind of tiles. Raises ``ValueError``."""
    number = NUMBERS.get(tile.upper(), -1) if isinstance(tile, str) else int(tile)
    if not 0 <= number < KINDS:
        raise ValueError(f"tile {tile!r}: W1-W9, T1-T9, B1-B9, F1-F4, J1-J3, or 0 to 33 is needed")
    return number


def tile_counts(hand: str | Iterable[str | int]) -> np.ndarray:
    """(34,) int8: how many of each kind a hand has, as in ``fan_count``. Raises ``ValueError``."""
    counts = np.zeros(KINDS, np.int8)
    for tile in hand.replace(",", " ").split() if isinstance(hand, str) else hand:
        counts[tile_number(tile)] += 1
    return counts


def _meld_rows(melds: Sequence[Meld]) -> np.ndarray:
    if len(melds) > 4:
        raise ValueError(f"{len(melds)} melds: at most 4 are possible")
    rows = np.zeros((len(melds), 3), np.int8)
    for row, meld in zip(rows, melds, strict=True):
        word, tile, offer = meld
        if word not in _WORDS:
            raise ValueError(f"meld {word!r}: choose CHI, PENG or GANG")
        at = tile_number(tile)
        if word == "CHI" and (at >= HONORS or not 1 <= at % 9 <= 7):
            raise ValueError(f"CHI {TILES[at]}: the middle tile of a chow is 2 to 8 of a suit")
        row[:] = _WORDS[word], at, offer
    return rows
