"""The content of ``summary.json``: what every policy came to at every table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stratagym.benchmarks.harness.games import Games, by_pairing
from stratagym.benchmarks.harness.own_play import counting
from stratagym.benchmarks.harness.records import GameRecord
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.standings import standing
from stratagym.benchmarks.table.seatings import Table


def summarise(
    run: Run, records: Mapping[str, GameRecord], tables: Sequence[Table]
) -> dict[str, Any]:
    """The summary of a run, from the records of its tables' games."""
    play = run.own_play()
    games = by_pairing(counting(records.values(), play.void()))
    return {
        "config": run.config,
        "games": sum(map(len, games.values())),
        "own": play.records(run.config["named"]),
        "tables": [_table(table, games[table.name]) for table in tables],
        "models": run.usage(),
    }


def _table(table: Table, games: Games) -> dict[str, Any]:
    return {
        "seating": table.seating,
        "policies": list(table.policies),
        "games": len(games),
        "standings": {name: standing(games, name) for name in table.policies},
        "endings": games.endings,
        "transport_aborted": games.aborted,
        "mean_plies": games.mean_plies,
    }
