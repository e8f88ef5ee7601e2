"""The orders of one power in one phase, as they are handed in: which stand, and what is missing.

Some rules speak of all orders of a power together. An army that an own fleet is ordered to convoy
means to go by convoy (rule book of 2023); a support that names another coast than the own fleet
moves to is void (DATC 6.B.9); of two orders for a unit the first stands; removals that are missing
follow the rules of civil disorder.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy.listing import (
    CONVOY,
    MOVE,
    SUPPORT_MOVE,
    VIA,
    WAIVE,
    encode,
)
from stratagym.envs.diplomacy.notation import (
    ACTION,
    Order,
    find_action,
    legal_orders,
    order_text,
    own_list,
    play,
    read_order,
)
from stratagym.envs.diplomacy.orders import SOUTH
from stratagym.envs.diplomacy.state import FALL, SPRING, WINTER
from stratagym.envs.diplomacy.tables import (
    AREA_PROVINCE,
    ASKED_IN_ORDER,
    DISBAND_AT,
    FLEET,
    HOLD_AT,
    ORDERS,
    REMOVE_AT,
    WAIVE_ACTION,
)

CIVIL_DISORDER = ("2023", "2000")
"""Rule books whose rule says what is removed when a power does not."""

_HOMES = np.array([one.home for one in g.PROVINCES])


class Refused(str):
    """The text of an order that does not stand.

    Attributes:
        reason: why, as one word. province: the unit's for which it would stand, or -1.
    """

    reason: str
    province: int

    def __new__(cls, text: str, reason: str, province: int = -1) -> Refused:
        made = super().__new__(cls, text)
        made.reason, made.province = reason, province
        return made


@dataclass
class Submission:
    """What the orders of a power come to.

    Attributes:
        actions: those that stand, by the unit's province; in Winter in the order given.
        refused: the others. missing: provinces whose unit has no order that stands; in Winter -1
            for every build or removal that is due and not ordered.
        given: how many orders there were.
    """

    actions: dict[int, int] = field(default_factory=dict)
    refused: list[Refused] = field(default_factory=list)
    missing: list[int] = field(default_factory=list)
    given: int = 0

    def facts(self) -> dict[str, int]:
        """Numbers for records."""
        return {
            "orders": self.given,
            "legal": self.given - len(self.refused),
            "illegal": len(self.refused),
            "missing": len(self.missing),
        }


def asked_provinces(rules: Any, s: Any, power: int) -> list[int]:
    """The provinces of a power's units that still want an order in this movement or retreat phase.

    In the order in which they are asked for.
    """
    prefix = "" if s["season"] in (SPRING, FALL) else "dislodged_"
    areas = ASKED_IN_ORDER[rules.unit_order]
    places = AREA_PROVINCE[areas]
    own = (s[prefix + "owner"][places] == power) & (s[prefix + "area"][places] == areas)
    found: list[int] = places[own & (s["order"][places] < 0)].tolist()
    return found


def waiting_orders(s: Any, power: int) -> dict[int, int]:
    """The orders of a power that wait for the others', by the province of the unit."""
    orders = s["order"]
    waiting = np.flatnonzero(orders >= 0)
    if s["season"] == WINTER:
        owners = np.where(s["unit"][waiting], s["owner"][waiting], _HOMES[waiting])
    else:
        moves = s["season"] in (SPRING, FALL)
        owners = s["owner" if moves else "dislodged_owner"][waiting]
    own = waiting[owners == power]
    return dict(zip(own.tolist(), orders[own].tolist(), strict=True))


def read_submission(
    rules: Any, s: Any, power: int, texts: Sequence[str], literal: bool = False
) -> Submission:
    """Read the orders of a power in the phase of ``s``, as it begins to be asked.

    ``literal`` leaves moves by land as they are where an own fleet is ordered to convoy.
    """
    found = Submission(given=len(texts))
    orders: list[tuple[str, Order]] = []
    for text in texts:
        order, reason = _read(text)
        if order is None:
            found.refused.append(Refused(text, reason))
        else:
            orders.append((text, order))
    if s["talk"]:
        found.refused += [Refused(text, "wrong_phase") for text, _ in orders]
    elif s["season"] == WINTER:
        _read_winter(rules, s, power, orders, found)
    else:
        _read_units(rules, s, power, orders, found, literal)
    return found


