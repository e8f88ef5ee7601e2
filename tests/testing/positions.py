"""Positions to test with: told by their moves, or from random games."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stratagym.envs import core, spec
from stratagym.envs.text import OK, TextOptions, judge


def rules_of(game: Any) -> Any:
    """The ``Rules`` of a game by its name or ``GameSpec``, with default options; or as given."""
    if isinstance(game, str):
        game = spec(game)
    return game.make_rules() if isinstance(game, core.GameSpec) else game


def position(game: Any, *actions: int, seed: int = 0) -> np.ndarray:
    """The state (1,) after these actions from the start that ``seed`` gives.

    Raises:
        ValueError: an action is not legal where it is played.
    """
    rules = rules_of(game)
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    player = core.start_at(rules, states, 0, np.uint64(seed), probs)
    n = core.legal_actions_at(rules, states, 0, legal) if player >= 0 else 0
    for ply, action in enumerate(actions):
        if action not in legal[:n]:
            raise ValueError(f"action {action} is not legal at ply {ply}")
        player, n = core.play_at(rules, states, 0, action, legal, probs)
    return states


class RandomGame:
    """A random game from the kernel: every state in which a seat was to move, and the end.

    Attributes:
        rules: the game's. states: (1,) records. players: seats to move. choices: legal actions,
            (n,) int64 each. actions: those played. end: (1,) record, when the game was over.
            ending: ``core.TERMINAL`` or ``core.TRUNCATED``. rng: what chose them.
    """

    def __init__(self, game: Any, seed: int):
        self.rules = rules_of(game)
        self.legal, self.probs = core.new_scratch(self.rules)
        self.states: list[np.ndarray] = []
        self.players: list[int] = []
        self.choices: list[np.ndarray] = []
        self.actions: list[int] = []
        self.rng = rng = np.random.default_rng(seed)
        state = core.new_states(self.rules)
        player = core.start_at(self.rules, state, 0, np.uint64(seed), self.probs)
        n = core.legal_actions_at(self.rules, state, 0, self.legal)
        while player >= 0:
            self.states.append(state.copy())
            self.players.append(int(player))
            self.choices.append(self.legal[:n].copy())
            self.actions.append(int(rng.choice(self.legal[:n])))
            player, n = self.play(state, self.actions[-1])
        self.end, self.ending = state, int(player)

    def some(self, most: int) -> list[int]:
        """Numbers of decisions, ascending: all of a short game, of a longer one ``most`` drawn."""
        n = len(self.states)
        if n <= most:
            return list(range(n))
        return sorted(self.rng.choice(n, most, replace=False).tolist())

    def play(self, state: np.ndarray, action: int) -> tuple[int, int]:
        """Play on in ``state``; (seat to move, number of legal actions, written to ``legal``)."""
        return core.play_at(self.rules, state, 0, action, self.legal, self.probs)

    def returns(self, state: np.ndarray) -> np.ndarray:
        """Each seat's return in a state of the game, float64."""
        out = np.full(self.rules.num_players, np.nan)
        core.returns_at(self.rules, state, 0, out)
        return out

    def observation(self, state: np.ndarray, seat: int) -> np.ndarray:
        """What a seat sees in a state of the game, in an array that ``observe`` has to fill."""
        out = np.full(self.rules.observation_shape, 77, self.rules.observation_dtype)
        core.observe_at(self.rules, state, 0, seat, out)
        return out


def random_positions(
    game: Any, n: int, seed: int | np.random.Generator, plies: range | None = None
) -> np.ndarray:
    """States (n,) of random games in which a seat is to move.

    Args:
        plies: how many decisions have been made, drawn from these; by default any number, drawn
            from those of a random game that is played to its end.

    Raises:
        ValueError: hardly any random game is as long as ``plies`` ask.
    """
    rules, rng = rules_of(game), np.random.default_rng(seed)
    states, (legal, probs) = core.new_states(rules, n), core.new_scratch(rules)
    for i in range(n):
        if plies is None:
            played = RandomGame(rules, int(rng.integers(2**63)))
            states[i] = played.states[rng.integers(len(played.states))][0]
            continue
        for _ in range(1000):
            player = core.start_at(rules, states, i, np.uint64(rng.integers(2**63)), probs)
            for _ in range(int(rng.choice(plies))):
                if player >= 0:
                    count = core.legal_actions_at(rules, states, i, legal)
                    action = int(rng.choice(legal[:count]))
                    player, _ = core.play_at(rules, states, i, action, legal, probs)
            if player >= 0:
                break
        else:
            raise ValueError(f"1000 random games were over before {plies} decisions")
    return states


def check_replies(
    game: core.GameSpec | str,
    replies: Mapping[str, Any],
    states: np.ndarray | None = None,
    *,
    rules: Any = None,
    options: TextOptions = TextOptions(),  # noqa: B008 - frozen
) -> None:
    """Check what becomes of replies in one position, by default the start of the game.

    Args:
        replies: by a reply's text, what is expected of it: the action it plays (int), or why it
            plays none: ``unparseable``, ``illegal``, or ``illegal: reason`` in one word.
        states: (1,), the position. options: how replies are read.

    Raises:
        AssertionError: a reply is read otherwise; the message has it and what was made of it.
    """
    facts = spec(game) if isinstance(game, str) else game
    rules = facts.make_rules() if rules is None else rules
    if states is None:
        states = position(rules)
    for reply, expected in replies.items():
        outcome = judge(facts, rules, states, reply, options)
        found: Any = outcome.action if outcome.kind == OK else outcome.kind
        if isinstance(expected, str) and ":" in expected and outcome.reason:
            found = f"{found}: {outcome.reason}"
        assert found == expected, f"{reply!r} is {found!r} and not {expected!r}: {outcome}"
