"""What a seat knows, in words: turn, seats, cities, units, the map, the tiles about an actor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from stratagym.envs.civilization import output, sight, towns, turns
from stratagym.envs.civilization.geography import column_of, row_of, tile_at
from stratagym.envs.civilization.naming import TREATY_WORDS, city_name, unit_name
from stratagym.envs.civilization.state import (
    ARMY_AT,
    BOUGHT,
    CHOOSING,
    COUNT_AT,
    FOUNDED_NOW,
    FREE_CHANGE,
    ITEM_ASKED,
    MOST_COUNCIL,
    MOST_COUNTED,
    MOST_DECISIONS,
    ORDERS,
    OWNER_AT,
    PLACE,
    SIZE_AT,
    TYPE_AT,
    WALLS_AT,
)
from stratagym.envs.civilization.tables import (
    BUILDINGS,
    FIRST_WONDER,
    GOVERNMENTS,
    HIT_POINTS,
    ITEM_COST,
    ITEMS,
    RESOURCES,
    TECHS,
    TERRAINS,
    UNITS,
    WORKS,
)

LETTERS = "OGPDTHFSJM"
"""Of the terrains on the map."""
LEVELS = ("green", "veteran", "hardened", "elite")
Known = tuple[int, int, int, int, int, int, int]
"""Works, owner or -1, size of a foreign city, its walls, seat of foreign units or -1, the type of
their best defender, how many."""


def place(rules: Any, tile: int) -> str:
    """A tile as ``(x, y)``."""
    return f"({column_of.py_func(rules, tile)},{row_of.py_func(rules, tile)})"


def known_tiles(rules: Any, s: Any, seat: int) -> list[Known | None]:
    """What a seat knows of each tile; None of one that it has never seen."""
    found: list[Known | None] = []
    known, in_sight = s["known"].tolist(), s["sight"][seat].tolist()
    memories = s["seen"][seat].tolist()
    works, owner = s["works"].tolist(), s["owner"].tolist()
    city_at, army = s["city_at"].tolist(), s["army"].tolist()
    for tile in range(rules.width * rules.height):
        if not known[tile] >> seat & 1:
            found.append(None)
            continue
        memory = memories[tile]
        if in_sight[tile]:
            plain = city_at[tile] < 0 or city_at[tile] >> 4 == seat
            if plain and army[tile] in (-1, seat):
                found.append((works[tile], owner[tile], 0, 0, -1, 0, 0))
                continue
            memory = int(sight.as_it_is(s, seat, tile))
        found.append(
            (
                memory & 7,
                (memory >> OWNER_AT & 7) - 1,
                memory >> SIZE_AT & 31,
                memory >> WALLS_AT & 1,
                (memory >> ARMY_AT & 7) - 1,
                memory >> TYPE_AT & 15,
                memory >> COUNT_AT & MOST_COUNTED,
            )
        )
    return found


def listed(things: Iterable[str]) -> str:
    """Things with commas between; ``none`` for nothing."""
    return ", ".join(things) or "none"


def techs_text(techs: int) -> str:
    """The names of techs, a bit each."""
    return listed(name for k, name in enumerate(TECHS) if techs >> k & 1)


# --- seats ---------------------------------------------------------------------------------------


def turn_text(rules: Any, s: Any, seat: int) -> list[str]:
    """The turn, and what is left of it."""
    lines = [f"Turn {int(s['turn'])} of {rules.turns}."]
    if s["player"] == seat:
        left = MOST_DECISIONS - int(s["decisions"])
        own = MOST_COUNCIL - int(s["council"])
        lines[0] += f" You may decide {left} more times this turn, {own} of them as the player."
        if s["woken"]:
            lines.append("All units with moves are asked this turn.")
        if s["summoned"]:
            lines.append("All cities are asked this turn.")
    return lines


def own_text(rules: Any, s: Any, seat: int) -> list[str]:
    """A seat's own treasury, government and science."""
    government = GOVERNMENTS[int(s["government"][seat])]
    if s["anarchy_left"][seat]:
        after = GOVERNMENTS[int(s["next_government"][seat])]
        government += f" for {int(s['anarchy_left'][seat])} more turns, then {after}"
    tech = int(s["researching"][seat])
    science = f"{int(s['bulbs'][seat])} bulbs, nothing chosen"
    if tech >= 0:
        cost = int(turns.tech_cost.py_func(rules, tech))
        science = f"{TECHS[tech]}, {int(s['bulbs'][seat])} of {cost} bulbs"
    if s["discovered"][seat]:
        science += " (a tech was found this turn: the choice is free)"
    rates = "/".join(str(int(s[name][seat])) for name in ("tax", "luxury", "science"))
    return [
        f"You: {int(s['gold'][seat])} gold; {government}; rates (tax/luxury/science) {rates}; "
        f"score {int(s['score'][seat])}.",
        f"Research: {science}.",
        f"Techs: {techs_text(int(s['techs'][seat]))}.",
        f"Units built, killed, lost: {int(s['units_built'][seat])}, "
        f"{int(s['units_killed'][seat])}, {int(s['units_lost'][seat])}; cities founded: "
        f"{int(s['founded'][seat])}.",
    ]


