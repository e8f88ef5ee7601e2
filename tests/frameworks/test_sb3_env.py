"""SB3's view of the games: SB3VecEnv."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="PyTorch is not installed: pip install 'stratagym[rl]'")
pytest.importorskip("sb3_contrib", reason="sb3-contrib is missing: pip install 'stratagym[rl]'")

from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from stratagym import envs
from stratagym.agents.core import Policy, make_policy
from stratagym.envs import core
from stratagym.wrappers.sb3 import SB3VecEnv
from stratagym.wrappers.vector import VectorEnv


class Lowest(Policy):
    """The lowest legal action: a policy that is not compiled, one state at a time."""

    name = "lowest"

    def act(self, view):
        return int(view.legal[0])


class LowestEach(Policy):
    """The same for many states at once."""

    name = "lowest"

    def act(self, view):
        raise AssertionError("many can be asked at once")

    def act_each(self, rules, states, seeds):
        legal = np.zeros(rules.num_actions, np.int64)
        actions = []
        for i in range(len(states)):
            core.legal_actions_at(rules, states, i, legal)
            actions.append(legal[0])
        return np.array(actions)


GAMES = ["tictactoe", "connect_four", "ludo", "hanabi", "texas_holdem"]


@pytest.mark.parametrize("game", GAMES)
def test_compiled_opponents_play_as_in_the_vector_environment(game, seed, rng):
    seat = "rotate"
    ours = SB3VecEnv(game, 5, "random", seat, seed=seed)
    other = VectorEnv(game, 5, "random", seat, autoreset_mode="SameStep")
    seen = ours.reset()
    expected, _ = other.reset(seed=seed)
    for _ in range(120):
        np.testing.assert_array_equal(seen, expected)
        masks = get_action_masks(ours)
        np.testing.assert_array_equal(masks, other.action_masks())
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        seen, rewards, dones, infos = ours.step(actions)
        expected, expected_rewards, terminated, truncated, final = other.step(actions)
        np.testing.assert_allclose(rewards, expected_rewards, rtol=1e-6)
        np.testing.assert_array_equal(dones, terminated | truncated)
        for i in np.flatnonzero(dones):
            np.testing.assert_array_equal(infos[i]["terminal_observation"], final["final_obs"][i])
            assert infos[i]["TimeLimit.truncated"] == truncated[i]


@pytest.mark.parametrize("game", GAMES)
def test_opponents_that_are_asked_play_the_same_games_as_compiled_ones(game, seed, rng):
    """A kernel policy behind a plain ``Policy`` is asked from outside, with the same seeds."""
    kernel = make_policy(envs.spec(game), "random")

    class Outside(Policy):
        name = "outside"

        def act(self, view):
            return kernel.act(view)

        def act_each(self, rules, states, seeds):
            return kernel.act_each(rules, states, seeds)

    inside, outside = (
        SB3VecEnv(game, 6, opponent, "rotate", seed=seed, reward_scale=0.5)
        for opponent in (kernel, Outside())
    )
    np.testing.assert_array_equal(inside.reset(), outside.reset())
    ended = 0
    for _ in range(120):
        masks = inside.action_masks()
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        one, other = inside.step(actions), outside.step(actions)
        for a, b in zip(one[:3], other[:3], strict=True):
            np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(inside.action_masks(), outside.action_masks())
        for i in np.flatnonzero(one[2]):
            np.testing.assert_array_equal(
                one[3][i]["terminal_observation"], other[3][i]["terminal_observation"]
            )
            assert one[3][i]["episode"] == other[3][i]["episode"]
            ended += 1
    assert ended or game == "texas_holdem"


def test_games_have_opponents_of_their_own(seed, rng):
    env = SB3VecEnv("connect_four", 4, Lowest(), seat=1, seed=seed)
    env.set_opponents([Lowest(), LowestEach(), make_policy(env.game, "random")],
                      np.array([0, 1, 0, 1]))  # fmt: skip
    env.reset()
    for _ in range(30):
        masks = env.action_masks()
        before = env.states.copy()
        env.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in masks]))
        again = env.states["plies"] == 1  # a new game: the opponent has moved, in column 0
        assert (env.states["other"][again] == 1).all()
        assert (env.states["plies"] != before["plies"]).all()


def test_an_illegal_answer_is_refused(seed):
    class Wrong(Policy):
        name = "wrong"

        def act(self, view):
            return 8 if view.legal[-1] != 8 else 0

    env = SB3VecEnv("tictactoe", 2, Wrong(), seat=0, seed=seed)
    env.reset()
    with pytest.raises(ValueError, match="opponent 'wrong' may not play 0; legal: "):
        env.step(np.array([0, 0]))


def test_shaping_adds_the_change_of_a_potential(seed, rng):
    """Over an episode discounted rewards differ by the first estimate alone, whatever was
    played."""
    gamma = 0.9
    plain, shaped = (
        SB3VecEnv("chess", 1, "random", 0, seed=seed, shaping=weight, gamma=gamma)
        for weight in (0.0, 2.0)
    )
    plain.reset()
    shaped.reset()
    start = float(shaped._estimates[0])
    discount, difference = 1.0, 0.0
    for _ in range(500):
        action = np.array([rng.choice(np.flatnonzero(plain.action_masks()[0]))])
        estimate = float(shaped._estimates[0])
        _, reward, done, _ = plain.step(action)
        _, with_shaping, _, _ = shaped.step(action)
        change = with_shaping[0] - reward[0]
        after = 0.0 if done[0] else float(shaped._estimates[0])
        assert change == pytest.approx(2 * (gamma * after - estimate), abs=1e-5)
        difference += discount * change
        discount *= gamma
        if done[0]:
            break
    assert difference == pytest.approx(2 * (discount * after - start), abs=1e-4)


def test_masks_are_found_by_sb3(seed):
    env = SB3VecEnv("connect_four", 3, seed=seed)
    env.reset()
    assert is_masking_supported(env)
    assert get_action_masks(env).shape == (3, 7) and get_action_masks(env).dtype == bool
    assert len(env.env_method("action_masks", indices=[1])) == 1
    with pytest.raises(AttributeError, match="no method"):
        env.env_method("fly")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"num_envs": 0}, "at least 1"),
        ({"opponent": "self", "shaping": 1.0}, "shaping needs one seat"),
        ({"opponent": "nobody"}, "unknown policy"),
        ({"seat": 7}, "choose one of"),
    ],
)
def test_wrong_arguments_get_one_line(arguments, message):
    with pytest.raises(ValueError, match=message) as caught:
        SB3VecEnv(**{"game": "tictactoe", "num_envs": 2, **arguments})
    assert "\n" not in str(caught.value)


def test_a_snapshot_goes_on_alike(seed, rng):
    env, later = (SB3VecEnv("ludo", 4, "random", seed=s, players=2) for s in (seed, seed + 1))
    env.reset()
    later.reset()

    def play(which, steps, rng):
        out = []
        for _ in range(steps):
            masks = which.action_masks()
            seen, rewards, *_ = which.step(
                np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
            )
            out.append((seen, rewards))
        return out

    play(env, 50, rng)
    seen = later.restore({name: array.copy() for name, array in env.snapshot().items()})
    np.testing.assert_array_equal(seen, env._games.observations)
    one = play(env, 100, np.random.default_rng(seed))
    two = play(later, 100, np.random.default_rng(seed))
    for (a, x), (b, y) in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(x, y)
