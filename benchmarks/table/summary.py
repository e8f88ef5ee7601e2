"""The content of ``summary.json``: what every policy came to at every table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.seatings import Table
from stratagym.benchmarks.harness.standings import standing
from stratagym.benchmarks.harness.whole_games import Played


def add_up(games: Played, tables: Sequence[Table]) -> dict[str, Any]:
    """``tables`` of the summary."""
    return {"tables": [_table(table, games[table.name]) for table in tables]}


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
