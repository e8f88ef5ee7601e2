"""Cooperative Hanabi: teams of one policy, and teams in which one player is another.

    python -m benchmarks.hanabi_teams
    python -m benchmarks.hanabi_teams --policies rule:piers,llm --model M --base-url URL --games 10
    python -m benchmarks.hanabi_teams --players 2,4 --score spin --teammates ""

Every policy fills teams of two to five players and plays the same deals as the others. All three
scores come from the same games, with what the team did with its hints and discards. Then every
policy takes one seat, each in turn, among the rule-based teammates (ad-hoc play).

Source: SPIN-Bench (arXiv:2503.12349), section on cooperative games; Bard et al. 2020 for ad-hoc
teams.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from cyclopts import Parameter
from rich.console import Console

from stratagym.agents.core import Policy, make_policy
from stratagym.benchmarks import cli, executors, records, runner
from stratagym.benchmarks.arena_report import model_table
from stratagym.benchmarks.executors import ExecutorArgs, Item
from stratagym.benchmarks.policies import ModelArgs, make_policies, settings, usage
from stratagym.benchmarks.report import (
    COLOURS,
    MARKERS,
    Page,
    RateCell,
    Table,
    against,
    code,
    count,
    drawing,
    heat_map,
    number,
    short_labels,
)
from stratagym.benchmarks.stats import bootstrap_mean, bootstrap_ratio, wilson
from stratagym.envs import spec
from stratagym.envs.hanabi.metrics import COUNTS, SCORES, game_counts, game_scores
from stratagym.wrappers.text import TextOptions

NAME = "hanabi_teams"
GAME = spec("hanabi")
PERFECT = 25

PROCESS = {
    "hints": ("hint", "decisions"),
    "plays": ("play", "decisions"),
    "discards": ("discard", "decisions"),
    "misplays": ("misplay", "play"),
    "useful_hints": ("useful_hint", "hint"),
    "repeated_hints": ("repeated_hint", "hint"),
    "useless_discards": ("useless_discard", "discard"),
    "critical_losses": ("critical_loss", "discard or misplay"),
}
"""Process metrics: what is counted, and among which moves; ``COUNTS`` has the words."""


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(ModelArgs, ExecutorArgs):
    policies: Annotated[str, Parameter(name=["--policies", "--policy"])] = (
        "random,rule:simple,rule:iggi,rule:piers,rule:focus"
    )
    """Policies, separated by commas."""
    players: str = "2,3,4,5"
    """Sizes of the teams."""
    games: int = 1000
    """Games of every team; the same deals for all."""
    teammates: str = "rule:simple,rule:iggi,rule:piers,rule:focus"
    """Built-in policies among whom every policy takes one seat; "" leaves mixed teams out."""
    mixed_players: int = 2
    """Size of the mixed teams."""
    score: str = "strict"
    """Rules of the games: "strict" (0 once all lives are lost), "keep", or "spin", which also deals
    four players five cards. All three scores are reported in any case."""
    persona: str = "none"
    """Playing style asked of language models."""
    list_legal: bool = False
    """Name the legal moves in prompts."""
    lenient: bool = False
    """Read replies leniently, where the game's view knows how."""
    history: int = 0
    """Moves of the game that a prompt retells."""
    memory: int = 0
    """Own turns, prompt and reply, that are sent along with a prompt."""
    tries: int = 3
    """Answers a model may give for one move; a bad one is quoted back."""
    invalid: str = runner.FORFEIT
    """After the last bad answer: "forfeit" ends the game, "random" plays a legal move."""
    time_limit: float = 300.0
    """Seconds a model may take over a move, all its answers together; then as after a bad one."""
    timeout: float = 300.0
    """Seconds to wait for a reply before trying again."""
    seed: int = 0
    """Seed of the deals and of every random choice."""
    output: str | None = None
    """Folder of the run; default results/hanabi_teams/<time>."""
    resume: bool = False
    """Go on with the run in --output, or with the newest."""
    json: bool = False
    """Print the summary as JSON instead of tables."""


