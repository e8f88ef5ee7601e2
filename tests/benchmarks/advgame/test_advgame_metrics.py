"""The metrics of ``benchmarks.advgame`` on records made by hand, every number worked out by hand.

Plans stand for themselves: a plan is its name, its cost and what is wrong with it.
"""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from stratagym.benchmarks.advgame import beside, metrics, process
from stratagym.benchmarks.advgame.budgets import summary as budget_summary
from stratagym.benchmarks.advgame.matches import Plan as Matches
from stratagym.benchmarks.advgame.matches import Setting
from stratagym.benchmarks.advgame.metrics import Game
from stratagym.benchmarks.advgame.rounds import Plan, Round
from stratagym.benchmarks.advgame.score import _ranks, scores
from stratagym.benchmarks.advgame.similarity import Likeness
from stratagym.benchmarks.advgame.summary import _rates

CARDS = {
    "a": "FireLizard", "b": "WaterElemental", "c": "PoisonFrog", "d": "Phoenix", "e": "TideLord",
    "z": "King",
}  # fmt: skip


def plan(name="a", cost=10, over=False, void=False, asked=False, kept=False):
    card = CARDS[name]
    data = {"invaders": [{"name": card, "tier": "Bronze"}]}
    return Plan(((card, "Bronze"),), cost, over, void, asked, kept, data)


def game(told, first=True, role=0, opponent="o", name="battle_card", broke="", seed=1):
    """A match from a line of rounds, such as ``L:a W:b!``.

    Result, plan (a letter), ``!`` over budget, ``x`` void, a number for its cost, ``k`` kept by
    word, ``v`` and two digits for how near it came. The side is asked in round 1 and every other
    one from 2 (first) or 3.
    """
    rounds = []
    for number, word in enumerate(told.split(), 1):
        result, text = word.split(":")
        cost = int("".join(c for c in text.partition("v")[0] if c.isdigit()) or 10)
        near = float("." + text.partition("v")[2]) if "v" in text else 0.5
        asked = number == 1 or number % 2 == (0 if first else 1)
        own = plan(text[0], cost, "!" in text, "x" in text, asked, "k" in text)
        score = {"W": 1.0, "D": 0.5, "L": 0.0}[result]
        pair = (own, plan("z")) if role == 0 else (plan("z"), own)
        sides = (score, 1 - score) if role == 0 else (1 - score, score)
        value = (near, near)
        fought = not (own.over or own.void)
        spent = (cost / 20, cost / 20)
        rounds.append(Round(number, pair, sides, fought, 1, spent, value, ply=4 * number))
    return Game(name, opponent, role, first, seed, tuple(rounds), broke)


def value(games, metric):
    found = metrics.rate(games, metric)
    return found.value, found.n


# First to update: asked in rounds 1, 2, 4, 6, 8, 10.
ONE = game("L:a30! L:b W:b W:b W:b L:cv70 L:c D:d D:d W:e L:e", broke="over_budget")
# Second: asked in 1, 3, 5, 7, 9, 11.
TWO = game(
    "W:a20 L:a20 L:b20v30 L:b20v30 W:c20v90 W:c20 L:d20 L:d20 L:d20k W:d20 L:a20x", first=False
)


