"""A picture of StarCraft: the nine regions, bases and armies; drawing only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.drawing import Canvas, mix
from stratagym.envs.starcraft.economy import army_supply, region_of, supply_cap, supply_used
from stratagym.envs.starcraft.state import ATTACKING, FREE, NEVER, RETREATING, SQUADS, UNIT_OF_STORE
from stratagym.envs.starcraft.tables import (
    BASES,
    BATTERY,
    CANNON,
    EDGES,
    NEXUS,
    PROBE,
    REGIONS,
    SUPPLY,
    UNITS,
)
from stratagym.envs.starcraft.telling import clock

SEAT_COLOURS = [(58, 118, 214), (206, 72, 64)]
_PAPER, _INK, _DIM = (243, 243, 238), (38, 42, 54), (124, 128, 140)
_WAY, _GROUND, _UNSEEN, _FIGHT = (196, 190, 172), (226, 220, 204), (206, 206, 206), (244, 196, 66)
_HEAD, _SIDE, _WIDE = 1.7, 0.4, 12.0
"""In units of ten map units: the strip above the map, the paper around it, the map."""
_NAMES = ("main", "natural", "third", "fourth", "centre", "fourth", "third", "natural", "main")
_SHORT = (
    "Prb", "Zea", "Ade", "Sta", "Sen", "HT", "DT", "Void", "Carr", "Temp", "Orac", "Phx", "Moth",
    "Obs", "Imm", "Prism", "Col", "Dis", "Arch",
)  # fmt: skip


_POINTS = ((1.3, 10.7), (3.7, 9.2), (2.3, 5.9), (6.7, 10.3), (6.0, 6.0))
"""Of the regions of seat 0's half and the centre; those of the other half lie opposite."""


def _place(region: int) -> tuple[float, float]:
    """A region's point on the map, seat 0 in the lower left."""
    x, y = _POINTS[min(region, 8 - region)]
    return (x, y) if region < 5 else (12.0 - x, 12.0 - y)


def pixel(rules: Any, region: int, size: int = 640) -> tuple[int, int]:
    """The pixel (x, y) of the middle of a region."""
    unit, (x, y) = _unit(size), _place(region)
    return round((_SIDE + x) * unit), round((_HEAD + y) * unit)


def _unit(size: int) -> int:
    return max(8, int(size / (_WIDE + 2 * _SIDE)))


@lru_cache(maxsize=4)
def _empty(unit: int) -> Image.Image:
    """The map with nothing on it, in large pixels. To be copied before use."""
    canvas = _canvas(unit)
    for one, other, _ in EDGES:
        for a, b in ((one, other), (8 - one, 8 - other)):
            canvas.line([_place(a), _place(b)], _WAY, 0.22)
    return canvas.image


def _canvas(unit: int) -> Canvas:
    return Canvas(
        _WIDE + 2 * _SIDE, _HEAD + _WIDE + _SIDE, unit, _PAPER, (_SIDE, _HEAD), oversample=2
    )


