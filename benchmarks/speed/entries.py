"""Implementations in the call shapes of ``shapes``, ours among them, measured in turn."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass, field

from stratagym.benchmarks.speed.measuring import Episode, rate
from stratagym.benchmarks.speed.peers import Peer
from stratagym.benchmarks.speed.shapes import SHAPES


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


def measure(
    entries: list[Entry], repeats: int, seconds: float, show: Callable[[Entry, int], None]
) -> None:
    """Fill in the rates and ratios of one game's entries, one of each a repeat of ``seconds``.

    Args:
        show: told the entry and the steps done: preparing is one, each repeat is one.
    """
    ready = []
    for entry in entries:
        episode = prepare(entry)
        show(entry, 1 if episode else 1 + repeats)
        if episode:
            ready.append((entry, episode))
    for _ in range(repeats):
        ours: dict[str, float] = {}
        for entry, episode in ready:
            entry.rates.append(rate(episode, seconds))
            if entry.is_ours:
                ours[entry.by.shape] = entry.rates[-1]
            else:
                entry.ratios.append(ours[entry.by.shape] / entry.rates[-1])
            show(entry, 1)
