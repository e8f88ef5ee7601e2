"""A picture of a Diplomacy board, with the last movement orders as arrows; drawing only.

Provinces are drawn around points set by hand (``places``). A full arrow is a move that succeeded, a
broken one a move that failed; a dotted line is support, from the supporter to the middle of the
move or to the unit that it supports; rings mark units that are dislodged, crosses what was cut or
disrupted.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy.listing import (
    CONVOY,
    HOLD,
    MOVE,
    RETREAT,
    SUPPORT_HOLD,
    SUPPORT_MOVE,
    VIA,
)
from stratagym.envs.diplomacy.orders import SOUTH, TARGET, THIRD, UNIT
from stratagym.envs.diplomacy.places import AREA_PLACE, HEIGHT, PLACE, POINTS, WIDTH
from stratagym.envs.diplomacy.state import CONVOYED as DONE_CONVOY
from stratagym.envs.diplomacy.state import DISLODGED, GIVEN, MOVED
from stratagym.envs.diplomacy.tables import CENTRE, FLEET, ORDERS, TWO_COASTS
from stratagym.envs.diplomacy.telling import given_orders, phase_text, public_key
from stratagym.envs.drawing import INK, PAPER, Canvas, mix

COLOURS = (
    (196, 58, 48), (42, 84, 168), (92, 176, 214), (82, 82, 88), (64, 142, 78), (244, 242, 236),
    (226, 176, 40),
)  # fmt: skip
"""Of the powers, in the order of seats."""
_SEA, _LAND, _NOBODY = (196, 218, 234), (238, 228, 206), (206, 200, 190)
_BORDER, _COAST = (150, 140, 120), (92, 108, 128)
_TOP, _FOOT = 4.5, 5.0
Point = tuple[float, float]


def _unit(size: int) -> float:
    return size / WIDTH


def pixel(area: int, size: int = 960) -> tuple[int, int]:
    """The pixel (x, y) where a unit in an area stands."""
    x, y = place(area)
    return round(x * _unit(size)), round((y + _TOP) * _unit(size))


def place(area: int) -> Point:
    """Where a unit in an area stands, in the units of ``places``."""
    return AREA_PLACE.get(area) or PLACE[g.AREA_PROVINCE[area]]


@lru_cache(maxsize=4)
def _cells(size: int) -> tuple[np.ndarray, np.ndarray]:
    """By pixel of the map: the province, or -1, and whether another one begins beside it."""
    unit = _unit(size)
    high, wide = round(HEIGHT * unit), size
    ys, xs = (np.mgrid[0:high, 0:wide] + 0.5) / unit
    # A little unrest, so that borders are no straight lines.
    xs = xs + 0.5 * np.sin(ys * 1.1) + 0.25 * np.sin(ys * 2.9 + 1)
    ys = ys + 0.5 * np.sin(xs * 1.3 + 2) + 0.25 * np.sin(xs * 3.1)
    best = np.full((high, wide), np.inf)
    found = np.full((high, wide), -1, np.int16)
    for x, y, province in POINTS:
        away = (xs - x) ** 2 + (ys - y) ** 2
        nearer = away < best
        best[nearer] = away[nearer]
        found[nearer] = province
    edge = np.zeros((high, wide), bool)
    edge[:, 1:] |= found[:, 1:] != found[:, :-1]
    edge[1:] |= found[1:] != found[:-1]
    return found, edge


def _ground(s: Any, size: int) -> Image.Image:
    """The map, each province in the colour of whose it is."""
    found, edge = _cells(size)
    colours = np.zeros((len(g.PROVINCES) + 1, 3), np.uint8)
    for province, one in enumerate(g.PROVINCES):
        owner = int(s["influence"][province])
        if CENTRE[province] >= 0:
            owner = int(s["centre_owner"][CENTRE[province]])
        base = _SEA if one.kind == g.SEA else _LAND
        share = 0.0 if owner < 0 or one.kind == g.SEA else 0.55 if one.centre else 0.25
        colours[province] = mix(base, COLOURS[owner], share)
    colours[-1] = _NOBODY
    image = colours[found]
    seas = np.array([one.kind == g.SEA for one in g.PROVINCES] + [False])[found]
    image[edge & seas] = mix(_SEA, _COAST, 0.55)
    image[edge & ~seas] = _BORDER
    return Image.fromarray(image)


@lru_cache(maxsize=4)
def _sheet(size: int) -> Image.Image:
    return Image.new("RGB", (size, round((HEIGHT + _TOP + _FOOT) * _unit(size))), PAPER)


def _names(canvas: Canvas) -> None:
    """Abbreviations of all provinces, and dots for the supply centres."""
    for province, one in enumerate(g.PROVINCES):
        x, y = PLACE[province]
        fill = mix(_SEA, (30, 60, 100), 0.75) if one.kind == g.SEA else mix(_LAND, INK, 0.85)
        canvas.text(x, y + 2.3, one.short, 1.25, fill, 0.03)
        if one.centre:
            canvas.disc(x + 2.0, y + 2.3, 0.42, mix(_LAND, INK, 0.85))
            canvas.disc(x + 2.0, y + 2.3, 0.24, (255, 255, 255))
    for area, (x, y) in AREA_PLACE.items():
        canvas.text(x, y + 1.3, g.AREAS[area][4:].lower(), 0.9, mix(_LAND, INK, 0.6))


def _draw_unit(canvas: Canvas, at: Point, kind: int, owner: int, faded: bool = False) -> None:
    """An army is a disc with a bar, a fleet a hull with a sail."""
    (x, y) = at
    paint: tuple[int, ...] = COLOURS[owner]
    rim = mix(paint, (0, 0, 0), 0.55)
    sign = (30, 30, 34) if sum(paint) > 420 else (255, 255, 255)
    if faded:
        paint, rim = mix(paint, PAPER, 0.5), mix(rim, PAPER, 0.5)
    if kind == FLEET:
        canvas.polygon([(x - 1.75, y + 0.1), (x + 1.75, y + 0.1), (x + 1.1, y + 1.2),
                        (x - 1.1, y + 1.2)], rim)  # fmt: skip
        canvas.polygon([(x - 1.4, y + 0.3), (x + 1.4, y + 0.3), (x + 0.95, y + 1.0),
                        (x - 0.95, y + 1.0)], paint)  # fmt: skip
        canvas.polygon([(x - 0.25, y - 1.6), (x + 1.35, y - 0.05), (x - 0.25, y - 0.05)], rim)
        canvas.polygon([(x - 0.02, y - 1.1), (x + 0.85, y - 0.25), (x - 0.02, y - 0.25)], paint)
    else:
        canvas.disc(x, y, 1.3, rim)
        canvas.disc(x, y, 1.08, paint)
        canvas.box(x - 0.65, y - 0.22, 1.3, 0.44, sign, 0.1)


# --- orders --------------------------------------------------------------------------------------


def _along(one: Point, other: Point, share: float) -> Point:
    return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share


def _shortened(one: Point, other: Point, before: float, after: float) -> tuple[Point, Point]:
    """A line without so much of its beginning and its end."""
    length = max(math.dist(one, other), 1e-6)
    return _along(one, other, min(0.45, before / length)), _along(
        one, other, 1 - min(0.45, after / length)
    )


def _arrow(canvas: Canvas, one: Point, other: Point, paint: Any, whole: bool) -> None:
    """An arrow; a broken one with a bar at its end where it is not ``whole``."""
    rim = mix(paint, (0, 0, 0), 0.6)
    start, end = _shortened(one, other, 1.2, 1.5)
    length = max(math.dist(start, end), 1e-6)
    dx, dy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    neck = end[0] - 1.3 * dx, end[1] - 1.3 * dy
    for thick, fill in ((0.85, rim), (0.5, paint)):
        pieces = [(0.0, 1.0)] if whole else [(k / 9, (k + 1) / 9) for k in range(0, 9, 2)]
        for low, high in pieces:
            canvas.line(
                [_along(start, neck, low), _along(start, neck, high)], fill, thick, ends=True
            )
    grown = [(1.0, rim), (0.72, paint)]
    for scale, fill in grown:
        wide, back = 0.95 * scale, 1.5 * scale
        tip = end[0] + 0.25 * scale * dx, end[1] + 0.25 * scale * dy
        tail = tip[0] - back * dx, tip[1] - back * dy
        canvas.polygon([tip, (tail[0] - wide * dy, tail[1] + wide * dx),
                        (tail[0] + wide * dy, tail[1] - wide * dx)], fill)  # fmt: skip
    if not whole:
        sides = [(end[0] - k * dy, end[1] + k * dx) for k in (1.1, -1.1)]
        canvas.line(sides, rim, 0.45, ends=True)


def _dotted(canvas: Canvas, one: Point, other: Point, paint: Any, wavy: bool) -> None:
    start, end = _shortened(one, other, 1.3, 0.4)
    length = max(math.dist(start, end), 1e-6)
    dx, dy = (end[0] - start[0]) / length, (end[1] - start[1]) / length
    n = max(3, round(length / 0.85))
    rim = mix(paint, (0, 0, 0), 0.6)
    for k in range(n + 1):
        x, y = _along(start, end, k / n)
        aside = 0.45 * math.sin(k * math.pi / 2) if wavy else 0.0
        canvas.disc(x - aside * dy, y + aside * dx, 0.33, rim)
        canvas.disc(x - aside * dy, y + aside * dx, 0.2, paint)


def _cross(canvas: Canvas, at: Point) -> None:
    x, y = at
    for k in (-1, 1):
        canvas.line(
            [(x - 0.7, y - 0.7 * k), (x + 0.7, y + 0.7 * k)], (255, 255, 255), 0.75, ends=True
        )
        canvas.line([(x - 0.7, y - 0.7 * k), (x + 0.7, y + 0.7 * k)], (170, 20, 20), 0.4, ends=True)


def target_area(order: int, kind: int) -> int:
    """The area where a unit arrives by an order."""
    target = order >> TARGET & 127
    coast = 1 + (order >> SOUTH & 1) if target >= TWO_COASTS and kind == FLEET else 0
    return g.MAIN_AREA[target] + coast


def _draw_orders(canvas: Canvas, s: Any) -> None:
    """The last movement orders and retreats, what became of them told by how they are drawn."""
    aims: dict[int, tuple[Point, Point]] = {}  # by province, where units were to go
    given = given_orders(s)
    for one in given:
        order = int(ORDERS[one.action])
        if order & 255 in (MOVE, VIA):
            kind = int(s["unit_before"][g.AREA_PROVINCE[one.area]])
            aims[g.AREA_PROVINCE[one.area]] = place(one.area), place(target_area(order, kind))
    crosses = []
    for one in given:
        order, paint = int(ORDERS[one.action]), COLOURS[one.power]
        verb, at, result = order & 255, place(one.area), one.result & ~DISLODGED
        if verb == HOLD:
            canvas.disc(*at, 1.75, (*mix(paint, (0, 0, 0), 0.6), 90))
        if verb in (SUPPORT_HOLD, SUPPORT_MOVE, CONVOY):
            other = order >> TARGET & 127 if verb == SUPPORT_HOLD else order >> THIRD & 127
            kind, area = int(s["unit_before"][other]), int(s["area_before"][other])
            line = place(area), place(target_area(order, kind))
            goal = place(area) if verb == SUPPORT_HOLD else _along(*line, 0.55)
            _dotted(canvas, at, goal, paint, verb == CONVOY)
            if result not in (GIVEN, DONE_CONVOY):
                crosses.append(_along(at, goal, 0.5))
    for one in given:
        order, paint = int(ORDERS[one.action]), COLOURS[one.power]
        if order & 255 in (MOVE, VIA):
            _arrow(canvas, *aims[order >> UNIT & 127], paint, one.result == MOVED)
        elif order & 255 == RETREAT:
            kind = int(s["unit_before"][order >> UNIT & 127])
            _dotted(canvas, place(one.area), place(target_area(order, kind)), paint, False)
    for at in crosses:
        _cross(canvas, at)


def picture(rules: Any, s: Any, size: int = 960, seat: int | None = None) -> np.ndarray:
    """Draw a position with the orders that led to it, as everybody sees it.

    Args:
        rules: the game's ``Rules``. s: one record of its states. size: width in pixels, about.
        seat: whom it is for; orders that wait are in nobody's picture.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    global _latest
    seen = size, *public_key(rules, s)
    if _latest[0] != seen:
        _latest = seen, _draw(rules, s, size)
    return _latest[1].copy()


