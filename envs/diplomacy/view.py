"""Diplomacy in words: orders as text, replies with all orders of a power, the prompt.

The prompt for movement has the fields of SPIN-Bench's (appendix C.2) in its order, and a reply has
those of its answer; the sentences are this project's. One reply holds all orders of one power in a
phase. Orders that cannot be given are listed with a word each, and their units hold or disband.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from stratagym.envs import core
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import telling
from stratagym.envs.diplomacy.disguise import RENAMED as RENAMED
from stratagym.envs.diplomacy.notation import find_action, order_text, play, read_order
from stratagym.envs.diplomacy.options import CENTRES, DRAW, EACH_ALONE, STANDARD, sides
from stratagym.envs.diplomacy.orders import UNIT
from stratagym.envs.diplomacy.state import FALL_RETREATS, SPRING_RETREATS, WINTER
from stratagym.envs.diplomacy.submissions import (
    Refused,
    Submission,
    default_action,
    moves_of,
    read_submission,
    waiting_orders,
)
from stratagym.envs.diplomacy.tables import ORDERS
from stratagym.envs.diplomacy.telling import board_text as board_text
from stratagym.envs.diplomacy.telling import phase_text as phase_text
from stratagym.envs.diplomacy.telling import power_of, seat_name
from stratagym.envs.plans import EACH, PLAN_LIMIT, SHOWN_PLAN
from stratagym.envs.replies import ReplyError, last_json
from stratagym.envs.views import POSITION_FIRST
from stratagym.envs.words import section

PROMPT_VERSION, MERGED_VERSION = "diplomacy-2", "diplomacy-1"
EARLIER_PROMPTS = {"diplomacy-1": POSITION_FIRST}
PLAN = EACH
SPEECH = "messages"
HEARD = 84
"""A year of three rounds, in which each other power sends two messages."""
POSITION_FORMS = ("full", "facts", "orders")
"""With steps to think through and facts to state, with the facts alone, or without both."""
HINTS = (
    "One unit alone never drives another out: bring support, from units beside the target.",
    "In Fall end in the centres that you want to own; what stands there in Spring counts nothing.",
    "Supporting an army costs nothing that a hold does not: a unit with nothing to do can support.",
    "An attack on a supporting unit cuts its support, but not from where the support is aimed.",
    "Leave no home centre open to a neighbour's unit in Fall.",
)


ANSWER = SHOWN_PLAN


# --- single orders -------------------------------------------------------------------------------


def action_to_string(rules: Any, s: Any, action: int) -> str:
    """An order such as ``A PAR - BUR``; see ``notation``."""
    return order_text(s, action)


def string_to_action(rules: Any, s: Any, text: str) -> int:
    """The action that an order means for the power that is asked.

    Raises:
        ValueError: one of ``notation.REASONS``.
    """
    if isinstance(text, Refused):
        raise ValueError(text.reason)
    return find_action(rules, s, read_order(text), int(s["power"]))


def why_illegal(rules: Any, s: Any, action: int) -> str:
    """Why the power that is asked may not give an order, as one word."""
    if not 0 <= action < rules.num_actions:
        return "no_such_order"
    province, power = int(ORDERS[action]) >> UNIT & 127, int(s["power"])
    if province in waiting_orders(s, power):
        return "twice"
    if s["season"] == WINTER:
        return "too_many"
    retreats = s["season"] in (SPRING_RETREATS, FALL_RETREATS)
    owner = int(s["dislodged_owner" if retreats else "owner"][province])
    return "not_adjacent" if owner == power else "not_yours" if owner >= 0 else "no_such_unit"


def move_text(rules: Any, s: Any, action: int) -> str:
    """An order told with its power."""
    if s["talk"]:
        return ""
    return f"{g.POWERS[int(s['power'])]}: {order_text(s, action)}."


# --- replies -------------------------------------------------------------------------------------


def read_plan(rules: Any, s: Any, text: str) -> list[str]:
    """The orders of a reply, in the order in which they are asked for; see ``moves_of``.

    Raises:
        ReplyError: ``no_json``, ``no_orders``, ``bad_type``, ``too_many``.
    """
    return moves_of(rules, s, int(s["power"]), _submission(rules, s, text))


def _submission(rules: Any, s: Any, text: str) -> Submission:
    power = int(s["power"])
    if s["talk"]:  # what is said stands beside; orders wait for their phase
        last_json(text, dict)
        return Submission()
    own, others = _orders_in(text, g.POWERS[power])
    found = read_submission(rules, s, power, own)
    found.refused += [Refused(order, "not_yours") for order in others]
    found.given += len(others)
    return found


def _orders_in(text: str, power: str) -> tuple[list[str], list[str]]:
    """A reply's orders for a power, and those that it gives for others."""
    try:
        orders = last_json(text, dict, "orders")["orders"]
    except ReplyError as error:
        if str(error) == "no_json":
            last_json(text, dict)
            raise ReplyError("no_orders") from None
        raise
    if isinstance(orders, list):
        orders = {power: orders}
    if not isinstance(orders, dict):
        raise ReplyError("bad_type")
    own: list[str] = []
    others: list[str] = []
    for name, value in orders.items():
        value = [value] if isinstance(value, str) else value
        if not isinstance(value, list):
            raise ReplyError("bad_type")
        (own if name.strip().upper() == power else others).extend(map(str, value))
    if len(own) + len(others) > PLAN_LIMIT:
        raise ReplyError("too_many")
    return own, others


