"""Adds up runs of ``benchmarks.tune`` for the page about it, ``docs/tutorials/tune.md``.

``python docs/make_tuning.py RUN...`` writes the tables of what the tuned model answers to held-out
positions, by run and over all runs, and of the looks during tuning into that page; after
``--others``, runs of other games each into a row of their own table.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from make_model_results import processor
from make_results import row

from stratagym.agents import gguf_engine
from stratagym.benchmarks.harness import experts
from stratagym.benchmarks.harness.records import read_decisions
from stratagym.benchmarks.reporting.stats import Rate, mean_rate
from stratagym.benchmarks.tune.evaluation import POSITIONS, TUNED
from stratagym.benchmarks.tune.measures import Answer
from stratagym.benchmarks.tune.setup import EXPLORE
from stratagym.envs.text import ILLEGAL, OK

PAGE = Path(__file__).parent / "tutorials" / "tune.md"
END = "<!-- to here -->"
ANSWERS = "Run", "CPU-seconds", "Positions", "Readable", "Legal", "Optimal", "Chance"
OTHERS = (
    "Game", "CPU-seconds", "Positions", "Readable", "Legal", "Optimal", "Chance",
    "Points against random", "Forfeits", "Games",
)  # fmt: skip
LOOKS = "Run", "Updates", "CPU-seconds", "Loss", "Readable", "Legal", "Optimal"


def lessons(config: Mapping[str, Any]) -> dict[str, experts.Lesson]:
    """The lessons of a run, by the item of a record."""
    told = config["examples"]
    wanted = experts.Wanted(
        config["expert"], told["positions"], EXPLORE, told["held_out"], "messages", config["seed"],
        config["prompt"], {},
    )  # fmt: skip
    given, _ = experts.lessons(wanted, config["game"])
    return {f"held out/{lesson.line['position']}": lesson for lesson in given}


def answers(folder: Path, config: Mapping[str, Any]) -> Iterator[tuple[str, Answer]]:
    """The tuned model's first answers to held-out positions, each with its position."""
    known = lessons(config)
    for record in read_decisions(folder / POSITIONS):
        if record["policy"] == TUNED:
            item = record["item"]
            yield item, Answer.played(known[item], record["kind"], record["chosen"])


def cells(found: Sequence[tuple[str, Answer]]) -> list[str]:
    """Positions, shares with intervals by position, and chance."""
    items = np.array([item for item, _ in found])
    kinds = np.array([answer.kind for _, answer in found])
    open_ = np.array([answer.best < answer.legal for _, answer in found])
    best = np.array([bool(answer.is_best) for _, answer in found])
    rates = [mean_rate(np.isin(kinds, (OK, ILLEGAL)), items), mean_rate(kinds == OK, items)]
    rates.append(mean_rate(best[open_], items[open_]))
    chances = np.array([answer.best / answer.legal for _, answer in found])
    chance = chances[open_].mean()
    return [f"{len(found):,}", *(rate.text() for rate in rates), f"{chance:.2f}"]


def main(folders: list[Path]) -> None:
    """Write the tables."""
    every: list[tuple[str, Answer]] = []
    first, looks, calls = [], [], []
    for folder in folders:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        config = summary["config"]
        name, own = f"seed {config['seed']}", list(answers(folder, config))
        every += own
        calls.append(config["begun"]["command"])
        first.append(row([name, f"{summary['cpu_s']:.0f}", *cells(own)]))
        for line in summary["curve"]:
            rates = [Rate(**line[part]).text() for part in ("readable", "legal", "optimal")]
            loss = "–" if line["loss"] is None else f"{line['loss']:.2f}"
            looks.append(row([name, str(line["updates"]), f"{line['cpu_s']:.0f}", loss, *rates]))
    first.append(row(["together", "", *cells(every)]))
    text = "\n".join([
        "```bash", *calls, "```", "",
        row(list(ANSWERS)), row(["---", *["---:"] * (len(ANSWERS) - 1)]), *first, "",
        libraries(), "",
        row(list(LOOKS)), row(["---", *["---:"] * (len(LOOKS) - 1)]), *looks,
    ])  # fmt: skip
    put("docs/make_tuning.py", text)


def others(folders: list[Path]) -> None:
    """Write the table of other games."""
    calls, rows = [], []
    for folder in folders:
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        config, played = summary["config"], summary["random"][TUNED]
        rates = {part: Rate(**told) for part, told in summary["positions"][TUNED].items()}
        points = Rate(**played["points"])
        calls.append(config["begun"]["command"])
        told = [rates[part].text() for part in ("readable", "legal", "optimal")]
        told += [f"{rates['optimal'].chance:.2f}", points.text(), str(played["forfeits"])]
        begun = [config["game"], f"{summary['cpu_s']:.0f}", str(rates["legal"].n)]
        rows.append(row([*begun, *told, str(points.n)]))
    head = [row(list(OTHERS)), row(["---", *["---:"] * (len(OTHERS) - 1)])]
    text = "\n".join(["```bash", *calls, "```", "", *head, *rows, "", libraries()])
    put("docs/make_tuning.py --others", text)


def put(script: str, text: str) -> None:
    """Put what a script made in its place on the page."""
    begin = f"<!-- {script} from here -->"
    page = PAGE.read_text(encoding="utf-8")
    made = f"{begin}\n\n{text}\n\n{END}"
    page = re.sub(f"{begin}.*?{END}", lambda _: made, page, count=1, flags=re.DOTALL)
    PAGE.write_text(page, encoding="utf-8")


def libraries() -> str:
    """What learned and what answered, with their versions, and on which processor."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("torch", "transformers", "peft"))
    return f"{gguf_engine.build()}, {versions}, {processor()}."


if __name__ == "__main__":
    if sys.argv[1:2] == ["--others"]:
        others(list(map(Path, sys.argv[2:])))
    else:
        main(list(map(Path, sys.argv[1:])))
