"""What a request to a language model may ask for: sampling, reasoning, and fields of one's own.

Values come from policy strings and from Python; each reader returns the value to send and record.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")
"""Values of ``reasoning_effort``, as the openai package lists them; servers know some of them."""


@dataclass(frozen=True)
class Number:
    """The values a numeric option may have."""

    low: float
    high: float = math.inf
    whole: bool = False
    optional: bool = False

    def read(self, name: str, value: Any) -> Any:
        if self.optional and (value is None or value == "none"):
            return None
        try:
            number = (int if self.whole else float)(value)
            given = number if isinstance(value, str) else value
            if math.isfinite(number) and self.low <= number <= self.high and number == given:
                return number
        except (TypeError, ValueError, OverflowError):
            pass
        kind = "a whole number" if self.whole else "a number"
        to = (
            f"of at least {self.low}"
            if math.isinf(self.high)
            else f"from {self.low} to {self.high}"
        )
        raise ValueError(f"{name}={value!r}: {kind} {to}{', or none,' * self.optional} is needed")


NUMBERS = {
    "temperature": Number(0, 2, optional=True),
    "max_tokens": Number(1, whole=True, optional=True),
    "timeout_s": Number(0.001),
    "retries": Number(0, whole=True),
    "max_wait_s": Number(0),
}
SAMPLING = {
    "top_p": Number(0, 1, optional=True),
    "top_k": Number(-1, 2**31 - 1, whole=True, optional=True),
    "seed": Number(0, 2**63 - 1, whole=True, optional=True),
    "thinking_budget": Number(0, 2**31 - 1, whole=True, optional=True),
}
"""Numbers that are sent and recorded only where they are given."""
PRICE = Number(0, 10**9, optional=True)
"""Of a million tokens."""
OPTIONS = (*NUMBERS, *SAMPLING, "reasoning_effort", "extra_body", "client")
"""Every option of a request, as policy strings name them."""


def read_effort(value: str | None) -> str | None:
    """A value of ``reasoning_effort``. Raises ``ValueError`` in one line."""
    if value is None or value in EFFORTS:
        return value
    raise ValueError(f"reasoning_effort={value!r}: choose from {', '.join(EFFORTS)}")


# --- fields of one's own -----------------------------------------------------------------------

LONGEST_BODY, DEEPEST_BODY = 10_000, 20
NOT_IN_BODY = {
    "messages": "the game makes them",
    "model": "it is the policy's own name",
    "stream": "whole answers are read",
    "stream_options": "whole answers are read",
    "n": "one answer is read",
    **{
        name: "it is an option of its own"
        for name in ("temperature", "max_tokens", *SAMPLING, "reasoning_effort")
        if name not in ("top_k", "thinking_budget")
    },
    "max_completion_tokens": "max_tokens is sent under this name where the server wants it",
}
"""Fields that ``extra_body`` may not hold at its top, and why; ``top_k`` and what a thinking budget
is called differ from server to server, so those may be overridden."""
KEY_NAMES = re.compile(
    r"^(key|token|auth)$|apikey|authorization|bearer|passw|secret|credential"
    r"|(access|auth|api|bearer|id|refresh)token$|(private|access|auth)key"
)
KEY_TEXT = re.compile(r"\bsk-\w|\bbearer\s", re.IGNORECASE)


def read_extra_body(value: str | Mapping[str, Any] | None) -> dict[str, Any] | None:
    """Fields to add to a request: a JSON object, or its text.

    Raises:
        ValueError: no JSON object, a field that may not be set, or something that looks like a
            key; in one line that quotes no value, because it may be a key.
    """
    if value is None:
        return None
    form = 'a JSON object such as {"top_a":0.2} is needed'
    try:
        text = value if isinstance(value, str) else json.dumps(value, allow_nan=False)
        body = json.loads(text, object_pairs_hook=_no_twins, parse_constant=_no_constant)
        sent = json.dumps(body, allow_nan=False, ensure_ascii=False)
        sent.encode()
    except _Twins:
        raise ValueError("extra_body: a field is named twice") from None
    except (TypeError, ValueError, RecursionError):
        hint = ", with %26 for &, %2B for + and %25 for %" * isinstance(value, str)
        raise ValueError(f"extra_body: {form}{hint}") from None
    if not isinstance(body, dict):
        raise ValueError(f"extra_body: {form}")
    if len(sent) > LONGEST_BODY:
        raise ValueError(f"extra_body: {LONGEST_BODY} characters at most")
    for name, why in NOT_IN_BODY.items():
        if name in body:
            raise ValueError(f"extra_body: {name} may not be set here: {why}")
    _check_fields(body)
    return body


class _Twins(Exception):
    """A JSON object with two fields of one name."""


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise _Twins
    return fields


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _check_fields(value: Any, depth: int = 1) -> None:
    if depth > DEEPEST_BODY:
        raise ValueError(f"extra_body: {DEEPEST_BODY} levels at most")
    if isinstance(value, dict):
        for name, inner in value.items():
            if KEY_NAMES.search(re.sub(r"[^a-z]", "", name.lower())) or KEY_TEXT.search(name):
                raise ValueError(
                    "extra_body: a field looks like a key; keys are read from the environment "
                    "variable that api_key_env names"
                )
            _check_fields(inner, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            _check_fields(inner, depth + 1)
    elif isinstance(value, str) and KEY_TEXT.search(value):
        raise ValueError(
            "extra_body: a value looks like a key; keys are read from the environment variable "
            "that api_key_env names"
        )


def short_json(body: Mapping[str, Any]) -> str:
    """The shortest JSON of ``extra_body``, for names and policy strings."""
    return json.dumps(body, separators=(",", ":"))


# --- a thinking budget -------------------------------------------------------------------------


def thinking_fields(budget: int, url: str) -> dict[str, Any]:
    """The fields that ask for at most ``budget`` tokens of reasoning, by the endpoint's host.

    OpenAI's interface has no such field, and every server has its own:

    ============================  ================================================================
    Anthropic                     ``thinking: {type: enabled, budget_tokens}`` (docs.claude.com,
                                  OpenAI SDK compatibility); at 0 ``{type: disabled}``
    Google                        ``extra_body: {google: {thinking_config: {thinking_budget}}}``
    OpenRouter                    ``reasoning: {max_tokens}``; at 0 ``{effort: none}``
    Alibaba Model Studio          ``enable_thinking``, ``thinking_budget``
    SiliconFlow                   ``thinking_budget``
    any other                     a server of one's own, which gets the three names below and
                                  passes over those it does not know
    vLLM                          ``thinking_token_budget``
    SGLang                        ``custom_params: {thinking_budget}``
    llama.cpp                     ``thinking_budget_tokens``
    ============================  ================================================================

    Raises:
        ValueError: OpenAI's and DeepSeek's own endpoints, which know no budget.
    """
    host = urlsplit(url).hostname or ""

    def at(*domains: str) -> bool:
        return any(host == domain or host.endswith("." + domain) for domain in domains)

    if at("openai.com", "deepseek.com"):
        raise ValueError(
            f"thinking_budget={budget}: {host} knows none; reasoning_effort, or the endpoint's "
            "own field in extra_body, will do"
        )
    if at("anthropic.com"):
        if budget == 0:
            return {"thinking": {"type": "disabled"}}
        return {"thinking": {"type": "enabled", "budget_tokens": budget}}
    if at("googleapis.com"):
        return {"extra_body": {"google": {"thinking_config": {"thinking_budget": budget}}}}
    if at("openrouter.ai"):
        return {"reasoning": {"max_tokens": budget} if budget else {"effort": "none"}}
    if at("aliyuncs.com"):
        if budget == 0:
            return {"enable_thinking": False}
        return {"enable_thinking": True, "thinking_budget": budget}
    if at("siliconflow.cn", "siliconflow.com"):
        return {"thinking_budget": budget}
    return {
        "thinking_token_budget": budget,
        "custom_params": {"thinking_budget": budget},
        "thinking_budget_tokens": budget,
    }


def merged(fields: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """``fields`` with those of ``over`` in their place, objects within objects field by field."""
    result = dict(fields)
    for name, value in over.items():
        below = result.get(name)
        if isinstance(below, dict) and isinstance(value, dict):
            value = merged(below, value)
        result[name] = value
    return result
