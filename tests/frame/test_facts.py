"""What a game says of itself: sizes, sides, the dtype of its state, what of its moves is counted.

This module is a game too: three seats in turn fill a row of cells, each move one or two, and the
two who sit around player 1 win together if the row is full after a move of theirs.
"""

from __future__ import annotations

import ast
import pickle
import sys
from types import ModuleType
from typing import NamedTuple

import numpy as np
import pytest
from numba import njit
from ours import our_games
from scripts import ROOT

from stratagym.envs import core, counting, spec, views
from stratagym.envs.aec import GameEnv
from stratagym.envs.batch import BatchEnv
from stratagym.envs.core import TERMINAL, GameSpec, Option, seed_rng, sizes
from stratagym.envs.facts import TAKEN

SPEC = GameSpec(name="row", title="Row", version=0, max_game_length=6, sides=((0, 2), (1,)))


@sizes(actions=2, observation=lambda rules: (rules.cells,), decisions=lambda rules: rules.cells)
class Rules(NamedTuple):
    cells: int = 6
    num_players: int = 3

    @property
    def state_dtype(self) -> np.dtype:
        return np.dtype([("rng", "u8"), ("row", "i1", (self.cells,)), ("seat", "i1")], align=True)


@njit
def filled(s):
    return s.row.sum()


@njit
def reset(rules, s, seed):
    seed_rng(s, seed)
    s.row[:] = 0
    s.seat = 0


@njit
def current_player(rules, s):
    return TERMINAL if filled(s) == rules.cells else s.seat


@njit
def legal_actions(rules, s, out):
    out[0] = 0
    out[1] = 1
    return min(2, rules.cells - filled(s))


@njit
def step(rules, s, action):
    n = filled(s)
    s.row[n : n + 1 + action] = 1
    s.seat = (s.seat + 1) % 3


@njit
def returns(rules, s, out):
    out[:] = 0
    if filled(s) == rules.cells:
        core.winner_takes((s.seat + 2) % 3 & 1, out[:2])
        out[2] = out[0]


@njit
def observe(rules, s, player, out):
    out[:] = s.row


COUNTS = ("moves", "repeats")
"""Repeats: the seat did what it had done at its move before."""
MEMORY = 1
RESULTS = ("last_seat",)


@njit
def count_move(rules, s, seat, action, legal, counts):
    counts[seat, 0] += 1
    counts[seat, 1] += counts[seat, 2] == 1 + action


@njit
def count_after(rules, s, seat, action, counts):
    counts[seat, 2] = 1 + action


@njit
def count_end(rules, s, results):
    results[0] = (s.seat + 2) % 3


# --- sizes, names, dtypes ------------------------------------------------------------------------


def test_sizes_are_values_or_follow_the_options():
    rules = Rules(cells=9)
    assert (rules.num_actions, rules.observation_shape, rules.max_game_length) == (2, (9,), 9)
    assert (rules.observation_dtype, rules.observation_high) == (np.int8, 1)


def test_rules_are_named_apart_and_still_pickle():
    assert Rules.__name__ == __name__.replace(".", "_")
    names = [type(spec(game).make_rules()).__name__ for game in our_games()]
    assert len(set(names)) == len(names) and "connect_four_rules" in names
    for game in our_games():
        rules = spec(game).make_rules()
        again = pickle.loads(pickle.dumps(rules))
        assert again == rules and type(again) is type(rules)


def test_options_are_the_fields_of_rules_where_nothing_makes_them(monkeypatch):
    options = {"cells": core.Option(6, core.integer(1, 9), "in the row")}
    facts = GameSpec(name="row", title="Row", version=0, max_game_length=6, options=options)
    monkeypatch.setattr(GameSpec, "module", lambda self, part: sys.modules[__name__])
    assert facts.make_rules(cells="4") == Rules(4)
    assert facts.make_rules() == Rules(6)


def test_the_dtype_of_a_state_may_follow_the_options():
    for cells in (3, 8):
        states = core.new_states(Rules(cells), 5)
        assert states.shape == (5,) and states["row"].shape == (5, cells)
        assert core.state_dtype(Rules(cells)) == states.dtype
    assert core.state_dtype(spec("ludo").make_rules()) is spec("ludo").module("rules").STATE


@pytest.mark.parametrize("cells", [3, 8])
def test_environments_play_with_a_dtype_of_the_options(cells, rng):
    env = GameEnv(SPEC, Rules(cells))
    env.reset(seed=1)
    total = np.zeros(3)
    while not all(env.terminations.values()):
        env.step(int(env.action_space(env.agent_selection).sample(env.last()[4]["action_mask"])))
        total += list(env.rewards.values())
    assert env.states["row"].all() and env.states["row"].size == cells
    assert total.tolist() in ([1, -1, 1], [-1, 1, -1])
    batch = BatchEnv(SPEC, Rules(cells), 4, seed=1)
    for _ in range(20):
        batch.step(np.array([rng.choice(np.flatnonzero(mask)) for mask in batch.action_masks]))
    assert (batch.episodes > 0).all()


# --- facts ---------------------------------------------------------------------------------------


