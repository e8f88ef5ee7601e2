"""DIAMBRA's arena as ``street_fighter``, against our own fighter in its place."""

from __future__ import annotations

import subprocess
import sys
from types import SimpleNamespace

import diambra_stand_in as stand_in
import numpy as np
import pytest
from diambra_stand_in import Cabinet
from pettingzoo.test import parallel_api_test

from stratagym.agents.chat import ScriptedChat, TransportError
from stratagym.agents.core import make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.envs import spec
from stratagym.wrappers import diambra
from stratagym.wrappers.diambra import DiambraEnv, DiambraError, Setting, main, play
from stratagym.wrappers.diambra_record import Recorder, by_colour, numbers
from stratagym.wrappers.real_time import Queued

GAME = spec("street_fighter")


@pytest.fixture
def cabinet() -> Cabinet:
    return Cabinet()


@pytest.fixture
def arena(monkeypatch, cabinet):
    """The package in the place of the real one."""
    return install(monkeypatch, stand_in.arena(cabinet))


def install(monkeypatch, arena):
    package = SimpleNamespace(arena=arena)
    monkeypatch.setitem(sys.modules, "diambra", package)
    monkeypatch.setitem(sys.modules, "diambra.arena", arena)
    return arena


def scripted(*names):
    return {f"agent_{k}": make_policy(GAME, name) for k, name in enumerate(names)}


@pytest.mark.parametrize("players", [1, 2])
def test_pettingzoo_accepts_it(arena, players):
    parallel_api_test(DiambraEnv(Setting(players, rounds=1)), num_cycles=80)


def test_what_is_asked_of_the_arena(arena):
    env = DiambraEnv(Setting(2, difficulty=6, frames=4, outfits=(2, 5)))
    env.reset(seed=3)
    (made,) = arena.made
    asked = vars(made.settings)
    assert asked["action_space"] == (1, 1) and asked["role"] == (2, 3)
    assert asked["characters"] == ("Ken", "Ken") and asked["super_art"] == (3, 3)
    assert (asked["step_ratio"], asked["difficulty"], asked["outfits"]) == (4, 6, (2, 5))
    env.reset(seed=4)
    assert len(arena.made) == 1
    env.close()
    assert made.closed == 1
    one = DiambraEnv(Setting(1))
    one.reset()
    asked = vars(arena.made[1].settings)
    assert (asked["action_space"], asked["role"], asked["characters"]) == (1, 2, "Ken")


def test_the_record_is_the_position_where_the_engine_is_our_own(cabinet, arena):
    """Nothing that is told and nothing that is reckoned differs, round after round."""
    env = DiambraEnv(Setting())
    env.reset(seed=1)
    policies = {agent: Queued(one) for agent, one in scripted("rule:lv7", "rule:lv4").items()}
    decisions, elsewhere = 0, {"rng"}
    while env.agents:
        given = {
            agent: policies[agent].act(env.decision(agent, 2 * decisions + k))
            for k, agent in enumerate(env.agents)
        }
        env.step(given)
        decisions += 1
        ours, theirs = env.recorder.states[0], cabinet.states[0]
        for name in theirs.dtype.names:
            if not env.agents or name in elsewhere:
                continue
            assert np.array_equal(ours[name], theirs[name]), (decisions, name)
    assert decisions > 100
    assert env.recorder.states[0]["wins"].tolist() == cabinet.states[0]["wins"].tolist()
    assert env.recorder.states[0]["rounds_health"].tolist() == (
        cabinet.states[0]["rounds_health"].tolist()
    )


def test_the_same_policies_play_there(arena):
    env = DiambraEnv(Setting())
    won = [play(env, scripted("rule:lv8", "rule:lv1"), seed) for seed in range(3)]
    assert won == [{"agent_0": 1.0, "agent_1": -1.0}] * 3
    told = env.measures("agent_0")
    assert set(told) == {"AHR", "SMHR", "HCR"} and 0 < told["AHR"] <= 1
    assert env.render().shape == (224, 384, 3)