def test_metrics_by_the_papers_definitions():
    """ONE answers a lost round (over budget) in 2, a won one in 4, won in 6 (changed), lost in 8,
    drawn in 10. TWO answers lost, lost, won, lost, won in 3, 5, 7, 9, 11."""
    both = [ONE, TWO]
    for metric, expected in {
        "WR": ((5 + 4) / 22, 22),  # ONE: four won and two drawn, TWO four won
        "WR_10": ((5 + 4) / 20, 20),
        "init-win": (1 / 2, 2),
        "OBR": (1 / 11, 11),  # twelve turns, one plan kept by word
        "RVR": (1 / 2, 2), "RVR over budget": (1 / 2, 2), "RVR other": (0, 2),
        "ORR": (4 / 5, 5),  # ONE 2, 8; TWO 3, 5, not 9
        "revision after success": (3 / 4, 4),  # ONE 4 not, 6, TWO 7, 11
        "CSR": (2 / 4, 4),  # ONE 2 mended; 8 drawn; TWO 3 lost, 5 won
        "CSR won": (1 / 4, 4), "CSR mended": (1, 1),
        "constructive": (1 / 4, 4),  # TWO 5: .3 to .9; 3: .5 to .3; ONE 2: .5 to .5; 8: .5 to .5
    }.items():  # fmt: skip
        assert value(both, metric) == (pytest.approx(expected[0]), expected[1]), metric
    # Results after updates: ONE 0 1 0 .5 1, TWO 0 1 0 0 0, slopes by hand over -2 .. 2.
    slopes = [(-1 * 1 + 1 * 0.5 + 2 * 1) / 10, -1 / 10]
    assert value(both, "slope") == (pytest.approx(np.mean(slopes)), 2)
    stats = pytest.importorskip("scipy.stats")
    assert slopes[0] == pytest.approx(stats.linregress(range(5), [0, 1, 0, 0.5, 1]).slope)


def test_metrics_as_the_released_evaluator_has_them():
    """Rows 2, 4, 6, 8, 10 of who is first, 3, 5, 7, 9, 11 of who is second; draws are not won."""
    assert [one.number for one in metrics.kept_rows(ONE)] == [2, 4, 6, 8, 10]
    assert [one.number for one in metrics.kept_rows(TWO)] == [3, 5, 7, 9, 11]
    # ONE: L W L D W at one cost; TWO: L W L L L at one cost, the last void: revisions of equal
    # cost are not seen at all.
    found = metrics.as_published([ONE, TWO])
    assert found == {
        "WR": pytest.approx((2 / 5 + 1 / 5) / 2), "OBR": 0, "ORR": 0, "CSR": 0,
        "slope": pytest.approx(((-1 + 2) / 10 + (-1) / 10) / 2),
    }  # fmt: skip
    # One file: two opponents one after the other, the step between them counts as a revision.
    a = game("L:a W:b10 W:b10 W:c12! W:c12 L:c12 L:c12 W:d12 W:d12 L:e9 L:e9", opponent="x")
    b = game("L:a L:b7 L:b7 L:b7 L:b7 W:c8 W:c8 W:c8 W:c8 W:c8 W:c8", opponent="y")
    one = metrics.as_published(
        [b, a]
    )  # costs 10 12 12 12 9 | 7 7 8 8 8, wins W W L W L | L L W W W
    assert one["WR"] == pytest.approx(6 / 10) and one["OBR"] == pytest.approx(1 / 10)
    assert one["ORR"] == pytest.approx(4 / 9)
    assert one["CSR"] == pytest.approx(2 / 4)  # 10-12 won, 12-9 lost, 9-7 lost, 7-8 won
    wins = np.array([1, 1, 0, 1, 0, 0, 0, 1, 1, 1])
    x = np.arange(10) - 4.5
    assert one["slope"] == pytest.approx(x @ wins / (x @ x))
    assert metrics.as_published([])["WR"] is None


def test_a_standing_plan_over_budget_counts_again_as_published():
    standing = game("L:a30! L:a30!k L:a30! L:a30!k L:a30! L:a30!k L:a30! L:b L:b L:b L:b")
    assert value([standing], "OBR") == (1 / 3, 3)  # handed in: rounds 1, 8, 10
    assert metrics.as_published([standing])["OBR"] == pytest.approx(3 / 5)


def test_first_move_advantage_is_by_game_and_then_the_mean():
    """Card: WR 5/11 - 4/11. Duel: all won when first, none when second. Tower: first alone."""
    won, lost = "W:a " * 11, "L:a " * 11
    duel = game(won, name="elemental_duel"), game(lost, first=False, name="elemental_duel")
    games = [ONE, TWO, *duel, game(won, name="tower_defence")]
    found = metrics.first_move_advantage(games, "WR")
    assert found.value == pytest.approx((1 / 11 + 1) / 2) and found.n == 4
    # ORR: card 2/2 - 2/3; the duel has none when first.
    assert metrics.first_move_advantage(games, "ORR").value == pytest.approx(1 / 3)


