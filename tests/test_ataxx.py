"""Ataxx against python-ataxx, Fairy-Stockfish, Botzone's games, known counts and a plain second."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numba import njit

from stratagym.agents import hooks
from stratagym.agents.core import decision_for, make_policy
from stratagym.agents.games.ataxx import action_cells, evaluate, symmetries
from stratagym.agents.kernel_policies import play_many
from stratagym.envs import core, spec
from stratagym.envs.ataxx import render, replay, view
from stratagym.envs.ataxx import rules as kernel
from stratagym.envs.ataxx.metrics import COUNTS, game_counts
from stratagym.envs.prompts import messages
from stratagym.envs.text import TextOptions
from stratagym.testing import RandomGame, check_replies, position, random_positions

GAME = spec("ataxx")
RULES = GAME.make_rules()
BOTZONE = GAME.make_rules(judge="botzone")
TOP = GAME.make_rules(numbering="top")
BLOCKS = {
    "none": "x5o/7/7/7/7/7/o5x",
    "corners": "x5o/7/2-1-2/7/2-1-2/7/o5x",
    "sides": "x5o/7/3-3/2-1-2/3-3/7/o5x",
}
"""Starts as UAI writes them, by our option's value."""
PERFT = (16, 256, 6460, 155888, 4752668)


def placed(first, second, player=0, rules=RULES, **fields):
    """A position (1,) by the names of cells with stones of seats 0 and 1."""
    states = position(rules)
    bits = []
    for cells in (first, second):
        named = [(7 - int(cell[1]), "abcdefg".index(cell[0])) for cell in cells.split()]
        bits.append(sum(1 << 8 * row + column for row, column in named))
    states["own"], states["opp"] = bits[:: -1 if player else 1]
    states["player"] = player
    for name, value in fields.items():
        states[name] = value
    return states


def played(rules, states, move):
    """The position after a move by its name, and who is to move in it."""
    states, (legal, probs) = states.copy(), core.new_scratch(rules)
    action = view.string_to_action(rules, states[0], move)
    n = core.legal_actions_at(rules, states, 0, legal)
    assert action in legal[:n], move
    seat, _ = core.play_at(rules, states, 0, action, legal, probs)
    return states, seat


def results(rules, states):
    """Each seat's return."""
    out = np.full(2, np.nan)
    core.returns_at(rules, states, 0, out)
    return out.tolist()


# --- the rules -----------------------------------------------------------------------------------


@njit
def perft(rules, states, legal, depth):
    """Games of ``depth`` plies from ``states[0]``; those that are over before count for nothing.

    ``states`` and ``legal`` have ``depth`` rows, one a level.
    """
    nodes, level, tried = 0, 0, np.zeros(depth, np.int64)
    counts = np.zeros(depth, np.int64)
    counts[0] = core.legal_actions(rules, states[0], legal[0])
    if depth == 1:
        return counts[0]
    while level >= 0:
        if tried[level] == counts[level]:
            level -= 1
            continue
        states[level + 1] = states[level]
        core.step(rules, states[level + 1], legal[level, tried[level]])
        tried[level] += 1
        if core.current_player(rules, states[level + 1]) < 0:
            continue
        n = core.legal_actions(rules, states[level + 1], legal[level + 1])
        if level + 2 == depth:
            nodes += n
        else:
            level += 1
            tried[level], counts[level] = 0, n
    return nodes


def count(rules, start, depth):
    states = core.new_states(rules, depth)
    states[0] = start[0]
    return perft(rules, states, np.zeros((depth, rules.num_actions), np.int64), depth)


def test_numbers_of_games():
    assert tuple(count(RULES, position(RULES), depth) for depth in range(1, 6)) == PERFT


@pytest.mark.slow
def test_number_of_games_of_six_plies():
    assert count(RULES, position(RULES), 6) == 141865520


def plain_start(blocks):
    """{(row, column): "x", "o" or "."} of the start, without blocked cells, from UAI's text."""
    grid = {}
    for row, text in enumerate(BLOCKS[blocks].split("/")):
        column = 0
        for sign in text:
            if sign.isdigit():
                grid |= {(row, column + k): "." for k in range(int(sign))}
            elif sign != "-":
                grid[row, column] = sign
            column += int(sign) if sign.isdigit() else 1
    return grid


