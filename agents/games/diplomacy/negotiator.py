"""A player that negotiates: DumbBot with offers of peace, requests for support, and promises.

``negotiator:KEEP?accept=A`` accepts what is proposed to it with probability A and keeps each
promise with probability KEEP; else the orders stand that it would have given without it. All
follows from its power's salt, the phase and what it has heard, so that what it promised and broke
is known.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from stratagym.agents.core import Decision, Policy, PolicyString
from stratagym.agents.games.diplomacy.phrases import (
    ACCEPT,
    PEACE,
    PROPOSE,
    SUPPORT_MOVE,
    Proposal,
    agreements,
    read,
)
from stratagym.agents.games.diplomacy.players import DUMBBOT
from stratagym.agents.games.diplomacy.responses import Room, draw_plans, new_room
from stratagym.agents.kernel_policies import RULE, KernelPolicy
from stratagym.envs.core import GameSpec
from stratagym.envs.diplomacy.alliances import in_contact
from stratagym.envs.diplomacy.geography import PROVINCES
from stratagym.envs.diplomacy.listing import MOVE
from stratagym.envs.diplomacy.metrics import attacked, holders, units_of
from stratagym.envs.diplomacy.notation import (
    find_action,
    legal_orders,
    order_text,
    read_order,
    unit_in,
)
from stratagym.envs.diplomacy.orders import TARGET
from stratagym.envs.diplomacy.positions import phase_name
from stratagym.envs.diplomacy.state import FALL, SPRING
from stratagym.envs.diplomacy.tables import AREA_PROVINCE, ASKED_IN_ORDER, HOLD_AT, ORDERS
from stratagym.envs.diplomacy.telling import power_of
from stratagym.envs.talk import Message, Said


class Negotiator(Policy):
    """See the module; it is seated at one table at a time, or at several."""

    def __init__(self, name: str, keep: float, accept: float):
        self.name, self.keep, self.accept = name, keep, accept
        self._dumbbot = KernelPolicy("dumbbot", RULE, DUMBBOT)
        self._room: tuple[Any, Room] | None = None

    def act(self, decision: Decision) -> int:
        s, rules = decision.states[0], decision.rules
        if len(decision.legal) == 1:
            return int(decision.legal[0])
        if s["talk"] or s["season"] not in (SPRING, FALL):
            return self._dumbbot.act(decision)
        plan = self.plan(rules, decision.states, decision.seat)
        promised = self.promises(rules, s, decision.seat, decision.heard)
        kept = [one for one in promised if self.keeps(s, power_of(rules, decision.seat), *one)]
        for _, what in kept:
            if what.kind == SUPPORT_MOVE:
                order = read_order(what.order)
                plan[order.province] = find_action(rules, s, order, int(s["power"]))
        friends = {power_of(rules, to) for to, what in kept if what.kind == PEACE}
        province = int(AREA_PROVINCE[ASKED_IN_ORDER[rules.unit_order, s["place"]]])
        if attacked(s, plan[province]) & friends:
            return int(HOLD_AT[province])
        return plan[province]

    def say(self, decision: Decision, heard: Sequence[Message]) -> Sequence[Said]:
        s, rules, seat = decision.states[0], decision.rules, decision.seat
        listeners = decision.listeners()
        if not listeners or s["season"] not in (SPRING, FALL):
            return []
        phase, power = phase_name(s), power_of(rules, seat)
        said: list[tuple[int, str]] = []
        answers = self._answers(rules, s, seat, heard)
        said += [(to, what.accepted()) for to, what in answers if to in listeners]
        own = [message for message in heard if message.seat == seat]
        before = [found[1] for message in own if (found := read(message.text))]
        if int(s["talk"]) == 1:
            peace = Proposal(PEACE, phase)
            said += [
                (to, peace.proposed())
                for to in listeners
                if in_contact(s, power, power_of(rules, to))
            ]
        if int(s["talk"]) == 1 or int(s["talk"]) < rules.rounds:  # else nobody could answer
            busy = {read_order(what.order).province for _, what in answers if what.order}
            asked = self._request(rules, decision.states, seat, listeners, before, busy)
            said += [(to, what.proposed()) for to, what in asked]
        return [((to,), text) for to, text in said]

    # --- what it means to do ---------------------------------------------------------------------

    def plan(self, rules: Any, states: np.ndarray, seat: int) -> dict[int, int]:
        """Its orders by province for the coming movement phase, if it promised nothing."""
        power = power_of(rules, seat)
        if self._room is None or self._room[0] != rules:
            self._room = rules, new_room(rules, 1)
        room = self._room[1]
        room[0][0] = states[0]
        draw_plans(rules, power, 1, 1, np.uint64(_number(states[0], power, "plan")), room)
        return {
            province: int(room[3][power, 0, province]) for province in units_of(states[0], power)
        }

    def promises(
        self, rules: Any, s: Any, seat: int, heard: Sequence[Message]
    ) -> list[tuple[int, Proposal]]:
        """(to whom, what) it has promised for the coming movement phase, each once."""
        found = agreements(heard, phase_name(s))
        made = [(to, what) for one in found for by, to, what in one.promises() if by == seat]
        return list(dict.fromkeys(made))

    def keeps(self, s: Any, power: int, to: int, what: Proposal) -> bool:
        """Whether it keeps a promise; what it does not keep it may still do by its plan."""
        return _drawn(s, power, "keep", to, what.kind, what.order) < self.keep

    def _answers(
        self, rules: Any, s: Any, seat: int, heard: Sequence[Message]
    ) -> list[tuple[int, Proposal]]:
        """(to whom, what) it accepts now: of what it has not yet answered, what it likes and can.

        It accepts one support of each unit, of moves that are aimed at nobody but the asker, and
        none by a unit for whose own move it has asked support.
        """
        phase, power, found = phase_name(s), power_of(rules, seat), []
        busy, answered = set(), set()
        for message in heard:
            said = read(message.text)
            if message.seat != seat or said is None or said[1].phase != phase:
                continue
            answered.add((message.to[0], *said))
            if said[1].kind == SUPPORT_MOVE:
                order = read_order(said[1].order)
                busy.add(order.province if said[0] == ACCEPT else order.other_province)
        for message in heard:
            said = read(message.text)
            if message.seat == seat or said is None or said[0] != PROPOSE:
                continue
            to, what = message.seat, said[1]
            if what.phase != phase or message.to != (seat,) or (to, ACCEPT, what) in answered:
                continue
            likes = _drawn(s, power, "accept", to, what.kind, what.order)
            if likes >= self.accept:
                continue
            if what.kind == SUPPORT_MOVE:
                order = read_order(what.order)
                action = _legal_action(rules, s, power, what.order)
                if action is None or order.province in busy:
                    continue
                if attacked(s, action) - {power_of(rules, to)} or holders(s, order.target_province):
                    continue
                busy.add(order.province)
            answered.add((to, ACCEPT, what))
            found.append((to, what))
        return found

    def _request(
        self,
        rules: Any,
        states: np.ndarray,
        seat: int,
        listeners: Sequence[int],
        before: Sequence[Proposal],
        busy: set[int],
    ) -> Iterator[tuple[int, Proposal]]:
        """One request for support of a planned move that is aimed at nobody, to who could give it.

        ``before``: what it has said of this and other phases; of no move it speaks twice.
        """
        s, phase = states[0], phase_name(states[0])
        own = [read_order(one.order) for one in before if one.order and one.phase == phase]
        taken = busy | {order.province for order in own} | {order.other_province for order in own}
        for province, action in sorted(self.plan(rules, states, seat).items()):
            order = int(ORDERS[action])
            target = order >> TARGET & 127
            if order & 255 != MOVE or province in taken or holders(s, target):
                continue
            text = order_text(s, action).rpartition(" - ")[0]
            for to in listeners:
                for helper in units_of(s, power_of(rules, to)):
                    wanted = f"{unit_in(s, helper)} S {text} - {PROVINCES[target].short}"
                    if _legal_action(rules, s, power_of(rules, to), wanted) is not None:
                        yield to, Proposal(SUPPORT_MOVE, phase, wanted)
                        return


def _legal_action(rules: Any, s: Any, power: int, text: str) -> int | None:
    """The action of an order that a power can give in the coming movement phase."""
    asked = np.array([s], s.dtype)
    asked["talk"] = 0
    order = read_order(text)
    try:
        action = find_action(rules, asked[0], order, power)
    except ValueError:
        return None
    return action if action in legal_orders(rules, asked[0], order.province) else None


def _number(s: Any, power: int, *what: Any) -> int:
    """A 64-bit number that a power draws in a phase, for ``what``."""
    parts = (int(s["salt"][power]), int(s["year"]), int(s["season"]), *what)
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:8], "big")


def _drawn(s: Any, power: int, *what: Any) -> float:
    """A number in [0, 1) that a power draws in a phase, for ``what``."""
    return (_number(s, power, *what) >> 11) * 2.0**-53


def negotiating(spec: GameSpec, text: PolicyString) -> Negotiator:
    """``negotiator``, ``negotiator:0.8?accept=0.5``. Raises ``ValueError`` for no probabilities."""
    if unknown := sorted(text.options.keys() - {"accept"}):
        raise ValueError(f"policy {text.name}: unknown option {unknown[0]!r}; it takes accept")
    found = []
    for what, value in (("keep", text.argument), ("accept", text.options.get("accept", ""))):
        try:
            found.append(float(value or 1))
        except ValueError:
            found.append(-1.0)
        if not 0 <= found[-1] <= 1:
            raise ValueError(
                f"policy {text.name}: {what} {value!r}: a probability from 0 to 1 is needed, as in "
                "negotiator:0.8?accept=0.5"
            )
    return Negotiator(str(text), *found)
