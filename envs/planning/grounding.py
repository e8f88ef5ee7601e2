"""From a lifted problem to arrays: what can be reached, and what each action does to it.

Reachable is what some sequence of actions reaches if nothing is ever deleted and all negative and
numeric conditions on what changes hold. Atoms and numbers that no action changes are folded away.
Actions are numbered by their schema, in the order of the file, and their objects, in the order in
which they are declared; atoms and numbers in the same way.
"""

from __future__ import annotations

import gc
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

from stratagym.envs.planning.lifted import DNF, Formulas, Literal, Row, World, flattened, rows_of
from stratagym.envs.planning.packing import GroundAction, GroundEffect, pack
from stratagym.envs.planning.pddl import Atom, Domain, PddlError, Problem, Schema
from stratagym.envs.planning.task import Task

MOST_ACTIONS, MOST_ATOMS = 2_000_000, 65_536
Ground = tuple[str, tuple[int, ...]]
"""A name and the numbers of its objects."""


@dataclass(frozen=True)
class Grounded:
    """A problem with its arrays and the names of what they number.

    Attributes:
        atoms, values, actions: names with their arguments, by number. reachable: how many of the
            atoms can be reached; the others are only in the goal.
    """

    domain: Domain
    problem: Problem
    task: Task
    atoms: tuple[Atom, ...]
    values: tuple[Atom, ...]
    actions: tuple[Atom, ...]
    reachable: int
    always: frozenset[Atom] = field(repr=False)

    @cached_property
    def action_of(self) -> Mapping[Atom, int]:
        """The number of each action."""
        return {action: k for k, action in enumerate(self.actions)}

    @cached_property
    def atom_of(self) -> Mapping[Atom, int]:
        """The number of each atom that can change."""
        return {atom: k for k, atom in enumerate(self.atoms)}

    @cached_property
    def value_of(self) -> Mapping[Atom, int]:
        """The number of each value that can change."""
        return {value: k for k, value in enumerate(self.values)}


def ground(domain: Domain, problem: Problem) -> Grounded:
    """A problem as arrays.

    Raises:
        PddlError: it has too many actions or atoms, or an action that means nothing, such as one
            that assigns and increases one number.
    """
    # Everything that is made here stays. To look for garbage in it, again and again as it grows,
    # takes twice as long as all the rest.
    collects = gc.isenabled()
    gc.disable()
    try:
        return _Grounding(domain, problem).grounded()
    finally:
        if collects:
            gc.enable()


class _Step:
    """How one atom of a condition is joined to what is bound already."""

    def __init__(self, name: str, terms: tuple[int, ...], bound: set[int]):
        # A term is the number of a parameter, or below 0 that of an object: -1 - object.
        self.name = name
        self.given = tuple(
            (place, term) for place, term in enumerate(terms) if term < 0 or term in bound
        )
        self.places = tuple(place for place, _ in self.given)
        self.is_test = len(self.given) == len(terms)
        # Of a variable that stands twice the second place is compared.
        self.binds = tuple(
            (place, term) for place, term in enumerate(terms) if term >= 0 and term not in bound
        )


