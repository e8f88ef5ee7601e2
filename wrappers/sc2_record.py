"""What a player of the real StarCraft II was told, as a position of ``starcraft``.

The record's seat 0 is the player; of the other it has what the player saw and remembers. The
map's nine regions are the bases of both sides and the centre: main, natural, third and fourth are
the start and the three bases with the shortest ways from it. All units at home are one squad at the
rally point. What the record cannot hold is left out, and ``left_out`` counts it.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.starcraft.clearing import clear_shared, clear_side
from stratagym.envs.starcraft.economy import place_of_jobs, rally_base, supply_cap, supply_used
from stratagym.envs.starcraft.forces import choose_goal
from stratagym.envs.starcraft.rules import army_supply
from stratagym.envs.starcraft.sight import LEGS
from stratagym.envs.starcraft.simulation import refresh
from stratagym.envs.starcraft.state import (
    AT_HOME,
    ATTACKING,
    CHANGING,
    DRAW,
    ENERGY,
    FIRST_GATEWAY,
    LATELY,
    MORPHS,
    NOBODY,
    RETREATING,
    SITES,
    SQUADS,
    UNIT_OF_STORE,
)
from stratagym.envs.starcraft.tables import (
    ARCHON,
    ASSIMILATOR,
    BARRIER,
    BASES,
    BATTERY,
    CANNON,
    COST,
    EMPTY,
    FIRST_RESEARCH,
    FIRST_STRUCTURE,
    GATEWAY,
    HIGH_TEMPLAR,
    LOOPS,
    MORPH_ARCHON,
    NEXUS,
    OBSERVER,
    PROBE,
    REGIONS,
    RESEARCH,
    RESEARCHES,
    SENTRY,
    SPEED,
    STRUCTURE,
    STRUCTURES,
    UNIT,
    UNITS,
    WARP_GATE,
    WARP_LOOPS,
    WARP_PRISM,
    ZEALOT,
)

UNIT_OF = {unit.name: k for k, unit in enumerate(UNIT)} | {
    "OBSERVERSIEGEMODE": OBSERVER, "WARPPRISMPHASING": WARP_PRISM,
}  # fmt: skip
STRUCTURE_OF = {one.name: k for k, one in enumerate(STRUCTURE)} | {
    "ASSIMILATORRICH": ASSIMILATOR,
}  # fmt: skip
RESEARCH_OF = {one.name: k for k, one in enumerate(RESEARCH)}
"""The game's names are ours, but for some forms of the same thing."""
PASSING = {"INTERCEPTOR", "ADEPTPHASESHIFT", "DISRUPTORPHASED", "ORACLESTASISTRAP"}
"""What comes and goes with a unit that is in the record itself."""
NEAR = 15.0
"""Map units within which something belongs to a base."""
WALK = 30
"""Ticks that a Probe on its way to build is reckoned to need, about."""
_KEPT = "rng", "salt", "turn", "lately", "seen", "seen_at", "known"
"""What the record keeps while the rest is made anew."""


