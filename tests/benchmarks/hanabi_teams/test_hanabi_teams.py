"""``python -m benchmarks.hanabi_teams`` from the outside, with built-in policies and a model."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import scripts
from openai_server import OpenAIServer, answer, prompt_sha256, rate_limit
from scripts import KEY, assert_refused, kill_at, lines, timeless

from stratagym.envs import core, spec

COPIES = (3, 2, 2, 2, 1)

command = partial(scripts.command, "hanabi_teams")
run = partial(scripts.run, "hanabi_teams")


def recount(game: dict) -> Counter:
    """Scores and moves of a recorded game, played with lists and sets from its first deal."""
    rules = spec("hanabi").make_rules(**game["rules"])
    states, (_, probs) = core.new_states(rules), core.new_scratch(rules)
    core.start_at(rules, states, 0, np.uint64(game["seed"]), probs)
    s, players = states[0], game["rules"]["players"]
    size = 5 if players < 4 or (players == 4 and game["rules"]["score"] == "spin") else 4
    deck = [int(card) for card in s["deck"][: 50 - players * size]]
    hands = [[int(card) for card in s["hands"][k][:size]] for k in range(players)]
    colours_told = [[set(range(5)) for _ in range(size)] for _ in range(players)]
    ranks_told = [[set(range(5)) for _ in range(size)] for _ in range(players)]
    heights, gone, tokens = [0] * 5, Counter(), 8
    found: Counter = Counter(lives=3)
    for ply, action in enumerate(game["actions"]):
        seat = ply % players
        found["before"] = sum(heights)
        if action < 2 * size:
            k = action % size
            card = hands[seat].pop(k)
            colours_told[seat].pop(k)
            ranks_told[seat].pop(k)
            colour, rank = divmod(card, 5)
            fits = heights[colour] == rank
            dead = rank < heights[colour] or any(
                gone[5 * colour + r] == COPIES[r] for r in range(heights[colour], rank + 1)
            )
            last = not dead and gone[card] == COPIES[rank] - 1
            if action >= size and fits:
                found["play"] += 1
                heights[colour] += 1
                found["wasted"] += rank == 4 and tokens == 8
                tokens = min(8, tokens + (rank == 4))
            else:
                gone[card] += 1
                found["critical"] += last
                if action >= size:
                    found.update(("play", "misplay"))
                    found["lives"] -= 1
                else:
                    found["discard"] += 1
                    found["useless"] += dead
                    found["playable"] += fits
                    tokens += 1
            if deck:
                hands[seat].append(deck.pop())
                colours_told[seat].append(set(range(5)))
                ranks_told[seat].append(set(range(5)))
            continue
        tokens -= 1
        found["hint"] += 1
        by_rank, at = divmod(action - 2 * size, 5 * (players - 1))
        offset, value = divmod(at, 5)
        to = (seat + 1 + offset) % players
        told = (ranks_told if by_rank else colours_told)[to]
        new = useful = False
        for k, card in enumerate(hands[to]):
            is_so = (card % 5 if by_rank else card // 5) == value
            left = told[k] & {value} if is_so else told[k] - {value}
            if left != told[k]:
                new, told[k] = True, left
                useful |= heights[card // 5] == card % 5
        found["useful"] += useful
        found["repeated"] += not new
        found["wasted"] += not new
    found["points"], found["tokens"] = sum(heights), tokens
    return found


def test_scores_and_metrics_are_those_of_the_recorded_moves(tmp_path, seed):
    result = run(
        "--policies", "random,rule:focus", "--teammates", "rule:piers", "--players", "3,4",
        "--games", 30, "--mixed-games", 12, "--seed", seed % 2**31, "--output", tmp_path / "run",
        "--json",
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    games = lines(tmp_path / "run" / "games.jsonl")
    assert len(games) == (3 + 3 + 2) * 30 + (2 + 2) * 12
    by_team: dict[str, list] = {}
    for game in games:
        by_team.setdefault(game["match"].rsplit("/", 2)[0], []).append((game, recount(game)))
    for row in summary["teams"]:
        n, name = row["players"], row["policy"]
        own = by_team[f"{n}p-strict/{name}/{name}"]
        ends = [found for _, found in own]
        strict = [found["points"] if found["lives"] else 0 for found in ends]
        assert [game["returns"][0] for game, _ in own] == strict
        assert row["strict"]["value"] == pytest.approx(np.mean(strict))
        assert row["strict"]["low"] <= row["strict"]["value"] <= row["strict"]["high"]
        assert row["keep"]["value"] == pytest.approx(np.mean([x["points"] for x in ends]))
        logged = ends
        if n == 4:
            dealt_five = by_team.get(f"4p-spin/{name}/{name}")
            assert (dealt_five is None) == (row["spin"] is None) == (name == "rule:piers")
            logged = [found for _, found in dealt_five or []]
            # The same rule in the kernel.
            assert [game["returns"][0] for game, _ in dealt_five or []] == [
                found["before"] for found in logged
            ]
        if logged:
            assert row["spin"]["value"] == pytest.approx(np.mean([x["before"] for x in logged]))
        assert row["all_lives_lost"]["value"] == np.mean([x["lives"] == 0 for x in ends])
        total = sum(ends, Counter())
        of = {
            "useful_hints": ("useful", total["hint"]),
            "repeated_hints": ("repeated", total["hint"]),
            "misplays": ("misplay", total["play"]),
            "useless_discards": ("useless", total["discard"]),
            "playable_discards": ("playable", total["discard"]),
            "critical_losses": ("critical", total["discard"] + total["misplay"]),
            "hints": ("hint", sum(game["plies"] for game, _ in own)),
            "critical_cards_lost": ("critical", 30),
            "wasted_tokens": ("wasted", 30),
            "tokens_left": ("tokens", 30),
        }
        for metric, (hits, cases) in of.items():
            rate = row["process"][metric]
            assert rate["n"] == cases, metric
            assert rate["value"] == pytest.approx(total[hits] / cases), metric
    # All teams play the same deals; a mixed team each of them from every seat.
    deals = {key: [game["seed"] for game, _ in found] for key, found in by_team.items()}
    all_deals = deals["3p-strict/random/random"]
    assert len(set(all_deals)) == 30
    means = {
        (n, name): {
            game["seed"]: game["returns"][0]
            for game, _ in by_team[f"{n}p-strict/{name}/{name}"]
        }
        for n in (3, 4)
        for name in ("random", "rule:focus", "rule:piers")
    }  # fmt: skip
    for row in summary["mixed"]:
        n, name, mate = row["players"], row["policy"], row["teammate"]
        found = by_team[f"{n}p-strict/{name}/{mate}"]
        assert Counter(game["seats"].index(name) for game, _ in found) == dict.fromkeys(
            range(n), 12 // n
        )
        assert all(game["seats"].count(mate) == n - 1 for game, _ in found)
        assert Counter(game["seed"] for game, _ in found) == dict.fromkeys(all_deals[: 12 // n], n)
        assert row["strict"]["value"] == pytest.approx(
            np.mean([game["returns"][0] for game, _ in found])
        )
        gains = [
            game["returns"][0]
            - (means[n, name][game["seed"]] + means[n, mate][game["seed"]]) / 2
            for game, _ in found
        ]  # fmt: skip
        assert row["to_own_teams"]["value"] == pytest.approx(np.mean(gains))
    page = (tmp_path / "run" / "report.html").read_text()
    assert page.count("<img") == 3
    assert "rule:focus" in (tmp_path / "run" / "report.md").read_text()


def test_two_players_play_each_pair_once(tmp_path):
    output = ("--output", tmp_path, "--json", "--players", 2, "--games", 4)
    pair = ("--policies", "rule:iggi,rule:piers", "--teammates", "rule:iggi,rule:piers")
    summary = json.loads(run(*pair, *output).stdout)
    games = lines(tmp_path / "games.jsonl")
    assert len(games) == 12
    one, other = summary["mixed"]
    assert (one["policy"], one["teammate"]) == (other["teammate"], other["policy"])
    assert one["strict"] == other["strict"]
    assert one["games"] == 4
    # Resuming plays what is missing and comes to the same end.
    whole = (tmp_path / "games.jsonl").read_text().splitlines(keepends=True)
    (tmp_path / "games.jsonl").write_text("".join(whole[:7]) + '{"schema":1,"ben')
    again = run(*pair, *output, "--resume")
    assert json.loads(again.stdout) == summary
    assert sorted(lines(tmp_path / "games.jsonl"), key=str) == sorted(games, key=str)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--players", "6"], ["6", "2, 3, 4, 5"]),
        (["--games", "0"], ["--games"]),
        (["--mixed-games", "0"], ["--mixed-games"]),
        (["--score", "loose"], ["loose", "strict, keep, spin"]),
        (["--policies", "rule:nobody"], ["nobody"]),
        (["--teammates", "rule:iggi,rule:iggi"], ["rule:iggi is named twice"]),
        (["--invalid", "laugh"], ["laugh", "forfeit"]),
        (["--tries", "0"], ["tries 0"]),
        (["--persona", "angry"], ["angry"]),
    ],
    ids=" ".join,
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, words, tmp_path):
    result = run(*arguments, "--output", tmp_path / "run")
    assert_refused(result, words)
    assert not (tmp_path / "run").exists()


def mostly_legal(body, nth):
    """An action by the prompt's hash, some of them not allowed; prose and rate limits between."""
    digest = int(prompt_sha256(body["messages"])[:8], 16)
    if digest % 9 == 0 and nth == 1:
        return rate_limit(0)
    if digest % 7 == 0:
        return answer("I would rather not say.")
    return answer(json.dumps({"reason": "scripted", "action": digest % 20}))