@dataclass(frozen=True)
class Team:
    """``policy`` in every seat, or in one seat among ``teammate``s."""

    players: int
    policy: str
    teammate: str | None = None

    @property
    def name(self) -> str:
        mixed = f"+{self.teammate}" if self.teammate else ""
        return f"{self.players}p/{self.policy}{mixed}"

    def seats(self, game: int) -> tuple[str, ...]:
        """Who sits where; the one among the others moves on by a seat every game."""
        others = self.teammate or self.policy
        one = game % self.players
        return tuple(self.policy if seat == one else others for seat in range(self.players))


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play Hanabi in teams of one policy and in mixed teams."""
    players = [_size("--players", word) for word in cli.words(args.players)]
    mixed = _size("--mixed-players", str(args.mixed_players))
    if not players or args.games < 1:
        raise cli.InputError("--players, --games: at least one size of team and one game")
    text = TextOptions(args.persona, args.list_legal, args.lenient, args.history, args.memory)
    how = runner.MatchRules(text, args.tries, args.invalid, args.time_limit)
    try:
        how.check(GAME)
        GAME.make_rules(score=args.score)
        mates = [make_policy(GAME, word).name for word in cli.words(args.teammates)]
    except ValueError as error:
        raise cli.InputError(str(error)) from None
    executor = args.executor_options()
    policies = {p.name: p for p in make_policies(GAME, args.policies, args)}
    teams = [Team(n, name) for n in players for name in policies]
    # Mixed teams are compared with both policies' own teams of their size.
    names = list(dict.fromkeys([*policies, *mates])) if mates else []
    teams += [Team(mixed, name) for name in names if Team(mixed, name) not in teams]
    teams += [Team(mixed, name, mate) for name in policies for mate in mates if mate != name]
    config = {
        **settings(list(policies.values())),
        "players": players,
        "games": args.games,
        "teammates": mates,
        "mixed_players": mixed if mates else None,
        "score": args.score,
        "text": text.__dict__,
        "tries": args.tries,
        "invalid": args.invalid,
        "time_limit_s": args.time_limit,
        "seed": args.seed,
    }
    folder = records.open_run(NAME, args.output, config, args.resume)
    played: dict[Team, list[executors.Record]] = {}
    with runner.progress_bar() as bar:
        task = bar.add_task("games", total=len(teams) * args.games)
        for team in teams:
            played[team] = list(
                executors.play_all(
                    team_items(team, args.games, args.score, args.seed, how),
                    folder,
                    concurrency=args.concurrency,
                    policies=policies,
                    done=lambda record: bar.advance(task),
                    **executor,
                ).values()
            )
    summary = summarise(folder, played, policies, config)
    records.write_json(folder / "summary.json", summary)
    write_report(folder, summary)
    if args.json:
        print(json.dumps(summary))
    else:
        screen(Console(), summary, folder)


def _size(option: str, word: str) -> int:
    if word not in ("2", "3", "4", "5"):
        raise cli.InputError(f"{option} {word!r}: choose from 2, 3, 4, 5")
    return int(word)


def team_items(team: Team, games: int, score: str, seed: int, how: runner.MatchRules) -> list[Item]:
    """The games of a team; deals depend on its size alone."""
    options = {"players": team.players, "score": score}
    return [
        Item(
            NAME,
            f"{team.name}/{g}",
            GAME.name,
            options,
            runner.item_seed(seed, GAME.name, str(team.players), str(g)),
            team.seats(g),
            how,
        )
        for g in range(games)
    ]


# --- figures -------------------------------------------------------------------------------------


def summarise(
    folder: Path,
    played: dict[Team, list[executors.Record]],
    policies: dict[str, Policy],
    config: dict[str, Any],
) -> dict[str, Any]:
    """The content of ``summary.json``."""
    by_score = {team: scores_of(games) for team, games in played.items()}
    rows, mixed = [], []
    for team, games in played.items():
        if team.teammate is None:
            rows.append(_team_row(team, games, by_score[team]))
        else:
            own = [by_score[Team(team.players, name)] for name in (team.policy, team.teammate)]
            mixed.append(_mixed_row(team, by_score[team], own, config["score"]))
    return {
        "config": config,
        "teams": rows,
        "mixed": mixed,
        "models": usage(records.read_jsonl(folder / "decisions.jsonl"), policies.values()),
    }


def _replayable(games: Sequence[executors.Record]) -> tuple[Any, np.ndarray, np.ndarray, Any]:
    """Rules, seeds (G,), actions (G, longest) and plies (G,) of games of one team."""
    rules = GAME.make_rules(**games[0]["rules"])
    plies = np.array([game["plies"] for game in games])
    actions = np.zeros((len(games), max(1, plies.max())), np.int16)
    for g, game in enumerate(games):
        actions[g, : plies[g]] = game["actions"]
    return rules, np.array([game["seed"] for game in games], np.uint64), actions, plies


def scores_of(games: Iterable[executors.Record]) -> dict[int, tuple[np.ndarray, int]]:
    """``SCORES`` (3,) and lives left of every finished game, by its seed.

    A game that ended because a model gave no legal answer counts 0 in the strict score, else what
    the team had reached.
    """
    whole = [game for game in games if game["returns"] is not None]
    if not whole:
        return {}
    rules, seeds, actions, plies = _replayable(whole)
    scores, lives = game_scores(rules, seeds, actions, plies)
    forfeited = np.array([game["ended_by"] == runner.FORFEIT for game in whole])
    scores[forfeited, SCORES.index("strict")] = 0
    return {
        game["seed"]: (row, int(left)) for game, row, left in zip(whole, scores, lives, strict=True)
    }


def _team_row(
    team: Team, games: list[executors.Record], scores: dict[int, tuple[np.ndarray, int]]
) -> dict[str, Any]:
    """Scores and process metrics of a team of one policy."""
    table = np.array([row for row, _ in scores.values()]).reshape(-1, len(SCORES))
    lives = np.array([left for _, left in scores.values()])
    whole = [game for game in games if game["returns"] is not None]
    process = {}
    if whole:
        counts = game_counts(*_replayable(whole)).sum(axis=1)
        counted: dict[str, np.ndarray] = dict(zip(COUNTS, counts.T, strict=True))
        counted["discard or misplay"] = counted["discard"] + counted["misplay"]
        process = {
            name: bootstrap_ratio(counted[what], counted[among]).record()
            for name, (what, among) in PROCESS.items()
        }
    return {
        "players": team.players,
        "policy": team.policy,
        **{name: bootstrap_mean(table[:, k]).record() for k, name in enumerate(SCORES)},
        "perfect": wilson(
            int((table[:, SCORES.index("strict")] == PERFECT).sum()), len(table)
        ).record(),
        "lives_lost": wilson(int((lives == 0).sum()), len(lives)).record(),
        "plies": bootstrap_mean(np.array([game["plies"] for game in whole])).record(),
        "endings": dict(Counter(game["ended_by"] for game in games)),
        "process": process,
    }


def _mixed_row(
    team: Team,
    scores: dict[int, tuple[np.ndarray, int]],
    own: list[dict[int, tuple[np.ndarray, int]]],
    score: str,
) -> dict[str, Any]:
    """The score of a mixed team, and its surplus over the mean of both policies' own teams."""
    at = SCORES.index(score)
    values = np.array([row[at] for row, _ in scores.values()])
    surplus = [
        row[at] - (own[0][seed][0][at] + own[1][seed][0][at]) / 2
        for seed, (row, _) in scores.items()
        if seed in own[0] and seed in own[1]
    ]
    return {
        "players": team.players,
        "policy": team.policy,
        "teammate": team.teammate,
        "score": bootstrap_mean(values).record(),
        "over_own_teams": bootstrap_mean(np.array(surplus)).record(),
    }


