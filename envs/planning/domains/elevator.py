"""Slow lifts within parts of a building and fast ones through all of it."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, problem_of, value

PDDL = """\
(define (domain elevators-sequencedstrips)
  (:types
    slow-elevator fast-elevator - elevator elevator passenger count)
  (:predicates
    (passenger-at ?person - passenger ?floor - count)
    (boarded ?person - passenger ?lift - elevator) (lift-at ?lift - elevator ?floor - count)
    (reachable-floor ?lift - elevator ?floor - count) (above ?floor1 ?floor2 - count)
    (passengers ?lift - elevator ?n - count) (can-hold ?lift - elevator ?n - count)
    (next ?n1 ?n2 - count))
  (:functions
    (total-cost) (travel-slow ?f1 ?f2 - count) (travel-fast ?f1 ?f2 - count))
  (:action move-up-slow
    :parameters (?lift - slow-elevator ?f1 ?f2 - count)
    :precondition (and (lift-at ?lift ?f1) (above ?f1 ?f2) (reachable-floor ?lift ?f2))
    :effect (and
      (lift-at ?lift ?f2) (increase (total-cost) (travel-slow ?f1 ?f2))
      (not (lift-at ?lift ?f1))))
  (:action move-down-slow
    :parameters (?lift - slow-elevator ?f1 ?f2 - count)
    :precondition (and (lift-at ?lift ?f1) (above ?f2 ?f1) (reachable-floor ?lift ?f2))
    :effect (and
      (lift-at ?lift ?f2) (increase (total-cost) (travel-slow ?f2 ?f1))
      (not (lift-at ?lift ?f1))))
  (:action move-up-fast
    :parameters (?lift - fast-elevator ?f1 ?f2 - count)
    :precondition (and (lift-at ?lift ?f1) (above ?f1 ?f2) (reachable-floor ?lift ?f2))
    :effect (and
      (lift-at ?lift ?f2) (increase (total-cost) (travel-fast ?f1 ?f2))
      (not (lift-at ?lift ?f1))))
  (:action move-down-fast
    :parameters (?lift - fast-elevator ?f1 ?f2 - count)
    :precondition (and (lift-at ?lift ?f1) (above ?f2 ?f1) (reachable-floor ?lift ?f2))
    :effect (and
      (lift-at ?lift ?f2) (increase (total-cost) (travel-fast ?f2 ?f1))
      (not (lift-at ?lift ?f1))))
  (:action board
    :parameters (?p - passenger ?lift - elevator ?f ?n1 ?n2 - count)
    :precondition (and
      (lift-at ?lift ?f) (passenger-at ?p ?f) (passengers ?lift ?n1) (next ?n1 ?n2)
      (can-hold ?lift ?n2))
    :effect (and
      (boarded ?p ?lift) (passengers ?lift ?n2) (not (passenger-at ?p ?f))
      (not (passengers ?lift ?n1))))
  (:action leave
    :parameters (?p - passenger ?lift - elevator ?f ?n1 ?n2 - count)
    :precondition (and
      (lift-at ?lift ?f) (boarded ?p ?lift) (passengers ?lift ?n1) (next ?n2 ?n1))
    :effect (and
      (passenger-at ?p ?f) (passengers ?lift ?n2) (not (boarded ?p ?lift))
      (not (passengers ?lift ?n1)))))
"""


_SLOW, _FAST = 4, 6
"""How many passengers a lift holds."""


def generate(draws: Draws) -> Made:
    """2 or 3 areas of 3 or 5 floors, of which neighbours share one; 5, 8 or 10 passengers, 1 or 2
    fast lifts, 2 or 3 slow ones in each area.

    The plan brings the passengers one by one, by slow lifts.
    """
    if isinstance(draws.size, int):
        areas, size = ((2, 3), (2, 5), (3, 5))[(draws.size - 1) // 3]
    else:
        areas, size = draws.between(2, 3), draws.one_of((3, 5))
    floors = [f"n{k}" for k in range(areas * size + 1)]
    people = [f"p{k}" for k in range(draws.measure(5, 8, 10))]
    fast = [f"fast{k}" for k in range(draws.measure(1, 2, 2))]
    slow = {f"slow{a}-{k}": a for a in range(areas) for k in range(draws.measure(2, 2, 3))}
    reach = {lift: range(a * size, (a + 1) * size + 1) for lift, a in slow.items()}
    reach |= {lift: range(0, len(floors), size // 2) for lift in fast}
    at = {lift: draws.one_of(floors_of) for lift, floors_of in reach.items()}
    starts = {one: draws.below(len(floors)) for one in people}
    ends = {one: draws.one_of([k for k in range(len(floors)) if k != starts[one]])
            for one in people}  # fmt: skip
    atoms = [f"next n{k} n{k + 1}" for k in range(len(floors) - 1)]
    atoms += [f"above n{a} n{b}" for b in range(len(floors)) for a in range(b)]
    for lift, floors_of in reach.items():
        atoms += [f"lift-at {lift} n{at[lift]}", f"passengers {lift} n0"]
        atoms += [f"reachable-floor {lift} n{k}" for k in floors_of]
        room = _SLOW if lift in slow else _FAST
        atoms += [f"can-hold {lift} n{k}" for k in range(1, room + 1)]
    atoms += [f"passenger-at {one} n{k}" for one, k in starts.items()]
    values: dict[str, float] = {"total-cost": 0}
    for b in range(len(floors)):
        for a in range(b):
            values[f"travel-slow n{a} n{b}"] = 5 + b - a
            values[f"travel-fast n{a} n{b}"] = 1 + 3 * (b - a)
    plan: list[tuple[str, ...]] = []

    def go(lift: str, floor: int) -> None:
        if at[lift] != floor:
            word = "up" if floor > at[lift] else "down"
            plan.append((f"move-{word}-slow", lift, f"n{at[lift]}", f"n{floor}"))
            at[lift] = floor

    for one, start in starts.items():
        floor = start
        while floor != ends[one]:
            # The area of the floor in the direction of the goal; a shared floor is in two.
            up = ends[one] > floor
            area = min(areas - 1, floor // size) if up else max(0, (floor - 1) // size)
            to = min(ends[one], (area + 1) * size) if up else max(ends[one], area * size)
            lift = next(name for name, a in slow.items() if a == area)
            go(lift, floor)
            plan.append(("board", one, lift, f"n{floor}", "n0", "n1"))
            go(lift, to)
            plan.append(("leave", one, lift, f"n{to}", "n1", "n0"))
            floor = to
    objects = {
        "count": floors, "passenger": people, "fast-elevator": fast, "slow-elevator": list(slow),
    }  # fmt: skip
    goal = [f"passenger-at {one} n{k}" for one, k in ends.items()]
    name, cost = "elevators-sequencedstrips", value("total-cost")
    return problem_of(draws, name, objects, atoms, goal, values, cost), plan
