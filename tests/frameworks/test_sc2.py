"""StarCraft II by burnysc2 and Blizzard's protocol, against a small world in the game's place."""

import os
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("sc2", reason="pip install 'stratagym[sc2]'")

from pettingzoo.test import parallel_api_test
from s2clientprotocol import raw_pb2
from s2clientprotocol import sc2api_pb2 as api
from sc2.ids.unit_typeid import UnitTypeId
from sc2.ids.upgrade_id import UpgradeId
from sc2_stand_in import Running, Server
from sc2_world import BOOST, ENEMY, ORDERS, PLACES, World, result

from stratagym.agents.chat import ScriptedChat
from stratagym.agents.core import make_policy
from stratagym.agents.llm import LanguageModel
from stratagym.envs import spec
from stratagym.envs.starcraft import tables as t
from stratagym.envs.starcraft import view
from stratagym.envs.starcraft.state import UNIT_OF_STORE
from stratagym.wrappers import programs, sc2_game
from stratagym.wrappers.real_time import Queued
from stratagym.wrappers.sc2 import AGENT, Sc2Env, Sc2Error, Setting, main, play
from stratagym.wrappers.sc2_bot import ACTIONS_OF

GAME = spec("starcraft")
STAND_IN = Path(__file__).parents[1] / "sc2_stand_in.py"


@pytest.fixture
def running():
    with Running() as running:
        yield running


@pytest.fixture
def env(running):
    env = Sc2Env(Setting(address=running.address, seconds=20))
    env.reset(seed=1)
    env.world = running.server.worlds[-1]
    yield env
    env.close()


def step(env, action=t.EMPTY, times=1):
    for _ in range(times):
        found = env.step({AGENT: action})
    return found


def one_line(error) -> str:
    assert "\n" not in str(error.value)
    return str(error.value)


# --- games ---------------------------------------------------------------------------------------


def test_a_policy_plays_to_the_end_and_again(running):
    env = Sc2Env(Setting(address=running.address, difficulty="Hard", build="Rush"))
    try:
        for seed in (3, 4):
            told = play(env, make_policy(GAME, "rule:lv5"), seed)
            assert told["reward"] == 1.0 and told["ticks"] < 20_000
            assert 0 < told["EER"] <= 1 and told["RPM"] > 500 and told["GA"] == 1.0
            assert not env.refused and not env.recorder.left_out
            world = running.server.worlds[-1]
            assert not world.refused
            minerals = round(sum(world.collected) + 50)
            assert told["RPM"] == pytest.approx((minerals - 50) / told["ticks"] * 1344, rel=0.05)
    finally:
        env.close()
    asked = running.server.settings
    assert asked.local_map.map_path == "Ancient Cistern LE.SC2Map" and not asked.realtime
    assert asked.random_seed == 5
    player, computer = asked.player_setup
    assert player.type == api.Participant
    assert (computer.type, computer.race) == (api.Computer, 3)
    assert (computer.difficulty, computer.ai_build) == (api.Hard, api.Rush)
    assert running.server.asked.count("leave_game") == 2
    assert "quit" not in running.server.asked  # we did not start it


def test_pettingzoo_accepts_it(running):
    env = Sc2Env(Setting(address=running.address, minutes=2))
    parallel_api_test(env, num_cycles=80)
    env.close()


def test_a_game_is_cut_after_its_minutes(running):
    env = Sc2Env(Setting(address=running.address, minutes=1))
    env.reset()
    while env.agents:
        _, rewards, ends, cuts, _ = step(env)
    assert (rewards[AGENT], ends[AGENT], cuts[AGENT]) == (0.0, False, True)
    assert env.recorder.states[0]["tick"] == 1350
    env.close()


def test_a_defeat(env):
    env.world.outcome = None
    for one in env.world.own("NEXUS"):
        del env.world.units[one.tag]
    while env.agents:
        _, rewards, ends, _, _ = step(env)
    assert rewards[AGENT] == -1.0 and ends[AGENT] and env.recorder.states[0]["winner"] == 1


def test_a_reply_is_played_line_by_line(env):
    text = "Decisions:\n0: <TRAIN PROBE>\n1: <TRAIN CARRIER>\n2: <EMPTY ACTION>\n"

    queue = Queued(LanguageModel(ScriptedChat([text])))
    given = []
    for k in range(3):
        given.append(queue.act(env.decision(k)))
        step(env, given[-1])
    assert given == [t.PROBE, t.EMPTY, t.EMPTY] and queue.rejected == 1
    assert env.measures(queue.rejected)["GA"] == 0.5


