"""What agents know of reversi: exact endgames against FFO's and a plain search, the players.

Set STRATAGYM_FFO_POSITIONS to solve that many of FFO's deep positions instead of a few.
"""

from __future__ import annotations

import json
import os

import numpy as np
import pytest
from numba import njit
from ours import assert_no_policy

from stratagym.agents import hooks
from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.games.reversi import endgame_scores, evaluate, judging
from stratagym.agents.games.reversi.endgame import (
    best_square,
    board_of_size,
    new_memory,
    score_moves,
    score_of,
)
from stratagym.agents.kernel_policies import play_many
from stratagym.agents.perfect import ILLEGAL
from stratagym.envs import core, spec
from stratagym.envs.reversi.rules import GOING, disc_difference
from stratagym.testing import RandomGame, position, random_positions

GAME = spec("reversi")
RULES = GAME.make_rules()
SMALL = GAME.make_rules(size=4)
BOARD = board_of_size(8)


@pytest.fixture(scope="module")
def memory():
    return new_memory(18)


# --- exact endgames ------------------------------------------------------------------------------


@njit
def plain_value(rules, states, legal, tried, counts, best):
    """The final difference of discs for seat 0 under perfect play: all games, nothing left out."""
    level = 0
    counts[0] = core.legal_actions(rules, states[0], legal[0])
    tried[0], best[0] = 0, -1000
    while True:
        seat = states[level].player
        if tried[level] == counts[level]:
            value = best[level] if seat == 0 else -best[level]
            if level == 0:
                return value
            level -= 1
        else:
            core.step(rules, put(states, level), legal[level, tried[level]])
            tried[level] += 1
            if core.current_player(rules, states[level + 1]) >= 0:
                level += 1
                counts[level] = core.legal_actions(rules, states[level], legal[level])
                tried[level], best[level] = 0, -1000
                continue
            value = disc_difference(rules, states[level + 1])
        own = value if states[level].player == 0 else -value
        best[level] = max(best[level], own)


@njit
def put(states, level):
    states[level + 1] = states[level]
    return states[level + 1]


def plain_score(rules, s):
    """That for the seat to move."""
    states = core.new_states(rules, 70)
    states[0] = s
    legal = np.zeros((70, rules.num_actions), np.int64)
    scratch = (np.zeros(70, np.int64) for _ in range(3))
    value = plain_value(rules, states, legal, *scratch)
    return -value if s["player"] else value


