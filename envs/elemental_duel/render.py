"""A picture of the elemental duel: fighters with HP, skills and statuses; drawing only."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from stratagym.envs import sealed, sealed_words
from stratagym.envs.drawing import Canvas, mix
from stratagym.envs.elemental_duel.fight import STATUS_NAMES
from stratagym.envs.elemental_duel.rules import PER_FIGHTER
from stratagym.envs.elemental_duel.story import SIDES, Duel, Fighter
from stratagym.envs.elemental_duel.tables import FIGHTERS, NAMES

_PAPER, _INK, _DIM = (246, 244, 239), (40, 42, 54), (126, 122, 124)
_PAINTS = (
    (216, 88, 56), (62, 124, 206), (94, 74, 124), (86, 148, 76), (170, 128, 76), (222, 178, 56),
)  # fmt: skip
_WHITE, _GROUND = (255, 255, 255), (222, 216, 206)
_GOOD, _LOW, _SHIELD = (84, 164, 92), (208, 62, 62), (110, 176, 232)
_ACTS, _STRUCK = (40, 130, 70), (206, 48, 48)
WIDE, HIGH = 8.0, 6.6
"""Of the picture, in units of an eighth of its width."""
_CARD = (3.3, 1.62)
_TOP = 1.15


def _fighter(canvas: Canvas, x: float, y: float, one: Fighter, acts: int) -> None:
    """A fighter's card, its top left corner at (x, y)."""
    wide, high = _CARD
    paint, dead = _PAINTS[one.element], one.health <= 0
    pale = mix(paint, _PAPER, 0.75) if dead else paint
    canvas.box(x, y, wide, high, mix(pale, _WHITE, 0.76), 0.12, pale, 0.05)
    canvas.box(x, y, wide, 0.46, pale, 0.12)
    canvas.text(x + 0.16, y + 0.22, one.name, 0.27, _WHITE, 0.04, "lm")
    told = "dead" if dead else f"{one.health} / {one.most}"
    canvas.text(x + wide - 0.16, y + 0.22, told, 0.26, _WHITE, 0.03, "rm")
    canvas.box(x + 0.14, y + 0.54, wide - 0.28, 0.14, _GROUND, 0.05)
    if not dead:
        share = one.health / one.most
        canvas.box(
            x + 0.14, y + 0.54, (wide - 0.28) * share, 0.14, _GOOD if share > 0.3 else _LOW, 0.05
        )
    for k, skill in enumerate(one.skills):
        words = NAMES[skill]
        now = not dead and acts >= 0 and acts % len(one.skills) == k
        canvas.text(x + 0.16, y + 0.86 + 0.22 * k, words, 0.18, _INK if now else _DIM, 0, "lm")
    shields = [f"shield {one.shield + one.wall}"] if one.shield + one.wall > 0 else []
    known = [
        STATUS_NAMES[status] + (f" {value}" if value > 1 else "")
        for status, value in sorted(one.statuses.items())
        if value > 0 and STATUS_NAMES[status] != "shield"
    ]
    for k, words in enumerate((shields + known)[:4] if not dead else ()):
        shade = _SHIELD if words.startswith("shield") else _STRUCK
        colour = mix(shade, _INK, 0.25)
        canvas.text(x + wide - 0.16, y + 0.82 + 0.2 * k, words, 0.16, colour, 0.02, "rm")


def draw(
    rules: Any,
    s: Any,
    duel: Duel,
    headline: str,
    line: str,
    last: bool,
    size: int,
    acts: Collection[int] = (),
    struck: Collection[int] = (),
    seat: int | None = None,
) -> np.ndarray:
    """The invaders' fighters on the left, the defenders' on the right.

    Args:
        headline, line: above the fighters. last: whether the plans are those of the round before.
        acts, struck: fighters to be framed, by number. seat: as for ``picture``.
    """
    canvas = Canvas(WIDE, HIGH, max(8, int(size / WIDE)), _PAPER)
    canvas.text(WIDE / 2, 0.3, headline, 0.3, _INK, 0.03)
    height = min(0.25, 0.25 * 7.6 / max(7.6, canvas.width_of(line, 0.25)))
    canvas.text(WIDE / 2, 0.7, line, height, _INK)
    for side in range(2):
        x = 0.35 if side == 0 else WIDE - 0.35 - _CARD[0]
        budget = sealed.budget_of.py_func(rules, side)
        spent = int(s["last_spent" if last else "spent"][side])
        hidden = not last and sealed_words.is_sealed(rules, s, side, seat)
        cost = "sealed" if hidden else f"{spent} of {budget}"
        words = f"{SIDES[side].capitalize()}  {cost}"
        canvas.text(x, 1.0, words, 0.22, _DIM, 0, "lm")
        for k in range(FIGHTERS):
            number = FIGHTERS * side + k
            one, y = duel.fighters[number], _TOP + 0.04 + (_CARD[1] + 0.14) * k
            if one is None or hidden:
                canvas.box(x, y, *_CARD, mix(_GROUND, _PAPER, 0.4), 0.12)
                canvas.text(x + _CARD[0] / 2, y + _CARD[1] / 2, f"{k + 1}", 0.4, _DIM)
                continue
            _fighter(canvas, x, y, one, -1)
            if number in acts or number in struck:
                paint = _ACTS if number in acts else _STRUCK
                frame = _CARD[0] + 0.12, _CARD[1] + 0.12
                canvas.box(x - 0.06, y - 0.06, *frame, None, 0.16, paint, 0.07)
    return canvas.array()


def picture(rules: Any, s: Any, size: int = 640, seat: int | None = None) -> np.ndarray:
    """Draw both plans as they are being made, the latest fighter framed, or the end of a duel.

    Args:
        rules: the game's ``Rules``. s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels, about.
        seat: whose view it is; None for a spectator, who sees all.

    Returns:
        Array of (height, width, 3) uint8, RGB.
    """
    k = int(s["round"])
    if k > 0 and (k >= rules.rounds or not sealed_words.has_begun(s, seat)):
        duel = Duel(rules, s)
        if s["why"][k - 1] == sealed.SIMULATED:
            for event in sealed.last_events(rules, s):
                duel.apply(event)
            line = f"in round {int(s['end'][k - 1])} of the duel"
        else:
            faults = [sealed_words.fault_text(rules, s, side) for side in range(2)]
            named = zip(SIDES, faults, strict=True)
            line = "; ".join(f"the {side}' plan {fault}" for side, fault in named if fault)
        result = {1: "the invaders win", 0: "a draw", -1: "the defenders win"}
        headline = f"Round {k} of {rules.rounds}: {result[int(s['result'][k - 1])]}"
        return draw(rules, s, duel, headline, line, True, size)
    headline = f"Round {k + 1} of {rules.rounds}: {sealed_words.who_plans(rules, s, SIDES, seat)}"
    line = "the plans are sealed: neither side sees the other's"
    side = int(s["seat"])
    last = {FIGHTERS * side + (int(s["n"][side]) - 1) // PER_FIGHTER} if s["n"][side] else ()
    return draw(rules, s, Duel(rules, s, "plan"), headline, line, False, size, last, seat=seat)
