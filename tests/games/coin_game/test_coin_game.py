"""The coin game against OpenSpiel, reference returns, and what its players and words must be."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.games.coin_game import evaluate, guess, walk
from stratagym.agents.kernel_policies import play_many
from stratagym.agents.ladders import ladder_of
from stratagym.envs import core, spec
from stratagym.envs.coin_game import render, replay, view
from stratagym.envs.coin_game import rules as kernel
from stratagym.envs.coin_game.metrics import COUNTS, RESULTS, count_move, game_counts, rates
from stratagym.envs.coin_game.metrics import replay as counted
from stratagym.envs.prompts import TextOptions, messages
from stratagym.testing import check_replies, position, random_positions, same_as_openspiel

GAME = spec("coin_game")
RULES = GAME.make_rules()
TOLD = GAME.make_rules(goals="all")
UP, DOWN, LEFT, RIGHT, STAND = range(5)
OTHERS = (
    {"players": 3, "rows": 5, "columns": 6, "coins": 3},
    {"players": 4, "rows": 10, "columns": 10, "extra_colours": 3, "coins": 6, "length": 41},
    {"players": 2, "rows": 3, "columns": 10, "extra_colours": 0, "coins": 5, "length": 33},
    {"players": 2, "rows": 4, "columns": 4, "extra_colours": 0, "coins": 6, "length": 1},
)
"""Other options; the fourth board is all but full."""
FULL = {"players": 2, "rows": 4, "columns": 5, "extra_colours": 1, "coins": 6}


def placed(rules, where, coins="", goals=(0, 1), player=0, moves=0):
    """A position (1,): the players' cells, and ``a1,2`` for a coin a in row 1 and column 2."""
    states = position(rules)
    states["coins"] = kernel.NONE
    for coin in coins.split():
        row, column = map(int, coin[1:].split(","))
        states["coins"][0, row * rules.columns + column] = "abcdefg".index(coin[0])
    for seat, (row, column) in enumerate(where):
        states["where"][0, seat] = row * rules.columns + column
        states["goals"][0, seat] = goals[seat]
    states["player"], states["moves"] = player, moves
    return states


def returned(rules, states):
    out = np.zeros(rules.num_players)
    core.returns_at(rules, states, 0, out)
    return out.tolist()


def seen(rules, states, player):
    out = np.full(rules.observation_shape, 77, np.int8)
    core.observe_at(rules, states, 0, player, out)
    return out


# --- the rules -----------------------------------------------------------------------------------


@pytest.mark.oracle
@pytest.mark.parametrize("options", [{}, *OTHERS, FULL], ids=str)
def test_games_are_openspiels(options, rng):
    """Our start goes through its chance nodes; then boards, counts and returns in lockstep."""
    rules = GAME.make_rules(**options)

    def begin(states, state):
        s = states[0]
        cells = s["coins"].tolist()
        drawn = s["goals"][: rules.num_players].tolist() + s["where"][: rules.num_players].tolist()
        for colour in range(rules.colours):
            drawn += [cell for cell, coin in enumerate(cells) if coin == colour]
        for outcome in drawn:
            assert state.is_chance_node()
            state.apply_action(outcome)
        assert not state.is_chance_node()

    def compare(states, state):
        s = states[0]
        lines = str(state).splitlines()
        board = [line[1:-1] for line in lines if line.startswith("|")]
        ours = [" " if coin < 0 else "abcdefg"[coin] for coin in s["coins"].tolist()]
        for seat in range(rules.num_players):
            ours[s["where"][seat]] = str(seat)
        assert "".join(board) == "".join(ours[: rules.rows * rules.columns])
        assert f"moves={s['moves']}" in lines
        goals = " ".join(f"{k}:{'abcdefg'[s['goals'][k]]}" for k in range(rules.num_players))
        assert f"preferences={goals}" in [line.strip() for line in lines]
        for seat in range(rules.num_players):
            counts = " ".join(map(str, s["taken"][seat][: rules.colours].tolist()))
            assert f"player{seat} {counts}" in [line.strip() for line in lines]
        if not state.is_terminal():
            names = [state.action_to_string(action) for action in state.legal_actions()]
            assert names == list(view.MOVES)

    theirs = (
        f"coin_game(players={rules.num_players},rows={rules.rows},columns={rules.columns},"
        f"num_extra_coin_colors={rules.colours - rules.num_players},"
        f"num_coins_per_color={rules.coins},episode_length={rules.length})"
    )
    games = 200 if not options else 25
    same_as_openspiel(rules, theirs, games, rng, begin=begin, compare=compare)


