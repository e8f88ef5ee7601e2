"""Players of Fight the Landlord: the exact endgame, rule-based players, guesses, strength."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from dou_dizhu_positions import PARTS, WHOLE, dealt, legal_of, play

from stratagym.agents import hooks
from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.games.dou_dizhu import RULES, as_worth, endgame, hands
from stratagym.agents.kernel_policies import play_many
from stratagym.agents.pimc import PIMC
from stratagym.benchmarks.harness.pairings import duel_seating
from stratagym.envs import core, spec
from stratagym.envs.dou_dizhu import cards as sets
from stratagym.envs.dou_dizhu import patterns, plays, view
from stratagym.envs.facts import side_leads
from stratagym.testing import RandomGame

GAME = spec("dou_dizhu")
SIDES = ((0,), (1, 2))


def random_ending(rng, rules, most):
    """Hands of a few cards each, somebody to lead or to beat a play."""
    ranks = rng.permutation(np.repeat(np.arange(6, 15), [4] * 7 + [1, 1])).tolist()
    sizes = rng.integers(1, most + 1, 3)
    cut = np.cumsum(sizes)
    cards = [ranks[: cut[0]], ranks[cut[0] : cut[1]], ranks[cut[1] : cut[2]]]
    states = dealt(rules, cards, player=int(rng.integers(3)))
    if rng.random() < 0.5:
        states["owner"][0] = (states["player"][0] + 1 + rng.integers(2)) % 3
        play_id = int(rng.integers(1, 42))
        states["top"][0] = patterns.PATTERN[play_id]
        states["top_cards"][0] = patterns.PLAY_CARDS[play_id]
        # As many passes as seats between the owner and the seat to move.
        states["passes"][0] = (states["player"][0] - states["owner"][0] - 1) % 3
    return states


def plainly_won(rules, states, known):
    """Whether the landlord wins, by trying everything."""
    s = states[0]
    key = (*s["hands"].tolist(), int(s["top"]), int(s["owner"]), int(s["player"]))
    if key not in known:
        player, found = int(s["player"]), []
        legal, probs = core.new_scratch(rules)
        mine = player == s["landlord"]
        won = not mine
        for action in legal_of(rules, states):
            after = states.copy()
            seat, _ = core.play_at(rules, after, 0, action, legal, probs)
            if seat < 0:
                result = bool(after[0]["winner"] == after[0]["landlord"])
            else:
                result = plainly_won(rules, after, known)
            if result == mine:
                won = mine
                break
        known[key] = won
        assert found == []
    return known[key]


def test_the_exact_endgame_is_that_of_trying_everything(rng):
    memory, won = endgame.new_memory(), 0
    out = np.zeros(3)
    for _ in range(60):
        states = random_ending(rng, WHOLE, 3)
        assert endgame.exact(WHOLE, states[0], memory, out)
        found = plainly_won(WHOLE, states, {})
        won += found
        assert out.tolist() == ([1, 0, 0] if found else [0, 1, 1]), states
    assert 0 < won < 60


def test_with_many_cards_nothing_is_solved():
    states = dealt(WHOLE, [[0] * 4 + [1], [2] * 4 + [3], [4] * 4 + [5]])
    assert not endgame.exact(WHOLE, states[0], endgame.new_memory(), np.zeros(3))


def test_plays_needed():
    def needed(text):
        ranks = [view.NAMES.index(word) for word in text.split()]
        return hands.plays_needed(np.uint64(sets.packed(ranks)))

    assert needed("3") == 1 and needed("3 4") == 2
    assert needed("3 4 5 6 7") == 1 and needed("3 4 5 6 7 8 10") == 2
    assert needed("3 3 3 4") == 1 and needed("3 3 3 4 4") == 1 and needed("3 3 3 4 5") == 2
    assert needed("3 3 4 4 5 5") == 1
    assert needed("3 3 3 4 4 4 5 6") == 1
    assert needed("5 5 5 5 BlackJoker RedJoker") == 0


def kickers_of(text, pattern, kind=0):
    ranks = [view.NAMES.index(word) for word in text.split()]
    chosen = hands.choose_kickers(kind, np.uint64(sets.packed(ranks)), pattern)
    return view.cards_text(chosen)


def test_kickers_are_cards_that_stand_alone():
    assert kickers_of("3 3 3 4 5 6 7 8 K", 42) == "K"
    assert kickers_of("3 3 3 4 4 6 K", 42) == "6"
    assert kickers_of("3 3 3 4 4 K K", 55) == "4 4"
    assert kickers_of("3 3 3 4 4 4 9 9 9 J", 201) == "9 J"
    assert kickers_of("3 3 3 4 4 4 9 9", 201, plays.LOOSE) == "9 9"
    assert kickers_of("3 3 3 4 4 4 9 BlackJoker RedJoker", 201, plays.PAGAT) == "9 BlackJoker"


def chosen(rules, states, policy="heuristic"):
    decision = decision_for(GAME, rules, states, 1)
    return view.action_to_string(rules, states[0], make_policy(GAME, policy).act(decision))


@pytest.mark.parametrize("name", ["heuristic", "rule:greedy", "rule:rlcard"])
def test_a_hand_that_is_one_play_is_played(name, rng):
    """In both encodings and by all rules of kickers."""
    policy = make_policy(GAME, name)
    for plays_as, kickers, shuttle in product(
        ("whole", "parts"), ("distinct", "pagat", "loose"), (False, True)
    ):
        options = {"kickers": kickers, "shuttle": shuttle}
        rules, whole = (GAME.make_rules(plays=k, **options) for k in (plays_as, "whole"))
        for seed in rng.integers(2**62, size=12).tolist():
            states, scratch = core.new_states(rules), core.new_scratch(rules)
            seat, is_last = core.start_at(rules, states, 0, np.uint64(seed), scratch[1]), False
            while seat >= 0:
                if not states["building"][0]:
                    assert not is_last, (rules, states)
                    cards = patterns.PLAY_CARDS[legal_of(whole, states)] & patterns.ONLY_CARDS
                    is_last = (cards == states["hands"][0, seat]).any()
                view = decision_for(GAME, rules, states, int(rng.integers(2**62)))
                seat, _ = core.play_at(rules, states, 0, policy.act(view), *scratch)


@pytest.mark.parametrize(
    ("name", "hand", "before"),
    [("rule:rlcard", [0, 0, 0, 1], "3 3 3"), ("rule:greedy", [0, 0, 0, 0, 1, 2], "3 3 3 4")],
)
def test_the_earlier_players_kept_a_hand_that_is_one_play(name, hand, before):
    states = dealt(WHOLE, [hand, [5, 5, 6], [7, 8, 12]])
    assert chosen(WHOLE, states, f"{name}?version=1") == before
    after = states.copy()
    action = make_policy(GAME, name).act(decision_for(GAME, WHOLE, states, 1))
    assert core.play_at(WHOLE, after, 0, action, *core.new_scratch(WHOLE))[0] < 0


def test_rule_based_players_by_hand():
    states = dealt(WHOLE, [[0, 1, 2, 3, 4, 9], [5, 5, 6], [7, 8, 12]])
    assert chosen(WHOLE, states) == chosen(WHOLE, states, "rule:greedy") == "3 4 5 6 7"
    assert chosen(WHOLE, states, "rule:rlcard") == "3 4 5 6 7"
    play(WHOLE, states, "Q")
    assert chosen(WHOLE, states, "rule:greedy") == "pass"  # nothing beats it
    states = dealt(WHOLE, [[9, 0, 0, 1, 1], [10, 5, 5], [12, 8, 8, 11]])
    play(WHOLE, states, "Q", "K")
    assert chosen(WHOLE, states) == "pass"
    assert chosen(WHOLE, states, "rule:rlcard") == "A"
    assert chosen(WHOLE, states, "rule:greedy") == "A"
    states = dealt(WHOLE, [[0, 3], [1, 5, 5], [12]])
    play(WHOLE, states, "3", "4")
    assert chosen(WHOLE, states) == "2"  # over the partner, to go out


@pytest.mark.parametrize("name", ["heuristic", "rule:greedy"])
def test_both_encodings_are_played_alike(name, rng):
    """The heuristic names in parts what it plays whole; greedy at least goes on to the end."""
    policies = [make_policy(GAME, name)]
    for seed in rng.integers(2**62, size=10).tolist():
        texts = []
        for rules in (PARTS, WHOLE):
            games = play_many(
                rules, policies, np.array([seed], np.uint64), np.zeros((1, 3), np.int64)
            )
            told, states = [], core.new_states(rules)
            legal, probs = core.new_scratch(rules)
            core.start_at(rules, states, 0, np.uint64(seed), probs)
            for action in games.actions[0, : games.plies[0]].tolist():
                told.append(view.move_text(rules, states[0], action))
                core.play_at(rules, states, 0, action, legal, probs)
            assert states["over"][0]
            texts.append([text for text in told if text])
        assert texts[0] == texts[1] or name != "heuristic"


def duplicate_rate(one, other, games, seed, rules=WHOLE):
    """How often ``one``'s side wins: each deal with both sides, and twice the standard error."""
    policies = [make_policy(GAME, name) for name in (one, other)]
    seeds, seating = duel_seating(2, games, seed)
    seating = seating[:, [0, 1, 1]]
    played = play_many(rules, policies, seeds, seating)
    leads = side_leads(SIDES, played.returns)
    won = leads[np.arange(len(seeds)), seating[:, :2].argmin(1)] > 0
    deals = won.reshape(-1, 2).mean(1)
    return deals.mean(), 2 * deals.std() / len(deals) ** 0.5


