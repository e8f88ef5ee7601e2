"""What players know of Fight the Landlord.

``heuristic`` ("turns") makes the play after which its hand needs fewest further plays, with small
prices for high cards and bombs, lets its partner's good plays stand and hinders an enemy who is
about to go out. ``rule:greedy`` gets rid of as many cards as it can. ``rule:rlcard`` goes by the
facts of RLCard's rule-based agent (Zha et al. 2020), and goes out where its whole hand is one play,
which that agent may miss. All play both encodings of plays.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.games.dou_dizhu import endgame
from stratagym.agents.games.dou_dizhu.endgame import exact as exact
from stratagym.agents.games.dou_dizhu.hands import (
    action_of,
    choose_kickers,
    longest_run,
    passes_fit,
    plays_needed,
    sequence,
)
from stratagym.agents.ladders import Ladder
from stratagym.envs.bits import EMPTY, bit
from stratagym.envs.core import mix64
from stratagym.envs.dou_dizhu.cards import (
    JOKERS,
    at_least,
    count,
    lowest_rank,
    of_rank,
    size,
)
from stratagym.envs.dou_dizhu.patterns import (
    BODY,
    BOMB,
    FOUR_1,
    FOUR_2,
    KICKER_SIZE,
    KICKERS,
    KIND,
    PAIR,
    PATTERN,
    ROCKET,
    SINGLE,
    START,
)
from stratagym.envs.dou_dizhu.plays import KICKER_AT, pattern_of_part
from stratagym.envs.dou_dizhu.rules import bids_at

RULES = {"greedy": 0, "rlcard": 1}
EARLIER_RULES = {1: {"greedy": 2, "rlcard": 3}}
"""Of versions before: the same, but they may keep a hand that is one play."""
_GREEDY, _EARLIER = 0, 2
_HIGH_PLAY = 7
"""A partner's play above this rank, the 10, stands."""
_LARGE = 1000.0


def exact_memory(rules: Any) -> tuple[np.ndarray, ...]:
    """Scratch for ``exact``."""
    return endgame.new_memory()


@njit(cache=True)
def as_worth(rules, s, out):
    """1 for each seat of the side that has won, else 0."""
    for seat in range(3):
        won = s.landlord >= 0 and (seat == s.landlord) == (s.winner == s.landlord)
        out[seat] = 1.0 if won else 0.0


@njit(cache=True)
def likelihood(rules, s, player):
    """Less for a world in which others passed though they had a card to spare."""
    return passes_fit(s, player) if s.landlord >= 0 else 1.0


@njit(cache=True)
def _pattern_of(rules, action):
    return np.int64(PATTERN[action]) if rules.whole else pattern_of_part(action)


@njit(cache=True)
def _bid(rules, s, legal, n):
    """The bid that a hand's high cards are worth: 8 points 3, 6 points 2, 4 points 1."""
    hand = s.hands[s.player]
    points = 4 * count(hand, 14) + 3 * count(hand, 13) + 2 * count(hand, 12) + count(hand, 11) // 2
    ranks = at_least(hand, 4)
    while ranks != EMPTY:
        ranks &= ranks - np.uint64(1)
        points += 4
    wanted = 3 if points >= 8 else 2 if points >= 6 else 1 if points >= 4 else 0
    highest = legal[0]
    for k in range(1, n):
        if legal[k] - bids_at(rules) <= wanted:
            highest = legal[k]
    return highest


@njit(cache=True)
def _next_kicker(rules, s, legal):
    """Go on naming a play as it was meant; the lowest where it was begun otherwise."""
    chosen = choose_kickers(rules.kickers, s.hands[s.player], s.building)
    placed = s.kickers
    while placed != EMPTY and chosen != EMPTY:
        rank = lowest_rank(placed)
        held = of_rank(rank, 15)
        if lowest_rank(chosen) != rank or chosen & held < placed & held:
            return legal[0]
        chosen -= placed & held
        placed &= ~held
    return KICKER_AT + lowest_rank(chosen) if chosen != EMPTY else legal[0]


@njit(cache=True)
def _danger(s, seat):
    """The fewest cards of an enemy."""
    least = 20
    for other in range(3):
        if (other == s.landlord) != (seat == s.landlord):
            least = min(least, size(s.hands[other]))
    return least


@njit(cache=True)
def _is_listed(legal, n, action):
    for k in range(n):
        if legal[k] == action:
            return True
    return False


@njit(cache=True)
def heuristic(rules, s, legal, n):
    """The play of highest value among those with the cheapest kickers; see the module."""
    if s.landlord < 0:
        return _bid(rules, s, legal, n)
    if n == 1:
        return legal[0]
    if s.building:
        action = _next_kicker(rules, s, legal)
        return action if _is_listed(legal, n, action) else legal[0]
    seat = np.int64(s.player)
    hand = s.hands[seat]
    leading = s.top == 0
    enemy_left = _danger(s, seat)
    partners = not leading and (s.owner == s.landlord) == (seat == s.landlord)
    stands = partners and (START[s.top] > _HIGH_PLAY or size(s.top_cards) > 1)
    best, best_value, best_cards = 0, -2.0 * plays_needed(hand), EMPTY
    if leading:
        best_value = -_LARGE
    last = -1
    for k in range(n):
        pattern = _pattern_of(rules, legal[k])
        if pattern == 0 or pattern == last:
            continue
        last = pattern
        cards = BODY[pattern] + choose_kickers(rules.kickers, hand, pattern)
        if cards == hand:
            return action_of(rules, legal, n, pattern, cards)
        if stands:
            continue
        value = _value(s, seat, hand, pattern, cards, leading, partners, enemy_left)
        if value > best_value:
            best, best_value, best_cards = pattern, value, cards
    if best == 0:
        return legal[0]
    return action_of(rules, legal, n, best, best_cards)


