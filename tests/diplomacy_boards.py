"""Boards to test Diplomacy with, drawn at random."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stratagym.envs import core, spec
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import judging, metrics, notation
from stratagym.envs.diplomacy.listing import CONVOY, FIRST_COAST, FIRST_SEA, MOVE, REACHED, VIA
from stratagym.envs.diplomacy.orders import TARGET, THIRD
from stratagym.envs.diplomacy.positions import set_position
from stratagym.envs.diplomacy.tables import ARMY, ASKED_IN_ORDER, ORDERS


def start(rules: Any) -> np.ndarray:
    """A state (1,) at the beginning of a game."""
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(0), core.new_scratch(rules)[1])
    return states


def random_units(rng: np.random.Generator, n: int, at_sea: float) -> dict[str, list[str]]:
    """Some powers' units on random provinces, of which a share is at sea."""
    seas = rng.permutation(np.arange(FIRST_SEA, FIRST_COAST))[: round(n * at_sea)]
    rest = rng.permutation(np.r_[0:FIRST_SEA, FIRST_COAST : len(g.PROVINCES)])[: n - len(seas)]
    powers = rng.choice(g.POWERS, int(rng.integers(2, 8)), replace=False)
    found: dict[str, list[str]] = {str(power): [] for power in powers}
    for province in [*seas, *rest]:
        areas = [area for area in g.areas_of(int(province)) if g.FLEET_TO[area]]
        armies = g.ARMY_TO[g.MAIN_AREA[province]]
        is_army = bool(armies) and (not areas or rng.random() < 0.65)
        area = g.MAIN_AREA[province] if is_army else int(rng.choice(areas))
        found[str(rng.choice(powers))].append(f"{'A' if is_army else 'F'} {g.AREAS[area]}")
    return {power: own for power, own in found.items() if own}


def random_board(
    rules: Any, rng: np.random.Generator, convoys: bool
) -> tuple[np.ndarray, dict[int, int]]:
    """A position and a legal action for every unit, by province.

    Under ``convoys`` fleets like to convoy, armies to go where they are convoyed, and the others to
    attack the fleets that do, and to support that.
    """
    n = int(rng.integers(8, 29))
    return _board(rules, rng, random_units(rng, n, 0.5 if convoys else 0.2), convoys)


def _board(
    rules: Any, rng: np.random.Generator, own: dict[str, list[str]], convoys: bool
) -> tuple[np.ndarray, dict[int, int]]:
    states = set_position(rules, "S1901M", own)
    s = states[0]
    legal = {int(p): notation.legal_orders(rules, s, p) for p in np.flatnonzero(s["unit"])}
    chosen: dict[int, int] = {}
    if convoys:
        _plan_convoys(s, rng, legal, chosen)
    for province, actions in legal.items():
        if province not in chosen:
            chosen[province] = int(rng.choice(actions))
    return states, chosen


def _plan_convoys(
    s: Any, rng: np.random.Generator, legal: dict[int, list[int]], chosen: dict[int, int]
) -> None:
    orders = {p: [int(ORDERS[a]) for a in actions] for p, actions in legal.items()}
    for army in rng.permutation([p for p in legal if s["unit"][p] == ARMY]).tolist():
        ways = [k for k, order in enumerate(orders[army]) if order & 255 == VIA]
        if army in chosen or not ways or rng.random() < 0.2:
            continue
        k = int(rng.choice(ways))
        chosen[army] = legal[army][k]
        target = orders[army][k] >> TARGET & 127
        for fleet in legal:
            for action, order in zip(legal[fleet], orders[fleet], strict=True):
                asked = order & 255 == CONVOY and order >> TARGET & 127 == target
                if asked and order >> THIRD & 127 == army and fleet not in chosen:
                    chosen[fleet] = action
    convoying = {p for p, action in chosen.items() if ORDERS[action] & 255 == CONVOY}
    for province in legal:
        aimed = [
            action
            for action, order in zip(legal[province], orders[province], strict=True)
            if order & 255 != CONVOY and order >> TARGET & 127 in convoying and order & 255 >= MOVE
        ]
        if province not in chosen and aimed and rng.random() < 0.7:
            chosen[province] = int(rng.choice(aimed))


def crowded_board(
    rules: Any, rng: np.random.Generator, n: int, convoys: bool
) -> tuple[np.ndarray, dict[int, int]]:
    """As ``random_board``, of ``n`` units of three powers that stand close to each other."""
    near = [int(rng.integers(FIRST_SEA, FIRST_COAST))]
    while len(near) < n:
        beside = {q for p in near for q in REACHED[p]} - set(near)
        near.append(int(rng.choice(sorted(beside))))
    own: dict[str, list[str]] = {}
    for province in near:
        areas = [area for area in g.areas_of(province) if g.FLEET_TO[area]]
        is_army = province < FIRST_SEA or (province >= FIRST_COAST and rng.random() < 0.6)
        area = g.MAIN_AREA[province] if is_army else int(rng.choice(areas))
        power = str(rng.choice(["ENGLAND", "FRANCE", "TURKEY"]))
        own.setdefault(power, []).append(f"{'A' if is_army else 'F'} {g.AREAS[area]}")
    return _board(rules, rng, own, convoys)


def play_board(rules: Any, states: np.ndarray, chosen: Mapping[int, int]) -> None:
    """Give every unit its action."""
    turn = int(states["turn"][0])
    while states["turn"][0] == turn and not states["over"][0]:
        area = ASKED_IN_ORDER[rules.unit_order][states["place"][0]]
        action = chosen[g.AREA_PROVINCE[area]]
        notation.play(rules, states, action)


def random_game(rules, seed, convoys=True):
    """The actions of a game; without ``convoys`` none is ordered."""
    states, actions = start(rules), []
    legal, probs = core.new_scratch(rules)
    rng = np.random.default_rng(seed)
    while not states["over"][0]:
        n = core.legal_actions_at(rules, states, 0, legal)
        kinds = ORDERS[legal[:n]] & 255
        allowed = legal[:n] if convoys else legal[:n][(kinds != VIA) & (kinds != CONVOY)]
        actions.append(int(rng.choice(allowed)))
        core.play_at(rules, states, 0, actions[-1], legal, probs)
    return actions


def movement(
    units: Mapping[str, list[str]], orders: Mapping[str, list[str]], rules: Any = None
) -> metrics.Movement:
    """The one movement phase of a board of our own."""
    rules = rules or spec("diplomacy").make_rules()
    states = set_position(rules, "S1901M", units)
    before = states.copy()
    played: list[int] = []
    assert not judging.give_orders(rules, states, orders, played=played)
    given = {}
    for action in played:
        given[int(metrics.ORDERS[action]) >> metrics.UNIT & 127] = int(action)
    result = states["result"][0]
    done = {place: int(result[place]) & ~metrics.DISLODGED for place in given}
    gone = frozenset(place for place in given if result[place] & metrics.DISLODGED)
    return metrics.Movement("S1901M", 0, before, states, given, done, gone)
