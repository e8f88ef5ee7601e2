"""StarCraft against its tables, a prototype's fights and openings, and what must always hold."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest

from stratagym.agents.games.starcraft import RULES as PLAYERS
from stratagym.agents.games.starcraft import rule
from stratagym.envs import core, spec
from stratagym.envs.batch import BatchEnv
from stratagym.envs.starcraft import tables as t
from stratagym.envs.starcraft.economy import (
    add_unit,
    alive,
    in_building,
    new_squad,
    supply_cap,
    supply_used,
)
from stratagym.envs.starcraft.orders import REASONS, carry_out, why_not
from stratagym.envs.starcraft.rules import _note
from stratagym.envs.starcraft.simulation import refresh, run
from stratagym.envs.starcraft.state import (
    ATTACKING,
    ENERGY,
    NEVER,
    NOBODY,
    STATE,
    UNIT_OF_STORE,
)

GAME = spec("starcraft")
RULES = GAME.make_rules()
NAMES = STATE.names or ()
ACTION = {word: action for action, word in enumerate(t.WORDS)}
PROBE, PYLON, NEXUS_, GATEWAY, GAS = 0, 19, 21, 22, 20


def started(rules=RULES, seed=0):
    states, (_, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(seed), probs)
    return states


class Table:
    """A game that is played by hand."""

    def __init__(self, rules=RULES, seed=0):
        self.rules, self.states = rules, started(rules, seed)
        self.legal, self.probs = core.new_scratch(rules)

    @property
    def s(self):
        return self.states[0]

    def choices(self):
        return self.legal[: core.legal_actions_at(self.rules, self.states, 0, self.legal)].tolist()

    def play(self, *actions):
        for action in actions:
            assert action in self.choices(), t.WORDS[action]
            core.play_at(self.rules, self.states, 0, action, self.legal, self.probs)

    def seconds(self):
        return int(self.s["tick"]) / t.TICKS_A_SECOND


def random_action(table, rng):
    return int(rng.choice(table.choices()))


def scripted(table, which, seat=None):
    n = core.legal_actions_at(table.rules, table.states, 0, table.legal)
    return int(rule(table.rules, table.s, table.legal, n, which))


def some_action(table, rng, players):
    """Mostly what a scripted player does, sometimes anything."""
    which = players[int(table.s["seat"])]
    if which < 0 or rng.random() < 0.1:
        return random_action(table, rng)
    return scripted(table, which)


def some_players(rng):
    """Two players: numbers of scripts, -1 for one who plays at random."""
    return [int(rng.choice([-1, *PLAYERS.values()])) for _ in range(2)]


# --- numbers --------------------------------------------------------------------------------------


def test_numbers_are_those_of_the_tech_tree(shared_data):
    folder = shared_data / "dsgbench"
    rows: dict[str, list[dict[str, str]]] = {}
    for row in csv.DictReader((folder / "sc2_protoss_units.csv").open()):
        rows.setdefault(row["name"].upper(), []).append(row)
    letters = {"Light": "L", "Armored": "A", "Biological": "B", "Mechanical": "M", "Psionic": "P",
               "Massive": "X"}  # fmt: skip
    for unit in t.UNIT:
        row = rows[unit.name][0]
        known = [letters[one] for one in row["attributes"].split("+") if one in letters]
        assert sorted(unit.attributes) == sorted(known), unit.name
        assert (unit.hp, unit.shield, unit.armour) == tuple(
            float(row[name]) for name in ("hp", "shield", "armor")
        )
        assert unit.supply == float(row["supply"]) and unit.speed == float(row["speed_normal"])
        assert (t.UNIT.index(unit) in t.FLYERS) == (row["flying"] == "1")
        if unit.name != "ARCHON":
            assert (unit.minerals, unit.gas) == (int(row["minerals"]), int(row["gas"]))
            assert unit.loops == int(row["loops"])
        if row["damage"] and unit.name != "TEMPEST":
            assert (unit.damage, unit.strikes) == (float(row["damage"]), int(row["attacks"]))
            assert unit.reach == pytest.approx(float(row["range"]), abs=0.01)
            assert unit.cooldown == pytest.approx(16 * float(row["cooldown_normal_s"]), abs=0.1)
            assert unit.hits == {"Ground": "G", "Air": "A", "Any": "GA"}[row["target"]]
            bonus = row["bonus"].partition(":")
            assert unit.bonus == ((letters[bonus[0]], float(bonus[2])) if bonus[2] else ("", 0))
    for built in t.STRUCTURE:
        row = rows[built.name][0]
        price = (0, 0) if built.name == "WARPGATE" else (int(row["minerals"]), int(row["gas"]))
        assert (built.minerals, built.gas, built.loops) == (*price, int(row["loops"])), built.name
        assert (built.hp, built.shield) == (float(row["hp"]), float(row["shield"]))
    found = {
        row["name"].upper(): tuple(int(row[name]) for name in ("minerals", "gas", "loops"))
        for row in csv.DictReader((folder / "sc2_protoss_upgrades.csv").open())
    }
    names = {"BLINKTECH": "BLINKTECH"}
    for one in t.RESEARCH:
        assert found[names.get(one.name, one.name)] == (one.minerals, one.gas, one.loops), one.name


def test_the_map_is_mirrored():
    for one in range(9):
        for other in range(9):
            assert t.FAR[one, other] == t.FAR[8 - one, 8 - other] == t.FAR[other, one]
            assert t.STRAIGHT[one, other] == t.STRAIGHT[8 - one, 8 - other]
            step = t.STEP[one, other]
            assert one == other or t.NEAR[one, step] + t.FAR[step, other] == t.FAR[one, other]
    assert t.FAR[0, 8] == 170 and len(set(t.WORDS)) == 72


# --- openings -------------------------------------------------------------------------------------


def opening(order, probes, seconds, then=(), boosts=False, margin=0):
    """Play a build order alone: (supply, name) in turn, Probes meanwhile, then other names.

    Probes wait for a Pylon or a Nexus that is due; other units for anything that is due.
    Returns the seconds at which each of the order was ordered, and at which counts were reached.
    """
    table, order, ordered = Table(), list(order), []
    reached: dict[tuple[str, int], float] = {}
    while table.seconds() < seconds:
        s, choices = table.s, table.choices()
        used, cap = int(supply_used(s, 0)), int(supply_cap(s, 0))
        due = bool(order) and used >= order[0][0]
        saving = due and REASONS[why_not(s, 0, ACTION[order[0][1]], cap - used)] == "resources"
        action, coming = 71, 8 * int(in_building(s, 0, t.PYLON))
        if due and ACTION[order[0][1]] in choices:
            action = ACTION[order[0][1]]
            ordered.append((order.pop(0)[1], table.seconds()))
        elif boosts and 66 in choices and s["boost"][0, 0] <= s["tick"]:
            action = 66
        elif (
            not (saving and ACTION[order[0][1]] in (PYLON, NEXUS_))
            and PROBE in choices
            and s["probes"][0] + (s["job"][0, :4] == 1).sum() < probes
        ):
            action = PROBE
        elif margin and cap + coming - used < margin and PYLON in choices and not saving:
            action = PYLON
        elif not saving:
            action = next((ACTION[name] for name in then if ACTION[name] in choices), 71)
        table.play(action, 71)
        for name, count in (
            ("core", int(s["built"][0, 0, t.CORE])),
            ("warp gate", int(s["research"][0, 0] == 2)),
            ("gateways", int(s["gates"][0])),
            ("Probes", int(s["probes"][0])),
            ("fighters", int(s["count"][0].sum())),
        ):
            for k in range(1, count + 1):
                reached.setdefault((name, k), table.seconds())
    return dict(reversed(ordered)), reached


def test_the_opening_that_everybody_plays():
    ordered, reached = opening(
        [(13, "CHRONOBOOST NEXUS"), (14, "BUILD PYLON"), (15, "BUILD GATEWAY"),
         (16, "BUILD ASSIMILATOR"), (18, "BUILD ASSIMILATOR"), (19, "BUILD CYBERNETICSCORE")],
        22, 150,
    )  # fmt: skip
    assert 28 <= ordered["BUILD GATEWAY"] <= 45
    assert 75 <= ordered["BUILD CYBERNETICSCORE"] <= 95
    assert reached["core", 1] <= 130 and reached["Probes", 20] <= 115


def test_four_gateways():
    _, reached = opening(
        [(13, "CHRONOBOOST NEXUS"), (14, "BUILD PYLON"), (15, "BUILD GATEWAY"),
         (16, "BUILD ASSIMILATOR"), (19, "BUILD ASSIMILATOR"), (19, "BUILD CYBERNETICSCORE"),
         (20, "BUILD PYLON"), (20, "BUILD GATEWAY"), (20, "BUILD GATEWAY"), (20, "BUILD GATEWAY"),
         (21, "RESEARCH WARPGATERESEARCH"), *[(21, "CHRONOBOOST CYBERNETICSCORE")] * 3],
        22, 275, ("TRAIN STALKER", "TRAIN ZEALOT"), margin=6,
    )  # fmt: skip
    assert 190 <= reached["warp gate", 1] <= 220 and reached["gateways", 4] <= 180
    assert 210 <= reached["fighters", 8] <= 240
    fighters = [when for (name, _), when in sorted(reached.items()) if name == "fighters"]
    assert 10 <= sum(when <= 240 for when in fighters) <= 13
    assert 14 <= sum(when <= 270 for when in fighters) <= 18


def test_a_second_base():
    """A Probe takes 272 ticks, just over six decisions: trained one by one, it costs seven."""
    ordered, reached = opening(
        [(13, "CHRONOBOOST NEXUS"), (14, "BUILD PYLON"), (16, "BUILD GATEWAY"),
         (17, "BUILD ASSIMILATOR"), (19, "BUILD NEXUS"), (19, "BUILD CYBERNETICSCORE"),
         (20, "BUILD ASSIMILATOR"), (22, "RESEARCH WARPGATERESEARCH")],
        44, 290, boosts=True, margin=6,
    )  # fmt: skip
    assert 70 <= ordered["BUILD NEXUS"] <= 90
    assert reached["Probes", 24] <= 150 and reached["Probes", 40] <= 262
    assert reached["warp gate", 1] <= 240


# --- fights ---------------------------------------------------------------------------------------


def fought(one, other, first_came=True, cannons=0, research=(), ticks=4000, region=4):
    """(left of both, the record) of a fight in the centre, or at Cannons in the other's main.

    Args:
        one, other: units and numbers. research: of both sides.
    """
    states = started()
    s = states[0]
    if cannons:
        region = 8
        s["built"][1, 0, t.CANNON], s["pool"][1, 0, 0] = cannons, 300 * cannons
        s["built"][1, 0, t.PYLON], s["probes"][1] = 1, 0
    for seat, (units, came) in enumerate(((one, first_came), (other, not first_came))):
        for what in research:
            s["research"][seat, what] = 2
        if units:
            new_squad(s, seat, 0, region, ATTACKING)
            s["goal"][seat, 0], s["came"][seat, 0] = region, 1 if came else -5
        for unit, number in units:
            for _ in range(number):
                add_unit(s, seat, 0, unit)
    refresh(s)
    for _ in range(0, ticks, 8):
        run(RULES, s, 8, False)
        left = [int(s["count"][seat].sum()) for seat in range(2)]
        left[1] += int(s["built"][1, 0, t.CANNON]) if cannons else 0
        if 0 in left:
            break
    return left, s


@pytest.mark.parametrize(("n", "m"), [(10, 8), (12, 6), (20, 15), (7, 7)])
def test_the_square_law(n, m):
    left, _ = fought([(t.STALKER, n)], [(t.STALKER, m)])
    assert left[1] == 0 and abs(left[0] - math.sqrt(n * n - m * m)) <= 1


def test_the_square_law_of_random_numbers(rng):
    for _ in range(20):
        unit = int(rng.choice([t.STALKER, t.IMMORTAL, t.VOID_RAY]))
        n, m = sorted(rng.integers(4, 60, 2).tolist(), reverse=True)
        left, _ = fought([(unit, n)], [(unit, m)], bool(rng.integers(2)))
        if n > m:  # of all numbers to 60 the worst is 1.44 off
            assert left[1] == 0 and abs(left[0] - math.sqrt(n * n - m * m)) < 2, (unit, n, m, left)


@pytest.mark.parametrize(
    ("one", "other", "came", "left"),
    [
        ((t.ZEALOT, 10), (t.STALKER, 8), True, [7, 0]),
        ((t.IMMORTAL, 4), (t.STALKER, 8), True, [3, 0]),
        ((t.ZEALOT, 11), (t.IMMORTAL, 4), True, [6, 0]),
        ((t.VOID_RAY, 5), (t.STALKER, 8), True, [3, 0]),
        ((t.STALKER, 14), (t.CARRIER, 4), True, [8, 0]),
        ((t.ZEALOT, 8), (t.ADEPT, 8), True, [0, 2]),
        ((t.ZEALOT, 8), (t.ADEPT, 8), False, [3, 0]),
        ((t.ZEALOT, 8), (t.ZEALOT, 8), True, [0, 4]),
    ],
)
def test_fights_end_as_in_the_prototype(one, other, came, left):
    assert fought([one], [other], came)[0] == left


def test_zealots_against_cannons():
    assert fought([(t.ZEALOT, 6)], [], cannons=3)[0] == [1, 0]


def test_who_cannot_hit_whom(rng):
    n = int(rng.integers(1, 40))
    left, s = fought([(t.ZEALOT, n)], [(t.PHOENIX, 5)])
    assert left == [n, 5] and s["begun"][4] == NEVER
    # Who finds nothing to hit goes on, and the others do not lose anybody.
    assert fought([(t.ZEALOT, n)], [(t.VOID_RAY, 1)])[0][1] == 1
    assert fought([(t.STALKER, n)], [(t.DARK_TEMPLAR, 2)])[0][1] == 2
    left, _ = fought([(t.STALKER, 20), (t.OBSERVER, 1)], [(t.DARK_TEMPLAR, 2)])
    assert left[1] == 0


def test_a_fight_is_fair_to_both_seats(rng):
    for _ in range(10):
        units = [
            [(int(u), int(rng.integers(1, 8))) for u in rng.choice(range(1, 19), 4, replace=False)]
            for _ in range(2)
        ]
        done = tuple(int(k) for k in rng.choice(26, 6, replace=False))
        came = bool(rng.integers(2))
        one, s = fought(units[0], units[1], came, research=done)
        other, r = fought(units[1], units[0], not came, research=done)
        assert one == other[::-1]
        assert s["life"][0, 0].tobytes() == r["life"][1, 0].tobytes()


def test_what_research_does_in_fights():
    ten = [(t.STALKER, 10)]
    even = fought(ten, [(t.ZEALOT, 10)])[0]
    assert fought(ten, [(t.ZEALOT, 10)], research=(t.CHARGE,))[0][1] > even[1]
    templar = [(t.HIGH_TEMPLAR, 4)]
    plain = fought(templar, [(t.ZEALOT, 8)])[0]
    stormed, s = fought(templar, [(t.ZEALOT, 8)], research=(t.STORM,))
    assert plain[1] > stormed[1] or stormed[0] > plain[0]
    _, s = fought([(t.SENTRY, 4)], [(t.STALKER, 4)], ticks=16)
    assert s["guard"][0, 4] > s["tick"] and s["charge"][0, 0, 0] < 4 * 50 * ENERGY


# --- what always holds ----------------------------------------------------------------------------


def check_side(s, seat):
    """Stores, caps and supply of a seat."""
    for k, name in enumerate(("minerals", "gas")):
        assert s[name][seat] >= 0
        assert s["mined"][seat, k] == s[name][seat] + UNIT_OF_STORE * int(s["spent"][seat, k])
    left = int(s["patches"][seat].sum())
    assert left + int(s["mined"][seat, 0]) == UNIT_OF_STORE * (4 * 10_800 + 50)
    assert int(s["geysers"][seat].sum() + s["mined"][seat, 1]) == UNIT_OF_STORE * 8 * 2250
    built = s["built"][seat].sum(axis=0).astype(int)
    sites = np.bincount(s["site"][seat].astype(int), minlength=17)[1:]
    total = built + sites[:16]
    total[t.GATEWAY] += built[t.WARP_GATE]
    assert (s["built"][seat] >= 0).all() and (total[:15] <= t.MOST[:15]).all()
    assert int(s["gates"][seat]) == built[t.GATEWAY] + built[t.WARP_GATE]
    assert (s["energy"][seat] >= 0).all() and (s["energy"][seat] <= 200 * ENERGY).all()
    assert (s["patches"][seat] >= 0).all() and (s["geysers"][seat] >= 0).all()
    assert (s["job_left"][seat] >= 0).all() and (s["charge"][seat] >= 0).all()
    working = int(s["workers"][seat].sum())
    assert working + int((s["away"][seat] > 0).sum()) == s["probes"][seat] >= 0
    assert (s["count"][seat] >= 0).all()
    assert (s["life"][seat] <= s["count"][seat] * t.TOUGHNESS[:19] + 1e-6).all()
    # supply: units that live, that are made and that scout
    used = sum(int(t.SUPPLY[unit]) * int(alive(s, seat, unit)) for unit in range(19))
    made = s["job"][seat][(s["out"][seat] == 0) & (s["job"][seat] > 0) & (s["job"][seat] <= 19)]
    used += int(t.SUPPLY[made.astype(int) - 1].sum()) + 4 * int((s["morph"][seat] > 0).sum())
    assert used == supply_used(s, seat)


def test_all_is_conserved_in_every_tick(rng):
    table, players = Table(seed=int(rng.integers(2**62))), some_players(rng)
    s = table.s
    while s["winner"] == NOBODY and s["tick"] < 12_000:
        actions = []
        for _ in range(2):
            actions.append(some_action(table, rng, players))
            s["seat"] = 1 - s["seat"]
        for seat, action in enumerate(actions):
            before = int(supply_used(s, seat))
            carry_out(s, seat, action)
            if action < 18:
                assert supply_used(s, seat) == before + t.SUPPLY[action]
                assert supply_used(s, seat) <= supply_cap(s, seat)
        s["turn"] += 1
        refresh(s)
        if rng.random() < 0.92:  # every tick is looked at in some decisions
            run(RULES, s, 45, True)
            continue
        for _ in range(45):
            run(RULES, s, 1, True)
            for seat in range(2):
                check_side(s, seat)


def resolved(before, actions, by_tick):
    """The record after both seats' actions, going from event to event or tick by tick."""
    states = before.copy()
    s = states[0]
    for seat in range(2):
        _note(s, seat, actions[seat])
    for seat in range(2):
        carry_out(s, seat, actions[seat])
    s["committed"], s["seat"] = 71, 0
    s["turn"] += 1
    refresh(s)
    run(RULES, s, min(45, RULES.ticks - int(s["tick"])), by_tick)
    return states


