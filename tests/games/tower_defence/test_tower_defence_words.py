"""Tower defence in words, replays and pictures."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from sealed_plans import check_round_trip

from stratagym.agents.core import decision_for, make_policy
from stratagym.envs import make_state, sealed, spec
from stratagym.envs.text import TextGame, TextOptions
from stratagym.envs.tower_defence import view
from stratagym.envs.tower_defence.replay import frames, moments
from stratagym.envs.tower_defence.rules import DONE, KEEP, SEND, VOID, WAIT
from stratagym.envs.tower_defence.simulation import ALL, LIVING, P
from stratagym.envs.words import Renaming
from stratagym.testing import check_replies

GAME = spec("tower_defence")
RULES = GAME.make_rules()
WORDS = GAME.make_rules(over_budget="loses")


# --- plans ---------------------------------------------------------------------------------------


def test_plans_in_json_are_the_same_plans(seed):
    check_round_trip(GAME, 400, seed)


@pytest.mark.slow
def test_many_plans_are_read_as_they_are_told(seed):
    check_round_trip(GAME, 1000, seed)


def plan_text(*entries, side="demons"):
    return json.dumps({side: list(entries)})


def entry(name="NormalDemon", y=1, **more):
    return {"name": name, "y": y, **more}


def test_replies():
    good = plan_text(entry())
    first = SEND + 1
    check_replies(
        GAME,
        {
            good: first,
            f"I think.\n```json\n{good}\n```": first,
            plan_text(entry("normal_DEMON", spawn_time=0)): first,
            plan_text(entry(price=-5, cost=0)): first,
            plan_text(entry(spawn_time=1499.5)): WAIT + 1,
            plan_text(entry(), entry("GreatDemon", 0, spawn_time=60_000)): first,
            "": "unparseable: empty",
            "no": "unparseable: no_object",
            "{": "unparseable: no_object",
            '{"humans": []}': "unparseable: wrong_key",
            '{"demons": {}}': "unparseable: bad_type",
            '{"demons": [3]}': "unparseable: bad_type",
            plan_text(entry(y="1")): "unparseable: bad_type",
            plan_text(entry(spawn_time=None)): "unparseable: bad_type",
            plan_text({"y": 1}): "unparseable: bad_type",
            '{"demons": [{"name": "NormalDemon", "y": 1, "y": 1}]}': "unparseable: duplicate_key",
            '{"demons": ' + "[" * 40 + "]" * 40 + "}": "unparseable: too_deep",
            "x" * 200_000: "unparseable: too_long",
            plan_text(): "illegal: empty_plan",
            plan_text(entry("PeaShooter")): "illegal: unknown_unit",
            plan_text(entry("Bomb")): "illegal: wrong_side",
            plan_text(entry(y=5)): "illegal: bad_cell",
            plan_text(entry(y=-1)): "illegal: bad_cell",
            plan_text(entry(y=1.5)): "illegal: bad_cell",
            plan_text(entry(spawn_time=60_250)): "illegal: bad_time",
            plan_text(entry(spawn_time=-1)): "illegal: bad_time",
            plan_text(entry(spawn_time=1e300)): "illegal: bad_time",
            plan_text(*[entry()] * 65): "illegal: too_many",
            plan_text(*[entry()] * 3000): "illegal: too_many",
            '{"keep": true}': "illegal: nothing_to_keep",
            '{"keep": 1}': "unparseable: bad_type",
        },
        rules=WORDS,
    )  # fmt: skip


def test_replies_of_the_defender():
    state = make_state("tower_defence", over_budget="loses")
    state.apply_action(SEND)
    state.apply_action(DONE)
    gun = {"name": "HandgunSoldier", "x": 3, "y": 2}
    both = [gun, {**gun, "name": "Bomb"}]
    check_replies(
        GAME,
        {
            plan_text(gun, side="humans"): 11 * 2 + 3,
            plan_text({**gun, "x": 11}, side="humans"): "illegal: bad_cell",
            plan_text({"name": "Bomb", "y": 2}, side="humans"): "unparseable: bad_type",
            plan_text(*both, side="humans"): "illegal: occupied",
            plan_text(*[{**gun, "spawn_time": 250 * k} for k in range(3)], side="humans"):
                "illegal: occupied",
            plan_text(*[gun] * 56, side="humans"): "illegal: occupied",
        },
        state.states,
        rules=WORDS,
    )  # fmt: skip


def test_over_budget_is_legal_up_to_four_times_and_loses():
    """A DemonKing and a GreatDemon fit, two kings do not; six would be more than four budgets."""
    state = make_state("tower_defence", over_budget="loses")
    king = SEND + 5 * 2
    for _ in range(5):
        state.apply_action(king)
    assert not state.is_legal(king)
    assert view.why_illegal(WORDS, state.states[0], king) == "over_budget"
    state.apply_action(DONE)
    state.apply_action(0)
    state.apply_action(DONE)
    assert state.returns() == [-1.0, 1.0]
    assert state.states["why"][0, 0] == sealed.OVER and state.states["end"][0, 0] == -1


def test_actions_have_texts_and_texts_actions():
    state = make_state("tower_defence")
    s = state.states[0]
    for action in range(RULES.num_actions):
        assert view.string_to_action(RULES, s, view.action_to_string(RULES, s, action)) == action
    assert view.string_to_action(RULES, s, "place riflesoldier 3 2") == 55 + 22 + 3
    for text, reason in {
        "": "no_such_move", "fly": "no_such_move", "send Orc 1": "unknown_unit",
        "send NormalDemon 5": "bad_cell", "place Bomb 11 0": "bad_cell", "wait 3": "bad_time",
        "send NormalDemon x": "no_such_move", "wait": "no_such_move",
    }.items():  # fmt: skip
        with pytest.raises(ValueError, match=f"^{reason}$"):
            view.string_to_action(RULES, s, text)


def test_why_illegal():
    state = make_state("tower_defence", attacker_budget=100)
    rules, s = state.rules, state.states[0]
    for action, reason in {
        0: "wrong_side", DONE: "empty_plan", KEEP: "nothing_to_keep", VOID: "no_void",
        SEND + 5: "over_budget", 786: "no_such_move",
    }.items():  # fmt: skip
        assert not state.is_legal(action)
        assert view.why_illegal(rules, s, action) == reason
    for _ in range(12):
        state.apply_action(WAIT + 2)
    assert view.why_illegal(rules, s, WAIT) == "bad_time" and not state.is_legal(WAIT)
    state.apply_action(SEND)
    state.apply_action(DONE)
    state.apply_action(5)
    assert view.why_illegal(rules, s, 55 + 5) == "occupied" and not state.is_legal(55 + 5)


def test_a_budget_that_buys_nothing_is_refused():
    with pytest.raises(ValueError, match="attacker_budget=25: the cheapest unit costs 100"):
        GAME.make_rules(attacker_budget=25)
    assert GAME.make_rules(attacker_budget=25, over_budget="loses").attacker_budget == 25


# --- what is told and shown ----------------------------------------------------------------------


def two_rounds():
    """The attacker wins round 1 and plans anew."""
    state = make_state("tower_defence", rounds=2, over_budget="loses")
    for action in (SEND, WAIT + 1, SEND + 5, DONE, 4 * 11, DONE):
        state.apply_action(action)
    return state


def test_the_revision_prompt_tells_what_happened():
    state = two_rounds()
    told = view.position_text(state.rules, state.states[0], 0, "feedback")
    assert "You won round 1. It ended after 13.95 s." in told
    assert '{"humans": [{"name": "HandgunSoldier", "x": 0, "y": 4, "spawn_time": 0}]}' in told
    assert "NormalDemon got past column 0 in row 0 at 13.95 s." in told
    assert '{"keep": true}' in told
    published = view.position_text(state.rules, state.states[0], 0, "as_published")
    assert "keep" not in published and "got past" not in published


def test_frames_of_a_battle():
    """One for each 250 ms or more, the last at the end; demons move from one to the next."""
    state = two_rounds()
    before = state.states[0].copy()
    assert frames(state.rules, before, state.states[0]) == []
    start = make_state("tower_defence", rounds=2, over_budget="loses")
    assert len(frames(state.rules, start.states[0], state.states[0])) == 29
    shown = moments(state.rules, start.states[0], state.states[0])
    assert shown[0][0] == "Round 1, 0 s" and shown[-1][0] == "Round 1, 13.95 s"
    places = [states[0]["demons"][0, P] for _, states in shown if states[0]["rows"][ALL, LIVING]]
    assert all(b < a for a, b in pairwise(places))
    assert "Battle" in view.board_text(state.rules, shown[3][1][0])


def test_pictures():
    from stratagym.envs.tower_defence.render import picture

    state = two_rounds()
    plans = picture(state.rules, state.states[0])
    start = make_state("tower_defence", rounds=2, over_budget="loses")
    shown = moments(state.rules, start.states[0], state.states[0])
    drawn = [picture(state.rules, states[0]) for _, states in shown[::12]]
    assert all(one.shape == plans.shape and one.dtype == np.uint8 for one in drawn)
    assert len({one.tobytes() for one in drawn}) == len(drawn)


def test_plans_in_made_up_names_are_the_same_plans():
    plain = plan_text(entry("DemonKing", 2), entry("GreatDemon", 2, spawn_time=500))
    told = Renaming(view.RENAMED).renamed(plain)
    assert "emon" not in told and "movers" in told
    game = TextGame("tower_defence", TextOptions(renamed=True))
    game.reset(1)
    outcome = game.submit(told)
    assert outcome.kind == "ok" and outcome.actions[0] == SEND + 5 * 2 + 2
    assert len(set(view.RENAMED.values())) == len(view.RENAMED)


def test_the_rule_based_player_plays_king_and_guns():
    state, policy = make_state("tower_defence", rounds=2), make_policy(GAME, "heuristic")
    costs = []
    while not state.is_terminal():
        decision = decision_for(GAME, state.rules, state.states, 1)
        seat, before = state.current_player(), int(state.states["round"][0])
        state.apply_action(policy.act(decision))
        if before == 0:
            costs.append((seat, int(state.states["spent"][0, seat])))
    assert max(cost for seat, cost in costs if seat == 0) == 975
    assert max(cost for seat, cost in costs if seat == 1) == 3950
    assert state.returns() == [1.0, -1.0]