def test_means_and_differences_are_over_the_same_matches():
    better = game("W:a " * 11, seed=1)
    assert metrics.paired([better], [ONE], "WR").value == pytest.approx(1 - 5 / 11)
    assert metrics.paired([better], [TWO], "WR").value is None  # another order
    assert metrics.paired([better], [game("L:a " * 11, seed=2)], "WR").value is None
    duel = game("W:a " * 11, name="elemental_duel")
    assert metrics.mean_over_games([ONE, TWO, duel], "WR").value == pytest.approx((9 / 22 + 1) / 2)
    several = [game(("W:a " * k + "L:a " * 11)[:44], opponent=str(k)) for k in range(8)]
    found = metrics.paired([game("W:a " * 11, opponent=str(k)) for k in range(8)], several, "WR")
    assert found.value == pytest.approx(1 - sum(range(8)) / 88)
    assert found.low < found.value < found.high
    rows = beside.differences({"random": [ONE], "p": [better], "q": [ONE]})
    assert [row["policies"] for row in rows] == [["p", "random"], ["p", "q"]]
    assert rows[1]["WR"]["value"] == pytest.approx(6 / 11)


def test_chance_is_named_where_it_is_known():
    def chance(metric, random, redraw):
        return _rates(metrics.rate, [TWO], random, redraw)[metric]["chance"]

    assert chance("OBR", [ONE], [TWO]) == 0 and chance("slope", [], []) == 0
    assert chance("WR", [ONE], [TWO]) == pytest.approx(5 / 11)
    # Without redraws of its own, those of random plans, which are new each time.
    assert chance("CSR", [ONE], [TWO]) == 1 / 2
    assert chance("CSR", [ONE], []) == metrics.rate([ONE], "CSR").value
    assert chance("ORR", [ONE], []) == metrics.rate([ONE], "ORR").value
    assert chance("WR", [], [TWO]) is None and chance("ORR", [], []) is None
    assert beside.is_chance("control:redraw=p") and not beside.is_chance("plan:fill")


# --- scores and correlations ---------------------------------------------------------------------


def test_the_score_against_redraws():
    """CSR 2/4 in all, redraws 1/3: .5 + 1/12 for revision."""
    redraw = [game("L:a L:b L:b L:c L:c W:d W:d W:d W:d W:d W:d")]  # revised 2, 4, 6: one won
    found = scores({"p": [ONE, TWO]}, {"p": redraw})["p"]
    planning = (0.5 + (0.025 + 0.3) / 0.6) / 2
    assert found["process"]["value"] == pytest.approx((planning + 0.5 + 10 / 11) / 3)
    against = (planning + 0.5 + (0.5 - 1 / 3) / 2 + 10 / 11) / 3
    assert found["process_vs_redraw"]["value"] == pytest.approx(against)
    axes = [9 / 22, 0.5, 1 / 5, 10 / 11, (0.025 + 0.3) / 0.6]
    assert found["radar"]["value"] == pytest.approx(np.mean(axes))
    area = sum(axes[k] * axes[(k + 1) % 5] for k in range(5)) / 5
    assert found["radar_area"]["value"] == pytest.approx(area)
    assert scores({"p": [ONE]})["p"]["process_vs_redraw"]["value"] is None


def test_a_radar_is_for_those_who_have_all_its_axes():
    kept = game("L:a L:a W:a W:a L:a L:a W:a W:a L:a L:a L:a")  # never revised: no CSR
    found = scores({"p": [kept], "q": [ONE]})
    assert found["p"]["CSR"] is None and found["p"]["radar"]["value"] is None
    assert found["q"]["radar"]["value"] is not None and found["p"]["process"]["value"] is not None


SIX = {  # ORR, WR, slope, OBR, CSR
    "a": (0.10, 0.90, 0.05, 0.00, 0.80), "b": (0.25, 0.70, 0.06, 0.10, 0.75),
    "c": (0.40, 0.75, 0.01, 0.05, 0.50), "d": (0.55, 0.40, -0.02, 0.30, 0.55),
    "e": (0.80, 0.35, 0.02, 0.20, 0.30), "f": (0.95, 0.10, -0.04, 0.45, 0.20),
}  # fmt: skip
NAMES = ("ORR", "WR", "slope", "OBR", "CSR")


