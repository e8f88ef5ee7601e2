"""Parts of ``benchmarks.advgame``: the paper's table, names, credit, similarity, runs compared."""

from __future__ import annotations

import json
import re
from functools import partial
from math import factorial

import numpy as np
import pytest
import scripts
from openai_server import OpenAIServer, answer
from scripts import lines

from stratagym.benchmarks.advgame import findings, owning
from stratagym.benchmarks.advgame.published import TABLE_1
from stratagym.benchmarks.advgame.rounds import Plan
from stratagym.benchmarks.advgame.similarity import CARDS, SKILLS, Likeness, similarity
from stratagym.benchmarks.harness import sealed_games as games
from stratagym.benchmarks.replaying.credit import PRIORITIES, credits, told
from stratagym.envs import spec

run = partial(scripts.run, "advgame")


def test_the_papers_table_is_the_recorded_one(shared_data):
    path = shared_data / "advgamebench" / "table1.json"
    if not path.exists():
        pytest.skip("the recorded table is not here")
    recorded = json.loads(path.read_text())
    assert findings.table() == recorded and list(TABLE_1) == list(recorded)
    stats = pytest.importorskip("scipy.stats")
    said = "\n".join(line for part in findings.findings().values() for line in part)
    for x, y in (("ORR", "CSR"), ("ORR", "WR"), ("CSR", "WR")):
        columns = [[row[f"average_{m}"] for row in recorded.values()] for m in (x, y)]
        r, p = stats.pearsonr(*columns)
        shown = f"{r:.3f}".replace("0.", ".", 1)
        assert f"{x}-{y}: Pearson {shown}, p {'<' if p < 0.0005 else '='} " in said
        rho = stats.spearmanr(*columns)[0]
        assert f"Spearman {rho:.2f}".replace("0.", ".", 1) in said
    for game in findings.GAMES:
        columns = [[row[f"{game}_{m}"] for row in recorded.values()] for m in ("ORR", "CSR")]
        r, p = stats.pearsonr(*columns)
        assert f"{game} {r:.3f} (p = {p:.3f})".replace("0.", ".") in said


# --- names in replies ----------------------------------------------------------------------------

SAID = {  # round: what an attacker of battle card names
    1: ["Fire Lizard", "PheonixBird", "Gargantuar"],  # own, unknown, lexicon
    2: ["Phoenx", "MachineDemon", "Paladin"],  # near, sibling, other side
    4: ["Pea Shooter", "Phoenixes"],  # lexicon, near
}
RENAMED = {1: ["Vornak", "Phoenix"], 2: ["Vornak"], 4: ["Ravelin", "Murloc"]}
"""Under made-up names: own and leaked; own; own and lexicon."""


def namer(plans, key):
    """What is said in a round, else the first name alone; the defender's answers are wrong keys."""

    def reply(body, nth):
        asked = "\n".join(message["content"] for message in body["messages"])
        number = int(re.search(r"Round (\d+) of 4", asked)[1])
        names = plans.get(number, plans[1][:1])
        return answer(json.dumps({key: [{"name": n} for n in names]}))

    return reply


@pytest.fixture(scope="module")
def named(tmp_path_factory):
    """Folders of two runs, plain and with made-up names, an attacker only asked of itself."""
    found = []
    for plans, key, more in ((SAID, "invaders", ()), (RENAMED, "norgs", ("--renamed",))):
        folder = tmp_path_factory.mktemp("named")
        with OpenAIServer(namer(plans, key)) as server:
            result = run("--policies", "llm:m", "--opponents", "plan:kings", "--game",
                         "battle_card", "--rounds", 4, "--base-url", server.base_url,
                         "--api-key-env", "STRATAGYM_TEST_KEY", "--no-preflight", "--output",
                         folder, "--json", *more)  # fmt: skip
        assert result.returncode == 0, result.stderr
        found.append((folder, json.loads(result.stdout)["names"]["llm:m"]))
    return found


