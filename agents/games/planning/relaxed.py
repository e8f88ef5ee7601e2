"""The delete relaxation of a planning task: what each fact costs if nothing ever gets worse.

A fact is an atom, or a comparison (numbered behind the atoms). A relaxed operator is one way to
take an action together with one of its effects: it needs the facts of both conditions and gives
the atoms that the effect adds; negative conditions are passed over. A comparison that does not
hold is given by repeating an operator that changes its sum the right way (E. Scala, P. Haslum,
S. Thiebaux: Heuristics for numeric planning via subgoaling, IJCAI 2016).

``additive`` is h_add (B. Bonet, H. Geffner: Planning as heuristic search, 2001); ``relaxed_plan``
is h_ff with the supporters of h_add (J. Hoffmann, B. Nebel: The FF planning system, 2001).
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.agents.games.planning.heap import pop, push
from stratagym.envs.planning import task as engine
from stratagym.envs.planning.task import Task

FAR = 1 << 30
"""The cost of what cannot be reached."""
_ANY = np.inf
"""The change of a sum by an operator that sets it to whatever is wanted."""


class Graph(NamedTuple):
    """Relaxed operators and facts, list k from ``begin[k]`` to ``begin[k + 1]``.

    Attributes:
        facts: how many; atoms first, then comparisons. action: of each operator. needs: how many
            facts each operator needs. users: by fact, the operators that need it; behind the
            last one, those that need none. adds: by operator, atoms. gives: by operator,
            comparisons whose sum it changes, and by how much. pre: by operator, the facts that it
            needs. goals: by way in which the goal can hold, facts.
    """

    facts: int
    action: np.ndarray
    needs: np.ndarray
    users_begin: np.ndarray
    users: np.ndarray
    adds_begin: np.ndarray
    adds: np.ndarray
    gives_begin: np.ndarray
    gives: np.ndarray
    by: np.ndarray
    pre_begin: np.ndarray
    pre: np.ndarray
    goals_begin: np.ndarray
    goals: np.ndarray


class Desk(NamedTuple):
    """Scratch of one evaluation.

    Attributes:
        cost: of each fact. supporter: the operator that gives it, -1 for none. repeats: how often
            it is taken for that. missing, sum: of each operator, facts it still needs and the cost
            of those it has. heap, keys: a binary heap of facts by cost. marked: facts and
            operators of the relaxed plan. helpful: actions in it that can be taken now.
    """

    cost: np.ndarray
    supporter: np.ndarray
    repeats: np.ndarray
    missing: np.ndarray
    sum: np.ndarray
    heap: np.ndarray
    keys: np.ndarray
    stack: np.ndarray
    marked: np.ndarray
    used: np.ndarray
    helpful: np.ndarray


def _rows(task: Any, section: int, n: int) -> tuple[np.ndarray, np.ndarray]:
    """(places of ``n + 1`` lists, relative to the first; all that is in the lists)."""
    begin = task.ints[task.ints[section] :][: n + 1]
    return (begin - begin[0]).astype(np.int64), task.ints[begin[0] : begin[-1]]


def _lists(task: Any, section: int, n: int) -> list[list[int]]:
    begin, flat = _rows(task, section, n)
    return [flat[a:b].tolist() for a, b in pairwise(begin.tolist())]


def graph_of(task: Task) -> Graph:
    """The relaxed operators of a task."""
    ints, floats, atoms = task.ints, task.floats, task.atoms
    begins = ints[ints[engine.ACTION_OPS] :][: task.actions + 1].tolist()
    rows = ints[ints[engine.ACTION_EFFECTS] :][: task.actions + 1].tolist()
    effects = rows[-1]
    pre = _lists(task, engine.PRE, task.operators)
    num = _lists(task, engine.NUM, task.operators)
    effect_pre = _lists(task, engine.EFFECT_PRE, effects)
    effect_num = _lists(task, engine.EFFECT_NUM, effects)
    adds = _lists(task, engine.ADD, effects)
    changes = ints[ints[engine.CHANGES] :][: effects + 1].tolist()
    wanting = _comparisons_of(task)
    constants = floats[ints[engine.SECTIONS + engine.CONSTANTS] :]
    sums = ints[ints[engine.EXPRESSION] :]
    gives_of: list[dict[int, float]] = []
    for effect in range(effects):
        by: dict[int, float] = {}
        for change in range(changes[effect], changes[effect + 1]):
            value = int(ints[ints[engine.CHANGE_VALUE] + change])
            kind = int(ints[ints[engine.CHANGE_KIND] + change])
            expression = int(ints[ints[engine.CHANGE_EXPRESSION] + change])
            is_constant = sums[expression] == sums[expression + 1]
            for comparison, factor in wanting.get(value, ()):
                if kind == engine.ASSIGN or not is_constant:
                    by[comparison] = _ANY
                elif by.get(comparison) != _ANY:
                    by[comparison] = by.get(comparison, 0.0) + factor * float(constants[expression])
        gives_of.append({k: x for k, x in by.items() if x})
    action, needs, op_adds, op_gives = [], [], [], []
    for k in range(task.actions):
        for operator in range(begins[k], begins[k + 1]):
            own = pre[operator] + [atoms + c for c in num[operator]]
            for effect in range(rows[k], rows[k + 1]):
                if not adds[effect] and not gives_of[effect]:
                    continue
                more = effect_pre[effect] + [atoms + c for c in effect_num[effect]]
                action.append(k)
                needs.append(list(dict.fromkeys(own + more)))
                op_adds.append(adds[effect])
                op_gives.append(gives_of[effect])
    facts = atoms + _comparison_count(task)
    users: list[list[int]] = [[] for _ in range(facts + 1)]
    for operator, listed in enumerate(needs):
        for fact in listed or [facts]:
            users[fact].append(operator)
    goals = [
        positive + [atoms + c for c in comparisons]
        for positive, comparisons in zip(
            _lists(task, engine.GOAL_PRE, task.ways),
            _lists(task, engine.GOAL_NUM, task.ways),
            strict=True,
        )
    ]
    return Graph(
        facts,
        np.array(action, np.int32),
        np.array([len(listed) for listed in needs], np.int32),
        *_flat(users),
        *_flat(op_adds),
        *_flat([list(given) for given in op_gives]),
        np.array([x for given in op_gives for x in given.values()], np.float64),
        *_flat(needs),
        *_flat(goals),
    )


def _comparison_count(task: Any) -> int:
    """How many comparisons a task has: their section ends where the next one begins."""
    return int(task.ints[engine.COMPARISON_KIND] - task.ints[engine.COMPARISON_EXPRESSION])


def _comparisons_of(task: Any) -> dict[int, list[tuple[int, float]]]:
    """By number that can change: the comparisons with it in their sum, and its factor there."""
    ints, floats = task.ints, task.floats
    shift = int(ints[engine.SECTIONS + engine.FACTORS])
    found: dict[int, list[tuple[int, float]]] = {}
    for comparison in range(_comparison_count(task)):
        expression = int(ints[ints[engine.COMPARISON_EXPRESSION] + comparison])
        at = int(ints[engine.EXPRESSION]) + expression
        for k in range(int(ints[at]), int(ints[at + 1])):
            found.setdefault(int(ints[k]), []).append((comparison, float(floats[shift + k])))
    return found


def _flat(lists: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    begin = np.zeros(len(lists) + 1, np.int32)
    np.cumsum([len(listed) for listed in lists], out=begin[1:])
    return begin, np.array([one for listed in lists for one in listed], np.int32)


def desk_of(task: Task, graph: Graph) -> Desk:
    """Scratch for evaluations in one task."""
    facts, operators = max(1, graph.facts), max(1, len(graph.action))
    entries = facts + len(graph.adds) + len(graph.gives) + 1
    return Desk(
        np.zeros(facts, np.int32),
        np.zeros(facts, np.int32),
        np.zeros(facts, np.int32),
        np.zeros(operators, np.int32),
        np.zeros(operators, np.int32),
        np.zeros(entries, np.int32),
        np.zeros(entries, np.int32),
        np.zeros(facts + 1, np.int32),
        np.zeros(facts, np.uint8),
        np.zeros(operators, np.uint8),
        np.zeros(max(1, task.actions), np.uint8),
    )


@njit(cache=True)
def _times(task, comparison, change, values):
    """How often a sum has to change by so much until a comparison holds; 0 for never."""
    if change == np.inf:
        return 1
    ints = task.ints
    found = engine.total(task, ints[ints[engine.COMPARISON_EXPRESSION] + comparison], values)
    if np.isnan(found):
        return 0
    kind = ints[ints[engine.COMPARISON_KIND] + comparison]
    bare, strict = kind & 3, False
    if bare == engine.EQUAL:
        if kind >= engine.NOT:
            return 1
        if found > 0.0:
            found, change = -found, -change
    else:
        strict = bare == engine.ABOVE
        if kind >= engine.NOT:  # the sum is to be below 0, or at most 0
            found, change, strict = -found, -change, not strict
    if change <= 0.0:
        return 0
    count = (
        np.int64(np.floor(-found / change)) + 1 if strict else np.int64(np.ceil(-found / change))
    )
    return min(max(count, 1), 1 << 20)


@njit(cache=True)
def additive(task, graph, desk, bits, values):
    """h_add of a state: the sum of the costs of the goal's facts; ``FAR`` for a dead end."""
    # Arrays by their own names: to hand on the records that hold them takes longer than the work.
    cost, supporter, repeats = desk.cost, desk.supporter, desk.repeats
    missing, total, heap, keys = desk.missing, desk.sum, desk.heap, desk.keys
    users_begin, users = graph.users_begin, graph.users
    adds_begin, adds, gives_begin = graph.adds_begin, graph.adds, graph.gives_begin
    atoms = task.atoms
    size = 0
    for fact in range(graph.facts):
        cost[fact] = FAR
        supporter[fact] = -1
    for fact in range(atoms):
        if engine.is_true(bits, fact):
            cost[fact] = 0
            size = push(keys, heap, size, 0, fact)
    for comparison in range(graph.facts - atoms):
        if engine.compares(task, comparison, values):
            cost[atoms + comparison] = 0
            size = push(keys, heap, size, 0, atoms + comparison)
    for operator in range(missing.shape[0]):
        missing[operator] = graph.needs[operator]
        total[operator] = 0
    # Operators that need nothing come first, as if a fact that is always true had them for users.
    at, end = users_begin[graph.facts], users_begin[graph.facts + 1]
    fact_cost = np.int64(0)
    while True:
        for k in range(at, end):
            operator = users[k]
            missing[operator] -= 1
            total[operator] = min(total[operator] + fact_cost, FAR - 1)
            if missing[operator] > 0:
                continue
            by = min(total[operator] + 1, FAR - 1)
            for j in range(adds_begin[operator], adds_begin[operator + 1]):
                fact = adds[j]
                if by < cost[fact]:
                    cost[fact], supporter[fact], repeats[fact] = by, operator, 1
                    size = push(keys, heap, size, by, fact)
            for j in range(gives_begin[operator], gives_begin[operator + 1]):
                fact = atoms + graph.gives[j]
                if cost[fact] > 0:
                    times = _times(task, graph.gives[j], graph.by[j], values)
                    more = min(by + times - 1, FAR - 1)
                    if times > 0 and more < cost[fact]:
                        cost[fact], supporter[fact], repeats[fact] = more, operator, times
                        size = push(keys, heap, size, more, fact)
        fact = -1
        while size > 0 and fact < 0:
            size = pop(keys, heap, size)
            if keys[size] == cost[heap[size]]:  # else it was reached for less
                fact = heap[size]
        if fact < 0:
            break
        fact_cost = np.int64(cost[fact])
        at, end = users_begin[fact], users_begin[fact + 1]
    best = np.int64(FAR)
    for way in range(task.ways):
        best = min(best, _goal_cost(graph, desk, way))
    return best


