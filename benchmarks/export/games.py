"""Recorded games in the formats that other programs of their game read: SGF, saved games."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from stratagym.benchmarks.harness import cli, saved_games
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


def write_saved(path: Path, records: Iterable[dict[str, Any]]) -> int:
    """Write one file of saved games, one a line, with what was said; returns how many.

    Args:
        records: with ``messages_said``, those of the match.

    Raises:
        InputError: a game that has no such format, or a record that is no game of ours.
    """

    def saved(record: dict[str, Any]) -> dict[str, Any]:
        try:
            return saved_games.saved_game(record, record["messages_said"])
        except (ValueError, TypeError) as error:
            raise cli.InputError(f"game {record['match']}: {error}") from None

    found = [saved(record) for record in records]
    saved_games.write_saved(path, found)
    return len(found)
