"""Replies read and counted as SPIN-Bench's own code does it, to set figures beside the published.

The code takes what stands between the first line that ends with ``$$`` and the last line that
begins with it, or the whole reply if it does not find both, reads that as strict JSON, and takes
the text in the member ``plan``. Two objects, a line break within a string, or a list in place of
the text are no plan there. The text goes to the validator VAL, and the code counts which phrase
VAL's output has. Where it finds no plan it gives VAL a message without brackets, and VAL reads that
as a plan without actions.

Read from the public repository (github.com/spinbench/spinbench, commit fe3c960) and compared with
VAL as it comes with it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from stratagym.benchmarks.planning.tasks import Item
from stratagym.benchmarks.reporting.stats import wilson
from stratagym.envs.planning.checking import check_plan
from stratagym.envs.planning.grounding import Grounded

_OPENS, _CLOSES = "$$\n", "\n$$"
VALID, FAILED, BAD, TYPE, UNMET, OTHER = PHRASES = (
    "Plan valid", "Plan failed to execute", "Bad plan description", "Error in type-checking",
    "Goal not satisfied", "Unclassified",
)  # fmt: skip
"""What is looked for in VAL's output, in this order; ``OTHER`` where it has none of them."""
_OF_VERDICT = {"valid": VALID, "goal": UNMET}
_TOKEN = re.compile(r"[a-z_][a-z0-9_-]*|-?[0-9]+(?:\.[0-9]*)?|[()\[\]:+\-*/<>=?.]")


def extracted(reply: str) -> str | None:
    """The text of the plan, or None where there is none for such a reader."""
    begin, end = reply.find(_OPENS), reply.rfind(_CLOSES)
    inside = reply if begin < 0 or end < 0 else reply[begin + len(_OPENS) : end]
    try:
        found = json.loads(inside)
    except (ValueError, RecursionError):
        return None
    plan = found.get("plan") if isinstance(found, dict) else None
    return plan if isinstance(plan, str) else None


def val_reads(text: str) -> list[tuple[str, ...]] | None:
    """The actions that VAL finds in the text of a plan; None where it refuses the text.

    An action stands in brackets. In the place of one, a word or a sign ends the plan, and nothing
    behind it is read; broken brackets, and a number without a colon, are refused. Times before
    actions are passed over here, while VAL puts actions in the order of their times.
    """
    lines = (line.partition(";")[0] for line in text.lower().splitlines())
    tokens = [*_TOKEN.findall("\n".join(lines)), ""]
    actions: list[tuple[str, ...]] = []
    at = 0
    while tokens[at] == "(" or _is_number(tokens[at]):
        if tokens[at] != "(":
            if tokens[at + 1 : at + 3] != [":", "("]:
                return None
            at += 2
        end = at + 1
        while _is_name(tokens[end]):
            end += 1
        if tokens[end] != ")" or end == at + 1:
            return None
        actions.append(tuple(tokens[at + 1 : end]))
        at = end + 1
        if tokens[at] == "[":  # how long it lasts
            if not _is_number(tokens[at + 1]) or tokens[at + 2] != "]":
                return None
            at += 3
    return actions


def _is_number(token: str) -> bool:
    return token.removeprefix("-")[:1].isdigit()


def _is_name(token: str) -> bool:
    return token[:1] == "_" or token[:1].isalpha()


def phrase(grounded: Grounded, text: str) -> str:
    """Which of ``PHRASES`` VAL's output has for the text of a plan.

    VAL checks the types of a whole plan before it carries out anything. It checks none in a domain
    without types, where an unknown object just fulfils no condition, and surplus objects are passed
    over. It breaks down, without a phrase, at an action with too few objects, at one with too many
    in a domain with types, and at an unknown action in one without. It refuses problems that give
    values which their domain does not declare, and breaks down at a dot in a problem's name.
    """
    actions = val_reads(text)
    if grounded.problem.ignored:
        return OTHER
    if actions is None:
        return BAD
    if "." in grounded.problem.name:
        return OTHER
    domain = grounded.domain
    schemas = {one.name: one.parameters for one in domain.schemas}
    kinds = {**domain.constants, **grounded.problem.objects}
    moves, is_short = [], False
    for name, *objects in actions:
        if name not in schemas:
            return BAD if domain.above else OTHER
        parameters = schemas[name]
        if domain.above:
            for one, (_, types) in zip(objects, parameters, strict=False):
                if one not in kinds:
                    return TYPE
                if not domain.types_of(kinds[one]) & set(types):
                    return BAD
            if len(objects) > len(parameters):
                return OTHER
        is_short |= len(objects) < len(parameters)
        moves.append(f"({' '.join([name, *objects[: len(parameters)]])})")
    if is_short:
        return OTHER
    return _OF_VERDICT.get(check_plan(grounded, moves).verdict, FAILED)


def scored(records: Iterable[Mapping[str, Any]], items: Mapping[str, Item]) -> dict[str, Any]:
    """By policy: replies that were asked for, read, and valid plans; ``accuracy`` is of all asked,
    and ``as_published_counts`` are the phrases that SPIN-Bench's code counts, over all asked.

    Args:
        records: the last of each policy and problem. Those without a reply are left out.
    """
    found: dict[str, dict[str, Any]] = {}
    for record in records:
        item = items.get(record["item"])
        if item is None or record["reply"] is None:
            continue
        own = found.setdefault(
            record["policy"],
            {"asked": 0, "read": 0, "as_published_counts": dict.fromkeys(PHRASES, 0)},
        )
        text = extracted(record["reply"])
        own["asked"] += 1
        own["read"] += text is not None
        own["as_published_counts"][phrase(item.grounded, text or "")] += 1
    for own in found.values():
        own["valid"] = own["as_published_counts"][VALID]
        own["accuracy"] = wilson(own["valid"], own["asked"]).record()
    return found
