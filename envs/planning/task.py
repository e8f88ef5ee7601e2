"""A grounded planning problem as arrays, and the compiled engine for all problems.

A state is a set of true atoms (bit ``a & 63`` of word ``a >> 6``) and a row of numbers. Everything
else is ``Task``: two arrays, with what belongs to one operator, effect or expression next to each
other. ``ints`` begins with the places of its sections (``OP_ACTION``, ...); lists are a section of
places in ``ints``, one more than there are lists, and list k stands from the k-th place to the
next. Another problem is other numbers, so nothing is compiled for it.

An action has an operator for each way in which its condition can hold, and its effects once. Within
an action all conditions and numbers are read from the state before it; then atoms are deleted, then
added, then numbers change. A number that was never given is NaN, and every comparison with it is
false.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

(
    OP_ACTION,  # the action of each operator
    ACTION_OPS,  # by action, its first operator; they stand in a row
    PRE,  # by operator, atoms that must be true
    NEG,  # by operator, atoms that must be false
    NUM,  # by operator, comparisons that must hold
    ACTION_EFFECTS,  # by action, its first effect; they stand in a row
    EFFECT_PRE,
    EFFECT_NEG,
    EFFECT_NUM,
    ADD,  # by effect, atoms that become true
    DEL,  # by effect, atoms that become false
    CHANGES,  # by effect, changes of numbers
    CHANGE_VALUE,  # by change, the number that changes
    CHANGE_KIND,  # by change, INCREASE or ASSIGN
    CHANGE_EXPRESSION,
    EXPRESSION,  # by expression, the numbers in its sum; their factors stand in ``floats``
    COMPARISON_EXPRESSION,
    COMPARISON_KIND,  # of the expression with 0
    GOAL_PRE,  # by way in which the goal can hold, atoms that must be true
    GOAL_NEG,
    GOAL_NUM,
    ATOM_OPS,  # by atom, the operators that need it to be true
    MISSING,  # by operator, how many atoms must be true
    SECTIONS,
) = range(24)
FACTORS, CONSTANTS, FIRST_VALUES, SCALES, METRIC, COSTS, FLOATS = range(7)
"""Places of the sections of ``floats``, which stand in ``ints`` from ``SECTIONS`` on.

FACTORS: what is added to a place in a list of ``EXPRESSION`` for its factor. CONSTANTS: of sums.
FIRST_VALUES: the numbers at the start. SCALES: what observations divide numbers by. METRIC: the
factor of each number in what is to be made small. COSTS: by action, what it adds to that.
"""
_ZERO, _LOW = np.uint64(0), np.uint64(0xFFFF)
INCREASE, ASSIGN = 0, 1
AT_LEAST, ABOVE, EQUAL, NOT = 0, 1, 2, 4
"""Kinds of comparisons; ``NOT`` is added where one must not hold."""
NEAR = 1e-7
"""How far from 0 a sum may be where it must be 0, or at least 0: PDDL's numbers are decimals, and
doubles round them. What must be above 0 is compared as it is, as the validator Kairos does."""


class Task(NamedTuple):
    """A grounded problem. ``Rules`` of the game has the same fields, and others besides.

    Attributes:
        atoms, values, actions, operators: how many there are. ways: in which the goal can hold.
        has_metric: whether there is something to be made small.
        ints, floats: everything else. first: the words of the atoms that are true at the start.
    """

    atoms: int
    values: int
    actions: int
    operators: int
    ways: int
    has_metric: int
    ints: np.ndarray
    floats: np.ndarray
    first: np.ndarray


# --- states --------------------------------------------------------------------------------------


@njit(cache=True, inline="always")
def is_true(bits, atom):
    """Whether an atom is true."""
    return (bits[atom >> 6] >> np.uint64(atom & 63)) & np.uint64(1) != _ZERO


@njit(cache=True, inline="always")
def make_true(bits, atom):
    bits[atom >> 6] |= np.uint64(1) << np.uint64(atom & 63)


@njit(cache=True, inline="always")
def make_false(bits, atom):
    bits[atom >> 6] &= ~(np.uint64(1) << np.uint64(atom & 63))


@njit(cache=True)
def start_state(task, bits, values):
    """Write the state at the start; words and numbers beyond the task's own become 0."""
    own = (task.atoms + 63) >> 6
    for k in range(bits.shape[0]):
        bits[k] = task.first[k] if k < own else np.uint64(0)
    at = task.ints[SECTIONS + FIRST_VALUES]
    for k in range(values.shape[0]):
        values[k] = task.floats[at + k] if k < task.values else 0.0


# The functions with an underscore take ``ints`` and ``floats`` of the task. To read an array out of
# a tuple counts a reference, which takes longer than most of what is done here: whoever has a loop
# reads the two once.


@njit(cache=True, inline="always")
def _total(ints, floats, expression, values):
    at = ints[EXPRESSION] + expression
    found, shift = floats[ints[SECTIONS + CONSTANTS] + expression], ints[SECTIONS + FACTORS]
    for k in range(ints[at], ints[at + 1]):
        found += floats[shift + k] * values[ints[k]]
    return found