def plain_moves(grid, mark):
    """{action: (cell from or None, cell to)} by the definition, without the pass."""
    found = {}
    for row, column in (cell for cell, sign in grid.items() if sign == "."):
        for down in range(-2, 3):
            for right in range(-2, 3):
                there = row + down, column + right
                if grid.get(there) != mark:
                    continue
                if max(abs(down), abs(right)) == 1:
                    found[7 * row + column] = None, (row, column)
                else:
                    ring = [
                        (d, r) for d in range(-2, 3) for r in range(-2, 3) if max(abs(d), abs(r)) > 1
                    ]
                    plane = 1 + ring.index((down, right))
                    found[49 * plane + 7 * row + column] = there, (row, column)
    return found


def plain_play(grid, mark, move):
    source, (row, column) = move
    if source:
        grid[source] = "."
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if grid.get((row + down, column + right), ".") != ".":
                grid[row + down, column + right] = mark
    grid[row, column] = mark


def grid_of(rules, s):
    """The same grid of one of our records."""
    grid = {}
    sides = [int(s["own"]), int(s["opp"])][:: -1 if s["player"] else 1]
    blocks = int(kernel.blocks_of(rules))
    assert not sides[0] & sides[1] and not (sides[0] | sides[1]) & blocks
    assert not (sides[0] | sides[1]) & ~int(kernel.BOARD)
    for row in range(7):
        for column in range(7):
            at = 1 << 8 * row + column
            if not blocks & at:
                grid[row, column] = "x" if sides[0] & at else "o" if sides[1] & at else "."
    return grid


@pytest.mark.parametrize("blocks", BLOCKS)
@pytest.mark.parametrize("judge", ["uai", "botzone"])
@pytest.mark.parametrize("max_quiet", [100, 3])
def test_games_follow_the_definition(blocks, judge, max_quiet, rng):
    """Moves, passes, counters, ends and results of random games, by a slow second of the rules."""
    rules = GAME.make_rules(blocks=blocks, judge=judge, max_quiet=max_quiet)
    planes = np.zeros(rules.observation_shape, np.int8)
    passes = 0
    for _ in range(10):
        game = RandomGame(rules, int(rng.integers(2**63)))
        grid, seat, quiet = plain_start(blocks), 0, 0
        for states, player, legal, action in zip(
            game.states, game.players, game.choices, game.actions, strict=True
        ):
            mark = "xo"[seat]
            assert player == seat and grid_of(rules, states[0]) == grid
            moves = plain_moves(grid, mark)
            assert moves or (judge == "uai" and plain_moves(grid, "xo"[1 - seat]))
            assert legal.tolist() == (sorted(moves) or [833])
            core.observe_at(rules, states, 0, seat, planes)
            for row in range(7):
                for column in range(7):
                    sign = grid.get((row, column), "-")
                    kinds = (mark, "xo"[1 - seat], "-")
                    assert planes[row, column].tolist() == [*(sign == k for k in kinds), quiet]
            if moves:
                plain_play(grid, mark, moves[action])
            passes += not moves
            quiet = 0 if action < 49 else quiet + 1
            seat = 1 - seat
        first, second, empty = (list(grid.values()).count(sign) for sign in "xo.")
        own, other = "xo"[seat], "xo"[1 - seat]
        if judge == "botzone":
            stuck = not plain_moves(grid, own)
            assert stuck or len(game.actions) == 401
            if stuck:
                first, second = first + empty * seat, second + empty * (1 - seat)
            winner = (0 if first > second else 1) if first != second else 1 - seat
        elif not empty or own not in grid.values():
            assert other in grid.values()
            winner = 0 if first > second else 1
        else:
            assert quiet == max_quiet
            winner = None
        expected = [0, 0] if winner is None else [1 - 2 * winner, 2 * winner - 1]
        assert game.returns(game.end).tolist() == expected
    assert game.ending == core.TERMINAL


def uai_name(action):
    return "0000" if action == 833 else view.action_to_string(RULES, None, action)


@pytest.mark.parametrize(
    ("blocks", "games"),
    [("none", 12), ("corners", 4), ("sides", 4), pytest.param("none", 200, marks=pytest.mark.slow)],
)
def test_games_are_python_ataxxs(blocks, games, rng):
    """Legal moves, positions and results of random games."""
    ataxx = pytest.importorskip("ataxx", reason="pip install ataxx")
    rules = GAME.make_rules(blocks=blocks)
    for k in range(games):
        board = ataxx.Board(f"{BLOCKS[blocks]} x 0 1")
        # Half of the games are played with few clones, so that they are wiped out or quiet.
        game = quiet_game(rules, rng) if k % 2 else RandomGame(rules, int(rng.integers(2**63)))
        told = []
        for states, legal, action in zip(game.states, game.choices, game.actions, strict=True):
            assert not board.gameover(), told
            theirs = {str(move) for move in board.legal_moves()}
            assert theirs == {uai_name(one) for one in legal.tolist()}, told
            told.append(uai_name(action))
            board.makemove(ataxx.Move.from_san(told[-1]))
            assert board.halfmove_clock == (0 if action < 49 else states["quiet"][0] + 1), told
        assert board.gameover(), told
        expected = {"1-0": [1, -1], "0-1": [-1, 1], "1/2-1/2": [0, 0]}[board.result()]
        assert game.returns(game.end).tolist() == expected, told
    assert len(told) > 0


