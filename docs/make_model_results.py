"""Asks SmolLM2-135M-Instruct what docs/results.md reports of language models, and writes that part.

``python docs/make_model_results.py`` takes hours on two cores and needs xllamacpp and the model's
wheel; names of ``ASKED`` make some parts alone. ``tictactoe=adapter.gguf`` has a row of the model
with that LoRA adapter of ``benchmarks.tune`` too, asked in the prompts that it was tuned by. Each
row is a run of its own in ``RUNS``: what has ended there is not asked again, and what was broken
off goes on. Rows of the page whose runs are not there stay as they are; ``--made`` before the names
asks nothing and writes the rows of the runs that are there. ``make_results.py`` leaves this part of
the page as it is.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from make_results import PAGE, row

from stratagym.agents import gguf_engine
from stratagym.benchmarks.reporting.own import NO_RESULT
from stratagym.benchmarks.reporting.page import mean_text
from stratagym.benchmarks.reporting.stats import Rate, wilson

MODEL = "gguf:smollm2"
RUNS = Path("results/models")
"""The runs, by part and row: ``tictactoe-0``."""
SETTINGS = "", "?constrain=legal", "?decide=likelihood"
"""Free answers, answers held to legal moves, and the most probable legal answer."""
ASKED = {
    "tictactoe": "tournament --game tictactoe --games 100",
    "tictactoe_ladder": "anchored_levels --game tictactoe",
    "connect_four_ladder": "anchored_levels --game connect_four",
    "ludo_spots": "ludo_spots --head-to-head 0",
    "botzone": "botzone --game tictactoe,reversi,ataxx",
}
ANY_TUNED = f"{MODEL}?lora=..."
"""Stands for a tuned model where none has been measured."""
PROMPTS = {"position": "--position", "rules": "--rules-text", "reasoning": "--reasoning"}
"""Options for the prompts that an adapter was tuned by, by their names in the run of ``tune``."""
MISSING = "not measured"
TITLE = "Language models"
HEAD = f"""## {TITLE}

SmolLM2-135M-Instruct, [in this process](local_models.md): free answers, answers held to legal
moves, and the most probable legal answer; with `lora`, free answers after
[tuning](tutorials/tune.md). Each is a measurement of its own. Readable and legal: shares of all
answers; all that are held to legal moves, or chosen among them, are both.
`python docs/make_model_results.py` asks again.
"""
COLUMNS = "Policy", "Answers", "Readable", "Legal", "Result", "Measured"
NOTHING = "–"


def results(script: str, summary: Mapping[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Policies with what became of their answers, by kind, and what they came to."""
    if script == "tournament":
        asked = {name: one["kinds"] for name, one in summary["models"].items()}
        for pair in summary["pairings"]:
            if "random" in (pair["a"], pair["b"]):
                name = pair["b"] if pair["a"] == "random" else pair["a"]
                yield name, asked[name], _score(pair)
    elif script == "ludo_spots":
        for name, personas in summary["policies"].items():
            if name.startswith(MODEL):
                one = personas["none"]["overall"]
                told = NO_RESULT
                if summary["own"][name]["none"]["result"]:
                    rate = Rate(**one["gt_index_rate"])
                    told = f"{rate.text()} as `gt:2`, chance {rate.chance:.2f}"
                yield name, one["kinds"], told
    else:
        for name, one in summary["models"].items():
            levels = [
                f"{game}: {_level(own[name])}"
                for game, own in summary["games"].items()
                if name in own
            ]
            yield name, one["kinds"], "; ".join(levels)


def _level(own: Mapping[str, Any]) -> str:
    """The level, with the intervals of the progress within it and of the rating, if measured."""
    rating = own["rating"]
    if rating is None or rating["low"] is None:
        return str(own["result"])
    ends = f"{own['progress']['low']:.0%} to {own['progress']['high']:.0%}"
    return f"{own['result']} [{ends}], rating {mean_text(rating, 0)}, {rating['n']} games"


def _score(pair: Mapping[str, Any]) -> str:
    """Points per game against random, from the side of the model."""
    score = Rate(**pair["score"])
    if score.n == 0:
        return NO_RESULT
    return f"{(score.complement() if pair['a'] == 'random' else score).text()} against `random`"


