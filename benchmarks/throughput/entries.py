"""Implementations in the call shapes of ``shapes``, ours among them, measured in turn."""

from __future__ import annotations

import importlib.metadata
import statistics
from collections.abc import Callable, Collection
from contextlib import ExitStack
from dataclasses import dataclass, field

from stratagym.benchmarks.harness.measuring import (
    Episode,
    Sample,
    median_interval,
    sample,
)
from stratagym.benchmarks.throughput.alone import Alone
from stratagym.benchmarks.throughput.peers import Peer
from stratagym.benchmarks.throughput.shapes import SHAPES
from stratagym.envs.threads import processors

OURS = "stratagym"


@dataclass
class Entry:
    """One line of the result: an implementation, ours among them, in one call shape of a game.

    Attributes:
        by: the implementation. missing: why it has no rates, if so.
        batch: games stepped together, in shapes of batches.
        samples: one a repeat. ratios: our rate divided by this one, repeat by repeat, for peers.
    """

    by: Peer
    missing: str = ""
    batch: int | None = None
    samples: list[Sample] = field(default_factory=list)
    ratios: list[float] = field(default_factory=list)

    @property
    def is_ours(self) -> bool:
        return self.by.name == OURS

    @property
    def title(self) -> str:
        return f"{self.by.ours}: {SHAPES[self.by.shape].title}"

    @property
    def clock(self) -> str:
        """Whose seconds its rates are taken by: "cpu" or "wall"."""
        return SHAPES[self.by.shape].clock

    @property
    def threads(self) -> int:
        """How many threads it may keep busy."""
        return 1 if self.clock == "cpu" else processors()

    @property
    def rates(self) -> list[float]:
        """One a repeat, by the shape's clock."""
        return [sample.rate(self.clock) for sample in self.samples]

    @property
    def version(self) -> str:
        """The version measured, or nothing."""
        if self.by.version:
            return self.by.version
        try:
            return importlib.metadata.version(self.by.package.partition("[")[0])
        except importlib.metadata.PackageNotFoundError:
            return ""

    @property
    def label(self) -> str:
        words = (self.by.name, self.version, "" if self.is_ours else self.by.game)
        return " ".join(filter(None, words))

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95% interval of the ratio's median, if there are enough repeats for one."""
        return median_interval(self.ratios)

    @property
    def faster(self) -> str:
        """Who is, for a peer of the same game: its name, ours, "neither", or nothing if unknown."""
        between = self.interval
        if not between or not self.by.same_game:
            return ""
        if between[0] > 1:
            return OURS
        return self.by.name if between[1] < 1 else "neither"

    @property
    def ratio(self) -> float:
        """The median of the ratios."""
        return statistics.median(self.ratios)


def entries_of(
    game: str, peers: tuple[Peer, ...], shapes: Collection[str] = tuple(SHAPES)
) -> list[Entry]:
    """Ours in the call shapes that the game has, each followed by the peers it is compared with."""
    entries = []
    for key, shape in SHAPES.items():
        if key not in shapes or not shape.has(game):
            continue
        entries.append(Entry(Peer(OURS, OURS, game, game, key, shape.make)))
        entries += [Entry(peer) for peer in peers if (peer.ours, peer.shape) == (game, key)]
    return entries


def prepare(entry: Entry, until: ExitStack) -> Callable[[float], Sample] | None:
    """What takes a repeat of so many seconds, played once so that it is compiled.

    None, with ``entry.missing`` filled in, if a peer cannot be had.

    Args:
        until: ends the processes that are started here.
    """
    try:
        if entry.by.alone:
            alone = Alone(entry.by.make, entry.by.game, one_core=entry.threads == 1)
            until.callback(alone.close)
            entry.batch = alone.batch
            return alone.sample
        episode: Episode = entry.by.make(entry.by.game)
        episode()
        entry.batch = getattr(episode, "batch", None)
        return lambda seconds: sample(episode, seconds)
    except Exception as error:
        if entry.is_ours:
            raise
        if isinstance(error, ModuleNotFoundError):
            entry.missing = f"not installed (pip install {entry.by.package})"
        else:
            # A peer may say itself what it lacks, as PettingZoo's Hanabi does.
            failed = "not installed" if isinstance(error, ImportError) else "failed"
            entry.missing = f"{failed}: {' '.join(str(error).split()) or type(error).__name__}"
        return None


def measure(
    entries: list[Entry], repeats: int, seconds: float, show: Callable[[Entry, int], None]
) -> None:
    """Fill in the samples and ratios of one game's entries, one of each a repeat of ``seconds``.

    Args:
        show: told the entry and the steps done: none before it is prepared, then one, and
            one a repeat.
    """
    with ExitStack() as until:
        ready = []
        for entry in entries:
            show(entry, 0)
            take = prepare(entry, until)
            show(entry, 1 if take else 1 + repeats)
            if take:
                ready.append((entry, take))
        for _ in range(repeats):
            ours: dict[str, float] = {}
            for entry, take in ready:
                entry.samples.append(take(seconds))
                latest = entry.samples[-1].rate(entry.clock)
                if entry.is_ours:
                    ours[entry.by.shape] = latest
                else:
                    entry.ratios.append(ours[entry.by.shape] / latest)
                show(entry, 1)