def test_starts_are_uniform(seed):
    """Goals over ordered pairs of colours, players and coins over cells, by chi-squared."""
    n, cells = 6000, RULES.rows * RULES.columns
    states, probs = core.new_states(RULES, n), core.new_scratch(RULES)[1]
    for k in range(n):
        one = core.derive_seed(np.uint64(seed), np.uint64(k))
        core.start_at(RULES, states, k, np.uint64(one), probs)
    pairs = Counter(map(tuple, states["goals"][:, :2].tolist()))
    assert sorted(pairs) == [(a, b) for a in range(3) for b in range(3) if a != b]
    assert stats.chisquare(list(pairs.values())).pvalue > 1e-8
    found = [states["where"][:, seat] for seat in range(2)]
    found += [np.nonzero(states["coins"] == colour)[1] for colour in range(3)]
    for where in found:
        counts = np.bincount(where, minlength=cells)
        assert len(counts) == cells
        assert stats.chisquare(counts).pvalue > 1e-8
    assert ((states["coins"] >= 0).sum(1) == 12).all()
    for seat in range(2):
        assert (np.take_along_axis(states["coins"], states["where"][:, [seat]], 1) == -1).all()


def test_players_and_coins_must_fit():
    assert GAME.make_rules(**FULL).colours == 3  # 2 + 18 on 20 cells
    with pytest.raises(ValueError, match=r"3 players and 30 coins .* need 33 cells, and 5 x 6 has"):
        GAME.make_rules(players=3, extra_colours=2, coins=6, rows=5, columns=6)
    for options in ({"rows": 2}, {"columns": 11}, {"players": 5}, {"coins": 7}, {"length": 121}):
        with pytest.raises(ValueError, match="a whole number"):
            GAME.make_rules(**options)
    with pytest.raises(ValueError, match="goals='two'; choose one of: own, all"):
        GAME.make_rules(goals="two")


def test_a_move_that_leads_nowhere_is_used_up():
    states = placed(RULES, [(0, 0), (0, 1)], "b1,0 c0,2")
    legal, probs = core.new_scratch(RULES)
    for action, cells in ((UP, [0, 1]), (LEFT, [0, 0]), (RIGHT, [0, 0]), (STAND, [0, 0])):
        core.play_at(RULES, states, 0, action, legal, probs)
        assert states["where"][0, 0] == 0, (action, cells)
        core.play_at(RULES, states, 0, STAND, legal, probs)
    assert states["moves"] == 8 and states["player"] == 0 and not states["taken"].any()
    core.play_at(RULES, states, 0, DOWN, legal, probs)
    core.play_at(RULES, states, 0, RIGHT, legal, probs)
    assert states["taken"][0, :2, :3].tolist() == [[0, 1, 0], [0, 0, 1]]
    assert states["where"][0, :2].tolist() == [8, 2] and (states["coins"] == -1).all()


