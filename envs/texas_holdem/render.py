"""A picture of the table as a spectator sees it, with both players' cards; drawing only.

Everything is placed in points of a 960 x 640 table: (0, 0) is its top left corner, x runs right, y
down. Player 0 sits below, player 1 above.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.drawing import CLEAR, Canvas, mix, put
from stratagym.envs.texas_holdem.evaluator import CATEGORIES, category, evaluate
from stratagym.envs.texas_holdem.rules import (
    BIG_BLIND,
    LOG,
    MADE_CALL,
    MADE_CHECK,
    MADE_FOLD,
    NO_CARD,
    board_bits,
    board_cards,
    hole_bits,
)

WIDTH, HEIGHT = 960, 640

_ROOM, _RAIL, _RAIL_LIGHT = (24, 27, 38), (82, 50, 33), (124, 80, 52)
_FELT, _FELT_DARK, _LINE = (28, 120, 84), (17, 84, 60), (86, 168, 130)
_PAPER, _INK, _FAINT = (252, 252, 250), (33, 37, 48), (176, 190, 184)
_GOLD, _PLATE, _BACK = (255, 204, 74), (22, 30, 40), (48, 74, 140)
# Clubs, diamonds, hearts, spades.
_SUIT_INKS = ((33, 37, 48), (208, 42, 52), (208, 42, 52), (33, 37, 48))
_RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
_CARD = (78, 110)
_HIDDEN = -2
_SEATS = ((480, 520), (480, 120))
_CHIPS = ((10_000, (218, 160, 40)), (5_000, (226, 110, 40)), (1_000, (38, 42, 54)),
          (500, (112, 68, 162)), (100, (32, 92, 176)), (25, (30, 138, 72)), (5, (196, 52, 52)),
          (1, (226, 228, 232)))  # fmt: skip


def _canvas(width: float, height: float, scale: float, paper: tuple[int, ...] = CLEAR) -> Canvas:
    return Canvas(width, height, scale, paper, oversample=3)


def _suit(canvas: Canvas, suit: int, x: float, y: float, size: float, fill: Any) -> None:
    """The suit's sign, about ``size`` high around (x, y)."""
    r = size / 2
    if suit == 1:
        canvas.polygon([(x, y - r), (x + 0.76 * r, y), (x, y + r), (x - 0.76 * r, y)], fill)
        return
    if suit == 0:
        for dx, dy in ((0, -0.5), (-0.48, 0.2), (0.48, 0.2)):
            canvas.disc(x + dx * r, y + dy * r, 0.44 * r, fill)
        canvas.disc(x, y, 0.3 * r, fill)
    else:
        up = -1 if suit == 2 else 1
        lobes = y + up * 0.2 * r
        for side in (-1, 1):
            canvas.disc(x + side * 0.43 * r, lobes, 0.47 * r, fill)
        tip = y - up * 0.98 * r
        canvas.polygon(
            [(x - 0.86 * r, lobes - up * 0.18 * r), (x, tip), (x + 0.86 * r, lobes - up * 0.18 * r),
             (x, lobes + up * 0.3 * r)], fill,
        )  # fmt: skip
    if suit != 2:
        canvas.polygon([(x, y), (x + 0.36 * r, y + r), (x - 0.36 * r, y + r)], fill)


@lru_cache(maxsize=128)
def _card(card: int, scale: float, dim: bool) -> Image.Image:
    """A card with its shadow, 8 points of margin around it.

    ``NO_CARD`` is an empty place, ``_HIDDEN`` a card face down.
    """
    width, height = _CARD
    canvas = _canvas(width + 16, height + 16, scale)
    if card == NO_CARD:
        canvas.box(8, 8, width, height, (*_FELT_DARK, 120), 8, (*_LINE, 150), 1.6)
        return canvas.done()
    canvas.box(10, 12, width, height, (0, 0, 0, 130), 8)
    canvas.blur(3)
    canvas.box(8, 8, width, height, _PAPER, 8, (196, 198, 202), 1)
    if card == _HIDDEN:
        canvas.box(14, 14, width - 12, height - 12, _BACK, 5, mix(_BACK, _PAPER, 0.4), 1.6)
        return canvas.done()
    ink, name = _SUIT_INKS[card & 3], _RANK_NAMES[card >> 2]
    canvas.text(25, 28, name, 27 if len(name) == 1 else 24, ink, 0.03)
    _suit(canvas, card & 3, 25, 53, 19, ink)
    _suit(canvas, card & 3, 59, 82, 45, ink)
    if dim:
        canvas.box(8, 8, width, height, (70, 78, 84, 130), 8)
    return canvas.done()


