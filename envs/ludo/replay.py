"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.ludo.render import COLOURS, pixel
from stratagym.envs.ludo.rules import BASE, FINISHED, destination, position
from stratagym.envs.ludo.tables import BOARD, SQUARES, turn
from stratagym.envs.ludo.view import captured


def move(rules: Any, s: Any, action: int) -> str:
    """A legal move in short: ``5: piece 2, 12–17``, with ``x`` where it captures."""
    seat, dice = int(s["player"]), int(s["dice"])
    steps = int(s["steps"][seat, action])
    target = int(destination(rules, steps, dice))
    begin, end = (int(position(rules, seat, x)) for x in (steps, target))
    origin = "base" if steps == BASE else begin
    return f"{dice}: piece {action}, {origin}–{end}{' x' * bool(captured(rules, s, seat, target))}"


def beside(rules: Any, s: Any, seat: int) -> str:
    """How many pieces a seat has brought home."""
    return f"{int((s['steps'][seat] == FINISHED).sum())} home"


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A seat's mark, and the colour that it has in pictures."""
    return str(seat), COLOURS[rules.colours[seat]]


def arrow(rules: Any, s: Any, action: int, size: int) -> list[tuple[int, int]]:
    """Pixels from where to where a move would go in a picture of this size, drawn before it."""
    seat = int(s["player"])
    steps = int(s["steps"][seat, action])
    return [
        pixel(*_middle(rules, seat, x), size)
        for x in (steps, int(destination(rules, steps, int(s["dice"]))))
    ]


def _middle(rules: Any, seat: int, steps: int) -> tuple[float, float]:
    """Of a square in board units; of the yard for pieces in base, of the board for those home."""
    if steps == BASE:
        return turn(3.0, 3.0, rules.colours[seat])
    if steps == FINISHED:
        return BOARD / 2, BOARD / 2
    x, y = SQUARES[position(rules, seat, steps)]
    return x + 0.5, y + 0.5
