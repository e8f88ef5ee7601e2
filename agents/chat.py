"""Language models behind a socket: chat messages in, a ``Reply`` out, failures named.

``OpenAIChat`` reaches every endpoint that speaks OpenAI's chat completions: hosted models, vLLM,
SGLang, Ollama and proxies; ``chat_clients`` carries its requests. ``ScriptedChat`` answers from a
list or a function.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol
from urllib.parse import parse_qsl, unquote, urlsplit

from stratagym.agents import chat_options
from stratagym.agents.answering import unwrapped
from stratagym.agents.chat_clients import (
    CLIENTS,
    BadBody,
    Broken,
    Client,
    HTTPAnswer,
    check_address,
)
from stratagym.agents.chat_options import NUMBERS, SAMPLING
from stratagym.agents.chat_replies import (
    ErrorBody,
    Reply,
    printable,
    read_completion,
    read_error,
    retry_after,
)
from stratagym.envs.echo import masked

Messages = list[dict[str, str]]

DEFAULT_URL = "https://api.openai.com/v1"
FIRST_BACK_OFF_S, LONGEST_BACK_OFF_S = 0.5, 30.0
SHORT_KEY = 8
"""Keys of fewer letters may be words that stand somewhere by chance."""
NO_KEY = "no-key"
"""Sent where no key is set: local servers need none, and some insist on a header."""
LASTING = (401, 402, 403, 404, 405)
"""HTTP statuses that say that no request will be answered: of the key, the account, the model's
name or the address."""
PREFLIGHT: Messages = [{"role": "user", "content": "Answer with the word yes."}]
PREFLIGHT_TOKENS, PREFLIGHT_S, PREFLIGHT_PAUSES_S = 16, 10.0, (0.5, 1.0)
LONGEST_MESSAGE = 5000
"""Characters of what a server says that are looked through for what may be shown of it."""


class TransportError(Exception):
    """No answer came, for a reason that says nothing of how well the model plays.

    Attributes:
        reason: ``rate_limit``, ``server_error``, ``connection``, ``timeout``, ``bad_response``
            (the body is not a chat completion) or ``rejected`` (the request was refused, and
            would be again).
        message: what the server or the network said, without keys.
        retries: how many times the request was repeated in vain.
        lasting: whether other requests will meet it too: key, model, address or account are wrong,
            or there is nobody to connect to.
    """

    def __init__(self, reason: str, message: str = "", retries: int = 0, lasting: bool = False):
        super().__init__(reason, message, retries, lasting)
        self.reason, self.message, self.retries = reason, message, retries
        self.lasting = lasting

    def __str__(self) -> str:
        said = f"{self.reason}: {self.message}" if self.message else self.reason
        return f"{said} (retries: {self.retries})"


class Unavailable(Exception):
    """A model that cannot be asked at all; the message is one line with the server's words."""


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
class Failure:
    """An attempt without an answer: whether and how soon to make another."""

    reason: str
    message: str
    again: bool = True
    wait_s: float | None = None
    lasting: bool = False


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
        client: what carries the requests, ``aiohttp`` or ``openai``, for the package.

    ``top_p`` to ``extra_body`` are neither sent nor recorded where they are None.

    Raises:
        ValueError: a bad value, or no key for OpenAI's own endpoint, in one line.
    """

    queues_apart = False
    """Whether a time limit leaves out how long a request waits for its turn."""

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
        client: str = next(iter(CLIENTS)),
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
        if client not in CLIENTS:
            raise ValueError(f"client: choose from {', '.join(CLIENTS)}")
        self.client = client
        self.on_retry: Callable[[TransportError, float], Any] | None = None
        """Told of every attempt that is repeated, and after how many seconds."""
        self.refused: set[str] = set()
        """Parameters that this model turned out not to take, of max_tokens and temperature."""
        self._set_address(base_url)
        # Connections belong to the event loop they were made in.
        self._clients: dict[asyncio.AbstractEventLoop, Client] = {}
        self._jitter = random.Random()
        key = self._key()
        if self.extra_body and len(key) >= SHORT_KEY and key in json.dumps(self.extra_body):
            raise ValueError(f"extra_body: it holds the key that {self.api_key_env} holds")
        self._fields = self._fixed_fields()

    def _set_address(self, base_url: str | None) -> None:
        self._own_url = (base_url or os.environ.get("OPENAI_BASE_URL", "")).strip()
        self._url = self._own_url or DEFAULT_URL
        self.base_url = public_url(self._url)

    def __repr__(self) -> str:
        return f"OpenAIChat({self.model!r}, base_url={self.base_url!r})"

    def __getstate__(self) -> dict[str, Any]:
        # A copy for another process makes its own connections, and gets no key.
        return {**self.__dict__, "_clients": {}, "on_retry": None}

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
        if self.client != next(iter(CLIENTS)):
            values["client"] = self.client
        return {name: value for name, value in values.items() if value is not None}

    async def generate(
        self,
        messages: Messages,
        limit_s: float | None = None,
        fields: Mapping[str, Any] = MappingProxyType({}),
    ) -> Reply:
        """The model's answer, after as many attempts as it takes and ``retries`` allows.

        Args:
            fields: of this request alone, such as what its answer is held to.
            limit_s: seconds one attempt may take before the model itself is held to be too slow;
                where ``timeout_s`` is shorter, that rules, and it is a transport failure.

        Raises:
            TransportError: no answer came. Overtime: none came within ``limit_s``.
            ModuleNotFoundError: the client's package is missing.
        """
        # Our own loop: the openai package, by its version, does not wait for a Retry-After beyond
        # 60 or 120 s but asks again too soon or gives up, and does not retry torn answers.
        retries = 0
        while True:
            result = await self._attempt(messages, limit_s, fields=fields)
            if isinstance(result, Reply):
                if fields:
                    result = replace(result, text=unwrapped(result.text, fields))
                return replace(result, retries=retries) if retries else result
            if result is _TOO_SLOW and limit_s is not None:
                raise Overtime(limit_s, retries)
            if result is not _REFUSED_PARAMETER:
                wait_s = result.wait_s or 0.0
                if not result.again or retries >= self.retries or wait_s > self.max_wait_s:
                    raise self._error(result, retries)
                back_off = min(FIRST_BACK_OFF_S * 2.0 ** min(retries, 60), LONGEST_BACK_OFF_S)
                # Jitter, or all that were turned away together would come back together.
                wait_s += back_off * self._jitter.uniform(0.5, 1.0)
                if self.on_retry is not None:
                    self.on_retry(self._error(result, retries), wait_s)
                await asyncio.sleep(wait_s)
                retries += 1

    async def check(self) -> None:
        """Ask for next to nothing, to see that key, model and address are right.

        It is over within ``PREFLIGHT_S`` and some. Whatever may pass with time, such as a busy
        server, is no reason to complain.

        Raises:
            TransportError: one that is ``lasting``.
        """
        for pause in (*PREFLIGHT_PAUSES_S, None):
            result = await self._attempt(PREFLIGHT, PREFLIGHT_S, PREFLIGHT_TOKENS)
            if isinstance(result, Reply) or not result.lasting:
                return
            if not result.again or pause is None:
                raise self._error(result, 0)
            await asyncio.sleep(pause)

    async def close(self) -> None:
        """Close the connections of the running event loop; the next request opens new ones."""
        client = self._clients.pop(asyncio.get_running_loop(), None)
        if client is not None:
            await client.close()

    async def _attempt(
        self,
        messages: Messages,
        limit_s: float | None,
        most_tokens: int | None = None,
        fields: Mapping[str, Any] = MappingProxyType({}),
    ) -> Reply | Failure:
        body = {**self._body(messages, most_tokens), **fields}
        timeout_s, limited = self.timeout_s, False
        if limit_s is not None and limit_s <= timeout_s:
            timeout_s, limited = limit_s, True
        begin = time.perf_counter()
        try:
            answer = await self._here().post(body, timeout_s)
        except asyncio.TimeoutError:
            if limited:
                return _TOO_SLOW
            return Failure("timeout", f"no whole answer within {self.timeout_s:g} s")
        except Broken as error:
            return Failure("connection", str(error), lasting=error.unreachable)
        except BadBody as error:
            return Failure("bad_response", str(error), again=error.again)
        latency_s = answer.latency_s or time.perf_counter() - begin
        if not 200 <= answer.status < 300:
            return self._status_failure(answer, body)
        try:
            return self._without_the_key(read_completion(answer.body, latency_s))
        except ValueError as error:
            return Failure("bad_response", str(error), wait_s=retry_after(answer.headers))

    def _body(self, messages: Messages, most_tokens: int | None = None) -> dict[str, Any]:
        """The request's fields; ``most_tokens`` may lower the longest answer."""
        body: dict[str, Any] = {"model": self.model, "messages": messages}
        tokens = self.max_tokens
        if most_tokens is not None:
            tokens = min(tokens or most_tokens, most_tokens)
        if tokens is not None:
            # OpenAI's reasoning models want the other name, most other servers know only this one.
            renamed = "max_tokens" in self.refused
            body["max_completion_tokens" if renamed else "max_tokens"] = tokens
        if self.temperature is not None and "temperature" not in self.refused:
            body["temperature"] = self.temperature
        body |= self._fields
        return body

    def _fixed_fields(self) -> dict[str, Any]:
        """The fields that every request has, those that OpenAI's interface does not have last."""
        given = self._given()
        fields = {k: given[k] for k in ("top_p", "seed", "reasoning_effort") if k in given}
        more: dict[str, Any] = {} if self.top_k is None else {"top_k": self.top_k}
        if self.thinking_budget is not None:
            more |= chat_options.thinking_fields(self.thinking_budget, self._url)
        return fields | chat_options.merged(more, self.extra_body or {})

    def _status_failure(self, answer: HTTPAnswer, body: Mapping[str, Any]) -> Failure:
        status, error = answer.status, read_error(answer.body)
        if status == 400:
            for parameter in ("max_tokens", "temperature"):
                if parameter in body and _refuses(error, parameter):
                    if parameter == "temperature" and parameter not in self.refused:
                        warnings.warn(
                            f"{self.model} takes no temperature; asking without", stacklevel=2
                        )
                    self.refused.add(parameter)
                    return _REFUSED_PARAMETER
        message = f"HTTP {status}: {error.message or 'no word more'}"
        if status == 404 and not re.search(r"/v\d+/?$", urlsplit(self._url).path):
            message += " (a base_url usually ends in /v1)"
        if status == 401 and self._key() == NO_KEY:
            message += f" (no key is set in {self.api_key_env})"
        if status == 408:
            reason = "timeout"
        elif status == 429:
            reason = "rate_limit"
            if error.code == "insufficient_quota":  # OpenAI's word for an account without money
                return Failure(reason, message, again=False, lasting=True)
        elif status == 409 or status >= 500:
            reason = "server_error"
        else:
            return Failure("rejected", message, again=False, lasting=status in LASTING)
        return Failure(reason, message, wait_s=retry_after(answer.headers))

    def _error(self, failure: Failure, retries: int) -> TransportError:
        message = self._without_keys(failure.message)
        return TransportError(failure.reason, message, retries, failure.lasting)

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

    def _here(self) -> Client:
        """The client of the running event loop."""
        loop = asyncio.get_running_loop()
        if loop not in self._clients:
            for other in list(self._clients):
                if other.is_closed() and (left := self._clients.pop(other, None)) is not None:
                    left.abandon()
            try:
                self._clients[loop] = CLIENTS[self.client](self._url, self._key())
            except (Broken, ModuleNotFoundError):
                raise
            except Exception as error:  # whatever the environment holds: proxies, certificates
                said = f"{self.client} cannot be used: {type(error).__name__}: {masked(str(error))}"
                raise Broken(said, unreachable=True) from None
        return self._clients[loop]

    def _without_the_key(self, reply: Reply) -> Reply:
        """A reply that can be recorded, whatever of the request a server sends back."""
        key = self._key()
        if key == NO_KEY or len(key) < SHORT_KEY:
            return reply

        def hidden(text: str) -> str:
            return text.replace(key, "[key]")

        stopped = None if reply.finish_reason is None else hidden(reply.finish_reason)
        return replace(
            reply, text=hidden(reply.text), reasoning=hidden(reply.reasoning), finish_reason=stopped
        )

    def _without_keys(self, message: str) -> str:
        """A message in one line of at most 300 characters, without anything secret."""
        url = urlsplit(self._url)
        secrets = [
            secret
            for secret in (
                *(word for client in self._clients.values() for word in client.secrets),
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

        message = message[:LONGEST_MESSAGE]
        for secret in secrets:
            message = message.replace(secret, "[key]")
        message = re.sub(
            r"[^\s\"'<>,;()\[\]{}]+",
            lambda match: "[key]" if shows(match[0]) else match[0],
            message,
        )
        message = " ".join(printable(message).split())
        return message if len(message) <= 300 else message[:297] + "..."


_REFUSED_PARAMETER = Failure("rejected", "")
_TOO_SLOW = Failure("overtime", "")


def public_url(url: str) -> str:
    """An endpoint's address without user, password, query and fragment."""
    try:
        parts = check_address(url, ("http", "https"))
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}"
    except ValueError:
        pass
    # Not quoted: it may hold a password.
    raise ValueError("base_url: an http:// or https:// address is needed, up to and with /v1")


def _refuses(error: ErrorBody, parameter: str) -> bool:
    """Whether HTTP 400 came for a parameter as such, rather than for its value."""
    unsupported = error.code.startswith("unsupported") or re.search(
        r"unsupported|not support|deprecated", error.message, re.IGNORECASE
    )
    if parameter == "max_tokens" and "max_completion_tokens" in error.message:
        return True
    named = error.param == parameter if error.param else parameter in error.message
    return bool(unsupported and named)


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
