"""How hard a planning problem looks: applicable actions, and pairs of states and actions.

``applicable`` is the mean number of actions that can be taken along a plan, in the states before
its steps; ``state_actions`` the logarithm of the number of (state, applicable action) pairs that
can be reached: exact by breadth-first search up to a million states, else an estimate.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numba import njit

from stratagym.benchmarks.planning.tasks import Item
from stratagym.envs.core import mix64
from stratagym.envs.planning import task as engine
from stratagym.envs.planning.grounding import Grounded

MOST_STATES = 1_000_000
UNBOUNDED = ("markettrader", "settlersnumeric", "sugar")
"""Domains whose numbers have no bounds, and which therefore have no number of states."""
WALKS, WALK = 20, 50


@dataclass(frozen=True)
class Complexity:
    """One problem's figures.

    Attributes:
        applicable: mean number of actions along the plan, ``from_walks`` where there is none.
        applicable_initial: at the start. state_actions: log10 of the pairs; None without bounds.
        is_exact: whether they were counted.
    """

    applicable: float
    applicable_initial: int
    from_walks: bool
    state_actions: float | None
    is_exact: bool

    def record(self) -> dict[str, Any]:
        return asdict(self)


@njit(cache=True, nogil=True)
def _along(task, plan, bits, values, fired, fresh, legal):
    """(sum of the numbers of applicable actions before each step, the number at the start)."""
    total, first = 0, 0
    for k in range(plan.shape[0]):
        n = engine.applicable(task, bits, values, legal)
        total += n
        if k == 0:
            first = n
        engine.apply(task, plan[k], bits, values, fired, fresh)
    return total, first


@njit(cache=True, nogil=True)
def _walked(task, bits, values, fired, fresh, legal, steps, seed):
    """(sum of the numbers of applicable actions in a random walk, its steps)."""
    total, state = 0, np.uint64(seed)
    for k in range(steps):
        n = engine.applicable(task, bits, values, legal)
        if n == 0:
            return total, k
        total += n
        state += np.uint64(0x9E3779B97F4A7C15)
        drawn = np.int64((mix64(state) >> np.uint64(32)) * np.uint64(n) >> np.uint64(32))
        engine.apply(task, legal[drawn], bits, values, fired, fresh)
    return total, steps


@njit(cache=True, nogil=True)
def _count_pairs(task, bits, values, read, table, fired, fresh, most):
    """(states, pairs) by breadth-first search; -1 pairs where there are more states than ``most``.

    ``bits`` and ``values`` have room for ``most`` states, the first of them written; ``read``
    lists the numbers by which states are told apart; ``table`` is an open-address hash table of -1.
    """
    legal = np.empty(max(1, task.actions), np.int64)
    mask = np.uint64(table.shape[0] - 1)
    states, pairs, at = 1, 0, 0
    table[_place(bits, values, read, table, mask, 0)] = 0
    while at < states:
        n = engine.applicable(task, bits[at], values[at], legal)
        pairs += n
        for k in range(n):
            if states == most:
                return states, -1
            bits[states] = bits[at]
            values[states] = values[at]
            engine.apply(task, legal[k], bits[states], values[states], fired, fresh)
            slot = _place(bits, values, read, table, mask, states)
            if table[slot] < 0:
                table[slot] = states
                states += 1
        at += 1
    return states, pairs


@njit(cache=True)
def _place(bits, values, read, table, mask, n):
    found = np.uint64(1)
    for k in range(bits.shape[1]):
        found = mix64(found ^ bits[n, k])
    for k in read:
        found = mix64(found ^ np.uint64(np.int64(values[n, k] * 1024.0)))
    slot = found & mask
    while table[slot] >= 0:
        other, same = table[slot], True
        for k in range(bits.shape[1]):
            same &= bits[n, k] == bits[other, k]
        for k in read:
            same &= values[n, k] == values[other, k]
        if same:
            break
        slot = (slot + np.uint64(1)) & mask
    return slot


def complexity(item: Item, most: int = MOST_STATES, seed: int = 0) -> Complexity:
    """The figures of a problem.

    Args:
        most: states that are counted; with more the pairs are estimated.
    """
    task = item.grounded.task
    legal = np.zeros(max(1, task.actions), np.int64)
    if item.plan:
        scratch = engine.scratch_of(task)
        engine.start_state(task, *scratch[:2])
        total, first = _along(task, np.array(item.plan, np.int64), *scratch, legal)
        mean = total / len(item.plan)
    else:
        sums = steps = 0
        for k in range(WALKS):
            scratch = engine.scratch_of(task)
            engine.start_state(task, *scratch[:2])
            if not k:
                first = int(engine.applicable(task, *scratch[:2], legal))
            more, taken = _walked(task, *scratch, legal, WALK, np.uint64(seed + k))
            sums, steps = sums + more, steps + taken
        mean = sums / max(1, steps)
    pairs, is_exact = None, False
    if item.domain not in UNBOUNDED:
        pairs, is_exact = _pairs(item.grounded, most, max(1.0, mean))
    return Complexity(float(mean), int(first), not item.plan, pairs, is_exact)


def _pairs(grounded: Grounded, most: int, applicable: float) -> tuple[float, bool]:
    """(log10 of the number of pairs, whether they were counted)."""
    task = grounded.task
    words, numbers = max(1, (task.atoms + 63) // 64), max(1, task.values)
    bits = np.empty((most + 1, words), np.uint64)
    values = np.zeros((most + 1, numbers))
    first = engine.scratch_of(task)
    engine.start_state(task, *first[:2])
    bits[0], values[0] = first[0], first[1]
    read = engine.values_read(task)
    table = np.full(1 << (2 * most).bit_length(), -1, np.int32)
    _, pairs = _count_pairs(task, bits, values, read, table, first[2], first[3], most)
    if pairs >= 0:
        return math.log10(max(1, pairs)), True
    return estimated_states(grounded) + math.log10(applicable), False


def estimated_states(grounded: Grounded) -> float:
    """log10 of about how many states can be reached.

    Atoms of which exactly one is true at any time count as one choice; every other atom doubles
    the number, and a number counts its values between the least and the largest it can have.
    """
    task = grounded.task
    groups = exclusive_groups(grounded)
    covered = {atom for group in groups for atom in group}
    found = sum(math.log10(len(group)) for group in groups)
    found += (task.atoms - len(covered)) * math.log10(2)
    for low, high in _ranges(grounded):
        found += math.log10(high - low + 1)
    return found


def exclusive_groups(grounded: Grounded) -> list[list[int]]:
    """Disjoint groups of atoms of which one is always true, the largest first.

    For each object and each set of at most three (predicate, place of the object): the reachable
    atoms with the object there, if one is true at the start and every action that adds one of them
    adds just one, needs one and deletes it, and every action that deletes one adds one.
    """
    task, atoms = grounded.task, grounded.atoms
    by: dict[str, dict[tuple[str, int], list[int]]] = {}
    for k, (name, *args) in enumerate(atoms[: grounded.reachable]):
        for place, one in enumerate(args):
            by.setdefault(one, {}).setdefault((name, place), []).append(k)
    ints = task.ints

    def lists(section: int, n: int) -> list[list[int]]:
        begin = ints[ints[section] :][: n + 1]
        return [ints[a:b].tolist() for a, b in pairwise(begin.tolist())]

    effects = int(ints[ints[engine.ACTION_EFFECTS] + task.actions])
    adds, dels = lists(engine.ADD, effects), lists(engine.DEL, effects)
    rows = ints[ints[engine.ACTION_EFFECTS] :][: task.actions + 1].tolist()
    ops = ints[ints[engine.ACTION_OPS] :][: task.actions + 1].tolist()
    pre = lists(engine.PRE, task.operators)
    adders: dict[int, set[int]] = {}
    deleters: dict[int, set[int]] = {}
    for action in range(task.actions):
        for row in range(rows[action], rows[action + 1]):
            for atom in adds[row]:
                adders.setdefault(atom, set()).add(action)
            for atom in dels[row]:
                deleters.setdefault(atom, set()).add(action)

    def is_exclusive(group: set[int]) -> bool:
        first = sum(bool(engine.is_true.py_func(task.first, atom)) for atom in group)
        if first != 1:
            return False
        touched = set().union(*(adders.get(a, set()) | deleters.get(a, set()) for a in group))
        for action in touched:
            if rows[action + 1] - rows[action] != 1:
                return False
            row = rows[action]
            added = group & set(adds[row])
            gone = group & set(dels[row])
            needed = [group & set(pre[o]) for o in range(ops[action], ops[action + 1])]
            if len(added) != 1 or any(len(one) != 1 for one in needed):
                return False
            # What is needed is what goes; an action that adds what it needs deletes nothing.
            if any(one != (gone or added) for one in needed):
                return False
        return True

    candidates: list[set[int]] = []
    for places in by.values():
        keys = sorted(places)
        sets: list[tuple[tuple[str, int], ...]] = [(a,) for a in keys]
        sets += [(a, b) for k, a in enumerate(keys) for b in keys[k + 1 :]]
        sets += [
            (a, b, c)
            for k, a in enumerate(keys)
            for j, b in enumerate(keys[k + 1 :], k + 1)
            for c in keys[j + 1 :]
        ]
        for chosen in sets:
            group = {atom for key in chosen for atom in places[key]}
            if len(group) > 1 and is_exclusive(group):
                candidates.append(group)
    candidates.sort(key=lambda group: (-len(group), min(group)))
    found: list[list[int]] = []
    covered: set[int] = set()
    for group in candidates:
        if not group & covered:
            found.append(sorted(group))
            covered |= group
    return found


def _ranges(grounded: Grounded) -> list[tuple[float, float]]:
    """The least and the largest of each number in the goal's and conditions' comparisons."""
    task = grounded.task
    ints, floats = task.ints, task.floats
    count = int(ints[engine.COMPARISON_KIND] - ints[engine.COMPARISON_EXPRESSION])
    first = floats[ints[engine.SECTIONS + engine.FIRST_VALUES] :][: task.values]
    bounds = [[value, value] for value in np.nan_to_num(first).tolist()]
    shift = int(ints[engine.SECTIONS + engine.FACTORS])
    constants = floats[ints[engine.SECTIONS + engine.CONSTANTS] :]
    for comparison in range(count):
        expression = int(ints[ints[engine.COMPARISON_EXPRESSION] + comparison])
        at = int(ints[engine.EXPRESSION]) + expression
        begin, end = int(ints[at]), int(ints[at + 1])
        if end - begin != 1 or not floats[shift + begin]:
            continue
        bound = -float(constants[expression]) / float(floats[shift + begin])
        value = int(ints[begin])
        bounds[value][0] = min(bounds[value][0], bound)
        bounds[value][1] = max(bounds[value][1], bound)
    return [(low, high) for low, high in bounds if high > low]
