"""Gomoku and m,n,k against OpenSpiel, renju, tic-tac-toe, known numbers and recorded games."""

from __future__ import annotations

import json

import numpy as np
import pytest
from game_trees import after_each_move
from gomoku_positions import GAME, RENJU, RULES, cells, in_turn, legal_cells, mnk, play_all
from numba import njit

from stratagym.envs import core, spec
from stratagym.envs.gomoku.lines import runs, turn_stone
from stratagym.envs.gomoku.renju import is_forbidden
from stratagym.envs.gomoku.rules import BOARD_FULL, LINE_MADE, NO_LEGAL_CELL
from stratagym.testing import position, same_as_openspiel

SLOW = pytest.mark.slow


# --- the rules -----------------------------------------------------------------------------------


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("rules", "theirs", "games"),
    [
        (RULES, "gomoku(size=15)", 200),
        (GAME.make_rules(columns=9, rows=9), "gomoku(size=9)", 100),
        (mnk(5, 5, 4), "mnk(m=5,n=5,k=4)", 200),
        (mnk(7, 4, 3), "mnk(m=7,n=4,k=3)", 100),
        (mnk(4, 7, 4), "mnk(m=4,n=7,k=4)", 100),
        (mnk(19, 11, 5), "mnk(m=19,n=11,k=5)", 20),
    ],
)
def test_games_are_openspiels(rules, theirs, games, rng):
    same_as_openspiel(rules, theirs, games, rng)


@pytest.mark.parametrize(
    ("size", "leaves"),
    [
        ((3, 3, 3), (9, 72, 504, 3024, 15120)),
        pytest.param(
            (3, 3, 3), (9, 72, 504, 3024, 15120, 54720, 148176, 200448, 127872), marks=SLOW
        ),
        ((4, 3, 3), (12, 132, 1320, 11880, 95040)),
        ((4, 4, 3), (16, 240, 3360, 43680)),
        ((5, 5, 4), (25, 600, 13800, 303600)),
        ((15, 15, 5), (225, 50400)),
    ],
)
def test_numbers_of_games(size, leaves):
    """Perft, by OpenSpiel."""
    rules = mnk(*size)
    states, counts = position(rules), []
    for _ in leaves:
        states = after_each_move(rules, states)
        counts.append(len(states))
    assert counts == list(leaves)


def test_three_three_three_is_tictactoe(rng):
    """Its squares are numbered column by column, which is the transposed grid."""
    small, other = mnk(3, 3, 3), spec("tictactoe").make_rules()
    ours, theirs = core.new_states(small), core.new_states(other)
    legal, probs = core.new_scratch(small)
    seen = np.zeros((2, 3, 3, 2), np.int8)
    for _ in range(200):
        player = core.start_at(small, ours, 0, np.uint64(0), probs)
        same = core.start_at(other, theirs, 0, np.uint64(0), probs)
        while player >= 0:
            assert player == same
            for seat in range(2):
                core.observe_at(small, ours, 0, seat, seen[0])
                core.observe_at(other, theirs, 0, seat, seen[1])
                assert (seen[0] == seen[1].transpose(1, 0, 2)).all()
            action = int(rng.choice(legal_cells(small, ours)))
            player, _ = core.play_at(small, ours, 0, action, legal, probs)
            turned = action % 3 * 3 + action // 3
            same, _ = core.play_at(other, theirs, 0, turned, legal, probs)
        assert (player, ours["winner"][0]) == (same, theirs["winner"][0])


def test_random_games_are_as_long_as_expected(seed):
    """Fingerprints of uniform play: OpenSpiel's and others', within 5.5 standard errors."""
    for rules, games, length, first in (
        (RULES, 4000, (108.9, 109.1), 0.507),
        (mnk(5, 5, 4), 6000, (19.1, 19.1), 0.536),
    ):
        plies, wins = random_results(rules, games, seed)
        error = 5.5 * plies.std() / np.sqrt(games)
        assert length[0] - error < plies.mean() < length[1] + error
        assert abs((wins == 0).mean() - first) < 5.5 * np.sqrt(0.25 / games)


def random_results(rules, games, seed):
    plies, wins = np.zeros(games, np.int64), np.zeros(games, np.int64)
    legal, probs = core.new_scratch(rules)
    _random_results(rules, core.new_states(rules), np.uint64(seed), legal, probs, plies, wins)
    return plies, wins


@njit
def _random_results(rules, states, seed, legal, probs, plies, wins):
    s = states[0]
    for game in range(len(plies)):
        player = core.start(rules, s, core.derive_seed(seed, game), probs)
        while player >= 0:
            n = core.legal_actions(rules, s, legal)
            player = core.play(rules, s, legal[core.random_below(s, n)], probs)
            plies[game] += 1
        wins[game] = s.winner


