"""Recorded decisions for other tools: conversations to train on, or flat tables.

    python -m benchmarks.export RUN --format chat --winners --dedupe --output train.jsonl
    python -m benchmarks.export RUN OTHER_RUN --format table --output decisions.csv
    python -m benchmarks.export RUN --format table --rows games --output games.parquet
    python -m benchmarks.export RUN --format sgf --game gomoku --output games.sgf
    python -m benchmarks.export RUN --format botzone --licence CC-BY-4.0 --output FOLDER

Needs pyarrow for Parquet, pip install 'stratagym[parquet]'.

A conversation is one decision of a language model: the messages it was sent and its reply. A table
has one row a decision, or a game, with the fields of the records as columns in a fixed order.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cyclopts import Parameter

from stratagym.benchmarks.export import botzone, tables
from stratagym.benchmarks.export.games import write_sgf
from stratagym.benchmarks.export.tables import DECISION_COLUMNS, GAME_COLUMNS
from stratagym.benchmarks.harness import cli, replays
from stratagym.benchmarks.harness.decisions import OVERTIME, TRANSPORT
from stratagym.benchmarks.harness.replays import Run
from stratagym.benchmarks.reporting.terminal import say
from stratagym.envs.text import OK, answer

NAME = "export"
FORMATS, ROWS = ("chat", "table", "sgf", "botzone"), ("decisions", "games")
KINDS = (OK, "unparseable", "illegal", TRANSPORT, OVERTIME)


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    format: str
    """chat: JSONL of conversations; table: CSV or Parquet, by the suffix of --output; sgf: games of
    go, reversi and gomoku for other programs; botzone: the four files of BotzoneBench's data set
    with a data card, in the folder --output."""
    output: str
    """The file to write; for a table, the name ends in .csv or .parquet."""
    rows: str = "decisions"
    """What a row of a table is: decisions or games."""
    kinds: str | None = None
    """Only decisions of these kinds, separated by commas: ok, unparseable, illegal, transport,
    overtime. Default: ok for chat, all for tables."""
    policies: str | None = None
    """Only decisions of these policies, or games with them, separated by commas; the beginning of a
    name is enough."""
    game: str | None = None
    """Only this game, such as chess."""
    winners: bool = False
    """Only decisions of seats whose game ended with a positive return; games with one."""
    dedupe: bool = False
    """Write equal messages with an equal reply only once."""
    reasoning: bool = False
    """Chat: keep a model's reasoning, as <think> text in front of its reply."""
    fields: str = ""
    """Chat: fields of the record to write beside the messages, separated by commas."""
    formulas: bool = False
    """CSV: leave texts that begin like a formula unchanged; by default an apostrophe is put in
    front of them, so that no spreadsheet evaluates the text of a model."""
    licence: str | None = None
    """Botzone: the licence of the data for its card, such as CC-BY-4.0."""
    force: bool = False
    """Overwrite --output."""


def main(*runs: str, args: Args) -> None:
    """Write recorded decisions as conversations or tables.

    Parameters
    ----------
    runs
        Folders of runs, or their games.jsonl or decisions.jsonl.
    """
    for option, value, known in (
        ("--format", args.format, FORMATS),
        ("--rows", args.rows, ROWS),
        *(("--kinds", kind, KINDS) for kind in cli.words(args.kinds or "")),
    ):
        if value not in known:
            raise cli.InputError(f"{option} {value!r}: choose from: {', '.join(known)}")
    if not runs:
        raise cli.InputError("name at least one run")
    output = Path(args.output)
    columns = DECISION_COLUMNS if args.rows == "decisions" else GAME_COLUMNS
    fields = cli.words(args.fields)
    if args.format == "table" and output.suffix not in (".csv", ".parquet"):
        raise cli.InputError(f"--output {output}: end a table's name in .csv or .parquet")
    for name in fields:
        if name not in DECISION_COLUMNS or name in ("prompt", "extra"):
            others = ", ".join(c for c in DECISION_COLUMNS if c not in ("prompt", "extra"))
            raise cli.InputError(f"--fields: unknown {name!r}; choose from: {others}")
    if output.suffix == ".parquet":
        tables.import_parquet()  # before runs are read, which can take minutes
    if output.exists() and not args.force:
        raise cli.InputError(f"--output {output} exists; name another, or add --force")
    found = [replays.find(Path(run)) for run in runs]
    if args.format == "botzone":
        _write_botzone(output, found, args)
        return
    records = games(found, args) if _of_games(args) else decisions(found, args)
    try:
        if args.format == "sgf":
            written = write_sgf(output, records)
        elif args.format == "chat":
            written = _write_jsonl(output, conversations(records, args, fields))
        elif output.suffix == ".csv":
            written = tables.write_csv(output, records, columns, formulas=args.formulas)
        else:
            written = tables.write_parquet(output, records, columns)
    except OSError as error:
        raise cli.InputError(f"--output {output}: cannot be written ({error.strerror})") from None
    what = {"chat": "conversations", "sgf": "games"}.get(args.format, args.rows)
    of = f"{len(found)} {'run' if len(found) == 1 else 'runs'}"
    say(f"{output}: {written} {what} of {of}", sys.stdout)


