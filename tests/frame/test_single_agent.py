"""SingleAgentEnv: one game for one learner, the other seats played for it."""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
import tug
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium_forms import Scripted, gymnasium_id, sample
from ours import our_games, rule_based

from stratagym.agents import kernel_policies
from stratagym.agents import learner_games as learner
from stratagym.agents.core import Decision, make_policy
from stratagym.envs import core, make, spec
from stratagym.wrappers.single_agent import SingleAgentEnv
from stratagym.wrappers.vector import VectorEnv


@pytest.mark.parametrize("game", our_games())
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"opponent": "heuristic", "seat": 1},
        {"opponent": "self"},
        {"seat": "rotate", "dict_observation": True},
        {"seat": "random", "opponent": lambda view: view.legal[-1]},
    ],
    ids=["default", "heuristic", "self", "rotate", "function"],
)
def test_gymnasium_check_env(game, options, monkeypatch):
    """No failure and no warning of Gymnasium's checker, all render modes included."""
    pytest.importorskip("pygame")
    monkeypatch.setitem(SingleAgentEnv.metadata, "render_fps", 10_000)
    if spec(game).max_players == 1:
        options = {key: value for key, value in options.items() if key != "seat"}
    if options.get("opponent") == "heuristic":
        options = options | {"opponent": rule_based(game)}
    env = gymnasium.make(gymnasium_id(game), **options).unwrapped
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env)


@pytest.mark.parametrize(
    ("opponent", "seat"),
    [("random", 0), ("random", "random"), ("heuristic", 2), ("gt:1", "rotate"), ("self", 0)],
)
def test_episodes_are_reproducible(seed, opponent, seat):
    """Three episodes after a seed, opponents included, whatever was played before."""

    def play(env: SingleAgentEnv) -> list[Any]:
        rng = np.random.default_rng(seed)
        told = []
        for k in range(3):
            told.append(env.reset(seed=seed if k == 0 else None))
            while not (len(told[-1]) == 5 and (told[-1][2] or told[-1][3])):
                told.append(env.step(sample(rng, env.action_masks())))
        return told

    env = SingleAgentEnv("ludo", opponent, seat, max_rolls=200)
    first = play(env)
    env.reset(seed=1)
    env.step(sample(np.random.default_rng(0), env.action_masks()))
    assert data_equivalence(first, play(env), exact=True)
    assert not data_equivalence(
        first, play(SingleAgentEnv("ludo", opponent, seat, max_rolls=201)), exact=True
    )


@pytest.mark.parametrize(
    "opponents", [["random"] * 3, ["heuristic", "gt:1", "random"], ["gt:2", "random", "gt:1"]]
)
def test_kernel_opponents_are_the_policies_they_name(seed, opponents):
    """Compiled opponents and the same policies asked through ``Policy.act`` play the same game."""
    named = SingleAgentEnv("ludo", opponents, "random", max_rolls=300)
    functions = [make_policy(spec("ludo"), opponent).act for opponent in opponents]
    asked = SingleAgentEnv("ludo", functions, "random", max_rolls=300)
    rng = np.random.default_rng(seed)
    for k in range(3):
        one, other = (env.reset(seed=seed if k == 0 else None) for env in (named, asked))
        while True:
            assert data_equivalence(one, other, exact=True)
            if len(one) == 5 and (one[2] or one[3]):
                break
            action = sample(rng, named.action_masks())
            one, other = named.step(action), asked.step(action)