# --- the record ----------------------------------------------------------------------------------


def test_the_start_is_that_of_the_game(env):
    s = env.recorder.states[0]
    assert s["probes"][0] == 12 and s["minerals"][0] == 50 * UNIT_OF_STORE
    assert s["built"][0, 0, t.NEXUS] == 1 and s["energy"][0, 0] == 50 * 256
    assert s["patches"][0, 0] == 10_800 * UNIT_OF_STORE
    assert env.choices().tolist() == [t.PROBE, t.SCOUT_PROBE, t.EMPTY]
    assert np.abs(env.recorder.places - PLACES).max() <= 1.5
    told = view.position_text(env.rules, s, 0, "lines")
    assert "12 Probes" in told and "own main: Nexus with 50.00 energy" in told


def test_what_is_built_trained_and_researched(env):
    world = env.world
    world.minerals = world.gas = 1000
    x, y = PLACES[0]
    for name, dx, dy in (("PYLON", 6, 6), ("GATEWAY", 10, 6), ("CYBERNETICSCORE", 10, 10)):
        world.add(UnitTypeId[name].value, x + dx, y + dy)
    world.add(UnitTypeId.PHOTONCANNON.value, PLACES[1][0] + 3, PLACES[1][1])
    step(env)
    for action in (t.STALKER, t.FIRST_RESEARCH + t.WARP_GATE_RESEARCH, t.BOOST_CORE, t.PROBE):
        step(env, action)
    step(env, t.FIRST_STRUCTURE + t.FORGE)
    step(env)
    s = env.recorder.states[0]
    assert s["built"][0, 0, [t.PYLON, t.GATEWAY, t.CORE]].tolist() == [1, 1, 1]
    assert s["built"][0, 1, t.CANNON] == 1 and s["pool"][0, 1, 0] == 300
    assert s["job"][0, [0, 4, 24]].tolist() == [t.PROBE + 1, t.STALKER + 1, 35]
    assert s["research"][0, t.WARP_GATE_RESEARCH] == 1
    assert s["boost"][0, 24] - s["tick"] == 448 - 4 * 45
    assert s["site"][0, 0] == t.FORGE + 1
    assert s["spent"][0].tolist() == world.spent
    line = env.decision(1).legal.tolist()
    assert t.FIRST_STRUCTURE + t.FORGE in line and t.BOOST_CORE not in line
    world.upgrades.add(UpgradeId.WARPGATERESEARCH.value)
    for _ in range(60):
        step(env)
    s = env.recorder.states[0]
    assert s["research"][0, 0] == 2 and s["warp"][0, 0] == 1 and s["gates"][0] == 1
    step(env, t.ZEALOT)
    assert ("WARPGATETRAIN_ZEALOT", "WARPGATE") in world.given
    assert env.recorder.states[0]["job"][0, 4] == t.ZEALOT + 1
    step(env, times=4)
    s = env.recorder.states[0]
    assert s["count"][0, 0, [t.ZEALOT, t.STALKER]].tolist() == [1, 1]


