"""Spaces of actions: under a mask they draw as Gymnasium's do, and are Gymnasium's in all else."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from stratagym import envs
from stratagym.envs.spaces import Discrete, MultiDiscrete
from stratagym.wrappers.single_agent import SingleAgentEnv


def masks(rng: np.random.Generator, n: int, number: int) -> Iterator[np.ndarray]:
    """Masks (n,) int8 of every density, some of no legal action among them."""
    for _ in range(number):
        yield (rng.random(n) < rng.random() ** 2).astype(np.int8)


@pytest.mark.parametrize("n", [1, 2, 9, 64, 82, 4672])
def test_draws_are_gymnasiums(n, rng, seed):
    """Draw by draw, with draws of the other kinds in between and seeded anew on the way."""
    ours, plain = Discrete(n, seed=seed, start=3), spaces.Discrete(n, seed=seed, start=3)
    weights = np.full(n, 1 / n)
    for k, mask in enumerate(masks(rng, n, 300)):
        drawn = ours.sample(mask)
        assert drawn == plain.sample(mask) and type(drawn) is np.int64
        lying = np.append(np.int8(0), mask)[1:]  # where words do not begin
        assert ours.sample(lying) == plain.sample(mask)
        if k % 50 == 0:
            assert ours.sample() == plain.sample()
            assert ours.sample(probability=weights) == plain.sample(probability=weights)
        if k % 200 == 0:
            assert ours.seed(k) == plain.seed(k)


def test_bits_that_numpy_draws_again_are_drawn_again(rng):
    """The next 32 bits are put into the generators: 0 is refused for all but powers of two."""
    for n in range(1, 60):
        mask, drawn = np.ones(n, np.int8), []
        for kind in (Discrete, spaces.Discrete):
            space = kind(n, seed=n)
            source = space.np_random.bit_generator
            source.state = {**source.state, "has_uint32": 1, "uinteger": 0}
            drawn.append([space.sample(mask) for _ in range(5)])
        assert drawn[0] == drawn[1]


@pytest.mark.parametrize("bits", [np.random.MT19937, np.random.Philox, np.random.SFC64])
def test_a_generator_of_the_users(bits, rng):
    ours = Discrete(30, seed=np.random.Generator(bits(5)))
    plain = spaces.Discrete(30, seed=np.random.Generator(bits(5)))
    assert all(ours.sample(mask) == plain.sample(mask) for mask in masks(rng, 30, 200))


@pytest.mark.parametrize(
    "mask",
    [
        np.full(4, 2, np.int8), np.array([1, -1, 1, 0], np.int8), np.array([0, -128], np.int8),
        np.ones(4), np.ones(5, np.int8), np.ones((4, 1), np.int8), [1, 0, 1, 0], np.ones(4, bool),
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_no_mask_is_refused_in_gymnasiums_words(mask):
    said = []
    for space in (Discrete(4, seed=1), spaces.Discrete(4, seed=1)):
        with pytest.raises(AssertionError) as error:
            space.sample(mask)
        said.append(str(error.value))
    assert said[0] == said[1]
    with pytest.raises(ValueError, match="Only one of"):
        Discrete(4).sample(np.ones(4, np.int8), np.ones(4) / 4)


def test_masks_of_any_layout(rng):
    every = rng.integers(0, 2, (9, 9)).astype(np.int8)
    read_only = every[3].copy()
    read_only.flags.writeable = False
    for mask in (every[:, 4], every[2, ::-1], every.T[1], read_only):
        ours, plain = Discrete(9, seed=2), spaces.Discrete(9, seed=2)
        assert [ours.sample(mask) for _ in range(50)] == [plain.sample(mask) for _ in range(50)]


@pytest.mark.parametrize("space", [Discrete(50, seed=4), MultiDiscrete([50, 50], seed=4)], ids=repr)
def test_copies_go_on_by_themselves(space):
    """A copy draws what the original would, and does not move the original's generator."""
    mask = np.ones(50, np.int8)
    given = mask if isinstance(space, Discrete) else (mask, mask)
    space.sample(given)
    twins = [pickle.loads(pickle.dumps(space)), copy.deepcopy(space)]
    expected = [np.array(space.sample(given)).tolist() for _ in range(20)]
    for twin in twins:
        assert type(twin) is type(space) and twin == space
        assert [np.array(twin.sample(given)).tolist() for _ in range(20)] == expected
    assert copy.copy(space).np_random is space.np_random


def test_they_are_gymnasiums():
    ours, plain = Discrete(7), spaces.Discrete(7)
    assert ours == plain and plain == ours and ours != spaces.Discrete(8)
    assert isinstance(ours, spaces.Discrete) and repr(ours) == repr(plain)
    assert type(ours).__name__ == "Discrete"  # which some learners compare
    assert 6 in ours and 7 not in ours and spaces.flatdim(ours) == 7
    batched = batch_space(ours, 3)
    assert type(batched) is MultiDiscrete and batched == batch_space(plain, 3)


def test_draws_of_many_are_gymnasiums(rng, seed):
    sizes = [3, 9, 40]
    ours, plain = MultiDiscrete(sizes, seed=seed), spaces.MultiDiscrete(sizes, seed=seed)
    for _ in range(200):
        given = tuple(next(masks(rng, n, 1)) for n in sizes)
        drawn = ours.sample(given)
        assert np.array_equal(drawn, plain.sample(given)) and drawn.dtype == np.int64
    assert np.array_equal(ours.sample(), plain.sample())
    for wrong in ((np.ones(3, np.int8),), [*given], (*given[:2], np.ones(40))):
        with pytest.raises(AssertionError):
            ours.sample(wrong)


def test_environments_hand_them_out():
    """In the AEC, the parallel, the single and the vector form; each agent draws by itself."""
    env = envs.make("tower_defence")
    assert all(type(env.action_space(agent)) is Discrete for agent in env.possible_agents)
    assert env.action_space("player_0") is not env.action_space("player_1")
    assert type(pickle.loads(pickle.dumps(env)).action_space("player_0")) is Discrete
    assert type(SingleAgentEnv("tictactoe").action_space) is Discrete
    many = gymnasium.make_vec("stratagym/Tictactoe-v0", num_envs=5)
    assert type(many.single_action_space) is Discrete and type(many.action_space) is MultiDiscrete
    _, infos = many.reset(seed=1)
    actions = many.action_space.sample(tuple(infos["action_mask"]))
    assert infos["action_mask"][np.arange(5), actions].all()


def test_the_loop_of_the_readme_plays_legal_games(seed):
    env = envs.make("connect_four", illegal="raise")
    for agent in env.possible_agents:
        env.action_space(agent).seed(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        _, _, termination, truncation, info = env.last()
        done = termination or truncation
        env.step(None if done else env.action_space(agent).sample(info["action_mask"]))
