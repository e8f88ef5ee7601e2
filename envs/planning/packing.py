"""Ground actions as the two arrays of a ``Task``."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stratagym.envs.planning import task as layout
from stratagym.envs.planning.task import ASSIGN, INCREASE, NOT, Task

_LISTS = 3
"""Sections that hold a condition: atoms true, atoms false, comparisons."""


@dataclass(slots=True)
class GroundEffect:
    """What an action does if a condition holds; literals, atoms and sums as in ``lifted``."""

    condition: tuple[Any, ...]
    adds: list[Any] = field(default_factory=list)
    dels: list[Any] = field(default_factory=list)
    changes: list[Any] = field(default_factory=list)


@dataclass(slots=True)
class GroundAction:
    """An action: its schema, its objects, the ways in which it can be applied, what it does."""

    schema: int
    args: tuple[int, ...]
    conditions: list[tuple[Any, ...]] = field(default_factory=list)
    effects: list[GroundEffect] = field(default_factory=list)


class _Packer:
    """Collects expressions and comparisons, which many conditions share."""

    def __init__(self, number: Mapping[Any, int], reached: set[Any], values: Mapping[Any, int]):
        self.number, self.reached, self.values = number, reached, values
        self.expressions: dict[Any, int] = {}
        self.comparisons: dict[Any, int] = {}

    def expression(self, constant: float, factors: Iterable[tuple[Any, float]]) -> int:
        key = constant, tuple((self.values[place], factor) for place, factor in factors)
        return self.expressions.setdefault(key, len(self.expressions))

    def comparison(self, literal: Any) -> int:
        kind, constant, factors = literal
        key = kind, self.expression(constant, factors)
        return self.comparisons.setdefault(key, len(self.comparisons))

    def condition(self, literals: Iterable[Any]) -> tuple[list[int], list[int], list[int]]:
        """(atoms true, atoms false, comparisons) of a way; what is never true is not listed."""
        pre, neg, num = [], [], []
        for sign, what in literals:
            if sign == "+":
                pre.append(self.number[what])
            elif sign == "-":
                if what in self.reached:
                    neg.append(self.number[what])
            else:
                num.append(self.comparison(what))
        return pre, neg, num


def pack(
    actions: Sequence[GroundAction],
    goal: Sequence[Any],
    number: Mapping[Any, int],
    reached: set[Any],
    values: Mapping[Any, int],
    first: Sequence[float],
    metric: Any,
    true: Iterable[Any],
) -> Task:
    """The arrays.

    Args:
        goal: the ways in which it can hold. number: of each atom. reached: those of them that
            actions can make true. values: the number of each number. first: the numbers at the
            start. metric: a sum or None. true: atoms at the start.
    """
    packer = _Packer(number, reached, values)
    op_action: list[int] = []
    action_ops, action_effects = [0], [0]
    conditions: list[list[list[int]]] = [[], [], []]
    effect_conditions: list[list[list[int]]] = [[], [], []]
    adds: list[list[int]] = []
    dels: list[list[int]] = []
    changes, change_rows = [0], []
    factors = {values[place]: factor for place, factor in metric[1].items()} if metric else {}
    costs = np.zeros(len(actions))
    for k, action in enumerate(actions):
        for one in action.conditions:
            op_action.append(k)
            for lists, listed in zip(conditions, packer.condition(one), strict=True):
                lists.append(listed)
        action_ops.append(len(op_action))
        for effect in action.effects:
            if any(s == "+" and what not in reached for s, what in effect.condition):
                continue  # never holds
            if not (effect.adds or effect.dels or effect.changes):
                continue
            for lists, listed in zip(
                effect_conditions, packer.condition(effect.condition), strict=True
            ):
                lists.append(listed)
            added = dict.fromkeys(number[atom] for atom in effect.adds)
            gone = (number[atom] for atom in effect.dels if atom in reached)
            adds.append(list(added))
            dels.append([atom for atom in dict.fromkeys(gone) if atom not in added])
            for kind, place, (constant, terms) in effect.changes:
                value = values[place]
                change_rows.append(
                    (
                        value,
                        ASSIGN if kind == "assign" else INCREASE,
                        packer.expression(constant, terms.items()),
                    )
                )
                if kind != "assign" and not terms and not effect.condition:
                    costs[k] += factors.get(value, 0.0) * constant
            changes.append(len(change_rows))
        action_effects.append(len(adds))
    goals: list[list[list[int]]] = [[], [], []]
    for way in goal:
        for lists, listed in zip(goals, packer.condition(way), strict=True):
            lists.append(listed)
    atom_ops: list[list[int]] = [[] for _ in number]
    for operator, pre in enumerate(conditions[0]):
        for atom in pre:
            atom_ops[atom].append(operator)

    sections: dict[int, Any] = {
        layout.OP_ACTION: op_action,
        layout.ACTION_OPS: action_ops,
        layout.ACTION_EFFECTS: action_effects,
        layout.CHANGES: changes,
        layout.CHANGE_VALUE: [row[0] for row in change_rows],
        layout.CHANGE_KIND: [row[1] for row in change_rows],
        layout.CHANGE_EXPRESSION: [row[2] for row in change_rows],
        layout.COMPARISON_EXPRESSION: [expression for _, expression in packer.comparisons],
        layout.COMPARISON_KIND: [kind for kind, _ in packer.comparisons],
        layout.MISSING: [len(pre) for pre in conditions[0]],
    }
    lists_of: dict[int, list[list[int]]] = {
        **{layout.PRE + k: conditions[k] for k in range(_LISTS)},
        **{layout.EFFECT_PRE + k: effect_conditions[k] for k in range(_LISTS)},
        **{layout.GOAL_PRE + k: goals[k] for k in range(_LISTS)},
        layout.ADD: adds,
        layout.DEL: dels,
        layout.EXPRESSION: [[value for value, _ in terms] for _, terms in packer.expressions],
        layout.ATOM_OPS: atom_ops,
    }
    parts: list[np.ndarray] = [np.zeros(layout.SECTIONS + layout.FLOATS, np.int64)]
    header, at = parts[0], len(parts[0])

    def put(numbers: Any) -> int:
        nonlocal at
        parts.append(np.asarray(numbers, np.int64))
        at += len(parts[-1])
        return at - len(parts[-1])

    for section, numbers in sections.items():
        header[section] = put(numbers)
    begins = 0
    for section, lists in lists_of.items():
        flat = [one for listed in lists for one in listed]
        begins = put(flat)
        ends = np.cumsum([0, *map(len, lists)])
        header[section] = put(begins + ends)
        if section == layout.EXPRESSION:
            first_factor = begins

    floats: list[np.ndarray] = []
    room = 0

    def put_floats(numbers: Any) -> int:
        nonlocal room
        floats.append(np.asarray(numbers, np.float64))
        room += len(floats[-1])
        return room - len(floats[-1])

    float_sections = {
        layout.FACTORS: [factor for _, terms in packer.expressions for _, factor in terms],
        layout.CONSTANTS: [constant for constant, _ in packer.expressions],
        layout.FIRST_VALUES: first,
        layout.SCALES: _scales(packer, goals[2], first),
        layout.METRIC: [factors.get(k, 0.0) for k in range(len(values))],
        layout.COSTS: costs,
    }
    for section, numbers in float_sections.items():
        header[layout.SECTIONS + section] = put_floats(numbers)
    header[layout.SECTIONS + layout.FACTORS] -= first_factor
    bits = np.zeros(max(1, (len(number) + 63) // 64), np.uint64)
    for atom in true:
        bits[number[atom] >> 6] |= np.uint64(1) << np.uint64(number[atom] & 63)
    return Task(
        atoms=len(number),
        values=len(values),
        actions=len(actions),
        operators=len(op_action),
        ways=len(goal),
        has_metric=int(metric is not None),
        ints=np.concatenate(parts).astype(np.int32),
        floats=np.concatenate(floats),
        first=bits,
    )


def _scales(
    packer: _Packer, comparisons: Iterable[Iterable[int]], first: Sequence[float]
) -> np.ndarray:
    """What observations divide each number by: the largest of 1, its start, its bound in the goal.

    The bound is the constant of a comparison of the number alone.
    """
    scales = np.maximum(1.0, np.nan_to_num(np.abs(np.asarray(first, np.float64)), nan=1.0))
    expressions, kinds = list(packer.expressions), list(packer.comparisons)
    for comparison in {one for listed in comparisons for one in listed}:
        constant, terms = expressions[kinds[comparison][1]]
        if len(terms) == 1:
            value, factor = terms[0]
            scales[value] = max(scales[value], abs(constant / factor) if factor else 0.0)
    return scales


__all__ = ["NOT", "GroundAction", "GroundEffect", "pack"]
