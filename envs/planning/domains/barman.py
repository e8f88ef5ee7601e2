"""Cocktails of two ingredients, mixed in a shaker and poured into shot glasses by two hands."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, problem_of, value

PDDL = """\
(define (domain barman)
  (:types
    ingredient cocktail - beverage shot shaker - container
    hand level beverage dispenser container)
  (:predicates
    (ontable ?c - container) (holding ?h - hand ?c - container) (handempty ?h - hand)
    (empty ?c - container) (contains ?c - container ?b - beverage) (clean ?c - container)
    (used ?c - container ?b - beverage) (dispenses ?d - dispenser ?i - ingredient)
    (shaker-empty-level ?s - shaker ?l - level) (shaker-level ?s - shaker ?l - level)
    (next ?l1 ?l2 - level) (unshaked ?s - shaker) (shaked ?s - shaker)
    (cocktail-part1 ?c - cocktail ?i - ingredient)
    (cocktail-part2 ?c - cocktail ?i - ingredient))
  (:functions
    (total-cost))
  (:action grasp
    :parameters (?h - hand ?c - container)
    :precondition (and (ontable ?c) (handempty ?h))
    :effect (and
      (holding ?h ?c) (increase (total-cost) 1) (not (ontable ?c)) (not (handempty ?h))))
  (:action leave
    :parameters (?h - hand ?c - container)
    :precondition (and (holding ?h ?c))
    :effect (and
      (handempty ?h) (ontable ?c) (increase (total-cost) 1) (not (holding ?h ?c))))
  (:action fill-shot
    :parameters (?s - shot ?i - ingredient ?h1 ?h2 - hand ?d - dispenser)
    :precondition (and
      (holding ?h1 ?s) (handempty ?h2) (dispenses ?d ?i) (empty ?s) (clean ?s))
    :effect (and
      (contains ?s ?i) (used ?s ?i) (increase (total-cost) 10) (not (empty ?s))
      (not (clean ?s))))
  (:action refill-shot
    :parameters (?s - shot ?i - ingredient ?h1 ?h2 - hand ?d - dispenser)
    :precondition (and
      (holding ?h1 ?s) (handempty ?h2) (dispenses ?d ?i) (empty ?s) (used ?s ?i))
    :effect (and (contains ?s ?i) (increase (total-cost) 10) (not (empty ?s))))
  (:action empty-shot
    :parameters (?h - hand ?p - shot ?b - beverage)
    :precondition (and (holding ?h ?p) (contains ?p ?b))
    :effect (and (empty ?p) (increase (total-cost) 1) (not (contains ?p ?b))))
  (:action clean-shot
    :parameters (?s - shot ?b - beverage ?h1 ?h2 - hand)
    :precondition (and (holding ?h1 ?s) (handempty ?h2) (empty ?s) (used ?s ?b))
    :effect (and (clean ?s) (increase (total-cost) 1) (not (used ?s ?b))))
  (:action pour-shot-to-clean-shaker
    :parameters (?s - shot ?i - ingredient ?d - shaker ?h1 - hand ?l ?l1 - level)
    :precondition (and
      (holding ?h1 ?s) (contains ?s ?i) (empty ?d) (clean ?d) (shaker-level ?d ?l)
      (next ?l ?l1))
    :effect (and
      (empty ?s) (contains ?d ?i) (unshaked ?d) (shaker-level ?d ?l1)
      (increase (total-cost) 1) (not (contains ?s ?i)) (not (empty ?d)) (not (clean ?d))
      (not (shaker-level ?d ?l))))
  (:action pour-shot-to-used-shaker
    :parameters (?s - shot ?i - ingredient ?d - shaker ?h1 - hand ?l ?l1 - level)
    :precondition (and
      (holding ?h1 ?s) (contains ?s ?i) (unshaked ?d) (shaker-level ?d ?l) (next ?l ?l1))
    :effect (and
      (contains ?d ?i) (empty ?s) (shaker-level ?d ?l1) (increase (total-cost) 1)
      (not (contains ?s ?i)) (not (shaker-level ?d ?l))))
  (:action empty-shaker
    :parameters (?h - hand ?s - shaker ?b - cocktail ?l ?l1 - level)
    :precondition (and
      (holding ?h ?s) (contains ?s ?b) (shaked ?s) (shaker-level ?s ?l)
      (shaker-empty-level ?s ?l1))
    :effect (and
      (shaker-level ?s ?l1) (empty ?s) (increase (total-cost) 1) (not (shaked ?s))
      (not (shaker-level ?s ?l)) (not (contains ?s ?b))))
  (:action clean-shaker
    :parameters (?h1 ?h2 - hand ?s - shaker)
    :precondition (and (holding ?h1 ?s) (handempty ?h2) (empty ?s))
    :effect (and (clean ?s) (increase (total-cost) 1)))
  (:action shake
    :parameters (?b - cocktail ?d1 ?d2 - ingredient ?s - shaker ?h1 ?h2 - hand)
    :precondition (and
      (holding ?h1 ?s) (handempty ?h2) (contains ?s ?d1) (contains ?s ?d2)
      (cocktail-part1 ?b ?d1) (cocktail-part2 ?b ?d2) (unshaked ?s))
    :effect (and
      (shaked ?s) (contains ?s ?b) (increase (total-cost) 1) (not (unshaked ?s))
      (not (contains ?s ?d1)) (not (contains ?s ?d2))))
  (:action pour-shaker-to-shot
    :parameters (?b - beverage ?d - shot ?h - hand ?s - shaker ?l ?l1 - level)
    :precondition (and
      (holding ?h ?s) (shaked ?s) (empty ?d) (clean ?d) (contains ?s ?b)
      (shaker-level ?s ?l) (next ?l1 ?l))
    :effect (and
      (contains ?d ?b) (used ?d ?b) (shaker-level ?s ?l1) (increase (total-cost) 1)
      (not (clean ?d)) (not (empty ?d)) (not (shaker-level ?s ?l)))))
