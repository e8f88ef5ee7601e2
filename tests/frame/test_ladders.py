"""Ladders: frozen, what their tables say, and played again to the game."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from scripts import ROOT

from stratagym.agents.core import Weakened, decision_for, make_policy
from stratagym.agents.ladders import Ladder, earlier_ladders, is_kept, ladder_of, laddered
from stratagym.benchmarks.anchored_levels import calibration
from stratagym.benchmarks.harness import workers
from stratagym.benchmarks.reporting.stats import COUNT, mean_rate
from stratagym.envs import core, spec

PRESENT = [ladder_of(game) for game in laddered()]
LADDERS = PRESENT + [ladder for game in laddered() for ladder in earlier_ladders(game)]
WINS = [ladder for ladder in LADDERS if ladder.measure == "wins"]
DOCS = ROOT / "docs" / "benchmarks" / "anchored_levels.md"


def of_game(ladder: Ladder) -> str:
    return ladder.game.name if ladder in PRESENT else ladder.name


def test_six_games_have_a_ladder():
    six = {"chess", "connect_four", "hanabi", "ludo", "texas_holdem", "tictactoe"}
    assert six <= set(laddered())
    levels = {ladder.game.name: ladder.top for ladder in PRESENT}
    assert levels["tictactoe"] >= 2 and levels["texas_holdem"] >= 4 and levels["ludo"] >= 2
    assert levels["connect_four"] >= 5 and levels["chess"] >= 8


@pytest.mark.parametrize("ladder", LADDERS, ids=of_game)
def test_levels_are_policies_from_random_play_upwards(ladder):
    assert ladder.name.startswith(f"{ladder.game.name}/ladder-v")
    assert ladder.levels[0] == ("random",)
    names = [name for level in ladder.levels for name in level]
    assert len(names) == len(set(names))
    for level, policies in enumerate(ladder.levels):
        if level not in ladder.missing():
            assert [make_policy(ladder.game, name).name for name in policies] == list(policies)
    if ladder.game.name == "chess":
        own = [k for k, names in enumerate(ladder.levels) if not any("uci:" in n for n in names)]
        assert own == list(range(len(own))) and len(own) >= 4


@pytest.mark.parametrize("ladder", WINS, ids=of_game)
def test_every_level_wins_70_to_90_percent_against_the_one_below(ladder):
    frozen = ladder.calibration
    assert [(p["level"], p["policy"], p["below"]) for p in frozen["pairs"]] == list(
        calibration.pairings(ladder)
    )
    assert frozen["games"] >= 400
    for pair in frozen["pairs"]:
        tally = Counter(pair["outcomes"])
        assert (tally["W"], tally["D"], tally["L"]) == (
            pair["wins"], pair["draws"], pair["losses"],
        )  # fmt: skip
        assert sum(tally.values()) == frozen["games"] == len(pair["digests"]) // 8
        rate = pair["rate"]
        assert rate["value"] == pytest.approx(tally["W"] / (tally["W"] + tally["L"]))
        if ladder.is_solved(pair["level"]):
            assert tally["L"] == 0 and tally["D"] > 0
        else:
            assert 0.70 <= rate["value"] <= 0.90
            assert rate["high"] - rate["low"] < 0.2
        # A pairing in which the same game comes again and again would say little.
        assert pair["distinct"] == len({pair["digests"][k : k + 8] for k in range(
            0, len(pair["digests"]), 8)})  # fmt: skip
        # There are few of tic-tac-toe, and 24 by 24 of plans that are drawn from two pools.
        drawn = ("battle_card", "elemental_duel", "tower_defence")
        least = {"tictactoe": 0, **dict.fromkeys(drawn, 0.4)}
        # However many games: of 576 there are no 800.
        games = min(frozen["games"], 400) if ladder.game.name in drawn else frozen["games"]
        assert pair["distinct"] > least.get(ladder.game.name, 0.9) * games
    assert calibration.problems(ladder, frozen) == []


@pytest.mark.parametrize("ladder", WINS, ids=of_game)
def test_the_frozen_ratings_follow_from_the_frozen_games(ladder):
    frozen = ladder.calibration
    assert calibration._ratings(ladder, frozen["pairs"]) == {
        "ratings": frozen["ratings"],
        "ties": frozen["ties"],
    }
    means = [np.mean([frozen["ratings"][n] for n in names]) for names in ladder.levels]
    assert means[0] == 0
    assert means == sorted(means)


def test_hanabi_levels_have_scores_apart():
    ladder = ladder_of("hanabi")
    teams = ladder.calibration["teams"]
    assert [team["policy"] for team in teams] == [n for names in ladder.levels for n in names]
    for team in teams:
        assert len(team["scores"]) >= 400
        # The frozen intervals are those of version 0.1, by a bootstrap.
        mean = mean_rate(np.array(team["scores"]), bounds=COUNT).record()
        assert mean == pytest.approx(team["mean"], abs=0.05)
        assert mean["value"] == pytest.approx(team["mean"]["value"])
        for below in teams:
            if below["level"] == team["level"] - 1:
                assert below["mean"]["high"] < team["mean"]["low"]
    assert calibration.problems(ladder, ladder.calibration) == []


def test_mahjong_levels_have_points_apart():
    ladder = ladder_of("mcr_mahjong")
    frozen = ladder.calibration
    assert [(p["level"], p["policy"], p["below"]) for p in frozen["pairs"]] == list(
        calibration.pairings(ladder)
    )
    for pair in frozen["pairs"]:
        assert len(pair["outcomes"]) == frozen["games"] >= 400
        assert pair["points"]["low"] > 0
    assert calibration.problems(ladder, frozen) == []


@pytest.mark.parametrize("ladder", LADDERS, ids=of_game)
def test_a_slice_of_the_frozen_games_replays(ladder, tmp_path):
    def play(items):
        return workers.play_all(items, tmp_path, workers=1)

    assert calibration.replay(ladder, play, 1) == []


def test_a_game_that_is_not_as_frozen_is_named(tmp_path):
    ladder = replace(ladder_of("hanabi"))
    teams = ladder.calibration["teams"]
    changed = json.loads(json.dumps(ladder.calibration))
    changed["teams"][0]["digests"] = "00000000" + teams[0]["digests"][8:]
    ladder.__dict__["calibration"] = changed

    def play(items):
        return workers.play_all(items, tmp_path, workers=1)

    (line,) = calibration.replay(ladder, play, 2)
    assert line.startswith("random: game 0")


def test_another_set_of_levels_needs_another_calibration():
    ladder = ladder_of("connect_four")
    longer = replace(ladder, levels=(*ladder.levels, ("mcts:20000",)))
    with pytest.raises(ValueError, match="new version"):
        _ = longer.calibration
    newer = replace(ladder, name="connect_four/ladder-v99")
    with pytest.raises(ValueError, match="calibrate --game connect_four --freeze"):
        _ = newer.calibration


def test_the_documentation_shows_the_frozen_tables():
    page = DOCS.read_text()
    for ladder in LADDERS:
        assert f"`{ladder.name}`" in page
    for ladder in PRESENT:
        assert calibration.table(ladder.calibration).markdown() in page


def test_earlier_ladders_stay_and_play_what_they_played():
    """Their alpha-beta is that of 0.1; the slice of frozen games above is played with it."""
    assert [ladder.name for game in laddered() for ladder in earlier_ladders(game)] == [
        "chess/ladder-v1", "connect_four/ladder-v1", "connect_four/ladder-v2", "go/ladder-v1",
        "go/ladder-v2", "gomoku/ladder-v1",
    ]  # fmt: skip
    for game, word in (("chess", "alphabeta:3?random=0.13"), ("connect_four",
                       "alphabeta:4?random=0.1")):  # fmt: skip
        ladder = ladder_of(f"{game}/ladder-v1")
        assert word in [name for level in ladder.levels for name in level]
        assert "version=1" in ladder.player(word)
        assert make_policy(ladder.game, ladder.player(word)).name == ladder.player(word)
        assert ladder_of(game).player(word) == word
        assert is_kept(ladder.facts()) and is_kept(ladder_of(game).facts())
        assert not is_kept(ladder.facts() | {"levels": []})
    with pytest.raises(ValueError, match="chess has no ladder chess/ladder-v9; it has: chess/l"):
        ladder_of("chess/ladder-v9")


def test_a_weakened_policy_errs_as_often_as_it_says(rng):
    game = spec("tictactoe")
    rules = game.make_rules()
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(1), core.new_scratch(rules)[1])
    policy = make_policy(game, "heuristic?random=0.3")
    assert isinstance(policy, Weakened) and policy.name == "heuristic?random=0.3"
    views = [decision_for(game, rules, states, int(s)) for s in rng.integers(2**62, size=3000)]
    moves = Counter(policy.act(view) for view in views)
    best = make_policy(game, "heuristic").act(views[0])
    # The heuristic's own move comes up among the random ones too.
    assert moves[best] / 3000 == pytest.approx(0.7 + 0.3 / 9, abs=0.05)
    assert len(moves) == 9
    assert [policy.act(view) for view in views[:50]] == [policy.act(view) for view in views[:50]]


def test_options_of_the_policy_itself_are_kept():
    policy = make_policy(spec("connect_four"), "mcts:20?c=0.7&random=0.25")
    assert policy.name == "mcts:20?c=0.7&random=0.25"
    assert make_policy(spec("connect_four"), policy.name).name == policy.name


@pytest.mark.parametrize("share", ["0", "1", "1.5", "-0.1", "often"])
def test_a_share_that_is_none_is_refused(share):
    with pytest.raises(ValueError, match=f"random={share}: a probability"):
        make_policy(spec("tictactoe"), f"heuristic?random={share}")
