"""What all can see of a game of Diplomacy, in words: what prompts and boards are made of."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy.listing import (
    BUILD_ARMY,
    BUILD_FLEET,
    DISBAND,
    REACHED,
    REMOVE,
    RETREAT,
)
from stratagym.envs.diplomacy.notation import (
    board_order_text,
    dislodged_in,
    legal_orders,
    order_text,
    unit_in,
    unit_text,
)
from stratagym.envs.diplomacy.options import STANDARD
from stratagym.envs.diplomacy.orders import SOUTH, TARGET, UNIT
from stratagym.envs.diplomacy.positions import phase_name
from stratagym.envs.diplomacy.state import (
    CONVOYED,
    CUT,
    DISLODGED,
    DISRUPTED,
    FAILED,
    FALL,
    FALL_RETREATS,
    GIVEN,
    HELD,
    MOVED,
    SPRING_RETREATS,
    VOID,
    WINTER,
)
from stratagym.envs.diplomacy.submissions import asked_provinces
from stratagym.envs.diplomacy.tables import FLEET, NUM_POWERS, ORDERS, TWO_COASTS, WAIVE_ACTION
from stratagym.envs.words import section

RESULTS = {
    MOVED: "moved", FAILED: "failed", GIVEN: "given", CUT: "cut", VOID: "void",
    CONVOYED: "convoyed", DISRUPTED: "disrupted", HELD: "held",
}  # fmt: skip
"""What became of an order, as prompts tell it."""
_SEASONS = ("Spring", "Spring", "Fall", "Fall", "Winter")
_KINDS = ("movement", "retreats", "movement", "retreats", "adjustments")


def powers_in(rules: Any) -> list[int]:
    """The powers that take part, in the order of seats."""
    return list(range(NUM_POWERS)) if rules.map == STANDARD else [0, 2]


def power_of(rules: Any, seat: int) -> int:
    """The power that a seat plays."""
    return powers_in(rules)[seat]


def seat_name(rules: Any, s: Any, seat: int) -> str:
    """The name of the power that a seat plays."""
    return g.POWERS[power_of(rules, seat)]


PUBLIC = (
    "unit", "owner", "area", "dislodged_unit", "dislodged_owner", "dislodged_area", "attacker",
    "contested", "influence", "centre_owner", "owed", "last", "result", "unit_before",
    "owner_before", "area_before", "year", "season", "talk", "over", "wp",
)  # fmt: skip
"""Fields of a state that everybody sees: the same for all decisions of a phase."""


def public_key(rules: Any, s: Any) -> tuple[Any, ...]:
    """What everybody sees of a state, to find again what was made of it."""
    return rules, *(s[name].tobytes() for name in PUBLIC)


_latest: dict[tuple[Any, ...], tuple[str, str]] = {}
_MOST_KEPT = 8


def public_text(rules: Any, s: Any) -> tuple[str, str]:
    """(state, last orders and what became of them), which all powers read alike in a phase."""
    key = public_key(rules, s)
    found = _latest.get(key)
    if found is None:
        found = state_text(rules, s), past_text(s)
        while len(_latest) >= _MOST_KEPT:
            _latest.pop(next(iter(_latest)), None)
        _latest[key] = found
    return found


def listed(words: Iterable[str], nothing: str = "none") -> str:
    """Words with commas between, or what stands for none."""
    return ", ".join(words) or nothing


def phase_text(rules: Any, s: Any) -> str:
    """The running phase, such as ``Spring 1901 movement (S1901M)``."""
    if s["over"]:
        return f"The game is over, in {int(s['year'])}"
    season = int(s["season"])
    told = f"{_SEASONS[season]} {int(s['year'])} {_KINDS[season]} ({phase_name(s)})"
    if s["talk"]:
        return f"{told}, talk before it, round {int(s['talk'])} of {rules.rounds}"
    return told


# --- who has what --------------------------------------------------------------------------------


def units_of(s: Any, power: int) -> list[str]:
    """A power's units on the board, by province."""
    return [unit_in(s, province) for province in np.flatnonzero(s["owner"] == power).tolist()]


def dislodged_of(s: Any, power: int) -> list[str]:
    """A power's units that wait for their retreat, by province."""
    return [dislodged_in(s, p) for p in np.flatnonzero(s["dislodged_owner"] == power).tolist()]


def centres_of(s: Any, power: int) -> list[str]:
    """The centres that a power owns."""
    return [
        g.PROVINCES[g.CENTRES[k]].short for k in np.flatnonzero(s["centre_owner"] == power).tolist()
    ]


