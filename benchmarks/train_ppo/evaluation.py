"""How good an agent in training is: rates against rivals and its level on the game's ladder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from stratagym.agents import hooks
from stratagym.agents.core import Policy, make_policy
from stratagym.agents.ladders import Ladder, ladder_of
from stratagym.benchmarks.harness import cli, match_play, records
from stratagym.benchmarks.harness.batched import play_batched
from stratagym.benchmarks.harness.climb import climb_all, new_climb, new_plan
from stratagym.benchmarks.harness.climb_setup import same_ladder
from stratagym.benchmarks.harness.climb_summary import result
from stratagym.benchmarks.harness.decisions import item_seed
from stratagym.benchmarks.harness.matches import Match, SeatedMatch
from stratagym.benchmarks.harness.workers import PolicyCache
from stratagym.benchmarks.reporting.stats import mean_rate
from stratagym.benchmarks.train_ppo import ppo
from stratagym.envs import core
from stratagym.envs.text import TextOptions

NAME = "train_ppo"
RATES = ("mean_return", "wins", "draws", "losses")
SEATS = "wins_by_seat"
CLIMB_GAMES = 16
"""Games with each opponent of the ladder in an evaluation in training."""
HOW = match_play.AnswerProtocol(TextOptions(), 1, match_play.FORFEIT)
PART = 200
"""Games between two writes of the final rating."""

Play: TypeAlias = Callable[[list[SeatedMatch]], list[dict[str, Any]]]


@dataclass
class Evaluation:
    """Games of an agent against each rival, every seed once with the agent in each seat.

    Where all seats share one return there is also a team of the agent alone, named ``self``.
    """

    game: core.GameSpec
    options: dict[str, Any]
    agent: Policy
    rivals: dict[str, Policy]
    seed: int
    ladder: Ladder | None = None

    def __post_init__(self) -> None:
        self.rules = self.game.make_rules(**self.options)
        self.is_team_game = self.game.utility == "identical"

    def pairings(self) -> dict[str, Policy]:
        """Who fills the other seats, by name."""
        return {ppo.SELF: self.agent, **self.rivals} if self.is_team_game else self.rivals

    def matches(self, games: int, purpose: str) -> list[SeatedMatch]:
        """At least ``games`` of every pairing; whole rounds of seats."""
        seats = range(self.rules.num_players)
        found = []
        for name, rival in self.pairings().items():
            seatings = [[self.agent if seat == own else rival for seat in seats] for own in seats]
            if rival is self.agent:
                seatings = seatings[:1]
            for k in range(-(-games // len(seatings))):
                seed = item_seed(self.seed, self.game.name, purpose, str(k))
                found += [
                    SeatedMatch.of(NAME, f"{purpose}/{name}/{k}/{place}", self.game, self.rules,
                          self.options, seed, seating)
                    for place, seating in enumerate(seatings)
                ]  # fmt: skip
        return found

    def results(self, played: list[dict[str, Any]]) -> dict[str, Any]:
        """Rates of each pairing, from the records of whole rounds.

        Intervals are over rounds (the games of one seed); rounds that are alike move by move are
        one case.
        """
        rounds: dict[str, dict[str, list[dict[str, Any]]]] = {}
        for record in played:
            head, k, _ = record["match"].rsplit("/", 2)
            pairing = head.partition("/")[2]
            rounds.setdefault(pairing, {}).setdefault(k, []).append(record)
        return {pairing: self._rates(list(own.values())) for pairing, own in rounds.items()}

    def climb(self, play: Play, seed: int, games: int | None = None) -> dict[str, Any] | None:
        """The agent's climb up the ladder as ``anchored_levels`` reports it; None without ladder.

        Args:
            play: plays matches and returns their records in order.
            seed: of the climb's set of seeds.
            games: with each opponent; by default as many as ``anchored_levels`` plays.
        """
        if self.ladder is None:
            return None
        plan = new_plan(NAME, self.ladder, seed, HOW, games)
        cast = PolicyCache({self.agent.name: self.agent})

        def play_items(items: list[Match]) -> dict[str, dict[str, Any]]:
            played = play([cast.match(item) for item in items])
            return {record["match"]: record for record in played}

        climb = new_climb(plan, self.agent.name)
        climb_all([climb], play_items)
        return result(climb, climb.outcome())

    def in_training(self, steps: int, games: int) -> dict[str, Any]:
        """An evaluation in training, after ``steps``: rates by rival and the climb.

        Its games are others than those of every other evaluation.
        """
        purpose = f"eval {steps}"
        seed = item_seed(self.seed, self.game.name, purpose)
        return {
            "against": self.results(play_batched(self.matches(games, purpose))),
            "ladder": self.climb(play_batched, seed, CLIMB_GAMES),
        }

    def after_training(self, games: int, play: Play) -> dict[str, Any]:
        """The final rating: rates by rival with their levels of chance, and the climb.

        As many games as against rivals are played with a random policy in the agent's place.

        Args:
            play: as in ``climb``.
        """
        by_chance = replace(self, agent=make_policy(self.game, "random"))
        against = self.results(play(self.matches(games, "final")))
        chance = by_chance.results(play(by_chance.matches(games, "chance")))
        for name, found in against.items():
            for kind in set(RATES) & set(found):
                found[kind]["chance"] = chance[name][kind]["value"]
            for own, by in zip(found.get(SEATS, ()), chance[name].get(SEATS, ()), strict=True):
                own["chance"] = by["value"]
        return {"against": against, "ladder": self.climb(play, self.seed)}

    def _rates(self, rounds: list[list[dict[str, Any]]]) -> dict[str, Any]:
        kinds: dict[Any, int] = {}
        points, clusters, plies, seats = [], [], [], []
        for own in rounds:
            key = tuple(tuple(record["actions"]) for record in own)
            cluster = kinds.setdefault(key, len(kinds))
            for record in own:
                seat = int(record["match"].rsplit("/", 1)[1])
                points.append(record["returns"][seat])
                clusters.append(cluster)
                plies.append(record["plies"])
                seats.append(seat)
        x, labels, at = np.array(points), np.array(clusters), np.array(seats)
        found = {
            "games": len(x),
            "different_rounds": len(kinds),
            "plies": float(np.mean(plies)),
            "mean_return": mean_rate(x, labels).record(),
        }
        if not self.is_team_game:
            found["wins"] = mean_rate(x > 0, labels).record()
            found["draws"] = mean_rate(x == 0, labels).record()
            found["losses"] = mean_rate(x < 0, labels).record()
            found[SEATS] = [
                mean_rate(x[at == seat] > 0, labels[at == seat]).record()
                for seat in range(self.rules.num_players)
            ]
        return found


def resumable(folder: Path, advance: Callable[[int, int], Any]) -> tuple[Play, records.JsonlWriter]:
    """What plays matches that ``games.jsonl`` does not hold yet and adds them to it.

    Args:
        advance: told how many games have been planned and played since it was last told.

    Returns:
        what plays, and the open writer, to be closed.
    """
    path = folder / "games.jsonl"
    recorded: dict[str, Any] = {record["match"]: record for record in records.read_games(folder)}
    writer = records.JsonlWriter(path)

    def play(matches: list[SeatedMatch]) -> list[dict[str, Any]]:
        missing = [match for match in matches if match.name not in recorded]
        advance(len(missing), 0)
        for start in range(0, len(missing), PART):
            played = play_batched(missing[start : start + PART], lambda: advance(0, 1))
            writer.write_all(played)
            recorded.update((record["match"], record) for record in played)
        return [recorded[match.name] for match in matches]

    return play, writer


def with_ladder(
    game: core.GameSpec,
    settings: ppo.Settings,
    is_default: bool,
    begun: dict[str, Any] | None = None,
) -> tuple[ppo.Settings, Ladder | None]:
    """The ladder that ``settings`` name, if they do: the game's, or that of the run ``begun``.

    A climb by default is left out, with a line on standard error, where the game's options give
    other observations or actions than the ladder's.

    Raises:
        ValueError: there is no ladder, it is not calibrated, or it is not for these options; one
            line.
    """
    against = cli.words(settings.against)
    named = against + cli.words(settings.opponent)
    if ppo.LADDER not in named:
        return settings, None
    ladder = same_ladder(ladder_of(game.name), begun)
    if ppo.LADDER in against:
        _ = ladder.calibration
        both = (game.make_rules(**options) for options in (settings.options, ladder.options))
        if len({_shape(rules, settings.board) for rules in both}) > 1:
            wanted = ", ".join(f"{name}={value}" for name, value in ladder.options.items())
            reason = f"{ladder.name} is for {wanted or 'the default options'}"
            if not is_default:
                raise ValueError(reason)
            print(f"{NAME}: no climb: {reason}", file=sys.stderr)
            against.remove(ppo.LADDER)
            settings = replace(settings, against=",".join(against))
    return settings, ladder if ppo.LADDER in against + cli.words(settings.opponent) else None


def _shape(rules: Any, board: bool) -> Any:
    """What the networks of two rules have to share: convolutions play on boards of every size."""
    if board:
        (_, _, planes), planes_first = hooks.board_shape(rules)
        return planes, planes_first
    return rules.observation_shape, rules.num_actions