def test_coins_count_whoever_took_them_and_not_before_the_end():
    states = placed(RULES, [(0, 0), (7, 7)], goals=(2, 0), moves=19)
    states["taken"][0, 0, :3], states["taken"][0, 1, :3] = [1, 1, 2], [2, 0, 1]
    assert returned(RULES, states) == [0, 0]
    states["moves"] = 20
    assert returned(RULES, states) == [3 * 3 + 3 * 3 - 1] * 2
    three = GAME.make_rules(players=3)
    states = placed(three, [(0, 0), (7, 7), (3, 3)], goals=(3, 0, 1), moves=20)
    states["taken"][0, 0, :4] = [2, 1, 3, 4]
    assert returned(three, states) == [4**2 + 3**2 - 3**2, 2**2 + 5**2 - 3**2, 1 + 6**2 - 3**2]


def test_observations():
    """Planes by the observer: itself first, its goal's colour first, and no other goal."""
    states = placed(RULES, [(0, 1), (2, 3)], "a4,4 b5,5 c6,6 c7,0", goals=(1, 2), moves=3)
    states["taken"][0, 0, :3], states["taken"][0, 1, :3] = [1, 2, 3], [0, 1, 0]
    for player, order in ((0, "bac"), (1, "cab")):
        planes = seen(RULES, states, player)
        assert planes.shape == (8, 8, 12) and RULES.observation_high == 20
        spots = [np.argwhere(planes[..., k]).tolist() for k in range(5)]
        assert spots[:2] == ([[[0, 1]], [[2, 3]]] if player == 0 else [[[2, 3]], [[0, 1]]])
        cells = {"a": [[4, 4]], "b": [[5, 5]], "c": [[6, 6], [7, 0]]}
        assert spots[2:] == [cells[colour] for colour in order]
        for k, seat in enumerate((player, 1 - player)):
            counts = dict(zip("abc", states["taken"][0, seat].tolist(), strict=False))
            told = planes[..., 5 + 3 * k : 8 + 3 * k]
            assert (told == [counts[colour] for colour in order]).all()
        assert (planes[..., 11] == 17).all()
    twin = states.copy()
    twin["goals"][0, 1] = 0
    assert (seen(RULES, twin, 0) == seen(RULES, states, 0)).all()
    assert (seen(TOLD, twin, 0) != seen(TOLD, states, 0)).any()
    first = seen(TOLD, states, 0)
    assert [np.argwhere(first[..., k]).tolist() for k in (2, 3, 4)] == [
        [[5, 5]], [[6, 6], [7, 0]], [[4, 4]],
    ]  # fmt: skip
    large = GAME.make_rules(**OTHERS[1])
    assert large.observation_shape == (10, 10, 4 + 7 + 28 + 1)


@pytest.mark.parametrize("options", [{}, OTHERS[0], OTHERS[1]], ids=str)
def test_goals_are_redrawn_over_what_a_seat_does_not_know(options, seed):
    """Uniformly over distinct colours that are not the seat's own; told goals stay."""
    rules = GAME.make_rules(**options)
    start, n = position(rules, seed=seed % 2**63), 3000
    player = rules.num_players - 1
    drawn: Counter[tuple[int, ...]] = Counter()
    for k in range(n):
        states = start.copy()
        core.determinize_at(rules, states, 0, player, np.uint64(seed % 2**62 + k))
        drawn[tuple(states["goals"][0, : rules.num_players].tolist())] += 1
    mine = int(start["goals"][0, player])
    assert all(goals[player] == mine and len(set(goals)) == len(goals) for goals in drawn)
    kinds = int(np.prod([rules.colours - k for k in range(1, rules.num_players)]))
    assert len(drawn) == kinds
    assert kinds == 1 or stats.chisquare(list(drawn.values())).pvalue > 1e-8
    told = GAME.make_rules(**options, goals="all")
    states = start.copy()
    core.determinize_at(told, states, 0, player, np.uint64(1))
    assert (states["goals"] == start["goals"]).all()


# --- players -------------------------------------------------------------------------------------

REFERENCE = {
    "random": (0.90, 0.11, {}),
    "rule:any": (8.31, 0.38, {}),
    "rule:own": (13.07, 0.23, {}),
    "heuristic": (20.51, 0.28, {"goals": "all"}),
}
"""Mean returns and their 95% margins, of 2,000 games of another program in OpenSpiel.

The last is told both goals.
"""


