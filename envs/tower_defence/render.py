"""A picture of tower defence: the plans as they are made, or a moment of a battle; drawing only."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs import sealed
from stratagym.envs.drawing import INK, PAPER, Board, Canvas, mix
from stratagym.envs.sealed_words import is_sealed
from stratagym.envs.tower_defence.boards import who_plans
from stratagym.envs.tower_defence.events import EXPLODE, FIRST_DEMON, PULSE, SHOT
from stratagym.envs.tower_defence.rules import PLANNING
from stratagym.envs.tower_defence.simulation import (
    ALL,
    ARMOUR,
    BURN_END,
    CELL_HP,
    HP,
    KIND,
    LIT,
    LIVING,
    NONE,
    ROW,
    SHADED,
    SLOW_END,
    UNIT,
    P,
)
from stratagym.envs.tower_defence.units import (
    AIR,
    ATTACKER,
    CODES,
    COLUMN_WIDTH,
    COLUMNS,
    DEFENDER,
    DEMON,
    DEMONS,
    EXPLOSION,
    FIRE,
    FLYING,
    ICE,
    LAST_SPAWN,
    LIGHT,
    NORMAL,
    ROWS,
    SOLDIER,
    SOLDIERS,
    STEP_MS,
    TICK_MS,
)

_LIGHT_CELL, _DARK_CELL, _FRAME = (224, 234, 214), (214, 227, 203), (96, 116, 98)
_GATE, _DIM, _GOOD, _BAD = (120, 48, 62), (126, 134, 156), (86, 164, 92), (206, 74, 66)
_ROLES = {
    "gun": (58, 98, 168), "wall": (122, 112, 100), "explosive": (44, 44, 52),
    "control": (90, 136, 180), "anti_air": (34, 140, 146),
}  # fmt: skip
_KINDS = {
    "mass": (164, 62, 74), "armour": (134, 92, 112), "speed": (206, 98, 42),
    "evasion": (168, 74, 148), "support": (96, 66, 128),
}  # fmt: skip
_RAYS = {
    NORMAL: (70, 74, 84), FIRE: (232, 118, 30), ICE: (60, 160, 220), AIR: (34, 140, 146),
    EXPLOSION: (200, 60, 40), LIGHT: (240, 190, 40),
}  # fmt: skip
_MARK = (240, 176, 30)
_RECENT = 5
"""Ticks in which a shot is seen."""
_LANE, _FOOT = 0.34, 0.72
"""In cells: the height of a row of the attacker's timetable, and what is over it."""


def _board(size: int) -> Board:
    return Board(COLUMNS, ROWS, size, side=0.75, top=1.2, foot=_FOOT + ROWS * _LANE + 0.45)


@lru_cache(maxsize=4)
def _empty(size: int) -> Image.Image:
    """The field and the empty timetable. To be copied before use."""
    board = _board(size)
    canvas = board.canvas()
    canvas.box(-0.12, -0.12, COLUMNS + 0.24, ROWS + 0.24, _FRAME, 0.12)
    for y in range(ROWS):
        for x in range(COLUMNS):
            canvas.box(x, y, 1, 1, _DARK_CELL if (x + y) % 2 else _LIGHT_CELL)
        for edge in (-0.4, COLUMNS + 0.4):
            canvas.text(edge, y + 0.5, str(y), 0.28, _DIM)
    canvas.box(-0.12, -0.12, 0.14, ROWS + 0.24, _GATE)
    for x in range(COLUMNS):
        canvas.text(x + 0.5, ROWS + 0.32, str(x), 0.24, _DIM)
    top = ROWS + _FOOT
    for y in range(ROWS):
        canvas.box(0, top + y * _LANE, COLUMNS, _LANE - 0.04, mix(PAPER, INK, 0.06), 0.05)
        canvas.text(-0.4, top + (y + 0.45) * _LANE, str(y), 0.22, _DIM)
    for seconds in range(0, 61, 10):
        canvas.text(seconds / 60 * COLUMNS, top + ROWS * _LANE + 0.14, f"{seconds} s", 0.2, _DIM)
    return canvas.done()


