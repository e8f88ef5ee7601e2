"""``python -m benchmarks.dsgbench``: the score by hand, runs, scenes of one's own, trajectories."""

from __future__ import annotations

import json
import math
from functools import partial
from zlib import crc32

import numpy as np
import pytest
import scripts
from openai_server import OpenAIServer, answer
from scripts import assert_refused, kill_at, lines

from stratagym.benchmarks.dsgbench import courses, measured, scenes
from stratagym.benchmarks.dsgbench.score import (
    BY_GAME,
    TABLE_6,
    WEIGHTS,
    SceneValues,
    end_of,
    overall,
    rate_of,
    score_of,
    scoring,
)
from stratagym.envs import spec
from stratagym.envs.street_fighter import metrics as fight

run = partial(scripts.run, "dsgbench")
FIGHT = ("--scenario", "street_fighter/sync")


def summary_of(*arguments):
    result = run(*arguments, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


# --- the score -----------------------------------------------------------------------------------


def test_the_weights_give_the_last_column_of_table_6(shared_data):
    told = json.loads((shared_data / "dsgbench" / "table6.json").read_text(encoding="utf-8"))
    assert {name: list(row) for name, row in TABLE_6.items()} == told["table6"]
    weights = scoring().weights
    assert list(weights.values()) == told["W"]
    for row in TABLE_6.values():
        assert abs(overall(weights, row[:5]) - row[5]) <= 0.005 + 1e-9


@pytest.mark.parametrize("weights", WEIGHTS)
def test_weights_sum_to_one(weights):
    for as_published in (False, True):
        found = scoring(weights, as_published)
        assert math.isclose(sum(found.weights.values()), 1)
        for parts in found.capabilities.values():
            own = [metric.weight for part in parts for metric in part.metrics]
            assert math.isclose(sum(own), 1)
            if weights != BY_GAME:
                assert len(set(own)) == 1
            assert all(end_of(m.high, {"turns": 100, "phases": 20}) > m.low
                       for part in parts for m in part.metrics)  # fmt: skip


def test_every_scene_of_the_score_is_a_scene():
    known = {scene.name for scene in scenes.SCENES}
    for parts in scoring().capabilities.values():
        assert {name for part in parts for name in part.scenes} <= known


def test_a_score_by_hand():
    """Two capabilities that are partly played, one metric without a case, one beyond its range."""
    seeds = np.array([1, 1, 2, 2])
    played = {
        "street_fighter/async": SceneValues(
            {
                "AHR": np.array([0.2, 0.4, 0.6, 0.8]),
                "SMHR": np.full(4, np.nan),
                "HCR": np.array([-30.0, -10.0, -20.0, -20.0]),
            },
            seeds,
        ),
        "street_fighter/sync": SceneValues(
            {"WR": np.array([1.0, 0.0, 1.0, 1.0]), "GA": np.array([0.5, 0.5, 1.0, np.nan])}, seeds
        ),
    }
    found = score_of(played, scoring())
    # AHR .5 of 0..1 and HCR -20 of -20..0 weigh 1/6 each, and nothing else is there.
    assert found.capabilities["real_time"][0] == pytest.approx(100 * (0.5 + 0.0) / 2)
    # WR .75 and GA 2/3 weigh 1/8 each.
    assert found.capabilities["adaptive"][0] == pytest.approx(100 * (0.75 + 2 / 3) / 2)
    assert found.covered["real_time"] == (1, 2) and found.covered["adaptive"] == (1, 4)
    assert found.overall is None and found.missing == ["street_fighter: SMHR"]
    assert found.capabilities["strategic"] is None
    part = score_of(played, scoring(), allow_partial=True)
    both = 100 * (0.20 * 0.25 + 0.20 * (0.75 + 2 / 3) / 2) / 0.40
    assert part.overall[0] == pytest.approx(both)
    rate = rate_of(part.overall, 8)
    assert rate["low"] <= rate["value"] <= rate["high"]


def test_a_whole_score_by_hand():
    """Every metric in the middle of its range comes to 50, whatever the weights."""
    for weights in WEIGHTS:
        rules = scoring(weights)
        sizes, played = {"turns": 100.0, "phases": 20.0}, {}
        for parts in rules.capabilities.values():
            for part in parts:
                middle = {m.name: (m.low + end_of(m.high, sizes)) / 2 for m in part.metrics}
                for scene in part.scenes:
                    before = played[scene].values if scene in played else {}
                    values = {name: np.full(3, value) for name, value in middle.items()}
                    played[scene] = SceneValues({**before, **values}, np.arange(3), sizes)
        found = score_of(played, rules)
        assert found.overall[0] == pytest.approx(50) and not found.missing
        assert all(own[0] == pytest.approx(50) for own in found.capabilities.values())


def test_samples_are_paired(seed):
    """The same games give the same samples; one metric more in all games, as much in all."""
    rng = np.random.default_rng(seed)
    values, seeds = rng.random(20) / 2, np.repeat(np.arange(10), 2)

    def score(more):
        own = {"WR": values + more, "GA": np.ones(20)}
        return score_of({"street_fighter/sync": SceneValues(own, seeds)}, scoring())

    one, other = (score(more).capabilities["adaptive"] for more in (0.0, 0.25))
    assert np.allclose(other[1] - one[1], 12.5)


def test_grounding_counts_names():
    def reply(kind="ok", **more):
        return {"kind": kind, **more}

    replies = [
        reply(plan={"named": 4, "valid": 3}),
        reply("illegal", rejected=[["fly", "no_such_move"], ["run", "no_such_move"]]),
        reply("unparseable"),
        reply("transport"),
        reply(actions=[1, 2], rejected=[["x", "bad"]]),
    ]
    assert measured.grounding(replies) == (3 + 2) / (4 + 2 + 1 + 3)
    assert measured.grounding(replies, refused=1) == 4 / 10
    assert measured.grounding(replies, as_published=True) == 1 - 4 / 5
    assert measured.grounding([]) == 1.0


# --- metrics as published ------------------------------------------------------------------------


def test_metrics_as_coded_by_hand():
    """Walking counts as an attack, a kick that lands as a hit; a name without meter is one."""
    rules = spec("street_fighter").make_rules(rounds=1)
    own = [5, 5, 5, 5, 0, *[5, 5, 5, 5, 0] * 3, 14, 0, 0, 0, 5, 7, 6, 11, 11, 0, 0, 0, 0, 0]
    actions = [action for one in own for action in (one, 0)]
    record = {"seed": 1, "actions": actions}
    told = fight.dsgbench(rules, record, (0,), True)
    # Four walks, a kick and a Super attack 2 without meter, as its five inputs name it.
    real = fight.dsgbench(rules, record, (0,), False)
    assert real["AHR"] == 1.0 and real["SMHR"] is None
    assert told["AHR"] == pytest.approx(2 / 6) and told["SMHR"] == 1.0
    assert told["HCR"] is None and told["WR"] is None


# --- runs ----------------------------------------------------------------------------------------


def test_a_run_of_scripted_players(tmp_path):
    arguments = [*FIGHT, "--policies", "random,level:8", "--anchors", "level:1", "--games", 4]
    summary = summary_of(*arguments, "--output", tmp_path)
    games = lines(tmp_path / "games.jsonl")
    assert len(games) == 4 * 4  # three policies, and random in both seats
    board = {row["policy"]: row for row in summary["board"]}
    assert list(board) == ["random", "level:8", "level:1", "chance"]
    assert [row["anchor"] for row in summary["board"]] == [False, False, True, True]
    (scene,) = summary["scenes"]
    rows = {row["policy"]: row for row in scene["policies"]}
    for label, row in rows.items():
        own = [g for g in games if g["match"].startswith(f"street_fighter/sync/{label}/")]
        assert [g["seat"] for g in sorted(own, key=lambda g: g["match"])] == [0, 1, 0, 1]
        won = [g["returns"][g["seat"]] > 0 for g in own]
        assert row["metrics"]["WR"]["value"] == np.mean(won) == row["won"] / 4
        assert row["metrics"]["GA"]["value"] == 1
        ahr = [measured.values_of(g, (g["seat"],), (), False)["AHR"] for g in own]
        assert row["metrics"]["AHR"]["value"] == pytest.approx(np.mean(ahr))
        adaptive = board[label]["capabilities"]["adaptive"]["value"]
        assert adaptive == pytest.approx(100 * (np.mean(won) + 1) / 2)
    assert board["random"]["overall"] is None and board["random"]["covered"]["adaptive"] == [1, 4]
    (pair,) = summary["differences"]
    assert pair["adaptive"]["value"] == pytest.approx(
        board["random"]["capabilities"]["adaptive"]["value"]
        - board["level:8"]["capabilities"]["adaptive"]["value"]
    )
    page = (tmp_path / "report.md").read_text()
    assert "As published, not comparable" in page and "56.16" in page
    again = summary_of(*arguments, "--output", tmp_path, "--resume")
    assert {k: v for k, v in again.items() if k != "config"} == {
        k: v for k, v in summary.items() if k != "config"
    }

    # The same seeds for all, a second run in one table with the first.
    other = tmp_path / "other"
    summary_of(*FIGHT, "--policies", "level:5", "--games", 4, "--output", other)
    told = run("leaderboard", tmp_path, other, "--json")
    rows = json.loads(told.stdout)
    assert [row["policy"] for row in rows] == ["random", "level:8", "level:5", "level:1", "chance"]
    config = json.loads((other / "summary.json").read_text())
    for field, value, said in (
        ("score", "dsgbench-score/v0", "versions of the score"),
        ("games", 6, "numbers of games"),
        ("protocols", {"street_fighter/sync": {"clock": "wall"}}, "clocks"),
        ("as_published", True, "readings"),
    ):
        changed = {**config, "config": {**config["config"], field: value}}
        (other / "summary.json").write_text(json.dumps(changed))
        assert_refused(run("leaderboard", tmp_path, other), [said, "no ranking"])


def test_a_killed_run_goes_on(tmp_path):
    arguments = [*FIGHT, "--policies", "level:2,level:4", "--games", 6, "--workers", 1]
    whole = summary_of(*arguments, "--output", tmp_path / "whole")
    there = kill_at(
        scripts.command("dsgbench", *arguments, "--output", tmp_path / "killed"),
        tmp_path / "killed" / "games.jsonl",
        4,
    )
    again = summary_of(*arguments, "--output", tmp_path / "killed", "--resume")
    assert 4 <= there < 18
    for part in ("board", "scenes", "differences"):
        assert whole[part] == again[part]


@pytest.mark.slow
def test_all_scenes_are_killed_and_go_on(tmp_path):
    """Every scene that is there, whole and killed in the middle, is printed alike."""
    arguments = ["--policies", "random,level:3", "--games", 2, "--workers", 1]
    whole = run(*arguments, "--output", tmp_path / "whole")
    assert whole.returncode == 0, whole.stderr
    here = {scene.name for scene in scenes.SCENES if scenes.there(scene)}
    played = lines(tmp_path / "whole" / "games.jsonl")
    assert {"/".join(game["match"].split("/")[:2]) for game in played} == here
    there = kill_at(
        scripts.command("dsgbench", *arguments, "--output", tmp_path / "killed"),
        tmp_path / "killed" / "games.jsonl",
        40,
    )
    assert 40 <= there < len(played)
    again = run(*arguments, "--output", tmp_path / "killed", "--resume")
    assert again.returncode == 0, again.stderr

    def table(result, folder):
        return result.stdout.replace(str(tmp_path / folder), "FOLDER")

    assert table(again, "killed") == table(whole, "whole")


REPLY = "The enemy is far.\n- Move Closer\n- High Kick\n- Fly"


def test_a_models_run_and_its_trajectories(tmp_path):
    """One reply is three names, one of them bad; at 50 tokens a second 25 are five decisions."""

    def says(body, nth):
        usage = {"prompt_tokens": 11, "completion_tokens": 25, "total_tokens": 36}
        asked = json.dumps(body["messages"]).encode()
        text = REPLY if crc32(asked) % 4 else "Nothing to say."
        return answer(text, usage=usage)

    with OpenAIServer(says) as server:
        arguments = [
            "--scenario", "street_fighter/async", "--policies", "llm:m", "--games", 2,
            "--base-url", server.base_url, "--no-preflight", "--output", tmp_path,
        ]  # fmt: skip
        summary = summary_of(*arguments)
    replies = lines(tmp_path / "decisions.jsonl")
    (scene,) = summary["scenes"]
    row = scene["policies"][0]
    by_game = {}
    for one in replies:
        good, bad = by_game.get(one["item"], (0, 0))
        by_game[one["item"]] = (good + 2, bad + 1) if one["kind"] == "ok" else (good, bad + 1)
    assert row["metrics"]["GA"]["value"] == pytest.approx(
        np.mean([good / (good + bad) for good, bad in by_game.values()])
    )
    assert row["kinds"]["unparseable"] > 0
    for game in lines(tmp_path / "games.jsonl"):
        if "chance" not in game["match"]:
            seat = game["seat"]
            own = game["actions"][seat::2]
            assert game["clock"] == "tokens:50" and own[:5] == [0] * 5
    board = summary["board"][0]
    assert board["tokens_out"] == 25 * len(replies)

    assert run("trajectories", tmp_path).returncode == 0
    told = lines(tmp_path / "trajectories.jsonl")
    assert len(told) == len(replies)
    assert {one["stage"] for one in told} <= {"early", "mid", "late"}
    assert {one["context"]["strategy"] for one in told} == {"The enemy is far.", "Nothing to say."}
    assert told[0]["key"] and told[0]["thought_s"] is not None
    assert {one["outcome"]["word"] for one in told} == {"done", "no_move"}
    assert "Decision trajectories" in (tmp_path / "trajectories.html").read_text()
    assert run("trajectories", tmp_path, "--format", "dsgbench").returncode == 0
    found = json.loads((tmp_path / "trajectories_dsgbench.json").read_text())
    by_item = {one["item_id"]: one for one in found}
    for item in by_game:
        seat = next(one["seat"] for one in replies if one["item"] == item)
        own = by_item[f"{item}/{seat}"]
        count = sum(one["item"] == item for one in replies)
        assert len(own["conversation"]) == 2 * count
        assert set(own["conversation"][0]) == {
            "from_", "role", "step", "content", "system_content", "user_content"
        }  # fmt: skip
        assert set(own["conversation"][1]) == {"from_", "role", "step", "content", "other_content"}
        assert set(own["rewards"][0]) == {"from_", "role", "score"}


ORDERS = "We need more.\nDecisions:\n" + "\n".join(
    f"{k}: {word}"
    for k, word in enumerate(
        ("TRAIN PROBE", "BUILD PYLON", "BUILD GATEWAY", "TRAIN ZEALOT", "MULTI-ATTACK")
    )
)


@pytest.mark.parametrize(
    ("game", "rules", "reply", "tokens", "idle"),
    [
        # int(seconds / decision_seconds): 25 tokens last half a second, five decisions of .1 s.
        ("street_fighter", {"rounds": 1}, REPLY, 25, 5),
        # 251 tokens last 5.02 s: two decisions of 2.01 s.
        ("starcraft", {"minutes": 2}, ORDERS, 251, 2),
    ],
)
def test_a_killed_run_against_the_clock_repeats_its_idle_decisions(
    tmp_path, game, rules, reply, tokens, idle
):
    path = tmp_path / "scene.json"
    path.write_text(
        json.dumps(
            {"game": game, "rules": rules, "opponent": "level:2", "clock": "tokens:50",
             "metrics": {"WR": [0, 1]}, "weights": {"WR": 1}}
        )
    )  # fmt: skip

    def says(body, nth):
        usage = {"prompt_tokens": 11, "completion_tokens": tokens, "total_tokens": 11 + tokens}
        asked = json.dumps(body["messages"]).encode()
        return answer(reply if crc32(asked) % 4 else "Nothing to say.", usage=usage)

    with OpenAIServer(says) as server:
        arguments = [
            "--scenario", path, "--policies", "llm:m", "--games", 2, "--workers", 1,
            "--base-url", server.base_url, "--no-preflight",
        ]  # fmt: skip
        whole = summary_of(*arguments, "--output", tmp_path / "whole")
        kill_at(
            scripts.command("dsgbench", *arguments, "--output", tmp_path / "killed"),
            tmp_path / "killed" / "decisions.jsonl",
            12,
        )
        again = summary_of(*arguments, "--output", tmp_path / "killed", "--resume")
    assert whole["board"][0]["capabilities"] == again["board"][0]["capabilities"]
    found = [
        {game["match"]: game["actions"] for game in lines(tmp_path / one / "games.jsonl")}
        for one in ("whole", "killed")
    ]
    assert found[0] == found[1]
    view = spec(game).module("view")
    for one in lines(tmp_path / "whole" / "games.jsonl"):
        if "chance" not in one["match"]:
            own = one["actions"][one["seat"] :: 2]
            assert own[:idle] == [view.IDLE] * idle and one["clock"] == "tokens:50"
            asked = sorted(
                reply["ply"] // 2  # of the turn's first action
                for reply in lines(tmp_path / "whole" / "decisions.jsonl")
                if reply["item"] == one["match"]
            )
            for at in asked[:-1]:
                assert own[at : at + idle] == [view.IDLE] * idle


def test_a_killed_run_against_the_wall_clock_repeats_what_its_replies_took(tmp_path):
    """Each reply comes .01 to .4 s late, up to four decisions of .1 s; none is asked for again."""
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(SCENE | {"opponent": "level:8", "clock": "wall"}))

    def says(body, nth):
        return answer(REPLY, delay_s=0.01 + 0.39 * (nth % 4) / 3)

    game, decisions = spec("street_fighter"), tmp_path / "run" / "decisions.jsonl"
    lasts = game.decision_seconds_of(game.make_rules())
    with OpenAIServer(says) as server:
        arguments = [
            "--scenario", path, "--policies", "llm:m", "--games", 2, "--workers", 1,
            "--base-url", server.base_url, "--no-preflight", "--output", tmp_path / "run",
        ]  # fmt: skip
        kill_at(scripts.command("dsgbench", *arguments), decisions, 8)
        before = lines(decisions)
        summary_of(*arguments, "--resume")
    replies = lines(decisions)
    assert replies[: len(before)] == before
    for one in lines(tmp_path / "run" / "games.jsonl"):
        own = one["actions"][one["seat"] :: 2]
        for reply in (reply for reply in replies if reply["item"] == one["match"]):
            at, idle = reply["ply"] // 2, int(reply["latency_s"] / lasts)
            assert not any(own[at : at + idle])
            assert all(own[at + idle : at + idle + 1])  # the walk that the reply begins with


