"""Facts that a reply states of a position, compared with it: SPIN-Bench's checks, and more.

A fact is a set: of provinces, of pairs of a province and one beside it, or of provinces with a
number each.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy.listing import REACHED, SUPPORT_HOLD, SUPPORT_MOVE
from stratagym.envs.diplomacy.metrics import units_of
from stratagym.envs.diplomacy.notation import ALIASES, read_order
from stratagym.envs.diplomacy.tables import ARMY, NUM_PROVINCES, TWO_COASTS
from stratagym.envs.replies import ReplyError, last_json

FACTS = (
    "influence", "unit", "adjacent", "pairs", "attackable", "strength", "needed",
)  # fmt: skip
"""What is compared.

Provinces: under the power's ``influence``, of its ``unit``s, ``adjacent`` to one of these, and
``attackable``: under another power's influence, where a unit of its can move in one step. ``pairs``
of a unit's province and one adjacent to it. Attackable provinces with how much an attack needs:
``strength``, as SPIN-Bench has it, 2 where another power's unit stands, else 1; ``needed``, one
more than the units of other powers that stand there or can move there.
"""
AS_CODED = ("adjacent_as_coded", "strength_as_coded")
"""The same as SPIN-Bench's code compares them: without the provinces of two coasts; and a wrong
number is something stated in vain, but nothing that was missed."""
Sets = Mapping[str, set[Any]]


@dataclass(frozen=True)
class Hits:
    """How a set that was stated agrees with the true one.

    Attributes:
        hits: in both. stated: in the stated set. true: in the true one.
    """

    hits: int = 0
    stated: int = 0
    true: int = 0


def true_facts(s: Any, power: int) -> dict[str, set[Any]]:
    """By ``FACTS``, what is so for a power in a position."""
    units = set(units_of(s, power))
    influence = s["influence"].tolist()
    attackable = {p for unit in units for p in _steps(s, unit) if influence[p] not in (-1, power)}
    others = {p for p in range(NUM_PROVINCES) if s["unit"][p] and s["owner"][p] != power}
    holding = dict.fromkeys(range(NUM_PROVINCES), 0)
    for unit in others:
        for province in _steps(s, unit) | {unit}:
            holding[province] += 1
    return {
        "influence": {p for p, owner in enumerate(influence) if owner == power},
        "unit": units,
        "adjacent": {int(to) for province in units for to in REACHED[province]},
        "pairs": {(province, int(to)) for province in units for to in REACHED[province]},
        "attackable": attackable,
        "strength": {(p, 2 if p in others else 1) for p in attackable},
        "needed": {(p, 1 + holding[p]) for p in attackable},
    }


def _steps(s: Any, province: int) -> set[int]:
    """Where the unit in a province can move in one step."""
    steps = g.ARMY_TO if s["unit"][province] == ARMY else g.FLEET_TO
    return {int(g.AREA_PROVINCE[to]) for to in steps[s["area"][province]]}


def stated_facts(reply: str) -> dict[str, set[Any]] | None:
    """By ``FACTS``, what a reply states; None for a reply without an object.

    A member that is missing or of another type states nothing, nor does a name that is no
    province's; a province with a coast is the province.
    """
    try:
        found = last_json(reply, dict)
    except ReplyError:
        return None
    beside, numbers = list(_by_province(found.get("adjacent"))), set()
    for province, number in _by_province(found.get("attack_analysis")):
        if (value := _number(number)) is not None:
            numbers.add((province, value))
    return {
        "influence": _provinces(found.get("my_location")),
        "unit": _provinces(found.get("my_unit")),
        "adjacent": _provinces(found.get("adjacent")),
        "pairs": {(province, to) for province, each in beside for to in _provinces(each)},
        "attackable": _provinces(found.get("attackable")),
        "strength": numbers,
        "needed": numbers,
    }


def compared(s: Any, power: int, reply: str) -> dict[str, Hits] | None:
    """How a reply of a power agrees with the position, by ``FACTS`` and ``AS_CODED``.

    None for a reply without an object.
    """
    stated, true = stated_facts(reply), true_facts(s, power)
    if stated is None:
        return None
    found = {name: _hits(stated[name], true[name]) for name in FACTS}
    left_out = set(range(TWO_COASTS, NUM_PROVINCES))
    found["adjacent_as_coded"] = _hits(stated["adjacent"] - left_out, true["adjacent"] - left_out)
    strength = found["strength"]
    unstated = {p for p, _ in true["strength"]} - {p for p, _ in stated["strength"]}
    coded = Hits(strength.hits, strength.stated, strength.hits + len(unstated))
    return found | {"strength_as_coded": coded}


def _hits(stated: Collection[Hashable], true: Collection[Hashable]) -> Hits:
    return Hits(len(set(stated) & set(true)), len(stated), len(true))


def given_supports(reply: str, power: int) -> Hits | None:
    """How the supports that a reply says it gives agree with those among its orders.

    Both as (supporter, supported, target), by provinces. None for a reply that states none.
    """
    try:
        found = last_json(reply, dict)
    except ReplyError:
        return None
    stated = set()
    for one in found.get("support_given") if isinstance(found.get("support_given"), list) else []:
        if isinstance(one, dict):
            places = [_provinces([one.get(k)]) for k in ("supporter", "supported", "target")]
            stated.add(tuple(min(place, default=-1) for place in places))
    orders = found.get("orders")
    orders = orders.get(g.POWERS[power]) if isinstance(orders, dict) else orders
    given = set()
    for text in orders if isinstance(orders, list) else []:
        try:
            order = read_order(str(text))
        except ValueError:
            continue
        if order.verb in (SUPPORT_HOLD, SUPPORT_MOVE) and order.area >= 0:
            helped = g.AREA_PROVINCE[order.other_area]
            target = helped if order.verb == SUPPORT_HOLD else order.target_province
            given.add((order.province, helped, target))
    return _hits(stated, given) if stated else None


def _by_province(said: Any) -> Iterator[tuple[int, Any]]:
    """(province, what is said of it) of an object, or of a list of objects."""
    for one in said if isinstance(said, list) else [said]:
        if isinstance(one, dict):
            for name, value in one.items():
                for province in _provinces([name]):
                    yield province, value


def _number(said: Any) -> int | None:
    if isinstance(said, str) and said.strip().isdecimal():
        said = int(said.strip()[:9])
    if isinstance(said, float) and said.is_integer():
        said = int(said)
    return said if type(said) is int else None


def _provinces(said: Any) -> set[int]:
    found: set[int] = set()
    for one in said if isinstance(said, list) else [said] if isinstance(said, dict) else []:
        if isinstance(one, dict):  # a province of a unit with its neighbours
            for beside in one.values():
                found |= _provinces(beside)
        elif isinstance(one, str):
            name = one.strip().upper().removeprefix("A ").removeprefix("F ").split("/")[0]
            name = ALIASES.get(name, name)
            if name in g.SHORT:
                found.add(g.SHORT[name])
    return found