# --- report --------------------------------------------------------------------------------------


def score_table(summary: dict[str, Any]) -> Table:
    """Mean score in force of every team, perfect games, games that cost all lives."""
    score = summary["config"]["score"]
    table = Table(["team", "score", "perfect", "lives lost", "games"])
    for row in summary["teams"]:
        table.rows.append(
            [
                f"{row['players']} {code(row['policy'])}",
                RateCell(row[score], high=PERFECT),
                RateCell(row["perfect"], strip=False),
                RateCell(row["lives_lost"], strip=False),
                count(row[score]["n"]),
            ]
        )
    return table


def detail_table(summary: dict[str, Any]) -> Table:
    """All three scores, moves a game, games not played to the end."""
    table = Table(["team", *SCORES, "moves", "cut short"])
    for row in summary["teams"]:
        cut = {how: n for how, n in row["endings"].items() if how != "terminal"}
        table.rows.append(
            [
                f"{row['players']} {code(row['policy'])}",
                *(RateCell(row[name], high=PERFECT) for name in SCORES),
                RateCell(row["plies"], strip=False),
                ", ".join(f"{n} {how}" for how, n in cut.items()) or "–",
            ]
        )
    return table


def process_table(summary: dict[str, Any]) -> Table:
    """What the teams did with their moves."""
    table = Table(["team", *(name.replace("_", " ") for name in PROCESS)])
    for row in summary["teams"]:
        if row["process"]:
            table.rows.append(
                [
                    f"{row['players']} {code(row['policy'])}",
                    *(RateCell(row["process"][name]) for name in PROCESS),
                ]
            )
    return table


