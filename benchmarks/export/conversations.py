"""Language models' decisions as conversations to train on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from stratagym.envs.reading import FIRST
from stratagym.envs.text import answer


def conversations(
    records: Iterable[dict[str, Any]],
    fields: list[str],
    *,
    dedupe: bool = False,
    reasoning: bool = False,
) -> Iterator[dict[str, Any]]:
    """``{"messages": [...]}`` of each decision of a language model, the reply as the last message.

    Decisions without a reply are passed over: those of built-in policies, and lost connections.

    Args:
        fields: of the record, to stand beside the messages. dedupe: leave out equal conversations.
        reasoning: keep a model's reasoning, as ``<think>`` text in front of its reply.
    """
    seen = set()
    for record in records:
        if record["prompt"] is None or record["reply"] is None:
            continue
        reply = record["reply"]
        if not reasoning:
            reply = answer(reply, record.get("reader", FIRST))
        if reasoning and record.get("reasoning"):
            reply = f"<think>\n{record['reasoning']}\n</think>\n\n{reply}"
        if not reply.strip():
            continue
        messages = [*record["prompt"], {"role": "assistant", "content": reply}]
        if dedupe:
            digest = hashlib.sha256(json.dumps(messages).encode()).digest()
            if digest in seen:
                continue
            seen.add(digest)
        told = {name: record.get(name) for name in fields}
        if "seed" in told:  # as text: JavaScript rounds whole numbers above 2**53
            told["seed"] = str(told["seed"])
        yield {"messages": messages, **told}


def write_jsonl(path: Path, lines: Iterable[dict[str, Any]]) -> int:
    """Write a line of JSON each; returns how many."""
    count = 0
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for count, line in enumerate(lines, 1):  # noqa: B007 - the last is how many there were
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return count