class _Joins:
    """A schema's condition as joins, one for every atom that may come last."""

    def __init__(self, number: int, schema: Schema, world: World):
        self.number, self.schema = number, schema
        self.allowed = [world.objects_of(types) for _, types in schema.parameters]
        self.sets = [frozenset(objects) for objects in self.allowed]
        names = [name for name, _ in schema.parameters]
        self.variables = names
        parts = flattened(schema.condition)
        atoms = [part for part in parts if part[0] == "atom"]
        self.rest = tuple(part for part in parts if part[0] != "atom")
        self.atoms = [
            (
                part[1],
                tuple(
                    names.index(term) if term in names else -1 - world.number[term]
                    for term in part[2]
                ),
            )
            for part in atoms
        ]
        self.fluent = [k for k, (name, _) in enumerate(self.atoms) if name in world.fluents]
        self.rows: list[Row] = rows_of(schema.effect)
        self.done: set[tuple[int, ...]] = set()

    def _price(self, k: int, bound: set[int], world: World) -> tuple[int, int]:
        """What is joined first: atoms that bind nothing, then those that bind least."""
        name, terms = self.atoms[k]
        free = len({t for t in terms if t >= 0 and t not in bound})
        size = len(world.static.get(name, ())) if name not in world.fluents else 1 << 30
        return free, size

    def plan(self, first: int | None, world: World) -> tuple[list[_Step], list[int]]:
        """The steps after atom ``first`` has been bound, and the parameters that none binds."""
        bound = set() if first is None else {t for t in self.atoms[first][1] if t >= 0}
        left = [k for k in range(len(self.atoms)) if k != first]
        steps = []
        while left:
            best = min(left, key=partial(self._price, bound=bound, world=world))
            left.remove(best)
            steps.append(_Step(*self.atoms[best], bound))
            bound |= {t for t in self.atoms[best][1] if t >= 0}
        return steps, [k for k in range(len(self.variables)) if k not in bound]


@dataclass(slots=True)
class _Waiting:
    """A way for an action or an effect to be reached: the atoms that it still waits for."""

    missing: int
    then: Any


