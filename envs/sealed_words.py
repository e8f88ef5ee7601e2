"""What games of sealed plans have in common in words: plans as JSON, and what a round came to.

A plan is one JSON object whose member named after the side is the list of entries; ``{"keep":
true}`` leaves the old plan standing. ``plan_of`` finds it in a reply, the functions below it read
its members, and a game's view makes micro-actions of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from stratagym.envs import core, sealed
from stratagym.envs.plans import UNPARSEABLE, JsonPlan, PlanError
from stratagym.envs.replies import ReplyError, last_json
from stratagym.envs.words import section

POSITION_FORMS = ("feedback", "as_published")
"""How a round is told: with what happened and the offer to keep the plan, or as the released
program does, without both."""
MERGED_PARTS = (
    "game", "role", "position", "rules", "catalogue", "hints", "legal", "persona", "history",
    "heard", "task", "answer",
)  # fmt: skip
SUMMARY_LINES = 12
"""The most lines that tell what happened in a round."""
TEXT_OPTIONS = {"over_budget": "loses"}
"""Who plans in words can make a plan over budget, and loses by it."""
VOID = "void"
CONSEQUENCES = {VOID: (VOID,)}
"""What may follow the last bad answer: a plan that breaks the rules, which loses the round."""
KEEP = {"keep": True}
BADGES = (("I", (168, 66, 50)), ("D", (44, 112, 84)))
"""Of invaders and defenders in lists: a letter and a colour."""
NAME_LENGTH = 80
"""Characters of a wrong name that are kept."""


@dataclass(frozen=True)
class PlanForm(JsonPlan):
    """A reply that is a plan as the catalogue shows it, which differs between the sides."""

    def request(self, reasoning: str = "free") -> str:
        first = {
            "free": "End your answer with one JSON object of the form shown above",
            "steps": "Think step by step first. End your answer with one JSON object of the form "
            "shown above",
            "answer": "Answer with one JSON object of the form shown above and nothing else",
        }[reasoning]
        return section(self.title, f"{first}.")


ANSWER = PlanForm("{...}", "")


# --- plans in replies ----------------------------------------------------------------------------


def plan_of(text: str, own: str) -> dict[str, Any]:
    """The plan in a reply: the last object with a member ``own``, or else with ``KEEP``'s.

    Raises:
        ReplyError: ``empty``, ``no_object``, ``wrong_key`` (an object, but of neither form),
            ``bad_type`` (the member is no list of objects), and as ``replies.last_json``.
    """
    if not text.strip():
        raise ReplyError("empty")
    try:
        found: dict[str, Any] = last_json(text, dict, own, "keep", None)
    except ReplyError as error:
        raise ReplyError("no_object" if str(error) == "no_json" else str(error)) from None
    if own in found:
        members = found[own]
        if not isinstance(members, list) or not all(isinstance(m, dict) for m in members):
            raise ReplyError("bad_type")
    elif "keep" not in found:
        raise ReplyError("wrong_key")
    elif found["keep"] is not True:
        raise ReplyError("bad_type")
    return found


def text_of(entry: Mapping[str, Any], key: str, default: str | None = None) -> str:
    """A member that is a text. Raises ``ReplyError`` (``bad_type``), also without any value."""
    value = entry.get(key, default)
    if not isinstance(value, str):
        raise ReplyError("bad_type")
    return value


def texts_of(entry: Mapping[str, Any], key: str) -> list[str]:
    """A member that is a list of texts, by default none. Raises ``ReplyError`` (``bad_type``)."""
    value = entry.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise ReplyError("bad_type")
    return value


def number_of(entry: Mapping[str, Any], key: str, default: int | None = None) -> int | None:
    """A member that is a number: its value if that is whole, else None.

    Raises:
        ReplyError: ``bad_type``, also where it is missing without a default.
    """
    value = entry.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ReplyError("bad_type")
    return int(value) if value == int(value) else None


def ignored_keys(found: Mapping[str, Any], known: Sequence[str]) -> int:
    """How many members a plan or an entry has that mean nothing, such as a price."""
    return sum(key not in known for key in found)


def plan_facts(rules: Any, s: Any, text: str, actions: Sequence[int]) -> dict[str, int]:
    """What a reply that can be read says beside its entries; a view imports it as its own.

    ``ignored``: members that mean nothing, by the view's ``MEMBERS``; and, where no entry breaks a
    rule, ``cost``, ``budget`` and ``over``, what it costs beyond. A plan that is kept has none.
    """
    view, seat = core.home(type(rules), "view"), int(s["seat"])
    whole, entry = view.MEMBERS[seat]
    found = plan_of(text, whole[0])
    if whole[0] not in found:
        return {"ignored": ignored_keys(found, ("keep",))}
    ignored = ignored_keys(found, whole) + sum(ignored_keys(e, entry) for e in found[whole[0]])
    if not actions:  # broken, or beyond what can be played
        try:
            actions = move_actions(view, rules, seat, view.read_plan(rules, s, text)).tolist()
        except PlanError:
            return {"ignored": ignored}
    states = core.new_states(rules)
    sealed.set_plan(rules, states, 0, seat, np.array(actions, np.int64))
    cost, budget = int(states["spent"][0, seat]), sealed.budget_of.py_func(rules, seat)
    return {"ignored": ignored, "cost": cost, "budget": budget, "over": max(0, cost - budget)}


def refusal_text(kind: str, reason: str, where: str, facts: Mapping[str, int]) -> str:
    """Why an answer was refused: ``entry 3: unknown unit "Pea Shooter"``.

    Args:
        kind, reason: of the answer; empty where none came in time. where: the part of the plan that
            breaks a rule, as ``bad_entry`` has it, or a move. facts: as of ``plan_facts``.
    """
    if not kind:
        return "no answer came in time"
    words = reason.replace("_", " ")
    if kind == UNPARSEABLE:
        return f"the answer could not be read: {words}"
    if over := facts.get("over"):
        return f"over budget by {over}, more than {sealed.LOOSE} times the budget"
    place, colon, name = where.partition(": ")
    if colon and re.fullmatch(r"[a-z]+ [0-9]+", place):
        return f"{place}: {words} {json.dumps(name, ensure_ascii=False)}"
    return f"{words}: {where}" if where else words


def plain(name: str) -> str:
    """A name as names are compared: small letters without blanks and underscores."""
    return re.sub(r"[\s_]+", "", name).lower()


def index_of(name: str, names: Sequence[str]) -> int | None:
    """Which of ``names`` is meant, or None."""
    return _numbers(tuple(names)).get(plain(name))


@lru_cache(maxsize=64)
def _numbers(names: tuple[str, ...]) -> dict[str, int]:
    """The number of each name, as names are compared; of equal ones the first."""
    return {plain(names[k]): k for k in reversed(range(len(names)))}


def unit_of(
    k: int, name: str, own: Sequence[str], other: Sequence[str], place: str = "entry"
) -> int:
    """The number of entry ``k``'s unit (from 0) among the side's own.

    Raises:
        PlanError: ``wrong_side`` for a unit of the other side's, ``unknown_unit`` for no unit.
    """
    found = index_of(name, own)
    if found is None:
        reason = "unknown_unit" if index_of(name, other) is None else "wrong_side"
        raise bad_entry(k, name, reason, place)
    return found


def bad_entry(k: int, name: str, reason: str, place: str = "entry") -> PlanError:
    """The error of entry ``k`` (from 0), which is told from 1 with its name as it was written."""
    return PlanError(f"{place} {k + 1}: {name[:NAME_LENGTH]}", reason)


def names_in(value: Any, key: str = "") -> list[str]:
    """Every text in a ``name``, ``element``, skill or priority member of a plan, as written."""
    if isinstance(value, str):
        named = key in ("name", "element", "skill", "skills") or "priority" in key
        return [value] if named else []
    if isinstance(value, list):
        return [name for one in value for name in names_in(one, key)]
    if isinstance(value, dict):
        return [name for one, inner in value.items() for name in names_in(inner, one)]
    return []


def plan_actions(view: Any, rules: Any, seat: int, plan: Mapping[str, Any]) -> np.ndarray:
    """The micro-actions (n,) int64 of a plan as JSON, the last completing it.

    Costs are not looked at.

    Raises:
        ReplyError, PlanError: as the game's ``read_plan``.
    """
    states = core.new_states(rules)
    states["seat"] = seat
    return move_actions(view, rules, seat, view.read_plan(rules, states[0], json_text(plan)))


def move_actions(view: Any, rules: Any, seat: int, moves: Sequence[str]) -> np.ndarray:
    """The micro-actions (n,) int64 of a plan's moves in words; costs are not looked at."""
    states, actions = core.new_states(rules), np.zeros(0, np.int64)
    states["seat"] = seat
    for move in moves:
        actions = np.append(actions, view.string_to_action(rules, states[0], move))
        sealed.set_plan(rules, states, 0, seat, actions)
    return actions


