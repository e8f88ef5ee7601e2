"""A briefcase that carries what is in it from place to place."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, problem_of

PDDL = """\
(define (domain briefcase)
  (:types
    portable location)
  (:predicates
    (at ?y - portable ?x - location) (in ?x - portable) (is-at ?x - location))
  (:action move
    :parameters (?m ?l - location)
    :precondition (and (is-at ?m))
    :effect (and
      (is-at ?l) (forall (?x - portable) (when (in ?x) (and (at ?x ?l) (not (at ?x ?m)))))
      (not (is-at ?m))))
  (:action take-out
    :parameters (?x - portable)
    :precondition (and (in ?x))
    :effect (and (not (in ?x))))
  (:action put-in
    :parameters (?x - portable ?l - location)
    :precondition (and (not (in ?x)) (at ?x ?l) (is-at ?l))
    :effect (and (in ?x))))
"""


def generate(draws: Draws) -> Made:
    """3, 12 or 22 things and one place more than that; all of them and the case have a place to
    be. The plan carries them one by one.
    """
    things = [f"o{k}" for k in range(draws.measure(3, 12, 22))]
    places = [f"l{k}" for k in range(len(things) + 1)]
    at = {thing: draws.one_of(places) for thing in things}
    case = draws.one_of(places)
    while True:
        to = {thing: draws.one_of(places) for thing in things}
        case_to = draws.one_of(places)
        if to != at or case_to != case:
            break
    atoms = [*(f"at {thing} {place}" for thing, place in at.items()), f"is-at {case}"]
    goal = [*(f"at {thing} {place}" for thing, place in to.items()), f"is-at {case_to}"]
    plan: list[tuple[str, ...]] = []
    here = case

    def go(place: str) -> None:
        nonlocal here
        if place != here:
            plan.append(("move", here, place))
            here = place

    for thing in things:
        if at[thing] != to[thing]:
            go(at[thing])
            plan.append(("put-in", thing, here))
            go(to[thing])
            plan.append(("take-out", thing))
    go(case_to)
    objects = {"portable": things, "location": places}
    return problem_of(draws, "briefcase", objects, atoms, goal), plan