def _read(text: str) -> tuple[Order | None, str]:
    try:
        return read_order(text), ""
    except ValueError as error:
        return None, str(error)


def _read_units(
    rules: Any,
    s: Any,
    power: int,
    orders: list[tuple[str, Order]],
    found: Submission,
    literal: bool,
) -> None:
    asked = asked_provinces(rules, s, power)
    legal = {province: set(legal_orders(rules, s, province)) for province in asked}
    kept: dict[int, tuple[str, Order]] = {}
    for text, order in orders:
        try:
            action = find_action(rules, s, order, power)
            province = order.province
            if province not in legal:
                raise ValueError("twice")  # it was given before
            if action not in legal[province]:
                raise ValueError("no_route" if order.verb in (MOVE, VIA) else "not_adjacent")
            if province in kept:
                raise ValueError("twice")
        except ValueError as error:
            place = order.province if order.area >= 0 and order.province in legal else -1
            found.refused.append(Refused(text, str(error), place))
            continue
        kept[province] = text, order
        found.actions[province] = action
    for province, (text, order) in kept.items():
        if order.verb == MOVE and not literal and _is_convoyed_by_own(found.actions, order):
            by_convoy = ACTION.get(encode(VIA, province, order.target_province), -1)
            if by_convoy in legal[province]:
                found.actions[province] = by_convoy
        if order.verb == SUPPORT_MOVE and _names_other_coast(s, found.actions, order):
            del found.actions[province]
            found.refused.append(Refused(text, "void_coast", province))
    found.missing = [province for province in asked if province not in found.actions]


def _is_convoyed_by_own(actions: dict[int, int], move: Order) -> bool:
    wanted = move.target_province << 17 | move.province << 25
    orders = (int(ORDERS[action]) for action in actions.values())
    return any(o & 255 == CONVOY and o >> 17 << 17 == wanted for o in orders)


def _names_other_coast(s: Any, actions: dict[int, int], support: Order) -> bool:
    """Whether a support names a coast, and the own fleet it supports moves to the other one."""
    named = support.target != g.MAIN_AREA[support.target_province]
    action = actions.get(support.other_province)
    if not named or action is None or s["unit"][support.other_province] != FLEET:
        return False
    order = int(ORDERS[action])
    is_south = bool(order >> SOUTH & 1)
    goes = order & 255 == MOVE and order >> 17 & 127 == support.target_province
    return goes and is_south != (support.target in g.SOUTH)


def _read_winter(
    rules: Any, s: Any, power: int, orders: list[tuple[str, Order]], found: Submission
) -> None:
    """Enter builds and removals one after the other, on a copy, as far as each is legal."""
    states = np.array([s], s.dtype)
    stopped = 0
    for text, order in orders:
        try:
            action = find_action(rules, s, order, power)
            if order.verb == WAIVE:
                if s["owed"][power] < 0 and not rules.welfare:
                    raise ValueError("no_such_order")
                stopped += 1
                continue
            if order.province in found.actions:
                raise ValueError("twice")
            if action not in _asked_now(rules, states, power):
                raise ValueError(_why_not_in_winter(s, order, power))
        except ValueError as error:
            found.refused.append(Refused(text, str(error)))
            continue
        found.actions[order.province] = action
        play(rules, states, action)
    if _asked_now(rules, states, power):
        owed = int(s["owed"][power])
        due = max(0, -owed) if rules.welfare else abs(owed)
        found.missing = [-1] * (due - len(found.actions) - stopped)


def _asked_now(rules: Any, states: np.ndarray, power: int) -> list[int]:
    """The actions of a power that is asked in this Winter; none if it is not."""
    if states["season"][0] != WINTER or states["power"][0] != power:
        return []
    out = own_list(rules)
    return out[: core.legal_actions_at(rules, states, 0, out)].tolist()


