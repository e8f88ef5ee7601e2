"""Diplomacy against the DATC's cases, recorded boards, and all assignments of small boards."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import diplomacy_boards as boards
import plain_diplomacy as plain
import pytest

from stratagym.envs import spec
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import judging, notation
from stratagym.envs.diplomacy.listing import HOLD, MOVE, SUPPORT_HOLD, SUPPORT_MOVE, VIA
from stratagym.envs.diplomacy.orders import TARGET, THIRD
from stratagym.envs.diplomacy.positions import phase_name, set_position
from stratagym.envs.diplomacy.state import CONVOYED, GIVEN, MOVED
from stratagym.envs.diplomacy.submissions import civil_disorder
from stratagym.envs.diplomacy.tables import ORDERS

GAME = spec("diplomacy")
CASES = Path(__file__).parent / "datc.txt"


@dataclass
class Phase:
    """A phase of a case, as ``datc.txt`` tells it."""

    name: str
    units: dict[str, list[str]] = field(default_factory=dict)
    orders: dict[str, list[str]] = field(default_factory=dict)
    expected: dict[str, str] = field(default_factory=dict)
    fallback: dict[str, str] = field(default_factory=dict)
    retreats: dict[str, list[str]] = field(default_factory=dict)
    centres: dict[str, list[str]] = field(default_factory=dict)
    after: dict[str, list[str]] | None = None


def split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def read_cases() -> tuple[dict[str, list[Phase]], dict[str, tuple[str, ...]]]:
    """Cases by number, and the lines about civil disorder by theirs."""
    cases, civil = {}, {}
    for line in CASES.read_text(encoding="utf-8").splitlines():
        head, _, rest = line.partition(": ")
        first, _, last = head.partition(" ")
        if not line or line.startswith("#"):
            continue
        if first == "civil":
            number, power = last.split()
            civil[number] = (power, *(part.strip() for part in rest.split("|")))
        elif re.match(r"6\.", line):
            phases = cases[first] = []
        elif re.fullmatch(r"[SFW]\d{4}[MRA]", line):
            phases.append(Phase(line))
        elif first in ("=", "~"):
            found = dict(entry.rsplit(" ", 1) for entry in split(line[2:]))
            (phases[-1].expected if first == "=" else phases[-1].fallback).update(found)
        elif first == ">":
            phases[-1].retreats[last] = [] if rest == "gone" else rest.split()
        elif first == "centres":
            phases[-1].centres[last] = rest.split()
        elif first == "after":
            phases[-1].after = {**(phases[-1].after or {}), **({last: split(rest)} if rest else {})}
        else:
            units, _, orders = line.partition(":")[2].partition("|")
            phases[-1].units[head.rstrip(":")] = split(units)
            phases[-1].orders[head.rstrip(":")] = split(orders)
    return cases, civil


DATC, CIVIL = read_cases()


def test_all_cases_are_there():
    assert len(DATC) == 166
    assert len(CIVIL) == 10


def play_case(rules, phases):
    """Play a case; yields each phase, what was refused in it, and the state after it."""
    states = None
    for phase in phases:
        if states is None or phase_name(states[0]) != phase.name:
            assert states is None or phase.name[-1] != "R", (phase_name(states[0]), phase.name)
            states = set_position(rules, phase.name, phase.units, phase.centres or None)
        refused = judging.give_orders(rules, states, phase.orders, civil_disorder="2000")
        yield phase, refused, states


@pytest.mark.parametrize("convoy", ["ordered", "fallback"])
@pytest.mark.parametrize("number", DATC)
def test_datc(number, convoy):
    rules = GAME.make_rules(convoy=convoy)
    for phase, refused, states in play_case(rules, DATC[number]):
        if phase.expected:
            expected = phase.expected | (phase.fallback if convoy == "fallback" else {})
            found = judging.results(states)
            for text, reason in refused.items():
                if reason == "void_coast":  # it holds, and what it was to support is not supported
                    unit = text.partition(" S ")[0]
                    assert found[unit] == "holds"
                    found[unit] = "void"
            assert found == expected
            if phase.retreats:  # those of the cases of 3.1 are not told
                possible = {unit: sorted(areas) for unit, areas in phase.retreats.items() if areas}
                assert judging.retreats_of(rules, states) == possible
        if phase.after is not None:
            found = judging.units_on(states)
            assert found == {power: sorted(own) for power, own in phase.after.items()}


@pytest.mark.parametrize("number", CIVIL)
def test_datc_civil_disorder(number):
    power, centres, units, removed = CIVIL[number]
    rules = GAME.make_rules()
    states = set_position(rules, "W1901A", {power: split(units)}, {power: centres.split()})
    found = civil_disorder(states[0], g.POWERS.index(power))[: len(split(removed))]
    assert [notation.unit_in(states[0], province) for province in found] == split(removed)


def test_datc_paradoxes_by_the_rule_book_of_2000():
    """Positions differ from Szykman's in one case, as the DATC says of that rule book."""
    rules, other = GAME.make_rules(), GAME.make_rules(paradox="2000")
    differ = set()
    for number, phases in DATC.items():
        for (_, _, one), (_, _, two) in zip(
            play_case(rules, phases), play_case(other, phases), strict=True
        ):
            if judging.units_on(one) != judging.units_on(two):
                differ.add(number)
                assert judging.results(two)["A BRE"] == "moves"
                assert judging.results(two)["F LON"].endswith("+dislodged")
            if number in differ:
                break
    assert differ == {"6.F.17"}