def test_anomalies_by_hand():
    def entry(k, word="done", names=("a",), evaluation=0.0):
        return {
            "ply": 10 * k,
            "plan": {"names": list(names)},
            "outcome": {"word": word},
            "context": {"evaluation": evaluation},
        }

    course = [entry(k, names=[str(k)], evaluation=k) for k in range(3)]
    course += [entry(k, "no_move", [str(k)], k) for k in range(3, 6)]
    course += [entry(k, evaluation=0.5) for k in range(6, 20)]
    found = [(one["kind"], one["ply"]) for one in courses.anomalies(course)]
    assert found == [("A1", 50), ("A2", 150)]
    assert courses.change_points([0.5, 0.5, 0.6, 0.5, 0.4, 0.5, 0.0]) == []
    assert courses.change_points([0.5, 0.52, 0.5, 0.48, 0.5, 0.1, 0.49]) == [5, 6]
    assert courses.likeness("go to the left", "go to the right") == pytest.approx(3 / 5)


def test_anomalies_of_an_economy_by_hand():
    def entry(seconds, bank=0, idle=False, blocked=False, army=1000, other=1000):
        return {
            "ply": int(seconds),
            "plan": {"names": [str(seconds)]},
            "outcome": {"word": "done"},
            "context": {
                "evaluation": seconds,
                "seconds": float(seconds),
                "stock": {
                    "bank": bank, "idle": idle, "blocked": blocked, "army": army, "other": other
                },
            },
        }  # fmt: skip

    course = [entry(10 * k, 1200, k != 3) for k in range(15)]  # idle from 40 s on: told at 100 s
    assert [(one["kind"], one["ply"]) for one in courses.anomalies(course)] == [("A3", 100)]
    course = [entry(10 * k, blocked=k > 1) for k in range(8)]
    assert [(one["kind"], one["ply"]) for one in courses.anomalies(course)] == [("A4", 40)]
    armies = [(1000, 1000), (1000, 1000), (650, 900), (600, 900), (300, 400), (290, 400)]
    course = [entry(20 * k, army=a, other=b) for k, (a, b) in enumerate(armies)]
    assert [(one["kind"], one["ply"]) for one in courses.anomalies(course)] == [("A5", 40)]


