"""Counters that are to be brought into ascending order."""

from __future__ import annotations

from itertools import pairwise

from stratagym.envs.planning.domains.making import Draws, Made, compared, problem_of, value

PDDL = """\
(define (domain fn-counters)
  (:types
    counter)
  (:functions
    (value ?c - counter) (max_int))
  (:action increment
    :parameters (?c - counter)
    :precondition (and (<= (+ (value ?c) 1) (max_int)))
    :effect (and (increase (value ?c) 1)))
  (:action decrement
    :parameters (?c - counter)
    :precondition (and (>= (value ?c) 1))
    :effect (and (decrease (value ?c) 1))))
"""


def generate(draws: Draws) -> Made:
    """4, 20 or 40 counters up to twice their number, which are to ascend. They start anywhere, in
    descending order, or each at 0 to 3. The plan brings counter i to i.

    As published they descend by twos or all start at 0, which would be the same problem again.
    """
    n = draws.measure(4, 20, 40)
    names = [f"c{k}" for k in range(n)]
    kind = draws.below(3)
    while True:
        starts = [draws.between(0, 3 if kind == 2 else 2 * n) for _ in names]
        if kind == 0:
            starts.sort(reverse=True)
        if any(a >= b for a, b in pairwise(starts)):
            break
    values = {"max_int": 2 * n}
    values |= {f"value {name}": start for name, start in zip(names, starts, strict=True)}
    goals = [
        compared("<=", ("+", value(f"value {one}"), ("number", 1.0)), value(f"value {next_one}"))
        for one, next_one in pairwise(names)
    ]
    plan: list[tuple[str, ...]] = []
    for k, (name, start) in enumerate(zip(names, starts, strict=True)):
        plan += [("increment", name)] * (k - start) + [("decrement", name)] * (start - k)
    objects = {"counter": names}
    return problem_of(draws, "fn-counters", objects, [], [], values, others=goals), plan