def rows_of(table, shift=0.0):
    def rates(values):
        return {name: {"value": v + shift} for name, v in zip(NAMES, values, strict=True)}

    return [
        {"policy": name, "mean": rates(values), "pooled": rates(np.square(values)),
         "by_game": {"battle_card": rates(values)}}
        for name, values in table.items()
    ]  # fmt: skip


def test_figures_4_and_5_of_six_policies():
    """Everything by scipy; yardsticks and the games of the policies are no cases."""
    stats = pytest.importorskip("scipy.stats")
    rows = rows_of({**SIX, "random": (0.9, 0.9, 0.9, 0.9, 0.9)})
    columns = dict(zip(NAMES, np.array(list(SIX.values())).T, strict=True))
    found = {one["metric"]: one for one in beside.figure_5(rows, "mean")}
    ps = []
    for metric in ("WR", "slope", "OBR", "CSR"):
        told, x, y = found[metric]["correlation"], columns["ORR"], columns[metric]
        r, p = stats.pearsonr(x, y)
        rho, p_rho = stats.spearmanr(x, y)
        ps.append(p)
        assert told["n"] == 6 and found[metric]["policies"] == list(SIX)
        assert told["pearson"] == pytest.approx(r) and told["p"] == pytest.approx(p, abs=1e-6)
        assert told["spearman"] == pytest.approx(rho)
        assert told["p_spearman"] == pytest.approx(p_rho, abs=1e-6)
        every = [abs(np.corrcoef(x, order)[0, 1]) for order in permutations(y)]
        exact = np.mean(np.array(every) >= abs(r) - 1e-9)
        assert told["p_shuffled"] == pytest.approx(exact, abs=0.02)  # 10,000 shuffles
        without = [stats.pearsonr(np.delete(x, k), np.delete(y, k))[0] for k in range(6)]
        assert (told["low"], told["high"]) == pytest.approx((min(without), max(without)))
        assert found[metric]["chance"] == [{"policy": "random", "x": 0.9, "y": 0.9}]
        assert len(found[metric]["small"]) == 6
    order = np.argsort(ps)
    adjusted = np.maximum.accumulate(np.minimum(1, (4 - np.arange(4)) * np.sort(ps)))
    expected = np.empty(4)
    expected[order] = adjusted
    assert [one["correlation"]["p_holm"] for one in found.values()] == pytest.approx(
        expected, abs=1e-5
    )
    four = beside.pair(rows, "OBR", "WR", "mean")["correlation"]
    assert four["pearson"] == pytest.approx(stats.pearsonr(columns["OBR"], columns["WR"])[0])
    pooled = beside.pair(rows, "ORR", "WR", "pooled")
    assert pooled["x"] == pytest.approx(np.square(columns["ORR"]))
    few = beside.figure_5(rows_of(dict(list(SIX.items())[:4])), "mean")
    assert [one["correlation"] for one in few] == [None] * 4


def test_ranks_under_random_weights_are_scipys():
    stats = pytest.importorskip("scipy.stats")
    parts = np.array([values[1:4] for values in SIX.values()])
    weights = np.random.default_rng(7).dirichlet(np.ones(3), 50)
    found = _ranks(parts, weights)
    for k, weight in enumerate(weights):
        means = [np.average(row, weights=weight) for row in parts]
        assert found[:, k].tolist() == stats.rankdata(-np.array(means), "min").tolist()


# --- over rounds ---------------------------------------------------------------------------------


