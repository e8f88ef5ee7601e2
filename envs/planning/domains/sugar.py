"""Sugar mills that make brands of sugar, and trucks that bring it to depots."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, compared, problem_of, value

PDDL = """\
(define (domain supply-chain)
  (:types
    brand raw-cane - sugar mill depot - location truck crane - loader
    sugar location loader farm field)
  (:predicates
    (available ?m - mill) (has-resource ?r - raw-cane ?m - mill)
    (produce ?m - mill ?b - brand) (current-process ?m - mill ?b - brand)
    (change-process ?b1 ?b2 - brand) (place-order ?r - raw-cane ?m - mill)
    (transport-to ?r - raw-cane ?m - mill) (at-location ?d - loader ?l - location)
    (connected ?l1 ?l2 - location) (busy ?m - mill) (ready-crane ?c - crane)
    (service-crane ?c - crane))
  (:functions
    (mill-cost) (cost-process ?m - mill) (process-cost ?m - mill) (resource-use)
    (unharvest-field) (truck-cap ?t - truck) (in-truck-sugar ?b - brand ?t - truck)
    (in-storage ?m - location ?b - brand) (total-distance) (distance ?l1 ?l2 - location)
    (has-resource ?r - raw-cane ?m - mill) (max-changing ?m - mill) (inventory-cost)
    (changing-product) (capacity ?c - crane) (max-service-time ?c - crane)
    (service-time ?c - crane) (handling-cost) (max-produce ?m - mill) (labour-cost))
  (:action produce_sugar
    :parameters (?r - raw-cane ?m - mill ?b - brand)
    :precondition (and
      (current-process ?m ?b) (available ?m) (produce ?m ?b) (> (has-resource ?r ?m) 0)
      (> (max-changing ?m) 0))
    :effect (and
      (increase (in-storage ?m ?b) 1) (decrease (has-resource ?r ?m) 1) (busy ?m)
      (increase (mill-cost) (cost-process ?m)) (not (available ?m))))
  (:action produce_sugar_max
    :parameters (?r - raw-cane ?m - mill ?b - brand)
    :precondition (and
      (current-process ?m ?b) (available ?m) (produce ?m ?b)
      (>= (has-resource ?r ?m) (max-produce ?m)) (> (max-changing ?m) 0))
    :effect (and
      (increase (in-storage ?m ?b) (max-produce ?m))
      (decrease (has-resource ?r ?m) (max-produce ?m)) (busy ?m)
      (increase (mill-cost) (* 5 (cost-process ?m))) (not (available ?m))))
  (:action order-sugar-cane
    :parameters (?r - raw-cane ?m - mill)
    :precondition (and (>= (has-resource ?r ?m) 0) (<= (has-resource ?r ?m) 0))
    :effect (and (place-order ?r ?m)))
  (:action setting-machine
    :parameters (?m - mill)
    :precondition (and (busy ?m))
    :effect (and (available ?m) (not (busy ?m))))
  (:action change-product
    :parameters (?m - mill ?b1 ?b2 - brand)
    :precondition (and (current-process ?m ?b1) (change-process ?b1 ?b2))
    :effect (and
      (current-process ?m ?b2) (decrease (max-changing ?m) 1) (not (current-process ?m ?b1))))
  (:action sugar-cane-farm
    :parameters (?r - raw-cane ?m - mill)
    :precondition (and (place-order ?r ?m) (> (unharvest-field) 0))
    :effect (and
      (decrease (unharvest-field) 1) (increase (has-resource ?r ?m) 5)
      (increase (inventory-cost) 10) (not (place-order ?r ?m))))
  (:action sugar-cane-mills
    :parameters (?r - raw-cane ?m1 ?m2 - mill)
    :precondition (and (place-order ?r ?m1) (> (has-resource ?r ?m2) 0))
    :effect (and
      (increase (has-resource ?r ?m1) 1) (decrease (has-resource ?r ?m2) 1)
      (decrease (inventory-cost) 1) (not (place-order ?r ?m1))))
  (:action load_truck_crane
    :parameters (?b - brand ?t - truck ?l - location ?c - crane)
    :precondition (and
      (at-location ?t ?l) (at-location ?c ?l) (>= (in-storage ?l ?b) (capacity ?c))
      (>= (truck-cap ?t) (capacity ?c)) (ready-crane ?c))
    :effect (and
      (decrease (in-storage ?l ?b) (capacity ?c)) (decrease (truck-cap ?t) (capacity ?c))
      (increase (in-truck-sugar ?b ?t) (capacity ?c)) (increase (handling-cost) 10)))
  (:action check-service
    :parameters (?c - crane ?l - location)
    :precondition (and
      (at-location ?c ?l) (>= (service-time ?c) 0) (<= (service-time ?c) 0))
    :effect (and
      (service-crane ?c) (increase (service-time ?c) (max-service-time ?c))
      (not (ready-crane ?c))))
  (:action maintainence-crane
    :parameters (?c - crane ?l - location)
    :precondition (and (at-location ?c ?l) (service-crane ?c))
    :effect (and (ready-crane ?c)))
  (:action load-truck-manual
    :parameters (?b - brand ?t - truck ?l - location)
    :precondition (and (at-location ?t ?l) (> (in-storage ?l ?b) 0) (> (truck-cap ?t) 0))
    :effect (and
      (decrease (in-storage ?l ?b) 1) (decrease (truck-cap ?t) 1)
      (increase (in-truck-sugar ?b ?t) 1) (increase (handling-cost) 1)))
  (:action drive_truck
    :parameters (?t - truck ?y1 ?y2 - location)
    :precondition (and (at-location ?t ?y1) (connected ?y1 ?y2))
    :effect (and (at-location ?t ?y2) (not (at-location ?t ?y1))))
  (:action unload_truck
    :parameters (?b - brand ?t - truck ?l - location)
    :precondition (and (at-location ?t ?l) (> (in-truck-sugar ?b ?t) 0))
    :effect (and
      (increase (in-storage ?l ?b) 1) (decrease (in-truck-sugar ?b ?t) 1)
      (increase (truck-cap ?t) 1))))
