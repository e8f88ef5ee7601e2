"""What each item of a plan is worth: the round fought again without it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from stratagym.benchmarks.advgamebench import games
from stratagym.benchmarks.advgamebench.metrics import Game
from stratagym.benchmarks.reporting.stats import RESULT, mean_rate
from stratagym.envs import core, sealed, sealed_words, spec

PRIORITIES = "priorities"
"""The item that is a list of priorities."""
Credit = tuple[str, float, float]
"""An item, what it changes of the result (-1 to 1), and of how near the plan came."""


def credits_of(of: Mapping[str, Sequence[Game]], config: Mapping[str, Any]) -> dict[str, Any]:
    """By policy and game a table of items; see ``_table``."""
    options = tuple(sorted(config["rules"].items()))
    return {
        name: {
            game: _table(game, own, options)
            for game in games.GAMES
            if (own := [one for one in played if one.game == game])
        }
        for name, played in of.items()
    }


def _table(game: str, played: Sequence[Game], options: Any) -> list[dict[str, Any]]:
    """By item: copies, mean credits with intervals over opponents and roles, idle, harmful."""
    found: defaultdict[tuple[int, str], list[tuple[int, float, float]]] = defaultdict(list)
    clusters: dict[Any, int] = {}
    for one in played:
        cluster = clusters.setdefault(one.cluster, len(clusters))
        for this in one.rounds:
            if not this.fought:
                continue
            plans = [sealed_words.json_text(plan.data) for plan in this.plans]
            for item, result, near in credits(game, options, one.role, *plans):
                found[one.role, item].append((cluster, result, near))
    rows = []
    for (role, item), credit in sorted(found.items()):
        index, results, values = (np.array(column) for column in zip(*credit, strict=True))
        rows.append(
            {
                "role": games.ROLES[role],
                "item": item,
                "copies": len(credit),
                "credit": mean_rate(results, index, bounds=RESULT).record(),
                "value": mean_rate(values, index, bounds=RESULT).record(),
                "idle": float(((results == 0) & (np.abs(values) < 1e-9)).mean()),
                "harmful": float((results < 0).mean()),
            }
        )
    return rows


@lru_cache(maxsize=4096)
def credits(game: str, options: Any, role: int, one: str, other: str) -> tuple[Credit, ...]:
    """The credit of every item of ``role``'s plan, both plans as JSON, seat 0's first."""
    import json

    facts = spec(game)
    rules = facts.make_rules(**dict(options))
    view = facts.module("view")
    states = core.new_states(rules)
    plans = [
        sealed_words.plan_actions(view, rules, seat, json.loads(text))
        for seat, text in enumerate((one, other))
    ]
    sealed.set_plan(rules, states, 0, 1 - role, plans[1 - role])
    whole = _outcome(game, rules, states, role, plans[role])
    found = []
    for item, without in _without(game, facts, rules, states, role, plans[role]):
        result, near = _outcome(game, rules, states, role, without)
        found.append((item, whole[0] - result, whole[1] - near))
    return tuple(found)


def _outcome(
    game: str, rules: Any, states: np.ndarray, role: int, actions: np.ndarray
) -> tuple[float, float]:
    """(1, .5 or 0; how near the plan came) of a plan against the other's in ``states[0]``."""
    sealed.set_plan(rules, states, 0, role, actions)
    results = np.zeros(1, np.int64)
    sealed.resolve_plans(rules, states, results)
    s = states[0]
    own = int(results[0]) * (1 - 2 * role)
    near = games.nearness(
        game, rules, s, role, own > 0, int(s["ended"]), s["remains"].tolist(), last=False
    )
    return 0.5 + own / 2, near


def _without(
    game: str, facts: Any, rules: Any, states: np.ndarray, role: int, actions: np.ndarray
) -> Iterator[tuple[str, np.ndarray]]:
    """(item, the plan without it): a micro-action left out, or in the duel a skill exchanged."""
    view = facts.module("view")
    words = _words(view, rules, states, role, actions)
    if game == games.DUEL:
        yield from _exchanged(role, actions)
        return
    chosen = [k for k, word in enumerate(words) if word.startswith("prefer ")]
    if chosen:
        yield PRIORITIES, np.delete(actions, chosen)
    for k, word in enumerate(words):
        if word.split()[0] in ("place", "send", "buy"):
            yield word.split()[1], np.delete(actions, k)


def _words(view: Any, rules: Any, states: np.ndarray, role: int, actions: np.ndarray) -> list[str]:
    twin = states.copy()
    twin["seat"] = role
    return [view.action_to_string(rules, twin[0], int(action)) for action in actions]


def _exchanged(role: int, actions: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Each skill of a duel's plan, and the plan with the cheapest that its fighter has not instead.

    A fighter is four actions: its element, then three skills, 3 to 8 in the order of their costs.
    """
    from stratagym.envs.elemental_duel.rules import FIGHTERS, FIRST_SKILL, SKILLS
    from stratagym.envs.elemental_duel.view import skills_of

    for fighter in range(FIGHTERS):
        own = actions[4 * fighter + 1 : 4 * fighter + 4].tolist()
        spare = next(a for a in range(FIRST_SKILL, FIRST_SKILL + SKILLS) if a not in own)
        for k, action in enumerate(own):
            twin = actions.copy()
            twin[4 * fighter + 1 + k] = spare
            names = skills_of(role, int(actions[4 * fighter]))
            yield names[action - FIRST_SKILL], twin