def test_what_was_revised_after_what():
    found = process.by_feedback([ONE, TWO], Likeness({}))
    told = {kind: (one["updates"], one["revised"]["value"]) for kind, one in found.items()}
    assert told == {
        "lost": (4, pytest.approx(3 / 4)), "over budget": (1, 1), "won": (4, pytest.approx(3 / 4)),
        "drawn": (1, 1),
    }  # fmt: skip
    assert found["lost"]["won after revision"]["value"] == pytest.approx(1 / 3)
    assert found["lost"]["won after none"]["value"] == 0
    setting = Setting("p", "battle_card", "o", 0, True, 1.0, 0)
    course = process.course(setting, ONE, Likeness({}))
    assert " ".join(course["marks"]) == "L! L* W W= W L* L D* D W* L"
    first = course["revisions"][0]
    assert (first["round"], first["feedback"], first["result"]) == (2, "over budget", "lost")
    assert (first["added"], first["dropped"], first["changed"]) == (
        ["WaterElemental"],
        ["FireLizard"],
        [],
    )
    assert first["spent"] == [1.5, 0.5]
    assert [rate["value"] for rate in process.by_update([ONE, TWO])] == [0, 1, 0, 0, 0.5]
    assert process.budget_use([ONE])[0]["value"] == 1.5


def units(*entries):
    return Plan(entries, 1, False, False, True, False, {"humans": list(entries)})


def test_revisions_are_told_as_differences():
    def at(name, x, y, ms=0):
        return {"name": name, "x": x, "y": y, "spawn_time": ms}

    one = units(at("Bomb", 1, 2), at("Bomb", 1, 2, 500), at("LightMage", 0, 0))
    other = units(at("Bomb", 1, 2), at("Bomb", 3, 2), at("IceSoldier", 0, 0))
    assert process.change("tower_defence", one, other) == {
        "added": ["IceSoldier (0,0)"], "dropped": ["LightMage (0,0)"],
        "changed": ["Bomb (1,2) at 0.5 s → (3,2)"],
    }  # fmt: skip
    cards = [{"name": "King", "tier": "Gold"}, {"name": "Sapling", "tier": "Bronze"}]
    a, b = (
        Plan(tuple(order), 1, False, False, True, False, {"defenders": order})
        for order in (cards, cards[::-1])
    )
    assert process.change("battle_card", a, b)["changed"] == ["the order"]
    gold = [{"name": "King", "tier": "Bronze"}, cards[1]]
    c = Plan(("gold",), 1, False, False, True, False, {"defenders": gold})
    assert process.change("battle_card", a, c)["changed"] == ["King gold → bronze"]
    fighters = [{"element": "Fire", "skills": ["x", "y"]}, {"element": "Water", "skills": ["z"]}]
    moved = [{"element": "Fire", "skills": ["x", "w"]}, {"element": "Water", "skills": ["z"]}]
    a, b = (
        Plan(tuple(map(str, side)), 1, False, False, True, False, {"invaders": side})
        for side in (fighters, moved)
    )
    assert process.change("elemental_duel", a, b) == {
        "added": ["w Fire 1"], "dropped": ["y Fire 1"], "changed": [],
    }  # fmt: skip


# --- budgets -------------------------------------------------------------------------------------


def test_budget_curves_by_hand():
    """At half the budget two of six plans are over it, and half the rounds are won."""
    half = game("L:a15! W:b10 W:b10 L:c16! L:c16 W:d10 W:d10 W:d W:d L:e L:e", broke="over_budget")
    whole = game("W:a20 " * 11)
    run = Matches(("p",), ("o",), ("battle_card",), 11, 1, (0.5, 1.0), 0, {})
    setting = Setting("p", "battle_card", "o", 0, True, 1.0, 0)
    found = budget_summary([(setting._replace(factor=0.5), half), (setting, whole)], run)["p"]
    one = found["0.5"]
    assert one["OBR"]["value"] == pytest.approx(2 / 6) and one["RVR"]["value"] == 1
    assert one["WR"]["value"] == pytest.approx(6 / 11) and one["init-win"]["value"] == 0
    assert one["spent"]["value"] == pytest.approx((15 + 20 + 32 + 60) / 20 / 11)
    assert one["differences"]["WR"]["value"] == pytest.approx(6 / 11 - 1)
    assert one["differences"]["OBR"]["value"] == pytest.approx(1 / 3)
    assert one["stale"]["value"] == 1 and one["stale"]["n"] == 2
    assert found["1"]["differences"]["WR"]["value"] == 0
    assert budget_summary([(setting, whole)], Matches(*[("p",)] * 3, 11, 1, (1.0,), 0, {})) == {}
