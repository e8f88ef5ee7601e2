"""Plays whole matches: concurrent, seeded, resumable."""

from __future__ import annotations

import asyncio
import os
import threading
from collections import defaultdict
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from stratagym.agents.core import Decision, Policy, PolicyFault, decision_for, make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.agents.speaking import decide
from stratagym.benchmarks.harness.decisions import (
    OVERTIME,
    TRANSPORT,
    Question,
    ask_model,
    item_seed,
    judge_again,
    prompt_fields,
    side_by_side,
)
from stratagym.benchmarks.harness.files import Shape
from stratagym.benchmarks.harness.matches import SeatedMatch
from stratagym.benchmarks.harness.messages import MessageLog
from stratagym.benchmarks.harness.protocol import (
    DEFAULT,
    AnswerProtocol,
    consequences,
)
from stratagym.benchmarks.harness.protocol import SYNC as SYNC
from stratagym.benchmarks.harness.records import DecisionRecord, JsonlWriter, read_jsonl
from stratagym.benchmarks.harness.stand_ins import StandIns
from stratagym.benchmarks.reporting.terminal import one_line
from stratagym.envs import core, text
from stratagym.envs.core import GameSpec
from stratagym.envs.plans import plan_kind, takes_talk
from stratagym.envs.prompts import is_legal, legal_list
from stratagym.envs.talk import Said
from stratagym.envs.turns import is_deciding
from stratagym.wrappers.dialogue import FORFEIT, RANDOM, forfeit_returns

STOPPED = "stopped"
"""How a match of some turns ends."""


def fault_field(fault: PolicyFault) -> dict[str, str]:
    """What the record of a game that a policy's fault ended has more."""
    return {"fault": one_line(str(fault), 300)}


Act = Callable[[Policy, Decision], Awaitable[tuple[int, tuple[Said, ...]]]]
"""What comes to a policy's action, and to what it says with it."""


async def act_here(policy: Policy, view: Decision) -> tuple[int, tuple[Said, ...]]:
    """The policy's action and words, computed by the caller's thread."""
    return decide(policy, view)


Answers = dict[tuple[int, int, int], dict[str, Any]]
"""Recorded answers in one match by (ply, seat, attempt), transport failures left out."""
Write = Callable[[dict[str, Any]], None]


def _nowhere(record: dict[str, Any]) -> None:
    pass


async def play_match(
    match: SeatedMatch,
    protocol: AnswerProtocol,
    decisions: JsonlWriter | None = None,
    answered: Answers | None = None,
    act: Act = act_here,
    messages: Write = _nowhere,
) -> dict[str, Any]:
    """Play one match; returns its record.

    Args:
        decisions: takes a record of every answer of a language model.
        answered: answers that are not asked for again; new ones are added.
        act: how policies that are no language models come to their actions and words.
        messages: takes a record of everything that is said, in the order in which it is. Where no
            language model plays, and no policy that speaks or may stand in speaking, nothing is.
    """
    write = _nowhere if decisions is None else decisions.write
    answered = {} if answered is None else answered
    return await _Table(match, protocol, write, answered, act, messages).play()


@dataclass
class _Answered:
    """What came of a question: the record of the last answer, and how long the seat is idle."""

    asking: text.Asking
    record: dict[str, Any]
    delay: int