class Recorder:
    """Makes records of a player's world, which is told by an object of ``sc2.bot_ai.BotAI``.

    Attributes:
        rules: of the record. states: (1,) the position. places: (9, 2) where the regions lie.
        attacking, retreating: tags of units with these orders. scouts: by kind, the tag of a scout.
        left_out: what the record cannot hold, and how often it was met.
    """

    def __init__(self, rules: Any, abilities: Mapping[str, int], seed: int = 0):
        self.rules, self.abilities = rules, abilities
        self.states = core.new_states(rules)
        core.start_at(rules, self.states, 0, np.uint64(seed), core.new_scratch(rules)[1])
        self.states[0]["seen_at"] = -1
        self.places = np.zeros((REGIONS, 2))
        self.attacking: set[int] = set()
        self.retreating: set[int] = set()
        self.scouts: dict[int, int] = {}
        self.left_out: Counter[str] = Counter()
        self._types: dict[int, int] = {}
        self._first = True

    def region_of(self, position: Iterable[float]) -> int:
        """The region that lies nearest."""
        return int(np.argmin(np.linalg.norm(self.places - np.array([*position][:2]), axis=1)))

    def base_of(self, position: Iterable[float]) -> int:
        """The player's base that lies nearest."""
        own = self.places[:BASES] - np.array([*position][:2])
        return int(np.argmin(np.linalg.norm(own, axis=1)))

    def make(self, ai: Any) -> np.ndarray:
        """The record (1,) of the world as it is."""
        s = self.states[0]
        kept = {name: s[name].copy() for name in _KEPT}
        clear_shared(s)
        for seat in range(2):
            clear_side(s, seat)
        for name, value in kept.items():
            s[name] = value
        if self._first:
            s["seen"], s["seen_at"], s["known"] = 0, -1, 0
            self._first = False
        s["tick"], s["winner"], s["seat"], s["restless"] = ai.state.game_loop, NOBODY, 0, 1
        s["committed"] = EMPTY
        self._stores(s, ai)
        self._structures(s, ai)
        self._units(s, ai)
        refresh(s)
        self._workers(s, ai)
        self._memory(s, ai)
        return self.states

    def end(self, winner: int) -> None:
        """Write who won: 0 the player, 1 the other, ``DRAW``."""
        self.states[0]["winner"] = winner if winner in (0, 1) else DRAW

    def note(self, action: int) -> None:
        """Keep what the player had when it decided, and what it did."""
        s = self.states[0]
        s["lately"][0, : LATELY - 1] = s["lately"][0, 1:].copy()
        s["lately"][0, LATELY - 1] = (
            s["tick"], s["minerals"][0] // UNIT_OF_STORE, s["gas"][0] // UNIT_OF_STORE,
            supply_used(s, 0), supply_cap(s, 0), army_supply(s, 0), action,
        )  # fmt: skip
        s["turn"] += 1

    def goal(self, region: int) -> int:
        """The region that an attack from a region goes to."""
        return int(choose_goal(self.states[0], 0, region))

    def rally(self) -> int:
        """The region where units gather."""
        return int(rally_base(self.states[0], 0))

    # --- stores ----------------------------------------------------------------------------------

    def _stores(self, s: Any, ai: Any) -> None:
        score = ai.state.score
        s["minerals"][0], s["gas"][0] = ai.minerals * UNIT_OF_STORE, ai.vespene * UNIT_OF_STORE
        mined = int(score.collected_minerals) + 50, int(score.collected_vespene)
        s["mined"][0] = [one * UNIT_OF_STORE for one in mined]
        s["spent"][0] = int(score.spent_minerals), int(score.spent_vespene)
        for base in range(BASES):
            near = [
                one for one in ai.mineral_field if math.dist(one.position, self.places[base]) < 10
            ]
            gas = [
                one for one in ai.vespene_geyser if math.dist(one.position, self.places[base]) < 10
            ]
            # What is out of sight says 0.
            minerals = sum(one.mineral_contents or 1350 for one in near)
            s["patches"][0, base] = min(10_800, minerals) * UNIT_OF_STORE
            for k, one in enumerate(gas[:2]):
                s["geysers"][0, base, k] = (one.vespene_contents or 2250) * UNIT_OF_STORE

    def _workers(self, s: Any, ai: Any) -> None:
        """Who works where, as the game says."""
        s["workers"][0] = 0
        for nexus in ai.townhalls:
            s["workers"][0, self.base_of(nexus.position)] += nexus.assigned_harvesters
        s["on_gas"][0] = sum(one.assigned_harvesters for one in ai.gas_buildings)

    # --- structures ------------------------------------------------------------------------------

    def _structures(self, s: Any, ai: Any) -> None:
        standing: dict[int, list[Any]] = defaultdict(list)
        sites = 0
        for one in sorted(ai.structures, key=lambda unit: unit.tag):
            kind = STRUCTURE_OF.get(one.type_id.name)
            base = self.base_of(one.position)
            far = math.dist(one.position, self.places[base]) > NEAR
            if kind is None or (kind == NEXUS and far):
                self.left_out["structures of other kinds, or beyond the four bases"] += 1
                continue
            base = base if kind in (NEXUS, ASSIMILATOR, CANNON, BATTERY) else 0
            if not one.is_ready:
                sites = self._site(s, sites, kind, base, 1 - one.build_progress)
                continue
            s["built"][0, base, kind] = min(127, int(s["built"][0, base, kind]) + 1)
            standing[GATEWAY if kind == WARP_GATE else kind].append(one)
            if kind == NEXUS:
                s["energy"][0, base] = int(one.energy * ENERGY)
            elif kind in (CANNON, BATTERY):
                s["pool"][0, base, int(kind == BATTERY)] += one.health + one.shield
                if kind == BATTERY:
                    s["battery"][0, base] += int(one.energy * ENERGY)
        self._on_their_way(s, ai, sites)
        s["gates"][0] = min(12, len(standing[GATEWAY]))
        for kind, found in standing.items():
            self._jobs(s, ai, kind, found)
        done = {upgrade.name for upgrade in ai.state.upgrades}
        for name in done & RESEARCH_OF.keys():
            s["research"][0, RESEARCH_OF[name]] = 2

    def _site(self, s: Any, k: int, kind: int, base: int, left: float, walk: int = 0) -> int:
        """Write a structure in building; the number of sites then."""
        if k == SITES:
            self.left_out["structures in building beyond 24"] += 1
            return k
        s["site"][0, k], s["site_base"][0, k] = kind + 1, base
        s["walk"][0, k], s["away"][0, k] = walk, 2 * walk
        s["site_left"][0, k] = max(1, round(left * LOOPS[FIRST_STRUCTURE + kind]))
        return k + 1

    def _on_their_way(self, s: Any, ai: Any, sites: int) -> None:
        """Probes that go to build: here a structure is paid when it is ordered, there when it is
        placed."""
        for probe in ai.workers:
            for order in probe.orders:
                action = self.abilities.get(order.ability.exact_id.name, EMPTY)
                if FIRST_STRUCTURE <= action < FIRST_RESEARCH:
                    target = order.target
                    where = probe.position if target is None or isinstance(target, int) else (
                        target.x, target.y
                    )  # fmt: skip
                    kind = action - FIRST_STRUCTURE
                    base = self.base_of(where)
                    base = base if kind in (NEXUS, ASSIMILATOR, CANNON, BATTERY) else 0
                    sites = self._site(s, sites, kind, base, 1.0, WALK)
                    for store, cost in zip(("minerals", "gas"), COST[action], strict=True):
                        s[store][0] = max(0, int(s[store][0]) - int(cost) * UNIT_OF_STORE)

    def _jobs(self, s: Any, ai: Any, kind: int, found: list[Any]) -> None:
        """What structures of a kind work on, in the places of their jobs."""
        first, number = place_of_jobs(kind)
        if kind != NEXUS and len(found) > number > 0:
            self.left_out["structures beyond the places of their kind"] += len(found) - number
        for k, one in enumerate(found[:number] if kind != NEXUS else found):
            place = first + (self.base_of(one.position) if kind == NEXUS else k)
            s["boost"][0, place] = int(s["tick"]) + int(one.buff_duration_remain)
            is_gate = one.type_id.name == "WARPGATE"
            if is_gate:
                s["warp"][0, place - FIRST_GATEWAY] = 1
                if one.tag not in ai.ready_gates:
                    s["job"][0, place], s["out"][0, place] = ZEALOT + 1, 1
                    s["job_left"][0, place] = WARP_LOOPS[ZEALOT]
                continue
            for order in one.orders[:1]:
                name = order.ability.exact_id.name
                action = self.abilities.get(name)
                if name.startswith("MORPH_WARPGATE"):
                    s["job"][0, place], s["job_left"][0, place] = CHANGING, 160
                elif action is not None:
                    left = 2 * LOOPS[action] * (1 - order.progress)
                    s["job"][0, place], s["job_left"][0, place] = action + 1, max(1, round(left))
                    if action >= FIRST_RESEARCH:
                        s["research"][0, min(RESEARCHES - 1, action - FIRST_RESEARCH)] = 1

    # --- units -----------------------------------------------------------------------------------

    def _units(self, s: Any, ai: Any) -> None:
        alive = {unit.tag for unit in ai.units}
        for tags in (self.attacking, self.retreating):
            tags &= alive
        s["probes"][0] = len(ai.workers)
        self._scouts(s, ai)
        squads: dict[tuple[int, int], list[Any]] = defaultdict(list)
        morphing = 0
        for unit in ai.units:
            kind = UNIT_OF.get(unit.type_id.name)
            if kind == PROBE or unit.is_hallucination or unit.tag in self.scouts.values():
                continue
            if kind is None:
                self.left_out["units of other kinds"] += unit.type_id.name not in PASSING
            elif not unit.is_ready:
                if kind == ARCHON and morphing < MORPHS:
                    left = (1 - unit.build_progress) * LOOPS[MORPH_ARCHON]
                    s["morph"][0, morphing] = round(left) + 1
                    morphing += 1
            else:
                squads[self._order_of(unit.tag), self._stands(unit)].append((kind, unit))
        rows: dict[tuple[int, int], int] = {}
        for order, region in sorted(squads, key=lambda key: -len(squads[key])):
            k = len(rows)
            if k == SQUADS:  # its units count as of the largest
                k = 0
            else:
                rows[order, region] = k
                s["order"][0, k] = order
                s["region"][0, k] = s["next"][0, k] = region
                s["goal"][0, k] = self.goal(region) if order == ATTACKING else region
            for kind, unit in squads[order, region]:
                s["count"][0, k, kind] += 1
                s["life"][0, k, kind] += unit.health + unit.shield + BARRIER[kind]
                if kind in (SENTRY, HIGH_TEMPLAR):
                    s["charge"][0, k, int(kind == HIGH_TEMPLAR)] += int(unit.energy * ENERGY)

    def _order_of(self, tag: int) -> int:
        return (
            ATTACKING
            if tag in self.attacking
            else RETREATING
            if tag in self.retreating
            else AT_HOME
        )

    def _stands(self, unit: Any) -> int:
        """The region of a unit's squad: what is at home counts as at the rally point."""
        is_home = self._order_of(unit.tag) == AT_HOME
        return self.rally() if is_home else self.region_of(unit.position)

    def _scouts(self, s: Any, ai: Any) -> None:
        """Scouts on their way; their orders left are the legs left."""
        by_tag = {unit.tag: unit for unit in ai.units}
        for k, tag in list(self.scouts.items()):
            unit = by_tag.get(tag)
            if unit is None or unit.is_idle:
                del self.scouts[k]
                continue
            kind = UNIT_OF.get(unit.type_id.name, PROBE)
            s["leg"][0, k] = max(1, LEGS + 1 - len(unit.orders))
            target = unit.orders[0].target
            if hasattr(target, "x"):
                length = math.dist(unit.position, (target.x, target.y))
                s["leg_left"][0, k] = max(1, round(16 * length / SPEED[kind]))
            s["probes"][0] -= kind == PROBE

    # --- what is known of the other --------------------------------------------------------------

    def _memory(self, s: Any, ai: Any) -> None:
        seen: dict[int, list[int]] = defaultdict(list)
        now: Counter[int] = Counter()
        for one in ai.all_enemy_units:
            name = one.type_id.name
            region = self.region_of(one.position)
            if name in STRUCTURE_OF:
                seen[region].append(UNITS + STRUCTURE_OF[name])
            elif name in UNIT_OF and not one.is_hallucination:
                seen[region].append(UNIT_OF[name])
                now[UNIT_OF[name]] += 1
                self._types[one.tag] = UNIT_OF[name]
            else:
                self.left_out["enemies of other kinds"] += name not in PASSING
        own = {self.region_of(unit.position) for unit in ai.all_own_units}
        for region in range(REGIONS):
            x, y = self.places[region]
            in_sight = region in own or ai.state.visibility[int(x), int(y)] == 2
            if in_sight or region in seen:
                counts = np.bincount(seen[region], minlength=UNITS + STRUCTURES)
                s["seen"][0, region] = np.minimum(255, counts)
                s["seen_at"][0, region] = s["tick"]
        for tag in ai.state.dead_units:
            kind = self._types.pop(tag, None)
            if kind is not None:
                s["known"][0, kind] = max(0, int(s["known"][0, kind]) - 1)
        for kind, number in now.items():
            s["known"][0, kind] = max(int(s["known"][0, kind]), number)