def homes_of(power: int) -> list[str]:
    """A power's home centres."""
    return [one.short for one in g.PROVINCES if one.home == power]


def influence_of(s: Any, power: int) -> list[str]:
    """The provinces where a power's unit was the last to come."""
    return [
        g.PROVINCES[province].short for province in np.flatnonzero(s["influence"] == power).tolist()
    ]


def is_alive(s: Any, power: int) -> bool:
    """Whether a power has units or centres."""
    return bool(
        (s["owner"] == power).any()
        or (s["dislodged_owner"] == power).any()
        or (s["centre_owner"] == power).any()
    )


def free_homes_of(s: Any, power: int) -> list[str]:
    """The home centres in which a power can build."""
    return [
        g.PROVINCES[p].short
        for k, p in enumerate(g.CENTRES)
        if g.PROVINCES[p].home == power and s["centre_owner"][k] == power and not s["unit"][p]
    ]


def retreats_text(rules: Any, s: Any, power: int) -> str:
    """A power's dislodged units, and where each may go."""
    told = []
    for province in np.flatnonzero(s["dislodged_owner"] == power).tolist():
        texts = [order_text(s, action) for action in legal_orders(rules, s, province)]
        where = listed(text.split()[-1] for text in texts if " R " in text)
        told.append(f"{dislodged_in(s, province)} to {where}")
    return listed(told)


def builds_text(rules: Any, s: Any, power: int) -> str:
    """What a power may build or has to remove in this Winter."""
    owed = int(s["owed"][power])
    free = free_homes_of(s, power)
    if owed < 0:
        return f"{-owed} to be removed"
    if rules.welfare:
        return f"up to {min(owed, len(free))} builds, in {listed(free)}; or any removals"
    if not owed:
        return "none"
    return f"{min(owed, len(free))} builds, in {listed(free)}"


def state_text(rules: Any, s: Any) -> str:
    """The state as SPIN-Bench's prompt has it: a part each, with a line for every power."""
    powers = powers_in(rules)

    def part(title: str, tell: Any) -> str:
        return "\n".join([f"{title}:", *(f"{g.POWERS[p]}: {tell(p)}" for p in powers)])

    parts = [f"Phase: {phase_text(rules, s)}", part("Units", lambda p: listed(units_of(s, p)))]
    if s["season"] in (SPRING_RETREATS, FALL_RETREATS):
        parts.append(part("Retreats due", lambda p: retreats_text(rules, s, p)))
    parts += [
        part("Supply centres owned", lambda p: _counted(centres_of(s, p))),
        part("Home centres", lambda p: listed(homes_of(p))),
        part("Influence (provinces that the power's units were the last to enter)",
             lambda p: listed(influence_of(s, p))),
    ]  # fmt: skip
    if s["season"] == WINTER:
        parts.append(part("Builds and removals", lambda p: builds_text(rules, s, p)))
    unowned = [
        g.PROVINCES[g.CENTRES[k]].short for k in np.flatnonzero(s["centre_owner"] < 0).tolist()
    ]
    parts.append(f"Supply centres that nobody owns: {listed(unowned)}")
    gone = [g.POWERS[p] for p in powers if not is_alive(s, p)]
    if gone:
        parts.append(f"Eliminated: {listed(gone)}")
    return "\n".join(parts)


def _counted(names: list[str]) -> str:
    return f"{len(names)} ({', '.join(names)})" if names else "0"


def table_text(rules: Any, s: Any) -> str:
    """A line for every power: centres, units and, in the welfare variant, welfare points."""
    lines = []
    for power in powers_in(rules):
        counts = [len(centres_of(s, power)), len(units_of(s, power)) + len(dislodged_of(s, power))]
        counts += [int(s["wp"][power])] if rules.welfare else []
        lines.append(f"{g.POWERS[power]}: {'/'.join(map(str, counts))}")
    return "\n".join(lines)


def board_text(rules: Any, s: Any) -> str:
    """The position for a terminal: the phase, and every power's centres and units."""
    lines = [phase_text(rules, s)]
    for power in powers_in(rules):
        waiting = dislodged_of(s, power)
        centres, points = centres_of(s, power), ""
        if rules.welfare:
            points = f", {int(s['wp'][power])} welfare points"
        lines.append(f"{g.POWERS[power]}, {len(centres)} centres{points}: {listed(centres)}")
        lines.append(f"    {listed(units_of(s, power), 'no units')}")
        if waiting:
            lines.append(f"    dislodged: {listed(waiting)}")
    return "\n".join(lines)


