"""A picture of the table: who lives, who is what, the last votes; drawing only.

Everything is placed in points of a 960 x 640 picture. Seat 0 sits at the top, the others follow
clockwise. On the right stands what happened, the latest last.
"""

from __future__ import annotations

from math import atan2, cos, hypot, pi, sin
from typing import Any

import numpy as np

from stratagym.envs.drawing import Canvas, mix
from stratagym.envs.werewolf import telling
from stratagym.envs.werewolf.acts import act_text, name_of
from stratagym.envs.werewolf.knowledge import known_role
from stratagym.envs.werewolf.observation import last_vote
from stratagym.envs.werewolf.state import (
    ABSTAIN,
    ALPHA,
    AT_KILLER,
    DOCTOR,
    HUNTER,
    JESTER,
    KILLER,
    LIVING,
    NOBODY,
    RUNNING,
    SEER,
    SPEECH,
    VILLAGER,
    WOLF,
)

WIDTH, HEIGHT = 960, 640
ROLE_COLOURS = {
    VILLAGER: (96, 150, 92), WOLF: (196, 62, 62), SEER: (122, 96, 200), DOCTOR: (60, 150, 196),
    HUNTER: (190, 138, 66), ALPHA: (150, 36, 60), JESTER: (214, 120, 190), KILLER: (84, 84, 96),
    NOBODY: (120, 128, 144),
}  # fmt: skip
_LETTERS = {
    VILLAGER: "V", WOLF: "W", SEER: "S", DOCTOR: "D", HUNTER: "H", ALPHA: "A", JESTER: "J",
    KILLER: "K", NOBODY: "?",
}  # fmt: skip
_DAY, _NIGHT = ((236, 240, 246), (250, 251, 253)), ((26, 30, 54), (38, 44, 74))
_INK, _PALE, _GOLD, _GREY = (36, 42, 60), (226, 230, 244), (232, 176, 44), (150, 156, 170)
_MIDDLE, _RADIUS = (300.0, 340.0), 218.0
_PANEL, _LINES, _WRAP = 606.0, 22, 46


def _place(rules: Any, seat: int) -> tuple[float, float]:
    turn = 2 * pi * seat / rules.num_players
    return _MIDDLE[0] + _RADIUS * sin(turn), _MIDDLE[1] - _RADIUS * cos(turn)