@lru_cache(maxsize=256)
def _chips(amount: int, scale: float) -> Image.Image:
    """Piles of chips worth the amount, in a picture of 150 x 70 whose bottom they stand on."""
    canvas = _canvas(150, 70, scale)
    piles, left = [], amount
    for worth, colour in _CHIPS:
        count, left = divmod(left, worth)
        if count:
            piles.append((min(count, 9), colour))
    piles = piles[:6]
    x = 75 - 12 * (len(piles) - 1)
    for count, colour in piles:
        canvas.disc(x + 2, 56, 12, (0, 0, 0, 90), 0.55)
        for k in range(count):
            y = 54 - 5 * k
            edge = tuple(round(0.62 * c) for c in colour)
            canvas.disc(x, y + 3.5, 11.5, edge, 0.55)
            canvas.disc(x, y, 11.5, colour, 0.55)
            for spoke in range(6):
                a = spoke * pi / 3 + 0.3
                canvas.disc(x + 9.4 * cos(a), y + 5.1 * sin(a), 1.8, (250, 250, 250), 0.6)
            canvas.disc(x, y, 6.6, edge, 0.55)
            canvas.disc(x, y, 5.9, colour, 0.55)
        x += 24
    return canvas.done()


@lru_cache(maxsize=4)
def _table(scale: float) -> Image.Image:
    """All that never changes. To be copied before use."""
    canvas = _canvas(WIDTH, HEIGHT, scale, (*_ROOM, 255))
    canvas.box(40, 64, 880, 530, (0, 0, 0, 150), 262)
    canvas.blur(9)
    canvas.box(36, 48, 888, 540, _RAIL, 268)
    canvas.box(40, 51, 880, 530, _RAIL_LIGHT, 264)
    canvas.box(50, 61, 860, 512, _RAIL, 256)
    canvas.box(68, 79, 824, 478, _FELT_DARK, 238)
    steps = 40
    for k in range(steps):
        share = k / (steps - 1)
        colour = mix(_FELT_DARK, _FELT, share)
        inset = 70 * share
        canvas.box(70 + inset, 81 + inset, 820 - 2 * inset, 474 - 2 * inset, colour, 236 - inset)
    canvas.box(118, 129, 724, 378, None, 188, (*_LINE, 255), 1.5)
    return canvas.done().convert("RGB")


def _last_deed(s: Any, player: int) -> str:
    """What the seat did last in this hand."""
    length = min(int(s["log_length"]), LOG)
    for k in reversed(range(length)):
        if s["log_player"][k] == player:
            kind, amount = int(s["log_kind"][k]), int(s["log_amount"][k])
            if kind == MADE_FOLD:
                return "folds"
            # What ended the street before is still the last move.
            if s["log_street"][k] != s["street"] and k < length - 1 and not s["over"]:
                return ""
            if kind == MADE_CHECK:
                return "checks"
            return f"calls {amount:,}" if kind == MADE_CALL else f"raises to {amount:,}"
    return ""


def _last_mover(s: Any) -> int:
    """Who moved last in this hand; -1 before anybody did."""
    length = min(int(s["log_length"]), LOG)
    return int(s["log_player"][length - 1]) if length else -1


