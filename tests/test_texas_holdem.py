"""Hold'em against pokerkit, phevaluator, eval7, Botzone's recordings and facts of the game."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from stratagym.envs import core, make, make_batch, spec
from stratagym.envs.texas_holdem import botzone, evaluator, metrics, rules, view
from stratagym.wrappers.text import TextGame

GAME = spec("texas_holdem")
WHEEL_FLUSH = [(4 * rank + 2) for rank in (12, 0, 1, 2, 3)]


def fresh(seed: int = 1, **options: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray]:
    """Rules, a match that has begun, and scratch."""
    made = GAME.make_rules(**options)
    states = core.new_states(made)
    legal, probs = core.new_scratch(made)
    core.start_at(made, states, 0, np.uint64(seed), probs)
    return made, states, legal, probs


def cards(text: str) -> list[int]:
    """``"As Td"`` as numbers."""
    return [4 * "23456789TJQKA".index(one[0]) + "cdhs".index(one[1]) for one in text.split()]


def play(made: Any, states: np.ndarray, *moves: str) -> None:
    """Play moves written as text; each has to be legal."""
    legal, probs = core.new_scratch(made)
    for move in moves:
        action = view.string_to_action(made, states[0], move)
        n = core.legal_actions_at(made, states, 0, legal)
        assert action in legal[:n], (move, view.why_illegal(made, states[0], action))
        core.play_at(made, states, 0, action, legal, probs)


def words(made: Any, states: np.ndarray) -> list[str]:
    legal, _ = core.new_scratch(made)
    n = core.legal_actions_at(made, states, 0, legal)
    return [view.action_to_string(made, states[0], a) for a in legal[:n].tolist()]


# --- the evaluator -------------------------------------------------------------------------------


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


@pytest.mark.parametrize("size", [5, 6, 7])
def test_order_is_phevaluators(size, rng):
    phevaluator = pytest.importorskip("phevaluator")
    hands = random_hands(rng, 100_000, size)
    theirs = np.array([phevaluator.evaluate_cards(*hand) for hand in hands.tolist()])
    assert_same_order(values_of(hands), -theirs)


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


# --- betting, against pokerkit -------------------------------------------------------------------


class Pokerkit:
    """A hand in pokerkit; its player 0 posts the big blind, its player 1 has the button."""

    def __init__(self, s: Any, stacks: list[int]):
        from pokerkit import Automation, NoLimitTexasHoldem

        button = int(s["button"])
        self.seats = [1 - button, button]
        self.state = NoLimitTexasHoldem.create_state(
            (
                Automation.ANTE_POSTING,
                Automation.BET_COLLECTION,
                Automation.BLIND_OR_STRADDLE_POSTING,
                Automation.HOLE_CARDS_SHOWING_OR_MUCKING,
                Automation.HAND_KILLING,
                Automation.CHIPS_PUSHING,
                Automation.CHIPS_PULLING,
                Automation.CARD_BURNING,
            ),
            True,
            0,
            (50, 100),
            100,
            [stacks[seat] for seat in self.seats],
            2,
        )
        self.board = [view.card_text(card) for card in s["board"].tolist()]
        for _ in range(2):
            for place in range(2):
                k = len(self.state.hole_cards[place])
                if self.state.can_deal_hole():
                    self.state.deal_hole(view.card_text(int(s["hole"][self.seats[place], k])))
        self.deal()

    def deal(self) -> None:
        while self.state.can_deal_board():
            count = 3 if not list(self.state.get_board_cards(0)) else 1
            self.state.deal_board("".join(self.board[:count]))
            self.board = self.board[count:]

    def legal(self) -> tuple[int, bool, int, int]:
        """Seat to move, whether folding means something, least and most to raise to (or 0, 0)."""
        state = self.state
        seat = self.seats[state.actor_index]
        facing = state.checking_or_calling_amount > 0
        if not state.can_complete_bet_or_raise_to():
            return seat, facing, 0, 0
        return (
            seat,
            facing,
            state.min_completion_betting_or_raising_to_amount,
            state.max_completion_betting_or_raising_to_amount,
        )

    def play(self, action: int) -> None:
        if action == rules.FOLD:
            self.state.fold()
        elif action == rules.CALL:
            self.state.check_or_call()
        else:
            # All that the other can match, where the player has more.
            least = self.state.min_completion_betting_or_raising_to_amount
            self.state.complete_bet_or_raise_to(max(action - 1, least))
        self.deal()

    def payoffs(self) -> list[int]:
        return [self.state.payoffs[self.seats.index(seat)] for seat in range(2)]


def play_beside_pokerkit(hands: int, rng: np.random.Generator) -> None:
    """Random hands, with stacks from two big blinds up: legal moves, chips and results agree."""
    pytest.importorskip("pokerkit")
    done = 0
    while done < hands:
        stack = int(rng.choice([200, 333, 1_000, 2_500, 20_000]))
        stacks = str(rng.choice(["reset", "carry"]))
        seed = int(rng.integers(2**63))
        made, states, legal, probs = fresh(seed, raises="chips", stack=stack, stacks=stacks)
        s = states[0]
        while not s["over"] and done < hands:
            hand, total = int(s["hand"]), s["total"].tolist()
            beside = Pokerkit(s, (s["stack"] + s["paid"]).tolist())
            while s["hand"] == hand:
                n = core.legal_actions_at(made, states, 0, legal)
                seat, facing, least, most = beside.legal()
                ours = legal[:n]
                assert core.current_player_at(made, states, 0) == seat
                assert (ours[0] == rules.FOLD) == facing
                raises = ours[ours > rules.CALL] - 1
                # pokerkit lets a stack bet more than the other can match.
                cap = int((s["bet"] + s["stack"]).min())
                assert len(raises) == (0 if most == 0 else min(most, cap) - min(least, cap) + 1)
                if len(raises):
                    assert (raises[0], raises[-1]) == (min(least, cap), min(most, cap))
                other = beside.state.bets[beside.seats.index(1 - seat)]
                assert s["bet"].tolist()[1 - seat] == min(other, cap) or other > cap
                action = int(random_action(ours, rng))
                beside.play(action)
                core.play_at(made, states, 0, action, legal, probs)
            won = [int(s["total"][seat]) - total[seat] for seat in range(2)]
            if s["hand"] == hand + 2:  # the next was decided by its blinds, all-in
                won = [won[seat] - int(s["last_won"][seat]) for seat in range(2)]
            if s["hand"] <= hand + 2:
                assert won == beside.payoffs()
            done += 1


def random_action(legal: np.ndarray, rng: np.random.Generator) -> int:
    """Small raises more often than large ones, so that hands last."""
    raises = legal[legal > rules.CALL]
    kind = rng.random()
    if len(raises) == 0 or kind < 0.5:
        return legal[0] if kind < 0.08 else rules.CALL
    if kind < 0.6:
        return raises[0]
    if kind < 0.65:
        return raises[-1]
    return raises[int(len(raises) * rng.random() ** 4)]


def test_random_hands_agree_with_pokerkit(rng):
    play_beside_pokerkit(300, rng)


@pytest.mark.slow
def test_many_random_hands_agree_with_pokerkit(rng):
    play_beside_pokerkit(5_000, rng)
