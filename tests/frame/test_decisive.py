"""Moves that decide a game at once: what is left to choose from, and what searches choose."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit
from ours import our_games

from stratagym.agents import hooks
from stratagym.agents.core import decision_for, is_combinatorial, make_policy
from stratagym.agents.decisive import Narrowing, look_each
from stratagym.envs import core, spec

COMBINATORIAL = [name for name in our_games() if is_combinatorial(spec(name))]
OPTIONS = {
    "gomoku": [{}, {"line": "renju"}, {"line": "exact"}, {"rows": 3, "columns": 3, "connect": 3}],
    "go": [{"size": 5}, {"size": 3, "max_length": 9}],
    "reversi": [{"size": 4}, {}],
}


@njit
def outcomes(rules, states, legal, replies, total, wins, loses):
    """Mark the actions that win at once, and those that lose or let the other seat win at once."""
    seat = core.current_player(rules, states[0])
    n = core.legal_actions(rules, states[0], legal)
    for k in range(n):
        wins[k] = loses[k] = False
        states[1] = states[0]
        core.step(rules, states[1], legal[k])
        other = core.current_player(rules, states[1])
        if other < 0:
            core.returns(rules, states[1], total)
            wins[k], loses[k] = total[seat] > 0, total[seat] < 0
        elif other != seat:
            for j in range(core.legal_actions(rules, states[1], replies)):
                states[2] = states[1]
                core.step(rules, states[2], replies[j])
                if core.current_player(rules, states[2]) < 0:
                    core.returns(rules, states[2], total)
                    loses[k] |= total[other] > 0
    return n


class Looker:
    """``outcomes`` of one game's positions."""

    def __init__(self, rules):
        self.rules, self.states = rules, core.new_states(rules, 3)
        self.legal, self.replies = (np.zeros(rules.num_actions, np.int64) for _ in range(2))
        self.wins, self.loses = (np.zeros(rules.num_actions, bool) for _ in range(2))

    def __call__(self, states):
        """(actions that win at once, those after which nothing is lost at once)."""
        self.states[0] = states[0]
        n = outcomes(
            self.rules, self.states, self.legal, self.replies, np.zeros(2), self.wins, self.loses
        )
        legal = self.legal[:n]
        return legal[self.wins[:n]].tolist(), legal[~self.loses[:n]].tolist()


def positions(game, rng, number, plies, **options):
    """Positions of random games, the late ones among them: (facts, rules, states)."""
    facts = spec(game)
    rules = facts.make_rules(**options)
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    while number:
        seat, ply = core.start_at(rules, states, 0, np.uint64(rng.integers(2**62)), probs), 0
        while seat >= 0 and number:
            if ply >= plies and rng.random() < 0.2:
                yield facts, rules, states
                number -= 1
            n = core.legal_actions_at(rules, states, 0, legal)
            seat, _ = core.play_at(rules, states, 0, int(rng.choice(legal[:n])), legal, probs)
            ply += 1


@pytest.mark.parametrize("game", COMBINATORIAL)
def test_what_is_left_is_what_trying_everything_leaves(game, rng):
    for options in OPTIONS.get(game, [{}]):
        rules, narrow = spec(game).make_rules(**options), Narrowing()
        look = Looker(rules)
        for facts, _, states in positions(game, rng, 150, 4, **options):
            view = decision_for(facts, rules, states, 1)
            wins, safe = look(states)
            before = view.states.copy(), view.legal.copy()
            left = narrow(view).tolist()
            if wins:
                assert left[0] in wins and len(left) == 1
                assert hooks.may_win(rules, states[0])
            else:
                assert left == (safe or view.legal.tolist())
            assert before[0] == view.states and (before[1] == view.legal).all()


