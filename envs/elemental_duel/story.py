"""A duel told from its events: the fighters of both sides after each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from stratagym.envs.elemental_duel.fight import (
    BLOCKED,
    DEATH,
    HEAL,
    HIT,
    OFF,
    ON,
    RETURNED,
    SHIELDED,
    SKILL,
    STATUS_NAMES,
    TICK,
    TIDES,
)  # fmt: skip
from stratagym.envs.elemental_duel.tables import ELEMENTS, FIGHTERS, HP, NAMES

SIDES = ("invaders", "defenders")


@dataclass(eq=False)
class Fighter:
    """A fighter in a duel.

    Attributes:
        skills: the numbers of its skills, in order. statuses: what was set on it and not taken off,
            with layers or charges; they may have run out since.
    """

    element: int
    skills: list[int]
    health: int
    most: int
    shield: int = 0
    wall: int = 0
    statuses: dict[int, int] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return ELEMENTS[self.element]

    def __str__(self) -> str:
        return f"{self.name} {self.health}/{self.most}"


class Duel:
    """The six fighters; the plans are those of ``field`` of ``s``, as far as they are made.

    Args:
        name: ``plan``, or ``last_plan`` of the round before.
    """

    def __init__(self, rules: Any, s: Any, name: str = "last_plan"):
        self.fighters: list[Fighter | None] = []
        for seat, n in enumerate(s["last_n" if name == "last_plan" else "n"].tolist()):
            most = int(HP[rules.released, seat])
            for k in range(FIGHTERS):
                chosen = min(max(n - 4 * k, 0), 4)
                row = s[name][seat, k].tolist()
                element = FIGHTERS * seat + row[0]
                skills = [6 * element + skill for skill in row[1:chosen]]
                self.fighters.append(Fighter(element, skills, most, most) if chosen else None)

    def fighter(self, number: int) -> Fighter:
        """A fighter by its number in events."""
        found = self.fighters[number]
        assert found is not None
        return found

    def apply(self, event: Iterable[int]) -> None:
        """Let one event happen."""
        _, kind, _, target, amount, extra = (int(part) for part in event)
        one = self.fighters[target] if target >= 0 else None
        if one is None:
            return
        if kind == HIT or kind == HEAL:
            one.health = extra
        elif kind == RETURNED:
            self.fighter(int(list(event)[2])).health = extra
        elif kind == TICK:
            one.health -= amount
        elif kind == BLOCKED:
            part = min(one.shield, amount)
            one.shield -= part
            one.wall -= amount - part
        elif kind == SHIELDED:
            if extra:
                one.wall = amount
            else:
                one.shield = amount
        elif kind == ON:
            one.statuses[amount] = extra
        elif kind == OFF:
            one.statuses.pop(amount, None)
            if STATUS_NAMES[amount] == "shield":
                one.shield = 0

    def tell(self, event: Iterable[int]) -> str:
        """One event in a few words, as it is about to happen."""
        _, kind, actor, target, amount, extra = (int(part) for part in event)
        who = self.fighter(actor).name
        whom = self.fighter(target).name if target >= 0 else ""
        if kind == SKILL:
            return f"{who} uses {NAMES[amount]}" + (f" on {whom}" if whom != who else "")
        if kind == HIT:
            return f"{whom} loses {amount}" if actor != target else f"{who} gives {amount} HP"
        if kind == BLOCKED:
            return f"{whom}'s shield takes {amount}"
        if kind == RETURNED:
            return f"{who} takes {amount} back from {whom}"
        if kind == TICK:
            return f"{whom} loses {amount} by {STATUS_NAMES[extra]}"
        if kind == HEAL:
            return f"{whom} regains {amount}"
        if kind == DEATH:
            return f"{whom} dies"
        if kind == SHIELDED:
            return f"{whom} has a shield of {amount}"
        if kind == ON and amount == TIDES:
            return f"{whom} has {extra} tide"
        return f"{whom}: {STATUS_NAMES[amount]} {'on' if kind == ON else 'off'}"


def summary(rules: Any, s: Any, events: Any, lines: int) -> list[str]:
    """Who died when and by what, and who is left, in at most so many lines.

    Args:
        s: a record after the round. events: of the round, as ``sealed.last_events`` tells them.
    """
    duel, told, last = Duel(rules, s), [], ""
    damage: dict[str, int] = {}
    for event in events:
        kind, actor, target = int(event[1]), int(event[2]), int(event[3])
        if kind == SKILL:
            last = f"{duel.fighter(actor).name}'s {NAMES[int(event[4])]}"
        elif kind == HIT and actor != target:
            damage[last] = damage.get(last, 0) + int(event[4])
        elif kind == DEATH:
            number = int(event[0]) // 100
            by = "what worked on it" if actor == target else duel.fighter(actor).name
            told.append(f"Round {number}: {duel.fighter(target).name} died, by {by}.")
        duel.apply(event)
    for side in range(2):
        fighters = duel.fighters[FIGHTERS * side : FIGHTERS * (side + 1)]
        left = ", ".join(str(one) for one in fighters if one and one.health > 0)
        told.append(f"Left of the {SIDES[side]} (HP): {left or 'nobody'}.")
    most = sorted(damage.items(), key=lambda pair: -pair[1])[: max(0, min(3, lines - len(told)))]
    told += [f"{skill} took {amount} HP in all." for skill, amount in most]
    return told[:lines]
