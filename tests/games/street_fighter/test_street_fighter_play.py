"""Street fighter played: named moves, prompts, clocks, players, pictures, what is measured.

    PYTHONPATH=tests python tests/games/street_fighter/test_street_fighter_play.py

plays the scripts below against all levels, 100 matches each, and prints the table of the game's
page.
"""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from numba import njit

from stratagym.agents.chat import Reply, ScriptedChat
from stratagym.agents.core import make_policy
from stratagym.agents.games.street_fighter import LEVELS, RULES, evaluate, rule
from stratagym.agents.kernel_policies import play_many
from stratagym.agents.ladders import ladder_of
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.match_play import play_match
from stratagym.benchmarks.harness.matches import SeatedMatch
from stratagym.benchmarks.harness.protocol import AnswerProtocol
from stratagym.envs import core, spec
from stratagym.envs.prompts import TextOptions, messages
from stratagym.envs.street_fighter import metrics, render, replay, stage, view
from stratagym.envs.street_fighter import moves as m
from stratagym.testing import check_replies, position, random_positions

GAME = spec("street_fighter")
RULES_NOW = GAME.make_rules()
LEGAL, PROBS = core.new_scratch(RULES_NOW)


EXPECTED = {
    "Fireball": m.HADOUKEN,
    "Megapunch": m.SHORYUKEN + 2,
    "Hurricane": m.TATSUMAKI,
    "Megafireball": m.EX_HADOUKEN,
    "Super attack 2": m.EX_SHORYUKEN,
    "Super attack 3": m.SA1,
    "Super attack 4": m.SA3,
    "Low Punch": m.FAR_LP,
    "Medium Punch": m.FAR_MP,
    "High Punch": m.FAR_HP,
    "Low Kick": m.LK,
    "Medium Kick": m.MK,
    "High Kick": m.HK,
    "Low Punch+Low Kick": m.THROW,
    "Medium Punch+Medium Kick": m.OVERHEAD_MOVE,
    "High Punch+High Kick": m.TAUNT,
}


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("crossed", [False, True])
@pytest.mark.parametrize("name", view.MACROS)
def test_every_named_move_comes_out_on_both_sides(name, seat, crossed):
    states = position(RULES_NOW)
    states["meter"] = 240
    if crossed:
        states["x"][0] = states["x"][0, ::-1].copy()
        states["facing"][0] *= -1
        states["side"] = 1
    states["seat"] = seat
    inputs = view.read_plan(RULES_NOW, states[0], f"- {name}")
    assert inputs[-1] == "No-Move"
    states["seat"] = 0
    before = states.copy()
    for text in inputs:
        states["seat"] = seat
        action = view.string_to_action(RULES_NOW, states[0], text)
        states["seat"] = 0
        for k in range(2):
            core.play_at(RULES_NOW, states, 0, action if k == seat else 0, LEGAL, PROBS)
    if name in EXPECTED:
        assert states["did"][0, seat] == EXPECTED[name]
    else:
        gone = int(states["x"][0, seat] - before["x"][0, seat]) * int(before["facing"][0, seat])
        assert gone > 0 if name.endswith("Closer") else gone < 0


def test_without_meter_the_lesser_move_comes_out():
    for name, move in (
        ("Megafireball", m.HADOUKEN),
        ("Super attack 2", m.SHORYUKEN + 2),
        ("Super attack 3", m.SHORYUKEN + 2),
        ("Super attack 4", m.CROUCH + 3),
    ):
        states = position(RULES_NOW)
        for text in view.read_plan(RULES_NOW, states[0], f"- {name}"):
            action = view.string_to_action(RULES_NOW, states[0], text)
            for given in (action, 0):
                core.play_at(RULES_NOW, states, 0, given, LEGAL, PROBS)
        assert states["did"][0, 0] == move, name


def test_replies():
    check_replies(
        GAME,
        {
            "- Move Closer": 5,
            "I am far away.\n\n-   move   CLOSER  \n- Fireball": 5,
            "- Low Punch + low kick": 15,
            "- Fly\n- High Kick": 14,
            "- Fly": "illegal: no_such_move",
            "Fireball": "unparseable",
            "kick": "unparseable",
            "": "unparseable",
        },
    )
    states = position(RULES_NOW)
    many = "\n".join(["- High Kick"] * 10_000)
    assert len(view.read_plan(RULES_NOW, states[0], many)) == 2 * view.MOST_MOVES
    bad = "\n".join(["- Flying"] * 10_000)
    assert view.read_plan(RULES_NOW, states[0], bad) == ["Flying"] * view.MOST_BAD