class quiet_game(RandomGame):  # noqa: N801 - it is called like a function
    """A random game in which only one clone in eight that could be played is."""

    def __init__(self, rules, rng):
        self.rules = rules
        self.legal, self.probs = core.new_scratch(rules)
        self.states, self.players, self.choices, self.actions = [], [], [], []
        state = core.new_states(rules)
        player = core.start_at(rules, state, 0, np.uint64(0), self.probs)
        n = core.legal_actions_at(rules, state, 0, self.legal)
        while player >= 0:
            legal = self.legal[:n].copy()
            jumps = legal[legal >= 49]
            some = jumps if len(jumps) and rng.random() < 0.95 else legal
            self.states.append(state.copy())
            self.players.append(int(player))
            self.choices.append(legal)
            self.actions.append(int(rng.choice(some)))
            player, n = self.play(state, self.actions[-1])
        self.end, self.ending = state, int(player)


@pytest.mark.parametrize("games", [10, pytest.param(200, marks=pytest.mark.slow)])
def test_games_are_fairy_stockfishs(games, rng):
    """Legal moves of random games, passes, and results where the board is full or a side gone."""
    sf = pytest.importorskip("pyffish", reason="pip install pyffish")
    start = sf.start_fen("ataxx")
    for _ in range(games):
        game, told = RandomGame(RULES, int(rng.integers(2**63))), []
        for legal, action in zip(game.choices, game.actions, strict=True):
            theirs = sf.legal_moves("ataxx", start, told)
            names = {fairy_name(one): one for one in legal.tolist()}
            if legal[0] == 833:
                assert len(theirs) == 1 and "@" not in theirs[0], told
                told.append(theirs[0])
                continue
            assert sorted(theirs) == sorted(names), told
            told.append(fairy_name(action))
        over = int(game.end["over"][0])
        assert over in (kernel.FULL, kernel.WIPED_OUT)
        assert sf.legal_moves("ataxx", start, told) == []
        mine = game.returns(game.end)[len(told) % 2]
        assert np.sign(sf.game_result("ataxx", start, told)) == mine, told


def fairy_name(action):
    name = view.action_to_string(RULES, None, action)
    return f"P@{name}" if action < 49 else name


def botzone_action(move):
    """Botzone tells a move by two points (x, y); here x is the row, and it makes no difference."""
    x, y, to_x, to_y = (move[name] for name in ("x0", "y0", "x1", "y1"))
    down, right = x - to_x, y - to_y
    if max(abs(down), abs(right)) == 1:
        return 7 * to_x + to_y
    return 49 * (1 + kernel.OFFSETS.index((right, down))) + 7 * to_x + to_y


def test_recorded_games_replay(shared_data):
    lines = (shared_data / "botzone_games" / "Ataxx.jsonl").read_text().splitlines()
    legal, probs = core.new_scratch(BOTZONE)
    assert len(lines) == 12
    ends = []
    for record in map(json.loads, lines):
        states = core.new_states(BOTZONE)
        seat = core.start_at(BOTZONE, states, 0, np.uint64(0), probs)
        for move in record["moves"]:
            assert seat == move["player"], record["id"]
            action = botzone_action(move)
            n = core.legal_actions_at(BOTZONE, states, 0, legal)
            assert action in legal[:n], record["id"]
            seat, _ = core.play_at(BOTZONE, states, 0, action, legal, probs)
        assert seat == core.TERMINAL, record["id"]
        winner = record["result"]["winner"]
        assert results(BOTZONE, states) == [1 - 2 * winner, 2 * winner - 1], record["id"]
        ends.append(int(states["over"][0]))
    assert ends.count(kernel.FULL) == 3 and ends.count(kernel.WIPED_OUT) == 7
    assert ends.count(kernel.STUCK) == 2


@njit
def random_results(rules, states, legal, probs, seed, out):
    total = np.zeros(2)
    for game in range(len(out)):
        core.start(rules, states[0], core.derive_seed(seed, game), probs)
        out[game] = 0
        while core.current_player(rules, states[0]) >= 0:
            n = core.legal_actions(rules, states[0], legal)
            out[game, 1] += legal[0] == 833
            core.step(rules, states[0], legal[core.random_below(states[0], n)])
            out[game, 0] += 1
        core.returns(rules, states[0], total)
        out[game, 2], out[game, 3] = total[0], states[0].over