@njit(cache=True)
def _value(s, seat, hand, pattern, cards, leading, partners, enemy_left):
    """What a play that does not empty the hand is worth."""
    kind, rank = KIND[pattern], START[pattern]
    value = -2.0 * plays_needed(hand - cards)
    if kind == BOMB or kind == ROCKET:
        value -= 3.0
    if leading:
        value += 0.02 * size(cards) - 0.15 * rank
        if kind == SINGLE and enemy_left == 1:
            # The next best thing to another kind is the highest single.
            value += 0.3 * rank - 6.0
        if kind == PAIR and enemy_left == 2:
            value += 0.3 * rank - 3.0
    else:
        value -= 0.08 * rank
        if enemy_left <= 2 and not partners:
            value += 2.0 + 0.3 * rank
    return value


@njit(cache=True)
def playout(rules, s, legal, n):
    """The heuristic's action: playouts of tree search are by it, for all seats."""
    return heuristic(rules, s, legal, n)


# --- the other rule-based players ----------------------------------------------------------------


@njit(cache=True)
def _greedy(rules, s, legal, n):
    if s.building or s.landlord < 0:
        return legal[0]
    if s.top:
        return legal[1] if n > 1 else legal[0]
    best, most = legal[0], -1
    for k in range(n):
        pattern = _pattern_of(rules, legal[k])
        kind = KIND[pattern]
        number = size(BODY[pattern]) + _with_body(pattern)
        if kind == BOMB or kind == ROCKET or kind == FOUR_1 or kind == FOUR_2:
            number = 0
        number = 32 * number - START[pattern]
        if number > most or k == 0:
            best, most = legal[k], number
    return best


@njit(cache=True)
def _with_body(pattern):
    """Cards of a pattern's kickers."""
    return np.int64(KICKERS[pattern]) * KICKER_SIZE[pattern]


@njit(cache=True)
def _last_play(rules, s, legal, n):
    """The action that plays the whole hand, or begins to; -1 if there is none."""
    if s.building or s.landlord < 0:
        return -1
    left = size(s.hands[s.player])
    for k in range(n):
        pattern = _pattern_of(rules, legal[k])
        if size(BODY[pattern]) + _with_body(pattern) == left:
            return legal[k]
    return -1


@njit(cache=True)
def _first_part(hand):
    """The part of a hand that holds its lowest card, by the order of RLCard's agent.

    The parts are the rocket, bombs, triples (joined where they are in sequence), straights, pair
    straights, pairs, singles.
    """
    lowest = lowest_rank(hand)
    if hand & JOKERS == JOKERS:
        if hand == JOKERS:
            return hand
        hand &= ~JOKERS
    fours = at_least(hand, 4)
    if fours & bit(4 * lowest) != EMPTY:
        return of_rank(lowest, 4)
    hand &= ~(fours * np.uint64(15))
    if at_least(hand, 3) & bit(4 * lowest) != EMPTY:
        length = 1
        while lowest + length < 12 and count(hand, lowest + length) == 3 and lowest < 12:
            length += 1
        return sequence(length, lowest, 3)
    hand &= ~(at_least(hand, 3) * np.uint64(15))
    length, start = longest_run(at_least(hand, 1))
    while length >= 5:
        cards = sequence(length, start, 1)
        if start == lowest:
            return cards
        hand -= cards
        length, start = longest_run(at_least(hand, 1))
    length, start = longest_run(at_least(hand, 2))
    while length >= 3:
        cards = sequence(length, start, 2)
        if start == lowest:
            return cards
        hand -= cards
        length, start = longest_run(at_least(hand, 2))
    return of_rank(lowest, count(hand, lowest))


@njit(cache=True)
def _rlcard(rules, s, legal, n):
    if s.building or s.landlord < 0 or n == 1:
        return legal[0]
    seat = np.int64(s.player)
    if s.top == 0:
        cards = _first_part(s.hands[seat])
        for k in range(n):
            pattern = _pattern_of(rules, legal[k])
            if KICKERS[pattern] == 0 and BODY[pattern] == cards:
                return legal[k]
        return legal[0]
    for k in range(1, n):
        if KIND[_pattern_of(rules, legal[k])] == KIND[s.top]:
            return legal[k]
    if seat != s.landlord and s.owner != s.landlord:
        return legal[0]
    # A choice that looks random, and is the same in a recorded game and in a bulk of them.
    seen = s.hands[seat] ^ (s.top_cards * np.uint64(0x9E3779B97F4A7C15))
    return legal[np.int64(mix64(seen + np.uint64(s.plays)) % np.uint64(n))]


@njit(cache=True)
def rule(rules, s, legal, n, which):
    """Rule-based player number ``which`` of ``RULES``."""
    if which < _EARLIER:
        action = _last_play(rules, s, legal, n)
        if action >= 0:
            return action
    if which % _EARLIER == _GREEDY:
        return _greedy(rules, s, legal, n)
    return _rlcard(rules, s, legal, n)


LADDER = Ladder(
    "dou_dizhu/ladder-v1",
    (
        ("random",),
        ("rule:greedy?random=0.35",),
        ("heuristic?random=0.15",),
        ("pimc:100",),
    ),
    options={"plays": "whole"},
    players={"rule:greedy?random=0.35": "rule:greedy?version=1&random=0.35"},
)
