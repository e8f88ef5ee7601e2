"""Language models as policies.

As a policy string: ``llm:MODEL?base_url=http://127.0.0.1:8000/v1&temperature=0.7``.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import numpy as np

from stratagym.agents import chat_options
from stratagym.agents.answering import ANSWER, OPTIONS, Answering, Choice, best
from stratagym.agents.chat import (
    ChatModel,
    Messages,
    OpenAIChat,
    Overtime,
    TransportError,
    Unavailable,
)
from stratagym.agents.chat_clients import import_client
from stratagym.agents.chat_replies import Reply
from stratagym.agents.core import Decision, Policy, PolicyString
from stratagym.envs import core
from stratagym.envs import text as words
from stratagym.envs.constraints import legal_answers

FEW = 5
"""Equal failures in a row, of a kind that lasts, after which a model is not asked any more. A match
that is gone on with fails three times by itself, for what may be wrong with its prompt alone."""


class LanguageModel(Policy):
    """A language model as a policy.

    Runners ask ``chat`` themselves, many questions at a time, and count what goes wrong; ``act``
    is for code that knows only policies.

    Args:
        chat: the model. text: what the prompts of ``act`` hold.
        prices: of a million tokens in and out, for ``cost``; None where they are not known.
        price_cached: of a million tokens in that the server had in its cache; None for the price
            of all others.
        tries: how many answers ``act`` asks for before it gives up.
        answering: what its answers are held to, and whether it answers at all.
        name: by default ``llm:`` and the model's name, whatever its settings.

    Attributes:
        unchecked: whether ``check`` is to be called before the first question.
        notify: takes a line for each kind of thing that goes wrong, once; None tells nobody.
        waiting: when each request of a runner that is under way was made (``time.monotonic``).
        answered, retried: how many answers came to runners, and how many attempts were repeated.
    """

    def __init__(
        self,
        chat: ChatModel,
        text: words.TextOptions = words.TextOptions(),  # noqa: B008 - frozen
        tries: int = 3,
        name: str | None = None,
        prices: tuple[float, float] | None = None,
        price_cached: float | None = None,
        answering: Answering = Answering(),  # noqa: B008 - frozen
    ):
        if tries < 1:
            raise ValueError("tries: at least one answer is needed")
        price_in, price_out = prices or (None, None)
        chat_options.PRICE.read("price_in", price_in)
        chat_options.PRICE.read("price_out", price_out)
        chat_options.PRICE.read("price_cached", price_cached)
        self.chat, self.text, self.tries, self.prices = chat, text, tries, prices
        self.price_cached = price_cached
        self.name = name or f"llm:{chat.name}"
        self.unchecked = False
        self.answering = answering
        self.notify: Callable[[str], Any] | None = None
        self.waiting: dict[int, float] = {}
        self.answered = self.retried = self._requests = 0
        self._told: set[str] = set()
        if hasattr(chat, "on_retry"):
            chat.on_retry = self._on_retry
        self._failures: list[tuple[str, str]] = []

    def settings(self) -> dict[str, Any]:
        """What belongs in a record: the model, its endpoint and parameters; never a key."""
        return {**self.chat.settings(), **self.answering.settings()}

    def shown(self, states: np.ndarray) -> np.ndarray:
        """The position that the model is asked about in ``states``, (1,) records: they themselves.

        Another one is a first question, without what the game's prompts retell.
        """
        return states

    def cost(
        self, tokens_in: int | None, tokens_out: int | None, tokens_cached: int | None = None
    ) -> float | None:
        """What a reply cost; None where prices or counts are missing.

        Args:
            tokens_cached: how many of ``tokens_in`` have the price of cached ones, if there is one.
        """
        if self.prices is None or tokens_in is None:
            return None
        price_in, price_out = self.prices
        cost = tokens_in * price_in + (tokens_out or 0) * price_out
        if self.price_cached is not None:
            cost -= min(tokens_cached or 0, tokens_in) * (price_in - self.price_cached)
        return cost / 1e6

    async def check(self) -> None:
        """Have the endpoint checked by a tiny request, if it can be and was not yet.

        Raises:
            Unavailable: no question will be answered.
        """
        check = getattr(self.chat, "check", None)
        if self.unchecked and check is not None:
            try:
                await check()
            except TransportError as error:
                raise self._unavailable(error) from None
        self.unchecked = False

    async def ask(
        self,
        messages: Messages,
        limit_s: float | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> Reply:
        """The model's answer, as ``ChatModel.generate`` gives it, for runners.

        Args:
            fields: of this request, which hold the answer to a shape.

        Raises:
            TransportError, Overtime: as there. Unavailable: in the place of a transport failure,
                after ``FEW`` in a row that are ``lasting`` and of one kind.
        """
        # A model of one's own need not know what it is not asked for.
        more: dict[str, Any] = {} if limit_s is None else {"limit_s": limit_s}
        if fields:
            more["fields"] = fields
        with self._under_way():
            reply = await self.chat.generate(messages, **more)
        self.answered += 1
        return reply

    @contextmanager
    def _under_way(self) -> Iterator[None]:
        """Count a request while it is under way, and tell of its failure."""
        number = self._requests = self._requests + 1
        self.waiting[number] = time.monotonic()
        try:
            yield
            self._failures = []
        except TransportError as error:
            self.tell(f"failed: {error.reason}", f"no answer: {_words(error)}")
            # "HTTP 401", say; what follows may have a number that differs each time.
            kind = error.reason, error.message.partition(":")[0]
            if not error.lasting or kind not in self._failures:
                self._failures = []
            if error.lasting:
                self._failures.append(kind)
            if len(self._failures) >= FEW:
                raise self._unavailable(error) from None
            raise
        finally:
            del self.waiting[number]

    def tell(self, kind: str, line: str) -> None:
        """Say a line to whoever is told, the first time of its kind."""
        if self.notify is not None and kind not in self._told:
            self._told.add(kind)
            self.notify(f"{self.name}: {line}")

    def _on_retry(self, error: TransportError, wait_s: float) -> None:
        self.retried += 1
        self.tell(
            f"retried: {error.reason}",
            f"{_words(error)}; asked again in {wait_s:.1f} s, as after each such failure",
        )

    async def choose(
        self, messages: Messages, answers: Sequence[str], limit_s: float | None = None
    ) -> Choice:
        """The most probable of some answers, in the place of an answer of the model's own.

        Raises:
            TransportError, Overtime, Unavailable: as ``ask``.
        """
        chat: Any = self.chat
        left_s, scored, latency_s, tokens_in = limit_s, [], 0.0, None
        for text in answers:
            with self._under_way():
                one, reply = await chat.score(messages, text, left_s)
            scored.append(one)
            latency_s += reply.latency_s
            tokens_in = reply.tokens_in if tokens_in is None else tokens_in
            if limit_s is not None:
                left_s = limit_s - latency_s
                if left_s <= 0:
                    raise Overtime(latency_s)
        self.answered += 1
        told = best(tuple(scored), self.answering.decide)
        tokens = sum(one.tokens for one in scored)
        reply = Reply(told.text, "scored", tokens_in, tokens, latency_s, 0)
        return Choice(reply, tuple(scored))

    @property
    def is_failing(self) -> bool:
        """Whether the last answer to ``ask`` was a failure that may last."""
        return bool(self._failures)

    def _unavailable(self, error: TransportError) -> Unavailable:
        where = self.settings().get("base_url")
        at = f" at {where}" if where else ""
        return Unavailable(f"{self.name} cannot be asked{at}: {error.message or error.reason}")

    def act(self, decision: Decision) -> int:
        """The model's move; where an answer holds no legal one, it is quoted back and asked again.

        Of a plan of several moves it is the first. Blocks until the answer is there, in a running
        event loop too.

        Raises:
            ValueError: no legal move in ``tries`` answers.
            TransportError: no answer came.
        """
        action = self.answer(decision).action
        assert action is not None
        return action

    def answer(self, decision: Decision) -> words.Outcome:
        """What the model's answer comes to, with all moves of a plan; see ``act``."""
        self.text.check(decision.spec)
        return _run_apart(self._answer, decision)

    async def _reply(self, asking: words.Asking, fields: Mapping[str, Any]) -> Reply:
        if self.answering.decide == ANSWER:
            more: dict[str, Any] = {"fields": fields} if fields else {}
            return await self.chat.generate(asking.messages, **more)
        legal = legal_answers(asking.game, asking.rules, asking.turn.states, self.text)
        return (await self.choose(asking.messages, list(legal.values()))).reply

    async def _answer(self, decision: Decision) -> words.Outcome:
        states = self.shown(decision.states)
        asked = words.messages(decision.spec, decision.rules, states, self.text)
        turn = words.Turn(decision.seat, asked, states, decision.rules)
        asking = words.Asking(decision.spec, decision.rules, turn, self.tries, self.text)
        outcome: words.Outcome | None = None
        try:
            while asking.is_open:
                fields = self.answering.fields(decision.spec, decision.rules, states, self.text)
                outcome = asking.answer((await self._reply(asking, fields)).text)
        finally:
            await self.chat.close()
        assert outcome is not None
        if outcome.kind == words.OK and outcome.action is not None:
            return outcome
        found = f": {outcome.move}" if outcome.move is not None else ""
        raise ValueError(
            f"{self.name}: no legal move in {self.tries} answers; "
            f"the last is {outcome.kind} ({outcome.reason}){found}"
        )


