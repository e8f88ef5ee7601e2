"""Players that try plans against plans: a sampled best response, and regret matching.

Plans are DumbBot's by several draws, most of them with some orders changed for any legal ones. One
plan of each power makes a *profile*; it is adjudicated, and the board after it is worth something
to every power.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from stratagym.agents.core import BatchPolicy, PolicyString
from stratagym.agents.games.diplomacy import dumbbot
from stratagym.agents.games.diplomacy.plans import (
    MEMORY,
    NODES,
    PLAN,
    VALUE,
    drawn_below,
    drawn_unit,
    plan_seed,
)
from stratagym.agents.games.diplomacy.players import DUMBBOT, evaluate
from stratagym.agents.kernel_policies import RULE, KernelPolicy
from stratagym.envs import core
from stratagym.envs.core import mix64
from stratagym.envs.diplomacy.options import STANDARD
from stratagym.envs.diplomacy.phases import count_assets, move_units
from stratagym.envs.diplomacy.rules import FRANCE, list_actions
from stratagym.envs.diplomacy.state import FALL, SPRING
from stratagym.envs.diplomacy.tables import (
    AREA_PROVINCE,
    ASKED_IN_ORDER,
    NUM_AREAS,
    NUM_POWERS,
    NUM_PROVINCES,
)

CENTRES_SHARE = 0.7
"""How much the centres count in the worth of a board; the places of units are the rest."""
_CHANGED = 3
"""One order in so many is changed."""
_SBR, _RM = 5, 6
"""What a plan's seed depends on besides the power's salt and the turn; see ``players.RULES``."""
_CHOICE, _ORDER, _SAMPLE = 4096, 8192, 1 << 20
"""Where the numbers of draws begin; DumbBot's are others of another seed."""


Room = tuple[np.ndarray, ...]
"""What the kernels work in, the arrays of ``new_room``."""


def new_room(rules: Any, most: int) -> Room:
    """Room for ``most`` plans of each power.

    Returns:
        states: (2,) records: the position, and a copy on which profiles are adjudicated.
        legal: a list of actions. memory: DumbBot's.
        plans: (7, N, 75) int16, the actions of plans by power and province. chosen: (7,) int64, a
            profile. weights: (7, nodes) int64. worth: (7,) float64.
        gains, regrets, average: (7, N) float64, by power and plan.
    """
    return (
        core.new_states(rules, 2),
        core.new_scratch(rules)[0],
        np.zeros(MEMORY, np.int64),
        np.zeros((NUM_POWERS, most, NUM_PROVINCES), np.int16),
        np.zeros(NUM_POWERS, np.int64),
        np.zeros((NUM_POWERS, NODES), np.int64),
        np.zeros(NUM_POWERS),
        *(np.zeros((NUM_POWERS, most)) for _ in range(3)),
    )


@njit(cache=True)
def draw_plans(rules, power, n, kept, seed, room):
    """Write ``n`` plans of a power to ``plans[power]``, the first ``kept`` of them unchanged."""
    states, legal, memory, plans, _, _, _, _, _, _ = room
    s = states[0]
    for k in range(n):
        drawn = mix64(seed ^ mix64(np.uint64((power + 1) * 65536 + k)))
        dumbbot.plan_moves(s, power, drawn, memory)
        for province in range(NUM_PROVINCES):
            if s.owner[province] != power:
                continue
            plans[power, k, province] = memory[PLAN + province]
            other = mix64(drawn)
            if k >= kept and drawn_below(other, _CHOICE + province, _CHANGED) == 0:
                m = list_actions(rules, s, province, power, legal, 0)
                action = legal[drawn_below(other, _ORDER + province, m)]
                plans[power, k, province] = action


@njit(cache=True)
def weigh_places(room):
    """Write to ``weights`` what DumbBot finds each node worth for every power, at least 0."""
    states, _, memory, _, _, weights, _, _, _, _ = room
    s = states[0]
    for power in range(NUM_POWERS):
        dumbbot.value_nodes(s, power, memory)
        for node in range(NODES):
            weights[power, node] = max(np.int64(0), memory[VALUE + node])