def clauses_text(s: Any, seat: int, proposer: int) -> str:
    """A treaty on the table, as its proposer would say it."""
    words = TREATY_WORDS[int(s["offer"][seat][proposer])]
    parts = []
    gives, takes = int(s["offer_gives"][seat][proposer]), int(s["offer_takes"][seat][proposer])
    gold = int(s["offer_gold"][seat][proposer])
    if gives >= 0:
        parts.append(f"the proposer gives {TECHS[gives]}")
    if takes >= 0:
        parts.append(f"the proposer gets {TECHS[takes]}")
    if gold:
        parts.append(f"the proposer {'pays' if gold > 0 else 'gets'} {abs(gold)} gold")
    return words + (f" ({'; '.join(parts)})" if parts else "")


def others_text(rules: Any, s: Any, seat: int) -> list[str]:
    """The other seats, and what there is between them and this one."""
    lines = []
    for other in range(rules.num_players):
        if other == seat:
            continue
        name = f"Player {other}"
        if not s["alive"][other]:
            lines.append(f"{name} is out.")
            continue
        parts = ["peace" if s["peace"][seat] >> other & 1 else "war"]
        if s["cancelled"][seat] >> other & 1:
            parts[0] = "peace that ends with this turn"
        parts.append("contact" if s["contact"][seat] >> other & 1 else "no contact")
        if towns.has_embassy(s, seat, other):
            parts.append("you have an embassy")
            parts.append(f"{int(s['gold'][other])} gold")
            parts.append(GOVERNMENTS[int(s["government"][other])])
            parts.append(f"score {int(s['score'][other])}")
            parts.append(f"techs: {techs_text(int(s['techs'][other]))}")
        if s["embassy"][seat] >> other & 1:
            parts.append("embassies were exchanged")
        if s["offer"][seat][other] >= 0:
            parts.append(f"it proposes {clauses_text(s, seat, other)}")
        if s["offer"][other][seat] >= 0:
            parts.append(f"it has not answered your proposal of {clauses_text(s, other, seat)}")
        if s["proposed"][seat] >> other & 1:
            parts.append("you made it a proposal this turn")
        lines.append(f"{name}: {'; '.join(parts)}.")
    wonders = [
        f"{BUILDINGS[FIRST_WONDER + k]} ({'lost' if owner < 0 else f'Player {owner}'})"
        for k, owner in enumerate(s["wonder_owner"].tolist())
        if owner != -1
    ]
    if wonders:
        lines.append(f"Wonders that were built: {listed(wonders)}.")
    if s["philosophy"]:
        lines.append("The free tech of Philosophy is taken.")
    return lines


# --- cities and units ----------------------------------------------------------------------------


def city_text(rules: Any, s: Any, seat: int, city: int) -> str:
    """One of a seat's cities with all that counts of it."""
    accounts = output.balance(rules, s, seat, city)
    food, shields, trade, tax, luxury, science, happy, unhappy = map(int, accounts)
    size, item = int(s["city_size"][seat][city]), int(s["city_item"][seat][city])
    flags, built = int(s["city_flags"][seat][city]), int(s["city_built"][seat][city])
    cost = int(ITEM_COST[item])
    stock = int(s["city_shields"][seat][city])
    parts = [
        f"size {size}",
        f"food {int(s['city_food'][seat][city])}/{output.granary.py_func(size)} ({food:+d})",
        f"makes {ITEMS[item]}, shields {stock}/{cost} ({shields:+d})",
        f"trade {trade}: tax {tax}, luxury {luxury}, science {science}",
        f"happy {happy}, unhappy {unhappy}" + (", disorder" if unhappy > happy else ""),
        f"has {listed(name for k, name in enumerate(BUILDINGS) if built >> k & 1)}",
    ]
    if s["city_unrest"][seat][city]:
        parts.append(f"turns of disorder {int(s['city_unrest'][seat][city])}")
    told = (
        (CHOOSING, "wants an item"),
        (FREE_CHANGE, "may change its class of item without a loss"),
        (FOUNDED_NOW, "is not asked this turn"),
        (BOUGHT, "has bought"),
        (ITEM_ASKED, "was asked this turn"),
    )
    parts += [words for flag, words in told if flags & flag]
    name = city_name(int(s["city_name"][seat][city]))
    return f"- {name} at {place(rules, int(s['city_tile'][seat][city]))}: {'; '.join(parts)}"


