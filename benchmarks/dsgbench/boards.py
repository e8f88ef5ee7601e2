"""The leaderboard of several runs; runs that do not compare are refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cyclopts import Parameter

from stratagym.benchmarks.dsgbench import report
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.files import brief
from stratagym.benchmarks.reporting.terminal import output_console

SAME = {
    "score": "versions of the score",
    "weights": "weights of metrics",
    "as_published": "readings of the metrics",
    "scenes": "scenes, options, opponents or clocks",
    "opponents": "opponents",
    "games": "numbers of games",
    "seed": "seeds",
}
"""What runs of one ranking have in common, by field of their configuration."""


@Parameter(name="*")
@dataclass(kw_only=True)
class BoardArgs:
    json: bool = False
    """Print the rows as JSON instead of a table."""


def leaderboard(run: str, /, *runs: str, args: BoardArgs = BoardArgs()) -> None:  # noqa: B008
    """Rank the policies of several runs in one table.

    Parameters
    ----------
    run, runs
        Folders of runs with the same score version, scenes, opponents, clocks, games and seed.
    """
    found = [_summary(Path(folder)) for folder in (run, *runs)]
    first = found[0]["config"]
    for folder, summary in zip((run, *runs), found, strict=True):
        for field, what in SAME.items():
            if clocks(summary["config"]) != clocks(first):
                raise InputError(f"{folder}: its clocks are not those of {run}; no ranking")
            if summary["config"].get(field) != first.get(field):
                raise InputError(f"{folder}: its {what} are not those of {run}; no ranking")
    rows: dict[str, Any] = {}
    for summary in found:
        for row in summary["board"]:
            rows.setdefault(row["policy"], row)
    ranked = [row for row in rows.values() if not row["anchor"]]
    anchors = [row for row in rows.values() if row["anchor"]]
    ranked.sort(key=lambda row: -(row["overall"] or {"value": -1.0})["value"])
    for row in ranked:
        row.pop("rank", None)  # of its own run
    board = [*ranked, *anchors]
    if args.json:
        print(json.dumps(board))
        return
    own = {name: one for summary in found for name, one in summary["own"].items()}
    joined = {**found[0], "board": board, "own": own}
    output_console().print(report.board_table(joined).rich(f"DSGBench, {found[0]['score']}"))


def clocks(config: Mapping[str, Any]) -> dict[str, str]:
    """The clock of each scene."""
    return {name: own.get("clock", "sync") for name, own in config["protocols"].items()}


def _summary(folder: Path) -> dict[str, Any]:
    path = folder / "summary.json"
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; name the folder of a finished run") from None
    except ValueError:
        raise InputError(f"{path}: no JSON") from None
    if not isinstance(told, dict) or "board" not in told or "score" not in told:
        raise InputError(f"{folder}: no run of dsgbench: {brief(sorted(told))}")
    return told
