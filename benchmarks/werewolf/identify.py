"""Whom a language model takes for a wolf when it votes (``--identify``): a question, no move.

After the run each recorded vote of a model is followed by a question on the same position, as the
seat was shown it: the probability that each other living player is a wolf. It is no move, and no
game knows of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from stratagym.agents import loops
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.decisions import Question, ask_all, read_answered
from stratagym.benchmarks.harness.records import JsonlWriter
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.reporting.counts import Counts
from stratagym.benchmarks.werewolf.settings import GAME
from stratagym.envs import core
from stratagym.envs.checks import SEED_MASK
from stratagym.envs.plans import OK, UNPARSEABLE, Outcome
from stratagym.envs.replies import ReplyError, last_json
from stratagym.envs.text import Inquiry, TextOptions
from stratagym.envs.werewolf.state import KILLER, VOTE
from stratagym.envs.werewolf.view import seat_name
from stratagym.envs.words import section

VERSION = "werewolf-identify-1"
TASK = "identify"
MILLION = 1_000_000


def judge(wolves: Mapping[str, bool], text: str) -> Outcome:
    """Probabilities against the truth.

    Facts: ``asked`` players, ``given`` probabilities; ``squares``, a millionth of which is the sum
    of squared errors (a player that is left out counts as one half); ``pairs`` of a wolf and
    another, and ``halves``: two for each pair that the probabilities order rightly, one for a tie.
    """
    try:
        found = last_json(text, dict, "roles")["roles"]
    except ReplyError as error:
        return Outcome(UNPARSEABLE, None, None, str(error))
    if not isinstance(found, dict):
        return Outcome(UNPARSEABLE, None, None, "bad_type")
    told = {str(name).split(" (")[0].strip().casefold(): value for name, value in found.items()}
    chances: dict[str, float] = {}
    for name in wolves:
        value = told.get(name.casefold())
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1:
            chances[name] = float(value)
    if not chances:
        return Outcome(UNPARSEABLE, None, None, "no_probability")
    given = {name: chances.get(name, 0.5) for name in wolves}
    squares = sum((given[name] - is_wolf) ** 2 for name, is_wolf in wolves.items())
    order = [
        1 + (given[a] > given[b]) - (given[a] < given[b])
        for a, a_is_wolf in wolves.items()
        for b, b_is_wolf in wolves.items()
        if a_is_wolf and not b_is_wolf
    ]
    facts = {
        "asked": len(wolves),
        "given": len(chances),
        "squares": round(squares * MILLION),
        "pairs": len(order),
        "halves": sum(order),
    }
    return Outcome(OK, None, None, facts=facts)


def questions(
    decisions: Iterable[Mapping[str, Any]],
    records: Mapping[str, Mapping[str, Any]],
    policy: str,
    text: TextOptions,
    benchmark: str,
) -> list[Question]:
    """A question for each vote of a policy that was asked for, on the last prompt for it.

    Wolves are not asked: they know.
    """
    last = {
        (one["item"], one["ply"], one["seat"]): one
        for one in decisions
        if one["policy"] == policy and one["item"] in records and one["prompt"]
    }
    by_match: dict[str, dict[int, np.ndarray]] = {}
    found = []
    for (match, ply, seat), one in sorted(last.items()):
        record = records[match]
        if match not in by_match:
            by_match[match] = _positions(record)
        states = by_match[match].get(ply)
        if states is None or states["phase"][0] != VOTE:
            continue
        s = states[0]
        if int(s["wolves"]) >> seat & 1:
            continue
        rules = GAME.make_rules(**record["rules"])
        others = [
            other
            for other in range(rules.num_players)
            if int(s["alive"]) >> other & 1 and other != seat
        ]
        wolves = {
            seat_name(rules, s, other): bool(
                int(s["wolves"]) >> other & 1 or s["role"][other] == KILLER
            )
            for other in others
        }
        asked = _asked(one["prompt"], list(wolves))
        found.append(
            Question(
                benchmark, f"{TASK}/{match}/{ply}/{seat}", GAME, None, None, record["seed"], seat,
                text, extra={"task": TASK, "about": match, "ply": ply},
                inquiry=Inquiry(asked, partial(judge, wolves), VERSION),
            )
        )  # fmt: skip
    return found


def _positions(record: Mapping[str, Any]) -> dict[int, np.ndarray]:
    """The positions of a game by the number of decisions before them."""
    rules = GAME.make_rules(**record["rules"])
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(record["seed"] & SEED_MASK), probs)
    found = {0: states.copy()}
    for ply, action in enumerate(record["actions"], 1):
        core.play_at(rules, states, 0, action, legal, probs)
        found[ply] = states.copy()
    return found


def _asked(prompt: Sequence[Mapping[str, str]], names: Sequence[str]) -> list[dict[str, str]]:
    """The prompt of a vote with this question in the place of its own."""
    shape = ", ".join(f'"{name}": <number>' for name in names)
    wanted = section(
        "Question in place of the vote",
        "Do not vote now. For each other living player give the probability, from 0 to 1, that it "
        "is a wolf (or the killer). End your answer with one JSON object of this form:",
        f'{{"roles": {{{shape}}}}}',
    )
    messages = [dict(message) for message in prompt]
    messages[-1]["content"] += f"\n\n{wanted}"
    return messages


def ask(run: Run, records: Mapping[str, Mapping[str, Any]], text: TextOptions, name: str,
        concurrency: int) -> None:  # fmt: skip
    """Ask all models of a run; answers that are recorded are not asked for again."""
    answered = read_answered(run.folder)
    asked = {
        model: questions(run.decisions(), records, model.name, text, name)
        for model in run.policies.values()
        if isinstance(model, LanguageModel)
    }
    writer = JsonlWriter(run.folder / "decisions.jsonl")
    try:
        for model, own in asked.items():
            if own:
                loops.run(ask_all(model, own, writer, concurrency=concurrency, answered=answered))
    finally:
        writer.close()


def scored(decisions: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """By policy: the Brier score, with that of one half for everybody, and AUC; seeds are cases."""
    counts: dict[str, Counts] = {}
    asked: dict[str, int] = {}
    last = {(one["policy"], one["item"]): one for one in decisions if one.get("task") == TASK}
    for (policy, _), one in last.items():
        asked[policy] = asked.get(policy, 0) + 1
        facts, own = one.get("facts") or {}, counts.setdefault(policy, Counts())
        if facts:
            own.add("brier", one["seed"], facts["squares"], MILLION * facts["asked"])
            own.add("auc", one["seed"], facts["halves"], 2 * facts["pairs"])
            own.add("given", one["seed"], facts["given"], facts["asked"])
    return [
        {
            "policy": policy,
            "questions": asked[policy],
            "brier": own.record("brier"),
            "brier_of_a_half": 0.25,
            "auc": own.record("auc"),
            "given": own.record("given"),
        }
        for policy, own in counts.items()
    ]
