"""Reversi against OpenSpiel, Pgx, Fairy-Stockfish, counts of positions and the slow definition."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numba import njit
from ours import assert_in_order
from perft import perft

from stratagym.envs import core, spec
from stratagym.envs.batch import BatchEnv
from stratagym.envs.prompts import prompt
from stratagym.envs.reversi import view
from stratagym.envs.reversi.metrics import COUNTS, game_counts
from stratagym.envs.reversi.rules import MOVE_LIMIT, NO_MOVES, disc_difference
from stratagym.envs.text import TextOptions
from stratagym.testing import (
    RandomGame,
    check_replies,
    position,
    random_positions,
    same_as_openspiel,
)

GAME = spec("reversi")
RULES = GAME.make_rules()
SMALL = GAME.make_rules(size=6)
PERFT = [4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571056]
PERFT_6 = [4, 12, 56, 244, 1364, 7604, 47740, 308716, 2114912, 14976684]


# --- the rules -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("rules", "expected"), [(RULES, PERFT), (SMALL, PERFT_6)])
def test_numbers_of_games(rules, expected):
    assert [perft(rules, position(rules), depth) for depth in range(1, 11)] == expected


@pytest.mark.oracle
def test_games_are_openspiels(rng):
    same_as_openspiel("reversi", "othello", 300, rng)


def test_random_games_are_as_long_and_won_as_often_as_they_should_be(seed):
    """By 300,000 random games of other implementations: 60.4 plies, .454 and .504 won."""
    n = 40_000
    lengths, results = np.empty(n), np.empty(n)
    random_results(RULES, core.new_states(RULES), *core.new_scratch(RULES), seed, lengths, results)
    for sample, mean in ((lengths, 60.4), (results > 0, 0.454), (results < 0, 0.504)):
        # Their last digit is rounded.
        slack = 0.05 if mean > 1 else 0.0005
        assert abs(sample.mean() - mean) < 5.5 * sample.std() / n**0.5 + slack


@njit
def random_results(rules, states, legal, probs, seed, lengths, results):
    total = np.zeros(2)
    for game in range(len(lengths)):
        core.start(rules, states[0], core.derive_seed(seed, game), probs)
        plies = 0
        while core.current_player(rules, states[0]) >= 0:
            n = core.legal_actions(rules, states[0], legal)
            core.step(rules, states[0], legal[core.random_below(states[0], n)])
            plies += 1
        core.returns(rules, states[0], total)
        lengths[game], results[game] = plies, total[0]


def grid_of(rules, s):
    """{(row, column): seat} of the discs."""
    found = {}
    for field, seat in (("own", int(s["player"])), ("opp", 1 - int(s["player"]))):
        for square in range(64):
            if int(s[field]) >> square & 1:
                assert square // 8 < rules.size and square % 8 < rules.size
                found[divmod(square, 8)] = seat
    return found


def turned(size, grid, seat, row, column):
    """The discs turned, by walking from the square in each direction."""
    found = []
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            line, r, c = [], row + down, column + right
            while (down or right) and grid.get((r, c)) == 1 - seat:
                line.append((r, c))
                r, c = r + down, c + right
            if (down or right) and grid.get((r, c)) == seat:
                found += line
    return found


def squares(size, grid, seat):
    """Actions by the definition, without passes."""
    return [
        size * row + column
        for row in range(size)
        for column in range(size)
        if (row, column) not in grid and turned(size, grid, seat, row, column)
    ]


@pytest.mark.parametrize("size", [4, 6, 8])
@pytest.mark.parametrize("passing", ["forced", "voluntary"])
def test_moves_follow_the_definition(size, passing, rng):
    rules = GAME.make_rules(size=size, passing=passing)
    for _ in range(12):
        game = RandomGame(rules, int(rng.integers(2**63)))
        grid, seat = grid_of(rules, game.states[0][0]), 0
        assert len(grid) == 4
        for states, player, legal, action in zip(
            game.states, game.players, game.choices, game.actions, strict=True
        ):
            assert player == seat and grid_of(rules, states[0]) == grid
            expected = squares(size, grid, seat)
            assert expected or squares(size, grid, 1 - seat)
            if passing == "voluntary" or not expected:
                expected = [*expected, size * size]
            assert legal.tolist() == expected
            if action < size * size:
                row, column = divmod(action, size)
                for square in turned(size, grid, seat, row, column):
                    grid[square] = seat
                grid[row, column] = seat
            seat = 1 - seat
        stuck = not squares(size, grid, 0) and not squares(size, grid, 1)
        over = int(game.end["over"][0])
        assert over == (NO_MOVES if stuck else MOVE_LIMIT)
        assert stuck or len(game.actions) == 2 * (size * size - 4) == rules.max_game_length
        first = sum(owner == 0 for owner in grid.values())
        second = len(grid) - first
        empty = size * size - len(grid)
        sign = (first > second) - (first < second)
        assert game.returns(game.end).tolist() == [sign, -sign]
        assert disc_difference(rules, game.end[0]) == first - second + sign * empty


def test_a_wipe_out_ends_the_game():
    """The shortest there is: nine discs, all Black's, as two people once found."""
    moves = ["e6", "f4", "e3", "f6", "g5", "d6", "e7", "f5", "c5"]
    states = position(RULES, *(8 * (int(m[1]) - 1) + "abcdefgh".index(m[0]) for m in moves))
    assert states["over"][0] == NO_MOVES and states["plies"][0] == 9
    assert disc_difference(RULES, states[0]) == 64


