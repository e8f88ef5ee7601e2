"""No-limit Texas hold'em for two, as kernel functions.

Cards are numbered ``4 * rank + suit`` as in the evaluator: 0 is the deuce of suit 0, 51 an ace.
The cards of hand k of a match follow from the match's seed and k alone, whatever was played.

All amounts are chips. ``bet`` is what a seat has put in on this street, ``paid`` in this hand;
"raise to x" makes the seat's ``bet`` x. A bet never exceeds what the shorter stack can match.
"""

from __future__ import annotations

from math import floor, log
from typing import NamedTuple

import numpy as np
from numba import njit

from stratagym.envs.core import TERMINAL, derive_seed, is_listed, mix64, seed_rng, sizes
from stratagym.envs.texas_holdem.evaluator import card_bit, evaluate

SMALL_BLIND, BIG_BLIND = 50, 100
PREFLOP, FLOP, TURN, RIVER = range(4)
NO_CARD = -1
FOLD, CALL = 0, 1
"""Actions; CALL is a check where nothing is to call."""
ALL_IN = 7
"""The last action under ``raises="pot"``; 2 .. 6 raise by ``FRACTIONS`` of the pot."""
FRACTIONS = ((1, 3), (1, 2), (2, 3), (1, 1), (2, 1))
_PARTS, _WHOLES = (np.array(numbers) for numbers in zip(*FRACTIONS, strict=True))
MADE_FOLD, MADE_CHECK, MADE_CALL, MADE_RAISE = range(4)
"""Kinds of action in the log."""
LOG = 40
"""Actions of a hand that are kept; of a longer hand, the first and the last ones."""

STATE = np.dtype(
    [
        ("rng", "u8"),
        ("seed", "u8"),  # of the cards of all hands
        ("total", "i4", (2,)),  # won in the hands finished, by seat
        ("stack", "i4", (2,)),  # behind
        ("bet", "i4", (2,)),
        ("paid", "i4", (2,)),
        ("least", "i4"),  # last full raise; for Botzone's judge the largest single addition
        ("log_amount", "i4", (LOG,)),  # the seat's bet after the action
        ("hand", "i2"),  # hands finished
        ("log_length", "i2"),  # actions of this hand
        ("button", "i1"),
        ("player", "i1"),  # to move
        ("street", "i1"),
        ("acted", "i1"),  # actions since the street began or the last raise, that one included
        ("over", "i1"),  # the match has ended
        ("hole", "i1", (2, 2)),
        ("board", "i1", (5,)),  # all five from the start; public are ``board_cards``
        ("log_kind", "i1", (LOG,)),
        ("log_street", "i1", (LOG,)),
        ("log_player", "i1", (LOG,)),
        ("last_won", "i4", (2,)),  # the hand before this one
        ("last_hole", "i1", (2, 2)),  # as shown down, else NO_CARD
        ("last_board", "i1", (5,)),  # as dealt, else NO_CARD
    ],
    align=True,
)

SLOTS = 6
"""Actions of one street in the observation."""
_STREETS_AT = 3 * 52
_NUMBERS_AT = _STREETS_AT + 4
_HISTORY_AT = _NUMBERS_AT + 12
SIZE = _HISTORY_AT + 4 * SLOTS * 4


def _most_decisions(rules: Rules) -> int:
    """Hands times the most raises in one, and two other actions a street.

    The smallest raise is a big blind, and by a third of the pot, which grows it (with the call) to
    5/3; one more for rounding, one for all-in.
    """
    raises = rules.stack // BIG_BLIND + 1
    if not rules.chips:
        pots = rules.stack / BIG_BLIND
        raises = min(raises, int(log(pots) / log(5 / 3)) + 2)
    return rules.hands * (raises + 8)


@sizes(
    actions=lambda rules: rules.stack + 2 if rules.chips else ALL_IN + 1,
    observation=(SIZE,),
    dtype=np.float32,
    decisions=_most_decisions,
)
class Rules(NamedTuple):
    """Options in force, as numbers.

    Attributes:
        num_players: 2.
        hands: in a match.
        stack: chips of each player at the start.
        carry: 1 if stacks go on from hand to hand, 0 if they are reset.
        botzone: 1 for Botzone's judge.
        chips: 1 if every amount is an action, 0 for fractions of the pot.
    """

    num_players: int
    hands: int
    stack: int
    carry: int
    botzone: int
    chips: int


