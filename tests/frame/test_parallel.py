"""Simultaneous games as parallel environments, and all tiny games as AEC environments in words."""

from __future__ import annotations

import json
import warnings

import numpy as np
import pettingzoo
import pytest
import tiny_games
from gymnasium.error import ResetNeeded
from pettingzoo.test import api_test, parallel_api_test
from tiny_games import players

from stratagym.envs import core, make, spec
from stratagym.envs.text import TextOptions
from stratagym.wrappers.parallel import ParallelGame, parallel_env
from stratagym.wrappers.text import TextObservation

tiny_games.register()
TINY = ("bids", "roles", "catch")


@pytest.mark.parametrize("game", TINY)
def test_pettingzoos_tests_pass(game):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel_env(game), num_cycles=200)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of dictionaries and zeros as observations
        api_test(make(game), num_cycles=200)


@pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="needs PettingZoo 1.27")
def test_they_are_in_the_parallel_registry():
    env = pettingzoo.make("parallel", "stratagym/bids-v1", players=3)
    assert isinstance(env, ParallelGame) and len(env.possible_agents) == 3
    with pytest.raises(ValueError, match="one after the other"):
        parallel_env("tictactoe")


def random_actions(env: ParallelGame, observations: dict, rng: np.random.Generator) -> dict:
    masks = {agent: seen["action_mask"] for agent, seen in observations.items()}
    return {agent: int(rng.choice(np.flatnonzero(mask))) for agent, mask in masks.items()}


@pytest.mark.parametrize("game", TINY)
def test_a_parallel_game_is_the_aec_game(game, seed, rng):
    """Its commits, played in seat order in the AEC environment, give its rewards and its ends."""
    env, aec = parallel_env(game), make(game)
    observations, infos = env.reset(seed=seed)
    aec.reset(seed=seed)
    total = np.zeros(len(env.possible_agents))
    played: dict[int, list[int]] = {}
    while env.agents:
        for agent in env.agents:
            seat = env.possible_agents.index(agent)
            if seat not in played:  # before its first commit of a turn it sees the AEC game
                seen = aec.observe(agent)["observation"]
                assert np.array_equal(observations[agent]["observation"], seen)
        actions = random_actions(env, observations, rng)
        for agent, action in actions.items():
            if not infos[agent]["waiting"]:
                played.setdefault(env.possible_agents.index(agent), []).append(action)
            else:
                assert observations[agent]["action_mask"].sum() == 1
        cycle = env._cycles
        observations, rewards, terminations, truncations, infos = env.step(actions)
        assert env._cycles == cycle + 1
        total += [rewards[agent] for agent in env.possible_agents]
        if not env.agents or all(not own for own in env._own.values()):
            for seat in sorted(played):
                for action in played[seat]:
                    assert aec.agent_selection == f"player_{seat}"
                    aec.step(action)
            played = {}
        else:
            assert not any(rewards.values())
    assert all(terminations.values()) and not any(truncations.values())
    assert all(aec.terminations.values())
    out = np.zeros(len(total))
    core.returns_at(aec.rules, aec.states, 0, out)
    assert np.allclose(total, out)


def test_no_observation_shows_what_others_commit(seed):
    seen = []
    for others in (0, 2):
        env = parallel_env("bids", players=3)
        env.reset(seed=seed)
        found = []
        for own in (1, 2, 0):
            actions = {"player_0": others, "player_1": own, "player_2": others}
            observations, *_ = env.step(actions)
            found.append(observations["player_1"]["observation"].tolist())
        seen.append(found)
    assert seen[0][:2] == seen[1][:2]
    assert seen[0][2] != seen[1][2]  # now the turn has been resolved


