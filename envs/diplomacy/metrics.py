"""What was ordered in a game of Diplomacy, phase by phase, and what it comes to.

Shares of successful orders are SPIN-Bench's, as its paper defines them and as its code counts them;
promises are checked against orders.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy.listing import CONVOY, MOVE, SUPPORT_HOLD, SUPPORT_MOVE, VIA
from stratagym.envs.diplomacy.notation import Order, board_order_text, play, read_order, unit_in
from stratagym.envs.diplomacy.orders import TARGET, THIRD, UNIT
from stratagym.envs.diplomacy.positions import phase_name
from stratagym.envs.diplomacy.state import (
    CONVOYED,
    DISLODGED,
    FALL,
    GIVEN,
    MOVED,
    SPRING,
    VOID,
)
from stratagym.envs.diplomacy.tables import CENTRE, NUM_PROVINCES, ORDERS
from stratagym.envs.diplomacy.telling import RESULTS


@dataclass(frozen=True)
class Movement:
    """A movement phase that was played.

    Attributes:
        phase: such as ``S1901M``. ply: decisions of the game before its first order.
        before, after: (1,) records, the position as orders were written, and behind the phase.
        orders: by the province of the unit, the actions of all powers.
        results: by the province of the unit, a result of ``state``, such as ``MOVED`` or ``CUT``.
        dislodged: the provinces whose units were driven away.
    """

    phase: str
    ply: int
    before: np.ndarray
    after: np.ndarray
    orders: dict[int, int]
    results: dict[int, int]
    dislodged: frozenset[int]

    def of(self, power: int) -> dict[int, int]:
        """A power's orders."""
        owner = self.before["owner"][0]
        return {place: action for place, action in self.orders.items() if owner[place] == power}


@dataclass(frozen=True)
class Told:
    """A game that was played again.

    Attributes:
        movements: its movement phases. years: (year, centres (7,)) after each Fall's capture.
        end: (1,) record, the last position. talk: the number of the round by the number of actions
            before, for each action in talk.
    """

    movements: list[Movement]
    years: list[tuple[int, list[int]]]
    end: np.ndarray
    talk: dict[int, int]

    def phase_at(self, ply: int) -> int:
        """The number of the movement phase before whose orders the game is after ``ply`` actions.

        ``len(movements)`` behind the last.
        """
        return bisect_right([movement.ply for movement in self.movements], ply - 1)


def play_again(rules: Any, actions: Sequence[int], seed: int = 0) -> Told:
    """A game's movement phases and centres by year, from its actions, which are legal."""
    states, (_, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(seed), probs)
    movements: list[Movement] = []
    years: list[tuple[int, list[int]]] = []
    orders: dict[int, int] = {}
    talk: dict[int, int] = {}
    before, ply = states.copy(), 0
    for number, action in enumerate(actions):
        s = states[0]
        moves = s["season"] in (SPRING, FALL) and not s["talk"]
        turn, year = int(s["turn"]), int(s["year"])
        if s["talk"]:
            talk[number] = int(s["talk"])
        if moves:
            if not orders:
                before, ply = states.copy(), number
            orders[int(ORDERS[action]) >> UNIT & 127] = int(action)
        play(rules, states, action)
        s = states[0]
        if moves and (s["over"] or s["turn"] != turn):
            result = s["result"]
            movements.append(
                Movement(
                    phase_name(before[0]), ply, before, states.copy(), orders,
                    {place: int(result[place]) & ~DISLODGED for place in orders},
                    frozenset(place for place in orders if result[place] & DISLODGED),
                )
            )  # fmt: skip
            orders = {}
        if s["over"] or s["year"] != year:
            years.append((year, centres_of(s)))
    return Told(movements, years, states, talk)


def centres_of(s: Any) -> list[int]:
    """(7,) how many centres each power owns."""
    owners = s["centre_owner"]
    return [int((owners == power).sum()) for power in range(7)]