def mixed_table(summary: dict[str, Any]) -> Table:
    """Mixed teams with what they gain or lose by being mixed."""
    table = Table(["one", "among", "score", "over own teams", "games"])
    for row in summary["mixed"]:
        table.rows.append(
            [
                code(row["policy"]),
                code(row["teammate"]),
                RateCell(row["score"], strip=False),
                RateCell(row["over_own_teams"], strip=False),
                count(row["score"]["n"]),
            ]
        )
    return table


def _by_policy(summary: dict[str, Any]) -> dict[str, dict[int, dict[str, Any]]]:
    rows: defaultdict[str, dict[int, dict[str, Any]]] = defaultdict(dict)
    for row in summary["teams"]:
        rows[row["policy"]][row["players"]] = row
    return rows


def draw_scores(folder: Path, summary: dict[str, Any]) -> Path:
    """Mean score by the number of players, a line a policy, with intervals."""
    score, by_policy = summary["config"]["score"], _by_policy(summary)
    sizes = sorted({row["players"] for row in summary["teams"]})
    labels = short_labels(list(by_policy))
    with drawing(folder, "scores", 6.4, 3.8) as figure:
        axes = figure.subplots()
        for k, (policy, rows) in enumerate(by_policy.items()):
            own = [(n, rows[n][score]) for n in sizes if n in rows and rows[n][score]["n"]]
            shift = 0.05 * (k - (len(by_policy) - 1) / 2)
            axes.errorbar(
                [n + shift for n, _ in own],
                [rate["value"] for _, rate in own],
                [
                    [rate["value"] - rate["low"] for _, rate in own],
                    [rate["high"] - rate["value"] for _, rate in own],
                ],
                color=COLOURS[k % len(COLOURS)],
                marker=MARKERS[k % len(MARKERS)],
                markersize=5,
                linewidth=1.2,
                capsize=2,
                label=labels[policy],
            )
        axes.set_xticks(sizes)
        axes.set_xlabel("players")
        axes.set_ylim(0, PERFECT)
        axes.set_ylabel(f"points of {PERFECT} ({score})")
        axes.grid(axis="y")
        axes.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    return folder / "scores.png"


