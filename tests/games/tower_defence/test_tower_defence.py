"""Tower defence against recorded battles of another program and battles worked out by hand."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numba import njit

from stratagym.envs import core, make_state, sealed, spec
from stratagym.envs.core import derive_seed
from stratagym.envs.tower_defence import view
from stratagym.envs.tower_defence.events import (
    BITE,
    BURN,
    DEATH,
    EVENTS,
    EXPLODE,
    FIRST_DEMON,
    JUMP,
    PULSE,
    REACH,
    SHOT,
    SLOW,
    SUMMON,
)
from stratagym.envs.tower_defence.replay import moment
from stratagym.envs.tower_defence.rules import (
    MAX_EVENTS,
    random_action,
)
from stratagym.envs.tower_defence.simulation import HP, LAST_TICK, P
from stratagym.envs.tower_defence.units import (
    ANTI_AIR,
    ATTACKER,
    BOMB,
    COLUMNS,
    DEFENDER,
    DEMONS,
    PATH,
    ROCKET,
    SOLDIERS,
    STEP_MS,
    names,
)

GAME = spec("tower_defence")
RULES = GAME.make_rules()
WORDS = GAME.make_rules(over_budget="loses")


# --- battles -------------------------------------------------------------------------------------


def planned(rules, attackers, defenders):
    """A record (1,) whose plans are these: (name, y, ms) and (name, x, y, ms), in any order."""
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(0), core.new_scratch(rules)[1])
    s = states[0]
    for seat, entries in ((ATTACKER, attackers), (DEFENDER, defenders)):
        for k, entry in enumerate(sorted(entries, key=lambda entry: entry[-1])):
            name, *place, ms = entry
            cell = place[0] if seat == ATTACKER else place[1] * COLUMNS + place[0]
            s["plan"][seat, k] = names(seat).index(name), cell, ms // STEP_MS
        s["n"][seat] = len(entries)
    return states


class Battle:
    """A battle with its log: winner, end, and what happened."""

    def __init__(self, attackers, defenders, rules=RULES):
        self.states, self.rules = planned(rules, attackers, defenders), rules
        events = np.zeros((MAX_EVENTS, 6), np.int32)
        n, result = sealed.resolve_log(rules, self.states, events)
        self.events = events[:n].tolist()
        self.winner = "attacker" if result == 1 else "defender"
        self.end = int(self.states["ended"][0])
        self.left = self.states["remains"][0].tolist()

    def __eq__(self, other):
        return (self.winner, self.end) == other

    def __repr__(self):
        return f"{self.winner} at {self.end}"

    def of(self, kind, actor=None):
        """Events of a kind, by an actor if one is given."""
        return [e for e in self.events if e[1] == kind and actor in (None, e[2])]

    def ticks(self, kind, actor=None):
        return [event[0] for event in self.of(kind, actor)]


def demon(name, y=0, ms=0):
    return name, y, ms


def unit(name, x=0, y=0, ms=0):
    return name, x, y, ms


NORMAL = demon("NormalDemon")
AWAY = unit("HandgunSoldier", 0, 4)
"""A unit in a row where no demon comes."""
D0, D1 = FIRST_DEMON, FIRST_DEMON + 1
REACHING = (ANTI_AIR, BOMB, ROCKET)
"""Units that act in other rows than their own."""


def test_recorded_battles(shared_data):
    lines = (shared_data / "advgamebench" / "tower_defence.jsonl").read_text().splitlines()
    assert len(lines) == 250
    for row in map(json.loads, lines):
        battle = Battle(row["attacker"], row["defender"])
        assert battle == (row["winner"], row["end_tick"]), row
        logged = battle.of(REACH)
        assert bool(logged) == (row["winner"] == "attacker")
        results = np.zeros(1, np.int64)
        sealed.resolve_plans(RULES, battle.states, results)
        assert results[0] == (1 if row["winner"] == "attacker" else -1)
        assert battle.states["ended"][0] == row["end_tick"]


def test_fire_keeps_its_rhythm_until_it_ends():
    """A hit in the last second of a burn, after the last damage, prolongs it: no new rhythm."""
    demons = [
        demon("BouncingDemon", 4, 1000), demon("NormalDemon", 4, 3500),
        demon("SummoningDemon", 4, 4750),
    ]  # fmt: skip
    guns = [(1, 1750), (3, 3000), (8, 4750), (6, 7500)]
    battle = Battle(demons, [unit("FlamethrowerSoldier", x, 4, ms) for x, ms in guns])
    assert battle == ("defender", 260)
    burnt = battle.ticks(BURN, FIRST_DEMON + 2)
    assert len({tick % 20 for tick in burnt}) == 1


def test_speeds_of_empty_rows():
    """280 moves at speed 2, 140 at speed 4; the first is made in tick 0."""
    assert Battle([NORMAL], [AWAY]) == ("attacker", 279)
    assert Battle([demon("SpeedyDemon")], [AWAY]) == ("attacker", 139)
    assert Battle([NORMAL], [AWAY]).left == [PATH, 30]


def test_nobody_comes():
    assert Battle([], [AWAY]) == ("defender", 0)
    assert Battle([NORMAL], []) == ("attacker", 279)


def test_the_last_tick():
    """A summoner and a flyer's path are too slow for nobody; a wall of walls is not bitten down."""
    walls = [unit("EnhancedShieldSoldier", x, 0) for x in range(11)]
    battle = Battle([demon("NormalDemon")], walls)
    assert battle == ("defender", LAST_TICK + 1)
    assert battle.left[1] == 11 * 300 - 10 * len(battle.of(BITE))