def plan_facts(rules: Any, s: Any, text: str, actions: tuple[int, ...]) -> Mapping[str, int]:
    """How many orders a reply has, how many are legal, illegal, and missing."""
    return {} if s["talk"] else _submission(rules, s, text).facts()


def replacement_actions(rules: Any, s: Any, move: str) -> list[int]:
    """What a unit does whose order is refused: it holds, or disbands where it has to retreat."""
    waits = not s["talk"] and s["season"] != WINTER
    if not waits or not isinstance(move, Refused) or move.province < 0:
        return []
    return [default_action(rules, s)]


def default_actions(rules: Any, s: Any) -> list[int]:
    """What ends a power's part without orders: units hold or disband, builds are waived.

    Removals that are missing follow the rules of civil disorder.
    """
    states = np.array([s], s.dtype)
    found: list[int] = []
    seat, turn = core.current_player_at(rules, states, 0), int(s["turn"])
    while core.current_player_at(rules, states, 0) == seat and states["turn"][0] == turn:
        found.append(default_action(rules, states[0]))
        play(rules, states, found[-1])
    return found


def present(rules: Any, s: Any) -> list[int]:
    """The seats of powers that are left."""
    return [seat for seat, p in enumerate(telling.powers_in(rules)) if telling.is_alive(s, p)]


def listeners(rules: Any, s: Any, seat: int) -> list[int]:
    """The seats of other living powers, in talk."""
    if not s["talk"]:
        return []
    return [other for other in present(rules, s) if other != seat]


def forfeit_returns(rules: Any, s: Any, seat: int) -> list[float]:
    """Each seat's return when one forfeits: 0 for it, and the others share as the game stands."""
    powers = telling.powers_in(rules)
    centres = [int((s["centre_owner"] == power).sum()) for power in powers]
    if rules.scoring == CENTRES:
        return [0.0 if k == seat else n / len(g.CENTRES) for k, n in enumerate(centres)]
    worth = [float(telling.is_alive(s, p)) if rules.scoring == DRAW else float(n * n)
             for p, n in zip(powers, centres, strict=True)]  # fmt: skip
    worth[seat] = 0.0
    total = sum(worth)
    return [one / total if total else float(k != seat) / (len(powers) - 1)
            for k, one in enumerate(worth)]  # fmt: skip


# --- the prompt ----------------------------------------------------------------------------------


