"""What games of sealed plans share: verdicts, who plans when, what is hidden, players of plans."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sealed_plans import battle

from stratagym.agents import hooks
from stratagym.agents.core import decision_for, make_policy
from stratagym.envs import core, make, sealed, sealed_words, spec
from stratagym.envs.battle_card.rules import DONE, KEEP, VOID
from stratagym.envs.text import TextGame, TextOptions
from stratagym.envs.words import Renaming
from stratagym.testing import position
from stratagym.wrappers.parallel import parallel_env

CARD = spec("battle_card")
GAMES = ("battle_card", "elemental_duel")
LOOSE = CARD.make_rules(over_budget="loses")
COSTS = {15: 21, 9: 16, 5: 10, 3: 5, 2: 2, 1: 0}
"""Of either side, an action that buys for so much."""
CHEAP = [0, DONE]


def over(seat: int, more: int) -> list[int]:
    """A plan that is over budget (20 or 16) by ``more``."""
    cost, plan = (20, 16)[seat] + more, []
    while cost:
        plan.append(next(action for price, action in COSTS.items() if price <= cost))
        cost -= next(price for price in COSTS if price <= cost)
    return [*plan, DONE]


FINE, BROKEN = "fine", "void"
VERDICTS = [
    (FINE, 2, 1), (2, FINE, -1), (FINE, BROKEN, 1), (BROKEN, FINE, -1), (BROKEN, 2, -1),
    (2, BROKEN, 1), (BROKEN, BROKEN, 0), (5, 4, 0), (5, 5, 1), (5, 3, -1),
]  # fmt: skip
"""The attacker's plan and the defender's, an excess by number, and the round for the attacker.

