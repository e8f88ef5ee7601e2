"""All games of a page in a list: what a reader finds and filters them by.

A page holds the positions of some games only; its list has a row for every game.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from stratagym.benchmarks.harness import replays
from stratagym.benchmarks.harness.outcomes import seats_called
from stratagym.benchmarks.harness.records import side_lead
from stratagym.envs import spec
from stratagym.envs.talk import player_names

WON, DRAWN, LOST, NO_RESULT = "wdl-"
"""A seat's result: whether its side was ahead of, level with or behind the others."""
MOST = 20_000
"""Games in a list; of more, those with positions and the first others are listed."""


def listing(
    run: replays.Run,
    numbers: Iterable[int],
    scenes: Mapping[int, Mapping[str, Any]],
    seat: int | None = None,
) -> dict[str, Any]:
    """Rows for the page's script: of each game the seats, the result and the answers.

    Args:
        numbers: of the games, counted from 1. scenes: by number, of the games that have positions.
        seat: whose view the games are shown from: others' answers are not counted.
    """
    kinds = _kinds(run, seat)
    policies: dict[str, int] = {}
    chosen = sorted(numbers)
    if len(chosen) > MOST:
        others = [number for number in chosen if number not in scenes]
        chosen = sorted([*scenes, *others[: MOST - len(scenes)]])
    rows = []
    for number in chosen:
        record = run.games[number - 1]
        found = scenes.get(number)
        rows.append(
            {
                "number": number,
                "match": record["match"],
                "game": record["game"],
                "seats": [policies.setdefault(name, len(policies)) for name in record["seats"]],
                "outcome": _outcome(record) if found is None else found["outcome"],
                "ended": record["ended_by"],
                "results": _results(record),
                "moves": len(record["actions"]),
                "answers": kinds.get(record["match"], {}),
            }
        )
    command = f"python -m benchmarks.replay {run.folder} --match NUMBER --html game.html"
    return {"policies": list(policies), "rows": rows, "command": command}


def _kinds(run: replays.Run, seat: int | None) -> dict[str, dict[int, dict[str, int]]]:
    """How many answers of each kind were given, by match and seat."""
    found: defaultdict[str, defaultdict[int, Counter[str]]] = defaultdict(
        lambda: defaultdict(Counter)
    )
    for (match, _), records in run.answers.items():
        for record in records:
            if record["seat"] is not None and seat in (None, record["seat"]):
                found[match][record["seat"]][record["kind"]] += 1
    return {match: {k: dict(own) for k, own in seats.items()} for match, seats in found.items()}


def _outcome(record: Mapping[str, Any]) -> str:
    """How a game ended, in a few words; empty where its record does not say it."""
    seats = len(record["seats"])
    try:
        game = spec(record["game"])
        names: tuple[str, ...] = player_names(seats)
        if seats > 2 and "seat_name" in vars(game.module("view")):
            names = seats_called(game, game.make_rules(**record["rules"]), record["seed"])
        return replays.outcome(game, dict(record), names)
    except (ValueError, TypeError, LookupError, ArithmeticError):  # whatever stands in a record
        return ""


def _results(record: Mapping[str, Any]) -> str:
    """A letter for each seat."""
    seats = len(record["seats"])
    try:
        if record["returns"] is None or spec(record["game"]).utility == "identical":
            return NO_RESULT * seats
        leads = [side_lead(record, seat) for seat in range(seats)]  # type: ignore[arg-type]
    except (ValueError, TypeError, LookupError):
        return NO_RESULT * seats
    return "".join(WON if lead > 0 else LOST if lead < 0 else DRAWN for lead in leads)
