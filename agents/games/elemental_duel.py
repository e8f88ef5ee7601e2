"""Players of the elemental duel: plans that people would make, edits of plans."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.ladders import Ladder
from stratagym.envs.elemental_duel.rules import FIRST_SKILL, KEEP, PER_FIGHTER
from stratagym.envs.elemental_duel.tables import CHOSEN, COSTS, ELEMENTS, FIGHTERS, NAMES, SKILLS
from stratagym.envs.sealed import ATTACKER, DEFENDER, budget_of

Entries = tuple[tuple[int, tuple[int, ...]], ...]
"""Fighters in order: own element, three skills of it."""


@njit(cache=True)
def fillers(rules, s, legal, n):
    """Anything but ``keep`` and ``void``: the budget is spent as it comes."""
    count = 0
    while count < n and legal[count] < KEEP:
        count += 1
    return count


def _plan(*fighters: str) -> tuple[str, ...]:
    """Micro-actions of fighters, each told by words that only one skill of an element has."""
    moves: list[str] = []
    for words in fighters:
        skills = [next(name for name in NAMES if word in name) for word in words.split()]
        moves.append(f"element {ELEMENTS[NAMES.index(skills[0]) // SKILLS]}")
        moves += [f"skill {name}" for name in skills]
    return tuple(moves)


PLAN_STEPS = (150, 150), (80, 80), (250, 200)
ORACLE_STEPS = 500, 500
"""How long the climbs of the frozen plans were; see ``plan_pools``."""
ARCHETYPES: dict[str, tuple[int, tuple[str, ...]]] = {
    "burn": (
        ATTACKER,
        _plan("whirlwind magma burst", "ice_branded whirlpool pierce", "ambush final siphon"),
    ),
    "brand": (
        ATTACKER,
        _plan(
            "ice_branded whirlpool water_barrier", "ambush final claw", "curtain magma whirlwind"
        ),
    ),
    "tide": (
        ATTACKER,
        _plan("pierce water_barrier tsunami", "curtain magma splash", "final ambush siphon"),
    ),
    "sanctuary": (
        DEFENDER,
        _plan("sanctuary faith glimmer", "granite shock rebound", "vine purification forest"),
    ),
    "armour": (
        DEFENDER,
        _plan("rock_armor shock granite", "sanctuary faith link", "vine purification forest"),
    ),
    "vines": (
        DEFENDER,
        _plan("vine seed purification", "shock quicksand rebound", "sword glimmer link"),
    ),
}
"""By name: the seat, and its plan as micro-actions in the view's words, within the budget."""


def entries_of(rules: Any, seat: int, actions: np.ndarray) -> Entries:
    """A plan's entries, of its micro-actions."""
    rows = actions.reshape(FIGHTERS, PER_FIGHTER).tolist()
    return tuple((row[0], tuple(skill - FIRST_SKILL for skill in row[1:])) for row in rows)


def actions_of(rules: Any, seat: int, entries: Entries) -> list[int]:
    """The micro-actions of entries."""
    return [
        action
        for element, skills in entries
        for action in (element, *(FIRST_SKILL + skill for skill in skills))
    ]


def edited(rules: Any, seat: int, entries: Entries, rng: random.Random) -> Entries:
    """One random edit of order or skills; what then costs too much gets cheaper skills."""
    fighters = [(element, list(skills)) for element, skills in entries]
    k, at = rng.randrange(FIGHTERS), rng.randrange(CHOSEN)
    skills = fighters[k][1]
    kind = rng.randrange(4)
    if kind == 0:
        fighters.insert(rng.randrange(FIGHTERS), fighters.pop(k))
    elif kind == 1:
        skills.insert(rng.randrange(CHOSEN), skills.pop(at))
    else:
        skills[at] = rng.choice([one for one in range(SKILLS) if one not in skills])
    costs = COSTS[rules.released].tolist()
    whole = budget_of.py_func(rules, seat)
    while sum(costs[skill] for _, chosen in fighters for skill in chosen) > whole:
        _, chosen = rng.choice(fighters)
        place = rng.randrange(CHOSEN)
        cheaper = [
            one for one in range(SKILLS) if one not in chosen and costs[one] < costs[chosen[place]]
        ]
        if cheaper:
            chosen[place] = rng.choice(cheaper)
    return tuple((element, tuple(skills)) for element, skills in fighters)


LADDER = Ladder(
    "elemental_duel/ladder-v1",
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
