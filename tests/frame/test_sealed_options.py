"""Sealed plans over several rounds: the contract, and every environment, under sets of options."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium_forms import sample_each
from pettingzoo.test import api_test, parallel_api_test

from stratagym.envs import core, make, make_batch, spec
from stratagym.testing.contract import Contract
from stratagym.wrappers.parallel import parallel_env
from stratagym.wrappers.single_agent import SingleAgentEnv
from stratagym.wrappers.vector import VectorEnv

GAMES = ("tower_defence", "battle_card", "elemental_duel")
BOTH = {"rounds": 3, "updates": "both", "over_budget": "loses"}
ALTERNATE = {"rounds": 3, "first": "defender", "setting": "released"}
OWN = {
    "tower_defence": {"fuse": "placed", "anti_air": "row", "shots": "block"},
    "battle_card": {"elements": "off", "excess": "once"},
    "elemental_duel": {"target": "weakest", "fear": "self"},
}
CASES = [(game, {**options, **OWN[game]}) for game in GAMES for options in (BOTH, ALTERNATE)]
IDS = [f"{game}-{k}" for game in GAMES for k in ("both", "alternate")]
of_every = pytest.mark.parametrize(("game", "options"), CASES, ids=IDS)
"""Two sets of options a game, its own ones among them."""
KERNEL_CHECKS = (
    "legal_actions", "returns_obey_the_utility_class", "a_copy_plays_on_like_the_original",
    "observations_are_in_their_space", "actions_and_strings_are_a_bijection",
)  # fmt: skip
HIDING_CHECKS = ("hidden_things_do_not_show", "commits_of_the_running_turn_do_not_show")


def check(names, game, options, seed):
    checks = Contract(game, seed % 2**60, None)
    checks.rules = checks.spec.make_rules(**options)
    for name in names:
        getattr(checks, name)()


@of_every
def test_contract(game, options, seed):
    """The checks of the kernel, with these rules for the default ones."""
    check(KERNEL_CHECKS, game, options, seed)


@pytest.mark.slow
@of_every
def test_contract_of_what_is_hidden(game, options, seed):
    check(HIDING_CHECKS, game, {**options, "rounds": 2}, seed)


@of_every
def test_games_end_in_time(game, options, seed):
    rules = spec(game).make_rules(**options)
    assert rules.max_game_length == options["rounds"] * spec(game).max_game_length
    states, scratch = core.new_states(rules), core.new_scratch(rules)
    for k in range(100):
        one = np.uint64(core.derive_seed(np.uint64(seed % 2**60), np.uint64(k)))
        decisions, finished = core.random_games(rules, states, *scratch, one, 1)
        assert finished == 1 and decisions <= rules.max_game_length
        assert states["round"][0] == rules.rounds


@of_every
def test_pettingzoo(game, options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of dictionaries and zeros as observations
        api_test(make(game, **options), num_cycles=60)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parallel_api_test(parallel_env(game, **options), num_cycles=60)


@of_every
def test_a_parallel_game_is_the_aec_game(game, options, seed, rng):
    """Its commits, played in seat order, give its rewards; in it both seats plan at a time."""
    env, aec = parallel_env(game, **options), make(game, illegal="raise", **options)
    observations, infos = env.reset(seed=seed)
    aec.reset(seed=seed)
    total, own = np.zeros(2), {agent: [] for agent in env.agents}
    while env.agents:
        actions = {}
        for agent in env.agents:
            seen = observations[agent]
            actions[agent] = int(rng.choice(np.flatnonzero(seen["action_mask"])))
            if infos[agent]["waiting"]:
                assert seen["action_mask"].sum() == 1
                continue
            if not own[agent]:  # before its first micro-action it sees the AEC game
                assert (seen["observation"] == aec.observe(agent)["observation"]).all()
            own[agent].append(actions[agent])
        turn = core.turn_at(env.rules, env._env.states, 0)
        observations, rewards, *_, infos = env.step(actions)
        total += list(rewards.values())
        if not env.agents or core.turn_at(env.rules, env._env.states, 0) != turn:
            for agent in aec.possible_agents:
                for action in own[agent]:
                    assert aec.agent_selection == agent
                    aec.step(action)
                own[agent] = []
    returns = np.zeros(2)
    core.returns_at(aec.rules, aec.states, 0, returns)
    assert all(aec.terminations.values()) and np.allclose(total, returns)


@of_every
def test_batches_are_environments(game, options, seed, rng):
    """Observations, masks, rewards and ends, step by step, over ends and new starts."""
    n = 3
    batch = make_batch(game, n, seed=seed, **options)
    envs, episodes = [make(game, illegal="raise", **options) for _ in range(n)], [0] * n
    for i, env in enumerate(envs):
        env.reset(seed=int(core.derive_seed(batch.seeds[i], 0)))
    while sum(episodes) < 2:
        actions = sample_each(rng, batch.action_masks)
        for i, env in enumerate(envs):
            observed = env.observe(env.agent_selection)
            assert (batch.observations[i] == observed["observation"]).all()
            assert (batch.action_masks[i] == observed["action_mask"]).all()
        batch.step(actions)
        for i, env in enumerate(envs):
            env.step(int(actions[i]))
            assert list(env.rewards.values()) == batch.rewards[i].tolist()
            assert set(env.terminations.values()) == {bool(batch.terminations[i])}
            if batch.terminations[i]:
                episodes[i] += 1
                env.reset(seed=int(core.derive_seed(batch.seeds[i], episodes[i])))


@of_every
def test_gymnasium(game, options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = SingleAgentEnv(game, "plan:fill", seat="rotate", **options)
        check_env(env, skip_render_check=True)


@of_every
def test_vector_env(game, options, seed, rng):
    """It is Gymnasium's own vector of single environments, with the learner in either seat."""
    n, mode = 3, AutoresetMode.SAME_STEP
    many = VectorEnv(game, n, "random", "rotate", autoreset_mode=mode, **options)
    sync = SyncVectorEnv(
        [lambda: SingleAgentEnv(game, "random", "rotate", **options) for _ in range(n)],
        autoreset_mode=mode,
    )
    assert many.single_observation_space == sync.single_observation_space
    seeds, ends = [seed % 2**40 + k for k in range(n)], 0
    one, info = many.reset(seed=seeds)
    other, info_too = sync.reset(seed=seeds)
    for _ in range(200):
        assert (one == other).all() and one in many.observation_space
        masks = info["action_mask"]
        assert (masks == info_too["action_mask"]).all() and (info["seat"] == info_too["seat"]).all()
        actions = sample_each(rng, masks)
        one, *told, info = many.step(actions)
        other, *told_too, info_too = sync.step(actions)
        for ours, theirs in zip(told, told_too, strict=True):
            assert (ours == theirs).all()
        ends += told[1].sum()
    assert ends


@of_every
def test_sb3(game, options, seed, rng):
    """SB3's environment is the vector environment, and is paid for every round it has played."""
    pytest.importorskip("stable_baselines3", reason="pip install 'stratagym[rl]'")
    from stratagym.wrappers.sb3 import SB3VecEnv

    env = SB3VecEnv(game, 4, "random", "rotate", seed=seed, **options)
    other = VectorEnv(game, 4, "random", "rotate", autoreset_mode="SameStep", **options)
    seen, (expected, _) = env.reset(), other.reset(seed=seed)
    total, returned = np.zeros(4), []
    for _ in range(400):
        assert (seen == expected).all()
        masks = np.asarray(env.action_masks())
        actions = sample_each(rng, masks.astype(np.int8))
        seen, rewards, dones, _ = env.step(actions)
        expected, expected_rewards, terminated, truncated, _ = other.step(actions)
        assert np.allclose(rewards, expected_rewards) and (dones == terminated | truncated).all()
        total += rewards
        returned += (total[dones] * options["rounds"]).tolist()
        total[dones] = 0
    assert returned and np.allclose(returned, np.rint(returned), atol=1e-4)
