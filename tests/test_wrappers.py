"""The Gymnasium forms: one game for one learner, and many games in one array."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pytest
import tug
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env, data_equivalence
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from pettingzoo.test import api_test

from stratagym.agents import kernels
from stratagym.agents import opponents as learner
from stratagym.agents.core import Policy, View, make_policy
from stratagym.envs import core, games, make, spec
from stratagym.wrappers.single_agent import SingleAgentEnv
from stratagym.wrappers.tensor import TensorObservation
from stratagym.wrappers.text import OK, TextObservation
from stratagym.wrappers.vector import VectorEnv


def gymnasium_id(game: str) -> str:
    title = "".join(part.capitalize() for part in game.split("_"))
    return f"stratagym/{title}-v{spec(game).version}"


def sample(rng: np.random.Generator, mask: np.ndarray) -> int:
    return int(rng.choice(np.flatnonzero(mask)))


def sample_each(rng: np.random.Generator, masks: np.ndarray) -> np.ndarray:
    return np.array([sample(rng, mask) for mask in masks])


class Scripted(Policy):
    """The lowest legal action; remembers whose turns it was asked for."""

    def __init__(self, name: str = "scripted"):
        self.name = name
        self.seats: list[int] = []

    def act(self, view: View) -> int:
        self.seats.append(view.seat)
        return int(view.legal[0])


# --- SingleAgentEnv ------------------------------------------------------------------------------


@pytest.mark.parametrize("game", games())
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
@pytest.mark.usefixtures("unsaved")
def test_rewards_between_two_decisions(seat, compiled):
    """In Tug, where all moves pay: random opponents, or the caller's that take all they may."""
    rules = tug.Rules(11)
    policy = kernels.KernelPolicy("random", kernels.RANDOM)
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
    def wrong(view: View) -> int:
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


# --- VectorEnv -----------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", list(AutoresetMode)[:2])
@pytest.mark.parametrize(
    ("opponent", "seat", "as_dict"),
    [
        ("random", 0, False),
        (["gt:1", "random", "heuristic"], "rotate", True),
        ("heuristic", "random", False),
        ("self", 0, True),
    ],
)
def test_vector_env_is_gymnasiums_vector_of_single_envs(seed, mode, opponent, seat, as_dict):
    """Everything that SyncVectorEnv gives, over several episodes, illegal actions among them."""
    n, options = 5, {"seat": seat, "dict_observation": as_dict, "max_rolls": 90}
    many = VectorEnv("ludo", n, opponent, autoreset_mode=mode, **options)
    sync = SyncVectorEnv(
        [lambda: SingleAgentEnv("ludo", opponent, **options) for _ in range(n)],
        autoreset_mode=mode,
    )
    assert many.single_observation_space == sync.single_observation_space
    assert many.observation_space == sync.observation_space
    assert many.action_space == sync.action_space
    assert many.metadata["autoreset_mode"] is mode
    rng = np.random.default_rng(seed)
    seeds = [seed % 2**40 + 7 * k for k in range(n)]
    one: tuple[Any, ...] = many.reset(seed=seeds)
    other: tuple[Any, ...] = sync.reset(seed=seeds)
    ends = 0
    for _ in range(150):
        assert one[0] in many.observation_space
        over = np.zeros(n, bool)
        if len(one) == 5:
            for k in (1, 2, 3):
                assert one[k].dtype == other[k].dtype
                assert (one[k] == other[k]).all()
            over = one[2] | one[3]
            ends += over.sum()
        waiting = over & (mode is AutoresetMode.NEXT_STEP)
        masks = one[-1]["action_mask"]
        assert masks[waiting].all()
        assert (masks[~waiting] == other[-1]["action_mask"][~waiting]).all()
        assert (many.action_masks() == (masks == 1)).all()
        assert many.action_masks().dtype == np.bool_
        views = [told[0]["observation"] if as_dict else told[0] for told in (one, other)]
        assert (views[0] == views[1]).all()
        if as_dict:
            assert (one[0]["action_mask"] == masks).all()
        assert (one[-1]["seat"] == other[-1]["seat"]).all()
        assert one[-1]["_action_mask"].all()
        assert one[-1]["_seat"].all()
        if opponent == "self" and len(one) == 5:
            told = other[-1].get("_rewards", np.zeros(n, bool))
            assert (one[-1]["rewards"][told] == other[-1]["rewards"][told]).all()
        for key in ("final_obs", "_final_obs", "final_info", "_final_info"):
            assert (key in one[-1]) == (key in other[-1])
            assert data_equivalence(one[-1].get(key), other[-1].get(key), exact=True)
        actions = sample_each(rng, masks)
        actions[rng.random(n) < 0.01] = 4
        one, other = many.step(actions), sync.step(actions)
    assert ends > n


def test_seeds_of_a_vector_env(seed):
    """A whole number gives derived seeds, which as a list give the same games."""
    many = VectorEnv("ludo", 4)
    first = many.reset(seed=seed)[0].copy()
    assert many.seeds.tolist() == [
        int(core.derive_seed(np.uint64(seed), np.uint64(i))) for i in range(4)
    ]
    assert (VectorEnv("ludo", 4).reset(seed=many.seeds)[0] == first).all()
    assert (VectorEnv("ludo", 2).reset(seed=seed)[0] == first[:2]).all()
    second = many.reset()[0]
    many.reset(seed=seed)
    assert (many.reset()[0] == second).all()
    assert VectorEnv("ludo", 4).reset()[0].tobytes() != VectorEnv("ludo", 4).reset()[0].tobytes()


