"""What the agents know of hold'em: equity, a threshold player and a player that weighs ranges.

Both players use only what their seat may know. Their random draws (samples of hidden cards, mixed
moves) follow from that alone, so that the same situation is always played alike.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.agents.ladders import Ladder
from stratagym.envs import core
from stratagym.envs.texas_holdem.evaluator import card_bit
from stratagym.envs.texas_holdem.evaluator import evaluate as value_of
from stratagym.envs.texas_holdem.rules import (
    ALL_IN,
    BIG_BLIND,
    CALL,
    FOLD,
    LOG,
    MADE_CALL,
    MADE_CHECK,
    MADE_RAISE,
    PREFLOP,
    RIVER,
    board_bits,
    board_cards,
    draw,
    hand_value,
    highest,
    hole_bits,
    lowest_raise,
    may_raise,
    pot,
    raise_to,
    to_call,
)

THIRD, HALF, TWO_THIRDS, POT, TWICE = range(5)
"""Raises, as places in ``FRACTIONS``."""

SAMPLES = 200

EQUITIES = np.array(
    [
        (505, 360, 369, 380, 378, 382, 402, 424, 449, 475, 502, 532, 574),
        (323, 536, 389, 396, 395, 399, 409, 432, 457, 483, 510, 541, 583),
        (331, 350, 570, 414, 413, 418, 428, 439, 465, 490, 518, 549, 590),
        (343, 363, 382, 604, 433, 438, 444, 457, 471, 500, 529, 558, 599),
        (342, 361, 380, 400, 633, 456, 462, 475, 489, 506, 536, 568, 599),
        (346, 365, 385, 404, 424, 662, 481, 491, 506, 524, 544, 574, 610),
        (368, 375, 395, 414, 432, 450, 691, 508, 525, 540, 560, 583, 619),
        (389, 400, 406, 426, 445, 463, 481, 721, 540, 557, 575, 601, 628),
        (417, 425, 435, 442, 461, 480, 497, 515, 750, 575, 595, 619, 646),
        (444, 454, 463, 472, 478, 498, 516, 532, 554, 774, 602, 626, 654),
        (473, 482, 491, 501, 511, 519, 536, 553, 574, 583, 800, 634, 662),
        (505, 515, 523, 534, 543, 551, 560, 578, 598, 605, 614, 824, 673),
        (551, 558, 567, 577, 578, 587, 598, 609, 628, 637, 644, 653, 852),
    ]
)
"""Equity against a random hand before the flop, in thousandths: 400,000 sampled boards each.

