"""Our player inside of burnysc2: it waits for an action at each decision and carries it out.

Needs the package burnysc2 (MIT), which knows the game: it finds where bases and structures may
stand, sends Probes to work and speaks the protocol. Import it through ``stratagym.wrappers.sc2``.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from typing import Any

from loguru import logger
from sc2.bot_ai import BotAI
from sc2.dicts.unit_research_abilities import RESEARCH_INFO
from sc2.dicts.unit_train_build_abilities import TRAIN_INFO
from sc2.ids.ability_id import AbilityId
from sc2.ids.buff_id import BuffId
from sc2.ids.unit_typeid import UnitTypeId
from sc2.ids.upgrade_id import UpgradeId
from sc2.position import Point2

from stratagym.envs.starcraft.orders import base_for
from stratagym.envs.starcraft.sight import ROUTE
from stratagym.envs.starcraft.tables import (
    ARCHON,
    ASSIMILATOR,
    AT,
    BASES,
    BOOST_NEXUS,
    BOOSTED,
    CENTRE,
    EMPTY,
    FIRST_RESEARCH,
    FIRST_STRUCTURE,
    GATEWAY,
    IS_FIGHTER,
    MORPH_ARCHON,
    MULTI_ATTACK,
    MULTI_RETREAT,
    NEXUS,
    PROBE,
    PYLON,
    REGIONS,
    RESEARCH,
    SCOUT_PROBE,
    SCOUTS,
    STRUCTURE,
    UNIT,
    WARP_GATE,
)
from stratagym.wrappers.sc2_game import Sc2Error
from stratagym.wrappers.sc2_record import UNIT_OF, Recorder

logger.disable("sc2")

TYPES = {name: UnitTypeId[name] for name in (*UNIT_OF, *(one.name for one in STRUCTURE))}
GATES = UnitTypeId.GATEWAY, UnitTypeId.WARPGATE
HOME = 12.0
"""Map units from the rally point within which a retreat is over."""


def _train(at: str, name: str) -> Any:
    return TRAIN_INFO[UnitTypeId[at]][UnitTypeId[name]]["ability"]


def _learn(at: str, name: str) -> Any:
    return RESEARCH_INFO[UnitTypeId[at]][UpgradeId[name]]["ability"]


TRAIN = {k: _train(STRUCTURE[unit.at].name, unit.name) for k, unit in enumerate(UNIT[:ARCHON])}
WARP = {k: _train("WARPGATE", unit.name) for k, unit in enumerate(UNIT[:ARCHON]) if unit.warp}
BUILD = {k: _train("PROBE", one.name) for k, one in enumerate(STRUCTURE[:WARP_GATE])}
LEARN = {k: _learn(STRUCTURE[one.at].name, one.name) for k, one in enumerate(RESEARCH)}
"""The game's abilities: by unit in its own structure, by unit of a Warp Gate, by structure, by
research."""
ACTIONS_OF: dict[str, int] = {
    **{ability.name: unit for unit, ability in TRAIN.items()},
    **{ability.name: FIRST_STRUCTURE + kind for kind, ability in BUILD.items()},
    **{ability.name: FIRST_RESEARCH + what for what, ability in LEARN.items()},
}
"""By the name of an ability, the action that it is."""


class Player(BotAI):
    """The player of ``starcraft`` in the real game.

    Attributes:
        recorder: its record. ready_gates: tags of Warp Gates that can warp in now. refused: orders
            that the game did not take, by its word or ours.
    """

    def __init__(self, recorder: Recorder):
        super().__init__()
        self.recorder = recorder
        self.ready_gates: set[int] = set()
        self.refused: Counter[str] = Counter()
        self._asked = asyncio.Event()
        self._given: asyncio.Future[int] | None = None

    # --- the two ends of a decision --------------------------------------------------------------

    async def asked(self) -> None:
        """Wait until an action is asked for."""
        await self._asked.wait()

    def give(self, action: int) -> None:
        """Answer what was asked."""
        assert self._given is not None
        self._asked.clear()
        self._given.set_result(action)

    async def on_step(self, iteration: int) -> None:
        if iteration == 0:
            await self._find_places()
        gates = self.structures(UnitTypeId.WARPGATE).ready
        can = await self.get_available_abilities(gates, True) if gates else []
        self.ready_gates = {
            gate.tag for gate, ids in zip(gates, can, strict=True) if set(ids) & set(WARP.values())
        }
        self.recorder.make(self)
        self._given = asyncio.get_running_loop().create_future()
        self._asked.set()
        action = await self._given
        self.recorder.note(action)
        await self.distribute_workers()  # first: of two orders to a Probe the last one counts
        if action != EMPTY and not await self.carry_out(action):
            self.refused["not_given"] += 1
        self._command()
        results = await self._do_actions(self.actions)
        self.refused.update(result.name for result in results or ())
        self.actions.clear()

    async def _find_places(self) -> None:
        """The nine regions: each side's start and the three bases with the shortest ways."""
        starts = [self.start_location, self.enemy_start_locations[0]]
        found: Any = self.expansion_locations_list
        bases = [one for one in found if all(math.dist(one, start) > 5 for start in starts)]
        ways = []
        for start in starts:
            found = await self.client.query_pathings([(start, base) for base in bases])
            # 0 says that there is no way on the ground, as from under a Nexus.
            ways.append([
                way or 2 * math.dist(start, base) for way, base in zip(found, bases, strict=True)
            ])  # fmt: skip
        own, enemy = ways
        places = self.recorder.places
        places[CENTRE] = self.game_info.map_center
        for side, (way, other) in enumerate(((own, enemy), (enemy, own))):
            near = [k for k in range(len(bases)) if (way[k], side) < (other[k], 1 - side)]
            near = sorted(near, key=lambda k: way[k])[: BASES - 1]
            if len(near) < BASES - 1:
                raise Sc2Error(
                    f"the map {self.game_info.map_name} has fewer than four bases a side"
                )
            for place, where in enumerate([starts[side], *(bases[k] for k in near)]):
                places[place if side == 0 else REGIONS - 1 - place] = where

    # --- orders ----------------------------------------------------------------------------------

    def point(self, region: int) -> Point2:
        """Where a region lies."""
        return Point2(map(float, self.recorder.places[region]))

    @property
    def rally(self) -> Point2:
        """Where units gather: before the outermost base, towards the centre."""
        return self.point(self.recorder.rally()).towards(self.point(CENTRE), 6)

    async def carry_out(self, action: int) -> bool:
        """Give the orders of an action; whether any were given."""
        if action < MORPH_ARCHON:
            return await self._train(action)
        if action < FIRST_STRUCTURE:
            return self._morph()
        if action < FIRST_RESEARCH:
            return await self._build(action - FIRST_STRUCTURE)
        if action < SCOUT_PROBE:
            what = action - FIRST_RESEARCH
            return self._use(STRUCTURE[RESEARCH[what].at].name, LEARN[what])
        if action < MULTI_ATTACK:
            return self._scout(action - SCOUT_PROBE)
        if action == MULTI_ATTACK:
            army = self._army(away=False)
            self.recorder.attacking |= {unit.tag for unit in army}
            for unit in army:
                self._attack(unit)
            return bool(army)
        if action == MULTI_RETREAT:
            for unit in self._army(away=True):
                unit.move(self.rally)
            self.recorder.retreating |= self.recorder.attacking
            self.recorder.attacking.clear()
            return True
        return self._boost(STRUCTURE[BOOSTED[action - BOOST_NEXUS]].name)

    def _idle(self, name: str) -> list[Any]:
        """Structures of a kind that stand, have power and nothing to do."""
        return [
            one for one in self.structures(TYPES[name]).ready.idle.sorted(lambda one: one.tag)
            if one.is_powered or name == "NEXUS"
        ]  # fmt: skip

    def _use(self, name: str, ability: AbilityId) -> bool:
        idle = self._idle(name)
        return bool(idle) and bool(idle[0](ability))

    async def _train(self, unit: int) -> bool:
        if self._use(STRUCTURE[AT[unit]].name, TRAIN[unit]):
            return True
        if AT[unit] != GATEWAY:
            return False
        gates = [one for one in self._idle("WARPGATE") if one.tag in self.ready_gates]
        pylons = self.structures(UnitTypeId.PYLON).ready
        if not gates or not pylons:
            return False
        near = pylons.closest_to(self.rally).position
        where = await self.find_placement(WARP[unit], near, 7, False, 1)
        return where is not None and bool(gates[0](WARP[unit], where))

    def _morph(self) -> bool:
        found = [
            *self.units(UnitTypeId.HIGHTEMPLAR).ready, *self.units(UnitTypeId.DARKTEMPLAR).ready,
        ][:2]  # fmt: skip
        for unit in found:
            unit(AbilityId.MORPH_ARCHON)
        return len(found) == 2

    async def _build(self, kind: int) -> bool:
        base = int(base_for(self.recorder.states[0], 0, kind))
        place = self.point(max(base, 0))
        if kind == ASSIMILATOR:
            return self._build_gas(place)
        if kind == NEXUS:
            near, most, step = place, 6, 1
            tried = [(place, 6, 1)]
        elif kind == PYLON:
            # Near the outermost base every third time, so that Cannons have power there too.
            far = self.structures(UnitTypeId.PYLON).amount % 3 == 2
            place = self.point(self.recorder.rally()) if far else place
            tried = [(place.towards(self.point(CENTRE), 7), 20, 2)]
        else:
            pylons = self.structures(UnitTypeId.PYLON).ready
            tried = [(one.position, 7, 1) for one in pylons.sorted_by_distance_to(place)]
        for near, most, step in tried:
            where = await self.find_placement(BUILD[kind], near, most, False, step)
            if where is not None:
                probe = self._probe(where)
                return probe is not None and bool(probe(BUILD[kind], where))
        return False

    def _probe(self, where: Point2) -> Any:
        """A Probe that works or is idle, near a place; None where there is none."""
        scout = self.recorder.scouts.get(0)
        free = [one for one in self.workers if one.tag != scout and not one.is_constructing_scv]
        free = [one for one in free if one.is_gathering or one.is_returning or one.is_idle]
        return min(free, key=lambda one: one.distance_to(where), default=None)

    def _build_gas(self, place: Point2) -> bool:
        taken = [one.position for one in self.gas_buildings]
        for geyser in self.vespene_geyser.closer_than(12, place).sorted_by_distance_to(place):
            if all(math.dist(geyser.position, one) > 1 for one in taken):
                probe = self._probe(geyser.position)
                return probe is not None and bool(probe(BUILD[ASSIMILATOR], geyser))
        return False

    def _scout(self, kind: int) -> bool:
        type_id = TYPES[UNIT[SCOUTS[kind]].name]
        unit = self._probe(self.rally) if kind == 0 else next(
            (one for one in self._army(away=False) if one.type_id == type_id), None
        )  # fmt: skip
        if unit is None:
            return False
        self.recorder.scouts[kind] = unit.tag
        for k, region in enumerate(ROUTE[1:-1].tolist()):
            unit.move(self.point(region), queue=k > 0)
        unit.move(self.rally, queue=True)
        return True

    def _boost(self, name: str) -> bool:
        boost = BuffId.CHRONOBOOSTENERGYCOST
        nexuses = [one for one in self.townhalls.ready if one.energy >= 50]
        for one in self.structures(TYPES[name]).ready:
            if nexuses and not one.is_idle and not one.has_buff(boost):
                return bool(nexuses[0](AbilityId.EFFECT_CHRONOBOOSTENERGYCOST, one))
        return False

    # --- armies ----------------------------------------------------------------------------------

    def _army(self, away: bool) -> list[Any]:
        """Units of the squads that attack, or of those at home."""
        recorder, found = self.recorder, []
        out = recorder.attacking if away else recorder.attacking | recorder.retreating
        for unit in self.units:
            is_ours = UNIT_OF.get(unit.type_id.name, PROBE) != PROBE and unit.is_ready
            if is_ours and unit.tag not in recorder.scouts.values() and (unit.tag in out) == away:
                found.append(unit)
        return found

    def _attack(self, unit: Any) -> None:
        """Send a unit to the goal of its squad: to what stands there, if that is known."""
        goal = self.point(self.recorder.goal(self.recorder.region_of(unit.position)))
        near = self.enemy_structures.closer_than(20, goal)
        unit.attack(near.closest_to(unit).position if near else goal)

    def _command(self) -> None:
        """Let squads go on with their orders: to the next goal, home, against attackers."""
        recorder, home = self.recorder, self.rally
        for unit in self._army(away=True):
            if unit.is_idle:
                self._attack(unit)
        for tag in list(recorder.retreating):
            unit = self.units.find_by_tag(tag)
            if unit is None or unit.distance_to(home) < HOME:
                recorder.retreating.discard(tag)
            elif unit.is_idle:
                unit.move(home)
        raiders = [
            one for one in self.enemy_units
            if recorder.rules.defends and IS_FIGHTER[UNIT_OF.get(one.type_id.name, PROBE)]
            and any(math.dist(one.position, base.position) < 15 for base in self.townhalls)
        ]  # fmt: skip
        for unit in self._army(away=False):
            if raiders and not unit.is_attacking:
                unit.attack(min(raiders, key=unit.distance_to).position)
            elif unit.is_idle and unit.distance_to(home) > HOME:
                unit.move(home)
