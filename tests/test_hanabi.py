"""Hanabi: rules, observation and score against the Hanabi Learning Environment and OpenSpiel."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from stratagym.envs import core, spec
from stratagym.envs.hanabi import rules as hanabi

GAMES = int(os.environ.get("HANABI_ORACLE_GAMES", "25"))
PLAYERS = (2, 3, 4, 5)


class Ours:
    """A game of ours that an oracle follows, or that follows an oracle's deck."""

    def __init__(self, seed: int, **options: Any):
        self.rules = spec("hanabi").make_rules(**options)
        self.states = core.new_states(self.rules)
        self.legal, self.probs = core.new_scratch(self.rules)
        self.player = core.start_at(self.rules, self.states, 0, np.uint64(seed), self.probs)
        self.n = core.legal_actions_at(self.rules, self.states, 0, self.legal)

    @property
    def s(self) -> Any:
        return self.states[0]

    def choices(self) -> list[int]:
        return self.legal[: self.n].tolist()

    def play(self, action: int) -> None:
        self.player, self.n = core.play_at(
            self.rules, self.states, 0, action, self.legal, self.probs
        )

    def observation(self, seat: int) -> list[int]:
        out = np.full(self.rules.observation_shape, 77, np.int8)
        core.observe_at(self.rules, self.states, 0, seat, out)
        return out.tolist()

    def score(self) -> float:
        out = np.zeros(self.rules.num_players)
        core.returns_at(self.rules, self.states, 0, out)
        return float(out[0])

    def stack(self, card: int) -> None:
        """Bring ``card`` to the top of the deck."""
        top = int(self.s["deck_size"]) - 1
        at = self.s["deck"][: top + 1].tolist().index(card)
        self.s["deck"][at], self.s["deck"][top] = self.s["deck"][top], card


def picked(rng: np.random.Generator, ours: Ours) -> int:
    """A random legal action, with few plays, so that games reach the end of the deck."""
    choices = ours.choices()
    h = ours.rules.hand_size
    plays = [a for a in choices if h <= a < 2 * h]
    safe = [
        a for a in plays
        if (card := ours.s["hands"][ours.player, a - h]) % 5 == ours.s["fireworks"][card // 5]
    ]  # fmt: skip
    if safe and rng.random() < 0.6:
        return int(rng.choice(safe))
    rest = [a for a in choices if a not in plays]
    return int(rng.choice(rest if rest and rng.random() < 0.97 else choices))


@pytest.mark.parametrize("variant", ["full", "small", "very_small"])
@pytest.mark.parametrize("players", PLAYERS)
def test_learning_environment_agrees(players, variant, seed, rng):
    """Action by action, observation bit by bit, score by score, with its own random deals."""
    pyhanabi = pytest.importorskip(
        "hanabi_learning_environment.pyhanabi",
        reason="CMAKE_POLICY_VERSION_MINIMUM=3.5 pip install hanabi-learning-environment",
    )
    if variant != "full" and players > 3:
        pytest.skip("two and three players suffice")
    sizes = {
        "full": {},
        "small": dict(colors=2, ranks=5, hand_size=2, max_information_tokens=3, max_life_tokens=1),
        "very_small": dict(
            colors=1, ranks=5, hand_size=2, max_information_tokens=3, max_life_tokens=1
        ),
    }[variant]
    game = pyhanabi.HanabiGame({"players": players, "seed": seed % 2**31, **sizes})
    encoder = pyhanabi.ObservationEncoder(game)
    def cards(state: Any) -> list[list[int]]:
        return [[card.color() * 5 + card.rank() for card in hand] for hand in state.player_hands()]

    ends = set()
    for k in range(GAMES if variant == "full" else 5):
        theirs = game.new_initial_state()
        while theirs.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
            theirs.deal_random_card()
        ours = Ours(seed + k, players=players, variant=variant)
        assert ours.rules.num_actions == game.max_moves()
        assert list(ours.rules.observation_shape) == encoder.shape()
        deck = [*ours.s["deck"].tolist(), *ours.s["hands"].ravel().tolist()]
        for seat, hand in enumerate(cards(theirs)):
            for slot, card in enumerate(hand):
                ours.s["hands"][seat, slot] = card
                deck.remove(card)
        deck = [card for card in deck if card >= 0]
        ours.s["deck"][: len(deck)] = deck
        ours.n = core.legal_actions_at(ours.rules, ours.states, 0, ours.legal)
        while True:
            for seat in range(players):
                assert ours.observation(seat) == encoder.encode(theirs.observation(seat))
            assert ours.score() == theirs.score()
            assert cards(theirs) == [
                hand[:n].tolist()
                for hand, n in zip(ours.s["hands"], ours.s["hand_sizes"], strict=True)
            ][:players]
            assert (ours.player < 0) == theirs.is_terminal()
            if ours.player < 0:
                break
            assert ours.player == theirs.cur_player()
            moves = theirs.legal_moves()
            assert ours.choices() == sorted(game.get_move_uid(move) for move in moves)
            action = picked(rng, ours)
            move = game.get_move(action)
            words = spec("hanabi").module("view").action_to_string(ours.rules, ours.s, action)
            assert words == str(move)
            actor = ours.player
            theirs.apply_move(move)
            if theirs.cur_player() == pyhanabi.CHANCE_PLAYER_ID:
                theirs.deal_random_card()
                ours.stack(cards(theirs)[actor][-1])
            ours.play(action)
        ends.add(str(theirs.end_of_game_status()))
    if GAMES >= 500 and variant == "full":
        assert len(ends) >= 2


@pytest.mark.parametrize("players", PLAYERS)
def test_openspiel_agrees(players, seed, rng):
    pyspiel = pytest.importorskip("pyspiel")
    game = pyspiel.load_game(f"hanabi(players={players})")
    assert game.max_game_length() >= spec("hanabi").make_rules(players=players).max_game_length
    for k in range(GAMES):
        ours = Ours(seed + k, players=players)
        theirs = game.new_initial_state()
        for hand in ours.s["hands"][:players, : ours.rules.hand_size]:
            for card in hand.tolist():
                theirs.apply_action(card)
        while True:
            assert theirs.is_terminal() == (ours.player < 0)
            assert theirs.returns() == [ours.score()] * players
            # OpenSpiel draws no card after a move that ends the game; HLE's own loop and ours do.
            if ours.player >= 0 or ours.s["turns_left"] == 0:
                for seat in range(players):
                    assert ours.observation(seat) == theirs.observation_tensor(seat)
            if ours.player < 0:
                break
            assert theirs.current_player() == ours.player
            assert theirs.legal_actions() == ours.choices()
            actor, action = ours.player, picked(rng, ours)
            ours.play(action)
            theirs.apply_action(action)
            if theirs.is_chance_node():
                theirs.apply_action(int(ours.s["hands"][actor, ours.rules.hand_size - 1]))
