"""Replies that took far more time or tokens than others, and games that repeat each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any, cast

from stratagym.benchmarks.audit.faults import Example, Findings, Who
from stratagym.benchmarks.harness.records import GameRecord
from stratagym.benchmarks.harness.repeats import evidence

FAR = 10
"""How many times the median is far outside ..."""
LEAST = {"slow": 10.0, "long": 1000}
"""... if it is by so much above it, in seconds and in tokens."""
FIELDS = {"slow": ("latency_s", "s"), "long": ("tokens_out", "tokens")}
FEWEST = 10
"""Replies of a model in a game below which nothing is said of what is usual."""


def check_outliers(findings: Findings, records: Iterable[Mapping[str, Any]]) -> None:
    """Compare the time and the tokens of each reply with those of the same model in the game."""
    by: defaultdict[Who, list[Mapping[str, Any]]] = defaultdict(list)
    for record in records:
        by[Who.of(record)].append(record)
    for own in by.values():
        for fault, (field, unit) in FIELDS.items():
            known = [record for record in own if record[field] is not None]
            if len(known) < FEWEST:
                continue
            usual = median(record[field] for record in known)
            most = max(FAR * usual, usual + LEAST[fault])
            for record in known:
                value = record[field]
                shown = f"{value:g} {unit}, usually {usual:g}" if value > most else ""
                findings.reply(fault, record, shown)


def check_repeats(findings: Findings, games: Sequence[Mapping[str, Any]]) -> None:
    """Look for rounds, the games of one seed, that repeat each other move by move.

    As in reports it is said of players at most half of whose rounds are different.
    """
    by: defaultdict[tuple[str, tuple[str, ...]], list[Mapping[str, Any]]] = defaultdict(list)
    for game in games:
        if game["returns"] is not None:
            by[game["game"], tuple(sorted(game["seats"]))].append(game)
    for (name, seats), own in by.items():
        found = evidence(cast(Sequence[GameRecord], own))
        who, seen = Who(name, " – ".join(dict.fromkeys(seats)), 0), set()
        first = {game["seed"]: (game["match"], k) for k, game in reversed([*enumerate(own)])}
        for match, k in first.values():
            kind = int(found.clusters[k])
            again = found.repeats and kind in seen
            seen.add(kind)
            shown = f"{found.different} of {found.rounds} rounds are different"
            findings.looked(
                "repeated_game", who, match, Example(match, None, None, shown) if again else None
            )