def holders(s: Any, province: int) -> set[int]:
    """The powers that have a unit or a centre of their own in a province."""
    found = {int(s["owner"][province])} if s["unit"][province] else set()
    if CENTRE[province] >= 0:
        found.add(int(s["centre_owner"][CENTRE[province]]))
    return found - {-1}


def attacked(s: Any, action: int) -> set[int]:
    """The other powers that an order is aimed at: those who hold the province that its unit, or the
    one that it supports, is to move to."""
    order = int(ORDERS[action])
    if order & 255 not in (MOVE, VIA, SUPPORT_MOVE):
        return set()
    own = int(s["owner"][order >> UNIT & 127])
    return holders(s, order >> TARGET & 127) - {own}


def told_orders(movement: Movement, power: int) -> str:
    """A power's orders with what became of them, such as ``A PAR - BUR (failed)``."""
    s, told = movement.before[0], []
    for place, action in sorted(movement.of(power).items()):
        text = board_order_text(action, s["unit"], s["area"])
        result = RESULTS.get(movement.results[place], "")
        told.append(f"{text} ({result}{', dislodged' * (place in movement.dislodged)})")
    return ", ".join(told) or "none"


def units_of(s: Any, power: int) -> Iterator[int]:
    """The provinces of a power's units."""
    for province in range(NUM_PROVINCES):
        if s["unit"][province] and s["owner"][province] == power:
            yield province


# --- orders, as SPIN-Bench counts them -----------------------------------------------------------

MOVES, ATTACKS, SUPPORTS_OWN, SUPPORTS_OTHERS = "move", "attack", "support_self", "support_others"
ORDER_METRICS = (MOVES, ATTACKS, SUPPORTS_OWN, SUPPORTS_OTHERS)
"""Shares of SPIN-Bench (arXiv:2503.12349, table 10): successful orders among those of a kind."""


@dataclass(frozen=True)
class Share:
    """How many orders there were of a kind, and how many of them were successful."""

    successes: int = 0
    total: int = 0

    def __add__(self, other: Share) -> Share:
        return Share(self.successes + other.successes, self.total + other.total)


def order_shares(movement: Movement, own: Collection[int]) -> dict[str, Share]:
    """``ORDER_METRICS`` of a player's orders in one movement phase, as the paper defines them.

    A move is an attack where another player's unit stood on its target. Supports count that are of
    such an attack: on a unit that is not the supported one's player's. They are successful if they
    are given, which a void or cut one is not, and the unit that gives them is not dislodged.

    Args:
        own: the powers that the player has.
    """
    s = movement.before[0]
    found: list[tuple[str, bool]] = []
    for kind, _, target, third, is_successful in _orders(movement, own):
        held_by = int(s["owner"][target]) if s["unit"][target] else -1
        if kind in (MOVE, VIA):
            found.append((MOVES, is_successful))
            if held_by >= 0 and held_by not in own:
                found.append((ATTACKS, is_successful))
        elif kind == SUPPORT_MOVE and held_by >= 0:
            helped = int(s["owner"][third])
            of_own = helped in own
            if held_by not in own if of_own else held_by != helped:
                found.append((SUPPORTS_OWN if of_own else SUPPORTS_OTHERS, is_successful))
    return _shares(found)


