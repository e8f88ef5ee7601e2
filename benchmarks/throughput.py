"""How fast the games are: player decisions per CPU-second, beside the peers that are installed.

Every registered game is measured in the call shapes of ``SHAPES`` with random legal play; a new
game needs nothing here. A peer is one entry of ``PEERS`` in ``benchmarks/speed/peers.py`` and is
compared within its call shape only. All of a game's entries take turns, one repeat each, so that
a machine that slows down slows them all; ratios are taken repeat by repeat.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import itertools
import json
import math
import os
import platform
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from random import Random
from typing import Annotated, Any

import numba
import numpy as np
from cyclopts import Parameter
from numba import njit
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from stratagym import envs
from stratagym.benchmarks.harness.cli import InputError, app, run
from stratagym.benchmarks.speed.peers import PEERS, Episode, Peer, aec_loop, random_hands
from stratagym.envs import core

BATCH = 1024
BULK_DECISIONS = 20_000
UNIT = "player decisions per CPU-second, one thread, random legal play"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args:
    games: Annotated[list[str] | None, Parameter(consume_multiple=True, negative="")] = None
    """Games to measure, such as `--games ludo`; every game if not given."""
    seconds: float = 0.5
    """Length of one repeat."""
    repeats: int = 5
    """Repeats of each measurement; the median is the rate."""
    peers: bool = True
    """Measure the installed peers too."""
    json: Annotated[bool, Parameter(negative="")] = False
    """Print one JSON document to standard output, and nothing else there."""
    output: Path | None = None
    """Directory for throughput.json, throughput.md and throughput.png."""


# --- our games in the call shapes ----------------------------------------------------------------


def bulk_loop(game: str) -> Episode:
    """Whole games inside one compiled loop."""
    rules = envs.spec(game).make_rules()
    states, seeds = core.new_states(rules), itertools.count()
    legal, probs = core.new_scratch(rules)

    def episode() -> int:
        seed = np.uint64(next(seeds))
        decisions, _ = core.random_games(rules, states, legal, probs, seed, BULK_DECISIONS)
        return decisions

    return episode


def state_api(game: str, observe: bool = False) -> Episode:
    """One call from Python a decision, on the record itself."""
    rules = envs.spec(game).make_rules()
    states, seeds = core.new_states(rules), itertools.count()
    legal, probs = core.new_scratch(rules)
    observation = np.zeros(rules.observation_shape, rules.observation_dtype)
    random = Random(1).random
    start = core.direct(core.start_at, rules, states, 0, np.uint64(0), probs)
    actions = core.direct(core.legal_actions_at, rules, states, 0, legal)
    play = core.direct(core.play_at, rules, states, 0, 0, legal, probs)
    see = core.direct(core.observe_at, rules, states, 0, 0, observation)

    def episode() -> int:
        decisions = 0
        player = start(rules, states, 0, next(seeds), probs)
        n = actions(rules, states, 0, legal)
        while player >= 0:
            if observe:
                see(rules, states, 0, player, observation)
            player, n = play(rules, states, 0, legal[int(random() * n)], legal, probs)
            decisions += 1
        return decisions

    return episode


def state_api_observing(game: str) -> Episode:
    """The same with the observation of the seat to move before every decision."""
    return state_api(game, observe=True)


def aec_environment(game: str) -> Episode:
    """The PettingZoo environment as people use it."""
    return aec_loop(envs.make(game))


@njit(cache=True)
def choose_random(masks, generators, actions):
    """A uniformly random legal action for every game, from its action mask."""
    for i in range(masks.shape[0]):
        n = 0
        for action in range(masks.shape[1]):
            n += masks[i, action]
        k = core.random_below(generators[0], n)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if k == 0:
                    actions[i] = action
                    break
                k -= 1


def batch_environment(game: str) -> Episode:
    """``BATCH`` games stepped together, with observations and masks."""
    batch = envs.make_batch(game, BATCH)
    # Of the game's own dtype: numba takes a smaller record for a kind of the larger one.
    generators, actions = core.new_states(batch.rules), np.zeros(BATCH, np.int64)

    def episode() -> int:
        choose_random(batch.action_masks, generators, actions)
        batch.step(actions)
        return BATCH

    return episode


def perft_leaves(game: str) -> Episode:
    """Leaves of the move tree, counted at the last ply without being listed."""
    from stratagym.envs.chess.perft import perft

    rules = envs.spec(game).make_rules()
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(0), core.new_scratch(rules)[1])
    return lambda: perft(states, 5)


def hand_values(game: str) -> Episode:
    """Values of random hands of seven cards in one compiled loop."""
    from stratagym.envs.texas_holdem.evaluator import evaluate_each

    hands = random_hands(20_000)
    values = np.zeros(len(hands), np.int64)

    def episode() -> int:
        evaluate_each(hands, 1, values)
        return len(hands)

    return episode


@dataclass(frozen=True)
class Shape:
    """A way of calling a game; only rates of one shape are compared.

    Attributes:
        games: those that have it; all if empty. What is counted is then in the title.
    """

    title: str
    make: Callable[[str], Episode]
    games: tuple[str, ...] = ()


SHAPES = {
    "bulk": Shape("bulk loop, no observation", bulk_loop),
    "step": Shape("Python step, no observation", state_api),
    "observe": Shape("Python step + observation", state_api_observing),
    "aec": Shape("AEC loop, observation + mask", aec_environment),
    "batch": Shape(f"batch of {BATCH}, observation + mask", batch_environment),
    "perft": Shape("perft leaves, bulk-counted", perft_leaves, ("chess",)),
    "hands": Shape("7-card hands evaluated", hand_values, ("texas_holdem",)),
}


# --- measuring -----------------------------------------------------------------------------------


@dataclass
class Entry:
    """One line of the result: an implementation, ours among them, in one call shape of a game.

    Attributes:
        by: the implementation. missing: why it has no rates, if so.
        rates: one a repeat. ratios: our rate divided by this one, for peers.
    """

    by: Peer
    missing: str = ""
    rates: list[float] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)

    @property
    def is_ours(self) -> bool:
        return self.by.name == "stratagym"

    @property
    def title(self) -> str:
        return f"{self.by.ours}: {SHAPES[self.by.shape].title}"

    @property
    def version(self) -> str:
        """The installed version, or nothing."""
        try:
            return importlib.metadata.version(self.by.package.partition("[")[0])
        except importlib.metadata.PackageNotFoundError:
            return ""

    @property
    def label(self) -> str:
        words = (self.by.name, self.version, "" if self.is_ours else self.by.game)
        return " ".join(filter(None, words))


def entries_of(game: str, peers: tuple[Peer, ...]) -> list[Entry]:
    """Ours in every call shape, each followed by the peers it is compared with."""
    entries = []
    for key, shape in SHAPES.items():
        if shape.games and game not in shape.games:
            continue
        entries.append(Entry(Peer("stratagym", "stratagym", game, game, key, shape.make)))
        entries += [Entry(peer) for peer in peers if (peer.ours, peer.shape) == (game, key)]
    return entries


def prepare(entry: Entry) -> Episode | None:
    """The entry's episode, played once so that it is compiled; None if a peer cannot be had."""
    try:
        episode = entry.by.make(entry.by.game)
        episode()
    except Exception as error:
        if entry.is_ours:
            raise
        if isinstance(error, ModuleNotFoundError):
            entry.missing = f"not installed (pip install {entry.by.package})"
        else:
            entry.missing = f"failed: {' '.join(str(error).split()) or type(error).__name__}"
        return None
    return episode