def test_the_game_is_the_aec_game(seed):
    """Replayed in GameEnv: the same states and masks, and rewards since the last decision."""
    for seat in range(4):
        policy = Scripted()
        env = SingleAgentEnv("ludo", policy, seat)
        observation, info = env.reset(seed=seed)
        aec = make("ludo", illegal="raise")
        aec.reset(seed=int(core.derive_seed(np.uint64(seed), np.uint64(0))))
        me = aec.possible_agents[seat]
        rng = np.random.default_rng(seed)
        terminated = truncated = False
        total = 0.0
        while True:
            while aec.agents and aec.agent_selection != me and not aec.terminations[me]:
                aec.step(int(aec.last()[4]["action_mask"].argmax()))
            assert np.array_equal(env.states, aec.states)
            seen = aec.observe(me)
            assert (observation == seen["observation"]).all()
            assert (info["action_mask"] == seen["action_mask"]).all()
            assert (env.action_masks() == (seen["action_mask"] == 1)).all()
            assert env.action_masks().dtype == np.bool_
            assert info["seat"] == env.seat == seat
            assert (terminated, truncated) == (aec.terminations[me], aec.truncations[me])
            if terminated or truncated:
                break
            action = sample(rng, info["action_mask"])
            observation, reward, terminated, truncated, info = env.step(action)
            total += reward
            aec.step(action)
        returns = np.zeros(4)
        core.returns_at(env.rules, env.states, 0, returns)
        assert total == returns[seat] == aec._cumulative_rewards[me]
        assert set(policy.seats) == set(range(4)) - {seat}


@pytest.mark.parametrize("seat", [0, 1, 2])
@pytest.mark.parametrize("compiled", [True, False])
def test_rewards_between_two_decisions(seat, compiled):
    """In Tug, where all moves pay: random opponents, or the caller's that take all they may."""
    rules = tug.Rules(11)
    policy = kernel_policies.KernelPolicy("random", kernel_policies.RANDOM)
    env = learner.LearnerGames(rules, 4, seat, [policy, policy] if compiled else [])

    def others_move() -> None:
        while ((to_move := env.games["player"]) != seat).any() and (to_move >= 0).any():
            for i in np.flatnonzero((to_move != seat) & (to_move >= 0)):
                most = to_move[i]
                to_move[i] = core.play_at(rules, env.states, i, most, legal, probs)[0]

    legal, probs = core.new_scratch(rules)
    env.games["seed"] = np.arange(4)
    env.reset(np.ones(4, bool))
    if not compiled:
        others_move()
        env.present()
    summed = np.zeros((4, 3))
    done = False
    while not done:
        assert (env.observations[:, 0] == 50 + env.states["held"][:, seat]).all()
        env.step(np.full(4, seat))
        if not compiled:
            others_move()
            env.settle()
        summed += env.rewards
        assert (summed == env.states["held"]).all()
        assert (env.rewards != 0).any()
        assert (env.movers == seat).all()
        done = env.terminations.all()
        assert env.terminations.any() == done
    assert not env.masks.any()


def test_self_play_rewards_are_the_movers(seed):
    env = SingleAgentEnv("ludo", "self", players=2)
    rng = np.random.default_rng(seed)
    winners = set()
    for k in range(6):
        _, info = env.reset(seed=seed if k == 0 else None)
        summed = np.zeros(2)
        done = False
        while not done:
            mover = info["seat"]
            assert core.current_player_at(env.rules, env.states, 0) == mover
            observation, reward, terminated, truncated, info = env.step(
                sample(rng, info["action_mask"])
            )
            assert reward == info["rewards"][mover]
            summed += info["rewards"]
            done = terminated or truncated
        if terminated:
            assert reward == 1
            assert info["seat"] == mover
            assert summed.tolist() == [1 - 2 * mover, 2 * mover - 1]
            winners.add(mover)
        seen = np.zeros_like(observation)
        core.observe_at(env.rules, env.states, 0, mover, seen)
        assert (seen == observation).all()
        assert not info["action_mask"].any()
    assert winners


def test_seats(seed):
    seed %= 2**40
    for given, expected in ((0, {0}), (3, {3}), ("random", {0, 1, 2, 3})):
        env = SingleAgentEnv("ludo", seat=given)
        assert {env.reset(seed=seed + k)[1]["seat"] for k in range(60)} == expected
    env = SingleAgentEnv("ludo", seat="rotate")
    assert [env.reset(seed=seed + k)[1]["seat"] for k in range(5)] == [
        (seed + k) % 4 for k in range(5)
    ]
    assert [env.reset()[1]["seat"] for _ in range(4)] == [(seed + 4 + k) % 4 for k in range(1, 5)]


