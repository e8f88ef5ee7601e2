"""Robots of one gripper each that never share a room, and things that one of them activates."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, problem_of

PDDL = """\
(define (domain cooperate_sequential_gripper)
  (:types
    gripper - robot room robot - object)
  (:predicates
    (at-robby ?r - gripper ?x - room) (at ?o - object ?x - room) (free ?r - gripper)
    (carry ?r - gripper ?o - object) (activated ?o) (can-activate ?r - gripper ?o - object)
    (can-handle ?r - gripper ?o - object) (room-occupied ?x - room))
  (:action move
    :parameters (?r - gripper ?from ?to - room)
    :precondition (and (at-robby ?r ?from) (room-occupied ?from) (not (room-occupied ?to)))
    :effect (and
      (at-robby ?r ?to) (room-occupied ?to) (not (at-robby ?r ?from))
      (not (room-occupied ?from))))
  (:action activate
    :parameters (?r - gripper ?o - object ?room - room)
    :precondition (and
      (can-activate ?r ?o) (at-robby ?r ?room) (at ?o ?room) (not (activated ?o)))
    :effect (and (activated ?o)))
  (:action pick
    :parameters (?r - gripper ?o - object ?room - room)
    :precondition (and
      (can-handle ?r ?o) (activated ?o) (at-robby ?r ?room) (at ?o ?room) (free ?r))
    :effect (and (carry ?r ?o) (not (at ?o ?room)) (not (free ?r))))
  (:action drop
    :parameters (?r - gripper ?o - object ?room - room)
    :precondition (and (carry ?r ?o) (at-robby ?r ?room))
    :effect (and (at ?o ?room) (free ?r) (not (carry ?r ?o)))))
"""


def generate(draws: Draws) -> Made:
    """3, 15 or 30 rooms, 1, 8 or 20 robots, fewer than rooms, 2, 10 or 20 things; each has one
    robot that activates and handles it, and a room to be in; one robot has one too.

    The plan serves the things one by one; who is in the way goes to a free room.
    """
    rooms = [f"room{k + 1}" for k in range(draws.measure(3, 15, 30))]
    count = min(draws.measure(1, 8, 20), len(rooms) - 1)
    robots = [f"robot{k + 1}" for k in range(count)]
    things = [f"object{k + 1}" for k in range(draws.measure(2, 10, 20))]
    where = dict(zip(robots, draws.some_of(rooms, count), strict=True))
    at = {thing: draws.one_of(rooms) for thing in things}
    by = {thing: draws.one_of(robots) for thing in things}
    to = {}
    for thing in things:
        to[thing] = draws.one_of([room for room in rooms if room != at[thing]])
    last, end = draws.one_of(robots), draws.one_of(rooms)
    atoms = []
    for robot, room in where.items():
        atoms += [f"at-robby {robot} {room}", f"free {robot}", f"room-occupied {room}"]
    for thing in things:
        atoms += [f"at {thing} {at[thing]}", f"can-activate {by[thing]} {thing}"]
        atoms.append(f"can-handle {by[thing]} {thing}")
    plan: list[tuple[str, ...]] = []

    def go(robot: str, room: str) -> None:
        if where[robot] == room:
            return
        for other in robots:
            if where[other] == room:
                free = next(one for one in rooms if one not in where.values())
                plan.append(("move", other, room, free))
                where[other] = free
        plan.append(("move", robot, where[robot], room))
        where[robot] = room

    for thing, robot in by.items():
        go(robot, at[thing])
        plan += [("activate", robot, thing, at[thing]), ("pick", robot, thing, at[thing])]
        go(robot, to[thing])
        plan.append(("drop", robot, thing, to[thing]))
    go(last, end)
    goal = [*(f"at {thing} {room}" for thing, room in to.items()), f"at-robby {last} {end}"]
    objects = {"room": rooms, "gripper": robots, "object": things}
    return problem_of(draws, "cooperate_sequential_gripper", objects, atoms, goal), plan
