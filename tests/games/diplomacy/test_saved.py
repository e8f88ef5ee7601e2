"""Saved games of Diplomacy in the format of the PyPI package ``diplomacy``, which reads and plays
them again."""

from __future__ import annotations

import copy
import json
import random
import re

import diplomacy_package as package
import pytest
from diplomacy_boards import random_game

from stratagym.envs import spec
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import saved

GAME = spec("diplomacy")
PLACES = "units", "retreats", "centers", "homes", "builds", "civil_disorder"


def sorted_lists(value):
    if isinstance(value, dict):
        return {key: sorted_lists(one) for key, one in value.items()}
    return sorted(value) if isinstance(value, list) else value


def retreats_to_coasts(phase):
    """The provinces to a named coast of which a fleet was ordered to retreat: BUL of BUL/EC."""
    orders = [one for own in phase["orders"].values() for one in own or ()]
    return {one.split()[-1][:3] for one in orders if " R " in one and "/" in one.split()[-1]}


def held(influence, left_out):
    """Influence outside home centres: in the package a unit that is built gains none there.

    And outside ``left_out``: a fleet that retreats to BUL/EC gains that there, not BUL, which then
    stays with whoever had it.
    """
    left_out = left_out | {one.short for one in g.PROVINCES if one.home >= 0}
    return {
        power: sorted(one for one in own if one[:3] not in left_out)
        for power, own in influence.items()
    }


def through_json(found):
    return json.loads(json.dumps(found))


@pytest.mark.parametrize("options", [{}, {"map": "france_austria"}, {"convoy": "fallback"}])
def test_a_game_is_read_as_it_was_written(options, seed):
    rules = GAME.make_rules(years=5, **options)
    actions = random_game(rules, seed)
    found = saved.read_game(rules, through_json(saved.from_game(rules, actions)))
    assert found.actions == actions and not found.refused


def test_messages_stand_in_the_phase_in_which_they_were_said():
    rules = GAME.make_rules(rounds=1, years=1)
    actions = random_game(rules, 1)
    said = [
        {"ply": 2, "seat": 2, "to": [3], "text": "Peace?"},
        {"ply": 3, "seat": 3, "to": [0, 1, 2, 4, 5, 6], "text": "War!"},
        {"ply": len(actions) - 1, "seat": 0, "to": [1, 4], "text": "Bye."},
    ]
    found = saved.from_game(rules, actions, messages=said)
    first, *_, last = (one["messages"] for one in found["phases"] if one["messages"])
    assert [(m["sender"], m["recipient"], m["phase"], m["message"]) for m in first] == [
        ("FRANCE", "GERMANY", "S1901M", "Peace?"),
        ("GERMANY", "GLOBAL", "S1901M", "War!"),
    ]
    assert [m["recipient"] for m in last] == ["ENGLAND", "ITALY"]
    assert [m["time_sent"] for one in found["phases"] for m in one["messages"]] == [0, 1, 2, 3]


