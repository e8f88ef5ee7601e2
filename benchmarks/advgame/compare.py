"""Two runs beside each other: the same policies on the same matches, such as with other names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypedDict

import numpy as np

from stratagym.benchmarks.advgame import mentions, metrics, owning
from stratagym.benchmarks.advgame.matches import NAME, Plan, Setting
from stratagym.benchmarks.advgame.metrics import METRICS, Game
from stratagym.benchmarks.advgame.setup import check_rounds, factors_of, games_of
from stratagym.benchmarks.advgame.summary import by_match, is_renamed, played, whole_budget
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.errors import InputError
from stratagym.benchmarks.harness.files import Shape
from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.benchmarks.harness.matches import difference, place_of
from stratagym.benchmarks.harness.own_play import OwnPlay
from stratagym.benchmarks.harness.records import (
    GameRecord,
    read_config,
    read_decisions,
    read_games,
)
from stratagym.benchmarks.reporting.own import is_result, marked
from stratagym.benchmarks.reporting.page import Table, code, mean_text, number
from stratagym.benchmarks.reporting.stats import SHARE, Bounds, Rate
from stratagym.envs import spec
from stratagym.envs.text import TextOptions
from stratagym.wrappers.dialogue import FORFEIT

NAMES = "hallucinated"
SHOWN = ("WR", "RVR", "init-win", "ORR", "CSR", "slope", "OBR", NAMES)


_ANY = AnswerProtocol(TextOptions(), tries=1, invalid=FORFEIT)
"""How answers were treated decides nothing here."""


class Recorded(NamedTuple):
    """A run that was recorded.

    Attributes:
        renamed: whether its prompts had made-up names. matches: by policy, those that count.
        replies: by policy, what ``mentions`` found in them. own: how much of their plans was the
            policies' own, by policy.
    """

    renamed: bool
    own: Mapping[str, Any]
    matches: Mapping[str, list[Game]]
    replies: Mapping[str, list[mentions.Reply]]


class _Text(TypedDict, total=False):
    renamed: bool


class _SomeConfigs(TypedDict, total=False):
    shared_start: bool


class _Config(_SomeConfigs):
    """The fields of ``config.json`` that say which matches a run has."""

    named: list[str]
    opponents: list[str]
    games: list[str]
    rounds: int
    repeats: int
    budget: list[float]
    seed: int
    rules: dict[str, Any]
    text: dict[str, Any]


def read(folder: Path) -> Recorded:
    """The matches of a run's folder, with the whole budget.

    Raises:
        InputError: it holds no run of this benchmark, or one that was changed.
    """
    config = read_config(folder)
    if config.get("benchmark") != NAME:
        raise InputError(f"{folder}: a run of {NAME} is needed")
    records = {record["match"]: record for record in read_games(folder)}
    try:
        Shape(_Config).check(config)
        Shape(_Text).check(config["text"])
        plan = _plan(config, records.values())
    except (InputError, ValueError) as error:
        raise InputError(f"{folder / 'config.json'}: {error}; it was changed") from None
    for setting, seed in plan.settings():
        if setting.name in records:
            _check(folder, plan, setting, seed, records[setting.name])
    decisions = list(read_decisions(folder))
    every, _ = played(plan, records, decisions)
    play = OwnPlay(decisions, records.values())
    usual = whole_budget(owning.counting(every, owning.without_result(play, plan.games)), plan)
    own = owning.records(play, plan.games, plan.everybody)["all"]
    renamed = is_renamed(config)
    of = {name: by_match(usual, name) for name in plan.policies}
    replies = {name: mentions.replies(decisions, own, renamed) for name, own in of.items()}
    return Recorded(renamed, own, {name: list(own.values()) for name, own in of.items()}, replies)


def _plan(config: Mapping[str, Any], records: Iterable[GameRecord]) -> Plan:
    """The plan of a run. Raises ``InputError`` or ``ValueError`` for values that no run has."""
    check_rounds("rounds", config["rounds"])
    cli.count("repeats", config["repeats"])
    factors = factors_of(",".join(map(str, config["budget"])), "budget")
    games = games_of(",".join(config["games"]), "games")
    for game in games:
        spec(game).make_rules(**config["rules"])
    # So many at most: a run need not have come to its last.
    repeats = 1 + max((place_of(record).round or 0 for record in records), default=0)
    return Plan(
        policies=config["named"],
        opponents=config["opponents"],
        games=games,
        rounds=config["rounds"],
        repeats=min(repeats, config["repeats"]),
        factors=factors,
        seed=config["seed"],
        options=config["rules"],
        shared_start=config.get("shared_start", False),
    )


def _check(folder: Path, plan: Plan, setting: Setting, seed: int, record: GameRecord) -> None:
    """Raises ``InputError`` where a record is not of a match, or the match not of the plan."""
    in_words = record["rules"].get("over_budget") == "loses"
    try:
        match = plan.match(setting, seed, in_words, _ANY)
        rules = spec(setting.game).make_rules(**match.options)
    except ValueError as error:
        raise InputError(f"{folder / 'config.json'}: {error}; it was changed") from None
    if why := difference(record, match, rules):
        raise InputError(
            f"{folder / 'games.jsonl'}: {setting.name} has {why}: it was changed, or config.json"
        )


def compare(one: Recorded, other: Recorded) -> dict[str, Any]:
    """By policy of both runs: matches in both, and ``other`` minus ``one`` on these.

    Matches are the same that have the game, the opponent, the setting and the seed in common;
    intervals are over clusters of game, opponent and role.

    Raises:
        InputError: they have no match in common.
    """
    found: dict[str, Any] = {}
    void = {name for run in (one, other) for name, own in run.own.items() if not is_result(own)}
    for name in one.matches:
        pairs = metrics.pairs_of(other.matches.get(name, []), one.matches[name])
        if not pairs:
            continue
        sides = [[pair[1 - k] for pair in pairs] for k in range(2)]
        rows = {
            metric: _row(
                metrics.cases(sides[0], metric), metrics.cases(sides[1], metric), sides[0], bounds
            )
            for metric, (_, bounds) in METRICS.items()
        }
        said = [
            mentions.counts(run.replies[name], side)
            for run, side in zip((one, other), sides, strict=True)
        ]
        rows[NAMES] = _row(said[0], said[1], sides[0], SHARE)
        found[name] = {"matches": len(pairs), **rows}
    if not found and not void:
        raise InputError("the runs have no matches in common: policy, opponent, setting and seed")
    own = [dict(run.own) for run in (one, other)]
    return {"renamed": [one.renamed, other.renamed], "own": own, "policies": found}


def _row(one: np.ndarray, other: np.ndarray, games: list[Game], bounds: Bounds) -> dict[str, Any]:
    """Both rates, and the second minus the first."""
    rates = [total[0] / total[1] if total[1] else None for total in (one.sum(0), other.sum(0))]
    change: Rate = metrics.difference(other, one, metrics.clusters_of(games), bounds)
    return {"rates": rates, "difference": change.record()}


def table(found: Mapping[str, Any]) -> Table:
    """What the second run changes."""
    out = Table(["policy", "metric", "first run", "second run", "difference"], left=[1])
    names = dict.fromkeys(name for own in found["own"] for name in own)
    owns = {f"{name} {k}": own.get(name) for name in names for k, own in enumerate(found["own"])}
    whose = []
    for name in names:
        pair = [f"{name} 0", f"{name} 1"]
        one = found["policies"].get(name)
        if not all(is_result(owns[key]) for key in pair):
            out.rows.append([code(name), *[""] * 4])
            whose.append(pair)
        if one is None:
            continue
        for metric in SHOWN:
            row = one[metric]
            if row["rates"] == [None, None]:
                continue
            out.rows.append(
                [code(name), metric, *(number(rate) for rate in row["rates"]),
                 mean_text(row["difference"], sign="+")]
            )  # fmt: skip
            whose.append(pair)
    return marked(out, whose, {k: own for k, own in owns.items() if own is not None}, behind=2)
