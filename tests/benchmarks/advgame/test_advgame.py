"""``python -m benchmarks.advgame``: metrics by hand, names, correlations, and whole runs."""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import permutations

import numpy as np
import pytest
import scripts
from openai_server import OpenAIServer, answer
from scripts import lines

from stratagym.benchmarks.advgame import metrics
from stratagym.benchmarks.advgame.findings import findings
from stratagym.benchmarks.advgame.names import LEXICON, classify, key, lexicon
from stratagym.benchmarks.advgame.rounds import rounds_of
from stratagym.benchmarks.advgame.score import scores
from stratagym.benchmarks.harness import sealed_games as games
from stratagym.benchmarks.replaying.credit import credits
from stratagym.benchmarks.reporting.correlation import correlation, holm, p_of, ranks, slope
from stratagym.envs import spec

run = partial(scripts.run, "advgame")


# --- the paper's table ---------------------------------------------------------------------------


def test_findings_are_those_of_the_table():
    """Figures that were computed apart, with scipy."""
    said = "\n".join(line for part in findings().values() for line in part)
    for words in (
        "WR: the printed average is the mean of the three games for 9 of 12",
        "ChatGPT-4o 58.6 against 61.9,", "Gemini-2.5-Flash 62.5 against 59.0,",
        "Qwen-Max 30.5 against 30.57, cut and not rounded",
        "ChatGPT-o3-mini 24.5 against 22.2", "ChatGPT-o3-mini 78.6 against 85.7",
        "ORR: the printed average is the mean of the three games for 1 of 12",
        "DeepSeek-R1 48.4 against 56.4",
        "33 of 36 win rates are multiples of 1/120", "17 of 36 win rates are multiples of 1/60",
        "ORR-CSR: Pearson -.507, p = .093",
        "ORR-WR: Pearson -.635, p = .027; Spearman -.71, p = .009",
        "CSR-WR: Pearson .963", "-.77 (without Qwen-Max) to -.31 (without ChatGPT-o3-mini)",
        "tower_defence -.327 (p = .299), battle_card -.329 (p = .296), ",
        "elemental_duel -.505 (p = .094)",
        "ChatGPT-4o elemental_duel 59.1, Gemini-2.5-Flash battle_card 59, "
        "Gemini-2.5-Flash elemental_duel 58.1", "49.3 in the text and 24.5", "16.9 and 24.3",
        "called deterministic", "mirror games", "correlation over 12 models", "version 1",
        "74.7, 78.6 and +.041", "-.95",
        "standard error of 0.023", "holds 0", "4,320 in the abstract, 4,752",
        "LLaMA-3-70B 80.0", "ChatGPT-4.1 79.4",
    ):  # fmt: skip
        assert words in said, words
    result = run("findings")
    assert result.returncode == 0 and "ORR-WR: Pearson -.635" in result.stdout


def test_correlations_are_scipys(rng):
    stats = pytest.importorskip("scipy.stats")
    for n in (5, 6, 12, 40):
        x, y = rng.integers(0, 9, (2, n)).astype(float)
        x[0], y[0] = x[1] + 1, y[1] + 2  # not constant
        found = correlation(x, y)
        r, p = stats.pearsonr(x, y)
        rho, p_rho = stats.spearmanr(x, y)
        assert found.pearson == pytest.approx(r) and found.p == pytest.approx(p, abs=1e-6)
        assert found.spearman == pytest.approx(rho)
        assert found.p_spearman == pytest.approx(p_rho, abs=1e-6)
        # Every order there is, or as many draws of them: 10,000 stray by .005 at most.
        orders = [*permutations(y)] if n < 7 else rng.permuted(np.tile(y, (10_000, 1)), axis=1)
        every = (np.array(orders) - y.mean()) @ (x - x.mean()) / (n * x.std() * y.std())
        p = np.mean(np.abs(every) >= abs(r) - 1e-9)
        assert abs(found.p_shuffled - p) < 5.5 * (0.005 if n < 7 else 0.005 * 2**0.5)
        assert ranks(x).tolist() == stats.rankdata(x).tolist()
        assert slope(y) == pytest.approx(stats.linregress(np.arange(n), y).slope)
    assert correlation(x[:4], y[:4]) is None and correlation([1] * 6, y[:6]) is None
    assert np.isnan(p_of(0.5, 2)) and p_of(1.0, 9) == 0
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


# --- names ---------------------------------------------------------------------------------------


