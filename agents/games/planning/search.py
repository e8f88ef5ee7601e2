"""Searches for plans: breadth-first, greedy and weighted A*, over rows of states in one table.

Every state that is generated counts, so that a budget means the same on every machine. Ties are
broken by the order in which states were generated: results repeat exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from stratagym.agents.games.planning.heap import pop, push
from stratagym.agents.games.planning.relaxed import FAR, Desk, Graph, additive, relaxed_plan
from stratagym.envs.core import mix64
from stratagym.envs.planning import task as engine
from stratagym.envs.planning.task import Task

BLIND, ADDITIVE, RELAXED = 0, 1, 2
"""What a search goes by: nothing, h_add, h_ff."""
MOST_BYTES = 1 << 29
"""Of the rows of one search: what is generated beyond is not kept, and the search ends."""
_BOOST = 1000
_NOVEL = 256
"""Values of a heuristic for which it is noted which atoms have been seen under them."""


@dataclass(frozen=True)
class Found:
    """What a search came to.

    Attributes:
        plan: (n,) int64 actions, or None. closest: actions to the state with the least heuristic
            value. generated, evaluated: how many states. is_complete: every state was looked at,
            so that without a plan there is none.
    """

    plan: np.ndarray | None
    closest: np.ndarray
    generated: int
    evaluated: int
    is_complete: bool = False


class Rows(NamedTuple):
    """States by number.

    Attributes:
        bits, values: of each. parent, action: how it was reached. depth: in steps. h: its heuristic
            value. table: an open-address hash table of numbers, -1 where free. read: the numbers by
            which states are told apart.
    """

    bits: np.ndarray
    values: np.ndarray
    parent: np.ndarray
    action: np.ndarray
    depth: np.ndarray
    h: np.ndarray
    table: np.ndarray
    read: np.ndarray


def _rows_of(task: Task, budget: int) -> Rows:
    words, numbers = max(1, (task.atoms + 63) // 64), max(1, task.values)
    room = max(64, min(budget + 2, MOST_BYTES // (8 * (words + numbers) + 40)))
    slots = 1 << (2 * room).bit_length()
    return Rows(
        np.empty((room, words), np.uint64),
        np.empty((room, numbers)),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.empty(room, np.int32),
        np.full(slots, -1, np.int32),
        engine.values_read(task),
    )


@njit(cache=True)
def _hash(bits, values, read):
    found = np.uint64(0x9E3779B97F4A7C15)
    for k in range(bits.shape[0]):
        found = mix64(found ^ bits[k])
    for k in range(read.shape[0]):
        value = values[read[k]]
        # All NaNs are alike, and so are the two zeros.
        whole = np.float64(-1.5e300) if np.isnan(value) else value + 0.0
        found = mix64(found ^ np.uint64(np.int64(np.floor(whole * 1024.0) % 4.0e18)))
    return found


@njit(cache=True)
def _same(bits, values, other_bits, other_values, read):
    for k in range(bits.shape[0]):
        if bits[k] != other_bits[k]:
            return False
    for k in range(read.shape[0]):
        a, b = values[read[k]], other_values[read[k]]
        if a != b and not (np.isnan(a) and np.isnan(b)):
            return False
    return True


@njit(cache=True)
def _slot(rows, n):
    """Where state ``n`` stands in the table, or would stand."""
    mask = np.uint64(rows.table.shape[0] - 1)
    at = _hash(rows.bits[n], rows.values[n], rows.read) & mask
    while True:
        other = rows.table[at]
        if other < 0 or _same(
            rows.bits[n], rows.values[n], rows.bits[other], rows.values[other], rows.read
        ):
            return at
        at = (at + np.uint64(1)) & mask


@njit(cache=True)
def _is_novel(task, bits, h, seen):
    """Whether an atom is true for the first time under a heuristic value; notes all that are."""
    level, found = min(h, _NOVEL - 1), False
    for word in range(bits.shape[0]):
        fresh = bits[word] & ~seen[level, word]
        if fresh != 0:
            found = True
            seen[level, word] |= fresh
    return found


@njit(cache=True, nogil=True)
def _run(task, graph, desk, rows, start_bits, start_values, fired, fresh, how, budget, most):
    """The search itself; see ``search``.

    Returns (goal state or -1, closest state, generated, evaluated, whether all was looked at).
    ``how`` is (heuristic, weight of h, weight of depth, prefer helpful actions); ``most`` is the
    longest plan that is wanted.
    """
    heuristic, weight, by_depth, prefer = how
    room = rows.parent.shape[0]
    keys = np.empty((2, 2 * room + 2), np.int64)
    items = np.empty((2, 2 * room + 2), np.int32)
    sizes = np.zeros(2, np.int64)
    turns = np.zeros(2, np.int64)
    closed = np.zeros(room, np.uint8)
    seen = np.zeros((_NOVEL, rows.bits.shape[1]), np.uint64)
    legal = np.empty(max(1, task.actions), np.int64)
    rows.bits[0] = start_bits
    rows.values[0] = start_values
    rows.parent[0] = rows.action[0] = -1
    rows.depth[0] = 0
    evaluated, generated, count = 0, 0, 1
    h = 0
    if heuristic == ADDITIVE:
        h = additive(task, graph, desk, rows.bits[0], rows.values[0])
        evaluated += 1
    elif heuristic == RELAXED:
        h = relaxed_plan(task, graph, desk, rows.bits[0], rows.values[0])
        evaluated += 1
    rows.h[0] = h
    rows.table[_slot(rows, 0)] = 0
    if engine.goal_holds(task, rows.bits[0], rows.values[0]):
        return 0, 0, generated, evaluated, True
    if h >= FAR:
        return -1, 0, generated, evaluated, True
    keys[0, 0], items[0, 0], sizes[0] = 0, 0, 1
    closest = 0
    while sizes[0] > 0 or sizes[1] > 0:
        queue = 0
        if sizes[1] > 0 and (sizes[0] == 0 or turns[1] <= turns[0]):
            queue = 1
        turns[queue] += 1
        sizes[queue] = pop(keys[queue], items[queue], sizes[queue])
        node = items[queue, sizes[queue]]
        if closed[node]:
            continue
        closed[node] = 1
        if rows.depth[node] + 1 > most:
            continue
        if prefer:  # what is helpful was told when the state was evaluated; look again
            relaxed_plan(task, graph, desk, rows.bits[node], rows.values[node])
        n = engine.applicable(task, rows.bits[node], rows.values[node], legal)
        for k in range(n):
            if count == room or generated == budget:
                return -1, closest, generated, evaluated, False
            action = legal[k]
            rows.bits[count] = rows.bits[node]
            rows.values[count] = rows.values[node]
            engine.apply(task, action, rows.bits[count], rows.values[count], fired, fresh)
            generated += 1
            at = _slot(rows, count)
            depth = rows.depth[node] + 1
            known = rows.table[at]
            if known >= 0:
                if by_depth and depth < rows.depth[known]:
                    # Reached by a shorter way: opened again.
                    rows.depth[known] = depth
                    rows.parent[known], rows.action[known] = node, action
                    closed[known] = 0
                    if sizes[0] < room and rows.h[known] < FAR:
                        key = (np.int64(depth) + weight * rows.h[known]) << 32 | known
                        sizes[0] = push(keys[0], items[0], sizes[0], key, known)
                continue
            rows.table[at] = count
            rows.parent[count], rows.action[count] = node, action
            rows.depth[count] = depth
            new = count
            count += 1
            if engine.goal_holds(task, rows.bits[new], rows.values[new]):
                rows.h[new] = 0
                return new, new, generated, evaluated, False
            helps = prefer and desk.helpful[action] != 0
            h = 0
            if heuristic == ADDITIVE:
                h = additive(task, graph, desk, rows.bits[new], rows.values[new])
                evaluated += 1
            elif heuristic == RELAXED:
                # The helpful actions of ``node`` are still wanted.
                h = _quietly(task, graph, desk, rows.bits[new], rows.values[new])
                evaluated += 1
            rows.h[new] = h
            if h >= FAR:
                continue
            if h < rows.h[closest]:
                closest = new
                turns[1] -= _BOOST
            key = np.int64(weight) * h + (np.int64(depth) if by_depth else 0)
            if heuristic == BLIND:
                key = np.int64(depth)
            key = min(key, np.int64(1 << 30))
            novel = 0 if not prefer or _is_novel(task, rows.bits[new], h, seen) else 1
            key = (key << 1 | novel) << 31 | new
            sizes[0] = push(keys[0], items[0], sizes[0], key, new)
            if helps and sizes[1] < room:
                sizes[1] = push(keys[1], items[1], sizes[1], key, new)
    return -1, closest, generated, evaluated, True


@njit(cache=True, nogil=True)
def evaluate_each(task, graph, desk, bits, values, out):
    """h_ff of many states, (n, words) uint64 and (n, numbers) float64, into ``out``, (n,) int64."""
    for k in range(out.shape[0]):
        out[k] = relaxed_plan(task, graph, desk, bits[k], values[k])


@njit(cache=True)
def _quietly(task, graph, desk, bits, values):
    """h_ff with ``desk.helpful`` as it was."""
    kept = desk.helpful.copy()
    h = relaxed_plan(task, graph, desk, bits, values)
    desk.helpful[:] = kept
    return h


@njit(cache=True)
def _way(rows, node):
    """The actions from the start to a state."""
    n = 0
    at = node
    while rows.parent[at] >= 0:
        n += 1
        at = rows.parent[at]
    plan = np.empty(n, np.int64)
    at = node
    while rows.parent[at] >= 0:
        n -= 1
        plan[n] = rows.action[at]
        at = rows.parent[at]
    return plan


def search(
    task: Task,
    graph: Graph,
    desk: Desk,
    start: tuple[np.ndarray, np.ndarray],
    budget: int,
    heuristic: int = BLIND,
    weight: int = 1,
    by_depth: bool = False,
    prefer: bool = False,
    most: int = 1 << 30,
) -> Found:
    """Search from a state.

    Args:
        start: (words of true atoms, numbers), as long as the task's own. budget: states to be
            generated. heuristic: ``BLIND`` is breadth-first. weight: of the heuristic value
            against the depth, if ``by_depth``: A* with weight 1, else weighted A*; without depth
            the search is greedy. prefer: helpful actions first, and among equals states in which
            an atom is true for the first time. most: the longest plan that is wanted.
    """
    rows = _rows_of(task, budget)
    _, _, fired, fresh = engine.scratch_of(task)
    how = (heuristic, weight, by_depth, prefer)
    goal, closest, generated, evaluated, complete = _run(
        task, graph, desk, rows, *start, fired, fresh, how, budget, most
    )
    plan = _way(rows, goal) if goal >= 0 else None
    return Found(plan, _way(rows, closest), generated, evaluated, bool(complete))


# --- random walks --------------------------------------------------------------------------------


@njit(cache=True, nogil=True)
def _walk(task, bits, values, fired, fresh, legal, met, plan, seed, goals_too):
    """Uniformly random legal actions, until the goal holds or ``plan`` is full.

    Returns (actions taken, whether the goal holds, the most parts of the goal that held, after how
    many actions that was).
    """
    state = np.uint64(seed)
    best, best_at = -1, 0
    for k in range(plan.shape[0] + 1):
        if engine.goal_holds(task, bits, values):
            return k, True, best, k
        if goals_too:
            parts = engine.goals_met(task, bits, values, met)
            found = 0
            for j in range(parts):
                found += met[j]
            if found > best:
                best, best_at = found, k
        if k == plan.shape[0]:
            break
        n = engine.applicable(task, bits, values, legal)
        if n == 0:
            return k, False, best, best_at
        state += np.uint64(0x9E3779B97F4A7C15)
        plan[k] = legal[np.int64((mix64(state) >> np.uint64(32)) * np.uint64(n) >> np.uint64(32))]
        engine.apply(task, plan[k], bits, values, fired, fresh)
    return plan.shape[0], False, best, best_at


def walk(
    task: Task, start: tuple[np.ndarray, np.ndarray], steps: int, seed: int
) -> tuple[np.ndarray, bool, int, np.ndarray]:
    """A random walk: (its actions, whether it reached the goal, the most parts of the goal that
    held, the actions up to there).
    """
    bits, values = (part.copy() for part in start)
    _, _, fired, fresh = engine.scratch_of(task)
    plan = np.zeros(steps, np.int64)
    legal = np.zeros(max(1, task.actions), np.int64)
    met = np.zeros(max(1, len(task.ints)), np.int64)
    n, solved, best, at = _walk(
        task, bits, values, fired, fresh, legal, met, plan, np.uint64(seed), True
    )
    return plan[:n], bool(solved), int(best), plan[:at]


def climb(
    task: Task, start: tuple[np.ndarray, np.ndarray], walks: int, steps: int, budget: int, seed: int
) -> Found:
    """Random walks that count the goal's parts, each from the best state so far."""
    here = tuple(part.copy() for part in start)
    taken: list[np.ndarray] = []
    generated, most = 0, -1
    for k in range(walks):
        if generated >= budget:
            break
        plan, solved, best, way = walk(task, (here[0], here[1]), steps, seed + k)
        generated += len(plan)
        if solved:
            taken.append(plan)
            whole = np.concatenate(taken)
            return Found(whole, whole, generated, 0)
        if best > most:
            most = best
            if len(way):
                taken.append(way.copy())
                _, _, fired, fresh = engine.scratch_of(task)
                engine.run_plan(task, way, here[0], here[1], fired, fresh)
    closest = np.concatenate(taken) if taken else np.zeros(0, np.int64)
    return Found(None, closest, generated, 0)


def any_state(task: Any) -> tuple[np.ndarray, np.ndarray]:
    """(words, numbers) of a task's start."""
    bits, values, *_ = engine.scratch_of(task)
    engine.start_state(task, bits, values)
    return bits, values