@pytest.mark.parametrize("line", ["at_least", "exact"])
def test_longer_lines(line):
    """Six across, down and along both diagonals, closed by their fourth stone."""
    rules = GAME.make_rules(line=line)
    for right, down in ((1, 0), (0, 1), (1, 1), (1, -1)):
        six = [(4 + k * right, 8 + k * down) for k in (0, 1, 2, 4, 5, 3)]
        others = [(2 * k, 0 if k < 4 else 14) for k in range(5)]
        moves = [
            row * 15 + column
            for pair in zip(six, [*others, (14, 7)], strict=True)
            for column, row in pair
        ][:11]
        states, player = play_all(rules, moves)
        assert (player < 0) == (line == "at_least")
        assert states["winner"][0] == (0 if line == "at_least" else -1)
        # Five are a win in any case.
        states, player = play_all(rules, [*moves[:8], moves[10]])
        assert player < 0 and states["ended"][0] == LINE_MADE


def test_a_full_board_is_a_draw():
    states, player = play_all(mnk(3, 3, 3), [0, 4, 8, 1, 7, 6, 2, 5, 3])
    assert player == core.TERMINAL and states["ended"][0] == BOARD_FULL
    assert states["winner"][0] == -1


def test_opening_at_the_centre():
    rules = GAME.make_rules(opening="centre")
    states = position(rules)
    assert legal_cells(rules, states) == [112]
    assert len(legal_cells(rules, position(rules, 112))) == 224


def test_swap2():
    rules = GAME.make_rules(opening="swap2")
    assert (rules.num_actions, rules.max_game_length) == (228, 227)
    take_black, take_white, two_more = 225, 226, 227
    start = [112, 0, 98]
    states, player = play_all(rules, start)
    assert player == 1 and legal_cells(rules, states) == [take_black, take_white, two_more]
    for choices, black, mover in (
        ([take_black], 1, 0),
        ([take_white], 0, 1),
        ([two_more, 1, 2, take_black], 0, 1),
        ([two_more, 1, 2, take_white], 1, 0),
    ):
        states, player = play_all(rules, start + choices)
        assert (player, states["black"][0]) == (mover, black)
        # White moves next: its stone is a white one.
        stones = states["stones"][0]
        assert stones % 2 == 1 and len(legal_cells(rules, states)) == 225 - stones
    states, player = play_all(rules, [*start, two_more, 1, 2])
    assert player == 0 and legal_cells(rules, states) == [take_black, take_white]
    seen = np.zeros((15, 15, 2), np.int8)
    states, _ = play_all(rules, [*start, take_black])
    core.observe_at(rules, states, 0, 1, seen)
    assert seen[7, 7, 0] == 1 and seen[0, 0, 1] == 1  # seat 1 is Black now
    # Black, who is seat 1, wins.
    moves = [*start, take_black, 1, 84, 2, 70, 4, 56]
    states, player = play_all(rules, moves)
    assert player < 0 and states["winner"][0] == 1


@pytest.mark.parametrize(
    ("options", "part"),
    [
        ({"columns": 4, "rows": 4, "connect": 5}, "no line of a board of 4 x 4"),
        ({"columns": 13, "line": "renju"}, "columns=15, rows=15, connect=5"),
        ({"columns": 14, "opening": "centre"}, "have a centre"),
        ({"connect": 4, "opening": "swap2"}, "connect of 5 or more"),
        ({"columns": 20}, "a whole number from 3 to 19"),
    ],
)
def test_options_that_do_not_go_together(options, part):
    with pytest.raises(ValueError, match=part):
        GAME.make_rules(**options)


# --- renju ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("black", "white", "cell", "forbidden"),
    [
        ("b6 c6 d6 e6 h6 i6 i5 h4", "a1 c1 e1 g1 i1 k1 m1 o1", "j6", True),  # and a four there
        ("h7 h6 i8 j8", "a1 c1 e1 g1", "h8", True),  # two threes
        ("h7 h6 i8 j8", "h9 c1 e1 k8", "h8", False),  # neither can become a straight four
        ("h7 h6 h5 i8 j8 k8", "h4 l8 a1 c1 e1 g1", "h8", True),  # two fours
        ("h7 h6 h5 i8 j8 k8 g8", "a1 c1 e1 g1 i1 k1 m1", "h8", False),  # five comes first
        ("e8 f8 g8 i8 j8", "a1 c1 e1 g1 i1", "h8", True),  # six
        ("d8 f8 h8 j8", "a1 c1 e1 g1", "g8", True),  # two fours in one line: d.fgh.j
        ("g8 h8 i8", "a1 c1 e1", "j8", False),  # a straight four is one
        ("h7 h6 h5 i8 j8", "a1 c1 e1 g1 i1", "h8", False),  # a four and a three
    ],
)
def test_forbidden_moves(black, white, cell, forbidden):
    states, _ = play_all(RENJU, in_turn(black, white))
    (cell,) = cells(cell)
    assert (cell not in legal_cells(RENJU, states)) == forbidden
    # White may do all of that: with the colours changed and a stone of Black's in between.
    states, _ = play_all(RENJU, [*in_turn("a15 " + white, black), cell])
    longer = states["ended"][0] == LINE_MADE
    assert longer == (black in ("e8 f8 g8 i8 j8", "h7 h6 h5 i8 j8 k8 g8"))


@njit
def _set_up(rules, states, grid):
    s = states[0]
    for row in range(rules.rows):
        for column in range(rules.columns):
            if grid[row, column]:
                turn_stone(rules, s, grid[row, column] - 1, row, column)


