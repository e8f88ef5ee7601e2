"""Cooperative Hanabi: teams of one policy, and every policy among teammates it does not know.

    python -m benchmarks.hanabi_teams
    python -m benchmarks.hanabi_teams --policies rule:focus,mcts:50 --players 2 --games 20
    python -m benchmarks.hanabi_teams --policies llm --model M --base-url URL --games 5

All teams play the same deals. A team of one policy sits in every seat; in a mixed team one policy
sits among teammates that are all the same, once in each seat of every deal. Three scores come from
the recorded moves: strict (0 once all lives are lost), keep (points in any case) and SPIN-Bench's.

Sources: SPIN-Bench (arXiv:2503.12349), section on Hanabi; Walton-Rivers et al. 2017 (agents that
play in mixed teams).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter

from stratagym.agents.core import Policy
from stratagym.benchmarks.hanabi import report
from stratagym.benchmarks.harness import cli, match_play, pairings, records
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.policies import make_policies, settings, usage
from stratagym.benchmarks.harness.progress import counter, progress_bar
from stratagym.benchmarks.harness.workers import Match, MatchArgs, play_all
from stratagym.benchmarks.reporting.stats import bootstrap_mean, bootstrap_ratio, wilson
from stratagym.envs import spec
from stratagym.envs.hanabi.metrics import COUNTS, RESULTS, replay

NAME = "hanabi_teams"
GAME = spec("hanabi")
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


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs):
    policies: Annotated[str, Parameter(name=["--policies", "--policy"])] = (
        "random,rule:simple,rule:iggi,rule:piers,rule:focus"
    )
    """Policies, separated by commas: random, rule:NAME, mcts:SIMULATIONS, llm, llm:MODEL."""
    teammates: str = "rule:simple,rule:iggi,rule:piers,rule:focus"
    """Policies to sit among in mixed teams, separated by commas; "none" for no mixed teams."""
    players: str = "2,3,4,5"
    """Numbers of players, separated by commas."""
    games: int = 1000
    """Games for each team of one policy."""
    mixed_games: int | None = None
    """Games for each mixed team, rounded up so that every deal is played from every seat; by
    default as many as --games."""
    score: str = "strict"
    """Rules in force: strict, keep or spin. All scores are reported under any of them."""
    invalid: str = match_play.RANDOM
    """After the last bad answer: "random" plays a legal move, "forfeit" ends the game at 0."""
    seed: int = 0
    """Seed of the deals; the same for every team."""
    output: str | None = None
    """Folder of the run; default results/hanabi_teams/<time>."""
    resume: bool = False
    """Go on with the run in --output, or with the newest."""
    json: bool = False
    """Print the summary as JSON instead of tables."""


@dataclass(frozen=True)
class Team:
    """One seat of ``one`` among ``rest``; of one policy where they are the same.

    ``score`` is the scoring rule in force: ``spin`` also deals five cards to four players.
    """

    players: int
    one: str
    rest: str
    score: str

    @property
    def name(self) -> str:
        return f"{self.players}p-{self.score}/{self.one}/{self.rest}"


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play Hanabi in teams and report scores and how they came about."""
    players = list(dict.fromkeys(_players(word) for word in cli.words(args.players)))
    mixed_games = args.games if args.mixed_games is None else args.mixed_games
    if not players or args.games < 1 or mixed_games < 1:
        raise cli.InputError("--players, --games and --mixed-games: at least one of each is needed")
    if args.score not in SCORES:
        raise cli.InputError(f"--score {args.score!r}: choose from {', '.join(SCORES)}")
    protocol = args.answer_protocol(GAME)
    executor = args.executor_options()
    policies = {p.name: p for p in make_policies(GAME, args.policies, args)}
    named = list(policies)
    mates = (
        []
        if args.teammates == "none"
        else make_policies(GAME, args.teammates, args, option="--teammates")
    )
    for policy in mates:
        policies.setdefault(policy.name, policy)
    teammates = [policy.name for policy in mates]
    teams = all_teams(players, named, teammates, args.score)
    config = {
        **settings(list(policies.values())),
        "named": named,
        "teammates": teammates,
        "players": players,
        "games": args.games,
        "mixed_games": mixed_games,
        "rules": {n: GAME.options_in_force(players=n, score=args.score) for n in players},
        **protocol.record(),
        "seed": args.seed,
    }
    folder = records.open_run(NAME, args.output, config, args.resume)
    everything = {team: team_items(team, config, protocol) for team in teams}
    with progress_bar() as bar:
        done = counter(bar, "games", sum(map(len, everything.values())))
        for items in everything.values():
            play_all(
                items,
                folder,
                concurrency=args.concurrency,
                policies=policies,
                replays=0,
                done=done,
                **executor,
            )
    summary = summarise(folder, teams, policies, config)
    records.write_json(folder / "summary.json", summary)
    report.write(folder, summary)
    if args.json:
        print(json.dumps(summary))
    else:
        report.screen(summary, folder)


