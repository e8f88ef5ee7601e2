"""A model before and after tuning: answers to held-out positions, the ladder, games with random."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from stratagym.agents.gguf import GGUFChat
from stratagym.agents.ladders import Ladder
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import climb_summary, pairings
from stratagym.benchmarks.harness.climb import new_climb, new_plan, schedule_of
from stratagym.benchmarks.harness.decisions import Question, ask_all, item_seed, read_answered
from stratagym.benchmarks.harness.experts import Lesson
from stratagym.benchmarks.harness.games import by_pairing
from stratagym.benchmarks.harness.match_play import FORFEIT, AnswerProtocol
from stratagym.benchmarks.harness.progress import lines
from stratagym.benchmarks.harness.records import JsonlWriter, read_decisions
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.schedules import fixed
from stratagym.benchmarks.reporting.stats import paired_means
from stratagym.benchmarks.tune.measures import of_decisions, shares
from stratagym.envs import core
from stratagym.envs.text import TextOptions

UNTUNED, TUNED, RANDOM = "untuned", "tuned", "random"
POSITIONS = "positions"
"""The folder of a run that holds the answers to held-out positions."""
TRIES = 3


@dataclass(frozen=True)
class Subject:
    """What is evaluated, and how it is asked.

    Attributes:
        game, rules, options: the game and its options in force.
        text: of prompts. model: as of ``GGUFChat``. engine: its other arguments.
        seed: of all games.
    """

    benchmark: str
    game: core.GameSpec
    rules: Any
    options: dict[str, Any]
    text: TextOptions
    model: str
    engine: dict[str, Any]
    seed: int

    def player(self, name: str, lora: Path | None = None) -> LanguageModel:
        """The model as a policy, with an adapter or without."""
        adapter = None if lora is None else str(lora)
        return LanguageModel(GGUFChat(self.model, lora=adapter, **self.engine), name=name)

    @property
    def protocol(self) -> AnswerProtocol:
        return AnswerProtocol(self.text, TRIES, FORFEIT)


def ask_positions(
    folder: Path, subject: Subject, lessons: Sequence[Lesson], models: Sequence[LanguageModel]
) -> dict[str, Any]:
    """Ask the models for a move in held-out positions, once each; shares of answers by model.

    Answers are in ``positions/decisions.jsonl``; recorded ones are not asked for again.
    """
    own = folder / POSITIONS
    own.mkdir(exist_ok=True)
    by_item = {f"held out/{lesson.line['position']}": lesson for lesson in lessons}
    questions = [
        Question(
            subject.benchmark, item, subject.game, lesson.position.rules, lesson.position.states,
            item_seed(subject.seed, item), lesson.line["seat"], subject.text,
        )
        for item, lesson in by_item.items()
    ]  # fmt: skip
    answered = read_answered(own)
    writer = JsonlWriter(own / "decisions.jsonl")
    try:
        with lines() as progress:
            progress.add([model.name for model in models for _ in questions])
            for model in models:
                asyncio.run(
                    ask_all(
                        model, questions, writer, concurrency=subject.engine["slots"],
                        done=partial(progress.advance, model.name),
                        answered=answered, retry_transport=True,
                    )
                )  # fmt: skip
    finally:
        writer.close()
    found = of_decisions(read_decisions(own), by_item)
    return {model.name: shares(found.get(model.name, [])) for model in models}


def play(
    run: Run, subject: Subject, ladder: Ladder | None, games: int, models: Sequence[LanguageModel]
) -> dict[str, Any]:
    """Games against random play on the same seeds, and the models' climbs on the ladder.

    Returns:
        ``random``: by model its points and the returns, and how much more those of the second are,
        paired by game; ``ladder``: as ``anchored_levels`` has it, or None.
    """
    names = [model.name for model in models]
    for model in models:
        run.policies[model.name] = model
    sides = pairings.two_sides(subject.game, subject.rules, "a game with random", "")
    contest = pairings.Contest(
        subject.benchmark, subject.game.name, subject.options, games, subject.seed, subject.protocol
    )
    matches = [
        match for name in names for match in contest.among(f"{name}/random", sides, (name, RANDOM))
    ]
    played = by_pairing(run.play(fixed(matches)).values())
    against: dict[str, Any] = {}
    returns: dict[str, dict[int, Sequence[float]]] = {}
    for name in names:
        own = played[f"{name}/random"]
        values = own.returns_of(name)
        returns[name] = {int(seed): values[own.seeds == seed].tolist() for seed in own.seeds}
        against[name] = {
            "points": own.rate(own.score_of(name), chance=0.5).record(),
            "return": own.rate(values, chance=0.0).record(),
            "forfeits": int(sum(record["forfeited_by"] is not None for record in own.records)),
        }
    gain = paired_means(returns[names[1]], returns[names[0]]) if len(names) > 1 else None
    found: dict[str, Any] = {
        "random": against, "gain": None if gain is None else gain.record(), "ladder": None,
    }  # fmt: skip
    if ladder is not None:
        plan = new_plan(subject.benchmark, ladder, subject.seed, subject.protocol)
        climbs = [new_climb(plan, name) for name in names]
        run.play(schedule_of(climbs))
        policies: Mapping[str, Any] = {model.name: model for model in models}
        found["ladder"] = climb_summary.summarise(run, climbs, {ladder.game.name: ladder}, policies)
    return found