def test_names_by_side_and_round(named):
    """The attacker is read twice in round 1, once each in 2, 3 and 4; the defender has no plan."""
    _, found = named[0]
    assert [(one["game"], one["role"]) for one in found["by_side"]] == [("battle_card", "attacker")]
    classes = {kind: n for kind, n in found["classes"].items() if n}
    # Round 1 twice, 2 and 4 first to update, 3 second to update with one name of its own.
    assert classes == {"own": 3, "unknown": 2, "lexicon": 3, "near": 2, "sibling": 1,
                       "other_side": 1}  # fmt: skip
    assert found["replies"] == 5
    assert found["hallucinated"]["value"] == pytest.approx(4 / 5)
    assert found["from_lexicon"] == pytest.approx(3 / 6)
    rounds = {one["round"]: (one["value"], one["n"]) for one in found["by_round"]}
    assert rounds == {1: (1, 2), 2: (1, 1), 3: (0, 1), 4: (1, 1)}
    most = {one["name"]: (one["class"], one["source"], one["times"]) for one in found["most"]}
    assert most == {
        "PheonixBird": ("unknown", "", 2), "Gargantuar": ("lexicon", "plants vs. zombies", 2),
        "MachineDemon": ("sibling", "Tower defence", 1),
        "Pea Shooter": ("lexicon", "plants vs. zombies", 1),
    }  # fmt: skip


def test_renamed_minus_plain(named, monkeypatch):
    """Under made-up names: leaked twice in round 1, then none in 2 and 3, lexicon in 4."""
    (plain, _), (renamed, found) = named
    # Most answers were bad, so that the model has no result; here its figures are looked at.
    screen = run("compare", plain, renamed).stdout
    assert "no result" in screen and "WR" not in screen
    monkeypatch.setattr(owning, "without_result", lambda *_: set())
    assert found["classes"]["leaked"] == 2 and found["classes"]["own"] == 5
    assert found["from_lexicon"] == 1 and found["hallucinated"]["value"] == pytest.approx(3 / 5)
    result = run("compare", plain, renamed, "--json")
    assert result.returncode == 0, result.stderr
    said = json.loads(result.stdout)
    assert said["renamed"] == [False, True]
    names = said["policies"]["llm:m"]["hallucinated"]
    assert names["rates"] == pytest.approx([4 / 5, 3 / 5])
    assert names["difference"]["value"] == pytest.approx(-1 / 5)
    assert said["policies"]["llm:m"]["matches"] == 4
    first, last = lines(plain / "rounds.jsonl"), lines(renamed / "rounds.jsonl")
    change = np.mean([one["score"] for one in last]) - np.mean([one["score"] for one in first])
    assert said["policies"]["llm:m"]["WR"]["difference"]["value"] == pytest.approx(change)
    screen = run("compare", plain, renamed).stdout
    assert "plain and made-up" in screen
    bad = run("compare", plain, plain.parent)
    assert bad.returncode == 2 and len(bad.stderr.strip().splitlines()) == 1


# --- credit --------------------------------------------------------------------------------------


def texts(*plans):
    return [json.dumps(plan) for plan in plans]


WAVE = {"demons": [{"name": "NormalDemon", "y": y} for y in (0, 2)]}
GUNS = {"humans": [{"name": "MachineGunSoldier", "x": 0, "y": y} for y in (0, 2)]}


def test_credits_of_one_plan_in_tower_defence():
    """Two guns hold two rows: without either the plan loses, so leaving out gives 1 each; in orders
    the first that comes adds nothing and the second all. A demon alone in a row adds nothing."""
    attack, defence = texts(WAVE, GUNS)
    found = credits("tower_defence", (), 1, attack, defence)
    assert [(one.item, one.where, one.result, one.cost) for one in found] == [
        ("MachineGunSoldier", "(0,0)", 1.0, 400), ("MachineGunSoldier", "(0,2)", 1.0, 400),
    ]  # fmt: skip
    shapley = credits("tower_defence", (), 1, attack, defence, 400)
    assert sum(one.result for one in shapley) == pytest.approx(1)
    assert [one.result for one in shapley] == pytest.approx([0.5, 0.5], abs=0.15)
    assert [one.result for one in credits("tower_defence", (), 0, attack, defence)] == [0, 0]


