"""DSGBench: five capabilities in scenes of strategic games, one score with intervals.

    python -m benchmarks.dsgbench
    python -m benchmarks.dsgbench --scenario street_fighter/async --policies llm:M --base-url URL
    python -m benchmarks.dsgbench --policies random,level:3 --games 2 --output FOLDER
    python -m benchmarks.dsgbench trajectories RUN

Every scene is played against its opponent with seats exchanged, the same seeds for all policies.
Metrics are placed in their ranges and weighted to capabilities, and these to a score (equation 3).
"leaderboard" ranks the policies of several runs in one table.

Source: DSGBench (arXiv:2503.06047); its own ranges and opponents were never published.
"""

from __future__ import annotations

from dataclasses import dataclass

from cyclopts import Parameter

from stratagym.benchmarks.dsgbench import boards, own_scenes, report, trajectories
from stratagym.benchmarks.dsgbench import players as who
from stratagym.benchmarks.dsgbench.score import BY_GAME, WEIGHTS, scoring
from stratagym.benchmarks.dsgbench.summary import Plan, add_up, replies_by_match
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.harness.options import MatchArgs, RunArgs
from stratagym.benchmarks.harness.policies import settings
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.harness.whole_games import Played, play_and_report

NAME = "dsgbench"


@Parameter(name="*")
@dataclass(kw_only=True)
class Args(MatchArgs, RunArgs):
    benchmark = NAME

    scenario: str = "all"
    """Scenes, separated by commas: names such as street_fighter/async, a game for all of its
    scenes, "all", or the file of a scene of one's own."""
    policies: str = "random,level:3"
    """Policies, separated by commas; level:3 is level 3 of each game's ladder. A policy plays the
    scenes of the games that it can play."""
    opponent: str | None = None
    """The opponent in all scenes; default each scene's own."""
    anchors: str = "none"
    """Policies that stand below the others as a scale, such as level:1,level:5."""
    games: int = 20
    """Games of a policy in a scene, rounded up so that every seed is played from every seat."""
    weights: str = BY_GAME
    """What shares a capability equally: its games ("game") or all their metrics ("metric")."""
    as_published: bool = False
    """Compute metrics as the released code does, faults included."""
    allow_partial: bool = False
    """Make an overall score of the scenes that were played, though others are missing."""
    temperature: float = 0.2
    """Sampling temperature; the paper's is 0.2."""
    tries: int = 1
    """Answers that a model may give for one move."""
    invalid: str = who.IDLE
    """After the last bad answer: "idle" plays the game's idle action, else its default orders or a
    random legal move; "random" and "forfeit" as elsewhere."""


def main(args: Args = Args()) -> None:  # noqa: B008 - how cyclopts takes defaults
    """Play DSGBench's scenes and report metrics, capabilities and the score."""
    cli.count("--games", args.games)
    cli.choice("--weights", args.weights, WEIGHTS)
    scenes, rules = own_scenes.chosen(args.scenario, scoring(args.weights, args.as_published))
    games = list(dict.fromkeys(scene.game for scene in scenes))
    named = who.make_players(args.policies, games, args, "--policies")
    anchors = []
    if args.anchors != "none":
        known = {one.label for one in named}
        more = who.make_players(args.anchors, games, args, "--anchors")
        anchors = [one for one in more if one.label not in known]
    opponents = who.opponents_of(scenes, args, args.opponent)
    protocols = {scene.name: who.protocol_of(scene, args) for scene in scenes}
    plan = Plan(
        scenes,
        [*named, *anchors],
        [one.label for one in anchors],
        rules,
        args.as_published,
        args.allow_partial,
    )
    policies = who.by_name(
        [*(p for one in plan.players for p in one.policies.values()), *opponents.values()]
    )
    config = {
        **settings(list(policies.values())),
        "scenes": [scene.record() for scene in scenes],
        "opponents": {name: policy.name for name, policy in opponents.items()},
        "named": [one.label for one in named],
        "anchors": [one.label for one in anchors],
        "games": args.games,
        "score": rules.version,
        "weights": args.weights,
        "as_published": args.as_published,
        "allow_partial": args.allow_partial,
        "reader": next(iter(protocols.values())).text.reader,
        "protocols": {name: protocol.record() for name, protocol in protocols.items()},
        "seed": args.seed,
    }
    run = Run(NAME, args, config, who.models_of(policies))
    matches: list[Match] = []
    for scene in scenes:
        protocol, other = protocols[scene.name], opponents[scene.name].name
        for one in plan.players:
            if scene.game in one.policies:
                name = one.policies[scene.game].name
                matches += scene.matches(one.label, name, other, args.games, args.seed, protocol)
        matches += scene.matches(who.CHANCE, "random", "random", args.games, args.seed, protocol)

    def counted(found: Played) -> dict[str, object]:
        return add_up(found, plan, replies_by_match(run.decisions()), run.usage())

    play_and_report(run, matches, policies, counted, report)


APP = cli.app(NAME, main, trajectories.trajectories, boards.leaderboard)

if __name__ == "__main__":
    cli.run(APP)
