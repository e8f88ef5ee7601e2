"""Orders as text, such as ``A PAR - BUR``, ``F STP/SC - BOT`` and ``A MAR S A PAR - BUR``.

``order_text`` writes them as the PyPI package ``diplomacy`` does, but names no coast in what a
support is aimed at; ``read_order`` takes other ways of writing too, and ``find_action`` says which
action is meant in a position, or with one word why none is.
"""

from __future__ import annotations

import re
import threading
from typing import Any, NamedTuple

import numpy as np

from stratagym.envs import core
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import orders
from stratagym.envs.diplomacy.listing import (
    BUILD_ARMY,
    BUILD_FLEET,
    CONVOY,
    DISBAND,
    FIRST_COAST,
    FIRST_SEA,
    HOLD,
    MOVE,
    REMOVE,
    RETREAT,
    SUPPORT_HOLD,
    SUPPORT_MOVE,
    VIA,
    WAIVE,
    encode,
)
from stratagym.envs.diplomacy.state import FALL_RETREATS, SPRING_RETREATS, WINTER
from stratagym.envs.diplomacy.tables import (
    ARMY,
    ASKED_IN_ORDER,
    BUILD_ARMY_AT,
    BUILD_FLEET_AT,
    BUILD_SOUTH_AT,
    DISBAND_AT,
    FLEET,
    HOLD_AT,
    ORDERS,
    REMOVE_AT,
    TWO_COASTS,
    WAIVE_ACTION,
)

ALIASES = {
    "ECH": "ENG", "GOB": "BOT", "GOL": "LYO", "LYN": "LYO", "NAT": "NAO", "TYN": "TYS",
    "MID": "MAO", "NOR": "NWY", "NRG": "NWG",
}  # fmt: skip
"""Other abbreviations in use."""
LETTERS = {ARMY: "A", FLEET: "F"}
REASONS = (
    "no_such_unit", "not_yours", "not_adjacent", "no_route", "no_such_order", "wrong_coast",
    "void_coast", "wrong_phase", "occupied", "twice", "too_many",
)  # fmt: skip
"""Why an order is refused."""
_NO_CHANCE = np.zeros(core.MAX_OUTCOMES)
LONGEST = 200
"""Characters of an order that are read."""

_ORDER: list[int] = ORDERS.tolist()
ACTION = {order: action for action, order in enumerate(_ORDER)}
"""Actions by orders."""


class Order(NamedTuple):
    """An order as it is written: provinces by number, areas where coasts may be named.

    Attributes:
        verb: ``HOLD``, ``MOVE``, ``VIA``, ``SUPPORT_HOLD``, ``SUPPORT_MOVE``, ``CONVOY``,
            ``RETREAT``, ``DISBAND``, ``BUILD_ARMY`` for any build, or ``WAIVE``.
        kind: of the unit, ``ARMY`` or ``FLEET``; 0 where it is not said.
        area: of the unit. target: the area that it, or the supported or convoyed unit, goes to.
        other_kind, other_area: of the supported or convoyed unit.
    """

    verb: int
    kind: int = 0
    area: int = -1
    target: int = -1
    other_kind: int = 0
    other_area: int = -1

    @property
    def province(self) -> int:
        """The province of the unit."""
        return g.AREA_PROVINCE[self.area]

    @property
    def target_province(self) -> int:
        """The province of the target."""
        return g.AREA_PROVINCE[self.target]

    @property
    def other_province(self) -> int:
        """The province of the supported or convoyed unit."""
        return g.AREA_PROVINCE[self.other_area]


def play(rules: Any, states: np.ndarray, action: int) -> None:
    """Play one legal action in ``states[0]``."""
    core.play_at(rules, states, 0, int(action), own_list(rules), _NO_CHANCE)


_own = threading.local()


def own_list(rules: Any) -> np.ndarray:
    """(num_actions,) int64: where this thread lists legal actions, players among them."""
    found: np.ndarray | None = getattr(_own, "found", None)
    if found is None or len(found) != rules.num_actions:
        found = _own.found = np.zeros(rules.num_actions, np.int64)
    return found


# --- writing -------------------------------------------------------------------------------------


def unit_text(kind: int, area: int) -> str:
    """A unit such as ``F STP/SC``."""
    return f"{LETTERS[int(kind)]} {g.AREAS[area]}"