# --- recorded boards -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["random_boards", "package_differences"])
def test_recorded_boards(name, shared_data):
    file = shared_data / "diplomacy" / f"{name}.jsonl"
    if not file.is_file():
        pytest.skip(f"{file} is not there")
    rules, kinds = GAME.make_rules(convoy="fallback"), Counter()
    for line in file.read_text(encoding="utf-8").splitlines():
        board = json.loads(line)
        states = set_position(rules, "S1901M", board["units"])
        orders = {
            power: [board["orders"][unit] for unit in own] for power, own in board["units"].items()
        }
        judging.give_orders(rules, states, orders)
        assert judging.results(states) == board["expect"], board
        kinds[board["kind"]] += 1
    assert kinds.total() == {"random_boards": 426, "package_differences": 15}[name]


def test_numbers_of_actions_are_deepminds(shared_data):
    file = shared_data / "diplomacy" / "deepmind_actions.json"
    if not file.is_file():
        pytest.skip(f"{file} is not there")
    assert json.loads(file.read_text(encoding="utf-8"))["actions"] == ORDERS.tolist()


# --- all assignments -----------------------------------------------------------------------------


def plain_board(states, chosen):
    """A board and orders for the plain adjudication."""
    verbs = {HOLD: plain.HOLD, MOVE: plain.MOVE, VIA: plain.VIA,
             SUPPORT_HOLD: plain.SUPPORT, SUPPORT_MOVE: plain.SUPPORT}  # fmt: skip
    found = {}
    for province, action in chosen.items():
        order = int(ORDERS[action])
        target, third = order >> TARGET & 127, order >> THIRD & 127
        kind = order & 255
        of = target if kind == SUPPORT_HOLD else third
        names = [] if kind == HOLD else [g.PROVINCES[target].short, g.PROVINCES[of].short]
        power = int(states["owner"][0, province])
        verb = verbs.get(kind, plain.CONVOY)
        found[g.PROVINCES[province].short] = plain.Unit(power, verb, *names)
    return found


def test_small_boards_by_all_assignments(rng):
    """One consistent assignment: that is ours. Several without convoys: ours is one of them.

    None, or several with convoys, is a paradox, of which the conditions say nothing.
    """
    rules, many = GAME.make_rules(), Counter()
    for k in range(150):
        states, chosen = boards.crowded_board(rules, rng, 9, convoys=k % 2 == 1)
        board = plain_board(states, chosen)
        solved = list(plain.solutions(board))
        many[len(solved)] += 1
        boards.play_board(rules, states, chosen)
        result = states["result"][0]
        ours = {
            g.PROVINCES[p].short: int(result[p]) & 15 in (MOVED, GIVEN, CONVOYED) for p in chosen
        }
        if len(solved) == 1 or not any(unit.verb == plain.CONVOY for unit in board.values()):
            assert ours in solved, board
    assert many[1] > 100
