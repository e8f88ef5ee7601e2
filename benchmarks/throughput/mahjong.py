"""Mahjong hands evaluated: fans of winning hands and shanten, by us and by other calculators.

Each is measured twice: many hands in one compiled call, and hand by hand from Python.
"""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from random import Random
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.measuring import Episode
from stratagym.benchmarks.throughput import mahjong_hands, native
from stratagym.benchmarks.throughput.mahjong_hands import Hand
from stratagym.envs.mcr_mahjong import fans, shanten
from stratagym.envs.mcr_mahjong.tiles import CHOW, KINDS, PUNG, TILES

HANDS = 5_000
"""Hands of one compiled call. ``CALLED_HANDS``: of an episode of Python calls."""
CALLED_HANDS = 500
_WORDS = {CHOW: "CHI", PUNG: "PENG"}


def winning_hands(number: int) -> list[Hand]:
    """Random winning hands, special ones among them, always the same."""
    random = Random(1)
    return [mahjong_hands.random_hand(random) for _ in range(number)]


def random_thirteens(number: int) -> np.ndarray:
    """(number, 34) int8: counts of 13 random tiles."""
    random = Random(2)
    wall = [tile for tile in range(KINDS) for _ in range(4)]
    every = [np.bincount(random.sample(wall, 13), minlength=KINDS) for _ in range(number)]
    return np.stack(every).astype(np.int8)


def fan_counts(game: str) -> Episode:
    """Fans of winning hands in one compiled loop."""
    points = np.zeros(HANDS, np.int64)
    given = (*mahjong_hands.arrays(winning_hands(HANDS)), points)

    def episode() -> int:
        fans.points_each(*given)
        return HANDS

    return episode


def shantens(game: str) -> Episode:
    """Shanten of 13 random tiles by all five forms, in one compiled loop."""
    counts, melds = random_thirteens(HANDS), np.zeros(HANDS, np.int64)
    found = np.zeros(HANDS, np.int64)

    def episode() -> int:
        shanten.shanten_each(counts, melds, found)
        return HANDS

    return episode


def useful_tiles(game: str) -> Episode:
    """The same with the tiles that lower it."""
    counts, melds = random_thirteens(HANDS), np.zeros(HANDS, np.int64)
    useful, found = np.zeros((HANDS, KINDS), np.int8), np.zeros(HANDS, np.int64)

    def episode() -> int:
        shanten.useful_each(counts, melds, useful, found)
        return HANDS

    return episode


def called_hands() -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Winning hands as ``fan_count`` takes them."""
    found = []
    for hand in winning_hands(CALLED_HANDS):
        melds, standing, won, _, *flags, seat, prevailing = judges_arguments(hand)
        names = "self_drawn", "last_of_kind", "about_kong", "wall_last"
        told = dict(zip(names, flags, strict=True))
        told |= {"seat_wind": seat, "prevailing_wind": prevailing}
        found.append(((standing, won, melds), told))
    return found


def fan_calls(game: str) -> Episode:
    """Fans of winning hands, one call of ``fan_count`` each."""
    given, count = called_hands(), fans.fan_count

    def episode() -> int:
        for hand, told in given:
            count(*hand, **told)
        return len(given)

    return episode


def useful_calls(game: str) -> Episode:
    """Shanten of 13 random tiles and what lowers it, one call of ``hand_shanten`` each."""
    hands = [words_of(counts) for counts in random_thirteens(CALLED_HANDS)]
    find = shanten.hand_shanten

    def episode() -> int:
        for hand in hands:
            find(hand)
        return len(hands)

    return episode


# --- others --------------------------------------------------------------------------------------


def judges_arguments(hand: Hand) -> tuple[Any, ...]:
    """A hand as PyMahjongGB's ``MahjongFanCalculator`` takes it."""
    melds = tuple((_WORDS.get(kind, "GANG"), TILES[tile], at) for kind, tile, at in hand.melds)
    bits = fans.SELF_DRAWN, fans.LAST_OF_KIND, fans.ABOUT_KONG, fans.WALL_LAST
    flags = [bool(hand.flags & bit) for bit in bits]
    standing = tuple(TILES[tile] for tile in hand.standing)
    winds = hand.seat_wind, hand.prevailing_wind
    return (melds, standing, TILES[hand.tile], 0, *flags, *winds)


def words_of(counts: np.ndarray) -> tuple[str, ...]:
    """A hand in words, from its counts."""
    return tuple(TILES[tile] for tile in range(KINDS) for _ in range(counts[tile]))


