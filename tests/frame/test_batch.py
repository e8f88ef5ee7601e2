"""``BatchEnv``: what it refuses, threads, observations on demand, masks."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import sys
import threading
from typing import Any

import numpy as np
import pytest
from ours import our_games

from stratagym import envs
from stratagym.envs import core, make_batch, make_state, spec
from stratagym.envs.aec import GameEnv
from stratagym.envs.batch import BatchEnv
from stratagym.envs.threads import Helpers

ARRAYS = (
    "states", "episodes", "observations", "action_masks", "players", "rewards", "terminations",
    "truncations", "lengths", "episode_returns", "episode_lengths",
)  # fmt: skip


def told(batch: BatchEnv) -> dict[str, np.ndarray]:
    return {name: getattr(batch, name).copy() for name in ARRAYS}


def same(one: BatchEnv, other: BatchEnv) -> bool:
    return all(np.array_equal(getattr(one, name), getattr(other, name)) for name in ARRAYS)


def choose(batch: BatchEnv, rng: np.random.Generator) -> np.ndarray:
    return (batch.action_masks * (1 + rng.random(batch.action_masks.shape))).argmax(1)


@pytest.mark.parametrize("game", our_games())
def test_threads_change_nothing(game, seed):
    """Every array is the same, bit by bit, with 1, 2 and 3 threads, over ends and new starts."""
    batches = [make_batch(game, 7, seed=seed, threads=threads) for threads in (1, 2, 3)]
    rng = np.random.default_rng(seed)
    for _ in range(min(400, 3 * batches[0].spec.max_game_length)):
        actions = choose(batches[0], rng)
        for batch in batches:
            batch.step(actions)
        assert same(batches[0], batches[1]) and same(batches[0], batches[2])
    for batch in batches:
        batch.reset(seed)
    assert same(batches[0], batches[1])


def test_more_threads_than_games():
    assert make_batch("tictactoe", 2, threads=64).threads == 2


@pytest.mark.parametrize("game", our_games())
def test_masks_are_the_legal_actions(game, seed):
    """Old bits are gone, in games with few actions and with many, and after a reset."""
    batch = make_batch(game, 3, seed=seed)
    rng, legal = np.random.default_rng(seed), core.new_scratch(batch.rules)[0]
    for k in range(120):
        if k == 60:
            batch.reset(seed + 1)
        for i in range(3):
            n = core.legal_actions_at(batch.rules, batch.states, i, legal)
            assert np.flatnonzero(batch.action_masks[i]).tolist() == legal[:n].tolist()
        batch.step(choose(batch, rng))


def test_masks_of_games_that_are_over_and_of_very_many_actions(seed):
    """Hold'em with every amount has more legal actions than are kept."""
    poker = spec("texas_holdem")
    rules = poker.make_rules(raises="chips", hands=1)
    batch = BatchEnv(poker, rules, 4, seed=seed, autoreset=False)
    rng = np.random.default_rng(seed)
    while (batch.players >= 0).any():
        assert (batch.action_masks.sum(1) > 0).tolist() == (batch.players >= 0).tolist()
        batch.step(choose(batch, rng))
    assert not batch.action_masks.any()
    batch.step(np.zeros(4, np.int64))
    assert not batch.rewards.any()


@pytest.mark.parametrize("game", ["chess", "ludo"])
def test_observations_on_demand(game, seed):
    eager, lazy = make_batch(game, 5, seed=seed), make_batch(game, 5, seed=seed, observe=False)
    rng = np.random.default_rng(seed)
    assert not lazy.observations.any()
    for _ in range(30):
        actions = choose(eager, rng)
        eager.step(actions)
        lazy.step(actions)
        assert np.array_equal(eager.action_masks, lazy.action_masks)
    assert not lazy.observations.any()
    assert lazy.observe() is lazy.observations
    assert same(eager, lazy)


@pytest.mark.parametrize(
    "wrong",
    [
        [0],
        np.zeros((3, 1), np.int64),
        np.zeros(4, np.int64),
        np.zeros(3),
        np.zeros(3, bool),
        ["0", "1", "2"],
        [[0], [1, 2], [3]],
        0,
        None,
    ],
    ids=repr,
)
def test_actions_of_another_shape_or_type(wrong):
    batch = make_batch("connect_four", 3, seed=1)
    before = told(batch)
    with pytest.raises(ValueError, match=r"connect_four: actions of shape .*; \(3,\) integers"):
        batch.step(wrong)
    assert all(np.array_equal(before[name], getattr(batch, name)) for name in ARRAYS)


@pytest.mark.parametrize(
    "actions", [[1, 2, 3], np.array([1, 2, 3], np.int8), np.arange(1, 7, dtype=np.uint64)[:3]]
)
def test_any_integers_are_actions(actions):
    one, other = make_batch("connect_four", 3), make_batch("connect_four", 3)
    one.step(actions)
    other.step(np.array([1, 2, 3]))
    assert same(one, other)