5 of 20 and 4 of 16 are as much."""


@pytest.mark.parametrize(("attacker", "defender", "result"), VERDICTS)
def test_verdicts(attacker, defender, result):
    plans = []
    for seat, said in enumerate((attacker, defender)):
        plans += CHEAP if said == FINE else [VOID] if said == BROKEN else over(seat, said)
    s = position(LOOSE, *plans)[0]
    flag = {FINE: 0, BROKEN: sealed.VOID}
    why = flag.get(attacker, sealed.OVER) + 4 * flag.get(defender, sealed.OVER)
    assert (s["result"][0], s["why"][0], s["end"][0]) == (result, why, -1)
    assert s["left"][0].tolist() == [0, 0]
    returns = np.zeros(2)
    core.returns_at(LOOSE, np.array([s]), 0, returns)
    assert returns.tolist() == [result, -result]


def test_what_is_over_budget_is_not_legal_by_default():
    legal = np.zeros(36, np.int64)
    rules = CARD.make_rules()
    states = position(rules, 21)
    n = core.legal_actions_at(rules, states, 0, legal)
    assert legal[:n].tolist() == [*range(11), 11, 12, *range(22, 33), DONE]
    n = core.legal_actions_at(rules, position(rules), 0, legal)
    assert VOID not in legal[:n] and DONE not in legal[:n] and KEEP not in legal[:n]
    n = core.legal_actions_at(LOOSE, position(LOOSE), 0, legal)
    assert VOID in legal[:n]
    states = position(LOOSE, *[21] * 5)  # 75 of at most 80
    n = core.legal_actions_at(LOOSE, states, 0, legal)
    assert legal[:n].max() == DONE and 10 in legal[:n] and 13 not in legal[:n]


@pytest.mark.parametrize(
    ("options", "seats"),
    [
        ({}, [0, 1, 0, 1, 0]),
        ({"first": "defender"}, [0, 1, 1, 0, 1]),
        ({"updates": "both"}, [0, 1, 0, 1, 0, 1, 0, 1]),
    ],
)
def test_who_plans_after_a_round(options, seats):
    rules = CARD.make_rules(rounds=4, **options)
    actions, asked = [], []
    states = position(rules)
    while (seat := core.current_player_at(rules, states, 0)) >= 0:
        asked.append(int(seat))
        actions += CHEAP if len(asked) < 3 else [KEEP]
        states = position(rules, *actions)
    assert asked == seats
    assert len(set(states["result"][0][:4].tolist())) == 1
    assert states["last_n"][0].tolist() == [1, 1]


def test_a_plan_that_is_kept_keeps_its_flags():
    rules = CARD.make_rules(rounds=3, over_budget="loses")
    s = position(rules, *over(0, 5), VOID, KEEP, KEEP)[0]
    assert s["why"][:3].tolist() == [2 + 4 * 1] * 3 and s["result"][:3].tolist() == [1] * 3
    assert s["last_spent"].tolist() == [25, 0]


def test_returns_are_means_of_rounds():
    rules = CARD.make_rules(rounds=3)
    returns = np.zeros(2)
    states = position(rules, 0, DONE, 20, DONE)
    core.returns_at(rules, states, 0, returns)
    assert returns.tolist() == [-1 / 3, 1 / 3]
    assert core.round_return(rules, 1 / 3 + 1e-12) == 1 / 3


def test_budgets_are_checked():
    assert CARD.make_rules(attacker_budget=1).attacker_budget == 1
    for value in (81, -1, 0.5, "x"):
        with pytest.raises(ValueError, match="0, or a whole number from 1 to 80 is needed"):
            CARD.make_rules(attacker_budget=value)
    with pytest.raises(ValueError, match="from 12 to 27"):
        spec("elemental_duel").make_rules(defender_budget=11)
    with pytest.raises(ValueError, match="a multiple of 25"):
        sealed.budget(100, 16_000, 25)(110)


def test_observations_may_be_below_0():
    env = make("battle_card")
    assert env.observation_space("player_0")["observation"].low.min() == -1
    assert make("tictactoe").observation_space("player_0")["observation"].low.min() == 0
    states = position(LOOSE, *over(0, 60)[:-1])
    out = np.zeros(LOOSE.observation_shape, np.float32)
    core.observe_at(LOOSE, states, 0, 0, out)
    assert out[330] == -1


def test_determinize_redraws_the_running_commit(seed):
    """Of the attacker for the defender; a plan that stands is left alone."""
    rules = CARD.make_rules(rounds=2)
    states, seen = position(rules, 5, 5, DONE), set()
    for k in range(20):
        other = states.copy()
        core.determinize_at(rules, other, 0, 1, np.uint64(seed + k))
        assert core.current_player_at(rules, other, 0) == 1 and other["n"][0][0] > 0
        assert 0 < other["spent"][0][0] <= 20
        seen.add(other["plan"][0][0].tobytes())
    assert len(seen) > 10
    states = position(rules, 5, 5, DONE, 0, DONE, 3)
    other = states.copy()
    core.determinize_at(rules, other, 0, 1, np.uint64(seed))
    assert other["last_plan"].tobytes() == states["last_plan"].tobytes()
    other = states.copy()
    core.determinize_at(rules, other, 0, 0, np.uint64(seed))
    assert other["plan"].tobytes() == states["plan"].tobytes()


def test_a_log_that_is_too_short_counts_on():
    rules = CARD.make_rules()
    s = battle(
        CARD, rules, {"invaders": [{"name": "FireLizard"}]}, {"defenders": [{"name": "King"}]}
    )
    sealed.recall_plans(rules, s)
    whole, short = np.zeros((100, 6), np.int32), np.zeros((2, 6), np.int32)
    n, result = sealed.resolve_log(rules, s, whole)
    assert sealed.resolve_log(rules, s, short) == (n, result) and n > 2 and result == -1
    assert (short == whole[:2]).all() and not whole[n:].any()


@pytest.mark.parametrize("game", GAMES)
def test_parallel_api(game, seed):
    from pettingzoo.test import parallel_api_test

    parallel_api_test(parallel_env(game, rounds=2, updates="both"), num_cycles=100)


# --- players -------------------------------------------------------------------------------------


def played(rules, game, policies, seed):
    """A game's record at its end."""
    states, (legal, probs) = core.new_states(rules), core.new_scratch(rules)
    player, ply = core.start_at(rules, states, 0, np.uint64(seed), probs), 0
    while player >= 0:
        decision = decision_for(game, rules, states, seed + ply)
        action = policies[player].act(decision)
        assert action in decision.legal
        player, _ = core.play_at(rules, states, 0, action, legal, probs)
        ply += 1
    return states[0]


