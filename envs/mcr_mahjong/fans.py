"""The fans of a winning hand of Chinese Standard Mahjong (MCR): all 81, in compiled code.

From Python: ``fan_count`` for one hand, ``points_each`` and ``count_each`` for arrays of hands.
Kernels call ``is_win`` (``divisions``), ``count_points`` and ``count_fans``, which allocate
nothing and know no environment. Tiles and melds are numbered as in ``tiles``.

The rules of counting are those of PyMahjongGB, the judge of Botzone's games; ``WMO`` counts one
concealed and one melded kong as 6, as the Green Book of the World Mahjong Organization does, not 5.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numba import carray, njit

from stratagym.envs import blocks
from stratagym.envs.mcr_mahjong.counting import best_fans
from stratagym.envs.mcr_mahjong.divisions import is_win, pick, words_of
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


@njit(cache=True)
def _with(words, tile, n):
    """The words of a hand with ``n`` more of a tile; whether there are such."""
    group = tile // 9
    place = 3 * (tile - 9 * group)
    w0, w1, w2, w3 = words
    more = n << place
    if group == 0:
        w0 += more
    elif group == 1:
        w1 += more
    elif group == 2:
        w2 += more
    else:
        w3 += more
    return (w0, w1, w2, w3), (pick(group, *words) >> place & 7) + n <= 4


@njit(cache=True)
def _count_hand(standing, melds, won, flags, seat_wind, prevailing_wind):
    """(points, early, late) of a hand, as ``best_fans``; (-1, 0, 0) of too many or too few tiles.

    Args:
        standing: bytes, tiles without the winning one. melds: 3 bytes each.
    """
    pointer, n = blocks.bytes_of(standing)
    tiles = carray(pointer, n)
    pointer, n = blocks.bytes_of(melds)
    num_melds, won = n // 3, blocks.int_of(won)
    rows = carray(pointer, (num_melds, 3))
    words, possible = _with((0, 0, 0, 0), won, 1)
    possible &= tiles.shape[0] == 13 - 3 * num_melds
    for k in range(tiles.shape[0]):
        words, some = _with(words, np.int64(tiles[k]), 1)
        possible &= some
    every = words
    for k in range(num_melds):
        kind, at = np.int64(rows[k, 0]), np.int64(rows[k, 1])
        if kind == CHOW:
            for tile in range(at - 1, at + 2):
                every, some = _with(every, tile, 1)
                possible &= some
        else:
            every, some = _with(every, at, 3 if kind == PUNG else 4)
            possible &= some
    if not possible:
        return -1, 0, 0
    flags, seat = blocks.int_of(flags), blocks.int_of(seat_wind)
    return best_fans(words, rows, num_melds, won, flags, seat, blocks.int_of(prevailing_wind))


@cache
def _count_directly() -> Callable[..., tuple[int, int, int]]:
    kinds = blocks.Bytes(), blocks.Bytes(), *[blocks.Whole()] * 4
    return _count_hand.compile(kinds)


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
    if seat_wind not in _WINDS or prevailing_wind not in _WINDS:
        wrong = "seat_wind" if seat_wind not in _WINDS else "prevailing_wind"
        wind = seat_wind if seat_wind not in _WINDS else prevailing_wind
        raise ValueError(f"{wrong} {wind!r}: 0 to 3 is needed, East first")
    if not 0 <= flowers <= 8:
        raise ValueError(f"{flowers} flowers: there are 8")
    flags = WMO if convention == "wmo" else 0
    if self_drawn:
        flags |= SELF_DRAWN
    if last_of_kind:
        flags |= LAST_OF_KIND
    if about_kong:
        flags |= ABOUT_KONG
    if wall_last:
        flags |= WALL_LAST
    tiles, rows = _as_told(hand), melds if type(melds) is tuple else tuple(melds)
    try:
        given = bytes([*map(_NUMBER_OF, tiles)]), b"".join(map(_ROW_OF, rows)), _NUMBER_OF(tile)
    except (KeyError, TypeError):  # numbers, and words in small letters
        given = _tile_bytes(tiles), b"".join(map(_meld_row, rows)), tile_number(tile)
    count = _count_directly()
    total, early, late = count(*given, flags, int(seat_wind), int(prevailing_wind))
    if total <= 0:
        if total < 0:
            _complain(*given)
        return None
    if flowers or flags & WMO:
        return _named(total, early, late, flowers, flags & WMO)
    points, found, values = _known(total, early, late)
    return _as_tuple(FanCount, (points, found.copy(), values.copy()))


_as_tuple = tuple.__new__  # without the look at names, half of the time of FanCount(...)


@lru_cache(maxsize=4096)
def _known(total: int, early: int, late: int) -> FanCount:
    """``_named`` without flowers, by the rules of Botzone."""
    return _named(total, early, late, 0, 0)


def _named(total: int, early: int, late: int, flowers: int, wmo: int) -> FanCount:
    """Fans, given as bits, by name."""
    times = [0] * (NUM_FANS + 1)
    for fan in range(1, LATE):
        times[fan] = early >> fan - 1 & 1
    for fan in range(LATE, NUM_FANS):
        times[fan] = late >> 3 * (fan - LATE) & 7
    times[FLOWERS] = flowers
    found = {NAMES[fan]: times[fan] for fan in range(1, NUM_FANS) if times[fan]}
    values = {name: int(VALUES[NAMES.index(name)]) for name in found}
    if wmo and times[MIXED_KONGS]:
        values[NAMES[MIXED_KONGS]] = 6
    return FanCount(total + flowers, found, values)


def _complain(tiles: bytes, rows: bytes, won: int) -> None:
    """Raise ``ValueError`` with what is wrong with a hand."""
    if len(rows) > 12:
        raise ValueError(f"{len(rows) // 3} melds: at most 4 are possible")
    needed = 13 - len(rows)
    if len(tiles) != needed:
        raise ValueError(f"{len(tiles)} standing tiles: {needed} are needed")
    shown = np.bincount((*tiles, won), minlength=KINDS)
    for kind, at in zip(rows[::3], rows[1::3], strict=True):
        if kind == CHOW:
            shown[at - 1 : at + 2] += 1
        else:
            shown[at] += 3 if kind == PUNG else 4
    raise ValueError(f"{shown.max()} tiles {TILES[int(shown.argmax())]}: there are 4")


def tile_number(tile: str | int) -> int:
    """The number of a kind of tiles. Raises ``ValueError``."""
    if tile in NUMBERS:
        return NUMBERS[tile]
    number = NUMBERS.get(tile.upper(), -1) if isinstance(tile, str) else int(tile)
    if not 0 <= number < KINDS:
        raise ValueError(f"tile {tile!r}: W1-W9, T1-T9, B1-B9, F1-F4, J1-J3, or 0 to 33 is needed")
    return number


def tile_counts(hand: str | Iterable[str | int]) -> np.ndarray:
    """(34,) int8: how many of each kind a hand has, as in ``fan_count``. Raises ``ValueError``."""
    tiles = np.frombuffer(_tile_bytes(_as_told(hand)), np.uint8)
    return np.bincount(tiles, minlength=KINDS).astype(np.int8)


def _as_told(hand: str | Iterable[str | int]) -> tuple[str | int, ...]:
    """The tiles of a hand, one by one."""
    if type(hand) is tuple:
        return hand
    return tuple(hand.replace(",", " ").split() if isinstance(hand, str) else hand)


def _tile_bytes(tiles: Iterable[str | int]) -> bytes:
    """The numbers of tiles. Raises ``ValueError``."""
    return bytes(map(tile_number, tiles))


def _meld_row(meld: Meld) -> bytes:
    word, tile, offer = meld
    if word not in _WORDS:
        raise ValueError(f"meld {word!r}: choose CHI, PENG or GANG")
    at = tile_number(tile)
    if word == "CHI" and not _is_middle(at):
        raise ValueError(f"CHI {TILES[at]}: the middle tile of a chow is 2 to 8 of a suit")
    return bytes((_WORDS[word], at, offer != 0))


def _is_middle(tile: int) -> bool:
    """Whether a chow can have a tile in its middle."""
    return tile < HONORS and 1 <= tile % 9 <= 7


_WINDS = 0, 1, 2, 3
# Looking a tile or a meld up takes a tenth of reading it.
_NUMBER_OF: Callable[[Any], int] = NUMBERS.__getitem__
_ROW_OF: Callable[[Any], bytes] = {
    (word, tile, offer): bytes((kind, NUMBERS[tile], offer != 0))
    for word, kind in _WORDS.items()
    for tile in TILES
    for offer in range(4)
    if kind != CHOW or _is_middle(NUMBERS[tile])
}.__getitem__