# --- rules of all these games ---------------------------------------------------------------------


DRAWN = ". Two that break a rule, or are over by the same share, draw."


def without_draws(rules_text: Callable[[Any], str]) -> Callable[[Any], str]:
    """Rules as prompts told them before they said which plans draw, for ``EARLIER_PROMPTS``."""
    return lambda rules: rules_text(rules).replace(DRAWN, ".")


def rounds_rules(rules: Any, sides: Sequence[str]) -> list[str]:
    """What the rules say of plans that are not fought out, and of several rounds.

    Args:
        sides: what the sides are called, by seat.
    """
    told = []
    if rules.loses:
        told.append(
            "- A plan that costs more than the budget loses without a battle, and so does one that "
            f"breaks a rule; one that costs more than {sealed.LOOSE} times the budget breaks one. "
            "If both sides' plans do, one that breaks a rule loses against one that is over "
            "budget; of two over budget the one loses that is further over, as a share of its "
            f"budget{DRAWN}"
        )
    if rules.rounds > 1:
        told.append(
            f"- The game has {rules.rounds} rounds; each is won, lost or drawn by itself. After "
            + (
                "each, both sides plan anew."
                if rules.both
                else f"each, one side plans anew, in turn, the {sides[rules.first]} first; the "
                "other side's plan stands."
            )
        )
    return told