# --- a battle a unit ------------------------------------------------------------------------------


def handgun():
    """A shot a second, ten for a NormalDemon."""
    battle = Battle([NORMAL], [unit("HandgunSoldier")])
    assert battle == ("defender", 200)
    assert battle.ticks(SHOT) == list(range(20, 201, 20))
    assert Battle([NORMAL], [unit("HandgunSoldier", ms=1000)]).end == 220


def rifle():
    assert Battle([NORMAL], [unit("RifleSoldier")]) == ("defender", 100)


def machine_gun():
    assert Battle([NORMAL], [unit("MachineGunSoldier")]) == ("defender", 50)
    # A demon left of the gun's cell is out of its reach.
    late = Battle([NORMAL], [unit("MachineGunSoldier", 8, ms=10_000)])
    assert late == ("attacker", 279) and not late.of(SHOT)


def shield():
    """15 bites, from the first second on, then 280 moves."""
    battle = Battle([NORMAL], [unit("ShieldSoldier", 10)])
    assert battle == ("attacker", 580)
    assert battle.ticks(BITE) == list(range(20, 301, 20))


def enhanced_shield():
    assert Battle([NORMAL], [unit("EnhancedShieldSoldier", 10)]) == ("attacker", 880)
    battle = Battle([demon("BouncingDemon")], [unit("EnhancedShieldSoldier", 10)])
    assert battle == ("attacker", 880) and not battle.of(JUMP)


def flamethrower():
    """1 a shot and 1 a second: 9 at 1 s, 7, 5, 3, 1 and, before the shot, 0 at 6 s."""
    battle = Battle([NORMAL], [unit("FlamethrowerSoldier")])
    assert battle == ("defender", 120)
    assert battle.ticks(BURN) == [40, 60, 80, 100, 120]
    # It burns on for three seconds after the last hit: at 5 s, when the gun has died of a bite.
    battle = Battle([demon("DemonKing")], [unit("FlamethrowerSoldier", 10)])
    assert battle.ticks(SHOT) == [20] and battle.ticks(BURN) == [40, 60, 80]


