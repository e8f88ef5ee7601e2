"""Machines put together from parts, in an order, with parts that are only needed for a time."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, problem_of

PDDL = """\
(define (domain assembly)
  (:types
    assembly resource)
  (:predicates
    (available ?x - (either resource assembly)) (complete ?a - assembly)
    (requires ?a - assembly ?r - resource) (committed ?r - resource ?a - assembly)
    (incorporated ?part ?whole - assembly) (part-of ?part ?whole - assembly)
    (to-be-removed ?part ?whole - assembly) (assemble-order ?part1 ?part2 ?whole - assembly)
    (transient-part ?part ?whole - assembly) (remove-order ?part1 ?part2 ?whole - assembly))
  (:action commit
    :parameters (?res - resource ?as - assembly)
    :precondition (and (available ?res))
    :effect (and (committed ?res ?as) (not (available ?res))))
  (:action release
    :parameters (?res - resource ?as - assembly)
    :precondition (and (committed ?res ?as))
    :effect (and (available ?res) (not (committed ?res ?as))))
  (:action assemble
    :parameters (?part ?whole - assembly)
    :precondition (and
      (forall (?res - resource) (imply (requires ?whole ?res) (committed ?res ?whole)))
      (or (part-of ?part ?whole) (transient-part ?part ?whole)) (available ?part)
      (forall (?prev - assembly)
        (imply (assemble-order ?prev ?part ?whole) (incorporated ?prev ?whole))))
    :effect (and
      (incorporated ?part ?whole)
      (when
        (and
          (not
            (exists (?p - assembly)
              (and (part-of ?p ?whole) (not (= ?p ?part)) (not (incorporated ?p ?whole)))))
          (not
            (exists (?tp - assembly)
              (and (transient-part ?tp ?whole) (incorporated ?tp ?whole)))))
        (and (complete ?whole) (available ?whole)))
      (not (available ?part))))
  (:action remove
    :parameters (?part ?whole - assembly ?res - resource)
    :precondition (and
      (forall (?res - resource) (imply (requires ?whole ?res) (committed ?res ?whole)))
      (incorporated ?part ?whole)
      (or
        (and
          (transient-part ?part ?whole)
          (forall (?prev - assembly)
            (imply (remove-order ?prev ?part ?whole) (incorporated ?prev ?whole))))
        (and
          (part-of ?part ?whole)
          (not
            (exists (?prev - assembly)
              (and (assemble-order ?prev ?part ?whole) (incorporated ?prev ?whole)))))))
    :effect (and
      (available ?part)
      (when
        (and
          (not
            (exists (?p - assembly)
              (and (part-of ?p ?whole) (not (incorporated ?p ?whole)))))
          (not
            (exists (?tp - assembly)
              (and
                (transient-part ?tp ?whole) (not (= ?tp ?part)) (incorporated ?tp ?whole)))))
        (and (complete ?whole) (available ?whole)))
      (not (incorporated ?part ?whole)))))
"""


def generate(draws: Draws) -> Made:
    """A tree of 4, 10 or 36 assemblies, 1, 3 or 6 resources, up to 2 or 11 of them required, up to
    6 or 111 parts that are transient, up to 2 or 20 orders of assembling and 1 or 5 of removing.

    The goal is that the root is complete. Every assembly is available at the start, so that only
    the parts of the root are to be joined; transient parts go in where an order asks for them, and
    out again.
    """
    names = [f"a-{k}" for k in range(draws.measure(4, 10, 36))]
    resources = [f"r{k}" for k in range(draws.measure(1, 3, 6))]
    root, order = names[0], draws.shuffled(names[1:])
    parents = {root: ""}
    level = {root: 0}
    for k, one in enumerate(order):
        # The root has two parts at least; the tree is at most four deep.
        able = [root] if k < 2 else [a for a in parents if level[a] < 4]
        parents[one] = draws.one_of(able)
        level[one] = level[parents[one]] + 1
    parts: dict[str, list[str]] = {one: [] for one in names}
    for one in order:
        parts[parents[one]].append(one)
    wholes = [one for one in names if parts[one]]
    transient = set()
    for _ in range(draws.measure(0, 6, 111)):
        whole, one = draws.one_of(wholes), draws.one_of(names[1:])
        if one != whole and one not in parts[whole]:
            transient.add((one, whole))
    required = {
        (draws.one_of(wholes), draws.one_of(resources)) for _ in range(draws.measure(0, 2, 11))
    }
    # Orders follow one drawn row of a whole's parts, so that they have no circles.
    rows = {
        whole: draws.shuffled([*parts[whole], *sorted(o for o, w in transient if w == whole)])
        for whole in wholes
    }
    joins, removals = set(), set()
    for _ in range(draws.measure(0, 2, 20)):
        whole = draws.one_of(wholes)
        if len(rows[whole]) > 1:
            first, second = sorted(draws.some_of(range(len(rows[whole])), 2))
            joins.add((rows[whole][first], rows[whole][second], whole))
    for _ in range(draws.measure(0, 1, 5)):
        whole = draws.one_of(wholes)
        loose = [one for one in rows[whole] if (one, whole) in transient]
        if loose:
            after = draws.one_of(rows[whole])
            one = draws.one_of(loose)
            if after != one and rows[whole].index(after) < rows[whole].index(one):
                removals.add((after, one, whole))
    atoms = [*(f"available {one}" for one in (*resources, *names))]
    atoms += [f"part-of {one} {whole}" for one, whole in parents.items() if whole]
    atoms += [f"transient-part {one} {whole}" for one, whole in sorted(transient)]
    atoms += [f"requires {whole} {one}" for whole, one in sorted(required)]
    atoms += [f"assemble-order {a} {b} {whole}" for a, b, whole in sorted(joins)]
    atoms += [f"remove-order {a} {b} {whole}" for a, b, whole in sorted(removals)]
    plan: list[tuple[str, ...]] = [
        ("commit", one, root) for whole, one in sorted(required) if whole == root
    ]
    needed = set(parts[root])
    while True:
        more = {a for a, b, whole in joins if whole == root and b in needed} - needed
        more |= {a for a, b, whole in removals if whole == root and b in needed} - needed
        if not more:
            break
        needed |= more
    row = [one for one in rows[root] if one in needed]
    plan += [("assemble", one, root) for one in row]
    # What must be incorporated before another is removed is removed after it.
    for one in reversed(row):
        if one not in parts[root]:
            plan.append(("remove", one, root, resources[0]))
    objects = {"resource": resources, "assembly": names}
    return problem_of(draws, "assembly", objects, atoms, [f"complete {root}"]), plan
