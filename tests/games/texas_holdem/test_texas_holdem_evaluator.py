"""Hold'em's evaluator against phevaluator, eval7 and textbook counts."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from numba import njit

from stratagym.envs.texas_holdem import evaluator, view

WHEEL_FLUSH = [(4 * rank + 2) for rank in (12, 0, 1, 2, 3)]


def cards(text: str) -> list[int]:
    """``"As Td"`` as numbers."""
    return [4 * "23456789TJQKA".index(one[0]) + "cdhs".index(one[1]) for one in text.split()]


def random_hands(rng: np.random.Generator, n: int, size: int) -> np.ndarray:
    return np.argsort(rng.random((n, 52)), axis=1)[:, :size].astype(np.int8)


def values_of(hands: np.ndarray, wheel: int = 1) -> np.ndarray:
    values = np.zeros(len(hands), np.int64)
    evaluator.evaluate_each(hands, wheel, values)
    return values


def assert_same_order(values: np.ndarray, others: np.ndarray) -> None:
    """Equal exactly where the others are equal, greater exactly where they are greater."""
    levels, first = np.unique(others, return_index=True)
    assert (np.diff(values[first]) > 0).all()
    assert (values == values[first][np.searchsorted(levels, others)]).all()


def test_all_five_card_hands():
    """Counts of every category, and of different hands: textbook numbers."""
    every = np.fromiter((c for h in combinations(range(52), 5) for c in h), np.int8).reshape(-1, 5)
    values = values_of(every)
    counts = np.bincount(values >> 26).tolist()
    assert counts == [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]
    assert len(np.unique(values)) == 7462
    without_wheel = np.bincount(values_of(every, 0) >> 26)
    assert (without_wheel[4], without_wheel[8]) == (10200 - 1020, 36)


@njit
def values_by_bits(hands, wheel, values):
    for i in range(hands.shape[0]):
        held = np.uint64(0)
        for k in range(hands.shape[1]):
            held |= evaluator.card_bit(hands[i, k])
        values[i] = evaluator.evaluate(held, wheel)


@pytest.mark.parametrize("size", [5, 6, 7])
@pytest.mark.parametrize("wheel", [0, 1])
def test_tables_hold_what_the_bits_say(size, wheel, rng):
    hands, plain = random_hands(rng, 300_000, size), np.zeros(300_000, np.int64)
    values_by_bits(hands, wheel, plain)
    assert (values_of(hands, wheel) == plain).all()


def test_every_multiset_of_ranks_has_a_slot_of_its_own():
    for size, sets in ((5, 6_175), (6, 18_395), (7, 49_205)):
        table = evaluator._tables(size, 1).values
        assert (table > 0).sum() == sets


def test_hands_have_five_to_seven_cards(rng):
    for size in (4, 8):
        with pytest.raises(ValueError, match=f"hands of {size} cards"):
            values_of(random_hands(rng, 10, size))


@pytest.mark.oracle
@pytest.mark.parametrize("size", [5, 6, 7])
def test_order_is_phevaluators(size, rng):
    phevaluator = pytest.importorskip("phevaluator")
    hands = random_hands(rng, 100_000, size)
    theirs = np.array([phevaluator.evaluate_cards(*hand) for hand in hands.tolist()])
    assert_same_order(values_of(hands), -theirs)


@pytest.mark.oracle
def test_order_is_eval7s(rng):
    eval7 = pytest.importorskip("eval7")
    deck = [eval7.Card(view.card_text(card)) for card in range(52)]
    hands = random_hands(rng, 100_000, 7)
    theirs = np.array([eval7.evaluate([deck[c] for c in hand]) for hand in hands.tolist()])
    assert_same_order(values_of(hands), theirs)


def test_wheel():
    low = np.array([cards("Ac 2d 3h 4s 5c"), cards("2c 3d 4h 5s 6c"), cards("Kc Ad 2h 3s 4c")])
    assert view.CATEGORIES[values_of(low)[0] >> 26] == "straight"
    assert values_of(low)[0] < values_of(low)[1]
    assert (values_of(low) >> 26).tolist() == [4, 4, 0]
    assert (values_of(low, 0) >> 26).tolist() == [0, 4, 0]
    assert values_of(np.array([WHEEL_FLUSH]))[0] >> 26 == 8
    assert values_of(np.array([WHEEL_FLUSH]), 0)[0] >> 26 == 5