def rate(episode: Episode, seconds: float) -> float:
    """Decisions per CPU-second over about ``seconds`` of wall time."""
    decisions = 0.0
    end, cpu = time.perf_counter() + seconds, time.process_time()
    while True:
        decisions += episode()
        if time.perf_counter() >= end and time.process_time() > cpu:
            return decisions / (time.process_time() - cpu)


def measure(entries: list[Entry], args: Args, show: Callable[[Entry, int], None]) -> None:
    """Fill in the rates and ratios of one game's entries; ``show`` is told the steps done."""
    ready = []
    for entry in entries:
        episode = prepare(entry)
        show(entry, 1 if episode else 1 + args.repeats)
        if episode:
            ready.append((entry, episode))
    for _ in range(args.repeats):
        ours: dict[str, float] = {}
        for entry, episode in ready:
            entry.rates.append(rate(episode, args.seconds))
            if entry.is_ours:
                ours[entry.by.shape] = entry.rates[-1]
            else:
                entry.ratios.append(ours[entry.by.shape] / entry.rates[-1])
            show(entry, 1)


# --- reporting -----------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """Where and when the rates were taken."""
    try:
        cpu = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        cpu = None
    return {
        "cpu": cpu[1] if cpu else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numba": numba.__version__,
        "numpy": np.__version__,
        "date": datetime.now(timezone.utc).isoformat(timespec="minutes"),
    }