def picture(rules: Any, s: Any, size: int = 640, seat: int | None = None) -> np.ndarray:
    """Draw a position: regions, what is built there, armies, fights.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about.
        seat: whose view it is, the other side as that seat last saw it; None for a spectator.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    return drawn(s, size, seat, "")


def drawn(s: Any, size: int, seat: int | None, words: str) -> np.ndarray:
    """The same with other words in place of the time."""
    unit = _unit(size)
    canvas = _canvas(unit)
    canvas.use(_empty(unit).copy())
    for region in range(REGIONS):
        _region(canvas, s, region, seat)
    for owner in range(2):
        if seat is None or owner == seat:
            _squads(canvas, s, owner)
    _header(canvas, s, seat, words)
    return canvas.array()


def _header(canvas: Canvas, s: Any, seat: int | None, words: str) -> None:
    told = words or f"{clock(int(s['tick']))} of the game"
    canvas.text(_WIDE / 2, -1.4, told, 0.42, _INK, 0.03)
    for owner in range(2):
        y = -0.9 + 0.45 * owner
        canvas.disc(0.1, y, 0.14, SEAT_COLOURS[owner])
        if seat is not None and owner != seat:
            told = f"Player {owner}: as last seen by Player {seat}"
        else:
            minerals, gas = (int(s[name][owner]) // UNIT_OF_STORE for name in ("minerals", "gas"))
            told = (
                f"Player {owner}: {minerals} minerals, {gas} gas, "
                f"supply {int(supply_used(s, owner))} of {int(supply_cap(s, owner))}, "
                f"{int(s['probes'][owner])} Probes, army {int(army_supply(s, owner))}"
            )
        canvas.text(0.4, y, told, 0.32, _INK, 0, "lm")


def _sides(s: Any, region: int, seat: int | None) -> list[tuple[int, np.ndarray]]:
    """(seat, structures) of those who have some in a region, as they are or were last seen."""
    found = []
    for owner in range(2):
        base = int(region_of(owner, region))
        if base >= BASES:
            continue
        if seat is None or owner == seat:
            built = s["built"][owner, base].astype(int)
        else:
            built = s["seen"][seat, region, UNITS:].astype(int)
        if built.any():
            found.append((owner, built))
    return found


def _region(canvas: Canvas, s: Any, region: int, seat: int | None) -> None:
    x, y = _place(region)
    unseen = seat is not None and int(s["seen_at"][seat, region]) != int(s["tick"])
    fights = int(s["begun"][region]) != NEVER and not unseen
    if fights:
        canvas.disc(x, y, 1.12, _FIGHT)
    canvas.disc(x, y, 1.0, mix(_GROUND, _INK, 0.25))
    canvas.disc(x, y, 0.95, _UNSEEN if unseen else _GROUND)
    canvas.text(x, y + 0.72, _NAMES[region], 0.24, _DIM)
    for owner, built in _sides(s, region, seat):
        colour = SEAT_COLOURS[owner]
        if built[NEXUS]:
            canvas.polygon(
                [
                    (x - 0.62, y - 0.02),
                    (x - 0.3, y - 0.4),
                    (x + 0.02, y - 0.02),
                    (x - 0.3, y + 0.36),
                ],
                mix(colour, _INK, 0.15),
            )
            canvas.text(x - 0.3, y - 0.02, "N", 0.3, (255, 255, 255), 0.05)
        others = int(built.sum() - built[NEXUS])
        if others:
            canvas.box(x - 0.02, y + 0.14, 0.6, 0.34, colour, 0.05)
            canvas.text(x + 0.28, y + 0.31, str(others), 0.26, (255, 255, 255), 0.03)
        guns = int(built[CANNON] + built[BATTERY])
        if guns:
            canvas.text(x - 0.3, y + 0.48, f"{guns} def", 0.2, mix(colour, _INK, 0.3))
    if seat is not None:
        seen = s["seen"][seat, region, :UNITS].astype(int)
        seen[PROBE] = 0
        if seen.any():
            _army(canvas, x - 0.62 + 1.24 * (1 - seat), y - 0.55, 1 - seat, seen, False)


def _squads(canvas: Canvas, s: Any, owner: int) -> None:
    """Armies where they stand, and on their way along it."""
    standing: dict[int, np.ndarray] = {}
    for k in range(SQUADS):
        if s["order"][owner, k] == FREE:
            continue
        here = int(s["region"][owner, k])
        units, left = s["count"][owner, k].astype(int), int(s["left"][owner, k])
        if not left:
            standing[here] = standing.get(here, np.zeros(UNITS, int)) + units
            continue
        share = int(s["gone"][owner, k]) / max(1, left + int(s["gone"][owner, k]))
        (x0, y0), (x1, y1) = _place(here), _place(int(s["next"][owner, k]))
        x, y = x0 + (x1 - x0) * share, y0 + (y1 - y0) * share
        goes = s["order"][owner, k]
        _army(canvas, x, y, owner, units, goes in (ATTACKING, RETREATING))
    for here, units in standing.items():
        x, y = _place(here)
        _army(canvas, x - 0.62 + 1.24 * owner, y - 0.55, owner, units, False)


def _army(
    canvas: Canvas, x: float, y: float, owner: int, units: np.ndarray, is_moving: bool
) -> None:
    """A shield with the supply of an army, and its most frequent units."""
    supply = int((units * SUPPLY).sum())
    radius = 0.26 + min(supply, 150) / 500
    canvas.disc(x, y, radius + 0.05, _INK if is_moving else (255, 255, 255))
    canvas.disc(x, y, radius, SEAT_COLOURS[owner])
    canvas.text(x, y, str(supply), 0.3, (255, 255, 255), 0.05)
    most = sorted((-int(n), k) for k, n in enumerate(units) if n)[:3]
    told = " ".join(f"{-n} {_SHORT[k]}" for n, k in most)
    wide = canvas.width_of(told, 0.2) + 0.1
    canvas.box(x - wide / 2, y - radius - 0.3, wide, 0.25, (255, 255, 255, 200), 0.05)
    canvas.text(x, y - radius - 0.18, told, 0.2, mix(SEAT_COLOURS[owner], _INK, 0.5))
