"""A robot that paints the tiles of a floor in two colours and cannot stand on paint."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, problem_of, value

PDDL = """\
(define (domain floor-tile)
  (:types
    robot tile color)
  (:predicates
    (robot-at ?r - robot ?x - tile) (up ?x ?y - tile) (down ?x ?y - tile)
    (right ?x ?y - tile) (left ?x ?y - tile) (clear ?x - tile)
    (painted ?x - tile ?c - color) (robot-has ?r - robot ?c - color)
    (available-color ?c - color) (free-color ?r - robot))
  (:functions
    (total-cost))
  (:action change-color
    :parameters (?r - robot ?c ?c2 - color)
    :precondition (and (robot-has ?r ?c) (available-color ?c2))
    :effect (and (robot-has ?r ?c2) (increase (total-cost) 5) (not (robot-has ?r ?c))))
  (:action paint-up
    :parameters (?r - robot ?y ?x - tile ?c - color)
    :precondition (and (robot-has ?r ?c) (robot-at ?r ?x) (up ?y ?x) (clear ?y))
    :effect (and (painted ?y ?c) (increase (total-cost) 2) (not (clear ?y))))
  (:action paint-down
    :parameters (?r - robot ?y ?x - tile ?c - color)
    :precondition (and (robot-has ?r ?c) (robot-at ?r ?x) (down ?y ?x) (clear ?y))
    :effect (and (painted ?y ?c) (increase (total-cost) 2) (not (clear ?y))))
  (:action up
    :parameters (?r - robot ?x ?y - tile)
    :precondition (and (robot-at ?r ?x) (up ?y ?x) (clear ?y))
    :effect (and
      (robot-at ?r ?y) (clear ?x) (increase (total-cost) 3) (not (robot-at ?r ?x))
      (not (clear ?y))))
  (:action down
    :parameters (?r - robot ?x ?y - tile)
    :precondition (and (robot-at ?r ?x) (down ?y ?x) (clear ?y))
    :effect (and
      (robot-at ?r ?y) (clear ?x) (increase (total-cost) 1) (not (robot-at ?r ?x))
      (not (clear ?y))))
  (:action right
    :parameters (?r - robot ?x ?y - tile)
    :precondition (and (robot-at ?r ?x) (right ?y ?x) (clear ?y))
    :effect (and
      (robot-at ?r ?y) (clear ?x) (increase (total-cost) 1) (not (robot-at ?r ?x))
      (not (clear ?y))))
  (:action left
    :parameters (?r - robot ?x ?y - tile)
    :precondition (and (robot-at ?r ?x) (left ?y ?x) (clear ?y))
    :effect (and
      (robot-at ?r ?y) (clear ?x) (increase (total-cost) 1) (not (robot-at ?r ?x))
      (not (clear ?y)))))
"""


def generate(draws: Draws) -> Made:
    """2 to 4 rows and columns, and row 0 which is not painted; a chequered floor is wanted.

    The plan paints the rows from the last to the first, each from the row before it.
    """
    rows, columns = (max(2, min(4, draws.measure(2, 3, 4) + k)) for k in _turned(draws))
    tile = {(r, c): f"tile_{r}-{c}" for r in range(rows + 1) for c in range(1, columns + 1)}
    at, colour = draws.one_of(list(tile)), draws.one_of(("white", "black"))
    first = draws.below(2)
    atoms = ["available-color white", "available-color black"]
    atoms += [f"robot-at robot1 {tile[at]}", f"robot-has robot1 {colour}"]
    for (r, c), name in tile.items():
        if (r, c) != at:
            atoms.append(f"clear {name}")
        for word, other in (("up", (r - 1, c)), ("down", (r + 1, c))):
            if other in tile:
                atoms.append(f"{word} {name} {tile[other]}")
        for word, other in (("right", (r, c - 1)), ("left", (r, c + 1))):
            if other in tile:
                atoms.append(f"{word} {name} {tile[other]}")
    paint = {(r, c): ("black", "white")[(r + c + first) % 2] for r, c in tile if r}
    plan: list[tuple[str, ...]] = []

    def go(to: tuple[int, int]) -> None:
        nonlocal at
        while at != to:
            (r, c), (row, column) = at, to
            if r > row:
                step, word = (r - 1, c), "down"
            elif c != column:
                step, word = ((r, c + 1), "right") if column > c else ((r, c - 1), "left")
            else:
                step, word = (r + 1, c), "up"
            plan.append((word, "robot1", tile[at], tile[step]))
            at = step

    for row in range(rows, 0, -1):
        across = range(1, columns + 1)
        for column in across if at[1] <= (columns + 1) / 2 else reversed(across):
            go((row - 1, column))
            if colour != paint[row, column]:
                plan.append(("change-color", "robot1", colour, paint[row, column]))
                colour = paint[row, column]
            plan.append(("paint-up", "robot1", tile[row, column], tile[at], colour))
    goal = [f"painted {tile[cell]} {one}" for cell, one in paint.items()]
    objects = {"tile": list(tile.values()), "robot": ["robot1"], "color": ["white", "black"]}
    cost = value("total-cost")
    made = problem_of(draws, "floor-tile", objects, atoms, goal, {"total-cost": 0}, cost)
    return made, plan


def _turned(draws: Draws) -> tuple[int, int]:
    """What rows and columns differ by from their measure, within 2 to 4."""
    return draws.one_of(((0, 0), (0, 1), (1, 0), (0, -1), (-1, 0))) if draws.size != 1 else (0, 0)
