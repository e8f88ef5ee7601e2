"""Connect four against PettingZoo, OpenSpiel, known numbers and a plain search."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from game_trees import after_each_move
from numba import njit

from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.games.connect_four import Solver, solve
from stratagym.agents.games.connect_four import book as books
from stratagym.agents.games.connect_four.solver import UNKNOWN, key_of, mirror, value_of
from stratagym.agents.kernel_policies import play_many
from stratagym.agents.perfect import ILLEGAL
from stratagym.envs import core, spec
from stratagym.envs.connect_four import view
from stratagym.envs.connect_four.metrics import COUNTS, game_counts
from stratagym.envs.connect_four.rules import COLUMNS, ROWS, has_four, landing
from stratagym.envs.prompts import prompt
from stratagym.envs.text import ILLEGAL as ILLEGAL_REPLY
from stratagym.envs.text import OK, UNPARSEABLE, TextOptions, judge
from stratagym.testing import (
    position,
    random_positions,
    same_as_openspiel,
    same_as_pettingzoo,
)

GAME = spec("connect_four")
RULES = GAME.make_rules()
MERGED = TextOptions(system="merge")
NO_BOOK = books.Book(np.zeros(0, np.int64), np.zeros(0, np.int8))


def grid_of(s):
    """(6, 7) int8, row 0 at the bottom: 1 and 2 for the first and second player's stones."""
    out = np.zeros((2, *RULES.observation_shape), np.int8)
    core.observe_at(RULES, np.array([s]), 0, 0, out[0])
    return np.ascontiguousarray((out[0, ..., 0] + 2 * out[0, ..., 1])[::-1])


# --- the rules -----------------------------------------------------------------------------------


@pytest.mark.oracle
def test_observations_masks_and_rewards_are_pettingzoos(rng):
    same_as_pettingzoo("connect_four", "connect_four_v3", 30, rng)


@pytest.mark.oracle
def test_games_are_openspiels(rng):
    same_as_openspiel("connect_four", "connect_four", 300, rng)


def test_numbers_of_games_and_positions():
    """Perft, and the distinct positions after each ply (OEIS A212693)."""
    states = distinct = position(RULES)
    perft, positions = [], []
    for ply in range(8):
        if ply < 7:
            states = after_each_move(RULES, states)
            perft.append(len(states))
        distinct = after_each_move(RULES, distinct)
        distinct["last"] = 0  # by whatever move
        distinct = np.unique(distinct)
        positions.append(len(distinct))
    assert perft == [7, 49, 343, 2401, 16807, 117649, 823536]
    assert positions == [7, 49, 238, 1120, 4263, 16422, 54859, 184275]


def test_lines_do_not_go_round_the_edge():
    assert position(RULES, 0, 1, 0, 1, 0, 1, 0)["winner"] == 0
    assert position(RULES, 0, 0, 1, 1, 2, 2, 3)["winner"] == 0
    assert position(RULES, 0, 1, 1, 2, 2, 3, 2, 3, 3, 6, 3)["winner"] == 0
    assert position(RULES, 3, 2, 2, 1, 1, 0, 1, 0, 0, 6, 0)["winner"] == 0
    # Three at the top of a column and one at the bottom of the next.
    stones = 0b111000 | 1 << 7
    assert not has_four(stones)
    assert has_four(0b1111 << 2) and not has_four(0b111 << 3 | 1 << 6 + 1)


# --- the solver ----------------------------------------------------------------------------------


@njit
def plain_wins(grid, row, column):
    """Whether the stone at (row, column) stands in a line of four."""
    who = grid[row, column]
    for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
        length = 1
        for sign in (-1, 1):
            r, c = row + sign * down, column + sign * right
            while 0 <= r < 6 and 0 <= c < 7 and grid[r, c] == who:
                length += 1
                r, c = r + sign * down, c + sign * right
        if length >= 4:
            return True
    return False