def ice():
    """Half speed from the first shot on: 20 moves of 44, then of 22."""
    battle = Battle([NORMAL], [unit("IceSoldier")])
    assert battle == ("defender", 200)
    assert [event[4] for event in battle.of(SLOW)] == [tick + 40 for tick in range(20, 201, 20)]
    s = at(battle, 199)
    assert s["demons"][0, P] == PATH - 20 * 44 - 180 * 22
    # One shot, then the gun is dead: 40 ticks slow.
    battle = Battle([demon("DemonKing")], [unit("IceSoldier", 10)])
    assert battle.ticks(SHOT) == [20]
    assert battle == ("attacker", 20 + 39 + (PATH - 39 * 22) // 44 + 1)


def anti_air():
    """Flyers in any row first; without one, the ground of its own row."""
    assert Battle([demon("FlyingDemon", 4)], [unit("AntiAirSoldier")]) == ("defender", 200)
    assert Battle([NORMAL], [unit("AntiAirSoldier")]) == ("defender", 200)
    assert Battle([demon("NormalDemon", 1)], [unit("AntiAirSoldier")]) == ("attacker", 279)
    both = Battle([NORMAL, demon("FlyingDemon", 3)], [unit("AntiAirSoldier")])
    assert both.ticks(DEATH, D1) == [200]
    assert {event[3] for event in both.of(SHOT) if event[0] <= 200} == {D1}


def bomb():
    """Contact with column 5 in tick 128, 10 ticks later rows 0 to 2 are free."""
    demons = [demon("NormalDemon", y) for y in range(3)]
    battle = Battle(demons, [unit("Bomb", 5, 1)])
    assert battle == ("defender", 138)
    assert [event[3] for event in battle.of(EXPLODE)] == [-1, D0, D1, D0 + 2]
    assert battle.left[1] == 0
    battle = Battle([*demons, demon("NormalDemon", 3)], [unit("Bomb", 5, 1)])
    assert battle == ("attacker", 279) and len(battle.of(DEATH)) == 3
    # Two columns away it does not hurt.
    battle = Battle([demon("NormalDemon", 1), demon("SpeedyDemon", 2)], [unit("Bomb", 5, 1)])
    assert battle == ("attacker", 139)
    assert Battle([demon("FlyingDemon", 1)], [unit("Bomb", 5, 1)]) == ("attacker", 279)


def linear_explosion():
    """Every demon of its row, wherever; no other."""
    demons = [demon("NormalDemon", 1), demon("NormalDemon", 1, 3000)]
    assert Battle(demons, [unit("LinearExplosion", 5, 1)]) == ("defender", 138)
    battle = Battle([*demons, demon("NormalDemon", 2)], [unit("LinearExplosion", 5, 1)])
    assert battle == ("attacker", 279) and battle.ticks(DEATH) == [138, 138]


def magnet():
    """A pulse in tick 40: one shot of 0.3 before, ten of 1 from then on."""
    guns = [unit("MagneticSoldier"), unit("HandgunSoldier", 1)]
    battle = Battle([demon("ShieldDemon")], guns)
    assert battle == ("defender", 220)
    assert battle.ticks(PULSE) == [40]
    # It waits for armour, and then for another two seconds.
    battle = Battle([demon("ShieldDemon"), demon("ShieldDemon", 0, 2250)], guns[:1])
    assert battle.ticks(PULSE) == [40, 80]


def light_mage():
    """Shots of its row are light: the armour is no use, and neither is a shadow."""
    guns = [unit("LightMage"), unit("HandgunSoldier", 1)]
    assert Battle([demon("ShieldDemon")], guns) == ("defender", 200)
    battle = Battle([NORMAL, demon("ShadowDemon", 0, 250)], guns)
    assert battle.ticks(DEATH, D0) == [200]
    flame = [unit("LightMage"), unit("FlamethrowerSoldier", 1)]
    battle = Battle([demon("FireDemon")], flame)
    assert battle == ("defender", 200) and not battle.of(BURN)
    assert Battle([NORMAL], flame) == ("defender", 120)  # it keeps its fire
    assert Battle([demon("FlyingDemon")], guns) == ("attacker", 279)


def rocket():
    """2 to the target and to its neighbours in row 1; row 2 is too far."""
    demons = [demon("NormalDemon", y) for y in range(3)]
    battle = Battle(demons, [unit("RocketLauncherSoldier")])
    assert battle == ("attacker", 279)
    assert battle.ticks(DEATH) == [100, 100]
    assert Battle(demons[:2], [unit("RocketLauncherSoldier")]) == ("defender", 100)


def normal():
    assert Battle([NORMAL], [unit("HandgunSoldier", 10)]).ticks(BITE) == [20, 40, 60]


def great():
    assert Battle([demon("GreatDemon")], [unit("MachineGunSoldier")]) == ("defender", 100)


def king():
    """Three bites of 5 for a shield."""
    battle = Battle([demon("DemonKing")], [unit("ShieldSoldier", 10)])
    assert battle == ("attacker", 340) and battle.ticks(BITE) == [20, 40, 60]
    s = at(Battle([demon("DemonKing")], [AWAY]), 0)
    assert s["demons"][0, HP] == 1000


def speedy():
    assert Battle([demon("SpeedyDemon")], [unit("HandgunSoldier")]).ticks(BITE) == [
        128, 148, 168,
    ]  # fmt: skip


def shielded():
    """0.3 a shot: 34 shots."""
    assert Battle([demon("ShieldDemon")], [unit("MachineGunSoldier")]) == ("defender", 170)
    # Other damage goes through its armour.
    assert Battle([demon("ShieldDemon")], [unit("FlamethrowerSoldier")]) == ("defender", 120)


def machine():
    """0.5 a shot, speed 3 from the first, in tick 5: it bites the gun away in tick 172."""
    battle = Battle([demon("MachineDemon")], [unit("MachineGunSoldier")])
    assert battle == ("attacker", 189)
    assert battle.ticks(BITE) == [172] and len(battle.of(SHOT)) == 34
    assert {event[4] for event in battle.of(SHOT)} == {5}


def bouncing():
    """Over the wall in tick 0, 1120 nearer; once."""
    battle = Battle([demon("BouncingDemon")], [unit("ShieldSoldier", 10)])
    assert battle == ("attacker", 255) and battle.ticks(JUMP) == [0]
    walls = [unit("ShieldSoldier", 10), unit("ShieldSoldier", 9)]
    assert Battle([demon("BouncingDemon")], walls) == ("attacker", 555)
    # A jump out of the last column wins.
    battle = Battle([demon("BouncingDemon")], [unit("ShieldSoldier", 0)])
    assert battle == ("attacker", 255) and battle.ticks(JUMP) == [255]


def breaker():
    battle = Battle([demon("ShieldBreakerDemon")], [unit("ShieldSoldier", 10)])
    assert battle == ("attacker", 340)
    battle = Battle([demon("ShieldBreakerDemon")], [unit("EnhancedShieldSoldier", 10)])
    assert battle == ("attacker", 400)
    assert Battle([demon("ShieldBreakerDemon")], [unit("HandgunSoldier", 10)]).ticks(BITE) == [
        20, 40, 60,
    ]  # fmt: skip


def fire():
    """No shot at it; two bites at 255 and 275, then 25 moves."""
    battle = Battle([demon("FireDemon")], [unit("FlamethrowerSoldier")])
    assert battle == ("attacker", 300) and not battle.of(SHOT)
    # Shots fly past it, to the NormalDemon behind.
    demons = [demon("FireDemon"), demon("NormalDemon", 0, 250)]
    assert Battle(demons, [unit("FlamethrowerSoldier")]).ticks(DEATH, D1) == [120]


def frost():
    battle = Battle([demon("FrostDemon")], [unit("IceSoldier")])
    assert battle == ("attacker", 300) and not battle.of(SLOW)
    # Light hurts it and does not slow it.
    battle = Battle([demon("FrostDemon")], [unit("LightMage"), unit("IceSoldier", 1)])
    assert battle == ("defender", 200) and not battle.of(SLOW)


def flying():
    guns = [unit("ShieldSoldier", 5), unit("MachineGunSoldier")]
    battle = Battle([demon("FlyingDemon")], guns)
    assert battle == ("attacker", 279) and not battle.of(SHOT) and not battle.of(BITE)


def shadow():
    """From tick 20 on shots go past the first to the ShadowDemon, which dies in tick 65."""
    demons = [NORMAL, demon("ShadowDemon", 0, 1000)]
    battle = Battle(demons, [unit("MachineGunSoldier")])
    assert battle.ticks(DEATH) == [65, 100]
    assert [event[3] for event in battle.of(SHOT)] == [D0] * 3 + [D1] * 10 + [D0] * 7
    # Who burns in a shadow is not hurt, and the rhythm goes on.
    battle = Battle([NORMAL, demon("ShadowDemon", 0, 2000)], [unit("FlamethrowerSoldier")])
    assert battle.ticks(BURN, D0)[:1] == [40]  # protection as in the tick before
    assert 60 not in battle.ticks(BURN, D0)
    # Explosions hurt in it.
    battle = Battle(demons, [unit("LinearExplosion", 5)])
    assert battle == ("defender", 138)


def summoner():
    """In tick 100 a NormalDemon at 12,320 - 2,200 - 1,120, which needs 205 moves."""
    battle = Battle([demon("SummoningDemon")], [AWAY])
    assert battle == ("attacker", 304)
    assert [event[0::4] for event in battle.of(SUMMON)] == [
        [100, 9000], [200, 6800], [300, 4600],
    ]  # fmt: skip
    assert Battle([demon("SummoningDemon")], [unit("MachineGunSoldier")]) == ("defender", 50)


BY_UNIT = (
    handgun, rifle, machine_gun, shield, enhanced_shield, flamethrower, ice, anti_air, bomb,
    linear_explosion, magnet, light_mage, rocket, normal, great, king, speedy, shielded, machine,
    bouncing, breaker, fire, frost, flying, shadow, summoner,
)  # fmt: skip


@pytest.mark.parametrize("check", BY_UNIT, ids=lambda check: check.__name__)
def test_unit(check):
    check()


def test_a_check_for_every_unit():
    assert len(BY_UNIT) == len(SOLDIERS) + len(DEMONS)


def at(battle, tick):
    """The record of a battle at a tick."""
    s = battle.states[0]
    s["last_plan"], s["last_n"] = s["plan"], s["n"]
    return moment(battle.rules, s, tick)[0]


# --- variants ------------------------------------------------------------------------------------


def test_fuse_when_placed():
    """500 ms after it came, whoever is there; demons at column 10 are in its row."""
    rules = GAME.make_rules(fuse="placed")
    battle = Battle([NORMAL], [unit("LinearExplosion", 5)], rules)
    assert battle == ("defender", 10)
    battle = Battle([demon("NormalDemon", 0, 1000)], [unit("LinearExplosion", 5)], rules)
    assert battle == ("attacker", 299) and battle.ticks(EXPLODE) == [10]


def test_anti_air_in_its_row():
    rules = GAME.make_rules(anti_air="row")
    guns = [unit("AntiAirSoldier")]
    assert Battle([demon("FlyingDemon", 4)], guns, rules) == ("attacker", 279)
    assert Battle([demon("FlyingDemon", 0)], guns, rules) == ("defender", 200)


def test_shots_that_are_blocked():
    rules = GAME.make_rules(shots="block")
    demons = [demon("FireDemon"), demon("NormalDemon", 0, 250)]
    battle = Battle(demons, [unit("FlamethrowerSoldier")], rules)
    assert not battle.of(DEATH, D1) and {event[4] for event in battle.of(SHOT)} == {0}


def test_released_numbers():
    rules = GAME.make_rules(setting="released")
    assert (rules.attacker_budget, rules.defender_budget) == (1500, 2000)
    s = at(Battle([demon("DemonKing")], [AWAY], rules), 0)
    assert s["demons"][0, HP] == 800
    state = make_state("tower_defence", setting="released")
    offered = {view.action_to_string(rules, state.states[0], a) for a in state.legal_actions()}
    assert "send ShadowDemon 0" not in offered and "send SummoningDemon 0" in offered


# --- random battles ------------------------------------------------------------------------------


@njit
def plan_at_random(rules, states, seed):
    """Plans of both seats by uniform random legal micro-actions, nothing resolved."""
    for i in range(states.shape[0]):
        s = states[i]
        core.reset(rules, s, derive_seed(seed, i))
        for seat in range(2):
            s.seat = seat
            complete = False
            while not complete:
                complete = sealed.take(rules, s, seat, random_action(rules, s, seat))
                s.acts[seat] += 1


def random_plans(rules, n, seed):
    states = core.new_states(rules, n)
    plan_at_random(rules, states, np.uint64(seed))
    return states


def entries_of(s, seat):
    return s["plan"][seat][: s["n"][seat]]


def test_random_plans_win_about_as_often_as_told(seed):
    """.42 for the defender with these budgets; no battle is longer than it may be."""
    states = random_plans(RULES, 10_000, seed)
    results = np.zeros(len(states), np.int64)
    sealed.resolve_plans(RULES, states, results)
    # Half of the last digit, and 5.5 standard errors.
    assert abs((results < 0).mean() - 0.42) < 0.005 + 5.5 * 0.005
    assert states["ended"].max() <= LAST_TICK + 1
    assert abs(states["n"].mean(0) - [4.8, 20.1]).max() < 0.3


def test_the_log_is_of_the_same_battle(seed):
    states = random_plans(RULES, 300, seed)
    results = np.zeros(len(states), np.int64)
    sealed.resolve_plans(RULES, states, results)
    events = np.zeros((MAX_EVENTS, 6), np.int32)
    for k in range(len(states)):
        again = states[k : k + 1].copy()
        n, result = sealed.resolve_log(RULES, again, events)
        for field in ("ended", "remains", "rows", "cells"):
            if field != "rows":  # they count events
                assert (again[field] == states[field][k : k + 1]).all()
        assert result == results[k] and n == again["logged"][0] <= MAX_EVENTS
        told = events[:n]
        assert (np.diff(told[:, 0]) >= 0).all() and set(told[:, 1]) <= set(range(len(EVENTS)))
        dead = told[told[:, 1] == DEATH]
        assert len(set(dead[dead[:, 2] >= FIRST_DEMON, 2])) == (dead[:, 2] >= FIRST_DEMON).sum()


def test_rows_are_alike(seed, rng):
    """Without units that reach other rows the order of the rows means nothing."""
    states = random_plans(RULES, 3000, seed)
    for s in states:
        kept = [one for one in entries_of(s, DEFENDER).tolist() if one[0] not in REACHING]
        s["n"][DEFENDER] = len(kept)
        entries_of(s, DEFENDER)[:] = np.reshape(kept, (-1, 3))
    moved = states.copy()
    for s in moved:
        order = rng.permutation(5)
        demons, units = entries_of(s, ATTACKER), entries_of(s, DEFENDER)
        demons[:, 1] = order[demons[:, 1]]
        units[:, 1] = order[units[:, 1] // COLUMNS] * COLUMNS + units[:, 1] % COLUMNS
    for one in (states, moved):
        sealed.resolve_plans(RULES, one, np.zeros(len(one), np.int64))
    assert (states["ended"] == moved["ended"]).all()
    assert (states["remains"] == moved["remains"]).all()


def test_summoned_demons_leave_room_for_those_of_the_plan():
    """45 summoners and then 19 more: 64 and 64 summoned, and no more."""
    rules = GAME.make_rules(attacker_budget=16_000)
    demons = [demon("SummoningDemon", k % 5, 0) for k in range(45)]
    demons += [demon("NormalDemon", k % 5, 15_000) for k in range(19)]
    walls = [unit("EnhancedShieldSoldier", x, y) for x in (9, 10) for y in range(5)]
    battle = Battle(demons, walls, rules)
    assert len(battle.of(SUMMON)) == 64
    came = {event[2] for event in battle.events if event[1] == 0 and event[2] >= FIRST_DEMON}
    assert len(came) == 64 and max(came) == FIRST_DEMON + 127