@njit
def _forbidden(rules, states, grid, out):
    for cell in range(rules.rows * rules.columns):
        row, column = cell // rules.columns, cell % rules.columns
        out[row, column] = grid[row, column] == 0 and is_forbidden(rules, states[0], cell)


@pytest.mark.oracle
@pytest.mark.parametrize("boards", [30, pytest.param(300, marks=SLOW)])
def test_forbidden_cells_are_those_of_renju(boards, rng):
    """Boards with many black stones close together, every empty cell."""
    foul = pytest.importorskip("renju.check_forbid", reason="pip install renju")
    kinds = set()
    for made in range(9 * boards):  # the rarest kind is on one board of ten
        if made >= boards and len(kinds) == 4:
            break
        grid = np.zeros((15, 15), np.int64)
        row, column, size = rng.integers(0, 8), rng.integers(0, 8), rng.integers(6, 9)
        part = grid[row : row + size, column : column + size]
        part[:] = rng.choice(3, part.shape, p=[0.6, 0.28, 0.12])
        states = core.new_states(RENJU)
        core.start_at(RENJU, states, 0, np.uint64(0), core.new_scratch(RENJU)[1])
        _set_up(RENJU, states, grid)
        if any(runs(int(line), 5, False) for line in states["lines"][0, 0].ravel()):
            continue  # Black has won, or made what is forbidden
        before = states.copy()
        found = np.zeros((15, 15), np.bool_)
        _forbidden(RENJU, states, grid, found)
        assert states == before
        board = grid.tolist()
        area = slice(max(0, row - 2), row + size + 2), slice(max(0, column - 2), column + size + 2)
        for x, y in np.argwhere(grid == 0):
            if grid[area][grid[area] > 0].any() and (
                area[0].start <= x < area[0].stop and area[1].start <= y < area[1].stop
            ):
                kind = foul.get_foul_type(board, int(x), int(y))
                kinds.add(kind)
                assert found[x, y] == (kind > 0), f"({x}, {y}): {kind}\n{grid}"
    assert kinds == {0, 1, 2, 3}


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("line", "games"),
    [
        ("at_least", 200),
        ("exact", 200),
        ("renju", 30),
        *(pytest.param(line, 500, marks=SLOW) for line in ("at_least", "exact", "renju")),
    ],
)
def test_games_are_those_of_renju(line, games, rng):
    """Random games, in the middle of the board; legal cells too where renju has forbidden ones."""
    renju = pytest.importorskip("renju", reason="pip install renju")
    name = {"at_least": "FREESTYLE", "exact": "STANDARD", "renju": "RENJU"}[line]
    rules = GAME.make_rules(line=line)
    legal, probs = core.new_scratch(rules)
    states = core.new_states(rules)
    middle = {r * 15 + c for r in range(4, 11) for c in range(4, 11)}
    for game in range(games):
        player = core.start_at(rules, states, 0, np.uint64(0), probs)
        board = renju.RenjuBoard(rule=renju.Rule[name])
        while player >= 0:
            allowed = legal[: core.legal_actions_at(rules, states, 0, legal)]
            if line == "renju" and player == 0 and game % 10 == 0:
                grid = np.zeros((15, 15), np.int64)
                for k, (x, y) in enumerate(board.get_moves()):
                    grid[x, y] = 1 + k % 2
                near = [c for c in middle if grid[c // 15, c % 15] == 0]
                fouls = {
                    c
                    for c in near
                    if renju.check_forbid.get_foul_type(grid.tolist(), c // 15, c % 15)
                }
                assert fouls == set(near) - set(allowed.tolist())
            inside = [action for action in allowed.tolist() if action in middle]
            action = int(rng.choice(inside or allowed))
            status, _ = board.play_move(action // 15, action % 15)
            player, _ = core.play_at(rules, states, 0, action, legal, probs)
            ended = {"BLACK_WIN": 0, "WHITE_WIN": 1}.get(status.name, -1)
            assert ended == states["winner"][0]
        assert status.name != "ONGOING" or states["ended"][0] == NO_LEGAL_CELL


# --- recorded games ------------------------------------------------------------------------------


def test_recorded_games_replay(shared_data):
    lines = (shared_data / "botzone_games" / "Gomoku.jsonl").read_text().splitlines()
    assert len(lines) == 12
    for record in map(json.loads, lines):
        states, (legal, probs) = core.new_states(RULES), core.new_scratch(RULES)
        seat = core.start_at(RULES, states, 0, np.uint64(0), probs)
        for move in record["moves"]:
            assert seat == move["player"], record["id"]
            action = 15 * move["y"] + move["x"]
            n = core.legal_actions_at(RULES, states, 0, legal)
            assert action in legal[:n], record["id"]
            seat, _ = core.play_at(RULES, states, 0, action, legal, probs)
        over = seat == core.TERMINAL
        assert over == (record["result"]["reason"] in ("rules", "draw")), record["id"]
        if over:
            totals = np.zeros(2)
            core.returns_at(RULES, states, 0, totals)
            assert (totals + 1).tolist() == record["result"]["scores"], record["id"]
