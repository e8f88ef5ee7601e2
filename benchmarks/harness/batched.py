"""Many matches at once, for policies that answer for many states in one call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

from stratagym.agents import learner_games
from stratagym.agents.core import Policy, PolicyFault
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.match_play import fault_field
from stratagym.benchmarks.harness.matches import SeatedMatch
from stratagym.envs import core
from stratagym.envs.plans import takes_talk

FAULT = -9
"""Stands for the seat to move once a policy's fault has ended the game."""


def play_batched(
    matches: list[SeatedMatch], done: Callable[[], Any] = lambda: None
) -> list[dict[str, Any]]:
    """Play matches of one game with equal options side by side; their records in order.

    A policy with ``act_each`` is asked once a round for all games in which it is to move. Games
    are those of ``runner.play_match``, action by action.

    Args:
        done: is called after every match.

    Raises:
        ValueError: a policy's action is illegal, or a policy speaks, which nobody hears here.
    """
    if not matches:
        return []
    speaks = (policy.name for match in matches for policy in match.seats if policy.speaks)
    if takes_talk(matches[0].game) and (name := next(speaks, "")):
        raise ValueError(f"{name} speaks, and nobody hears it in games played side by side")
    rules = matches[0].rules
    states = core.new_states(rules, len(matches))
    legal, probs = core.new_scratch(rules)
    players = [
        int(core.start_at(rules, states, g, np.uint64(match.seed), probs))
        for g, match in enumerate(matches)
    ]
    actions = [match.opening_moves() for match in matches]
    for g, begun in enumerate(actions):
        for move in begun:
            players[g] = int(core.play_at(rules, states, g, move, legal, probs)[0])
    faults: dict[int, tuple[int, PolicyFault]] = {}
    alive = [g for g, player in enumerate(players) if player >= 0]
    while alive:
        turns: dict[Policy, list[int]] = {}
        for g in alive:
            turns.setdefault(matches[g].seats[players[g]], []).append(g)
        for policy, which in turns.items():
            seeds = [
                item_seed(matches[g].seed, policy.seed_name, str(len(actions[g]))) for g in which
            ]
            chosen = _act_each(matches[0].game, policy, rules, states[which], seeds)
            for g, action in zip(which, chosen, strict=True):
                if isinstance(action, PolicyFault):
                    faults[g], players[g] = (players[g], action), FAULT
                    done()
                    continue
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
        if g in faults:
            seat, fault = faults[g]
            records.append(
                {**match.forfeited(actions[g], seat, states[g : g + 1]), **fault_field(fault)}
            )
            continue
        total = np.zeros(rules.num_players)
        core.returns_at(rules, states, g, total)
        records.append(match.record(actions[g], players[g], total.tolist()))
    return records


def _act_each(
    game: core.GameSpec, policy: Policy, rules: Any, states: np.ndarray, seeds: list[int]
) -> list[int | PolicyFault]:
    """The actions in ``states`` (N,); where a policy has failed, its fault instead of an action."""
    own = np.array(seeds, np.uint64)
    if hasattr(policy, "act_each"):
        with suppress(PolicyFault):  # whose it is shows where each is asked alone
            return learner_games.act_each(game, policy, rules, states, own).tolist()
    found: list[int | PolicyFault] = []
    for k in range(len(states)):
        one = slice(k, k + 1)
        try:
            found += learner_games.act_each(game, policy, rules, states[one], own[one]).tolist()
        except PolicyFault as fault:
            found.append(fault)
    return found
