"""A picture of a Hanabi table for a spectator: all hands face up; drawing only.

Lengths are in units of a card's width; a card is ``_TALL`` high. Above each card of a hand stands
what its holder was told of it, below it what hints leave open.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.drawing import CLEAR, Canvas, mix
from stratagym.envs.hanabi.rules import COLOUR_TOLD, NONE, RANK_TOLD, RANKS, SCORED, decode
from stratagym.envs.hanabi.view import COLOURS, final_score, last_moves

PAINTS = [(226, 66, 72), (245, 196, 48), (58, 178, 100), (236, 238, 246), (70, 132, 236)]
_NIGHT, _DUSK = (16, 20, 44), (38, 34, 78)
_INK, _PALE, _DIM, _GOLD = (24, 28, 48), (238, 240, 250), (164, 170, 202), (255, 206, 84)

_WIDE, _HIGH = 17.6, 13.2  # of the whole picture
_TALL = 1.36
_LEFT = 0.45  # of everything
_COLUMN = 11.45  # of the right-hand panel


def _canvas(width: float, height: float, unit: float, paper: tuple[int, ...] = CLEAR) -> Canvas:
    return Canvas(width, height, unit, paper, oversample=3)


def _burst(canvas: Canvas, x: float, y: float, radius: float, rays: int, fill: Any) -> None:
    """A spark of fireworks: rays with a dot at each end."""
    for k in range(rays):
        dx, dy = cos(2 * pi * k / rays), sin(2 * pi * k / rays)
        ends = [(x + r * dx, y + r * dy) for r in (0.35 * radius, 0.8 * radius)]
        canvas.line(ends, fill, 0.07 * radius)
        canvas.disc(x + radius * dx, y + radius * dy, 0.09 * radius, fill)


def _ink(colour: int) -> tuple[int, int, int]:
    """What can be read on a card's colour."""
    return _INK if colour in (1, 3) else _PALE


def _card(canvas: Canvas, x: float, y: float, card: int, width: float = 1.0) -> None:
    """A card face up, its rank large and a burst with as many rays as its rank behind it."""
    colour, rank = card // RANKS, card % RANKS
    paint = PAINTS[colour]
    canvas.box(x, y, width, _TALL * width, mix(paint, _INK, 0.45), 0.14 * width)
    edge = 0.04 * width
    canvas.box(x + edge, y + edge, width - 2 * edge, _TALL * width - 2 * edge, paint, 0.11 * width)
    middle, centre = x + width / 2, y + _TALL * width / 2
    glow = mix(paint, (255, 255, 255) if colour != 3 else (150, 156, 190), 0.42)
    _burst(canvas, middle, centre, 0.44 * width, 4 + 2 * rank, glow)
    canvas.text(middle, centre, str(rank + 1), 0.66 * width, _ink(colour), 0.03)
    for dx, dy in ((0.15, 0.17), (0.85, _TALL - 0.17)):
        canvas.text(x + dx * width, y + dy * width, COLOURS[colour], 0.2 * width, _ink(colour))


def _back(canvas: Canvas, x: float, y: float) -> None:
    """A card that its holder does not see."""
    canvas.box(x, y, 1, _TALL, _DUSK, 0.14, _DIM, 0.035)
    canvas.text(x + 0.5, y + _TALL / 2, "?", 0.6, _DIM, 0.03)


def _slot(canvas: Canvas, x: float, y: float, colour: int) -> None:
    """Where a firework will rise."""
    faint = (*PAINTS[colour], 46)
    canvas.box(x, y, 1, _TALL, faint, 0.14, (*PAINTS[colour], 120), 0.035)
    canvas.text(x + 0.5, y + _TALL / 2, COLOURS[colour], 0.4, (*PAINTS[colour], 170))


@lru_cache(maxsize=4)
def _sky(unit: float) -> Image.Image:
    """The background: dusk, stars and far fireworks."""
    canvas = _canvas(_WIDE, _HIGH, unit, (*_NIGHT, 255))
    rows = canvas.image.height
    for row in range(rows):
        canvas.draw.line((0, row, canvas.image.width, row), (*mix(_NIGHT, _DUSK, row / rows), 255))
    rng = np.random.default_rng(7)
    for x, y, light in rng.random((150, 3)):
        shade = mix(_NIGHT, _PALE, 0.25 + 0.45 * light)
        canvas.disc(x * _WIDE, y * _HIGH, 0.012 + 0.014 * light, shade)
    far = _canvas(_WIDE, _HIGH, unit)
    for k, (x, y, radius) in enumerate(((15.3, 0.9, 0.8), (9.9, 1.2, 0.6), (16.9, 8.8, 0.6))):
        _burst(far, x, y, radius, 14, (*PAINTS[k * 2], 70))
    far.blur(0.02)
    canvas.image.alpha_composite(far.image)
    return canvas.image.convert("RGB")


