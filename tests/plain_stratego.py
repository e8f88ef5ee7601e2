"""Stratego written a second time, as plainly as possible: dicts of pieces, sets of borders, and
positions that are kept whole.

A cell is (row, column), row 0 Red's back row. Options are the words of the game's page.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise

KINDS = {
    "spy": 1, "scout": 2, "miner": 3, "sergeant": 4, "lieutenant": 5, "captain": 6, "major": 7,
    "colonel": 8, "general": 9, "marshal": 10, "flag": 11, "bomb": 12,
}  # fmt: skip
CLASSIC = Counter(
    spy=1, scout=8, miner=5, sergeant=4, lieutenant=4, captain=4, major=3, colonel=2, general=1,
    marshal=1, flag=1, bomb=6,
)  # fmt: skip
BARRAGE = Counter(spy=1, scout=2, miner=1, general=1, marshal=1, flag=1, bomb=1)
SIX = Counter(sergeant=1, lieutenant=1, captain=1, major=1, colonel=1, flag=1)
FIVE = Counter(sergeant=1, lieutenant=1, captain=1, major=1, flag=1)
LAKES = {(r, c) for r in (4, 5) for c in (2, 3, 6, 7)}
LAKES_8 = {(r, c) for r in (3, 4) for c in (2, 5)}
BOARDS = {
    "classic": (10, 4, LAKES, CLASSIC, 2000),
    "barrage": (10, 4, LAKES, BARRAGE, 1000),
    "barrage8": (8, 3, LAKES_8, BARRAGE, 1000),
    "six": (6, 1, set(), SIX, 200),
    "five": (5, 1, set(), FIVE, 60),
}
"""Rows and columns, home rows, lakes, pieces, most moves."""


@dataclass
class Piece:
    """A piece: who owns it, what it is, and what the other side knows of it."""

    seat: int
    kind: str
    number: int
    shown: bool = False
    moved: bool = False


@dataclass
class Move:
    """What a seat did: from, to, whether it attacked."""

    start: tuple[int, int]
    end: tuple[int, int]
    attack: bool


def next_to(a, b):
    """Whether two cells are orthogonal neighbours."""
    return abs(a[0] - b[0]) + abs(a[1] - b[1]) == 1


def path(start, end):
    """The cells of a straight move, without its start."""
    (a, b), (c, d) = start, end
    step = ((c > a) - (c < a), (d > b) - (d < b))
    cells, at = [], start
    while at != end:
        at = (at[0] + step[0], at[1] + step[1])
        cells.append(at)
    return cells


def borders(start, end):
    """The borders between cells that a straight move crosses."""
    cells = [start, *path(start, end)]
    return {frozenset(pair) for pair in pairwise(cells)}


@dataclass
class Referee:
    """A game from two setups: ``pieces`` by cells, ``history`` of whole positions."""

    board: str
    two_square: str = "three"
    chase: str = "pieces"
    no_attack: int = 200
    max_moves: int = 0
    both_stuck: str = "draw"
    pieces: dict[tuple[int, int], Piece] = field(default_factory=dict)
    mover: int = 0
    over: str = ""
    winner: int | None = None
    quiet: int = 0
    played: list[list[Move]] = field(default_factory=lambda: [[], []])
    trail: list[list[tuple]] = field(default_factory=lambda: [[], []])
    chased: list[int] = field(default_factory=lambda: [0, 0])
    old: list = field(default_factory=lambda: [None, None])
    history: list = field(default_factory=list)

    def __post_init__(self):
        self.size, self.home, self.lakes, self.army, most = BOARDS[self.board]
        self.max_moves = self.max_moves or most

    def put(self, seat, kind, cell):
        self.pieces[cell] = Piece(seat, kind, len(self.pieces))

    def begin(self, mover=0):
        self.mover = mover
        self.history = [self.position()]
        self.look_for_stuck()

    def position(self):
        """Who stands where, as the chasing rule compares it."""
        if self.chase == "kinds":
            return frozenset((cell, p.seat, p.kind) for cell, p in self.pieces.items())
        return frozenset((cell, p.number) for cell, p in self.pieces.items())

    # --- legal moves -----------------------------------------------------------------------------

    def reachable(self, cell):
        """Where the piece on a cell could go if nothing were ever repeated."""
        piece = self.pieces[cell]
        if piece.kind in ("flag", "bomb"):
            return []
        found = []
        for down, right in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            at = cell
            for _ in range(self.size if piece.kind == "scout" else 1):
                at = (at[0] + down, at[1] + right)
                if not (0 <= at[0] < self.size and 0 <= at[1] < self.size) or at in self.lakes:
                    break
                there = self.pieces.get(at)
                if there is None or there.seat != piece.seat:
                    found.append(at)
                if there is not None:
                    break
        return found

    def legal(self, seat):
        """All legal moves of a seat: (from, to)."""
        return {
            (start, end)
            for start, piece in self.pieces.items()
            if piece.seat == seat
            for end in self.reachable(start)
            if not self.is_two_square(seat, start, end) and not self.is_chase(seat, start, end)
        }

    def is_two_square(self, seat, start, end):
        """``trail`` holds the last moves of the piece that the seat moved last, the newest last."""
        trail = self.trail[seat]
        if not trail or trail[-1][1] != start:
            return False
        if self.two_square == "three":
            if len(trail) < 3:
                return False
            common = borders(start, end)
            for one in trail[-3:]:
                common &= borders(*one)
            return bool(common)
        if self.two_square == "five":
            last = [*trail[-5:], (start, end)]
            return len(last) == 6 and len({frozenset(one) for one in last}) == 1
        return False

    def is_chase(self, seat, start, end):
        length = self.chased[seat]
        if self.chase == "none" or length < 2 or end in self.pieces:
            return False
        if not self.threatens(seat, end) or self.old[seat] == (end, start):
            return False
        after = dict(self.pieces)
        after[end] = after.pop(start)
        kept, self.pieces = self.pieces, after
        reached = self.position()
        self.pieces = kept
        now = len(self.history) - 1
        earlier = self.history[max(0, now - min(length - 1, 254)) : now]
        return reached in earlier

    def threatens(self, seat, cell):
        return any(next_to(cell, at) for at, piece in self.pieces.items() if piece.seat != seat)

    # --- playing ---------------------------------------------------------------------------------

    def play(self, start, end):
        seat, other = self.mover, 1 - self.mover
        piece, enemy = self.pieces[start], self.pieces.get(end)
        piece.moved = True
        self.quiet += 1
        self.remember(seat, start, end)
        del self.pieces[start]
        taken = False
        if enemy is None:
            self.pieces[end] = piece
            piece.shown |= len(path(start, end)) > 1
        else:
            self.quiet = 0
            piece.shown = enemy.shown = True
            attacker_lives, defender_lives = self.battle(piece.kind, enemy.kind)
            taken = enemy.kind == "flag"
            if not defender_lives:
                del self.pieces[end]
                if self.trail[other] and self.trail[other][-1][1] == end:
                    self.trail[other] = []
            if attacker_lives:
                self.pieces[end] = piece
            else:
                self.trail[seat] = []
        self.count_chase(seat, start, end, enemy is not None)
        self.history.append(self.position())
        self.mover = other
        if taken:
            self.over, self.winner = "flag", seat
            return
        self.look_for_stuck()
        if not self.over and len(self.history) - 1 >= self.max_moves:
            self.over = "max_moves"
        if not self.over and self.no_attack and self.quiet >= self.no_attack:
            self.over = "no_attack"

    def remember(self, seat, start, end):
        trail = self.trail[seat]
        if trail and trail[-1][1] == start:
            trail.append((start, end))
            if self.two_square == "three":  # a turn into the other direction begins anew
                along = {cell[0] for one in trail[-2:] for cell in one}
                across = {cell[1] for one in trail[-2:] for cell in one}
                if len(along) > 1 and len(across) > 1:
                    self.trail[seat] = trail[-1:]
        else:
            self.trail[seat] = [(start, end)]

    def count_chase(self, seat, start, end, attack):
        other = 1 - seat
        fled = self.old[other] is not None and next_to(start, self.old[other][1])
        self.chased[other] = self.chased[other] + 1 if fled else 0
        if attack:
            self.chased = [0, 0]
        self.chased[seat] = self.chased[seat] + 1 if self.threatens(seat, end) else 0
        self.old[seat] = (start, end)

    @staticmethod
    def battle(attacker, defender):
        """(whether the attacker lives, whether the defender does)."""
        if defender == "flag" or (attacker, defender) in (("miner", "bomb"), ("spy", "marshal")):
            return True, False
        if defender == "bomb":
            return False, True
        strength = KINDS[attacker] - KINDS[defender]
        return strength > 0, strength < 0

    def look_for_stuck(self):
        if not self.legal(self.mover):
            if self.legal(1 - self.mover):
                self.over, self.winner = "stuck", 1 - self.mover
            else:
                self.over = "both_stuck"
                self.winner = 1 - self.mover if self.both_stuck == "mover_wins" else None
