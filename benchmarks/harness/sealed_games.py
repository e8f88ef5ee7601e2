"""What the metrics know of the three games: names, entries of plans, how near a plan came."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stratagym.envs import sealed, spec

TOWER, CARD, DUEL = "tower_defence", "battle_card", "elemental_duel"
GAMES = (TOWER, CARD, DUEL)
BUDGET_UNIT = {TOWER: 25, CARD: 1, DUEL: 1}
"""What budgets are multiples of."""
LEAST = {TOWER: (100, 50), CARD: (1, 1), DUEL: (12, 12)}
"""By game and seat, what the cheapest plan costs."""
ROLES = ("attacker", "defender")


def plan_json(game: str, rules: Any, s: Any, seat: int) -> dict[str, Any]:
    """A seat's plan of the last round, as its replies hold it."""
    return spec(game).module("view").plan_json(rules, s, seat)


def names(game: str, seat: int) -> tuple[str, ...]:
    """Every name that a seat's plans in a game can hold."""
    if game == TOWER:
        from stratagym.envs.tower_defence import units

        return units.names(seat)
    if game == CARD:
        from stratagym.envs.battle_card.view import names_of

        return tuple(names_of(seat))
    from stratagym.envs.elemental_duel.view import elements_of, skills_of

    skills = (skill for element in range(3) for skill in skills_of(seat, element))
    return (*elements_of(seat), *skills)


def items(game: str, data: Mapping[str, Any]) -> tuple[tuple[Any, ...], ...]:
    """The entries of a plan, the order left out where it means nothing."""
    found: list[tuple[Any, ...]] = []
    for key, value in data.items():
        for entry in value:
            if isinstance(entry, str):
                found.append((key, entry))
            else:
                plain = (tuple(x) if isinstance(x, list) else x for x in entry.values())
                found.append(tuple(plain))
    return tuple(sorted(found, key=repr)) if game == TOWER else tuple(found)


def value(game: str, rules: Any, s: Any, k: int, seat: int) -> float:
    """How near the plan of a seat came in round ``k`` (from 0), 1 for a win, against the other's.

    A plan over budget counts minus its excess over the budget, at most 1, a void one -1.
    """
    flags = int(s["last_flags"][seat])
    if flags & sealed.VOID:
        return -1.0
    if flags & sealed.OVER:
        budget = sealed.budget_of.py_func(rules, seat)
        return -min(1.0, (int(s["last_spent"][seat]) - budget) / budget)
    won = int(s["result"][k]) == 1 - 2 * seat
    if int(s["why"][k]) != sealed.SIMULATED:
        return 1.0  # the other's plan is bad
    left = [int(x) for x in s["left"][k]]
    return nearness(game, rules, s, seat, won, int(s["end"][k]), left)


def nearness(
    game: str,
    rules: Any,
    s: Any,
    seat: int,
    won: bool,
    end: int,
    left: Sequence[int],
    last: bool = True,
) -> float:
    """How near a plan came in a battle, 0 to 1, 1 or at least .5 for a win.

    Args:
        end, left: as the record has them of a round. last: whether the battle was of the plans of
            the round before, or of those in the making.
    """
    if game == TOWER:
        from stratagym.envs.tower_defence.simulation import LAST_TICK
        from stratagym.envs.tower_defence.units import PATH

        if won:
            return 1.0
        return 0.99 * (left[0] / PATH if seat == 0 else end / LAST_TICK)
    shares = [
        min(1.0, left[one] / max(1, base_health(game, rules, s, one, last))) for one in range(2)
    ]
    near = 0.5 + 0.5 * (shares[seat] - shares[1 - seat])
    return max(0.5, near) if won else min(0.5, near)


def base_health(game: str, rules: Any, s: Any, seat: int, last: bool = True) -> int:
    """The health of what a seat's plan bought, before the battle."""
    if game == DUEL:
        from stratagym.envs.elemental_duel.tables import HP

        return 3 * int(HP[rules.released, seat])
    from stratagym.envs.battle_card.tables import GOLD, NUMBERS, UNITS

    view = spec(game).module("view")
    own = names(game, seat)
    bought = next(iter(view.plan_json(rules, s, seat, last).values()))
    return sum(
        int(NUMBERS[rules.released, UNITS * seat + own.index(entry["name"]), 2])
        * (GOLD if entry.get("tier") == "Gold" else 1)
        for entry in bought
    )
