"""The card game: all suits home from ace to king, with four free cells."""

from __future__ import annotations

from itertools import pairwise

from stratagym.envs.planning.domains.making import Draws, Made, problem_of

PDDL = """\
(define (domain freecell)
  (:types
    card colnum cellnum num suit)
  (:predicates
    (on ?c1 ?c2 - card) (incell ?c - card) (clear ?c - card) (cellspace ?n - cellnum)
    (colspace ?n - colnum) (home ?c - card) (bottomcol ?c - card) (canstack ?c1 ?c2 - card)
    (hassuit ?c - card ?s - suit) (value ?c - card ?v - num) (successor ?n1 ?n0 - num)
    (colsuccessor ?n1 ?n0 - colnum) (cellsuccessor ?n1 ?n0 - cellnum))
  (:action move
    :parameters (?card ?oldcard ?newcard - card)
    :precondition (and
      (clear ?card) (clear ?newcard) (canstack ?card ?newcard) (on ?card ?oldcard))
    :effect (and
      (on ?card ?newcard) (clear ?oldcard) (not (on ?card ?oldcard)) (not (clear ?newcard))))
  (:action move-b
    :parameters (?card ?newcard - card ?cols ?ncols - colnum)
    :precondition (and
      (clear ?card) (bottomcol ?card) (clear ?newcard) (canstack ?card ?newcard)
      (colspace ?cols) (colsuccessor ?ncols ?cols))
    :effect (and
      (on ?card ?newcard) (colspace ?ncols) (not (bottomcol ?card)) (not (clear ?newcard))
      (not (colspace ?cols))))
  (:action sendtofree
    :parameters (?card ?oldcard - card ?cells ?ncells - cellnum)
    :precondition (and
      (clear ?card) (on ?card ?oldcard) (cellspace ?cells) (cellsuccessor ?cells ?ncells))
    :effect (and
      (incell ?card) (clear ?oldcard) (cellspace ?ncells) (not (on ?card ?oldcard))
      (not (clear ?card)) (not (cellspace ?cells))))
  (:action sendtofree-b
    :parameters (?card - card ?cells ?ncells - cellnum ?cols ?ncols - colnum)
    :precondition (and
      (clear ?card) (bottomcol ?card) (cellspace ?cells) (cellsuccessor ?cells ?ncells)
      (colspace ?cols) (colsuccessor ?ncols ?cols))
    :effect (and
      (incell ?card) (colspace ?ncols) (cellspace ?ncells) (not (bottomcol ?card))
      (not (clear ?card)) (not (colspace ?cols)) (not (cellspace ?cells))))
  (:action sendtonewcol
    :parameters (?card ?oldcard - card ?cols ?ncols - colnum)
    :precondition (and
      (clear ?card) (colspace ?cols) (colsuccessor ?cols ?ncols) (on ?card ?oldcard))
    :effect (and
      (bottomcol ?card) (clear ?oldcard) (colspace ?ncols) (not (on ?card ?oldcard))
      (not (colspace ?cols))))
  (:action sendtohome
    :parameters (?card ?oldcard - card ?suitname - suit ?vcard - num ?homecard - card
      ?vhomecard - num)
    :precondition (and
      (clear ?card) (on ?card ?oldcard) (home ?homecard) (hassuit ?card ?suitname)
      (hassuit ?homecard ?suitname) (value ?card ?vcard) (value ?homecard ?vhomecard)
      (successor ?vcard ?vhomecard))
    :effect (and
      (home ?card) (clear ?oldcard) (not (on ?card ?oldcard)) (not (home ?homecard))
      (not (clear ?card))))
  (:action sendtohome-b
    :parameters (?card - card ?suitname - suit ?vcard - num ?homecard - card ?vhomecard - num
      ?cols ?ncols - colnum)
    :precondition (and
      (clear ?card) (bottomcol ?card) (home ?homecard) (hassuit ?card ?suitname)
      (hassuit ?homecard ?suitname) (value ?card ?vcard) (value ?homecard ?vhomecard)
      (successor ?vcard ?vhomecard) (colspace ?cols) (colsuccessor ?ncols ?cols))
    :effect (and
      (home ?card) (colspace ?ncols) (not (home ?homecard)) (not (clear ?card))
      (not (bottomcol ?card)) (not (colspace ?cols))))
  (:action homefromfreecell
    :parameters (?card - card ?suitname - suit ?vcard - num ?homecard - card ?vhomecard - num
      ?cells ?ncells - cellnum)
    :precondition (and
      (incell ?card) (home ?homecard) (hassuit ?card ?suitname)
      (hassuit ?homecard ?suitname) (value ?card ?vcard) (value ?homecard ?vhomecard)
      (successor ?vcard ?vhomecard) (cellspace ?cells) (cellsuccessor ?ncells ?cells))
    :effect (and
      (home ?card) (cellspace ?ncells) (not (incell ?card)) (not (cellspace ?cells))
      (not (home ?homecard))))
  (:action colfromfreecell
    :parameters (?card ?newcard - card ?cells ?ncells - cellnum)
    :precondition (and
      (incell ?card) (clear ?newcard) (canstack ?card ?newcard) (cellspace ?cells)
      (cellsuccessor ?ncells ?cells))
    :effect (and
      (cellspace ?ncells) (clear ?card) (on ?card ?newcard) (not (incell ?card))
      (not (cellspace ?cells)) (not (clear ?newcard))))
  (:action newcolfromfreecell
    :parameters (?card - card ?cols ?ncols - colnum ?cells ?ncells - cellnum)
    :precondition (and
      (incell ?card) (colspace ?cols) (cellspace ?cells) (colsuccessor ?cols ?ncols)
      (cellsuccessor ?ncells ?cells))
    :effect (and
      (bottomcol ?card) (clear ?card) (colspace ?ncols) (cellspace ?ncells)
      (not (incell ?card)) (not (colspace ?cols)) (not (cellspace ?cells)))))
"""


