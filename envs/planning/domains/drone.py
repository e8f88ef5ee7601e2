"""A drone that visits all cells of a box on one battery, which it charges at the origin."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, compared, problem_of, value

PDDL = """\
(define (domain domain_name)
  (:types
    location)
  (:predicates
    (visited ?x - location))
  (:functions
    (x) (y) (z) (xl ?l - location) (yl ?l - location) (zl ?l - location) (battery-level)
    (battery-level-full) (min_x) (max_x) (min_y) (max_y) (min_z) (max_z))
  (:action increase_x
    :parameters ()
    :precondition (and (>= (battery-level) 1) (<= (x) (- (max_x) 1)))
    :effect (and (increase (x) 1) (decrease (battery-level) 1)))
  (:action decrease_x
    :parameters ()
    :precondition (and (>= (battery-level) 1) (>= (x) (+ (min_x) 1)))
    :effect (and (decrease (x) 1) (decrease (battery-level) 1)))
  (:action increase_y
    :parameters ()
    :precondition (and (>= (battery-level) 1) (<= (y) (- (max_y) 1)))
    :effect (and (increase (y) 1) (decrease (battery-level) 1)))
  (:action decrease_y
    :parameters ()
    :precondition (and (>= (battery-level) 1) (>= (y) (+ (min_y) 1)))
    :effect (and (decrease (y) 1) (decrease (battery-level) 1)))
  (:action increase_z
    :parameters ()
    :precondition (and (>= (battery-level) 1) (<= (z) (- (max_z) 1)))
    :effect (and (increase (z) 1) (decrease (battery-level) 1)))
  (:action decrease_z
    :parameters ()
    :precondition (and (>= (battery-level) 1) (>= (z) (+ (min_z) 1)))
    :effect (and (decrease (z) 1) (decrease (battery-level) 1)))
  (:action visit
    :parameters (?l - location)
    :precondition (and
      (>= (battery-level) 1) (= (xl ?l) (x)) (= (yl ?l) (y)) (= (zl ?l) (z)))
    :effect (and (visited ?l) (decrease (battery-level) 1)))
  (:action recharge
    :parameters ()
    :precondition (and (= (x) 0) (= (y) 0) (= (z) 0))
    :effect (and (assign (battery-level) (battery-level-full)))))
"""


def generate(draws: Draws) -> Made:
    """A box of about 2, 40 or 300 cells, at most 10 long; all are to be visited, and the drone is
    to be back. The plan flies tours as long as the battery holds.

    Nothing but the box is drawn, so there are few problems of one size.
    """
    wanted = draws.measure(2, 40, 300)
    boxes = [
        (x, y, z)
        for x in range(1, 11)
        for y in range(1, 11)
        for z in range(1, 11)
        if 0.8 * wanted <= x * y * z <= min(1.2 * wanted, 300)
    ]
    box = draws.one_of(boxes)
    cells = [(x, y, z) for x in range(box[0]) for y in range(box[1]) for z in range(box[2])]
    names = {cell: "x{}y{}z{}".format(*cell) for cell in cells}
    full = 2 * sum(box) + 1
    values = {"battery-level": full, "battery-level-full": full}
    for axis, size in zip("xyz", box, strict=True):
        values |= {axis: 0, f"min_{axis}": 0, f"max_{axis}": size}
    for cell, name in names.items():
        for axis, at in zip("xyz", cell, strict=True):
            values[f"{axis}l {name}"] = at
    plan: list[tuple[str, ...]] = []
    here: tuple[int, ...] = (0, 0, 0)
    left = full

    def go(cell: tuple[int, ...]) -> None:
        nonlocal here, left
        for axis, at, to in zip("xyz", here, cell, strict=True):
            plan.extend([(f"{'in' if to > at else 'de'}crease_{axis}",)] * abs(to - at))
            left -= abs(to - at)
        here = cell

    def far(one: tuple[int, ...], other: tuple[int, ...]) -> int:
        return sum(abs(a - b) for a, b in zip(one, other, strict=True))

    waiting = sorted(cells, key=lambda cell: (-sum(cell), cell))
    while waiting:
        # From where it is the nearest that it can still come home from; from home the farthest.
        near = [cell for cell in waiting if far(here, cell) + 1 + sum(cell) <= left]
        if not near or (here == (0, 0, 0) and left < full):
            go((0, 0, 0))
            plan.append(("recharge",))
            left = full
            continue
        cell = near[0] if here == (0, 0, 0) else min(near, key=lambda one: far(here, one))
        go(cell)
        plan.append(("visit", names[cell]))
        left -= 1
        waiting.remove(cell)
    go((0, 0, 0))
    goal = [f"visited {name}" for name in names.values()]
    home = [compared("=", value(axis), 0) for axis in "xyz"]
    objects = {"location": list(names.values())}
    return problem_of(draws, "domain_name", objects, [], goal, values, others=home), plan