def test_random_games_are_as_long_and_won_as_often_as_known(seed):
    """100,000 random games of another program: within four errors of both, rounding included."""
    n = 20_000
    out = np.zeros((n, 4))
    random_results(RULES, core.new_states(RULES), *core.new_scratch(RULES), np.uint64(seed), out)
    length, passes, result, over = out.T
    for sample, mean, digit in (
        (length, 183.9, 0.1),
        (passes, 0.24, 0.01),
        (result > 0, 0.503, 0.001),
        (over == kernel.FULL, 0.914, 0.001),
        (over == kernel.WIPED_OUT, 0.086, 0.001),
    ):
        error = sample.std() * (1 / n + 1 / 100_000) ** 0.5
        assert abs(sample.mean() - mean) < 4 * error + digit / 2, mean
    assert (result != 0).all()


def test_legal_at_once_is_what_the_list_says(rng):
    for rules in (RULES, BOTZONE, GAME.make_rules(blocks="sides")):
        legal = np.zeros(rules.num_actions, np.int64)
        scratch = legal.copy()
        forced = placed("a7", "a6 b6 b7 c7 c6 c5 b5 a5", rules=rules)
        for s in [*random_positions(rules, 12, rng), *forced]:
            states = np.array([s])
            if core.current_player_at(rules, states, 0) < 0 or (rules.botzone and s == forced[0]):
                continue
            n = core.legal_actions_at(rules, states, 0, legal)
            listed = set(legal[:n].tolist())
            for action in range(-3, rules.num_actions + 3):
                said = core.is_legal_action_at(rules, states, 0, action, scratch)
                assert said == (action in listed)


def test_who_cannot_move_passes_and_by_botzones_judge_loses_the_empty_cells():
    """O takes the last cell within X's reach."""
    first, second = "a7", "a6 b6 b7 c7 c6 c5 b5 e5"
    states, seat = played(RULES, placed(first, second, player=1), "e5c4")
    assert seat == 0 and states["quiet"][0] == 1
    # c4 is not within two of a7; a5 still is.
    states, seat = played(RULES, placed(first, second + " a5", player=1), "e5c4")
    legal = np.zeros(834, np.int64)
    assert core.legal_actions_at(RULES, states, 0, legal) == 1 and legal[0] == kernel.PASS
    check_replies(
        GAME, {"Move: pass": 833, "Move: 0000": 833, "Move: d1": "illegal: must_pass"}, states
    )
    assert view.move_text(RULES, states[0], 833) == "X passed."
    states, seat = played(RULES, states, "pass")
    assert seat == 1 and states["quiet"][0] == 2 and states["over"][0] == kernel.GOING
    states, seat = played(BOTZONE, placed(first, second + " a5", player=1, rules=BOTZONE), "e5c4")
    assert seat == core.TERMINAL and states["over"][0] == kernel.STUCK
    assert results(BOTZONE, states) == [-1, 1]
    assert view.board_text(BOTZONE, states[0]).endswith("O has won by 48 to 1, X cannot move")


ROWS = [[f"{column}{row}" for column in "abcdefg"] for row in range(7, 0, -1)]


def test_a_stuck_side_with_most_of_the_board_wins_by_botzones_judge():
    """25 stones out of reach of the empty cells: the mover gets those and has 24."""
    cells = [name for row in ROWS for name in row]
    stuck = cells[:25]
    states = placed(" ".join(stuck), " ".join([*cells[25:42], "a1"]), player=1, rules=BOTZONE)
    # Row 4 has a4 to d4 of X; O's moves to b1: nothing of X within two of row 1 is left.
    states, seat = played(BOTZONE, states, "b1")
    assert seat == core.TERMINAL and states["over"][0] == kernel.STUCK
    assert results(BOTZONE, states) == [1, -1]
    assert view.board_text(BOTZONE, states[0]).endswith("X has won by 25 to 24, X cannot move")