def shares(kinds: Mapping[str, int]) -> list[str]:
    """How many answers came, and which shares of them could be read and were legal."""
    ok, illegal = kinds.get("ok", 0), kinds.get("illegal", 0)
    count = ok + illegal + kinds.get("unparseable", 0)
    told = [wilson(k, count).text() for k in (ok + illegal, ok)] if count else []
    return [f"{count:,}", *(told or [NOTHING, NOTHING])]


def part(name: str, adapter: str | None, old: str, *, asks: bool) -> str:
    """A part of the section.

    Args:
        old: the part as it is on the page.
        asks: whether runs are made that are not there; else their rows stay, or say so. Rows of
            other adapters stay in any case.
    """
    script, *options = ASKED[name].split()
    asked = [(f"{MODEL}{setting}", "") for setting in SETTINGS]
    asked += [(f"{MODEL}?lora={adapter}", tuned_by(adapter))] if adapter else []
    named = {policy for policy, _ in asked}
    on_it = re.findall(r"^\| `([^`]+)` \|", old, re.MULTILINE)
    others = [(policy, "") for policy in on_it if policy not in (*named, ANY_TUNED)]
    if not any("lora=" in policy for policy, _ in [*asked, *others]):
        others.append((ANY_TUNED, ""))
    rows, calls = [], []
    for number, (policy, prompts) in enumerate([*asked, *others]):
        folder = RUNS / f"{name}-{number}"
        against = "random," if script == "tournament" else ""
        if asks and policy in named and not (folder / "summary.json").exists():
            command = [sys.executable, "-m", f"stratagym.benchmarks.{script}", *options]
            resume = ["--resume"] if (folder / "config.json").exists() else []
            more = ["--policies", against + policy, *prompts.split(), "--output", str(folder)]
            subprocess.run([*command, *more, *resume], stdout=subprocess.DEVNULL, check=True)
        if policy not in named or not (folder / "summary.json").exists():
            kept, call = on_page(old, policy)
            rows.append(kept or row([f"`{policy}`", NOTHING, NOTHING, NOTHING, MISSING, NOTHING]))
            calls += call
            continue
        summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
        begun = summary["config"]["begun"]
        calls.append(begun["command"])
        measured = f"{begun['date']}, {processor()}"
        rows += [
            row([f"`{own}`", *shares(kinds), told, measured])
            for own, kinds, told in results(script, summary)
        ]
    if not calls:
        return f"### {name}\n\nNone of these policies has been measured yet."
    lines = [f"### {name}", "", "```bash", *calls, "```", ""]
    lines += [row(list(COLUMNS)), row(["---", "---:", "---:", "---:", "---", "---"]), *rows]
    lines += ["", f"{gguf_engine.build()}."]
    return "\n".join(lines)


def tuned_by(adapter: str) -> str:
    """The options of prompts of the run of ``benchmarks.tune`` that an adapter lies in."""
    run = json.loads(Path(adapter).with_name("config.json").read_text(encoding="utf-8"))
    return " ".join(f"{option} {run['prompt'][name]}" for name, option in PROMPTS.items())


def on_page(old: str, policy: str) -> tuple[str, list[str]]:
    """The row of a policy that stands on the page, "" without one, and the call that made it."""
    rows = [line for line in old.splitlines() if line.startswith(f"| `{policy}` |")]
    calls = [
        line
        for line in old.splitlines()
        if line.startswith("python ") and policy in ",".join(shlex.split(line)).split(",")
    ]
    return rows[0] if rows else "", calls


def processor() -> str:
    """The processor and how many of it there are."""
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    return f"{os.cpu_count()} x {found[1] if found else 'unknown processor'}"


def main(chosen: list[str]) -> None:
    """Ask for some parts and put them in their places; after ``--made``, only what is there."""
    asks = chosen[:1] != ["--made"]
    chosen = (chosen if asks else chosen[1:]) or list(ASKED)
    before, _, old = PAGE.read_text(encoding="utf-8").partition(f"\n## {TITLE}\n")
    parts = dict(re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", old, re.MULTILINE | re.DOTALL))
    kept = {name: f"### {name}\n{text}".strip() for name, text in parts.items()}
    for one in chosen:
        name, _, adapter = one.partition("=")
        kept[name] = part(name, adapter or None, kept.get(name, ""), asks=asks)
        there = [kept[name] for name in ASKED if name in kept]
        page = "\n\n".join([before.strip(), HEAD.strip(), *there])
        PAGE.write_text(f"{page}\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
