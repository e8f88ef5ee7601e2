"""Games whose roles are dealt: who was what stands in records, and policies are seated by it."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from dataclasses import replace

import numpy as np
import pytest
from scripts import lines
from tiny_games import roles, village
from tiny_games.village.rules import SEER, WOLF

from stratagym import envs
from stratagym.agents.ladders import Ladder
from stratagym.benchmarks.harness.cli import InputError
from stratagym.benchmarks.harness.climb import Climb, Plan
from stratagym.benchmarks.harness.games import Games
from stratagym.benchmarks.harness.match_play import AnswerProtocol
from stratagym.benchmarks.harness.matches import Match, difference
from stratagym.benchmarks.harness.replays import replay
from stratagym.benchmarks.harness.standings import standing
from stratagym.benchmarks.harness.workers import play_all
from stratagym.benchmarks.replaying.seats import seen_by
from stratagym.benchmarks.tournament import __main__ as tournament
from stratagym.envs import core
from stratagym.envs.dealing import dealt_by
from stratagym.envs.text import TextOptions
from stratagym.wrappers.dialogue import Dialogue

for package in (roles, village):
    envs.register(package.SPEC)
PROTOCOL = AnswerProtocol(TextOptions(), 1, "forfeit")


def start(seed: int) -> np.void:
    """The position that a seed deals."""
    rules = village.SPEC.make_rules()
    states = core.new_states(rules)
    core.start_at(rules, states, 0, np.uint64(seed), core.new_scratch(rules)[1])
    return states[0]


def matches(rng, policies: list[str], games: int) -> list[Match]:
    return [
        Match("test", f"m/{k}", "village", {}, seed, tuple(rng.choice(policies, 5).tolist()),
              PROTOCOL)
        for k, seed in enumerate(rng.integers(2**40, size=games).tolist())
    ]  # fmt: skip


def test_a_record_says_what_was_dealt(rng, tmp_path):
    """The same from the compiled loop, which keeps no states, and from processes."""
    compiled = matches(rng, ["random"], 20)
    others = [replace(m, name=f"o/{m.name}") for m in matches(rng, ["mcts:2"], 4)]
    for match in (*compiled, *others):
        role = start(match.seed)["role"].tolist()
        (record,) = play_all([match], tmp_path, workers=1).values()
        assert record["roles"] == [{SEER: "seer", WOLF: "wolf"}.get(r, "villager") for r in role]
        wolves = [seat for seat, r in enumerate(role) if r == WOLF]
        village_seats = [seat for seat in range(5) if seat not in wolves]
        assert record["sides"] == [village_seats, wolves]
        won = record["returns"][wolves[0]] == 1
        assert record["outcome"] == (wolves if won else village_seats)
        assert "leads" not in record


def test_a_game_that_does_not_tell_has_none(tmp_path):
    match = Match("test", "m", "roles", {}, 3, ("random",) * 3, PROTOCOL)
    (record,) = play_all([match], tmp_path, workers=1).values()
    assert "roles" not in record and "sides" not in record
    assert dealt_by(roles.SPEC, roles.SPEC.make_rules(), 3) is None


def test_a_changed_role_is_found(rng, tmp_path):
    (match,) = matches(rng, ["random"], 1)
    (record,) = play_all([match], tmp_path, workers=1).values()
    rules = village.SPEC.make_rules()
    assert difference(record, match, rules) == ""
    old = {k: v for k, v in record.items() if k not in ("roles", "sides")}
    assert difference(old, match, rules) == ""  # as an earlier version wrote it
    swapped = record["roles"][1:] + record["roles"][:1]
    assert difference({**record, "roles": swapped}, match, rules) == "other roles"
    assert "sides" in difference({**record, "sides": record["sides"][::-1]}, match, rules)


def test_results_are_told_by_role_and_side(rng, tmp_path):
    found = matches(rng, ["random", "mcts:2"], 24)
    games = Games.of(play_all(found, tmp_path, workers=1).values())
    told = standing(games, "random")
    own, wins = Counter(), Counter()
    for record in games.records:
        for seat, name in enumerate(record["seats"]):
            if name == "random":
                for part in (record["roles"][seat], "wolves" if seat in record["sides"][1]
                             else "village"):  # fmt: skip
                    own[part] += 1
                    wins[part] += record["returns"][seat] == 1
    assert own["wolf"] == own["wolves"] > 0
    for part, names in (
        ("by_role", ("seer", "villager", "wolf")),
        ("by_side", ("village", "wolves")),
    ):
        assert set(told[part]) == {name for name in names if own[name]}
        for name, row in told[part].items():
            assert row["seats"] == own[name]
            assert row["first"]["value"] == pytest.approx(wins[name] / own[name])


def test_a_tournament_seats_policies_by_their_roles(tmp_path, capsys):
    tournament.APP(
        ["--game", "village", "--policies", "random,mcts:3", "--games", "12", "--workers", "1",
         "--output", str(tmp_path / "a"), "--json"],
        result_action="return_value",
    )  # fmt: skip
    summary = json.loads(capsys.readouterr().out)
    games = lines(tmp_path / "a" / "games.jsonl")
    sat = defaultdict(set)
    for game in games:
        wolves = {game["seats"][seat] for seat in game["sides"][1]}
        others = {game["seats"][seat] for seat in game["sides"][0]}
        assert len(wolves) == len(others) == 1 and wolves != others
        assert game["sides"][1] == np.flatnonzero(start(game["seed"])["role"] == WOLF).tolist()
        assert game["seats"][game["seat"]] == game["pairing"].split("/")[0]
        sat[game["seed"]] |= wolves
    assert len(sat) == 6 and all(found == {"random", "mcts:3"} for found in sat.values())
    (row,) = summary["pairings"]
    assert {name: rate["n"] for name, rate in row["roles"].items()} == {"village": 6, "wolves": 6}
    won = [game["seats"][game["outcome"][0]] == row["a"] for game in games]
    assert row["wins"]["value"] == np.mean(won)
    assert "as wolves" in (tmp_path / "a" / "report.md").read_text()


def test_a_ladder_is_climbed_in_both_roles():
    ladder = Ladder("village/ladder-v1", (("random",), ("mcts:9",)))
    plan = Plan("test", ladder, 8, 0, PROTOCOL, early_stop=False, top=1)
    found = Climb(plan, "mcts:5").next_matches()
    assert len(found) == 8
    for village_game, wolves_game in zip(found[::2], found[1::2], strict=True):
        assert village_game.seed == wolves_game.seed
        wolf = start(village_game.seed)["role"] == WOLF
        assert (np.array(village_game.seats)[wolf] == "random").all()
        assert (np.array(village_game.seats)[~wolf] == "mcts:5").all()
        assert (np.array(wolves_game.seats)[wolf] == "mcts:5").all()
        assert (np.array(wolves_game.seats)[~wolf] == "random").all()


def test_where_nobody_tells_the_roles_a_contest_says_what_plays_it(tmp_path):
    with pytest.raises(InputError, match=r"roles are dealt.*use python -m benchmarks\.table$"):
        tournament.main(tournament.Args(game="roles", output=str(tmp_path)))


def test_a_seat_is_not_told_the_roles(rng, tmp_path):
    (match,) = matches(rng, ["random"], 1)
    (record,) = play_all([match], tmp_path, workers=1).values()
    whole = replay(record, {})
    assert any(name == "Roles" and "0: " in said for name, said in whole.facts)
    assert all(name != "Roles" for name, _ in seen_by(whole, 0).facts)


def test_roles_that_are_found_in_the_game(rng, tmp_path):
    """Who is landlord the bidding says, and sometimes nobody is."""
    found = [
        Match("test", f"bid/{k}", "dou_dizhu", {"bidding": "points"}, seed,
              tuple(rng.permutation(["random", "random", "rule:greedy"]).tolist()), PROTOCOL)
        for k, seed in enumerate(rng.integers(2**40, size=60).tolist())
    ]  # fmt: skip
    games = Games.of(play_all(found, tmp_path, workers=1).values())
    rules, landlords = envs.spec("dou_dizhu").make_rules(bidding="points"), Counter()
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    for record, match in zip(games.records, found, strict=True):
        core.start_at(rules, states, 0, np.uint64(record["seed"]), probs)
        for action in record["actions"]:
            core.play_at(rules, states, 0, action, legal, probs)
        landlord = int(states[0]["landlord"])
        if landlord < 0:
            assert "sides" not in record and not any(record["returns"])
            continue
        assert record["sides"] == [[landlord], [k for k in range(3) if k != landlord]]
        assert record["roles"] == ["landlord" if k == landlord else "peasants" for k in range(3)]
        assert difference(record, match, rules) == ""
        landlords[record["seats"][landlord]] += 1
    told = standing(games, "rule:greedy")
    roles_of = {name: row["seats"] for name, row in told["by_role"].items()}
    assert roles_of.get("landlord", 0) == landlords["rule:greedy"]
    assert sum(roles_of.values()) == sum("roles" in record for record in games.records)


def test_a_conversation_is_won_with_ones_side(seed):
    """Three of the village have won, and none of them is ahead of the others."""
    dialogue = Dialogue("village", "random", seed=seed, seat=0)
    while not dialogue.over:
        dialogue.answer("Move: 3")
    scores = dialogue.scores()
    assert (scores["win"], scores["loss"]) == ((1, 0) if scores["return"] > 0 else (0, 1))
    untold = Dialogue("roles", "random", seed=seed, seat=0, invalid="random", tries=1)
    while not untold.over:
        untold.answer("{}")
    scores = untold.scores()
    assert (scores["win"], scores["loss"]) == ((1, 0) if scores["return"] > 0 else (0, 1))