@pytest.mark.parametrize(("size", "plies"), [(8, range(53, 60)), (6, range(25, 32))])
def test_scores_are_a_plain_searchs(size, plies, rng):
    rules, geometry, memory = GAME.make_rules(size=size), board_of_size(size), new_memory(10)
    passes = 0
    for _ in range(9):  # one batch may hold no pass
        for s in random_positions(rules, 250, rng, plies):
            expected = plain_score(rules, s)
            guess = 2 * int(rng.integers(-size * size // 2, size * size // 2 + 1))
            assert score_of(s["own"], s["opp"], guess, geometry, memory) == expected
            scores = endgame_scores(rules, np.array([s]))[0]
            assert scores.max() == expected
            passes += scores[-1] != ILLEGAL
            legal, probs = core.new_scratch(rules)
            for action in np.flatnonzero(scores != ILLEGAL).tolist():
                after = np.array([s])
                if core.play_at(rules, after, 0, action, legal, probs)[0] < 0:
                    value = disc_difference(rules, after[0]) * (-1 if s["player"] else 1)
                else:
                    value = -plain_score(rules, after[0])
                assert scores[action] == value
        if passes:
            break
    assert passes


def test_the_second_player_wins_four_by_four_by_ten():
    """Eight by discs: two squares stay empty."""
    scores = endgame_scores(SMALL, position(SMALL))[0]
    assert sorted(scores.tolist())[-4:] == [-10] * 4
    rules, states = SMALL, position(SMALL)
    policy = make_policy(GAME, "random?tactic=12")
    legal, probs = core.new_scratch(rules)
    seat = 0
    while seat >= 0:
        action = policy.act(decision_for(GAME, rules, states, 1))
        seat, _ = core.play_at(rules, states, 0, action, legal, probs)
    assert disc_difference(rules, states[0]) == -10
    s = states[0]
    assert sorted((int(s["own"]).bit_count(), int(s["opp"]).bit_count())) == [3, 11]


def ffo(shared_data, numbers):
    """(number, own, opposing discs, best score, {square: score}) of positions of FForum's."""
    lines = (shared_data / "more_boards" / "ffo.jsonl").read_text().splitlines()
    for told in map(json.loads, lines):
        if told["id"] in numbers:
            board, side = told["board"], told["side"]
            own = sum(1 << k for k in range(64) if board[k] == side)
            other = sum(1 << k for k in range(64) if board[k] not in ("-", side))
            scores = {
                8 * (int(name[1]) - 1) + "abcdefgh".index(name[0]): score
                for name, score in told["scores"].items()
            }
            yield told["id"], np.uint64(own), np.uint64(other), told["best"], scores


def test_ffo_1_to_19_all_moves(shared_data, memory):
    found = 0
    for number, own, other, _, scores in ffo(shared_data, range(1, 20)):
        out = np.full(64, ILLEGAL, np.int8)
        score_moves(own, other, BOARD, memory, out)
        assert {int(k): int(out[k]) for k in np.flatnonzero(out != ILLEGAL)} == scores, number
        found += 1
    assert found == 19


QUICK = [*range(20, 26), 27, 29, 30, 31]
DEEP = [26, 28, *range(32, 39), *range(40, 45)]
"""Of 19 to 24 empty squares; 39 has 26."""
DEEP_POSITIONS = int(os.environ.get("STRATAGYM_FFO_POSITIONS", "3"))
"""So many of the deep ones, others each run; all 14 take a minute."""


@pytest.mark.parametrize(
    ("numbers", "chosen"),
    [(QUICK, len(QUICK)), pytest.param(DEEP, DEEP_POSITIONS, marks=pytest.mark.slow)],
    ids=["quick", "deep"],
)
def test_ffo_20_to_44_best_scores(shared_data, memory, rng, numbers, chosen):
    numbers = rng.permutation(numbers)[:chosen].tolist()
    found = 0
    for number, own, other, best, scores in ffo(shared_data, numbers):
        square, score = best_square(own, other, BOARD, memory)
        assert score == best and scores[int(square)] == best, number
        found += 1
    assert found == len(numbers)


# --- how endings were played ---------------------------------------------------------------------


def judged(rules, actions):
    """``judging.game_counts`` of one game."""
    plies = np.array([len(actions)])
    return judging.game_counts(rules, np.zeros(1, np.uint64), np.array([actions]), plies)[0]


def test_what_endings_lost_is_counted_as_a_plain_search_has_it(rng):
    """On the small board every decision is one of an ending."""
    for _ in range(3):
        game, expected = RandomGame(SMALL, int(rng.integers(2**63))), np.zeros((2, 5))
        legal, probs = core.new_scratch(SMALL)
        for states, seat, choices, action in zip(
            game.states, game.players, game.choices, game.actions, strict=True
        ):
            scores = {}
            for choice in choices.tolist():
                after = states.copy()
                if core.play_at(SMALL, after, 0, choice, legal, probs)[0] < 0:
                    scores[choice] = int(disc_difference(SMALL, after[0])) * (1 - 2 * seat)
                else:
                    scores[choice] = -plain_score(SMALL, after[0])
            best = max(scores.values())
            lost = [best - score for score in scores.values()]
            kept = [np.sign(score) == np.sign(best) for score in scores.values()]
            expected[seat] += (
                1, best - scores[action], np.mean(lost),
                np.sign(scores[action]) == np.sign(best), np.mean(kept),
            )  # fmt: skip
        assert judged(SMALL, game.actions) == pytest.approx(expected)


def test_endings_of_who_errs_cost_what_chance_says(seed):
    """Who plays exactly loses nothing; random play as much as its chance; both are judged from 14
    empty squares on; nothing is judged where passes are voluntary."""
    policies = [make_policy(GAME, name) for name in ("random", "random?tactic=16")]
    random, exact = np.zeros(5), np.zeros(5)
    legal, probs = core.new_scratch(RULES)
    for number in range(48):
        states, actions, expected = position(RULES), [], 0
        seat = 0
        while seat >= 0:
            expected += int(states["own"][0] | states["opp"][0]).bit_count() >= 64 - 14
            policy = policies[(seat + number) % 2]
            view = decision_for(GAME, RULES, states, (seed + 100 * number + len(actions)) % 2**63)
            actions.append(policy.act(view))
            seat, _ = core.play_at(RULES, states, 0, actions[-1], legal, probs)
        counts = judged(RULES, actions)
        assert counts[:, 0].sum() == expected
        random += counts[number % 2]
        exact += counts[1 - number % 2]
    assert not judged(GAME.make_rules(passing="voluntary"), actions).any()
    rates = judging.rates(exact)
    assert rates["ending_discs_lost"] == 0 and rates["ending_sign_kept"] == 1
    rates = judging.rates(random)
    for name, slack in (("ending_discs_lost", 0.5), ("ending_sign_kept", 0.2)):
        chance = rates[f"{name}_chance"]
        assert chance * (1 - slack) < rates[name] < chance * (1 + slack)
    assert all(np.isnan(rate) for rate in judging.rates(np.zeros(5)).values())


# --- players -------------------------------------------------------------------------------------


def result(rules, policies, states, seed):
    """The difference of discs for seat 0 when two policies play on from a position."""
    legal, probs = core.new_scratch(rules)
    own = states.copy()
    seat = int(own["player"][0])
    while seat >= 0:
        action = policies[seat].act(decision_for(GAME, rules, own, seed))
        seat, _ = core.play_at(rules, own, 0, action, legal, probs)
    return int(disc_difference(rules, own[0]))


def test_the_tactic_gets_what_the_position_is_worth(rng, seed):
    """From both sides, and no less against others."""
    exact, other = make_policy(GAME, "random?tactic=10"), make_policy(GAME, "heuristic")
    assert exact.name == "random?tactic=10"
    for s in random_positions(RULES, 40, rng, range(50, 58)):
        worth = int(endgame_scores(RULES, np.array([s]))[0].max())
        worth = -worth if s["player"] else worth
        states = np.array([s])
        assert result(RULES, [exact, exact], states, seed) == worth
        assert result(RULES, [exact, other], states, seed) >= worth
        assert result(RULES, [other, exact], states, seed) <= worth


def test_the_tactic_leaves_alone_what_it_does_not_know(rng):
    tactic = hooks.found(GAME, "tactic")
    voluntary = GAME.make_rules(passing="voluntary")
    for rules, empties, known in ((RULES, 12, True), (RULES, 11, False), (voluntary, 12, False)):
        while True:
            states = random_positions(rules, 1, rng, range(40, 58))
            if int(states["own"][0] | states["opp"][0]).bit_count() == 64 - 12:
                break
        legal = np.flatnonzero(endgame_scores(rules, states)[0] != ILLEGAL)
        assert (tactic(rules, states, legal, empties) in legal) == known


@pytest.mark.parametrize(
    ("game", "policy", "words"),
    [
        ("reversi", "alphabeta:3?tactic=0", "from 1 to 64"),
        ("reversi", "alphabeta:3?tactic=x", "from 1 to 64"),
        ("ludo", "random?tactic=3", "games with one are"),
    ],
)
def test_bad_tactics_are_one_line(game, policy, words):
    assert_no_policy(game, policy, words)


def test_weakened_and_tactical_policies_have_names_that_make_them_again():
    policy = make_policy(GAME, "alphabeta:3?tactic=12&random=0.1")
    assert policy.name == "alphabeta:3?tactic=12&random=0.1"
    assert make_policy(GAME, policy.name).name == policy.name


def test_the_players_rank_as_they_should(seed):
    """The table before the corners alone before greed; greed is better than chance."""
    names = ["rule:table", "rule:corners", "rule:greedy", "random"]
    policies = [make_policy(GAME, name) for name in names]
    n = 1200
    for better in range(3):
        pairs = np.array([[better, better + 1], [better + 1, better]] * (n // 2))
        # Rule-based players would play two games over and over: a random one plays from seeds.
        if better == 2:
            seeds = np.arange(seed % 2**32, seed % 2**32 + n, dtype=np.uint64)
            games = play_many(RULES, policies, seeds, pairs)
            mine = games.returns[np.arange(n), (pairs == better).argmax(axis=1)]
            assert mine.mean() > 0.05  # measured: .24, with a standard error of .03
            continue
        total = 0
        states = random_positions(RULES, 40, seed % 2**32, range(6, 7))
        for s in states:
            start = np.array([s])
            pair = [policies[better], policies[better + 1]]
            total += np.sign(result(RULES, pair, start, 1))
            total -= np.sign(result(RULES, pair[::-1], start, 1))
        assert total > 16, names[better]
    assert make_policy(GAME, "heuristic").act(
        decision_for(GAME, RULES, position(RULES), 1)
    ) == make_policy(GAME, "rule:table").act(decision_for(GAME, RULES, position(RULES), 1))


def test_alpha_beta_with_the_evaluator_beats_the_heuristic(seed):
    deep, table = make_policy(GAME, "alphabeta:4"), make_policy(GAME, "heuristic")
    total = 0
    for s in random_positions(RULES, 20, seed % 2**32, range(6, 7)):
        total += np.sign(result(RULES, [deep, table], np.array([s]), 1))
        total -= np.sign(result(RULES, [table, deep], np.array([s]), 1))
    assert total > 8


@njit
def estimate(rules, states, out):
    evaluate(rules, states[0], out)


@pytest.mark.parametrize("size", [4, 6, 8])
def test_the_evaluator_is_fair_and_exact_at_the_end(size, rng):
    """The same for both colours and for every image of a position; the result of a game over."""
    rules = GAME.make_rules(size=size)
    table = hooks.found(GAME, "symmetries")(rules)
    out, other = np.zeros(2), np.zeros(2)
    for _ in range(20):
        game = RandomGame(rules, int(rng.integers(2**63)))
        estimate(rules, game.end, out)
        assert out.tolist() == game.returns(game.end).tolist()
        states = game.states[rng.integers(len(game.states))]
        estimate(rules, states, out)
        assert out[0] == -out[1] and abs(out[0]) < 1
        swapped = states.copy()
        swapped["player"] = 1 - states["player"]
        estimate(rules, swapped, other)
        assert other[0] == out[1]
        image = states.copy()
        permutation = table[rng.integers(1, 8)]
        for field in ("own", "opp", "legal"):
            image[field] = 0
            for action in range(size * size):
                row, column = divmod(action, size)
                there, across = divmod(int(permutation[action]), size)
                if int(states[field][0]) >> (8 * row + column) & 1:
                    image[field] |= np.uint64(1 << 8 * there + across)
        estimate(rules, image, other)
        assert other.tolist() == out.tolist()


@njit
def hash_of(rules, states):
    return hooks.position_hash(rules, states[0])


def test_hashes_are_of_positions(rng):
    """Equal for equal discs and mover, whatever the way there; different else."""
    seen = {}
    for _ in range(60):
        for states in RandomGame(RULES, int(rng.integers(2**63))).states:
            key = int(states["own"][0]), int(states["opp"][0]), int(states["player"][0])
            assert seen.setdefault(hash_of(RULES, states), key) == key
    assert len(seen) > 3000 and len(set(seen.values())) == len(seen)


def test_games_that_are_over_have_no_scores(rng):
    end = RandomGame(RULES, int(rng.integers(2**63))).end
    assert end["over"][0] != GOING and (endgame_scores(RULES, end) == ILLEGAL).all()
