"""Go by its plain definition, for tests, and positions told by the names of points."""

from __future__ import annotations

import numpy as np

from stratagym.envs import core, spec
from stratagym.envs.go import view
from stratagym.testing import position


def points(names, size=9):
    rules = spec("go").make_rules(size=size)
    start = position(rules)[0]
    return [view.string_to_action(rules, start, name) for name in names.split()]


def choices_after(rules, *actions):
    states, (legal, _) = position(rules, *actions), core.new_scratch(rules)
    return set(legal[: core.legal_actions_at(rules, states, 0, legal)].tolist())


class Plain:
    """Go by sets of points, as the rules are told."""

    def __init__(self, rules):
        self.rules, self.stones, self.seat = rules, {}, 0
        self.past = [(frozenset(), 0)]
        self.taken_by_one = None  # the point where one stone took one, and the other's

    def chain(self, stones, point):
        """(stones, liberties)."""
        chain, liberties, waiting = {point}, set(), [point]
        while waiting:
            row, column = waiting.pop()
            for there in (row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1):
                if not all(0 <= k < self.rules.size for k in there):
                    continue
                if there not in stones:
                    liberties.add(there)
                elif stones[there] == stones[point] and there not in chain:
                    chain.add(there)
                    waiting.append(there)
        return chain, liberties

    def after(self, point):
        """(stones, points taken) after a stone there; None if it is suicide."""
        stones, taken = self.stones | {point: self.seat}, set()
        for other, owner in self.stones.items():
            if owner != self.seat:
                chain, liberties = self.chain(stones, other)
                if not liberties:
                    taken |= chain
        stones = {k: owner for k, owner in stones.items() if k not in taken}
        return (stones, taken) if self.chain(stones, point)[1] else None

    def legal(self):
        size = self.rules.size
        found = []
        for action in range(size * size):
            point = divmod(action, size)
            played = self.after(point) if point not in self.stones else None
            if played is None:
                continue
            key = frozenset(played[0].items())
            if self.rules.ko == 0 and key in [past for past, _ in self.past]:
                continue
            if self.rules.ko == 1 and (key, 1 - self.seat) in self.past:
                continue
            if self.rules.ko == 2 and (point, *played[1]) == self.taken_by_one:
                continue
            found.append(action)
        return [*found, size * size]

    def play(self, action):
        point = divmod(action, self.rules.size)
        self.taken_by_one = None
        if action < self.rules.size**2:
            self.stones, taken = self.after(point)
            chain, liberties = self.chain(self.stones, point)
            if len(taken) == len(chain) == len(liberties) == 1:
                self.taken_by_one = (*taken, point)
        self.seat = 1 - self.seat
        self.past.append((frozenset(self.stones.items()), self.seat))

    def is_eye(self, action):
        """Whether a free point looks like an eye of the seat to move."""
        row, column = divmod(action, self.rules.size)
        corners = [(row + a, column + b) for a in (-1, 1) for b in (-1, 1)]
        beside = [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]
        inside = [all(0 <= k < self.rules.size for k in there) for there in corners + beside]
        for there, on_board in zip(beside, inside[4:], strict=True):
            if on_board and self.stones.get(there) != self.seat:
                return False
        enemies = sum(self.stones.get(there) == 1 - self.seat for there in corners)
        return enemies <= all(inside[:4])

    def area(self):
        """Black's stones and points less White's."""
        size, total, seen = self.rules.size, 0, set()
        for start in ((row, column) for row in range(size) for column in range(size)):
            if start in self.stones:
                total += 1 - 2 * self.stones[start]
            elif start not in seen:
                free = {k: 2 for k in np.ndindex(size, size) if k not in self.stones}
                region, _ = self.chain(self.stones | free, start)
                seen |= region
                touched = {
                    self.stones[there]
                    for row, column in region
                    for there in ((row - 1, column), (row + 1, column), (row, column - 1),
                                  (row, column + 1))
                    if there in self.stones
                }  # fmt: skip
                if len(touched) == 1:
                    total += len(region) * (1 - 2 * touched.pop())
        return total
