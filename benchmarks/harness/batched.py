"""Many matches at once, for policies that answer for many states in one call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from stratagym.agents import learner_games
from stratagym.agents.core import Policy
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.match_play import SeatedMatch
from stratagym.envs import core


def play_batched(
    matches: list[SeatedMatch], done: Callable[[], Any] = lambda: None
) -> list[dict[str, Any]]:
    """Play matches of one game with equal options side by side; their records in order.

    A policy with ``act_each`` is asked once a round for all games in which it is to move. Games
    are those of ``runner.play_match``, action by action.

    Args:
        done: is called after every match.

    Raises:
        ValueError: a policy's action is illegal.
    """
    if not matches:
        return []
    rules = matches[0].rules
    states = core.new_states(rules, len(matches))
    legal, probs = core.new_scratch(rules)
    players = [
        int(core.start_at(rules, states, g, np.uint64(match.seed), probs))
        for g, match in enumerate(matches)
    ]
    actions: list[list[int]] = [[] for _ in matches]
    alive = [g for g, player in enumerate(players) if player >= 0]
    while alive:
        turns: dict[Policy, list[int]] = {}
        for g in alive:
            turns.setdefault(matches[g].seats[players[g]], []).append(g)
        for policy, which in turns.items():
            seeds = [
                item_seed(matches[g].seed, policy.seed_name, str(len(actions[g]))) for g in which
            ]
            chosen = learner_games.act_each(
                matches[0].game, policy, rules, states[which], np.array(seeds, np.uint64)
            )
            for g, action in zip(which, chosen.tolist(), strict=True):
                n = core.legal_actions_at(rules, states, g, legal)
                if action not in legal[:n]:
                    raise ValueError(f"{policy.name} may not play {action}: {legal[:n].tolist()}")
                players[g] = int(core.play_at(rules, states, g, action, legal, probs)[0])
                actions[g].append(action)
                if players[g] < 0:
                    done()
        alive = [g for g in alive if players[g] >= 0]
    records = []
    for g, match in enumerate(matches):
        total = np.zeros(rules.num_players)
        core.returns_at(rules, states, g, total)
        records.append(match.record(actions[g], players[g], total.tolist()))
    return records
