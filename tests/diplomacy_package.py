"""The PyPI package ``diplomacy`` as an oracle: its legal orders, its outcomes, and its faults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any


def without_coast(order: str) -> str:
    """An order without the coast in what a support or convoy is aimed at."""
    return re.sub(r"( [SC] .* - [A-Z]{3})/[NSE]C$", r"\1", order)


def new_game(units: Mapping[str, list[str]]) -> Any:
    """A game of the package with these units only."""
    from diplomacy import Game

    game = Game()
    game.clear_units()
    for power, own in units.items():
        game.set_units(power, own)
    return game


def legal_orders(game: Any) -> dict[str, set[str]]:
    """Legal orders by place, coasts of supports dropped, without places that have none."""
    return {
        place: {without_coast(order) for order in orders}
        for place, orders in game.get_all_possible_orders().items()
        if orders
    }


def outcomes(game: Any) -> dict[str, set[str]]:
    """What the package says of the orders of the phase that it has just processed, by unit.

    ``dislodged`` besides the rest; ``ok`` where it says nothing else.
    """
    found = {}
    for unit, results in game.result_history.last_value().items():
        words = {str(one) for one in results} - {""}
        found[unit] = words if words - {"dislodged"} else words | {"ok"}
    return found


def by_land(orders: Mapping[str, str], owners: Mapping[str, str]) -> dict[str, str]:
    """Orders, by unit, as the package has to be given them.

    Where an army can walk and an own fleet is ordered to convoy it, the package takes the move for
    one by convoy, even without VIA. Here an army goes as it is ordered, so that such a fleet has
    nothing to convoy: the package is told that it holds.
    """
    return {
        unit: "F " + unit[2:] + " H"
        if " C " in order
        and owners[unit] == owners.get(army := " ".join(order.split()[3:5]))
        and orders[army] == order.partition(" C ")[2]
        else order
        for unit, order in orders.items()
    }


def is_known_fault(ours: Mapping[str, str], theirs: Mapping[str, set[str]]) -> bool:
    """Whether a board shows the package's fault: a convoy disrupted whose fleet is not dislodged.

    Its disruption test overlooks that support by the power of the attacked unit does not count, and
    that two attackers stand each other off.
    """
    return any(word == "convoys" and "disrupted" in theirs[unit] for unit, word in ours.items())


def is_support_by_the_attacked(orders: Mapping[str, str], owners: Mapping[str, str]) -> bool:
    """Whether an army is supported on its way by convoy by the power of the unit it attacks.

    The package counts that support for dislodging the unit.
    """
    there = {unit[2:5]: owners[unit] for unit in orders}
    for unit, order in orders.items():
        supported, _, target = order.partition(" S ")[2].partition(" - ")
        by_convoy = orders.get(supported, "").endswith("VIA")
        if by_convoy and target and there.get(target[:3]) == owners[unit]:
            return True
    return False
