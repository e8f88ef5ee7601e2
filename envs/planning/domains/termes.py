"""A robot that climbs one block at a time and builds and takes down towers of blocks."""

from __future__ import annotations

from stratagym.envs.planning.domains.making import Draws, Made, problem_of, wanted
from stratagym.envs.planning.pddl import Problem

PDDL = """\
(define (domain termes)
  (:types
    numb position)
  (:predicates
    (height ?p - position ?h - numb) (at ?p - position) (has-block) (succ ?n1 ?n2 - numb)
    (neighbor ?p1 ?p2 - position) (is-depot ?p - position))
  (:action move
    :parameters (?from ?to - position ?h - numb)
    :precondition (and (at ?from) (neighbor ?from ?to) (height ?from ?h) (height ?to ?h))
    :effect (and (at ?to) (not (at ?from))))
  (:action move-up
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition (and
      (at ?from) (neighbor ?from ?to) (height ?from ?hfrom) (height ?to ?hto)
      (succ ?hto ?hfrom))
    :effect (and (at ?to) (not (at ?from))))
  (:action move-down
    :parameters (?from - position ?hfrom - numb ?to - position ?hto - numb)
    :precondition (and
      (at ?from) (neighbor ?from ?to) (height ?from ?hfrom) (height ?to ?hto)
      (succ ?hfrom ?hto))
    :effect (and (at ?to) (not (at ?from))))
  (:action place-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition (and
      (at ?rpos) (neighbor ?rpos ?bpos) (height ?rpos ?hbefore) (height ?bpos ?hbefore)
      (succ ?hafter ?hbefore) (has-block) (not (is-depot ?bpos)))
    :effect (and (height ?bpos ?hafter) (not (height ?bpos ?hbefore)) (not (has-block))))
  (:action remove-block
    :parameters (?rpos ?bpos - position ?hbefore ?hafter - numb)
    :precondition (and
      (at ?rpos) (neighbor ?rpos ?bpos) (height ?rpos ?hafter) (height ?bpos ?hbefore)
      (succ ?hbefore ?hafter) (not (has-block)))
    :effect (and (height ?bpos ?hafter) (has-block) (not (height ?bpos ?hbefore))))
  (:action create-block
    :parameters (?p - position)
    :precondition (and (at ?p) (not (has-block)) (is-depot ?p))
    :effect (and (has-block)))
  (:action destroy-block
    :parameters (?p - position)
    :precondition (and (at ?p) (has-block) (is-depot ?p))
    :effect (and (not (has-block)))))
"""


_HEIGHT = 5
_MOST_STEPS = 1900
_Cell = tuple[int, int]


def generate(draws: Draws) -> Made:
    """4 x 4 cells at size 1 to 5 x 6 at size 9, with an inner one where blocks are made; 3 or 4
    towers of up to 5 blocks to be taken down, 2 to 4 to be built.

    The plan makes a staircase to every tower, and takes the staircase down again.
    """
    while True:
        found = _Site(draws).made()
        if found:
            return found


