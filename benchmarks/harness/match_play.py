"""Plays whole matches: concurrent, seeded, resumable."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stratagym.agents.core import Decision, Policy, decision_for, make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.decisions import (
    OVERTIME,
    TRANSPORT,
    Question,
    ask_model,
    item_seed,
    prompt_fields,
    side_by_side,
)
from stratagym.benchmarks.harness.records import JsonlWriter, read_jsonl
from stratagym.envs import core, text
from stratagym.envs.core import GameSpec
from stratagym.wrappers.dialogue import FORFEIT, RANDOM, forfeit_returns


@dataclass(frozen=True)
class SeatedMatch:
    """A whole game to play: its name in the records, its rules and seed, and who sits where.

    ``place`` is added to the record: where the match stands in its run.
    """

    benchmark: str
    name: str
    game: GameSpec
    rules: Any
    options: dict[str, Any]
    seed: int
    seats: list[Policy]
    place: Mapping[str, Any] = field(default_factory=dict)

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
            **self.place,
        }

    def forfeited(self, actions: list[int], seat: int) -> dict[str, Any]:
        """The record of a game that ``seat`` loses."""
        returns = forfeit_returns(self.game, len(self.seats), seat)
        return self.record(actions, FORFEIT, returns, seat)


@dataclass(frozen=True)
class AnswerProtocol:
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


Act = Callable[[Policy, Decision], Awaitable[int]]


async def act_here(policy: Policy, view: Decision) -> int:
    """The policy's action, computed by the caller's thread."""
    return policy.act(view)


Answers = dict[tuple[int, int], dict[str, Any]]
"""Recorded answers in one match by (ply, attempt), transport failures left out."""


async def play_match(
    match: SeatedMatch,
    protocol: AnswerProtocol,
    decisions: JsonlWriter | None = None,
    answered: Answers | None = None,
    act: Act = act_here,
) -> dict[str, Any]:
    """Play one match; returns its record.

    Args:
        decisions: takes a record of every answer of a language model.
        answered: answers that are not asked for again; new ones are added.
        act: how policies that are no language models come to their actions.
    """
    game = text.TextGame(match.game.name, protocol.text, rules=match.rules)
    game.reset(match.seed)
    answered = {} if answered is None else answered
    while not game.over:
        policy, seat = match.seats[game.seat], game.seat
        if not isinstance(policy, LanguageModel):
            seed = item_seed(match.seed, policy.name, str(len(game.actions)))
            game.play(await act(policy, decision_for(match.game, match.rules, game.states, seed)))
            continue
        record = await _decide(match, protocol, game, policy, decisions, answered)
        if record["kind"] == TRANSPORT:
            return match.record(game.actions, TRANSPORT, None)
        if record["kind"] != text.OK:
            if protocol.invalid == FORFEIT:
                return match.forfeited(game.actions, seat)
            game.play(record["action"])
    return match.record(game.actions, game.seat, game.returns())


async def _decide(
    match: SeatedMatch,
    protocol: AnswerProtocol,
    game: text.TextGame,
    model: LanguageModel,
    decisions: JsonlWriter | None,
    answered: Answers,
) -> dict[str, Any]:
    """The record of a model's last answer for one move; a good one has been played."""
    turn, ply = game.observe(), len(game.actions)
    messages, left_s = turn.messages, protocol.time_limit_s
    record: dict[str, Any] = {}
    for attempt in range(1, protocol.tries + 1):
        asked = prompt_fields(match.game, messages, protocol.text)["prompt_sha256"]
        record = answered.get((ply, attempt), {})
        # Another prompt has come to stand here where, say, an engine is of another version by now.
        if record.get("prompt_sha256") != asked:
            record = await _ask_turn(match, protocol, game, model, turn, messages, attempt, left_s)
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
    match: SeatedMatch,
    protocol: AnswerProtocol,
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
        protocol.text, extra={"ply": ply},
    )  # fmt: skip
    limit_s = None if left_s is None else max(left_s, 0.001)
    record = await ask_model(model, question, messages, attempt, limit_s)
    if record["kind"] in (text.OK, TRANSPORT):
        return record
    last = attempt == protocol.tries or record["kind"] == OVERTIME
    if not last or protocol.invalid == FORFEIT:
        record["action"] = None
    elif protocol.invalid != RANDOM:
        to_action = match.game.module("view").string_to_action
        for move in consequences(match.game)[protocol.invalid]:
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


class PolicyPool:
    """Threads in which policies compute their actions while an event loop goes on.

    Every thread makes policies of its own by their names. A policy that cannot be made so is
    asked for one action at a time.
    """

    def __init__(self, threads: int):
        self._pool = ThreadPoolExecutor(threads, "policy")
        self._own = threading.local()
        self._locks: defaultdict[Policy, threading.Lock] = defaultdict(threading.Lock)

    async def act(self, policy: Policy, view: Decision) -> int:
        """The policy's action, as ``Act`` wants it."""
        lock = self._locks[policy]
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._act, policy, view, lock)

    def _act(self, policy: Policy, view: Decision, lock: threading.Lock) -> int:
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
    matches: list[SeatedMatch],
    protocol: AnswerProtocol,
    games: JsonlWriter,
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
    journal = JsonlWriter(decisions)
    pool = PolicyPool(threads or os.cpu_count() or 1)

    async def play(match: SeatedMatch) -> None:
        own = answered.pop(match.name, {})
        for _ in range(1 + replays):
            record = await play_match(match, protocol, journal, own, pool.act)
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
        pool.close()
        journal.close()
        for model in models.values():
            await model.chat.close()
