"""Orders in words carried out for a whole board, for people, saved games and tests.

``judge`` is an adjudicator by itself: units and orders in, results out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import notation, submissions
from stratagym.envs.diplomacy.positions import phase_name, set_position
from stratagym.envs.diplomacy.state import (
    CONVOYED,
    CUT,
    DISLODGED,
    DISRUPTED,
    FAILED,
    GIVEN,
    HELD,
    MOVED,
    VOID,
    WINTER,
)
from stratagym.envs.diplomacy.tables import REMOVE_AT, WAIVE_ACTION

WORDS = {
    MOVED: "moves", FAILED: "fails", GIVEN: "given", CUT: "cut", VOID: "void",
    CONVOYED: "convoys", DISRUPTED: "disrupted", HELD: "holds",
}  # fmt: skip
"""What becomes of a movement order; ``+dislodged`` stands behind it if its unit is."""
Units = Mapping[str, Sequence[str]]
Orders = Mapping[str, Sequence[str]]


@dataclass(frozen=True)
class Verdict:
    """What the orders of one phase come to.

    Attributes:
        phase: the next phase in which somebody has to decide, or ``COMPLETED``.
        results: of movement orders, by unit: one of ``WORDS``, perhaps with ``+dislodged``.
        units: on the board afterwards, by power. retreats: where each dislodged unit may go.
        refused: orders that do not stand, and why in one word (``notation.REASONS``).
        states: (1,) the state after them, for ``give_orders``.
    """

    phase: str
    results: dict[str, str]
    units: dict[str, list[str]]
    retreats: dict[str, list[str]]
    refused: dict[str, str]
    states: np.ndarray


def judge(
    rules: Any,
    units: Units,
    orders: Orders,
    phase: str = "S1901M",
    centres: Units | None = None,
) -> Verdict:
    """Carry out the orders of one phase on a board of one's own.

    Args:
        rules: of ``spec("diplomacy").make_rules(...)``. units, orders, centres: texts by power.
            Units without an order hold. Without ``centres`` each power owns its home centres.

    Raises:
        ValueError: a unit, power, centre or phase that there is not.
    """
    states = set_position(rules, phase, units, centres)
    refused = give_orders(rules, states, orders)
    return Verdict(
        phase_name(states[0]),
        results(states) if phase.endswith("M") else {},
        units_on(states),
        retreats_of(rules, states),
        refused,
        states,
    )


def give_orders(
    rules: Any,
    states: np.ndarray,
    orders: Orders,
    civil_disorder: str = "2023",
    literal: bool = False,
    played: list[int] | None = None,
) -> dict[str, str]:
    """Play one phase of ``states[0]`` by the orders of all powers; those refused, and why.

    Orders of powers that are not asked in the phase are not read. ``literal`` is that of
    ``read_submission``. The actions are added to ``played``.
    """
    turn = int(states["turn"][0])
    refused: dict[str, str] = {}

    def play(action: int) -> None:
        notation.play(rules, states, action)
        if played is not None:
            played.append(int(action))

    while not states["over"][0] and states["turn"][0] == turn:
        power = int(states["power"][0])
        found = submissions.read_submission(
            rules, states[0], power, orders.get(g.POWERS[power], ()), literal
        )
        refused |= {str(one): one.reason for one in found.refused}
        for text in submissions.moves_of(rules, states[0], power, found):
            if not isinstance(text, submissions.Refused):
                order = notation.read_order(text)
                play(notation.find_action(rules, states[0], order, power))
            elif text.province >= 0:
                play(submissions.default_action(rules, states[0]))
        while not states["over"][0] and states["turn"][0] == turn and states["power"][0] == power:
            action = submissions.default_action(rules, states[0])
            if states["season"][0] == WINTER and action != WAIVE_ACTION:
                first = submissions.civil_disorder(states[0], power, civil_disorder)
                action = int(next(REMOVE_AT[p] for p in first if states["order"][0, p] < 0))
            play(action)
    return refused


def results(states: np.ndarray) -> dict[str, str]:
    """What became of the orders of the last movement phase, by unit."""
    s, found = states[0], {}
    for province in np.flatnonzero(s["unit_before"]).tolist():
        unit = notation.unit_text(s["unit_before"][province], s["area_before"][province])
        result = int(s["result"][province])
        driven = "+dislodged" if result & DISLODGED else ""
        found[unit] = WORDS[result & ~DISLODGED] + driven
    return found


def units_on(states: np.ndarray) -> dict[str, list[str]]:
    """The units on the board by power, sorted; without powers that have none."""
    s = states[0]
    found: dict[str, list[str]] = {}
    for province in np.flatnonzero(s["unit"]).tolist():
        power = g.POWERS[s["owner"][province]]
        found.setdefault(power, []).append(notation.unit_in(s, province))
    return {power: sorted(found[power]) for power in g.POWERS if power in found}


def retreats_of(rules: Any, states: np.ndarray) -> dict[str, list[str]]:
    """Where each dislodged unit may go, sorted; without those that may go nowhere."""
    s, found = states[0], {}
    for province in np.flatnonzero(s["dislodged_unit"]).tolist():
        texts = [notation.order_text(s, a) for a in notation.legal_orders(rules, s, province)]
        found[notation.dislodged_in(s, province)] = sorted(one.split()[-1] for one in texts[1:])
    return found