def _words(error: TransportError) -> str:
    """What a failure is, in the server's words where there are any."""
    return f"{error.reason}: {error.message}" if error.message else error.reason


def _run_apart(function: Callable[..., Any], *arguments: Any) -> Any:
    """Run a coroutine function to its end in an event loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(function(*arguments))
    # A thread may have only one running loop.
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(lambda: asyncio.run(function(*arguments))).result()


def language_model_policy(spec: core.GameSpec, text: PolicyString) -> LanguageModel:
    """``llm:MODEL?base_url=...&temperature=0.7&...``: the options are ``OpenAIChat``'s arguments.

    Raises:
        ValueError: no model, an unknown option, a bad value or no key, in one line.
        ModuleNotFoundError: the client's package is missing.
    """
    allowed = ("base_url", "api_key_env", *chat_options.OPTIONS, *OPTIONS)
    try:
        # First of all: what a & in its text cuts off would be taken for an option.
        chat_options.read_extra_body(text.options.get("extra_body") or None)
    except ValueError as error:
        raise ValueError(f"policy llm:{text.argument}: {error}") from None
    for option, value in text.options.items():
        if option not in allowed:
            # Its value is not quoted: it may be a key.
            raise ValueError(
                f"policy llm:{text.argument}: unknown option {option!r}; "
                f"the options are: {', '.join(allowed)}"
            )
        if not value:
            raise ValueError(f"policy llm:{text.argument}: {option} has no value")
    options: dict[str, Any] = {k: v for k, v in text.options.items() if k not in OPTIONS}
    try:
        answering = Answering.of(spec, text.options, scores=False)
        chat = OpenAIChat(text.argument, **options)
    except ValueError as error:
        raise ValueError(f"policy llm:{text.argument}: {error}") from None
    import_client(chat.client)
    return LanguageModel(chat, answering=answering)
