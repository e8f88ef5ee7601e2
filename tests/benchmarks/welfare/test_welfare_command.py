"""``python -m benchmarks.welfare`` with built-in players and a model."""

from __future__ import annotations

import json
import re
from functools import partial

import numpy as np
import pytest
import scripts
from openai_server import OpenAIServer, answer
from scripts import assert_refused, lines

from stratagym.envs import spec
from stratagym.envs.diplomacy import geography as g
from stratagym.envs.diplomacy import metrics

run = partial(scripts.run, "welfare")
GAME = spec("welfare_diplomacy")


def summary_of(*arguments):
    result = run(*arguments, "--json")
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_seven_that_disarm_score_what_arithmetic_says(tmp_path):
    """22 points a year, of at most 34; the geometric mean of six threes and Russia's four."""
    summary = summary_of("all", "--policies", "disarm", "--games", 2, "--years", 4,
                         "--output", tmp_path)  # fmt: skip
    (row,) = summary["results"]
    assert summary["most"] == 34 and row["all_points"]["value"] == 4 * 22
    assert row["points"]["value"] == pytest.approx(4 * 22 / 7)
    assert row["nash"]["value"] == row["nash_own"]["value"] == pytest.approx((3**6 * 4) ** (1 / 7))
    assert row["nash_others"]["value"] is None and row["others_points"]["value"] is None
    assert row["centres_by_year"] == [pytest.approx(22 / 7)] * 4
    assert row["competence"]["value"] == pytest.approx((1 + 1 + 22 / 34) / 3)
    (allied,) = summary["alliances"]
    assert allied["betrayals_per_order"]["total"] == 2 * 2 * 22  # in two games the moves of 1901
    assert allied["longest"] == 0 and allied["betrayals_per_phase"]["value"] is None
    assert "at most 34 points a year" in (tmp_path / "report.md").read_text()


def test_figures_follow_from_the_recorded_games(tmp_path, seed):
    summary = summary_of("rotated", "--policies", "random,dumbbot", "--opponent", "greedy",
                         "--games", 8, "--years", 2, "--seed", seed % 2**31,
                         "--output", tmp_path)  # fmt: skip
    games = lines(tmp_path / "games.jsonl")
    assert len(games) == 2 * 14 and summary["games"] == 28  # rounded up to two of every rotation
    for row in summary["results"]:
        own = [game for game in games if game["match"].startswith(f"silent/{row['policy']}/")]
        seats = sorted(tuple(s for s, name in enumerate(game["seats"]) if name == row["policy"])
                       for game in own)  # fmt: skip
        turned = sorted(tuple(sorted((k + t) % 7 for k in range(4))) for t in range(7))
        assert seats == sorted(turned * 2)
        points, shares, centres, nash = [], [], [], []
        for game in own:
            powers = [s for s, name in enumerate(game["seats"]) if name == row["policy"]]
            told = metrics.play_again(GAME.make_rules(**game["rules"]), game["actions"])
            assert game["returns"] == told.end[0]["wp"].tolist()
            mine = [game["returns"][power] for power in powers]
            points.append(np.mean(mine))
            shares.append(sum(mine) / sum(game["returns"]) if sum(game["returns"]) else np.nan)
            centres.append(np.mean([metrics.centres_of(told.end[0])[power] for power in powers]))
            nash.append(np.prod(np.array(game["returns"]) / 2) ** (1 / 7))
        for name, values in (("points", points), ("centres", centres), ("nash", nash)):
            assert row[name]["value"] == pytest.approx(np.mean(values)), name
        assert row["points_share"]["value"] == pytest.approx(np.nanmean(shares))


def test_what_is_promised_makes_declared_alliances(tmp_path, seed):
    """Negotiators that keep their word betray no ally; those that keep none betray some time."""
    summary = summary_of("all", "--policies", "negotiator,negotiator:0", "--games", 2, "--years", 2,
                         "--rounds", 2, "--seed", seed % 2**31, "--output", tmp_path)  # fmt: skip
    rows = {(row["variant"], row["policy"], row["kind"]): row for row in summary["alliances"]}
    assert len(rows) == 6
    kept = rows["press", "negotiator", "declared"]
    assert kept["betrayals_per_order"]["successes"] == 0 < kept["betrayals_per_phase"]["total"]
    assert kept["as_coded"]["loyal_pairs"]["value"] == 1
    assert rows["press", "negotiator:0", "declared"]["betrayals_per_phase"]["total"] > 0
    (difference, _) = (row["difference"] for row in summary["press"])
    points = {row["variant"]: row["points"]["value"] for row in summary["results"]
              if row["policy"] == "negotiator"}  # fmt: skip
    assert difference["value"] == pytest.approx(points["press"] - points["silent"])
    assert difference["n"] == 2


