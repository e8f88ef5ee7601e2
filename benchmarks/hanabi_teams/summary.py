"""The content of ``summary.json``: scores of all teams, and how they came about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from stratagym.benchmarks.hanabi_teams.teams import Team
from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.match_play import FORFEIT
from stratagym.benchmarks.harness.whole_games import Played
from stratagym.benchmarks.reporting.stats import COUNT, mean_rate, ratio_rate, wilson
from stratagym.envs import spec
from stratagym.envs.hanabi.metrics import COUNTS, RESULTS, replay

FULL_SCORE = 25
SCORES = ("strict", "keep", "spin")
PUBLISHED = {("rule:iggi", 2): 16.0, ("rule:piers", 2): 17.0}
"""Mean scores by (policy, players) of Walton-Rivers et al. 2017, in round numbers."""

RATES: dict[str, tuple[str, tuple[str, ...]]] = {
    "hints": ("hint", ("decisions",)),
    "useful_hints": ("useful_hint", ("hint",)),
    "repeated_hints": ("repeated_hint", ("hint",)),
    "misplays": ("misplay", ("play",)),
    "useless_discards": ("useless_discard", ("discard",)),
    "playable_discards": ("playable_discard", ("discard",)),
    "critical_losses": ("critical_loss", ("discard", "misplay")),
}
"""Process metrics that are shares: which moves, of which moves."""
A_GAME = ("critical_cards_lost", "points_lost", "wasted_tokens", "tokens_left")
"""Process metrics that are means a game."""


class TeamGames(Games):
    """The finished games of a team, with what their moves come to."""

    @cached_property
    def replayed(self) -> tuple[np.ndarray, np.ndarray]:
        """Counts over all seats (G, len(COUNTS)), and results (G, len(RESULTS))."""
        if not self.records:
            return np.zeros((0, len(COUNTS)), np.int64), np.zeros((0, len(RESULTS)), np.int64)
        rules = spec("hanabi").make_rules(**self.records[0]["rules"])
        counts, results = replay(rules, self.seeds, self.actions, self.plies)
        return counts.sum(1), results

    def count(self, *names: str) -> np.ndarray:
        """How many moves of these kinds, (G,)."""
        return self.replayed[0][:, [COUNTS.index(name) for name in names]].sum(1)

    def result(self, name: str) -> np.ndarray:
        return self.replayed[1][:, RESULTS.index(name)]

    @property
    def lives_lost(self) -> np.ndarray:
        """Whether all lives were lost, (G,) bool."""
        return self.result("lives") == 0

    @property
    def forfeited(self) -> np.ndarray:
        """(G,) bool."""
        return np.array([record["ended_by"] == FORFEIT for record in self.records], bool)

    def score(self, name: str) -> np.ndarray:
        """``strict``, ``keep`` or ``spin`` of every game, (G,); a forfeit is 0 under ``strict``."""
        if name == "spin":
            return self.result("points_before_last")
        points = self.result("points")
        return points if name == "keep" else points * ~(self.lives_lost | self.forfeited)

    def points(self, name: str, chance: float | None = None) -> dict[str, Any]:
        """The mean of ``score`` with its interval over deals, as a record."""
        of = self.score(name)
        return mean_rate(of, self.seeds, bounds=(0, FULL_SCORE), chance=chance).record()

    def by_deal(self) -> dict[int, float]:
        """Strict score by seed, for a team that played every deal once."""
        return dict(zip(self.seeds.tolist(), self.score("strict").tolist(), strict=True))


def summarise(games: Played, teams: Sequence[Team], config: Mapping[str, Any]) -> dict[str, Any]:
    """``teams`` and ``mixed`` of the summary."""
    played = {team: TeamGames(games[team.name].records, games[team.name].aborted) for team in teams}
    return {
        "teams": [row for n in config["players"] for row in _same_rows(n, played, config)],
        "mixed": [
            _mixed_row(n, name, mate, played, config)
            for n in config["players"]
            for name in config["named"]
            for mate in config["teammates"]
            if name != mate
        ],
    }


def process(games: TeamGames) -> dict[str, Any]:
    """``RATES`` and ``A_GAME`` of a team."""
    rates = {
        name: ratio_rate(games.count(hits), games.count(*cases)).record()
        for name, (hits, cases) in RATES.items()
    }
    means = (
        games.count("critical_loss"),
        games.result("points_lost"),
        games.count("wasted_token"),
        games.result("tokens"),
    )
    return rates | {
        name: mean_rate(values, games.seeds, bounds=COUNT).record()
        for name, values in zip(A_GAME, means, strict=True)
    }


def difference(games: TeamGames, other: Mapping[int, float]) -> dict[str, Any]:
    """Mean of the strict score minus ``other``'s on the same deal, by seed, where both are."""
    seeds = games.seeds.tolist()
    pairs = [
        (score - other[seed], seed)
        for score, seed in zip(games.score("strict").tolist(), seeds, strict=True)
        if seed in other
    ]
    values = np.array([value for value, _ in pairs], float)
    labels = np.array([seed for _, seed in pairs], np.uint64)
    return mean_rate(values, labels, bounds=(-FULL_SCORE, FULL_SCORE)).record()