def make_rules(hands: int, stack: int, stacks: str, judge: str, raises: str) -> Rules:
    """Rules from the options as people write them; see the package's docstring."""
    return Rules(
        2, hands, stack, int(stacks == "carry"), int(judge == "botzone"), int(raises == "chips")
    )


# --- cards ---------------------------------------------------------------------------------------

_GAMMA = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True)
def board_cards(s):
    """How many cards of the board are public."""
    return 0 if s.street == PREFLOP else s.street + 2


@njit(cache=True)
def draw(generator, seen):
    """A uniform card outside the set ``seen``.

    Returns (the generator's next state, the card).
    """
    while True:
        generator += _GAMMA
        card = np.int64((mix64(generator) >> np.uint64(32)) * np.uint64(52) >> np.uint64(32))
        if not seen & card_bit(card):
            return generator, card


@njit(cache=True)
def _deal(s):
    generator, seen = derive_seed(s.seed, s.hand), np.uint64(0)
    for k in range(9):
        generator, card = draw(generator, seen)
        seen |= card_bit(card)
        if k < 4:
            s.hole[k >> 1, k & 1] = card
        else:
            s.board[k - 4] = card


@njit(cache=True)
def hole_bits(s, player):
    """A seat's own two cards, as a set."""
    return card_bit(s.hole[player, 0]) | card_bit(s.hole[player, 1])


@njit(cache=True)
def board_bits(s, cards):
    """The first ``cards`` of the board, as a set."""
    held = np.uint64(0)
    for k in range(cards):
        held |= card_bit(s.board[k])
    return held


@njit(cache=True)
def hand_value(rules, s, player):
    """The evaluator's value of a seat's hand with the whole board."""
    return evaluate(hole_bits(s, player) | board_bits(s, 5), 1 - rules.botzone)


@njit(cache=True)
def determinize(rules, s, player):
    """New cards for the opponent, the rest of the board and the hands to come.

    Cards shown down at the end of the match are known.
    """
    s.rng += _GAMMA
    s.seed = mix64(s.rng)
    if s.over and s.last_hole[0, 0] != NO_CARD:
        return
    public = board_cards(s)
    seen = hole_bits(s, player) | board_bits(s, public)
    generator = s.rng
    for k in range(2):
        generator, card = draw(generator, seen)
        seen |= card_bit(card)
        s.hole[1 - player, k] = card
    for k in range(public, 5):
        generator, card = draw(generator, seen)
        seen |= card_bit(card)
        s.board[k] = card
    s.rng = generator


# --- the course of a hand ------------------------------------------------------------------------


@njit(cache=True)
def small_blind(rules, s):
    """The seat that posts the small blind and acts first before the flop."""
    return 1 - s.button if rules.botzone else s.button


@njit(cache=True)
def _pay(s, player, amount):
    s.stack[player] -= amount
    s.bet[player] += amount
    s.paid[player] += amount


@njit(cache=True)
def begin_hand(rules, s):
    """Post the blinds; the cards and the button are already in place."""
    small = small_blind(rules, s)
    for player in range(2):
        s.bet[player] = 0
        s.paid[player] = 0
    # Nobody posts more than the other can match.
    shorter = min(s.stack[0], s.stack[1])
    _pay(s, small, min(SMALL_BLIND, shorter))
    _pay(s, 1 - small, min(BIG_BLIND, shorter))
    s.street = PREFLOP
    s.acted = 0
    s.least = BIG_BLIND
    s.log_length = 0
    for k in range(LOG):
        s.log_amount[k] = 0
        s.log_kind[k] = 0
        s.log_street[k] = 0
        s.log_player[k] = 0
    s.player = small


@njit(cache=True)
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.seed = derive_seed(seed, 1)
    s.hand = 0
    s.button = 0
    s.over = 0
    for player in range(2):
        s.total[player] = 0
        s.stack[player] = rules.stack
        s.last_won[player] = 0
        s.last_hole[player, 0] = NO_CARD
        s.last_hole[player, 1] = NO_CARD
    for k in range(5):
        s.last_board[k] = NO_CARD
    _deal(s)
    begin_hand(rules, s)


@njit(cache=True)
def current_player(rules, s):
    return TERMINAL if s.over else s.player


