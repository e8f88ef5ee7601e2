"""A picture of the fight: bars of health, stun and meter, both fighters with their boxes.

Pale boxes are where a fighter is touched, red ones what its move reaches in this frame.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.drawing import Canvas, mix
from stratagym.envs.street_fighter.moves import (
    ACTIVE,
    BACK_THROW,
    CROUCH,
    EX_HADOUKEN,
    HADOUKEN,
    JUMP,
    LK,
    MOVES,
    REACH,
    STARTUP,
    TATSUMAKI,
    THROW,
)
from stratagym.envs.street_fighter.stage import (
    DIZZY,
    DOWN,
    DUCK,
    GUARDING,
    HEALTH,
    HURT,
    LEAP,
    ROUND_FRAMES,
    STUN_FULL,
)

SEAT_COLOURS = [(206, 62, 54), (56, 96, 196)]
_SKY, _FLOOR, _LINE = (236, 240, 246), (204, 198, 186), (150, 142, 128)
_INK, _DIM, _PAPER, _FRAME = (36, 40, 54), (122, 130, 148), (250, 251, 253), (66, 74, 96)
_SKIN, _HAIR, _BELT = (240, 206, 170), (232, 196, 92), (40, 36, 40)
_HEALTHY, _HURT, _STUN, _METER = (92, 176, 98), (226, 148, 60), (232, 196, 70), (70, 156, 214)
_STRIKE, _BODY = (230, 40, 40, 120), (90, 200, 240, 70)
_WIDE, _HIGH, _GROUND = 400.0, 214.0, 186.0  # in px of the game; where the floor is
_LEFT = 8.0
"""Where the stage begins: half of a body at the wall is beyond it."""


_FINER = 2
"""How many times larger than its size a picture is drawn: a match has hundreds of pictures."""


@lru_cache(maxsize=4)
def _empty(unit: float) -> Image.Image:
    """The large picture of the stage with nobody on it. To be copied before use."""
    canvas = Canvas(_WIDE, _HIGH, unit, _SKY, oversample=_FINER)
    canvas.box(0, _GROUND - 8, _WIDE, _HIGH, _FLOOR)
    canvas.line([(0, _GROUND - 8), (_WIDE, _GROUND - 8)], _LINE, 0.8)
    for x in range(16, 400, 32):
        canvas.line([(x, _GROUND), (x + 6, _HIGH)], mix(_FLOOR, _LINE, 0.4), 0.6)
    return canvas.image


def _bar(
    canvas: Canvas, x: float, y: float, wide: float, share: float, fill: Any, seat: int
) -> None:
    """A bar that empties towards the middle of the picture."""
    high = 7.0 if wide > 100 else 3.6
    canvas.box(x - 0.8, y - 0.8, wide + 1.6, high + 1.6, _FRAME, 1)
    canvas.box(x, y, wide, high, _PAPER)
    if share > 0:
        left = x + wide * (1 - share) if seat == 0 else x
        canvas.box(left, y, wide * share, high, fill)


def _head(canvas: Canvas, rules: Any, s: Any, label: str) -> None:
    left = ROUND_FRAMES - int(s["clock"])
    canvas.text(_WIDE / 2, 14, str(-(-left // 60)), 15, _INK, 0.05)
    for i in range(2):
        share = int(s["health"][i]) / HEALTH
        x = 12.0 if i == 0 else _WIDE - 12 - 150
        fill = _HEALTHY if share > 0.3 else _HURT
        _bar(canvas, x, 8, 150, share, fill, i)
        at, anchor = (x, "lm") if i == 0 else (x + 150, "rm")
        name = f"Ken {'red' if i == 0 else 'blue'}  {int(s['health'][i])}"
        canvas.text(at, 24, name, 8, SEAT_COLOURS[i], 0.03, anchor)
        stun = x + 86 if i == 0 else x
        _bar(canvas, stun, 21.6, 64, int(s["stun"][i]) / STUN_FULL, _STUN, i)
        for k in range(rules.needed):
            won = _INK if int(s["wins"][i]) > k else mix(_SKY, _INK, 0.15)
            canvas.disc(_WIDE / 2 - 12 - 8 * k if i == 0 else _WIDE / 2 + 12 + 8 * k, 27, 2.8, won)
        meter = int(s["meter"][i])
        x = 12.0 if i == 0 else _WIDE - 12 - 80
        _bar(canvas, x, _HIGH - 10, 80, (meter % 80) / 80 if meter < 240 else 1, _METER, i)
        stocks, anchor = (x + 86, "lm") if i == 0 else (x - 6, "rm")
        canvas.text(stocks, _HIGH - 8, f"{meter // 80}", 8, _INK, 0.04, anchor)
    canvas.text(_WIDE / 2, _HIGH - 8, label, 7.5, _INK)


def _words(s: Any, i: int) -> str:
    """What a fighter does, below it."""
    if s["move"][i]:
        return f"{MOVES[int(s['move'][i])]} {int(s['frame'][i])}"
    stance = int(s["stance"][i])
    told = {HURT: "hit", GUARDING: "blocks", DOWN: "down", DIZZY: "dizzy"}.get(stance, "")
    return f"{told} {int(s['left'][i])}" if told else ""


def _fighter(canvas: Canvas, s: Any, i: int) -> None:
    x, feet = _LEFT + float(s["x"][i]) / 2, _GROUND - float(s["y"][i]) / 2
    facing, stance = int(s["facing"][i]), int(s["stance"][i])
    suit, dark = SEAT_COLOURS[i], mix(SEAT_COLOURS[i], _INK, 0.45)
    canvas.disc(x, _GROUND + 1, 22, (*_INK, 50), 0.18)
    if stance == DOWN:
        canvas.line([(x - 30 * facing, feet - 8), (x + 26 * facing, feet - 7)], suit, 17, ends=True)
        canvas.disc(x - 36 * facing, feet - 10, 9, _SKIN)
        canvas.disc(x - 39 * facing, feet - 12, 7, _HAIR)
    else:
        low = stance == DUCK
        high, hip = (64.0, 22.0) if low else (96.0, 42.0)
        lean = -7 * facing if stance in (HURT, DIZZY) else 3 * facing
        _legs(canvas, s, i, x, feet, dark)
        shoulder = feet - high + 30
        canvas.line([(x, feet - hip), (x + lean, shoulder)], suit, 21, ends=True)
        canvas.line([(x - 10, feet - hip), (x + 10, feet - hip)], _BELT, 4)
        _arms(canvas, s, i, x + lean, shoulder, suit)
        canvas.disc(x + 1.6 * lean, feet - high + 11, 10, _SKIN)
        canvas.disc(x + 1.6 * lean - 2 * facing, feet - high + 6, 9, _HAIR, 0.75)
        if stance == DIZZY:
            for k in (-12, 0, 12):
                canvas.disc(x + lean + k, feet - high - 6 - abs(k) / 4, 2.4, _STUN)
        canvas.box(x - 20, feet - high, 40, high, _BODY, 0, (60, 150, 200, 160), 0.7)
    canvas.text(x, _GROUND + 9, _words(s, i), 7, _INK, 0.02)


def _is_kick(move: int) -> bool:
    return (
        LK <= move < CROUCH
        or CROUCH + 3 <= move < JUMP
        or JUMP + 3 <= move < THROW
        or TATSUMAKI <= move < TATSUMAKI + 3
        or move == len(MOVES) - 1
    )


def _is_active(s: Any, i: int) -> bool:
    move, frame = int(s["move"][i]), int(s["frame"][i])
    return bool(move) and int(STARTUP[move]) <= frame < int(STARTUP[move] + ACTIVE[move])


def _legs(canvas: Canvas, s: Any, i: int, x: float, feet: float, dark: Any) -> None:
    facing, stance, move = int(s["facing"][i]), int(s["stance"][i]), int(s["move"][i])
    hip = 22.0 if stance == DUCK else 42.0
    back = (x - 13 * facing, feet - (16 if stance == LEAP else 2))
    front = (x + 13 * facing, feet - (8 if stance == LEAP else 2))
    if _is_kick(move):
        front = (x + min(int(REACH[move]), 70) * facing, feet - hip - (2 if hip > 30 else -8))
    for foot in (back, front):
        canvas.line([(x, feet - hip), foot], dark, 10, ends=True)
        canvas.disc(*foot, 5.5, _SKIN)


def _arms(canvas: Canvas, s: Any, i: int, x: float, y: float, suit: Any) -> None:
    facing, stance, move = int(s["facing"][i]), int(s["stance"][i]), int(s["move"][i])
    fist = (x + 20 * facing, y + 4)
    if move and not _is_kick(move):
        reach = 24.0 if not _is_active(s, i) else max(30.0, float(REACH[move]) - 6)
        fist = (x + min(reach, 60) * facing, y)
        if move in (HADOUKEN, EX_HADOUKEN):
            fist = (x + 30 * facing, y + 4)
    elif stance == GUARDING:
        fist = (x + 13 * facing, y - 16)
    canvas.line([(x, y), fist], mix(suit, _PAPER, 0.12), 8, ends=True)
    canvas.disc(*fist, 5.5, _SKIN)


def _strike(canvas: Canvas, s: Any, i: int) -> None:
    """What the move of a fighter reaches in this frame."""
    move = int(s["move"][i])
    if not _is_active(s, i) or move in (HADOUKEN, EX_HADOUKEN):
        return
    x, feet = _LEFT + float(s["x"][i]) / 2, _GROUND - float(s["y"][i]) / 2
    facing = int(s["facing"][i])
    reach = float(REACH[move]) + (20 if THROW <= move <= BACK_THROW else 0)
    top, high = (72.0, 26.0) if s["stance"][i] != DUCK else (40.0, 34.0)
    if JUMP <= move < THROW:
        top, high = 40.0, 44.0
    elif move > EX_HADOUKEN:
        top, high = 100.0, 80.0
    left = min(x, x + reach * facing)
    canvas.box(left, feet - top, reach, high, _STRIKE, 0, (200, 20, 20), 0.8)


def _ball(canvas: Canvas, s: Any, i: int) -> None:
    x, paint = (
        _LEFT + float(s["ball_x"][i]) / 2,
        (90, 180, 250) if s["ball"][i] == 1 else (250, 160, 60),
    )
    canvas.box(x - 12, _GROUND - 64, 24, 24, _STRIKE, 0, (200, 20, 20), 0.7)
    canvas.disc(x, _GROUND - 52, 11.5, paint)
    canvas.disc(x, _GROUND - 52, 7, mix(paint, _PAPER, 0.7))


def picture(rules: Any, s: Any, size: int = 640, label: str = "") -> np.ndarray:
    """Draw a position.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about. label: words below the fight.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    unit = size / _WIDE
    canvas = Canvas(1, 1, unit, _SKY, oversample=_FINER)
    canvas.use(_empty(unit).copy())
    if s["over"]:
        ahead = int(s["wins"][0]) - int(s["wins"][1])
        label = "Draw" if ahead == 0 else f"Ken {'red' if ahead > 0 else 'blue'} wins"
    _head(canvas, rules, s, label or f"Round {int(s['round']) + 1}")
    first = 0 if not s["move"][0] else 1
    for i in (first, 1 - first):
        _fighter(canvas, s, i)
    for i in range(2):
        _strike(canvas, s, i)
        if s["ball"][i]:
            _ball(canvas, s, i)
    return canvas.array()