@njit(cache=True)
def _goal_cost(graph, desk, way):
    found = np.int64(0)
    for k in range(graph.goals_begin[way], graph.goals_begin[way + 1]):
        found += desk.cost[graph.goals[k]]
    return min(found, np.int64(FAR))


@njit(cache=True)
def relaxed_plan(task, graph, desk, bits, values):
    """h_ff of a state: the steps of a relaxed plan, ``FAR`` for a dead end.

    ``desk.helpful`` has 1 for each action of that plan that can be taken in this state.
    """
    for action in range(task.actions):
        desk.helpful[action] = 0
    if additive(task, graph, desk, bits, values) >= FAR:
        return np.int64(FAR)
    way, least = 0, np.int64(FAR)
    for k in range(task.ways):
        cost = _goal_cost(graph, desk, k)
        if cost < least:
            way, least = k, cost
    for fact in range(graph.facts):
        desk.marked[fact] = 0
    for operator in range(graph.action.shape[0]):
        desk.used[operator] = 0
    size = 0
    for k in range(graph.goals_begin[way], graph.goals_begin[way + 1]):
        size = _mark(desk, size, graph.goals[k])
    steps = np.int64(0)
    while size > 0:
        size -= 1
        fact = desk.stack[size]
        operator = desk.supporter[fact]
        repeats = desk.repeats[fact]
        if desk.used[operator] == 0:
            desk.used[operator] = 1
            steps += repeats
            if engine.is_applicable(task, graph.action[operator], bits, values):
                desk.helpful[graph.action[operator]] = 1
            for k in range(graph.pre_begin[operator], graph.pre_begin[operator + 1]):
                size = _mark(desk, size, graph.pre[k])
        elif repeats > 1:
            steps += repeats - 1
    return steps


@njit(cache=True)
def _mark(desk, size, fact):
    """Put a fact that costs something on the stack, once; returns the stack's size."""
    if desk.marked[fact] == 0 and desk.cost[fact] > 0:
        desk.marked[fact] = 1
        desk.stack[size] = fact
        size += 1
    return size
