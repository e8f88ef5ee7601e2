"""``python -m benchmarks.botzone``: its protocol, its figures recounted from the records."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scripts
from botzone_runs import GOLDEN, OURS, essence, model_run, scripted
from openai_server import OpenAIServer, playing
from scripts import assert_refused, kill_at, lines

from stratagym.agents.ladders import ladder_of, laddered
from stratagym.benchmarks.botzone import shares
from stratagym.benchmarks.botzone.shares import share_of
from stratagym.benchmarks.botzone.summary import alike, few_decided
from stratagym.benchmarks.harness.botzone_games import BY_GAME, GAMES, first_side
from stratagym.benchmarks.harness.climb import Climb, LevelResult, Result, climb_all, new_plan
from stratagym.benchmarks.harness.decisions import TRANSPORT
from stratagym.benchmarks.harness.matches import Match
from stratagym.benchmarks.reporting.correlation import spearman
from stratagym.benchmarks.reporting.stats import Rate

run = partial(scripts.run, "botzone")
command = partial(scripts.command, "botzone")

# --- the games and the paper's protocol ----------------------------------------------------------


def test_games_are_the_papers_eight():
    assert [entry.theirs for entry in GAMES] == [
        "TicTacToe", "Gomoku", "Ataxx", "Reversi", "Chess", "TexasHoldem2p", "FightTheLandlord",
        "ChineseStandardMahjong",
    ]  # fmt: skip
    assert set(BY_GAME) <= set(laddered())


@pytest.mark.parametrize("game", BY_GAME)
def test_the_published_protocol_makes_sense_in_every_game(game):
    entry, ladder = BY_GAME[game], ladder_of(game)
    protocol = entry.published_protocol()
    assert protocol.tries == 3 and protocol.text.answer == "evaluation"
    variant = entry.published_ladder(ladder)
    for option, value in entry.rules.items():
        assert variant.facts()["rules"][option] == value
    assert variant.levels == ladder.levels
    assert variant.is_variant == (variant.facts()["rules"] != ladder.facts()["rules"])
    plan = entry.published_plan(new_plan("botzone", variant, 0, protocol))
    sides = len(plan.sides)
    for level, names in enumerate(ladder.levels):
        whole = entry.level_games[min(level, 1)]
        played = plan.rounds(level) * sides * len(names)
        assert whole <= played < whole + sides * len(names)
    assert not plan.early_stop and plan.discards
    # Two of five decisions in Fight the Landlord are a pass that nothing can be played in place of.
    assert protocol.ask_forced == (game != "dou_dizhu")
    begun = {k: v for k, v in protocol.record().items() if k != "ask_forced"}
    assert entry.published_protocol(begun).ask_forced, "as earlier versions began"
    assert entry.published_protocol(protocol.record()) == protocol


def test_games_are_with_each_opponent_by_default():
    plan = new_plan("botzone", ladder_of("tictactoe"), 0, None, 16)  # type: ignore[arg-type]
    assert [plan.rounds(level) for level in range(4)] == [8] * 4


def test_seat_1_begins_at_botzones_chess():
    assert first_side("chess", {}) == 0
    assert first_side("chess", {"judge": "botzone"}) == 1


# --- figures -------------------------------------------------------------------------------------


def level(passed: bool, wins: int, draws: int, losses: int) -> dict[str, Any]:
    return {
        "passed": passed, "games": wins + draws + losses, "win_rate": {"n": wins + losses},
        "settled_early": False,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("found", "few"),
    [
        (level(True, 1, 31, 0), True),  # Qwen3-14B's mahjong in the paper
        (level(True, 3, 28, 1), True),  # GPT-5.2's chess
        (level(True, 5, 11, 0), True),
        (level(True, 8, 24, 0), False),
        (level(True, 7, 25, 0), True),
        (level(True, 10, 54, 0), True),
        (level(True, 16, 0, 16), False),
        (level(False, 0, 31, 1), False),
        (level(True, 7, 1, 0) | {"settled_early": True}, False),
        (level(True, 6, 0, 2), False),
    ],
)
def test_levels_passed_on_few_decided_games_are_marked(found, few):
    assert few_decided(found)["few"] is few
    assert few_decided(found)["decided"] == found["win_rate"]["n"]
    assert not few_decided(found, is_solved=True)["few"]


def climbed(
    points: Callable[[int, int], float | None], discards: bool = False, repeated: bool = False
) -> tuple[Climb, Rate]:
    """A climb on connect four's ladder whose games come to ``points(level, number)``; None for a
    game that nobody could finish. All are different or, ``repeated``, all seeds' the same."""
    plan = new_plan("botzone", ladder_of("connect_four"), 0, None, 32, False)  # type: ignore[arg-type]
    climb = Climb(replace(plan, discards=discards), "x")

    def play(matches: list[Match]) -> dict[str, Any]:
        records = {}
        for k, match in enumerate(matches):
            got = points(int(match.name.split("/")[2]), k)
            seat = match.place.seat
            records[match.name] = {"ended_by": TRANSPORT, "returns": None, "seats": "xy"}
            if got is None:
                continue
            returns = [2 * got - 1 if j == seat else 1 - 2 * got for j in range(2)]
            ended = {"ended_by": "terminal", "returns": returns, "forfeited_by": None}
            records[match.name] |= ended | {
                "game": "connect_four",
                "seed": k // 2,
                "actions": [0 if repeated else k],
            }
        return records

    climb_all([climb], play)
    return climb, share_of(climb, climb.outcome())


