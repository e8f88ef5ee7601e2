"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.stratego.boards import LETTERS, SEATS
from stratagym.envs.stratego.notation import absolute_move
from stratagym.envs.stratego.render import SEAT_COLOURS, middle_pixel
from stratagym.envs.stratego.rules import PLACING, beats, first_placing
from stratagym.envs.stratego.telling import on_board, place_text


def move(rules: Any, s: Any, action: int) -> str:
    """A legal move in short, as Red counts cells: ``7 6 3-5 3``, ``7 6 3x5 3 (6) wins``."""
    if s["phase"] == PLACING:
        return LETTERS[action - int(first_placing.py_func(rules))]
    seat = int(s["player"])
    start, end = absolute_move(rules, seat, action)
    piece, other = int(s["board"][start]) - 1, int(s["board"][end]) - 1
    kind = int(s["kind"][piece])
    places = place_text(rules, 0, start), place_text(rules, 0, end)
    if other < 0:
        return f"{LETTERS[kind]} {'-'.join(places)}"
    enemy = int(s["kind"][other])
    came = {1: "wins", -1: "is lost", 0: "both lost"}[int(beats.py_func(kind, enemy))]
    return f"{LETTERS[kind]} {'x'.join(places)} ({LETTERS[enemy]}) {came}"


def beside(rules: Any, s: Any, seat: int) -> str:
    """How many pieces a seat has, and how many of them the other side knows."""
    if s["phase"] == PLACING:
        return f"{int(s['placed'][seat])} set up"
    own = slice(40 * seat, 40 * (seat + 1))
    known = int((s["shown"][own].astype(bool) & (s["pos"][own] >= 0)).sum())
    return f"{int(on_board(s, seat).sum())} pieces, {known} known"


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A seat's letter, and the colour that it has in pictures."""
    return SEATS[seat][0], SEAT_COLOURS[seat]


def arrow(rules: Any, s: Any, action: int, size: int) -> list[tuple[int, int]] | None:
    """Pixels from where to where a move would go in a picture of this size; of a placing None."""
    if s["phase"] == PLACING:
        return None
    return [
        middle_pixel(rules, cell, size) for cell in absolute_move(rules, int(s["player"]), action)
    ]