@njit(cache=True)
def total(task, expression, values):
    """The sum that an expression stands for."""
    return _total(task.ints, task.floats, expression, values)


@njit(cache=True, inline="always")
def _compares(ints, floats, comparison, values):
    found = _total(ints, floats, ints[ints[COMPARISON_EXPRESSION] + comparison], values)
    kind = ints[ints[COMPARISON_KIND] + comparison]
    bare = kind & 3
    if bare == AT_LEAST:
        holds = found >= -NEAR
    else:
        holds = found > 0.0 if bare == ABOVE else abs(found) <= NEAR
    return holds != (kind >= NOT)


@njit(cache=True)
def compares(task, comparison, values):
    """Whether a comparison holds."""
    return _compares(task.ints, task.floats, comparison, values)


@njit(cache=True, inline="always")
def _holds(ints, floats, pre, neg, num, k, bits, values):
    """Whether list k of three sections holds: atoms true, atoms false, comparisons."""
    at = ints[pre] + k
    for j in range(ints[at], ints[at + 1]):
        if not is_true(bits, ints[j]):
            return False
    return _rest_holds(ints, floats, neg, num, k, bits, values)


@njit(cache=True, inline="always")
def _rest_holds(ints, floats, neg, num, k, bits, values):
    at = ints[neg] + k
    for j in range(ints[at], ints[at + 1]):
        if is_true(bits, ints[j]):
            return False
    at = ints[num] + k
    for j in range(ints[at], ints[at + 1]):
        if not _compares(ints, floats, ints[j], values):
            return False
    return True


@njit(cache=True, inline="always")
def _is_applicable(ints, floats, action, bits, values):
    at = ints[ACTION_OPS] + action
    for operator in range(ints[at], ints[at + 1]):
        if _holds(ints, floats, PRE, NEG, NUM, operator, bits, values):
            return True
    return False


@njit(cache=True)
def is_applicable(task, action, bits, values):
    """Whether an action's condition holds."""
    return _is_applicable(task.ints, task.floats, action, bits, values)


@njit(cache=True)
def any_applicable(task, bits, values):
    """Whether the condition of any action holds."""
    ints, floats = task.ints, task.floats
    for operator in range(task.operators):
        if _holds(ints, floats, PRE, NEG, NUM, operator, bits, values):
            return True
    return False


@njit(cache=True)
def applicable(task, bits, values, out):
    """Write the actions whose conditions hold into ``out``, ascending; returns how many.

    ``out`` has room for every action: first it counts what each still misses.
    """
    ints, floats, n = task.ints, task.floats, 0
    if task.operators != task.actions:
        for action in range(task.actions):
            if _is_applicable(ints, floats, action, bits, values):
                out[n] = action
                n += 1
        return n
    missing = ints[MISSING]
    for operator in range(task.operators):
        out[operator] = ints[missing + operator]
    for word in range((task.atoms + 63) >> 6):
        left, atom = bits[word], word << 6
        while left != _ZERO:
            if left & _LOW == _ZERO:
                left >>= np.uint64(16)
                atom += 16
                continue
            if left & np.uint64(1) != _ZERO:
                at = ints[ATOM_OPS] + atom
                for k in range(ints[at], ints[at + 1]):
                    out[ints[k]] -= 1
            left >>= np.uint64(1)
            atom += 1
    for operator in range(task.operators):
        if out[operator] == 0 and _rest_holds(ints, floats, NEG, NUM, operator, bits, values):
            out[n] = operator
            n += 1
    return n


@njit(cache=True, inline="always")
def _goal_holds(ints, floats, ways, bits, values):
    for way in range(ways):
        if _holds(ints, floats, GOAL_PRE, GOAL_NEG, GOAL_NUM, way, bits, values):
            return True
    return False


@njit(cache=True)
def goal_holds(task, bits, values):
    """Whether the goal holds."""
    return _goal_holds(task.ints, task.floats, task.ways, bits, values)


@njit(cache=True)
def goals_met(task, bits, values, out):
    """Write 1 or 0 for each part of the goal, way after way; returns how many parts there are."""
    ints, floats, n = task.ints, task.floats, 0
    for way in range(task.ways):
        at = ints[GOAL_PRE] + way
        for k in range(ints[at], ints[at + 1]):
            out[n] = is_true(bits, ints[k])
            n += 1
        at = ints[GOAL_NEG] + way
        for k in range(ints[at], ints[at + 1]):
            out[n] = not is_true(bits, ints[k])
            n += 1
        at = ints[GOAL_NUM] + way
        for k in range(ints[at], ints[at + 1]):
            out[n] = _compares(ints, floats, ints[k], values)
            n += 1
    return n


@njit(cache=True)
def metric_of(task, values):
    """What is to be made small, in this state; numbers that were never given count as 0."""
    found, at = 0.0, task.ints[SECTIONS + METRIC]
    for k in range(task.values):
        factor = task.floats[at + k]
        if factor != 0.0 and values[k] == values[k]:  # no NaN
            found += factor * values[k]
    return found


# --- actions -------------------------------------------------------------------------------------


