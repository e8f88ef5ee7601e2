"""The map as a picture: terrain, works, borders, cities, units, and fog for a seat."""

from __future__ import annotations

from typing import Any

import numpy as np

from stratagym.envs.civilization.naming import city_name
from stratagym.envs.civilization.state import PLACE
from stratagym.envs.civilization.tables import IRRIGATION, MINE, ROAD
from stratagym.envs.civilization.telling import known_tiles
from stratagym.envs.drawing import INK, PAPER, Canvas, mix

SEAT_COLOURS = ((196, 58, 48), (44, 96, 190), (226, 160, 32), (126, 66, 160))
_TERRAIN = (
    (96, 152, 206), (126, 184, 92), (196, 190, 110), (226, 206, 150), (206, 214, 204),
    (166, 140, 96), (70, 130, 76), (104, 142, 112), (54, 108, 60), (140, 128, 122),
)  # fmt: skip
_UNKNOWN = (28, 32, 42)
_ROAD, _WATER, _MINE = (120, 84, 50), (60, 120, 200), (60, 52, 48)
_SIGNS = ("S", "W", "E", "wa", "ph", "ar", "le", "pi", "mu", "ho", "ch", "kn", "ca", "cn", "C")
"""Of the types of units: who does not fight in capitals."""
_TOP = 1.5


def _terrain(canvas: Canvas, x: int, y: int, kind: int, fog: float) -> None:
    canvas.box(x, y, 1.01, 1.01, mix(_TERRAIN[kind], _UNKNOWN, fog))
    dark = mix(mix(_TERRAIN[kind], INK, 0.35), _UNKNOWN, fog)
    if kind in (5, 9):  # hills and mountains
        high = 0.45 if kind == 9 else 0.25
        canvas.polygon([(x + 0.2, y + 0.75), (x + 0.5, y + 0.75 - high), (x + 0.8, y + 0.75)], dark)
    elif kind in (6, 8):  # forest and jungle
        for dx in (0.3, 0.65):
            canvas.disc(x + dx, y + 0.55, 0.14, dark)


def _works(canvas: Canvas, x: int, y: int, works: int, resource: int) -> None:
    if works & IRRIGATION:
        canvas.line([(x + 0.1, y + 0.88), (x + 0.9, y + 0.88)], _WATER, 0.07)
    if works & MINE:
        canvas.box(x + 0.72, y + 0.1, 0.18, 0.18, _MINE)
    if works & ROAD:
        canvas.line([(x + 0.08, y + 0.5), (x + 0.92, y + 0.5)], _ROAD, 0.08)
    if resource:
        canvas.disc(x + 0.18, y + 0.2, 0.1, (250, 244, 200))


def _borders(canvas: Canvas, rules: Any, owners: list[int]) -> None:
    width, height = rules.width, rules.height
    for tile, owner in enumerate(owners):
        if owner < 0:
            continue
        x, y, ink = tile % width, tile // width, SEAT_COLOURS[owner]
        for dx, dy, line in (
            (0, -1, ((0, 0.04), (1, 0.04))), (0, 1, ((0, 0.96), (1, 0.96))),
            (-1, 0, ((0.04, 0), (0.04, 1))), (1, 0, ((0.96, 0), (0.96, 1))),
        ):  # fmt: skip
            v = y + dy
            if 0 <= v < height and owners[(x + dx) % width + v * width] == owner:
                continue
            canvas.line([(x + a, y + b) for a, b in line], ink, 0.07)


def _city(canvas: Canvas, x: int, y: int, seat: int, size: int, name: str) -> None:
    canvas.box(x + 0.1, y + 0.1, 0.8, 0.8, (*SEAT_COLOURS[seat], 255), 0.12, (255, 255, 255), 0.05)
    canvas.text(x + 0.5, y + 0.5, str(size), 0.55, (255, 255, 255), 0.03)
    if name:
        canvas.text(x + 0.5, y + 1.12, name, 0.36, (255, 255, 255), 0.06)
        canvas.text(x + 0.5, y + 1.12, name, 0.36, INK)


def _units(canvas: Canvas, x: int, y: int, seat: int, kind: int, count: int, city: bool) -> None:
    cx, cy = (x + 0.82, y + 0.18) if city else (x + 0.5, y + 0.5)
    radius = 0.24 if city else 0.36
    canvas.disc(cx, cy, radius + 0.05, (255, 255, 255))
    canvas.disc(cx, cy, radius, SEAT_COLOURS[seat])
    canvas.text(cx, cy, _SIGNS[kind], radius * 1.1, (255, 255, 255), 0.02)
    if count > 1 and not city:
        canvas.text(x + 0.86, y + 0.82, str(count), 0.32, INK, 0.04)


