"""The fan evaluator and the shanten tables of mahjong against PyMahjongGB and a stored list."""

from __future__ import annotations

import json
import os
from random import Random

import numpy as np
import pytest
from mahjong_table import MELD_WORDS

from stratagym.benchmarks.throughput import mahjong_hands
from stratagym.envs.mcr_mahjong import fans, shanten, tables
from stratagym.envs.mcr_mahjong.tiles import KINDS, TILES

MANY = int(os.environ.get("STRATAGYM_MAHJONG_HANDS", 20_000))
"""Random hands of the slow tests; 100,000 for a new evaluator."""


@pytest.fixture(scope="module")
def oracle():
    return pytest.importorskip("MahjongGB")


def words(hand):
    """Melds, standing tiles and winning tile as PyMahjongGB and ``fan_count`` read them."""
    melds = tuple((MELD_WORDS.get(kind, "GANG"), TILES[tile], at) for kind, tile, at in hand.melds)
    return melds, tuple(TILES[tile] for tile in hand.standing), TILES[hand.tile]


def judged(oracle, hand):
    """The points and fans of PyMahjongGB; (0, {}) where it says that the hand does not win."""
    melds, standing, won = words(hand)
    flags = [
        bool(hand.flags & bit)
        for bit in (fans.SELF_DRAWN, fans.LAST_OF_KIND, fans.ABOUT_KONG, fans.WALL_LAST)
    ]
    try:
        found = oracle.MahjongFanCalculator(
            melds, standing, won, 0, *flags, hand.seat_wind, hand.prevailing_wind, verbose=True
        )
    except TypeError as error:
        assert "ERROR_NOT_WIN" in str(error), (error, hand)
        return 0, {}
    points = sum(value * times for value, times, _, _ in found)
    return points, {name: times for _, times, _, name in found}


def counted(hands):
    """Our points and fans of many hands."""
    times = np.zeros((len(hands), fans.NUM_FANS), np.int64)
    points = np.zeros(len(hands), np.int64)
    fans.count_each(*mahjong_hands.arrays(hands), times, points)
    named = [{fans.NAMES[fan]: int(row[fan]) for fan in np.flatnonzero(row)} for row in times]
    return points, named


def check_equal(oracle, number, seed):
    """Compare random hands and near-misses; the share of hands whose fans differ at equal
    points.
    """
    random = Random(seed)
    hands = [mahjong_hands.random_hand(random) for _ in range(number)]
    points, named = counted(hands)
    met, differing = set(), 0
    for hand, ours, found in zip(hands, points, named, strict=True):
        total, theirs = judged(oracle, hand)
        assert ours == total, (seed, hand, found, theirs)
        assert ours == sum(times * value(name) for name, times in found.items())
        differing += found != theirs
        met |= set(found)
    missed = [mahjong_hands.near_miss(random) for _ in range(number)]
    points, _ = counted(missed)
    for hand, ours in zip(missed, points, strict=True):
        assert ours == judged(oracle, hand)[0], (seed, hand)
        assert fans.is_win(hand.counts(), len(hand.melds)) == (ours > 0), (seed, hand)
    return differing / number, met


def value(name):
    return int(fans.VALUES[fans.NAMES.index(name)])


@pytest.mark.oracle
def test_random_hands_count_as_the_judge_counts(oracle, seed):
    differing, _ = check_equal(oracle, 3000, seed)
    assert differing < 0.002


@pytest.mark.oracle
@pytest.mark.slow
def test_many_random_hands_count_as_the_judge_counts(oracle, seed):
    differing, met = check_equal(oracle, MANY, seed)
    print(f"{MANY:,} hands: the fans differ at equal points in {differing:.3%}")
    assert differing < 0.002
    if MANY >= 40_000:
        assert met == set(fans.NAMES[1:]) - {fans.NAMES[fans.FLOWERS]}