By ranks from the deuce; suited hands have the lower rank's row, others the higher rank's.
"""


def _percentiles() -> np.ndarray:
    """The share of all hands with less equity before the flop, half of the equal ones included."""
    combos = (
        np.full((13, 13), 12) - 8 * np.triu(np.ones((13, 13), int), 1) - 6 * np.eye(13, dtype=int)
    )
    flat = EQUITIES.ravel()
    below = np.array([(combos.ravel() * ((flat < e) + 0.5 * (flat == e))).sum() for e in flat])
    return (below / combos.sum()).reshape(13, 13)


PERCENTILES = _percentiles()


# --- equity --------------------------------------------------------------------------------------


@njit(cache=True)
def _place(first, second):
    """Row and column of a hand in ``EQUITIES``."""
    low, high = min(first >> 2, second >> 2), max(first >> 2, second >> 2)
    if first & 3 == second & 3:
        return low, high
    return high, low


@njit(cache=True)
def _generator(s, player):
    """A state of the random generator that follows from what the seat knows."""
    known = hole_bits(s, player) ^ board_bits(s, board_cards(s)) << np.uint64(3)
    known = core.derive_seed(known, s.hand)
    return core.derive_seed(known, pot(s) * LOG + s.log_length)


@njit(cache=True)
def _beats(mine, other):
    return 1.0 if mine > other else 0.5 if mine == other else 0.0


@njit(cache=True)
def equity(rules, s, player, samples):
    """The seat's share of the pot at showdown against a random hand.

    From a table before the flop, exact on the river, else from samples.
    """
    if s.street == PREFLOP:
        row, column = _place(s.hole[player, 0], s.hole[player, 1])
        return EQUITIES[row, column] / 1000.0
    wheel = 1 - rules.botzone
    public = board_cards(s)
    own, board = hole_bits(s, player), board_bits(s, public)
    won = 0.0
    if s.street == RIVER:
        mine = value_of(own | board, wheel)
        for high in range(1, 52):
            if (own | board) & card_bit(high):
                continue
            for low in range(high):
                if not (own | board) & card_bit(low):
                    other = card_bit(high) | card_bit(low)
                    won += _beats(mine, value_of(other | board, wheel))
        return won / 990
    generator = _generator(s, player)
    for _ in range(samples):
        seen, other = own | board, np.uint64(0)
        for k in range(7 - public):
            generator, card = draw(generator, seen)
            seen |= card_bit(card)
            if k < 2:
                other |= card_bit(card)
        rest = seen ^ own ^ other
        won += _beats(value_of(own | rest, wheel), value_of(other | rest, wheel))
    return won / samples


@njit(cache=True)
def evaluate(rules, s, out):
    """What each seat has won so far and would win if both checked to the end, in big blinds."""
    won = s.total[0] * 1.0
    if not s.over:
        mine, other = hand_value(rules, s, 0), hand_value(rules, s, 1)
        stake = min(s.paid[0], s.paid[1])
        won += stake * ((mine > other) - (mine < other))
    out[0] = won / BIG_BLIND
    out[1] = -out[0]


# --- moves ---------------------------------------------------------------------------------------


@njit(cache=True)
def _stay(legal, n):
    """Check or call, by whatever action that is."""
    for k in range(n):
        if legal[k] == CALL:
            return CALL
    return legal[n - 1]


@njit(cache=True)
def _give_up(s, legal, n):
    """Fold, or check where that is free."""
    return FOLD if to_call(s) > 0 else _stay(legal, n)


@njit(cache=True)
def _raise(rules, s, legal, n, fraction):
    """Raise by about a fraction of the pot; stay where that cannot be."""
    if not may_raise(s):
        return _stay(legal, n)
    most, least = highest(s), lowest_raise(rules, s)
    amount = max(least, raise_to(s, fraction))
    # What would leave little behind goes in at once.
    if 4 * amount >= 3 * most:
        amount = most
    if rules.chips:
        return amount + 1
    if amount == most:
        return ALL_IN
    for k in range(n - 1, -1, -1):
        if CALL < legal[k] <= 2 + fraction:
            return legal[k]
    for k in range(n):
        if legal[k] > CALL:
            return legal[k]
    return _stay(legal, n)


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """Plays by its equity against a random hand alone.

    Raises the pot from 0.8 on; bets two thirds of it from 0.6 on where nothing is to call; calls
    with 0.05 more than the pot odds; else checks or folds.
    """
    player = s.player
    share = equity(rules, s, player, SAMPLES)
    cost = min(to_call(s), s.stack[player])
    if share >= 0.8:
        return _raise(rules, s, legal, n, POT)
    if cost == 0:
        return _raise(rules, s, legal, n, TWO_THIRDS) if share >= 0.6 else _stay(legal, n)
    if share >= cost / (pot(s) + cost) + 0.05:
        return _stay(legal, n)
    return _give_up(s, legal, n)


# --- the strong player ---------------------------------------------------------------------------

_PEERS = 24
"""Hands that a hand is measured against on a street of the board."""
_RANGE = 160
"""Hands of the opponent that are weighed."""


@njit(cache=True)
def _standing(held, board, wheel, generator):
    """The share of random hands that a hand beats on a board as it stands.

    One generator gives one lot of hands, so that all that are compared meet the same.
    """
    mine, ahead, met = value_of(held | board, wheel), 0.0, 0
    for _ in range(_PEERS):
        generator, first = draw(generator, board)
        generator, second = draw(generator, board | card_bit(first))
        other = card_bit(first) | card_bit(second)
        if not other & held:
            ahead += _beats(mine, value_of(other | board, wheel))
            met += 1
    return ahead / max(1, met)


@njit(cache=True)
def _clip(x):
    return min(max(x, 0.0), 1.0)


@njit(cache=True)
def _likelihood(kind, standing, bluff):
    """How often, relatively, a player does this with a hand of this standing (0 .. 1)."""
    if kind == MADE_RAISE:
        return bluff + (1.0 - bluff) * _clip((standing - 0.45) / 0.35)
    if kind == MADE_CALL:
        return (0.1 + 0.9 * _clip((standing - 0.15) / 0.35)) * (
            1.0 - 0.4 * _clip((standing - 0.85) / 0.1)
        )
    if kind == MADE_CHECK:
        return 1.0 - 0.6 * _clip((standing - 0.55) / 0.3)
    return 1.0


@njit(cache=True)
def range_equity(rules, s, player, bluff):
    """The seat's share of the pot against what the opponent's actions in this hand speak for."""
    wheel = 1 - rules.botzone
    public, length = board_cards(s), min(s.log_length, LOG)
    own, board = hole_bits(s, player), board_bits(s, public)
    start = _generator(s, player)
    generator = core.derive_seed(start, 1)
    won = total = 0.0
    for _ in range(_RANGE):
        generator, first = draw(generator, own | board)
        generator, second = draw(generator, own | board | card_bit(first))
        other = card_bit(first) | card_bit(second)
        weight, standing, street = 1.0, -1.0, -1
        for k in range(length):
            if s.log_player[k] == player:
                continue
            if s.log_street[k] != street:
                street = s.log_street[k]
                if street == PREFLOP:
                    row, column = _place(first, second)
                    standing = PERCENTILES[row, column]
                else:
                    open_board = board_bits(s, street + 2)
                    seed = core.derive_seed(start, 1 + street)
                    standing = _standing(other, open_board, wheel, seed)
            weight *= _likelihood(s.log_kind[k], standing, bluff)
        seen = own | board | other
        for _ in range(5 - public):
            generator, card = draw(generator, seen)
            seen |= card_bit(card)
        rest = seen ^ own ^ other
        won += weight * _beats(value_of(own | rest, wheel), value_of(other | rest, wheel))
        total += weight
    return won / total


BLUFF_RAISES = 0.30
"""How often a hopeless hand is taken to raise, of how often a good one does."""
SMALL_FROM, POT_FROM, LARGE_FROM = 0.40, 0.65, 0.69
"""Share of the pot from which the strong player bets two thirds, the pot, twice the pot."""
RERAISE_FROM, LARGE_RERAISE_FROM = 0.67, 0.81
"""The same for raises by the pot and by twice the pot of a bet."""
CALL_MARGIN = 0.08
"""Share beyond the pot odds that a call needs."""
BLUFF_BELOW, BLUFFS = 0.34, 0.14
"""With less than this share, this share of hands bets the pot."""
LIMP_FROM = 0.42
"""Share from which the first to act before the flop calls."""


@njit(cache=True)
def strong(rules, s, legal, n):
    """Bets and calls by its share of the pot against the opponent's likely hands."""
    player = s.player
    cost = min(to_call(s), s.stack[player])
    share = range_equity(rules, s, player, BLUFF_RAISES)
    opening = s.street == PREFLOP and s.log_length == 0
    if cost > 0 and not opening:
        if share >= LARGE_RERAISE_FROM:
            return _raise(rules, s, legal, n, TWICE)
        if share >= RERAISE_FROM:
            return _raise(rules, s, legal, n, POT)
        if share >= cost / (pot(s) + cost) + CALL_MARGIN:
            return _stay(legal, n)
        return _give_up(s, legal, n)
    if share >= LARGE_FROM:
        return _raise(rules, s, legal, n, TWICE)
    if share >= POT_FROM:
        return _raise(rules, s, legal, n, POT)
    if share >= SMALL_FROM:
        return _raise(rules, s, legal, n, TWO_THIRDS)
    chance = core.derive_seed(_generator(s, player), 9) / 2.0**64
    if share < BLUFF_BELOW and chance < BLUFFS:
        return _raise(rules, s, legal, n, POT)
    return _stay(legal, n) if share >= LIMP_FROM else _give_up(s, legal, n)


RULES = {"threshold": 0, "strong": 1}
"""Policies ``rule:NAME``; the first is also ``heuristic``."""


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """The action of a player of ``RULES``."""
    return strong(rules, s, legal, n) if which == 1 else heuristic(rules, s, legal, n)


LADDER = Ladder(
    "texas_holdem/ladder-v1",
    (
        ("random",),
        ("rule:threshold?random=0.5",),
        ("rule:threshold?random=0.25",),
        ("rule:threshold?random=0.05",),
        ("rule:strong?random=0.1",),
    ),
    # Twenty hands leave so much to the cards that only two steps of 70% fit above random play.
    options={"hands": 100},
)
