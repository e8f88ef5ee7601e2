"""Asks policies for single decisions, and their records."""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from stratagym.agents.answering import ANSWER, Answering, recorded
from stratagym.agents.chat import Overtime, TransportError
from stratagym.agents.chat_replies import Reply
from stratagym.agents.kernel_policies import KernelPolicy
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.errors import InputError
from stratagym.benchmarks.harness.records import JsonlWriter, read_decisions
from stratagym.benchmarks.harness.watching import watching
from stratagym.envs import text
from stratagym.envs.constraints import legal_answers
from stratagym.envs.core import GameSpec
from stratagym.envs.plans import plan_kind, takes_talk
from stratagym.envs.prompts import prompt_version, reader_field
from stratagym.envs.text import Asking, Inquiry

TRANSPORT, OVERTIME = "transport", "overtime"
TOKENS_APART = ("tokens_reasoning", "tokens_cached")
"""Counts that a record has only if the server sent them."""


def item_seed(seed: int, *names: str) -> int:
    """A 64-bit seed for one piece of work, from the run's seed and the name of the work."""
    digest = hashlib.sha256("\0".join([str(seed), *names]).encode()).digest()
    return int.from_bytes(digest[:8], "big")


@dataclass(frozen=True)
class Question:
    """One isolated question, and a name for its records.

    It asks for a move in a position, to which the prompt may add ``history``; or it is an
    ``inquiry``, which has its own prompt and judge and need have neither seat nor position.

    Attributes:
        item: unique in a run, but for policies and personas that are asked the same.
        rules, states: the position, (1,) record; None where there is none.
        seat: who is asked; None where it is nobody in the game.
        extra: other fields of its records. Of an inquiry ``about`` names the match whose position
            before decision ``ply`` it is about, beside which replays show it.
    """

    benchmark: str
    item: str
    game: GameSpec
    rules: Any
    states: np.ndarray | None
    seed: int
    seat: int | None
    text: text.TextOptions = field(default_factory=text.TextOptions)
    history: str = ""
    extra: dict[str, Any] = field(default_factory=dict)
    inquiry: Inquiry | None = None

    @property
    def position(self) -> np.ndarray:
        """The position that a move is asked for in. Raises ``ValueError`` where there is none."""
        if self.states is None:
            raise ValueError(f"{self.item}: a move is asked for in no position")
        return self.states

    def asking(self, tries: int = 1) -> Asking:
        """The question as one that takes up to ``tries`` answers."""
        seat = -1 if self.seat is None else self.seat
        if self.inquiry is None:
            asked = text.messages(self.game, self.rules, self.position, self.text, self.history)
            turn = text.Turn(seat, asked, self.position, self.rules)
        else:
            states = np.empty(0) if self.states is None else self.states
            asked, judge = self.inquiry.messages, self.inquiry.judge
            turn = text.Turn(seat, asked, states, self.rules, judge)
        return text.Asking(self.game, self.rules, turn, tries, self.text)

    def prompt_fields(self, messages: list[dict[str, str]]) -> dict[str, Any]:
        """The fields of a record that hold a prompt."""
        fields = prompt_fields(self.game, messages, self.text)
        return fields if self.inquiry is None else fields | {"prompt_version": self.inquiry.version}

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
        if self.inquiry is not None:
            fields["facts"] = {}
        fields |= answer
        legal = fields["legal"]
        if legal is not None and len(legal) > MOST_LEGAL:
            fields |= {"legal": None, "legal_count": len(legal)}
        for name in TOKENS_APART:
            if fields.get(name, 0) is None:
                del fields[name]
        return fields


MOST_LEGAL = 1000
"""With more legal actions, a record holds their number (``legal_count``) instead of a list."""

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
        **reader_field(options),
    }