"""


_CHANGES = 3
"""How often a mill may change its brand, and stand still after the last."""


def generate(draws: Draws) -> Made:
    """2 or 3 mills, 3 depots, 4 brands, 2 trucks, 3 cranes; 1, 3 or 5 storages that are to
    hold 1 to 5 units of a brand.

    The plan makes unit after unit and carries it by hand. Numbers that published problems do not
    give are not given here either.
    """
    while True:
        found = _drawn(draws)
        if found:
            return found


def _drawn(draws: Draws) -> Made | None:
    mills = [f"mill{k}" for k in range(1, draws.measure(2, 3, 3) + 1)]
    depots = [f"depot{k}" for k in (1, 2, 3)]
    brands = [f"brand{k}" for k in (1, 2, 3, 4)]
    cranes = [f"crane{k}" for k in (1, 2, 3)]
    cane = "sugar-cane"
    places = [*depots, *mills]
    makes = {mill: draws.some_of(brands, draws.between(2, 4)) for mill in mills}
    now = {mill: draws.one_of(makes[mill]) for mill in mills}
    have = {mill: draws.between(3, 10) for mill in mills}
    truck_at = {"truck1": "depot1", "truck2": "depot2"}
    atoms = [f"connected {a} {b}" for a in places for b in places if a != b]
    atoms += [f"change-process {a} {b}" for a in brands for b in brands if a != b]
    atoms += [f"at-location {truck} {place}" for truck, place in truck_at.items()]
    for mill in mills:
        atoms += [f"available {mill}", f"current-process {mill} {now[mill]}"]
        atoms += [f"produce {mill} {brand}" for brand in makes[mill]]
    for crane, mill in zip(cranes, mills, strict=False):
        atoms += [f"at-location {crane} {mill}", f"ready-crane {crane}"]
    values: dict[str, float] = {
        "mill-cost": 0, "inventory-cost": 0, "handling-cost": 0, "unharvest-field": 10,
    }  # fmt: skip
    for mill in mills:
        values |= {f"has-resource {cane} {mill}": have[mill], f"max-changing {mill}": _CHANGES}
        values |= {
            f"cost-process {mill}": draws.between(1, 3),
            f"max-produce {mill}": draws.between(5, 10),
        }
    for place in places:
        own = makes.get(place, brands)
        values |= {f"in-storage {place} {brand}": 0 for brand in own}
    for truck in truck_at:
        values[f"truck-cap {truck}"] = 10
        values |= {f"in-truck-sugar {brand} {truck}": 0 for brand in brands}
    for crane, _ in zip(cranes, mills, strict=False):
        served = draws.between(5, 15)
        values |= {f"capacity {crane}": draws.between(3, 5), f"service-time {crane}": served}
        values[f"max-service-time {crane}"] = served
    able = [brand for brand in brands if any(brand in own for own in makes.values())]
    pairs = [(depot, brand) for depot in depots for brand in able]
    orders = {pair: draws.between(1, 5) for pair in draws.some_of(pairs, draws.measure(1, 3, 5))}
    plan: list[tuple[str, ...]] = []
    field = 10
    truck, here, changes = "truck1", truck_at["truck1"], dict.fromkeys(mills, _CHANGES)

    def go(place: str) -> None:
        nonlocal here
        if here != place:
            plan.append(("drive_truck", truck, here, place))
            here = place

    for (depot, brand), wanted in sorted(orders.items(), key=lambda order: order[0][1]):
        mill = next((one for one in mills if now[one] == brand), "")
        mill = mill or max(
            (one for one in mills if brand in makes[one]), key=lambda one: changes[one]
        )
        if now[mill] != brand:
            if changes[mill] < 2:
                return None
            plan.append(("change-product", mill, now[mill], brand))
            now[mill] = brand
            changes[mill] -= 1
        go(mill)
        for _ in range(wanted):
            if not have[mill]:
                field -= 1
                if field < 0:
                    return None
                plan += [("order-sugar-cane", cane, mill), ("sugar-cane-farm", cane, mill)]
                have[mill] += 5
            have[mill] -= 1
            plan += [("produce_sugar", cane, mill, brand), ("setting-machine", mill)]
            plan.append(("load-truck-manual", brand, truck, mill))
        go(depot)
        plan += [("unload_truck", brand, truck, depot)] * wanted
    others = [
        compared(">=", value(f"in-storage {depot} {brand}"), wanted)
        for (depot, brand), wanted in orders.items()
    ]
    objects = {
        "brand": brands, "raw-cane": [cane], "truck": list(truck_at), "depot": depots,
        "mill": mills, "crane": cranes,
    }  # fmt: skip
    return problem_of(draws, "supply-chain", objects, atoms, [], values, others=others), plan