class _Site:
    """The towers as they stand, and the plan so far."""

    def __init__(self, draws: Draws):
        self.draws = draws
        rows, columns = draws.measure(4, 4, 5), draws.measure(4, 5, 6)
        self.cells = [(r, c) for r in range(rows) for c in range(columns)]
        inner = [(r, c) for r, c in self.cells if 0 < r < rows - 1 and 0 < c < columns - 1]
        self.depot = draws.one_of(inner)
        others = [cell for cell in self.cells if cell != self.depot]
        self.before = dict.fromkeys(self.cells, 0)
        self.after = dict.fromkeys(self.cells, 0)
        for heights, count in (
            (self.before, draws.between(3, 4)),
            (self.after, draws.between(2, 4)),
        ):
            for cell in draws.some_of(others, count):
                heights[cell] = draws.between(1, _HEIGHT)
        self.height = dict(self.before)
        self.at, self.loaded = self.depot, False
        self.plan: list[tuple[str, ...]] = []

    @staticmethod
    def name(cell: _Cell) -> str:
        return "pos-{}-{}".format(*cell)

    def near(self, cell: _Cell) -> list[_Cell]:
        r, c = cell
        around = [(r - 1, c), (r, c - 1), (r, c + 1), (r + 1, c)]
        return [one for one in around if one in self.height]

    def staircase(self, tower: _Cell, length: int) -> list[_Cell] | None:
        """Cells of height 0 from one beside the depot to one beside a tower, ``length`` of them."""
        stack: list[list[_Cell]] = [[tower]]
        tried = 0
        while stack and tried < 4000:
            tried += 1
            path = stack.pop()
            if len(path) == length + 1:
                if self.depot in self.near(path[-1]):
                    return path[:0:-1]
                continue
            nexts = [
                one
                for one in self.near(path[-1])
                if not self.height[one] and one != self.depot and one not in path
            ]
            stack += [[*path, one] for one in self.draws.shuffled(nexts)]
        return None

    def walk(self, to: _Cell) -> bool:
        """Go somewhere, up and down by one block at most."""
        came: dict[_Cell, _Cell | None] = {self.at: None}
        queue = [self.at]
        for here in queue:
            for one in self.near(here):
                if one not in came and abs(self.height[one] - self.height[here]) < 2:
                    came[one] = here
                    queue.append(one)
        if to not in came:
            return False
        path, at = [], to
        while came[at] is not None:
            path.append(at)
            at = came[at] or at
        for one in reversed(path):
            a, b = self.height[self.at], self.height[one]
            names = self.name(self.at), self.name(one)
            if a == b:
                self.plan.append(("move", *names, f"n{a}"))
            else:
                word = "up" if b > a else "down"
                self.plan.append((f"move-{word}", names[0], f"n{a}", names[1], f"n{b}"))
            self.at = one
        return True

    def put(self, cell: _Cell, stand: _Cell) -> bool:
        """Bring a block from the depot and put it on a cell from the cell beside it."""
        if not self.loaded:
            if not self.walk(self.depot):
                return False
            self.plan.append(("create-block", self.name(self.depot)))
            self.loaded = True
        if not self.walk(stand) or self.height[stand] != self.height[cell]:
            return False
        h = self.height[cell]
        names = self.name(stand), self.name(cell)
        self.plan.append(("place-block", *names, f"n{h}", f"n{h + 1}"))
        self.height[cell] += 1
        self.loaded = False
        return True

    def take(self, cell: _Cell, stand: _Cell) -> bool:
        """Take the highest block of a cell from the cell beside it, and bring it to the depot."""
        if not self.walk(stand) or self.height[stand] != self.height[cell] - 1:
            return False
        h = self.height[cell]
        names = self.name(stand), self.name(cell)
        self.plan.append(("remove-block", *names, f"n{h}", f"n{h - 1}"))
        self.height[cell] -= 1
        if not self.walk(self.depot):
            return False
        self.plan.append(("destroy-block", self.name(self.depot)))
        return True

    def build(self, stairs: list[_Cell], k: int, height: int) -> bool:
        """Raise cell k of a staircase, with those before it as far as that needs."""
        while self.height[stairs[k]] < height:
            before = self.height[stairs[k]]
            if before and (not k or not self.build(stairs, k - 1, before)):
                return False
            if not self.put(stairs[k], stairs[k - 1] if k else self.depot):
                return False
        return True

    def clear(self, stairs: list[_Cell], k: int, height: int) -> bool:
        """Lower cell k of a staircase; those before it are lowered before as far as that needs."""
        while self.height[stairs[k]] > height:
            below = self.height[stairs[k]] - 1
            if k and not self.clear(stairs, k - 1, below):
                return False
            if not self.take(stairs[k], stairs[k - 1] if k else self.depot):
                return False
        return True

    def all_cleared(self, stairs: list[_Cell]) -> bool:
        return all(self.clear(stairs, k, 0) for k in reversed(range(len(stairs))))

    def made(self) -> Made | None:
        if self.before == self.after:
            return None
        towers = [cell for cell in self.cells if self.before[cell] > self.after[cell]]
        for cell in sorted(towers, key=lambda one: -self.before[one]):
            h = self.before[cell]
            stairs = self.staircase(cell, max(h - 1, 0)) if h > 1 else []
            if stairs is None or (h == 1 and self.depot not in self.near(cell)):
                stairs = self.longer(cell, h)
            if stairs is None:
                return None
            whole = [*stairs, cell]
            if len(stairs) and h > 1 and not self.build(whole, len(stairs) - 1, h - 1):
                return None
            if not self.clear(whole, len(stairs), self.after[cell]) or not self.all_cleared(stairs):
                return None
        towers = [cell for cell in self.cells if self.height[cell] < self.after[cell]]
        for cell in sorted(towers, key=lambda one: -self.after[one]):
            whole_or_none = self.longer(cell, self.after[cell])
            if whole_or_none is None:
                return None
            if not self.build([*whole_or_none, cell], len(whole_or_none), self.after[cell]):
                return None
            if not self.all_cleared(whole_or_none):
                return None
        if self.height != self.after or len(self.plan) > _MOST_STEPS:
            return None
        return self.problem(), self.plan

    def longer(self, cell: _Cell, height: int) -> list[_Cell] | None:
        """The shortest staircase on which a cell can be brought to or from a height."""
        if height <= 1 and self.depot in self.near(cell):
            return []
        for length in range(max(1, height - 1), 12):
            stairs = self.staircase(cell, length)
            if stairs is not None:
                return stairs
        return None

    def problem(self) -> Problem:
        atoms = [f"height {self.name(cell)} n{h}" for cell, h in self.before.items()]
        atoms += [f"at {self.name(self.depot)}", f"is-depot {self.name(self.depot)}"]
        atoms += [f"succ n{k + 1} n{k}" for k in range(_HEIGHT)]
        for cell in self.cells:
            atoms += [f"neighbor {self.name(cell)} {self.name(one)}" for one in self.near(cell)]
        objects = {
            "numb": [f"n{k}" for k in range(_HEIGHT + 1)],
            "position": [self.name(cell) for cell in self.cells],
        }
        goal = [f"height {self.name(cell)} n{h}" for cell, h in self.after.items()]
        others = [("not", wanted("has-block"))]
        return problem_of(self.draws, "termes", objects, atoms, goal, others=others)
