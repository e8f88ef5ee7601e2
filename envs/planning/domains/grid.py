"""A robot with keys that open the doors of their shape."""

from __future__ import annotations

from collections import deque

from stratagym.envs.planning.domains.making import Draws, Made, problem_of

PDDL = """\
(define (domain grid)
  (:predicates
    (conn ?x ?y) (key-shape ?k ?s) (lock-shape ?x ?s) (at ?r ?x) (at-robot ?x) (place ?p)
    (key ?k) (shape ?s) (locked ?x) (holding ?k) (open ?x) (arm-empty))
  (:action unlock
    :parameters (?curpos ?lockpos ?key ?shape)
    :precondition (and
      (place ?curpos) (place ?lockpos) (key ?key) (shape ?shape) (conn ?curpos ?lockpos)
      (key-shape ?key ?shape) (lock-shape ?lockpos ?shape) (at-robot ?curpos)
      (locked ?lockpos) (holding ?key))
    :effect (and (open ?lockpos) (not (locked ?lockpos))))
  (:action move
    :parameters (?curpos ?nextpos)
    :precondition (and
      (place ?curpos) (place ?nextpos) (at-robot ?curpos) (conn ?curpos ?nextpos)
      (open ?nextpos))
    :effect (and (at-robot ?nextpos) (not (at-robot ?curpos))))
  (:action pickup
    :parameters (?curpos ?key)
    :precondition (and
      (place ?curpos) (key ?key) (at-robot ?curpos) (at ?key ?curpos) (arm-empty))
    :effect (and (holding ?key) (not (at ?key ?curpos)) (not (arm-empty))))
  (:action pickup-and-loose
    :parameters (?curpos ?newkey ?oldkey)
    :precondition (and
      (place ?curpos) (key ?newkey) (key ?oldkey) (at-robot ?curpos) (holding ?oldkey)
      (at ?newkey ?curpos))
    :effect (and
      (holding ?newkey) (at ?oldkey ?curpos) (not (holding ?oldkey))
      (not (at ?newkey ?curpos))))
  (:action putdown
    :parameters (?curpos ?key)
    :precondition (and (place ?curpos) (key ?key) (at-robot ?curpos) (holding ?key))
    :effect (and (arm-empty) (at ?key ?curpos) (not (holding ?key)))))
"""


_MOST_STATES = 40_000
_Step = tuple[str, ...]
_Place = tuple[int, int]
_State = tuple[_Place, tuple[_Place | None, ...], frozenset[_Place]]


def generate(draws: Draws) -> Made:
    """3 x 3 cells, 3 x 4 from size 5 on, 1 or 2 shapes, 2 or 3 keys, 2 to 4 locked cells; each key
    is to be somewhere, or each with probability 1/2.

    A search finds the plan; what it does not solve is drawn again.
    """
    while True:
        found = _drawn(draws)
        if found:
            return found


def _drawn(draws: Draws) -> Made | None:
    large = draws.size > 4 if isinstance(draws.size, int) else draws.happens(0.5)
    cells = [(r, c) for r in range(3) for c in range(4 if large else 3)]
    name = {cell: "pos{}-{}".format(*cell) for cell in cells}
    shapes = [f"shape{k}" for k in range(draws.measure(1, 2, 2))]
    keys = [f"key{k}" for k in range(draws.measure(2, 2, 3))]
    locked = draws.some_of(cells, draws.measure(2, 3, 4))
    free = [cell for cell in cells if cell not in locked]
    robot = draws.one_of(free)
    key_shape = {key: draws.one_of(shapes) for key in keys}
    lock_shape = {cell: draws.one_of([*key_shape.values()]) for cell in locked}
    at = {key: draws.one_of(cells) for key in keys}
    share = draws.one_of((0.5, 1.0))
    goals = {key: draws.one_of(cells) for key in keys if draws.happens(share)}
    if not goals or all(at[key] == cell for key, cell in goals.items()):
        return None
    plan = _solved(cells, name, robot, at, goals, key_shape, lock_shape)
    if plan is None:
        return None
    atoms = [f"place {one}" for one in name.values()]
    for cell, one in name.items():
        atoms += [f"conn {one} {name[near]}" for near in _near(cell) if near in name]
        atoms.append(f"locked {one}" if cell in locked else f"open {one}")
    for shape in shapes:
        atoms.append(f"shape {shape}")
    for key in keys:
        atoms += [f"key {key}", f"key-shape {key} {key_shape[key]}", f"at {key} {name[at[key]]}"]
    atoms += [f"lock-shape {name[cell]} {shape}" for cell, shape in lock_shape.items()]
    atoms += [f"at-robot {name[robot]}", "arm-empty"]
    objects = {"object": [*name.values(), *shapes, *keys]}
    goal = [f"at {key} {name[cell]}" for key, cell in goals.items()]
    return problem_of(draws, "grid", objects, atoms, goal), plan


def _near(cell: tuple[int, int]) -> list[tuple[int, int]]:
    r, c = cell
    return [(r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)]


def _solved(
    cells: list[tuple[int, int]],
    name: dict[tuple[int, int], str],
    robot: tuple[int, int],
    at: dict[str, tuple[int, int]],
    goals: dict[str, tuple[int, int]],
    key_shape: dict[str, str],
    lock_shape: dict[tuple[int, int], str],
) -> list[_Step] | None:
    """A shortest plan, or None if none is found among the nearest states.

    A state is where the robot is, where each key is (None in its hand), and what is locked.
    """
    keys = list(at)
    start: _State = robot, tuple(at.values()), frozenset(lock_shape)
    came: dict[_State, tuple[_State, _Step] | None] = {start: None}
    queue = deque([start])
    while queue and len(came) < _MOST_STATES:
        state = queue.popleft()
        here, places, locked = state
        if all(places[keys.index(key)] == cell for key, cell in goals.items()):
            steps: list[_Step] = []
            link = came[state]
            while link is not None:
                steps.append(link[1])
                link = came[link[0]]
            return steps[::-1]
        held = next((k for k, place in enumerate(places) if place is None), None)
        found: list[tuple[_State, _Step]] = []
        for cell in _near(here):
            if cell in name and cell not in locked:
                found.append(((cell, places, locked), ("move", name[here], name[cell])))
            elif cell in locked and held is not None:
                key, shape = keys[held], lock_shape[cell]
                if key_shape[key] == shape:
                    opened = ("unlock", name[here], name[cell], key, shape)
                    found.append(((here, places, locked - {cell}), opened))
        for k, place in enumerate(places):
            if place == here:
                new = list(places)
                new[k] = None
                step: _Step = ("pickup", name[here], keys[k])
                if held is not None:
                    new[held] = here
                    step = ("pickup-and-loose", name[here], keys[k], keys[held])
                found.append(((here, tuple(new), locked), step))
        if held is not None:
            new = list(places)
            new[held] = here
            found.append(((here, tuple(new), locked), ("putdown", name[here], keys[held])))
        for after, taken in found:
            if after not in came:
                came[after] = state, taken
                queue.append(after)
    return None