def ask_kernel(policy: KernelPolicy, questions: list[Question]) -> list[dict[str, Any]]:
    """Records of a numba policy's decisions, in the order of the questions.

    Raises:
        ValueError: a question that is no move: only language models answer such.
    """
    groups: dict[Any, list[int]] = {}
    for k, question in enumerate(questions):
        if question.inquiry is not None:
            raise ValueError(f"{question.item}: {policy.name} answers no question but for a move")
        groups.setdefault(question.rules, []).append(k)
    records: list[dict[str, Any]] = [{}] * len(questions)
    for rules, members in groups.items():
        states = np.concatenate([questions[k].position for k in members])
        seeds = np.array(
            [item_seed(questions[k].seed, questions[k].item, policy.name) for k in members],
            np.uint64,
        )
        for k, action in zip(members, policy.act_each(rules, states, seeds).tolist(), strict=True):
            legal = text.legal_list(rules, questions[k].position)
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
    """The record of a language model's next answer, which may be a failure of the server.

    The ``action`` of an invalid reply, or of one that did not come in time, is a random legal one,
    drawn from the question's seed; of an inquiry there is none.

    Args:
        asking: takes the answer; by default the question is asked once.
        limit_s: the time in seconds that the model may take, failed attempts and waits apart.

    Raises:
        Unavailable: the model cannot be asked at all, as ``LanguageModel.ask`` finds out.
    """
    game, asking = question.game, asking or question.asking()
    legal = asking.turn.legal if question.inquiry is None else None
    answer: dict[str, Any] = {
        "attempt": asking.answers + 1,
        "legal": legal,
        **question.prompt_fields(asking.messages),
    }

    def instead() -> int | None:
        """The action of an invalid answer."""
        if legal is None:
            return None
        names = [str(question.extra.get("ply", 0)), model.name, question.text.persona]
        if game.is_simultaneous:
            names.append(str(question.seat))  # of several that are asked at one ply
        return random.Random(item_seed(question.seed, question.item, *names)).choice(legal)

    try:
        reply, more = await _reply(model, question, asking, limit_s)
        answer |= more
    except TransportError as error:
        answer |= {"kind": TRANSPORT, "reason": error.reason, "retries": error.retries}
        answer |= {"failure": error.message} if error.message else {}
        return question.record(model.name, **answer)
    except Overtime as error:
        if not getattr(model.chat, "queues_apart", False):
            model.tell(
                OVERTIME,
                f"an answer took more than its {error.latency_s:.0f} s, with "
                f"{len(model.waiting) + 1} requests in flight; --concurrency should be what the "
                "server answers side by side",
            )
        answer |= {"kind": OVERTIME, "reason": "time_limit", "action": instead()}
        answer |= {"latency_s": round(error.latency_s, 4), "retries": error.retries}
        return question.record(model.name, **answer)
    outcome = asking.answer(reply.text)
    action = outcome.action if outcome.kind == text.OK else instead()
    truncated = outcome.kind == text.UNPARSEABLE and reply.truncated
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
    if question.inquiry is not None:
        return record | {"facts": dict(outcome.facts)}
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


async def _reply(
    model: LanguageModel, question: Question, asking: text.Asking, limit_s: float | None
) -> tuple[Reply, dict[str, Any]]:
    """A model's answer, and the fields of a record that say how it was come to."""
    if question.inquiry is not None or model.answering == Answering():
        return await model.ask(asking.messages, limit_s), {}
    asked = question.game, question.rules, asking.turn.states, question.text
    try:
        if model.answering.decide != ANSWER:
            legal = legal_answers(*asked)
            choice = await model.choose(asking.messages, list(legal.values()), limit_s)
            scores = [
                [action, round(one.log_probability, 4), one.tokens]
                for action, one in zip(legal, choice.scored, strict=True)
            ]
            return choice.reply, {"scores": scores}
        sent = model.answering.fields(*asked)
    except ValueError as error:
        raise InputError(f"{model.name}: {error}") from None
    return await model.ask(asking.messages, limit_s, sent), {"held_to": recorded(sent)}


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


