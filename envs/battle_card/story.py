"""A battle told from its events: the units of both sides after each of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from stratagym.envs.battle_card.battle import (
    BURNT,
    DEATH,
    GROWTH,
    HIT,
    REVIVE,
    SHIELDED,
    START,
    STRIKE,
    SUMMON,
)  # fmt: skip
from stratagym.envs.battle_card.tables import (
    GOLD,
    NAMES,
    NUMBERS,
    PALADIN,
    SOLDIER,
    TIDE_GUARDIAN,
    UNITS,
)  # fmt: skip

SIDES = ("invaders", "defenders")


@dataclass(eq=False)
class Unit:
    """A unit in a battle; ``tier`` is 1 bronze, 2 gold."""

    kind: int
    tier: int
    attack: int
    health: int
    shield: bool
    burn: int = 0
    alive: bool = True

    @property
    def name(self) -> str:
        return NAMES[self.kind] + (" (gold)" if self.tier == GOLD else "")

    def __str__(self) -> str:
        shield = ", shield" if self.shield else ""
        burn = f", burns {self.burn}" if self.burn else ""
        return f"{self.name} {self.attack}/{self.health}{shield}{burn}"


def new_unit(rules: Any, kind: int, tier: int) -> Unit:
    """A unit as it joins."""
    attack, health = (int(number) * tier for number in NUMBERS[rules.released, kind, 1:])
    return Unit(kind, tier, attack, health, kind in (PALADIN, TIDE_GUARDIAN, SOLDIER))


class Battle:
    """The units of both sides, in order of joining; the plans are those of ``field`` of ``s``.

    Args:
        field: ``plan``, or ``last_plan`` of the round before.
    """

    def __init__(self, rules: Any, s: Any, field: str = "last_plan"):
        self.rules = rules
        self.sides: list[list[Unit]] = []
        for side, n in enumerate(s["last_n" if field == "last_plan" else "n"].tolist()):
            plan = s[field][side][:n].tolist()
            self.sides.append(
                [new_unit(rules, UNITS * side + unit, GOLD if gold else 1) for unit, gold in plan]
            )

    def unit(self, number: int) -> Unit:
        """A unit by its number in events."""
        side = min(number // 64, 1)
        return self.sides[side][number - 64 * side]

    def apply(self, event: Iterable[int]) -> None:
        """Let one event happen."""
        _, kind, actor, target, amount, extra = (int(part) for part in event)
        if kind == START:
            self.unit(target).attack += amount
            self.unit(target).health += extra
        elif kind == HIT:
            self.unit(target).health = extra
        elif kind == SHIELDED:
            self.unit(target).shield = bool(amount)
        elif kind == BURNT and actor == target:
            self.unit(actor).health = extra
        elif kind == BURNT:
            self.unit(target).burn = amount
        elif kind == DEATH:
            self.unit(actor).alive = False
        elif kind == SUMMON:
            self.sides[min(actor // 64, 1)].append(new_unit(self.rules, amount, extra))
        elif kind == REVIVE:
            self.unit(actor).health, self.unit(actor).burn = amount, 0
        elif kind == GROWTH:
            self.unit(actor).attack += amount
            self.unit(actor).health += extra

    def living(self, side: int) -> list[Unit]:
        """A side's living units from left to right."""
        return [unit for unit in self.sides[side] if unit.alive]

    def tell(self, event: Iterable[int]) -> str:
        """One event in a few words, as it is about to happen."""
        _, kind, actor, target, amount, extra = (int(part) for part in event)
        if kind == SUMMON:
            return f"{self.unit(actor).name} summons {NAMES[amount]}"
        who = self.unit(actor).name
        whom = self.unit(target).name if target >= 0 else ""
        if kind == START:
            return f"{who} gives {whom} +{amount}/+{extra}"
        if kind == STRIKE:
            return f"{who} attacks {whom}"
        if kind == HIT:
            return f"{who} does {amount} to {whom}"
        if kind == SHIELDED and actor == target:
            return f"{who} loses its shield by burning"
        if kind == SHIELDED:
            return f"{who} gives {whom} a shield" if amount else f"{who} breaks {whom}'s shield"
        if kind == BURNT:
            return f"{who} loses {amount} by burning" if actor == target else f"{who} burns {whom}"
        if kind == DEATH:
            return f"{who} dies"
        if kind == REVIVE:
            return f"{who} comes back"
        if target >= 0:
            return f"{who} regains {extra}"
        return f"{who} has {amount:+d} attack" if amount else f"{who} has {extra:+d} health"


def summary(rules: Any, s: Any, events: Any, lines: int) -> list[str]:
    """Who died in which round and who is left, in at most so many lines.

    Args:
        s: a record after the round. events: of the round, as ``sealed.last_events`` tells them.
    """
    battle = Battle(rules, s)
    rounds: dict[int, tuple[list[str], list[str]]] = {}
    for event in events:
        if event[1] == DEATH:
            fallen = rounds.setdefault(int(event[0]) // 100, ([], []))
            fallen[min(int(event[2]) // 64, 1)].append(battle.unit(int(event[2])).name)
        battle.apply(event)
    told = []
    for number, fallen in rounds.items():
        lost = [f"the {SIDES[k]} lost {', '.join(dead)}" for k, dead in enumerate(fallen) if dead]
        told.append(f"Round {number}: {'; '.join(lost)}.")
    most = lines - 2
    if len(told) > most:
        left_out = len(told) - most + 1
        told = [
            *told[: most // 2],
            f"({left_out} rounds with losses left out)",
            *told[-(most // 2) :],
        ]
    for side in range(2):
        left = ", ".join(map(str, battle.living(side)))
        told.append(f"Left of the {SIDES[side]} (attack/health): {left or 'nobody'}.")
    return told