def test_one_plays_against_the_engine(arena, cabinet):
    env = DiambraEnv(Setting(1, rewards="health"))
    assert play(env, scripted("rule:lv6"), 2) == {"agent_0": pytest.approx(2.0)}
    assert cabinet.states[0]["wins"].tolist() == [2, 0]


def test_what_was_told_stands_in_the_infos(arena):
    env = DiambraEnv(Setting())
    _, infos = env.reset()
    told = infos["agent_1"]["diambra"]
    assert told["timer"] == 99 and told["P2"]["side"] == 1 and told["P1"]["health"] == 160


# --- what was told goes over what was reckoned ---------------------------------------------------


def told_with(cabinet, **changed):
    told = cabinet.told()
    told["frame"] = cabinet.frame()
    for key, value in changed.items():
        player, _, name = key.partition("_")
        told[player][name] = value
    return told


def test_hits_that_were_not_reckoned(cabinet):
    recorder = Recorder(cabinet.rules)
    recorder.begin(told_with(cabinet))
    recorder.follow(told_with(cabinet, P2_health=143), (10, 0), 17.0, (False, False))
    s = recorder.states[0]
    assert s["health"].tolist() == [160, 143] and s["lost"].tolist() == [0, 17]
    assert s["landed"].tolist() == [1, 0] and s["events"][1, 0] == 1
    assert recorder.measures(0)["AHR"] == 1.0


def test_sides_dizziness_and_meter(cabinet):
    recorder = Recorder(cabinet.rules)
    recorder.begin(told_with(cabinet))
    crossed = told_with(
        cabinet, P1_side=1, P2_side=0, P2_stunned=1, P1_super_count=2, P1_super_bar=13
    )
    recorder.follow(crossed, (0, 0), 0.0, (False, False))
    s = recorder.states[0]
    assert s["x"].tolist() == [544, 224] and s["side"] == 1 and s["facing"][0] == -1
    assert s["stance"][1] == 9 and s["left"][1] == 120 and s["meter"][0] == 173
    recorder.follow(told_with(cabinet, P1_side=1, P2_side=0), (0, 0), 0.0, (False, False))
    assert recorder.states[0]["stance"][1] == 0


@pytest.mark.parametrize(
    ("wins", "ahead", "won"),
    [((1, 0), -9.0, [1, 0]), ((0, 0), -200.0, [0, 1]), ((0, 0), 0.0, [1, 1])],
)
def test_who_won_a_round(cabinet, wins, ahead, won):
    """By what is told; else by health, where the engine has begun the next round already."""
    recorder = Recorder(cabinet.rules)
    recorder.begin(told_with(cabinet))
    told = told_with(cabinet, P1_wins=wins[0], P2_wins=wins[1])
    recorder.follow(told, (0, 0), ahead, (True, False))
    s = recorder.states[0]
    assert s["wins"].tolist() == won and s["round"] == 1 and not s["over"]
    assert s["health"].tolist() == [160, 160] and s["clock"] == 0


def test_where_they_stand_by_the_picture(cabinet):
    locate = by_colour(stand_in.COLOURS)
    assert locate(cabinet.frame()) == [112.0, 272.0]
    assert locate(np.zeros((224, 384, 3), np.uint8)) == [None, None]
    recorder = Recorder(cabinet.rules, locate)
    cabinet.states[0]["x"] = 300, 420
    recorder.begin(told_with(cabinet))
    assert recorder.states[0]["x"].tolist() == [300, 420]


def test_values_of_any_form(cabinet):
    plain = cabinet.told()
    assert numbers({**plain, "timer": np.array([99])}) == plain
    del plain["P2"]["stunned"]
    with pytest.raises(KeyError, match="stunned"):
        numbers(plain)


# --- replies of several moves --------------------------------------------------------------------


def test_a_reply_is_played_move_by_move(arena):
    chat = ScriptedChat(["- Fireball\n- nonsense\n- Low Punch", "- Move Away"])
    env = DiambraEnv(Setting())
    env.reset()
    queue = Queued(LanguageModel(chat))
    given = []
    for k in range(11):
        action = queue.act(env.decision("agent_1", k))
        given.append(action)
        env.step({"agent_0": 0, "agent_1": action})
    # who stands on the right gives the mirrored inputs
    assert given == [7, 8, 1, 10, 0, 9, 0, 5, 5, 5, 5] and len(chat.asked) == 2


