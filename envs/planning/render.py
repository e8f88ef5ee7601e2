"""Pictures of planning problems: blocks as towers, boards of cells, all else as what is true.

Drawing only. Blocks stand on a table, the hand above it; a green edge is around what the goal has
where it is. Domains whose places are cells of a board show the board. Elsewhere the facts that can
change are listed by predicate, with what is still wanted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from stratagym.envs.drawing import INK, PAPER, Canvas, mix
from stratagym.envs.planning.boards import Board, board_of
from stratagym.envs.planning.checking import unmet_goals
from stratagym.envs.planning.grounding import Grounded
from stratagym.envs.planning.pddl import number_text
from stratagym.envs.planning.problems import grounded_of
from stratagym.envs.planning.rules import SOLVED, STUCK

PAINTS = [
    (228, 110, 92), (92, 142, 226), (238, 190, 84), (112, 182, 120), (170, 122, 204),
    (240, 152, 92), (98, 188, 194), (214, 128, 168), (150, 160, 92), (134, 144, 176),
]  # fmt: skip
SEAT_COLOURS = [(70, 104, 170)]
_TABLE, _DONE, _DIM = (120, 96, 74), (46, 140, 76), mix(INK, PAPER, 0.45)
_BLOCKS = "blocksworld-4ops"
_WIDE, _HIGH = 12.0, 8.0


def picture(rules: Any, s: Any, size: int = 640) -> np.ndarray:
    """A position as ``Render.picture`` has it."""
    grounded = grounded_of(rules)
    bits = np.unpackbits(np.ascontiguousarray(s["bits"]).view(np.uint8), bitorder="little")
    true = [grounded.atoms[k] for k in np.flatnonzero(bits[: grounded.task.atoms])]
    bare = np.ascontiguousarray(s["bits"]), np.ascontiguousarray(s["values"])
    wanted = unmet_goals(grounded, *bare)
    if grounded.domain.name == _BLOCKS and _are_towers(grounded):
        canvas = _blocks(grounded, true, wanted, size)
    elif board := board_of(grounded, true):
        canvas = _board(board, size)
    else:
        canvas = _facts(grounded, true, s["values"].tolist(), wanted, size)
    _headline(canvas, rules, s, len(wanted))
    return canvas.array()


def _headline(canvas: Canvas, rules: Any, s: Any, unmet: int) -> None:
    done = int(s["done"])
    told = f"{unmet} of {rules.goals} parts of the goal to go"
    if done:
        told = {SOLVED: "goal reached", STUCK: "nothing can be done any more"}[done]
    told = f"step {int(s['steps'])}: {told}"
    canvas.text(_WIDE / 2, 0.45, told, 0.42, _DONE if done == SOLVED else INK)


def _are_towers(grounded: Grounded) -> bool:
    """Whether every block has the names of blocks, few enough to be drawn."""
    return 0 < len(grounded.problem.objects) <= 40


@lru_cache(maxsize=64)
def _paint(name: str) -> tuple[int, ...]:
    return PAINTS[sum(name.encode()) % len(PAINTS)]


def _blocks(grounded: Grounded, true: list[Any], wanted: Any, size: int) -> Canvas:
    """Towers on a table, and the hand with what it holds."""
    below = {args[0]: args[1] for name, *args in true if name == "on"}
    above = {lower: upper for upper, lower in below.items()}
    towers = []
    for base in (args[0] for name, *args in true if name == "on-table"):
        tower = [base]
        while tower[-1] in above:
            tower.append(above[tower[-1]])
        towers.append(tower)
    towers.sort()
    held = [args[0] for name, *args in true if name == "holding"]
    goals = {one[2] for one in grounded.problem.goal[1:] if one[0] == "atom" and one[1] == "on"}
    count = len(grounded.problem.objects)
    canvas = Canvas(_WIDE, _HIGH, size / _WIDE, PAPER)
    side = min(0.92, 5.2 / max(len(towers), *map(len, towers), 4) if towers else 0.92)
    side = min(side, 10.6 / (1.35 * max(1, len(towers), min(count, 6))))
    floor = _HIGH - 0.8
    canvas.box(0.5, floor, _WIDE - 1, 0.16, _TABLE, 0.06)

    def block(name: str, x: float, y: float) -> None:
        paint = _paint(name)
        edge = _DONE if (name, below.get(name)) in goals else mix(paint, INK, 0.35)
        canvas.box(x, y, side * 0.96, side * 0.96, paint, 0.1 * side, edge, 0.05 * side)
        middle = x + side * 0.48, y + side * 0.48
        canvas.text(*middle, name, min(0.4, 1.3 / len(name)) * side, (255, 255, 255), 0.03)

    step = 1.35 * side
    left = (_WIDE - step * len(towers) + 0.35 * side) / 2
    for k, tower in enumerate(towers):
        for height, name in enumerate(tower):
            block(name, left + step * k, floor - side * (height + 1))
    x, y = _WIDE / 2, 1.05
    canvas.line([(x - side / 2, y + 0.3), (x - side / 2, y), (x + side / 2, y),
                 (x + side / 2, y + 0.3)], INK, 0.07, ends=True)  # fmt: skip
    for name in held:
        block(name, x - side * 0.48, y + 0.12)
    words = [f"{upper} on {lower}" for upper, lower in sorted(goals)]
    told, room = "goal: ", _WIDE - 1
    for k, one in enumerate(words):
        longer = told + (", " if k else "") + one
        if canvas.width_of(longer + " ...", 0.26) > room:
            told += " ..."
            break
        told = longer
    canvas.text(_WIDE / 2, _HIGH - 0.32, told, 0.26, _DIM)
    return canvas


def _board(board: Board, size: int) -> Canvas:
    """The cells of a board, and what is said below it."""
    canvas = Canvas(_WIDE, _HIGH, size / _WIDE, PAPER)
    side = min(5.9 / board.rows, 10.5 / board.columns)
    left, top = (_WIDE - side * board.columns) / 2, 1.0
    for (row, column), cell in board.cells.items():
        x, y = left + side * column, top + side * row
        paint = cell.paint
        canvas.box(x + 0.02, y + 0.02, side - 0.04, side - 0.04, paint, 0.06, mix(paint, INK, 0.2),
                   0.02)  # fmt: skip
        if cell.is_goal:
            inner = x + 0.1 * side, y + 0.1 * side, 0.8 * side, 0.8 * side
            canvas.box(*inner, paint, 0.05, _DONE, 0.05)
        if cell.thing:
            disc = 0.34 * side
            canvas.disc(x + side / 2, y + side / 2, disc, cell.thing_paint)
        if cell.words:
            ink = (255, 255, 255) if cell.thing or sum(paint) < 330 else INK
            height = min(0.3, 0.95 / max(3, len(cell.words))) * side
            canvas.text(x + side / 2, y + side / 2, cell.words, height, ink)
    canvas.text(_WIDE / 2, _HIGH - 0.4, board.caption, 0.3, _DIM)
    return canvas


def _facts(
    grounded: Grounded, true: list[Any], numbers: list[float], wanted: Any, size: int
) -> Canvas:
    """What is true and can change, by predicate, as far as it fits; then what is still wanted."""
    facts: dict[str, list[str]] = {}
    for name, *args in true:
        facts.setdefault(name, []).append(" ".join(args) or "yes")
    parts: list[tuple[str, str, tuple[int, ...]]] = [
        (name, ", ".join(args), INK) for name, args in facts.items()
    ]
    told = [
        f"{' '.join(place)} = {number_text(x)}"
        for place, x in zip(grounded.values, numbers, strict=False)
        if x == x
    ]
    if told:
        parts.append(("numbers", ", ".join(told), INK))
    if wanted:
        parts.append(("wanted", ", ".join(wanted), SEAT_COLOURS[0]))
    canvas = Canvas(_WIDE, _HIGH, size / _WIDE, PAPER)
    for height in (0.34, 0.29, 0.25, 0.21, 0.18):
        lines = [
            (name if not k else "", line, paint)
            for name, words, paint in parts
            for k, line in enumerate(_wrapped(canvas, words, height, _WIDE - 3.9))
        ]
        room = int((_HIGH - 1.1) / (1.4 * height))
        if len(lines) <= room:
            break
    if len(lines) > room:
        lines = [*lines[: room - 1], ("", "...", _DIM)]
    for k, (name, line, paint) in enumerate(lines):
        y = 1.05 + 1.4 * height * k
        canvas.text(3.2, y, name[:26], height, _DIM, anchor="rm")
        canvas.text(3.45, y, line, height, paint, anchor="lm")
    return canvas


def _wrapped(canvas: Canvas, words: str, height: float, room: float) -> list[str]:
    """Words in lines that are no longer than ``room``."""
    lines, line = [], ""
    for word in words.split(" "):
        longer = f"{line} {word}".lstrip()
        if line and canvas.width_of(longer, height) > room:
            lines.append(line)
            longer = word
        line = longer
    return [*lines, line]
