"""Crates that trucks bring from place to place and hoists pile up."""

from __future__ import annotations

from itertools import pairwise

from stratagym.envs.planning.domains.making import Draws, Made, problem_of

PDDL = """\
(define (domain depots)
  (:types
    depot distributor - place truck hoist surface - locatable pallet crate - surface
    place locatable)
  (:predicates
    (at ?x - locatable ?y - place) (on ?x - crate ?y - surface) (in ?x - crate ?y - truck)
    (lifting ?x - hoist ?y - crate) (available ?x - hoist) (clear ?x - surface))
  (:action drive
    :parameters (?x - truck ?y ?z - place)
    :precondition (and (at ?x ?y))
    :effect (and (at ?x ?z) (not (at ?x ?y))))
  (:action lift
    :parameters (?x - hoist ?y - crate ?z - surface ?p - place)
    :precondition (and (at ?x ?p) (available ?x) (at ?y ?p) (on ?y ?z) (clear ?y))
    :effect (and
      (lifting ?x ?y) (clear ?z) (not (at ?y ?p)) (not (clear ?y)) (not (available ?x))
      (not (on ?y ?z))))
  (:action drop
    :parameters (?x - hoist ?y - crate ?z - surface ?p - place)
    :precondition (and (at ?x ?p) (at ?z ?p) (clear ?z) (lifting ?x ?y))
    :effect (and
      (available ?x) (at ?y ?p) (clear ?y) (on ?y ?z) (not (lifting ?x ?y)) (not (clear ?z))))
  (:action load
    :parameters (?x - hoist ?y - crate ?z - truck ?p - place)
    :precondition (and (at ?x ?p) (at ?z ?p) (lifting ?x ?y))
    :effect (and (in ?y ?z) (available ?x) (not (lifting ?x ?y))))
  (:action unload
    :parameters (?x - hoist ?y - crate ?z - truck ?p - place)
    :precondition (and (at ?x ?p) (at ?z ?p) (available ?x) (in ?y ?z))
    :effect (and (lifting ?x ?y) (not (in ?y ?z)) (not (available ?x)))))
"""


def _pairs(piles: dict[str, list[str]]) -> set[tuple[str, str]]:
    """What stands on what."""
    return {pair for pile in piles.values() for pair in zip(pile[1:], pile, strict=False)}


def generate(draws: Draws) -> Made:
    """1, 3 or 7 depots, 1, 4 or 8 distributors, 1, 5 or 9 trucks, 2, 9 or 15 pallets, a hoist at
    every place, 1, 11 or 20 crates, of which 1, 8 or 17 are to stand on something else.

    The plan loads all crates into one truck, from the top of every pile, then builds the piles.
    """
    depots = [f"depot{k}" for k in range(draws.measure(1, 3, 7))]
    places = [*depots, *(f"distributor{k}" for k in range(draws.measure(1, 4, 8)))]
    trucks = [f"truck{k}" for k in range(draws.measure(1, 5, 9))]
    pallets = [f"pallet{k}" for k in range(max(len(places), draws.measure(2, 9, 15)))]
    crates = [f"crate{k}" for k in range(draws.measure(1, 11, 20))]
    hoist = {place: f"hoist{k}" for k, place in enumerate(places)}
    at = {
        pallet: places[k] if k < len(places) else draws.one_of(places)
        for k, pallet in enumerate(pallets)
    }
    parked = {truck: draws.one_of(places) for truck in trucks}
    piles: dict[str, list[str]] = {pallet: [pallet] for pallet in pallets}
    for crate in draws.shuffled(crates):
        piles[draws.one_of(pallets)].append(crate)
    while True:
        goals: dict[str, list[str]] = {pallet: [pallet] for pallet in pallets}
        for crate in draws.some_of(crates, draws.measure(1, 8, 17)):
            goals[draws.one_of(pallets)].append(crate)
        if not _pairs(goals) <= _pairs(piles):
            break
    atoms = [f"at {truck} {place}" for truck, place in parked.items()]
    for place in places:
        atoms += [f"at {hoist[place]} {place}", f"available {hoist[place]}"]
    for pallet, pile in piles.items():
        atoms += [f"at {one} {at[pallet]}" for one in pile]
        atoms += [f"on {upper} {lower}" for lower, upper in pairwise(pile)]
        atoms.append(f"clear {pile[-1]}")
    plan: list[tuple[str, ...]] = []
    truck, here = trucks[0], parked[trucks[0]]

    def go(place: str) -> None:
        nonlocal here
        if place != here:
            plan.append(("drive", truck, here, place))
            here = place

    for pallet, pile in piles.items():
        place = at[pallet]
        for upper, lower in zip(pile[:0:-1], pile[-2::-1], strict=True):
            go(place)
            plan.append(("lift", hoist[place], upper, lower, place))
            plan.append(("load", hoist[place], upper, truck, place))
    for pallet, pile in goals.items():
        place = at[pallet]
        for lower, upper in pairwise(pile):
            go(place)
            plan.append(("unload", hoist[place], upper, truck, place))
            plan.append(("drop", hoist[place], upper, lower, place))
    goal = [f"on {upper} {lower}" for pile in goals.values() for lower, upper in pairwise(pile)]
    objects = {
        "depot": depots, "distributor": places[len(depots):], "truck": trucks,
        "pallet": pallets, "crate": crates, "hoist": list(hoist.values()),
    }  # fmt: skip
    return problem_of(draws, "depots", objects, atoms, goal), plan