def test_opponents_sit_in_turn_order_after_the_learner(seed):
    policies = [Scripted("first"), Scripted("second"), Scripted("third")]
    env = SingleAgentEnv("ludo", policies, seat=2)
    env.reset(seed=seed)
    for _ in range(50):
        if any(env.step(env.action_masks().argmax())[2:4]):
            break
    assert [set(policy.seats) for policy in policies] == [{3}, {0}, {1}]


def test_dict_observation(seed):
    env = SingleAgentEnv("ludo", dict_observation=True)
    plain = SingleAgentEnv("ludo")
    observation, info = env.reset(seed=seed)
    assert (observation["observation"] == plain.reset(seed=seed)[0]).all()
    assert (observation["action_mask"] == info["action_mask"]).all()
    assert observation["action_mask"] is not info["action_mask"]


@pytest.mark.parametrize("opponent", ["random", "self", lambda view: view.legal[0]])
def test_illegal_actions(seed, opponent):
    env = SingleAgentEnv("ludo", opponent, illegal="raise")
    env.reset(seed=seed)
    while env.action_masks().all():
        env.step(0)
    wrong = int(env.action_masks().argmin())
    before = env.states.tobytes()
    for action in (wrong, -1, 4, 10**6):
        with pytest.raises(ValueError, match="may not play"):
            env.step(action)
    with pytest.raises(TypeError):
        env.step(0.0)
    assert env.states.tobytes() == before
    env.step(int(env.action_masks().argmax()))

    env = SingleAgentEnv("ludo", opponent)
    for action in (-1, 4):
        env.reset(seed=seed)
        before = env.states.tobytes()
        _, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert env.states.tobytes() == before
        assert not info["action_mask"].any()
        with pytest.raises(ResetNeeded):
            env.step(0)


def test_an_opponents_illegal_action_is_named():
    def wrong(view: Decision) -> int:
        return 7

    env = SingleAgentEnv("ludo", wrong, seat=3)
    with pytest.raises(ValueError, match="opponent 'wrong' may not play 7; legal: "):
        for k in range(20):
            env.reset(seed=k)


def test_before_reset_and_after_the_end(seed):
    env = SingleAgentEnv("ludo", max_rolls=30)
    for call in (lambda: env.step(0), env.action_masks):
        with pytest.raises(ResetNeeded):
            call()
    env.reset(seed=seed)
    truncated = terminated = False
    while not (terminated or truncated):
        _, _, terminated, truncated, _ = env.step(env.action_masks().argmax())
    assert (terminated, truncated) == (False, True)
    with pytest.raises(ResetNeeded):
        env.step(0)
    with pytest.raises(ValueError, match="render_mode"):
        env.render()


def test_episodes_without_a_decision_are_skipped(seed):
    """With few throws the last seat often has nothing to decide; alone in the end, never."""
    for opponent in ("random", Scripted()):
        env = SingleAgentEnv("ludo", opponent, seat=3, max_rolls=12)
        for k in range(30):
            assert env.reset(seed=seed + k)[1]["action_mask"].any()
        with pytest.raises(RuntimeError, match=f"no decision in {learner.MAX_SKIPPED} games"):
            SingleAgentEnv("ludo", opponent, seat=3, max_rolls=1).reset(seed=seed)
    with pytest.raises(RuntimeError, match="no decision"):
        VectorEnv("ludo", 2, seat=3, max_rolls=1).reset(seed=seed)


def test_copies_and_pickles_play_on(seed):
    env = SingleAgentEnv("ludo", "heuristic")
    env.reset(seed=seed)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for _ in range(30):
        action = int(env.action_masks().argmax())
        told = env.step(action)
        for twin in twins:
            assert data_equivalence(told, twin.step(action), exact=True)
        if told[2] or told[3]:
            break