def _write_botzone(folder: Path, found: list[Run], args: Args) -> None:
    def keep(game: dict[str, Any]) -> bool:
        return args.game in (None, game["game"]) and replays.fits(
            game, cli.words(args.policies or "")
        )

    try:
        played, decided = botzone.write(folder, found, keep, args.licence)
    except OSError as error:
        raise cli.InputError(f"--output {folder}: cannot be written ({error.strerror})") from None
    say(f"{folder}: {decided} decisions in {played} games of language models", sys.stdout)


def _of_games(args: Args) -> bool:
    return args.format == "sgf" or (args.format == "table" and args.rows == "games")


# --- which records -------------------------------------------------------------------------------


def decisions(runs: Iterable[Run], args: Args) -> Iterator[dict[str, Any]]:
    """The decision records that the filters leave, each with its ``run``."""
    default = (OK,) if args.format == "chat" else KINDS
    kinds = cli.words(args.kinds) if args.kinds else default
    for run in runs:
        won = {
            (game["match"], seat)
            for game in run.games
            for seat, value in enumerate(game["returns"] or [])
            if value > 0
        }
        for record in run.decisions:
            if (
                record["kind"] in kinds
                and replays.fits(record, cli.words(args.policies or ""))
                and args.game in (None, record["game"])
                and (not args.winners or (record["item"], record["seat"]) in won)
            ):
                yield {"run": run.folder.name, **record}


def games(runs: Iterable[Run], args: Args) -> Iterator[dict[str, Any]]:
    """The game records that the filters leave, each with its ``run``; of a match, the last."""
    for run in runs:
        for record in run.games:
            if (
                replays.fits(record, cli.words(args.policies or ""))
                and args.game in (None, record["game"])
                and (not args.winners or any(value > 0 for value in record["returns"] or []))
            ):
                yield {"run": run.folder.name, **record}


# --- conversations -------------------------------------------------------------------------------


def conversations(
    records: Iterable[dict[str, Any]], args: Args, fields: list[str]
) -> Iterator[dict[str, Any]]:
    """``{"messages": [...]}`` of each decision of a language model, the reply as the last message.

    Decisions without a reply are passed over: those of built-in policies, and lost connections.
    """
    seen = set()
    for record in records:
        if record["prompt"] is None or record["reply"] is None:
            continue
        reply = record["reply"] if args.reasoning else answer(record["reply"])
        if args.reasoning and record.get("reasoning"):
            reply = f"<think>\n{record['reasoning']}\n</think>\n\n{reply}"
        if not reply.strip():
            continue
        messages = [*record["prompt"], {"role": "assistant", "content": reply}]
        if args.dedupe:
            digest = hashlib.sha256(json.dumps(messages).encode()).digest()
            if digest in seen:
                continue
            seen.add(digest)
        yield {"messages": messages, **{name: record.get(name) for name in fields}}


def _write_jsonl(path: Path, lines: Iterable[dict[str, Any]]) -> int:
    count = 0
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for count, line in enumerate(lines, 1):  # noqa: B007 - the last is how many there were
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
    return count


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
