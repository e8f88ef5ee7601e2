"""Measures a ladder: every policy against every policy of the level below, on fixed seeds.

What comes out is kept beside the ladder, to the game: outcomes and a digest of the moves, so that
anybody can play any slice of it again and compare.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from math import inf
from pathlib import Path
from typing import Any

import numpy as np

from stratagym.agents.ladders import Ladder
from stratagym.benchmarks.harness.climb import Plan, duels, pair_points, team_matches
from stratagym.benchmarks.harness.climb_setup import engines
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.protocol import NOBODY_ANSWERS
from stratagym.benchmarks.harness.records import (
    SCHEMA,
    GameRecord,
    returns_of,
    side_lead,
    side_points,
)
from stratagym.benchmarks.harness.schedules import Records
from stratagym.benchmarks.reporting.page import RateCell, Table, code, count, mean_text
from stratagym.benchmarks.reporting.ratings import davidson
from stratagym.benchmarks.reporting.stats import mean_rate

STEP = (0.70, 0.90)
"""What a level wins of its decided games against the level below."""
GAMES = 400
"""The fewest games of a pairing that a ladder is frozen on."""

Play = Callable[[list[Match]], Records]


def plan_of(ladder: Ladder, games: int, seed: int) -> Plan:
    """The plan of a calibration: no language models, no early stop."""
    return Plan("anchored_levels", ladder, games, seed, NOBODY_ANSWERS, False, ladder.top)


def pairings(ladder: Ladder) -> Iterator[tuple[int, str, str]]:
    """(level, policy, policy of the level below), from the bottom."""
    for level in range(1, len(ladder.levels)):
        for policy in ladder.levels[level]:
            for below in ladder.levels[level - 1]:
                yield level, policy, below


def calibrate(ladder: Ladder, games: int, seed: int, play: Play) -> dict[str, Any]:
    """Play and measure; what is returned is the content of the ladder's file."""
    plan = plan_of(ladder, games, seed)
    result = {
        "schema": SCHEMA,
        "facts": ladder.facts(),
        "games": games,
        "seed": seed,
        "engines": engines(ladder),
    }
    if ladder.measure == "score":
        return result | {"teams": _teams(plan, play)}
    pairs = _pairs(plan, play)
    return result | {"pairs": pairs} | _ratings(ladder, pairs)


def _pairs(plan: Plan, play: Play) -> list[dict[str, Any]]:
    listed = list(pairings(plan.ladder))
    names = [f"{plan.ladder.game.name}/{level}/{a}/{b}" for level, a, b in listed]
    own = plan.ladder.player
    matches = [duels(plan, name, own(a), b) for name, (_, a, b) in zip(names, listed, strict=True)]
    records = play([match for group in matches for match in group])
    found = []
    for (level, policy, below), group in zip(listed, matches, strict=True):
        points = [_points(match, records[match.name]) for match in group]
        contests = _contests(plan.ladder, group, points)
        tally = Counter(letter for letter, _ in contests)
        decided = [(letter == "W", seed) for letter, seed in contests if letter != "D"]
        rate = mean_rate(
            np.array([won for won, _ in decided], float),
            np.array([seed for _, seed in decided], np.uint64),
        )
        digests = [_digest(records[match.name]) for match in group]
        found.append(
            {
                "level": level,
                "policy": policy,
                "below": below,
                "wins": tally["W"],
                "draws": tally["D"],
                "losses": tally["L"],
                "rate": rate.record(),
                **_mean_points(plan.ladder, group, records),
                "distinct": len(set(digests)),
                "outcomes": "".join(points),
                "digests": "".join(digests),
            }
        )
    return found


def _contests(ladder: Ladder, group: list[Match], points: list[str]) -> list[tuple[str, int]]:
    """(letter, seed) of what is won, drawn or lost: games, or on a ladder of pairs a seed's two."""
    games = [(letter, match.seed) for letter, match in zip(points, group, strict=True)]
    if ladder.measure != "pairs":
        return games
    value, letters = {"W": 1.0, "D": 0.5, "L": 0.0}, {1.0: "W", 0.5: "D", 0.0: "L"}
    return [
        (letters[pair_points([value[one], value[other]])], seed)
        for (one, seed), (other, _) in zip(games[::2], games[1::2], strict=True)
    ]


def _mean_points(ladder: Ladder, group: list[Match], records: Records) -> dict[str, Any]:
    """On a ladder of points, those of the policy's side a game."""
    if ladder.measure != "points":
        return {}
    points = []
    for match in group:
        assert match.place.seat is not None
        points.append(side_points(records[match.name], match.place.seat))
    seeds = np.array([match.seed for match in group], np.uint64)
    return {"points": mean_rate(np.array(points), seeds).record()}


def _teams(plan: Plan, play: Play) -> list[dict[str, Any]]:
    game = plan.ladder.game.name
    listed = [
        (level, policy, team_matches(plan, f"{game}/{level}/{policy}", policy))
        for level, policies in enumerate(plan.ladder.levels)
        for policy in policies
    ]
    records = play([match for *_, matches in listed for match in matches])
    return [
        {
            "level": level,
            "policy": policy,
            "mean": mean_rate(
                np.array([returns_of(records[match.name])[0] for match in matches]),
                bounds=(plan.ladder.least, inf),
            ).record(),
            "scores": [returns_of(records[match.name])[0] for match in matches],
            "digests": "".join(_digest(records[match.name]) for match in matches),
        }
        for level, policy, matches in listed
    ]