def test_what_a_spec_leaves_out():
    facts = GameSpec(name="row", title="Row", version=0, max_game_length=6)
    assert (facts.min_players, facts.max_players, facts.sources) == (2, 2, ())
    told = facts.dynamics, facts.chance, facts.information, facts.utility
    assert told == ("sequential", "deterministic", "perfect", "zero_sum")
    assert not facts.is_simultaneous and facts.decision_seconds is None
    assert facts.sides_of(Rules()) == ((0,), (1,), (2,))


def test_dynamics_is_one_of_two_words():
    assert GameSpec(
        name="bids", title="Bids", version=0, max_game_length=1, dynamics="simultaneous"
    ).is_simultaneous
    with pytest.raises(ValueError, match="bids: dynamics='parallel'; sequential or simultaneous"):
        GameSpec(name="bids", title="Bids", version=0, max_game_length=1, dynamics="parallel")


def taken_by_callers() -> set[str]:
    """What the functions that take a game's ``**options`` take besides, in our sources."""
    names: set[str] = set()
    paths = [path for room in ("envs", "agents", "wrappers") for path in (ROOT / room).glob("*.py")]
    for path in paths:
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.FunctionDef):
                continue
            arguments = node.args
            if arguments.kwarg and ast.unparse(arguments.kwarg) == "options: Any":
                own = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
                names |= {argument.arg for argument in own}
    return names


def test_no_option_has_a_name_that_callers_take_for_themselves():
    taken = taken_by_callers()
    assert {"seed", "num_envs", "threads", "observe", "render_mode", "opponent", "seat"} < taken
    assert taken == TAKEN
    common = {"name": "row", "title": "Row", "version": 0, "max_game_length": 6}
    for name in sorted(taken):
        with pytest.raises(ValueError, match=f"row: an option may not be named '{name}'"):
            GameSpec(**common, options={name: Option(1, (1, 2), "as many")})


def test_the_option_for_the_number_of_seats_is_declared():
    common = {"name": "row", "title": "Row", "version": 0, "max_game_length": 6}
    options = {"powers": Option(2, core.integer(2, 7), "as many")}
    assert GameSpec(**common).seats_option == "players"
    assert GameSpec(**common, options=options, seats_option="powers").seats_option == "powers"
    with pytest.raises(ValueError, match="seats_option='powers' is none of its options"):
        GameSpec(**common, seats_option="powers")
    for game in map(spec, our_games()):
        assert game.min_players == game.max_players or game.seats_option in game.options


def test_sides():
    assert SPEC.sides_of(Rules()) == ((0, 2), (1,))
    common = {"name": "row", "title": "Row", "version": 0, "max_game_length": 6}
    assert GameSpec(**common, sides=None).sides_of(Rules()) is None
    assert GameSpec(**common, sides=lambda rules: ((rules.cells,),)).sides_of(Rules(4)) == ((4,),)


def test_a_sides_result_is_the_sum_of_its_seats():
    one = core.side_returns(((0, 2), (1,)), [1, -3, 2])
    assert one.tolist() == [3, -3]
    many = core.side_returns(((0,), (1, 2)), np.arange(12).reshape(2, 2, 3))
    assert many.tolist() == [[[0, 3], [3, 9]], [[6, 15], [9, 21]]]


@pytest.mark.parametrize(("winner", "returns"), [(-1, [0, 0]), (0, [1, -1]), (1, [-1, 1])])
def test_the_winner_takes(winner, returns):
    out = np.full(2, np.nan)
    core.winner_takes(winner, out)
    assert out.tolist() == returns


# --- counting ------------------------------------------------------------------------------------


def test_counts_of_known_games():
    """Two games, one longer than the other; what is remembered ends with the game."""
    seeds = np.array([1, 2], np.uint64)
    actions = np.array([[0, 1, 0, 0, 0], [1, 1, 1, 0, 0]])
    counts, results = counting.replay(Rules(), seeds, actions, np.array([5, 3]))
    assert counts.dtype == np.int64
    assert counts.tolist() == [[[2, 1], [2, 0], [1, 0]], [[1, 0], [1, 0], [1, 0]]]
    assert results.tolist() == [[1], [2]]
    assert np.array_equal(counting.game_counts(Rules(), seeds, actions, np.array([5, 3])), counts)


# --- words ---------------------------------------------------------------------------------------


def test_a_view_may_leave_its_smaller_words_out():
    view = ModuleType("view")
    view.action_to_string = lambda rules, s, action: ["one", "two"][action]
    assert views.complete(view) is view
    rules, states = Rules(), core.new_states(Rules())
    core.start_at(rules, states, 0, np.uint64(1), core.new_scratch(rules)[1])
    assert view.string_to_action(rules, states[0], "two") == 1
    with pytest.raises(ValueError, match=r"^no_such_move$"):
        view.string_to_action(rules, states[0], "three")
    assert view.move_text(rules, states[0], 1) == "Player 0 played two."
    assert view.why_illegal(rules, states[0], 1) == "not_legal"
    assert views.part(view, "role_text")(rules, 2) == "You are player 2."


def test_what_a_view_says_itself_stays():
    chess = spec("chess").module("view")
    for name in ("string_to_action", "move_text", "why_illegal"):
        assert getattr(chess, name).__module__ == chess.__name__