PYMAHJONGGB = native.Library(
    "mahjonggb.cc",
    "PyMahjongGB",
    "1.4.0",
    ("fan_calculator.cpp", "shanten.cpp"),
    ("fan_calculator.h",),
)


class JudgesLibrary:
    """Hands in PyMahjongGB's C++ library, without Python.

    Attributes:
        points, shanten: (N,) int32; useful: (N, 34) int8; what the calls write.
    """

    def __init__(self, hands: Sequence[Hand]):
        rows = np.zeros((len(hands), 31), np.intc)
        for row, hand in zip(rows, hands, strict=True):
            melds = [number for meld in hand.melds for number in meld]
            row[0], row[1 : 1 + len(melds)] = len(hand.melds), melds
            row[13], row[14 : 14 + len(hand.standing)] = len(hand.standing), hand.standing
            row[27], row[29:] = hand.tile, (hand.seat_wind, hand.prevailing_wind)
            bits = fans.SELF_DRAWN, fans.LAST_OF_KIND, fans.ABOUT_KONG, fans.WALL_LAST
            row[28] = sum(1 << k for k, bit in enumerate(bits) if hand.flags & bit)
        self._library, pointer = native.load(PYMAHJONGGB), ctypes.c_void_p
        self._library.read_hands.restype = pointer
        self._library.read_hands.argtypes = [pointer, ctypes.c_long]
        self._library.count_fans.argtypes = [pointer, ctypes.c_long, pointer]
        self._library.find_shanten.argtypes = [pointer, ctypes.c_long, pointer, pointer]
        self._hands = self._library.read_hands(rows.ctypes.data, len(hands)), len(hands)
        self.points, self.shanten = (np.zeros(len(hands), np.intc) for _ in range(2))
        self.useful = np.zeros((len(hands), KINDS), np.int8)

    def count_fans(self) -> int:
        """Returns how many hands were counted."""
        self._library.count_fans(*self._hands, self.points.ctypes.data)
        return len(self.points)

    def find_shanten(self) -> int:
        """Of 13 tiles."""
        self._library.find_shanten(*self._hands, self.shanten.ctypes.data, None)
        return len(self.points)

    def find_useful(self) -> int:
        """Of 13 tiles, with the tiles that lower it."""
        where = self.shanten.ctypes.data, self.useful.ctypes.data
        self._library.find_shanten(*self._hands, *where)
        return len(self.points)


def thirteen(counts: np.ndarray) -> Hand:
    """Tiles as a hand, whose winning tile nobody asks for."""
    return Hand(tuple(np.repeat(np.arange(KINDS), counts).tolist()), 0)


def library_fans(name: str) -> Episode:
    """Fans of winning hands in a loop of C++."""
    return JudgesLibrary(winning_hands(HANDS)).count_fans


def library_shantens(name: str) -> Episode:
    """Shanten of 13 tiles, the smallest of five forms, in a loop of C++."""
    return JudgesLibrary([thirteen(counts) for counts in random_thirteens(HANDS)]).find_shanten


def library_useful(name: str) -> Episode:
    """The same with the tiles that lower it."""
    return JudgesLibrary([thirteen(counts) for counts in random_thirteens(HANDS)]).find_useful


def pymahjonggb_fans(name: str) -> Episode:
    from MahjongGB import MahjongFanCalculator

    given = [judges_arguments(hand) for hand in winning_hands(CALLED_HANDS)]

    def episode() -> int:
        for arguments in given:
            MahjongFanCalculator(*arguments)
        return len(given)

    return episode


def pymahjonggb_shantens(name: str) -> Episode:
    """All five forms, each with the tiles that lower it."""
    import MahjongGB

    hands = [words_of(counts) for counts in random_thirteens(CALLED_HANDS)]
    forms = (
        MahjongGB.RegularShanten,
        MahjongGB.SevenPairsShanten,
        MahjongGB.ThirteenOrphansShanten,
        MahjongGB.HonorsAndKnittedTilesShanten,
        MahjongGB.KnittedStraightShanten,
    )

    def episode() -> int:
        for hand in hands:
            for form in forms:
                form(hand)
        return len(hands)

    return episode


def mahjong_shantens(name: str) -> Episode:
    """PyPI's mahjong, of riichi: the regular form alone."""
    from mahjong.shanten import Shanten

    hands = [counts.tolist() for counts in random_thirteens(CALLED_HANDS)]
    shanten_of = Shanten().calculate_shanten_for_regular_hand

    def episode() -> int:
        for hand in hands:
            shanten_of(hand)
        return len(hands)

    return episode