def role_text(rules: Any, player: int) -> str:
    """Which power the seat plays, and what it is after."""
    power = power_of(rules, player)
    name = "Welfare Diplomacy" if rules.welfare else "Diplomacy"
    told = f"You play {g.POWERS[power]} in a game of {name}"
    if rules.map != STANDARD:
        other = seat_name(rules, None, 1 - player)
        told += f" against {other} alone; no other power takes part"
    partners = [
        g.POWERS[p]
        for p in telling.powers_in(rules)
        if p != power and (rules.teams >> 3 * p & 7) == (rules.teams >> 3 * power & 7)
    ]
    if partners:
        told += f". You win and lose together with {telling.listed(partners)}"
    return f"{told}."


def rules_text(rules: Any) -> str:
    """The rules in force, with how orders are written."""
    return "\n\n".join(
        [
            section("Rules", *_aim(rules), *movement_rules(rules), *_winter_rules(rules)),
            BOARD_TEXT,
            notation_text(rules),
        ]
    )


def rules_brief(rules: Any) -> str:
    """The aim alone."""
    return section("Rules", *_aim(rules))


def _aim(rules: Any) -> list[str]:
    if rules.welfare:
        return [_WELFARE_AIM.format(1900 + rules.years), _YEAR, *_talk_rules(rules)]
    together = " (the powers of a side count together)" if rules.teams != EACH_ALONE else ""
    worth = {
        DRAW: "all powers that are still alive share equally",
        CENTRES: "each power scores its share of the 34 centres",
    }.get(rules.scoring, "each power scores the square of its centres, divided by the sum of all")
    return [
        "- There are 34 supply centres. A power that is alone in the lead after a Fall with at "
        f"least {rules.win} of them wins{together}. Without a winner the game ends after "
        f"{1900 + rules.years}; then {worth}.",
        *_sides(rules),
        _YEAR,
        *_talk_rules(rules),
    ]


def _sides(rules: Any) -> list[str]:
    if rules.teams == EACH_ALONE:
        return []
    told = (telling.listed(g.POWERS[p] for p in side) for side in sides(rules))
    return [f"- Sides: {'; '.join(told)}. The powers of a side that wins share the win."]


def _talk_rules(rules: Any) -> list[str]:
    if not rules.rounds:
        return []
    when = "movement phase and each Winter" if rules.winter_press else "movement phase"
    return [f"- Rounds of talk before each {when}: {rules.rounds}."]


_YEAR = (
    "- Each year has Spring moves, Spring retreats, Fall moves, Fall retreats and Winter "
    "adjustments. All powers write their orders at the same time, and these are carried out "
    "together."
)
_WELFARE_AIM = (
    "- There are 34 supply centres. After each Winter every power earns as many welfare points as "
    "it has more centres than units. Points are kept. The game ends after {}. Your aim is to have "
    "as many welfare points as you can; nobody wins or loses."
)


def _map_text() -> str:
    """All provinces with their neighbours, by kind of unit."""
    lines = []
    for province, one in enumerate(g.PROVINCES):
        kind = "sea" if one.kind == g.SEA else "land" if one.kind == g.LAND else "coast"
        told = f"- {one.short} {one.name} ({kind}{', centre' if one.centre else ''})"
        ways = []
        for word, steps in (("armies", g.ARMY_TO), ("fleets", g.FLEET_TO)):
            for area in g.areas_of(province):
                if steps[area]:
                    where = f" from {g.AREAS[area]}" if "/" in g.AREAS[area] else ""
                    ways.append(f"{word}{where} {' '.join(g.AREAS[to] for to in steps[area])}")
        lines.append(f"{told}: {'; '.join(ways)}")
    return section("The board: each province, and where units can move from it", *lines)


BOARD_TEXT = _map_text()


_PARADOX = (
    "If it depends on itself whether a convoy fails, through a support that the convoyed army "
    "would cut, it fails.",
    "A convoyed army does not cut the support of an attack on a fleet that it needs.",
)


