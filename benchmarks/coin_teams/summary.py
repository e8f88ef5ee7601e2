"""The content of ``summary.json``: returns of all teams, and how they came about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.whole_games import Played
from stratagym.benchmarks.reporting.stats import COUNT, Bounds, mean_rate, ratio_rate
from stratagym.envs.coin_game.metrics import COUNTS, game_counts

A_GAME = ("own_coins", "others_coins", "neither_coins")
"""Coins that a seat took in a game: of its own goal, of another's, of nobody's."""


def team_name(policy: str, told: int) -> str:
    """The pairing of a policy's games; ``told`` where the goals of all are."""
    return f"{policy}/told" if told else policy


def bounds_of(rules: Any) -> Bounds:
    """The least and the most that a game's return can be."""
    others = rules.coins * (rules.num_players - 1)
    nobodys = rules.coins * (rules.colours - rules.num_players)
    return -float(nobodys**2), float(rules.coins**2 + others**2)


def team_rows(games: Played, named: Sequence[str], rules: Any) -> list[dict[str, Any]]:
    """``teams`` of the summary, in the order of ``named``; chance is what random play returns."""
    random = games.get("random", Games([]))
    chance = float(_returns(random).mean()) if len(random) else None
    return [_row(name, games[name], games[team_name(name, 1)], rules, chance) for name in named]


def _returns(games: Games) -> np.ndarray:
    """The mean of the seats' returns, which with two players are equal, (G,)."""
    return games.returns.mean(1)


def _row(name: str, own: Games, told: Games, rules: Any, chance: float | None) -> dict[str, Any]:
    """A policy's figures; those of games with the goals told are None where there are none."""
    low, high = bounds_of(rules)
    row: dict[str, Any] = {"policy": name, "games": len(own)}
    row["returns"] = row["told"] = row["gap"] = None
    if len(own):
        values = _returns(own)
        row["returns"] = own.rate(values, bounds=(low, high), chance=chance).record()
    if len(told):
        row["told"] = told.rate(_returns(told), bounds=(low, high)).record()
    seeds, known, unknown = np.intersect1d(told.seeds, own.seeds, return_indices=True)
    if len(seeds):
        lost = _returns(told)[known] - _returns(own)[unknown]
        row["gap"] = mean_rate(lost, seeds, bounds=(low - high, high - low)).record()
    return row | {
        "process": process(own, rules),
        "endings": own.endings,
        "transport_aborted": own.aborted,
    }


def process(games: Games, rules: Any) -> dict[str, Any]:
    """Coins a seat took in a game by whose goal they were of, and shares of coins and moves.

    neither_share: of all coins taken, those of nobody's goal. wasted: of all moves, those spent
    standing, and against the border or a player. Intervals are over games.
    """
    if not len(games):
        return {}
    counts = game_counts(rules, games.seeds, games.actions, games.plies).sum(1)
    of = dict(zip(COUNTS, counts.T.astype(float), strict=True))
    found = {
        name: mean_rate(of[name] / rules.num_players, games.seeds, bounds=COUNT) for name in A_GAME
    }
    coins = sum(of[name] for name in A_GAME)
    found["neither_share"] = ratio_rate(of["neither_coins"], np.asarray(coins))
    found["wasted"] = ratio_rate(of["stands"] + of["bumps"], of["decisions"])
    return {name: rate.record() for name, rate in found.items()}