def _arrow(canvas: Canvas, start: Any, end: Any, radius: float, fill: Any) -> None:
    """From edge to edge of two discs."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    far = hypot(dx, dy)
    ux, uy = dx / far, dy / far
    tail = start[0] + radius * ux, start[1] + radius * uy
    tip = end[0] - (radius + 4) * ux, end[1] - (radius + 4) * uy
    back, side = (tip[0] - 13 * ux, tip[1] - 13 * uy), 6
    canvas.line([tail, back], fill, 2.4)
    turn = atan2(uy, ux) + pi / 2
    wing = side * cos(turn), side * sin(turn)
    canvas.polygon(
        [tip, (back[0] + wing[0], back[1] + wing[1]), (back[0] - wing[0], back[1] - wing[1])], fill
    )


def _wrapped(line: str) -> list[str]:
    """A line in pieces of at most ``_WRAP`` characters."""
    rows = [""]
    for word in line.split(" "):
        if len(rows[-1]) + len(word) + 1 > _WRAP and rows[-1]:
            rows.append("  ")
        rows[-1] = f"{rows[-1]} {word}" if rows[-1].strip() else f"{rows[-1]}{word}"
    return rows


def _story(rules: Any, s: Any, seat: int | None) -> list[str]:
    lines = telling.past_lines(rules, s, seat) + telling.tonight_lines(rules, s, seat)
    if s["phase"] == SPEECH and s["winner"] == RUNNING:
        speaker = int(s["speaker"])
        acts = [act_text(rules, s, speaker, int(act)) for act in s["acts"][: s["said"]]]
        lines.append(f"- {name_of(rules, s, speaker)} speaks: {', '.join(acts) or '...'}")
    if s["winner"] != RUNNING:
        lines.append(telling.RESULTS[int(s["winner"])])
    rows = [row for line in lines for row in _wrapped(line)]
    return rows if len(rows) <= _LINES else ["...", *rows[1 - _LINES :]]


def picture(rules: Any, s: Any, size: int = WIDTH, seat: int | None = None) -> np.ndarray:
    """Draw a position.

    Args:
        size: width in pixels; the height is two thirds of it.
        seat: whose view it is, with the roles that it knows; None for a spectator, who sees all.

    Returns:
        Array of (2 * size // 3, size, 3) uint8, RGB.
    """
    is_night = s["phase"] <= AT_KILLER and s["winner"] == RUNNING
    ground, plate = _NIGHT if is_night else _DAY
    ink = _PALE if is_night else _INK
    canvas = Canvas(WIDTH, HEIGHT, size / WIDTH, ground, oversample=3)
    canvas.disc(*_MIDDLE, _RADIUS + 62, plate)
    canvas.text(_MIDDLE[0], 30, telling.when_text(rules, s), 26, ink, 0.03)
    if is_night:
        canvas.disc(540, 56, 26, (240, 236, 206))
        canvas.disc(552, 48, 23, ground)
    else:
        canvas.disc(544, 56, 22, (250, 206, 84))
    radius = 34 if rules.num_players <= 10 else 27 if rules.num_players <= 14 else 21
    _votes(canvas, rules, s, seat, radius)
    for k in range(rules.num_players):
        _player(canvas, rules, s, seat, k, radius, ink, ground)
    canvas.box(_PANEL, 60, 336, 556, plate, 10)
    for k, row in enumerate(_story(rules, s, seat)):
        canvas.text(_PANEL + 14, 84 + 24 * k, row.removeprefix("- "), 13.5, ink, 0, "lm")
    return canvas.array()


def _votes(canvas: Canvas, rules: Any, s: Any, seat: int | None, radius: float) -> None:
    """Arrows for the last vote, as far as it is known."""
    day = int(last_vote(rules, s))
    if day < 1:
        return
    for voter in range(rules.num_players):
        vote = int(s["votes"][day][voter])
        is_shown = seat in (None, voter) or not rules.secret or s["winner"] != RUNNING
        if vote not in (NOBODY, ABSTAIN) and is_shown:
            _arrow(canvas, _place(rules, voter), _place(rules, vote), radius, _GREY)


def _player(
    canvas: Canvas, rules: Any, s: Any, seat: int | None, k: int, radius: float, ink: Any,
    ground: tuple[int, ...],
) -> None:  # fmt: skip
    x, y = _place(rules, k)
    role = int(s["role"][k] if seat is None else known_role(rules, s, seat, k))
    lives, fill = s["fate"][k] == LIVING, ROLE_COLOURS[role]
    is_asked = s["winner"] == RUNNING and s["player"] == k and (
        seat in (None, k) or s["phase"] == SPEECH
    )  # fmt: skip
    if is_asked:
        canvas.disc(x, y, radius + 6, _GOLD)
    canvas.disc(x, y, radius, fill if lives else mix(fill, ground, 0.65))
    canvas.text(x, y, _LETTERS[role], radius, (255, 255, 255), 0.03)
    if not lives:
        reach = 0.7 * radius
        canvas.line([(x - reach, y - reach), (x + reach, y + reach)], ink, 3.4)
        canvas.line([(x - reach, y + reach), (x + reach, y - reach)], ink, 3.4)
    name = name_of(rules, s, k) + (" (you)" if k == seat else "")
    canvas.text(x, y + radius + 13, name, 16, ink, 0.02 if lives else 0.0)
    if s["claimed"][k] != NOBODY:
        claimed = int(s["claimed"][k])
        at = x + 0.85 * radius, y - 0.85 * radius
        canvas.disc(*at, 11, (255, 255, 255))
        canvas.disc(*at, 9.5, ROLE_COLOURS[claimed])
        canvas.text(*at, _LETTERS[claimed], 12, (255, 255, 255), 0.03)
