"""Games that repeat each other count once, and who has no result is not measured: by hand."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from openai_server import OpenAIServer, answer
from scripts import lines

from stratagym.benchmarks.anchored_levels.__main__ import APP as LEVELS
from stratagym.benchmarks.harness import cli
from stratagym.benchmarks.harness.repeats import evidence
from stratagym.benchmarks.reporting.ratings import rate, rate_on_ladder
from stratagym.benchmarks.tournament.__main__ import APP as TOURNAMENT
from stratagym.envs.text import TextOptions


def game(seed: int, actions: list[int], name: str = "tictactoe", seats=("a", "b"), lost=None):
    return {"game": name, "seed": seed, "seats": list(seats), "actions": actions,
            "forfeited_by": lost}  # fmt: skip


def strength(points: float, games: int) -> float:
    """e^x where the ratings of two players, x and -x about the middle, are likeliest.

    The first has so many points of the games between them, and each has drawn a game against the
    middle. With u = e^x the slope of the likelihood is
    points + 1/2 - games u^2 / (1 + u^2) - u / (1 + u) = 0, a polynomial of third degree.
    """
    more = points + 0.5
    roots = np.roots([more - games - 1, more - games, more - 1, more])
    (u,) = (root.real for root in roots if abs(root.imag) < 1e-9 and root.real > 0)
    return float(u)


def test_a_round_is_what_was_played_with_a_seed():
    one, other = [0, 1, 2], [4, 1, 2]
    rounds = [game(seed, one) for seed in (5, 6)] + [game(8, other)]
    found = evidence(rounds)
    assert (found.different, found.rounds, found.repeats) == (2, 3, False)
    assert found.weight == 1 and found.clusters.tolist() == [0, 1, 2] and found.record() == {}
    rounds.insert(2, game(7, one))
    found = evidence(rounds)
    assert found.repeats and found.weight == 2 / 4
    found = evidence([*rounds, game(9, one)])
    assert found.repeats and found.weight == 2 / 5
    assert found.clusters.tolist() == [0, 0, 0, 1, 0]
    assert found.record() == {"repeats": {"different": 2, "rounds": 5}}


def test_what_makes_games_different():
    same = [game(seed, [0]) for seed in range(5)]
    assert evidence(same).different == 1
    # Who sat where, in which order the lines of a round stand, and who forfeited.
    both = [game(seed, [0], seats=seats) for seed in range(5) for seats in (("a", "b"), ("b", "a"))]
    assert (evidence(both).different, evidence(both).rounds) == (1, 5)
    shuffled = [*both[::2], *both[1::2]]
    assert evidence(shuffled).different == 1
    assert evidence([*same, game(9, [0], seats=("b", "a"))]).different == 2
    assert evidence([*same, game(9, [0], lost=0)]).different == 2
    # The dice of another seed are others.
    assert evidence([game(seed, [0], "ludo") for seed in range(5)]).weight == 1
    large = [game(seed, [0]) for seed in (2**63 - 1, 2**63 - 2, 2**63 - 3)]
    assert (evidence(large).different, evidence(large).rounds) == (1, 3)
    assert evidence([]).weight == 1


@pytest.mark.parametrize("copies", [1, 5, 50])
def test_a_rating_counts_a_round_once(copies):
    """Two wins in two games, however often they are played again."""
    games = [("a", "b", 1.0, seed) for seed in range(copies) for _ in range(2)]
    found = rate(games, [1 / copies] * len(games))
    odds = strength(2, 2)
    assert found["a"]["bradley_terry"] == pytest.approx(1000 + 400 * np.log10(odds), abs=1e-6)
    assert found["b"]["bradley_terry"] == pytest.approx(1000 - 400 * np.log10(odds), abs=1e-6)
    assert (found["a"]["games"], found["a"]["points"], found["b"]["points"]) == (
        2 * copies, 2 * copies, 0
    )  # fmt: skip
    once = rate(games[:2])
    for key in ("low", "high", "elo"):
        assert found["a"][key] == pytest.approx(once["a"][key], abs=0.1)


def test_a_rating_on_a_ladder_counts_a_round_once():
    """Two wins and one drawn game against the anchor: odds of 2.5 to 0.5."""
    games = [("anchor", 1.0, seed) for seed in range(10) for _ in range(2)]
    found = rate_on_ladder(games, {"anchor": 300.0}, 0.0, [0.1] * 20)
    assert found.value == pytest.approx(300 + 400 * np.log10(5), abs=1e-6)
    assert found.n == 20
    full = rate_on_ladder(games, {"anchor": 300.0}, 0.0)
    assert full.value == pytest.approx(300 + 400 * np.log10(20.5 / 0.5), abs=1e-6)
    assert found.high - found.low > full.high - full.low


# --- the commands --------------------------------------------------------------------------------


def run(app, *arguments: object) -> dict:
    folder = Path(str(arguments[-1]))
    with pytest.raises(SystemExit) as left:
        cli.run(app, list(map(str, arguments)))
    assert left.value.code == 0
    return json.loads((folder / "summary.json").read_text())


def test_a_tournament_of_players_without_chance(tmp_path, capsys):
    """Six rounds that are alike, beside a model of which no answer can be read."""
    with OpenAIServer(lambda body, nth: answer("I do not know.")) as server:
        summary = run(
            TOURNAMENT, "--game", "tictactoe", "--policies", "heuristic,alphabeta:1,llm:model",
            "--games", 12, "--base-url", server.base_url, "--tries", 1,
            "--output", tmp_path / "run",
        )  # fmt: skip
    own = [
        record
        for record in lines(tmp_path / "run" / "games.jsonl")
        if "llm:model" not in record["seats"]
    ]
    assert len(own) == 12 and len({str(record["actions"]) for record in own}) <= 2
    (row,) = [row for row in summary["pairings"] if "llm:model" not in (row["a"], row["b"])]
    assert row["repeats"] == {"different": 1, "rounds": 6}
    first = [
        r["returns"][r["seats"].index("heuristic")] for r in own if r["seed"] == own[0]["seed"]
    ]
    points = sum(0.5 + value / 2 for value in first)
    edge = 400 * np.log10(strength(points, 2))
    rated = summary["policies"]["heuristic"]
    assert rated["bradley_terry"] == pytest.approx(1000 + edge, abs=1e-6)
    assert rated["games"] == 12 and rated["points"] == 6 * points
    assert summary["policies"]["llm:model"]["bradley_terry"] is None
    screen = " ".join(capsys.readouterr().out.split())
    assert "only 1 of 6 rounds (the games of one seed) are different" in screen
    assert "not measured" in screen
    report = (tmp_path / "run" / "report.md").read_text()
    (cells,) = [
        line for line in report.splitlines() if line.startswith("| `llm:model` ") and "100" in line
    ][:1] or [""]
    assert "only 1 of 6 rounds" in report and "| not measured |" in report, cells


def test_a_climb_of_players_without_chance():
    """A ladder of one level whose player is beaten, or beats, in one round for every seed."""
    from stratagym.agents import ladders
    from stratagym.benchmarks.harness import climb

    ladder = ladders.find_ladder("tictactoe")
    plan = climb.Plan(
        "anchored_levels",
        ladder,
        8,
        0,
        climb.match_play.AnswerProtocol(TextOptions(), 1, "forfeit"),
        early_stop=False,
        top=0,
    )
    level = climb.LevelResult(0)
    for seed in range(4):
        for seat in (0, 1):
            seats = ("me", "random") if seat == 0 else ("random", "me")
            record = game(seed, [0, 1, 2], seats=seats)
            level.results.append(climb.Result("random", seed, 1.0, record))
    assert level.win_rate().value == 1
    # Of one round: Wilson's interval for one case, all of whose games were won.
    from stratagym.benchmarks.reporting.stats import wilson

    one = wilson(1, 1)
    assert (level.win_rate().low, level.win_rate().high) == pytest.approx((one.low, one.high))
    found = climb.Climb(plan, "me")
    found.levels = [level]
    zero = ladder.calibration["ratings"]["random"]
    nu = ladder.calibration["ties"]
    # Two wins and one draw against random play, with Davidson's draws: the slope of
    # 2 log P(win) + log sqrt(P(a over the middle)) is zero; solved by bisection in plain floats.
    rating = found.outcome().rating

    def slope(x: float) -> float:
        def log_likelihood(y: float) -> float:
            a = np.exp(y)
            win = a / (a + 1 + nu * np.sqrt(a))
            drawn = 0.5 * np.log(a / (1 + a)) + 0.5 * np.log(1 / (1 + a))
            return 2 * np.log(win) + drawn

        return log_likelihood(x + 1e-6) - log_likelihood(x - 1e-6)

    low, high = 0.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    assert rating.value == pytest.approx(zero + 400 * low / np.log(10), abs=0.05)


def test_a_climb_without_a_result_is_not_measured(tmp_path, capsys):
    with OpenAIServer(lambda body, nth: answer("I do not know.")) as server:
        summary = run(
            LEVELS, "--game", "tictactoe", "--policies", "llm:model,random", "--games", 8,
            "--base-url", server.base_url, "--tries", 1, "--output", tmp_path / "run",
        )  # fmt: skip
    row = summary["games"]["tictactoe"]["llm:model"]
    assert row["result"] == "not measured"
    assert (row["level"], row["rating"], row["level_progress"]) == (None, None, None)
    assert summary["games"]["tictactoe"]["random"]["rating"]["value"] is not None
    assert "not measured" in capsys.readouterr().out
    assert "| not measured |" in (tmp_path / "run" / "report.md").read_text()
