"""Recorded games in the notation that other programs of their game read: SGF."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stratagym.benchmarks.harness import cli
from stratagym.envs import sgf, spec


def write_sgf(path: Path, records: Iterable[dict[str, Any]]) -> int:
    """Write one file of games, with their seats' policies; returns how many.

    Raises:
        InputError: a game that is not written in SGF, or a record that is no game of ours.
    """
    count = 0
    with path.open("w", encoding="utf-8", errors="replace") as file:
        for count, record in enumerate(records, 1):  # noqa: B007
            try:
                game = spec(record["game"])
                rules = game.make_rules(**record["rules"])
                found = sgf.from_game(
                    game, rules, record["actions"], record["seats"], record["forfeited_by"]
                )
            except (ValueError, TypeError) as error:
                raise cli.InputError(f"game {record['match']}: {error}") from None
            found.more |= {"EV": [str(record["run"])], "GN": [str(record["match"])]}
            file.write(sgf.write(found))
    return count
