"""Schedules: which matches come next, given the records of those before.

A schedule is a generator. It yields lists of matches, is sent their records by name, and returns
what it came to:

    def best_of_three(names):
        records = yield first_two(names)
        if undecided(records):
            records = records | (yield last(names))
        return records

``play_out`` plays one with whatever plays matches; ``Run.play`` does it with a run's.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from itertools import combinations
from typing import Any, TypeVar

from stratagym.agents.chat import Unavailable
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.pairings import pair, points
from stratagym.benchmarks.harness.records import GameRecord, side_policies

T = TypeVar("T")
Records = dict[str, GameRecord]
Schedule = Generator[list[Match], Records, T]
MatchesOf = Callable[[Sequence[tuple[str, str]], str], list[Match]]
"""All matches of some pairings; the text is what their names begin with."""


def play_out(schedule: Schedule[T], play: Callable[[list[Match]], Records]) -> T:
    """Play a schedule to its end; returns what it returns.

    Args:
        play: plays matches and returns their records by name.
    """
    try:
        matches = next(schedule)
        while True:
            matches = schedule.send(play(matches))
    except StopIteration as end:
        return end.value


def fixed(matches: Iterable[Match]) -> Schedule[Records]:
    """All matches at once; returns their records by name, in the order of the matches."""
    return (yield list(matches))


def round_robin(names: Sequence[str], matches_of: MatchesOf) -> Schedule[list[GameRecord]]:
    """Every policy meets every other; returns all games."""
    records = yield matches_of(list(combinations(names, 2)), "")
    return list(records.values())


def swiss(
    names: Sequence[str], rounds: int, matches_of: MatchesOf
) -> Schedule[tuple[list[GameRecord], dict[str, int]]]:
    """In every round, neighbours in the standings meet who have not met before.

    Returns:
        all games, and who was left out in which round.

    Raises:
        Unavailable: transport failures left a round unfinished, and the next cannot be paired.
    """
    standings = dict.fromkeys(names, 0.0)
    met: set[frozenset[str]] = set()
    byes: dict[str, int] = {}
    played: list[GameRecord] = []
    for at in range(1, rounds + 1):
        pairings, bye = pair(standings, met, set(byes))
        if bye is not None:
            byes[bye] = at
            standings[bye] += 1.0
        new = list((yield matches_of(pairings, f"round {at}/")).values())
        aborted = sum(game["returns"] is None for game in new)
        if aborted:
            raise Unavailable(
                f"round {at}: transport failures broke off {aborted} of {len(new)} games, and the "
                "next round cannot be paired"
            )
        for game in new:
            first = points(game)
            share = len(pairings) / len(new)
            one, other = side_policies(game)
            standings[one] += share * first
            standings[other] += share * (1 - first)
        met |= {frozenset(pairing) for pairing in pairings}
        played += new
    return played, byes


def side_by_side(schedules: Sequence[Schedule[Any]]) -> Schedule[list[Any]]:
    """Several schedules at the same time; returns what each returns.

    A match that several of them yield at a time, known by its name, is played once.
    """
    results: list[Any] = [None] * len(schedules)
    waiting: dict[int, list[Match]] = {}

    def advance(k: int, step: Callable[[], list[Match]]) -> None:
        try:
            waiting[k] = step()
        except StopIteration as end:
            results[k] = end.value
            waiting.pop(k, None)

    for k, schedule in enumerate(schedules):
        advance(k, lambda schedule=schedule: next(schedule))  # type: ignore[misc]
    while waiting:
        matches = {match.name: match for own in waiting.values() for match in own}
        records = yield list(matches.values())
        for k, own in list(waiting.items()):
            mine = {match.name: records[match.name] for match in own}
            advance(k, lambda k=k, mine=mine: schedules[k].send(mine))  # type: ignore[misc]
    return results