@njit(cache=True)
def apply(task, action, bits, values, fired, fresh):
    """Change the state as an action does whose condition holds.

    ``fired`` (uint64 words, a bit for each effect of the action) and ``fresh`` (float64, one for
    each change of a number) are scratch, all 0 before and after.
    """
    _apply(task.ints, task.floats, action, bits, values, fired, fresh)


@njit(cache=True, inline="always")
def _apply(ints, floats, action, bits, values, fired, fresh):
    at = ints[ACTION_EFFECTS] + action
    first, end = ints[at], ints[at + 1]
    n = 0
    for effect in range(first, end):
        if _holds(ints, floats, EFFECT_PRE, EFFECT_NEG, EFFECT_NUM, effect, bits, values):
            make_true(fired, effect - first)
            at = ints[CHANGES] + effect
            for change in range(ints[at], ints[at + 1]):
                fresh[n] = _total(ints, floats, ints[ints[CHANGE_EXPRESSION] + change], values)
                n += 1
    for effect in range(first, end):
        if is_true(fired, effect - first):
            at = ints[DEL] + effect
            for k in range(ints[at], ints[at + 1]):
                make_false(bits, ints[k])
    n = 0
    for effect in range(first, end):
        if not is_true(fired, effect - first):
            continue
        make_false(fired, effect - first)
        at = ints[ADD] + effect
        for k in range(ints[at], ints[at + 1]):
            make_true(bits, ints[k])
        at = ints[CHANGES] + effect
        for change in range(ints[at], ints[at + 1]):
            value = ints[ints[CHANGE_VALUE] + change]
            if ints[ints[CHANGE_KIND] + change] == ASSIGN:
                values[value] = fresh[n]
            else:
                values[value] += fresh[n]
            fresh[n] = 0.0
            n += 1


@njit(cache=True, nogil=True)
def run_plan(task, actions, bits, values, fired, fresh):
    """Apply actions to a state until one cannot be; returns its index, or how many there are."""
    ints, floats = task.ints, task.floats
    return _run_plan(ints, floats, actions, 0, actions.shape[0], bits, values, fired, fresh)


@njit(cache=True, inline="always")
def _run_plan(ints, floats, actions, begin, end, bits, values, fired, fresh):
    """``run_plan`` of a part of ``actions``; the index is within it."""
    for k in range(begin, end):
        if not _is_applicable(ints, floats, actions[k], bits, values):
            return k - begin
        _apply(ints, floats, actions[k], bits, values, fired, fresh)
    return end - begin


@njit(cache=True, nogil=True)
def run_to_goal(task, actions, bits, values, fired, fresh):
    """Apply actions until the goal holds or one cannot be applied; returns how many were."""
    for k in range(actions.shape[0]):
        if goal_holds(task, bits, values) or not is_applicable(task, actions[k], bits, values):
            return k
        apply(task, actions[k], bits, values, fired, fresh)
    return actions.shape[0]


def scratch_of(task: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """(bits, values, fired, fresh) for one state of a task, outside of a record."""
    effects = np.diff(task.ints[task.ints[ACTION_EFFECTS] :][: task.actions + 1])
    words = (task.atoms + 63) // 64
    return (
        np.zeros(max(1, words), np.uint64),
        np.zeros(max(1, task.values)),
        np.zeros(1 + int(effects.max(initial=0)) // 64, np.uint64),
        np.zeros(max(1, most_changes(task))),
    )


def most_effects(task: Any) -> int:
    """The most effects, with and without a condition, that an action has."""
    return int(np.diff(task.ints[task.ints[ACTION_EFFECTS] :][: task.actions + 1]).max(initial=0))


def most_changes(task: Any) -> int:
    """The most changes of numbers that an action has."""
    effects = task.ints[task.ints[ACTION_EFFECTS] :][: task.actions + 1]
    if not task.actions:
        return 0
    changes = task.ints[task.ints[CHANGES] :][: int(effects[-1]) + 1]
    return int(np.diff(changes[effects]).max(initial=0))


def values_read(task: Any) -> np.ndarray:
    """The numbers that decide what can be done or whether the goal holds, (n,) int64 ascending.

    Those of comparisons, and those that such numbers are changed by. Two states that differ in
    other numbers only, such as the cost so far, can be gone on from in the same way.
    """
    ints = task.ints
    sums = ints[ints[EXPRESSION] :]
    first, last = int(ints[COMPARISON_EXPRESSION]), int(ints[COMPARISON_KIND])
    to_do = {int(k) for e in ints[first:last] for k in ints[sums[e] : sums[e + 1]]}
    effects = int(ints[ints[ACTION_EFFECTS] + task.actions])
    changes = int(ints[ints[CHANGES] + effects])
    by: dict[int, set[int]] = {}
    for change in range(changes):
        expression = int(ints[ints[CHANGE_EXPRESSION] + change])
        terms = ints[sums[expression] : sums[expression + 1]].tolist()
        by.setdefault(int(ints[ints[CHANGE_VALUE] + change]), set()).update(terms)
    found: set[int] = set()
    while to_do:
        value = to_do.pop()
        if value not in found:
            found.add(value)
            to_do |= by.get(value, set())
    return np.array(sorted(found), np.int64)