@njit(cache=True)
def pot(s):
    """All chips in the middle, bets of this street included."""
    return s.paid[0] + s.paid[1]


@njit(cache=True)
def to_call(s):
    """What the seat to move must add to stay in."""
    return s.bet[1 - s.player] - s.bet[s.player]


@njit(cache=True)
def highest(s):
    """What the seat to move raises to by going all-in, or calls to if that is less."""
    return min(s.bet[0] + s.stack[0], s.bet[1] + s.stack[1])


@njit(cache=True)
def lowest_raise(rules, s):
    """The least amount the seat to move may raise to, all-in aside."""
    player = s.player
    if rules.botzone:
        return max(2 * s.least, s.bet[1 - player] + 1)
    return s.bet[1 - player] + s.least


@njit(cache=True)
def may_raise(s):
    """Whether the seat to move has chips beyond the call, and the other any to answer with."""
    return highest(s) > s.bet[1 - s.player] and s.stack[1 - s.player] > 0


@njit(cache=True)
def raise_to(s, fraction):
    """The amount of a raise by ``FRACTIONS[fraction]`` of the pot as it is after calling."""
    after_call = pot(s) + to_call(s)
    return s.bet[1 - s.player] + after_call * _PARTS[fraction] // _WHOLES[fraction]


@njit(cache=True)
def legal_actions(rules, s, out):
    """0 fold, 1 check or call, then raises; see the package's docstring."""
    n = 0
    if rules.botzone or to_call(s) > 0:
        out[n] = FOLD
        n += 1
    most = highest(s)
    if rules.botzone and s.stack[1 - s.player] == 0:
        out[n] = most + 1 if rules.chips else ALL_IN
        return n + 1
    out[n] = CALL
    n += 1
    if not may_raise(s):
        return n
    least = lowest_raise(rules, s)
    if rules.chips:
        for amount in range(least, most):
            out[n] = amount + 1
            n += 1
        out[n] = most + 1
        return n + 1
    last = 0
    for fraction in range(len(FRACTIONS)):
        amount = raise_to(s, fraction)
        if least <= amount < most and amount > last:
            out[n] = 2 + fraction
            n += 1
            last = amount
    out[n] = ALL_IN
    return n + 1


@njit(cache=True)
def is_legal_action(rules, s, action, legal):
    """As ``legal_actions`` has it, without a list of every amount."""
    if action == FOLD:
        return rules.botzone == 1 or to_call(s) > 0
    most = highest(s)
    if rules.botzone and s.stack[1 - s.player] == 0:
        return action == (most + 1 if rules.chips else ALL_IN)
    if action == CALL:
        return True
    if action < CALL or not may_raise(s):
        return False
    if rules.chips:
        return action == most + 1 or lowest_raise(rules, s) < action <= most
    return is_listed(rules, s, action, legal)


@njit(cache=True)
def amount_of(rules, s, action):
    """What a call or raise of the seat to move makes its bet."""
    if action == CALL:
        return min(s.bet[1 - s.player], s.bet[s.player] + s.stack[s.player])
    if rules.chips:
        return action - 1
    return highest(s) if action == ALL_IN else raise_to(s, action - 2)


@njit(cache=True)
def _record(s, kind, amount):
    k = min(s.log_length, LOG - 1)
    s.log_kind[k] = kind
    s.log_amount[k] = amount
    s.log_street[k] = s.street
    s.log_player[k] = s.player
    s.log_length += 1


@njit(cache=True)
def step(rules, s, action):
    player = s.player
    before = s.bet[player]
    if action == FOLD:
        _record(s, MADE_FOLD, before)
        _finish(rules, s, s.paid[player], 1 - player, False)
        _settle(rules, s)
        return
    facing = s.bet[1 - player]
    amount = amount_of(rules, s, action)
    kind = MADE_RAISE if amount > facing else MADE_CALL if facing > before else MADE_CHECK
    _pay(s, player, amount - before)
    _record(s, kind, amount)
    if rules.botzone:
        s.least = max(s.least, amount - before)
    else:
        s.least = max(s.least, amount - facing)
    s.acted = 1 if kind == MADE_RAISE else s.acted + 1
    s.player = 1 - player
    if kind != MADE_RAISE and s.acted >= 2:
        _end_street(rules, s)
    _settle(rules, s)


