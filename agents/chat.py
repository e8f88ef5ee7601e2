"""Language models behind a socket: chat messages in, a ``Reply`` out, failures named.

``OpenAIChat`` reaches every endpoint that speaks OpenAI's chat completions: hosted models, vLLM,
SGLang, Ollama and proxies. ``ScriptedChat`` answers from a list or a function.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import random
import re
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from stratagym.agents import chat_options
from stratagym.agents.chat_options import NUMBERS, SAMPLING
from stratagym.agents.chat_replies import Reply, printable, read_completion

Messages = list[dict[str, str]]

DEFAULT_URL = "https://api.openai.com/v1"
FIRST_BACK_OFF_S, LONGEST_BACK_OFF_S = 0.5, 30.0
NO_KEY = "no-key"
"""Sent where no key is set: local servers need none, but the client insists on a header."""


class TransportError(Exception):
    """No answer came, for a reason that says nothing of how well the model plays.

    Attributes:
        reason: ``rate_limit``, ``server_error``, ``connection``, ``timeout``, ``bad_response``
            (the body is not a chat completion) or ``rejected`` (the request was refused, and
            would be again).
        message: what the server or the network said, without keys.
        retries: how many times the request was repeated in vain.
    """

    def __init__(self, reason: str, message: str = "", retries: int = 0):
        super().__init__(reason, message, retries)
        self.reason, self.message, self.retries = reason, message, retries

    def __str__(self) -> str:
        said = f"{self.reason}: {self.message}" if self.message else self.reason
        return f"{said} (retries: {self.retries})"


class Overtime(Exception):
    """The model took longer over an answer than it was given.

    Attributes:
        latency_s: how long it was waited for, in seconds. retries: failed attempts before.
    """

    def __init__(self, latency_s: float, retries: int = 0):
        super().__init__(latency_s, retries)
        self.latency_s, self.retries = latency_s, retries


class ChatModel(Protocol):
    """Whatever answers chat messages, ``{"role": ..., "content": ...}`` each."""

    name: str

    async def generate(self, messages: Messages, limit_s: float | None = None) -> Reply:
        """The model's answer.

        Args:
            limit_s: seconds the model may take, failed attempts and waits apart; None for no limit.

        Raises:
            TransportError: no answer came. Overtime: none came within ``limit_s``.
        """

    async def close(self) -> None:
        """Let go of the connections of the running event loop."""

    def settings(self) -> dict[str, Any]:
        """What a record must hold to tell this model from another; JSON, never a key."""


@dataclass(frozen=True)
class _Failure:
    """An attempt without an answer: whether and how soon to make another."""

    reason: str
    message: str
    again: bool = True
    wait_s: float | None = None


class OpenAIChat:
    """A model behind OpenAI's chat completions interface.

    Transport failures are tried again, with waits that double and as long as the server asks for:
    HTTP 408, 409, 429 and 5xx, dropped connections, time-outs, and bodies that are not a chat
    completion. An answer is never tried again, be it empty or truncated.

    Args:
        model: the model's name at the endpoint.
        base_url: the endpoint, up to and with ``/v1``; by default ``OPENAI_BASE_URL`` from the
            environment, else OpenAI's.
        api_key_env: the environment variable that holds the key. It is read when it is needed and
            kept nowhere here. An endpoint of one's own works without.
        temperature: 0 to 2; None leaves it to the server.
        max_tokens: the longest answer; None leaves it to the server.
        timeout_s: the time in seconds in which a whole answer must have come, per attempt.
        retries: how many times a failed request is repeated.
        max_wait_s: the longest ``Retry-After`` in seconds to sit out; one beyond ends the request.
        top_p: 0 to 1. top_k: 1 or more; 0 and -1 are no limit at most servers.
        seed: of the server's sampling, where it knows one.
        reasoning_effort: one of ``chat_options.EFFORTS``.
        thinking_budget: the most tokens of reasoning, under the name that the endpoint has for it;
            see ``chat_options.thinking_fields``.
        extra_body: other fields of the request, as a mapping or JSON text; they are sent in the
            place of ``top_k`` and what the thinking budget makes, where both are named.

    The last six are neither sent nor recorded where they are None.

    Raises:
        ValueError: a bad value, or no key for OpenAI's own endpoint, in one line.
    """

    def __init__(
        self,
        model: str,
        base_url: str | None = None,
        api_key_env: str = "OPENAI_API_KEY",
        temperature: float | None = 0.0,
        max_tokens: int | None = 512,
        timeout_s: float = 60.0,
        retries: int = 5,
        max_wait_s: float = 300.0,
        *,
        top_p: float | None = None,
        top_k: int | None = None,
        seed: int | None = None,
        reasoning_effort: str | None = None,
        thinking_budget: int | None = None,
        extra_body: str | Mapping[str, Any] | None = None,
    ):
        if not model:
            raise ValueError("a language model needs a name: llm:MODEL")
        # No message quotes the value: it may be a key in the wrong place.
        if not re.fullmatch(r"[A-Za-z_]\w*", api_key_env, re.ASCII):
            raise ValueError(
                "api_key_env: the name of an environment variable is needed, never a key itself"
            )
        self.name = self.model = model
        self.api_key_env = api_key_env
        self.temperature = NUMBERS["temperature"].read("temperature", temperature)
        self.max_tokens = NUMBERS["max_tokens"].read("max_tokens", max_tokens)
        self.timeout_s = NUMBERS["timeout_s"].read("timeout_s", timeout_s)
        self.retries = NUMBERS["retries"].read("retries", retries)
        self.max_wait_s = NUMBERS["max_wait_s"].read("max_wait_s", max_wait_s)
        self.top_p = SAMPLING["top_p"].read("top_p", top_p)
        self.top_k = SAMPLING["top_k"].read("top_k", top_k)
        self.seed = SAMPLING["seed"].read("seed", seed)
        self.reasoning_effort = chat_options.read_effort(reasoning_effort)
        self.thinking_budget = SAMPLING["thinking_budget"].read("thinking_budget", thinking_budget)
        self.extra_body = chat_options.read_extra_body(extra_body)
        self.refused: set[str] = set()
        """Parameters that this model turned out not to take, of max_tokens and temperature."""
        self._own_url = (base_url or os.environ.get("OPENAI_BASE_URL", "")).strip()
        self._url = self._own_url or DEFAULT_URL
        self.base_url = _public_url(self._url)
        # Connections belong to the event loop they were made in.
        self._clients: dict[asyncio.AbstractEventLoop, Any] = {}
        self._jitter = random.Random()
        key = self._key()
        if self.extra_body and len(key) >= 8 and key in json.dumps(self.extra_body):
            raise ValueError(f"extra_body: it holds the key that {self.api_key_env} holds")
        self._extra_fields()

    def __repr__(self) -> str:
        return f"OpenAIChat({self.model!r}, base_url={self.base_url!r})"

    def __getstate__(self) -> dict[str, Any]:
        # A copy for another process makes its own connections, and gets no key.
        return {**self.__dict__, "_clients": {}}

    def settings(self) -> dict[str, Any]:
        """Model, endpoint and parameters, without key, password or query."""
        return {
            "model": self.model,
            "base_url": self.base_url,
            "temperature": self.temperature,
            "max_tokens": self.max_tokens,
            "timeout_s": self.timeout_s,
            "retries": self.retries,
            "max_wait_s": self.max_wait_s,
            **self._given(),
        }

    def _given(self) -> dict[str, Any]:
        names = ("top_p", "top_k", "seed", "reasoning_effort", "thinking_budget", "extra_body")
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value is not None}

    async def generate(self, messages: Messages, limit_s: float | None = None) -> Reply:
        """The model's answer, after as many attempts as it takes and ``retries`` allows.

        Args:
            limit_s: seconds one attempt may take before the model itself is held to be too slow;
                where ``timeout_s`` is shorter, that rules, and it is a transport failure.

        Raises:
            TransportError: no answer came. Overtime: none came within ``limit_s``.
            ModuleNotFoundError: the openai package is missing.
        """
        # Our own loop: the openai package, by its version, does not wait for a Retry-After beyond
        # 60 or 120 s but asks again too soon or gives up, and does not retry torn answers.
        retries = 0
        while True:
            result = await self._attempt(messages, limit_s)
            if isinstance(result, Reply):
                return replace(result, retries=retries)
            if result is _TOO_SLOW and limit_s is not None:
                raise Overtime(limit_s, retries)
            if result is not _REFUSED_PARAMETER:
                wait_s = result.wait_s or 0.0
                if not result.again or retries >= self.retries or wait_s > self.max_wait_s:
                    raise TransportError(result.reason, self._without_keys(result.message), retries)
                back_off = min(FIRST_BACK_OFF_S * 2.0 ** min(retries, 60), LONGEST_BACK_OFF_S)
                # Jitter, or all that were turned away together would come back together.
                await asyncio.sleep(wait_s + back_off * self._jitter.uniform(0.5, 1.0))
                retries += 1

    async def close(self) -> None:
        """Close the connections of the running event loop; the next request opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _attempt(self, messages: Messages, limit_s: float | None) -> Reply | _Failure:
        openai = import_openai()
        ask = self._client(openai).chat.completions.with_raw_response.create
        parameters = self._parameters()
        limited = limit_s is not None and limit_s <= self.timeout_s
        begin = time.perf_counter()
        try:
            # The client's own time-out is for each read, which a trickle of bytes never exceeds.
            response = await asyncio.wait_for(
                ask(model=self.model, messages=messages, **parameters),
                limit_s if limited else self.timeout_s,
            )
        except (asyncio.TimeoutError, openai.APITimeoutError):
            if limited:
                return _TOO_SLOW
            return _Failure("timeout", f"no whole answer within {self.timeout_s:g} s")
        except openai.APIStatusError as error:
            return self._status_failure(error, parameters)
        except (openai.APIConnectionError, OSError) as error:
            cause = error.__cause__ or error
            return _Failure("connection", f"{type(cause).__name__}: {cause}")
        latency_s = time.perf_counter() - begin
        try:
            return read_completion(response.content, latency_s)
        except ValueError as error:
            return _Failure("bad_response", str(error), wait_s=_retry_after(response.headers))

    def _parameters(self) -> dict[str, Any]:
        parameters: dict[str, Any] = {}
        if self.max_tokens is not None:
            # OpenAI's reasoning models want the other name, most other servers know only this one.
            renamed = "max_tokens" in self.refused
            parameters["max_completion_tokens" if renamed else "max_tokens"] = self.max_tokens
        if self.temperature is not None and "temperature" not in self.refused:
            parameters["temperature"] = self.temperature
        for name in ("top_p", "seed", "reasoning_effort"):
            if name in (given := self._given()):
                parameters[name] = given[name]
        if extra := self._extra_fields():
            parameters["extra_body"] = extra
        return parameters

    def _extra_fields(self) -> dict[str, Any]:
        """Fields that OpenAI's interface does not have."""
        fields: dict[str, Any] = {} if self.top_k is None else {"top_k": self.top_k}
        if self.thinking_budget is not None:
            fields |= chat_options.thinking_fields(self.thinking_budget, self._url)
        return chat_options.merged(fields, self.extra_body or {})

    def _status_failure(self, error: Any, parameters: dict[str, Any]) -> _Failure:
        status = error.status_code
        if status == 400:
            for parameter in ("max_tokens", "temperature"):
                if parameter in parameters and _refuses(error, parameter):
                    if parameter == "temperature" and parameter not in self.refused:
                        warnings.warn(
                            f"{self.model} takes no temperature; asking without", stacklevel=2
                        )
                    self.refused.add(parameter)
                    return _REFUSED_PARAMETER
        said = error.body.get("message") if isinstance(error.body, dict) else None
        message = f"HTTP {status}: {said or error.body or error.message}"
        if status == 404 and not re.search(r"/v\d+/?$", urlsplit(self._url).path):
            message += " (a base_url usually ends in /v1)"
        if status == 401 and self._key() == NO_KEY:
            message += f" (no key is set in {self.api_key_env})"
        if status == 408:
            reason = "timeout"
        elif status == 429:
            reason = "rate_limit"
        elif status == 409 or status >= 500:
            reason = "server_error"
        else:
            return _Failure("rejected", message, again=False)
        return _Failure(reason, message, wait_s=_retry_after(error.response.headers))

    def _key(self) -> str:
        key = os.environ.get(self.api_key_env, "").strip()
        if not key and not self._own_url:
            raise ValueError(
                f"{self.model}: set the environment variable {self.api_key_env} to the API key, "
                "or name a base_url that needs none"
            )
        if not re.fullmatch(r"[!-~]*", key):
            raise ValueError(f"{self.api_key_env}: the key holds characters that no key can have")
        return key or NO_KEY

    def _client(self, openai: Any) -> Any:
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            for other in list(self._clients):
                if other.is_closed():
                    self._clients.pop(other, None)
            url = urlsplit(self._url)
            self._clients[loop] = openai.AsyncOpenAI(
                api_key=self._key(),
                base_url=url._replace(query="", fragment="").geturl(),
                default_query=dict(parse_qsl(url.query)) or None,
                timeout=self.timeout_s,
                max_retries=0,
                # Unlike the client's own one, this closes nothing when it is collected, where its
                # event loop may be gone.
                http_client=openai.DefaultAsyncHttpxClient(timeout=self.timeout_s),
            )
        return self._clients[loop]

    def _without_keys(self, message: str) -> str:
        """A message in one line of at most 300 characters, without anything secret."""
        url = urlsplit(self._url)
        secrets = [
            secret
            for secret in (
                *(client.api_key for client in self._clients.values()),
                url.password or "",
                unquote(url.password or ""),
                *(value for _, value in parse_qsl(url.query)),
            )
            if len(secret) >= 4 and secret != NO_KEY
        ]

        def shows(word: str) -> bool:
            # Servers quote keys in part too: starred out, or the first letters.
            return (
                "***" in word
                or re.match(r"sk-\w", word) is not None
                or any(
                    secret[i : i + 8] in word
                    for secret in secrets
                    for i in range(max(1, len(secret) - 7))
                )
            )

        for secret in secrets:
            message = message.replace(secret, "[key]")
        message = re.sub(
            r"[^\s\"'<>,;()\[\]{}]+",
            lambda match: "[key]" if shows(match[0]) else match[0],
            message,
        )
        message = " ".join(printable(message).split())
        return message if len(message) <= 300 else message[:297] + "..."


