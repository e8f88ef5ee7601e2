"""Asks policies for single decisions, and their records."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from stratagym.agents.chat import Overtime, TransportError
from stratagym.agents.kernel_policies import KernelPolicy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.records import JsonlWriter
from stratagym.envs import text
from stratagym.envs.core import GameSpec
from stratagym.envs.plans import plan_kind, takes_talk
from stratagym.envs.prompts import prompt_version

TRANSPORT, OVERTIME = "transport", "overtime"
TOKENS_APART = ("tokens_reasoning", "tokens_cached")
"""Counts that a record has only if the server sent them."""


def item_seed(seed: int, *names: str) -> int:
    """A 64-bit seed for one piece of work, from the run's seed and the name of the work."""
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
    text: text.TextOptions = field(default_factory=text.TextOptions)
    history: str = ""
    extra: dict[str, Any] = field(default_factory=dict)

    def record(self, policy: str, **answer: Any) -> dict[str, Any]:
        """The decision record, with ``answer``'s fields filled in and the others null."""
        fields: dict[str, Any] = {
            "benchmark": self.benchmark,
            "game": self.game.name,
            "item": self.item,
            "seed": self.seed,
            "ply": 0,
            **self.extra,
            "seat": self.seat,
            "policy": policy,
            "persona": self.text.persona,
        }
        fields |= _NO_ANSWER
        fields |= answer
        legal = fields["legal"]
        if legal is not None and len(legal) > MOST_LEGAL:
            fields |= {"legal": None, "legal_count": len(legal)}
        for name in TOKENS_APART:
            if fields.get(name, 0) is None:
                del fields[name]
        return fields


MOST_LEGAL = 1000
"""Of more legal actions a record holds no list but their number, ``legal_count``."""

_NO_ANSWER = dict.fromkeys(
    (
        "kind", "reason", "attempt", "prompt", "prompt_version", "prompt_sha256", "reply",
        "reasoning", "move_text", "action", "chosen", "legal", "latency_s", "tokens_in",
        "tokens_out", "cost", "finish_reason", "retries",
    )
)  # fmt: skip