def test_shapley_credits_are_those_of_all_orders():
    """Card: what items add up to, and against the exact values from all subsets."""
    import itertools

    from stratagym.benchmarks.replaying.credit import _Fights

    attack = {"invaders": [{"name": n, "tier": "Bronze"} for n in
                           ("BanditLeader", "Phoenix", "PoisonFrog")],
              "target_priority_for_invaders": ["King"]}  # fmt: skip
    defence = {"defenders": [{"name": n, "tier": "Bronze"} for n in ("King", "StoneWarrior")]}
    one, other = texts(attack, defence)
    found = credits("battle_card", (), 0, one, other, 1000)
    assert [credit.item for credit in found] == [
        PRIORITIES, "BanditLeader", "Phoenix", "PoisonFrog",
    ]  # fmt: skip
    fights = _Fights("battle_card", spec("battle_card").make_rules(), 0, [attack, defence])
    items = fights.items()

    def outcome(members):
        dropped = [k for n, (*_, ks) in enumerate(items) if n not in members for k in ks]
        return np.array(fights.outcome(np.delete(fights.actions, dropped)))

    n = len(items)
    for k, credit in enumerate(found):
        exact = np.zeros(2)
        for size in range(n):
            for others in itertools.combinations([j for j in range(n) if j != k], size):
                weight = factorial(size) * factorial(n - size - 1) / factorial(n)
                exact += weight * (outcome({*others, k}) - outcome(set(others)))
        assert (credit.result, credit.value) == pytest.approx(tuple(exact), abs=0.08)
    whole = outcome(set(range(n))) - outcome(set())
    assert sum(credit.result for credit in found) == pytest.approx(whole[0])
    assert sum(credit.value for credit in found) == pytest.approx(whole[1])


def test_credits_of_one_plan_in_battle_card_and_the_duel():
    """A lone FireLizard 2/2 beats nobody; a lone King wins, without it nobody is left to win."""
    one, other = texts({"invaders": [{"name": "FireLizard", "tier": "Bronze"}]},
                       {"defenders": [{"name": "King", "tier": "Gold"}]})  # fmt: skip
    (king,) = credits("battle_card", (), 1, one, other)
    assert (king.item, king.result, king.where) == ("King", 1.0, "gold") and king.cost % 3 == 0
    (lizard,) = credits("battle_card", (), 0, one, other)
    assert lizard.result == 0
    facts = spec("elemental_duel")
    from stratagym.agents.plan_search import Fights

    fights, plans = Fights(facts, facts.make_rules()), []
    for seat in range(2):
        states = fights.board(seat, fights.fills(seat, 1, 5))
        plans.append(facts.module("view").plan_json(facts.make_rules(), states[0], seat, False))
    found = credits("elemental_duel", (), 0, *texts(*plans))
    skills = [skill for fighter in plans[0]["invaders"] for skill in fighter["skills"]]
    assert [one.item for one in found] == skills
    prices = (1, 1, 2, 2, 3, 3)
    own = [games.names("elemental_duel", 0)[3:].index(skill) % 6 for skill in skills]
    assert [one.cost for one in found] == [prices[k] for k in own]


def test_a_replay_tells_credits(tmp_path):
    """Beside the last moment of every battle, a line a side."""
    result = run("--policies", "heuristic", "--opponents", "heuristic", "--game", "tower_defence",
                 "--rounds", 2, "--output", tmp_path / "run", "--json")  # fmt: skip
    assert result.returncode == 0, result.stderr
    page = (tmp_path / "run" / "replays.html").read_text()
    found = re.findall(r"Credit of each item in the plan of (\w+), [^:]*: ([^\"]*)\.", page)
    assert len(found) >= 2 and {side for side, _ in found} == {"Attacker", "Defender"}


def test_no_credit_without_a_battle():
    from stratagym.envs import core

    rules = spec("battle_card").make_rules(rounds=2)
    states = core.new_states(rules)
    assert told("battle_card", rules, states[0], states[0]) == []


# --- similarity ----------------------------------------------------------------------------------


def as_plan(data):
    return Plan(games.items("elemental_duel", data), 0, False, False, True, False, data)