"""


def generate(draws: Draws) -> Made:
    """3 ingredients, 3, 5 or 7 cocktails, 5, 7 or 9 shot glasses, of which all but one are to hold
    something: every cocktail once, then any cocktail or ingredient.

    The plan mixes drink after drink, with the last glass as a measure.
    """
    ingredients = [f"ingredient{k}" for k in (1, 2, 3)]
    cocktails = [f"cocktail{k + 1}" for k in range(draws.measure(3, 5, 7))]
    shots = [f"shot{k + 1}" for k in range(draws.measure(5, 7, 9))]
    *glasses, measure = shots
    parts = {one: draws.some_of(ingredients, 2) for one in cocktails}
    drinks: list[str] = draws.shuffled(cocktails)[: len(glasses)]
    while len(drinks) < len(glasses):
        drinks.append(draws.one_of([*cocktails, *ingredients]))
    wanted = dict(zip(glasses, drinks, strict=True))
    atoms = ["clean shaker1", "empty shaker1", "ontable shaker1", "shaker-empty-level shaker1 l0"]
    atoms += ["shaker-level shaker1 l0", "handempty left", "handempty right"]
    atoms += ["next l0 l1", "next l1 l2"]
    for shot in shots:
        atoms += [f"ontable {shot}", f"clean {shot}", f"empty {shot}"]
    for k, one in enumerate(ingredients, 1):
        atoms.append(f"dispenses dispenser{k} {one}")
    for one, (first, second) in parts.items():
        atoms += [f"cocktail-part1 {one} {first}", f"cocktail-part2 {one} {second}"]
    plan: list[tuple[str, ...]] = []
    for glass, drink in wanted.items():
        if drink in ingredients:
            by = f"dispenser{drink[-1]}"
            plan += [("grasp", "left", glass), ("fill-shot", glass, drink, "left", "right", by)]
            plan.append(("leave", "left", glass))
            continue
        first, second = parts[drink]
        plan.append(("grasp", "left", measure))
        pours = (("clean", first, "l0", "l1"), ("used", second, "l1", "l2"))
        for word, one, before, after in pours:
            plan += [
                ("fill-shot", measure, one, "left", "right", f"dispenser{one[-1]}"),
                (f"pour-shot-to-{word}-shaker", measure, one, "shaker1", "left", before, after),
                ("clean-shot", measure, one, "left", "right"),
            ]
        plan += [
            ("leave", "left", measure),
            ("grasp", "left", "shaker1"),
            ("shake", drink, first, second, "shaker1", "left", "right"),
            ("pour-shaker-to-shot", drink, glass, "left", "shaker1", "l2", "l1"),
            ("empty-shaker", "left", "shaker1", drink, "l1", "l0"),
            ("clean-shaker", "left", "right", "shaker1"),
            ("leave", "left", "shaker1"),
        ]
    objects = {
        "shaker": ["shaker1"], "hand": ["left", "right"], "shot": shots,
        "ingredient": ingredients, "cocktail": cocktails,
        "dispenser": ["dispenser1", "dispenser2", "dispenser3"], "level": ["l0", "l1", "l2"],
    }  # fmt: skip
    goal = [f"contains {glass} {drink}" for glass, drink in wanted.items()]
    cost = value("total-cost")
    return problem_of(draws, "barman", objects, atoms, goal, None, cost), plan
