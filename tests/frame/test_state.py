"""``State``: one game stepped by hand, beside the environments and the kernel."""

from __future__ import annotations

import copy
import pickle
import random
import sys

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


@pytest.mark.parametrize("game", our_games())
def test_a_child_is_a_copy_that_has_moved(game, seed):
    """Beside ``core.play_at`` on a copy of the record, and what is legal then beside the kernel."""
    state, rng = make_state(game, seed=seed), random.Random(seed)
    legal, probs = core.new_scratch(state.rules)
    for _ in range(30):
        if state.is_terminal():
            break
        before, ply, actions = state.states.tobytes(), state.ply, state.legal_actions()
        action = rng.choice(actions)
        twin = state.child(action)
        expected = np.frombuffer(bytearray(before), state.states.dtype)
        player, n = core.play_at(state.rules, expected, 0, action, legal, probs)
        assert twin.states.tobytes() == expected.tobytes()
        assert (twin.current_player(), twin.ply) == (player, ply + 1)
        assert twin.legal_actions() == legal[:n].tolist()
        assert (state.states.tobytes(), state.ply) == (before, ply)
        assert state.legal_actions() == actions
        assert isinstance(twin, State) and repr(twin).partition("(")[0] == "State"
        state = twin


@pytest.mark.parametrize("game", ["gomoku", "chess", "hanabi", "connect_four"])
def test_states_of_one_game_do_not_disturb_each_other(game, seed):
    """They share the list of legal actions: whoever is asked, in whatever order, answers right."""
    rng = random.Random(seed)
    states = [make_state(game, seed=seed % 1000 + k) for k in range(6)]
    legal, _ = core.new_scratch(states[0].rules)
    for step in range(300):
        k = rng.randrange(len(states))
        state, other = states[k], states[rng.randrange(len(states))]
        if state.is_terminal():
            state.reset(step)
            continue
        n = core.legal_actions_at(state.rules, state.states, 0, legal)
        expected = legal[:n].tolist()
        other.legal_actions()
        action = rng.randrange(state.rules.num_actions)
        assert state.is_legal(action) == (action in expected)
        other.clone()
        assert state.legal_actions() == expected
        change = rng.randrange(4)
        if change == 0:
            states[k] = state.child(rng.choice(expected))
        elif change == 1:
            states[k] = state.clone()
        elif change == 2:
            other.returns()
            state.apply_action(rng.choice(expected))
        elif not other.is_terminal():
            states[k] = copy.copy(other)


def test_another_thread_may_list_in_between(monkeypatch):
    """Where a state lists its actions anew, and another one does so before it has read them."""
    state, other = make_state("connect_four"), make_state("connect_four", seed=1)
    look_again, threads = State._look_again, [other, other]

    def disturbed(self):
        look_again(self)
        if threads:
            look_again(threads.pop())

    monkeypatch.setattr(State, "_look_again", disturbed)
    for ask in (state.legal_actions, lambda: state.is_legal(3)):
        look_again(other)
        threads[:] = [other, other]
        assert ask() in (list(range(7)), True)
        assert not threads


def test_lists_of_actions_are_the_callers(seed):
    """Each is new, of ints that are held and let go as often as any other list would."""
    state = make_state("chess", seed=seed)
    play(state, random.Random(seed), 20)
    once, again = state.legal_actions(), state.legal_actions()
    assert once == again and once is not again
    once.clear()
    assert state.legal_actions() == again
    action = max(again)
    counts = []
    for _ in range(3):
        counts.append(sys.getrefcount(action))
        many = [state.legal_actions() for _ in range(1000)]
        held = sys.getrefcount(action)
        del many
        assert action <= 256 or held == counts[-1] + 1000
    assert len(set(counts)) == 1
    assert all(type(action) is int for action in again)
    assert [type(gain) for gain in state.returns()] == [float, float]


@pytest.mark.parametrize("wrong", [1.0, True, "1", None, np.array([1]), np.float64(1), np.bool_(1)])
def test_what_is_no_action(wrong):
    state = make_state("connect_four")
    state.apply_action(3)
    before = state.states.tobytes()
    for call in (state.apply_action, state.is_legal, state.child):
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
    with pytest.raises(ValueError, match=r"player 0 may not play .*; legal: \[1, 2, 3, 4, 5, 6\]"):
        state.child(0 if isinstance(action, str) else action)
    assert (state.states.tobytes(), state.ply) == (before, 6)
    assert not state.is_legal(0 if isinstance(action, str) else action)


def test_after_the_end(rng):
    state = make_state("tictactoe")
    play(state, random.Random(1))
    with pytest.raises(ValueError, match=r"tictactoe: the game is over; call reset\(\)"):
        state.apply_action(0)
    with pytest.raises(ValueError, match=r"tictactoe: the game is over; call reset\(\)"):
        state.child(0)
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


def test_where_observations_are_written_to():
    """To an array that has room for one, each time to the one given."""
    chess, ludo = make_state("chess"), make_state("ludo")
    rooms = [chess.observation_tensor(), chess.observation_tensor(), ludo.observation_tensor()]
    expected = [room.copy() for room in rooms]
    for _ in range(3):
        for state, room, seen in zip((chess, chess, ludo), rooms, expected, strict=True):
            room[:] = 0
            assert state.observation_tensor(out=room) is room
            assert np.array_equal(room, seen)
    assert np.array_equal(chess.observation_tensor(1, rooms[0]), chess.observation_tensor(1))
    fixed = rooms[0].copy()
    fixed.flags.writeable = False
    wrong = [rooms[2], rooms[0][:-1], rooms[0].astype(np.float64), rooms[0].T, fixed]
    for room in wrong:
        with pytest.raises(ValueError, match=r"out has to be a C-contiguous, writeable array of"):
            chess.observation_tensor(out=room)


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