@pytest.mark.parametrize(("size", "cap"), [(4, 24), (6, 64), (8, 120)])
def test_passing_for_ever_ends_at_the_cap(size, cap):
    rules = GAME.make_rules(size=size, passing="voluntary")
    almost = position(rules, *[size * size] * (cap - 1))
    assert not almost["over"][0]
    assert position(rules, *[size * size] * cap)["over"][0] == MOVE_LIMIT


def test_recorded_games_replay(shared_data):
    """Botzone lets players pass at will, and two of its four passes here were no need."""
    rules = GAME.make_rules(passing="voluntary")
    lines = (shared_data / "botzone_games" / "Reversi.jsonl").read_text().splitlines()
    legal, probs = core.new_scratch(rules)
    assert len(lines) == 12
    for record in map(json.loads, lines):
        states = core.new_states(rules)
        seat = core.start_at(rules, states, 0, np.uint64(0), probs)
        for move in record["moves"]:
            assert seat == move["player"], record["id"]
            action = 64 if move["pass"] else 8 * move["x"] + move["y"]
            n = core.legal_actions_at(rules, states, 0, legal)
            assert action in legal[:n], record["id"]
            seat, _ = core.play_at(rules, states, 0, action, legal, probs)
        assert seat == core.TERMINAL and states["over"][0] == NO_MOVES, record["id"]
        totals = np.zeros(2)
        core.returns_at(rules, states, 0, totals)
        winner = record["result"]["winner"]
        assert totals.tolist() == [1 - 2 * winner, 2 * winner - 1], record["id"]


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("size", "games"), [(8, 12), (6, 40), pytest.param(8, 200, marks=pytest.mark.slow)]
)
def test_games_are_fairy_stockfishs(size, games, rng):
    pyffish = pytest.importorskip("pyffish")
    variant, rules = "flipello", GAME.make_rules(size=size)
    start = pyffish.start_fen(variant) if size == 8 else None
    if size == 6:
        variant = "flipello6"
        pyffish.load_variant_config(
            f"[{variant}:flipello]\nmaxRank = 6\nmaxFile = 6\n"
            # Discs for all squares in both hands: the side that passes less plays more than half.
            f"startFen = 6/6/2pP2/2Pp2/6/6[{32 * 'P'}{32 * 'p'}] w 0 1\n"
            "enclosingDropStart = c3 d3 c4 d4\n"
        )
        start = pyffish.start_fen(variant)

    def name(action):
        row, column = divmod(action, size)
        return f"P@{'abcdefgh'[column]}{size - row}"

    for _ in range(games):
        game, told, fen = RandomGame(rules, int(rng.integers(2**63))), [], start
        for legal, action in zip(game.choices, game.actions, strict=True):
            theirs = pyffish.legal_moves(variant, fen, [])
            is_pass = legal[0] == size * size
            if is_pass:
                assert len(theirs) == 1 and "@" not in theirs[0], told
            else:
                assert sorted(theirs) == sorted(map(name, legal.tolist())), told
            told.append(theirs[0] if is_pass else name(action))
            fen = pyffish.get_fen(variant, fen, told[-1:])
        mine = game.returns(game.end)[len(told) % 2]
        for _ in range(2):  # they end by passes where neither side can put a disc
            theirs = pyffish.legal_moves(variant, start, told)
            assert len(theirs) <= 1 and "@" not in "".join(theirs), told
            told += theirs
        over, result = pyffish.is_immediate_game_end(variant, start, told)
        if not over:
            result = pyffish.game_result(variant, start, told)
        # The result is that of the side to move.
        same_seat = (len(told) - len(game.actions)) % 2 == 0
        assert np.sign(result) == (mine if same_seat else -mine), told


