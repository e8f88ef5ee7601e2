"""Asks policies for decisions and records them: concurrent, seeded, resumable."""

from __future__ import annotations

import asyncio
import hashlib
import os
import random
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
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

from stratagym.agents.chat import Overtime, TransportError
from stratagym.agents.core import Policy, View, make_policy, view_of
from stratagym.agents.kernels import KernelPolicy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.records import Journal, read_jsonl
from stratagym.envs import core
from stratagym.envs.core import GameSpec
from stratagym.wrappers import text
from stratagym.wrappers.dialogue import FORFEIT, RANDOM, forfeit_returns

TRANSPORT, OVERTIME = "transport", "overtime"


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


def counter(bar: Progress, description: str, total: int) -> Callable[[Any], None]:
    """A line of the bar that every call, whatever it is told, takes one step on."""
    task = bar.add_task(description, total=total)
    return lambda _: bar.advance(task)


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
    limit_s: float | None = None,
) -> dict[str, Any]:
    """The record of a language model's decision; never raises for what a server may do.

    The ``action`` of an invalid reply, or of one that did not come in time, is a random legal one,
    drawn from the question's seed.

    Args:
        messages: the prompt; by default the question's own.
        limit_s: the time in seconds that the model may take, failed attempts and waits apart.
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
    ply = question.extra.get("ply", 0)
    seed = item_seed(question.seed, question.item, str(ply), model.name, question.text.persona)
    instead = random.Random(seed).choice(legal)
    try:
        if limit_s is None:
            reply = await model.chat.generate(messages)
        else:
            reply = await model.chat.generate(messages, limit_s)
    except TransportError as error:
        answer |= {"kind": TRANSPORT, "reason": error.reason, "retries": error.retries}
        return question.record(model.name, **answer)
    except Overtime as error:
        answer |= {"kind": OVERTIME, "reason": "time_limit", "action": instead}
        answer |= {"latency_s": round(error.latency_s, 4), "retries": error.retries}
        return question.record(model.name, **answer)
    outcome = text.judge(game, rules, states, reply.text, question.text)
    action = outcome.action if outcome.kind == text.OK else instead
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
        self,
        actions: list[int],
        ending: int | str,
        returns: list[float] | None,
        forfeited_by: int | None = None,
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
            "forfeited_by": forfeited_by,
        }

    def forfeited(self, actions: list[int], seat: int) -> dict[str, Any]:
        """The record of a game that ``seat`` loses."""
        returns = forfeit_returns(self.game, len(self.seats), seat)
        return self.record(actions, FORFEIT, returns, seat)


@dataclass(frozen=True)
class MatchRules:
    """How a match treats a language model's answers.

    Attributes:
        text: what prompts hold. tries: answers for one move; a bad one is quoted back.
        invalid: after the last bad answer, or one that came too late, ``random`` plays a seeded
            random legal move and ``forfeit`` loses the game; a word of the view's ``CONSEQUENCES``
            plays the first of that word's moves that is legal, or a random one if none is.
        time_limit_s: what a model may take for one move, in seconds, over all of its answers;
            failed attempts to reach it and waits do not count. None for no limit.
    """

    text: text.TextOptions
    tries: int
    invalid: str
    time_limit_s: float | None = None

    def check(self, game: GameSpec) -> None:
        """Raises ``ValueError`` for what cannot be, in one line with the choices."""
        self.text.check(game)
        if self.tries < 1:
            raise ValueError(f"tries {self.tries}: at least 1 is needed")
        choices = [FORFEIT, RANDOM, *consequences(game)]
        if self.invalid not in choices:
            raise ValueError(
                f"invalid {self.invalid!r}: what follows an invalid answer in {game.name} is one "
                f"of: {', '.join(choices)}"
            )
        if self.time_limit_s is not None and not self.time_limit_s > 0:
            raise ValueError(f"time limit {self.time_limit_s:g}: more than 0 seconds are needed")


def consequences(game: GameSpec) -> dict[str, tuple[str, ...]]:
    """The game's own consequences of an invalid answer: a word, and moves in order of choice."""
    return getattr(game.module("view"), "CONSEQUENCES", {})


Act = Callable[[Policy, View], Awaitable[int]]


async def act_here(policy: Policy, view: View) -> int:
    """The policy's action, reckoned by the caller's thread."""
    return policy.act(view)


Answers = dict[tuple[int, int], dict[str, Any]]
"""Recorded answers in one match by (ply, attempt), transport failures left out."""


async def play_match(
    match: Match,
    how: MatchRules,
    decisions: Journal | None = None,
    answered: Answers | None = None,
    act: Act = act_here,
) -> dict[str, Any]:
    """Play one match; returns its record.

    Args:
        decisions: takes a record of every answer of a language model.
        answered: answers that are not asked for again; new ones are added.
        act: how policies that are no language models come to their actions.
    """
    game = text.TextGame(match.game.name, how.text, rules=match.rules)
    game.reset(match.seed)
    answered = {} if answered is None else answered
    while not game.over:
        policy, seat = match.seats[game.seat], game.seat
        if not isinstance(policy, LanguageModel):
            seed = item_seed(match.seed, policy.name, str(len(game.actions)))
            game.play(await act(policy, view_of(match.game, match.rules, game.states, seed)))
            continue
        record = await _decide(match, how, game, policy, decisions, answered)
        if record["kind"] == TRANSPORT:
            return match.record(game.actions, TRANSPORT, None)
        if record["kind"] != text.OK:
            if how.invalid == FORFEIT:
                return match.forfeited(game.actions, seat)
            game.play(record["action"])
    return match.record(game.actions, game.seat, game.returns())