def change(path, value):
    def made(one):
        *way, last = path
        for key in way:
            one = one[key]
        one[last] = value

    return made


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (change(["map"], "moon"), "map 'moon': choose one of: standard, standard_france_austria"),
        (change(["map"], "standard_france_austria"), "these rules have 'standard'"),
        (change(["phases"], {}), "phases: a list of at least one phase is needed"),
        (change(["phases", 1], 5), "phase number 1: it has no name"),
        (change(["phases", 1, "name"], "X1901M"), "phase number 1: phase 'X1901M': a name such"),
        (change(["phases", 1, "name"], "F1905M"), r"phase F1905M \(number 1\): by these rules"),
        (change(["phases", 0, "orders"], []), r"S1901M \(number 0\): orders: an object"),
        (change(["phases", 0, "orders", "FRANCE"], "A"), "orders: FRANCE: a list of texts"),
        (change(["phases", 0, "orders", "SPAIN"], []), "'SPAIN' is no power"),
        (change(["phases", 0, "state"], None), r"S1901M \(number 0\): state.units: an object"),
        (change(["phases", 0, "state", "units", "FRANCE"], ["A PAR", "F BRE"]),
         r"units of FRANCE: the position by these rules has A MAR, the file has not"),
        (change(["phases", 0, "state", "centers", "ITALY"], ["MUN", "NAP", "ROM", "VEN"]),
         r"phase S1901M \(number 0\): centers of ITALY: the file has MUN"),
        (change(["phases", 0, "orders", "FRANCE"], ["A PAR - BUR"]), r"F1901M \(number 1\): units"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_one_line(change, words):
    rules = GAME.make_rules(years=1)
    found = saved.from_game(rules, random_game(rules, 5))
    broken = copy.deepcopy(found)
    change(broken)
    with pytest.raises(ValueError, match=words) as error:
        saved.read_game(rules, broken)
    assert "\n" not in str(error.value)


# --- with the package ----------------------------------------------------------------------------

# Its known faults concern convoys and the coasts that supports name, so that there are no convoys
# in these games, and no supports of fleets to where there are two coasts.
FAULTY = re.compile(r"VIA$| C | S F .* - (BUL|SPA|STP)")


def compare_what_the_package_reads(rules, seed):
    """It reads our file; and a game of its own by our orders begins each phase in our state."""
    from diplomacy import Game
    from diplomacy.utils.export import from_saved_game_format

    ours = through_json(saved.from_game(rules, random_game(rules, seed, convoys=False)))
    read = from_saved_game_format(ours)
    history = [*read.get_phase_history(), read.get_phase_data()]
    assert [one.name for one in history] == [phase["name"] for phase in ours["phases"]]
    game, left_out = Game(), set()
    for phase, theirs in zip(ours["phases"][:-1], history, strict=False):
        state = sorted_lists(phase["state"])
        assert theirs.state == phase["state"] and theirs.orders == phase["orders"]
        found = sorted_lists(game.get_state())
        assert {key: found[key] for key in PLACES} == {key: state[key] for key in PLACES}
        assert held(found["influence"], left_out) == held(state["influence"], left_out)
        left_out |= retreats_to_coasts(phase)
        for power, orders in phase["orders"].items():
            game.set_orders(power, orders)
        game.process()
        # What is void and what is cut the package tells otherwise in places.
        for unit, words in phase["results"].items():
            same = {"bounce", "dislodged"}
            assert set(words) & same == package.outcomes(game)[unit] & same


def compare_what_the_package_wrote(seed, years):
    """A random game of the package is read, and our file of it has the same phases."""
    from diplomacy import Game
    from diplomacy.utils.export import to_saved_game_format

    rng, game = random.Random(seed), Game()
    while not game.is_game_done and int(game.get_current_phase()[1:5]) < 1901 + years:
        possible = {
            place: sorted(one for one in orders if not FAULTY.search(one))
            for place, orders in game.get_all_possible_orders().items()
        }
        for power in sorted(game.powers):
            places = [place for place in game.get_orderable_locations(power) if possible[place]]
            orders = [rng.choice(possible[place]) for place in places]
            game.set_orders(power, rng.choice([orders, orders, orders[1:]]))
        game.process()
    theirs = through_json(to_saved_game_format(game))
    rules = GAME.make_rules(**saved.options(theirs), convoy="fallback")
    found = saved.read_game(rules, theirs)
    ours, left_out = saved.from_game(rules, found.actions)["phases"], set()
    for one, other in zip(ours, theirs["phases"], strict=True):
        assert one["name"] == other["name"]
        for key in ("units", "retreats", "centers"):
            assert sorted_lists(one["state"][key]) == sorted_lists(other["state"][key]), one["name"]
        expected = held(other["state"]["influence"], left_out)
        assert held(one["state"]["influence"], left_out) == expected
        left_out |= retreats_to_coasts(other)


def needs_package():
    pytest.importorskip("diplomacy", reason="the PyPI package diplomacy is not installed")


@pytest.mark.oracle
def test_the_package_reads_and_plays_our_games(seed):
    needs_package()
    rules = GAME.make_rules(convoy="fallback", win=34, years=4)
    for k in range(3):
        compare_what_the_package_reads(rules, [seed, k])


@pytest.mark.oracle
def test_games_of_the_package_are_read(seed):
    needs_package()
    for k in range(3):
        compare_what_the_package_wrote(seed + k, 4)


@pytest.mark.oracle
@pytest.mark.slow
def test_fifty_games_both_ways(seed):
    needs_package()
    rules = GAME.make_rules(convoy="fallback", win=34, years=8)
    for k in range(25):
        compare_what_the_package_reads(rules, [seed, k])
        compare_what_the_package_wrote(seed + k, 8)
