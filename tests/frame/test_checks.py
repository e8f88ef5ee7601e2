"""What environments refuse, and what they say of an illegal action; exact rewards."""

from __future__ import annotations

import logging
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import tiny_games
from ours import our_games

from stratagym.envs import checks, core, make, make_batch, make_state
from stratagym.wrappers.parallel import parallel_env
from stratagym.wrappers.single_agent import SingleAgentEnv
from stratagym.wrappers.vector import VectorEnv

tiny_games.register()

NO_ACTIONS: list[Any] = [
    1.0, True, "a", "1", [0], (0,), {}, np.array([0]), np.array([0, 1]), np.float64(1.0),
    np.array(1.0), np.bool_(True), 1j, float("nan"),
]  # fmt: skip


# --- actions -------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", NO_ACTIONS, ids=repr)
@pytest.mark.parametrize("illegal", ["terminate", "raise"])
def test_what_is_no_action_leaves_the_environment_as_it_was(wrong, illegal):
    env = make("connect_four", illegal=illegal)
    env.reset(seed=1)
    env.step(3)
    before = env.states.tobytes(), env.agent_selection, dict(env.rewards), dict(env.terminations)
    with pytest.raises(TypeError) as error:
        env.step(wrong)
    message = str(error.value)
    assert message.startswith("connect_four: player_1's action has to be a whole number")
    assert "\n" not in message and type(wrong).__name__ in message
    assert before == (env.states.tobytes(), env.agent_selection, env.rewards, env.terminations)
    env.step(3)


@pytest.mark.parametrize("right", [3, np.int8(3), np.uint64(3), np.array(3)], ids=repr)
def test_any_whole_number_is_an_action(right):
    env = make("connect_four", illegal="raise")
    env.reset(seed=1)
    env.step(right)
    assert env.states["plies"][0] == 1


@pytest.mark.parametrize("wrong", NO_ACTIONS, ids=repr)
def test_what_is_no_action_leaves_a_learners_game_as_it_was(wrong):
    env = SingleAgentEnv("connect_four")
    env.reset(seed=1)
    before = env.states.tobytes()
    with pytest.raises(TypeError, match="connect_four: player_0's action"):
        env.step(wrong)
    assert env.states.tobytes() == before
    env.step(3)


@pytest.mark.parametrize("wrong", [1.0, True, "1", np.array([0])], ids=repr)
def test_what_is_no_action_leaves_a_parallel_game_as_it_was(wrong):
    env = parallel_env("bids")
    env.reset(seed=1)
    actions: dict[str, Any] = dict.fromkeys(env.agents, 0)
    actions[env.agents[-1]] = wrong
    before, agents = env._env.states.tobytes(), env.agents[:]
    with pytest.raises(TypeError, match=f"bids: {env.agents[-1]}'s action"):
        env.step(actions)
    assert (env._env.states.tobytes(), env.agents, env._cycles) == (before, agents, 0)


# --- what is said of an illegal action -----------------------------------------------------------


def occupied() -> tuple[int, Any]:
    """An illegal action in tic-tac-toe after square 4 is taken, and the mask there."""
    mask = np.ones(9, np.int8)
    mask[4] = 0
    return 4, mask


def the_same(told: dict[str, Any], agent: str, action: int, mask: np.ndarray) -> bool:
    return (told["agent"], told["action"]) == (agent, action) and np.array_equal(
        told["action_mask"], mask
    )


def test_the_info_says_which_action_was_illegal():
    action, mask = occupied()
    env = make("tictactoe")
    env.reset(seed=1)
    env.step(4)
    env.step(np.int64(action))
    assert all(env.terminations.values())
    while env.agents:
        info = env.last()[4]
        assert the_same(info["illegal"], "player_1", action, mask)
        assert not info["action_mask"].any()
        env.step(None)
    env.reset(seed=1)
    assert "illegal" not in env.last()[4]