_SUITS, _RED = "chsd", "hd"
_COLUMNS, _CELLS = 8, 4


def generate(draws: Draws) -> Made:
    """4 cells, 8 columns, 2 suits of 4 ranks at size 1 to 4 suits of 13 at size 9.

    The deal is played backwards from the end, by moves that the rules allow forwards, so that a
    plan is known.
    """
    while True:
        found = _Table(draws).made()
        if found:
            return found


class _Table:
    """Columns, cells and homes, as they are before the moves of ``plan`` in reverse.

    A card is (suit, rank), rank 0 is the base of a home. A column lists its cards from below.
    """

    def __init__(self, draws: Draws):
        self.draws = draws
        ranks = (4, 5, 6, 7, 8, 9, 10, 12, 13)
        size = draws.size if isinstance(draws.size, int) else 9
        self.suits = _SUITS[: (2, 2, 3, 3, 4, 4, 4, 4, 4)[size - 1]]
        self.ranks = ranks[size - 1]
        self.columns: list[list[tuple[str, int]]] = [[] for _ in range(_COLUMNS)]
        self.cells: list[tuple[str, int]] = []
        self.home = dict.fromkeys(self.suits, self.ranks)
        self.backwards: list[tuple[str, ...]] = []

    @staticmethod
    def name(card: tuple[str, int]) -> str:
        return f"{card[0]}{'a' if card[1] == 1 else card[1]}"

    @staticmethod
    def fits(card: tuple[str, int], lower: tuple[str, int]) -> bool:
        """Whether a card may be put on another."""
        return lower[1] == card[1] + 1 and (card[0] in _RED) != (lower[0] in _RED)

    def free_columns(self) -> int:
        return sum(not column for column in self.columns)

    def free_cells(self) -> int:
        return _CELLS - len(self.cells)

    def from_home(self) -> bool:
        """Undo the move of a card home: it comes to lie on a column."""
        suits = [suit for suit, rank in self.home.items() if rank]
        if not suits:
            return False
        suit = self.draws.one_of(suits)
        rank = self.home[suit]
        card, below = (suit, rank), (suit, rank - 1)
        column = self.draws.one_of(self.columns)
        tail = (self.name(card), suit, f"n{rank}", self.name(below), f"n{rank - 1}")
        if column:
            self.backwards.append(("sendtohome", tail[0], self.name(column[-1]), *tail[1:]))
        else:
            # Forwards the column becomes empty: now there is one fewer.
            after = self.free_columns()
            step = ("sendtohome-b", *tail, f"coln{after - 1}", f"coln{after}")
            self.backwards.append(step)
        column.append(card)
        self.home[suit] -= 1
        return True

    def from_column(self) -> bool:
        """Undo the move of a card to where it lies: it comes to lie elsewhere."""
        able = [
            column
            for column in self.columns
            if column and (len(column) == 1 or self.fits(column[-1], column[-2]))
        ]
        if not able:
            return False
        source = self.draws.one_of(able)
        target = self.draws.one_of([column for column in self.columns if column is not source])
        card = source[-1]
        told = self.name(card)
        if len(source) == 1 and not target:
            return False
        before = self.free_columns()
        step: tuple[str, ...]
        if len(source) == 1:
            step = ("sendtonewcol", told, self.name(target[-1]), f"coln{before + 1}",
                    f"coln{before}")  # fmt: skip
        elif target:
            step = ("move", told, self.name(target[-1]), self.name(source[-2]))
        else:
            step = ("move-b", told, self.name(source[-2]), f"coln{before - 1}", f"coln{before}")
        self.backwards.append(step)
        target.append(source.pop())
        return True

    def to_cell(self) -> bool:
        """Undo the move of a card from a cell to where it lies."""
        able = [
            column
            for column in self.columns
            if column and (len(column) == 1 or self.fits(column[-1], column[-2]))
        ]
        if not able or not self.free_cells():
            return False
        source = self.draws.one_of(able)
        card = source.pop()
        after, cells = self.free_columns(), self.free_cells()
        told, count = self.name(card), (f"celln{cells - 1}", f"celln{cells}")
        if source:
            self.backwards.append(("colfromfreecell", told, self.name(source[-1]), *count))
        else:
            step = ("newcolfromfreecell", told, f"coln{after}", f"coln{after - 1}", *count)
            self.backwards.append(step)
        self.cells.append(card)
        return True

    def from_cell(self) -> bool:
        """Undo the move of a card to a cell: it comes to lie on a column."""
        if not self.cells:
            return False
        card = self.cells.pop(self.draws.below(len(self.cells)))
        column, cells = self.draws.one_of(self.columns), self.free_cells()
        told, count = self.name(card), (f"celln{cells}", f"celln{cells - 1}")
        if column:
            self.backwards.append(("sendtofree", told, self.name(column[-1]), *count))
        else:
            after = self.free_columns()
            step = ("sendtofree-b", told, *count, f"coln{after - 1}", f"coln{after}")
            self.backwards.append(step)
        column.append(card)
        return True

    def made(self) -> Made | None:
        cards, draws = len(self.suits) * self.ranks, self.draws
        while any(self.home.values()):
            move = draws.below(6)
            if move == 0:
                self.from_home()
            elif move < 3:
                self.from_column()
            elif move == 3:
                self.to_cell()
            else:
                self.from_cell()
            if len(self.backwards) > 400 * cards:
                return None
        while self.cells:
            self.from_cell()
        for _ in range(cards):
            self.from_column()
        plan = self.backwards[::-1]
        atoms = ["cellspace celln4", f"colspace coln{self.free_columns()}"]
        for column in self.columns:
            if column:
                atoms += [f"bottomcol {self.name(column[0])}", f"clear {self.name(column[-1])}"]
            for lower, upper in pairwise(column):
                atoms.append(f"on {self.name(upper)} {self.name(lower)}")
        deck = [(suit, rank) for suit in self.suits for rank in range(self.ranks + 1)]
        for card in deck:
            atoms += [f"value {self.name(card)} n{card[1]}", f"hassuit {self.name(card)} {card[0]}"]
            if card[1] > 0:
                fitting = [one for one in deck if self.fits(card, one)]
                atoms += [f"canstack {self.name(card)} {self.name(one)}" for one in fitting]
        atoms += [f"home {suit}0" for suit in self.suits]
        for word, short, most in (
            ("successor", "n", self.ranks),
            ("cellsuccessor", "celln", _CELLS),
            ("colsuccessor", "coln", _COLUMNS),
        ):
            atoms += [f"{word} {short}{k} {short}{k - 1}" for k in range(1, most + 1)]
        objects = {
            "card": [self.name(card) for card in deck],
            "colnum": [f"coln{k}" for k in range(_COLUMNS + 1)],
            "cellnum": [f"celln{k}" for k in range(_CELLS + 1)],
            "num": [f"n{k}" for k in range(self.ranks + 1)],
            "suit": list(self.suits),
        }
        goal = [f"home {self.name((suit, self.ranks))}" for suit in self.suits]
        return problem_of(draws, "freecell", objects, atoms, goal), plan