def picture(rules: Any, s: Any, size: int = 960, seat: int | None = None) -> np.ndarray:
    """Draw a state.

    Args:
        rules: the game's ``Rules``.
        s: one record of the game, such as ``states[0]``.
        size: the width in pixels, about.
        seat: whose view it is, with what it does not see under fog or as it remembers it; None for
            a spectator, who sees all.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    width, height = rules.width, rules.height
    canvas = Canvas(
        width + 0.4, height + _TOP + 0.3, max(8, int(size / (width + 0.4))), PAPER, (0.2, _TOP), 2
    )
    known = None if seat is None else known_tiles(rules, s, seat)
    owners = s["owner"].tolist()
    for tile in range(width * height):
        x, y = tile % width, tile // width
        one = known[tile] if known is not None else None
        if known is not None and one is None:
            canvas.box(x, y, 1.01, 1.01, _UNKNOWN)
            owners[tile] = -1
            continue
        hidden = seat is not None and not s["sight"][seat][tile]
        _terrain(canvas, x, y, int(s["terrain"][tile]), 0.35 if hidden else 0.0)
        works = int(s["works"][tile]) if one is None else one[0]
        _works(canvas, x, y, works, int(s["resource"][tile]))
        if one is not None and owners[tile] != seat:
            owners[tile] = one[1] if one[1] != seat else -1
    _borders(canvas, rules, owners)
    for tile in range(width * height):
        _settled(canvas, rules, s, tile, seat, None if known is None else known[tile])
    _mark_actor(canvas, rules, s, seat)
    _headline(canvas, rules, s, seat)
    return canvas.array()


def _settled(canvas: Canvas, rules: Any, s: Any, tile: int, seat: int | None, one: Any) -> None:
    """Cities and units on a tile."""
    x, y = tile % rules.width, tile // rules.width
    there, army = int(s["city_at"][tile]), int(s["army"][tile])
    if seat is not None and one is None:
        return
    if one is not None and there >= 0 and there >> 4 != seat:
        there = -1
    if one is not None and one[2]:
        _city(canvas, x, y, one[1], one[2], "")
    elif there >= 0:
        owner, place = there >> 4, there & PLACE
        name = city_name(int(s["city_name"][owner][place]))
        _city(canvas, x, y, owner, int(s["city_size"][owner][place]), name)
    is_city = there >= 0 or bool(one is not None and one[2])
    if one is not None and one[4] >= 0:
        _units(canvas, x, y, one[4], one[5], one[6], is_city)
    elif army >= 0 and (seat is None or army == seat):
        kinds = [
            int(kind)
            for kind, at in zip(s["unit_type"][army], s["unit_tile"][army], strict=True)
            if at == tile and kind >= 0
        ]
        if kinds:  # none in a record that no game was begun in
            _units(canvas, x, y, army, max(kinds), len(kinds), is_city)


def _mark_actor(canvas: Canvas, rules: Any, s: Any, seat: int | None) -> None:
    """A frame about the city or unit that is asked."""
    player, stage, actor = int(s["player"]), int(s["stage"]), int(s["actor"])
    if s["over"] or stage < 2 or seat not in (None, player):
        return
    tile = int(s["city_tile" if stage == 2 else "unit_tile"][player][actor])
    x, y = tile % rules.width, tile // rules.width
    canvas.box(x + 0.02, y + 0.02, 0.96, 0.96, None, 0.1, (255, 240, 90), 0.09)


def _headline(canvas: Canvas, rules: Any, s: Any, seat: int | None) -> None:
    """The turn, and each seat's colour with what the viewer knows of its score."""
    canvas.text(0, -0.75, f"Turn {min(int(s['turn']), rules.turns)}", 0.6, INK, 0.03, "lm")
    x = 4.0
    for other in range(rules.num_players):
        canvas.disc(x, -0.75, 0.3, SEAT_COLOURS[other])
        told = f"Player {other}"
        if seat in (None, other):
            told += f": {int(s['score'][other])}, {int(s['gold'][other])} gold"
        if not s["alive"][other]:
            told += " (out)"
        canvas.text(x + 0.5, -0.75, told, 0.5, INK, 0.0, "lm")
        x += canvas.width_of(told, 0.5) + 1.6
