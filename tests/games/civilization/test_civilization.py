"""Civilization: Freeciv's figures, chances of combat, accounts, what stays whole, words."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import numpy as np
import plain_civilization as plain
import pytest

from stratagym.envs import core, spec
from stratagym.envs.civilization import actions, combat, output, towns, treaties, troops, turns
from stratagym.envs.civilization import tables as t
from stratagym.envs.civilization.rules import Rules
from stratagym.envs.civilization.state import FORTIFIED, MOST_CITIES, MOST_DECISIONS
from stratagym.envs.text import TextGame
from stratagym.testing import check_replies, position
from stratagym.testing.positions import RandomGame

GAME = spec("civilization")
RULES: Rules = GAME.make_rules()
TILES = RULES.width * RULES.height


# --- figures of Freeciv --------------------------------------------------------------------------


def test_figures_are_freecivs(shared_data):
    told = json.loads((shared_data / "dsgbench" / "freeciv_classic_subset.json").read_text())
    for k, name in enumerate(t.TECHS):
        known = told["techs"][name]
        assert (int(known["cost"]), known["n"]) == (t.TECH_COST[k], t.NUM_ROOTS[k]), name
        roots = {t.TECHS[j] for j in range(t.NUM_TECHS) if int(t.ROOTS[k]) >> j & 1}
        assert roots == set(known["req"]), name
    for k, name in enumerate(t.UNITS):
        known = told["units"][name]
        wanted = [known[key] for key in ("attack", "defense", "moves", "hp", "cost")]
        found = [
            int(array[k]) for array in (t.ATTACK, t.DEFENCE, t.MOVES, t.HIT_POINTS, t.UNIT_COST)
        ]
        assert found == wanted, name
        tech = t.TECHS[t.UNIT_TECH[k]] if t.UNIT_TECH[k] >= 0 else "None"
        assert tech == known["tech"], name
    for k, name in enumerate(t.TERRAINS):
        known = told["terrain"][name]
        assert t.OUTPUT[k].tolist() == [known[key] for key in ("food", "shield", "trade")], name
        assert t.DEFENCE_BONUS[k] == known["defense_bonus"], name
    for k, name in enumerate(t.BUILDINGS[: t.COINAGE]):
        known = next(value for key, value in told["buildings"].items() if name in key)
        assert (t.BUILDING_COST[k], t.UPKEEP[k]) == (known["cost"], known["upkeep"]), name


def test_all_techs_can_be_reached():
    known, before = set(), -1
    while len(known) > before:
        before = len(known)
        known |= {
            k
            for k in range(t.NUM_TECHS)
            if all(j in known for j in range(t.NUM_TECHS) if int(t.ROOTS[k]) >> j & 1)
        }
    assert len(known) == 40
    assert t.TECH_COST[t.TECH["Bridge Building"]] == 226
    assert t.TECH_COST[t.TECH["Metallurgy"]] == 1031


# --- combat --------------------------------------------------------------------------------------

CHANCES = (
    # attack, defence, hit points of the attacker and the defender, chance of the attacker
    (3, 3, 10, 10, 0.5000), (4, 3, 10, 10, 0.7370), (6, 3, 10, 10, 0.9352),
    (6, 9, 10, 10, 0.1861), (2, 1.5, 10, 10, 0.7370), (4, 6, 10, 10, 0.1861),
    (8, 4.5, 20, 20, 0.9637),
)  # fmt: skip


@pytest.mark.parametrize(("attack", "defence", "own", "theirs", "chance"), CHANCES)
def test_chances_of_combat(attack, defence, own, theirs, chance):
    found = combat.win_chance(float(attack), float(defence), own, theirs)
    assert round(found, 4) == chance


def test_chances_follow_from_the_rounds(rng):
    for _ in range(50):
        p, n, m = rng.uniform(0.05, 0.95), int(rng.integers(1, 21)), int(rng.integers(1, 21))

        @cache
        def wins(own: int, theirs: int, p: float = p) -> float:
            if theirs == 0:
                return 1.0
            return 0.0 if own == 0 else p * wins(own, theirs - 1) + (1 - p) * wins(own - 1, theirs)

        assert combat.win_chance(p, 1 - p, n, m) == pytest.approx(wins(n, m), abs=1e-9)


def field(kinds: dict[int, list[int]], terrain: str = "Grassland") -> np.ndarray:
    """A game of flat land on which units of both seats stand: by seat, types at column 4 + seat."""
    states = position(GAME)
    s = states[0]
    s["terrain"][:] = t.TERRAINS.index(terrain)
    s["resource"][:] = 0
    for seat in range(2):
        for unit in range(40):
            if s["unit_type"][seat][unit] >= 0:
                troops.remove_unit(RULES, s, seat, unit)
        troops.add_unit(RULES, s, seat, t.SETTLERS, 8 * RULES.width + 2 + 18 * seat, -1, 0)
        for kind in kinds.get(seat, []):
            troops.add_unit(RULES, s, seat, kind, 8 * RULES.width + 4 + seat, -1, 0)
    return states


def test_strength_on_the_map():
    tile = 8 * RULES.width + 5
    for attacker, defender, terrain, change, chance in (
        (t.LEGION, t.PHALANX, "Grassland", {"unit_order": FORTIFIED}, 0.7370),
        (t.KNIGHTS, t.ARCHERS, "Hills", {"unit_order": FORTIFIED}, 0.1861),
        (t.HORSEMEN, t.WARRIORS, "Grassland", {"unit_order": FORTIFIED}, 0.7370),
        (t.ARCHERS, t.PHALANX, "Swamp", {}, 0.5000),
        (t.CATAPULT, t.PIKEMEN, "Mountains", {}, 0.5000),
    ):
        states = field({0: [attacker], 1: [defender]}, terrain)
        for name, value in change.items():
            states[0][name][1][1] = value
        found = combat.chance_against(states[0], 0, 1, tile)
        assert round(float(found), 4) == chance, (t.UNITS[attacker], t.UNITS[defender])


def test_a_stack_falls_with_its_defender(seed):
    lost = 0
    for k in range(30):
        states = field({0: [t.CANNON], 1: [t.WARRIORS, t.WORKERS, t.SETTLERS]})
        states["rng"] = np.uint64(seed + k)
        troops.assault(RULES, states[0], 0, 1, 8 * RULES.width + 5)
        s = states[0]
        left = int((s["unit_type"][1] >= 0).sum())
        if s["unit_type"][0][1] >= 0:
            assert (left, s["units_killed"][0], s["units_lost"][1]) == (1, 3, 3)
            assert s["unit_moves"][0][1] == 0
        else:
            lost += 1
            assert (left, s["units_lost"][0]) == (4, 1)
    assert lost == 0  # a Cannon loses once in 10^9 fights


# --- accounts ------------------------------------------------------------------------------------


NAMES = ("food", "shields", "trade", "tax", "luxury", "science", "happy", "unhappy")


def built_up(states: np.ndarray, rng: np.random.Generator) -> None:
    """Give the cities of a position random sizes, buildings, rates, works and governments."""
    s = states[0]
    for seat in range(2):
        s["government"][seat] = rng.integers(5)
        science = 10 * int(rng.integers(11))
        tax = 10 * int(rng.integers((100 - science) // 10 + 1))
        s["science"][seat], s["tax"][seat] = science, tax
        s["luxury"][seat] = 100 - science - tax
        s["techs"][seat] = rng.integers(2**40, dtype=np.uint64)
        for city in range(MOST_CITIES):
            if s["city_tile"][seat][city] >= 0:
                bits = int(rng.integers(2**30)) & int(rng.integers(2**30))
                s["city_built"][seat][city] = bits & (1 << t.PALACE) - 1
                s["city_size"][seat][city] = rng.integers(1, 13)
        palace = int(rng.integers(MOST_CITIES))  # or nowhere
        if s["city_tile"][seat][palace] >= 0:
            s["city_built"][seat][palace] |= 1 << t.PALACE
    for wonder in range(15):
        owned = [
            (seat, city)
            for seat in range(2)
            for city in range(MOST_CITIES)
            if s["city_tile"][seat][city] >= 0
        ]
        s["wonder_owner"][wonder] = -1
        if owned and rng.random() < 0.5:
            seat, city = owned[int(rng.integers(len(owned)))]
            s["city_built"][seat][city] |= 1 << t.FIRST_WONDER + wonder
            s["wonder_owner"][wonder] = seat
    for work in range(3):
        may = (t.WORK_TURNS[work][s["terrain"][:TILES]] > 0) & (rng.random(TILES) < 0.5)
        s["works"][:TILES][may] |= 1 << work


def test_accounts_against_a_plain_count(seed, rng):
    compared = 0
    for k in range(6):
        played = RandomGame(RULES, (seed + k) % 2**63)
        for at in played.some(12):
            states = played.states[at].copy()
            if k % 2:
                built_up(states, rng)
            for seat in range(2):
                for city in range(MOST_CITIES):
                    if states[0]["city_tile"][seat][city] >= 0:
                        found = dict(
                            zip(NAMES, output.balance(RULES, states[0], seat, city), strict=True)
                        )
                        assert found == plain.accounts(RULES, states[0], seat, city)
                        compared += 1
    assert compared


def test_gold_and_bulbs_of_a_turn(seed):
    for k in range(4):
        played = RandomGame(RULES, (seed + k) % 2**63)
        for at in played.some(10):
            states = played.states[at].copy()
            s = states[0]
            for seat in range(2):
                before = int(s["gold"][seat]), int(s["bulbs"][seat])
                cities = [c for c in range(MOST_CITIES) if s["city_tile"][seat][c] >= 0]
                # What earlier cities of a seat lose or make may touch later ones: one at a time.
                if len(cities) != 1:
                    continue
                told = plain.accounts(RULES, s, seat, cities[0])
                makes = int(s["city_item"][seat][cities[0]])
                upkeep = sum(
                    int(t.UPKEEP[b])
                    for b in range(15)
                    if int(s["city_built"][seat][cities[0]]) >> b & 1
                )
                if told["shields"] < 0 or makes >= t.ITEM_BUILDING:
                    continue
                food, shields = (int(s[n][seat][cities[0]]) for n in ("city_food", "city_shields"))
                size = int(s["city_size"][seat][cities[0]])
                turns.run_cities(RULES, s, seat)
                assert s["bulbs"][seat] == before[1] + told["science"]
                if before[0] + told["tax"] - upkeep >= 0:
                    assert s["gold"][seat] == before[0] + told["tax"] - upkeep
                stock, full = food + told["food"], 20 + 10 * (size - 1)
                if 0 <= stock < full:
                    assert s["city_food"][seat][cities[0]] == stock
                if shields + told["shields"] < t.ITEM_COST[makes]:
                    assert s["city_shields"][seat][cities[0]] == shields + told["shields"]


def test_prices():
    states = position(GAME)
    s = states[0]
    s["city_tile"][0][0] = 0
    for item, stock, gold in (
        (t.WARRIORS, 0, 50), (t.WARRIORS, 5, 11), (t.SETTLERS, 10, 105),
        (t.ITEM_BUILDING + t.TEMPLE, 0, 210), (t.ITEM_COINAGE, 0, 0),
    ):  # fmt: skip
        s["city_item"][0][0], s["city_shields"][0][0] = item, stock
        assert towns.price(s, 0, 0) == gold, t.ITEMS[item]


@pytest.mark.parametrize(
    ("size", "stock", "surplus", "built", "after"),
    [
        (1, 15, 4, (), (1, 19)), (1, 15, 5, (), (2, 0)), (2, 29, 3, (), (3, 0)),
        (3, 39, 2, ("Granary",), (4, 20)), (8, 89, 2, (), (8, 90)),
        (8, 89, 2, ("Aqueduct",), (9, 0)), (12, 129, 2, ("Aqueduct",), (12, 130)),
        (3, 1, -2, (), (2, 0)), (1, 0, -1, (), (1, 0)),
    ],
)  # fmt: skip
def test_growth(size, stock, surplus, built, after):
    states = position(GAME)
    s = states[0]
    s["city_tile"][0][0], s["city_size"][0][0], s["city_food"][0][0] = 100, size, stock
    s["city_built"][0][0] = sum(1 << t.BUILDINGS.index(name) for name in built)
    towns.grow(RULES, s, 0, 0, surplus)
    assert (s["city_size"][0][0], s["city_food"][0][0]) == after


def test_score():
    states = position(GAME)
    s = states[0]
    s["city_tile"][0][:2], s["city_size"][0][:2] = (100, 110), (3, 5)
    s["techs"][0] = 0b1011
    s["wonder_owner"][2] = 0
    s["units_built"][0], s["units_killed"][0] = 29, 8
    assert turns.count_score(s, 0) == 8 + 6 + 5 + 2 + 2


@pytest.mark.parametrize("size", GAME.options["size"].choices)
def test_sizes_of_the_map_share_a_record(size):
    """So kernels, which are compiled for a record's dtype, are compiled once for all of them."""
    assert GAME.make_rules(size=size).state_dtype is RULES.state_dtype


