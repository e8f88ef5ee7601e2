"""A picture of battle card: both sides' units as cards, planned or fighting; drawing only."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs import sealed, sealed_words
from stratagym.envs.battle_card.story import SIDES, Battle, Unit
from stratagym.envs.battle_card.tables import ELEMENT, GOLD, NAMES, UNITS
from stratagym.envs.drawing import Canvas, mix

_PAPER, _INK, _DIM = (244, 241, 234), (44, 40, 52), (128, 120, 122)
_FELT = ((236, 214, 204), (206, 222, 214))
"""Behind the invaders and the defenders."""
_ELEMENTS = ((150, 146, 156), (214, 88, 62), (88, 156, 84), (70, 128, 206), (176, 134, 82))
_BRONZE, _GOLD, _WHITE = (150, 108, 76), (232, 180, 42), (255, 255, 255)
_ATTACK, _HEALTH, _HURT, _SHIELD = (216, 160, 40), (196, 54, 62), (120, 24, 34), (120, 190, 240)
_ACTS, _STRUCK = (40, 130, 70), (206, 48, 48)
WIDE, HIGH = 7.6, 7.2
"""Of the picture, in cards' widths."""
_CARD = (0.94, 1.66)
_ROWS = (4.65, 1.05)
"""Where the rows of the invaders' and the defenders' cards begin, from the top."""


def _words(name: str) -> list[str]:
    """``WaterElemental`` as two lines."""
    return re.findall(r"[A-Z][a-z]*", name)


@lru_cache(maxsize=512)
def _card(
    kind: int, tier: int, attack: int, health: int, shield: bool, burn: int, alive: bool, unit: int
) -> Image.Image:
    """A unit's card; of a dead one, a pale card with a cross."""
    wide, high = _CARD
    canvas = Canvas(wide + 0.12, high + 0.16, unit, (0, 0, 0, 0), (0.06, 0.08))
    paint = _ELEMENTS[int(ELEMENT[kind])]
    pale = (lambda colour: mix(colour, _PAPER, 0.72)) if not alive else (lambda colour: colour)
    if shield:
        canvas.box(-0.05, -0.05, wide + 0.1, high + 0.1, (*_SHIELD, 255), 0.16)
    canvas.box(0, 0, wide, high, (*pale(_GOLD if tier == GOLD else _BRONZE), 255), 0.12)
    canvas.box(0.05, 0.05, wide - 0.1, high - 0.1, (*pale(mix(paint, _WHITE, 0.72)), 255), 0.09)
    canvas.box(0.05, 0.05, wide - 0.1, 0.62, (*pale(paint), 255), 0.09)
    lines = _words(NAMES[kind])
    for k, word in enumerate(lines):
        height = min(0.2, 0.2 * 0.8 / max(0.01, canvas.width_of(word, 0.2)))
        y = 0.36 + 0.23 * (k - (len(lines) - 1) / 2)
        canvas.text(wide / 2, y, word, height, (*pale(_WHITE), 255), 0.03)
    for x, number, colour in (
        (0.26, attack, _ATTACK),
        (wide - 0.26, health, _HEALTH if alive else _HURT),
    ):
        canvas.disc(x, high - 0.3, 0.21, (*pale(colour), 255))
        height = 0.26 if abs(number) < 100 else 0.18
        canvas.text(x, high - 0.31, str(number), height, (*_WHITE, 255), 0.04)
    if burn and alive:
        canvas.text(wide / 2, 0.8, f"burns {burn}", 0.17, (*_STRUCK, 255), 0.03)
    if shield:
        canvas.text(wide / 2, 1.0, "shield", 0.17, (*mix(_SHIELD, _INK, 0.5), 255), 0.03)
    if not alive:
        red = (*mix(_STRUCK, _PAPER, 0.25), 255)
        canvas.line([(0.16, 0.7), (wide - 0.16, 1.2)], red, 0.07, ends=True)
        canvas.line([(wide - 0.16, 0.7), (0.16, 1.2)], red, 0.07, ends=True)
    return canvas.done()