@njit(cache=True)
def try_profile(rules, room):
    """Adjudicate plan ``chosen[power]`` of each power on a copy; write ``worth``.

    A board is worth the share of squares, as if the game ended and units took the centres that
    they stand in, and the share of DumbBot's values of the places where units stand.
    """
    states, _, _, plans, chosen, weights, worth, _, _, _ = room
    states[1] = states[0]
    s = states[1]
    for province in range(NUM_PROVINCES):
        if s.unit[province]:
            power = np.int64(s.owner[province])
            s.order[province] = plans[power, chosen[power], province]
    move_units(s, rules.convoy, rules.paradox)
    evaluate(rules, s, worth)
    if rules.map != STANDARD:
        worth[FRANCE] = worth[1]
    total = 0.0
    for province in range(NUM_PROVINCES):
        if s.unit[province]:
            node = NUM_AREAS * np.int64(s.unit[province] - 1) + np.int64(s.area[province])
            total += weights[s.owner[province], node]
    for power in range(NUM_POWERS):
        worth[power] *= CENTRES_SHARE
    if total > 0.0:
        for province in range(NUM_PROVINCES):
            if s.unit[province]:
                power = np.int64(s.owner[province])
                node = NUM_AREAS * np.int64(s.unit[province] - 1) + np.int64(s.area[province])
                worth[power] += (1.0 - CENTRES_SHARE) * weights[power, node] / total


@njit(cache=True)
def best_response(rules, power, candidates, profiles, room):
    """The number of the own plan that is worth most against ``profiles`` of the others' plans."""
    states, _, _, _, chosen, _, worth, all_gains, _, _ = room
    gains = all_gains[power]
    seed = plan_seed(states[0], power, _SBR)
    weigh_places(room)
    for other in range(NUM_POWERS):
        if other == power:
            draw_plans(rules, other, candidates, 1, seed, room)
        else:
            draw_plans(rules, other, profiles, profiles, seed, room)
    best = np.int64(0)
    for k in range(candidates):
        gains[k] = 0.0
        for profile in range(profiles):
            for other in range(NUM_POWERS):
                chosen[other] = profile
            chosen[power] = k
            try_profile(rules, room)
            gains[k] += worth[power]
        if gains[k] > gains[best]:
            best = np.int64(k)
    return best


@njit(cache=True)
def _strategy(regrets, n, out):
    """Write the strategy in proportion to the regrets above 0, or the uniform one."""
    total = 0.0
    for k in range(n):
        total += max(0.0, regrets[k])
    for k in range(n):
        out[k] = max(0.0, regrets[k]) / total if total > 0.0 else 1.0 / n


@njit(cache=True)
def _drawn_from(strategy, n, at):
    """The number at which the sum of a strategy passes ``at`` of the whole."""
    whole = 0.0
    for k in range(n):
        whole += strategy[k]
    at *= whole
    for k in range(n):
        at -= strategy[k]
        if at < 0.0:
            return np.int64(k)
    return np.int64(n - 1)


