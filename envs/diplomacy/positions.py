"""Positions by their units and centres, as saved games and test cases tell them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy.rules import ask_first
from stratagym.envs.diplomacy.state import BY_CONVOY, WINTER
from stratagym.envs.diplomacy.tables import ARMY, FLEET, NUM_POWERS

PHASES = ("S{}M", "S{}R", "F{}M", "F{}R", "W{}A")
"""Names of phases by season, with the year."""


def phase_name(s: Any) -> str:
    """The running phase, such as ``S1901M``; ``COMPLETED`` when the game is over."""
    if s["over"]:
        return "COMPLETED"
    return PHASES[int(s["season"])].format(int(s["year"]))


def read_phase(name: str) -> tuple[int, int]:
    """(season, year) of a phase's name. Raises ``ValueError`` for no such name."""
    match = re.fullmatch(r"([SFW])(\d{4})([MRA])", name)
    form = f"{match[1]}{{}}{match[3]}" if match else ""
    if match is None or form not in PHASES:
        raise ValueError(f"phase {name!r}: a name such as S1901M, F1901R or W1901A is needed")
    return PHASES.index(form), int(match[2])


def read_unit(text: str) -> tuple[int, int]:
    """(``ARMY`` or ``FLEET``, area) of a unit such as ``F STP/SC``.

    Raises:
        ValueError: there is no such area, or no such unit can stand there.
    """
    match = re.fullmatch(r"([AF]) ([A-Z]{3}(?:/[NES]C)?)", text)
    if match is None or match[2] not in g.AREA:
        raise ValueError(f"unit {text!r}: a unit such as A PAR or F STP/SC is needed")
    kind, area = g.parse_unit(text)
    steps = g.ARMY_TO if kind == ARMY else g.FLEET_TO
    if not steps[area]:
        raise ValueError(f"unit {text!r}: no {('army', 'fleet')[kind == FLEET]} can stand there")
    return kind, area


def set_position(
    rules: Any,
    phase: str,
    units: Mapping[str, Sequence[str]],
    centres: Mapping[str, Sequence[str]] | None = None,
    retreats: Mapping[str, Mapping[str, Sequence[str]]] | None = None,
) -> np.ndarray:
    """A state (1,) at the beginning of a phase, or of the next in which there is a decision.

    Args:
        units: by power. centres: owned, by power; by default every power's home centres.
        retreats: by power, dislodged units and the areas to which each may go. What else a retreat
            depends on is set so that these are what is possible.

    Raises:
        ValueError: a phase, power, unit or centre that there is not, or two units in a province.
    """
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(0), core.new_scratch(rules)[1])
    s = states[0]
    season, year = read_phase(phase)
    s["season"], s["year"], s["turn"] = season, year, 5 * (year - 1901) + season + 1
    s["unit"], s["owner"], s["area"] = 0, -1, g.MAIN_AREA
    s["influence"] = -1
    for power, own in units.items():
        for text in own:
            kind, area = read_unit(text)
            province = g.AREA_PROVINCE[area]
            if s["unit"][province]:
                raise ValueError(f"unit {text!r}: another one is in that province")
            s["unit"][province], s["area"][province] = kind, area
            s["owner"][province] = s["influence"][province] = power_named(power)
    if centres is not None:
        s["centre_owner"] = -1
        for power, owned in centres.items():
            for name in owned:
                if name not in g.SHORT or g.SHORT[name] not in g.CENTRES:
                    raise ValueError(f"centre {name!r}: there is no such supply centre")
                s["centre_owner"][g.CENTRES.index(g.SHORT[name])] = power_named(power)
    _set_retreats(s, retreats or {})
    for seat in range(NUM_POWERS):
        n = int((s["centre_owner"] == seat).sum() - (s["owner"] == seat).sum())
        s["owed"][seat] = n if season == WINTER else 0
    ask_first(rules, states)
    return states


def _set_retreats(s: Any, retreats: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
    """Set dislodged units; where they may not go was contested, or the attack came from there."""
    barred: dict[int, list[int]] = {}
    allowed: set[int] = set()
    for power, dislodged in retreats.items():
        for text, possible in dislodged.items():
            kind, area = read_unit(text)
            province = g.AREA_PROVINCE[area]
            s["dislodged_unit"][province], s["dislodged_area"][province] = kind, area
            s["dislodged_owner"][province] = power_named(power)
            s["attacker"][province] = BY_CONVOY
            free = {g.AREA_PROVINCE[g.AREA[name]] for name in possible}
            steps = g.ARMY_TO if kind == ARMY else g.FLEET_TO
            beside = {g.AREA_PROVINCE[to] for to in steps[area]}
            allowed |= free
            for to in beside - free:
                if not s["unit"][to]:
                    barred.setdefault(to, []).append(province)
    for to, provinces in barred.items():
        if to in allowed:
            s["attacker"][provinces] = to
        else:
            s["contested"][to] = 1


def power_named(name: str) -> int:
    """A power's number. Raises ``ValueError`` for no such power."""
    if name not in g.POWERS:
        raise ValueError(f"power {name!r}: choose one of: {', '.join(g.POWERS)}")
    return g.POWERS.index(name)
