"""What alpha-beta asks of breakthrough, and that it plays better by that than before."""

from __future__ import annotations

import numpy as np

from stratagym.agents import hooks
from stratagym.agents.core import decision_for, make_policy
from stratagym.envs import core, spec
from stratagym.envs.breakthrough.rules import NO_WINNER, race_winner, squares_of

FACTS = spec("breakthrough")


def positions(rng, number, **options):
    """Positions of random games: (rules, states, legal actions)."""
    rules = FACTS.make_rules(**options)
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    while number:
        seat = core.start_at(rules, states, 0, np.uint64(1), probs)
        while seat >= 0 and number:
            n = core.legal_actions_at(rules, states, 0, legal)
            if rng.random() < 0.2:
                yield rules, states, legal[:n].copy()
                number -= 1
            seat, _ = core.play_at(rules, states, 0, int(rng.choice(legal[:n])), legal, probs)


def test_captures_are_those_that_are_legal(rng):
    for options in ({}, {"rows": 6, "columns": 5}):
        for rules, states, legal in positions(rng, 200, **options):
            out = np.zeros(rules.num_actions, np.int64)
            n = hooks.forcing_actions(rules, states[0], -(10**6), out)
            assert sorted(out[:n]) == [action for action in legal if action & 1]
            fewer = out[: hooks.forcing_actions(rules, states[0], 250, out)]
            assert set(fewer.tolist()) <= set(legal.tolist())


def test_what_is_left_out_loses_at_once(rng):
    """A move that wins is kept; else all that stop a pawn one step from its goal."""
    policy = make_policy(FACTS, "alphabeta:2?version=2")
    met = 0
    for rules, states, legal in positions(rng, 400):
        kept = legal.copy()
        n = hooks.candidates(rules, states[0], kept, len(legal), 1)
        if n < len(legal):
            met += 1
            found = policy.search(decision_for(FACTS, rules, states, 1))
            assert found.action in kept[:n] or found.value < 0
    assert met > 20


def test_races_that_are_won_are_known(rng):
    for rules, states, _ in positions(rng, 400):
        value = hooks.estimate(rules, states[0], np.zeros(2))
        s = states[0]
        winner = race_winner(rules, s["black"], s["white"], s["player"])
        assert (abs(value) > 400_000) == (winner != NO_WINNER)
        if winner != NO_WINNER:
            assert (value > 0) == (winner == s["player"])


def test_moves_to_where_a_pawn_is_lost_come_late(rng):
    """Of two steps without capture on one row the one that may be taken for nothing is later."""
    for rules, states, legal in positions(rng, 100):
        s = states[0]
        quiet = [a for a in legal.tolist() if not a & 1 and squares_of(rules, a)[1] >> 3 in (3, 4)]
        taken = {}
        for action in quiet:
            after = states.copy()
            core.play_at(rules, after, 0, action, *core.new_scratch(rules))
            out = np.zeros(rules.num_actions, np.int64)
            n = hooks.forcing_actions(rules, after[0], -(10**6), out)
            end = squares_of(rules, action)[1]
            taken[action] = end in [squares_of(rules, reply)[1] for reply in out[:n]]
        of = {action: hooks.priority(rules, s, action) for action in quiet}
        for row in (3, 4):
            own = [a for a in quiet if squares_of(rules, a)[1] >> 3 == row]
            safe = {of[a] for a in own if not taken[a]}
            assert len(safe) <= 1
            assert all(of[a] <= value for a in own for value in safe)


def test_it_beats_its_second_version():
    """From the same twelve openings with either side, a thousand positions a move: no chance."""
    rules = FACTS.make_rules()
    rng = np.random.default_rng(4)
    players = [make_policy(FACTS, f"alphabeta:64?positions=1000{v}") for v in ("", "&version=2")]
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    won = 0
    for _ in range(12):
        core.start_at(rules, states, 0, np.uint64(1), probs)
        for _ in range(6):
            n = core.legal_actions_at(rules, states, 0, legal)
            core.play_at(rules, states, 0, int(rng.choice(legal[:n])), legal, probs)
        begun = states.copy()
        for first in (0, 1):
            states[0], seat = begun[0], 0
            while seat >= 0:
                view = decision_for(FACTS, rules, states, 1)
                action = players[seat ^ first].act(view)
                seat, _ = core.play_at(rules, states, 0, action, legal, probs)
            won += int(states["winner"][0]) == first
    assert won >= 16