PLAYERS = ("fill", "level?k=1", "level?k=3", "climb?k=2", "mixture", "best?n=2", "reply?evals=200")


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", PLAYERS)
def test_players_of_plans(game, name, seed):
    """They play whole plans of theirs within the budget; frozen ones keep them, all repeat."""
    facts = spec(game)
    rules = facts.make_rules(rounds=4)
    policies = [make_policy(facts, f"plan:{name}") for _ in range(2)]
    assert policies[0].name == f"plan:{name}"
    s = played(rules, facts, policies, seed % 2**31)
    again = played(rules, facts, [make_policy(facts, f"plan:{name}")] * 2, seed % 2**31)
    assert s == again and not s["why"][:4].any()
    if name not in ("fill", "reply?evals=200"):
        assert len(set(s["result"][:4].tolist())) == 1


@pytest.mark.parametrize("game", GAMES)
def test_players_keep_to_the_budget_where_they_need_not(game, seed):
    """Against a model a plan over budget can be made, and loses."""
    facts = spec(game)
    rules = facts.make_rules(rounds=3, over_budget="loses")
    for name in ("plan:fill", "plan:best?n=2", "plan:reply?evals=50", "control:keep"):
        policies = [make_policy(facts, name), make_policy(facts, "plan:level?k=1")]
        assert not played(rules, facts, policies, seed % 2**31)["why"][:3].any(), name


@pytest.mark.parametrize("game", GAMES)
def test_replies_win_where_they_have_seen_the_plan(game, seed):
    """Against plans of level 1, which are kept."""
    facts = spec(game)
    rules = facts.make_rules(rounds=5)
    reply, level = make_policy(facts, "plan:reply?evals=600"), make_policy(facts, "plan:level?k=1")
    won = total = 0
    for k in range(10):
        s = played(rules, facts, [reply, level], (seed + 100 * k) % 2**31)
        won += int((s["result"][1:5] > 0).sum())
        total += 4
    assert won >= 0.7 * total


@pytest.mark.parametrize("game", GAMES)
def test_archetypes_are_plans_within_the_budget(game):
    facts = spec(game)
    rules, names = facts.make_rules(), hooks.found(facts, "ARCHETYPES")
    costs = {
        "bandits": 19, "phoenix": 20, "shields": 18, "treants": 16, "kings": 16, "stone": 14,
        "elite": 16, "burn": 19, "brand": 19, "tide": 19, "sanctuary": 19, "armour": 18,
        "vines": 18,
    }  # fmt: skip
    for name, (seat, _) in names.items():
        policies = [make_policy(facts, "random") for _ in range(2)]
        policies[seat] = make_policy(facts, f"plan:{name}")
        assert played(rules, facts, policies, 1)["last_spent"][seat] == costs[name], name


@pytest.mark.parametrize(
    ("game", "name", "said"),
    [
        ("tictactoe", "plan:fill", "no game of sealed plans"),
        ("battle_card", "plan", "unknown plan ''; the plans are: fill, best"),
        ("battle_card", "plan:tide", "unknown plan 'tide'"),
        ("battle_card", "plan:level?k=9", "k: a whole number from 0 to 5"),
        ("battle_card", "plan:fill?k=1", "unknown option 'k'"),
    ],
)
def test_players_that_there_are_not(game, name, said):
    with pytest.raises(ValueError, match=said.replace("?", r"\?")):
        make_policy(spec(game), name)


@pytest.mark.parametrize("game", GAMES)
def test_plans_in_made_up_names_are_read(game):
    """The names of JSON's members too; and the prompt holds no word of the game."""
    table = TextGame(game, TextOptions(renamed=True))
    table.reset(1)
    words = Renaming(spec(game).module("view").RENAMED)
    name, (_, moves) = next(iter(hooks.found(spec(game), "ARCHETYPES").items()))
    actions = sealed_words.move_actions(spec(game).module("view"), table.rules, 0, moves)
    states = core.new_states(table.rules)
    sealed.set_plan(table.rules, states, 0, 0, actions)
    plan = spec(game).module("view").plan_json(table.rules, states[0], 0, False)
    reply = words.renamed(json.dumps(plan))
    assert "invaders" not in reply and name
    assert table.submit(reply).kind == "ok"
    bad = words.renamed(json.dumps({"invaders": [{"name": "x", "element": "x", "skills": []}]}))
    table.reset(1)
    assert table.submit(bad).reason == "unknown_unit"
