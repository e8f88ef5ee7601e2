"""Who attacked and who helped whom in a game of Diplomacy, and the alliances that follow from it.

An alliance is *observed* in what is ordered, or *declared* in what is said and accepted.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy.listing import CONVOY, SUPPORT_HOLD, SUPPORT_MOVE
from stratagym.envs.diplomacy.metrics import Movement, attacked, holders, units_of
from stratagym.envs.diplomacy.orders import TARGET, THIRD
from stratagym.envs.diplomacy.state import VOID
from stratagym.envs.diplomacy.tables import ARMY, NUM_POWERS, ORDERS

WINDOW = 4
"""Movement phases, the running one included, in which allies helped and did not attack."""


@dataclass(frozen=True)
class Relations:
    """What the powers did to each other, by movement phase: (T, 7, 7) bool, [phase, who, whom].

    Attributes:
        attacks: who ordered a unit to move to where the other had a unit or a centre, or gave a
            valid support to anybody's move there. helps: who gave a valid support or convoy to the
            other's unit. contact: in whose reach the other was, in both directions.
        alive: (T, 7), who had units or centres. orders: (T, 7), how many movement orders.
    """

    attacks: np.ndarray
    helps: np.ndarray
    contact: np.ndarray
    alive: np.ndarray
    orders: np.ndarray

    @property
    def allied(self) -> np.ndarray:
        """(T, 7, 7): observed alliances.

        The two were in contact, neither attacked the other in the last ``WINDOW`` movement
        phases, and in these at least one helped the other.
        """
        return self._quiet & self._within(self.helps)

    @property
    def at_peace(self) -> np.ndarray:
        """(T, 7, 7): the same without help."""
        return self._quiet & ~self._within(self.helps)

    @property
    def _quiet(self) -> np.ndarray:
        return self.contact & ~self._within(self.attacks)

    @staticmethod
    def _within(done: np.ndarray) -> np.ndarray:
        """Whether something was done by either of two in the window that ends with each phase."""
        both = done | done.transpose(0, 2, 1)
        found = both.copy()
        for back in range(1, WINDOW):
            found[back:] |= both[: len(both) - back]
        return found


def relations_of(movements: Sequence[Movement]) -> Relations:
    """The relations of a game's movement phases."""
    shape = len(movements), NUM_POWERS, NUM_POWERS
    attacks, helps, contact = (np.zeros(shape, np.bool_) for _ in range(3))
    alive, orders = np.zeros(shape[:2], np.bool_), np.zeros(shape[:2], np.int64)
    for t, movement in enumerate(movements):
        s = movement.before[0]
        for place, action in movement.orders.items():
            who = int(s["owner"][place])
            orders[t, who] += 1
            if movement.results[place] == VOID:
                continue
            for other in attacked(s, action):
                attacks[t, who, other] = True
            helped = _helped(s, action)
            if helped not in (-1, who):
                helps[t, who, helped] = True
        owners = set(s["owner"].tolist()) | set(s["centre_owner"].tolist())
        reached = [_reached(s, power) for power in range(NUM_POWERS)]
        for who in range(NUM_POWERS):
            alive[t, who] = who in owners
            for other in reached[who]:
                contact[t, who, other] = contact[t, other, who] = True
    return Relations(attacks, helps, contact, alive, orders)


def _helped(s: Any, action: int) -> int:
    """The power whose unit an order supports or convoys, or -1."""
    order = int(ORDERS[action])
    if order & 255 not in (SUPPORT_HOLD, SUPPORT_MOVE, CONVOY):
        return -1
    place = order >> TARGET & 127 if order & 255 == SUPPORT_HOLD else order >> THIRD & 127
    return int(s["owner"][place])


def _reached(s: Any, power: int) -> set[int]:
    """The other powers that have a unit or a centre where a unit of a power can move to."""
    found: set[int] = set()
    for province in units_of(s, power):
        steps = g.ARMY_TO if s["unit"][province] == ARMY else g.FLEET_TO
        for to in steps[s["area"][province]]:
            found |= holders(s, int(g.AREA_PROVINCE[to]))
    return found - {power}


def in_contact(s: Any, one: int, other: int) -> bool:
    """Whether a unit of either power can move to a unit or centre of the other."""
    return other in _reached(s, one) or one in _reached(s, other)


# --- alliances -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Alliances:
    """Alliances of one kind in a game.

    Attributes:
        allied: (T, 7, 7), symmetric: after which phases two were allies.
        in_force: (T, 7, 7): the same as the orders of a phase were written.
    """

    allied: np.ndarray
    in_force: np.ndarray

    def lengths(self, own: Collection[int]) -> list[int]:
        """How many phases in a row each alliance lasted in which one of some powers was."""
        found = []
        for one in range(NUM_POWERS):
            for other in range(one + 1, NUM_POWERS):
                if one in own or other in own:
                    found += _runs(self.allied[:, one, other].tolist())
        return found


def observed(relations: Relations) -> Alliances:
    """Alliances as orders show them; in force is one that held after the phase before."""
    allied = relations.allied
    before = np.zeros_like(allied)
    before[1:] = allied[:-1]
    return Alliances(allied, before)


def declared(
    relations: Relations,
    accepted: Iterable[tuple[int, int, int]],
    ended: Iterable[tuple[int, int, int]] = (),
) -> Alliances:
    """Alliances by what is said: from the phase in which one is accepted until an attack.

    Args:
        accepted: (phase, power, power) of agreements; they are in force as that phase's orders are
            written. ended: of words that end one.
    """
    starts, ends = set(accepted), set(ended)
    attacks = relations.attacks | relations.attacks.transpose(0, 2, 1)
    in_force, allied = np.zeros_like(attacks), np.zeros_like(attacks)
    holds = np.zeros(attacks.shape[1:], np.bool_)
    for t in range(len(attacks)):
        for found, value in ((ends, False), (starts, True)):
            for phase, one, other in found:
                if phase == t:
                    holds[one, other] = holds[other, one] = value
        in_force[t] = holds
        holds = holds & ~attacks[t]
        allied[t] = holds
    return Alliances(allied, in_force)


def _runs(flags: Sequence[bool]) -> list[int]:
    found, length = [], 0
    for flag in [*flags, False]:
        if flag:
            length += 1
        elif length:
            found.append(length)
            length = 0
    return found