def disarming(body, nth):
    """A model that holds, removes what it has, talks once, and orders one thing that is wrong."""
    prompt = body["messages"][-1]["content"]
    if "Form of the answer" not in prompt:
        return answer("yes")
    if '"messages"' in prompt:
        return answer(json.dumps({"messages": {"all": "Let us all disarm.", "me": "Will they?"}}))
    own = re.search(r"You (?:play|are) (\w+)", body["messages"][0]["content"] + prompt)
    units = re.search(rf"^{own[1]}: (.*)$", prompt, re.MULTILINE)[1].split(", ")
    assert own[1] in g.POWERS
    orders = [f"{u} D" for u in units if u != "none"] if "Your adjustments" in prompt else ["A ROM"]
    return answer(json.dumps({"reasoning": "Peace.", "orders": orders}))


def test_a_model_disarms(tmp_path):
    with OpenAIServer(disarming) as server:
        summary = summary_of("--policies", "llm", "--opponent", "hold", "--games", 1, "--years", 2,
                             "--rounds", 1, "--model", "m", "--base-url", server.base_url,
                             "--api-key-env", "STRATAGYM_TEST_KEY",
                             "--output", tmp_path)  # fmt: skip
    rows = {row["variant"]: row for row in summary["results"]}
    # The four powers are without units after the first Winter and have 3 centres each.
    assert rows["press"]["points"]["value"] == rows["silent"]["points"]["value"] == 6
    told = lines(tmp_path / "decisions.jsonl")
    plans = [one["plan"] for one in told if one.get("plan")]
    legal, orders = (sum(plan[name] for plan in plans) for name in ("legal", "orders"))
    assert legal < orders
    valid = sum(one["kind"] == "ok" for one in told) / len(told)
    competence = (valid + legal / orders + 22 / 34) / 3
    assert rows["press"]["competence"]["value"] == pytest.approx(competence)


def test_a_judge_declares_alliances(tmp_path):
    """The judge finds that everything is a proposal of peace which is accepted."""

    def judging(body, nth):
        prompt = body["messages"][-1]["content"]
        if "Orders that followed" not in prompt:
            return answer("yes")
        numbers = re.findall(r"^(\d+)\. Round", prompt, re.MULTILINE)
        labels = [{"message": int(number), "proposal": "yes", "accepted": "yes",
                   "tone": "promote_peace"} for number in numbers]  # fmt: skip
        return answer(json.dumps({"labels": labels}))

    with OpenAIServer(judging) as server:
        summary = summary_of("all", "--policies", "negotiator:0", "--games", 1, "--years", 1,
                             "--rounds", 2, "--judge", "llm:j", "--base-url", server.base_url,
                             "--api-key-env", "STRATAGYM_TEST_KEY",
                             "--output", tmp_path)  # fmt: skip
    (row,) = summary["judged"]
    assert row["accepted"]["value"] == row["tone"]["value"] == 1 and row["cases"] > 0
    spoken = {(one["ply"], *sorted((one["seat"], *one["to"])))
              for one in lines(tmp_path / "messages.jsonl")}  # fmt: skip
    (declared,) = (one for one in summary["alliances"] if one["kind"] == "declared")
    pairs = {one[1:] for one in spoken}
    assert declared["as_coded"]["allied_pairs"]["successes"] == len(pairs)
    assert "What was said, by judges" in (tmp_path / "report.md").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["five"], ["setting 'five'", "four, rotated, all"]),
        (["--years", "0"], ["years"]),
        (["--rounds", "11"], ["rounds"]),
        (["all", "--opponent", "dumbbot"], ["--opponent", "all powers"]),
        (["--opponent", "hold,greedy"], ["--opponent", "one policy"]),
        (["--policies", "nobody"], ["--policies", "nobody"]),
        (["--games", "0"], ["--games 0"]),
        (["--judge", "llm:m"], ["--judge", "--rounds"]),
    ],
)
def test_bad_input_is_one_line(arguments, words, tmp_path):
    assert_refused(run(*arguments, "--output", tmp_path / "run"), words)
    assert not (tmp_path / "run").exists()