def test_names_are_of_their_class():
    own, other = games.names("tower_defence", 1), games.names("tower_defence", 0)
    siblings = {
        game: [*games.names(game, 0), *games.names(game, 1)]
        for game in ("battle_card", "elemental_duel")
    }
    for name, expected in {
        "Rifle_Soldier": ("own", ""),
        "rocket launcher soldiers": ("own", ""),
        "NormalDemons": ("other_side", ""),
        "RifelSoldier": ("near", ""),
        "Pea Shooter": ("lexicon", "plants vs. zombies"),
        "Giant Gargantuar": ("lexicon", "plants vs. zombies"),
        "flamethrower": ("lexicon", "pokemon moves"),
        "Imp": ("lexicon", "plants vs. zombies"),
        "Paladin": ("sibling", "battle_card"),
        "tsunami ending": ("sibling", "elemental_duel"),
        "Snow-Pea": ("lexicon", "plants vs. zombies"),
        "Laser Cannon 3000": ("unknown", ""),
    }.items():
        assert classify(name, own, other, siblings) == expected, name
    assert classify("Bomb", ["Gorf"], ["Mipo"], siblings, own) == ("leaked", "")


def test_no_name_of_ours_is_in_the_lexicon():
    ours = {key(n) for g in games.GAMES for k in range(2) for n in games.names(g, k)}
    assert not ours & set(lexicon())
    assert sum(len(names.split()) for names in LEXICON.values()) == len(lexicon())


# --- a model that revises in a known way ----------------------------------------------------------

WEAK = {"demons": [{"name": "NormalDemon", "y": 2}]}
WEAKER = {"demons": [{"name": "SpeedyDemon", "y": 2}]}
KING = {"demons": [{"name": "DemonKing", "y": 2}, {"name": "GreatDemon", "y": 2}]}
KINGS = {"demons": [{"name": "DemonKing", "y": 2}] * 2}
AIR = {"demons": [{"name": "FlyingDemon", "y": 2}] * 5}
BROKEN = {"demons": [{"name": "Pea Shooter", "y": 2}]}
GUN = {"humans": [{"name": "HandgunSoldier", "x": 0, "y": 0}]}
KEEP = {"keep": True}
FIRST = {1: WEAK, 2: KING, 4: KEEP, 6: KINGS, 8: KING, 10: BROKEN}
SECOND = {3: WEAKER, 5: KEEP, 7: KING, 9: KEEP, 11: AIR}


def scripted(body, nth):
    """An attacker whose plan is told by the round, a defender that keeps its first."""
    asked = "\n".join(message["content"] for message in body["messages"])
    number = int(re.search(r"Round (\d+) of 11", asked)[1])
    if "You are the defender" in asked:
        return answer(json.dumps(GUN if number == 1 else KEEP))
    return answer(json.dumps((FIRST | SECOND)[number]))


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    folder = tmp_path_factory.mktemp("advgame")
    with OpenAIServer(scripted) as server:
        result = run("--policies", "llm:m", "--opponents", "heuristic", "--game", "tower_defence",
                     "--base-url", server.base_url, "--api-key-env", "STRATAGYM_TEST_KEY",
                     "--no-preflight", "--output", folder, "--json")  # fmt: skip
    assert result.returncode == 0, result.stderr
    return folder, json.loads(result.stdout)


def test_metrics_are_those_worked_out_by_hand(played):
    """Against guns and king, which stand: the attacker wins with KING and AIR alone.

    First to update: 0 1 1 1 1 0 0 1 1 0 0, second: six lost, five won; the defender loses all.
    """
    _, summary = played
    (row,) = (row for row in summary["policies"] if row["policy"] == "llm:m")
    pooled = {name: (rate["value"], rate["n"]) for name, rate in row["pooled"].items()}
    for name, expected in {
        "WR": (11 / 44, 44), "WR_10": (10 / 40, 40), "init-win": (0, 4), "OBR": (1 / 11, 11),
        "RVR": (0, 4), "ORR": (4 / 15, 15), "revision after success": (3 / 5, 5),
        "CSR": (3 / 4, 4), "CSR won": (3 / 4, 4), "CSR mended": (1, 1), "slope": (0.1 / 4, 4),
    }.items():  # fmt: skip
        assert pooled[name] == (pytest.approx(expected[0]), expected[1]), name
    assert row["FMA"]["ORR"]["value"] == pytest.approx(1 / 6)
    assert row["FMA"]["WR"]["value"] == pytest.approx(1 / 22)
    published = row["as_published"]
    assert published["WR"] == pytest.approx(6 / 20) and published["OBR"] == pytest.approx(1 / 20)
    # Costs of the kept rows, first to update: 975 975 1600 975 0, second: 150 150 975 975 1000,
    # else one; won are 1 1 0 1 0 and 0 0 1 1 1.
    assert published["ORR"] == pytest.approx((3 / 4 + 2 / 4 + 0 + 0) / 4)
    assert published["CSR"] == pytest.approx((1 / 3 + 2 / 2 + 0 + 0) / 4)
    assert published["slope"] == pytest.approx((-2 / 10 + 3 / 10 + 0 + 0) / 4)
    score = summary["scores"]["llm:m"]
    planning = (0 + (0.025 + 0.3) / 0.6) / 2
    assert score["process"]["value"] == pytest.approx((planning + 3 / 4 + 10 / 11) / 3)
    assert summary["updates"]["llm:m"][0]["value"] == pytest.approx(1 / 4)


