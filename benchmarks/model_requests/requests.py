"""How much of the processor a recorded request to a language model takes."""

from __future__ import annotations

import statistics
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from stratagym.agents import loops
from stratagym.agents.chat import ChatModel, OpenAIChat, ScriptedChat
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness import spots
from stratagym.benchmarks.harness.decisions import Question, ask_all
from stratagym.benchmarks.harness.records import JsonlWriter
from stratagym.benchmarks.reporting.page import Table, code
from stratagym.benchmarks.reporting.terminal import output_console
from stratagym.envs.text import TextOptions

REPLY = "1 | it is the one that stands nearest to its home"
NO_CLIENT = "none"
"""The replies come from memory: what is left is the harness's own work."""
WARM_UP = 200


@dataclass
class Entry:
    """A client and what its requests took.

    Attributes:
        seconds: of the processor, of this process, a request in each repeat.
    """

    client: str
    concurrency: int
    seconds: list[float] = field(default_factory=list)

    def record(self) -> dict[str, Any]:
        """Milliseconds a request, the median and the ends, and requests per CPU-second."""
        low, middle, high = min(self.seconds), statistics.median(self.seconds), max(self.seconds)
        return {
            "client": self.client,
            "concurrency": self.concurrency,
            "ms": {"median": 1e3 * middle, "min": 1e3 * low, "max": 1e3 * high},
            "per_cpu_second": 1 / middle,
        }


def questions(number: int) -> list[Question]:
    """LudoBench's questions, one after the other and again from the first."""
    chosen, _ = spots.load_spots()
    asked = spots.questions(chosen, {}, TextOptions(system="merge"), 0)
    return [replace(asked[k % len(asked)], seed=k) for k in range(number)]


def measure(entry: Entry, url: str, asked: list[Question]) -> None:
    """Add a repeat: prompts made, sent, answered, judged and recorded on disk."""
    model = LanguageModel(chat_of(entry.client, url))
    with TemporaryDirectory() as folder:
        writer = JsonlWriter(Path(folder) / "decisions.jsonl")
        # The first requests import the client and open connections.
        for part in (asked[:WARM_UP], asked):
            begin = time.process_time()
            loops.run(ask_all(model, part, writer, concurrency=entry.concurrency))
            spent = time.process_time() - begin
        writer.close()
    entry.seconds.append(spent / len(asked))


def chat_of(client: str, url: str) -> ChatModel:
    """The model behind a client."""
    if client == NO_CLIENT:
        return ScriptedChat(lambda messages: REPLY, name="loopback")
    return OpenAIChat("loopback", base_url=url, client=client)


def table(result: Mapping[str, Any]) -> Table:
    """One row an entry."""
    found = Table(["client", "at once", "ms per request", "from", "to", "requests per CPU-second"])
    for row in result["entries"]:
        ms = row["ms"]
        found.rows.append(
            [
                code(row["client"]),
                str(row["concurrency"]),
                *(f"{ms[name]:.3f}" for name in ("median", "min", "max")),
                f"{row['per_cpu_second']:,.0f}",
            ]
        )
    return found


def screen(result: Mapping[str, Any]) -> None:
    """Print the table."""
    output_console().print(table(result).rich("Processor time of recorded requests"))