@njit(cache=True)
def match_regrets(rules, power, candidates, iterations, room):
    """The number of the own plan drawn from the average strategy of regret matching.

    All living powers learn at the same time: in each iteration every one of them draws a plan by
    its regrets, and each of its plans is tried against the plans that the others have drawn.
    """
    states, _, _, _, chosen, _, worth, gains, regrets, average = room
    s = states[0]
    seed = plan_seed(s, power, _RM)
    weigh_places(room)
    for other in range(NUM_POWERS):
        draw_plans(rules, other, candidates, candidates // 2, seed, room)
        for k in range(candidates):
            regrets[other, k] = 0.0
            average[other, k] = 0.0
    for iteration in range(iterations):
        for other in range(NUM_POWERS):
            _strategy(regrets[other], candidates, gains[other])
            draw = _SAMPLE + iteration * NUM_POWERS + other
            chosen[other] = _drawn_from(gains[other], candidates, drawn_unit(seed, draw))
            for k in range(candidates):
                average[other, k] += gains[other, k]
        for other in range(NUM_POWERS):
            _, units = count_assets(s, other)
            if not units:
                continue
            own = chosen[other]
            for k in range(candidates):
                chosen[other] = k
                try_profile(rules, room)
                gains[other, k] = worth[other]
            chosen[other] = own
            for k in range(candidates):
                regrets[other, k] += gains[other, k] - gains[other, own]
    return _drawn_from(average[power], candidates, drawn_unit(seed, _SAMPLE - 1))


# --- the policies --------------------------------------------------------------------------------

_PUBLIC = "unit", "owner", "area", "centre_owner"
_MOST_PLANS, _MOST_TRIES = 256, 10_000


class Trying(BatchPolicy):
    """``sbr`` or ``rm``: a plan for all units of its power; outside movement it is DumbBot.

    A plan follows from what is public and from the power's own salt, so that it is the same at
    each order of a phase; it is made once and kept for the others.
    """

    def __init__(self, name: str, which: str, candidates: int, tries: int):
        self.name, self.candidates, self.tries = name, candidates, tries
        self._which = which
        self._dumbbot = KernelPolicy("dumbbot", RULE, DUMBBOT)
        self._room: tuple[Any, Room] | None = None
        self._plans: dict[tuple[Any, ...], np.ndarray] = {}

    def act_each(self, rules: Any, states: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        actions = self._dumbbot.act_each(rules, states, seeds)
        for i in np.flatnonzero(np.isin(states["season"], (SPRING, FALL)) & (states["talk"] == 0)):
            area = ASKED_IN_ORDER[rules.unit_order][states["place"][i]]
            actions[i] = self._plan(rules, states[i : i + 1])[AREA_PROVINCE[area]]
        return actions

    def _plan(self, rules: Any, states: np.ndarray) -> np.ndarray:
        """(75,) int16: the plan of the power that is asked."""
        s = states[0]
        power = int(s["power"])
        public = (s[field].tobytes() for field in _PUBLIC)
        key = (rules, power, int(s["turn"]), int(s["salt"][power]), *public)
        if key not in self._plans:
            if len(self._plans) >= _MOST_PLANS:
                self._plans.clear()
            self._plans[key] = self._find(rules, states, power)
        return self._plans[key]

    def _find(self, rules: Any, states: np.ndarray, power: int) -> np.ndarray:
        if self._room is None or self._room[0] != rules:
            most = max(self.candidates, self.tries if self._which == "sbr" else 0)
            self._room = rules, new_room(rules, most)
        room = self._room[1]
        own, plans = room[0], room[3]
        own[0] = states[0]
        kernel = best_response if self._which == "sbr" else match_regrets
        k = kernel(rules, power, self.candidates, self.tries, room)
        return plans[power, k].copy()


def trying(spec: core.GameSpec, text: PolicyString) -> Trying:
    """``sbr:24?profiles=8``, ``rm:16?iterations=128``: how many plans, and tries of them."""
    option, plans, tries = {"sbr": ("profiles", 24, 8), "rm": ("iterations", 16, 128)}[text.name]
    if unknown := sorted(text.options.keys() - {option}):
        raise ValueError(f"policy {text.name}: unknown option {unknown[0]!r}; it takes {option}")
    found = []
    for what, value, default in (
        ("plans", text.argument, plans),
        (option, text.options.get(option, ""), tries),
    ):
        value = value or str(default)
        if not value.isdecimal() or not 1 <= int(value) <= _MOST_TRIES:
            raise ValueError(
                f"policy {text.name}: {what} {value!r}: a whole number from 1 to {_MOST_TRIES} "
                f"is needed, as in {text.name}:{plans}?{option}={tries}"
            )
        found.append(int(value))
    return Trying(str(text), text.name, *found)
