"""What a replay shows of a game beside its picture."""

from __future__ import annotations

from typing import Any

from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy.listing import MOVE, RETREAT, VIA
from stratagym.envs.diplomacy.notation import order_text
from stratagym.envs.diplomacy.orders import UNIT
from stratagym.envs.diplomacy.render import COLOURS, pixel, target_area
from stratagym.envs.diplomacy.tables import ORDERS
from stratagym.envs.diplomacy.telling import power_of


def move(rules: Any, s: Any, action: int) -> str:
    """An order such as ``A PAR - BUR``; nothing to tell of a pass in talk."""
    return "passes" if s["talk"] else order_text(s, action)


def beside(rules: Any, s: Any, seat: int) -> str:
    """A power's centres and units, and its welfare points in that variant."""
    power = power_of(rules, seat)
    centres = int((s["centre_owner"] == power).sum())
    units = int((s["owner"] == power).sum() + (s["dislodged_owner"] == power).sum())
    points = f", {int(s['wp'][power])} WP" if rules.welfare else ""
    return f"{centres} centres, {units} units{points}"


def badge(rules: Any, s: Any, seat: int) -> tuple[str, tuple[int, ...]]:
    """A power's initial and the colour of its units."""
    power = power_of(rules, seat)
    return g.POWERS[power][0], COLOURS[power]


def arrow(rules: Any, s: Any, action: int, size: int) -> list[tuple[int, int]] | None:
    """Pixels from where to where a unit would move or retreat, drawn before it does."""
    order = int(ORDERS[action])
    if order & 255 not in (MOVE, VIA, RETREAT):
        return None
    province = order >> UNIT & 127
    waits = "dislodged_" if order & 255 == RETREAT else ""
    kind, area = int(s[waits + "unit"][province]), int(s[waits + "area"][province])
    return [pixel(area, size), pixel(target_area(order, kind), size)]