def differing(one, other, skipped=("rng", "restless")):
    return [name for name in NAMES if name not in skipped
            and not np.array_equal(one[name], other[name])]  # fmt: skip


def test_from_event_to_event_is_tick_by_tick(rng):
    for _ in range(4):
        table, players = Table(seed=int(rng.integers(2**62))), some_players(rng)
        player = 0
        while player >= 0 and table.s["tick"] < 25_000:
            before, actions = table.states.copy(), []
            for _ in range(2):
                actions.append(some_action(table, rng, players))
                table.play(actions[-1])
            player = int(core.current_player_at(RULES, table.states, 0))
            by_tick = resolved(before, actions, True)
            assert not differing(by_tick, table.states), (actions, int(before["tick"][0]))


BY_SEAT = tuple(name for name in NAMES if STATE[name].shape[:1] == (2,))
PLACES_OF = ("region", "next", "goal")
"""Fields whose values are regions."""


def mirrored(states):
    """The record as the other seat has it."""
    other = states.copy()
    for name in BY_SEAT:
        other[name] = states[name][:, ::-1]
    for name in ("seen", "seen_at", "nova", "storm", "guard", "here"):
        other[name] = other[name][:, :, ::-1]
    for name in ("begun", "last", "comer"):
        other[name] = states[name][:, ::-1]
    comer = other["comer"]
    other["comer"] = np.where(comer == 2, 2, 1 - comer)
    for name in PLACES_OF:
        there = other["order"] > 0
        other[name] = np.where(there, 8 - other[name], other[name])
    return other


