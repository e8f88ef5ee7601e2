"""Robots with two grippers that bring balls to one room; some balls take two robots."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, mended, problem_of

PDDL = """\
(define (domain multi_agent_coordination)
  (:types
    room robot gripper - object)
  (:predicates
    (at-robby ?r - robot ?x - room) (at ?o - object ?x - room)
    (free ?r - robot ?g - gripper) (carry ?r - robot ?o - object ?g - gripper)
    (carrying-collaboratively ?o) (needs-collaboration ?o) (robot-ready ?r - robot))
  (:action move
    :parameters (?r - robot ?from ?to - room)
    :precondition (and (at-robby ?r ?from))
    :effect (and (at-robby ?r ?to) (not (at-robby ?r ?from))))
  (:action pick
    :parameters (?r - robot ?obj - object ?room - room ?g - gripper)
    :precondition (and
      (at ?obj ?room) (at-robby ?r ?room) (free ?r ?g) (not (needs-collaboration ?obj)))
    :effect (and (carry ?r ?obj ?g) (not (at ?obj ?room)) (not (free ?r ?g))))
  (:action pick-collaborative
    :parameters (?r1 ?r2 - robot ?obj - object ?room - room)
    :precondition (and
      (needs-collaboration ?obj) (at-robby ?r1 ?room) (at-robby ?r2 ?room) (robot-ready ?r1)
      (robot-ready ?r2))
    :effect (and
      (carrying-collaboratively ?obj) (not (at ?obj ?room)) (not (robot-ready ?r1))
      (not (robot-ready ?r2))))
  (:action drop
    :parameters (?r - robot ?obj - object ?room - room ?g - gripper)
    :precondition (and (carry ?r ?obj ?g) (at-robby ?r ?room))
    :effect (and (at ?obj ?room) (free ?r ?g) (not (carry ?r ?obj ?g))))
  (:action drop-collaborative
    :parameters (?r1 ?r2 - robot ?obj - object ?room - room)
    :precondition (and
      (carrying-collaboratively ?obj) (at-robby ?r1 ?room) (at-robby ?r2 ?room))
    :effect (and
      (at ?obj ?room) (robot-ready ?r1) (robot-ready ?r2)
      (not (carrying-collaboratively ?obj))))
  (:action prepare
    :parameters (?r - robot)
    :precondition (and (not (robot-ready ?r)))
    :effect (and (robot-ready ?r))))
"""

STRICT_PDDL = mended(
    PDDL,
    (
        "(robot-ready ?r - robot))",
        "(robot-ready ?r - robot)\n    (helping ?r - robot ?o - object))",
    ),
    (
        "(needs-collaboration ?obj) (at-robby ?r1 ?room) (at-robby ?r2 ?room) (robot-ready ?r1)\n",
        "(needs-collaboration ?obj) (not (= ?r1 ?r2)) (at ?obj ?room)\n"
        "      (at-robby ?r1 ?room) (at-robby ?r2 ?room) (robot-ready ?r1)\n",
    ),
    (
        "(carrying-collaboratively ?obj) (not (at ?obj ?room)) (not (robot-ready ?r1))\n",
        "(carrying-collaboratively ?obj) (helping ?r1 ?obj) (helping ?r2 ?obj)\n"
        "      (not (at ?obj ?room)) (not (robot-ready ?r1))\n",
    ),
    (
        "(carrying-collaboratively ?obj) (at-robby ?r1 ?room) (at-robby ?r2 ?room))",
        "(carrying-collaboratively ?obj) (not (= ?r1 ?r2)) (helping ?r1 ?obj) (helping ?r2 ?obj)\n"
        "      (at-robby ?r1 ?room) (at-robby ?r2 ?room))",
    ),
    (
        "(not (carrying-collaboratively ?obj))))",
        "(not (carrying-collaboratively ?obj)) (not (helping ?r1 ?obj)) (not (helping ?r2 ?obj))))",
    ),
    (
        "(and (not (robot-ready ?r)))",
        "(and (not (robot-ready ?r)) (not (exists (?o - object) (helping ?r ?o))))",
    ),
)
"""Two robots are two, both are where the ball is, and only they put it down, where both are."""


def generate(draws: Draws) -> Made:
    """2, 7 or 20 robots, 2, 8 or 20 rooms, 1, 10 or 20 balls, half of which, at least one, take
    two robots; all balls go to one room, which is empty at the start if there is an empty one.

    The plan fetches ball after ball.
    """
    robots = [f"robot{k + 1}" for k in range(draws.measure(2, 7, 20))]
    rooms = [f"room{k + 1}" for k in range(draws.measure(2, 8, 20))]
    balls = [f"ball{k + 1}" for k in range(draws.measure(1, 10, 20))]
    heavy = set(draws.some_of(balls, max(1, len(balls) // 2)))
    where = {robot: draws.one_of(rooms) for robot in robots}
    while True:
        at = {ball: draws.one_of(rooms) for ball in balls}
        empty = [room for room in rooms if room not in at.values()]
        goal_room = draws.one_of(empty or rooms)
        if any(room != goal_room for room in at.values()):
            break
    atoms = [f"at {ball} {room}" for ball, room in at.items()]
    for k, (robot, room) in enumerate(where.items(), 1):
        atoms += [f"at-robby {robot} {room}", f"free {robot} rgripper{k}"]
        atoms.append(f"free {robot} lgripper{k}")
    atoms += [f"needs-collaboration {ball}" for ball in balls if ball in heavy]
    plan: list[tuple[str, ...]] = []
    ready: set[str] = set()
    one, other = robots[0], robots[1]

    def go(robot: str, room: str) -> None:
        if where[robot] != room:
            plan.append(("move", robot, where[robot], room))
            where[robot] = room

    for ball, room in at.items():
        if room == goal_room:
            continue
        go(one, room)
        if ball in heavy:
            go(other, room)
            for robot in (one, other):
                if robot not in ready:
                    plan.append(("prepare", robot))
                    ready.add(robot)
            plan.append(("pick-collaborative", one, other, ball, room))
            ready -= {one, other}
            go(one, goal_room)
            go(other, goal_room)
            plan.append(("drop-collaborative", one, other, ball, goal_room))
            ready |= {one, other}
        else:
            plan.append(("pick", one, ball, room, "lgripper1"))
            go(one, goal_room)
            plan.append(("drop", one, ball, goal_room, "lgripper1"))
    goal = [f"at {ball} {goal_room}" for ball in balls]
    grippers = [f"{side}gripper{k}" for side in "rl" for k in range(1, len(robots) + 1)]
    objects = {"robot": robots, "room": rooms, "object": balls, "gripper": grippers}
    return problem_of(draws, "multi_agent_coordination", objects, atoms, goal), plan