def machine_line(where: dict[str, Any]) -> str:
    return (
        f"{where['cpu']}, {where['cores']} cores; Python {where['python']}, "
        f"numba {where['numba']}, numpy {where['numpy']}; {where['date']}"
    )


def method_line(args: Args) -> str:
    return (
        f"Rates are {UNIT}, or what the heading counts; median, min and max of {args.repeats} "
        f"repeats of {args.seconds:g} s. Ratios are medians over the repeats."
    )


def spread_of(values: list[float]) -> dict[str, float] | None:
    if not values:
        return None
    return {"median": statistics.median(values), "min": min(values), "max": max(values)}


def document(entries: list[Entry], where: dict[str, Any], args: Args) -> dict[str, Any]:
    """Everything, for ``--json`` and ``throughput.json``."""
    return {
        "schema": 1,
        "unit": UNIT,
        "machine": where,
        "seconds": args.seconds,
        "repeats": args.repeats,
        "shapes": {key: shape.title for key, shape in SHAPES.items()},
        "entries": [
            {
                "game": entry.by.ours,
                "shape": entry.by.shape,
                "name": entry.by.name,
                "version": entry.version or None,
                "played": entry.by.game,
                "same_game": entry.by.same_game,
                "rate": spread_of(entry.rates),
                "ours_over_peer": spread_of(entry.ratios),
                "missing": entry.missing or None,
                "notes": entry.by.notes,
            }
            for entry in entries
        ],
    }


OURS, PEER, OTHER_GAME = "#0072b2", "#e69f00", "#c9c9c9"
COLUMNS = ("", "median", "min", "max", "ours / peer")


def short(value: float) -> str:
    """Three digits: 9.70M, 677k, 950."""
    value = float(f"{value:.3g}")
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:#.3g}".rstrip(".") + letter
    return f"{value:#.3g}".rstrip(".")


def cells(entry: Entry) -> list[str]:
    """The entry as a row under ``COLUMNS``."""
    spread = spread_of(entry.rates)
    if spread is None:
        return [f"{entry.label}: {entry.missing}", "", "", "", ""]
    return [entry.label, *(short(spread[key]) for key in COLUMNS[1:4]), ratio(entry)]


def ratio(entry: Entry) -> str:
    if not entry.ratios:
        return ""
    times = f"{short(statistics.median(entry.ratios))}x"
    return times if entry.by.same_game else f"{times} other game"


def notes(entries: list[Entry]) -> list[str]:
    """What to know of the peers, each thing once."""
    lines = [f"{entry.label}: {note}" for entry in entries for note in entry.by.notes]
    return list(dict.fromkeys(lines))


def show_table(entries: list[Entry], where: dict[str, Any], args: Args) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for name in COLUMNS:
        table.add_column(name, justify="right" if name in COLUMNS[1:4] else "left")
    for entry in entries:
        if entry.is_ours:
            table.add_section()
            table.add_row(Text(entry.title, "bold"))
        table.add_row(*(Text(cell) for cell in cells(entry)))
    console = Console(highlight=False, markup=False)
    console.print(machine_line(where), table, method_line(args), *notes(entries), sep="\n")


def markdown(entries: list[Entry], where: dict[str, Any], args: Args) -> str:
    rows = [COLUMNS, ["---", "---:", "---:", "---:", "---"]]
    for entry in entries:
        if entry.is_ours:
            rows.append([f"**{entry.title}**", "", "", "", ""])
        rows.append(cells(entry))
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    listed = "\n".join(f"- {note}" for note in notes(entries))
    return f"# Throughput\n\n{machine_line(where)}\n\n{table}\n\n{method_line(args)}\n\n{listed}\n"