def test_quiet_play_is_a_draw_and_a_win_comes_first():
    states = placed("a7 g1", "g7 a1", quiet=98)
    after, seat = played(RULES, states, "a7c5")
    assert seat == 1 and after["quiet"][0] == 99
    for move, end in (("g7e5", core.TERMINAL), ("f6", 0)):
        then, seat = played(RULES, after, move)
        assert seat == end and results(RULES, then) == [0, 0]
    assert view.board_text(RULES, played(RULES, after, "g7e5")[0][0]).endswith(
        "Draw after 100 moves without a clone"
    )
    states = placed("a7", "c4 d3", quiet=99)
    after, seat = played(RULES, states, "a7c5")
    assert seat == core.TERMINAL and results(RULES, after) == [0, 0]
    states = placed("a7", "c4 d4", quiet=99)
    after, seat = played(RULES, states, "a7c5")
    assert seat == core.TERMINAL and results(RULES, after) == [1, -1]
    assert after["over"][0] == kernel.WIPED_OUT


@pytest.mark.parametrize("options", [{"max_quiet": 0}, {"judge": "botzone"}])
def test_games_are_stopped(options):
    """After 4,500 moves as a draw; by Botzone's judge after 401, the last mover winning ties."""
    rules = GAME.make_rules(**options)
    assert rules.max_game_length == (401 if options.get("judge") else 4500)
    states = placed("a7 g1", "g7 a1", rules=rules, plies=rules.max_game_length - 2, quiet=3000)
    states, seat = played(rules, states, "a7c5")
    assert seat == 1
    states, seat = played(rules, states, "g7e7")
    assert seat == core.TERMINAL and states["over"][0] == kernel.MOVE_LIMIT
    assert results(rules, states) == ([-1, 1] if rules.botzone else [0, 0])


@pytest.mark.parametrize(
    ("blocks", "quiet", "most"), [("none", 100, 4500), ("none", 7, 315), ("sides", 10, 410)]
)
def test_games_are_no_longer_than_told(blocks, quiet, most, seed, rng):
    rules = GAME.make_rules(blocks=blocks, max_quiet=quiet)
    assert rules.max_game_length == most
    for _ in range(5):
        assert len(quiet_game(rules, rng).actions) <= most


# --- what agents know ----------------------------------------------------------------------------


def images(states, permutation):
    """The positions under a permutation of cells."""
    out = states.copy()
    for field in ("own", "opp"):
        for i in range(len(out)):
            bits = int(states[field][i])
            out[field][i] = sum(
                1 << int(kernel.square_of(int(permutation[cell])))
                for cell in range(49)
                if bits >> int(kernel.square_of(cell)) & 1
            )
    return out


@pytest.mark.parametrize("blocks", BLOCKS)
def test_a_transformed_position_has_the_transformed_moves(blocks, rng):
    """And as many games, and the same worth."""
    rules = GAME.make_rules(blocks=blocks)
    table = symmetries(rules)
    assert table.shape == (8, 834) and (table[:, 833] == 833).all()
    assert len({tuple(row) for row in table.tolist()}) == 8
    assert (np.sort(table) == np.arange(834)).all() and (table[0] == np.arange(834)).all()
    start = position(rules)
    same = [images(start, row) == start for row in table]
    assert sum(map(bool, same)) == 4
    legal, out, other = np.zeros(834, np.int64), np.zeros(2), np.zeros(2)
    for s in random_positions(rules, 4, rng, range(10, 60)):
        states = np.array([s])
        n = core.legal_actions_at(rules, states, 0, legal)
        actions, games = legal[:n].copy(), count(rules, states, 2)
        estimate(rules, states, out)
        for permutation in table:
            twin = images(states, permutation)
            n = core.legal_actions_at(rules, twin, 0, legal)
            assert legal[:n].tolist() == sorted(permutation[actions].tolist())
            assert count(rules, twin, 2) == games
            estimate(rules, twin, other)
            assert other.tolist() == out.tolist()
    assert action_cells(rules).tolist() == list(range(834))


@njit
def estimate(rules, states, out):
    evaluate(rules, states[0], out)


def test_the_evaluator(rng):
    """Stones, the move, empty cells of one side alone; the result at the end; fair to both."""
    out, other = np.zeros(2), np.zeros(2)
    estimate(RULES, position(RULES), out)
    assert out == pytest.approx([0.02, -0.02])
    # X alone can come to 8 + 5 cells by a7 .. none of O's: 24 empty cells around g1 are O's alone.
    states = placed("a7", "g1 f1")
    reach_x, reach_o, empty = 8, 10, 46
    estimate(RULES, states, out)
    assert out[0] == pytest.approx(-1 / 49 + 0.02 + 0.1 * (reach_x - reach_o) / empty)
    for judge in ("uai", "botzone"):
        rules = GAME.make_rules(judge=judge)
        for _ in range(10):
            game = RandomGame(rules, int(rng.integers(2**63)))
            estimate(rules, game.end, out)
            assert out.tolist() == game.returns(game.end).tolist()
            states = game.states[rng.integers(len(game.states))]
            estimate(rules, states, out)
            assert abs(out[0]) < 1 and out[1] == -out[0]
            twin = states.copy()
            twin["player"] = 1 - states["player"]
            estimate(rules, twin, other)
            assert other[0] == out[1]