class _Table:
    """A match that is being played."""

    def __init__(
        self,
        match: SeatedMatch,
        protocol: AnswerProtocol,
        write: Write,
        answered: Answers,
        act: Act,
        messages: Write,
    ):
        self.match, self.protocol, self.write, self.answered = match, protocol, write, answered
        self.act, self.messages = act, messages
        self.game = text.TextGame(match.game.name, protocol.text, rules=match.rules)
        self.told = 0
        self.seats = list(match.seats)
        self.stand_ins = StandIns(match.game, match.rules, protocol.forfeit)
        heard = [policy for policy in (*self.seats, self.stand_ins.policy) if policy is not None]
        self.is_spoken = takes_talk(match.game) and any(
            isinstance(policy, LanguageModel) or policy.speaks for policy in heard
        )

    async def play(self) -> dict[str, Any]:
        game = self.game
        game.reset(self.match.seed)
        for action in self.match.opening_moves():
            game.play(action)
        game.refusals = {seat: told for seat, told in enumerate(self.match.match.refusals) if told}
        while not game.over:
            if 0 < self.match.match.turns <= core.turn_at(game.rules, game.states, 0):
                return self._record(STOPPED, game.returns())
            seats = game.deciding()
            answers = await self._ask_all([seat for seat in seats if self._is_asked(seat)])
            if any(found.record["kind"] == TRANSPORT for found in answers.values()):
                return self._record(TRANSPORT, None)
            number = core.turn_at(game.rules, game.states, 0)
            for seat in seats:
                if seat in answers:
                    if not self._settle(answers[seat]) and (lost := await self._lose(seat, number)):
                        return lost
                elif game.is_waiting(seat):
                    game.play_waiting()
                elif isinstance(self.seats[seat], LanguageModel):  # not asked: it has to
                    forced = self._only_move()
                    assert forced is not None
                    game.play(forced)
                else:
                    try:
                        await self._play_policy(seat, number)
                    except PolicyFault as fault:
                        if lost := await self._lose(seat, number, fault_field(fault)):
                            return lost
                self._tell()
        return self._record(game.seat, game.returns())

    async def _lose(
        self, seat: int, number: int, fault: dict[str, str] | None = None
    ) -> dict[str, Any] | None:
        """Let a seat forfeit: the game's last record, or None where a stand-in plays on."""
        game, fault = self.game, fault or {}
        policy = self.stand_ins.take(seat, len(game.actions), game.states, fault)
        if policy is not None:
            self.seats[seat] = policy
            try:
                await self._play_policy(seat, number)
                return None
            except PolicyFault as error:
                fault = fault_field(error)
        returns = forfeit_returns(self.match.game, self.match.rules, seat, game.states)
        return {**self._record(FORFEIT, returns, seat), **fault}

    def _record(
        self, ending: int | str, returns: list[float] | None, forfeited_by: int | None = None
    ) -> dict[str, Any]:
        returns = self.stand_ins.returns(returns)
        record = self.match.record(
            self.game.actions, ending, returns, forfeited_by, self.stand_ins.records
        )
        return self._marked(record)

    def _marked(self, record: dict[str, Any]) -> dict[str, Any]:
        """A game's record with what belongs to games in real time, or with talk."""
        if self.is_spoken:
            record["messages"] = len(self.game.transcript.messages)
        if self.match.game.decision_seconds_of(self.match.rules) is not None:
            record["clock"] = self.protocol.clock
            record["rejected"] = [list(refused) for refused in self.game.refused]
        if self.match.match.turns and self.game.refusals:
            seats = range(len(self.match.seats))
            record["refusals"] = [self.game.refusals.get(seat, "") for seat in seats]
        return record

    def _is_asked(self, seat: int) -> bool:
        if not isinstance(self.seats[seat], LanguageModel) or self.game.is_waiting(seat):
            return False
        return self.protocol.ask_forced or self._only_move() is None

    def _only_move(self) -> int | None:
        """The legal move of the seat to move where it has no other; None where it has a choice."""
        legal = legal_list(self.game.rules, self.game.states)
        return legal[0] if len(legal) == 1 else None

    async def _play_policy(self, seat: int, number: int) -> None:
        """Let a policy play until it has given the turn away, or once in games without turns."""
        game, policy = self.game, self.seats[seat]
        while True:
            seed = item_seed(self.match.seed, policy.seed_name, str(len(game.actions)))
            # The real position, in which ``determinize`` redraws what others have committed: the
            # compiled loop and batches play the same games so.
            decision = decision_for(self.match.game, self.match.rules, game.states, seed)
            if policy.speaks:
                decision.heard = game.heard(seat)
            action, said = await self.act(policy, decision)
            if self.is_spoken:
                game.speak(seat, said if policy.speaks else game.spoken(action))
            game.play(action)
            self.stand_ins.count(seat)
            if not self.match.game.is_simultaneous or not is_deciding(
                game.rules, game.states, seat, number
            ):
                return

    async def _ask_all(self, seats: list[int]) -> dict[int, _Answered]:
        """The answers of all seats, asked at the same time, records in the order of the seats."""
        if not seats:
            return {}
        in_order = _InOrder(self.write, len(seats))
        tasks = [
            asyncio.ensure_future(self._ask(self._question(seat), in_order.writer(k)))
            for k, seat in enumerate(seats)
        ]
        try:
            for k, task in enumerate(tasks):
                task.add_done_callback(partial(in_order.end, k))
            return dict(zip(seats, await asyncio.gather(*tasks), strict=True))
        finally:
            for task in tasks:
                task.cancel()

    def _question(self, seat: int) -> text.Turn:
        """The question to a seat, of the position as its model is shown it."""
        turn, model = self.game.question(seat), self.match.seats[seat]
        assert isinstance(model, LanguageModel)
        shown = model.shown(turn.states)
        if shown is turn.states:
            return turn
        asked = text.messages(self.match.game, turn.rules, shown, self.protocol.text)
        return text.Turn(seat, asked, shown, turn.rules)

    async def _ask(self, turn: text.Turn, write: Write) -> _Answered:
        """Ask until an answer is good, or there is no more to be had."""
        game, protocol = self.game, self.protocol
        asking = game.asking(turn, protocol.tries, protocol.again, protocol.violations)
        ply = game.turn_ply
        left_s, seconds = protocol.time_limit_s, 0.0
        record: dict[str, Any] = {}
        while asking.is_open:
            fields = prompt_fields(self.match.game, asking.messages, protocol.text)
            key = ply, turn.seat, asking.answers + 1
            record = self.answered.get(key, {})
            # Another prompt has come to stand here where, say, an engine is of another version.
            if record.get("prompt_sha256") == fields["prompt_sha256"]:
                if record["kind"] != OVERTIME:
                    judge_again(asking, record, self.match.name)
            else:
                record = await self._answer(asking, ply, left_s)
                write(record)
                if record["kind"] != TRANSPORT:
                    self.answered[key] = record
            if record["kind"] == TRANSPORT:
                break
            seconds += protocol.thinking_s(record)
            if record["kind"] == OVERTIME:
                break
            if left_s is not None:
                left_s -= record["latency_s"] or 0.0
        return _Answered(asking, record, protocol.delay(self.match.game, self.match.rules, seconds))

    async def _answer(self, asking: text.Asking, ply: int, left_s: float | None) -> dict[str, Any]:
        """The record of one answer in a match, with the action that follows from it."""
        match, turn, protocol = self.match, asking.turn, self.protocol
        model = match.seats[turn.seat]
        assert isinstance(model, LanguageModel)
        question = Question(
            match.benchmark, match.name, match.game, match.rules, turn.states, match.seed,
            turn.seat, protocol.text, extra={"ply": ply},
        )  # fmt: skip
        limit_s = None if left_s is None else max(left_s, 0.001)
        record = await ask_model(model, question, asking, limit_s)
        if record["kind"] == text.OK and asking.is_open:  # over budget, and asked for again
            record["action"] = record["actions"] = None
        if record["kind"] in (text.OK, TRANSPORT):
            return record
        last = not asking.is_open or record["kind"] == OVERTIME
        if not last or protocol.invalid == FORFEIT:
            record["action"] = None
            return record
        view, rules, states = match.game.module("view"), match.rules, turn.states
        if protocol.invalid == DEFAULT:
            actions = view.default_actions(rules, states[0])
            record["action"] = actions[0] if actions else record["action"]
        elif protocol.invalid != RANDOM:
            for move in consequences(match.game)[protocol.invalid]:
                with suppress(ValueError):  # a word that means nothing here, as a check for a call
                    action = view.string_to_action(rules, states[0], move)
                    if is_legal(rules, states, action):
                        record["action"] = action
                        break
        if plan_kind(match.game) is not None or match.game.is_simultaneous:
            seed = item_seed(match.seed, match.name, str(ply), str(turn.seat))
            record["actions"] = text.stand_in(match.game, rules, turn, record["action"], seed)
        return record

    def _settle(self, found: _Answered) -> bool:
        """Play what came of a question; False if the seat forfeits."""
        game, record = self.game, found.record
        outcome = found.asking.outcome
        if record["kind"] == text.OK:
            assert outcome is not None
            game.accept(outcome, record["reply"], found.delay)
        elif self.protocol.invalid == FORFEIT:
            return False
        elif found.delay:
            game.wait([record["action"]], found.delay)
            game.play_waiting()
        else:
            game.refuse(game.seat, None if record["kind"] == OVERTIME else outcome)
            for action in record.get("actions") or [record["action"]]:
                game.play(action)
        return True

    def _tell(self) -> None:
        """Hand on what has been said since the last time."""
        said = self.game.transcript.messages
        for number, message in enumerate(said[self.told :], self.told):
            self.messages(
                {
                    "benchmark": self.match.benchmark,
                    "game": self.match.game.name,
                    "match": self.match.name,
                    "number": number,
                    **message.record(),
                }
            )
        self.told = len(said)