def draw_mixed(folder: Path, summary: dict[str, Any]) -> Path:
    """Heat map: the row's policy in one seat among the column's; own teams where both are one."""
    score, size = summary["config"]["score"], summary["config"]["mixed_players"]
    rates = {(row["policy"], row["teammate"]): row["score"] for row in summary["mixed"]}
    strong = {
        (row["policy"], row["teammate"]): row["over_own_teams"]["n"] > 0
        and against(row["over_own_teams"], 0) != 0
        for row in summary["mixed"]
    }
    for name, rows in _by_policy(summary).items():
        if size in rows:
            rates[name, name] = rows[size][score]
    ones = list(dict.fromkeys(row["policy"] for row in summary["mixed"]))
    mates = summary["config"]["teammates"]
    labels = short_labels(list(dict.fromkeys([*ones, *mates])))
    with drawing(folder, "mixed", 2.6 + 0.9 * len(mates), 1.5 + 0.45 * len(ones)) as figure:
        axes = figure.subplots()
        heat_map(
            axes,
            [[rates.get((a, b), {"value": None})["value"] for b in mates] for a in ones],
            [labels[name] for name in ones],
            [labels[name] for name in mates],
            colours="YlGnBu",
            limits=(0.0, float(PERFECT)),
            texts=[
                [number(rates[a, b]["value"], 1) if (a, b) in rates else "" for b in mates]
                for a in ones
            ],
            strong=[[strong.get((a, b), False) for b in mates] for a in ones],
        )
        axes.set_xlabel(f"among {size - 1} of")
    return folder / "mixed.png"


def write_report(folder: Path, summary: dict[str, Any]) -> None:
    """Write the figures, ``report.md`` and ``report.html``."""
    config = summary["config"]
    page = Page(
        "Hanabi in teams",
        "Mean points of 25. Intervals are 95%, from resampling deals, which are the same for all "
        "teams of a size.",
    )
    page.figures_in_brief(
        [
            (count(sum(row["strict"]["n"] for row in summary["teams"])), "games of own teams"),
            (count(config["games"]), "games a team"),
            (config["score"], "score"),
            (str(config["seed"]), "seed"),
        ]
    )
    page.heading("Teams of one policy")
    page.figure(
        draw_scores(folder, summary),
        f"Mean {config['score']} score by size of the team, with 95% intervals.",
        "Line chart of mean scores by number of players",
    )
    page.table(score_table(summary))
    page.table(detail_table(summary), "All three scores of the same games")
    page.heading("What they did")
    page.table(process_table(summary))
    if summary["mixed"]:
        page.heading(f"Mixed teams of {config['mixed_players']}")
        page.figure(
            draw_mixed(folder, summary),
            "Mean score of the row's policy in one seat among the column's; bold where it differs "
            "from the mean of both policies' own teams on the same deals.",
            "Heat map of mixed teams' scores",
        )
        page.table(mixed_table(summary))
    if summary["models"]:
        page.heading("Language models")
        page.table(model_table(summary), "Answers by kind")
        page.text(
            f"{config['tries']} tries a move, then {code(config['invalid'])}; "
            f"{config['time_limit_s']:g} s a move."
        )
    page.heading("Words")
    page.bullets(
        [
            "**Strict**: points, 0 once all three lives are lost. **Keep**: points in any case. "
            "**Spin**: points before the last move, as SPIN-Bench's published scores were logged; "
            "with `--score spin` also five cards for four players, as there.",
            "**Hints, plays, discards**: shares of all moves. **Misplays**: of plays. **Useful "
            "hints**: of hints, those that rule something out about a card that fits now. "
            "**Repeated hints**: those that say nothing new. **Useless discards**: of discards, "
            "cards that could never be played any more. **Critical losses**: of discards and "
            "misplays, last copies of cards that still could.",
            "**Over own teams**: the mixed team's score minus the mean of both policies' own "
            "teams, deal by deal.",
        ]
    )
    page.write(folder)


def screen(console: Console, summary: dict[str, Any], folder: Path) -> None:
    """Print the final tables."""
    score = summary["config"]["score"]
    console.print(score_table(summary).rich(f"Hanabi, {score} score of 25"))
    if summary["mixed"]:
        size = summary["config"]["mixed_players"]
        console.print(mixed_table(summary).rich(f"Mixed teams of {size}"))
    if summary["models"]:
        console.print(model_table(summary).rich("Language models"))
    console.print(f"Report: {folder / 'report.html'}", soft_wrap=True, highlight=False)


APP = cli.app(NAME, main)

if __name__ == "__main__":
    cli.run(APP)