def model(server: OpenAIServer, output: Path, *more: object) -> tuple:
    return (
        "--policies", "llm:scripted", "--base-url", server.base_url, "--output", output,
        "--api-key-env", "STRATAGYM_TEST_KEY", "--players", 2, "--json", *more,
    )  # fmt: skip


def test_a_model_plays_in_teams_and_survives_a_kill(tmp_path):
    options = ("--games", 2, "--teammates", "rule:iggi", "--concurrency", 2, "--retries", 3)
    with OpenAIServer(mostly_legal) as server:
        whole = run(*model(server, tmp_path / "whole", *options))
        assert whole.returncode == 0, whole.stderr
    cut = tmp_path / "cut"
    with OpenAIServer(mostly_legal) as server:
        decisions = cut / "decisions.jsonl"
        kill_at(command(*model(server, cut, *options)), decisions, 20)
        resumed = run(*model(server, cut, *options, "--resume"))
        assert resumed.returncode == 0, resumed.stderr
    one, two = (json.loads(result.stdout) for result in (whole, resumed))
    assert one["teams"] == two["teams"]
    assert one["mixed"] == two["mixed"]
    assert timeless(one["models"]) == timeless(two["models"])
    kinds = one["models"]["llm:scripted"]["kinds"]
    assert kinds["ok"] and kinds["illegal"] and kinds["unparseable"]
    records = lines(decisions)
    keys = [(r["item"], r["ply"], r["attempt"]) for r in records]
    assert len(keys) == len(set(keys)) == one["models"]["llm:scripted"]["answers"]
    by_match = {game["match"]: game for game in lines(cut / "games.jsonl")}
    assert len(by_match) == 2 + 2 + 2
    for record in records:
        game = by_match[record["item"]]
        if record["action"] is not None:
            assert game["actions"][record["ply"]] == record["action"]
    for game in by_match.values():
        found = recount(game)
        assert game["returns"][0] == (found["points"] if found["lives"] else 0)
    assert not any(KEY.encode() in path.read_bytes() for path in cut.iterdir())


def test_forfeit_and_transport_are_not_play(tmp_path):
    options = ("--games", 2, "--teammates", "none")
    with OpenAIServer(lambda body, nth: answer("I pass.")) as server:
        result = run(*model(server, tmp_path / "a", *options, "--invalid", "forfeit", "--tries", 2))
    (row,) = json.loads(result.stdout)["teams"]
    assert row["strict"]["value"] is None  # no answer could be read
    games = lines(tmp_path / "a" / "games.jsonl")
    assert [game["ended_by"] for game in games] == ["forfeit"] * 2
    assert all(game["returns"] == [0, 0] for game in games)
    with OpenAIServer(lambda body, nth: rate_limit(0)) as server:
        result = run(*model(server, tmp_path / "b", *options, "--retries", 0))
    (row,) = json.loads(result.stdout)["teams"]
    assert row["transport_aborted"] == 2
    assert row["strict"]["n"] == 0
    assert row["strict"]["value"] is None
    assert (tmp_path / "b" / "report.html").exists()