@pytest.mark.parametrize(
    ("one", "other", "low", "high"),
    [
        ("rule:greedy", "random", 0.86, 0.94),
        ("heuristic", "rule:greedy", 0.6, 0.8),
        ("heuristic", "rule:rlcard", 0.52, 0.95),
    ],
)
def test_strength_of_the_compiled_players(one, other, low, high):
    rate, error = duplicate_rate(one, other, 2000, 3)
    assert low < rate - error and rate + error < high, (rate, error)


@pytest.mark.slow
def test_guessing_beats_the_heuristic():
    """By an interval; about .7 of 40 worlds."""
    won = np.array([by_policies("pimc:30", "heuristic", seed) for seed in range(60)])
    assert won.mean() - 2 * won.std() / len(won) ** 0.5 > 0.5, won.mean()


def by_policies(one, other, seed, rules=WHOLE):
    """The share of a deal's two games that ``one``'s side wins."""
    policies, won = [make_policy(GAME, one), make_policy(GAME, other)], 0
    for side in range(2):
        states = core.new_states(rules)
        legal, probs = core.new_scratch(rules)
        seat = core.start_at(rules, states, 0, np.uint64(seed), probs)
        ply = 0
        while seat >= 0:
            who = policies[(seat > 0) != side]
            decision = decision_for(GAME, rules, states, 1000 * seed + ply)
            seat, _ = core.play_at(rules, states, 0, who.act(decision), legal, probs)
            ply += 1
        out = np.zeros(3)
        as_worth(rules, states[0], out)
        won += out[side]
    return won / 2


