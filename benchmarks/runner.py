"""Asks policies for decisions and records them: concurrent, seeded, resumable."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

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

from stratagym.agents.chat import TransportError
from stratagym.agents.core import Policy, view_of
from stratagym.agents.kernels import KernelPolicy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.records import Journal, read_jsonl
from stratagym.envs import core
from stratagym.envs.core import GameSpec
from stratagym.wrappers import text

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
        for name in (
            "kind", "reason", "attempt", "prompt", "prompt_version", "prompt_sha256", "reply",
            "reasoning", "move_text", "action", "chosen", "legal", "latency_s", "tokens_in",
            "tokens_out", "cost", "finish_reason", "retries",
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


async def ask_model(
    model: LanguageModel,
    question: Question,
    messages: list[dict[str, str]] | None = None,
    attempt: int = 1,
) -> dict[str, Any]:
    """The record of a language model's decision; never raises for what a server may do.

    An invalid reply's ``action`` is a random legal one, drawn from the question's seed.

    Args:
        messages: the prompt; by default the question's own.
    """
    game, rules, states = question.game, question.rules, question.states
    if messages is None:
        messages = text.messages(game, rules, states, question.text, question.history)
    legal = text.legal_list(rules, states)
    answer: dict[str, Any] = {
        "attempt": attempt,
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
        ply = question.extra.get("ply", 0)
        seed = item_seed(question.seed, question.item, str(ply), model.name, question.text.persona)
        action = random.Random(seed).choice(legal)
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
        "cost": model.cost(reply.tokens_in, reply.tokens_out),
        "finish_reason": reply.finish_reason,
        "retries": reply.retries,
    }
    return question.record(model.name, **answer)


@dataclass(frozen=True)
class Match:
    """A whole game to play: its name in the records, its rules and seed, and who sits where."""

    benchmark: str
    name: str
    game: GameSpec
    rules: Any
    options: dict[str, Any]
    seed: int
    seats: list[Policy]

    def record(
        self, actions: list[int], ending: int | str, returns: list[float] | None
    ) -> dict[str, Any]:
        """The game's record; ``ending`` is the kernel's id, ``forfeit`` or ``transport``."""
        kernel = {core.TERMINAL: "terminal", core.TRUNCATED: "truncated"}
        winners = [k for k, x in enumerate(returns or []) if x > 0]
        return {
            "benchmark": self.benchmark,
            "game": self.game.name,
            "match": self.name,
            "seed": self.seed,
            "rules": self.options,
            "seats": [policy.name for policy in self.seats],
            "returns": returns,
            "outcome": None if returns is None else winners,
            "plies": len(actions),
            "actions": actions,
            "ended_by": ending if isinstance(ending, str) else kernel[ending],
        }


FORFEIT = "forfeit"


@dataclass(frozen=True)
class MatchRules:
    """How a match treats a language model's answers.

    Attributes:
        text: what prompts hold. tries: answers for one move; a bad one is quoted back.
        invalid: after the last bad answer, ``random`` plays a seeded random legal move and
            ``forfeit`` loses the game.
    """

    text: text.TextOptions
    tries: int
    invalid: str


async def play_match(
    match: Match,
    how: MatchRules,
    decisions: Journal,
    answered: dict[tuple[str, int, int], dict[str, Any]],
) -> dict[str, Any]:
    """Play one match; returns its record.

    Args:
        decisions: takes a record of every answer of a language model.
        answered: recorded answers by (match, ply, attempt), which are not asked for again.
    """
    game = text.TextGame(match.game.name, how.text, rules=match.rules)
    game.reset(match.seed)
    while not game.over:
        policy, ply = match.seats[game.seat], len(game.actions)
        if not isinstance(policy, LanguageModel):
            seed = item_seed(match.seed, policy.name, str(ply))
            game.play(policy.act(view_of(match.game, match.rules, game.states, seed)))
            continue
        turn = game.observe()
        messages = turn.messages
        for attempt in range(1, how.tries + 1):
            if (match.name, ply, attempt) in answered:
                record = answered[match.name, ply, attempt]
            else:
                record = await _ask_turn(match, how, game, policy, turn, messages, attempt)
                decisions.write(record)
            if record["kind"] == TRANSPORT:
                return match.record(game.actions, TRANSPORT, None)
            outcome = game.submit(record["reply"])
            if outcome.kind == text.OK:
                break
            messages = text.ask_again(messages, record["reply"], outcome)
        else:
            if how.invalid == FORFEIT:
                others = 1.0 / (match.rules.num_players - 1)
                lost = [-1.0 if k == turn.seat else others for k in range(len(match.seats))]
                return match.record(game.actions, FORFEIT, lost)
            game.play(record["action"])
    return match.record(game.actions, game.seat, game.returns())


async def _ask_turn(
    match: Match,
    how: MatchRules,
    game: text.TextGame,
    model: LanguageModel,
    turn: text.Turn,
    messages: list[dict[str, str]],
    attempt: int,
) -> dict[str, Any]:
    """The record of one answer in a match."""
    ply = len(game.actions)
    question = Question(
        match.benchmark, match.name, match.game, match.rules, game.states, match.seed, turn.seat,
        how.text, extra={"ply": ply},
    )  # fmt: skip
    record = await ask_model(model, question, messages, attempt)
    bad = record["kind"] in (text.UNPARSEABLE, text.ILLEGAL)
    if bad and (attempt < how.tries or how.invalid == FORFEIT):
        record["action"] = None
    return record


async def play_matches(
    matches: list[Match],
    how: MatchRules,
    games: Journal,
    decisions: Path,
    *,
    concurrency: int,
    done: Callable[[], None] = lambda: None,
) -> None:
    """Play matches with language models, ``concurrency`` at a time, and record all of it.

    A match that was cut short goes on from its recorded answers.
    """
    answered = {
        (record["item"], record["ply"], record["attempt"]): record
        for record in read_jsonl(decisions)
        if record["kind"] != TRANSPORT
    }
    journal = Journal(decisions)

    async def play(match: Match) -> None:
        games.write(await play_match(match, how, journal, answered))
        done()

    models = {
        policy.name: policy
        for match in matches
        for policy in match.seats
        if isinstance(policy, LanguageModel)
    }
    try:
        await side_by_side(play, matches, concurrency)
    finally:
        journal.close()
        for model in models.values():
            await model.chat.close()


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


async def ask_all(
    model: LanguageModel,
    questions: Iterable[Question],
    journal: Journal,
    *,
    concurrency: int,
    done: Callable[[], Any] = lambda: None,
) -> None:
    """Ask every question, ``concurrency`` at a time, and record each answer when it comes."""

    async def ask(question: Question) -> None:
        record = await ask_model(model, question)
        journal.write(record)
        done()

    try:
        await side_by_side(ask, questions, concurrency)
    finally:
        await model.chat.close()