@pytest.mark.parametrize("wrong", [7, -1, 2**63 - 1, -(2**63)])
def test_illegal_actions_step_nothing(wrong):
    batch = make_batch("connect_four", 3, threads=2)
    before = told(batch)
    with pytest.raises(ValueError, match=f"game 1 may not play {wrong}; legal: "):
        batch.step([0, wrong, 0])
    assert all(np.array_equal(before[name], getattr(batch, name)) for name in ARRAYS)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, r"seed=-1; a whole number from 0 to 2\*\*64 - 1"),
        ({"seed": 2**64}, "seed=18446744073709551616; a whole"),
        ({"seed": 1.5}, "seed=1.5; a whole"),
        ({"seed": "1"}, "seed='1'; a whole"),
        ({"seed": [1, 2]}, "seed: one whole number or 3 of them"),
        ({"seed": [1, -2, 3]}, "seed=-2; a whole"),
        ({"seed": np.array([1.0, 2.0, 3.0])}, "seed=.*1.0.*; a whole"),
        ({"threads": 0}, "threads=0; a whole number of at least 1"),
        ({"threads": 1.5}, "threads=1.5; a whole"),
        ({"threads": True}, "threads=True; a whole"),
        ({"num_envs": 0}, "num_envs=0; a whole number of at least 1"),
        ({"num_envs": 2.5}, "num_envs=2.5; a whole"),
    ],
)
def test_wrong_arguments_are_one_line(arguments, message):
    given: dict[str, Any] = {"num_envs": 3, **arguments}
    with pytest.raises(ValueError, match=message) as error:
        make_batch("ludo", **given)
    assert "\n" not in str(error.value)


def test_a_wrong_seed_leaves_the_games_as_they_are():
    batch = make_batch("ludo", 3, seed=5)
    before = told(batch)
    for seed in (-1, [1, 2], np.array([1, -1, 2])):
        with pytest.raises(ValueError):
            batch.reset(seed)
    assert all(np.array_equal(before[name], getattr(batch, name)) for name in ARRAYS)
    batch.reset([1, 2, 3])
    assert batch.seeds.tolist() == [1, 2, 3] and batch.seeds.dtype == np.uint64


def test_seeds_of_games_follow_from_one(seed):
    batch = make_batch("ludo", 5, seed=seed)
    assert batch.seeds.tolist() == [
        int(core.derive_seed(np.uint64(seed), np.uint64(i))) for i in range(5)
    ]


def test_copies_play_on(seed):
    batch = make_batch("ludo", 6, seed=seed, threads=2)
    rng = np.random.default_rng(seed)
    batch.step(choose(batch, rng))
    twins = [pickle.loads(pickle.dumps(batch)), copy.deepcopy(batch), batch.copy()]
    for _ in range(20):
        actions = choose(batch, rng)
        for one in (batch, *twins):
            one.step(actions)
    assert all(same(batch, twin) for twin in twins)
    twins[2].step(choose(batch, rng))
    assert same(batch, twins[0]) and not same(batch, twins[2])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_has_threads_of_its_own(seed):
    batch = make_batch("ludo", 6, seed=seed, threads=2)
    batch.step(batch.action_masks.argmax(1))
    child = os.fork()
    if child == 0:
        try:
            batch.step(batch.action_masks.argmax(1))
            os._exit(0)
        finally:  # no error leads into a second run of the tests
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0, sys.platform


# --- ends, starts and positions ------------------------------------------------------------------


def assert_ends_are_the_environments(batch: BatchEnv, actions: list[np.ndarray]) -> int:
    """Play the ``actions`` (steps of (N,)) in a batch and in ``GameEnv``; returns how many games
    ended. What a batch keeps of an end is what every agent of the environment sees and got."""
    seats, episodes = batch.rules.num_players, batch.episodes.copy()
    environments = [GameEnv(batch.spec, batch.rules) for _ in range(batch.num_envs)]
    plies = np.zeros(batch.num_envs, int)
    for i, env in enumerate(environments):
        env.reset(seed=int(core.derive_seed(batch.seeds[i], np.uint64(episodes[i]))))
    assert batch.final_observations is not None
    ended = 0
    for chosen in actions:
        kept = batch.final_observations.copy()
        batch.step(chosen)
        for i, env in enumerate(environments):
            env.step(int(chosen[i]))
            plies[i] += 1
            names = env.possible_agents
            assert batch.rewards[i].tolist() == [env.rewards[name] for name in names]
            assert batch.terminations[i] == all(env.terminations.values())
            assert batch.truncations[i] == all(env.truncations.values())
            if not (batch.terminations[i] or batch.truncations[i]):
                assert (batch.final_observations[i] == kept[i]).all()
                continue
            ended += 1
            for seat, name in enumerate(names):
                seen = env.observe(name)["observation"]
                assert (batch.final_observations[i, seat] == seen).all()
            total = np.zeros(seats)
            core.returns_at(batch.rules, env.states, 0, total)
            assert (batch.episode_returns[i] == total).all()
            assert batch.episode_lengths[i] == plies[i]
            plies[i] = 0
            assert batch.episodes[i] > episodes[i]
            episodes[i] = batch.episodes[i]
            env.reset(seed=int(core.derive_seed(batch.seeds[i], np.uint64(episodes[i]))))
            assert env.states["rng"][0] == batch.states["rng"][i]
    return ended


