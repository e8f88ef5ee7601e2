"""Random hands of Chinese Standard Mahjong in which every fan is met.

Sets are drawn from pools (one suit, ranks, terminals, green tiles ...), the next one near the last;
a quarter are special hands.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from random import Random

import numpy as np

from stratagym.envs.mcr_mahjong import fans
from stratagym.envs.mcr_mahjong.tiles import CHOW, HONORS, KINDS, KONG, PUNG

WINDS, DRAGONS = range(27, 31), range(31, 34)
_SUITS = tuple(range(9 * suit, 9 * suit + 9) for suit in range(3))


@dataclass(frozen=True)
class Hand:
    """A hand and how it is won.

    Attributes:
        standing: tiles without the winning one. melds: rows (kind, tile, offer). flags: of
            ``fans``.
    """

    standing: tuple[int, ...]
    tile: int
    melds: tuple[tuple[int, int, int], ...] = ()
    flags: int = 0
    seat_wind: int = 0
    prevailing_wind: int = 0

    def counts(self) -> np.ndarray:
        """(34,) int8, the winning tile among them."""
        return np.bincount((*self.standing, self.tile), minlength=KINDS).astype(np.int8)


def random_hand(random: Random) -> Hand:
    """A winning hand."""
    while True:
        if random.random() < 0.25:
            sets, tiles = _special(random)
        else:
            pool = _pool(random)
            sets, tiles = _sets(random, pool, 4), []
            tiles = _pair(random, pool, sets)
        held = [tile for one in sets for tile in one] + tiles
        if len(held) < 14 or max(np.bincount(held)) > 4:
            continue
        exposed = random.choice((0, 0, 1, 2, 3, 4)) if len(sets) == 4 else len(sets)
        random.shuffle(sets)
        melds = []
        for one in sets[:exposed]:
            kind, offer = PUNG if one[0] == one[1] else CHOW, random.randint(1, 3)
            if kind == PUNG and random.random() < 0.25 and held.count(one[0]) == 3:
                kind, offer = KONG, random.choice((0, 0, 1, 2, 3))
            melds.append((kind, one[1], offer))
        standing = [tile for one in sets[exposed:] for tile in one] + tiles
        won = standing.pop(random.randrange(len(standing)))
        flags = 0
        for flag, share in (
            (fans.SELF_DRAWN, 0.4),
            (fans.LAST_OF_KIND, 0.1),
            (fans.ABOUT_KONG, 0.15),
            (fans.WALL_LAST, 0.04),
        ):
            flags |= flag * (random.random() < share)
        return Hand(
            tuple(sorted(standing)),
            won,
            tuple(melds),
            flags,
            random.randrange(4),
            random.randrange(4),
        )


def near_miss(random: Random) -> Hand:
    """A winning hand of which one standing tile became another: mostly none."""
    while True:
        hand = random_hand(random)
        standing = list(hand.standing)
        standing[random.randrange(len(standing))] = random.randrange(KINDS)
        changed = Hand(tuple(sorted(standing)), hand.tile, hand.melds, hand.flags)
        if held(changed).max() <= 4:
            return changed


def held(hand: Hand) -> np.ndarray:
    """(34,): how many of each kind stand and lie in melds."""
    counts = hand.counts()
    for kind, tile, _ in hand.melds:
        if kind == CHOW:
            counts[tile - 1 : tile + 2] += 1
        else:
            counts[tile] += 3 if kind == PUNG else 4
    return counts


def arrays(hands: Iterable[Hand]) -> tuple[np.ndarray, ...]:
    """The arguments of ``fans.count_each`` but the last."""
    every = list(hands)
    melds = np.zeros((len(every), 4, 3), np.int8)
    for row, hand in zip(melds, every, strict=True):
        if hand.melds:
            row[: len(hand.melds)] = hand.melds
    numbers = [
        (len(hand.melds), hand.tile, hand.flags, hand.seat_wind, hand.prevailing_wind)
        for hand in every
    ]
    columns = np.ascontiguousarray(np.array(numbers, np.int64).T)
    return np.stack([hand.counts() for hand in every]), melds, *columns


# --- how sets are drawn --------------------------------------------------------------------------

_Sets = list[tuple[int, int, int]]


def _pool(random: Random) -> list[int]:
    suit, other = random.sample(_SUITS, 2)
    ranks = random.choice(((1, 3), (4, 6), (7, 9), (1, 4), (6, 9)))
    pools = (
        range(KINDS),
        range(KINDS),
        range(HONORS),
        suit,
        [tile for tile in range(HONORS) if ranks[0] <= tile % 9 + 1 <= ranks[1]],
        [tile for tile in range(HONORS) if tile % 9 % 2],
        [tile for tile in range(HONORS) if tile % 9 in (0, 8)],
        [*(tile for tile in range(HONORS) if tile % 9 in (0, 8)), *WINDS, *DRAGONS],
        [tile for tile in range(HONORS) if 2 <= tile % 9 <= 6],
        [*WINDS, *DRAGONS],
        [*WINDS, *suit],
        [*DRAGONS, *suit],
        [10, 11, 12, 14, 16, 32],
        [18, 19, 20, 21, 22, 25, 26, 10, 12, 13, 14, 16, 17, 33],
        [*suit, *other],
    )
    return list(random.choice(pools))


def _sets(random: Random, pool: list[int], number: int) -> _Sets:
    """Sets of a pool, the next one near the last; fewer if it has no room."""
    chows = random.random()
    sets: _Sets = []
    held = np.zeros(KINDS, int)
    for _ in range(60):
        if len(sets) == number:
            break
        first = random.choice(pool)
        if sets and random.random() < 0.6:
            near = sets[-1][0]
            first = random.choice(
                (near, near + 1, near + 2, near + 3, near + 9, near - 9, near + 6)
            )
        chow = sets[-1][0] != sets[-1][1] if sets and random.random() < 0.5 else False
        chow = chow or random.random() < chows
        one = (first, first + 1, first + 2) if chow else (first, first, first)
        if not all(tile in pool for tile in one) or (chow and (first >= 27 or first % 9 > 6)):
            continue
        added = np.bincount(one, minlength=KINDS)
        if (held + added).max() <= 4:
            held += added
            sets.append(one)
    return sets


def _pair(random: Random, pool: list[int], sets: _Sets) -> list[int]:
    held = [tile for one in sets for tile in one]
    free = [tile for tile in pool if held.count(tile) <= 2]
    return [random.choice(free)] * 2 if free else []


def _special(random: Random) -> tuple[_Sets, list[int]]:
    """Sets and other tiles of a special hand, or of a fan that chance makes rarely."""
    suits = [suit.start for suit in random.sample(_SUITS, 3)]
    a, b, c = suits
    kind = random.randrange(9)
    if kind == 0:  # seven pairs
        pool = _pool(random)
        return [], sorted(random.choice(pool) for _ in range(7)) * 2
    if kind == 1:
        first = a + random.randrange(3)
        return [], list(range(first, first + 7)) * 2
    if kind == 2:
        orphans = [t for t in range(HONORS) if t % 9 in (0, 8)] + list(range(HONORS, KINDS))
        return [], [*orphans, random.choice(orphans)]
    if kind == 3:
        knitted = [suit + rank for k, suit in enumerate(suits) for rank in range(k, 9, 3)]
        honors = random.randint(5, 7)
        return [], random.sample(knitted, 14 - honors) + random.sample(range(27, 34), honors)
    if kind == 4:
        gates = [a + rank for rank in (0, 0, 0, *range(1, 8), 8, 8, 8)]
        return [], [*gates, a + random.randrange(9)]
    if kind == 5:
        knitted = [suit + rank for k, suit in enumerate(suits) for rank in range(k, 9, 3)]
        pool = _pool(random)
        sets = _sets(random, pool, 1)
        pair = _pair(random, pool, sets)
        if random.random() < 0.5:
            return sets, knitted + pair
        return [], knitted + pair + [tile for one in sets for tile in one]
    if kind == 6:
        terminal = [(a, a + 1, a + 2), (a + 6, a + 7, a + 8)]
        if random.random() < 0.5:
            return terminal * 2, [a + 4] * 2
        return [*terminal, (b, b + 1, b + 2), (b + 6, b + 7, b + 8)], [c + 4] * 2
    if kind == 7:
        starts = random.sample(range(7), 3)
        if random.random() < 0.5:
            starts = random.sample((0, 3, 6), 3)
        sets = [
            (suit + start, suit + start + 1, suit + start + 2)
            for suit, start in zip(suits, starts, strict=True)
        ]
        pung = a + random.randint(1, 7)
        return [*sets, (pung, pung, pung)], [random.choice((*WINDS, *DRAGONS))] * 2
    sets = _sets(random, [*_SUITS[0], *_SUITS[1]], 4)
    return sets, _pair(random, list(range(KINDS)), sets)
