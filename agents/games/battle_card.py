"""Players of battle card: what a filler buys, plans that people would make, edits of plans."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.ladders import Ladder
from stratagym.envs.battle_card.battle import MOST_UNITS
from stratagym.envs.battle_card.rules import DONE, GOLDEN, KEEP, PREFER, cost_of
from stratagym.envs.battle_card.tables import UNITS
from stratagym.envs.sealed import ATTACKER, DEFENDER, budget_of

PREFERRED = 3
"""Priorities that a filler names."""
Entries = tuple[tuple[tuple[int, int], ...], tuple[int, ...]]
"""(unit, whether gold) from left to right, and enemy units in the order of priority."""


@njit(cache=True)
def fillers(rules, s, legal, n):
    """Units while one fits, then ``PREFERRED`` priorities, then ``done``."""
    count = 0
    while count < n and legal[count] < PREFER:
        count += 1
    if count > 0:
        return count
    first = 0
    for k in range(n):
        if legal[k] < KEEP and s.priority_n[s.seat] < PREFERRED:
            legal[first] = legal[k]
            first += 1
    if first == 0:
        legal[0] = DONE
        first = 1
    return first


def _buys(*units: str) -> tuple[str, ...]:
    return (*(f"buy {unit} bronze" for unit in units), "done")


PLAN_STEPS = (150, 150), (600, 150), (1200, 600)
ORACLE_STEPS = 1000, 250
"""How long the climbs of the frozen plans were; see ``plan_pools``."""
ARCHETYPES: dict[str, tuple[int, tuple[str, ...]]] = {
    "bandits": (ATTACKER, _buys(*["BanditLeader"] * 5, *["PoisonFrog"] * 2)),
    "phoenix": (ATTACKER, _buys(*["Phoenix"] * 3, "BanditLeader", "PoisonFrog")),
    "shields": (ATTACKER, _buys(*["TideGuardian"] * 5, "BanditLeader")),
    "treants": (
        DEFENDER,
        _buys("StoneWarrior", "AncientTreant", "RockBeetle", "BlackRock", "AncientTreant"),
    ),
    "kings": (DEFENDER, _buys("RockBeetle", "King", "King", "AncientTreant")),
    "stone": (DEFENDER, _buys(*["StoneWarrior"] * 7)),
    "elite": (
        DEFENDER,
        _buys(
            "EliteSoldier", "Paladin", "EliteSoldier", "Paladin", "EliteSoldier", "RockBeetle",
            "Paladin",
        ),
    ),
}  # fmt: skip
"""By name: the seat, and its plan as micro-actions in the view's words, within the budget."""


def entries_of(rules: Any, seat: int, actions: np.ndarray) -> Entries:
    """A plan's entries, of its micro-actions."""
    units = tuple((a % UNITS, int(a >= GOLDEN)) for a in actions.tolist() if a < PREFER)
    return units, tuple(a - PREFER for a in actions.tolist() if PREFER <= a < KEEP)


def actions_of(rules: Any, seat: int, entries: Entries) -> list[int]:
    """The micro-actions of entries."""
    units, first = entries
    bought = [unit + GOLDEN * gold for unit, gold in units]
    return [*bought, *(PREFER + unit for unit in first), DONE]


def edited(rules: Any, seat: int, entries: Entries, rng: random.Random) -> Entries:
    """One random edit; what then costs too much or is too many is dropped at random."""
    units, first = list(entries[0]), list(entries[1])
    any_unit = rng.randrange(UNITS), int(rng.random() < 0.15)
    at = rng.randrange(len(units))
    kind = rng.randrange(6)
    if kind == 0:
        units.insert(rng.randrange(len(units) + 1), any_unit)
    elif kind == 1 and len(units) > 1:
        del units[at]
    elif kind == 2:
        units[at] = any_unit
    elif kind == 3:
        units.insert(rng.randrange(len(units)), units.pop(at))
    elif kind == 4:
        units[at] = (units[at][0], 1 - units[at][1])
    else:
        unit = rng.randrange(UNITS)
        if unit in first:
            first.remove(unit)
        if rng.random() < 0.7:
            first.insert(rng.randrange(len(first) + 1), unit)
    whole = budget_of.py_func(rules, seat)

    def cost() -> int:
        return sum(int(cost_of.py_func(rules, seat, unit, gold)) for unit, gold in units)

    while len(units) > MOST_UNITS or cost() > whole:
        del units[rng.randrange(len(units))]
    return (tuple(units), tuple(first)) if units else entries


LADDER = Ladder(
    "battle_card/ladder-v1",
    (
        ("random",),
        ("plan:level?k=1",),
        ("plan:level?k=2",),
        ("plan:level?k=3",),
        ("plan:level?k=4",),
        ("plan:level?k=5",),
    ),
    {"rounds": 5},  # the last level answers what it has seen
)
