"""Factual questions about positions of a run's games (``--ask facts``), for language models.

All models are asked about the same positions, with the fields of SPIN-Bench's prompt for orders
that state facts, and give no orders.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stratagym.benchmarks.diplomacy.settings import GAME, Setting
from stratagym.benchmarks.harness.decisions import Question, item_seed
from stratagym.benchmarks.harness.diplomacy_games import Again
from stratagym.benchmarks.harness.records import GameRecord
from stratagym.benchmarks.harness.whole_games import Played
from stratagym.envs.diplomacy import telling
from stratagym.envs.diplomacy.geography import POWERS
from stratagym.envs.diplomacy.stated import stated_facts
from stratagym.envs.plans import OK, UNPARSEABLE, Outcome
from stratagym.envs.text import Inquiry, TextOptions
from stratagym.envs.words import section

VERSION = "diplomacy-facts-1"
TASK = "facts"
FORM = (
    '{"my_location": [<provinces under your influence>], "my_unit": [<provinces of your units>], '
    '"adjacent": [{<province of a unit>: [<provinces that a unit there could move to>]}], '
    '"attackable": [<provinces under other powers\' influence that a unit of yours can reach in '
    'one step>], "attack_analysis": [{<attackable province>: <strength that wins it: 2 where '
    "another power's unit stands, else 1>}]}"
)


@dataclass(frozen=True)
class Asked:
    """A position that is asked about.

    Attributes:
        record: of the game. ply: decisions before the orders of the phase. power: whose facts.
    """

    record: GameRecord
    ply: int
    power: int

    @property
    def item(self) -> str:
        """The question's name in records."""
        return f"{TASK}/{self.record['match']}/{self.ply}/{POWERS[self.power]}"


def positions(
    games: Played, setting: Setting, policies: Sequence[str], number: int, seed: int, again: Again
) -> list[Asked]:
    """``number`` positions before movement orders, drawn from all games of the policies.

    Of a power that the policy had, and has units.
    """
    found: dict[str, Asked] = {}
    for name in sorted(games):
        for record in games[name].records:
            own = {p for policy in policies for case in setting.cases(record, policy) for p in case}
            for movement in again(record).movements:
                s = movement.before[0]
                for power in sorted(own):
                    if telling.units_of(s, power):
                        asked = Asked(record, movement.ply, power)
                        found[asked.item] = asked
    names = sorted(found)
    random.Random(item_seed(seed, TASK)).shuffle(names)
    return [found[name] for name in names[:number]]


def questions(
    asked: Sequence[Asked], models: Sequence[str], text: TextOptions, again: Again, benchmark: str
) -> dict[str, list[Question]]:
    """The questions for each model."""
    return {model: [question(one, text, again, benchmark) for one in asked] for model in models}


def question(asked: Asked, text: TextOptions, again: Again, benchmark: str) -> Question:
    """One question."""
    record = asked.record
    rules = GAME.make_rules(**record["rules"])
    (s,) = (m.before[0] for m in again(record).movements if m.ply == asked.ply)
    view = GAME.module("view")
    state, _ = telling.public_text(rules, s)
    words = [
        section("State of the game", state),
        section(
            "Question",
            f"You are {POWERS[asked.power]}. Work these facts out from the board and the state, "
            "then end your answer with one JSON object of this form:",
            FORM,
        ),
    ]
    messages = [
        {"role": "system", "content": view.rules_text(rules)},
        {"role": "user", "content": "\n\n".join(words)},
    ]
    return Question(
        benchmark, asked.item, GAME, rules, None, record["seed"], asked.power, text,
        extra={"task": TASK, "about": record["match"], "ply": asked.ply},
        inquiry=Inquiry(messages, judge, VERSION),
    )  # fmt: skip


def judge(text: str) -> Outcome:
    """Whether an answer states anything; what is right of it is worked out from the position."""
    found = stated_facts(text)
    if found is None:
        return Outcome(UNPARSEABLE, None, None, "no_json")
    stated = {name: len(values) for name, values in found.items()}
    if not any(stated.values()):
        return Outcome(UNPARSEABLE, None, None, "no_fact")
    return Outcome(OK, None, None, facts=stated)


def answers(
    asked: Sequence[Asked], decisions: Sequence[Mapping[str, Any]]
) -> list[tuple[Asked, Mapping[str, Any]]]:
    """(position, record of the answer) of all answers; the last to a question counts."""
    by_item = {one.item: one for one in asked}
    last = {
        (one["policy"], one["item"]): one
        for one in decisions
        if one.get("task") == TASK and one["reply"] is not None and one["item"] in by_item
    }
    return [(by_item[item], one) for (_, item), one in last.items()]
