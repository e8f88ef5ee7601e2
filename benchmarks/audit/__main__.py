"""Find in a run's records what went wrong between models and games; no model is asked.

    python -m benchmarks.audit RUN
    python -m benchmarks.audit RUN --game chess --examples 10
    python -m benchmarks.audit RUN --output FOLDER

Every reply is read again and compared with what was played; every prompt is compared with what the
game says of its seat, rules and position. A fault is counted by game and policy, among the cases
that were looked at, with examples.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from cyclopts import Parameter

from stratagym.benchmarks.audit import report
from stratagym.benchmarks.audit.summary import summarise
from stratagym.benchmarks.audit.walk import audit
from stratagym.benchmarks.harness import cli, replays
from stratagym.benchmarks.harness.files import write_json
from stratagym.benchmarks.harness.records import read_config
from stratagym.benchmarks.reporting.terminal import output_console

NAME = "audit"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    game: str | None = None
    """Only replies in this game, such as chess."""
    policies: str | None = None
    """Only replies of these policies, separated by commas; the beginning of a name is enough."""
    examples: int = 3
    """How many examples of each fault are shown, by game and policy."""
    output: str | None = None
    """A folder for summary.json, report.md and report.html, and for replays.html with the games in
    which faults show; by default nothing is written."""
    json: bool = False
    """Print the summary as JSON instead of tables."""


def main(record: str, /, args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Find in a run's records what went wrong between models and games.

    Parameters
    ----------
    record
        Folder of a run, or its games.jsonl or decisions.jsonl.
    """
    cli.count("--examples", args.examples, least=0)
    run = replays.find(Path(record))
    config = read_config(run.folder) if (run.folder / "config.json").exists() else {}
    replies = [one for one in run.decisions if one["prompt"] and one["reply"] is not None]
    asked = [one for one in replies if "facts" not in one]
    chosen = [
        one
        for one in asked
        if args.game in (None, one["game"]) and replays.fits(one, cli.words(args.policies or ""))
    ]
    if not chosen:
        raise cli.InputError(
            f"{run.folder}: none of its {len(asked)} replies of language models to questions for "
            "moves fits; name a run in which a model was asked"
        )
    findings = audit(run, config, chosen)
    if len(replies) > len(asked):
        findings.passed_over["answers to questions that ask for no move"] += len(replies) - len(
            asked
        )
    summary = summarise(str(run.folder), findings, chosen, args.examples)
    if args.output is not None:
        folder = Path(args.output)
        if (folder / "config.json").exists():
            raise cli.InputError(f"--output {folder}: holds a run, whose report would be replaced")
        folder.mkdir(parents=True, exist_ok=True)
        write_json(folder / "summary.json", summary)
        report.write(folder, summary, run)
    if args.json:
        print(json.dumps(summary, indent=2))
        return
    report.screen(output_console(), summary)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
