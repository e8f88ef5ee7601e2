"""Players of Stratego, what they believe, and what is counted of recorded games."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit

from stratagym.agents import hooks
from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.games.stratego import knowledge
from stratagym.agents.kernel_policies import play_many
from stratagym.envs import core, spec
from stratagym.envs.stratego import metrics
from stratagym.envs.stratego import rules as kernel
from stratagym.envs.stratego.boards import BOARDS, FLAG
from stratagym.envs.stratego.moves import moves_from
from stratagym.envs.stratego.notation import absolute_move, action_of, position
from stratagym.testing import RandomGame

GAME = spec("stratego")
RULES = GAME.make_rules(setup="random")
PLAYERS = ("rule:greedy", "rule:evaluator", "rule:belief", "worlds:4?plies=4&moves=4")
FAR = [(0, FLAG, 0), (1, FLAG, 99), (1, 4, 97)]
"""Flags, and a piece of Blue's that is out of the way."""


def chosen(name, states, rules=RULES, seed=1):
    """The move that a player makes, as absolute cells."""
    decision = decision_for(GAME, rules, states, seed)
    return absolute_move(rules, int(states["player"][0]), make_policy(GAME, name).act(decision))


def with_known(states, *cells):
    """The same with pieces that the other side knows."""
    for cell in cells:
        states["shown"][0, states["board"][0, cell] - 1] = 1
    return states


@pytest.mark.parametrize("name", PLAYERS)
def test_a_known_weaker_piece_is_taken(name):
    pieces = [*FAR, (0, 9, 34), (0, 5, 10), (1, 7, 44), (1, 6, 60)]
    assert chosen(name, with_known(position(RULES, pieces), 44)) == (34, 44)


@pytest.mark.parametrize("name", PLAYERS[1:])
def test_a_known_stronger_piece_is_left_alone_and_fled_from(name):
    pieces = [*FAR, (0, 8, 34), (0, 5, 10), (1, 10, 44), (1, 6, 60)]
    start, end = chosen(name, with_known(position(RULES, pieces), 44))
    assert start == 34 and end in (33, 35, 24)


@pytest.mark.parametrize("name", PLAYERS)
def test_the_same_from_all_that_looks_alike(name, seed):
    """One seed makes one decision in all states that look alike to the seat."""
    played = RandomGame(GAME.make_rules(board="barrage", setup="random"), seed)
    policy = make_policy(GAME, name)
    for at in played.some(12):
        state, seat = played.states[at], played.players[at]
        actions = set()
        for k in range(3):
            twin = state.copy()
            core.determinize_at(played.rules, twin, 0, seat, np.uint64(seed + k))
            actions.add(policy.act(decision_for(GAME, played.rules, twin, seed)))
        assert len(actions) == 1


@pytest.mark.parametrize("board", BOARDS)
def test_players_set_up_and_play_on_every_board(board, seed):
    rules = GAME.make_rules(board=board, max_moves=30)
    for name in PLAYERS:
        policy, states = make_policy(GAME, name), core.new_states(rules)
        legal, probs = core.new_scratch(rules)
        player, ply, seen = core.start_at(rules, states, 0, np.uint64(seed), probs), 0, set()
        while player >= 0:
            decision = decision_for(GAME, rules, states, seed + ply)
            action = policy.act(decision)
            assert core.is_legal_action_at(rules, states, 0, action, legal)
            seen.add(action)
            player, _ = core.play_at(rules, states, 0, action, legal, probs)
            ply += 1
        kinds = np.bincount(states["kind"][0], minlength=13)[1:]
        assert kinds.tolist() == [2 * n for n in BOARDS[board].pieces]


def test_setups_of_players_differ(seed):
    """Of 20 games in bulk, whose setups follow from their seeds, no two of a seat are alike."""
    rules = GAME.make_rules(max_moves=1)
    games = play_many(
        rules, [make_policy(GAME, "heuristic")],
        np.arange(seed % 2**62, seed % 2**62 + 20, dtype=np.uint64), np.zeros((20, 2), np.int64),
    )  # fmt: skip
    assert len({tuple(actions[:40].tolist()) for actions in games.actions}) == 20


