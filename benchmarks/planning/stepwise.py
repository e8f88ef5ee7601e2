"""Plans action by action: the state is told before each, and one action is asked for.

A problem is a walk through its environment. It ends at the goal, where nothing can be done, after
the most steps, or at an action that cannot be taken when the last try at it has been given.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.decisions import OVERTIME, TRANSPORT, Answered, Question, ask_all
from stratagym.benchmarks.harness.records import JsonlWriter
from stratagym.benchmarks.planning.tasks import GAME, Item
from stratagym.envs import core
from stratagym.envs.planning.checking import (
    VERDICTS,
    check_plan,
    move_text,
    static_fault,
    words_of,
)
from stratagym.envs.planning.grounding import Grounded
from stratagym.envs.plans import ILLEGAL, OK, UNPARSEABLE, Outcome
from stratagym.envs.replies import ReplyError
from stratagym.envs.text import Inquiry, TextOptions
from stratagym.envs.words import section

VERSION = "planning-step-1"
TASK = "step"
FORM = '{"plan": ["(action object object)"]}'


def inquiry(item: Item, states: np.ndarray, text: TextOptions) -> Inquiry:
    """The question for the next action.

    Args:
        states: (1,) record of the state now.
    """
    view = GAME.module("view")
    form = text.position or view.POSITION_FORMS[0]
    system = "\n\n".join(
        [
            view.ROLE_TEXT,
            view.rules_text(item.rules),
            section(
                "Answer",
                "You are asked for one action at a time, and are told the state after each. End "
                "your answer with one JSON object that holds the next action alone:",
                FORM,
            ),
        ]
    )
    user = view.position_text(item.rules, states[0], 0, form) + (
        "\n\nWhich action is to be taken now? Think of how the goal is reached from here."
    )
    messages = [{"role": "system", "content": system}, {"role": "user", "content": user}]
    bits, values = (np.ascontiguousarray(states[0][name]) for name in ("bits", "values"))
    return Inquiry(messages, partial(judge, item.grounded, bits, values), VERSION)


def judge(grounded: Grounded, bits: np.ndarray, values: np.ndarray, text: str) -> Outcome:
    """Whether a reply names one action that can be taken in a state.

    ``facts`` has its number as ``action``; of one that cannot, the ``verdict`` as an index into
    ``VERDICTS``.
    """

    def refused(kind: str, verdict: str, reason: str, move: str | None = None) -> Outcome:
        return Outcome(kind, None, move, reason, facts={"verdict": VERDICTS.index(verdict)})

    try:
        moves = GAME.module("view").moves_of(text)
    except ReplyError as error:
        return refused(UNPARSEABLE, "unreadable", str(error))
    if len(moves) != 1:
        return refused(UNPARSEABLE, "unreadable", "no_action" if not moves else "many_actions")
    (move,) = moves
    if fault := static_fault(grounded, move):
        return refused(ILLEGAL, fault, fault, move)
    checked = check_plan(grounded, moves, bits, values)
    if checked.verdict == "precondition":
        return refused(ILLEGAL, "precondition", "precondition", move)
    return Outcome(OK, None, move, facts={"action": grounded.action_of[words_of(move)]})


@dataclass
class Walk:
    """A problem on the way: the state now, (1,) record, and the actions that led there."""

    item: Item
    states: np.ndarray
    actions: list[int] = field(default_factory=list)
    is_stopped: bool = False

    @classmethod
    def begin(cls, item: Item) -> Walk:
        return cls(item, item.states())

    @property
    def is_open(self) -> bool:
        ended = core.current_player_at(self.item.rules, self.states, 0) < 0
        return not self.is_stopped and not ended

    def question(self, seed: int, text: TextOptions) -> Question:
        """The question for its next action; ``ply`` is the number of those before."""
        ply = len(self.actions)
        extra = {
            "task": TASK, "problem": self.item.name, "domain": self.item.domain,
            "size": self.item.size, "ply": ply,
        }  # fmt: skip
        return Question(
            "planning", f"{self.item.name}/{ply}", GAME, None, None, seed, None, text,
            extra=extra, inquiry=inquiry(self.item, self.states, text),
        )  # fmt: skip

    def go_on(self, record: Mapping[str, Any] | None) -> None:
        """Take the action of the last answer, or stop where that has none."""
        if record is None or record["kind"] != OK:
            self.is_stopped = True
            return
        action, rules = record["facts"]["action"], self.item.rules
        self.actions.append(action)
        core.play_at(rules, self.states, 0, action, *core.new_scratch(rules))


class _Kept(JsonlWriter):
    """A writer that keeps the last record of each item."""

    def __init__(self, writer: JsonlWriter):
        self._writer = writer
        self.last: dict[str, Mapping[str, Any]] = {}

    def write_all(self, records: Iterable[Mapping[str, Any]]) -> None:
        listed = list(records)
        self._writer.write_all(listed)
        self.last |= {record["item"]: record for record in listed}


async def ask_steps(
    model: LanguageModel,
    items: Sequence[Item],
    text: TextOptions,
    writer: JsonlWriter,
    *,
    seed: int,
    tries: int,
    concurrency: int,
    answered: Answered,
    done: Callable[[], Any],
) -> None:
    """Let a model walk through problems: all open ones are asked for their next action at once.

    Args:
        tries: answers for one action. done: is called for each problem that ends.
    """
    walks = [Walk.begin(item) for item in items]
    kept = _Kept(writer)
    while open_ones := [walk for walk in walks if walk.is_open]:
        questions = [walk.question(seed, text) for walk in open_ones]
        await ask_all(
            model, questions, kept, concurrency=concurrency, tries=tries, answered=answered
        )
        for walk, question in zip(open_ones, questions, strict=True):
            before = answered.get((model.name, text.persona, question.item), [])
            walk.go_on(kept.last.get(question.item, before[-1] if before else None))
            if not walk.is_open:
                done()


def as_plans(
    records: Iterable[Mapping[str, Any]], items: Mapping[str, Item]
) -> tuple[list[dict[str, Any]], dict[str, dict[str, int]]]:
    """(records of the plans that walks come to, by policy its answers and those refused).

    The verdict is that of the last answer where it was refused, else what the actions come to.
    """
    last: dict[tuple[str, str], dict[int, Mapping[str, Any]]] = {}
    counts: dict[str, dict[str, int]] = {}
    for record in records:
        if record.get("task") != TASK or record["problem"] not in items:
            continue
        last.setdefault((record["policy"], record["problem"]), {})[record["ply"]] = record
        own = counts.setdefault(record["policy"], {"answers": 0, "refused": 0})
        if record["kind"] not in (TRANSPORT, OVERTIME):
            own["answers"] += 1
            own["refused"] += record["kind"] != OK
    found = []
    for (policy, name), by_ply in last.items():
        item = items[name]
        ends = by_ply[max(by_ply)]
        actions = [one["facts"]["action"] for _, one in sorted(by_ply.items()) if one["kind"] == OK]
        checked = check_plan(item.grounded, [move_text(item.grounded.actions[k]) for k in actions])
        verdict = VERDICTS.index(checked.verdict)
        facts = dict(ends.get("facts") or {})
        found.append(
            {
                "task": "plan",
                "policy": policy,
                "item": name,
                "kind": ends["kind"] if ends["kind"] in (TRANSPORT, OVERTIME) else OK,
                "reason": ends["reason"],
                "reply": None,
                "plan": {
                    "verdict": verdict if ends["kind"] == OK else facts.get("verdict", verdict),
                    "step": len(actions),
                    "met": checked.met,
                    "parts": checked.parts,
                    "length": len(actions),
                    "metric_milli": round(1000 * checked.metric),
                },
            }
        )
    return found, counts