class _Grounding:
    def __init__(self, domain: Domain, problem: Problem):
        self.domain, self.problem = domain, problem
        self.world = World(domain, problem)
        self.formulas = Formulas(self.world)
        self.known: dict[str, set[tuple[int, ...]]] = {}
        self.index: dict[str, dict[tuple[int, ...], dict[tuple[int, ...], list[Any]]]] = {}
        self.reached: dict[Ground, None] = {}
        self.queue: list[Ground] = []
        self.waiting: dict[Ground, list[_Waiting]] = {}
        self.actions: dict[tuple[int, tuple[int, ...]], GroundAction] = {}
        self.joins = [_Joins(k, schema, self.world) for k, schema in enumerate(domain.schemas)]
        self.triggers: dict[str, list[tuple[_Joins, int, list[_Step], list[int]]]] = {}
        self.at_start: list[tuple[_Joins, list[_Step], list[int]]] = []
        for joins in self.joins:
            if not joins.fluent:
                self.at_start.append((joins, *joins.plan(None, self.world)))
            for k in joins.fluent:
                plan = joins.plan(k, self.world)
                self.triggers.setdefault(joins.atoms[k][0], []).append((joins, k, *plan))
        for _, steps, _ in self.at_start:
            self._make_indexes(steps)
        for listed in self.triggers.values():
            for _, _, steps, _ in listed:
                self._make_indexes(steps)

    def _make_indexes(self, steps: Iterable[_Step]) -> None:
        for step in steps:
            if not step.is_test:
                self.index.setdefault(step.name, {}).setdefault(step.places, {})

    # --- what is reached -------------------------------------------------------------------------

    def _explore(self) -> None:
        for name, facts in self.world.static.items():
            for args in facts:
                self._know(name, args)
        for atom in self.world.first:
            self._reach(atom)
        for joins, steps, free in self.at_start:
            self._join(joins, steps, free, 0, [-1] * len(joins.variables))
        at = 0
        while at < len(self.queue):
            name, args = self.queue[at]
            at += 1
            self._know(name, args)
            for joins, k, steps, free in self.triggers.get(name, ()):
                env = [-1] * len(joins.variables)
                if self._unify(joins, joins.atoms[k][1], args, env):
                    self._join(joins, steps, free, 0, env)
            for one in self.waiting.pop((name, args), ()):
                one.missing -= 1
                if not one.missing:
                    one.then()

    def _know(self, name: str, args: tuple[int, ...]) -> None:
        self.known.setdefault(name, set()).add(args)
        for places, table in self.index.get(name, {}).items():
            table.setdefault(tuple(args[p] for p in places), []).append(args)

    def _reach(self, atom: Ground) -> None:
        if atom not in self.reached:
            self.reached[atom] = None
            self.queue.append(atom)
            if len(self.reached) > MOST_ATOMS:
                raise PddlError(f"{self.problem.name}: over {MOST_ATOMS:,} atoms, as {atom[0]}")

    def _reach_all(self, atoms: Iterable[Ground]) -> None:
        for atom in atoms:
            self._reach(atom)

    @staticmethod
    def _unify(
        joins: _Joins, terms: tuple[int, ...], args: tuple[int, ...], env: list[int]
    ) -> bool:
        for term, value in zip(terms, args, strict=True):
            if term < 0:
                if -1 - term != value:
                    return False
            elif env[term] < 0:
                if value not in joins.sets[term]:
                    return False
                env[term] = value
            elif env[term] != value:
                return False
        return True

    def _join(
        self, joins: _Joins, steps: list[_Step], free: list[int], k: int, env: list[int]
    ) -> None:
        while k < len(steps):
            step = steps[k]
            key = tuple([env[term] if term >= 0 else -1 - term for _, term in step.given])
            if step.is_test:
                if key not in self.known.get(step.name, ()):
                    return
                k += 1
                continue
            for args in tuple(self.index[step.name][step.places].get(key, ())):
                self.world.count(joins.schema.name)
                ours = env.copy()
                for place, term in step.binds:
                    value = args[place]
                    if ours[term] < 0 and value in joins.sets[term]:
                        ours[term] = value
                    elif ours[term] != value:
                        break
                else:
                    self._join(joins, steps, free, k + 1, ours)
            return
        if not free:
            self._instance(joins, tuple(env))
            return
        for values in itertools.product(*(joins.allowed[place] for place in free)):
            self.world.count(joins.schema.name)
            for place, value in zip(free, values, strict=True):
                env[place] = value
            self._instance(joins, tuple(env))

    def _instance(self, joins: _Joins, args: tuple[int, ...]) -> None:
        """An action all of whose atoms that stand in no ``or`` and the like are reached."""
        if args in joins.done:
            return
        joins.done.add(args)
        env = dict(zip(joins.variables, args, strict=True))
        ways: DNF = [()]
        if joins.rest:
            ways = self.formulas.dnf(("and", *joins.rest), env)
        if not ways:
            return
        own = [
            (name, tuple([args[t] if t >= 0 else -1 - t for t in terms]))
            for name, terms in joins.atoms
            if name in self.world.fluents
        ]
        action = GroundAction(joins.number, args)
        for way in ways:
            condition = tuple(dict.fromkeys([*(("+", atom) for atom in own), *way]))
            self._await(way, lambda c=condition: self._reach_action(joins, action, c, env))

    def _await(self, way: Iterable[Literal], then: Any) -> None:
        """Call ``then`` as soon as all atoms are reached that a condition needs."""
        missing = []
        for sign, atom in way:
            if sign == "+" and atom[1] not in self.known.get(atom[0], ()):
                missing.append(atom)
        if not missing:
            then()
            return
        one = _Waiting(len(missing), then)
        for atom in missing:
            self.waiting.setdefault(atom, []).append(one)

    def _reach_action(
        self, joins: _Joins, action: GroundAction, condition: Any, env: dict[str, int]
    ) -> None:
        action.conditions.append(condition)
        if len(action.conditions) > 1:
            return
        self.actions[action.schema, action.args] = action
        if len(self.actions) > MOST_ACTIONS:
            raise PddlError(
                f"{self.problem.name}: over {MOST_ACTIONS:,} actions, as {joins.schema.name}"
            )
        plain = GroundEffect(())
        action.effects.append(plain)
        for row in joins.rows:
            for inner in self._bindings(row, env):
                self._effect(row, action, plain, inner)

    def _bindings(self, row: Row, env: dict[str, int]) -> Iterator[dict[str, int]]:
        if not row.parameters:
            yield env
            return
        objects = [self.world.objects_of(types) for _, types in row.parameters]
        for values in itertools.product(*objects):
            self.world.count("a quantified effect")
            names = (name for name, _ in row.parameters)
            yield {**env, **dict(zip(names, values, strict=True))}

    def _effect(
        self, row: Row, action: GroundAction, plain: GroundEffect, env: dict[str, int]
    ) -> None:
        formulas = self.formulas
        ways: DNF = [()]
        if row.condition != ("and",):
            ways = formulas.dnf(row.condition, env)
        adds = [formulas.atom(atom, env) for atom in row.adds]
        dels = [formulas.atom(atom, env) for atom in row.dels]
        changes = [formulas.change(change, env) for change in row.changes]
        if changes and len(ways) > 1:
            name = self.domain.schemas[action.schema].name
            raise PddlError(f"{name}: a condition with an or before a change of a number")
        for way in ways:
            effect = plain
            if way:
                effect = GroundEffect(way)
                action.effects.append(effect)
            effect.adds += adds
            effect.dels += dels
            effect.changes += changes
            self._await(way, partial(self._reach_all, adds))

    # --- numbers for all of it -------------------------------------------------------------------

    def grounded(self) -> Grounded:
        self._explore()
        world, domain = self.world, self.domain
        goal = self.formulas.dnf(self.problem.goal, {})
        order = {name: k for k, name in enumerate(domain.predicates)}
        reached = sorted(self.reached, key=lambda atom: (order[atom[0]], atom[1]))
        number = {atom: k for k, atom in enumerate(reached)}
        for way in goal:
            for sign, atom in way:
                if sign == "+":
                    number.setdefault(atom, len(number))
        actions = [self.actions[key] for key in sorted(self.actions)]
        for action in actions:
            self._check_changes(action)
        self.actions = {}
        metric = None
        if self.problem.metric is not None:
            metric = self.formulas.linear(self.problem.metric, {})
        places = self._values(actions, goal, metric)
        values = {place: k for k, place in enumerate(places)}
        first = [
            self.problem.values.get(world.named(place), 0.0 if place == TOTAL_COST else math.nan)
            for place in places
        ]
        task = pack(actions, goal, number, set(reached), values, first, metric, [*world.first])
        return Grounded(
            domain,
            self.problem,
            task,
            tuple(world.named(atom) for atom in number),
            tuple(world.named(place) for place in places),
            tuple(
                (domain.schemas[a.schema].name, *(world.objects[o] for o in a.args))
                for a in actions
            ),
            len(reached),
            frozenset(
                (name, *(world.objects[o] for o in args))
                for name, facts in world.static.items()
                for args in facts
            ),
        )

    def _check_changes(self, action: GroundAction) -> None:
        """No number is assigned and changed besides by one action."""
        if len(action.effects) == 1 and len(action.effects[0].changes) < 2:
            return
        seen: dict[Any, str] = {}
        for effect in action.effects:
            for kind, place, _ in effect.changes:
                if place in seen and "assign" in (kind, seen[place]):
                    name = self.domain.schemas[action.schema].name
                    told = " ".join(self.world.named(place))
                    raise PddlError(f"{name} assigns ({told}) and changes it besides")
                seen[place] = kind

    def _values(self, actions: list[GroundAction], goal: DNF, metric: Any) -> list[Ground]:
        """The numbers that can change and that anything depends on or is told of."""
        found: set[Ground] = set()

        def of_literals(literals: Iterable[Literal]) -> None:
            for sign, what in literals:
                if sign == "#":
                    found.update(place for place, _ in what[2])

        for way in goal:
            of_literals(way)
        for action in actions:
            for condition in action.conditions:
                of_literals(condition)
            for effect in action.effects:
                of_literals(effect.condition)
                for _, place, (_, factors) in effect.changes:
                    found.add(place)
                    found.update(factors)
        found.update(metric[1] if metric else ())
        found.update(
            (name, tuple(self.world.number[one] for one in args))
            for name, *args in self.problem.values
            if name in self.world.changing
        )
        order = {name: k for k, name in enumerate(self.domain.functions)}
        return sorted(found, key=lambda place: (order[place[0]], place[1]))


TOTAL_COST: Ground = ("total-cost", ())
"""The one number that is 0 where a problem does not give it."""
