"""What a player of the real Freeciv was told, as a position of ``civilization``.

The record holds what the game has: its terrains, 15 units, 30 buildings, 40 techs, 5 governments.
What it cannot hold is left out, and ``left_out`` names it: other units and buildings, cities beyond
12 and units beyond 40 of a seat, treaties of other clauses. Lakes are sea, glaciers are tundra.
Seats are the server's players in the order of their numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.civilization import output, start, troops
from stratagym.envs.civilization.rules import LETTERS, Rules, reciprocal_of
from stratagym.envs.civilization.state import (
    ARMY_AT,
    COUNT_AT,
    FORTIFIED,
    MOST_CITIES,
    MOST_UNITS,
    OWNER_AT,
    SEAT_AT,
    SEATS,
    SENTRY,
    SIZE_AT,
    TYPE_AT,
    WALLS_AT,
    WORK,
)
from stratagym.envs.civilization.tables import (
    BUILDINGS,
    CITY_WALLS,
    COINAGE,
    FIRST_WONDER,
    GOVERNMENTS,
    IRRIGATION,
    ITEM_BUILDING,
    ITEM_COINAGE,
    MINE,
    RESOURCES,
    ROAD,
    TECHS,
    TERRAINS,
    UNITS,
)
from stratagym.wrappers.freeciv_client import World
from stratagym.wrappers.freeciv_server import FreecivError
from stratagym.wrappers.freeciv_treaties import offer_of

MOST_TILES = 32_767
NOBODY = 160
"""Numbers of players from this on are none."""
SAME = {"Lake": "Ocean", "Deep Ocean": "Ocean", "Inaccessible": "Ocean", "Glacier": "Tundra"}
OURS = {"Harbour": "Harbor", "Sewer System": "Sewer"}
UNIT_KIND, BUILDING_KIND = 6, 3
"""Kinds of production."""
_WORKS = {"Road": ROAD, "Railroad": ROAD, "Irrigation": IRRIGATION, "Farmland": IRRIGATION,
          "Mine": MINE}  # fmt: skip
_WORKING = {19: 1, 4: 2, 3: 3}
"""Works by the server's activities."""
_FORTIFIED, _FORTIFYING, _SENTRY, _EXPLORING = 5, 15, 7, 11


def rules_for(width: int, height: int, turns: int, players: int, start_units: str) -> Rules:
    """Rules of ``civilization`` on the server's map.

    Raises:
        FreecivError: more players than the record has seats for, or more tiles than it can number.
    """
    if width * height > MOST_TILES:
        raise FreecivError(f"a map of {width} x {height}; a record has {MOST_TILES} tiles at most")
    if not 2 <= players <= SEATS:
        raise FreecivError(f"{players} players on the server; a record has 2 to {SEATS} seats")
    units = sum(1 << 4 * LETTERS[letter] for letter in start_units)
    return Rules(width, height, reciprocal_of(width), 0, 0, turns, 0, 0, 2, 100, 1, units, players)


class Names:
    """The server's numbers of things and this game's, both ways.

    Attributes:
        units, buildings, techs, governments, terrains: by the server's number, this game's.
        unit_of, building_of, tech_of, government_of: the other way round.
        extras: the server's number of an extra by its name.
    """

    def __init__(self, told: Mapping[str, Mapping[int, Mapping[str, Any]]]):
        def named(packet: str) -> dict[int, str]:
            return {k: one["rule_name"] for k, one in told.get(packet, {}).items()}

        self.units = _places(named("RULESET_UNIT"), UNITS)
        self.techs = _places(named("RULESET_TECH"), TECHS)
        self.governments = _places(named("RULESET_GOVERNMENT"), GOVERNMENTS)
        terrains = {k: SAME.get(name, name) for k, name in named("RULESET_TERRAIN").items()}
        self.terrains = _places(terrains, TERRAINS)
        self.buildings = {}
        for k, name in named("RULESET_BUILDING").items():
            place = _building(OURS.get(name, name))
            if place is not None:
                self.buildings[k] = place
        self.extras = {name: k for k, name in named("RULESET_EXTRA").items()}
        self.extra_names = named("RULESET_EXTRA")
        self.unit_of, self.building_of, self.tech_of, self.government_of = (
            {ours: theirs for theirs, ours in table.items()}
            for table in (self.units, self.buildings, self.techs, self.governments)
        )