def won(one, other, games, seed, **options):
    """(won, lost) by the first of two players."""
    rules = GAME.make_rules(setup="human", **options)
    seating = np.array([[0, 1], [1, 0]] * (games // 2))
    seeds = np.repeat(np.arange(games // 2, dtype=np.uint64), 2) + np.uint64(seed % 2**62)
    played = play_many(rules, [make_policy(GAME, one), make_policy(GAME, other)], seeds, seating)
    lead = np.where(seating[:, 0] == 0, played.returns[:, 0], played.returns[:, 1])
    return int((lead > 0).sum()), int((lead < 0).sum())


def test_greedy_beats_random(seed):
    """It wins 88% of the games; fewer than 130 of 200 once in 10^15 runs."""
    assert won("rule:greedy", "random", 200, seed)[0] > 130


def test_the_evaluator_beats_greedy(seed):
    """It wins 70% of the games and loses 29%; of 300 it wins more but once in 10^9 runs."""
    first, second = won("rule:evaluator", "rule:greedy", 300, seed)
    assert first > second


# --- beliefs -------------------------------------------------------------------------------------


@njit
def _beliefs(rules, states, seat, memory):
    knowledge.by_homes(rules, states[0], seat, memory)


@njit
def _imagined(rules, states, seat, memory):
    knowledge.imagine(rules, states[0], seat, memory)


def test_beliefs_and_the_worlds_drawn_by_them(seed):
    """Rows come to one piece, columns to the numbers that are left; worlds agree with the facts."""
    for options in ({"setup": "human"}, {"board": "barrage", "setup": "human"}, {"board": "six"}):
        rules = GAME.make_rules(flag_rows="back_two", **options)
        played = RandomGame(rules, seed)
        for at in played.some(25):
            state = played.states[at]
            if state["phase"][0] == kernel.PLACING:
                continue
            seat = 1 - played.players[at]
            s, memory = state[0], np.zeros(rules.num_actions, np.int64)
            _beliefs(rules, state, seat, memory)
            own = slice(40 * seat, 40 * seat + 40)
            hidden = (s["pos"][own] >= 0) & (s["shown"][own] == 0)
            assert ((memory[:40] >= 0) == hidden).all()
            rows = memory[40 : 40 + 13 * hidden.sum()].reshape(-1, 13) / knowledge.ONE
            left = np.bincount(s["kind"][own][hidden], minlength=13)
            assert np.allclose(rows.sum(1), 1, atol=1e-3)
            assert np.allclose(rows.sum(0), left, atol=0.35)
            moved = s["moved"][own][hidden] == 1
            assert not rows[moved, FLAG:].any()
            twin = state.copy()
            core.determinize_at(rules, twin, 0, 1 - seat, np.uint64(seed))
            _imagined(rules, twin, seat, memory)
            t = twin[0]
            assert np.bincount(t["kind"][own][hidden], minlength=13).tolist() == left.tolist()
            assert (t["kind"][own][hidden][moved] < FLAG).all()
            assert np.array_equal(t["kind"][own][~hidden], s["kind"][own][~hidden])
            again = twin.copy()
            core.determinize_at(rules, again, 0, 1 - seat, np.uint64(seed))
            for name in ("own", "board", "pos"):
                assert np.array_equal(t[name], s[name])
            movers = {int(c) for c, k in zip(t["pos"][own], t["kind"][own], strict=True)
                      if c >= 0 and 0 < k < FLAG}  # fmt: skip
            last = rules.rows * rules.columns - 1
            words = [int(word) for word in t["movers"][seat]]
            told = {c for c in range(last + 1) if words[c >> 6] >> (c & 63) & 1}
            assert told == {last - c if seat else c for c in movers}


def test_bad_names_of_players():
    for name in ("worlds:0", "worlds:x", "worlds:4?plies=0", "worlds:4?depth=3", "rule:nobody"):
        with pytest.raises(ValueError) as error:
            make_policy(GAME, name)
        assert "\n" not in str(error.value)
    assert make_policy(GAME, "worlds").name == "worlds:16?plies=12&moves=8"


# --- what learners need --------------------------------------------------------------------------


@pytest.mark.parametrize("board", BOARDS)
def test_moves_stand_on_the_cells_of_own_pieces(board, seed):
    """Every action has a place of its own, and a legal move stands where a piece is shown."""
    rules = GAME.make_rules(board=board)
    cells, ((rows, columns, planes), is_first) = hooks.action_cells(rules), hooks.board_shape(rules)
    assert is_first and rules.observation_shape == (planes, rows, columns)
    assert len(np.unique(cells)) == rules.num_actions
    played, first = RandomGame(rules, seed), int(kernel.first_placing(rules))
    for at in played.some(40):
        states, seat = played.states[at], played.players[at]
        shown = decision_for(GAME, rules, states, 1).observation()
        moves = [action for action in played.choices[at].tolist() if action < first]
        for action in moves:
            _, row, column = np.unravel_index(cells[action], (999, rows, columns))
            assert shown[:10, row, column].sum() == 1, "an own piece that can move"
            start, _ = absolute_move(rules, seat, action)
            assert row * columns + column == (rows * columns - 1 - start if seat else start)


def test_steps_have_the_same_planes_on_all_boards():
    """Ahead, back, right, left; then two cells ahead, and so on."""
    for board in BOARDS:
        rules = GAME.make_rules(board=board, setup="random")
        cells, columns = hooks.action_cells(rules), rules.columns
        for action, cell in enumerate(cells.tolist()):
            source, target = (int(one) for one in moves_from(rules, action))
            plane = cell // (rules.rows * columns)
            up, right = target // columns - source // columns, target % columns - source % columns
            ways = ((1, 0), (-1, 0), (0, 1), (0, -1))
            way, far = ways[plane % 4], plane // 4 + 1
            assert (up, right) == (way[0] * far, way[1] * far)


# --- metrics -------------------------------------------------------------------------------------


def test_metrics_by_hand():
    """Both readings of DSGBench's metrics of a game whose last move loses a colonel."""
    rules = GAME.make_rules(board="six", max_moves=1000)
    first = int(kernel.first_placing(rules))
    setup = [first + kind for kind in (8, 4, 5, 6, 7, FLAG)]
    moves = [
        (0, 6), (35, 29), (6, 12), (29, 23), (12, 18), (23, 17), (18, 24), (17, 11), (24, 30),
    ]  # fmt: skip
    actions = setup * 2 + [action_of(rules, k % 2, *move) for k, move in enumerate(moves)]
    counts = metrics.game_counts(
        rules, np.array([1], np.uint64), np.array([actions]), np.array([len(actions)])
    )
    of = dict(zip(metrics.COUNTS, counts[0].T.tolist(), strict=True))
    # Red's colonel walks up the left column into Blue's flag on cell 30.
    assert of["flag_found"] == [9, 0] and of["decisions"] == [5, 4]
    assert of["attacks"] == [1, 0] and of["attacks_won"] == [1, 0]
    assert of["attacks_on_unknown"] == [1, 0]
    assert of["pieces"] == [6, 5] and of["value"] == [30, 30] and of["critical"] == [1, 1]
    told, published = (metrics.rates(rules, counts, flag)[
        "alive"].round(3).tolist() for flag in (False, True))  # fmt: skip
    assert told == [[1, round(5 / 6, 3)]] and published == [[1, 1]]
    rates = metrics.rates(rules, counts)
    assert rates["cpr"].tolist() == [[1, 1]] and rates["tpcv_share"].tolist() == [[1, 1]]
    assert rates["tpcv_lead"].tolist() == [[0, 0]]


def test_metrics_of_random_games(seed):
    """What is counted agrees with the end of each game; a classic army is worth 148."""
    rules = GAME.make_rules(setup="human")
    games = play_many(
        rules, [make_policy(GAME, "rule:greedy"), make_policy(GAME, "random")],
        np.arange(seed % 2**62, seed % 2**62 + 10, dtype=np.uint64), np.array([[0, 1]] * 10),
    )  # fmt: skip
    counts = metrics.game_counts(rules, games.seeds, games.actions, games.plies)
    at = {name: k for k, name in enumerate(metrics.COUNTS)}
    assert (counts[..., at["decisions"]].sum(1) == games.plies).all()
    won = games.returns[:, 0] > 0
    flags = counts[..., at["flag_found"]]
    assert (flags.max(1) <= games.plies).all() and (flags[won, 1] == 0).all()
    lost = counts[..., at["attacks_lost"]] + counts[..., at["attacks_won"]]
    assert (lost <= counts[..., at["attacks"]]).all()
    assert (counts[..., at["value"]] <= 148).all() and (counts[..., at["critical"]] <= 4).all()
    fewer = counts[..., at["pieces"]] <= counts[..., at["pieces_before"]]
    assert fewer.all() and (counts[..., at["scouts_lost"]] <= 8).all()
    rates = metrics.rates(rules, counts, as_published=True)
    assert (rates["tpcv"] >= metrics.rates(rules, counts)["tpcv"]).all()


def test_refusals_are_counted():
    """Red's colonel goes to and fro three times, and then another piece has to move."""
    rules = GAME.make_rules(board="six", max_moves=7)
    first = int(kernel.first_placing(rules))
    setup = [first + kind for kind in (8, 4, 5, 6, 7, FLAG)]
    moves = [(0, 6), (35, 29), (6, 0), (34, 28), (0, 6), (29, 23), (1, 7)]
    actions = setup * 2 + [action_of(rules, k % 2, *move) for k, move in enumerate(moves)]
    counts = metrics.game_counts(
        rules, np.array([1], np.uint64), np.array([actions]), np.array([len(actions)])
    )
    assert counts[0, :, metrics.COUNTS.index("two_square_refused")].tolist() == [1, 0]
