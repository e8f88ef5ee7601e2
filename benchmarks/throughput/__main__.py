"""Speed of the games in player decisions per CPU-second, compared with the installed peers.

Every registered game is measured in the call shapes of ``benchmarks/throughput/shapes.py`` with
random legal play; a new game needs no change here. A peer is one entry of ``PEERS`` in
``benchmarks/throughput/peers.py`` and is compared within its call shape only. The entries of a game
take turns, one repeat each, so that a machine that slows down slows all of them; ratios are
computed repeat by repeat.

    python -m benchmarks.throughput
    python -m benchmarks.throughput --game ludo,chess --no-peers --output FOLDER
"""

from __future__ import annotations

import contextlib
import json
import math
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn

from stratagym import envs
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.measuring import empty_calls, machine
from stratagym.benchmarks.harness.progress import progress_bar
from stratagym.benchmarks.throughput import report
from stratagym.benchmarks.throughput.entries import Entry, entries_of, measure
from stratagym.benchmarks.throughput.peers import PEERS
from stratagym.benchmarks.throughput.shapes import SHAPES


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    game: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None
    """Games to measure, separated by commas; every game if not given."""
    shape: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None
    """Call shapes to measure, separated by commas, by their keys in throughput.json, such as `step`
    or `aec`; every shape if not given."""
    seconds: float = 0.5
    """Length of one repeat."""
    repeats: int = 7
    """Repeats of each measurement; the median is the rate. With 6 or more, ratios have an
    interval."""
    peers: bool = True
    """Measure the installed peers too."""
    json: Annotated[bool, Parameter(negative="")] = False
    """Print one JSON document, and nothing else, to standard output."""
    output: Path | None = None
    """Directory for throughput.json, throughput.md and throughput.png."""
    page: Path | None = None
    """A page in Markdown, such as docs/performance.md, in which the part between the lines `<!--
    throughput: begin -->` and `<!-- throughput: end -->` is replaced."""


def main(args: Args = Args()) -> None:  # noqa: B008
    """Measure the games' speed beside the peers that are installed.

    Rates are player decisions per CPU-second of one thread, under random legal play. Peers that
    are not there are named at the end.
    """
    games, shapes = checked_games(args), checked_shapes(args)
    if args.output:
        check_writable(args.output)
    if args.page:
        cli.put_into(args.page, report.MARK)
    method = report.Method(machine(), args.seconds, args.repeats, empty_calls())
    groups = [entries_of(game, PEERS if args.peers else (), shapes) for game in games]
    groups = [group for group in groups if group]
    columns = TextColumn("{task.description}", markup=False), BarColumn(), TimeRemainingColumn()
    # Refreshed between the repeats only: a refreshing thread would use CPU time of the repeat.
    bar = progress_bar(*columns, auto_refresh=False)
    task = bar.add_task("", total=sum(map(len, groups)) * (1 + args.repeats))

    def show(entry: Entry, steps: int) -> None:
        what = f"{entry.title} ({entry.by.name})"
        bar.update(task, advance=steps, description=what, refresh=True)

    entries: list[Entry] = []
    # What a peer prints must not get into the JSON.
    with contextlib.redirect_stdout(sys.stderr), bar:
        for group in groups:
            start = time.monotonic()
            measure(group, args.repeats, args.seconds, show)
            entries += group
            write(args, entries, method)
            if not bar.console.is_terminal:
                took = time.monotonic() - start
                print(f"{group[0].by.ours}: measured in {took:.0f} s", file=sys.stderr, flush=True)
    if args.json:
        print(json.dumps(report.document(entries, method), indent=2))
    else:
        report.screen(entries, method)
    for line in report.missing(entries):
        print(f"not measured: {line}", file=sys.stderr)


def write(args: Args, entries: list[Entry], method: report.Method) -> None:
    """Write the files asked for; after every game, so that an interrupted run leaves some."""
    if args.output:
        result = json.dumps(report.document(entries, method), indent=2)
        (args.output / "throughput.json").write_text(result + "\n", encoding="utf-8")
        table = report.markdown(entries, method)
        (args.output / "throughput.md").write_text(table, encoding="utf-8")
        report.plot(entries, method, args.output / "throughput.png")
    if args.page:
        cli.put_into(args.page, report.MARK, report.body(entries, method))


def check_writable(directory: Path) -> None:
    """Make the directory; raises ``cli.InputError`` now, not after minutes of measuring."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise cli.InputError(
            f"--output {directory}: {error.strerror or error}; name a directory that can be written"
        ) from None


def checked_games(args: Args) -> list[str]:
    """The games to measure; raises ``cli.InputError`` for arguments that make no sense."""
    if args.game is None:
        games = [game.name for game in envs.specs()]
    else:
        games = list(dict.fromkeys(cli.words(",".join(args.game))))
    if not games:
        known = ", ".join(envs.games())
        raise cli.InputError(f"--game: no game is named; the games are: {known}")
    try:
        _ = [envs.spec(game) for game in games]
    except ValueError as error:
        raise cli.InputError(f"--game: {error}") from None
    if not 0 < args.seconds < math.inf:
        raise cli.InputError(f"--seconds {args.seconds:g}: a number above 0 is needed")
    if args.repeats < 1:
        raise cli.InputError(f"--repeats {args.repeats}: a whole number of at least 1 is needed")
    return games


def checked_shapes(args: Args) -> list[str]:
    """The call shapes to measure; raises ``cli.InputError`` for those that are none."""
    if args.shape is None:
        return list(SHAPES)
    found = list(dict.fromkeys(cli.words(",".join(args.shape))))
    for shape in found or [""]:
        if shape not in SHAPES:
            raise cli.InputError(f"--shape: unknown {shape!r}; the shapes are: {', '.join(SHAPES)}")
    return found


APP = cli.app("throughput", main, former={"--games": "--game"})

if __name__ == "__main__":
    cli.run(APP)