def _players(word: str) -> int:
    if word not in ("2", "3", "4", "5"):
        raise cli.InputError(f"--players {word!r}: choose from 2, 3, 4, 5")
    return int(word)


def all_teams(
    players: list[int], policies: list[str], teammates: list[str], score: str
) -> list[Team]:
    """The teams to play, each once.

    SPIN-Bench dealt five cards to four players: unless its rules are in force anyway, teams of one
    policy play four-player games under both.
    """
    everyone = list(dict.fromkeys([*policies, *teammates]))
    teams = {Team(n, name, name, score): None for n in players for name in everyone}
    if 4 in players:
        teams |= {Team(4, name, name, "spin"): None for name in policies}
    for n in players:
        for name in policies:
            for mate in teammates:
                # With two players either of them is the other's teammate.
                if name != mate and not (n == 2 and Team(n, mate, name, score) in teams):
                    teams[Team(n, name, mate, score)] = None
    return list(teams)


def team_items(
    team: Team, config: Mapping[str, Any], protocol: match_play.AnswerProtocol
) -> list[Match]:
    """All games of a team, deal by deal."""
    same = team.one == team.rest
    # A team of one policy needs each deal once.
    seats = 1 if same else team.players
    seeds, seating = pairings.duel_seating(
        seats, config["games" if same else "mixed_games"], config["seed"]
    )
    two = team.one, team.rest
    return [
        Match(
            NAME,
            f"{team.name}/{g // seats}/{g % seats}",
            GAME.name,
            {"players": team.players, "score": team.score},
            int(seeds[g]),
            (team.one,) * team.players if same else tuple(two[k] for k in seating[g]),
            protocol,
        )
        for g in range(len(seeds))
    ]


# --- from the records ----------------------------------------------------------------------------


@dataclass
class Played:
    """The finished games of a team, played again from their records.

    Attributes:
        seeds, plies: (G,). counts: (G, len(COUNTS)), over all seats. results: (G, len(RESULTS)).
        forfeited: (G,) bool.
        endings: by word. aborted: games that a transport failure broke off.
    """

    seeds: np.ndarray
    plies: np.ndarray
    counts: np.ndarray
    results: np.ndarray
    forfeited: np.ndarray
    endings: dict[str, int]
    aborted: int

    def count(self, *names: str) -> np.ndarray:
        """How many moves of these kinds, (G,)."""
        return self.counts[:, [COUNTS.index(name) for name in names]].sum(1)

    def result(self, name: str) -> np.ndarray:
        return self.results[:, RESULTS.index(name)]

    @property
    def lives_lost(self) -> np.ndarray:
        """Whether all lives were lost, (G,) bool."""
        return self.result("lives") == 0

    def score(self, name: str) -> np.ndarray:
        """``strict``, ``keep`` or ``spin`` of every game, (G,); a forfeit is 0 under ``strict``."""
        if name == "spin":
            return self.result("points_before_last")
        points = self.result("points")
        return points if name == "keep" else points * ~(self.lives_lost | self.forfeited)

    def by_deal(self) -> dict[int, float]:
        """Strict score by seed, for a team that played every deal once."""
        return dict(zip(self.seeds.tolist(), self.score("strict").tolist(), strict=True))


