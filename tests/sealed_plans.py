"""Plans of games of sealed plans, put into records and fought out, for their tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.envs import core, sealed, sealed_words
from stratagym.testing import position


def battle(game: core.GameSpec, rules: Any, attacker: dict, defender: dict) -> np.ndarray:
    """A record (1,) whose last plans are these, fought out in its one round."""
    view, plans = game.module("view"), (attacker, defender)
    actions = [sealed_words.plan_actions(view, rules, k, plan) for k, plan in enumerate(plans)]
    return position(rules, *actions[0].tolist(), *actions[1].tolist())


def check_golden_pairs(game: core.GameSpec, path: Path, plans: Any) -> None:
    """Every recorded pair of plans: the winner, the end, and the same by the log.

    Args:
        plans: makes both plans, as JSON, of a line's data.
    """
    view, rules = game.module("view"), game.make_rules()
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    states, events = core.new_states(rules), np.zeros((rules_of(game).MAX_EVENTS, 6), np.int32)
    wrong = []
    for k, line in enumerate(lines):
        for seat, plan in enumerate(plans(line)):
            actions = sealed_words.plan_actions(view, rules, seat, plan)
            sealed.set_plan(rules, states, 0, seat, actions)
        results = np.zeros(1, np.int64)
        sealed.resolve_plans(rules, states, results)
        end, remains = int(states["ended"][0]), states["remains"][0].tolist()
        n, logged = sealed.resolve_log(rules, states, events)
        same = logged == results[0] and states["remains"][0].tolist() == remains
        assert same and states["ended"][0] == end and 0 < n <= len(events)
        expected = (
            1 if line["winner"] == "attacker" else -1,
            line.get("rounds", line.get("end_tick")),
        )
        if (results[0], end) != expected:
            wrong.append((k, (int(results[0]), end), expected))
    assert not wrong, wrong
    assert len(lines) == 250


def rules_of(game: core.GameSpec) -> Any:
    """The game's module of rules."""
    return game.module("rules")


def defenders_share(rules: Any, games: int, seed: int) -> float:
    """Share of random games, one round each, that the defender wins."""
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    out, won = np.zeros(2), 0
    for k in range(games):
        one = np.uint64(core.derive_seed(np.uint64(seed), np.uint64(k)))
        core.random_games(rules, states, legal, probs, one, 1)
        core.returns_at(rules, states, 0, out)
        won += out[1] > 0
    return won / games


def check_round_trip(game: core.GameSpec, plans: int, seed: int) -> None:
    """Random plans, told as JSON and read again, are the same; the last of ten rounds a game."""
    rules, view, seen = game.make_rules(updates="both", rounds=10), game.module("view"), 0
    states, end, scratch = core.new_states(rules), core.new_states(rules), core.new_scratch(rules)
    while seen < plans:
        seed += 1
        core.random_games(rules, end, *scratch, np.uint64(seed), 1)
        for seat in range(2):
            told = view.plan_json(rules, end[0], seat, True)
            actions = sealed_words.plan_actions(view, rules, seat, told)
            sealed.set_plan(rules, states, 0, seat, actions)
            for name in ("plan", "priority", "priority_n", "n", "spent"):
                if name in states.dtype.names:
                    last = end[f"last_{name}"][0][seat]
                    assert np.array_equal(states[name][0][seat], last), (name, told)
            assert view.plan_json(rules, states[0], seat, False) == told
            seen += 1
