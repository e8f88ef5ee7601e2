"""``State``: one game stepped by hand, beside the environments and the kernel."""

from __future__ import annotations

import copy
import pickle
import random

import numpy as np
import pytest
from ours import our_games

from stratagym import envs
from stratagym.agents.core import decision_for
from stratagym.envs import core, make, make_state
from stratagym.envs.direct import calls
from stratagym.envs.state import State


def play(state: State, rng: random.Random, most: int = 10**9) -> list[int]:
    actions = []
    while not state.is_terminal() and len(actions) < most:
        actions.append(rng.choice(state.legal_actions()))
        state.apply_action(actions[-1])
    return actions


@pytest.mark.parametrize("game", our_games())
def test_a_state_is_the_environments_game(game, seed):
    """The same seed and actions: the same records, masks, observations, rewards, ends."""
    state, env = make_state(game, seed=seed), make(game, illegal="raise")
    env.reset(seed=seed)
    total, rng = np.zeros(state.rules.num_players), random.Random(seed)
    while not state.is_terminal():
        agent = env.agent_selection
        assert env.possible_agents[state.current_player()] == agent
        assert np.array_equal(state.states, env.states)
        seen = env.observe(agent)
        assert np.array_equal(state.observation_tensor(), seen["observation"])
        assert np.array_equal(state.legal_actions_mask(), seen["action_mask"])
        legal = state.legal_actions()
        assert legal == np.flatnonzero(seen["action_mask"]).tolist()
        action = rng.choice(legal)
        assert state.is_legal(action) and state.is_legal(np.int64(action))
        state.apply_action(action)
        env.step(action)
        total += list(env.rewards.values())
    assert np.array_equal(state.states, env.states)
    assert state.legal_actions() == [] and not state.legal_actions_mask().any()
    assert state.returns() == pytest.approx(total.tolist())
    assert {core.TERMINAL: env.terminations, core.TRUNCATED: env.truncations}[
        state.current_player()
    ][env.agent_selection]
    assert state.ply == env._cycles


@pytest.mark.parametrize("game", our_games())
def test_copies_play_on_like_the_original(game, seed):
    state = make_state(game, seed=seed)
    play(state, random.Random(seed), 5)
    twins = [state.clone(), pickle.loads(pickle.dumps(state)), copy.deepcopy(state)]
    before = state.states.tobytes()
    for twin in twins:
        assert (twin.ply, twin.legal_actions()) == (state.ply, state.legal_actions())
        play(twin, random.Random(seed))
        assert state.states.tobytes() == before
    actions = play(state, random.Random(seed))
    assert all(np.array_equal(state.states, twin.states) for twin in twins)
    assert state.ply == twins[0].ply == len(actions) + min(5, state.ply)


@pytest.mark.parametrize("wrong", [1.0, True, "1", None, np.array([1]), np.float64(1), np.bool_(1)])
def test_what_is_no_action(wrong):
    state = make_state("connect_four")
    state.apply_action(3)
    before = state.states.tobytes()
    for call in (state.apply_action, state.is_legal):
        with pytest.raises(TypeError, match=r"connect_four: player 1's action .* whole number"):
            call(wrong)
    assert (state.states.tobytes(), state.ply) == (before, 1)


@pytest.mark.parametrize("action", [-1, 7, 2**40, 2**80, -(2**80), np.int8(-3), "full"])
def test_an_illegal_action_leaves_the_game_as_it_was(action):
    state = make_state("connect_four")
    for _ in range(6):
        state.apply_action(0)
    before = state.states.tobytes()
    with pytest.raises(ValueError, match=r"player 0 may not play .*; legal: \[1, 2, 3, 4, 5, 6\]"):
        state.apply_action(0 if isinstance(action, str) else action)
    assert (state.states.tobytes(), state.ply) == (before, 6)
    assert not state.is_legal(0 if isinstance(action, str) else action)


def test_after_the_end(rng):
    state = make_state("tictactoe")
    play(state, random.Random(1))
    with pytest.raises(ValueError, match=r"tictactoe: the game is over; call reset\(\)"):
        state.apply_action(0)
    assert not state.is_legal(0)
    state.reset(3)
    assert (state.ply, state.current_player()) == (0, 0) and len(state.legal_actions()) == 9


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", True, None])
def test_a_seed_is_a_whole_number(seed):
    with pytest.raises(ValueError, match=r"seed=.*from 0 to 2\*\*64 - 1"):
        make_state("ludo", seed=seed)
    make_state("ludo", seed=np.uint64(2**64 - 1))


@pytest.mark.parametrize("game", ["hanabi", "texas_holdem"])
def test_a_redrawn_copy_agrees_with_what_the_seat_sees(game, seed):
    state = make_state(game, seed=seed)
    play(state, random.Random(seed), 7)
    for player in range(state.rules.num_players):
        twin = state.resample_from_infostate(player, seed)
        assert twin.states != state.states
        assert twin.states == state.resample_from_infostate(player, seed).states
        seen = state.observation_tensor(player)
        assert np.array_equal(twin.observation_tensor(player), seen)
        assert (twin.ply, twin.current_player()) == (state.ply, state.current_player())
        play(twin, random.Random(seed))
    with pytest.raises(ValueError, match="there is no seat 9"):
        state.observation_tensor(9)


def test_a_position_can_be_put_in():
    state, other = make_state("chess"), make_state("chess")
    other.apply_action(other.string_to_action("e2e4"))
    state.begin(other.states, ply=1)
    assert str(state) == str(other) and state.legal_actions() == other.legal_actions()
    assert state.action_to_string(state.string_to_action("e7e5")) == "e7e5"


def test_games_with_equal_rules_keep_apart():
    """Rules of tic-tac-toe and connect four are equal as tuples."""
    one, other = (envs.spec(game).make_rules() for game in ("tictactoe", "connect_four"))
    assert one == other
    assert calls(one) is not calls(other) and calls(one) is calls(one)
    assert make_state("tictactoe").legal_actions() == list(range(9))
    assert make_state("connect_four").legal_actions() == list(range(7))


def test_a_policy_gets_its_position_as_a_state(seed):
    state = make_state("hanabi", seed=seed)
    view = decision_for(state.spec, state.rules, state.states, seed)
    mine = view.state()
    assert mine.current_player() == view.seat and mine.legal_actions() == view.legal.tolist()
    assert np.array_equal(mine.observation_tensor(), view.observation())
    mine.apply_action(mine.legal_actions()[0])
    assert view.state().legal_actions() == view.legal.tolist()
