"""A run of climbs, and its ``summary.json``: levels, ratings, answers and behaviour of each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from stratagym.agents import hooks
from stratagym.agents.core import Policy
from stratagym.agents.ladders import Ladder
from stratagym.benchmarks.harness import climb_setup
from stratagym.benchmarks.harness.climb import (
    Climb,
    LevelResult,
    Outcome,
    Plan,
    ScoreClimb,
    new_climb,
    schedule_of,
)
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.games import Games, role_rates
from stratagym.benchmarks.harness.matches import place_of
from stratagym.benchmarks.harness.own_play import in_games
from stratagym.benchmarks.harness.policies import by_name, usage
from stratagym.benchmarks.harness.progress import stage
from stratagym.benchmarks.harness.records import DecisionRecord, GameRecord, sides_of
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.reporting.own import NOT_MEASURED, is_result
from stratagym.benchmarks.reporting.stats import COUNT, Rate, jackknife

Summarise = Callable[
    [Run, Sequence[Climb | ScoreClimb], Mapping[str, Ladder], Mapping[str, Policy]], dict[str, Any]
]
"""Makes the summary of a run of climbs, as ``summarise`` does."""


def climb_and_report(
    run: Run,
    plans: Mapping[str, Plan],
    policies: Mapping[str, Mapping[str, Policy]],
    add_up: Summarise,
    report: ModuleType,
) -> None:
    """From the first match of policies' climbs to the last table.

    Args:
        plans, policies: by game; the climbs of a game are of its policies.
        add_up: the summary. report: has ``write`` and ``screen``, as ``Run.finish`` takes them.
    """
    climbs = [new_climb(plans[game], name) for game, own in policies.items() for name in own]
    run.play(
        schedule_of(climbs), lambda match: f"{match.game} {match.seats[match.place.seat or 0]}"
    )
    with stage("adding up the games"):
        ladders = {game: plan.ladder for game, plan in plans.items()}
        summary = add_up(run, climbs, ladders, by_name(policies))
    run.finish(summary, report.write, report.screen)


def summarise(
    run: Run,
    climbs: Sequence[Climb | ScoreClimb],
    ladders: Mapping[str, Ladder],
    policies: Mapping[str, Policy],
) -> dict[str, Any]:
    """The summary of a run, from its climbs and the records on disk."""
    pairing_of: dict[str, str] = {}
    aborted: Counter[str] = Counter()
    for game in run.games():
        pairing = pairing_of[game["match"]] = place_of(game).pairing
        aborted[pairing] += game["ended_by"] == TRANSPORT
    decisions: defaultdict[str, list[DecisionRecord]] = defaultdict(list)
    for decision in run.decisions():
        decisions[pairing_of.get(decision["item"], "")].append(decision)
    games: dict[str, dict[str, Any]] = {game: {} for game in ladders}
    owns = own_by_game(run, climbs)
    for climb in climbs:
        name = climb.plan.ladder.game.name
        outcome = climb.outcome()
        own = policies[climb.policy]
        is_void = not is_result(owns[name][climb.policy])
        row = without_result(result(climb, outcome)) if is_void else result(climb, outcome)
        for level, found in zip(row["levels"], outcome.levels, strict=True):
            level.update(_answers(climb, found, own, decisions, aborted))
        games[name][climb.policy] = row | {
            "behaviour": {} if is_void else behaviour(climb, outcome)
        }
    means = {}
    for name in policies:
        values = [own[name]["level_progress"] for own in games.values() if name in own]
        known = [value for value in values if value is not None]
        means[name] = {
            "value": float(np.mean(known)) if known else None,
            "games": len(known),
            "of": len(ladders),
        }
    return {
        "config": run.config,
        "own": owns,
        "games": games,
        "mean_level_progress": means,
        "models": run.usage(),
        "engines": {
            game: {
                "calibrated": ladder.calibration["engines"],
                "here": climb_setup.engines(ladder),
            }
            for game, ladder in ladders.items()
        },
        "anchors": {game: anchors(ladder) for game, ladder in ladders.items()},
    }


def own_by_game(
    run: Run, climbs: Sequence[Climb | ScoreClimb]
) -> dict[str, dict[str, dict[str, Any]]]:
    """How many of a policy's decisions were its own, by game and policy."""
    play = run.own_play()
    by_game: defaultdict[str, list[str]] = defaultdict(list)
    for climb in climbs:
        by_game[climb.plan.ladder.game.name].append(climb.policy)
    return {game: play.records(names, in_games([game])) for game, names in by_game.items()}


def without_result(row: dict[str, Any]) -> dict[str, Any]:
    """``result`` of a policy whose play was not its own: only the numbers of games are left."""
    nothing = Rate(None, None, None, 0).record()
    levels = [
        {
            **level,
            "passed": False,
            "win_rate": None if level["win_rate"] is None else nothing,
            "opponents": {},
            "roles": {},
            **({"repeats": {}} if "repeats" in level else {}),
        }
        for level in row["levels"]
    ]
    gone = dict.fromkeys(("level", "progress", "level_progress", "rating"))
    scores = row["scores"] and {**row["scores"], "mean": nothing}
    said = {"result": NOT_MEASURED, "topped": False, "scores": scores, "levels": levels}
    return row | gone | said


