"""diambra-arena and its protocol: the package as it is, and our own fighter as its engine."""

import socket
from concurrent import futures

import numpy as np
import pytest
from diambra_stand_in import BOXES, CHOICES, COMMON, FLAGS, GAME, KEN, Cabinet

arena = pytest.importorskip("diambra.arena", reason="pip install 'stratagym[diambra]'")

import grpc  # noqa: E402
from diambra.engine import interface_pb2_grpc as service  # noqa: E402
from diambra.engine import model  # noqa: E402

from stratagym.agents.core import make_policy  # noqa: E402
from stratagym.wrappers.diambra import DiambraEnv, DiambraError, Setting, main, play  # noqa: E402

CATEGORIES = {"common": COMMON, "P1": {**BOXES, **CHOICES}, "P2": {**BOXES, **CHOICES}}


class Engine(service.EnvServerServicer):
    """The engine's side of the protocol; it refuses a game whose ROM it has not.

    Attributes:
        asked: the settings of the environment and of each match. steps: taken.
    """

    def __init__(self, rom="sfiii3n"):
        self.rom, self.cabinet = rom, Cabinet()
        self.asked, self.steps, self.dies_after = [], 0, None

    def EnvInit(self, request, context):
        self.asked.append(request)
        if request.game_id != self.rom:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"no ROM of\n{request.game_id}")
        told = model.EnvInitResponse()
        told.frame_shape.h, told.frame_shape.w, told.frame_shape.c = 224, 384, 3
        told.available_actions.n_moves, told.available_actions.n_attacks = 9, 10
        for buttons, n in ((told.available_actions.moves, 9), (told.available_actions.attacks, 10)):
            for k in range(n):
                buttons.add(key=str(k), label=str(k))
        told.characters_info.char_list.extend([f"No {k}" for k in range(KEN)] + ["Ken"])
        told.characters_info.chars_to_select = told.characters_info.chars_per_round = 1
        told.difficulty_bounds.min, told.difficulty_bounds.max = 1, 8
        for category, bounds in CATEGORIES.items():
            states = told.ram_states_categories[model.RamStatesCategories.Value(category)]
            for key, value in bounds.items():
                state = states.ram_states[model.RamStates.Value(key)]
                if key in CHOICES:
                    state.type = model.SpaceTypes.Value("BINARY" if value == 2 else "DISCRETE")
                    state.min, state.max = 0, value - 1
                else:
                    state.type = model.SpaceTypes.Value("BOX")
                    state.min, state.max = value
        return told

    def _told(self):
        cabinet, told = self.cabinet, self.cabinet.told()
        found = model.StepResetResponse(reward=cabinet.reward)
        found.observation.frame = cabinet.frame().tobytes()
        for category, bounds in CATEGORIES.items():
            number = model.RamStatesCategories.Value(category)
            own = told if category == "common" else told[category]
            states = found.observation.ram_states_categories[number].ram_states
            for key in bounds:
                states[model.RamStates.Value(key)] = own[key]
        for flag in FLAGS:
            found.info.game_states[model.GameStates.Value(flag)] = cabinet.flags[flag]
        return found

    def Reset(self, request, context):
        self.asked.append(request)
        self.cabinet.begin()
        return self._told()

    def Step(self, request, context):
        if self.steps == self.dies_after:
            context.abort(grpc.StatusCode.UNAVAILABLE, "Socket closed")
        self.steps += 1
        given = [action.move or (action.attack and 8 + action.attack) for action in request.actions]
        self.cabinet.step([*given, 0][:2])
        return self._told()

    def Close(self, request, context):
        return model.Empty()


@pytest.fixture
def engine():
    """An engine on a free port, and its address."""
    server, engine = grpc.server(futures.ThreadPoolExecutor(2)), Engine()
    service.add_EnvServerServicer_to_server(engine, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    engine.address = f"127.0.0.1:{port}"
    yield engine
    server.stop(None).wait()


def scripted(*names):
    return {f"agent_{k}": make_policy(GAME, name) for k, name in enumerate(names)}


def test_two_policies_play_a_match_by_the_protocol(engine):
    env = DiambraEnv(Setting(address=engine.address, seconds=20))
    assert play(env, scripted("rule:lv8", "rule:lv2"), 7) == {"agent_0": 1.0, "agent_1": -1.0}
    ours, theirs = env.recorder.states[0], engine.cabinet.states[0]
    assert ours["rounds_health"].tolist() == theirs["rounds_health"].tolist()
    assert ours["landed"].tolist() == theirs["landed"].tolist()
    assert env.render().shape == (224, 384, 3)
    env.close()
    first, match = engine.asked
    assert (first.game_id, first.n_players, first.step_ratio) == ("sfiii3n", 2, 6)
    assert list(first.action_spaces) == [model.SpaceTypes.DISCRETE] * 2
    assert match.random_seed == 7 and match.difficulty == 4
    told = [
        (one.role, list(one.characters), one.outfits, one.super_art)
        for one in match.player_settings
    ]
    assert told == [(arena.Roles.P1, ["Ken"], 1, 3), (arena.Roles.P2, ["Ken"], 3, 3)]


def test_one_plays_against_the_engine_and_again(engine):
    env = DiambraEnv(Setting(1, difficulty=8, rounds=1, address=engine.address, seconds=20))
    for seed in (1, 2):
        assert play(env, scripted("rule:lv6"), seed) == {"agent_0": 1.0}
    env.close()
    assert [one.difficulty for one in engine.asked[1:]] == [8, 8]
    assert engine.asked[0].n_players == 1


def test_every_input_arrives_as_it_was_given(engine):
    given = []
    engine.cabinet.step = given.append
    env = DiambraEnv(Setting(address=engine.address, seconds=20))
    env.reset()
    for action in range(18):
        env.step({"agent_0": action, "agent_1": np.int64(17 - action)})
    assert given == [[action, 17 - action] for action in range(18)]


def test_no_engine():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(DiambraError, match=f"answers on {address}") as error:
        DiambraEnv(Setting(address=address, seconds=1)).reset()
    assert "\n" not in str(error.value)


def test_an_engine_without_the_rom(engine, capsys):
    engine.rom = "tektagt"
    with pytest.raises(SystemExit) as end:
        main(["--address", engine.address])
    assert end.value.code == 2
    told = capsys.readouterr().err.splitlines()
    assert len(told) == 1 and "no ROM of sfiii3n" in told[0]


def test_an_engine_that_dies(engine):
    env = DiambraEnv(Setting(address=engine.address, seconds=20))
    engine.dies_after = 5
    with pytest.raises(DiambraError, match="the DIAMBRA engine is gone: Socket closed") as error:
        play(env, scripted("random", "random"))
    assert "\n" not in str(error.value)