# --- what stays whole ----------------------------------------------------------------------------


def whole(rules: Any, s: Any) -> None:
    """Tables, map and sight of a position agree with each other."""
    tiles = len(s["owner"])
    on_map = np.arange(tiles) < rules.width * rules.height
    stack, guards, army = np.zeros(tiles, int), np.zeros(tiles, int), np.full(tiles, -1)
    sight = np.zeros((4, tiles), int)
    x, y = np.arange(tiles) % rules.width, np.arange(tiles) // rules.width

    def look(seat: int, tile: int, radius: int) -> None:
        dx = np.abs(x - x[tile])
        dx = np.minimum(dx, rules.width - dx)
        dy = np.abs(y - y[tile])
        if rules.wraps_y:
            dy = np.minimum(dy, rules.height - dy)
        sight[seat] += on_map & (dx * dx + dy * dy <= radius)

    for seat in range(4):
        for kind, tile, hp, home in zip(
            *(
                s[name][seat].tolist()
                for name in ("unit_type", "unit_tile", "unit_hp", "unit_home")
            ),
            strict=True,
        ):
            if kind < 0:
                continue
            assert seat < rules.num_players
            assert 0 < hp <= t.HIT_POINTS[kind]
            assert home == -1 or s["city_tile"][seat][home] >= 0
            assert s["terrain"][tile] != t.OCEAN
            assert army[tile] in (-1, seat)
            army[tile] = seat
            stack[tile] += 1
            guards[tile] += t.ATTACK[kind] > 0
            look(seat, tile, 2)
        for city, tile in enumerate(s["city_tile"][seat].tolist()):
            if tile < 0:
                continue
            assert s["city_at"][tile] == seat << 4 | city
            assert s["owner"][tile] == seat and s["town"][tile] == city
            assert s["worker"][tile] == city and army[tile] in (-1, seat)
            assert s["city_size"][seat][city] >= 1
            worked = (s["owner"] == seat) & (s["worker"] == city)
            assert worked.sum() <= 1 + s["city_size"][seat][city]
            look(seat, tile, 5)
        assert s["tax"][seat] + s["luxury"][seat] + s["science"][seat] == 100
        assert s["gold"][seat] >= 0
    assert (stack == s["stack"]).all() and (guards == s["guards"]).all()
    assert (army == s["army"]).all() and (sight == s["sight"]).all()
    assert (s["city_at"] >= 0).sum() == (s["city_tile"] >= 0).sum()
    for seat in range(rules.num_players):
        seen = sight[seat] > 0
        assert ((s["known"][seen] >> seat & 1) == 1).all()
        assert (s["seen"][seat][seen] == 0).all()
    assert s["decisions"] <= MOST_DECISIONS