def test_illegal_and_missing_actions():
    env = parallel_env("bids", illegal="raise")
    with pytest.raises(ResetNeeded):
        env.step({})
    env.reset(seed=1)
    before, _ = env.reset(seed=1)
    with pytest.raises(ValueError, match="player_1 owes an action"):
        env.step({"player_0": 0})
    with pytest.raises(ValueError, match="player_1 may not play 9"):
        env.step({"player_0": 0, "player_1": 9})
    assert np.array_equal(
        env._observations()["player_0"]["observation"], before["player_0"]["observation"]
    )
    env = parallel_env("bids")
    env.reset(seed=1)
    _, rewards, terminations, *_ = env.step({"player_0": 0, "player_1": 9})
    assert rewards == {"player_0": 0.0, "player_1": -1.0}
    assert all(terminations.values()) and env.agents == []


def test_max_cycles_truncates():
    env = parallel_env("catch", max_cycles=3)
    env.reset(seed=1)
    for k in range(3):
        *_, truncations, _ = env.step({"player_0": 0, "player_1": 0})
        assert all(truncations.values()) == (k == 2)
    with pytest.raises(ValueError, match="at least 1"):
        parallel_env("catch", max_cycles=0)


# --- in words ------------------------------------------------------------------------------------


def test_a_plan_is_one_step_in_words(seed):
    env = TextObservation(make("bids", players=2))
    env.reset(seed=seed)
    first = env.observe("player_0")
    env.step('{"bids": [4, 1, 0]}')
    assert env.agent_selection == "player_1"
    assert env.observe("player_1") == first.replace("You are Player 0", "You are Player 1")
    env.step('{"bids": [0, 2, 0]}')
    assert env.unwrapped.infos["player_1"]["outcome"].actions == (0, 2, 0)
    # Item 0 (worth 2) for 4 coins, item 1 (worth 3) for 2.
    assert env.rewards == {"player_0": -2.0, "player_1": 1.0}
    assert env.last()[1] == -2.0
    env.step('{"bids": [0, 0, 1]}')
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    env.step("nothing")
    assert env.rewards["player_1"] == -1.0 and all(env.terminations.values())


def test_words_are_heard_in_words(seed):
    env = TextObservation(make("roles"))
    env.reset(seed=seed)
    env.step('{"messages": [{"to": 2, "text": "It is Player 1."}], "acts": ["accuse 1"]}')
    assert "It is Player 1." not in env.observe("player_1")
    env.step('{"acts": ["claim"]}')
    assert "\nPlayer 0 to you:\n| It is Player 1." in env.observe("player_2")
    env.reset(seed=seed)
    env.step('{"acts": []}')
    env.step('{"acts": []}')
    assert "It is Player 1." not in env.observe("player_2")


def test_waiting_moves_are_played_in_words(seed):
    env = TextObservation(make("catch", ticks=8))
    env.reset(seed=seed)
    env.step(json.dumps({"moves": ["left"] * 8}))
    assert env.agent_selection == "player_1"
    env.step(json.dumps({"moves": ["right"] * 3}))
    assert env.agent_selection == "player_1"
    assert env.unwrapped.states["tick"][0] == 3
    assert env.unwrapped.states["lane"][0].tolist() == [0, 4]


@pytest.mark.parametrize("game", TINY)
def test_steps_in_words_end_as_in_actions(game, seed, rng):
    """Rewards in words add up to the returns, whoever gets them when."""
    env = TextObservation(make(game), TextOptions(history=3))
    env.reset(seed=seed)
    total = dict.fromkeys(env.possible_agents, 0.0)
    got = dict(total)
    for agent in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        got[agent] += reward
        if termination or truncation:
            env.step(None)
            continue
        messages = env.unwrapped.infos[agent]["messages"]
        for nonce in range(50):
            said = players.reply([{"role": "user", "content": f"{nonce}"}, *messages])
            if env._game.asking(env._game.observe()).answer(said).kind == "ok":
                break
        env.step(said)
        for other, value in env.rewards.items():
            total[other] += value
    out = np.zeros(len(total))
    core.returns_at(env.unwrapped.rules, env.unwrapped.states, 0, out)
    assert list(total.values()) == pytest.approx(out.tolist())
    assert list(got.values()) == pytest.approx(out.tolist())
    assert spec(game).name == game
