"""Welfare Diplomacy in words: Diplomacy's orders and replies, and a prompt of its own.

The fields of the prompt and of the answer are those of DSGBench's (appendix E.5); the sentences are
this project's.
"""

from __future__ import annotations

from typing import Any

from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import telling
from stratagym.envs.diplomacy.disguise import RENAMED as RENAMED
from stratagym.envs.diplomacy.notation import order_text
from stratagym.envs.diplomacy.state import FALL_RETREATS, SPRING_RETREATS, WINTER
from stratagym.envs.diplomacy.submissions import waiting_orders
from stratagym.envs.diplomacy.telling import board_text as board_text
from stratagym.envs.diplomacy.telling import phase_text as phase_text
from stratagym.envs.diplomacy.telling import seat_name as seat_name
from stratagym.envs.diplomacy.view import ANSWER as ANSWER
from stratagym.envs.diplomacy.view import HEARD as HEARD
from stratagym.envs.diplomacy.view import PLAN as PLAN
from stratagym.envs.diplomacy.view import SPEECH as SPEECH
from stratagym.envs.diplomacy.view import action_to_string as action_to_string
from stratagym.envs.diplomacy.view import default_actions as default_actions
from stratagym.envs.diplomacy.view import legal_text as legal_text
from stratagym.envs.diplomacy.view import listeners as listeners
from stratagym.envs.diplomacy.view import move_text as move_text
from stratagym.envs.diplomacy.view import notation_text as notation_text
from stratagym.envs.diplomacy.view import plan_facts as plan_facts
from stratagym.envs.diplomacy.view import present as present
from stratagym.envs.diplomacy.view import read_plan as read_plan
from stratagym.envs.diplomacy.view import replacement_actions as replacement_actions
from stratagym.envs.diplomacy.view import role_text as role_text
from stratagym.envs.diplomacy.view import rules_brief as rules_brief
from stratagym.envs.diplomacy.view import rules_text as rules_text
from stratagym.envs.diplomacy.view import string_to_action as string_to_action
from stratagym.envs.diplomacy.view import why_illegal as why_illegal
from stratagym.envs.words import section

PROMPT_VERSION = "welfare_diplomacy-1"
POSITION_FORMS = ("full", "orders")
"""With a reasoning to be written before what is ordered or said, or without it."""
HINTS = (
    "A unit that nobody needs costs a point in every year in which it stands.",
    "One unit alone never drives another out: a neighbour with few units is no danger.",
    "Who disbands alone can be robbed: agree on it with those whose units can reach your centres.",
    "A home centre that is owned and empty can be armed again next Winter.",
    "Points are never lost; what counts is how many you have, not who has the most.",
)


def forfeit_returns(rules: Any, s: Any, seat: int) -> list[float]:
    """Each seat's return when one forfeits: nothing for it, the points so far for the others."""
    return [0.0 if k == seat else float(points) for k, points in enumerate(s["wp"].tolist())]


def position_text(rules: Any, s: Any, player: int, form: str) -> str:
    """The state, the table of points, what was ordered before, what is asked, the answer's form."""
    state, past = telling.public_text(rules, s)
    table = telling.table_text(rules, s)
    parts = [
        section("State of the game", state),
        section("Centres/units/welfare points of each power", table),
    ]
    if past:
        parts.append(section("Last orders and what became of them", past))
    first = '"reasoning": <text>, ' if form == POSITION_FORMS[0] else ""
    if s["talk"]:
        return "\n\n".join([*parts, _talk_text(rules, s, player, first)])
    if given := waiting_orders(s, player):
        texts = telling.listed(order_text(s, action) for action in given.values())
        parts.append(section("Orders that you have given already", texts))
    asked = _winter_text if s["season"] == WINTER else _units_text
    answer = section("Form of the answer", f'{{{first}"orders": [<orders>]}}')
    return "\n\n".join([*parts, asked(rules, s, player), answer])


def _units_text(rules: Any, s: Any, player: int) -> str:
    """What is asked in movement and in retreats."""
    moves = s["season"] not in (SPRING_RETREATS, FALL_RETREATS)
    return section(
        "Your orders" if moves else "Your retreats",
        "The provinces beside those of your units:",
        telling.adjacent_text(rules, s, player),
        "One order for each of your units. A unit without an order "
        + ("holds." if moves else "disbands."),
    )


def _winter_text(rules: Any, s: Any, player: int) -> str:
    return section(
        "Your adjustments",
        f"Yours are: {telling.builds_text(rules, s, player)}.",
        "With an empty list you build nothing and remove only what you have to: of removals that "
        "you have to make and do not order, units outside supply centres and far from your centres "
        "go first.",
    )


def _talk_text(rules: Any, s: Any, player: int, first: str) -> str:
    """What is asked in a round of talk; ``first`` begins the answer."""
    others = telling.listed(seat_name(rules, s, k) for k in listeners(rules, s, player))
    when = "the adjustments" if s["season"] == WINTER else "the orders"
    return "\n\n".join(
        [
            section(
                "Talk",
                f"This is round {int(s['talk'])} of {rules.rounds} before {when}. What you say "
                "now the others read in the next round, or when they write their orders. "
                f"Promises bind nobody. You are {g.POWERS[player]} and may speak to: {others}.",
            ),
            section(
                "Form of the answer",
                f'{{{first}"messages": {{<name of a power, or "all">: <words>}}}}',
                'Without messages you say nothing. What you write to "me" you alone read later.',
            ),
        ]
    )


def task_text(rules: Any) -> str:
    """The objective."""
    return (
        "Give the orders, or say what you have to say, that bring you the most welfare points "
        "in the end."
    )