def unit_text(rules: Any, s: Any, seat: int, unit: int) -> str:
    """One of a seat's units with all that counts of it."""
    kind = int(s["unit_type"][seat][unit])
    home = int(s["unit_home"][seat][unit])
    order = ORDERS[int(s["unit_order"][seat][unit])]
    if work := int(s["unit_work"][seat][unit]):
        order += f" at {WORKS[work - 1]} for {int(s['unit_progress'][seat][unit])} turns"
    parts = [
        f"hp {int(s['unit_hp'][seat][unit])}/{int(HIT_POINTS[kind])}",
        f"moves {int(s['unit_moves'][seat][unit])}/3",
        LEVELS[int(s["unit_level"][seat][unit])],
        order,
        f"home {city_name(int(s['city_name'][seat][home])) if home >= 0 else 'none'}",
        f"since turn {int(s['unit_born'][seat][unit])}",
    ]
    if s["unit_busy"][seat][unit]:
        parts.append("has moved")
    if s["unit_done"][seat][unit]:
        parts.append("done")
    tile = place(rules, int(s["unit_tile"][seat][unit]))
    return f"- {unit_name(s, seat, unit)} at {tile}: {', '.join(parts)}"


def assets_text(rules: Any, s: Any, seat: int) -> list[str]:
    """A seat's cities and units."""
    cities = [city for city, tile in enumerate(s["city_tile"][seat].tolist()) if tile >= 0]
    units = [unit for unit, kind in enumerate(s["unit_type"][seat].tolist()) if kind >= 0]
    lines = [f"Your cities ({len(cities)}):"]
    lines += [city_text(rules, s, seat, city) for city in cities]
    lines.append(f"Your units ({len(units)}):")
    lines += [unit_text(rules, s, seat, unit) for unit in units]
    return lines


# --- the map -------------------------------------------------------------------------------------


def grid(rules: Any, cells: list[str]) -> list[str]:
    """Rows of a map, each with its number."""
    width = rules.width
    return [f"{y:>2} {''.join(cells[y * width : (y + 1) * width])}" for y in range(rules.height)]


def map_text(rules: Any, s: Any, seat: int) -> list[str]:
    """All that a seat knows of the map."""
    known = known_tiles(rules, s, seat)
    terrain, resource = s["terrain"].tolist(), s["resource"].tolist()
    town, worker, owner = s["town"].tolist(), s["worker"].tolist(), s["owner"].tolist()
    lines = ["Terrain (rows from north to south; a letter for each column from 0):"]
    lines += grid(
        rules, ["?" if one is None else LETTERS[terrain[k]] for k, one in enumerate(known)]
    )
    lines.append("Works (1 road + 2 irrigation + 4 mine):")
    lines += grid(rules, ["?" if one is None else str(one[0] or ".") for one in known])
    lines.append(
        "Borders (a number: that player's; a letter: yours, of the city with that letter):"
    )
    cells = []
    for tile, one in enumerate(known):
        if owner[tile] == seat:
            cells.append(chr(ord("a") + town[tile]) if town[tile] >= 0 else "=")
        elif one is None:
            cells.append("?")
        else:
            cells.append(str(one[1]) if one[1] >= 0 else ".")
    lines += grid(rules, cells)
    for city, tile in enumerate(s["city_tile"][seat].tolist()):
        if tile >= 0:
            at = [k for k in range(len(known)) if owner[k] == seat and worker[k] == city]
            fields = " ".join(place(rules, k) for k in at if k != tile)
            name = city_name(int(s["city_name"][seat][city]))
            lines.append(f"{name} ({chr(ord('a') + city)}) works {fields or 'nothing'}.")
    found = [
        f"{RESOURCES[terrain[k]][resource[k] - 1]} {place(rules, k)}"
        for k, one in enumerate(known)
        if one is not None and resource[k]
    ]
    lines.append(f"Resources: {listed(found)}.")
    lines += foreign_text(rules, s, seat, known)
    return lines


