"""Many plans for one problem tried in one compiled call.

``check_plans`` first writes each action that occurs as a few words: what must be true and what
false in a word of the state, and what stays and what is added to it. Actions with several ways to
hold, with conditional effects or with changes that are not the same everywhere are left to
``task``.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from stratagym.envs.planning import task as engine

_UNSEEN, _GENERAL = -2, -1
_HEAD = 4
"""Words before an action's own: how many words of the state it looks at, how many it changes, how
many comparisons and how many changes of numbers it has. Each of the first two has three words, a
comparison one, a change two."""


@njit(cache=True, inline="always")
def _size(ints, section, k):
    at = ints[section] + k
    return ints[at + 1] - ints[at]


@njit(cache=True)
def _row(code, first, count, word):
    """The place of the three words for a word of the state, new ones where there are none."""
    for k in range(count):
        if code[first + 3 * k] == np.uint64(word):
            return first + 3 * k, count
    at = first + 3 * count
    code[at], code[at + 1], code[at + 2] = np.uint64(word), np.uint64(0), np.uint64(0)
    return at, count + 1


@njit(cache=True)
def _put(code, first, count, ints, section, k, column):
    """Note the atoms of a list in one column of the rows; returns how many rows there are."""
    at = ints[section] + k
    for j in range(ints[at], ints[at + 1]):
        atom = ints[j]
        row, count = _row(code, first, count, atom >> 6)
        code[row + column] |= np.uint64(1) << np.uint64(atom & 63)
    return count


@njit(cache=True)
def _is_plain(ints, action):
    """Whether an action has one operator and at most one effect, without a condition of its own,
    in which every change adds a constant."""
    at = ints[engine.ACTION_OPS] + action
    if ints[at + 1] - ints[at] != 1:
        return False
    at = ints[engine.ACTION_EFFECTS] + action
    effect = ints[at]
    if ints[at + 1] - effect != 1:
        return ints[at + 1] == effect
    if _size(ints, engine.EFFECT_PRE, effect) + _size(ints, engine.EFFECT_NEG, effect) > 0:
        return False
    if _size(ints, engine.EFFECT_NUM, effect) > 0:
        return False
    at = ints[engine.CHANGES] + effect
    for change in range(ints[at], ints[at + 1]):
        expression = ints[ints[engine.CHANGE_EXPRESSION] + change]
        if (
            ints[ints[engine.CHANGE_KIND] + change] != engine.INCREASE
            or _size(ints, engine.EXPRESSION, expression) > 0
        ):
            return False
    return True


@njit(cache=True)
def _condition(code, at, ints, pre, neg, num, k):
    """Write a condition behind its head; returns where its comparisons begin and end."""
    rows = _put(code, at + _HEAD, 0, ints, pre, k, 1)
    rows = _put(code, at + _HEAD, rows, ints, neg, k, 2)
    code[at], code[at + 1], code[at + 3] = np.uint64(rows), np.uint64(0), np.uint64(0)
    end = at + _HEAD + 3 * rows
    place = ints[num] + k
    code[at + 2] = np.uint64(ints[place + 1] - ints[place])
    for j in range(ints[place], ints[place + 1]):
        code[end] = np.uint64(ints[j])
        end += 1
    return end


@njit(cache=True)
def _action(code, at, ints, action):
    """Write a plain action; returns where the next one begins."""
    end = _condition(
        code, at, ints, engine.PRE, engine.NEG, engine.NUM, ints[ints[engine.ACTION_OPS] + action]
    )
    place = ints[engine.ACTION_EFFECTS] + action
    effect = ints[place]
    if ints[place + 1] == effect:
        return end
    rows = _put(code, end, 0, ints, engine.DEL, effect, 1)
    rows = _put(code, end, rows, ints, engine.ADD, effect, 2)
    for k in range(rows):  # what goes becomes what stays
        code[end + 3 * k + 1] = ~code[end + 3 * k + 1]
    code[at + 1] = np.uint64(rows)
    end += 3 * rows
    place = ints[engine.CHANGES] + effect
    code[at + 3] = np.uint64(ints[place + 1] - ints[place])
    for change in range(ints[place], ints[place + 1]):
        code[end] = np.uint64(ints[ints[engine.CHANGE_VALUE] + change])
        constant = (
            ints[engine.SECTIONS + engine.CONSTANTS] + ints[ints[engine.CHANGE_EXPRESSION] + change]
        )
        code[end + 1] = np.uint64(constant)
        end += 2
    return end


@njit(cache=True)
def _room(ints, action):
    """No fewer words than an action takes."""
    operator = ints[ints[engine.ACTION_OPS] + action]
    found = _HEAD + 3 * (_size(ints, engine.PRE, operator) + _size(ints, engine.NEG, operator))
    found += _size(ints, engine.NUM, operator)
    place = ints[engine.ACTION_EFFECTS] + action
    for effect in range(ints[place], ints[place + 1]):
        found += 3 * (_size(ints, engine.DEL, effect) + _size(ints, engine.ADD, effect))
        found += 2 * _size(ints, engine.CHANGES, effect)
    return found


@njit(cache=True)
def _written(task, actions):
    """(where each action begins in the words, or ``_GENERAL``; the words).

    The goal stands behind the actions.
    """
    ints = task.ints
    begin = np.full(task.actions + 1, _UNSEEN, np.int64)
    room = _HEAD
    if task.ways == 1:
        room += 3 * (_size(ints, engine.GOAL_PRE, 0) + _size(ints, engine.GOAL_NEG, 0))
        room += _size(ints, engine.GOAL_NUM, 0)
    for action in actions:
        if begin[action] == _UNSEEN:
            begin[action] = _GENERAL
            if _is_plain(ints, action):
                begin[action] = 0
                room += _room(ints, action)
    code = np.empty(room, np.uint64)
    at = 0
    for action in range(task.actions):
        if begin[action] == 0:
            begin[action] = at
            at = _action(code, at, ints, action)
    begin[task.actions] = _GENERAL
    if task.ways == 1:
        begin[task.actions] = at
        _condition(code, at, ints, engine.GOAL_PRE, engine.GOAL_NEG, engine.GOAL_NUM, 0)
    return begin, code


@njit(cache=True, inline="always")
def _looks(code, at, bits):
    """(whether the atoms of a condition are as they must be, where its comparisons begin)."""
    rows = np.int64(code[at])
    end = at + _HEAD + 3 * rows
    holds = True
    for k in range(at + _HEAD, end, 3):
        word = bits[code[k]]
        if word & code[k + 1] != code[k + 1] or word & code[k + 2] != np.uint64(0):
            holds = False
            break
    return holds, end


@njit(cache=True, nogil=True)
def check_plans(task, actions, ends, steps, goals, bits, values, fired, fresh):
    """Try many plans from the start: plan p is ``actions[ends[p - 1]:ends[p]]``.

    Writes into ``steps`` the index of the first action of each plan that cannot be applied, or its
    length, and into ``goals`` whether the goal then holds.

    Args:
        actions: (n,) int64. ends: (plans,) int64, ascending. steps: (plans,) int64. goals: (plans,)
            bool. bits, values, fired, fresh: scratch, as of ``task.scratch_of``.
    """
    begin, code = _written(task, actions)
    ints, floats = task.ints, task.floats
    first, first_values = task.first, ints[engine.SECTIONS + engine.FIRST_VALUES]
    words, numbers, goal = (task.atoms + 63) >> 6, task.values, begin[task.actions]
    at_plan = 0
    for p in range(ends.shape[0]):
        for k in range(words):
            bits[k] = first[k]
        for k in range(numbers):
            values[k] = floats[first_values + k]
        end_plan, done = ends[p], ends[p] - at_plan
        for j in range(at_plan, end_plan):
            action = actions[j]
            at = begin[action]
            if at == _GENERAL:
                if not engine.is_applicable(task, action, bits, values):
                    done = j - at_plan
                    break
                engine.apply(task, action, bits, values, fired, fresh)
                continue
            holds, end = _looks(code, at, bits)
            for k in range(np.int64(code[at + 2])):
                holds = holds and engine.compares(task, np.int64(code[end + k]), values)
            if not holds:
                done = j - at_plan
                break
            end += np.int64(code[at + 2])
            last = end + 3 * np.int64(code[at + 1])
            for k in range(end, last, 3):
                bits[code[k]] = bits[code[k]] & code[k + 1] | code[k + 2]
            for k in range(last, last + 2 * np.int64(code[at + 3]), 2):
                values[code[k]] += floats[code[k + 1]]
        steps[p] = done
        if goal == _GENERAL:
            goals[p] = engine.goal_holds(task, bits, values)
        else:
            holds, end = _looks(code, goal, bits)
            for k in range(np.int64(code[goal + 2])):
                holds = holds and engine.compares(task, np.int64(code[end + k]), values)
            goals[p] = holds
        at_plan = end_plan