class _InOrder:
    """Writes what several bring at the same time as if they came one after the other."""

    def __init__(self, write: Write, count: int):
        self._write, self._first = write, 0
        self._kept: list[list[dict[str, Any]]] = [[] for _ in range(count)]
        self._ended = [False] * count

    def writer(self, k: int) -> Write:
        """Takes the records of number ``k``."""

        def write(record: dict[str, Any]) -> None:
            self._kept[k].append(record)
            self._flush()

        return write

    def end(self, k: int, _: Any = None) -> None:
        """Number ``k`` brings no more."""
        self._ended[k] = True
        self._flush()

    def _flush(self) -> None:
        while self._first < len(self._kept):
            for record in self._kept[self._first]:
                self._write(record)
            self._kept[self._first] = []
            if not self._ended[self._first]:
                return
            self._first += 1


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

    async def act(self, policy: Policy, view: Decision) -> tuple[int, tuple[Said, ...]]:
        """The policy's action and words, as ``Act`` wants it."""
        lock = self._locks[policy]
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._pool, self._act, policy, view, lock)

    def _act(
        self, policy: Policy, view: Decision, lock: threading.Lock
    ) -> tuple[int, tuple[Said, ...]]:
        own = self._own.__dict__.setdefault("policies", {})
        key = view.spec.name, policy.name
        if key not in own:
            own[key] = named_policy(view.spec, policy)
        if own[key] is not None:
            return decide(own[key], view)
        with lock:
            return decide(policy, view)

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
    messages: MessageLog | None = None,
) -> None:
    """Play matches with language models, ``concurrency`` at a time, and record all of it.

    A match that was cut short goes on from its recorded answers, also where a transport failure
    breaks it off now: up to ``replays`` times, each of which leaves a record.

    Args:
        threads: for the moves of other policies; default one a processor.
        done: is called with a match's last record.
        messages: takes what is said; by default the run's own file does.
    """
    wanted = {match.name for match in matches}
    answered: defaultdict[str, Answers] = defaultdict(dict)
    for record in read_jsonl(decisions, Shape(DecisionRecord)):
        if record["kind"] != TRANSPORT and record["item"] in wanted:
            key = record["ply"], record["seat"], record["attempt"]
            answered[record["item"]][key] = record
    writer = JsonlWriter(decisions)
    said = messages or MessageLog(decisions.parent, wanted)
    pool = PolicyPool(threads or os.cpu_count() or 1)

    async def play(match: SeatedMatch) -> None:
        own = answered.pop(match.name, {})
        for _ in range(1 + replays):
            record = await play_match(match, protocol, writer, own, pool.act, said.write)
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
        writer.close()
        if messages is None:
            said.close()
        for model in models.values():
            await model.chat.close()
