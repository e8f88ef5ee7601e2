"""A picture of the table as a spectator sees it, with all hands; drawing only.

Everything is placed in points of a 1120 x 900 table: (0, 0) is its top left corner, x runs right,
y down. Player 0 sits below, then 1 on the right, 2 above, 3 on the left. All tiles stand upright,
those of players at the sides one below the other. Discards lie before their player, the oldest
first; those that were claimed are dark.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from PIL import Image

from stratagym.envs.drawing import CLEAR, Canvas, mix, put
from stratagym.envs.mcr_mahjong.fan_tables import NAMES, VALUES
from stratagym.envs.mcr_mahjong.table import (
    CLAIM,
    NONE,
    NOT_YET,
    OVER,
    OWN,
    ROB,
    SEATS,
    seat_wind,
    tiles_left,
)
from stratagym.envs.mcr_mahjong.tile_pictures import BACK, GOLD, tile_picture
from stratagym.envs.mcr_mahjong.tiles import KONG
from stratagym.envs.mcr_mahjong.view import WINDS, hand, meld_tiles, melds

WIDTH, HEIGHT = 1120, 900
_ROOM, _RAIL, _FELT, _FELT_DARK = (24, 27, 38), (86, 56, 36), (30, 112, 84), (18, 80, 60)
_PAPER, _FAINT, _PLATE, _EDGE = (252, 252, 250), (190, 208, 198), (18, 44, 40), (70, 100, 92)
_STEP, _DOWN = 38, 49
"""From tile to tile, beside each other and below each other."""
_DISCARDED, _ROW = 50, 8
"""From row to row of discards, and how many make a row."""
_DISCARDS = ((560, 574), (836, 370), (560, 176), (284, 370))
"""The middle of each seat's first row of discards."""
_PLATES = ((112, 846), (1008, 104), (112, 46), (112, 104))
"""The middle of each seat's name plate."""


@lru_cache(maxsize=4)
def _table(scale: float) -> Image.Image:
    """All that never changes. To be copied before use."""
    canvas = Canvas(WIDTH, HEIGHT, scale, _ROOM, oversample=2)
    canvas.box(0, 0, WIDTH, HEIGHT, _RAIL, 26)
    steps = 24
    for k in range(steps):
        share = k / (steps - 1)
        inset = 12 + 90 * share
        canvas.box(
            inset, inset, WIDTH - 2 * inset, HEIGHT - 2 * inset, mix(_FELT_DARK, _FELT, share), 22
        )
    return canvas.done()


def _seat_tiles(s: Any, seat: int) -> tuple[list[tuple[int, bool]], list[list[int]]]:
    """A seat's tiles in hand, each with whether it is the one just drawn or won; its melds."""
    own = hand(s, seat)
    new = NONE
    if s["phase"] == OWN and seat == s["player"]:
        new = int(s["drawn_tile"])
    elif s["phase"] == OVER and seat == s["winner"]:
        new = int(s["won_tile"])
        if s["loser"] != NONE:
            own.append(new)
    if new not in own:  # as in a game that has not begun
        new = NONE
    else:
        own.remove(new)
    shown = []
    for kind, tile, offer in melds(s, seat):
        of_meld = meld_tiles(kind, tile)
        hidden = kind == KONG and offer == 0
        shown.append([BACK, tile, tile, BACK] if hidden else of_meld)
    return [(tile, False) for tile in own] + ([(new, True)] if new != NONE else []), shown


def _places(s: Any, seat: int, hidden: bool) -> list[tuple[int, bool, float, float]]:
    """(tile, whether it is new, x, y) of all tiles of a seat; the point is the tile's middle."""
    tiles, shown = _seat_tiles(s, seat)
    if hidden:
        tiles = [(BACK, new) for _, new in tiles]
        shown = [[BACK] * len(meld) if BACK in meld else meld for meld in shown]
    found = []
    if seat in (0, 2):
        x, y = 230.0, 846.0 if seat == 0 else 46.0
        for tile, new in tiles:
            x += 12 if new else 0
            found.append((tile, new, x, y))
            x += _STEP
        x += 16
        for meld in shown:
            for tile in meld:
                found.append((tile, False, x, y))
                x += _STEP
            x += 10
        return found
    x, inner = (1076.0, 1026.0) if seat == 1 else (44.0, 94.0)
    y = 162.0
    for tile, new in tiles:
        y += 8 if new else 0
        found.append((tile, new, x, y))
        y += _DOWN
    y = 162.0
    for meld in shown:
        for tile in meld:
            found.append((tile, False, inner, y))
            y += 44
        y += 8
    return found


