"""Spatial tracking: where somebody is after moves on a board of rows and columns.

``up`` raises the row by one, ``right`` the column. Own scenes end in every cell equally often for
each length, so that an answer that is always the same is right as often as there are cells to 1.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from stratagym.benchmarks.reporting.stats import Rate, wilson
from stratagym.envs.planning.domains import make_instance
from stratagym.envs.plans import ILLEGAL, OK, UNPARSEABLE, Outcome
from stratagym.envs.text import Inquiry

VERSION = "planning-spatial-1"
LENGTHS = tuple(range(5, 61, 5))
MOVES = {"U": (1, 0), "D": (-1, 0), "R": (0, 1), "L": (0, -1)}
WORDS = {"U": "up", "D": "down", "R": "right", "L": "left"}
WORDS_OF = {word: move for move, word in WORDS.items()}
_PAIR = re.compile(r"\(?\s*(-?\d{1,4})\s*,\s*(-?\d{1,4})\s*\)?")
Cell = tuple[int, int]


@dataclass(frozen=True)
class Scene:
    """A start, moves, and where they end, on a board of ``rows`` by ``columns``."""

    name: str
    rows: int
    columns: int
    start: Cell
    moves: str
    end: Cell

    @property
    def cells(self) -> int:
        return self.rows * self.columns


def moved(cell: Cell, moves: Iterable[str]) -> Cell:
    """Where moves lead."""
    row, column = cell
    for move in moves:
        row, column = row + MOVES[move][0], column + MOVES[move][1]
    return row, column


def own_scenes(
    seed: int, each: int, side: int = 5, lengths: Sequence[int] = LENGTHS
) -> list[Scene]:
    """Scenes on a square board: for each length ``each`` times every cell is the end once.

    Start and legal moves are uniform; a scene is drawn again until it ends where it is to end.
    """
    found = []
    for length in lengths:
        for k in range(each):
            for cell in range(side * side):
                rng = random.Random(f"{seed} {length} {k} {cell}")
                end = divmod(cell, side)
                found.append(_scene(rng, f"own-{length}-{k}-{cell}", length, end, side))
    return found


def some_scenes(
    seed: int, count: int, side: int = 5, lengths: Sequence[int] = LENGTHS
) -> list[Scene]:
    """``count`` scenes of each length, whose ends are different cells."""
    found = []
    for length in lengths:
        order = random.Random(f"{seed} {length}").sample(range(side * side), count)
        for cell in order:
            rng = random.Random(f"{seed} {length} 0 {cell}")
            name = f"own-{length}-0-{cell}"
            found.append(_scene(rng, name, length, divmod(cell, side), side))
    return found


def plan_scenes(count: int, first: int = 0) -> list[Scene]:
    """Scenes of the published kind: the ways of a robot that paints a floor by the plan of its
    problem, whatever it paints left out.
    """
    found = []
    for instance in range(first, first + count):
        made = make_instance("floortile", "spin", instance, "published")
        tiles = [one.removeprefix("tile_").split("-") for one in made.problem.objects if "_" in one]
        at = next(atom[2] for atom in made.problem.atoms if atom[0] == "robot-at")
        row, column = map(int, at.removeprefix("tile_").split("-"))
        start = row, column - 1
        moves = "".join(WORDS_OF[action[0]] for action in made.plan if action[0] in WORDS_OF)
        rows = 1 + max(int(r) for r, _ in tiles)
        columns = max(int(c) for _, c in tiles)
        name = f"plan-{instance}"
        found.append(Scene(name, rows, columns, start, moves, moved(start, moves)))
    return found


def _scene(rng: random.Random, name: str, length: int, end: Cell, side: int) -> Scene:
    while True:
        start = at = (rng.randrange(side), rng.randrange(side))
        moves = ""
        for _ in range(length):
            able = [m for m, (r, c) in MOVES.items() if 0 <= at[0] + r < side > at[1] + c >= 0]
            move = rng.choice(able)
            moves += move
            at = moved(at, move)
        if at == end:
            return Scene(name, side, side, start, moves, end)


def inquiry(scene: Scene) -> Inquiry:
    """The question for the end of a scene."""
    told = ", ".join(WORDS[move] for move in scene.moves)
    text = (
        f"Somebody stands on a board of {scene.rows} rows and {scene.columns} columns. A place is "
        "written as (row, column); rows and columns are counted from 0. A step up raises the row "
        "by 1, a step down lowers it by 1; a step right raises the column by 1, a step left "
        f"lowers it by 1.\n\nThe start is {scene.start}. The steps, in their order: {told}.\n\n"
        "Where does this end? Think step by step if you like. End your answer with the place, as "
        "(row, column)."
    )
    return Inquiry([{"role": "user", "content": text}], partial(judge, scene), VERSION)


def judge(scene: Scene, text: str) -> Outcome:
    """Whether the last pair of numbers in a reply is the end."""
    pairs = _PAIR.findall(text)
    if not pairs:
        return Outcome(UNPARSEABLE, None, None, "no_place")
    row, column = map(int, pairs[-1])
    inside = 0 <= row < scene.rows and 0 <= column < scene.columns
    facts = {"right": int((row, column) == scene.end), "row": row, "column": column}
    said = f"({row}, {column})"
    if not inside:
        return Outcome(ILLEGAL, None, said, "off_board", facts=facts)
    return Outcome(OK, None, said, facts=facts)


def baselines(scenes: Sequence[Scene]) -> dict[str, Rate]:
    """Shares right without looking at the moves: any cell, the start, the best constant answer."""
    ends = Counter(scene.end for scene in scenes)
    best = ends.most_common(1)[0][1] if ends else 0
    chance = sum(1 / scene.cells for scene in scenes) / len(scenes) if scenes else None
    return {
        "uniform": Rate(chance, chance, chance, len(scenes)),
        "start": wilson(sum(scene.end == scene.start for scene in scenes), len(scenes)),
        "constant": wilson(best, len(scenes)),
    }


def scored(scenes: Sequence[Scene], right: Mapping[str, int]) -> dict[str, Any]:
    """Accuracy over scenes and by length, and the mean over lengths; no answer is a wrong one.

    Args:
        right: 1 or 0 by the scene's name.
    """
    by_length: dict[int, list[int]] = {}
    for scene in scenes:
        by_length.setdefault(len(scene.moves), []).append(right.get(scene.name, 0))
    values = [hit for hits in by_length.values() for hit in hits]
    means = [sum(hits) / len(hits) for hits in by_length.values()]
    return {
        "accuracy": wilson(sum(values), len(values)).record(),
        "mean_over_lengths": sum(means) / len(means) if means else None,
        "by_length": {
            str(length): wilson(sum(hits), len(hits)).record()
            for length, hits in sorted(by_length.items())
        },
    }