def _places(names: Mapping[int, str], known: tuple[str, ...]) -> dict[int, int]:
    return {k: known.index(name) for k, name in names.items() if name in known}


def _building(name: str) -> int | None:
    """This game's number of a building by the server's name, whose wonders have longer ones."""
    if name in BUILDINGS[:COINAGE]:
        return BUILDINGS.index(name)
    if name == "Coinage":
        return COINAGE
    for k in range(FIRST_WONDER, COINAGE):
        if BUILDINGS[k] in name:
            return k
    return None


class Recorder:
    """Makes records of one player's world.

    Attributes:
        rules: of the record. names: of things. seats: the server's players by seat.
        units, cities: by place of the own tables, the server's numbers.
        left_out: what the record cannot hold, and how often it was met.
    """

    def __init__(self, world: World, turns: int, start_units: str):
        self.world, self.names = world, Names(world.rules)
        # Barbarians and animals are no seats.
        self.seats = sorted(k for k, one in world.players.items() if not one["barbarian_type"])
        self.rules = rules_for(world.width, world.height, turns, len(self.seats), start_units)
        self.states = core.new_states(self.rules)
        self.seat = self.seats.index(world.player)
        self.units: list[int] = []
        self.cities: list[int] = []
        self.left_out: Counter[str] = Counter()
        self._seat_of = {player: seat for seat, player in enumerate(self.seats)}

    def make(self) -> np.ndarray:
        """The record (1,) of the world as it is, with the player's own decision to come."""
        rules, s = self.rules, self.states[0]
        start.clear_tiles(s)
        for seat in range(SEATS):
            start.clear_seat(rules, s, seat)
        s["wonder_owner"][:] = -1
        s["turn"], s["over"], s["philosophy"] = max(1, self.world.turn), self.world.is_over, 0
        s["player"], s["stage"], s["actor"] = self.seat, 1, 0
        s["council"], s["decisions"], s["woken"], s["summoned"] = 0, 0, 0, 0
        s["seen"][:] = 0
        self._tiles(s)
        places = self._cities(s)
        self._units(s, places)
        self._fields(s, places)
        self._nations(s)
        self._offers(s)
        return self.states

    def player_of(self, seat: int) -> int:
        """The server's player of a seat."""
        return self.seats[seat]

    # --- tiles -----------------------------------------------------------------------------------

    def _tiles(self, s: Any) -> None:
        for tile, told in self.world.tiles.items():
            if not told["known"]:
                continue
            s["known"][tile] |= 1 << self.seat
            s["sight"][self.seat][tile] = told["known"] == 2
            kind = self.names.terrains.get(told["terrain"], 0)
            s["terrain"][tile] = kind
            resource = self.names.extra_names.get(told["resource"], "")
            if resource in RESOURCES[kind]:
                s["resource"][tile] = 1 + RESOURCES[kind].index(resource)
            works, owner = self._works(told), self._seat_of.get(told["owner"], -1)
            if told["known"] == 2 or owner == self.seat:
                s["works"][tile], s["owner"][tile] = works, owner
            else:
                s["seen"][self.seat][tile] = works | (owner + 1) << OWNER_AT

    def _works(self, told: Mapping[str, Any]) -> int:
        bits = int.from_bytes(told["extras"], "little")
        works = 0
        for name, bit in _WORKS.items():
            if name in self.names.extras and bits >> self.names.extras[name] & 1:
                works |= bit
        return works

    # --- cities ----------------------------------------------------------------------------------

    def _cities(self, s: Any) -> dict[int, tuple[int, int]]:
        """Write all cities; (seat, place) by the server's numbers."""
        places: dict[int, tuple[int, int]] = {}
        taken = [0] * SEATS
        self.cities = []
        for number in sorted(self.world.cities):
            told = self.world.cities[number]
            seat = self._seat_of.get(told["owner"], -1)
            if seat < 0:
                continue
            tile, size = told["tile"], min(30, told["size"])
            built = self._built(told)
            if seat != self.seat and not s["sight"][self.seat][tile]:
                walls = built >> CITY_WALLS & 1
                memory = int(s["seen"][self.seat][tile]) & ~(7 << OWNER_AT)
                memory |= (seat + 1) << OWNER_AT | size << SIZE_AT | walls << WALLS_AT
                s["seen"][self.seat][tile] = memory
                continue
            place = taken[seat]
            if place == MOST_CITIES:
                self.left_out["cities beyond 12"] += 1
                continue
            taken[seat] += 1
            places[number] = seat, place
            s["city_tile"][seat][place], s["city_size"][seat][place] = tile, size
            s["city_at"][tile] = seat << SEAT_AT | place
            s["owner"][tile], s["city_built"][seat][place] = seat, built
            s["city_name"][seat][place] = seat * 64 + place
            s["city_item"][seat][place] = ITEM_COINAGE
            if seat == self.seat:
                self.cities.append(number)
                s["city_food"][seat][place] = told["food_stock"]
                s["city_shields"][seat][place] = told["shield_stock"]
                s["city_item"][seat][place] = self._item(told)
            s["founded"][seat] = taken[seat]
        return places

    def _built(self, told: Mapping[str, Any]) -> int:
        bits, built = int.from_bytes(told["improvements"], "little"), 0
        for theirs, ours in self.names.buildings.items():
            if bits >> theirs & 1 and ours < COINAGE:
                built |= 1 << ours
        return built

    def _item(self, told: Mapping[str, Any]) -> int:
        kind, value = told["production_kind"], told["production_value"]
        if kind == UNIT_KIND and value in self.names.units:
            return self.names.units[value]
        if kind == BUILDING_KIND and value in self.names.buildings:
            return ITEM_BUILDING + self.names.buildings[value]
        self.left_out["what a city makes"] += 1
        return ITEM_COINAGE

    # --- units -----------------------------------------------------------------------------------

    def _units(self, s: Any, places: Mapping[int, tuple[int, int]]) -> None:
        taken = [0] * SEATS
        self.units = []
        for number in sorted(self.world.units):
            told = self.world.units[number]
            seat, kind = self._seat_of.get(told["owner"], -1), self.names.units.get(told["type"])
            if seat < 0 or kind is None or told.get("transported"):
                self.left_out["units of other types"] += kind is None
                continue
            place, tile = taken[seat], told["tile"]
            if place == MOST_UNITS or s["terrain"][tile] == 0:
                self.left_out["units beyond 40, or at sea"] += 1
                continue
            taken[seat] += 1
            s["unit_type"][seat][place], s["unit_tile"][seat][place] = kind, tile
            s["unit_hp"][seat][place], s["unit_level"][seat][place] = told["hp"], told["veteran"]
            troops.stand(s, seat, place, tile)
            activity = told["activity"]
            if activity in (_FORTIFIED, _FORTIFYING):
                s["unit_order"][seat][place] = FORTIFIED
            if seat != self.seat:
                continue
            self.units.append(number)
            s["unit_moves"][seat][place] = min(255, told["movesleft"])
            home = places.get(told["homecity"])
            s["unit_home"][seat][place] = home[1] if home else -1
            if activity == _SENTRY:
                s["unit_order"][seat][place] = SENTRY
            elif told["ai"] or activity in _WORKING or activity == _EXPLORING or told["has_orders"]:
                # The server lets it go on; here it is busy.
                s["unit_order"][seat][place] = WORK
                s["unit_work"][seat][place] = _WORKING.get(activity, 1)
        for tile in np.flatnonzero(s["army"] >= 0).tolist():
            if s["army"][tile] != self.seat and not s["sight"][self.seat][tile]:
                self._remember_army(s, tile)

    def _remember_army(self, s: Any, tile: int) -> None:
        """Units that the server still shows on a tile out of sight are a memory."""
        army, count = int(s["army"][tile]), int(s["stack"][tile])
        places = np.flatnonzero((s["unit_tile"][army] == tile) & (s["unit_type"][army] >= 0))
        kind = int(s["unit_type"][army][places[0]])
        s["seen"][self.seat][tile] |= (army + 1) << ARMY_AT | kind << TYPE_AT | count << COUNT_AT
        for place in places.tolist():
            troops.leave(s, army, place)
            troops.clear_unit(s, army, place)

    # --- what belongs to whom --------------------------------------------------------------------

    def _fields(self, s: Any, places: Mapping[int, tuple[int, int]]) -> None:
        rules, s_owner = self.rules, s["owner"]
        for number, (seat, place) in places.items():
            if seat == self.seat:
                for tile, told in self.world.tiles.items():
                    if told["worked"] == number and told["known"]:
                        s["worker"][tile] = place
                        if s_owner[tile] != seat:
                            s_owner[tile] = seat
                s["worker"][self.world.cities[number]["tile"]] = place
        for tile in np.flatnonzero(s_owner >= 0).tolist():
            seat = int(s_owner[tile])
            near = [
                (int(output.distance(rules, int(centre), tile)), place)
                for place, centre in enumerate(s["city_tile"][seat])
                if centre >= 0
            ]
            s["town"][tile] = min(near)[1] if near else -1

    def _nations(self, s: Any) -> None:
        names = self.names
        for player, seat in self._seat_of.items():
            told = self.world.players[player]
            s["alive"][seat] = told["is_alive"]
            s["gold"][seat], s["score"][seat] = told["gold"], told["score"]
            rates = told["tax"], told["luxury"], told["science"]
            if sum(rates) == 100:
                s["tax"][seat], s["luxury"][seat], s["science"][seat] = rates
            s["government"][seat] = names.governments.get(told["government"], 1)
            s["next_government"][seat] = s["government"][seat]
            if s["government"][seat] == 0:
                s["anarchy_left"][seat] = max(1, told["revolution_finishes"] - self.world.turn)
            science = self.world.research.get(player)
            if science is not None:
                self._science(s, seat, science)
            for other, place in self._seat_of.items():
                if other != player and told["real_embassy"][other]:
                    s["embassy"][seat] |= 1 << place
            for wonder in range(FIRST_WONDER, COINAGE):
                theirs = names.building_of.get(wonder, -1)
                if theirs >= 0 and told["wonders"][theirs] > 0:
                    s["wonder_owner"][wonder - FIRST_WONDER] = seat
        for told in self.world.relations.values():
            if told["plr1"] not in self._seat_of or told["plr2"] not in self._seat_of:
                continue
            one, other = self._seat_of[told["plr1"]], self._seat_of[told["plr2"]]
            peace = told["type"] in (0, 3, 4, 6)  # armistice, peace, alliance, team
            for a, b in ((one, other), (other, one)):
                s["peace"][a] |= peace << b
                s["contact"][a] |= (told["contact_turns_left"] > 0) << b

    def _offers(self, s: Any) -> None:
        """Treaties that wait for the player's answer."""
        for player, meeting in self.world.meetings.items():
            seat = self._seat_of.get(player, -1)
            if seat < 0 or not meeting.accepted or meeting.we_accepted:
                continue
            found = offer_of(meeting.clauses, player, self.names.techs)
            if found is None:
                continue
            for name, value in zip(
                ("offer", "offer_gives", "offer_takes", "offer_gold"), found, strict=True
            ):
                s[name][self.seat][seat] = value

    def _science(self, s: Any, seat: int, told: Mapping[str, Any]) -> None:
        for theirs, letter in enumerate(told["inventions"]):
            if letter == "2" and theirs in self.names.techs:
                s["techs"][seat] |= np.uint64(1) << np.uint64(self.names.techs[theirs])
        s["bulbs"][seat] = told["bulbs_researched"]
        s["researching"][seat] = self.names.techs.get(told["researching"], -1)