def _tokens(canvas: Canvas, x: float, y: float, have: int, most: int, kind: str) -> None:
    for k in range(most):
        lit = k < have
        at = x + 0.46 * k
        if kind == "information":
            canvas.disc(at, y, 0.19, mix(PAINTS[4], _PALE, 0.35) if lit else (70, 74, 110))
            canvas.text(at, y, "i", 0.26, _INK if lit else (110, 114, 150), 0.03)
        else:
            canvas.disc(at, y, 0.19, (240, 92, 92) if lit else (70, 74, 110))
            canvas.disc(at - 0.06, y - 0.06, 0.06, (255, 180, 170) if lit else (90, 94, 130))


def _marks(canvas: Canvas, x: float, y: float, known: int, colours: int) -> None:
    """What the holder was told (above a card), and what is left open (below it)."""
    if known & COLOUR_TOLD:
        colour = (known & 31).bit_length() - 1
        canvas.disc(x + 0.3, y - 0.2, 0.135, _PALE)
        canvas.disc(x + 0.3, y - 0.2, 0.11, PAINTS[colour])
    if known & RANK_TOLD:
        canvas.box(x + 0.57, y - 0.34, 0.27, 0.28, _PALE, 0.07)
        canvas.text(x + 0.705, y - 0.2, str((known >> 5 & 31).bit_length()), 0.24, _INK, 0.03)
    for colour in range(colours):
        if known >> colour & 1:
            at = x + 0.5 + 0.18 * (colour - (colours - 1) / 2)
            canvas.disc(at, y + _TALL + 0.13, 0.065, PAINTS[colour])
    for rank in range(RANKS):
        if known >> (5 + rank) & 1:
            canvas.text(x + 0.5 + 0.18 * (rank - 2), y + _TALL + 0.33, str(rank + 1), 0.2, _DIM)


