"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.chess import notation
from stratagym.envs.chess.render import FILLS, pixel
from stratagym.envs.chess.tables import BISHOP, KNIGHT, PAWN, QUEEN, ROOK

_SIGNS = {QUEEN: "♕♛", ROOK: "♖♜", BISHOP: "♗♝", KNIGHT: "♘♞", PAWN: "♙♟"}
_SET = {QUEEN: 1, ROOK: 2, BISHOP: 2, KNIGHT: 2, PAWN: 8}
_WORTH = {QUEEN: 9, ROOK: 5, BISHOP: 3, KNIGHT: 3, PAWN: 1}


def move(rules: Any, s: Any, action: int) -> str:
    """A legal move as players write it: SAN."""
    return notation.san(s, action)


def beside(rules: Any, s: Any, seat: int) -> str:
    """The pieces that a seat has captured, and by how much its own are worth more."""
    pieces = list(notation.piece_map(s).values())
    own = seat ^ rules.white
    other, taken, ahead = 1 - own, "", 0
    for kind, count in _SET.items():
        left = pieces.count((other, kind))
        taken += _SIGNS[kind][other] * max(0, count - left)
        ahead += _WORTH[kind] * (pieces.count((own, kind)) - left)
    return f"{taken} {f'+{ahead}' if ahead > 0 else ''}".strip()


def cuts(rules: Any, size: int) -> list[int]:
    """Where a picture is cut, both ways, to be put together as seen from the other side.

    The parts between the first and the last change places, each the right way up.
    """
    unit = pixel(8, size)[0] - pixel(0, size)[0]
    first = pixel(0, size)[0] - unit // 2
    return [0, *(first + unit * k for k in range(9)), size]


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A seat's mark, and the colour that it has in pictures."""
    colour = seat ^ rules.white
    return "WB"[colour], FILLS[colour]