def plot(entries: list[Entry], where: dict[str, Any], path: Path) -> None:
    """Bars on a log axis, one group a game and call shape; whiskers from min to max."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Patch

    # From the top down: a group's title takes a line, each entry one, then half a line of space.
    y, headings, bars = 0.0, [], []
    for entry in entries:
        if entry.is_ours:
            headings.append((y + 0.5, entry.title))
            y += 1.5
        bars.append((y, entry))
        y += 1
    figure = Figure(figsize=(9, 1.2 + 0.24 * y), layout="constrained")
    axes = figure.subplots()
    axes.set(xscale="log", ylim=(y - 0.3, -0.2), xlabel=UNIT)
    axes.set_title(machine_line(where), fontsize=8)
    axes.set_yticks([at for at, _ in bars], [entry.label for _, entry in bars], fontsize=8)
    axes.tick_params(axis="y", length=0)
    axes.spines[["top", "right"]].set_visible(False)
    for at, entry in bars:
        colour = OURS if entry.is_ours else PEER if entry.by.same_game else OTHER_GAME
        spread = spread_of(entry.rates)
        if spread is None:
            axes.text(0.01, at, entry.missing, fontsize=8, va="center", transform=_row(axes))
            continue
        middle = spread["median"]
        whisker = [[middle - spread["min"]], [spread["max"] - middle]]
        axes.barh(at, middle, 0.8, color=colour, xerr=whisker, error_kw={"lw": 1, "capsize": 2})
        text = short(middle) + (f"   ours / peer: {ratio(entry)}" if entry.ratios else "")
        axes.annotate(
            text, (spread["max"], at), (4, 0), textcoords="offset points", fontsize=8, va="center"
        )
    for at, heading in headings:
        axes.text(0.005, at, heading, fontsize=9, weight="bold", va="center", transform=_row(axes))
    medians = [statistics.median(entry.rates) for entry in entries if entry.rates]
    # Room for the numbers to the right of the longest bar.
    axes.set_xlim(10 ** math.floor(math.log10(min(medians))), max(medians) * 6)
    labels = (("stratagym", OURS), ("peer", PEER), ("peer, other game", OTHER_GAME))
    figure.legend(
        handles=[Patch(color=colour, label=label) for label, colour in labels],
        loc="outside lower center", ncols=3, frameon=False, fontsize=8,
    )  # fmt: skip
    figure.savefig(path, dpi=150)


def _row(axes: Any) -> Any:
    """Coordinates: x as a fraction of the width, y as the bars'."""
    return axes.get_yaxis_transform()


def check_writable(directory: Path) -> None:
    """Make the directory; raises ``InputError`` now, not after minutes of measuring."""
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except OSError as error:
        raise InputError(
            f"--output {directory}: {error.strerror or error}; name a directory that can be written"
        ) from None


def checked_games(args: Args) -> list[str]:
    """The games to measure; raises ``InputError`` for arguments that make no sense."""
    known = envs.games()
    games = known if args.games is None else list(dict.fromkeys(args.games))
    unknown = [game for game in games if game not in known]
    if unknown or not games:
        said = f"unknown game {unknown[0]!r}" if unknown else "no game is named"
        raise InputError(f"--games: {said}; the games are: {', '.join(known)}")
    if not 0 < args.seconds < math.inf:
        raise InputError(f"--seconds {args.seconds:g}: a number above 0 is needed")
    if args.repeats < 1:
        raise InputError(f"--repeats {args.repeats}: a whole number of at least 1 is needed")
    return games


def main(args: Args = Args()) -> None:  # noqa: B008
    """Measure the games' speed beside the peers that are installed.

    Rates are player decisions per CPU-second of one thread, under random legal play.
    """
    games = checked_games(args)
    if args.output:
        check_writable(args.output)
    where = machine()
    groups = [entries_of(game, PEERS if args.peers else ()) for game in games]
    columns = TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    # Refreshed between the repeats only: a refreshing thread would use CPU time of the repeat.
    bar = Progress(*columns, console=Console(stderr=True), auto_refresh=False)
    task = bar.add_task("", total=sum(map(len, groups)) * (1 + args.repeats))

    def show(entry: Entry, steps: int) -> None:
        what = f"{entry.title} ({entry.by.name})"
        bar.update(task, advance=steps, description=what, refresh=True)

    # What a peer prints must not get into the JSON.
    with contextlib.redirect_stdout(sys.stderr), bar:
        for group in groups:
            measure(group, args, show)
    entries = [entry for group in groups for entry in group]
    result = json.dumps(document(entries, where, args), indent=2)
    if args.json:
        print(result)
    else:
        show_table(entries, where, args)
    if args.output:
        (args.output / "throughput.json").write_text(result + "\n")
        (args.output / "throughput.md").write_text(markdown(entries, where, args))
        plot(entries, where, args.output / "throughput.png")


APP = app("throughput", main)

if __name__ == "__main__":
    run(APP)