def test_as_coded():
    """The stray button of the right-hand list, and pairs that can never be chosen."""
    rules = GAME.make_rules(macros="as_coded")
    states = position(rules)
    told = view.read_plan(rules, states[0], "- Super attack 4")
    assert told[-3:] == ["High Punch", "Low Kick", "No-Move"]
    states["facing"][0, 0] = -1
    assert view.read_plan(rules, states[0], "- Super attack 4")[-2:] == ["Low Kick", "No-Move"]
    assert view.read_plan(rules, states[0], "- Low Punch+Low Kick") == ["Low Punch", "No-Move"]


def test_prompts_have_the_fields_of_the_paper():
    states = position(RULES_NOW)
    states["meter"], states["health"][0] = 35, (100, 130)
    honest = messages(GAME, RULES_NOW, states, TextOptions())[-1]["content"]
    paper = messages(GAME, RULES_NOW, states, TextOptions(position="paper"))[-1]["content"]
    assert "You are very far from the opponent." in honest and "on the right" in honest
    assert "Your health: 100 of 160. Your opponent's health: 130." in honest
    assert "You are losing." in honest and "Megafireball" not in honest and "Megafireball" in paper
    states["x"][0] = 200, 280
    assert "You are close to the opponent." in messages(
        GAME, RULES_NOW, states, TextOptions()
    )[-1]["content"]  # fmt: skip
    system = messages(GAME, RULES_NOW, states, TextOptions())[0]["content"]
    assert len(view.MACROS) == 20
    assert all(name in [line.partition(":")[0] for line in system.splitlines()]
               for name in view.MACROS)  # fmt: skip


# --- real time -----------------------------------------------------------------------------------


def fought(tokens, latency_s, clock, **options):
    rules = GAME.make_rules(rounds=1, **options)
    chat = ScriptedChat(
        lambda _: Reply("- High Kick\n- Fly\n- Low Punch", "stop", 5, tokens, latency_s, 0)
    )
    protocol = AnswerProtocol(TextOptions(), 1, "random", clock=clock)
    protocol.check(GAME, rules)
    seats = [LanguageModel(chat), make_policy(GAME, "random")]
    match = SeatedMatch.of("tiny", "one", GAME, rules, {}, 3, seats)
    return asyncio.run(play_match(match, protocol))


def test_a_reply_costs_the_decisions_that_pass_while_it_is_thought():
    """Decisions of a tenth of a second: ``int(seconds / decision_seconds)`` of them are idle."""
    moves = [14, 0, 9, 0]
    record = fought(75, 0.0, "sync")
    assert record["actions"][:16:2] == moves * 2
    for tokens, passing in ((74, 14), (75, 15), (4, 0), (5, 1)):
        record = fought(tokens, 0.0, "tokens:50")
        own = record["actions"][::2]
        assert own[: passing + 4] == [0] * passing + moves, tokens
        assert own[passing + 4 : 2 * passing + 8] == [0] * passing + moves, tokens
        assert record["clock"] == "tokens:50"
    own = fought(75, 0.73, "wall")["actions"][::2]
    assert own[:11] == [0] * 7 + moves
    own = fought(75, 0.0, "tokens:50", frames=3)["actions"][::2]
    assert own[:34] == [0] * 30 + moves


# --- players -------------------------------------------------------------------------------------


def test_levels_are_the_ladder():
    ladder = ladder_of("street_fighter")
    assert ladder.levels == (("random",), *((f"rule:{name}",) for name in RULES))
    assert len(RULES) == LEVELS == 8


def test_the_best_level_beats_the_second(seed):
    """5 of 8 levels up it wins .98 of matches: of 40, 20 or fewer with probability below 1e-20."""
    policies = [make_policy(GAME, name) for name in ("rule:lv3", "rule:lv8")]
    seeds = np.arange(40, dtype=np.uint64) + np.uint64(seed)
    games = play_many(RULES_NOW, policies, seeds, np.array([[0, 1], [1, 0]] * 20))
    won = games.returns[np.arange(40), [1, 0] * 20] > 0
    assert won.sum() > 20


def test_evaluations_have_the_sign_of_what_is_ahead(seed):
    out = np.zeros(2)
    for s in random_positions(RULES_NOW, 50, seed, range(900)):
        evaluate(RULES_NOW, s, out)
        assert out[0] == -out[1] and abs(out[0]) <= 1
        if s["wins"][0] == s["wins"][1] and s["meter"][0] == s["meter"][1]:
            assert np.sign(out[0]) == np.sign(int(s["health"][0]) - int(s["health"][1]))


SCRIPTS = {
    "Low Punch": (32, 9, 0),
    "Medium Punch": (34, 10, 0),
    "High Kick": (60, 14, 0),
    "Medium Kick": (55, 13, 0),
    "crouch HK": (58, 7, 14, 0),
    "crouch MK": (54, 7, 13),
    "throw": (22, 15, 0),
    "Megapunch": (34, 5, 7, 6, 11, 0),
    "jump and kick": (60, 4, 4, 4, 4, 14, 0),
    "Fireball": (400, 7, 6, 5, 10, 0),
    "block": (400, 1),
    "block low, throw": (22, 8, 8, 15),
    "Hurricane": (40, 7, 8, 1, 12, 0),
    "overhead": (42, 16, 0, 0),
}
"""By name: pixels between the bodies to which the script walks up, and the inputs it repeats."""