@pytest.mark.parametrize("game", our_games())
def test_ends_are_those_of_the_environment(game, seed):
    """Random games, threads among them; views, states, observations at the end, returns."""
    eager = make_batch(game, 3, seed=seed, threads=2, final_observations=True)
    plain = make_batch(game, 3, seed=seed)
    rng, steps, ends = np.random.default_rng(seed), [], 0
    for _ in range(min(150, 3 * plain.spec.max_game_length)):
        steps.append(choose(plain, rng))
        plain.step(steps[-1])
        ends += int((plain.terminations | plain.truncations).sum())
    assert assert_ends_are_the_environments(eager, steps) == ends
    assert same(eager, plain) and plain.final_observations is None
    seen = plain.views()
    assert (seen[np.arange(3), plain.players] == plain.observations).all()
    given = np.empty_like(seen)
    assert plain.views(given) is given and (given == seen).all()
    assert (plain.state() == seen.reshape(3, plain.rules.num_players, -1)).all()


def test_truncated_games_keep_their_last_observations(seed):
    batch = make_batch("ludo", 5, seed=seed, players=2, max_rolls=40, final_observations=True)
    plain = make_batch("ludo", 5, seed=seed, players=2, max_rolls=40)
    rng, steps = np.random.default_rng(seed), []
    for _ in range(90):
        steps.append(choose(plain, rng))
        plain.step(steps[-1])
    assert assert_ends_are_the_environments(batch, steps) >= 10
    assert not batch.terminations.any()


def test_without_autoreset_the_ends_stay(seed):
    options = {"seed": seed, "autoreset": False, "final_observations": True}
    batch = make_batch("connect_four", 20, **options)
    rng = np.random.default_rng(seed)
    while (batch.players >= 0).any():
        batch.step(choose(batch, rng))
    assert (batch.final_observations == batch.views()).all()
    assert (batch.episode_returns.sum(1) == 0).all() and not batch.episodes.any()
    assert (batch.episode_lengths == batch.states["plies"]).all()


def test_some_games_start_anew(seed):
    """From seeds of their own, or with their next episode; nothing of the others changes."""
    batch, mask = make_batch("ludo", 6, seed=seed), np.arange(6) % 2 == 0
    rng = np.random.default_rng(seed)
    for _ in range(10):
        batch.step(choose(batch, rng))
    before, seeds = told(batch), batch.seeds.copy()
    batch.reset(seed + 1, mask)
    fresh = make_batch("ludo", 6, seed=seed + 1)
    for name in ARRAYS:
        now = getattr(batch, name)
        assert np.array_equal(now[~mask], before[name][~mask]), name
        assert np.array_equal(now[mask], getattr(fresh, name)[mask]), name
    assert (batch.seeds == np.where(mask, fresh.seeds, seeds)).all()
    batch.reset(None)
    assert batch.episodes.tolist() == [1, 1 + before["episodes"][1], 1, *batch.episodes[3:]]
    for i in range(6):
        start = int(core.derive_seed(batch.seeds[i], np.uint64(batch.episodes[i])))
        assert make_state("ludo", start).states["rng"][0] == batch.states["rng"][i]


def test_games_go_on_from_positions(seed):
    """With dice of their own, or with the record's: then all of them play the same game."""
    source, batch = make_batch("ludo", 8, seed=seed), make_batch("ludo", 8, seed=seed + 1)
    rng = np.random.default_rng(seed)
    for _ in range(30):
        source.step(choose(source, rng))
    batch.begin(source.states)
    assert batch.states.tobytes() == source.states.tobytes()
    assert (batch.players == source.players).all() and not batch.lengths.any()
    assert (batch.observations == source.observations).all()
    assert (batch.action_masks == source.action_masks).all()
    for _ in range(20):
        actions = choose(source, rng)
        for one in (source, batch):
            one.step(actions)
        assert np.array_equal(source.rewards, batch.rewards)
    mask = np.arange(8) > 1
    before = told(batch)
    batch.begin(source.states[0], mask)
    assert (batch.states[mask] == source.states[0]).all()
    assert np.array_equal(batch.states[~mask], before["states"][~mask])
    batch.begin(source.states[:1], seed=5)
    assert len(set(batch.states["rng"].tolist())) == 8
    again = make_batch("ludo", 8)
    again.begin(source.states[0], seed=5)
    assert same(again, batch)


