"""What is said of requests to language models while they are under way."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Collection, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any

from stratagym.agents.chat import Unavailable
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.reporting.terminal import say

EVERY_S = 30.0
"""Seconds between two lines that say that answers are waited for."""


@asynccontextmanager
async def watching(models: Collection[LanguageModel]) -> AsyncIterator[None]:
    """Tell on standard error what the models' requests meet with, and that they are waited for.

    Failures, repeats and the first answer that came too late are told once for each kind.
    """
    for model in models:
        model.notify = say
    beat = asyncio.ensure_future(_beat(models))
    try:
        yield
    finally:
        beat.cancel()
        with suppress(asyncio.CancelledError):
            await beat
        for model in models:
            model.notify = None


async def _beat(models: Collection[LanguageModel]) -> None:
    while True:
        await asyncio.sleep(EVERY_S)
        for model in models:
            if model.waiting:
                say(waiting_line(model))


def waiting_line(model: LanguageModel) -> str:
    """How many answers are waited for and how long, and what came so far."""
    longest = time.monotonic() - min(model.waiting.values())
    retried = f", {model.retried:,} attempts repeated" if model.retried else ""
    return (
        f"{model.name}: waiting for {len(model.waiting):,} "
        f"answer{'s' * (len(model.waiting) != 1)}, for up to {longest:.0f} s; "
        f"{model.answered:,} came{retried}"
    )


def check_answered(usage: Mapping[str, Any]) -> None:
    """See that some request of a run, whose ``usage`` it is, came to an answer.

    Raises:
        Unavailable: there were requests, and none did; with the words of the most frequent failure.
    """
    asked, failed = 0, 0
    words: Counter[str] = Counter()
    for own in usage.values():
        asked += sum(own["kinds"].values())
        failed += own["kinds"].get("transport", 0)
        words.update(own.get("failures", {}))
    if asked and asked == failed:
        why = words.most_common(1)[0][0] if words else "transport"
        raise Unavailable(f"none of {asked:,} requests came to an answer: {why}")
