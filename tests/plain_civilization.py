"""A city's turn of Civilization written plainly, from the game's page, without its kernel."""

from __future__ import annotations

from typing import Any

from stratagym.envs.civilization import tables as t

BASE = {0: (9, 6), 1: (10, 10), 2: (11, 12), 3: (13, 14), 4: (14, 16)}


def has(s: Any, seat: int, city: int, name: str) -> bool:
    return bool(int(s["city_built"][seat][city]) >> t.BUILDINGS.index(name) & 1)


def owns(s: Any, seat: int, name: str) -> bool:
    """Whether a wonder stands in one of a seat's cities."""
    return any(s["city_tile"][seat][city] >= 0 and has(s, seat, city, name) for city in range(12))


def knows(s: Any, seat: int, name: str) -> bool:
    return bool(int(s["techs"][seat]) >> t.TECHS.index(name) & 1)


def apart(rules: Any, a: int, b: int) -> tuple[int, int]:
    """Columns and rows between two tiles, the shorter way."""
    dx = abs(a % rules.width - b % rules.width)
    dy = abs(a // rules.width - b // rules.width)
    dx = min(dx, rules.width - dx)
    return dx, min(dy, rules.height - dy) if rules.wraps_y else dy


def tile_output(s: Any, seat: int, city: int, tile: int) -> list[int]:
    kind, works = int(s["terrain"][tile]), int(s["works"][tile])
    out = list(t.OUTPUT[kind].tolist())
    if s["resource"][tile]:
        extra = t.EXTRA_OUTPUT[kind][int(s["resource"][tile]) - 1].tolist()
        out = [a + b for a, b in zip(out, extra, strict=True)]
    centre = tile == s["city_tile"][seat][city]
    name = t.TERRAINS[kind]
    irrigable = ("Grassland", "Plains", "Desert", "Tundra", "Hills")
    if works & 2 or (centre and name in irrigable):
        out[0] += 1
    if works & 4:
        out[1] += 3 if name == "Hills" else 1
    if (works & 1 or centre) and name in ("Grassland", "Plains", "Desert"):
        out[2] += 1
    if name == "Ocean" and has(s, seat, city, "Harbor"):
        out[0] += 1
    if out[1] and has(s, seat, city, "King Richard"):
        out[1] += 1
    government = t.GOVERNMENTS[int(s["government"][seat])]
    if out[2]:
        out[2] += has(s, seat, city, "Colossus") + (government in ("Republic", "Democracy"))
    if government in ("Anarchy", "Despotism"):
        out = [x - 1 if x > 2 else x for x in out]
    if centre:
        out[0], out[1] = max(out[0], 1), max(out[1], 1)
    return out


def home_units(s: Any, seat: int, city: int) -> list[int]:
    return [
        unit
        for unit in range(40)
        if s["unit_type"][seat][unit] >= 0 and s["unit_home"][seat][unit] == city
    ]


def accounts(rules: Any, s: Any, seat: int, city: int) -> dict[str, int]:
    """Surpluses, trade, tax, luxury, science, happy and unhappy citizens of a city."""
    food = shields = trade = 0
    for tile in range(rules.width * rules.height):
        if s["owner"][tile] == seat and s["worker"][tile] == city:
            a, b, c = tile_output(s, seat, city, tile)
            food, shields, trade = food + a, shields + b, trade + c
    government = t.GOVERNMENTS[int(s["government"][seat])]
    palace = has(s, seat, city, "Palace")
    if palace:
        shields = shields * {"Despotism": 175, "Monarchy": 150}.get(government, 100) // 100
    base, step = {
        "Anarchy": (25, 2), "Despotism": (37, 4), "Monarchy": (15, 2), "Republic": (15, 2),
        "Democracy": (0, 0),
    }[government]  # fmt: skip
    far = 16
    for other in range(12):
        if s["city_tile"][seat][other] >= 0 and has(s, seat, other, "Palace"):
            tiles = int(s["city_tile"][seat][city]), int(s["city_tile"][seat][other])
            far = max(apart(rules, *tiles))
    percent = min(100, base + step * far)
    if palace or has(s, seat, city, "Courthouse"):
        percent //= 2
    trade -= trade * percent // 100
    rates = [int(s[name][seat]) for name in ("science", "tax", "luxury")]
    parts = [trade * rate // 100 for rate in rates]
    order = sorted(range(3), key=lambda k: (-(trade * rates[k] % 100), k))
    for k in order[: trade - sum(parts)]:
        parts[k] += 1
    science, tax, luxury = parts
    coins = 100 + 50 * has(s, seat, city, "Marketplace") + 50 * has(s, seat, city, "Bank")
    university = has(s, seat, city, "University")
    wisdom = 100 + 100 * has(s, seat, city, "Library") + 150 * university
    wisdom += 100 * has(s, seat, city, "Copernicus")
    wisdom += 100 * (university and has(s, seat, city, "Newton"))
    tax, luxury, science = tax * coins // 100, luxury * coins // 100, science * wisdom // 100
    units = home_units(s, seat, city)
    happy, unhappy = moods(s, seat, city, government, luxury, units)
    if unhappy > happy:
        shields = tax = science = 0
    settlers = sum(s["unit_type"][seat][unit] == 0 for unit in units)
    late = government in ("Republic", "Democracy")
    food -= 2 * int(s["city_size"][seat][city]) + (2 if late else 1) * settlers
    shields -= max(0, len(units) - (0 if late else 3))
    return {
        "food": food, "shields": shields, "trade": trade, "tax": tax, "luxury": luxury,
        "science": science, "happy": happy, "unhappy": unhappy,
    }  # fmt: skip


def moods(
    s: Any, seat: int, city: int, government: str, luxury: int, units: list[int]
) -> tuple[int, int]:
    size = int(s["city_size"][seat][city])
    cities = sum(tile >= 0 for tile in s["city_tile"][seat].tolist())
    base, step = BASE[t.GOVERNMENTS.index(government)]
    steps = 0 if cities <= base else 1 + (cities - base - 1) // step
    mood = [0] * size  # -1 unhappy, 0 content, 1 happy
    for k in range(max(0, 4 - steps), size):
        mood[k] = -1
    for _ in range(luxury // 2):
        if 0 in mood[: max(0, 4 - steps)]:
            mood[mood.index(0)] = 1
        elif -1 in mood:
            mood[mood.index(-1)] = 0
    calm = 0
    if has(s, seat, city, "Temple"):
        calm += 1 + knows(s, seat, "Mysticism") + 2 * owns(s, seat, "Oracle")
    calm += 3 * has(s, seat, city, "Colosseum")
    if has(s, seat, city, "Cathedral") or owns(s, seat, "Michelangelo"):
        calm += 3 + knows(s, seat, "Theology")
    calm += 2 * owns(s, seat, "Bach")
    tile = s["city_tile"][seat][city]
    guards = sum(
        s["unit_type"][seat][unit] >= 0
        and s["unit_tile"][seat][unit] == tile
        and t.ATTACK[s["unit_type"][seat][unit]] > 0
        for unit in range(40)
    )
    calm += {"Despotism": guards, "Monarchy": min(3, guards)}.get(government, 0)
    for _ in range(calm):
        if -1 in mood:
            mood[mood.index(-1)] = 0
    abroad = sum(
        t.ATTACK[s["unit_type"][seat][unit]] > 0 and s["owner"][s["unit_tile"][seat][unit]] != seat
        for unit in units
    )
    for _ in range({"Republic": 1, "Democracy": 2}.get(government, 0) * abroad):
        if 0 in mood:
            mood[mood.index(0)] = -1
    if owns(s, seat, "Hanging Gardens"):
        for _ in range(4 if has(s, seat, city, "Hanging Gardens") else 1):
            if 0 in mood:
                mood[mood.index(0)] = 1
    if has(s, seat, city, "Shakespeare"):
        mood = [max(0, one) for one in mood]
    return mood.count(1), mood.count(-1)