def picture(rules: Any, s: Any, size: int = 960, seat: int | None = None) -> np.ndarray:
    """Draw a position.

    Args:
        rules: the game's ``Rules``.
        s: one record of ``STATE``, such as ``states[0]``.
        size: width in pixels.
        seat: whose view it is; None for a spectator, who sees all.

    Returns:
        Array of (0.75 size, size, 3) uint8, RGB.
    """
    unit = size / _WIDE
    canvas = _canvas(_WIDE, _HIGH, unit)
    canvas.use(_sky(unit).copy())
    colours, players = rules.colours, rules.num_players
    lost = s["life_tokens"] == 0
    over = lost or s["turns_left"] == 0 or s["score"] == colours * RANKS

    latest, fitted = _latest(s)
    canvas.text(_LEFT, 0.5, "FIREWORKS", 0.26, _DIM, 0.02, "lm")
    for colour in range(colours):
        height = int(s["fireworks"][colour])
        x = _LEFT + 1.22 * colour
        if fitted and latest // RANKS == colour:
            _frame(canvas, x, 0.8)
        if height:
            _card(canvas, x, 0.8, RANKS * colour + height - 1)
        else:
            _slot(canvas, x, 0.8, colour)
    x = _LEFT + 6.6
    canvas.text(x, 0.5, "SCORE", 0.26, _DIM, 0.02, "lm")
    built, counted = int(s["score"]), final_score(rules, s) if over else int(s["score"])
    canvas.text(x, 1.2, str(counted), 0.95, _GOLD, 0.02, "lm")
    if over:
        canvas.text(x, 1.98, "LIVES LOST" if lost else "GAME OVER", 0.3, _GOLD, 0.03, "lm")
    if counted != built:
        canvas.text(x, 2.36, f"{built} built", 0.26, _DIM, 0, "lm")
    canvas.text(x + 2.2, 0.5, "DECK", 0.26, _DIM, 0.02, "lm")
    piled = -(-int(s["deck_size"]) // 12)
    for k in range(piled):
        at = x + 2.2 + 0.05 * k, 0.98 - 0.05 * k
        canvas.box(*at, 0.84, 1.16, _DUSK, 0.1, _DIM, 0.03)
    canvas.text(
        x + 2.57 + 0.05 * piled, 1.61 - 0.05 * piled, str(int(s["deck_size"])), 0.46, _PALE, 0.02
    )

    top, row = 2.75, min(3.3, 10.3 / players)
    for player in range(players):
        y = top + row * player
        to_move = player == s["player"] and not over
        canvas.box(
            _LEFT - 0.15, y - 0.02, _COLUMN - _LEFT - 0.2, row - 0.1,
            (255, 255, 255, 34 if to_move else 16), 0.2, _GOLD if to_move else None, 0.05,
        )  # fmt: skip
        scale = min(1.3, (row - 0.1) / 2.4)
        name, at = f"PLAYER {player}", (_LEFT + 0.1, y + row / 2 - 0.2)
        canvas.text(*at, name, 0.3, _GOLD if to_move else _PALE, 0.02, "lm")
        if to_move:
            canvas.text(_LEFT + 0.1, y + row / 2 + 0.18, "to move", 0.24, _GOLD, 0, "lm")
        if player == s["last_player"]:
            canvas.text(_LEFT + 0.1, y + row / 2 + 0.18, "moved last", 0.24, _DIM, 0, "lm")
        for k in range(int(s["hand_sizes"][player])):
            _held(canvas, rules, s, player, k, y, row, scale, player == seat)

    _side(canvas, rules, s)
    return np.array(canvas.done())


def _held(canvas, rules, s, seat, k, y, row, scale, hidden) -> None:
    """One card of a hand with its marks, drawn apart where the rows are low."""
    part = _canvas(1.2, _TALL + 0.95, canvas.unit / canvas.oversample * scale)
    card, known = int(s["hands"][seat, k]), int(s["knowledge"][seat, k])
    last = int(s["last_player"])
    if last != NONE and s["move_touched"][last] >> k & 1 and _target(rules, s, last) == seat:
        part.box(0.02, 0.32, 1.16, _TALL + 0.16, (*_GOLD, 90), 0.2, _GOLD, 0.05)
    if hidden:
        _back(part, 0.1, 0.4)
    else:
        _card(part, 0.1, 0.4, card)
    _marks(part, 0.1, 0.4, known, rules.colours)
    at = (_LEFT + 2.35 + 1.62 * k, y + (row - 0.1 - 2.31 * scale) / 2)
    canvas.image.paste(part.image, tuple(round(v * canvas.unit) for v in at), part.image)


def _frame(canvas: Canvas, x: float, y: float, width: float = 1.0) -> None:
    """What marks the latest card, drawn below it."""
    edge = 0.08 * width
    size = width + 2 * edge, _TALL * width + 2 * edge
    canvas.box(x - edge, y - edge, *size, _GOLD, 0.2 * width)


def _latest(s: Any) -> tuple[int, bool]:
    """The card that the last move played or discarded, or ``NONE``, and whether it fitted."""
    last = int(s["last_player"])
    if last == NONE:
        return NONE, False
    return int(s["move_cards"][last]), bool(s["move_outcomes"][last] & SCORED)


def _target(rules: Any, s: Any, seat: int) -> int:
    """Whom the last move of a seat told something, or that seat itself."""
    return (seat + decode(rules, int(s["moves"][seat]))[1]) % rules.num_players


def _side(canvas: Canvas, rules: Any, s: Any) -> None:
    """Tokens, discards and the last moves."""
    x = _COLUMN + 0.1
    canvas.text(x, 0.5, "INFORMATION", 0.26, _DIM, 0.02, "lm")
    most = rules.max_information_tokens
    _tokens(canvas, x + 0.2, 0.95, int(s["information_tokens"]), most, "information")
    canvas.text(x + 4.3, 0.5, "LIVES", 0.26, _DIM, 0.02, "lm")
    _tokens(canvas, x + 4.5, 0.95, int(s["life_tokens"]), rules.max_life_tokens, "life")
    canvas.text(x, 1.65, "DISCARDS", 0.26, _DIM, 0.02, "lm")
    latest, fitted = _latest(s)
    for colour in range(rules.colours):
        y = 1.95 + 0.92 * colour
        canvas.box(x, y, 5.6, 0.84, (255, 255, 255, 16), 0.12)
        at = x + 0.1
        for rank in range(RANKS):
            card = RANKS * colour + rank
            lost = int(s["discards"][card])
            for k in range(lost):
                if card == latest and not fitted and k == lost - 1:
                    _frame(canvas, at, y + 0.06, 0.53)
                _card(canvas, at, y + 0.06, card, 0.53)
                at += 0.55
    y = 1.95 + 0.92 * rules.colours + 0.35
    canvas.text(x, y, "LAST MOVES", 0.26, _DIM, 0.02, "lm")
    for k, words in enumerate(last_moves(rules, s)):
        height = min(0.245, 0.245 * 5.6 / canvas.width_of(words, 0.245))
        canvas.text(x, y + 0.45 + 0.42 * k, words, height, _PALE, 0, "lm")