def picture(rules: Any, s: Any, width: int = WIDTH, seat: int | None = None) -> np.ndarray:
    """Draw a state.

    Args:
        rules: the game's ``Rules``.
        s: one record of ``STATE``, such as ``states[0]``.
        width: in pixels; the height is 45/56 of it.
        seat: whose view it is; None for a spectator, who sees all.

    Returns:
        Array of (900 * width // 1120, width, 3) uint8, RGB, give or take a row.
    """
    scale = width / WIDTH
    image = _table(scale).copy()

    def place(tile: int, x: float, y: float, **looks: bool) -> None:
        put(image, tile_picture(tile, scale, **looks), x * scale, y * scale)

    for player in range(SEATS):
        for tile, new, x, y in _places(s, player, seat not in (None, player)):
            place(tile, x, y, lit=new)
        x0, y0 = _DISCARDS[player]
        n = int(s["discarded"][player])
        for k in range(n):
            row, column = divmod(k, _ROW)
            x = x0 + (column - (_ROW - 1) / 2) * _STEP
            claimed = bool(s["claimed"][player, k])
            latest = player == _last_discarder(s) and k == n - 1 and not claimed
            tile = int(s["discards"][player, k])
            place(tile, x, y0 + row * _DISCARDED, dim=claimed, lit=latest)

    # Who is asked for a claim shows what that seat could claim.
    asked = s["phase"] in (CLAIM, ROB) and seat not in (None, s["player"])
    for player in range(SEATS):
        x, y = _PLATES[player]
        put(image, _seat_plate(rules, s, player, asked, scale), x * scale, y * scale)
    put(image, _middle(rules, s, asked, scale), 560 * scale, 444 * scale)
    return np.array(image)


def _last_discarder(s: Any) -> int:
    """The seat whose discard was the last move; ``NONE`` if that was a kong or a claim."""
    if s["phase"] == CLAIM:
        return int(s["discarder"])
    # Who draws, but for a kong, sits behind the one that discarded.
    drew = s["phase"] == OWN and not s["about_kong"]
    return (int(s["player"]) - 1) & 3 if drew else NONE


def _seat_plate(rules: Any, s: Any, seat: int, asked: bool, scale: float) -> Image.Image:
    """A seat's name, wind, points and wall; ``asked``: somebody is, and it is not shown who."""
    lit = seat == (s["winner"] if s["phase"] == OVER else s["player"]) and not asked
    left = f" · {int(tiles_left(rules, s, seat))} to draw" if rules.duplicate else ""
    flowers = f" · flowers {int(s['flowers'][seat])}" if rules.flowers else ""
    under = WINDS[seat_wind(s, seat)] + left + flowers
    return _plate(f"Player {seat}", f"{int(s['scores'][seat]):+d}", under, bool(lit), scale)


@lru_cache(maxsize=128)
def _plate(name: str, points: str, under: str, lit: bool, scale: float) -> Image.Image:
    canvas = Canvas(172, 56, scale, CLEAR, (86, 28))
    edge, thick = (GOLD, 3.0) if lit else (_EDGE, 1.2)
    canvas.box(-84, -26, 168, 52, (*_PLATE, 235), 11, edge, thick)
    canvas.text(-74, -9, name, 16, _PAPER, 0.03, "lm")
    canvas.text(74, -9, points, 16, GOLD, 0.03, "rm")
    canvas.text(-74, 12, under, 13, _FAINT, 0, "lm")
    return canvas.done()


def _middle(rules: Any, s: Any, asked: bool, scale: float) -> Image.Image:
    """What is going on, for the middle of the table; ``asked`` as for ``_seat_plate``."""
    lines = [f"{WINDS[s['prevailing']]} wind prevails"]
    if rules.hands > 1:
        lines[0] = f"Hand {int(s['hand']) + 1} of {rules.hands} · {lines[0]}"
    if not rules.duplicate:
        lines.append(f"{int(tiles_left(rules, s, 0))} tiles to draw")
    golden = len(lines)
    if s["phase"] == OVER and s["winner"] != NOT_YET:
        lines += _ending(s)
    elif s["phase"] in (CLAIM, ROB):
        lines.append("A claim is open" if asked else f"Player {int(s['player'])} is asked")
        golden = NONE
    return _panel(tuple(lines), golden, scale)


@lru_cache(maxsize=64)
def _panel(lines: tuple[str, ...], golden: int, scale: float) -> Image.Image:
    """Lines below each other, ``golden`` the one that counts."""
    high = 21 * len(lines) + 16
    canvas = Canvas(220, high + 4, scale, CLEAR, (110, high / 2 + 2))
    canvas.box(-108, -high / 2, 216, high, (*_PLATE, 225), 12, _EDGE, 1.2)
    for k, line in enumerate(lines):
        size = 15.0 if k <= max(golden, 1) else 12.5
        size *= min(1.0, 200 / canvas.width_of(line, size))
        y = 21 * (k - (len(lines) - 1) / 2)
        canvas.text(0, y, line, size, GOLD if k == golden else _PAPER, 0.02 if size > 13 else 0)
    return canvas.done()


def _ending(s: Any) -> list[str]:
    """Who won and with what, in short lines."""
    winner = int(s["winner"])
    if winner == NONE:
        return ["Nobody won"]
    loser = int(s["loser"])
    how = "self-drawn" if loser == NONE else f"from Player {loser}"
    lines = [f"Player {winner} wins: {int(s['won_fan'])} fans", how]
    fans = [(fan, n) for fan, n in enumerate(s["fans"].tolist()) if n]
    for fan, n in fans[:5]:
        lines.append(f"{NAMES[fan]} {VALUES[fan]}" + (f" x {n}" if n > 1 else ""))
    if len(fans) > 5:
        lines.append(f"and {len(fans) - 5} more")
    return lines
