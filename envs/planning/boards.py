"""Planning problems whose places are cells: what stands in each cell of the board."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace

from stratagym.envs.planning.grounding import Grounded
from stratagym.envs.planning.pddl import Atom

_FREE, _WALL, _DEPOT, _LOCKED = (238, 241, 246), (84, 92, 110), (252, 224, 160), (206, 176, 160)
_ROBOT, _BOX, _KEY = (70, 104, 170), (196, 132, 66), (222, 168, 40)
_COLOURS = {"white": (255, 255, 255), "black": (44, 48, 60)}
_HEIGHTS = (
    (238, 241, 246), (222, 214, 196), (206, 186, 150), (186, 156, 108), (160, 124, 74),
    (128, 94, 50),
)  # fmt: skip
Colour = tuple[int, ...]


@dataclass(frozen=True)
class Cell:
    """One cell: its colour, words in it, a disc on it, whether the goal wants something here."""

    paint: Colour = _FREE
    words: str = ""
    thing: bool = False
    thing_paint: Colour = _ROBOT
    is_goal: bool = False


@dataclass(frozen=True)
class Board:
    """Cells by (row from the top, column), and what is said below them."""

    rows: int
    columns: int
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    caption: str = ""


def _place(name: str) -> tuple[int, int] | None:
    """The two numbers in a name, such as ``pos-3-0``."""
    found = re.findall(r"\d+", name)
    return (int(found[0]), int(found[1])) if len(found) == 2 else None


def board_of(grounded: Grounded, true: Iterable[Atom]) -> Board | None:
    """The board of a problem, or None where its domain has none or its places other names."""
    maker = _BOARDS.get(grounded.domain.name)
    if maker is None:
        return None
    try:
        named, upwards, caption = maker(grounded, list(true))
    except (KeyError, IndexError, ValueError):  # a domain of this name with other predicates
        return None
    cells: dict[tuple[int, int], Cell] = {}
    for name, cell in named.items():
        place = _place(name)
        if place is None or place in cells:
            return None
        cells[place] = cell
    if not cells:
        return None
    low = [min(place[k] for place in cells) for k in (0, 1)]
    high = [max(place[k] for place in cells) for k in (0, 1)]
    rows, columns = high[0] - low[0] + 1, high[1] - low[1] + 1
    if rows * columns > 400:
        return None

    def seen(place: tuple[int, int]) -> tuple[int, int]:
        row = high[0] - place[0] if upwards else place[0] - low[0]
        return row, place[1] - low[1]

    shown = {seen(place): cell for place, cell in cells.items()}
    return Board(rows, columns, shown, caption)


_Made = tuple[dict[str, Cell], bool, str]
"""Cells by the names of places, whether rows count upwards, and the caption."""


def _wanted(grounded: Grounded, name: str) -> list[tuple[str, ...]]:
    """The arguments of the goal's atoms of this name."""
    goal = grounded.problem.goal
    parts = goal[1:] if goal[0] == "and" else [goal]
    return [part[2] for part in parts if part[0] == "atom" and part[1] == name]


def _sokoban(grounded: Grounded, true: list[Atom]) -> _Made:
    kinds = grounded.problem.objects
    open_cells = {atom[1] for atom in grounded.atoms if atom[0] in ("clear", "at-robot")}
    open_cells |= {atom[2] for atom in grounded.atoms if atom[0] == "at"}
    cells = {
        name: Cell() if name in open_cells else Cell(_WALL)
        for name, types in kinds.items()
        if types == ("loc",)
    }
    for _, place in _wanted(grounded, "at"):
        cells[place] = replace(cells[place], is_goal=True)
    for name, *args in true:
        if name == "at-robot":
            cells[args[0]] = replace(cells[args[0]], thing=True, words="R")
        elif name == "at":
            box = replace(cells[args[1]], thing=True, thing_paint=_BOX)
            cells[args[1]] = replace(box, words=args[0].removeprefix("box"))
    return cells, False, "R: the robot; discs: boxes; green frames: where boxes are wanted"


def _grid(grounded: Grounded, true: list[Atom]) -> _Made:
    places = [atom[1] for atom in grounded.problem.atoms if atom[0] == "place"]
    cells = {name: Cell() for name in places}
    for name, *args in true:
        if name == "locked":
            cells[args[0]] = Cell(_LOCKED)
    for _, place in _wanted(grounded, "at"):
        cells[place] = replace(cells[place], is_goal=True)
    held = ""
    for name, *args in true:
        if name == "at":
            key = replace(cells[args[1]], thing=True, thing_paint=_KEY)
            cells[args[1]] = replace(key, words=args[0].removeprefix("key"))
        elif name == "holding":
            held = f"; it holds {args[0]}"
    for name, *args in true:
        if name == "at-robot":
            words = f"R{cells[args[0]].words}"
            cells[args[0]] = replace(cells[args[0]], thing=True, thing_paint=_ROBOT, words=words)
    told = f"R: the robot{held}; numbers: keys; brown: locked; green: where keys are wanted"
    return cells, False, told


def _floortile(grounded: Grounded, true: list[Atom]) -> _Made:
    tiles = [name for name, types in grounded.problem.objects.items() if types == ("tile",)]
    cells = {name: Cell() for name in tiles}
    wanted = {args[0]: args[1] for args in _wanted(grounded, "painted")}
    for tile, colour in wanted.items():
        cells[tile] = Cell(words=colour[:1])
    has = ""
    for name, *args in true:
        if name == "painted":
            good = wanted.get(args[0]) == args[1]
            cells[args[0]] = Cell(_COLOURS.get(args[1], _DEPOT), is_goal=good)
        elif name == "robot-has":
            has = args[1]
    for name, *args in true:
        if name == "robot-at":
            cells[args[1]] = replace(cells[args[1]], thing=True, words="R")
    return cells, True, f"R: the robot, with {has}; letters: colours that are wanted"


def _termes(grounded: Grounded, true: list[Atom]) -> _Made:
    wanted = {args[0]: args[1] for args in _wanted(grounded, "height")}
    depots = {atom[1] for atom in grounded.problem.atoms if atom[0] == "is-depot"}
    cells: dict[str, Cell] = {}
    for name, *args in true:
        if name == "height":
            now, goal = args[1].removeprefix("n"), wanted.get(args[0], args[1]).removeprefix("n")
            level = min(int(now), len(_HEIGHTS) - 1) if now.isdigit() else 0
            paint = _DEPOT if args[0] in depots else _HEIGHTS[level]
            words = now if now == goal else f"{now} of {goal}"
            cells[args[0]] = Cell(paint, words, is_goal=now == goal != "0")
    loaded = any(atom[0] == "has-block" for atom in true)
    for name, *args in true:
        if name == "at" and args[0] in cells:
            cells[args[0]] = replace(cells[args[0]], thing=True)
    held = "with a block" if loaded else "without a block"
    return cells, False, f"blue: the robot, {held}; numbers: blocks, and how many are wanted"


_BOARDS: dict[str, Callable[[Grounded, list[Atom]], _Made]] = {
    "typed-sokoban": _sokoban, "grid": _grid, "floor-tile": _floortile, "termes": _termes,
}  # fmt: skip
"""By the domain's name in PDDL."""
