"""Who is whose ally, by what is ordered and by what is said."""

from __future__ import annotations

import numpy as np
from diplomacy_boards import movement, random_game

from stratagym.envs import spec
from stratagym.envs.diplomacy import alliances, metrics
from stratagym.envs.diplomacy.tables import NUM_POWERS

GAME = spec("diplomacy")
AUSTRIA, _, FRANCE, GERMANY, ITALY, *_ = range(7)
UNITS = {"FRANCE": ["A BUR", "A PAR"], "GERMANY": ["A MUN", "A RUH"], "ITALY": ["A TYR"]}
HELP = {"FRANCE": ["A BUR S A MUN"]}
ATTACK = {"FRANCE": ["A BUR - MUN"]}


def relations(*orders):
    return alliances.relations_of([movement(UNITS, one) for one in orders])


def test_what_orders_do_to_others():
    """A void support neither helps nor attacks; a valid one helps one and attacks the other."""
    one = relations({"FRANCE": ["A BUR S A RUH - MUN"], "ITALY": ["A TYR S A RUH - MUN"]})
    assert not one.attacks.any() and not one.helps.any()
    assert one.contact[0, FRANCE, GERMANY] and not one.contact[0, FRANCE, ITALY]
    assert one.orders[0].tolist() == [0, 0, 2, 2, 1, 0, 0]
    assert one.alive[0].all()  # those without units own their home centres
    units = {"FRANCE": ["A BUR"], "GERMANY": ["A MUN"], "ITALY": ["A TYR"]}
    both = {"FRANCE": ["A BUR S A MUN"], "ITALY": ["A TYR - MUN"]}
    two = alliances.relations_of([movement(units, both)])
    assert np.argwhere(two.attacks[0]).tolist() == [[ITALY, GERMANY]]
    assert np.argwhere(two.helps[0]).tolist() == [[FRANCE, GERMANY]]
    joint = {"FRANCE": ["A BUR S A TYR - MUN"], "ITALY": ["A TYR - MUN"]}
    three = alliances.relations_of([movement(units, joint)])
    assert np.argwhere(three.attacks[0]).tolist() == [[FRANCE, GERMANY], [ITALY, GERMANY]]
    assert np.argwhere(three.helps[0]).tolist() == [[FRANCE, ITALY]]


def test_an_alliance_lasts_as_long_as_help_is_remembered_and_ends_by_an_attack():
    """Help makes an alliance for four phases; then there is peace; an attack ends both."""
    found = relations(HELP, {}, {}, {}, {}, HELP, {}, ATTACK, {})
    allied = found.allied[:, FRANCE, GERMANY].tolist()
    assert allied == [True, True, True, True, False, True, True, False, False]
    peace = found.at_peace[:, FRANCE, GERMANY].tolist()
    assert peace == [False, False, False, False, True, False, False, False, False]
    seen = alliances.observed(found)
    assert seen.lengths([FRANCE]) == [4, 2] and seen.lengths([AUSTRIA]) == []
    betrayals = found.attacks & seen.in_force
    assert np.argwhere(betrayals).tolist() == [[7, FRANCE, GERMANY]]


def test_a_declared_alliance_can_be_broken_in_its_first_phase():
    quiet: dict[str, list[str]] = {}
    found = relations(ATTACK, quiet, quiet, ATTACK, quiet)
    said = alliances.declared(found, [(0, GERMANY, FRANCE), (2, FRANCE, GERMANY)])
    assert said.in_force[:, FRANCE, GERMANY].tolist() == [True, False, True, True, False]
    assert said.allied[:, GERMANY, FRANCE].tolist() == [False, False, True, False, False]
    betrayals = found.attacks & said.in_force
    assert np.argwhere(betrayals).tolist() == [[0, FRANCE, GERMANY], [3, FRANCE, GERMANY]]
    ended = alliances.declared(found, [(1, GERMANY, FRANCE)], [(3, FRANCE, GERMANY)])
    assert ended.in_force[:, FRANCE, GERMANY].tolist() == [False, True, True, False, False]


def test_alliances_of_random_games_are_symmetric_and_of_living_powers(seed):
    rules = GAME.make_rules(years=3)
    told = metrics.play_again(rules, random_game(rules, seed))
    found = alliances.relations_of(told.movements)
    for flags in (found.allied, found.at_peace, found.contact):
        assert np.array_equal(flags, flags.transpose(0, 2, 1))
        assert not flags[:, range(NUM_POWERS), range(NUM_POWERS)].any()
    assert not (found.allied & found.at_peace).any()
    assert found.orders.sum() == sum(len(one.orders) for one in told.movements)
    for t in range(len(told.movements)):
        for before in range(max(0, t - 3), t + 1):
            both = found.attacks[before] | found.attacks[before].T
            assert not (found.allied[t] & both).any()
