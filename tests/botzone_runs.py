"""A scripted model under BotzoneBench's protocol, and what must stay the same of its run."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from openai_server import OpenAIServer, Response, answer, prompt_sha256
from scripts import TESTS

GOLDEN = TESTS / "golden" / "botzone.json"
GOOD = ("2,2", "1,1", "3,3", "1,3", "3,1", "a1", "h8", "a8", "h1")
REASONING = {"completion_tokens_details": {"reasoning_tokens": 20}}


def scripted(body: dict[str, Any], nth: int) -> Response:
    """By the prompt's hash: most often a legal move, sometimes none or an illegal one."""
    messages = body["messages"]
    place = int(prompt_sha256(messages)[:8], 16)
    asked = "\n".join(m["content"] for m in messages if m["role"] != "assistant")
    label = "Answer" if "\nAnswer: <" in asked else "Move"
    listed = re.search(r"(?:Legal moves|Empty squares.*?): (.+)", asked)
    assert listed is not None
    moves = re.findall(r"[a-h]\d|\d,\d|pass", listed[1])
    usage = {"prompt_tokens": 100 + place % 7, "completion_tokens": 30 + place % 50, **REASONING}
    if place % 20 == 0:
        return answer("I cannot say.", usage=usage)
    said = "9,9" if "," in moves[0] else "z9"
    if place % 20 > 1:
        good = [move for move in GOOD if move in moves]
        said = good[0] if good else moves[place // 20 % len(moves)]
    return answer(f"Evaluation: even\nReason: scripted\n{label}: {said}", usage=usage)


def model_run(folder: Path, server: OpenAIServer, *more: object) -> tuple[object, ...]:
    return (
        "--policies", "llm:scripted", "--base-url", server.base_url, "--api-key-env",
        "STRATAGYM_TEST_KEY", "--output", folder, "--json", "--concurrency", 4, *more,
    )  # fmt: skip


OURS = ("--game", "tictactoe,reversi", "--games", 8, "--list-legal", "--tries", 2, "--workers", 1,
        "--reader", 1)  # fmt: skip
"""The reader's words after a bad answer are in the prompts that the replies depend on."""


def essence(summary: dict[str, Any]) -> dict[str, Any]:
    """What must stay the same of a summary: all that no clock decides."""

    def told(value: Any) -> Any:
        if isinstance(value, dict):
            return {k: told(v) for k, v in sorted(value.items()) if k != "median_latency_s"}
        if isinstance(value, list):
            return [told(v) for v in value]
        return round(value, 9) if isinstance(value, float) else value

    kept = ("games", "progress", "movers", "answers", "alike")
    return json.loads(json.dumps({name: told(summary[name]) for name in kept}))