def foreign_text(rules: Any, s: Any, seat: int, known: list[Known | None]) -> list[str]:
    """Cities and units of others, seen or remembered."""
    lines = []
    for tile, one in enumerate(known):
        if one is None:
            continue
        _, owner, size, walls, army, kind, count = one
        is_seen = bool(s["sight"][seat][tile])
        when = "" if is_seen else ", last seen"
        if size:
            told = f"of Player {owner}, size {size}{' with walls' if walls else ''}"
            lines.append(f"- City at {place(rules, tile)} {told}{when}")
        if army >= 0 and is_seen:
            units = [unit for unit, at in enumerate(s["unit_tile"][army].tolist()) if at == tile]
            told = ", ".join(_foreign_unit(s, army, unit) for unit in units)
            lines.append(f"- Units of Player {army} at {place(rules, tile)}: {told}")
        elif army >= 0:
            lines.append(
                f"- Units of Player {army} at {place(rules, tile)}: {count}, the best defender "
                f"{UNITS[kind]}{when}"
            )
    return ["Others on the map:", *lines] if lines else ["Others on the map: none known."]


def _foreign_unit(s: Any, seat: int, unit: int) -> str:
    kind = int(s["unit_type"][seat][unit])
    order = " fortified" if s["unit_order"][seat][unit] == 1 else ""
    level = LEVELS[int(s["unit_level"][seat][unit])]
    return f"{UNITS[kind]} ({int(s['unit_hp'][seat][unit])}/{int(HIT_POINTS[kind])} {level}{order})"


# --- tiles about an actor, as agents of CivRealm are told them ------------------------------------


def _way(dx: int, dy: int) -> str:
    """Such as ``north_1_east_2``."""
    parts = []
    if dy:
        parts.append(f"{'north' if dy < 0 else 'south'}_{abs(dy)}")
    if dx:
        parts.append(f"{'west' if dx < 0 else 'east'}_{abs(dx)}")
    return "_".join(parts) or "current"


def _things(s: Any, seat: int, known: list[Known | None], tile: int) -> list[str]:
    """What is on a tile, a word for each thing."""
    one = known[tile]
    if one is None:
        return ["unexplored"]
    works, owner, size, _, army, kind, count = one
    things = [TERRAINS[int(s["terrain"][tile])]]
    if s["resource"][tile]:
        things.append(RESOURCES[int(s["terrain"][tile])][int(s["resource"][tile]) - 1])
    things += [name for k, name in enumerate(WORKS) if works >> k & 1]
    if owner >= 0:
        things.append("own land" if owner == seat else f"land of Player {owner}")
    if size:
        things.append(f"city of Player {owner}")
    if army >= 0:
        things += [f"{UNITS[kind]} of Player {army}"] * count
    there = int(s["city_at"][tile])
    if there >= 0 and there >> 4 == seat:
        things.append(f"own city {city_name(int(s['city_name'][seat][there & PLACE]))}")
    if s["army"][tile] == seat:
        for unit, at in enumerate(s["unit_tile"][seat].tolist()):
            if at == tile:
                things.append(f"own {UNITS[int(s['unit_type'][seat][unit])]}")
    return things


def _counted(things: Iterable[str]) -> str:
    return ", ".join(f"{count} {thing}" for thing, count in Counter(things).items())


def zoom_text(rules: Any, s: Any, seat: int, centre: int, size: int) -> list[str]:
    """Counts of what is in the nine blocks of ``size`` x ``size`` tiles about a tile."""
    known = known_tiles(rules, s, seat)
    x, y = column_of.py_func(rules, centre), row_of.py_func(rules, centre)
    lines, half, done = [], size // 2, set()
    for v in (-1, 0, 1):
        for h in (-1, 0, 1):
            things = []
            for dy in range(v * size - half, v * size + half + 1):
                for dx in range(h * size - half, h * size + half + 1):
                    tile = tile_at.py_func(rules, (x + dx) % rules.width, y + dy)
                    if -rules.height < y + dy < 2 * rules.height and tile >= 0:
                        if tile not in done:
                            things += _things(s, seat, known, tile)
                        done.add(tile)
            if things:
                lines.append(f"block_{_way(h, v)}: [{_counted(things)}]")
    return lines


def near_text(rules: Any, s: Any, seat: int, centre: int) -> list[str]:
    """What is on each tile within two steps of a tile."""
    known = known_tiles(rules, s, seat)
    x, y = column_of.py_func(rules, centre), row_of.py_func(rules, centre)
    lines = []
    for dy in range(-2, 3):
        for dx in range(-2, 3):
            tile = tile_at.py_func(rules, x + dx, y + dy)
            if tile >= 0:
                things = _things(s, seat, known, tile)
                lines.append(f"tile_{_way(dx, dy)}: [{_counted(things)}]")
    return lines
