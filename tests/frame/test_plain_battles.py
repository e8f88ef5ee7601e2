"""Games of sealed plans against their plain second implementations, options included."""

from __future__ import annotations

import os

import numpy as np
import pytest
from plain_battle_card import battle
from plain_elemental_duel import duel
from plain_tower_defence import tower_battle

from stratagym.envs import core, spec
from stratagym.envs.battle_card.tables import NAMES as UNITS
from stratagym.envs.elemental_duel.tables import ELEMENTS
from stratagym.envs.elemental_duel.tables import NAMES as SKILLS
from stratagym.envs.tower_defence.units import COLUMNS, STEP_MS, names

LARGE = {"attacker_budget": 80, "defender_budget": 80}
CARD = [
    {},
    {"elements": "off"},
    {"excess": "once"},
    {"setting": "released"},
    {"setting": "released", "elements": "off", "excess": "once"},
    LARGE,
    {**LARGE, "burn": "shield"},
    {**LARGE, "setting": "released"},
]
DUEL = [
    {},
    {"target": "weakest"},
    {"fear": "self"},
    {"setting": "released"},
    {"setting": "released", "target": "weakest", "fear": "self"},
    {"rebound": "nothing"},
]
TOWER = [
    {},
    {"fuse": "placed"},
    {"anti_air": "row"},
    {"shots": "block"},
    {"setting": "released"},
    {"fuse": "placed", "anti_air": "row", "shots": "block"},
    {"attacker_budget": 3000, "defender_budget": 8000},
]


def card_sides(s):
    """Both plans of a record as the plain battle takes them."""
    for seat in range(2):
        plan = s["last_plan"][seat][: s["last_n"][seat]].tolist()
        first = s["last_priority"][seat][: s["last_priority_n"][seat]].tolist()
        yield [(UNITS[11 * seat + unit], bool(gold)) for unit, gold in plan]
        yield [UNITS[11 * (1 - seat) + unit] for unit in first]


def plain_card(s, options):
    return battle(
        *card_sides(s),
        elements=options.get("elements") != "off",
        chain=options.get("excess") != "once",
        burn_hits=options.get("burn") == "shield",
        released=options.get("setting") == "released",
    )


def duel_sides(s):
    """Both plans of a record as the plain duel takes them."""
    for seat in range(2):
        yield [
            (
                ELEMENTS[3 * seat + element],
                [SKILLS[18 * seat + 6 * element + skill] for skill in chosen],
            )
            for element, *chosen in s["last_plan"][seat].tolist()
        ]


def plain_duel(s, options):
    return duel(
        *duel_sides(s),
        weakest=options.get("target") == "weakest",
        fear_self=options.get("fear") == "self",
        rebound_nothing=options.get("rebound") == "nothing",
        released=options.get("setting") == "released",
    )


def plain_tower(s, options):
    plans = [s["last_plan"][seat][: s["last_n"][seat]].tolist() for seat in range(2)]
    demons = [(names(0)[unit], row, STEP_MS * time) for unit, row, time in plans[0]]
    units = [
        (names(1)[unit], cell % COLUMNS, cell // COLUMNS, STEP_MS * time)
        for unit, cell, time in plans[1]
    ]
    return tower_battle(
        demons,
        units,
        placed=options.get("fuse") == "placed",
        own_row=options.get("anti_air") == "row",
        block=options.get("shots") == "block",
        released=options.get("setting") == "released",
    )


def compare(name, plain, options, pairs, seed):
    """Winner, end and what is left of random plans, by the kernel and by the plain rules."""
    rules = spec(name).make_rules(**options)
    states, scratch = core.new_states(rules), core.new_scratch(rules)
    wrong = []
    for k in range(pairs):
        one = np.uint64(core.derive_seed(np.uint64(seed), np.uint64(k)))
        core.random_games(rules, states, *scratch, one, 1)
        s = states[0]
        won = "attacker" if s["result"][0] > 0 else "defender"
        kernel = (won, int(s["end"][0]), tuple(s["left"][0].tolist()))
        if kernel != (told := plain(s, options)):
            wrong.append((k, kernel, told))
    assert not wrong, (seed, len(wrong), wrong[:3])


CASES = [
    *[("battle_card", plain_card, options) for options in CARD],
    *[("elemental_duel", plain_duel, options) for options in DUEL],
    *[("tower_defence", plain_tower, options) for options in TOWER],
]
IDS = [f"{name}-{'-'.join(map(str, options.values()))}" for name, _, options in CASES]


@pytest.mark.parametrize(("name", "plain", "options"), CASES, ids=IDS)
def test_random_plans_end_as_by_the_plain_rules(name, plain, options, seed):
    compare(name, plain, options, 20 if name == "tower_defence" else 300, seed % 2**63)


MANY = int(os.environ.get("STRATAGYM_BATTLES", "0"))
"""Battles under each set of options; 0 for 2,000, and 200 of tower defence, whose plain rules take
10 ms each."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "plain", "options"), CASES, ids=IDS)
def test_many_random_plans_end_as_by_the_plain_rules(name, plain, options, seed):
    usual = 200 if name == "tower_defence" else 2000
    compare(name, plain, options, MANY or usual, seed % 2**63)
