"""What a run of ``benchmarks.tune reinforce`` came to, for the page about it.

``python docs/make_practising.py RUN PRACTICE`` takes the folder of the run that tuned the model and
that of the practice. It asks the model with the new adapter, in the engine, about the held-out
positions that the first run asked about; what is in the practice's folder already is not asked
again. Then it writes the tables of returns, answers and updates into ``docs/tutorials/tune.md``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from make_results import row
from make_tuning import answers, cells, lessons, libraries, put

from stratagym.benchmarks.reporting.page import mean_text
from stratagym.benchmarks.reporting.stats import mean_rate
from stratagym.benchmarks.tune import evaluation, setup
from stratagym.benchmarks.tune.measures import Answer
from stratagym.envs.text import OK

RETURNS = "", "Games", "Mean return"
ANSWERS = "", "Positions", "Readable", "Legal", "Optimal", "Chance"
UPDATES = "Update", "CPU-seconds", "Mean return", "Mean reward", "Forfeits", "Games"


def ask(folder: Path, start: Path, items: Sequence[str]) -> None:
    """Ask the model with a practice's adapter about positions of the run that it began from."""
    begun = setup.Start.of(start)
    config = json.loads((start / "config.json").read_text(encoding="utf-8"))
    engine = {name: begun.model[name] for name in ("context", "slots", "threads", "max_tokens")}
    rules = begun.game.make_rules(**begun.options)
    subject = evaluation.Subject(
        config["benchmark"], begun.game, rules, begun.options, begun.text, begun.model["path"],
        engine, config["seed"],
    )  # fmt: skip
    model = setup.player_of(subject, evaluation.TUNED, folder / setup.ADAPTER)
    known = lessons(config)
    evaluation.ask_positions(folder, subject, [known[item] for item in items], [model])


def gains(before: dict[str, Answer], after: dict[str, Answer]) -> list[str]:
    """Legal and optimal answers after less before, paired by position."""
    items = np.array(list(before))
    open_ = np.array([answer.best < answer.legal for answer in before.values()])
    told = []
    for name, chosen in (("legal", np.ones(len(items), bool)), ("optimal", open_)):
        one, other = (
            np.array([own[item].kind == OK if name == "legal" else bool(own[item].is_best)
                      for item in items], float)
            for own in (before, after)
        )  # fmt: skip
        less = mean_rate((other - one)[chosen], items[chosen], bounds=(-1.0, 1.0), chance=0.0)
        told.append(mean_text(less.record(), sign="+"))
    return told


def main(start: Path, folder: Path) -> None:
    """Write the tables."""
    first = json.loads((start / "config.json").read_text(encoding="utf-8"))
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    before = dict(answers(start, first))
    ask(folder, start, list(before))
    after = dict(answers(folder, first))
    legal, optimal = gains(before, after)
    returns = [
        row([name, f"{summary[name]['n']:,}", mean_text(summary[name], sign="+")])
        for name in ("before", "after", "gain")
    ]
    asked = [
        row([name, *cells(list(own.items()))])
        for name, own in (("before", before), ("after", after))
    ]
    asked.append(row(["gain", f"{len(before):,}", "", legal, optimal, ""]))
    updates = [
        row([str(line["updates"]), f"{line['cpu_s']:.0f}", f"{line['mean_return']:+.2f}",
             f"{line['reward']:+.2f}", str(line["forfeits"]), str(line["games"])])
        for line in summary["curve"]
    ]  # fmt: skip
    tables = [
        [row(list(head)), row(["---", *["---:"] * (len(head) - 1)]), *rows, ""]
        for head, rows in ((RETURNS, returns), (ANSWERS, asked), (UPDATES, updates))
    ]
    command = summary["config"]["begun"]["command"]
    lines = ["```bash", command, "```", "", *chain(*tables), libraries()]
    put("docs/make_practising.py", "\n".join(lines))


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