@lru_cache(maxsize=256)
def _soldier(unit: int, share: int, lit: bool, waiting: bool, size: int) -> Image.Image:
    """A unit of the defender, a cell large; ``share`` is what it has of its HP, in tenths."""
    canvas = Canvas(1, 1, _board(size).unit)
    paint: tuple[int, ...] = _ROLES[SOLDIERS[unit].role]
    if waiting:
        paint = mix(paint, _LIGHT_CELL, 0.55)
    if lit:
        canvas.disc(0.5, 0.5, 0.47, (240, 170, 40))
    canvas.box(0.12, 0.12, 0.76, 0.7, mix(paint, INK, 0.4), 0.14)
    canvas.box(0.14, 0.12, 0.72, 0.66, paint, 0.13)
    canvas.text(0.5, 0.44, CODES[DEFENDER][unit], 0.34, (250, 250, 252), 0.04)
    _bar(canvas, 0.14, 0.86, 0.72, share)
    return canvas.done()


@lru_cache(maxsize=512)
def _demon(unit: int, share: int, marks: str, size: int) -> Image.Image:
    """A demon, a cell large. ``marks``: b burning, s slow, a armour, d in a shadow."""
    canvas = Canvas(1, 1, _board(size).unit)
    paint = _KINDS[DEMONS[unit].role]
    around = None
    if "s" in marks:
        around = _RAYS[ICE]
    if "b" in marks:
        around = _RAYS[FIRE]
    if unit == FLYING:
        canvas.polygon([(0.02, 0.3), (0.5, 0.5), (0.98, 0.3), (0.5, 0.62)], mix(paint, PAPER, 0.5))
    radius = 0.38 if DEMONS[unit].cost >= 800 else 0.32
    if "d" in marks:
        canvas.disc(0.5, 0.46, radius + 0.1, (60, 50, 80))
    if around is not None:
        canvas.disc(0.5, 0.46, radius + 0.06, around)
    canvas.disc(0.5, 0.46, radius, mix(paint, INK, 0.45))
    canvas.disc(0.5, 0.46, radius - (0.07 if "a" in marks else 0.025), paint)
    canvas.text(0.5, 0.45, CODES[ATTACKER][unit], 0.3, (255, 252, 248), 0.04)
    _bar(canvas, 0.2, 0.87, 0.6, share)
    return canvas.done()


def _bar(canvas: Canvas, x: float, y: float, width: float, share: int) -> None:
    """How much HP is left, in tenths; nothing where all is."""
    if share < 10:
        canvas.box(x, y, width, 0.09, (60, 64, 74), 0.03)
        paint = _GOOD if share > 5 else (230, 176, 50) if share > 2 else _BAD
        canvas.box(x, y, max(0.06, width * share / 10), 0.09, paint, 0.03)


