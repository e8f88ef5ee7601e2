"""Welfare Diplomacy: Winters, points, the end, words. Movement is tested with Diplomacy."""

from __future__ import annotations

import json

import numpy as np
import pytest

from stratagym.agents.core import make_policy
from stratagym.agents.kernel_policies import play_many
from stratagym.envs import core, spec
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import notation
from stratagym.envs.diplomacy.judging import give_orders, units_on
from stratagym.envs.diplomacy.positions import phase_name, set_position
from stratagym.envs.direct import calls
from stratagym.envs.text import TextGame

GAME = spec("welfare_diplomacy")
RULES = GAME.make_rules(years=1)
CENTRES = {"FRANCE": ["PAR", "MAR", "BRE", "SPA"], "TURKEY": ["CON"]}
OWN = {"FRANCE": ["A GAS", "A SPA"], "TURKEY": ["F CON", "A SMY"]}


def legal_texts(rules, states):
    out = calls(rules).legal
    n = core.legal_actions_at(rules, states, 0, out)
    return {notation.order_text(states[0], int(action)) for action in out[:n]}


def returns(rules, states):
    out = np.zeros(rules.num_players)
    core.returns_at(rules, states, 0, out)
    return out.tolist()


def winter(centres=CENTRES, own=OWN, rules=RULES):
    states = set_position(rules, "F1901M", own, centres)
    give_orders(rules, states, {})
    assert phase_name(states[0]) == "W1901A"
    return states


def play(states, *texts, rules=RULES):
    for text in texts:
        out = calls(rules).legal
        n = core.legal_actions_at(rules, states, 0, out)
        named = {notation.order_text(states[0], int(a)): int(a) for a in out[:n]}
        notation.play(rules, states, named[text])


def test_a_power_builds_or_removes_and_not_both():
    states = winter()  # of France, with four centres and two units
    both = legal_texts(RULES, states)
    assert {"A PAR B", "F BRE B", "A GAS D", "A SPA D", "WAIVE"} <= both
    built, removed = states.copy(), states.copy()
    play(built, "A PAR B")
    assert "WAIVE" in (after := legal_texts(RULES, built))
    assert after and all(text.endswith(" B") for text in after - {"WAIVE"})
    play(removed, "A GAS D")
    assert legal_texts(RULES, removed) == {"A SPA D", "WAIVE"}
    play(removed, "A SPA D")
    assert removed["power"][0] == g.POWERS.index("TURKEY")  # nothing is left but to waive


def test_who_has_more_units_than_centres_removes_first():
    states = winter()
    play(states, "WAIVE")
    # Its army in Smyrna takes a centre that nobody owned.
    assert states["power"][0] == g.POWERS.index("TURKEY")
    assert legal_texts(RULES, states) == {"F CON D", "A SMY D", "WAIVE"}
    states = winter(own={"TURKEY": ["F CON", "A SYR"]})
    play(states, "WAIVE")  # France, without units, has builds
    assert legal_texts(RULES, states) == {"F CON D", "A SYR D"}
    play(states, "A SYR D")
    assert legal_texts(RULES, states) == {"F CON D", "WAIVE"}


def test_points_are_centres_without_units_and_end_the_game():
    states = winter()
    play(states, "A GAS D", "WAIVE", "F CON D", "A SMY D")
    assert core.current_player_at(RULES, states, 0) == core.TERMINAL
    assert returns(RULES, states) == [0, 0, 3, 0, 0, 0, 2]
    assert units_on(states) == {"FRANCE": ["A SPA"]}


def test_points_are_kept_and_no_lead_ends_the_game():
    rules = GAME.make_rules(years=2)
    every = {"FRANCE": [province.short for province in g.PROVINCES if province.centre]}
    states = winter(every, {"FRANCE": ["A PAR"]}, rules)
    play(states, "A PAR D", rules=rules)
    assert states["wp"][0].tolist() == [0, 0, 34, 0, 0, 0, 0]
    assert not states["over"][0] and returns(rules, states) == [0.0] * 7
    while not states["over"][0]:
        give_orders(rules, states, {})
    assert returns(rules, states) == [0, 0, 68, 0, 0, 0, 0]


@pytest.mark.parametrize("years", [1, 3])
def test_seven_that_disarm_earn_what_the_board_gives(years):
    """Three centres for each power and four for Russia: 22 points a year, of 34 at most."""
    rules = GAME.make_rules(years=years)
    found = play_many(
        rules, [make_policy(GAME, "disarm")], np.arange(2, dtype=np.uint64), np.zeros((2, 7), int)
    )
    assert (found.returns == years * np.array([3, 3, 3, 3, 3, 4, 3])).all()


def test_players_of_diplomacy_play_it():
    names = ["dumbbot", "greedy", "passive", "random"]
    policies = [make_policy(GAME, name) for name in names]
    seating = np.array([[0, 1, 2, 3, 0, 1, 2]])
    found = play_many(GAME.make_rules(years=2), policies, np.ones(1, np.uint64), seating)
    assert (found.returns >= 0).all() and found.returns.sum() <= 68


def test_a_winters_reply_stands_as_far_as_it_can():
    """Builds and removals in one reply: the first says which it is."""
    game = TextGame("welfare_diplomacy", years=1)
    game.reset(0)
    while phase_name(game.states[0]) != "W1901A":
        game.submit('{"orders": []}')
    seat = game.seat
    unit, other = units_on(game.states)[g.POWERS[seat]][:2]
    home = next(p.short for p in g.PROVINCES if p.home == seat)
    outcome = game.submit(json.dumps({"orders": [f"{unit} D", f"A {home} B", f"{other} D"]}))
    assert outcome.kind == "ok" and len(outcome.rejected) == 1
    assert [f"{unit} D", f"{other} D"] == [
        notation.order_text(game.states[0], int(game.states["order"][0][notation_place(one)]))
        for one in (unit, other)
    ]


def notation_place(unit):
    return g.AREA_PROVINCE[g.AREA[unit.split()[1]]]


def test_prompts_tell_points_and_what_a_winter_may_bring():
    game = TextGame("welfare_diplomacy", years=2, rounds=1)
    game.reset(0)
    told = game.observe().messages
    assert "welfare points" in told[0]["content"] and "with at least" not in told[0]["content"]
    assert '"messages": {<name of a power' in told[-1]["content"]
    while phase_name(game.states[0]) != "W1901A":
        game.submit('{"messages": {}, "orders": []}')
    told = game.observe().messages[-1]["content"]
    assert "up to 0 builds" in told or "any removals" in told
    while phase_name(game.states[0]) == "W1901A":
        units = units_on(game.states)[g.POWERS[game.seat]]
        game.submit(json.dumps({"orders": [f"{unit} D" for unit in units]}))
    assert "RUSSIA: 4/0/4" in game.observe().messages[-1]["content"]


def test_who_forfeits_keeps_no_points():
    states = winter()
    states["wp"][0] = np.arange(7)
    assert GAME.module("view").forfeit_returns(RULES, states[0], 5) == [0, 1, 2, 3, 4, 0, 6]


@pytest.mark.parametrize(("name", "value"), [("win", 18), ("scoring", "draw"), ("map", 2)])
def test_options_of_the_other_game_are_none_of_this(name, value):
    with pytest.raises((TypeError, ValueError), match=name):
        GAME.make_rules(**{name: value})
