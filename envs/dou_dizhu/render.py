"""A picture of the table as a spectator sees it, with all hands; drawing only.

Everything is placed in points of a 960 x 640 table: (0, 0) is its top left corner, x runs right, y
down. Player 0 sits below, player 1, who plays next, on the right, player 2 on the left. In front of
each lies its last play; the one to beat has a golden edge, and the latest stands on light ground.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.dou_dizhu.cards import BLACK_JOKER, RED_JOKER, ranks_of, size
from stratagym.envs.dou_dizhu.rules import SEATS, bottom_left, last_play, stake
from stratagym.envs.dou_dizhu.view import result_text
from stratagym.envs.drawing import CLEAR, Canvas, mix, put

WIDTH, HEIGHT = 960, 640

_ROOM, _FELT, _FELT_DARK, _LINE = (22, 25, 36), (38, 92, 120), (22, 62, 88), (92, 150, 178)
_PAPER, _INK, _RED, _FAINT = (252, 252, 250), (33, 37, 48), (203, 38, 48), (176, 192, 204)
_GOLD, _PLATE, _GREEN = (255, 204, 74), (17, 27, 40), (86, 190, 128)
_NAMES = ("3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A", "2")
_LARGE, _SMALL = (68, 96), (50, 70)
_BELOW, _RIGHT, _LEFT = range(SEATS)
_HIDDEN = -1


def _canvas(width: float, height: float, scale: float, paper: tuple[int, ...] = CLEAR) -> Canvas:
    return Canvas(width, height, scale, paper, oversample=3)


def _star(canvas: Canvas, x: float, y: float, radius: float, fill: Any) -> None:
    turns = np.arange(10) * np.pi / 5
    reach = np.where(np.arange(10) % 2 == 0, radius, 0.42 * radius)
    points = zip(x + reach * np.sin(turns), y - reach * np.cos(turns), strict=True)
    canvas.polygon([(float(a), float(b)) for a, b in points], fill)


@lru_cache(maxsize=256)
def _card(rank: int, small: bool, dim: bool, edge: bool, scale: float) -> Image.Image:
    """A card with its shadow, 8 points of margin around it; ``_HIDDEN`` is one face down."""
    width, height = _SMALL if small else _LARGE
    canvas = _canvas(width + 16, height + 16, scale)
    canvas.box(10, 11, width, height, (0, 0, 0, 130), 7)
    canvas.blur(2.5)
    line, thick = (_GOLD, 3.0) if edge else ((168, 174, 182), 1.2)
    canvas.box(8, 8, width, height, _PAPER, 7, line, thick)
    unit = height / 96
    if rank == _HIDDEN:
        inner = width - 12 * unit, height - 12 * unit
        canvas.box(8 + 6 * unit, 8 + 6 * unit, *inner, _FELT, 5, _LINE, 1.6)
        return canvas.done()
    if rank >= BLACK_JOKER:
        ink = _RED if rank == RED_JOKER else _INK
        for k, letter in enumerate("JOKER"):
            canvas.text(8 + 12 * unit, 8 + (15 + 15.5 * k) * unit, letter, 15 * unit, ink, 0.04)
        _star(canvas, 8 + 42 * unit, 8 + 55 * unit, 19 * unit, ink)
    else:
        # No suits in this game: high cards are told apart by their colour.
        ink, name = ((154, 92, 10) if rank == 12 else _INK), _NAMES[rank]
        tall = 29 if len(name) == 1 else 24
        canvas.text(8 + 17 * unit, 8 + 20 * unit, name, tall * unit, ink, 0.04)
        x, y, r = 8 + 17 * unit, 8 + 52 * unit, 8 * unit
        pale = mix(_PAPER, ink, 0.45)
        canvas.polygon([(x, y - 1.4 * r), (x + r, y), (x, y + 1.4 * r), (x - r, y)], pale)
    if dim:
        canvas.box(8, 8, width, height, (30, 50, 66, 150), 7)
    return canvas.done()


@lru_cache(maxsize=64)
def _glow(width: float, height: float, scale: float) -> Image.Image:
    """What lies behind the latest play."""
    canvas = _canvas(width, height, scale)
    canvas.box(0, 0, width, height, (255, 255, 255, 60), 12)
    return canvas.done()


@lru_cache(maxsize=4)
def _table(scale: float) -> Image.Image:
    """All that never changes. To be copied before use."""
    canvas = _canvas(WIDTH, HEIGHT, scale, (*_ROOM, 255))
    canvas.box(14, 48, 932, 578, (48, 36, 30), 46)
    canvas.box(24, 58, 912, 558, _FELT_DARK, 38)
    for k in range(40):
        share = k / 39
        inset = 60 * share
        canvas.box(
            26 + inset, 60 + inset, 908 - 2 * inset, 554 - 2 * inset,
            mix(_FELT_DARK, _FELT, share), 38,
        )  # fmt: skip
    canvas.box(250, 250, 460, 176, None, 60, (*_LINE, 255), 1.4)
    return canvas.done().convert("RGB")


def _spread(number: int, room: float, card: int, most: float) -> float:
    """Points from card to card, so that all fit into ``room``."""
    return min(most, (room - card) / max(1, number - 1))


def picture(rules: Any, s: Any, width: int = WIDTH, seat: int | None = None) -> np.ndarray:
    """Draw a state, all hands included.

    Args:
        rules: the game's ``Rules``.
        s: one record of ``STATE``, such as ``states[0]``.
        width: in pixels; the height is two thirds of it.
        seat: whose view it is; None for a spectator, who sees all.

    Returns:
        Array of (2 * width // 3, width, 3) uint8, RGB.
    """
    scale = width / WIDTH
    image = _table(scale).copy()
    over, landlord = bool(s["over"]), int(s["landlord"])

    def place(rank: int, x: float, y: float, small: bool, dim: bool = False, edge: bool = False):
        put(image, _card(rank, small, dim, edge, scale), x * scale, y * scale)

    def row(ranks: list[int], left: float, y: float, step: float, small: bool, **how: Any) -> None:
        half = (_SMALL if small else _LARGE)[0] / 2
        for k, rank in enumerate(ranks):
            place(rank, left + half + k * step, y, small, **how)

    labels: list[tuple[float, float, str, bool]] = []
    for player in range(SEATS):
        # High cards come first, as players hold them.
        hand = ranks_of(s["hands"][player])[::-1]
        if seat not in (None, player):
            hand = [_HIDDEN] * len(hand)
        if player == _BELOW:
            step = _spread(len(hand), 840, _LARGE[0], 40)
            wide = step * (len(hand) - 1) + _LARGE[0]
            row(hand, 480 - wide / 2, 556, step, False)
        else:
            for line in range(2):
                part = hand[10 * line : 10 * line + 10]
                wide = 31 * max(0, len(part) - 1) + _SMALL[0]
                left = 44 if player == _LEFT else 916 - wide
                row(part, left, 156 + 42 * line, 31, True)
        if landlord < 0:
            continue
        latest = (landlord + int(s["plays"]) - 1) % SEATS
        back = (latest - player) % SEATS
        cards = ranks_of(last_play(s, back)) if back < s["plays"] else []
        beat = bool(s["top"]) and player == s["owner"]
        small = len(cards) > 8 or player != _BELOW
        step = _spread(len(cards), 400 if player == _BELOW else 250, _SMALL[0], 32)
        wide = step * (len(cards) - 1) + (_SMALL if small else _LARGE)[0]
        x, y = ((480, 428), (800, 322), (160, 322))[player]
        if player == latest and s["plays"]:
            high = (_SMALL if small else _LARGE)[1] if cards else 24
            glow = _glow(wide + 24 if cards else 92, high + 24, scale)
            put(image, glow, x * scale, y * scale)
        if cards:
            row(cards, x - wide / 2, y, step, small, edge=beat)
        elif back < s["plays"]:
            labels.append((x, y, "pass", True))
    bottom = ranks_of(s["bottom"])[::-1]
    if landlord < 0 and seat is not None:
        bottom = [_HIDDEN] * len(bottom)
    kept = ranks_of(bottom_left(s))
    for k, rank in enumerate(bottom):
        gone = landlord >= 0 and rank not in kept
        if not gone and landlord >= 0:
            kept.remove(rank)
        place(rank, 480 + 58 * (k - 1), 122, True, dim=gone)

    canvas = _canvas(WIDTH, HEIGHT, scale)
    canvas.text(480, 174, "bottom cards", 13, _FAINT)
    for player in range(SEATS):
        x, y = ((150, 468), (806, 92), (154, 92))[player]
        turn = not over and player == s["player"]
        canvas.box(
            x - 110, y - 22, 220, 40, (*_PLATE, 235), 12, _GOLD if turn else (70, 88, 104),
            3 if turn else 1.4,
        )  # fmt: skip
        is_landlord = player == landlord
        role = "" if landlord < 0 else "Landlord" if is_landlord else "Peasant"
        ink = _GOLD if is_landlord else _GREEN
        if role:
            _star(canvas, x - 92, y - 2, 9, ink)
        canvas.text(x - 76, y - 11, f"Player {player}", 16, _PAPER, 0.02, "lm")
        canvas.text(x - 76, y + 7, role or "bidding", 13, ink if role else _FAINT, 0, "lm")
        held = int(size(np.uint64(s["hands"][player])))
        canvas.text(x + 96, y - 2, f"{held} card{'' if held == 1 else 's'}", 16, _PAPER, 0.02, "rm")
    for at_x, at_y, words, _ in labels:
        canvas.text(at_x, at_y, words, 22, _FAINT, 0.02)
    if over:
        words = result_text(s)
        wide = canvas.width_of(words, 19) + 44
        canvas.box(480 - wide / 2, 268, wide, 40, (*_PLATE, 240), 14, _GOLD, 2)
        canvas.text(480, 288, words, 19, _PAPER, 0.02)
    elif landlord >= 0 and not s["top"]:
        canvas.text(480, 288, f"Player {int(s['player'])} leads", 19, _PAPER, 0.02)
    elif landlord >= 0:
        canvas.text(480, 288, f"Player {int(s['owner'])}'s play is to be beaten", 19, _PAPER, 0.02)
    else:
        canvas.text(480, 288, f"Highest bid: {int(s['bid']) or 'none'}", 19, _PAPER, 0.02)
    bombs = int(s["bombs"])
    told = f"Stake {int(stake(rules, s))}" if landlord >= 0 else "Bidding"
    if bombs:
        told += f"  ·  {bombs} bomb{'' if bombs == 1 else 's'}"
    canvas.text(20, 24, told, 16, _FAINT, 0, "lm")
    canvas.text(WIDTH - 20, 24, "Fight the Landlord", 16, _FAINT, 0, "rm")
    layer = canvas.done()
    image.paste(layer, (0, 0), layer)
    return np.array(image)