_REFUSED_PARAMETER = _Failure("rejected", "")
_TOO_SLOW = _Failure("overtime", "")


def import_openai() -> Any:
    try:
        import openai
    except ModuleNotFoundError as error:
        if error.name != "openai":
            raise
        raise ModuleNotFoundError(
            'language models need the openai package: pip install "stratagym[llm]"', name="openai"
        ) from None
    return openai


def _public_url(url: str) -> str:
    """An endpoint's address without user, password, query and fragment."""
    try:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https") and parts.hostname:
            host = parts.netloc.rpartition("@")[2]
            parts.port  # noqa: B018 - raises ValueError if it is none
            return f"{parts.scheme}://{host}{parts.path}"
    except ValueError:
        pass
    # Not quoted: it may hold a password.
    raise ValueError("base_url: an http:// or https:// address is needed, up to and with /v1")


def _refuses(error: Any, parameter: str) -> bool:
    """Whether HTTP 400 came for a parameter as such, rather than for its value."""
    said, code = str(error.message), str(error.code or "")
    unsupported = code.startswith("unsupported") or re.search(
        r"unsupported|not support|deprecated", said, re.IGNORECASE
    )
    if parameter == "max_tokens" and "max_completion_tokens" in said:
        return True
    named = error.param == parameter if error.param else parameter in said
    return bool(unsupported and named)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds a server asks to wait, 0 or more; None if it does not say."""
    for header, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers[header]) * unit
        except (KeyError, ValueError):
            continue
        if not math.isnan(seconds):
            return max(0.0, seconds)
    try:
        until = parsedate_to_datetime(headers["retry-after"]).timestamp()
    except (KeyError, TypeError, ValueError, OverflowError):
        return None
    try:
        # Reckoned by the server's clock, which may not agree with this machine's.
        now = parsedate_to_datetime(headers["date"]).timestamp()
    except (KeyError, TypeError, ValueError, OverflowError):
        now = time.time()
    return max(0.0, until - now)


Scripted = str | Reply | Exception
"""What a script may say: a text, a whole reply, or an exception to raise."""


class ScriptedChat:
    """A model that says what it is told to, for tests and examples.

    >>> chat = ScriptedChat(["2 | nearest to home", TransportError("timeout")])

    Args:
        script: the answers in order, or a function from messages to an answer.
        delay_s: how long each answer takes, in seconds.

    Attributes:
        asked: the messages of every call so far.
    """

    def __init__(
        self,
        script: Sequence[Scripted] | Callable[[Messages], Scripted],
        delay_s: float = 0.0,
        name: str = "scripted",
    ):
        self.name, self.delay_s = name, delay_s
        self.asked: list[Messages] = []
        self._script = script

    def settings(self) -> dict[str, Any]:
        """The script's name: what it says cannot be recorded."""
        return {"model": self.name}

    async def generate(self, messages: Messages, limit_s: float | None = None) -> Reply:
        """The script's next answer.

        Raises:
            IndexError: a list has run out. Overtime: ``delay_s`` is more than ``limit_s``.
        """
        call = len(self.asked)
        self.asked.append(messages)
        begin = time.perf_counter()
        if limit_s is not None and self.delay_s > limit_s:
            await asyncio.sleep(limit_s)
            raise Overtime(limit_s)
        if self.delay_s:
            await asyncio.sleep(self.delay_s)
        if callable(self._script):
            said: Scripted = self._script(messages)
        elif call < len(self._script):
            said = self._script[call]
        else:
            raise IndexError(f"the script holds {len(self._script)} answers, and no more")
        if isinstance(said, Exception):
            raise said
        if isinstance(said, Reply):
            return said
        return Reply(printable(said), "stop", None, None, time.perf_counter() - begin, 0)

    async def close(self) -> None:
        """Nothing to do."""
