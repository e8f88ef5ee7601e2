"""What each item of a plan is worth: the round fought again without it.

An item is an entry, in battle card also the list of priorities; in the duel a skill, which cannot
be dropped and makes room for another. What a plan without an item saves is not spent again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from stratagym.benchmarks.harness import sealed_games as games
from stratagym.benchmarks.harness.replays import Position
from stratagym.envs import core, sealed, sealed_words, spec

PRIORITIES = "priorities"
"""The name of the item that is a list of priorities."""
IDLE = 1e-9
"""Values below this count as none."""


class Credit(NamedTuple):
    """What an item of a plan is worth.

    Attributes:
        item: its name. result: what it changes of the result (1, .5 or 0). value: the same of how
            near the plan came. cost: of the item; 0 for priorities. where: its place or tier, if it
        has one.
    """

    item: str
    result: float
    value: float
    cost: int
    where: str = ""


@lru_cache(maxsize=4096)
def credits(
    game: str, options: Any, role: int, one: str, other: str, samples: int = 0
) -> tuple[Credit, ...]:
    """The credit of every item of ``role``'s plan, both plans as JSON, seat 0's first.

    Args:
        options: of the game, (name, value) pairs. samples: 0 to leave out one item at a time;
            else the number of orders of the items, drawn at random, over which what an item adds
            to those before it is averaged (Shapley). Not for the duel.
    """
    rules = spec(game).make_rules(**dict(options))
    fights = _Fights(game, rules, role, [json.loads(one), json.loads(other)])
    return tuple(fights.shapley(samples) if samples else fights.without())


class _Fights:
    """A plan and parts of it against the other's plan."""

    def __init__(self, game: str, rules: Any, role: int, plans: Sequence[Mapping[str, Any]]):
        self.game, self.rules, self.role = game, rules, role
        self.view = spec(game).module("view")
        self.states = core.new_states(self.rules)
        actions = [
            sealed_words.plan_actions(self.view, self.rules, seat, plan)
            for seat, plan in enumerate(plans)
        ]
        self.actions = actions[role]
        sealed.set_plan(self.rules, self.states, 0, 1 - role, actions[1 - role])

    def outcome(self, actions: np.ndarray) -> tuple[float, float]:
        """(1, .5 or 0; how near it came) of a plan against the other's."""
        states, role = self.states, self.role
        sealed.set_plan(self.rules, states, 0, role, actions)
        results = np.zeros(1, np.int64)
        sealed.resolve_plans(self.rules, states, results)
        s = states[0]
        own = int(results[0]) * (1 - 2 * role)
        ended, left = int(s["ended"]), s["remains"].tolist()
        near = games.nearness(
            self.game, self.rules, s, role, own > 0, ended, left, last=False
        )  # fmt: skip
        return 0.5 + own / 2, near

    def cost(self, actions: np.ndarray) -> int:
        sealed.set_plan(self.rules, self.states, 0, self.role, actions)
        return int(self.states["spent"][0, self.role])

    def without(self) -> Iterator[Credit]:
        """By leaving out one item at a time; in the duel by exchanging it."""
        whole, price = self.outcome(self.actions), self.cost(self.actions)
        if self.game == games.DUEL:
            for item, cost, actions in _exchanged(self.rules, self.role, self.actions):
                result, near = self.outcome(actions)
                yield Credit(item, whole[0] - result, whole[1] - near, cost)
            return
        for item, where, chosen in self.items():
            actions = np.delete(self.actions, chosen)
            result, near = self.outcome(actions)
            cost = price - self.cost(actions)
            yield Credit(item, whole[0] - result, whole[1] - near, cost, where)

    def items(self) -> list[tuple[str, str, list[int]]]:
        """(item, where, which micro-actions it is) of all items."""
        twin = self.states.copy()
        twin["seat"] = self.role
        words = [self.view.action_to_string(self.rules, twin[0], int(a)) for a in self.actions]
        found = [
            (word.split()[1], _where(word.split()[2:]), [k])
            for k, word in enumerate(words)
            if word.split()[0] in ("place", "send", "buy")
        ]
        chosen = [k for k, word in enumerate(words) if word.startswith("prefer ")]
        return [(PRIORITIES, "", chosen), *found] if chosen else found

    def shapley(self, samples: int) -> Iterator[Credit]:
        """What each item adds to those before it, the mean over random orders of the items.

        The credits of a plan add up to its result minus that of no items.
        """
        items = self.items()
        known: dict[frozenset[int], tuple[float, float]] = {}

        def outcome(members: frozenset[int]) -> tuple[float, float]:
            if members not in known:
                dropped = [k for n, (*_, ks) in enumerate(items) if n not in members for k in ks]
                known[members] = self.outcome(np.delete(self.actions, dropped))
            return known[members]

        rng, added = np.random.default_rng(0), np.zeros((len(items), 2))
        for _ in range(samples):
            members: frozenset[int] = frozenset()
            before = outcome(members)
            for n in rng.permutation(len(items)).tolist():
                members |= {n}
                now = outcome(members)
                added[n] += np.subtract(now, before)
                before = now
        price = self.cost(self.actions)
        for (item, where, chosen), (result, near) in zip(items, added / samples, strict=True):
            cost = price - self.cost(np.delete(self.actions, chosen))
            yield Credit(item, float(result), float(near), cost, where)