@pytest.mark.oracle
def test_a_hand_counts_the_same_however_it_is_written(oracle, seed):
    """In words as the judge reads them, in small letters in one string, in numbers."""
    random = Random(seed)
    for k in range(300):
        make = mahjong_hands.near_miss if k % 10 == 0 else mahjong_hands.random_hand
        hand = make(random)
        melds, standing, won = words(hand)
        names = "self_drawn", "last_of_kind", "about_kong", "wall_last"
        bits = fans.SELF_DRAWN, fans.LAST_OF_KIND, fans.ABOUT_KONG, fans.WALL_LAST
        given = {name: bool(hand.flags & bit) for name, bit in zip(names, bits, strict=True)}
        given |= {"seat_wind": hand.seat_wind, "prevailing_wind": hand.prevailing_wind}
        found = fans.fan_count(standing, won, melds, **given)
        numbered = [
            (word, np.int64(row[1]), row[2])
            for (word, *_), row in zip(melds, hand.melds, strict=True)
        ]
        assert found == fans.fan_count(hand.standing, hand.tile, numbered, **given)
        assert found == fans.fan_count(",".join(standing).lower(), won.lower(), melds, **given)
        assert found == fans.fan_count(iter(standing), won, [*map(list, melds)], **given)
        points, _ = judged(oracle, hand)
        assert (0 if found is None else found.points) == points, (seed, hand)
        if found is None:
            continue
        assert sum(found.fans[name] * found.values[name] for name in found.fans) == points
        before = dict(found.fans)
        found.fans["mine"] = 1  # each result is its own
        again = fans.fan_count(standing, won, melds, **given, flowers=k % 3)
        assert {**again.fans, "Flower Tiles": 0} == {**before, "Flower Tiles": 0}
        assert again.points == points + k % 3 == points + again.fans.get("Flower Tiles", 0)


def test_golden_hands(shared_data):
    lines = (shared_data / "cards_and_tiles" / "mcr_golden.jsonl").read_text().splitlines()
    assert len(lines) == 324
    for line in lines:
        hand = json.loads(line)
        found = fans.fan_count(
            hand["hand"],
            hand["win"],
            hand["melds"],
            self_drawn=hand["self_drawn"],
            last_of_kind=hand["last_of_kind"],
            about_kong=hand["about_kong"],
            wall_last=hand["wall_last"],
            seat_wind=hand["seat_wind"],
            prevailing_wind=hand["prevalent_wind"],
        )
        assert found is not None, line
        assert (found.points, found.fans) == (hand["total"], hand["fans"]), line


# --- shanten -------------------------------------------------------------------------------------


def random_tiles(random, number):
    """Counts of a random hand, of one or two suits at times."""
    kinds = random.choice((range(KINDS), range(KINDS), range(9), range(18), range(9, 34)))
    wall = [kind for kind in kinds for _ in range(4)]
    return np.bincount(random.sample(wall, number), minlength=KINDS).astype(np.int8)


def near_tiles(random, number):
    """Counts of a winning hand with some tiles changed and without one."""
    while True:
        hand = mahjong_hands.random_hand(random)
        if len(hand.standing) != number:
            continue
        standing = list(hand.standing)
        for _ in range(random.randrange(4)):
            standing[random.randrange(number)] = random.randrange(KINDS)
        counts = np.bincount(standing, minlength=KINDS).astype(np.int8)
        if counts.max() <= 4:
            return counts


def check_shanten(oracle, number, seed):
    random = Random(seed)
    functions = (
        oracle.RegularShanten,
        oracle.SevenPairsShanten,
        oracle.ThirteenOrphansShanten,
        oracle.HonorsAndKnittedTilesShanten,
        oracle.KnittedStraightShanten,
    )
    useful = np.zeros(KINDS, np.int8)
    for k in range(number):
        melds = 0 if k % 2 else random.randrange(4)
        draw = near_tiles if k % 3 else random_tiles
        counts = draw(random, 13 - 3 * melds)
        hand = tuple(TILES[tile] for tile in range(KINDS) for _ in range(counts[tile]))
        least = []
        for form, function in enumerate(functions):
            ours = shanten.useful_tiles_of(counts, melds, form, useful)
            if ours == shanten.IMPOSSIBLE:
                assert melds > (1 if form == shanten.KNITTED_STRAIGHT else 0)
                continue
            theirs, tiles = function(hand)
            least.append(theirs)
            found = {TILES[tile] for tile in np.flatnonzero(useful)}
            assert (ours, found) == (theirs, set(tiles)), (seed, hand, form)
        assert shanten.shanten(counts, melds) == min(least), (seed, hand)