def _points(match: Match, record: GameRecord) -> str:
    """A letter for what the pairing's first policy came to; no game here is broken off."""
    assert match.place.seat is not None
    mine = side_lead(record, match.place.seat)
    return "W" if mine > 0 else "L" if mine < 0 else "D"


def _digest(record: GameRecord) -> str:
    """Eight characters that follow from a game's moves."""
    return f"{zlib.crc32(json.dumps(record['actions']).encode()):08x}"


def _ratings(ladder: Ladder, pairs: list[dict[str, Any]]) -> dict[str, Any]:
    """Ratings of all policies, random play at 0, and the weight of draws."""
    names = [name for level in ladder.levels for name in level]
    place = {name: k for k, name in enumerate(names)}
    wins, draws = np.zeros((len(names),) * 2), np.zeros((len(names),) * 2)
    for pair in pairs:
        a, b = place[pair["policy"]], place[pair["below"]]
        wins[a, b], wins[b, a] = pair["wins"], pair["losses"]
        draws[a, b] = draws[b, a] = pair["draws"]
    fixed = np.full(len(names), np.nan)
    fixed[0] = 0.0
    fit = davidson(wins, draws, fixed=fixed)
    return {
        "ratings": {name: round(float(fit.ratings[k]), 1) for name, k in place.items()},
        "ties": round(fit.ties, 4),
    }


def replay(ladder: Ladder, play: Play, rounds: int) -> list[str]:
    """Play the first rounds of seeds of every pairing or team again.

    Returns:
        What is not as it was frozen, a line each; nothing where every game is the same.
    """
    frozen = ladder.calibration
    plan = replace(plan_of(ladder, frozen["games"], frozen["seed"]))
    known = engines(ladder)
    absent = {name for name, said in frozen["engines"].items() if known.get(name) != said}
    groups: list[tuple[str, list[Match], str]] = []
    if ladder.measure == "score":
        for team in frozen["teams"]:
            matches = team_matches(plan, f"{team['level']}/{team['policy']}", team["policy"])
            groups.append((team["policy"], matches[:rounds], team["digests"]))
    else:
        for pair in frozen["pairs"]:
            a, b = pair["policy"], pair["below"]
            if {a, b} & absent:
                continue
            name = f"{pair['level']}/{a}/{b}"
            matches = duels(plan, name, ladder.player(a), b, 0, rounds * len(plan.sides))
            groups.append((f"{a} v {b}", matches, pair["digests"]))
    records = play([match for _, matches, _ in groups for match in matches])
    return [
        f"{said}: game {k} (seed {match.seed})"
        for said, matches, digests in groups
        for k, match in enumerate(matches)
        if _digest(records[match.name]) != digests[8 * k : 8 * k + 8]
    ]


def _is_above(mean: dict[str, Any], other: dict[str, Any]) -> bool:
    """Whether the interval of one mean lies above that of the other."""
    low, high = mean["low"], other["high"]
    return low is not None and high is not None and low > high


def problems(ladder: Ladder, found: dict[str, Any]) -> list[str]:
    """What keeps a calibration from being frozen, a line each."""
    lines = []
    if found["games"] < GAMES:
        lines.append(f"{found['games']} games a pairing; a ladder is frozen on {GAMES} or more")
    if ladder.measure == "score":
        teams = found["teams"]
        lines += [
            f"{team['policy']} is not clearly above {below['policy']}"
            for team in teams
            for below in teams
            if below["level"] == team["level"] - 1 and not _is_above(team["mean"], below["mean"])
        ]
        return lines
    for pair in found["pairs"]:
        if ladder.is_solved(pair["level"]):
            if pair["losses"]:
                lines.append(f"{pair['policy']} lost to {pair['below']} and cannot be perfect")
        elif "points" in pair:
            if not (pair["points"]["low"] or 0) > 0:
                lines.append(f"{pair['policy']} is not clearly above {pair['below']}")
        elif not STEP[0] <= (pair["rate"]["value"] or 0) <= STEP[1]:
            lines.append(
                f"{pair['policy']} wins {pair['rate']['value']:.3f} against {pair['below']}; "
                f"{STEP[0]} to {STEP[1]} is a level"
            )
    return lines


def table(found: dict[str, Any]) -> Table:
    """The calibration as the documentation shows it."""
    if "teams" in found:
        table = Table(["level", "team of", "mean score", "games"], left=[1])
        for team in found["teams"]:
            table.rows.append(
                [
                    f"Lv{team['level']}",
                    code(team["policy"]),
                    mean_text(team["mean"]),
                    count(team["mean"]["n"]),
                ]
            )
        return table
    columns = ["level", "policy", "against", "wins of decided", "W-D-L", "games", "rating"]
    by_points = any("points" in pair for pair in found["pairs"])
    if by_points:
        columns.insert(3, "points a game")
    table = Table(columns, left=[1, 2])
    for pair in found["pairs"]:
        wdl = f"{pair['wins']}-{pair['draws']}-{pair['losses']}"
        table.rows.append(
            [
                f"Lv{pair['level']}",
                code(pair["policy"]),
                code(pair["below"]),
                *([mean_text(pair["points"])] if by_points else []),
                RateCell(pair["rate"], strip=False),
                wdl,
                count(len(pair["outcomes"])),
                f"{found['ratings'][pair['policy']]:.0f}",
            ]
        )
    return table


def write(path: Path, found: dict[str, Any]) -> None:
    """Write the ladder's file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
