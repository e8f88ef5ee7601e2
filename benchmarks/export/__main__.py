"""Recorded decisions for other tools: conversations to train on, or flat tables.

    python -m benchmarks.export RUN --format chat --winners --dedupe --output train.jsonl
    python -m benchmarks.export RUN OTHER_RUN --format table --output decisions.csv
    python -m benchmarks.export RUN --format table --rows games --output games.parquet
    python -m benchmarks.export RUN --format sgf --game gomoku --output games.sgf
    python -m benchmarks.export RUN --format saved --game diplomacy --output games.jsonl
    python -m benchmarks.export RUN --format botzone --licence CC-BY-4.0 --output FOLDER
    python -m benchmarks.export --format chat --game tictactoe --expert perfect --output train.jsonl

Needs pyarrow for Parquet, pip install 'stratagym[parquet]'.

A conversation is one decision of a language model: the messages it was sent and its reply. A table
has one row a decision, or a game, with the fields of the records as columns in a fixed order.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cyclopts import Parameter

from stratagym.benchmarks.export import botzone, tables
from stratagym.benchmarks.export.conversations import conversations, write_jsonl
from stratagym.benchmarks.export.games import write_saved, write_sgf
from stratagym.benchmarks.export.tables import DECISION_COLUMNS, GAME_COLUMNS
from stratagym.benchmarks.harness import cli, experts, replays
from stratagym.benchmarks.harness.decisions import OVERTIME, TRANSPORT
from stratagym.benchmarks.harness.replays import Run
from stratagym.benchmarks.reporting.terminal import say
from stratagym.envs.text import OK

NAME = "export"
FORMATS, ROWS = ("chat", "table", "sgf", "saved", "botzone"), ("decisions", "games")
KINDS = (OK, "unparseable", "illegal", TRANSPORT, OVERTIME)


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    format: str
    """chat: JSONL of conversations; table: CSV or Parquet, by the suffix of --output; sgf: games of
    go, reversi and gomoku for other programs; saved: games of Diplomacy, one a line, as the PyPI
    package diplomacy saves them; botzone: the four files of BotzoneBench's data set
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
    expert: str | None = None
    """Chat: instead of models' answers, what this policy decides, such as perfect or mcts:1000: in
    the positions of the runs, or without a run in positions of --game."""
    positions: int = 4000
    """Expert, without a run: how many different positions."""
    explore: float = 0.5
    """Expert, without a run: in games that are too large to go through, how often a random move is
    made in place of the expert's on the way to positions."""
    rules: str = ""
    """Expert, without a run: options of the game, such as rows=4,columns=5."""
    prompt: str = ""
    """Expert: options of prompts, such as list_legal=yes,reasoning=answer."""
    columns: str = "messages"
    """Expert: messages, the reply as the last of them; or completion, the columns prompt and
    completion, of which TRL trains on the reply alone."""
    held_out: float = 0.1
    """Expert: the share of positions that is written apart, to FILE.held_out.jsonl. Positions that
    a symmetry of the board makes of each other are on the same side."""
    seed: int = 0
    """Expert: seed of positions, of their order, of the split and of the policy's own chance."""
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
    if not runs and args.expert is None:
        raise cli.InputError("name at least one run")
    if args.expert is not None and args.format != "chat":
        raise cli.InputError(f"--expert goes with --format chat, not with {args.format}")
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
    if args.expert is not None:
        _write_expert(output, found, args)
        return
    records = games(found, args) if _of_games(args) else decisions(found, args)
    try:
        if args.format == "sgf":
            written = write_sgf(output, records)
        elif args.format == "saved":
            written = write_saved(output, records)
        elif args.format == "chat":
            written = write_jsonl(
                output, conversations(records, fields, dedupe=args.dedupe, reasoning=args.reasoning)
            )
        elif output.suffix == ".csv":
            written = tables.write_csv(output, records, columns, formulas=args.formulas)
        else:
            written = tables.write_parquet(output, records, columns)
    except OSError as error:
        raise cli.InputError(f"--output {output}: cannot be written ({error.strerror})") from None
    what = {"chat": "conversations", "sgf": "games", "saved": "games"}.get(args.format, args.rows)
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


def _write_expert(output: Path, found: list[Run], args: Args) -> None:
    wanted = experts.Wanted(
        str(args.expert), args.positions, args.explore, args.held_out, args.columns, args.seed,
        cli.pairs("--prompt", args.prompt), cli.pairs("--rules", args.rules),
    )  # fmt: skip
    apart = experts.held_out_path(output)
    if args.held_out and apart.exists() and not args.force:
        raise cli.InputError(f"{apart} exists; name another --output, or add --force")

    def fits(game: dict[str, Any]) -> bool:
        return args.game in (None, game["game"]) and replays.fits(
            game, cli.words(args.policies or "")
        )

    try:
        written = experts.write(output, wanted, args.game, found, fits)
    except OSError as error:
        raise cli.InputError(f"--output {output}: cannot be written ({error.strerror})") from None
    total = written.train + written.held_out
    said = f"{output}: {written.train} conversations of {args.expert}"
    said += f"; {apart}: {written.held_out}" if args.held_out else ""
    if not found and written.there_are is not None:
        said += f"; {total} of the {written.there_are} positions with a move to make"
    elif not found and total < args.positions:
        said += f"; games brought no more than {total} different positions"
    say(said, sys.stdout)


def _of_games(args: Args) -> bool:
    return args.format in ("sgf", "saved") or (args.format == "table" and args.rows == "games")


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
                said = {"messages_said": run.messages.get(record["match"], [])}
                yield {"run": run.folder.name, **record, **(said if args.format == "saved" else {})}


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
