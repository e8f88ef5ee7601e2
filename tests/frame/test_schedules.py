"""Schedules of matches, where a match stands in its run, and a pairing's games as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stratagym.agents.chat import Unavailable
from stratagym.agents.ladders import ladder_of
from stratagym.benchmarks.board_solvers.__main__ import board_matches
from stratagym.benchmarks.harness.climb import Plan, duels, team_matches
from stratagym.benchmarks.harness.games import Games, by_pairing
from stratagym.benchmarks.harness.match_play import FORFEIT, AnswerProtocol
from stratagym.benchmarks.harness.matches import Match, Place, place_of
from stratagym.benchmarks.harness.pairings import Contest
from stratagym.benchmarks.harness.schedules import (
    fixed,
    play_out,
    round_robin,
    side_by_side,
    swiss,
)
from stratagym.envs import core
from stratagym.envs.text import TextOptions

HOW = AnswerProtocol(TextOptions(), 1, FORFEIT)


def match(name: str, seats: tuple[str, str] = ("a", "b")) -> Match:
    return Match("test", name, "tictactoe", {}, 0, seats, HOW, Place(name, 0, 0))


def matches_of(pairings, label):
    return [match(f"{label}{a}/{b}", (a, b)) for a, b in pairings]


def first_wins(matches: list[Match]) -> dict[str, Any]:
    return {
        m.name: {"match": m.name, "seats": list(m.seats), "returns": [1.0, -1.0]} for m in matches
    }


def test_a_schedule_is_sent_records_and_says_what_comes_next():
    asked = []

    def play(matches):
        asked.append([m.name for m in matches])
        return first_wins(matches)

    assert list(play_out(fixed([match("x"), match("y")]), play)) == ["x", "y"]
    games = play_out(round_robin("abc", matches_of), play)
    assert [game["match"] for game in games] == ["a/b", "a/c", "b/c"]
    assert asked == [["x", "y"], ["a/b", "a/c", "b/c"]]


def test_swiss_rounds_follow_from_the_records():
    games, byes = play_out(swiss("abcde", 3, matches_of), first_wins)
    assert [game["match"] for game in games] == [
        "round 1/a/b", "round 1/c/d", "round 2/a/c", "round 2/e/b", "round 3/a/d", "round 3/e/c",
    ]  # fmt: skip
    assert byes == {"e": 1, "d": 2, "b": 3}


def test_a_round_that_was_broken_off_cannot_be_paired_on():
    def broken(matches):
        return {name: {**game, "returns": None} for name, game in first_wins(matches).items()}

    with pytest.raises(Unavailable, match="round 1: transport failures broke off 1 of 1 games"):
        play_out(swiss("ab", 1, matches_of), broken)


def test_schedules_side_by_side_share_matches_and_end_when_they_end():
    def steps(own: str, n: int):
        for k in range(n):
            records = yield [match(f"{own}{k}"), match(f"shared{k}")]
            assert list(records) == [f"{own}{k}", f"shared{k}"]
        return own * n

    asked = []

    def play(matches):
        asked.append([m.name for m in matches])
        return first_wins(matches)

    assert play_out(side_by_side([steps("a", 2), steps("b", 0), steps("c", 1)]), play) == [
        "aa", "", "c",
    ]  # fmt: skip
    assert asked == [["a0", "shared0", "c0"], ["a1", "shared1"]]


def old_record(m: Match) -> dict[str, Any]:
    return {"benchmark": m.benchmark, "game": m.game, "match": m.name, "seats": list(m.seats)}


def test_names_of_0_1_say_where_a_game_stands():
    named = ("llm:org/model", "random")
    for pairing in ("2p/llm:org/model/random", "round 2/llm:org/model/random"):
        contest = Contest("test", "ludo", {}, 6, 0, HOW)
        for m in contest.among(pairing, core.alone(2), named):
            assert place_of(old_record(m)) == m.place
    hanabi = Plan("anchored_levels", ladder_of("hanabi"), 4, 0, HOW, False, 1)
    for pairing, policy in (("hanabi/llm:org/model/team", named[0]), ("hanabi/anchor/1/b", "b")):
        for m in team_matches(hanabi, pairing, policy):
            assert place_of(old_record(m)) == m.place
    ladder = Plan("anchored_levels", ladder_of("tictactoe"), 8, 0, HOW, False, 1)
    for m in duels(ladder, "tictactoe/llm:org/model/0/random", *named, 2, 6):
        assert place_of(old_record(m)) == m.place
    config = {"games": {"tictactoe": 3}, "seed": 0}
    boards = board_matches("tictactoe", list(named), "perfect", config, HOW)
    assert len(boards) == 9
    for m in boards:
        # 0.1 did not say which of a pairing's board games have one seed.
        assert place_of(old_record(m)) == m.place._replace(round=None)
    assert place_of({**old_record(m), **m.place._asdict()}) == m.place


def test_games_as_arrays():
    def record(k: int, ended_by: str = "terminal", **fields: Any) -> dict[str, Any]:
        seats = ["a", "b", "b"] if k % 2 == 0 else ["b", "a", "b"]
        return {
            "match": f"p/{k}/0", "benchmark": "test", "game": "ludo", "seed": k // 2,
            "seats": seats, "returns": [1.0, -0.5, -0.5], "actions": list(range(k)), "plies": k,
            "ended_by": ended_by, "pairing": "p", "round": k // 2, "seat": k % 2, **fields,
        }  # fmt: skip

    records = [record(0), record(1), record(2, "transport", returns=None), record(3, FORFEIT)]
    games = by_pairing(records)["p"]
    assert (len(games), games.aborted) == (3, 1)
    assert games.endings == {"terminal": 2, "forfeit": 1}
    np.testing.assert_array_equal(games.actions, [[0, 0, 0], [0, 0, 0], [0, 1, 2]])
    np.testing.assert_array_equal(games.seeds, [0, 0, 1])
    np.testing.assert_array_equal(games.returns_of("a"), [1.0, -0.5, -0.5])
    np.testing.assert_array_equal(games.score_of("a"), [1.0, 0.0, 0.0])
    np.testing.assert_array_equal(games.is_seat_of("a").argmax(1), [0, 1, 1])
    np.testing.assert_array_equal(games.results, [[1.0, -0.5, -0.5]] * 3)
    assert games.mean_plies == pytest.approx(4 / 3)
    assert games.rate(games.score_of("a")).value == pytest.approx(1 / 3)
    none = by_pairing([])["q"]
    assert isinstance(none, Games) and len(none) == 0
    assert none.mean_plies is None and none.rate(none.returns_of("a")).value is None