@pytest.mark.parametrize("rules", [PARTS, WHOLE], ids=["parts", "whole"])
def test_guesses_and_tree_search_play_both_encodings(rules, rng):
    for name in ("pimc:2", "pimc:2?weights=yes", "mcts:20"):
        policy = make_policy(GAME, name)
        played = RandomGame(rules, int(rng.integers(2**62)))
        for at in range(0, len(played.states), 9):
            decision = decision_for(GAME, rules, played.states[at], 5)
            action = policy.act(decision)
            assert action in played.choices[at]
            assert make_policy(GAME, name).act(decision) == action


def test_guesses_see_a_win_that_needs_no_luck():
    """The landlord leads its pair, which nobody can beat, and then its last card."""
    states = dealt(WHOLE, [[11, 11, 0], [1], [2]])
    decision = decision_for(GAME, WHOLE, states, 1)
    actions, worth = PIMC(5).statistics(decision)
    of = dict(zip(actions.tolist(), worth.tolist(), strict=True))
    assert of[view.string_to_action(WHOLE, states[0], "A A")] == 1
    assert of[view.string_to_action(WHOLE, states[0], "3")] < 1
    assert chosen(WHOLE, states, "pimc:5") == "A A"


def test_the_heuristics_play_is_left_only_for_one_that_is_surely_better():
    states = dealt(WHOLE, [[11, 11, 0], [1], [2]])
    decision = decision_for(GAME, WHOLE, states, 1)
    usual = make_policy(GAME, "heuristic").act(decision)
    assert PIMC(1, sure=1).act(decision) == usual  # one guess says nothing of errors
    assert PIMC(30, sure=1e9).act(decision) == usual
    assert chosen(WHOLE, states, "pimc:30?sure=2") == "A A"


def test_policies_that_make_no_sense():
    for text in ("pimc:0", "pimc:3?c=1", "pimc:3?sure=nan", "pimc:3?sure=x"):
        with pytest.raises(ValueError, match="policy pimc"):
            make_policy(GAME, text)
    with pytest.raises(ValueError, match="policy pimc"):
        make_policy(spec("chess"), "pimc:3")
    assert make_policy(GAME, "pimc:3?weights=yes").name == "pimc:3?weights=yes"
    assert make_policy(GAME, "pimc:3?sure=2&weights=yes").name == "pimc:3?weights=yes&sure=2"
    assert set(hooks.rule_names(GAME)) == set(RULES)