def teams(name, games, seed, rules=RULES):
    """Games of a policy in both seats."""
    seeds = np.arange(seed % 2**32, seed % 2**32 + games, dtype=np.uint64)
    return play_many(rules, [make_policy(GAME, name)] * 2, seeds, np.array([[0, 1]] * games))


@pytest.mark.parametrize("name", REFERENCE)
def test_returns_are_those_of_the_same_players_in_openspiel(name, seed):
    """Within 5.5 standard errors of either figure."""
    mean, margin, options = REFERENCE[name]
    returns = teams(name, 2000, seed, GAME.make_rules(**options)).returns
    assert (returns[:, 0] == returns[:, 1]).all()
    error = (returns[:, 0].var() / 2000 + (margin / 1.96) ** 2) ** 0.5
    assert abs(returns[:, 0].mean() - mean) < 5.5 * error + 0.005, returns[:, 0].mean()


def test_who_knows_more_scores_more(seed):
    """Guessing at goals is worth something; being told them is worth more."""
    names = ("random", "rule:any", "rule:own", "heuristic")
    means = [teams(name, 1500, seed).returns[:, 0].mean() for name in names]
    assert means == sorted(means)
    assert teams("heuristic", 1500, seed, TOLD).returns[:, 0].mean() > means[-1] + 1
    assert teams("rule:own", 300, seed, TOLD).returns.tolist() == (
        teams("rule:own", 300, seed).returns.tolist()
    )


def test_walks_go_around_coins_and_players():
    """To the nearest coin that is wanted by the shortest way on which no other coin is taken."""
    rules = GAME.make_rules(rows=10, columns=10)
    wall = " ".join(f"c{row},4" for row in range(9))
    states = placed(rules, [(5, 2), (9, 9)], f"a5,6 {wall}")
    legal, probs = core.new_scratch(rules)
    went = []
    while states["taken"][0, 0].sum() == 0:
        went.append(walk(rules, states[0], 1, ~1))
        core.play_at(rules, states, 0, went[-1], legal, probs)
        core.play_at(rules, states, 0, STAND, legal, probs)
    assert len(went) == 4 + 2 * 4 and states["taken"][0, 0, 0] == 1
    assert walk(rules, placed(rules, [(5, 2), (9, 9)], f"a5,6 {wall}")[0], -1, 0) == RIGHT
    # In a corner, behind the other player and a coin of another colour: there is no way.
    states = placed(rules, [(9, 9), (8, 9)], "a0,0 c9,8")
    assert walk(rules, states[0], 1, ~1) == STAND
    assert walk(rules, states[0], 1, 0) == LEFT


def test_goals_are_guessed_by_what_was_taken():
    states = placed(RULES, [(0, 0), (7, 7)], goals=(0, 2))
    s = states[0]
    assert guess(RULES, s, 0, 1) == -1 and guess(TOLD, s, 0, 1) == 2
    s["taken"][1, 0] = 3  # of the guesser's own goal: no sign
    assert guess(RULES, s, 0, 1) == -1
    s["taken"][1, 1] = 1
    assert guess(RULES, s, 0, 1) == 1
    s["taken"][1, 2] = 1
    assert guess(RULES, s, 0, 1) == -1
    s["taken"][1, 2] = 2
    assert guess(RULES, s, 0, 1) == 2


def test_the_evaluator(rng):
    """Exact where the game is over, and of a position that shows what can still be had."""
    out = np.zeros(2)
    states = placed(RULES, [(0, 0), (7, 7)], "a0,2 b0,3 a4,4 c0,1", moves=14)
    evaluate(RULES, states[0], out)  # three moves each: a, b, and the far a is too far
    assert out.tolist() == [1 + 1, 1 + 1]
    states["moves"] = 20
    evaluate(RULES, states[0], out)
    assert out.tolist() == [0, 0]
    for options in ({}, OTHERS[0], OTHERS[1]):
        rules = GAME.make_rules(**options)
        out = np.zeros(rules.num_players)
        for s in random_positions(rules, 20, rng):
            evaluate(rules, s, out)
            total = rules.coins * rules.num_players
            assert (-((rules.coins * rules.colours) ** 2) <= out).all() and (out <= total**2).all()


