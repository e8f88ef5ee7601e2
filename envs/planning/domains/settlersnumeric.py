"""Settlers who fell timber, break stone, make iron, and build houses, rails and ships."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

from stratagym.envs.planning.domains.making import Draws, Made, compared, mended, problem_of, value
from stratagym.envs.planning.pddl import Formula, Problem

PDDL = """\
(define (domain civ)
  (:types
    place vehicle - store resource)
  (:constants
    timber wood coal stone iron ore - resource)
  (:predicates
    (connected-by-land ?p1 ?p2 - place) (connected-by-rail ?p1 ?p2 - place)
    (connected-by-sea ?p1 ?p2 - place) (woodland ?p - place) (mountain ?p - place)
    (metalliferous ?p - place) (by-coast ?p - place) (has-cabin ?p - place)
    (has-coal-stack ?p - place) (has-quarry ?p - place) (has-mine ?p - place)
    (has-sawmill ?p - place) (has-ironworks ?p - place) (has-docks ?p - place)
    (has-wharf ?p - place) (is-train ?v - vehicle) (is-ship ?v - vehicle)
    (is-at ?v - vehicle ?p - place) (potential ?v - vehicle))
  (:functions
    (available ?r - resource ?s - store) (space-in ?v - vehicle) (carts-at ?l - place)
    (labour) (resource-use) (pollution) (housing ?p - place))
  (:action load
    :parameters (?v - vehicle ?p - place ?r - resource)
    :precondition (and (is-at ?v ?p) (> (available ?r ?p) 0) (> (space-in ?v) 0))
    :effect (and
      (decrease (space-in ?v) 1) (increase (available ?r ?v) 1)
      (decrease (available ?r ?p) 1) (increase (labour) 1)))
  (:action unload
    :parameters (?v - vehicle ?p - place ?r - resource)
    :precondition (and (is-at ?v ?p) (> (available ?r ?v) 0))
    :effect (and
      (increase (space-in ?v) 1) (decrease (available ?r ?v) 1)
      (increase (available ?r ?p) 1) (increase (labour) 1)))
  (:action move-empty-cart
    :parameters (?p1 ?p2 - place)
    :precondition (and (connected-by-land ?p1 ?p2) (>= (carts-at ?p1) 1))
    :effect (and
      (decrease (carts-at ?p1) 1) (increase (carts-at ?p2) 1) (increase (labour) 2)))
  (:action move-laden-cart
    :parameters (?p1 ?p2 - place ?r - resource)
    :precondition (and
      (connected-by-land ?p1 ?p2) (>= (carts-at ?p1) 1) (>= (available ?r ?p1) 1))
    :effect (and
      (decrease (carts-at ?p1) 1) (increase (carts-at ?p2) 1)
      (decrease (available ?r ?p1) 1) (increase (available ?r ?p2) 1) (increase (labour) 2)))
  (:action move-train
    :parameters (?v - vehicle ?p1 ?p2 - place)
    :precondition (and
      (is-train ?v) (connected-by-rail ?p1 ?p2) (is-at ?v ?p1) (>= (available coal ?v) 1))
    :effect (and
      (is-at ?v ?p2) (decrease (available coal ?v) 1) (increase (pollution) 1)
      (not (is-at ?v ?p1))))
  (:action move-ship
    :parameters (?v - vehicle ?p1 ?p2 - place)
    :precondition (and
      (is-ship ?v) (connected-by-sea ?p1 ?p2) (is-at ?v ?p1) (>= (available coal ?v) 2))
    :effect (and
      (is-at ?v ?p2) (decrease (available coal ?v) 2) (increase (pollution) 2)
      (not (is-at ?v ?p1))))
  (:action build-cabin
    :parameters (?p - place)
    :precondition (and (woodland ?p))
    :effect (and (increase (labour) 1) (has-cabin ?p)))
  (:action build-quarry
    :parameters (?p - place)
    :precondition (and (mountain ?p))
    :effect (and (increase (labour) 2) (has-quarry ?p)))
  (:action build-coal-stack
    :parameters (?p - place)
    :precondition (and (>= (available timber ?p) 1))
    :effect (and
      (increase (labour) 2) (decrease (available timber ?p) 1) (has-coal-stack ?p)))
  (:action build-sawmill
    :parameters (?p - place)
    :precondition (and (>= (available timber ?p) 2))
    :effect (and (increase (labour) 2) (decrease (available timber ?p) 2) (has-sawmill ?p)))
  (:action build-mine
    :parameters (?p - place)
    :precondition (and (metalliferous ?p) (>= (available wood ?p) 2))
    :effect (and (increase (labour) 3) (decrease (available wood ?p) 2) (has-mine ?p)))
  (:action build-ironworks
    :parameters (?p - place)
    :precondition (and (>= (available stone ?p) 2) (>= (available wood ?p) 2))
    :effect (and
      (increase (labour) 3) (decrease (available stone ?p) 2)
      (decrease (available wood ?p) 2) (has-ironworks ?p)))
  (:action build-docks
    :parameters (?p - place)
    :precondition (and (by-coast ?p) (>= (available stone ?p) 2) (>= (available wood ?p) 2))
    :effect (and
      (decrease (available stone ?p) 2) (decrease (available wood ?p) 2)
      (increase (labour) 2) (has-docks ?p)))
  (:action build-wharf
    :parameters (?p - place)
    :precondition (and
      (has-docks ?p) (>= (available stone ?p) 2) (>= (available iron ?p) 2))
    :effect (and
      (decrease (available stone ?p) 2) (decrease (available iron ?p) 2)
      (increase (labour) 2) (has-wharf ?p)))
  (:action build-rail
    :parameters (?p1 ?p2 - place)
    :precondition (and
      (connected-by-land ?p1 ?p2) (>= (available wood ?p1) 1) (>= (available iron ?p1) 1))
    :effect (and
      (decrease (available wood ?p1) 1) (decrease (available iron ?p1) 1)
      (increase (labour) 2) (connected-by-rail ?p1 ?p2)))
  (:action build-house
    :parameters (?p - place)
    :precondition (and (>= (available wood ?p) 1) (>= (available stone ?p) 1))
    :effect (and
      (increase (housing ?p) 1) (decrease (available wood ?p) 1)
      (decrease (available stone ?p) 1)))
  (:action build-cart
    :parameters (?p - place)
    :precondition (and (>= (available timber ?p) 1))
    :effect (and
      (decrease (available timber ?p) 1) (increase (carts-at ?p) 1) (increase (labour) 1)))
  (:action build-train
    :parameters (?p - place ?v - vehicle)
    :precondition (and (potential ?v) (>= (available iron ?p) 2))
    :effect (and
      (decrease (available iron ?p) 2) (is-at ?v ?p) (is-train ?v) (assign (space-in ?v) 5)
      (assign (available timber ?v) 0) (assign (available wood ?v) 0)
      (assign (available coal ?v) 0) (assign (available stone ?v) 0)
      (assign (available iron ?v) 0) (assign (available ore ?v) 0) (increase (labour) 2)
      (not (potential ?v))))
  (:action build-ship
    :parameters (?p - place ?v - vehicle)
    :precondition (and (potential ?v) (>= (available iron ?p) 4))
    :effect (and
      (has-wharf ?p) (decrease (available iron ?p) 4) (is-at ?v ?p) (is-ship ?v)
      (assign (space-in ?v) 10) (assign (available timber ?v) 0)
      (assign (available wood ?v) 0) (assign (available coal ?v) 0)
      (assign (available stone ?v) 0) (assign (available iron ?v) 0)
      (assign (available ore ?v) 0) (increase (labour) 3) (not (potential ?v))))
  (:action fell-timber
    :parameters (?p - place)
    :precondition (and (has-cabin ?p))
    :effect (and (increase (available timber ?p) 1) (increase (labour) 1)))
  (:action break-stone
    :parameters (?p - place)
    :precondition (and (has-quarry ?p))
    :effect (and
      (increase (available stone ?p) 1) (increase (labour) 1) (increase (resource-use) 1)))
  (:action mine-ore
    :parameters (?p - place)
    :precondition (and (has-mine ?p))
    :effect (and (increase (available ore ?p) 1) (increase (resource-use) 2)))
  (:action burn-coal
    :parameters (?p - place)
    :precondition (and (has-coal-stack ?p) (>= (available timber ?p) 1))
    :effect (and
      (decrease (available timber ?p) 1) (increase (available coal ?p) 1)
      (increase (pollution) 1)))
  (:action saw-wood
    :parameters (?p - place)
    :precondition (and (has-sawmill ?p) (>= (available timber ?p) 1))
    :effect (and (decrease (available timber ?p) 1) (increase (available wood ?p) 1)))
  (:action make-iron
    :parameters (?p - place)
    :precondition (and
      (has-ironworks ?p) (>= (available ore ?p) 1) (>= (available coal ?p) 2))
    :effect (and
      (decrease (available ore ?p) 1) (decrease (available coal ?p) 2)
      (increase (available iron ?p) 1) (increase (pollution) 2))))