def unit_in(s: Any, province: int) -> str:
    """The unit on the board in a province."""
    return unit_text(s["unit"][province], s["area"][province])


def dislodged_in(s: Any, province: int) -> str:
    """The unit that waits for its retreat in a province."""
    return unit_text(s["dislodged_unit"][province], s["dislodged_area"][province])


def _target_text(order: int, is_army: bool) -> str:
    province = order >> orders.TARGET & 127
    if is_army or province < TWO_COASTS:
        return g.PROVINCES[province].short
    return g.AREAS[g.MAIN_AREA[province] + 1 + (order >> orders.SOUTH & 1)]


def order_text(s: Any, action: int) -> str:
    """The text of an action of the running phase of ``s``; legal ones have one each."""
    order = _ORDER[action]
    kind, province = order & 255, order >> orders.UNIT & 127
    if kind == WAIVE:
        return "WAIVE"
    if kind in (BUILD_ARMY, BUILD_FLEET):
        if kind == BUILD_ARMY:
            return f"A {g.PROVINCES[province].short} B"
        coast = 1 + (order >> orders.UNIT - 1 & 1) if province >= TWO_COASTS else 0
        return f"F {g.AREAS[g.MAIN_AREA[province] + coast]} B"
    if kind in (RETREAT, DISBAND):
        unit, is_army = dislodged_in(s, province), s["dislodged_unit"][province] == ARMY
        return f"{unit} D" if kind == DISBAND else f"{unit} R {_target_text(order, is_army)}"
    return board_order_text(action, s["unit"], s["area"])


def board_order_text(action: int, units: np.ndarray, areas: np.ndarray) -> str:
    """The text of an order to a unit on a board of these kinds and areas, by province."""
    order = _ORDER[action]
    kind, province = order & 255, order >> orders.UNIT & 127
    target, third = order >> orders.TARGET & 127, order >> orders.THIRD & 127
    unit = unit_text(units[province], areas[province])
    if kind == HOLD:
        return f"{unit} H"
    if kind == REMOVE:
        return f"{unit} D"
    if kind in (MOVE, VIA):
        to = _target_text(order, units[province] == ARMY)
        return f"{unit} - {to} VIA" if kind == VIA else f"{unit} - {to}"
    to = g.PROVINCES[target].short
    if kind == SUPPORT_HOLD:
        return f"{unit} S {unit_text(units[target], areas[target])}"
    other = unit_text(units[third], areas[third])
    return f"{unit} {'C' if kind == CONVOY else 'S'} {other} - {to}"


# --- reading -------------------------------------------------------------------------------------


def _names() -> dict[str, str]:
    names = {one.short: one.short for one in g.PROVINCES} | ALIASES
    for one in g.PROVINCES:
        names[one.name.upper()] = names[one.name.upper().replace("-", " ")] = one.short
    return names | {"GULF OF LYONS": "LYO", "SAINT PETERSBURG": "STP", "ROMANIA": "RUM"}


_NAMES = _names()
_AREA = re.compile(
    rf"\b({'|'.join(re.escape(name) for name in sorted(_NAMES, key=len, reverse=True))})\b"
    r"(?: ?[/(] ?([NSEW])(?:C| ?COAST)?\b ?\)?| (NORTH|SOUTH|EAST|WEST)(?:ERN)? COAST\b"
    r"| ([NSEW])C\b)?"
)
_WORDS = (
    (r"\bVIA(?: THE)?(?: CONVOY)?\b|\bBY CONVOY\b", " VIA "),
    (r"-+>|=+>|\bMOVES? TO\b|\bRETREATS? TO\b|\bTO\b|\bMOVES?\b", " - "),
    (r"\bARMY\b", " A "), (r"\bFLEET\b", " F "),
    (r"\bHOLDS?\b", " H "), (r"\bSUPPORTS?\b", " S "), (r"\bCONVOYS?\b", " C "),
    (r"\bRETREATS?\b", " R "), (r"\b(?:DISBANDS?|REMOVES?)\b", " D "), (r"\bBUILDS?\b", " B "),
    (r"\bWAIVES?\b", " WAIVE "),
)  # fmt: skip
_UNIT = r"(?:([AF]) )?(@\d+)"
_FORMS = tuple(
    (verb, re.compile(form))
    for verb, form in (
        (WAIVE, "WAIVE"),
        (HOLD, f"{_UNIT} H"),
        (VIA, f"{_UNIT} - (@\\d+) VIA"),
        (MOVE, f"{_UNIT} - (@\\d+)"),
        (SUPPORT_MOVE, f"{_UNIT} S {_UNIT} - (@\\d+)(?: VIA)?"),
        (SUPPORT_HOLD, f"{_UNIT} S {_UNIT}(?: H)?"),
        (CONVOY, f"{_UNIT} C {_UNIT} - (@\\d+)(?: VIA)?"),
        (RETREAT, f"{_UNIT} R (?:- )?(@\\d+)"),
        (DISBAND, f"{_UNIT} D|D {_UNIT}"),
        (BUILD_ARMY, f"{_UNIT} B|B {_UNIT}"),
    )
)


