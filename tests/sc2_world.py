"""A small world of Protoss that tells and takes what StarCraft II would, in its messages.

It refuses orders to units of others, without resources, supply, technology, power, energy or room.
Costs and times are those of ``starcraft``; who attacks what stands near it does damage.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from s2clientprotocol import error_pb2, query_pb2, raw_pb2
from s2clientprotocol import sc2api_pb2 as api
from sc2.ids.ability_id import AbilityId
from sc2.ids.buff_id import BuffId
from sc2.ids.unit_typeid import UnitTypeId
from sc2.ids.upgrade_id import UpgradeId

from stratagym.envs.starcraft import tables as t
from stratagym.wrappers.sc2_bot import BUILD, LEARN, TRAIN, WARP

SIZE = 128
PLACES = [(float(x) + 0.5, float(y) + 0.5) for x, y in t.PLACES]
NEUTRAL, OWN, ENEMY = 3, 1, 4
MINERAL, GEYSER = UnitTypeId.MINERALFIELD.value, UnitTypeId.VESPENEGEYSER.value
UNIT_OF = {UnitTypeId[one.name].value: k for k, one in enumerate(t.UNIT)}
KIND_OF = {UnitTypeId[one.name].value: k for k, one in enumerate(t.STRUCTURE)}
ORDERS = {
    **{ability.value: k for k, ability in TRAIN.items()},
    **{ability.value: t.FIRST_STRUCTURE + k for k, ability in BUILD.items()},
    **{ability.value: t.FIRST_RESEARCH + k for k, ability in LEARN.items()},
}
WARPED = {ability.value: k for k, ability in WARP.items()}
MOVE, ATTACK, GATHER = AbilityId.MOVE, AbilityId.ATTACK, AbilityId.HARVEST_GATHER
MOVES = {one.value for one in (
    MOVE, AbilityId.MOVE_MOVE, ATTACK, AbilityId.ATTACK_ATTACK, GATHER,
    AbilityId.HARVEST_GATHER_PROBE, AbilityId.HARVEST_RETURN,
)}  # fmt: skip
BOOST, ARCHON = AbilityId.EFFECT_CHRONOBOOSTENERGYCOST.value, AbilityId.MORPH_ARCHON.value
MORPH_GATE = AbilityId.MORPH_WARPGATE.value


def result(name: str) -> int:
    return error_pb2.ActionResult.Value(name)


class World:
    """The game's side. Own units are ``raw_pb2.Unit`` by tag, with what is hidden beside them.

    Attributes:
        given: every command that was taken: (ability's name, own type's name). refused: by result.
    """

    def __init__(self):
        self.loop, self.minerals, self.gas = 0, 50.0, 0.0
        self.collected, self.spent = [0.0, 0.0], [0, 0]
        self.units: dict[int, raw_pb2.Unit] = {}
        self.ready_at: dict[int, int] = {}
        self.upgrades: set[int] = set()
        self.dead: list[int] = []
        self.given: list[tuple[str, str]] = []
        self.refused: list[str] = []
        self.outcome: str | None = None
        self._tags = itertools.count(1000)
        for k, (x, y) in enumerate(PLACES):
            if k != t.CENTRE:
                way = 1 if k < t.CENTRE else -1
                for j in range(8):
                    angle = math.radians(125 + 14 * j)
                    self.add(
                        MINERAL, x + way * 7 * math.cos(angle), y + 7 * math.sin(angle), NEUTRAL
                    )
                for angle in (100, 250):
                    at = math.radians(angle)
                    self.add(GEYSER, x + way * 7.5 * math.cos(at), y + 7.5 * math.sin(at), NEUTRAL)
        nexus = UnitTypeId.NEXUS.value
        self.add(nexus, *PLACES[0], energy=50)
        self.add(nexus, *PLACES[8], ENEMY)
        for k in range(12):
            self.add(UnitTypeId.PROBE.value, PLACES[0][0] + k / 4 - 2, PLACES[0][1] - 4)

    def add(
        self, kind: int, x: float, y: float, owner: int = OWN, energy: float = 0
    ) -> raw_pb2.Unit:
        one = raw_pb2.Unit(
            tag=next(self._tags), unit_type=kind, alliance=owner, owner=(0, 1, 0, 16, 2)[owner],
            build_progress=1, is_powered=True, radius=1, energy=energy, display_type=1,
            cloak=3, is_on_screen=False,
        )  # fmt: skip
        one.pos.x, one.pos.y, one.pos.z = x, y, 10
        if kind == MINERAL:
            one.mineral_contents = 1350
        elif kind == GEYSER:
            one.vespene_contents = 2250
        else:
            table = t.UNIT[UNIT_OF[kind]] if kind in UNIT_OF else t.STRUCTURE[KIND_OF[kind]]
            one.health = one.health_max = table.hp
            one.shield = one.shield_max = table.shield
            one.energy_max = 200
        self.units[one.tag] = one
        return one

    # --- what there is ---------------------------------------------------------------------------

    def own(self, name: str | None = None, ready: bool = True) -> list[raw_pb2.Unit]:
        return [
            one for one in self.units.values()
            if one.alliance == OWN and (one.build_progress == 1 or not ready)
            and (name is None or one.unit_type == UnitTypeId[name].value)
        ]  # fmt: skip

    def food(self) -> tuple[int, int]:
        """Supply used, with what is in training, and cap."""
        used = sum(t.UNIT[UNIT_OF[one.unit_type]].supply for one in self.own(ready=False)
                   if one.unit_type in UNIT_OF)  # fmt: skip
        for one in self.own():
            if one.unit_type in KIND_OF:
                used += sum(t.UNIT[action].supply for order in one.orders
                            if (action := ORDERS.get(order.ability_id, 99)) < t.ARCHON)  # fmt: skip
        return used, min(200, 15 * len(self.own("NEXUS")) + 8 * len(self.own("PYLON")))

    def has(self, kind: int) -> bool:
        names = ["GATEWAY", "WARPGATE"] if kind == t.GATEWAY else [t.STRUCTURE[kind].name]
        return any(self.own(name) for name in names)

    def may_stand(self, action: int, x: float, y: float) -> bool:
        """Whether a structure, or what is warped in, has room and power."""
        if not (3 <= x <= SIZE - 3 and 3 <= y <= SIZE - 3):
            return False
        kind = action - t.FIRST_STRUCTURE
        room = {t.NEXUS: 5, t.PYLON: 2.5}.get(kind, 3.5 if action >= t.FIRST_STRUCTURE else 1.5)
        for one in self.units.values():
            if one.unit_type in KIND_OF or one.alliance == NEUTRAL:
                far = 6 if kind == t.NEXUS and one.alliance == NEUTRAL else room
                if math.dist((x, y), (one.pos.x, one.pos.y)) < far:
                    return False
        return kind in (t.NEXUS, t.PYLON, t.ASSIMILATOR) or any(
            math.dist((x, y), (one.pos.x, one.pos.y)) <= 6.5 for one in self.own("PYLON")
        )

    # --- orders ----------------------------------------------------------------------------------

    def command(self, given: raw_pb2.ActionRawUnitCommand) -> int:
        """Take a command, or say why not."""
        units = [self.units.get(tag) for tag in given.unit_tags]
        if not units or any(one is None or one.alliance != OWN for one in units):
            why = "CantFindTarget" if not units else "Error"
        else:
            why = self._take(given, units)
        if why == "Success":
            names = {UnitTypeId(one.unit_type).name for one in units}
            self.given.append((AbilityId(given.ability_id).name, "+".join(sorted(names))))
        else:
            self.refused.append(why)
        return result(why)

    def _take(self, given: raw_pb2.ActionRawUnitCommand, units: list[Any]) -> str:
        ability, one = given.ability_id, units[0]
        if ability in MOVES:
            for unit in units:
                if unit.unit_type not in UNIT_OF:
                    return "NotSupported"
                self._order(unit, given)
            return "Success"
        if ability == ARCHON:
            templar = {UnitTypeId.HIGHTEMPLAR.value, UnitTypeId.DARKTEMPLAR.value}
            if len(units) != 2 or any(unit.unit_type not in templar for unit in units):
                return "MustTargetUnit"
            made = self.add(UnitTypeId.ARCHON.value, one.pos.x, one.pos.y)
            made.build_progress = 0
            for unit in units:
                del self.units[unit.tag]
            return "Success"
        if ability == BOOST:
            target = self.units.get(given.target_unit_tag)
            if one.unit_type != UnitTypeId.NEXUS.value or target is None:
                return "NotSupported"
            if one.energy < 50:
                return "NotEnoughEnergy"
            one.energy -= 50
            target.buff_ids.append(BuffId.CHRONOBOOSTENERGYCOST.value)
            target.buff_duration_remain = 448
            return "Success"
        if ability in WARPED:
            return self._warp(given, one)
        action = ORDERS.get(ability)
        if action is None:
            return "NotSupported"
        return self._make(given, one, action)

    def _price(self, action: int) -> str:
        if self.minerals < t.COST[action, 0]:
            return "NotEnoughMinerals"
        if self.gas < t.COST[action, 1]:
            return "NotEnoughVespene"
        if t.NEEDS[action] >= 0 and not self.has(int(t.NEEDS[action])):
            return "BuildTechRequirementsNotMet"
        if action < t.ARCHON:
            used, cap = self.food()
            if used + t.UNIT[action].supply > cap:
                return "NotEnoughFood"
        return "Success"

    def _pay(self, action: int) -> None:
        self.minerals -= int(t.COST[action, 0])
        self.gas -= int(t.COST[action, 1])
        for k in range(2):
            self.spent[k] += int(t.COST[action, k])

    def _warp(self, given: raw_pb2.ActionRawUnitCommand, one: raw_pb2.Unit) -> str:
        unit, where = WARPED[given.ability_id], given.target_world_space_pos
        if one.unit_type != UnitTypeId.WARPGATE.value:
            return "NotSupported"
        if self.ready_at.get(one.tag, 0) > self.loop:
            return "Cooldown"
        why = self._price(unit)
        if why == "Success" and not self.may_stand(unit, where.x, where.y):
            why = "CantBuildLocationInvalid"
        if why == "Success":
            self._pay(unit)
            self.ready_at[one.tag] = self.loop + t.UNIT[unit].warp
            made = self.add(UnitTypeId[t.UNIT[unit].name].value, where.x, where.y)
            made.build_progress = 0.01
        return why

    def _make(self, given: raw_pb2.ActionRawUnitCommand, one: raw_pb2.Unit, action: int) -> str:
        why = self._price(action)
        if t.FIRST_STRUCTURE <= action < t.FIRST_RESEARCH:
            if one.unit_type != UnitTypeId.PROBE.value:
                return "NotSupported"
            if action == t.FIRST_STRUCTURE + t.ASSIMILATOR:
                target = self.units.get(given.target_unit_tag)
                if target is None or target.unit_type != GEYSER:
                    return "CantBuildOnThat"
                given.target_world_space_pos.x = target.pos.x
                given.target_world_space_pos.y = target.pos.y
            elif why == "Success":
                where = given.target_world_space_pos
                if not self.may_stand(action, where.x, where.y):
                    return "CantBuildLocationInvalid"
            if why == "Success":
                self._order(one, given)
            return why
        at = t.AT[action] if action < t.ARCHON else t.RESEARCH[action - t.FIRST_RESEARCH].at
        if one.unit_type != UnitTypeId[t.STRUCTURE[at].name].value:
            return "NotSupported"
        if at != t.NEXUS and not self.own("PYLON"):
            return "BuildTechRequirementsNotMet"
        if one.orders:
            return "CantQueueThatOrder"
        if why == "Success":
            self._pay(action)
            one.orders.add(ability_id=given.ability_id, progress=0)
        return why

    def _order(self, unit: raw_pb2.Unit, given: raw_pb2.ActionRawUnitCommand) -> None:
        if not given.queue_command:
            del unit.orders[:]
        order = unit.orders.add(ability_id=given.ability_id)
        if given.HasField("target_unit_tag"):
            order.target_unit_tag = given.target_unit_tag
            if given.HasField("target_world_space_pos"):
                order.target_world_space_pos.x = given.target_world_space_pos.x
                order.target_world_space_pos.y = given.target_world_space_pos.y
                order.ClearField("target_unit_tag")
        elif given.HasField("target_world_space_pos"):
            order.target_world_space_pos.x = given.target_world_space_pos.x
            order.target_world_space_pos.y = given.target_world_space_pos.y

    # --- time ------------------------------------------------------------------------------------

    def step(self, loops: int) -> None:
        self.dead.clear()
        self.loop += loops
        probes = self.own("PROBE")
        on_gas = min(3 * len(self.own("ASSIMILATOR")), max(0, len(probes) - 8))
        for k, (rate, number) in enumerate(((58, len(probes) - on_gas), (54, on_gas))):
            self.collected[k] += rate / 1344 * number * loops
        self.minerals += 58 / 1344 * (len(probes) - on_gas) * loops
        self.gas += 54 / 1344 * on_gas * loops
        for nexus in self.own("NEXUS"):
            nexus.energy = min(200, nexus.energy + 9 / 256 * loops)
            nexus.assigned_harvesters = (len(probes) - on_gas) // len(self.own("NEXUS"))
            nexus.ideal_harvesters = 16
        for one in self.own("ASSIMILATOR"):
            one.assigned_harvesters, one.ideal_harvesters = 3, 3
        for one in self.own(ready=False):
            if one.build_progress < 1:
                kind = KIND_OF.get(one.unit_type)
                whole = 112 if kind is None else t.LOOPS[t.FIRST_STRUCTURE + kind] or 160
                one.build_progress = min(1, one.build_progress + loops / float(whole))
        for one in self.own():
            if one.unit_type in UNIT_OF:
                self._act(one, loops)
            else:
                self._work(one, loops)
        if not any(
            one.unit_type in KIND_OF and one.alliance == ENEMY for one in self.units.values()
        ):
            self.outcome = "Victory"
        elif not self.own("NEXUS", ready=False):
            self.outcome = "Defeat"

    def _work(self, one: raw_pb2.Unit, loops: int) -> None:
        speed = 1.5 if one.buff_duration_remain else 1.0
        one.buff_duration_remain = max(0, one.buff_duration_remain - loops)
        if not one.buff_duration_remain:
            del one.buff_ids[:]
        if one.unit_type == UnitTypeId.GATEWAY.value and not one.orders:
            if UpgradeId.WARPGATERESEARCH.value in self.upgrades:
                one.orders.add(ability_id=MORPH_GATE)
            return
        if not one.orders:
            return
        order = one.orders[0]
        if order.ability_id == MORPH_GATE:
            del one.orders[:]
            one.unit_type = UnitTypeId.WARPGATE.value
            return
        action = ORDERS[order.ability_id]
        order.progress = min(1, order.progress + speed * loops / float(t.LOOPS[action]))
        if order.progress == 1:
            del one.orders[:]
            if action < t.ARCHON:
                made = self.add(UnitTypeId[t.UNIT[action].name].value, one.pos.x + 4, one.pos.y + 2)
                made.energy = 50
            else:
                name = t.RESEARCH[action - t.FIRST_RESEARCH].name
                self.upgrades.add(UpgradeId[name].value)

    def _act(self, one: raw_pb2.Unit, loops: int) -> None:
        if not one.orders:
            return
        order = one.orders[0]
        where = order.target_world_space_pos
        if not order.HasField("target_world_space_pos"):
            return  # it works
        length = math.dist((one.pos.x, one.pos.y), (where.x, where.y))
        reach = loops * t.UNIT[UNIT_OF[one.unit_type]].speed / 16
        fights = order.ability_id in (ATTACK.value, AbilityId.ATTACK_ATTACK.value)
        if fights and self._hit(one, loops):
            return
        if length > reach:
            one.pos.x += (where.x - one.pos.x) * reach / length
            one.pos.y += (where.y - one.pos.y) * reach / length
            return
        one.pos.x, one.pos.y = where.x, where.y
        action = ORDERS.get(order.ability_id)
        del one.orders[0]
        if action is not None:
            why = self._price(action)
            if why == "Success":
                self._pay(action)
                name = t.STRUCTURE[action - t.FIRST_STRUCTURE].name
                self.add(UnitTypeId[name].value, where.x, where.y).build_progress = 0.001
            else:
                self.refused.append(why)

    def _hit(self, one: raw_pb2.Unit, loops: int) -> bool:
        for other in list(self.units.values()):
            near = math.dist((one.pos.x, one.pos.y), (other.pos.x, other.pos.y)) < 6
            if other.alliance == ENEMY and near:
                other.health -= loops
                if other.health <= 0:
                    del self.units[other.tag]
                    self.dead.append(other.tag)
                return True
        return False

    # --- what is told ----------------------------------------------------------------------------

    def observation(self) -> api.ResponseObservation:
        told = api.ResponseObservation()
        seen = told.observation
        seen.game_loop = self.loop
        used, cap = self.food()
        common = seen.player_common
        common.player_id, common.minerals, common.vespene = 1, int(self.minerals), int(self.gas)
        common.food_used, common.food_cap = used, cap
        common.food_workers = len(self.own("PROBE"))
        common.food_army = max(0, used - common.food_workers)
        details = seen.score.score_details
        details.collected_minerals, details.collected_vespene = self.collected
        details.spent_minerals, details.spent_vespene = self.spent
        raw = seen.raw_data
        sight = np.zeros((SIZE, SIZE), np.uint8)
        for one in self.own(ready=False):
            x, y = int(one.pos.x), int(one.pos.y)
            sight[max(0, y - 10) : y + 11, max(0, x - 10) : x + 11] = 2
        for one in self.units.values():
            if one.alliance != ENEMY or sight[int(one.pos.y), int(one.pos.x)] == 2:
                raw.units.add().CopyFrom(one)
        state = raw.map_state
        state.visibility.bits_per_pixel, state.creep.bits_per_pixel = 8, 1
        for image, data in (
            (state.visibility, sight.tobytes()),
            (state.creep, bytes(SIZE**2 // 8)),
        ):
            image.size.x = image.size.y = SIZE
            image.data = data
        raw.player.upgrade_ids.extend(sorted(self.upgrades))
        raw.event.dead_units.extend(self.dead)
        if self.outcome is not None:
            for player, name in ((1, self.outcome), (2, "Defeat")):
                told.player_result.add(player_id=player, result=api.Result.Value(name))
        return told

    def info(self) -> api.ResponseGameInfo:
        told = api.ResponseGameInfo(map_name="Stand-in", local_map_path="Stand-in.SC2Map")
        for player in (1, 2):
            info = told.player_info.add(player_id=player, type=player, race_requested=3)
            if player == 1:
                info.race_actual, info.player_name = 3, "stratagym"
            else:
                info.difficulty, info.ai_build = 3, 5
        start = told.start_raw
        start.map_size.x = start.map_size.y = SIZE
        bits = b"\xff" * (SIZE**2 // 8)
        for image, data, deep in (
            (start.pathing_grid, bits, 1), (start.placement_grid, bits, 1),
            (start.terrain_height, b"\x7f" * SIZE**2, 8),
        ):  # fmt: skip
            image.bits_per_pixel, image.data = deep, data
            image.size.x = image.size.y = SIZE
        start.playable_area.p1.x = start.playable_area.p1.y = 121
        start.start_locations.add(x=PLACES[8][0], y=PLACES[8][1])
        return told

    def query(self, asked: query_pb2.RequestQuery) -> query_pb2.ResponseQuery:
        told = query_pb2.ResponseQuery()
        for one in asked.pathing:
            ends = (one.start_pos.x, one.start_pos.y), (one.end_pos.x, one.end_pos.y)
            start, end = (min(range(9), key=lambda k: math.dist(at, PLACES[k])) for at in ends)
            length = float(t.FAR[start, end])
            told.pathing.add(distance=length)
        for one in asked.placements:
            action = ORDERS.get(one.ability_id, WARPED.get(one.ability_id, -1))
            fits = self.may_stand(action, one.target_pos.x, one.target_pos.y)
            told.placements.add(result=result("Success" if fits else "CantBuildLocationInvalid"))
        for one in asked.abilities:
            unit = self.units[one.unit_tag]
            found = told.abilities.add(unit_tag=one.unit_tag, unit_type_id=unit.unit_type)
            if self.ready_at.get(unit.tag, 0) <= self.loop:
                for ability in WARPED:
                    found.abilities.add(ability_id=ability)
        return told


def game_data() -> api.ResponseData:
    told = api.ResponseData()
    points = {*BUILD.values(), *WARP.values()}
    for ability in AbilityId:
        if ability.value:
            one = told.abilities.add(ability_id=ability.value, available=True)
            one.target = 4 if ability in points or ability.value in {*MOVES, BOOST} else 1
    for kind in (*UNIT_OF, *KIND_OF, MINERAL, GEYSER):
        one = told.units.add(unit_id=kind, name=UnitTypeId(kind).name, available=True, race=3)
        if kind in KIND_OF:
            one.attributes.append(8)
    return told