def prompt_fields(
    game: GameSpec, messages: list[dict[str, str]], options: text.TextOptions
) -> dict[str, Any]:
    """The fields of a record that hold a prompt."""
    joined = "\n\n".join(message["content"] for message in messages)
    return {
        "prompt": messages,
        "prompt_version": prompt_version(game.module("view"), options),
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


async def ask_model(
    model: LanguageModel,
    question: Question,
    asking: text.Asking | None = None,
    limit_s: float | None = None,
) -> dict[str, Any]:
    """The record of a language model's next answer; what a server may do is in it.

    The ``action`` of an invalid reply, or of one that did not come in time, is a random legal one,
    drawn from the question's seed.

    Args:
        asking: takes the answer; by default the question is asked once.
        limit_s: the time in seconds that the model may take, failed attempts and waits apart.

    Raises:
        Unavailable: the model cannot be asked at all, as ``LanguageModel.ask`` finds out.
    """
    game, rules, states = question.game, question.rules, question.states
    if asking is None:
        asked = text.messages(game, rules, states, question.text, question.history)
        turn = text.Turn(question.seat, asked, states, rules)
        asking = text.Asking(game, rules, turn, 1, question.text)
    legal = asking.turn.legal
    answer: dict[str, Any] = {
        "attempt": asking.answers + 1,
        "legal": legal,
        **prompt_fields(game, asking.messages, question.text),
    }

    def instead() -> int:
        """The action of an invalid answer."""
        names = [str(question.extra.get("ply", 0)), model.name, question.text.persona]
        if game.is_simultaneous:
            names.append(str(question.seat))  # of several that are asked at one ply
        return random.Random(item_seed(question.seed, question.item, *names)).choice(legal)

    try:
        reply = await model.ask(asking.messages, limit_s)
    except TransportError as error:
        answer |= {"kind": TRANSPORT, "reason": error.reason, "retries": error.retries}
        return question.record(model.name, **answer)
    except Overtime as error:
        answer |= {"kind": OVERTIME, "reason": "time_limit", "action": instead()}
        answer |= {"latency_s": round(error.latency_s, 4), "retries": error.retries}
        return question.record(model.name, **answer)
    outcome = asking.answer(reply.text)
    action = outcome.action if outcome.kind == text.OK else instead()
    truncated = outcome.kind == text.UNPARSEABLE and reply.finish_reason == "length"
    answer |= {
        "kind": outcome.kind,
        "reason": "truncated" if truncated else outcome.reason,
        "reply": reply.text,
        "reasoning": reply.reasoning or None,
        "move_text": outcome.move,
        "action": action,
        "chosen": outcome.action,
        "latency_s": round(reply.latency_s, 4),
        "tokens_in": reply.tokens_in,
        "tokens_out": reply.tokens_out,
        "tokens_reasoning": reply.tokens_reasoning,
        "tokens_cached": reply.tokens_cached,
        "cost": model.cost(reply.tokens_in, reply.tokens_out, reply.tokens_cached),
        "finish_reason": reply.finish_reason,
        "retries": reply.retries,
    }
    record = question.record(model.name, **answer)
    plans, talk = plan_kind(game) is not None, takes_talk(game)
    if plans:
        record["actions"] = list(outcome.actions) or None
    if plans or talk:
        record["rejected"] = [list(entry) for entry in outcome.rejected]
    if outcome.facts:
        record["plan"] = dict(outcome.facts)
    if talk:
        record["said"] = [{"to": list(to), "text": said} for to, said in outcome.said]
    return record


T = TypeVar("T")


async def side_by_side(
    work: Callable[[T], Awaitable[None]], items: Iterable[T], concurrency: int
) -> None:
    """``work`` on every item, ``concurrency`` at a time; the first exception ends all of it."""
    waiting = iter(items)

    async def worker() -> None:
        for item in waiting:
            await work(item)

    workers = [asyncio.ensure_future(worker()) for _ in range(concurrency)]
    try:
        await asyncio.gather(*workers)
    finally:
        for one in workers:
            one.cancel()


async def check_models(models: Iterable[LanguageModel]) -> None:
    """Check all models that have not been checked yet, at the same time.

    Raises:
        Unavailable: of the first that cannot be asked.
    """
    unchecked = [model for model in models if model.unchecked]
    try:
        checks = (model.check() for model in unchecked)
        for result in await asyncio.gather(*checks, return_exceptions=True):
            if result is not None:
                raise result
    finally:
        for model in unchecked:
            await model.chat.close()


async def ask_all(
    model: LanguageModel,
    questions: Iterable[Question],
    writer: JsonlWriter,
    *,
    concurrency: int,
    done: Callable[[], Any] = lambda: None,
) -> None:
    """Ask every question, ``concurrency`` at a time, and record each answer when it comes.

    Raises:
        Unavailable: the model cannot be asked. The failures that say so are not recorded, so that
            a resumed run asks again.
    """
    held: list[dict[str, Any]] = []
    due: list[dict[str, Any]] = []

    def write() -> None:
        # Taken out first, so that a record that could not be written is not tried again at the end.
        records = due.copy()
        due.clear()
        if records:
            writer.write_all(records)

    async def ask(question: Question) -> None:
        held.append(await ask_model(model, question))
        if not model.is_failing:
            is_first = not due
            due.extend(held)
            held.clear()
            if is_first:
                await asyncio.sleep(0)  # what came at the same time is written at once
            if is_first or len(due) >= concurrency:
                write()
        done()

    try:
        questions = list(questions)
        if questions:
            await check_models([model])
        await side_by_side(ask, questions, concurrency)
        due.extend(held)
    finally:
        try:
            write()
        finally:
            await model.chat.close()