@pytest.mark.parametrize("game", ["tictactoe", "connect_four"])
def test_looking_at_many_positions_avoids_draws_too(game, rng):
    """All masks at once; moves that end the game as a draw go where another move is left."""
    rules = spec(game).make_rules()
    look, drawn = Looker(rules), 0
    found = [states.copy() for _, _, states in positions(game, rng, 300, 6)]
    masks = np.zeros((len(found), rules.num_actions), np.int8)
    legal, probs = core.new_scratch(rules)
    for row, states in zip(masks, found, strict=True):
        row[legal[: core.legal_actions_at(rules, states, 0, legal)]] = 1
    before, scratch = masks.copy(), (core.new_states(rules, 3), legal, legal.copy(), np.zeros(2))
    look_each(rules, np.concatenate(found), masks, *scratch)
    total, after = np.zeros(2), core.new_states(rules)
    for old, row, states in zip(before, masks, found, strict=True):
        left, (wins, safe) = np.flatnonzero(row).tolist(), look(states)
        if wins:
            assert len(left) == 1 and left[0] in wins
            continue
        wanted = safe or np.flatnonzero(old).tolist()
        draws = []
        for action in wanted:
            after[0] = states[0]
            if core.play_at(rules, after, 0, action, legal, probs)[0] < 0:
                core.returns_at(rules, after, 0, total)
                draws += [action] * (not total.any())
        drawn += bool(draws)
        assert left == (sorted(set(wanted) - set(draws)) or wanted)
    assert drawn or game == "connect_four"


def test_agents_look_ahead_in_combinatorial_games_alone():
    with pytest.raises(ValueError, match="look=1 is for games of two without chance"):
        make_policy(spec("ludo"), "sb3?look=1")


def test_only_what_is_legal_for_the_decision_is_left(rng):
    narrow = Narrowing()
    for facts, rules, states in positions("connect_four", rng, 50, 10):
        view = decision_for(facts, rules, states, 1)
        view.legal = view.legal[:2]
        assert set(narrow(view)) <= set(view.legal.tolist())


SEARCHES = {
    "tictactoe": ("mcts:10", "gt:2", "gt:3", "alphabeta:2"),
    "connect_four": ("mcts:5", "mcts:5?solve=no", "mcts:5?priors=yes", "gt:2", "gt:3", "gt:4",
                     "alphabeta:3", "alphabeta:4?positions=1"),
    "gomoku": ("mcts:100", "mcts:20?priors=yes", "alphabeta:2"),
    "breakthrough": ("mcts:10", "gt:3", "alphabeta:3"),
    "reversi": ("mcts:10", "alphabeta:3"),
    "ataxx": ("mcts:10", "alphabeta:2"),
    "go": ("mcts:20", "mcts:20?rave=0&fpu=none"),
    "chess": ("mcts:20", "alphabeta:2", "alphabeta:3?positions=20"),
}  # fmt: skip


def test_games_with_searches_of_their_own_are_combinatorial():
    assert set(SEARCHES) <= set(COMBINATORIAL)


@pytest.mark.parametrize("game", COMBINATORIAL)
def test_searches_win_at_once_and_do_not_let_the_other(game, rng):
    """Fifteen positions of random games in which it matters which move is made."""
    options = {"go": {"size": 5}, "reversi": {"size": 4}}.get(game, {})
    look = Looker(spec(game).make_rules(**options))
    names, met = SEARCHES.get(game, ("mcts:20",)), 0
    searches = [make_policy(spec(game), name) for name in names]
    while met < 15:
        for facts, rules, states in positions(game, rng, 100, 4, **options):
            wins, safe = look(states)
            view = decision_for(facts, rules, states, int(rng.integers(2**62)))
            wanted = wins or safe
            if 0 < len(wanted) < len(view.legal) and met < 15:
                met += 1
                for policy in searches:
                    assert policy.act(view) in wanted, (policy.name, states)


@pytest.mark.parametrize("simulations", [100, 300])
def test_fours_are_blocked(simulations, rng):
    """Black's four with one open end, anywhere on the board: ten of ten."""
    facts = spec("gomoku")
    rules = facts.make_rules()
    policy = make_policy(facts, f"mcts:{simulations}")
    earlier = make_policy(facts, f"mcts:{simulations}?version=1")
    blocked = missed = 0
    for _ in range(10):
        states, scratch = core.new_states(rules), core.new_scratch(rules)
        core.start_at(rules, states, 0, np.uint64(1), scratch[1])
        first = 15 * int(rng.integers(15)) + int(rng.integers(1, 11))
        far = [(first // 15 * 15 + 105) % 225 + column for column in (2, 12)]
        for move in (first, first - 1, first + 1, far[0], first + 2, far[1], first + 3):
            core.play_at(rules, states, 0, move, *scratch)
        view = decision_for(facts, rules, states, int(rng.integers(2**62)))
        blocked += policy.act(view) == first + 4
        missed += earlier.act(view) != first + 4
    assert blocked == 10
    assert missed > 0