# --- what a round came to ------------------------------------------------------------------------


def score_text(s: Any, k: int, player: int) -> str:
    """``won``, ``lost`` or ``drew``: round ``k`` (from 0) for a player."""
    result = int(s["result"][k]) * (1 - 2 * player)
    return {1: "won", 0: "drew", -1: "lost"}[result]


def so_far_text(s: Any, player: int) -> str:
    """``Rounds so far: you won 2, lost 1, drew 0.``"""
    results = s["result"][: int(s["round"])] * (1 - 2 * player)
    won, lost, drawn = (int((results == result).sum()) for result in (1, -1, 0))
    return f"Rounds so far: you won {won}, lost {lost}, drew {drawn}."


def fault_text(rules: Any, s: Any, seat: int) -> str:
    """What was wrong with a seat's last plan, such as ``was over budget by 3``; or empty."""
    flags = int(s["last_flags"][seat])
    if flags & sealed.VOID:
        return "broke a rule"
    if flags & sealed.OVER:
        over = int(s["last_spent"][seat]) - sealed.budget_of.py_func(rules, seat)
        return f"was over budget by {over}"
    return ""


def result_text(rules: Any, s: Any, player: int, end: str, refusal: str = "") -> str:
    """Who won the last round and why, in a sentence or two.

    Args:
        end: how a round that was fought ended, such as ``It ended in round 7.``
        refusal: why the player's own plan was refused, if it was.
    """
    k = int(s["round"]) - 1
    told = f"You {score_text(s, k, player)} round {k + 1}."
    if s["why"][k] == sealed.SIMULATED:
        return f"{told} {end}".strip()
    for seat, whose in ((player, "Your plan"), (1 - player, "The other side's plan")):
        fault = fault_text(rules, s, seat)
        if refusal and seat == player and int(s["last_flags"][seat]) & sealed.VOID:
            fault += f" ({refusal})"
        told += f" {whose} {fault}." if fault else ""
    return f"{told} Nothing was fought."


def cost_text(rules: Any, s: Any, seat: int) -> str:
    """What a seat's standing plan costs, such as ``7 of 20``, and the rounds it has won."""
    k = int(s["round"])
    last = k < rules.rounds and sealed.commits.py_func(rules, k, seat) and s["acts"][seat] == 0
    spent = int(s["last_spent" if last else "spent"][seat])
    told = f"{spent} of {sealed.budget_of.py_func(rules, seat)}"
    if rules.rounds == 1:
        return told
    won = int((s["result"][: int(s["round"])] * (1 - 2 * seat) > 0).sum())
    return f"{told}, {won} won"


def board_text(
    rules: Any,
    s: Any,
    sides: Sequence[str],
    plan: Callable[[int, bool], str],
    happened: Callable[[], Sequence[str]],
    player: int | None = None,
) -> str:
    """A record for a terminal: the last round, then the plans being made.

    Args:
        sides: what the sides are called. plan: a seat's plan in one line: of the round before
            (True), or that which it is making (False). happened: of a last round that was fought.
        player: the seat that sees it, to which the other's plan is sealed; None for a spectator.
    """
    lines, k = [], int(s["round"])
    if k > 0:
        result = int(s["result"][k - 1])
        won = f"won by the {sides[0 if result > 0 else 1]}" if result else "drawn"
        lines.append(f"Round {k} of {rules.rounds}: {won}")
        for seat, side in enumerate(sides):
            fault = fault_text(rules, s, seat)
            lines.append(f"{side}: {f'the plan {fault}' if fault else plan(seat, True)}")
        if s["why"][k - 1] == sealed.SIMULATED:
            lines += happened()
    if k >= rules.rounds:
        return "\n".join([*lines, "The game is over"])
    lines.append(f"Round {k + 1} of {rules.rounds}: {who_plans(rules, s, sides, player)}")
    for seat in planners(rules, s):
        spent, budget = int(s["spent"][seat]), sealed.budget_of.py_func(rules, seat)
        told = f" ({spent} of {budget}): {plan(seat, False)}"
        lines.append(sides[seat] + (": sealed" if is_sealed(rules, s, seat, player) else told))
    return "\n".join(lines)


