"""Policy strings that mean the same player make the same player: whatever the order of the options,
and with defaults spelled out or not.
"""

from __future__ import annotations

from inspect import isfunction
from typing import Any

import numpy as np
import pytest

from stratagym.agents.core import FACTORIES, VERSIONS, Policy, decision_for, make_policy
from stratagym.envs import core, spec

SAME: dict[str, tuple[tuple[str, ...], ...]] = {
    "tictactoe": (
        ("random", " random "),
        ("heuristic", "heuristic "),
        ("random?random=0.5", "random?random=.50"),
        ("gt", "gt:2", "gt:2?version=2"),
        ("mcts", "mcts:1000", "mcts:1000?c=1.4", "mcts:1000?version=2"),
        (
            "mcts:20",
            "mcts:20?c=1.40&playout=all&solve=yes&priors=no&rave=0&fpu=none",
            "mcts:20?fpu=none&rave=0&priors=no&solve=yes&playout=all&c=1.40",
        ),
        ("mcts:20?priors=yes", "mcts:20?c=0.2&playout=0&priors=yes"),
        ("mcts:20?rave=30&fpu=0.5", "mcts:20?fpu=.5&rave=30.0"),
        (
            "mcts:20?c=0.7&version=1&random=0.25",
            "mcts:20?random=0.25&version=1&c=0.7",
            "mcts:20?version=1&random=.25&c=0.70",
        ),
        ("alphabeta", "alphabeta:4", f"alphabeta:4?version={VERSIONS['alphabeta']}"),
        ("alphabeta:2?positions=9&random=0.5", "alphabeta:2?random=0.5&positions=9"),
    ),
    "gomoku": (
        ("alphabeta:1?tactic=2&random=0.5", "alphabeta:1?random=0.50&tactic=2"),
        ("rule:threat?version=1&random=0.5", "rule:threat?random=0.5&version=1"),
    ),
    "ludo": (("gt", "gt:2"), ("gt:1?random=0.1", "gt:1?random=0.10")),
    "hanabi": (
        ("rule:iggi", f"rule:iggi?version={VERSIONS['rule']}"),
        ("pimc", "pimc:20", "pimc:20?weights=no&sure=0", "pimc:20?sure=0.0&weights=no"),
        ("pimc:5?sure=2&weights=yes", "pimc:5?weights=yes&sure=2.0"),
    ),
    "tower_defence": (("plan:reply", "plan:reply?evals=1200"),),
}
"""By game, strings that mean the same player."""


def player(policy: Policy) -> dict[str, Any]:
    """The numbers, words and functions that a policy is made of, but for its name.

    Those of policies within it are included; buffers are not.
    """
    own: dict[str, Any] = {"class": type(policy), "version": policy.version}
    for key, value in vars(policy).items():
        if isinstance(value, Policy):
            own[key] = player(value)
        elif key != "name" and (isinstance(value, (int, float, str)) or isfunction(value)):
            own[key] = value
    return own


ROWS = [(game, strings) for game, rows in SAME.items() for strings in rows]


@pytest.mark.parametrize(("game", "strings"), ROWS)
def test_strings_that_mean_the_same_player_make_it(game, strings):
    first, *others = (make_policy(spec(game), text) for text in strings)
    for text, other in zip(strings[1:], others, strict=True):
        assert player(other) == player(first), (strings[0], text)


def test_another_player_is_told_from_it():
    """Or the comparison would say nothing."""
    for game, one, other in (
        ("tictactoe", "mcts:20", "mcts:21"),
        ("tictactoe", "mcts:20", "mcts:20?c=1.3"),
        ("tictactoe", "mcts:20", "mcts:20?version=1"),
        ("tictactoe", "random?random=0.5", "random?random=0.4"),
        ("gomoku", "alphabeta:1?tactic=2", "alphabeta:1?tactic=1"),
        ("hanabi", "pimc", "pimc:20?sure=1"),
        ("ludo", "gt:2", "gt:3"),
    ):
        assert player(make_policy(spec(game), one)) != player(make_policy(spec(game), other)), one


@pytest.mark.parametrize("strings", SAME["tictactoe"])
def test_they_choose_alike(strings, rng):
    game = spec("tictactoe")
    rules = game.make_rules()
    policies = [make_policy(game, text) for text in strings]
    states, (_, probs) = core.new_states(rules), core.new_scratch(rules)
    for _ in range(4):
        seed = int(rng.integers(1 << 62))
        core.start_at(rules, states, 0, np.uint64(seed), probs)
        moves = {policy.act(decision_for(game, rules, states, seed)) for policy in policies}
        assert len(moves) == 1, (strings, seed)


PLAIN = {
    "random": "gomoku", "heuristic": "gomoku", "gt:2": "gomoku", "mcts:20": "gomoku",
    "alphabeta:2": "gomoku", "rule:threat": "gomoku", "pimc:5": "hanabi", "perfect": "tictactoe",
    "plan:fill": "battle_card",
}  # fmt: skip
"""A player of each kind that needs no engine, model or file, with a game that it plays."""


def test_every_kind_of_player_is_among_them():
    needy = {"uci", "gtp", "piskvork", "llm", "gguf", "control", "sb3"}
    assert {name.partition(":")[0] for name in PLAIN} == set(FACTORIES) - needy


@pytest.mark.parametrize(("name", "game"), PLAIN.items())
def test_options_around_a_player_have_one_order_in_its_name(name, game):
    """A name says first what the player is, then what is around it, however it was written."""
    version = ["version=1"] if name.partition(":")[0] in VERSIONS else []
    tactic = ["tactic=1"] if game == "gomoku" and name != "random" else []
    options = [*version, *tactic, "random=0.5"]
    names = {
        make_policy(spec(game), f"{name}?{'&'.join(order)}").name
        for order in (options, options[::-1], options[1:] + options[:1])
    }
    assert names == {f"{name}?{'&'.join(options)}"}
