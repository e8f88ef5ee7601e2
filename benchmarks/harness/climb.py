"""One policy's way up a ladder: which games come next, and what they come to.

On a ladder of wins the policy starts at level 0. At each level it meets every policy of the level
on the same seeds, once from every seat, or on every side where seats win together. It has passed
where it wins at least half of its decided games there, on a ladder of points where it loses no
points there in the mean, and goes on to the next level. On a ladder of pairs the two games of a
seed, one on each side, are one contest: won by who wins both, and drawn otherwise. On a ladder of
scores a team of the policy and a team of every level's policy play the same seeds; a level is
passed with a mean of at least the level's.

Source: BotzoneBench (Li et al.), sections 4.1 and 4.5. Early stops, intervals and ratings are
this project's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

import numpy as np

from stratagym.agents.ladders import Ladder
from stratagym.benchmarks.harness import match_play, pairings
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.records import GameRecord, returns_of, side_lead, side_points
from stratagym.benchmarks.harness.repeats import Evidence, evidence
from stratagym.benchmarks.harness.schedules import Schedule, play_out, side_by_side
from stratagym.benchmarks.reporting.ratings import rate_on_ladder
from stratagym.benchmarks.reporting.stats import Rate, jackknife, mean_rate, wilson
from stratagym.envs.facts import Sides, alone

GAMES = {"perfect": 32, "imperfect": 64}
"""Games with each opponent, by the information that a game gives (BotzoneBench, section 4.1)."""
PASS = 0.5
"""The share of decided games that has to be won for promotion to the next level."""
INTERIM_ANALYSES = 4
"""How often the games of a level are analysed: after each quarter of them."""
EARLY_CONFIDENCE = 0.99
"""A level ends before its last game if the interval of this confidence does not contain PASS."""


@dataclass(frozen=True)
class Plan:
    """What is the same for every policy that climbs a ladder.

    Attributes:
        benchmark: as in records.
        games: with each opponent; whole rounds, a game for each side.
        seed: of the set of seeds, which is the same for every pairing.
        protocol: how language models' answers are treated.
        early_stop: whether a level ends once it is settled.
        top: the last level that can be played here.
        level_games: of a level in all, shared out among its opponents: at level 0, 1, .., the
            last number at all levels above. Empty where ``games`` are with each opponent.
        discards: whether a game that transport failures broke off for good is left out, and the
            climb goes on; else it is broken off.
    """

    benchmark: str
    ladder: Ladder
    games: int
    seed: int
    protocol: match_play.AnswerProtocol
    early_stop: bool
    top: int
    level_games: tuple[int, ...] = ()
    discards: bool = False

    def rounds(self, level: int) -> int:
        """The number of seeds per opponent of a level; each is played once from every side."""
        opponents, sides = 1, len(self.sides)
        games = self.games
        if self.level_games:
            games = self.level_games[min(level, len(self.level_games) - 1)]
            opponents = len(self.ladder.levels[level])
        return -(-games // (opponents * sides))

    @property
    def contest(self) -> pairings.Contest:
        """What all matches of the plan have in common."""
        ladder = self.ladder
        return pairings.Contest(
            self.benchmark, ladder.game.name, dict(ladder.options), self.games, self.seed,
            self.protocol, ladder.opening,
        )  # fmt: skip

    @property
    def seats(self) -> int:
        return int(self.ladder.game.make_rules(**self.ladder.options).num_players)

    @property
    def sides(self) -> Sides:
        """Who wins together in a duel; each seat alone where nobody knows or all do.

        Where roles are dealt, those of one seed: as many as those of any.
        """
        return self.sides_at(0)

    def sides_at(self, seed: int) -> Sides:
        """``sides`` in the game of a seed."""
        game = self.ladder.game
        rules = game.make_rules(**self.ladder.options)
        by_seed = pairings.sides_by_seed(game, rules)
        sides = () if by_seed is None else by_seed(seed)
        return sides if len(sides) > 1 else alone(self.seats)


def new_plan(
    benchmark: str,
    ladder: Ladder,
    seed: int,
    protocol: match_play.AnswerProtocol,
    games: int | None = None,
    early_stop: bool = True,
) -> Plan:
    """A plan that goes as far up as levels can be played here.

    Args:
        games: with each opponent, rounded up to whole rounds; by default as in ``GAMES``.
    """
    games = GAMES[ladder.game.information] if games is None else games
    top, _ = ladder.reachable()
    plan = Plan(benchmark, ladder, games, seed, protocol, early_stop, top)
    return replace(plan, games=-(-games // len(plan.sides)) * len(plan.sides))


def duels(
    plan: Plan, pairing: str, one: str, rest: str, first: int = 0, last: int | None = None
) -> list[Match]:
    """Games ``first`` to ``last`` of one policy against a table of another, in order of seeds.

    Args:
        rest: a policy of the ladder; records have it by its name there, whoever plays it.
    """

    def against(other: str) -> list[Match]:
        return plan.contest.among(pairing, plan.sides_at, (one, other))[first:last]

    matches, player = against(rest), plan.ladder.player(rest)
    if player == rest:
        return matches
    return [
        replace(played, names=match.seats)
        for match, played in zip(matches, against(player), strict=True)
    ]


def team_matches(plan: Plan, pairing: str, policy: str) -> list[Match]:
    """Games of a team of one policy, one for each of ``plan.games`` seeds."""
    return plan.contest.team(pairing, plan.seats, policy)


def pair_points(games: Sequence[float]) -> float:
    """The result of the two games of a seed as a pair: 1 for 2-0, 0 for 0-2, otherwise 0.5."""
    return 1.0 if sum(games) == 2 else 0.0 if sum(games) == 0 else 0.5


@dataclass
class Result:
    """A finished game as the climb sees it: points are 1, 0.5 or 0 for a win, draw or loss.

    ``earned`` are the points of the game itself that the policy's side has.
    """

    opponent: str
    seed: int
    points: float
    record: GameRecord
    earned: float = 0.0


@dataclass
class LevelResult:
    """One policy's games at one level.

    Attributes:
        results: finished games in order. lost: games that transport failures broke off for good.
        settled_early: whether the early stop ended the level.
        by_points: whether the points of the game decide, not its wins.
        by_pairs: whether the two games of a seed are one contest, won by who wins both.
    """

    level: int
    results: list[Result] = field(default_factory=list)
    lost: int = 0
    settled_early: bool = False
    by_points: bool = False
    by_pairs: bool = False

    @property
    def contests(self) -> list[tuple[str, int, float]]:
        """(opponent, seed, points) of every game, or of every pair of games if pairs count."""
        if not self.by_pairs:
            return [(r.opponent, r.seed, r.points) for r in self.results]
        pairs: defaultdict[tuple[str, int], list[float]] = defaultdict(list)
        for result in self.results:
            pairs[result.opponent, result.seed].append(result.points)
        return [(*key, pair_points(own)) for key, own in pairs.items() if len(own) == 2]

    def tally(self, opponent: str | None = None) -> Counter[str]:
        """Wins, draws and losses against all opponents, or against one."""
        words = {1.0: "wins", 0.5: "draws", 0.0: "losses"}
        return Counter(
            words[points] for name, _, points in self.contests if opponent in (None, name)
        )

    def evidence(self) -> dict[str, Evidence]:
        """What the games with each opponent show: those that repeat each other count once."""
        own: defaultdict[str, list[GameRecord]] = defaultdict(list)
        for result in self.results:
            own[result.opponent].append(result.record)
        return {opponent: evidence(records) for opponent, records in own.items()}

    def clusters(self) -> dict[tuple[str, int], Any]:
        """By (opponent, seed), what games go together in intervals: the same label.

        It is the seed, or where games with the opponent repeat each other the round that they are.
        """
        found: dict[tuple[str, int], Any] = {}
        for opponent, shown in self.evidence().items():
            results = [result for result in self.results if result.opponent == opponent]
            for result, round_of in zip(results, shown.clusters.tolist(), strict=True):
                label = (opponent, round_of) if shown.repeats else result.seed
                found[opponent, result.seed] = label
        return found

    def _rate(self, contests: Sequence[tuple[str, int, float]], value: float) -> Rate:
        """How many of these contests came to ``value``, with the interval over clusters."""
        label_of, number = self.clusters(), dict[Any, int]()
        labels = (label_of[name, seed] for name, seed, _ in contests)
        clusters = np.array([number.setdefault(one, len(number)) for one in labels], np.uint64)
        return mean_rate(np.array([float(points == value) for *_, points in contests]), clusters)

    def win_rate(self) -> Rate:
        """The share of wins among the decided games; in its interval repeated games count once."""
        return self._rate([contest for contest in self.contests if contest[2] != 0.5], 1.0)

    def draw_rate(self) -> Rate:
        """The share of draws among all games, likewise."""
        return self._rate(self.contests, 0.5)

    @property
    def passed(self) -> bool:
        """At least half of the decided games won, or no points lost in the mean on a ladder of
        points; no decided game at all passes nothing.
        """
        tally = self.tally()
        decided = tally["wins"] + tally["losses"]
        if self.by_points:
            return decided > 0 and sum(result.earned for result in self.results) >= 0
        return decided > 0 and tally["wins"] >= PASS * decided

    def is_settled(self) -> bool:
        """Whether the early stop's interval excludes ``PASS``; points never end a level early."""
        if self.by_points:
            return False
        tally = self.tally()
        decided = tally["wins"] + tally["losses"]
        rate = wilson(tally["wins"], decided, confidence=EARLY_CONFIDENCE)
        if rate.low is None or rate.high is None:
            return False
        return rate.low > PASS or rate.high < PASS