def movement_rules(rules: Any) -> list[str]:
    """How orders to move work."""
    late = (
        "; an army whose convoy is not complete goes by land if it can"
        if rules.convoy
        else "; an army ordered VIA never goes by land"
    )
    return [
        "- Armies (A) move over land, fleets (F) over seas and along coasts; a province holds one "
        "unit. BUL, SPA and STP have two coasts: a fleet is on one of them (BUL/EC, BUL/SC, "
        "SPA/NC, SPA/SC, STP/NC, STP/SC) and moves from there.",
        "- A unit holds, moves to a neighbouring province, supports, or, as a fleet at sea, "
        "convoys an army over its sea.",
        "- An attack succeeds if it is stronger than what stands in the province and than every "
        "other attack there. Strength is 1 for the unit and 1 for each support. Units of equal "
        "strength bounce; two units cannot change places unless one of them is convoyed.",
        "- A unit may support another one in holding, if that is not ordered to move, or in moving "
        "to a province, if it is ordered there. The supporter must be able to move to that "
        "province itself. Support is cut if the supporter is attacked by another power's unit "
        "from elsewhere than the province that the support is aimed at, or is dislodged.",
        "- No unit is dislodged by its own power's attack or with its own power's support.",
        "- An army on a coast goes by convoy to another coast over a chain of neighbouring fleets "
        f"at sea that are all ordered to convoy it (VIA){late}. A convoy fails if one of its "
        f"fleets that it needs is dislodged. {_PARADOX[rules.paradox]}",
        "- A dislodged unit retreats to a neighbouring province that is empty, not the one that "
        "the attack came from, and not one where units bounced in this season; else it disbands. "
        "Two units that retreat to the same province disband.",
        "- After Fall a supply centre belongs to the power whose unit stands in it; an empty one "
        "keeps its owner.",
    ]


def _winter_rules(rules: Any) -> list[str]:
    if rules.welfare:
        return [
            "- In every Winter each power may either remove any of its units, or build in home "
            "centres that it owns and that are empty while it has fewer units than centres, not "
            "both. It must remove units until it has no more units than centres. WAIVE ends its "
            "Winter. A power without units and centres is out.",
        ]
    return [
        "- In Winter a power with more centres than units may build in home centres that it owns "
        "and that are empty; a power with more units than centres removes the difference. A power "
        "without units and centres is out.",
    ]