@njit
def hash_of(rules, states):
    return hooks.position_hash(rules, states[0])


def test_hashes_are_of_positions(rng):
    """Stones and mover alone, until a counter may end the game within a search."""
    seen = {}
    for _ in range(15):
        for states in RandomGame(RULES, int(rng.integers(2**63))).states:
            late = int(states["quiet"][0]) if states["quiet"][0] >= 36 else -1
            key = int(states["own"][0]), int(states["opp"][0]), int(states["player"][0]), late
            assert seen.setdefault(hash_of(RULES, states), key) == key
    assert len(seen) > 1000 and len(set(seen.values())) == len(seen)
    for rules, field, early, late in (
        (RULES, "quiet", 35, 36),
        (BOTZONE, "plies", 336, 337),
        (GAME.make_rules(max_quiet=0), "plies", 4435, 4436),
    ):
        hashes = []
        for value in (0, early, late, late + 1):
            hashes.append(hash_of(rules, placed("a7", "g1", rules=rules, **{field: value})))
        assert hashes[0] == hashes[1] and len(set(hashes)) == 3


def test_the_rule_based_player_takes_what_it_can(rng):
    """The largest gain; among equals clones, then cells with more own neighbours."""
    assert make_policy(GAME, "rule:greedy").name == "rule:greedy"
    policy = make_policy(GAME, "heuristic")
    forced = placed("a7", "a6 b6 b7 c7 c6 c5 b5 a5 c4")
    for s in [*random_positions(RULES, 60, rng), *forced]:
        states = np.array([s])
        action = policy.act(decision_for(GAME, RULES, states, 1))
        grid, mark = grid_of(RULES, s), "xo"[s["player"]]
        moves = plain_moves(grid, mark)
        if not moves:
            assert action == 833
            continue

        def worth(item):
            number, (source, (row, column)) = item
            near = [
                grid.get((row + down, column + right)) for down in (-1, 0, 1) for right in (-1, 0, 1)
            ]
            gain = near.count("ox"[s["player"]]) + (source is None)
            return gain, source is None, near.count(mark), -number

        assert action == max(moves.items(), key=worth)[0]


