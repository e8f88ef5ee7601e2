"""What servers send: a chat completion, read into a ``Reply``; errors; how long to wait."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple

LOOP = "loop"
"""Why an answer was stopped that said the same again; servers have no word for it."""


@dataclass(frozen=True)
class Reply:
    """A model's answer.

    Attributes:
        text: what it said; empty if it said nothing.
        finish_reason: why it stopped, in the server's word.
        tokens_in, tokens_out: as the server counted them, or None where it said nothing of use.
        latency_s: from request to whole answer, in seconds, without failed attempts and waits.
        retries: how many attempts failed before this one.
        reasoning: the reasoning that some servers send beside the text.
        tokens_reasoning: of the tokens out, those spent on reasoning; or None. At most servers
            they are among ``tokens_out``.
        tokens_cached: of the tokens in, those that the server had in its cache; or None.
        token_log_probabilities: the number and the natural log-probability of each token, where
            they were asked for and the server tells both.
    """

    text: str
    finish_reason: str | None
    tokens_in: int | None
    tokens_out: int | None
    latency_s: float
    retries: int
    reasoning: str = ""
    tokens_reasoning: int | None = None
    tokens_cached: int | None = None
    token_log_probabilities: tuple[tuple[int, float], ...] = ()

    @property
    def truncated(self) -> bool:
        """Whether the answer was cut off: at the limit of tokens, or since it went in circles."""
        return self.finish_reason in ("length", LOOP)


def printable(text: str) -> str:
    """Text that can be written as UTF-8: JSON can smuggle in halves of surrogate pairs."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


_LONG_NUMBERS = json.JSONDecoder(parse_int=lambda x: int(x) if len(x) < 20 else float(x))
"""As floats, whole numbers of any length can be read; none of use has so many digits."""


def read_completion(body: bytes, latency_s: float) -> Reply:
    """Raises ``ValueError`` if a body is not a chat completion."""
    content = body.decode("utf-8", "replace")
    try:
        try:
            completion = json.loads(content)
        except ValueError:
            completion = _LONG_NUMBERS.decode(content)
        choice = completion["choices"][0]
        message = choice["message"]
        text = message.get("content")
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        raise ValueError(f"not a chat completion: {content[:1000].strip() or 'empty'}") from None
    if isinstance(text, list):
        parts = [part.get("text") for part in text if isinstance(part, dict)]
        text = "".join(part for part in parts if isinstance(part, str))
    reasoning = message.get("reasoning_content") or message.get("reasoning")
    reason = choice.get("finish_reason")
    return Reply(
        text=printable(text) if isinstance(text, str) else "",
        finish_reason=reason if isinstance(reason, str) else None,
        latency_s=latency_s,
        retries=0,
        reasoning=printable(reasoning) if isinstance(reasoning, str) else "",
        token_log_probabilities=_log_probabilities(choice),
        **_token_counts(completion.get("usage")),
    )


def _log_probabilities(choice: Mapping[str, Any]) -> tuple[tuple[int, float], ...]:
    told = choice.get("logprobs")
    if not isinstance(told, dict) or not isinstance(told.get("content"), list):
        return ()
    found: list[tuple[int, float]] = []
    for one in told["content"]:
        token, value = (one.get("id"), one.get("logprob")) if type(one) is dict else (None, None)
        if type(token) is not int or type(value) is not float:
            return ()
        found.append((token, value))
    return tuple(found)


MOST_TOKENS = 2**53
"""A count beyond is none: JSON's numbers are not exact there."""


def _token_counts(usage: Any) -> dict[str, int | None]:
    """The counts of a reply; None for each that is missing or is no count.

    Reasoning and cached tokens stand in the details that OpenAI has, or beside the other counts, as
    SGLang (``reasoning_tokens``), Moonshot (``cached_tokens``) and DeepSeek
    (``prompt_cache_hit_tokens``) put them.
    """

    if not isinstance(usage, dict):
        usage = {}

    def first(details: str, detail: str, *names: str) -> int | None:
        within = usage.get(details)
        found = _count(within.get(detail)) if isinstance(within, dict) else None
        for name in names:
            if found is not None:
                break
            found = _count(usage.get(name))
        return found

    return {
        "tokens_in": _count(usage.get("prompt_tokens")),
        "tokens_out": _count(usage.get("completion_tokens")),
        "tokens_reasoning": first(
            "completion_tokens_details", "reasoning_tokens", "reasoning_tokens"
        ),
        "tokens_cached": first(
            "prompt_tokens_details", "cached_tokens", "prompt_cache_hit_tokens", "cached_tokens"
        ),
    }


def _count(value: Any) -> int | None:
    # True is an int.
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None


class ErrorBody(NamedTuple):
    """What the body of an HTTP error says; empty where it says nothing of the kind."""

    message: str
    code: str
    param: str


def read_error(body: bytes) -> ErrorBody:
    """An error in OpenAI's form, in one of those near it, or as it is."""
    text = body.decode("utf-8", "replace").strip()
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return ErrorBody(text, "", "")
    error = found.get("error", found) if isinstance(found, dict) else found
    if isinstance(error, str):
        return ErrorBody(error, "", "")
    if not isinstance(error, dict):
        return ErrorBody(text, "", "")
    message = error.get("message") or error.get("detail")
    return ErrorBody(
        message if isinstance(message, str) else text,
        str(error.get("code") or ""),
        str(error.get("param") or ""),
    )


def retry_after(headers: Mapping[str, str]) -> float | None:
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
