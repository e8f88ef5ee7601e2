"""Recorded games of sealed plans as rounds: who planned what, what it cost, and what came of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.benchmarks.harness import sealed_games as games
from stratagym.envs import core, sealed, spec

WON, DREW, LOST = 1.0, 0.5, 0.0


@dataclass(frozen=True)
class Plan:
    """A seat's plan in a round.

    Attributes:
        items: its entries, in an order of their own where theirs means nothing. cost: of them.
        over, void: whether it is over budget, or breaks a rule.
        asked: whether the seat was to plan in this round. kept: whether it kept its plan.
        data: it as JSON holds it.
    """

    items: tuple[tuple[Any, ...], ...]
    cost: int
    over: bool
    void: bool
    asked: bool
    kept: bool
    data: Mapping[str, Any]

    @property
    def is_bad(self) -> bool:
        """Whether it loses without a battle, if the other's is good."""
        return self.over or self.void

    def differs(self, other: Plan) -> bool:
        """Whether it is another plan than ``other``."""
        return (self.items, self.void) != (other.items, other.void)


@dataclass(frozen=True)
class Round:
    """A round of a game.

    Attributes:
        number: from 1. plans: by seat. score: by seat, 1, 0.5 or 0.
        fought: whether there was a battle. end: tick or round in which it ended, -1 without one.
        spent: by seat, what the plan cost of the budget.
        value: by seat, how near the plan came, 0 to 1, below 0 for a bad one; see ``games``.
        ply: actions of the match before it.
    """

    number: int
    plans: tuple[Plan, Plan]
    score: tuple[float, float]
    fought: bool
    end: int
    spent: tuple[float, float]
    value: tuple[float, float]
    ply: int = 0

    def asks(self, seat: int) -> bool:
        """Whether the seat planned anew in it."""
        return self.plans[seat].asked


def rounds_of(record: Mapping[str, Any]) -> list[Round]:
    """The rounds of a recorded game, played again; whole ones of a game that was broken off."""
    game = spec(record["game"])
    rules = game.make_rules(**record["rules"])
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(record["seed"]), probs)
    s = states[0]
    found: list[Round] = []
    kept, begun = [False, False], 0
    view = game.module("view")
    for ply, action in enumerate(record["actions"], 1):
        k, seat = int(s["round"]), int(s["seat"])
        first = int(s["acts"][seat]) == 0
        if first:
            kept[seat] = view.action_to_string(rules, s, action) == "keep"
        core.play_at(rules, states, 0, action, legal, probs)
        if int(s["round"]) > k:
            found.append(_round(game.name, rules, s, k, kept, begun))
            kept, begun = [False, False], ply
    return found


def _round(game: str, rules: Any, s: Any, k: int, kept: list[bool], ply: int) -> Round:
    result = int(s["result"][k])
    own = {1: WON, 0: DREW, -1: LOST}[result]
    budgets = [sealed.budget_of.py_func(rules, seat) for seat in range(2)]
    costs = s["last_spent"].tolist()
    return Round(
        number=k + 1,
        plans=(_plan(game, rules, s, k, 0, kept[0]), _plan(game, rules, s, k, 1, kept[1])),
        score=(own, 1 - own),
        fought=int(s["why"][k]) == sealed.SIMULATED,
        end=int(s["end"][k]),
        spent=(costs[0] / budgets[0], costs[1] / budgets[1]),
        value=(games.value(game, rules, s, k, 0), games.value(game, rules, s, k, 1)),
        ply=ply,
    )


def _plan(game: str, rules: Any, s: Any, k: int, seat: int, kept: bool) -> Plan:
    flags = int(s["last_flags"][seat])
    data = games.plan_json(game, rules, s, seat)
    return Plan(
        items=games.items(game, data),
        cost=int(s["last_spent"][seat]),
        over=bool(flags & sealed.OVER),
        void=bool(flags & sealed.VOID),
        asked=bool(sealed.commits.py_func(rules, k, seat)),
        kept=kept,
        data=data,
    )