def test_what_a_vector_env_returned_stays_as_it_was(seed):
    many = VectorEnv("ludo", 3, autoreset_mode="SameStep", dict_observation=True, max_rolls=40)
    told: list[tuple[Any, ...]] = [many.reset(seed=seed)]
    kept = [copy.deepcopy(told[0])]
    for _ in range(40):
        told.append(many.step(many.action_masks().argmax(1)))
        kept.append(copy.deepcopy(told[-1]))
    assert data_equivalence(told, kept, exact=True)
    assert any("final_obs" in one[-1] for one in told)


def test_disabled_autoreset_and_reset_masks(seed):
    many = VectorEnv("ludo", 3, autoreset_mode=AutoresetMode.DISABLED, max_rolls=40)
    with pytest.raises(ResetNeeded):
        many.step(np.zeros(3, np.int64))
    many.reset(seed=seed)
    over = np.zeros(3, bool)
    while not over.any():
        observations, _, terminations, truncations, _ = many.step(many.action_masks().argmax(1))
        over = terminations | truncations
    with pytest.raises(ResetNeeded, match=f"game {over.argmax()} is over"):
        many.step(np.zeros(3, np.int64))
    states = many.states.copy()
    again, infos = many.reset(options={"reset_mask": over})
    assert (many.states[~over] == states[~over]).all()
    assert (again[~over] == observations[~over]).all()
    assert (infos["_action_mask"] == over).all()
    assert many.action_masks().any(axis=1).all()
    many.step(many.action_masks().argmax(1))
    for wrong in (np.ones(2, bool), np.ones(3, int)):
        with pytest.raises(ValueError, match="reset_mask"):
            many.reset(options={"reset_mask": wrong})


def test_illegal_actions_of_a_vector_env(seed):
    many = VectorEnv("ludo", 4, illegal="raise")
    many.reset(seed=seed)
    while many.action_masks()[2].all():
        many.step(many.action_masks().argmax(1))
    states, masks = many.states.copy(), many.action_masks()
    actions = masks.argmax(1)
    actions[2] = masks[2].argmin()
    with pytest.raises(ValueError, match=f"game 2 may not play {actions[2]}; legal: "):
        many.step(actions)
    assert (many.states == states).all()
    assert (many.action_masks() == masks).all()
    many.step(masks.argmax(1))
    for wrong in (np.zeros(3, np.int64), np.zeros(4), np.zeros((4, 1), np.int64)):
        with pytest.raises(ValueError, match="integers are needed"):
            many.step(wrong)


@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_gymnasiums_statistics_agree_with_the_returns(seed, mode):
    many: Any = RecordEpisodeStatistics(
        gymnasium.make_vec("stratagym/Ludo-v0", num_envs=64, opponent="random", autoreset_mode=mode)
    )
    many.reset(seed=seed)
    episodes = []
    for _ in range(250):
        _, _, _, _, infos = many.step(many.unwrapped.action_masks().argmax(1))
        if "episode" in infos:
            episodes += infos["episode"]["r"][infos["_episode"]].tolist()
    assert len(episodes) >= 64
    assert {round(value, 6) for value in episodes} == {1.0, round(-1 / 3, 6)}


def test_the_heuristic_beats_random_players_through_every_form(seed):
    """A sanity check of who sits where: four to one is far outside chance (a quarter each)."""
    many = VectorEnv("ludo", 200, ["random", "heuristic", "random"], "rotate")
    rng = np.random.default_rng(seed)
    many.reset(seed=seed)
    wins = games_played = 0
    for _ in range(500):
        _, rewards, terminations, _, _ = many.step(sample_each(rng, many.action_masks()))
        wins += (rewards[terminations] > 0).sum()
        games_played += terminations.sum()
    assert games_played > 300
    assert wins / games_played < 0.25


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


@pytest.mark.parametrize("game", games())
def test_make_and_make_vec(game):
    one = gymnasium.make(gymnasium_id(game), opponent="heuristic")
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


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        ({"num_envs": 0}, ["num_envs=0", "at least 1"]),
        ({"autoreset_mode": "later"}, ["'later'", "NextStep", "SameStep", "Disabled"]),
        ({"opponent": Scripted()}, ["compiled", "SingleAgentEnv"]),
        ({"render_mode": "human"}, ["'human'", "ansi, rgb_array"]),
    ],
    ids=",".join,
)
def test_wrong_arguments_of_a_vector_env(options, parts):
    with pytest.raises(ValueError) as error:
        VectorEnv("ludo", **options)
    assert all(part in str(error.value) for part in parts)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("wrong", [[1, 2], np.zeros((2, 2), np.int64)])
def test_wrong_seeds_of_a_vector_env(wrong):
    with pytest.raises(ValueError, match="seed: one whole number or 3 of them"):
        VectorEnv("ludo", 3).reset(seed=wrong)


def test_an_aec_environment_of_words(seed):
    """Prompts for observations, replies for actions; a bad reply is an illegal action."""
    env = TextObservation(make("ludo", players=2))
    env.reset(seed=seed)
    for agent in env.agent_iter(40):
        prompt, _, termination, truncation, info = env.last()
        if termination or truncation:
            env.step(None)
            continue
        assert prompt == info["messages"][0]["content"]
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