@pytest.mark.parametrize("action", [9, -1, 2**70, None])
def test_the_info_says_what_was_no_action_of_the_game(action):
    env = make("tictactoe")
    env.reset(seed=1)
    env.step(action)
    assert the_same(env.last()[4]["illegal"], "player_0", action, np.ones(9))


def test_a_legal_end_says_nothing_of_illegal_actions():
    env = make("tictactoe")
    env.reset(seed=1)
    for action in (0, 3, 1, 4, 2):
        env.step(action)
    assert all(env.terminations.values())
    assert not any("illegal" in info for info in env.infos.values())


def test_a_learner_is_told_too():
    action, mask = occupied()
    env = SingleAgentEnv("tictactoe", "self")
    env.reset(seed=1)
    assert "illegal" not in env.step(4)[4]
    _, reward, terminated, _, info = env.step(action)
    assert (reward, terminated) == (-1, True)
    assert the_same(info["illegal"], "player_1", action, mask)
    many = VectorEnv("tictactoe", 3, "self")
    many.reset(seed=1)
    assert "illegal" not in many.step(np.array([4, 4, 4]))[4]
    infos = many.step(np.array([0, action, 99]))[4]
    assert infos["_illegal"].tolist() == [False, True, True]
    told = infos["illegal"]
    assert told["agent"].tolist() == [None, "player_1", "player_1"]
    assert told["action"].tolist() == [0, action, 99]
    assert np.array_equal(told["action_mask"], [0 * mask, mask, mask])


def test_an_offender_in_a_parallel_game_is_told():
    env = parallel_env("bids")
    _, infos = env.reset(seed=1)
    first, *others = env.agents
    actions = {agent: int(infos[agent]["action_mask"].argmax()) for agent in env.agents}
    found = env.step({**actions, first: 10_000})[4]
    assert the_same(found[first]["illegal"], first, 10_000, infos[first]["action_mask"])
    assert not any("illegal" in found[other] for other in others)


def test_a_warning_is_logged_once(caplog):
    checks.warn_of_illegal.cache_clear()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            env = make("tictactoe")
            env.reset(seed=1)
            env.step(-1)
    (record,) = caplog.records
    assert record.name == "stratagym" and record.levelno == logging.WARNING
    assert "tictactoe: an illegal action has ended the game" in record.getMessage()
    assert 'illegal="raise"' in record.getMessage()


# --- reset ---------------------------------------------------------------------------------------


def test_options_of_reset_are_not_ignored_in_silence(caplog):
    """PettingZoo's tests give an option that nobody knows, so it is logged; others are refused."""
    checks.warn_of_options.cache_clear()
    with caplog.at_level(logging.WARNING):
        for env in (make("ludo"), parallel_env("bids")):
            env.reset(seed=1, options={"players": 2})
            env.reset(seed=1, options={})
            env.reset(seed=1, options={"players": 2})
    assert len(caplog.records) == 2
    assert "ludo: reset(options=...) knows none, not 'players'" in caplog.text
    for one in (SingleAgentEnv("ludo"), VectorEnv("ludo", 2)):
        one.reset(seed=1, options={})
        before = one.states.tobytes()
        with pytest.raises(ValueError, match=r"ludo: reset\(options=...\) knows .*'players'"):
            one.reset(seed=2, options={"players": 2})
        assert one.states.tobytes() == before


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True, np.array([1])], ids=repr)
def test_a_seed_that_is_none_leaves_the_game_as_it_was(seed):
    env = make("ludo")
    env.reset(seed=5)
    before = env.states.tobytes()
    with pytest.raises(ValueError, match=r"a whole number from 0 to 2\*\*64 - 1"):
        env.reset(seed=seed)
    assert env.states.tobytes() == before
    with pytest.raises(ValueError, match=r"whole number"):
        VectorEnv("ludo", 2).reset(seed=seed)
    env.reset(seed=np.uint64(2**64 - 1))


