"""Results of games with many seats: who leads, ranks, first places; by seat, side and role."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from scipy.stats import rankdata
from tiny_games import duo, heap

from stratagym import envs
from stratagym.agents.core import make_policy
from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.match_play import AnswerProtocol, SeatedMatch, play_match
from stratagym.benchmarks.harness.matches import Match, Place
from stratagym.benchmarks.harness.records import side_lead
from stratagym.benchmarks.harness.standings import FIGURES, standing
from stratagym.benchmarks.harness.workers import play_all
from stratagym.envs.facts import first_places, leads_of, ranks_of
from stratagym.envs.text import TextOptions

for package in (duo, heap):
    envs.register(package.SPEC)
PROTOCOL = AnswerProtocol(TextOptions(), 1, "forfeit")


def matches(rng, game: str, seats: int, policies: list[str], seeds: int, **options) -> list[Match]:
    """Every seed twice, with the policies drawn for each seat."""
    return [
        Match(
            "test", f"{game}/{k}/{again}", game, options, seed,
            tuple(rng.choice(policies, seats).tolist()), PROTOCOL, Place("p", k, 0),
        )
        for k, seed in enumerate(rng.integers(2**40, size=seeds).tolist())
        for again in range(2)
    ]  # fmt: skip


def played(rng, tmp_path, players: int = 5) -> Games:
    """Thirty seeds of the heap, most with ties somewhere, played by random play and searches."""
    found = matches(rng, "heap", players, ["random", "gt:1"], 30, players=players)
    return Games.of(play_all(found, tmp_path, workers=1).values())


def test_ranks_are_the_statisticians(rng):
    results = rng.integers(0, 4, (200, 6)).astype(float)
    assert (ranks_of(results) == rankdata(-results, method="average", axis=1)).all()
    best = rankdata(-results, method="min", axis=1) == 1
    assert (first_places(results) == best / best.sum(1, keepdims=True)).all()
    leads = leads_of(results)
    alone = best & (best.sum(1, keepdims=True) == 1)
    assert ((leads > 0) == alone).all() and ((leads == 0) == (best & ~alone)).all()
    assert leads_of(results[:, :1]).tolist() == results[:, :1].tolist()
    assert (leads_of(results[:, :2]) == np.diff(results[:, :2])[:, [0]] * [-1, 1]).all()


def test_a_record_of_many_sides_says_who_leads(rng, tmp_path):
    """Where everybody has taken something, everybody's return is positive and few are ahead."""
    records = played(rng, tmp_path).records
    for record in records:
        best = max(record["returns"])
        assert record["outcome"] == [k for k, x in enumerate(record["returns"]) if x > 0]
        assert record["leads"] == [k for k, x in enumerate(record["returns"]) if x == best]
    assert any(len(record["outcome"]) > len(record["leads"]) for record in records)
    assert any(len(record["leads"]) > 1 for record in records)  # misses once in 1e9 runs or less


@pytest.mark.parametrize(("game", "players"), [("heap", 2), ("duo", 3), ("hanabi", 3)])
def test_two_sides_and_one_say_it_as_before(game, players, rng, tmp_path):
    options = {} if game == "duo" else {"players": players}
    found = matches(rng, game, players, ["random"], 1, **options)
    for record in play_all(found, tmp_path, workers=1).values():
        assert "leads" not in record


def test_a_game_that_was_broken_off_has_no_leads():
    game = envs.spec("heap")
    rules = game.make_rules(players=4)
    seats = [make_policy(game, "random")] * 4
    match = SeatedMatch.of("test", "m", game, rules, {}, 1, seats)
    assert match.record([], "transport", None)["leads"] is None
    whole = asyncio.run(play_match(match, PROTOCOL))
    assert whole["leads"] and whole["returns"][whole["leads"][0]] == max(whole["returns"])


def test_wins_are_counted_by_who_leads():
    record = {
        "match": "p/0/0", "benchmark": "test", "game": "heap", "seed": 0, "plies": 0,
        "actions": [], "ended_by": "terminal", "seats": ["a", "b", "c"],
    }  # fmt: skip
    won = {**record, "returns": [45, 70, 3], "leads": [1]}
    tied = {**record, "returns": [45, 70, 70], "leads": [1, 2]}
    games = Games.of([won, tied])
    scores = {name: games.score_of(name).tolist() for name in "abc"}
    assert scores == {"a": [0, 0], "b": [1, 0.5], "c": [0, 0.5]}
    assert [side_lead(won, seat) for seat in range(3)] == [-25, 25, -67]
    # What an earlier version wrote, and games that do not tell who won with whom, go by returns.
    untold = {key: value for key, value in won.items() if key != "leads"}
    assert [side_lead(untold, seat) for seat in range(3)] == [45, 70, 3]
    assert Games.of([untold]).score_of("a").tolist() == [1]
    assert games.ranks.tolist() == [[2, 1, 3], [3, 1.5, 1.5]]
    assert games.firsts.tolist() == [[0, 1, 0], [0, 0.5, 0.5]]


def test_a_standing_is_what_the_records_say(rng, tmp_path):
    games = played(rng, tmp_path)
    for policy in ("random", "gt:1"):
        found = standing(games, policy)
        cases = [
            (record, seat)
            for record in games.records
            for seat, name in enumerate(record["seats"])
            if name == policy
        ]
        assert found["seats"] == len(cases)
        assert found["games"] == len({record["match"] for record, _ in cases})
        assert found["by_side"] == found["by_role"] == {}
        by_seat = {seat: [case for case in cases if case[1] == seat] for seat in range(5)}
        for told, own in [
            (found, cases),
            *((found["by_seat"][str(k)], by_seat[k]) for k in by_seat),
        ]:
            values = dict.fromkeys(FIGURES, 0.0)
            for record, seat in own:
                mine, every = record["returns"][seat], record["returns"]
                values["return"] += mine / len(own)
                values["rank"] += rankdata([-x for x in every])[seat] / len(own)
                values["first"] += (mine == max(every)) / every.count(max(every)) / len(own)
            for name in FIGURES:
                assert told[name]["value"] == pytest.approx(values[name])
                assert told[name]["n"] == len(own)
                if name != "return":  # which a greedy policy always has the same of
                    assert told[name]["low"] <= told[name]["value"] <= told[name]["high"]
        assert (found["rank"]["chance"], found["first"]["chance"]) == (3, 0.2)


def test_a_seat_stands_with_its_side(rng, tmp_path):
    found = matches(rng, "duo", 3, ["random", "mcts:2"], 6)
    games = Games.of(play_all(found, tmp_path, workers=1).values())
    told = standing(games, "random")
    assert [*told["by_side"]] == ["seats 0", "seats 1, 2"]
    first = games.results[:, 0] > games.results[:, 1]
    tied = games.results[:, 0] == games.results[:, 1]
    assert (games.ranks[:, 0] == 2 - first - 0.5 * tied).all()
    assert (games.ranks[:, 1] == 1 + first + 0.5 * tied).all()
    assert (games.ranks[:, 1] == games.ranks[:, 2]).all()


def test_nobody_has_no_figures():
    told = standing(Games([]), "random")
    assert (told["games"], told["seats"], told["by_seat"]) == (0, 0, {})
    assert told["rank"]["value"] is None
