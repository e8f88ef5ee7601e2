"""Diplomacy against the PyPI package ``diplomacy``: fresh random boards and whole games."""

from __future__ import annotations

from collections import Counter

import diplomacy_boards as boards
import diplomacy_package as package
import numpy as np
import pytest

from stratagym.envs import core, spec
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import judging, notation
from stratagym.envs.diplomacy.positions import phase_name
from stratagym.envs.diplomacy.state import FALL_RETREATS, SPRING_RETREATS

pytest.importorskip("diplomacy", reason="the PyPI package diplomacy is not installed")
GAME = spec("diplomacy")
MOST_FAULTS = 0.04
"""The share of boards on which the package's known faults may show."""


def their_retreats(game):
    return {
        unit.lstrip("*"): sorted(areas)
        for power in game.powers.values()
        for unit, areas in power.retreats.items()
        if areas
    }


def same_retreats(ours, theirs, by_convoy):
    """Another fault of theirs: a convoyed army's victims may retreat to contested provinces."""
    return ours.keys() <= theirs.keys() and all(
        ours.get(unit) == areas or (unit in by_convoy and set(ours.get(unit, ())) <= set(areas))
        for unit, areas in theirs.items()
    )


def their_units(game):
    found = {
        name: sorted(unit for unit in power.units if not unit.startswith("*"))
        for name, power in game.powers.items()
    }
    return {name: own for name, own in found.items() if own}


def attacked_by_convoy(orders):
    """The provinces that convoyed armies go to."""
    return {order.split()[3][:3] for order in orders if order.endswith("VIA")}


def by_unit(orders):
    return {" ".join(order.split()[:2]): order for order in orders}


def same_after(rules, states, game, orders, owners):
    """Whether both tell the same of a movement phase: units, who is dislodged, retreats.

    False where one of the package's known faults explains a difference; another is an error.
    """
    ours, theirs = judging.results(states), package.outcomes(game)
    driven = {unit for unit, told in ours.items() if told.endswith("+dislodged")}
    same = judging.units_on(states) == their_units(game)
    same = same and driven == {unit for unit, told in theirs.items() if "dislodged" in told}
    if not same:
        known = package.is_known_fault(ours, theirs)
        assert known or package.is_support_by_the_attacked(orders, owners), orders
        return False
    if states["season"][0] not in (SPRING_RETREATS, FALL_RETREATS):
        return True
    by_convoy = {unit for unit in driven if unit[2:5] in attacked_by_convoy(orders.values())}
    found, told = judging.retreats_of(rules, states), their_retreats(game)
    assert same_retreats(found, told, by_convoy), orders
    return found == told


def compare_boards(rng, n):
    rules, found = GAME.make_rules(convoy="fallback"), Counter()
    for k in range(n):
        states, chosen = boards.random_board(rules, rng, convoys=k % 2 == 1)
        s, own = states[0].copy(), judging.units_on(states)
        orders = {notation.unit_in(s, p): notation.order_text(s, a) for p, a in chosen.items()}
        game = package.new_game(own)
        legal = package.legal_orders(game)
        for province in chosen:
            texts = {notation.order_text(s, a) for a in notation.legal_orders(rules, s, province)}
            assert texts == legal[g.AREAS[s["area"][province]]], orders
        boards.play_board(rules, states, chosen)
        owners = {unit: power for power, units in own.items() for unit in units}
        given = package.by_land(orders, owners)
        for power, units in own.items():
            game.set_orders(power, [given[unit] for unit in units])
        game.process()
        found[same_after(rules, states, game, orders, owners)] += 1
    assert found[False] <= MOST_FAULTS * n + 4, found


@pytest.mark.oracle
def test_random_boards_are_adjudicated_as_the_package_does(rng):
    compare_boards(rng, 100)


@pytest.mark.oracle
@pytest.mark.slow
def test_two_thousand_random_boards(rng):
    compare_boards(rng, 2000)


def play_a_phase(rules, states, rng, game):
    """Random legal orders of all powers in both games; whether the package's lists are ours."""
    legal, probs = core.new_scratch(rules)
    possible, turn = game.get_all_possible_orders(), int(states["turn"][0])
    orders: dict[str, list[str]] = {}
    is_winter = phase_name(states[0])[-1] == "A"
    while not states["over"][0] and states["turn"][0] == turn:
        s = states[0]
        n = core.legal_actions_at(rules, states, 0, legal)
        texts = [notation.order_text(s, int(action)) for action in legal[:n]]
        power = g.POWERS[s["power"]]
        places = game.get_orderable_locations(power) if is_winter else [texts[0].split()[1]]
        if not is_winter or power not in orders:  # later ones depend on those before in ours alone
            theirs = {package.without_coast(one) for place in places for one in possible[place]}
            assert theirs == set(texts), (power, places)
        k = int(rng.integers(n))
        orders.setdefault(power, []).append(texts[k])
        core.play_at(rules, states, 0, int(legal[k]), legal, probs)
    for power, own in orders.items():
        if not is_winter:
            own = package.by_land(by_unit(own), dict.fromkeys(by_unit(own), power)).values()
        game.set_orders(power, list(own))
    game.process()
    return orders


def compare_game(rules, rng):
    """Play a random game in both, phase by phase; whether no fault of the package cut it short."""
    from diplomacy import Game

    game, states = Game(), boards.start(rules)
    while not states["over"][0]:
        assert game.get_current_phase() == phase_name(states[0])
        is_movement = phase_name(states[0])[-1] == "M"
        owners = {unit: power for power, own in judging.units_on(states).items() for unit in own}
        given = [one for own in play_a_phase(rules, states, rng, game).values() for one in own]
        if is_movement and not same_after(rules, states, game, by_unit(given), owners):
            return False
        assert judging.units_on(states) == their_units(game), given
        for name, power in game.powers.items():
            owned = np.flatnonzero(states["centre_owner"][0] == g.POWERS.index(name))
            centres = [g.PROVINCES[g.CENTRES[k]].short for k in owned]
            assert sorted(power.centers) == sorted(centres), name
    return True


def compare_games(seed, games):
    rules = GAME.make_rules(convoy="fallback", win=34, years=15)
    whole = 0
    for k in range(20 * games):  # more than one in ten is never cut short
        whole += compare_game(rules, np.random.default_rng([seed, k]))
        if whole == games:
            return
    raise AssertionError(f"{whole} of {20 * games} games were played to their end")


@pytest.mark.oracle
def test_a_game_is_played_as_the_package_does(seed):
    compare_games(seed, 2)


@pytest.mark.oracle
@pytest.mark.slow
def test_twenty_games(seed):
    compare_games(seed, 20)