@njit(cache=True)
def _end_street(rules, s):
    s.street += 1
    s.acted = 0
    for player in range(2):
        s.bet[player] = 0
    s.least = SMALL_BLIND if rules.botzone else BIG_BLIND
    s.player = 1 - s.button


@njit(cache=True)
def _settle(rules, s):
    """Show down and begin the next hand for as long as nothing is left to decide in this one."""
    while not s.over:
        all_in = (s.stack[0] == 0 or s.stack[1] == 0) and s.bet[0] == s.bet[1]
        if s.street <= RIVER and not all_in:
            return
        s.street = RIVER
        mine, other = hand_value(rules, s, 0), hand_value(rules, s, 1)
        winner = -1 if mine == other else 0 if mine > other else 1
        _finish(rules, s, s.paid[0], winner, True)


@njit(cache=True)
def _finish(rules, s, stake, winner, shown):
    """Move ``stake`` chips to the winner (none if -1) and begin the next hand, if there is one.

    A split pot is always even: both seats have paid the same.
    """
    public = board_cards(s)
    for k in range(5):
        s.last_board[k] = s.board[k] if k < public else NO_CARD
    for player in range(2):
        won = 0 if winner < 0 else stake if winner == player else -stake
        s.last_won[player] = won
        s.total[player] += won
        s.stack[player] += s.paid[player] + won
        for k in range(2):
            s.last_hole[player, k] = s.hole[player, k] if shown else NO_CARD
    s.hand += 1
    if s.hand == rules.hands or (rules.carry and (s.stack[0] == 0 or s.stack[1] == 0)):
        s.over = 1
        return
    if not rules.carry:
        s.stack[0] = rules.stack
        s.stack[1] = rules.stack
    s.button = 1 - s.button
    _deal(s)
    begin_hand(rules, s)


# --- what it comes to, what is seen --------------------------------------------------------------


@njit(cache=True)
def returns(rules, s, out):
    """Big blinds won in the hands finished; under Botzone's judge in whole halves of one."""
    won = s.total[0]
    if rules.botzone:
        halves = abs(won) // SMALL_BLIND
        out[0] = halves / 2.0 if won > 0 else -halves / 2.0
    else:
        out[0] = won / BIG_BLIND
    out[1] = 0.0 - out[0]


@njit(cache=True)
def round_return(rules, value):
    """To whole chips; Botzone's halves of a big blind are exact as they are."""
    return floor(value * BIG_BLIND + 0.5) / BIG_BLIND


@njit(cache=True)
def observe(rules, s, player, out):
    """Cards, street, numbers, history; see the package's docstring."""
    for k in range(SIZE):
        out[k] = 0
    other = 1 - player
    for k in range(2):
        out[s.hole[player, k]] = 1
        if s.last_hole[other, k] != NO_CARD:
            out[104 + s.last_hole[other, k]] = 1
    for k in range(board_cards(s)):
        out[52 + s.board[k]] = 1
    out[_STREETS_AT + s.street] = 1
    whole = 2.0 * rules.stack
    at = _NUMBERS_AT
    out[at] = s.button == player
    out[at + 1] = not s.over and s.player == player
    out[at + 2] = s.hand / rules.hands
    out[at + 3] = pot(s) / whole
    out[at + 4] = s.stack[player] / whole
    out[at + 5] = s.stack[other] / whole
    out[at + 6] = s.bet[player] / whole
    out[at + 7] = s.bet[other] / whole
    out[at + 8] = max(0, s.bet[other] - s.bet[player]) / whole
    out[at + 9] = min(1.0, lowest_raise(rules, s) / whole)
    out[at + 10] = 0.5 + s.total[player] / (whole * rules.hands)
    out[at + 11] = 0.5 + s.last_won[player] / whole
    slot, street = 0, 0
    for k in range(min(s.log_length, LOG)):
        if s.log_street[k] != street:
            slot, street = 0, s.log_street[k]
        at = _HISTORY_AT + 4 * (SLOTS * street + min(slot, SLOTS - 1))
        out[at] = s.log_player[k] == player
        out[at + 1] = s.log_player[k] == other
        out[at + 2] = s.log_kind[k] == MADE_RAISE
        out[at + 3] = s.log_amount[k] / whole
        slot += 1
