"""Adjudication of Diplomacy written plainly: conditions on all orders together, and no algorithm.

An assignment says of every order whether it succeeds; it is consistent if every order's condition
(DATC 5.B) says the same, given the others. ``solutions`` tries all assignments, so it shows what
the rules determine and what they leave open: a board with one solution has one outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

from stratagym.envs.diplomacy import geography as g

HOLD, MOVE, VIA, SUPPORT, CONVOY = "hold", "move", "via", "support", "convoy"


class Unit(NamedTuple):
    """A unit and its order: ``of`` is the province of the supported or convoyed unit.

    ``target`` of a support is where that unit is to go, or where it is if it is to hold.
    """

    power: int
    verb: str
    target: str = ""
    of: str = ""


Board = dict[str, Unit]
Truth = dict[str, bool]


def _beside(one: str, other: str) -> bool:
    return any(g.AREA_PROVINCE[to] == g.SHORT[other]
               for area in g.areas_of(g.SHORT[one]) for to in g.FLEET_TO[area])  # fmt: skip


def chain(board: Board, start: str, truth: Truth | None) -> bool:
    """Whether fleets that are ordered to, and do if ``truth`` is given, convoy an army there."""
    goal = board[start].target
    fleets = {
        p for p, u in board.items()
        if u.verb == CONVOY and u.of == start and u.target == goal and (not truth or truth[p])
    }  # fmt: skip
    reached = {p for p in fleets if _beside(p, start)}
    while more := {p for p in fleets - reached if any(_beside(p, q) for q in reached)}:
        reached |= more
    return any(_beside(p, goal) for p in reached)


def moves_to(board: Board, province: str) -> list[str]:
    """Who is to move to a province and can come there at all."""
    return [
        p for p, u in board.items()
        if u.target == province and (u.verb == MOVE or (u.verb == VIA and chain(board, p, None)))
    ]  # fmt: skip


def has_effect(board: Board, province: str) -> bool:
    """Whether a unit's order matches those that it is about."""
    unit = board[province]
    if unit.verb in (MOVE, VIA):
        return province in moves_to(board, unit.target)
    partner = board.get(unit.of)
    if unit.verb == CONVOY:
        return partner is not None and (partner.verb, partner.target) == (VIA, unit.target)
    if unit.verb == SUPPORT and partner is not None:
        if unit.of == unit.target:
            return partner.verb not in (MOVE, VIA)
        return partner.verb in (MOVE, VIA) and partner.target == unit.target
    return False


class Conditions:
    """What every order's condition says under an assignment."""

    def __init__(self, board: Board, truth: Truth):
        self.board, self.truth = board, truth

    def holds(self, province: str) -> bool:
        """Whether a matched order succeeds if the others do as assigned."""
        unit = self.board[province]
        if unit.verb in (MOVE, VIA):
            return self.move(province)
        attackers = moves_to(self.board, province)
        if any(self.truth[p] for p in attackers):
            return False
        if unit.verb == CONVOY:
            return True
        return not any(
            self.board[p].power != unit.power and self.path(p) and p != unit.target
            for p in attackers
        )

    def path(self, province: str) -> bool:
        return self.board[province].verb == MOVE or chain(self.board, province, self.truth)

    def head_to_head(self, one: str, other: str) -> bool:
        units = self.board.get(one), self.board.get(other)
        if units[0] is None or units[1] is None or units[0].verb != MOVE or units[1].verb != MOVE:
            return False
        return units[0].target == other and units[1].target == one

    def supports(self, province: str, not_of: int = -1) -> int:
        """Given supports of what a unit is ordered to do, without those of one power."""
        return sum(
            u.of == province and u.verb == SUPPORT and has_effect(self.board, p)
            and self.truth[p] and u.power != not_of
            for p, u in self.board.items()
        )  # fmt: skip

    def leaves(self, province: str) -> bool:
        return self.board[province].verb in (MOVE, VIA) and self.truth.get(province, False)

    def attack(self, province: str) -> int:
        there = self.board[province].target
        if there not in self.board:
            return 1 + self.supports(province)
        if not self.head_to_head(province, there) and self.leaves(there):
            return 1 + self.supports(province)
        owner = self.board[there].power
        return 0 if owner == self.board[province].power else 1 + self.supports(province, owner)

    def resistance(self, province: str) -> int:
        there = self.board[province].target
        if there not in self.board:
            return 0
        if self.head_to_head(province, there):
            return 1 + self.supports(there)
        if self.board[there].verb in (MOVE, VIA):
            return 0 if self.leaves(there) else 1
        return 1 + self.supports(there)

    def prevents(self, province: str) -> int:
        if not self.path(province):
            return 0
        there = self.board[province].target
        if self.head_to_head(province, there) and self.truth[there]:
            return 0
        return 1 + self.supports(province)

    def move(self, province: str) -> bool:
        if not self.path(province):
            return False
        strength = self.attack(province)
        rivals = [p for p in moves_to(self.board, self.board[province].target) if p != province]
        return strength > max([self.resistance(province), *map(self.prevents, rivals)])


def solutions(board: Board) -> Iterator[Truth]:
    """All consistent assignments of the orders that match."""
    orders = [province for province in board if has_effect(board, province)]
    nothing = {province: False for province in board if province not in orders}
    for values in product((True, False), repeat=len(orders)):
        truth = {**dict(zip(orders, values, strict=True)), **nothing}
        conditions = Conditions(board, truth)
        if all(conditions.holds(province) == truth[province] for province in orders):
            yield truth
