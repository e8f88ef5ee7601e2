"""The content of a tournament's ``summary.json``: ratings of all players, rates of all pairings."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.own_play import counting
from stratagym.benchmarks.harness.pairings import points
from stratagym.benchmarks.harness.records import GameRecord, side_policies
from stratagym.benchmarks.harness.run import Run
from stratagym.benchmarks.reporting.ratings import rate


def summarise(run: Run, played: Sequence[GameRecord], byes: dict[str, int]) -> dict[str, Any]:
    """The summary of a run, from all its games and who was left out in which round."""
    names = {game["match"] for game in played}
    aborted = Counter(
        game["match"]
        for game in run.games()
        if game["ended_by"] == TRANSPORT and game["match"] in names
    )
    play = run.own_play()
    void = play.void()
    groups: defaultdict[tuple[str, str], list[GameRecord]] = defaultdict(list)
    for game in played:
        a, b = side_policies(game)
        groups[(a, b) if (a, b) in groups or (b, a) not in groups else (b, a)].append(game)
    pairings = {names: Games.of(counting(own, void)) for names, own in groups.items()}
    weights = {frozenset(names): games.evidence.weight for names, games in pairings.items()}
    whole = [(side_policies(game), game) for game in Games.of(counting(played, void)).records]
    ratings = rate(
        [(a, b, points(game), game["seed"]) for (a, b), game in whole],
        [weights[frozenset(both)] for both, _ in whole],
    )
    rows = {}
    for name, policy in run.policies.items():
        mine = Games([game for game in Games.of(played).records if name in game["seats"]])
        lost = [
            game["forfeited_by"] is not None and game["seats"][game["forfeited_by"]] == name
            for game in mine.records
        ]
        rows[name] = {
            **ratings.get(name, {"games": 0, "points": 0.0, "bradley_terry": None}),
            "forfeits": mine.rate(lost).record() if isinstance(policy, LanguageModel) else None,
            "transport_breaks": sum(
                aborted[game["match"]] for game in played if name in game["seats"]
            ),
            "bye_in_round": byes.get(name),
        }
    return {
        "config": run.config,
        "policies": rows,
        "own": play.records(rows),
        "pairings": [pairing_row(a, b, games) for (a, b), games in pairings.items()],
        "models": run.usage(),
    }


def pairing_row(a: str, b: str, games: Games) -> dict[str, Any]:
    """How ``a`` fared against ``b``."""
    score, roles, movers = games.score_of(a), games.by_role(a), games.by_mover(a)
    return {
        "a": a,
        "b": b,
        "score": games.rate(score, chance=0.5).record(),
        "wins": games.rate(score == 1).record(),
        "draws": games.rate(score == 0.5).record(),
        "losses": games.rate(score == 0).record(),
        **games.evidence.record(),
        "different_games": len({(g["seats"][0], tuple(g["actions"])) for g in games.records}),
        "endings": games.endings,
        "mean_plies": games.mean_plies,
        "broken_off": games.aborted,
        **({"roles": roles} if roles else {}),
        **({"movers": movers} if movers else {}),
    }