class Climb:
    """One policy on a ladder of wins.

    Ask for the ``next_matches()``, have them played, hand their records to ``update``, until there
    are none; ``schedule`` does it.
    """

    def __init__(self, plan: Plan, policy: str):
        self.plan, self.policy = plan, policy
        self.levels: list[LevelResult] = [self._level(0)]
        self.topped = self.aborted = False
        self._played = 0

    def _level(self, level: int) -> LevelResult:
        measure = self.plan.ladder.measure
        return LevelResult(level, by_points=measure == "points", by_pairs=measure == "pairs")

    @property
    def finished(self) -> bool:
        return self.topped or self.aborted or self._stopped

    _stopped = False

    @property
    def level_result(self) -> LevelResult:
        """The games of the level that is being played, or that was played last."""
        return self.levels[-1]

    def _opponents(self) -> tuple[str, ...]:
        return self.plan.ladder.levels[self.level_result.level]

    def _ends(self) -> list[int]:
        """The numbers of games with an opponent after which the level is analysed."""
        sides = len(self.plan.sides)
        rounds = self.plan.rounds(self.level_result.level)
        n = INTERIM_ANALYSES if self.plan.early_stop else 1
        return sorted({max(1, round(rounds * k / n)) * sides for k in range(1, n + 1)})

    def next_matches(self) -> list[Match]:
        """The next games to play; none if the climb is over."""
        if self.finished:
            return []
        last = next(end for end in self._ends() if end > self._played)
        level = self.level_result.level
        return [
            match
            for opponent in self._opponents()
            for match in duels(
                self.plan, self.pairing(level, opponent), self.policy, opponent, self._played, last
            )
        ]

    def pairing(self, level: int, opponent: str) -> str:
        """The pairing's name of the matches with an opponent on a level."""
        return f"{self.plan.ladder.game.name}/{self.policy}/{level}/{opponent}"

    def pairings(self, level: int) -> list[str]:
        """The names of all pairings of a level."""
        return [self.pairing(level, name) for name in self.plan.ladder.levels[level]]

    def update(self, records: Mapping[str, GameRecord]) -> None:
        """Take the records, by name, of the matches that ``next_matches`` gave, and continue."""
        matches = self.next_matches()
        result = self.level_result
        for opponent, match in zip(
            np.repeat(self._opponents(), len(matches) // len(self._opponents())).tolist(),
            matches,
            strict=True,
        ):
            record = records[match.name]
            if record["ended_by"] == TRANSPORT:
                result.lost += 1
                continue
            # By its seat, as a policy may meet itself.
            assert match.place.seat is not None
            mine = side_lead(record, match.place.seat)
            points = 1.0 if mine > 0 else 0.0 if mine < 0 else 0.5
            earned = side_points(record, match.place.seat)
            result.results.append(Result(opponent, match.seed, points, record, earned))
        ends = self._ends()
        self._played = next(end for end in ends if end > self._played)
        if result.lost and not self.plan.discards:
            self.aborted = True
        elif self._played == ends[-1]:
            self._leave()
        elif self.plan.early_stop and result.is_settled():
            result.settled_early = True
            self._leave()

    def _leave(self) -> None:
        level = self.level_result.level
        if not self.level_result.passed:
            # Nobody beats perfect play: it is topped where every game is drawn.
            drawn = self.plan.ladder.is_solved(level) and not self.level_result.tally()["losses"]
            self.topped = drawn
            self._stopped = not drawn
        elif level == self.plan.top:
            self.topped = True
        else:
            self.levels.append(self._level(level + 1))
            self._played = 0

    def outcome(self) -> Outcome:
        """The result of the climb: level, progress and rating."""
        last = self.levels[-1]
        if self.plan.ladder.is_solved(last.level):
            progress = last.draw_rate()
        else:
            progress = scaled(last.win_rate(), 2.0)
        calibration = self.plan.ladder.calibration
        rating = None
        if not self.plan.ladder.is_variant:
            results: list[tuple[str, float, int]] = []
            weights: list[float] = []
            for level in self.levels:
                shown = level.evidence()
                for name, seed, points in level.contests:
                    results.append((name, points, seed))
                    weights.append(shown[name].weight)
            rating = rate_on_ladder(results, calibration["ratings"], calibration["ties"], weights)
        return Outcome(
            last.level,
            None if self.topped else progress,
            self.topped,
            self.aborted,
            rating,
            self.levels,
        )


@dataclass
class Outcome:
    """What a climb came to.

    Attributes:
        level: the first level that was not passed; the last one where ``topped``.
        progress: from passing the level below (0) to passing ``level`` (1); None where topped.
        aborted: whether games are missing because of transport failures.
        rating: on the ladder's scale; None on a ladder of scores, and where its levels play under
            other rules than they were calibrated under.
    """

    level: int
    progress: Rate | None
    topped: bool
    aborted: bool
    rating: Rate | None
    levels: list[LevelResult]
    scores: dict[str, Any] = field(default_factory=dict)

    @property
    def value(self) -> float | None:
        """Level and progress as one number; above the last level, its number plus one."""
        if self.topped:
            return self.level + 1.0
        if self.progress is None or self.progress.value is None:
            return None
        return self.level + self.progress.value

    def text(self) -> str:
        """The result as the paper writes it: ``Lv3, 45%``."""
        if self.aborted:
            return f"Lv{self.level}, broken off"
        if self.topped:
            return f"Lv{self.level}, topped"
        if self.progress is None or self.progress.value is None:
            return f"Lv{self.level}"
        return f"Lv{self.level}, {100 * self.progress.value:.0f}%"


def scaled(rate: Rate, factor: float) -> Rate:
    """A rate multiplied by a factor and limited to the range from 0 to 1."""
    low, value, high = (
        None if x is None else min(1.0, max(0.0, factor * x))
        for x in (rate.low, rate.value, rate.high)
    )
    return Rate(value, low, high, rate.n)


class ScoreClimb:
    """One policy on a ladder of scores, with the interface of ``Climb``.

    All games are played at once: a team's games are the same whatever level it is compared with.
    """

    def __init__(self, plan: Plan, policy: str):
        self.plan, self.policy = plan, policy
        self.finished = self.aborted = False
        self.records: dict[str, list[GameRecord]] = {}

    def pairings(self, level: int) -> list[str]:
        """The names of the policy's own pairings; there is one for all levels."""
        return [f"{self.plan.ladder.game.name}/{self.policy}/team"]

    def _teams(self) -> Iterator[tuple[str, list[Match]]]:
        game = self.plan.ladder.game.name
        (own,) = self.pairings(0)
        yield self.policy, team_matches(self.plan, own, self.policy)
        for level, policies in enumerate(self.plan.ladder.levels[: self.plan.top + 1]):
            for name in policies:
                if name != self.policy:
                    yield name, team_matches(self.plan, f"{game}/anchor/{level}/{name}", name)

    def next_matches(self) -> list[Match]:
        """All games, or none after their records have been taken."""
        return [] if self.finished else [match for _, own in self._teams() for match in own]

    def update(self, records: Mapping[str, GameRecord]) -> None:
        """Take the records of all games, by name."""
        self.records = {name: [records[match.name] for match in own] for name, own in self._teams()}
        self.aborted = any(r["ended_by"] == TRANSPORT for r in self.records[self.policy])
        self.finished = True

    def outcome(self) -> Outcome:
        """Level and progress by mean scores, with intervals over seeds."""
        own = self.records[self.policy]
        played = [k for k, r in enumerate(own) if r["ended_by"] != TRANSPORT]
        scores = {
            name: np.array([returns_of(games[k])[0] for k in played])
            for name, games in self.records.items()
        }
        mine, bounds = scores[self.policy], (self.plan.ladder.least, inf)
        levels = [
            np.mean([scores[name] for name in policies], axis=0)
            for policies in self.plan.ladder.levels[: self.plan.top + 1]
        ]
        last = LevelResult(0)
        last.results = [Result("", own[k]["seed"], 0.5, own[k]) for k in played]
        last.lost = len(own) - len(played)
        means = {
            name: mean_rate(values, bounds=bounds).record() | {"level": self._level_of(name)}
            for name, values in scores.items()
        }
        table = {"mean": mean_rate(mine, bounds=bounds).record(), "anchors": means}
        if not played:
            return Outcome(0, None, False, True, None, [last], table)
        passed = [bool(mine.mean() >= level.mean()) for level in levels]
        level = passed.index(False) if False in passed else self.plan.top
        last.level = level
        if all(passed):
            return Outcome(level, None, True, self.aborted, None, [last], table)
        below = levels[level - 1] if level else np.zeros(len(mine))

        def progress(kept: np.ndarray) -> float:
            floor, top = below[kept].mean(), levels[level][kept].mean()
            return float((mine[kept].mean() - floor) / (top - floor)) if top > floor else 0.0

        rate = jackknife(progress, len(mine))
        return Outcome(level, scaled(rate, 1.0), False, self.aborted, None, [last], table)

    def _level_of(self, name: str) -> int | None:
        for level, policies in enumerate(self.plan.ladder.levels):
            if name in policies:
                return level
        return None


def new_climb(plan: Plan, policy: str) -> Climb | ScoreClimb:
    """A climb of the class that the ladder's measure needs."""
    return ScoreClimb(plan, policy) if plan.ladder.measure == "score" else Climb(plan, policy)


def schedule(climb: Climb | ScoreClimb) -> Schedule[None]:
    """A climb as a schedule; its result is ``climb.outcome()``."""
    while matches := climb.next_matches():
        climb.update((yield matches))


def schedule_of(climbs: Sequence[Climb | ScoreClimb]) -> Schedule[list[Any]]:
    """All climbs side by side; on a ladder of scores they share the games of its levels' teams."""
    return side_by_side([schedule(climb) for climb in climbs])


def climb_all(climbs: Sequence[Climb | ScoreClimb], play: Callable[[list[Match]], Any]) -> None:
    """Play all climbs to their ends, side by side.

    Args:
        play: plays matches and returns their records by name.
    """
    play_out(schedule_of(climbs), play)