def _tenths(part: int, whole: int) -> int:
    return max(0, min(10, -(-10 * part // whole)))


def _strip(size: int, width: float, height: float) -> Canvas:
    return Canvas(width, height, _board(size).unit)


def _headline(rules: Any, s: Any, size: int, viewer: int | None) -> Image.Image:
    """Which round it is and how it stands, in two lines."""
    canvas = _strip(size, COLUMNS, 0.95)
    k, moment = int(s["round"]), int(s["moment"])
    over = k >= rules.rounds
    if moment != PLANNING:
        words, small = f"Battle of round {k}", f"{moment * TICK_MS / 1000:.2f} s"
        living = int(s["rows"][ALL, LIVING])
        small += f", {living} {'demon' if living == 1 else 'demons'} on the field"
    elif over:
        words, small = _winner(s, k - 1), f"The game of {rules.rounds} is over"
        if rules.rounds == 1:
            small = "The game is over"
    else:
        words = f"Round {k + 1} of {rules.rounds}: {who_plans(rules, s, viewer)}"
        small = ", ".join(
            f"{name} {int(s['spent'][seat])} of {sealed.budget_of.py_func(rules, seat)}"
            for seat, name in enumerate(("demons", "units"))
            if not is_sealed(rules, s, seat, viewer)
        )
        small = f"Spent: {small}" + (f". {_winner(s, k - 1)}" if k else "")
    canvas.text(0, 0.3, words, 0.42, INK, 0.03, "lm")
    canvas.text(0, 0.74, small, 0.28, _DIM, 0, "lm")
    return canvas.done()


def _winner(s: Any, k: int) -> str:
    who = {1: "The attacker won", 0: "Nobody won", -1: "The defender won"}[int(s["result"][k])]
    end = int(s["end"][k])
    after = f" after {end * TICK_MS / 1000:g} s" if end >= 0 else " without a battle"
    return f"{who} round {k + 1}{after}"


def _timetable(entries: Sequence[Sequence[int]], now: int, latest: bool, size: int) -> Image.Image:
    """When which demon comes into which row, the last of them framed if it is the ``latest``.

    ``now`` is the tick, or ``PLANNING``.
    """
    board = _board(size)
    width = COLUMNS + 2 * board.side
    canvas = Canvas(width, ROWS * _LANE, board.unit, (0, 0, 0, 0), (board.side, 0))
    if now != PLANNING:
        x = min(1.0, now * TICK_MS / (LAST_SPAWN * STEP_MS)) * COLUMNS
        canvas.box(x - 0.015, 0, 0.03, ROWS * _LANE, _GATE)
    seen: dict[tuple[int, int], int] = {}
    for k, (unit, row, step) in enumerate(entries, 1):
        nth = seen[row, step] = seen.get((row, step), -1) + 1
        x = step / LAST_SPAWN * COLUMNS + 0.16 + 0.26 * nth
        y = (row + 0.44) * _LANE
        if latest and k == len(entries):
            canvas.disc(x, y, 0.2, _MARK)
        canvas.disc(x, y, 0.145, _KINDS[DEMONS[unit].role])
        canvas.text(x, y - 0.005, CODES[ATTACKER][unit], 0.15, (255, 252, 248), 0.03)
    return canvas.done()


def _flashes(rules: Any, s: Any, size: int) -> Image.Image | None:
    """Shots, pulses and explosions of the last ticks of a battle, over the field."""
    from stratagym.envs.tower_defence.view import last_battle

    moment = int(s["moment"])
    _, events = last_battle(rules, s)
    recent = events[(events[:, 0] <= moment) & (events[:, 0] > moment - _RECENT)]
    recent = recent[np.isin(recent[:, 1], (SHOT, EXPLODE, PULSE))]
    if not len(recent):
        return None
    # Where demons are that still live; those that the shot killed are not drawn.
    places = {
        FIRST_DEMON + demon[13]: (demon[P] / COLUMN_WIDTH, demon[ROW] + 0.46)
        for demon in s["demons"][: int(s["rows"][ALL, LIVING])].tolist()
    }
    board = _board(size)
    canvas = Canvas(COLUMNS, ROWS, board.unit, (0, 0, 0, 0), oversample=2)
    for _, kind, cell, target, _, extra in recent.tolist():
        x, y = cell % COLUMNS + 0.5, cell // COLUMNS + 0.5
        if kind == EXPLODE and target < 0:
            wide = SOLDIERS[extra].name == "Bomb"
            left, width = (x - 1.5, 3.0) if wide else (0.0, float(COLUMNS))
            top, height = (y - 1.5, 3.0) if wide else (y - 0.5, 1.0)
            canvas.box(left, top, width, height, (250, 150, 40, 110), 0.2)
        elif kind in (SHOT, PULSE) and target in places:
            paint = (90, 90, 210) if kind == PULSE else _RAYS[extra]
            to_x, to_y = places[target]
            canvas.line(
                [(x + 0.3, y - 0.06), (min(to_x + 0.3, COLUMNS), to_y)], (*paint, 200), 0.05
            )
    return canvas.done()


@lru_cache(maxsize=4)
def _latest(size: int) -> Image.Image:
    """Around the cell of the unit that was placed last."""
    canvas = _strip(size, 1, 1)
    canvas.box(0.03, 0.03, 0.94, 0.94, (0, 0, 0, 0), 0.1, (*_MARK, 255), 0.06)
    return canvas.done()


def picture(rules: Any, s: Any, size: int = 640, seat: int | None = None) -> np.ndarray:
    """Draw a position: both plans as they stand, or, in a battle, who is where.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``. A record of
            ``replay.frames`` shows a moment of a battle.
        size: width in pixels, about.
        seat: whose view it is; None for a spectator, who sees all.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    board = _board(size)
    image = _empty(size).copy()
    moment, k = int(s["moment"]), int(s["round"])
    fought = k > 0 and int(s["why"][k - 1]) == sealed.SIMULATED
    in_battle = moment != PLANNING or (k >= rules.rounds and fought)
    if in_battle:
        _draw_battle(board, image, rules, s, size)
        tick = moment if moment != PLANNING else int(s["end"][k - 1])
        plan, n = s["last_plan"], s["last_n"]
    else:
        shown = [0 if is_sealed(rules, s, side, seat) else int(s["n"][side]) for side in range(2)]
        for unit, cell, step in s["plan"][DEFENDER][: shown[DEFENDER]].tolist():
            sprite = _soldier(unit, 10, False, step > 0, size)
            board.paste(image, sprite, cell % COLUMNS, cell // COLUMNS)
        planning = int(s["seat"]) if k < rules.rounds else NONE
        if planning == DEFENDER and shown[DEFENDER]:
            cell = int(s["plan"][DEFENDER][shown[DEFENDER] - 1][1])
            board.paste(image, _latest(size), cell % COLUMNS, cell // COLUMNS)
        tick = PLANNING
        plan, n = s["plan"], shown
    latest = not in_battle and planning == ATTACKER
    table = _timetable(plan[ATTACKER][: int(n[ATTACKER])].tolist(), tick, latest, size)
    board.paste(image, table, -board.side, ROWS + _FOOT)
    board.paste_headline(image, _headline(rules, s, size, seat), 0.1)
    return np.array(image.convert("RGB"))


def _draw_battle(board: Board, image: Image.Image, rules: Any, s: Any, size: int) -> None:
    flashes = _flashes(rules, s, size) if int(s["moment"]) != PLANNING else None
    if flashes is not None:
        board.paste(image, flashes, 0, 0)
    for cell, (kind, hp, lit) in enumerate(s["cells"][:, [KIND, CELL_HP, LIT]].tolist()):
        if kind != NONE:
            sprite = _soldier(kind, _tenths(hp, int(SOLDIER[kind, 0])), bool(lit), False, size)
            board.paste(image, sprite, cell % COLUMNS, cell // COLUMNS)
    beside: dict[tuple[int, int], int] = {}
    now = int(s["moment"]) if int(s["moment"]) != PLANNING else int(s["end"][int(s["round"]) - 1])
    demons = s["demons"][: int(s["rows"][ALL, LIVING])].tolist()
    for demon in sorted(demons, key=lambda one: -one[P]):
        unit, row, p = demon[UNIT], demon[ROW], demon[P]
        place = row, p // 560
        nth = beside[place] = beside.get(place, -1) + 1
        marks = "b" * (demon[BURN_END] >= now) + "s" * (demon[SLOW_END] > now)
        marks += "a" * (demon[ARMOUR] != 100) + "d" * bool(demon[SHADED])
        whole = int(DEMON[rules.released, unit, 0])
        sprite = _demon(unit, _tenths(demon[HP], whole), marks, size)
        # Its left edge is at p; those that stand at one place are drawn over each other.
        x = min(p / COLUMN_WIDTH, COLUMNS - 0.3) + 0.08 * (nth % 4)
        board.paste(image, sprite, x - 0.2, row - 0.12 * (nth % 4) + 0.12)