def order_shares_as_coded(movement: Movement, own: Collection[int]) -> dict[str, Share]:
    """The same as SPIN-Bench's published code counts them.

    Convoys count as moves; an attack is missed where the text of its target is not that of the
    unit's place, as for ``STP`` and a fleet on ``STP/SC``; supports are those of any order; and all
    supports of a phase are added to the total of ``support_self`` once more, so that over any
    number of phases T = 2 SS + SO, SS and SO being the supports of own and of other units.
    """
    s = movement.before[0]
    found: list[tuple[str, bool]] = []
    for kind, action, target, third, is_successful in _orders(movement, own):
        if kind in (MOVE, VIA, CONVOY):
            found.append((MOVES, is_successful))
            word = board_order_text(action, s["unit"], s["area"]).removesuffix(" VIA").split()[-1]
            is_held = s["unit"][target] and int(s["owner"][target]) not in own
            if is_held and word == unit_in(s, target).split()[-1]:
                found.append((ATTACKS, is_successful))
        elif kind in (SUPPORT_HOLD, SUPPORT_MOVE):
            helped = int(s["owner"][third if kind == SUPPORT_MOVE else target])
            found.append((SUPPORTS_OWN if helped in own else SUPPORTS_OTHERS, is_successful))
    shares = _shares(found)
    again = shares[SUPPORTS_OWN].total + shares[SUPPORTS_OTHERS].total
    return shares | {SUPPORTS_OWN: shares[SUPPORTS_OWN] + Share(0, again)}


def _orders(movement: Movement, own: Collection[int]) -> Iterator[tuple[int, int, int, int, bool]]:
    """(kind, action, target, third, whether it was successful) of a player's orders."""
    for power in own:
        for place, action in movement.of(power).items():
            order = int(ORDERS[action])
            result = movement.results[place]
            is_done = result in (MOVED, GIVEN, CONVOYED) and place not in movement.dislodged
            yield order & 255, action, order >> TARGET & 127, order >> THIRD & 127, is_done


def _shares(found: list[tuple[str, bool]]) -> dict[str, Share]:
    done = {name: [is_done for one, is_done in found if one == name] for name in ORDER_METRICS}
    return {name: Share(sum(those), len(those)) for name, those in done.items()}


# --- promises ------------------------------------------------------------------------------------

PEACE, DEMILITARIZED = "peace", "dmz"
PROMISED_ORDERS = ("move", "support_move", "support_hold", "convoy", "hold")


@dataclass(frozen=True)
class Promise:
    """What a power promised another one for a movement phase.

    Attributes:
        who, to: powers. kind: ``PEACE``, ``DEMILITARIZED`` or one of ``PROMISED_ORDERS``.
        order: of ``PROMISED_ORDERS``, the order that ``who`` is to give.
        provinces: of ``DEMILITARIZED``, those that ``who`` orders no unit into.
    """

    who: int
    to: int
    kind: str
    order: str = ""
    provinces: tuple[int, ...] = ()


def is_kept(movement: Movement, promise: Promise) -> bool:
    """Whether the orders of who made a promise are as it says.

    Peace is kept by who orders no move to where the other has a unit or a centre, and gives no
    valid support to anybody's move there. A promised order is the same however its coasts are
    written, and a move the same by land and by convoy.

    Raises:
        ValueError: an order that cannot be read, or a kind of promise that there is not.
    """
    s, orders = movement.before[0], movement.of(promise.who)
    if promise.kind == PEACE:
        return not any(
            promise.to in attacked(s, action) and movement.results[place] != VOID
            for place, action in orders.items()
        )
    if promise.kind == DEMILITARIZED:
        return not any(_enters(action) in promise.provinces for action in orders.values())
    if promise.kind not in PROMISED_ORDERS:
        kinds = ", ".join((PEACE, DEMILITARIZED, *PROMISED_ORDERS))
        raise ValueError(f"promise {promise.kind!r}: choose one of: {kinds}")
    wanted = read_order(promise.order)
    action = orders.get(wanted.province, -1) if wanted.area >= 0 else -1
    if action < 0:
        return False
    return _meant(wanted) == _meant(read_order(board_order_text(action, s["unit"], s["area"])))


def _enters(action: int) -> int:
    """The province that an order moves its own unit to, or -1."""
    order = int(ORDERS[action])
    return order >> TARGET & 127 if order & 255 in (MOVE, VIA) else -1


def _meant(order: Order) -> tuple[int, ...]:
    verb = MOVE if order.verb == VIA else order.verb
    places = (order.area, order.target, order.other_area)
    return verb, *(g.AREA_PROVINCE[area] if area >= 0 else -1 for area in places)
