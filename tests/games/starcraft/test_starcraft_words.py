"""StarCraft in words: replies, prompts, reasons, clocks, metrics, pictures and players."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest
from games.starcraft.test_starcraft import ACTION, GAME, RULES, Table, random_action

from stratagym.agents.chat import Reply, ScriptedChat
from stratagym.agents.core import make_policy
from stratagym.agents.games.starcraft import RULES as PLAYERS
from stratagym.agents.games.starcraft import THRESHOLD, rule
from stratagym.agents.llm import LanguageModel
from stratagym.benchmarks.harness.match_play import SeatedMatch, play_match
from stratagym.benchmarks.harness.protocol import AnswerProtocol
from stratagym.envs import core
from stratagym.envs.plans import read_reply
from stratagym.envs.prompts import TextOptions
from stratagym.envs.starcraft import render, replay, view
from stratagym.envs.starcraft import tables as t
from stratagym.envs.starcraft.economy import add_unit, new_squad
from stratagym.envs.starcraft.metrics import COUNTS, game_counts, rates
from stratagym.envs.starcraft.orders import REASONS
from stratagym.envs.starcraft.simulation import refresh, run
from stratagym.envs.starcraft.state import AT_HOME, ATTACKING, RETREATING, UNIT_OF_STORE
from stratagym.envs.text import TextGame

REPLY = """Overview: all is quiet.
Decisions:
0: <TRAIN PROBE>
1. build_pylon
2) <Empty-Action>
- 3: <BUILD WARGATE>
4: `CHRONOBOOST NEXUS`
5: <TRAIN ZEALOT>
"""


def outcome(text, rules=RULES):
    return read_reply(GAME, rules, Table(rules).states, text, TextOptions())


# --- replies --------------------------------------------------------------------------------------


def test_a_reply_is_five_decisions():
    found = outcome(REPLY)
    assert found.kind == "ok" and found.action == ACTION["TRAIN PROBE"]
    assert found.moves == ("TRAIN PROBE", "build_pylon", "Empty-Action", "CHRONOBOOST NEXUS")
    assert found.rejected == (("BUILD WARGATE", "no_such_action"),)
    spread = outcome(REPLY, GAME.make_rules(plan="spread"))
    assert spread.moves[:4] == ("TRAIN PROBE", "EMPTY ACTION", "build_pylon", "EMPTY ACTION")


def test_the_last_block_counts():
    text = "Decisions:\n0: <TRAIN PROBE>\n\nI changed my mind.\n**Decisions:**\n0: BUILD PYLON"
    assert outcome(text).moves == ("BUILD PYLON",)


@pytest.mark.parametrize(
    ("text", "kind", "reason"),
    [
        ("attack", "unparseable", "no_decisions"),
        ("Decisions:", "unparseable", "no_decisions"),
        ("Decisions:\nTRAIN PROBE", "unparseable", "no_decisions"),
        ("Decisions:\n" + "0: noop\n" * 10_000, "unparseable", "too_many"),
        ("Decisions:\n0: <EXPAND TO NEW RESOURCE LOCATION>", "illegal", "no_such_action"),
    ],
)
def test_replies_that_name_nothing(text, kind, reason):
    found = outcome(text)
    assert (found.kind, found.reason) == (kind, reason)


def test_a_prompt_that_is_quoted_back_is_no_answer():
    game = TextGame("starcraft")
    game.reset(seed=1)
    text = "\n\n".join(message["content"] for message in game.observe().messages)
    assert outcome(text).kind != "ok"


def test_every_name_is_read_in_every_spelling():
    for action, word in enumerate(t.WORDS):
        for text in (word, word.lower(), word.replace(" ", "_"), f"<{word}>"):
            assert view.string_to_action(RULES, None, text) == action


def test_prompts_tell_both_halves_and_all_actions(rng):
    game = TextGame("starcraft")
    game.reset(seed=int(rng.integers(2**62)))
    for _ in range(int(rng.integers(100, 500))):
        legal = game.observe().legal
        game.play(int(rng.choice(legal)))
    text = game.observe().messages[0]["content"]
    for action, word in enumerate(t.WORDS):
        assert f"{action}: {word}" in text
    now = game.observe().messages[-1]["content"]
    for field in ("Game time", "Mineral", "Supply left", "Buildings", "Units", "Planning structure",
                  "Research", "Squads", "Enemy", "Your last decisions"):  # fmt: skip
        assert field in now


# --- why actions are not legal --------------------------------------------------------------------


def why(table, name):
    return view.why_illegal(RULES, table.s, ACTION[name])


def test_each_reason():
    table = Table()
    assert why(table, "BUILD PYLON") == "resources"
    assert why(table, "BUILD GATEWAY") == "requirement"
    assert why(table, "MULTI-ATTACK") == why(table, "SCOUTING ZEALOT") == "no_unit"
    table.play(ACTION["TRAIN PROBE"], 71)
    s = table.s
    s["minerals"] = s["gas"] = 5000 * UNIT_OF_STORE
    assert why(table, "TRAIN PROBE") == "busy"
    table.play(ACTION["CHRONOBOOST NEXUS"], 71)
    s["boost"][0] = 0
    assert why(table, "CHRONOBOOST NEXUS") == "energy"
    s["job"][0], s["probes"][0] = 0, 15
    assert why(table, "TRAIN PROBE") == "supply"
    s["built"][0, 0, t.PYLON], s["built"][0, 0, t.CORE] = 24, 1
    s["built"][0, 0, t.GATEWAY] = s["gates"][0] = 1
    assert why(table, "BUILD PYLON") == why(table, "BUILD CYBERNETICSCORE") == "limit"
    table.play(ACTION["SCOUTING PROBE"], 71)
    assert why(table, "SCOUTING PROBE") == "limit"
    table.play(ACTION["BUILD NEXUS"], 71)
    assert why(table, "BUILD NEXUS") == "no_place"
    s["built"][0, 0, t.ASSIMILATOR] = 2
    assert why(table, "BUILD ASSIMILATOR") == "no_place"
    s["probes"][0] = 1
    assert why(table, "BUILD GATEWAY") == "no_unit"
    assert {*REASONS[1:]} == {
        "resources", "supply", "requirement", "busy", "limit", "energy", "no_unit", "no_place",
    }  # fmt: skip


# --- squads and scouts ----------------------------------------------------------------------------


def with_army(*units):
    table = Table()
    new_squad(table.s, 0, 0, 0, AT_HOME)
    for unit in units:
        add_unit(table.s, 0, 0, unit)
    refresh(table.s)
    return table


def test_an_army_walks_54_seconds_from_main_to_main_and_turns_round():
    table = with_army(*[t.ZEALOT] * 3)
    table.play(ACTION["MULTI-ATTACK"], 71)
    s = table.s
    assert s["order"][0, 0] == ATTACKING and s["goal"][0, 0] == 8
    while s["region"][0, 0] != 8:
        table.play(71, 71)
    assert 53 <= table.seconds() <= 58
    table = with_army(*[t.STALKER] * 3)
    table.play(ACTION["MULTI-ATTACK"], 71)
    s = table.s
    table.play(71, 71)
    gone = int(s["gone"][0, 0])
    table.play(ACTION["MULTI-RETREAT"], 71)
    assert s["order"][0, 0] == RETREATING and s["next"][0, 0] == 0
    assert int(s["left"][0, 0]) == gone - 45
    for _ in range(3):
        table.play(71, 71)
    assert s["order"][0, 0] == AT_HOME and s["region"][0, 0] == 0


def test_flyers_go_straight():
    table = with_army(*[t.VOID_RAY] * 2)
    table.play(ACTION["MULTI-ATTACK"], 71)
    assert table.s["next"][0, 0] == 8
    ticks = int(table.s["left"][0, 0] + table.s["gone"][0, 0])
    assert ticks == np.ceil(t.STRAIGHT[0, 8] * 16 / 2.75)


def test_an_army_wins_against_who_does_nothing():
    table = with_army(*[t.ZEALOT] * 12)
    table.play(ACTION["MULTI-ATTACK"], 71)
    while core.current_player_at(RULES, table.states, 0) >= 0:
        table.play(71, 71)
    assert table.s["winner"] == 0 and table.seconds() < 300


def test_a_scout_sees_the_enemy_and_comes_home():
    table = Table()
    table.play(ACTION["SCOUTING PROBE"], 71)
    s = table.s
    assert s["probes"][0] == 11
    while s["leg"][0, 0]:
        table.play(71, 71)
    assert s["probes"][0] == 12 and s["seen"][0, 8, 19 + t.NEXUS] == 1
    assert s["seen"][0, 8, t.PROBE] == 12 and 0 < s["seen_at"][0, 8] < s["tick"]
    # And one beside an army dies.
    table = Table()
    new_squad(table.s, 1, 0, 8, AT_HOME)
    add_unit(table.s, 1, 0, t.STALKER)
    refresh(table.s)
    table.play(ACTION["SCOUTING PROBE"], 71)
    while table.s["leg"][0, 0]:
        table.play(71, 71)
    assert table.s["probes"][0] == 11 and table.s["seen"][0, 8, t.STALKER] == 1


def test_a_gateway_becomes_a_warp_gate():
    table = Table()
    s = table.s
    s["minerals"][0], s["built"][0, 0, [t.PYLON, t.GATEWAY]] = 10**6, 1
    s["gates"][0], s["research"][0, 0] = 1, 2
    refresh(s)
    for _ in range(4):
        table.play(71, 71)
    assert s["warp"][0, 0] == 1 and s["built"][0, 0, t.WARP_GATE] == 1
    table.play(ACTION["TRAIN ZEALOT"], 71)
    table.play(71, 71)
    assert s["count"][0, 0, t.ZEALOT] == 1 and s["job"][0, 4] != 0  # stands; the gate is not ready
    for _ in range(8):
        table.play(71, 71)
    assert s["job"][0, 4] == 0


def test_a_boost_is_half_as_fast_again():
    slow, fast = Table(), Table()
    for table in (slow, fast):
        table.play(ACTION["TRAIN PROBE"], 71)
    fast.play(ACTION["CHRONOBOOST NEXUS"], 71)
    slow.play(71, 71)
    assert slow.s["job_left"][0, 0] == 2 * (272 - 90)
    assert fast.s["job_left"][0, 0] == 2 * (272 - 45) - 3 * 45
    assert fast.s["energy"][0, 0] == 9 * 90


# --- clocks ---------------------------------------------------------------------------------------


class Kept(list):
    def __call__(self, record):
        self.append(record)


def played(clock, tokens, latency_s=0.0, seconds=60, ticks=45):
    """The actions of a model in seat 0 that answers five moves, and what is recorded."""
    text = "Decisions:\n" + "\n".join(f"{k}: <SCOUTING PROBE>" for k in range(5))
    chat = ScriptedChat(lambda _: Reply(text, "stop", 5, tokens, latency_s, 0))
    rules = GAME.make_rules(minutes=1, decision_ticks=ticks)
    protocol = AnswerProtocol(TextOptions(), 1, "random", clock=clock)
    protocol.check(GAME, rules)
    seats = [LanguageModel(chat), make_policy(GAME, "random")]
    match = SeatedMatch.of("tiny", "one", GAME, rules, {}, 3, seats)
    return asyncio.run(play_match(match, protocol))


@pytest.mark.parametrize("tokens", [0, 99, 101, 300, 777])
@pytest.mark.parametrize("ticks", [45, 112])
def test_what_a_reply_takes_passes_as_idle_decisions(tokens, ticks):
    """``int(seconds / decision_seconds)`` of them before the first action, at every reply."""
    lasts = ticks / 22.4
    for clock, latency in (("sync", 9.0), ("tokens:50", 0.0), ("wall", tokens / 50)):
        record = played(clock, tokens, latency, ticks=ticks)
        idle = 0 if clock == "sync" else int(tokens / 50 / lasts)
        own = record["actions"][::2]
        assert own[: idle + 1] == [71] * idle + [ACTION["SCOUTING PROBE"]]
        assert record["clock"] == clock
        # Later ones are refused while the scout is out, and play nothing.
        assert set(own[idle + 1 :]) <= {71, ACTION["SCOUTING PROBE"]}
        assert all(entry[3] in ("limit", "no_unit") for entry in record["rejected"])
        asked = [k for k in range(len(own)) if k % (idle + 5) == idle]
        assert len(record["rejected"]) >= 5 * len(asked) - 10
        again = played(clock, tokens, latency, ticks=ticks)
        assert again["actions"] == record["actions"]


# --- metrics, pictures, players -------------------------------------------------------------------


def test_metrics_by_hand():
    """Four decisions of seat 0: a Probe, nothing, a Pylon, nothing."""
    rules = GAME.make_rules(minutes=1)
    actions = [0, 71, 71, 71, 71, 71, 71, 71, 71, 71, 71, 71, 71, 71, 19, 71, 71, 71]
    table = Table(rules)
    table.play(*actions)
    seeds, plies = np.zeros(1, np.uint64), np.array([len(actions)])
    counts = game_counts(rules, seeds, np.array([actions]), plies)[0, 0]
    c = dict(zip(COUNTS, counts.tolist(), strict=True))
    assert (c["decisions"], c["executed"], c["ticks"]) == (9, 2, 405)
    assert c["spent"] == 150 and c["cap"] == 135 and c["used"] == 12 + 8 * 13
    s = table.s
    assert c["mined"] == pytest.approx(int(s["mined"][0, 0]) / UNIT_OF_STORE)
    # 12 Probes for 272 ticks, then 13; one of them away for the last 90 ticks.
    mined = 58 * (12 * 272 + 13 * (405 - 272) - 90)
    assert s["mined"][0, 0] == 50 * UNIT_OF_STORE + mined
    found = rates(counts, refused=2, unreadable=1)
    assert found["RPM"] == pytest.approx(mined / UNIT_OF_STORE / (405 / 1344))
    assert found["EER"] == pytest.approx(150 / c["mined"])
    assert found["SUR"] == pytest.approx((12 + 8 * 13) / 135)
    assert found["TCR"] == pytest.approx(1 / 41)
    assert found["EPM"] == pytest.approx(2 / (405 / 1344))
    assert found["APM"] == pytest.approx(4 / (405 / 1344))
    assert found["GA"] == pytest.approx(2 / 9)


def test_a_picture_shows_a_seat_no_more_than_it_knows(rng):
    table = Table(seed=int(rng.integers(2**62)))
    for _ in range(400):
        table.play(random_action(table, rng))
    whole = render.picture(RULES, table.s)
    assert whole.shape[2] == 3 and whole.dtype == np.uint8
    assert not np.array_equal(whole, render.picture(RULES, table.s, seat=0))


def test_a_replay_shows_fights_step_by_step():
    table = with_army(*[t.ZEALOT] * 6)
    new_squad(table.s, 1, 0, 0, ATTACKING)
    for _ in range(6):
        add_unit(table.s, 1, 0, t.ZEALOT)
    refresh(table.s)
    before = table.states.copy()
    table.play(71, 71)
    before["seat"] = 1
    shown = replay.frames(RULES, before[0], table.s)
    assert len(shown) == 7 and "fight in own main" in shown[2][0]
    assert shown[-1][2]().shape[2] == 3
    assert replay.frames(RULES, table.s, table.s) == []


def test_players_of_one_kind_and_the_same_draws_draw():
    for which in (PLAYERS["lv5"], PLAYERS["lv5-rush"], PLAYERS["lv3-air"] + 12 * THRESHOLD):
        table = Table(seed=which)
        table.states["salt"][:, 1] = table.states["salt"][:, 0]
        player = 0
        while player >= 0:
            n = core.legal_actions_at(RULES, table.states, 0, table.legal)
            action = rule(RULES, table.s, table.legal, n, which)
            player, _ = core.play_at(RULES, table.states, 0, action, table.legal, table.probs)
        assert table.s["winner"] not in (0, 1)


def test_players_play_legal_actions(rng):
    names = sorted(PLAYERS)
    for name in rng.choice(names, 6, replace=False):
        table = Table(seed=int(rng.integers(2**62)))
        while core.current_player_at(RULES, table.states, 0) >= 0 and table.s["tick"] < 20_000:
            n = core.legal_actions_at(RULES, table.states, 0, table.legal)
            table.play(int(rule(RULES, table.s, table.legal, n, PLAYERS[str(name)])))


@pytest.mark.parametrize("win", ["all", "bases", "structures"])
def test_what_a_seat_loses_without(win):
    rules = GAME.make_rules(win=win)
    table = Table(rules)
    s = table.s
    s["built"][1, 0, t.NEXUS], s["built"][1, 0, t.PYLON] = 0, 1
    refresh(s)
    table.play(71, 71)
    assert (s["winner"] == 0) == (win != "structures")
    table = Table(rules)
    s = table.s
    s["built"][:, 0, t.NEXUS] = 0
    run(rules, s, 1, False)
    assert s["winner"] == 2


def test_options_change_the_length_of_a_decision():
    assert GAME.decision_seconds_of(RULES) == 45 / 22.4
    rules = GAME.make_rules(decision_ticks=112)
    assert GAME.decision_seconds_of(rules) == 5.0 and rules.max_game_length == 720