async def _decide(
    match: Match,
    how: MatchRules,
    game: text.TextGame,
    model: LanguageModel,
    decisions: Journal | None,
    answered: Answers,
) -> dict[str, Any]:
    """The record of a model's last answer for one move; a good one has been played."""
    turn, ply = game.observe(), len(game.actions)
    messages, left_s = turn.messages, how.time_limit_s
    record: dict[str, Any] = {}
    for attempt in range(1, how.tries + 1):
        asked = prompt_fields(match.game, messages)["prompt_sha256"]
        record = answered.get((ply, attempt), {})
        # Another prompt has come to stand here where, say, an engine is of another version by now.
        if record.get("prompt_sha256") != asked:
            record = await _ask_turn(match, how, game, model, turn, messages, attempt, left_s)
            if decisions is not None:
                decisions.write(record)
            if record["kind"] != TRANSPORT:
                answered[ply, attempt] = record
        if record["kind"] in (TRANSPORT, OVERTIME):
            break
        if left_s is not None:
            left_s -= record["latency_s"]
        outcome = game.submit(record["reply"])
        if outcome.kind == text.OK:
            break
        messages = text.ask_again(messages, record["reply"], outcome)
    return record


async def _ask_turn(
    match: Match,
    how: MatchRules,
    game: text.TextGame,
    model: LanguageModel,
    turn: text.Turn,
    messages: list[dict[str, str]],
    attempt: int,
    left_s: float | None,
) -> dict[str, Any]:
    """The record of one answer in a match, with the action that follows from it."""
    ply = len(game.actions)
    question = Question(
        match.benchmark, match.name, match.game, match.rules, game.states, match.seed, turn.seat,
        how.text, extra={"ply": ply},
    )  # fmt: skip
    limit_s = None if left_s is None else max(left_s, 0.001)
    record = await ask_model(model, question, messages, attempt, limit_s)
    if record["kind"] in (text.OK, TRANSPORT):
        return record
    last = attempt == how.tries or record["kind"] == OVERTIME
    if not last or how.invalid == FORFEIT:
        record["action"] = None
    elif how.invalid != RANDOM:
        to_action = match.game.module("view").string_to_action
        for move in consequences(match.game)[how.invalid]:
            with suppress(ValueError):  # a word that means nothing here, such as a check for a call
                action = to_action(match.rules, game.states[0], move)
                if action in turn.legal:
                    record["action"] = action
                    break
    return record


def named_policy(game: GameSpec, policy: Policy) -> Policy | None:
    """A new policy of the same name, or None where no string makes one of this class."""
    try:
        made = make_policy(game, policy.name)
    except (ValueError, ModuleNotFoundError):
        return None
    return made if type(made) is type(policy) and made.name == policy.name else None


class Thinkers:
    """Threads in which policies reckon their actions while an event loop goes on.

    Every thread makes policies of its own by their names. A policy that cannot be made so is
    asked for one action at a time.
    """

    def __init__(self, threads: int):
        self._pool = ThreadPoolExecutor(threads, "policy")
        self._own = threading.local()
        self._locks: defaultdict[Policy, threading.Lock] = defaultdict(threading.Lock)

    async def act(self, policy: Policy, view: View) -> int:
        """The policy's action, as ``Act`` wants it."""
        lock = self._locks[policy]
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._act, policy, view, lock)

    def _act(self, policy: Policy, view: View, lock: threading.Lock) -> int:
        own = self._own.__dict__.setdefault("policies", {})
        key = view.spec.name, policy.name
        if key not in own:
            own[key] = named_policy(view.spec, policy)
        if own[key] is not None:
            return own[key].act(view)
        with lock:
            return policy.act(view)

    def close(self) -> None:
        """Let the threads end."""
        self._pool.shutdown(wait=False, cancel_futures=True)


async def play_matches(
    matches: list[Match],
    how: MatchRules,
    games: Journal,
    decisions: Path,
    *,
    concurrency: int,
    threads: int | None = None,
    done: Callable[[dict[str, Any]], Any] = lambda record: None,
    replays: int = 0,
) -> None:
    """Play matches with language models, ``concurrency`` at a time, and record all of it.

    A match that was cut short goes on from its recorded answers, also where a transport failure
    breaks it off now: up to ``replays`` times, each of which leaves a record.

    Args:
        threads: for the moves of other policies; default one a processor.
        done: is called with a match's last record.
    """
    wanted = {match.name for match in matches}
    answered: defaultdict[str, Answers] = defaultdict(dict)
    for record in read_jsonl(decisions):
        if record["kind"] != TRANSPORT and record["item"] in wanted:
            answered[record["item"]][record["ply"], record["attempt"]] = record
    journal = Journal(decisions)
    thinkers = Thinkers(threads or os.cpu_count() or 1)

    async def play(match: Match) -> None:
        own = answered.pop(match.name, {})
        for _ in range(1 + replays):
            record = await play_match(match, how, journal, own, thinkers.act)
            games.write(record)
            if record["ended_by"] != TRANSPORT:
                break
        done(record)

    models = {
        policy.name: policy
        for match in matches
        for policy in match.seats
        if isinstance(policy, LanguageModel)
    }
    try:
        await side_by_side(play, matches, concurrency)
    finally:
        thinkers.close()
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