def _where(words: Sequence[str]) -> str:
    """What stands behind a unit in a micro-action: a cell, a row, or a tier but for bronze."""
    if len(words) == 2:
        return f"({','.join(words)})"
    return "".join(f"row {word}" if word.isdigit() else word for word in words if word != "bronze")


def _exchanged(rules: Any, role: int, actions: np.ndarray) -> Iterator[tuple[str, int, np.ndarray]]:
    """Each skill of a duel's plan, its cost, and the plan with another instead: the cheapest of its
    element that the fighter has not.

    A fighter is four actions: its element, then three skills, 3 to 8 in the order of their costs.
    """
    from stratagym.envs.elemental_duel.rules import FIGHTERS, FIRST_SKILL, SKILLS
    from stratagym.envs.elemental_duel.tables import COSTS
    from stratagym.envs.elemental_duel.view import skills_of

    for fighter in range(FIGHTERS):
        own = actions[4 * fighter + 1 : 4 * fighter + 4].tolist()
        spare = next(a for a in range(FIRST_SKILL, FIRST_SKILL + SKILLS) if a not in own)
        for k, action in enumerate(own):
            twin = actions.copy()
            twin[4 * fighter + 1 + k] = spare
            names = skills_of(role, int(actions[4 * fighter]))
            skill = action - FIRST_SKILL
            yield names[skill], int(COSTS[rules.released, skill]), twin


def _signed(one: Credit) -> str:
    """Such as ``+1 (+0.72)``: of the result, and of how near the plan came."""
    return f"{f'{one.result:+g}' if one.result else 0} ({one.value:+.2f})"


def remarks(position: Position, after: Position | None) -> list[str]:
    """``told`` between two positions of a replay; nothing of other games."""
    if after is None or position.states is None or after.states is None:
        return []
    if position.spec.name not in games.GAMES:
        return []
    return told(position.spec.name, position.rules, position.states[0], after.states[0])


def told(game: str, rules: Any, before: Any, after: Any) -> list[str]:
    """What the items of both plans of a battle were worth, a line a side; nothing without a battle.

    Args:
        before, after: records between which the battle came, of a game of sealed plans.
    """
    k = int(after["round"])
    if k == int(before["round"]) or int(after["why"][k - 1]) != sealed.SIMULATED:
        return []
    plans = [games.plan_json(game, rules, after, seat) for seat in range(2)]
    lines, name = [], spec(game).module("view").seat_name
    for seat in range(2):
        found = list(_Fights(game, rules, seat, plans).without())
        said = [
            " ".join(filter(None, [one.item, one.where, _signed(one)]))
            for one in found
            if one.result or abs(one.value) >= IDLE
        ]
        idle = len(found) - len(said)
        said += [f"{idle} idle"] if idle else []
        lines.append(
            f"Credit of each item in the plan of {name(rules, after, seat)}, for the result (in "
            f"brackets, for how near the plan came to winning): {', '.join(said)}."
        )
    return lines