Answered = Mapping[tuple[str, str, str], list[Any]]
"""Recorded answers by policy, persona and item; the oldest come first."""


def read_answered(folder: Path) -> Answered:
    """The answers that the run to be resumed has recorded. Raises ``InputError``."""
    found: defaultdict[tuple[str, str, str], list[Any]] = defaultdict(list)
    for record in read_decisions(folder):
        found[record["policy"], record["persona"], record["item"]].append(record)
    return dict(found)


def _left(
    model: LanguageModel,
    questions: Iterable[Question],
    tries: int,
    answered: Answered,
    retry_transport: bool,
) -> Iterator[tuple[Question, text.Asking | None]]:
    """The questions that need an answer; recorded answers have been applied to them."""
    for question in questions:
        records = answered.get((model.name, question.text.persona, question.item))
        if not records:
            yield question, None
            continue
        asking, ended = question.asking(tries), False
        for record in records:
            if record["kind"] in (TRANSPORT, OVERTIME):
                ended = record["kind"] == OVERTIME or not retry_transport
                continue
            fields = question.prompt_fields(asking.messages)
            if record["prompt_sha256"] != fields["prompt_sha256"]:
                break  # another prompt has come to stand here
            judge_again(asking, record, question.item)
        if asking.is_open and not ended:
            yield question, asking


def judge_again(asking: text.Asking, record: Mapping[str, Any], item: str) -> None:
    """Read a recorded reply as it was read when it was recorded.

    Raises:
        InputError: it is read as something else.
    """
    said = record["reply"]
    outcome = None if said is None else asking.answer(said)
    fits = outcome is not None and (outcome.kind, outcome.action) == (
        record["kind"], record["chosen"],
    )  # fmt: skip
    if fits and outcome is not None and asking.turn.judge is not None:
        fits = dict(outcome.facts) == record.get("facts")
    if not fits:
        read = "no reply" if outcome is None else outcome.kind
        raise InputError(
            f"decisions.jsonl: {item}, ply {record['ply']}, attempt {record['attempt']} is "
            f"recorded as {record['kind']} and read as {read} here: another version wrote it, or "
            "it was changed; start a new run"
        )


async def ask_all(
    model: LanguageModel,
    questions: Iterable[Question],
    writer: JsonlWriter,
    *,
    concurrency: int,
    done: Callable[[], Any] = lambda: None,
    tries: int = 1,
    answered: Answered | None = None,
    retry_transport: bool = False,
) -> None:
    """Ask every question, ``concurrency`` at a time, and record each answer when it comes.

    Args:
        done: is called after each question that is asked.
        tries: answers to a question; a bad one is quoted back.
        answered: recorded answers, which are not asked for again.
        retry_transport: whether a question is asked again where no answer came.

    Raises:
        InputError: a recorded answer is not what it is recorded as.
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

    async def ask(question: Question, asking: text.Asking) -> str:
        record = await ask_model(model, question, asking)
        held.append(record)
        if not model.is_failing:
            is_first = not due
            due.extend(held)
            held.clear()
            if is_first:
                await asyncio.sleep(0)  # what came at the same time is written at once
            if is_first or len(due) >= concurrency:
                write()
        return record["kind"]

    async def ask_out(left: tuple[Question, text.Asking | None]) -> None:
        # Made when its time has come: the prompts of thousands of questions take theirs.
        question, asking = left[0], left[1] or left[0].asking(tries)
        while asking.is_open:
            if await ask(question, asking) in (TRANSPORT, OVERTIME):
                break
        done()

    try:
        left = list(_left(model, questions, tries, answered or {}, retry_transport))
        if left:
            await check_models([model])
        async with watching([model]):
            await side_by_side(ask_out, left, concurrency)
        due.extend(held)
    finally:
        try:
            write()
        finally:
            await model.chat.close()
