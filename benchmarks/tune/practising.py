"""REINFORCE from a tuned model: it plays whole games, and answers that earned more become likelier.

Answers are drawn at temperature 1. What an answer has earned is all that came after it, less the
mean of answers as far into their games in the same update, by the standard deviation of all.

Source: Williams (1992), with a baseline by the number of the answer.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import torch

from stratagym.agents.core import make_policy
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.files import Shape, read_jsonl, write_text
from stratagym.benchmarks.reporting.stats import mean_rate
from stratagym.benchmarks.reporting.terminal import say
from stratagym.benchmarks.tune.course import Practice
from stratagym.benchmarks.tune.learner import Learner, Tokens, load_state, save_state
from stratagym.benchmarks.tune.packing import Asked, packed
from stratagym.benchmarks.tune.setup import Start, rewards_of
from stratagym.wrappers.dialogue import Dialogue, Generated, pairings
from stratagym.wrappers.dialogues import Dialogues

CURVE, STATE, RETURNS = "practice.jsonl", "practice.pt", "returns.jsonl"
BEFORE, AFTER = "before", "after"
"""Folders of the games of the two ratings."""
PART = 20
"""Games of a rating that are played side by side."""


class Games:
    """How games are played: one answer for a move, and a bad one forfeits.

    Args:
        start: the game and its prompts. practice: the opponent and the rewards.
        tokens: of the model.
    """

    def __init__(self, start: Start, practice: Practice, tokens: Tokens):
        self.start, self.tokens = start, tokens
        self.opponent = make_policy(start.game, practice.opponent)
        self.rewards = rewards_of(practice)

    def played(
        self, learner: Learner, pairs: Sequence[tuple[int, int]], seed: int
    ) -> list[Dialogue]:
        """Games to their ends, by seed and seat; answers are drawn by ``seed``."""
        draws, start = np.random.default_rng(seed), self.start
        games = Dialogues(
            start.game.name, self.opponent, pairs, tries=1, text=start.text,
            options=start.options, rewards=self.rewards,
        )  # fmt: skip

        def generate(prompts: list[list[dict[str, str]]]) -> list[Generated]:
            asked = [self.tokens.prompt(prompt) for prompt in prompts]
            drawn = learner.drawn(asked, self.tokens.end, start.longest, draws)
            return [
                Generated(self.tokens.text(answer), prompt, answer)
                for prompt, answer in zip(asked, drawn, strict=True)
            ]

        return games.play(generate)


def practise(
    learner: Learner,
    games: Games,
    practice: Practice,
    seed: int,
    folder: Path,
    told: Callable[[int, str], Any],
) -> float:
    """All updates, from where a run that was broken off has got to; returns the CPU-seconds."""
    done, spent = load_state(folder / STATE, learner)
    curve = folder / CURVE
    lines = [line for line in read_curve(folder) if line["updates"] <= done]
    for update in range(done, practice.updates):
        begun = time.process_time()
        own = item_seed(seed, "practice", str(update))
        played = games.played(learner, pairings(games.start.players, practice.games, own), own)
        reinforce(learner, played)
        spent += time.process_time() - begun
        lines.append({"updates": update + 1, "cpu_s": round(spent, 1), **_figures(played)})
        write_text(curve, "".join(json.dumps(line) + "\n" for line in lines))
        save_state(folder / STATE, learner, update + 1, spent)
        told(update + 1, f"mean return {lines[-1]['mean_return']:+.2f}")
    return spent


class _Line(TypedDict):
    """A line of ``practice.jsonl``: the games of an update, played before it."""

    updates: int
    cpu_s: float
    mean_return: float
    deviation: float
    reward: float
    forfeits: int
    games: int


def _figures(played: Sequence[Dialogue]) -> Any:
    returns = np.array([dialogue.returns()[dialogue.seat] for dialogue in played])
    return {
        "mean_return": float(returns.mean()),
        "deviation": float(returns.std()),
        "reward": float(np.mean([dialogue.reward for dialogue in played])),
        "forfeits": sum(dialogue.forfeited for dialogue in played),
        "games": len(played),
    }


def read_curve(folder: Path) -> list[dict[str, Any]]:
    """The updates so far. Raises ``InputError`` for a damaged file."""
    return list(read_jsonl(folder / CURVE, Shape(_Line)))


def advantages(played: Sequence[Dialogue]) -> list[np.ndarray]:
    """Of each game's answers: what came after, less the mean of answers as far into their games."""
    earned = [
        np.cumsum([answer.reward for answer in dialogue.answers][::-1])[::-1] for dialogue in played
    ]
    longest = max(map(len, earned))
    means = [np.mean([own[k] for own in earned if len(own) > k]) for k in range(longest)]
    less = [own - np.array(means[: len(own)]) for own in earned]
    deviation = float(np.concatenate(less).std())
    return [own / deviation if deviation > 0 else own for own in less]


def reinforce(learner: Learner, played: Sequence[Dialogue]) -> None:
    """Make answers likelier, or less likely, by what they earned."""
    asked, weights = [], []
    for dialogue, own in zip(played, advantages(played), strict=True):
        for answer, advantage in zip(dialogue.answers, own.tolist(), strict=True):
            reply = answer.reply
            assert reply.prompt_ids is not None and reply.token_ids is not None
            asked.append(Asked(tuple(reply.prompt_ids), tuple(reply.token_ids)))
            weights.append(advantage / len(played))
    for row in packed(asked):
        loss = torch.zeros(())
        for k, part in zip(row.members, learner.log_probabilities(row), strict=True):
            drawn = torch.tensor(asked[k].answer)[:, None]
            loss = loss - weights[k] * part.gather(1, drawn).sum()
        loss.backward()
    learner.step()


def rated(
    learner: Learner, games: Games, pairs: Sequence[tuple[int, int]], seed: int, folder: Path
) -> list[float]:
    """The return of each game that is played for a rating, by seed and seat.

    They are kept in the folder, and games that are there are not played again.
    """
    folder.mkdir(exist_ok=True)
    path = folder / RETURNS
    lines = list(read_jsonl(path, Shape(_Rated)))
    for begin in range(len(lines), len(pairs), PART):
        part = pairs[begin : begin + PART]
        played = games.played(learner, part, item_seed(seed, "rating", str(begin)))
        lines += [
            {"seed": str(own), "seat": seat, "return": dialogue.returns()[seat]}
            for (own, seat), dialogue in zip(part, played, strict=True)
        ]
        write_text(path, "".join(json.dumps(line) + "\n" for line in lines))
        say(f"{folder.name}: {len(lines)} of {len(pairs)} games")
    return [line["return"] for line in lines]


_Rated = TypedDict("_Rated", {"seed": str, "seat": int, "return": float})
"""A line of ``returns.jsonl``."""


def compared(
    before: Sequence[float], after: Sequence[float], pairs: Sequence[tuple[int, int]]
) -> dict[str, Any]:
    """Mean returns before and after and the difference, paired by game, with intervals by seed."""
    seeds = np.array([seed for seed, _ in pairs], np.uint64)
    one, other = np.array(before), np.array(after)
    return {
        "before": mean_rate(one, seeds).record(),
        "after": mean_rate(other, seeds).record(),
        "gain": mean_rate(other - one, seeds, bounds=(-2.0, 2.0), chance=0.0).record(),
    }
