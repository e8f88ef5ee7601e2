"""A run of matches that are all known before the first is played: played, added up, reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from types import ModuleType
from typing import Any

from stratagym.benchmarks.harness.games import Games, by_pairing
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.own_play import counting
from stratagym.benchmarks.harness.progress import stage
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.schedules import fixed

Played = defaultdict[str, Games]
"""The games that count, by pairing; none of a pairing that was not played."""


def play_and_report(
    run: Run,
    matches: Sequence[Match],
    named: Iterable[str],
    add_up: Callable[[Played], dict[str, Any]],
    report: ModuleType,
    *,
    line: Callable[[Match], str] = lambda match: match.place.pairing,
    ask: Callable[[Played], None] | None = None,
    tell_games: bool = True,
) -> None:
    """From the first match of a run to its last table.

    ``summary.json`` has the configuration, ``games`` in all, ``own`` (which of the policies'
    decisions were their own), the benchmark's own parts, and ``models``.

    Args:
        named: policies, as ``own`` lists them.
        add_up: the benchmark's own parts of the summary, from the games that count.
        report: has ``write`` and ``screen``, as ``Run.finish`` takes them.
        line: the line of the progress bar that a match counts in.
        ask: asks language models about the games that count, before these are added up.
        tell_games: whether the summary has ``games``.
    """
    records = run.play(fixed(matches), line)
    if ask is not None:
        ask(by_pairing(counting(records.values(), run.own_play().void())))
    with stage("adding up the games"):
        play = run.own_play()
        games = by_pairing(counting(records.values(), play.void()))
        parts = add_up(games)
        summary = {
            "config": run.config,
            **({"games": sum(map(len, games.values()))} if tell_games else {}),
            "own": play.records(named),
            **parts,
            "models": run.usage(),
        }
    run.finish(summary, report.write, report.screen)