def scores(names, seed, n):
    """Mean return of the first of two kernel policies, from both seats."""
    policies = [make_policy(GAME, name) for name in names]
    seeds = np.arange(seed % 2**32, seed % 2**32 + n, dtype=np.uint64)
    seating = np.array([[0, 1], [1, 0]] * (n // 2))
    games = play_many(RULES, policies, seeds, seating)
    return games, games.returns[np.arange(n), seating.argmin(axis=1)]


def test_greed_beats_chance_and_is_counted(seed):
    games, mine = scores(["heuristic", "random"], seed, 200)
    assert mine.mean() > 0.9
    counts = game_counts(RULES, games.seeds, games.actions, games.plies)
    seat = games.seating.argmin(axis=1)
    rule, rand = (
        dict(zip(COUNTS, counts[np.arange(200), one].sum(axis=0), strict=True))
        for one in (seat, 1 - seat)
    )
    assert rule["decisions"] + rand["decisions"] == games.plies.sum()
    assert rule["gain"] == rule["gain_best"] > 1.5 * rule["gain_chance"]
    assert rule["jumps_instead"] == 0 < rule["clones_as_good"]
    # A random player does what chance does, within five standard errors.
    assert abs(rand["gain"] - rand["gain_chance"]) < 5 * (2 * rand["decisions"]) ** 0.5
    for done, of, chance in (
        ("jumps_instead", "clones_as_good", "jumps_chance"),
        ("exposed", "decisions", "exposed_chance"),
    ):
        assert 0 < rand[done] < rand[of]
        assert abs(rand[done] - rand[chance]) < 2.5 * rand[of] ** 0.5


def test_counts_are_those_of_a_plain_count(rng):
    for blocks in ("none", "corners"):
        rules = GAME.make_rules(blocks=blocks)
        game = RandomGame(rules, int(rng.integers(2**63)))
        expected = np.zeros((2, len(COUNTS)))
        for states, seat, action in zip(game.states, game.players, game.actions, strict=True):
            grid, (mark, other) = grid_of(rules, states[0]), "xoxo"[seat : seat + 2]
            moves = plain_moves(grid, mark)
            gains, exposed = {833: 0}, {833: False}
            gains = {number: plain_gain(grid, mark, move) for number, move in moves.items()}
            for number, move in moves.items():
                after = dict(grid)
                plain_play(after, mark, move)
                replies = [plain_gain(after, other, m) for m in plain_moves(after, other).values()]
                exposed[number] = max(replies, default=0) > gains[number]
            if not moves:
                replies = [plain_gain(grid, other, m) for m in plain_moves(grid, other).values()]
                gains, exposed = {833: 0}, {833: max(replies) > 0}
            n, clones = len(gains), [gain for number, gain in gains.items() if number < 49]
            poor = [k for k, gain in gains.items() if k >= 49 and clones and gain <= max(clones)]
            expected[seat] += [
                1, gains[action], max(gains.values()), sum(gains.values()) / n,
                bool(poor), bool(poor) and action in poor, len(poor) / n,
                exposed[action], sum(exposed[k] for k in gains) / n,
            ]  # fmt: skip
        actions = np.array([game.actions])
        counts = game_counts(rules, np.zeros(1, np.uint64), actions, np.array([len(game.actions)]))
        assert counts[0] == pytest.approx(expected)


def plain_gain(grid, mark, move):
    source, (row, column) = move
    near = [grid.get((row + down, column + right)) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    return near.count("xo"[mark == "x"]) + (source is None)


def test_deeper_search_beats_greed(seed):
    deep, greedy = make_policy(GAME, "alphabeta:3"), make_policy(GAME, "heuristic")
    legal, probs = core.new_scratch(RULES)
    total = 0
    for s in random_positions(RULES, 6, seed % 2**32, range(6, 7)):
        for mine in (0, 1):
            states = np.array([s])
            seat = int(s["player"])
            while seat >= 0:
                policy = deep if seat == mine else greedy
                action = policy.act(decision_for(GAME, RULES, states, 1))
                seat, _ = core.play_at(RULES, states, 0, action, legal, probs)
            total += results(RULES, states)[mine]
    assert total > 4


# --- words, pictures -----------------------------------------------------------------------------


def test_replies():
    """Every kind of failure, and the forms a move may have."""
    states = placed("a7 d4 e4", "d5 g1")
    jump = 49 * (1 + kernel.OFFSETS.index((1, -2))) + 7 * 5 + 2  # d4 to c2
    check_replies(
        GAME,
        {
            "Move: b7": 1,
            "I think.\n**Move: B7**": 1,
            "Move: d4c2": jump,
            "Move: d4-c2": jump,
            "Move: D4 -> C2": jump,
            "Move: (D,4) -> (C,2)": jump,
            "Move: (D, 4) -> (C, 2)": jump,
            "Move: a7b6": 8,
            "Move: a7d4": "illegal: too_far",
            "Move: a7a7": "illegal: occupied",
            "Move: b6b7": "illegal: not_your_piece",
            "Move: d5c6": "illegal: not_your_piece",
            "Move: d5d7": "illegal: not_your_piece",
            "Move: d5": "illegal: occupied",
            "Move: a7c5\nNo.\nMove: d4d5": "illegal: occupied",
            "Move: a1": "illegal: too_far",
            "Move: h8": "illegal: off_board",
            "Move: a7a8": "illegal: off_board",
            "Move: pass": "illegal: cannot_pass",
            "Move: None": "illegal: cannot_pass",
            "Move: 0000": "illegal: cannot_pass",
            "Answer: b7": "unparseable",
            "b7": "unparseable",
            "Move: castle": "unparseable",
            "": "unparseable",
        },
        states,
    )
    check_replies(
        GAME,
        {
            "b7": 1,
            "Answer: (A,7) -> (C,5)": 49 + 7 * 2 + 2,
            '{"reason": "I like it", "action": "d4c2"}': jump,
            f'{{"reason": "no"}} {{"reason": "x", "action": {jump}}}': jump,
            '{"action": 834}': "illegal: no_such_move",
            '{"action": 49}': "illegal: off_board",
            "no move": "unparseable",
        },
        states,
        options=TextOptions(lenient=True),
    )
    blocked = GAME.make_rules(blocks="corners")
    states = placed("b4", "g1", rules=blocked)
    check_replies(GAME, {"Move: c5": "illegal: blocked"}, states, rules=blocked)
    check_replies(GAME, {"Move: b1": 1, "Move: a1b2": 8, "Move: b7": "illegal: too_far"}, rules=TOP)


def test_words():
    states = played(RULES, placed("a7 d4 e4", "d5 g1"), "d4c6")[0]
    assert view.board_text(RULES, states[0]).splitlines() == [
        "  a b c d e f g",
        "7 X . . . . . . 7",
        "6 . . X . . . . 6",
        "5 . . . X . . . 5",
        "4 . . . . X . . 4",
        "3 . . . . . . . 3",
        "2 . . . . . . . 2",
        "1 . . . . . . O 1",
        "  a b c d e f g",
        "X 4, O 1, empty 44",
        "Last move: X d4c6",
        "O to move",
    ]
    jump = view.string_to_action(RULES, states[0], "g1e3")
    assert view.move_text(RULES, states[0], jump) == "O jumped from g1 to e3 and turned over 1."
    assert view.move_text(RULES, states[0], 47) == "O cloned onto f1 and turned over 0."
    (message,) = messages(GAME, RULES, states, TextOptions(system="merge", list_legal=True))
    parts = (
        "white stones, shown as O", "1 to 7 from the bottom", "X has stones on a7 and g1",
        "After 100 moves in a row without a clone", "6 . . X . . . . 6", "Count: X 4, O 1, empty 44.",
        "Last move: X d4c6", "Moves in a row without a clone: 1 of 100", "Legal moves: f2, g2, f1",
        "Move: <cell>",
    )  # fmt: skip
    places = [message["content"].find(part) for part in parts]
    assert places == sorted(places) and places[0] >= 0
    listed = messages(GAME, RULES, states, TextOptions(position="list"))[1]["content"]
    assert "X: a7 c6 d5 e4\nO: g1\nAll other cells are empty." in listed
    system, user = messages(GAME, TOP, position(TOP), TextOptions())
    assert "1 to 7 from the top" in system["content"] and "X has stones on a1" in system["content"]
    assert user["content"].index("\n1 X") < user["content"].index("\n7 O")
    system, user = messages(GAME, BOTZONE, position(BOTZONE), TextOptions())
    assert "stopped after 401 moves" in system["content"] and "must pass" not in system["content"]
    assert "Moves made: 0 of 401" in user["content"]
    blocked = GAME.make_rules(blocks="sides", max_quiet=0)
    system, user = messages(GAME, blocked, position(blocked), TextOptions())
    assert "hold no stones: d5 c4 e4 d3" in system["content"]
    assert "Moves made: 0 of 4500" in user["content"] and "4 . . # . # . . 4" in user["content"]
    assert view.count_text(blocked, position(blocked)[0]) == "X 2, O 2, empty 41"


def test_a_picture_shows_stones_the_last_move_and_where_one_may_go():
    rules = GAME.make_rules(blocks="corners")
    states = played(rules, placed("a7 d4 e4", "f5 g1", rules=rules), "d4d6")[0]
    picture = render.picture(rules, states[0]).astype(int)

    def at(name, right=0, down=0):
        x, y = render.pixel(rules, 8 * (7 - int(name[1])) + "abcdefg".index(name[0]))
        return picture[y + down, x + right]

    unit = round((render.pixel(rules, 1)[0] - render.pixel(rules, 0)[0]) / 2)
    corner = unit - 6
    for name, seat in (("a7", 0), ("d6", 0), ("e4", 0), ("f5", 1), ("g1", 1)):
        assert np.abs(at(name, 12, 12) - render.PAINT[seat]).max() < 30, name
    for name in ("c5", "e5", "c3", "e3"):
        assert np.abs(at(name) - render.FELT).max() > 60, name
    for name in ("d4", "d6"):
        assert at(name, corner, corner)[0] > at(name, corner, corner)[2] + 40, name  # yellow
    assert np.abs(at("b2", corner, corner) - render.FELT).max() < 12
    assert np.abs(at("b2") - render.FELT).max() < 12  # nobody comes to b2
    dot, ring = at("f2"), at("e1")  # O's clones and jumps, in white
    assert (dot > np.array(render.FELT) + 20).all() and np.abs(ring - render.FELT).max() < 12
    assert (at("e1", round(0.22 * unit)) > np.array(render.FELT) + 20).all()
    first = picture[round(1.65 * 85) + 10 :, :60].copy()
    assert (render.picture(TOP, position(TOP)[0]) != render.picture(RULES, position(RULES)[0])).any()
    assert first.size
    assert replay.beside(rules, states[0], 0) == "3 stones"
    jump = view.string_to_action(rules, states[0], "g1e1")
    assert replay.arrow(rules, states[0], jump, 640) == [
        render.pixel(rules, 54), render.pixel(rules, 52)
    ]  # fmt: skip
    assert replay.arrow(rules, states[0], 47, 640) is None
    assert replay.arrow(rules, states[0], 833, 640) is None