@njit
def plain_score(grid, heights, column, plies):
    """Score of a legal move by looking at everything: no bounds, no table, no order."""
    row = heights[column]
    grid[row, column] = 1 + plies % 2
    heights[column] += 1
    if plain_wins(grid, row, column):
        score = 22 - (plies // 2 + 1)
    elif plies == 41:
        score = 0
    else:
        score = 99
        for reply in range(7):
            if heights[reply] < 6:
                score = min(score, -plain_score(grid, heights, reply, plies + 1))
    heights[column] -= 1
    grid[row, column] = 0
    return score


def solver_agrees(states, score):
    """With ``score(grid, heights, column, plies)``, by a table so small that entries get lost."""
    solver = Solver(table_bits=16)
    for s in states:
        mover, other, plies = int(s["mover"]), int(s["other"]), int(s["plies"])
        scores = solver.scores(mover, mover | other, plies)
        grid = grid_of(s)
        heights = (grid > 0).sum(axis=0)
        for column in range(COLUMNS):
            if heights[column] == ROWS:
                assert scores[column] == ILLEGAL
            else:
                assert scores[column] == score(grid, heights, column, plies)


def test_the_solver_agrees_with_a_plain_search(rng):
    solver_agrees(random_positions(RULES, 500, rng, range(31, 42)), plain_score)


@njit
def pruned_score(grid, heights, column, plies, low, high):
    """Score of a legal move between ``low`` and ``high``: alpha-beta, no table and no order."""
    row = heights[column]
    grid[row, column] = 1 + plies % 2
    heights[column] += 1
    if plain_wins(grid, row, column):
        score = 22 - (plies // 2 + 1)
    elif plies == 41:
        score = 0
    else:
        score = high
        for reply in range(7):
            if heights[reply] < 6 and score > low:
                answer = pruned_score(grid, heights, reply, plies + 1, -score, -low)
                score = min(score, -answer)
    heights[column] -= 1
    grid[row, column] = 0
    return score


def test_the_solver_agrees_with_alpha_beta(rng):
    """Earlier positions, where more is left to what the solver sees without a search."""
    solver_agrees(
        random_positions(RULES, 60, rng, range(24, 31)),
        lambda *position: pruned_score(*position, -22, 22),
    )


def test_scores_follow_from_those_one_move_on(rng):
    """Earlier positions: the best score after a move, and the mirror image's scores."""
    for s in random_positions(RULES, 10, rng, range(16, 24)):
        scores = solve(RULES, np.array([s]))[0]
        for column in np.flatnonzero(scores != ILLEGAL):
            after, (legal, probs) = np.array([s]), core.new_scratch(RULES)
            if core.play_at(RULES, after, 0, int(column), legal, probs)[0] < 0:
                assert scores[column] == (0 if after["winner"] < 0 else (43 - s["plies"]) // 2)
            else:
                assert (
                    scores[column]
                    == -Solver(20)
                    .scores(
                        int(after["mover"][0]),
                        int(after["mover"][0] | after["other"][0]),
                        int(after["plies"][0]),
                    )
                    .max()
                )
        flipped = np.array([s])
        flipped["mover"], flipped["other"] = mirror(int(s["mover"])), mirror(int(s["other"]))
        assert solve(RULES, flipped)[0].tolist() == scores[::-1].tolist()


def test_games_that_are_over_have_no_scores():
    assert (solve(RULES, position(RULES, 0, 1, 0, 1, 0, 1, 0)) == ILLEGAL).all()


def test_won_positions_are_won_in_the_time_the_score_says(rng, seed):
    """The perfect player, from positions it should win, against three others."""
    perfect = make_policy(GAME, "perfect")
    others = [make_policy(GAME, name) for name in ("random", "heuristic", "perfect")]
    legal, probs = core.new_scratch(RULES)
    games = 0
    while games < 200:
        states = random_positions(RULES, 1, rng, range(14, 20))
        best = int(solve(RULES, states)[0].max())
        if best <= 0:
            continue
        other = others[games % 3]
        games += 1
        mine = seat = int(states["plies"][0]) % 2
        while seat >= 0:
            policy = perfect if seat == mine else other
            action = policy.act_each(RULES, states, np.array([seed + games], np.uint64))[0]
            seat, _ = core.play_at(RULES, states, 0, int(action), legal, probs)
        assert states["winner"][0] == mine
        stones = (int(states["plies"][0]) + 1) // 2
        assert 22 - stones == best if other is others[2] else 22 - stones >= best


# --- the book ------------------------------------------------------------------------------------


def test_first_moves():
    """The values every solver agrees on."""
    book = books.load()
    for stones in range(books.PLIES + 1):
        assert (book.find(books.positions(stones)) != UNKNOWN).all()
    assert solve(RULES, position(RULES))[0].tolist() == [-2, -1, 0, 1, 0, -1, -2]


@pytest.mark.parametrize(
    ("name", "games"), [("mcts:400", 40), ("alphabeta:4", 70), ("perfect", 30)]
)
def test_the_first_player_always_wins(name, games, seed):
    """From the empty board; a perfect opponent holds out to the 41st stone, others may not."""
    perfect, other = make_policy(GAME, "perfect"), make_policy(GAME, name)
    legal, probs = core.new_scratch(RULES)
    for game in range(games):
        states = core.new_states(RULES)
        seat = core.start_at(RULES, states, 0, np.uint64(0), probs)
        while seat >= 0:
            view = decision_for(GAME, RULES, states, seed + 64 * game + int(states["plies"][0]))
            action = (perfect, other)[seat].act(view)
            seat, _ = core.play_at(RULES, states, 0, action, legal, probs)
        assert states["winner"][0] == 0
        assert states["plies"][0] == 41 if name == "perfect" else states["plies"][0] <= 41


def test_best_moves_are_those_of_the_best_score(rng):
    """Whatever a book knows of the position and those after it."""
    states = random_positions(RULES, 100, rng, range(16, 42))
    for s in states:
        mover, taken, plies = int(s["mover"]), int(s["mover"] | s["other"]), int(s["plies"])
        scores = Solver(18, NO_BOOK).scores(mover, taken, plies)
        keys, values = [], []
        if rng.random() < 0.5:
            keys, values = [key_of(mover, taken)], [scores.max()]
        for column in np.flatnonzero(scores != ILLEGAL):
            move = landing(taken, column)
            if not has_four(mover | move) and rng.random() < 0.5:
                keys.append(key_of(mover ^ taken, taken | move))
                values.append(-scores[column])
        book = NO_BOOK.joined(np.array(keys, np.int64), np.array(values, np.int8))
        assert (Solver(18, book).best_moves(mover, taken, plies) == (scores == scores.max())).all()


def test_book_values_follow_from_those_one_move_on(rng):
    book = books.load()
    assert (np.diff(book.keys) > 0).all()
    assert len(book.keys) == sum(len(books.positions(n)) for n in range(books.PLIES + 1))
    for stones in range(books.PLIES):
        keys = books.positions(stones)
        for key in rng.choice(keys, min(len(keys), 100), replace=False):
            mover, taken = books.position_of(key)
            assert key_of(mover, taken) == key
            solver = Solver(10, book)
            scores = solver.scores(mover, taken, stones)
            assert solver.memory.nodes[0] == 0  # nothing was searched
            assert scores.max() == book.find(np.array([key]))[0]


def test_book_values_are_the_solvers(rng):
    solver = Solver(20, NO_BOOK)
    book = books.load()
    for key in rng.choice(books.positions(books.PLIES), 5, replace=False):
        mover, taken = books.position_of(key)
        value = value_of(mover, taken, books.PLIES, solver.memory)
        assert value == book.find(np.array([key]))[0]


def test_several_threads_solve_at_once(rng):
    """Each has its own nodes; the large table is that of all."""
    solver = Solver(18, NO_BOOK)
    states = random_positions(RULES, 60, rng, range(18, 19))
    positions = [(int(s["mover"]), int(s["mover"] | s["other"]), 18) for s in states]
    wanted = [solver.scores(*position).tolist() for position in positions]
    shared = Solver(18, NO_BOOK)
    with ThreadPoolExecutor(4) as pool:
        found = pool.map(lambda position: shared.scores(*position).tolist(), positions * 4)
        assert list(found) == wanted * 4
        memories = list(pool.map(lambda _: shared.memory, range(50)))
    assert all(memory.far is shared.memory.far for memory in memories)
    assert all(memory.stack is not shared.memory.stack for memory in memories)


def test_a_book_can_be_saved_and_added_to(tmp_path, rng):
    """With positions of many stones in the place of few."""
    states = random_positions(RULES, 50, rng, range(30, 31))
    keys = np.unique([key_of(int(s["mover"]), int(s["mover"] | s["other"])) for s in states])
    empty = books.load(tmp_path / "none.npz")
    values = rng.integers(-5, 5, len(keys)).astype(np.int8)
    book = empty.joined(keys[::2], values[::2]).joined(keys[1::2], values[1::2])
    books.save(book, tmp_path / "book.npz")
    again = books.load(tmp_path / "book.npz")
    assert again.find(keys).tolist() == values.tolist()
    assert again.find(np.array([0, 1 << 48])).tolist() == [UNKNOWN] * 2


def test_making_a_book_goes_on_where_it_was_stopped(tmp_path, capsys):
    """With all positions but a few, won soon, of the most stones; the rest follows from them."""
    shipped, keys = books.load(), books.positions(books.PLIES)
    values = shipped.find(keys)
    there = values < values.max()
    books.save(books.Book(keys[there], values[there]), tmp_path / "book.npz")
    books.make(books.PLIES, tmp_path / "book.npz", threads=2, table_bits=18)
    assert f"{(~there).sum()} positions" in capsys.readouterr().out
    made = books.load(tmp_path / "book.npz")
    assert (made.keys == shipped.keys).all() and (made.values == shipped.values).all()


# --- other agents, metrics, words, picture -------------------------------------------------------


def test_the_rule_based_player_and_search_beat_the_random_one(seed):
    seeds = np.arange(seed % 2**32, seed % 2**32 + 400, dtype=np.uint64)
    seating = np.array([[0, 1], [1, 0]] * 200)
    for name, least in (("heuristic", 0.95), ("gt:3", 0.95)):
        policies = [make_policy(GAME, name), make_policy(GAME, "random")]
        games = play_many(RULES, policies, seeds, seating)
        seat = seating.argmin(axis=1)
        assert (games.returns[np.arange(400), seat] > 0).mean() > least
        counts = game_counts(RULES, seeds, games.actions, games.plies)
        mine = dict(zip(COUNTS, counts[np.arange(400), seat].T, strict=True))
        if name == "heuristic":
            assert (mine["wins_taken"] == mine["wins_offered"]).all()
            assert (mine["blocks_made"] == mine["blocks_needed"]).all()
            assert mine["gifts_made"].sum() == 0
        assert (counts[..., 0].sum(axis=1) == games.plies).all()


@pytest.mark.parametrize(
    ("reply", "kind", "lenient_kind"),
    [
        ("Move: 3", OK, OK),
        ("The centre.\n**Move: 3**", OK, OK),
        ("Move: 0\nNo, it is full.\nMove: 3", OK, OK),
        ("3", UNPARSEABLE, OK),
        ("column 3", UNPARSEABLE, UNPARSEABLE),
        ("Move: 0", ILLEGAL_REPLY, ILLEGAL_REPLY),
        ("Move: 7", ILLEGAL_REPLY, ILLEGAL_REPLY),
        ("", UNPARSEABLE, UNPARSEABLE),
    ],
)
def test_replies(reply, kind, lenient_kind):
    states = position(RULES, 0, 0, 0, 0, 0, 0)
    assert judge(GAME, RULES, states, reply).kind == kind
    assert judge(GAME, RULES, states, reply, TextOptions(lenient=True)).kind == lenient_kind


def test_words():
    states = position(RULES, 3, 3, 2, 0, 4)
    assert view.board_text(RULES, states[0]).splitlines()[-4:] == [
        ". . . O . . .",
        "O . X X X . .",
        "0 1 2 3 4 5 6",
        "O to move",
    ]
    assert view.move_text(RULES, states[0], 1) == "O dropped a stone into column 1."
    full = position(RULES, 0, 0, 0, 0, 0, 0)
    assert judge(GAME, RULES, full, "Move: 0").reason == "full"
    assert judge(GAME, RULES, full, "Move: 9").reason == "no_such_column"
    (message,) = prompt(view, RULES, states[0], 1, MERGED, "X began.", legal=[0, 5])
    for part in ("stones O", "O . X X X . .", "X began.", "Move: <column>", "not full: 0, 5"):
        assert part in message["content"]
    assert view.board_text(RULES, position(RULES, 0, 1, 0, 1, 0, 1, 0)[0]).endswith("X has won")


def test_picture_shows_stones_where_they_are():
    render = GAME.module("render")
    states = position(RULES, 0, 6, 0, 5, 0, 5, 0)
    picture = render.picture(RULES, states[0])
    unit = int(640 / 7.5)

    def at(column, height, right=0.0):
        x, y = (column + 0.75 + right) * unit, (0.95 + 5.5 - height) * unit
        return picture[int(y), int(x)].astype(int)

    for height in range(4):
        assert np.abs(at(0, height, 0.17) - render.SEAT_COLOURS[0]).max() < 80
        # White: the dot of the last stone, and the rings of those that won.
        assert (at(0, height).min() == 255) == (height == 3)
        assert at(0, height, 0.38).min() > 240
    assert np.abs(at(6, 0) - render.SEAT_COLOURS[1]).max() < 80
    assert np.abs(at(6, 0, 0.38) - render.SEAT_COLOURS[1]).max() < 120
    assert at(3, 0).min() > 200
    assert render.winning_stones(int(states["other"][0])) == 0b1111
    for size in (120, 900):
        assert render.picture(RULES, states[0], size).dtype == np.uint8
