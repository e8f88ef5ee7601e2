"""Formulas over the objects of one problem: what is known at once is folded, the rest is listed.

A condition becomes a list of ways in which it can hold, each a tuple of literals: ("+", atom) must
be true, ("-", atom) false, ("#", (kind, constant, ((place, factor), ...))) is a comparison of a sum
with 0. No way at all is false; one without literals is true.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from stratagym.envs.planning.pddl import Atom, Domain, Formula, Parameters, PddlError, Problem
from stratagym.envs.planning.task import ABOVE, AT_LEAST, EQUAL, NEAR, NOT

MOST_WAYS = 4096
"""In which one condition may hold."""
MOST_STEPS = 10_000_000
"""Bindings that grounding tries at most."""
Literal = tuple[str, Any]
DNF = list[tuple[Literal, ...]]
Linear = tuple[float, dict[Any, float]]
"""A constant, and the factor of each number that can change."""


class World:
    """The objects of a problem by number, and what can change.

    Attributes:
        objects: their names. number: by name. fluents: predicates in effects. changing: functions
            in effects. static: the facts that never change, by predicate. first: the other atoms
            that are true at the start.
    """

    def __init__(self, domain: Domain, problem: Problem):
        self.domain, self.problem = domain, problem
        types = {**domain.constants, **problem.objects}
        self.objects = tuple(types)
        self.number = {name: k for k, name in enumerate(self.objects)}
        self._types = [domain.types_of(one) for one in types.values()]
        effects = [atom for schema in domain.schemas for row in rows_of(schema.effect)
                   for atom in (*row.adds, *row.dels)]  # fmt: skip
        self.fluents = {name for name, _ in effects}
        self.changing = {
            change[1]
            for schema in domain.schemas
            for row in rows_of(schema.effect)
            for change in row.changes
        }
        self.static: dict[str, dict[tuple[int, ...], None]] = {}
        self.first: list[tuple[str, tuple[int, ...]]] = []
        for name, *args in problem.atoms:
            numbers = tuple(self.number[one] for one in args)
            if name in self.fluents:
                self.first.append((name, numbers))
            else:
                self.static.setdefault(name, {})[numbers] = None
        self.numbers = {
            (name, tuple(self.number[one] for one in args)): value
            for (name, *args), value in problem.values.items()
        }
        self._steps = 0
        self._of: dict[tuple[str, ...], tuple[int, ...]] = {}

    def objects_of(self, types: tuple[str, ...]) -> tuple[int, ...]:
        """The objects of any of these types, ascending."""
        if types not in self._of:
            wanted = set(types)
            self._of[types] = tuple(k for k, own in enumerate(self._types) if own & wanted)
        return self._of[types]

    def named(self, atom: tuple[str, tuple[int, ...]]) -> Atom:
        """An atom with the names of its objects."""
        return (atom[0], *(self.objects[one] for one in atom[1]))

    def count(self, what: str) -> None:
        """Count one binding; raises ``PddlError`` where there is no end of them."""
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise PddlError(f"{self.problem.name}: over {MOST_STEPS:,} bindings, as of {what}")


@dataclass(frozen=True)
class Row:
    """One effect of a schema: for all objects of its parameters, if its condition holds."""

    parameters: Parameters
    condition: Formula
    adds: tuple[Any, ...]
    dels: tuple[Any, ...]
    changes: tuple[Any, ...]


def flattened(formula: Formula) -> list[Formula]:
    """The parts of an ``and``, of all within it too."""
    if formula[0] != "and":
        return [formula]
    return [one for part in formula[1:] for one in flattened(part)]


@lru_cache(maxsize=1024)
def _rows(effect: Formula) -> tuple[Row, ...]:
    found: dict[tuple[Parameters, Formula], tuple[list[Any], list[Any], list[Any]]] = {}

    def walk(node: Formula, parameters: Parameters, condition: tuple[Formula, ...]) -> None:
        kind, *rest = node
        if kind == "all":
            for one in rest:
                walk(one, parameters, condition)
        elif kind == "each":
            walk(rest[1], (*parameters, *rest[0]), condition)
        elif kind == "when":
            walk(rest[1], parameters, (*condition, rest[0]))
        else:
            lists = found.setdefault((parameters, ("and", *condition)), ([], [], []))
            if kind == "change":
                lists[2].append((rest[0], rest[1], rest[2], rest[3]))
            else:
                lists[kind == "del"].append((rest[0], rest[1]))

    walk(effect, (), ())
    return tuple(
        Row(parameters, condition, *map(tuple, lists))
        for (parameters, condition), lists in found.items()
    )


def rows_of(effect: Formula) -> list[Row]:
    """An effect as rows, what has the same condition together."""
    return list(_rows(effect))


class Formulas:
    """Formulas with variables bound to objects (numbers of them)."""

    def __init__(self, world: World):
        self.world = world

    def atom(self, atom: Any, env: Mapping[str, int]) -> tuple[str, tuple[int, ...]]:
        number = self.world.number
        return atom[0], tuple([env[t] if t in env else number[t] for t in atom[1]])

    def dnf(self, formula: Formula, env: Mapping[str, int], negated: bool = False) -> DNF:
        """The ways in which a formula can hold, or its negation."""
        kind = formula[0]
        if kind == "not":
            return self.dnf(formula[1], env, not negated)
        if kind == "imply":
            return self.dnf(("or", ("not", formula[1]), formula[2]), env, negated)
        if kind == "atom":
            return self._atom(formula, env, negated)
        if kind == "same":
            number = self.world.number
            one, other = (env[t] if t in env else number[t] for t in formula[1:])
            return [()] if (one == other) != negated else []
        if kind == "compare":
            return self._comparison(formula, env, negated)
        if kind in ("and", "or"):
            parts: Iterable[DNF] = (self.dnf(part, env, negated) for part in formula[1:])
        else:
            parts = self._instances(formula, env, negated)
        return _all(parts) if (kind in ("and", "forall")) != negated else _any(parts)

    def _instances(self, formula: Formula, env: Mapping[str, int], negated: bool) -> Iterable[DNF]:
        names = [name for name, _ in formula[1]]
        objects = [self.world.objects_of(types) for _, types in formula[1]]
        for values in itertools.product(*objects):
            self.world.count("a quantifier")
            yield self.dnf(formula[2], {**env, **dict(zip(names, values, strict=True))}, negated)

    def _atom(self, formula: Formula, env: Mapping[str, int], negated: bool) -> DNF:
        atom = self.atom(formula[1:], env)
        if atom[0] in self.world.fluents:
            return [(("-" if negated else "+", atom),)]
        holds = atom[1] in self.world.static.get(atom[0], ())
        return [()] if holds != negated else []

    def _comparison(self, formula: Formula, env: Mapping[str, int], negated: bool) -> DNF:
        operator, left, right = formula[1:]
        if operator in ("<=", "<"):
            left, right = right, left
        (a, ours), (b, theirs) = self.linear(left, env), self.linear(right, env)
        factors = dict(ours)
        for place, factor in theirs.items():
            factors[place] = factors.get(place, 0.0) - factor
        kind = {">=": AT_LEAST, "<=": AT_LEAST, ">": ABOVE, "<": ABOVE, "=": EQUAL}[operator]
        constant = a - b
        if not factors:
            near = abs(constant) <= NEAR
            holds = {AT_LEAST: constant >= -NEAR, ABOVE: constant > 0.0, EQUAL: near}[kind]
            if holds != negated:
                return [()]
        # What never holds stays: numbers decide nothing of what can be reached.
        literal = kind + (NOT if negated else 0), constant, tuple(factors.items())
        return [(("#", literal),)]

    def linear(self, number: Formula, env: Mapping[str, int]) -> Linear:
        """A number as a sum. Raises ``PddlError`` for what is none, such as a product of two."""
        kind = number[0]
        if kind == "number":
            return number[1], {}
        if kind == "value":
            place = self.atom(number[1:], env)
            if place[0] in self.world.changing:
                return 0.0, {place: 1.0}
            return self.world.numbers.get(place, math.nan), {}
        parts = [self.linear(part, env) for part in number[1:]]
        if kind == "-" and len(parts) == 1:
            return _times(parts[0], -1.0)
        found = parts[0]
        for part in parts[1:]:
            if kind == "+":
                found = _plus(found, part)
            elif kind == "-":
                found = _plus(found, _times(part, -1.0))
            elif kind == "*" and not (found[1] and part[1]):
                found = _times(found, part[0]) if found[1] else _times(part, found[0])
            elif kind == "/" and not part[1] and part[0] != 0:
                found = found[0] / part[0], {k: x / part[0] for k, x in found[1].items()}
            else:
                raise PddlError(f"{self.world.problem.name}: a number that is no sum, by {kind}")
        return found

    def change(self, change: Any, env: Mapping[str, int]) -> tuple[str, Any, Linear]:
        """What a change of a number comes to: its kind, the number, and the sum."""
        kind, name, terms, expression = change
        constant, factors = self.linear(expression, env)
        if kind == "decrease":
            kind, (constant, factors) = "increase", _times((constant, factors), -1.0)
        return kind, self.atom((name, terms), env), (constant, factors)


def _plus(one: Linear, other: Linear) -> Linear:
    factors = dict(one[1])
    for place, factor in other[1].items():
        factors[place] = factors.get(place, 0.0) + factor
    return one[0] + other[0], factors


def _times(one: Linear, factor: float) -> Linear:
    return one[0] * factor, {place: x * factor for place, x in one[1].items()}


def _any(parts: Iterable[DNF]) -> DNF:
    found: DNF = []
    for part in parts:
        if () in part:
            return [()]
        found += part
        if len(found) > MOST_WAYS:
            raise PddlError(f"a condition that can hold in over {MOST_WAYS:,} ways")
    return list(dict.fromkeys(found))


def _all(parts: Iterable[DNF]) -> DNF:
    found: DNF = [()]
    for part in parts:
        if len(found) * len(part) > MOST_WAYS:
            raise PddlError(f"a condition that can hold in over {MOST_WAYS:,} ways")
        if part != [()]:
            both = (
                tuple(dict.fromkeys((*one, *other)))
                for one, other in itertools.product(found, part)
            )
            found = list(dict.fromkeys(way for way in both if not _contradicts(way)))
        if not found:
            return []
    return found


def _contradicts(way: tuple[Literal, ...]) -> bool:
    false = {what for sign, what in way if sign == "-"}
    return bool(false) and any(sign == "+" and what in false for sign, what in way)