def _area_of(match: re.Match[str]) -> str:
    """A place in a normalized text: ``@`` and the area's number.

    A coast counts where the province has it. Raises ``ValueError``: ``wrong_coast``.
    """
    short = _NAMES[match[1]]
    coast = next((word[0] for word in match.groups()[1:] if word), "")
    coasts = g.PROVINCES[g.SHORT[short]].coasts
    if coast and coasts:
        if coast + "C" not in coasts:
            raise ValueError("wrong_coast")
        return f" @{g.AREA[f'{short}/{coast}C']} "
    return f" @{g.AREA[short]} "


def read_order(text: str) -> Order:
    """What an order says, whether or not it can be given.

    Raises:
        ValueError: ``no_such_order``, or ``wrong_coast`` for a coast that a province does not have.
    """
    found = " ".join(re.sub(r"[.,;:'\"`*]+", " ", text[:LONGEST]).upper().split())
    found = _AREA.sub(_area_of, found)
    for pattern, word in _WORDS:
        found = re.sub(pattern, word, found)
    found = " ".join(found.replace("-", " - ").split())
    for verb, form in _FORMS:
        match = form.fullmatch(found)
        if match is not None and len(text) <= LONGEST:
            return _order(verb, [word for word in match.groups() if word])
    raise ValueError("no_such_order")


def _order(verb: int, words: list[str]) -> Order:
    kinds, areas, kind = [], [], 0
    for word in words:
        if word in "AF":
            kind = "AF".index(word) + 1
        else:
            kinds.append(kind)
            areas.append(int(word[1:]))
            kind = 0
    if verb == WAIVE:
        return Order(WAIVE)
    if verb in (SUPPORT_MOVE, CONVOY):
        return Order(verb, kinds[0], areas[0], areas[2], kinds[1], areas[1])
    if verb == SUPPORT_HOLD:
        return Order(verb, kinds[0], areas[0], areas[1], kinds[1], areas[1])
    return Order(verb, kinds[0], areas[0], areas[1] if len(areas) > 1 else -1)


# --- meaning -------------------------------------------------------------------------------------


def legal_orders(rules: Any, s: Any, province: int) -> list[int]:
    """Actions, ascending, of the unit in a province, in a movement or retreat phase."""
    states = np.array([s], s.dtype)
    retreats = s["season"] in (SPRING_RETREATS, FALL_RETREATS)
    area = s["dislodged_area" if retreats else "area"][province]
    states["talk"] = 0
    states["place"] = np.flatnonzero(ASKED_IN_ORDER[rules.unit_order] == area)[0]
    out = own_list(rules)
    return out[: core.legal_actions_at(rules, states, 0, out)].tolist()


def find_action(rules: Any, s: Any, order: Order, power: int) -> int:
    """The action that an order of a power means in a position; it can be given if it is legal.

    Raises:
        ValueError: one of ``REASONS``, where it means none.
    """
    season = int(s["season"])
    if s["talk"]:
        if order.verb == WAIVE:
            return WAIVE_ACTION
        raise ValueError("wrong_phase")
    if season == WINTER:
        return _find_in_winter(s, order, power)
    retreats = season in (SPRING_RETREATS, FALL_RETREATS)
    if order.verb in (WAIVE, BUILD_ARMY):
        raise ValueError("wrong_phase")
    unit, owner, area = (
        int(s["dislodged_" + field if retreats else field][order.province])
        for field in ("unit", "owner", "area")
    )
    if not unit or order.kind not in (0, unit):
        raise ValueError("no_such_unit")
    if owner != power:
        raise ValueError("not_yours")
    if retreats:
        if order.verb == DISBAND:
            return int(DISBAND_AT[order.province])
        if order.verb not in (RETREAT, MOVE):
            raise ValueError("wrong_phase")
        return _find_step(RETREAT, order, unit, area)
    if order.verb in (RETREAT, DISBAND):
        raise ValueError("wrong_phase")
    if order.verb == HOLD:
        return int(HOLD_AT[order.province])
    if order.verb in (MOVE, VIA):
        if unit == ARMY and (order.verb == VIA or not _is_beside(area, order)):
            return _listed(encode(VIA, order.province, order.target_province), _no_step(order))
        return _find_step(MOVE, order, unit, area)
    return _find_shared(rules, s, order)