@pytest.mark.oracle
def test_shanten_is_the_judges(oracle, seed):
    check_shanten(oracle, 2000, seed)


@pytest.mark.oracle
@pytest.mark.slow
def test_shanten_of_many_hands_is_the_judges(oracle, seed):
    check_shanten(oracle, MANY // 5, seed)


def test_the_stored_automaton_is_what_is_built():
    stored, built = tables.load(), tables.build()
    assert (stored.suit, stored.honors) == (built.suit, built.honors)
    assert np.array_equal(stored.following, built.following)
    assert np.array_equal(stored.rows, built.rows)


# --- from Python ---------------------------------------------------------------------------------

FLUSH = "W1 W1 W1 W2 W3 W4 W5 W6 W7 W8 W9 W9 W9"


def test_a_hand_in_words():
    found = fans.fan_count(FLUSH, "w5", self_drawn=True, flowers=2)
    assert found is not None
    # Nine Gates takes one of two pungs of terminals and makes Fully Concealed Self-Drawn.
    assert found.fans == {
        "Nine Gates": 1,
        "Two Concealed Pungs": 1,
        "Pung of Terminals or Honors": 1,
        "Self-Drawn": 1,
        "Flower Tiles": 2,
    }
    assert found.points == sum(found.values[name] * n for name, n in found.fans.items())
    assert fans.fan_count(FLUSH, "T1") is None
    assert fans.fan_count([*range(0, 26, 2)], 1) is None


def test_mixed_kongs_by_both_conventions():
    hand = "B7 B8 W5 W6 W7 J3 J3", "B9", [("GANG", "W2", 0), ("GANG", "T6", 2)]
    botzone = fans.fan_count(*hand)
    wmo = fans.fan_count(*hand, convention="wmo")
    name = "Concealed Kong and Melded Kong"
    assert botzone is not None and wmo is not None
    assert botzone.fans == wmo.fans and botzone.fans[name] == 1
    assert (botzone.values[name], wmo.values[name]) == (5, 6)
    assert wmo.points == botzone.points + 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fans.fan_count("W1 W2", "W3"), "2 standing tiles: 13 are needed"),
        (lambda: fans.fan_count("W1 " * 5 + FLUSH[15:], "W1"), "6 tiles W1: there are 4"),
        (lambda: fans.fan_count("X1", "W3"), "tile 'X1': W1-W9"),
        (lambda: fans.fan_count("W1", "W1", [("CHI", "W9", 1)]), "CHI W9: the middle tile"),
        (lambda: fans.fan_count("W1", "W1", [("KAN", "W9", 1)]), "meld 'KAN': choose CHI"),
        (lambda: fans.fan_count(FLUSH, "W1", seat_wind=4), "seat_wind 4: 0 to 3"),
        (lambda: fans.fan_count(FLUSH, "W1", flowers=9), "9 flowers: there are 8"),
        (lambda: fans.fan_count(FLUSH, "W1", convention="emr"), "convention 'emr'; choose"),
        (lambda: shanten.hand_shanten("W1 W2"), "2 standing tiles: 13 or 14 are needed"),
        (lambda: shanten.hand_shanten("W1", melds=5), "melds 5: 0 to 4 is needed"),
        (lambda: shanten.hand_shanten("W1 " * 5 + FLUSH[12:], 0), "tiles W1: there are 4"),
    ],
)
def test_bad_hands_are_refused_in_one_line(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_shanten_of_a_hand_in_words():
    gates = shanten.hand_shanten(FLUSH)
    assert gates.shanten == 0
    assert gates.useful == tuple(f"W{rank}" for rank in range(1, 10))
    assert gates.forms["thirteen_orphans"] == 10
    assert shanten.hand_shanten(FLUSH + " W5").shanten == -1
    assert set(shanten.hand_shanten("W1 W2 J1 J1", melds=3).forms) == {"regular"}