def test_the_share_of_a_ladder():
    top = ladder_of("connect_four").top
    climb, share = climbed(lambda level, k: float(level < 3 or k % 4 == 0))
    assert climb.outcome().level == 3
    assert share.value == pytest.approx(3.5 / (top + 1))
    assert 3 / (top + 1) <= share.low < share.value < share.high <= 4 / (top + 1)
    climb, share = climbed(lambda level, k: 1.0)
    assert (share.value, share.low, share.high) == (1, 1, 1)
    # Fifty rounds that are one tell as little as one: of three resampled, two may be the lost one.
    climb, share = climbed(lambda level, k: 1.0, repeated=True)
    assert share.value == share.high == 1 > share.low
    climb, share = climbed(lambda level, k: 0.5)
    assert climb.outcome().value is None and share.value == 0 < share.high
    climb, share = climbed(lambda level, k: 0.0)
    assert share.value == share.low == 0 and 0 < share.high < 1 / (top + 1)


def dealt(seed: int) -> Any:
    """What tells a hand from another."""
    return {
        "game": "texas_holdem",
        "seed": seed,
        "seats": "xy",
        "actions": [],
        "forfeited_by": None,
    }


def of_points(earned: list[float]) -> LevelResult:
    """A level on a ladder of points whose games come to ``earned``, two a seed."""
    results = [
        Result("x", k // 2, 0.5 + 0.5 * float(np.sign(x)), dealt(k // 2), x)
        for k, x in enumerate(earned)
    ]
    return LevelResult(0, results, by_points=True)


def test_levels_of_points_are_passed_by_points(rng):
    passed, progress = shares.resampled(of_points([30.0, -8.0] * 16), False, rng)
    assert passed.mean() > 0.95 and 0.9 < progress.mean() <= 1
    passed, _ = shares.resampled(of_points([8.0, -30.0] * 16), False, rng)
    assert passed.mean() < 0.05
    passed, _ = shares.resampled(of_points([8.0, -8.0, 40.0, -40.0] * 8), False, rng)
    assert passed.mean() > 0.2


def test_games_that_failed_break_a_climb_off_or_are_left_out():
    def points(level: int, k: int) -> float | None:
        return None if (level, k) == (1, 5) else float(level < 2)

    climb, share = climbed(points)
    assert climb.outcome().aborted and climb.outcome().level == 1 and share.value is None
    climb, share = climbed(points, discards=True)
    assert not climb.outcome().aborted and climb.outcome().level == 2
    assert [level.lost for level in climb.levels] == [0, 1, 0]
    assert share.value == pytest.approx(2 / (climb.plan.top + 1))


def test_a_level_passed_by_a_hair_may_have_been_missed():
    """The interval of the progress alone would begin at the level's foot."""
    climb, share = climbed(lambda level, k: float(level == 0 and k < 17))
    whole = climb.plan.top + 1
    assert climb.outcome().level == 1 and share.value == pytest.approx(1 / whole)
    assert share.low < 0.95 / whole < share.value < share.high


def test_rank_correlations_are_scipys(rng):
    scipy = pytest.importorskip("scipy.stats")
    for _ in range(50):
        one, other = rng.integers(0, 5, (2, int(rng.integers(4, 12)))).astype(float)
        if np.ptp(one) and np.ptp(other):
            expected = scipy.spearmanr(one, other).statistic
            assert spearman(one, other) == pytest.approx(expected)
            (pair,) = alike(shares_of(one, other))["pairs"]
            assert pair["correlation"] == pytest.approx(expected)
    for one, other in (([1, 2, 3], [1, 2, 3]), ([1, 1, 1, 1], [1, 2, 3, 4])):
        (pair,) = alike(shares_of(one, other))["pairs"]
        assert pair["correlation"] is None and pair["policies"] == len(one)


def shares_of(one, other):
    """Shares of two games' ladders, by policy and game."""
    return {
        str(k): {"go": Rate(a, None, None, 1), "chess": Rate(b, None, None, 1)}
        for k, (a, b) in enumerate(zip(one, other, strict=True))
    }


# --- a run of built-in policies ------------------------------------------------------------------


@pytest.fixture(scope="module")
def built_in(tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("botzone") / "run"
    done = run("--game", "tictactoe,reversi", "--policies", "random,heuristic?random=0.5,perfect",
               "--games", 8, "--workers", 1, "--output", folder, "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def by_round(games: list[dict]) -> dict[tuple, dict[int, float]]:
    """Returns of the climbing policy by seat, for every seed of every pairing."""
    found: dict[tuple, dict[int, float]] = defaultdict(dict)
    for game in games:
        found[game["pairing"], game["seed"]][game["seat"]] = game["returns"][game["seat"]]
    return found


def test_first_movers_are_what_the_games_say(built_in):
    folder, summary = built_in
    pairs = by_round(lines(folder / "games.jsonl"))
    for game in ("tictactoe", "reversi"):
        gains = []
        for policy, found in summary["movers"][game]["policies"].items():
            own = {key: x for key, x in pairs.items() if key[0].startswith(f"{game}/{policy}/")}
            assert own
            for seat, role in enumerate(("first", "second")):
                returns = [by_seat[seat] for by_seat in own.values()]
                assert found[role] == {
                    "wins": sum(x > 0 for x in returns), "draws": sum(x == 0 for x in returns),
                    "losses": sum(x < 0 for x in returns),
                }  # fmt: skip
            mine = [(x[0] - x[1]) / 2 for x in own.values()]
            assert found["advantage"]["value"] == pytest.approx(np.mean(mine))
            gains += mine
        assert summary["movers"][game]["all"]["value"] == pytest.approx(np.mean(gains))
    # Who begins at tic-tac-toe is ahead.
    assert summary["movers"]["tictactoe"]["all"]["value"] > 0


def test_progress_sums_up_the_climbs(built_in):
    _, summary = built_in
    top = summary["config"]["highest"]
    for policy, found in summary["progress"].items():
        shares = []
        for game, share in found["by_game"].items():
            row = summary["games"][game].get(policy)
            if row is None:
                assert share["value"] is None
                continue
            assert share["value"] == pytest.approx(row["level_progress"] / (top[game] + 1))
            shares.append(share["value"])
        assert found["mean"]["value"] == pytest.approx(np.mean(shares))
        assert found["mean"]["n"] == len(shares) and found["mean"]["of"] == 2
    assert summary["progress"]["perfect"]["by_game"]["tictactoe"]["value"] == 1
    assert summary["progress"]["perfect"]["mean"]["n"] == 1
    (pair,) = summary["alike"]["pairs"]
    assert pair["games"] == ["tictactoe", "reversi"] and pair["policies"] == 2
    assert pair["correlation"] is None  # of two policies


def test_the_report_has_the_papers_tables(built_in):
    folder, summary = built_in
    page = (folder / "report.md").read_text()
    assert "| policy | Tic-Tac-Toe | Reversi | mean share |" in page
    for policy, row in summary["games"]["tictactoe"].items():
        row_of = rf"^\| `{re.escape(policy)}` \| {re.escape(row['result'])}"
        assert re.search(row_of, page, re.MULTILINE)
    for heading in ("Skill", "First and second mover", "Game by game", "Definitions"):
        assert f"\n## {heading}\n" in page
    assert "Mistakes" not in page  # no model
    found = summary["games"]["reversi"]["random"]["levels"][0]["opponents"]["random"]
    assert f"{found['wins']}-{found['draws']}-{found['losses']}/{sum(found.values())}" in page


@pytest.mark.slow
def test_patterns_of_winning_hands(tmp_path):
    done = run("--game", "mcr_mahjong", "--policies", "random,heuristic", "--games", 8,
               "--workers", 1, "--output", tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    summary = json.loads((tmp_path / "summary.json").read_text())
    own = summary["patterns"]["mcr_mahjong"]["heuristic"]
    climb = [g for g in lines(tmp_path / "games.jsonl") if "/heuristic/" in g["pairing"]]
    best = {g["match"]: max(range(4), key=lambda seat, g=g: g["returns"][seat]) for g in climb}
    won = sum(
        any(g["returns"]) and (best[g["match"]] - g["seat"]) % 2 == 0
        for g in climb
        if g["pairing"].startswith("mcr_mahjong/heuristic/")
    )
    assert own["all"]["wins"] == won >= own["lowest"]["wins"] > 0
    assert own["all"]["fans"] >= own["all"]["8 and more"]["fans"] > 0
    nothing = summary["patterns"]["mcr_mahjong"]["random"]["lowest"]
    assert nothing["wins"] > 0 or nothing["8 and more"]["frequency"] is None
    page = (tmp_path / "report.md").read_text()
    assert f"| `heuristic` | Lv0 and Lv1 | {own['lowest']['wins']} |" in page


# --- a run of a model ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def of_model(tmp_path_factory) -> tuple[Path, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("botzone_model") / "run"
    with OpenAIServer(playing(scripted)) as server:
        done = run(*model_run(folder, server, *OURS))
    assert done.returncode == 0, done.stderr
    return folder, json.loads(done.stdout)


def test_the_summary_is_the_golden_one(of_model):
    assert essence(of_model[1]) == json.loads(GOLDEN.read_text())


def test_mistakes_and_tokens_are_recounted(of_model):
    folder, summary = of_model
    by_game = defaultdict(list)
    for record in lines(folder / "decisions.jsonl"):
        by_game[record["game"]].append(record)
    games = {game["match"]: game for game in lines(folder / "games.jsonl")}
    assert set(by_game) == {"tictactoe", "reversi"}
    for game, records in by_game.items():
        found = summary["answers"]["llm:scripted"][game]
        first = [r for r in records if r["attempt"] == 1]
        errors = found["errors"]
        assert errors["kinds"] == Counter(r["kind"] for r in records)
        assert {"ok", "unparseable", "illegal"} == set(errors["kinds"])
        assert (errors["decisions"], errors["answers"]) == (len(first), len(records))
        well = sum(r["kind"] == "ok" for r in first) / len(first)
        assert errors["well_at_first"]["value"] == pytest.approx(well)
        lost = [g for g in games.values() if g["game"] == game and g["forfeited_by"] is not None]
        assert errors["games_lost"] == len(lost) > 0
        for name, of in (
            ("tokens_in", lambda r: r["tokens_in"]),
            ("tokens_spent", lambda r: r["tokens_out"]),
            ("tokens_reasoning", lambda r: r["tokens_reasoning"]),
            ("tokens_out", lambda r: r["tokens_out"] - r["tokens_reasoning"]),
        ):
            mean = sum(map(of, records)) / len(first)
            assert found["tokens"][name]["value"] == pytest.approx(mean), name
        spread = Counter(r["item"].split("/")[2] for r in first)
        assert {k: own["decisions"] for k, own in found["by_level"].items()} == spread
    page = (folder / "report.md").read_text()
    assert "\n## Mistakes\n" in page and "\n## Thinking\n" in page
    assert (folder / "thinking.png").stat().st_size > 1000


@pytest.mark.slow
def test_a_run_that_is_killed_comes_to_the_same(of_model, tmp_path):
    _, whole = of_model
    with OpenAIServer(playing(scripted)) as server:
        words = model_run(tmp_path / "cut", server, *OURS)
        kill_at(command(*words), tmp_path / "cut" / "decisions.jsonl", 30)
        asked = len(server.requests)
        done = run(*words, "--resume")
        assert done.returncode == 0, done.stderr
        assert len(server.requests) - asked > 0
    assert essence(json.loads(done.stdout)) == essence(whole)


def test_as_published(tmp_path):
    with OpenAIServer(playing(scripted)) as server:
        done = run(*model_run(tmp_path, server, "--game", "tictactoe", "--as-published"))
        assert done.returncode == 0, done.stderr
        prompts = [r.body["messages"] for r in server.requests[1:]]
    assert all("Answer: <" in p[0]["content"] + p[1]["content"] for p in prompts)
    assert all("Empty squares" in p[1]["content"] for p in prompts)
    row = json.loads(done.stdout)["games"]["tictactoe"]["llm:scripted"]
    levels = row["levels"]
    assert levels[0]["games"] == 16 and not any(found["settled_early"] for found in levels)
    assert [sum(t.values()) for t in levels[1]["opponents"].values()] == [16, 16]
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["as_published"] and config["level_games"] == {"tictactoe": [16, 32]}
    assert config["time_limit_s"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--game", "ludo"], ["--game", "ludo", "tictactoe, gomoku"]),
        (["--game", ""], ["--game", "name at least one"]),
        (["--games", "4"], ["--games 4", "at least 8"]),
        (["--as-published", "--games", "32"], ["--games", "--as-published"]),
        (["--as-published", "--no-ask-forced"], ["--ask-forced", "--as-published"]),
        (["--as-published", "--tries", "1", "--list-legal"], ["--tries, --list-legal"]),
        (["--game", "tictactoe", "--policies", "perfection"], ["perfection"]),
    ],
)
def test_what_makes_no_sense_is_refused(arguments, words, tmp_path):
    assert_refused(run(*arguments, "--output", tmp_path), words)