@pytest.mark.oracle
def test_planes_and_masks_are_pgxs(rng):
    """Where Pgx would have sides pass at the end of a game, ours is over."""
    pgx = pytest.importorskip("pgx")
    jax = pytest.importorskip("jax")
    env = pgx.make("othello")
    init, forward = jax.jit(env.init), jax.jit(env.step)
    for k in range(20):
        theirs = init(jax.random.PRNGKey(k))
        game = RandomGame(RULES, int(rng.integers(2**63)))
        for states, player, legal, action in zip(
            game.states, game.players, game.choices, game.actions, strict=True
        ):
            assert not theirs.terminated
            mask = np.asarray(theirs.legal_action_mask)
            assert np.flatnonzero(mask).tolist() == legal.tolist()
            assert (game.observation(states, player) == np.asarray(theirs.observation)).all()
            theirs = forward(theirs, action)
        for _ in range(2):
            if not theirs.terminated:
                assert np.flatnonzero(np.asarray(theirs.legal_action_mask)).tolist() == [64]
                theirs = forward(theirs, 64)
        assert theirs.terminated


def test_planes_are_the_discs_whatever_array_takes_them(rng):
    """Contiguous bytes are written eight at a time, other arrays one by one."""
    for s in random_positions(RULES, 10, rng):
        states, grid = np.array([s]), grid_of(RULES, s)
        for seat in (0, 1):
            expected = np.zeros((8, 8, 2))
            for (row, column), owner in grid.items():
                expected[row, column, int(owner != seat)] = 1
            guarded = np.full((3, 8, 8, 2), 77, np.int8)
            others = np.full((8, 8, 2), 77, np.float32), np.full((2, 8, 8), 77, np.int8).T
            for out in (guarded[1], *others):
                core.observe_at(RULES, states, 0, seat, out)
                assert (out == expected).all()
            assert (guarded[::2] == 77).all()


@pytest.mark.parametrize(("size", "passing"), [(8, "forced"), (8, "voluntary"), (6, "forced")])
def test_masks_of_a_batch_are_the_legal_actions(size, passing, rng):
    """Eight squares are written at a time; games that are over have none."""
    rules = GAME.make_rules(size=size, passing=passing)
    batch = BatchEnv(GAME, rules, 33, seed=int(rng.integers(2**63)), autoreset=False)
    legal, _ = core.new_scratch(rules)
    passes = 0
    while (batch.players >= 0).any():
        actions = np.zeros(33, np.int64)
        for i, mask in enumerate(batch.action_masks):
            over = batch.players[i] < 0
            n = 0 if over else core.legal_actions_at(rules, batch.states, i, legal)
            assert np.flatnonzero(mask).tolist() == legal[:n].tolist() and mask.max() < 2
            actions[i] = 0 if over else rng.choice(legal[:n])
            passes += not over and actions[i] == size * size
        batch.step(actions)
    assert passes and not batch.action_masks.any()


def test_a_transformed_position_has_as_many_games(rng):
    from stratagym.agents.games.reversi import symmetries

    table = symmetries(RULES)
    assert table.shape == (8, 65) and (table[:, 64] == 64).all()
    assert len({tuple(row) for row in table.tolist()}) == 8
    for s in random_positions(RULES, 3, rng, range(10, 40)):
        counts = set()
        for permutation in table:
            other = np.array([s])
            for field in ("own", "opp", "legal"):
                bits = [k for k in range(64) if int(s[field]) >> k & 1]
                other[field] = sum(1 << int(permutation[k]) for k in bits)
            counts.add(perft(RULES, other, 4))
        assert len(counts) == 1


# --- words, metrics, picture ---------------------------------------------------------------------

BEFORE = (19, 18, 17)  # d3 c3 b3
LENIENT = TextOptions(lenient=True)


def test_replies():
    start = position(RULES)
    strict = {
        "Move: d3": 19,
        "I think.\n**Move: F5**": 37,
        "Move: (C,4)": 26,
        "Move: d3\nNo.\nMove: e6.": 44,
        "Move: pass": "illegal: cannot_pass",
        "Move: None": "illegal: cannot_pass",
        "Move: a1": "illegal: no_flip",
        "Move: e4": "illegal: occupied",
        "Move: i9": "illegal: off_board",
        "Move: a0": "illegal: off_board",
        "Answer: d3": 19,
        "d3": "unparseable",
        '{"reason": "good", "action": "d3"}': "unparseable",
        "": "unparseable",
    }
    lenient = {
        "Answer: d3": 19,
        "d3": 19,
        'First {"action": "a1"}, no: {"reason": "good", "action": "d3"} it is': 19,
        '{"reason": "good", "action": 37}': 37,
        '{"reason": "good", "action": 99}': "illegal: no_such_move",
        "Move: e4": "illegal: occupied",
        "I put it somewhere.": "unparseable",
    }
    check_replies("reversi", strict, start)
    check_replies("reversi", lenient, start, options=LENIENT)


