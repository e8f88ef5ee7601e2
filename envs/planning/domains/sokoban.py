"""A robot that pushes boxes and cannot pull them."""

from __future__ import annotations

from collections import deque

from stratagym.envs.planning.domains.making import Draws, Made, problem_of

PDDL = """\
(define (domain typed-sokoban)
  (:types
    loc dir box)
  (:predicates
    (at-robot ?l - loc) (at ?o - box ?l - loc) (adjacent ?l1 ?l2 - loc ?d - dir)
    (clear ?l - loc))
  (:action move
    :parameters (?from ?to - loc ?dir - dir)
    :precondition (and (clear ?to) (at-robot ?from) (adjacent ?from ?to ?dir))
    :effect (and (at-robot ?to) (not (at-robot ?from))))
  (:action push
    :parameters (?rloc ?bloc ?floc - loc ?dir - dir ?b - box)
    :precondition (and
      (at-robot ?rloc) (at ?b ?bloc) (clear ?floc) (adjacent ?rloc ?bloc ?dir)
      (adjacent ?bloc ?floc ?dir))
    :effect (and
      (at-robot ?bloc) (at ?b ?floc) (clear ?bloc) (not (at-robot ?rloc))
      (not (at ?b ?bloc)) (not (clear ?floc)))))
"""


_MOST_STATES = 6000
_WAYS = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
_Cell = tuple[int, int]
_State = tuple[_Cell, tuple[_Cell, ...]]


def generate(draws: Draws) -> Made:
    """A square of 5, 6 or 8 cells a side with 1 to 3 inner walls and a box; 2 at size 7, 3 at sizes
    8 and 9.

    The start is found by pulling the boxes back from the goal, and the plan is the way back.
    """
    while True:
        found = _drawn(draws)
        if found:
            return found


def _drawn(draws: Draws) -> Made | None:
    side = draws.measure(5, 6, 8)
    count = max(1, min(3, draws.size - 5)) if isinstance(draws.size, int) else 1
    cells = [(r, c) for r in range(side) for c in range(side)]
    inner = [(r, c) for r, c in cells if 0 < r < side - 1 and 0 < c < side - 1]
    walls = set(draws.some_of(inner, draws.measure(1, 2, 3)))
    free = [cell for cell in cells if cell not in walls]
    goals = tuple(draws.some_of(free, count))
    came = _pulled(draws, goals, set(free))
    far = list(came)[2 * len(came) // 3 :]
    far = [one for one in far if one[1] != goals and not set(one[1]) & set(goals)]
    if not far:
        return None
    state = draws.one_of(far)
    robot, boxes = state
    name = {cell: "f{}-{}f".format(*cell) for cell in cells}
    plan: list[tuple[str, ...]] = []
    while came[state] is not None:
        before = state
        state = came[state] or state
        (r, c), (row, column) = before[0], state[0]
        word = next(one for one, way in _WAYS.items() if way == (row - r, column - c))
        step = (name[r, c], name[row, column])
        pushed = [k for k in range(count) if before[1][k] != state[1][k]]
        if pushed:
            plan.append(("push", *step, name[state[1][pushed[0]]], word, f"box{pushed[0]}"))
        else:
            plan.append(("move", *step, word))
    atoms = [
        f"adjacent {name[r, c]} {name[r + dr, c + dc]} {word}"
        for r, c in cells
        for word, (dr, dc) in _WAYS.items()
        if (r + dr, c + dc) in name
    ]
    atoms += [f"at-robot {name[robot]}"]
    atoms += [f"at box{k} {name[box]}" for k, box in enumerate(boxes)]
    atoms += [f"clear {name[cell]}" for cell in free if cell not in boxes]
    goal = [f"at box{k} {name[cell]}" for k, cell in enumerate(goals)]
    objects = {
        "dir": list(_WAYS), "box": [f"box{k}" for k in range(count)], "loc": list(name.values())
    }  # fmt: skip
    return problem_of(draws, "typed-sokoban", objects, atoms, goal), plan


def _pulled(
    draws: Draws, goals: tuple[_Cell, ...], free: set[_Cell]
) -> dict[_State, _State | None]:
    """States from which the boxes can be pushed to the goals, the nearest first, each with the
    state that a step towards them leads to; None for those at the goal.
    """
    came: dict[_State, _State | None] = {}
    for cell in draws.shuffled(sorted(free - set(goals))):
        came[cell, goals] = None
    queue = deque(came)
    while queue and len(came) < _MOST_STATES:
        state = queue.popleft()
        (r, c), boxes = state
        for dr, dc in _WAYS.values():
            back = (r - dr, c - dc)
            if back not in free or back in boxes:
                continue
            steps = [boxes]
            ahead = (r + dr, c + dc)
            if ahead in boxes:
                steps.append(tuple((r, c) if box == ahead else box for box in boxes))
            for moved in steps:
                if (back, moved) not in came:
                    came[back, moved] = state
                    queue.append((back, moved))
    return came
