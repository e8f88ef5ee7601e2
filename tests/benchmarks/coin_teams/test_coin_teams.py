"""``python -m benchmarks.coin_teams`` with built-in policies and a model."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial

import numpy as np
import pytest
import scripts
from openai_server import OpenAIServer, answer, prompt_sha256
from scripts import assert_refused, lines

from stratagym.envs import core, spec

run = partial(scripts.run, "coin_teams")
STEPS = ((-1, 0), (1, 0), (0, -1), (0, 1), (0, 0))


def recount(game: dict) -> tuple[Counter, list[float]]:
    """Coins by class and wasted moves, and returns, of a recorded game, walked with dicts."""
    rules = spec("coin_game").make_rules(**game["rules"])
    states, (_, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(game["seed"]), probs)
    s, wide, high = states[0], rules.columns, rules.rows
    coins = {divmod(k, wide): int(c) for k, c in enumerate(s["coins"].tolist()) if c >= 0}
    where = [divmod(int(cell), wide) for cell in s["where"][: rules.num_players]]
    goals = s["goals"][: rules.num_players].tolist()
    found, taken = Counter(), Counter()
    for ply, action in enumerate(game["actions"]):
        seat = ply % rules.num_players
        cell = (where[seat][0] + STEPS[action][0], where[seat][1] + STEPS[action][1])
        inside = 0 <= cell[0] < high and 0 <= cell[1] < wide
        if action == 4 or not inside or cell in where:
            found["wasted"] += 1
            continue
        where[seat] = cell
        if cell in coins:
            colour = coins.pop(cell)
            taken[colour] += 1
            kind = "own" if colour == goals[seat] else "others" if colour in goals else "neither"
            found[f"{kind}_coins"] += 1
    good = sum(taken[goal] for goal in goals)
    bad = sum(taken.values()) - good
    found["moves"] = len(game["actions"])
    return found, [taken[g] ** 2 + (good - taken[g]) ** 2 - bad**2 for g in goals]


@pytest.mark.parametrize("players", [2, 3])
def test_the_summary_is_what_the_games_come_to(tmp_path, players):
    result = run("--policies", "random,heuristic", "--games", 12, "--rules",
                 f"players={players},length=24", "--output", tmp_path, "--json")  # fmt: skip
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert (
        summary["games"] == 48
        and [r["policy"] for r in summary["teams"]] == summary["config"]["named"]
    )
    games = lines(tmp_path / "games.jsonl")
    for row in summary["teams"]:
        means = {}
        for goals in ("own", "all"):
            own = [
                game
                for game in games
                if game["seats"][0] == row["policy"] and game["rules"]["goals"] == goals
            ]
            found = [recount(game)[0] for game in own]
            assert len(own) == 12 and len({game["seed"] for game in own}) == 12
            assert all(game["returns"] == recount(game)[1] for game in own)
            means[goals] = np.mean([np.mean(game["returns"]) for game in own])
            if goals == "own":
                process = row["process"]
                for name in ("own_coins", "others_coins", "neither_coins"):
                    mean = sum(f[name] for f in found) / 12 / players
                    assert process[name]["value"] == pytest.approx(mean)
                wasted = sum(f["wasted"] for f in found) / sum(f["moves"] for f in found)
                assert process["wasted"]["value"] == pytest.approx(wasted)
        assert row["returns"]["value"] == pytest.approx(means["own"])
        assert row["told"]["value"] == pytest.approx(means["all"])
        assert row["gap"]["value"] == pytest.approx(means["all"] - means["own"])
    assert summary["teams"][0]["gap"]["value"] == 0  # random play does not care
    assert "inference gap" in (tmp_path / "report.md").read_text()


def test_a_model_plays_through_text_and_its_failures_are_counted(tmp_path):
    def replies(body, nth):
        """A move or what is none, by the prompt; when asked again a move."""
        digest = int(prompt_sha256(body["messages"]), 16)
        if len(body["messages"]) == 2 and digest % 4 == 0:
            return answer(("I pass.", "Move: jump", "Move: 7", "up left")[digest // 4 % 4])
        return answer(f"Let me see.\nMove: {('up', 'DOWN', 'left', '3', 'stand')[digest % 5]}")

    options = ("--policies", "llm:scripted", "--games", 3, "--json", "--no-told", "--history", 3,
               "--list-legal", "--api-key-env", "STRATAGYM_TEST_KEY")  # fmt: skip
    with OpenAIServer(replies) as server:
        result = run(*options, "--base-url", server.base_url, "--output", tmp_path / "a")
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    (row,) = summary["teams"]
    kinds = summary["models"]["llm:scripted"]["kinds"]
    assert kinds["ok"] == 60 and kinds["unparseable"] > 0
    assert row["told"] is None and row["gap"] is None and row["endings"] == {"terminal": 3}
    asked = [record["prompt"] for record in lines(tmp_path / "a" / "decisions.jsonl")]
    assert all("Your goal is colour" in str(prompt) for prompt in asked)
    with OpenAIServer(lambda body, nth: answer("I pass.")) as server:
        result = run(*options, "--base-url", server.base_url, "--output", tmp_path / "b")
    (row,) = json.loads(result.stdout)["teams"]
    assert row["returns"] is None  # no answer could be read
    games = lines(tmp_path / "b" / "games.jsonl")
    assert {game["ended_by"] for game in games} == {"forfeit"} and len(games) == 3
    assert all(set(game["returns"]) == {0} for game in games)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rules", "goals=all"], ["--rules goals=all", "leave it out"]),
        (["--rules", "players=9"], ["--rules", "players", "2 to 4"]),
        (["--rules", "rows=3,columns=3"], ["14 cells", "has 9"]),
        (["--games", "0"], ["--games 0"]),
        (["--games", 10**20], ["--games 1000", "to 1000000"]),
        (["--policies", "rule:best"], ["rule:best", "any, own, infer"]),
        (["--policies", "gt:2"], ["hides information"]),
    ],
)
def test_bad_options_are_refused_in_one_line(arguments, words, tmp_path):
    assert_refused(run(*arguments, "--output", tmp_path), words)