# --- scenes of one's own, and bad input ----------------------------------------------------------

SCENE = {
    "game": "street_fighter",
    "rules": {"rounds": 1},
    "opponent": "level:2",
    "clock": "tokens:50",
    "prompt": {"persona": "aggressive"},
    "metrics": {"WR": [0, 1], "HCR": [-20, 0]},
    "weights": {"WR": 0.75, "HCR": 0.25},
}


def test_a_scene_of_ones_own(tmp_path):
    path = tmp_path / "sparring.json"
    path.write_text(json.dumps(SCENE))
    summary = summary_of("--scenario", path, "--policies", "level:6", "--games", 2,
                         "--output", tmp_path / "run")  # fmt: skip
    row = summary["scenes"][0]["policies"][0]
    placed = (row["metrics"]["HCR"]["value"] + 20) / 20
    by_hand = 100 * (0.75 * row["metrics"]["WR"]["value"] + 0.25 * min(max(placed, 0), 1))
    assert summary["board"][0]["overall"]["value"] == pytest.approx(by_hand)
    assert summary["score"] == "dsgbench-score/v1, street_fighter/sparring"
    games = lines(tmp_path / "run" / "games.jsonl")
    assert all(game["rules"]["rounds"] == 1 for game in games)
    assert {"rule:lv2", "rule:lv6", "random"} == {name for g in games for name in g["seats"]}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"weights": {"WR": 0.5, "HCR": 0.4}}, ["sum to 1", "WR 0.5, HCR 0.4"]),
        ({"weights": {"WR": 1}}, ["the same metrics"]),
        ({"colour": "red"}, ["unknown key 'colour'"]),
        ({"game": "chess960"}, ["chess960"]),
        ({"rules": {"rounds": 2}}, ["rounds=2"]),
        ({"prompt": {"voice": 1}}, ["unknown prompt option 'voice'"]),
        ({"metrics": {"WR": [1, 0], "HCR": [-20, 0]}}, ["WR: 1 is not below 0"]),
        ({"metrics": {"WR": 1, "HCR": [-20, 0]}}, ["range of two numbers"]),
        ({"opponent": "level:9"}, ["levels of street_fighter are 0 to 8"]),
        ({"clock": "fast"}, ["choose one of"]),
        ({"name": "a/b"}, ["'name'"]),
        ({"opponent": 5}, ["'opponent' has to be text"]),
    ],
)
def test_bad_scenes_are_refused(tmp_path, change, said):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(SCENE | change))
    result = run("--scenario", path, "--policies", "random", "--output", tmp_path / "run")
    assert_refused(result, said)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--scenario", "ping_pong"), ["choose from", "street_fighter/async"]),
        (("--scenario", "none.json"), ["none.json"]),
        (("--scenario", ""), ["name at least one"]),
        ((*FIGHT, "--policies", "level:99"), ["levels of street_fighter are 0 to 8"]),
        ((*FIGHT, "--policies", "level:1,level:1"), ["named twice"]),
        ((*FIGHT, "--weights", "equal"), ["choose from: game, metric"]),
        ((*FIGHT, "--games", "0"), ["--games"]),
        ((*FIGHT, "--opponent", "nobody"), ["nobody"]),
        (("trajectories", "nowhere"), ["nowhere"]),
        (("leaderboard", "nowhere"), ["nowhere"]),
    ],
)
def test_bad_input_is_refused(tmp_path, arguments, said):
    assert_refused(run(*arguments), said)


def test_every_scene_that_is_there_can_be_asked_about():
    """Its opponent and options make a game; its metrics are functions, and its names are unique."""
    here = [scene for scene in scenes.SCENES if scenes.there(scene)]
    assert here and len({scene.name for scene in here}) == len(here)
    for scene in here:
        game = spec(scene.game)
        assert scenes.resolved(game, scene.opponent)
        assert scene.rules.num_players >= 2
        own = measured.measure_of(game)
        assert own is None or callable(own)