def test_the_records_tell_every_round(played):
    folder, summary = played
    rounds = [r for r in lines(folder / "rounds.jsonl") if r["policy"] == "llm:m"]
    assert len(rounds) == 44
    one = next(r for r in rounds if r["role"] == 0 and r["first"] and r["round"] == 6)
    assert (one["over"], one["feedback"], one["revised"], one["cost"]) == (
        True, "positive", True, 1600,
    )  # fmt: skip
    void = next(r for r in rounds if r["void"])
    assert (void["round"], void["fought"], void["cost"]) == (10, False, 0)
    bad = [r for r in lines(folder / "decisions.jsonl") if r["kind"] == "illegal"]
    assert [(r["reason"], r["attempt"]) for r in bad] == [("unknown_unit", 1)]
    assert summary["names"]["llm:m"]["most"][0] == {
        "name": "Pea Shooter", "class": "lexicon", "source": "plants vs. zombies", "times": 1,
    }  # fmt: skip
    page = (folder / "report.md").read_text()
    assert "Pea Shooter" in page and "llm:m" in page
    own = [one for one in summary["courses"] if one["policy"] == "llm:m"]
    (course,) = (one for one in own if one["role"] == "attacker" and one["first"])
    assert " ".join(course["marks"]) == "L W* W W= W L*! L! W* W L*x Lx"
    assert "Round 1, " in (folder / "replays.html").read_text()


def test_plans_over_budget_and_their_value(played):
    folder, _ = played
    record = next(g for g in lines(folder / "games.jsonl") if g["seat"] == 0
                  and "llm:m" in g["seats"] and g["rules"]["first"] == "attacker")  # fmt: skip
    found = rounds_of(record)
    assert found[5].value[0] == pytest.approx(-0.6) and found[9].value[0] == -1
    assert found[1].value == (1.0, pytest.approx(0.99 * found[1].end / 3600))


# --- other runs ----------------------------------------------------------------------------------


def test_controls_and_budgets(tmp_path):
    """Who keeps never revises; who draws anew always does. Fills keep to every budget."""
    options = ("--policies", "random,control:keep,control:redraw=random,plan:fill",
               "--opponents", "plan:kings", "--game", "battle_card", "--rounds", 5,
               "--budget", "0.5,1", "--output", tmp_path, "--json")  # fmt: skip
    result = run(*options)
    assert result.returncode == 0, result.stderr
    summary = json.loads(result.stdout)
    rows = {row["policy"]: row["pooled"] for row in summary["policies"]}
    assert rows["control:keep"]["ORR"]["value"] == 0
    assert rows["control:redraw=random"]["ORR"]["value"] > 0.9
    for factor in ("0.5", "1"):
        assert summary["budgets"]["plan:fill"][factor]["OBR"]["value"] == 0
        assert summary["budgets"]["plan:fill"][factor]["spent"]["value"] > 0.7
    budgets = {g["rules"]["attacker_budget"] for g in lines(tmp_path / "games.jsonl")}
    assert budgets == {0, 10}
    assert json.loads(run(*options, "--resume").stdout) == summary


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--game", "chess"), "--game 'chess': choose from"),
        (("--rounds", "1"), "--rounds 1: choose from 2 to 20"),
        (("--budget", "9"), "--budget '9': a number from"),
        (("--rules", "first=me"), "--rules"),
        (("--feedback", "none"), "--feedback 'none'"),
        (("--repeats", "0"), "--repeats 0"),
        (("--credit", "luck"), "--credit 'luck': choose from: without, shapley"),
        (("--samples", "0"), "--samples 0: choose from 1"),
        (("--policies", "control:redraw"), "choose control:keep or control:redraw=POLICY"),
    ],
)
def test_bad_options_are_one_line(options, words):
    result = run(*options)
    assert result.returncode == 2 and words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


