"""Asks policies for decisions and records them: concurrent, seeded, resumable."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from stratagym.benchmarks.records import Journal
from stratagym.envs.core import GameSpec
from stratagym.wrappers import text

if TYPE_CHECKING:
    from stratagym.agents.kernels import KernelPolicy
    from stratagym.agents.llm import LanguageModel

TRANSPORT = "transport"


def progress_bar() -> Progress:
    """A progress bar on standard error, so that standard output stays clean."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )


def item_seed(seed: int, *names: str) -> int:
    """A 64-bit seed for one piece of work, from the run's seed and what the work is called."""
    digest = hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
    return int.from_bytes(digest[:8], "big")


@dataclass(frozen=True)
class Question:
    """One isolated decision: a position, what the prompt adds to it, and a name for records."""

    benchmark: str
    item: str
    game: GameSpec
    rules: Any
    states: np.ndarray
    seed: int
    seat: int
    text: text.TextOptions = text.TextOptions()
    history: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    def record(self, policy: str, **answer: Any) -> dict[str, Any]:
        """The decision record, with ``answer``'s fields filled in and the others null."""
        fields: dict[str, Any] = {
            "benchmark": self.benchmark,
            "game": self.game.name,
            "item": self.item,
            **self.extra,
            "seed": self.seed,
            "ply": 0,
            "seat": self.seat,
            "policy": policy,
            "persona": self.text.persona,
        }
        for name in (
            "kind", "reason", "attempt", "prompt", "prompt_version", "prompt_sha256", "reply",
            "move_text", "action", "chosen", "legal", "latency_s", "tokens_in", "tokens_out",
            "cost", "finish_reason", "retries",
        ):  # fmt: skip
            fields[name] = answer.get(name)
        return fields


def prompt_fields(game: GameSpec, messages: list[dict[str, str]]) -> dict[str, Any]:
    """The fields of a record that hold a prompt."""
    joined = "\n\n".join(message["content"] for message in messages)
    return {
        "prompt": messages,
        "prompt_version": game.module("view").PROMPT_VERSION,
        "prompt_sha256": hashlib.sha256(joined.encode()).hexdigest(),
    }


def ask_kernel(policy: KernelPolicy, questions: list[Question]) -> list[dict[str, Any]]:
    """Records of a numba policy's decisions, in the order of the questions."""
    groups: dict[Any, list[int]] = {}
    for k, question in enumerate(questions):
        groups.setdefault(question.rules, []).append(k)
    records: list[dict[str, Any]] = [{}] * len(questions)
    for rules, members in groups.items():
        states = np.concatenate([questions[k].states for k in members])
        seeds = np.array(
            [item_seed(questions[k].seed, questions[k].item, policy.name) for k in members],
            np.uint64,
        )
        for k, action in zip(members, policy.act_each(rules, states, seeds).tolist(), strict=True):
            legal = text.legal_list(rules, questions[k].states)
            records[k] = questions[k].record(
                policy.name, kind=text.OK, reason="", attempt=1, action=action, chosen=action,
                legal=legal,
            )  # fmt: skip
    return records


async def ask_model(model: LanguageModel, question: Question) -> dict[str, Any]:
    """The record of a language model's decision; never raises for what a server may do.

    An invalid reply's ``action`` is a random legal one, drawn from the question's seed.
    """
    from stratagym.agents.llm import TransportError

    game, rules, states = question.game, question.rules, question.states
    messages = text.messages(game, rules, states, question.text, question.history)
    legal = text.legal_list(rules, states)
    answer: dict[str, Any] = {
        "attempt": 1,
        "legal": legal,
        **prompt_fields(game, messages),
    }
    try:
        reply = await model.chat.generate(messages)
    except TransportError as error:
        answer |= {"kind": TRANSPORT, "reason": error.reason, "retries": error.retries}
        return question.record(model.name, **answer)
    outcome = text.judge(game, rules, states, reply.text, lenient=question.text.lenient)
    action = outcome.action
    if outcome.kind != text.OK:
        seed = item_seed(question.seed, question.item, model.name, question.text.persona)
        action = random.Random(seed).choice(legal)
    truncated = outcome.kind == text.UNPARSEABLE and reply.finish_reason == "length"
    answer |= {
        "kind": outcome.kind,
        "reason": "truncated" if truncated else outcome.reason,
        "reply": reply.text,
        "move_text": outcome.move,
        "action": action,
        "chosen": outcome.action,
        "latency_s": round(reply.latency_s, 4),
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "finish_reason": reply.finish_reason,
        "retries": reply.retries,
    }
    return question.record(model.name, **answer)


async def ask_all(
    model: LanguageModel,
    questions: Iterable[Question],
    journal: Journal,
    *,
    concurrency: int,
    done: Callable[[dict[str, Any]], None] = lambda record: None,
) -> None:
    """Ask every question, ``concurrency`` at a time, and record each answer when it comes."""
    waiting = iter(questions)

    async def work() -> None:
        for question in waiting:
            record = await ask_model(model, question)
            journal.write(record)
            done(record)

    workers = [asyncio.ensure_future(work()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for worker in workers:
            worker.cancel()
        await model.chat.close()