def _made(rules: Any, s: Any, player: int) -> str:
    """What the seat's cards make with the open board."""
    public = board_cards(s)
    if public == 0:
        return ""
    held = np.uint64(hole_bits(s, player)) | np.uint64(board_bits(s, public))
    return CATEGORIES[category(evaluate(np.uint64(held), 1 - rules.botzone))]


def picture(rules: Any, s: Any, width: int = WIDTH, seat: int | None = None) -> np.ndarray:
    """Draw a state, both players' cards included.

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
    over = bool(s["over"])

    def place(sprite: Image.Image, x: float, y: float) -> None:
        put(image, sprite, x * scale, y * scale)

    public = board_cards(s)
    for k in range(5):
        card = int(s["board"][k]) if k < public else NO_CARD
        place(_card(card, scale, False), 480 + 90 * (k - 2), 318)
    folded = [_last_deed(s, player) == "folds" for player in range(2)]
    for player in range(2):
        x, y = _SEATS[player]
        for k in range(2):
            card = int(s["hole"][player, k]) if seat in (None, player) else _HIDDEN
            place(_card(card, scale, folded[player]), x - 43 + 86 * k, y)
        if s["bet"][player] and not over:
            place(_chips(int(s["bet"][player]), scale), x + 190, y + (-66 if player == 0 else 66))
    collected = int(s["paid"].sum()) if over else int(s["paid"].sum() - s["bet"].sum())
    if collected:
        place(_chips(collected, scale), 175, 318)

    canvas = _canvas(WIDTH, HEIGHT, scale)
    paid = int(s["paid"].sum())
    canvas.text(175, 366, f"Pot {paid:,}", 18, _PAPER, 0.02)
    for player in range(2):
        x, y = _SEATS[player]
        side = -1 if player == 0 else 1
        turn = not over and player == s["player"]
        canvas.box(
            x - 286, y - 38, 176, 76, (*_PLATE, 235), 14, _GOLD if turn else (70, 84, 92),
            3 if turn else 1.4,
        )  # fmt: skip
        canvas.text(x - 272, y - 18, f"Player {player}", 18, _PAPER, 0.02, "lm")
        canvas.text(x - 272, y + 3, f"{int(s['stack'][player]):,} chips", 15, _GOLD, 0, "lm")
        won = int(s["total"][player])
        canvas.text(x - 272, y + 22, f"match {won / BIG_BLIND:+,.2f} bb", 12, _FAINT, 0, "lm")
        made = _made(rules, s, player) if seat in (None, player) else ""
        if made:
            size = canvas.width_of(made, 13) + 20
            canvas.box(x - size / 2, y + side * 68 - 11, size, 22, (*_PLATE, 215), 11)
            canvas.text(x, y + side * 68, made, 13, _PAPER)
        if s["bet"][player] and not over:
            canvas.text(x + 190, y + side * 66 + 36, f"{int(s['bet'][player]):,}", 16, _PAPER, 0.02)
        deed = _last_deed(s, player)
        if deed:
            ink = _GOLD if player == _last_mover(s) else _FAINT if folded[player] else _PAPER
            canvas.text(x + 112, y + 2, deed, 16, ink, 0, "lm")
        if player == s["button"]:
            bx, by = x - 92, y + side * 74
            canvas.disc(bx + 1, by + 2, 16, (0, 0, 0, 120))
            canvas.disc(bx, by, 16, (214, 214, 206))
            canvas.disc(bx, by, 14, _PAPER)
            canvas.text(bx, by, "D", 17, _INK, 0.03)
    street = "match over" if over else ("preflop", "flop", "turn", "river")[int(s["street"])]
    hand = min(int(s["hand"]) + 1, rules.hands)
    canvas.text(20, 24, f"Hand {hand} of {rules.hands}  ·  {street}", 16, _FAINT, 0, "lm")
    canvas.text(WIDTH - 20, 24, "Texas hold'em, no limit", 16, _FAINT, 0, "rm")
    layer = canvas.done()
    image.paste(layer, (0, 0), layer)
    return np.array(image)