def test_search_takes_what_is_near_and_helps(seed):
    """A coin beside the searcher is taken; one of its mate's goal too, when the goal is told."""
    policy = make_policy(GAME, "mcts:200")
    states = placed(RULES, [(4, 4), (0, 0)], "a4,5 c4,3 c3,4", moves=18)
    assert policy.act(decision_for(GAME, RULES, states, seed)) == RIGHT
    states = placed(TOLD, [(4, 4), (0, 0)], "b4,5 c4,3 c3,4", moves=18)
    assert policy.act(decision_for(GAME, TOLD, states, seed)) == RIGHT


# --- metrics -------------------------------------------------------------------------------------


def test_what_was_taken_and_wasted_is_counted(seed):
    games = teams("random", 200, seed)
    counts, results = counted(RULES, games.seeds, games.actions, games.plies)
    told = dict(zip(COUNTS, counts.sum((0, 1)).tolist(), strict=True))
    ends = dict(zip(RESULTS, results.sum(0).tolist(), strict=True))
    assert told["decisions"] == games.plies.sum() == 4000
    assert told["own_coins"] + told["others_coins"] == ends["goal_coins"]
    assert told["neither_coins"] == ends["neither_coins"] > 0
    assert told["bumps"] > 0
    # A stand is one move of five; colours are alike to who plays at random.
    assert abs(told["stands"] - 800) < 5 * (4000 * 0.2 * 0.8) ** 0.5
    careful = teams("rule:own", 200, seed)
    counts = game_counts(RULES, careful.seeds, careful.actions, careful.plies).sum((0, 1))
    found = rates(counts)
    assert found["neither_coins"] == found["others_coins"] == found["neither_share"] == 0
    assert 0.2 < found["own_coins"] < 0.5
    assert np.isnan(rates(np.zeros(len(COUNTS)))["neither_share"])


def test_moves_are_counted_by_what_came_of_them():
    states = placed(RULES, [(0, 0), (7, 7)], "a0,1")
    counts = np.zeros((2, len(COUNTS)), np.int64)
    legal = np.zeros(5, np.int64)
    for action, column in ((RIGHT, 1), (DOWN, None), (UP, 5), (STAND, 4)):
        before = counts.copy()
        count_move(RULES, states[0], 0, action, legal, counts)
        changed = np.flatnonzero((counts - before)[0]).tolist()
        assert changed == ([0] if column is None else [0, column]), action


# --- ladder --------------------------------------------------------------------------------------


def test_levels_have_scores_apart():
    ladder = ladder_of("coin_game")
    teams = ladder.calibration["teams"]
    assert [team["policy"] for team in teams] == [n for names in ladder.levels for n in names]
    for below, team in itertools.pairwise(teams):
        assert len(team["scores"]) >= 400
        assert below["mean"]["high"] < team["mean"]["low"]
        assert min(team["scores"]) >= ladder.least


# --- words ---------------------------------------------------------------------------------------


def test_replies():
    check_replies(
        GAME,
        {
            "Move: up": UP,
            "I think.\n**Move: DOWN**": DOWN,
            "Move: 4": STAND,
            "Move: up\nNo.\nMove: Left.": LEFT,
            "Move: up left": "unparseable",
            "Move: 5": "unparseable",
            "Move: 12": "unparseable",
            "Move: jump": "unparseable",
            "up": "unparseable",
            "": "unparseable",
        },
    )
    check_replies(
        GAME,
        {
            "right": RIGHT,
            "Answer: right": RIGHT,
            '{"reason": "near", "action": "Stand"}': STAND,
            '{"reason": "x", "action": 0} {"reason": "y", "action": 3}': RIGHT,
            '{"reason": "x", "action": 7}': "illegal: no_such_move",
        },
        options=TextOptions(lenient=True),
    )