# --- what was ordered ----------------------------------------------------------------------------


class Given(NamedTuple):
    """An order that was carried out.

    Attributes:
        phase: ``movement``, ``retreats`` or ``adjustments``. power: whose. action: its number.
        area: of the unit. text: the order. result: of a movement order, else 0.
    """

    phase: str
    power: int
    action: int
    area: int
    text: str
    result: int


def given_orders(s: Any) -> list[Given]:
    """Orders since the last movement phase began, by phase, power and area."""
    found = []
    kinds = dict(enumerate(s["unit_before"].tolist()))  # of the units that stand in a province
    for column in range(s["last"].shape[1]):
        rows = s["last"][:, column].astype(int)
        given = [
            _given(s, int(rows[area]) - 1, int(area), kinds)
            for area in np.flatnonzero(rows).tolist()
        ]
        for one in given:
            order = int(ORDERS[one.action])
            if order & 255 == RETREAT or one.result == MOVED:
                kinds[order >> TARGET & 127] = int(s["unit_before"][order >> UNIT & 127])
        found += sorted(given, key=lambda one: (one.power, one.area))
    return found


def _given(s: Any, action: int, area: int, kinds: dict[int, int]) -> Given:
    order, province = int(ORDERS[action]), g.AREA_PROVINCE[area]
    kind, target = order & 255, order >> TARGET & 127
    if kind in (BUILD_ARMY, BUILD_FLEET):
        home = g.PROVINCES[province].home
        text = f"{'A' if kind == BUILD_ARMY else 'F'} {g.AREAS[area]} B"
        return Given(_KINDS[WINTER], home, action, area, text, 0)
    if kind == REMOVE:
        text = f"{unit_text(kinds[province], area)} D"
        return Given(_KINDS[WINTER], int(s["influence"][province]), action, area, text, 0)
    owner = int(s["owner_before"][province])
    if kind in (RETREAT, DISBAND):
        unit = int(s["unit_before"][province])
        coast = 1 + (order >> SOUTH & 1) if target >= TWO_COASTS and unit == FLEET else 0
        where = g.AREAS[g.MAIN_AREA[target] + coast]
        text = f"{unit_text(unit, area)} {f'R {where}' if kind == RETREAT else 'D'}"
        return Given(_KINDS[FALL_RETREATS], owner, action, area, text, 0)
    text = board_order_text(action, s["unit_before"], s["area_before"])
    return Given(_KINDS[FALL], owner, action, area, text, int(s["result"][province]))


def past_text(s: Any) -> str:
    """Orders since the last movement phase began and what became of them, by phase and power."""
    told: dict[str, dict[int, list[str]]] = {}
    for one in given_orders(s):
        result = RESULTS.get(one.result & ~DISLODGED, "")
        result += ", dislodged" if one.result & DISLODGED else ""
        text = f"{one.text} ({result})" if result else one.text
        told.setdefault(one.phase, {}).setdefault(one.power, []).append(text)
    return "\n".join(
        "\n".join(
            [f"{phase.capitalize()}:", *(f"{g.POWERS[p]}: {', '.join(o)}" for p, o in by.items())]
        )
        for phase, by in told.items()
    )


# --- what may be ordered -------------------------------------------------------------------------


def adjacent_text(rules: Any, s: Any, power: int) -> str:
    """The provinces beside each of a power's units that want an order."""
    lines = []
    for province in asked_provinces(rules, s, power):
        beside = listed(g.PROVINCES[to].short for to in REACHED[province])
        lines.append(f"{g.PROVINCES[province].short}: {beside}")
    return "\n".join(lines)


def legal_texts(rules: Any, s: Any, power: int, legal: list[int]) -> str:
    """All legal orders of a power in this phase, by unit, sorted; ``legal`` are those of now."""
    if s["talk"] or s["season"] == WINTER:
        return listed(sorted(order_text(s, a) for a in legal if a != WAIVE_ACTION), "no order")
    lines = []
    for province in asked_provinces(rules, s, power):
        texts = sorted(order_text(s, a) for a in legal_orders(rules, s, province))
        unit = unit_in(s, province) if s["season"] in (0, FALL) else dislodged_in(s, province)
        lines.append(f"{unit}: {', '.join(texts)}")
    return section("Legal orders", *lines)