def test_similarity_by_hand():
    """Duel: two of nine skills differ; money on what they are for, in the setting's prices."""
    assert set(CARDS) == {n for k in range(2) for n in games.names("battle_card", k)}
    skills = {n for k in range(2) for n in games.names("elemental_duel", k) if "_" in n}
    assert set(SKILLS) == skills

    def fire(*skills):
        return as_plan({"invaders": [{"element": "Fire", "skills": list(skills)}]})

    one = fire("flame_splash", "residual_warmth", "burst_flame_bomb")  # periodic, burst, damage
    other = fire("flame_splash", "residual_warmth", "magma_eruption")  # periodic, burst, damage
    s, f = similarity("elemental_duel", 0, one, other)
    assert s == pytest.approx(2 / 4) and f == pytest.approx((1 + 1 + 2) / (1 + 1 + 3))
    assert similarity("elemental_duel", 0, one, other, released=True)[1] == pytest.approx(4 / 6)
    tower = [
        Plan((), 0, False, False, True, False, {"humans": [
            {"name": name, "x": 1, "y": 2, "spawn_time": ms} for name, ms in entries]})
        for entries in ([("AntiAirSoldier", 4000), ("RifleSoldier", 0)],
                        [("AntiAirSoldier", 0), ("ShieldSoldier", 0)])
    ]  # fmt: skip
    s, f = similarity("tower_defence", 1, *tower)
    assert s == pytest.approx(1 / 3) and f == pytest.approx(175 / (175 + 200 + 50))
    # Released: AntiAir costs 100.
    f = similarity("tower_defence", 1, *tower, released=True)[1]
    assert f == pytest.approx(100 / (100 + 200 + 50))


@pytest.mark.parametrize("game", games.GAMES)
def test_random_plans_are_hardly_alike(game):
    s, f = Likeness({}).chance(game, 0)
    assert 0 <= s < 0.2 and s < f < 0.7


# --- runs ----------------------------------------------------------------------------------------


def test_replies_correct_and_chance_does_not(tmp_path):
    """An adaptive answer wins nearly every round after a lost one; to draw anew does not."""
    result = run("--policies", "random,control:redraw=random,control:keep,plan:reply?evals=200",
                 "--opponents", "plan:level?k=1", "--game", "battle_card",
                 "--repeats", 3, "--output", tmp_path, "--json")  # fmt: skip
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    rows = {row["policy"]: row for row in summary["policies"]}
    reply = rows["plan:reply?evals=200"]["pooled"]
    assert reply["ORR"]["value"] == 1 and reply["CSR"]["value"] > 0.8
    assert rows["control:keep"]["pooled"]["ORR"]["value"] == 0
    assert rows["control:keep"]["pooled"]["CSR"]["n"] == 0
    random, redraw = rows["random"]["pooled"]["CSR"], rows["control:redraw=random"]["pooled"]["CSR"]
    assert redraw["low"] <= random["value"] <= redraw["high"]
    assert rows["random"]["pooled"]["CSR"]["chance"] == redraw["value"]
    assert summary["differences"][0]["policies"][0] == "plan:reply?evals=200"
    page = (tmp_path / "report.md").read_text()
    for words in ("| `random` (chance) |", "Revisions by feedback", "**dropped**", "first_move.png",
                  "minus the others"):  # fmt: skip
        assert words in page, words
    assert page.index("- `plan:reply?evals=200` won") < page.index("\n## ") < page.index("(WR)")
    for words in ("corrections.png", "over_budget.png", "orr.png", "Pearson"):
        assert words not in page, f"one policy cannot fill it: {words}"


def test_budgets_have_yardsticks(tmp_path):
    """Who fills and who answers play beside, against opponents that are no models."""
    options = ("--policies", "random", "--opponents", "plan:kings", "--game", "battle_card",
               "--rounds", 3, "--budget", "0.5,1", "--output", tmp_path, "--json")  # fmt: skip
    result = run(*options)
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    assert list(summary["budgets"]) == ["random", "plan:fill", "plan:reply"]
    assert [row["policy"] for row in summary["policies"]] == ["random"]
    for points in summary["budgets"].values():
        assert list(points) == ["0.5", "1"]
        assert {point["OBR"]["value"] for point in points.values()} == {0}
        half = points["0.5"]["differences"]["WR"]["value"]
        assert half == pytest.approx(points["0.5"]["WR"]["value"] - points["1"]["WR"]["value"])
    assert (tmp_path / "budgets.png").exists()
    assert "`plan:fill` (baseline)" in (tmp_path / "report.md").read_text()
    result = run(*options, "--resume", "--pooled", "--credit", "shapley", "--samples", 3)
    again = json.loads(result.stdout)
    assert again["points"] == "pooled" and again["credit_by"] == {"kind": "shapley", "samples": 3}
    assert again["policies"] == summary["policies"] and again["budgets"] == summary["budgets"]
    assert "Shapley" in (tmp_path / "report.md").read_text()