def test_a_refusal_names_a_hundred_legal_actions_at_most():
    assert checks.some_of(range(100)) == str(list(range(100)))
    assert checks.some_of(range(9000)).endswith(", 99] and 8900 more")
    options = {"plays": "whole", "kickers": "loose"}
    env = make("dou_dizhu", illegal="raise", **options)
    batch, state = make_batch("dou_dizhu", 1, **options), make_state("dou_dizhu", **options)
    env.reset(seed=1)
    for step in (lambda: env.step(-1), lambda: batch.step([-1]), lambda: state.apply_action(-1)):
        with pytest.raises(ValueError, match=r"legal: \[") as caught:
            step()
        assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("wrong", [0, 1.5, True, "2"])
def test_counts(wrong):
    for call in (
        lambda: make("ludo", max_cycles=wrong),
        lambda: make_batch("ludo", wrong),
        lambda: VectorEnv("ludo", wrong),
    ):
        with pytest.raises(ValueError, match="a whole number of at least 1 is needed"):
            call()


@pytest.mark.parametrize(
    "wrong", [float("inf"), float("nan"), pytest.param(10**400, id="1e400"), np.bool_(True), 2.5]
)
@pytest.mark.parametrize("option", ["size", "komi"])
def test_numbers_of_options(option, wrong):
    if (option, wrong) == ("komi", 2.5):
        return  # which is a komi
    with pytest.raises(ValueError, match=rf"^go: option {option}=.*$"):
        make("go", **{option: wrong})


# --- exact rewards -------------------------------------------------------------------------------


def chips(value: float) -> int:
    """Big blinds as chips of 1/100, if they are a whole number of them to the last bit."""
    whole = round(value * 100)
    assert value == float(Fraction(whole, 100)), f"{value!r} big blinds"
    return whole


def test_holdem_pays_whole_chips(rng):
    """Each reward, and a batch's: to the last bit of the float; ``last`` tells their plain sum."""
    env, batch = make("texas_holdem"), make_batch("texas_holdem", 16, seed=int(rng.integers(2**32)))
    paid = set()
    for _ in range(10):
        env.reset(seed=int(rng.integers(2**63)))
        won = dict.fromkeys(env.possible_agents, 0)
        owed = dict.fromkeys(env.possible_agents, 0.0)
        for agent in env.agent_iter():
            _, reward, terminated, truncated, info = env.last()
            assert reward == owed[agent]
            if terminated or truncated:
                env.step(None)
                continue
            owed[agent] = 0.0
            env.step(int(rng.choice(np.flatnonzero(info["action_mask"]))))
            for one, gained in env.rewards.items():
                owed[one] += gained
                won[one] += chips(gained)
                paid.add(chips(gained))
        returns = np.zeros(2)
        core.returns_at(env.rules, env.states, 0, returns)
        assert list(won.values()) == [chips(one) for one in returns]
        for _ in range(50):
            batch.step((batch.action_masks * rng.random(batch.action_masks.shape)).argmax(1))
            assert all(chips(one) == -chips(other) for one, other in batch.rewards)
    assert len(paid) > 10


def test_a_learner_is_paid_whole_chips(rng):
    env, many = SingleAgentEnv("texas_holdem"), VectorEnv("texas_holdem", 8)
    many.reset(seed=int(rng.integers(2**32)))
    for _ in range(5):
        env.reset(seed=int(rng.integers(2**32)))
        over = False
        while not over:
            _, reward, over, _, _ = env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))
            chips(reward)
            actions = (many.action_masks() * rng.random((8, 8))).argmax(1)
            for one in many.step(actions)[1]:
                chips(one)


@pytest.mark.parametrize("game", our_games())
def test_rounding_changes_no_return(game, rng):
    """A return that a kernel gives is what rounding it gives."""
    rules = make(game).rules
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    out = np.zeros(rules.num_players)
    for _ in range(20):
        core.random_games(rules, states, legal, probs, np.uint64(rng.integers(2**63)), 1)
        core.returns_at(rules, states, 0, out)
        assert [core.round_return(rules, one) for one in out] == out.tolist()