def test_wrong_positions_and_masks_leave_the_games_as_they_are():
    batch = make_batch("tictactoe", 3)
    other, before = make_batch("ludo", 3), told(batch)
    over = make_state("tictactoe")
    for action in (0, 3, 1, 4, 2):
        over.apply_action(action)
    for call, message in (
        (lambda: batch.begin(other.states), "one record of this game or"),
        (lambda: batch.begin(batch.states[:2]), r"states of shape \(2,\)"),
        (lambda: batch.begin(np.zeros(3)), "one record of this game or"),
        (lambda: batch.begin(over.states), "the game of state 0 is over"),
        (lambda: batch.begin(batch.states, seed=-1), "seed=-1"),
        (lambda: batch.reset(1, [True]), r"mask of shape \(1,\) .*; \(3,\) bool is needed"),
        (lambda: batch.reset(1, np.ones(3)), "mask of shape .* float64; .* bool is needed"),
        (lambda: batch.views(np.zeros(3)), "out: a C-contiguous array of shape"),
    ):
        with pytest.raises(ValueError, match=message) as error:
            call()
        assert "\n" not in str(error.value)
        assert all(np.array_equal(before[name], getattr(batch, name)) for name in ARRAYS)
    ending = make_batch("tictactoe", 3, autoreset=False)
    ending.begin(over.states)
    assert (ending.players == core.TERMINAL).all()


def test_every_game_takes_threads_from_make_batch():
    assert envs.make_batch("ludo", 4, threads=2, players=2).threads == 2


# --- the threads ---------------------------------------------------------------------------------


def test_helpers_do_all_the_work_and_pass_on_what_goes_wrong():
    helpers, did, meeting = Helpers(2), [], threading.Barrier(3)

    def work(number: int) -> None:
        did.append((number, threading.get_ident()))
        if number < 0:
            raise ValueError(number)
        if number < 3:
            meeting.wait(timeout=20)

    helpers.share(work, [(number,) for number in range(20)])
    assert sorted(number for number, _ in did) == list(range(20))
    assert len({thread for _, thread in did}) == 3
    for numbers in ((-1, 3, 4, 5), (3, 4, 5, -2), (-3, -4, -5, 3)):
        did.clear()
        with pytest.raises(ValueError, match="-"):
            helpers.share(work, [(number,) for number in numbers])
        assert sum(number < 0 for number, _ in did) == sum(number < 0 for number in numbers)
    did.clear()
    helpers.share(work, [(0,), (1,), (2,)])
    assert len(did) == 3


def test_many_parts_to_a_thread_change_nothing(monkeypatch, seed):
    monkeypatch.setattr("stratagym.envs.batch.LEAST_GAMES", 1)
    batches = [make_batch("ludo", 70, seed=seed, threads=threads) for threads in (1, 2, 3)]
    for _ in range(60):
        for batch in batches:
            batch.step(batch.action_masks.argmax(axis=1))
        for name in ("states", "observations", "action_masks", "players", "rewards"):
            first, *others = (getattr(batch, name).tobytes() for batch in batches)
            assert others == [first, first], name


def test_threads_end_with_their_batch():
    before = set(threading.enumerate())
    batch = make_batch("tictactoe", 6, threads=3)
    batch.reset(seed=1)
    started = set(threading.enumerate()) - before
    assert len(started) == 2
    del batch
    gc.collect()
    for thread in started:
        thread.join(timeout=20)
    assert not any(thread.is_alive() for thread in started)


def test_games_that_end_before_a_decision_are_passed_over(seed):
    """Three throws without a six end a game of Ludo; under autoreset nobody waits for it."""
    batch = make_batch("ludo", 40, seed=seed, players=2, max_rolls=3)
    begun = [batch.episodes.copy()]
    for _ in range(60):
        assert (batch.players >= 0).all() and batch.action_masks.any(axis=1).all()
        batch.step(batch.action_masks.argmax(axis=1))
        begun.append(batch.episodes.copy())
    assert (np.diff(begun, axis=0) > 1).any() and (begun[0] > 0).any()
    # Each goes on as the episode of its number does.
    env = envs.make("ludo", players=2, max_rolls=3)
    batch.reset(seed)
    for i in range(40):
        env.reset(seed=int(core.derive_seed(batch.seeds[i], np.uint64(batch.episodes[i]))))
        assert env.states["rng"][0] == batch.states["rng"][i]
        for skipped in range(batch.episodes[i]):
            env.reset(seed=int(core.derive_seed(batch.seeds[i], np.uint64(skipped))))
            assert not env.last()[4]["action_mask"].any()