def notation_text(rules: Any) -> str:
    """How orders are written."""
    return section(
        "How orders are written",
        "- Movement: A PAR H (hold), A PAR - BUR (move), F MAO - SPA/NC (a fleet's coast is named "
        "where there are two), A YOR - NWY VIA (by convoy), F NTH C A YOR - NWY (convoy), "
        "A MAR S A PAR (support in holding), A MAR S A PAR - BUR (support in moving).",
        "- Retreats: A BUR R PIC (retreat), A BUR D (disband).",
        "- Winter: A PAR B, F STP/NC B (build), A PAR D (remove), WAIVE (build no more).",
        *(
            ["- Orders are entered in DeepMind's order of areas (MILA)."]
            if rules.unit_order
            else []
        ),
    )


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The state, what was ordered before, what is asked, and the form of the answer."""
    power = power_of(rules, player)
    state, past = telling.public_text(rules, s)
    parts = [section("State of the game", state)]
    if past:
        parts.append(section("Last orders and what became of them", past))
    if s["talk"]:
        parts.append(_talk_text(rules, s, player))
    elif s["season"] == WINTER:
        parts.append(_winter_text(rules, s, power))
    else:
        parts.append(_orders_text(rules, s, power, form))
    if given := waiting_orders(s, power):
        texts = telling.listed(order_text(s, action) for action in given.values())
        parts.insert(-1, section("Orders that you have given already", texts))
    return "\n\n".join(parts)


def legal_text(rules: Any, s: Any, player: int, legal: list[int]) -> str:
    """All legal orders of the power in this phase."""
    return telling.legal_texts(rules, s, power_of(rules, player), legal)


STEPS = (
    "0. If there was talk: what was agreed, promised and threatened, and what of it you believe.",
    "1. Your units, centres and provinces, and those of the other powers.",
    "2. Which centres you can take, now and in the next year, and who can take yours.",
    "3. For each unit: where it can go, whether another power's unit is there, how much support "
    "an attack needs and which of your units can give it.",
    "4. One order for each unit. An attack is a move to where another power's unit stands.",
    "5. Check the orders: every move and support goes to a neighbouring province; every support "
    "names what the supported unit really does; no two of your units end in one province.",
)
_FACTS = (
    '"my_location": [<provinces under your influence>], "my_unit": [<provinces of your units>], '
    '"adjacent": [{<province of a unit>: [<neighbours>]}], "other_power_location": [<provinces of '
    'other powers\' units>], "move_to_our_region_mask": [<0 or 1 for each order: whether it moves '
    'into your influence>], "attackable": [<provinces under other powers\' influence that a unit '
    'of yours can reach now>], "attack_analysis": [{<attackable province>: <units needed to win '
    'it>}], "support_given": [{"supporter": <province>, "supported": <province>, "target": '
    '<province>}], "attack_mask": {%s: [<0 or 1 for each order: whether it is an attack>]}, '
)


def _orders_text(rules: Any, s: Any, power: int, form: str) -> str:
    """What is asked in movement and in retreats."""
    name = g.POWERS[power]
    moves = s["season"] not in (SPRING_RETREATS, FALL_RETREATS)
    title = "Your orders" if moves else "Your retreats"
    near = telling.adjacent_text(rules, s, power)
    told = [section(title, "The provinces beside those of your units:", near)]
    if moves and form == POSITION_FORMS[0]:
        told.append(section("Think through", *STEPS))
    facts = _FACTS % f'"{name}"' if moves and form != POSITION_FORMS[2] else ""
    steps = '"step_by_step_reasoning": <text>, ' if moves and form == POSITION_FORMS[0] else ""
    told.append(
        section(
            "Form of the answer",
            f'{{"phase": <its name>, {steps}"reason": <text>, {facts}"orders": {{"{name}": '
            "[<one order for each of your units>]}}",
            "A unit without an order " + ("holds." if moves else "disbands."),
        )
    )
    return "\n\n".join(told)


def _winter_text(rules: Any, s: Any, power: int) -> str:
    return "\n\n".join(
        [
            section("Your adjustments", f"Yours are: {telling.builds_text(rules, s, power)}."),
            section(
                "Form of the answer",
                f'{{"phase": <its name>, "reason": <text>, "orders": {{"{g.POWERS[power]}": '
                "[<orders>]}}",
                "Builds that you do not order are waived. Of removals that you have to make and do "
                "not order, units outside supply centres and far from your centres go first.",
            ),
        ]
    )


def _talk_text(rules: Any, s: Any, player: int) -> str:
    """What is asked in a round of talk."""
    others = telling.listed(seat_name(rules, s, k) for k in listeners(rules, s, player))
    return "\n\n".join(
        [
            section(
                "Talk",
                f"This is round {int(s['talk'])} of {rules.rounds} before the orders. What you say "
                "now the others read in the next round, or before they write their orders. "
                f"Promises bind nobody. You may speak to: {others}.",
            ),
            section(
                "Think through",
                "1. What was said in the last round, by whom, and how far you trust it.",
                "2. Where you and the others stand: who is strong, who threatens whom.",
                "3. What you want, and how you mean to treat each power.",
                "4. Whom to speak to, and what to offer, ask for or hide.",
                "5. Messages that name provinces, units and conditions.",
                "6. Whether they agree with your plan.",
            ),
            section(
                "Form of the answer",
                '{"phase": <its name>, "trust_analysis": [{"power": <name>, "trust_level": "low", '
                '"medium" or "high", "analysis": <text>}], "negotiation_strategy": <text>, '
                '"messages": [{"to": <name of a power, list of names, or "all">, "text": '
                "<words>}]}",
                'Without messages you say nothing. What you write to "me" you alone read later.',
            ),
        ]
    )


def task_text(rules: Any) -> str:
    """The objective."""
    return "Give the orders, or say what you have to say, that bring you the most in the end."