def planners(rules: Any, s: Any) -> list[int]:
    """The seats that plan in the running round; neither sees which of them commits first."""
    return [k for k in range(2) if sealed.commits.py_func(rules, int(s["round"]), k)]


def is_sealed(rules: Any, s: Any, side: int, seat: int | None) -> bool:
    """Whether a seat is not shown a side's plan of the running round; None is a spectator."""
    return seat not in (None, side) and side in planners(rules, s)


def has_begun(s: Any, seat: int | None) -> bool:
    """Whether a plan of the running round has been begun, as far as a seat is shown it."""
    return bool(s["acts"].any() if seat is None else s["acts"][seat])


def who_plans(rules: Any, s: Any, sides: Sequence[str], seat: int | None) -> str:
    """Who plans in the running round: to a spectator the side to move, else all that do."""
    if seat is None:
        return f"the {sides[int(s['seat'])]} are planning"
    planning = planners(rules, s)
    who = "both sides" if len(planning) > 1 else f"the {sides[planning[0]]}"
    return f"{who} are planning"


def legal_text(rules: Any, s: Any, player: int, legal: Sequence[int]) -> str:
    """The micro-actions that a plan may go on with, but for those that no answer can say.

    A view may import it as its own.
    """
    view = core.home(type(rules), "view")
    moves = (view.action_to_string(rules, s, action) for action in legal)
    return section(
        "What your plan may go on with", ", ".join(move for move in moves if move != VOID)
    )


def json_text(plan: Mapping[str, Any]) -> str:
    """A plan in one line."""
    return json.dumps(plan, ensure_ascii=False)


def position_text(
    rules: Any,
    s: Any,
    player: int,
    form: str,
    plan: Callable[[int, bool], Mapping[str, Any]],
    units: Callable[[int], Sequence[str]],
    end: Callable[[], str],
    summary: Callable[[], Sequence[str]],
    refusal: str = "",
    clock: str = "",
) -> str:
    """The revision part of a prompt: what the last round was, and both plans.

    Args:
        plan: a seat's plan as JSON: of the round before (True), or that which it is making (False).
        units: the units of a seat's last plan with numbers and abilities, a line each.
        end: how the last round, which was fought, ended. summary: what happened in it.
        refusal: why the player's last plan was refused, if it was.
        clock: what time a plan that is being made has come to, where plans have times.
    """
    k, last = int(s["round"]), int(s["round"]) >= rules.rounds
    number = f"Round {min(k, rules.rounds - 1) + 1} of {rules.rounds}."
    together = sealed.commits.py_func(rules, min(k, rules.rounds - 1), 1 - player)
    if form == "feedback" and not last:
        number += (
            " Both sides plan at the same time: neither sees the other's plan."
            if together
            else " Only you plan anew: the other side's plan below stands."
        )
    if k > 1 and not last:
        number += f"\n{so_far_text(s, player)}"
    told = [section("Round", number)]
    if k > 0:
        seat = 1 - player
        result = result_text(rules, s, player, end() if s["why"][k - 1] == 0 else "", refusal)
        own, budget = int(s["last_spent"][player]), sealed.budget_of.py_func(rules, player)
        is_void = bool(int(s["last_flags"][player]) & sealed.VOID)
        cost = f"Your plan cost {own} of {budget}."
        told.append(section(f"Round {k}", result, *([] if is_void else [cost])))
        lines = [f"- {line}" for line in units(seat)]
        told.append(section("The other side's units in that round", *(lines or ["None."])))
        told.append(section("The other side's plan", _plan_line(s, seat, plan)))
        told.append(section("Your last plan", _plan_line(s, player, plan)))
        if form == "feedback" and s["why"][k - 1] == sealed.SIMULATED:
            happened = [f"- {line}" for line in list(summary())[:SUMMARY_LINES]]
            told.append(section("What happened", *happened))
    if s["acts"][player] and not last and s["seat"] == player:
        made = json_text(plan(player, False))
        told.append(section("Your plan so far", made, *([clock] if clock else [])))
    elif k > 0 and not last:
        keep = f", or with {json.dumps(KEEP)} to leave yours as it is"
        told.append(f"Answer with a new plan{keep if form == 'feedback' else ''}.")
    return "\n\n".join(told)


def _plan_line(s: Any, seat: int, plan: Callable[[int, bool], Mapping[str, Any]]) -> str:
    if int(s["last_flags"][seat]) & sealed.VOID:
        return "None: it broke a rule."
    return json_text(plan(seat, True))