def _why_not_in_winter(s: Any, order: Order, power: int) -> str:
    centre = g.CENTRES.index(order.province) if order.province in g.CENTRES else -1
    if s["unit"][order.province] and s["owner"][order.province] != power:
        return "occupied"
    if s["owner"][order.province] < 0 and s["centre_owner"][centre] != power:
        return "not_yours"
    if s["unit"][order.province] and s["owed"][power] > 0:
        return "occupied"
    return "too_many"


# --- what is done without orders ------------------------------------------------------------------


def default_action(rules: Any, s: Any) -> int:
    """What is ordered for a power that says nothing: hold, disband, waive, or civil disorder."""
    if s["talk"]:
        return WAIVE_ACTION
    power = int(s["power"])
    if s["season"] == WINTER:
        if WAIVE_ACTION in _asked_now(rules, np.array([s], s.dtype), power):
            return WAIVE_ACTION
        left = [p for p in civil_disorder(s, power) if s["order"][p] < 0]
        return int(REMOVE_AT[left[0]])
    province = g.AREA_PROVINCE[ASKED_IN_ORDER[rules.unit_order, s["place"]]]
    moves = s["season"] in (SPRING, FALL)
    return int((HOLD_AT if moves else DISBAND_AT)[province])


def civil_disorder(s: Any, power: int, rule: str = CIVIL_DISORDER[0]) -> list[int]:
    """The provinces of a power's units in the order in which they are removed without orders.

    Under ``2023`` units that are in no supply centre come first, then those farthest from any
    centre that the power owns, by steps between neighbouring provinces of all kinds. Under
    ``2000`` those farthest from the power's home centres, armies by land and sea and fleets by
    their own steps. Of units equally far fleets come before armies, then names in alphabetical
    order.
    """
    units = [p for p in range(len(g.PROVINCES)) if s["owner"][p] == power]
    if rule == CIVIL_DISORDER[0]:
        owned = [p for k, p in enumerate(g.CENTRES) if s["centre_owner"][k] == power]
        far = _distances(owned, (g.ARMY_TO, g.FLEET_TO))
        distance = {p: far[p] for p in units}
        in_centre = {p: p in g.CENTRES for p in units}
    else:
        homes = [p for p in g.CENTRES if g.PROVINCES[p].home == power]
        by_fleet = _distances(homes, (g.FLEET_TO,))
        by_army = _distances(homes, (g.ARMY_TO, g.FLEET_TO))
        distance = {p: (by_fleet if s["unit"][p] == FLEET else by_army)[p] for p in units}
        in_centre = dict.fromkeys(units, False)
    return sorted(
        units,
        key=lambda p: (in_centre[p], -distance[p], s["unit"][p] != FLEET, g.PROVINCES[p].name),
    )


def _distances(goals: Iterable[int], steps: tuple[tuple[tuple[int, ...], ...], ...]) -> list[int]:
    """By province, the steps to the nearest of some provinces; 99 where there is no way."""
    found = [99] * len(g.PROVINCES)
    reached = set(goals)
    for n in range(len(g.PROVINCES)):
        if not reached:
            break
        for province in reached:
            found[province] = n
        areas = {area for p in reached for area in g.areas_of(p)}
        beside = {g.AREA_PROVINCE[to] for kind in steps for area in areas for to in kind[area]}
        reached = {province for province in beside if found[province] == 99}
    return found


def moves_of(rules: Any, s: Any, power: int, found: Submission) -> list[str]:
    """A submission as the moves of a plan: what stands, what is refused, and what fills the gaps.

    If nothing stands of what was ordered, the refused orders alone.
    """
    if found.refused and not found.actions:
        return [Refused(one, one.reason) for one in found.refused]
    if s["season"] == WINTER or s["talk"]:
        return [*found.refused, *(order_text(s, action) for action in found.actions.values())]
    asked = asked_provinces(rules, s, power)
    bad = {one.province: one for one in reversed(found.refused) if one.province in found.missing}
    moves: list[str] = [Refused(r, r.reason) for r in found.refused if r is not bad.get(r.province)]
    defaults = HOLD_AT if s["season"] in (SPRING, FALL) else DISBAND_AT
    for province in asked:
        if province in found.actions:
            moves.append(order_text(s, found.actions[province]))
        else:
            moves.append(bad.get(province) or order_text(s, int(defaults[province])))
    return moves