def test_words():
    small = GAME.make_rules(rows=3, columns=4, coins=1)
    states = placed(small, [(0, 1), (2, 3)], "a1,1 b0,0 c2,0", goals=(1, 2))
    assert view.board_text(small, states[0]).splitlines() == [
        "  0 1 2 3",
        "0 b 0 . . 0",
        "1 . a . . 1",
        "2 c . . 1 2",
        "  0 1 2 3",
        "Goals: 0: b, 1: c",
        "Player 0 has taken a 0, b 0, c 0",
        "Player 1 has taken a 0, b 0, c 0",
        "Player 0 to move, 20 left",
    ]
    told = [view.move_text(small, states[0], action) for action in range(5)]
    assert told == [
        "Player 0 tried to go up and stayed at (0,1).",
        "Player 0 went down to (1,1) and took a coin of colour a.",
        "Player 0 went left to (0,0) and took a coin of colour b.",
        "Player 0 went right to (0,2).",
        "Player 0 stood still at (0,1).",
    ]
    system, user = (m["content"] for m in messages(GAME, small, states))
    assert "Both players score n*n + m*m - k*k" in system
    assert "Your goal is colour b." in user and "colour c." not in user
    assert "Moves to go: 20 of all players, 10 of them yours." in user
    assert "a: (1,1)\nb: (0,0)\nc: (2,0)" in user
    legal, probs = core.new_scratch(small)
    for action in (DOWN, UP, STAND, LEFT, RIGHT, DOWN, UP):
        core.play_at(small, states, 0, action, legal, probs)
    user = messages(GAME, small, states)[1]["content"]
    assert "latest last\nPlayer 0: stand\nPlayer 1: left\nPlayer 0: right" in user
    assert "Moves to go: 13 of all players, 7 of them yours." in user
    open_goals = GAME.make_rules(goals="all")
    both = messages(GAME, open_goals, placed(open_goals, [(0, 0), (1, 1)], goals=(2, 0)))
    assert "The goals of all: 0: c, 1: a." in both[1]["content"]
    assert "All goals are told" in both[0]["content"]
    three = GAME.make_rules(players=3, extra_colours=0)
    said = messages(GAME, three, position(three))[0]["content"]
    assert "other players' goals together" in said and "no colour is nobody's goal" in said


def test_no_prompt_tells_another_goal(rng):
    """With history and all: prompts are the same whatever the other's goal is."""
    for s in random_positions(RULES, 20, rng):
        states = np.array([s])
        seat = int(s["player"])
        free = [c for c in range(3) if c != s["goals"][seat]]
        told = set()
        for goal in free:
            states["goals"][0, 1 - seat] = goal
            told.add(str(messages(GAME, RULES, states, TextOptions(list_legal=True))))
        assert len(told) == 1


def test_pictures_show_players_coins_and_the_last_move():
    states = placed(RULES, [(0, 1), (2, 3)], "a4,4")
    before = render.picture(RULES, states[0], 400)
    legal, probs = core.new_scratch(RULES)
    core.play_at(RULES, states, 0, DOWN, legal, probs)
    after = render.picture(RULES, states[0], 400)
    assert before.shape == after.shape
    for cell, changed in ((1, True), (9, True), (36, False), (63, False)):
        x, y = render.pixel(RULES, cell, 400)
        patch = (slice(y - 12, y + 12), slice(x - 12, x + 12))
        assert (before[patch] != after[patch]).any() == changed, cell
    assert (before[:40] != after[:40]).any()
    for options in OTHERS:
        rules = GAME.make_rules(**options)
        assert render.picture(rules, position(rules)[0], 300).ndim == 3
    assert replay.beside(RULES, states[0], 1) == "goal b; 0 b, 0 a, 0 c"