# --- credit and score ----------------------------------------------------------------------------


def test_credit_of_a_gun_and_of_an_idle_wall():
    """A machine gun alone keeps the row; a shield where nobody comes does nothing."""
    attack = json.dumps({"demons": [{"name": "NormalDemon", "y": 2, "spawn_time": 0}]})
    defence = json.dumps(
        {"humans": [{"name": "MachineGunSoldier", "x": 0, "y": 2, "spawn_time": 0},
                    {"name": "ShieldSoldier", "x": 5, "y": 0, "spawn_time": 0}]}
    )  # fmt: skip
    found = {one.item: one for one in credits("tower_defence", (), 1, attack, defence)}
    gun, shield = found["MachineGunSoldier"], found["ShieldSoldier"]
    assert (gun.result, gun.cost, gun.where) == (1.0, 400, "(0,2)")
    assert gun.value == pytest.approx(1 - 0.99 * 279 / 3600)
    assert (shield.result, shield.value, shield.cost) == (0.0, 0.0, 50)


@pytest.mark.parametrize("game", games.GAMES)
def test_every_item_of_a_plan_has_its_credit(game):
    from stratagym.agents.plan_search import Fights
    from stratagym.envs import sealed

    facts = spec(game)
    rules = facts.make_rules()
    fights, view, texts = Fights(facts, rules), facts.module("view"), []
    for seat in range(2):
        (plan,) = fights.fills(seat, 1, 3)
        states = fights.board(seat, [plan])
        texts.append(json.dumps(view.plan_json(rules, states[0], seat, False)))
        entries = [e for part in json.loads(texts[-1]).values() for e in part
                   if isinstance(e, dict)]  # fmt: skip
    for seat in range(2):
        found = credits(game, (), seat, *texts)
        assert all(-1 <= one.result <= 1 and -1 <= one.value <= 1 for one in found)
        known = set(games.names(game, seat)) | {"priorities"}
        assert {one.item for one in found} <= known
    assert sealed.ATTACKER == 0 and entries


def test_scores_leave_out_parts_without_a_case():
    class Plan:
        over = void = kept = is_bad = False
        asked = True

        def differs(self, other):
            return False

    class Round:
        plans, score, value = (Plan(), Plan()), (1.0, 0.0), (1.0, 0.0)
        number = 1

        def asks(self, seat):
            return True

    one = metrics.Game("tower_defence", "o", 0, True, 1, (Round(),) * 6)
    found = scores({"p": [one]})["p"]
    assert found["revision"] is None and found["parts"] == ["planning", "constraint"]
    assert found["process"]["value"] == pytest.approx(((1 + 0.5) / 2 + 1) / 2)


def test_process_scores_are_compared_where_they_stand_for_the_same_parts():
    """Who keeps the plan has no revision: ranked among its own kind alone."""
    options = ["--policies", "random,control:keep,plan:fill", "--game", "battle_card"]
    summary = json.loads(run(*options, "--opponents", "plan:level?k=1", "--json").stdout)
    of = {name: (one["parts"], one["ranks"]["of"]) for name, one in summary["scores"].items()}
    assert of["control:keep"][0] == ["planning", "constraint"]
    assert of["random"][0] == ["planning", "revision", "constraint"]
    for parts, n in of.values():
        assert n == sum(parts == others for others, _ in of.values())


def test_balance(monkeypatch):
    """What random plans do, a short double oracle, and a reply to a plan that loses to most."""
    from stratagym.agents import plan_pools
    from stratagym.agents.games import battle_card as knowledge
    from stratagym.agents.plan_search import Fights
    from stratagym.benchmarks.advgame.balance import has_reply

    monkeypatch.setattr(plan_pools, "ITERATIONS", 4)
    monkeypatch.setattr(knowledge, "ORACLE_STEPS", (20, 20))
    arguments = ("balance", "--game", "battle_card", "--pairs", "300", "--evals", "50")
    told = run(*arguments).stdout.splitlines()
    assert len(told) == 6
    assert told[0].startswith("battle_card: uniform random micro-actions, 300 pairs: the defender")
    assert re.search(r"winning replies were found to \d of 2 \(50 simulations each\)", told[5])
    game = spec("battle_card")
    assert has_reply(Fights(game, game.make_rules()), 0, np.array([0, 34]), 100, 1)
    for wrong in (("--game", "chess"), ("--evals", "0"), ("--rules", "fuse=placed")):
        result = run("balance", "--game", "battle_card", *wrong)
        assert result.returncode == 2 and len(result.stderr.strip().splitlines()) == 1