@pytest.mark.parametrize("options", [{}, {"players": 4}, {"wrap": "both", "map": "continents"}])
def test_every_turn_is_whole(options, seed):
    rules = GAME.make_rules(**options)
    for k in range(2):
        played = RandomGame(rules, (seed + k) % 2**63)
        for at in played.some(60):
            whole(rules, played.states[at][0])


def test_random_games_overrun_no_cap(seed):
    states, (legal, probs) = core.new_states(RULES), core.new_scratch(RULES)
    s, rng, decisions = states[0], random.Random(int(seed)), 0
    for game in range(10):
        start, longest = decisions, RULES.max_game_length
        player = core.start_at(RULES, states, 0, np.uint64(seed + game), probs)
        n = core.legal_actions_at(RULES, states, 0, legal)
        while player >= 0:
            action = legal[rng.randrange(n)]
            player, n = core.play_at(RULES, states, 0, action, legal, probs)
            decisions += 1
            assert s["decisions"] <= MOST_DECISIONS
        assert decisions - start <= longest


def test_two_seats_begin_alike(seed):
    states = core.new_states(RULES)
    out = np.zeros((2, *RULES.observation_shape), np.float32)
    for k in range(20):
        core.start_at(RULES, states, 0, np.uint64(seed + k), core.new_scratch(RULES)[1])
        for seat in range(2):
            core.observe_at(RULES, states, 0, seat, out[seat])
        planes = out[:, : 31 * TILES].reshape(2, 31, TILES)
        assert (planes[0] == planes[1][:, ::-1]).all()
        start = states[0]["unit_tile"][0][0]
        land = states[0]["terrain"] != t.OCEAN
        assert not land[TILES:].any()
        assert land.sum() in range(TILES - TILES * 45 // 100 - 1, TILES)
        assert land[start]


# --- treaties ------------------------------------------------------------------------------------


def test_peace_is_made_and_ends():
    states = field({0: [t.WARRIORS], 1: [t.WARRIORS]})
    s, (legal, probs) = states[0], core.new_scratch(RULES)
    assert s["contact"][0] == 2 and s["contact"][1] == 1

    def play(action: int) -> int:
        n = core.legal_actions_at(RULES, states, 0, legal)
        assert action in legal[:n]
        return core.play_at(RULES, states, 0, action, legal, probs)[0]

    def end_turn(seat: int) -> None:
        while s["player"] == seat and not s["over"]:
            play(actions.KEEP)

    play(actions.PROPOSE + treaties.PEACE_AND_EMBASSIES)
    end_turn(0)
    play(actions.ACCEPT)
    assert s["peace"].tolist() == [2, 1, 0, 0] and s["embassy"].tolist() == [2, 1, 0, 0]
    end_turn(1)
    while s["stage"] != 3:
        play(actions.KEEP)
    while s["actor"] != 1:
        play(actions.KEEP)
    east = actions.MOVE + 2
    assert east not in legal[: core.legal_actions_at(RULES, states, 0, legal)]
    end_turn(0)
    play(actions.CANCEL)
    assert s["peace"][0] == 2
    end_turn(1)
    assert s["peace"].tolist() == [0, 0, 0, 0]


# --- words ---------------------------------------------------------------------------------------


def said(action: str) -> str:
    return json.dumps({"command": {"name": "finalDecision", "input": {"action": action}}})


def test_replies():
    check_replies(
        "civilization",
        {
            said("research Alphabet"): actions.RESEARCH,
            f"I think.\n```json\n{said('RESEARCH  bronze working')}\n```\nDone.": (
                actions.RESEARCH + 1
            ),
            said("keep activity"): actions.KEEP,
            said("set rates 50/0/50"): actions.TAXES + 5,
            said("set rates 90/0/10"): "illegal: rates_not_allowed",
            said("set rates 33/0/67"): "illegal: no_such_rates",
            said("research Monarchy"): "illegal: roots_missing",
            said("propose peace to Player 1"): "illegal: no_contact",
            said("propose peace to Player 0"): "illegal: no_such_player",
            said("move South"): "illegal: not_for_the_player",
            said("fly"): "illegal: no_such_action",
            json.dumps(
                {"command": {"name": "manualAndHistorySearch", "input": {"look_up": "cities"}}}
            ): "illegal: look_up",
            "research Alphabet": "unparseable",
            "yes": "unparseable",
            "": "unparseable",
            "decide\n" * 10_000: "unparseable",
            '{"command": {"name": "finalDecision", "input": {}}}': "unparseable",
            '{"command": ': "unparseable",
        },
    )


def test_advice_stands_in_the_prompts_of_the_turn():
    game = TextGame("civilization")
    game.reset(seed=3)
    first = game.observe().messages[-1]["content"]
    assert '"to": "me"' in first
    reply = json.loads(said("keep activity"))
    reply["messages"] = [{"to": "me", "text": "found a city at the river"}]
    assert game.submit(json.dumps(reply)).kind == "ok"
    assert game.seat == 0
    now = game.observe().messages[-1]["content"]
    assert "found a city at the river" in now
    assert "You decide for the unit" in now
