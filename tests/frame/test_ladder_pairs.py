"""Ladders of pairs: the two games of a seed, one on each side, are one contest."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from tiny_games import village

from stratagym import envs
from stratagym.agents.ladders import Ladder
from stratagym.benchmarks.anchored_levels import calibration
from stratagym.benchmarks.harness.climb import Climb, LevelResult, Plan, Result
from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.benchmarks.harness.workers import play_all
from stratagym.envs.text import TextOptions

envs.register(village.SPEC)
PROTOCOL = AnswerProtocol(TextOptions(), 1, "forfeit")
LADDER = Ladder("village/ladder-v1", (("random",), ("mcts:3",)), measure="pairs")


def counted(records, policy: str) -> Counter:
    """Pairs that a policy won, drew and lost, from the records of its games alone."""
    by_seed = defaultdict(list)
    for game in records:
        by_seed[game["seed"]].append(game["returns"][game["seat"]] == 1)
        assert game["seats"][game["seat"]] == policy
    assert all(len(own) == 2 for own in by_seed.values())
    words = {2: "wins", 1: "draws", 0: "losses"}
    return Counter(words[sum(own)] for own in by_seed.values())


def test_a_pair_is_won_by_who_wins_both():
    game = {"match": "m", "game": "ludo", "seats": ["a"], "actions": [], "forfeited_by": None}
    points = {1: (1, 1), 2: (0, 0), 3: (1, 0), 4: (0, 1), 5: (1, 0.5), 6: (0.5, 0.5), 7: (1, 1)}
    results = [
        Result("b", seed, p, game | {"seed": seed}) for seed, pair in points.items() for p in pair
    ]
    pairs, games = LevelResult(0, results, by_pairs=True), LevelResult(0, results)
    assert pairs.tally() == {"wins": 2, "losses": 1, "draws": 4}
    assert (pairs.win_rate().value, pairs.win_rate().n) == (pytest.approx(2 / 3), 3)
    assert pairs.draw_rate().value == pytest.approx(4 / 7)
    assert pairs.passed and pairs.tally("c") == {}
    assert games.tally() == {"wins": 7, "losses": 4, "draws": 3}
    # A game of a pair that was lost to a broken connection leaves nothing to count.
    assert LevelResult(0, results[:-1], by_pairs=True).tally()["wins"] == 1


def test_a_climb_counts_pairs(tmp_path):
    plan = Plan("test", LADDER, 40, 0, PROTOCOL, early_stop=False, top=1)
    climb = Climb(plan, "mcts:2")
    matches = climb.next_matches()
    assert len(matches) == 40
    records = play_all(matches, tmp_path, workers=1)
    climb.update(records)
    first = climb.levels[0]
    expected = counted(records.values(), "mcts:2")
    assert +first.tally() == +expected
    decided = expected["wins"] + expected["losses"]
    assert first.win_rate().n == decided
    assert first.passed == (decided > 0 and expected["wins"] >= decided / 2)


def test_a_calibration_counts_pairs(tmp_path):
    played = []

    def play(matches):
        records = play_all(matches, tmp_path, workers=1)
        played.extend(records.values())
        return records

    found = calibration.calibrate(LADDER, 40, 0, play)
    (pair,) = found["pairs"]
    expected = counted(played, "mcts:3")
    assert {key: pair[key] for key in ("wins", "draws", "losses")} == {
        key: expected[key] for key in ("wins", "draws", "losses")
    }
    assert sum(expected.values()) == 20 and len(pair["outcomes"]) == 40
    assert pair["rate"]["n"] == expected["wins"] + expected["losses"]
    assert found["facts"]["measure"] == "pairs" and set(found["ratings"]) == {"random", "mcts:3"}
    assert "Lv1" in calibration.table(found).markdown()
