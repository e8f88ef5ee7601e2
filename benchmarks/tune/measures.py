"""What becomes of a model's answers to positions: how many are readable, legal, and best."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.experts import Lesson
from stratagym.benchmarks.reporting.stats import mean_rate
from stratagym.envs import spec
from stratagym.envs.text import ILLEGAL, OK, TextOptions, judge


@dataclass(frozen=True)
class Answer:
    """An answer to a position of a lesson.

    Attributes:
        kind: ``ok``, ``illegal`` or ``unparseable``. is_best: whether it plays a move of the best
            score; None where no solver knows.
        legal, best: how many moves of the position are legal, and of the best score.
    """

    kind: str
    is_best: bool | None
    legal: int
    best: int

    @classmethod
    def of(cls, lesson: Lesson, reply: str, text: TextOptions = TextOptions()) -> Answer:  # noqa: B008
        """From a reply."""
        game, position = spec(lesson.line["game"]), lesson.position
        outcome = judge(game, position.rules, position.states, reply, text)
        return cls.played(lesson, outcome.kind, outcome.action)

    @classmethod
    def played(cls, lesson: Lesson, kind: str, action: int | None) -> Answer:
        """From what a reply was read as."""
        line, position = lesson.line, lesson.position
        best = line.get("optimal")
        move = None
        if kind == OK:
            view = spec(line["game"]).module("view")
            move = view.action_to_string(position.rules, position.states[0], action)
        is_best = None if best is None else move in best
        return cls(kind, is_best, len(line["legal"]), len(best or ()))


def shares(answers: Sequence[Answer]) -> dict[str, Any]:
    """``readable``, ``legal`` and ``optimal`` as records of rates over all answers.

    ``optimal`` is the share of answers that play a move of the best score, an illegal one none,
    where some legal move has a worse one; its chance is that of random legal moves. None where no
    solver knows.
    """
    kinds = np.array([answer.kind for answer in answers])
    told = [answer for answer in answers if answer.is_best is not None]
    open_ = [answer for answer in told if answer.best < answer.legal]
    chance = float(np.mean([answer.best / answer.legal for answer in open_])) if open_ else None
    return {
        "readable": mean_rate(np.isin(kinds, (OK, ILLEGAL))).record(),
        "legal": mean_rate(kinds == OK).record(),
        "optimal": mean_rate(np.array([answer.is_best for answer in open_], float),
                             chance=chance).record() if told else None,
    }  # fmt: skip


def of_decisions(
    decisions: Iterable[Mapping[str, Any]], lessons: Mapping[str, Lesson]
) -> dict[str, list[Answer]]:
    """The first answers to held-out positions by policy, from their records.

    Args:
        lessons: by the item of a record.
    """
    found: dict[str, list[Answer]] = {}
    for record in decisions:
        answer = Answer.played(lessons[record["item"]], record["kind"], record["chosen"])
        found.setdefault(record["policy"], []).append(answer)
    return found