def test_swapped_seats_play_the_mirrored_game(rng):
    for _ in range(3):
        table, players = Table(seed=int(rng.integers(2**62))), some_players(rng)
        twin = Table()
        twin.states["salt"] = table.states["salt"][:, ::-1]
        while core.current_player_at(RULES, table.states, 0) >= 0 and table.s["tick"] < 25_000:
            actions = []
            for _ in range(2):
                actions.append(some_action(table, rng, players))
                table.play(actions[-1])
            twin.play(*actions[::-1])
            image = mirrored(twin.states)
            wrong = differing(table.states, image, ("rng", "restless", "winner", "n", "loss", "at"))
            assert not wrong, (wrong, actions, int(table.s["tick"]))
            winner = int(twin.s["winner"])
            assert int(table.s["winner"]) == (1 - winner if winner in (0, 1) else winner)


def test_random_games_end_by_the_limit(rng):
    for _ in range(4):
        table = Table(seed=int(rng.integers(2**62)))
        while core.current_player_at(RULES, table.states, 0) >= 0:
            table.play(random_action(table, rng))
            if table.s["turn"] % 40 == 0:
                for seat in range(2):
                    check_side(table.s, seat)
        assert table.s["tick"] == RULES.ticks or table.s["winner"] != NOBODY


@pytest.mark.slow
def test_ten_thousand_random_games_keep_to_the_caps(rng):
    """Ten minutes each, all of them side by side, looked at every minute and at the end."""
    games, rules = 10_000, GAME.make_rules(minutes=10)
    batch = BatchEnv(
        GAME, rules, games, seed=int(rng.integers(2**62)), autoreset=False, observe=False
    )
    s, steps = batch.states, rules.max_game_length
    for step in range(1, steps + 1):
        ranks = np.cumsum(batch.action_masks, axis=1, dtype=np.int16)
        drawn = (rng.random(games, np.float32) * ranks[:, -1]).astype(np.int16)
        batch.step((ranks > drawn[:, None]).argmax(1))
        if step % 54 and step < steps:
            continue
        stores = np.stack([s["minerals"], s["gas"]], axis=2)
        assert (stores >= 0).all()
        assert (s["mined"] == stores + UNIT_OF_STORE * s["spent"].astype(int)).all()
        assert (s["patches"].sum(2) + s["mined"][:, :, 0] == UNIT_OF_STORE * 43_250).all()
        assert (s["geysers"].sum((2, 3)) + s["mined"][:, :, 1] == UNIT_OF_STORE * 18_000).all()
        built = s["built"].sum(axis=2).astype(int)
        kinds = np.arange(1, 17)
        total = built + (s["site"][..., None] == kinds).sum(axis=2)
        total[..., t.GATEWAY] += built[..., t.WARP_GATE]
        assert (built >= 0).all() and (total[..., :15] <= t.MOST[:15]).all()
        assert (s["gates"] == built[..., t.GATEWAY] + built[..., t.WARP_GATE]).all()
        assert (s["count"] >= 0).all() and (s["job_left"] >= 0).all()
        assert (s["energy"] >= 0).all() and (s["energy"] <= 200 * ENERGY).all()
        fighters = (s["count"].sum(axis=2) * t.SUPPLY[: s["count"].shape[-1]]).sum(axis=2)
        assert (fighters + s["probes"] <= 200).all()
    assert ((s["tick"] == rules.ticks) | (s["winner"] != NOBODY)).all()
    assert (batch.players < 0).all()
