"""What both Gymnasium forms have in common, and the wrappers of PettingZoo environments."""

from __future__ import annotations

import importlib
import importlib.util
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium_forms import gymnasium_id, sample
from ours import our_games, rule_based
from pettingzoo.test import api_test

from stratagym.envs import make
from stratagym.envs.text import OK, TextGame, TextOptions
from stratagym.wrappers.single_agent import SingleAgentEnv
from stratagym.wrappers.tensor import TensorObservation
from stratagym.wrappers.text import TextObservation
from stratagym.wrappers.vector import VectorEnv


def test_render(seed):
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray)):
        many = VectorEnv("ludo", 2, render_mode=mode)
        many.reset(seed=seed)
        pictures = many.render()
        assert len(pictures) == 2
        assert all(isinstance(picture, kind) for picture in pictures)
        env = SingleAgentEnv("ludo", render_mode=mode)
        env.reset(seed=int(many.seeds[1]))
        assert np.array_equal(env.render(), pictures[1])


@pytest.mark.parametrize("game", our_games())
def test_make_and_make_vec(game):
    one = gymnasium.make(gymnasium_id(game), opponent=rule_based(game))
    one.reset(seed=0)
    masks = one.get_wrapper_attr("action_masks")()
    one.step(int(masks.argmax()))
    many: Any = gymnasium.make_vec(gymnasium_id(game), num_envs=64, opponent="random")
    assert isinstance(many, VectorEnv)
    many.reset(seed=0)
    many.step(many.action_masks().argmax(1))
    sync = gymnasium.make_vec(gymnasium_id(game), num_envs=2, vectorization_mode="sync")
    sync.reset(seed=0)


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"game": "luudo"}, ["'luudo'", "ludo"]),
        ({"players": 7}, ["players=7", "2 to 4"]),
        ({"colour": 1}, ["'colour'", "players"]),
        ({"opponent": "stockfish"}, ["stockfish", "random", "heuristic", "gt"]),
        ({"opponent": "gt:99"}, ["99", "1 to"]),
        ({"opponent": ["random"]}, ["1 policies", "3 other seats"]),
        ({"opponent": None}, ["opponent=None", "self"]),
        ({"opponent": ["random", 3, "random"]}, ["opponent=3", "policy string"]),
        ({"seat": 4}, ["seat=4", "0, 1, 2, 3, rotate, random"]),
        ({"seat": "first"}, ["seat='first'", "rotate", "random"]),
        ({"seat": True}, ["seat=True", "rotate"]),
        ({"seat": 1, "opponent": "self"}, ["seat=1", "self"]),
        ({"render_mode": "svg"}, ["'svg'", "ansi", "rgb_array"]),
        ({"illegal": "ignore"}, ["'ignore'", "terminate, raise"]),
    ],
    ids=",".join,
)
def test_wrong_arguments_are_one_clear_line(options, parts):
    for form in (SingleAgentEnv, VectorEnv):
        with pytest.raises(ValueError) as error:
            form(**{"game": "ludo", **options})
        message = str(error.value)
        assert "\n" not in message
        assert all(part in message for part in parts), message


def test_an_aec_environment_of_words(seed):
    """Prompts for observations, replies for actions; a bad reply is an illegal action."""
    env = TextObservation(make("ludo", players=2))
    env.reset(seed=seed)
    for agent in env.agent_iter(40):
        prompt, _, termination, truncation, info = env.last()
        if termination or truncation:
            env.step(None)
            continue
        assert prompt == "\n\n".join(message["content"] for message in info["messages"])
        assert env.observation_space(agent).contains(prompt)
        assert env.observe(next(a for a in env.agents if a != agent)) == ""
        env.step(f"{info['action_mask'].argmax()} | first legal piece")
        assert env.infos[agent]["outcome"].kind == OK
    agent = env.agent_selection
    env.step("I would rather not say.")
    assert env.infos[agent]["outcome"].reason == "no_move"
    assert env.terminations[agent]
    assert env.rewards[agent] == -1


def test_an_aec_environment_of_tensors(seed):
    env, plain = TensorObservation(make("connect_four")), make("connect_four")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # told in test_contract
        api_test(env, num_cycles=100)
    rng = np.random.default_rng(seed)
    env.reset(seed=seed)
    plain.reset(seed=seed)
    for agent in env.agent_iter():
        observed, *others, info = env.last()
        expected, *same, same_info = plain.last()
        assert env.observation_space(agent) == plain.observation_space(agent)["observation"]
        assert env.observation_space(agent).contains(observed)
        assert np.array_equal(observed, expected["observation"])
        assert others == same
        assert np.array_equal(info["action_mask"], same_info["action_mask"])
        over = others[1] or others[2]
        action = None if over else sample(rng, info["action_mask"])
        env.step(action)
        plain.step(action)
    # SuperSuit's frame_stack asks for agents that have left; the last to leave was player_1.
    assert np.array_equal(env.observe("player_1"), observed)


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="RLlib is installed")
def test_a_missing_framework_is_named_with_its_extra():
    with pytest.raises(ModuleNotFoundError, match=r"pip install 'stratagym\[rllib\]'"):
        importlib.import_module("stratagym.wrappers.rllib")


# --- what a prompt retells -----------------------------------------------------------------------


def test_a_prompt_retells_as_many_moves_as_it_is_told_to():
    game = TextGame("tictactoe", TextOptions(history=2))
    game.reset(seed=0)
    plain = TextGame("tictactoe")
    plain.reset(seed=0)
    assert game.observe() == plain.observe()
    for move in ("1,1", "2,2", "3,3"):
        assert game.submit(f"Move: {move}").kind == plain.submit(f"Move: {move}").kind == OK
    told, bare = game.observe().messages[-1], plain.observe().messages[-1]
    assert "X marked 1,1" not in told["content"]
    assert told["content"].index("O marked 2,2") < told["content"].index("X marked 3,3")
    assert "marked" not in bare["content"]


def test_a_seat_remembers_its_own_last_prompts_and_replies():
    game = TextGame("tictactoe", TextOptions(memory=2))
    game.reset(seed=0)
    asked = []
    for reply in ("Move: 1,1", "Move: 2,2", "Move: 2,1", "Move: 3,1", "Move: 1,3", "Move: 1,2"):
        asked.append(game.observe().messages[-1])
        assert game.submit("I pass").kind != OK  # what was no move is not remembered
        assert game.submit(reply).kind == OK
    turn = game.observe()
    assert [message["role"] for message in turn.messages] == [
        "system", "user", "assistant", "user", "assistant", "user",
    ]  # fmt: skip
    assert turn.messages[1:5] == [
        asked[2], {"role": "assistant", "content": "Move: 2,1"},
        asked[4], {"role": "assistant", "content": "Move: 1,3"},
    ]  # fmt: skip
    assert turn.messages[5] not in asked
    game.reset(seed=1)
    assert len(game.observe().messages) == 2


@pytest.mark.parametrize("name", ["history", "memory"])
def test_turns_are_counted_from_nothing(name):
    with pytest.raises(ValueError, match="0 or more"):
        TextGame("tictactoe", TextOptions(**{name: -1}))