def anchors(ladder: Ladder) -> dict[str, Any]:
    """A ladder's name, its levels' policies and their ratings, where it has any."""
    return {
        "ladder": ladder.name,
        "levels": [list(level) for level in ladder.levels],
        "ratings": ladder.calibration.get("ratings", {}),
    }


def result(climb: Climb | ScoreClimb, outcome: Outcome) -> dict[str, Any]:
    """The result of a climb, level by level, as far as it follows from its games alone."""
    return {
        "result": outcome.text(),
        "level": outcome.level,
        "progress": None if outcome.progress is None else outcome.progress.record(),
        "level_progress": outcome.value,
        "topped": outcome.topped,
        "broken_off": outcome.aborted,
        "rating": None if outcome.rating is None else outcome.rating.record(),
        "scores": outcome.scores,
        "levels": [_level(climb, outcome, found) for found in outcome.levels],
    }


def _level(climb: Climb | ScoreClimb, outcome: Outcome, found: LevelResult) -> dict[str, Any]:
    is_team = isinstance(climb, ScoreClimb)
    names = () if is_team else climb.plan.ladder.levels[found.level]
    roles = {} if is_team else _roles(found)
    repeats = {} if is_team else {name: shown.record() for name, shown in found.evidence().items()}
    repeats = {name: record["repeats"] for name, record in repeats.items() if record}
    return {
        "level": found.level,
        "passed": found.passed or (outcome.topped and found is outcome.levels[-1]),
        "settled_early": found.settled_early,
        "games": len(found.results),
        "win_rate": None if is_team else found.win_rate().record(),
        "opponents": {
            name: {key: found.tally(name)[key] for key in ("wins", "draws", "losses")}
            for name in names
        },
        "forfeited": sum(_forfeited(climb, result.record) for result in found.results),
        **({"roles": roles} if roles else {}),
        **({"repeats": repeats} if repeats else {}),
    }


def _roles(found: LevelResult) -> dict[str, Any]:
    """The policy's points by the side that it played; empty if all sides are alike."""
    own = []
    for result in found.results:
        seat = place_of(result.record).seat
        own += [k for k, side in enumerate(sides_of(result.record)) if seat in side]
    return role_rates(
        [result.record for result in found.results[:1]],
        np.array(own, int),
        np.array([result.points for result in found.results]),
        np.array([result.seed for result in found.results], np.uint64),
    )


def _answers(
    climb: Climb | ScoreClimb,
    found: LevelResult,
    policy: Policy,
    decisions: Mapping[str, list[DecisionRecord]],
    aborted: Mapping[str, int],
) -> dict[str, Any]:
    """The answers that the policy gave at one level, and their cost."""
    groups = climb.pairings(found.level)
    answers = [record for group in groups for record in decisions.get(group, [])]
    return {
        "broken_off": sum(aborted.get(group, 0) for group in groups),
        "usage": usage(answers, [policy]).get(policy.name),
        "retries": sum(record["retries"] or 0 for record in answers),
    }


def _forfeited(climb: Climb | ScoreClimb, record: GameRecord) -> bool:
    seat = record["forfeited_by"]
    return seat is not None and seat in seats_of(climb, record)


def seats_of(climb: Climb | ScoreClimb, record: GameRecord) -> list[int]:
    """The seats of a game that are the climbing policy's, one side where it met itself."""
    if isinstance(climb, ScoreClimb):
        return list(range(len(record["seats"])))
    seat = place_of(record).seat
    assert seat is not None
    return next(list(side) for side in sides_of(record) if seat in side)


def behaviour(climb: Climb | ScoreClimb, outcome: Outcome) -> dict[str, Any]:
    """How the policy played, by the game's own measures, with intervals over seeds.

    Rates where the game's metrics name them (hold'em: fold, check, raise, all-in ...), else counts
    of what ``game_counts`` counts, a game; then those of the ``judging`` that the game's agents
    define, whose scores tell good moves from bad. Nothing where a game has no such measures.
    """
    game = climb.plan.ladder.game
    played = [result.record for s in outcome.levels for result in s.results]
    if not played:
        return {}
    games = Games(played)
    found: dict[str, Rate] = {}
    rules = game.make_rules(**climb.plan.ladder.options)
    measures: Any
    for measures in (game.optional_module("metrics"), hooks.found(game, "judging")):
        if not hasattr(measures, "game_counts"):
            continue
        counts = games.own_counts(partial(measures.game_counts, rules)).astype(float)
        own = np.array(
            [counts[g, seats_of(climb, record)].sum(0) for g, record in enumerate(played)]
        )
        if hasattr(measures, "rates"):
            names = list(measures.rates(own.sum(0)))
            found |= {name: _rate_of(measures.rates, own, games.seeds, name) for name in names}
        else:
            found |= {
                name: games.rate(own[:, k], bounds=COUNT) for k, name in enumerate(measures.COUNTS)
            }
    return {name: rate.record() for name, rate in found.items()}


def _rate_of(rates: Any, own: np.ndarray, seeds: np.ndarray, name: str) -> Rate:
    kinds, index = np.unique(seeds, return_inverse=True)
    sums = np.zeros((len(kinds), own.shape[1]))
    np.add.at(sums, index, own)
    rate = jackknife(lambda kept: rates(sums[kept].sum(0))[name], len(sums), bounds=COUNT)
    return replace(rate, n=len(own) if rate.n else 0)