_latest: tuple[Any, np.ndarray] = None, np.zeros((0, 0, 3), np.uint8)
"""What was drawn last, and the picture."""


def _draw(rules: Any, s: Any, size: int) -> np.ndarray:
    sheet, unit = _sheet(size).copy(), _unit(size)
    sheet.paste(_ground(s, size), (0, round(_TOP * unit)))
    canvas = Canvas(WIDTH, HEIGHT + _TOP + _FOOT, unit, PAPER, (0.0, _TOP), oversample=2)
    canvas.use(sheet.resize(canvas.image.size, Image.Resampling.BICUBIC))
    _names(canvas)
    _draw_orders(canvas, s)
    for province in np.flatnonzero(s["unit"]):
        at = place(int(s["area"][province]))
        _draw_unit(canvas, at, int(s["unit"][province]), int(s["owner"][province]))
    for province in np.flatnonzero(s["dislodged_unit"]):
        x, y = place(int(s["dislodged_area"][province]))
        canvas.disc(x - 1.7, y - 1.5, 1.9, (255, 90, 60, 120))
        kind, owner = int(s["dislodged_unit"][province]), int(s["dislodged_owner"][province])
        _draw_unit(canvas, (x - 1.7, y - 1.5), kind, owner, faded=True)
    canvas.text(1.5, -_TOP / 2, phase_text(rules, s), 2.1, INK, 0.02, "lm")
    _draw_legend(canvas, rules, s)
    return canvas.array()


def _draw_legend(canvas: Canvas, rules: Any, s: Any) -> None:
    """A box of each power's colour with its name and centres."""
    step = WIDTH / len(g.POWERS)
    for power, name in enumerate(g.POWERS):
        x, y = power * step + 1.2, HEIGHT + _FOOT / 2
        paint = COLOURS[power]
        canvas.box(x, y - 0.9, 1.8, 1.8, paint, 0.3, mix(paint, (0, 0, 0), 0.55), 0.18)
        points = f", {int(s['wp'][power])} WP" if rules.welfare else ""
        count = int((s["centre_owner"] == power).sum())
        canvas.text(x + 2.4, y - 0.6, name.capitalize(), 1.35, INK, 0.0, "lm")
        canvas.text(
            x + 2.4, y + 1.1, f"{count} centres{points}", 1.1, mix(INK, PAPER, 0.25), 0.0, "lm"
        )
