"""Mahjong hands evaluated: fans of winning hands and shanten, by us and by other calculators."""

from __future__ import annotations

from random import Random

import numpy as np

from stratagym.benchmarks.speed import mahjong_hands
from stratagym.benchmarks.speed.mahjong_hands import Hand
from stratagym.benchmarks.speed.measuring import Episode
from stratagym.envs.mcr_mahjong import fans, shanten
from stratagym.envs.mcr_mahjong.tiles import CHOW, KINDS, PUNG, TILES

HANDS = 5_000
_SLOW_HANDS = 500
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


# --- others --------------------------------------------------------------------------------------


def judges_arguments(hand: Hand) -> tuple[object, ...]:
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


def pymahjonggb_fans(name: str) -> Episode:
    from MahjongGB import MahjongFanCalculator

    given = [judges_arguments(hand) for hand in winning_hands(_SLOW_HANDS)]

    def episode() -> int:
        for arguments in given:
            MahjongFanCalculator(*arguments)
        return len(given)

    return episode


def pymahjonggb_shantens(name: str) -> Episode:
    """All five forms, each with the tiles that lower it."""
    import MahjongGB

    hands = [words_of(counts) for counts in random_thirteens(_SLOW_HANDS)]
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

    hands = [counts.tolist() for counts in random_thirteens(_SLOW_HANDS)]
    shanten_of = Shanten().calculate_shanten_for_regular_hand

    def episode() -> int:
        for hand in hands:
            shanten_of(hand)
        return len(hands)

    return episode