def _listed(order: int, reason: str) -> int:
    if order not in ACTION:
        raise ValueError(reason)
    return ACTION[order]


def _is_beside(area: int, order: Order) -> bool:
    return order.target_province in {g.AREA_PROVINCE[to] for to in g.ARMY_TO[area]}


def _no_step(order: Order) -> str:
    """Why an army does not come where it is not beside."""
    coasts = order.province >= FIRST_COAST and order.target_province >= FIRST_COAST
    return "no_route" if coasts else "not_adjacent"


def _find_step(kind: int, order: Order, unit: int, area: int) -> int:
    """A move or a retreat to a province beside; a fleet's coast is the one that is possible."""
    target = order.target_province
    if unit == ARMY:
        return _listed(encode(kind, order.province, target), "not_adjacent")
    possible = [to for to in g.FLEET_TO[area] if g.AREA_PROVINCE[to] == target]
    if not possible:
        raise ValueError("not_adjacent")
    if order.target in possible:
        possible = [order.target]
    elif order.target != g.MAIN_AREA[target] or len(possible) > 1:
        raise ValueError("wrong_coast")
    return ACTION[encode(kind, order.province, target, south=possible[0] in g.SOUTH)]


def _find_shared(rules: Any, s: Any, order: Order) -> int:
    """A support or a convoy, of a unit that can do what it is to do."""
    other, target = order.other_province, order.target_province
    kind = int(s["unit"][other])
    if not kind or order.other_kind not in (0, kind):
        raise ValueError("no_such_unit")
    if order.verb == CONVOY and not (FIRST_SEA <= order.province < FIRST_COAST and kind == ARMY):
        raise ValueError("no_such_order")
    third = other if order.verb != SUPPORT_HOLD else 0
    number = encode(order.verb, order.province, target, third)
    if number not in ACTION or ACTION[number] not in legal_orders(rules, s, order.province):
        raise ValueError(_why_not_shared(s, order))
    return ACTION[number]


def _why_not_shared(s: Any, order: Order) -> str:
    if order.verb == CONVOY:
        return "no_route"
    area = int(s["area"][order.province])
    steps = g.ARMY_TO if s["unit"][order.province] == ARMY else g.FLEET_TO
    if order.target_province not in {g.AREA_PROVINCE[to] for to in steps[area]}:
        return "not_adjacent"
    coasts = order.other_province >= FIRST_COAST and order.target_province >= FIRST_COAST
    return "no_route" if s["unit"][order.other_province] == ARMY and coasts else "not_adjacent"


def _find_in_winter(s: Any, order: Order, power: int) -> int:
    if order.verb == WAIVE:
        return WAIVE_ACTION
    if order.verb == DISBAND:
        province = order.province
        if order.kind not in (0, int(s["unit"][province])) or not s["unit"][province]:
            raise ValueError("no_such_unit")
        if s["owner"][province] != power:
            raise ValueError("not_yours")
        return int(REMOVE_AT[province])
    if order.verb != BUILD_ARMY:
        raise ValueError("wrong_phase")
    one = g.PROVINCES[order.province]
    if one.home < 0 or not order.kind or (order.kind == FLEET and one.kind == g.LAND):
        raise ValueError("no_such_order")
    if one.home != power:
        raise ValueError("not_yours")
    if order.kind == ARMY:
        return int(BUILD_ARMY_AT[order.province])
    if one.coasts and order.area == g.MAIN_AREA[order.province]:
        raise ValueError("wrong_coast")
    south = order.area in g.SOUTH
    return int((BUILD_SOUTH_AT if south else BUILD_FLEET_AT)[order.province])