def draw(
    sides: Sequence[Sequence[Unit]],
    headline: str,
    line: str,
    notes: Sequence[str],
    size: int,
    acts: Collection[int] = (),
    struck: Collection[int] = (),
) -> np.ndarray:
    """Two rows of cards, the defenders' above.

    Args:
        sides: the invaders' and the defenders' units. headline: at the top. line: in the middle.
        notes: of each side, at its row's outer edge.
        acts, struck: units to be framed, as 64 x side + index in ``sides``.
    """
    unit = max(8, int(size / WIDE))
    canvas = Canvas(WIDE, HIGH, unit, _PAPER)
    canvas.text(WIDE / 2, 0.34, headline, 0.32, _INK, 0.03)
    canvas.text(
        WIDE / 2, 3.66, line, min(0.3, 0.3 * 7.2 / max(7.2, canvas.width_of(line, 0.3))), _INK
    )
    for side, top in enumerate(_ROWS):
        canvas.box(0.12, top - 0.12, WIDE - 0.24, _CARD[1] + 0.24, _FELT[side], 0.14)
        outer = top + _CARD[1] + 0.34 if side == 0 else top - 0.32
        words = f"{SIDES[side].capitalize()}  {notes[side]}"
        height = min(0.24, 0.24 * 7.2 / max(7.2, canvas.width_of(words, 0.24)))
        canvas.text(0.2, outer, words, height, _DIM, 0, "lm")
    image = canvas.done()
    marks = Canvas(WIDE, HIGH, unit)
    for side, units in enumerate(sides):
        step = min(1.04, 7.28 / max(1, len(units)))
        left = WIDE / 2 - step * (len(units) - 1) / 2
        for k, one in enumerate(units):
            x, y = left + step * k, _ROWS[side] + _CARD[1] / 2
            sprite = _card(
                one.kind,
                one.tier,
                one.attack,
                max(one.health, 0),
                one.shield,
                one.burn,
                one.alive,
                unit,
            )
            at = round(x * unit - sprite.width / 2), round(y * unit - sprite.height / 2)
            image.paste(sprite, at, sprite)
            number = 64 * side + k
            if number in acts or number in struck:
                paint = _ACTS if number in acts else _STRUCK
                corner = x - _CARD[0] / 2 - 0.04, y - _CARD[1] / 2 - 0.04
                frame = _CARD[0] + 0.08, _CARD[1] + 0.08
                marks.box(*corner, *frame, (0, 0, 0, 0), 0.14, (*paint, 255), 0.06)
    over = marks.done()
    image.paste(over, (0, 0), over)
    return np.array(image)


def _notes(rules: Any, s: Any, last: bool, viewer: int | None = None) -> list[str]:
    """Cost and priorities of both plans."""
    prefix, told = "last_" if last else "", []
    for seat in range(2):
        if not last and sealed_words.is_sealed(rules, s, seat, viewer):
            told.append("sealed")
            continue
        budget = sealed.budget_of.py_func(rules, seat)
        first = s[f"{prefix}priority"][seat][: int(s[f"{prefix}priority_n"][seat])].tolist()
        names = ", ".join(NAMES[UNITS * (1 - seat) + unit] for unit in first)
        spent = f"{int(s[f'{prefix}spent'][seat])} of {budget}"
        told.append(spent + (f"   first: {names}" if names else ""))
    return told


def frame_picture(
    rules: Any,
    s: Any,
    shown: Sequence[Sequence[Unit]],
    line: str,
    acts: Sequence[Unit],
    struck: Sequence[Unit],
    size: int = 640,
) -> np.ndarray:
    """A moment of the last battle: units as they are, those that act and are struck framed."""
    marked = [
        [64 * side + k for side in range(2) for k, one in enumerate(shown[side]) if one is unit]
        for unit in (*acts, *struck)
    ]
    numbers = [one[0] for one in marked if one]
    count = len([one for one in marked[: len(acts)] if one])
    headline = f"Round {int(s['round'])} of {rules.rounds}"
    return draw(
        shown, headline, line, _notes(rules, s, True), size, numbers[:count], numbers[count:]
    )


def picture(rules: Any, s: Any, size: int = 640, seat: int | None = None) -> np.ndarray:
    """Draw both plans as they are being made, the latest unit framed, or the end of a battle.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about.
        seat: whose view it is; None for a spectator, who sees all.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    k = int(s["round"])
    over = k >= rules.rounds
    if k > 0 and (over or not sealed_words.has_begun(s, seat)):
        battle = Battle(rules, s)
        if s["why"][k - 1] == sealed.SIMULATED:
            for event in sealed.last_events(rules, s):
                battle.apply(event)
        result = {1: "the invaders win", 0: "a draw", -1: "the defenders win"}
        line = result[int(s["result"][k - 1])]
        faults = [sealed_words.fault_text(rules, s, side) for side in range(2)]
        why = [f"the {SIDES[side]}' plan {fault}" for side, fault in enumerate(faults) if fault]
        if s["why"][k - 1] == sealed.SIMULATED:
            why = [f"in round {int(s['end'][k - 1])} of the battle"]
        shown = [[unit for unit in side if unit.alive] or side for side in battle.sides]
        headline = f"Round {k} of {rules.rounds}: {line}"
        return draw(shown, headline, "; ".join(why), _notes(rules, s, True), size)
    sides = [
        [] if sealed_words.is_sealed(rules, s, side, seat) else units
        for side, units in enumerate(Battle(rules, s, "plan").sides)
    ]
    headline = f"Round {k + 1} of {rules.rounds}: {sealed_words.who_plans(rules, s, SIDES, seat)}"
    line = "the plans are sealed: neither side sees the other's"
    side = int(s["seat"])
    bought = s["n"][side] > 0 and s["priority_n"][side] == 0
    last = [64 * side + int(s["n"][side]) - 1] if bought else []
    return draw(sides, headline, line, _notes(rules, s, False, seat), size, last)