def raise_one(world, kind):
    """A structure where it has its place."""
    x, y = PLACES[0]
    if kind not in (t.NEXUS, t.ASSIMILATOR):
        type_id = UnitTypeId[t.STRUCTURE[kind].name].value
        world.add(type_id, x + 14 + 4 * (kind % 4), y - 6 + 4 * (kind // 4))


def rich(running, level):
    """A game with everything that stands, stores for all of it, and upgrades up to a level."""
    env = Sc2Env(Setting(address=running.address))
    env.reset(seed=1)
    env.world = world = running.server.worlds[-1]
    world.minerals = world.gas = 90_000
    x, y = PLACES[0]
    for kind in range(t.STRUCTURES):
        raise_one(world, kind)
    for k in range(18):
        world.add(UnitTypeId.PYLON.value, x + 40 + 4 * (k % 3), y - 16 + 7 * (k // 3))
    for k, unit in enumerate(t.UNIT):
        if unit.name not in ("PROBE", "MOTHERSHIP"):
            for j in range(2):
                world.add(UnitTypeId[unit.name].value, x + k, y + 8 + j, energy=60)
    next(one for one in world.units.values() if one.alliance == ENEMY).health = 1e6
    levels = tuple(f"LEVEL{k + 1}" for k in range(level))
    world.upgrades = {UpgradeId[one.name].value for one in t.RESEARCH if one.name.endswith(levels)}
    step(env)
    return env


WORKS = {
    t.NEXUS: t.PROBE, t.STARGATE: t.VOID_RAY, t.CORE: t.FIRST_RESEARCH,
    t.TWILIGHT: t.FIRST_RESEARCH + t.CHARGE, t.FORGE: t.FIRST_RESEARCH + t.SHIELDS,
}  # fmt: skip
"""An order of each structure that can be boosted."""


def prepare(env, action):
    """Take away what stands in the way of an action."""
    world, ids = env.world, {one: ability for ability, one in ORDERS.items()}
    for one in world.own(ready=False):
        if one.unit_type == UnitTypeId.NEXUS.value:
            one.energy = 200
        if one.unit_type != UnitTypeId.PROBE.value:
            del one.orders[:]
    for kind, built in enumerate(t.STRUCTURE):
        if built.most == 1:
            for one in world.own(built.name, ready=False):
                del world.units[one.tag]
            if action != t.FIRST_STRUCTURE + kind:
                raise_one(world, kind)
    if t.BOOST_NEXUS <= action < t.EMPTY:
        kind = t.BOOSTED[action - t.BOOST_NEXUS]
        for one in world.own(t.STRUCTURE[kind].name):
            one.orders.add(ability_id=ids[WORKS[kind]])
    step(env)


@pytest.mark.parametrize("level", [0, 1, 2])
def test_every_action_is_an_order_that_the_game_takes(running, level):
    """Each of the 72 actions, in a world that has all that it needs."""
    names = {action: name for name, action in ACTIONS_OF.items()} | {
        **{t.SCOUT_PROBE + k: "MOVE_MOVE" for k in range(4)},
        **{t.BOOST_NEXUS + k: "EFFECT_CHRONOBOOSTENERGYCOST" for k in range(5)},
        t.MULTI_ATTACK: "ATTACK", t.MULTI_RETREAT: "MOVE_MOVE", t.MORPH_ARCHON: "MORPH_ARCHON",
    }  # fmt: skip
    env = rich(running, level)
    # Armies last, and what takes units away.
    late = (t.MORPH_ARCHON, t.MULTI_ATTACK, t.MULTI_RETREAT)
    for action in (*(one for one in range(t.EMPTY) if one not in late), *late):
        research = action - t.FIRST_RESEARCH
        if 0 <= research < t.RESEARCHES and "LEVEL" in t.RESEARCH[research].name:
            if not t.RESEARCH[research].name.endswith(str(level + 1)):
                continue
        elif level:
            continue
        if action != t.MULTI_RETREAT:
            prepare(env, action)
        assert action in env.choices(), t.WORDS[action]
        before = len(env.world.given)
        step(env, action)
        assert names[action] in [name for name, _ in env.world.given[before:]], t.WORDS[action]
    assert not env.world.refused and not env.refused
    env.close()


def test_orders_of_the_army(env):
    world = env.world
    x, y = PLACES[0]
    for k in range(4):
        world.add(UnitTypeId.STALKER.value, x + k, y + 8)
    step(env)
    s = env.recorder.states[0]
    assert s["order"][0, 0] == 1 and s["count"][0, 0, t.STALKER] == 4
    next(one for one in world.units.values() if one.alliance == ENEMY).health = 1e6
    step(env, t.MULTI_ATTACK)
    assert ("ATTACK", "STALKER") in world.given
    s = env.recorder.states[0]
    assert s["order"][0, 0] == 2 and s["goal"][0, 0] == 8
    step(env, times=30)
    assert world.own("STALKER")[0].pos.x > 50
    step(env, t.MULTI_RETREAT)
    assert env.recorder.states[0]["order"][0, 0] == 3
    step(env, times=40)
    s = env.recorder.states[0]
    assert s["order"][0, 0] == 1 and s["region"][0, 0] == 0
    raider = world.add(UnitTypeId.ZEALOT.value, x + 12, y, ENEMY)
    before = len(world.given)
    step(env, times=2)
    assert ("ATTACK", "STALKER") in world.given[before:]
    s = env.recorder.states[0]
    assert s["seen"][0, 0, t.ZEALOT] == 1 and s["known"][0, t.ZEALOT] == 1
    while raider.tag in world.units:
        step(env)
    step(env)
    assert env.recorder.states[0]["known"][0, t.ZEALOT] == 0


def test_a_scout_sees_and_comes_home(env):
    step(env, t.SCOUT_PROBE)
    s = env.recorder.states[0]
    assert s["leg"][0, 0] == 1 and s["probes"][0] == 11 and s["leg_left"][0, 0] > 0
    for _ in range(400):
        step(env)
        if not env.recorder.scouts:
            break
    s = env.recorder.states[0]
    assert s["leg"][0, 0] == 0 and s["probes"][0] == 12
    assert s["seen"][0, 8, t.UNITS + t.NEXUS] == 1 and 0 < s["seen_at"][0, 8] < s["tick"]
    assert s["seen_at"][0, 5] == -1
    assert "enemy main, seen at" in view.position_text(env.rules, s, 0, "lines")


def test_what_the_record_cannot_hold_is_counted(env):
    world = env.world
    world.add(UnitTypeId.PYLON.value, *PLACES[4])
    world.add(UnitTypeId.NEXUS.value, PLACES[4][0] + 8, PLACES[4][1])
    for k in range(3):
        world.add(UnitTypeId.FORGE.value, 20 + 4 * k, 34)
    step(env)
    assert env.recorder.left_out == {
        "structures of other kinds, or beyond the four bases": 1,
        "structures beyond the places of their kind": 1,
    }
    assert env.recorder.states[0]["built"][0, 0, t.FORGE] == 3


def test_orders_that_the_game_does_not_take(env, monkeypatch):
    monkeypatch.setattr(World, "_price", lambda world, action: "NotEnoughMinerals")
    step(env, t.PROBE)
    assert env.refused == {"NotEnoughMinerals": 1} and env.measures()["GA"] == 0.5


# --- the program ---------------------------------------------------------------------------------


@pytest.fixture
def installed(tmp_path, monkeypatch):
    """A folder like the game's, whose program is the stand-in."""

    def install(script: str = f'exec "{sys.executable}" "{STAND_IN}" "$@"', build: int = 92440):
        program = tmp_path / "Versions" / f"Base{build}" / "SC2_x64"
        program.parent.mkdir(parents=True, exist_ok=True)
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)
        monkeypatch.setenv("SC2PATH", str(tmp_path))
        monkeypatch.setattr(sc2_game.platform, "system", lambda: "Linux")
        monkeypatch.setenv("PYTHONPATH", str(STAND_IN.parent))

    return install


def test_the_program_is_started_and_ended_and_no_other(installed):
    installed()
    port = programs.free_port()
    other = subprocess.Popen([sys.executable, STAND_IN, "-listen", "127.0.0.1", "-port", str(port)])
    try:
        env = Sc2Env(Setting(minutes=1))
        env.reset(seed=2)
        process = env._connection._program._process
        step(env, t.PROBE)
        folder = Path(env._connection._program._made.name)
        assert folder.exists() and process.poll() is None
        env.reset(seed=3)
        assert env._connection._program._process is process
        step(env)
        env.close()
        assert process.poll() is not None and not folder.exists()
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


def test_a_program_that_dies_in_a_game(installed):
    installed()
    env = Sc2Env()
    env.reset()
    process = env._connection._program._process
    process.kill()
    with pytest.raises(Sc2Error, match="StarCraft II is gone") as error:
        step(env, times=50)
    one_line(error)
    assert not env.agents and process.poll() is not None


def test_no_program(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("SC2PATH", str(tmp_path))
    with pytest.raises(SystemExit) as end:
        main([])
    assert end.value.code == 2
    told = capsys.readouterr().err
    assert f"not installed in {tmp_path}" in told and told.count("\n") == 1


def test_a_program_that_is_too_old(installed):
    installed(build=55000)
    with pytest.raises(Sc2Error, match=r"is build 55000; 3\.16\.1 or newer"):
        Sc2Env().reset()


def test_a_program_that_ends_at_once(installed):
    installed("exit 7")
    with pytest.raises(Sc2Error, match="ended at its start, with exit code 7"):
        Sc2Env().reset()


def test_a_program_that_does_not_listen(installed):
    installed("exec sleep 100")
    began = time.monotonic()
    with pytest.raises(Sc2Error, match="no StarCraft II answers on"):
        Sc2Env(Setting(start_seconds=1)).reset()
    assert time.monotonic() - began < 20


def test_a_port_that_is_taken(installed, running):
    installed()
    port = int(running.address.rpartition(":")[2])
    with pytest.raises(Sc2Error, match=f"port {port} is taken"):
        Sc2Env(Setting(port=port)).reset()


# --- what a game may say -------------------------------------------------------------------------


def test_nobody_answers():
    address = f"127.0.0.1:{programs.free_port()}"
    with pytest.raises(Sc2Error, match=f"no StarCraft II answers on {address}"):
        Sc2Env(Setting(address=address)).reset()


def test_something_else_answers(running, monkeypatch):
    monkeypatch.setattr("stratagym.wrappers.sc2.PATH", "/other")
    with pytest.raises(Sc2Error, match="is no StarCraft II: 404") as error:
        Sc2Env(Setting(address=running.address)).reset()
    one_line(error)


def test_another_version():
    with Running(build=50000) as running, pytest.raises(Sc2Error, match=r"is 5\.0\.14; 3\.16\.1"):
        Sc2Env(Setting(address=running.address)).reset()


def test_a_map_that_is_not_there(running):
    env = Sc2Env(Setting(address=running.address, map="Nowhere LE"))
    told = "does not create a game on 'Nowhere LE': InvalidMapPath: map not found"
    with pytest.raises(Sc2Error, match=told) as error:
        env.reset()
    one_line(error)


def test_a_game_that_nobody_may_join(running):
    running.server.joins = False
    with pytest.raises(Sc2Error, match="does not let us join"):
        Sc2Env(Setting(address=running.address)).reset()


@pytest.mark.parametrize("at", [0, 3, 6, 30])
@pytest.mark.parametrize(
    ("fault", "told"),
    [
        ("die", "is gone"),
        ("cut", "damaged message|is gone|refuses"),
        ("hang", "does not answer within 1 s|does not start"),
    ],
)
def test_a_game_that_fails_at_some_answer(running, fault, told, at):
    running.server.fault = {at: fault}
    seconds = 1 if fault == "hang" else 60
    env = Sc2Env(Setting(address=running.address, seconds=seconds, start_seconds=1))
    with pytest.raises(Sc2Error, match=told) as error:
        env.reset()
        step(env, times=30)
    one_line(error)
    assert env._connection is None and not env.agents


def test_an_answer_to_something_else(running):
    running.server.fault = {6: "other"}
    with pytest.raises(Sc2Error, match="does not answer what was asked") as error:
        Sc2Env(Setting(address=running.address)).reset()
    one_line(error)


def test_settings_that_are_none():
    for given, told in (
        ({"difficulty": "Impossible"}, "unknown 'Impossible'"), ({"build": "x"}, "unknown 'x'"),
        ({"address": "here"}, "an address is HOST:PORT"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=told):
            Setting(**given)
    with pytest.raises(ValueError, match="minutes"):
        Sc2Env(Setting(minutes=0))


def test_actions_that_are_not_legal(env):
    with pytest.raises(ValueError, match="player_0 may not do 22"):
        step(env, t.FIRST_STRUCTURE + t.GATEWAY)


def test_the_command(running, capsys):
    main(["--policy", "rule:lv3", "--minutes", "1", "--address", running.address, "--games", "2"])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[1].startswith("game 2: reward 0, ticks 1350, RPM ")


def test_the_stand_in_refuses_what_the_game_would():
    """Requests in the wrong state, and orders that are none."""
    server = Server()
    told = server.answer(api.Request(step=api.RequestStep(count=1)))
    assert list(told.error) == ["Not in a game"] and told.status == api.launched
    world = World()
    (nexus, *_), probe = world.own("NEXUS"), world.own("PROBE")[0]
    enemy = next(one for one in world.units.values() if one.alliance == ENEMY)
    ids = {action: ability for ability, action in ORDERS.items()}
    for tag, action, told in (
        (enemy.tag, t.PROBE, "Error"), (probe.tag, t.PROBE, "NotSupported"),
        (probe.tag, t.FIRST_STRUCTURE + t.GATEWAY, "NotEnoughMinerals"),
        (nexus.tag, t.PROBE, "Success"), (nexus.tag, t.PROBE, "CantQueueThatOrder"),
    ):  # fmt: skip
        given = raw_pb2.ActionRawUnitCommand(ability_id=ids[action], unit_tags=[tag])
        assert world.command(given) == result(told), (action, told)
    nexus.energy = 10
    given = raw_pb2.ActionRawUnitCommand(
        ability_id=BOOST, unit_tags=[nexus.tag], target_unit_tag=nexus.tag
    )
    assert world.command(given) == result("NotEnoughEnergy")


def test_the_modules_need_no_package():
    code = """
import sys
sys.modules["sc2"] = None
from stratagym.wrappers.sc2 import main
main([])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False,
        env={**os.environ, "SC2PATH": "/nowhere"},
    )  # fmt: skip
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    assert "burnysc2 is not installed: pip install 'stratagym[sc2]'" in done.stderr
