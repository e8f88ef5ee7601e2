"""The options of Diplomacy as words, and what they are as numbers."""

from __future__ import annotations

from typing import Any

from stratagym.envs.core import Option, Sides, integer
from stratagym.envs.diplomacy.geography import POWERS

MAPS = {"standard": 7, "france_austria": 2}
"""How many powers play on each map."""
SCORINGS = ("squares", "draw", "centres")
CONVOYS = ("ordered", "fallback")
PARADOXES = ("szykman", "2000")
UNIT_ORDERS = ("area", "mila")
STANDARD, FRANCE_AUSTRIA = range(2)
SQUARES, DRAW, CENTRES, WELFARE_POINTS = range(4)

INITIALS = "".join(power[0] for power in POWERS)
EACH_ALONE = sum(power << 3 * power for power in range(len(POWERS)))
"""``teams`` where every power plays for itself: the team of power p is in bits 3p to 3p + 2."""


def read_map(text: Any) -> str:
    """A map by its name, or by how many powers play on it. Raises ``ValueError`` for no map."""
    for name, powers in MAPS.items():
        if str(text) in (name, str(powers)):
            return name
    names = " or ".join(f"{name} ({powers} powers)" for name, powers in MAPS.items())
    raise ValueError(f"{names} is needed")


def read_teams(text: Any) -> str:
    """Teams such as ``AEFG-IRT``, by the powers' initials; empty for every power alone.

    Raises:
        ValueError: a power is missing, named twice or unknown, or a team has no power.
    """
    teams = str(text).upper()
    if teams and (sorted(teams.replace("-", "")) != sorted(INITIALS) or "" in teams.split("-")):
        raise ValueError(f"each of {INITIALS} is needed once, in teams such as AEFG-IRT")
    return teams


OPTIONS = {
    "map": Option(
        "standard",
        read_map,
        "seven powers, or France and Austria alone on the same board",
        examples=("france_austria",),
    ),
    "win": Option(18, integer(1, 34), "centres for a solo"),
    "years": Option(20, integer(1, 100), "years to be played, from 1901"),
    "scoring": Option("squares", SCORINGS, "what a game without a solo is worth"),
    "teams": Option("", read_teams, "powers that win together, by their initials: AEFG-IRT"),
    "rounds": Option(0, integer(0, 10), "rounds of talk before each movement phase"),
    "winter_press": Option("no", ("no", "yes"), "whether there is talk before Winter too"),
    "convoy": Option(
        "ordered", CONVOYS, "whether an army whose convoy is not complete goes by land if it can"
    ),
    "paradox": Option("szykman", PARADOXES, "how convoy paradoxes are settled"),
    "unit_order": Option("area", UNIT_ORDERS, "in which order a power's units are asked"),
}


def numbers(
    *,
    map: str = "standard",
    win: int = 18,
    scoring: str = "squares",
    teams: str = "",
    winter_press: str,
    convoy: str,
    paradox: str,
    unit_order: str,
    **same: int,
) -> dict[str, int]:
    """The fields of ``Rules`` for options in words, those of the standard variant.

    Raises:
        ValueError: teams on a map with two powers.
    """
    if map != "standard" and teams:
        raise ValueError(f"diplomacy: option teams={teams!r}: map={map!r} has two powers, no teams")
    of_team = EACH_ALONE
    if teams:
        of = {initial: k for k, team in enumerate(teams.split("-")) for initial in team}
        of_team = sum(of[initial] << 3 * power for power, initial in enumerate(INITIALS))
    return same | {
        "map": list(MAPS).index(map),
        "win": win,
        "scoring": SCORINGS.index(scoring),
        "teams": of_team,
        "winter_press": int(winter_press == "yes"),
        "convoy": CONVOYS.index(convoy),
        "paradox": PARADOXES.index(paradox),
        "unit_order": UNIT_ORDERS.index(unit_order),
        "welfare": 0,
        "num_players": MAPS[map],
    }


def sides(rules: Any) -> Sides:
    """Seats that win together."""
    teams: dict[int, list[int]] = {}
    for seat in range(rules.num_players):
        teams.setdefault(rules.teams >> 3 * seat & 7, []).append(seat)
    return tuple(map(tuple, teams.values()))