def read_teams(folder: Path, teams: list[Team]) -> dict[Team, Played]:
    """What a run has recorded of each team."""
    # A match that was broken off and played on later has a second, whole record.
    last = {game["match"]: game for game in records.read_jsonl(folder / "games.jsonl")}
    by_team = defaultdict(list)
    for game in last.values():
        by_team[game["match"].rsplit("/", 2)[0]].append(game)
    return {team: _played(team, by_team[team.name]) for team in teams}


def _played(team: Team, games: list[dict[str, Any]]) -> Played:
    whole = [game for game in games if game["ended_by"] != TRANSPORT]
    rules = GAME.make_rules(players=team.players, score=team.score)
    plies = np.array([game["plies"] for game in whole], np.int64)
    actions = np.zeros((len(whole), rules.max_game_length), np.int16)
    for g, game in enumerate(whole):
        actions[g, : plies[g]] = game["actions"]
    seeds = np.array([game["seed"] for game in whole], np.uint64)
    counts, results = replay(rules, seeds, actions, plies)
    return Played(
        seeds,
        plies,
        counts.sum(1),
        results,
        np.array([game["ended_by"] == match_play.FORFEIT for game in whole], bool),
        dict(Counter(game["ended_by"] for game in whole)),
        len(games) - len(whole),
    )


def process(games: Played) -> dict[str, Any]:
    """``RATES`` and ``A_GAME`` of a team."""
    rates = {
        name: bootstrap_ratio(games.count(hits), games.count(*cases), draws=400).record()
        for name, (hits, cases) in RATES.items()
    }
    means = (
        games.count("critical_loss"),
        games.result("points_lost"),
        games.count("wasted_token"),
        games.result("tokens"),
    )
    return rates | {
        name: bootstrap_mean(values, games.seeds, draws=400).record()
        for name, values in zip(A_GAME, means, strict=True)
    }


def difference(games: Played, other: Mapping[int, float]) -> dict[str, Any]:
    """Mean of the strict score minus ``other``'s on the same deal, by seed, where both are."""
    seeds = games.seeds.tolist()
    pairs = [
        (score - other[seed], seed)
        for score, seed in zip(games.score("strict").tolist(), seeds, strict=True)
        if seed in other
    ]
    values = np.array([value for value, _ in pairs], float)
    return bootstrap_mean(values, np.array([seed for _, seed in pairs], np.uint64)).record()


def summarise(
    folder: Path, teams: list[Team], policies: Mapping[str, Policy], config: Mapping[str, Any]
) -> dict[str, Any]:
    """The content of ``summary.json``, from the records on disk."""
    played = read_teams(folder, teams)
    decisions = records.read_jsonl(folder / "decisions.jsonl")
    return {
        "config": config,
        "games": sum(len(games.seeds) for games in played.values()),
        "teams": [row for n in config["players"] for row in _same_rows(n, played, config)],
        "mixed": [
            _mixed_row(n, name, mate, played, config)
            for n in config["players"]
            for name in config["named"]
            for mate in config["teammates"]
            if name != mate
        ],
        "models": usage(decisions, policies.values()),
    }


def _same_rows(
    players: int, played: Mapping[Team, Played], config: Mapping[str, Any]
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
            row[score] = bootstrap_mean(source.score(score), source.seeds, chance=level).record()
        n = len(games.seeds)
        row |= {
            "perfect": wilson(int((games.score("strict") == FULL_SCORE).sum()), n).record(),
            "all_lives_lost": wilson(int(games.lives_lost.sum()), n).record(),
            "best": best,
            "to_best": None if best in (None, name) else difference(games, own[best].by_deal()),
            "published": PUBLISHED.get((name, players)),
            "mean_plies": float(games.plies.mean()) if n else None,
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
    played: Mapping[Team, Played],
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
        "strict": bootstrap_mean(games.score("strict"), games.seeds).record(),
        "keep": bootstrap_mean(games.score("keep"), games.seeds).record(),
        "all_lives_lost": bootstrap_mean(games.lives_lost, games.seeds).record(),
        "to_own_teams": difference(games, middle),
        "endings": games.endings,
        "transport_aborted": games.aborted,
    }


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