@njit
def _scripted(rules, states, legal, probs, script, level, games, seed):
    """Matches that a script wins of ``games`` against a level, seats in turn."""
    s, won = states[0], 0
    for g in range(games):
        player = core.start(rules, s, core.derive_seed(seed, g), probs)
        me, k = g % 2, 0
        while player >= 0:
            if player == me:
                if abs(s.x[0] - s.x[1]) // 2 - 40 > script[0]:
                    action = 5
                else:
                    action = script[1 + k % (len(script) - 1)]
                    k += 1
                action = stage.relative(s.facing[me], action)
            else:
                action = rule(rules, s, legal, 18, level)
            player = core.play(rules, s, action, probs)
        won += s.wins[me] > s.wins[1 - me]
    return won


def scripted(name, level, games, seed):
    states = core.new_states(RULES_NOW)
    script = np.array(SCRIPTS[name])
    return _scripted(RULES_NOW, states, LEGAL, PROBS, script, level, games, np.uint64(seed))


def test_no_script_wins_against_the_upper_levels(seed):
    """The best wins a third of its matches: half of 200 or more with probability below 1e-6."""
    for name in SCRIPTS:
        for level in (6, 8):
            assert scripted(name, level, 200, seed) < 100, (name, level)


# --- what is measured and shown ------------------------------------------------------------------


def test_measures_of_a_match_by_hand():
    """Two High Kicks that touch, one that does not, an EX Hadouken that is blocked."""
    states = position(RULES_NOW)
    states["x"][0] = 300, 400
    actions: list[int] = []

    def give(red, blue=0):
        for action in (red, blue):
            actions.append(action)
            core.play_at(RULES_NOW, states, 0, action, LEGAL, PROBS)

    for red in (14, 0, 0, 0, 0, 0, 0, 0, 0, 0):
        give(red)
    results = np.zeros(len(metrics.RESULTS), np.int64)
    metrics.count_end(RULES_NOW, states[0], results)
    told = metrics.measures(results, 0)
    assert told == {"ahr": 1.0, "smhr": None, "hcr": None}
    assert states["health"][0].tolist() == [160, 134]
    results[metrics.RESULTS.index("health_0_0")] = 100
    results[metrics.RESULTS.index("frames_0")] = 1200
    assert metrics.measures(results, 0)["hcr"] == -3.0


def test_counts_agree_with_the_records(seed):
    policies = [make_policy(GAME, name) for name in ("rule:lv5", "rule:lv7")]
    seeds = np.array([seed], np.uint64)
    games = play_many(RULES_NOW, policies, seeds, np.array([[0, 1]]))
    counts, results = metrics.replay(RULES_NOW, seeds, games.actions, games.plies)
    named = dict(zip(metrics.RESULTS, results[0].tolist(), strict=True))
    assert counts[0, :, 0].sum() == games.plies[0]
    assert 0 < named["landed_0"] <= named["begun_0"] and named["begun_1"] > 0
    rounds = [k for k in range(3) if named[f"frames_{k}"]]
    assert len(rounds) in (2, 3)
    for k in rounds:
        assert 0 in (named[f"health_{k}_0"], named[f"health_{k}_1"]) or named[f"frames_{k}"] == 5940
    assert all(-200 < metrics.measures(results[0], seat)["hcr"] <= 0 for seat in (0, 1))


def test_pictures_show_boxes():
    states = position(RULES_NOW)
    quiet = render.picture(RULES_NOW, states[0])
    states["move"][0, 0], states["frame"][0, 0] = m.MK, m.STARTUP[m.MK]
    strike = render.picture(RULES_NOW, states[0])
    assert quiet.shape == strike.shape == (342, 640, 3) and (quiet != strike).any()


def test_replays_show_the_frames_of_a_contact():
    states = position(RULES_NOW)
    states["x"][0] = 300, 380
    for action in (10, 0):
        before = states.copy()
        core.play_at(RULES_NOW, states, 0, action, LEGAL, PROBS)
    found = replay.frames(RULES_NOW, before[0], states[0])
    assert len(found) == 6 and found[5][0] == "Frame 6 of 6: blue is hit"
    assert "Health 143" in found[5][1] and "Health 143" not in found[0][1]
    assert found[5][2]().shape[2] == 3
    assert replay.beside(RULES_NOW, states[0], 1) == "health 143, stun 7, meter 2"


if __name__ == "__main__":
    for name in SCRIPTS:
        won = [scripted(name, level, 100, 7) for level in range(1, LEVELS + 1)]
        print(f"| {name} | {' | '.join(map(str, won))} |")
