"""Policies beside each other: differences on the same matches, and how metrics go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from stratagym.benchmarks.advgame import metrics
from stratagym.benchmarks.advgame.metrics import Game
from stratagym.benchmarks.reporting.correlation import correlation, holm

AGAINST_ORR = ("WR", "slope", "OBR", "CSR")
COMPARED = ("WR", "init-win", "ORR", "CSR", "slope", "OBR")
Rows = Sequence[Mapping[str, Any]]


def is_chance(policy: str) -> bool:
    """Whether a policy is a yardstick: who plays at random, never revises, or draws anew."""
    return policy == "random" or policy.startswith("control:")


def summary(rows: Rows, of: Mapping[str, Sequence[Game]], kind: str) -> dict[str, Any]:
    """Figures 4 and 5 in numbers, and the first policy against the others.

    Policies are points, yardsticks are not.

    Args:
        rows: of the summary. kind: ``mean`` of the games, or ``pooled``.
    """
    return {
        "points": kind,
        "figure_5": figure_5(rows, kind),
        "figure_4": pair(rows, "OBR", "WR", kind),
        "differences": differences(of),
    }


def differences(of: Mapping[str, Sequence[Game]]) -> list[dict[str, Any]]:
    """The first policy, no yardstick if there is another, minus each other one.

    On the same opponents and settings.
    """
    names = [name for name, games in of.items() if games]
    first = next((name for name in names if not is_chance(name)), names[0] if names else "")
    return [
        {
            "policies": [first, other],
            **{m: metrics.paired(of[first], of[other], m).record() for m in COMPARED},
        }
        for other in names
        if other != first
    ]


def figure_5(rows: Rows, kind: str) -> list[dict[str, Any]]:
    """ORR against four metrics, a point a policy; p-values as they are and after Holm."""
    found = [{"metric": metric, **pair(rows, "ORR", metric, kind)} for metric in AGAINST_ORR]
    known = [one for one in found if one["correlation"] is not None]
    for one, p in zip(known, holm([k["correlation"]["p"] for k in known]), strict=True):
        one["correlation"]["p_holm"] = p
    return found


def pair(rows: Rows, x: str, y: str, kind: str) -> dict[str, Any]:
    """Two metrics of all policies, and how they go together.

    ``chance`` are the yardsticks and ``small`` the games of the policies, which count nowhere.
    """
    points = _points(rows, x, y, kind)
    own = [one for one in points if not is_chance(one[0])]
    xs, ys = [one[1] for one in own], [one[2] for one in own]
    found = correlation(xs, ys)
    games = dict.fromkeys(game for row in rows for game in row["by_game"])
    small = [
        {"policy": name, "game": game, "x": a, "y": b}
        for game in games
        for name, a, b in _points([row for row in rows if game in row["by_game"]], x, y, game)
        if not is_chance(name)
    ]
    return {
        "policies": [one[0] for one in own],
        "x": xs,
        "y": ys,
        "correlation": None if found is None else found.record(),
        "chance": [{"policy": n, "x": a, "y": b} for n, a, b in points if is_chance(n)],
        "small": small,
    }


def _points(rows: Rows, x: str, y: str, kind: str) -> list[tuple[str, float, float]]:
    """(policy, x, y) of all that have both; ``kind`` may be a game."""
    found = []
    for row in rows:
        part = row[kind] if kind in ("mean", "pooled") else row["by_game"][kind]
        a, b = part[x]["value"], part[y]["value"]
        if a is not None and b is not None:
            found.append((row["policy"], a, b))
    return found
