"""Supervised tuning: the adapter learns to answer as an expert would.

Where several moves are best, all of their answers are wanted, each as much as the others.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypedDict

import numpy as np
import torch

from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.experts import Lesson
from stratagym.benchmarks.harness.files import Shape, read_jsonl, write_text
from stratagym.benchmarks.tune.course import Course
from stratagym.benchmarks.tune.learner import Learner, Tokens, load_state, save_state
from stratagym.benchmarks.tune.measures import Answer, shares
from stratagym.benchmarks.tune.packing import Asked, packed

CURVE, STATE = "curve.jsonl", "training.pt"


def train(
    learner: Learner,
    tokens: Tokens,
    lessons: Sequence[Lesson],
    held_out: Sequence[Lesson],
    course: Course,
    seed: int,
    folder: Path,
    told: Callable[[int, str], Any],
) -> float:
    """Train to the end, from where a run that was broken off has got to.

    ``curve.jsonl`` gets a line for each look: updates, CPU-seconds, the mean loss since the last
    look, and what became of greedy answers to held-out positions.

    Args:
        told: is told after each update how many there were, and the last look in a few words.

    Returns:
        the CPU-seconds of training, looks apart.
    """
    done, spent = load_state(folder / STATE, learner)
    curve = folder / CURVE
    lines = [line for line in read_curve(folder) if line["updates"] <= done]
    looked = held_out[: course.looks]
    if not lines:
        lines.append(_look(learner, tokens, looked, course, done, spent, []))
    brief, losses = _brief(lines[-1]), []
    for update in range(done, course.updates):
        begun = time.process_time()
        batch = _drawn(lessons, course.batch, seed, update)
        losses.append(learn(learner, tokens, batch))
        spent += time.process_time() - begun
        if (update + 1) % course.every == 0 or update + 1 == course.updates:
            lines.append(_look(learner, tokens, looked, course, update + 1, spent, losses))
            losses, brief = [], _brief(lines[-1])
            write_text(curve, "".join(json.dumps(line) + "\n" for line in lines))
            save_state(folder / STATE, learner, update + 1, spent)
        told(update + 1, brief)
    return spent


def read_curve(folder: Path) -> list[dict[str, Any]]:
    """The looks so far. Raises ``InputError`` for a damaged file."""
    return list(read_jsonl(folder / CURVE, Shape(_Line)))


def _drawn(lessons: Sequence[Lesson], batch: int, seed: int, update: int) -> list[Lesson]:
    """The lessons of an update: all in an order of the seed, then all in another."""
    places = np.arange(update * batch, (update + 1) * batch)
    orders = {
        epoch: np.random.default_rng(item_seed(seed, "order", str(epoch))).permutation(len(lessons))
        for epoch in set((places // len(lessons)).tolist())
    }
    return [lessons[orders[k // len(lessons)][k % len(lessons)]] for k in places.tolist()]


def learn(learner: Learner, tokens: Tokens, lessons: Sequence[Lesson]) -> float:
    """One update; returns the loss of a position, in nats."""
    asked, shares = [], []
    for lesson in lessons:
        prompt = tokens.prompt(lesson.position.prompt)
        asked += [Asked(prompt, tokens.answer(reply)) for reply in lesson.replies]
        shares += [1 / (len(lesson.replies) * len(lessons))] * len(lesson.replies)
    total = 0.0
    for row in packed(asked):
        parts = learner.log_probabilities(row)
        loss = torch.zeros(())
        for k, part in zip(row.members, parts, strict=True):
            answer = torch.tensor(asked[k].answer)
            loss = loss - shares[k] * part.gather(1, answer[:, None]).sum()
        loss.backward()
        total += float(loss.detach())
    learner.step()
    return total


class _Line(TypedDict):
    """A line of ``curve.jsonl``."""

    updates: int
    cpu_s: float
    loss: float | None
    readable: dict[str, Any]
    legal: dict[str, Any]
    optimal: dict[str, Any] | None


def _look(
    learner: Learner,
    tokens: Tokens,
    held_out: Sequence[Lesson],
    course: Course,
    updates: int,
    spent: float,
    losses: Sequence[float],
) -> Any:
    prompts = [tokens.prompt(lesson.position.prompt) for lesson in held_out]
    drawn = learner.drawn(prompts, tokens.end, course.longest)
    found = [
        Answer.of(lesson, tokens.text(answer))
        for lesson, answer in zip(held_out, drawn, strict=True)
    ]
    loss = float(np.mean(losses)) if losses else None
    return {"updates": updates, "cpu_s": round(spent, 1), "loss": loss, **shares(found)}


def _brief(line: Any) -> str:
    return f"held out: readable {line['readable']['value']:.2f}, legal {line['legal']['value']:.2f}"
