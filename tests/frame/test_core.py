"""The foundations: random numbers, options, GameEnv's bookkeeping."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
import tug
from gymnasium.error import ResetNeeded
from pettingzoo.test import api_test
from scipy import stats

from stratagym import envs
from stratagym.envs import aec, batch, core, make

PACKAGE = Path(envs.__file__).resolve().parent.parent


# --- random numbers ------------------------------------------------------------------------------

RECORD = np.dtype([("drawn", "i8"), ("rng", "u8")])


def draws(seed: int, n: int, below: int) -> np.ndarray:
    states = np.zeros(1, RECORD)
    core.seed_rng(states[0], np.uint64(seed))
    return np.array([core.random_below(states[0], below) for _ in range(n)])


def test_random_numbers_are_splitmix64():
    """The first outputs for seed 1234567 as Vigna's C code gives them (Rosetta Code's page)."""
    expected = [6457827717110365317, 3203168211198807973, 9817491932198370423]
    gamma = 0x9E3779B97F4A7C15
    for k, value in enumerate(expected, 1):
        assert core.mix64(np.uint64((1234567 + k * gamma) % 2**64)) == value


def test_seed_zero_is_a_seed():
    assert draws(0, 20, 1000).tolist() != draws(1, 20, 1000).tolist()
    assert draws(0, 20, 1000).tolist() == draws(0, 20, 1000).tolist()
    assert len(set(draws(0, 100, 2**31).tolist())) > 95
    start = [make("ludo"), make("ludo")]
    for seed, env in enumerate(start):
        env.reset(seed=seed)
    assert not np.array_equal(start[0].states, start[1].states)


def test_derived_seeds_are_distinct(seed):
    found = {
        int(core.derive_seed(np.uint64(s), np.uint64(k)))
        for s in (0, 1, 2, seed, 2**64 - 1)
        for k in range(2000)
    }
    assert len(found) == 5 * 2000


@pytest.mark.parametrize("below", [2, 6, 52, 1000])
def test_random_below_is_uniform(seed, below):
    counts = np.bincount(draws(seed, 20_000, below), minlength=below)
    assert len(counts) == below
    assert stats.chisquare(counts).pvalue > 1e-8


def test_streams_of_neighbouring_seeds_are_independent(seed):
    """The first draw over seeds s, s + 1, ..., and over seeds derived from one, is uniform too."""
    for seeds in (
        [seed + k for k in range(6000)],
        [int(core.derive_seed(np.uint64(seed), np.uint64(k))) for k in range(6000)],
    ):
        firsts = [int(draws(one, 1, 6)[0]) for one in seeds]
        assert stats.chisquare(np.bincount(firsts, minlength=6)).pvalue > 1e-8
        pairs = np.bincount(6 * np.array(firsts[:-1]) + firsts[1:], minlength=36)
        assert stats.chisquare(pairs).pvalue > 1e-8


def test_random_unit_is_uniform(seed):
    states = np.zeros(1, RECORD)
    core.seed_rng(states[0], np.uint64(seed))
    values = [core.random_unit(states[0]) for _ in range(5000)]
    assert 0 <= min(values) <= max(values) < 1
    assert stats.kstest(values, "uniform").pvalue > 1e-8


# --- options -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "parts"),
    [
        (lambda: make("luudo"), ["'luudo'", "ludo"]),
        (lambda: make("ludo", player=2), ["'player'", "players", "max_rolls"]),
        (lambda: make("ludo", players=5), ["players=5", "2 to 4"]),
        (lambda: make("ludo", players=2.5), ["players=2.5", "2 to 4"]),
        (lambda: make("ludo", players=True), ["players=True", "2 to 4"]),
        (lambda: make("ludo", players="many"), ["players='many'", "2 to 4"]),
        (lambda: make("ludo", stacking="yes"), ["stacking='yes'", "never", "safe"]),
        (lambda: make("ludo", players=3, seats="0+2"), ["seats=0+2", "players=3"]),
        (lambda: make("ludo", players=2, seats="2+0"), ["seats", "ascending"]),
        (lambda: make("ludo", max_rolls=0), ["max_rolls=0", "1 to"]),
        (lambda: make("ludo", render_mode="svg"), ["'svg'", "human", "ansi", "rgb_array"]),
        (lambda: make("ludo", illegal="ignore"), ["'ignore'", "terminate", "raise"]),
        (lambda: make("ludo", max_cycles=0), ["max_cycles=0", "at least 1"]),
        (lambda: envs.make_batch("ludo", 0), ["num_envs=0", "at least 1"]),
    ],
)
def test_wrong_options_are_one_clear_line(call, parts):
    with pytest.raises(ValueError) as error:
        call()
    message = str(error.value)
    assert "\n" not in message
    assert all(part in message for part in parts), message


def test_options_may_be_text():
    assert (
        make("ludo", players="2", max_rolls="50").rules
        == make("ludo", players=2, max_rolls=50).rules
    )


# --- GameEnv -------------------------------------------------------------------------------------


def an_illegal_action(env: aec.GameEnv) -> int:
    while env.last()[4]["action_mask"].all():
        env.step(0)
    return int(env.last()[4]["action_mask"].argmin())


def test_before_reset_nothing_works():
    env = make("ludo")
    for call in (lambda: env.step(0), env.last):
        with pytest.raises(ResetNeeded, match="reset"):
            call()


def test_after_the_end_reset_is_needed():
    env = make("ludo", max_cycles=1)
    env.reset(seed=0)
    env.step(int(env.last()[4]["action_mask"].argmax()))
    while env.agents:
        env.step(None)
    with pytest.raises(ResetNeeded):
        env.step(0)


def test_a_finished_agent_takes_no_action():
    env = make("ludo", max_cycles=1)
    env.reset(seed=0)
    env.step(int(env.last()[4]["action_mask"].argmax()))
    with pytest.raises(ValueError):
        env.step(0)


@pytest.mark.parametrize("wrong", [-1, 4, None, "illegal"])
def test_illegal_raise_leaves_the_game_as_it_was(seed, wrong):
    env = make("ludo", illegal="raise")
    env.reset(seed=seed)
    action = an_illegal_action(env) if wrong == "illegal" else wrong
    before = env.states.tobytes(), env.agent_selection, dict(env.rewards), env.last()[1]
    with pytest.raises(ValueError, match="may not play") as error:
        env.step(action)
    assert str(np.flatnonzero(env.last()[4]["action_mask"]).tolist()) in str(error.value)
    assert before == (env.states.tobytes(), env.agent_selection, env.rewards, env.last()[1])
    env.step(int(env.last()[4]["action_mask"].argmax()))


@pytest.mark.parametrize("wrong", [-1, 4, None, "illegal"])
def test_illegal_terminate_ends_the_game_with_minus_one(seed, wrong):
    env = make("ludo")
    env.reset(seed=seed)
    action = an_illegal_action(env) if wrong == "illegal" else wrong
    offender, state = env.agent_selection, env.states.tobytes()
    env.step(action)
    assert env.states.tobytes() == state
    assert env.rewards == {agent: -float(agent == offender) for agent in env.possible_agents}
    assert all(env.terminations.values())
    assert not any(env.truncations.values())
    seen = {}
    while env.agents:
        agent = env.agent_selection
        observation, reward, terminated, truncated, info = env.last()
        assert not observation["action_mask"].any()
        assert info["action_mask"] is observation["action_mask"]
        assert (terminated, truncated) == (True, False)
        seen[agent] = reward
        env.step(None)
    assert seen == {agent: -float(agent == offender) for agent in env.possible_agents}


def ludo_envs() -> list[aec.GameEnv]:
    options: list[dict[str, int]] = [{}, {"players": 2}, {"max_rolls": 60}, {"max_cycles": 50}]
    return [make("ludo", **some) for some in options]


@pytest.mark.parametrize("game", ["ludo", "tug"])
def test_rewards_add_up_to_the_returns(game, rng):
    """Over random games: rewards sum to returns, ``last`` tells what came since the last turn."""
    for env in ludo_envs() if game == "ludo" else [aec.GameEnv(tug.SPEC, tug.Rules(11))]:
        env.reset(seed=int(rng.integers(2**63)))
        summed = dict.fromkeys(env.possible_agents, 0.0)
        since = dict.fromkeys(env.possible_agents, 0.0)
        heard = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            assert reward == since[agent]
            heard[agent] += reward
            since[agent] = 0.0
            if terminated or truncated:
                env.step(None)
            else:
                env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
                for one, gained in env.rewards.items():
                    summed[one] += gained
                    since[one] += gained
        returns = np.zeros(env.rules.num_players)
        core.returns_at(env.rules, env.states, 0, returns)
        assert list(summed.values()) == pytest.approx(returns.tolist())
        assert list(heard.values()) == pytest.approx(returns.tolist())


def test_rewards_of_a_game_told_move_by_move():
    env = aec.GameEnv(tug.SPEC, tug.Rules(4))
    env.reset(seed=0)
    told = []
    for action in (0, 1, 2, 0):
        env.step(action)
        told.append(list(env.rewards.values()))
    assert told == [[1, -1, 0], [0, 2, -2], [-3, 0, 3], [1, -1, 0]]
    last = {}
    while env.agents:
        last[env.agent_selection] = env.last()[1]
        env.step(None)
    assert last == {"player_0": 1, "player_1": 1, "player_2": 3}


def test_pettingzoo_api_with_rewards_in_every_move():
    env = aec.GameEnv(tug.SPEC, tug.Rules(11))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about Dict observations and masks; see test_contract
        api_test(env, num_cycles=50)


def test_masks_are_the_seat_to_moves_only(seed):
    env = make("ludo")
    env.reset(seed=seed)
    for agent in env.possible_agents:
        mask = env.observe(agent)["action_mask"]
        assert mask is env.infos[agent]["action_mask"]
        assert mask.dtype == np.int8
        assert mask.any() == (agent == env.agent_selection)


def test_resets_without_a_seed_follow_from_the_last_seed(seed):
    env, same = make("ludo"), make("ludo")
    env.reset(seed=seed)
    first = env.states.tobytes()
    env.reset()
    second = env.states.tobytes()
    same.reset(seed=seed)
    same.reset()
    assert first != second == same.states.tobytes()


def test_batch_is_reproducible_whatever_its_size(seed):
    small, large = (batch.BatchEnv(envs.spec("ludo"), make("ludo").rules, n) for n in (3, 7))
    for env in (small, large):
        env.reset(seed=seed)
        for _ in range(50):
            env.step(env.action_masks.argmax(1))
    assert np.array_equal(small.states, large.states[:3])


def test_batch_refuses_illegal_actions_and_steps_nothing(seed):
    env = envs.make_batch("ludo", 5, seed=seed)
    while env.action_masks[3].all():
        env.step(env.action_masks.argmax(1))
    before = env.states.tobytes()
    actions = env.action_masks.argmax(1)
    actions[3] = env.action_masks[3].argmin()
    with pytest.raises(ValueError, match="game 3 may not play"):
        env.step(actions)
    assert env.states.tobytes() == before


def test_numba_tells_the_rules_of_the_games_apart():
    """Its calls from Python choose by this fingerprint, in which a NamedTuple's module is not."""
    from numba._dispatcher import compute_fingerprint

    prints = [compute_fingerprint(envs.spec(game).make_rules()) for game in envs.games()]
    assert len(set(prints)) == len(prints) > 1