"""


STRICT_PDDL = mended(
    PDDL,
    ("(and (potential ?v) (>= (available iron ?p) 4))",
     "(and (potential ?v) (has-wharf ?p) (>= (available iron ?p) 4))"),
    ("(has-wharf ?p) (decrease (available iron ?p) 4)", "(decrease (available iron ?p) 4)"),
)  # fmt: skip
"""A ship needs a wharf, and does not give one."""
_RESOURCES = ("timber", "wood", "coal", "stone", "iron", "ore")


def generate(draws: Draws) -> Made:
    """4, 8 or 15 places, 5, 7 or 15 vehicles, about 6, 34 or 90 links by land and 0, 4 or 20 by sea
    (both ways counted), 1, 8 or 25 parts of the goal.

    The plan makes everything at one place in the woods and brings it by one cart.
    """
    return _Land(draws).made()


class _Land:
    """The land, what has been built and stored, and the plan so far."""

    def __init__(self, draws: Draws):
        self.draws = draws
        self.places = [f"location{k}" for k in range(draws.measure(4, 8, 15))]
        self.vehicles = [f"vehicle{k}" for k in range(draws.measure(5, 7, 15))]
        order = draws.shuffled(self.places)
        links = {frozenset((one, draws.one_of(order[:k]))) for k, one in enumerate(order) if k}
        pairs = [frozenset((a, b)) for k, a in enumerate(self.places) for b in self.places[:k]]
        more = draws.shuffled(pair for pair in pairs if pair not in links)
        links |= set(more[: max(0, draws.measure(6, 34, 90) // 2 - len(links))])
        self.links = {(a, b) for pair in links for a in pair for b in pair if a != b}
        coast = draws.some_of(self.places, max(2, len(self.places) // 3))
        seas = [frozenset((a, b)) for k, a in enumerate(coast) for b in coast[:k]]
        seas = draws.some_of(seas, draws.measure(0, 4, 20) // 2)
        self.seas = {(a, b) for pair in seas for a in pair for b in pair if a != b}
        self.kinds = {
            "woodland": self.some(0.6), "mountain": self.some(0.35),
            "metalliferous": self.some(0.35), "by-coast": coast,
        }  # fmt: skip
        self.base = self.kinds["woodland"][0]
        self.store: dict[tuple[str, str], int] = {}
        self.built: set[tuple[str, str]] = set()
        self.cart = ""
        self.plan: list[tuple[str, ...]] = []

    def some(self, share: float) -> list[str]:
        """Some of the places, one at least."""
        found = [place for place in self.places if self.draws.happens(share)]
        return found or [self.draws.one_of(self.places)]

    def path(self, start: str, to: str) -> list[str]:
        came: dict[str, str | None] = {start: None}
        queue = deque([start])
        while to not in came:
            here = queue.popleft()
            for one in self.places:
                if (here, one) in self.links and one not in came:
                    came[one] = here
                    queue.append(one)
        steps: list[str] = []
        at: str | None = to
        while at is not None:
            steps.append(at)
            at = came[at]
        return steps[::-1]

    def change(self, resource: str, place: str, by: int) -> None:
        self.store[resource, place] = self.store.get((resource, place), 0) + by

    def carry(self, resource: str, start: str, to: str) -> None:
        """Bring one unit by the cart, which is built before the first time."""
        if start == to:
            return
        if not self.cart:
            self.make("timber", self.base)
            self.plan.append(("build-cart", self.base))
            self.change("timber", self.base, -1)
            self.cart = self.base
        way = self.path(self.cart, start)
        for here, there in pairwise(way):
            self.plan.append(("move-empty-cart", here, there))
        way = self.path(start, to)
        for here, there in pairwise(way):
            self.plan.append(("move-laden-cart", here, there, resource))
        self.cart = to
        self.change(resource, start, -1)
        self.change(resource, to, 1)

    def build(self, what: str, place: str) -> None:
        """A building, with all that it takes, if it does not stand yet."""
        if (what, place) in self.built:
            return
        costs = {
            "cabin": (), "quarry": (), "coal-stack": ("timber",), "sawmill": ("timber",) * 2,
            "mine": ("wood",) * 2, "ironworks": ("stone",) * 2 + ("wood",) * 2,
            "docks": ("stone",) * 2 + ("wood",) * 2, "wharf": ("stone",) * 2 + ("iron",) * 2,
        }[what]  # fmt: skip
        if what == "wharf":
            self.build("docks", place)
        self.gather(costs, place)
        self.plan.append((f"build-{what}", place))
        self.spend(costs, place)
        self.built.add((what, place))

    def gather(self, costs: tuple[str, ...], place: str) -> None:
        """See to it that all of this is at a place at the same time."""
        while lacking := [
            one
            for one in dict.fromkeys(costs)
            if self.store.get((one, place), 0) < costs.count(one)
        ]:
            # What is made first may be used up for what is made then: look again.
            self.make(lacking[0], place)

    def spend(self, costs: tuple[str, ...], place: str) -> None:
        for resource in costs:
            self.change(resource, place, -1)

    def make(self, resource: str, place: str) -> None:
        """One more unit of a resource at a place."""
        sources = {"timber": "woodland", "stone": "mountain", "ore": "metalliferous"}
        works = {"timber": "cabin", "stone": "quarry", "ore": "mine"}
        if resource in sources:
            able = self.kinds[sources[resource]]
            at = place if place in able else (self.base if self.base in able else able[0])
            self.build(works[resource], at)
            verb = {"timber": "fell-timber", "stone": "break-stone", "ore": "mine-ore"}[resource]
            self.plan.append((verb, at))
        else:
            at = self.base
            works_at, needs, verb = {
                "wood": ("sawmill", ("timber",), "saw-wood"),
                "coal": ("coal-stack", ("timber",), "burn-coal"),
                "iron": ("ironworks", ("ore", "coal", "coal"), "make-iron"),
            }[resource]
            self.build(works_at, at)
            self.gather(needs, at)
            self.plan.append((verb, at))
            self.spend(needs, at)
        self.change(resource, at, 1)
        self.carry(resource, at, place)

    def made(self) -> Made:
        draws, strict = self.draws, self.draws.variant == "strict"
        count = draws.measure(1, 8, 25)
        seen: set[tuple[str, ...]] = set()
        goal: list[str] = []
        others = []
        ships = 0
        while len(seen) < count:
            kind = draws.one_of(("rail", "rail", "housing", "sawmill", "ironworks", "coal", "ship"))
            place = draws.one_of(self.places)
            if kind == "rail":
                other = draws.one_of([b for a, b in sorted(self.links) if a == place])
                key: tuple[str, ...] = (kind, place, other)
            else:
                key = (kind, place) if kind != "ship" else (kind, str(ships))
            if key in seen or (kind == "ship" and ships == len(self.vehicles)):
                continue
            seen.add(key)
            if kind == "rail":
                self.gather(("wood", "iron"), place)
                self.plan.append(("build-rail", place, other))
                self.spend(("wood", "iron"), place)
                goal.append(f"connected-by-rail {place} {other}")
            elif kind == "housing":
                houses = draws.between(1, 2)
                for _ in range(houses):
                    self.gather(("wood", "stone"), place)
                    self.plan.append(("build-house", place))
                    self.spend(("wood", "stone"), place)
                others.append(compared(">=", value(f"housing {place}"), houses))
            elif kind == "ship":
                at = self.kinds["by-coast"][0]
                if strict:
                    self.build("wharf", at)
                self.gather(("iron",) * 4, at)
                self.plan.append(("build-ship", at, self.vehicles[ships]))
                self.spend(("iron",) * 4, at)
                goal.append(f"is-ship {self.vehicles[ships]}")
                ships += 1
            else:
                what = "coal-stack" if kind == "coal" else kind
                self.build(what, place)
                goal.append(f"has-{what} {place}")
        return self.problem(goal, others), self.plan

    def problem(self, goal: list[str], others: list[Formula]) -> Problem:
        draws = self.draws
        atoms = [f"{kind} {place}" for kind, places in self.kinds.items() for place in places]
        atoms += [f"connected-by-land {a} {b}" for a, b in sorted(self.links)]
        atoms += [f"connected-by-sea {a} {b}" for a, b in sorted(self.seas)]
        atoms += [f"potential {one}" for one in self.vehicles]
        values = {f"available {r} {place}": 0.0 for place in self.places for r in _RESOURCES}
        for place in self.places:
            values |= {f"carts-at {place}": 0, f"housing {place}": 0}
        values |= {"labour": 0, "resource-use": 0, "pollution": 0}
        weights = [("number", float(draws.between(0, 3))) for _ in range(3)]
        parts = [
            ("*", weight, value(name))
            for weight, name in zip(weights, ("pollution", "resource-use", "labour"), strict=True)
        ]
        metric = ("+", ("+", parts[0], parts[1]), parts[2])
        objects = {"place": self.places, "vehicle": self.vehicles}
        return problem_of(draws, "civ", objects, atoms, goal, values, metric, others)