# --- bad input -----------------------------------------------------------------------------------


def one_line(error) -> str:
    assert "\n" not in str(error.value)
    return str(error.value)


def test_no_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "diambra", None)
    with pytest.raises(DiambraError, match=r"not installed: pip install 'stratagym\[diambra\]'"):
        DiambraEnv().reset()


def test_no_engine(monkeypatch, cabinet):
    def make(*given, **more):
        raise Exception("failed to connect\nsee the docs") from TimeoutError("after 1 s")

    package = stand_in.arena(cabinet)
    package.make = make
    install(monkeypatch, package)
    monkeypatch.setenv("DIAMBRA_ENVS", "127.0.0.1:9 127.0.0.1:10")
    with pytest.raises(DiambraError) as error:
        DiambraEnv().reset()
    told = one_line(error)
    assert "answers on 127.0.0.1:9: after 1 s; start one" in told


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"inputs": 16}, r"inputs are Discrete\(16\)"),
        ({"tell": {"side", "wins", "health"}}, "does not tell P1.character, P1.super_bar"),
    ],
)
def test_another_game(monkeypatch, cabinet, more, told):
    package = install(monkeypatch, stand_in.arena(cabinet, **more))
    with pytest.raises(DiambraError, match=told) as error:
        DiambraEnv().reset()
    assert "another game" in one_line(error) and package.made[0].closed == 1


def test_an_engine_that_dies(arena):
    env = DiambraEnv()
    env.reset()

    class Gone(Exception):
        def details(self):
            return "Socket closed\nby peer"

    def step(action):
        raise Gone

    arena.made[0].step = step
    with pytest.raises(DiambraError, match="engine is gone: Socket closed by peer") as error:
        env.step({"agent_0": 0, "agent_1": 0})
    one_line(error)
    assert not env.agents
    env.close()
    env.reset()
    assert len(arena.made) == 2


def test_inputs_and_settings_that_are_none(arena):
    env = DiambraEnv()
    env.reset()
    with pytest.raises(ValueError, match="agent_1 may not do 18"):
        env.step({"agent_0": 0, "agent_1": 18})
    with pytest.raises(ValueError, match="players is 1 or 2, not 3"):
        Setting(3)
    with pytest.raises(ValueError, match="difficulty is 1 to 8, not 9"):
        Setting(difficulty=9)
    with pytest.raises(ValueError, match="rounds"):
        DiambraEnv(Setting(rounds=2))


def test_the_command(arena, capsys):
    main(["--policies", "rule:lv8,rule:lv1", "--rounds", "1", "--games", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4 and lines[0].startswith("match 1: agent_0 (rule:lv8) +1; AHR ")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (["--policies", "rule:lv9"], "lv9"),
        (["--difficulty", "0"], "difficulty is 1 to 8"),
        (["--policies", "random,random,random"], "players is 1 or 2"),
    ],
)
def test_bad_options(arena, capsys, given, told):
    with pytest.raises(SystemExit) as end:
        main(given)
    assert end.value.code == 2
    error = capsys.readouterr().err
    assert told in error and error.count("\n") == 1


def test_a_model_that_cannot_be_reached(arena, capsys, monkeypatch):
    model = LanguageModel(ScriptedChat([TransportError("timeout")]))
    monkeypatch.setattr(diambra, "make_policy", lambda *_: model)
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == 3
    assert "the model cannot be reached: timeout" in capsys.readouterr().err


def test_what_the_package_refuses(arena):
    env = DiambraEnv()
    env.reset()

    def reset(**given):
        raise AssertionError("ERROR: outfits[0]")

    arena.made[0].reset = reset
    with pytest.raises(DiambraError, match="diambra-arena refuses: ERROR: outfits"):
        env.reset()


def test_the_module_needs_no_package():
    code = """
import sys
sys.modules["diambra"] = None
from stratagym.wrappers.diambra import main
main([])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "diambra-arena is not installed" in done.stderr
    assert diambra.INSTALL in done.stderr