def test_who_must_pass_is_told_so(rng):
    while True:
        game = RandomGame(RULES, int(rng.integers(2**63)))
        forced = [k for k, legal in enumerate(game.choices) if legal[0] == 64]
        if forced:
            break
    states = game.states[forced[0]]
    free = next(k for k in range(64) if not int(states["own"][0] | states["opp"][0]) >> k & 1)
    there = view.action_to_string(RULES, states[0], free)
    check_replies("reversi", {"Move: pass": 64, f"Move: {there}": "illegal: must_pass"}, states)
    told = view.move_text(RULES, states[0], 64)
    assert told == f"{'XO'[states['player'][0]]} passed."


def test_words():
    states = position(RULES, *BEFORE)
    assert view.board_text(RULES, states[0]).splitlines() == [
        "  a b c d e f g h",
        "1 . . . . . . . . 1",
        "2 . . . . . . . . 2",
        "3 . X X X . . . . 3",
        "4 . . . O X . . . 4",
        "5 . . . X O . . . 5",
        "6 . . . . . . . . 6",
        "7 . . . . . . . . 7",
        "8 . . . . . . . . 8",
        "  a b c d e f g h",
        "X 5, O 2, empty 57",
        "Last move: X b3",
        "O to move",
    ]
    assert view.move_text(RULES, states[0], 11) == "O put a disc on d2 and turned over 1."
    (message,) = prompt(view, RULES, states[0], 1, TextOptions(system="merge"), legal=[9, 11])
    assert_in_order(
        message["content"],
        "white discs, shown as O", "Rules: the board has 8 columns", "5 . . . X O . . . 5",
        "Count: X 5, O 2, empty 57.", "Last move: X b3", "Legal moves: b2, d2", "Move: <column",
    )  # fmt: skip
    stop = GAME.make_rules(passing="voluntary")
    told = view.position_text(stop, position(stop, 64)[0], 1, "list")
    assert "Moves until the game is stopped: 119" in told and "X: e4 d5" in told
    wiped = position(RULES, 44, 29, 20, 45, 38, 43, 52, 37, 34)
    assert view.board_text(RULES, wiped[0]).endswith("X has won by 64")


def test_corners_are_counted(rng):
    """As a plain count over the same games."""
    for _ in range(5):
        game = RandomGame(RULES, int(rng.integers(2**63)))
        expected = np.zeros((2, len(COUNTS)))
        for states, seat, legal, action in zip(
            game.states, game.players, game.choices, game.actions, strict=True
        ):
            taken = int(states["own"][0] | states["opp"][0])
            corners = {0, 7, 56, 63}
            risky = {
                x for corner, x in ((0, 9), (7, 14), (56, 49), (63, 54)) if not taken >> corner & 1
            }
            own = expected[seat]
            own[0] += 1
            if corners & set(legal.tolist()):
                own[1] += 1
                own[2] += action in corners
                own[3] += len(corners & set(legal.tolist())) / len(legal)
            if 0 < len(risky & set(legal.tolist())) < len(legal):
                own[4] += 1
                own[5] += action in risky
                own[6] += len(risky & set(legal.tolist())) / len(legal)
        actions = np.array([game.actions])
        counts = game_counts(RULES, np.zeros(1, np.uint64), actions, np.array([len(game.actions)]))
        assert counts[0] == pytest.approx(expected)


@pytest.mark.parametrize("size", [4, 6, 8])
def test_picture_shows_discs_where_they_are(size):
    render, rules = GAME.module("render"), GAME.make_rules(size=size)
    first = int(core_legal(rules)[0])
    states = position(rules, first)
    picture = render.picture(rules, states[0]).astype(int)
    unit = int(640 / (size + 1.5))
    grid = grid_of(rules, states[0])
    allowed = core_legal(rules, first)

    def at(action, right=0.0):
        row, column = divmod(action, size)
        return picture[int((1.65 + row + 0.5) * unit), int((0.75 + column + 0.5 + right) * unit)]

    for action in range(size * size):
        seat = grid.get(divmod(action, size))
        if seat is None:
            assert np.abs(at(action, 0.3) - (34, 128, 74)).max() < 12
            dotted = np.abs(at(action) - (34, 128, 74)).max() > 40
            assert dotted == (action in allowed)
        else:
            assert np.abs(at(action, 0.25) - render.COLOURS[seat]).max() < 40
            assert (at(action)[0] - at(action)[1] > 100) == (action == first)  # the red dot


def core_legal(rules, *actions):
    legal, _ = core.new_scratch(rules)
    return legal[: core.legal_actions_at(rules, position(rules, *actions), 0, legal)].tolist()