def _same_rows(
    players: int, played: Mapping[Team, TeamGames], config: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """One row for every policy in teams of its own."""
    in_force = config["rules"][players]["score"]
    everyone = dict.fromkeys([*config["named"], *config["teammates"]])
    own = {name: played[Team(players, name, name, in_force)] for name in everyone}
    random = own.get("random")
    chance = random if random is not None and len(random.seeds) else None
    means = {name: games.score("strict").mean() for name, games in own.items() if len(games.seeds)}
    best = max(means, key=lambda name: means[name]) if means else None
    rows = []
    for name, games in own.items():
        row: dict[str, Any] = {"players": players, "policy": name, "games": len(games.seeds)}
        for score in SCORES:
            source, by_chance = games, chance
            if score == "spin" and players == 4:  # hands of five
                spin = played.get(Team(4, name, name, "spin"))
                yardstick = played.get(Team(4, "random", "random", "spin"))
                by_chance = yardstick if yardstick is not None and len(yardstick.seeds) else None
                if spin is None:
                    row[score] = None
                    continue
                source = spin
            level = None if by_chance is None else float(by_chance.score(score).mean())
            row[score] = source.points(score, chance=level)
        n = len(games.seeds)
        row |= {
            "perfect": wilson(int((games.score("strict") == FULL_SCORE).sum()), n).record(),
            "all_lives_lost": wilson(int(games.lives_lost.sum()), n).record(),
            "best": best,
            "to_best": None if best in (None, name) else difference(games, own[best].by_deal()),
            "published": PUBLISHED.get((name, players)),
            "mean_plies": games.mean_plies,
            "endings": games.endings,
            "transport_aborted": games.aborted,
            "process": process(games),
        }
        rows.append(row)
    return rows


def _mixed_row(
    players: int,
    name: str,
    mate: str,
    played: Mapping[Team, TeamGames],
    config: Mapping[str, Any],
) -> dict[str, Any]:
    """One policy among teammates, and how that compares with the two teams of one policy."""
    score = config["rules"][players]["score"]
    team = Team(players, name, mate, score)
    games = played[team] if team in played else played[Team(players, mate, name, score)]
    own, theirs = (played[Team(players, x, x, score)].by_deal() for x in (name, mate))
    middle = {seed: (own[seed] + theirs[seed]) / 2 for seed in own.keys() & theirs.keys()}
    return {
        "players": players,
        "policy": name,
        "teammate": mate,
        "games": len(games.seeds),
        "strict": games.points("strict"),
        "keep": games.points("keep"),
        "all_lives_lost": mean_rate(games.lives_lost, games.seeds).record(),
        "to_own_teams": difference(games, middle),
        "endings": games.endings,
        "transport_aborted": games.aborted,
    }
